//! Conversions between integers in two registers and other types.

use super::wide_conversion;
use crate::build::*;
use crate::cond::Cond;
use crate::lower::memory::at;
use crate::lower::wide::{Pair, define, extended_pair, negate_by, spread_sign};
use crate::lower::{extended_copy, int_bits, is_32_bit, result, word_bits, x87};
use crate::regs::RCX;
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, Label, LowerCtx, PRegSet, Reg, RegClass};
use frazil_ir::{InstData, Opcode, Refusal, Type};

/// Lowers `zext` and `sext` to two registers.
pub fn widen<C: LowerCtx>(cx: &mut C, data: &InstData, from_bits: u32, signed: bool) {
    if from_bits > word_bits::<C>() {
        let value = extended_pair(cx, data.a, from_bits, signed);
        define(cx, data, value);
        return;
    }
    let src = if from_bits == word_bits::<C>() {
        cx.use_last(data.a, 0)
    } else {
        extended_copy(cx, data.a, from_bits, signed, C::WORD_BYTES)
    };
    let low = cx.def_reuse(result(data), 0, src);
    let high = cx.def(result(data), 1);
    if signed {
        spread_sign(cx, high, low);
    } else {
        cx.emit(mov_imm(C::WORD_BYTES, high, 0));
    }
}

/// Moves the bits of a double to two registers, through memory, or back.
#[cold]
pub fn move_bits<C: LowerCtx>(cx: &mut C, data: &InstData, to_float: bool) {
    if to_float {
        let [low, high] = [0, 1].map(|part| cx.use_reg(data.a, part));
        let dst = cx.def(result(data), 0);
        let upper = cx.temp(RegClass::Float);
        cx.emit(rr(Op::MovdXR, 4, dst, low));
        cx.emit(rr(Op::MovdXR, 4, upper, high));
        cx.emit(rr(Op::UnpcklpRR, 4, dst, upper));
        return;
    }
    let area = cx.shared_area();
    let mem = cx.area_mem(area);
    let src = cx.use_reg(data.a, 0);
    let [low, high] = [0, 1].map(|part| cx.def(result(data), part));
    cx.emit(mr(Op::MovsMR, 8, mem, src));
    cx.emit(rm(Op::MovRM, 4, low, mem));
    cx.emit(rm(Op::MovRM, 4, high, at(mem, 4)));
}

/// Lowers `sitofp` and `uitofp` from two registers: library functions on 128 bits, and the x87 unit on 64.
pub fn to_float<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    from: Type,
    bytes: u8,
    signed: bool,
) -> Result<(), CodegenError> {
    if is_32_bit::<C>() {
        x87::float_from_pair(cx, data, bytes);
        return Ok(());
    }
    if from != Type::I128 {
        let bits = int_bits(cx, from);
        return Err(CodegenError::unsupported(
            Refusal::WideInteger,
            format!("a conversion of i{bits} to floating point"),
        ));
    }
    let op = if signed { Opcode::Sitofp } else { Opcode::Uitofp };
    cx.call_runtime(wide_conversion(op, bytes), &[(data.a, from)], Some(result(data)))
}

/// Lowers `fptosi` and `fptoui` to two registers in the same way: what gives 128 or 64 bits gives fewer as well, since
/// a value out of range is poison.
pub fn from_float<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    from: Type,
    bytes: u8,
    signed: bool,
) -> Result<(), CodegenError> {
    if is_32_bit::<C>() {
        x87::pair_from_float(cx, data, bytes);
        return Ok(());
    }
    let op = if signed { Opcode::Fptosi } else { Opcode::Fptoui };
    cx.call_runtime(wide_conversion(op, bytes), &[(data.a, from)], Some(result(data)))
}

/// Explicit bits of the fraction of a double.
const FRACTION_BITS: i32 = 52;
/// The exponent field of one.
const EXPONENT_OF_ONE: i32 = 1023;
const EXPONENT_MASK: i32 = 0x7ff;

/// The registers of a saturating conversion.
#[derive(Clone, Copy)]
struct Saturation {
    double: Reg,
    value: Pair,
    sign: Reg,
    bits: u32,
    signed: bool,
}

/// Lowers `fptosi.sat` and `fptoui.sat` to more than 64 bits, from the parts of a double.
pub fn saturate<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, bytes: u8, signed: bool) {
    cx.claim(PRegSet::of(&[RCX]));
    let src = cx.use_reg(data.a, 0);
    let double = if bytes == 4 { cx.temp(RegClass::Float) } else { src };
    let value = Pair {
        low: cx.temp(RegClass::Int),
        high: cx.temp(RegClass::Int),
    };
    let sign = cx.temp(RegClass::Int);
    if bytes == 4 {
        cx.emit(rr(Op::Cvtss2sdRR, 4, double, src));
    }
    let conversion = Saturation {
        double,
        value,
        sign,
        bits,
        signed,
    };
    cx.begin_group(GroupKind::Plain);
    let (zero, limit, done) = (cx.local_label(), cx.local_label(), cx.local_label());
    conversion.take_apart(cx, zero, limit);
    conversion.shift(cx);
    cx.emit(jmp(done));
    cx.bind(limit);
    conversion.give_limit(cx);
    cx.emit(jmp(done));
    cx.bind(zero);
    cx.emit(mov_imm(8, value.low, 0));
    cx.emit(mov_imm(8, value.high, 0));
    cx.bind(done);
    cx.end_group();
    define(cx, data, value);
}

impl Saturation {
    /// Puts the bits of the number into the low part, its sign as a mask into `sign`, and the number of the leading bit
    /// of its magnitude into `ecx`. What gives zero, NaN included, and what is out of range goes elsewhere.
    fn take_apart<C: LowerCtx>(self, cx: &mut C, zero: Label, limit: Label) {
        let low = self.value.low;
        cx.emit(rr(Op::UcomisRR, 8, self.double, self.double));
        cx.emit(jcc(Cond::P, zero));
        cx.emit(rr(Op::MovdRX, 8, low, self.double));
        spread_sign(cx, self.sign, low);
        cx.emit(rr(Op::MovRR, 8, RCX, low));
        cx.emit(ri(Op::ShrRI, 8, RCX, FRACTION_BITS));
        cx.emit(ri(Op::AndRI, 4, RCX, EXPONENT_MASK));
        cx.emit(ri(Op::SubRI, 4, RCX, EXPONENT_OF_ONE));
        cx.emit(jcc(Cond::B, zero));
        let value_bits = self.bits - u32::from(self.signed);
        cx.emit(ri(Op::CmpRI, 4, RCX, value_bits.cast_signed()));
        cx.emit(jcc(Cond::Ae, limit));
        if !self.signed {
            cx.emit(rr(Op::TestRR, 8, self.sign, self.sign));
            cx.emit(jcc(Cond::Ne, zero));
        }
    }

    /// Puts the magnitude at the top of both parts, moves it down to its place, and gives it its sign.
    fn shift<C: LowerCtx>(self, cx: &mut C) {
        let Pair { low, high } = self.value;
        let near = cx.local_label();
        cx.emit(rr(Op::MovRR, 8, high, low));
        cx.emit(ri(Op::ShlRI, 8, high, 63 - FRACTION_BITS));
        cx.emit(ri(Op::BtsRI, 8, high, 63));
        cx.emit(mov_imm(8, low, 0));
        cx.emit(r(Op::NegR, 4, RCX));
        cx.emit(ri(Op::AddRI, 4, RCX, 127));
        cx.emit(rr(Op::ShrdRRC, 8, low, high));
        cx.emit(r(Op::ShrRC, 8, high));
        cx.emit(ri(Op::TestRI, 1, RCX, 64));
        cx.emit(jcc(Cond::E, near));
        cx.emit(rr(Op::MovRR, 8, low, high));
        cx.emit(mov_imm(8, high, 0));
        cx.bind(near);
        if self.signed {
            negate_by(cx, self.value, self.sign);
        }
    }

    /// The number of the range that is nearest to one beyond it.
    fn give_limit<C: LowerCtx>(self, cx: &mut C) {
        let Pair { low, high } = self.value;
        if self.signed {
            cx.emit(mov_imm(8, high, i64::MAX >> (128 - self.bits)));
            cx.emit(rr(Op::XorRR, 8, high, self.sign));
            cx.emit(rr(Op::MovRR, 8, low, self.sign));
            cx.emit(r(Op::NotR, 8, low));
        } else {
            cx.emit(r(Op::NotR, 8, self.sign));
            cx.emit(rr(Op::MovRR, 8, low, self.sign));
            cx.emit(rr(Op::MovRR, 8, high, self.sign));
        }
    }
}
