//! Frames whose alignment is not that of the convention: functions that are called with a stack pointer that is aligned
//! less than usual, or compiled for stacks that are aligned otherwise.

use super::{CLANG, Folder, RECIPES, run, source};
use std::path::Path;
use std::process::Command;

/// How one half of the program is compiled and called.
struct Case {
    /// For the half that Frazil compiles.
    compile: &'static [&'static str],
    /// What stands in its text in LLVM's form, and what that is replaced by.
    replaced: Option<(&'static str, &'static str)>,
    /// What it aligns the stack to, and where it finds it.
    main: [&'static str; 3],
}

const CASES: &[Case] = &[
    Case {
        compile: &[],
        replaced: None,
        main: ["-DEXPECTED=16", "-DALIGN=16", "-DSHIFT=0"],
    },
    Case {
        compile: &["-mstackrealign"],
        replaced: None,
        main: ["-DEXPECTED=16", "-DALIGN=16", "-DSHIFT=8"],
    },
    Case {
        compile: &["-mstackrealign", "-fstack-clash-protection", "-fno-omit-frame-pointer"],
        replaced: None,
        main: ["-DEXPECTED=16", "-DALIGN=16", "-DSHIFT=8"],
    },
    Case {
        compile: &["-mstackrealign"],
        replaced: Some(("\"stackrealign\"", "alignstack=64")),
        main: ["-DEXPECTED=16", "-DALIGN=16", "-DSHIFT=8"],
    },
    Case {
        compile: &["-mstackrealign", "-fstack-protector-all"],
        replaced: Some(("\"stackrealign\"", "alignstack=4")),
        main: ["-DEXPECTED=16", "-DALIGN=16", "-DSHIFT=0"],
    },
    Case {
        compile: &["-mstack-alignment=8"],
        replaced: None,
        main: ["-DEXPECTED=8", "-DALIGN=16", "-DSHIFT=8"],
    },
    Case {
        compile: &["-mstack-alignment=32"],
        replaced: None,
        main: ["-DEXPECTED=32", "-DALIGN=32", "-DSHIFT=0"],
    },
    Case {
        compile: &["-mstack-alignment=8", "-mstackrealign"],
        replaced: None,
        main: ["-DEXPECTED=8", "-DALIGN=16", "-DSHIFT=8"],
    },
    Case {
        compile: &["-mstack-alignment=64", "-mstackrealign"],
        replaced: None,
        main: ["-DEXPECTED=64", "-DALIGN=16", "-DSHIFT=8"],
    },
];

fn clang(words: &[&str], input: &Path, output: &Path) {
    run(Command::new(CLANG).args(words).arg(input).arg("-o").arg(output));
}

/// Links and runs; what it prints and how it ends.
fn output(folder: &Folder, object: &Path, main: &Path) -> String {
    let program = folder.path("program");
    run(Command::new("c++").arg(object).arg(main).arg("-o").arg(&program));
    let output = Command::new(&program).output().expect("the program starts");
    format!("{}{}", String::from_utf8_lossy(&output.stdout), output.status)
}

#[test]
fn frames_with_an_alignment_of_their_own() {
    let folder = Folder::new("realigned");
    let (text, bitcode) = (folder.path("half.ll"), folder.path("half.bc"));
    let (main, main_of_frazil, object) = (folder.path("main.o"), folder.path("other.o"), folder.path("half.o"));
    for case in CASES {
        let shift = case.main[2].replace("-DSHIFT", "-DARGUMENT_SHIFT");
        for (shift, main) in [("-DARGUMENT_SHIFT=0", &main), (&*shift, &main_of_frazil)] {
            let words = [&["-c", "-O1", shift], &case.main[..]].concat();
            clang(&words, &source("realigned-main.cpp"), main);
        }
        for level in ["-O0", "-O2"] {
            let words = [&["-S", "-emit-llvm", "-w", level][..], case.compile].concat();
            clang(&words, &source("realigned.cpp"), &text);
            if let Some((old, new)) = case.replaced {
                let before = std::fs::read_to_string(&text).expect("clang has written it");
                assert!(before.contains(old));
                std::fs::write(&text, before.replace(old, new)).expect("it can be written");
            }
            run(Command::new("llvm-as-22").arg(&text).arg("-o").arg(&bitcode));
            let words = ["-filetype=obj", "-relocation-model=pic"];
            run(Command::new("llc-22").args(words).arg(&bitcode).arg("-o").arg(&object));
            let expected = output(&folder, &object, &main);
            let way = format!("{:?} {:?} {level}", case.compile, case.replaced);
            assert!(
                expected.ends_with("exit status: 0") && expected.contains("at last"),
                "{way}: {expected}"
            );
            for recipe in RECIPES {
                let mut frazil = crate::frazil();
                frazil.args(["--check-regalloc", "--verify-each", "--recipe", recipe]);
                run(frazil.arg(&bitcode).arg("-o").arg(&object));
                assert_eq!(output(&folder, &object, &main_of_frazil), expected, "{way} {recipe}");
            }
        }
    }
}
