//! The `frazil-pexe` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    frazil_cc::pexe::run(std::env::args_os())
}
