//! Intrinsics of the processor (`llvm.x86.*`): tables from names to instructions.
//!
//! Source: the names and operands are LLVM's (`IntrinsicsX86.td`), their meaning is that of the instruction in the
//! Intel manual, volume 2. An intrinsic whose instruction the function may not use is refused, as is one with a
//! constant operand that is none.

mod avx;
mod avx512;
mod by_lanes;
mod division;
mod evex;
mod kinds;
mod sse;

pub use division::division;

use super::super::result;
use super::{mask_register, temp};
use crate::build::*;
use crate::cond::Cond;
use crate::features;
use crate::regs::{LOWER, RAX, RCX, RDX, SCRATCH_FLOAT, XMM0};
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Mem, PRegSet, RegClass};
use frazil_ir::{InstData, Operand, Refusal};
use kinds::{Kind, Needed, Parity, StringResult};
use sse::{aes, former, sse, sse2, sse3, sse41, sse42, ssse3};

/// Lowers a call of an intrinsic; `false` if it is not in the table.
pub fn lower<C: LowerCtx>(cx: &mut C, name: &str, call: &InstData) -> Result<bool, CodegenError> {
    if let Some(access) = name.strip_prefix("llvm.masked.") {
        return Ok(match mask_register::is_available(cx.view().features) {
            true => evex::masked(cx, access, call),
            false => by_lanes::masked(cx, call),
        });
    }
    let Some(name) = name.strip_prefix("llvm.x86.") else {
        return Ok(false);
    };
    if let Some(entry) = find_evex(name) {
        if !entry.is_available(cx.view().features) {
            return Err(unavailable(name));
        }
        evex::lower(cx, call, entry)?;
        return Ok(true);
    }
    let Some((needed, kind)) = find(name) else {
        return Ok(false);
    };
    if needed.is_some_and(|feature| !cx.view().features.has(feature)) {
        return Err(unavailable(name));
    }
    let args = cx.func().call(call).args.to_vec();
    match kind {
        Kind::Compare(row, size, is_swapped, cond, parity) => {
            compare(cx, call, &args, (row, size, is_swapped), cond, parity);
        }
        Kind::Strings(row, has_lengths, wanted) => strings(cx, call, &args, (row, has_lengths), wanted)?,
        Kind::Bare(row) => cx.emit(none(row, 8)),
        Kind::Clearing(row, bytes) => {
            cx.claim(PRegSet::of(&LOWER).minus(PRegSet::of(&[SCRATCH_FLOAT])));
            cx.emit(none(row, bytes));
        }
        Kind::Memory(row) => {
            let mem = address(cx, args[0]);
            cx.emit(m(row, 4, mem));
        }
        Kind::Load(row) => {
            let mem = address(cx, args[0]);
            let dst = cx.def(result(call), 0);
            cx.emit(rm(row, 16, dst, mem));
        }
        Kind::Store(row, size) => {
            let mem = address(cx, args[0]);
            let src = cx.use_reg(args[1], 0);
            cx.emit(mr(row, size, mem, src));
        }
        kind => registers(cx, call, &args, kind)?,
    }
    Ok(true)
}

fn unavailable(name: &str) -> CodegenError {
    CodegenError::unsupported(
        Refusal::Intrinsic,
        format!("intrinsic llvm.x86.{name} in a function that may not use its instruction"),
    )
}

/// An intrinsic on vectors as wide as they are, by what its name has after `llvm.x86.`.
fn find_evex(name: &str) -> Option<evex::Entry> {
    let (set, rest) = name.split_once('.')?;
    evex::find(set, rest)
}

fn address<C: LowerCtx>(cx: &mut C, pointer: Operand) -> Mem {
    let base = cx.use_reg(pointer, 0);
    Mem::base(base, 0)
}

/// A constant operand.
fn byte(args: &[Operand], index: usize) -> Result<i32, CodegenError> {
    let value = args.get(index).and_then(|arg| arg.as_imm());
    let value = value
        .ok_or_else(|| CodegenError::unsupported(Refusal::Intrinsic, "an intrinsic's operand that is no constant"))?;
    Ok(i32::from(value as u8))
}

/// What computes a vector or a number from registers.
fn registers<C: LowerCtx>(cx: &mut C, call: &InstData, args: &[Operand], kind: Kind) -> Result<(), CodegenError> {
    match kind {
        Kind::Binary(row, size) => {
            let right = cx.use_reg(args[1], 0);
            let left = cx.use_last(args[0], 0);
            let dst = cx.def_reuse(result(call), 0, left);
            cx.emit(rr(row, size, dst, right));
        }
        Kind::Three(row) => three(cx, call, args, row, 16),
        Kind::ThreeSized(row, size) => three(cx, call, args, row, size),
        Kind::ThreeImm(row, size) => {
            let imm = byte(args, 2)?;
            let (left, right) = (cx.use_reg(args[0], 0), cx.use_reg(args[1], 0));
            let dst = cx.def(result(call), 0);
            cx.emit(rrri(row, size, dst, left, right, imm));
        }
        Kind::Fused(row, size) => {
            let (factor, addend) = (cx.use_reg(args[1], 0), cx.use_reg(args[2], 0));
            let first = cx.use_last(args[0], 0);
            let dst = cx.def_reuse(result(call), 0, first);
            cx.emit(rrr(row, size, dst, factor, addend));
        }
        Kind::BinaryImm(row @ (Op::CmppRRI | Op::CmpsRRI), size) if byte(args, 2)? > OLD_PREDICATES => {
            later_predicate(cx, call, args, row, size)?;
        }
        Kind::BinaryImm(row, size) => {
            let imm = byte(args, 2)?;
            let right = cx.use_reg(args[1], 0);
            let left = cx.use_last(args[0], 0);
            let dst = cx.def_reuse(result(call), 0, left);
            cx.emit(rri(row, size, dst, right, imm));
        }
        Kind::Unary(row, size) => {
            let src = cx.use_reg(args[0], 0);
            let dst = cx.def(result(call), 0);
            cx.emit(rr(row, size, dst, src));
        }
        Kind::UnaryImm(row, size) => {
            let imm = byte(args, 1)?;
            let src = cx.use_reg(args[0], 0);
            let dst = cx.def(result(call), 0);
            cx.emit(rri(row, size, dst, src, imm));
        }
        Kind::LowUnary(row, size) => {
            let src = cx.use_last(args[0], 0);
            let dst = cx.def_reuse(result(call), 0, src);
            cx.emit(rr(row, size, dst, dst));
        }
        Kind::IntoLow(row, size, lane) => into_low(cx, call, args, lane, |dst, src| rr(row, size, dst, src)),
        Kind::IntoLowImm(row, size, lane) => {
            let imm = byte(args, 2)?;
            into_low(cx, call, args, lane, |dst, src| rri(row, size, dst, src, imm));
        }
        Kind::ShiftBytes(row, per_byte) => {
            let count = args.get(1).and_then(|arg| arg.as_imm());
            let count = count.ok_or_else(|| {
                CodegenError::unsupported(Refusal::Intrinsic, "an intrinsic's operand that is no constant")
            })?;
            // As an unsigned number; too many bytes leave nothing.
            let bytes = (count as u32 / per_byte).min(255);
            let src = cx.use_last(args[0], 0);
            let dst = cx.def_reuse(result(call), 0, src);
            cx.emit(ri(row, 16, dst, bytes.cast_signed()));
        }
        Kind::Shift(by_constant, by_register) => shift(cx, call, args, by_constant, by_register),
        Kind::Test(row, cond) => {
            let (left, right) = (cx.use_reg(args[0], 0), cx.use_reg(args[1], 0));
            let dst = cx.def(result(call), 0);
            cx.emit(rr(row, 16, left, right));
            cx.emit(setcc(cond, dst));
            cx.emit(rr(Op::MovzxBRR, 4, dst, dst));
        }
        Kind::Blend(row) => {
            cx.use_fixed(args[2], 0, XMM0);
            let right = cx.use_reg(args[1], 0);
            let left = cx.use_last(args[0], 0);
            let dst = cx.def_reuse(result(call), 0, left);
            cx.emit(rr(row, 16, dst, right));
        }
        _ => return Err(CodegenError::unsupported(Refusal::Intrinsic, "an intrinsic")),
    }
    Ok(())
}

/// The last of the predicates of comparisons that instructions without a VEX prefix know.
const OLD_PREDICATES: i32 = 7;

fn later_predicate<C: LowerCtx>(
    cx: &mut C,
    call: &InstData,
    args: &[Operand],
    row: Op,
    size: u8,
) -> Result<(), CodegenError> {
    if !cx.view().features.has(features::AVX) {
        return Err(CodegenError::unsupported(
            Refusal::Intrinsic,
            "a predicate of AVX in a function that may not use it",
        ));
    }
    let row = match row {
        Op::CmppRRI => Op::VcmppRRRI,
        _ => Op::VcmpsRRRI,
    };
    registers(cx, call, args, Kind::ThreeImm(row, size))
}

fn three<C: LowerCtx>(cx: &mut C, call: &InstData, args: &[Operand], row: Op, size: u8) {
    let (left, right) = (cx.use_reg(args[0], 0), cx.use_reg(args[1], 0));
    let dst = cx.def(result(call), 0);
    cx.emit(rrr(row, size, dst, left, right));
}

fn into_low<C: LowerCtx>(
    cx: &mut C,
    call: &InstData,
    args: &[Operand],
    lane: u8,
    make: impl FnOnce(frazil_codegen::Reg, frazil_codegen::Reg) -> frazil_codegen::MInst,
) {
    let src = cx.use_reg(args[args.len().min(2) - 1], 0);
    let computed = temp(cx);
    let kept = cx.use_last(args[0], 0);
    let dst = cx.def_reuse(result(call), 0, kept);
    cx.emit(make(computed, src));
    cx.emit(rr(Op::MovsRR, lane, dst, computed));
}

/// Counts beyond the lanes' width give what the instructions make of them.
fn shift<C: LowerCtx>(cx: &mut C, call: &InstData, args: &[Operand], by_constant: Op, by_register: Op) {
    if let Some(count) = args[1].as_imm() {
        let src = cx.use_last(args[0], 0);
        let dst = cx.def_reuse(result(call), 0, src);
        cx.emit(ri(by_constant, 16, dst, (count as u32).min(255).cast_signed()));
        return;
    }
    let general = cx.use_reg(args[1], 0);
    let count = temp(cx);
    let src = cx.use_last(args[0], 0);
    let dst = cx.def_reuse(result(call), 0, src);
    cx.emit(rr(Op::MovdXR, 4, count, general));
    cx.emit(rr(by_register, 16, dst, count));
}

fn compare<C: LowerCtx>(
    cx: &mut C,
    call: &InstData,
    args: &[Operand],
    (row, size, is_swapped): (Op, u8, bool),
    cond: Cond,
    parity: Parity,
) {
    let (left, right) = if is_swapped {
        (args[1], args[0])
    } else {
        (args[0], args[1])
    };
    let (left, right) = (cx.use_reg(left, 0), cx.use_reg(right, 0));
    let dst = cx.def(result(call), 0);
    let ordered = cx.temp(RegClass::Int);
    cx.emit(rr(row, size, left, right));
    cx.emit(setcc(cond, dst));
    match parity {
        Parity::Ignored => {}
        Parity::Clears => {
            cx.emit(setcc(Cond::Np, ordered));
            cx.emit(rr(Op::AndRR, 4, dst, ordered));
        }
        Parity::Sets => {
            cx.emit(setcc(Cond::P, ordered));
            cx.emit(rr(Op::OrRR, 4, dst, ordered));
        }
    }
    cx.emit(rr(Op::MovzxBRR, 4, dst, dst));
}

/// Operands: vector, vector, constant; with lengths: vector, length, vector, length, constant.
fn strings<C: LowerCtx>(
    cx: &mut C,
    call: &InstData,
    args: &[Operand],
    (row, has_lengths): (Op, bool),
    wanted: StringResult,
) -> Result<(), CodegenError> {
    let imm = byte(args, if has_lengths { 4 } else { 2 })?;
    let second = if has_lengths { 2 } else { 1 };
    if has_lengths {
        cx.use_fixed(args[1], 0, RAX);
        cx.use_fixed(args[3], 0, RDX);
    }
    let written = if wanted == StringResult::Mask { XMM0 } else { RCX };
    cx.claim(PRegSet::of(&[written]));
    let (left, right) = (cx.use_reg(args[0], 0), cx.use_reg(args[second], 0));
    match wanted {
        StringResult::Index | StringResult::Mask => {
            cx.emit(rri(row, 16, left, right, imm));
            cx.def_fixed(result(call), 0, written);
        }
        StringResult::Flag(cond) => {
            let dst = cx.def(result(call), 0);
            cx.emit(rri(row, 16, left, right, imm));
            cx.emit(setcc(cond, dst));
            cx.emit(rr(Op::MovzxBRR, 4, dst, dst));
        }
    }
    Ok(())
}

fn find(name: &str) -> Option<(Needed, Kind)> {
    if let Some(kind) = former(name) {
        return Some(kind);
    }
    let (set, rest) = name.split_once('.').unwrap_or((name, ""));
    Some(match set {
        "sse" => (None, sse(rest)?),
        "sse2" => (None, sse2(rest)?),
        "sse3" => (Some(features::SSE3), sse3(rest)?),
        "ssse3" => (Some(features::SSSE3), ssse3(rest.strip_suffix(".128")?)?),
        "sse41" => (Some(features::SSE4_1), sse41(rest)?),
        "sse42" => sse42(rest)?,
        "aesni" => match rest.strip_suffix(".256").or(rest.strip_suffix(".512")) {
            Some(rest) => (Some(features::VAES), aes(rest)?),
            None => (Some(features::AES), aes(rest)?),
        },
        "pclmulqdq" if matches!(rest, "256" | "512") => {
            (Some(features::VPCLMULQDQ), Kind::BinaryImm(Op::PclmulqdqRRI, 16))
        }
        "pclmulqdq" => (Some(features::PCLMUL), Kind::BinaryImm(Op::PclmulqdqRRI, 16)),
        "avx512" => return avx512::find(rest),
        _ => return avx::find(set, rest),
    })
}
