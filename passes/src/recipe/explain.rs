//! What `--list-passes` and `--explain-recipe` print.

use super::step::Step;
use super::{Codegen, Recipe};
use crate::registry::{Entry, Registry};
use frazil_ir::pass::{Level, Order, PassInfo};
use std::fmt::{self, Write};

/// All passes with their options, defaults and constraints, and the names of the analyses.
pub fn list_passes(registry: &Registry) -> String {
    let mut text = String::new();
    for entry in registry.entries() {
        list_pass(entry, &mut text).expect("strings can be written");
    }
    let analyses: Vec<&str> = registry.analyses().iter().map(|entry| entry.name).collect();
    text.push_str(&format!("analyses: {}\n", analyses.join(", ")));
    text
}

fn list_pass(entry: &Entry, text: &mut String) -> fmt::Result {
    let info = entry.info;
    let level = match info.level {
        Level::Function => "",
        Level::Mach => " [machine code]",
    };
    let required = if info.required { " [required]" } else { "" };
    writeln!(text, "{}{level}{required}: {}", info.name, info.summary)?;
    for (key, default) in entry.options() {
        writeln!(text, "    {key} = {}", value_text(default.as_ref()))?;
    }
    write_orders("    ", info, text)
}

fn value_text(value: Option<&toml::Value>) -> String {
    value.map_or_else(|| "(not set)".to_owned(), ToString::to_string)
}

/// The constraints of a pass, each with its reason.
fn write_orders(indent: &str, info: PassInfo, text: &mut String) -> fmt::Result {
    for (side, orders) in [("after", info.after), ("before", info.before)] {
        for Order { pass, reason } in orders {
            writeln!(text, "{indent}{side} {pass}: {reason}")?;
        }
    }
    Ok(())
}

/// A resolved recipe: each pass, where it was put into the list, its options and where they were set.
pub fn explain(recipe: &Recipe, registry: &Registry) -> String {
    let mut text = String::new();
    write_recipe(recipe, registry, &mut text).expect("strings can be written");
    text
}

fn write_recipe(recipe: &Recipe, registry: &Registry, text: &mut String) -> fmt::Result {
    writeln!(text, "{}: {}", recipe.name, recipe.summary)?;
    if !recipe.extends.is_empty() {
        writeln!(text, "extends {}", recipe.extends.join(", which extends "))?;
    }
    writeln!(text, "passes over the intermediate representation:")?;
    for (index, step) in recipe.steps.iter().enumerate() {
        write_step(index, step, registry, text)?;
    }
    let Codegen::Select(mach) = &recipe.codegen else {
        return writeln!(text, "machine code: fast");
    };
    writeln!(text, "machine code: select")?;
    writeln!(text, "       for-size = {}", mach.for_size)?;
    let first = recipe.steps.len();
    for (index, step) in recipe.mach_before.iter().enumerate() {
        write_step(first + index, step, registry, text)?;
    }
    writeln!(text, "     register allocation")?;
    let options = &mach.allocator;
    let rows = [
        ("split", options.split),
        ("memory-operands", options.memory_operands),
        ("rematerialize", options.rematerialize),
    ];
    for (key, value) in rows {
        writeln!(text, "       {key} = {value}")?;
    }
    let first = first + recipe.mach_before.len();
    for (index, step) in recipe.mach_after.iter().enumerate() {
        write_step(first + index, step, registry, text)?;
    }
    Ok(())
}

fn write_step<P: ?Sized>(index: usize, step: &Step<P>, registry: &Registry, text: &mut String) -> fmt::Result {
    writeln!(text, "  {:>2} {:<20} {}", index + 1, step.info.name, step.placed.place)?;
    let options = registry.find(step.info.name).map(Entry::options).unwrap_or_default();
    let settings = &step.placed.settings;
    for (key, default) in options {
        match settings.iter().find(|setting| setting.key == key) {
            Some(setting) => writeln!(text, "       {key} = {} ({})", setting.value, setting.place)?,
            None => writeln!(text, "       {key} = {}", value_text(default.as_ref()))?,
        }
    }
    write_orders("       ", step.info, text)
}
