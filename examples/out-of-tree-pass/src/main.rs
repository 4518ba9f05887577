//! The command `frazil` with one more pass.

use std::process::ExitCode;

fn main() -> ExitCode {
    let driver = frazil::Driver::builtin().with_passes(acme_cc::register);
    driver.run(std::env::args_os())
}
