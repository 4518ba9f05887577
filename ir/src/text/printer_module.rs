//! Writes what stands outside of functions.

use super::names::{
    COMDAT_SELECTIONS, FRAME_POINTERS, GUARD_PLACES, LINKAGES, TLS_MODELS, VISIBILITIES, Words, word_of, write_name,
    write_quoted,
};
use super::pieces::{write_addend, write_attachments, write_symbol};
use super::printer::print_function;
use super::printer_debug::write_module_debug;
use crate::entities::SymbolId;
use crate::function::Function;
use crate::module::{
    DataDef, DataLayout, DataRelocation, FramePointer, GuardPlace, InitEntry, Linkage, Module, RelocationTarget,
    SymbolData, SymbolKind, TlsModel, Visibility,
};
use frazil_support::{EntityRef, Str};
use std::fmt::{self, Write};

/// How many bytes of an initialiser stand on a line.
const BYTES_PER_LINE: usize = 64;

/// Runs of at least so many zero bytes are written as a count.
const ZERO_RUN: usize = 8;

/// Writes a module with its function bodies, in the order of the bodies.
///
/// # Errors
/// What `out` returns.
pub fn print_module(module: &Module, bodies: &[Function], out: &mut dyn Write) -> fmt::Result {
    print_module_head(module, out)?;
    for body in bodies {
        out.write_char('\n')?;
        print_function(module, body, out)?;
    }
    Ok(())
}

/// Writes everything of a module but its functions, which are to follow in the order of the bodies, each after an
/// empty line.
///
/// # Errors
/// What `out` returns.
pub fn print_module_head(module: &Module, out: &mut dyn Write) -> fmt::Result {
    ModulePrinter { module, out }.head()
}

struct ModulePrinter<'a> {
    module: &'a Module,
    out: &'a mut dyn Write,
}

impl ModulePrinter<'_> {
    fn head(&mut self) -> fmt::Result {
        let module = self.module;
        self.text_line("source", module.source_name)?;
        self.text_line("triple", module.triple)?;
        self.layout()?;
        self.flags()?;
        self.text_line("asm", module.asm)?;
        for (word, texts) in [
            ("identification", &module.tools.identifications),
            ("command_line", &module.tools.command_lines),
            ("dependent_library", &module.tools.dependent_libraries),
            ("linker_option", &module.tools.linker_options),
        ] {
            for &text in texts {
                write!(self.out, "{word} ")?;
                write_quoted(self.out, module.strings.bytes(text))?;
                self.out.write_char('\n')?;
            }
        }
        for comdat in module.comdats.values() {
            self.out.write_str("comdat ")?;
            write_name(self.out, module.strings.bytes(comdat.name))?;
            writeln!(self.out, " {}", word_of(COMDAT_SELECTIONS, comdat.selection))?;
        }
        let listed = symbols_to_list(module);
        for (id, symbol) in module.symbols.iter().take(listed) {
            self.symbol(id, symbol)?;
        }
        for data in module.data.values() {
            self.data("data", data)?;
        }
        for head in module.functions.values() {
            for (word, data) in [
                ("prefix_data", &head.prefix_data),
                ("prologue_data", &head.prologue_data),
            ] {
                data.iter().try_for_each(|data| self.data(word, data))?;
            }
        }
        self.init_entries("constructor", &module.constructors)?;
        self.init_entries("destructor", &module.destructors)?;
        self.symbol_list("used", &module.used)?;
        self.symbol_list("compiler_used", &module.compiler_used)?;
        write_module_debug(self.out, module)
    }

    fn text_line(&mut self, word: &str, text: Str) -> fmt::Result {
        if text.is_empty() {
            return Ok(());
        }
        write!(self.out, "{word} ")?;
        write_quoted(self.out, self.module.strings.bytes(text))?;
        self.out.write_char('\n')
    }

    fn layout(&mut self) -> fmt::Result {
        let layout = &self.module.data_layout;
        if *layout == DataLayout::default() {
            return Ok(());
        }
        write!(
            self.out,
            "layout pointer_bits {} stack_align {}",
            layout.pointer_bits, layout.stack_align
        )?;
        self.out
            .write_str(if layout.big_endian { " big_endian\n" } else { "\n" })
    }

    fn flags(&mut self) -> fmt::Result {
        let flags = &self.module.flags;
        if *flags == Default::default() {
            return Ok(());
        }
        self.out.write_str("flags")?;
        let numbers = [
            ("pic_level", flags.pic_level),
            ("pie_level", flags.pie_level),
            ("code_model", flags.code_model),
            (
                "unwind_tables",
                (flags.unwind_tables != 0).then_some(flags.unwind_tables),
            ),
            (
                "direct_access_external_data",
                flags.direct_access_external_data.map(u8::from),
            ),
        ];
        for (word, number) in numbers {
            if let Some(number) = number {
                write!(self.out, " {word} {number}")?;
            }
        }
        if flags.frame_pointer != FramePointer::None {
            write!(
                self.out,
                " frame_pointer {}",
                word_of(FRAME_POINTERS, flags.frame_pointer)
            )?;
        }
        if flags.guard_place != GuardPlace::Thread {
            write!(self.out, " guard_place {}", word_of(GUARD_PLACES, flags.guard_place))?;
        }
        if let Some(offset) = flags.guard_offset {
            write!(self.out, " guard_offset {}", offset.cast_unsigned())?;
        }
        if let Some(bytes) = flags.stack_align {
            write!(self.out, " stack_align {bytes}")?;
        }
        let words = [
            (flags.runtime_uses_got, " runtime_uses_got"),
            (flags.marks_branch_targets, " marks_branch_targets"),
            (flags.seals_functions, " seals_functions"),
            (flags.allows_shadow_stack, " allows_shadow_stack"),
            (flags.declares_marked_targets, " declares_marked_targets"),
            (flags.declares_signed_returns, " declares_signed_returns"),
        ];
        for (_, word) in words.iter().filter(|row| row.0) {
            self.out.write_str(word)?;
        }
        self.out.write_char('\n')
    }

    fn symbol(&mut self, id: SymbolId, symbol: &SymbolData) -> fmt::Result {
        let module = self.module;
        self.out.write_str("symbol ")?;
        write_symbol(self.out, module, id)?;
        match symbol.kind {
            SymbolKind::FunctionDeclaration | SymbolKind::Function(_) => self.out.write_str(" function")?,
            SymbolKind::DataDeclaration | SymbolKind::Data(_) => self.out.write_str(" data")?,
            SymbolKind::Alias {
                target,
                offset,
                is_function,
            } => {
                self.out.write_str(if is_function {
                    " alias function "
                } else {
                    " alias data "
                })?;
                write_symbol(self.out, module, target)?;
                write_addend(self.out, offset)?;
            }
            SymbolKind::Ifunc { resolver } => {
                self.out.write_str(" ifunc ")?;
                write_symbol(self.out, module, resolver)?;
            }
        }
        self.variant(LINKAGES, symbol.linkage, Linkage::External)?;
        self.variant(VISIBILITIES, symbol.visibility, Visibility::Default)?;
        self.variant(TLS_MODELS, symbol.tls, TlsModel::NotThreadLocal)?;
        if symbol.dso_local {
            self.out.write_str(" dso_local")?;
        }
        if symbol.non_lazy_bind {
            self.out.write_str(" non_lazy_bind")?;
        }
        if symbol.far {
            self.out.write_str(" far")?;
        }
        if symbol.is_absolute {
            self.out.write_str(" is_absolute")?;
        }
        if let Some(attachments) = module.attachments_of(id) {
            write_attachments(self.out, module, attachments)?;
        }
        if symbol.unnamed_addr {
            self.out.write_str(" unnamed_addr")?;
        }
        if let Some(comdat) = symbol.comdat {
            self.out.write_str(" comdat ")?;
            write_name(self.out, module.strings.bytes(module.comdats[comdat].name))?;
        }
        for (text, word) in [(symbol.section, "section"), (symbol.partition, "partition")] {
            if !text.is_empty() {
                write!(self.out, " {word} ")?;
                write_quoted(self.out, module.strings.bytes(text))?;
            }
        }
        self.out.write_char('\n')
    }

    fn variant<T: Copy + PartialEq>(&mut self, words: Words<T>, variant: T, default: T) -> fmt::Result {
        if variant == default {
            return Ok(());
        }
        write!(self.out, " {}", word_of(words, variant))
    }

    fn data(&mut self, word: &str, data: &DataDef) -> fmt::Result {
        write!(self.out, "{word} ")?;
        write_symbol(self.out, self.module, data.symbol)?;
        if data.constant {
            self.out.write_str(" constant")?;
        }
        if data.align_log2 != 0 {
            write!(self.out, " align {}", 1u64 << data.align_log2.min(63))?;
        }
        write!(self.out, " size {}", data.size)?;
        let bytes = &self.module.bytes[data.first_byte as usize..][..data.byte_count as usize];
        if !bytes.is_empty() {
            self.bytes(bytes)?;
        }
        let relocations = self.module.data_relocations(data);
        if !relocations.is_empty() {
            self.out.write_str(" relocations [")?;
            for (index, relocation) in relocations.iter().enumerate() {
                self.out.write_str(if index > 0 { ",\n    " } else { "\n    " })?;
                self.relocation(relocation)?;
            }
            self.out.write_char(']')?;
        }
        self.out.write_char('\n')
    }

    /// Writes initialiser bytes as strings where most of them are text, else in hexadecimal.
    fn bytes(&mut self, bytes: &[u8]) -> fmt::Result {
        let printable = bytes
            .iter()
            .filter(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
            .count();
        let as_text = printable * 4 >= bytes.len() * 3;
        let mut separator = if bytes.len() > BYTES_PER_LINE { "\n    " } else { " " };
        let between = separator;
        self.out.write_str(" {")?;
        let mut rest = bytes;
        while !rest.is_empty() {
            self.out.write_str(separator)?;
            separator = between;
            let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
            if zeros >= ZERO_RUN {
                write!(self.out, "zero {zeros}")?;
                rest = &rest[zeros..];
                continue;
            }
            let length = chunk_length(rest);
            if as_text {
                write_quoted(self.out, &rest[..length])?;
            } else {
                self.out.write_str("x\"")?;
                rest[..length]
                    .iter()
                    .try_for_each(|byte| write!(self.out, "{byte:02x}"))?;
                self.out.write_char('"')?;
            }
            rest = &rest[length..];
        }
        self.out.write_str(" }")
    }

    fn relocation(&mut self, relocation: &DataRelocation) -> fmt::Result {
        write!(self.out, "{}: {} ", relocation.offset, relocation.size)?;
        self.relocation_target(relocation.target)?;
        write_addend(self.out, relocation.addend)?;
        if let Some(minus) = relocation.minus {
            self.out.write_str(" minus ")?;
            self.relocation_target(minus)?;
        }
        Ok(())
    }

    fn relocation_target(&mut self, target: RelocationTarget) -> fmt::Result {
        let module = self.module;
        match target {
            RelocationTarget::Symbol(symbol) => write_symbol(self.out, module, symbol)?,
            RelocationTarget::Block(function, block) => {
                self.out.write_str("block(")?;
                write_symbol(self.out, module, module.functions[function].symbol)?;
                write!(self.out, ", b{})", block.as_u32())?;
            }
            RelocationTarget::LocalEquivalent(symbol) => {
                self.out.write_str("local_equivalent(")?;
                write_symbol(self.out, module, symbol)?;
                self.out.write_char(')')?;
            }
            RelocationTarget::NoCfi(symbol) => {
                self.out.write_str("no_cfi(")?;
                write_symbol(self.out, module, symbol)?;
                self.out.write_char(')')?;
            }
        }
        Ok(())
    }

    fn init_entries(&mut self, word: &str, entries: &[InitEntry]) -> fmt::Result {
        for entry in entries {
            write!(self.out, "{word} {} ", entry.priority)?;
            write_symbol(self.out, self.module, entry.function)?;
            if let Some(associated) = entry.associated {
                self.out.write_str(" associated ")?;
                write_symbol(self.out, self.module, associated)?;
            }
            self.out.write_char('\n')?;
        }
        Ok(())
    }

    fn symbol_list(&mut self, word: &str, symbols: &[SymbolId]) -> fmt::Result {
        if symbols.is_empty() {
            return Ok(());
        }
        write!(self.out, "{word} [")?;
        for (index, &symbol) in symbols.iter().enumerate() {
            if index > 0 {
                self.out.write_str(", ")?;
            }
            write_symbol(self.out, self.module, symbol)?;
        }
        self.out.write_str("]\n")
    }
}

/// How many of the first bytes to write as one piece: up to a line, or to the next long run of zeros.
fn chunk_length(bytes: &[u8]) -> usize {
    let longest = bytes.len().min(BYTES_PER_LINE);
    let mut zeros = 0;
    for (index, &byte) in bytes.iter().enumerate().take(longest + ZERO_RUN) {
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        if zeros == ZERO_RUN {
            let start = index + 1 - ZERO_RUN;
            return if start == 0 { longest } else { start.min(longest) };
        }
    }
    longest
}

/// How many symbols need a `symbol` line: those after them have default attributes and are defined, in their order,
/// by the `data` and `func` items that follow, which give them the same numbers.
fn symbols_to_list(module: &Module) -> usize {
    let data = module.data.values().map(|data| data.symbol);
    let functions = module.functions.values().map(|head| head.symbol);
    let order: Vec<SymbolId> = data.chain(functions).collect();
    let mut listed = module.symbols.len();
    for &defined in order.iter().rev() {
        if listed == 0 || defined != SymbolId::new(listed - 1) || !is_plain(&module.symbols[defined]) {
            break;
        }
        listed -= 1;
    }
    listed
}

/// Whether a symbol has a name and otherwise the attributes of one without a `symbol` line.
fn is_plain(symbol: &SymbolData) -> bool {
    let plain = SymbolData {
        name: symbol.name,
        kind: symbol.kind,
        ..SymbolData::default()
    };
    !symbol.name.is_empty() && *symbol == plain
}
