//! `; test reads`: the reader accepts the bitcode of the case's `; input` lines, the verifier accepts what it makes of
//! it, and the printed form parses and prints the same again. A case with the block `; expect reads` also says what
//! the printed form of its only input is.

use super::{Check, parsed, printed, verifier_messages};
use crate::runner::bless;
use crate::runner::case::{Case, Test};
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadOptions};
use frazil_ir::Function;

pub const CHECK: Check = Check {
    name: "reads",
    parts,
    run,
};

fn parts(case: &Case, _: &Test) -> Vec<String> {
    case.inputs
        .iter()
        .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
        .collect()
}

fn run(case: &Case, _: &Test, part: &str) -> Result<(), String> {
    let path = case
        .inputs
        .iter()
        .find(|path| path.ends_with(part))
        .ok_or("the input is gone")?;
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let module =
        BitcodeModule::open(&bytes, &ReadOptions::new(&frazil::platform_of)).map_err(|error| error.to_string())?;
    let mut reader = FunctionReader::new(&module);
    let mut functions = Vec::new();
    let mut function = Function::new();
    for id in module.module().functions.keys() {
        reader.read(id, &mut function).map_err(|error| error.to_string())?;
        functions.push(function.clone());
    }
    let messages = verifier_messages(module.module(), &functions);
    if !messages.is_empty() {
        return Err(messages.join("\n"));
    }
    let text = printed(module.module(), &functions);
    let (again, functions_again) = parsed(&text)?;
    same_instructions(&functions, &functions_again)?;
    if printed(&again, &functions_again) != text {
        return Err("the printed form parses to something else".to_owned());
    }
    if case.expected_output(CHECK.name).is_some() {
        return bless::output(case, CHECK.name, &text);
    }
    Ok(())
}

/// Values, blocks and uses keep their numbers on the way through the text.
fn same_instructions(left: &[Function], right: &[Function]) -> Result<(), String> {
    for (index, (left, right)) in left.iter().zip(right).enumerate() {
        let uses =
            |function: &Function| -> Vec<u32> { function.values().iter().map(|value| value.use_count()).collect() };
        let (left_uses, right_uses) = (uses(left), uses(right));
        let last = left_uses.iter().rposition(|&uses| uses > 0).map_or(0, |last| last + 1);
        if left.blocks() != right.blocks() || left_uses.get(..last) != right_uses.get(..last) {
            return Err(format!(
                "function {index} has other blocks or uses after the round trip"
            ));
        }
    }
    if left.len() == right.len() {
        Ok(())
    } else {
        Err("functions are lost on the round trip".to_owned())
    }
}
