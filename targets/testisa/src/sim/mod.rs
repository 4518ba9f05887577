//! The simulator: memory, registers, the fetch loop.
//!
//! It runs encoded bytes and knows nothing of how they came about. Memory is one piece between two bounds; access
//! outside, access that is not aligned to its size (8 bytes: to 4), writing code, an unknown instruction, and
//! division by zero stop the machine with a message. The number of steps is bounded.

mod execute;
pub mod host;
mod memory;

pub use memory::Memory;

use frazil_ir::RuntimeFunction;
use std::fmt;

/// Why the machine stopped before the outermost function returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Memory outside of the bounds, or not aligned.
    Memory(String),
    DivisionByZero,
    /// `break`.
    Trap,
    /// A jump or call to where there is no code, or no instruction.
    Code(String),
    /// A function that only exists by name.
    Unknown(String),
    /// A function that was refused by the compiler, with the reason.
    Refused(String),
    /// The steps are used up.
    Steps,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Memory(what) | Fault::Code(what) | Fault::Refused(what) => f.write_str(what),
            Fault::DivisionByZero => f.write_str("division by zero"),
            Fault::Trap => f.write_str("trap"),
            Fault::Unknown(name) => write!(f, "call of @{name}, which the simulator does not have"),
            Fault::Steps => f.write_str("out of steps"),
        }
    }
}

/// What stands after an address that is no code: functions outside of the program.
#[derive(Clone, Debug)]
pub enum Host {
    /// A function of the run-time libraries.
    Runtime(RuntimeFunction),
    /// A function that only has a name.
    Named(String),
    /// A function that was refused by the compiler.
    Refused(String),
    /// Where the outermost function returns to.
    Exit,
}

/// The address of the first host function; each has 4 bytes.
pub const HOST_BASE: u32 = 0x1000;

/// Registers and memory.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Integer registers; the first stays zero.
    pub ints: [u32; 32],
    /// Float registers; 4-byte floats are in the lower half, above which there is rubbish.
    pub floats: [u64; 32],
    pub memory: Memory,
    /// Where the next instruction is.
    pub pc: u32,
    /// What host addresses stand for.
    pub hosts: Vec<Host>,
}

impl Machine {
    /// A machine with this memory. Registers hold rubbish, so that nothing relies on zeros.
    pub fn new(memory: Memory, hosts: Vec<Host>) -> Machine {
        let mut ints = [0xdead_beef; 32];
        ints[0] = 0;
        Machine {
            ints,
            floats: [0xdead_beef_dead_beef; 32],
            memory,
            pc: 0,
            hosts,
        }
    }

    /// Runs until the outermost function returns.
    ///
    /// # Errors
    /// Whatever stops the machine earlier.
    pub fn run(&mut self, steps: u64) -> Result<(), Fault> {
        for _ in 0..steps {
            if self.pc < self.memory.start() {
                match self.host()?.clone() {
                    Host::Exit => return Ok(()),
                    Host::Named(name) => return Err(Fault::Unknown(name)),
                    Host::Refused(reason) => return Err(Fault::Refused(reason)),
                    Host::Runtime(function) => host::call(self, function)?,
                }
            } else {
                self.step()?;
            }
        }
        Err(Fault::Steps)
    }

    fn host(&self) -> Result<&Host, Fault> {
        let index = self.pc.wrapping_sub(HOST_BASE) / 4;
        self.hosts
            .get(index as usize)
            .ok_or_else(|| Fault::Code(format!("jump to {:#x}, where there is no code", self.pc)))
    }
}
