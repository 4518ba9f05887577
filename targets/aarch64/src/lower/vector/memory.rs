//! Loads and stores of vectors: exactly as many bytes as the type has, and where the processor demands it, no access
//! that is not aligned.

use super::super::memory::{at, load_bytes, marked, pieces, store_bytes, use_address};
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
    let (bytes, pieces) = (shape.memory_bytes(), pieces(cx, data));
    let mem = use_address(cx, data.a, 16);
    if is_whole(bytes, pieces.largest) {
        let dst = cx.def(result(data), 0);
        return cx.emit(marked(rm(Op::LdrF, bytes as u8, dst, mem), pieces));
    }
    let general = cx.temp(RegClass::Int);
    let high = cx.temp(RegClass::Int);
    let dst = cx.def(result(data), 0);
    load_bytes(cx, general, mem, bytes.min(8), pieces);
    from_general(cx, dst, general);
    if bytes > 8 {
        load_bytes(cx, high, at(mem, 8), bytes - 8, pieces);
        cx.emit(rr(Op::FmovHighFromInt, 8, dst, high));
    }
}

/// Lowers a store of a vector that is no mask.
pub fn store<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let (bytes, pieces) = (shape.memory_bytes(), pieces(cx, data));
    let value = cx.use_reg(data.a, 0);
    let mem = use_address(cx, data.b, 16);
    if is_whole(bytes, pieces.largest) {
        return cx.emit(marked(rm(Op::StrF, bytes as u8, value, mem), pieces));
    }
    let general = cx.temp(RegClass::Int);
    to_general(cx, general, value, 0);
    store_bytes(cx, general, mem, bytes.min(8), pieces);
    if bytes > 8 {
        to_general(cx, general, value, 1);
        store_bytes(cx, general, at(mem, 8), bytes - 8, pieces);
    }
}
