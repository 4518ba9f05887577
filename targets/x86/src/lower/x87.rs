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
use super::wide::extended_high;
use super::{constant_mem, extended_copy, float_bytes, int_bits, is_32_bit, is_wide, result, type_of, word_bits};
use crate::build::*;
use crate::cond::Cond;
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, ImmKind, LowerCtx, Mem, Reg, RegClass, Src, long_arithmetic};
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

/// Takes the number from the stack's top to a register as a float of 4 or 8 bytes.
fn pop_float<C: LowerCtx>(cx: &mut C, dst: Reg, bytes: u8, shared: Mem) {
    let row = if bytes == 4 { Op::FstpsM } else { Op::FstplM };
    cx.emit(m(row, bytes, shared));
    cx.emit(rm(Op::MovsRM, bytes, dst, shared));
}

/// Puts a float of 4 or 8 bytes on the stack.
fn push_float<C: LowerCtx>(cx: &mut C, src: Src, bytes: u8, shared: Mem) {
    let row = if bytes == 4 { Op::FldsM } else { Op::FldlM };
    let mem = match src {
        Src::Mem(mem) => mem,
        Src::Reg(reg) => {
            cx.emit(mr(Op::MovsMR, bytes, shared, reg));
            shared
        }
        Src::Imm(_) => unreachable!("not asked for"),
    };
    cx.emit(m(row, bytes, mem));
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
        match bytes {
            4 | 8 => pop_float(cx, reg, bytes, shared),
            _ => pop(cx, reg, shared),
        }
    }
}

/// Brings results from registers to the stack, the first one to its top.
#[cold]
pub fn give_results<C: LowerCtx>(cx: &mut C, results: &[(Reg, u8)]) {
    let shared = shared(cx);
    for &(reg, bytes) in results.iter().rev() {
        match bytes {
            4 | 8 => push_float(cx, Src::Reg(reg), bytes, shared),
            _ => push(cx, Src::Reg(reg), shared),
        }
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
    constant_mem(cx, &bits.to_le_bytes())
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
    if bytes == 0 {
        return Err(refuse(data.op));
    }
    let src = source(cx, data.a);
    let dst = cx.def(result(data), 0);
    let shared = shared(cx);
    push_float(cx, src, bytes, shared);
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
    pop_float(cx, dst, bytes, shared);
}

/// Lowers a conversion of an integer to an `x86_fp80`.
pub(super) fn from_integer<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let from = type_of(cx, data.a);
    let signed = data.op == Opcode::Sitofp;
    let bits = int_bits(cx, from);
    match bits {
        0 => return Err(refuse(data.op)),
        65.. => return from_wide(cx, data, bits, signed),
        _ => {}
    }
    let integer = Integer::take(cx, data.a, bits, signed);
    let dst = cx.def(result(data), 0);
    let shared = shared(cx);
    integer.push(cx, shared);
    pop(cx, dst, shared);
    Ok(())
}

/// Lowers a conversion of an integer in two registers to `f32` or `f64`: the unit has all of its bits before it
/// rounds.
#[cold]
pub(super) fn float_from_pair<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let from = type_of(cx, data.a);
    let integer = Integer::take(cx, data.a, int_bits(cx, from), data.op == Opcode::Sitofp);
    let dst = cx.def(result(data), 0);
    let shared = shared(cx);
    integer.push(cx, shared);
    pop_float(cx, dst, bytes, shared);
}

/// An integer of at most 64 bits on its way to the unit, which takes signed ones of 32 and 64 bits.
#[derive(Clone, Copy)]
struct Integer {
    /// Its registers, the low part first, extended to all bits that the unit takes.
    parts: [Reg; 2],
    /// Bytes that the unit takes.
    size: u8,
    /// Whether the top bit of what the unit takes is one of the number's own.
    is_unsigned: bool,
}

impl Integer {
    fn take<C: LowerCtx>(cx: &mut C, operand: Operand, bits: u32, signed: bool) -> Integer {
        let size = if bits < 32 || bits == 32 && signed { 4 } else { 8 };
        let is_unsigned = bits == 64 && !signed;
        if size == C::WORD_BYTES || !is_32_bit::<C>() {
            let parts = [extended_copy(cx, operand, bits, signed, size), Reg::NONE];
            return Integer {
                parts,
                size,
                is_unsigned,
            };
        }
        let parts = match bits {
            // An unsigned number, with zeros above it.
            32 => [cx.use_reg(operand, 0), Reg::NONE],
            _ => [cx.use_reg(operand, 0), extended_high(cx, operand, bits, signed)],
        };
        Integer {
            parts,
            size,
            is_unsigned,
        }
    }

    /// The register with the top bit.
    fn top(self) -> Reg {
        if self.parts[1].is_none() {
            self.parts[0]
        } else {
            self.parts[1]
        }
    }

    fn push<C: LowerCtx>(self, cx: &mut C, shared: Mem) {
        let wrap = self.is_unsigned.then(|| constant_mem(cx, &TWO_TO_THE_64.to_le_bytes()));
        let word = self.size.min(C::WORD_BYTES);
        cx.emit(mr(Op::MovMR, word, shared, self.parts[0]));
        if self.size > word {
            let upper = at(shared, word.into());
            cx.emit(match self.parts[1].is_none() {
                true => mi(Op::MovMI, word, upper, 0),
                false => mr(Op::MovMR, word, upper, self.parts[1]),
            });
        }
        let row = if self.size == 4 { Op::FildlM } else { Op::FildqM };
        cx.emit(m(row, self.size, shared));
        if let Some(wrap) = wrap {
            // A number with the top bit set was taken for a negative one.
            cx.emit(rr(Op::TestRR, word, self.top(), self.top()));
            cx.begin_group(GroupKind::Plain);
            let done = cx.local_label();
            cx.emit(jcc_short(Cond::Ns, done));
            cx.emit(m(Op::FaddsM, 4, wrap));
            cx.bind(done);
            cx.end_group();
        }
    }
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
        0 => return Err(refuse(data.op)),
        _ => {}
    }
    let src = source(cx, data.a);
    let target = Target::take(cx, data);
    let shared = shared(cx);
    push(cx, src, shared);
    target.pop(cx, shared);
    Ok(())
}

/// Lowers a conversion of an `f32` or `f64` to an integer in two registers.
#[cold]
pub(super) fn pair_from_float<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let src = source(cx, data.a);
    let target = Target::take(cx, data);
    let shared = shared(cx);
    push_float(cx, src, bytes, shared);
    target.pop(cx, shared);
}

/// Lowers a conversion to an integer in two registers by the current rounding mode.
#[cold]
pub(super) fn to_nearest<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bytes = float_bytes(type_of(cx, data.a));
    let src = source(cx, data.a);
    let parts = [0, 1].map(|part| cx.def(result(data), part));
    let shared = shared(cx);
    push_float(cx, src, bytes, shared);
    cx.emit(m(Op::FistpqM, 8, shared));
    load_integer(cx, parts, 8, shared);
}

/// An integer of at most 64 bits that the unit rounds a number to, towards zero.
#[derive(Clone, Copy)]
struct Target {
    parts: [Reg; 2],
    /// Bytes that the unit stores.
    size: u8,
    control: Reg,
    /// For unsigned integers of 64 bits: the top bit that a number has from 2^63 on.
    top: Option<Reg>,
}

impl Target {
    fn take<C: LowerCtx>(cx: &mut C, data: &InstData) -> Target {
        let (bits, signed) = (int_bits(cx, data.ty), data.op == Opcode::Fptosi);
        let control = cx.temp(RegClass::Int);
        let top = (bits == 64 && !signed).then(|| cx.temp(RegClass::Int));
        let low = cx.def(result(data), 0);
        let high = if is_wide(cx, data.ty) {
            cx.def(result(data), 1)
        } else {
            Reg::NONE
        };
        Target {
            parts: [low, high],
            size: if bits < 32 || (bits == 32 && signed) { 4 } else { 8 },
            control,
            top,
        }
    }

    /// Takes the number from the stack's top.
    fn pop<C: LowerCtx>(self, cx: &mut C, shared: Mem) {
        if let Some(top) = self.top {
            reduce(cx, top);
        }
        store_truncated(cx, self.size, self.control, shared);
        load_integer(cx, self.parts, self.size, shared);
        if let Some(top) = self.top {
            let upper = if self.parts[1].is_none() {
                self.parts[0]
            } else {
                self.parts[1]
            };
            cx.emit(rr(Op::XorRR, C::WORD_BYTES, upper, top));
        }
    }
}

/// Brings an integer of 4 or 8 bytes from memory to its registers; what does not fit them is not wanted.
fn load_integer<C: LowerCtx>(cx: &mut C, [low, high]: [Reg; 2], size: u8, mem: Mem) {
    cx.emit(rm(Op::MovRM, size.min(C::WORD_BYTES), low, mem));
    if !high.is_none() {
        cx.emit(rm(Op::MovRM, C::WORD_BYTES, high, at(mem, C::WORD_BYTES.into())));
    }
}

/// Numbers of 2^63 and more become less by 2^63, and `top` is the top bit that they get back.
fn reduce<C: LowerCtx>(cx: &mut C, top: Reg) {
    let limit = constant_mem(cx, &TWO_TO_THE_63.to_le_bytes());
    cx.emit(mov_imm(4, top, 0));
    cx.emit(m(Op::FldsM, 4, limit));
    cx.emit(none(Op::Fucomip, BYTES));
    cx.begin_group(GroupKind::Plain);
    let small = cx.local_label();
    cx.emit(jcc_short(Cond::A, small));
    cx.emit(m(Op::FsubsM, 4, limit));
    cx.emit(mov_imm(C::WORD_BYTES, top, i64::MIN >> (64 - word_bits::<C>())));
    cx.bind(small);
    cx.end_group();
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
    let function = long_arithmetic(data.op).ok_or_else(|| refuse(data.op))?;
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

/// The upper half of a number's significand, with its lowest bit set if there is anything in the lower half, which
/// `spare` then is.
fn upper_significand<C: LowerCtx>(cx: &mut C, dst: Reg, spare: Reg, number: Reg) {
    let shared = shared(cx);
    cx.emit(mr(Op::MovqMX, 8, shared, number));
    cx.emit(rm(Op::MovRM, 4, spare, shared));
    cx.emit(rm(Op::MovRM, 4, dst, at(shared, 4)));
    // The carry flag says whether it is not zero.
    cx.emit(r(Op::NegR, 4, spare));
    cx.emit(rr(Op::SbbRR, 4, spare, spare));
    cx.emit(ri(Op::AndRI, 4, spare, 1));
    cx.emit(rr(Op::OrRR, 4, dst, spare));
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
    if is_32_bit::<C>() {
        upper_significand(cx, significand, dst, src);
    } else {
        cx.emit(rr(Op::MovdRX, 8, significand, src));
    }
    cx.emit(rri(Op::PextrwRXI, BYTES, sign, src, 4));
    cx.emit(rr(Op::MovRR, 4, exponent, sign));
    cx.emit(ri(Op::ShrRI, 4, sign, 15));
    cx.begin_group(GroupKind::Plain);
    let [done, no_integer_bit, finite] = [(); 3].map(|()| cx.local_label());
    cx.emit(ri(Op::AndRI, 4, exponent, 0x7fff));
    cx.emit(rr(Op::TestRR, C::WORD_BYTES, significand, significand));
    cx.emit(jcc(Cond::Ns, no_integer_bit));
    cx.emit(ri(Op::CmpRI, 4, exponent, 0x7fff));
    cx.emit(jcc(Cond::Ne, finite));
    // Shifting moves the quiet bit to the sign and the integer bit out.
    cx.emit(mov_imm(4, dst, asked(classes, 0x200, 0x4)));
    cx.emit(rr(Op::AddRR, C::WORD_BYTES, significand, significand));
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
    cx.emit(rr(Op::TestRR, C::WORD_BYTES, significand, significand));
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
