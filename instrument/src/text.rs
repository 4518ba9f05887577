//! The format of tool files.
//!
//! ```toml
//! name  = "count"              # [default: the file's name]; part of the names of what is private to the hooks
//! hooks = "count.bc"           # bitcode of the hooks, or an object, beside this file
//! when  = "late"               # "early": before the passes of the recipe
//! reads = false                # whether hooks look at the program's memory
//! sites = false                # whether a table of all places is written beside each object
//! derive = false               # whether counters may follow from others until `frazil_settle` is called
//!
//! [prototypes]                 # what hooks of an object take, which does not say it
//! on_load = ["i64", "ptr"]
//!
//! [[insert]]
//! at    = "load"               # the kind of place
//! place = "before"             # or "after" the instruction
//! call  = "on_load"            # the hook, a function of the bitcode that returns nothing
//! args  = ["function", "address", 5, { text = "a text" }]
//! follows       = false        # whether an early hook goes where a pass deletes its load or store
//! functions     = "^main$"     # filters: a regular expression of names of functions, and of those to leave out
//! not-functions = "^test_"
//! callees       = "^malloc$"   # of names of functions that are called
//! files         = "parser"     # of names of source files, where there is debug information
//! lines         = [10, 20]     # the first and the last line, where there is debug information
//! opcodes       = ["load"]
//! flags         = ["nsw"]      # of integer arithmetic: all of these
//! bits          = [32, 64]     # of integers that an operation computes with
//! sizes         = [1, 2, 4]    # bytes
//! address-spaces = [0]
//! ```
//!
//! Method: serde reads these types; what is named keeps its place in the file, so that every later check can say where
//! it stands.

use frazil_passes::recipe::plain;
use frazil_passes::recipe::{Origin, RecipeError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use toml::{Spanned, Value};

/// A tool file as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ToolText {
    pub name: Option<Spanned<String>>,
    pub hooks: Spanned<String>,
    #[serde(default)]
    pub when: When,
    #[serde(default)]
    pub reads: bool,
    #[serde(default)]
    pub sites: bool,
    pub derive: Option<Spanned<bool>>,
    /// What the hooks of an object take.
    pub prototypes: Option<Spanned<Prototypes>>,
    #[serde(default)]
    pub insert: Vec<Spanned<InsertText>>,
}

/// By name of a hook, words for the types of its parameters.
pub type Prototypes = BTreeMap<Spanned<String>, Vec<Spanned<String>>>;

/// When hooks are put in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Before the passes: the hooks see the program as the front end has written it.
    Early,
    /// After the passes: they see what is left of it.
    #[default]
    Late,
}

/// On which side of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    Before,
    After,
}

/// A table `[[insert]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InsertText {
    pub at: Spanned<String>,
    pub place: Option<Spanned<Side>>,
    pub call: Spanned<String>,
    #[serde(default)]
    pub args: Vec<Spanned<Value>>,
    pub follows: Option<Spanned<bool>>,
    pub functions: Option<Spanned<String>>,
    pub not_functions: Option<Spanned<String>>,
    pub callees: Option<Spanned<String>>,
    pub files: Option<Spanned<String>>,
    pub lines: Option<Spanned<(u32, u32)>>,
    pub opcodes: Option<Vec<Spanned<String>>>,
    pub flags: Option<Vec<Spanned<String>>>,
    pub bits: Option<Spanned<Vec<u32>>>,
    pub sizes: Option<Spanned<Vec<u64>>>,
    pub address_spaces: Option<Spanned<Vec<u32>>>,
}

/// A tool file with what is needed to name places in it.
#[derive(Clone, Debug)]
pub struct Source {
    pub file: Arc<str>,
    text: Arc<str>,
    pub tool: ToolText,
}

impl Source {
    /// Reads the text of a tool file; `file` is its name in messages.
    ///
    /// # Errors
    /// When it is no TOML, or says something that the format does not have.
    pub fn parse(file: &str, text: &str) -> Result<Source, RecipeError> {
        let (file, whole): (Arc<str>, Arc<str>) = (Arc::from(file), Arc::from(text));
        let parsed: Result<ToolText, toml::de::Error> = toml::from_str(text);
        let tool = parsed.map_err(|error| RecipeError {
            place: error.span().map(|span| origin(&file, &whole, span)),
            message: plain(error.message()),
        })?;
        Ok(Source {
            file,
            text: whole,
            tool,
        })
    }

    /// Where something stands.
    pub fn place<T>(&self, item: &Spanned<T>) -> Origin {
        origin(&self.file, &self.text, item.span())
    }

    /// An error about something that stands in the file.
    pub fn error<T>(&self, item: &Spanned<T>, message: impl Into<String>) -> RecipeError {
        RecipeError::at(&self.place(item), message)
    }

    /// The tool's name: the one that it says, or the file's without folder and extension.
    pub fn name(&self) -> String {
        match &self.tool.name {
            Some(name) => name.get_ref().clone(),
            None => {
                let name = self.file.rsplit('/').next().unwrap_or_default();
                name.split('.').next().unwrap_or_default().to_owned()
            }
        }
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
