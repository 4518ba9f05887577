//! Comdats that the linkage of definitions implies, up to LLVM 3.4.

use frazil_ir::module::{ComdatData, ComdatSelection};
use frazil_ir::{ComdatId, Module, Str, SymbolId};
use frazil_support::FxHashMap;

/// Gives definitions comdats of their own names: LLVM's `getOrInsertComdat`. Mach-O has no comdats.
pub(super) fn add_comdats(module: &mut Module, symbols: &[SymbolId]) {
    let triple = module.strings.bytes(module.triple);
    if symbols.is_empty() || triple.windows(7).any(|word| word == b"-apple-") {
        return;
    }
    let known = module
        .comdats
        .iter()
        .map(|(id, data)| (module.strings.bytes(data.name).to_vec(), id));
    let mut by_name: FxHashMap<Vec<u8>, ComdatId> = known.collect();
    for &symbol in symbols {
        let Some(data) = module.symbols.get(symbol) else {
            continue;
        };
        let name: Str = data.name;
        let comdat = *by_name.entry(module.strings.bytes(name).to_vec()).or_insert_with(|| {
            module.comdats.push(ComdatData {
                name,
                selection: ComdatSelection::Any,
            })
        });
        if let Some(data) = module.symbols.get_mut(symbol) {
            data.comdat = Some(comdat);
        }
    }
}
