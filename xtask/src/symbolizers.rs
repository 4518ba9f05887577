//! `cargo xtask symbolizers`: tools that name the functions and lines of code name the same ones in Frazil's code as in
//! `llc`'s.
//!
//! Programs of `tests/debug_information` ([`TOOLS`]) are compiled to bitcode at -O0 for `Om1` and at -O2 for other
//! recipes, and the bitcode by Frazil and by `llc` at that level. A [`Tool`] looks at both programs while they run;
//! what it prints must be the same but for addresses and numbers of processes. A profile is a matter of samples: its
//! busy lines must be busy in both.
//!
//! Not here: debuggers ([`crate::debugger`]).

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use pico_args::Arguments;

use crate::compiler::{Compiler, LlcLevel, RECIPES};
use crate::debug_programs::Program;
use crate::{corpus, process, workspace};

/// Percents of samples from which on a line is busy, and which it has at least in the other program.
const BUSY: [f64; 2] = [30.0, 5.0];

/// How many lines before a difference are shown, and how many in all.
const SHOWN: [usize; 2] = [3, 10];

/// What looks at a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    /// The program says from where it was called; `addr2line -i` names these places.
    Addr2line,
    /// AddressSanitizer's report of the first fault.
    AddressSanitizer,
    /// Rust's own backtraces of panics.
    Panics,
    /// `perf report` by line.
    Perf,
    /// Valgrind's reports of faults, and of memory that is lost.
    Valgrind,
    /// The same with DWARF of version 4, of which old versions of valgrind understand all.
    Valgrind4,
}

/// Which tools look at a program.
const TOOLS: [(&str, Tool); 7] = [
    ("hot.c", Tool::Perf),
    ("leaks.c", Tool::Valgrind),
    ("leaks.c", Tool::Valgrind4),
    ("overflow.c", Tool::AddressSanitizer),
    ("overflow.c", Tool::Valgrind),
    ("panic.rs", Tool::Panics),
    ("trace.cpp", Tool::Addr2line),
];

/// Programs that must be there.
const NEEDED: [&str; 4] = ["addr2line", "llvm-symbolizer-22", "perf", "valgrind"];

/// `cargo xtask symbolizers [FILTER]` with the options of [`Compiler::list_from_arguments`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let compilers = Compiler::list_from_arguments(&mut arguments, &RECIPES)?;
    for program in NEEDED {
        workspace::require(program)?;
    }
    let filter = corpus::filter(arguments)?;
    let dir = workspace::target_dir().join("symbolizers");
    fs::create_dir_all(&dir).with_context(|| format!("making {}", dir.display()))?;
    let sources = workspace::root().join("tests/debug_information/symbolizers");
    let (mut made, mut differing) = (0, 0);
    let mut programs = Program::list(&sources, &filter)?;
    programs.extend(Program::list(
        &workspace::root().join("tests/debug_information"),
        &filter,
    )?);
    for program in &programs {
        for tool in TOOLS.iter().filter(|row| row.0 == program.name).map(|row| row.1) {
            for compiler in &compilers {
                let difference =
                    compare(program, tool, compiler, &dir).with_context(|| format!("{} {tool:?}", program.name))?;
                made += 1;
                let recipe = compiler.recipe().unwrap_or_default();
                let verdict = if difference.is_some() { "DIFFERS" } else { "same" };
                println!("{:<12} {:<18} {recipe:<5} {verdict}", program.name, format!("{tool:?}"));
                if let Some(text) = difference {
                    differing += 1;
                    println!("{text}");
                }
            }
        }
    }
    ensure!(made > 0, "no tool looks at a program of that name");
    println!("symbolizers: {} passed, {differing} failed", made - differing);
    Ok(differing == 0)
}

/// How what a tool prints of a compiler's program differs from what it prints of `llc`'s.
fn compare(program: &Program, tool: Tool, compiler: &Compiler, dir: &Path) -> Result<Option<String>> {
    let (level, llc) = match compiler.recipe() {
        Some("Om1") => (0, LlcLevel::O0),
        _ => (2, LlcLevel::O2),
    };
    let path = |end: &str| dir.join(format!("{}-{tool:?}.{end}", program.name));
    let (options, libraries): (&[&str], &[&str]) = match tool {
        Tool::AddressSanitizer => (&["-fsanitize=address"], &["-fsanitize=address"]),
        Tool::Valgrind4 => (&["-gdwarf-4"], &[]),
        _ => (&[], &[]),
    };
    let bitcode = path("bc");
    program.make_bitcode(level, options, &bitcode)?;
    let report = |compiler: &Compiler, name: &str| -> Result<String> {
        let (object, executable) = (path(&format!("{name}.o")), path(name));
        process::checked(&mut compiler.command(&bitcode, &object)?)?;
        program.link(&object, libraries, &executable)?;
        tool.report(&executable)
    };
    let (ours, theirs) = (report(compiler, "ours")?, report(&Compiler::Llc(llc), "theirs")?);
    ensure!(theirs.contains(&program.name), "nothing is named: {theirs}");
    Ok(match tool {
        Tool::Perf => differing_profile(&ours, &theirs),
        _ => difference(&ours, &theirs),
    })
}

impl Tool {
    /// What the tool prints of a program, without what differs from run to run.
    fn report(self, executable: &Path) -> Result<String> {
        match self {
            Tool::Addr2line => places(executable),
            Tool::AddressSanitizer => {
                let mut command = Command::new(executable);
                command.env(
                    "ASAN_OPTIONS",
                    "detect_leaks=0:external_symbolizer_path=/usr/bin/llvm-symbolizer-22",
                );
                let text = errors(&mut command)?;
                // Frames of other files have no lines.
                let frames = text.lines().filter(|line| {
                    let is_frame = line.trim_start().starts_with('#');
                    is_frame && !line.contains("BuildId")
                });
                Ok(without_numbers(&frames.collect::<Vec<_>>().join("\n")))
            }
            Tool::Panics => {
                let text = errors(Command::new(executable).env("RUST_BACKTRACE", "full"))?;
                Ok(without_numbers(&text))
            }
            Tool::Perf => {
                let data = executable.with_extension("perf");
                let mut record = Command::new("perf");
                record.args(["record", "--quiet", "--event=cpu-clock:u", "--freq=2000", "--output"]);
                process::checked(record.arg(&data).arg(executable))?;
                let mut report = Command::new("perf");
                report.args([
                    "report",
                    "--quiet",
                    "--stdio",
                    "--no-children",
                    "--sort=srcline",
                    "--input",
                ]);
                let outcome = process::checked(report.arg(&data))?;
                Ok(String::from_utf8_lossy(&outcome.stdout).into_owned())
            }
            Tool::Valgrind | Tool::Valgrind4 => {
                let mut valgrind = Command::new("valgrind");
                valgrind.args(["--quiet", "--leak-check=full", "--show-leak-kinds=definite,indirect"]);
                let text = errors(valgrind.arg(executable))?;
                // What comes before its number is about forms that it does not know.
                let own = text.lines().filter(|line| line.starts_with("=="));
                Ok(without_numbers(&own.collect::<Vec<_>>().join("\n")))
            }
        }
    }
}

/// What a program writes to standard error, however it ends.
fn errors(command: &mut Command) -> Result<String> {
    let outcome = process::run(command, process::TIME_LIMIT)?;
    Ok(String::from_utf8_lossy(&outcome.stderr).into_owned())
}

/// Functions and lines of the addresses that a program prints.
fn places(executable: &Path) -> Result<String> {
    let outcome = process::checked(&mut Command::new(executable))?;
    let mut text = String::new();
    for line in String::from_utf8_lossy(&outcome.stdout).lines() {
        let Some(trace) = line.strip_prefix("trace ") else {
            continue;
        };
        let (name, addresses) = trace.split_once(' ').unwrap_or((trace, ""));
        let mut addr2line = Command::new("addr2line");
        addr2line.args(["-i", "-f", "-C", "-e"]).arg(executable);
        let outcome = process::checked(addr2line.args(addresses.split(' ')))?;
        let found = String::from_utf8_lossy(&outcome.stdout);
        writeln!(text, "{name}:").expect("strings take all");
        for row in found.lines() {
            // Which of several pieces of code of a line it is, is not asked.
            let row = row.split(" (discriminator").next().unwrap_or(row);
            writeln!(text, "    {row}").expect("strings take all");
        }
    }
    Ok(text)
}

/// A text without addresses and numbers of processes.
fn without_numbers(text: &str) -> String {
    let mut kept = String::new();
    for line in text.lines() {
        let words = line.split(' ').map(|word| {
            let bare = word.trim_matches(|letter: char| "()[],:=".contains(letter));
            let is_process = !bare.is_empty()
                && bare.len() < word.len()
                && bare.bytes().all(|byte| byte.is_ascii_digit())
                && !word.ends_with(':');
            if is_process || bare.starts_with("0x") {
                "N"
            } else {
                word
            }
        });
        let words: Vec<&str> = words.collect();
        writeln!(kept, "{}", words.join(" ")).expect("strings take all");
    }
    kept
}

/// The first difference of two texts, with what is around it.
fn difference(ours: &str, theirs: &str) -> Option<String> {
    if ours == theirs {
        return None;
    }
    let same = ours.lines().zip(theirs.lines()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| {
        let lines = text.lines().skip(same.saturating_sub(SHOWN[0])).take(SHOWN[1]);
        lines.map(|line| format!("    {line}\n")).collect::<String>()
    };
    Some(format!("  ours:\n{}  llc's:\n{}", part(ours), part(theirs)))
}

/// The busy lines of a profile that are not busy in the other one.
fn differing_profile(ours: &str, theirs: &str) -> Option<String> {
    let (ours, theirs) = (shares(ours), shares(theirs));
    let lacking = |from: &[(f64, String)], other: &[(f64, String)]| -> Vec<String> {
        let is_there = |line: &str| other.iter().any(|row| row.0 >= BUSY[1] && row.1 == line);
        let busy = from.iter().filter(|row| row.0 >= BUSY[0] && !is_there(&row.1));
        busy.map(|row| format!("{} ({} %)", row.1, row.0)).collect()
    };
    let (own, other) = (lacking(&ours, &theirs), lacking(&theirs, &ours));
    let is_same = own.is_empty() && other.is_empty();
    (!is_same).then(|| format!("  busy in ours only: {own:?}\n  busy in llc's only: {other:?}"))
}

/// The rows of `perf report`: percents and lines.
fn shares(text: &str) -> Vec<(f64, String)> {
    let rows = text.lines().filter_map(|line| {
        let (percents, place) = line.trim().split_once("%")?;
        Some((percents.trim().parse().ok()?, place.trim().to_owned()))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_is_left_out() {
        let text = "==12== at 0x4848: f (a.c:7)\nthread 'main' (99) panicked at a.rs:3:5:\nby 0x1: g (a.c:8)";
        let expected = "N at N f (a.c:7)\nthread 'main' N panicked at a.rs:3:5:\nby N g (a.c:8)\n";
        assert_eq!(without_numbers(text), expected);
    }

    #[test]
    fn differences_are_found() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        let found = difference("a\nb\n", "a\nc\n").expect("they differ");
        assert_eq!(found, "  ours:\n    a\n    b\n  llc's:\n    a\n    c\n");
        assert!(difference("a\n", "a\nb\n").is_some());
    }

    #[test]
    fn busy_lines_are_compared() {
        let ours = "  61.30%  hot.c:14\n  20.00%  hot.c:18\n";
        assert_eq!(
            differing_profile(ours, "  51.30%  hot.c:14\n  29.00%  hot.c:30\n"),
            None
        );
        let found = differing_profile(ours, "  91.00%  hot.c:15\n").expect("they differ");
        assert!(
            found.contains("hot.c:14 (61.3 %)") && found.contains("hot.c:15 (91 %)"),
            "{found}"
        );
    }
}
