//! Sessions of lldb: the same stops at lines and variables as gdb's ([`session.py`](session.py)), for unoptimised code.
//!
//! lldb is told the whole session at once, in a file of commands: a breakpoint at each line, then as often as wanted
//! to print the variables and to go on. What it prints is brought into the form of gdb's sessions. Addresses are left
//! out, with what is shown of the memory there, and variables that are declared at or after the current line.
//!
//! Not here: programs in Rust, of whose enumerations lldb shows the contents that they would have as other variants,
//! too.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::stops::{self, Stop};
use crate::process;

/// At how many stops a session ends.
const MOST_STOPS: usize = 100;

/// How stops are shown: `stop`, the function and the line.
const SETTINGS: &str = "settings set stop-line-count-before 0\n\
    settings set stop-line-count-after 0\n\
    settings set stop-disassembly-display never\n\
    settings set frame-format \"stop ${function.name-without-args} ${line.number}\\n\"\n\
    settings set thread-stop-format \"\"\n\
    settings set target.max-children-count 40\n";

/// Where lldb stops in a program, with breakpoints at these lines, separated by commas.
pub fn session(executable: &Path, source: &str, lines: &str) -> Result<Vec<Stop>> {
    let mut commands = SETTINGS.to_owned();
    for line in lines.split(',') {
        writeln!(commands, "breakpoint set -f {source} -l {line}").expect("strings take all");
    }
    commands += "process launch -o /dev/null -e /dev/null\n";
    commands += &"frame variable -c\ncontinue\n".repeat(MOST_STOPS);
    let file = executable.with_extension("lldb");
    fs::write(&file, commands).with_context(|| format!("writing {}", file.display()))?;
    let mut lldb = Command::new("lldb-22");
    lldb.args(["-b", "-x", "-s"]).arg(&file).arg(executable);
    let outcome = process::run(&mut lldb, process::TIME_LIMIT)?;
    Ok(stops::parse(&translated(&String::from_utf8_lossy(&outcome.stdout))))
}

/// What lldb prints, in the form of gdb's sessions.
fn translated(text: &str) -> String {
    let mut found = String::new();
    let mut stopped_at = 0;
    // Whether the lines that follow belong to a variable that is kept.
    let mut is_open = false;
    for line in text.lines() {
        let shown = line.trim_start_matches(['*', ' ']);
        if let Some(place) = shown.strip_prefix("stop ") {
            stopped_at = place
                .rsplit(' ')
                .next()
                .and_then(|number| number.parse().ok())
                .unwrap_or(0);
            write!(found, "\nstop {place}").expect("strings take all");
            is_open = false;
        } else if line.starts_with("(lldb)") || line.starts_with("Process ") {
            is_open = false;
        } else if let Some((declared, name, value)) = variable(line) {
            is_open = declared < stopped_at;
            if is_open {
                write!(found, "\nvariable {name} {}", without_addresses(value)).expect("strings take all");
            }
        } else if is_open {
            write!(found, " {}", without_addresses(line.trim())).expect("strings take all");
        }
    }
    found
}

/// The line of a declaration, the name and the value in `file:line: (type) name = value`.
fn variable(line: &str) -> Option<(u32, &str, &str)> {
    let (place, rest) = line.split_once(": (")?;
    let (_, declared) = place.rsplit_once(':')?;
    let (before, value) = rest.split_once(" = ")?;
    let (_, name) = before.rsplit_once(") ")?;
    Some((declared.parse().ok()?, name, value))
}

/// A line without addresses and the text that is shown after one, in the words of gdb.
fn without_addresses(line: &str) -> String {
    let line = line.replace("<variable not available>", stops::LOST);
    match line.split_once("0x") {
        Some((before, rest)) if !rest.trim_start_matches('0').is_empty() => format!("{before}ADDRESS"),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_brought_into_the_form_of_gdb() {
        let text = "(lldb) frame variable -c\nProcess 7 stopped\n*     stop main 75\n(lldb) frame variable -c\n\
            a.c:73: (int) argc = 1\na.c:73: (char **) argv = 0x00007fffffffe7d8\na.c:74: (point) p = {\n  x = 1\n}\n\
            a.c:75: (color) c = red\n(lldb) continue\nProcess 7 resuming\n*     stop f(int) 9\n";
        let expected = "\nstop main 75\nvariable argc 1\nvariable argv ADDRESS\nvariable p { x = 1 }\nstop f(int) 9";
        assert_eq!(translated(text), expected);
    }
}
