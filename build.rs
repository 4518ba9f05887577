//! Says how the command is linked: at a fixed address, so that nothing is relocated when it starts. Relocations made
//! 8 % of the instructions of a small compilation. The heap, the stack and shared libraries are at random addresses.
//!
//! A small command ends at panics and needs no tables for unwinders, which are made all the same. They would be a tenth
//! of it.

use std::path::Path;
use std::{env, fs};

/// Leaves sections out, with GNU linkers and LLVM's.
const WITHOUT_UNWINDING: &str = "\
SECTIONS { /DISCARD/ : { *(.eh_frame) *(.eh_frame_hdr) *(.gcc_except_table .gcc_except_table.*) } }
INSERT AFTER .text;
";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let word = |key: &str| env::var(format!("CARGO_{key}")).unwrap_or_default();
    if word("CFG_TARGET_OS") != "linux" || word("CFG_TARGET_ENV") != "gnu" {
        return;
    }
    let link = |argument: &str| println!("cargo::rustc-link-arg-bin=frazil={argument}");
    link("-no-pie");
    let is_small = env::var_os("CARGO_FEATURE_COMMAND").is_none();
    if is_small && env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        let script = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("without-unwinding.ld");
        fs::write(&script, WITHOUT_UNWINDING).expect("cargo gives a folder for outputs");
        link(&format!("-Wl,-T,{}", script.display()));
        link("-Wl,--no-eh-frame-hdr");
        link("-Wl,-z,noseparate-code");
    }
}
