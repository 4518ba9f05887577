//! Loads and stores of every width and alignment, block operations by calls.
//!
//! The machine wants every access aligned; what the IR does not promise to be is put together from pieces. Memory
//! holds an integer of an odd width zero-extended to whole bytes.

use super::wide::{KEPT, Wide};
use super::{extended, float_bytes, int_bits, int_part, part_count, result};
use crate::build::*;
use crate::ops::Op;
use crate::regs::{AT, SC, ZERO, k};
use frazil_codegen::{CodegenError, GroupKind, LowerCtx, Mem, Reg};
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Refusal, RuntimeFunction, Type};

/// A memory operand some bytes further; `use_addr` was asked for the whole access.
fn at(mem: Mem, bytes: u32) -> Mem {
    mem.offset(bytes.cast_signed()).unwrap_or(mem)
}

/// The pieces (offset and length) of an access of up to 4 bytes with this alignment.
fn pieces(bytes: u32, align: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let rest = bytes - done;
        (rest > 0).then(|| {
            let len = (1 << rest.ilog2()).min(align);
            done += len;
            (done - len, len)
        })
    })
}

/// Loads up to 4 bytes; `dst` is no register of `mem`.
fn load_word<C: LowerCtx>(cx: &mut C, dst: Reg, mem: Mem, bytes: u32, align: u32) {
    for (offset, len) in pieces(bytes, align) {
        let piece = if offset == 0 { dst } else { SC };
        cx.emit(rm(load_op(len), 4, piece, at(mem, offset)));
        if offset > 0 {
            cx.emit(rri(Op::Slli, SC, SC, 8 * offset.cast_signed()));
            cx.emit(rrr(Op::Or, dst, dst, SC));
        }
    }
}

/// Stores the low up to 4 bytes.
fn store_word<C: LowerCtx>(cx: &mut C, src: Reg, mem: Mem, bytes: u32, align: u32) {
    for (offset, len) in pieces(bytes, align) {
        let piece = if offset == 0 { src } else { SC };
        if offset > 0 {
            cx.emit(rri(Op::Srli, SC, src, 8 * offset.cast_signed()));
        }
        cx.emit(rm(store_op(len), 4, piece, at(mem, offset)));
    }
}

fn align_of(data: &InstData) -> u32 {
    1 << MemFlags(data.flags).align_log2().min(2)
}

/// Bytes that a part of an integer has in memory.
fn part_bytes(bits: u32, part: u8) -> u32 {
    (bits.div_ceil(8) - 4 * u32::from(part)).min(4)
}

fn check<C: LowerCtx>(cx: &C, data: &InstData) -> Result<(u32, u8), CodegenError> {
    let (bits, float) = (int_bits(cx, data.ty), float_bytes(data.ty));
    if bits == 0 && float == 0 {
        return Err(CodegenError::unsupported(Refusal::Vector, "an access of a vector"));
    }
    let bytes = if float > 0 { u32::from(float) } else { bits.div_ceil(8) };
    let is_atomic = matches!(data.op, Opcode::AtomicLoad | Opcode::AtomicStore);
    if is_atomic && (bytes > 4 || !bytes.is_power_of_two() || align_of(data) < bytes) {
        return Err(CodegenError::unsupported(
            Refusal::Atomic,
            format!("an atomic access of {bytes} bytes, or one that is not aligned"),
        ));
    }
    Ok((bits, float))
}

/// Lowers plain and atomic loads.
pub fn load<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (bits, float) = check(cx, data)?;
    let align = align_of(data);
    if float > 0 {
        load_float(cx, data, float, align);
        return Ok(());
    }
    for part in 0..part_count(bits) {
        let offset = 4 * u32::from(part);
        let mem = cx.use_addr(data.a, offset + 4);
        let dst = cx.def(result(data), part);
        load_word(cx, dst, at(mem, offset), part_bytes(bits, part), align);
        cx.step();
    }
    Ok(())
}

fn load_float<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8, align: u32) {
    let mem = cx.use_addr(data.a, 8);
    let dst = cx.def(result(data), 0);
    if align == 4 {
        cx.emit(rm(Op::Fl, bytes, dst, mem));
        return;
    }
    let (low, high) = (k(0), k(1));
    load_word(cx, low, mem, 4, align);
    if bytes == 4 {
        cx.emit(rr(Op::IntToF32, dst, low));
    } else {
        load_word(cx, high, at(mem, 4), 4, align);
        cx.emit(rrr(Op::IntToF64, dst, low, high));
    }
}

/// Lowers plain and atomic stores.
pub fn store<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (bits, float) = check(cx, data)?;
    let align = align_of(data);
    if float > 0 {
        store_float(cx, data, float, align);
        return Ok(());
    }
    for part in 0..part_count(bits) {
        let offset = 4 * u32::from(part);
        let bits_left = bits - 8 * offset;
        let src = if bits_left >= 32 || bits_left.is_multiple_of(8) {
            int_part(cx, data.a, part)
        } else {
            extended_part(cx, data.a, part, bits_left)
        };
        let mem = cx.use_addr(data.b, offset + 4);
        store_word(cx, src, at(mem, offset), part_bytes(bits, part), align);
        cx.step();
    }
    Ok(())
}

/// The top part of an operand with `bits` bits in it, zero-extended.
fn extended_part<C: LowerCtx>(cx: &mut C, operand: Operand, part: u8, bits: u32) -> Reg {
    if part == 0 {
        return extended(cx, operand, bits, false);
    }
    let src = int_part(cx, operand, part);
    super::extend(cx, KEPT, src, bits, false);
    KEPT
}

fn store_float<C: LowerCtx>(cx: &mut C, data: &InstData, bytes: u8, align: u32) {
    let src = cx.use_reg(data.a, 0);
    let mem = cx.use_addr(data.b, 8);
    if align == 4 {
        cx.emit(rm(Op::Fs, bytes, src, mem));
        return;
    }
    let bits = Wide::at(0, 2);
    if bytes == 4 {
        cx.emit(rr(Op::F32ToInt, bits.word(0), src));
    } else {
        cx.emit(rrr(Op::F64ToInt, bits.word(0), bits.word(1), src));
        store_word(cx, bits.word(1), at(mem, 4), 4, align);
    }
    store_word(cx, bits.word(0), mem, 4, align);
}

/// Lowers `mem_copy`, `mem_move` and `mem_set`. The length is passed as the machine's word.
pub fn block<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (second, len) = cx.func().ternary(data);
    let (function, second_ty) = match data.op {
        Opcode::MemCopy => (RuntimeFunction::Memcpy, Type::PTR),
        Opcode::MemMove => (RuntimeFunction::Memmove, Type::PTR),
        _ => (RuntimeFunction::Memset, Type::I8),
    };
    let bits = int_bits(cx, data.ty);
    if bits < 32 && len.as_imm().is_none() {
        return Err(CodegenError::unsupported(
            Refusal::Instruction,
            format!("a block length of {bits} bits"),
        ));
    }
    cx.call_runtime(
        function,
        &[(data.a, Type::PTR), (second, second_ty), (len, Type::I32)],
        None,
    )
}

/// Copies bytes one by one, by rule registers alone; see `Isa::block_copy`.
pub fn copy_bytes<C: LowerCtx>(cx: &mut C, dst: Mem, src: Mem, size: u32) {
    let (from, to, end) = (k(0), k(1), k(2));
    cx.emit(rri(Op::Addi, from, src.base_reg(), src.disp));
    cx.emit(rri(Op::Addi, to, dst.base_reg(), dst.disp));
    cx.emit(rri(Op::Addi, end, from, size.cast_signed()));
    cx.begin_group(GroupKind::Plain);
    let (again, done) = (cx.local_label(), cx.local_label());
    cx.bind(again);
    cx.emit(branch(Op::Beq, from, end, done));
    cx.emit(rm(Op::Lb, 4, AT, Mem::base(from, 0)));
    cx.emit(rm(Op::Sb, 4, AT, Mem::base(to, 0)));
    cx.emit(rri(Op::Addi, from, from, 1));
    cx.emit(rri(Op::Addi, to, to, 1));
    cx.emit(branch(Op::Beq, ZERO, ZERO, again));
    cx.bind(done);
    cx.end_group();
}
