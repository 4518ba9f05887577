//! Loads and stores of every width, block operations, prefetches.
//!
//! Memory holds an integer of an odd width zero-extended to whole bytes, as LLVM's stores leave it. Accesses need not
//! be aligned, but where a function says that they must (`+strict-align`); then pieces of the alignment are accessed.

use super::{any_float_bytes, extended, int_bits, result, size_of_bits, use_int};
use crate::build::*;
use crate::features::STRICT_ALIGN;
use crate::regs::{SCRATCH, SCRATCH_FLOAT, XZR, x};
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, ImmKind, LowerCtx, Mem, PRegSet, Reg, RegClass, Src};
use frazil_ir::{ConstView, InstData, MemFlags, Opcode, Operand, Refusal, RuntimeFunction, Type};

/// Copies and fills of up to this many bytes are done in line.
const MAX_INLINE_BYTES: u32 = 128;

/// A memory operand some bytes further. Displacements were checked for the whole access by `use_addr`.
pub(super) fn at(mem: Mem, bytes: u32) -> Mem {
    mem.offset(bytes.cast_signed()).unwrap_or(mem)
}

/// The largest power of two that all pieces of an access may have.
pub(super) fn largest_piece<C: LowerCtx>(cx: &C, data: &InstData) -> u32 {
    if cx.view().features.has(STRICT_ALIGN) {
        1 << MemFlags(data.flags).align_log2().min(4)
    } else {
        16
    }
}

/// The row and size that load 1, 2, 4 or 8 bytes zero-extended.
fn zero_extending(bytes: u32) -> (Op, u8) {
    match bytes {
        1 => (Op::LdrUb, 4),
        2 => (Op::LdrUh, 4),
        4 => (Op::LdrUw, 8),
        _ => (Op::Ldr, 8),
    }
}

/// Lowers plain loads.
pub fn load<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (bits, float) = (int_bits(cx, data.ty), any_float_bytes(data.ty));
    if bits == 0 && float == 0 {
        let refusal = Refusal::of_type(cx.func().types(), data.ty);
        return Err(CodegenError::unsupported(refusal, "a load of a vector"));
    }
    let piece = largest_piece(cx, data);
    if float > 0 {
        return load_float(cx, data, float, piece);
    }
    let bytes = bits.div_ceil(8);
    let mem = cx.use_addr(data.a, 16);
    // The base may be the register of the result: the last piece is loaded first to a register of the rule.
    let low = cx.def(result(data), 0);
    if bytes <= 8 {
        load_bytes(cx, low, mem, bytes, piece);
        return Ok(());
    }
    let high = cx.def(result(data), 1);
    load_bytes(cx, low, mem, 8, piece);
    load_bytes(cx, high, at(mem, 8), bytes - 8, piece);
    Ok(())
}

fn load_float<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8, piece: u32) -> Result<(), CodegenError> {
    if piece >= u32::from(bytes) {
        let mem = cx.use_addr(data.a, 16);
        let dst = cx.def(result(data), 0);
        cx.emit(rm(Op::LdrF, bytes, dst, mem));
        return Ok(());
    }
    if bytes > 8 {
        let refusal = Refusal::of_type(cx.func().types(), data.ty);
        return Err(CodegenError::unsupported(
            refusal,
            "a load of fp128 that is not aligned, where accesses must be",
        ));
    }
    let mem = cx.use_addr(data.a, 16);
    let bits = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    load_bytes(cx, bits, mem, bytes.into(), piece);
    cx.emit(rr(Op::FmovFromInt, bytes.max(4), dst, bits));
    Ok(())
}

/// Loads 1 to 8 bytes zero-extended, in pieces of powers of two. `dst` differs from the registers of `mem`.
pub(super) fn load_bytes<C: LowerCtx>(cx: &mut C, dst: Reg, mem: Mem, bytes: u32, largest: u32) {
    let piece = (1 << bytes.ilog2()).min(largest);
    let (op, size) = zero_extending(piece);
    if piece == bytes {
        cx.emit(rm(op, size, dst, mem));
        return;
    }
    // From the top down: each lower piece is put below what is there.
    load_bytes(cx, dst, at(mem, piece), bytes - piece, largest);
    cx.emit(rm(op, size, SCRATCH, mem));
    cx.emit(shifted(Op::Orr, 8, (dst, SCRATCH, dst), Shift::Lsl, piece * 8));
}

/// Lowers the extension of a loaded integer; the load is folded.
pub(super) fn load_extended<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    load: &InstData,
    signed: bool,
) -> Result<(), CodegenError> {
    let (from, to) = (int_bits(cx, load.ty), int_bits(cx, data.ty));
    let (bytes, size) = (from / 8, size_of_bits(to));
    let piece = largest_piece(cx, load);
    // What is loaded may be in a register after all.
    let mem = match cx.use_src(data.a, 0, ImmKind::None) {
        Src::Mem(mem) => mem,
        Src::Reg(src) => {
            let dst = cx.def(result(data), 0);
            super::extend(cx, dst, src, from, signed, size);
            return Ok(());
        }
        Src::Imm(_) => unreachable!("not asked for"),
    };
    let dst = cx.def(result(data), 0);
    if piece < bytes {
        load_bytes(cx, dst, mem, bytes, piece);
        super::extend(cx, dst, dst, from, signed, size);
        return Ok(());
    }
    let op = match (bytes, signed) {
        (1, true) => Op::LdrSb,
        (2, true) => Op::LdrSh,
        (4, true) if size == 8 => Op::LdrSw,
        _ => {
            let (op, size) = zero_extending(bytes);
            cx.emit(rm(op, size, dst, mem));
            return Ok(());
        }
    };
    cx.emit(rm(op, size, dst, mem));
    Ok(())
}

/// Lowers plain stores.
pub fn store<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (bits, float) = (int_bits(cx, data.ty), any_float_bytes(data.ty));
    if bits == 0 && float == 0 {
        let refusal = Refusal::of_type(cx.func().types(), data.ty);
        return Err(CodegenError::unsupported(refusal, "a store of a vector"));
    }
    let piece = largest_piece(cx, data);
    if float > 0 {
        return store_float(cx, data, float, piece);
    }
    let bytes = bits.div_ceil(8);
    if bits > 64 {
        let low = use_int(cx, data.a, 0);
        let high = if bits.is_multiple_of(8) {
            use_int(cx, data.a, 1)
        } else {
            let src = use_int(cx, data.a, 1);
            let temp = cx.temp(RegClass::Int);
            super::extend(cx, temp, src, bits - 64, false, 8);
            temp
        };
        let mem = cx.use_addr(data.b, 16);
        store_bytes(cx, low, mem, 8, piece);
        store_bytes(cx, high, at(mem, 8), bytes - 8, piece);
        return Ok(());
    }
    let value = if bits.is_multiple_of(8) {
        use_int(cx, data.a, 0)
    } else {
        extended(cx, data.a, bits, false, size_of_bits(bits))
    };
    let mem = cx.use_addr(data.b, 16);
    store_bytes(cx, value, mem, bytes, piece);
    Ok(())
}

fn store_float<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8, piece: u32) -> Result<(), CodegenError> {
    if bytes <= 8 && is_zero(cx, data.a) {
        let mem = cx.use_addr(data.b, 16);
        store_bytes(cx, XZR, mem, bytes.into(), piece);
        return Ok(());
    }
    let value = cx.use_reg(data.a, 0);
    if piece >= u32::from(bytes) {
        let mem = cx.use_addr(data.b, 16);
        cx.emit(rm(Op::StrF, bytes, value, mem));
        return Ok(());
    }
    if bytes > 8 {
        let refusal = Refusal::of_type(cx.func().types(), data.ty);
        return Err(CodegenError::unsupported(
            refusal,
            "a store of fp128 that is not aligned, where accesses must be",
        ));
    }
    let mem = cx.use_addr(data.b, 16);
    let bits = cx.temp(RegClass::Int);
    cx.emit(rr(Op::FmovToInt, bytes.max(4), bits, value));
    store_bytes(cx, bits, mem, bytes.into(), piece);
    Ok(())
}

/// Whether a float is the constant zero, without sign.
fn is_zero<C: LowerCtx>(cx: &C, operand: Operand) -> bool {
    let constant = operand.as_const().map(|id| cx.func().constant(id).1);
    match constant {
        Some(ConstView::Float(words)) => words.iter().all(|&word| word == 0),
        Some(ConstView::Zero) => true,
        _ => false,
    }
}

/// Stores the low 1 to 8 bytes of a register, which stays as it is.
pub(super) fn store_bytes<C: LowerCtx>(cx: &mut C, value: Reg, mem: Mem, bytes: u32, largest: u32) {
    let mut done = 0;
    while done < bytes {
        let piece = (1 << (bytes - done).ilog2()).min(largest);
        let from = match (done, value) {
            (0, _) | (_, XZR) => value,
            _ => {
                cx.emit(shr(false, 8, SCRATCH, value, done * 8));
                SCRATCH
            }
        };
        cx.emit(rm(Op::Str, piece as u8, from, at(mem, done)));
        done += piece;
    }
}

/// Lowers memcpy, memmove and memset: in line when short and of known length, else by call.
pub fn block<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (second, len) = cx.func().ternary(data);
    let known = len
        .as_imm()
        .and_then(|len| u32::try_from(len).ok())
        .filter(|&len| len <= MAX_INLINE_BYTES && !cx.view().features.has(STRICT_ALIGN));
    match (data.op, known) {
        (_, Some(0)) => Ok(()),
        (Opcode::MemCopy, Some(len)) => {
            let dst = cx.use_addr(data.a, len);
            let src = cx.use_addr(second, len);
            copy_inline(cx, dst, src, len);
            Ok(())
        }
        (Opcode::MemMove, Some(len)) if len <= 16 && len.is_power_of_two() => {
            let dst = cx.use_addr(data.a, len);
            let src = cx.use_addr(second, len);
            copy_inline(cx, dst, src, len);
            Ok(())
        }
        (Opcode::MemSet, Some(len)) => {
            fill_inline(cx, data.a, second, len);
            Ok(())
        }
        _ => block_by_call(cx, data, second, len),
    }
}

fn block_by_call<C: LowerCtx>(cx: &mut C, data: &InstData, second: Operand, len: Operand) -> Result<(), CodegenError> {
    let (function, second_ty) = match data.op {
        Opcode::MemCopy => (RuntimeFunction::Memcpy, Type::PTR),
        Opcode::MemMove => (RuntimeFunction::Memmove, Type::PTR),
        _ => (RuntimeFunction::Memset, Type::I8),
    };
    // The callee takes 64 bits.
    let (bits, ty) = (int_bits(cx, data.ty), data.ty);
    if bits > 64 {
        return Err(CodegenError::unsupported(
            Refusal::WideInteger,
            "a block length of more than 64 bits",
        ));
    }
    let ty = if len.as_imm().is_some() { Type::I64 } else { ty };
    if ty == data.ty && bits < 64 {
        return Err(CodegenError::unsupported(
            Refusal::Instruction,
            format!("a block length of {bits} bits"),
        ));
    }
    cx.call_runtime(function, &[(data.a, Type::PTR), (second, second_ty), (len, ty)], None)
}

/// Copies by the scratch registers, 16 bytes at a time.
fn copy_inline<C: LowerCtx>(cx: &mut C, dst: Mem, src: Mem, len: u32) {
    let (mut done, mut rest) = (0, len);
    while rest > 0 {
        let piece = (1 << rest.ilog2()).min(16u32);
        let (from, to) = (at(src, done), at(dst, done));
        if piece == 16 {
            cx.emit(rm(Op::LdrF, 16, SCRATCH_FLOAT, from));
            cx.emit(rm(Op::StrF, 16, SCRATCH_FLOAT, to));
        } else {
            cx.emit(rm(Op::Ldr, piece as u8, SCRATCH, from));
            cx.emit(rm(Op::Str, piece as u8, SCRATCH, to));
        }
        done += piece;
        rest -= piece;
    }
}

/// What [`block_copy`] claims: registers that no convention passes anything in.
const FROM: Reg = x(10);
const TO: Reg = x(11);
const COUNT: Reg = x(12);

/// Registers that [`block_copy`] writes.
pub fn block_copy_claims(size: u32) -> PRegSet {
    if size > MAX_INLINE_BYTES {
        PRegSet::of(&[FROM, TO, COUNT])
    } else {
        PRegSet::EMPTY
    }
}

/// Copies memory that does not overlap; see `Isa::block_copy`.
pub fn block_copy<C: LowerCtx>(cx: &mut C, dst: Mem, src: Mem, size: u32) {
    if size <= MAX_INLINE_BYTES {
        copy_inline(cx, dst, src, size);
        return;
    }
    cx.emit(address(FROM, src));
    cx.emit(address(TO, dst));
    cx.emit(mov_imm(4, COUNT, i64::from(size / 16)));
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    cx.bind(again);
    cx.emit(rm(Op::LdrF, 16, SCRATCH_FLOAT, Mem::base(FROM, 0)));
    cx.emit(rm(Op::StrF, 16, SCRATCH_FLOAT, Mem::base(TO, 0)));
    cx.emit(rri(Op::AddI, 8, FROM, FROM, 16));
    cx.emit(rri(Op::AddI, 8, TO, TO, 16));
    cx.emit(rri(Op::SubI, 4, COUNT, COUNT, 1));
    cx.emit(branch_if_zero(false, 4, COUNT, again));
    cx.end_group();
    copy_inline(cx, Mem::base(TO, 0), Mem::base(FROM, 0), size % 16);
}

fn fill_inline<C: LowerCtx>(cx: &mut C, dst: Operand, byte: Operand, len: u32) {
    let pattern = match byte.as_imm() {
        Some(imm) if imm as u8 == 0 => XZR,
        Some(imm) => {
            let pattern = cx.temp(RegClass::Int);
            let word = u64::from_le_bytes([imm as u8; 8]);
            cx.emit(mov_imm(8, pattern, word.cast_signed()));
            pattern
        }
        None => {
            let byte = cx.use_reg(byte, 0);
            let pattern = cx.temp(RegClass::Int);
            cx.emit(rr(Op::Uxtb, 4, pattern, byte));
            cx.emit(mov_imm(8, SCRATCH, 0x0101_0101_0101_0101));
            cx.emit(rrr(Op::Mul, 8, pattern, pattern, SCRATCH));
            pattern
        }
    };
    let dst = cx.use_addr(dst, len);
    let (mut done, mut rest) = (0, len);
    let largest = if pattern == XZR { 16 } else { 8 };
    if rest >= largest && pattern == XZR {
        cx.emit(r(Op::MoviZero, 16, SCRATCH_FLOAT));
    }
    while rest > 0 {
        let piece = (1 << rest.ilog2()).min(largest);
        let to = at(dst, done);
        cx.emit(match piece {
            16 => rm(Op::StrF, 16, SCRATCH_FLOAT, to),
            piece => rm(Op::Str, piece as u8, pattern, to),
        });
        done += piece;
        rest -= piece;
    }
}

/// Lowers a prefetch (Arm ARM, PRFM): bits 3 and 4 say whether of data, instructions or for a store, bits 1 and 2 the
/// level of the cache, bit 0 whether it is used once only.
pub fn prefetch<C: LowerCtx>(cx: &mut C, data: &InstData) {
    const WRITE: u16 = 1;
    const OF_DATA: u16 = 8;
    let mem = cx.use_addr(data.a, 0);
    let kind = match data.flags & (OF_DATA | WRITE) {
        0 | WRITE => 1,
        OF_DATA => 0,
        _ => 2,
    };
    let locality = i32::from(data.flags >> 1 & 3);
    let (level, streams) = if locality == 0 { (0, 1) } else { (3 - locality, 0) };
    let hint = kind << 3 | level << 1 | streams;
    cx.emit(rm(Op::Prfm, 8, Reg::NONE, mem).with_imm(hint));
}
