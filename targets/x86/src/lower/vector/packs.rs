//! Truncations to bytes and words whose results shuffles put one after the other, on processors without `pshufb`.
//!
//! ```text
//! shuffle (trunc <8 x i16> v0), (trunc <8 x i16> v1)       ->     pand, pand, packuswb
//! shuffle (trunc (lshr <4 x i32> v0, 3)), (trunc ...)      ->     pslld 13, psrad 16, the same, packssdw
//! ```
//!
//! Truncations of 32-bit lanes are joined to eight bytes, or from four vectors to sixteen. They are folded into the
//! shuffle, and that into the one that joins two such. Words are extended with their sign bits before they are packed,
//! which takes a shift to the right along.

use super::shift_one::by_one;
use super::{finish, has_ssse3, shape, shift, splat, with, with_constant};
use crate::features;
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{Folder, LowerCtx, Reg};
use frazil_ir::{Function, InstData, Opcode, Operand};

/// The bits of lanes of two truncations, before and after.
const WORDS_TO_BYTES: (u32, u32) = (16, 8);
const DOUBLE_WORDS_TO_BYTES: (u32, u32) = (32, 8);
const DOUBLE_WORDS_TO_WORDS: (u32, u32) = (32, 16);

/// The bits of the lanes of two truncations that are packed here, before and after.
fn truncated_bits(function: &Function, truncations: [&InstData; 2]) -> Option<(u32, u32)> {
    let bits = |data: &InstData| {
        let types = function.types();
        let from = shape(types, function.operand_type(data.a)?)?;
        let to = shape(types, data.ty)?;
        let is_whole = data.op == Opcode::Trunc && from.lanes * from.lane_bits == 128;
        let bits = (from.lane_bits, to.lane_bits);
        let is_packed = matches!(bits, WORDS_TO_BYTES | DOUBLE_WORDS_TO_BYTES | DOUBLE_WORDS_TO_WORDS);
        (is_whole && is_packed && !from.is_mask && !to.is_mask).then_some(bits)
    };
    let [first, second] = truncations.map(bits);
    first.filter(|_| first == second)
}

/// By how many bits lanes are shifted to the right that are truncated to words, if bits of the lanes are all that is
/// left: other shifts would be extended.
fn shifted_before(function: &Function, shift: &InstData) -> Option<u32> {
    let shape = shape(function.types(), shift.ty)?;
    let amount = shift::constant_amount(function, shift.b, shape)?;
    let is_right = matches!(shift.op, Opcode::Lshr | Opcode::Ashr);
    (is_right && shape.lane_bits == 32 && (1..=16).contains(&amount)).then_some(amount)
}

/// Whether a shuffle puts its operands, of at most 128 bits, one after the other.
fn is_joined(function: &Function, data: &InstData) -> bool {
    let (_, mask) = function.ternary(data);
    let from = function.operand_type(data.a).and_then(|ty| shape(function.types(), ty));
    let (Some(to), Some(from)) = (shape(function.types(), data.ty), from) else {
        return false;
    };
    to.lanes == 2 * from.lanes && (0..to.lanes).all(|lane| shuffle_index(function, mask, lane) == Some(lane))
}

/// Folds two truncations, or two shuffles with truncations of 32-bit lanes, into a shuffle; says whether it did.
pub fn fold(folder: &mut Folder<'_>, data: &InstData) -> bool {
    let function = folder.function;
    let second = function.ternary(data).0;
    if folder.features().has(features::SSSE3) || data.a == second || !is_joined(function, data) {
        return false;
    }
    let (Some((first, one)), Some((other, two))) = (folder.producer(data.a), folder.producer(second)) else {
        return false;
    };
    let is_free = |data: &InstData| !folder.is_folded(data.a);
    let is_pair = |data: &InstData| {
        let of = |operand: Operand| {
            folder
                .is_folded(operand)
                .then(|| definition(function, operand))
                .flatten()
        };
        let second = (data.op == Opcode::Shuffle).then(|| function.ternary(data).0);
        let pair = of(data.a).zip(second.and_then(of));
        // Those that were clamped are packed otherwise.
        pair.is_some_and(|(one, two)| {
            truncated_bits(function, [one, two]) == Some(DOUBLE_WORDS_TO_BYTES) && is_free(one) && is_free(two)
        })
    };
    let bits = truncated_bits(function, [one, two]).filter(|_| is_free(one) && is_free(two));
    let is_done = bits.is_some() || is_pair(one) && is_pair(two);
    if is_done {
        folder.fold(first);
        folder.fold(other);
    }
    if bits == Some(DOUBLE_WORDS_TO_WORDS) {
        for truncation in [one, two] {
            let shift = folder.producer(truncation.a);
            let shift = shift.filter(|(_, data)| shifted_before(function, data).is_some() && !folder.is_folded(data.a));
            if let Some((value, _)) = shift {
                folder.fold(value);
            }
        }
    }
    is_done
}

fn definition(function: &Function, operand: Operand) -> Option<&InstData> {
    Some(function.inst(function.def_inst(operand.as_value()?)?))
}

/// Lowers a shuffle into which truncations are folded; says whether it is one.
pub fn join<C: LowerCtx>(cx: &mut C, data: &InstData) -> bool {
    let second = cx.func().ternary(data).0;
    if has_ssse3(cx.view()) || !cx.is_folded(data.a) || !cx.is_folded(second) {
        return false;
    }
    let parts = [data.a, second].map(|operand| definition(cx.func(), operand).copied());
    let [Some(first), Some(other)] = parts else {
        return false;
    };
    let packed = match first.op {
        Opcode::Shuffle => {
            let words = [first, other].map(|pair| {
                let second = cx.func().ternary(&pair).0;
                [pair.a, second].map(|operand| definition(cx.func(), operand).copied())
            });
            let [one, two] = words.map(|pair| pair.map(|truncation| truncation.expect("it is folded")));
            let (one, two) = (pack(cx, one), pack(cx, two));
            with(cx, Op::PackuswbRR, one, two);
            one
        }
        _ => {
            let packed = pack(cx, [first, other]);
            if truncated_bits(cx.func(), [&first, &other]) == Some(DOUBLE_WORDS_TO_BYTES) {
                with(cx, Op::PackuswbRR, packed, packed);
            }
            packed
        }
    };
    finish(cx, data, packed);
    true
}

/// The low parts of both operands' lanes in lanes half as wide, in a new register.
fn pack<C: LowerCtx>(cx: &mut C, truncations: [InstData; 2]) -> Reg {
    let bits = truncated_bits(cx.func(), [&truncations[0], &truncations[1]]).unwrap_or(DOUBLE_WORDS_TO_BYTES);
    let [first, other] = truncations.map(|truncation| match bits {
        DOUBLE_WORDS_TO_WORDS => word(cx, truncation.a),
        (from_bits, _) => {
            let value = cx.use_copy(truncation.a, 0);
            with_constant(cx, Op::PandRM, value, splat(0xff, from_bits));
            value
        }
    });
    // Nothing is as large as what would be cut.
    let row = if bits == WORDS_TO_BYTES {
        Op::PackuswbRR
    } else {
        Op::PackssdwRR
    };
    with(cx, row, first, other);
    first
}

/// A word of each lane of 32 bits, extended with its sign: the lowest, or that to which a folded shift brings it.
fn word<C: LowerCtx>(cx: &mut C, operand: Operand) -> Reg {
    let shift = definition(cx.func(), operand)
        .filter(|_| cx.is_folded(operand))
        .copied();
    let amount = shift.and_then(|shift| shifted_before(cx.func(), &shift));
    let (operand, amount) = match shift.zip(amount) {
        Some((shift, amount)) => (shift.a, amount),
        None => (operand, 0),
    };
    let value = cx.use_copy(operand, 0);
    by_one(cx, Opcode::Shl, 32, value, 16 - amount.cast_signed());
    by_one(cx, Opcode::Ashr, 32, value, 16);
    value
}
