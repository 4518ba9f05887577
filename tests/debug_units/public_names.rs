//! Names for linkers that make indexes: those that LLVM lists, and an index of them that gdb reads.

use super::{dump, printed, sections};
use crate::{frazil, in_repository};
use frazil_test_support::{Folder, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The module of a source file.
fn module_of(source: &str, words: &[&str], folder: &Folder) -> PathBuf {
    let bitcode = folder.path("module.bc");
    let compiler = if source.ends_with(".c") {
        "clang-22"
    } else {
        "clang++-22"
    };
    run(Command::new(compiler)
        .args(["-O0", "-g", "-c", "-emit-llvm", "-o"])
        .arg(&bitcode)
        .arg(format!("-fdebug-compilation-dir={}", folder.path("").display()))
        .args(words)
        .arg(in_repository(source)));
    bitcode
}

/// The names in a section, each with what it stands for, but not where that is.
fn names(object: &Path, section: &str) -> Vec<String> {
    let text = dump(object, section);
    let entries = text.lines().filter(|line| line.starts_with("0x"));
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.split_once(' '))
        .map(|(_, name)| name.trim().to_owned())
        .filter(|name| !name.ends_with("\"\""))
        .collect();
    names.sort();
    names
}

#[test]
fn the_same_names_as_in_llvm_are_listed() {
    for (words, kinds) in [
        (
            &["-gdwarf-4", "-gpubnames"] as &[&str],
            ["--debug-pubnames", "--debug-pubtypes"],
        ),
        (
            &["-gdwarf-4", "-ggnu-pubnames"],
            ["--debug-gnu-pubnames", "--debug-gnu-pubtypes"],
        ),
        (
            &["-gdwarf-5", "-ggnu-pubnames"],
            ["--debug-gnu-pubnames", "--debug-gnu-pubtypes"],
        ),
    ] {
        for (source, has_type_units) in [
            ("tests/debug_units/types.cpp", false),
            ("tests/debug_units/types.cpp", true),
            ("tests/debug_information/classes.cpp", false),
            ("tests/debug_information/types.c", false),
        ] {
            let folder = Folder::new("public-names");
            let module = module_of(source, words, &folder);
            let [own, reference] = ["own.o", "reference.o"].map(|name| folder.path(name));
            let option = |option: &'static str| has_type_units.then_some(option);
            run(frazil()
                .args(option("--debug-sections=type-units"))
                .arg("-o")
                .arg(&own)
                .arg(&module));
            run(Command::new("llc-22")
                .args(["-O0", "-filetype=obj", "-o"])
                .args([&reference, &module])
                .args(option("-generate-type-units")));
            for kind in kinds {
                let found = names(&own, kind);
                assert!(found.len() > 2, "{source} {words:?} {kind}: {found:?}");
                assert_eq!(found, names(&reference, kind), "{source} {words:?} {kind}");
            }
            assert_eq!(sections(&own, ".debug_names"), [] as [&str; 0], "{source} {words:?}");
        }
    }
}

#[test]
fn names_are_listed_only_if_units_ask_for_it() {
    for words in ["-gdwarf-4", "-gdwarf-5"] {
        let folder = Folder::new("public-names-none");
        let module = module_of("tests/debug_information/types.c", &[words], &folder);
        let own = folder.path("own.o");
        run(frazil().arg("-o").arg(&own).arg(&module));
        assert_eq!(sections(&own, ".debug_pub"), [] as [&str; 0]);
        assert_eq!(sections(&own, ".debug_gnu_pub"), [] as [&str; 0]);
    }
}

#[test]
fn a_linker_makes_an_index_of_them() {
    let folder = Folder::new("public-names-index");
    let module = module_of("tests/debug_units/types.cpp", &["-gdwarf-5", "-ggnu-pubnames"], &folder);
    for words in [
        &[] as &[&str],
        &["--split-dwarf-file=own.dwo", "--split-dwarf-output=own.dwo"],
    ] {
        let own = folder.path("own.o");
        run(frazil()
            .current_dir(folder.path(""))
            .args(words)
            .arg("-o")
            .arg(&own)
            .arg(&module));
        let program = folder.path("program");
        run(Command::new("ld.lld-22")
            .args(["--gdb-index", "--entry=main", "--unresolved-symbols=ignore-all", "-o"])
            .arg(&program)
            .arg(&own));
        let text = printed(Command::new("llvm-dwarfdump-22").arg("--gdb-index").arg(&program));
        for name in ["NamesHidden", "main", "Longer", "(anonymous namespace)::Hidden"] {
            assert!(
                text.contains(&format!("String name: {name},")),
                "{words:?}: {name}: {text}"
            );
        }
        let commands = ["-ex", "ptype struct NamesHidden", "-ex", "info line main"];
        let seen = printed(Command::new("gdb").args(["-nx", "-batch"]).args(commands).arg(&program));
        assert!(
            seen.contains("int size;") && seen.contains("Line "),
            "{words:?}: {seen}"
        );
    }
}
