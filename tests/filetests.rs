//! Runs the file tests: every file below `tests/filetests`, every check that its header asks for.
//!
//! `BLESS=1 cargo test --test filetests -- <filter>` writes what is found into the files as what is expected;
//! review the difference like code. The form of the files is described in [`runner`].

mod runner;

use libtest_mimic::{Arguments, Trial};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let trials: Vec<Trial> = match runner::trials(&root) {
        Ok(trials) => trials,
        Err(message) => vec![Trial::test("the file tests can be read", move || Err(message.into()))],
    };
    let conclusion = libtest_mimic::run(&arguments, trials);
    runner::tell_unsupported();
    let has_run_all = conclusion.num_filtered_out == 0 && !arguments.list;
    let checked = runner::check_variants(has_run_all).and_then(|()| runner::check_executables(has_run_all));
    if let Err(message) = checked {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}
