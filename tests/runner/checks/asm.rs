//! `; test asm [<recipe>]`: the assembly text of the module by a built-in recipe, the fastest unless one is named, for
//! each target of the case.

use super::{Check, parsed, target, target_parts};
use crate::runner::bless;
use crate::runner::case::{Case, Test};
use crate::runner::executors::compiled::assembly;
use crate::runner::recipe::Checked;
use frazil::RelocationModel;
use frazil_passes::recipe::BUILTIN;

pub const CHECK: Check = Check {
    name: "asm",
    parts: target_parts,
    run,
};

fn run(case: &Case, test: &Test, part: &str) -> Result<(), String> {
    let (module, functions) = parsed(&case.source)?;
    let (name, title) = match &test.options[..] {
        [] => (BUILTIN[0].name, format!("asm {part}")),
        [name] => (&name[..], format!("asm {name} {part}")),
        [_, rest @ ..] => return Err(format!("`; test asm` takes one recipe, and found {rest:?} besides")),
    };
    let recipe = Checked::find(name)?;
    let text = assembly(&module, &functions, target(part)?, RelocationModel::Pic, &recipe)?;
    bless::output(case, &title, &text)
}
