//! What proofs came to, by pass.

use crate::confirm::Runner;
use crate::passes::{Change, Passes};
use crate::prove::{Options, Verdict, prove};
use crate::solver::Solver;
use frazil_ir::{Function, FunctionHead, Module, text};
use std::collections::BTreeMap;
use std::fmt::Write;

/// How the proofs for a pass ended.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Functions that the pass changed.
    pub changed: usize,
    /// Proved for all inputs.
    pub proved: usize,
    /// Proved but for long loops.
    pub bounded: usize,
    pub refuted: usize,
    /// Why others are not proved, and how often.
    pub unproved: BTreeMap<String, usize>,
}

impl Count {
    /// How many are not proved.
    pub fn open(&self) -> usize {
        self.unproved.values().sum()
    }

    fn add(&mut self, verdict: &Verdict) {
        self.changed += 1;
        match verdict {
            Verdict::Proved => self.proved += 1,
            Verdict::Bounded => self.bounded += 1,
            Verdict::Refuted(_) => self.refuted += 1,
            Verdict::Unproved(why) => *self.unproved.entry(why.clone()).or_default() += 1,
        }
    }
}

/// The results of many proofs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// By pass.
    pub counts: BTreeMap<&'static str, Count>,
    /// Functions that were given to passes.
    pub functions: usize,
    /// What was refuted, with texts.
    pub refuted: Vec<String>,
    /// What was not proved, with texts, if they are wanted.
    pub unproved: Vec<String>,
    pub keep_unproved: bool,
    /// The proofs once more with a parameter that is undefined: those that hold, and those that are open.
    pub undefined: (usize, usize),
}

/// Instructions of a function whose parameters are made undefined, at most: each use has bits of its own.
const MOST_WITH_UNDEFINED: usize = 40;

/// Parameters that are made undefined, one after the other, at most.
const MOST_UNDEFINED: usize = 2;

impl Report {
    /// Runs passes over a function and proves what they did.
    pub fn check(
        &mut self,
        passes: &mut Passes,
        solver: &mut Solver,
        options: &Options,
        module: &Module,
        head: &FunctionHead,
        function: &Function,
    ) {
        self.functions += 1;
        for change in passes.changes(module, head, function) {
            let verdict = prove(module, &change.before, &change.after, solver, options);
            self.counts.entry(change.pass).or_default().add(&verdict);
            self.with_undefined(solver, options, module, &change, &verdict);
            match &verdict {
                Verdict::Refuted(found) => {
                    let confirmed = match Runner::new(module).confirms(&change.before, &change.after, found) {
                        Some(true) => "the interpreter sees a difference",
                        Some(false) => "the interpreter sees no difference",
                        None => "the interpreter cannot tell",
                    };
                    let text = format!("{}: {found:?}: {confirmed}\n{}", change.pass, texts(module, &change));
                    self.refuted.push(text);
                }
                Verdict::Unproved(why) if self.keep_unproved => {
                    self.unproved
                        .push(format!("{}: {why}\n{}", change.pass, texts(module, &change)));
                }
                _ => {}
            }
        }
    }

    /// The same change for parameters that are undefined.
    fn with_undefined(
        &mut self,
        solver: &mut Solver,
        options: &Options,
        module: &Module,
        change: &Change,
        verdict: &Verdict,
    ) {
        let is_small = change.before.insts().len() <= MOST_WITH_UNDEFINED;
        if !is_small || !matches!(verdict, Verdict::Proved | Verdict::Bounded) {
            return;
        }
        // There are many of these, and the defined ones matter more.
        let limit = solver.time_limit;
        solver.time_limit = limit / 5;
        for parameter in 0..change.before.signature().params.len().min(MOST_UNDEFINED) {
            let options = Options {
                undefined_parameter: Some(parameter),
                ..*options
            };
            match prove(module, &change.before, &change.after, solver, &options) {
                Verdict::Proved | Verdict::Bounded => self.undefined.0 += 1,
                Verdict::Refuted(found) => {
                    let what = format!("{}: parameter {parameter} undefined: {found:?}", change.pass);
                    self.refuted.push(format!("{what}\n{}", texts(module, change)));
                }
                Verdict::Unproved(why) => {
                    self.undefined.1 += 1;
                    if self.keep_unproved {
                        let what = format!("{}: parameter {parameter} undefined: {why}", change.pass);
                        self.unproved.push(format!("{what}\n{}", texts(module, change)));
                    }
                }
            }
        }
        solver.time_limit = limit;
    }

    /// All passes together.
    pub fn total(&self) -> Count {
        let mut total = Count::default();
        for count in self.counts.values() {
            total.changed += count.changed;
            total.proved += count.proved;
            total.bounded += count.bounded;
            total.refuted += count.refuted;
            for (why, number) in &count.unproved {
                *total.unproved.entry(why.clone()).or_default() += number;
            }
        }
        total
    }

    /// A text table with a row for each pass, a row for the sum, and the reasons for what is unproved.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{:<20} {:>8} {:>8} {:>8} {:>8} {:>9}\n",
            "pass", "changed", "proved", "bounded", "refuted", "unproved"
        );
        let total = self.total();
        for (name, count) in self.counts.iter().chain([(&"all", &total)]) {
            writeln!(
                text,
                "{name:<20} {:>8} {:>8} {:>8} {:>8} {:>9}",
                count.changed,
                count.proved,
                count.bounded,
                count.refuted,
                count.open()
            )
            .expect("strings can be written to");
        }
        let (proved, open) = self.undefined;
        writeln!(text, "with a parameter undefined: {proved} proved, {open} unproved")
            .expect("strings can be written to");
        for (why, number) in &total.unproved {
            writeln!(text, "  {number} unproved: {why}").expect("strings can be written to");
        }
        text
    }
}

/// The functions before and after a pass as text.
pub fn texts(module: &Module, change: &Change) -> String {
    let mut text = "; before\n".to_owned();
    text::print_function(module, &change.before, &mut text).expect("strings can be written to");
    text.push_str("; after\n");
    text::print_function(module, &change.after, &mut text).expect("strings can be written to");
    text
}
