//! The validator bites: faults are put into functions after passes, and what the interpreter sees must not be proved.

use super::{Share, number_from_environment, sources};
use frazil_ir::{Function, Module};
use frazil_refinement::confirm::{Runner, is_meaningful, refines};
use frazil_refinement::faults::{KINDS, inject};
use frazil_refinement::passes::Change;
use frazil_refinement::prove::{Verdict, prove};
use frazil_refinement::report::texts;
use frazil_test_support::Random;
use std::collections::BTreeMap;

/// Runs for each fault.
const RUNS: usize = 24;
/// Faults that an everyday run tries, at most.
const DEFAULT_FAULTS: u64 = 2000;

/// How the faults of a kind ended that a run sees.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    refuted: usize,
    unproved: usize,
    /// Proved but for long loops.
    bounded: usize,
    missed: usize,
    /// Faults that no run sees, which are not asked about.
    unseen: usize,
}

/// Whether some run tells the functions apart that tells nothing apart before the fault.
fn is_seen(runner: &Runner, change: &Change, faulty: &Function, random: &mut Random) -> bool {
    (0..RUNS).any(|_| {
        let inputs = runner.inputs(&change.before, random);
        let Some(before) = runner.run_in_bounds(&change.before, &inputs).filter(is_meaningful) else {
            return false;
        };
        let agrees = |function: &Function| {
            runner
                .run(function, &inputs)
                .is_none_or(|after| refines(&before, &after))
        };
        agrees(&change.after) && !agrees(faulty)
    })
}

#[test]
fn faults_are_refuted() {
    let mut share = Share::new();
    let wanted = number_from_environment("FRAZIL_REFINEMENT_FAULTS", DEFAULT_FAULTS);
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let (mut faults, mut missed) = (0, Vec::new());
    let mut cases = sources::file_tests();
    share.random.shuffle(&mut cases);
    let mut modules = sources::modules();
    let mut windows = sources::Windows::new(&mut modules);
    let mut next_case = cases.iter();
    while faults < wanted && share.has_time() {
        let mut subjects: Vec<(&Module, Vec<Change>)> = Vec::new();
        if let Some((module, functions)) = next_case.next() {
            for (function, head) in functions.iter().zip(module.functions.values()) {
                subjects.push((*module, share.passes.changes(module, head, function)));
            }
        }
        for _ in 0..4 {
            if let Some((module, head, function)) = windows.next(&mut share.random) {
                subjects.push((module, share.passes.changes(module, head, &function)));
            }
        }
        for (module, changes) in subjects {
            let runner = Runner::new(module);
            for change in changes {
                for (kind, name) in KINDS.iter().enumerate() {
                    if faults == wanted || !share.has_time() {
                        break;
                    }
                    let Some(faulty) = inject(module, &change.after, kind, &mut share.random) else {
                        continue;
                    };
                    faults += 1;
                    let count = counts.entry(name).or_default();
                    if !is_seen(&runner, &change, &faulty, &mut share.random) {
                        count.unseen += 1;
                        continue;
                    }
                    match prove(module, &change.before, &faulty, &mut share.solver, &share.options) {
                        Verdict::Refuted(_) => count.refuted += 1,
                        Verdict::Unproved(_) => count.unproved += 1,
                        Verdict::Bounded => count.bounded += 1,
                        Verdict::Proved => {
                            count.missed += 1;
                            let change = Change {
                                after: faulty,
                                ..change.clone()
                            };
                            missed.push(format!("{name} after {}\n{}", change.pass, texts(module, &change)));
                        }
                    }
                }
            }
        }
    }
    report(&share, faults, wanted, &counts);
    assert!(missed.is_empty(), "proved, but seen in a run:\n{}", missed.join("\n"));
}

#[allow(clippy::print_stdout, reason = "what the test found is shown with --nocapture")]
fn report(share: &Share, faults: u64, wanted: u64, counts: &BTreeMap<&str, Count>) {
    println!(
        "faults: ran {faults} of {wanted} in {:.0} seconds",
        share.start.elapsed().as_secs_f64()
    );
    println!(
        "{:<22} {:>8} {:>9} {:>8} {:>7} {:>8}",
        "fault", "refuted", "unproved", "bounded", "missed", "unseen"
    );
    let mut all = Count::default();
    let row = |name: &str, count: &Count| {
        println!(
            "{name:<22} {:>8} {:>9} {:>8} {:>7} {:>8}",
            count.refuted, count.unproved, count.bounded, count.missed, count.unseen
        );
    };
    for (name, count) in counts {
        row(name, count);
        all.refuted += count.refuted;
        all.unproved += count.unproved;
        all.bounded += count.bounded;
        all.missed += count.missed;
        all.unseen += count.unseen;
    }
    row("all", &all);
}
