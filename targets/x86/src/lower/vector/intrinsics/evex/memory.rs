//! Loads and stores of the lanes that a mask has bits for: one after another, together or apart, or each at an address
//! of its own.
//!
//! An instruction counts what it has done by clearing bits of the mask, so that it can be continued after a fault, and
//! must not write the register with its indices (Intel manual, volume 2, `VPGATHERDD`).

use super::{Entry, apart, is_all_ones, mask_bytes, to_mask};
use crate::build::*;
use crate::evex::Evex;
use crate::lower::result;
use crate::lower::vector::intrinsics::byte;
use crate::lower::vector::wide::is_zero;
use crate::ops::aux;
use crate::regs::{VECTOR_BYTES, WIDEST_VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Mem, Reg, RegClass, VectorShape};
use frazil_ir::{ConstView, Function, InstData, Operand, Refusal};

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

/// The row of an access under a mask for lanes of so many bits, by what follows `llvm.masked.` in its name. Lanes of
/// less than 32 bits go together and apart by a later set of instructions.
fn masked_row(access: &str, lane_bits: u32) -> Option<Evex> {
    Some(match (access.split('.').next()?, lane_bits) {
        ("load", 8) => Evex::Vmovdqu8L,
        ("load", 16) => Evex::Vmovdqu16L,
        ("load", 32) => Evex::Vmovdqu32L,
        ("load", 64) => Evex::Vmovdqu64L,
        ("store", 8) => Evex::Vmovdqu8M,
        ("store", 16) => Evex::Vmovdqu16M,
        ("store", 32) => Evex::Vmovdqu32M,
        ("store", 64) => Evex::Vmovdqu64M,
        ("expandload", 32) => Evex::VpexpanddL,
        ("expandload", 64) => Evex::VpexpandqL,
        ("compressstore", 32) => Evex::VpcompressdM,
        ("compressstore", 64) => Evex::VpcompressqM,
        ("gather", 32) => Evex::Vpgatherqd,
        ("gather", 64) => Evex::Vpgatherqq,
        ("scatter", 32) => Evex::Vpscatterqd,
        ("scatter", 64) => Evex::Vpscatterqq,
        _ => return None,
    })
}

/// Whether an access of LLVM's under a mask has an instruction; the name says the type of lanes.
pub(in crate::lower::vector::intrinsics) fn is_masked(access: &str) -> bool {
    let lane_bits = || {
        let ty = access.split('.').nth(1)?.strip_prefix('v')?;
        let lane = ty.trim_start_matches(|letter: char| letter.is_ascii_digit());
        match lane.split_at_checked(1)? {
            ("i" | "f", bits) => bits.parse().ok(),
            _ => None,
        }
    };
    lane_bits().is_some_and(|bits| masked_row(access, bits).is_some())
}

/// Lowers an access of LLVM's under a mask that legalisation has given an integer for; `false` if it is another.
/// Operands: address, mask, values of other lanes; or values, address, mask.
pub(in crate::lower::vector::intrinsics) fn masked<C: LowerCtx>(cx: &mut C, access: &str, call: &InstData) -> bool {
    let is_store = call.first_result().is_none();
    let args = cx.func().call(call).args.to_vec();
    // Before LLVM 22, there was an immediate alignment after the address.
    let (Some(&first), Some(&last)) = (args.first(), args.last()) else {
        return false;
    };
    let (address, mask) = match is_store {
        true => (args[1], last),
        false => (first, args[args.len() - 2]),
    };
    let signature = cx.func().sig(cx.func().call(call).sig);
    let ty = match is_store {
        true => signature.params[0].ty,
        false => signature.returns[0].ty,
    };
    let Some(shape) = VectorShape::of(cx.func().types(), ty, WIDEST_VECTOR_BYTES) else {
        return false;
    };
    let bytes = ((shape.lanes * shape.lane_bits / 8) as u8).max(VECTOR_BYTES);
    let Some(row) = masked_row(access, shape.lane_bits) else {
        return false;
    };
    let width = (shape.lanes.div_ceil(8)) as u8;
    if matches!(access.split('.').next(), Some("gather" | "scatter")) {
        let others = match is_store {
            true => first,
            false => last,
        };
        each_address(cx, call, row, shape.lanes, [address, mask, others]);
        return true;
    }
    let base = cx.use_reg(address, 0);
    let bits = mask_of_lanes(cx, mask, shape);
    let zeroing = zeroing_row(row).filter(|_| !is_store && is_of_no_value(cx.func(), last));
    let register = match (is_store, zeroing) {
        (true, _) => cx.use_reg(first, 0),
        (false, Some(_)) => cx.def(result(call), 0),
        (false, None) => {
            let kept = cx.use_last(last, 0);
            cx.def_reuse(result(call), 0, kept)
        }
    };
    to_mask(cx, bits, width);
    let access = evex_mem(zeroing.unwrap_or(row), bytes, true, register, Mem::base(base, 0));
    cx.emit(match zeroing {
        Some(_) => access.with_aux(access.aux | aux::ZEROING),
        None => access,
    });
    true
}

/// The row that loads zeros into the lanes that a mask leaves out.
fn zeroing_row(row: Evex) -> Option<Evex> {
    Some(match row {
        Evex::Vmovdqu8L => Evex::Vmovdqu8Z,
        Evex::Vmovdqu16L => Evex::Vmovdqu16Z,
        Evex::Vmovdqu32L => Evex::Vmovdqu32Z,
        Evex::Vmovdqu64L => Evex::Vmovdqu64Z,
        _ => return None,
    })
}

/// Whether a vector may be zero.
pub(in crate::lower::vector::intrinsics) fn is_of_no_value(function: &Function, operand: Operand) -> bool {
    let is_undefined = operand
        .as_const()
        .is_some_and(|id| matches!(function.constant(id).1, ConstView::Undef | ConstView::Poison));
    is_undefined || is_zero(function, operand)
}

/// A register with a mask's bits. What fills less than a register has no other bits in it, since there is memory beyond
/// its lanes; those above eight stay behind on the way to the mask register.
fn mask_of_lanes<C: LowerCtx>(cx: &mut C, mask: Operand, shape: VectorShape) -> Reg {
    let bits = cx.use_reg(mask, 0);
    if shape.lanes * shape.lane_bits >= u32::from(VECTOR_BYTES) * 8 || shape.lanes == 8 {
        return bits;
    }
    let own = cx.temp(RegClass::Int);
    cx.emit(rr(Op::MovzxLRR, 4, own, bits));
    cx.emit(ri(Op::AndRI, 4, own, (1 << shape.lanes) - 1));
    own
}

/// An access at an address of its own for each lane, which are indices of bytes beyond zero. Operands: addresses, mask,
/// and what is stored or what other lanes are.
fn each_address<C: LowerCtx>(
    cx: &mut C,
    call: &InstData,
    row: Evex,
    lanes: u32,
    [addresses, mask, values]: [Operand; 3],
) {
    const ADDRESS_BYTES: u32 = 8;
    // The longer vector says how long the operation is: no lanes are wider than addresses.
    let bytes = (lanes * ADDRESS_BYTES) as u8;
    let width = lanes.div_ceil(8) as u8;
    let (index, bits, values) = (cx.use_reg(addresses, 0), cx.use_reg(mask, 0), cx.use_reg(values, 0));
    let base = cx.temp(RegClass::Int);
    let put_operands = |cx: &mut C| {
        cx.emit(mov_imm64(base, 0));
        to_mask(cx, bits, width);
        Mem::indexed(base, index, 0, 0)
    };
    if call.first_result().is_none() {
        let mem = put_operands(cx);
        return cx.emit(evex_mem(row, bytes, true, values, mem));
    }
    apart(cx, call, Some(values), |cx, dst| {
        let mem = put_operands(cx);
        cx.emit(evex_mem(row, bytes, true, dst, mem));
    });
}
