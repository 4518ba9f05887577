//! Instructions on integers of more than 128 bits, and those on more than 64 that exist for 128 bits only; how they
//! are done is in [`crate::builder::wide`].

use super::super::codes::{binary as operation, casts};
use super::context::terminate;
use super::context::{Body, Operands};
use crate::builder::class::Class;
use crate::builder::intrinsics::Intrinsic;
use crate::builder::values::Builder;
use crate::builder::wide::{Extend, WIDEST_NARROW_BITS, WORD_BITS, Words, word_count};
use crate::builder::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::{ConstKind, InstData, Opcode, Operand, Refusal, Type, TypeData};

/// What instructions an operation on numbers of so many words may become, for each of them.
const LINEAR: usize = 32;
/// The same for each pair of words.
const SQUARE: usize = 16;

impl Builder<'_, '_> {
    /// The width of an operand, which must be a wide integer.
    pub(in crate::llvm) fn expect_wide(&self, word: Word) -> Result<u32, ReadError> {
        self.wide_value_bits(word)
            .ok_or_else(|| self.malformed("an aggregate where a scalar is expected"))
    }

    /// Makes room for an operation whose cost is linear, or goes with the square.
    fn make_room_for(&mut self, bits: u32, square: bool) -> Result<(), ReadError> {
        let count = word_count(bits) + 2;
        self.make_wide_room(count * if square { SQUARE * count + LINEAR } else { LINEAR })
    }

    /// The next value is the number of these words.
    fn define_words(&mut self, ty: TypeId, words: Words, bits: u32) -> Result<(), ReadError> {
        let parts = self.parts_of(words, bits)?;
        self.define_parts(ty, &parts)
    }
}

/// A binary operation on wide integers.
pub(super) fn binary(body: &mut Body<'_, '_>, left: Word, right: Word, number: u64) -> Result<(), ReadError> {
    let build = &mut body.build;
    let bits = build.expect_wide(left)?;
    build.make_room_for(bits, number == operation::MUL)?;
    let signed = matches!(number, operation::SDIV | operation::SREM | operation::ASHR);
    let a = build.words_of(left, bits, Extend::of(signed))?;
    let b = build.words_of(right, bits, Extend::of(signed))?;
    let distance = b.first().copied().unwrap_or(Operand::ZERO);
    let words = match number {
        operation::ADD => build.add_words(&a, &b).0,
        operation::SUB => build.subtract_words(&a, &b).0,
        operation::MUL => build.multiply_words(&a, &b, a.len()),
        operation::UDIV => build.divide_words(&a, &b)?.0,
        operation::UREM => build.divide_words(&a, &b)?.1,
        operation::SDIV => build.divide_signed(&a, &b, true)?,
        operation::SREM => build.divide_signed(&a, &b, false)?,
        operation::SHL => build.shift_up_by(&a, distance),
        operation::LSHR => build.shift_down_by(&a, distance, Operand::ZERO),
        operation::ASHR => {
            let filler = build.sign_of_words(&a);
            build.shift_down_by(&a, distance, filler)
        }
        operation::AND => build.on_each_word(Opcode::And, &a, &b),
        operation::OR => build.on_each_word(Opcode::Or, &a, &b),
        operation::XOR => build.on_each_word(Opcode::Xor, &a, &b),
        other => return Err(build.malformed(format!("binary operation {other} on an integer"))),
    };
    build.define_words(left.ty(), words, bits)
}

/// A division of integers of 65 to 127 bits, by that of 128.
#[cold]
pub(super) fn odd_division(body: &mut Body<'_, '_>, op: Opcode, left: Word, right: Word) -> Result<(), ReadError> {
    let build = &mut body.build;
    let bits = build
        .function
        .types()
        .int_bits(left.ir_type())
        .unwrap_or(WIDEST_NARROW_BITS);
    let extend = Extend::of(matches!(op, Opcode::Sdiv | Opcode::Srem));
    let a = build.extend_to_128(left, bits, extend);
    let b = build.extend_to_128(right, bits, extend);
    let result = build.emit(op, Type::I128, 0, a, b);
    let data = InstData::new(Opcode::Trunc, left.ir_type(), 0, result, Operand::NONE);
    build.define(data, left.ir_type(), left.ty())
}

/// A comparison of wide integers.
pub(super) fn compare(body: &mut Body<'_, '_>, left: Word, right: Word, predicate: u64) -> Result<(), ReadError> {
    let build = &mut body.build;
    let bits = build.expect_wide(left)?;
    build.make_room_for(bits, false)?;
    let op = build.compare_opcode(predicate, Type::I128)?;
    let signed = matches!(
        op,
        Opcode::IcmpSlt | Opcode::IcmpSle | Opcode::IcmpSgt | Opcode::IcmpSge
    );
    let a = build.words_of(left, bits, Extend::of(signed))?;
    let b = build.words_of(right, bits, Extend::of(signed))?;
    let (flag, negate) = match op {
        Opcode::IcmpEq => (build.equal_words(&a, &b), false),
        Opcode::IcmpNe => (build.equal_words(&a, &b), true),
        Opcode::IcmpSlt | Opcode::IcmpUlt => (build.less_words(&a, &b, signed), false),
        Opcode::IcmpSge | Opcode::IcmpUge => (build.less_words(&a, &b, signed), true),
        Opcode::IcmpSgt | Opcode::IcmpUgt => (build.less_words(&b, &a, signed), false),
        _ => (build.less_words(&b, &a, signed), true),
    };
    let other = crate::builder::wide::truth(negate);
    let data = InstData::new(Opcode::Xor, Type::I1, 0, flag, other);
    build.define(data, Type::I1, NO_TYPE)
}

/// A cast from or to a wide integer.
#[cold]
pub(super) fn cast(body: &mut Body<'_, '_>, value: Word, ty: TypeId, number: u64) -> Result<(), ReadError> {
    let build = &mut body.build;
    let from = build.wide_value_bits(value);
    let to = build.wide_bits(ty);
    build.make_room_for(from.max(to).unwrap_or(WIDEST_NARROW_BITS), false)?;
    let signed = matches!(number, casts::SEXT | casts::SI_TO_FP | casts::FP_TO_SI);
    if from == to && number == casts::BITCAST {
        return build.define_as(value.with_type(ty));
    }
    match (number, from, to) {
        (casts::TRUNC | casts::ZEXT | casts::SEXT, ..) | (casts::PTR_TO_INT, None, Some(_)) => {
            resize(build, value, ty, number, signed)
        }
        (casts::INT_TO_PTR, Some(bits), None) => {
            let result = build.scalar_class(ty)?;
            let words = build.words_of(value, bits, Extend::Zero)?;
            let low = build.typed_word(words.first().copied().unwrap_or(Operand::ZERO));
            let data = InstData::new(Opcode::Inttoptr, result, 0, low, Operand::NONE);
            build.define(data, result, ty)
        }
        (casts::UI_TO_FP | casts::SI_TO_FP, Some(bits), None) => {
            let result = float_type(build, ty)?;
            let words = build.words_of(value, bits, Extend::of(signed))?;
            let float = build.float_of_words(&words, signed, result);
            build.define_as(Word::scalar(float, result, ty))
        }
        (casts::FP_TO_UI | casts::FP_TO_SI, None, Some(bits)) => {
            let source = float_type(build, value.ty())?;
            let words = build.words_of_float(value.operand(), source, word_count(bits), signed);
            build.define_words(ty, words, bits)
        }
        (casts::BITCAST, ..) if build.module.module.data_layout.big_endian => Err(build.unsupported(
            Refusal::WideInteger,
            "a cast between an integer of more than 128 bits and a vector where the first byte is the highest",
        )),
        (casts::BITCAST, Some(bits), None) if is_float(build, ty) => {
            let result = build.scalar_class(ty)?;
            check_size(build, result, bits)?;
            let words = build.words_of(value, bits, Extend::Zero)?;
            let float = build.float_of_bits(&words, result);
            build.define_as(Word::scalar(float, result, ty))
        }
        (casts::BITCAST, None, Some(bits)) if is_float(build, value.ty()) => {
            let source = build.scalar_class(value.ty())?;
            check_size(build, source, bits)?;
            let float = build.typed(value);
            let words = build.bits_of_float(float, source, word_count(bits));
            build.define_words(ty, words, bits)
        }
        (casts::BITCAST, Some(bits), None) => {
            let result = vector_type(build, ty, bits)?;
            let (lanes, lane_bits) = lanes_of(build, bits)?;
            let words = build.words_of(value, bits, Extend::Zero)?;
            let element = build.intern(TypeData::Int(lane_bits))?;
            let mut vector = Operand::constant(build.function.push_plain_const(ConstKind::Poison, lanes));
            for index in 0..bits / lane_bits {
                let (word, shift) = (index * lane_bits / WORD_BITS, index * lane_bits % WORD_BITS);
                let mut lane = words.get(word as usize).copied().unwrap_or(Operand::ZERO);
                if shift > 0 {
                    let distance = build.literal(shift.into());
                    lane = build.emit(Opcode::Lshr, Type::I64, 0, lane, distance);
                }
                if lane_bits < WORD_BITS {
                    let typed = build.typed_word(lane);
                    lane = build.emit(Opcode::Trunc, element, 0, typed, Operand::NONE);
                }
                let number = build.literal(index.into());
                let rest = build.function.push_pool(&[lane, number]);
                vector = build.emit(Opcode::InsertElement, lanes, 0, vector, Operand::raw(rest));
            }
            build.define(
                InstData::new(Opcode::Bitcast, result, 0, vector, Operand::NONE),
                result,
                ty,
            )
        }
        (casts::BITCAST, None, Some(bits)) => {
            vector_type(build, value.ty(), bits)?;
            let (lanes, lane_bits) = lanes_of(build, bits)?;
            let source = build.typed(value);
            let vector = build.emit(Opcode::Bitcast, lanes, 0, source, Operand::NONE);
            let mut words: Words = (0..word_count(bits)).map(|_| Operand::ZERO).collect();
            for index in 0..bits / lane_bits {
                let (word, shift) = (index * lane_bits / WORD_BITS, index * lane_bits % WORD_BITS);
                let element = build.intern(TypeData::Int(lane_bits))?;
                let number = build.literal(index.into());
                let data = InstData::new(Opcode::ExtractElement, lanes, 0, vector, number);
                let mut lane = Operand::value(build.function.push_inst_result(data, element));
                if lane_bits < WORD_BITS {
                    lane = build.emit(Opcode::Zext, Type::I64, 0, lane, Operand::NONE);
                }
                if shift > 0 {
                    let distance = build.literal(shift.into());
                    lane = build.emit(Opcode::Shl, Type::I64, 0, lane, distance);
                }
                if let Some(word) = words.get_mut(word as usize) {
                    *word = match shift {
                        0 => lane,
                        _ => build.emit(Opcode::Or, Type::I64, 0, *word, lane),
                    };
                }
            }
            build.define_words(ty, words, bits)
        }
        _ => Err(build.unsupported(
            Refusal::WideInteger,
            "a cast between an integer of more than 128 bits and this type",
        )),
    }
}

fn is_float(build: &Builder<'_, '_>, ty: TypeId) -> bool {
    matches!(build.module.types.kind(ty), Some(Kind::Float(_)))
}

/// The IR type of a vector that has so many bits.
fn vector_type(build: &mut Builder<'_, '_>, ty: TypeId, bits: u32) -> Result<Type, ReadError> {
    let found = build.scalar_class(ty)?;
    if matches!(build.function.types().data(found), TypeData::Vector { .. }) {
        check_size(build, found, bits)?;
        return Ok(found);
    }
    Err(different_sizes(build))
}

fn check_size(build: &Builder<'_, '_>, ir_type: Type, bits: u32) -> Result<(), ReadError> {
    let pointer_bits = build.module.module.data_layout.pointer_bits;
    if build.function.types().bits(ir_type, pointer_bits) == u64::from(bits) {
        Ok(())
    } else {
        Err(different_sizes(build))
    }
}

#[cold]
fn different_sizes(build: &Builder<'_, '_>) -> ReadError {
    build.malformed("a bitcast between types of different sizes")
}

/// The vector whose lanes are words, or as large parts of words as a number of bits has a whole number of; with the
/// bits of a lane. Each of them is an operation.
fn lanes_of(build: &mut Builder<'_, '_>, bits: u32) -> Result<(Type, u32), ReadError> {
    let lane_bits = 1u32 << bits.trailing_zeros().min(6);
    let lane_bits = if lane_bits < 8 { 1 } else { lane_bits };
    build.make_wide_room((bits / lane_bits) as usize * 4)?;
    let element = build.intern(TypeData::Int(lane_bits))?;
    let lanes = build.intern(TypeData::Vector {
        element,
        lanes: bits / lane_bits,
    })?;
    Ok((lanes, lane_bits))
}

/// The IR type of a `float` or `double`; other floats are refused.
fn float_type(build: &mut Builder<'_, '_>, ty: TypeId) -> Result<Type, ReadError> {
    match build.scalar_class(ty)? {
        found @ (Type::F32 | Type::F64) => Ok(found),
        _ => Err(build.unsupported(
            Refusal::ExoticFloat,
            "a conversion between an integer of more than 128 bits and a half, x86_fp80 or fp128",
        )),
    }
}

/// The same number in another width.
fn resize(build: &mut Builder<'_, '_>, value: Word, ty: TypeId, number: u64, signed: bool) -> Result<(), ReadError> {
    let extend = Extend::of(signed);
    let to = match (build.wide_bits(ty), build.class(ty)?) {
        (Some(bits), _) => bits,
        (None, Class::Scalar(ir_type)) => build
            .function
            .types()
            .int_bits(ir_type)
            .ok_or_else(|| build.malformed("a cast of an integer to something that is none"))?,
        _ => return Err(build.malformed("a cast of an integer to an aggregate")),
    };
    let (words, from) = match build.wide_value_bits(value) {
        Some(bits) => {
            let mut words = build.words_of(value, bits, extend)?;
            build.fill_up(&mut words, word_count(to), extend);
            (words, bits)
        }
        None if number == casts::PTR_TO_INT => {
            let source = build.typed(value);
            let low = build.emit(Opcode::Ptrtoint, Type::I64, 0, source, Operand::NONE);
            let low = Word::scalar(low, Type::I64, NO_TYPE);
            (build.words_of_scalar(low, word_count(to), extend)?, WORD_BITS)
        }
        None => {
            let words = build.words_of_scalar(value, word_count(to), extend)?;
            (words, build.function.types().int_bits(value.ir_type()).unwrap_or(0))
        }
    };
    if from == to || (number == casts::TRUNC) != (to < from) {
        return Err(build.malformed(format!("cast {number} between types that do not go with it")));
    }
    if to > build.module.narrow_bits() {
        return build.define_words(ty, words, to);
    }
    let ir_type = build.scalar_class(ty)?;
    let result = join(build, &words, to, ir_type);
    build.define_as(Word::scalar(result, ir_type, ty))
}

/// The lowest bits of a number as a single value.
pub(super) fn join(build: &mut Builder<'_, '_>, words: &[Operand], bits: u32, ir_type: Type) -> Operand {
    let low = words.first().copied().unwrap_or(Operand::ZERO);
    let low = build.typed_word(low);
    if bits == WORD_BITS {
        return low;
    }
    if bits < WORD_BITS {
        return build.emit(Opcode::Trunc, ir_type, 0, low, Operand::NONE);
    }
    let high = words.get(1).copied().unwrap_or(Operand::ZERO);
    let high = build.typed_word(high);
    let low = build.emit(Opcode::Zext, ir_type, 0, low, Operand::NONE);
    let high = build.emit(Opcode::Zext, ir_type, 0, high, Operand::NONE);
    let distance = build.function.int_operand(ir_type, i128::from(WORD_BITS));
    let high = build.emit(Opcode::Shl, ir_type, 0, high, distance);
    build.emit(Opcode::Or, ir_type, 0, low, high)
}

/// A switch over an integer of more than 64 bits: the number of the case is found first.
#[cold]
pub(super) fn switch(body: &mut Body<'_, '_>, value: Word, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let default = body.target(operands.next()?)?;
    let pairs = operands.rest();
    if pairs.len() % 2 == 1 {
        return Err(body.build.malformed("a switch with a value without a block"));
    }
    let mut targets = vec![Operand::raw((pairs.len() / 2) as u32), Operand::raw(default.as_u32())];
    let words = words_of_any(&mut body.build, value)?;
    let mut found = Operand::ZERO;
    for (pair, number) in pairs.chunks_exact(2).zip(1..) {
        let &[case, block] = pair else { continue };
        let case = match u32::try_from(case) {
            Ok(case) if case < body.build.next => body.build.word(case)?,
            _ => return Err(body.build.malformed(format!("value {case} as a switch case"))),
        };
        body.build.make_wide_room(LINEAR * words.len())?;
        body.build.expect_type(case, value.ty())?;
        let case = words_of_any(&mut body.build, case)?;
        let equal = body.build.equal_words(&words, &case);
        let number = body.build.literal(number);
        let selected = body.build.choose_words(equal, &[number], &[found]);
        found = selected.first().copied().unwrap_or(found);
        targets.push(number);
        targets.push(Operand::raw(body.target(block)?.as_u32()));
    }
    let start = body.build.function.push_pool(&targets);
    let data = InstData::new(Opcode::Switch, Type::I64, 0, found, Operand::raw(start));
    terminate(body, data);
    Ok(())
}

/// The words of an integer of more than 64 bits.
fn words_of_any(build: &mut Builder<'_, '_>, value: Word) -> Result<Words, ReadError> {
    match build.wide_value_bits(value) {
        Some(bits) => build.words_of(value, bits, Extend::Zero),
        None if value.is_operand() => build.words_of_scalar(value, 2, Extend::Zero),
        None => Err(build.malformed("a switch over an aggregate")),
    }
}

/// An intrinsic of wide integers; `false` if it is none of those that are known.
#[cold]
pub(super) fn intrinsic(
    body: &mut Body<'_, '_>,
    intrinsic: Intrinsic,
    arguments: &[Word],
    result: TypeId,
) -> Result<bool, ReadError> {
    let build = &mut body.build;
    match (intrinsic, arguments) {
        (Intrinsic::First(_), &[first, ..]) if first.ty() == result => {
            build.define_as(first)?;
            Ok(true)
        }
        (Intrinsic::Plain(Opcode::FptouiSat | Opcode::FptosiSat), &[float]) => {
            let Some(bits) = build.wide_bits(result) else {
                return Ok(false);
            };
            build.make_room_for(bits, false)?;
            let signed = intrinsic == Intrinsic::Plain(Opcode::FptosiSat);
            let source = float_type(build, float.ty())?;
            let words = build.saturated_words_of_float(float.operand(), source, bits, signed);
            build.define_words(result, words, bits)?;
            Ok(true)
        }
        (Intrinsic::Plain(op) | Intrinsic::PoisonFlag(op), &[first, ..]) => match build.wide_value_bits(first) {
            Some(bits) => of_numbers(build, op, arguments, result, bits),
            None => Ok(false),
        },
        _ => Ok(false),
    }
}

/// An intrinsic whose operands are wide integers.
fn of_numbers(
    build: &mut Builder<'_, '_>,
    op: Opcode,
    arguments: &[Word],
    result: TypeId,
    bits: u32,
) -> Result<bool, ReadError> {
    let of_product = matches!(op, Opcode::UmulOverflow | Opcode::SmulOverflow);
    build.make_room_for(bits, of_product)?;
    let signed = matches!(
        op,
        Opcode::Abs
            | Opcode::Smin
            | Opcode::Smax
            | Opcode::Scmp
            | Opcode::SaddSat
            | Opcode::SsubSat
            | Opcode::SshlSat
            | Opcode::SaddOverflow
            | Opcode::SsubOverflow
            | Opcode::SmulOverflow
    );
    let mut numbers = Vec::with_capacity(arguments.len());
    for &argument in arguments.iter().filter(|argument| !argument.is_operand()) {
        if build.wide_value_bits(argument) != Some(bits) {
            return Err(build.malformed("an intrinsic of integers of different types"));
        }
        numbers.push(build.words_of(argument, bits, Extend::of(signed))?);
    }
    let words = match (op, numbers.as_slice()) {
        (Opcode::Ctlz, [a]) => vec![build.leading_zeros(a, bits)],
        (Opcode::Cttz, [a]) => vec![build.trailing_zeros(a, bits)],
        (Opcode::Ctpop, [a]) => vec![build.count_ones(a)],
        (Opcode::Bswap | Opcode::Bitreverse, [a]) => build.reverse_words(op, a, bits),
        (Opcode::Abs, [a]) => build.absolute(a),
        (Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax, [a, b]) => {
            build.extreme(a, b, signed, matches!(op, Opcode::Smax | Opcode::Umax))
        }
        (Opcode::Fshl | Opcode::Fshr, [a, b, c]) => build.funnel_words([a, b, c], bits, op == Opcode::Fshl),
        (Opcode::UaddSat | Opcode::SaddSat | Opcode::UsubSat | Opcode::SsubSat, [a, b]) => {
            build.saturated_words(op, a, b, bits)
        }
        (Opcode::UshlSat | Opcode::SshlSat, [a, b]) => {
            let distance = b.first().copied().unwrap_or(Operand::ZERO);
            build.saturated_shift(a, distance, bits, signed)
        }
        (Opcode::Scmp | Opcode::Ucmp, [a, b]) => {
            let ir_type = build.scalar_class(result)?;
            let order = build.three_way(a, b, signed, ir_type);
            build.define_as(Word::scalar(order, ir_type, result))?;
            return Ok(true);
        }
        (
            Opcode::UaddOverflow
            | Opcode::SaddOverflow
            | Opcode::UsubOverflow
            | Opcode::SsubOverflow
            | Opcode::UmulOverflow
            | Opcode::SmulOverflow,
            [a, b],
        ) => {
            let (words, flag) = build.checked_words(op, a, b, bits);
            let mut parts = build.parts_of(words, bits)?;
            parts.push(flag);
            if build.leaves(result)?.len() != parts.len() {
                return Ok(false);
            }
            build.define_parts(result, &parts)?;
            return Ok(true);
        }
        _ => return Ok(false),
    };
    if build.wide_bits(result) != Some(bits) {
        return Ok(false);
    }
    let mut words = words;
    words.resize(word_count(bits), Operand::ZERO);
    build.define_words(result, words, bits)?;
    Ok(true)
}
