//! Objects of hooks, which the crate that decodes machine code looks at.

use frazil_decode::Object;
use frazil_instrument::{HookObject, MachineHook};

/// Whether bytes are an ELF file.
pub(crate) fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// An object of hooks, for the crate that knows tools.
#[derive(Debug)]
pub(super) struct Hooks<'a>(pub Object<'a>);

impl HookObject for Hooks<'_> {
    fn look(&self, name: &str) -> Result<MachineHook, String> {
        let found = self.0.look(name)?;
        Ok(MachineHook {
            keeps: found.keeps(),
            found: found.in_words(),
        })
    }

    fn target(&self) -> &str {
        self.0.target()
    }

    fn functions(&self) -> Vec<String> {
        self.0.functions().map(str::to_owned).collect()
    }

    fn defined(&self) -> Vec<String> {
        self.0.defined().map(str::to_owned).collect()
    }
}
