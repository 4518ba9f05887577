//! Loads whose lanes are only extended, to more values than they are themselves.
//!
//! ```text
//! v1 = load <16 x i8> p
//! v2 = zext <16 x i32> v1
//! ```
//! where registers have 32 bytes, becomes
//! ```text
//! v3 = load <8 x i8> p
//! v4 = load <8 x i8> p + 8
//! v5 = zext <8 x i32> v3
//! v6 = zext <8 x i32> v4
//! ```
//! since targets that extend what they load ([`Isa::has_extending_loads`]) would have to take the vector apart
//! otherwise.
//!
//! Method: a load is done piece by piece where it stands, so that it keeps its order among other accesses. Its value is
//! known by its pieces, which is enough for the one extension that reads it; what looks through that puts them
//! together.
//!
//! [`Isa::has_extending_loads`]: crate::isa::Isa::has_extending_loads

use super::layout::Layout;
use super::rebuild::{Rebuild, Source};
use crate::error::CodegenError;
use frazil_ir::{Function, Inst, InstData, MemFlags, Opcode, Operand, Value};

/// Whether an operation may have its operand in memory on targets that extend what they load.
pub(super) fn is_extension(op: Opcode) -> bool {
    matches!(op, Opcode::Zext | Opcode::Sext | Opcode::Sitofp | Opcode::Uitofp)
}

/// The load that an instruction extends the lanes of, if nothing else reads it.
pub(super) fn extended(function: &Function, data: &InstData) -> Option<Inst> {
    if !is_extension(data.op) {
        return None;
    }
    let value = data.a.as_value()?;
    let inst = function.def_inst(value)?;
    let load = function.inst(inst);
    let is_plain = load.op == Opcode::Load && !MemFlags(load.flags).is_volatile();
    (is_plain && function.use_count(value) == 1).then_some(inst)
}

impl Rebuild<'_> {
    /// How many lanes at a time a load gives to the instruction that extends them, if these are fewer than it loads at
    /// once.
    pub fn piece_of(&self, load: &InstData, extension: &InstData) -> Option<u32> {
        let (from, to) = (self.layouts.get(load.ty), self.layouts.get(extension.ty));
        let is_cut = !to.is_scalarised() && to.chunk < from.chunk && from.lanes.is_multiple_of(to.chunk);
        let bits = self.old.types().bits(from.element, self.pointer_bits);
        (is_cut && from.is_whole() && bits.is_multiple_of(8)).then_some(to.chunk)
    }

    /// Does a load in pieces of so many lanes.
    ///
    /// # Errors
    /// As [`Rebuild::define`].
    pub fn load_pieces(&mut self, data: &InstData, lanes: u32) -> Result<(), CodegenError> {
        let address = self.single(data.a)?;
        let layout = Layout {
            chunk: lanes,
            ..self.layouts.get(data.ty)
        };
        let span = self.load_from(layout, address, data.flags)?;
        let result = data.first_result().expect("it has a result");
        self.pieces.insert(result, Source { span, layout });
        Ok(())
    }

    /// The pieces in which an operand was loaded.
    pub fn pieces_of(&self, operand: Operand) -> Option<Source> {
        let value: Value = operand.as_value()?;
        self.pieces.get(&value).copied()
    }
}
