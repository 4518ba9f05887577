//! A recipe while it is put together: lists of passes with options, and every change that can be made to them.
//!
//! Everything keeps the place where it was said, for messages and for `--explain-recipe`. A pass may stand in a recipe
//! several times: a change that names it means all of them, `insert` the first (`before`) or the last (`after`).

use super::origin::{Origin, RecipeError, hint};
use super::text::{CodegenText, PassText, REGALLOC, RecipeText, Source};
use crate::registry::Registry;
use toml::{Spanned, Value};

/// An option that was set.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The option's name.
    pub key: String,
    pub value: Value,
    /// Where it was set.
    pub place: Origin,
}

/// A pass in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The pass's name.
    pub name: String,
    /// Options that are not as by default.
    pub settings: Vec<Setting>,
    /// Where it was put into the list.
    pub place: Origin,
}

/// A recipe before its passes are made.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub name: String,
    pub summary: String,
    /// The recipes that it changes, the nearest first.
    pub extends: Vec<String>,
    pub passes: Vec<Placed>,
    pub mach_passes: Vec<Placed>,
    pub codegen: CodegenText,
}

/// Makes the changes that a recipe's text asks for.
pub(super) struct Editor<'a> {
    pub registry: &'a Registry,
    pub draft: &'a mut Draft,
}

impl Editor<'_> {
    /// Makes all changes of a recipe of `source`.
    pub fn apply(&mut self, source: &Source, text: RecipeText) -> Result<(), RecipeError> {
        if let Some(summary) = text.summary {
            self.draft.summary = summary;
        }
        if let Some(passes) = text.passes {
            self.draft.passes = placed_list(source, passes)?;
        }
        if let Some(passes) = text.mach_passes {
            self.draft.mach_passes = placed_list(source, passes)?;
        }
        for name in &text.disable {
            self.disable(name.get_ref(), &source.place(name))?;
        }
        for entry in text.replace {
            self.replace(source, entry)?;
        }
        for entry in text.insert {
            self.insert(source, entry)?;
        }
        for (pass, settings) in &text.set {
            for (key, value) in settings {
                self.set(pass.get_ref(), key.get_ref(), value.clone(), &source.place(key))?;
            }
        }
        merge(&mut self.draft.codegen, &text.codegen);
        Ok(())
    }

    /// Takes a pass out.
    pub fn disable(&mut self, name: &str, place: &Origin) -> Result<(), RecipeError> {
        self.must_have(name, place)?;
        if name == REGALLOC || self.registry.find(name).is_ok_and(|entry| entry.info.required) {
            let message = format!("`{name}` cannot be left out: code generation relies on it");
            return Err(RecipeError::at(place, message));
        }
        for list in [&mut self.draft.passes, &mut self.draft.mach_passes] {
            list.retain(|placed| placed.name != name);
        }
        Ok(())
    }

    /// Sets an option of a pass.
    pub fn set(&mut self, pass: &str, key: &str, value: Value, place: &Origin) -> Result<(), RecipeError> {
        self.must_have(pass, place)?;
        let lists = [&mut self.draft.passes, &mut self.draft.mach_passes];
        for placed in lists.into_iter().flatten().filter(|placed| placed.name == pass) {
            placed.settings.retain(|setting| setting.key != key);
            placed.settings.push(Setting {
                key: key.to_owned(),
                value: value.clone(),
                place: place.clone(),
            });
        }
        Ok(())
    }

    fn replace(&mut self, source: &Source, entry: Spanned<PassText>) -> Result<(), RecipeError> {
        let place = source.place(&entry);
        let mut text = entry.into_inner();
        let Some(old) = take_name(source, &mut text, "old")? else {
            return Err(RecipeError::at(&place, "expected the key `old`: the pass to replace"));
        };
        let new = placed(source, text, place.clone())?;
        self.must_have(&old, &place)?;
        let lists = [&mut self.draft.passes, &mut self.draft.mach_passes];
        for found in lists.into_iter().flatten().filter(|found| found.name == old) {
            *found = new.clone();
        }
        Ok(())
    }

    fn insert(&mut self, source: &Source, entry: Spanned<PassText>) -> Result<(), RecipeError> {
        let place = source.place(&entry);
        let mut text = entry.into_inner();
        let after = take_name(source, &mut text, "after")?;
        let before = take_name(source, &mut text, "before")?;
        let new = placed(source, text, place.clone())?;
        let (anchor, is_after) = match (after, before) {
            (Some(after), None) => (after, true),
            (None, Some(before)) => (before, false),
            _ => return Err(RecipeError::at(&place, "expected either the key `after` or `before`")),
        };
        self.must_have(&anchor, &place)?;
        let is_anchor = |placed: &Placed| placed.name == anchor;
        for list in [&mut self.draft.passes, &mut self.draft.mach_passes] {
            let index = match is_after {
                true => list.iter().rposition(is_anchor).map(|index| index + 1),
                false => list.iter().position(is_anchor),
            };
            if let Some(index) = index {
                list.insert(index, new);
                break;
            }
        }
        Ok(())
    }

    /// Checks that the recipe has a pass of this name.
    fn must_have(&self, name: &str, place: &Origin) -> Result<(), RecipeError> {
        let lists = || self.draft.passes.iter().chain(&self.draft.mach_passes);
        if lists().any(|placed| placed.name == name) {
            return Ok(());
        }
        let hint = hint(name, lists().map(|placed| placed.name.as_str()));
        let message = format!("no pass `{name}` in recipe {}; {hint}", self.draft.name);
        Err(RecipeError::at(place, message))
    }
}

/// The passes of a list.
fn placed_list(source: &Source, list: Vec<Spanned<PassText>>) -> Result<Vec<Placed>, RecipeError> {
    let entries = list.into_iter().map(|entry| {
        let place = source.place(&entry);
        placed(source, entry.into_inner(), place)
    });
    entries.collect()
}

/// A pass of a list.
fn placed(source: &Source, mut text: PassText, place: Origin) -> Result<Placed, RecipeError> {
    let Some(name) = take_name(source, &mut text, "pass")? else {
        return Err(RecipeError::at(&place, "expected the key `pass`: the name of a pass"));
    };
    let settings = text.entries.into_iter().map(|(key, value)| Setting {
        place: source.place(&key),
        key: key.into_inner(),
        value,
    });
    Ok(Placed {
        name,
        settings: settings.collect(),
        place,
    })
}

/// Takes a key out that has a pass's name as its value.
fn take_name(source: &Source, text: &mut PassText, key: &str) -> Result<Option<String>, RecipeError> {
    let Some(index) = text.entries.iter().position(|entry| entry.0.get_ref() == key) else {
        return Ok(None);
    };
    match text.entries.remove(index) {
        (_, Value::String(name)) => Ok(Some(name)),
        (key, _) => Err(RecipeError::at(&source.place(&key), "expected the name of a pass")),
    }
}

/// Replaces what `new` says something about.
fn merge(codegen: &mut CodegenText, new: &CodegenText) {
    let (old_regalloc, new_regalloc) = (&mut codegen.regalloc, &new.regalloc);
    codegen.mode = new.mode.or(codegen.mode);
    codegen.for_size = new.for_size.or(codegen.for_size);
    old_regalloc.split = new_regalloc.split.or(old_regalloc.split);
    old_regalloc.memory_operands = new_regalloc.memory_operands.or(old_regalloc.memory_operands);
    old_regalloc.rematerialize = new_regalloc.rematerialize.or(old_regalloc.rematerialize);
}
