//! Products of lanes of 32 bits whose factors fit into 16: `pmaddwd`, a single multiplication, instead of `pmulld`,
//! which is two, or of what SSE2 has to do for one.
//!
//! `pmaddwd` adds the products of both signed words of each lane. If the upper word of one factor is zero, as that of a
//! number without sign is, what is left is the product of the lower words. What is known of the factors is seen from
//! the instructions that make them, to a small depth; of a constant with negative lanes, the upper words are left out.
//! Of factors that are extended with signs, the extensions are folded, since without signs they cost less.
//!
//! Source: LLVM's `combineMulToPMADDWD`.

use super::{copy_of, extend, finish, has_sse41, loaded, splat, temp, with_constant, zero};
use crate::build::*;
use crate::regs::WIDE_VECTOR_BYTES;
use crate::rows;
use crate::table::Op;
use frazil_codegen::{Folder, LowerCtx, VectorShape};
use frazil_ir::{ConstView, Function, InstData, Opcode, Operand, Type, TypeData};

/// How many instructions one looks back.
const DEPTH: u32 = 5;

/// All signed words.
const WORDS: Range = Range {
    least: i16::MIN as i64,
    most: i16::MAX as i64,
};

/// The bounds of all lanes of a vector.
#[derive(Clone, Copy)]
struct Range {
    least: i64,
    most: i64,
}

impl Range {
    const fn of_unsigned(bits: u32) -> Range {
        Range {
            least: 0,
            most: (1 << bits) - 1,
        }
    }

    fn is_within(self, other: Range) -> bool {
        self.least >= other.least && self.most <= other.most
    }
}

/// Whose upper words are zero.
enum Clear {
    Left,
    Right,
    /// None: those of the right one, which is a constant, can be left out.
    Constant,
    /// None.
    Neither,
}

/// Folds the extensions of both factors, if they are extended from words: their upper words need no signs.
pub fn fold(folder: &mut Folder<'_>, data: &InstData) {
    let types = folder.function.types();
    // Products of 512 bits are done by other rules.
    if VectorShape::of(types, data.ty, WIDE_VECTOR_BYTES).is_none() {
        return;
    }
    let words = |operand: Operand| {
        let (value, extension) = folder.producer(operand)?;
        let from = folder.function.operand_type(extension.a)?;
        let is_of_words = extension.op == Opcode::Sext && types.scalar(from) == Type::I16;
        (is_of_words && types.scalar(data.ty) == Type::I32).then_some(value)
    };
    if let (Some(left), Some(right)) = (words(data.a), words(data.b))
        && left != right
    {
        folder.fold(left);
        folder.fold(right);
    }
}

/// What the folded extensions of the factors extend.
fn folded<C: LowerCtx>(cx: &C, data: &InstData) -> Option<[Operand; 2]> {
    let extended = |operand: Operand| {
        let value = operand.as_value().filter(|_| cx.is_folded(operand))?;
        Some(cx.func().inst(cx.func().def_inst(value)?).a)
    };
    Some([extended(data.a)?, extended(data.b)?])
}

/// Lowers a product of 256 bits whose extensions are folded; says whether it is one.
pub fn multiply_wide<C: LowerCtx>(cx: &mut C, data: &InstData) -> bool {
    let Some(factors) = folded(cx, data) else { return false };
    let [left, right] = factors.map(|factor| {
        let src = extend::use_extended(cx, factor);
        let extended = temp(cx);
        extend::extend_from(cx, Op::VpmovzxwdYRR, WIDE_VECTOR_BYTES, extended, src);
        extended
    });
    let product = rows::doubled(&rr(Op::PmaddwdRR, 16, left, right)).expect("the row has both widths");
    cx.emit(product);
    finish(cx, data, left);
    true
}

/// The same of 128 bits. Of one factor, the upper words are of any contents.
fn multiply_extended<C: LowerCtx>(cx: &mut C, data: &InstData, [left, right]: [Operand; 2]) {
    if has_sse41(cx.view()) {
        let [left, right] = [left, right].map(|factor| extend::use_extended(cx, factor));
        let (extended, other) = (temp(cx), temp(cx));
        extend::extend_from(cx, Op::PmovzxwdRR, 16, extended, left);
        extend::extend_from(cx, Op::PmovzxwdRR, 16, other, right);
        cx.emit(rr(Op::PmaddwdRR, 16, extended, other));
        return finish(cx, data, extended);
    }
    let [(left, of_left), (right, of_right)] =
        [left, right].map(|factor| match extend::whole_of_upper_half(cx, factor) {
            Some(whole) => (cx.use_copy(whole, 0), Op::PunpckhwdRR),
            None => (cx.use_copy(factor, 0), Op::PunpcklwdRR),
        });
    let clear = zero(cx);
    cx.emit(rr(of_left, 16, left, left));
    cx.emit(rr(of_right, 16, right, clear));
    cx.emit(rr(Op::PmaddwdRR, 16, left, right));
    finish(cx, data, left);
}

/// Lowers a product of lanes of 32 bits, if its factors are known to fit; `false` otherwise.
pub fn multiply<C: LowerCtx>(cx: &mut C, data: &InstData) -> bool {
    if let Some(factors) = folded(cx, data) {
        multiply_extended(cx, data, factors);
        return true;
    }
    let Some(clear) = clear_words(cx.func(), data) else {
        return false;
    };
    let known = constant_of(cx.func(), data.b).and_then(|constant| low_words(cx.func(), constant));
    let value = cx.use_copy(data.a, 0);
    let factor = match (clear, known) {
        (Clear::Constant, Some(words)) => loaded(cx, words),
        (Clear::Left | Clear::Right, _) => cx.use_reg(data.b, 0),
        _ => {
            let right = cx.use_reg(data.b, 0);
            let right = copy_of(cx, right);
            with_constant(cx, Op::PandRM, right, splat(0xffff, 32));
            right
        }
    };
    cx.emit(rr(Op::PmaddwdRR, 16, value, factor));
    finish(cx, data, value);
    true
}

/// The lower words of four lanes, if a constant has no others; their upper words are zero.
fn low_words(function: &Function, constant: Operand) -> Option<u128> {
    let ConstView::Vector(lanes) = function.constant(constant.as_const()?).1 else {
        return None;
    };
    let word = |index: usize| lanes[index % lanes.len()].as_imm().map(|number| number & 0xffff);
    (4..lanes.len())
        .all(|index| word(index) == word(index % 4))
        .then_some(())?;
    (0..4).try_fold(0, |words, index| Some(words | (word(index)? as u128) << (32 * index)))
}

/// Whether [`multiply`] does a product.
pub fn is_of_words(function: &Function, data: &InstData) -> bool {
    clear_words(function, data).is_some()
}

fn clear_words(function: &Function, data: &InstData) -> Option<Clear> {
    let right = range(function, data.b, DEPTH).filter(|range| range.is_within(WORDS))?;
    let left = range(function, data.a, DEPTH).filter(|range| range.is_within(WORDS))?;
    Some(match () {
        () if left.least >= 0 => Clear::Left,
        () if right.least >= 0 => Clear::Right,
        () if constant_of(function, data.b).is_some() => Clear::Constant,
        () => Clear::Neither,
    })
}

/// The constant that an operand is, or is a copy of.
pub(super) fn constant_of(function: &Function, operand: Operand) -> Option<Operand> {
    let inst = operand.as_value().and_then(|value| function.def_inst(value));
    let data = inst.map(|inst| function.inst(inst));
    let copied = data
        .filter(|data| data.op == Opcode::Copy)
        .map_or(operand, |copy| copy.a);
    copied.as_const().map(|_| copied)
}

/// What is known of the lanes of a vector of 32-bit integers.
fn range(function: &Function, operand: Operand, depth: u32) -> Option<Range> {
    if let Some(constant) = constant_of(function, operand) {
        return range_of_constant(function, constant);
    }
    let depth = depth.checked_sub(1)?;
    let data = function.inst(function.def_inst(operand.as_value()?)?);
    let of = |operand| range(function, operand, depth);
    match data.op {
        Opcode::Copy | Opcode::Freeze => of(data.a),
        Opcode::Zext | Opcode::Sext => {
            let extended = function.operand_type(extended_before(function, data).unwrap_or(data).a)?;
            let TypeData::Vector { element, .. } = function.types().data(extended) else {
                return None;
            };
            let bits = function.types().int_bits(element).filter(|&bits| bits <= 16)?;
            Some(match data.op {
                Opcode::Zext => Range::of_unsigned(bits),
                _ => Range {
                    least: -(1 << (bits - 1)),
                    most: (1 << (bits - 1)) - 1,
                },
            })
        }
        Opcode::And => {
            let mask = range_of_constant(function, constant_of(function, data.b)?)?;
            (mask.least >= 0).then_some(Range { least: 0, ..mask })
        }
        Opcode::Or | Opcode::Xor => {
            let (left, right) = (of(data.a)?, of(data.b)?);
            let all = left.most.max(right.most).cast_unsigned();
            let bits = u64::BITS - all.leading_zeros();
            (left.least >= 0 && right.least >= 0).then(|| Range::of_unsigned(bits))
        }
        Opcode::Add => {
            let (left, right) = (of(data.a)?, of(data.b)?);
            within_lanes(left.least + right.least, left.most + right.most)
        }
        Opcode::Sub => {
            let (left, right) = (of(data.a)?, of(data.b)?);
            within_lanes(left.least - right.most, left.most - right.least)
        }
        Opcode::Lshr => {
            let amount = range_of_constant(function, constant_of(function, data.b)?)?;
            let bits = 32i64.checked_sub(amount.least).filter(|bits| (1..32).contains(bits))?;
            Some(Range::of_unsigned(bits as u32))
        }
        _ => None,
    }
}

/// The same extension of what an extension takes, or takes some lanes of.
fn extended_before<'a>(function: &'a Function, data: &InstData) -> Option<&'a InstData> {
    let defined = |operand: Operand| Some(function.inst(function.def_inst(operand.as_value()?)?));
    let mut before = defined(data.a)?;
    if before.op == Opcode::Shuffle {
        let other = function.ternary(before).0.as_const()?;
        let is_no_number = matches!(
            function.constant(other).1,
            ConstView::Zero | ConstView::Undef | ConstView::Poison
        );
        before = defined(before.a).filter(|_| is_no_number)?;
    }
    (before.op == data.op).then_some(before)
}

/// Bounds that lanes of 32 bits hold without wrapping.
fn within_lanes(least: i64, most: i64) -> Option<Range> {
    (least >= i64::from(i32::MIN) && most <= i64::from(i32::MAX)).then_some(Range { least, most })
}

/// The bounds of a constant all of whose lanes are numbers.
fn range_of_constant(function: &Function, constant: Operand) -> Option<Range> {
    match function.constant(constant.as_const()?).1 {
        ConstView::Zero => Some(Range { least: 0, most: 0 }),
        ConstView::Vector(lanes) => {
            let numbers = || lanes.iter().map(|lane| lane.as_imm());
            numbers().all(|number| number.is_some()).then_some(Range {
                least: numbers().flatten().min()?,
                most: numbers().flatten().max()?,
            })
        }
        _ => None,
    }
}
