//! What is kept of a symbol besides what the IR has.

use super::types::TypeId;

/// What the reader knows of a symbol besides what the IR keeps.
#[derive(Clone, Copy, Debug)]
pub struct SymbolInfo {
    /// The function type, or the type of the variable.
    pub ty: TypeId,
    /// A function's attribute list.
    pub attributes: u64,
    /// Whether it says itself how far away it may be (`code_model`).
    pub says_distance: bool,
    /// Whether it is a variable with contents, if only for tools.
    pub has_contents: bool,
}

impl SymbolInfo {
    pub(super) fn new(ty: TypeId, attributes: u64) -> SymbolInfo {
        SymbolInfo {
            ty,
            attributes,
            says_distance: false,
            has_contents: false,
        }
    }
}
