//! Which code and data may be far away: by their sections, by the medium code model, and what stands for them.

use super::symbol_info::SymbolInfo;
use super::types::TypeTable;
use crate::limits;
use frazil_ir::module::TlsModel;
use frazil_ir::{DataDef, EntityRef, Module, SymbolKind};

/// LLVM's numbers of the small and the large code model, plus one.
pub(super) const CODE_MODEL_SMALL: u64 = 2;
pub(super) const CODE_MODEL_LARGE: u64 = 5;

/// Whether what is in a section may be far away, by LLVM's rule.
pub(super) fn is_far_section(name: &[u8]) -> bool {
    [".ldata", ".lrodata", ".lbss", ".ltext"].iter().any(|stem| {
        let rest = name.strip_prefix(stem.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"."))
    })
}

/// In the medium code model, marks data that is larger than a threshold, or of unknown size, as far (LLVM's
/// `TargetMachine::isLargeGlobalValue`), but for what `stays_near`.
pub fn mark_far_data(
    module: &mut Module,
    infos: &[SymbolInfo],
    types: &TypeTable,
    threshold: u64,
    stays_near: impl Fn(&Module, &DataDef) -> bool,
) {
    let near: Vec<bool> = (module.data.values()).map(|data| stays_near(module, data)).collect();
    for (symbol, info) in module.symbols.values_mut().zip(infos) {
        let (is_near, is_declared) = match symbol.kind {
            SymbolKind::Data(data) => (near.get(data.index()).is_some_and(|&near| near), false),
            SymbolKind::DataDeclaration => (false, true),
            _ => continue,
        };
        if symbol.tls != TlsModel::NotThreadLocal || !symbol.section.is_empty() || info.says_distance {
            continue;
        }
        let layout = types.layout(info.ty);
        let name = module.strings.bytes(symbol.name);
        // Linkers define these anywhere.
        let is_edge = name == b"__ehdr_start" || name.starts_with(b"__start_") || name.starts_with(b"__stop_");
        let is_large = layout.stride() == 0 || layout.stride() > threshold;
        symbol.far |= !layout.sized || is_declared && is_edge || !is_near && is_large;
    }
}

/// Marks aliases of far data as far.
pub fn mark_far_aliases(module: &mut Module) {
    if !module.symbols.values().any(|symbol| symbol.far) {
        return;
    }
    // One round for each step of the longest chain.
    for _ in 0..=limits::ALIAS_CHAIN {
        let mut found = Vec::new();
        for (id, symbol) in module.symbols.iter() {
            if let SymbolKind::Alias { target, .. } = symbol.kind
                && !symbol.far
                && module.symbols.get(target).is_some_and(|target| target.far)
            {
                found.push(id);
            }
        }
        if found.is_empty() {
            return;
        }
        for id in found {
            if let Some(symbol) = module.symbols.get_mut(id) {
                symbol.far = true;
            }
        }
    }
}
