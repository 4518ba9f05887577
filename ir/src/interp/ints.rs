//! Integer operations on scalars, as the verifier's head comment specifies them.

use super::value::{Scalar, mask, signed};
use super::{Outcome, Stop};
use crate::flags::IntFlags;
use crate::opcode::Opcode;

/// The results of an operation: one, or two for those that report an overflow.
pub(super) type Results = (Scalar, Option<Scalar>);

fn one(value: u128) -> Outcome<Results> {
    Ok((Scalar::defined(value), None))
}

/// An integer operation with operands that are not poison; `c` is only read by three-operand ones.
pub(super) fn int_op(op: Opcode, flags: IntFlags, bits: u32, operands: [Scalar; 3]) -> Outcome<Results> {
    match operands {
        [
            Scalar::Bits { value: a, undef: 0 },
            Scalar::Bits { value: b, undef: 0 },
            Scalar::Bits { value: c, undef: 0 },
        ] => defined_op(op, flags, bits, a, b, c),
        [_, _, Scalar::Poison] if takes_carry(op) => Ok((Scalar::Poison, Some(Scalar::Poison))),
        [
            Scalar::Bits { value: a, undef: ua },
            Scalar::Bits { value: b, undef: ub },
            _,
        ] => partly_undefined_op(op, flags, bits, (a, ua), (b, ub)),
        _ => Ok((Scalar::Poison, reports_overflow(op).then_some(Scalar::Poison))),
    }
}

fn reports_overflow(op: Opcode) -> bool {
    op.is_overflow() || takes_carry(op)
}

fn takes_carry(op: Opcode) -> bool {
    matches!(op, Opcode::UaddCarry | Opcode::UsubBorrow)
}

/// An operation with undefined bits in an operand: exact bit by bit where that is simple, else all undefined.
fn partly_undefined_op(
    op: Opcode,
    flags: IntFlags,
    bits: u32,
    (a, ua): (u128, u128),
    (b, ub): (u128, u128),
) -> Outcome<Results> {
    use Opcode as O;
    let all = mask(bits);
    let scalar = |value: u128, undef: u128| {
        Ok((
            Scalar::Bits {
                value: value & !undef & all,
                undef: undef & all,
            },
            None,
        ))
    };
    let shift = if ub == 0 && b < u128::from(bits) {
        Some(b as u32)
    } else {
        None
    };
    match op {
        O::And => scalar(a & b, (ua & (b | ub)) | (ub & (a | ua))),
        O::Or => scalar(a | b, (ua & !b) | (ub & !a)),
        O::Xor => scalar(a ^ b, ua | ub),
        O::Shl if shift.is_some() && flags.is_empty() => {
            let amount = shift.unwrap_or(0);
            scalar(a << amount, ua << amount)
        }
        O::Lshr if shift.is_some() && flags.is_empty() => {
            let amount = shift.unwrap_or(0);
            scalar(a >> amount, ua >> amount)
        }
        O::Add | O::Sub | O::Mul => {
            let lowest = (ua | ub).trailing_zeros();
            let value = defined_op(op, IntFlags::empty(), bits, a, b, 0)?.0.known().unwrap_or(0);
            scalar(value, all & !mask(lowest))
        }
        O::Udiv | O::Sdiv | O::Urem | O::Srem => {
            if ub != 0 {
                return Err(Stop::undefined("division by an undefined value"));
            }
            Ok((Scalar::undef(bits), None))
        }
        O::IcmpEq | O::IcmpNe => {
            let differs = (a ^ b) & !(ua | ub) != 0;
            Ok((
                if differs {
                    Scalar::bool(op == O::IcmpNe)
                } else {
                    Scalar::undef(1)
                },
                None,
            ))
        }
        _ if op.is_icmp() => Ok((Scalar::undef(1), None)),
        _ if reports_overflow(op) => Ok((Scalar::undef(bits), Some(Scalar::undef(1)))),
        _ => Ok((Scalar::undef(bits), None)),
    }
}

/// Whether a signed number that may be out of `i128`'s range has `bits` bits.
fn fits_signed(value: Option<i128>, bits: u32) -> bool {
    value.is_some_and(|value| signed(value.cast_unsigned(), bits) == value)
}

fn fits_unsigned(value: Option<u128>, bits: u32) -> bool {
    value.is_some_and(|value| value & mask(bits) == value)
}

fn defined_op(op: Opcode, flags: IntFlags, bits: u32, a: u128, b: u128, c: u128) -> Outcome<Results> {
    use Opcode as O;
    match op {
        O::Add | O::Sub | O::Mul => Ok((wrapping_op(op, flags, bits, a, b), None)),
        O::Udiv | O::Sdiv | O::Urem | O::Srem => division(op, flags, bits, a, b),
        O::UmulHigh => one((a * b) >> bits),
        O::SmulHigh => {
            let product = signed(a, bits) * signed(b, bits);
            one((product >> bits).cast_unsigned() & mask(bits))
        }
        O::ByteDifferences => {
            let bytes = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
            one(bytes.map(|(a, b)| u128::from(a.abs_diff(b))).sum())
        }
        O::WordProducts => {
            let product = |word: u32| signed(a >> word & 0xffff, 16) * signed(b >> word & 0xffff, 16);
            one((product(0) + product(16)).cast_unsigned() & mask(bits))
        }
        O::And => one(a & b),
        O::Or if flags.contains(IntFlags::DISJOINT) && a & b != 0 => Ok((Scalar::Poison, None)),
        O::Or => one(a | b),
        O::Xor => one(a ^ b),
        O::Shl | O::Lshr | O::Ashr => Ok((shift(op, flags, bits, a, b), None)),
        O::UaddCarry => {
            let sum = a + b + c;
            Ok((Scalar::defined(sum & mask(bits)), Some(Scalar::bool(sum > mask(bits)))))
        }
        O::UsubBorrow => {
            let difference = a.wrapping_sub(b).wrapping_sub(c);
            Ok((Scalar::defined(difference & mask(bits)), Some(Scalar::bool(a < b + c))))
        }
        _ if op.is_overflow() => {
            let (plain, flag) = match op {
                O::UaddOverflow => (O::Add, IntFlags::NUW),
                O::SaddOverflow => (O::Add, IntFlags::NSW),
                O::UsubOverflow => (O::Sub, IntFlags::NUW),
                O::SsubOverflow => (O::Sub, IntFlags::NSW),
                O::UmulOverflow => (O::Mul, IntFlags::NUW),
                _ => (O::Mul, IntFlags::NSW),
            };
            let overflow = wrapping_op(plain, flag, bits, a, b) == Scalar::Poison;
            Ok((
                wrapping_op(plain, IntFlags::empty(), bits, a, b),
                Some(Scalar::bool(overflow)),
            ))
        }
        O::UaddSat | O::SaddSat | O::UsubSat | O::SsubSat | O::UshlSat | O::SshlSat => {
            Ok((saturating(op, bits, a, b), None))
        }
        O::Smin | O::Smax | O::Umin | O::Umax => {
            let less = if matches!(op, O::Smin | O::Smax) {
                signed(a, bits) < signed(b, bits)
            } else {
                a < b
            };
            one(if less == matches!(op, O::Smin | O::Umin) { a } else { b })
        }
        _ if op.is_icmp() => Ok((compare(op, flags, bits, a, b), None)),
        O::Fshl | O::Fshr => {
            let amount = (c % u128::from(bits)) as u32;
            let back = bits - amount;
            one(match (op, amount) {
                (O::Fshl, 0) => a,
                (_, 0) => b,
                (O::Fshl, _) => ((a << amount) | (b >> back)) & mask(bits),
                _ => ((a << back) | (b >> amount)) & mask(bits),
            })
        }
        _ => Ok((bit_op(op, flags, bits, a)?, None)),
    }
}

fn wrapping_op(op: Opcode, flags: IntFlags, bits: u32, a: u128, b: u128) -> Scalar {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let (wrapped, unsigned_exact, signed_exact) = match op {
        Opcode::Add => (a.wrapping_add(b), a.checked_add(b), sa.checked_add(sb)),
        Opcode::Sub => (a.wrapping_sub(b), a.checked_sub(b), sa.checked_sub(sb)),
        _ => (a.wrapping_mul(b), a.checked_mul(b), sa.checked_mul(sb)),
    };
    let wraps = (flags.contains(IntFlags::NUW) && !fits_unsigned(unsigned_exact, bits))
        || (flags.contains(IntFlags::NSW) && !fits_signed(signed_exact, bits));
    if wraps {
        Scalar::Poison
    } else {
        Scalar::defined(wrapped & mask(bits))
    }
}

fn division(op: Opcode, flags: IntFlags, bits: u32, a: u128, b: u128) -> Outcome<Results> {
    if b == 0 {
        return Err(Stop::undefined("division by zero"));
    }
    let exact = flags.contains(IntFlags::EXACT);
    if matches!(op, Opcode::Udiv | Opcode::Urem) {
        if exact && !a.is_multiple_of(b) {
            return Ok((Scalar::Poison, None));
        }
        return one(if op == Opcode::Udiv { a / b } else { a % b });
    }
    let (a, b) = (signed(a, bits), signed(b, bits));
    if b == -1 && a == signed(1 << (bits - 1), bits) {
        return Err(Stop::undefined("the most negative value divided by -1"));
    }
    if exact && a % b != 0 {
        return Ok((Scalar::Poison, None));
    }
    let result = if op == Opcode::Sdiv { a / b } else { a % b };
    one(result.cast_unsigned() & mask(bits))
}

fn shift(op: Opcode, flags: IntFlags, bits: u32, a: u128, b: u128) -> Scalar {
    if b >= u128::from(bits) {
        return Scalar::Poison;
    }
    let amount = b as u32;
    if op == Opcode::Shl {
        let result = (a << amount) & mask(bits);
        let wraps = (flags.contains(IntFlags::NUW) && result >> amount != a)
            || (flags.contains(IntFlags::NSW) && signed(result, bits) >> amount != signed(a, bits));
        return if wraps { Scalar::Poison } else { Scalar::defined(result) };
    }
    if flags.contains(IntFlags::EXACT) && a & mask(amount) != 0 {
        return Scalar::Poison;
    }
    Scalar::defined(match op {
        Opcode::Lshr => a >> amount,
        _ => (signed(a, bits) >> amount).cast_unsigned() & mask(bits),
    })
}

fn saturating(op: Opcode, bits: u32, a: u128, b: u128) -> Scalar {
    use Opcode as O;
    let (lowest, highest) = (1u128 << (bits - 1), mask(bits - 1));
    let negative = |value: u128| value >> (bits - 1) & 1 == 1;
    let (plain, flag, limit) = match op {
        O::UaddSat => (O::Add, IntFlags::NUW, mask(bits)),
        O::UsubSat => (O::Sub, IntFlags::NUW, 0),
        O::SaddSat => (O::Add, IntFlags::NSW, if negative(a) { lowest } else { highest }),
        O::SsubSat => (O::Sub, IntFlags::NSW, if negative(a) { lowest } else { highest }),
        O::UshlSat => (O::Shl, IntFlags::NUW, mask(bits)),
        _ => (O::Shl, IntFlags::NSW, if negative(a) { lowest } else { highest }),
    };
    if plain == O::Shl {
        if b >= u128::from(bits) {
            return Scalar::Poison;
        }
        return match shift(plain, flag, bits, a, b) {
            Scalar::Poison => Scalar::defined(limit),
            result => result,
        };
    }
    match wrapping_op(plain, flag, bits, a, b) {
        Scalar::Poison => Scalar::defined(limit),
        result => result,
    }
}

fn compare(op: Opcode, flags: IntFlags, bits: u32, a: u128, b: u128) -> Scalar {
    use Opcode as O;
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    if flags.contains(IntFlags::SAMESIGN) && (sa < 0) != (sb < 0) {
        return Scalar::Poison;
    }
    Scalar::bool(match op {
        O::IcmpEq => a == b,
        O::IcmpNe => a != b,
        O::IcmpUgt => a > b,
        O::IcmpUge => a >= b,
        O::IcmpUlt => a < b,
        O::IcmpUle => a <= b,
        O::IcmpSgt => sa > sb,
        O::IcmpSge => sa >= sb,
        O::IcmpSlt => sa < sb,
        _ => sa <= sb,
    })
}

/// Operations on one operand.
fn bit_op(op: Opcode, flags: IntFlags, bits: u32, a: u128) -> Outcome<Scalar> {
    use Opcode as O;
    let special = flags.contains(IntFlags::POISON_SPECIAL);
    let unused = 128 - bits;
    Ok(match op {
        O::Abs if special && a == 1 << (bits - 1) => Scalar::Poison,
        O::Abs => Scalar::defined(signed(a, bits).unsigned_abs() & mask(bits)),
        O::Ctpop => Scalar::defined(u128::from(a.count_ones()) & mask(bits)),
        O::Ctlz | O::Cttz if special && a == 0 => Scalar::Poison,
        O::Ctlz => Scalar::defined(u128::from(a.leading_zeros() - unused) & mask(bits)),
        O::Cttz => Scalar::defined(u128::from(a.trailing_zeros().min(bits)) & mask(bits)),
        O::Bswap => Scalar::defined(a.swap_bytes() >> unused),
        O::Bitreverse => Scalar::defined(a.reverse_bits() >> unused),
        _ => return Err(Stop::Unsupported(format!("opcode {}", op.name()))),
    })
}
