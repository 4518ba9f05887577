//! Whole programs with inline assembly: clang and rustc make bitcode of them, Frazil objects, and the linked program
//! must print what it prints when `llc` compiles the bitcode.
//!
//! Each is taken at -O0 and at -O2 and goes through every built-in recipe with the checker of register allocations.

mod operands;

use crate::{RECIPES, checking_frazil, frazil, in_repository};
use frazil_test_support::machines;
use frazil_test_support::{Folder, run};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn source(name: &str) -> PathBuf {
    in_repository("tests/asm_programs").join(name)
}

pub(crate) fn bitcode_of_c(name: &str, level: &str, bitcode: &Path) {
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
        run(Command::new("cc")
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
        let mut command = checking_frazil(recipe);
        run(command.args(words).arg(bitcode).arg("-o").arg(&object));
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

fn check_ll(name: &str) {
    let folder = Folder::new(name);
    let bitcode = folder.path("program.bc");
    let mut assembler = Command::new("llvm-as-22");
    run(assembler.arg(source(name)).arg("-o").arg(&bitcode));
    check(&folder, &bitcode, &[], &[]);
}

#[test]
fn common_texts_need_no_assembler() {
    check_c("encoded.c", &["--assembler", "/nonexistent/assembler"]);
}

/// Only compiled where the processor has no AVX-512.
#[test]
fn operands_are_in_wide_registers_and_masks() {
    check_c("wide.c", &[]);
}

#[test]
fn other_texts_go_to_an_assembler() {
    check_c("assembled.c", &[]);
    check_c("assembled.c", &["--assembler", "as"]);
    check_c("assembled.c", &["--assembler", "clang-22"]);
}

/// An assembler that keeps what it reads, and where it keeps that.
fn recorder(folder: &Folder) -> (PathBuf, PathBuf) {
    let kept = folder.path("kept.s");
    let text = format!(
        "#!/bin/sh\ncat > {0}.one\ncat {0}.one >> {0}\nexec llvm-mc-22 \"$@\" < {0}.one\n",
        kept.display()
    );
    (folder.script("llvm-mc-recorder", &text), kept)
}

#[test]
fn texts_are_spliced_into_code_of_our_own() {
    let folder = Folder::new("spliced");
    let (program, kept) = recorder(&folder);
    for level in ["-O0", "-O2"] {
        let bitcode = folder.path("spliced.bc");
        bitcode_of_c("spliced.c", level, &bitcode);
        check(&folder, &bitcode, &["--assembler", &program.to_string_lossy()], &[]);
        check(&folder, &bitcode, &["--assembler", "as"], &[]);
    }
    let kept = std::fs::read_to_string(kept).expect("the assembler was called");
    let calls = kept.matches("local_function:").count();
    assert_eq!(calls, 2 * RECIPES.len(), "one call for each module");
    assert!(!kept.contains("\nmain:"), "our own code needs no assembler");
}

#[test]
fn texts_whose_bytes_depend_on_places() {
    check_c("placed.c", &[]);
    check_c("placed.c", &["--assembler", "as"]);
}

/// Texts that mean something else, or nothing, without the rest of the module.
const INSEPARABLE: &[(&str, &str)] = &[
    (
        "another name for a function",
        "__attribute__((used)) static int real(int x) { return x + 1; }
         __asm__(\".set alias, real\"); int alias(int);
         int main(void) { return alias(5); }",
    ),
    (
        "what the module defines",
        "__attribute__((noinline)) int known(void) { return 1; }
         int main(void) { int v; __asm__(\".ifdef known\\n mov $3, %0\\n.else\\n mov $4, %0\\n.endif\" : \"=r\"(v));
           return v + known(); }",
    ),
    (
        "a distance from our own code",
        "__attribute__((noinline, used)) static int before(int x) { return x; }
         int main(void) { int v; __asm__(\"1: mov $(1b - before), %0\" : \"=r\"(v)); return v > 0 && before(v); }",
    ),
    (
        "a section that is left open",
        "int main(void) { int v = 2; __asm__ volatile(\".section .text.other, \\\"ax\\\"\\n.text\\n incl %0\" : \"+r\"(v));
           return v; }",
    ),
    (
        "a binding",
        "int absent(void); __asm__(\".weak absent\");
         int main(void) { return absent ? absent() : 6; }",
    ),
    (
        "frame descriptions of our own functions",
        "int main(void) { int v; __asm__(\"push %%rax\\n.cfi_adjust_cfa_offset 8\\n pop %%rax\\n\"
           \".cfi_adjust_cfa_offset -8\\n mov $9, %0\" : \"=r\"(v)); return v; }",
    ),
    (
        "a subsection",
        "int main(void) { int v = 2; __asm__(\"jmp 1f\\n.subsection 1\\n1: incl %0\\n jmp 2f\\n.previous\\n2:\" : \"+r\"(v));
           return v; }",
    ),
    (
        "macros",
        "__asm__(\".macro twice r\\n add \\\\r, \\\\r\\n.endm\");
         int main(void) { int v = 4; __asm__(\"twice %0\" : \"+r\"(v)); return v; }",
    ),
];

#[test]
fn inseparable_texts_leave_the_whole_module_to_the_assembler() {
    let folder = Folder::new("inseparable");
    let (program, kept) = recorder(&folder);
    for (what, text) in INSEPARABLE {
        let (input, bitcode) = (folder.path("in.c"), folder.path("in.bc"));
        std::fs::write(&input, text).expect("writable");
        run(Command::new("clang-22")
            .args(["-c", "-emit-llvm", "-O1"])
            .arg(&input)
            .arg("-o")
            .arg(&bitcode));
        let _ = std::fs::remove_file(&kept);
        check(&folder, &bitcode, &["--assembler", &program.to_string_lossy()], &[]);
        let kept = std::fs::read_to_string(&kept).expect("the assembler was called");
        assert_eq!(kept.matches("\nmain:").count(), RECIPES.len(), "{what}");
    }
}

#[test]
fn a_section_that_follows_its_functions_group_is_not_parted_from_it() {
    let folder = Folder::new("group");
    let (program, kept) = recorder(&folder);
    let (input, bitcode) = (folder.path("in.cpp"), folder.path("in.bc"));
    let text = "extern \"C\" const long __start_notes[], __stop_notes[];
        inline __attribute__((noinline)) int f() {
          asm volatile(\"1: nop\\n.pushsection notes,\\\"aw?\\\"\\n.quad 1b\\n.popsection\"); return 3; }
        int main() { return f() + int(__stop_notes - __start_notes); }";
    std::fs::write(&input, text).expect("writable");
    let mut clang = Command::new("clang-22");
    run(clang.args(["-c", "-emit-llvm"]).arg(&input).arg("-o").arg(&bitcode));
    check(&folder, &bitcode, &["--assembler", &program.to_string_lossy()], &[]);
    let kept = std::fs::read_to_string(&kept).expect("the assembler was called");
    assert_eq!(kept.matches("\nmain:").count(), RECIPES.len());
}

#[test]
fn invoked_texts_that_do_not_unwind() {
    check_ll("invoke.ll");
}

#[test]
fn operands_on_the_x87_stack() {
    check_c("x87.c", &[]);
    check_c("x87.c", &["--assembler", "as"]);
    check_ll("x87.ll");
}

#[test]
fn texts_that_unwind() {
    check_ll("unwind.ll");
}

#[test]
fn texts_that_unwind_beside_landing_pads() {
    let folder = Folder::new("beside");
    let (bitcode, object) = (folder.path("program.bc"), folder.path("program.o"));
    let mut assembler = Command::new("llvm-as-22");
    run(assembler.arg(source("beside-pads.ll")).arg("-o").arg(&bitcode));
    for recipe in RECIPES {
        run(checking_frazil(recipe).arg(&bitcode).arg("-o").arg(&object));
        let program = folder.path("program");
        run(Command::new("cc").arg(&object).arg("-lstdc++").arg("-o").arg(&program));
        let status = Command::new(&program).status().expect("the program starts");
        assert_eq!(status.code(), Some(10), "{recipe}");
    }
}

#[test]
fn intrinsics_that_are_texts() {
    check_c("processor.c", &[]);
    let folder = Folder::new("numbers");
    let bitcode = folder.path("numbers.bc");
    let mut assembler = Command::new("llvm-as-22");
    run(assembler.arg(source("numbers.ll")).arg("-o").arg(&bitcode));
    check(&folder, &bitcode, &[], &[PathBuf::from("-lm")]);
}

#[test]
fn a_collector_finds_what_registers_hold() {
    check_c("collector.c", &[]);
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
    let (input, bitcode) = (folder.write("in.c", text), folder.path("in.bc"));
    let mut clang = Command::new("clang-22");
    run(clang.args(["-c", "-emit-llvm"]).arg(&input).arg("-o").arg(&bitcode));
    let mut command = frazil();
    command.args(words).arg(&bitcode).arg("-o").arg(folder.path("out.o"));
    let output = command.output().expect("the command starts");
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

/// A function may be for a processor that has more instructions than those which assemblers accept by themselves.
#[test]
fn instructions_that_the_least_processor_lacks() {
    let folder = Folder::new("lacking");
    let module = folder.write(
        "crc.ll",
        "target triple = \"aarch64-unknown-linux-gnu\"\n\
         define i32 @f(i32 %a, i32 %b) #0 {\n  \
           %r = call i32 asm \"crc32w ${0:w}, ${1:w}, ${2:w}\", \"=r,r,r\"(i32 %a, i32 %b)\n  ret i32 %r\n}\n\
         attributes #0 = { \"target-features\"=\"+crc\" }\n",
    );
    let object = folder.path("crc.o");
    for recipe in RECIPES {
        run(checking_frazil(recipe).arg(&module).arg("-o").arg(&object));
    }
    let mut dump = Command::new("llvm-objdump-22");
    let output = run(dump.args(["-d", "--mattr=+crc"]).arg(&object));
    assert!(String::from_utf8_lossy(&output).contains("crc32w"));
}

/// Position-independent and not: in the first case, memory with a symbol takes a register.
#[test]
fn texts_in_32_bit_code() {
    let machine = &machines::X86_32;
    let folder = Folder::new("in-32-bits");
    let target = format!("--target={}", machine.triple);
    let link = |object: &Path| {
        let program = folder.path("program");
        run(Command::new(machine.compiler)
            .args(["-no-pie", "-w"])
            .arg(object)
            .arg("-o")
            .arg(&program));
        let output = machine.run(&program).output().expect("the program starts");
        format!("{}{}", String::from_utf8_lossy(&output.stdout), output.status)
    };
    for level in ["-O0", "-O2"] {
        let (bitcode, object) = (folder.path("program.bc"), folder.path("program.o"));
        let mut clang = Command::new("clang-22");
        clang.args(["-c", "-emit-llvm", "-msse2", "-w", level, &target]);
        run(clang.arg(source("in_32_bits.c")).arg("-o").arg(&bitcode));
        let mut llc = Command::new("llc-22");
        llc.args(["-O0", "-filetype=obj", "-relocation-model=pic"]);
        run(llc.arg(&bitcode).arg("-o").arg(&object));
        let expected = link(&object);
        assert!(expected.contains("of several words"), "{expected}");
        for recipe in RECIPES {
            for model in ["pic", "static"] {
                let mut command = checking_frazil(recipe);
                command.arg(format!("--relocation-model={model}"));
                run(command.arg(&bitcode).arg("-o").arg(&object));
                assert_eq!(link(&object), expected, "{recipe} {level} {model}");
            }
        }
    }
}
