//! Masks: between lane widths, as the bits of an integer, and as what chooses a minimum or maximum.

use super::super::extreme::extreme;
use super::super::result;
use super::extend::extension;
use super::{constant, copy_of, has_sse41, lane_bytes, mask_register, temp};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::{Halt, LowerCtx, Reg, RegClass, VectorShape};
use frazil_ir::InstData;

/// Bits of a mask's lanes in its register, by the number of lanes.
pub(super) fn lane_bits(lanes: u32) -> u32 {
    (128 / lanes.next_power_of_two()).min(64)
}

/// Brings the lanes of a mask, in a register of the rule, to another width.
pub(super) fn resize<C: LowerCtx>(cx: &mut C, mask: Reg, from_bits: u32, to_bits: u32) {
    let mut bits = from_bits;
    while bits > to_bits {
        cx.emit(match bits {
            128 => break,
            64 => rri(Op::PshufdRRI, 16, mask, mask, 0x08),
            32 => rr(Op::PackssdwRR, 16, mask, mask),
            _ => rr(Op::PacksswbRR, 16, mask, mask),
        });
        bits /= 2;
    }
    if to_bits > 2 * bits
        && has_sse41(cx.view())
        && let Some(row) = extension(bits, to_bits, true)
    {
        cx.emit(rr(row, 16, mask, mask));
        return;
    }
    while bits < to_bits {
        let row = match bits {
            8 => Op::PunpcklbwRR,
            16 => Op::PunpcklwdRR,
            32 => Op::PunpckldqRR,
            _ => Op::PunpcklqdqRR,
        };
        cx.emit(rr(row, 16, mask, mask));
        bits *= 2;
    }
}

/// The lanes of a mask as bits of a general register, the first lowest; what is above them is undefined.
pub(super) fn to_bits<C: LowerCtx>(cx: &mut C, dst: Reg, mask: Reg, shape: VectorShape) {
    match shape.lane_bits {
        8 => cx.emit(rr(Op::PmovmskbRX, 16, dst, mask)),
        16 => {
            let packed = copy_of(cx, mask);
            cx.emit(rr(Op::PacksswbRR, 16, packed, packed));
            cx.emit(rr(Op::PmovmskbRX, 16, dst, packed));
        }
        32 => cx.emit(rr(Op::MovmskpRX, 4, dst, mask)),
        _ => cx.emit(rr(Op::MovmskpRX, 8, dst, mask)),
    }
}

/// A mask of the low bits of a general register.
pub(super) fn from_bits<C: LowerCtx>(cx: &mut C, dst: Reg, bits: Reg, shape: VectorShape) {
    if mask_register::is_available(cx.view().features) {
        return mask_register::spread_bits(cx, dst, bits, shape);
    }
    cx.emit(rr(Op::MovdXR, 4, dst, bits));
    let shuffle = |row, lanes| rri(row, 16, dst, dst, lanes);
    match shape.lane_bits {
        8 => {
            cx.emit(rr(Op::PunpcklbwRR, 16, dst, dst));
            cx.emit(shuffle(Op::PshuflwRRI, 0x50));
            cx.emit(shuffle(Op::PshufdRRI, 0x50));
        }
        16 => {
            cx.emit(shuffle(Op::PshuflwRRI, 0));
            cx.emit(shuffle(Op::PshufdRRI, 0));
        }
        _ => cx.emit(shuffle(Op::PshufdRRI, 0)),
    }
    // Each 32-bit half of a wide lane is compared.
    let width = shape.lane_bits.min(32);
    let per_lane = shape.lane_bits / width;
    let tested = (0..128 / width).fold(0u128, |tested, part| {
        let bit = 1u128 << (part / per_lane % 8 % shape.lanes.next_power_of_two());
        tested | bit << (part * width)
    });
    let mem = constant(cx, tested);
    cx.emit(rm(Op::PandRM, 16, dst, mem));
    let expected = temp(cx);
    cx.emit(rm(Op::MovapRM, 4, expected, mem));
    let row = match width {
        8 => Op::PcmpeqbRR,
        16 => Op::PcmpeqwRR,
        _ => Op::PcmpeqdRR,
    };
    cx.emit(rr(row, 16, dst, expected));
}

/// Lowers a select of floats that is a minimum or maximum of them.
pub(super) fn min_max<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    compare: &InstData,
    shape: VectorShape,
) -> Result<(), Halt> {
    let (row, is_straight) = extreme(cx.func(), data, compare).ok_or(Halt::Expand)?;
    let (if_true, if_false) = cx.func().ternary(data);
    let (first, second) = if is_straight {
        (if_true, if_false)
    } else {
        (if_false, if_true)
    };
    let second = cx.use_reg(second, 0);
    let first = cx.use_last(first, 0);
    let dst = cx.def_reuse(result(data), 0, first);
    cx.emit(rr(row, lane_bytes(shape), dst, second));
    Ok(())
}

/// A mask's bits in a new general register.
pub(super) fn bits_of<C: LowerCtx>(cx: &mut C, mask: Reg, shape: VectorShape) -> Reg {
    let bits = cx.temp(RegClass::Int);
    to_bits(cx, bits, mask, shape);
    bits
}
