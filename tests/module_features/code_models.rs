//! Code models that the command line asks for: where data goes, and that programs run, those with far data included.

use super::object_file::ObjectFile;
use super::{by_frazil, by_llc, each_way, here};
use crate::RECIPES;
use frazil_test_support::machines::AARCH64;
use frazil_test_support::{Folder, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The bitcode of a program in C.
fn compiled(folder: &Folder, source: &str, words: &[&str]) -> PathBuf {
    let path = folder.path("program.bc");
    let mut clang = Command::new("clang-22");
    run(clang
        .args(["-emit-llvm", "-c"])
        .args(words)
        .arg(here(source))
        .arg("-o")
        .arg(&path));
    path
}

/// Names, types, flags and contents of the sections with data, without the empty ones that assemblers add.
fn data_sections(object: &Path) -> Vec<String> {
    let is_other = |name: &str| {
        let others = [
            "",
            ".text",
            ".eh_frame",
            ".symtab",
            ".strtab",
            ".shstrtab",
            ".note.GNU-stack",
        ];
        others.contains(&name) || name.starts_with(".rela")
    };
    let file = ObjectFile::read(object);
    let names = file.names(|name| !is_other(name));
    let is_added = |name: &str, align: u64| matches!(name, ".data" | ".bss") && align == 1;
    let sections = names.iter().flat_map(|name| file.sections_of(name));
    let sections = sections.filter(|section| !is_added(&section.name, section.align));
    sections.map(|section| format!("{section:?}")).collect()
}

#[test]
fn data_has_the_sections_of_the_code_model() {
    let far = "-code-model=medium";
    for words in [
        &[][..],
        &["-code-model=small"],
        &["-code-model=kernel"],
        &[far],
        &[far, "-relocation-model=pic"],
        &[far, "-large-data-threshold=39"],
        &[far, "-large-data-threshold=40", "-data-sections"],
    ] {
        each_way("far.ll", words, |way, reference, object| {
            let expected = data_sections(reference);
            assert!(expected.len() > 8, "{expected:#?}");
            assert_eq!(data_sections(object), expected, "{way}, {words:?}");
        });
    }
}

#[test]
fn programs_with_far_data_run() {
    let folder = Folder::new("module-features-far");
    let (program, other) = (folder.path("program"), folder.path("other.o"));
    for placed in ["-fno-pic", "-fPIC"] {
        let (model, link) = match placed {
            "-fPIC" => ("-relocation-model=pic", "-pie"),
            _ => ("-relocation-model=static", "-no-pie"),
        };
        let mut clang = Command::new("clang-22");
        clang.args(["-c", "-mcmodel=medium", placed]).arg(here("far-other.c"));
        run(clang.arg("-o").arg(&other));
        let output = |object: &Path| {
            let mut cc = Command::new("cc");
            run(cc.arg(link).arg(object).arg(&other).arg("-o").arg(&program));
            String::from_utf8(run(&mut Command::new(&program))).expect("text")
        };
        let module = compiled(&folder, "far-main.c", &["-O1", placed]);
        for threshold in ["-large-data-threshold=65536", "-large-data-threshold=0"] {
            let words = ["-code-model=medium", threshold, model];
            let expected = output(&by_llc(&folder, &module, &words));
            assert!(expected.starts_with("3 4 0 4 3\n7 8 9 1 a string"), "{expected}");
            for recipe in RECIPES {
                let object = by_frazil(&folder, &module, recipe, false, &words);
                assert_eq!(output(&object), expected, "{recipe}, {words:?}");
            }
        }
    }
}

#[test]
fn the_guard_of_frames_in_kernels_is_in_the_other_segment() {
    let folder = Folder::new("module-features-kernel");
    let module = compiled(&folder, "kernel.c", &["-O1", "-fno-pic", "-fstack-protector-strong"]);
    let guards = |object: &Path| {
        let text = run(Command::new("objdump").args(["-d", "--disassemble=f"]).arg(object));
        let text = String::from_utf8_lossy(&text).into_owned();
        (text.matches("%gs:0x28").count(), text.matches("%fs:0x28").count())
    };
    for (model, expected) in [("-code-model=kernel", (2, 0)), ("-code-model=small", (0, 2))] {
        assert_eq!(guards(&by_llc(&folder, &module, &[model])), expected, "llc");
        for recipe in RECIPES {
            let object = by_frazil(&folder, &module, recipe, false, &[model]);
            assert_eq!(guards(&object), expected, "{recipe}");
        }
    }
}

/// Where the section of far data is, which nothing but a whole address reaches.
const FAR_DATA: &str = "-Wl,--section-start=far_data=0x4000000000";

#[test]
fn programs_for_aarch64_run_in_each_of_its_models() {
    let folder = Folder::new("module-features-aarch64-models");
    let (program, other) = (folder.path("program"), folder.path("other.o"));
    let mut cc = Command::new(AARCH64.compiler);
    cc.args(["-c", "-fPIE"]).arg(here("models-other.c"));
    run(cc.arg("-o").arg(&other));
    for (model, placed, link) in [
        ("small", "-fno-pic", &["-no-pie"][..]),
        ("tiny", "-fno-pic", &["-no-pie"]),
        ("tiny", "-fno-pic", &["-static"]),
        ("tiny", "-fPIE", &["-pie"]),
        ("large", "-fno-pic", &["-no-pie"]),
        ("large", "-fno-pic", &["-no-pie", FAR_DATA]),
        ("large", "-fno-pic", &["-static", FAR_DATA]),
        ("large", "-fPIE", &["-pie"]),
    ] {
        let far = if link.contains(&FAR_DATA) { "-DFAR" } else { "-DNEAR" };
        let target = format!("--target={}", AARCH64.triple);
        let words = [&target, "-O1", "-fexceptions", placed, far];
        let module = compiled(&folder, "models-main.c", &words);
        let relocation_model = match placed {
            "-fPIE" => "-relocation-model=pic",
            _ => "-relocation-model=static",
        };
        let model = format!("-code-model={model}");
        let words = [model.as_str(), relocation_model];
        let output = |object: &Path| {
            let mut cc = Command::new(AARCH64.compiler);
            run(cc.args(link).arg(object).arg(&other).arg("-o").arg(&program));
            String::from_utf8(run(&mut AARCH64.run(&program))).expect("text")
        };
        let expected = output(&by_llc(&folder, &module, &words));
        assert!(expected.ends_with("left with 8\nleft with 9\ndone\n"), "{expected}");
        for recipe in ["Om1", "O2"] {
            let object = by_frazil(&folder, &module, recipe, false, &words);
            assert_eq!(output(&object), expected, "{recipe}, {words:?}, {link:?}");
        }
    }
}
