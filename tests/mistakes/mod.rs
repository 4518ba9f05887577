//! Mistakes that users make, each with the whole message that they get, the exit status, and nothing left behind.
//!
//! The files beside this one are transcripts: `# ` begins a mistake, in words; `+ NAME TEXT` makes a file (with `\n`
//! for a new line); `$ ` is a command for a shell, in a folder with [`prepare`]'s files; what follows up to a blank
//! line is its standard error, and `[N]` its exit status, if that is not 1. A command that begins with `as nobody: ` is
//! run by a user who may not write the folder. `BLESS=1` in front of the test writes what was found as what is
//! expected: review it as a user would who does not know Rust.

use crate::SAMPLE;
use frazil::{InputForm, Options};
use frazil_test_support::{Folder, names};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The transcripts.
const FILES: [&str; 6] = [
    "inputs.txt",
    "outputs.txt",
    "options.txt",
    "recipes.txt",
    "observation.txt",
    "instrument.txt",
];

/// What no message may have: words of Rust, and what it prints of its data.
const WORDS_OF_RUST: [&str; 16] = [
    "os error",
    "Some(",
    "None",
    "Err(",
    "Error {",
    "struct ",
    "enum ",
    "u8",
    "u32",
    "u64",
    "usize",
    "panicked",
    "unwrap",
    "..=",
    "sequence",
    "target type",
];

/// The user who may do least.
const NOBODY: u32 = 65534;

/// One command of a transcript.
struct Mistake {
    /// What stands before the expected text.
    head: String,
    files: Vec<(String, String)>,
    command: String,
    expected: String,
}

fn parse(text: &str) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for block in text.split("\n\n").filter(|block| !block.trim().is_empty()) {
        let (mut head, mut expected, mut files, mut command) = (String::new(), String::new(), Vec::new(), None);
        for line in block.trim_matches('\n').lines() {
            let target = if command.is_none() { &mut head } else { &mut expected };
            target.push_str(line);
            target.push('\n');
            if command.is_some() {
                continue;
            }
            if let Some(file) = line.strip_prefix("+ ") {
                let (name, text) = file.split_once(' ').expect("a name and a text");
                files.push((name.to_owned(), text.replace("\\n", "\n")));
            }
            command = line.strip_prefix("$ ").map(str::to_owned);
        }
        mistakes.push(Mistake {
            head,
            files,
            command: command.expect("each mistake has a command"),
            expected,
        });
    }
    mistakes
}

/// Makes the files that commands name.
/// An archive of members with names of up to 15 characters.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, data) in members {
        let size = data.len();
        bytes.extend(
            format!(
                "{:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n",
                format!("{name}/"),
                0,
                0,
                0,
                644
            )
            .bytes(),
        );
        bytes.extend_from_slice(data);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    bytes
}

fn prepare(folder: &Folder) {
    let bitcode = fs::read(SAMPLE).expect("the sample can be read");
    let elf = |kind: u8| [b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".as_slice(), &[kind, 0, 62, 0]].concat();
    let coff = b"\x64\x86\x02\0".to_vec();
    for (name, bytes) in [
        ("in.bc", bitcode.clone()),
        ("other.bc", bitcode.clone()),
        ("secret.bc", bitcode.clone()),
        ("empty.bc", Vec::new()),
        ("cut.bc", bitcode[..bitcode.len() / 2].to_vec()),
        ("noise.bc", (0..200).collect()),
        (
            "wrapped.bc",
            b"\xde\xc0\x17\x0b\0\0\0\0\x14\0\0\0\xff\xff\0\0\x07\0\0\0".to_vec(),
        ),
        ("object.o", elf(1)),
        ("hooks.o", hooks("x86_64")),
        ("hooks-aarch64.o", hooks("aarch64")),
        ("program", elf(2)),
        ("library.so", elf(3)),
        ("archive.a", b"!<arch>\n".to_vec()),
        ("thin.a", b"!<thin>\n".to_vec()),
        (
            "gone.a",
            b"!<thin>\nmissing.bc/     0           0     0     644     100       `\n".to_vec(),
        ),
        ("two.a", archive(&[("in.bc", &bitcode), ("other.bc", &bitcode)])),
        ("mixed.a", archive(&[("in.bc", &bitcode), ("object.o", &elf(1))])),
        (
            "rubbish.a",
            b"!<arch>\nrubbish that is not the header of a member, of which each has 60 bytes".to_vec(),
        ),
        ("in.bc.gz", b"\x1f\x8b\x08\0".to_vec()),
        ("in.bc.zst", b"\x28\xb5\x2f\xfd\0".to_vec()),
        ("in.bc.xz", b"\xfd7zXZ\0\0".to_vec()),
        ("module.wasm", b"\0asm\x01\0\0\0".to_vec()),
        ("windows.obj", coff),
        ("program.pexe", b"PEXE\x01\0".to_vec()),
    ] {
        folder.write(name, bytes);
    }
    fs::create_dir(folder.path("folder")).expect("folders can be made");
    folder.write("folder/full", "");
    std::os::unix::fs::symlink("in.bc", folder.path("link.bc")).expect("links work");
    fs::hard_link(folder.path("in.bc"), folder.path("hard.bc")).expect("links work");
    fs::set_permissions(folder.path("secret.bc"), Permissions::from_mode(0o000)).expect("the file is ours");
    // A helper that says what LLVM says of a text.
    folder.script(
        "llvm-says",
        "#!/bin/sh\nprintf '%s\\n' '{\"file\":\"a.ll\",\"place\":{\"line\":3,\"column\":12},\"message\":\"expected type\",\
         \"excerpt\":\"  %x = add 1\\n           ^\"}' >&2\nexit 1\n",
    );
}

/// An object with hooks.
fn hooks(target: &str) -> Vec<u8> {
    const HOOKS: &str = "\
        symbol @part internal\n\
        func @hook(ptr) {\nb0:\n  return\n}\n\
        func @part(ptr) {\nb0:\n  return\n}\n\
        func @main(ptr) {\nb0:\n  return\n}\n";
    let options = Options {
        target: Some(target.to_owned()),
        input_form: InputForm::Text,
        ..Options::default()
    };
    frazil::compile(HOOKS.as_bytes(), &options).expect("the hooks compile")
}

/// Names and contents of all files in a folder.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = names(folder).into_iter();
    files
        .map(|name| {
            let bytes = fs::read(folder.join(&name)).unwrap_or_default();
            (name, bytes)
        })
        .collect()
}

/// A folder with nothing but the command in it, so that no helper program is beside it.
fn programs() -> Folder {
    let folder = Folder::new("programs");
    folder.program("frazil", env!("CARGO_BIN_EXE_frazil"));
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("the folder is ours");
    folder
}

/// Standard error of a command and, if it is not 1, the exit status.
fn run(command: &str, folder: &Folder, programs: &Folder) -> String {
    let (is_nobody, line) = match command.strip_prefix("as nobody: ") {
        Some(line) => (true, line),
        None => (false, command),
    };
    let mut shell = Command::new("sh");
    shell
        .args(["-c", line])
        .current_dir(folder)
        .stdin(Stdio::null())
        .env_clear()
        .envs([("NO_COLOR", "1"), ("LC_ALL", "C")])
        .env("PATH", format!("{}:/usr/bin:/bin", programs.as_ref().display()));
    if is_nobody && fs::metadata("/proc/self").expect("Linux").uid() == 0 {
        shell.uid(NOBODY).gid(NOBODY);
    }
    let output = shell.output().expect("sh starts");
    let mut said = String::from_utf8(output.stderr)
        .expect("messages are text")
        .replace('\r', "");
    // Blank lines end a mistake.
    said = said
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    match output.status.code() {
        Some(1) => said,
        Some(code) => format!("{said}[{code}]\n"),
        None => format!("{said}[ended by a signal]\n"),
    }
}

#[test]
fn each_mistake_has_a_message_that_helps() {
    let programs = programs();
    let is_blessing = std::env::var_os("BLESS").is_some();
    let mut count = 0;
    let mut wrong = String::new();
    for file in FILES {
        let path: PathBuf = crate::in_repository("tests/mistakes").join(file);
        let mut blessed = String::new();
        for mistake in parse(&fs::read_to_string(&path).expect("the transcript can be read")) {
            let folder = Folder::new("mistake");
            prepare(&folder);
            for (name, text) in &mistake.files {
                folder.write(name, text);
            }
            // Not even its owner may write there.
            fs::set_permissions(&folder, Permissions::from_mode(0o555)).expect("the folder is ours");
            let before = contents(folder.as_ref());
            if !mistake.command.starts_with("as nobody: ") {
                fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("the folder is ours");
            }
            let found = run(&mistake.command, &folder, &programs);
            fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("the folder is ours");
            assert!(
                contents(folder.as_ref()) == before,
                "{}: files changed",
                mistake.command
            );
            for word in WORDS_OF_RUST {
                assert!(!found.contains(word), "{}: {word}: {found}", mistake.command);
            }
            count += 1;
            blessed.push_str(&format!("{}{found}\n", mistake.head));
            if found != mistake.expected {
                wrong.push_str(&format!(
                    "{}expected:\n{}found:\n{found}\n",
                    mistake.head, mistake.expected
                ));
            }
        }
        if is_blessing {
            fs::write(&path, blessed.trim_end().to_owned() + "\n").expect("the transcript can be written");
        }
    }
    assert!(count >= 40, "{count} mistakes");
    assert!(is_blessing || wrong.is_empty(), "{wrong}");
}
