//! The pass through the driver: as a library, and as the command that compiles a program.

use frazil::instrument::Tools;
use frazil::passes::Overrides;
use frazil::{Driver, Emit, InputForm, Options};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const RECIPES: &str = include_str!("../acme.toml");

const TEXT: &str = "\
func @f(i32, i32) -> (i32, i32) {
b0:
  v2 = sub i32 0, v0
  v3 = sub i32 0, v2
  v4 = sub i32 0, v1
  v5 = sub i32 0, v4
  return v3, v5
}
";

/// The text after the pass and `dce`, with one of the pass's options set.
fn transformed(setting: &str) -> String {
    let driver = Driver::builtin().with_passes(acme_cc::register);
    let overrides = Overrides {
        passes: Some(vec!["acme.double-negation".to_owned(), "dce".to_owned()]),
        set: vec![setting.to_owned()],
        ..Overrides::default()
    };
    let recipe = driver.recipes().recipe("Om1", &overrides).expect("the recipe is right");
    let options = Options {
        target: Some("x86_64".to_owned()),
        input_form: InputForm::Text,
        emit: Emit::Ir,
        recipe: Arc::new(recipe),
        ..Options::default()
    };
    let text = driver.compile(TEXT.as_bytes(), &options).expect("the text is right");
    String::from_utf8(text).expect("text")
}

#[test]
fn double_negations_are_replaced() {
    let text = transformed("acme.double-negation.most-replaced=10");
    assert!(text.contains("b0:\n  return v0, v1\n"), "{text}");
}

#[test]
fn the_option_limits_how_many() {
    let text = transformed("acme.double-negation.most-replaced=1");
    assert_eq!(text.matches("sub i32").count(), 2, "{text}");
}

#[test]
fn recipes_of_files_take_the_pass_and_its_order_is_checked() {
    let driver = Driver::builtin().with_passes(acme_cc::register);
    let mut book = driver.recipes();
    book.add("acme.toml", RECIPES).expect("the file is right");
    let recipe = book.recipe("acme", &Overrides::default()).expect("the recipe is right");
    assert!(recipe.infos().any(|info| info.name == "acme.double-negation"));
    let wrong = "[recipe.wrong]\nextends = 'O2'\ninsert = [{ after = 'dce', pass = 'acme.double-negation' }]\n";
    book.add("wrong.toml", wrong).expect("the format is right");
    let error = book
        .recipe("wrong", &Overrides::default())
        .expect_err("the order is wrong");
    let message = "wrong.toml:3:11: `acme.double-negation` must come before `dce`: \
        the negations are left behind without a use";
    assert_eq!(error.to_string(), message);
}

#[test]
fn the_command_compiles_a_program_that_runs() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (object, program) = (folder.join("hello.o"), folder.join("hello"));
    let mut compile = Command::new(env!("CARGO_BIN_EXE_acme-cc"));
    compile
        .arg(here.join("../hello.bc"))
        .arg("--recipe-file")
        .arg(here.join("acme.toml"));
    let compiled = compile
        .arg("--verify-each")
        .arg("-o")
        .arg(&object)
        .output()
        .expect("the command starts");
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let linked = Command::new("cc").arg(&object).arg("-o").arg(&program).status();
    assert!(linked.expect("cc starts").success());
    let output = Command::new(&program).output().expect("the program starts");
    assert!(output.status.success() && !output.stdout.is_empty());
}

#[test]
fn the_tool_calls_its_hook_before_calls_of_other_objects() {
    const PROGRAM: &str = "\
symbol @puts function

func @greet(ptr) -> i32 {
b0:
  v1 = call @puts(v0) : (ptr) -> i32
  v2 = call @own() : () -> i32
  return v2
}

func @own() -> i32 {
b0:
  return 3
}
";
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks.fzl");
    let tool = acme_cc::external_calls::tool(&hooks).expect("the hook is right");
    let tools = Arc::new(Tools::new(vec![Arc::new(tool)]).expect("one tool alone"));
    let driver = Driver::builtin();
    let mut recipe = driver.recipes().recipe("Om1", &Overrides::default()).expect("built in");
    frazil::instrument::add_steps(&mut recipe, &tools);
    let options = Options {
        target: Some("x86_64".to_owned()),
        input_form: InputForm::Text,
        emit: Emit::Ir,
        recipe: Arc::new(recipe),
        instrument: Some(tools),
        ..Options::default()
    };
    let text = driver.compile(PROGRAM.as_bytes(), &options).expect("the text is right");
    let text = String::from_utf8(text).expect("text");
    // The addition is inlined before the one call.
    assert_eq!(text.matches("load align 8 i64 @arguments").count(), 1, "{text}");
}
