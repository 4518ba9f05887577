//! Switches on values of one or two words: tests of single cases, and tables.

use super::int_bits;
use super::wide::KEPT;
use crate::build::*;
use crate::ops::Op;
use crate::regs::{SC, ZERO};
use frazil_codegen::{CaseTable, CaseTest, CodegenError, Label, LowerCtx, MInst, Mem, Reg, SwitchValue};
use frazil_ir::{Operand, Refusal, Type};

/// The value in registers of the rule, zero-extended.
pub fn value<C: LowerCtx>(cx: &mut C, value: Operand, ty: Type) -> Result<SwitchValue, CodegenError> {
    let bits = int_bits(cx, ty);
    if bits == 0 || bits > 64 {
        return Err(CodegenError::unsupported(
            Refusal::WideInteger,
            "a switch on an integer of more than 64 bits",
        ));
    }
    let low = cx.use_copy(value, 0);
    super::extend(cx, low, low, bits.min(32), false);
    let mut high = Reg::NONE;
    if bits > 32 {
        high = cx.use_copy(value, 1);
        super::extend(cx, high, high, bits - 32, false);
    }
    Ok(SwitchValue { low, high, bytes: 4 })
}

fn words(case: u64) -> (i32, i32) {
    ((case as u32).cast_signed(), ((case >> 32) as u32).cast_signed())
}

/// Compares with a case.
pub fn case_branch<C: LowerCtx>(cx: &mut C, test: CaseTest, value: SwitchValue, case: u64) -> MInst {
    let (low, high) = words(case);
    cx.emit(li(SC, low));
    let none = Label(0);
    if value.high.is_none() {
        return match test {
            CaseTest::Equal => branch(Op::Beq, value.low, SC, none),
            CaseTest::Below => branch(Op::Bltu, value.low, SC, none),
        };
    }
    match test {
        CaseTest::Equal => {
            cx.emit(rrr(Op::Xor, SC, SC, value.low));
            cx.emit(li(KEPT, high));
            cx.emit(rrr(Op::Xor, KEPT, KEPT, value.high));
            cx.emit(rrr(Op::Or, SC, SC, KEPT));
            branch(Op::Beq, SC, ZERO, none)
        }
        CaseTest::Below => {
            below(cx, value, SC, high);
            branch(Op::Bne, SC, ZERO, none)
        }
    }
}

/// Puts into `low_outcome`, which holds the low word of a case, whether the value is below the case.
fn below<C: LowerCtx>(cx: &mut C, value: SwitchValue, low_outcome: Reg, high: i32) {
    let (equal, case) = (crate::regs::k(0), KEPT);
    cx.emit(rrr(Op::Sltu, low_outcome, value.low, low_outcome));
    cx.emit(li(case, high));
    cx.emit(rrr(Op::Xor, equal, value.high, case));
    cx.emit(rri(Op::Sltiu, equal, equal, 1));
    cx.emit(rrr(Op::And, low_outcome, low_outcome, equal));
    cx.emit(rrr(Op::Sltu, case, value.high, case));
    cx.emit(rrr(Op::Or, low_outcome, low_outcome, case));
}

/// Whether a value of one word lies in a range.
pub fn range_branch<C: LowerCtx>(cx: &mut C, value: Reg, temp: Reg, low: u64, span: u64) -> MInst {
    cx.emit(rri(Op::Addi, temp, value, words(low).0.wrapping_neg()));
    cx.emit(li(SC, words(span).0));
    branch(Op::Bgeu, SC, temp, Label(0))
}

/// Whether a bit of a mask of one word is set.
pub fn bit_branch<C: LowerCtx>(cx: &mut C, index: Reg, mask: u64) -> MInst {
    cx.emit(li(SC, words(mask).0));
    cx.emit(rrr(Op::Srl, SC, SC, index));
    cx.emit(rri(Op::Andi, SC, SC, 1));
    branch(Op::Bne, SC, ZERO, Label(0))
}

/// Jumps through a table of distances from its start.
pub fn table_jump<C: LowerCtx>(cx: &mut C, value: SwitchValue, temp: Reg, table: &CaseTable) {
    let (low_word, high_word) = words(table.low);
    let index = value.low;
    if !value.high.is_none() {
        // The borrow of the low words, then the high word of the difference must be zero.
        cx.emit(li(SC, low_word));
        cx.emit(rrr(Op::Sltu, SC, index, SC));
        cx.emit(rrr(Op::Sub, value.high, value.high, SC));
        cx.emit(rri(Op::Addi, value.high, value.high, high_word.wrapping_neg()));
        if let Some(default) = table.default {
            cx.emit(branch(Op::Bne, value.high, ZERO, default));
        }
    }
    cx.emit(rri(Op::Addi, index, index, low_word.wrapping_neg()));
    if let Some(default) = table.default {
        cx.emit(li(SC, words(table.span).0));
        cx.emit(branch(Op::Bltu, SC, index, default));
    }
    cx.emit(rri(Op::Slli, index, index, 2));
    cx.emit(ll(temp, Label(table.place.number())));
    cx.emit(rrr(Op::Add, index, index, temp));
    cx.emit(rm(Op::Lw, 4, index, Mem::base(index, 0)));
    cx.emit(rrr(Op::Add, index, index, temp));
    cx.emit(reg(Op::Jr, index));
}
