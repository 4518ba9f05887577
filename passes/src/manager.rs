//! The pass manager: runs a recipe's passes over one function after the other.
//!
//! Method: a recipe is a flat list of steps; running it is a loop with one call through a pointer for each pass and
//! function. After a pass, the analyses that it did not preserve are forgotten. When something is to be observed, a
//! second loop with the checks, dumps and timers runs instead, so that they cost nothing otherwise.

use crate::observe::{Dump, Listener, Moment, Observe, check_claims, check_function};
use crate::recipe::{Placed, Recipe, RecipeError};
use frazil_ir::domtree::DomTree;
use frazil_ir::loops::LoopTree;
use frazil_ir::pass::{FunctionPass, PassCx, PassError, PassInfo, PassState, TargetFacts};
use frazil_ir::{Function, FunctionHead, Module};
use std::fmt;
use std::ops::Range;
use std::time::Duration;

/// A pass in its place, with its options.
pub struct Step<P: ?Sized> {
    /// What the pass says about itself.
    pub info: PassInfo,
    /// The pass.
    pub pass: Box<P>,
    /// Its place in the recipe.
    pub placed: Placed,
}

/// A pass over the intermediate representation in its place.
pub type FunctionStep = Step<dyn FunctionPass>;

impl<P: ?Sized> fmt::Debug for Step<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}

/// A function that passes run over.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Its number, from 0 in the order of the module's definitions.
    pub number: usize,
    /// Its name.
    pub name: &'a str,
    /// What the module says about it.
    pub head: &'a FunctionHead,
}

/// Runs the passes of a recipe. One for each worker.
#[derive(Debug)]
pub struct Runner<'a> {
    recipe: &'a Recipe,
    observe: &'a Observe,
    module: &'a Module,
    facts: TargetFacts,
    state: PassState,
    /// The steps that are to run.
    range: Range<usize>,
    /// The time of each step so far, if it is measured.
    times: Vec<Duration>,
    /// The function before a step, for checks.
    before: Function,
    current: &'static str,
}

impl<'a> Runner<'a> {
    /// What runs `recipe` over functions of `module`, observed as `observe` says.
    ///
    /// # Errors
    /// When `observe` names a pass that the recipe does not have.
    pub fn new(
        recipe: &'a Recipe,
        observe: &'a Observe,
        module: &'a Module,
        facts: TargetFacts,
    ) -> Result<Runner<'a>, RecipeError> {
        Ok(Runner {
            recipe,
            observe,
            module,
            facts,
            state: PassState::default(),
            range: observe.range(recipe)?,
            times: vec![Duration::ZERO; recipe.steps.len()],
            before: Function::new(),
            current: "",
        })
    }

    /// The pass that runs, or ran last: after a panic, the one that is to blame.
    pub fn current_pass(&self) -> &'static str {
        self.current
    }

    /// The name and the time of each step so far.
    pub fn times(&self) -> impl Iterator<Item = (&'static str, Duration)> + '_ {
        let names = self.recipe.steps.iter().map(|step| step.info.name);
        names.zip(self.times.iter().copied())
    }

    /// What the passes counted: pass, name and count.
    pub fn statistics(&self) -> &[(&'static str, &'static str, u64)] {
        self.state.statistics.rows()
    }

    /// Runs the passes over a function.
    ///
    /// # Errors
    /// A pass's, or what a check found; [`Runner::current_pass`] is the pass.
    pub fn run(
        &mut self,
        subject: Subject<'_>,
        function: &mut Function,
        listener: &mut dyn Listener,
    ) -> Result<(), PassError> {
        self.state.analyses.clear();
        if !self.observe.is_idle() {
            return self.run_observed(subject, function, listener);
        }
        for index in self.range.clone() {
            self.run_step(index, subject.head, function)?;
        }
        Ok(())
    }

    /// Runs a pass; whether it changed anything.
    fn run_step(&mut self, index: usize, head: &FunctionHead, function: &mut Function) -> Result<bool, PassError> {
        let step = &self.recipe.steps[index];
        self.current = step.info.name;
        let mut cx = PassCx::new(step.info.name, self.module, head, &self.facts, &mut self.state);
        let preserved = step.pass.run(function, &mut cx)?;
        self.state.analyses.retain(preserved.kept);
        Ok(preserved.changed)
    }

    fn run_observed(
        &mut self,
        subject: Subject<'_>,
        function: &mut Function,
        listener: &mut dyn Listener,
    ) -> Result<(), PassError> {
        if self.observe.print_input {
            self.dump(subject, None, Moment::Input, function, listener);
        }
        for index in self.range.clone() {
            let info = &self.recipe.steps[index].info;
            let execution = self.execution(subject.number, index);
            let skipped = !info.required && self.observe.skips(execution);
            if self.observe.list_executions {
                listener.execution(execution, info.name, subject.name, skipped);
            }
            if !skipped {
                self.run_observed_step(index, subject, function, listener)?;
            }
        }
        Ok(())
    }

    fn run_observed_step(
        &mut self,
        index: usize,
        subject: Subject<'_>,
        function: &mut Function,
        listener: &mut dyn Listener,
    ) -> Result<(), PassError> {
        let observe = self.observe;
        let name = self.recipe.steps[index].info.name;
        if observe.print_before.matches(name) {
            self.dump(subject, Some(index), Moment::Before, function, listener);
        }
        let checks = observe.verify_each || observe.check_preserved;
        if checks {
            self.before.clone_from(function);
        }
        if observe.check_preserved {
            // So that there is something to preserve.
            self.state.analyses.get::<DomTree>(function);
            self.state.analyses.get::<LoopTree>(function);
        }
        let start = observe.clock.map(|clock| clock());
        let changed = self.run_step(index, subject.head, function)?;
        if let (Some(start), Some(clock)) = (start, observe.clock) {
            self.times[index] += clock().saturating_sub(start);
        }
        if observe.print_after.matches(name) || (changed && observe.print_changed) {
            self.dump(subject, Some(index), Moment::After, function, listener);
        }
        if !checks {
            return Ok(());
        }
        let mut outcome = check_function(self.module, function);
        if outcome.is_ok() && observe.check_preserved {
            outcome = check_claims(&self.before, function, changed, &self.state);
        }
        if outcome.is_err() {
            self.dump_broken(index, subject, function, listener);
        }
        outcome
    }

    /// The number of an execution of a pass, see [`Observe::bisect_limit`].
    fn execution(&self, function: usize, step: usize) -> u64 {
        function as u64 * self.recipe.pass_count() as u64 + step as u64 + 1
    }

    fn dump(
        &self,
        subject: Subject<'_>,
        step: Option<usize>,
        moment: Moment,
        function: &Function,
        listener: &mut dyn Listener,
    ) {
        if self.observe.functions.matches(subject.number, subject.name) {
            let text = self.observe.print(self.module, function);
            self.tell(subject, step, moment, text, listener);
        }
    }

    /// Tells a function that a pass broke, as it was before and after.
    fn dump_broken(&self, index: usize, subject: Subject<'_>, function: &Function, listener: &mut dyn Listener) {
        for (moment, function) in [(Moment::Before, &self.before), (Moment::After, function)] {
            let text = self.observe.print(self.module, function);
            self.tell(subject, Some(index), moment, text, listener);
        }
    }

    fn tell(
        &self,
        subject: Subject<'_>,
        step: Option<usize>,
        moment: Moment,
        text: String,
        listener: &mut dyn Listener,
    ) {
        listener.dump(&Dump {
            number: subject.number,
            function: subject.name,
            step: step.map_or(0, |index| index + 1),
            pass: step.map_or("", |index| self.recipe.steps[index].info.name),
            moment,
            extension: if self.observe.graph { "dot" } else { "fzl" },
            text,
        });
    }
}
