//! Pairs of functions of which is known whether the second refines the first.

use super::QUESTION;
use frazil_ir::text::parse_module;
use frazil_refinement::prove::{Options, Verdict, prove};
use frazil_refinement::solver::Solver;

/// Text that begins with `proved` or `refuted`, then two functions with one signature.
const PAIRS: &str = include_str!("known.fzl");

/// The word, the name and the two functions of each pair.
fn pairs() -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for line in PAIRS.lines() {
        match line.strip_prefix("; pair ") {
            Some(word) => pairs.push((word.to_owned(), String::new())),
            None => {
                if let Some(pair) = pairs.last_mut() {
                    pair.1.push_str(line);
                    pair.1.push('\n');
                }
            }
        }
    }
    pairs
}

#[test]
fn known_pairs_are_judged_rightly() {
    // A busy machine is no reason to fail.
    let options = Options {
        time_limit: 30 * QUESTION,
        ..Options::default()
    };
    let mut solver = Solver::new(15 * QUESTION);
    for (word, text) in pairs() {
        let (module, mut functions) = parse_module(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        functions.iter_mut().for_each(frazil_ir::Function::compute_cfg);
        let verdict = prove(&module, &functions[0], &functions[1], &mut solver, &options);
        let found = match &verdict {
            Verdict::Proved => "proved",
            Verdict::Bounded => "bounded",
            Verdict::Refuted(_) => "refuted",
            Verdict::Unproved(_) => "unproved",
        };
        assert_eq!(found, word, "{verdict:?} of\n{text}");
    }
}
