//! Rules about what stands outside of functions.

use super::VerifyError;
use crate::entities::SymbolId;
use crate::module::{DataDef, Module, RelocationTarget, SymbolKind};
use frazil_support::{EntityRef, FxHashSet};
use std::fmt::Debug;

/// Checks symbols, data, relocations and lists of a module.
///
/// # Errors
/// Every broken rule found.
pub fn verify_module(module: &Module) -> Result<(), Vec<VerifyError>> {
    let mut checker = Checker {
        module,
        errors: Vec::new(),
    };
    checker.symbols();
    checker.definitions();
    checker.lists();
    if checker.errors.is_empty() {
        Ok(())
    } else {
        Err(checker.errors)
    }
}

struct Checker<'a> {
    module: &'a Module,
    errors: Vec<VerifyError>,
}

impl Checker<'_> {
    fn check(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds && self.errors.len() < super::MOST_ERRORS {
            self.errors.push(VerifyError {
                function: String::new(),
                block: None,
                inst: None,
                message: message(),
            });
        }
    }

    fn exists(&self, symbol: SymbolId) -> bool {
        symbol.index() < self.module.symbols.len()
    }

    fn symbols(&mut self) {
        let module = self.module;
        let mut names = FxHashSet::default();
        for (id, symbol) in &module.symbols {
            let name = || format!("symbol {}", module.display_name(id));
            let is_new = symbol.name.is_empty() || names.insert(module.strings.bytes(symbol.name));
            self.check(is_new, || format!("{}: the name stands twice", name()));
            let points_back = match symbol.kind {
                SymbolKind::FunctionDeclaration | SymbolKind::DataDeclaration => true,
                SymbolKind::Function(function) => module.functions.get(function).is_some_and(|head| head.symbol == id),
                SymbolKind::Data(data) => module.data.get(data).is_some_and(|data| data.symbol == id),
                SymbolKind::Alias { target, .. } => self.exists(target),
                SymbolKind::Ifunc { resolver } => self.exists(resolver),
            };
            self.check(points_back, || format!("{}: what it names does not name it", name()));
            let comdat_exists = symbol.comdat.is_none_or(|comdat| comdat.index() < module.comdats.len());
            self.check(comdat_exists, || format!("{}: its comdat does not exist", name()));
        }
    }

    fn definitions(&mut self) {
        let module = self.module;
        for (id, head) in &module.functions {
            let named = module.symbols.get(head.symbol).map(|symbol| symbol.kind);
            self.check(named == Some(SymbolKind::Function(id)), || {
                format!("{id:?} has no symbol of its own")
            });
            let personality_exists = head.personality.is_none_or(|symbol| self.exists(symbol));
            self.check(personality_exists, || {
                format!("{id:?}: the personality routine does not exist")
            });
            for data in [&head.prefix_data, &head.prologue_data].into_iter().flatten() {
                self.check(data.symbol == head.symbol, || {
                    format!("{id:?}: data at its entry is another symbol's")
                });
                self.contents(&id, data);
            }
        }
        for (id, data) in &module.data {
            let named = module.symbols.get(data.symbol).map(|symbol| symbol.kind);
            self.check(named == Some(SymbolKind::Data(id)), || {
                format!("{id:?} has no symbol of its own")
            });
            self.contents(&id, data);
        }
    }

    fn contents(&mut self, id: &dyn Debug, data: &DataDef) {
        let module = self.module;
        let bytes_end = data.first_byte.checked_add(data.byte_count);
        let bytes_fit = bytes_end.is_some_and(|end| end <= module.bytes.len() as u64);
        self.check(bytes_fit && data.byte_count <= data.size, || {
            format!("{id:?}: its bytes do not exist")
        });
        let relocations_end = u64::from(data.first_relocation) + u64::from(data.relocation_count);
        let relocations_fit = relocations_end <= module.relocations.len() as u64;
        self.check(relocations_fit, || format!("{id:?}: its relocations do not exist"));
        if relocations_fit {
            self.relocations(data);
        }
    }

    fn relocations(&mut self, data: &DataDef) {
        let module = self.module;
        let mut earliest = 0;
        for relocation in module.data_relocations(data) {
            let end = relocation.offset.checked_add(u64::from(relocation.size));
            let place = || {
                format!(
                    "{}: relocation at {}",
                    module.display_name(data.symbol),
                    relocation.offset
                )
            };
            let fits = relocation.offset >= earliest && end.is_some_and(|end| end <= data.size);
            self.check(fits, || format!("{}: it overlaps another one or lies outside", place()));
            earliest = end.unwrap_or(u64::MAX);
            let exists = |target| match target {
                RelocationTarget::Symbol(symbol)
                | RelocationTarget::LocalEquivalent(symbol)
                | RelocationTarget::NoCfi(symbol) => self.exists(symbol),
                RelocationTarget::Block(function, _) => function.index() < module.functions.len(),
            };
            let all_exist = exists(relocation.target) && relocation.minus.is_none_or(exists);
            self.check(all_exist, || format!("{}: a symbol does not exist", place()));
        }
    }

    fn lists(&mut self) {
        let module = self.module;
        let entries = module.constructors.iter().chain(&module.destructors);
        let entries_exist = entries
            .clone()
            .all(|entry| self.exists(entry.function) && entry.associated.is_none_or(|symbol| self.exists(symbol)));
        self.check(entries_exist, || {
            "a constructor or destructor names no symbol".to_owned()
        });
        let used_exist = module
            .used
            .iter()
            .chain(&module.compiler_used)
            .all(|&symbol| self.exists(symbol));
        self.check(used_exist, || "a list of used symbols names no symbol".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use crate::text::parse_module;
    use crate::verify::verify_module;

    #[test]
    fn damage_of_data_at_entries_is_found() {
        let text = "prefix_data @f size 8 { } relocations [0: 8 @f]\nprologue_data @f size 1 { x\"90\" }\n\
                    func @f() {\nb0:\n  return\n}\n";
        let (module, _) = parse_module(text).expect("parses");
        assert_eq!(verify_module(&module), Ok(()));
        let message = |damage: fn(&mut crate::module::FunctionHead)| {
            let mut module = module.clone();
            module.functions.values_mut().for_each(damage);
            verify_module(&module).expect_err("damaged")[0].message.clone()
        };
        let prefix = |head: &mut crate::module::FunctionHead| head.prefix_data.as_mut().expect("there").size = 7;
        assert!(message(prefix).contains("outside"));
        let prologue =
            |head: &mut crate::module::FunctionHead| head.prologue_data.as_mut().expect("there").first_byte = 1;
        assert!(message(prologue).contains("bytes"));
        assert!(
            message(|head| head.prologue_data.as_mut().expect("there").symbol = crate::SymbolId::from_u32(9))
                .contains("another symbol's")
        );
        for text in [
            "symbol @f function\nprefix_data @f size 8 { }\n",
            "prefix_data @f { x\"00\" }\nprefix_data @f { x\"00\" }\nfunc @f() {\nb0:\n  return\n}\n",
        ] {
            assert!(parse_module(text).expect_err("wrong").to_string().contains("such data"));
        }
    }

    #[test]
    fn damage_outside_of_functions_is_found() {
        let text = "symbol @g function\ndata @x size 16 { \"abc\" } relocations [0: 8 @g, 8: 8 @x + 4]\nused [@x]\n";
        let (module, _) = parse_module(text).expect("parses");
        assert_eq!(verify_module(&module), Ok(()));
        let message = |damage: fn(&mut crate::Module)| {
            let mut module = module.clone();
            damage(&mut module);
            verify_module(&module).expect_err("damaged")[0].message.clone()
        };
        assert!(message(|module| module.relocations[1].offset = 7).contains("overlaps"));
        assert!(message(|module| module.bytes.truncate(1)).contains("bytes"));
        assert!(message(|module| module.used.push(crate::SymbolId::from_u32(9))).contains("used"));
        assert!(
            message(|module| module.symbols[crate::SymbolId::from_u32(1)].name =
                module.symbols[crate::SymbolId::from_u32(0)].name)
            .contains("twice")
        );
    }
}
