//! Modules whose debug information is damaged, from -O0 and -O2 of clang: each ends in success or in an error, soon and
//! without a panic, and nothing that is written is refused by `llvm-dwarfdump --verify`.
//!
//! Damaged are records of metadata and those by which functions refer to it, or bytes anywhere. The number of a case
//! chooses the recipe, too. `ROBUSTNESS_DEBUG` says how many, `ROBUSTNESS_SEED` which series, `ROBUSTNESS_SECONDS` when
//! to stop at the latest; `ROBUSTNESS_CASE` repeats a single case and writes it to the file that `ROBUSTNESS_OUTPUT`
//! names.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs, panic};

use frazil::options::{DebugOptions, SplitDebug};
use frazil::{Options, Recipe, Stage};
use frazil_frontend_pnacl::codes::{block, function};
use frazil_robustness::record_damage::damage_of;
use frazil_robustness::records::{Tree, decode, encode};
use frazil_robustness::{Module, Random, case};
use frazil_test_support::{Folder, run};

/// The limit for one case, with room for a slow machine and a build that is not optimized.
const TIME_LIMIT: Duration = Duration::from_secs(2);

const RECIPES: [&str; 4] = ["Om1", "O1", "O2", "Os"];

struct Base {
    name: String,
    module: Module,
    trees: Vec<Tree>,
}

/// Committed modules with debug information, and programs that clang compiles.
fn bases(folder: &Folder) -> Vec<Base> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = vec![tests.join("modules/mixed-O0-g.bc")];
    for name in ["types.c", "blocks.c", "classes.cpp"] {
        for level in ["-O0", "-O2"] {
            let source = tests.join("debug_information").join(name);
            paths.push(compiled(&source, &[level], folder));
        }
    }
    paths.push(units(&tests, folder));
    let base = |path: &PathBuf| {
        let bytes = fs::read(path).expect("it can be read");
        Base {
            name: path.file_name().expect("a file").to_string_lossy().into_owned(),
            trees: decode(&bytes).expect("it is well-formed"),
            module: Module::new(bytes),
        }
    };
    paths.iter().map(base).collect()
}

/// Two units in one module, with an index of names, macros of their own, and functions without unwind tables.
fn units(tests: &Path, folder: &Folder) -> PathBuf {
    let words = [
        "-O1",
        "-gpubnames",
        "-fdebug-macro",
        "-undef",
        "-fno-exceptions",
        "-fno-asynchronous-unwind-tables",
    ];
    let parts = ["first.cpp", "second.cpp"].map(|name| compiled(&tests.join("debug_units").join(name), &words, folder));
    let module = folder.path("units.bc");
    run(Command::new("llvm-link-22").arg("-o").arg(&module).args(parts));
    module
}

fn compiled(source: &Path, words: &[&str], folder: &Folder) -> PathBuf {
    let name = source.file_name().expect("a file").to_string_lossy();
    let bitcode = folder.path(&format!("{name}{}.bc", words[0]));
    let compiler = match name.ends_with(".cpp") {
        true => "clang++-22",
        false => "clang-22",
    };
    let mut clang = Command::new(compiler);
    clang.args(["-c", "-emit-llvm", "-g"]).args(words).arg(source);
    run(clang.arg("-o").arg(&bitcode));
    bitcode
}

/// Whether a record is part of debug information, in this kind of block and with this code.
fn is_debug(kind: u64, code: u64) -> bool {
    match kind {
        block::METADATA | block::METADATA_ATTACHMENTS => true,
        block::FUNCTION => matches!(
            code,
            function::DEBUG_LOCATION | function::DEBUG_LOCATION_AGAIN | function::DEBUG_VALUE
                ..=function::LAST_DEBUG_RECORD
        ),
        _ => false,
    }
}

/// A damaged module and what was done: a record in nine of ten cases, else bytes.
fn damaged(seed: u64, number: u64, bases: &[Base], modules: &[Module]) -> (Vec<u8>, String) {
    if number % 10 == 9 {
        let case = case(seed, number, modules);
        return (case.bytes, format!("{}, {}", bases[case.module].name, case.description));
    }
    let mut random = Random::of_series(seed, number);
    let base = &bases[random.below(bases.len())];
    let damaged = damage_of(&base.trees, &mut random, is_debug);
    let description = format!("{}, block {}, {}", base.name, damaged.block, damaged.description);
    (encode(&damaged.trees), description)
}

/// What is wrong with the outcome for a module, if anything; the object, if there is one.
fn check(bytes: &[u8], options: &Options, folder: &Folder) -> Result<bool, String> {
    let start = Instant::now();
    let result = panic::catch_unwind(panic::AssertUnwindSafe(|| frazil::compile(bytes, options)));
    if start.elapsed() > TIME_LIMIT {
        return Err(format!("took {:?}", start.elapsed()));
    }
    let object = match result {
        Err(_) => return Err("it panics".to_owned()),
        Ok(Err(error)) => {
            let internal = error.diagnostics().iter().find(|found| found.stage == Stage::Internal);
            return internal.map_or(Ok(false), |found| Err(found.to_string()));
        }
        Ok(Ok(object)) => object,
    };
    let object = folder.write("object.o", &object);
    if options.debug.type_units || options.debug.split.is_some() {
        // The verifier does not see which unit of a type the index names before linkers fill that in, and looks for
        // entries in another file.
        run(Command::new("llvm-objcopy-22")
            .args(["--remove-section", ".debug_names"])
            .arg(&object));
    }
    let mut verifier = Command::new("timeout");
    verifier.args(["20", "llvm-dwarfdump-22", "--verify"]).arg(&object);
    let output = verifier.output().expect("LLVM starts");
    if output.status.success() {
        return Ok(true);
    }
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let errors = said.lines().filter(|line| line.contains("error"));
    Err(format!("LLVM says {}", errors.take(3).collect::<Vec<_>>().join(" / ")))
}

#[allow(clippy::print_stdout, reason = "what was done is shown with --nocapture")]
#[test]
fn damaged_debug_information_is_no_trouble() {
    let number = |name: &str, default: u64| env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let seed = number("ROBUSTNESS_SEED", 1);
    let numbers = match env::var("ROBUSTNESS_CASE") {
        Ok(_) => number("ROBUSTNESS_CASE", 0)..number("ROBUSTNESS_CASE", 0) + 1,
        Err(_) => 0..number("ROBUSTNESS_DEBUG", 200),
    };
    let limit = Duration::from_secs(number("ROBUSTNESS_SECONDS", u64::from(u32::MAX)));
    let folder = Folder::new("damaged-debug");
    let bases = bases(&folder);
    let modules: Vec<Module> = bases.iter().map(|base| base.module.clone()).collect();
    let recipes = RECIPES.each_ref().map(|name| Options {
        recipe: Arc::new(Recipe::find(name).expect("the name of a recipe")),
        debug: DebugOptions {
            all_frames: true,
            address_ranges: true,
            type_units: *name == "O1" || *name == "Os",
            // What linkers need not see is in the object, among everything else.
            split: (*name == "O2").then(|| SplitDebug {
                name: b"object.dwo".as_slice().into(),
                is_file: false,
            }),
        },
        ..Options::default()
    });
    let start = Instant::now();
    let (mut made, mut compiled, mut failures) = (0, 0, Vec::new());
    for number in numbers.clone() {
        if start.elapsed() > limit {
            break;
        }
        made += 1;
        let (bytes, description) = damaged(seed, number, &bases, &modules);
        if let Ok(path) = env::var("ROBUSTNESS_OUTPUT") {
            fs::write(path, &bytes).expect("it can be written");
        }
        let options = &recipes[(number % recipes.len() as u64) as usize];
        match check(&bytes, options, &folder) {
            Ok(is_compiled) => compiled += usize::from(is_compiled),
            Err(problem) => failures.push(format!(
                "case {number} of seed {seed} ({}, {description}): {problem}",
                options.recipe.name
            )),
        }
    }
    println!(
        "debug information: {made} of {} cases, {compiled} compiled",
        numbers.count()
    );
    assert!(
        failures.is_empty(),
        "{} of {made} failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
