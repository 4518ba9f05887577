//! What symbols are called in object files.
//!
//! The rules are LLVM's, so that objects of both can be mixed: private symbols get the prefix that keeps them out of
//! the symbol table, a leading byte 1 says that the rest is the name as it stands, and nameless symbols are numbered.

use crate::exceptions::Late;
use crate::relocation_targets::{TargetId, TargetKind, Targets};
use frazil_ir::module::Linkage;
use frazil_ir::{EntityRef, Module, RuntimeFunction, SymbolId};

/// The prefix of names that stay inside the object.
pub const LOCAL_PREFIX: &str = ".L";

/// The beginning of the names of pointers to personality routines, which all compilers agree on.
pub const PERSONALITY_PREFIX: &str = "DW.ref.";

/// The beginning of the names of code constants; their number follows.
pub const CONSTANT_PREFIX: &str = ".L..c";

/// A name in parts, so that no string is made before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectName<'a> {
    prefix: &'static str,
    name: &'a [u8],
    number: Option<u32>,
    suffix: &'static str,
}

impl<'a> ObjectName<'a> {
    /// The name of a symbol of the module.
    pub fn of_symbol(module: &'a Module, symbol: SymbolId) -> ObjectName<'a> {
        let data = &module.symbols[symbol];
        let name = module.strings.bytes(data.name);
        let private = data.linkage == Linkage::Private;
        match name {
            [1, verbatim @ ..] => ObjectName::plain(verbatim),
            [] => ObjectName {
                prefix: if private { ".L__unnamed_" } else { "__unnamed_" },
                name: &[],
                number: Some(symbol.index() as u32 + 1),
                suffix: "",
            },
            name => ObjectName {
                prefix: if private { LOCAL_PREFIX } else { "" },
                name,
                number: None,
                suffix: "",
            },
        }
    }

    /// The name of anything that relocations can point at.
    #[inline(always)]
    pub fn of_target(module: &'a Module, targets: &Targets, target: TargetId) -> ObjectName<'a> {
        match targets.kind(target) {
            TargetKind::Symbol(symbol) => ObjectName::of_symbol(module, symbol),
            TargetKind::Runtime(function) => ObjectName::plain(function.name().as_bytes()),
            TargetKind::Constant(number) => ObjectName {
                prefix: CONSTANT_PREFIX,
                name: &[],
                number: Some(number),
                suffix: "",
            },
            TargetKind::Late(late) => ObjectName::of_late(module, late),
        }
    }

    /// The name of what exception tables point at.
    pub fn of_late(module: &'a Module, late: Late) -> ObjectName<'a> {
        let name = |symbol| ObjectName::of_symbol(module, symbol);
        match late {
            Late::Personality(symbol) => ObjectName {
                prefix: PERSONALITY_PREFIX,
                ..name(symbol)
            },
            Late::Type(symbol) => ObjectName {
                prefix: LOCAL_PREFIX,
                suffix: ".DW.stub",
                ..name(symbol)
            },
            // The object writer has its name, or it is a section.
            Late::Foreign(_) | Late::DebugSection(_) => ObjectName::plain(&[]),
            Late::JumpTables(function) => ObjectName {
                prefix: ".L..tables",
                number: Some(function.index() as u32),
                ..ObjectName::plain(&[])
            },
            Late::Table(function) => ObjectName {
                prefix: ".L..exception",
                number: Some(function.index() as u32),
                ..ObjectName::plain(&[])
            },
        }
    }

    /// A name as it stands.
    pub fn plain(name: &'a [u8]) -> ObjectName<'a> {
        ObjectName {
            prefix: "",
            name,
            number: None,
            suffix: "",
        }
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.prefix.is_empty() && self.name.is_empty() && self.number.is_none()
    }

    /// Appends the name.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.prefix.as_bytes());
        out.extend_from_slice(self.name);
        if let Some(number) = self.number {
            out.extend_from_slice(number.to_string().as_bytes());
        }
        out.extend_from_slice(self.suffix.as_bytes());
    }
}

/// The name of a symbol of the module or of a runtime function.
pub(crate) fn symbol_name(module: &Module, symbol: SymbolId) -> ObjectName<'_> {
    match RuntimeFunction::from_symbol(symbol, module.symbols.len()) {
        Some(function) => ObjectName::plain(function.name().as_bytes()),
        None => ObjectName::of_symbol(module, symbol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_ir::SymbolData;

    fn name_of(name: &[u8], linkage: Linkage) -> String {
        let mut module = Module::default();
        let name = module.strings.add(name);
        let symbol = module.symbols.push(SymbolData {
            name,
            linkage,
            ..SymbolData::default()
        });
        let mut out = Vec::new();
        ObjectName::of_symbol(&module, symbol).append_to(&mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn names_follow_llvm() {
        assert_eq!(name_of(b"main", Linkage::External), "main");
        assert_eq!(name_of(b".str", Linkage::Private), ".L.str");
        assert_eq!(name_of(b"\x01strange", Linkage::Private), "strange");
        assert_eq!(name_of(b"", Linkage::Private), ".L__unnamed_1");
        assert_eq!(name_of(b"", Linkage::Internal), "__unnamed_1");
    }
}
