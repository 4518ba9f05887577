//! The verifier of machine functions between passes.
//!
//! It checks what [`crate::mfunc`] promises: blocks, edges, groups and operands are as the op table and the kind of
//! block ends say ([`structure`]), and nothing is read that was not written before on every path ([`written`]): neither
//! allocatable registers, nor virtual ones, nor spill slots, nor flags.
//!
//! What is undefined in the program may be read unwritten. So what selection or allocation leaves is taken as it is,
//! and a pass must not add to the places that are read so.
//!
//! It does not prove that instructions still compute the same, nor that what is written is what is read: the checker of
//! allocations ([`crate::check`]) does so before the passes, and runs of random functions after them.

mod fault;
mod structure;
mod written;

pub use fault::MachFault;

use crate::desc::OpDesc;
use crate::mfunc::{MFunc, op_desc};
use crate::pass::MachPassCx;

/// A fault of a function as a whole.
fn fault(message: impl Into<String>) -> MachFault {
    MachFault {
        block: None,
        inst: None,
        message: message.into(),
    }
}

/// A fault of a block.
fn fault_in(block: u32, message: impl Into<String>) -> MachFault {
    MachFault {
        block: Some(block),
        ..fault(message)
    }
}

/// A fault of an instruction.
fn fault_at(block: u32, func: &MFunc, index: u32, ops: &'static [OpDesc], message: impl Into<String>) -> MachFault {
    MachFault {
        inst: Some(op_desc(ops, func.insts[index as usize].op).name.as_str()),
        ..fault_in(block, message)
    }
}

/// The verifier with its memory, kept from function to function.
#[derive(Debug, Default)]
pub struct MachVerifier {
    written: written::Written,
}

impl MachVerifier {
    /// Checks a function that no pass has seen yet.
    ///
    /// # Errors
    /// The first fault.
    pub fn start(&mut self, func: &MFunc, cx: &MachPassCx<'_>) -> Result<(), MachFault> {
        structure::check(func, cx)?;
        self.written.start(func, cx)
    }

    /// Checks the same function after a pass.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&mut self, func: &MFunc, cx: &MachPassCx<'_>) -> Result<(), MachFault> {
        structure::check(func, cx)?;
        self.written.check(func, cx)
    }
}
