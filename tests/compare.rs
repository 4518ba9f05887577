//! `frazil compare` as a user starts it.

use crate::{SAMPLE, frazil};
use frazil_test_support::Folder;
use serde_json::Value;
use std::fs;
use std::process::Output;

fn compare(words: &[&str]) -> Output {
    let mut command = frazil();
    command.arg("compare").args(words).args(["--repeat", "1"]);
    command.output().expect("it starts")
}

/// The report of a comparison in which nothing fails.
fn json(words: &[&str]) -> Value {
    let (report, messages) = json_with_messages(words, 0);
    assert_eq!(messages, "");
    report
}

/// The report, and what is said beside it.
fn json_with_messages(words: &[&str], status: i32) -> (Value, String) {
    let output = compare(&[words, &["--json"]].concat());
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{messages}");
    (serde_json::from_slice(&output.stdout).expect("JSON"), messages)
}

#[test]
fn both_sides_have_figures_by_function_and_in_all() {
    let report = json(&[SAMPLE, "--llc", "llc-22", "--levels", "0:2,2"]);
    assert_eq!(report["levels"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["levels"][0]["level"]["llc"], "2");
    for level in report["levels"].as_array().expect("levels") {
        for side in ["frazil", "llc"] {
            assert!(level[side]["error"].is_null(), "{}", level[side]["error"]);
            assert!(level[side]["cost"]["time_ms"].as_f64() > Some(0.0));
            assert!(level[side]["text_bytes"].as_u64() > Some(100));
            let functions = level["functions"].as_array().expect("functions");
            let sum = |figure: &str| {
                functions
                    .iter()
                    .filter_map(|row| row[side][figure].as_u64())
                    .sum::<u64>()
            };
            assert_eq!(level[side]["counts"]["instructions"], sum("instructions"));
            assert_eq!(level[side]["counts"]["frame_bytes"], sum("frame_bytes"));
            assert!(sum("bytes") <= level[side]["text_bytes"].as_u64().unwrap_or(0));
        }
        for ratio in ["time", "memory", "size", "instructions"] {
            assert!(level["ratios"][ratio].as_f64() > Some(0.0), "{ratio}");
        }
        assert!(level["functions"][0].get("blocks").is_none(), "assembly is for pages");
    }
}

#[test]
fn a_side_that_fails_is_empty_and_says_why() {
    let (report, messages) = json_with_messages(&[SAMPLE, "--levels", "0", "--llc", "/nonexistent/llc"], 1);
    let start = "frazil compare: error: -O0: llc gave nothing: cannot run /nonexistent/llc";
    assert!(messages.starts_with(start), "{messages}");
    let level = &report["levels"][0];
    let reason = level["llc"]["error"].as_str().expect("a reason");
    assert!(reason.starts_with("cannot run /nonexistent/llc"), "{reason}");
    assert!(level["frazil"]["text_bytes"].as_u64() > Some(100) && level["llc"]["text_bytes"].is_null());
    // Text of Frazil's own is none that llc can read.
    let folder = Folder::new("compare");
    let text = "triple \"x86_64-unknown-linux-gnu\"\nfunc @f() -> i32 {\nb0:\n  return 1\n}\n";
    let input = folder.write("in.fzl", text);
    let (report, _) = json_with_messages(&[&input.to_string_lossy(), "--levels", "2", "--llc", "llc-22"], 1);
    assert!(
        report["levels"][0]["llc"]["error"]
            .as_str()
            .is_some_and(|reason| reason.contains("error"))
    );
    assert_eq!(report["levels"][0]["functions"][0]["name"], "f");
    let empty = folder.write("empty.bc", "BC");
    let (report, messages) = json_with_messages(&[&empty.to_string_lossy(), "--levels", "0", "--llc", "llc-22"], 1);
    assert_eq!(messages.lines().count(), 2, "{messages}");
    let reason = report["levels"][0]["frazil"]["error"].as_str().expect("a reason");
    assert!(reason.starts_with("frazil: error: "), "{reason}");
}

#[test]
fn programs_are_linked_run_and_compared() {
    let linked_by = |link: &str, run: &str, status: i32| {
        let words = [SAMPLE, "--levels", "2", "--llc", "llc-22", "--run", run, "--link", link];
        json_with_messages(&words, status)
    };
    let (report, messages) = linked_by("cc {} -o {}", "{} one two", 0);
    assert_eq!(messages, "");
    let programs = &report["levels"][0]["programs"];
    assert_eq!(
        (&programs["agree"], &programs["frazil"]["status"]),
        (&Value::Bool(true), &Value::from(0))
    );
    assert!(report["levels"][0]["ratios"]["run"].is_number() || programs["llc"]["time_ms"] == 0.0);
    let (report, messages) = linked_by("cc --no-such-option {} {}", "{}", 1);
    let start = "frazil compare: error: -O2: frazil's program: linking failed: ";
    assert!(messages.starts_with(start), "{messages}");
    let error = report["levels"][0]["programs"]["llc"]["error"]
        .as_str()
        .expect("a reason");
    assert!(error.starts_with("linking failed: "), "{error}");
    // The second program says something else.
    let (report, messages) = linked_by("cc {} -o {}", "echo {}", 1);
    assert_eq!(report["levels"][0]["programs"]["agree"], false);
    let expected = "frazil compare: error: -O2: the programs differ in what they print or how they end\n";
    assert_eq!(messages, expected);
}

#[test]
fn steps_are_said_on_request() {
    let output = compare(&[SAMPLE, "--levels", "0,2", "--llc", "llc-22", "--progress"]);
    let messages = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = messages.lines().collect();
    assert_eq!(lines.first(), Some(&"frazil compare: 1 of 8: -O0: frazil, run 1 of 1"));
    assert_eq!(lines.last(), Some(&"frazil compare: 8 of 8: -O2: assembly of llc"));
    assert_eq!(lines.len(), 8, "{messages}");
}

#[test]
fn conditions_decide_the_status() {
    let status = |condition: &str| {
        let output = compare(&[SAMPLE, "--levels", "2", "--llc", "llc-22", "--fail-if", condition]);
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    assert_eq!(status("size>100"), (Some(0), String::new()));
    let (code, message) = status("size<100");
    assert_eq!(code, Some(3));
    assert!(
        message.starts_with("frazil compare: -O2: size is ") && message.ends_with(" < 100\n"),
        "{message}"
    );
    assert_eq!(status("weight>1").0, Some(1));
    let output = compare(&["/nonexistent.bc"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn tables_and_page_show_both() {
    let folder = Folder::new("page");
    let page = folder.path("page.html");
    let output = compare(&[SAMPLE, "--llc", "llc-22", "--html", &page.to_string_lossy()]);
    let text = String::from_utf8_lossy(&output.stdout);
    for words in ["-O0 ", "-O2 ", "code, bytes", "worst functions"] {
        assert!(text.contains(words), "{text}");
    }
    let page = fs::read_to_string(page).expect("written");
    let (_, data) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = data.split_once("</script>").expect("the end of the data");
    let report: Value = serde_json::from_str(data).expect("JSON");
    let (_, assemblies) = page.split_once("id=\"assemblies\">").expect("assemblies");
    let (assemblies, _) = assemblies.split_once("</script>").expect("the end of the assemblies");
    let assemblies: Value = serde_json::from_str(assemblies).expect("JSON");
    for (level, assemblies) in report["levels"]
        .as_array()
        .expect("levels")
        .iter()
        .zip(assemblies.as_array().expect("levels"))
    {
        for function in level["functions"].as_array().expect("functions") {
            let name = function["name"].as_str().expect("a name");
            assert!(
                assemblies[name].as_str().is_some_and(|packed| packed.len() > 20),
                "{name}"
            );
        }
    }
}
