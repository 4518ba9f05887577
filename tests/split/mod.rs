//! `frazil split`: parts are modules that LLVM accepts, and the program of their objects is that of the whole module.
//!
//! Programs that have everything that ties or hides symbols are made by clang here and divided into several numbers of
//! parts. What compiles the parts is Frazil, `llc`, and clang, which drops what nothing in a part uses.

use crate::{checking_frazil, frazil, in_repository};
use frazil_test_support::{Folder, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Divides a module; the parts, which LLVM's verifier has seen.
fn split(bitcode: &Path, parts: usize, prefix: &Path) -> Vec<PathBuf> {
    let mut command = frazil();
    command.arg("split").arg(bitcode).arg(format!("--parts={parts}"));
    run(command.arg("-o").arg(prefix));
    let name = |part| PathBuf::from(format!("{}{part}.bc", prefix.display()));
    assert!(!name(parts).exists(), "{}: more than {parts} parts", bitcode.display());
    let files: Vec<PathBuf> = (0..parts).map(name).collect();
    for file in &files {
        let mut opt = Command::new("opt-22");
        run(opt.args(["-passes=verify", "-disable-output"]).arg(file));
    }
    files
}

/// What the program of objects prints, and how it ends.
fn output(folder: &Folder, objects: &[PathBuf]) -> String {
    let program = folder.path("program");
    let mut link = Command::new("cc");
    link.args(["-Wl,--fatal-warnings", "-no-pie"]).args(objects);
    run(link.args(["-lstdc++", "-lm", "-o"]).arg(&program));
    let Output { status, stdout, .. } = Command::new(&program).output().expect("the program starts");
    format!("{}{status}", String::from_utf8_lossy(&stdout))
}

/// The object that Frazil makes by a recipe, or one of LLVM's programs.
fn compile(folder: &Folder, compiler: &str, bitcode: &Path) -> PathBuf {
    let name = bitcode.file_stem().expect("a file").to_string_lossy();
    let object = folder.path(&format!("{name}.o"));
    let mut command = match compiler {
        "llc-22" | "clang-22" => Command::new(compiler),
        recipe => checking_frazil(recipe),
    };
    match compiler {
        "llc-22" => command.arg("-filetype=obj"),
        "clang-22" => command.args(["-c", "-O2", "-Wno-override-module"]),
        _ => &mut command,
    };
    run(command.arg(bitcode).arg("-o").arg(&object));
    object
}

/// Compares programs of so many parts with that of the whole, for each of these compilers.
fn check(folder: &Folder, bitcode: &Path, numbers: &[usize], compilers: &[&str]) {
    for compiler in compilers {
        let expected = output(folder, &[compile(folder, compiler, bitcode)]);
        assert!(expected.lines().count() > 3, "{expected}");
        for &parts in numbers {
            let prefix = folder.path(&format!("part-of-{parts}-"));
            let files = split(bitcode, parts, &prefix);
            let objects: Vec<PathBuf> = files.iter().map(|file| compile(folder, compiler, file)).collect();
            let found = output(folder, &objects);
            assert_eq!(found, expected, "{} in {parts} by {compiler}", bitcode.display());
        }
    }
}

/// The module that clang makes of a source.
fn bitcode_of(folder: &Folder, source: &str, options: &[&str]) -> PathBuf {
    let bitcode = folder.path(&format!("{source}.bc"));
    let mut clang = Command::new("clang-22");
    clang.args(["-c", "-emit-llvm"]).args(options);
    clang.arg(in_repository("tests/split").join(source));
    run(clang.arg("-o").arg(&bitcode));
    bitcode
}

#[test]
fn programs_in_parts_do_what_they_do_as_a_whole() {
    let folder = Folder::new("split");
    for source in ["features.c", "classes.cpp"] {
        for (options, numbers, compilers) in [
            (&["-O0"][..], &[1, 5][..], ["Om1", "llc-22"]),
            (&["-O2", "-fPIC"], &[3, 40], ["O2", "clang-22"]),
            (&["-O1", "-g", "-fdata-sections"], &[4], ["O1", "llc-22"]),
        ] {
            let bitcode = bitcode_of(&folder, source, options);
            check(&folder, &bitcode, numbers, &compilers);
        }
    }
}

#[test]
fn every_kind_of_symbol_goes_where_it_may() {
    let folder = Folder::new("split-symbols");
    let bitcode = folder.path("symbols.bc");
    let mut assemble = Command::new("llvm-as-22");
    assemble.arg(in_repository("tests/split/symbols.ll"));
    run(assemble.arg("-o").arg(&bitcode));
    check(&folder, &bitcode, &[1, 2, 3, 12], &["Om1", "clang-22"]);
}

#[test]
fn modules_of_all_versions_are_divided() {
    let folder = Folder::new("split-versions");
    let mixed = ["O0", "O0-g", "O0-clang14", "O2-clang16", "O2-clang19", "O2"];
    let mixed = mixed.iter().map(|name| format!("tests/modules/mixed-{name}.bc"));
    let old = (4..=11).map(|version| format!("tests/modules/old/llvm-{version}.bc"));
    let classes = ["O0", "O2"]
        .iter()
        .map(|level| format!("tests/modules/classes-{level}.bc"));
    for module in mixed.chain(old).chain(classes) {
        check(&folder, &in_repository(module), &[3], &["Om1"]);
    }
    // Without a program.
    for module in ["objects", "rust-O0-g", "rust-O3"] {
        let module = in_repository(format!("tests/modules/{module}.bc"));
        for file in split(&module, 4, &folder.path("library")) {
            compile(&folder, "Om1", &file);
        }
    }
}

#[test]
fn parts_are_the_same_bytes_each_time_and_bodies_are_distributed() {
    let folder = Folder::new("split-bytes");
    let bitcode = in_repository("tests/modules/mixed-O0.bc");
    let contents = |prefix: &str| {
        let files = split(&bitcode, 4, &folder.path(prefix));
        files
            .iter()
            .map(|file| fs::read(file).expect("it was made"))
            .collect::<Vec<_>>()
    };
    let first = contents("first");
    assert_eq!(first, contents("second"));
    let (least, most) = (first.iter().map(Vec::len).min(), first.iter().map(Vec::len).max());
    assert!(most < least.map(|bytes| bytes * 2), "{least:?} to {most:?}");
    // Each function has its body once.
    let bodies = |bytes: &[u8]| {
        let file = folder.write("part.bc", bytes);
        let text = run(Command::new("llvm-dis-22").arg(file).args(["-o", "-"]));
        let text = String::from_utf8_lossy(&text).into_owned();
        text.lines().filter(|line| line.starts_with("define ")).count()
    };
    let whole = bodies(&fs::read(&bitcode).expect("readable"));
    assert_eq!(first.iter().map(|bytes| bodies(bytes)).sum::<usize>(), whole);
}

#[test]
fn names_default_to_the_inputs_and_nothing_is_left_of_a_failure() {
    let folder = Folder::new("split-names");
    let bytes = fs::read(in_repository("tests/modules/mixed-O0.bc")).expect("readable");
    let bitcode = folder.write("big.bc", &bytes);
    run(frazil().arg("split").arg(&bitcode).args(["-j", "2"]));
    assert_eq!(folder.names(), ["big.0.bc", "big.1.bc", "big.bc"]);
    // A folder where the last part should go.
    fs::create_dir(folder.path("part2.bc")).expect("writable");
    let mut command = frazil();
    command.arg("split").arg(&bitcode).args(["-j", "3", "-o"]);
    let status = command.arg(folder.path("part")).output().expect("it starts").status;
    assert_eq!(status.code(), Some(1));
    assert_eq!(folder.names(), ["big.0.bc", "big.1.bc", "big.bc", "part2.bc"]);
}

#[test]
fn damaged_modules_are_refused() {
    let module = fs::read(in_repository("tests/modules/mixed-O2.bc")).expect("readable");
    let mut random = frazil_test_support::Random::new(1);
    let mut refused = 0;
    for _ in 0..400 {
        let mut bytes = module.clone();
        for _ in 0..=random.below(3) {
            let place = random.below(bytes.len());
            bytes[place] ^= 1 << random.below(8);
        }
        let split = frazil::Split::new(&bytes, 3);
        let parts = split.and_then(|split| (0..3).map(|part| split.part(part)).collect::<Result<Vec<_>, _>>());
        refused += usize::from(parts.is_err());
    }
    assert!(refused > 50, "{refused} of 400");
}
