//! The `frazil` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    frazil::run(std::env::args_os())
}
