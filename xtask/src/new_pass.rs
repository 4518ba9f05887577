//! `cargo xtask new-pass NAME`: makes the files of a pass.
//!
//! What a pass must have is in CONTRIBUTING.md, and [`crate::tidy`] checks it. All of it is made here, from the
//! templates in `passes/templates`, which are compiled with the tests of `frazil-passes`: the pass, its module and
//! registration, a row of documentation, and a file test that passes. A place in a recipe is left to whoever has
//! measured the pass; `--passes NAME` runs it without.

use std::fs;

use anyhow::{Context, Result, ensure};
use pico_args::Arguments;

use crate::{process, tidy, workspace};

/// A pass of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Over the intermediate representation.
    Function,
    /// Over machine code.
    Machine,
}

impl Kind {
    /// The folder of its files, its tests and its templates.
    fn folder(self) -> &'static str {
        match self {
            Kind::Function => "opt",
            Kind::Machine => "mach",
        }
    }
}

/// The documentation, with a row for each pass.
const TABLE: &str = "passes/PASSES.md";

/// `cargo xtask new-pass [--machine] NAME`.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let kind = if arguments.contains("--machine") {
        Kind::Machine
    } else {
        Kind::Function
    };
    let name: String = arguments.free_from_str().context("expected the name of the pass")?;
    ensure!(arguments.finish().is_empty(), "too many arguments");
    let root = workspace::root();
    let files = files(kind, &name, |path| {
        let text = fs::read_to_string(root.join(path));
        text.with_context(|| path.to_owned())
    })?;
    for (path, text) in &files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder"))?;
        fs::write(path, text)?;
    }
    // Names may be long.
    process::checked(workspace::cargo().args(["fmt", "--package", "frazil-passes"]))?;
    tidy::write_modules(Arguments::from_vec(Vec::new()))?;
    for (path, _) in &files {
        println!("{path}");
    }
    println!(
        "\nNow write the pass, and see what it does:\n\
         \n\
         \x20 BLESS=1 cargo test --package frazil-passes schema        # its name and options in the recipes' schema\n\
         \x20 cargo test --test filetests -- {name}\n\
         \x20 cargo xtask tidy"
    );
    if kind == Kind::Function {
        println!("  cargo run -- --passes {name} --print-changed examples/hello.bc -o /dev/null");
    }
    Ok(true)
}

/// The files that a pass needs, new ones and changed ones, each with its text; `read` gives those that are there.
fn files(kind: Kind, name: &str, read: impl Fn(&str) -> Result<String>) -> Result<Vec<(String, String)>> {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let begins_well = name.starts_with(|letter: char| letter.is_ascii_lowercase());
    ensure!(
        begins_well && name.chars().all(is_plain) && !name.ends_with('-') && !name.contains("--"),
        "`{name}` is no name for a pass: expected words of lower-case letters and digits with hyphens between them"
    );
    let stem = name.replace('-', "_");
    let folder = format!("passes/src/{}", kind.folder());
    let registry = format!("{folder}/mod.rs");
    let modules = read(&registry)?;
    let is_taken = [format!("mod {stem};"), format!("{stem}::INFO")];
    ensure!(
        !is_taken.iter().any(|line| modules.contains(line.as_str())),
        "there is a module `{stem}` in {registry} already"
    );
    let template = |ending: &str| -> Result<String> {
        let text = read(&format!("passes/templates/{}.{ending}", kind.folder()))?;
        Ok(text.replace("new-pass", name).replace("NewPass", &type_name(name)))
    };
    let pass = template("rs")?;
    let summary = pass
        .split_once("summary: \"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .context("the template has no summary")?
        .0;
    let mut table = read(TABLE)?;
    table.push_str(&format!(
        "| `{name}` | {summary} | not measured yet | not measured yet |\n"
    ));
    Ok(vec![
        (registry, registered(kind, &modules, name)?),
        (
            format!("tests/filetests/{}/{name}/{name}.fzl", kind.folder()),
            template("fzl")?,
        ),
        (TABLE.to_owned(), table),
        (format!("{folder}/{stem}.rs"), pass),
    ])
}

/// The folder's `mod.rs` with the module, among the others in their order, and with its registration at the end.
fn registered(kind: Kind, modules: &str, name: &str) -> Result<String> {
    let stem = name.replace('-', "_");
    let declared = |line: &str| -> Option<String> {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_owned())
    };
    let mut lines: Vec<String> = modules.lines().map(str::to_owned).collect();
    let after = lines
        .iter()
        .position(|line| declared(line).is_some_and(|other| other > stem));
    let last = lines.iter().rposition(|line| declared(line).is_some());
    let place = after.or(last.map(|last| last + 1)).context("no modules in mod.rs")?;
    lines.insert(place, format!("pub mod {stem};"));
    let end = lines
        .iter()
        .rposition(|line| line == "}")
        .context("no registration in mod.rs")?;
    lines.insert(
        end,
        match kind {
            Kind::Function => format!("    registry.function({stem}::INFO, {stem}::make);"),
            Kind::Machine => format!(
                "    registry.mach({stem}::INFO, |NoOptions {{}}| {stem}::{});",
                type_name(name)
            ),
        },
    );
    Ok(lines.join("\n") + "\n")
}

/// `local-cse` as the name of a type.
fn type_name(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(kind: Kind, name: &str) -> Result<Vec<(String, String)>> {
        files(kind, name, |path| Ok(fs::read_to_string(workspace::root().join(path))?))
    }

    #[test]
    fn a_new_pass_has_all_that_a_pass_must_have() {
        for kind in [Kind::Function, Kind::Machine] {
            let files = made(kind, "quite-new2").expect("a good name");
            assert_eq!(tidy::problems_with(files).expect("readable files"), [""; 0]);
        }
    }

    #[test]
    fn modules_stay_in_their_order() {
        let before = "use a;\n\npub mod b;\nmod d;\n\npub fn register(registry: &mut Registry) {\n    x;\n}\n";
        let after = registered(Kind::Machine, before, "c-c").expect("a good file");
        assert_eq!(
            after,
            "use a;\n\npub mod b;\npub mod c_c;\nmod d;\n\npub fn register(registry: &mut Registry) {\n    x;\n    \
             registry.mach(c_c::INFO, |NoOptions {}| c_c::CC);\n}\n"
        );
        assert!(
            registered(Kind::Function, before, "e")
                .expect("a good file")
                .contains("mod d;\npub mod e;\n\n")
        );
    }

    #[test]
    fn bad_names_and_those_of_others_are_refused() {
        for name in ["", "No", "2nd", "a--b", "a-", "a_b", "dce"] {
            assert!(made(Kind::Function, name).is_err(), "{name}");
        }
    }
}
