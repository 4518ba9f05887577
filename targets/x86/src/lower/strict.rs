//! Operations whose floating-point environment matters: the instructions of the plain operation, unless those raise
//! exceptions that it has no reason for.
//!
//! Most instructions and library functions raise what they should. Comparisons choose between `ucomis` and `comis`.
//! The plain conversion to unsigned 64 bits computes two results and selects one, so that each number raises an
//! exception in one of them; here a branch comes first. What the rules emit stays where it is: such instructions are
//! not pure in a function that has strict operations ([`frazil_codegen::mfunc::MFunc::is_pure`]).

use super::convert::{half_of_range, truncating_row};
use super::{compare, convert, float, float_bytes, int_bits, lower_extended, result, type_of, word_bits};
use crate::build::*;
use crate::cond::Cond;
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, RegClass};
use frazil_ir::{InstData, Opcode, Refusal, StrictFlags, Type};

/// Lowers a strict operation.
#[cold]
pub fn lower<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let Some(mut plain) = data.without_strictness() else {
        return Err(CodegenError::unsupported(Refusal::Instruction, data.op.name()));
    };
    match plain.op {
        op if op.is_fcmp() => {
            plain.flags = data.flags & StrictFlags::SIGNALING;
            compare::compare_to_value(cx, &plain)
        }
        _ if plain.ty == Type::X86_F80 => lower_extended(cx, &plain),
        Opcode::Fptoui if int_bits(cx, plain.ty) == word_bits::<C>() && float_bytes(type_of(cx, plain.a)) > 0 => {
            to_unsigned(cx, &plain);
            Ok(())
        }
        op if frazil_ir::typing::is_cast(op) => convert::float_cast(cx, &plain),
        _ => float::float(cx, &plain),
    }
}

/// Numbers of half the range and more are converted less that, and get their top bit back.
fn to_unsigned<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bytes = float_bytes(type_of(cx, data.a));
    let src = cx.use_reg(data.a, 0);
    let reduced = cx.temp(RegClass::Float);
    let top = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    let limit = half_of_range(cx, bytes);
    cx.begin_group(GroupKind::Plain);
    let small = cx.local_label();
    cx.emit(rr(Op::MovapRR, 4, reduced, src));
    cx.emit(mov_imm(C::WORD_BYTES, top, 0));
    // No number is invalid here as it is for the conversion.
    cx.emit(rm(Op::ComisRM, bytes, src, limit));
    cx.emit(jcc(Cond::B, small));
    cx.emit(rm(Op::SubsRM, bytes, reduced, limit));
    cx.emit(mov_imm(C::WORD_BYTES, top, i64::MIN >> (64 - word_bits::<C>())));
    cx.bind(small);
    cx.emit(rr(truncating_row(bytes), C::WORD_BYTES, dst, reduced));
    cx.emit(rr(Op::XorRR, C::WORD_BYTES, dst, top));
    cx.end_group();
}
