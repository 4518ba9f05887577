//! The `frazil-link` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    frazil_cc::link::run(std::env::args_os())
}
