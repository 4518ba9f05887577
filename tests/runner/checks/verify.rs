//! `; test verify`: the module obeys the rules, or breaks those that the case expects.

use super::{Check, one_part, parsed, verifier_messages};
use crate::runner::bless;
use crate::runner::case::{Case, Test};

pub const CHECK: Check = Check {
    name: "verify",
    parts: one_part,
    run,
};

fn run(case: &Case, _: &Test, _: &str) -> Result<(), String> {
    bless::errors(case, |source| match parsed(source) {
        Ok((module, functions)) => verifier_messages(&module, &functions),
        Err(message) => vec![message],
    })
}
