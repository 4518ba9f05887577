//! Two-operand integer instructions, whatever their second operand is.

use crate::build::*;
use crate::table::Op;
use frazil_codegen::{ImmKind, LowerCtx, Reg, Src};
use frazil_ir::Opcode;

/// The immediates of most instructions.
pub(crate) const IMM32: ImmKind = ImmKind::Signed(32);

/// The register, memory and immediate rows of an operation.
#[derive(Clone, Copy)]
pub(crate) struct Alu {
    pub rr: Op,
    pub rm: Op,
    pub ri: Op,
}

/// The rows of a two-operand operation.
pub(crate) fn alu(op: Opcode) -> Alu {
    match op {
        Opcode::Add => Alu {
            rr: Op::AddRR,
            rm: Op::AddRM,
            ri: Op::AddRI,
        },
        Opcode::Sub => Alu {
            rr: Op::SubRR,
            rm: Op::SubRM,
            ri: Op::SubRI,
        },
        Opcode::And => Alu {
            rr: Op::AndRR,
            rm: Op::AndRM,
            ri: Op::AndRI,
        },
        Opcode::Or => Alu {
            rr: Op::OrRR,
            rm: Op::OrRM,
            ri: Op::OrRI,
        },
        _ => Alu {
            rr: Op::XorRR,
            rm: Op::XorRM,
            ri: Op::XorRI,
        },
    }
}

/// Emits an operation on a register and whatever the other operand is.
#[inline]
pub(crate) fn apply<C: LowerCtx>(cx: &mut C, alu: Alu, size: u8, dst: Reg, src: Src) {
    cx.emit(match src {
        Src::Reg(src) => rr(alu.rr, size, dst, src),
        Src::Mem(mem) => rm(alu.rm, size, dst, mem),
        Src::Imm(imm) => ri(alu.ri, size, dst, imm),
    });
}
