//! Intrinsics of AVX-512 and its companions: from an entry of [`names`] to instructions.
//!
//! Vectors come as wide as they are ([`frazil_codegen::Division::Whole`]), and masks as integers of their bits, which
//! go to and from the mask register right before and after the instruction. A mask whose bits are all set is none.

mod conversions;
mod halves;
mod memory;
mod names;

pub(super) use memory::{is_masked, is_of_no_value, masked};

use super::super::super::result;
use super::super::wide;
use super::byte;
use crate::build::*;
use crate::cond::Cond;
use crate::evex::{Evex, rounding};
use crate::features;
use crate::ops::aux;
use crate::regs::{MASK, VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::features::FeatureSet;
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, Mem, Reg, RegClass};
use frazil_ir::{InstData, Operand, Refusal};

/// What an operand of an intrinsic is, in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arg {
    /// The first register that is only read.
    A,
    /// The second one.
    B,
    /// What the instruction overwrites, and reads whether it has a mask or not.
    D,
    /// What lanes are without a bit in the mask.
    Kept,
    /// An integer whose bits are the mask.
    Mask,
    /// A constant.
    Imm,
    /// The address of memory that is written.
    Address,
    /// A constant that says how results are rounded.
    Rounding,
}

/// What is made of an intrinsic.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// The instruction's result is a register that it writes, or memory.
    Plain,
    /// With a mask, the other lanes become zero.
    Zeroing,
    /// The result is a mask.
    ToMask,
    /// The operand is a mask, and the result a vector.
    FromMask,
    /// The arithmetic shift by an `i32`, for which there is a row with a constant.
    ShiftRight,
    /// Loads and stores by lane.
    Gather,
    Scatter,
    /// The sum of two masks as integers.
    SumOfMasks,
    /// Whether two masks, of so many bytes, have no bit in common, or the second none alone.
    TestOfMasks(u8, bool),
}

/// An intrinsic.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The feature besides that of shorter vectors, which follows from their length.
    pub feature: u8,
    pub row: Evex,
    /// The vectors' length in bytes.
    pub bytes: u8,
    pub kind: Kind,
    /// Of an intrinsic with fewer operands, the last ones are not there.
    pub args: &'static [Arg],
}

impl Entry {
    /// Whether a function with these features may use the instruction.
    pub fn is_available(&self, features: FeatureSet) -> bool {
        let is_short = self.bytes < 64 && !self.row.is_of_lowest();
        let is_mask = matches!(self.kind, Kind::SumOfMasks | Kind::TestOfMasks(..));
        features.has(self.feature) && (is_mask || !is_short || features.has(features::AVX512VL))
    }
}

/// An intrinsic by its set of instructions and the rest of its name.
pub(super) fn find(set: &str, rest: &str) -> Option<Entry> {
    let (stem, bytes) = length(rest);
    match set {
        "avx512" => {
            let found = names::floats(stem, bytes).or_else(|| names::integers(stem, bytes));
            found
                .or_else(|| names::masks(stem, bytes))
                .or_else(|| names::by_lane(stem, bytes))
                .or_else(|| {
                    let (feature, row, args) = conversions::find(stem)?;
                    names::entry(feature, row, bytes, args)
                })
        }
        "avx512fp16" => halves::find(stem, bytes),
        "avx512bf16" => {
            let (row, args): (_, &[Arg]) = match stem {
                "cvtne2ps2bf16" => (Evex::Vcvtne2ps2bf16, &[Arg::A, Arg::B]),
                "cvtneps2bf16" => (Evex::Vcvtneps2bf16, &[Arg::A]),
                "mask.cvtneps2bf16" => (Evex::Vcvtneps2bf16, &[Arg::A, Arg::Kept, Arg::Mask]),
                "dpbf16ps" => (Evex::Vdpbf16ps, &[Arg::D, Arg::A, Arg::B]),
                _ => return None,
            };
            names::entry(features::AVX512BF16, row, bytes, args)
        }
        _ => None,
    }
}

/// What comes before the length of vectors, and that in bytes; where a name has none, it is 128 bits.
fn length(name: &str) -> (&str, u8) {
    for (suffix, bytes) in [(".128", 16), (".256", 32), (".512", 64)] {
        if let Some(stem) = name.strip_suffix(suffix) {
            return (stem, bytes);
        }
    }
    // Types stand where the length would.
    let bytes = if name.contains("tofp.round.") { 64 } else { 16 };
    (name, bytes)
}

/// Lowers a call.
pub(super) fn lower<C: LowerCtx>(cx: &mut C, call: &InstData, entry: Entry) -> Result<(), CodegenError> {
    let args = cx.func().call(call).args.to_vec();
    match entry.kind {
        Kind::Plain | Kind::Zeroing | Kind::ToMask => plain(cx, call, &args, &entry),
        Kind::FromMask => {
            let bits = cx.use_reg(args[0], 0);
            let dst = cx.def(result(call), 0);
            to_mask(cx, bits, 2);
            cx.emit(evex(entry.row, entry.bytes, false, [dst, MASK, Reg::NONE], 0));
            Ok(())
        }
        Kind::ShiftRight => {
            shift_right(cx, call, &args, entry.bytes);
            Ok(())
        }
        Kind::Gather => memory::gather(cx, call, &args, &entry),
        Kind::Scatter => memory::scatter(cx, &args, &entry),
        Kind::SumOfMasks => {
            let right = cx.use_reg(args[1], 0);
            let left = cx.use_last(args[0], 0);
            let dst = cx.def_reuse(result(call), 0, left);
            cx.emit(rr(Op::AddRR, 8, dst, right));
            Ok(())
        }
        Kind::TestOfMasks(bytes, is_second_alone) => {
            test_of_masks(cx, call, &args, bytes, is_second_alone);
            Ok(())
        }
    }
}

/// The operands of an intrinsic, once what is constant of them is known.
#[derive(Default)]
struct Operands {
    first: Option<Operand>,
    second: Option<Operand>,
    overwritten: Option<Operand>,
    kept: Option<Operand>,
    mask: Option<Operand>,
    address: Option<Operand>,
    imm: i32,
    aux: u8,
}

impl Operands {
    fn of(args: &[Operand], entry: &Entry) -> Result<Operands, CodegenError> {
        let mut operands = Operands::default();
        for (index, (&operand, &arg)) in args.iter().zip(entry.args).enumerate() {
            match arg {
                Arg::A => operands.first = Some(operand),
                Arg::B => operands.second = Some(operand),
                Arg::D => operands.overwritten = Some(operand),
                Arg::Kept => operands.kept = Some(operand),
                Arg::Mask => operands.mask = Some(operand),
                Arg::Address => operands.address = Some(operand),
                Arg::Imm => operands.imm = byte(args, index)?,
                Arg::Rounding => operands.aux = rounding_of(byte(args, index)?, entry.row)?,
            }
        }
        if operands.mask.is_some_and(is_all_ones) && !entry.row.needs_mask() {
            operands.mask = None;
        }
        if matches!(entry.kind, Kind::Zeroing) && operands.mask.is_some() {
            operands.aux |= aux::ZEROING;
        }
        Ok(operands)
    }
}

fn is_all_ones(mask: Operand) -> bool {
    mask.as_imm() == Some(-1)
}

/// The bits for what an intrinsic's operand says of rounding: a mode with `_MM_FROUND_NO_EXC`, that alone, or
/// `_MM_FROUND_CUR_DIRECTION`.
fn rounding_of(said: i32, row: Evex) -> Result<u8, CodegenError> {
    const NO_EXCEPTIONS: i32 = 8;
    const CURRENT: i32 = 4;
    match said {
        CURRENT => Ok(0),
        8..12 if row.rounds() => Ok(rounding((said - NO_EXCEPTIONS) as u8)),
        _ if said & NO_EXCEPTIONS != 0 && row.silences() && !row.rounds() => Ok(rounding(0)),
        _ => Err(CodegenError::unsupported(
            Refusal::Intrinsic,
            "an intrinsic with a rounding mode that its instruction does not have",
        )),
    }
}

fn plain<C: LowerCtx>(cx: &mut C, call: &InstData, args: &[Operand], entry: &Entry) -> Result<(), CodegenError> {
    let operands = Operands::of(args, entry)?;
    let (row, bytes) = (entry.row, entry.bytes);
    let mask = operands.mask.map(|mask| (cx.use_reg(mask, 0), mask_bytes(cx, mask)));
    let mut sources = [Reg::NONE; 2];
    for (source, operand) in sources.iter_mut().zip([operands.first, operands.second]) {
        if let Some(operand) = operand {
            *source = cx.use_reg(operand, 0);
        }
    }
    let is_masked = mask.is_some();
    if let Some(address) = operands.address {
        let base = cx.use_reg(address, 0);
        fill_mask(cx, mask);
        cx.emit(evex_mem(row, bytes, is_masked, sources[0], Mem::base(base, 0)));
        return Ok(());
    }
    if let Kind::ToMask = entry.kind {
        let dst = cx.def(result(call), 0);
        fill_mask(cx, mask);
        let inst = evex(row, bytes, is_masked, [MASK, sources[0], sources[1]], operands.imm);
        cx.emit(inst.with_aux(operands.aux));
        from_mask(cx, dst, result_bytes(cx, call));
        return Ok(());
    }
    let overwritten = match operands.overwritten {
        None if is_masked => operands.kept,
        overwritten => overwritten,
    };
    if row.is_apart() {
        let before = overwritten.map(|operand| cx.use_reg(operand, 0));
        apart(cx, call, before, |cx, dst| {
            fill_mask(cx, mask);
            let inst = evex(row, bytes, is_masked, [dst, sources[0], sources[1]], operands.imm);
            cx.emit(inst.with_aux(operands.aux));
        });
        return Ok(());
    }
    let dst = match overwritten {
        Some(operand) => {
            let before = cx.use_last(operand, 0);
            cx.def_reuse(result(call), 0, before)
        }
        None => cx.def(result(call), 0),
    };
    fill_mask(cx, mask);
    let inst = evex(row, bytes, is_masked, [dst, sources[0], sources[1]], operands.imm);
    cx.emit(inst.with_aux(operands.aux));
    Ok(())
}

/// Emits instructions whose result is in another register than all operands, and holds these contents before.
fn apart<C: LowerCtx>(cx: &mut C, call: &InstData, before: Option<Reg>, emit: impl FnOnce(&mut C, Reg)) {
    let dst = cx.def(result(call), 0);
    let bytes = wide::bytes(cx.func().types(), cx.func().value(result(call)).ty);
    cx.begin_group(GroupKind::Plain);
    if let Some(before) = before {
        cx.emit(match bytes {
            0 => rr(Op::MovapRR, 4, dst, before),
            bytes => wide::mov(bytes, dst, before),
        });
    }
    emit(cx, dst);
    cx.end_group();
}

/// How many bytes a mask has at least; one without a type is a constant.
fn mask_bytes<C: LowerCtx>(cx: &C, mask: Operand) -> u8 {
    let ty = cx.func().operand_type(mask);
    let bits = ty.and_then(|ty| cx.func().types().int_bits(ty)).unwrap_or(64);
    bits.div_ceil(8).min(8) as u8
}

fn result_bytes<C: LowerCtx>(cx: &C, call: &InstData) -> u8 {
    mask_bytes(cx, Operand::value(result(call)))
}

fn fill_mask<C: LowerCtx>(cx: &mut C, mask: Option<(Reg, u8)>) {
    if let Some((bits, bytes)) = mask {
        to_mask(cx, bits, bytes);
    }
}

/// Moves an integer into the mask register.
fn to_mask<C: LowerCtx>(cx: &mut C, bits: Reg, bytes: u8) {
    let row = match bytes {
        1 if cx.view().features.has(features::AVX512DQ) => Evex::KmovbKR,
        ..=2 => Evex::KmovwKR,
        3..=4 => Evex::KmovdKR,
        _ => Evex::KmovqKR,
    };
    cx.emit(evex(row, VECTOR_BYTES, false, [MASK, bits, Reg::NONE], 0));
}

/// Moves the mask register to a general one; what is above the mask is zero.
fn from_mask<C: LowerCtx>(cx: &mut C, dst: Reg, bytes: u8) {
    let row = match bytes {
        ..=2 => Evex::KmovwRK,
        3..=4 => Evex::KmovdRK,
        _ => Evex::KmovqRK,
    };
    cx.emit(evex(row, VECTOR_BYTES, false, [dst, MASK, Reg::NONE], 0));
}

/// Counts beyond the lanes' width give their signs.
fn shift_right<C: LowerCtx>(cx: &mut C, call: &InstData, args: &[Operand], bytes: u8) {
    if let Some(count) = args[1].as_imm() {
        let src = cx.use_reg(args[0], 0);
        let dst = cx.def(result(call), 0);
        let count = (count as u32).min(255).cast_signed();
        return cx.emit(evex(Evex::VpsraqI, bytes, false, [dst, src, Reg::NONE], count));
    }
    let general = cx.use_reg(args[1], 0);
    let src = cx.use_reg(args[0], 0);
    let count = cx.temp(RegClass::Float);
    let dst = cx.def(result(call), 0);
    cx.emit(rr(Op::MovdXR, 4, count, general));
    cx.emit(evex(Evex::Vpsraq, bytes, false, [dst, src, count], 0));
}

/// 1 if no bit is in both masks, or none in the second alone.
fn test_of_masks<C: LowerCtx>(cx: &mut C, call: &InstData, args: &[Operand], bytes: u8, is_second_alone: bool) {
    let second = cx.use_reg(args[1], 0);
    let first = cx.use_copy(args[0], 0);
    let dst = cx.def(result(call), 0);
    if is_second_alone {
        cx.emit(r(Op::NotR, 8, first));
    }
    cx.emit(rr(Op::TestRR, bytes, first, second));
    cx.emit(setcc(Cond::E, dst));
    cx.emit(rr(Op::MovzxBRR, 4, dst, dst));
}
