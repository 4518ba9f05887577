//! Looking at passes while they run: printing, checking, counting time, and leaving executions out for bisection.
//!
//! [`Observe`] says what is wanted; the [runner](crate::manager) does it around each step and hands texts to a
//! [`Listener`], since only the driver prints and writes files.

mod check;
mod filter;
mod graph;
mod mach_text;

pub use filter::{FunctionFilter, PassFilter, StepName};

pub(crate) use check::{check_claims, check_function};

use crate::recipe::{Recipe, RecipeError};
use frazil_codegen::mfunc::MFunc;
use frazil_codegen::pass::MachPassCx;
use frazil_ir::text::print_function;
use frazil_ir::{Function, Module};
use std::ops::Range;
use std::time::Duration;

/// What is to be observed, and which passes are to run.
#[derive(Clone, Debug)]
pub struct Observe {
    /// Print functions before these passes.
    pub print_before: PassFilter,
    /// Print functions after these passes.
    pub print_after: PassFilter,
    /// Print functions after each pass that changed them.
    pub print_changed: bool,
    /// Print functions as they were read.
    pub print_input: bool,
    /// The functions that are printed.
    pub functions: FunctionFilter,
    /// Whether the graph of the blocks is printed instead of the text, for Graphviz.
    pub graph: bool,
    /// Whether each function is verified after each pass.
    pub verify_each: bool,
    /// Whether analyses are computed before each pass, and again after it if the pass says that it preserved them.
    pub check_preserved: bool,
    /// Whether each change of a machine function is proved to keep what it does.
    pub check_machine: bool,
    /// The number of the last execution of a pass that is not skipped. An execution's number is that of the function,
    /// from 0, times the number of passes of the recipe, plus the pass's, from 1: it does not depend on threads.
    pub bisect_limit: Option<u64>,
    /// Whether executions are listed with their numbers.
    pub list_executions: bool,
    /// The first pass to run; what comes before is skipped.
    pub start_before: Option<StepName>,
    /// The last pass to run; what comes after it is skipped. If it is one over machine code, no code is made.
    pub stop_after: Option<StepName>,
    /// What tells the time, if passes are to be timed.
    pub clock: Option<fn() -> Duration>,
}

impl Observe {
    /// Whether a listener would be told nothing, and nothing is timed.
    pub fn is_quiet(&self) -> bool {
        let prints = self.print_changed
            || self.print_input
            || [&self.print_before, &self.print_after]
                .iter()
                .any(|filter| !matches!(filter, PassFilter::None));
        !prints && !self.list_executions && !self.check_machine && self.clock.is_none()
    }
}

impl Default for Observe {
    fn default() -> Self {
        Observe {
            print_before: PassFilter::None,
            print_after: PassFilter::None,
            print_changed: false,
            print_input: false,
            functions: FunctionFilter::All,
            graph: false,
            verify_each: cfg!(debug_assertions),
            check_preserved: false,
            check_machine: cfg!(debug_assertions),
            bisect_limit: None,
            list_executions: false,
            start_before: None,
            stop_after: None,
            clock: None,
        }
    }
}

impl Observe {
    /// The places in the recipe's list of the passes that are to run.
    ///
    /// # Errors
    /// When a pass is named that the recipe does not have.
    pub(crate) fn range(&self, recipe: &Recipe) -> Result<Range<usize>, RecipeError> {
        self.print_before.check(recipe)?;
        self.print_after.check(recipe)?;
        let start = match &self.start_before {
            Some(name) => name.find(recipe, false)?,
            None => 0,
        };
        if start > recipe.steps.len() {
            return Err(RecipeError::new(
                "--start-before names a pass over machine code, whose text cannot be read: leave passes out with \
                 --disable instead",
            ));
        }
        let end = match &self.stop_after {
            Some(name) => recipe.steps.len().min(name.find(recipe, true)? + 1),
            None => recipe.steps.len(),
        };
        if start > end {
            let name = |step: &Option<StepName>| step.as_ref().map_or(String::new(), |step| step.pass().to_owned());
            let (stop, start) = (name(&self.stop_after), name(&self.start_before));
            let message = format!("--stop-after {stop} comes before --start-before {start}: nothing would run");
            return Err(RecipeError::new(message));
        }
        Ok(start..end)
    }

    /// The place among [`Recipe::places`] after which no machine code is made any more, if it comes to that.
    pub(crate) fn machine_stop(&self, recipe: &Recipe) -> Result<Option<usize>, RecipeError> {
        let stop = self
            .stop_after
            .as_ref()
            .map(|name| name.find(recipe, true))
            .transpose()?;
        Ok(stop.filter(|place| *place >= recipe.steps.len()))
    }

    /// Whether functions are to be printed at some time.
    pub fn prints(&self) -> bool {
        let filters = self.print_before != PassFilter::None || self.print_after != PassFilter::None;
        self.print_input || self.print_changed || filters
    }

    /// Whether nothing is wanted but running all the passes.
    pub(crate) fn is_idle(&self) -> bool {
        let checks = self.verify_each || self.check_preserved;
        let bisects = self.bisect_limit.is_some() || self.list_executions;
        !self.prints() && !checks && !bisects && self.clock.is_none()
    }

    /// Whether a function is printed after a pass.
    pub(crate) fn prints_after(&self, pass: &str, changed: bool) -> bool {
        self.print_after.matches(pass) || (changed && self.print_changed)
    }

    /// Whether a pass is left out because of its number.
    pub(crate) fn skips(&self, execution: u64) -> bool {
        self.bisect_limit.is_some_and(|limit| execution > limit)
    }

    /// A function as it is to be printed.
    pub(crate) fn print(&self, module: &Module, function: &Function) -> String {
        if self.graph {
            return graph::graph(module, function);
        }
        let mut text = String::new();
        // A function that a pass has broken is printed as far as it goes.
        let _ = print_function(module, function, &mut text);
        text
    }

    /// A machine function as it is to be printed.
    pub(crate) fn print_machine(&self, module: &Module, func: &MFunc, cx: &MachPassCx<'_>) -> String {
        match self.graph {
            true => mach_text::graph(func, module, cx),
            false => mach_text::text(func, module, cx),
        }
    }

    /// The ending of a file's name that suits what is printed.
    pub(crate) fn extension(&self, text: &'static str) -> &'static str {
        if self.graph { "dot" } else { text }
    }
}

/// When something was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// When the function was read.
    Input,
    /// Before a pass.
    Before,
    /// After a pass.
    After,
}

/// A function at some moment.
#[derive(Clone, Debug)]
pub struct Dump<'a> {
    /// The function's number.
    pub number: usize,
    /// The function's name.
    pub function: &'a str,
    /// The pass's place in [`Recipe::places`], from 1; 0 for the input.
    pub step: usize,
    /// The pass's name; empty for the input.
    pub pass: &'a str,
    /// When it was.
    pub moment: Moment,
    /// The ending of a file's name that suits the text.
    pub extension: &'static str,
    pub text: String,
}

/// Receives what passes print and report.
pub trait Listener {
    /// A function was to be printed.
    fn dump(&mut self, dump: &Dump<'_>);
    /// A pass is about to run, or to be left out, for a function.
    fn execution(&mut self, number: u64, pass: &str, function: &str, skipped: bool);
    /// It could not be proved that a pass over machine code keeps what a function does.
    fn unproved(&mut self, _function: &str, _pass: &str, _why: &str) {}
}

/// A listener that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deaf;

impl Listener for Deaf {
    fn dump(&mut self, _: &Dump<'_>) {}

    fn execution(&mut self, _: u64, _: &str, _: &str, _: bool) {}
}
