//! The `frazil-cc` command, which is `frazil-c++` by another name.

use frazil::memory_limit::CountedHeap;
use std::process::ExitCode;

#[global_allocator]
static HEAP: CountedHeap = CountedHeap;

fn main() -> ExitCode {
    frazil_cc::run(std::env::args_os())
}
