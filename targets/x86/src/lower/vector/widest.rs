//! Operations on vectors of 512 bits that processors with AVX-512 (the x86-64-v4 level) have one instruction for, or
//! two; and those on shorter vectors for which there are none before, or longer sequences ([`is_done_in_short`]).
//!
//! Shared code asks for each instruction whether it is one of them ([`is_done`]), and takes the vectors apart for all
//! others. Masks are in [`super::by_bits`].
//!
//! Left out: loads folded into more than arithmetic, shuffles by anything but a table of lanes, divisions.

use super::super::result;
use super::has_floats;
use super::mask_register;
use super::wide::{self, bytes};
use super::wide_operations::{is_lowest, ordered, put_lowest, same_amount};
use super::wide_shuffle;
use crate::build::*;
use crate::evex::Evex;
use crate::features;
use crate::ops::aux;
use crate::regs::{VECTOR_BYTES, WIDE_VECTOR_BYTES, WIDEST_VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::features::FeatureSet;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{Folder, Halt, ImmKind, LowerCtx, MInst, Mem, ModuleView, Reg, RegClass, Src, VectorShape};
use frazil_ir::{FastFlags, Function, InstData, MemFlags, Opcode, Operand, Type, TypeTable};

/// The operation's size in bytes.
const SIZE: u8 = WIDEST_VECTOR_BYTES;

/// How lanes are rotated.
#[derive(Clone, Copy)]
enum Rotation {
    /// To the left by this number.
    By(Evex, i32),
    /// By numbers of their own.
    Each(Evex),
}

/// How an operation is done.
#[derive(Clone, Copy)]
enum Plan {
    /// Nothing is computed.
    Copy,
    Load,
    Store,
    /// `dst = row(a)`.
    Unary(Evex),
    /// `dst = row(a)` with the result in the `rm` field.
    Truncation(Evex),
    /// `dst = row(a, b)`.
    Binary(Evex),
    /// `dst = row(a, immediate)`.
    Immediate(Evex, i32),
    Rotation(Rotation),
    /// Bytes are shifted by this number as words, and what comes from the byte beside is cleared: what stays of each.
    Bytes(Evex, i32, u8),
    /// `dst = row(a, constant)`, with this number in each lane.
    Constant(Evex, u64),
    /// `a = row(a, b, c)`.
    Fused(Evex),
    /// Lanes of one input or of two by a table.
    Shuffle,
    /// The lowest lane in all.
    Broadcast(Evex),
    /// A scalar in the lowest lane, with nothing above it.
    Lowest,
}

/// The shape of a vector of so many bytes; of one that fits into 16, if it is to have those.
fn shape_of(types: &TypeTable, ty: Type, size: u8) -> Option<VectorShape> {
    let is_short = size == VECTOR_BYTES;
    let shape = VectorShape::of(types, ty, size).filter(|_| is_short || bytes(types, ty) == size)?;
    (!shape.is_mask && shape.lane_bits <= 64).then_some(shape)
}

/// The shape of a vector of 512 bits.
fn widest_shape(types: &TypeTable, ty: Type) -> Option<VectorShape> {
    shape_of(types, ty, SIZE)
}

/// Whether an instruction has to do with a vector of 512 bits.
pub fn is_widest(function: &Function, data: &InstData) -> bool {
    wide::widths(function, data).contains(&SIZE)
}

/// Whether an instruction with a vector of 512 bits is one of those here.
pub fn is_done(function: &Function, view: ModuleView<'_>, data: &InstData) -> bool {
    mask_register::is_available(view.features) && plan(function, view.features, data, SIZE).is_some()
}

/// The bytes of the shorter vectors that an instruction has to do with.
fn short_size(function: &Function, data: &InstData) -> u8 {
    match wide::is_wide(function, data) {
        true => WIDE_VECTOR_BYTES,
        false => VECTOR_BYTES,
    }
}

/// Whether an instruction with a vector of at most 256 bits is one of those here.
pub fn is_done_in_short(function: &Function, view: ModuleView<'_>, data: &InstData) -> bool {
    mask_register::is_available(view.features) && short_plan(function, view.features, data).is_some()
}

/// Whether it is, and takes more than one instruction otherwise.
pub fn is_better_in_short(function: &Function, view: ModuleView<'_>, data: &InstData) -> bool {
    let types = function.types();
    let has_quadwords = |ty: Type| types.int_bits(types.scalar(ty)) == Some(64);
    let is_longer = match data.op {
        Opcode::Ctlz | Opcode::Ctpop | Opcode::Fshl | Opcode::Fshr | Opcode::Uitofp | Opcode::Fptoui => true,
        // Of words and quadwords, there are no others that have rows of these lengths.
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => true,
        Opcode::Shuffle => wide_shuffle::moves_both(function, data),
        // Shorter vectors are shuffled.
        Opcode::Trunc => wide::is_wide(function, data),
        Opcode::Mul | Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax | Opcode::Abs => has_quadwords(data.ty),
        Opcode::Sitofp => function.operand_type(data.a).is_some_and(has_quadwords),
        Opcode::Fptosi => has_quadwords(data.ty),
        _ => false,
    };
    is_longer && is_done_in_short(function, view, data)
}

/// What has one instruction that there is for shorter vectors, too.
fn short_plan(function: &Function, features: FeatureSet, data: &InstData) -> Option<Plan> {
    let size = short_size(function, data);
    let plan = plan(function, features, data, size)?;
    match plan {
        Plan::Unary(row) | Plan::Truncation(row) | Plan::Binary(row) | Plan::Immediate(row, _) => {
            row.has_length(size).then_some(plan)
        }
        Plan::Rotation(_) => Some(plan),
        Plan::Shuffle if size == WIDE_VECTOR_BYTES => Some(plan),
        _ => None,
    }
}

fn plan(function: &Function, features: FeatureSet, data: &InstData, size: u8) -> Option<Plan> {
    let types = function.types();
    let Some(shape) = shape_of(types, data.ty, size) else {
        return narrowing(function, data, size);
    };
    let is_widest = |operand| {
        let ty = function.operand_type(operand);
        ty.is_some_and(|ty| shape_of(types, ty, size).is_some())
    };
    Some(match data.op {
        Opcode::Load => Plan::Load,
        Opcode::Store => Plan::Store,
        Opcode::Copy | Opcode::Freeze => Plan::Copy,
        Opcode::Bitcast | Opcode::Ptrtoint | Opcode::Inttoptr if is_widest(data.a) => Plan::Copy,
        Opcode::InsertElement if is_lowest(function, data, shape) => Plan::Lowest,
        Opcode::Shuffle if is_widest(data.a) => shuffle_plan(function, features, data, shape)?,
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => shift(function, data, shape)?,
        Opcode::Fshl | Opcode::Fshr => Plan::Rotation(rotation(function, data, shape)?),
        Opcode::Ctlz | Opcode::Ctpop => Plan::Unary(count(features, data.op, shape)?),
        Opcode::Zext | Opcode::Sext => Plan::Unary(extension(function, data, shape)?),
        Opcode::Sitofp | Opcode::Uitofp | Opcode::Fptosi | Opcode::Fptoui | Opcode::Fpext => {
            Plan::Unary(conversion(function, data, shape, size)?)
        }
        Opcode::Abs => Plan::Unary(magnitudes(shape.lane_bits)),
        op => match shape.element {
            Type::F32 | Type::F64 => floats(data, shape.element == Type::F64)?,
            Type::F16 | Type::BF16 => return None,
            _ => Plan::Binary(integers(op, shape.lane_bits)?),
        },
    })
}

/// The row of absolute values.
fn magnitudes(lane_bits: u32) -> Evex {
    match lane_bits {
        8 => Evex::Vpabsb,
        16 => Evex::Vpabsw,
        32 => Evex::Vpabsd,
        _ => Evex::Vpabsq,
    }
}

/// The instruction for absolute values in 256 or 512 bits.
pub fn magnitude(lane_bits: u32, bytes: u8, dst: Reg, src: Reg) -> MInst {
    let short = match lane_bits {
        8 => Op::VpabsbYRR,
        16 => Op::VpabswYRR,
        _ => Op::VpabsdYRR,
    };
    match magnitudes(lane_bits) {
        row if row.has_length(bytes) => evex(row, bytes, false, [dst, src, Reg::NONE], 0),
        _ => rr(short, bytes, dst, src),
    }
}

/// The row of a count of bits, if the processor has it.
fn count(features: FeatureSet, op: Opcode, shape: VectorShape) -> Option<Evex> {
    let (row, feature) = match (op, shape.lane_bits) {
        (Opcode::Ctlz, 32) => (Evex::Vplzcntd, features::AVX512CD),
        (Opcode::Ctlz, 64) => (Evex::Vplzcntq, features::AVX512CD),
        (Opcode::Ctpop, 8) => (Evex::Vpopcntb, features::AVX512BITALG),
        (Opcode::Ctpop, 16) => (Evex::Vpopcntw, features::AVX512BITALG),
        (Opcode::Ctpop, 32) => (Evex::Vpopcntd, features::AVX512VPOPCNTDQ),
        (Opcode::Ctpop, 64) => (Evex::Vpopcntq, features::AVX512VPOPCNTDQ),
        _ => return None,
    };
    features.has(feature).then_some(row)
}

/// The row of a rotation by other numbers in each lane; they count modulo the width. One by the same number in all
/// lanes is one to the left.
fn rotation(function: &Function, data: &InstData, shape: VectorShape) -> Option<Rotation> {
    let (low, amount) = function.ternary(data);
    if low != data.a || has_floats(shape) {
        return None;
    }
    let is_left = data.op == Opcode::Fshl;
    let (by_number, left, right) = match shape.lane_bits {
        32 => (Evex::VproldI, Evex::Vprolvd, Evex::Vprorvd),
        64 => (Evex::VprolqI, Evex::Vprolvq, Evex::Vprorvq),
        _ => return None,
    };
    Some(match same_amount(function, amount) {
        Some(amount) => {
            let amount = if is_left { amount } else { amount.wrapping_neg() };
            Rotation::By(by_number, (amount % u64::from(shape.lane_bits)) as i32)
        }
        None => Rotation::Each(if is_left { left } else { right }),
    })
}

/// The row of an operation of two vectors that keeps to the lanes of their type.
pub fn row_of_two(data: &InstData, shape: VectorShape) -> Option<Evex> {
    let is_of_bits = matches!(data.op, Opcode::And | Opcode::Or | Opcode::Xor);
    match (data.op, shape.lane_bits) {
        (Opcode::And, 64) => Some(Evex::Vpandq),
        (Opcode::Or, 64) => Some(Evex::Vporq),
        (Opcode::Xor, 64) => Some(Evex::Vpxorq),
        (_, 8 | 16) if is_of_bits => None,
        (op, lane_bits) => match shape.element {
            Type::F32 | Type::F64 => match floats(data, shape.element == Type::F64)? {
                Plan::Binary(row) => Some(row),
                _ => None,
            },
            Type::F16 | Type::BF16 => None,
            _ => integers(op, lane_bits),
        },
    }
}

/// The row of an operation of two vectors of integers.
fn integers(op: Opcode, lane_bits: u32) -> Option<Evex> {
    Some(match (op, lane_bits) {
        (Opcode::And, _) => Evex::Vpandd,
        (Opcode::Or, _) => Evex::Vpord,
        (Opcode::Xor, _) => Evex::Vpxord,
        (Opcode::Add, 8) => Evex::Vpaddb,
        (Opcode::Add, 16) => Evex::Vpaddw,
        (Opcode::Add, 32) => Evex::Vpaddd,
        (Opcode::Add, 64) => Evex::Vpaddq,
        (Opcode::Sub, 8) => Evex::Vpsubb,
        (Opcode::Sub, 16) => Evex::Vpsubw,
        (Opcode::Sub, 32) => Evex::Vpsubd,
        (Opcode::Sub, 64) => Evex::Vpsubq,
        (Opcode::Mul, 16) => Evex::Vpmullw,
        (Opcode::Mul, 32) => Evex::Vpmulld,
        (Opcode::Mul, 64) => Evex::Vpmullq,
        (Opcode::UaddSat, 8) => Evex::Vpaddusb,
        (Opcode::UaddSat, 16) => Evex::Vpaddusw,
        (Opcode::SaddSat, 8) => Evex::Vpaddsb,
        (Opcode::SaddSat, 16) => Evex::Vpaddsw,
        (Opcode::UsubSat, 8) => Evex::Vpsubusb,
        (Opcode::UsubSat, 16) => Evex::Vpsubusw,
        (Opcode::SsubSat, 8) => Evex::Vpsubsb,
        (Opcode::SsubSat, 16) => Evex::Vpsubsw,
        (Opcode::Umin, 8) => Evex::Vpminub,
        (Opcode::Umin, 16) => Evex::Vpminuw,
        (Opcode::Umin, 32) => Evex::Vpminud,
        (Opcode::Umin, 64) => Evex::Vpminuq,
        (Opcode::Umax, 8) => Evex::Vpmaxub,
        (Opcode::Umax, 16) => Evex::Vpmaxuw,
        (Opcode::Umax, 32) => Evex::Vpmaxud,
        (Opcode::Umax, 64) => Evex::Vpmaxuq,
        (Opcode::Smin, 8) => Evex::Vpminsb,
        (Opcode::Smin, 16) => Evex::Vpminsw,
        (Opcode::Smin, 32) => Evex::Vpminsd,
        (Opcode::Smin, 64) => Evex::Vpminsq,
        (Opcode::Smax, 8) => Evex::Vpmaxsb,
        (Opcode::Smax, 16) => Evex::Vpmaxsw,
        (Opcode::Smax, 32) => Evex::Vpmaxsd,
        (Opcode::Smax, 64) => Evex::Vpmaxsq,
        _ => return None,
    })
}

/// Operations on vectors of `float` or `double`.
fn floats(data: &InstData, is_double: bool) -> Option<Plan> {
    let of = |float: Evex, double: Evex| if is_double { double } else { float };
    let sign: u64 = if is_double { 1 << 63 } else { 1 << 31 };
    let magnitude = if is_double { !sign } else { sign - 1 };
    let is_number = FastFlags::from_bits_retain(data.flags).contains(FastFlags::NNAN);
    Some(match data.op {
        Opcode::Fadd => Plan::Binary(of(Evex::Vaddps, Evex::Vaddpd)),
        Opcode::Fsub => Plan::Binary(of(Evex::Vsubps, Evex::Vsubpd)),
        Opcode::Fmul => Plan::Binary(of(Evex::Vmulps, Evex::Vmulpd)),
        Opcode::Fdiv => Plan::Binary(of(Evex::Vdivps, Evex::Vdivpd)),
        Opcode::Fminnum if is_number => Plan::Binary(of(Evex::Vminps, Evex::Vminpd)),
        Opcode::Fmaxnum if is_number => Plan::Binary(of(Evex::Vmaxps, Evex::Vmaxpd)),
        Opcode::Fneg => Plan::Constant(Evex::Vpxord, sign),
        Opcode::Fabs => Plan::Constant(Evex::Vpandd, magnitude),
        Opcode::Fsqrt => Plan::Unary(of(Evex::Vsqrtps, Evex::Vsqrtpd)),
        Opcode::Fma | Opcode::Fmuladd => Plan::Fused(of(Evex::Vfmadd213ps, Evex::Vfmadd213pd)),
        op => {
            let direction = super::super::float::rounding(op)?;
            Plan::Immediate(of(Evex::Vrndscaleps, Evex::Vrndscalepd), direction)
        }
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
            (Opcode::Shl, 8) => return Some(Plan::Bytes(Evex::VpsllwI, amount, 0xff << amount)),
            (Opcode::Lshr, 8) => return Some(Plan::Bytes(Evex::VpsrlwI, amount, 0xff >> amount)),
            (Opcode::Shl, 16) => Evex::VpsllwI,
            (Opcode::Lshr, 16) => Evex::VpsrlwI,
            (Opcode::Ashr, 16) => Evex::VpsrawI,
            (Opcode::Shl, 32) => Evex::VpslldI,
            (Opcode::Lshr, 32) => Evex::VpsrldI,
            (Opcode::Ashr, 32) => Evex::VpsradI,
            (Opcode::Shl, 64) => Evex::VpsllqI,
            (Opcode::Lshr, 64) => Evex::VpsrlqI,
            (Opcode::Ashr, 64) => Evex::VpsraqI,
            _ => return None,
        };
        return Some(Plan::Immediate(row, amount));
    }
    Some(Plan::Binary(match (data.op, shape.lane_bits) {
        (Opcode::Shl, 16) => Evex::Vpsllvw,
        (Opcode::Lshr, 16) => Evex::Vpsrlvw,
        (Opcode::Ashr, 16) => Evex::Vpsravw,
        (Opcode::Shl, 32) => Evex::Vpsllvd,
        (Opcode::Lshr, 32) => Evex::Vpsrlvd,
        (Opcode::Ashr, 32) => Evex::Vpsravd,
        (Opcode::Shl, 64) => Evex::Vpsllvq,
        (Opcode::Lshr, 64) => Evex::Vpsrlvq,
        (Opcode::Ashr, 64) => Evex::Vpsravq,
        _ => return None,
    }))
}

/// The shape of a vector that is no mask and fills a register of 128 or 256 bits.
fn full_shape(types: &TypeTable, ty: Type) -> Option<VectorShape> {
    let shape = VectorShape::of(types, ty, WIDE_VECTOR_BYTES).filter(|shape| !shape.is_mask)?;
    matches!(shape.lanes * shape.lane_bits, 128 | 256).then_some(shape)
}

/// The row of an extension of the lanes of a shorter vector; that of 64 bits stands in one of 128.
fn extension(function: &Function, data: &InstData, to: VectorShape) -> Option<Evex> {
    let from = VectorShape::of(function.types(), function.operand_type(data.a)?, WIDE_VECTOR_BYTES)?;
    if from.is_mask {
        return None;
    }
    Some(match (data.op == Opcode::Sext, from.lane_bits, to.lane_bits) {
        (false, 8, 16) => Evex::Vpmovzxbw,
        (false, 8, 32) => Evex::Vpmovzxbd,
        (false, 8, 64) => Evex::Vpmovzxbq,
        (false, 16, 32) => Evex::Vpmovzxwd,
        (false, 16, 64) => Evex::Vpmovzxwq,
        (false, 32, 64) => Evex::Vpmovzxdq,
        (true, 8, 16) => Evex::Vpmovsxbw,
        (true, 8, 32) => Evex::Vpmovsxbd,
        (true, 8, 64) => Evex::Vpmovsxbq,
        (true, 16, 32) => Evex::Vpmovsxwd,
        (true, 16, 64) => Evex::Vpmovsxwq,
        (true, 32, 64) => Evex::Vpmovsxdq,
        _ => return None,
    })
}

/// The row of a conversion to a vector of 512 bits, from one of as many or half of them.
fn conversion(function: &Function, data: &InstData, to: VectorShape, size: u8) -> Option<Evex> {
    let types = function.types();
    let ty = function.operand_type(data.a)?;
    let from = shape_of(types, ty, size).or_else(|| full_shape(types, ty))?;
    if from.lanes != to.lanes {
        return None;
    }
    Some(match (data.op, from.element, to.element) {
        (Opcode::Sitofp, Type::I32, Type::F32) => Evex::Vcvtdq2ps,
        (Opcode::Sitofp, Type::I32, Type::F64) => Evex::Vcvtdq2pd,
        (Opcode::Sitofp, Type::I64, Type::F64) => Evex::Vcvtqq2pd,
        (Opcode::Uitofp, Type::I32, Type::F32) => Evex::Vcvtudq2ps,
        (Opcode::Uitofp, Type::I32, Type::F64) => Evex::Vcvtudq2pd,
        (Opcode::Uitofp, Type::I64, Type::F64) => Evex::Vcvtuqq2pd,
        (Opcode::Fptosi, Type::F32, Type::I32) => Evex::Vcvttps2dq,
        (Opcode::Fptosi, Type::F32, Type::I64) => Evex::Vcvttps2qq,
        (Opcode::Fptosi, Type::F64, Type::I64) => Evex::Vcvttpd2qq,
        (Opcode::Fptoui, Type::F32, Type::I32) => Evex::Vcvttps2udq,
        (Opcode::Fptoui, Type::F32, Type::I64) => Evex::Vcvttps2uqq,
        (Opcode::Fptoui, Type::F64, Type::I64) => Evex::Vcvttpd2uqq,
        (Opcode::Fpext, Type::F32, Type::F64) => Evex::Vcvtps2pd,
        (Opcode::Fpext, Type::F16, Type::F32) => Evex::Vcvtph2ps,
        // Both fit into the shortest register.
        (op, from, to) if size == VECTOR_BYTES => return narrowing_row(op, from, to),
        _ => return None,
    })
}

/// A conversion from a vector of so many bytes to a shorter one.
fn narrowing(function: &Function, data: &InstData, size: u8) -> Option<Plan> {
    let types = function.types();
    let from = shape_of(types, function.operand_type(data.a)?, size)?;
    let to = VectorShape::of(types, data.ty, WIDE_VECTOR_BYTES).filter(|shape| !shape.is_mask)?;
    if data.op == Opcode::Trunc {
        return Some(Plan::Truncation(match (from.lane_bits, to.lane_bits) {
            (16, 8) => Evex::Vpmovwb,
            (32, 8) => Evex::Vpmovdb,
            (32, 16) => Evex::Vpmovdw,
            (64, 8) => Evex::Vpmovqb,
            (64, 16) => Evex::Vpmovqw,
            (64, 32) => Evex::Vpmovqd,
            _ => return None,
        }));
    }
    if (data.op, from.element, to.element) == (Opcode::Fptrunc, Type::F32, Type::F16) {
        return Some(Plan::Immediate(Evex::Vcvtps2ph, super::CURRENT_ROUNDING));
    }
    narrowing_row(data.op, from.element, to.element).map(Plan::Unary)
}

/// The row of a conversion to narrower lanes.
fn narrowing_row(op: Opcode, from: Type, to: Type) -> Option<Evex> {
    Some(match (op, from, to) {
        (Opcode::Fptrunc, Type::F64, Type::F32) => Evex::Vcvtpd2ps,
        (Opcode::Fptosi, Type::F64, Type::I32) => Evex::Vcvttpd2dq,
        (Opcode::Fptoui, Type::F64, Type::I32) => Evex::Vcvttpd2udq,
        (Opcode::Sitofp, Type::I64, Type::F32) => Evex::Vcvtqq2ps,
        (Opcode::Uitofp, Type::I64, Type::F32) => Evex::Vcvtuqq2ps,
        _ => return None,
    })
}

/// Bytes by a table are in a later set of instructions.
fn shuffle_plan(function: &Function, features: FeatureSet, data: &InstData, shape: VectorShape) -> Option<Plan> {
    let (_, mask) = function.ternary(data);
    if (0..shape.lanes).all(|lane| shuffle_index(function, mask, lane) == Some(0)) {
        return Some(Plan::Broadcast(match (has_floats(shape), shape.lane_bits) {
            (true, 32) => Evex::Vbroadcastss,
            (true, 64) => Evex::Vbroadcastsd,
            (_, 8) => Evex::Vpbroadcastb,
            (_, 16) => Evex::Vpbroadcastw,
            (_, 32) => Evex::Vpbroadcastd,
            _ => Evex::Vpbroadcastq,
        }));
    }
    (shape.lane_bits > 8 || features.has(features::AVX512VBMI)).then_some(Plan::Shuffle)
}

/// Lowers what [`is_done`] says yes to.
///
/// # Errors
/// An operation that it says no to.
pub fn lower<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    let plan = plan(cx.func(), cx.view().features, data, SIZE).ok_or(Halt::Expand)?;
    carry_out(cx, data, plan, SIZE)
}

/// Lowers what [`is_done_in_short`] says yes to.
///
/// # Errors
/// An operation that it says no to.
pub fn lower_in_short<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    let plan = short_plan(cx.func(), cx.view().features, data).ok_or(Halt::Expand)?;
    let size = short_size(cx.func(), data);
    carry_out(cx, data, plan, size)
}

fn carry_out<C: LowerCtx>(cx: &mut C, data: &InstData, plan: Plan, size: u8) -> Result<(), Halt> {
    match plan {
        Plan::Copy => super::super::copy(cx, data),
        Plan::Load => {
            let mem = cx.use_addr(data.a, u32::from(SIZE));
            let dst = cx.def(result(data), 0);
            cx.emit(wide::reload(SIZE, dst, mem));
        }
        Plan::Store => store(cx, data),
        Plan::Unary(row) | Plan::Truncation(row) | Plan::Broadcast(row) => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(evex(row, size, false, [dst, src, Reg::NONE], 0));
        }
        Plan::Binary(row) if with_memory(cx, data, row) => {}
        Plan::Binary(row) => {
            let (left, right) = (cx.use_reg(data.a, 0), cx.use_reg(data.b, 0));
            let dst = cx.def(result(data), 0);
            cx.emit(evex(row, size, false, [dst, left, right], 0));
        }
        Plan::Immediate(row, number) => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(evex(row, size, false, [dst, src, Reg::NONE], number));
        }
        Plan::Rotation(Rotation::By(row, number)) => {
            let src = cx.use_reg(data.a, 0);
            let dst = cx.def(result(data), 0);
            cx.emit(evex(row, size, false, [dst, src, Reg::NONE], number));
        }
        Plan::Rotation(Rotation::Each(row)) => {
            let (_, amount) = cx.func().ternary(data);
            let (src, amount) = (cx.use_reg(data.a, 0), cx.use_reg(amount, 0));
            let dst = cx.def(result(data), 0);
            cx.emit(evex(row, size, false, [dst, src, amount], 0));
        }
        Plan::Bytes(row, amount, kept) => {
            let src = cx.use_reg(data.a, 0);
            let mask = splat(cx, kept.into(), 8);
            let dst = cx.def(result(data), 0);
            cx.emit(evex(row, SIZE, false, [dst, src, Reg::NONE], amount));
            cx.emit(evex(Evex::Vpandd, SIZE, false, [dst, dst, mask], 0));
        }
        Plan::Constant(row, number) => {
            let lane_bits = widest_shape(cx.func().types(), data.ty).map_or(64, |shape| shape.lane_bits);
            let src = cx.use_reg(data.a, 0);
            let constant = splat(cx, number, lane_bits);
            let dst = cx.def(result(data), 0);
            cx.emit(evex(row, SIZE, false, [dst, src, constant], 0));
        }
        Plan::Fused(row) => {
            let (factor, addend) = cx.func().ternary(data);
            let (addend, factor) = (cx.use_reg(addend, 0), cx.use_reg(factor, 0));
            let src = cx.use_last(data.a, 0);
            let dst = cx.def_reuse(result(data), 0, src);
            cx.emit(evex(row, SIZE, false, [dst, factor, addend], 0));
        }
        Plan::Shuffle => shuffle(cx, data, size),
        Plan::Lowest => {
            let (value, _) = cx.func().ternary(data);
            let shape = widest_shape(cx.func().types(), data.ty).ok_or(Halt::Expand)?;
            put_lowest(cx, data, value, shape);
        }
    }
    Ok(())
}

/// What an operand in memory is: a vector, or a scalar in all of its lanes.
enum Loaded {
    Whole(Operand),
    Lane(Operand),
}

/// The scalar in all lanes of a vector that a shuffle makes of its lowest lane.
fn repeated(function: &Function, shuffle: &InstData, lowest: impl Fn(Operand) -> Option<InstData>) -> Option<Operand> {
    let shape = widest_shape(function.types(), shuffle.ty).filter(|shape| matches!(shape.lane_bits, 32 | 64))?;
    if shuffle.op != Opcode::Shuffle {
        return None;
    }
    let (_, mask) = function.ternary(shuffle);
    let is_lowest = |lane| shuffle_index(function, mask, lane).is_none_or(|index| index == 0);
    if !(0..shape.lanes).all(is_lowest) {
        return None;
    }
    let insert = lowest(shuffle.a).filter(|insert| insert.op == Opcode::InsertElement)?;
    let (value, index) = function.ternary(&insert);
    (index.as_imm() == Some(0)).then_some(value)
}

/// Folds a load, or what repeats one in all lanes, into an operation on vectors of 512 bits.
pub fn fold(folder: &mut Folder<'_>, data: &InstData) {
    let function = folder.function;
    if !is_widest(function, data) || !mask_register::is_available(folder.features()) {
        return;
    }
    let Some(Plan::Binary(row)) = plan(function, folder.features(), data, SIZE) else {
        return;
    };
    let Some(row) = row.in_memory() else { return };
    let producer = |operand: Operand| folder.producer(operand).map(|(_, data)| *data);
    let is_load =
        |operand: Operand, ty: Type| producer(operand).is_some_and(|load| load.op == Opcode::Load && load.ty == ty);
    let scalar = |operand: Operand| {
        let scalar = repeated(function, &producer(operand)?, producer).filter(|_| row.broadcasts())?;
        is_load(scalar, function.types().scalar(data.ty)).then_some(scalar)
    };
    let (_, right) = ordered(data, |operand| is_load(operand, data.ty) || scalar(operand).is_some());
    if let Some(scalar) = scalar(right) {
        let insert = producer(right).map(|shuffle| shuffle.a);
        for operand in [Some(right), insert].into_iter().flatten() {
            if let Some((value, _)) = folder.producer(operand) {
                folder.fold(value);
            }
        }
        if let Some((value, load)) = folder.producer(scalar) {
            folder.fold_load(value, load);
        }
    } else if is_load(right, data.ty)
        && let Some((value, load)) = folder.producer(right)
    {
        folder.fold_load(value, load);
    }
}

/// Lowers an operation with its second operand in memory, which was folded; `false` if it is none.
fn with_memory<C: LowerCtx>(cx: &mut C, data: &InstData, row: Evex) -> bool {
    let (left, right) = ordered(data, |operand| cx.is_folded(operand));
    let Some(row) = row.in_memory().filter(|_| cx.is_folded(right)) else {
        return false;
    };
    let definition = |cx: &C, operand: Operand| {
        let inst = cx.func().def_inst(operand.as_value()?)?;
        Some(*cx.func().inst(inst))
    };
    let Some(producer) = definition(cx, right) else {
        return false;
    };
    let loaded = match repeated(cx.func(), &producer, |operand| definition(cx, operand)) {
        Some(scalar) => Loaded::Lane(scalar),
        None if producer.op == Opcode::Load => Loaded::Whole(right),
        None => return false,
    };
    let (operand, flag) = match loaded {
        Loaded::Lane(scalar) => (scalar, aux::BROADCAST),
        Loaded::Whole(vector) => (vector, 0),
    };
    let Src::Mem(mem) = cx.use_src(operand, 0, ImmKind::None) else {
        unreachable!("the load was folded")
    };
    let left = cx.use_last(left, 0);
    let dst = cx.def_reuse(result(data), 0, left);
    let inst = evex_mem(row, SIZE, false, dst, mem);
    cx.emit(inst.with_aux(inst.aux | flag));
    true
}

fn store<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let value = cx.use_reg(data.a, 0);
    let mem = cx.use_addr(data.b, u32::from(SIZE));
    let flags = MemFlags(data.flags);
    if flags.is_nontemporal() && flags.align_log2() >= SIZE.ilog2() {
        return cx.emit(evex_mem(Evex::VmovntpsM, SIZE, false, value, mem));
    }
    cx.emit(wide::spill(SIZE, value, mem));
}

/// A new register with a number in each lane of so many bits.
fn splat<C: LowerCtx>(cx: &mut C, number: u64, lane_bits: u32) -> Reg {
    let part = super::splat(number.into(), lane_bits);
    let mem = pool(cx, &[part; 4]);
    let dst = cx.temp(RegClass::Float);
    cx.emit(wide::reload(SIZE, dst, mem));
    dst
}

/// A constant in memory, given by its parts of 128 bits.
fn pool<C: LowerCtx>(cx: &mut C, parts: &[u128]) -> Mem {
    let mut bytes = [0; SIZE as usize];
    for (place, part) in bytes.chunks_mut(16).zip(parts) {
        place.copy_from_slice(&part.to_le_bytes());
    }
    crate::lower::constant_mem(cx, &bytes)
}

/// A constant of 512 bits, given by its parts of 128 bits.
pub fn constant<C: LowerCtx>(cx: &mut C, dst: Reg, parts: &[u128]) {
    if parts.iter().all(|&part| part == 0) {
        // It clears what is above.
        return cx.emit(r(Op::VxorpsYS, WIDE_VECTOR_BYTES, dst));
    }
    let mem = pool(cx, parts);
    cx.emit(wide::reload(SIZE, dst, mem));
}

/// Lanes of one input or of two in the order of a table in memory.
fn shuffle<C: LowerCtx>(cx: &mut C, data: &InstData, size: u8) {
    let (second, mask) = cx.func().ternary(data);
    let shape = shape_of(cx.func().types(), data.ty, size).expect("it was asked before");
    let (lanes, lane_bits) = (shape.lanes, shape.lane_bits);
    let mut parts = [0; 4];
    let mut inputs = [false; 2];
    for lane in 0..lanes {
        // What does not matter is any lane.
        let index = shuffle_index(cx.func(), mask, lane).unwrap_or(0);
        if shuffle_index(cx.func(), mask, lane).is_some() {
            inputs[(index / lanes) as usize] = true;
        }
        let bit = lane * lane_bits;
        parts[(bit / 128) as usize] |= u128::from(index) << (bit % 128);
    }
    let mem = match size {
        WIDE_VECTOR_BYTES => wide::pool(cx, [parts[0], parts[1]]),
        _ => pool(cx, &parts),
    };
    let (one, two) = match lane_bits {
        8 => (Evex::Vpermb, Evex::Vpermi2b),
        16 => (Evex::Vpermw, Evex::Vpermi2w),
        32 => (Evex::Vpermd, Evex::Vpermi2d),
        _ => (Evex::Vpermq, Evex::Vpermi2q),
    };
    if inputs == [true, true] {
        let (first, second) = (cx.use_reg(data.a, 0), cx.use_reg(second, 0));
        // The instruction overwrites the table.
        let order = cx.temp(RegClass::Float);
        cx.emit(wide::reload(size, order, mem));
        cx.emit(evex(two, size, false, [order, first, second], 0));
        cx.def_reuse(result(data), 0, order);
        return;
    }
    let src = cx.use_reg(if inputs[1] { second } else { data.a }, 0);
    let order = cx.temp(RegClass::Float);
    let dst = cx.def(result(data), 0);
    cx.emit(wide::reload(size, order, mem));
    // Numbers of lanes are taken modulo their count.
    cx.emit(match (lane_bits, size) {
        (32, WIDE_VECTOR_BYTES) => rrr(Op::VpermdYRRR, size, dst, order, src),
        _ => evex(one, size, false, [dst, order, src], 0),
    });
}
