//! Functions on integers of more than 128 bits, from bitcode to a program: the results must be those that the run case
//! of the same functions has.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const BITCODE: &str = "tests/filetests/bitcode/wide-integers.bc";
const RUNS: &str = "tests/filetests/run/wide/words.fzl";

/// A folder that goes away at the end of the test.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).expect("removable");
    }
}

/// A C program that makes the runs `name(x, y) == z` and returns how many of them fail.
fn program(runs: &str) -> String {
    let (mut declarations, mut calls) = (String::new(), String::new());
    let mut count = 0;
    for run in runs.lines().filter_map(|line| line.strip_prefix("; run: ")) {
        let (call, result) = run.split_once(" == ").expect("a call and its result");
        let (name, arguments) = call.trim_end_matches(')').split_once('(').expect("a call");
        let (x, y) = arguments.split_once(", ").expect("two arguments");
        let declaration = format!("unsigned long {name}(unsigned long, unsigned long);\n");
        if !declarations.contains(&declaration) {
            declarations += &declaration;
        }
        let number = |text: &str| {
            let value: i64 = text.parse().expect("a number");
            format!("{}ul", value.cast_unsigned())
        };
        let _ = writeln!(
            calls,
            "  failed += {name}({}, {}) != {};",
            number(x),
            number(y),
            number(result)
        );
        count += 1;
    }
    assert!(count > 30, "{count} runs");
    format!("{declarations}int main(void) {{\n  int failed = 0;\n{calls}  return failed;\n}}\n")
}

fn run(command: &mut Command) {
    let output = command.output().expect("the program starts");
    assert!(
        output.status.success(),
        "{command:?}: {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn results_are_those_of_the_run_case() {
    let folder = Folder(std::env::temp_dir().join(format!("frazil-wide-integers-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).expect("a temporary folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runs = std::fs::read_to_string(root.join(RUNS)).expect("the run case");
    let main = folder.0.join("main.c");
    std::fs::write(&main, program(&runs)).expect("writable");
    for recipe in ["Om1", "O1", "O2", "Os"] {
        let (object, linked) = (folder.0.join("functions.o"), folder.0.join("program"));
        let mut frazil = Command::new(env!("CARGO_BIN_EXE_frazil"));
        frazil.args(["--check-regalloc", "--verify-each", "--recipe", recipe]);
        run(frazil.arg(root.join(BITCODE)).arg("-o").arg(&object));
        run(Command::new("cc").arg(&main).arg(&object).arg("-o").arg(&linked));
        run(&mut Command::new(&linked));
    }
}
