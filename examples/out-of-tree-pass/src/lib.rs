//! An example of a pass and of a tool outside of Frazil: what a package needs to add them.
//!
//! [`register`] is all that a driver must know. The names of foreign passes begin with the name of their maker and a
//! dot, so that they never collide with those of Frazil.

mod double_negation;
pub mod external_calls;

use frazil::passes::Registry;

/// Registers the passes of this package.
pub fn register(registry: &mut Registry) {
    registry.function(double_negation::INFO, double_negation::DoubleNegation::new);
}
