//! The section `.debug_frame` (DWARF 5, section 6.4.1): how callers' frames are found from functions that have no
//! unwind table.
//!
//! As LLVM has it, all functions of a module with debug information are in one table or the other. Here each is in one
//! of them, so that unwind tables do not depend on debug information; with [`DebugOptions::all_frames`], all functions
//! are in this one, too, and in modules without debug information as well.

use super::output::{Bytes, Field, Place, Target};
use super::{CodePlace, DebugOptions, DebugWriter};
use crate::cfi::FrameTable;
use frazil_codegen::{CompiledFunction, TargetDesc};

/// The section while it grows.
#[derive(Debug)]
pub(super) struct Frames {
    table: FrameTable,
    /// Its fields that linkers fill in.
    fields: Bytes,
    target: &'static TargetDesc,
    has_all: bool,
    is_empty: bool,
}

impl Frames {
    /// An empty one, in the form of a version of DWARF.
    pub(super) fn new(target: &'static TargetDesc, version: u16, options: &DebugOptions) -> Frames {
        // Versions of the table's own (DWARF 5, section 7.24, and before).
        let version = match version {
            ..3 => 1,
            3 => 3,
            _ => 4,
        };
        Frames {
            table: FrameTable::for_debuggers(target, version),
            fields: Bytes::default(),
            target,
            has_all: options.all_frames,
            is_empty: true,
        }
    }

    /// Adds a function, unless an unwind table has it.
    pub(super) fn add(&mut self, place: CodePlace, code: &CompiledFunction) {
        if place.has_frame_table && !self.has_all {
            return;
        }
        self.is_empty = false;
        let entry = self.table.add_for_debuggers(code.len() as u32, &code.unwind);
        let (field, common_entry) = entry.common;
        let common = Target::Section(Place::Frames);
        self.put_field(field, 4, common, common_entry.into());
        let function = Target::Address(DebugWriter::address(place.symbol, 0));
        self.put_field(entry.code, self.target.pointer_bytes, function, 0);
    }

    /// The contents of the section, empty without functions.
    pub(super) fn finish(self) -> Bytes {
        if self.is_empty {
            return Bytes::default();
        }
        let mut out = self.fields;
        out.bytes = self.table.finish(usize::from(self.target.pointer_bytes));
        out
    }

    fn put_field(&mut self, offset: u64, bytes: u8, target: Target, addend: i64) {
        self.fields.fields.push(Field {
            offset,
            bytes,
            target,
            addend,
        });
    }
}
