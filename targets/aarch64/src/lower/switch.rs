//! The steps of a switch: comparisons of its value, and jumps through a table of distances, which is data.

use super::{clears_above, compare_constant, extend, sum};
use crate::build::*;
use crate::cond::Cond;
use crate::reach;
use crate::regs::SCRATCH;
use crate::table::Op;
use frazil_codegen::{CaseTable, CaseTest, CodegenError, Label, LowerCtx, MInst, Mem, Reg, SwitchValue};
use frazil_ir::{Operand, Refusal, Type};

/// A switch value of at most 64 bits.
pub fn value<C: LowerCtx>(cx: &mut C, value: Operand, ty: Type) -> Result<SwitchValue, CodegenError> {
    let Some(bits @ 1..=64) = cx.func().types().int_bits(ty) else {
        return Err(CodegenError::unsupported(
            Refusal::WideInteger,
            "a switch on an integer of more than 64 bits",
        ));
    };
    let bytes = if bits > 32 { 8 } else { 4 };
    let low = if matches!(bits, 32 | 64) || clears_above(cx, value) {
        cx.use_reg(value, 0)
    } else {
        let low = cx.use_copy(value, 0);
        extend(cx, low, low, bits, false, bytes);
        low
    };
    Ok(SwitchValue {
        low,
        high: Reg::NONE,
        bytes,
    })
}

/// Compares a switch value with a case and gives the branch.
pub fn case_branch<C: LowerCtx>(cx: &mut C, test: CaseTest, value: SwitchValue, case: u64) -> MInst {
    if (test, case) == (CaseTest::Equal, 0) {
        return branch_if_zero(true, value.bytes, value.low, Label(0));
    }
    compare_constant(cx, value.bytes, value.low, case.cast_signed());
    branch_if(
        match test {
            CaseTest::Equal => Cond::Eq,
            CaseTest::Below => Cond::Lo,
        },
        Label(0),
    )
}

/// Puts `value - low` into `temp` and gives the branch that is taken if that is at most `span`.
pub fn range_branch<C: LowerCtx>(cx: &mut C, value: SwitchValue, temp: Reg, low: u64, span: u64) -> MInst {
    subtract_low(cx, value, temp, low);
    compare_constant(cx, value.bytes, temp, span.cast_signed());
    branch_if(Cond::Ls, Label(0))
}

/// Jumps through a table of label distances. What is above an index of 32 bits does not matter.
pub fn table_jump<C: LowerCtx>(cx: &mut C, value: SwitchValue, temp: Reg, table: &CaseTable) {
    let index = if table.low == 0 {
        value.low
    } else {
        subtract_low(cx, value, temp, table.low);
        temp
    };
    if let Some(default) = table.default {
        compare_constant(cx, value.bytes, index, table.span.cast_signed());
        cx.emit(branch_if(Cond::Hi, default));
    }
    let address = reach::address(cx.view(), SCRATCH, table.place, 0);
    cx.emit(address);
    let load = if value.bytes == 8 { Op::LdrSw } else { Op::LdrSwX };
    cx.emit(rm(load, 8, temp, Mem::indexed(SCRATCH, index, 2, 0)));
    cx.emit(rrr(Op::Add, 8, temp, temp, SCRATCH));
    cx.emit(r(Op::Br, 8, temp));
}

/// `temp = value - low`.
fn subtract_low<C: LowerCtx>(cx: &mut C, value: SwitchValue, temp: Reg, low: u64) {
    match sum(low.cast_signed().wrapping_neg(), value.bytes) {
        Some((op, imm)) => cx.emit(rri(op, value.bytes, temp, value.low, imm)),
        None => {
            cx.emit(mov_imm(value.bytes, SCRATCH, low.cast_signed()));
            cx.emit(rrr(Op::Sub, value.bytes, temp, value.low, SCRATCH));
        }
    }
}
