//! The command `frazil` with a tool: `acme-calls hooks.fzl ...` puts the calls of its hook into every program, and with
//! `--emit hooks` compiles the hook.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let program = arguments.next();
    let Some(hooks) = arguments.next() else {
        eprintln!("acme-calls: name the file with the hook first");
        return ExitCode::FAILURE;
    };
    match acme_cc::external_calls::tool(Path::new(&hooks)) {
        Ok(tool) => {
            let driver = frazil::Driver::builtin().with_tool(tool);
            driver.run(program.into_iter().chain(arguments))
        }
        Err(error) => {
            eprintln!("acme-calls: {error}");
            ExitCode::FAILURE
        }
    }
}
