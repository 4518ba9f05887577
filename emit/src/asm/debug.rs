//! Debug information in assembly text: its sections as data, with the same contents as in the object.
//!
//! Places are named by local labels, so that assemblers write them as offsets in sections, as the object does: another
//! definition of a weak function does not move what describes this one.
//!
//! The line table of a module of one unit is left to the assembler ([`super::lines`]); those of several units are data
//! like the rest, since addresses are known: the text assembles to the code that was encoded. A function with texts of
//! inline assembly that only an assembler encodes has no debug information, because its length is not known.

use super::AsmBuilder;
use super::lines::Rows;
use crate::dwarf::{CodePlace, DebugTarget};
use crate::error::EmitError;
use crate::section::{SectionDesc, SectionId};
use frazil_codegen::CompiledFunction;
use frazil_ir::{EntityRef, FuncId, SymbolId};
use frazil_support::FxHashMap;
use object::elf;
use std::fmt::{self, Write};

/// The label of a definition that debug information names.
struct DebugLabel(SymbolId);

impl fmt::Display for DebugLabel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, ".L..d{}", self.0.index())
    }
}

/// What the start of a debug section is called.
enum SectionLabel {
    /// Its name, which no other has.
    Name(&'static str),
    /// A label, by the number of the section.
    Number(usize),
}

impl fmt::Display for SectionLabel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SectionLabel::Name(name) => out.write_str(name),
            SectionLabel::Number(number) => write!(out, ".L..s{number}"),
        }
    }
}

/// What an assembler writes of the line table.
const LINE_SECTIONS: [&str; 2] = [".debug_line", ".debug_line_str"];

/// The two words that may stand before a function.
const TYPE_WORDS_BYTES: u64 = 8;

impl AsmBuilder<'_> {
    /// Adds what debuggers want to know of a function.
    #[cold]
    pub(super) fn add_debug(&mut self, function: FuncId, section: SectionId, code: &CompiledFunction) -> Rows {
        let Some(debug) = &mut self.debug else {
            return Rows::new();
        };
        let head = &self.module.functions[function];
        let has_words = code
            .attachments
            .as_ref()
            .is_some_and(|attachments| attachments.type_words.is_some());
        let before = head.prefix_data.as_ref().map_or(0, |data| data.size)
            + self.target.desc().elf.filler_bytes(head.prefix_filler)
            + if has_words { TYPE_WORDS_BYTES } else { 0 };
        if self.code_ends.len() <= section.index() {
            self.code_ends.resize(section.index() + 1, Some(0));
        }
        let end = self.code_ends[section.index()];
        let align = 1 << head.align_log2.max(code.align_log2);
        let start = end.map(|end| end.next_multiple_of(align) + before);
        let is_known = code.body.texts().is_empty();
        self.code_ends[section.index()] = start.filter(|_| is_known).map(|start| start + code.len() as u64);
        if !is_known || start.is_none() {
            debug.pass_over();
        }
        if !is_known {
            self.interrupt_rows(section);
            return Rows::new();
        }
        let place = CodePlace {
            symbol: head.symbol,
            section: section.index() as u32,
            start: start.unwrap_or(0),
            has_frame_table: head.unwind_table || !head.no_unwind,
        };
        debug.add_function(place, code);
        let rows = self.take_rows();
        if rows.is_empty() {
            self.interrupt_rows(section);
        }
        rows
    }

    /// Puts a label where a symbol is defined.
    #[cold]
    pub(super) fn label_for_debug(&mut self, symbol: SymbolId) {
        writeln!(self.text, "{}:", DebugLabel(symbol)).expect("strings can be written");
        self.labelled.insert(symbol);
    }

    /// Writes the debug sections.
    pub(super) fn add_debug_sections(&mut self) -> Result<(), EmitError> {
        if let Some(debug) = &mut self.debug {
            debug.complete()?;
            // Entries name files, too.
            self.take_rows();
        }
        let Some(debug) = self.debug.take() else {
            return Ok(());
        };
        let leaves_lines = debug.leaves_lines();
        let mut sections = debug.write()?;
        if leaves_lines {
            for section in sections
                .iter_mut()
                .filter(|section| LINE_SECTIONS.contains(&section.name))
            {
                section.bytes.clear();
                section.relocations.clear();
            }
        }
        if self.placement.options.debug.has_file() {
            (self.split, sections) = sections.into_iter().partition(|section| section.is_split);
        }
        let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
        for section in &sections {
            *counts.entry(section.name).or_default() += 1;
        }
        let names: Vec<SectionLabel> = sections
            .iter()
            .enumerate()
            .map(|(number, section)| match counts[section.name] {
                1 => SectionLabel::Name(section.name),
                _ => SectionLabel::Number(number),
            })
            .collect();
        for (section, name) in sections.iter().zip(&names) {
            let mut flags = match section.is_texts {
                true => elf::SHF_MERGE | elf::SHF_STRINGS,
                false => elf::SectionFlags(0),
            };
            if section.is_split {
                flags |= elf::SHF_EXCLUDE;
            }
            let mut desc = SectionDesc::new(section.name.as_bytes(), elf::SHT_PROGBITS, flags);
            desc.entry_bytes = u64::from(section.is_texts);
            desc.group = section
                .group
                .map(|name| self.placement.more_group(name.to_string().as_bytes()));
            let id = self.placement.sections.intern(desc);
            self.switch_to(id);
            if let SectionLabel::Number(_) = name {
                writeln!(self.text, "{name}:").expect("strings can be written");
            }
            let mut relocations: Vec<_> = section.relocations.iter().collect();
            relocations.sort_by_key(|relocation| relocation.offset);
            let mut done = 0;
            for relocation in relocations {
                self.put_bytes(&section.bytes, done, relocation.offset);
                done = relocation.offset + u64::from(relocation.bytes);
                let directive = if relocation.bytes == 8 { ".quad" } else { ".long" };
                let addend = relocation.addend;
                match relocation.target {
                    DebugTarget::Section(number) => self.line(format_args!("{directive}\t{}+{addend}", names[number])),
                    DebugTarget::ThreadOffset(symbol) => {
                        let suffix = self.target.desc().elf.thread_offset.map_or("", |offset| offset.suffix);
                        self.mark_used(symbol);
                        let name = self.name(symbol);
                        self.line(format_args!("{directive}\t{name}{suffix}"));
                    }
                    DebugTarget::Symbol(symbol) if self.labelled.contains(&symbol) => {
                        self.line(format_args!("{directive}\t{}+{addend}", DebugLabel(symbol)));
                    }
                    DebugTarget::Symbol(symbol) => {
                        self.mark_used(symbol);
                        let name = self.name(symbol);
                        self.line(format_args!("{directive}\t{name}+{addend}"));
                    }
                }
            }
            self.put_bytes(&section.bytes, done, section.bytes.len() as u64);
        }
        Ok(())
    }
}
