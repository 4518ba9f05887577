//! Types in units of their own: the same as LLVM puts there, found by debuggers, and kept once by linkers.

use super::{dump, linked, printed, program_of, sections, session, session_of};
use crate::{frazil, in_repository};
use frazil_test_support::{Folder, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The module of a source file.
fn module_of(source: &str, version: &str, folder: &Folder) -> PathBuf {
    let bitcode = folder.path(&format!("{source}.bc"));
    run(Command::new("clang++-22")
        .args(["-O0", "-g", version, "-c", "-emit-llvm", "-o"])
        .arg(&bitcode)
        .arg(in_repository(format!("tests/debug_units/{source}.cpp"))));
    bitcode
}

/// The object of a module with units of types.
fn own(module: &Path, folder: &Folder) -> PathBuf {
    let object = folder.path("own.o");
    run(frazil()
        .args(["--debug-sections=type-units", "-o"])
        .arg(&object)
        .arg(module));
    object
}

/// What llc makes of it.
fn reference(module: &Path, folder: &Folder) -> PathBuf {
    let object = folder.path("reference.o");
    run(Command::new("llc-22")
        .args(["-O0", "-filetype=obj", "--generate-type-units", "-o"])
        .arg(&object)
        .arg(module));
    object
}

/// The section that a version has units of types in.
fn section(version: &str) -> &'static str {
    match version {
        "-gdwarf-4" => "--debug-types",
        _ => "--debug-info",
    }
}

/// The types that are in units of their own, by signature and name.
fn types(object: &Path, section: &str) -> Vec<String> {
    let text = dump(object, section);
    let units = text.lines().filter_map(|line| line.split_once(", name = "));
    let mut found: Vec<String> = units
        .filter_map(|(_, rest)| rest.split_once(", type_offset"))
        .map(|(unit, _)| unit.to_owned())
        .collect();
    found.sort();
    found
}

#[test]
fn the_same_types_as_in_llvm_have_units() {
    for version in ["-gdwarf-5", "-gdwarf-4"] {
        let folder = Folder::new("type-units");
        let module = module_of("types", version, &folder);
        let (own, reference) = (own(&module, &folder), reference(&module, &folder));
        let found = types(&own, section(version));
        assert_eq!(found.len(), 6, "{version}: {found:?}");
        // Those that name something of this module are not among them.
        assert!(!found.iter().any(|name| name.contains("NamesHidden")), "{found:?}");
        let mut expected = types(&reference, section(version));
        // In version 4, LLVM has addresses in units of types.
        expected.retain(|name| !name.contains("Pointing"));
        assert_eq!(found, expected, "{version}");
        printed(Command::new("readelf").arg("--debug-dump=info").arg(&own));
        let script = "tests/debug_units/types.gdb";
        let seen = session_of(&own, script, &folder);
        assert!(seen.contains("$2 = {inner = 1}"), "{seen}");
        assert_eq!(seen, session_of(&reference, script, &folder), "{version}");
    }
}

#[test]
fn linkers_keep_one_unit_of_a_type() {
    for version in ["-gdwarf-5", "-gdwarf-4"] {
        let folder = Folder::new("type-units-linked");
        let objects = ["first", "second"].map(|name| {
            let object = folder.path(&format!("{name}.o"));
            std::fs::rename(own(&module_of(name, version, &folder), &folder), &object).expect("both are there");
            assert_eq!(types(&object, section(version)).len(), 2, "{name}");
            object
        });
        let program = folder.path("program");
        run(Command::new("clang++-22").args(objects).arg("-o").arg(&program));
        let text = printed(Command::new("llvm-dwarfdump-22").arg(section(version)).arg(&program));
        assert_eq!(text.matches("Type Unit: ").count(), 2, "{version}: {text}");
    }
}

#[test]
fn units_of_a_module_share_those_of_their_types() {
    for version in ["-gdwarf-5", "-gdwarf-4"] {
        let folder = Folder::new("type-units-shared");
        let module = linked(&folder, &[version]);
        let (own, reference) = (own(&module, &folder), reference(&module, &folder));
        let found = types(&own, section(version));
        assert_eq!(found.len(), 2, "{version}: {found:?}");
        assert_eq!(found, types(&reference, section(version)));
        assert_eq!(session(&own, &folder), session(&reference, &folder), "{version}");
    }
}

#[test]
fn assembly_text_has_the_same_units() {
    for version in ["-gdwarf-5", "-gdwarf-4"] {
        let folder = Folder::new("type-units-text");
        let module = module_of("types", version, &folder);
        let object = own(&module, &folder);
        let [text, assembled] = ["own.s", "assembled.o"].map(|name| folder.path(name));
        run(frazil()
            .args(["--debug-sections=type-units", "--emit=asm", "-o"])
            .arg(&text)
            .arg(&module));
        let shown = |object: &Path| {
            let text = printed(
                Command::new("llvm-dwarfdump-22")
                    .args(["--debug-info", "--debug-types"])
                    .arg(object),
            );
            // The first line names the file.
            text.split_once('\n').expect("there are more").1.to_owned()
        };
        run(Command::new("llvm-mc-22")
            .args(["-filetype=obj", "-triple=x86_64-linux-gnu", "-o"])
            .arg(&assembled)
            .arg(&text));
        assert_eq!(shown(&assembled), shown(&object), "{version}");
        run(Command::new("as").arg("-o").arg(&assembled).arg(&text));
        assert_eq!(shown(&assembled), shown(&object), "{version}");
    }
}

#[test]
fn the_index_of_names_says_which_unit_of_a_type_a_name_is_in() {
    let folder = Folder::new("type-units-names");
    let module = linked(&folder, &["-gpubnames", "-gdwarf-5"]);
    let objects = [own(&module, &folder), reference(&module, &folder)];
    let names = objects.map(|object| {
        // The tool reads what relocations fill in where sections are in place.
        let program = program_of(&object, &folder);
        let mut verifier = Command::new("llvm-dwarfdump-22");
        let output = verifier.arg("--verify").arg(&program).output().expect("it starts");
        let said = String::from_utf8(output.stdout).expect("text") + &String::from_utf8_lossy(&output.stderr);
        // The linker shares the ends of texts.
        let is_of_texts = |line: &str| line.contains("string offset");
        let mut errors = said
            .lines()
            .filter(|line| line.starts_with("error: ") && line.contains('@'));
        assert!(errors.all(is_of_texts), "{said}");
        assert!(said.contains("Verifying .debug_names"), "{said}");
        super::indexed_names(&printed(
            Command::new("llvm-dwarfdump-22").arg("--debug-names").arg(&program),
        ))
    });
    let has = |name: &str| names[0].iter().any(|(found, _)| found == name);
    assert!(has("\"Order\"") && has("\"Line\""), "{names:?}");
    assert_eq!(names[0], names[1]);
}

#[test]
fn versions_before_4_have_no_units_of_types() {
    let folder = Folder::new("type-units-old");
    let module = module_of("types", "-gdwarf-3", &folder);
    let object = own(&module, &folder);
    assert!(!sections(&object, ".debug_").contains(&".debug_types".to_owned()));
    assert_eq!(types(&object, "--debug-info"), [] as [&str; 0]);
}
