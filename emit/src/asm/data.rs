//! Data, constants and constructor arrays as directives.

use super::{AsmBuilder, BlockName, syntax};
use crate::constants::ConstantPool;
use crate::error::EmitError;
use crate::names::CONSTANT_PREFIX;
use crate::placement::DataPlace;
use crate::section::SectionId;
use frazil_ir::module::{DataRelocation, PlacedData, RelocationTarget};
use frazil_ir::{DataDef, EntityRef, Refusal};
use std::fmt::Write;

/// Runs of at least so many zero bytes are written as a count.
const ZERO_RUN: usize = 16;
const LINE_BYTES: usize = 64;

impl AsmBuilder<'_> {
    /// Switches to a section.
    pub(super) fn switch_to(&mut self, section: SectionId) {
        if self.current == Some(section) {
            return;
        }
        self.current = Some(section);
        if section.index() >= self.directives.len() {
            self.directives.resize(section.index() + 1, None);
        }
        let directive = &mut self.directives[section.index()];
        let directive = directive.get_or_insert_with(|| {
            let desc = self.placement.sections.desc(section);
            let number = self.section_names.entry(desc.name.clone()).or_insert(0);
            let unique = *number;
            *number += 1;
            syntax::section_directive(desc, &self.placement, unique)
        });
        self.text.push_str(directive);
    }

    /// Writes a data definition.
    pub(super) fn add_data(&mut self, def: &DataDef) -> Result<(), EmitError> {
        let section = match self.placement.data(def) {
            DataPlace::Dropped => return Ok(()),
            DataPlace::Common => {
                self.bind(def.symbol);
                let name = self.name(def.symbol);
                self.line(format_args!(".type\t{name},@object"));
                let align = 1u64 << def.align_log2.min(63);
                self.line(format_args!(".comm\t{name},{},{align}", def.size));
                return Ok(());
            }
            DataPlace::Section(section) => section,
        };
        self.switch_to(section);
        if self.placement.sections.desc(section).is_code() {
            let filler = self.target.desc().elf.filler;
            self.line(format_args!(".p2align\t{}, {filler:#x}", def.align_log2));
        } else {
            self.line(format_args!(".p2align\t{}", def.align_log2));
        }
        self.introduce(def.symbol, "object");
        self.put_contents(def)?;
        self.size_until_here(def.symbol);
        Ok(())
    }

    /// Writes data that passes have made for a function.
    #[cold]
    pub(super) fn add_placed(&mut self, data: &PlacedData) -> Result<(), EmitError> {
        let section = self.placement.placed(data);
        self.switch_to(section);
        self.line(format_args!(".p2align\t{}", data.align_log2));
        self.introduce(data.symbol, "object");
        let (def, mut at) = (data.def(), 0);
        for relocation in &data.relocations {
            self.put_bytes(&data.bytes, at, relocation.offset);
            self.put_relocation(&def, relocation)?;
            at = relocation.offset + u64::from(relocation.size);
        }
        self.put_bytes(&data.bytes, at, data.bytes.len() as u64);
        self.size_until_here(data.symbol);
        Ok(())
    }

    /// Writes the bytes and addresses of data.
    pub(super) fn put_contents(&mut self, def: &DataDef) -> Result<(), EmitError> {
        let given = &self.module.bytes[def.first_byte as usize..][..def.byte_count as usize];
        let mut at = 0;
        for relocation in self.module.data_relocations(def) {
            self.put_bytes(given, at, relocation.offset);
            self.put_relocation(def, relocation)?;
            at = relocation.offset + u64::from(relocation.size);
        }
        self.put_bytes(given, at, def.size);
        Ok(())
    }

    /// Writes the bytes from `start` to `end`; those past the given ones are zero.
    pub(super) fn put_bytes(&mut self, given: &[u8], start: u64, end: u64) {
        let given_end = end.min(given.len() as u64).max(start);
        let mut bytes = given.get(start as usize..given_end as usize).unwrap_or_default();
        let mut tail = end.saturating_sub(start) - bytes.len() as u64;
        while !bytes.is_empty() {
            let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
            if zeros == bytes.len() {
                tail += zeros as u64;
                break;
            }
            if zeros >= ZERO_RUN {
                self.line(format_args!(".zero\t{zeros}"));
                bytes = &bytes[zeros..];
                continue;
            }
            let (line, rest) = bytes.split_at(bytes.len().min(LINE_BYTES));
            self.line(format_args!(".ascii\t{}", syntax::Quoted(line)));
            bytes = rest;
        }
        if tail > 0 {
            self.line(format_args!(".zero\t{tail}"));
        }
    }

    fn put_relocation(&mut self, def: &DataDef, relocation: &DataRelocation) -> Result<(), EmitError> {
        let directive = match relocation.size {
            8 => ".quad",
            4 => ".long",
            2 => ".short",
            1 => ".byte",
            bytes => {
                let what = format!("an address in {bytes} bytes of data");
                return Err(EmitError::unsupported(
                    Refusal::Initializer,
                    what,
                    self.module.display_name(def.symbol),
                ));
            }
        };
        let (name, addend) = (
            self.target_name(def, relocation, relocation.target)?,
            syntax::Addend(relocation.addend),
        );
        match relocation.minus {
            None => self.line(format_args!("{directive}\t{name}{addend}")),
            Some(minus) => {
                let minus = self.target_name(def, relocation, minus)?;
                self.line(format_args!("{directive}\t{name}-{minus}{addend}"));
            }
        }
        Ok(())
    }

    /// The name of what data refers to.
    fn target_name(
        &mut self,
        def: &DataDef,
        relocation: &DataRelocation,
        target: RelocationTarget,
    ) -> Result<String, EmitError> {
        let (symbol, block) = self.placement.data_target(def, relocation, target)?;
        self.mark_used(symbol);
        Ok(match block {
            Some((function, block)) => BlockName(function, block).to_string(),
            None if self.placement.is_by_table(target) => format!("{}@PLT", self.name(symbol)),
            None => self.name(symbol).to_string(),
        })
    }

    /// Writes the constants of all functions.
    pub(super) fn add_constants(&mut self) {
        let constants = std::mem::take(&mut self.constants);
        for (number, constant) in constants.entries().enumerate() {
            let section = ConstantPool::section(constant, &mut self.placement.sections);
            self.switch_to(section);
            let align_log2 = constant.align_log2(self.target.desc());
            self.line(format_args!(".p2align\t{align_log2}"));
            writeln!(self.text, "{CONSTANT_PREFIX}{number}:").expect("strings can be written");
            let bytes = &constant.bytes[..usize::from(constant.len)];
            self.line(format_args!(".ascii\t{}", syntax::Quoted(bytes)));
        }
    }

    /// Writes the array of constructors or destructors.
    pub(super) fn add_init_entries(&mut self, constructors: bool) {
        let bytes = self.target.desc().pointer_bytes;
        let directive = if bytes == 8 { ".quad" } else { ".long" };
        for place in self.placement.init_entries(constructors) {
            self.switch_to(place.section);
            self.mark_used(place.entry.function);
            let name = self.name(place.entry.function);
            self.line(format_args!(".p2align\t{}", bytes.trailing_zeros()));
            self.line(format_args!("{directive}\t{name}"));
        }
    }
}
