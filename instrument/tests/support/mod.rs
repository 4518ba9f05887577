//! What several tests need: a target, and recipes of given passes.

use frazil_ir::TargetFacts;
use frazil_passes::{Book, Overrides, Recipe, Registry};

/// What the passes ask about a target of 64 bits.
pub const FACTS: TargetFacts = TargetFacts {
    pointer_bits: 64,
    native_int_bits: 64,
    index_scales: 0b1111,
    index_with_displacement: true,
    reaches_symbols: true,
    joins_comparisons: false,
    misprediction_cycles: 0,
    free_immediates: None,
    int_registers: 14,
    float_registers: 16,
};

/// A recipe of these passes.
pub fn recipe_of(passes: &[String]) -> Recipe {
    let registry = Registry::builtin();
    let overrides = Overrides {
        passes: Some(passes.to_vec()),
        ..Overrides::default()
    };
    Book::new(&registry).recipe("O2", &overrides).expect("the passes exist")
}
