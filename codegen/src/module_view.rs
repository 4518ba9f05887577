//! The module as code generation sees it: shared, read-only, with the options that decide how symbols are reached.

use crate::features::FeatureSet;
use frazil_ir::module::{
    DataRelocation, FramePointer, FunctionHead, Linkage, RelocationTarget, SymbolKind, TlsModel, Visibility,
};
use frazil_ir::{DataDef, Module, SymbolData, SymbolId};

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
    pub module: &'a Module,
    /// Where its code may be placed.
    pub relocation_model: RelocationModel,
    /// What the function that is compiled may use of its processor.
    pub features: FeatureSet,
    /// Which functions keep a frame pointer that do not say it themselves.
    pub frame_pointer: FramePointer,
    /// Whether indirect branches may lead to the function that is compiled, in a module that marks such places.
    pub marks_entry: bool,
}

impl<'a> ModuleView<'a> {
    /// A module compiled for the target's base, with frame pointers only where functions ask for one.
    pub fn new(module: &'a Module, relocation_model: RelocationModel) -> ModuleView<'a> {
        ModuleView {
            module,
            relocation_model,
            features: FeatureSet::EMPTY,
            frame_pointer: FramePointer::None,
            marks_entry: false,
        }
    }

    /// Which frame pointer a function keeps.
    #[inline]
    pub fn frame_pointer(&self, head: &FunctionHead) -> FramePointer {
        match head.frame_pointer {
            FramePointer::None => self.frame_pointer,
            asked => asked,
        }
    }

    /// Whether the symbol certainly lies in the image that this object is linked into, near enough to be addressed
    /// relative to the code.
    #[inline]
    pub fn is_near(&self, symbol: SymbolId) -> bool {
        let found = self.module.symbols.get(symbol);
        found.is_some_and(|data| !data.far && self.is_in_image(data))
    }

    /// Whether the symbol certainly lies in the image that this object is linked into.
    #[inline]
    fn is_in_image(&self, data: &SymbolData) -> bool {
        if data.linkage == Linkage::ExternalWeak || data.is_absolute {
            return false;
        }
        data.dso_local
            || data.linkage.is_local()
            || data.visibility != Visibility::Default
            || (self.relocation_model == RelocationModel::Static)
    }

    /// Whether a loader may have to fill in an address in data.
    pub fn is_filled_at_load(&self, def: &DataDef) -> bool {
        let is_elsewhere = |target| match target {
            RelocationTarget::Symbol(symbol) => {
                let found = self.module.symbols.get(symbol);
                found.is_none_or(|data| !self.is_in_image(data))
            }
            _ => false,
        };
        let needs_loader = |relocation: &DataRelocation| match relocation.minus {
            Some(minus) => is_elsewhere(relocation.target) || is_elsewhere(minus),
            None => true,
        };
        self.relocation_model == RelocationModel::Pic && self.module.data_relocations(def).iter().any(needs_loader)
    }

    /// Whether calls of the symbol go through the global offset table.
    #[inline]
    pub fn is_bound_early(&self, symbol: SymbolId) -> bool {
        let flags = &self.module.flags;
        (flags.binds_early || flags.runtime_uses_got) && self.is_called_through_table(symbol)
    }

    #[cold]
    fn is_called_through_table(&self, symbol: SymbolId) -> bool {
        match self.module.symbols.get(symbol) {
            Some(data) => data.non_lazy_bind && !self.is_near(symbol),
            None => self.module.flags.runtime_uses_got,
        }
    }

    /// Whether the symbol is a variable of each thread.
    #[inline]
    pub fn is_thread_local(&self, symbol: SymbolId) -> bool {
        self.module
            .symbols
            .get(symbol)
            .is_some_and(|data| data.tls != TlsModel::NotThreadLocal)
    }

    /// How a variable of each thread is reached: the best model that holds for the image that this object is linked
    /// into, or the one that the variable asks for if that is better. The rules are those of LLVM.
    pub fn tls_model(&self, symbol: SymbolId) -> TlsModel {
        let Some(data) = self.module.symbols.get(symbol) else {
            return TlsModel::NotThreadLocal;
        };
        let is_preemptible = data.linkage == Linkage::ExternalWeak || data.visibility == Visibility::Default;
        let is_local = data.dso_local || data.linkage.is_local() || !is_preemptible;
        let is_executable = self.module.flags.pie_level.is_some_and(|level| level > 0);
        let is_shared = self.relocation_model == RelocationModel::Pic && !is_executable;
        let model = match (is_shared, is_local) {
            (true, true) => TlsModel::LocalDynamic,
            (true, false) => TlsModel::GeneralDynamic,
            (false, true) => TlsModel::LocalExec,
            (false, false) => TlsModel::InitialExec,
        };
        model.max(data.tls)
    }

    /// The alignment of a symbol, as log2 of bytes, that holds whichever definition a linker chooses; 0 if nothing is
    /// known.
    pub fn align_log2(&self, symbol: SymbolId) -> u8 {
        match self.module.symbols.get(symbol) {
            Some(&SymbolData {
                kind: SymbolKind::Data(data),
                linkage,
                ..
            }) if !linkage.is_weak() => self.module.data[data].align_log2,
            _ => 0,
        }
    }

    /// Whether the symbol is a number and no place.
    pub fn is_absolute(&self, symbol: SymbolId) -> bool {
        self.module.symbols.get(symbol).is_some_and(|data| data.is_absolute)
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
