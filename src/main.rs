//! The `frazil` command.

use frazil::memory_limit::CountedHeap;
use std::process::ExitCode;

#[global_allocator]
static HEAP: CountedHeap = CountedHeap;

fn main() -> ExitCode {
    frazil::run(std::env::args_os())
}
