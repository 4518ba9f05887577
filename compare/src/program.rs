//! Programs linked of both objects: whether they print the same, and how long they run.

use crate::compiler::Scratch;
use crate::measure::{Outcome, run};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is linked and run.
#[derive(Clone, Copy, Debug)]
pub struct ProgramCommands<'a> {
    /// The command; `{}` stands for the program.
    pub command: &'a str,
    /// The command that links; the first `{}` stands for the object, the second for the program.
    pub link: &'a str,
}

/// Both programs.
#[derive(Clone, Debug, Serialize)]
pub struct Programs {
    pub frazil: Program,
    pub llc: Program,
    /// Whether output and status are the same; `None` unless both ran.
    pub agree: Option<bool>,
}

/// How the program that one compiler has made ran.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Program {
    /// Why it did not run.
    pub error: Option<String>,
    /// The least time of its runs.
    pub time_ms: Option<f64>,
    /// How it ended.
    pub status: Option<i32>,
    #[serde(skip)]
    output: Vec<u8>,
}

impl Programs {
    /// Frazil's time over llc's.
    pub fn ratio(&self) -> Option<f64> {
        let llc = self.llc.time_ms.filter(|time| *time > 0.0)?;
        Some(self.frazil.time_ms? / llc)
    }
}

/// Links and runs both, in turn; `has_object` says which objects there are.
pub fn compare(
    plan: &ProgramCommands<'_>,
    objects: &[PathBuf; 2],
    has_object: [bool; 2],
    repeat: u32,
    scratch: &Scratch,
) -> Programs {
    let names = ["frazil", "llc"];
    let mut programs = [0, 1].map(|number| {
        let linked = match has_object[number] {
            true => link(plan, &objects[number], &scratch.file(names[number])),
            false => Err("there is no object".to_owned()),
        };
        Program {
            error: linked.err(),
            ..Program::default()
        }
    });
    for _ in 0..repeat {
        for (program, name) in programs.iter_mut().zip(names) {
            if program.error.is_none() {
                let outcome = run(&mut shell(plan.command, &[&scratch.file(name)]));
                match outcome {
                    Ok(outcome) => note(program, outcome),
                    Err(error) => program.error = Some(error.to_string()),
                }
            }
        }
    }
    let [frazil, llc] = programs;
    let agree = (frazil.error.is_none() && llc.error.is_none())
        .then(|| frazil.output == llc.output && frazil.status == llc.status);
    Programs { frazil, llc, agree }
}

fn note(program: &mut Program, outcome: Outcome) {
    let time = outcome.cost.time_ms;
    program.time_ms = Some(program.time_ms.map_or(time, |least| least.min(time)));
    program.status = outcome.status.code();
    program.output = outcome.stdout;
}

fn link(plan: &ProgramCommands<'_>, object: &Path, program: &Path) -> Result<(), String> {
    let outcome = run(&mut shell(plan.link, &[object, program])).map_err(|error| error.to_string())?;
    match outcome.status.success() {
        true => Ok(()),
        false => Err(format!("linking failed: {}", outcome.stderr.trim())),
    }
}

/// The shell with a command in which each `{}` is the next path, or the last one.
fn shell(command: &str, paths: &[&Path]) -> Command {
    let mut words = String::new();
    for (number, part) in command.split("{}").enumerate() {
        if let Some(place) = number.checked_sub(1) {
            // The path is a parameter, so that nothing in it can be taken for the shell's syntax.
            words.push_str(&format!("\"${{{}}}\"", place.min(paths.len() - 1) + 1));
        }
        words.push_str(part);
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", &words, "sh"]).args(paths);
    shell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_parameters_of_the_shell() {
        let said = |command: &str| {
            let paths = [Path::new("a b"), Path::new("$(c)")];
            let outcome = run(&mut shell(command, &paths)).expect("sh runs");
            String::from_utf8(outcome.stdout).expect("text")
        };
        assert_eq!(said("echo {} {} {} | tr a-z A-Z"), "A B $(C) $(C)\n");
    }
}
