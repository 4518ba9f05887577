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
    /// Making the output.
    Write,
    /// Writing what was made: the file, not the module, is to blame.
    Output,
    /// A defect of Frazil itself.
    Internal,
}
