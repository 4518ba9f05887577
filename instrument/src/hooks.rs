//! The hooks of a tool: which functions can be hooks, and what callers must know of each.

use crate::hook_module::HookModule;
use crate::hook_object::MachineHook;
use crate::known::Known;
use frazil_ir::module::SymbolKind;
use frazil_ir::{EntityRef, FuncId, Linkage, ParamKind, Signature, SymbolId, Type, TypeData};
use std::sync::OnceLock;

/// A hook that places call.
#[derive(Debug)]
pub struct Hook {
    pub name: String,
    /// In the hooks' module.
    pub symbol: SymbolId,
    pub code: HookCode,
    /// What it takes, in types that every function has.
    pub signature: Signature,
    /// What is known of it, once somebody has asked.
    pub(crate) known: OnceLock<Known>,
}

/// Where a hook has its instructions.
#[derive(Debug)]
pub enum HookCode {
    /// A function of the hooks' module.
    Function(FuncId),
    /// A function of an object.
    Machine(MachineHook),
}

/// Why a function cannot be a hook: what was found, and what was expected.
pub type Unfit = String;

impl Hook {
    /// The function of this name in a module as a hook.
    ///
    /// # Errors
    /// When there is none, or it is none that can be called at any place.
    pub fn find(hooks: &HookModule, name: &str) -> Result<Hook, Unfit> {
        let symbols = hooks.module.symbols.iter();
        let mut named = symbols.filter(|(symbol, _)| hooks.module.name(*symbol) == name.as_bytes());
        let Some((symbol, data)) = named.next() else {
            return Err(format!(
                "the hooks' module has no function `{name}`; {}",
                others(hooks, name)
            ));
        };
        let SymbolKind::Function(id) = data.kind else {
            let what = match data.kind {
                SymbolKind::FunctionDeclaration => "only declared in the hooks' module: it must have a body there",
                SymbolKind::Alias { .. } | SymbolKind::Ifunc { .. } => "no function of its own but another name of one",
                _ => "data in the hooks' module: a hook is a function",
            };
            return Err(format!("`{name}` is {what}"));
        };
        if data.linkage == Linkage::AvailableExternally {
            return Err(format!(
                "`{name}` is defined elsewhere: a hook has its body in the hooks' module"
            ));
        }
        let function = &hooks.functions[id.index()];
        let signature = function.signature();
        if !signature.returns.is_empty() {
            return Err(format!(
                "the hook `{name}` returns a value: a hook returns nothing (`void`)"
            ));
        }
        if signature.variadic {
            return Err(format!(
                "the hook `{name}` takes variable arguments: a hook takes a fixed number"
            ));
        }
        for (index, param) in signature.params.iter().enumerate() {
            let is_plain = param.kind == ParamKind::Normal && param.array == 0 && !param.is_split;
            if !is_plain || !is_passable(function.types().data(param.ty)) {
                return Err(format!(
                    "parameter {index} of the hook `{name}` is none that a place can give: expected an integer of 1, \
                     8, 16, 32 or 64 bits, a pointer, a float or a double"
                ));
            }
        }
        Ok(Hook {
            name: name.to_owned(),
            symbol,
            code: HookCode::Function(id),
            signature: signature.clone(),
            known: OnceLock::new(),
        })
    }

    /// A hook of an object, with what its prototype says.
    pub(crate) fn of_object(name: &str, symbol: SymbolId, signature: Signature, machine: MachineHook) -> Hook {
        Hook {
            name: name.to_owned(),
            symbol,
            code: HookCode::Machine(machine),
            signature,
            known: OnceLock::new(),
        }
    }
}

/// The functions that could have been meant.
fn others(hooks: &HookModule, name: &str) -> String {
    let module = &hooks.module;
    let names: Vec<String> = (module.functions.values())
        .map(|head| module.display_name(head.symbol).into_owned())
        .collect();
    frazil_passes::recipe::hint(name, names.iter().map(String::as_str))
}

/// Whether a hook's parameter can have a type.
fn is_passable(data: TypeData) -> bool {
    matches!(
        data,
        TypeData::Int(1 | 8 | 16 | 32 | 64) | TypeData::Ptr(0) | TypeData::F32 | TypeData::F64
    )
}

/// A type as its users call it.
pub fn type_word(ty: Type) -> &'static str {
    match ty {
        Type::I1 => "a truth value",
        Type::I8 => "an integer of 8 bits",
        Type::I16 => "an integer of 16 bits",
        Type::I32 => "an integer of 32 bits",
        Type::I64 => "an integer of 64 bits",
        Type::PTR => "a pointer",
        Type::F32 => "a float",
        Type::F64 => "a double",
        _ => "a value of another type",
    }
}
