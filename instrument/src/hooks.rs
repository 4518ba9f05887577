//! The hooks of a tool: a module with their functions, and what callers must know of each.

use crate::known::Known;
use frazil_ir::module::SymbolKind;
use frazil_ir::{EntityRef, FuncId, Function, Linkage, Module, ParamKind, Signature, Type, TypeData};
use std::sync::OnceLock;

/// A module with all of its functions, which hooks are functions of.
#[derive(Debug)]
pub struct HookModule {
    pub module: Module,
    /// By [`FuncId`].
    pub functions: Vec<Function>,
}

/// A hook that places call.
#[derive(Debug)]
pub struct Hook {
    pub name: String,
    pub function: FuncId,
    /// What it takes, in types that every function has.
    pub signature: Signature,
    /// What is known of it, once somebody has asked.
    pub(crate) known: OnceLock<Known>,
}

/// Why a function cannot be a hook: what was found, and what was expected.
pub type Unfit = String;

impl HookModule {
    /// The function of this name as a hook.
    ///
    /// # Errors
    /// When there is none, or it is none that can be called at any place.
    pub fn hook(&self, name: &str) -> Result<Hook, Unfit> {
        let symbols = self.module.symbols.iter();
        let mut named = symbols.filter(|(symbol, _)| self.module.name(*symbol) == name.as_bytes());
        let Some((_, data)) = named.next() else {
            return Err(format!(
                "the hooks' module has no function `{name}`; {}",
                self.others(name)
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
        let function = &self.functions[id.index()];
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
            function: id,
            signature: signature.clone(),
            known: OnceLock::new(),
        })
    }

    /// The functions that could have been meant.
    fn others(&self, name: &str) -> String {
        let module = &self.module;
        let names: Vec<String> = (module.functions.values())
            .map(|head| module.display_name(head.symbol).into_owned())
            .collect();
        frazil_passes::recipe::hint(name, names.iter().map(String::as_str))
    }
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
