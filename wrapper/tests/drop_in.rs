//! `frazil-cc` and `frazil-c++` as build systems start them.

use frazil_test_support::machines;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const MAIN: &str =
    "#include \"part.h\"\n#include <stdio.h>\nint main(void) { printf(\"%d\\n\", part(20)); return 0; }\n";
const PART: &str = "#include \"part.h\"\nint part(int x) { return 2 * x + SHIFT; }\n";
const HEADER: &str = "int part(int);\n#ifndef SHIFT\n#define SHIFT 2\n#endif\n";
/// Needs the C++ library, and is no C.
const PLUS_PLUS: &str =
    "#include <iostream>\nextern \"C\" {\n#include \"part.h\"\n}\nint main() { std::cout << part(3) << '\\n'; }\n";
/// Frazil does not compile functions that save all registers.
const REFUSED: &str = "__attribute__((no_caller_saved_registers)) int wide(int x) { return x * 3; }\n";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("writable");
    for (name, text) in [
        ("main.c", MAIN),
        ("part.c", PART),
        ("part.h", HEADER),
        ("refused.c", REFUSED),
        ("plus.cc", PLUS_PLUS),
    ] {
        fs::write(folder.join(name), text).expect("writable");
    }
    folder
}

fn cc(folder: &Path, words: &str) -> Output {
    start(Path::new(env!("CARGO_BIN_EXE_frazil-cc")), folder, words)
}

fn start(program: &Path, folder: &Path, words: &str) -> Output {
    let mut command = Command::new(program);
    command.args(words.split(' ')).current_dir(folder);
    command.env_remove("FRAZIL_CC_FALLBACK").output().expect("it starts")
}

/// `frazil-cc` by its other name.
fn plus_plus(folder: &Path) -> PathBuf {
    let plus_plus = folder.join("frazil-c++");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_frazil-cc"), &plus_plus).expect("writable");
    plus_plus
}

/// Runs it; it must work without a word.
fn works(folder: &Path, words: &str) {
    check(&cc(folder, words), words);
}

fn check(output: &Output, words: &str) {
    assert!(
        output.status.success(),
        "{words}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words}");
}

fn prints(program: &Path) -> String {
    let output = Command::new(program).output().expect("it runs");
    String::from_utf8(output.stdout).expect("text")
}

/// Whether Frazil has made an object: clang adds a section that says which addresses matter.
fn is_frazils(object: &Path) -> bool {
    let bytes = fs::read(object).expect("the object is there");
    let clangs = b".llvm_addrsig";
    bytes.starts_with(b"\x7fELF") && !bytes.windows(clangs.len()).any(|window| window == clangs)
}

#[test]
fn objects_are_compiled_one_by_one_and_linked() {
    let folder = folder("objects");
    works(&folder, "-O2 -c main.c");
    works(&folder, "-O0 -ffunction-sections -c part.c -o sub.o -DSHIFT=7");
    assert!(is_frazils(&folder.join("main.o")) && is_frazils(&folder.join("sub.o")));
    works(&folder, "main.o sub.o -o program");
    assert_eq!(prints(&folder.join("program")), "47\n");
}

#[test]
fn sources_are_compiled_and_linked_at_once() {
    let folder = folder("at-once");
    works(&folder, "-O2 -Wall -x c main.c part.c -o program -lm");
    assert_eq!(prints(&folder.join("program")), "42\n");
    assert!(!folder.join("main.o").exists(), "objects go away");
}

#[test]
fn hooks_in_objects_are_linked_as_they_are() {
    let folder = folder("hook-objects");
    let hooks = "#include <stdio.h>\nstatic int calls;\nvoid on_call(void) { calls++; }\n\
                 __attribute__((destructor)) static void report(void) { printf(\"%d calls\\n\", calls); }\n";
    let tool = "hooks = \"hooks.o\"\n[prototypes]\non_call = []\n[[insert]]\nat = \"call\"\ncallees = \"^part$\"\n\
                call = \"on_call\"\n";
    fs::write(folder.join("hooks.c"), hooks).expect("writable");
    fs::write(folder.join("tool.toml"), tool).expect("writable");
    check(
        &start(Path::new("cc"), &folder, "-O2 -c hooks.c -o hooks.o"),
        "the hooks",
    );
    works(&folder, "-O2 --instrument=tool.toml main.c part.c -o program");
    assert_eq!(prints(&folder.join("program")), "42\n1 calls\n");
}

#[test]
fn by_its_other_name_it_compiles_and_links_cpp() {
    let folder = folder("plus-plus");
    let plus_plus = plus_plus(&folder);
    works(&folder, "-c part.c -o part.o");
    works(&folder, "-c plus.cc -o plus.o");
    assert!(is_frazils(&folder.join("plus.o")));
    check(&start(&plus_plus, &folder, "plus.o part.o -o linked"), "linking");
    assert_eq!(prints(&folder.join("linked")), "8\n");
    check(&start(&plus_plus, &folder, "-O1 plus.cc part.o -o at-once"), "both");
    assert_eq!(prints(&folder.join("at-once")), "8\n");
    // The name decides what a file of C is taken for.
    fs::write(folder.join("mangled.c"), "int mangled(int x) { return x; }\n").expect("writable");
    check(&start(&plus_plus, &folder, "-S -w -Wno-deprecated mangled.c"), "-S");
    let text = fs::read_to_string(folder.join("mangled.s")).expect("written");
    assert!(text.contains("_Z7mangledi:"), "{text}");
}

#[test]
fn other_kinds_of_output_are_what_they_are_from_clang() {
    let folder = folder("kinds");
    works(&folder, "-O1 -S part.c");
    let text = fs::read_to_string(folder.join("part.s")).expect("written");
    assert!(text.contains("part:") && !text.contains(".addrsig"), "{text}");
    let output = cc(&folder, "-E part.c");
    assert!(String::from_utf8_lossy(&output.stdout).contains("return 2 * x + 2"));
    let output = cc(&folder, "--version");
    assert!(String::from_utf8_lossy(&output.stdout).contains("clang version"));
    works(&folder, "-c part.c -emit-llvm -o part.bc");
    assert!(fs::read(folder.join("part.bc")).expect("written").starts_with(b"BC"));
    fs::write(folder.join("words"), "-c part.c -o from-file.o").expect("writable");
    works(&folder, "@words");
    assert!(is_frazils(&folder.join("from-file.o")));
}

#[test]
fn programs_for_another_machine_are_compiled_and_linked() {
    let folder = folder("cross");
    let machine = &machines::AARCH64;
    let target = format!("--target={}", machine.triple);
    works(&folder, &format!("{target} -O2 -c main.c"));
    let object = fs::read(folder.join("main.o")).expect("the object is there");
    // The number of the machine is at byte 18 (ELF specification, `e_machine`).
    assert_eq!(object[18..20], 183u16.to_le_bytes());
    assert!(is_frazils(&folder.join("main.o")));
    works(&folder, &format!("{target} -c part.c"));
    works(&folder, &format!("{target} main.o part.o -o program"));
    let plus_plus = plus_plus(&folder);
    check(
        &start(&plus_plus, &folder, &format!("{target} plus.cc part.o -o plus")),
        "C++",
    );
    for (program, printed) in [("program", "42\n"), ("plus", "8\n")] {
        let output = machine
            .run(&folder.join(program))
            .output()
            .expect("the emulator starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout), printed, "{program}");
    }
}

#[test]
fn dependencies_name_the_object_and_not_the_bitcode() {
    let folder = folder("dependencies");
    works(&folder, "-MMD -c part.c -o out.o");
    let text = fs::read_to_string(folder.join("out.d")).expect("written");
    assert!(text.starts_with("out.o: part.c part.h"), "{text}");
    works(&folder, "-MD -MF other.d -MT name -c part.c -o out.o");
    let text = fs::read_to_string(folder.join("other.d")).expect("written");
    assert!(text.starts_with("name: part.c"), "{text}");
}

#[test]
fn errors_of_both_end_the_build() {
    let folder = folder("errors");
    fs::write(folder.join("wrong.c"), "int f( {\n").expect("writable");
    let output = cc(&folder, "-c wrong.c");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("wrong.c:1:8: error: "));
    let output = cc(&folder, "-c refused.c");
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.starts_with("frazil: error: refused.c: function @wide: not supported: "),
        "{message}"
    );
    assert!(!folder.join("refused.o").exists());
}

#[test]
fn options_for_the_code_that_bitcode_does_not_carry_are_refused() {
    let folder = folder("for-code");
    for option in [
        "-femulated-tls",
        "-fno-use-init-array",
        "-fno-zero-initialized-in-bss",
        "-fstack-size-section",
    ] {
        let output = cc(&folder, &format!("{option} -c part.c"));
        assert!(!output.status.success(), "{option}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            message.contains(&format!("not supported: the option {option}")),
            "{message}"
        );
        assert!(!folder.join("part.o").exists(), "{option}");
    }
    works(&folder, "-femulated-tls -fno-emulated-tls -c part.c");
    assert!(is_frazils(&folder.join("part.o")));
    let output = cc(&folder, "--fallback -femulated-tls -c part.c");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!is_frazils(&folder.join("part.o")));
}

#[test]
fn with_the_fallback_clang_compiles_what_frazil_refuses_and_it_is_said() {
    let folder = folder("fallback");
    let output = cc(&folder, "--fallback -c refused.c part.c");
    assert!(output.status.success());
    let message = String::from_utf8_lossy(&output.stderr);
    let start =
        "frazil-cc: warning: refused.c: compiled by clang, because Frazil says: function @wide: not supported: ";
    assert!(message.starts_with(start) && message.lines().count() == 1, "{message}");
    assert!(!is_frazils(&folder.join("refused.o")) && is_frazils(&folder.join("part.o")));
}
