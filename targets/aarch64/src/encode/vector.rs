//! Words of instructions on vectors, as far as they are not those of other rows.

use crate::ops::{Code, VectorForm, Width, aux};
use frazil_codegen::MInst;

/// Log2 of the bytes of a lane.
pub(crate) fn lane_log2(inst: &MInst) -> u32 {
    u32::from(inst.aux & aux::LANE_MASK)
}

/// The bits that the sizes of vector and lanes decide.
pub(super) fn sized(code: &Code, inst: &MInst) -> u32 {
    let quad = u32::from(inst.size == 16) << 30;
    match code.width {
        Width::Lanes => quad | lane_log2(inst) << 22,
        Width::Whole | Width::Immediate => quad,
        Width::FloatLanes if lane_log2(inst) == 1 => quad | code.word ^ code.half,
        Width::FloatLanes => quad | u32::from(lane_log2(inst) == 3) << 22,
        Width::ScalarLanes => lane_log2(inst) << 22,
        _ => 0,
    }
}

/// A copy of a whole register, or of a float.
pub(super) fn copy(inst: &MInst) -> u32 {
    let (dst, src) = (inst.reg(0).number(), inst.reg(1).number());
    match inst.size {
        16 => 0x4ea0_1c00 | dst | src << 5 | src << 16,
        8 => 0x1e60_4000 | dst | src << 5,
        // There is no copy of less that all processors have.
        _ => 0x1e20_4000 | dst | src << 5,
    }
}

/// What a form has besides registers.
pub(super) fn extra(inst: &MInst, form: VectorForm) -> u32 {
    match form {
        VectorForm::Modified => modified(inst),
        _ => 0,
    }
}

/// Eight bits that are spread over the lanes (Arm ARM, `AdvSIMDExpandImm`).
fn modified(inst: &MInst) -> u32 {
    let imm = inst.imm.cast_unsigned() & 0xff;
    let shift = inst.disp.cast_unsigned() / 8;
    let mode = match lane_log2(inst) {
        0 => 0b1110,
        1 => 0b1000 | shift << 1,
        2 => shift << 1,
        // Each bit is a byte.
        _ => 0b1110 | 1 << 17,
    };
    mode << 12 | (imm >> 5) << 16 | (imm & 31) << 5
}
