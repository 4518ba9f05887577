//! The `frazil-cc` command, which is `frazil-c++` by another name.

use std::process::ExitCode;

fn main() -> ExitCode {
    frazil_cc::run(std::env::args_os())
}
