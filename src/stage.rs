//! The stages of a compilation, as far as messages tell them apart.

/// Where a compilation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Understanding the options.
    Options,
    /// Reading bitcode.
    Read,
    /// Changing the intermediate representation.
    Optimize,
    /// Making machine code.
    Compile,
    /// Making or writing the output.
    Write,
    /// A defect of Frazil itself.
    Internal,
}
