//! Damaged executables of PNaCl, from those that Frazil writes of the texts in `tests/filetests/pexe`: each ends in
//! success or in an error that names the bit, soon, without a panic, and with memory in proportion to the input. What
//! is accepted is well-formed, and what is written of it is read again.
//!
//! Damaged is one record, or bytes anywhere. There is one test only, so that the allocation counter counts nothing
//! else. `ROBUSTNESS_PEXES` says how many, `ROBUSTNESS_SEED` which series, `ROBUSTNESS_SECONDS` when to stop at the
//! latest; `ROBUSTNESS_CASE` repeats a single case.

use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs, panic};

use frazil::{Emit, Error, InputForm, Options, Stage};
use frazil_frontend_pnacl::ReadError;
use frazil_frontend_pnacl::pnacl::function::PexeReader;
use frazil_frontend_pnacl::pnacl::module::PexeModule;
use frazil_ir::Function;
use frazil_ir::verify::{verify_function, verify_module};
use frazil_robustness::record_damage::damage;
use frazil_robustness::records::{Tree, decode, encode};
use frazil_robustness::{Module, Random, case};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Memory that a compilation may take whatever the input: tables that exist once.
const FIXED_BYTES: usize = 1 << 20;
/// Memory that a compilation may take for each byte of input.
const BYTES_PER_INPUT_BYTE: usize = 64;

/// The limit for one case, with room for a slow machine and a build that is not optimized.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// What an executable begins with, and what bitcode does; the rest is the same container.
const HEADER: &[u8] = b"PEXE\x01\0\x08\0\x11\0\x04\0\x02\0\0\0";
const MAGIC: &[u8] = b"BC\xc0\xde";

thread_local! {
    /// The last panic that was begun, including those that somebody catches.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// An executable to start from, in the container of bitcode.
struct Base {
    name: String,
    module: Module,
    trees: Vec<Tree>,
}

/// The texts that are not there to be refused.
fn bases() -> Vec<Base> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../filetests/pexe");
    let entries = fs::read_dir(folder).expect("the file tests are there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    let mut bases = Vec::new();
    for path in paths {
        let text = fs::read(&path).expect("it can be read");
        if String::from_utf8_lossy(&text).contains("; error:") {
            continue;
        }
        let options = Options {
            input_form: InputForm::Text,
            ..options(Emit::Pexe)
        };
        let pexe = frazil::compile(&text, &options).expect("it has a form");
        let bytes = [MAGIC, &pexe[HEADER.len()..]].concat();
        bases.push(Base {
            name: path.file_name().expect("a file").to_string_lossy().into_owned(),
            trees: decode(&bytes).expect("it is well-formed"),
            module: Module::new(bytes),
        });
    }
    assert!(!bases.is_empty());
    bases
}

fn options(emit: Emit) -> Options {
    Options {
        emit,
        ..Options::default()
    }
}

/// A damaged executable and what was done: a record in four of five cases, else bytes.
fn damaged(seed: u64, number: u64, bases: &[Base], modules: &[Module]) -> (Vec<u8>, String) {
    let (bytes, description) = if number % 5 == 4 {
        let case = case(seed, number, modules);
        (case.bytes, format!("{}, {}", bases[case.module].name, case.description))
    } else {
        let mut random = Random::of_series(seed, number);
        let base = &bases[random.below(bases.len())];
        let damaged = damage(&base.trees, &mut random);
        let description = format!("{}, block {}, {}", base.name, damaged.block, damaged.description);
        (encode(&damaged.trees), description)
    };
    let stream = bytes.get(MAGIC.len()..).unwrap_or_default();
    ([HEADER, stream].concat(), description)
}

/// What is wrong with an outcome, if anything; whether it was a success.
fn check(bytes: &[u8], emit: Emit) -> Result<Option<Vec<u8>>, String> {
    let options = options(emit);
    let bytes_before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let start = Instant::now();
    let result = panic::catch_unwind(panic::AssertUnwindSafe(|| frazil::compile(bytes, &options)));
    let elapsed = start.elapsed();
    let used = ALLOCATOR.peak_usage().saturating_sub(bytes_before);
    if let Some(message) = LAST_PANIC.take() {
        return Err(message);
    }
    if elapsed > TIME_LIMIT {
        return Err(format!("took {elapsed:?}"));
    }
    let allowed = FIXED_BYTES + BYTES_PER_INPUT_BYTE * bytes.len();
    if used > allowed {
        return Err(format!("used {used} bytes for {} bytes of input", bytes.len()));
    }
    match result {
        Ok(Ok(output)) => Ok(Some(output)),
        Ok(Err(error)) => check_messages(&error).map(|()| None),
        Err(_) => Err("it panics".to_owned()),
    }
}

/// What is wrong with the input must be said with its place in the input.
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

/// Reads an executable; what the verifier has against it, which must be nothing.
fn read(bytes: &[u8]) -> Result<Result<(), ReadError>, String> {
    let module = match PexeModule::open(bytes) {
        Ok(module) => module,
        Err(error) => return Ok(Err(error)),
    };
    verify_module(module.module()).map_err(|errors| format!("the verifier says {errors:?}"))?;
    let mut reader = PexeReader::new(&module);
    let mut function = Function::new();
    for id in module.module().functions.keys() {
        match reader.read(id, &mut function) {
            Ok(()) => {
                verify_function(module.module(), &function)
                    .map_err(|errors| format!("the verifier says {errors:?}"))?;
            }
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(()))
}

/// All that is to be seen of one case; whether it is accepted.
fn check_case(bytes: &[u8]) -> Result<bool, String> {
    let is_read = read(bytes)?.is_ok();
    for emit in [Emit::Ir, Emit::Obj] {
        check(bytes, emit).map_err(|problem| format!("{emit:?}: {problem}"))?;
    }
    let written = check(bytes, Emit::Pexe).map_err(|problem| format!("Pexe: {problem}"))?;
    if let Some(written) = &written {
        read(written)?.map_err(|error| format!("what is written of it is not read: {error}"))?;
        if !is_read {
            return Err("it is written and not read".to_owned());
        }
    }
    Ok(is_read)
}

#[allow(clippy::print_stdout, reason = "what was done is shown with --nocapture")]
#[test]
fn damaged_executables_end_well() {
    let number = |name: &str, default: u64| env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let seed = number("ROBUSTNESS_SEED", 1);
    let numbers = match env::var("ROBUSTNESS_CASE") {
        Ok(_) => number("ROBUSTNESS_CASE", 0)..number("ROBUSTNESS_CASE", 0) + 1,
        Err(_) => 0..number("ROBUSTNESS_PEXES", 300),
    };
    let limit = Duration::from_secs(number("ROBUSTNESS_SECONDS", u64::from(u32::MAX)));
    let bases = bases();
    let modules: Vec<Module> = bases.iter().map(|base| base.module.clone()).collect();
    for base in &bases {
        let pexe = [HEADER, &encode(&base.trees)[MAGIC.len()..]].concat();
        assert_eq!(check_case(&pexe), Ok(true), "{}", base.name);
    }
    panic::set_hook(Box::new(|info| {
        LAST_PANIC.set(Some(info.to_string().replace('\n', " ")))
    }));
    let start = Instant::now();
    let (mut made, mut accepted, mut failures) = (0, 0, Vec::new());
    for number in numbers.clone() {
        if start.elapsed() > limit {
            break;
        }
        made += 1;
        let (bytes, description) = damaged(seed, number, &bases, &modules);
        let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| check_case(&bytes)));
        match outcome.unwrap_or_else(|_| Err(LAST_PANIC.take().unwrap_or_default())) {
            Ok(is_accepted) => accepted += u64::from(is_accepted),
            Err(problem) => failures.push(format!("case {number} of seed {seed} ({description}): {problem}")),
        }
    }
    let _ = panic::take_hook();
    println!(
        "damaged executables of PNaCl: made {made} of {}, {accepted} are accepted",
        numbers.count()
    );
    assert!(
        failures.is_empty(),
        "{} of {made} failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
