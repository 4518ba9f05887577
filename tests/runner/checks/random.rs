//! `; test random <seed> <functions>`: executors of compiled code get the same results from random functions as the
//! interpreter. With `narrow` after it pointers have 32 bits, with `vectors` it has vectors, with `wide-vectors` of any
//! length, and with `words` no integer is wider than 64 bits. `FRAZIL_RANDOM_SERIES` chooses other functions than those
//! of every day (series 0), and `cargo xtask random-functions` goes through many series; `FRAZIL_RANDOM_SOURCE` names a
//! file for the functions that were made.

use super::{Check, parsed, printed, verifier_messages};
use crate::runner::case::{Case, Expected, Run, Test};
use crate::runner::executors::testisa::NEAR;
use crate::runner::executors::{self, Answer, Found, Program};
use frazil_ir::TypeData;
use frazil_test_support::Random;
use frazil_test_support::functions::{
    arguments, function, narrow_arguments, narrow_function, vector_function, wide_vector_function,
};

pub const CHECK: Check = Check {
    name: "random",
    parts,
    run,
};

/// As for `run`, but of the test target's variants, the one that has all that is special about them will do.
fn parts(case: &Case, test: &Test) -> Vec<String> {
    let mut parts = super::run::parts(case, test);
    parts.retain(|part| executors::of_part(part).is_none_or(|(executor, _)| executor.name != NEAR.name));
    parts
}

/// Runs of each function, with different arguments.
const RUNS: usize = 3;

/// Statements of a function.
const STATEMENTS: usize = 80;

fn run(case: &Case, test: &Test, part: &str) -> Result<(), String> {
    let numbers: Vec<u64> = test.options.iter().filter_map(|option| option.parse().ok()).collect();
    let &[seed, count] = numbers.as_slice() else {
        return Err("expected `; test random <seed> <functions>`".to_owned());
    };
    // Seeds of cases are small.
    let mut random = Random::new(seed | series()? << 16);
    let is_narrow = test.options.iter().any(|option| option == "narrow");
    let has_vectors = test.options.iter().any(|option| option == "vectors");
    let pointer_bits = if is_narrow { 32 } else { 64 };
    let mut source = format!("layout pointer_bits {pointer_bits} stack_align 16\n");
    let has_wide_vectors = test.options.iter().any(|option| option == "wide-vectors");
    let has_words_only = test.options.iter().any(|option| option == "words");
    let make = match (has_wide_vectors, has_vectors) {
        (true, _) => wide_vector_function,
        (_, true) => vector_function,
        _ if has_words_only => narrow_function,
        _ => function,
    };
    let arguments = if has_words_only { narrow_arguments } else { arguments };
    source.extend((0..count as usize).map(|number| make(number, STATEMENTS, pointer_bits, &mut random)));
    if let Some(path) = std::env::var_os("FRAZIL_RANDOM_SOURCE") {
        std::fs::write(path, &source).map_err(|error| format!("FRAZIL_RANDOM_SOURCE: {error}"))?;
    }
    let mut generated = Case {
        source,
        ..Case::read(&case.path)?
    };
    for number in 0..count as usize * RUNS {
        let (function, arguments) = (format!("random_{}", number / RUNS), arguments(&mut random));
        generated.runs.push(Run {
            text: format!("{function}({arguments})"),
            function,
            arguments,
            expected: Expected::Results(String::new()),
        });
    }
    compare_with_interpreter(&generated, part)
}

/// The series that the environment asks for.
fn series() -> Result<u64, String> {
    let Ok(text) = std::env::var("FRAZIL_RANDOM_SERIES") else {
        return Ok(0);
    };
    let number = text.parse::<u32>();
    number
        .map(u64::from)
        .map_err(|_| format!("FRAZIL_RANDOM_SERIES={text} is no number"))
}

fn compare_with_interpreter(case: &Case, part: &str) -> Result<(), String> {
    let (module, functions) = parsed(&case.source).map_err(|error| format!("{error} in\n{}", case.source))?;
    let messages = verifier_messages(&module, &functions);
    if !messages.is_empty() {
        return Err(messages.join("\n"));
    }
    let text = printed(&module, &functions);
    let (again, functions_again) = parsed(&text)?;
    if printed(&again, &functions_again) != text {
        return Err("the printed form parses to something else".to_owned());
    }
    let runs: Vec<&Run> = case.runs.iter().collect();
    let answers = |part| {
        let (executor, recipe) = executors::of_part(part).ok_or("no such executor")?;
        (executor.run)(&Program {
            case,
            module: &module,
            functions: &functions,
            runs: &runs,
            recipe,
        })
    };
    let (wanted, found) = (answers("interp")?, answers(part)?);
    for ((run, wanted), found) in runs.iter().zip(&wanted).zip(&found) {
        if !is_same(wanted, found) {
            let function = case
                .source
                .split("func ")
                .find(|text| text.starts_with(&format!("@{}(", run.function)));
            return Err(format!(
                "{}: {wanted} is wanted, {found} found\n{}",
                run.text,
                function.unwrap_or_default()
            ));
        }
    }
    Ok(())
}

/// Whether answers agree; runs that the interpreter could not finish, or that meet a known limit, say nothing.
fn is_same(wanted: &Answer, found: &Answer) -> bool {
    let is_nan = |result: &Found| result.ty == TypeData::F64 && f64::from_bits(result.value as u64).is_nan();
    match (wanted, found) {
        (Answer::Results(wanted), Answer::Results(found)) => wanted
            .iter()
            .zip(found)
            .all(|(wanted, found)| wanted.value == found.value || (is_nan(wanted) && is_nan(found))),
        (Answer::Failed(message), _) => message == "out of steps",
        (_, Answer::Unsupported(_)) => true,
        _ => false,
    }
}
