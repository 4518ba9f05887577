//! Proofs of what passes do: to the functions of the file tests, and to windows and small functions of real code; and
//! that wrong changes are refuted.
//!
//! `FRAZIL_REFINEMENT_SECONDS` says when each test stops at the latest ([`DEFAULT_SECONDS`] else), and with which
//! functions it begins, `FRAZIL_REFINEMENT_SEED`. `FRAZIL_REFINEMENT_WINDOWS` and `FRAZIL_REFINEMENT_FAULTS` say how
//! many windows and faults are tried, `FRAZIL_REFINEMENT_MODULES` from which modules (paths, one per line; committed
//! ones else). With `FRAZIL_REFINEMENT_OPEN` set, what is not proved is printed. `cargo xtask refinement` sets them.

mod faults;
mod known;
mod sources;

use frazil_refinement::passes::Passes;
use frazil_refinement::prove::Options;
use frazil_refinement::report::Report;
use frazil_refinement::solver::Solver;
use frazil_test_support::Random;
use std::time::{Duration, Instant};

/// The time of a test of an everyday run.
const DEFAULT_SECONDS: u64 = 15;
/// Windows that an everyday run tries, at most.
const DEFAULT_WINDOWS: u64 = 2000;
/// The time for one question.
const QUESTION: Duration = Duration::from_secs(2);

fn number_from_environment(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number")),
        Err(_) => default,
    }
}

/// What a test works with, until its time is over.
struct Share {
    report: Report,
    passes: Passes,
    solver: Solver,
    options: Options,
    random: Random,
    start: Instant,
    limit: Duration,
}

impl Share {
    fn new() -> Share {
        let seconds = number_from_environment("FRAZIL_REFINEMENT_SECONDS", DEFAULT_SECONDS);
        Share {
            report: Report {
                keep_unproved: std::env::var("FRAZIL_REFINEMENT_OPEN").is_ok(),
                ..Report::default()
            },
            passes: Passes::default(),
            solver: Solver::new(QUESTION),
            options: Options::default(),
            random: Random::new(number_from_environment("FRAZIL_REFINEMENT_SEED", 1)),
            start: Instant::now(),
            limit: Duration::from_secs(seconds),
        }
    }

    fn has_time(&self) -> bool {
        self.start.elapsed() < self.limit
    }

    /// Prints what was found, and fails if something was refuted.
    #[allow(clippy::print_stdout, reason = "what the test found is shown with --nocapture")]
    fn end(&self, what: &str, all: usize) {
        println!(
            "{what}: ran {} of {all} in {:.0} seconds, {} questions to the solver took {:.0} seconds\n{}",
            self.report.functions,
            self.start.elapsed().as_secs_f64(),
            self.solver.questions,
            self.solver.time.as_secs_f64(),
            self.report.table()
        );
        for text in &self.report.unproved {
            println!("unproved: {text}");
        }
        assert!(self.report.refuted.is_empty(), "{}", self.report.refuted.join("\n"));
    }
}

#[test]
fn passes_refine_the_functions_of_the_file_tests() {
    let mut share = Share::new();
    let mut cases = sources::file_tests();
    let all = cases.iter().map(|case| case.1.len()).sum();
    share.random.shuffle(&mut cases);
    for (module, functions) in &cases {
        for (function, head) in functions.iter().zip(module.functions.values()) {
            if share.has_time() {
                share.report.check(
                    &mut share.passes,
                    &mut share.solver,
                    &share.options,
                    module,
                    head,
                    function,
                );
            }
        }
    }
    share.end("functions of the file tests", all);
}

#[test]
fn passes_refine_windows_of_real_code() {
    let mut share = Share::new();
    let wanted = number_from_environment("FRAZIL_REFINEMENT_WINDOWS", DEFAULT_WINDOWS) as usize;
    let mut modules = sources::modules();
    let mut windows = sources::Windows::new(&mut modules);
    while share.report.functions < wanted && share.has_time() {
        let Some((module, head, function)) = windows.next(&mut share.random) else {
            break;
        };
        share.report.check(
            &mut share.passes,
            &mut share.solver,
            &share.options,
            module,
            head,
            &function,
        );
    }
    share.end("windows", wanted);
}
