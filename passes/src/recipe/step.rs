//! The steps of a recipe that is ready for use.

use super::draft::Placed;
use frazil_codegen::pass::MachPass;
use frazil_ir::pass::{FunctionPass, PassInfo};
use std::fmt;

/// A pass in its place, with its options.
pub struct Step<P: ?Sized> {
    /// What the pass says about itself.
    pub info: PassInfo,
    pub pass: Box<P>,
    /// Its place in the recipe.
    pub placed: Placed,
}

/// A pass over the intermediate representation in its place.
pub type FunctionStep = Step<dyn FunctionPass>;

/// A pass over machine code in its place.
pub type MachStep = Step<dyn MachPass>;

impl<P: ?Sized> fmt::Debug for Step<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}
