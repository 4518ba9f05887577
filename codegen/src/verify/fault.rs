//! What the verifier finds.

use std::fmt;
use thiserror::Error;

/// What is wrong with a machine function.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct MachFault {
    /// The block, if it is about one.
    pub block: Option<u32>,
    /// The row of the instruction, if it is about one.
    pub inst: Option<&'static str>,
    pub message: String,
}

impl fmt::Display for MachFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(block) = self.block {
            write!(f, "block {block}")?;
            if let Some(inst) = self.inst {
                write!(f, ", `{inst}`")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}
