//! Running passes over a function, one after the other.
//!
//! Method: a list of steps is made once; running it is a loop with one call through a pointer for each pass and
//! function. After a pass, the analyses that it did not preserve are forgotten.

use crate::recipe::Placed;
use frazil_ir::pass::{FunctionPass, PassCx, PassError, PassInfo, PassState, TargetFacts};
use frazil_ir::{Function, FunctionHead, Module};
use std::fmt;

/// A pass in its place, with its options.
pub struct Step {
    /// What the pass says about itself.
    pub info: PassInfo,
    /// The pass.
    pub pass: Box<dyn FunctionPass>,
    /// Its place in the recipe.
    pub placed: Placed,
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}

impl Step {
    /// Runs the pass; whether it changed anything.
    ///
    /// # Errors
    /// The pass's.
    pub fn run(
        &self,
        function: &mut Function,
        module: &Module,
        head: &FunctionHead,
        target: &TargetFacts,
        state: &mut PassState,
    ) -> Result<bool, PassError> {
        let mut cx = PassCx::new(self.info.name, module, head, target, state);
        let preserved = self.pass.run(function, &mut cx)?;
        state.analyses.retain(preserved.kept);
        Ok(preserved.changed)
    }
}
