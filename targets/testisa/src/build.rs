//! Short constructors of machine instructions.

use crate::ops::Op;
use frazil_codegen::{Label, MInst, Mem, Ref, Reg};

/// No operands.
pub fn none(op: Op) -> MInst {
    MInst::new(op as u16, 4)
}

/// Destination and two sources, of a width.
pub fn rrr_sized(op: Op, bytes: u8, dst: Reg, a: Reg, b: Reg) -> MInst {
    MInst::new(op as u16, bytes).with_regs([dst, a, b])
}

/// Destination and two sources.
pub fn rrr(op: Op, dst: Reg, a: Reg, b: Reg) -> MInst {
    rrr_sized(op, 4, dst, a, b)
}

/// Destination and source, of a width.
pub fn rr_sized(op: Op, bytes: u8, dst: Reg, src: Reg) -> MInst {
    rrr_sized(op, bytes, dst, src, Reg::NONE)
}

/// Destination and source.
pub fn rr(op: Op, dst: Reg, src: Reg) -> MInst {
    rr_sized(op, 4, dst, src)
}

/// Destination, source, immediate. Only `addi` takes one of more than 13 bits.
pub fn rri(op: Op, dst: Reg, src: Reg, imm: i32) -> MInst {
    rr(op, dst, src).with_imm(imm)
}

/// A constant in a register.
pub fn li(dst: Reg, imm: i32) -> MInst {
    rr(Op::Li, dst, Reg::NONE).with_imm(imm)
}

/// A load, store, or another instruction with a register and memory.
pub fn rm(op: Op, bytes: u8, reg: Reg, mem: Mem) -> MInst {
    MInst::new(op as u16, bytes)
        .with_regs([reg, Reg::NONE, Reg::NONE])
        .with_mem(mem)
}

/// The address of what a reference names.
pub fn la(dst: Reg, reference: Ref, addend: i32) -> MInst {
    rm(Op::La, 4, dst, Mem::symbol(reference, addend))
}

/// The address of a label.
pub fn ll(dst: Reg, label: Label) -> MInst {
    rr(Op::Ll, dst, Reg::NONE).with_label(label)
}

/// A conditional branch.
pub fn branch(op: Op, a: Reg, b: Reg, label: Label) -> MInst {
    rrr(op, a, b, Reg::NONE).with_label(label)
}

/// An unconditional jump.
pub fn jump(label: Label) -> MInst {
    none(Op::J).with_label(label)
}

/// A jump or call to an address in a register.
pub fn reg(op: Op, reg: Reg) -> MInst {
    rr(op, reg, Reg::NONE)
}

/// The load of an integer of 1, 2 or 4 bytes, zero-extended.
pub fn load_op(bytes: u32) -> Op {
    match bytes {
        1 => Op::Lb,
        2 => Op::Lh,
        _ => Op::Lw,
    }
}

/// The store of an integer of 1, 2 or 4 bytes.
pub fn store_op(bytes: u32) -> Op {
    match bytes {
        1 => Op::Sb,
        2 => Op::Sh,
        _ => Op::Sw,
    }
}
