//! Instrumentation: a tool's hooks are called at places of a program, analysed once, inlined and summed up.
//!
//! A [tool file](text) names the hooks' module and says where they are called; a program in Rust may bring an
//! [`Instrumenter`] of its own. The tools are [bound](mod@bind) to the program's module when that is opened. Then two
//! passes, registered like all others, do the work on each function: [`insert`] puts the pseudo-operation `hook_call`
//! in, early or late in the recipe, and [`expand`] makes code of it, last of all. Contract 15 says what the passes in
//! between do.
//!
//! This crate opens no file and knows no target.

pub mod analyze;
pub mod bind;
pub mod decide;
mod emission;
mod evaluate;
pub mod expand;
mod find;
pub mod hook_module;
pub mod hook_object;
pub mod hooks;
pub mod insert;
pub mod inserts;
pub mod known;
mod low_bits;
mod merge;
mod outcomes;
mod partial;
pub mod places;
mod plan;
mod prototypes;
pub mod records;
pub mod request;
mod splice;
pub mod text;
mod texts;
pub mod tool;

pub use bind::{Bound, bind, promote};
pub use hook_module::HookModule;
pub use hook_object::{HookObject, MachineHook};
pub use hooks::Hook;
pub use request::{HookArg, Instrumenter, Names, Place, Requests, View};
pub use text::{Source, When};
pub use tool::{Tool, Tools};

use frazil_passes::recipe::{Origin, Placed};
use frazil_passes::{Book, FunctionStep, Overrides, Recipe, Registry};

/// Adds the passes of instrumentation to a registry.
pub fn register(registry: &mut Registry) {
    registry.function(insert::INFO, insert::make);
    registry.function(expand::INFO, expand::make);
}

/// The passes for what hooks have left.
const TIDYING: [&str; 2] = ["redundant-load", "dce"];

/// Adds the passes that tools need to a recipe, unless it says itself where they are: `instrument` before all others
/// for tools that say `early`, after them for the rest, then `expand-hooks` and what tidies up after it.
///
/// A recipe that makes no effort for the program makes none for its hooks: sums are made within blocks then.
pub fn add_steps(recipe: &mut Recipe, tools: &Tools) {
    let tries = has_tidying(recipe);
    let criteria = decide::Options {
        regions: tries,
        carry: tries,
        ..decide::Options::default()
    };
    add_steps_with(recipe, tools, criteria);
}

fn has(recipe: &Recipe, name: &str) -> bool {
    recipe.steps.iter().any(|step| step.info.name == name)
}

fn has_tidying(recipe: &Recipe) -> bool {
    TIDYING.iter().all(|name| has(recipe, name))
}

/// The same with criteria of one's own for inlining.
pub fn add_steps_with(recipe: &mut Recipe, tools: &Tools, criteria: decide::Options) {
    let step = |info: frazil_ir::PassInfo, pass: Box<dyn frazil_ir::FunctionPass>| FunctionStep {
        info,
        pass,
        placed: Placed {
            name: info.name.to_owned(),
            settings: Vec::new(),
            place: Origin::Option("--instrument"),
        },
    };
    let instrument = |when: When| step(insert::INFO, Box::new(insert::make(insert::Options { when })));
    let wants = |when: When| tools.all().iter().any(|tool| tool.when == when);
    if !has(recipe, insert::INFO.name) {
        if wants(When::Early) {
            recipe.steps.insert(0, instrument(When::Early));
        }
        if wants(When::Late) {
            // Where a recipe makes code of hooks, they are there before.
            let end = recipe.steps.iter().position(|step| step.info.name == expand::INFO.name);
            recipe
                .steps
                .insert(end.unwrap_or(recipe.steps.len()), instrument(When::Late));
        }
    }
    if !has(recipe, expand::INFO.name) {
        let pass = expand::make(criteria);
        recipe.steps.push(step(expand::INFO, Box::new(pass)));
        // What several hooks load and store of the tool's memory is left once, if the recipe does so with the program.
        if has_tidying(recipe) {
            let registry = Registry::builtin();
            let overrides = Overrides {
                passes: Some(TIDYING.iter().map(|&name| name.to_owned()).collect()),
                ..Overrides::default()
            };
            let tidying = Book::new(&registry).recipe("O2", &overrides);
            recipe
                .steps
                .extend(tidying.into_iter().flat_map(|tidying| tidying.steps));
        }
    }
}
