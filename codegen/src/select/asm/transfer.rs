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

/// Whether a register of a class holds a value as values are kept anyway.
pub(super) fn is_kept_alike(parts: Parts, class: RegClass) -> bool {
    parts.class() == class && parts.count == 1
}

/// Bytes of one register with the whole value.
pub(super) fn whole_bytes(parts: Parts) -> u8 {
    parts.slot_bytes() as u8
}

fn class_of(reg: Reg) -> RegClass {
    [RegClass::Int, RegClass::Float][reg.bank()]
}

impl<I: Isa> SelectCtx<'_, I> {
    /// The value of an operand in a new place of the frame.
    pub(super) fn in_frame(&mut self, operand: Operand, parts: Parts) -> Mem {
        let mem = self.place_in_frame(parts);
        for part in 0..parts.count {
            let src = self.operand_reg(operand, part);
            let place = mem.offset(parts.offset(part)).unwrap_or(mem);
            self.put(self.base.isa.spill(parts.class(), parts.bytes.max(4), src, place));
        }
        mem
    }

    /// A new place of the frame for a value.
    pub(super) fn place_in_frame(&mut self, parts: Parts) -> Mem {
        let bytes = u64::from(parts.slot_bytes()).max(8);
        let offset = self.mfunc.frame.areas.allocate(bytes, 16);
        self.frame_mem(offset)
    }

    /// An input in a register of a class.
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

    /// An input in a certain register of the other class.
    pub(super) fn give_other(&mut self, operand: Operand, reg: Reg, parts: Parts) {
        let mem = self.in_frame(operand, parts);
        self.put(self.base.isa.reload(class_of(reg), whole_bytes(parts), reg, mem));
    }

    /// An output in a register of a class in which it is not kept.
    pub(super) fn take_other(&mut self, value: Value, reg: Reg, class: RegClass, parts: Parts) {
        let mem = self.place_in_frame(parts);
        self.put(self.base.isa.spill(class, whole_bytes(parts), reg, mem));
        for part in 0..parts.count {
            let dst = self.vreg(value, part);
            let place = mem.offset(parts.offset(part)).unwrap_or(mem);
            self.put(self.base.isa.reload(parts.class(), parts.bytes.max(4), dst, place));
        }
    }

    /// Puts an input into the memory of the output that it is tied to.
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
