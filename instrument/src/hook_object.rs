//! Objects of hooks: hooks that are there as machine code only, at which whoever knows machines looks.
//!
//! An object does not say what its functions take, so the tool file does, in `[prototypes]`. What is known of such a
//! hook is which registers it keeps: it is called by the C convention and by a signature that says these (contract 23).

use crate::hook_module::HookModule;
use frazil_ir::module::SymbolData;
use frazil_ir::{Linkage, Module, RegisterSet, SymbolKind, Visibility};
use std::fmt;

/// A relocatable object with hooks.
pub trait HookObject: fmt::Debug {
    /// Looks at a function.
    ///
    /// # Errors
    /// When the object has no such function that others can call, in words that continue its name.
    fn look(&self, name: &str) -> Result<MachineHook, String>;

    /// The target that it is for, as drivers call it.
    fn target(&self) -> &str;

    /// The functions that others can call.
    fn functions(&self) -> Vec<String>;

    /// What no other object of a program may define, too.
    fn defined(&self) -> Vec<String>;
}

/// What was found of a hook in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineHook {
    /// The registers that it keeps besides those of its convention, if it is known to keep more.
    pub keeps: Option<RegisterSet>,
    /// How large it is, what it overwrites, and why that is not known better, in words.
    pub found: String,
}

/// What the programs of a tool must know of its object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// The target that it is for, as drivers call it.
    pub target: String,
    /// What no other object of a program may define, too.
    pub defined: Vec<String>,
}

/// A module with nothing but declarations of hooks, in their order. They are hidden: the object is in the image of the
/// program, so that no other function stands for one of them and no loader's code comes before it.
pub(crate) fn module_of<'n>(names: impl Iterator<Item = &'n str>) -> HookModule {
    let mut module = Module::default();
    for name in names {
        let name = module.strings.add(name.as_bytes());
        module.symbols.push(SymbolData {
            name,
            kind: SymbolKind::FunctionDeclaration,
            linkage: Linkage::External,
            visibility: Visibility::Hidden,
            dso_local: true,
            ..SymbolData::default()
        });
    }
    HookModule {
        module,
        functions: Vec::new(),
    }
}
