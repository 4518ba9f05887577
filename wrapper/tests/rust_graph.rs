//! Rust crates whose code is made by `frazil-link`, as rustc starts it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A library with generic code, which is compiled where it is used, and with code of its own.
const LIBRARY: &str = "
pub fn largest<T: PartialOrd + Copy>(items: &[T]) -> Option<T> {
    let mut items = items.iter().copied();
    let first = items.next()?;
    Some(items.fold(first, |a, b| if b > a { b } else { a }))
}

#[inline(never)]
pub fn half(x: u32) -> u32 {
    assert!(x % 2 == 0, \"{x} is odd\");
    x / 2
}
";

const PROGRAM: &str = "
use std::collections::BTreeMap;

fn main() {
    let mut map = BTreeMap::new();
    for word in \"one two three two\".split(' ') {
        *map.entry(word).or_insert(0) += 1;
    }
    println!(\"{map:?} {:?} {}\", parts::largest(&[3, 9, 4]), parts::half(8));
}
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("writable");
    for (name, text) in [("parts.rs", LIBRARY), ("program.rs", PROGRAM)] {
        fs::write(folder.join(name), text).expect("writable");
    }
    folder
}

/// Starts rustc with our linker.
fn rustc(folder: &Path, words: &str) -> Output {
    let mut command = Command::new("rustc");
    command.args(words.split(' ')).current_dir(folder);
    command.args([
        "--edition=2024",
        "-Clinker-plugin-lto",
        concat!("-Clinker=", env!("CARGO_BIN_EXE_frazil-link")),
    ]);
    command.env("FRAZIL_LINK_LOG", "log").env_remove("FRAZIL_CC_FALLBACK");
    command.output().expect("it starts")
}

/// Runs it; it must work.
fn works(folder: &Path, words: &str) {
    let output = rustc(folder, words);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}: {message}");
}

#[test]
fn every_module_is_compiled_by_frazil() {
    for level in ["0", "2"] {
        let folder = folder(&format!("graph-{level}"));
        let options = format!("-Copt-level={level} -Cno-vectorize-loops -Cno-vectorize-slp -Cpanic=abort");
        works(&folder, &format!("{options} --crate-type=rlib parts.rs"));
        works(&folder, &format!("{options} --extern parts=libparts.rlib program.rs"));
        let output = Command::new(folder.join("program")).output().expect("it runs");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "{\"one\": 1, \"three\": 1, \"two\": 2} Some(9) 4\n"
        );
        let log = fs::read_to_string(folder.join("log")).expect("modules were compiled");
        assert!(log.lines().all(|line| line.starts_with("frazil ")), "{log}");
        assert!(log.contains("libparts.rlib(parts."), "{log}");
        assert!(log.lines().count() > 1, "{log}");
    }
}

#[test]
fn errors_name_the_module() {
    let folder = folder("graph-errors");
    fs::write(folder.join("broken.o"), b"BC\xc0\xde and no more").expect("writable");
    let output = Command::new(env!("CARGO_BIN_EXE_frazil-link"))
        .args(["broken.o", "-o", "program"])
        .current_dir(&folder)
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.starts_with("frazil: error: broken.o: "), "{message}");
}
