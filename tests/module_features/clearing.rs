//! Registers that are zero when a function is left, and room for a jump where it begins.

use super::object_file::ObjectFile;
use super::{RECIPES, by_frazil, by_llc, each_way, here, run};
use frazil_test_support::Folder;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The bitcode of the functions that clear registers as `kind` says.
fn compiled(folder: &Folder, kind: &str) -> PathBuf {
    let path = folder.path("module.bc");
    let kind = format!("-fzero-call-used-regs={kind}");
    let mut clang = Command::new("clang-22");
    clang.args(["-w", "-O1", "-fstack-protector-strong", "-emit-llvm", "-c", &kind]);
    run(clang.arg(here("clearing.c")).arg("-o").arg(&path));
    path
}

/// For each function, what is cleared right before it is left: registers, and how often a place of the x87.
fn cleared(object: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let text = run(Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(object));
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut function = String::new();
    let (mut registers, mut places) = (BTreeSet::new(), 0);
    for line in String::from_utf8_lossy(&text).lines() {
        if let Some(name) = line.strip_suffix(">:") {
            function = name.split_once('<').map_or("", |(_, name)| name).to_owned();
            registers.clear();
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        match words[..] {
            ["xor" | "xorps" | "pxor", operands] => {
                let (left, right) = operands.split_once(',').expect("two operands");
                match left == right {
                    true => drop(registers.insert(left.to_owned())),
                    false => registers.clear(),
                }
            }
            ["fldz"] => places += 1,
            ["fstp", _] => {}
            ["ret" | "jmp", ..] => {
                if places > 0 {
                    registers.insert(format!("{places} places"));
                }
                let all = found.entry(function.clone()).or_default();
                all.append(&mut registers);
                places = 0;
            }
            _ => (registers, places) = (BTreeSet::new(), 0),
        }
    }
    found
}

#[test]
fn the_same_registers_are_cleared() {
    let folder = Folder::new("module-features-cleared");
    for kind in ["all", "all-arg", "all-gpr", "all-gpr-arg", "skip"] {
        let module = compiled(&folder, kind);
        let expected = cleared(&by_llc(&folder, &module, &["-relocation-model=static"]));
        let is_empty = expected.values().all(|registers| registers.is_empty());
        assert_eq!(is_empty, kind == "skip", "{expected:?}");
        for (recipe, as_text) in RECIPES.iter().flat_map(|recipe| [(recipe, false), (recipe, true)]) {
            let object = by_frazil(&folder, &module, recipe, as_text, &["-relocation-model=static"]);
            let found = cleared(&object);
            // A call in the place of the function is an ordinary one in Om1; llc clears results on the x87's stack.
            let is_own = |name: &str| matches!(name, "ld" | "cld" | "mixed") || name == "tail" && *recipe == "Om1";
            for (name, expected) in expected.iter().filter(|row| !is_own(row.0) && row.0 != "nr") {
                assert_eq!(found.get(name), Some(expected), "{name}: {kind}, {recipe}");
            }
        }
    }
}

/// What the program says it found in registers after a call, by function: whether `rdi` and `rsi` were not zero, and
/// how many registers of each kind were not.
fn left_over(text: &str) -> BTreeMap<&str, [u32; 5]> {
    let lines = text.lines().skip(3);
    let rows = lines.map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |index: usize| words[index].parse().expect("a number");
        (words[0], [number(2), number(4), number(6), number(8), number(10)])
    });
    rows.collect()
}

#[test]
fn what_is_used_is_cleared_and_results_are_kept() {
    let folder = Folder::new("module-features-clearing");
    let program = folder.path("program");
    let output = |object: &Path| {
        let mut clang = Command::new("clang-22");
        clang.args(["-no-pie"]).arg(here("clearing-main.c")).arg(object);
        run(clang.arg("-o").arg(&program));
        String::from_utf8(run(&mut Command::new(&program))).expect("text")
    };
    for kind in ["all", "all-gpr", "used", "used-arg", "used-gpr", "used-gpr-arg", "skip"] {
        let module = compiled(&folder, kind);
        for recipe in RECIPES {
            let text = output(&by_frazil(
                &folder,
                &module,
                recipe,
                false,
                &["-relocation-model=static"],
            ));
            let way = format!("{kind}, {recipe}: {text}");
            assert!(
                text.starts_with("91 10 35 5 6 1.5 2\n3.5 4.5 2 5 22 8\n9 4 24 5.75 42 15\n"),
                "{way}"
            );
            let left = left_over(&text);
            assert_eq!(left.len(), 7);
            if kind == "skip" {
                assert_eq!(left["f"][..2], [1, 1], "{way}");
                continue;
            }
            assert_eq!(left["f"][..2], [0, 0], "{way}");
            assert!(
                ["cond", "guarded", "mixed", "inner"]
                    .iter()
                    .all(|&name| left[name][0] == 0),
                "{way}"
            );
            let has_x87 = matches!(kind, "all" | "used");
            if has_x87 {
                assert_eq!((left["inner"][4], left["mixed"][4]), (0, 1), "{way}");
            }
            if kind.starts_with("all") {
                let clean = left.iter().filter(|row| *row.0 != "tail").all(|row| row.1[2] == 0);
                assert!(clean && left["tail"][2] <= 1, "{way}");
            }
            if kind == "all" {
                assert_eq!((left["f"][3], left["halves"][3]), (0, 1), "{way}");
            }
        }
    }
}

#[test]
fn a_short_jump_fits_where_a_function_begins() {
    each_way("redirect.ll", &[], |way, _, object| {
        let file = ObjectFile::read(object);
        for name in ["small", "calling"] {
            // xchg %ax, %ax
            assert_eq!(file.bytes_at(name, 0, 2), [0x66, 0x90], "{way}");
        }
    });
}
