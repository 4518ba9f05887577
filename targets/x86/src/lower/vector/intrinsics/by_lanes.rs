//! Loads and stores under masks that are vectors of integers, of which the negative ones are on (Intel manual, volume
//! 2, `VPMASKMOV`). Lanes that are off are not accessed. Legalisation has put the operands in order: address, mask,
//! other lanes; or values, address, mask ([`frazil_codegen::Isa::has_lane_masks`]).

use super::evex::is_of_no_value;
use super::temp;
use crate::build::*;
use crate::lower::result;
use crate::regs::{SCRATCH_FLOAT, VECTOR_BYTES, WIDE_VECTOR_BYTES};
use crate::rows;
use crate::table::Op;
use frazil_codegen::{GroupKind, LowerCtx, MInst, Mem, Reg, VectorShape};
use frazil_ir::InstData;

/// The rows for vectors of 16 and 32 bytes: loads and stores.
fn rows(lane_bits: u32, bytes: u8) -> Option<[Op; 2]> {
    Some(match (lane_bits, bytes) {
        (32, VECTOR_BYTES) => [Op::VpmaskmovdRM, Op::VpmaskmovdMR],
        (64, VECTOR_BYTES) => [Op::VpmaskmovqRM, Op::VpmaskmovqMR],
        (32, WIDE_VECTOR_BYTES) => [Op::VpmaskmovdYRM, Op::VpmaskmovdYMR],
        (64, WIDE_VECTOR_BYTES) => [Op::VpmaskmovqYRM, Op::VpmaskmovqYMR],
        _ => return None,
    })
}

/// Lowers a load or store; `false` if it is another access.
pub(super) fn masked<C: LowerCtx>(cx: &mut C, call: &InstData) -> bool {
    let args = cx.func().call(call).args.to_vec();
    let &[first, second, third] = args.as_slice() else {
        return false;
    };
    let signature = cx.func().sig(cx.func().call(call).sig);
    let vector = signature
        .returns
        .first()
        .or(signature.params.first())
        .map(|param| param.ty);
    let shape = vector.and_then(|ty| VectorShape::of(cx.func().types(), ty, WIDE_VECTOR_BYTES));
    let Some(shape) = shape else {
        return false;
    };
    let bytes = (shape.lanes * shape.lane_bits / 8) as u8;
    let Some([load, store]) = rows(shape.lane_bits, bytes) else {
        return false;
    };
    if call.first_result().is_none() {
        let (values, base, mask) = (cx.use_reg(first, 0), cx.use_reg(second, 0), cx.use_reg(third, 0));
        cx.begin_group(GroupKind::Plain);
        cx.emit(copy(bytes, SCRATCH_FLOAT, mask));
        cx.emit(mr(store, bytes, Mem::base(base, 0), values));
        cx.end_group();
        return true;
    }
    let (base, mask) = (cx.use_reg(first, 0), cx.use_reg(second, 0));
    let others = (!is_of_no_value(cx.func(), third)).then(|| cx.use_reg(third, 0));
    let loaded = temp(cx);
    cx.emit(copy(bytes, loaded, mask));
    cx.emit(rm(load, bytes, loaded, Mem::base(base, 0)));
    // What is off has become zero.
    match others {
        None => {}
        Some(others) if bytes == VECTOR_BYTES => {
            let kept = temp(cx);
            cx.emit(copy(bytes, kept, mask));
            cx.emit(rr(Op::PandnRR, bytes, kept, others));
            cx.emit(rr(Op::PorRR, bytes, loaded, kept));
        }
        Some(others) => {
            let kept = temp(cx);
            cx.emit(rrr(Op::VpandnYRRR, bytes, kept, mask, others));
            cx.emit(rrr(Op::VporYRRR, bytes, loaded, loaded, kept));
        }
    }
    cx.def_reuse(result(call), 0, loaded);
    true
}

/// Copies a vector of 16 or 32 bytes, by an instruction with a VEX prefix: nothing gives one to those in a group.
fn copy(bytes: u8, dst: Reg, src: Reg) -> MInst {
    if bytes == WIDE_VECTOR_BYTES {
        return rr(Op::VmovupYRR, bytes, dst, src);
    }
    let inst = rr(Op::MovapRR, 4, dst, src);
    rows::with_vex(&inst).unwrap_or(inst)
}
