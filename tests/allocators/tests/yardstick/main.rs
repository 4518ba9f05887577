//! `regalloc2` as a yardstick of our register allocator: the same machine functions, and what each allocator adds to
//! them side by side.
//!
//! Method: recipe O2 compiles functions; where registers are allocated, an allocator of this test has the linear scan
//! do the work, translates the machine function to what `regalloc2` takes ([`ssa`]), has that work on it, and counts
//! ([`count`]). An operand may be in memory for both where the op table says so; only ours can make constants again.
//!
//! The everyday run takes committed bitcode and random functions, and holds us to [`LIMITS`].
//! `cargo xtask regalloc-yardstick` names the modules of the corpus in `FRAZIL_YARDSTICK` (paths, one per line).

mod count;
mod graph;
mod measure;
mod ssa;
mod unit;

use count::{Counts, TITLES};
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadOptions};
use frazil_test_support::{Random, functions};
use measure::Comparison;
use std::path::Path;

/// The committed modules that the everyday run takes, in [`MODULES_FOLDER`].
const MODULES: [&str; 2] = ["mixed-O0.bc", "mixed-O2.bc"];
const MODULES_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../modules");
/// Random functions of the everyday run.
const RANDOM_FUNCTIONS: u64 = 60;
/// Statements of each.
const STATEMENTS: usize = 40;

/// How many times what `regalloc2` adds we may add at most: at each place once, and weighted.
const LIMITS: [f64; 2] = [1.1, 1.1];

/// The functions of a file of bitcode.
fn bitcode(path: &Path) -> Comparison {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let module = BitcodeModule::open(&bytes, &ReadOptions::new(&frazil::platform_of))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = FunctionReader::new(&module);
    let found = measure::module(module.module(), |id, function| {
        reader.read(id, function).map_err(|error| error.to_string())
    });
    found.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Random functions.
fn random(first_seed: u64, functions: u64) -> Comparison {
    let mut all = Comparison::default();
    for seed in first_seed..first_seed + functions {
        let mut random = Random::new(seed);
        let text = format!(
            "triple \"x86_64-unknown-linux-gnu\"\n{}\n{}",
            functions::function(0, 4, 64, &mut random),
            functions::function(1, STATEMENTS, 64, &mut random)
        );
        let (module, functions) = frazil_ir::text::parse_module(&text).expect("random functions can be parsed");
        let mut next = functions.iter();
        let found = measure::module(&module, |_, function| {
            function.clone_from(next.next().ok_or("too few functions")?);
            Ok(())
        });
        all.add(&found.unwrap_or_else(|error| panic!("seed {seed}: {error}")));
    }
    all
}

#[allow(clippy::print_stdout, reason = "what the test found is shown with --nocapture")]
fn print_head() {
    print!("{:<12} {:>9} {:<10}", "module", "functions", "allocator");
    TITLES.iter().for_each(|title| print!(" {title:>10}"));
    println!(
        " {:>10} {:>7}   {:>12} {:>7} {:>7}",
        "total", "ratio", "weighted", "ratio", "saved"
    );
}

#[allow(clippy::print_stdout, reason = "what the test found is shown with --nocapture")]
fn print_rows(name: &str, found: &Comparison) {
    let [places, weighted] = ratios(found);
    let row = |counts: &Counts, ratios: [String; 2]| {
        counts.places.iter().for_each(|count| print!(" {count:>10}"));
        let (total, weighted) = (counts.total(), counts.weighted_total());
        println!(
            " {total:>10} {:>7}   {weighted:>12.0} {:>7} {:>7}",
            ratios[0], ratios[1], counts.saved
        );
    };
    print!("{name:<12} {:>9} {:<10}", found.functions, "ours");
    row(&found.ours, [format!("{places:.3}"), format!("{weighted:.3}")]);
    print!("{:<22} {:<10}", "", "regalloc2");
    row(&found.theirs, Default::default());
    for reason in &found.refused {
        println!("  refused: {reason}");
    }
}

/// What we add through what `regalloc2` adds: at each place once, and weighted.
fn ratios(found: &Comparison) -> [f64; 2] {
    [
        found.ours.total() as f64 / found.theirs.total() as f64,
        found.ours.weighted_total() / found.theirs.weighted_total(),
    ]
}

#[test]
fn our_allocator_is_about_as_good() {
    let folder = Path::new(MODULES_FOLDER);
    let mut all = Comparison::default();
    print_head();
    let mut add = |name: &str, found: Comparison| {
        print_rows(name, &found);
        all.add(&found);
    };
    match std::env::var("FRAZIL_YARDSTICK") {
        Ok(paths) => {
            for path in paths.lines().map(Path::new) {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                add(&name, bitcode(path));
            }
        }
        Err(_) => {
            for path in MODULES.map(Path::new) {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                add(&name, bitcode(&folder.join(path)));
            }
        }
    }
    add("random", random(1, RANDOM_FUNCTIONS));
    print_rows("all", &all);
    assert!(all.refused.is_empty(), "refused: {:?}", all.refused);
    let found = ratios(&all);
    assert!(
        found[0] <= LIMITS[0] && found[1] <= LIMITS[1],
        "we add {:.3} times as much as regalloc2, weighted {:.3} times; at most {LIMITS:?}",
        found[0],
        found[1]
    );
}
