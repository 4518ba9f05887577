//! What the input is, and who reads it.

use std::path::PathBuf;

/// In which of the forms that Frazil reads a file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputForm {
    /// LLVM bitcode.
    #[default]
    Bitcode,
    /// Text of Frazil's intermediate representation, as `--emit ir` writes it.
    Text,
}

/// What LLVM is asked to do besides reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LlvmOptions {
    /// A pipeline of passes, as LLVM's `opt -passes` takes it.
    pub passes: Option<String>,
    /// Whether a module is taken without a look at LLVM's rules.
    pub disable_verify: bool,
    /// The helper program; without it, it is looked for.
    pub helper: Option<PathBuf>,
}
