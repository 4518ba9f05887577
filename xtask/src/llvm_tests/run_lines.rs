//! The run lines of LLVM's tests: for which processor and features `llc` is called.

use std::collections::BTreeSet;
use std::fmt;

/// What a run line asks of the processor.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunLine {
    /// Features, each with its sign.
    features: String,
    processor: String,
}

impl RunLine {
    /// The options of llc, and of Frazil.
    pub fn options(&self) -> Vec<String> {
        let of = |option: &str, value: &str| (!value.is_empty()).then(|| format!("--{option}={value}"));
        [of("mattr", &self.features), of("mcpu", &self.processor)]
            .into_iter()
            .flatten()
            .collect()
    }
}

impl fmt::Display for RunLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.options().join(" "))
    }
}

/// Parts of triples of systems whose objects are not ELF, and of those with pointers of 32 bits.
const OTHER_SYSTEMS: [&str; 12] = [
    "darwin", "macos", "apple", "ios", "macho", "windows", "win32", "mingw", "cygwin", "coff", "uefi", "x32",
];

/// What the run lines of a test ask for that are for x86-64 and ELF, each once; if there are none, what the first one
/// asks for, or nothing.
pub fn of(text: &str) -> Vec<RunLine> {
    let calls: Vec<(String, RunLine)> = lines(text).iter().filter_map(|line| call(line)).collect();
    let of_module = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("target triple = \""))
        .map_or("x86_64", |triple| triple.trim_end_matches('"'));
    let fits = |triple: &str| {
        let triple = if triple.is_empty() { of_module } else { triple };
        let is_64 = ["x86_64", "x86-64", "amd64"]
            .iter()
            .any(|name| triple.starts_with(name));
        is_64 && !OTHER_SYSTEMS.iter().any(|system| triple.contains(system))
    };
    let fitting: BTreeSet<&RunLine> = calls
        .iter()
        .filter(|(triple, _)| fits(triple))
        .map(|(_, run)| run)
        .collect();
    if fitting.is_empty() {
        return vec![calls.into_iter().next().map(|(_, run)| run).unwrap_or_default()];
    }
    fitting.into_iter().cloned().collect()
}

/// The run lines, those that go on in the next one put together.
fn lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut begun = String::new();
    for line in text.lines() {
        let Some((start, rest)) = line.split_once("RUN:") else {
            continue;
        };
        if !matches!(start.trim(), ";" | "#") {
            continue;
        }
        match rest.trim().strip_suffix('\\') {
            Some(part) => begun += part,
            None => lines.push(std::mem::take(&mut begun) + rest),
        }
    }
    lines
}

/// The triple and the rest of a line that calls llc.
fn call(line: &str) -> Option<(String, RunLine)> {
    let line = line.replace('|', " | ");
    let mut words = line
        .split_whitespace()
        .skip_while(|&word| word != "llc")
        .skip(1)
        .peekable();
    words.peek()?;
    let (mut triple, mut features, mut processor) = (String::new(), Vec::new(), String::new());
    while let Some(word) = words.next().filter(|word| !matches!(*word, "|" | ">" | "2>&1" | "2>")) {
        let word = word.trim_start_matches('-');
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value),
            None if matches!(word, "mtriple" | "mattr" | "mcpu" | "march") => (word, words.next().unwrap_or_default()),
            None => continue,
        };
        let value = value.trim_matches(['"', '\'']);
        match name {
            "mtriple" => value.clone_into(&mut triple),
            "march" if triple.is_empty() => {
                triple = match value {
                    "x86-64" => "x86_64",
                    "x86" => "i686",
                    other => other,
                }
                .to_owned();
            }
            "mattr" => features.extend(value.split(',').filter(|name| !name.is_empty()).map(with_sign)),
            "mcpu" => value.clone_into(&mut processor),
            _ => {}
        }
    }
    let features = features.join(",");
    Some((triple, RunLine { features, processor }))
}

/// A feature without sign is used, and names may have any case.
fn with_sign(name: &str) -> String {
    let name = name.to_lowercase();
    match name.starts_with(['+', '-']) {
        true => name,
        false => format!("+{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Vec<String> {
        of(text).iter().map(RunLine::to_string).collect()
    }

    #[test]
    fn lines_for_other_systems_are_left_out() {
        let text = "; RUN: llc < %s -mtriple=x86_64-apple-darwin -mattr=+avx | FileCheck %s\n\
                    ; RUN: llc < %s -mtriple=x86_64-linux -mattr=sse4.1,+AVX2 -mcpu=skx | FileCheck %s\n\
                    ; RUN: llc < %s -mtriple=i686-linux -mattr=+sse2 | FileCheck %s\n";
        assert_eq!(options(text), ["--mattr=+sse4.1,+avx2 --mcpu=skx"]);
    }

    #[test]
    fn what_is_asked_for_twice_is_tried_once() {
        let text = "; RUN: llc < %s -mtriple x86_64-- \\\n; RUN:   -mattr=+avx | FileCheck %s\n\
                    ; RUN: llc -O0 < %s --mtriple=x86_64 -mattr=+avx| FileCheck %s\n; RUN: opt -mattr=+sse3 < %s\n";
        assert_eq!(options(text), ["--mattr=+avx"]);
    }

    #[test]
    fn a_test_without_such_lines_is_tried_all_the_same() {
        assert_eq!(options("; RUN: llc -mtriple=i686-- -mattr=+mmx %s\n"), ["--mattr=+mmx"]);
        assert_eq!(options("; RUN: opt %s\n"), [""]);
        let text = "; RUN: llc < %s -mattr=+avx\ntarget triple = \"x86_64-pc-windows-msvc\"\n";
        assert_eq!(options(text), ["--mattr=+avx"]);
    }
}
