//! Integer constants as numbers, and what integer operations make of them.
//!
//! Numbers are sign-extended from the width of their type, as immediates are. Widths up to 128 bits.

use frazil_ir::{ConstId, ConstKind, ConstView, EntityRef, Function, Opcode, Operand};

/// The integer that an operand is, sign-extended from its type, if it is one of at most 128 bits.
#[inline]
pub fn int_value(f: &Function, operand: Operand) -> Option<i128> {
    match operand.as_imm() {
        Some(value) => Some(i128::from(value)),
        None => int_constant(f, operand.as_const()?),
    }
}

fn int_constant(f: &Function, id: ConstId) -> Option<i128> {
    match f.constant(id) {
        (_, ConstView::Int(words)) => int_of_words(words),
        (ty, ConstView::Zero) if f.types().int_bits(ty).is_some() => Some(0),
        _ => None,
    }
}

/// Whether an operand is a poison constant.
pub fn is_poison(f: &Function, operand: Operand) -> bool {
    operand
        .as_const()
        .is_some_and(|id| f.consts()[id.index()].kind == ConstKind::Poison)
}

/// Whether an operand is an undefined or poison constant.
pub fn is_undef_or_poison(f: &Function, operand: Operand) -> bool {
    let kind = operand.as_const().map(|id| f.consts()[id.index()].kind);
    matches!(kind, Some(ConstKind::Undef | ConstKind::Poison))
}

/// Little-endian words, sign-extended.
fn int_of_words(words: &[u64]) -> Option<i128> {
    let (&low, rest) = words.split_first()?;
    let high = match rest {
        [] => low.cast_signed() >> 63,
        [high] => high.cast_signed(),
        // Wider ones are numbers here if they fit all the same.
        [high, more @ ..] => {
            let sign = (high.cast_signed() >> 63).cast_unsigned();
            more.iter().all(|&word| word == sign).then_some(high.cast_signed())?
        }
    };
    Some((i128::from(high) << 64) | i128::from(low))
}

/// The lowest `bits` bits, at most 128.
pub fn low_mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// A number cut to `bits` bits and sign-extended.
pub fn sign_extended(value: i128, bits: u32) -> i128 {
    let unused = 128 - bits;
    (value << unused) >> unused
}

/// A number's `bits` bits, zero-extended.
pub fn zero_extended(value: i128, bits: u32) -> u128 {
    value.cast_unsigned() & low_mask(bits)
}

/// What an operation on integers of `bits` bits gives; `None` where that is undefined, poison whatever the flags say,
/// or not worth knowing. Flags are ignored: where they make poison, any result is right.
pub fn evaluate_int(op: Opcode, bits: u32, a: i128, b: i128) -> Option<i128> {
    use Opcode as O;
    let (ua, ub) = (zero_extended(a, bits), zero_extended(b, bits));
    let lowest = sign_extended(1 << (bits - 1), bits);
    let amount = (ub < u128::from(bits)).then_some(ub as u32);
    let divides = b != 0 && !(a == lowest && b == -1);
    let result = match op {
        O::Add => a.wrapping_add(b),
        O::Sub => a.wrapping_sub(b),
        O::Mul => a.wrapping_mul(b),
        O::Udiv => ua.checked_div(ub)?.cast_signed(),
        O::Urem => ua.checked_rem(ub)?.cast_signed(),
        O::Sdiv if divides => a / b,
        O::Srem if divides => a % b,
        O::And => a & b,
        O::Or => a | b,
        O::Xor => a ^ b,
        O::Shl => a << amount?,
        O::Lshr => (ua >> amount?).cast_signed(),
        O::Ashr => a >> amount?,
        O::Smin => a.min(b),
        O::Smax => a.max(b),
        O::Umin => ua.min(ub).cast_signed(),
        O::Umax => ua.max(ub).cast_signed(),
        O::Abs => a.wrapping_abs(),
        O::Ctpop => i128::from(ua.count_ones()),
        O::Ctlz => i128::from(ua.leading_zeros() - (128 - bits)),
        O::Cttz => i128::from(ua.trailing_zeros().min(bits)),
        O::Bswap => (ua.swap_bytes() >> (128 - bits)).cast_signed(),
        O::Bitreverse => (ua.reverse_bits() >> (128 - bits)).cast_signed(),
        _ => return None,
    };
    Some(sign_extended(result, bits))
}

/// What a comparison of integers of `bits` bits gives.
pub fn evaluate_compare(op: Opcode, bits: u32, a: i128, b: i128) -> Option<bool> {
    use Opcode as O;
    let (ua, ub) = (zero_extended(a, bits), zero_extended(b, bits));
    Some(match op {
        O::IcmpEq => a == b,
        O::IcmpNe => a != b,
        O::IcmpUgt => ua > ub,
        O::IcmpUge => ua >= ub,
        O::IcmpUlt => ua < ub,
        O::IcmpUle => ua <= ub,
        O::IcmpSgt => a > b,
        O::IcmpSge => a >= b,
        O::IcmpSlt => a < b,
        O::IcmpSle => a <= b,
        _ => return None,
    })
}

/// The comparison that is true when `op` is false; integer and floating-point ones.
pub fn inverted(op: Opcode) -> Option<Opcode> {
    use Opcode as O;
    const PAIRS: [(Opcode, Opcode); 13] = [
        (O::IcmpEq, O::IcmpNe),
        (O::IcmpUgt, O::IcmpUle),
        (O::IcmpUge, O::IcmpUlt),
        (O::IcmpSgt, O::IcmpSle),
        (O::IcmpSge, O::IcmpSlt),
        (O::FcmpFalse, O::FcmpTrue),
        (O::FcmpOeq, O::FcmpUne),
        (O::FcmpOgt, O::FcmpUle),
        (O::FcmpOge, O::FcmpUlt),
        (O::FcmpOlt, O::FcmpUge),
        (O::FcmpOle, O::FcmpUgt),
        (O::FcmpOne, O::FcmpUeq),
        (O::FcmpOrd, O::FcmpUno),
    ];
    PAIRS.iter().find_map(|&(one, other)| match op {
        _ if op == one => Some(other),
        _ if op == other => Some(one),
        _ => None,
    })
}

/// The integer comparison that gives the same when its operands change places.
pub fn swapped(op: Opcode) -> Opcode {
    use Opcode as O;
    match op {
        O::IcmpUgt => O::IcmpUlt,
        O::IcmpUge => O::IcmpUle,
        O::IcmpUlt => O::IcmpUgt,
        O::IcmpUle => O::IcmpUge,
        O::IcmpSgt => O::IcmpSlt,
        O::IcmpSge => O::IcmpSle,
        O::IcmpSlt => O::IcmpSgt,
        O::IcmpSle => O::IcmpSge,
        other => other,
    }
}
