//! Division of all lanes by one constant, and its remainder, without a division: shifts for powers of two,
//! multiplications for other divisors. Other divisions are done lane by lane, and those of 64-bit lanes, but for powers
//! of two.
//!
//! The quotient is the upper half of a product with a scaled reciprocal, rounded up, as for
//! [scalars](super::super::divide_constant). Words have instructions that give the upper half; bytes are widened to
//! words, whose upper halves are exact enough for any divisor; of 32-bit lanes, even and odd ones are multiplied apart.

use super::shift_one::by_one;
use super::{arith, by, copy_of, finish, has_sse41, is_integer, lanes, loaded, signs, splat, temp, with};
use super::{with_constant, zero};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{Halt, LowerCtx, Reg, VectorShape};
use frazil_ir::{ConstView, Function, InstData, Opcode};

/// What is divided by what.
#[derive(Clone, Copy)]
struct Division {
    bits: u32,
    signed: bool,
    wants_remainder: bool,
    /// Absolute value of the divisor.
    magnitude: u64,
    is_negative: bool,
}

/// The one constant that lanes are divided by, sign-extended, if there are instructions for that.
pub fn divisor(function: &Function, data: &InstData, shape: VectorShape) -> Option<i64> {
    let ConstView::Vector(lanes) = function.constant(data.b.as_const()?).1 else {
        return None;
    };
    if shape.lane_bits > 64 {
        return None;
    }
    let number = |index: usize| {
        let lane = lanes[index];
        lane.as_imm().or_else(|| match function.constant(lane.as_const()?).1 {
            ConstView::Int(&[word]) => Some(word.cast_signed()),
            _ => None,
        })
    };
    let unused = 64 - shape.lane_bits.min(64);
    let first = number(0)? << unused >> unused;
    let is_splat = (1..lanes.len()).all(|index| number(index).map(|lane| lane << unused >> unused) == Some(first));
    let magnitude = magnitude(data.op, first, shape.lane_bits);
    let is_done = match shape.lane_bits {
        64 => magnitude.is_power_of_two(),
        _ => magnitude != 0,
    };
    (is_integer(shape) && is_splat && is_done).then_some(first)
}

fn is_signed(op: Opcode) -> bool {
    matches!(op, Opcode::Sdiv | Opcode::Srem)
}

fn magnitude(op: Opcode, divisor: i64, bits: u32) -> u64 {
    if is_signed(op) {
        divisor.unsigned_abs()
    } else {
        divisor.cast_unsigned() & (u64::MAX >> (64 - bits))
    }
}

/// Lowers what [`divisor`] has found one for.
pub fn divide<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) -> Result<(), Halt> {
    let divisor = divisor(cx.func(), data, shape).ok_or(Halt::Expand)?;
    let signed = is_signed(data.op);
    let division = Division {
        bits: shape.lane_bits,
        signed,
        wants_remainder: matches!(data.op, Opcode::Urem | Opcode::Srem),
        magnitude: magnitude(data.op, divisor, shape.lane_bits),
        is_negative: signed && divisor < 0,
    };
    let value = cx.use_copy(data.a, 0);
    let log2 = division.magnitude.trailing_zeros();
    let quotient = match (division.magnitude.is_power_of_two(), signed, shape.lane_bits) {
        (true, false, _) => unsigned_by_power(cx, division, value, log2),
        (true, true, _) => signed_by_power(cx, division, value, log2),
        (false, _, 8) => bytes(cx, division, value),
        _ => by_multiplication(cx, division, value),
    };
    finish(cx, data, quotient);
    Ok(())
}

fn unsigned_by_power<C: LowerCtx>(cx: &mut C, division: Division, value: Reg, log2: u32) -> Reg {
    if division.wants_remainder {
        let kept = u128::from(division.magnitude - 1);
        with_constant(cx, Op::PandRM, value, splat(kept, division.bits));
    } else {
        by_one(cx, Opcode::Lshr, division.bits, value, log2.cast_signed());
    }
    value
}

fn subtract_row(bits: u32) -> Op {
    match bits {
        8 => Op::PsubbRR,
        16 => Op::PsubwRR,
        32 => Op::PsubdRR,
        _ => Op::PsubqRR,
    }
}

fn add<C: LowerCtx>(cx: &mut C, bits: u32, value: Reg, other: Reg) {
    let row = match bits {
        8 => Op::PaddbRR,
        16 => Op::PaddwRR,
        32 => Op::PadddRR,
        _ => Op::PaddqRR,
    };
    with(cx, row, value, other);
}

/// Shifting rounds down; a negative value is moved up first, so that this is rounding to zero.
fn signed_by_power<C: LowerCtx>(cx: &mut C, division: Division, value: Reg, log2: u32) -> Reg {
    let bits = division.bits;
    if log2 == 0 && division.wants_remainder {
        return zero(cx);
    }
    let moved = copy_of(cx, value);
    if log2 > 0 {
        let bias = signs(cx, value, bits);
        if bits == 8 {
            with_constant(cx, Op::PandRM, bias, splat(u128::from(division.magnitude - 1), 8));
        } else {
            by_one(cx, Opcode::Lshr, bits, bias, (bits - log2).cast_signed());
        }
        add(cx, bits, moved, bias);
    }
    if division.wants_remainder {
        let kept = u128::from(division.magnitude.wrapping_neg());
        with_constant(cx, Op::PandRM, moved, splat(kept, bits));
        with(cx, subtract_row(bits), value, moved);
        return value;
    }
    by_one(cx, Opcode::Ashr, bits, moved, log2.cast_signed());
    negate_if(cx, division, moved)
}

/// The quotient for the divisor's magnitude, with the divisor's sign.
fn negate_if<C: LowerCtx>(cx: &mut C, division: Division, quotient: Reg) -> Reg {
    if !division.is_negative {
        return quotient;
    }
    let negated = zero(cx);
    with(cx, subtract_row(division.bits), negated, quotient);
    negated
}

/// How to divide by the upper half of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reciprocal {
    /// How far the value goes to the right before.
    first_shift: u32,
    /// What to multiply by.
    factor: u64,
    /// Whether the factor is `2^bits` larger than that (as a signed factor: it is negative by its top bit), so that the
    /// value itself is to be added to the upper half.
    adds_value: bool,
    /// How far the upper half goes to the right.
    shift: u32,
}

impl Reciprocal {
    /// For values of `bits` (at most 32) bits and a divisor that is no power of two.
    fn new(magnitude: u64, bits: u32, signed: bool) -> Reciprocal {
        let magnitude_bits = magnitude.ilog2();
        // Signed values have a bit less.
        let value_bits = if signed { bits - 1 } else { bits };
        let attempt = |divisor: u64, value_bits: u32, more: u32| {
            let power = 1u128 << (value_bits + divisor.ilog2() + more);
            let factor = power / u128::from(divisor) + 1;
            // Too large by this for each unit of the value; all values together must not reach the next quotient.
            let excess = factor * u128::from(divisor) - power;
            (factor as u64, excess << value_bits <= power)
        };
        let plain = |first_shift: u32, factor: u64, shift: u32| Reciprocal {
            first_shift,
            factor,
            adds_value: false,
            shift,
        };
        if signed {
            // Factors are signed, too, and the upper half begins one bit above the values'.
            let (factor, is_exact) = attempt(magnitude, value_bits, 0);
            if is_exact && factor >> value_bits == 0 {
                return plain(0, factor, magnitude_bits - 1);
            }
            let (factor, _) = attempt(magnitude, value_bits, 1);
            return Reciprocal {
                first_shift: 0,
                factor,
                adds_value: factor >> value_bits != 0,
                shift: magnitude_bits,
            };
        }
        let (factor, is_exact) = attempt(magnitude, value_bits, 0);
        if is_exact {
            return plain(0, factor, magnitude_bits);
        }
        let zeros = magnitude.trailing_zeros();
        if zeros > 0 {
            // The factor of a value with fewer bits is exact.
            let odd = magnitude >> zeros;
            let power = 1u128 << (bits + odd.ilog2());
            let factor = power / u128::from(odd) + 1;
            debug_assert!((factor * u128::from(odd) - power) << (bits - zeros) <= power);
            return plain(zeros, factor as u64, odd.ilog2());
        }
        let (factor, _) = attempt(magnitude, value_bits, 1);
        Reciprocal {
            first_shift: 0,
            factor: factor & ((1 << bits) - 1),
            adds_value: true,
            shift: magnitude_bits,
        }
    }
}

/// Lanes of 16 and 32 bits.
fn by_multiplication<C: LowerCtx>(cx: &mut C, division: Division, value: Reg) -> Reg {
    let Division { bits, signed, .. } = division;
    let reciprocal = Reciprocal::new(division.magnitude, bits, signed);
    let mut quotient = copy_of(cx, value);
    by_one(cx, Opcode::Lshr, bits, quotient, reciprocal.first_shift.cast_signed());
    upper_half(cx, bits, signed, quotient, reciprocal.factor);
    let shift = reciprocal.shift.cast_signed();
    if signed {
        // The shift rounds down, but a quotient is rounded to zero.
        if reciprocal.adds_value {
            add(cx, bits, quotient, value);
        }
        let negative = copy_of(cx, quotient);
        by_one(cx, Opcode::Lshr, bits, negative, bits.cast_signed() - 1);
        by_one(cx, Opcode::Ashr, bits, quotient, shift);
        add(cx, bits, quotient, negative);
    } else if reciprocal.adds_value {
        // (value + quotient) / 2 without overflow.
        let sum = copy_of(cx, value);
        with(cx, subtract_row(bits), sum, quotient);
        by_one(cx, Opcode::Lshr, bits, sum, 1);
        add(cx, bits, sum, quotient);
        by_one(cx, Opcode::Lshr, bits, sum, shift);
        quotient = sum;
    } else {
        by_one(cx, Opcode::Lshr, bits, quotient, shift);
    }
    if division.wants_remainder {
        let magnitude = loaded(cx, splat(u128::from(division.magnitude), bits));
        arith::multiply_lanes(cx, bits, quotient, magnitude);
        with(cx, subtract_row(bits), value, quotient);
        return value;
    }
    negate_if(cx, division, quotient)
}

/// `value` becomes the upper half of its product with a number.
fn upper_half<C: LowerCtx>(cx: &mut C, bits: u32, signed: bool, value: Reg, factor: u64) {
    if bits == 16 {
        let row = if signed { Op::PmulhwRM } else { Op::PmulhuwRM };
        return with_constant(cx, row, value, splat(factor.into(), 16));
    }
    let factors = loaded(cx, splat(factor.into(), 32));
    let odd = temp(cx);
    lanes(cx, odd, value, 0xf5);
    let is_direct = signed && has_sse41(cx.view());
    // As unsigned numbers, negative ones are larger by 2^32, and so is the product's upper half by the other factor.
    let excess = (signed && !is_direct).then(|| {
        let excess = signs(cx, value, 32);
        with(cx, Op::PandRR, excess, factors);
        if factor >> 31 != 0 {
            // Of a negative factor, the value.
            add(cx, 32, excess, value);
        }
        excess
    });
    let multiply = if is_direct { Op::PmuldqRR } else { Op::PmuludqRR };
    with(cx, multiply, value, factors);
    with(cx, multiply, odd, factors);
    if has_sse41(cx.view()) {
        lanes(cx, value, value, 0xf5);
        cx.emit(rri(Op::PblendwRRI, 16, value, odd, 0xcc));
    } else {
        lanes(cx, value, value, 0xed);
        lanes(cx, odd, odd, 0xed);
        with(cx, Op::PunpckldqRR, value, odd);
    }
    if let Some(excess) = excess {
        with(cx, Op::PsubdRR, value, excess);
    }
}

/// Bytes as words, with a reciprocal of 16 bits.
fn bytes<C: LowerCtx>(cx: &mut C, division: Division, value: Reg) -> Reg {
    let high = copy_of(cx, value);
    if division.signed {
        with(cx, Op::PunpcklbwRR, value, value);
        with(cx, Op::PunpckhbwRR, high, high);
        by(cx, Op::PsrawRI, value, 8);
        by(cx, Op::PsrawRI, high, 8);
    } else {
        let clear = zero(cx);
        with(cx, Op::PunpcklbwRR, value, clear);
        with(cx, Op::PunpckhbwRR, high, clear);
    }
    let factor = 0x1_0000 / division.magnitude + 1;
    let [low, high] = [value, high].map(|half| word_quotient(cx, division, half, factor));
    with(
        cx,
        if division.signed {
            Op::PacksswbRR
        } else {
            Op::PackuswbRR
        },
        low,
        high,
    );
    if division.wants_remainder {
        return low;
    }
    negate_if(cx, division, low)
}

/// The quotient or remainder of words that are bytes.
fn word_quotient<C: LowerCtx>(cx: &mut C, division: Division, value: Reg, factor: u64) -> Reg {
    let quotient = copy_of(cx, value);
    upper_half(cx, 16, division.signed, quotient, factor);
    if division.signed {
        // Plus 1 where the value is negative.
        let negative = copy_of(cx, value);
        by(cx, Op::PsrawRI, negative, 15);
        with(cx, Op::PsubwRR, quotient, negative);
    }
    if !division.wants_remainder {
        return quotient;
    }
    with_constant(cx, Op::PmullwRM, quotient, splat(u128::from(division.magnitude), 16));
    with(cx, Op::PsubwRR, value, quotient);
    value
}

#[cfg(test)]
mod tests {
    use super::Reciprocal;

    fn unsigned_quotient(value: u64, bits: u32, reciprocal: Reciprocal) -> u64 {
        let high = ((value >> reciprocal.first_shift) * reciprocal.factor) >> bits;
        let sum = if reciprocal.adds_value {
            ((value - high) >> 1) + high
        } else {
            high
        };
        sum >> reciprocal.shift
    }

    fn signed_quotient(value: i64, bits: u32, reciprocal: Reciprocal) -> i64 {
        let factor = reciprocal.factor.cast_signed() << (64 - bits) >> (64 - bits);
        let high = ((value * factor) >> bits) + if reciprocal.adds_value { value } else { 0 };
        (high >> reciprocal.shift) + i64::from(high < 0)
    }

    /// All 16-bit values by many divisors.
    #[test]
    fn words_by_all_kinds_of_divisors() {
        let divisors = (3..300).chain([641, 1000, 10_007, 32_767, 32_769, 43_690, 65_534, 65_535]);
        for divisor in divisors.filter(|divisor: &u64| !divisor.is_power_of_two()) {
            let reciprocal = Reciprocal::new(divisor, 16, false);
            assert_eq!(reciprocal.factor >> 16, 0, "{divisor}");
            for value in 0..=0xffff {
                assert_eq!(
                    unsigned_quotient(value, 16, reciprocal),
                    value / divisor,
                    "{value} / {divisor}"
                );
            }
            if divisor > 0x7fff {
                continue;
            }
            let reciprocal = Reciprocal::new(divisor, 16, true);
            assert_eq!(reciprocal.factor >> 16, 0, "{divisor}");
            for value in -0x8000..=0x7fff {
                let expected = value / divisor.cast_signed();
                assert_eq!(signed_quotient(value, 16, reciprocal), expected, "{value} / {divisor}");
            }
        }
    }

    /// 32-bit values around multiples and at the borders.
    #[test]
    fn border_values_of_32_bits() {
        for divisor in [
            3,
            5,
            6,
            7,
            9,
            10,
            14,
            28,
            100,
            641,
            1000,
            0x7fff_ffff,
            0x8000_0001,
            0xffff_ffff,
        ] {
            let reciprocal = Reciprocal::new(divisor, 32, false);
            let multiples = [1, 2, 3, u64::from(u32::MAX) / divisor].map(|count| count * divisor);
            let near = multiples
                .into_iter()
                .flat_map(|multiple| [multiple - 1, multiple, multiple + 1]);
            for value in near
                .chain([0, u64::from(u32::MAX)])
                .filter(|&value| value <= u64::from(u32::MAX))
            {
                assert_eq!(
                    unsigned_quotient(value, 32, reciprocal),
                    value / divisor,
                    "{value} / {divisor}"
                );
            }
            let Ok(divisor) = i32::try_from(divisor) else { continue };
            let reciprocal = Reciprocal::new(divisor.unsigned_abs().into(), 32, true);
            let divisor = i64::from(divisor);
            let multiples = [1, 2, 3, i64::from(i32::MAX) / divisor].map(|count| count * divisor);
            let near = multiples
                .into_iter()
                .flat_map(|multiple| [multiple - 1, multiple, multiple + 1]);
            let borders = [0, i64::from(i32::MAX), i64::from(i32::MIN)];
            for value in near.flat_map(|value| [value, -value]).chain(borders) {
                if i32::try_from(value).is_ok() {
                    assert_eq!(
                        signed_quotient(value, 32, reciprocal),
                        value / divisor,
                        "{value} / {divisor}"
                    );
                }
            }
        }
    }
}
