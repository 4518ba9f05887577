//! Many damaged modules in one process: each must end in success or in an error that names the bit, soon, without a
//! panic, and with memory in proportion to the input.
//!
//! There is one test only, so that the allocation counter counts nothing else. `ROBUSTNESS_CASES` and
//! `ROBUSTNESS_SEED` choose the number of cases and the series, `ROBUSTNESS_SECONDS` when to stop at the latest;
//! `ROBUSTNESS_CASE` repeats a single case. `ROBUSTNESS_RECIPE` is the recipe (the command's default else).

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs, panic};

use frazil::{Emit, Error, Options, Recipe, Stage};
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadOptions};
use frazil_ir::Function;
use frazil_ir::verify::verify_function;
use frazil_robustness::{Case, Module, case};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Inputs above this size are left to the whole-process cases.
const MAX_MODULE_BYTES: u64 = 100_000;

/// Memory that a compilation may take whatever the input: tables that exist once.
const FIXED_BYTES: usize = 1 << 20;
/// Memory that a compilation may take for each byte of input.
const BYTES_PER_INPUT_BYTE: usize = 64;

/// The limit for one case, with room for a slow machine and a build that is not optimized.
const TIME_LIMIT: Duration = Duration::from_secs(1);

thread_local! {
    /// The last panic that was begun, including those that somebody catches.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

#[allow(clippy::print_stdout, reason = "what was done is shown with --nocapture")]
#[test]
fn damaged_modules_end_well() {
    let number = |name: &str, default: u64| env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let seed = number("ROBUSTNESS_SEED", 1);
    let numbers = match env::var("ROBUSTNESS_CASE") {
        Ok(_) => {
            let only = number("ROBUSTNESS_CASE", 0);
            only..only + 1
        }
        Err(_) => 0..number("ROBUSTNESS_CASES", 300),
    };
    let modules = modules();
    panic::set_hook(Box::new(|info| {
        LAST_PANIC.set(Some(info.to_string().replace('\n', " ")))
    }));
    let options = options();
    let start = Instant::now();
    let limit = Duration::from_secs(number("ROBUSTNESS_SECONDS", u64::from(u32::MAX)));
    let (mut failures, mut made) = (Vec::new(), 0);
    for number in numbers.clone() {
        if start.elapsed() > limit {
            break;
        }
        made += 1;
        let case = case(seed, number, &modules);
        if let Err(problem) = check_rules(&case.bytes) {
            failures.push(format!(
                "case {number} of seed {seed} ({}): {problem}",
                case.description
            ));
            continue;
        }
        for emit in [Emit::Ir, Emit::Obj] {
            if let Err(problem) = run(&case, &options, emit) {
                failures.push(format!(
                    "case {number} of seed {seed} ({}), {emit:?}: {problem}",
                    case.description
                ));
            }
        }
    }
    let _ = panic::take_hook();
    println!(
        "recipe {}, in one process: ran {made} of {} cases",
        options.recipe.name,
        numbers.count()
    );
    assert!(
        failures.is_empty(),
        "{} of {made} failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// The committed modules that are small enough.
fn modules() -> Vec<Module> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../modules");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bc"));
    paths.retain(|path| path.metadata().unwrap().len() < MAX_MODULE_BYTES);
    paths.sort();
    assert!(!paths.is_empty());
    paths.iter().map(|path| Module::new(fs::read(path).unwrap())).collect()
}

/// The options that the environment asks for.
fn options() -> Options {
    let mut options = Options::default();
    if let Ok(name) = env::var("ROBUSTNESS_RECIPE") {
        options.recipe = Arc::new(Recipe::find(&name).expect("the name of a recipe"));
    }
    options
}

fn run(case: &Case, options: &Options, emit: Emit) -> Result<(), String> {
    let bytes_before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let start = Instant::now();
    let result = panic::catch_unwind(panic::AssertUnwindSafe(|| compile(&case.bytes, options, emit)));
    let elapsed = start.elapsed();
    let used = ALLOCATOR.peak_usage().saturating_sub(bytes_before);

    if let Some(message) = LAST_PANIC.take() {
        return Err(message);
    }
    if elapsed > TIME_LIMIT {
        return Err(format!("took {elapsed:?}"));
    }
    let allowed = FIXED_BYTES + BYTES_PER_INPUT_BYTE * case.bytes.len();
    if used > allowed {
        return Err(format!("used {used} bytes for {} bytes of input", case.bytes.len()));
    }
    match result {
        Ok(Err(error)) => check_messages(&error),
        _ => Ok(()),
    }
}

/// Compiles as the command does.
fn compile(bitcode: &[u8], options: &Options, emit: Emit) -> Result<Vec<u8>, Error> {
    frazil::compile(
        bitcode,
        &Options {
            emit,
            ..options.clone()
        },
    )
}

/// What the verifier has against the functions that the reader makes of the input: the reader leaves no rule to it.
fn check_rules(bitcode: &[u8]) -> Result<(), String> {
    let Ok(module) = BitcodeModule::open(bitcode, &ReadOptions::new(&frazil::platform_of)) else {
        return Ok(());
    };
    let mut reader = FunctionReader::new(&module);
    let mut function = Function::new();
    for (id, _) in &module.module().functions {
        if reader.read(id, &mut function).is_ok() {
            verify_function(module.module(), &function).map_err(|errors| format!("the verifier says {errors:?}"))?;
        }
    }
    Ok(())
}

/// What is wrong with the input must be said with its place in the input; what is not supported, with the function or
/// the name of the thing.
fn check_messages(error: &Error) -> Result<(), String> {
    for diagnostic in error.diagnostics() {
        let good = match diagnostic.stage {
            Stage::Read => diagnostic.message.contains("at bit "),
            Stage::Compile | Stage::Optimize => diagnostic.function.is_some(),
            Stage::Options | Stage::Write | Stage::Output => true,
            Stage::Internal => false,
        };
        if !good {
            return Err(format!("the message is no good: {diagnostic}"));
        }
    }
    Ok(())
}
