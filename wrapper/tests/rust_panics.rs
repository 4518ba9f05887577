//! Panics of a Rust program that `frazil-link` makes: they unwind, run destructors, are caught, and end threads, as
//! when rustc compiles the program itself.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn panics_unwind_as_rustc_has_it() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("panics");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("writable");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/panics.rs");
    for level in ["0", "2"] {
        let build = |name: &str, words: &[&str]| {
            let mut command = Command::new("rustc");
            command.args([
                "--edition=2024",
                "-Cno-vectorize-loops",
                "-Cno-vectorize-slp",
                "-o",
                name,
            ]);
            command.arg(format!("-Copt-level={level}")).args(words).arg(&source);
            command.current_dir(&folder).env_remove("FRAZIL_CC_FALLBACK");
            let output = command.output().expect("it starts");
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{level} {words:?}: {message}");
            let output = Command::new(folder.join(name)).output().expect("it runs");
            assert!(output.status.success(), "{level} {words:?}");
            String::from_utf8(output.stdout).expect("text")
        };
        let linker = concat!("-Clinker=", env!("CARGO_BIN_EXE_frazil-link"));
        let ours = build("ours", &["-Clinker-plugin-lto", linker]);
        assert_eq!(ours, build("theirs", &[]), "{level}");
    }
}
