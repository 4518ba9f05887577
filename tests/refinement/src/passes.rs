//! Passes, one at a time: each alone on a function, and each of a recipe on what those before it made.

use frazil_codegen::Target;
use frazil_ir::pass::{FunctionPass, PassCx, PassState, TargetFacts};
use frazil_ir::{Function, FunctionHead, Module, text};
use frazil_passes::{Made, Recipe, Registry, target_facts};
use frazil_support::FxHashSet;
use frazil_target_x86::isa::X86_64;
use std::hash::{BuildHasher, BuildHasherDefault};

/// The recipes whose passes are tried one after the other.
pub const RECIPES: [&str; 3] = ["O1", "O2", "Os"];

/// A pass on a function: what it made of it.
#[derive(Clone, Debug)]
pub struct Change {
    pub pass: &'static str,
    pub before: Function,
    pub after: Function,
}

/// All passes over the intermediate representation.
pub struct Passes {
    alone: Vec<(&'static str, Box<dyn FunctionPass>)>,
    recipes: Vec<Recipe>,
    facts: TargetFacts,
    state: PassState,
    seen: FxHashSet<u64>,
}

impl Default for Passes {
    fn default() -> Passes {
        let registry = Registry::builtin();
        let mut alone = Vec::new();
        for entry in registry.entries() {
            if let Ok(Made::Function(pass)) = entry.make(toml::Table::new()) {
                alone.push((entry.info.name, pass));
            }
        }
        let recipes = RECIPES.map(|name| Recipe::find(name).expect("a built-in recipe"));
        let target: Box<dyn Target> = (X86_64.new)();
        Passes {
            alone,
            recipes: recipes.into_iter().collect(),
            facts: target_facts(target.desc()),
            state: PassState::default(),
            seen: FxHashSet::default(),
        }
    }
}

impl Passes {
    /// The names of all passes.
    pub fn names(&self) -> Vec<&'static str> {
        self.alone.iter().map(|row| row.0).collect()
    }

    /// What the passes make of a function, where they change it; what was seen before is left out.
    pub fn changes(&mut self, module: &Module, head: &FunctionHead, function: &Function) -> Vec<Change> {
        let mut changes = Vec::new();
        let facts = TargetFacts {
            pointer_bits: module.data_layout.pointer_bits,
            ..self.facts
        };
        for (name, pass) in &self.alone {
            self.state.analyses.clear();
            let after = run(pass.as_ref(), name, (module, head), &facts, &mut self.state, function);
            changes.extend(changed(name, function, after));
        }
        for recipe in &self.recipes {
            self.state.analyses.clear();
            let mut current = function.clone();
            for step in &recipe.steps {
                let name = step.info.name;
                let Some(after) = run(
                    step.pass.as_ref(),
                    name,
                    (module, head),
                    &facts,
                    &mut self.state,
                    &current,
                ) else {
                    continue;
                };
                changes.extend(changed(name, &current, Some(after.clone())));
                current = after;
            }
        }
        changes.retain(|change| {
            let mut texts = change.pass.to_owned();
            for function in [&change.before, &change.after] {
                text::print_function(module, function, &mut texts).expect("strings can be written to");
            }
            let hash = BuildHasherDefault::<std::hash::DefaultHasher>::default().hash_one(&texts);
            self.seen.insert(hash)
        });
        changes
    }
}

/// The function after a pass with its graph, or nothing if it changed nothing.
fn run(
    pass: &dyn FunctionPass,
    name: &'static str,
    (module, head): (&Module, &FunctionHead),
    facts: &TargetFacts,
    state: &mut PassState,
    function: &Function,
) -> Option<Function> {
    let mut after = function.clone();
    let mut cx = PassCx::new(name, module, head, facts, state);
    let preserved = pass.run(&mut after, &mut cx).ok()?;
    state.analyses.retain(preserved.kept());
    after.compute_cfg();
    preserved.changed().then_some(after)
}

fn changed(pass: &'static str, before: &Function, after: Option<Function>) -> Option<Change> {
    after.map(|after| Change {
        pass,
        before: before.clone(),
        after,
    })
}
