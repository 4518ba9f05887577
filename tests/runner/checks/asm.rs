//! `; test asm`: the assembly text of the module, for each target of the case.

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

fn run(case: &Case, _: &Test, part: &str) -> Result<(), String> {
    let (module, functions) = parsed(&case.source)?;
    let recipe = Checked::find(BUILTIN[0].name)?;
    let text = assembly(&module, &functions, target(part)?, RelocationModel::Pic, &recipe)?;
    bless::output(case, &format!("asm {part}"), &text)
}
