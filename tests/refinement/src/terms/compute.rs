//! What operations give for numbers: for constants, and for the values of a model.

use super::Op;

/// A mask of the low `width` bits.
pub fn mask(width: u32) -> u128 {
    match width {
        0 => 0,
        1..128 => (1 << width) - 1,
        _ => u128::MAX,
    }
}

/// The low `width` bits as a signed number.
pub fn signed(value: u128, width: u32) -> i128 {
    let spare = 128 - width;
    (value << spare).cast_signed() >> spare
}

/// The result of an operation of `width` bits; `from` is the width of the first operand, `low` that of the last. `None`
/// for functions that nothing is known of.
pub fn compute(op: Op, width: u32, from: u32, low: u32, operands: [u128; 3]) -> Option<u128> {
    let [a, b, c] = operands;
    let (sa, sb) = (signed(a, from), signed(b, from));
    let bool = u128::from;
    let result = match op {
        Op::Not => !a,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Add => a.wrapping_add(b),
        Op::Mul => a.wrapping_mul(b),
        // Division by zero as SMT-LIB has it.
        Op::Udiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::Urem => a.checked_rem(b).unwrap_or(a),
        Op::Sdiv if b == 0 => {
            if sa < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Op::Sdiv => sa.wrapping_div(sb).cast_unsigned(),
        Op::Srem if b == 0 => a,
        Op::Srem => sa.wrapping_rem(sb).cast_unsigned(),
        Op::Shl => shift(from, b).map_or(0, |amount| a << amount),
        Op::Lshr => shift(from, b).map_or(0, |amount| a >> amount),
        Op::Ashr => (sa >> shift(from, b).unwrap_or(from - 1)).cast_unsigned(),
        Op::Concat => a << low | b,
        Op::Extract(first) => a >> first,
        Op::Zext => a,
        Op::Sext => sa.cast_unsigned(),
        Op::Ite => {
            if a == 1 {
                b
            } else {
                c
            }
        }
        Op::Eq => bool(a == b),
        Op::Ult => bool(a < b),
        Op::Slt => bool(sa < sb),
        Op::UmulFits => bool(a.checked_mul(b).is_some_and(|product| product & mask(from) == product)),
        Op::SmulFits => bool(
            sa.checked_mul(sb)
                .is_some_and(|product| signed(product.cast_unsigned(), from) == product),
        ),
        Op::Function(_) => return None,
    };
    Some(result & mask(width))
}

/// The amount of a shift if it is below the width.
fn shift(width: u32, amount: u128) -> Option<u32> {
    (amount < u128::from(width)).then_some(amount as u32)
}
