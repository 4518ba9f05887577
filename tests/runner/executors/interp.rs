//! Runs by the reference interpreter: of the code as it is written, and of what a recipe's passes make of it.

use super::{Answer, Executor, Found, Program};
use crate::runner::case::Run;
use crate::runner::checks::{function_of, returns_of, signature_text, target};
use frazil_ir::interp::{Interpreter, Limits, Scalar, Stop, Value};
use frazil_ir::platform::Platform;
use frazil_ir::{Function, Module, SymbolKind};
use std::fmt::Write;

pub const EXECUTOR: Executor = Executor {
    name: "interp",
    target: None,
    by_default: true,
    is_built: || true,
    is_available: || true,
    run,
};

/// The case's text, in which each run is a function `@run.n` that makes the call and returns its results, so that
/// arguments are parsed as operands.
pub fn text_with_calls(program: &Program<'_>) -> Result<String, String> {
    let mut text = program.case.source.clone();
    for (index, run) in program.runs.iter().enumerate() {
        let signature = signature_text(function_of(program.module, program.functions, &run.function)?);
        let results = program.results(run)?;
        let defined = if results.is_empty() {
            String::new()
        } else {
            format!("{results} = ")
        };
        let (name, arguments, returns) = (&run.function, &run.arguments, returns_of(&signature));
        let _ = write!(
            text,
            "\nfunc @run.{index}(){returns} {{\nb0:\n  {defined}call @{name}({arguments}) : {signature}\n  return {results}\n}}\n"
        );
    }
    Ok(text)
}

fn run(program: &Program<'_>) -> Result<Vec<Answer>, String> {
    let text = text_with_calls(program)?;
    let (module, mut functions) = frazil_ir::text::parse_module(&text).map_err(|error| format!("in a run: {error}"))?;
    if program.recipe.is_some() {
        let recipe = program.checked_recipe()?;
        let mut worker = recipe.worker(&module, (target("x86_64")?.new)().desc())?;
        for (function, head) in functions.iter_mut().zip(module.functions.values()) {
            worker.optimize(function, head)?;
        }
    }
    // Cases with lists of variable arguments have this target's.
    let platform = target("x86_64")?.platform;
    let answers = program
        .runs
        .iter()
        .enumerate()
        .map(|(index, _)| one(&module, &functions, &format!("run.{index}"), platform));
    answers.collect()
}

impl Program<'_> {
    /// Names for a run's results: `v0, v1`.
    fn results(&self, run: &Run) -> Result<String, String> {
        let function = function_of(self.module, self.functions, &run.function)?;
        let names: Vec<String> = (0..function.signature().returns.len())
            .map(|index| format!("v{index}"))
            .collect();
        Ok(names.join(", "))
    }
}

fn one(module: &Module, functions: &[Function], name: &str, platform: &'static Platform) -> Result<Answer, String> {
    let symbol = module
        .symbols
        .values()
        .find(|symbol| module.strings.bytes(symbol.name) == name.as_bytes());
    let Some(SymbolKind::Function(id)) = symbol.map(|symbol| symbol.kind) else {
        return Err(format!("no function {name}"));
    };
    let function = &functions[id.as_u32() as usize];
    let results = Interpreter::new(module, functions, Limits::default())
        .and_then(|interpreter| interpreter.with_platform(platform).call(id, Vec::new()));
    Ok(match results {
        Ok(values) => answer(function, &values),
        Err(Stop::Undefined(message)) => Answer::Undefined(message),
        Err(stop) => Answer::Failed(stop.to_string()),
    })
}

fn answer(function: &Function, values: &[Value]) -> Answer {
    let mut found = Vec::new();
    for (value, param) in values.iter().zip(&function.signature().returns) {
        match value {
            Value::Scalar(Scalar::Bits { value, undef: 0 }) => found.push(Found {
                ty: function.types().data(param.ty),
                value: *value,
            }),
            _ => return Answer::Poison,
        }
    }
    Answer::Results(found)
}
