//! LLVM's instruction `va_arg`, which front ends of C do not use: functions in LLVM's text are called from C.

use super::{Build, Folder, RECIPES, run, source};
use std::process::Command;

#[test]
fn arguments_as_llvm_takes_them() {
    let folder = Folder::new("variable-arguments");
    Build {
        source: "variable-arguments.ll",
        compile: &["-Wno-override-module", "-DFOR_LLVM"],
        frazil: &[],
        link: &[],
        others: &["variable-arguments-main.c"],
    }
    .check(&folder);
}

/// Some types llc takes from wrong places, but C does not.
#[test]
fn arguments_as_c_takes_them() {
    let folder = Folder::new("variable-arguments-c");
    let (bitcode, object, program) = (folder.path("a.bc"), folder.path("a.o"), folder.path("a"));
    let text = source("variable-arguments.ll");
    run(Command::new("llvm-as-22").arg(text).arg("-o").arg(&bitcode));
    for recipe in RECIPES {
        let mut frazil = crate::frazil();
        frazil.args(["--check-regalloc", "--verify-each", "--recipe", recipe]);
        run(frazil.arg(&bitcode).arg("-o").arg(&object));
        let mut link = Command::new("cc");
        link.arg(source("variable-arguments-main.c")).arg(&object);
        run(link.arg("-o").arg(&program));
        let output = Command::new(&program).output().expect("the program starts");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("copied lllliqqe"),
            "{recipe}: {text}"
        );
    }
}

/// Either half of the program is compiled by clang.
#[test]
fn arguments_in_the_convention_of_windows() {
    let folder = Folder::new("windows");
    for (source, other) in [
        ("windows-callee.c", "windows-caller.c"),
        ("windows-caller.c", "windows-callee.c"),
    ] {
        for compile in [&["-w"][..], &["-w", "-mstackrealign", "-fPIC"]] {
            Build {
                source,
                compile,
                frazil: &[],
                link: &[],
                others: &[other],
            }
            .check(&folder);
        }
    }
}

/// What a list cannot follow, or callers do not pass where llc looks for it.
#[test]
fn other_arguments_are_refused() {
    let folder = Folder::new("variable-arguments-refused");
    let (text, bitcode) = (folder.path("a.ll"), folder.path("a.bc"));
    for (convention, ty, expected) in [
        ("", "i96", "va_arg of an integer of 96 bits"),
        ("", "i256", "va_arg of a structure or a wide integer"),
        ("", "{ i32, i32 }", "va_arg of a structure or a wide integer"),
        ("", "<4 x i32>", "va_arg of a vector of 4 of an integer of 32 bits"),
        (
            "win64cc",
            "i32",
            "va_arg of an integer of 32 bits in the convention Win64",
        ),
        ("win64cc", "float", "va_arg of float in the convention Win64"),
        ("win64cc", "x86_fp80", "va_arg of x86_fp80 in the convention Win64"),
    ] {
        let function = format!(
            "target triple = \"x86_64-pc-linux-gnu\"\ndefine {convention} void @f(ptr %list) {{\n  %next = va_arg ptr \
             %list, {ty}\n  ret void\n}}\n"
        );
        std::fs::write(&text, function).expect("it can be written");
        run(Command::new("llvm-as-22").arg(&text).arg("-o").arg(&bitcode));
        let mut frazil = crate::frazil();
        let output = frazil.arg(&bitcode).arg("-o").arg(folder.path("a.o")).output();
        let output = output.expect("the command starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains(expected), "{message}");
    }
}
