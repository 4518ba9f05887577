//! Modules of several units with debug information: what units share is there once, and debuggers find it from each.

use super::{frazil, in_repository};
use frazil_test_support::{Folder, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The two units as one module.
fn linked(folder: &Folder, words: &[&str]) -> PathBuf {
    let parts = ["first", "second"].map(|name| {
        let bitcode = folder.path(&format!("{name}.bc"));
        run(Command::new("clang++-22")
            .args(["-O0", "-g", "-c", "-emit-llvm", "-o"])
            .arg(&bitcode)
            .args(words)
            .arg(in_repository(format!("tests/debug_units/{name}.cpp"))));
        bitcode
    });
    let module = folder.path("module.bc");
    run(Command::new("llvm-link-22").arg("-o").arg(&module).args(parts));
    module
}

/// What a tool prints; it must give no warning.
fn printed(command: &mut Command) -> String {
    let output = command.output().expect("the tool is installed");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{complaints}");
    assert!(!complaints.contains("arning"), "{command:?}\n{complaints}");
    String::from_utf8(output.stdout).expect("text")
}

/// What `llvm-dwarfdump` shows of an object.
fn dump(object: &Path, section: &str) -> String {
    run(Command::new("llvm-dwarfdump-22")
        .args(["--quiet", "--verify"])
        .arg(object));
    printed(Command::new("llvm-dwarfdump-22").arg(section).arg(object))
}

/// What gdb says of a program, but for process numbers and addresses.
fn session(object: &Path, folder: &Folder) -> String {
    let program = folder.path("program");
    run(Command::new("clang++-22")
        .arg("-no-pie")
        .arg(object)
        .arg("-o")
        .arg(&program));
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-x"])
        .arg(in_repository("tests/debug_units/units.gdb"))
        .arg(&program);
    let text = printed(&mut gdb);
    let is_place = |line: &&str| line.contains("0x") || line.contains("thread") || line.contains("process");
    text.lines()
        .filter(|line| !is_place(line))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn units_share_types_and_declarations() {
    for version in ["-gdwarf-5", "-gdwarf-4", "-gdwarf-2"] {
        let folder = Folder::new("debug-units");
        let module = linked(&folder, &[version]);
        let [own, reference] = ["own.o", "reference.o"].map(|name| folder.path(name));
        run(frazil().arg(&module).arg("-o").arg(&own));
        run(Command::new("llc-22")
            .args(["-O0", "-filetype=obj"])
            .arg(&module)
            .arg("-o")
            .arg(&reference));
        let entries = dump(&own, "--debug-info");
        assert_eq!(entries.matches("DW_TAG_compile_unit").count(), 2);
        assert_eq!(entries.matches("DW_TAG_structure_type").count(), 2, "{entries}");
        // Two of the program, and that of indices.
        assert_eq!(entries.matches("DW_TAG_base_type").count(), 3, "{entries}");
        assert_eq!(session(&own, &folder), session(&reference, &folder), "{version}");
    }
}
