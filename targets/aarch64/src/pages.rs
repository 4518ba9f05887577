//! Accesses that take the low 12 bits of a symbol's address themselves.
//!
//! ```text
//! adrp x8, counter                      adrp x8, counter
//! add x8, x8, :lo12:counter        ->   ldr w0, [x8, :lo12:counter]
//! ldr w0, [x8]
//! ```
//!
//! Since instructions hold these bits in units of what they access, the address must certainly be a multiple of that.
//! One page serves all places between two multiples of the symbol's alignment. Where accesses are farther apart, the
//! whole address serves them better, and they may be pairs.

use crate::ops::{Form, aux};
use crate::table::{Op, ROWS};
use frazil_codegen::{MInst, Reg};

/// Distances from a symbol that linkers certainly reach, as LLVM has it (`AArch64TargetLowering::LowerGlobalAddress`).
const DISTANCES: std::ops::Range<i64> = 0..1 << 20;
/// A page, as log2 of bytes.
const PAGE_LOG2: u8 = 12;

/// See `Isa::fold_symbol_addr`; the symbol has this alignment.
pub fn fold(address: Reg, align_log2: u8, insts: &mut [MInst]) {
    let Some((whole, readers)) = insts.split_first_mut() else {
        return;
    };
    if whole.op != Op::LoadAddress as u16 || whole.reg(0) != address || whole.disp != 0 {
        return;
    }
    let reads = |inst: &&MInst| inst.regs().contains(&address);
    let align = 1i64 << align_log2.min(PAGE_LOG2);
    let mut places = readers.iter().filter(reads).map(|inst| place(inst, address, align));
    let Some(Some(page)) = places.next() else {
        return;
    };
    if places.any(|place| place != Some(page)) {
        return;
    }
    let reference = whole.reference().expect("the address is a symbol's");
    whole.op = Op::Adrp as u16;
    whole.disp = page;
    for inst in readers.iter_mut().filter(|inst| inst.reg(1) == address) {
        inst.imm = reference.0.cast_signed();
        inst.aux |= aux::LOW;
    }
}

/// The multiple of the alignment below the place that an instruction accesses, if it may have the low bits of its
/// address.
fn place(inst: &MInst, address: Reg, align: i64) -> Option<i32> {
    let code = &ROWS.get(usize::from(inst.op))?.code;
    let is_access = matches!(code.form, Form::Load | Form::Store)
        && inst.regs() == [inst.reg(0), address, Reg::NONE]
        && inst.reg(0) != address;
    if !is_access || !DISTANCES.contains(&inst.disp.into()) {
        return None;
    }
    let bytes = i64::from(code.access_bytes(inst.size));
    let distance = i64::from(inst.disp);
    (align % bytes == 0 && distance % bytes == 0).then_some((distance - distance % align) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{reference, rm, rrr};
    use crate::regs::x;
    use frazil_codegen::{Mem, Ref, RefKind};

    const ADDRESS: Reg = x(0);

    /// What becomes of the address of a symbol of an alignment and of what reads it: the distance of the page, and
    /// whether the accesses have the low bits.
    fn folded(align_log2: u8, readers: &[MInst]) -> Option<(i32, Vec<bool>)> {
        let symbol = Ref::new(RefKind::Symbol, 3);
        let mut insts = vec![reference(Op::LoadAddress, ADDRESS, symbol, 0)];
        insts.extend(readers);
        fold(ADDRESS, align_log2, &mut insts);
        let has_low = |inst: &MInst| inst.aux & aux::LOW != 0 && inst.imm == symbol.0.cast_signed();
        let low = insts[1..].iter().map(has_low).collect();
        (insts[0].op == Op::Adrp as u16).then_some((insts[0].disp, low))
    }

    fn load(bytes: u8, disp: i32) -> MInst {
        rm(Op::Ldr, bytes, x(1), Mem::base(ADDRESS, disp))
    }

    #[test]
    fn accesses_of_one_place_take_the_low_bits() {
        let other = rm(Op::Str, 4, x(1), Mem::base(x(2), 4));
        let store = rm(Op::Str, 4, x(1), Mem::base(ADDRESS, 0));
        let found = folded(2, &[load(4, 0), other, store]);
        assert_eq!(found, Some((0, vec![true, false, true])));
        assert_eq!(folded(3, &[load(8, 40)]), Some((40, vec![true])));
        // Within one multiple of the alignment, and in two.
        assert_eq!(folded(4, &[load(8, 24), load(8, 16)]), Some((16, vec![true, true])));
        assert_eq!(folded(3, &[load(8, 24), load(8, 16)]), None);
    }

    #[test]
    fn what_may_not_be_a_multiple_is_left_alone() {
        assert_eq!(folded(2, &[load(8, 0)]), None);
        assert_eq!(folded(3, &[load(4, 2)]), None);
        assert_eq!(folded(0, &[load(1, 7)]), Some((7, vec![true])));
        assert_eq!(folded(3, &[load(8, -8)]), None);
    }

    #[test]
    fn readers_that_need_the_address_get_it() {
        let stored = rm(Op::Str, 8, ADDRESS, Mem::base(x(2), 0));
        let stored_there = rm(Op::Str, 8, ADDRESS, Mem::base(ADDRESS, 0));
        let indexed = rm(Op::Ldr, 8, x(1), Mem::indexed(ADDRESS, x(2), 3, 0));
        let index = rm(Op::Ldr, 8, x(1), Mem::indexed(x(2), ADDRESS, 3, 0));
        let sum = rrr(Op::Add, 8, x(1), ADDRESS, x(2));
        let prefetch = rm(Op::Prfm, 8, Reg::NONE, Mem::base(ADDRESS, 0));
        for reader in [stored, stored_there, indexed, index, sum, prefetch] {
            assert_eq!(folded(3, &[load(8, 0), reader]), None, "{reader:?}");
        }
        assert_eq!(folded(3, &[]), None);
    }
}
