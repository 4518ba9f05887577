//! The debug information of a module, but for what only one function needs.

use super::metadata::Metadata;
use super::word::NodeId;
use crate::entities::SymbolId;

/// Nodes, and which of them say what.
#[derive(Clone, Debug, Default)]
pub struct ModuleDebug {
    pub nodes: Metadata,
    /// The units of compilation (`llvm.dbg.cu`).
    pub units: Vec<NodeId>,
    /// The version of DWARF that is asked for (module flag `Dwarf Version`); 0 if the module does not say.
    pub dwarf_version: u8,
    /// Variables with what they are called: nodes of [`super::Kind::GlobalExpression`], ascending by symbol.
    pub variables: Vec<(SymbolId, NodeId)>,
}
