//! Loads and stores of every width, atomic ones, fences, block operations, prefetches.
//!
//! Memory holds an integer of an odd width zero-extended to whole bytes, as LLVM's stores leave it.

use super::alu::IMM32;
use super::{
    constant_mem, extended_copy, float_bytes, folded, int_bits, is_32_bit, is_narrow_float, is_wide, result, scratch,
    scratch_float, size_of_bits, vector, word_bits,
};
use crate::build::*;
use crate::regs::{RCX, RDI, RSI, VECTOR_BYTES, WIDE_VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::included::VECTORS;
use frazil_codegen::{CodegenError, LowerCtx, Mem, Reg, RegClass, Src};
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Ordering, Refusal, RuntimeFunction, Type};

/// Copies and fills of up to this many bytes are done in line.
pub const MAX_INLINE_BYTES: u32 = 128;

/// A memory operand some bytes further. Displacements were checked for the whole access by `use_addr`.
pub(super) fn at(mem: Mem, bytes: u32) -> Mem {
    mem.offset(bytes.cast_signed()).unwrap_or(mem)
}

/// The row and size that load `bytes` (1, 2, 4 or 8) zero-extended.
pub(super) fn load_row(bytes: u32) -> (Op, u8) {
    match bytes {
        1 => (Op::MovzxBRM, 4),
        2 => (Op::MovzxWRM, 4),
        4 => (Op::MovRM, 4),
        _ => (Op::MovRM, 8),
    }
}

/// Lowers plain loads, and atomic ones that are as plain.
pub fn load<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    if float_bytes(data.ty) > 0 {
        let mem = cx.use_addr(data.a, 8);
        let dst = cx.def(result(data), 0);
        cx.emit(rm(Op::MovsRM, float_bytes(data.ty), dst, mem));
        return Ok(());
    }
    let bits = int_bits(cx, data.ty);
    if bits == 0 {
        return load_narrow_float(cx, data);
    }
    let bytes = bits.div_ceil(8);
    let mem = cx.use_addr(data.a, 16);
    let word = u32::from(C::WORD_BYTES);
    let dst = cx.def(result(data), 0);
    if bytes <= word {
        load_bytes(cx, dst, mem, bytes);
        return Ok(());
    }
    let high = cx.def(result(data), 1);
    load_bytes(cx, dst, mem, word);
    load_bytes(cx, high, at(mem, word), bytes - word);
    Ok(())
}

/// Loads a float of 16 bits, which there is no move for, through a general register.
#[cold]
fn load_narrow_float<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    if !is_narrow_float(data.ty) {
        return Err(CodegenError::unsupported(Refusal::Vector, "a load of a vector"));
    }
    let mem = cx.use_addr(data.a, 8);
    let general = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    load_bytes(cx, general, mem, 2);
    cx.emit(rr(Op::MovdXR, 4, dst, general));
    Ok(())
}

/// Stores a float of 16 bits.
#[cold]
fn store_narrow_float<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    if !is_narrow_float(data.ty) {
        return Err(CodegenError::unsupported(Refusal::Vector, "a store of a vector"));
    }
    let value = cx.use_reg(data.a, 0);
    let mem = cx.use_addr(data.b, 8);
    let general = cx.temp(RegClass::Int);
    cx.emit(rr(Op::MovdRX, 4, general, value));
    cx.emit(mr(Op::MovMR, 2, mem, general));
    Ok(())
}

/// Loads 1 to 8 bytes. `dst` differs from the registers of `mem`.
pub(super) fn load_bytes<C: LowerCtx>(cx: &mut C, dst: Reg, mem: Mem, bytes: u32) {
    let top = 1 << bytes.ilog2();
    if top == bytes {
        let (row, size) = load_row(bytes);
        cx.emit(rm(row, size, dst, mem));
        return;
    }
    // From the top down: each smaller piece is put below what is there.
    let rest = bytes - top;
    let size = if bytes > 4 { 8 } else { 4 };
    load_bytes(cx, dst, at(mem, top), rest);
    cx.emit(ri(Op::ShlRI, size, dst, (top * 8).cast_signed()));
    let (row, row_size) = load_row(top);
    let scratch = scratch::<C>();
    cx.emit(rm(row, row_size, scratch, mem));
    cx.emit(rr(Op::OrRR, size, dst, scratch));
}

/// Lowers plain stores, and atomic ones that are as plain.
pub fn store<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    if float_bytes(data.ty) > 0 {
        store_float(cx, data);
        return Ok(());
    }
    let bits = int_bits(cx, data.ty);
    if bits == 0 {
        return store_narrow_float(cx, data);
    }
    let bytes = bits.div_ceil(8);
    let word = u32::from(C::WORD_BYTES);
    if bytes > word
        && let Some(extraction) = folded(cx, data.a)
    {
        vector::elements::store_lane(cx, data, &extraction);
        return Ok(());
    }
    if MemFlags(data.flags).is_nontemporal() && matches!(bits, 32 | 64) && bytes <= word {
        store_past_caches(cx, data, bytes as u8);
    } else if bytes.is_power_of_two() && bytes <= word {
        store_one(cx, data, bits, bytes as u8);
    } else {
        store_odd(cx, data, bits, bytes);
    }
    Ok(())
}

/// A store that does not go through caches; there are none of fewer bytes, nor of floats.
#[cold]
fn store_past_caches<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8) {
    let value = cx.use_reg(data.a, 0);
    let mem = cx.use_addr(data.b, 8);
    cx.emit(mr(Op::MovntiMR, bytes, mem, value));
}

fn store_float<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bytes = float_bytes(data.ty);
    let value = cx.use_reg(data.a, 0);
    let mem = cx.use_addr(data.b, 8);
    cx.emit(mr(Op::MovsMR, bytes, mem, value));
}

/// Updates memory: the operation and its load were folded into the store.
fn update<C: LowerCtx>(cx: &mut C, data: &InstData, update: &InstData, bytes: u8) {
    let is_load = |operand| folded(cx, operand).is_some_and(|inst| inst.op == Opcode::Load);
    let other = if is_load(update.a) { update.b } else { update.a };
    let (with_reg, with_imm) = match update.op {
        Opcode::Add => (Op::AddMR, Op::AddMI),
        Opcode::Sub => (Op::SubMR, Op::SubMI),
        Opcode::And => (Op::AndMR, Op::AndMI),
        Opcode::Or => (Op::OrMR, Op::OrMI),
        _ => (Op::XorMR, Op::XorMI),
    };
    let other = cx.use_reg_or_imm(other, 0, IMM32);
    let mem = cx.use_addr(data.b, 8);
    match other {
        Src::Imm(imm) => cx.emit(mi(with_imm, bytes, mem, imm)),
        Src::Reg(reg) => cx.emit(mr(with_reg, bytes, mem, reg)),
        Src::Mem(_) => unreachable!("not asked for"),
    }
}

fn store_one<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, bytes: u8) {
    if let Some(operation) = folded(cx, data.a) {
        match operation.op {
            Opcode::ExtractElement => vector::elements::store_lane(cx, data, &operation),
            _ => update(cx, data, &operation, bytes),
        }
        return;
    }
    let exact = bits == u32::from(bytes) * 8;
    if let Some(imm) = cx.func().int_constant(data.a).filter(|&imm| i32::try_from(imm).is_ok()) {
        let mem = cx.use_addr(data.b, 8);
        let value = if exact {
            imm
        } else {
            imm & (u64::MAX >> (64 - bits)).cast_signed()
        };
        match i32::try_from(value) {
            Ok(value) => cx.emit(mi(Op::MovMI, bytes, mem, value)),
            Err(_) => {
                cx.emit(mov_imm64(scratch::<C>(), value));
                cx.emit(mr(Op::MovMR, bytes, mem, scratch::<C>()));
            }
        }
        return;
    }
    let value = if exact {
        cx.use_reg(data.a, 0)
    } else {
        extended_copy(cx, data.a, bits, false, size_of_bits(bits))
    };
    let mem = cx.use_addr(data.b, 8);
    cx.emit(mr(Op::MovMR, bytes, mem, value));
}

fn store_odd<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32, bytes: u32) {
    let mem = cx.use_addr(data.b, 16);
    let word = u32::from(C::WORD_BYTES);
    if bytes > word {
        store_part(cx, data.a, 0, mem);
        let mem = at(mem, word);
        if bits == 2 * word_bits::<C>() {
            store_part(cx, data.a, 1, mem);
            return;
        }
        let high = cx.use_copy(data.a, 1);
        super::extend(cx, high, high, bits - word_bits::<C>(), false, C::WORD_BYTES);
        store_bytes(cx, mem, high, bytes - word);
        return;
    }
    let value = extended_copy(cx, data.a, bits, false, size_of_bits(bits));
    store_bytes(cx, mem, value, bytes);
}

/// Stores a whole part of a value.
fn store_part<C: LowerCtx>(cx: &mut C, value: Operand, part: u8, mem: Mem) {
    let value = cx.use_reg_or_imm(value, part, IMM32);
    cx.emit(match value {
        Src::Imm(imm) => mi(Op::MovMI, C::WORD_BYTES, mem, imm),
        Src::Reg(reg) => mr(Op::MovMR, C::WORD_BYTES, mem, reg),
        Src::Mem(_) => unreachable!("not asked for"),
    });
}

/// Stores the low 1 to 8 bytes of a register of the rule, whose contents is lost.
pub(super) fn store_bytes<C: LowerCtx>(cx: &mut C, mem: Mem, value: Reg, bytes: u32) {
    let (mut done, mut rest) = (0, bytes);
    while rest > 0 {
        let piece = 1 << rest.ilog2();
        cx.emit(mr(Op::MovMR, piece as u8, at(mem, done), value));
        rest -= piece;
        done += piece;
        if rest > 0 {
            cx.emit(ri(Op::ShrRI, C::WORD_BYTES, value, (piece * 8).cast_signed()));
        }
    }
}

/// Only a sequentially consistent fence between threads needs an instruction: the hardware keeps other orders.
pub fn fence<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let flags = MemFlags(data.flags);
    if flags.ordering() == Ordering::SequentiallyConsistent && !flags.is_single_thread() {
        cx.emit(none(Op::Mfence, 8));
    }
}

/// Lowers memcpy, memmove and memset: in line when short and of known length, else by call.
pub fn block<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (second, len) = cx.func().ternary(data);
    let known = len
        .as_imm()
        .and_then(|len| u32::try_from(len).ok())
        .filter(|&len| len <= MAX_INLINE_BYTES);
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
    if is_wide(cx, data.ty) {
        return Err(CodegenError::unsupported(
            Refusal::WideInteger,
            format!("a block length of more than {} bits", word_bits::<C>()),
        ));
    }
    cx.call_runtime(
        function,
        &[(data.a, Type::PTR), (second, second_ty), (len, data.ty)],
        None,
    )
}

/// Copies memory: what is long by a string instruction, whose registers the caller has claimed.
pub fn copy_block<C: LowerCtx>(cx: &mut C, dst: Mem, src: Mem, size: u32) {
    if size <= MAX_INLINE_BYTES {
        copy_inline(cx, dst, src, size);
        return;
    }
    cx.emit(rm(Op::LeaRM, C::WORD_BYTES, RSI, src));
    cx.emit(rm(Op::LeaRM, C::WORD_BYTES, RDI, dst));
    let word = u32::from(C::WORD_BYTES);
    cx.emit(mov_imm(4, RCX, i64::from(size / word)));
    cx.emit(match C::WORD_BYTES {
        4 => none(Op::RepMovsl, 4),
        _ => none(Op::RepMovsq, 8),
    });
    copy_inline(cx, Mem::base(RDI, 0), Mem::base(RSI, 0), size % word);
}

/// How many bytes blocks of memory are copied or filled by at a time: as many as a vector register has, where the
/// function has wide ones anyway. What is read afterwards as such a vector comes from a single store then, which
/// processors need not wait for.
fn block_bytes<C: LowerCtx>(cx: &C) -> u32 {
    let has_wide = VECTORS && cx.func().has_wide_vectors();
    u32::from(if has_wide { WIDE_VECTOR_BYTES } else { VECTOR_BYTES })
}

/// Copies by the scratch registers.
pub fn copy_inline<C: LowerCtx>(cx: &mut C, dst: Mem, src: Mem, len: u32) {
    let (mut done, mut rest) = (0, len);
    let (scratch, scratch_float) = (scratch::<C>(), scratch_float::<C>());
    let most = block_bytes(cx);
    while rest > 0 {
        let piece = (1 << rest.ilog2()).min(most);
        let (from, to) = (at(src, done), at(dst, done));
        if piece == 32 {
            cx.emit(rm(Op::VmovupYRM, WIDE_VECTOR_BYTES, scratch_float, from));
            cx.emit(mr(Op::VmovupYMR, WIDE_VECTOR_BYTES, to, scratch_float));
        } else if piece == 16 {
            cx.emit(rm(Op::MovupRM, 4, scratch_float, from));
            cx.emit(mr(Op::MovupMR, 4, to, scratch_float));
        } else if piece > u32::from(C::WORD_BYTES) {
            cx.emit(rm(Op::MovsRM, 8, scratch_float, from));
            cx.emit(mr(Op::MovsMR, 8, to, scratch_float));
        } else {
            let (row, size) = load_row(piece);
            cx.emit(rm(row, size, scratch, from));
            cx.emit(mr(Op::MovMR, piece as u8, to, scratch));
        }
        done += piece;
        rest -= piece;
    }
}

fn fill_inline<C: LowerCtx>(cx: &mut C, dst: Operand, byte: Operand, len: u32) {
    let pattern = match byte.as_imm() {
        Some(imm) => {
            let dst = cx.use_addr(dst, len);
            fill_with_constant(cx, dst, len, imm as u8);
            return;
        }
        None => extended_copy(cx, byte, 8, false, C::WORD_BYTES),
    };
    let dst = cx.use_addr(dst, len);
    repeat_byte(cx, pattern);
    let (mut done, mut rest) = (0, len);
    while rest > 0 {
        let piece = (1 << rest.ilog2()).min(u32::from(C::WORD_BYTES));
        cx.emit(mr(Op::MovMR, piece as u8, at(dst, done), pattern));
        done += piece;
        rest -= piece;
    }
}

/// Fills a register with copies of its low byte, above which it has zeros.
pub(super) fn repeat_byte<C: LowerCtx>(cx: &mut C, pattern: Reg) {
    const ONES: i64 = 0x0101_0101_0101_0101;
    let scratch = scratch::<C>();
    cx.emit(mov_imm(C::WORD_BYTES, scratch, ONES));
    cx.emit(rr(Op::ImulRR, C::WORD_BYTES, pattern, scratch));
}

fn fill_with_constant<C: LowerCtx>(cx: &mut C, dst: Mem, len: u32, byte: u8) {
    let word = u64::from_le_bytes([byte; 8]).cast_signed();
    let (mut done, mut rest) = (0, len);
    let vector = match block_bytes(cx) {
        32 if len >= 32 => 32,
        _ => 16,
    };
    if rest >= vector {
        let scratch = scratch_float::<C>();
        if byte == 0 && vector == 32 {
            cx.emit(r(Op::VxorpsYS, WIDE_VECTOR_BYTES, scratch));
        } else if byte == 0 {
            cx.emit(r(Op::ZeroX, 16, scratch));
        } else if vector == 32 {
            let pattern = constant_mem(cx, &[byte; 32]);
            cx.emit(rm(Op::VmovupYRM, WIDE_VECTOR_BYTES, scratch, pattern));
        } else {
            let pattern = constant_mem(cx, &[byte; 16]);
            cx.emit(rm(Op::MovapRM, 4, scratch, pattern));
        }
    }
    let narrow = i32::try_from(word).is_err() && rest % 16 >= 8 && !is_32_bit::<C>();
    if narrow {
        cx.emit(mov_imm64(scratch::<C>(), word));
    }
    while rest > 0 {
        let whole = if rest >= 16 { vector } else { u32::from(C::WORD_BYTES) };
        let piece = (1 << rest.ilog2()).min(whole);
        let to = at(dst, done);
        cx.emit(match piece {
            32 => mr(Op::VmovupYMR, WIDE_VECTOR_BYTES, to, scratch_float::<C>()),
            16 => mr(Op::MovupMR, 4, to, scratch_float::<C>()),
            8 if narrow => mr(Op::MovMR, 8, to, scratch::<C>()),
            _ => mi(Op::MovMI, piece as u8, to, narrow_pattern(byte, piece)),
        });
        done += piece;
        rest -= piece;
    }
}

/// The byte repeated, as an immediate of a store of `bytes`.
fn narrow_pattern(byte: u8, bytes: u32) -> i32 {
    match bytes {
        1 => i32::from(byte.cast_signed()),
        2 => i32::from(i16::from_le_bytes([byte; 2])),
        _ => i32::from_le_bytes([byte; 4]),
    }
}

/// Lowers a prefetch by its locality: 3 is nearest. There is none of instructions.
pub fn prefetch<C: LowerCtx>(cx: &mut C, data: &InstData) {
    const OF_DATA: u16 = 8;
    let mem = cx.use_addr(data.a, 0);
    if data.flags & OF_DATA == 0 {
        return;
    }
    let op = match (data.flags >> 1) & 3 {
        3 => Op::Prefetcht0M,
        2 => Op::Prefetcht1M,
        1 => Op::Prefetcht2M,
        _ => Op::PrefetchntaM,
    };
    cx.emit(m(op, 1, mem));
}
