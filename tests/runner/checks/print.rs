//! `; test print`: the printed form of the module is the one that the case expects.

use super::{Check, one_part, parsed, printed};
use crate::runner::bless;
use crate::runner::case::{Case, Test};

pub const CHECK: Check = Check {
    name: "print",
    parts: one_part,
    run,
};

fn run(case: &Case, _: &Test, _: &str) -> Result<(), String> {
    let (module, functions) = parsed(&case.source)?;
    bless::output(case, "print", &printed(&module, &functions))
}
