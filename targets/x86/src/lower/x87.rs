//! Numbers of type `x86_fp80`, C's `long double`, on the x87 unit.
//!
//! Between instructions a number is in a float register as a vector of 16 bytes is: its ten bytes as in memory, and
//! anything above them. A rule brings its operands to the stack of the unit through memory, computes there, and
//! brings the result back, so that the stack is empty before and after each rule: nothing that allocates registers
//! knows of it. Operands that are in memory are taken from there. The ten bytes are stored by one instruction and read
//! by two, which are forwarded from the pending stores; one wider read would wait for those.
//!
//! Results of calls are on the stack, too; [`take_results`] empties it at once, and [`give_results`] fills it right
//! before the return. Arguments are in memory, which is the convention's business.
//!
//! The unit computes with 64 bits of precision, to the nearest number, as Linux starts every program (System V ABI,
//! section 3.2.1); only conversions to integers change that for a moment. Signs are changed and copied without it.
//! Not here: atomic accesses, and conversions that saturate, which C does not have for this type.

use super::memory::at;
use super::{extended_copy, float_bytes, int_bits, is_wide, result, type_of};
use crate::build::*;
use crate::cond::Cond;
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, ImmKind, LowerCtx, Mem, Reg, RegClass, Src};
use frazil_ir::{Format, InstData, Opcode, Operand, Refusal, RuntimeFunction, Type};

/// Bytes of a number in a register or a frame slot.
const BYTES: u8 = 16;
/// The sign bit.
pub(super) const SIGN: u128 = 1 << 79;
/// Where the control words are in the area that rules share, after a number.
const CONTROL: u32 = 16;
/// 2^63 and 2^64 as `f32`.
const TWO_TO_THE_63: u32 = 0x5f00_0000;
const TWO_TO_THE_64: u32 = 0x5f80_0000;

/// Lowers a conversion of an `x86_fp80` to another type.
#[cold]
pub fn convert<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    match data.op {
        Opcode::Fptrunc if float_bytes(data.ty) > 0 => truncate(cx, data),
        Opcode::Fptosi | Opcode::Fptoui => return to_integer(cx, data),
        Opcode::Bitcast if is_wide(cx, data.ty) => to_bits(cx, data),
        op => return Err(refuse(op)),
    }
    Ok(())
}

/// The refusal of an operation.
fn refuse(op: Opcode) -> CodegenError {
    CodegenError::unsupported(Refusal::ExoticFloat, format!("{} of type x86_fp80", op.name()))
}

/// The memory that rules share.
fn shared<C: LowerCtx>(cx: &mut C) -> Mem {
    let area = cx.shared_area();
    cx.area_mem(area)
}

fn source<C: LowerCtx>(cx: &mut C, operand: Operand) -> Src {
    cx.use_src(operand, 0, ImmKind::None)
}

/// Puts a number on the stack.
fn push<C: LowerCtx>(cx: &mut C, src: Src, shared: Mem) {
    let mem = match src {
        Src::Mem(mem) => mem,
        Src::Reg(reg) => {
            cx.emit(mr(Op::MovapMR, 4, shared, reg));
            shared
        }
        Src::Imm(_) => unreachable!("not asked for"),
    };
    cx.emit(m(Op::FldtM, BYTES, mem));
}

/// Takes the number from the stack's top to a register.
fn pop<C: LowerCtx>(cx: &mut C, dst: Reg, shared: Mem) {
    cx.emit(m(Op::FstptM, BYTES, shared));
    load_number(cx, dst, shared);
}

/// Reads the ten bytes of a number.
fn load_number<C: LowerCtx>(cx: &mut C, dst: Reg, mem: Mem) {
    cx.emit(rm(Op::MovqXM, 8, dst, mem));
    cx.emit(rmi(Op::PinsrwXMI, BYTES, dst, at(mem, 8), 4));
}

/// Brings the results of a call from the stack to registers, the first one from its top, as numbers of so many bytes.
#[cold]
pub fn take_results<C: LowerCtx>(cx: &mut C, results: &[(Reg, u8)]) {
    let shared = shared(cx);
    for &(reg, bytes) in results {
        let row = match bytes {
            4 => Op::FstpsM,
            8 => Op::FstplM,
            _ => {
                pop(cx, reg, shared);
                continue;
            }
        };
        cx.emit(m(row, bytes, shared));
        cx.emit(rm(Op::MovsRM, bytes, reg, shared));
    }
}

/// Brings results from registers to the stack, the first one to its top.
#[cold]
pub fn give_results<C: LowerCtx>(cx: &mut C, results: &[(Reg, u8)]) {
    let shared = shared(cx);
    for &(reg, bytes) in results.iter().rev() {
        let row = match bytes {
            4 => Op::FldsM,
            8 => Op::FldlM,
            _ => {
                push(cx, Src::Reg(reg), shared);
                continue;
            }
        };
        cx.emit(mr(Op::MovsMR, bytes, shared, reg));
        cx.emit(m(row, bytes, shared));
    }
}

pub(super) fn load<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let mem = cx.use_addr(data.a, u32::from(BYTES));
    let dst = cx.def(result(data), 0);
    load_number(cx, dst, mem);
}

pub(super) fn store<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let value = cx.use_reg(data.a, 0);
    let mem = cx.use_addr(data.b, u32::from(BYTES));
    let high = cx.temp(RegClass::Int);
    cx.emit(mr(Op::MovqMX, 8, mem, value));
    cx.emit(rri(Op::PextrwRXI, BYTES, high, value, 4));
    cx.emit(mr(Op::MovMR, 2, at(mem, 8), high));
}

pub(super) fn binary<C: LowerCtx>(cx: &mut C, data: &InstData, op: Op) {
    let left = source(cx, data.a);
    let right = source(cx, data.b);
    let dst = cx.def(result(data), 0);
    let shared = shared(cx);
    push(cx, left, shared);
    push(cx, right, shared);
    cx.emit(none(op, BYTES));
    pop(cx, dst, shared);
}

/// Not fused, as for other types.
pub(super) fn multiply_add<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (factor, addend) = cx.func().ternary(data);
    let sources = [data.a, factor, addend].map(|operand| source(cx, operand));
    let dst = cx.def(result(data), 0);
    let shared = shared(cx);
    push(cx, sources[0], shared);
    push(cx, sources[1], shared);
    cx.emit(none(Op::Fmulp, BYTES));
    push(cx, sources[2], shared);
    cx.emit(none(Op::Faddp, BYTES));
    pop(cx, dst, shared);
}

pub(super) fn square_root<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let src = source(cx, data.a);
    let dst = cx.def(result(data), 0);
    let shared = shared(cx);
    push(cx, src, shared);
    cx.emit(none(Op::Fsqrt, BYTES));
    pop(cx, dst, shared);
}

/// A constant of 16 bytes in memory.
fn mask<C: LowerCtx>(cx: &mut C, bits: u128) -> Mem {
    Mem::symbol(cx.pool_constant(&bits.to_le_bytes()), 0)
}

pub(super) fn with_mask<C: LowerCtx>(cx: &mut C, data: &InstData, row: Op, bits: u128) {
    let mask = mask(cx, bits);
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rm(row, 4, dst, mask));
}

pub(super) fn copysign<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    if type_of(cx, data.b) != data.ty {
        return Err(refuse(data.op));
    }
    let (sign, magnitude) = (mask(cx, SIGN), mask(cx, !SIGN));
    let sign_of = cx.use_copy(data.b, 0);
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rm(Op::AndpRM, 4, sign_of, sign));
    cx.emit(rm(Op::AndpRM, 4, dst, magnitude));
    cx.emit(rr(Op::OrpRR, 4, dst, sign_of));
    Ok(())
}

/// Sets the flags as `ucomis` does. They are the last thing that the rule writes.
/// `signals` says whether every NaN is an exception.
pub(crate) fn compare<C: LowerCtx>(cx: &mut C, left: Operand, right: Operand, signals: bool) {
    let right = source(cx, right);
    let left = source(cx, left);
    let shared = shared(cx);
    push(cx, right, shared);
    push(cx, left, shared);
    cx.emit(none(if signals { Op::Fcomip } else { Op::Fucomip }, BYTES));
    cx.emit(none(Op::FstpTop, BYTES));
}

/// From `f32` or `f64`.
pub(super) fn extend<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bytes = float_bytes(type_of(cx, data.a));
    let row = match bytes {
        4 => Op::FldsM,
        8 => Op::FldlM,
        _ => return Err(refuse(data.op)),
    };
    let src = source(cx, data.a);
    let dst = cx.def(result(data), 0);
    let shared = shared(cx);
    let mem = match src {
        Src::Mem(mem) => mem,
        Src::Reg(reg) => {
            cx.emit(mr(Op::MovsMR, bytes, shared, reg));
            shared
        }
        Src::Imm(_) => unreachable!("not asked for"),
    };
    cx.emit(m(row, bytes, mem));
    pop(cx, dst, shared);
    Ok(())
}

/// To `f32` or `f64`.
fn truncate<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bytes = float_bytes(data.ty);
    let src = source(cx, data.a);
    let dst = cx.def(result(data), 0);
    let shared = shared(cx);
    push(cx, src, shared);
    let row = if bytes == 4 { Op::FstpsM } else { Op::FstplM };
    cx.emit(m(row, bytes, shared));
    cx.emit(rm(Op::MovsRM, bytes, dst, shared));
}

/// The unit takes signed integers of 32 and 64 bits.
pub(super) fn from_integer<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let from = type_of(cx, data.a);
    let signed = data.op == Opcode::Sitofp;
    let bits = int_bits(cx, from);
    let (size, row) = match bits {
        0 => return Err(refuse(data.op)),
        65.. => return from_wide(cx, data, bits, signed),
        ..=32 if signed || bits < 32 => (4, Op::FildlM),
        _ => (8, Op::FildqM),
    };
    let src = extended_copy(cx, data.a, bits, signed, size);
    let dst = cx.def(result(data), 0);
    let shared = shared(cx);
    let wrap = (bits == 64 && !signed).then(|| Mem::symbol(cx.pool_constant(&TWO_TO_THE_64.to_le_bytes()), 0));
    cx.emit(mr(Op::MovMR, size, shared, src));
    cx.emit(m(row, size, shared));
    if let Some(wrap) = wrap {
        // A number with the top bit set was taken for a negative one.
        cx.emit(rr(Op::TestRR, 8, src, src));
        cx.begin_group(GroupKind::Plain);
        let done = cx.local_label();
        cx.emit(jcc_short(Cond::Ns, done));
        cx.emit(m(Op::FaddsM, 4, wrap));
        cx.bind(done);
        cx.end_group();
    }
    pop(cx, dst, shared);
    Ok(())
}

/// From an integer of 65 to 128 bits.
#[cold]
fn from_wide<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, signed: bool) -> Result<(), CodegenError> {
    if bits != 128 {
        return Err(refuse(data.op));
    }
    let function = if signed {
        RuntimeFunction::Floattixf
    } else {
        RuntimeFunction::Floatuntixf
    };
    cx.call_runtime(function, &[(data.a, Type::I128)], Some(result(data)))
}

fn to_integer<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let signed = data.op == Opcode::Fptosi;
    match int_bits(cx, data.ty) {
        // A function of the run-time library gives the lowest bits of what it gives for 128.
        65.. => {
            let function = if signed {
                RuntimeFunction::Fixxfti
            } else {
                RuntimeFunction::Fixunsxfti
            };
            return cx.call_runtime(function, &[(data.a, Type::X86_F80)], Some(result(data)));
        }
        64 if !signed => to_unsigned64(cx, data),
        bits @ 1..=64 => {
            let size = if bits < 32 || (bits == 32 && signed) { 4 } else { 8 };
            let src = source(cx, data.a);
            let control = cx.temp(RegClass::Int);
            let dst = cx.def(result(data), 0);
            let shared = shared(cx);
            push(cx, src, shared);
            store_truncated(cx, size, control, shared);
            cx.emit(rm(Op::MovRM, size, dst, shared));
        }
        _ => return Err(refuse(data.op)),
    }
    Ok(())
}

/// Takes the number from the stack's top to memory as an integer of 4 or 8 bytes, rounded to zero.
fn store_truncated<C: LowerCtx>(cx: &mut C, size: u8, control: Reg, shared: Mem) {
    let (old, new) = (at(shared, CONTROL), at(shared, CONTROL + 2));
    let row = if size == 4 { Op::FistplM } else { Op::FistpqM };
    cx.emit(m(Op::FnstcwM, 2, old));
    cx.emit(rm(Op::MovzxWRM, 4, control, old));
    cx.emit(ri(Op::OrRI, 4, control, 0xc00));
    cx.emit(mr(Op::MovMR, 2, new, control));
    cx.emit(m(Op::FldcwM, 2, new));
    cx.emit(m(row, size, shared));
    cx.emit(m(Op::FldcwM, 2, old));
}

/// Numbers of 2^63 and more are converted less 2^63, and get their top bit back.
fn to_unsigned64<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let src = source(cx, data.a);
    let control = cx.temp(RegClass::Int);
    let top = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    let shared = shared(cx);
    let limit = Mem::symbol(cx.pool_constant(&TWO_TO_THE_63.to_le_bytes()), 0);
    push(cx, src, shared);
    cx.emit(mov_imm(4, top, 0));
    cx.emit(m(Op::FldsM, 4, limit));
    cx.emit(none(Op::Fucomip, BYTES));
    cx.begin_group(GroupKind::Plain);
    let small = cx.local_label();
    cx.emit(jcc_short(Cond::A, small));
    cx.emit(m(Op::FsubsM, 4, limit));
    cx.emit(mov_imm64(top, i64::MIN));
    cx.bind(small);
    cx.end_group();
    store_truncated(cx, 8, control, shared);
    cx.emit(rm(Op::MovRM, 8, dst, shared));
    cx.emit(rr(Op::XorRR, 8, dst, top));
}

/// From an integer of 80 bits.
#[cold]
pub(super) fn from_bits<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let from = type_of(cx, data.a);
    if !is_wide(cx, from) {
        return Err(refuse(data.op));
    }
    let low = cx.use_reg(data.a, 0);
    let high = cx.use_reg(data.a, 1);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::MovdXR, 8, dst, low));
    cx.emit(rri(Op::PinsrwXRI, BYTES, dst, high, 4));
    Ok(())
}

/// To an integer of 80 bits.
#[cold]
fn to_bits<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let src = cx.use_reg(data.a, 0);
    let low = cx.def(result(data), 0);
    let high = cx.def(result(data), 1);
    cx.emit(rr(Op::MovdRX, 8, low, src));
    cx.emit(rri(Op::PextrwRXI, BYTES, high, src, 4));
}

/// The C library's functions.
pub(super) fn by_call<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    use RuntimeFunction as F;
    let function = match data.op {
        Opcode::Frem => F::Fmodl,
        Opcode::Ffloor => F::Floorl,
        Opcode::Fceil => F::Ceill,
        Opcode::Ftrunc => F::Truncl,
        Opcode::Frint => F::Rintl,
        Opcode::Fnearbyint => F::Nearbyintl,
        Opcode::Fround => F::Roundl,
        Opcode::Froundeven => F::Roundevenl,
        Opcode::Fminnum => F::Fminl,
        Opcode::Fmaxnum => F::Fmaxl,
        Opcode::Fminimum => F::Fminimuml,
        Opcode::Fmaximum => F::Fmaximuml,
        Opcode::Fma => F::Fmal,
        op => return Err(refuse(op)),
    };
    let ty = data.ty;
    let into = Some(result(data));
    match data.op.format() {
        Format::Unary => cx.call_runtime(function, &[(data.a, ty)], into),
        Format::Binary => cx.call_runtime(function, &[(data.a, ty), (data.b, ty)], into),
        _ => {
            let (b, c) = cx.func().ternary(data);
            cx.call_runtime(function, &[(data.a, ty), (b, ty), (c, ty)], into)
        }
    }
}

/// Whether a class of `is.fpclass` is asked for: bit 0 for positive numbers, bit 1 for negative ones.
fn asked(mask: i64, positive: i64, negative: i64) -> i64 {
    i64::from(mask & positive != 0) | i64::from(mask & negative != 0) << 1
}

/// The classes of finite numbers.
const FINITE: i64 = 0x1f8;

/// Lowers `is.fpclass`: for the class that a number's exponent and significand say, whether it is asked for with either
/// sign; then the sign chooses.
///
/// There are patterns whose integer bit contradicts the exponent. As in LLVM, they have no class of their own: those
/// that the unit refuses to compute with count as NaNs where both kinds of NaN are asked for, and those that it takes
/// for denormal numbers as finite where all finite numbers are.
pub(super) fn is_fpclass<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let classes = data.b.as_imm().unwrap_or(0);
    let src = cx.use_reg(data.a, 0);
    let significand = cx.temp(RegClass::Int);
    let sign = cx.temp(RegClass::Int);
    let exponent = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    cx.emit(rr(Op::MovdRX, 8, significand, src));
    cx.emit(rri(Op::PextrwRXI, BYTES, sign, src, 4));
    cx.emit(rr(Op::MovRR, 4, exponent, sign));
    cx.emit(ri(Op::ShrRI, 4, sign, 15));
    cx.begin_group(GroupKind::Plain);
    let [done, no_integer_bit, finite] = [(); 3].map(|()| cx.local_label());
    cx.emit(ri(Op::AndRI, 4, exponent, 0x7fff));
    cx.emit(rr(Op::TestRR, 8, significand, significand));
    cx.emit(jcc(Cond::Ns, no_integer_bit));
    cx.emit(ri(Op::CmpRI, 4, exponent, 0x7fff));
    cx.emit(jcc(Cond::Ne, finite));
    // Shifting moves the quiet bit to the sign and the integer bit out.
    cx.emit(mov_imm(4, dst, asked(classes, 0x200, 0x4)));
    cx.emit(rr(Op::AddRR, 8, significand, significand));
    cx.emit(jcc(Cond::E, done));
    cx.emit(mov_imm(4, dst, asked(classes, 0x2, 0x2)));
    cx.emit(jcc(Cond::S, done));
    cx.emit(mov_imm(4, dst, asked(classes, 0x1, 0x1)));
    cx.emit(jmp(done));
    cx.bind(no_integer_bit);
    cx.emit(mov_imm(4, dst, if classes & 3 == 3 { 3 } else { 0 }));
    cx.emit(rr(Op::TestRR, 4, exponent, exponent));
    cx.emit(jcc(Cond::Ne, done));
    cx.emit(mov_imm(4, dst, asked(classes, 0x40, 0x20)));
    cx.emit(rr(Op::TestRR, 8, significand, significand));
    cx.emit(jcc(Cond::E, done));
    cx.emit(mov_imm(4, dst, asked(classes, 0x80, 0x10)));
    cx.emit(jmp(done));
    cx.bind(finite);
    cx.emit(mov_imm(4, dst, if classes & FINITE == FINITE { 3 } else { 0 }));
    cx.emit(rr(Op::TestRR, 4, exponent, exponent));
    cx.emit(jcc(Cond::E, done));
    cx.emit(mov_imm(4, dst, asked(classes, 0x100, 0x8)));
    cx.bind(done);
    cx.end_group();
    cx.emit(rr(Op::BtRR, 4, dst, sign));
    cx.emit(setcc(Cond::B, dst));
}
