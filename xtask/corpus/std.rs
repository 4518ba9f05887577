//! Rust's standard library for a program whose own code is an object: rustc puts all of it into a static library.
#![crate_type = "staticlib"]
