//! Runs on the test target's simulator.
//!
//! The machine's pointers have 32 bits. A module with wider ones is taken as one with pointers of 32 bits; functions
//! that are not valid then are unsupported. What is unsupported must be one of the machine's known
//! limits ([`LIMITS`]) and is counted; any other refusal is a failure.

use super::interp::text_with_calls;
use super::{Answer, Executor, Found, Program};
use frazil_codegen::{CompiledFunction, Target, UnwindOp};
use frazil_ir::verify::verify_function;
use frazil_ir::{EntityRef, FuncId, Function, Type};
use frazil_target_testisa::Variant;
use frazil_target_testisa::program::{Program as Simulated, ProgramError};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The machine as it is.
pub const AS_IT_IS: Executor = executor("testisa", |program| run(program, Variant::TestIsa));

/// Branches and loads of constants reach so little that most functions need islands.
pub const NEAR: Executor = executor("testisa-near", |program| run(program, Variant::Near));

/// The same without frame pointer.
pub const NEAR_FRAMELESS: Executor = executor("testisa-frameless", |program| run(program, Variant::NearFrameless));

const fn executor(name: &'static str, run: fn(&Program<'_>) -> Result<Vec<Answer>, String>) -> Executor {
    Executor {
        name,
        target: Some("testisa"),
        by_default: true,
        is_built: || true,
        is_available: || true,
        run,
    }
}

/// How many functions were compiled for a variant, and how many of them have what it is there for.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// All functions.
    pub functions: usize,
    pub with_islands: usize,
    /// Those with a frame but no frame pointer.
    pub without_pointer: usize,
}

impl Counts {
    const NONE: Counts = Counts {
        functions: 0,
        with_islands: 0,
        without_pointer: 0,
    };

    fn add(&mut self, code: &CompiledFunction) {
        let has_frame = code
            .unwind
            .iter()
            .any(|row| matches!(row.1, UnwindOp::DefineCfaOffset(bytes) if bytes > 0));
        let has_pointer = code
            .unwind
            .iter()
            .any(|row| matches!(row.1, UnwindOp::DefineCfaRegister(_)));
        self.functions += 1;
        self.with_islands += usize::from(code.body.island_count() > 0);
        self.without_pointer += usize::from(has_frame && !has_pointer);
    }
}

static COUNTS: Mutex<[Counts; 2]> = Mutex::new([Counts::NONE; 2]);

/// The counts of [`Variant::Near`] and [`Variant::NearFrameless`] so far.
pub fn counts() -> [Counts; 2] {
    *COUNTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn count(variant: Variant, code: &CompiledFunction) {
    let mut counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    match variant {
        Variant::TestIsa => {}
        Variant::Near => counts[0].add(code),
        Variant::NearFrameless => counts[1].add(code),
    }
}

/// Instructions that a run may execute.
const MOST_STEPS: u64 = 100_000_000;

/// What the machine does not have, as in the messages of refusals.
const LIMITS: &[&str] = &[
    "an invalid function",
    "a difference of addresses in data",
    "the address of a block of another function",
    "a byval parameter aligned to",
    "an atomic access of",
    "instruction atomic_rmw",
    "instruction cmpxchg",
    "to an odd number of more than 64 bits, or saturating to so many",
];

/// The runs that were left out, by limit.
static UNSUPPORTED: Mutex<BTreeMap<&str, usize>> = Mutex::new(BTreeMap::new());

/// How many runs were left out so far, by reason.
pub fn unsupported() -> BTreeMap<&'static str, usize> {
    UNSUPPORTED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn run(program: &Program<'_>, variant: Variant) -> Result<Vec<Answer>, String> {
    let text = text_with_calls(program)?;
    let (mut module, mut functions) =
        frazil_ir::text::parse_module(&text).map_err(|error| format!("in a run: {error}"))?;
    module.data_layout.pointer_bits = 32;
    functions.iter_mut().for_each(|function| function.set_pointer_bits(32));
    let recipe = program.checked_recipe()?;
    let mut worker = recipe.worker(&module, Target::desc(&variant))?;
    for (function, head) in functions.iter_mut().zip(module.functions.values()) {
        // The others are refused below.
        if verify_function(&module, function).is_ok() {
            worker.optimize(function, head)?;
        }
    }
    let compiled = Simulated::compiled_by(&module, &functions, &mut |_, unit, out| {
        worker.compile(&variant, unit, out)?;
        count(variant, out);
        Ok(())
    });
    let simulated = match compiled {
        Ok(simulated) => simulated,
        Err(error) => return Ok(program.runs.iter().map(|_| failure(error.clone())).collect()),
    };
    let first = functions.len() - program.runs.len();
    let answers = (first..functions.len()).map(|index| {
        let function = &functions[index];
        match simulated.call(FuncId::new(index), &[], MOST_STEPS) {
            Ok(values) => Answer::Results(found(function, &values)),
            Err(error) => failure(error),
        }
    });
    Ok(answers.collect())
}

fn found(function: &Function, values: &[u128]) -> Vec<Found> {
    let results = function.signature().returns.iter().zip(values);
    results
        .map(|(param, &value)| Found {
            ty: function.types().data(param.ty),
            value: if param.ty == Type::PTR {
                sign_extended(value)
            } else {
                value
            },
        })
        .collect()
}

/// A pointer as the 64-bit one that it stands for: so do constants below zero, and other addresses have no fixed value.
fn sign_extended(value: u128) -> u128 {
    u128::from(i64::from((value as u32).cast_signed()).cast_unsigned())
}

fn failure(error: ProgramError) -> Answer {
    match error {
        ProgramError::Unsupported(reason) => refusal(reason),
        other => Answer::Failed(other.to_string()),
    }
}

fn refusal(reason: String) -> Answer {
    let Some(limit) = LIMITS.iter().find(|limit| reason.contains(**limit)) else {
        return Answer::Failed(reason);
    };
    let mut counts = UNSUPPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    *counts.entry(limit).or_default() += 1;
    Answer::Unsupported(reason)
}
