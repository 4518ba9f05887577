//! Modules that LLVM 4 to 11 wrote: programs that must print what they print when clang 22 compiles the same file.

use crate::{RECIPES, checking_frazil, in_repository};
use frazil_test_support::{Folder, run};
use std::path::Path;
use std::process::Command;

const VERSIONS: std::ops::RangeInclusive<u32> = 4..=11;

/// What the program of an object or a module prints.
fn output(folder: &Folder, input: &Path) -> String {
    let program = folder.path("program");
    let mut clang = Command::new("clang-22");
    run(clang
        .args(["-Wno-override-module", "-no-pie"])
        .arg(input)
        .arg("-o")
        .arg(&program));
    String::from_utf8_lossy(&run(&mut Command::new(program))).into_owned()
}

#[test]
fn modules_of_old_versions_do_what_they_did() {
    let folder = Folder::new("old-modules");
    for version in VERSIONS {
        let module = in_repository(format!("tests/modules/old/llvm-{version}.bc"));
        let expected = output(&folder, &module);
        assert_eq!(expected.lines().count(), 12, "LLVM {version}");
        for recipe in RECIPES {
            let object = folder.path("program.o");
            run(checking_frazil(recipe).arg(&module).arg("-o").arg(&object));
            assert_eq!(output(&folder, &object), expected, "LLVM {version}, {recipe}");
        }
    }
}
