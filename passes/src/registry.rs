//! The registry: every pass by its name, with its options' type and how to make one.
//!
//! Method: a pass is registered by its [`PassInfo`] and a function from its options to the pass. Options are a struct
//! that serde reads from TOML, so that a recipe's keys are checked against its fields and nothing is looked up by text
//! when a pass runs. The order of registration is the order of lists; names are unique.

use frazil_codegen::pass::MachPass;
use frazil_ir::pass::{FunctionPass, Level, PassInfo};
use frazil_ir::{Analysis, AnalysisCache, Function};
use frazil_support::suggest::nearest;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// The options of a pass: all have defaults, and unknown keys are refused (`#[serde(default, deny_unknown_fields)]`).
pub trait PassOptions: DeserializeOwned + Serialize + Default + JsonSchema + 'static {}

impl<T: DeserializeOwned + Serialize + Default + JsonSchema + 'static> PassOptions for T {}

/// The options of a pass that has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoOptions {}

/// A pass that was made.
pub enum Made {
    /// One over the intermediate representation.
    Function(Box<dyn FunctionPass>),
    /// One over machine code.
    Mach(Box<dyn MachPass>),
}

type Maker = dyn Fn(toml::Table) -> Result<Made, toml::de::Error> + Send + Sync;

/// A pass that is known by name.
pub struct Entry {
    /// What it says about itself.
    pub info: PassInfo,
    make: Box<Maker>,
    defaults: fn() -> toml::Table,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

impl Entry {
    /// Makes the pass. Options that are not named have their defaults.
    ///
    /// # Errors
    /// When a key or a value is none of the pass's options.
    pub fn make(&self, options: toml::Table) -> Result<Made, toml::de::Error> {
        (self.make)(options)
    }

    /// The options by name, with their defaults; those that are not set by default have none.
    pub fn options(&self) -> Vec<(String, Option<toml::Value>)> {
        let schema = self.schema(&mut SchemaGenerator::default());
        let properties = schema.get("properties").and_then(|properties| properties.as_object());
        let keys = properties.into_iter().flat_map(|properties| properties.keys());
        let mut defaults = (self.defaults)();
        keys.map(|key| (key.clone(), defaults.remove(key))).collect()
    }

    /// The form of the options, for editors.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}

/// How to find the passes that there are.
const ALL: &str = "--list-passes shows all";

/// A name that no pass has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown pass `{name}`; {}", hint.as_ref().map_or(ALL.to_owned(), |hint| format!("did you mean `{hint}`?")))]
pub struct UnknownPass {
    pub name: String,
    /// The nearest valid name.
    pub hint: Option<&'static str>,
}

/// An analysis that is known by name.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisEntry {
    pub name: &'static str,
    /// Has it computed, unless it is there already.
    pub compute: fn(&AnalysisCache, &Function),
}

/// All passes that recipes may name, and the analyses that passes share.
#[derive(Debug, Default)]
pub struct Registry {
    entries: Vec<Entry>,
    analyses: Vec<AnalysisEntry>,
}

impl Registry {
    /// Adds the passes that `register` registers.
    #[must_use]
    pub fn with(mut self, register: impl FnOnce(&mut Registry)) -> Registry {
        register(&mut self);
        self
    }

    /// Adds a pass over the intermediate representation; `make` makes it from its options.
    ///
    /// # Panics
    /// When a pass of this name is registered already, or its level is another: both are mistakes of the program.
    pub fn function<O: PassOptions, P: FunctionPass + 'static>(&mut self, info: PassInfo, make: fn(O) -> P) {
        self.add::<O>(info, Level::Function, move |options| {
            Made::Function(Box::new(make(options)))
        });
    }

    /// Adds a pass over machine code; `make` makes it from its options.
    ///
    /// # Panics
    /// As [`Registry::function`].
    pub fn mach<O: PassOptions, P: MachPass + 'static>(&mut self, info: PassInfo, make: fn(O) -> P) {
        self.add::<O>(info, Level::Mach, move |options| Made::Mach(Box::new(make(options))));
    }

    /// Adds an analysis, so that it is computed before each pass and checked after it with `--check-preserved`. Passes
    /// may use others, too.
    ///
    /// # Panics
    /// When an analysis of this name is registered already.
    pub fn analysis<A: Analysis>(&mut self) {
        let is_new = self.analyses.iter().all(|entry| entry.name != A::NAME);
        assert!(is_new, "two analyses are called {}", A::NAME);
        self.analyses.push(AnalysisEntry {
            name: A::NAME,
            compute: |analyses, function| {
                analyses.get::<A>(function);
            },
        });
    }

    /// All analyses, in the order of their registration.
    pub fn analyses(&self) -> &[AnalysisEntry] {
        &self.analyses
    }

    fn add<O: PassOptions>(&mut self, info: PassInfo, level: Level, make: impl Fn(O) -> Made + Send + Sync + 'static) {
        // Not with `find`, which looks for the nearest name on failure: this runs whenever the program starts.
        let is_new = self.entries.iter().all(|entry| entry.info.name != info.name);
        assert!(is_new, "two passes are called {}", info.name);
        assert!(
            info.level == level,
            "{} is registered as a pass of another level",
            info.name
        );
        self.entries.push(Entry {
            info,
            make: Box::new(move |options| match options.is_empty() {
                // Nearly all, whenever the program starts.
                true => Ok(make(O::default())),
                false => Ok(make(O::deserialize(options)?)),
            }),
            defaults: || toml::Table::try_from(O::default()).expect("options are keys and plain values"),
            schema: O::json_schema,
        });
    }

    /// The pass of this name.
    ///
    /// # Errors
    /// If there is none; the error offers the nearest name.
    pub fn find(&self, name: &str) -> Result<&Entry, UnknownPass> {
        let found = self.entries.iter().find(|entry| entry.info.name == name);
        found.ok_or_else(|| UnknownPass {
            name: name.to_owned(),
            hint: nearest(name, self.entries.iter().map(|entry| entry.info.name)),
        })
    }

    /// All passes, in the order of their registration.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_ir::pass::{PassCx, PassError, Preserved};

    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
    struct Limits {
        most_blocks: u32,
    }

    impl Default for Limits {
        fn default() -> Self {
            Limits { most_blocks: 3 }
        }
    }

    struct Refuse(Limits);

    impl FunctionPass for Refuse {
        fn run(&self, _: &mut Function, _: &mut PassCx<'_>) -> Result<Preserved, PassError> {
            Err(PassError::new(format!("more than {} blocks", self.0.most_blocks)))
        }
    }

    const INFO: PassInfo = PassInfo {
        name: "refuse",
        summary: "refuses everything",
        level: Level::Function,
        required: false,
        after: &[],
        before: &[],
    };

    #[test]
    fn options_have_defaults_and_unknown_ones_are_refused() {
        let registry = Registry::default().with(|registry| registry.function(INFO, Refuse));
        let entry = registry.find("refuse").expect("registered");
        let expected = ("most-blocks".to_owned(), Some(toml::Value::Integer(3)));
        assert_eq!(entry.options(), [expected]);
        let options = |text: &str| text.parse().expect("TOML");
        assert!(entry.make(options("most-blocks = 5")).is_ok());
        let error = entry.make(options("most-block = 5")).err().expect("refused");
        assert!(error.message().contains("unknown field `most-block`"), "{error}");
        assert!(entry.make(options("most-blocks = -1")).is_err());
    }

    #[test]
    fn mistyped_names_get_a_suggestion() {
        let registry = Registry::default().with(|registry| registry.function(INFO, Refuse));
        let error = registry.find("refuze").expect_err("no such pass");
        assert_eq!(error.to_string(), "unknown pass `refuze`; did you mean `refuse`?");
        assert_eq!(registry.find("dce").expect_err("no such pass").hint, None);
    }

    #[test]
    fn the_built_in_passes_have_the_names_that_options_and_files_can_have() {
        let registry = Registry::builtin();
        assert_eq!(registry.analyses().len(), 2);
        for entry in registry.entries() {
            let name = entry.info.name;
            let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
            assert!(!name.is_empty() && name.chars().all(is_plain), "{name}");
            assert!(!entry.info.summary.is_empty(), "{name}");
            assert!(entry.make(toml::Table::new()).is_ok(), "{name}");
        }
    }
}
