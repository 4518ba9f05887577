//! Arithmetic on vectors that is one instruction or a short sequence.

use super::super::contracted;
use super::super::float::multiply_add_in_place;
use super::super::{flows_into, result};
use super::operation::row;
use super::shift_one::by_one;
use super::{
    blend, compare, constant, constant_operand, copy_of, finish, has_floats, has_sse41, has_ssse3, lane_bytes, loaded,
    signs, splat, temp, with_constant, with_operand, words, zero,
};
use crate::build::*;
use crate::features;
use crate::regs::WIDE_VECTOR_BYTES;
use crate::table::Op;
use frazil_codegen::vectors::average::operands_of_narrow;
use frazil_codegen::{Folder, Halt, LowerCtx, ModuleView, Reg, VectorShape};
use frazil_ir::{ConstView, FastFlags, Function, InstData, Opcode, Operand};

/// Whether an operation has instructions.
pub fn has_operation(view: ModuleView<'_>, data: &InstData, shape: VectorShape) -> bool {
    if row(view, data.op, shape).is_some() {
        return true;
    }
    let is_integer = !has_floats(shape) && !shape.is_mask;
    match data.op {
        Opcode::Mul => is_integer && shape.lane_bits <= 64,
        Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax | Opcode::Abs => is_integer && shape.lane_bits <= 64,
        Opcode::Fminnum | Opcode::Fmaxnum => true,
        Opcode::Fneg | Opcode::Fabs | Opcode::Fsqrt | Opcode::Fcopysign | Opcode::Fmuladd => true,
        Opcode::Fma => view.features.has(features::FMA),
        op => rounding(op).is_some() && has_sse41(view),
    }
}

/// The immediate of `roundps`; as for scalars.
fn rounding(op: Opcode) -> Option<i32> {
    super::super::float::rounding(op)
}

/// The row of averages of lanes of so many bits.
fn average_row(lane_bits: u32) -> Option<Op> {
    match lane_bits {
        8 => Some(Op::PavgbRR),
        16 => Some(Op::PavgwRR),
        _ => None,
    }
}

/// Folds what makes a difference an average rounded up; says whether it is one.
pub fn fold_average(folder: &mut Folder<'_>, difference: &InstData) -> bool {
    let types = folder.function.types();
    let shape = VectorShape::of(types, difference.ty, WIDE_VECTOR_BYTES).filter(|shape| !shape.is_mask);
    if shape.and_then(|shape| average_row(shape.lane_bits)).is_none() {
        return false;
    }
    let producer = |operand| folder.producer(operand).map(|(_, data)| data);
    if operands_of_narrow(difference, producer, folder.function).is_none() {
        return false;
    }
    for operand in [difference.a, difference.b] {
        let Some((value, data)) = folder.producer(operand) else {
            continue;
        };
        if let Some((inner, _)) = folder.producer(data.a).filter(|(_, inner)| inner.op == Opcode::Xor) {
            folder.fold(inner);
        }
        folder.fold(value);
    }
    true
}

/// An average whose parts are folded; says whether it is one.
pub fn average<C: LowerCtx>(cx: &mut C, data: &InstData, lane_bits: u32) -> bool {
    if data.op != Opcode::Sub || !cx.is_folded(data.a) || !cx.is_folded(data.b) {
        return false;
    }
    let function = cx.func();
    let definition = |operand: Operand| operand.as_value().and_then(|value| function.def_inst(value));
    let (Some(either), Some(row)) = (definition(data.a), average_row(lane_bits)) else {
        return false;
    };
    let either = *function.inst(either);
    let right = cx.use_reg(either.b, 0);
    let left = cx.use_last(either.a, 0);
    let dst = cx.def_reuse(result(data), 0, left);
    cx.emit(rr(row, 16, dst, right));
    true
}

/// Lowers what [`has_operation`] says yes to.
pub fn arith<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) -> Result<(), Halt> {
    let is_sum = matches!(data.op, Opcode::Fadd | Opcode::Fsub);
    if is_sum && contracted::lower(cx, data, contracted::PACKED, lane_bytes(shape))
        || average(cx, data, shape.lane_bits)
    {
        return Ok(());
    }
    if data.op == Opcode::Mul && shape.lane_bits == 32 && !shape.is_mask {
        let is_shift = simple_factor(cx.func(), data, 32).is_some_and(|factor| factor.more.is_none());
        if !is_shift && words::multiply(cx, data) {
            return Ok(());
        }
    }
    if let Some((row, size)) = row(cx.view(), data.op, shape) {
        let (left, right) = match data.op.is_commutative() && flows_into(cx, data, data.b) {
            true => (data.b, data.a),
            false => (data.a, data.b),
        };
        with_operand(cx, row, size, data, left, right);
        return Ok(());
    }
    match (data.op, shape.lane_bits) {
        (Opcode::Mul, bits) if let Some(factor) = simple_factor(cx.func(), data, bits) => {
            multiply_simply(cx, data, shape, factor);
        }
        (Opcode::Mul, 8) => multiply_bytes(cx, data),
        (Opcode::Mul, 32) if !has_sse41(cx.view()) && multiply_by_constants(cx, data) => {}
        (Opcode::Mul, 32) => {
            let left = cx.use_copy(data.a, 0);
            let right = cx.use_reg(data.b, 0);
            multiply_lanes(cx, 32, left, right);
            finish(cx, data, left);
        }
        (Opcode::Mul, _) => multiply_64(cx, data),
        (Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax, _) => min_max(cx, data, shape),
        (Opcode::Abs, _) => abs(cx, data, shape),
        (Opcode::Fneg, _) => with_mask(cx, data, shape, Op::XorpRM, sign_mask(shape)),
        (Opcode::Fabs, _) => with_mask(cx, data, shape, Op::AndpRM, !sign_mask(shape)),
        (Opcode::Fcopysign, _) => copysign(cx, data, shape),
        (Opcode::Fsqrt, _) => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rr(Op::SqrtpRR, lane_bytes(shape), dst, src));
        }
        (Opcode::Fma | Opcode::Fmuladd, _) if cx.view().features.has(features::FMA) => {
            multiply_add_in_place(cx, data, contracted::PACKED[0], lane_bytes(shape));
        }
        (Opcode::Fmuladd, _) => multiply_add(cx, data, shape),
        (Opcode::Fminnum | Opcode::Fmaxnum, _) => number_min_max(cx, data, shape),
        (op, _) if let Some(direction) = rounding(op) => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            let row = if shape.lane_bits == 32 {
                Op::RoundpsRRI
            } else {
                Op::RoundpdRRI
            };
            cx.emit(rri(row, 16, dst, src, direction));
        }
        _ => return Err(Halt::Expand),
    }
    Ok(())
}

/// A factor that is a power of two, or one more or less.
struct SimpleFactor {
    log2: u32,
    /// Whether the value itself is added or subtracted.
    more: Option<Opcode>,
}

/// The factor of all lanes, if it is simple.
fn simple_factor(function: &Function, data: &InstData, lane_bits: u32) -> Option<SimpleFactor> {
    let ConstView::Vector(lanes) = function.constant(data.b.as_const()?).1 else {
        return None;
    };
    let first = lanes.first()?.as_imm()?;
    let factor = first.cast_unsigned() & (u64::MAX >> (64 - lane_bits));
    if factor < 2 || lanes.iter().any(|lane| lane.as_imm() != Some(first)) {
        return None;
    }
    let (power, more) = match factor {
        _ if factor.is_power_of_two() => (factor, None),
        _ if (factor - 1).is_power_of_two() => (factor - 1, Some(Opcode::Add)),
        _ if lane_bits < 64 && (factor + 1).is_power_of_two() => (factor + 1, Some(Opcode::Sub)),
        _ => return None,
    };
    let log2 = power.trailing_zeros();
    (log2 < lane_bits).then_some(SimpleFactor { log2, more })
}

fn multiply_simply<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape, factor: SimpleFactor) {
    let value = cx.use_copy(data.a, 0);
    let own = factor.more.map(|_| copy_of(cx, value));
    by_one(cx, Opcode::Shl, shape.lane_bits, value, factor.log2.cast_signed());
    let row = factor.more.and_then(|op| row(cx.view(), op, shape));
    if let (Some((row, size)), Some(own)) = (row, own) {
        cx.emit(rr(row, size, value, own));
    }
    finish(cx, data, value);
}

/// Even and odd bytes apart, as 16-bit lanes. An odd byte above nothing has its product in its place.
fn multiply_bytes<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let even = cx.use_copy(data.a, 0);
    let right = cx.use_copy(data.b, 0);
    let odd = copy_of(cx, even);
    let odd_bytes = constant(cx, splat(0xff00, 16));
    cx.emit(rm(Op::PandRM, 16, odd, odd_bytes));
    cx.emit(rr(Op::PmullwRR, 16, even, right));
    cx.emit(ri(Op::PsrlwRI, 16, right, 8));
    cx.emit(rr(Op::PmullwRR, 16, odd, right));
    let low_bytes = constant(cx, splat(0xff, 16));
    cx.emit(rm(Op::PandRM, 16, even, low_bytes));
    cx.emit(rr(Op::PorRR, 16, even, odd));
    finish(cx, data, even);
}

/// `value *= right`, in lanes of 16 or 32 bits.
pub(super) fn multiply_lanes<C: LowerCtx>(cx: &mut C, lane_bits: u32, value: Reg, right: Reg) {
    match lane_bits {
        16 => cx.emit(rr(Op::PmullwRR, 16, value, right)),
        _ if has_sse41(cx.view()) => cx.emit(rr(Op::PmulldRR, 16, value, right)),
        _ => multiply_32(cx, value, right),
    }
}

/// Even and odd lanes apart, with products of 64 bits.
fn multiply_32<C: LowerCtx>(cx: &mut C, even: Reg, right: Reg) {
    let (odd, odd_right) = (odd_lanes(cx, even), odd_lanes(cx, right));
    cx.emit(rr(Op::PmuludqRR, 16, even, right));
    cx.emit(rr(Op::PmuludqRR, 16, odd, odd_right));
    join_products(cx, even, odd);
}

/// The same with factors of which those of odd lanes need not be moved; says whether the right operand is constant.
fn multiply_by_constants<C: LowerCtx>(cx: &mut C, data: &InstData) -> bool {
    let known = words::constant_of(cx.func(), data.b).and_then(|known| constant_operand(cx, known));
    let Some(factors) = known else {
        return false;
    };
    let even = cx.use_copy(data.a, 0);
    let odd = odd_lanes(cx, even);
    let are_same = factors == splat(factors, 32);
    match data.b.as_const() {
        None => {
            let right = cx.use_reg(data.b, 0);
            cx.emit(rr(Op::PmuludqRR, 16, even, right));
            match are_same {
                true => cx.emit(rr(Op::PmuludqRR, 16, odd, right)),
                false => with_constant(cx, Op::PmuludqRM, odd, factors >> 32),
            }
        }
        Some(_) => {
            let odd_factors = if are_same { factors } else { factors >> 32 };
            with_constant(cx, Op::PmuludqRM, even, factors);
            with_constant(cx, Op::PmuludqRM, odd, odd_factors);
        }
    }
    join_products(cx, even, odd);
    finish(cx, data, even);
    true
}

/// The odd lanes of 32 bits in the places of the even ones.
fn odd_lanes<C: LowerCtx>(cx: &mut C, value: Reg) -> Reg {
    let odd = temp(cx);
    cx.emit(rri(Op::PshufdRRI, 16, odd, value, 0xf5));
    odd
}

/// The lower halves of products of even and odd lanes, in the order of the lanes.
fn join_products<C: LowerCtx>(cx: &mut C, even: Reg, odd: Reg) {
    // Two of each side by side, and then in turn.
    cx.emit(rri(Op::ShufpRRI, 4, even, odd, 0x88));
    cx.emit(rri(Op::PshufdRRI, 16, even, even, 0xd8));
}

/// From products of 32-bit halves.
fn multiply_64<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let low = cx.use_copy(data.a, 0);
    let right = cx.use_reg(data.b, 0);
    let high_left = copy_of(cx, low);
    let high_right = copy_of(cx, right);
    cx.emit(ri(Op::PsrlqRI, 16, high_left, 32));
    cx.emit(ri(Op::PsrlqRI, 16, high_right, 32));
    cx.emit(rr(Op::PmuludqRR, 16, high_left, right));
    cx.emit(rr(Op::PmuludqRR, 16, high_right, low));
    cx.emit(rr(Op::PmuludqRR, 16, low, right));
    cx.emit(rr(Op::PaddqRR, 16, high_left, high_right));
    cx.emit(ri(Op::PsllqRI, 16, high_left, 32));
    cx.emit(rr(Op::PaddqRR, 16, low, high_left));
    finish(cx, data, low);
}

fn min_max<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    if shape.lane_bits == 16 {
        return unsigned_words(cx, data);
    }
    let is_signed = matches!(data.op, Opcode::Smin | Opcode::Smax);
    if is_signed && constant_operand(cx, data.b) == Some(0) {
        return beside_zero(cx, data, shape);
    }
    let (chosen, other) = match data.op {
        Opcode::Smax | Opcode::Umax => (data.a, data.b),
        _ => (data.b, data.a),
    };
    let chosen = cx.use_copy(chosen, 0);
    let other = cx.use_reg(other, 0);
    // In both cases the mask tells where the first operand is greater.
    let is_max = matches!(data.op, Opcode::Smax | Opcode::Umax);
    let (left, right) = if is_max { (chosen, other) } else { (other, chosen) };
    let mask = copy_of(cx, left);
    match constant_operand(cx, data.b).filter(|_| !is_signed && shape.lane_bits < 64) {
        Some(known) => {
            // With inverted top bits, signed order is unsigned order; of the constant, they are inverted here.
            let bias = splat(1 << (shape.lane_bits - 1), shape.lane_bits);
            with_constant(cx, Op::PxorRM, mask, bias);
            let right = loaded(cx, known ^ bias);
            compare::greater(cx, shape.lane_bits, true, mask, right);
        }
        None => compare::greater(cx, shape.lane_bits, is_signed, mask, right),
    }
    blend(cx, chosen, mask, other);
    finish(cx, data, chosen);
}

/// The lesser or greater one of a value and zero: nothing where the value has the other sign.
fn beside_zero<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let value = cx.use_copy(data.a, 0);
    let (mask, other) = match data.op {
        Opcode::Smax => (copy_of(cx, value), zero(cx)),
        _ => (zero(cx), value),
    };
    compare::greater(cx, shape.lane_bits, true, mask, other);
    cx.emit(rr(Op::PandRR, 16, value, mask));
    finish(cx, data, value);
}

/// What saturating subtraction leaves of `a - b` is nothing, or what `a` has above `b`.
fn unsigned_words<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let left = cx.use_copy(data.a, 0);
    let right = cx.use_reg(data.b, 0);
    if data.op == Opcode::Umax {
        cx.emit(rr(Op::PsubuswRR, 16, left, right));
        cx.emit(rr(Op::PaddwRR, 16, left, right));
    } else {
        let above = copy_of(cx, left);
        cx.emit(rr(Op::PsubuswRR, 16, above, right));
        cx.emit(rr(Op::PsubwRR, 16, left, above));
    }
    finish(cx, data, left);
}

/// The instructions give their second operand if one of both is no number. If that is none, the other one is taken.
fn number_min_max<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let size = lane_bytes(shape);
    let row = if data.op == Opcode::Fminnum {
        Op::MinpRR
    } else {
        Op::MaxpRR
    };
    if FastFlags::from_bits_retain(data.flags).contains(FastFlags::NNAN) {
        let right = cx.use_reg(data.b, 0);
        let left = cx.use_last(data.a, 0);
        let dst = cx.def_reuse(result(data), 0, left);
        cx.emit(rr(row, size, dst, right));
        return;
    }
    let left = cx.use_copy(data.a, 0);
    let right = cx.use_copy(data.b, 0);
    let extreme = copy_of(cx, right);
    cx.emit(rr(row, size, extreme, left));
    cx.emit(rri(Op::CmppRRI, size, left, left, compare::predicate::UNORDERED));
    // right where left is none.
    blend(cx, right, left, extreme);
    finish(cx, data, right);
}

/// Inverted and incremented where negative.
fn abs<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let single = match shape.lane_bits {
        8 => Some(Op::PabsbRR),
        16 => Some(Op::PabswRR),
        32 => Some(Op::PabsdRR),
        _ => None,
    };
    if let Some(row) = single.filter(|_| has_ssse3(cx.view())) {
        let src = cx.use_reg(data.a, 0);
        let dst = cx.def(result(data), 0);
        cx.emit(rr(row, 16, dst, src));
        return;
    }
    let value = cx.use_copy(data.a, 0);
    match shape.lane_bits {
        // Of a byte, the lesser one unsigned; of a word, the greater one signed.
        8 | 16 => {
            let negated = zero(cx);
            let (subtract, choose) = if shape.lane_bits == 8 {
                (Op::PsubbRR, Op::PminubRR)
            } else {
                (Op::PsubwRR, Op::PmaxswRR)
            };
            cx.emit(rr(subtract, 16, negated, value));
            cx.emit(rr(choose, 16, value, negated));
        }
        bits => {
            let sign = signs(cx, value, bits);
            let subtract = if bits == 32 { Op::PsubdRR } else { Op::PsubqRR };
            cx.emit(rr(Op::PxorRR, 16, value, sign));
            cx.emit(rr(subtract, 16, value, sign));
        }
    }
    finish(cx, data, value);
}

/// The sign bit of each lane.
fn sign_mask(shape: VectorShape) -> u128 {
    splat(1 << (shape.lane_bits - 1), shape.lane_bits)
}

fn with_mask<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape, row: Op, bits: u128) {
    let mask = constant(cx, bits);
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rm(row, lane_bytes(shape), dst, mask));
}

fn copysign<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let size = lane_bytes(shape);
    let sign = cx.use_copy(data.b, 0);
    let (signs, magnitudes) = (constant(cx, sign_mask(shape)), constant(cx, !sign_mask(shape)));
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rm(Op::AndpRM, size, sign, signs));
    cx.emit(rm(Op::AndpRM, size, dst, magnitudes));
    cx.emit(rr(Op::OrpRR, size, dst, sign));
}

/// Not fused, as for scalars.
fn multiply_add<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let (factor, addend) = cx.func().ternary(data);
    let addend = cx.use_reg(addend, 0);
    let factor = cx.use_reg(factor, 0);
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rr(Op::MulpRR, lane_bytes(shape), dst, factor));
    cx.emit(rr(Op::AddpRR, lane_bytes(shape), dst, addend));
}
