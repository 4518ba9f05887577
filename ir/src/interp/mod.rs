//! The reference interpreter: what a module's functions compute, by the specification in [`crate::verify`].
//!
//! It is the oracle for tests of code generators and passes, so it follows the specification and not the habits of any
//! machine: poison and undefined bits are tracked through registers and memory, and what is undefined behavior ends
//! the run with a message instead of doing something plausible. Speed does not matter.
//!
//! Covered are integers up to 128 bits, `f32`, `f64`, pointers, vectors of these, memory, accesses under masks, calls
//! within the module, variable arguments as a platform has them, external functions by a callback, and those of the C
//! library that intrinsics become. Exceptions do not occur: an `invoke` is a call. Other constructs end the run as
//! unsupported. Where the specification leaves a choice that a compiler makes at will (undef, freeze, the fusing of
//! `fmuladd`), one choice is taken.
//!
//! Functions must pass the verifier and have their [`Function::cfg`] computed.

mod access;
mod calls;
mod exec;
mod floats;
mod format;
mod globals;
mod ints;
mod library;
mod masked;
mod memory;
mod narrow;
mod pure;
#[cfg(test)]
mod tests;
mod value;
mod variadic;
mod vectors;

pub use memory::{Byte, Memory};
pub use value::{Scalar, Value};

use crate::entities::{Block, FuncId, SymbolId};
use crate::function::Function;
use crate::module::Module;
use crate::platform::Platform;
use frazil_support::{EntityRef, FxHashMap};

/// Why a run ended without results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Undefined behavior: what, and where.
    Undefined(String),
    /// A construct that the interpreter does not know.
    Unsupported(String),
    /// Steps, memory or call depth are used up.
    Limit(String),
    /// The program ended itself.
    Trap,
}

impl Stop {
    fn undefined(what: impl Into<String>) -> Stop {
        Stop::Undefined(what.into())
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Undefined(what) => write!(f, "undefined behavior: {what}"),
            Stop::Unsupported(what) => write!(f, "not supported by the interpreter: {what}"),
            Stop::Limit(what) => write!(f, "out of {what}"),
            Stop::Trap => f.write_str("trap"),
        }
    }
}

impl std::error::Error for Stop {}

/// A result, or why there is none.
pub type Outcome<T> = Result<T, Stop>;

/// An external function: gets its name, arguments and the memory; `None` if it does not know the name.
pub type External<'a> = dyn FnMut(&str, &[Value], &mut Memory) -> Option<Outcome<Vec<Value>>> + 'a;

/// What happens in a run, as an observer is told. Functions are named by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A function begins.
    Enter { function: usize },
    /// The instruction at this position of the function is executed next; phis are not told.
    Inst { function: usize, position: usize },
    /// Control goes from a block to another one.
    Edge { function: usize, from: Block, to: Block },
}

/// Bounds on a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions to execute.
    pub steps: u64,
    /// Bytes of memory to hand out, ended objects included.
    pub memory_bytes: u64,
    /// Calls within calls.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: 10_000_000,
            memory_bytes: 64 << 20,
            depth: 1000,
        }
    }
}

/// A module with its memory, ready to run.
pub struct Interpreter<'a> {
    module: &'a Module,
    functions: &'a [Function],
    external: Option<Box<External<'a>>>,
    observer: Option<Box<dyn FnMut(Event) + 'a>>,
    platform: Option<&'static Platform>,
    memory: Memory,
    addresses: FxHashMap<SymbolId, u64>,
    frames: Vec<exec::Frame>,
    steps_left: u64,
    depth: usize,
}

impl<'a> Interpreter<'a> {
    /// Lays out the module's data.
    ///
    /// # Errors
    /// When memory does not suffice, or an initialiser is not supported.
    pub fn new(module: &'a Module, functions: &'a [Function], limits: Limits) -> Outcome<Interpreter<'a>> {
        let end = match module.data_layout.pointer_bits {
            64 => globals::FUNCTIONS_64,
            32 => globals::FUNCTIONS_32,
            bits => return Err(Stop::Unsupported(format!("pointers of {bits} bits"))),
        };
        let mut interpreter = Interpreter {
            module,
            functions,
            external: None,
            observer: None,
            platform: None,
            memory: Memory::new(end, limits.memory_bytes),
            addresses: FxHashMap::default(),
            frames: Vec::new(),
            steps_left: limits.steps,
            depth: limits.depth,
        };
        interpreter.lay_out_globals()?;
        Ok(interpreter)
    }

    /// Answers calls of functions that the module does not define.
    #[must_use]
    pub fn with_external(
        mut self,
        external: impl FnMut(&str, &[Value], &mut Memory) -> Option<Outcome<Vec<Value>>> + 'a,
    ) -> Self {
        self.external = Some(Box::new(external));
        self
    }

    /// Tells what happens.
    #[must_use]
    pub fn with_observer(mut self, observer: impl FnMut(Event) + 'a) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    fn tell(&mut self, event: Event) {
        if let Some(observer) = &mut self.observer {
            observer(event);
        }
    }

    /// Has lists of variable arguments like a platform.
    #[must_use]
    pub fn with_platform(mut self, platform: &'static Platform) -> Self {
        self.platform = Some(platform);
        self
    }

    /// The memory, for setting up and looking at.
    pub fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Calls a function with these arguments and returns its results. Memory keeps what the call did.
    ///
    /// # Errors
    /// Undefined behavior, an unsupported construct, or a limit.
    pub fn call(&mut self, function: FuncId, arguments: Vec<Value>) -> Outcome<Vec<Value>> {
        self.frames.clear();
        let function = function.index();
        if self
            .functions
            .get(function)
            .is_none_or(|f| f.signature.params.len() != arguments.len())
        {
            return Err(Stop::undefined(
                "call with another number of arguments than the function has",
            ));
        }
        self.enter(function, arguments, Vec::new())?;
        self.run().map_err(|stop| self.with_place(stop))
    }

    /// Adds the place to a message about undefined behavior.
    fn with_place(&self, stop: Stop) -> Stop {
        let Some(frame) = self.frames.last() else { return stop };
        let function = &self.functions[frame.function];
        let name = function
            .symbol
            .map(|symbol| self.module.display_name(symbol))
            .unwrap_or_default();
        let place = format!(" (in {name}, instruction {})", frame.position);
        match stop {
            Stop::Undefined(what) => Stop::Undefined(what + &place),
            Stop::Unsupported(what) => Stop::Unsupported(what + &place),
            other => other,
        }
    }

    fn pointer_bits(&self) -> u32 {
        self.module.data_layout.pointer_bits
    }
}
