//! The table of processors against LLVM's own, name by name and feature by feature.
//!
//! LLVM's tools print the names of processors and features, but not which processor has which feature. Its inliner
//! says it: a function is inlined into another only if the other's processor has all that the first may use, what it is
//! tuned for included. So there is a function for each feature, and one for each processor, and for each feature, that
//! calls all of them; calls that are left name what the processor does not have, and what the feature does not imply.

use crate::features::ROWS;
use crate::processors::FEATURES;
use frazil_codegen::features::FeatureSet;
use frazil_test_support::Folder;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::{Command, Stdio};

/// What both functions of a call say first, since the processor without a name has more than it needs.
const NONE: &str = "-fp-armv8,-neon,-trbe,-ete";

/// What a program of LLVM prints.
fn said(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("LLVM 22 is installed");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

#[test]
fn the_names_are_those_that_llc_lists() {
    let text = said(Command::new("llc-22").args(["-march=aarch64", "-mcpu=help"]));
    let (cpus, features) = text.split_once("Available features").expect("two lists");
    fn names(list: &str) -> BTreeSet<&str> {
        let rows = list
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split_once(" - "));
        rows.map(|(name, _)| name.trim()).collect()
    }
    let of_table = FEATURES.cpus.iter().map(|cpu| cpu.name);
    let of_table: BTreeSet<&str> = of_table.chain(FEATURES.narrow_cpus.iter().copied()).collect();
    assert_eq!(of_table, names(cpus));
    let of_table = ROWS.iter().map(|row| row.name);
    let of_table = of_table.chain(FEATURES.tuning.iter().copied());
    let of_table: BTreeSet<&str> = of_table.chain(FEATURES.refused.iter().copied()).collect();
    assert_eq!(of_table, names(features));
}

/// The features that LLVM says that functions have, by name and attributes of the function.
fn of_llvm(callers: &[(&'static str, String)]) -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let asked = ROWS;
    let mut text = "target triple = \"aarch64-unknown-linux-gnu\"\n".to_owned();
    for (number, feature) in asked.iter().enumerate() {
        let name = feature.name;
        let _ = writeln!(
            text,
            "define internal void @f{number}() \"target-cpu\"=\"generic\" \"target-features\"=\"{NONE},+{name}\" {{ \
             ret void }}"
        );
    }
    for (number, (_, attributes)) in callers.iter().enumerate() {
        let _ = writeln!(text, "define void @c{number}() {attributes} {{");
        (0..asked.len()).for_each(|number| {
            let _ = writeln!(text, "  call void @f{number}()");
        });
        text.push_str("  ret void\n}\n");
    }
    let folder = Folder::new("processors");
    let path = folder.write("in.ll", text);
    let text = said(
        Command::new("opt-22")
            .args(["-passes=inline", "-S", "-o", "-"])
            .arg(path),
    );
    let all: BTreeSet<&str> = asked.iter().map(|feature| feature.name).collect();
    let mut found = BTreeMap::new();
    for body in text.split("define void @c").skip(1) {
        let (number, body) = body.split_once('(').expect("a function");
        let (caller, _) = callers[number.parse::<usize>().expect("a number")];
        let body = body.split_once("\n}").expect("a body").0;
        let left = body
            .lines()
            .filter_map(|line| line.split_once("call void @f")?.1.strip_suffix("()"));
        let missing = left.map(|number| asked[number.parse::<usize>().expect("a number")].name);
        let missing: BTreeSet<&str> = missing.collect();
        found.insert(caller, all.difference(&missing).copied().collect());
    }
    found
}

/// Compares sets of features with LLVM's.
fn compare(callers: &[(&'static str, String)], ours: impl Fn(&str) -> FeatureSet) {
    let found = of_llvm(callers);
    assert_eq!(found.len(), callers.len());
    let mut differences = Vec::new();
    for (caller, _) in callers {
        let has = closed(ours(caller));
        let ours: BTreeSet<&str> = ROWS.iter().filter(|row| has.has(row.bit)).map(|row| row.name).collect();
        let theirs = &found[caller];
        for name in ours.symmetric_difference(theirs) {
            let who = if ours.contains(name) { "only here" } else { "only LLVM" };
            differences.push(format!("{caller}: {name} ({who})"));
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn processors_have_the_features_that_llvm_says() {
    let callers: Vec<(&str, String)> = FEATURES
        .cpus
        .iter()
        .map(|cpu| {
            (
                cpu.name,
                format!("\"target-cpu\"=\"{}\" \"tune-cpu\"=\"generic\"", cpu.name),
            )
        })
        .collect();
    let of_table = |name: &str| FEATURES.cpus.iter().find(|cpu| cpu.name == name);
    compare(&callers, |name| of_table(name).expect("it is in the table").features);
}

#[test]
fn features_imply_what_llvm_says() {
    let callers: Vec<(&str, String)> = ROWS
        .iter()
        .map(|row| (row.name, format!("\"target-features\"=\"{NONE},+{}\"", row.name)))
        .collect();
    let of_table = |name: &str| ROWS.iter().find(|row| row.name == name);
    compare(&callers, |name| {
        FeatureSet::of(&[of_table(name).expect("it is in the table").bit])
    });
}

/// The set and what it implies, without what all processors have.
fn closed(set: FeatureSet) -> FeatureSet {
    let mut closed = set;
    loop {
        let before = closed;
        for row in ROWS.iter().filter(|row| before.has(row.bit)) {
            closed = closed.union(row.implies);
        }
        if closed == before {
            return closed;
        }
    }
}
