//! Code that uses features of later processors computes what code for every processor does, and uses them only where
//! it may.

use crate::frazil;
use frazil_test_support::{Folder, run};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Counting bits at several widths, and rounding.
fn module() -> String {
    let mut text = "triple \"x86_64-unknown-linux-gnu\"\n".to_owned();
    for op in ["ctpop", "ctlz", "cttz"] {
        for bits in [8, 16, 24, 32, 48, 64] {
            let _ = write!(
                text,
                "func @{op}_{bits}(i64 v0) -> i64 {{\nb0:\n{}}}\n",
                match bits {
                    64 => format!("  v1 = {op} i64 v0\n  return v1\n"),
                    _ => format!("  v1 = trunc i{bits} v0\n  v2 = {op} i{bits} v1\n  v3 = zext i64 v2\n  return v3\n"),
                }
            );
        }
    }
    for op in ROUNDINGS {
        for (ty, name) in [("f32", "float"), ("f64", "double")] {
            let _ = write!(
                text,
                "func @{op}_{name}({ty} v0) -> {ty} {{\nb0:\n  v1 = {op} {ty} v0\n  return v1\n}}\n"
            );
        }
    }
    text
}

const ROUNDINGS: [&str; 6] = ["ffloor", "fceil", "ftrunc", "frint", "fnearbyint", "froundeven"];

/// A program that prints what all functions give for many values.
fn driver() -> String {
    let mut text = "#include <stdio.h>\n".to_owned();
    let mut body = String::new();
    for op in ["ctpop", "ctlz", "cttz"] {
        for bits in [8, 16, 24, 32, 48, 64] {
            let _ = writeln!(text, "unsigned long {op}_{bits}(unsigned long);");
            let _ = writeln!(body, "    printf(\"%lu \", {op}_{bits}(x));");
        }
    }
    for op in ROUNDINGS {
        for ty in ["float", "double"] {
            let _ = writeln!(text, "{ty} {op}_{ty}({ty});");
            let _ = writeln!(body, "    printf(\"%a \", (double){op}_{ty}(({ty})y));");
        }
    }
    let _ = write!(
        text,
        "int main(void) {{\n  unsigned long x = 0;\n  for (int i = 0; i < 200; i++) {{\n    double y = (double)(long)x \
         / 1024;\n{body}    puts(\"\");\n    x = i < 64 ? 1ul << i : x * 6364136223846793005ul + 1442695040888963407ul;\
         \n  }}\n  return 0;\n}}\n"
    );
    text
}

fn compile(module: &Path, words: &[&str], to: &Path) {
    run(frazil().arg(module).args(words).arg("-o").arg(to));
}

/// Compiles the module with these words and returns what the program prints.
fn printed(folder: &Folder, words: &[&str]) -> Vec<u8> {
    let (object, program) = (folder.path("module.o"), folder.path("program"));
    compile(&folder.path("module.fzl"), words, &object);
    run(Command::new("cc")
        .arg("-o")
        .arg(&program)
        .arg(folder.path("main.c"))
        .arg(&object)
        .arg("-lm"));
    run(&mut Command::new(&program))
}

#[test]
fn features_change_the_code_and_not_what_it_computes() {
    let folder = Folder::new("features");
    folder.write("module.fzl", module());
    folder.write("main.c", driver());
    let expected = printed(&folder, &["-O0"]);
    assert!(expected.len() > 10_000);
    // Everything that this processor has, and each feature alone.
    for features in [
        "-mcpu=native",
        "-mattr=+popcnt",
        "-mattr=+lzcnt",
        "-mattr=+bmi",
        "-mattr=+sse4.1",
    ] {
        for level in ["-O0", "-O2"] {
            let found = printed(&folder, &[level, features]);
            assert!(found == expected, "{level} {features}");
        }
    }
    let text = |words: &[&str]| {
        let path = folder.path("module.s");
        compile(&folder.path("module.fzl"), &[words, &["-filetype=asm"]].concat(), &path);
        fs::read_to_string(path).expect("text")
    };
    let all = text(&["-mcpu=x86-64-v3"]);
    let none = text(&[]);
    for instruction in ["popcnt", "lzcnt", "tzcnt", "roundsd", "roundss"] {
        assert!(
            all.contains(instruction) && !none.contains(instruction),
            "{instruction}"
        );
    }
    assert!(!text(&["-mcpu=x86-64-v3", "-mattr=-popcnt"]).contains("popcnt"));
}

#[test]
fn a_function_that_names_its_processor_is_compiled_for_it() {
    let folder = Folder::new("processors");
    let text = "triple \"x86_64-unknown-linux-gnu\"\n\
        func @plain(i64 v0) -> i64 target_cpu \"x86-64\" {\nb0:\n  v1 = ctpop i64 v0\n  return v1\n}\n\
        func @later(i64 v0) -> i64 target_cpu \"x86-64-v2\" {\nb0:\n  v1 = ctpop i64 v0\n  return v1\n}\n\
        func @added(i64 v0) -> i64 target_features \"+popcnt,+unheard-of\" {\nb0:\n  v1 = ctpop i64 v0\n  return v1\n}\n";
    let (input, output) = (folder.write("in.fzl", text), folder.path("out.s"));
    let count = |words: &[&str]| {
        compile(&input, &[words, &["-filetype=asm"]].concat(), &output);
        fs::read_to_string(&output).expect("text").matches("popcnt").count()
    };
    assert_eq!(count(&[]), 2);
    assert_eq!(count(&["-mcpu=znver3"]), 2, "a function's own processor counts");
    assert_eq!(count(&["-mattr=+popcnt"]), 3, "features are added");
}
