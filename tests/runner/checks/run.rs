//! `; test run`: each executor makes the case's runs and gets what they must give.

use super::{Check, parsed, verifier_messages};
use crate::runner::case::{Case, Expected, Run, Test};
use crate::runner::executors::{self, Answer, EXECUTORS, Executor, Program};
use frazil_ir::{Function, Module, SymbolKind, TypeData};
use std::fmt::Write;

pub const CHECK: Check = Check {
    name: "run",
    parts,
    run,
};

pub fn parts(case: &Case, _: &Test) -> Vec<String> {
    // What a target cannot do, its variants cannot do either.
    let is_skipped = |executor: &Executor| {
        (case.skips.iter())
            .any(|skip| skip.executor == executor.name || executor.target == Some(skip.executor.as_str()))
    };
    let is_meant = |target: Option<&str>| {
        target.is_none_or(|target| case.targets.is_empty() || case.targets.iter().any(|wanted| wanted == target))
    };
    let is_wanted = |executor: &Executor| executor.by_default || case.also.iter().any(|name| name == executor.name);
    let chosen = EXECUTORS
        .iter()
        .filter(|executor| is_wanted(executor) && !is_skipped(executor) && is_meant(executor.target))
        .filter(|executor| (executor.is_built)());
    let part = |executor: &Executor, recipe| match recipe {
        Some(recipe) => format!("{} {recipe}", executor.name),
        None => executor.name.to_owned(),
    };
    chosen
        .flat_map(|executor| executor.recipes().into_iter().map(move |recipe| part(executor, recipe)))
        .collect()
}

fn run(case: &Case, _: &Test, part: &str) -> Result<(), String> {
    if case.runs.is_empty() {
        return Err("no line `; run:`".to_owned());
    }
    with_part(case, part)
}

/// Has an executor make the case's runs by a recipe, as the part names them.
pub fn with_part(case: &Case, part: &str) -> Result<(), String> {
    let (executor, recipe) = executors::of_part(part).ok_or("the executor is gone")?;
    let (module, functions) = parsed(&case.source)?;
    let messages = verifier_messages(&module, &functions);
    if !messages.is_empty() {
        return Err(messages.join("\n"));
    }
    let runs: Vec<&Run> = case
        .runs
        .iter()
        // Passes and targets may choose what undefined behavior does.
        .filter(|run| recipe.is_none() || is_defined(&run.expected))
        .collect();
    let expected = expected_results(case, &module, &functions, &runs)?;
    let program = Program {
        case,
        module: &module,
        functions: &functions,
        runs: &runs,
        recipe,
    };
    let answers = (executor.run)(&program)?;
    let mut failures = String::new();
    for ((run, answer), expected) in runs.iter().zip(&answers).zip(&expected) {
        if let Err(message) = compare(&run.expected, answer, expected) {
            let _ = writeln!(failures, "{}: {message}", run.text);
        }
    }
    if answers.len() != runs.len() {
        let _ = writeln!(failures, "{} runs, but {} answers", runs.len(), answers.len());
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

fn is_defined(expected: &Expected) -> bool {
    matches!(expected, Expected::Results(_))
}

/// An expected result: its bits, and whether they are a NaN, which then stands for all of them.
pub(super) struct Bits {
    value: u128,
    is_nan: bool,
}

/// What the results as written stand for: they are parsed as operands of a `return`.
pub(super) fn expected_results(
    case: &Case,
    module: &Module,
    functions: &[Function],
    runs: &[&Run],
) -> Result<Vec<Vec<Bits>>, String> {
    let mut text = case.source.clone();
    for (index, run) in runs.iter().enumerate() {
        let function = function_of(module, functions, &run.function)?;
        let signature = signature_text(function);
        let returns = returns_of(&signature);
        let results = match &run.expected {
            Expected::Results(results) => results.as_str(),
            _ => "",
        };
        let body = if results.is_empty() && !is_defined(&run.expected) {
            "unreachable"
        } else {
            "return"
        };
        let _ = write!(
            text,
            "\nfunc @expected.{index}(){returns} {{\nb0:\n  {body} {results}\n}}\n"
        );
    }
    let (module, functions) = parsed(&text).map_err(|error| format!("in the results of a run: {error}"))?;
    let wanted = &functions[functions.len() - runs.len()..];
    let messages = verifier_messages(&module, wanted);
    if !messages.is_empty() {
        return Err(format!("in the results of a run: {}", messages.join("\n")));
    }
    wanted
        .iter()
        .map(|function| literal_bits(function, module.data_layout.pointer_bits))
        .collect()
}

/// The operands of a function's `return`, which are literals.
fn literal_bits(function: &Function, pointer_bits: u32) -> Result<Vec<Bits>, String> {
    let data = &function.insts()[0];
    if data.op != frazil_ir::Opcode::Return {
        return Ok(Vec::new());
    }
    let operands = function.list(data).iter().zip(&function.signature().returns);
    operands
        .map(|(&operand, param)| {
            let width = function.types().bits(param.ty, pointer_bits);
            let mask = if width < 128 { (1 << width) - 1 } else { u128::MAX };
            let value = match (operand.as_imm(), operand.as_const().map(|id| function.constant(id).1)) {
                (Some(value), _) => i128::from(value).cast_unsigned(),
                (_, Some(frazil_ir::ConstView::Int(words) | frazil_ir::ConstView::Float(words))) => {
                    let high = words.get(1).copied().unwrap_or(0);
                    u128::from(words.first().copied().unwrap_or(0)) | u128::from(high) << 64
                }
                (_, Some(frazil_ir::ConstView::Zero)) => 0,
                _ => return Err("results of runs are numbers".to_owned()),
            };
            Ok(Bits {
                value: value & mask,
                is_nan: is_nan(function.types().data(param.ty), value),
            })
        })
        .collect()
}

fn is_nan(ty: TypeData, bits: u128) -> bool {
    match ty {
        TypeData::F16 => bits & 0x7fff > 0x7c00,
        TypeData::BF16 => bits & 0x7fff > 0x7f80,
        TypeData::F32 => f32::from_bits(bits as u32).is_nan(),
        TypeData::F64 => f64::from_bits(bits as u64).is_nan(),
        _ => false,
    }
}

pub(super) fn compare(expected: &Expected, answer: &Answer, bits: &[Bits]) -> Result<(), String> {
    match (expected, answer) {
        (Expected::Results(_), Answer::Results(found)) => {
            let fits = found.len() == bits.len()
                && found.iter().zip(bits).all(|(found, wanted)| {
                    found.value == wanted.value || (wanted.is_nan && is_nan(found.ty, found.value))
                });
            let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
            if fits {
                Ok(())
            } else {
                Err(format!("found ({})", texts.join(", ")))
            }
        }
        (Expected::Poison, Answer::Poison) => Ok(()),
        (Expected::Undefined(wanted), Answer::Undefined(message)) if message.contains(wanted.as_str()) => Ok(()),
        // Counted by the executor that gave it, and told at the end.
        (_, Answer::Unsupported(_)) => Ok(()),
        (_, answer) => Err(format!("found {answer}")),
    }
}

/// The function of this name.
pub fn function_of<'a>(module: &Module, functions: &'a [Function], name: &str) -> Result<&'a Function, String> {
    let symbol = module
        .symbols
        .values()
        .find(|symbol| module.strings.bytes(symbol.name) == name.as_bytes());
    match symbol.map(|symbol| symbol.kind) {
        Some(SymbolKind::Function(id)) => Ok(&functions[id.as_u32() as usize]),
        _ => Err(format!("there is no function `{name}` to run")),
    }
}

/// A function's signature as written after a call: `cc (parameters) -> returns`.
pub fn signature_text(function: &Function) -> String {
    let mut text = String::new();
    frazil_ir::text::print_signature(function.types(), function.signature(), &mut text)
        .expect("a string takes everything");
    text
}

/// The part of a signature after its parameters: ` -> returns`, or nothing.
pub fn returns_of(signature: &str) -> &str {
    signature.find(" -> ").map_or("", |place| &signature[place..])
}
