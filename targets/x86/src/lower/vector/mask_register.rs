//! The mask register of AVX-512: where it is used, how bits get there, and how they become lanes. What is compared into
//! it, and what takes it, is in [`super::by_bits`].

use crate::build::*;
use crate::evex::Evex;
use crate::features;
use crate::regs::{MASK, VECTOR_BYTES};
use frazil_codegen::features::FeatureSet;
use frazil_codegen::{LowerCtx, Reg, VectorShape};

/// Whether a function with these features has masks there: those of the x86-64-v4 level.
pub fn is_available(features: FeatureSet) -> bool {
    let needed = [
        features::AVX512F,
        features::AVX512BW,
        features::AVX512DQ,
        features::AVX512VL,
    ];
    needed.iter().all(|&feature| features.has(feature))
}

/// Moves the low bits of a general register to the mask register, for so many lanes.
pub fn put_bits<C: LowerCtx>(cx: &mut C, bits: Reg, lanes: u32) {
    let row = match lanes {
        ..=16 => Evex::KmovwKR,
        17..=32 => Evex::KmovdKR,
        _ => Evex::KmovqKR,
    };
    cx.emit(evex(row, VECTOR_BYTES, false, [MASK, bits, Reg::NONE], 0));
}

/// Fills each lane with its bit of the mask register.
pub fn spread<C: LowerCtx>(cx: &mut C, dst: Reg, lane_bits: u32, bytes: u8) {
    let row = match lane_bits {
        8 => Evex::Vpmovm2b,
        16 => Evex::Vpmovm2w,
        32 => Evex::Vpmovm2d,
        _ => Evex::Vpmovm2q,
    };
    cx.emit(evex(row, bytes, false, [dst, MASK, Reg::NONE], 0));
}

/// Spreads bits of a general register over the lanes of a shorter vector's mask.
pub fn spread_bits<C: LowerCtx>(cx: &mut C, dst: Reg, bits: Reg, shape: VectorShape) {
    put_bits(cx, bits, shape.lanes);
    spread(cx, dst, shape.lane_bits, VECTOR_BYTES);
}
