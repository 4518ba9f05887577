//! Compiling functions by a recipe, as the command does, with everything checked that can be checked.

use frazil_codegen::optimize::OptimizeState;
use frazil_codegen::{CodegenError, CompiledFunction, FastState, Target, TargetDesc, Unit};
use frazil_ir::indirect::merge_indirect_jumps;
use frazil_ir::{Function, FunctionHead, Module};
use frazil_passes::recipe::BUILTIN;
use frazil_passes::{Codegen, Dump, Listener, Observe, Recipe, Runner, Subject, target_facts};
use std::collections::BTreeSet;

/// A recipe, and what is checked while it is followed.
pub struct Checked {
    recipe: Recipe,
    observe: Observe,
}

impl Checked {
    /// The built-in recipe of this name.
    pub fn find(name: &str) -> Result<Checked, String> {
        let recipe = Recipe::find(name).map_err(|error| error.to_string())?;
        Ok(Checked::new(recipe))
    }

    /// A recipe with all checks.
    pub fn new(recipe: Recipe) -> Checked {
        let observe = Observe {
            verify_each: true,
            check_preserved: true,
            ..Observe::default()
        };
        Checked { recipe, observe }
    }

    /// What compiles functions of `module` by the recipe for a target.
    pub fn worker<'a>(&'a self, module: &'a Module, desc: &TargetDesc) -> Result<Worker<'a>, String> {
        let runner = Runner::new(&self.recipe, &self.observe, module, target_facts(desc));
        Ok(Worker {
            module,
            runner: runner.map_err(|error| error.to_string())?,
            codegen: &self.recipe.codegen,
            fast: FastState::default(),
            optimize: OptimizeState::default(),
        })
    }
}

/// The passes that some built-in recipe has. Others are experiments.
pub fn shipped_passes() -> BTreeSet<&'static str> {
    let recipes = BUILTIN.iter().map(|builtin| Recipe::find(builtin.name));
    let recipes = recipes.map(|recipe| recipe.expect("built-in recipes can be read"));
    recipes
        .flat_map(|recipe| recipe.infos().map(|info| info.name).collect::<Vec<_>>())
        .collect()
}

/// A recipe with the memory that following it needs.
pub struct Worker<'a> {
    module: &'a Module,
    runner: Runner<'a>,
    codegen: &'a Codegen,
    fast: FastState,
    optimize: OptimizeState,
}

impl Worker<'_> {
    /// Runs the recipe's passes.
    pub fn optimize(&mut self, function: &mut Function, head: &FunctionHead) -> Result<(), String> {
        let name = self.module.display_name(head.symbol);
        let subject = Subject {
            number: 0,
            name: &name,
            head,
        };
        let mut broken = Dumps::default();
        let outcome = self.runner.run(subject, function, &mut broken);
        outcome.map_err(|error| format!("pass {}: {error}\n{}", self.runner.current_pass(), broken.0))?;
        merge_indirect_jumps(function);
        Ok(())
    }

    /// Makes machine code of a function that passes have run over.
    pub fn compile(
        &mut self,
        target: &dyn Target,
        unit: &Unit<'_>,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError> {
        let recipe = match self.codegen {
            Codegen::Fast => return target.compile_fast(unit, &mut self.fast, out),
            Codegen::Select(recipe) => recipe,
        };
        let name = self.module.display_name(unit.head.symbol);
        let subject = Subject {
            number: 0,
            name: &name,
            head: unit.head,
        };
        let mut dumps = Dumps::default();
        let mut passes = self.runner.machine(subject, &mut dumps);
        target.compile_optimized(unit, recipe, &mut passes, &mut self.optimize, out)
    }
}

/// The texts of a function before and after the pass that broke it.
#[derive(Default)]
struct Dumps(String);

impl Listener for Dumps {
    fn dump(&mut self, dump: &Dump<'_>) {
        self.0
            .push_str(&format!("; {:?} {}\n{}", dump.moment, dump.pass, dump.text));
    }

    fn execution(&mut self, _: u64, _: &str, _: &str, _: bool) {}
}
