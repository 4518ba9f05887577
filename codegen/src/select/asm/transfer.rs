//! Operands that a constraint wants in another register class or in memory: their values are transferred through the
//! frame.

use super::{Pending, SelectCtx};
use crate::context::Context;
use crate::error::CodegenError;
use crate::inline_asm::wrong;
use crate::isa::Isa;
use crate::minst::Mem;
use crate::parts::Parts;
use crate::reg::{Reg, RegClass};
use frazil_ir::{Operand, Type, Value};

/// Whether a value is kept in a single register of this class anyway, so that no transfer is needed.
pub(super) fn is_kept_alike(parts: Parts, class: RegClass) -> bool {
    parts.class() == class && parts.count == 1
}

/// The size in bytes of a register that holds all parts of the value.
pub(super) fn whole_bytes(parts: Parts) -> u8 {
    parts.slot_bytes() as u8
}

fn class_of(reg: Reg) -> RegClass {
    [RegClass::Int, RegClass::Float][reg.bank()]
}

impl<I: Isa> SelectCtx<'_, I> {
    /// Stores the value of an operand in a new area of the frame.
    pub(super) fn in_frame(&mut self, operand: Operand, parts: Parts) -> Mem {
        let mem = self.place_in_frame(parts);
        for part in 0..parts.count {
            let src = self.operand_reg(operand, part);
            let place = mem.offset(parts.offset(part)).unwrap_or(mem);
            self.put(self.base.isa.spill(parts.class(), parts.bytes.max(4), src, place));
        }
        mem
    }

    /// A new area of the frame, large enough for a value and for a register of 8 bytes.
    pub(super) fn place_in_frame(&mut self, parts: Parts) -> Mem {
        let bytes = u64::from(parts.slot_bytes()).max(8);
        let offset = self.mfunc.frame.areas.allocate(bytes, 16);
        self.frame_mem(offset)
    }

    /// An input in a virtual register of a class; transferred through the frame if its value is kept otherwise.
    pub(super) fn input(&mut self, operand: Operand, parts: Parts, class: RegClass) -> Reg {
        if is_kept_alike(parts, class) {
            return self.operand_reg(operand, 0);
        }
        let bytes = whole_bytes(parts);
        let reg = self.fresh_vreg(class, bytes);
        let mem = self.in_frame(operand, parts);
        self.put(self.base.isa.reload(class, bytes, reg, mem));
        reg
    }

    /// Loads an input into a fixed register of the other class.
    pub(super) fn give_other(&mut self, operand: Operand, reg: Reg, parts: Parts) {
        let mem = self.in_frame(operand, parts);
        self.put(self.base.isa.reload(class_of(reg), whole_bytes(parts), reg, mem));
    }

    /// Copies an output from a register of a class in which its value is not kept.
    pub(super) fn take_other(&mut self, value: Value, reg: Reg, class: RegClass, parts: Parts) {
        let mem = self.place_in_frame(parts);
        self.put(self.base.isa.spill(class, whole_bytes(parts), reg, mem));
        for part in 0..parts.count {
            let dst = self.vreg(value, part);
            let place = mem.offset(parts.offset(part)).unwrap_or(mem);
            self.put(self.base.isa.reload(parts.class(), parts.bytes.max(4), dst, place));
        }
    }

    /// Stores an input to the memory of the output that it is tied to.
    pub(super) fn store_tied(&mut self, one: &Pending, mem: Mem) -> Result<(), CodegenError> {
        let bits = self.base.function.types().int_bits(one.ty);
        let is_whole = bits == Some(8 * u32::from(one.parts.bytes));
        if !(is_whole || matches!(one.ty, Type::PTR | Type::F32 | Type::F64)) || one.parts.count > 1 {
            return Err(wrong("an operand of this type that is tied to memory"));
        }
        let operand = one.argument.ok_or_else(|| wrong("an operand without value"))?;
        self.base.imm_bytes = one.parts.bytes.max(4);
        let src = self.operand_reg(operand, 0);
        self.put(self.base.isa.spill(one.parts.class(), one.parts.bytes, src, mem));
        Ok(())
    }
}
