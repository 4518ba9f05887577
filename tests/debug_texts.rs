//! Assembly text: assemblers make the line table of the object from it, and its other sections name the same files.

use crate::checking_frazil;
use crate::debug_information::{PROGRAMS, bitcode, source};
use frazil_test_support::line_tables::{self, Rows};
use frazil_test_support::{Folder, run};
use std::path::Path;
use std::process::Command;

/// What `llvm-dwarfdump` shows of an object.
fn dump(object: &Path, part: &str) -> String {
    run(Command::new("llvm-dwarfdump-22").arg("--verify").arg(object));
    let output = run(Command::new("llvm-dwarfdump-22").arg(part).arg(object));
    String::from_utf8_lossy(&output).into_owned()
}

/// The rows of an object's line tables.
fn rows(object: &Path, kept: Rows) -> Vec<String> {
    line_tables::rows(&dump(object, "--debug-line"), kept)
}

/// The files that entries name.
fn files(object: &Path) -> Vec<String> {
    let text = dump(object, "--debug-info");
    let names = text.lines().filter(|line| line.contains("_file\t"));
    names.map(|line| line.trim().to_owned()).collect()
}

/// Compares the object of a recipe with what two assemblers make of its text.
fn check(bitcode: &Path, recipe: &str, folder: &Folder, title: &str) {
    let (object, text) = (folder.path("ours.o"), folder.path("ours.s"));
    run(checking_frazil(recipe).arg(bitcode).arg("-o").arg(&object));
    run(checking_frazil(recipe)
        .args(["--emit", "asm"])
        .arg(bitcode)
        .arg("-o")
        .arg(&text));
    let [gnu, llvm] = ["gnu.o", "llvm.o"].map(|name| folder.path(name));
    run(Command::new("as").arg(&text).arg("-o").arg(&gnu));
    run(Command::new("clang-22").arg("-c").arg(&text).arg("-o").arg(&llvm));
    assert!(!rows(&object, Rows::All).is_empty(), "{title}");
    for (assembled, kept) in [(&gnu, Rows::Named), (&llvm, Rows::Last)] {
        same_rows(&object, assembled, kept, title);
        assert_eq!(files(&object), files(assembled), "{title}");
    }
}

/// Both line tables have the same rows.
fn same_rows(object: &Path, assembled: &Path, kept: Rows, title: &str) {
    let [ours, theirs] = [object, assembled].map(|file| dump(file, "--debug-line"));
    let difference = line_tables::difference(&ours, &theirs, kept, 8);
    assert!(difference.is_none(), "{title}: {difference:#?}");
}

#[test]
fn assemblers_make_the_line_table_of_the_object() {
    let options: [&[&str]; 5] = [
        &["-g", "-O0"],
        &["-g", "-O2", "-ffunction-sections"],
        &["-g", "-gdwarf-4", "-O2"],
        &["-g", "-gdwarf-3", "-O0"],
        &["-gline-tables-only", "-O2"],
    ];
    for name in PROGRAMS {
        for words in options {
            let folder = Folder::new(name);
            let bitcode = bitcode(name, words, &folder);
            for recipe in ["Om1", "O2"] {
                check(&bitcode, recipe, &folder, &format!("{name} {words:?} {recipe}"));
            }
        }
    }
}

/// Code without debug information has no line of the function before it.
#[test]
fn functions_without_lines_have_none_in_the_text() {
    let folder = Folder::new("mixed-lines");
    let (first, second) = (folder.path("first.bc"), folder.path("second.bc"));
    let sources = [
        (&first, "int f(int x) { return x * 3; }", "-g"),
        (
            &second,
            "int g(int x) { return x * 5; } int h(int x) { return g(x) + 1; }",
            "-g0",
        ),
    ];
    for (output, text, option) in sources {
        let source = folder.write("part.c", text);
        run(Command::new("clang-22")
            .args(["-c", "-emit-llvm", "-O1", option])
            .arg(&source)
            .arg("-o")
            .arg(output));
    }
    let linked = folder.path("linked.bc");
    run(Command::new("llvm-link-22")
        .args([&first, &second])
        .arg("-o")
        .arg(&linked));
    let (text, object) = (folder.path("linked.s"), folder.path("linked.o"));
    run(checking_frazil("O2")
        .args(["--emit", "asm"])
        .arg(&linked)
        .arg("-o")
        .arg(&text));
    run(Command::new("clang-22").arg("-c").arg(&text).arg("-o").arg(&object));
    let rows = rows(&object, Rows::Last);
    let lines: Vec<&str> = rows.iter().filter_map(|row| line_tables::line(row)).collect();
    assert_eq!(lines.last(), Some(&"0"), "{lines:?}");
    assert!(lines.contains(&"1"), "{lines:?}");
}

/// Modules of several units have their line tables as data: text has room for one.
#[test]
fn several_units_keep_their_tables() {
    let folder = Folder::new("several-units");
    let mut parts = Vec::new();
    for name in ["optimised.c", "calls.c"] {
        let part = folder.path(&format!("{name}.bc"));
        let mut clang = Command::new("clang-22");
        clang.args(["-c", "-emit-llvm", "-g", "-O1", "-Dmain=main_of_the_part"]);
        run(clang.arg(source(name)).arg("-o").arg(&part));
        parts.push(part);
    }
    let linked = folder.path("linked.bc");
    // Both may define what the other has.
    run(Command::new("llvm-link-22")
        .arg("--internalize")
        .arg("--override")
        .arg(&parts[1])
        .arg(&parts[0])
        .arg("-o")
        .arg(&linked));
    let (text, object, assembled) = (folder.path("l.s"), folder.path("l.o"), folder.path("a.o"));
    run(checking_frazil("O2").arg(&linked).arg("-o").arg(&object));
    run(checking_frazil("O2")
        .args(["--emit", "asm"])
        .arg(&linked)
        .arg("-o")
        .arg(&text));
    run(Command::new("as").arg(&text).arg("-o").arg(&assembled));
    same_rows(&object, &assembled, Rows::All, "several units");
    assert_eq!(files(&object), files(&assembled));
}
