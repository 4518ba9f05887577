//! The passes over machine code, one file each, as in [`crate::opt`].

use crate::registry::Registry;

/// Registers all passes of this folder.
pub fn register(_registry: &mut Registry) {}
