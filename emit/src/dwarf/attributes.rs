//! Attributes that many entries have.

use super::DebugWriter;
use super::output::{EntryId, Unit, Value};
use frazil_ir::debug::kind::{LexicalBlock, LexicalBlockFile, Subprogram};
use frazil_ir::debug::{Kind, NodeRef};
use gimli::constants as dw;

/// Bits of `flags` (`llvm/IR/DebugInfoFlags.def`).
pub(super) mod flag {
    pub const ACCESS: u64 = 3;
    pub const DECLARATION: u64 = 1 << 2;
    pub const VIRTUAL: u64 = 1 << 5;
    pub const ARTIFICIAL: u64 = 1 << 6;
    pub const EXPLICIT: u64 = 1 << 7;
    pub const PROTOTYPED: u64 = 1 << 8;
    pub const OBJECT_POINTER: u64 = 1 << 10;
    pub const VECTOR: u64 = 1 << 11;
    pub const STATIC_MEMBER: u64 = 1 << 12;
    pub const LVALUE_REFERENCE: u64 = 1 << 13;
    pub const RVALUE_REFERENCE: u64 = 1 << 14;
    pub const EXPORT_SYMBOLS: u64 = 1 << 15;
    pub const BIT_FIELD: u64 = 1 << 19;
    pub const NO_RETURN: u64 = 1 << 20;
    pub const PASSED_BY_VALUE: u64 = 1 << 22;
    pub const PASSED_BY_REFERENCE: u64 = 1 << 23;
    pub const ENUM_CLASS: u64 = 1 << 24;
}

impl DebugWriter<'_> {
    pub(super) fn unit(&mut self, unit: usize) -> &mut Unit {
        let number = self.units.get(unit).number;
        &mut self.dwarf.units[number]
    }

    pub(super) fn set(&mut self, unit: usize, entry: EntryId, name: dw::DwAt, value: Value) {
        self.unit(unit).set(entry, name, value);
    }

    pub(super) fn set_flag(&mut self, unit: usize, entry: EntryId, name: dw::DwAt, is_set: bool) {
        if is_set {
            self.set(unit, entry, name, Value::Present);
        }
    }

    /// A text, if there is one.
    pub(super) fn set_text(&mut self, unit: usize, entry: EntryId, name: dw::DwAt, text: NodeRef) {
        let text = self.graph.text(text);
        if !text.is_empty() {
            let text = self.dwarf.strings.add(text);
            self.set(unit, entry, name, Value::Text(text));
        }
    }

    pub(super) fn set_name(&mut self, unit: usize, entry: EntryId, text: NodeRef) {
        self.set_text(unit, entry, dw::DW_AT_name, text);
    }

    /// Where an entry is declared, if that is known.
    pub(super) fn set_source(&mut self, unit: usize, entry: EntryId, file: NodeRef, line: u64) {
        if line == 0 {
            return;
        }
        if let Some(file) = self.file(unit, file) {
            self.set(unit, entry, dw::DW_AT_decl_file, Value::File(file));
            self.set(unit, entry, dw::DW_AT_decl_line, Value::Unsigned(line));
        }
    }

    /// The type of an entry; none for `void`.
    pub(super) fn set_type(&mut self, unit: usize, entry: EntryId, ty: NodeRef) {
        let is_type = matches!(
            self.graph.kind_at(ty),
            Some(Kind::BasicType | Kind::DerivedType | Kind::CompositeType | Kind::SubroutineType)
        );
        if let Some(ty) = self.entry(unit, ty).filter(|_| is_type) {
            self.set(unit, entry, dw::DW_AT_type, Value::Entry(ty));
        }
    }

    /// An alignment in bits that the program asks for, if it does.
    pub(super) fn set_alignment(&mut self, unit: usize, entry: EntryId, bits: u64) {
        if bits >= 8 {
            self.set(unit, entry, dw::DW_AT_alignment, Value::Unsigned(bits / 8));
        }
    }

    /// A size in bits, in bytes that hold it.
    pub(super) fn set_size(&mut self, unit: usize, entry: EntryId, bits: u64) {
        self.set(unit, entry, dw::DW_AT_byte_size, Value::Unsigned(bits.div_ceil(8)));
    }

    /// Who may use it, and whether the compiler has made it.
    pub(super) fn set_common_flags(&mut self, unit: usize, entry: EntryId, flags: u64) {
        let access = match flags & flag::ACCESS {
            1 => Some(dw::DW_ACCESS_private),
            2 => Some(dw::DW_ACCESS_protected),
            3 => Some(dw::DW_ACCESS_public),
            _ => None,
        };
        if let Some(access) = access {
            self.set(unit, entry, dw::DW_AT_accessibility, Value::Byte(access.0));
        }
        self.set_flag(unit, entry, dw::DW_AT_artificial, flags & flag::ARTIFICIAL != 0);
    }

    /// The source file of a scope.
    pub(super) fn file_of(&self, scope: NodeRef) -> NodeRef {
        let graph = &self.graph;
        let file = graph.at::<LexicalBlockFile>(scope).map(|entry| entry.file);
        let file = file.or_else(|| graph.at::<LexicalBlock>(scope).map(|entry| entry.file));
        let file = file.or_else(|| graph.at::<Subprogram>(scope).map(|entry| entry.file));
        file.unwrap_or_default()
    }
}
