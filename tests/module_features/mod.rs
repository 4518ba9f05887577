//! What modules, symbols and functions ask for besides their code: objects have the sections, symbols and bytes that
//! llc gives them, whether Frazil writes them itself or an assembler makes them of its text.

mod clearing;
mod code_models;
mod heeded;
mod hooks;
mod object_file;

use crate::{RECIPES, checking_frazil, frazil, in_repository};
use frazil_test_support::{Folder, run};
use object_file::ObjectFile;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn here(name: &str) -> PathBuf {
    in_repository("tests/module_features").join(name)
}

/// The bitcode of a text in LLVM's form.
fn bitcode(folder: &Folder, name: &str) -> PathBuf {
    let path = folder.path("module.bc");
    run(Command::new("llvm-as-22").arg(here(name)).arg("-o").arg(&path));
    path
}

/// The object that llc makes.
fn by_llc(folder: &Folder, module: &Path, words: &[&str]) -> PathBuf {
    let path = folder.path("llc.o");
    run(Command::new("llc-22")
        .arg("-filetype=obj")
        .args(words)
        .arg(module)
        .arg("-o")
        .arg(&path));
    path
}

/// The object that a recipe makes, written by Frazil or through its assembly text.
fn by_frazil(folder: &Folder, module: &Path, recipe: &str, as_text: bool, words: &[&str]) -> PathBuf {
    let path = folder.path("frazil.o");
    let text = folder.path("frazil.s");
    let mut command = checking_frazil(recipe);
    command.args(words).arg(module);
    if as_text {
        run(command.args(["--emit", "asm", "-o"]).arg(&text));
        let mut assemble = Command::new("cc");
        run(assemble
            .args(["-c", "-Wa,--fatal-warnings"])
            .arg(&text)
            .arg("-o")
            .arg(&path));
    } else {
        run(command.arg("-o").arg(&path));
    }
    path
}

/// Calls `check` with the object that llc makes and with each that Frazil makes, in every way.
fn each_way(name: &str, words: &[&str], mut check: impl FnMut(&str, &Path, &Path)) {
    let folder = Folder::new(&format!("module-features-{name}"));
    let module = match name.ends_with(".ll") {
        true => bitcode(&folder, name),
        false => here(name),
    };
    let reference = by_llc(&folder, &module, &[&["-O0"], words].concat());
    for recipe in RECIPES {
        for as_text in [false, true] {
            let object = by_frazil(&folder, &module, recipe, as_text, words);
            check(&format!("{name}, {recipe}, as text: {as_text}"), &reference, &object);
        }
    }
}

/// Which of some words, and how often each, stand in the disassembly of each function.
fn words_in_code(object: &Path, words: &[&str]) -> BTreeMap<String, Vec<usize>> {
    let text = run(Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(object));
    let mut found = BTreeMap::new();
    let mut function = String::new();
    for line in String::from_utf8_lossy(&text).lines() {
        if let Some(name) = line.strip_suffix(">:") {
            function = name.split_once('<').map_or("", |(_, name)| name).to_owned();
            found.insert(function.clone(), vec![0; words.len()]);
        } else if let Some(counts) = found.get_mut(&function) {
            for (count, word) in counts.iter_mut().zip(words) {
                *count += usize::from(line.contains(word));
            }
        }
    }
    found
}

/// Sections of these names are equal in both objects, and there is at least one of each in the first.
fn same_sections(way: &str, reference: &Path, object: &Path, names: &[&str]) {
    let (reference, object) = (ObjectFile::read(reference), ObjectFile::read(object));
    for name in names {
        let expected = reference.sections_of(name);
        assert!(!expected.is_empty(), "{way}: llc writes no section {name}");
        assert_eq!(object.sections_of(name), expected, "{way}: section {name}");
    }
}

#[test]
fn places_for_indirect_branches_are_marked() {
    let folder = Folder::new("module-features-protection");
    let (module, program) = (folder.path("module.bc"), folder.path("program"));
    let marks = ["endbr64", "notrack"];
    for words in [&["-O0", "-Xclang", "-disable-O0-optnone"][..], &["-O1"]] {
        run(Command::new("clang++-22")
            .args(["-w", "-fcf-protection=full", "-emit-llvm", "-c"])
            .args(words)
            .arg(here("protection.cpp"))
            .arg("-o")
            .arg(&module));
        let link = |object: &Path| {
            run(Command::new("c++").arg(object).arg("-o").arg(&program));
            run(&mut Command::new(&program))
        };
        let reference = by_llc(&folder, &module, &["-O0", "-relocation-model=pic"]);
        let expected = words_in_code(&reference, &marks);
        let total: usize = expected.values().map(|counts| counts[0]).sum();
        assert!(total > 12, "{expected:?}");
        let output = link(&reference);
        for recipe in RECIPES {
            for as_text in [false, true] {
                let way = format!("{words:?}, {recipe}, as text: {as_text}");
                let object = by_frazil(&folder, &module, recipe, as_text, &["-relocation-model=pic"]);
                assert_eq!(words_in_code(&object, &marks), expected, "{way}");
                same_sections(&way, &reference, &object, &[".note.gnu.property"]);
                assert_eq!(link(&object), output, "{way}");
            }
        }
    }
}

#[test]
fn no_mark_stands_where_the_module_asks_for_none() {
    let folder = Folder::new("module-features-unprotected");
    let (module, source) = (folder.path("module.bc"), here("protection.cpp"));
    let mut clang = Command::new("clang++-22");
    run(clang
        .args(["-w", "-emit-llvm", "-c"])
        .arg(source)
        .arg("-o")
        .arg(&module));
    let object = by_frazil(&folder, &module, "Om1", false, &[]);
    let found = words_in_code(&object, &["endbr64", "notrack"]);
    assert!(found.values().flatten().all(|&count| count == 0), "{found:?}");
    assert!(ObjectFile::read(&object).sections_of(".note.gnu.property").is_empty());
}

#[test]
fn tools_are_told_what_the_module_says() {
    each_way("tools.ll", &[], |way, reference, object| {
        let names = [".comment", ".deplibs", ".linker-options", ".GCC.command.line"];
        same_sections(way, reference, object, &names);
        let text = fs::read(object).expect("readable");
        assert!(text.len() > 64);
    });
}

#[test]
fn modules_without_a_layout_have_the_targets() {
    each_way("layout.ll", &[], |way, reference, object| {
        same_sections(way, reference, object, &[".data"]);
    });
}

#[test]
fn attachments_choose_sections() {
    each_way("attachments.ll", &[], |way, reference, object| {
        let is_other = |name: &str| {
            [
                ".shstrtab",
                ".symtab",
                ".strtab",
                ".rela",
                ".eh_frame",
                ".group",
                ".note.GNU-stack",
                ".text",
                ".data",
                ".bss",
            ]
            .iter()
            .any(|other| *other == name || *other == ".rela" && name.starts_with(other))
        };
        let names = ObjectFile::read(reference).names(|name| !is_other(name));
        assert!(names.len() > 15, "{names:?}");
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        same_sections(way, reference, object, &names);
        assert_eq!(ObjectFile::read(object).names(|name| !is_other(name)), names, "{way}");
    });
}

#[test]
fn absolute_symbols_are_numbers() {
    let folder = Folder::new("module-features-absolute-main");
    let program = folder.path("program");
    for words in [&[][..], &["-relocation-model=pic"]] {
        // What llc -O0 makes of a distance from such a symbol cannot be linked.
        each_way("absolute.ll", words, |way, _, object| {
            let mut command = Command::new("clang-22");
            command.arg(here("absolute-main.c")).arg(object).arg("-o").arg(&program);
            run(command.args(["-fuse-ld=lld", "-no-pie"]));
            let output = String::from_utf8(run(&mut Command::new(&program))).expect("text");
            assert_eq!(output, "82 0x123456789abcdef5 1 0\n", "{way}");
            let relocations = run(Command::new("objdump").arg("-r").arg(object));
            let relocations = String::from_utf8_lossy(&relocations);
            assert!(!relocations.contains("GOT"), "{way}: {relocations}");
        });
    }
}

#[test]
fn non_temporal_accesses_have_their_instructions() {
    each_way("nontemporal.ll", &[], |way, reference, object| {
        let expected = words_in_code(reference, &["movnt"]);
        assert!(expected["stores"] == [5] && expected["loop"] == [1], "{expected:?}");
        let found = words_in_code(object, &["movnt"]);
        assert_eq!(found, expected, "{way}");
    });
}

/// The first bytes of a function in its section, with those before it, without what follows its entry.
fn entries(object: &Path) -> Vec<(String, Vec<u8>)> {
    let file = ObjectFile::read(object);
    let lengths = [
        ("entry", 0, 2),
        ("both", 2, 3),
        ("prefix", 2, 0),
        ("group", 0, 1),
        ("counted", 0, 1),
        ("none", 0, 1),
    ];
    let marked = file.sections_of(".note.gnu.property").len() * 4;
    let entry = |&(name, before, after): &(&str, usize, usize)| {
        let bytes = file.bytes_at(name, before, after + marked);
        (name.to_owned(), bytes)
    };
    lengths.iter().map(entry).collect()
}

#[test]
fn room_for_other_code_and_calls_of_a_counter_stand_at_the_entry() {
    for name in ["filler.ll", "filler-marked.ll"] {
        each_way(name, &[], |way, reference, object| {
            let names = ["__patchable_function_entries", ".llvm_sympart"];
            same_sections(way, reference, object, &names);
            assert_eq!(entries(object), entries(reference), "{way}");
            // The same length, by other instructions that do nothing.
            let file = ObjectFile::read(object);
            let marked = file.sections_of(".note.gnu.property").len() * 4;
            assert_ne!(file.bytes_at("long", 0, marked + 9)[marked], 0x50, "{way}");
            let after = file.bytes_at("long", 0, marked + 10)[marked + 9];
            assert!(
                after == 0x50 || after == 0x55,
                "{way}: {after:#x} after the filler is no push"
            );
            let calls = words_in_code(object, &["call"]);
            assert_eq!((&calls["counted"], &calls["prefix"]), (&vec![2], &vec![1]), "{way}");
            for object in [reference, object] {
                let relocations = run(Command::new("objdump").arg("-r").arg(object));
                assert!(String::from_utf8_lossy(&relocations).contains("__fentry__"), "{way}");
            }
            assert_eq!(listed_entries(object), listed_entries(reference), "{way}");
        });
    }
}

#[test]
fn data_stands_before_functions_and_at_their_beginning() {
    let folder = Folder::new("module-features-entry-data-main");
    let program = folder.path("program");
    for name in ["entry-data.ll", "entry-data-marked.ll"] {
        let output = |object: &Path| {
            let mut link = Command::new("c++");
            link.args(["-no-pie", "-O1"]).arg(here("entry-data-main.cpp"));
            run(link.arg(object).arg("-o").arg(&program));
            String::from_utf8(run(&mut Command::new(&program))).expect("text")
        };
        let mut expected = None;
        each_way(name, &[], |way, reference, object| {
            let expected = expected.get_or_insert_with(|| output(reference));
            assert!(expected.starts_with("1 2 3 4 11 10\n21 31 3 -7\n11 12\n"), "{expected}");
            assert_eq!(&output(object), expected, "{way}");
            same_sections(way, reference, object, &["__patchable_function_entries"]);
            assert_eq!(data_at_entries(object), data_at_entries(reference), "{way}");
            let described = functions_with_frames(object);
            assert_eq!(described, functions_with_frames(reference), "{way}");
            assert!(described.len() >= 4, "{described:?}");
        });
    }
}

/// Data before functions and at their beginning, with marks and filler, as far as the object alone tells them.
fn data_at_entries(object: &Path) -> Vec<Vec<u8>> {
    let file = ObjectFile::read(object);
    let mark = file.sections_of(".note.gnu.property").len() * 4;
    let lengths = [
        ("number", 4, mark),
        ("padded", 20, mark),
        ("jumped", 0, 6 + mark),
        ("addressed", 0, 2),
        ("everything", 11, 3 + mark + 2),
        ("entered", 0, 1 + mark + 1),
        ("caught", 4, 10 + mark),
        ("chosen", 0, 2 + mark),
    ];
    let bytes = |&(name, before, after): &(&str, usize, usize)| file.bytes_at(name, before, after);
    lengths.iter().map(bytes).collect()
}

/// The functions that unwind information covers from their symbols to their ends.
fn functions_with_frames(object: &Path) -> Vec<String> {
    let text_of = |word: &str| {
        let text = run(Command::new("readelf").arg(word).arg(object));
        String::from_utf8(text).expect("text")
    };
    let frames = text_of("--debug-dump=frames");
    let symbols = text_of("-sW");
    let mut found = Vec::new();
    for line in symbols.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[_, start, size, "FUNC", _, _, _, name] = &words[..] else {
            continue;
        };
        let start = u64::from_str_radix(start, 16).expect("a number");
        let end = start + size.parse::<u64>().expect("a number");
        if frames.contains(&format!("pc={start:016x}..{end:016x}")) {
            found.push(name.to_owned());
        }
    }
    found
}

/// What lists of filler name, as the distance from the function whose section each is linked to.
fn listed_entries(object: &Path) -> usize {
    let text = run(Command::new("readelf").args(["-rW"]).arg(object));
    let text = String::from_utf8_lossy(&text);
    let lists = text.matches("rela__patchable_function_entries").count();
    assert!(lists > 0);
    lists
}

/// Alignments that no frame can have, and a frame that would have to be found again after a jump that keeps nothing.
#[test]
fn other_alignments_of_stacks_are_refused() {
    let folder = Folder::new("module-features-stack");
    for (name, expected) in [
        (
            "stack-alignment.ll",
            "a stack alignment of 8192 bytes (override-stack-alignment)",
        ),
        ("stack-jump.ll", "an aligned frame with no register left"),
    ] {
        let module = bitcode(&folder, name);
        for recipe in RECIPES {
            let mut command = frazil();
            command.args(["--recipe", recipe]).arg(&module);
            let output = command.arg("-o").arg(folder.path("a.o")).output().expect("it starts");
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && message.contains("FZ0213"), "{message}");
            assert!(message.contains(expected), "{message}");
        }
    }
}
