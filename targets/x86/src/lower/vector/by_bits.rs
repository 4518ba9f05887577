//! Masks of vectors of 256 and 512 bits in mask registers: comparisons, and the selects that take them.
//!
//! A mask is the bits of an integer wherever it is kept, so a comparison is folded into the cast to that integer, or
//! into a select; and a select takes its mask from a comparison, or from a cast, that is folded into it
//! ([`frazil_codegen::Isa::masks_are_bits`]).

use super::super::result;
use super::wide;
use super::wide_compare;
use super::wide_compare::{is_extreme, predicate};
use crate::build::*;
use crate::evex::Evex;
use crate::features;
use crate::regs::{MASK, VECTOR_BYTES, WIDEST_VECTOR_BYTES};
use frazil_codegen::features::FeatureSet;
use frazil_codegen::{Folder, Halt, LowerCtx, Reg, VectorShape};
use frazil_ir::{Function, InstData, Opcode, Operand, Type, TypeData, TypeTable};

/// Whether a function with these features has masks there: those of the x86-64-v4 level.
pub fn is_available(features: FeatureSet) -> bool {
    let needed = [
        features::AVX512F,
        features::AVX512BW,
        features::AVX512DQ,
        features::AVX512VL,
    ];
    needed.iter().all(|&feature| features.has(feature))
}

/// The shape of a vector of 256 or 512 bits.
fn shape(types: &TypeTable, ty: Type) -> Option<VectorShape> {
    match wide::bytes(types, ty) {
        0 => None,
        _ => VectorShape::of(types, ty, WIDEST_VECTOR_BYTES),
    }
}

/// Whether it is a comparison or a select.
pub fn is_concerned(data: &InstData) -> bool {
    data.op == Opcode::Select || data.op.is_icmp() || data.op.is_fcmp()
}

/// Whether a comparison or a select has instructions, where [`is_available`].
pub fn is_done(function: &Function, data: &InstData) -> bool {
    match data.op {
        // One truth value for all lanes is no mask.
        Opcode::Select => {
            let mask = function.operand_type(data.a).map(|ty| function.types().data(ty));
            matches!(mask, Some(TypeData::Vector { .. })) && shape(function.types(), data.ty).is_some()
        }
        _ => compared(function, data).is_some(),
    }
}

/// The row, length and immediate of a comparison.
fn compared(function: &Function, compare: &InstData) -> Option<(Evex, u8, i32)> {
    let shape = shape(function.types(), compare.ty)?;
    let bytes = wide::bytes(function.types(), compare.ty);
    if compare.op.is_fcmp() {
        let row = match shape.element {
            Type::F32 => Evex::Vcmpps,
            Type::F64 => Evex::Vcmppd,
            _ => return None,
        };
        return Some((row, bytes, predicate(compare.op)?));
    }
    let (signed, unsigned) = match shape.lane_bits {
        8 => (Evex::Vpcmpb, Evex::Vpcmpub),
        16 => (Evex::Vpcmpw, Evex::Vpcmpuw),
        32 => (Evex::Vpcmpd, Evex::Vpcmpud),
        _ => (Evex::Vpcmpq, Evex::Vpcmpuq),
    };
    // Intel manual, `VPCMPD`: equal, less, not greater, not equal, not less, greater.
    let (row, predicate) = match compare.op {
        Opcode::IcmpEq => (signed, 0),
        Opcode::IcmpNe => (signed, 4),
        Opcode::IcmpSlt => (signed, 1),
        Opcode::IcmpSle => (signed, 2),
        Opcode::IcmpSge => (signed, 5),
        Opcode::IcmpSgt => (signed, 6),
        Opcode::IcmpUlt => (unsigned, 1),
        Opcode::IcmpUle => (unsigned, 2),
        Opcode::IcmpUge => (unsigned, 5),
        Opcode::IcmpUgt => (unsigned, 6),
        _ => return None,
    };
    Some((row, bytes, predicate))
}

/// Folds what the mask of a select comes from, as its rule expects it. Legalisation has put it right before.
pub fn fold_mask(folder: &mut Folder<'_>, mask: Operand) {
    if let Some((value, data)) = folder.producer(mask)
        && (data.op == Opcode::Bitcast || compared(folder.function, data).is_some())
    {
        folder.fold(value);
    }
}

/// Folds a comparison into a cast, which legalisation has put right after it.
pub fn fold_compared(folder: &mut Folder<'_>, mask: Operand) {
    if is_available(folder.features())
        && let Some((value, data)) = folder.producer(mask)
        && compared(folder.function, data).is_some()
    {
        folder.fold(value);
    }
}

/// Lowers a cast to an integer from a comparison that is folded into it; `false` if it is another cast.
pub fn cast<C: LowerCtx>(cx: &mut C, data: &InstData) -> bool {
    if !cx.is_folded(data.a) {
        return false;
    }
    let Some(compare) = definition(cx, data.a) else {
        return false;
    };
    let Some(found) = compared(cx.func(), &compare) else {
        return false;
    };
    let (left, right) = (cx.use_reg(compare.a, 0), cx.use_reg(compare.b, 0));
    let dst = cx.def(result(data), 0);
    put_compared(cx, found, left, right);
    let bits = cx.func().types().int_bits(data.ty).unwrap_or(64);
    let row = match bits {
        ..=16 => Evex::KmovwRK,
        17..=32 => Evex::KmovdRK,
        _ => Evex::KmovqRK,
    };
    cx.emit(evex(row, VECTOR_BYTES, false, [dst, MASK, Reg::NONE], 0));
    true
}

fn definition<C: LowerCtx>(cx: &C, operand: Operand) -> Option<InstData> {
    let function = cx.func();
    Some(*function.inst(function.def_inst(operand.as_value()?)?))
}

fn put_compared<C: LowerCtx>(cx: &mut C, (row, bytes, predicate): (Evex, u8, i32), left: Reg, right: Reg) {
    cx.emit(evex(row, bytes, false, [MASK, left, right], predicate));
}

/// Lowers a select.
///
/// # Errors
/// A mask that is not folded.
pub fn select<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    if cx.is_folded(data.a) && is_extreme(cx.func(), data) {
        return wide_compare::select(cx, data);
    }
    let (if_true, if_false) = cx.func().ternary(data);
    let mask = definition(cx, data.a)
        .filter(|_| cx.is_folded(data.a))
        .ok_or(Halt::Expand)?;
    let bytes = wide::bytes(cx.func().types(), data.ty);
    let lane_bits = shape(cx.func().types(), data.ty).map_or(64, |shape| shape.lane_bits);
    let row = match lane_bits {
        8 => Evex::Vpblendmb,
        16 => Evex::Vpblendmw,
        32 => Evex::Vpblendmd,
        _ => Evex::Vpblendmq,
    };
    let found = compared(cx.func(), &mask);
    let first = cx.use_reg(mask.a, 0);
    let second = match found {
        Some(_) => cx.use_reg(mask.b, 0),
        None => Reg::NONE,
    };
    let (if_true, if_false) = (cx.use_reg(if_true, 0), cx.use_reg(if_false, 0));
    let dst = cx.def(result(data), 0);
    match found {
        Some(found) => put_compared(cx, found, first, second),
        None => {
            let lanes = u32::from(bytes) * 8 / lane_bits;
            let row = match lanes {
                ..=16 => Evex::KmovwKR,
                17..=32 => Evex::KmovdKR,
                _ => Evex::KmovqKR,
            };
            cx.emit(evex(row, VECTOR_BYTES, false, [MASK, first, Reg::NONE], 0));
        }
    }
    cx.emit(evex(row, bytes, true, [dst, if_false, if_true], 0));
    Ok(())
}
