//! Programs do the same with hooks of the tools of `examples/instrument` in them, and the tools say what is right.

mod linkers;
mod objects;
mod threads;

use crate::{checking_frazil, frazil, in_repository};
use frazil_test_support::{Folder, run, stems};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn clang(arguments: &[&str], source: &Path, output: &Path) {
    let mut clang = Command::new("clang-22");
    run(clang.args(arguments).arg(source).arg("-o").arg(output));
}

/// Puts the tool files and their hooks as bitcode into a folder; returns the names of the tools.
fn tools(folder: &Folder) -> Vec<String> {
    let sources = in_repository("examples/instrument");
    let tools = stems(&sources, ".toml");
    for tool in &tools {
        let text = std::fs::read_to_string(sources.join(tool).with_extension("toml")).expect("each tool has a file");
        add_tool(folder, &sources.join(tool), &text);
    }
    tools
}

/// Puts a tool file with a text, and the hooks of a C file, into a folder.
fn add_tool(folder: &Folder, source: &Path, text: &str) {
    let name = source.file_name().expect("a tool has a name").to_string_lossy();
    let options = ["-O2", "-fPIC", "-Wall", "-Werror", "-c", "-emit-llvm"];
    clang(
        &options,
        &source.with_extension("c"),
        &folder.path(&format!("{name}.bc")),
    );
    folder.write(&format!("{name}.toml"), text);
}

/// The options that name tools.
fn named(folder: &Folder, tools: &[&str]) -> Vec<PathBuf> {
    let words = tools
        .iter()
        .map(|tool| format!("--instrument={}", folder.path(&format!("{tool}.toml")).display()));
    words.map(PathBuf::from).collect()
}

/// Compiles bitcode with tools and links it with their hooks.
fn build(folder: &Folder, recipe: &str, bitcode: &Path, tools: &[&str]) -> PathBuf {
    build_from(folder, recipe, &[bitcode], tools, &[])
}

/// The same with several modules, and options for the linker.
fn build_from(folder: &Folder, recipe: &str, modules: &[&Path], tools: &[&str], options: &[&str]) -> PathBuf {
    let program = folder.path("program");
    let words = named(folder, tools);
    let mut link = Command::new("clang++-22");
    link.args(options);
    for module in modules {
        let object = module.with_extension("o");
        run(checking_frazil(recipe).args(&words).arg(module).arg("-o").arg(&object));
        link.arg(object);
    }
    for (tool, word) in tools.iter().zip(&words) {
        let hooks = folder.path(&format!("{tool}-{recipe}.o"));
        if !hooks.exists() {
            let mut compile = frazil();
            compile.args(["--recipe", recipe, "--emit", "hooks"]).arg(word);
            run(compile.arg("-o").arg(&hooks));
        }
        link.arg(hooks);
    }
    run(link.arg("-o").arg(&program));
    program
}

fn output(folder: &Folder, program: &Path) -> Output {
    let mut command = Command::new(program);
    command.env("COVERAGE", folder.path("coverage.info"));
    command.env("MEMORY_TRACE", folder.path("memory.trace"));
    command.output().expect("the program runs")
}

#[test]
fn programs_do_the_same_with_all_tools_in_them() {
    let folder = Folder::new("instrument-programs");
    let tools = tools(&folder);
    let all: Vec<&str> = tools.iter().map(String::as_str).collect();
    for source in ["jumps.c", "throws.cpp"] {
        let source = in_repository("tests/instrument").join(source);
        let plain = folder.path("plain");
        let mut link = Command::new("clang++-22");
        let language = if source.extension().is_some_and(|end| end == "c") {
            "c"
        } else {
            "c++"
        };
        run(link.args(["-O1", "-x", language]).arg(&source).arg("-o").arg(&plain));
        let expected = output(&folder, &plain);
        for level in ["-O0", "-O2"] {
            let bitcode = folder.path("program.bc");
            clang(
                &[level, "-g", "-fPIE", "-c", "-emit-llvm", "-x", language],
                &source,
                &bitcode,
            );
            for recipe in ["Om1", "O2"] {
                let program = build(&folder, recipe, &bitcode, &all);
                let found = output(&folder, &program);
                assert_eq!(
                    (found.status, String::from_utf8_lossy(&found.stdout)),
                    (expected.status, String::from_utf8_lossy(&expected.stdout)),
                    "{} {level} {recipe}",
                    source.display()
                );
            }
        }
    }
}

/// What `profile_check` says of a program with clang's own counters, when hooks are put in early; `more` is said of the
/// tool, and `filter` of the blocks that are counted.
fn profile_check(folder: &Folder, recipe: &str, source: &str, more: &str, filter: &str) -> String {
    let source = in_repository("tests/instrument").join(source);
    let tool = in_repository("tests/instrument/profile_check");
    let text = std::fs::read_to_string(tool.with_extension("toml")).expect("the tool has a file");
    let text = text.replace("at = \"block\"\n", &format!("at = \"block\"\n{filter}\n"));
    add_tool(folder, &tool, &format!("when = \"early\"\n{more}\n{text}"));
    let bitcode = folder.path("counted.bc");
    let options = ["-O0", "-fprofile-instr-generate", "-fPIE", "-c", "-emit-llvm"];
    clang(&options, &source, &bitcode);
    let program = build(folder, recipe, &bitcode, &["profile_check"]);
    let found = output(folder, &program);
    String::from_utf8_lossy(&found.stderr).into_owned()
}

#[test]
fn blocks_are_counted_as_often_as_clang_counts() {
    let folder = Folder::new("instrument-profiles");
    for source in ["exits.c", "jumps.c", "throws.cpp"] {
        for recipe in ["Om1", "O2"] {
            for more in ["", "derive = true"] {
                let said = profile_check(&folder, recipe, source, more, "");
                let all_equal = said.contains(" counters equal, 0 differ, 0 left out, ") && !said.contains(" 0 not 0");
                assert!(all_equal, "{source} {recipe} {more}: {said}");
            }
        }
    }
    // A block that is not counted shows.
    let said = profile_check(&folder, "O2", "exits.c", "", "not-functions = \"^descend$\"");
    assert!(
        said.contains("a counter of descend is ") && !said.contains(" 0 differ"),
        "{said}"
    );
}

const WRONG: &str = "\
#include <stdio.h>
#include <string.h>

int main(int count, char **words) {
    char bytes[16];
    int number;
    memset(bytes, 1, sizeof bytes);
    volatile int *place = (volatile int *)(bytes + 1);
    if (count > 5)
        printf(\"many\\n\");
    volatile int large = 2147483647, width = 32;
    number = large + count;
    number ^= 1 << (width + count);
    number += *place;
    printf(\"%d\\n\", number & 0);
    return words == 0;
}
";

#[test]
fn tools_say_what_is_right() {
    let folder = Folder::new("instrument-tools");
    tools(&folder);
    let source = folder.write("wrong.c", WRONG);
    let bitcode = folder.path("wrong.bc");
    clang(&["-O0", "-g", "-fPIE", "-c", "-emit-llvm"], &source, &bitcode);
    let told = |recipe: &str, tool: &str| {
        let program = build(&folder, recipe, &bitcode, &[tool]);
        let found = output(&folder, &program);
        assert!(found.status.success(), "{recipe} {tool}");
        String::from_utf8_lossy(&found.stderr).into_owned()
    };
    for recipe in ["Om1", "O2"] {
        let arithmetic = told(recipe, "arithmetic");
        assert_eq!(arithmetic.lines().count(), 2, "{arithmetic}");
        assert!(
            arithmetic.contains("the sum of 2147483647 and 1 overflows in main"),
            "{arithmetic}"
        );
        assert!(
            arithmetic.contains("the shift of 1 and 33 overflows in main"),
            "{arithmetic}"
        );
        let alignment = told(recipe, "alignment");
        assert!(
            alignment.starts_with("alignment: main, block "),
            "{recipe}: {alignment}"
        );
        assert!(alignment.contains("wrong.c:14): 4 bytes at 0x"), "{alignment}");
        told(recipe, "coverage");
        let lines = std::fs::read_to_string(folder.path("coverage.info")).expect("the tool writes it");
        assert!(lines.contains("DA:9,1\nDA:10,0\nDA:11,1\n"), "{lines}");
        told(recipe, "memory_trace");
        let trace = std::fs::read(folder.path("memory.trace")).expect("the tool writes it");
        assert!(
            trace.len() >= 16 * 4 && trace.len().is_multiple_of(16),
            "{} bytes",
            trace.len()
        );
        let graph = told(recipe, "call_graph");
        assert!(graph.contains("(start) -> main"), "{graph}");
        let profile = told(recipe, "block_profile");
        assert!(profile.contains("1  main, block 0"), "{profile}");
    }
    // On what is written, both recipes count the same.
    let count = told("Om1", "instruction_count");
    let expected: u64 = count
        .trim()
        .rsplit(' ')
        .next()
        .and_then(|word| word.parse().ok())
        .expect("a number");
    assert!((30..80).contains(&expected), "{count}");
}

#[test]
fn a_table_of_places_stands_beside_the_object_and_hooks_are_explained() {
    let folder = Folder::new("instrument-sites");
    let hooks = "func @hook(i32) {\nb0:\n  return\n}\n";
    folder.write("hooks.fzl", hooks);
    let tool = folder.write(
        "tool.toml",
        "hooks = \"hooks.fzl\"\nsites = true\n[[insert]]\nat = \"block\"\ncall = \"hook\"\nargs = [\"site\"]\n",
    );
    let object = folder.path("hello.o");
    let mut compile = frazil();
    compile
        .arg(crate::SAMPLE)
        .arg("-o")
        .arg(&object)
        .arg("--explain-instrument");
    let output = compile
        .arg("--instrument")
        .arg(tool)
        .output()
        .expect("the command runs");
    let explained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{explained}");
    assert!(explained.starts_with("tool tool:\nhook hook: inlined\n"), "{explained}");
    let sites = std::fs::read_to_string(folder.path("hello.o.sites.json")).expect("the table is written");
    assert!(
        sites.contains("\"function\": \"main\"") && sites.contains("\"kind\": \"block\""),
        "{sites}"
    );
}
