//! `; test opt <pass>[,<pass>…] [<pass>.<option>=<value> …]`: the passes make of the functions what the case expects in
//! the block `; expect opt …`, the verifier accepts the function after each pass, and the interpreter makes the case's
//! runs before and after them. Runs that expect poison or undefined behavior are made before only: a pass may choose.

use super::{Check, parsed, printed, run, target, verifier_messages};
use crate::runner::bless;
use crate::runner::case::{Case, Expected, Test};
use frazil_ir::domtree::DomTree;
use frazil_ir::loops::LoopTree;
use frazil_ir::pass::{PassState, TargetFacts};
use frazil_ir::{Function, FunctionHead, Module, text};
use frazil_passes::{Book, Overrides, Recipe, Registry, Step, target_facts};

pub const CHECK: Check = Check {
    name: "opt",
    parts: |_, test| vec![test.options.join(" ")],
    run: check,
};

fn check(case: &Case, test: &Test, part: &str) -> Result<(), String> {
    let recipe = recipe(&test.options)?;
    let entry = target(case.targets.first().map_or("x86_64", String::as_str))?;
    let facts = target_facts((entry.new)().desc());
    let (module, mut functions) = parsed(&case.source)?;
    let messages = verifier_messages(&module, &functions);
    if !messages.is_empty() {
        return Err(messages.join("\n"));
    }
    let mut state = PassState::default();
    for (function, head) in functions.iter_mut().zip(module.functions.values()) {
        transform(&recipe.steps, function, &module, head, &facts, &mut state)?;
    }
    let mut found = String::new();
    for function in &functions {
        text::print_function(&module, function, &mut found).map_err(|error| error.to_string())?;
    }
    bless::output(case, &format!("opt {part}"), &found)?;
    if case.runs.is_empty() {
        return Ok(());
    }
    run::with_executor(case, "interp").map_err(|message| format!("before the pass: {message}"))?;
    let mut after = Case {
        source: printed(&module, &functions),
        ..case.clone()
    };
    after.runs.retain(|run| matches!(run.expected, Expected::Results(_)));
    run::with_executor(&after, "interp").map_err(|message| format!("after the pass: {message}"))
}

/// A recipe of the passes and options that the words behind `; test opt` name.
fn recipe(words: &[String]) -> Result<Recipe, String> {
    let (names, settings) = words.split_first().ok_or("expected `; test opt <pass>`")?;
    let overrides = Overrides {
        passes: Some(names.split(',').map(str::to_owned).collect()),
        disable: Vec::new(),
        set: settings.to_vec(),
    };
    let recipe = Book::new(&Registry::builtin()).recipe("Om1", &overrides);
    recipe.map_err(|error| error.to_string())
}

fn transform(
    steps: &[Step],
    function: &mut Function,
    module: &Module,
    head: &FunctionHead,
    facts: &TargetFacts,
    state: &mut PassState,
) -> Result<(), String> {
    state.analyses.clear();
    for step in steps {
        let name = step.info.name;
        let before = function.clone();
        // So that there is something for the pass to invalidate.
        state.analyses.get::<DomTree>(function);
        state.analyses.get::<LoopTree>(function);
        let changed = step.run(function, module, head, facts, state);
        let changed = changed.map_err(|error| format!("{name}: {error}"))?;
        if let Err(errors) = frazil_ir::verify::verify_function(module, function) {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            let mut text = String::new();
            // What is printed of a broken function helps all the same.
            let _ = text::print_function(module, function, &mut text);
            return Err(format!("after {name}:\n{}\n{text}", errors.join("\n")));
        }
        if !has_current_cfg(function) {
            return Err(format!("{name} leaves predecessors or successors as they were before"));
        }
        if let Some(analysis) = state.analyses.find_stale(function) {
            return Err(format!("{name} says that it preserves {analysis}, but it does not"));
        }
        if !changed && (before.insts != function.insts || before.blocks != function.blocks) {
            return Err(format!("{name} says that it changed nothing, but it did"));
        }
    }
    Ok(())
}

/// Whether the graph that the function carries is that of its terminators.
fn has_current_cfg(function: &Function) -> bool {
    let mut anew = function.clone();
    anew.compute_cfg();
    function.block_ids().all(|block| {
        function.cfg.predecessors(block) == anew.cfg.predecessors(block)
            && function.cfg.successors(block) == anew.cfg.successors(block)
    })
}
