//! Floating-point operations on lanes.
//!
//! What depends on bits alone (signs, comparisons, classes) is computed; arithmetic is a function that nothing is known
//! of, by the operation's name and format, which [`crate::floats`] describes to the solver on demand.

use super::value::Lane;
use crate::terms::{Term, Terms, compute};
use frazil_ir::{FastFlags, Opcode, TypeData};

/// Fraction bits of the IEEE formats.
fn fraction_bits(ty: TypeData) -> Option<u32> {
    Some(match ty {
        TypeData::F16 => 10,
        TypeData::BF16 => 7,
        TypeData::F32 => 23,
        TypeData::F64 => 52,
        TypeData::F128 => 112,
        _ => return None,
    })
}

/// A format with what is needed to look at its bits.
#[derive(Clone, Copy, Debug)]
struct Format {
    fraction: u32,
    bits: u32,
}

impl Format {
    fn of(ty: TypeData, bits: u32) -> Option<Format> {
        fraction_bits(ty).map(|fraction| Format { fraction, bits })
    }

    fn magnitude(self, terms: &mut Terms, x: Term) -> Term {
        let mask = terms.constant(self.bits, compute::mask(self.bits - 1));
        terms.and(x, mask)
    }

    fn infinity(self, terms: &mut Terms) -> Term {
        let exponent = compute::mask(self.bits - 1) & !compute::mask(self.fraction);
        terms.constant(self.bits, exponent)
    }

    fn is_nan(self, terms: &mut Terms, x: Term) -> Term {
        let (magnitude, infinity) = (self.magnitude(terms, x), self.infinity(terms));
        terms.ult(infinity, magnitude)
    }

    fn is_infinite(self, terms: &mut Terms, x: Term) -> Term {
        let (magnitude, infinity) = (self.magnitude(terms, x), self.infinity(terms));
        terms.eq(magnitude, infinity)
    }
}

/// Poison for what `nnan` and `ninf` forbid.
fn with_fast_flags(
    terms: &mut Terms,
    flags: FastFlags,
    ty: TypeData,
    bits: u32,
    lane: Lane,
    looked_at: &[Term],
) -> Lane {
    let Some(format) = Format::of(ty, bits) else {
        return lane;
    };
    let mut lane = lane;
    for &value in looked_at {
        if flags.contains(FastFlags::NNAN) {
            let breaks = format.is_nan(terms, value);
            lane = lane.poisoned_if(terms, breaks);
        }
        if flags.contains(FastFlags::NINF) {
            let breaks = format.is_infinite(terms, value);
            lane = lane.poisoned_if(terms, breaks);
        }
    }
    lane
}

/// Whether two numbers are both NaN or, with `zeros`, both zero.
pub fn are_alike(terms: &mut Terms, ty: TypeData, zeros: bool, one: Term, other: Term) -> Term {
    let bits = terms.width(one);
    let Some(format) = Format::of(ty, bits) else {
        return terms.bool(false);
    };
    let (left, right) = (format.is_nan(terms, one), format.is_nan(terms, other));
    let mut alike = terms.and(left, right);
    if zeros {
        let (left, right) = (format.magnitude(terms, one), format.magnitude(terms, other));
        let (any, zero) = (terms.or(left, right), terms.constant(bits, 0));
        let both = terms.eq(any, zero);
        alike = terms.or(alike, both);
    }
    alike
}

/// A floating-point operation on `operands`, all of the operation's type but for those of `is_fpclass`.
pub fn float_op(terms: &mut Terms, op: Opcode, flags: FastFlags, ty: TypeData, bits: u32, operands: &[Lane]) -> Lane {
    use Opcode as O;
    let poisons: Vec<Term> = operands.iter().map(|lane| lane.poison).collect();
    let poison = terms.any(&poisons);
    let all: Vec<Term> = operands.iter().map(|lane| lane.bits).collect();
    let format = Format::of(ty, bits);
    let top = terms.constant(bits, 1 << (bits - 1));
    let rest = terms.constant(bits, compute::mask(bits - 1));
    let result = match (op, format) {
        (O::Fneg, _) => terms.xor(all[0], top),
        (O::Fabs, _) => terms.and(all[0], rest),
        (O::Fcopysign, _) => {
            let (magnitude, sign) = (terms.and(all[0], rest), terms.and(all[1], top));
            terms.or(magnitude, sign)
        }
        (O::IsFpclass, Some(format)) => {
            let mask = terms.constant_of(all[1]);
            match mask {
                Some(mask) => class_test(terms, format, all[0], mask),
                None => terms.function("is_fpclass", 1, &all),
            }
        }
        (_, Some(format)) if op.is_fcmp() => compare(terms, op, format, all[0], all[1]),
        _ => {
            let width = if op.is_fcmp() || op == O::IsFpclass { 1 } else { bits };
            let any_zero = if flags.contains(FastFlags::NSZ) { " nsz" } else { "" };
            let name = format!("{}{any_zero}:{ty:?}", op.name());
            terms.function(&name, width, &all)
        }
    };
    let lane = Lane { bits: result, poison };
    let mut looked_at = all;
    if op == O::IsFpclass {
        return lane;
    }
    if !op.is_fcmp() {
        looked_at.push(result);
    }
    with_fast_flags(terms, flags, ty, bits, lane, &looked_at)
}

fn compare(terms: &mut Terms, op: Opcode, format: Format, a: Term, b: Term) -> Term {
    use Opcode as O;
    let (left, right) = (format.is_nan(terms, a), format.is_nan(terms, b));
    let unordered = terms.or(left, right);
    let ordered = terms.not(unordered);
    let (left, right) = (format.magnitude(terms, a), format.magnitude(terms, b));
    let magnitudes = terms.or(left, right);
    let zero = terms.constant(format.bits, 0);
    let both_zero = terms.eq(magnitudes, zero);
    let same = terms.eq(a, b);
    let equal = terms.or(same, both_zero);
    let less = |terms: &mut Terms, a: Term, b: Term| {
        let (sign_a, sign_b) = (super::ints::sign(terms, a), super::ints::sign(terms, b));
        let (up, down) = (terms.ult(a, b), terms.ult(b, a));
        let no = terms.bool(false);
        let nonzero = terms.not(both_zero);
        let negative = terms.ite(sign_b, down, nonzero);
        let positive = terms.ite(sign_b, no, up);
        terms.ite(sign_a, negative, positive)
    };
    let base = match op {
        O::FcmpFalse => return terms.bool(false),
        O::FcmpTrue => return terms.bool(true),
        O::FcmpOrd => return ordered,
        O::FcmpUno => return unordered,
        O::FcmpOeq | O::FcmpUeq => equal,
        O::FcmpOne | O::FcmpUne => terms.not(equal),
        O::FcmpOlt | O::FcmpUlt => less(terms, a, b),
        O::FcmpOgt | O::FcmpUgt => less(terms, b, a),
        O::FcmpOle | O::FcmpUle => {
            let less = less(terms, a, b);
            terms.or(less, equal)
        }
        _ => {
            let less = less(terms, b, a);
            terms.or(less, equal)
        }
    };
    let is_ordered = matches!(
        op,
        O::FcmpOeq | O::FcmpOne | O::FcmpOlt | O::FcmpOgt | O::FcmpOle | O::FcmpOge
    );
    if is_ordered {
        terms.and(ordered, base)
    } else {
        terms.or(unordered, base)
    }
}

fn class_test(terms: &mut Terms, format: Format, x: Term, mask: u128) -> Term {
    let magnitude = format.magnitude(terms, x);
    let negative = super::ints::sign(terms, x);
    let positive = terms.not(negative);
    let infinity = format.infinity(terms);
    let zero = terms.constant(format.bits, 0);
    let smallest_normal = terms.constant(format.bits, 1 << format.fraction);
    let nan = terms.ult(infinity, magnitude);
    let quiet = terms.extract(x, format.fraction - 1, 1);
    let signaling = terms.not(quiet);
    let infinite = terms.eq(magnitude, infinity);
    let is_zero = terms.eq(magnitude, zero);
    let below_normal = terms.ult(magnitude, smallest_normal);
    let nonzero = terms.not(is_zero);
    let subnormal = terms.and(below_normal, nonzero);
    let not_small = terms.not(below_normal);
    let finite = terms.ult(magnitude, infinity);
    let normal = terms.and(not_small, finite);
    let classes = [
        (nan, signaling),
        (nan, quiet),
        (infinite, negative),
        (normal, negative),
        (subnormal, negative),
        (is_zero, negative),
        (is_zero, positive),
        (subnormal, positive),
        (normal, positive),
        (infinite, positive),
    ];
    let mut any = terms.bool(false);
    for (bit, (class, sign)) in classes.into_iter().enumerate() {
        if mask >> bit & 1 == 1 {
            let this = terms.and(class, sign);
            any = terms.or(any, this);
        }
    }
    any
}

/// A conversion from or to floating point, or between formats.
pub fn convert(
    terms: &mut Terms,
    op: Opcode,
    flags: u16,
    from: (TypeData, u32),
    to: (TypeData, u32),
    operand: Lane,
) -> Lane {
    use Opcode as O;
    let name = format!("{}:{:?}:{:?}", op.name(), from.0, to.0);
    let result = terms.function(&name, to.1, &[operand.bits]);
    let lane = Lane {
        bits: result,
        poison: operand.poison,
    };
    match op {
        O::Fptoui | O::Fptosi => {
            let name = format!("fits:{name}");
            let fits = terms.function(&name, 1, &[operand.bits]);
            let breaks = terms.not(fits);
            lane.poisoned_if(terms, breaks)
        }
        O::Uitofp if flags & frazil_ir::IntFlags::NNEG.bits() != 0 => {
            let negative = super::ints::sign(terms, operand.bits);
            lane.poisoned_if(terms, negative)
        }
        O::Fptrunc | O::Fpext => {
            let flags = FastFlags::from_bits_truncate(flags);
            let lane = with_fast_flags(terms, flags, from.0, from.1, lane, &[operand.bits]);
            with_fast_flags(terms, flags, to.0, to.1, lane, &[result])
        }
        _ => lane,
    }
}
