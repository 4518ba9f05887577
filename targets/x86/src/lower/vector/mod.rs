//! Vectors in SSE registers: dispatch, and which operations have instructions here.
//!
//! How lanes lie in registers, masks and vectors of less than 16 bytes included, is said in
//! [`frazil_codegen::vectors`]. What is above a value's lanes is undefined, and instructions compute there what they
//! like; no result depends on it. What [`has_operation`] denies is done lane by lane by shared code.

pub mod arith;
pub mod bitcast;
pub mod by_bits;
pub mod choice;
pub mod clamp;
pub mod compare;
pub mod convert;
pub mod count;
pub mod divide;
pub mod doubled;
pub mod elements;
pub mod extend;
pub mod four_lanes;
pub mod intrinsics;
pub mod mask;
pub mod mask_register;
pub mod memory;
pub mod operation;
pub mod packs;
pub mod reduce;
pub mod shift;
pub mod shift_each;
pub mod shift_one;
pub mod shuffle;
pub mod wide;
pub mod wide_compare;
pub mod wide_operations;
mod wide_shuffle;
pub mod widest;
pub mod words;

use super::{constant_mem, is_32_bit, result, type_of};
use crate::build::*;
use crate::features;
use crate::memory_forms::vector_memory_form;
use crate::regs::VECTOR_BYTES;
use crate::table::Op;
use frazil_codegen::vectors::constant_bits;
use frazil_codegen::{Halt, LowerCtx, Mem, ModuleView, Reg, RegClass, VectorShape};
use frazil_ir::typing::{is_cast, is_reduction};
use frazil_ir::{ConstView, Function, Inst, InstData, Opcode, Operand, Type, TypeTable};

/// Lowers an instruction whose type is a vector.
pub fn lower<C: LowerCtx>(cx: &mut C, inst: Inst) -> Result<(), Halt> {
    let data = *cx.func().inst(inst);
    if !has_operation(cx.func(), cx.view(), &data) {
        return Err(Halt::Expand);
    }
    if data.op == Opcode::Shuffle && (clamp::join(cx, &data) || packs::join(cx, &data)) {
        return Ok(());
    }
    if wide::is_done(cx.func(), &data) {
        wide::shuffle(cx, &data);
        return Ok(());
    }
    if wide::is_wide(cx.func(), &data) {
        return match () {
            () if clamp::truncate(cx, &data) => Ok(()),
            () if by_bits::is_concerned(cx.func(), &data) && mask_register::is_available(cx.view().features) => {
                by_bits::lower(cx, &data)
            }
            () if widest::is_widest(cx.func(), &data) => widest::lower(cx, &data),
            () if is_better_in_short(cx, &data) || !wide_operations::is_done(cx.func(), cx.view(), &data) => {
                widest::lower_in_short(cx, &data)
            }
            () => wide_operations::lower(cx, &data),
        };
    }
    if is_better_in_short(cx, &data) {
        return widest::lower_in_short(cx, &data);
    }
    let shape = shape_of(cx, data.ty)?;
    match data.op {
        Opcode::Copy | Opcode::Freeze => super::copy(cx, &data),
        Opcode::Load => memory::load(cx, &data, shape),
        Opcode::Store => memory::store(cx, &data, shape),
        Opcode::Select => return choice::select(cx, &data, shape),
        Opcode::ExtractElement => elements::extract(cx, &data, shape),
        Opcode::InsertElement => elements::insert(cx, &data, shape),
        Opcode::Shuffle => return shuffle::shuffle(cx, &data),
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => shift::shift(cx, &data, shape),
        Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => return divide::divide(cx, &data, shape),
        Opcode::Ctpop => count::count_ones(cx, &data, shape),
        Opcode::Ctlz => count::leading_zeros(cx, &data),
        Opcode::Bswap => shuffle::swap_bytes(cx, &data, shape),
        Opcode::Bitcast => bitcast::bitcast(cx, &data),
        op if op.is_icmp() => return compare::integers(cx, &data, shape),
        op if op.is_fcmp() => return compare::floats(cx, &data, shape),
        op if is_cast(op) => return convert::convert(cx, &data, shape),
        _ => return arith::arith(cx, &data, shape),
    }
    Ok(())
}

fn is_better_in_short<C: LowerCtx>(cx: &C, data: &InstData) -> bool {
    mask_register::is_available(cx.view().features) && widest::is_better_in_short(cx.func(), cx.view(), data)
}

/// The immediate of `vcvtps2ph` that rounds as the current mode says (Intel manual, volume 2).
pub const CURRENT_ROUNDING: i32 = 4;

/// Whether an operation has instructions.
pub fn has_operation(function: &Function, view: ModuleView<'_>, data: &InstData) -> bool {
    if wide::is_wide(function, data) {
        let has_own = match () {
            () if by_bits::is_concerned(function, data) && mask_register::is_available(view.features) => {
                by_bits::is_done(function, data)
            }
            () if widest::is_widest(function, data) => widest::is_done(function, view, data),
            () => wide_operations::is_done(function, view, data) || widest::is_done_in_short(function, view, data),
        };
        return has_own || wide::is_done(function, data);
    }
    let Some(shape) = shape(function.types(), data.ty) else {
        // What computes a scalar from a vector is a reduction or a cast.
        let is_scalar = matches!(
            data.op,
            Opcode::Bitcast | Opcode::ByteDifferences | Opcode::WordProducts
        );
        return is_scalar || is_reduction(data.op) && reduce::is_done(function, view, data);
    };
    match data.op {
        _ if mask_register::is_available(view.features) && widest::is_better_in_short(function, view, data) => true,
        Opcode::Copy | Opcode::Freeze | Opcode::Select | Opcode::Bitcast => true,
        Opcode::Load | Opcode::Store => !shape.is_mask,
        Opcode::ExtractElement => shape.lane(function, data.b).is_some(),
        Opcode::InsertElement => shape.lane(function, function.ternary(data).1).is_some(),
        Opcode::Shuffle => shuffle::is_done(function, data),
        Opcode::Fpext | Opcode::Fptrunc if convert::is_of_halves(function, view, data, shape) => true,
        _ if super::is_narrow_float(shape.element) => false,
        Opcode::Bswap => is_integer(shape),
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => is_integer(shape),
        Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => divide::divisor(function, data, shape).is_some(),
        Opcode::Ctpop => is_integer(shape),
        Opcode::Ctlz => is_integer(shape) && shape.lane_bits == 32,
        op if op.is_icmp() => shape.lane_bits <= 64 && !shape.is_mask,
        op if op.is_fcmp() => true,
        op if is_cast(op) => convert::has_conversion(function, data, shape),
        _ => arith::has_operation(view, data, shape),
    }
}

/// The shape of a type; `None` if it is no vector that fits a register.
pub fn shape(types: &TypeTable, ty: Type) -> Option<VectorShape> {
    VectorShape::of(types, ty, VECTOR_BYTES)
}

/// The shape of a type that must be a vector.
fn shape_of<C: LowerCtx>(cx: &C, ty: Type) -> Result<VectorShape, Halt> {
    shape(cx.func().types(), ty).ok_or(Halt::Expand)
}

/// The shape of an operand that must be a vector.
fn operand_shape<C: LowerCtx>(cx: &C, operand: Operand) -> Result<VectorShape, Halt> {
    shape_of(cx, type_of(cx, operand))
}

/// Whether lanes are floating-point numbers.
fn has_floats(shape: VectorShape) -> bool {
    super::float_bytes(shape.element) > 0
}

/// Whether lanes are integers of 8, 16, 32 or 64 bits.
fn is_integer(shape: VectorShape) -> bool {
    !has_floats(shape) && !shape.is_mask && shape.lane_bits <= 64
}

/// Bytes of a lane, as the size of packed floating-point instructions.
fn lane_bytes(shape: VectorShape) -> u8 {
    (shape.lane_bits / 8) as u8
}

fn has_sse41(view: ModuleView<'_>) -> bool {
    view.features.has(features::SSE4_1)
}

fn has_ssse3(view: ModuleView<'_>) -> bool {
    view.features.has(features::SSSE3)
}

/// A vector register for this step.
fn temp<C: LowerCtx>(cx: &mut C) -> Reg {
    cx.temp(RegClass::Float)
}

/// A register with the contents of another one.
fn copy_of<C: LowerCtx>(cx: &mut C, src: Reg) -> Reg {
    let copy = temp(cx);
    cx.emit(rr(Op::MovapRR, 4, copy, src));
    copy
}

/// 16 bytes in memory.
fn constant<C: LowerCtx>(cx: &mut C, bits: u128) -> Mem {
    constant_mem(cx, &bits.to_le_bytes())
}

/// A number in each lane of this many bits.
fn splat(value: u128, lane_bits: u32) -> u128 {
    let lane = value & (u128::MAX >> (128 - lane_bits));
    (0..128 / lane_bits).fold(0, |bits, index| bits | lane << (index * lane_bits))
}

/// An instruction on a whole register and another one.
fn with<C: LowerCtx>(cx: &mut C, row: Op, dst: Reg, src: Reg) {
    cx.emit(rr(row, 16, dst, src));
}

/// An instruction on a whole register and a constant in memory.
fn with_constant<C: LowerCtx>(cx: &mut C, row: Op, dst: Reg, bits: u128) {
    let mem = constant(cx, bits);
    cx.emit(rm(row, 16, dst, mem));
}

/// The register contents of an operand that is a constant.
fn constant_operand<C: LowerCtx>(cx: &C, operand: Operand) -> Option<u128> {
    let (ty, view) = cx.func().constant(operand.as_const()?);
    let shape = shape(cx.func().types(), ty)?;
    match view {
        ConstView::Vector(lanes) => constant_bits(cx.func(), shape, lanes),
        ConstView::Zero => Some(0),
        _ => None,
    }
}

/// `dst = row(dst, operand)`, with a constant in memory where there is a row for that.
fn with_operand<C: LowerCtx>(cx: &mut C, row: Op, size: u8, data: &InstData, left: Operand, right: Operand) {
    if let Some(bits) = constant_operand(cx, right)
        && let Some(row) = vector_memory_form(row)
    {
        let mem = constant(cx, bits);
        let left = cx.use_last(left, 0);
        let dst = cx.def_reuse(result(data), 0, left);
        return cx.emit(rm(row, size, dst, mem));
    }
    let right = cx.use_reg(right, 0);
    let left = cx.use_last(left, 0);
    let dst = cx.def_reuse(result(data), 0, left);
    cx.emit(rr(row, size, dst, right));
}

/// A shift of a register's lanes, or of all of it, by a number.
fn by<C: LowerCtx>(cx: &mut C, row: Op, dst: Reg, amount: i32) {
    cx.emit(ri(row, 16, dst, amount));
}

/// 32-bit lanes of a register, chosen by an immediate.
fn lanes<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg, chosen: i32) {
    cx.emit(rri(Op::PshufdRRI, 16, dst, src, chosen));
}

/// A new register with all bits clear.
fn zero<C: LowerCtx>(cx: &mut C) -> Reg {
    let zero = temp(cx);
    cx.emit(r(Op::ZeroX, 16, zero));
    zero
}

/// A new register with these bits.
fn loaded<C: LowerCtx>(cx: &mut C, bits: u128) -> Reg {
    let mem = constant(cx, bits);
    let loaded = temp(cx);
    cx.emit(rm(Op::MovapRM, 4, loaded, mem));
    loaded
}

/// A new register with the sign of each lane in all of the lane's bits.
fn signs<C: LowerCtx>(cx: &mut C, value: Reg, lane_bits: u32) -> Reg {
    if lane_bits == 8 {
        let signs = zero(cx);
        with(cx, Op::PcmpgtbRR, signs, value);
        return signs;
    }
    let signs = temp(cx);
    if lane_bits == 64 {
        lanes(cx, signs, value, 0xf5);
    } else {
        cx.emit(rr(Op::MovapRR, 4, signs, value));
    }
    let row = if lane_bits == 16 { Op::PsrawRI } else { Op::PsradRI };
    by(cx, row, signs, lane_bits.min(32).cast_signed() - 1);
    signs
}

/// `dst ^= all ones`.
fn invert<C: LowerCtx>(cx: &mut C, dst: Reg) {
    let ones = temp(cx);
    cx.emit(r(Op::OnesX, 16, ones));
    cx.emit(rr(Op::PxorRR, 16, dst, ones));
}

/// `dst = mask ? on_true : on_false`, lane by lane; writes `mask`, and `dst` holds `on_true` before.
fn blend<C: LowerCtx>(cx: &mut C, dst: Reg, mask: Reg, on_false: Reg) {
    cx.emit(rr(Op::PandRR, 16, dst, mask));
    cx.emit(rr(Op::PandnRR, 16, mask, on_false));
    cx.emit(rr(Op::PorRR, 16, dst, mask));
}

/// Makes the contents of a register of the rule the only result.
fn finish<C: LowerCtx>(cx: &mut C, data: &InstData, value: Reg) {
    cx.def_reuse(result(data), 0, value);
}

/// Moves the low 8 bytes of a general register, in 32-bit code all 4, to a vector register.
fn from_general<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg) {
    cx.emit(rr(Op::MovdXR, C::WORD_BYTES, dst, src));
}

/// Moves the low 8 bytes of an integer operand to a vector register.
fn from_quadword<C: LowerCtx>(cx: &mut C, operand: Operand) -> Reg {
    let dst = temp(cx);
    let low = cx.use_reg(operand, 0);
    if !is_32_bit::<C>() {
        from_general(cx, dst, low);
        return dst;
    }
    let high = cx.use_reg(operand, 1);
    let upper = temp(cx);
    from_general(cx, dst, low);
    from_general(cx, upper, high);
    cx.emit(rr(Op::PunpckldqRR, 16, dst, upper));
    dst
}

/// Moves the low (0) or high (1) 8 bytes of a vector register to a general register.
fn to_general<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg, half: u32) {
    let mut from = src;
    if half == 1 {
        from = temp(cx);
        cx.emit(rri(Op::PshufdRRI, 16, from, src, 0xee));
    }
    cx.emit(rr(Op::MovdRX, C::WORD_BYTES, dst, from));
}

/// Moves the low (0) or high (1) 8 bytes of a vector register to the result, an integer of 64 bits.
fn to_quadword<C: LowerCtx>(cx: &mut C, data: &InstData, src: Reg, half: u32) {
    let low = cx.def(result(data), 0);
    if !is_32_bit::<C>() {
        return to_general(cx, low, src, half);
    }
    let high = cx.def(result(data), 1);
    let upper = temp(cx);
    to_general(cx, low, src, half);
    // The lane after that.
    cx.emit(rri(Op::PshufdRRI, 16, upper, src, if half == 0 { 0x55 } else { 0xff }));
    cx.emit(rr(Op::MovdRX, 4, high, upper));
}
