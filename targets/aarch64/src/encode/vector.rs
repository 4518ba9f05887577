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
    let lane = lane_log2(inst);
    // A single lane is a scalar in a vector register.
    let scalar = if u32::from(inst.size) == 1 << lane { 5 << 28 } else { 0 };
    match code.width {
        Width::Lanes => quad | scalar | lane << 22,
        Width::Shift => quad | scalar,
        Width::Whole => quad,
        Width::FloatLanes if lane == 1 => quad | scalar | (code.word ^ code.half),
        Width::FloatLanes => quad | scalar | u32::from(lane == 3) << 22,
        Width::FloatScalar if lane == 1 => code.word ^ code.half,
        Width::FloatScalar => u32::from(lane == 3) << 22,
        Width::FloatHalf => quad | u32::from(lane == 2) << 22,
        Width::General => u32::from(inst.size == 8) << 30,
        Width::All => quad | lane << 10,
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
    let lane = lane_log2(inst);
    let imm = inst.imm.cast_unsigned();
    let bits = 8u32 << lane;
    match form {
        VectorForm::ShiftLeft => {
            debug_assert!(imm < bits, "a shift of a lane by {imm}");
            (bits + imm) << 16
        }
        VectorForm::ShiftRight => {
            debug_assert!((1..=bits).contains(&imm), "a shift of a lane by {imm}");
            (2 * bits - imm) << 16
        }
        VectorForm::ByLane if lane == 3 => imm << 11,
        VectorForm::ByLane => (imm >> 1) << 11 | (imm & 1) << 21,
        VectorForm::FromLane | VectorForm::FromLaneSigned | VectorForm::ToLane => place(imm, lane) << 16,
        VectorForm::FromGeneral => place(0, lane) << 16,
        VectorForm::Lanes => place(imm & 15, lane) << 16 | (imm >> 4) << lane << 11,
        VectorForm::Extract => imm << 11,
        VectorForm::Modified => modified(inst),
        VectorForm::ModifiedOnes => u32::from(inst.disp == 16) << 12 | spread(imm),
        VectorForm::Float => {
            let width = match lane {
                1 => 1 << 11,
                3 => 1 << 29,
                _ => 0,
            };
            width | spread(imm)
        }
        // Of a sum the turn is one or three quarters.
        VectorForm::Complex if inst.op == crate::table::Op::FcaddV as u16 => (imm >> 1) << 12,
        VectorForm::Complex => imm << 11,
        VectorForm::LoadLane | VectorForm::StoreLane => memory_lane(imm, lane),
        VectorForm::Three => inst.reg(0).number() << 5,
        VectorForm::ByWord => imm << 12,
        VectorForm::Turned => imm << 10,
        VectorForm::LoadList(_) | VectorForm::StoreList(_) => list_base(inst),
        VectorForm::LoadListLane(_) | VectorForm::StoreListLane(_) => list_base(inst) | memory_lane(imm, lane),
        VectorForm::Filled(_)
        | VectorForm::ShiftAll
        | VectorForm::Zero
        | VectorForm::FloatZero
        | VectorForm::LoadAll
        | VectorForm::TableList(_) => 0,
    }
}

/// The base of an access of a list, which is the only register that instructions name.
fn list_base(inst: &MInst) -> u32 {
    super::number(inst.reg(1)) << 5
}

/// A lane and how wide it is, in five bits.
fn place(index: u32, lane: u32) -> u32 {
    debug_assert!(index << lane < 16, "lane {index}");
    index << (lane + 1) | 1 << lane
}

/// The fields of eight bits.
fn spread(imm: u32) -> u32 {
    (imm >> 5 & 7) << 16 | (imm & 31) << 5
}

/// Eight bits that are spread over the lanes (Arm ARM, `AdvSIMDExpandImm`).
fn modified(inst: &MInst) -> u32 {
    let shift = inst.disp.cast_unsigned() / 8;
    let mode = match lane_log2(inst) {
        0 => 0b1110,
        1 => 0b1000 | shift << 1,
        2 => shift << 1,
        // Each bit is a byte.
        _ => 0b1110 | 1 << 17,
    };
    mode << 12 | spread(inst.imm.cast_unsigned())
}

/// The fields of a lane that is loaded or stored.
fn memory_lane(index: u32, lane: u32) -> u32 {
    // A number of four bits, the uppermost of which is in bit 30 and the others in bits 10 to 12.
    let (opcode, place) = match lane {
        0 => (0, index),
        1 => (2, index << 1),
        2 => (4, index << 2),
        _ => (4, index << 3 | 1),
    };
    opcode << 13 | (place >> 3) << 30 | (place & 7) << 10
}
