//! Both register allocators, proved by the checker: `cargo +nightly fuzz run allocators`.
//!
//! Bytes are the choices of the generator of random functions. The test `both_allocators_satisfy_the_checker` of the
//! workspace does the same with bytes of its own.

#![no_main]

#[path = "../../tests/allocation_faults/both.rs"]
mod both;
#[path = "../../tests/runner/generate.rs"]
#[allow(dead_code, reason = "the file tests use more of it")]
mod generate;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| both::allocate(bytes));
