//! Options about looking at passes while they run.

use crate::diagnostics::{Error, Stage};
use crate::timing::processor_time;
use clap::{Args, ValueEnum};
use frazil_passes::Observe;
use frazil_passes::observe::{FunctionFilter, PassFilter, StepName};
use std::path::PathBuf;

/// What the command line says about observation.
#[derive(Debug, Args)]
#[command(next_help_heading = "Observation")]
pub struct ObserveArguments {
    /// Print functions before these passes, select (making machine code) or regalloc (all: before each)
    #[arg(long, value_name = "PASS,...", value_delimiter = ',')]
    pub print_before: Vec<String>,
    /// Print functions after these passes, select or regalloc (all: after each)
    #[arg(long, value_name = "PASS,...", value_delimiter = ',')]
    pub print_after: Vec<String>,
    /// Print functions before each pass
    #[arg(long)]
    pub print_before_all: bool,
    /// Print functions after each pass
    #[arg(long)]
    pub print_after_all: bool,
    /// Print functions after each pass that changed them
    #[arg(long)]
    pub print_changed: bool,
    /// Print only functions whose name matches a regular expression, or the one with this number
    #[arg(long, value_name = "REGEX or #NUMBER")]
    pub filter_func: Option<String>,
    /// Print only the functions of these names
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', conflicts_with = "filter_func")]
    pub filter_print_funcs: Vec<String>,
    /// Write what is printed to files in this folder; without other options, functions after each pass
    #[arg(long, value_name = "FOLDER")]
    pub dump_dir: Option<PathBuf>,
    /// Print the graph of each function's blocks for Graphviz instead of its text; alone, of what was read
    #[arg(long)]
    pub dot_cfg: bool,
    /// Verify each function after each pass (always in debug builds)
    #[arg(long)]
    pub verify_each: bool,
    /// Prove that each register and spill slot holds what instructions read there (always in debug builds)
    #[arg(long)]
    pub check_regalloc: bool,
    /// Prove that each pass over machine code keeps what the function does
    #[arg(long)]
    pub check_machine: bool,
    /// All of it: verify each function after each pass, prove each allocation and each pass over machine code
    #[arg(long)]
    pub verify_machineinstrs: bool,
    /// Compute analyses before each pass, and again after it if the pass says that they still hold
    #[arg(long)]
    pub check_preserved: bool,
    /// Run no passes before this one (PASS:N: its Nth place in the recipe)
    #[arg(long, value_name = "PASS")]
    pub start_before: Option<String>,
    /// Run no passes after this one (PASS:N: its Nth place in the recipe), and write the intermediate representation;
    /// after select, regalloc or a pass over machine code, machine code as text
    #[arg(long, value_name = "PASS")]
    pub stop_after: Option<String>,
    /// Run no passes beyond the Nth execution; -1 runs all and lists them
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub bisect_limit: Option<i64>,
    /// Print the processor time of each stage and pass to standard error
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub time_passes: Option<ReportForm>,
    /// Print the times of the N functions that cost most, too
    #[arg(long, value_name = "N", default_value_t = 0, requires = "time_passes")]
    pub time_functions: usize,
    /// Print counts of what was compiled, and of what passes did, to standard error
    #[arg(long)]
    pub stats: bool,
}

/// Values of `--time-passes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportForm {
    /// Tables
    Text,
    /// JSON with times in nanoseconds, of all functions, and all counts
    Json,
}

impl ObserveArguments {
    /// Whether allocations are proved.
    pub(crate) fn checks_regalloc(&self) -> bool {
        self.check_regalloc || self.verify_machineinstrs
    }

    /// Whether the user asks for proofs of what passes over machine code do.
    pub(crate) fn proves_machine_passes(&self) -> bool {
        self.check_machine || self.verify_machineinstrs
    }

    /// Which functions are printed.
    fn functions(&self) -> Result<FunctionFilter, Error> {
        let wrong = |message: String| Error::new(Stage::Options, format!("--filter-func: {message}"));
        match &self.filter_func {
            Some(filter) => FunctionFilter::parse(filter).map_err(wrong),
            // LLVM's word for all of them.
            None if self.filter_print_funcs.iter().any(|name| name == "*") => Ok(FunctionFilter::default()),
            None => Ok(FunctionFilter::names(&self.filter_print_funcs)),
        }
    }

    /// What is to be observed.
    pub(crate) fn observe(&self) -> Result<Observe, Error> {
        let option = |name: &str, message: String| Error::new(Stage::Options, format!("{name}: {message}"));
        let passes = |all: bool, names: &[String]| match all {
            true => PassFilter::All,
            false => PassFilter::of(names),
        };
        let step = |name: &str, step: &Option<String>| {
            let parsed = step.as_deref().map(StepName::parse).transpose();
            parsed.map_err(|message| option(name, message))
        };
        let default = Observe::default();
        let mut observe = Observe {
            print_before: passes(self.print_before_all, &self.print_before),
            print_after: passes(self.print_after_all, &self.print_after),
            print_changed: self.print_changed,
            functions: self.functions()?,
            graph: self.dot_cfg,
            verify_each: self.verify_each || self.verify_machineinstrs || default.verify_each,
            check_preserved: self.check_preserved,
            check_machine: self.proves_machine_passes() || default.check_machine,
            bisect_limit: self.bisect_limit.and_then(|limit| u64::try_from(limit).ok()),
            list_executions: self.bisect_limit == Some(-1),
            start_before: step("--start-before", &self.start_before)?,
            stop_after: step("--stop-after", &self.stop_after)?,
            clock: self.time_passes.map(|_| processor_time as fn() -> std::time::Duration),
            ..default
        };
        if let Some(limit) = self.bisect_limit.filter(|limit| *limit < -1) {
            return Err(option(
                "--bisect-limit",
                format!("expected a number from 0, or -1 for all; found {limit}"),
            ));
        }
        if !observe.prints() {
            // A folder is for all that happens; a graph alone is that of what was read.
            observe.print_input = self.dump_dir.is_some() || self.dot_cfg;
            observe.print_after = PassFilter::of(&self.dump_dir.iter().map(|_| "all".to_owned()).collect::<Vec<_>>());
        }
        Ok(observe)
    }
}
