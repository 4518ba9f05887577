//! The passes over machine code, one file each, as in [`crate::opt`].

use crate::registry::{NoOptions, Registry};

pub mod branch_opt;
mod chains;
mod cycles;
pub mod hoist_vectors;
mod live;
pub mod mach_local_cse;
pub mod mask_registers;
pub mod pair_accesses;
pub mod peephole;
pub mod shrink_wrap;
mod slots;
pub mod tail_merge;
pub mod three_operand;

/// Registers all passes over machine code.
pub fn register(registry: &mut Registry) {
    registry.mach(hoist_vectors::INFO, |NoOptions {}| hoist_vectors::HoistVectors);
    registry.mach(mask_registers::INFO, |NoOptions {}| mask_registers::MaskRegisters);
    registry.mach(mach_local_cse::INFO, |NoOptions {}| mach_local_cse::MachLocalCse);
    registry.mach(peephole::INFO, |NoOptions {}| peephole::Peephole);
    registry.mach(tail_merge::INFO, tail_merge::make);
    registry.mach(branch_opt::INFO, |NoOptions {}| branch_opt::BranchOpt);
    registry.mach(shrink_wrap::INFO, |NoOptions {}| shrink_wrap::ShrinkWrap);
    registry.mach(pair_accesses::INFO, |NoOptions {}| pair_accesses::PairAccesses);
    registry.mach(three_operand::INFO, |NoOptions {}| three_operand::ThreeOperand);
}
