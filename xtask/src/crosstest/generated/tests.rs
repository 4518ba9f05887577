//! Tests of the driver with compilers that are wrong on purpose: scripts that do what llc does, but for one program.

use std::fs;

use frazil_test_support::Folder;

use super::*;
use crate::crosstest::GENERATORS;

/// What a script does before it compiles `$input` to `$object`.
const SCRIPT: &str = r#"#!/bin/sh
# --recipe NAME --threads=0 FIRST -o FOLDER OTHERS...
first=$4 folder=$6
shift 6
status=0
for input in "$first" "$@"; do
    seed=$(basename "$input" .bc)
    object=$folder/$seed.o
    llvm-dis-22 "$input" -o "$folder/$seed.ll"
    CASE
    llc-22 -O0 -filetype=obj -relocation-model=pic "$folder/$seed.ll" -o "$object"
done
exit $status
"#;

const BUILDS: [Build; 1] = [Build::scalar("plain", ["O0", "O1"])];

fn generator() -> Generator {
    Generator {
        name: "test",
        option: "--test",
        language: Language::C,
        source: |seed| {
            format!(
                "int printf(const char *, ...); volatile int of_{seed} = {seed};\n\
                 int {}(void) {{ printf(\"%d\\n\", of_{seed} * 1000); return 0; }}\n",
                entry(seed)
            )
        },
        builds: &BUILDS,
        host_part: None,
        functions: 1,
    }
}

/// What is found of programs 1 to 5 when the compiler does something else for some.
fn found(case: &str) -> Report {
    let folder = Folder::new("wrong-compiler");
    let path = folder.script("compiler", &SCRIPT.replace("CASE", case));
    let compilers = [Compiler::Frazil {
        path,
        recipe: "O2".to_owned(),
        options: Vec::new(),
        validator: None,
    }];
    let generator = generator();
    fs::create_dir_all(folder.path("programs")).unwrap();
    Suite::new(&generator, &compilers, folder.path("programs"))
        .unwrap()
        .test(1..6)
        .unwrap()
}

/// The seeds that failures name, and what they say of each.
fn failures(report: &Report) -> Vec<&str> {
    report
        .failures
        .iter()
        .map(|failure| failure.lines().next().unwrap())
        .collect()
}

#[test]
fn a_right_compiler_passes() {
    let report = found(":");
    assert_eq!((report.programs, report.passed, failures(&report).len()), (5, 5, 0));
}

#[test]
fn a_wrong_result_is_reported_with_its_seed() {
    let report = found("[ $seed = 3 ] && sed -i 's/, 1000$/, 1001/' \"$folder/$seed.ll\"");
    assert_eq!(report.passed, 4);
    assert_eq!(
        failures(&report),
        ["seed 3, plain, frazil-O2: line 1 is Some(\"3003\") instead of Some(\"3000\")"]
    );
    // The folder of the program alone.
    assert!(report.failures[0].ends_with("/programs/3"), "{}", report.failures[0]);
}

#[test]
fn a_crash_is_reported_with_its_seed() {
    let case = "[ $seed = 2 ] && sed -i 's/^  ret i32 0$/  unreachable/; s/@printf(/@abort(/' \"$folder/$seed.ll\"";
    let report = found(case);
    assert_eq!(report.passed, 4);
    assert_eq!(
        failures(&report),
        ["seed 2, plain, frazil-O2: line 1 is Some(\"signal 6\") instead of Some(\"2000\")"]
    );
}

#[test]
fn a_compiler_that_crashes_is_reported_with_the_seed_of_its_input() {
    let report = found("[ $seed = 4 ] && kill -SEGV $$");
    assert_eq!(
        (report.passed, failures(&report).len()),
        (4, 1),
        "{:?}",
        report.failures
    );
    assert!(failures(&report)[0].starts_with("seed 4, plain, frazil-O2: signal: 11"));
}

#[test]
fn what_is_refused_is_a_failure() {
    let case = "if [ $seed = 5 ]; then \
                echo \"frazil: error: $input: function @f: not supported: type x (i1: load)\" >&2; status=1; continue; fi";
    let report = found(case);
    assert_eq!(report.passed, 4);
    assert_eq!(
        failures(&report),
        ["seed 5, plain, frazil-O2: function @f: not supported: type x (i1: load)"]
    );
}

#[test]
fn what_is_wrong_only_in_a_batch_is_said_to_be() {
    let report = found("[ $seed = 3 ] && [ $# != 0 ] && sed -i 's/, 1000$/, 1001/' \"$folder/$seed.ll\"");
    assert_eq!(failures(&report).len(), 1);
    assert!(failures(&report)[0].ends_with(" (only together with seeds 1 to 5)"));
}

#[test]
fn an_object_that_cannot_be_linked_is_reported_with_its_seed() {
    let case = "[ $seed = 3 ] && sed -i 's/@printf(/@missing(/' \"$folder/$seed.ll\"";
    let report = found(case);
    assert_eq!(report.passed, 4);
    assert_eq!(failures(&report).len(), 1);
    assert!(failures(&report)[0].starts_with("seed 3, plain, frazil-O2: linking: "));
}

#[test]
fn programs_depend_on_the_seed_alone() {
    for generator in GENERATORS {
        let text = |seed: u64| (generator.source)(seed).replace(&entry(seed), "");
        assert_eq!(text(5), text(5), "{}", generator.name);
        assert_ne!(text(5), text(6), "{}", generator.name);
    }
}

#[test]
fn few_programs_may_be_changed_by_clang() {
    let report = |programs: usize, changed: u64| Report {
        programs,
        changed: (0..changed).collect(),
        ..Report::default()
    };
    assert!(report(20, 0).is_good() && report(20, 1).is_good() && report(2000, 2).is_good());
    assert!(!report(20, 2).is_good() && !report(2000, 3).is_good());
    let failed = Report {
        failures: vec![String::new()],
        ..report(20, 0)
    };
    assert!(!failed.is_good());
}
