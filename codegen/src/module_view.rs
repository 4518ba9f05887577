//! The module as code generation sees it: shared, read-only, with the options that decide how symbols are reached.

use frazil_ir::module::{Linkage, SymbolKind, TlsModel, Visibility};
use frazil_ir::{Module, SymbolId};

/// How code may be placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RelocationModel {
    /// At a fixed address, in an executable.
    Static,
    /// At any address; symbols of other images go through tables.
    #[default]
    Pic,
}

/// A module and the options of this compilation.
#[derive(Clone, Copy, Debug)]
pub struct ModuleView<'a> {
    /// The module.
    pub module: &'a Module,
    /// Where its code may be placed.
    pub relocation_model: RelocationModel,
}

impl ModuleView<'_> {
    /// Whether the symbol certainly lies in the image that this object is linked into, near enough to be addressed
    /// relative to the code.
    #[inline]
    pub fn is_near(&self, symbol: SymbolId) -> bool {
        let Some(data) = self.module.symbols.get(symbol) else {
            return false;
        };
        if data.linkage == Linkage::ExternalWeak {
            return false;
        }
        data.dso_local
            || data.linkage.is_local()
            || data.visibility != Visibility::Default
            || (self.relocation_model == RelocationModel::Static)
    }

    /// Whether the symbol is a variable of each thread.
    #[inline]
    pub fn is_thread_local(&self, symbol: SymbolId) -> bool {
        self.module
            .symbols
            .get(symbol)
            .is_some_and(|data| data.tls != TlsModel::NotThreadLocal)
    }

    /// Whether the symbol names code.
    #[inline]
    pub fn is_function(&self, symbol: SymbolId) -> bool {
        self.module.symbols.get(symbol).is_none_or(|data| data.is_function())
    }

    /// Whether the symbol is an `ifunc`.
    pub fn is_ifunc(&self, symbol: SymbolId) -> bool {
        self.module
            .symbols
            .get(symbol)
            .is_some_and(|data| matches!(data.kind, SymbolKind::Ifunc { .. }))
    }

    /// Number of symbols of the module; larger ids name runtime functions.
    #[inline]
    pub fn symbol_count(&self) -> usize {
        self.module.symbols.len()
    }
}
