//! Text and bitcode of one module make the same object, byte for byte, under a fast and an optimizing recipe.
//!
//! The modules are those of the repository and those that `cargo xtask corpus` has made in `<target>/corpus`, as far as
//! LLVM 22 has written them: an older one is changed by being read and written again. Each is a test of its own.

use frazil::llvm;
use frazil::options::LlvmOptions;
use frazil::{Options, Recipe};
use frazil_frontend_llvm::{Context, Source, parse};
use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// The name that LLVM 22 writes into its bitcode, in front of the rest of its version.
const WRITER: &[u8] = b"LLVM22.";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate is a folder of the workspace");
    // Cargo's folder for the files of tests lies in its target folder.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("it has a parent");
    let folders = [
        ("modules", root.join("tests/modules")),
        ("examples", root.join("examples")),
        ("corpus", target.join("corpus")),
    ];
    let mut trials = vec![
        Trial::test("a_parse_error_is_shown_with_its_line", parse_error),
        Trial::test("a_pipeline_runs_before_the_code_is_made", pipeline),
        Trial::test("an_unknown_pass_is_named", unknown_pass),
        Trial::test("a_module_that_is_not_verified_is_taken", unverified),
    ];
    for (kind, folder) in folders {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "bc"));
        files.sort();
        trials.extend(files.into_iter().map(|path| {
            let name = format!("{kind}/{}", path.file_name().unwrap_or_default().display());
            Trial::test(name, move || compare(&path))
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn options() -> LlvmOptions {
    LlvmOptions {
        helper: Some(PathBuf::from(env!("CARGO_BIN_EXE_frazil-llvm"))),
        ..LlvmOptions::default()
    }
}

fn compile(bitcode: &[u8], recipe: &str) -> Result<Vec<u8>, Failed> {
    let recipe = Arc::new(Recipe::find(recipe)?);
    let options = Options {
        recipe,
        ..Options::default()
    };
    Ok(frazil::compile(bitcode, &options)?)
}

fn compare(path: &Path) -> Result<(), Failed> {
    let bitcode = fs::read(path)?;
    if !bitcode.windows(WRITER.len()).any(|window| window == WRITER) {
        return Ok(());
    }
    let context = Context::create();
    let source = Source::new(&path.to_string_lossy(), bitcode.clone());
    let text = parse(&context, &source)?.print_to_string();
    let again = llvm::read(Path::new("-"), text.to_bytes(), &options())?;
    for recipe in ["Om1", "O2"] {
        if compile(&bitcode, recipe)? != compile(&again, recipe)? {
            return Err(format!("{recipe}: the objects differ").into());
        }
    }
    Ok(())
}

/// What goes wrong with a text.
fn failure(text: &str, options: &LlvmOptions) -> String {
    let outcome = llvm::read(Path::new("-"), text.as_bytes(), options);
    outcome.expect_err("a wrong text").render("in.ll")
}

fn expect(found: &str, expected: &str) -> Result<(), Failed> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("found {found:?}\nexpected {expected:?}").into()),
    }
}

fn parse_error() -> Result<(), Failed> {
    let found = failure("define i32 @f() {\n  ret i32 %missing\n}\n", &options());
    let expected = "frazil: error: in.ll:2:11: use of undefined value '%missing'\n  ret i32 %missing\n          ^\n";
    expect(&found, expected)
}

/// A loop that LLVM knows the result of.
const SUM: &str = "\
target triple = \"x86_64-unknown-linux-gnu\"
define i32 @sum(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 10
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}
";

fn pipeline() -> Result<(), Failed> {
    let passes = Some("default<O2>".to_owned());
    let optimized = llvm::read(Path::new("-"), SUM.as_bytes(), &LlvmOptions { passes, ..options() })?;
    let plain = llvm::read(Path::new("-"), SUM.as_bytes(), &options())?;
    match compile(&optimized, "Om1")?.len() < compile(&plain, "Om1")?.len() {
        true => Ok(()),
        false => Err("the loop is still there".into()),
    }
}

fn unknown_pass() -> Result<(), Failed> {
    let passes = Some("no-such-pass".to_owned());
    let found = failure(SUM, &LlvmOptions { passes, ..options() });
    expect(
        &found,
        "frazil: error: in.ll: --llvm-passes: unknown pass name 'no-such-pass'\n",
    )
}

fn unverified() -> Result<(), Failed> {
    // A value that is used where its definition does not reach.
    let text = "define i32 @f() {\n  br label %b\na:\n  %x = add i32 1, 2\n  br label %b\nb:\n  ret i32 %x\n}\n";
    let message = failure(text, &options());
    if !message.contains("does not dominate") {
        return Err(message.into());
    }
    let unverified = LlvmOptions {
        disable_verify: true,
        ..options()
    };
    llvm::read(Path::new("-"), text.as_bytes(), &unverified)?;
    Ok(())
}
