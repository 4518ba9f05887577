//! `; test pexe`: the module is written as an executable of PNaCl, which is read again; every run then gives by the
//! interpreter what it gives otherwise, and ends the program where it divides by zero. What was read is written once
//! more, and that gives itself when it is read and written. It also compiles for all targets, by all recipes. A case
//! with lines `; error:` is refused with these messages instead.
//!
//! The same is made for every case with `; test run`, with pointers of 32 bits: functions that have no form are left
//! out there, with the runs that call them. How many runs were made is told at the end.

use super::run::{compare, expected_results, function_of};
use super::{Check, one_part, parsed, verifier_messages};
use crate::runner::case::{Case, Expected, Run, Test};
use crate::runner::executors::interp::text_with_calls;
use crate::runner::executors::{Answer, Found, Program};
use frazil::{Options, Recipe};
use frazil_frontend_pnacl::pnacl::function::PexeReader;
use frazil_frontend_pnacl::pnacl::module::PexeModule;
use frazil_frontend_pnacl::pnacl::writer::PexeWriter;
use frazil_ir::interp::{Interpreter, Limits, Scalar, Stop, Value};
use frazil_ir::{Function, InstData, Module, Opcode, Operand, SymbolKind, Type, TypeData, verify};
use frazil_passes::recipe::BUILTIN;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub const CHECK: Check = Check {
    name: "pexe",
    parts: one_part,
    run,
};

/// The executor of texts as they are.
const INTERPRETER: &str = "interp";

/// What the interpreter says of the division that traps in an executable.
const DIVISION: &str = "division by zero";

/// Files about addresses that 32 bits do not hold.
const FAR: [&str; 3] = ["far-places.fzl", "far-symbols-aarch64.fzl", "far-symbols-x86.fzl"];

/// Runs of cases with `; test run` that were made, and that were left out.
static MADE: AtomicUsize = AtomicUsize::new(0);
static LEFT_OUT: AtomicUsize = AtomicUsize::new(0);

/// How many runs of cases that are for other executors, too, were made, and how many were left out.
pub fn counts() -> (usize, usize) {
    (MADE.load(Ordering::Relaxed), LEFT_OUT.load(Ordering::Relaxed))
}

fn run(case: &Case, _: &Test, _: &str) -> Result<(), String> {
    if case.errors.is_empty() {
        if case.runs.is_empty() {
            return Err("no line `; run:`, and no line `; error:`".to_owned());
        }
        super::run::with_part(case, INTERPRETER)?;
        return make_runs(case, false);
    }
    let (module, functions) = parsed(&case.source)?;
    let found = match Written::new(&module, &functions, false) {
        Ok(_) => Vec::new(),
        Err(messages) => messages,
    };
    match found == case.errors {
        true => Ok(()),
        false => Err(format!("found:\n{}", found.join("\n"))),
    }
}

/// Makes the runs of a case that is for other executors, as far as it has a form.
pub fn as_far_as_possible(case: &Case) -> Result<(), String> {
    match FAR.iter().any(|name| case.path.ends_with(name)) {
        true => Ok(()),
        false => make_runs(case, true),
    }
}

fn make_runs(case: &Case, is_tolerant: bool) -> Result<(), String> {
    let (module, functions) = parsed(&case.source)?;
    let is_told = |run: &&Run| match &run.expected {
        Expected::Results(_) => true,
        Expected::Undefined(message) => !is_tolerant && message == DIVISION,
        Expected::Poison => false,
    };
    let runs: Vec<&Run> = case.runs.iter().filter(is_told).collect();
    let expected = expected_results(case, &module, &functions, &runs)?;
    let program = Program {
        case,
        module: &module,
        functions: &functions,
        runs: &runs,
        recipe: None,
    };
    let (mut with_calls, functions_with_calls) = parsed(&text_with_calls(&program)?)?;
    if is_tolerant {
        with_calls.data_layout.pointer_bits = 32;
        with_calls.data_layout.big_endian = false;
    }
    let written = match Written::new(&with_calls, &functions_with_calls, is_tolerant) {
        Ok(written) => written,
        Err(_) if is_tolerant => {
            LEFT_OUT.fetch_add(runs.len(), Ordering::Relaxed);
            return Ok(());
        }
        Err(messages) => return Err(messages.join("\n")),
    };
    if !is_tolerant {
        compile(&written.bytes)?;
    }
    let (read, read_functions) = read(&written.bytes)?;
    check_again(&read, &read_functions)?;
    let mut failures = String::new();
    for (index, (run, expected)) in runs.iter().zip(&expected).enumerate() {
        let types = returned_types(function_of(&module, &functions, &run.function)?);
        let answer = answer(&read, &read_functions, &format!("run.{index}"), &types)?;
        let is_left_out = !written.left_out.is_empty() && calls_what_is_left_out(answer.as_ref());
        match answer {
            _ if is_tolerant && (is_left_out || written.left_out.contains(&format!("run.{index}"))) => {
                LEFT_OUT.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            Some(Answer::Failed(message)) if is_trap(&message) && !matches!(run.expected, Expected::Results(_)) => {}
            Some(answer) => {
                if let Err(message) = compare(&run.expected, &answer, expected) {
                    let _ = writeln!(failures, "{}: {message}", run.text);
                }
            }
            None => {
                let _ = writeln!(failures, "{}: its function is gone", run.text);
            }
        }
        if is_tolerant {
            MADE.fetch_add(1, Ordering::Relaxed);
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

/// Compiles an executable for all targets that have a C library, under every recipe.
fn compile(bytes: &[u8]) -> Result<(), String> {
    for triple in ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"] {
        for recipe in BUILTIN {
            let options = Options {
                triple: Some(triple.to_owned()),
                recipe: Arc::new(Recipe::find(recipe.name).map_err(|error| error.to_string())?),
                ..Options::default()
            };
            let compiled = frazil::compile(bytes, &options);
            compiled.map_err(|error| format!("for {triple} by {}: {error}", recipe.name))?;
        }
    }
    Ok(())
}

fn is_trap(message: &str) -> bool {
    message == Stop::Trap.to_string()
}

/// What was read is written, and that is the same once it has been read and written again.
fn check_again(module: &Module, functions: &[Function]) -> Result<(), String> {
    let second = Written::new(module, functions, false).map_err(|messages| messages.join("\n"))?;
    let (module, functions) = read(&second.bytes)?;
    let third = Written::new(&module, &functions, false).map_err(|messages| messages.join("\n"))?;
    match second.bytes == third.bytes {
        true => Ok(()),
        false => Err("what was read and written becomes something else when that is done again".to_owned()),
    }
}

/// Whether a run has come to a function that is left out: that is called with other types than it has now, or traps.
fn calls_what_is_left_out(answer: Option<&Answer>) -> bool {
    match answer {
        Some(Answer::Failed(message)) => is_trap(message),
        Some(Answer::Undefined(message)) => message.starts_with("call with another signature"),
        _ => false,
    }
}

/// An executable, and the functions that have no form.
struct Written {
    bytes: Vec<u8>,
    left_out: Vec<String>,
}

impl Written {
    /// Writes a module; what has no form, in the order of the functions, or a trap in its place.
    fn new(module: &Module, functions: &[Function], is_tolerant: bool) -> Result<Written, Vec<String>> {
        let mut writer = PexeWriter::new(module).map_err(|error| vec![error.to_string()])?;
        let (mut left_out, mut messages) = (Vec::new(), Vec::new());
        for (id, function) in module.functions.keys().zip(functions) {
            let name = module.display_name(module.functions[id].symbol).into_owned();
            let mut added = Ok(());
            if is_tolerant && verify::verify_function(module, function).is_err() {
                // It has 64 bits where pointers have 32 now.
                added = Err(String::new());
            }
            let added = added.and_then(|()| writer.add(id, function).map_err(|error| error.to_string()));
            if let Err(message) = added {
                messages.push(format!("@{name}: {message}"));
                left_out.push(name);
                if !is_tolerant {
                    continue;
                }
                writer
                    .add(id, &trap(function))
                    .map_err(|error| vec![error.to_string()])?;
            }
        }
        if !is_tolerant && !messages.is_empty() {
            return Err(messages);
        }
        let bytes = writer.finish().map_err(|error| vec![error.to_string()])?;
        Ok(Written { bytes, left_out })
    }
}

/// A function that ends the program, in the place of another.
fn trap(other: &Function) -> Function {
    let mut function = Function::new();
    if let Some(symbol) = other.symbol() {
        function.set_symbol(symbol);
    }
    function.begin_block();
    for op in [Opcode::Trap, Opcode::Unreachable] {
        function.push_inst(InstData::new(op, Type::VOID, 0, Operand::NONE, Operand::NONE));
    }
    function
}

/// Reads an executable, which must be well-formed.
fn read(bytes: &[u8]) -> Result<(Module, Vec<Function>), String> {
    let mut opened = PexeModule::open(bytes).map_err(|error| format!("what is written is not read: {error}"))?;
    opened.module_mut().data_layout.pointer_bits = 32;
    let mut reader = PexeReader::new(&opened);
    let mut functions = Vec::new();
    for id in opened.module().functions.keys() {
        let mut function = Function::new();
        reader
            .read(id, &mut function)
            .map_err(|error| format!("what is written is not read: {error}"))?;
        functions.push(function);
    }
    let messages = verifier_messages(opened.module(), &functions);
    match messages.is_empty() {
        true => Ok((opened.module().clone(), functions)),
        false => Err(messages.join("\n")),
    }
}

fn returned_types(function: &Function) -> Vec<TypeData> {
    let returns = function.signature().returns.iter();
    returns.map(|returned| function.types().data(returned.ty)).collect()
}

/// What a function gives whose results are of these types, before they are widened to be returned.
fn answer(module: &Module, functions: &[Function], name: &str, types: &[TypeData]) -> Result<Option<Answer>, String> {
    let symbols = &module.symbols;
    let symbol = symbols
        .values()
        .find(|symbol| module.strings.bytes(symbol.name) == name.as_bytes());
    let Some(SymbolKind::Function(id)) = symbol.map(|symbol| symbol.kind) else {
        return Ok(None);
    };
    let interpreter = Interpreter::new(module, functions, Limits::default());
    let results = interpreter.and_then(|mut interpreter| interpreter.call(id, Vec::new()));
    Ok(Some(match results {
        Ok(values) => {
            let found = values.iter().zip(types).map(|(value, &ty)| match (value, ty) {
                (Value::Scalar(Scalar::Bits { value, undef: 0 }), ty) => {
                    let mask = match ty {
                        TypeData::Int(bits @ ..128) => (1 << bits) - 1,
                        _ => u128::MAX,
                    };
                    Some(Found {
                        ty,
                        value: value & mask,
                    })
                }
                _ => None,
            });
            found.collect::<Option<_>>().map_or(Answer::Poison, Answer::Results)
        }
        Err(Stop::Undefined(message)) => Answer::Undefined(message),
        Err(stop) => Answer::Failed(stop.to_string()),
    }))
}
