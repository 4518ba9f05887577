//! Every opcode is in some case that is run, or on the list of those that no interpreter can run; and every registered
//! pass, over the intermediate representation or over machine code, is missed by some case when it is left out.

use super::case::{Case, Test};
use super::checks::{mach, opt};
use frazil_ir::opcode::{ALL, Opcode};
use std::sync::Arc;

/// Opcodes that no case runs, and why.
const NOT_RUN: &[(Opcode, &str)] = &[
    (Opcode::TlsAddr, "threads are the business of the linked program"),
    (Opcode::ReturnAddress, "addresses of code are the target's"),
    (Opcode::AddressOfReturnAddress, "addresses of frames are the target's"),
    (Opcode::ThreadPointer, "threads are the business of the linked program"),
    (Opcode::ReadCycleCounter, "its result is open"),
    (Opcode::SpaceLoad, "there is one address space"),
    (Opcode::SpaceRmw, "there is one address space"),
    (Opcode::SpaceCmpxchg, "there is one address space"),
    (Opcode::SpaceCopy, "there is one address space"),
    (Opcode::SpaceSet, "there is one address space"),
    (Opcode::HookCall, "passes make code of it"),
    (Opcode::ReadingHookCall, "passes make code of it"),
    (Opcode::Trap, "it ends the program"),
    (Opcode::Debugtrap, "it stops the program"),
];

/// Looks for a `test opt` or `test mach` case that fails without the pass.
pub fn check_pass(cases: &[Arc<Case>], pass: &str) -> Result<(), String> {
    for case in cases {
        for test in &case.tests {
            if names(test).any(|name| name == pass) && notices_absence(case, test, pass)? {
                return Ok(());
            }
        }
    }
    Err(format!("no case notices when {pass} is left out"))
}

/// The passes that a check is about.
fn names(test: &Test) -> impl Iterator<Item = &str> {
    let is_about_passes = ["opt", "mach"].contains(&test.check.as_str());
    let list = test.options.first().filter(|_| is_about_passes);
    list.into_iter().flat_map(|list| list.split(','))
}

fn notices_absence(case: &Case, test: &Test, pass: &str) -> Result<bool, String> {
    match test.check.as_str() {
        "mach" => mach::notices_absence(case, test, pass),
        _ => opt::notices_absence(case, test, pass),
    }
}

/// Compares the opcodes that cases run with all there are.
pub fn check(cases: &[Arc<Case>]) -> Result<(), String> {
    let mut seen = vec![false; ALL.len()];
    for case in cases
        .iter()
        .filter(|case| case.tests.iter().any(|test| test.check == "run"))
    {
        let (_, functions) = frazil_ir::text::parse_module(&case.source).map_err(|error| error.to_string())?;
        for data in functions.iter().flat_map(|function| function.insts()) {
            seen[data.op as usize] = true;
        }
    }
    let is_listed = |op: Opcode| NOT_RUN.iter().any(|row| row.0 == op);
    let wrong = ALL.iter().filter(|&&op| seen[op as usize] == is_listed(op));
    let names: Vec<&str> = wrong.map(|op| op.name()).collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(format!(
        "not run by any case, or run although listed as not run: {}",
        names.join(", ")
    ))
}
