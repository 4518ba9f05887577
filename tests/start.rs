//! What a run of the command loads: no LLVM, which alone would take longer than many compilations.

use crate::{SAMPLE, frazil};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

/// The files that a process has mapped.
fn mapped(process: u32) -> Vec<String> {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).expect("the process is there");
    let mut files: Vec<String> = maps
        .lines()
        .filter_map(|line| line.find('/').map(|start| line[start..].to_owned()))
        .collect();
    files.sort();
    files.dedup();
    files
}

#[test]
fn a_running_frazil_has_mapped_no_llvm() {
    // Many inputs: when the first is done and the second (standard input) is waited for, everything is loaded.
    let mut child = frazil()
        .args([SAMPLE, "-", "-filetype=null", "-stats"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut messages = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    messages.read_line(&mut line).expect("the first file's counts");
    let files = mapped(child.id());
    let bitcode = fs::read(SAMPLE).expect("the sample can be read");
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(&bitcode)
        .expect("it reads");
    while messages.read_line(&mut line).expect("readable") > 0 {}
    assert!(child.wait().expect("it ends").success(), "{line}");
    assert!(files.iter().any(|file| file.contains("frazil")), "{files:?}");
    let foreign = |file: &&String| {
        let name = file.rsplit('/').next().unwrap_or_default();
        !["frazil", "ld-linux", "libc.", "libc-", "libgcc_s", "libm.", "libm-"]
            .iter()
            .any(|known| name.starts_with(known))
    };
    let foreign: Vec<&String> = files.iter().filter(foreign).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}
