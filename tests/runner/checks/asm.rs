//! `; test asm`: the assembly text of the module, for each target of the case.

use super::{Check, parsed, target, target_parts};
use crate::runner::bless;
use crate::runner::case::{Case, Test};
use crate::runner::executors::compiled::assembly;
use frazil::RelocationModel;

pub const CHECK: Check = Check {
    name: "asm",
    parts: target_parts,
    run,
};

fn run(case: &Case, _: &Test, part: &str) -> Result<(), String> {
    let (module, functions) = parsed(&case.source)?;
    let text = assembly(&module, &functions, target(part)?, RelocationModel::Pic)?;
    bless::output(case, &format!("asm {part}"), &text)
}
