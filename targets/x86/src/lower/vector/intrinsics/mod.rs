//! Intrinsics of the processor (`llvm.x86.*`): a table from names to instructions.
//!
//! Source: the names and operands are LLVM's (`IntrinsicsX86.td`), their meaning is that of the instruction in the
//! Intel manual, volume 2. An intrinsic whose instruction the function may not use is refused, as is one with a
//! constant operand that is none.

use super::super::result;
use super::temp;
use crate::build::*;
use crate::cond::Cond;
use crate::features;
use crate::regs::{RAX, RCX, RDX, XMM0};
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Mem, PRegSet, RegClass};
use frazil_ir::{InstData, Operand, Refusal};

/// How an intrinsic becomes an instruction. Rows come with their size.
#[derive(Clone, Copy)]
enum Kind {
    /// No operands, no result.
    Bare(Op),
    /// The result is written over the first operand.
    Binary(Op, u8),
    /// The same with a constant third operand.
    BinaryImm(Op, u8),
    /// The result is new.
    Unary(Op, u8),
    /// The same with a constant second operand.
    UnaryImm(Op, u8),
    /// One operand, whose upper lanes the result keeps.
    LowUnary(Op, u8),
    /// Computed from the last operand, and put into the lowest lane (of this size) of the first one.
    IntoLow(Op, u8, u8),
    /// The same with a constant third operand.
    IntoLowImm(Op, u8, u8),
    /// A shift by an `i32`: rows for a constant and for a count in a register.
    Shift(Op, Op),
    /// A comparison of the lowest lanes to 0 or 1: the row's size, whether operands are swapped, the condition, and
    /// what the parity flag must be besides or instead.
    Compare(Op, u8, bool, Cond, Parity),
    /// `ptest` and the condition that is the result.
    Test(Cond),
    /// The third operand chooses, in the first register.
    Blend(Op),
    Load(Op),
    /// A store of the second operand to the address in the first one.
    Store(Op, u8),
    /// A shift of the whole vector by a constant, which counts so many to a byte.
    ShiftBytes(Op, u32),
    /// An instruction with a memory operand alone.
    Memory(Op),
    /// A string comparison: the row, whether lengths are explicit, and what of it is the result.
    Strings(Op, bool, StringResult),
}

/// What a comparison says of unordered operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parity {
    /// The condition alone decides.
    Ignored,
    /// Then the result is 0.
    Clears,
    /// Then the result is 1.
    Sets,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StringResult {
    Index,
    Mask,
    Flag(Cond),
}

/// A feature that the function must have, as a number in [`features`]; `None` for what all processors have.
type Needed = Option<u8>;

/// Lowers a call of an intrinsic; `false` if it is not in the table.
pub fn lower<C: LowerCtx>(cx: &mut C, name: &str, call: &InstData) -> Result<bool, CodegenError> {
    let Some(name) = name.strip_prefix("llvm.x86.") else {
        return Ok(false);
    };
    let Some((needed, kind)) = find(name) else {
        return Ok(false);
    };
    if needed.is_some_and(|feature| !cx.view().features.has(feature)) {
        return Err(CodegenError::unsupported(
            Refusal::Intrinsic,
            format!("intrinsic llvm.x86.{name} in a function that may not use its instruction"),
        ));
    }
    let args = cx.func().call(call).args.to_vec();
    match kind {
        Kind::Compare(row, size, is_swapped, cond, parity) => {
            compare(cx, call, &args, (row, size, is_swapped), cond, parity);
        }
        Kind::Strings(row, has_lengths, wanted) => strings(cx, call, &args, (row, has_lengths), wanted)?,
        Kind::Bare(row) => cx.emit(none(row, 8)),
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
        Kind::Test(cond) => {
            let (left, right) = (cx.use_reg(args[0], 0), cx.use_reg(args[1], 0));
            let dst = cx.def(result(call), 0);
            cx.emit(rr(Op::PtestRR, 16, left, right));
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
        "ssse3" => (Some(features::SSSE3), ssse3(rest)?),
        "sse41" => (Some(features::SSE4_1), sse41(rest)?),
        "sse42" => sse42(rest)?,
        "aesni" => (Some(features::AES), aes(rest)?),
        "pclmulqdq" => (Some(features::PCLMUL), Kind::BinaryImm(Op::PclmulqdqRRI, 16)),
        _ => return None,
    })
}

fn sse(name: &str) -> Option<Kind> {
    if let Some(kind) = low_comparison(name, ".ss", 4) {
        return Some(kind);
    }
    Some(match name {
        "cmp.ps" => Kind::BinaryImm(Op::CmppRRI, 4),
        "cmp.ss" => Kind::BinaryImm(Op::CmpsRRI, 4),
        "cvtss2si" => Kind::Unary(Op::Cvtss2siRR, 4),
        "cvtss2si64" => Kind::Unary(Op::Cvtss2siRR, 8),
        "cvttss2si" => Kind::Unary(Op::Cvttss2siRR, 4),
        "cvttss2si64" => Kind::Unary(Op::Cvttss2siRR, 8),
        "max.ps" => Kind::Binary(Op::MaxpRR, 4),
        "max.ss" => Kind::Binary(Op::MaxsRR, 4),
        "min.ps" => Kind::Binary(Op::MinpRR, 4),
        "min.ss" => Kind::Binary(Op::MinsRR, 4),
        "movmsk.ps" => Kind::Unary(Op::MovmskpRX, 4),
        "rcp.ps" => Kind::Unary(Op::RcppsRR, 16),
        "rcp.ss" => Kind::LowUnary(Op::RcpssRR, 4),
        "rsqrt.ps" => Kind::Unary(Op::RsqrtpsRR, 16),
        "rsqrt.ss" => Kind::LowUnary(Op::RsqrtssRR, 4),
        "ldmxcsr" => Kind::Memory(Op::LdmxcsrM),
        "stmxcsr" => Kind::Memory(Op::StmxcsrM),
        "sfence" => Kind::Bare(Op::Sfence),
        _ => return None,
    })
}

fn sse2(name: &str) -> Option<Kind> {
    if let Some(kind) = low_comparison(name, ".sd", 8) {
        return Some(kind);
    }
    Some(match name {
        "cmp.pd" => Kind::BinaryImm(Op::CmppRRI, 8),
        "cmp.sd" => Kind::BinaryImm(Op::CmpsRRI, 8),
        "cvtpd2dq" => Kind::Unary(Op::Cvtpd2dqRR, 16),
        "cvtpd2ps" => Kind::Unary(Op::Cvtpd2psRR, 16),
        "cvtps2dq" => Kind::Unary(Op::Cvtps2dqRR, 16),
        "cvttpd2dq" => Kind::Unary(Op::Cvttpd2dqRR, 16),
        "cvttps2dq" => Kind::Unary(Op::Cvttps2dqRR, 16),
        "cvtsd2si" => Kind::Unary(Op::Cvtsd2siRR, 4),
        "cvtsd2si64" => Kind::Unary(Op::Cvtsd2siRR, 8),
        "cvttsd2si" => Kind::Unary(Op::Cvttsd2siRR, 4),
        "cvttsd2si64" => Kind::Unary(Op::Cvttsd2siRR, 8),
        "cvtsd2ss" => Kind::IntoLow(Op::Cvtsd2ssRR, 8, 4),
        "max.pd" => Kind::Binary(Op::MaxpRR, 8),
        "max.sd" => Kind::Binary(Op::MaxsRR, 8),
        "min.pd" => Kind::Binary(Op::MinpRR, 8),
        "min.sd" => Kind::Binary(Op::MinsRR, 8),
        "movmsk.pd" => Kind::Unary(Op::MovmskpRX, 8),
        "pmovmskb.128" => Kind::Unary(Op::PmovmskbRX, 16),
        "packssdw.128" => Kind::Binary(Op::PackssdwRR, 16),
        "packsswb.128" => Kind::Binary(Op::PacksswbRR, 16),
        "packuswb.128" => Kind::Binary(Op::PackuswbRR, 16),
        "pavg.b" => Kind::Binary(Op::PavgbRR, 16),
        "pavg.w" => Kind::Binary(Op::PavgwRR, 16),
        "pmadd.wd" => Kind::Binary(Op::PmaddwdRR, 16),
        "pmulh.w" => Kind::Binary(Op::PmulhwRR, 16),
        "pmulhu.w" => Kind::Binary(Op::PmulhuwRR, 16),
        "psad.bw" => Kind::Binary(Op::PsadbwRR, 16),
        "psll.w" => Kind::Binary(Op::PsllwRR, 16),
        "psll.d" => Kind::Binary(Op::PslldRR, 16),
        "psll.q" => Kind::Binary(Op::PsllqRR, 16),
        "psrl.w" => Kind::Binary(Op::PsrlwRR, 16),
        "psrl.d" => Kind::Binary(Op::PsrldRR, 16),
        "psrl.q" => Kind::Binary(Op::PsrlqRR, 16),
        "psra.w" => Kind::Binary(Op::PsrawRR, 16),
        "psra.d" => Kind::Binary(Op::PsradRR, 16),
        "pslli.w" => Kind::Shift(Op::PsllwRI, Op::PsllwRR),
        "pslli.d" => Kind::Shift(Op::PslldRI, Op::PslldRR),
        "pslli.q" => Kind::Shift(Op::PsllqRI, Op::PsllqRR),
        "psrli.w" => Kind::Shift(Op::PsrlwRI, Op::PsrlwRR),
        "psrli.d" => Kind::Shift(Op::PsrldRI, Op::PsrldRR),
        "psrli.q" => Kind::Shift(Op::PsrlqRI, Op::PsrlqRR),
        "psrai.w" => Kind::Shift(Op::PsrawRI, Op::PsrawRR),
        "psrai.d" => Kind::Shift(Op::PsradRI, Op::PsradRR),
        "lfence" => Kind::Bare(Op::Lfence),
        "mfence" => Kind::Bare(Op::Mfence),
        "pause" => Kind::Bare(Op::Pause),
        _ => return None,
    })
}

/// What LLVM up to 8 had intrinsics for and makes of other operations now (`AutoUpgrade.cpp`).
fn former(name: &str) -> Option<(Needed, Kind)> {
    const BITS: u32 = 8;
    let everywhere = match name {
        "sse.add.ss" => Kind::Binary(Op::AddsRR, 4),
        "sse.sub.ss" => Kind::Binary(Op::SubsRR, 4),
        "sse.mul.ss" => Kind::Binary(Op::MulsRR, 4),
        "sse.div.ss" => Kind::Binary(Op::DivsRR, 4),
        "sse2.add.sd" => Kind::Binary(Op::AddsRR, 8),
        "sse2.sub.sd" => Kind::Binary(Op::SubsRR, 8),
        "sse2.mul.sd" => Kind::Binary(Op::MulsRR, 8),
        "sse2.div.sd" => Kind::Binary(Op::DivsRR, 8),
        "sse.sqrt.ss" => Kind::IntoLow(Op::SqrtsRR, 4, 4),
        "sse2.sqrt.sd" => Kind::IntoLow(Op::SqrtsRR, 8, 8),
        "sse.cvtsi2ss" => Kind::IntoLow(Op::Cvtsi2ssRR, 4, 4),
        "sse.cvtsi642ss" => Kind::IntoLow(Op::Cvtsi2ssRR, 8, 4),
        "sse2.cvtsi2sd" => Kind::IntoLow(Op::Cvtsi2sdRR, 4, 8),
        "sse2.cvtsi642sd" => Kind::IntoLow(Op::Cvtsi2sdRR, 8, 8),
        "sse2.cvtss2sd" => Kind::IntoLow(Op::Cvtss2sdRR, 4, 8),
        "sse2.cvtdq2pd" => Kind::Unary(Op::Cvtdq2pdRR, 16),
        "sse2.cvtps2pd" => Kind::Unary(Op::Cvtps2pdRR, 16),
        "sse2.pmulu.dq" => Kind::Binary(Op::PmuludqRR, 16),
        "sse2.pcmpeq.b" => Kind::Binary(Op::PcmpeqbRR, 16),
        "sse2.pcmpeq.w" => Kind::Binary(Op::PcmpeqwRR, 16),
        "sse2.pcmpeq.d" => Kind::Binary(Op::PcmpeqdRR, 16),
        "sse2.pcmpgt.b" => Kind::Binary(Op::PcmpgtbRR, 16),
        "sse2.pcmpgt.w" => Kind::Binary(Op::PcmpgtwRR, 16),
        "sse2.pcmpgt.d" => Kind::Binary(Op::PcmpgtdRR, 16),
        "sse2.pshuf.d" => Kind::UnaryImm(Op::PshufdRRI, 16),
        "sse2.pshufl.w" => Kind::UnaryImm(Op::PshuflwRRI, 16),
        "sse2.pshufh.w" => Kind::UnaryImm(Op::PshufhwRRI, 16),
        "sse2.psll.dq" => Kind::ShiftBytes(Op::PslldqRI, BITS),
        "sse2.psrl.dq" => Kind::ShiftBytes(Op::PsrldqRI, BITS),
        "sse2.psll.dq.bs" => Kind::ShiftBytes(Op::PslldqRI, 1),
        "sse2.psrl.dq.bs" => Kind::ShiftBytes(Op::PsrldqRI, 1),
        "sse.storeu.ps" => Kind::Store(Op::MovupMR, 4),
        "sse2.storeu.pd" => Kind::Store(Op::MovupMR, 8),
        "sse2.storeu.dq" => Kind::Store(Op::MovdquMR, 16),
        "sse2.storel.dq" => Kind::Store(Op::MovqMX, 8),
        "sse41.movntdqa" => return Some((Some(features::SSE4_1), Kind::Load(Op::MovntdqaRM))),
        _ => return None,
    };
    Some((None, everywhere))
}

/// `comieq.ss` and its kin: quiet (`ucomi`) or not, of the lowest lanes.
fn low_comparison(name: &str, suffix: &str, size: u8) -> Option<Kind> {
    let name = name.strip_suffix(suffix)?;
    let (row, relation) = match name.strip_prefix("ucomi") {
        Some(relation) => (Op::UcomisRR, relation),
        None => (Op::ComisRR, name.strip_prefix("comi")?),
    };
    // Carry is set for less, zero for equal, all of carry, zero and parity for unordered.
    let (is_swapped, cond, parity) = match relation {
        "eq" => (false, Cond::E, Parity::Clears),
        "neq" => (false, Cond::Ne, Parity::Sets),
        "gt" => (false, Cond::A, Parity::Ignored),
        "ge" => (false, Cond::Ae, Parity::Ignored),
        "lt" => (true, Cond::A, Parity::Ignored),
        "le" => (true, Cond::Ae, Parity::Ignored),
        _ => return None,
    };
    Some(Kind::Compare(row, size, is_swapped, cond, parity))
}

fn sse3(name: &str) -> Option<Kind> {
    Some(match name {
        "addsub.ps" => Kind::Binary(Op::AddsubpsRR, 16),
        "addsub.pd" => Kind::Binary(Op::AddsubpdRR, 16),
        "hadd.ps" => Kind::Binary(Op::HaddpsRR, 16),
        "hadd.pd" => Kind::Binary(Op::HaddpdRR, 16),
        "hsub.ps" => Kind::Binary(Op::HsubpsRR, 16),
        "hsub.pd" => Kind::Binary(Op::HsubpdRR, 16),
        "ldu.dq" => Kind::Load(Op::LddquRM),
        _ => return None,
    })
}

fn ssse3(name: &str) -> Option<Kind> {
    let row = match name.strip_suffix(".128")? {
        "phadd.w" => Op::PhaddwRR,
        "phadd.d" => Op::PhadddRR,
        "phadd.sw" => Op::PhaddswRR,
        "phsub.w" => Op::PhsubwRR,
        "phsub.d" => Op::PhsubdRR,
        "phsub.sw" => Op::PhsubswRR,
        "pmadd.ub.sw" => Op::PmaddubswRR,
        "pmul.hr.sw" => Op::PmulhrswRR,
        "pshuf.b" => Op::PshufbRR,
        "psign.b" => Op::PsignbRR,
        "psign.w" => Op::PsignwRR,
        "psign.d" => Op::PsigndRR,
        "pabs.b" => return Some(Kind::Unary(Op::PabsbRR, 16)),
        "pabs.w" => return Some(Kind::Unary(Op::PabswRR, 16)),
        "pabs.d" => return Some(Kind::Unary(Op::PabsdRR, 16)),
        _ => return None,
    };
    Some(Kind::Binary(row, 16))
}

fn sse41(name: &str) -> Option<Kind> {
    Some(match name {
        "blendvpd" => Kind::Blend(Op::BlendvpdRR),
        "blendvps" => Kind::Blend(Op::BlendvpsRR),
        "pblendvb" => Kind::Blend(Op::PblendvbRR),
        "dppd" => Kind::BinaryImm(Op::DppdRRI, 16),
        "dpps" => Kind::BinaryImm(Op::DppsRRI, 16),
        "insertps" => Kind::BinaryImm(Op::InsertpsRRI, 16),
        "mpsadbw" => Kind::BinaryImm(Op::MpsadbwRRI, 16),
        "packusdw" => Kind::Binary(Op::PackusdwRR, 16),
        "pmuldq" => Kind::Binary(Op::PmuldqRR, 16),
        "phminposuw" => Kind::Unary(Op::PhminposuwRR, 16),
        "ptestc" => Kind::Test(Cond::B),
        "ptestnzc" => Kind::Test(Cond::A),
        "ptestz" => Kind::Test(Cond::E),
        "round.ps" => Kind::UnaryImm(Op::RoundpsRRI, 16),
        "round.pd" => Kind::UnaryImm(Op::RoundpdRRI, 16),
        "round.ss" => Kind::IntoLowImm(Op::RoundssRRI, 4, 4),
        "round.sd" => Kind::IntoLowImm(Op::RoundsdRRI, 8, 8),
        _ => return None,
    })
}

fn sse42(name: &str) -> Option<(Needed, Kind)> {
    let crc = |row, size| Some((Some(features::SSE4_2), Kind::Binary(row, size)));
    match name {
        "crc32.32.8" => return crc(Op::Crc32BRR, 1),
        "crc32.32.16" => return crc(Op::Crc32WRR, 2),
        "crc32.32.32" => return crc(Op::Crc32RR, 4),
        "crc32.64.64" => return crc(Op::Crc32RR, 8),
        _ => {}
    }
    let (has_lengths, rest) = match name.strip_prefix("pcmpestr") {
        Some(rest) => (true, rest),
        None => (false, name.strip_prefix("pcmpistr")?),
    };
    let index = if has_lengths {
        Op::PcmpestriRRI
    } else {
        Op::PcmpistriRRI
    };
    let mask = if has_lengths {
        Op::PcmpestrmRRI
    } else {
        Op::PcmpistrmRRI
    };
    let (row, wanted) = match rest {
        "m128" => (mask, StringResult::Mask),
        "i128" => (index, StringResult::Index),
        "ia128" => (index, StringResult::Flag(Cond::A)),
        "ic128" => (index, StringResult::Flag(Cond::B)),
        "io128" => (index, StringResult::Flag(Cond::O)),
        "is128" => (index, StringResult::Flag(Cond::S)),
        "iz128" => (index, StringResult::Flag(Cond::E)),
        _ => return None,
    };
    Some((Some(features::SSE4_2), Kind::Strings(row, has_lengths, wanted)))
}

fn aes(name: &str) -> Option<Kind> {
    Some(match name {
        "aesenc" => Kind::Binary(Op::AesencRR, 16),
        "aesenclast" => Kind::Binary(Op::AesenclastRR, 16),
        "aesdec" => Kind::Binary(Op::AesdecRR, 16),
        "aesdeclast" => Kind::Binary(Op::AesdeclastRR, 16),
        "aesimc" => Kind::Unary(Op::AesimcRR, 16),
        "aeskeygenassist" => Kind::UnaryImm(Op::AeskeygenassistRRI, 16),
        _ => return None,
    })
}
