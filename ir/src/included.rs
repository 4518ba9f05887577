//! What a build includes of what cargo features leave out, of this crate and of all that use it.
//!
//! Features change no interface: everything is compiled, and where a way leads to something that is not included, a
//! constant of this module is in front of it. What nothing leads to, the linker leaves out, and what would have gone
//! that way is refused by name, or for debug information left out of the object. So a function that compiles gives the
//! same code with any features.

/// Whether functions and modules have what they say for debuggers.
pub const DEBUG_INFORMATION: bool = cfg!(feature = "debug-information");

/// Whether there is the optimizing path, what proves its results and those of the fast path, and inline assembly.
pub const OPTIMIZING_PATH: bool = cfg!(feature = "optimize");

/// Whether there is code for what front ends hardly ever write: integers of more than 128 bits, fixed-point arithmetic,
/// strict floating point and its environment, atomic operations on floats, address spaces, several indirect jumps in a
/// function, registers that are cleared at returns, what LLVM up to 3.7 wrote differently.
pub const RARE: bool = cfg!(feature = "rare");

/// Whether there is code for vectors, and for floats that targets do not compute with.
pub const VECTORS: bool = cfg!(feature = "vectors");
