//! Tests of the options that look at passes while they run.

use crate::frazil;
use frazil_test_support::{Folder, names};
use std::fs::File;
use std::process::{Output, Stdio};

/// Two functions with work for `mem2reg` and `dce`.
const TEXT: &str = "\
func @first(i32) -> i32 {
  v1 = slot 4 align 4
b0:
  store align 4 i32 v0, v1
  v2 = load align 4 i32 v1
  return v2
}
func @second(i32) -> i32 {
b0:
  v1 = add i32 v0, 1
  return v0
}
";

const RECIPE: &str = "[recipe.two]\nsummary = 'for tests'\npasses = ['mem2reg', 'dce']\n";

/// A folder with the text and the recipe in it.
struct Case(Folder);

impl Case {
    fn new(name: &str) -> Case {
        let folder = Folder::new(name);
        folder.write("in.fzl", TEXT);
        folder.write("two.toml", RECIPE);
        Case(folder)
    }

    /// Runs the command on the text with the recipe.
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = frazil();
        command
            .arg(self.0.path("in.fzl"))
            .args(["--target", "x86_64", "--recipe-file"]);
        command.arg(self.0.path("two.toml")).args(arguments);
        command.output().expect("frazil starts")
    }

    /// What it prints to standard error, compiling to nothing.
    fn messages(&self, arguments: &[&str]) -> String {
        let output = self.run(&[&["-o", "/dev/null"], arguments].concat());
        let text = String::from_utf8(output.stderr).expect("text");
        assert!(output.status.success(), "{text}");
        text
    }
}

/// The titles of what was printed.
fn titles(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("; #")).collect()
}

#[test]
fn functions_are_printed_around_the_passes_that_are_asked_for() {
    let case = Case::new("print");
    let text = case.messages(&["--print-before", "dce", "--print-after", "mem2reg"]);
    let expected = [
        "; #0 @first, after mem2reg",
        "; #0 @first, before dce",
        "; #1 @second, after mem2reg",
        "; #1 @second, before dce",
    ];
    assert_eq!(titles(&text), expected);
    let text = case.messages(&["--print-changed"]);
    assert_eq!(titles(&text), ["; #0 @first, after mem2reg", "; #1 @second, after dce"]);
    assert!(
        text.contains("; #1 @second, after dce\nfunc @second(i32 v0) -> i32 {\nb0:\n  return v0\n}\n"),
        "{text}"
    );
    let text = case.messages(&["--print-after", "all", "--filter-func", "sec"]);
    assert_eq!(
        titles(&text),
        ["; #1 @second, after mem2reg", "; #1 @second, after dce"]
    );
    let text = case.messages(&["--print-after", "dce", "--filter-func", "#0", "--dot-cfg"]);
    assert!(text.starts_with("; #0 @first, after dce\ndigraph {"), "{text}");
}

/// A function that calls another one, and a table of constants.
const CALLER: &str = "\
triple \"x86_64-linux-gnu\"
symbol @table data
symbol @callee function
func @caller(i64, i64) -> i64 {
b0:
  v2 = ptr_index scale 8 ptr @table, v0
  v3 = load align 8 i64 v2
  v4 = call @callee(v3) : (i64) -> i64
  v5 = add i64 v4, v1
  return v5
}
";

#[test]
fn machine_code_is_printed_with_names_and_addresses() {
    let folder = Folder::new("machine");
    let input = folder.write("in.fzl", CALLER);
    let run = |words: &[&str]| {
        let output = frazil()
            .arg(&input)
            .args(["-O2", "-relocation-model=pic", "-o", "-"])
            .args(words)
            .output();
        let output = output.expect("frazil starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (text(output.stdout), text(output.stderr))
    };
    let (_, printed) = run(&[
        "--emit=asm",
        "--print-before=select,regalloc",
        "--print-after=select,regalloc",
    ]);
    let expected = [
        "; #0 @caller, before select",
        "; #0 @caller, after select",
        "; #0 @caller, before regalloc",
        "; #0 @caller, after regalloc",
    ];
    assert_eq!(titles(&printed), expected);
    assert!(printed.contains("CallRef.8 @callee(plt) {reads "), "{printed}");
    assert!(printed.contains("= [@table(got)]"), "{printed}");
    let (last, _) = run(&["--stop-after=shrink-wrap"]);
    assert!(last.contains("  MovRM.8 rdi = [rax + rdi * 8]\n"), "{last}");
    for stop in ["select", "regalloc"] {
        let (text, _) = run(&["--stop-after", stop]);
        assert!(text.starts_with("; @caller\n; NAME.BYTES written = read "), "{text}");
        assert!(text.contains(" * 8]"), "{text}");
        assert_eq!(text.contains(" v0 = rdi\n"), stop == "select", "{text}");
    }
    let (_, graph) = run(&["--emit=null", "--dot-cfg", "--print-after=regalloc"]);
    assert!(
        graph.contains("digraph {\n    0 [label=\"block 0: ; of b0\\l"),
        "{graph}"
    );
    let (_, graph) = run(&["--emit=null", "--dot-cfg"]);
    assert!(graph.starts_with("; #0 @caller, input\ndigraph {"), "{graph}");
}

#[test]
fn text_is_recognized_on_standard_input() {
    let folder = Folder::new("standard-input");
    let input = folder.write("in", CALLER);
    let of = |stdin: Stdio, name: &str| {
        let output = frazil()
            .args([name, "-o", "-"])
            .stdin(stdin)
            .output()
            .expect("frazil starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let by_stream = of(File::open(&input).expect("readable").into(), "-");
    let named = folder.write("in.fzl", CALLER);
    assert!(by_stream == of(Stdio::null(), named.to_str().expect("a plain path")));
}

#[test]
fn a_folder_gets_a_file_for_each_function_and_pass() {
    let case = Case::new("dump");
    let dumps = case.0.path("dumps");
    case.messages(&["--dump-dir", dumps.to_str().expect("a plain path")]);
    assert_eq!(names(&dumps), ["0000_first", "0001_second"]);
    let files = names(dumps.join("0001_second"));
    assert_eq!(files, ["00_input.fzl", "01_mem2reg.fzl", "02_dce.fzl"]);
    let output = case.run(&["-o", "/dev/null", "--dump-dir", dumps.to_str().expect("a plain path")]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("the folder is not empty"));
}

#[test]
fn compilation_can_stop_after_a_pass_and_go_on_from_there() {
    let case = Case::new("stop");
    let output = case.run(&["--stop-after", "mem2reg"]);
    let middle = String::from_utf8(output.stdout).expect("text");
    assert!(
        middle.contains("b0:\n  return v0\n") && middle.contains("add i32 v0, 1"),
        "{middle}"
    );
    case.0.write("in.fzl", &middle);
    let output = case.run(&[
        "--start-before",
        "dce",
        "--emit",
        "ir",
        "-o",
        "-",
        "--print-after",
        "all",
    ]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("add"));
    let text = String::from_utf8(output.stderr).expect("text");
    assert_eq!(titles(&text), ["; #0 @first, after dce", "; #1 @second, after dce"]);
    let output = case.run(&["--stop-after", "mem2regs"]);
    let expected = "frazil: error: recipe two has no pass `mem2regs`; did you mean `mem2reg`?\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    let output = case.run(&["--stop-after", "mem2reg", "--emit", "obj"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("--stop-after writes the intermediate representation"));
}

#[test]
fn executions_are_numbered_and_can_be_left_out() {
    let case = Case::new("bisect");
    let list = case.messages(&["--bisect-limit=-1"]);
    let lines: Vec<&str> = list.lines().map(str::trim).collect();
    let all = ["1 mem2reg @first", "2 dce @first", "3 mem2reg @second", "4 dce @second"];
    assert_eq!(lines, all);
    for (limit, changed) in [("0", 0), ("1", 1), ("3", 1), ("4", 2)] {
        let text = case.messages(&["--bisect-limit", limit, "--print-changed"]);
        assert_eq!(titles(&text).len(), changed, "{limit}");
    }
}

#[test]
fn times_and_counts_are_given_by_pass_and_function() {
    let case = Case::new("times");
    let text = case.messages(&["--time-passes", "--time-functions=1", "--stats"]);
    for start in ["mem2reg ", "dce: instructions removed", "mem2reg: slots promoted"] {
        assert!(text.lines().any(|line| line.starts_with(start)), "{start}: {text}");
    }
    let last = text
        .lines()
        .filter(|line| line.ends_with("first") || line.ends_with("second"));
    assert_eq!(last.count(), 1, "{text}");
    let text = case.messages(&["--time-passes=json"]);
    for part in [
        "\"name\": \"second\"",
        "\"statistic\": \"instructions removed\"",
        "\"optimize\": ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn text_that_is_wrong_is_refused() {
    let case = Case::new("text");
    for (text, message) in [
        ("func @f( {", "in.fzl:1:"),
        ("func @f() -> i32 {\nb0:\n  return\n}\n", "the text is no valid module"),
    ] {
        case.0.write("in.fzl", text);
        let output = case.run(&["-o", "/dev/null"]);
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(1) && messages.contains(message),
            "{messages}"
        );
    }
}
