//! The code of every sample through two disassemblers, which share nothing with each other: they must name it as we do.
//!
//! What they write differently is brought to one form: numbers, space, and a few names. Instructions that a linker
//! fills in, and branches, are left to the assemblers.

use super::{PlainNames, all_rows, encoded, row, samples};
use crate::expand::expand;
use crate::print::print_to;
use crate::regs::{SP, XZR};
use crate::table::Op;
use frazil_codegen::MInst;
use frazil_test_support::Folder;
use std::process::Command;

/// The samples that are one instruction of the machine with nothing for a linker, with their words and texts. Sequences
/// come as their parts.
fn words() -> Vec<(MInst, u32, String)> {
    let mut all = Vec::new();
    for op in all_rows() {
        for sample in samples(op) {
            expand(&sample, &mut |inst| {
                let buf = encoded(inst);
                let form = row(inst).code.form;
                if !buf.relocs.is_empty() || super::assembler::has_label(form) {
                    return;
                }
                let mut text = String::new();
                print_to(inst, &PlainNames, &mut text).expect("a string takes all text");
                let word = u32::from_le_bytes(*buf.bytes.first_chunk().expect("it is one instruction"));
                all.push((*inst, word, text));
            });
        }
    }
    all
}

/// Text in one form: words and numbers, separated by a space each.
fn normal(text: &str) -> String {
    let mut words = String::new();
    // A comment of the disassembler.
    let text = text.split("//").next().unwrap_or_default();
    let text = without_ranges(text);
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let end = rest
            .find(|letter: char| {
                !(letter.is_ascii_alphanumeric() || letter == '_' || letter == '.' || letter == '-' || letter == '+')
            })
            .unwrap_or(rest.len());
        if end == 0 {
            if matches!(first, '[' | ']' | '!' | '{' | '}') {
                words.push(' ');
                words.push(first);
            }
            rest = &rest[first.len_utf8()..];
            continue;
        }
        words.push(' ');
        words.push_str(&number(&rest[..end].to_ascii_lowercase()));
        rest = &rest[end..];
    }
    words
}

/// Lists of registers one by one: `{v24.8b-v26.8b}` becomes `{v24.8b, v25.8b, v26.8b}`.
fn without_ranges(text: &str) -> String {
    let parts = text.split_once('{').and_then(|(before, rest)| {
        let (list, after) = rest.split_once('}')?;
        let (first, last) = list.split_once('-')?;
        let (first, arrangement) = first.trim().strip_prefix('v')?.split_once('.')?;
        let (last, _) = last.trim().strip_prefix('v')?.split_once('.')?;
        let numbers = first.parse::<u32>().ok()?..=last.parse().ok()?;
        let names: Vec<String> = numbers.map(|number| format!("v{number}.{arrangement}")).collect();
        Some(format!("{before}{{{}}}{after}", names.join(", ")))
    });
    parts.unwrap_or_else(|| text.to_owned())
}

/// A number in one form, or the word.
fn number(word: &str) -> String {
    if let Some(digits) = word.strip_prefix("0x")
        && let Ok(value) = u64::from_str_radix(digits, 16)
    {
        return signed(value);
    }
    if let Some(digits) = word.strip_prefix("-0x")
        && let Ok(value) = i64::from_str_radix(digits, 16)
    {
        return (-value).to_string();
    }
    if let Ok(value) = word.parse::<u64>() {
        return signed(value);
    }
    if let Ok(value) = word.parse::<i64>() {
        return value.to_string();
    }
    // Two conditions have two names.
    match word {
        "cs" => return "hs".to_owned(),
        "cc" => return "lo".to_owned(),
        _ => {}
    }
    match word.parse::<f64>() {
        Ok(value) if word.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+')) => {
            value.to_string()
        }
        _ => word.to_owned(),
    }
}

/// A number with the sign that it has in 32 bits, if it has no more, or in 64.
fn signed(value: u64) -> String {
    match u32::try_from(value) {
        Ok(value) => value.cast_signed().to_string(),
        Err(_) => value.cast_signed().to_string(),
    }
}

/// What a disassembler writes for each word.
fn disassembled(program: &str, arguments: &[&str], words: &[u32]) -> Option<Vec<String>> {
    let version = Command::new(program).arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "there is no {program}");
        eprintln!("skipped: there is no {program}");
        return None;
    }
    let folder = Folder::new("disassembler");
    let lines: String = words.iter().map(|word| format!(".inst {word:#x}\n")).collect();
    let source = folder.write("a.s", lines);
    let object = folder.path("a.o");
    let assembler = Command::new("llvm-mc-22")
        .args(["--triple=aarch64-linux-gnu", "--filetype=obj", "-o"])
        .arg(&object)
        .arg(&source)
        .status();
    assert!(assembler.is_ok_and(|status| status.success()));
    let output = Command::new(program).args(arguments).arg(&object).output();
    let output = output.expect("it was there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listing = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = listing.lines().filter_map(|line| {
        let (place, text) = line.split_once(':')?;
        u64::from_str_radix(place.trim(), 16).ok()?;
        Some(text.trim().to_owned())
    });
    Some(lines.collect())
}

fn compare(program: &str, arguments: &[&str], is_known: impl Fn(&MInst, &str, &str) -> bool) {
    let all = words();
    let words: Vec<u32> = all.iter().map(|(_, word, _)| *word).collect();
    let Some(lines) = disassembled(program, arguments, &words) else {
        return;
    };
    assert_eq!(lines.len(), words.len());
    let mut wrong = Vec::new();
    for ((inst, word, text), line) in all.iter().zip(&lines) {
        let (ours, theirs) = (normal(text), normal(line));
        if ours != theirs && !is_known(inst, &ours, &theirs) {
            wrong.push(format!("{} {word:08x}: `{text}`, but `{line}`", row(inst).name));
        }
    }
    let rows: std::collections::BTreeMap<&str, &String> = wrong
        .iter()
        .rev()
        .map(|line| (line.split(' ').next().unwrap_or_default(), line))
        .collect();
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), all.len(), rows);
}

#[test]
fn llvm_names_every_sample_as_we_do() {
    compare(
        "llvm-objdump-22",
        &["-d", "--no-show-raw-insn", "--mattr=+all", "-z", "--no-print-imm-hex"],
        // A field of zeros has a name of its own for the other one.
        |inst, _, _| inst.op == Op::Bfm as u16 && inst.reg(1) == XZR,
    );
}

#[test]
fn binutils_name_every_sample_as_we_do() {
    compare(
        "aarch64-linux-gnu-objdump",
        &["-d", "--no-show-raw-insn", "-z"],
        // The stack pointer is never set to a number; the LLVM project's tool names it as we do.
        // A shift by nothing has a name of its own.
        |inst, _, theirs| {
            let is_extension = theirs.starts_with(" sxtl") || theirs.starts_with(" uxtl");
            inst.op == Op::OrrI as u16 && inst.reg(0) == SP || is_extension && inst.imm == 0
        },
    );
}
