//! Rules for the passes over machine code: cheaper forms of single instructions, `lea` for a move with an addition,
//! which flags an instruction leaves, and how wide its result is.
//!
//! An operation of four bytes clears the upper half of a register; one of one or two bytes leaves the rest as it was.
//! What lies above an operation's width is not examined by whoever uses the result (contract of narrow integers), so
//! that narrow additions may be done by a `lea` of four bytes. Flags are those of the Intel manual, volume 1, appendix
//! A.

use crate::build::{none, r, ri, rm, rr};
use crate::cond::Cond;
use crate::contents;
use crate::masks;
use crate::memory_forms::NEARBY;
use crate::ops::{Code, Form, Kind, Row, Width, sizes};
use crate::print::{Part, parts};
use crate::regs::{RAX, RSP, VECTOR_BYTES, WIDE_VECTOR_BYTES, WIDEST_VECTOR_BYTES};
use crate::rows;
use crate::rows::ROWS;
use crate::table::Op;
use frazil_codegen::pass::{Contents, Details, MachRules};
use frazil_codegen::{MInst, Mem, Ref, Reg, RegClass, Role};

/// The rules of x86-64.
#[derive(Clone, Copy, Debug)]
pub struct X86Rules;

/// Conditions that ask for the zero, sign and parity flags only.
const OF_RESULT: u16 = 1 << Cond::E as u16
    | 1 << Cond::Ne as u16
    | 1 << Cond::S as u16
    | 1 << Cond::Ns as u16
    | 1 << Cond::P as u16
    | 1 << Cond::Np as u16;

/// The row's name by number.
fn op_of(inst: &MInst) -> Option<Op> {
    Op::ALL.get(usize::from(inst.op)).copied()
}

impl MachRules for X86Rules {
    fn simplify(&self, inst: &MInst, flags_are_free: bool) -> Option<MInst> {
        let dst = inst.reg(0);
        match op_of(inst)? {
            Op::MovRI if inst.imm == 0 && flags_are_free => Some(r(Op::ZeroR, 4, dst)),
            Op::CmpRI if inst.imm == 0 => Some(rr(Op::TestRR, inst.size, dst, dst)),
            // Sign extensions of the accumulator in place.
            Op::MovsxdRR if dst == RAX && inst.reg(1) == RAX => Some(none(Op::Cdqe, 8)),
            Op::MovsxWRR if dst == RAX && inst.reg(1) == RAX && inst.size == 4 => Some(none(Op::Cwde, 4)),
            Op::LeaRM => simplify_lea(inst, flags_are_free),
            Op::AndRI => narrow_mask(inst, flags_are_free),
            Op::AddRI | Op::SubRI | Op::AddMI | Op::SubMI if flags_are_free && matches!(inst.imm, 1 | -1) => {
                by_one(inst)
            }
            // The negated constant has a short form.
            Op::AddRI if inst.imm == 128 && flags_are_free => Some(ri(Op::SubRI, inst.size, dst, -128)),
            Op::SubRI if inst.imm == 128 && flags_are_free => Some(ri(Op::AddRI, inst.size, dst, -128)),
            _ => None,
        }
    }

    fn on_masks(&self, inst: &MInst) -> Option<MInst> {
        masks::on_masks(inst)
    }

    fn transfer_mask(&self, dst: Reg, src: Reg, to_mask: bool) -> MInst {
        masks::transfer(dst, src, to_mask)
    }

    fn with_mask_in(&self, inst: &MInst, copy: &MInst) -> Option<MInst> {
        masks::with_mask_in(inst, copy)
    }

    fn with_loaded_operand(&self, inst: &MInst, loaded: Reg) -> Option<(MInst, u8)> {
        let row = usize::from(inst.op);
        // Of those with an EVEX prefix, none has a constant in memory.
        let data = ROWS
            .get(row)
            .filter(|data| matches!(data.code.form, Form::RM | Form::ThreeM) && !data.code.has(Code::EVEX))?;
        // The row with a register is a few lines above.
        let number = (row.saturating_sub(NEARBY)..row).rev().find(|&other| {
            let other = &ROWS[other];
            other.mnemonic == data.mnemonic && matches!(other.code.form, Form::LoadRR | Form::Three)
        })?;
        let with_register = &ROWS[number];
        let bytes = match data.code.has(Code::LONG) {
            _ if data.sizes == sizes::Z => WIDEST_VECTOR_BYTES,
            true => WIDE_VECTOR_BYTES,
            false => VECTOR_BYTES,
        };
        let is_whole =
            bytes > VECTOR_BYTES || with_register.sizes == sizes::X || with_register.code.width == Width::Packed;
        if !is_whole || with_register.code.has(Code::LONG) != data.code.has(Code::LONG) {
            return None;
        }
        let mut other = MInst::new(number as u16, inst.size);
        other.set_reg(0, inst.reg(0));
        if with_register.code.form == Form::Three {
            let own = if data.code.form == Form::ThreeM {
                inst.reg(3)
            } else {
                inst.reg(0)
            };
            other.set_reg(1, own);
            other.set_reg(2, loaded);
        } else {
            other.set_reg(1, loaded);
        }
        Some((other, bytes))
    }

    fn details(&self, inst: &MInst) -> Details {
        let row = &ROWS[usize::from(inst.op)];
        let has_condition = row.code.has(Code::COND);
        let mut details = Details {
            condition: has_condition.then(|| Cond::from_number(inst.condition()).name()),
            ..Details::default()
        };
        for part in parts(row.code.form) {
            match part {
                Part::Immediate => details.immediate = Some(i64::from(inst.imm)),
                Part::Immediate64 => {
                    details.immediate = Some(i64::from(inst.disp) << 32 | i64::from(inst.imm.cast_unsigned()));
                }
                Part::Label => details.label = Some(inst.label()),
                Part::Symbol | Part::SymbolAddress => {
                    details.reference = inst.reference().map(|reference| (reference, inst.disp));
                }
                Part::SymbolOffset => details.reference = Some((Ref(inst.imm.cast_unsigned()), inst.disp)),
                _ => {}
            }
        }
        details
    }

    fn contents(&self, inst: &MInst) -> Option<Contents> {
        contents::contents(inst)
    }

    fn combine(&self, first: &MInst, second: &MInst, flags_are_free: bool) -> Option<MInst> {
        let address = match op_of(first)? {
            Op::MovRR if first.size >= width(second) => Mem::base(first.reg(1), 0),
            Op::LeaRM if first.size >= width(second) && first.reference().is_none() => first.mem(),
            Op::MovRM | Op::MovzxLRM => return compare_with_memory(first, second),
            _ => return None,
        };
        let dst = first.reg(0);
        let writes_the_same = second.reg(0) == dst;
        // What is above the frame pointer's place and what is below are not one area.
        if !writes_the_same || !flags_are_free || dst == RSP || matches!(address.base_reg(), RSP | Reg::FRAME) {
            return None;
        }
        let sum = match op_of(second)? {
            Op::AddRI => address.offset(second.imm)?,
            Op::SubRI => address.offset(second.imm.checked_neg()?)?,
            Op::IncR => address.offset(1)?,
            Op::DecR => address.offset(-1)?,
            Op::AddRR if address.index_reg().is_none() && second.reg(1) != RSP => {
                let is_doubled = second.reg(1) == dst;
                let base = only_register(address, is_doubled)?;
                let index = if is_doubled { base } else { second.reg(1) };
                Mem::indexed(base, index, 0, address.disp)
            }
            Op::ShlRI if second.imm == 1 => {
                let base = only_register(address, true)?;
                Mem::indexed(base, base, 0, address.disp)
            }
            _ => return None,
        };
        // With three parts, it takes longer than two instructions.
        let is_slow = !sum.base_reg().is_none() && !sum.index_reg().is_none() && sum.disp != 0;
        (!is_slow).then(|| rm(Op::LeaRM, width(second), dst, sum))
    }

    fn with_three_operands(&self, inst: &MInst) -> Option<MInst> {
        rows::with_vex(inst)
    }

    fn conditions(&self, inst: &MInst) -> u16 {
        use Op::{AdcRI, AdcRM, AdcRR, SbbRI, SbbRM, SbbRR};
        match op_of(inst) {
            Some(AdcRR | AdcRM | AdcRI | SbbRR | SbbRM | SbbRI) => 1 << Cond::B as u16,
            _ if ROWS[usize::from(inst.op)].code.has(Code::COND) => 1 << inst.condition(),
            _ => u16::MAX,
        }
    }

    fn tested(&self, inst: &MInst) -> Option<Reg> {
        (op_of(inst) == Some(Op::TestRR) && inst.reg(0) == inst.reg(1)).then_some(inst.reg(0))
    }

    fn after_test(&self, inst: &MInst) -> MInst {
        let simpler = match Cond::from_number(inst.condition()) {
            Cond::L => Cond::S,
            Cond::Ge => Cond::Ns,
            Cond::A => Cond::Ne,
            Cond::Be => Cond::E,
            _ => return *inst,
        };
        if !ROWS[usize::from(inst.op)].code.has(Code::COND) {
            return *inst;
        }
        inst.with_aux(inst.aux & !15 | simpler as u8)
    }

    fn sets_flags_like(&self, producer: &MInst, test: &MInst, conditions: u16) -> bool {
        use Op::{
            AddRI, AddRM, AddRR, AndRI, AndRM, AndRR, DecR, IncR, NegR, OrRI, OrRM, OrRR, SarRI, ShlRI, ShrRI, SubRI,
            SubRM, SubRR, XorRI, XorRM, XorRR,
        };
        if producer.size != test.size {
            return false;
        }
        match op_of(producer) {
            Some(AndRR | AndRM | AndRI | OrRR | OrRM | OrRI | XorRR | XorRM | XorRI) => true,
            Some(AddRR | AddRM | AddRI | SubRR | SubRM | SubRI | NegR | IncR | DecR) => conditions & !OF_RESULT == 0,
            // A count of zero leaves the flags alone.
            Some(ShlRI | ShrRI | SarRI) => {
                let mask = if producer.size == 8 { 63 } else { 31 };
                producer.imm & mask != 0 && conditions & !OF_RESULT == 0
            }
            _ => false,
        }
    }

    fn joins_results(&self) -> bool {
        true
    }

    fn with_result(&self, compare: &MInst, other: &MInst) -> Option<MInst> {
        let is_same = self.same_flags(other).is_some_and(|same| same == *compare);
        (is_same && other.reg(0) != RSP).then_some(*other)
    }

    fn keeps_flags(&self, inst: &MInst, test: &MInst, conditions: u16) -> bool {
        let is_carry = |cond: Cond| 1 << cond as u16;
        matches!(op_of(inst), Some(Op::SetR | Op::SetLowR))
            && inst.condition() == Cond::B as u8
            && op_of(test) == Some(Op::BtRI)
            && test.imm == 0
            && test.reg(0) == inst.reg(0)
            && conditions & !(is_carry(Cond::B) | is_carry(Cond::Ae)) == 0
    }

    fn same_flags(&self, inst: &MInst) -> Option<MInst> {
        let compare = match op_of(inst)? {
            Op::SubRR => Op::CmpRR,
            Op::SubRI => Op::CmpRI,
            _ => return None,
        };
        Some(inst.with_op(compare as u16))
    }

    fn lets_begin(&self, inst: &MInst, next: &MInst) -> bool {
        let merges = op_of(next).is_some_and(|op| ROWS[op as usize].effects.merges);
        op_of(inst) == Some(Op::ZeroX) && merges && next.reg(0) == inst.reg(0)
    }

    fn significant_bits(&self, inst: &MInst, bits_of: &dyn Fn(Reg) -> u8) -> u8 {
        let Some(op) = op_of(inst) else { return 64 };
        let row = &ROWS[usize::from(inst.op)];
        let known = match op {
            Op::ZeroR => 0,
            // A plain copy may be taken out where it copies a register to itself: it clears nothing for certain.
            Op::MovRR => {
                let bits = bits_of(inst.reg(1));
                let is_whole = inst.size == 8 || (inst.size == 4 && bits <= 32);
                return if is_whole { bits } else { 64 };
            }
            // So may a plain reload where the register holds the slot's contents.
            Op::MovRM if inst.size == 4 => return 64,
            // What is written in two bytes or one leaves the rest as it was.
            Op::MovzxBRR if inst.size >= 4 => bits_of(inst.reg(1)).min(8),
            Op::MovzxBRM if inst.size >= 4 => 8,
            Op::MovzxWRR => bits_of(inst.reg(1)).min(16),
            Op::MovzxWRM => 16,
            Op::MovzxLRR => bits_of(inst.reg(1)),
            Op::MovRI if inst.size == 4 || (inst.size == 8 && inst.imm >= 0) => bits_in(inst.imm.cast_unsigned()),
            Op::AndRI if inst.size >= 4 && inst.imm >= 0 => bits_of(inst.reg(0)).min(bits_in(inst.imm.cast_unsigned())),
            Op::AndRR if inst.size >= 4 => bits_of(inst.reg(0)).min(bits_of(inst.reg(1))),
            Op::OrRR | Op::XorRR if inst.size >= 4 => bits_of(inst.reg(0)).max(bits_of(inst.reg(1))),
            Op::ShrRI if inst.size >= 4 => {
                let count = inst.imm & if inst.size == 8 { 63 } else { 31 };
                let whole = bits_of(inst.reg(0)).min(inst.size * 8);
                whole.saturating_sub(count as u8)
            }
            _ => 64,
        };
        if clears_upper_half(inst, row) {
            known.min(32)
        } else {
            known
        }
    }

    fn extends_beyond(&self, inst: &MInst) -> Option<u8> {
        match op_of(inst)? {
            Op::MovzxBRR if inst.size >= 4 => Some(8),
            Op::MovzxWRR => Some(16),
            Op::MovzxLRR => Some(32),
            Op::MovsxBRR if inst.size >= 4 => Some(7),
            Op::MovsxWRR => Some(15),
            Op::MovsxdRR => Some(31),
            _ => None,
        }
    }
}

/// The number of bits up to the highest that is set.
fn bits_in(value: u32) -> u8 {
    (32 - value.leading_zeros()) as u8
}

/// The width in which an operation can be done by `lea`.
fn width(inst: &MInst) -> u8 {
    if inst.size == 8 { 8 } else { 4 }
}

/// Whether an instruction of four bytes writes its first register as a whole.
fn clears_upper_half(inst: &MInst, row: &Row) -> bool {
    let writes = row.operands[0]
        .is_some_and(|operand| matches!(operand.role, Role::Def | Role::UseDef) && operand.kind == Kind::Sized);
    inst.size == 4
        && row.code.width == Width::Int
        && writes
        && !row.effects.merges
        && RegClass::of(inst.reg(0)) == RegClass::Int
}

/// The register that an address is, with a displacement only if nothing is to be doubled.
fn only_register(address: Mem, is_doubled: bool) -> Option<Reg> {
    let base = address.base_reg();
    let is_plain = base.is_physical() && address.index_reg().is_none() && !(is_doubled && address.disp != 0);
    is_plain.then_some(base)
}

/// A `lea` that is a move or an addition in place.
fn simplify_lea(inst: &MInst, flags_are_free: bool) -> Option<MInst> {
    let (dst, mem) = (inst.reg(0), inst.mem());
    if !mem.base_reg().is_physical() || mem.disp != 0 || mem.reference().is_some() {
        return None;
    }
    if mem.index_reg().is_none() {
        // Four bytes clear the upper half, which a plain copy need not do.
        let row = if inst.size == 4 { Op::MovzxLRR } else { Op::MovRR };
        return Some(rr(row, inst.size, dst, mem.base_reg()));
    }
    if mem.scale_log2 != 0 || !flags_are_free {
        return None;
    }
    let other = match (mem.base_reg() == dst, mem.index_reg() == dst) {
        (true, _) => mem.index_reg(),
        (_, true) => mem.base_reg(),
        _ => return None,
    };
    Some(rr(Op::AddRR, inst.size, dst, other))
}

/// An addition or subtraction of one, which leaves the carry flag alone.
fn by_one(inst: &MInst) -> Option<MInst> {
    let (op, imm) = (op_of(inst)?, inst.imm);
    let op = match (op, imm) {
        (Op::AddRI, 1) | (Op::SubRI, -1) => Op::IncR,
        (Op::AddRI, -1) | (Op::SubRI, 1) => Op::DecR,
        (Op::AddMI, 1) | (Op::SubMI, -1) => Op::IncM,
        (Op::AddMI, -1) | (Op::SubMI, 1) => Op::DecM,
        _ => return None,
    };
    Some(inst.with_op(op as u16).with_imm(0))
}

/// A mask of bytes is an extension, which is shorter; other masks need no wider operation than they have bits.
fn narrow_mask(inst: &MInst, flags_are_free: bool) -> Option<MInst> {
    let dst = inst.reg(0);
    match inst.imm {
        0xff if inst.size >= 4 && flags_are_free => Some(rr(Op::MovzxBRR, 4, dst, dst)),
        0xffff if inst.size >= 4 && flags_are_free => Some(rr(Op::MovzxWRR, 4, dst, dst)),
        0.. if inst.size == 8 => Some(ri(Op::AndRI, 4, dst, inst.imm)),
        _ => None,
    }
}

/// A load whose only use is a comparison with a constant.
fn compare_with_memory(load: &MInst, compare: &MInst) -> Option<MInst> {
    let dst = load.reg(0);
    let imm = match op_of(compare)? {
        Op::TestRR if compare.reg(0) == dst && compare.reg(1) == dst => 0,
        Op::CmpRI => compare.imm,
        _ => return None,
    };
    (compare.reg(0) == dst && load.size == compare.size).then(|| {
        let mut combined = MInst::new(Op::CmpMI as u16, compare.size).with_mem(load.mem());
        combined.imm = imm;
        combined
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descs::OP_DESCS;
    use crate::regs::{RCX, RDX};

    /// Sources are narrow, but what the first register held before may have any bits.
    fn bits_of(reg: Reg) -> u8 {
        if reg == RCX { 64 } else { 0 }
    }

    fn sample(op: Op, size: u8) -> MInst {
        MInst::new(op as u16, size).with_regs([RCX, RDX, Reg::NONE]).with_imm(1)
    }

    #[test]
    fn a_difference_leaves_the_flags_of_the_comparison() {
        let compare = rr(Op::CmpRR, 8, RCX, RDX);
        let difference = rr(Op::SubRR, 8, RCX, RDX);
        assert_eq!(X86Rules.same_flags(&difference), Some(compare));
        assert_eq!(X86Rules.with_result(&compare, &difference), Some(difference));
        for other in [
            rr(Op::SubRR, 4, RCX, RDX),
            rr(Op::SubRR, 8, RDX, RCX),
            rr(Op::AddRR, 8, RCX, RDX),
            ri(Op::SubRI, 8, RCX, 2),
        ] {
            assert_eq!(X86Rules.with_result(&compare, &other), None);
        }
        let of_stack = ri(Op::CmpRI, 8, RSP, 16);
        assert_eq!(X86Rules.with_result(&of_stack, &ri(Op::SubRI, 8, RSP, 16)), None);
    }

    #[test]
    fn operations_of_one_or_two_bytes_say_nothing_of_the_rest_of_a_register() {
        let mut seen = 0;
        for &op in Op::ALL {
            let row = &ROWS[op as usize];
            let writes = row.operands[0]
                .is_some_and(|operand| operand.kind == Kind::Sized && matches!(operand.role, Role::Def | Role::UseDef));
            for size in [1, 2].into_iter().filter(|size| writes && row.sizes & size != 0) {
                let bits = X86Rules.significant_bits(&sample(op, size), &bits_of);
                assert_eq!(bits, 64, "{op:?} of {size} bytes");
                seen += 1;
            }
        }
        assert!(seen > 50, "{seen} rows and sizes");
    }

    #[test]
    fn plain_copies_and_reloads_clear_nothing_and_extensions_do() {
        let of_anything = |op, size| {
            let inst = sample(op, size).with_regs([RDX, RCX, Reg::NONE]);
            X86Rules.significant_bits(&inst, &bits_of)
        };
        assert_eq!(of_anything(Op::MovRR, 4), 64);
        assert_eq!(of_anything(Op::MovRR, 8), 64);
        assert_eq!(of_anything(Op::MovzxLRR, 4), 32);
        let of_loaded = |op| {
            let inst = sample(op, 4).with_mem(Mem::base(Reg::FRAME, -8));
            X86Rules.significant_bits(&inst, &bits_of)
        };
        assert_eq!((of_loaded(Op::MovRM), of_loaded(Op::MovzxLRM)), (64, 32));
        assert_eq!(X86Rules.significant_bits(&sample(Op::MovRR, 4), &|_| 20), 20);
        assert_eq!(X86Rules.significant_bits(&sample(Op::MovRI, 8), &bits_of), 1);
    }

    /// A copy of a register to itself is taken out; an address computation in four bytes clears the upper half.
    #[test]
    fn an_address_that_is_its_register_stays_as_an_extension() {
        let lea = |size| rm(Op::LeaRM, size, RCX, Mem::base(RCX, 0));
        let is_move = |size| {
            let simpler = X86Rules.simplify(&lea(size), true).expect("it is one register");
            assert_eq!(simpler.regs(), [RCX, RCX, Reg::NONE]);
            OP_DESCS[usize::from(simpler.op)].is_move
        };
        assert!(is_move(8));
        assert!(!is_move(4));
    }
}
