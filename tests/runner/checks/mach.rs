//! `; test mach <pass>[,<pass>…]`: the assembly text that the optimizing path makes of the functions as they are, with
//! these passes over machine code behind register allocation and no others, for each target of the case. The block is
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
    let (module, functions) = parsed(&case.source)?;
    let names = test.options.first().ok_or("expected `; test mach <pass>`")?;
    let names: Vec<String> = names.split(',').map(|name| format!("\"{name}\"")).collect();
    let text = format!(
        "[recipe.case]\nextends = \"O2\"\npasses = []\nmach-passes = [\"regalloc\", {}]\n",
        names.join(", ")
    );
    let registry = Registry::builtin();
    let mut book = Book::new(&registry);
    book.add("case", &text).map_err(|error| error.to_string())?;
    let recipe = book.recipe("case", &Overrides::default());
    let recipe = Checked::new(recipe.map_err(|error| error.to_string())?);
    let text = assembly(&module, &functions, target(part)?, RelocationModel::Pic, &recipe)?;
    bless::output(case, &format!("mach {part}"), &text)
}
