//! LLVM's instruction `va_arg`, which front ends of C do not use: functions in LLVM's text are called from C.

use super::{Build, CLANG, Folder, RECIPES, run, source};
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
        let mut frazil = Command::new(env!("CARGO_BIN_EXE_frazil"));
        frazil.args(["--check-regalloc", "--verify-each", "--recipe", recipe]);
        run(frazil.arg(&bitcode).arg("-o").arg(&object));
        let mut link = Command::new(CLANG);
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
