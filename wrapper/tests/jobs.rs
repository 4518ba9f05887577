//! `frazil-cc` and `frazil-link` as jobs of a build that shares processors by a jobserver.

use frazil_test_support::{Folder, run};
use jobserver::Client;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

/// How many slots the jobserver of these tests has.
const SLOTS: usize = 3;

/// A source whose bitcode is large enough for a second thread.
fn large_source() -> String {
    let mut text = String::from("extern int next(int);\n");
    for number in 0..3000 {
        writeln!(
            text,
            "int f{number}(int a, int *p) {{\n  for (int i = 0; i < a; i++) {{\n    p[i] = next(p[i] + {number});\n    \
             if (p[i] > {number}) p[i] -= next(a * {number});\n    else p[i + 1] = next(p[i] ^ {number}) / (a + 1);\n  \
             }}\n  return p[0] + p[a] * {number};\n}}"
        )
        .expect("texts take everything");
    }
    text
}

/// Runs a command as a job, and says how few slots were free meanwhile.
fn fewest_free_slots(client: &Client, command: &mut Command) -> usize {
    client.configure(command);
    let mut child = command.stdin(Stdio::null()).spawn().expect("it can be started");
    let mut fewest = usize::MAX;
    loop {
        fewest = fewest.min(client.available().expect("it is ours"));
        if let Some(status) = child.try_wait().expect("it is ours") {
            assert!(status.success(), "{command:?}: {status}");
            return fewest;
        }
    }
}

#[test]
fn a_large_module_is_compiled_by_the_processors_that_are_free_and_gives_them_back() {
    let folder = Folder::new("jobserver");
    folder.write("large.c", large_source());
    let compile = |object: &str| {
        let object: PathBuf = folder.path(object);
        let mut command = Command::new(env!("CARGO_BIN_EXE_frazil-cc"));
        command
            .current_dir(folder.path(""))
            .args(["-O0", "-c", "large.c", "-o"]);
        command.arg(object);
        command
    };
    run(&mut compile("alone.o"));
    let client = Client::new(SLOTS).expect("pipes are to be had");
    let fewest = fewest_free_slots(&client, &mut compile("job.o"));
    let processors = available_parallelism().map_or(1, usize::from);
    assert_eq!(fewest < SLOTS, processors > 1, "{fewest} of {SLOTS} slots were free");
    assert_eq!(client.available().expect("it is ours"), SLOTS);
    let bytes = |object: &str| fs::read(folder.path(object)).expect("it was made");
    assert!(bytes("alone.o") == bytes("job.o"));
}

#[test]
fn make_builds_a_program_by_several_jobs() {
    let folder = Folder::new("make");
    folder.write("large.c", large_source());
    folder.write("next.c", "int next(int a) { return a / 3; }\n");
    folder.write(
        "main.c",
        "#include <stdio.h>\nint f7(int, int *);\nint main(void) { int a[9] = {50, 60, 70}; printf(\"%d\\n\", f7(3, a)); }\n",
    );
    folder.write(
        "Makefile",
        "program: large.o next.o main.o\n\t$(CC) -o $@ $^\n%.o: %.c\n\t$(CC) -O1 -c -o $@ $<\n",
    );
    let mut make = Command::new("make");
    make.current_dir(folder.path("")).args(["-j2", "-s"]);
    let told = run(make.arg(format!("CC={}", env!("CARGO_BIN_EXE_frazil-cc"))));
    assert!(told.is_empty(), "{}", String::from_utf8_lossy(&told));
    let printed = run(&mut Command::new(folder.path("program")));
    let mut clang = Command::new("clang-22");
    clang.current_dir(folder.path("")).args(["-w", "-o", "reference"]);
    run(clang.args(["large.c", "next.c", "main.c"]));
    assert_eq!(printed, run(&mut Command::new(folder.path("reference"))));
}
