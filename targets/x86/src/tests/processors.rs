//! The table of processors against LLVM's own, name by name and feature by feature.
//!
//! LLVM's tools print the names of processors and features, but not which processor has which feature. Its inliner
//! says it: a function is inlined into another only if the other's processor has all that the first may use. So there
//! is a function for each feature, and one for each processor that calls all of them; calls that are left name what the
//! processor does not have.

use crate::features::{CX16, ROWS};
use crate::processors::FEATURES;
use frazil_codegen::features::{Feature, FeatureSet};
use frazil_test_support::Folder;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::{Command, Stdio};

/// What LLVM's inliner does not look at, since no instruction that it could move depends on it.
const NOT_ASKED_FOR: &[&str] = &["64bit", "64bit-mode", "cx16", "ermsb", "fsrm", "nopl", "sahf"];

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
    let text = said(Command::new("llc-22").args(["-march=x86-64", "-mcpu=help"]));
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

/// The features that LLVM says that a processor has, for each that it takes.
fn of_llvm(asked: &[&Feature]) -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let mut text = "target triple = \"x86_64-unknown-linux-gnu\"\n".to_owned();
    for (number, feature) in asked.iter().enumerate() {
        let name = feature.name;
        let _ = writeln!(
            text,
            "define internal void @f{number}() \"target-cpu\"=\"generic\" \"target-features\"=\"+{name}\" {{ ret \
             void }}"
        );
    }
    for (number, cpu) in FEATURES.cpus.iter().enumerate() {
        let _ = writeln!(text, "define void @c{number}() \"target-cpu\"=\"{}\" {{", cpu.name);
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
        let cpu = FEATURES.cpus[number.parse::<usize>().expect("a number")].name;
        let body = body.split_once("\n}").expect("a body").0;
        let left = body
            .lines()
            .filter_map(|line| line.split_once("call void @f")?.1.strip_suffix("()"));
        let missing = left.map(|number| asked[number.parse::<usize>().expect("a number")].name);
        let missing: BTreeSet<&str> = missing.collect();
        found.insert(cpu, all.difference(&missing).copied().collect());
    }
    found
}

#[test]
fn processors_have_the_features_that_llvm_says() {
    let asked: Vec<&Feature> = ROWS.iter().filter(|row| !NOT_ASKED_FOR.contains(&row.name)).collect();
    let found = of_llvm(&asked);
    assert_eq!(found.len(), FEATURES.cpus.len());
    let mut differences = Vec::new();
    for cpu in FEATURES.cpus {
        let has = closed(cpu.features);
        let ours: BTreeSet<&str> = asked
            .iter()
            .filter(|row| has.has(row.bit))
            .map(|row| row.name)
            .collect();
        let theirs = &found[cpu.name];
        for name in ours.symmetric_difference(theirs) {
            let who = if ours.contains(name) { "only here" } else { "only LLVM" };
            differences.push(format!("{}: {name} ({who})", cpu.name));
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

/// The inliner ignores this feature, on which code depends: whether there is an instruction for 16 bytes.
#[test]
fn processors_exchange_sixteen_bytes_where_llvm_does() {
    let mut text = "target triple = \"x86_64-unknown-linux-gnu\"\n".to_owned();
    for (number, cpu) in FEATURES.cpus.iter().enumerate() {
        let _ = writeln!(
            text,
            "define void @c{number}(ptr %p, i128 %v) \"target-cpu\"=\"{}\" {{\n  store atomic i128 %v, ptr %p seq_cst, \
             align 16\n  ret void\n}}",
            cpu.name
        );
    }
    let folder = Folder::new("exchange");
    let path = folder.write("in.ll", text);
    let text = said(Command::new("llc-22").args(["-O0", "-o", "-"]).arg(path));
    for (number, cpu) in FEATURES.cpus.iter().enumerate() {
        let body = text.split_once(&format!("\nc{number}:")).expect("the function").1;
        let body = body.split_once(".cfi_endproc").expect("its end").0;
        // Processors with AVX have vector stores that are atomic.
        let is_direct = body.contains("cmpxchg16b") || body.contains("vmovdqa");
        assert_eq!(cpu.features.has(CX16), is_direct, "{}: {body}", cpu.name);
    }
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
