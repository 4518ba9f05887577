//! Functions that others call where they begin and return, as attributes name them.

use super::FunctionAttributes;
use frazil_ir::RuntimeFunction;

/// The attributes that name what a function calls where it begins and returns: functions that take nothing, or two
/// addresses.
pub(super) const HOOKS: [&str; 2] = ["instrument-function-entry-inlined", "instrument-function-exit-inlined"];

/// What a function calls.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::llvm) struct Hooks {
    pub(in crate::llvm) entry: Option<RuntimeFunction>,
    pub(in crate::llvm) exit: Option<RuntimeFunction>,
}

impl Hooks {
    /// Those of a function with these attributes.
    #[cold]
    pub(in crate::llvm) fn of(attributes: &FunctionAttributes) -> Hooks {
        if attributes.naked {
            return Hooks::default();
        }
        let [entry, exit] = HOOKS.map(|name| attributes.string(name).and_then(hook_function));
        Hooks { entry, exit }
    }

    /// Whether calls stand before returns.
    pub(in crate::llvm) fn at_exit(self) -> bool {
        self.exit.is_some()
    }
}

/// The function that one of [`HOOKS`] names, if it may be called so.
pub(super) fn hook_function(name: &[u8]) -> Option<RuntimeFunction> {
    use RuntimeFunction as F;
    // Such a name is not changed for the object file.
    let plain = name.strip_prefix(b"\x01").unwrap_or(name);
    let function = F::from_name(std::str::from_utf8(plain).ok()?)?;
    match function {
        F::Mcount | F::McountOfSolaris => Some(function),
        F::McountOfBsd | F::McountOfFreeBsd | F::ProfileEnterBare | F::ProfileEnter | F::ProfileExit
            if plain.len() == name.len() =>
        {
            Some(function)
        }
        _ => None,
    }
}
