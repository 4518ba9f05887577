//! Both register allocators, proved by the checker: `cargo +nightly fuzz run allocators`.
//!
//! Bytes are the choices of the generator of random functions. The test `both_allocators_satisfy_the_checker` of the
//! workspace does the same with bytes of its own.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| frazil_allocators::allocate(bytes));
