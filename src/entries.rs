//! Which functions indirect branches may enter, for modules that mark such places (`cf-protection-branch`).
//!
//! The rule is LLVM's: functions that other objects may see, and those whose address something takes. What is called
//! only is not marked. Whether code takes the address of a function is seen by reading all code once more, before
//! anything is compiled; only modules with such marks and with functions for which it matters pay for that.

use frazil_ir::module::RelocationTarget;
use frazil_ir::{
    ConstId, ConstView, EntityRef, FuncId, Function, Linkage, Module, Opcode, Operand, SymbolId, SymbolKind,
};

/// The functions that indirect branches may enter.
#[derive(Debug, Default)]
pub struct Entries {
    is_entered: Vec<bool>,
}

impl Entries {
    /// Finds them; `read_bodies` shows all functions, if they have to be seen. Bodies that cannot be read are left out:
    /// the module is not compiled then.
    pub fn find(module: &Module, read_bodies: impl FnOnce(&mut dyn FnMut(&Function))) -> Entries {
        match module.flags.marks_branch_targets {
            true => Finder::find(module, read_bodies),
            false => Entries::default(),
        }
    }

    /// Whether indirect branches may enter a function.
    #[inline]
    pub fn contains(&self, function: FuncId) -> bool {
        self.is_entered.get(function.index()).copied().unwrap_or(false)
    }
}

/// Whether the object of a module has a function.
pub(crate) fn is_defined(module: &Module, id: FuncId) -> bool {
    let symbol = module.functions[id].symbol;
    module.symbols[symbol].linkage != Linkage::AvailableExternally
}

struct Finder<'a> {
    module: &'a Module,
    /// By symbol: whether its address is taken.
    is_taken: Vec<bool>,
}

impl Finder<'_> {
    #[cold]
    fn find(module: &Module, read_bodies: impl FnOnce(&mut dyn FnMut(&Function))) -> Entries {
        let mut finder = Finder {
            module,
            is_taken: vec![false; module.symbols.len()],
        };
        finder.visit_module();
        let flags = &module.flags;
        let is_sealed = flags.seals_functions && flags.is_for_kernel();
        let is_seen = |symbol: SymbolId| !is_sealed && !module.symbols[symbol].linkage.is_local();
        let is_open = |taken: &[bool], symbol: SymbolId| !is_seen(symbol) && !taken[symbol.index()];
        let heads = || module.functions.values();
        if heads().any(|head| !head.no_entry_mark && is_open(&finder.is_taken, head.symbol)) {
            read_bodies(&mut |function| finder.visit_body(function));
        }
        let is_entered = heads().map(|head| !head.no_entry_mark && !is_open(&finder.is_taken, head.symbol));
        Entries {
            is_entered: is_entered.collect(),
        }
    }

    fn take(&mut self, symbol: SymbolId) {
        if let Some(taken) = self.is_taken.get_mut(symbol.index()) {
            *taken = true;
        }
    }

    fn visit_module(&mut self) {
        let module = self.module;
        for relocation in &module.relocations {
            for target in [Some(relocation.target), relocation.minus].into_iter().flatten() {
                match target {
                    RelocationTarget::Symbol(symbol)
                    | RelocationTarget::LocalEquivalent(symbol)
                    | RelocationTarget::NoCfi(symbol) => self.take(symbol),
                    RelocationTarget::Block(..) => {}
                }
            }
        }
        for symbol in module.symbols.values() {
            match symbol.kind {
                SymbolKind::Alias { target, .. } => self.take(target),
                SymbolKind::Ifunc { resolver } => self.take(resolver),
                _ => {}
            }
        }
        let listed = module.used.iter().chain(&module.compiler_used).copied();
        let run = module.constructors.iter().chain(&module.destructors);
        let personalities = module.functions.values().filter_map(|head| head.personality);
        (listed.chain(run.map(|entry| entry.function)).chain(personalities)).for_each(|symbol| self.take(symbol));
    }

    /// Everything but what is called is taken.
    fn visit_body(&mut self, function: &Function) {
        for data in function.insts() {
            let mut callee = match data.op {
                Opcode::Call | Opcode::Invoke => Some(data.a),
                _ => None,
            };
            function.for_each_operand(data, |operand: Operand| {
                // The callee is visited first.
                if callee.take() == Some(operand) {
                    return;
                }
                if let Some(symbol) = operand.as_symbol() {
                    self.take(symbol);
                }
            });
        }
        for index in 0..function.consts().len() {
            if let ConstView::Symbol(symbol, _) = function.constant(ConstId::new(index)).1 {
                self.take(symbol);
            }
        }
    }
}
