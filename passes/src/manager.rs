//! The pass manager: runs a recipe's passes over one function after the other.
//!
//! Method: a recipe is a flat list of steps; running it is a loop with one call through a pointer for each pass and
//! function. After a pass, the analyses that it did not preserve are forgotten. When something is to be observed, a
//! second loop with the checks, dumps and timers runs instead, so that they cost nothing otherwise.

use crate::observe::{Dump, Listener, Moment, Observe, check_claims, check_function};
use crate::recipe::{Codegen, MachStep, REGALLOC, Recipe, RecipeError, SELECT};
use frazil_codegen::CodegenError;
use frazil_codegen::check::translation::{Validator, Verdict};
use frazil_codegen::mfunc::MFunc;
use frazil_codegen::pass::{MachPassCx, MachPasses};
use frazil_codegen::verify::MachVerifier;
use frazil_ir::pass::{PassCx, PassError, PassInfo, PassState, TargetFacts};
use frazil_ir::{Function, FunctionHead, Module};
use std::ops::Range;
use std::time::Duration;

/// A function that passes run over.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Its number, from 0 in the order of the module's definitions.
    pub number: usize,
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
    /// The place among [`Recipe::places`] after which no code is made any more.
    machine_stop: Option<usize>,
    /// The machine function as it was there.
    stopped: String,
    /// The time of each pass, and of each other part of the optimizing path, so far, if it is measured.
    times: Vec<(&'static str, Duration)>,
    /// The function before a step, for checks.
    before: Function,
    validator: Validator,
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
            machine_stop: observe.machine_stop(recipe)?,
            stopped: String::new(),
            times: recipe.infos().map(|info| (info.name, Duration::ZERO)).collect(),
            before: Function::new(),
            validator: Validator::default(),
            current: "",
        })
    }

    /// The pass that runs; empty if none does. After an error or a panic, it is the one to blame.
    pub fn current_pass(&self) -> &'static str {
        self.current
    }

    /// The text of the last function after the pass over machine code that [`Observe::stop_after`] names.
    pub fn stopped(&self) -> &str {
        &self.stopped
    }

    /// The name and the time of each pass so far, and of the parts of the optimizing path around them.
    pub fn times(&self) -> &[(&'static str, Duration)] {
        &self.times
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
        self.state.begin_function(function.insts().len());
        if !self.observe.is_idle() {
            self.run_observed(subject, function, listener)?;
        } else {
            for index in self.range.clone() {
                self.run_step(index, subject.head, function)?;
            }
        }
        self.current = "";
        Ok(())
    }

    /// Runs a pass; whether it changed anything.
    fn run_step(&mut self, index: usize, head: &FunctionHead, function: &mut Function) -> Result<bool, PassError> {
        let step = &self.recipe.steps[index];
        self.current = step.info.name;
        let mut cx = PassCx::new(step.info.name, self.module, head, &self.facts, &mut self.state);
        let preserved = step.pass.run(function, &mut cx)?;
        self.state.analyses.retain(preserved.kept());
        Ok(preserved.changed())
    }

    fn run_observed(
        &mut self,
        subject: Subject<'_>,
        function: &mut Function,
        listener: &mut dyn Listener,
    ) -> Result<(), PassError> {
        if self.observe.print_input && self.prints(subject) {
            let text = self.observe.print(self.module, function);
            self.tell(subject, None, Moment::Input, text, listener);
        }
        for index in self.range.clone() {
            let info = self.recipe.steps[index].info;
            if self.admits(index, info, subject, listener) {
                self.run_observed_step(index, subject, function, listener)?;
            }
        }
        let is_selected = self.recipe.codegen != Codegen::Fast && self.observe.print_before.matches(SELECT);
        if is_selected && self.prints(subject) {
            let text = self.observe.print(self.module, function);
            let place = (self.recipe.steps.len(), SELECT);
            self.tell(subject, Some(place), Moment::Before, text, listener);
        }
        Ok(())
    }

    /// Whether a pass is to run on a function, as far as the number of its execution says.
    fn admits(&self, index: usize, info: PassInfo, subject: Subject<'_>, listener: &mut dyn Listener) -> bool {
        let passes = self.recipe.pass_count() as u64;
        let execution = subject.number as u64 * passes + index as u64 + 1;
        let skipped = !info.required && self.observe.skips(execution);
        if self.observe.list_executions {
            listener.execution(execution, info.name, subject.name, skipped);
        }
        !skipped
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
        if observe.print_before.matches(name) && self.prints(subject) {
            let text = observe.print(self.module, function);
            self.tell(subject, Some((index, name)), Moment::Before, text, listener);
        }
        let checks = observe.verify_each || observe.check_preserved;
        if checks {
            self.before.clone_from(function);
        }
        if observe.check_preserved {
            // So that there is something to preserve.
            for analysis in &self.recipe.analyses {
                (analysis.compute)(&self.state.analyses, function);
            }
        }
        let start = observe.clock.map(|clock| clock());
        let changed = self.run_step(index, subject.head, function)?;
        if let (Some(start), Some(clock)) = (start, observe.clock) {
            self.times[index].1 += clock().saturating_sub(start);
        }
        if observe.prints_after(name, changed) && self.prints(subject) {
            let text = observe.print(self.module, function);
            self.tell(subject, Some((index, name)), Moment::After, text, listener);
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

    fn prints(&self, subject: Subject<'_>) -> bool {
        self.observe.functions.matches(subject.number, subject.name)
    }

    /// Tells a function that a pass broke, as it was before and after.
    fn dump_broken(&self, index: usize, subject: Subject<'_>, function: &Function, listener: &mut dyn Listener) {
        let name = self.recipe.steps[index].info.name;
        for (moment, function) in [(Moment::Before, &self.before), (Moment::After, function)] {
            let text = self.observe.print(self.module, function);
            self.tell(subject, Some((index, name)), moment, text, listener);
        }
    }

    fn tell(
        &self,
        subject: Subject<'_>,
        place: Option<(usize, &'static str)>,
        moment: Moment,
        text: String,
        listener: &mut dyn Listener,
    ) {
        listener.dump(&Dump {
            number: subject.number,
            function: subject.name,
            step: place.map_or(0, |(index, _)| index + 1),
            pass: place.map_or("", |(_, name)| name),
            moment,
            extension: self.observe.extension("fzl"),
            text,
        });
    }

    /// What runs the recipe's machine passes over a function.
    pub fn machine<'r>(&'r mut self, subject: Subject<'r>, listener: &'r mut dyn Listener) -> MachRunner<'r, 'a> {
        let last = self.observe.clock.map(|clock| clock());
        MachRunner {
            runner: self,
            subject,
            listener,
            last,
            verifier: MachVerifier::default(),
        }
    }
}

/// Runs the machine passes of a recipe over one function.
pub struct MachRunner<'r, 'a> {
    runner: &'r mut Runner<'a>,
    subject: Subject<'r>,
    listener: &'r mut dyn Listener,
    /// When the last part of the path was over, if time is measured.
    last: Option<Duration>,
    verifier: MachVerifier,
}

impl MachRunner<'_, '_> {
    /// The time since the last part was over.
    fn lap(&mut self) -> Duration {
        let now = self.runner.observe.clock.map(|clock| clock());
        let last = std::mem::replace(&mut self.last, now);
        now.zip(last)
            .map_or(Duration::ZERO, |(now, last)| now.saturating_sub(last))
    }

    /// Runs the pass that is the `index`-th of the recipe, at a place among [`Recipe::places`].
    fn run_step(
        &mut self,
        index: usize,
        place: usize,
        step: &MachStep,
        func: &mut MFunc,
        cx: &mut MachPassCx<'_>,
    ) -> Result<(), CodegenError> {
        let (observe, subject) = (self.runner.observe, self.subject);
        let name = step.info.name;
        if !self.runner.admits(index, step.info, subject, self.listener) {
            return self.stop_after(place, func, cx);
        }
        self.runner.current = name;
        if observe.print_before.matches(name) {
            self.tell((place, name), Moment::Before, func, cx);
        }
        if observe.check_machine {
            self.runner.validator.keep(func, cx.is_allocated);
        }
        self.lap();
        let count = step.pass.run(func, cx);
        let time = self.lap();
        self.runner.times[index].1 += time;
        if count > 0 {
            self.runner.state.statistics.add(name, "times", count);
        }
        if observe.prints_after(name, count > 0) {
            self.tell((place, name), Moment::After, func, cx);
        }
        if observe.verify_each
            && let Err(fault) = self.verifier.check(func, cx)
        {
            self.dump((place, name), Moment::After, func, cx);
            return Err(CodegenError::InvalidMachine { pass: name, fault });
        }
        if observe.check_machine {
            let proved = self.compare(name, func, cx);
            if proved.is_err() {
                self.dump((place, name), Moment::After, func, cx);
            }
            proved?;
        }
        self.stop_after(place, func, cx)
    }

    /// Stops with the function as it is, if that is wanted at this place.
    fn stop_after(&mut self, place: usize, func: &MFunc, cx: &MachPassCx<'_>) -> Result<(), CodegenError> {
        if self.runner.machine_stop != Some(place) {
            return Ok(());
        }
        self.runner.stopped = self.runner.observe.print_machine(self.runner.module, func, cx);
        self.runner.current = "";
        Err(CodegenError::Stopped)
    }

    /// Compares the function with the one that the validator has kept.
    fn compare(&mut self, pass: &'static str, func: &MFunc, cx: &MachPassCx<'_>) -> Result<(), CodegenError> {
        let runner = &mut *self.runner;
        let verdict = runner.validator.compare(func, cx);
        let statistics = &mut runner.state.statistics;
        match verdict {
            Verdict::Proved => statistics.add(pass, "validator: proved", 1),
            Verdict::Unproved(fault) => {
                statistics.add(pass, "validator: unproved", 1);
                self.listener.unproved(self.subject.name, pass, &fault.to_string());
            }
            Verdict::Refuted(fault) => return Err(CodegenError::WrongTranslation { pass, fault }),
        }
        Ok(())
    }

    /// Tells the function to the listener, if the user wants to see it.
    fn tell(&mut self, place: (usize, &'static str), moment: Moment, func: &MFunc, cx: &MachPassCx<'_>) {
        if self.runner.prints(self.subject) {
            self.dump(place, moment, func, cx);
        }
    }

    fn dump(&mut self, (index, pass): (usize, &'static str), moment: Moment, func: &MFunc, cx: &MachPassCx<'_>) {
        let observe = self.runner.observe;
        self.listener.dump(&Dump {
            number: self.subject.number,
            function: self.subject.name,
            step: index + 1,
            pass,
            moment,
            extension: observe.extension("mach"),
            text: observe.print_machine(self.runner.module, func, cx),
        });
    }
}

impl MachPasses for MachRunner<'_, '_> {
    fn run(&mut self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> Result<(), CodegenError> {
        let recipe = self.runner.recipe;
        let first = recipe.steps.len();
        // The parts of the path are places of their own.
        let (part, first, place, steps) = match cx.is_allocated {
            false => (SELECT, first, first, &recipe.mach_before),
            true => {
                let first = first + recipe.mach_before.len();
                (REGALLOC, first, first + 1, &recipe.mach_after)
            }
        };
        if self.runner.observe.verify_each
            && let Err(fault) = self.verifier.start(func, cx)
        {
            return Err(CodegenError::InvalidMachine { pass: part, fault });
        }
        if self.runner.observe.prints_after(part, true) {
            self.tell((place, part), Moment::After, func, cx);
        }
        self.stop_after(place, func, cx)?;
        for (index, step) in steps.iter().enumerate() {
            self.run_step(first + index, place + 1 + index, step, func, cx)?;
        }
        if !cx.is_allocated && self.runner.observe.print_before.matches(REGALLOC) {
            self.tell((place + 1 + steps.len(), REGALLOC), Moment::Before, func, cx);
        }
        self.runner.current = "";
        self.lap();
        Ok(())
    }

    fn allocating(&mut self, func: &MFunc) {
        if self.runner.observe.check_machine {
            self.runner.validator.keep(func, false);
        }
    }

    fn allocated(&mut self, func: &MFunc, cx: &MachPassCx<'_>) -> Result<(), CodegenError> {
        if self.runner.observe.check_machine {
            self.compare("regalloc", func, cx)?;
        }
        Ok(())
    }

    fn finished(&mut self, part: &'static str) {
        if self.last.is_none() {
            return;
        }
        let time = self.lap();
        let times = &mut self.runner.times;
        match times.iter_mut().find(|row| row.0 == part) {
            Some(row) => row.1 += time,
            None => times.push((part, time)),
        }
    }
}
