//! Loads of vectors whose lanes are extended at once: `pmovzx` and `pmovsx` with an operand in memory.
//!
//! ```text
//! v2 = load <8 x i8> v0
//! v3 = zext <8 x i16> v2                  ->     pmovzxbw xmm0, [rdi]
//! ```
//!
//! The result fills a register, so that exactly the bytes of the narrow vector are read.

use super::super::result;
use super::{mask_register, wide};
use crate::build::*;
use crate::evex::Evex;
use crate::features;
use crate::regs::{VECTOR_BYTES, WIDE_VECTOR_BYTES, WIDEST_VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::features::FeatureSet;
use frazil_codegen::{Folder, ImmKind, LowerCtx, Src, VectorShape};
use frazil_ir::{Function, InstData, Opcode};

/// The rows of an extension, by the bytes of its result.
struct Rows {
    size: u8,
    short: Op,
    wide: Op,
    widest: Evex,
}

/// The rows of an extension whose result fills a register.
fn rows(function: &Function, data: &InstData) -> Option<Rows> {
    let types = function.types();
    let size = wide::bytes(types, data.ty).max(VECTOR_BYTES);
    let to = VectorShape::of(types, data.ty, size).filter(|to| !to.is_mask)?;
    let from = VectorShape::of(types, function.operand_type(data.a)?, size).filter(|from| !from.is_mask)?;
    if to.lanes * to.lane_bits != u32::from(size) * 8 {
        return None;
    }
    let of = |short, wide, widest| {
        Some(Rows {
            size,
            short,
            wide,
            widest,
        })
    };
    match (data.op, from.lane_bits, to.lane_bits) {
        (Opcode::Zext, 8, 16) => of(Op::PmovzxbwRM, Op::VpmovzxbwYRM, Evex::VpmovzxbwL),
        (Opcode::Zext, 8, 32) => of(Op::PmovzxbdRM, Op::VpmovzxbdYRM, Evex::VpmovzxbdL),
        (Opcode::Zext, 8, 64) => of(Op::PmovzxbqRM, Op::VpmovzxbqYRM, Evex::VpmovzxbqL),
        (Opcode::Zext, 16, 32) => of(Op::PmovzxwdRM, Op::VpmovzxwdYRM, Evex::VpmovzxwdL),
        (Opcode::Zext, 16, 64) => of(Op::PmovzxwqRM, Op::VpmovzxwqYRM, Evex::VpmovzxwqL),
        (Opcode::Zext, 32, 64) => of(Op::PmovzxdqRM, Op::VpmovzxdqYRM, Evex::VpmovzxdqL),
        (Opcode::Sext, 8, 16) => of(Op::PmovsxbwRM, Op::VpmovsxbwYRM, Evex::VpmovsxbwL),
        (Opcode::Sext, 8, 32) => of(Op::PmovsxbdRM, Op::VpmovsxbdYRM, Evex::VpmovsxbdL),
        (Opcode::Sext, 8, 64) => of(Op::PmovsxbqRM, Op::VpmovsxbqYRM, Evex::VpmovsxbqL),
        (Opcode::Sext, 16, 32) => of(Op::PmovsxwdRM, Op::VpmovsxwdYRM, Evex::VpmovsxwdL),
        (Opcode::Sext, 16, 64) => of(Op::PmovsxwqRM, Op::VpmovsxwqYRM, Evex::VpmovsxwqL),
        (Opcode::Sext, 32, 64) => of(Op::PmovsxdqRM, Op::VpmovsxdqYRM, Evex::VpmovsxdqL),
        _ => None,
    }
}

/// Whether extensions to so many bytes have instructions.
fn is_available(features: FeatureSet, size: u8) -> bool {
    match size {
        WIDEST_VECTOR_BYTES => mask_register::is_available(features),
        WIDE_VECTOR_BYTES => features.has(features::AVX2),
        _ => features.has(features::SSE4_1),
    }
}

/// Folds a load into an extension of its lanes; says whether there is one.
pub fn fold(folder: &mut Folder<'_>, data: &InstData) -> bool {
    let rows = rows(folder.function, data).filter(|rows| is_available(folder.features(), rows.size));
    let load = folder.producer(data.a).filter(|(_, load)| load.op == Opcode::Load);
    let (Some(_), Some((value, load))) = (rows, load) else {
        return false;
    };
    folder.fold_load(value, load);
    true
}

/// Lowers an extension that a load is folded into; `false` if it is another instruction.
pub fn load<C: LowerCtx>(cx: &mut C, data: &InstData) -> bool {
    let is_extension = matches!(data.op, Opcode::Zext | Opcode::Sext);
    if !is_extension || !cx.is_folded(data.a) {
        return false;
    }
    let function = cx.func();
    let load = data.a.as_value().and_then(|value| function.def_inst(value));
    if load.is_none_or(|load| function.inst(load).op != Opcode::Load) {
        return false;
    }
    let rows = rows(function, data).expect("it was folded");
    let Src::Mem(mem) = cx.use_src(data.a, 0, ImmKind::None) else {
        unreachable!("the load was folded");
    };
    let dst = cx.def(result(data), 0);
    cx.emit(match rows.size {
        WIDEST_VECTOR_BYTES => evex_mem(rows.widest, rows.size, false, dst, mem),
        WIDE_VECTOR_BYTES => rm(rows.wide, rows.size, dst, mem),
        _ => rm(rows.short, rows.size, dst, mem),
    });
    true
}
