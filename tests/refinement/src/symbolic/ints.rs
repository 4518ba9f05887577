//! Integer operations on lanes, as the verifier's head comment specifies them.

use super::value::Lane;
use super::{Outcome, unsupported};
use crate::terms::{Op, Term, Terms, compute};
use frazil_ir::{IntFlags, Opcode};

/// What an operation gives.
#[derive(Clone, Copy, Debug)]
pub struct IntResult {
    pub first: Lane,
    /// Whether it wrapped, from operations that report that.
    pub second: Option<Lane>,
    /// When the operation is undefined behavior.
    pub undefined: Option<Term>,
}

impl From<Lane> for IntResult {
    fn from(first: Lane) -> IntResult {
        IntResult {
            first,
            second: None,
            undefined: None,
        }
    }
}

/// An integer operation in `bits` bits. Operands that the operation does not have are the first one.
pub fn int_op(terms: &mut Terms, op: Opcode, flags: IntFlags, bits: u32, operands: [Lane; 3]) -> Outcome<IntResult> {
    use Opcode as O;
    let [a, b, c] = operands;
    let (x, y) = (a.bits, b.bits);
    let poison = terms.any(&[a.poison, b.poison]);
    let lane = |bits: Term| Lane { bits, poison };
    Ok(match op {
        O::Add | O::Sub | O::Mul => {
            let (result, unsigned, signed) = wrapping(terms, op, x, y);
            with_flags(terms, lane(result), flags, unsigned, signed).into()
        }
        O::Udiv | O::Sdiv | O::Urem | O::Srem => division(terms, op, flags, a, b),
        O::And => lane(terms.and(x, y)).into(),
        O::Or => {
            let common = terms.and(x, y);
            let result = lane(terms.or(x, y));
            let zero = terms.constant(bits, 0);
            let clash = terms.ne(common, zero);
            flagged(terms, result, flags, IntFlags::DISJOINT, clash).into()
        }
        O::Xor => lane(terms.xor(x, y)).into(),
        O::Shl | O::Lshr | O::Ashr => shift(terms, op, flags, lane(x), y).into(),
        O::UaddOverflow | O::SaddOverflow | O::UsubOverflow | O::SsubOverflow | O::UmulOverflow | O::SmulOverflow => {
            let plain = match op {
                O::UaddOverflow | O::SaddOverflow => O::Add,
                O::UsubOverflow | O::SsubOverflow => O::Sub,
                _ => O::Mul,
            };
            let (result, unsigned, signed) = wrapping(terms, plain, x, y);
            let is_signed = matches!(op, O::SaddOverflow | O::SsubOverflow | O::SmulOverflow);
            IntResult {
                first: lane(result),
                second: Some(lane(if is_signed { signed } else { unsigned })),
                undefined: None,
            }
        }
        O::UaddCarry | O::UsubBorrow => {
            let plain = if op == O::UaddCarry { O::Add } else { O::Sub };
            let (first, wraps, _) = wrapping(terms, plain, x, y);
            let carry = terms.zext(c.bits, bits);
            let (result, wraps_then, _) = wrapping(terms, plain, first, carry);
            let wraps = terms.or(wraps, wraps_then);
            IntResult {
                first: lane(result).poisoned_if(terms, c.poison),
                second: Some(lane(wraps).poisoned_if(terms, c.poison)),
                undefined: None,
            }
        }
        O::UmulHigh | O::SmulHigh => {
            let mut wide = |factor| match op {
                O::UmulHigh => terms.zext(factor, 2 * bits),
                _ => terms.sext(factor, 2 * bits),
            };
            let (x, y) = (wide(x), wide(y));
            let product = terms.binary(Op::Mul, x, y);
            lane(terms.extract(product, bits, bits)).into()
        }
        O::ByteDifferences => {
            let mut sum = terms.constant(bits, 0);
            for byte in 0..bits / 8 {
                let (left, right) = (terms.extract(x, 8 * byte, 8), terms.extract(y, 8 * byte, 8));
                let less = terms.ult(left, right);
                let (up, down) = (terms.sub(right, left), terms.sub(left, right));
                let difference = terms.ite(less, up, down);
                let difference = terms.zext(difference, bits);
                sum = terms.add(sum, difference);
            }
            lane(sum).into()
        }
        O::WordProducts => {
            let mut product = |word: u32| {
                let [left, right] = [x, y].map(|factor| {
                    let factor = terms.extract(factor, word, bits / 2);
                    terms.sext(factor, bits)
                });
                terms.binary(Op::Mul, left, right)
            };
            let (low, high) = (product(0), product(bits / 2));
            lane(terms.add(low, high)).into()
        }
        O::UaddSat | O::SaddSat | O::UsubSat | O::SsubSat | O::UshlSat | O::SshlSat => {
            saturating(terms, op, bits, lane(x), y).into()
        }
        O::Smin | O::Smax | O::Umin | O::Umax => {
            let is_signed = matches!(op, O::Smin | O::Smax);
            let less = if is_signed { terms.slt(x, y) } else { terms.ult(x, y) };
            let result = match op {
                O::Smin | O::Umin => terms.ite(less, x, y),
                _ => terms.ite(less, y, x),
            };
            lane(result).into()
        }
        _ if op.is_icmp() => {
            let result = lane(compare(terms, op, x, y));
            let (left, right) = (sign(terms, x), sign(terms, y));
            let differ = terms.xor(left, right);
            flagged(terms, result, flags, IntFlags::SAMESIGN, differ).into()
        }
        O::Fshl | O::Fshr => {
            let result = funnel_shift(terms, op == O::Fshl, bits, x, y, c.bits);
            lane(result).poisoned_if(terms, c.poison).into()
        }
        _ => bit_op(terms, op, flags, bits, a)?.into(),
    })
}

/// Poison if the flag is there and its condition is broken.
fn flagged(terms: &mut Terms, lane: Lane, flags: IntFlags, flag: IntFlags, broken: Term) -> Lane {
    if flags.contains(flag) {
        lane.poisoned_if(terms, broken)
    } else {
        lane
    }
}

fn with_flags(terms: &mut Terms, lane: Lane, flags: IntFlags, unsigned: Term, signed: Term) -> Lane {
    let lane = flagged(terms, lane, flags, IntFlags::NUW, unsigned);
    flagged(terms, lane, flags, IntFlags::NSW, signed)
}

/// The sign bit.
pub fn sign(terms: &mut Terms, a: Term) -> Term {
    let top = terms.width(a) - 1;
    terms.extract(a, top, 1)
}

/// The wrapped result, and whether the unsigned and the signed one wrap.
fn wrapping(terms: &mut Terms, op: Opcode, x: Term, y: Term) -> (Term, Term, Term) {
    match op {
        Opcode::Add => {
            let sum = terms.add(x, y);
            let carries = terms.ult(sum, x);
            let (left, right) = (terms.xor(x, sum), terms.xor(y, sum));
            let both = terms.and(left, right);
            (sum, carries, sign(terms, both))
        }
        Opcode::Sub => {
            let difference = terms.sub(x, y);
            let borrows = terms.ult(x, y);
            let (left, right) = (terms.xor(x, y), terms.xor(x, difference));
            let both = terms.and(left, right);
            (difference, borrows, sign(terms, both))
        }
        _ => {
            let product = terms.binary(Op::Mul, x, y);
            let unsigned = terms.apply(Op::UmulFits, 1, &[x, y]);
            let signed = terms.apply(Op::SmulFits, 1, &[x, y]);
            (product, terms.not(unsigned), terms.not(signed))
        }
    }
}

fn division(terms: &mut Terms, op: Opcode, flags: IntFlags, a: Lane, b: Lane) -> IntResult {
    let (x, y) = (a.bits, b.bits);
    let bits = terms.width(x);
    let zero = terms.constant(bits, 0);
    let by_zero = terms.eq(y, zero);
    let mut undefined = terms.or(b.poison, by_zero);
    let is_signed = matches!(op, Opcode::Sdiv | Opcode::Srem);
    if is_signed {
        let (lowest, ones) = (terms.constant(bits, 1 << (bits - 1)), terms.constant(bits, u128::MAX));
        let (first, second) = (terms.eq(x, lowest), terms.eq(y, ones));
        let is_value = terms.not(a.poison);
        let overflows = terms.all(&[is_value, first, second]);
        undefined = terms.or(undefined, overflows);
    }
    let (quotient, remainder) = if is_signed {
        (Op::Sdiv, Op::Srem)
    } else {
        (Op::Udiv, Op::Urem)
    };
    let is_quotient = matches!(op, Opcode::Udiv | Opcode::Sdiv);
    let result = terms.binary(if is_quotient { quotient } else { remainder }, x, y);
    let mut first = Lane {
        bits: result,
        poison: a.poison,
    };
    if flags.contains(IntFlags::EXACT) {
        let rest = terms.binary(remainder, x, y);
        let inexact = terms.ne(rest, zero);
        first = first.poisoned_if(terms, inexact);
    }
    IntResult {
        first,
        second: None,
        undefined: Some(undefined),
    }
}

/// `a.bits` shifted by `amount`; `a.poison` is that of both operands.
fn shift(terms: &mut Terms, op: Opcode, flags: IntFlags, a: Lane, amount: Term) -> Lane {
    let bits = terms.width(a.bits);
    let too_far = too_far(terms, amount, bits);
    let operation = match op {
        Opcode::Shl => Op::Shl,
        Opcode::Lshr => Op::Lshr,
        _ => Op::Ashr,
    };
    let result = terms.binary(operation, a.bits, amount);
    let mut lane = Lane { bits: result, ..a }.poisoned_if(terms, too_far);
    if op == Opcode::Shl {
        let (unsigned, signed) = (
            terms.binary(Op::Lshr, result, amount),
            terms.binary(Op::Ashr, result, amount),
        );
        let (unsigned, signed) = (terms.ne(unsigned, a.bits), terms.ne(signed, a.bits));
        lane = with_flags(terms, lane, flags, unsigned, signed);
    } else if flags.contains(IntFlags::EXACT) {
        let right = terms.binary(Op::Lshr, a.bits, amount);
        let back = terms.binary(Op::Shl, right, amount);
        let inexact = terms.ne(back, a.bits);
        lane = lane.poisoned_if(terms, inexact);
    }
    lane
}

/// Whether a shift amount is the width or more.
fn too_far(terms: &mut Terms, amount: Term, bits: u32) -> Term {
    if compute::mask(bits) < u128::from(bits) {
        // Amounts of one bit: the width is one, which no amount but 1 reaches.
        return amount;
    }
    let width = terms.constant(bits, u128::from(bits));
    let fits = terms.ult(amount, width);
    terms.not(fits)
}

fn saturating(terms: &mut Terms, op: Opcode, bits: u32, a: Lane, y: Term) -> Lane {
    use Opcode as O;
    let x = a.bits;
    let (lowest, highest) = (
        terms.constant(bits, 1 << (bits - 1)),
        terms.constant(bits, compute::mask(bits - 1)),
    );
    let negative = sign(terms, x);
    let signed_limit = terms.ite(negative, lowest, highest);
    let (zero, ones) = (terms.constant(bits, 0), terms.constant(bits, u128::MAX));
    if matches!(op, O::UshlSat | O::SshlSat) {
        let too_far = too_far(terms, y, bits);
        let result = terms.binary(Op::Shl, x, y);
        let (back, limit) = match op {
            O::UshlSat => (Op::Lshr, ones),
            _ => (Op::Ashr, signed_limit),
        };
        let back = terms.binary(back, result, y);
        let fits = terms.eq(back, x);
        let bits = terms.ite(fits, result, limit);
        return Lane { bits, ..a }.poisoned_if(terms, too_far);
    }
    let plain = if matches!(op, O::UaddSat | O::SaddSat) {
        O::Add
    } else {
        O::Sub
    };
    let (result, unsigned, signed) = wrapping(terms, plain, x, y);
    let (wraps, limit) = match op {
        O::UaddSat => (unsigned, ones),
        O::UsubSat => (unsigned, zero),
        _ => (signed, signed_limit),
    };
    Lane {
        bits: terms.ite(wraps, limit, result),
        ..a
    }
}

/// What an integer comparison gives.
pub fn compare(terms: &mut Terms, op: Opcode, x: Term, y: Term) -> Term {
    use Opcode as O;
    match op {
        O::IcmpEq => terms.eq(x, y),
        O::IcmpNe => terms.ne(x, y),
        O::IcmpUgt => terms.ult(y, x),
        O::IcmpUlt => terms.ult(x, y),
        O::IcmpUge => terms.ule(y, x),
        O::IcmpUle => terms.ule(x, y),
        O::IcmpSgt => terms.slt(y, x),
        O::IcmpSlt => terms.slt(x, y),
        O::IcmpSge => {
            let less = terms.slt(x, y);
            terms.not(less)
        }
        _ => {
            let less = terms.slt(y, x);
            terms.not(less)
        }
    }
}

fn funnel_shift(terms: &mut Terms, is_left: bool, bits: u32, high: Term, low: Term, amount: Term) -> Term {
    if bits == 1 {
        return if is_left { high } else { low };
    }
    let width = terms.constant(bits, u128::from(bits));
    let amount = terms.binary(Op::Urem, amount, width);
    let (one, most) = (terms.constant(bits, 1), terms.constant(bits, u128::from(bits - 1)));
    let rest = terms.sub(most, amount);
    let (left, right) = if is_left {
        let low = terms.binary(Op::Lshr, low, one);
        (terms.binary(Op::Shl, high, amount), terms.binary(Op::Lshr, low, rest))
    } else {
        let high = terms.binary(Op::Shl, high, one);
        (terms.binary(Op::Shl, high, rest), terms.binary(Op::Lshr, low, amount))
    };
    terms.or(left, right)
}

/// Operations on one operand.
fn bit_op(terms: &mut Terms, op: Opcode, flags: IntFlags, bits: u32, a: Lane) -> Outcome<Lane> {
    use Opcode as O;
    let x = a.bits;
    let zero = terms.constant(bits, 0);
    let result = match op {
        O::Abs => {
            let (negative, opposite) = (sign(terms, x), terms.neg(x));
            terms.ite(negative, opposite, x)
        }
        O::Ctpop => {
            let ones: Vec<Term> = (0..bits).map(|bit| terms.extract(x, bit, 1)).collect();
            ones.into_iter().fold(zero, |sum, bit| {
                let bit = terms.zext(bit, bits);
                terms.add(sum, bit)
            })
        }
        O::Ctlz | O::Cttz => {
            // The bit that is examined last decides.
            let mut result = terms.constant(bits, u128::from(bits));
            for distance in (0..bits).rev() {
                let bit = if op == O::Ctlz { bits - 1 - distance } else { distance };
                let (bit, number) = (terms.extract(x, bit, 1), terms.constant(bits, u128::from(distance)));
                result = terms.ite(bit, number, result);
            }
            result
        }
        O::Bswap | O::Bitreverse => {
            let part = if op == O::Bswap { 8 } else { 1 };
            let mut parts = (0..bits / part).map(|index| index * part);
            let first = parts.next().expect("at least one part");
            let mut result = terms.extract(x, first, part);
            for low in parts {
                let next = terms.extract(x, low, part);
                result = terms.concat(result, next);
            }
            result
        }
        _ => return unsupported(format!("opcode {}", op.name())),
    };
    let special = if op == O::Abs { 1 << (bits - 1) } else { 0 };
    let special = terms.constant(bits, special);
    let is_special = terms.eq(x, special);
    let lane = Lane { bits: result, ..a };
    Ok(flagged(terms, lane, flags, IntFlags::POISON_SPECIAL, is_special))
}
