//! The `frazil` command.

use std::process::ExitCode;

#[cfg(feature = "command")]
#[global_allocator]
static HEAP: frazil::memory_limit::CountedHeap = frazil::memory_limit::CountedHeap;

fn main() -> ExitCode {
    frazil::run(std::env::args_os())
}
