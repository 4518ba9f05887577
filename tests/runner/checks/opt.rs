//! `; test opt <pass>[,<pass>…] [<pass>.<option>=<value> …]`: the passes make of the functions what the case expects in
//! the block `; expect opt …`, the verifier accepts the function after each pass, and the interpreter makes the case's
//! runs before and after them. Runs that expect poison or undefined behavior are made before only: a pass may choose.

use super::{Check, parsed, printed, run, target, verifier_messages};
use crate::runner::bless;
use crate::runner::case::{Case, Expected, Test};
use crate::runner::recipe::Checked;
use frazil_ir::{Function, Module, text};
use frazil_passes::{Book, Overrides, Recipe, Registry};

pub const CHECK: Check = Check {
    name: "opt",
    parts: |_, test| vec![test.options.join(" ")],
    run: check,
};

fn check(case: &Case, test: &Test, part: &str) -> Result<(), String> {
    let (module, functions) = optimized(case, test, &[])?;
    bless::output(case, &format!("opt {part}"), &functions_text(&module, &functions)?)?;
    if case.runs.is_empty() {
        return Ok(());
    }
    run::with_part(case, "interp").map_err(|message| format!("before the pass: {message}"))?;
    let mut after = Case {
        source: printed(&module, &functions),
        ..case.clone()
    };
    after.runs.retain(|run| matches!(run.expected, Expected::Results(_)));
    run::with_part(&after, "interp").map_err(|message| format!("after the pass: {message}"))
}

/// Whether the case no longer finds what it expects when `pass` is left out.
pub fn notices_absence(case: &Case, test: &Test, pass: &str) -> Result<bool, String> {
    let expected = case.expected_output(&format!("opt {}", test.options.join(" ")));
    let (module, functions) = optimized(case, test, &[pass])?;
    Ok(expected != Some(functions_text(&module, &functions)?))
}

/// The module of a case after its passes but for some.
fn optimized(case: &Case, test: &Test, without: &[&str]) -> Result<(Module, Vec<Function>), String> {
    let recipe = recipe(&test.options, without)?;
    let entry = target(case.targets.first().map_or("x86_64", String::as_str))?;
    let (module, mut functions) = parsed(&case.source)?;
    let messages = verifier_messages(&module, &functions);
    if !messages.is_empty() {
        return Err(messages.join("\n"));
    }
    let recipe = Checked::new(recipe);
    let mut worker = recipe.worker(&module, (entry.new)().desc())?;
    for (function, head) in functions.iter_mut().zip(module.functions.values()) {
        worker.optimize(function, head)?;
    }
    Ok((module, functions))
}

fn functions_text(module: &Module, functions: &[Function]) -> Result<String, String> {
    let mut found = String::new();
    for function in functions {
        text::print_function(module, function, &mut found).map_err(|error| error.to_string())?;
    }
    Ok(found)
}

/// A recipe of the passes and options that the words after `; test opt` name, but for some passes.
fn recipe(words: &[String], without: &[&str]) -> Result<Recipe, String> {
    let (names, settings) = words.split_first().ok_or("expected `; test opt <pass>`")?;
    let kept = names.split(',').filter(|name| !without.contains(name));
    let overrides = Overrides {
        passes: Some(kept.map(str::to_owned).collect()),
        disable: Vec::new(),
        set: if without.is_empty() {
            settings.to_vec()
        } else {
            Vec::new()
        },
    };
    let registry = Registry::builtin().with(frazil::instrument::register);
    let recipe = Book::new(&registry).recipe("Om1", &overrides);
    recipe.map_err(|error| error.to_string())
}
