//! Gathers and scatters: loads and stores of the lanes that a mask has bits for.
//!
//! An instruction counts what it has done by clearing bits of the mask, so that it can be continued after a fault, and
//! must not write the register with its indices (Intel manual, volume 2, `VPGATHERDD`).

use super::{Entry, apart, is_all_ones, mask_bytes, to_mask};
use crate::build::*;
use crate::lower::vector::intrinsics::byte;
use frazil_codegen::{CodegenError, LowerCtx, Mem, Reg};
use frazil_ir::{InstData, Operand, Refusal};

/// Operands: what other lanes are, address, indices, mask, scale.
pub(super) fn gather<C: LowerCtx>(
    cx: &mut C,
    call: &InstData,
    args: &[Operand],
    entry: &Entry,
) -> Result<(), CodegenError> {
    let scale_log2 = scale(args)?;
    let bytes = entry.bytes;
    let (base, index) = (cx.use_reg(args[1], 0), cx.use_reg(args[2], 0));
    let (mask, width) = (cx.use_reg(args[3], 0), mask_width(cx, args[3]));
    let kept = cx.use_reg(args[0], 0);
    apart(cx, call, Some(kept), |cx, dst| {
        to_mask(cx, mask, width);
        let mem = Mem::indexed(base, index, scale_log2, 0);
        cx.emit(evex_mem(entry.row, bytes, true, dst, mem));
    });
    Ok(())
}

/// Operands: address, mask, indices, values, scale.
pub(super) fn scatter<C: LowerCtx>(cx: &mut C, args: &[Operand], entry: &Entry) -> Result<(), CodegenError> {
    let scale_log2 = scale(args)?;
    let (base, index) = (cx.use_reg(args[0], 0), cx.use_reg(args[2], 0));
    let (mask, width) = (cx.use_reg(args[1], 0), mask_width(cx, args[1]));
    let values: Reg = cx.use_reg(args[3], 0);
    to_mask(cx, mask, width);
    let mem = Mem::indexed(base, index, scale_log2, 0);
    cx.emit(evex_mem(entry.row, entry.bytes, true, values, mem));
    Ok(())
}

/// A constant has all bits that there may be.
fn mask_width<C: LowerCtx>(cx: &C, mask: Operand) -> u8 {
    if is_all_ones(mask) {
        2
    } else {
        mask_bytes(cx, mask).min(2)
    }
}

fn scale(args: &[Operand]) -> Result<u8, CodegenError> {
    match byte(args, 4)? {
        scale @ (1 | 2 | 4 | 8) => Ok(scale.trailing_zeros() as u8),
        _ => Err(CodegenError::unsupported(
            Refusal::Intrinsic,
            "a gather or scatter with this scale",
        )),
    }
}
