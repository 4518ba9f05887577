//! `cargo xtask debug-sections`: modules with debug information, compiled under every recipe.
//!
//! For each module and recipe, `llvm-dwarfdump --verify` must find nothing, `readelf` and `gdb` must read all of it
//! without a warning but for those that they give of llc's object, too, and everything that is part of the program must
//! be the same bytes as with `--strip-debug`. The modules are those of the corpus, with a table of the bytes of the
//! debug sections beside those of llc at the module's level, and how many variables of optimised code have a location
//! and in how much of their scopes, which must be nearly as much as with llc; or with `--torture`, GCC's tests; or with
//! `--wide`, the code bases of `crosstest --wide`; or with `--rust`, the crates of `rust`. With `--target`, all but the
//! crates are compiled for another machine, and looked at with its tools.
//!
//! Not here: what the sections say (`debugger`, `symbolizers`, and the tests of debug information).

mod check;
mod statistics;
mod subjects;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};
use pico_args::Arguments;

use crate::compiler::{Compiler, RECIPES};
use crate::corpus::Level;
use crate::share::Share;
use crate::{corpus, machine, parallel, workspace};
use check::{Checked, check, debug_bytes, reference};
use statistics::{Compared, Statistics};
use subjects::{Subject, Suite};

/// Counts, and how large debug sections are beside those of llc, by level.
#[derive(Debug, Default)]
struct Report {
    passed: usize,
    failed: usize,
    /// Modules that were looked at.
    modules: usize,
    /// How often for which reason.
    refused: BTreeMap<String, usize>,
    /// Sources that clang refuses.
    useless: usize,
    ratios: BTreeMap<&'static str, Vec<f64>>,
    /// Of optimised code by the recipe that is meant to be like llc.
    locations: Compared,
}

/// After so many modules without lines of their own, it is said how far a run has come.
const MODULES_PER_LINE: usize = 100;

/// The recipe whose locations are compared with llc's.
const COVERING_RECIPE: &str = "O2";

/// Options for other modules than those of the corpus.
const SUITES: [(&str, Suite); 3] = [
    ("--torture", Suite::Torture),
    ("--wide", Suite::Wide),
    ("--rust", Suite::Rust),
];

/// `cargo xtask debug-sections [--torture|--wide|--rust] [FILTER]` with the options of [`Share`] and
/// [`Compiler::list_from_arguments`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    machine::select(&mut arguments)?;
    let compilers = Compiler::list_from_arguments(&mut arguments, &RECIPES)?;
    let mut share = Share::from_arguments(&mut arguments)?;
    let asked: Vec<Suite> = SUITES
        .iter()
        .filter(|row| arguments.contains(row.0))
        .map(|row| row.1)
        .collect();
    ensure!(asked.len() <= 1, "--torture, --wide and --rust exclude each other");
    let suite = asked.first().copied().unwrap_or(Suite::Corpus);
    ensure!(
        machine::is_host() || suite != Suite::Rust,
        "crates are compiled for the machine that we are on"
    );
    workspace::require(machine::current().debugger)?;
    let subjects = subjects::list(suite, &corpus::filter(arguments)?)?;
    ensure!(!subjects.is_empty(), "no module of that name");
    let dir = machine::folder().join("debug-sections");
    fs::create_dir_all(&dir)?;
    share.begin();
    if suite == Suite::Corpus {
        let titles = ["module", "", "debug kB", "llc's", "ratio"];
        println!(
            "{:<20} {:<11} {:>9} {:>9} {:>6}",
            titles[0], titles[1], titles[2], titles[3], titles[4]
        );
    }
    let report = Mutex::new(Report::default());
    let made = parallel::share(&share, subjects.len(), |number| {
        let subject = &subjects[number];
        let own = dir.join("made").join(&subject.name);
        let outcome = look_at(subject, suite, &compilers, &dir, &own, &report);
        outcome.with_context(|| subject.name.clone())?;
        let _ = fs::remove_dir_all(&own);
        Ok(())
    })?;
    let report = report.into_inner().expect("no thread panics while it reports");
    println!();
    for (level, ratios) in &report.ratios {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let count = ratios.len();
        println!("{level}: debug sections {mean:.3} of llc's, geometric mean of {count}");
    }
    let has_locations = suite == Suite::Corpus && report.ratios.contains_key(Level::O2Debug.name());
    if has_locations {
        println!("{COVERING_RECIPE}: {}", report.locations);
    }
    println!("{}", share.report("modules", made, subjects.len()));
    for (reason, count) in &report.refused {
        println!("refused, with debug information and without: {count} x {reason}");
    }
    let (passed, failed, useless) = (report.passed, report.failed, report.useless);
    let refused: usize = report.refused.values().sum();
    println!("{passed} passed, {failed} failed, {refused} refused; clang refuses {useless} sources");
    Ok(failed == 0 && (!has_locations || report.locations.is_enough()))
}

/// Looks at a module under all recipes; what is made on the way is in `own`.
fn look_at(
    subject: &Subject,
    suite: Suite,
    compilers: &[Compiler],
    dir: &Path,
    own: &Path,
    report: &Mutex<Report>,
) -> Result<()> {
    fs::create_dir_all(own)?;
    let Some(bitcode) = subject.bitcode(own)? else {
        report.lock().expect("no thread panics while it reports").useless += 1;
        return Ok(());
    };
    let kept = if suite == Suite::Corpus { dir } else { own };
    let found = check(subject, &bitcode, compilers, own, kept)?;
    let theirs = match suite {
        Suite::Corpus => Some(reference(subject, &bitcode, kept)?),
        _ => None,
    };
    let bytes = theirs.as_deref().map(debug_bytes).transpose()?;
    let covering = compilers
        .iter()
        .zip(&found)
        .find(|(compiler, checked)| compiler.recipe() == Some(COVERING_RECIPE) && matches!(checked, Checked::Good(_)));
    let locations = match (covering, &theirs) {
        (Some((compiler, _)), Some(theirs)) if subject.level == Level::O2Debug => {
            let ours = own.join(format!("{}.o", compiler.name()));
            Some((Statistics::of(&ours)?, Statistics::of(theirs)?))
        }
        _ => None,
    };
    let mut report = report.lock().expect("no thread panics while it reports");
    if let Some((ours, theirs)) = locations {
        report.locations.ours += ours;
        report.locations.theirs += theirs;
    }
    for (compiler, checked) in compilers.iter().zip(found) {
        let (name, compiler) = (&subject.name, compiler.name());
        match checked {
            Checked::Good(own_bytes) => {
                report.passed += 1;
                if let Some(theirs) = bytes {
                    let ratio = own_bytes as f64 / theirs.max(1) as f64;
                    report.ratios.entry(subject.level.name()).or_default().push(ratio);
                    let [own, theirs] = [own_bytes, theirs].map(|bytes| bytes as f64 / 1000.0);
                    println!("{name:<20} {compiler:<11} {own:>9.1} {theirs:>9.1} {ratio:>6.3}");
                }
            }
            Checked::Refused(reason) => {
                let reason = reason.split("not supported: ").last().unwrap_or(&reason).to_owned();
                *report.refused.entry(reason).or_default() += 1;
            }
            Checked::Bad(reason) => {
                report.failed += 1;
                println!("{name:<20} {compiler:<11} FAILED: {reason}");
            }
        }
    }
    report.modules += 1;
    if suite != Suite::Corpus && report.modules.is_multiple_of(MODULES_PER_LINE) {
        let (modules, passed, failed) = (report.modules, report.passed, report.failed);
        println!(
            "{modules} modules, to {}: {passed} passed, {failed} failed",
            subject.name
        );
    }
    Ok(())
}
