//! Exceptions: C++ programs of many shapes, compiled by every recipe, must do what they do when others compile them,
//! and their tables must say what llc's say.
//!
//! `shapes` and its bitcode are in this folder, with what it prints; the others are compiled by clang, which is the
//! yardstick for them.

mod tables;

use crate::{RECIPES, checking_frazil, in_repository};
use frazil_test_support::{Folder, run};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CLANG: &str = "clang++-22";
const LLC: &str = "llc-22";

fn here(name: &str) -> PathBuf {
    in_repository("tests/exceptions").join(name)
}

fn frazil(recipe: &str, words: &[&str], input: &Path, output: &Path) {
    let mut command = checking_frazil(recipe);
    run(command.args(words).arg(input).arg("-o").arg(output));
}

/// Compiles a source to bitcode, or with other words to something else.
fn clang(words: &[&str], source: &str, output: &Path) {
    let mut command = Command::new(CLANG);
    command.args(["-c", "-w", "-fno-vectorize", "-fno-slp-vectorize"]);
    run(command.args(words).arg(here(source)).arg("-o").arg(output));
}

/// Links and runs; the exit status is part of the output.
fn output(folder: &Folder, inputs: &[&Path], words: &[&str]) -> String {
    let program = folder.path("program");
    run(Command::new("c++")
        .args(inputs)
        .args(words)
        .arg("-pthread")
        .arg("-o")
        .arg(&program));
    let Output { status, stdout, .. } = Command::new(&program).output().expect("the program starts");
    format!("{}\n{status}", String::from_utf8_lossy(&stdout))
}

/// The object of `other.cpp`, by the system's compiler.
fn other(folder: &Folder) -> PathBuf {
    let object = folder.path("other.o");
    let mut command = Command::new("c++");
    run(command
        .arg("-O1")
        .arg("-c")
        .arg(here("other.cpp"))
        .arg("-o")
        .arg(&object));
    object
}

#[test]
fn committed_shapes() {
    let folder = Folder::new("shapes");
    let expected = std::fs::read_to_string(here("shapes.txt")).expect("readable");
    let expected = format!("{expected}\nexit status: 0");
    let other = other(&folder);
    for level in ["O0", "O2"] {
        let bitcode = here(&format!("shapes-{level}.bc"));
        for recipe in RECIPES {
            for (model, link) in [("pic", "-pie"), ("static", "-no-pie")] {
                let object = folder.path("shapes.o");
                frazil(recipe, &["-relocation-model", model], &bitcode, &object);
                let found = output(&folder, &[&object, &other], &[link]);
                assert_eq!(found, expected, "{level} {recipe} {model}");
            }
        }
    }
}

#[test]
fn assembly_text_and_sections_of_their_own() {
    let folder = Folder::new("text");
    let expected = std::fs::read_to_string(here("shapes.txt")).expect("readable");
    let expected = format!("{expected}\nexit status: 0");
    let other = other(&folder);
    let bitcode = here("shapes-O0.bc");
    for recipe in ["Om1", "O2"] {
        for (words, link) in [
            (
                &["-function-sections", "-data-sections"][..],
                &["-Wl,--gc-sections"][..],
            ),
            (&[], &[]),
            (&["-relocation-model=static"], &["-no-pie"]),
        ] {
            let text = folder.path("shapes.s");
            frazil(recipe, &[words, &["-filetype=asm"]].concat(), &bitcode, &text);
            let found = output(&folder, &[&text, &other], link);
            assert_eq!(found, expected, "{recipe} {words:?}");
        }
    }
}

#[test]
fn filters_and_the_library() {
    let folder = Folder::new("sources");
    let sources = [
        ("filters.cpp", "-std=c++14"),
        ("library.cpp", "-std=c++17"),
        ("texts.cpp", "-std=c++17"),
    ];
    for (source, standard) in sources {
        for level in ["-O0", "-O2"] {
            let (bitcode, object) = (folder.path("in.bc"), folder.path("out.o"));
            clang(&[level, standard, "-emit-llvm"], source, &bitcode);
            let mut llc = Command::new(LLC);
            llc.args(["-O0", "-filetype=obj", "-relocation-model=pic"]);
            run(llc.arg(&bitcode).arg("-o").arg(&object));
            let expected = output(&folder, &[&object], &[]);
            for recipe in ["Om1", "O2"] {
                frazil(recipe, &[], &bitcode, &object);
                assert_eq!(output(&folder, &[&object], &[]), expected, "{source} {level} {recipe}");
            }
        }
    }
}

/// Every call that an unwinder may come through has an entry that says what llc's says.
#[test]
fn tables_say_what_those_of_llc_say() {
    let folder = Folder::new("tables");
    let filters = folder.path("filters.bc");
    clang(&["-O1", "-std=c++14", "-emit-llvm"], "filters.cpp", &filters);
    let inputs = [here("shapes-O0.bc"), here("shapes-O2.bc"), filters];
    let (ours, theirs) = (folder.path("ours.o"), folder.path("theirs.o"));
    for input in &inputs {
        for model in ["pic", "static"] {
            let model = format!("-relocation-model={model}");
            let mut llc = Command::new(LLC);
            llc.args(["-O0", "-filetype=obj", &model]);
            run(llc.arg(input).arg("-o").arg(&theirs));
            let theirs = tables::read(&std::fs::read(&theirs).expect("readable"));
            assert!(!theirs.caught.is_empty());
            for recipe in ["Om1", "O2"] {
                frazil(recipe, &[&model], input, &ours);
                let ours = tables::read(&std::fs::read(&ours).expect("readable"));
                compare(&ours, &theirs, &format!("{} {recipe} {model}", input.display()));
            }
        }
    }
}

/// What certainly throws.
const THROWING: &[&str] = &["__cxa_throw", "__cxa_rethrow", "_Unwind_Resume", "_Z7throweri"];

/// What clang says of some calls alone that they cannot unwind, which llc does not look at.
const MARKED_AT_CALLS: &[&str] = &[
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_allocate_exception",
    "__cxa_free_exception",
    "memcpy",
    "memmove",
    "memset",
    "strlen",
    "__cxa_guard_release",
    "__cxa_guard_abort",
];

fn compare(ours: &tables::Tables, theirs: &tables::Tables, what: &str) {
    assert_eq!(ours.functions, theirs.functions, "{what}");
    // Calls that cannot unwind have no entries of their own, but may stand within the range of another one's.
    let differing = |left: &tables::Tables, right: &tables::Tables| -> Vec<tables::Call> {
        let unwinds = |call: &&tables::Call| {
            let is_missing = right.missing.iter().any(|missing| missing.1 == call.1);
            !is_missing && !MARKED_AT_CALLS.contains(&call.1.as_str())
        };
        left.caught.difference(&right.caught).filter(unwinds).cloned().collect()
    };
    let differing = [differing(ours, theirs), differing(theirs, ours)].concat();
    assert!(differing.is_empty(), "{what}: {differing:#?}");
    // A personality routine stops the program at what has no entry.
    let stopped: Vec<_> = ours
        .missing
        .iter()
        .filter(|call| THROWING.contains(&call.1.as_str()))
        .collect();
    assert!(stopped.is_empty(), "{what}: {stopped:#?}");
}
