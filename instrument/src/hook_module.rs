//! The module of a tool's hooks, which whoever reads files hands in.

use frazil_ir::{Function, Module};

/// A module with all of its functions, which hooks are functions of.
#[derive(Debug)]
pub struct HookModule {
    pub module: Module,
    /// By [`frazil_ir::FuncId`].
    pub functions: Vec<Function>,
}
