//! The recipe format: what a TOML file with recipes may say.
//!
//! ```toml
//! [recipe.size]
//! summary = "small code"
//! extends = "O2"                                        # everything below changes what O2 says
//! disable = ["licm"]
//! insert  = [{ after = "local-cse", pass = "acme.tail-merge", min-size = 3 }]
//! replace = [{ old = "simplify-cfg", pass = "acme.cfg" }]
//! set     = { local-cse = { window = 64 } }             # options of passes that are there already
//! codegen = { mode = "select", regalloc = { split = false } }
//! ```
//!
//! A recipe that extends none lists `passes` and, around the word `regalloc`, `mach-passes`. A pass is its name, or a
//! table of its name and its options.
//!
//! Method: serde reads these types; names and keys keep their places in the file, so that every later check can name
//! them. The JSON schema is made from the same types, see `schema`.

use super::origin::{Origin, RecipeError, plain};
use super::placeholders::{Insert, Pass, Replace, Settings};
use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use toml::{Spanned, Value};

/// The word that marks the place of register allocation among the machine passes.
pub const REGALLOC: &str = "regalloc";

/// A file with recipes.
#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileText {
    /// The recipes by name.
    #[schemars(with = "BTreeMap<String, RecipeText>")]
    pub recipe: BTreeMap<Spanned<String>, RecipeText>,
}

/// A recipe as it is written.
#[derive(Clone, Debug, Default, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RecipeText {
    /// What it is good for, in one line.
    pub summary: Option<String>,
    /// The recipe that this one changes.
    #[schemars(with = "Option<String>")]
    pub extends: Option<Spanned<String>>,
    /// The passes over the intermediate representation, in order.
    #[schemars(with = "Option<Vec<Pass>>")]
    pub passes: Option<Vec<Spanned<PassText>>>,
    /// The passes over machine code, in order; the word `regalloc` marks where registers are allocated.
    #[schemars(with = "Option<Vec<Pass>>")]
    pub mach_passes: Option<Vec<Spanned<PassText>>>,
    /// Passes to leave out.
    #[schemars(with = "Vec<String>")]
    pub disable: Vec<Spanned<String>>,
    /// Passes to put before or after others.
    #[schemars(with = "Vec<Insert>")]
    pub insert: Vec<Spanned<PassText>>,
    /// Passes to put in the place of others.
    #[schemars(with = "Vec<Replace>")]
    pub replace: Vec<Spanned<PassText>>,
    /// Options of passes, by pass.
    #[schemars(with = "Settings")]
    pub set: BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Value>>,
    /// How machine code is made.
    pub codegen: CodegenText,
}

/// How machine code is made, as far as a recipe says.
#[derive(Clone, Debug, Default, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CodegenText {
    /// Which of the two ways.
    pub mode: Option<Mode>,
    /// In the mode `select`, whether size counts more than speed.
    pub for_size: Option<bool>,
    /// In the mode `select`, options of the register allocator.
    pub regalloc: RegallocText,
}

/// The ways to make machine code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// One walk that lowers, allocates registers and encodes.
    #[default]
    Fast,
    /// Machine code with virtual registers, passes over it, and linear scan.
    Select,
}

/// Options of the register allocator.
#[derive(Clone, Debug, Default, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RegallocText {
    /// Whether intervals are split, so that a value may be in different places at different times.
    pub split: Option<bool>,
    /// Whether spilled values are used from memory where an instruction can.
    pub memory_operands: Option<bool>,
    /// Whether constants are computed again instead of being stored.
    pub rematerialize: Option<bool>,
}

/// A pass with options, and where it goes: a name, or a table.
#[derive(Clone, Debug, Default)]
pub struct PassText {
    /// Keys and values as they stand; a plain name is the value of the key `pass`.
    pub entries: Vec<(Spanned<String>, Value)>,
}

impl<'de> Deserialize<'de> for PassText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PassText, D::Error> {
        struct Shape;
        impl<'de> Visitor<'de> for Shape {
            type Value = PassText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a pass, or a table with the key `pass`")
            }

            fn visit_str<E>(self, name: &str) -> Result<PassText, E> {
                let key = Spanned::new(0..0, "pass".to_owned());
                Ok(PassText {
                    entries: vec![(key, Value::String(name.to_owned()))],
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PassText, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(PassText { entries })
            }
        }
        deserializer.deserialize_any(Shape)
    }
}

/// A file's recipes with what is needed to name places in it.
#[derive(Debug)]
pub struct Source {
    file: Arc<str>,
    text: Arc<str>,
    pub recipes: Vec<(Spanned<String>, RecipeText)>,
}

impl Source {
    /// Reads a file's text; `file` is its name in messages.
    ///
    /// # Errors
    /// When it is no TOML, or says something that the format does not have.
    pub fn parse(file: &str, text: &str) -> Result<Source, RecipeError> {
        let (file, whole): (Arc<str>, Arc<str>) = (Arc::from(file), Arc::from(text));
        let parsed: Result<FileText, toml::de::Error> = toml::from_str(text);
        let parsed = parsed.map_err(|error| RecipeError {
            place: error.span().map(|span| origin(&file, &whole, span)),
            message: match plain(error.message()) {
                // Said of what stands outside of any recipe.
                message if message.ends_with("valid names: recipe") || message == "the key `recipe` is missing" => {
                    format!("{message}; a recipe begins with [recipe.NAME]")
                }
                message => message,
            },
        })?;
        Ok(Source {
            file,
            text: whole,
            recipes: parsed.recipe.into_iter().collect(),
        })
    }

    /// Where something stands.
    pub fn place<T>(&self, item: &Spanned<T>) -> Origin {
        origin(&self.file, &self.text, item.span())
    }
}

/// The place of a byte range of a file's text.
fn origin(file: &Arc<str>, text: &Arc<str>, span: Range<usize>) -> Origin {
    Origin::File {
        file: file.clone(),
        text: text.clone(),
        offset_bytes: span.start,
    }
}
