//! Everything that can be wrong with a tool file is said with its place and what was expected.

use frazil_instrument::{HookModule, Source, Tool, Tools};
use frazil_ir::text::parse_module;
use std::sync::Arc;

const HOOKS: &str = "\
symbol @outside function
data @table align 8 size 8
func @plain() {
b0:
  return
}
func @number(i32) {
b0:
  return
}
func @pointer(ptr) {
b0:
  return
}
func @result() -> i32 {
b0:
  return 1
}
func @wide(i128) {
b0:
  return
}
";

fn tool(text: &str) -> Result<Tool, String> {
    let (module, functions) = parse_module(HOOKS).expect("a module");
    let source = Source::parse("tool.toml", text).map_err(|error| error.to_string())?;
    Tool::of_file(&source, HookModule { module, functions }).map_err(|error| error.to_string())
}

/// The message about an insert after the first line of a file.
fn wrong(insert: &str) -> String {
    tool(&format!("hooks = \"x.fzl\"\n[[insert]]\n{insert}\n")).expect_err("refused")
}

#[test]
fn a_right_file_is_taken() {
    let text = "\
hooks = \"x.fzl\"
name = \"mine\"
when = \"early\"
[[insert]]
at = \"load\"
place = \"after\"
call = \"number\"
args = [\"value\"]
functions = \"^main$\"
opcodes = [\"load\"]
sizes = [1, 2]
[[insert]]
at = \"block\"
call = \"pointer\"
args = [{ text = \"a text\" }]
";
    let tool = tool(text).expect("right");
    assert_eq!((tool.name.as_str(), tool.hooks.len(), tool.texts.len()), ("mine", 2, 1));
}

#[test]
fn mistakes_have_places_and_say_what_was_expected() {
    for (insert, message) in [
        (
            "at = \"stor\"\ncall = \"plain\"",
            "tool.toml:3:6: unknown kind of place `stor`; did you mean `store`?",
        ),
        (
            "at = \"load\"\ncall = \"plan\"",
            "tool.toml:4:8: the hooks' module has no function `plan`; did you mean `plain`?",
        ),
        (
            "at = \"load\"\ncall = \"outside\"",
            "tool.toml:4:8: `outside` is only declared in the hooks' module: it must have a body there",
        ),
        (
            "at = \"load\"\ncall = \"table\"",
            "tool.toml:4:8: `table` is data in the hooks' module: a hook is a function",
        ),
        (
            "at = \"load\"\ncall = \"result\"",
            "tool.toml:4:8: the hook `result` returns a value: a hook returns nothing (`void`)",
        ),
        (
            "at = \"load\"\ncall = \"wide\"\nargs = [1]",
            "tool.toml:4:8: parameter 0 of the hook `wide` is none that a place can give: expected an integer of 1, 8, 16, 32 or 64 bits, a pointer, a float or a double",
        ),
        (
            "at = \"load\"\ncall = \"plain\"\nargs = [1]",
            "tool.toml:5:9: the hook `plain` takes no argument, found 1 in `args`",
        ),
        (
            "at = \"load\"\ncall = \"number\"",
            "tool.toml:4:8: the hook `number` takes one argument, found 0 in `args`",
        ),
        (
            "at = \"load\"\ncall = \"number\"\nargs = [\"adress\"]",
            "tool.toml:5:9: unknown argument `adress`; did you mean `address`?; a text is written { text = \"adress\" }",
        ),
        (
            "at = \"load\"\ncall = \"number\"\nargs = [\"address\"]",
            "tool.toml:5:9: `address` is an address: for parameter 0 of the hook, which is an integer of 32 bits",
        ),
        (
            "at = \"load\"\ncall = \"number\"\nargs = [\"value\"]",
            "tool.toml:5:9: `value` is known only after a `load`: say place = \"after\"",
        ),
        (
            "at = \"loop-iteration\"\ncall = \"number\"\nargs = [\"size\"]",
            "tool.toml:5:9: `size` is not known at a `loop-iteration`; known there: function, function-name, site, counter, record, line, file, block",
        ),
        (
            "at = \"load\"\ncall = \"number\"\nargs = [4294967296]",
            "tool.toml:5:9: the number 4294967296 is too large for parameter 0 of the hook, which is an integer of 32 bits",
        ),
        (
            "at = \"load\"\ncall = \"number\"\nargs = [{ text = \"x\" }]",
            "tool.toml:5:9: a text for parameter 0 of the hook, which is an integer of 32 bits",
        ),
        (
            "at = \"load\"\ncall = \"number\"\nargs = [1.5]",
            "tool.toml:5:9: expected a number, true or false, the name of what is known at the place, or { text = \"a text\" }",
        ),
        (
            "at = \"block\"\nplace = \"after\"\ncall = \"plain\"",
            "tool.toml:4:9: a place of the kind `block` has no before and after: leave `place` out",
        ),
        (
            "at = \"branch\"\nplace = \"after\"\ncall = \"plain\"",
            "tool.toml:4:9: nothing comes after a `branch` in its block: say \"before\"",
        ),
        (
            "at = \"load\"\nplace = \"behind\"\ncall = \"plain\"",
            "tool.toml:4:9: unknown value `behind`; valid names: before, after",
        ),
        (
            "at = \"load\"\ncall = \"plain\"\ncallees = \"x\"",
            "tool.toml:5:11: a place of the kind `load` has no callee to choose by",
        ),
        (
            "at = \"load\"\ncall = \"plain\"\nopcodes = [\"stor\"]",
            "tool.toml:5:12: unknown opcode `stor`; did you mean `store`?",
        ),
        (
            "at = \"load\"\ncall = \"plain\"\nopcodes = [\"store\"]",
            "tool.toml:5:12: `store` is no instruction of the kind `load`",
        ),
        (
            "at = \"block\"\ncall = \"plain\"\nsizes = [1]",
            "tool.toml:5:9: a place of the kind `block` has no size to choose by",
        ),
        (
            "at = \"load\"\ncall = \"plain\"\nlines = [5, 4]",
            "tool.toml:5:9: the first line is after the last",
        ),
        (
            "at = \"load\"\ncall = \"plain\"\nfunction = \"x\"",
            "tool.toml:5:1: unknown key `function`; did you mean `functions`?",
        ),
        (
            "at = \"instruction\"\ncall = \"plain\"\nflags = [\"nws\"]",
            "tool.toml:5:10: unknown flag `nws`; valid names: nuw, nsw, exact, disjoint, nneg, samesign",
        ),
    ] {
        assert_eq!(wrong(insert), message);
    }
    let regex = wrong("at = \"load\"\ncall = \"plain\"\nfunctions = \"(\"");
    assert!(
        regex.starts_with("tool.toml:5:13: `(` is no regular expression: "),
        "{regex}"
    );
    assert_eq!(
        tool("hooks = \"x\"\n").expect_err("refused"),
        "tool.toml: no [[insert]] says where hooks are called"
    );
    assert_eq!(
        tool("[[insert]]\n").expect_err("refused"),
        "tool.toml:1:1: the key `at` is missing"
    );
}

#[test]
fn tools_are_told_apart() {
    let text = |name: &str| format!("hooks = \"x\"\nname = \"{name}\"\n[[insert]]\nat = \"load\"\ncall = \"plain\"\n");
    let pair = |first: &str, second: &str| {
        let tools = [first, second].map(|name| Arc::new(tool(&text(name)).expect("right")));
        Tools::new(tools.to_vec()).map_err(|error| error.to_string())
    };
    let error = pair("a", "a").expect_err("refused");
    assert_eq!(
        error,
        "tool.toml: the tool is called `a` like that of tool.toml; choose another name by `name = ...`"
    );
    // Hooks of the same name are told apart, other functions are not.
    let error = pair("a", "b").expect_err("refused");
    assert!(error.contains("the hooks define `table`"), "{error}");
}
