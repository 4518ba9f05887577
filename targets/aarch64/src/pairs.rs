//! Two loads or two stores side by side as one instruction, and an access with what moves its base.
//!
//! Accesses have the same base and no index, and they follow each other, so that nothing changes but that they are one
//! access of the processor's; those that must not be ([`EXACT`]) are left alone.

use crate::expand::is_pair_address;
use crate::ops::aux::EXACT;
use crate::regs::{SP, XZR};
use crate::table::{Op, ROWS};
use frazil_codegen::{MInst, Reg};

/// The row and size of a pair of accesses.
fn row(inst: &MInst) -> Option<(Op, u8)> {
    Some(match (Op::ALL.get(usize::from(inst.op))?, inst.size) {
        (Op::Ldr, size @ (4 | 8)) => (Op::Ldp, size),
        (Op::LdrUw, _) => (Op::Ldp, 4),
        (Op::LdrSw, _) => (Op::Ldpsw, 8),
        (Op::Str, size @ (4 | 8)) => (Op::Stp, size),
        (Op::LdrF, size @ (4 | 8 | 16)) => (Op::LdpF, size),
        (Op::StrF, size @ (4 | 8 | 16)) => (Op::StpF, size),
        _ => return None,
    })
}

/// The instruction that two which follow each other are, if they are one.
#[inline]
pub fn paired(first: &MInst, second: &MInst) -> Option<MInst> {
    let is_sum = |inst: &MInst| inst.op == Op::AddI as u16 || inst.op == Op::SubI as u16;
    if is_sum(second) {
        return moved(first, second, false);
    }
    if is_sum(first) {
        return moved(second, first, true);
    }
    side_by_side(first, second)
}

/// The rows of an access that moves its base before and after, and the size.
fn moving_rows(inst: &MInst) -> Option<(Op, Op, u8)> {
    Some(match (Op::ALL.get(usize::from(inst.op))?, inst.size) {
        (Op::Ldr, size) => (Op::LdrPre, Op::LdrPost, size),
        (Op::LdrUb, _) => (Op::LdrPre, Op::LdrPost, 1),
        (Op::LdrUh, _) => (Op::LdrPre, Op::LdrPost, 2),
        (Op::LdrUw, _) => (Op::LdrPre, Op::LdrPost, 4),
        (Op::Str, size) => (Op::StrPre, Op::StrPost, size),
        (Op::LdrF, size) => (Op::LdrFPre, Op::LdrFPost, size),
        (Op::StrF, size) => (Op::StrFPre, Op::StrFPost, size),
        _ => return None,
    })
}

/// Whether an access has no index, refers to no symbol, and may be done together with another one.
fn is_plain(inst: &MInst) -> bool {
    let base = inst.reg(1);
    inst.aux == 0 && inst.reg(2).is_none() && !inst.is_symbol() && (base.is_physical() || base == Reg::FRAME)
}

/// An access and the sum beside it that moves its base: by a number, to the place that is accessed, or from there.
fn moved(access: &MInst, sum: &MInst, sum_comes_first: bool) -> Option<MInst> {
    let (before, after, size) = moving_rows(access)?;
    let base = access.reg(1);
    let is_of_base = sum.size == 8 && sum.reg(0) == base && sum.reg(1) == base;
    let is_plain = access.aux & !EXACT == 0 && access.reg(2).is_none() && !access.is_symbol();
    // The stack pointer's way is described to unwinders.
    if !is_of_base || !is_plain || !base.is_physical() || base == SP || access.reg(0) == base {
        return None;
    }
    let distance = if sum.op == Op::SubI as u16 { -sum.imm } else { sum.imm };
    // From where the base is before both.
    let disp = if sum_comes_first {
        access.disp.checked_add(distance)?
    } else {
        access.disp
    };
    let row = match disp {
        0 => after,
        disp if disp == distance => before,
        _ => return None,
    };
    let is_near = (-256..256).contains(&distance);
    is_near.then(|| {
        MInst::new(row as u16, size)
            .with_regs([access.reg(0), base, Reg::NONE])
            .with_imm(distance)
    })
}

/// The pair that two accesses are.
fn side_by_side(first: &MInst, second: &MInst) -> Option<MInst> {
    let (row, size) = row(first)?;
    let base = first.reg(1);
    if second.reg(1) != base || self::row(second)? != (row, size) {
        return None;
    }
    if !is_plain(first) || !is_plain(second) {
        return None;
    }
    let bytes = ROWS[row as usize].code.access_bytes(size);
    let (low, high) = match first.disp < second.disp {
        true => (first, second),
        false => (second, first),
    };
    if low.disp.checked_add(bytes.into()) != Some(high.disp) || !is_pair_address(low.disp, bytes) && base != Reg::FRAME
    {
        return None;
    }
    // What the first one loads may be neither the address of the second one nor lost.
    let is_load = matches!(row, Op::Ldp | Op::Ldpsw | Op::LdpF);
    let loaded = first.reg(0);
    if is_load && (loaded == base || loaded == second.reg(0) || loaded == XZR || second.reg(0) == XZR) {
        return None;
    }
    let mut pair = MInst::new(row as u16, size).with_regs([low.reg(0), base, high.reg(0)]);
    pair.disp = low.disp;
    Some(pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::rm;
    use crate::build::rri;
    use crate::regs::x;
    use frazil_codegen::Mem;

    fn load(reg: Reg, base: Reg, disp: i32) -> MInst {
        rm(Op::Ldr, 8, reg, Mem::base(base, disp))
    }

    #[test]
    fn accesses_side_by_side_are_pairs() {
        let found = |first, second| paired(&first, &second).map(|pair| (pair.regs(), pair.disp));
        let both = Some(([x(1), x(0), x(2)], 8));
        assert_eq!(found(load(x(1), x(0), 8), load(x(2), x(0), 16)), both);
        assert_eq!(found(load(x(2), x(0), 16), load(x(1), x(0), 8)), both);
        // The second one may overwrite the base, the first one not.
        assert!(found(load(x(1), x(0), 8), load(x(0), x(0), 16)).is_some());
        assert_eq!(found(load(x(0), x(0), 8), load(x(1), x(0), 16)), None);
        assert_eq!(found(load(x(1), x(0), 8), load(x(1), x(0), 16)), None);
        assert_eq!(found(load(x(1), x(0), 8), load(x(2), x(0), 24)), None);
        assert_eq!(found(load(x(1), x(0), 4), load(x(2), x(0), 12)), None);
        assert_eq!(
            found(load(x(1), SP, 504), load(x(2), SP, 512)).map(|found| found.1),
            Some(504)
        );
        assert_eq!(found(load(x(1), SP, 512), load(x(2), SP, 520)), None);
        let exact = load(x(1), x(0), 8).with_aux(EXACT);
        assert_eq!(found(exact, load(x(2), x(0), 16)), None);
        let store = rm(Op::Str, 8, XZR, Mem::base(x(0), 0));
        let next = rm(Op::Str, 8, XZR, Mem::base(x(0), 8));
        assert_eq!(found(store, next), Some(([XZR, x(0), XZR], 0)));
        assert_eq!(found(store, load(x(1), x(0), 8)), None);
    }

    #[test]
    fn a_base_is_moved_by_its_access() {
        let found = |access, sum| paired(&access, &sum).map(|moved| (Op::ALL[usize::from(moved.op)], moved.imm));
        let sum = |imm| rri(Op::AddI, 8, x(0), x(0), imm);
        assert_eq!(found(load(x(1), x(0), 0), sum(8)), Some((Op::LdrPost, 8)));
        assert_eq!(found(load(x(1), x(0), 8), sum(8)), Some((Op::LdrPre, 8)));
        assert_eq!(
            found(load(x(1), x(0), -8), rri(Op::SubI, 8, x(0), x(0), 8)),
            Some((Op::LdrPre, -8))
        );
        assert_eq!(found(load(x(1), x(0), 16), sum(8)), None);
        assert_eq!(found(load(x(1), x(0), 0), sum(256)), None);
        assert_eq!(found(load(x(0), x(0), 0), sum(8)), None);
        assert_eq!(found(load(x(1), x(2), 0), sum(8)), None);
        let next = |access| paired(&sum(8), &access).map(|moved| (Op::ALL[usize::from(moved.op)], moved.imm));
        assert_eq!(next(load(x(1), x(0), 0)), Some((Op::LdrPre, 8)));
        assert_eq!(next(load(x(1), x(0), -8)), Some((Op::LdrPost, 8)));
        assert_eq!(next(load(x(1), x(0), 8)), None);
        let byte = rm(Op::LdrUb, 4, x(1), Mem::base(x(0), 0));
        assert_eq!(paired(&byte, &sum(1)).map(|moved| moved.size), Some(1));
    }
}
