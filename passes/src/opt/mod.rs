//! The passes over the intermediate representation, one file each.
//!
//! A pass is a file here, its module and its row in [`register`], file tests in `tests/filetests/opt/<name>`, and a row
//! in `passes/PASSES.md`. The name of the file is the name of the pass with underscores for hyphens.

use crate::registry::{NoOptions, Registry};

pub mod addr_fold;
pub mod alloca_merge;
pub mod carry_chains;
pub mod cmp_sink;
pub mod dce;
pub mod division_pairs;
pub mod fold;
pub mod hoist_constants;
pub mod licm;
pub mod local_cse;
pub mod mem2reg;
pub mod phi_constants;
pub mod reassociate_addresses;
pub mod redundant_load;
pub mod schedule_vectors;
pub mod select_to_branch;
pub mod short_circuit;
pub mod shuffle_recognition;
pub mod simplify_cfg;
pub mod splat_recognition;
pub mod sroa;

/// Registers all passes of this folder. A pass without options is made by `|NoOptions {}| name::Pass`, one with
/// options by a function that takes them.
pub fn register(registry: &mut Registry) {
    registry.function(addr_fold::INFO, |NoOptions {}| addr_fold::AddrFold);
    registry.function(cmp_sink::INFO, |NoOptions {}| cmp_sink::CmpSink);
    registry.function(hoist_constants::INFO, hoist_constants::make);
    registry.function(licm::INFO, licm::make);
    registry.function(local_cse::INFO, local_cse::make);
    registry.function(sroa::INFO, |NoOptions {}| sroa::Sroa);
    registry.function(mem2reg::INFO, mem2reg::make);
    registry.function(phi_constants::INFO, |NoOptions {}| phi_constants::PhiConstants);
    registry.function(reassociate_addresses::INFO, reassociate_addresses::make);
    registry.function(redundant_load::INFO, redundant_load::make);
    registry.function(schedule_vectors::INFO, |NoOptions {}| schedule_vectors::ScheduleVectors);
    registry.function(alloca_merge::INFO, |NoOptions {}| alloca_merge::AllocaMerge);
    registry.function(dce::INFO, dce::make);
    registry.function(select_to_branch::INFO, |NoOptions {}| select_to_branch::SelectToBranch);
    registry.function(carry_chains::INFO, |NoOptions {}| carry_chains::CarryChains);
    registry.function(division_pairs::INFO, |NoOptions {}| division_pairs::DivisionPairs);
    registry.function(splat_recognition::INFO, |NoOptions {}| {
        splat_recognition::SplatRecognition
    });
    registry.function(shuffle_recognition::INFO, |NoOptions {}| {
        shuffle_recognition::ShuffleRecognition
    });
    registry.function(simplify_cfg::INFO, simplify_cfg::make);
    registry.function(fold::INFO, fold::make);
    registry.function(short_circuit::INFO, short_circuit::make);
}
