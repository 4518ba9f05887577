//! Debug information in two files: the same for debuggers as in one, and little of it for linkers.

use super::{dump, linked, printed, program_of, sections};
use crate::{frazil, in_repository};
use frazil_test_support::{Folder, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Commands for gdb that show variables, types and inlined frames of each program. Arrays of variable length are not
/// among them: in another file, gdb 13 does not find their bounds, of llc either.
const SESSIONS: [(&str, &str, &str); 3] = [
    (
        "tests/debug_information/blocks.c",
        "tests/debug_information/blocks.gdb",
        "-O0",
    ),
    (
        "tests/debug_information/labels.c",
        "tests/debug_information/labels.gdb",
        "-O0",
    ),
    ("tests/debug_units/types.cpp", "tests/debug_units/types.gdb", "-O0"),
];

/// The module of a source file with DWARF 5, compiled in the folder.
fn module_of(source: &str, level: &str, folder: &Folder) -> PathBuf {
    module_of_version(source, level, "-gdwarf-5", folder)
}

fn module_of_version(source: &str, level: &str, version: &str, folder: &Folder) -> PathBuf {
    let bitcode = folder.path("module.bc");
    let compiler = if source.ends_with(".c") {
        "clang-22"
    } else {
        "clang++-22"
    };
    run(Command::new(compiler)
        .args([level, "-g", version, "-fdebug-macro", "-c", "-emit-llvm", "-o"])
        .arg(&bitcode)
        .arg(format!("-fdebug-compilation-dir={}", folder.path("").display()))
        .arg(in_repository(source)));
    bitcode
}

/// The two files of a module.
fn split(module: &Path, words: &[&str], folder: &Folder) -> [PathBuf; 2] {
    let [object, other] = ["split.o", "split.dwo"].map(|name| folder.path(name));
    run(frazil()
        .args(words)
        .args(["--split-dwarf-file=split.dwo", "--split-dwarf-output"])
        .arg(&other)
        .arg("-o")
        .arg(&object)
        .arg(module));
    [object, other]
}

/// What gdb says of a program but for addresses and processes.
fn session(object: &Path, commands: &str, folder: &Folder) -> String {
    let program = program_of(object, folder);
    session_of_program(&program, commands)
}

fn session_of_program(program: &Path, commands: &str) -> String {
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-x"])
        .arg(in_repository(commands))
        .arg(program);
    let output = gdb.output().expect("gdb starts");
    let is_place = |line: &&str| ["0x", "thread", "process"].iter().any(|word| line.contains(word));
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().filter(|line| !is_place(line)).collect();
    lines.join("\n")
}

/// The bytes of code and data of an object.
fn program_bytes(object: &Path) -> String {
    let words = ["-s", "-j", ".text", "-j", ".data", "-j", ".rodata", "-j", ".eh_frame"];
    let text = printed(Command::new("objdump").args(words).arg(object));
    text.split_once("file format")
        .map_or(String::new(), |(_, rest)| rest.to_owned())
}

#[test]
fn debuggers_see_the_same_in_two_files_as_in_one() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        SESSIONS.iter().for_each(|session| see_the_same(version, session));
    }
}

fn see_the_same(version: &str, &(source, commands, level): &(&str, &str, &str)) {
    let folder = Folder::new("split");
    let module = module_of_version(source, level, version, &folder);
    let recipe = "--recipe=Om1";
    let whole = folder.path("whole.o");
    run(frazil().arg(recipe).arg("-o").arg(&whole).arg(&module));
    let expected = session(&whole, commands, &folder);
    let [object, other] = split(&module, &[recipe], &folder);
    assert_eq!(program_bytes(&object), program_bytes(&whole), "{source} {recipe}");
    for half in [&object, &other] {
        dump(half, "--debug-info");
    }
    let seen = session(&object, commands, &folder);
    assert!(
        seen.contains("$1 = ") || seen.contains("Breakpoint"),
        "{source} {recipe}: {seen}"
    );
    assert_eq!(seen, expected, "{source} {recipe}");
    // Not in a session: gdb 13 ends by a fault for a package of llc's files, too.
    let package = folder.path("packed.dwp");
    run(Command::new("llvm-dwp-22").arg(&other).arg("-o").arg(&package));
    let packed = dump(&package, "--debug-info");
    let unit = if version == "-gdwarf-5" {
        "unit_type = DW_UT_split_compile"
    } else {
        "DW_TAG_compile_unit"
    };
    assert_eq!(packed.matches(unit).count(), 1, "{packed}");
    fs::remove_file(&other).expect("it is there");
    // Without the file, nothing is known but lines.
    assert_ne!(
        session_of_program(&folder.path("program"), commands),
        expected,
        "{source} {recipe}"
    );
}

/// The places of variables in an object: for each range, how many bytes of code it has, and the place there.
fn places(object: &Path) -> Vec<(u64, String)> {
    let text = dump(object, "--debug-loclists") + &dump(object, "--debug-loc");
    let number = |text: &str| u64::from_str_radix(text.trim().trim_start_matches("0x"), 16).expect("a number");
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        let (has_length, range) = match line.strip_prefix("DW_LLE_startx_length") {
            Some(range) => (true, range),
            None => (false, line.strip_prefix("DW_LLE_offset_pair").unwrap_or(line)),
        };
        let range = range.trim();
        if !range.starts_with(['(', '[']) {
            continue;
        }
        let (range, place) = range.split_once("): ").expect("a range and a place");
        let (begin, end) = range[1..].split_once(", ").expect("two numbers");
        let length = if has_length {
            number(end)
        } else {
            number(end) - number(begin)
        };
        found.push((length, place.trim_end_matches(')').to_owned()));
    }
    found
}

#[test]
fn places_of_variables_are_the_same_in_two_files_as_in_one() {
    // Not in a session: gdb 13 finds none of them in another file, of llc either.
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        for source in ["optimised.c", "calls.c", "spilled.c"] {
            let folder = Folder::new("split-places");
            let source = format!("tests/debug_information/{source}");
            let module = module_of_version(&source, "-O2", version, &folder);
            let whole = folder.path("whole.o");
            run(frazil().arg("--recipe=O2").arg("-o").arg(&whole).arg(&module));
            let [object, other] = split(&module, &["--recipe=O2"], &folder);
            assert_eq!(program_bytes(&object), program_bytes(&whole), "{source}");
            dump(&object, "--debug-info");
            let [mut expected, mut found] = [places(&whole), places(&other)];
            assert!(expected.len() > 3, "{source}: {expected:?}");
            // Lists stand in another order where an object has those that its first entries name first.
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{source}");
        }
    }
}

#[test]
fn linkers_see_addresses_and_lines_alone() {
    let folder = Folder::new("split-sections");
    let module = module_of("tests/debug_information/optimised.c", "-O2", &folder);
    let [object, other] = split(&module, &["--recipe=O2"], &folder);
    let names = |file: &Path| {
        let mut names = sections(file, ".debug_");
        names.sort();
        names
    };
    assert_eq!(
        names(&object),
        [
            ".debug_abbrev",
            ".debug_addr",
            ".debug_info",
            ".debug_line",
            ".debug_line_str",
            ".debug_str",
            ".debug_str_offsets"
        ]
    );
    assert_eq!(
        names(&other),
        [
            ".debug_abbrev.dwo",
            ".debug_info.dwo",
            ".debug_loclists.dwo",
            ".debug_macro.dwo",
            ".debug_rnglists.dwo",
            ".debug_str.dwo",
            ".debug_str_offsets.dwo"
        ]
    );
    assert_eq!(sections(&other, ".rela"), [] as [&str; 0]);
    // The skeleton names the other file, and both have one number.
    let number = |file: &Path| {
        let text = dump(file, "--debug-info");
        let (_, rest) = text.split_once("DWO_id = ").expect("a number");
        rest[..18].to_owned()
    };
    assert_eq!(number(&object), number(&other));
    let twice = fs::read(&other).expect("it is there");
    let [_, other] = split(&module, &["--recipe=O2"], &folder);
    assert_eq!(fs::read(other).expect("it is there"), twice);
}

#[test]
fn one_object_or_text_has_all_sections_if_there_is_no_other_file() {
    let folder = Folder::new("split-single");
    let module = module_of("tests/debug_information/types.c", "-O0", &folder);
    let [_, other] = split(&module, &[], &folder);
    let expected = fs::read(&other).expect("it is there");
    let [single, text, assembled, extracted] =
        ["single.o", "single.s", "assembled.o", "extracted.dwo"].map(|name| folder.path(name));
    let name = "--split-dwarf-file=split.dwo";
    run(frazil().arg(name).arg("-o").arg(&single).arg(&module));
    run(frazil().args([name, "--emit=asm", "-o"]).arg(&text).arg(&module));
    run(Command::new("as").arg("-o").arg(&assembled).arg(&text));
    let contents = |file: &Path, section: &str| {
        let out = folder.path("contents");
        let flag = format!("--dump-section={section}={}", out.display());
        run(Command::new("llvm-objcopy-22")
            .arg(flag)
            .arg(file)
            .arg(folder.path("copy")));
        fs::read(out).expect("the contents")
    };
    for object in [&single, &assembled] {
        dump(object, "--debug-info");
        run(Command::new("llvm-objcopy-22")
            .arg("--extract-dwo")
            .arg(object)
            .arg(&extracted));
        for section in sections(&other, ".debug_") {
            assert_eq!(contents(&extracted, &section), contents(&other, &section), "{section}");
        }
        // Linkers leave them out.
        let program = program_of(object, &folder);
        let left = sections(&program, ".debug_");
        assert!(left.iter().all(|name| !name.ends_with(".dwo")), "{left:?}");
    }
    assert_eq!(
        fs::read(&other).expect("it is there"),
        expected,
        "nothing else has written it"
    );
}

#[test]
fn units_of_a_module_and_types_are_split_too() {
    let old = ["DW_TAG_compile_unit", "DW_TAG_type_unit"];
    split_units("-gdwarf-4", old);
    split_units(
        "-gdwarf-5",
        ["unit_type = DW_UT_split_compile", "unit_type = DW_UT_split_type"],
    );
}

fn split_units(version: &str, units: [&str; 2]) {
    let folder = Folder::new("split-units");
    let directory = format!("-fdebug-compilation-dir={}", folder.path("").display());
    let module = linked(&folder, &[version, &directory]);
    let commands = "tests/debug_units/units.gdb";
    let whole = folder.path("whole.o");
    run(frazil().arg("-o").arg(&whole).arg(&module));
    let expected = session(&whole, commands, &folder);
    for words in [&[] as &[&str], &["--debug-sections=type-units"]] {
        let [object, other] = split(&module, words, &folder);
        for half in [&object, &other] {
            dump(half, "--debug-info");
        }
        let text = dump(&other, "--debug-info") + &dump(&other, "--debug-types");
        assert_eq!(text.matches(units[0]).count(), 2, "{text}");
        assert_eq!(text.matches(units[1]).count(), 2 * words.len(), "{text}");
        assert_eq!(session(&object, commands, &folder), expected, "{words:?}");
    }
}

#[test]
fn the_index_of_names_is_in_the_object() {
    let folder = Folder::new("split-names");
    let directory = format!("-fdebug-compilation-dir={}", folder.path("").display());
    let module = linked(&folder, &["-gpubnames", "-gdwarf-5", &directory]);
    let whole = folder.path("whole.o");
    run(frazil().arg("-o").arg(&whole).arg(&module));
    let [object, _] = split(&module, &[], &folder);
    // The verifier finds the entries in the other file.
    dump(&object, "--debug-names");
    let names = [&whole, &object].map(|object| {
        super::indexed_names(&printed(
            Command::new("llvm-dwarfdump-22").arg("--debug-names").arg(object),
        ))
    });
    assert!(names[0].len() > 10, "{names:?}");
    assert_eq!(names[0], names[1]);
}
