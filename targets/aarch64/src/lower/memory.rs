//! Loads and stores of every width, block operations, prefetches.
//!
//! Memory holds an integer of an odd width zero-extended to whole bytes, as LLVM's stores leave it. Accesses need not
//! be aligned, but where a function says that they must (`+strict-align`); then pieces of the alignment are accessed.

use super::{any_float_bytes, extended, folded, int_bits, result, size_of_bits, use_int};
use crate::build::*;
use crate::features::STRICT_ALIGN;
use crate::ops::aux;
use crate::regs::{SCRATCH, SCRATCH_FLOAT, XZR, x};
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, ImmKind, LowerCtx, MInst, Mem, PRegSet, Reg, RegClass, Src};
use frazil_ir::{ConstView, InstData, MemFlags, Opcode, Operand, Refusal, RuntimeFunction, Type};

/// Copies and fills of up to this many bytes are done in line.
const MAX_INLINE_BYTES: u32 = 128;

/// A memory operand some bytes further. Displacements were checked for the whole access by `use_addr`.
pub(super) fn at(mem: Mem, bytes: u32) -> Mem {
    mem.offset(bytes.cast_signed()).unwrap_or(mem)
}

/// The pieces of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pieces {
    /// The largest power of two that all of them may have.
    pub largest: u32,
    /// What is special about each of them: [`aux::EXACT`] or nothing.
    pub aux: u8,
}

/// How an access is cut into pieces.
pub(super) fn pieces<C: LowerCtx>(cx: &C, data: &InstData) -> Pieces {
    let flags = MemFlags(data.flags);
    Pieces {
        largest: match cx.view().features.has(STRICT_ALIGN) {
            true => 1 << flags.align_log2().min(4),
            false => 16,
        },
        // What the program counts must not become part of another access.
        aux: if flags.is_volatile() { aux::EXACT } else { 0 },
    }
}

/// The address of an access of a single piece of so many bytes: a memory operand, and how its index is extended from
/// 32 bits if it is.
pub(super) fn use_access<C: LowerCtx>(cx: &mut C, pointer: Operand, bytes: u32) -> (Mem, Option<Extension>) {
    let Some((address, extension)) = extended_index(cx, pointer) else {
        return (cx.use_addr(pointer, bytes), None);
    };
    let base = cx.use_reg(address.a, 0);
    let index = cx.use_reg(extension.a, 0);
    let scale_log2 = scale_of(&address).trailing_zeros() as u8;
    let extension = match extension.op {
        Opcode::Sext => Extension::Sign,
        _ => Extension::Zeros,
    };
    (Mem::indexed(base, index, scale_log2, 0), Some(extension))
}

/// The address of any access: an index that must be extended is added first.
pub(super) fn use_address<C: LowerCtx>(cx: &mut C, pointer: Operand, span_bytes: u32) -> Mem {
    let Some((address, extension)) = extended_index(cx, pointer) else {
        return cx.use_addr(pointer, span_bytes);
    };
    let base = cx.use_reg(address.a, 0);
    let index = cx.use_reg(extension.a, 0);
    let sum = cx.temp(RegClass::Int);
    let is_signed = extension.op == Opcode::Sext;
    cx.emit(extended_sum(sum, base, (index, is_signed), scale_of(&address)));
    Mem::base(sum, 0)
}

/// The address that a pointer is and the extension of its index, if both are folded.
fn extended_index<C: LowerCtx>(cx: &C, pointer: Operand) -> Option<(InstData, InstData)> {
    let address = folded(cx, pointer)?;
    Some((address, folded(cx, address.b)?))
}

fn scale_of(address: &InstData) -> u16 {
    if address.op == Opcode::PtrIndex {
        address.flags
    } else {
        1
    }
}

/// How the index of an access is extended from 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extension {
    Sign,
    Zeros,
}

/// An access of one piece.
fn access(op: Op, size: u8, reg: Reg, (mem, extension): (Mem, Option<Extension>)) -> MInst {
    let Some(extension) = extension else {
        return rm(op, size, reg, mem);
    };
    let row = match op {
        Op::Ldr => Op::LdrX,
        Op::Str => Op::StrX,
        Op::LdrUb => Op::LdrUbX,
        Op::LdrUh => Op::LdrUhX,
        Op::LdrUw => Op::LdrUwX,
        Op::LdrSb => Op::LdrSbX,
        Op::LdrSh => Op::LdrShX,
        Op::LdrSw => Op::LdrSwX,
        Op::LdrF => Op::LdrFX,
        Op::StrF => Op::StrFX,
        other => unreachable!("{other:?} has no index of 32 bits"),
    };
    let mut inst = rm(row, size, reg, mem);
    if extension == Extension::Sign {
        inst.aux |= aux::SIGNED_INDEX;
    }
    inst
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
    let pieces = pieces(cx, data);
    if float > 0 {
        return load_float(cx, data, float, pieces);
    }
    let bytes = bits.div_ceil(8);
    if bytes <= pieces.largest && bytes.is_power_of_two() && bytes <= 8 {
        let address = use_access(cx, data.a, bytes);
        let dst = cx.def(result(data), 0);
        let (op, size) = zero_extending(bytes);
        cx.emit(marked(access(op, size, dst, address), pieces));
        return Ok(());
    }
    let mem = use_address(cx, data.a, 16);
    // The base may be the register of the result: the last piece is loaded first to a register of the rule.
    let low = cx.def(result(data), 0);
    if bytes <= 8 {
        load_bytes(cx, low, mem, bytes, pieces);
        return Ok(());
    }
    let high = cx.def(result(data), 1);
    load_bytes(cx, low, mem, 8, pieces);
    load_bytes(cx, high, at(mem, 8), bytes - 8, pieces);
    Ok(())
}

fn load_float<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8, pieces: Pieces) -> Result<(), CodegenError> {
    if pieces.largest >= u32::from(bytes) {
        let address = use_access(cx, data.a, bytes.into());
        let dst = cx.def(result(data), 0);
        cx.emit(marked(access(Op::LdrF, bytes, dst, address), pieces));
        return Ok(());
    }
    if bytes > 8 {
        let refusal = Refusal::of_type(cx.func().types(), data.ty);
        return Err(CodegenError::unsupported(
            refusal,
            "a load of fp128 that is not aligned, where accesses must be",
        ));
    }
    let mem = use_address(cx, data.a, 16);
    let bits = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    load_bytes(cx, bits, mem, bytes.into(), pieces);
    cx.emit(rr(Op::FmovFromInt, bytes.max(4), dst, bits));
    Ok(())
}

/// Loads 1 to 8 bytes zero-extended, in pieces of powers of two. `dst` differs from the registers of `mem`.
pub(super) fn load_bytes<C: LowerCtx>(cx: &mut C, dst: Reg, mem: Mem, bytes: u32, pieces: Pieces) {
    let piece = (1 << bytes.ilog2()).min(pieces.largest);
    let (op, size) = zero_extending(piece);
    if piece == bytes {
        cx.emit(marked(rm(op, size, dst, mem), pieces));
        return;
    }
    // From the top down: each lower piece is put below what is there.
    load_bytes(cx, dst, at(mem, piece), bytes - piece, pieces);
    cx.emit(marked(rm(op, size, SCRATCH, mem), pieces));
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
    let pieces = pieces(cx, load);
    // What is loaded may be in a register after all.
    let address = extended_index(cx, load.a).map(|_| use_access(cx, load.a, bytes));
    let (mem, extension) = match address {
        Some(address) => address,
        None => match cx.use_src(data.a, 0, ImmKind::None) {
            Src::Mem(mem) => (mem, None),
            Src::Reg(src) => {
                let dst = cx.def(result(data), 0);
                super::extend(cx, dst, src, from, signed, size);
                return Ok(());
            }
            Src::Imm(_) => unreachable!("not asked for"),
        },
    };
    let dst = cx.def(result(data), 0);
    if pieces.largest < bytes {
        load_bytes(cx, dst, mem, bytes, pieces);
        super::extend(cx, dst, dst, from, signed, size);
        return Ok(());
    }
    let op = match (bytes, signed) {
        (1, true) => Op::LdrSb,
        (2, true) => Op::LdrSh,
        (4, true) if size == 8 => Op::LdrSw,
        _ => {
            let (op, size) = zero_extending(bytes);
            cx.emit(marked(access(op, size, dst, (mem, extension)), pieces));
            return Ok(());
        }
    };
    cx.emit(marked(access(op, size, dst, (mem, extension)), pieces));
    Ok(())
}

/// Lowers plain stores.
pub fn store<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (bits, float) = (int_bits(cx, data.ty), any_float_bytes(data.ty));
    if bits == 0 && float == 0 {
        let refusal = Refusal::of_type(cx.func().types(), data.ty);
        return Err(CodegenError::unsupported(refusal, "a store of a vector"));
    }
    let pieces = pieces(cx, data);
    if float > 0 {
        return store_float(cx, data, float, pieces);
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
        let mem = use_address(cx, data.b, 16);
        store_bytes(cx, low, mem, 8, pieces);
        store_bytes(cx, high, at(mem, 8), bytes - 8, pieces);
        return Ok(());
    }
    let value = if bits.is_multiple_of(8) {
        use_int(cx, data.a, 0)
    } else {
        extended(cx, data.a, bits, false, size_of_bits(bits))
    };
    if bytes <= pieces.largest && bytes.is_power_of_two() {
        let address = use_access(cx, data.b, bytes);
        cx.emit(marked(access(Op::Str, bytes as u8, value, address), pieces));
        return Ok(());
    }
    let mem = use_address(cx, data.b, 16);
    store_bytes(cx, value, mem, bytes, pieces);
    Ok(())
}

/// A piece with what is special about it.
pub(super) fn marked(mut inst: MInst, pieces: Pieces) -> MInst {
    inst.aux |= pieces.aux;
    inst
}

fn store_float<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8, pieces: Pieces) -> Result<(), CodegenError> {
    let is_zero = bytes <= 8 && is_float_zero(cx, data.a);
    if pieces.largest >= u32::from(bytes) {
        let (row, value) = match is_zero {
            true => (Op::Str, XZR),
            false => (Op::StrF, cx.use_reg(data.a, 0)),
        };
        let address = use_access(cx, data.b, bytes.into());
        cx.emit(marked(access(row, bytes, value, address), pieces));
        return Ok(());
    }
    if is_zero {
        let mem = use_address(cx, data.b, 16);
        store_bytes(cx, XZR, mem, bytes.into(), pieces);
        return Ok(());
    }
    let value = cx.use_reg(data.a, 0);
    if bytes > 8 {
        let refusal = Refusal::of_type(cx.func().types(), data.ty);
        return Err(CodegenError::unsupported(
            refusal,
            "a store of fp128 that is not aligned, where accesses must be",
        ));
    }
    let mem = use_address(cx, data.b, 16);
    let bits = cx.temp(RegClass::Int);
    cx.emit(rr(Op::FmovToInt, bytes.max(4), bits, value));
    store_bytes(cx, bits, mem, bytes.into(), pieces);
    Ok(())
}

/// Whether a float is the constant zero, without sign.
pub(super) fn is_float_zero<C: LowerCtx>(cx: &C, operand: Operand) -> bool {
    let constant = operand.as_const().map(|id| cx.func().constant(id).1);
    match constant {
        Some(ConstView::Float(words)) => words.iter().all(|&word| word == 0),
        Some(ConstView::Zero) => true,
        _ => false,
    }
}

/// Stores the low 1 to 8 bytes of a register, which stays as it is.
pub(super) fn store_bytes<C: LowerCtx>(cx: &mut C, value: Reg, mem: Mem, bytes: u32, pieces: Pieces) {
    let mut done = 0;
    while done < bytes {
        let piece = (1 << (bytes - done).ilog2()).min(pieces.largest);
        let from = match (done, value) {
            (0, _) | (_, XZR) => value,
            _ => {
                cx.emit(shr(false, 8, SCRATCH, value, done * 8));
                SCRATCH
            }
        };
        cx.emit(marked(rm(Op::Str, piece as u8, from, at(mem, done)), pieces));
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
            let is_far = |mem: Mem| !mem.index_reg().is_none() || mem.base_reg() == Reg::SYMBOL;
            let other = match len < 32 || is_far(dst) || is_far(src) {
                true => Reg::NONE,
                false => cx.temp(RegClass::Float),
            };
            copy_inline(cx, (dst, src), len, other);
            Ok(())
        }
        (Opcode::MemMove, Some(len)) if len <= 16 && len.is_power_of_two() => {
            let dst = cx.use_addr(data.a, len);
            let src = cx.use_addr(second, len);
            copy_inline(cx, (dst, src), len, Reg::NONE);
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

/// Copies by the scratch registers, 16 bytes at a time, or 32 with another register. The last piece may overlap the one
/// before it.
fn copy_inline<C: LowerCtx>(cx: &mut C, (dst, src): (Mem, Mem), len: u32, other: Reg) {
    let mut done = 0;
    while done < len {
        let (place, bytes) = piece_at(done, len, if other.is_none() { 16 } else { 32 });
        let (from, to) = (at(src, place), at(dst, place));
        match bytes {
            32 => {
                cx.emit(pair(Op::LdpF, 16, (SCRATCH_FLOAT, other), from));
                cx.emit(pair(Op::StpF, 16, (SCRATCH_FLOAT, other), to));
            }
            16 => {
                cx.emit(rm(Op::LdrF, 16, SCRATCH_FLOAT, from));
                cx.emit(rm(Op::StrF, 16, SCRATCH_FLOAT, to));
            }
            bytes => {
                cx.emit(rm(Op::Ldr, bytes as u8, SCRATCH, from));
                cx.emit(rm(Op::Str, bytes as u8, SCRATCH, to));
            }
        }
        done = place + bytes;
    }
}

/// Where the next piece of a block begins of which so many bytes are done, and its bytes.
fn piece_at(done: u32, len: u32, largest: u32) -> (u32, u32) {
    let rest = len - done;
    let covering = rest.next_power_of_two();
    if covering <= len && covering <= largest.min(16) {
        (len - covering, covering)
    } else {
        (done, (1 << rest.ilog2()).min(largest))
    }
}

/// An access of two registers, of a base alone.
fn pair(op: Op, size: u8, (first, second): (Reg, Reg), mem: Mem) -> MInst {
    let mut inst = rrr(op, size, first, mem.base_reg(), second);
    inst.disp = mem.disp;
    inst
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
        copy_inline(cx, (dst, src), size, Reg::NONE);
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
    copy_inline(cx, (Mem::base(TO, 0), Mem::base(FROM, 0)), size % 16, Reg::NONE);
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
    let largest = if pattern == XZR { 16 } else { 8 };
    if len >= largest && pattern == XZR {
        cx.emit(r(Op::MoviZero, 16, SCRATCH_FLOAT));
    }
    let mut done = 0;
    while done < len {
        let (place, bytes) = piece_at(done, len, largest);
        let to = at(dst, place);
        cx.emit(match bytes {
            16 => rm(Op::StrF, 16, SCRATCH_FLOAT, to),
            bytes => rm(Op::Str, bytes as u8, pattern, to),
        });
        done = place + bytes;
    }
}

/// Lowers a prefetch (Arm ARM, PRFM): bits 3 and 4 say whether of data, instructions or for a store, bits 1 and 2 the
/// level of the cache, bit 0 whether it is used once only.
pub fn prefetch<C: LowerCtx>(cx: &mut C, data: &InstData) {
    const WRITE: u16 = 1;
    const OF_DATA: u16 = 8;
    let mem = use_address(cx, data.a, 0);
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
