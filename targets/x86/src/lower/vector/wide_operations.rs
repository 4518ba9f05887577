//! Operations on vectors of 256 bits that AVX2 has one instruction for, or two.
//!
//! Shared code asks for each instruction whether it is one of them ([`is_done`]), and takes the vectors apart for all
//! others. Comparisons are in [`super::wide_compare`].

use super::super::fused::Fused;
use super::super::{contracted, is_narrow_float, result};
use super::doubled::Doubled;
use super::wide::{constant_halves, pool, reload, wide_shape};
use super::{extend, has_floats, operation, shape, splat, temp, wide_compare, wide_shuffle};
use crate::build::*;
use crate::features;
use crate::ops::Form;
use crate::regs::{VECTOR_BYTES, WIDE_VECTOR_BYTES};
use crate::rows::ROWS;
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{Folder, Halt, ImmKind, LowerCtx, ModuleView, Src, VectorShape};
use frazil_ir::{ConstView, FastFlags, Function, InstData, MemFlags, Opcode, Operand, Type};

/// The operation's size in bytes.
const SIZE: u8 = WIDE_VECTOR_BYTES;

/// How an operation is done.
#[derive(Clone, Copy)]
enum Plan {
    /// Nothing is computed.
    Copy,
    Load,
    Store,
    /// `dst = row(a)`.
    Unary(Op),
    /// `dst = row(a)`, and of each lane only the lowest bit.
    Bit(Op),
    /// `dst = second(first(a))`.
    Chain(Op, Op),
    /// `dst = row(a, b)`.
    Binary(Op),
    /// `dst = row(a, immediate)`.
    Immediate(Op, i32),
    /// `a = row(a, constant)`, with this number in each lane.
    Constant(Op, u64),
    /// `a = row(a, b, c)`.
    Fused(Fused),
    /// A choice by a comparison that is folded into it.
    Select,
    /// All ones where a comparison holds that is folded into it.
    Mask,
    /// See [`wide_shuffle`].
    Shuffle,
    SwapBytes,
    CountOnes,
    /// See [`wide_shuffle::truncate`].
    Truncate,
    /// As in 128 bits, by [`Doubled`].
    Doubled,
    /// A scalar in the lowest lane, with nothing above it.
    Lowest,
}

/// Whether an instruction with a vector of 256 bits is one of those here: of comparisons, those that a select takes.
pub fn is_done(function: &Function, view: ModuleView<'_>, data: &InstData) -> bool {
    view.features.has(features::AVX2)
        && (plan(function, view, data).is_some() || wide_compare::is_compared(function, data))
}

fn plan(function: &Function, view: ModuleView<'_>, data: &InstData) -> Option<Plan> {
    own_plan(function, view, data).or_else(|| is_as_in_half(function, view, data).then_some(Plan::Doubled))
}

/// What rules for 128 bits see of it: as many lanes as fit there.
fn half(shape: VectorShape) -> VectorShape {
    VectorShape {
        lanes: shape.lanes / 2,
        ..shape
    }
}

/// Whether an operation is done by the rule for 128 bits, which treats all lanes alike.
fn is_as_in_half(function: &Function, view: ModuleView<'_>, data: &InstData) -> bool {
    let Some(shape) = wide_shape(function.types(), data.ty).map(half) else {
        return false;
    };
    match data.op {
        _ if matches!(shape.element, Type::F16 | Type::BF16) => false,
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => same_amount(function, data.b).is_some(),
        Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => {
            super::divide::divisor(function, data, shape).is_some()
        }
        Opcode::UmulHigh | Opcode::SmulHigh => shape.lane_bits == 16,
        Opcode::Ctlz => shape.lane_bits == 32,
        Opcode::Mul | Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax | Opcode::Abs => {
            super::arith::has_operation(view, data, shape)
        }
        Opcode::Fminnum | Opcode::Fmaxnum | Opcode::Fmuladd => true,
        Opcode::Uitofp => {
            let from = function
                .operand_type(data.a)
                .and_then(|ty| wide_shape(function.types(), ty));
            shape.element == Type::F32 && from.is_some_and(|from| from.element == Type::I32)
        }
        Opcode::Fcopysign => function.operand_type(data.b) == Some(data.ty),
        _ => false,
    }
}

/// What has instructions of its own.
fn own_plan(function: &Function, view: ModuleView<'_>, data: &InstData) -> Option<Plan> {
    let types = function.types();
    let of = |operand: Operand| function.operand_type(operand).and_then(|ty| wide_shape(types, ty));
    let Some(shape) = wide_shape(types, data.ty) else {
        if data.op == Opcode::Trunc {
            return wide_shuffle::is_truncated(function, data).then_some(Plan::Truncate);
        }
        return narrowing(function, view, data);
    };
    let is_aligned_to_lanes = |operand| of(operand).is_some();
    Some(match data.op {
        Opcode::Load => Plan::Load,
        Opcode::Store => Plan::Store,
        Opcode::Copy | Opcode::Freeze => Plan::Copy,
        Opcode::Bitcast | Opcode::Ptrtoint | Opcode::Inttoptr if is_aligned_to_lanes(data.a) => Plan::Copy,
        Opcode::InsertElement => is_lowest(function, data, shape).then_some(Plan::Lowest)?,
        Opcode::Shuffle => match broadcast(function, data, shape) {
            Some(row) => Plan::Unary(row),
            None => return wide_shuffle::is_done(function, data).then_some(Plan::Shuffle),
        },
        Opcode::Bswap if shape.lane_bits > 8 => Plan::SwapBytes,
        Opcode::Ctpop => Plan::CountOnes,
        Opcode::Select => return wide_compare::comparison(function, data).map(|_| Plan::Select),
        Opcode::Sext if wide_compare::comparison(function, data).is_some() => Plan::Mask,
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => shift(function, data, shape)?,
        Opcode::Zext | Opcode::Sext => extension(function, data, shape)?,
        Opcode::Sitofp | Opcode::Uitofp if let Some(widened) = widened(function, data, shape) => {
            Plan::Chain(widened, Op::Vcvtdq2psYRR)
        }
        Opcode::Sitofp | Opcode::Fptosi | Opcode::Fpext => Plan::Unary(conversion(function, view, data, shape)?),
        Opcode::Uitofp => return None,
        Opcode::Abs => Plan::Unary(match shape.lane_bits {
            8 => Op::VpabsbYRR,
            16 => Op::VpabswYRR,
            32 => Op::VpabsdYRR,
            _ => return None,
        }),
        // As in 128 bits.
        Opcode::Mul if shape.lane_bits == 32 && super::words::is_of_words(function, data) => return None,
        op => match shape.element {
            Type::F32 | Type::F64 => floats(view, data, shape.element == Type::F64)?,
            Type::F16 | Type::BF16 => return None,
            _ => Plan::Binary(operation::wide_integers(op, shape.lane_bits)?),
        },
    })
}

/// Operations on vectors of `float` or `double`.
fn floats(view: ModuleView<'_>, data: &InstData, is_double: bool) -> Option<Plan> {
    let of = |float: Op, double: Op| if is_double { double } else { float };
    let sign: u64 = if is_double { 1 << 63 } else { 1 << 31 };
    let magnitude = if is_double { !sign } else { sign - 1 };
    if let Some(row) = float_row(data, is_double) {
        return Some(Plan::Binary(row));
    }
    Some(match data.op {
        Opcode::Fneg => Plan::Constant(of(Op::VxorpsYRM, Op::VxorpdYRM), sign),
        Opcode::Fabs => Plan::Constant(of(Op::VandpsYRM, Op::VandpdYRM), magnitude),
        Opcode::Fsqrt => Plan::Unary(of(Op::VsqrtpsYRR, Op::VsqrtpdYRR)),
        Opcode::Fma | Opcode::Fmuladd if view.features.has(features::FMA) => {
            Plan::Fused(contracted::WIDE[usize::from(is_double)][0])
        }
        op => {
            let direction = super::super::float::rounding(op)?;
            Plan::Immediate(of(Op::VroundpsYRRI, Op::VroundpdYRRI), direction)
        }
    })
}

/// The row of an operation of two vectors of floats.
fn float_row(data: &InstData, is_double: bool) -> Option<Op> {
    let of = |float: Op, double: Op| if is_double { double } else { float };
    let is_number = FastFlags::from_bits_retain(data.flags).contains(FastFlags::NNAN);
    Some(match data.op {
        Opcode::Fadd => of(Op::VaddpsYRRR, Op::VaddpdYRRR),
        Opcode::Fsub => of(Op::VsubpsYRRR, Op::VsubpdYRRR),
        Opcode::Fmul => of(Op::VmulpsYRRR, Op::VmulpdYRRR),
        Opcode::Fdiv => of(Op::VdivpsYRRR, Op::VdivpdYRRR),
        Opcode::Fminnum if is_number => of(Op::VminpsYRRR, Op::VminpdYRRR),
        Opcode::Fmaxnum if is_number => of(Op::VmaxpsYRRR, Op::VmaxpdYRRR),
        _ => return None,
    })
}

/// A shift of each lane by its own number, or of all by one that is a constant.
fn shift(function: &Function, data: &InstData, shape: VectorShape) -> Option<Plan> {
    if let Some(amount) = same_amount(function, data.b) {
        // Poison, for which any number will do.
        let amount = if amount < u64::from(shape.lane_bits) {
            amount as i32
        } else {
            0
        };
        let row = match (data.op, shape.lane_bits) {
            (Opcode::Shl, 16) => Op::VpsllwYRRI,
            (Opcode::Lshr, 16) => Op::VpsrlwYRRI,
            (Opcode::Ashr, 16) => Op::VpsrawYRRI,
            (Opcode::Shl, 32) => Op::VpslldYRRI,
            (Opcode::Lshr, 32) => Op::VpsrldYRRI,
            (Opcode::Ashr, 32) => Op::VpsradYRRI,
            (Opcode::Shl, 64) => Op::VpsllqYRRI,
            (Opcode::Lshr, 64) => Op::VpsrlqYRRI,
            _ => return None,
        };
        return Some(Plan::Immediate(row, amount));
    }
    Some(Plan::Binary(match (data.op, shape.lane_bits) {
        (Opcode::Shl, 32) => Op::VpsllvdYRRR,
        (Opcode::Lshr, 32) => Op::VpsrlvdYRRR,
        (Opcode::Ashr, 32) => Op::VpsravdYRRR,
        (Opcode::Shl, 64) => Op::VpsllvqYRRR,
        (Opcode::Lshr, 64) => Op::VpsrlvqYRRR,
        _ => return None,
    }))
}

/// The number that all lanes of a constant have.
pub fn same_amount(function: &Function, operand: Operand) -> Option<u64> {
    match function.constant(operand.as_const()?).1 {
        ConstView::Zero => Some(0),
        ConstView::Vector(lanes) => {
            let first = lanes.first()?.as_imm()?;
            let is_same = lanes.iter().all(|lane| lane.as_imm() == Some(first));
            u64::try_from(first).ok().filter(|_| is_same)
        }
        _ => None,
    }
}

/// Whether an insertion is one into the lowest lane of nothing.
pub fn is_lowest(function: &Function, data: &InstData, shape: VectorShape) -> bool {
    let (_, index) = function.ternary(data);
    let view = data.a.as_const().map(|id| function.constant(id).1);
    let is_nothing = matches!(view, Some(ConstView::Poison | ConstView::Undef));
    is_nothing && shape.lane(function, index) == Some(0)
}

/// Lowers such an insertion.
pub fn put_lowest<C: LowerCtx>(cx: &mut C, data: &InstData, value: Operand, shape: VectorShape) {
    let lane_bytes = shape.lane_bits as u8 / 8;
    if has_floats(shape) || is_narrow_float(shape.element) {
        let value = cx.use_last(value, 0);
        cx.def_reuse(result(data), 0, value);
        return;
    }
    let value = cx.use_reg(value, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::MovdXR, lane_bytes.max(4), dst, value));
}

/// The row that puts the lowest lane into all.
fn broadcast(function: &Function, data: &InstData, shape: VectorShape) -> Option<Op> {
    let (_, mask) = function.ternary(data);
    wide_shape(function.types(), function.operand_type(data.a)?)?;
    let is_lowest = |lane| shuffle_index(function, mask, lane) == Some(0);
    if !(0..shape.lanes).all(is_lowest) {
        return None;
    }
    Some(match (has_floats(shape), shape.lane_bits) {
        (true, 32) => Op::VbroadcastssYRR,
        (true, 64) => Op::VbroadcastsdYRR,
        (_, 8) => Op::VpbroadcastbYRR,
        (_, 16) => Op::VpbroadcastwYRR,
        (_, 32) => Op::VpbroadcastdYRR,
        _ => Op::VpbroadcastqYRR,
    })
}

/// The scalar that an instruction puts into the lowest lane.
fn lowest(function: &Function, insert: &InstData) -> Option<Operand> {
    if insert.op != Opcode::InsertElement {
        return None;
    }
    let (value, index) = function.ternary(insert);
    (index.as_imm() == Some(0)).then_some(value)
}

/// Folds a load of a scalar into what puts it into all lanes.
pub fn fold_broadcast(folder: &mut Folder<'_>, data: &InstData) {
    let function = folder.function;
    let shape = wide_shape(function.types(), data.ty);
    if shape.and_then(|shape| broadcast(function, data, shape)).is_none() {
        return;
    }
    let Some((value, insert)) = folder.producer(data.a) else {
        return;
    };
    let load = lowest(function, insert).and_then(|scalar| folder.producer(scalar));
    let is_lane = |load: &InstData| load.op == Opcode::Load && load.ty == function.types().scalar(data.ty);
    if let Some((scalar, load)) = load.filter(|(_, load)| is_lane(load)) {
        folder.fold(value);
        folder.fold_load(scalar, load);
    }
}

/// The scalar in memory that an instruction puts into all lanes, if it is folded.
fn repeated_load<C: LowerCtx>(cx: &C, data: &InstData) -> Option<Operand> {
    if data.op != Opcode::Shuffle || !cx.is_folded(data.a) {
        return None;
    }
    let function = cx.func();
    let insert = function.inst(function.def_inst(data.a.as_value()?)?);
    lowest(function, insert).filter(|&scalar| cx.is_folded(scalar))
}

/// An extension of the lanes of a vector of at most 128 bits, or of a mask in one.
fn extension(function: &Function, data: &InstData, to: VectorShape) -> Option<Plan> {
    let from = shape(function.types(), function.operand_type(data.a)?)?;
    if from.is_mask {
        // Its lanes are all ones or all zeros, half as wide as those of the result.
        let row = match to.lane_bits {
            16 => Op::VpmovsxbwYRR,
            32 => Op::VpmovsxwdYRR,
            64 => Op::VpmovsxdqYRR,
            _ => return None,
        };
        return Some(match data.op {
            Opcode::Sext => Plan::Unary(row),
            _ => Plan::Bit(row),
        });
    }
    Some(Plan::Unary(
        match (data.op == Opcode::Sext, from.lane_bits, to.lane_bits) {
            (false, 8, 16) => Op::VpmovzxbwYRR,
            (false, 8, 32) => Op::VpmovzxbdYRR,
            (false, 8, 64) => Op::VpmovzxbqYRR,
            (false, 16, 32) => Op::VpmovzxwdYRR,
            (false, 16, 64) => Op::VpmovzxwqYRR,
            (false, 32, 64) => Op::VpmovzxdqYRR,
            (true, 8, 16) => Op::VpmovsxbwYRR,
            (true, 8, 32) => Op::VpmovsxbdYRR,
            (true, 8, 64) => Op::VpmovsxbqYRR,
            (true, 16, 32) => Op::VpmovsxwdYRR,
            (true, 16, 64) => Op::VpmovsxwqYRR,
            (true, 32, 64) => Op::VpmovsxdqYRR,
            _ => return None,
        },
    ))
}

/// The row that extends integers before they become floats, if they are narrower than those.
fn widened(function: &Function, data: &InstData, to: VectorShape) -> Option<Op> {
    let from = shape(function.types(), function.operand_type(data.a)?)?;
    match (data.op, from.is_mask, from.lane_bits, to.element) {
        (Opcode::Sitofp, false, 8, Type::F32) => Some(Op::VpmovsxbdYRR),
        (Opcode::Sitofp, false, 16, Type::F32) => Some(Op::VpmovsxwdYRR),
        (Opcode::Uitofp, false, 8, Type::F32) => Some(Op::VpmovzxbdYRR),
        (Opcode::Uitofp, false, 16, Type::F32) => Some(Op::VpmovzxwdYRR),
        _ => None,
    }
}

/// The row of a conversion to a vector of 256 bits, from one of as many or half of them.
fn conversion(function: &Function, view: ModuleView<'_>, data: &InstData, to: VectorShape) -> Option<Op> {
    let ty = function.operand_type(data.a)?;
    let from = wide_shape(function.types(), ty).or_else(|| shape(function.types(), ty))?;
    Some(match (data.op, from.element, to.element) {
        (Opcode::Sitofp, Type::I32, Type::F32) => Op::Vcvtdq2psYRR,
        (Opcode::Sitofp, Type::I32, Type::F64) => Op::Vcvtdq2pdYRR,
        (Opcode::Fptosi, Type::F32, Type::I32) => Op::Vcvttps2dqYRR,
        (Opcode::Fpext, Type::F32, Type::F64) => Op::Vcvtps2pdYRR,
        (Opcode::Fpext, Type::F16, Type::F32) if view.features.has(features::F16C) => Op::Vcvtph2psYRR,
        _ => return None,
    })
}

/// A conversion from a vector of 256 bits to one of 128.
fn narrowing(function: &Function, view: ModuleView<'_>, data: &InstData) -> Option<Plan> {
    let types = function.types();
    let (from, to) = (
        wide_shape(types, function.operand_type(data.a)?)?,
        shape(types, data.ty)?,
    );
    if to.lanes * to.lane_bits != u32::from(VECTOR_BYTES) * 8 {
        return None;
    }
    Some(match (data.op, from.element, to.element) {
        (Opcode::Fptrunc, Type::F64, Type::F32) => Plan::Unary(Op::Vcvtpd2psYRR),
        (Opcode::Fptrunc, Type::F32, Type::F16) if view.features.has(features::F16C) => {
            Plan::Immediate(Op::Vcvtps2phYRRI, super::CURRENT_ROUNDING)
        }
        (Opcode::Fptosi, Type::F64, Type::I32) => Plan::Unary(Op::Vcvttpd2dqYRR),
        _ => return None,
    })
}

/// Lowers what [`is_done`] says yes to.
pub fn lower<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    match plan(cx.func(), cx.view(), data).ok_or(Halt::Expand)? {
        Plan::Copy => super::super::copy(cx, data),
        Plan::Load => {
            let mem = cx.use_addr(data.a, u32::from(SIZE));
            let dst = cx.def(result(data), 0);
            cx.emit(reload(SIZE, dst, mem));
        }
        Plan::Store => {
            let value = cx.use_reg(data.a, 0);
            let mem = cx.use_addr(data.b, u32::from(SIZE));
            let flags = MemFlags(data.flags);
            let row = match flags.is_nontemporal() && flags.align_log2() >= SIZE.ilog2() {
                true => Op::VmovntpsYMR,
                false => Op::VmovupYMR,
            };
            cx.emit(mr(row, SIZE, mem, value));
        }
        Plan::Unary(row) => {
            let src = match repeated_load(cx, data) {
                Some(scalar) => cx.use_src(scalar, 0, ImmKind::None),
                None => extend::use_extended(cx, data.a),
            };
            let dst = cx.def(result(data), 0);
            extend::extend_from(cx, row, SIZE, dst, src);
        }
        Plan::Chain(first, second) => {
            let src = extend::use_extended(cx, data.a);
            let between = temp(cx);
            extend::extend_from(cx, first, SIZE, between, src);
            let dst = cx.def(result(data), 0);
            cx.emit(rr(second, SIZE, dst, between));
        }
        Plan::Bit(row) => {
            let shape = wide_shape(cx.func().types(), data.ty).ok_or(Halt::Expand)?;
            let shift = match shape.lane_bits {
                16 => Op::VpsrlwYRRI,
                32 => Op::VpsrldYRRI,
                _ => Op::VpsrlqYRRI,
            };
            let src = cx.use_reg(data.a, 0);
            let spread = temp(cx);
            cx.emit(rr(row, SIZE, spread, src));
            let dst = cx.def(result(data), 0);
            cx.emit(rri(shift, SIZE, dst, spread, shape.lane_bits as i32 - 1));
        }
        Plan::Binary(_) if average(cx, data) || is_contracted_sum(cx, data) => {}
        Plan::Binary(row) => binary(cx, data, row),
        Plan::Immediate(row, number) => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rri(row, SIZE, dst, src, number));
        }
        Plan::Constant(row, number) => {
            let lane_bits = wide_shape(cx.func().types(), data.ty).map_or(64, |shape| shape.lane_bits);
            let half = splat(number.into(), lane_bits);
            let mem = pool(cx, [half, half]);
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(rrm(row, SIZE, dst, src, mem));
        }
        Plan::Fused(row) => super::super::float::multiply_add_in_place(cx, data, row, SIZE),
        Plan::Select => wide_compare::select(cx, data)?,
        Plan::Mask => wide_compare::extend(cx, data)?,
        Plan::Doubled if data.op == Opcode::Mul && super::words::multiply_wide(cx, data) => {}
        Plan::Doubled => {
            let shape = half(wide_shape(cx.func().types(), data.ty).ok_or(Halt::Expand)?);
            let cx = &mut Doubled { cx };
            match data.op {
                Opcode::Ctlz => super::count::leading_zeros(cx, data),
                Opcode::Shl | Opcode::Lshr | Opcode::Ashr => super::shift::shift(cx, data, shape),
                Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => super::divide::divide(cx, data, shape)?,
                Opcode::Uitofp => {
                    let from = VectorShape {
                        element: Type::I32,
                        ..shape
                    };
                    super::convert::from_unsigned_operand(cx, data, from, shape);
                }
                _ => super::arith::arith(cx, data, shape)?,
            }
        }
        Plan::Shuffle => wide_shuffle::shuffle(cx, data),
        Plan::Truncate => wide_shuffle::truncate(cx, data),
        Plan::SwapBytes | Plan::CountOnes => {
            let shape = wide_shape(cx.func().types(), data.ty).ok_or(Halt::Expand)?;
            match data.op {
                Opcode::Bswap => wide_shuffle::swap_bytes(cx, data, shape),
                _ => wide_shuffle::count_ones(cx, data, shape),
            }
        }
        Plan::Lowest => {
            let (value, _) = cx.func().ternary(data);
            let shape = wide_shape(cx.func().types(), data.ty).ok_or(Halt::Expand)?;
            put_lowest(cx, data, value, shape);
        }
    }
    Ok(())
}

/// The row with the second operand in memory, of any alignment.
fn memory_row(row: Op) -> Option<Op> {
    let memory = *Op::ALL.get(row as usize + 1)?;
    let (data, next) = (&ROWS[row as usize], &ROWS[memory as usize]);
    (next.code.form == Form::ThreeM && next.mnemonic == data.mnemonic).then_some(memory)
}

/// The operands of an instruction with two, that which may be in memory last: it is a load that is folded, or a
/// constant.
pub(super) fn ordered(data: &InstData, is_in_memory: impl Fn(Operand) -> bool) -> (Operand, Operand) {
    match !is_in_memory(data.b) && data.op.is_commutative() && is_in_memory(data.a) {
        true => (data.b, data.a),
        false => (data.a, data.b),
    }
}

/// Folds a load, or the lower half of a vector, into a conversion to one of 256 bits.
pub fn fold_conversion(folder: &mut Folder<'_>, data: &InstData) {
    let types = folder.function.types();
    let from = folder.function.operand_type(data.a).and_then(|ty| shape(types, ty));
    let Some(to) = wide_shape(types, data.ty).filter(|_| from.is_some_and(|from| !from.is_mask)) else {
        return;
    };
    let function = folder.function;
    let has_folded = match data.op {
        Opcode::Zext | Opcode::Sext => extension(function, data, to).is_some(),
        _ => widened(function, data, to).is_some(),
    } && extend::fold_extended(folder, data, SIZE);
    if !has_folded && !fold_doubled(folder, data, to) {
        super::wide::fold_lower_half(folder, data.a);
    }
}

/// Folds a load of 128 bits into a conversion to numbers twice as wide; says whether there is one.
fn fold_doubled(folder: &mut Folder<'_>, data: &InstData, to: VectorShape) -> bool {
    let Some((value, load)) = folder.producer(data.a).filter(|(_, load)| load.op == Opcode::Load) else {
        return false;
    };
    let from = shape(folder.function.types(), load.ty).map(|shape| shape.element);
    let has_row = matches!(
        (data.op, from, to.element),
        (Opcode::Fpext, Some(Type::F32), Type::F64) | (Opcode::Sitofp, Some(Type::I32), Type::F64)
    );
    if has_row {
        folder.fold_load(value, load);
    }
    has_row
}

/// Folds a load into an operation of two operands, if it has a row for that.
pub fn fold(folder: &mut Folder<'_>, data: &InstData) {
    let types = folder.function.types();
    let Some(shape) = wide_shape(types, data.ty) else {
        return;
    };
    let row = match shape.element {
        Type::F32 | Type::F64 => float_row(data, shape.element == Type::F64),
        _ => operation::wide_integers(data.op, shape.lane_bits),
    };
    if row.and_then(memory_row).is_none() {
        return;
    }
    let is_load = |operand: Operand| matches!(folder.producer(operand), Some((_, load)) if load.op == Opcode::Load && load.ty == data.ty);
    let (_, right) = ordered(data, is_load);
    if let Some((value, load)) = folder
        .producer(right)
        .filter(|(_, load)| load.op == Opcode::Load && load.ty == data.ty)
    {
        folder.fold_load(value, load);
    }
}

/// A sum or difference whose product is folded; says whether it is one.
fn is_contracted_sum<C: LowerCtx>(cx: &mut C, data: &InstData) -> bool {
    let is_double = wide_shape(cx.func().types(), data.ty).is_some_and(|shape| shape.element == Type::F64);
    let rows = contracted::WIDE[usize::from(is_double)];
    matches!(data.op, Opcode::Fadd | Opcode::Fsub) && contracted::lower(cx, data, rows, SIZE)
}

/// An average whose parts are folded; says whether it is one.
fn average<C: LowerCtx>(cx: &mut C, data: &InstData) -> bool {
    let lane_bits = wide_shape(cx.func().types(), data.ty).map_or(64, |shape| shape.lane_bits);
    super::arith::average(&mut Doubled { cx }, data, lane_bits)
}

fn binary<C: LowerCtx>(cx: &mut C, data: &InstData, row: Op) {
    let is_constant = |operand: Operand| constant_halves(cx, operand).is_some();
    let has_load = cx.is_folded(data.a) || cx.is_folded(data.b);
    let (left, right) = match has_load {
        true => ordered(data, |operand| cx.is_folded(operand)),
        false => ordered(data, is_constant),
    };
    let Some(memory) = memory_row(row).filter(|_| has_load || is_constant(right)) else {
        let left = cx.use_reg(data.a, 0);
        let right = cx.use_reg(data.b, 0);
        let dst = cx.def(result(data), 0);
        return cx.emit(rrr(row, SIZE, dst, left, right));
    };
    let mem = match constant_halves(cx, right) {
        Some(halves) => pool(cx, halves),
        None => match cx.use_src(right, 0, ImmKind::None) {
            Src::Mem(mem) => mem,
            _ => unreachable!("the load was folded"),
        },
    };
    let left = cx.use_reg(left, 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rrm(memory, SIZE, dst, left, mem));
}
