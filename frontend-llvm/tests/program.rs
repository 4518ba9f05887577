//! `frazil-llvm` as a user starts it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const TEXT: &[u8] = b"define i32 @answer() {\n  ret i32 42\n}\n";

/// Where raw bitcode begins: `BC` and the bytes that follow it.
const MAGIC: &[u8] = &[0x42, 0x43, 0xc0, 0xde];

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_frazil-llvm"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A program that does not read its input has closed it.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file of this test's own in cargo's folder for such files.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn text_becomes_bitcode_and_bitcode_stays_itself() {
    let first = run(&[], TEXT);
    assert_eq!(errors(&first), "");
    assert!(first.status.success());
    assert!(first.stdout.starts_with(MAGIC));
    let second = run(&["-", "-o", "-"], &first.stdout);
    assert_eq!(second.stdout, first.stdout);
    let module = frazil_frontend_pnacl::BitcodeModule::open(
        &first.stdout,
        &frazil_frontend_pnacl::ReadOptions::new(&frazil::platform_of),
    )
    .expect("the native reader takes it");
    assert_eq!(module.module().functions.len(), 1);
}

#[test]
fn files_are_read_and_written() {
    let (input, output) = (scratch("files.ll"), scratch("files.bc"));
    fs::write(&input, TEXT).expect("the file can be written");
    let done = run(&[input.to_str().unwrap(), "-o", output.to_str().unwrap()], b"");
    assert_eq!(errors(&done), "");
    assert!(fs::read(&output).expect("it was written").starts_with(MAGIC));
}

#[test]
fn a_parse_error_has_its_place_and_leaves_an_earlier_output() {
    let (input, output) = (scratch("wrong.ll"), scratch("wrong.bc"));
    fs::write(&input, "define i32 @f() {\n  ret i32 %missing\n}\n").expect("the file can be written");
    fs::write(&output, "earlier").expect("the file can be written");
    let failed = run(&[input.to_str().unwrap(), "-o", output.to_str().unwrap()], b"");
    assert_eq!(failed.status.code(), Some(1));
    let expected = format!(
        "frazil-llvm: error: {}:2:11: use of undefined value '%missing'\n  ret i32 %missing\n          ^\n",
        input.display()
    );
    assert_eq!(errors(&failed), expected);
    assert_eq!(fs::read(&output).expect("it is still there"), b"earlier");
}

#[test]
fn bad_bitcode_and_missing_files_are_errors() {
    let failed = run(&[], b"BC\xc0\xde no bitcode");
    assert_eq!(failed.status.code(), Some(1));
    assert!(
        errors(&failed).starts_with("frazil-llvm: error: "),
        "{}",
        errors(&failed)
    );
    assert!(failed.stdout.is_empty());
    let failed = run(&["no such file"], b"");
    assert_eq!(failed.status.code(), Some(1));
    assert!(errors(&failed).starts_with("frazil-llvm: error: no such file: "));
}

#[test]
fn broken_rules_are_errors() {
    // The value is defined in a block that is not on the way.
    let text = b"define i32 @f() {\n  br label %b\na:\n  %x = add i32 1, 2\n  br label %b\nb:\n  ret i32 %x\n}\n";
    let failed = run(&[], text);
    assert_eq!(failed.status.code(), Some(1));
    assert!(errors(&failed).contains("does not dominate"), "{}", errors(&failed));
}

#[test]
fn an_unknown_argument_is_named() {
    for arguments in [&["a.ll", "b.ll"][..], &["--fast"]] {
        let failed = run(arguments, b"");
        assert_eq!(failed.status.code(), Some(2));
        let last = arguments.last().unwrap();
        assert!(errors(&failed).contains(&format!("`{last}`")), "{}", errors(&failed));
    }
}
