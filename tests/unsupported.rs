//! `--list-unsupported`: everything that is refused is said at once, with codes.

use crate::frazil;
use frazil::{Driver, InputForm, Options};
use frazil_test_support::Folder;

const TEXT: &str = r#"triple "x86_64-unknown-linux-gnu"
comdat @big largest
symbol @first function comdat @big
data @short size 3 relocations [0: 3 @first]

func @first(ptr v0, ptr v1) {
b0:
  v2 = load align 16 f128 v0
  v3 = lrint i64 v2
  store align 16 i64 v3, v1
  v4 = lrint i32 v2
  store align 16 i32 v4, v1
  return
}

func @fine() {
b0:
  return
}

func @third(ptr v0) -> i32 {
b0:
  v1 = load align 16 f128 v0
  v2 = lrint i64 v1
  store align 16 i64 v2, v0
  return 3
}
"#;

fn refusals(text: &str) -> Vec<(Option<&'static str>, Option<String>, Option<String>)> {
    let options = Options {
        input_form: InputForm::Text,
        ..Options::default()
    };
    let found = Driver::builtin().list_unsupported(text.as_bytes(), &options);
    let found = found.expect("the text is a module");
    found
        .into_iter()
        .map(|one| (one.code(), one.function, one.location))
        .collect()
}

#[test]
fn all_refusals_of_a_module_are_found_at_once() {
    let row = |code, function: &str, location: &str| {
        let function = (!function.is_empty()).then(|| function.to_owned());
        (Some(code), function, Some(location.to_owned()))
    };
    let expected = [
        row("FZ0302", "", "@big"),
        row("FZ0104", "first", "i1: lrint"),
        row("FZ0104", "first", "i3: lrint"),
        row("FZ0104", "third", "i1: lrint"),
        row("FZ0305", "", "@short"),
    ];
    assert_eq!(refusals(TEXT), expected);
    assert_eq!(refusals("func @fine() {\nb0:\n  return\n}\n"), []);
}

#[test]
fn the_command_reports_as_text_or_json_and_writes_nothing() {
    let folder = Folder::new("unsupported");
    let run = |words: &[&str]| {
        let output = frazil().args(words).current_dir(&folder).output();
        output.expect("the program can be started")
    };
    folder.write("bad.fzl", TEXT);
    folder.write("good.fzl", "func @fine() {\nb0:\n  return\n}\n");
    let bad = run(&["--list-unsupported", "bad.fzl"]);
    let text = String::from_utf8_lossy(&bad.stdout).into_owned();
    assert!(
        text.starts_with("bad.fzl: FZ0302 comdat: not supported: comdat selection Largest in ELF (@big)\n"),
        "{text}"
    );
    assert!(text.ends_with("bad.fzl: 5 refusals\n"), "{text}");
    assert_eq!(bad.status.code(), Some(1));
    let good = run(&["--list-unsupported=json", "good.fzl"]);
    assert_eq!(
        String::from_utf8_lossy(&good.stdout),
        "{\"input\":\"good.fzl\",\"unsupported\":[]}\n"
    );
    assert_eq!(good.status.code(), Some(0));
    let refused = run(&["bad.fzl", "-o", "bad.o"]);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.trim_end().ends_with("[FZ0302]"), "{message}");
    let codes = run(&["--list-codes"]);
    assert!(String::from_utf8_lossy(&codes.stdout).contains("FZ0302 comdat "));
    assert_eq!(folder.names(), ["bad.fzl", "good.fzl"], "nothing was written");
}

/// An intrinsic of a type that its instruction has no form for is refused, whatever else is done with such values.
#[test]
fn intrinsics_of_other_types_are_refused() {
    let text = r#"triple "x86_64-unknown-linux-gnu"
symbol @llvm.x86.pclmulqdq.256 function

func @wide() target_features "+pclmul" {
b0:
  jump b1
b1:
  v0 = phi <4 x f16> [b0: zero, b1: zero]
  v1 = call intrinsic @llvm.x86.pclmulqdq.256(v0, v0, 0) : (<4 x f16>, <4 x f16>, i8) -> <4 x f16>
  jump b1
}
"#;
    let found = refusals(text);
    assert!(
        found
            .iter()
            .any(|(code, _, place)| *code == Some("FZ0211") && place.is_some()),
        "{found:?}"
    );
}

/// The code is the feature's, whatever words the names around it contain.
#[test]
fn codes_do_not_depend_on_names() {
    for name in ["k", "my_atomic_k", "f16_resume", "old_version", "musttail_vscale"] {
        let text = format!(
            r#"triple "x86_64-unknown-linux-gnu"
symbol @{name} function

func @in_{name}(ptr v0) {{
b0:
  v1 = load align 32 <2 x i100> v0
  call @{name}(v1) : (<2 x i100>)
  call @{name}(v1) : (<2 x i100>)
  return
}}
"#
        );
        let found = refusals(&text);
        assert!(
            found.len() > 1 && found.iter().all(|(code, ..)| *code == Some("FZ0105")),
            "{name}: {found:?}"
        );
        let call = format!("i2: call @{name}");
        assert!(
            found.iter().any(|(.., place)| place.as_deref() == Some(call.as_str())),
            "{found:?}"
        );
    }
}

/// Vector operations that are done lane by lane are not among what is refused, and hide nothing that is.
#[test]
fn operations_that_are_expanded_are_supported() {
    let text = r#"triple "x86_64-unknown-linux-gnu"
func @both(ptr v0) -> i32 {
b0:
  v1 = load align 16 <4 x i32> v0
  v2 = udiv <4 x i32> v1, v1
  store align 16 <4 x i32> v2, v0
  v3 = load align 16 f128 v0
  v4 = lrint i64 v3
  store align 16 i64 v4, v0
  return 3
}
"#;
    let codes: Vec<_> = refusals(text).into_iter().map(|(code, ..)| code).collect();
    assert_eq!(codes, [Some("FZ0104")]);
}
