//! Jump tables are read-only data where LLVM has them: sections, groups, flags, alignment, sizes of entries, and what
//! their relocations are against.

use crate::{RECIPES, checking_frazil};
use frazil_test_support::objects::{Facts, Strictness, facts};
use frazil_test_support::{Folder, run};
use std::path::Path;
use std::process::Command;

/// What functions are marked with that decides on the sections of their tables.
const FUNCTIONS: [(&str, &str); 10] = [
    ("plain", ""),
    ("in_section", "section \"foo\""),
    ("in_group", "comdat($all)"),
    ("in_other_group", "comdat($none)"),
    ("used", ""),
    ("hot", "!section_prefix !0"),
    ("hot_in_group", "comdat($all) !section_prefix !0"),
    ("in_both", "section \"foo\" comdat($all)"),
    ("associated", "!associated !1"),
    ("far", "section \".ltext\""),
];

/// A module with a switch in each function.
fn module() -> String {
    let mut text = "target triple = \"x86_64-unknown-linux-gnu\"
        $all = comdat any
        $none = comdat nodeduplicate
        @llvm.used = appending global [1 x ptr] [ptr @used], section \"llvm.metadata\"
        @variable = global i32 0
        declare void @e(i32)\n"
        .to_owned();
    for (name, marks) in FUNCTIONS {
        text.push_str(&format!(
            "define void @{name}(i32 %x) {marks} {{\n  switch i32 %x, label %d ["
        ));
        let cases = 0..6;
        text.extend(cases.clone().map(|case| format!(" i32 {case}, label %l{case}")));
        text.push_str(" ]\nd:\n  ret void\n");
        text.extend(cases.map(|case| format!("l{case}:\n  call void @e(i32 {})\n  ret void\n", case * case + 3)));
        text.push_str("}\n");
    }
    text + "!0 = !{!\"section_prefix\", !\"hot\"}\n!1 = !{ptr @variable}\n"
}

/// The description of sections with tables, and the sections that their relocations are against.
fn tables(object: &Path) -> Vec<String> {
    let bytes = std::fs::read(object).expect("readable");
    let facts: Facts = facts(&bytes, Strictness::Meaning).expect("ELF");
    let mut found = Vec::new();
    for (name, lines) in facts {
        if !name.contains(".rodata") && !name.contains(".lrodata") {
            continue;
        }
        let is_table = !name.starts_with("section");
        // Where a label is, each compiler decides.
        let line = |line: &String| match line.rsplit_once('+') {
            Some((line, _)) if is_table => line.to_owned(),
            _ => line.clone(),
        };
        let count = if is_table { lines.len() } else { 1 };
        found.extend(lines[..count].iter().map(|text| format!("{name}: {}", line(text))));
    }
    found
}

#[test]
fn tables_are_in_the_sections_of_llc() {
    let folder = Folder::new("tables");
    let (source, bitcode) = (folder.write("in.ll", module()), folder.path("in.bc"));
    run(Command::new("llvm-as-22").arg(source).arg("-o").arg(&bitcode));
    let (expected, object) = (folder.path("llc.o"), folder.path("out.o"));
    for option in ["--function-sections=false", "--function-sections=true"] {
        let mut llc = Command::new("llc-22");
        llc.args(["-O2", "-filetype=obj", "-relocation-model=pic", option]);
        run(llc.arg(&bitcode).arg("-o").arg(&expected));
        let expected = tables(&expected);
        assert!(expected.len() > FUNCTIONS.len(), "llc makes tables: {expected:#?}");
        for recipe in RECIPES {
            let mut command = checking_frazil(recipe);
            command.args(["--relocation-model", "pic", option]);
            run(command.arg(&bitcode).arg("-o").arg(&object));
            assert_eq!(tables(&object), expected, "{recipe} {option}");
        }
    }
}
