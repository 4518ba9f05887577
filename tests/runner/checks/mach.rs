//! `; test mach <pass>[,<pass>…]`: the assembly text that the optimizing path makes of the functions as they are, with
//! these passes over machine code after register allocation and no others, for each target of the case. The block is
//! `; expect mach <target>`. That the code does what it should is checked by the case's runs under the recipes.

use super::{Check, parsed, target, target_parts};
use crate::runner::bless;
use crate::runner::case::{Case, Test};
use crate::runner::executors::compiled::assembly;
use crate::runner::recipe::Checked;
use frazil::RelocationModel;
use frazil_passes::{Book, Overrides, Registry};

pub const CHECK: Check = Check {
    name: "mach",
    parts: target_parts,
    run,
};

fn run(case: &Case, test: &Test, part: &str) -> Result<(), String> {
    bless::output(case, &format!("mach {part}"), &compiled(case, test, part, "")?)
}

/// Whether the case no longer finds what it expects, for any of its targets, when `pass` is left out.
pub fn notices_absence(case: &Case, test: &Test, pass: &str) -> Result<bool, String> {
    for part in target_parts(case, test) {
        let found = compiled(case, test, &part, pass)?;
        if case.expected_output(&format!("mach {part}")) != Some(found) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The assembly text for a target after the passes of the test, but for one.
fn compiled(case: &Case, test: &Test, part: &str, without: &str) -> Result<String, String> {
    let (module, functions) = parsed(&case.source)?;
    let names = test.options.first().ok_or("expected `; test mach <pass>`")?;
    let names = names.split(',').filter(|&name| name != without);
    // Passes stand after the allocation of registers, unless the test says where that is.
    let is_placed = test
        .options
        .first()
        .is_some_and(|names| names.split(',').any(|name| name == "regalloc"));
    let passes: Vec<String> = (!is_placed)
        .then_some("regalloc")
        .into_iter()
        .chain(names)
        .map(|name| format!("\"{name}\""))
        .collect();
    let passes = passes.join(", ");
    let text = format!("[recipe.case]\nextends = \"O2\"\npasses = []\nmach-passes = [{passes}]\n");
    let registry = Registry::builtin();
    let mut book = Book::new(&registry);
    book.add("case", &text).map_err(|error| error.to_string())?;
    let recipe = book.recipe("case", &Overrides::default());
    let recipe = Checked::new(recipe.map_err(|error| error.to_string())?);
    assembly(&module, &functions, target(part)?, RelocationModel::Pic, &recipe)
}
