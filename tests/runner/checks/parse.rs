//! `; test parse`: the text is a module and round-trips, or gives the error that the case expects.

use super::{Check, one_part, parsed, printed};
use crate::runner::bless;
use crate::runner::case::{Case, Test};

pub const CHECK: Check = Check {
    name: "parse",
    parts: one_part,
    run,
};

fn run(case: &Case, _: &Test, _: &str) -> Result<(), String> {
    bless::errors(case, |source| parsed(source).err().into_iter().collect())?;
    let Ok((module, functions)) = parsed(&case.source) else {
        return Ok(());
    };
    let text = printed(&module, &functions);
    let (again, functions_again) = parsed(&text)?;
    if printed(&again, &functions_again) != text {
        return Err("the printed form parses to something else".to_owned());
    }
    Ok(())
}
