//! The command: exit status, messages, and what it leaves in the file system.

use crate::{SAMPLE, frazil};
use frazil_test_support::Folder;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(command: &mut Command) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = command.output().expect("frazil starts");
    (status.code(), String::from_utf8(stderr).expect("messages are text"))
}

#[test]
fn the_object_links_and_runs() {
    let folder = Folder::new("runs");
    let object = folder.path("hello.o");
    let program = folder.path("hello");
    assert_eq!(
        run(frazil().arg(SAMPLE).arg("-o").arg(&object)),
        (Some(0), String::new())
    );
    let linked = Command::new("cc")
        .arg(&object)
        .arg("-o")
        .arg(&program)
        .status()
        .expect("cc runs");
    assert!(linked.success());
    let output = Command::new(&program).arg("x").output().expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.starts_with("Hello from Frazil!\n 0! = 1\n 5! = 120\n"), "{text}");
    assert!(text.ends_with("20! = 2432902008176640000\nargument 1: x\n"), "{text}");
    assert_eq!(folder.names(), ["hello", "hello.o"]);
}

#[test]
fn other_linkers_take_the_object_too() {
    let folder = Folder::new("linkers");
    let object = folder.path("hello.o");
    let sections = ["--function-sections", "--data-sections"];
    assert_eq!(
        run(frazil().arg(SAMPLE).args(sections).arg("-o").arg(&object)).0,
        Some(0)
    );
    for linker in ["ld.bfd", "ld.lld-22"] {
        let program = folder.path(linker);
        let mut link = Command::new("clang-22");
        link.arg("-Wl,--gc-sections,--fatal-warnings")
            .arg(&object)
            .arg("-o")
            .arg(&program);
        let linked = link
            .arg(format!("--ld-path=/usr/bin/{linker}"))
            .status()
            .expect("clang-22 runs");
        assert!(linked.success(), "{linker}");
        assert!(
            Command::new(&program)
                .stdout(Stdio::null())
                .status()
                .expect("it runs")
                .success(),
            "{linker}"
        );
    }
}

#[test]
fn standard_streams_carry_the_same_bytes_as_files() {
    let folder = Folder::new("streams");
    let object = folder.path("hello.o");
    assert_eq!(run(frazil().arg(SAMPLE).arg("-o").arg(&object)).0, Some(0));
    let mut child = frazil()
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("frazil starts");
    let bitcode = fs::read(SAMPLE).expect("the sample can be read");
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(&bitcode)
        .expect("frazil reads");
    let output = child.wait_with_output().expect("frazil ends");
    assert!(output.status.success());
    assert_eq!(output.stdout, fs::read(&object).expect("readable"));
}

#[test]
fn bytes_do_not_depend_on_the_folder() {
    let folder = Folder::new("elsewhere");
    let input = folder.path("hello.bc");
    fs::copy(SAMPLE, &input).expect("copied");
    assert_eq!(run(frazil().arg("hello.bc").current_dir(&folder)).0, Some(0));
    let other = folder.path("other.o");
    assert_eq!(run(frazil().arg(SAMPLE).arg("-o").arg(&other)).0, Some(0));
    assert_eq!(
        fs::read(folder.path("hello.o")).expect("readable"),
        fs::read(other).expect("readable")
    );
}

#[test]
fn a_failed_run_leaves_the_earlier_output_alone() {
    let folder = Folder::new("fails");
    let (input, output) = (folder.path("cut.bc"), folder.path("out.o"));
    let bitcode = fs::read(SAMPLE).expect("the sample can be read");
    fs::write(&input, &bitcode[..bitcode.len() / 2]).expect("writable");
    fs::write(&output, "earlier").expect("writable");
    let (status, message) = run(frazil().arg(&input).arg("-o").arg(&output));
    assert_eq!(status, Some(1));
    let start = format!("frazil: error: {}: ", input.display());
    assert!(message.starts_with(&start) && message.contains("(at bit "), "{message}");
    assert_eq!(fs::read(&output).expect("readable"), b"earlier");
    assert_eq!(folder.names(), ["cut.bc", "out.o"]);
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let (status, message) = run(frazil().arg(SAMPLE).args(["-o", "/nonexistent/out.o"]));
    assert_eq!(status, Some(1));
    assert!(message.contains("cannot write the output: "), "{message}");
    if Path::new("/dev/full").exists() {
        let (status, message) = run(frazil().arg(SAMPLE).args(["-o", "/dev/full"]));
        assert_eq!(status, Some(1));
        assert!(message.contains("cannot write the output: "), "{message}");
    }
}

#[test]
fn mistyped_names_get_a_suggestion() {
    for (option, value, message) in [
        (
            "--target",
            "x86_46",
            "frazil: error: unknown target `x86_46`; did you mean `x86_64`?\n",
        ),
        (
            "--recipe",
            "om1",
            "frazil: error: unknown recipe `om1`; did you mean `Om1`?\n",
        ),
        (
            "--threads",
            "5000",
            "frazil: error: invalid value '5000' for '--threads <N>': 5000 is not from 0 to 4096\n\nFor more information, \
             try '--help'.\n",
        ),
    ] {
        let result = run(frazil().args([SAMPLE, "-o", "/dev/null", option, value]));
        assert_eq!(result, (Some(1), message.to_owned()));
    }
    let (status, message) = run(frazil().args([SAMPLE, "--emit", "object"]));
    assert_eq!(status, Some(1));
    assert!(
        message.starts_with("frazil: error: invalid value 'object'"),
        "{message}"
    );
    assert!(
        message.contains("possible values: obj, asm, ir, pexe, null"),
        "{message}"
    );
}

/// What a run that must succeed prints to standard output.
fn answer(arguments: &[&str]) -> String {
    let output = frazil().args(arguments).output().expect("frazil starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn recipes_come_from_files_too_and_explain_themselves() {
    let folder = Folder::new("recipes");
    let path = folder.path("my.toml");
    let file = path.to_str().expect("a plain path");
    fs::write(file, "[recipe.mine]\nsummary = 'my own'\nextends = 'Om1'\n").expect("writable");
    let text = answer(&["--recipe-file", file, "--explain-recipe", "mine"]);
    assert!(text.starts_with("mine: my own\nextends Om1\n"), "{text}");
    let result = run(frazil().args([SAMPLE, "-o", "/dev/null", "--recipe-file", file]));
    assert_eq!(result, (Some(0), String::new()));
    let result = run(frazil().args([SAMPLE, "-o", "/dev/null", "--passes", "no-such-pass"]));
    let message = "frazil: error: --passes: unknown pass `no-such-pass`; --list-passes shows all\n";
    assert_eq!(result, (Some(1), message.to_owned()));
    fs::write(file, "[recipe.mine]\nextent = 'Om1'\n").expect("writable");
    let (status, message) = run(frazil().args([SAMPLE, "-o", "/dev/null", "--recipe-file", file]));
    let expected = format!("frazil: error: {file}:2:1: unknown key `extent`; did you mean `extends`?\n");
    assert_eq!((status, message), (Some(1), expected));
    assert!(answer(&["--recipe-schema"]).contains("\"title\": \"Recipes of Frazil\""));
    answer(&["--list-passes"]);
}

#[test]
fn assembly_text_tells_where_lines_come_from_and_what_is_alive() {
    let text = answer(&[SAMPLE, "--recipe", "O2", "--emit", "asm", "--asm-verbose", "-o", "-"]);
    let call = text.lines().find(|line| line.contains("call\t")).expect("a call");
    assert!(
        call.contains("# ") && call.contains("= call") && call.contains("; ends rax rdi"),
        "{call}"
    );
    let fast = answer(&[SAMPLE, "--emit", "asm", "--asm-verbose", "-o", "-"]);
    assert!(fast.lines().any(|line| line.contains("ret\t# return")), "{fast}");
    let plain = answer(&[SAMPLE, "--recipe", "O2", "--emit", "asm", "-o", "-"]);
    assert!(!plain.contains("; live"));
}

#[test]
fn registers_can_be_chosen_and_a_needed_one_is_named() {
    let with = |option: &str, names: &str| answer(&[SAMPLE, "--recipe=O2", "--emit=asm", "-o", "-", option, names]);
    let default = answer(&[SAMPLE, "--recipe=O2", "--emit=asm", "-o", "-"]);
    let is_pushed = |text: &str| text.contains("push\t%r15");
    assert!(!is_pushed(&default));
    assert!(
        is_pushed(&with("--reg-use", "rax,r15")),
        "values that live over calls get r15 alone"
    );
    let (_, message) = run(frazil().args([SAMPLE, "--recipe=O2", "--reg-reserve=rdi", "-o", "-"]));
    assert!(message.contains("reserving register rdi"), "{message}");
    let (_, message) = run(frazil().args([SAMPLE, "--recipe=O2", "--reg-exclude=rex", "-o", "-"]));
    assert!(message.contains("did you mean `rax`"), "{message}");
    let (_, message) = run(frazil().args([SAMPLE, "--recipe=Om1", "--reg-exclude=rax", "-o", "-"]));
    assert!(message.contains("codegen mode `select`"), "{message}");
}

#[test]
fn an_input_that_is_missing_or_no_bitcode_is_named() {
    let (status, message) = run(frazil().arg("/nonexistent.bc"));
    assert_eq!(status, Some(1));
    assert!(
        message.starts_with("frazil: error: /nonexistent.bc: cannot read the input: "),
        "{message}"
    );
    let folder = Folder::new("elf");
    let object = folder.path("object.o");
    fs::write(&object, b"\x7fELF\x02\x01\x01\x00").expect("writable");
    let (status, message) = run(frazil().arg(&object).args(["-o", "/dev/null"]));
    assert_eq!(status, Some(1));
    let start = format!("frazil: error: {}: ", object.display());
    assert!(message.starts_with(&start), "{message}");
}

#[test]
fn times_and_counts_are_printed_on_request() {
    let (status, message) = run(frazil().args([SAMPLE, "-o", "/dev/null", "--time-passes", "--stats"]));
    assert_eq!(status, Some(0));
    for row in ["read ", "compile ", "write ", "total ", "functions ", "instructions "] {
        assert!(message.lines().any(|line| line.starts_with(row)), "{message}");
    }
}

#[test]
fn help_has_examples_and_the_version_lists_the_targets() {
    let help = frazil().arg("--help").output().expect("frazil starts");
    assert!(String::from_utf8_lossy(&help.stdout).contains("Examples:\n  frazil hello.bc -o hello.o"));
    let version = frazil().arg("--version").output().expect("frazil starts");
    let text = String::from_utf8_lossy(&version.stdout);
    assert!(
        text.contains("Registered Targets:\n    x86_64 ") && text.contains("x86-64"),
        "{text}"
    );
}
