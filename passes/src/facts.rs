//! What passes may know of a target, from its description.

use frazil_codegen::desc::TargetDesc;
use frazil_codegen::reg::RegClass;
use frazil_ir::TargetFacts;

/// The facts about a target.
pub fn target_facts(desc: &TargetDesc) -> TargetFacts {
    let registers = |class| {
        let set = desc.class(class).allocatable;
        (set.bank(0).count_ones() + set.bank(1).count_ones()) as u8
    };
    TargetFacts {
        pointer_bits: 8 * u32::from(desc.pointer_bytes),
        native_int_bits: 8 * u32::from(desc.class(RegClass::Int).bytes),
        index_scales: desc.addressing.index_scales,
        index_with_displacement: desc.addressing.index_with_disp,
        reaches_symbols: desc.addressing.symbol_base,
        joins_comparisons: desc.joins_comparisons,
        misprediction_cycles: desc.misprediction_cycles,
        free_immediates: desc.free_immediates,
        int_registers: registers(RegClass::Int),
        float_registers: registers(RegClass::Float),
    }
}
