//! Every opcode is in some case that is run, or on the list of those that no interpreter can run; and every pass of
//! recipe O2 is missed by some case when it is left out.

use super::case::Case;
use super::checks::opt;
use frazil_ir::opcode::{ALL, Opcode};
use frazil_passes::Recipe;
use std::sync::Arc;

/// Opcodes that no case runs, and why.
const NOT_RUN: &[(Opcode, &str)] = &[
    (Opcode::Addrspacecast, "there is one address space"),
    (Opcode::TlsAddr, "threads are the business of the linked program"),
    (Opcode::FrameAddress, "addresses of frames are the target's"),
    (Opcode::ReturnAddress, "addresses of code are the target's"),
    (Opcode::AddressOfReturnAddress, "addresses of frames are the target's"),
    (Opcode::ThreadPointer, "threads are the business of the linked program"),
    (Opcode::ReadCycleCounter, "its result is open"),
    (Opcode::EhTypeidFor, "exceptions are not run"),
    (Opcode::LandingPad, "exceptions are not run"),
    (Opcode::Invoke, "exceptions are not run"),
    (Opcode::Resume, "exceptions are not run"),
    (Opcode::Trap, "it ends the program"),
    (Opcode::Debugtrap, "it stops the program"),
];

/// Looks for a `test opt` case of each pass that fails without the pass.
pub fn check_passes(cases: &[Arc<Case>]) -> Result<(), String> {
    let recipe = Recipe::find("O2").map_err(|error| error.to_string())?;
    let mut missed = Vec::new();
    for step in &recipe.steps {
        if !is_missed(cases, step.info.name)? {
            missed.push(step.info.name);
        }
    }
    if missed.is_empty() {
        return Ok(());
    }
    Err(format!(
        "no case notices when these passes are left out: {}",
        missed.join(", ")
    ))
}

fn is_missed(cases: &[Arc<Case>], pass: &str) -> Result<bool, String> {
    for case in cases {
        for test in case.tests.iter().filter(|test| test.check == "opt") {
            let names = test.options.first().map_or("", String::as_str);
            if names.split(',').any(|name| name == pass) && opt::notices_absence(case, test, pass)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Compares the opcodes that cases run with all there are.
pub fn check(cases: &[Arc<Case>]) -> Result<(), String> {
    let mut seen = vec![false; ALL.len()];
    for case in cases
        .iter()
        .filter(|case| case.tests.iter().any(|test| test.check == "run"))
    {
        let (_, functions) = frazil_ir::text::parse_module(&case.source).map_err(|error| error.to_string())?;
        for data in functions.iter().flat_map(|function| &function.insts) {
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
