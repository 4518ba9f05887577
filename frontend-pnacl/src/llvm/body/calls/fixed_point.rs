//! Products and quotients of fixed-point numbers, `llvm.smul.fix` and its like, and products without carries,
//! `llvm.clmul`.
//!
//! A fixed-point operation is one on integers twice as wide: the product loses as many bits as its scale says, the
//! dividend gains them before the division. Both are rounded down, as LLVM does, and saturating ones are limited to the
//! range then. A quotient of numbers of more than 64 bits is refused, as llc refuses it.

use super::Call;
use crate::builder::intrinsics::FixedPoint;
use crate::builder::values::Builder;
use crate::builder::wide::{Extend, WORD_BITS, Words, word_count};
use crate::builder::word::Word;
use crate::error::ReadError;
use crate::llvm::body::context::Body;
use crate::llvm::body::wide::join;
use frazil_ir::{InstData, Opcode, Operand, Type, TypeData};

/// Widest numbers whose double fits into an integer of the IR.
const NARROW_BITS: u32 = 64;

/// Makes instructions of an operation; `false` if it has to stay a call, which is refused by its name.
#[cold]
pub(super) fn lower(body: &mut Body<'_, '_>, call: &Call<'_>, operation: FixedPoint) -> Result<bool, ReadError> {
    let &[left, right, scale] = call.arguments.as_slice() else {
        return Ok(false);
    };
    let build = &mut body.build;
    let bits = match build.wide_value_bits(left) {
        Some(bits) => bits,
        None if left.is_operand() => match build.function.types().data(left.ir_type()) {
            TypeData::Int(bits) => bits,
            _ => return Ok(false),
        },
        None => return Ok(false),
    };
    let scale = scale.is_operand().then(|| scale.operand().as_imm()).flatten();
    let most = bits - u32::from(operation.signed);
    let scale = scale
        .and_then(|scale| u32::try_from(scale).ok())
        .filter(|&scale| scale <= most);
    let (Some(scale), true) = (scale, left.ty() == right.ty() && left.ty() == call.result) else {
        return Ok(false);
    };
    if bits <= NARROW_BITS {
        narrow(build, operation, [left, right], (bits, scale))?;
        return Ok(true);
    }
    if operation.divides {
        return Ok(false);
    }
    multiply_words(build, operation, [left, right], (bits, scale))?;
    Ok(true)
}

/// By integers of 64 or 128 bits.
fn narrow(
    build: &mut Builder<'_, '_>,
    operation: FixedPoint,
    operands: [Word; 2],
    (bits, scale): (u32, u32),
) -> Result<(), ReadError> {
    build.make_wide_room(24)?;
    let (ty, narrow) = (operands[0].ty(), operands[0].ir_type());
    let sources = operands.map(|word| build.typed(word));
    let result = exact(build, operation, sources, narrow, (bits, scale));
    build.define_as(Word::scalar(result, narrow, ty))
}

/// The result for operands that carry their type.
pub(super) fn exact(
    build: &mut Builder<'_, '_>,
    operation: FixedPoint,
    sources: [Operand; 2],
    narrow: Type,
    (bits, scale): (u32, u32),
) -> Operand {
    let FixedPoint { signed, .. } = operation;
    let wide = if 2 * bits <= WORD_BITS { Type::I64 } else { Type::I128 };
    let extend = if signed { Opcode::Sext } else { Opcode::Zext };
    let [left, right] = sources.map(|source| build.emit(extend, wide, 0, source, Operand::NONE));
    let distance = build.function.int_operand(wide, i128::from(scale));
    let exact = if operation.divides {
        let dividend = build.emit(Opcode::Shl, wide, 0, left, distance);
        quotient(build, signed, wide, [dividend, right])
    } else {
        let product = build.emit(Opcode::Mul, wide, 0, left, right);
        let shift = if signed { Opcode::Ashr } else { Opcode::Lshr };
        build.emit(shift, wide, 0, product, distance)
    };
    let limited = if operation.saturates {
        limit(build, signed, wide, exact, bits)
    } else {
        exact
    };
    build.emit(Opcode::Trunc, narrow, 0, limited, Operand::NONE)
}

/// The quotient, rounded down.
fn quotient(build: &mut Builder<'_, '_>, signed: bool, wide: Type, [dividend, divisor]: [Operand; 2]) -> Operand {
    if !signed {
        return build.emit(Opcode::Udiv, wide, 0, dividend, divisor);
    }
    let quotient = build.emit(Opcode::Sdiv, wide, 0, dividend, divisor);
    let rest = build.emit(Opcode::Srem, wide, 0, dividend, divisor);
    let mut test = |op, left, right| {
        let data = InstData::new(op, wide, 0, left, right);
        Operand::value(build.function.push_inst_result(data, Type::I1))
    };
    let is_rounded = test(Opcode::IcmpNe, rest, Operand::ZERO);
    let below = test(Opcode::IcmpSlt, dividend, Operand::ZERO);
    let by_below = test(Opcode::IcmpSlt, divisor, Operand::ZERO);
    let is_negative = build.emit(Opcode::Xor, Type::I1, 0, below, by_below);
    let is_above = build.emit(Opcode::And, Type::I1, 0, is_rounded, is_negative);
    let less = build.function.int_operand(wide, -1);
    let lower = build.emit(Opcode::Add, wide, 0, quotient, less);
    build.choose(wide, is_above, lower, quotient)
}

/// The number of so many bits that is nearest.
fn limit(build: &mut Builder<'_, '_>, signed: bool, wide: Type, number: Operand, bits: u32) -> Operand {
    if !signed {
        let most = build.function.int_operand(wide, (1 << bits) - 1);
        return build.emit(Opcode::Umin, wide, 0, number, most);
    }
    let most = build.function.int_operand(wide, (1 << (bits - 1)) - 1);
    let least = build.function.int_operand(wide, -(1 << (bits - 1)));
    let below = build.emit(Opcode::Smin, wide, 0, number, most);
    build.emit(Opcode::Smax, wide, 0, below, least)
}

/// A product of numbers of more than 64 bits.
fn multiply_words(
    build: &mut Builder<'_, '_>,
    operation: FixedPoint,
    operands: [Word; 2],
    (bits, scale): (u32, u32),
) -> Result<(), ReadError> {
    let FixedPoint { signed, .. } = operation;
    let extend = Extend::of(signed);
    let count = word_count(2 * bits) + 1;
    build.make_wide_room(count * (count + 4) * 16)?;
    let ty = operands[0].ty();
    let mut extended = [Words::new(), Words::new()];
    for (words, word) in extended.iter_mut().zip(operands) {
        *words = match build.wide_value_bits(word) {
            Some(_) => build.words_of(word, bits, extend)?,
            None => build.words_of_scalar(word, word_count(bits), extend)?,
        };
        build.fill_up(words, count, extend);
    }
    let product = build.multiply_words(&extended[0], &extended[1], count);
    let filler = if signed {
        build.sign_of_words(&product)
    } else {
        Operand::ZERO
    };
    let mut words = build.shift_down(&product, scale, filler);
    if operation.saturates {
        let one = build.literal(1);
        let mut power = vec![Operand::ZERO; count];
        let place = bits - u32::from(signed);
        if let Some(first) = power.first_mut() {
            *first = one;
        }
        let power = build.shift_up(&power, place);
        let ones = vec![build.literal(-1); count];
        let most = build.add_words(&power, &ones).0;
        words = build.extreme(&words, &most, signed, false);
        if signed {
            let least = build.on_each_word(Opcode::Xor, &most, &ones);
            words = build.extreme(&words, &least, true, true);
        }
    }
    words.truncate(word_count(bits));
    if build.wide_bits(ty).is_some() {
        let parts = build.parts_of(words, bits)?;
        return build.define_parts(ty, &parts);
    }
    let ir_type = operands[0].ir_type();
    let result = join(build, &words, bits, ir_type);
    build.define_as(Word::scalar(result, ir_type, ty))
}

/// A product without carries, of numbers of at most 64 bits: `false` for others.
///
/// With three of four bits masked out, sums of the partial products of a common multiplication need no more than the
/// four bits that there are for each, and their lowest bit is the sum without carry.
#[cold]
pub(super) fn carry_less(body: &mut Body<'_, '_>, call: &Call<'_>) -> Result<bool, ReadError> {
    let &[left, right] = call.arguments.as_slice() else {
        return Ok(false);
    };
    let build = &mut body.build;
    let (ir_type, ty) = (left.ir_type(), left.ty());
    let bits = match build.function.types().data(ir_type) {
        TypeData::Int(bits @ 1..=WORD_BITS) => bits,
        _ => return Ok(false),
    };
    if left.ty() != right.ty() || ty != call.result {
        return Ok(false);
    }
    build.make_wide_room(64)?;
    let masks = [0, 1, 2, 3].map(|bit| {
        build
            .function
            .int_operand(Type::I64, i128::from(0x1111_1111_1111_1111_i64 << bit))
    });
    let [left, right] = [left, right].map(|word| {
        let number = if bits == WORD_BITS {
            word.operand()
        } else {
            let source = build.typed(word);
            build.emit(Opcode::Zext, Type::I64, 0, source, Operand::NONE)
        };
        masks.map(|mask| build.emit(Opcode::And, Type::I64, 0, number, mask))
    });
    let mut result = Operand::ZERO;
    for (place, &mask) in masks.iter().enumerate() {
        let mut sum = Operand::ZERO;
        for (index, &a) in left.iter().enumerate() {
            let Some(&b) = right.get((4 + place - index) % 4) else {
                continue;
            };
            let product = build.emit(Opcode::Mul, Type::I64, 0, a, b);
            sum = build.emit(Opcode::Xor, Type::I64, 0, product, sum);
        }
        let kept = build.emit(Opcode::And, Type::I64, 0, sum, mask);
        result = build.emit(Opcode::Or, Type::I64, 0, kept, result);
    }
    if bits < WORD_BITS {
        result = build.emit(Opcode::Trunc, ir_type, 0, result, Operand::NONE);
    }
    build.define_as(Word::scalar(result, ir_type, ty))?;
    Ok(true)
}
