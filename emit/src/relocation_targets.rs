//! One dense numbering of everything that relocations point at: symbols of the module, runtime functions, code
//! constants.
//!
//! A runtime function that the module has a symbol for is that symbol. The module is searched for its name when the
//! function is first referenced; few modules reference more than a handful.

use crate::exceptions::Late;
use frazil_codegen::{Ref, RefKind};
use frazil_ir::module::Linkage;
use frazil_ir::runtime::RuntimeFunction;
use frazil_ir::{EntityRef, Module, SymbolId};
use frazil_support::{FxBuildHasher, entity_impl};
use indexmap::IndexSet;

/// Something that relocations point at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetId(u32);
entity_impl!(TargetId, "target");

/// What a [`TargetId`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A symbol of the module.
    Symbol(SymbolId),
    /// A runtime function that the module does not name.
    Runtime(RuntimeFunction),
    /// A constant of the module-wide pool.
    Constant(u32),
    /// Something of exception tables.
    Late(Late),
}

/// The numbering.
#[derive(Debug)]
pub struct Targets {
    module_symbols: usize,
    /// For each runtime function what it resolved to, once it was asked for.
    runtime: Vec<Option<TargetId>>,
    /// What exception tables point at. Numbered after the constants, once it is known how many these are.
    late: IndexSet<Late, FxBuildHasher>,
    late_start: usize,
}

impl Targets {
    /// The numbering for a module.
    pub fn new(module: &Module) -> Targets {
        Targets {
            module_symbols: module.symbols.len(),
            runtime: vec![None; RuntimeFunction::count()],
            late: IndexSet::default(),
            late_start: usize::MAX,
        }
    }

    /// Adds something that exception tables point at; returns its place among these, and whether it is new.
    pub fn add_late(&mut self, late: Late) -> (usize, bool) {
        self.late.insert_full(late)
    }

    /// Says that there will be no more than so many constants; returns what exception tables point at, with numbers.
    pub fn number_late(&mut self, constants: usize) -> impl Iterator<Item = (TargetId, Late)> {
        self.late_start = self.fixed_count() + constants;
        let late: Vec<Late> = self.late.iter().copied().collect();
        let start = self.late_start;
        (start..).map(TargetId::new).zip(late)
    }

    /// The number of the first thing that exception tables point at.
    pub fn first_late(&self) -> usize {
        self.late_start
    }

    /// What was added as number `place` of what exception tables point at.
    pub fn late(&self, place: usize) -> TargetId {
        debug_assert_ne!(self.late_start, usize::MAX, "not numbered yet");
        TargetId::new(self.late_start + place)
    }

    /// How many numbers there are before the constants'.
    pub fn fixed_count(&self) -> usize {
        self.module_symbols + self.runtime.len()
    }

    /// A constant of the module-wide pool.
    #[inline]
    pub fn constant(&self, number: u32) -> TargetId {
        TargetId::new(self.fixed_count() + number as usize)
    }

    /// A symbol, of the module or naming a runtime function.
    #[inline]
    pub fn symbol(&mut self, module: &Module, symbol: SymbolId) -> TargetId {
        match symbol.index().checked_sub(self.module_symbols) {
            None => TargetId::new(symbol.index()),
            Some(function) => self.runtime_function(module, symbol, function),
        }
    }

    /// What a reference in code names; `constants` translates the function's constants to the module's.
    #[inline]
    pub fn reference(&mut self, module: &Module, reference: Ref, constants: &[u32]) -> TargetId {
        match reference.kind() {
            RefKind::Constant => self.constant(constants[reference.number() as usize]),
            _ => self.symbol(module, SymbolId::new(reference.number() as usize)),
        }
    }

    fn runtime_function(&mut self, module: &Module, symbol: SymbolId, function: usize) -> TargetId {
        let own = TargetId::new(symbol.index());
        let Some(entry) = self.runtime.get_mut(function) else {
            return own;
        };
        *entry.get_or_insert_with(|| {
            let name = RuntimeFunction::from_symbol(symbol, module.symbols.len()).map_or("", RuntimeFunction::name);
            let same = module.symbols.iter().find(|(_, data)| {
                data.linkage != Linkage::Private && module.strings.bytes(data.name) == name.as_bytes()
            });
            same.map_or(own, |(symbol, _)| TargetId::new(symbol.index()))
        })
    }

    /// What a number names.
    #[inline]
    pub fn kind(&self, target: TargetId) -> TargetKind {
        let symbol = SymbolId::new(target.index());
        if target.index() < self.module_symbols {
            return TargetKind::Symbol(symbol);
        }
        match RuntimeFunction::from_symbol(symbol, self.module_symbols) {
            Some(function) => TargetKind::Runtime(function),
            None => match target.index().checked_sub(self.late_start) {
                Some(place) => TargetKind::Late(self.late[place]),
                None => TargetKind::Constant((target.index() - self.fixed_count()) as u32),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_ir::SymbolData;

    #[test]
    fn a_runtime_function_is_the_module_symbol_of_its_name() {
        let mut module = Module::default();
        let name = module.strings.add(b"memcpy");
        module.symbols.push(SymbolData::default());
        let memcpy = module.symbols.push(SymbolData {
            name,
            ..SymbolData::default()
        });
        let mut targets = Targets::new(&module);
        let found = targets.symbol(&module, RuntimeFunction::Memcpy.symbol(2));
        assert_eq!(targets.kind(found), TargetKind::Symbol(memcpy));
        let other = targets.symbol(&module, RuntimeFunction::Memset.symbol(2));
        assert_eq!(targets.kind(other), TargetKind::Runtime(RuntimeFunction::Memset));
        assert_eq!(targets.kind(targets.constant(7)), TargetKind::Constant(7));
    }
}
