//! Loads and stores of vectors: exactly as many bytes as the type has, and where the processor demands it, no access
//! that is not aligned.

use super::super::memory::{at, largest_piece, load_bytes, store_bytes};
use super::{from_general, result, to_general};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{LowerCtx, RegClass, VectorShape};
use frazil_ir::InstData;

/// Whether one access does it.
fn is_whole(bytes: u32, piece: u32) -> bool {
    bytes.is_power_of_two() && piece >= bytes
}

/// Lowers a load of a vector that is no mask.
pub fn load<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let (bytes, piece) = (shape.memory_bytes(), largest_piece(cx, data));
    let mem = cx.use_addr(data.a, 16);
    if is_whole(bytes, piece) {
        let dst = cx.def(result(data), 0);
        return cx.emit(rm(Op::LdrF, bytes as u8, dst, mem));
    }
    let general = cx.temp(RegClass::Int);
    let high = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    load_bytes(cx, general, mem, bytes.min(8), piece);
    from_general(cx, dst, general);
    if bytes > 8 {
        load_bytes(cx, high, at(mem, 8), bytes - 8, piece);
        cx.emit(rr(Op::FmovHighFromInt, 8, dst, high));
    }
}

/// Lowers a store of a vector that is no mask.
pub fn store<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let (bytes, piece) = (shape.memory_bytes(), largest_piece(cx, data));
    let value = cx.use_reg(data.a, 0);
    let mem = cx.use_addr(data.b, 16);
    if is_whole(bytes, piece) {
        return cx.emit(rm(Op::StrF, bytes as u8, value, mem));
    }
    let general = cx.temp(RegClass::Int);
    to_general(cx, general, value, 0);
    store_bytes(cx, general, mem, bytes.min(8), piece);
    if bytes > 8 {
        to_general(cx, general, value, 1);
        store_bytes(cx, general, at(mem, 8), bytes - 8, piece);
    }
}
