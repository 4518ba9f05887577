//! Loads and stores of vectors: exactly as many bytes as the type has.

use super::super::memory::{at, load_bytes, store_bytes};
use super::super::{is_32_bit, result};
use super::{from_general, temp, to_general};
use crate::build::*;
use crate::features;
use crate::table::Op;
use frazil_codegen::{LowerCtx, Mem, Reg, RegClass, VectorShape};
use frazil_ir::{InstData, MemFlags, Type};

/// Lowers a load of a vector that is no mask.
pub fn load<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let mem = cx.use_addr(data.a, 16);
    let dst = cx.def(result(data), 0);
    match shape.memory_bytes() {
        16 => {
            let (row, size) = whole_load(cx, data);
            cx.emit(rm(row, size, dst, mem));
        }
        8 => cx.emit(rm(Op::MovqXM, 8, dst, mem)),
        4 => cx.emit(rm(Op::MovdXM, 4, dst, mem)),
        bytes => load_odd(cx, dst, mem, bytes),
    }
}

/// The row that loads 16 bytes.
fn whole_load<C: LowerCtx>(cx: &C, data: &InstData) -> (Op, u8) {
    let is_past_caches = MemFlags(data.flags).is_nontemporal();
    match is_aligned(data) {
        true if is_past_caches && cx.view().features.has(features::SSE4_1) => (Op::MovntdqaRM, 16),
        true => (Op::MovapRM, 4),
        false => (Op::MovupRM, 4),
    }
}

fn is_aligned(data: &InstData) -> bool {
    MemFlags(data.flags).align_log2() >= 4
}

fn load_odd<C: LowerCtx>(cx: &mut C, dst: Reg, mem: Mem, bytes: u32) {
    let general = cx.temp(RegClass::Int);
    if is_32_bit::<C>() {
        return load_words(cx, dst, mem, general, bytes);
    }
    load_bytes(cx, general, mem, bytes.min(8));
    from_general(cx, dst, general);
    if bytes > 8 {
        let high = temp(cx);
        load_bytes(cx, general, at(mem, 8), bytes - 8);
        from_general(cx, high, general);
        cx.emit(rr(Op::PunpcklqdqRR, 16, dst, high));
    }
}

/// The same word by word, from the last one on: each becomes the lowest lane.
fn load_words<C: LowerCtx>(cx: &mut C, dst: Reg, mem: Mem, general: Reg, bytes: u32) {
    let word = temp(cx);
    for (index, start) in (0..bytes).step_by(4).rev().enumerate() {
        load_bytes(cx, general, at(mem, start), (bytes - start).min(4));
        if index == 0 {
            from_general(cx, dst, general);
            continue;
        }
        from_general(cx, word, general);
        cx.emit(ri(Op::PslldqRI, 16, dst, 4));
        cx.emit(rr(Op::MovsRR, 4, dst, word));
    }
}

/// Lowers a store of a vector that is no mask.
pub fn store<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let value = cx.use_reg(data.a, 0);
    let mem = cx.use_addr(data.b, 16);
    match shape.memory_bytes() {
        16 => {
            let (row, size) = whole_store(data, shape);
            cx.emit(mr(row, size, mem, value));
        }
        8 => cx.emit(mr(Op::MovqMX, 8, mem, value)),
        4 => cx.emit(mr(Op::MovdMX, 4, mem, value)),
        bytes => store_odd(cx, mem, value, bytes),
    }
}

/// The row that stores 16 bytes.
fn whole_store(data: &InstData, shape: VectorShape) -> (Op, u8) {
    if !is_aligned(data) {
        return (Op::MovupMR, 4);
    }
    match (MemFlags(data.flags).is_nontemporal(), shape.element) {
        (false, _) => (Op::MovapMR, 4),
        (true, Type::F32) => (Op::MovntpMR, 4),
        (true, Type::F64) => (Op::MovntpMR, 8),
        (true, _) => (Op::MovntdqMR, 16),
    }
}

fn store_odd<C: LowerCtx>(cx: &mut C, mem: Mem, value: Reg, bytes: u32) {
    let general = cx.temp(RegClass::Int);
    if is_32_bit::<C>() {
        return store_words(cx, mem, value, general, bytes);
    }
    to_general(cx, general, value, 0);
    if bytes > 8 {
        cx.emit(mr(Op::MovMR, 8, mem, general));
        to_general(cx, general, value, 1);
        store_bytes(cx, at(mem, 8), general, bytes - 8);
    } else {
        store_bytes(cx, mem, general, bytes);
    }
}

/// The same word by word.
fn store_words<C: LowerCtx>(cx: &mut C, mem: Mem, value: Reg, general: Reg, bytes: u32) {
    let rest = temp(cx);
    cx.emit(rr(Op::MovapRR, 4, rest, value));
    for start in (0..bytes).step_by(4) {
        to_general(cx, general, rest, 0);
        store_bytes(cx, at(mem, start), general, (bytes - start).min(4));
        if start + 4 < bytes {
            cx.emit(ri(Op::PsrldqRI, 16, rest, 4));
        }
    }
}
