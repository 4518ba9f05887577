//! Which instruction does an operation of two vectors of 16 bytes or less, or of two vectors of integers of 32 bytes,
//! where there is one.

use super::{has_floats, has_sse41, lane_bytes};
use crate::table::Op;
use frazil_codegen::{ModuleView, VectorShape};
use frazil_ir::Opcode;

/// The row of an operation of two operands, and its size.
pub fn row(view: ModuleView<'_>, op: Opcode, shape: VectorShape) -> Option<(Op, u8)> {
    let row = match (op, shape.lane_bits) {
        (Opcode::And, _) => Op::PandRR,
        (Opcode::Or, _) => Op::PorRR,
        (Opcode::Xor, _) => Op::PxorRR,
        _ if shape.is_mask => mask_row(op)?,
        _ if has_floats(shape) => return Some((float_row(op)?, lane_bytes(shape))),
        (Opcode::Add, 8) => Op::PaddbRR,
        (Opcode::Add, 16) => Op::PaddwRR,
        (Opcode::Add, 32) => Op::PadddRR,
        (Opcode::Add, 64) => Op::PaddqRR,
        (Opcode::Sub, 8) => Op::PsubbRR,
        (Opcode::Sub, 16) => Op::PsubwRR,
        (Opcode::Sub, 32) => Op::PsubdRR,
        (Opcode::Sub, 64) => Op::PsubqRR,
        (Opcode::Mul, 16) => Op::PmullwRR,
        (Opcode::ByteDifferences, _) => Op::PsadbwRR,
        (Opcode::WordProducts, _) => Op::PmaddwdRR,
        (Opcode::UmulHigh, 16) => Op::PmulhuwRR,
        (Opcode::SmulHigh, 16) => Op::PmulhwRR,
        (Opcode::UaddSat, 8) => Op::PaddusbRR,
        (Opcode::UaddSat, 16) => Op::PadduswRR,
        (Opcode::SaddSat, 8) => Op::PaddsbRR,
        (Opcode::SaddSat, 16) => Op::PaddswRR,
        (Opcode::UsubSat, 8) => Op::PsubusbRR,
        (Opcode::UsubSat, 16) => Op::PsubuswRR,
        (Opcode::SsubSat, 8) => Op::PsubsbRR,
        (Opcode::SsubSat, 16) => Op::PsubswRR,
        (Opcode::Umin, 8) => Op::PminubRR,
        (Opcode::Umax, 8) => Op::PmaxubRR,
        (Opcode::Smin, 16) => Op::PminswRR,
        (Opcode::Smax, 16) => Op::PmaxswRR,
        (op, bits) if has_sse41(view) => later_row(op, bits)?,
        _ => return None,
    };
    Some((row, 16))
}

/// Operations on masks, as on numbers of one bit.
fn mask_row(op: Opcode) -> Option<Op> {
    Some(match op {
        Opcode::Add | Opcode::Sub => Op::PxorRR,
        Opcode::Mul => Op::PandRR,
        _ => return None,
    })
}

fn float_row(op: Opcode) -> Option<Op> {
    Some(match op {
        Opcode::Fadd => Op::AddpRR,
        Opcode::Fsub => Op::SubpRR,
        Opcode::Fmul => Op::MulpRR,
        Opcode::Fdiv => Op::DivpRR,
        _ => return None,
    })
}

/// What SSE4.1 adds.
fn later_row(op: Opcode, lane_bits: u32) -> Option<Op> {
    Some(match (op, lane_bits) {
        (Opcode::Mul, 32) => Op::PmulldRR,
        (Opcode::Smin, 8) => Op::PminsbRR,
        (Opcode::Smin, 32) => Op::PminsdRR,
        (Opcode::Smax, 8) => Op::PmaxsbRR,
        (Opcode::Smax, 32) => Op::PmaxsdRR,
        (Opcode::Umin, 16) => Op::PminuwRR,
        (Opcode::Umin, 32) => Op::PminudRR,
        (Opcode::Umax, 16) => Op::PmaxuwRR,
        (Opcode::Umax, 32) => Op::PmaxudRR,
        _ => return None,
    })
}

/// The row of an operation of two vectors of integers of 32 bytes.
pub fn wide_integers(op: Opcode, lane_bits: u32) -> Option<Op> {
    Some(match (op, lane_bits) {
        (Opcode::And, _) => Op::VpandYRRR,
        (Opcode::Or, _) => Op::VporYRRR,
        (Opcode::Xor, _) => Op::VpxorYRRR,
        (Opcode::Add, 8) => Op::VpaddbYRRR,
        (Opcode::Add, 16) => Op::VpaddwYRRR,
        (Opcode::Add, 32) => Op::VpadddYRRR,
        (Opcode::Add, 64) => Op::VpaddqYRRR,
        (Opcode::Sub, 8) => Op::VpsubbYRRR,
        (Opcode::Sub, 16) => Op::VpsubwYRRR,
        (Opcode::Sub, 32) => Op::VpsubdYRRR,
        (Opcode::Sub, 64) => Op::VpsubqYRRR,
        (Opcode::ByteDifferences, _) => Op::VpsadbwYRRR,
        (Opcode::WordProducts, _) => Op::VpmaddwdYRRR,
        (Opcode::Mul, 16) => Op::VpmullwYRRR,
        (Opcode::Mul, 32) => Op::VpmulldYRRR,
        (Opcode::UaddSat, 8) => Op::VpaddusbYRRR,
        (Opcode::UaddSat, 16) => Op::VpadduswYRRR,
        (Opcode::SaddSat, 8) => Op::VpaddsbYRRR,
        (Opcode::SaddSat, 16) => Op::VpaddswYRRR,
        (Opcode::UsubSat, 8) => Op::VpsubusbYRRR,
        (Opcode::UsubSat, 16) => Op::VpsubuswYRRR,
        (Opcode::SsubSat, 8) => Op::VpsubsbYRRR,
        (Opcode::SsubSat, 16) => Op::VpsubswYRRR,
        (Opcode::Umin, 8) => Op::VpminubYRRR,
        (Opcode::Umin, 16) => Op::VpminuwYRRR,
        (Opcode::Umin, 32) => Op::VpminudYRRR,
        (Opcode::Umax, 8) => Op::VpmaxubYRRR,
        (Opcode::Umax, 16) => Op::VpmaxuwYRRR,
        (Opcode::Umax, 32) => Op::VpmaxudYRRR,
        (Opcode::Smin, 8) => Op::VpminsbYRRR,
        (Opcode::Smin, 16) => Op::VpminswYRRR,
        (Opcode::Smin, 32) => Op::VpminsdYRRR,
        (Opcode::Smax, 8) => Op::VpmaxsbYRRR,
        (Opcode::Smax, 16) => Op::VpmaxswYRRR,
        (Opcode::Smax, 32) => Op::VpmaxsdYRRR,
        _ => return None,
    })
}
