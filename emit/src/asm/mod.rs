//! Assembly text of the same object, in the syntax of GNU `as`.
//!
//! Instructions are printed from the log of what was encoded, so that text and bytes cannot disagree; sections,
//! names and order are those of the object writer. Assembled, the text gives the same section contents; `as` adds
//! symbols of its own only.
//!
//! The text is kept in memory until [`AsmBuilder::finish`].

mod data;
mod debug;
mod handlers;
mod inline;
mod lines;
pub(crate) mod syntax;
mod tables;

pub use inline::TextPlace;

use crate::constants::ConstantPool;
use crate::dwarf::{DebugSection, DebugWriter, LineRow};
use crate::elf::write_split;
use crate::error::EmitError;
use crate::exceptions::{self, Late};
use crate::names::{CONSTANT_PREFIX, symbol_name};
use crate::placement::{EmitOptions, Placement, alias_base};
use crate::section::SectionId;
use crate::tools;
use frazil_codegen::target::Target;
use frazil_codegen::{AsmNames, CodeBuffer, CompiledFunction, Label, LogItem, Ref, RefKind, UnwindOp};
use frazil_ir::module::Visibility;
use frazil_ir::{Block, EntityRef, FuncId, Linkage, Module, Refusal, SymbolId, SymbolKind};
use frazil_support::{FxBuildHasher, FxHashMap, FxHashSet};
use indexmap::IndexSet;
use std::fmt::{self, Write};
use tables::TableName;

/// Assembly text while it is made.
pub struct AsmBuilder<'a> {
    module: &'a Module,
    target: &'a dyn Target,
    placement: Placement<'a>,
    text: String,
    /// The section that the text is in.
    current: Option<SectionId>,
    /// The directive that switches to a section, once it was used.
    directives: Vec<Option<String>>,
    /// How many sections of a name there are.
    section_names: FxHashMap<Vec<u8>, u32>,
    debug: Option<Box<DebugWriter<'a>>>,
    lines: lines::KnownLines,
    /// What goes to a file of its own, once it is known.
    split: Vec<DebugSection>,
    /// Where the code in each section ends so far, in modules with debug information, as far as that is known.
    code_ends: Vec<Option<u64>>,
    /// The symbols with a label of their own for debug information, in modules that have any.
    labelled: FxHashSet<SymbolId>,
    constants: ConstantPool,
    constant_numbers: Vec<u32>,
    /// Which symbols of the module are referenced.
    used: Vec<bool>,
    /// The pointers that exception tables name symbols by.
    late: IndexSet<Late, FxBuildHasher>,
    /// Where inline assembly stands.
    text_places: Vec<TextPlace>,
    /// Up to which offset lines were counted, and how many.
    counted: (usize, u32),
}

impl fmt::Debug for AsmBuilder<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "assembly text of {} bytes", self.text.len())
    }
}

/// What is said between instructions and is not printed yet, by the offset from which it holds.
struct Beside<'c> {
    unwind: &'c [(u32, UnwindOp)],
    rows: &'c [(u64, LineRow)],
}

/// Names within one code buffer of one function.
struct CodeNames<'b> {
    module: &'b Module,
    constant_numbers: &'b [u32],
    foreign_blocks: &'b [(SymbolId, Block)],
    function: FuncId,
    /// Tells the labels of the prologue from those of the body.
    part: char,
}

/// The name of a label: its function, the part of that, and the label.
struct CodeLabel(FuncId, char, Label);

impl fmt::Display for CodeLabel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, ".L..f{}{}{}", self.0.index(), self.1, self.2.0)
    }
}

/// The name of a block whose address is taken.
struct BlockName(FuncId, Block);

impl fmt::Display for BlockName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, ".L..a{}.{}", self.0.index(), self.1.index())
    }
}

impl AsmNames for CodeNames<'_> {
    fn write_label(&self, label: Label, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{}", CodeLabel(self.function, self.part, label))
    }

    fn write_ref(&self, reference: Ref, out: &mut dyn Write) -> fmt::Result {
        let number = reference.number() as usize;
        match reference.kind() {
            RefKind::Constant => write!(out, "{CONSTANT_PREFIX}{}", self.constant_numbers[number]),
            RefKind::Label => self.write_label(Label(reference.number()), out),
            RefKind::Table => write!(out, "{}", TableName(self.function, number)),
            RefKind::Block => {
                let (function, block) = self.foreign_blocks[number];
                match self.module.symbols[function].kind {
                    SymbolKind::Function(function) => write!(out, "{}", BlockName(function, block)),
                    _ => Err(fmt::Error),
                }
            }
            _ => syntax::write_name(symbol_name(self.module, SymbolId::new(number)), out),
        }
    }

    fn is_filled_in(&self, reference: Ref) -> bool {
        let symbol = reference.as_symbol().and_then(|symbol| self.module.symbols.get(symbol));
        symbol.is_some_and(|data| {
            let is_final =
                data.visibility != Visibility::Default && !data.linkage.is_weak() && !data.linkage.is_local();
            is_final && data.is_defined()
        })
    }
}

impl<'a> AsmBuilder<'a> {
    /// Starts the text of a module.
    ///
    /// # Errors
    /// When the module has something at its top level that is not written, or names that assembly cannot hold.
    pub fn new(module: &'a Module, target: &'a dyn Target, options: EmitOptions) -> Result<AsmBuilder<'a>, EmitError> {
        let mut debug = DebugWriter::new(module, target.desc(), &options.debug).map(Box::new);
        if let Some(debug) = &mut debug {
            debug.keep_rows();
        }
        let placement = Placement::new(module, target.desc(), options)?;
        for symbol in module.symbols.keys() {
            let name = module.name(symbol);
            if std::str::from_utf8(name).is_err() || name.contains(&0) {
                return Err(EmitError::unsupported(
                    Refusal::ObjectFile,
                    "a name that is not UTF-8 in assembly text",
                    module.display_name(symbol),
                ));
            }
        }
        let mut builder = AsmBuilder {
            module,
            target,
            placement,
            text: String::new(),
            current: None,
            directives: Vec::new(),
            section_names: FxHashMap::default(),
            debug,
            lines: lines::KnownLines::default(),
            split: Vec::new(),
            code_ends: Vec::new(),
            labelled: FxHashSet::default(),
            constants: ConstantPool::default(),
            constant_numbers: Vec::new(),
            used: vec![false; module.symbols.len()],
            late: IndexSet::default(),
            text_places: Vec::new(),
            counted: (0, 0),
        };
        let path = module.strings.display(module.source_name);
        builder.line(format_args!(
            ".file\t{}",
            syntax::Quoted(path.rsplit('/').next().unwrap_or(&path).as_bytes())
        ));
        builder.take_rows();
        if !module.asm.is_empty() {
            let text = module.strings.bytes(module.asm);
            let text = std::str::from_utf8(text).map_err(|_| {
                EmitError::unsupported(
                    Refusal::ModuleAssembly,
                    "module-level assembly that is not UTF-8",
                    "llvm.module.asm",
                )
            })?;
            builder.print_module_text(text);
        }
        Ok(builder)
    }

    /// Appends a function, which must have been compiled with logging.
    ///
    /// # Errors
    /// When a section cannot be named in assembly text.
    pub fn add_function(&mut self, function: FuncId, code: &CompiledFunction) -> Result<(), EmitError> {
        let head = &self.module.functions[function];
        let section = self.placement.function(function, code.attachments.as_deref());
        self.switch_to(section);
        let desc = self.target.desc();
        let align_log2 = head.align_log2.max(code.align_log2);
        self.line(format_args!(".p2align\t{align_log2}, {:#x}", desc.elf.filler));
        if let Some(data) = &head.prefix_data {
            self.put_contents(data)?;
        }
        let has_filler = head.entry_filler.max(head.prefix_filler) > 0;
        if has_filler {
            self.put_prefix(function, head.prefix_filler);
        }
        let type_words = code.attachments.as_ref().and_then(|attachments| attachments.type_words);
        if let Some((first, second)) = type_words {
            self.line(format_args!(".long\t{first:#x}, {second:#x}"));
        }
        self.introduce(head.symbol, "function");
        let needs_frame = head.unwind_table || !head.no_unwind;
        if needs_frame {
            self.line(format_args!(".cfi_startproc"));
            if head.signs_by_second_key {
                self.line(format_args!(".cfi_b_key_frame"));
            }
        }
        let personality = exceptions::handler(self.module, head, code);
        if let Some(personality) = personality {
            self.name_handler(function, personality);
        }
        if let Some(data) = &head.prologue_data {
            self.put_contents(data)?;
        }
        self.constants.add_all(&code.body.constants, &mut self.constant_numbers);
        let rows = match self.debug {
            Some(_) => self.add_debug(function, section, code),
            None => lines::Rows::new(),
        };
        let mut beside = Beside {
            unwind: if needs_frame { code.unwind.as_slice() } else { &[] },
            rows: &rows,
        };
        self.print_code(function, 'p', &code.prologue, 0, &mut beside);
        self.print_code(function, 'b', &code.body, code.prologue.offset(), &mut beside);
        if needs_frame {
            self.print_unwind(u32::MAX, &mut beside.unwind);
            self.line(format_args!(".cfi_endproc"));
        }
        self.size_until_here(head.symbol);
        if code.body.data_tables().len() > 0 {
            self.add_jump_tables(function, code);
        }
        if has_filler {
            self.list_filler(function, code.mark_bytes);
        }
        if personality.is_some() {
            self.add_exception_table(function, code);
        }
        if let Some(attachments) = &code.attachments {
            for data in &attachments.data {
                self.add_placed(data)?;
            }
        }
        Ok(())
    }

    /// Writes everything that is left, and the text.
    ///
    /// # Errors
    /// When the module asks for something that cannot be written, or the writer's errors.
    pub fn finish(mut self, out: &mut dyn std::io::Write) -> Result<Option<Vec<u8>>, EmitError> {
        for def in self.module.data.values() {
            self.add_data(def)?;
        }
        self.add_constants();
        self.add_init_entries(true);
        self.add_init_entries(false);
        self.add_pointers();
        for symbol in self.module.symbols.keys() {
            self.add_alias(symbol)?;
            self.declare_outside(symbol);
        }
        self.add_partitions();
        self.add_debug_sections()?;
        self.add_tool_sections();
        self.line(format_args!(".section\t.note.GNU-stack,\"\",@progbits"));
        out.write_all(self.text.as_bytes())?;
        let options = &self.placement.options;
        let is_wanted = options.debug.has_file();
        let split = std::mem::take(&mut self.split);
        is_wanted
            .then(|| write_split(self.target.desc(), split, options.compress_debug))
            .transpose()
    }

    /// Labels where the filler of a function begins, and puts that before the function.
    #[cold]
    fn put_prefix(&mut self, function: FuncId, count: u32) {
        let elf = &self.target.desc().elf;
        writeln!(self.text, ".L..n{}:", function.index()).expect("strings can be written");
        if count > 0 {
            let unit = elf.filler_unit();
            let value = unit
                .iter()
                .rev()
                .fold(0u64, |value, &byte| value << 8 | u64::from(byte));
            self.line(format_args!(".fill\t{count}, {}, {value:#x}", unit.len()));
        }
    }

    /// Lists where the filler of a function is.
    #[cold]
    fn list_filler(&mut self, function: FuncId, mark_bytes: u32) {
        let head = &self.module.functions[function];
        let section = self.placement.filler_list(head.symbol);
        self.switch_to(section);
        let bytes = self.target.desc().pointer_bytes;
        let directive = if bytes == 8 { ".quad" } else { ".long" };
        let distance = if head.prefix_filler > 0 { 0 } else { mark_bytes };
        self.line(format_args!(".p2align\t{}", bytes.trailing_zeros()));
        self.line(format_args!("{directive}\t.L..n{}+{distance}", function.index()));
    }

    /// Says which symbols ask for a partition.
    fn add_partitions(&mut self) {
        let directive = if self.target.desc().pointer_bytes == 8 {
            ".quad"
        } else {
            ".long"
        };
        for (symbol, section, bytes) in self.placement.partitions() {
            self.switch_to(section);
            self.put_bytes(&bytes, 0, bytes.len() as u64);
            self.mark_used(symbol);
            let name = self.name(symbol);
            self.line(format_args!("{directive}\t{name}"));
        }
    }

    /// Writes what is said to linkers and other tools.
    fn add_tool_sections(&mut self) {
        for section in tools::sections(self.module, self.target.desc()) {
            if section.desc.name == tools::IDENTIFICATIONS {
                for &text in &self.module.tools.identifications {
                    let text = syntax::Quoted(self.module.strings.bytes(text));
                    self.line(format_args!(".ident\t{text}"));
                }
                continue;
            }
            let id = self.placement.sections.intern(section.desc);
            self.switch_to(id);
            self.line(format_args!(".p2align\t{}", section.align_log2));
            self.put_bytes(&section.bytes, 0, section.bytes.len() as u64);
        }
    }

    fn line(&mut self, line: fmt::Arguments<'_>) {
        writeln!(self.text, "\t{line}").expect("strings can be written");
    }

    fn name(&self, symbol: SymbolId) -> syntax::Name<'a> {
        syntax::Name(symbol_name(self.module, symbol))
    }

    /// Binding, visibility, type and label of a definition.
    fn introduce(&mut self, symbol: SymbolId, kind: &str) {
        self.bind(symbol);
        let name = self.name(symbol);
        self.line(format_args!(".type\t{name},@{kind}"));
        writeln!(self.text, "{name}:").expect("strings can be written");
        if self.debug.is_some() {
            self.label_for_debug(symbol);
        }
    }

    fn bind(&mut self, symbol: SymbolId) {
        let (data, name) = (&self.module.symbols[symbol], self.name(symbol));
        match data.linkage {
            linkage if linkage.is_local() => {}
            linkage if linkage.is_weak() => self.line(format_args!(".weak\t{name}")),
            _ => self.line(format_args!(".globl\t{name}")),
        }
        self.set_visibility(symbol);
    }

    fn set_visibility(&mut self, symbol: SymbolId) {
        let (data, name) = (&self.module.symbols[symbol], self.name(symbol));
        match data.visibility {
            _ if data.linkage.is_local() => {}
            Visibility::Default => {}
            Visibility::Hidden => self.line(format_args!(".hidden\t{name}")),
            Visibility::Protected => self.line(format_args!(".protected\t{name}")),
        }
    }

    fn size_until_here(&mut self, symbol: SymbolId) {
        let name = self.name(symbol);
        self.line(format_args!(".size\t{name}, .-{name}"));
    }

    fn print_code(&mut self, function: FuncId, part: char, code: &CodeBuffer, base: u32, beside: &mut Beside<'_>) {
        for reloc in &code.relocs {
            if let Some(symbol) = reloc.target.as_symbol() {
                self.mark_used(symbol);
            }
        }
        let log = code.log();
        let sites = code.exceptions.call_sites.as_slice();
        // After a call stands a note on it, if any.
        let (mut next_site, mut ended_call) = (0, None);
        for (position, (offset, item)) in log.iter().enumerate() {
            self.print_unwind(base + offset, &mut beside.unwind);
            let next = log.get(position + 1).map_or(code.offset(), |(next, _)| *next);
            if let LogItem::Note(note) = *item {
                self.print_note(code.note(note));
                continue;
            }
            if let Some(site) = ended_call.take() {
                self.mark_call(function, site, true);
            }
            let may_call = match item {
                LogItem::Inst(..) => true,
                LogItem::Text(text) => code.texts()[*text as usize].may_unwind,
                _ => false,
            };
            if !beside.rows.is_empty() {
                self.print_rows(base + offset, &mut beside.rows);
            }
            let is_call = may_call && (sites.get(next_site)).is_some_and(|site| site.start == *offset);
            if is_call {
                self.mark_call(function, next_site, false);
            }
            match *item {
                LogItem::Text(text) => self.print_text(function, part, code, &code.texts()[text as usize]),
                _ => self
                    .print_item(function, part, code, (*offset, item), next - offset)
                    .expect("strings can be written"),
            }
            if is_call {
                ended_call = Some(next_site);
                next_site += 1;
            }
        }
        if let Some(site) = ended_call {
            self.mark_call(function, site, true);
        }
    }

    /// Adds a note to the last line.
    fn print_note(&mut self, note: &str) {
        if self.text.ends_with('\n') {
            self.text.pop();
        }
        self.text.push_str("\t# ");
        self.text.extend(note.chars().map(|c| if c == '\n' { ' ' } else { c }));
        self.text.push('\n');
    }

    fn print_item(
        &mut self,
        function: FuncId,
        part: char,
        code: &CodeBuffer,
        (offset, item): (u32, &LogItem),
        bytes: u32,
    ) -> fmt::Result {
        let names = CodeNames {
            module: self.module,
            constant_numbers: &self.constant_numbers,
            foreign_blocks: &code.foreign_blocks,
            function,
            part,
        };
        match *item {
            LogItem::Inst(inst, len) => {
                self.text.push('\t');
                self.target.print(&inst, len, &names, &mut self.text)?;
            }
            LogItem::Label(label) => {
                names.write_label(label, &mut self.text)?;
                self.text.push(':');
                if let Some(block) = code.addressed_block(label) {
                    write!(self.text, "\n{}:", BlockName(function, block))?;
                }
            }
            LogItem::Note(_) | LogItem::Text(_) => return Ok(()),
            LogItem::Align(_) | LogItem::Bytes if bytes == 0 => return Ok(()),
            LogItem::Bytes => self.put_raw(&code.bytes[offset as usize..][..bytes as usize])?,
            LogItem::Align(_) => write!(self.text, "\t.fill\t{bytes}, 1, {:#x}", self.target.desc().elf.filler)?,
            LogItem::Literal(number) => {
                let constant = &code.constants[number as usize];
                self.put_raw(&constant.bytes[..usize::from(constant.len)])?;
            }
            LogItem::TableEntry { label, table } => {
                self.text.push_str("\t.long\t");
                names.write_label(label, &mut self.text)?;
                self.text.push('-');
                names.write_label(table, &mut self.text)?;
            }
        }
        self.text.push('\n');
        Ok(())
    }

    fn put_raw(&mut self, bytes: &[u8]) -> fmt::Result {
        for (index, byte) in bytes.iter().enumerate() {
            write!(self.text, "{}{byte:#x}", if index == 0 { "\t.byte\t" } else { ", " })?;
        }
        Ok(())
    }

    /// Prints the steps of the call frame description up to an offset.
    fn print_unwind(&mut self, offset: u32, unwind: &mut &[(u32, UnwindOp)]) {
        while let Some((&(at, op), rest)) = unwind.split_first()
            && at <= offset
        {
            *unwind = rest;
            match op {
                UnwindOp::DefineCfa(register, bytes) => self.line(format_args!(".cfi_def_cfa\t{register}, {bytes}")),
                UnwindOp::DefineCfaOffset(bytes) => self.line(format_args!(".cfi_def_cfa_offset\t{bytes}")),
                UnwindOp::DefineCfaRegister(register) => self.line(format_args!(".cfi_def_cfa_register\t{register}")),
                UnwindOp::SavedAt(register, bytes) => self.line(format_args!(".cfi_offset\t{register}, {bytes}")),
                UnwindOp::ValuePlus(register, bytes) => self.line(format_args!(
                    ".cfi_escape\t{:#x}, {register}, 2, {:#x}, {:#x}",
                    crate::cfi::VAL_EXPRESSION,
                    u16::from(crate::cfi::OP_BREG0) + register,
                    bytes.cast_unsigned() & 0x7f
                )),
                UnwindOp::AsAtFirst(register) => self.line(format_args!(".cfi_restore\t{register}")),
                UnwindOp::ToggleSigned(_) => self.line(format_args!(".cfi_negate_ra_state")),
                UnwindOp::ArgumentBytes(bytes) => {
                    let mut operand = Vec::new();
                    exceptions::put_unsigned(&mut operand, bytes.cast_unsigned());
                    let operand: String = operand.iter().map(|byte| format!(", {byte:#x}")).collect();
                    self.line(format_args!(".cfi_escape\t{:#x}{operand}", crate::cfi::ARGUMENT_BYTES));
                }
                UnwindOp::RememberState => self.line(format_args!(".cfi_remember_state")),
                UnwindOp::RestoreState => self.line(format_args!(".cfi_restore_state")),
            }
        }
    }

    fn mark_used(&mut self, symbol: SymbolId) {
        if let Some(used) = self.used.get_mut(symbol.index()) {
            *used = true;
        }
    }

    fn add_alias(&mut self, symbol: SymbolId) -> Result<(), EmitError> {
        let data = &self.module.symbols[symbol];
        if data.linkage == Linkage::AvailableExternally {
            return Ok(());
        }
        let Some((base, offset)) = alias_base(self.module, symbol)? else {
            return Ok(());
        };
        self.bind(symbol);
        let (name, base) = (self.name(symbol), self.name(base));
        let kind = match data.kind {
            SymbolKind::Ifunc { .. } => "gnu_indirect_function",
            _ if data.is_function() => "function",
            _ => "object",
        };
        self.line(format_args!(".type\t{name},@{kind}"));
        self.line(format_args!(".set\t{name}, {base}{}", syntax::Addend(offset)));
        Ok(())
    }

    /// What must be said of symbols of other objects.
    fn declare_outside(&mut self, symbol: SymbolId) {
        let data = &self.module.symbols[symbol];
        if !self.used[symbol.index()] || data.is_defined() {
            return;
        }
        if data.linkage == Linkage::ExternalWeak {
            let name = self.name(symbol);
            self.line(format_args!(".weak\t{name}"));
        }
        self.set_visibility(symbol);
    }
}
