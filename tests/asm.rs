//! Assembly text and object of a module are the same: GNU `as` makes the same sections, relocations and symbols of
//! the text.

use crate::{SAMPLE, in_repository};
use frazil::passes::Overrides;
use frazil::{Driver, Emit, Options, RelocationModel};
use frazil_test_support::objects::{Strictness, differences, facts};
use frazil_test_support::{Folder, run};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// How many differences are shown.
const SHOWN: usize = 5;

fn check(input: &Path, options: &Options) {
    let bitcode = std::fs::read(input).expect("the sample can be read");
    let with = |emit| {
        frazil::compile(
            &bitcode,
            &Options {
                emit,
                ..options.clone()
            },
        )
        .expect("it compiles")
    };
    let folder = Folder::new("asm");
    let (text, assembled) = (folder.write("in.s", with(Emit::Asm)), folder.path("out.o"));
    run(Command::new("as").arg(&text).arg("-o").arg(&assembled));
    let theirs = std::fs::read(&assembled).expect("readable");
    let (ours, theirs) = (
        facts(&with(Emit::Obj), Strictness::Bytes),
        facts(&theirs, Strictness::Bytes),
    );
    let found = differences(&ours.expect("ELF"), &theirs.expect("ELF"), SHOWN);
    assert!(
        found.is_empty(),
        "{}: object | text:\n{}",
        input.display(),
        found.join("\n")
    );
}

#[test]
fn the_text_of_the_sample_assembles_to_its_object() {
    check(Path::new(SAMPLE), &Options::default());
}

#[test]
fn all_kinds_of_symbols_assemble_to_the_same() {
    let options = Options {
        relocation_model: Some(RelocationModel::Pic),
        ..Options::default()
    };
    check(&in_repository("tests/modules/objects.bc"), &options);
}

#[test]
fn exception_tables_assemble_to_the_same() {
    check(&in_repository("tests/exceptions/shapes-O0.bc"), &Options::default());
}

#[test]
fn sections_and_static_code_assemble_to_the_same_too() {
    let options = Options {
        relocation_model: Some(RelocationModel::Static),
        function_sections: true,
        data_sections: true,
        ..Options::default()
    };
    check(&in_repository("tests/modules/objects.bc"), &options);
}

/// Compiles C, and checks its object by two recipes and two assemblers.
fn check_c(name: &str, text: &str) {
    let folder = Folder::new("asm-c");
    for level in ["-O0", "-O1"] {
        let (source, bitcode) = (folder.write(name, text), folder.path("out.bc"));
        let mut clang = Command::new("clang-22");
        clang.args([level, "-fPIC", "-emit-llvm", "-c"]);
        run(clang.arg(&source).arg("-o").arg(&bitcode));
        for recipe in ["Om1", "O2"] {
            let recipe = Driver::builtin().recipes().recipe(recipe, &Overrides::default());
            let recipe = recipe.expect("a built-in one");
            let options = Options {
                recipe: Arc::new(recipe),
                assembler: Some("as".into()),
                ..Options::default()
            };
            check(&bitcode, &options);
        }
    }
}

#[test]
fn texts_that_align_or_branch_assemble_to_the_same() {
    let text = "int g(int);
        int f(int n) { int s = 0; for (int i = 0; i < n; i++) { __asm__(\".p2align 5\"); s += g(i); } return s; }
        int h(int x) { __asm__ goto(\"testl %0,%0; jz %l1\" :: \"r\"(x) :: yes); return 1; yes: return 2; }";
    check_c("texts.c", text);
}

#[test]
fn jumps_to_hidden_functions_assemble_to_the_same() {
    let text = "__attribute__((visibility(\"hidden\"), noinline)) int g(int x) { return x * 3; }
        __attribute__((visibility(\"protected\"), noinline)) int h(int x) { return x * 5; }
        int f(int n) { return n > 4 ? g(n + 1) : h(n); }";
    check_c("tail.c", text);
}

#[test]
fn sections_with_flags_of_their_names_assemble_to_the_same() {
    let text = "__attribute__((section(\".rodata\"))) int x = 5;
        __attribute__((section(\".text\"))) const int y = 7;
        __attribute__((section(\".data\"))) const int w = 8;
        __attribute__((section(\".init.other\"))) const int u = 9;
        const int z = 3;
        int f(void) { x = 6; return x + y + w + u + z + *(volatile int *)&z; }";
    check_c("sections.c", text);
}
