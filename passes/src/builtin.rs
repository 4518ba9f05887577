//! The registry as it comes: all passes of this crate, and the analyses that they share.

use crate::registry::Registry;
use crate::{mach, opt};
use frazil_ir::domtree::DomTree;
use frazil_ir::loops::LoopTree;

impl Registry {
    /// The passes of this crate and the analyses of the intermediate representation.
    pub fn builtin() -> Registry {
        let mut registry = Registry::default();
        registry.analysis::<DomTree>();
        registry.analysis::<LoopTree>();
        opt::register(&mut registry);
        mach::register(&mut registry);
        registry
    }
}
