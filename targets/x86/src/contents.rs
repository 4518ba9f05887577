//! What single instructions leave in a register, for debuggers: moves, constants, addresses and loads.
//!
//! An operation of four bytes clears the upper half of a register, one of one or two bytes leaves the rest as it was
//! and is not described. A plain move of four bytes is one of a value of four bytes, above which nobody looks (contract
//! 1), so it is described as a move of the register; extensions have rows of their own.

use crate::table::Op;
use frazil_codegen::pass::Contents;
use frazil_codegen::{MInst, Reg};

/// See [`frazil_codegen::pass::MachRules::contents`].
pub(crate) fn contents(inst: &MInst) -> Option<Contents> {
    let op = Op::ALL.get(usize::from(inst.op)).copied()?;
    // Debug information has no operation for the distance of a symbol from the global offset table.
    if inst.is_based() {
        return None;
    }
    let source = inst.reg(1);
    let low = |bits| Contents::Sum(source, 0, bits);
    Some(match op {
        Op::MovRR if inst.size >= 4 => low(64),
        Op::MovzxLRR => low(32),
        Op::MovzxWRR if inst.size >= 4 => low(16),
        Op::MovzxBRR if inst.size >= 4 => low(8),
        Op::ZeroR if inst.size >= 4 => Contents::Constant(0),
        Op::MovRI if inst.size == 8 => Contents::Constant(inst.imm.into()),
        Op::MovRI if inst.size == 4 => Contents::Constant(inst.imm.cast_unsigned().into()),
        Op::MovabsRI => Contents::Constant(i64::from(inst.disp) << 32 | i64::from(inst.imm.cast_unsigned())),
        Op::LeaRM if inst.mem().index_reg().is_none() => match source {
            Reg::FRAME | Reg::SYMBOL if inst.size == 8 => Contents::Address(inst.mem()),
            source if source.is_physical() => Contents::Sum(source, inst.disp.into(), inst.size * 8),
            _ => return None,
        },
        Op::MovRM if inst.size >= 4 => Contents::Loaded(inst.mem(), inst.size * 8),
        Op::MovzxLRM => Contents::Loaded(inst.mem(), 32),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{mov_imm64, r, ri, rm, rr};
    use crate::regs::{RAX, RCX};
    use frazil_codegen::Mem;

    #[test]
    fn whole_registers_are_described() {
        for value in [0, -1, 1 << 31, i64::from(u32::MAX), i64::MIN + 5] {
            assert_eq!(contents(&mov_imm64(RAX, value)), Some(Contents::Constant(value)));
        }
        assert_eq!(
            contents(&ri(Op::MovRI, 4, RAX, -1)),
            Some(Contents::Constant(0xffff_ffff))
        );
        assert_eq!(contents(&r(Op::ZeroR, 4, RAX)), Some(Contents::Constant(0)));
        assert_eq!(
            contents(&rr(Op::MovzxLRR, 4, RAX, RCX)),
            Some(Contents::Sum(RCX, 0, 32))
        );
        let address = rm(Op::LeaRM, 4, RAX, Mem::base(RCX, -8));
        assert_eq!(contents(&address), Some(Contents::Sum(RCX, -8, 32)));
    }

    #[test]
    fn parts_of_registers_are_not() {
        for size in [1, 2] {
            assert_eq!(contents(&rr(Op::MovRR, size, RAX, RCX)), None);
            assert_eq!(contents(&rm(Op::MovRM, size, RAX, Mem::base(Reg::FRAME, 0))), None);
        }
        assert_eq!(contents(&rm(Op::LeaRM, 8, RAX, Mem::indexed(RCX, RAX, 1, 0))), None);
    }
}
