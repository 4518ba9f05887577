//! Whole programs with inline assembly: clang and rustc make bitcode of them, Frazil objects, and the linked program
//! must print what it prints when `llc` compiles the bitcode.
//!
//! Each is taken at -O0 and at -O2 and goes through every built-in recipe with the checker of register allocations.

#[path = "../common/folder.rs"]
mod folder;

use folder::Folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const RECIPES: &[&str] = &["Om1", "O1", "O2", "Os"];

fn source(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/asm_programs");
    folder.join(name)
}

fn run(command: &mut Command) {
    let output = command.output().expect("the command starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {message}");
}

fn frazil(words: &[&str], bitcode: &Path, object: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_frazil"));
    command.args(words).arg(bitcode).arg("-o").arg(object);
    command
}

fn bitcode_of_c(name: &str, level: &str, bitcode: &Path) {
    let mut clang = Command::new("clang-22");
    clang.args(["-c", "-emit-llvm", level, "-fno-vectorize", "-fno-slp-vectorize"]);
    clang.arg(source(name));
    run(clang.arg("-o").arg(bitcode));
}

/// Compares the program of a module, made by `llc` and by every recipe with these words; `more` is linked to it.
fn check(folder: &Folder, bitcode: &Path, words: &[&str], more: &[PathBuf]) {
    let object = folder.path("program.o");
    let output = || {
        let program = folder.path("program");
        run(Command::new("clang-22")
            .arg(&object)
            .args(more)
            .arg("-lstdc++")
            .arg("-o")
            .arg(&program));
        let Output { status, stdout, .. } = Command::new(&program).output().expect("the program starts");
        format!("{}{status}", String::from_utf8_lossy(&stdout))
    };
    let mut llc = Command::new("llc-22");
    llc.args(["-O0", "-filetype=obj", "-relocation-model=pic"]);
    run(llc.arg(bitcode).arg("-o").arg(&object));
    let expected = output();
    for recipe in RECIPES {
        let mut all = vec!["--check-regalloc", "--verify-each", "--recipe", recipe];
        all.extend(words);
        run(&mut frazil(&all, bitcode, &object));
        assert_eq!(output(), expected, "{} {recipe}", bitcode.display());
    }
}

fn check_c(name: &str, words: &[&str]) {
    let folder = Folder::new(name);
    for level in ["-O0", "-O2"] {
        let bitcode = folder.path(&format!("{name}{level}.bc"));
        bitcode_of_c(name, level, &bitcode);
        check(&folder, &bitcode, words, &[]);
    }
}

#[test]
fn common_texts_need_no_assembler() {
    check_c("encoded.c", &["--assembler", "/nonexistent/assembler"]);
}

#[test]
fn other_texts_go_to_an_assembler() {
    check_c("assembled.c", &[]);
    check_c("assembled.c", &["--assembler", "as"]);
    check_c("assembled.c", &["--assembler", "clang-22"]);
}

#[test]
fn idioms_of_kernels_and_libraries() {
    check_c("idioms.c", &[]);
}

#[test]
fn naked_functions_have_no_frame() {
    check_c("naked.c", &[]);
}

#[test]
fn landing_pads_beside_texts_of_unknown_length() {
    check_c("pads.cpp", &[]);
    check_c("pads.cpp", &["--assembler", "as"]);
}

#[test]
fn texts_of_rust() {
    let folder = Folder::new("rust");
    for level in ["0", "2"] {
        let bitcode = folder.path(&format!("rust-{level}.bc"));
        let mut rustc = Command::new("rustc");
        rustc.args([
            "--edition",
            "2024",
            "--emit",
            "llvm-bc",
            "-C",
            "panic=abort",
            "-C",
            "overflow-checks=off",
        ]);
        rustc.args(["-C", "codegen-units=1", "-C", "no-prepopulate-passes", "-C"]);
        rustc.arg(format!("opt-level={level}")).arg(source("rust.rs"));
        run(rustc.arg("-o").arg(&bitcode));
        check(&folder, &bitcode, &[], &[source("rust.c")]);
    }
}

/// What the command says of a program with this function.
fn complaint(name: &str, text: &str, words: &[&str]) -> String {
    let folder = Folder::new(name);
    let (input, bitcode) = (folder.path("in.c"), folder.path("in.bc"));
    std::fs::write(&input, text).expect("writable");
    let mut clang = Command::new("clang-22");
    run(clang.args(["-c", "-emit-llvm"]).arg(&input).arg("-o").arg(&bitcode));
    let output = frazil(words, &bitcode, &folder.path("out.o"))
        .output()
        .expect("the command starts");
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_the_assembler_says_is_said_of_function_and_text() {
    let wrong = "int fine(void) { return 1; }\nvoid wrong(void) { __asm__(\"nop\\n\\tnosuch %eax\"); }\n";
    let message = complaint("wrong", wrong, &[]);
    assert!(
        message.contains("function @wrong: inline assembly: invalid instruction"),
        "{message}"
    );
    assert!(message.contains("nosuch"), "{message}");
}

#[test]
fn without_an_assembler_only_texts_that_need_one_are_refused() {
    let text = "void needs(void) { __asm__(\"1: jmp 1b\"); }\n";
    let message = complaint("missing", text, &["--assembler", "/nonexistent/assembler"]);
    assert!(
        message.contains("cannot run the assembler /nonexistent/assembler"),
        "{message}"
    );
}

#[test]
fn too_many_registers_are_refused_by_llvms_words() {
    let outputs: Vec<String> = (0..16).map(|index| format!("\"=&r\"(v[{index}])")).collect();
    let text = format!("void f(int *v) {{ __asm__(\"nop\" : {}); }}\n", outputs.join(", "));
    let message = complaint("registers", &text, &[]);
    assert!(
        message.contains("inline assembly requires more registers than available"),
        "{message}"
    );
}
