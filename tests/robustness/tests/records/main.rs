//! Modules with one damaged record, and with damaged bytes: what the compiler accepts, LLVM's reader and verifier
//! accept, too.
//!
//! `ROBUSTNESS_RECORDS` says how many, `ROBUSTNESS_BYTES` how many with damaged bytes, `ROBUSTNESS_SEED` which series,
//! `ROBUSTNESS_SECONDS` when to stop at the latest; `ROBUSTNESS_CASE` repeats a single case and writes it to the file
//! that `ROBUSTNESS_OUTPUT` names.

mod accepted;
mod old;
mod refused;
mod texts;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, panic};

use accepted::Place;
use frazil::{Options, Stage};
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadOptions};
use frazil_ir::Function;
use frazil_robustness::record_damage::damage;
use frazil_robustness::records::{Node, Tree, decode, encode};
use frazil_robustness::{Module, Random, case};
use frazil_test_support::Folder;

/// Larger inputs take LLVM too long.
const MAX_MODULE_BYTES: u64 = 50_000;

/// The limit for one case.
const TIME_LIMIT: Duration = Duration::from_secs(1);

struct Base {
    name: String,
    bytes: Vec<u8>,
    trees: Vec<Tree>,
}

/// The committed modules that are small enough.
fn bases() -> Vec<Base> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths: Vec<PathBuf> = ["modules", "filetests/bitcode", "exceptions"]
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).expect("it is there"))
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bc"));
    paths.retain(|path| path.metadata().expect("it is there").len() < MAX_MODULE_BYTES);
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let bytes = fs::read(path).expect("it can be read");
            Base {
                name: path.file_name().expect("a file").to_string_lossy().into_owned(),
                trees: decode(&bytes).expect("it is well-formed"),
                bytes,
            }
        })
        .collect()
}

/// What LLVM says.
enum Verdict {
    Accepted,
    Refused(String),
    /// It fell over or did not end.
    Crashed,
}

fn verdict(path: &Path) -> Verdict {
    // Damaged modules send it into endless loops, too.
    let mut verifier = Command::new("timeout");
    verifier
        .args(["10", "opt-22", "-disable-output"])
        .arg(path)
        .stdin(Stdio::null());
    let output = verifier.output().expect("LLVM starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => Verdict::Accepted,
        Some(1) if !said.contains("PLEASE submit") => Verdict::Refused(said),
        _ => Verdict::Crashed,
    }
}

#[derive(Default)]
struct Counts {
    made: usize,
    compiled: usize,
    refused_by_llvm: usize,
    crashed: usize,
    listed: usize,
}

/// A damaged module.
struct Damaged<'m> {
    bytes: Vec<u8>,
    place: Place<'m>,
    description: String,
}

#[test]
fn what_is_accepted_is_accepted_by_llvm() {
    let bases = bases();
    compare("records", "ROBUSTNESS_RECORDS", 200, |seed, number| {
        let mut random = Random::of_series(seed, number);
        let base = &bases[random.below(bases.len())];
        let damaged = damage(&base.trees, &mut random);
        Damaged {
            bytes: encode(&damaged.trees),
            place: Place::Record(damaged.block, damaged.codes),
            description: format!("{}, block {}, {}", base.name, damaged.block, damaged.description),
        }
    });
}

#[test]
fn what_is_accepted_of_damaged_bytes_is_accepted_by_llvm() {
    let bases = bases();
    let modules: Vec<Module> = bases.iter().map(|base| Module::new(base.bytes.clone())).collect();
    compare("bytes", "ROBUSTNESS_BYTES", 200, |seed, number| {
        let case = case(seed, number, &modules);
        Damaged {
            place: case.repaired(accepted::is_skipped).map_or(Place::Unknown, |repaired| {
                Place::Elsewhere(repaired, &bases[case.module].trees)
            }),
            bytes: case.bytes,
            description: format!("{}, {}", bases[case.module].name, case.description),
        }
    });
}

/// Compares verdicts on so many damaged modules, or as many as the environment says under `name`.
#[allow(clippy::print_stdout, reason = "what was done is shown with --nocapture")]
fn compare<'m>(what: &str, name: &str, default: u64, make: impl Fn(u64, u64) -> Damaged<'m>) {
    let number = |name: &str, default: u64| env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let seed = number("ROBUSTNESS_SEED", 1);
    let numbers = match env::var("ROBUSTNESS_CASE") {
        Ok(_) => number("ROBUSTNESS_CASE", 0)..number("ROBUSTNESS_CASE", 0) + 1,
        Err(_) => 0..number(name, default),
    };
    let limit = Duration::from_secs(number("ROBUSTNESS_SECONDS", u64::from(u32::MAX)));
    let folder = Folder::new(what);
    let start = Instant::now();
    let mut counts = Counts::default();
    let mut failures = Vec::new();
    for number in numbers.clone() {
        if start.elapsed() > limit {
            break;
        }
        let damaged = make(seed, number);
        if let Ok(path) = env::var("ROBUSTNESS_OUTPUT") {
            fs::write(path, &damaged.bytes).expect("it can be written");
        }
        if let Err(problem) = check(&damaged, &folder, &mut counts) {
            let description = damaged.description;
            failures.push(format!("case {number} of seed {seed} ({description}): {problem}"));
        }
    }
    println!(
        "{what}: {} of {} cases, {} compiled, of these {} refused by LLVM ({} with reason), {} crashes of LLVM",
        counts.made,
        numbers.count(),
        counts.compiled,
        counts.refused_by_llvm,
        counts.listed,
        counts.crashed
    );
    assert!(
        failures.is_empty(),
        "{} of {} failed:\n{}",
        failures.len(),
        counts.made,
        failures.join("\n")
    );
}

fn check(damaged: &Damaged<'_>, folder: &Folder, counts: &mut Counts) -> Result<(), String> {
    let bytes = damaged.bytes.as_slice();
    counts.made += 1;
    let start = Instant::now();
    let result = panic::catch_unwind(panic::AssertUnwindSafe(|| frazil::compile(bytes, &Options::default())));
    if start.elapsed() > TIME_LIMIT {
        return Err(format!("took {:?}", start.elapsed()));
    }
    match result {
        Err(_) => return Err("it panics".to_owned()),
        Ok(Err(error)) => {
            let internal = error.diagnostics().iter().find(|found| found.stage == Stage::Internal);
            return internal.map_or(Ok(()), |found| Err(found.to_string()));
        }
        Ok(Ok(_)) if !reads_all(bytes) => return Ok(()),
        Ok(Ok(_)) => counts.compiled += 1,
    }
    let path = folder.write("module.bc", bytes);
    match verdict(&path) {
        Verdict::Accepted => Ok(()),
        Verdict::Crashed => {
            counts.crashed += 1;
            Ok(())
        }
        Verdict::Refused(said) => {
            counts.refused_by_llvm += 1;
            let verdict_of = |bytes: &[u8]| verdict(&folder.write("repaired.bc", bytes));
            if accepted::is_listed(bytes, &damaged.place, &said, verdict_of) {
                counts.listed += 1;
                return Ok(());
            }
            Err(format!(
                "LLVM says {}",
                said.lines()
                    .take(3)
                    .collect::<Vec<_>>()
                    .join(" / ")
                    .replace(&path.display().to_string(), "")
            ))
        }
    }
}

/// Whether all function bodies can be read: those of functions that need not be in the object are not examined.
fn reads_all(bytes: &[u8]) -> bool {
    let module = BitcodeModule::open(bytes, &ReadOptions::new(&frazil::platform_of)).expect("it was compiled");
    let mut reader = FunctionReader::new(&module);
    let mut function = Function::new();
    module
        .module()
        .functions
        .keys()
        .all(|id| reader.read(id, &mut function).is_ok())
}

#[test]
fn what_is_encoded_again_is_accepted() {
    let folder = Folder::new("encoded-records");
    for base in bases() {
        let bytes = encode(&base.trees);
        let path = folder.write("module.bc", &bytes);
        assert!(matches!(verdict(&path), Verdict::Accepted), "{}", base.name);
        if let Err(error) = frazil::compile(&bytes, &Options::default()) {
            let is_refusal = error
                .diagnostics()
                .iter()
                .all(|found| found.code().is_some_and(|code| code != "FZ0802"));
            assert!(is_refusal, "{}: {error}", base.name);
        }
    }
}

/// The initialiser of a variable of many bytes is replaced by a shorter text.
#[test]
fn an_initialiser_of_another_type_is_refused() {
    const C_STRING: u64 = 9;
    let bases = bases();
    let base = bases
        .iter()
        .find(|base| base.name == "mixed-O0.bc")
        .expect("it is there");
    let mut trees = base.trees.clone();
    let mut shortened = 0;
    for tree in &mut trees {
        shorten(tree, C_STRING, &mut shortened);
    }
    assert!(shortened > 0);
    let error = frazil::compile(&encode(&trees), &Options::default()).expect_err("it is not what the type says");
    assert!(error.to_string().contains("[FZ0802]"), "{error}");
}

fn shorten(tree: &mut Tree, code: u64, shortened: &mut usize) {
    for node in &mut tree.nodes {
        match node {
            Node::Record(record) if record.code == code && tree.id == 11 => {
                record.operands.truncate(1);
                *shortened += 1;
            }
            Node::Record(_) => {}
            Node::Block(inner) => shorten(inner, code, shortened),
        }
    }
}
