//! Short constructors of machine instructions, by their shapes.
//!
//! What the fields of an instruction mean is said by its row ([`crate::ops`]). Immediates of 64 bits are in `disp`
//! (upper half) and `imm` (lower half).

use crate::cond::Cond;
use crate::expand::extension;
use crate::table::Op;
use frazil_codegen::{Label, MInst, Mem, Ref, Reg};

/// No operands.
#[inline]
pub fn none(op: Op) -> MInst {
    MInst::new(op as u16, 8)
}

/// An immediate alone.
#[inline]
pub fn i(op: Op, imm: i32) -> MInst {
    none(op).with_imm(imm)
}

/// An instruction of one register operand.
#[inline]
pub fn r(op: Op, size: u8, reg: Reg) -> MInst {
    rrr(op, size, reg, Reg::NONE, Reg::NONE)
}

/// Destination and source, or two sources.
#[inline]
pub fn rr(op: Op, size: u8, a: Reg, b: Reg) -> MInst {
    rrr(op, size, a, b, Reg::NONE)
}

/// Destination and two sources.
#[inline]
pub fn rrr(op: Op, size: u8, dst: Reg, a: Reg, b: Reg) -> MInst {
    MInst::new(op as u16, size).with_regs([dst, a, b])
}

/// One register and an immediate.
#[inline]
pub fn ri(op: Op, size: u8, reg: Reg, imm: i32) -> MInst {
    r(op, size, reg).with_imm(imm)
}

/// Destination, source, immediate.
#[inline]
pub fn rri(op: Op, size: u8, dst: Reg, src: Reg, imm: i32) -> MInst {
    rr(op, size, dst, src).with_imm(imm)
}

/// The same instruction with an immediate of 64 bits.
#[inline]
pub fn with_wide(mut inst: MInst, imm: u64) -> MInst {
    inst.imm = (imm as u32).cast_signed();
    inst.disp = ((imm >> 32) as u32).cast_signed();
    inst
}

/// Destination, source, and a mask of ones that the encoding has ([`crate::immediates::logical`]).
#[inline]
pub fn logical(op: Op, size: u8, dst: Reg, src: Reg, mask: u64) -> MInst {
    with_wide(rr(op, size, dst, src), mask)
}

/// A constant in an integer register.
#[inline]
pub fn mov_imm(size: u8, dst: Reg, value: i64) -> MInst {
    let value = value.cast_unsigned();
    let value = if size == 8 { value } else { value & 0xffff_ffff };
    with_wide(r(Op::MovImm, size, dst), value)
}

/// How the second source of an instruction is shifted before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Shift {
    Lsl = 0,
    Lsr = 1,
    Asr = 2,
}

/// Destination, source, and a second source that is shifted by a constant.
#[inline]
pub fn shifted(op: Op, size: u8, (dst, a, b): (Reg, Reg, Reg), shift: Shift, amount: u32) -> MInst {
    rrr(op, size, dst, a, b).with_imm((amount | (shift as u32) << 6).cast_signed())
}

/// The sum of an address and an index of 32 bits, which is extended and multiplied by a power of two up to 16.
#[inline]
pub fn extended_sum(dst: Reg, base: Reg, (index, is_signed): (Reg, bool), scale: u16) -> MInst {
    let extend = if is_signed { extension::SXTW } else { extension::UXTW };
    rrr(Op::AddExt, 8, dst, base, index).with_imm((extend << 3 | scale.trailing_zeros()).cast_signed())
}

/// A field of a register: `ubfm`, `sbfm` or `bfm` with these numbers (Arm ARM, C6.2).
#[inline]
pub fn bitfield(op: Op, size: u8, dst: Reg, src: Reg, rotation: u32, last: u32) -> MInst {
    let mut inst = rri(op, size, dst, src, rotation.cast_signed());
    inst.disp = last.cast_signed();
    inst
}

/// Shifts to the left by a constant below the operation's width.
#[inline]
pub fn shl(size: u8, dst: Reg, src: Reg, amount: u32) -> MInst {
    rri(Op::LslI, size, dst, src, amount.cast_signed())
}

/// Shifts to the right by a constant below the operation's width.
#[inline]
pub fn shr(signed: bool, size: u8, dst: Reg, src: Reg, amount: u32) -> MInst {
    rri(
        if signed { Op::AsrI } else { Op::LsrI },
        size,
        dst,
        src,
        amount.cast_signed(),
    )
}

/// A load, store or another instruction of one register and memory.
#[inline]
pub fn rm(op: Op, size: u8, reg: Reg, mem: Mem) -> MInst {
    r(op, size, reg).with_mem(mem)
}

/// The address that a memory operand has.
#[inline]
pub fn address(dst: Reg, mem: Mem) -> MInst {
    rm(Op::Address, 8, dst, mem)
}

/// What a row makes of a symbol or label.
#[inline]
pub fn reference(op: Op, dst: Reg, reference: Ref, addend: i32) -> MInst {
    rm(op, 8, dst, Mem::symbol(reference, addend))
}

/// An instruction that reads the flags by a condition.
#[inline]
pub fn conditional(op: Op, size: u8, regs: [Reg; 3], cond: Cond) -> MInst {
    MInst::new(op as u16, size).with_regs(regs).with_condition(cond as u8)
}

/// The first source if the condition holds, else the second.
#[inline]
pub fn csel(size: u8, dst: Reg, then: Reg, otherwise: Reg, cond: Cond) -> MInst {
    conditional(Op::Csel, size, [dst, then, otherwise], cond)
}

/// 1 if the condition holds, else 0.
#[inline]
pub fn cset(dst: Reg, cond: Cond) -> MInst {
    conditional(Op::Cset, 4, [dst, Reg::NONE, Reg::NONE], cond)
}

/// A branch on the flags.
#[inline]
pub fn branch_if(cond: Cond, label: Label) -> MInst {
    none(Op::Bcond).with_label(label).with_condition(cond as u8)
}

/// A branch on whether a register is zero.
#[inline]
pub fn branch_if_zero(is_zero: bool, size: u8, reg: Reg, label: Label) -> MInst {
    r(if is_zero { Op::Cbz } else { Op::Cbnz }, size, reg).with_label(label)
}

/// A branch on one bit of a register.
#[inline]
pub fn branch_on_bit(is_set: bool, reg: Reg, bit: u32, label: Label) -> MInst {
    let mut inst = r(if is_set { Op::Tbnz } else { Op::Tbz }, 8, reg).with_label(label);
    inst.disp = bit.cast_signed();
    inst
}

/// An unconditional branch.
#[inline]
pub fn jump(label: Label) -> MInst {
    none(Op::B).with_label(label)
}

/// A call or jump to what a reference names.
#[inline]
pub fn branch_ref(op: Op, reference: Ref) -> MInst {
    none(op).with_mem(Mem::symbol(reference, 0))
}
