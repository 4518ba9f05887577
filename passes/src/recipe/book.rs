//! All recipes that a run knows, and how one of them is looked up, changed by options and made ready.
//!
//! Only the built-in recipes that a recipe extends are parsed, so that the fastest recipe costs a few lines of TOML.

use super::draft::{Draft, Editor, Placed};
use super::origin::{Origin, RecipeError, hint};
use super::resolve::resolve;
use super::text::Source;
use super::{BUILTIN, Recipe};
use crate::registry::Registry;
use toml::Value;

/// Changes of a recipe on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Passes over the intermediate representation instead of the recipe's.
    pub passes: Option<Vec<String>>,
    /// Passes to leave out.
    pub disable: Vec<String>,
    /// Options, as `pass.option=value`.
    pub set: Vec<String>,
}

/// The recipes that may be named.
#[derive(Debug)]
pub struct Book<'a> {
    registry: &'a Registry,
    files: Vec<Source>,
}

impl<'a> Book<'a> {
    /// The built-in recipes, of passes in `registry`.
    pub fn new(registry: &'a Registry) -> Book<'a> {
        Book {
            registry,
            files: Vec::new(),
        }
    }

    /// Adds the recipes of a file; `file` is its name in messages.
    ///
    /// # Errors
    /// When the text is none of the format, or names a recipe that is there already.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), RecipeError> {
        let source = Source::parse(file, text)?;
        for (name, _) in &source.recipes {
            if self.names().any(|known| known == name.get_ref()) {
                let message = format!("recipe `{}` exists already; choose another name", name.get_ref());
                return Err(RecipeError::at(&source.place(name), message));
            }
        }
        self.files.push(source);
        Ok(())
    }

    /// The names of all recipes, the built-in ones first.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        BUILTIN.iter().map(|builtin| builtin.name).chain(self.file_names())
    }

    /// The names of the recipes from files.
    pub fn file_names(&self) -> impl Iterator<Item = &str> + Clone {
        let recipes = self.files.iter().flat_map(|source| &source.recipes);
        recipes.map(|(name, _)| name.get_ref().as_str())
    }

    /// The recipe of this name, with its passes made.
    ///
    /// # Errors
    /// When there is none, or something in it is wrong.
    pub fn recipe(&self, name: &str, overrides: &Overrides) -> Result<Recipe, RecipeError> {
        let mut draft = self.draft(name, None, &mut Vec::new())?;
        self.apply(&mut draft, overrides)?;
        resolve(self.registry, draft)
    }

    /// The recipe of this name as its text and the recipes that it extends say. `open` are the recipes that are being
    /// put together, and extend this one.
    fn draft(&self, name: &str, place: Option<Origin>, open: &mut Vec<String>) -> Result<Draft, RecipeError> {
        let mut builtin;
        let found = match BUILTIN.iter().find(|builtin| builtin.name == name) {
            Some(found) => {
                builtin = Source::parse(found.file, found.text)?;
                // Such a file has one recipe, which is called as the row says.
                let text = builtin.recipes.pop();
                text.map(|(_, text)| (&builtin, text))
            }
            None => (self.files.iter()).find_map(|source| Some((source, find(source, name)?.clone()))),
        };
        let Some((source, text)) = found else {
            let message = format!("unknown recipe `{name}`; {}", hint(name, self.names()));
            return Err(RecipeError { place, message });
        };
        let mut draft = match &text.extends {
            None => Draft::default(),
            Some(base) => {
                let place = source.place(base);
                open.push(name.to_owned());
                if open.contains(base.get_ref()) {
                    let chain = open.join(" extends ");
                    let message = format!("{chain} extends {}, which never ends", base.get_ref());
                    return Err(RecipeError::at(&place, message));
                }
                let mut draft = self.draft(base.get_ref(), Some(place), open)?;
                draft.extends.insert(0, base.get_ref().clone());
                draft
            }
        };
        name.clone_into(&mut draft.name);
        let registry = self.registry;
        let mut editor = Editor {
            registry,
            draft: &mut draft,
        };
        editor.apply(source, text)?;
        Ok(draft)
    }

    /// Makes the changes of the command line.
    fn apply(&self, draft: &mut Draft, overrides: &Overrides) -> Result<(), RecipeError> {
        if let Some(names) = &overrides.passes {
            let names = names.iter().filter(|name| !name.is_empty());
            let placed = names.map(|name| Placed {
                name: name.clone(),
                settings: Vec::new(),
                place: Origin::Option("--passes"),
            });
            draft.passes = placed.collect();
        }
        let registry = self.registry;
        let mut editor = Editor { registry, draft };
        for name in &overrides.disable {
            editor.disable(name, &Origin::Option("--disable"))?;
        }
        for setting in &overrides.set {
            let place = Origin::Option("--set");
            let parts = setting
                .split_once('=')
                .and_then(|(path, value)| Some((path.rsplit_once('.')?, value)));
            let Some(((pass, key), value)) = parts else {
                let message = format!("expected `pass.option=value`, found `{setting}`");
                return Err(RecipeError::at(&place, message));
            };
            editor.set(pass.trim(), key.trim(), value_of(value.trim()), &place)?;
        }
        Ok(())
    }
}

fn find<'a>(source: &'a Source, name: &str) -> Option<&'a super::text::RecipeText> {
    let mut recipes = source.recipes.iter();
    Some(&recipes.find(|(known, _)| known.get_ref() == name)?.1)
}

/// A value of the command line: TOML, or else a text that needs no quotes.
fn value_of(text: &str) -> Value {
    let parsed: Result<toml::Table, _> = toml::from_str(&format!("value = {text}"));
    let value = parsed.ok().and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}
