//! Functions on integers of more than 128 bits, from bitcode to a program: the results must be those that the run case
//! of the same functions has.

use crate::{RECIPES, checking_frazil, frazil, in_repository};
use frazil_test_support::{Folder, run};
use std::fmt::Write;
use std::process::Command;

const BITCODE: &str = "tests/filetests/bitcode/wide-integers.bc";
const RUNS: &str = "tests/filetests/run/wide/words.fzl";

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

#[test]
fn results_are_those_of_the_run_case() {
    let folder = Folder::new("wide-integers");
    let runs = std::fs::read_to_string(in_repository(RUNS)).expect("the run case");
    let main = folder.write("main.c", program(&runs));
    for recipe in RECIPES {
        let (object, linked) = (folder.path("functions.o"), folder.path("program"));
        run(checking_frazil(recipe)
            .arg(in_repository(BITCODE))
            .arg("-o")
            .arg(&object));
        run(Command::new("cc").arg(&main).arg(&object).arg("-o").arg(&linked));
        run(&mut Command::new(&linked));
    }
}

/// Where the elements of an array are passed together, LLVM aligns those that are wide otherwise.
#[test]
fn arrays_of_them_are_refused_where_they_are_passed_whole() {
    let folder = Folder::new("wide-integer-arrays");
    for (machine, is_refused) in [("x86_64", false), ("aarch64", true)] {
        let head = format!("target triple = \"{machine}-unknown-linux-gnu\"\n");
        let text = folder.write(
            "arrays.ll",
            head + "define void @f(i64 %n, [2 x i192] %a) {\n  ret void\n}\n",
        );
        let bitcode = folder.path("arrays.bc");
        run(Command::new("llvm-as-22").arg(text).arg("-o").arg(&bitcode));
        let output = frazil()
            .arg(&bitcode)
            .arg("-o")
            .arg(folder.path("arrays.o"))
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), !is_refused, "{machine}: {said}");
        let what = "function @f: an array with integers of more than 128 bits as an argument";
        assert_eq!(said.contains(what), is_refused, "{machine}: {said}");
    }
}
