//! Switches: tests of single cases, ranges and sets of bits, and jump tables.
//!
//! In 32-bit code, a value may be in two registers; then it is compared case by case, or finds its place in a table by
//! its low part once its high part is known to be that of all cases.

use super::{extend, has_relative_addresses, int_bits, scratch, word_bits};
use crate::build::*;
use crate::cond::Cond;
use crate::table::Op;
use frazil_codegen::{CaseTable, CaseTest, CodegenError, Label, LowerCtx, MInst, Mem, Reg, SwitchValue};
use frazil_ir::{Operand, Refusal, Type};

/// The value that is looked at.
pub fn value<C: LowerCtx>(cx: &mut C, value: Operand, ty: Type) -> Result<SwitchValue, CodegenError> {
    let bits = int_bits(cx, ty);
    if bits == 0 || bits > 64 {
        return Err(CodegenError::unsupported(
            Refusal::WideInteger,
            "a switch on an integer of more than 64 bits",
        ));
    }
    let mut high = Reg::NONE;
    if bits > word_bits::<C>() {
        let low = cx.use_copy(value, 0);
        high = cx.use_copy(value, 1);
        extend(cx, high, high, bits - word_bits::<C>(), false, C::WORD_BYTES);
        let bytes = C::WORD_BYTES;
        return Ok(SwitchValue { low, high, bytes });
    }
    if matches!(bits, 8 | 32 | 64) {
        let (low, bytes) = (cx.use_reg(value, 0), (bits / 8) as u8);
        return Ok(SwitchValue { low, high, bytes });
    }
    // Comparisons of 16 bits with immediates are slow to decode.
    let bytes = if bits < 32 { 4 } else { 8 };
    let low = cx.use_copy(value, 0);
    extend(cx, low, low, bits, false, bytes);
    Ok(SwitchValue { low, high, bytes })
}

/// Compares with a case.
pub fn case_branch<C: LowerCtx>(cx: &mut C, test: CaseTest, value: SwitchValue, case: u64) -> MInst {
    let cond = match test {
        CaseTest::Equal => Cond::E,
        CaseTest::Below => Cond::B,
    };
    if !value.high.is_none() {
        return pair_case_branch(cx, cond, value, case);
    }
    compare_with(cx, value.low, value.bytes, case);
    jcc(cond, Label(0))
}

/// The low and the high word of a case.
fn words(case: u64) -> (i32, i32) {
    ((case as u32).cast_signed(), ((case >> 32) as u32).cast_signed())
}

/// The registers of the value are the rule's own, but other cases still need them.
#[cold]
fn pair_case_branch<C: LowerCtx>(cx: &mut C, cond: Cond, value: SwitchValue, case: u64) -> MInst {
    let (low, high) = words(case);
    let scratch = scratch::<C>();
    if cond == Cond::B {
        cx.emit(rr(Op::MovRR, 4, scratch, value.high));
        cx.emit(ri(Op::CmpRI, 4, value.low, low));
        cx.emit(ri(Op::SbbRI, 4, scratch, high));
        return jcc(Cond::B, Label(0));
    }
    // Both differences are zero if all bits of both are. Addresses are computed without touching the flags.
    cx.emit(rm(Op::LeaRM, 4, value.high, Mem::base(value.high, high.wrapping_neg())));
    cx.emit(rm(Op::LeaRM, 4, scratch, Mem::base(value.low, low.wrapping_neg())));
    cx.emit(rr(Op::OrRR, 4, scratch, value.high));
    cx.emit(rm(Op::LeaRM, 4, value.high, Mem::base(value.high, high)));
    jcc(Cond::E, Label(0))
}

/// Whether the value, which is in one register, lies in a range.
pub fn range_branch<C: LowerCtx>(cx: &mut C, value: SwitchValue, temp: Reg, low: u64, span: u64) -> MInst {
    subtract_low(cx, value, temp, low);
    compare_with(cx, temp, value.bytes, span);
    jcc(Cond::Be, Label(0))
}

/// Whether a bit of a mask is set.
pub fn bit_branch<C: LowerCtx>(cx: &mut C, index: Reg, mask: u64) -> MInst {
    let scratch = scratch::<C>();
    cx.emit(mov_imm(C::WORD_BYTES, scratch, mask.cast_signed()));
    cx.emit(rr(Op::BtRR, C::WORD_BYTES, scratch, index));
    jcc(Cond::B, Label(0))
}

/// Jumps through a table of distances from its start.
pub fn table_jump<C: LowerCtx>(cx: &mut C, value: SwitchValue, temp: Reg, table: &CaseTable) {
    // As wide as an index: operations of 32 bits clear what is above.
    let mut wide = value;
    if !value.high.is_none() {
        leave_high_part(cx, value, table);
        wide.high = Reg::NONE;
    }
    let low = match C::WORD_BYTES {
        8 => table.low,
        _ => u64::from(table.low as u32),
    };
    if value.bytes == 1 {
        cx.emit(rr(Op::MovzxBRR, 4, temp, value.low));
        wide.low = temp;
        wide.bytes = 4;
    }
    if low != 0 {
        subtract_low(cx, wide, temp, low);
    } else if value.bytes == 4 {
        cx.emit(rr(Op::MovzxLRR, 4, temp, value.low));
    } else if value.bytes == 8 {
        cx.emit(rr(Op::MovRR, 8, temp, value.low));
    }
    if let Some(default) = table.default {
        compare_with(cx, temp, wide.bytes, table.span);
        cx.emit(jcc(Cond::A, default));
    }
    let scratch = scratch::<C>();
    let start = near(table.place, 0, has_relative_addresses(cx));
    let entry = Mem::indexed(scratch, temp, 2, 0);
    cx.emit(rm(Op::LeaRM, C::WORD_BYTES, scratch, start));
    cx.emit(match C::WORD_BYTES {
        8 => rm(Op::MovsxdRM, 8, temp, entry),
        _ => rm(Op::MovRM, 4, temp, entry),
    });
    cx.emit(rr(Op::AddRR, C::WORD_BYTES, temp, scratch));
    // The labels of the table are not marked.
    let is_checked = cx.view().module.flags.marks_branch_targets;
    cx.emit(r(if is_checked { Op::JmpNoTrackR } else { Op::JmpR }, 8, temp));
}

/// Goes to the default case if the difference of the value and the lowest case does not fit one word.
#[cold]
fn leave_high_part<C: LowerCtx>(cx: &mut C, value: SwitchValue, table: &CaseTable) {
    let Some(default) = table.default else { return };
    let (low, high) = words(table.low);
    let scratch = scratch::<C>();
    cx.emit(rr(Op::MovRR, 4, scratch, value.high));
    cx.emit(ri(Op::CmpRI, 4, value.low, low));
    cx.emit(ri(Op::SbbRI, 4, scratch, high));
    cx.emit(rr(Op::TestRR, 4, scratch, scratch));
    cx.emit(jcc(Cond::Ne, default));
}

/// Compares the low bytes of a register with an unsigned constant.
fn compare_with<C: LowerCtx>(cx: &mut C, value: Reg, bytes: u8, constant: u64) {
    match immediate(bytes, constant) {
        Some(0) => cx.emit(rr(Op::TestRR, bytes, value, value)),
        Some(imm) => cx.emit(ri(Op::CmpRI, bytes, value, imm)),
        None => {
            cx.emit(mov_imm64(scratch::<C>(), constant.cast_signed()));
            cx.emit(rr(Op::CmpRR, 8, value, scratch::<C>()));
        }
    }
}

/// A number of this many bytes as the immediate that an instruction of this width extends to it.
fn immediate(bytes: u8, constant: u64) -> Option<i32> {
    match bytes {
        1 => Some(i32::from((constant as u8).cast_signed())),
        4 => Some((constant as u32).cast_signed()),
        _ => i32::try_from(constant).ok(),
    }
}

/// Puts `value - low` into `temp`; a difference of 32 bits clears what is above, one of 8 bits does not.
fn subtract_low<C: LowerCtx>(cx: &mut C, value: SwitchValue, temp: Reg, low: u64) {
    match immediate(value.bytes, low).and_then(i32::checked_neg) {
        Some(0) => cx.emit(rr(Op::MovRR, value.bytes.max(4), temp, value.low)),
        Some(disp) => cx.emit(rm(Op::LeaRM, value.bytes.max(4), temp, Mem::base(value.low, disp))),
        None => {
            cx.emit(mov_imm(C::WORD_BYTES, temp, low.cast_signed().wrapping_neg()));
            cx.emit(rr(Op::AddRR, value.bytes.max(4), temp, value.low));
        }
    }
}
