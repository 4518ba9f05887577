//! What executors that run compiled code share: a function for each run that stores the results, and compilation.

use super::{Answer, Found, Program};
use crate::runner::checks::{function_of, signature_text};
use crate::runner::recipe::Checked;
use frazil::{RelocationModel, TargetEntry};
use frazil_codegen::{CompiledFunction, ModuleView, Target, Unit};
use frazil_emit::{AsmBuilder, EmitError, EmitOptions, ObjectBuilder};
use frazil_ir::text::{parse_module, print_type};
use frazil_ir::verify::verify_function;
use frazil_ir::{FuncId, Function, Module};
use frazil_passes::recipe::BUILTIN;
use std::fmt::Write;

/// Bytes for each result of a run.
pub const RESULT_BYTES: usize = 16;

/// What is said of functions that are not valid with pointers as narrow as the target's.
pub const INVALID: &str = "an invalid function";

/// The name of the function that makes a run: it takes the address where the results are to be stored.
pub fn run_name(index: usize) -> String {
    format!("run_compiled_{index}")
}

/// The case's text with the functions that make its runs.
pub fn text_with_runs(program: &Program<'_>) -> Result<String, String> {
    let mut text = program.case.source.clone();
    for (index, run) in program.runs.iter().enumerate() {
        let function = function_of(program.module, program.functions, &run.function)?;
        let count = function.signature().returns.len();
        let results: Vec<String> = (1..=count).map(|result| format!("v{result}")).collect();
        let defined = if count == 0 {
            String::new()
        } else {
            format!("{} = ", results.join(", "))
        };
        let (name, arguments, signature) = (&run.function, &run.arguments, signature_text(function));
        let _ = writeln!(text, "\nfunc @{}(ptr) {{\nb0:", run_name(index));
        let _ = writeln!(text, "  {defined}call @{name}({arguments}) : {signature}");
        for (result, param) in function.signature().returns.iter().enumerate() {
            let (value, address) = (result + 1, count + result + 1);
            let _ = writeln!(text, "  v{address} = ptr_add ptr v0, {}", result * RESULT_BYTES);
            text.push_str("  store ");
            print_type(function.types(), param.ty, &mut text).map_err(|error| error.to_string())?;
            let _ = writeln!(text, " v{value}, v{address}");
        }
        text.push_str("  return\n}\n");
    }
    Ok(text)
}

/// Parses and compiles a text to an object file, by the program's recipe. Each function that is refused has a line in
/// the error, with its name first.
pub fn object(
    program: &Program<'_>,
    text: &str,
    target: &TargetEntry,
    relocation_model: RelocationModel,
) -> Result<Vec<u8>, String> {
    let (mut module, mut functions) = parse_module(text).map_err(|error| format!("in a run: {error}"))?;
    let target = (target.new)();
    let pointer_bits = u32::from(target.desc().pointer_bytes) * 8;
    if module.data_layout.pointer_bits > pointer_bits {
        // Valid where no integer of the width of pointers is written as one of 64 bits.
        module.data_layout.pointer_bits = pointer_bits;
        functions
            .iter_mut()
            .for_each(|function| function.set_pointer_bits(pointer_bits));
        let invalid: Vec<String> = (functions.iter().zip(module.functions.values()))
            .filter(|(function, _)| verify_function(&module, function).is_err())
            .map(|(_, head)| format!("{}: {INVALID}", module.display_name(head.symbol)))
            .collect();
        if !invalid.is_empty() {
            return Err(invalid.join("\n"));
        }
    }
    object_of(
        &module,
        functions,
        &*target,
        relocation_model,
        &program.checked_recipe()?,
    )
}

/// Compiles a module to an object file by the default recipe.
pub fn compile(
    module: &Module,
    functions: &[Function],
    target: &TargetEntry,
    relocation_model: RelocationModel,
) -> Result<Vec<u8>, String> {
    let target = (target.new)();
    let recipe = Checked::find(BUILTIN[0].name)?;
    object_of(module, functions.to_vec(), &*target, relocation_model, &recipe)
}

fn object_of(
    module: &Module,
    functions: Vec<Function>,
    target: &dyn Target,
    relocation_model: RelocationModel,
    recipe: &Checked,
) -> Result<Vec<u8>, String> {
    let mut builder = ObjectBuilder::new(module, target.desc(), options(relocation_model)).map_err(text_of)?;
    let add = |id, code: &CompiledFunction| builder.add_function(id, code);
    let code = CompiledFunction::new(false);
    compile_functions(module, functions, target, relocation_model, recipe, (code, add))?;
    let mut bytes = Vec::new();
    builder.finish(&mut bytes).map_err(text_of)?;
    Ok(bytes)
}

/// Compiles a module to assembly text by the default recipe.
pub fn assembly(
    module: &Module,
    functions: &[Function],
    target: &TargetEntry,
    relocation_model: RelocationModel,
    recipe: &Checked,
) -> Result<String, String> {
    let target = (target.new)();
    let mut builder = AsmBuilder::new(module, &*target, options(relocation_model)).map_err(text_of)?;
    let add = |id, code: &CompiledFunction| builder.add_function(id, code);
    let code = CompiledFunction::new(true);
    compile_functions(
        module,
        functions.to_vec(),
        &*target,
        relocation_model,
        recipe,
        (code, add),
    )?;
    let mut bytes = Vec::new();
    builder.finish(&mut bytes).map_err(text_of)?;
    String::from_utf8(bytes).map_err(text_of)
}

fn text_of(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn options(relocation_model: RelocationModel) -> EmitOptions {
    EmitOptions {
        relocation_model,
        ..EmitOptions::default()
    }
}

/// Compiles one function after the other into the same memory and hands the code on.
fn compile_functions(
    module: &Module,
    functions: Vec<Function>,
    target: &dyn Target,
    relocation_model: RelocationModel,
    recipe: &Checked,
    (mut code, mut add): (
        CompiledFunction,
        impl FnMut(FuncId, &CompiledFunction) -> Result<(), EmitError>,
    ),
) -> Result<(), String> {
    let view = ModuleView::new(module, relocation_model);
    let mut worker = recipe.worker(module, target.desc())?;
    let mut refused = Vec::new();
    for (mut function, (id, head)) in functions.into_iter().zip(module.functions.iter()) {
        let name = module.display_name(head.symbol);
        worker
            .optimize(&mut function, head)
            .map_err(|error| format!("{name}: {error}"))?;
        let named = module.strings.display(head.target_features);
        let features = target.desc().features.apply(view.features, &named, false);
        let features = features.map_err(|error| format!("{name}: {error}"))?;
        let unit = Unit {
            function: &function,
            head,
            view: ModuleView {
                features,
                marks_entry: head.marks_branch_targets,
                ..view
            },
        };
        if let Err(error) = worker.compile(target, &unit, &mut code) {
            refused.push(format!("{name}: {error}"));
            continue;
        }
        add(id, &code).map_err(|error| format!("{name}: {error}"))?;
    }
    match refused.is_empty() {
        true => Ok(()),
        false => Err(refused.join("\n")),
    }
}

/// The results of a run from the bytes that it stored, least significant byte first.
pub fn answer(program: &Program<'_>, index: usize, bytes: &[u8]) -> Result<Answer, String> {
    let function = function_of(program.module, program.functions, &program.runs[index].function)?;
    let pointer_bits = program.module.data_layout.pointer_bits;
    let mut found = Vec::new();
    for (param, slot) in function.signature().returns.iter().zip(bytes.chunks(RESULT_BYTES)) {
        let size = function.types().store_bytes(param.ty, pointer_bits) as usize;
        let stored = slot.get(..size).ok_or("a result is missing or larger than its place")?;
        let value = stored
            .iter()
            .rev()
            .fold(0u128, |value, &byte| value << 8 | u128::from(byte));
        found.push(Found {
            ty: function.types().data(param.ty),
            value,
        });
    }
    Ok(Answer::Results(found))
}
