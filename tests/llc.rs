//! The command as users of LLVM's tools type it: by the name `frazil-llc`, with one dash, from standard input, over
//! many files.

mod commands;

use crate::SAMPLE;
use frazil_test_support::Folder;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

/// What a run gave.
struct Ran {
    status: Option<i32>,
    out: Vec<u8>,
    messages: String,
}

fn run(command: &mut Command, input: &[u8]) -> Ran {
    let piped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = piped.spawn().expect("it starts");
    // A program that does not read its input has closed it.
    let _ = child.stdin.take().expect("piped").write_all(input);
    let output = child.wait_with_output().expect("it ends");
    Ran {
        status: output.status.code(),
        out: output.stdout,
        messages: String::from_utf8(output.stderr).expect("messages are text"),
    }
}

fn frazil(words: &[&str]) -> Ran {
    run(crate::frazil().args(words), b"")
}

fn sample() -> Vec<u8> {
    fs::read(SAMPLE).expect("the sample can be read")
}

/// The object that a run with these words writes to standard output.
fn object(words: &[&str]) -> Vec<u8> {
    let ran = frazil(&[words, &[SAMPLE, "-o", "-"]].concat());
    assert_eq!((ran.status, ran.messages.as_str()), (Some(0), ""), "{words:?}");
    ran.out
}

fn refusal(words: &[&str]) -> String {
    let ran = frazil(&[words, &[SAMPLE, "-o", "/dev/null"]].concat());
    assert_eq!(ran.status, Some(1), "{words:?}: {}", ran.messages);
    assert!(ran.messages.starts_with("frazil: error: "), "{}", ran.messages);
    ran.messages
}

#[test]
fn by_its_other_name_the_defaults_are_those_of_llc() {
    let folder = Folder::new("name");
    let llc = folder.path("frazil-llc");
    symlink(env!("CARGO_BIN_EXE_frazil"), &llc).expect("links work");
    let ran = run(&mut Command::new(&llc), &sample());
    assert_eq!((ran.status, ran.messages.as_str()), (Some(0), ""));
    let expected = object(&["-O2", "-filetype=asm"]);
    assert_eq!(String::from_utf8_lossy(&ran.out), String::from_utf8_lossy(&expected));
    folder.write("in.bc", sample());
    let ran = run(Command::new(&llc).arg("in.bc").current_dir(&folder), b"");
    assert_eq!(ran.status, Some(0), "{}", ran.messages);
    assert_eq!(fs::read(folder.path("in.s")).expect("named after the input"), expected);
    let ran = run(Command::new(&llc).args(["-O0", "-filetype=obj"]), &sample());
    assert!(ran.out == object(&[]));
}

#[test]
fn levels_are_recipes_and_the_last_value_counts() {
    for (level, recipe) in [
        ("-O0", "Om1"),
        ("-O1", "O1"),
        ("-O2", "O2"),
        ("-O3", "O2"),
        ("-Os", "Os"),
        ("-Oz", "Os"),
    ] {
        assert!(object(&[level]) == object(&["--recipe", recipe]), "{level}");
    }
    assert!(object(&["-O1", "-O", "2"]) == object(&["-O2"]));
    assert!(refusal(&["-O4"]).contains("invalid value '4'"));
    assert!(refusal(&["-O2", "-recipe=O1"]).contains("cannot be used with"));
}

#[test]
fn options_are_those_of_llc() {
    let plain = object(&[]);
    for words in [
        &[
            "-mtriple=x86_64-pc-linux-gnu",
            "-march=x86-64",
            "-mcpu=skylake",
            "-mattr=+popcnt,-avx",
        ][..],
        &[
            "-mtriple",
            "x86_64-unknown-none-elf",
            "-code-model=small",
            "-verify-machineinstrs",
        ],
        &[
            "-function-sections=false",
            "-data-sections=0",
            "-disable-verify",
            "-mcpu=native",
        ],
    ] {
        assert!(object(words) == plain, "{words:?}");
    }
    assert!(object(&["-function-sections"]) != plain);
    assert!(object(&["-filetype=null"]).is_empty());
    let has_frame = |words: &[&str]| assembly(words).contains("%rsp, %rbp");
    assert!(has_frame(&["-O2", "-frame-pointer=all"]) && !has_frame(&["-O2"]));
    let through_table = |words: &[&str]| assembly(words).contains("GOTPCREL");
    assert!(through_table(&["-relocation-model=pic"]) && !through_table(&["-relocation-model=static"]));
    let ran = frazil(&["-O2", "-print-after-all", "-filter-print-funcs=main", SAMPLE, "-o", "-"]);
    assert!(ran.messages.contains("@main, after "), "{}", ran.messages);
    let ran = frazil(&[
        "-O2",
        "-print-before-all",
        "-filter-print-funcs=other",
        SAMPLE,
        "-o",
        "-",
    ]);
    assert_eq!(ran.messages, "");
}

/// A call at the end is a jump, and a function without a frame leaves the stack pointer alone, without the options.
#[test]
fn calls_stay_calls_and_stacks_are_aligned_if_that_is_asked_for() {
    let folder = Folder::new("frames");
    let text = "triple \"x86_64-unknown-linux-gnu\"\nsymbol @g function\nfunc @f() {\nb0:\n  call tail @g() : ()\n  \
                return\n}\n";
    let source = folder.write(
        "in.ll",
        "define void @f() {\n  tail call void @g()\n  ret void\n}\ndeclare void @g()\n",
    );
    let bitcode = folder.path("in.bc");
    frazil_test_support::run(Command::new("llvm-as-22").arg(source).arg("-o").arg(&bitcode));
    for path in [bitcode, folder.write("in.fzl", text)] {
        let path = path.to_string_lossy().into_owned();
        let made = |words: &[&str]| {
            let ran = frazil(&[words, &["-O2", "-filetype=asm", "-o", "-", &path]].concat());
            assert_eq!((ran.status, ran.messages.as_str()), (Some(0), ""), "{words:?}");
            String::from_utf8(ran.out).expect("text")
        };
        let has = |words: &[&str]| (made(words).contains("call"), made(words).contains("and"));
        assert_eq!(has(&[]), (false, false), "{}", made(&[]));
        assert_eq!(
            has(&["-disable-tail-calls"]),
            (true, false),
            "{}",
            made(&["-disable-tail-calls"])
        );
        assert!(has(&["-stackrealign"]).1, "{}", made(&["-stackrealign"]));
    }
}

/// The assembly text of a function that reads a variable of another module.
fn assembly(words: &[&str]) -> String {
    let folder = Folder::new("model");
    let text = "triple \"x86_64-unknown-linux-gnu\"\nsymbol @x data\nfunc @f() -> i32 {\nb0:\n  v0 = load align 4 \
                i32 @x\n  return v0\n}\n";
    let path = folder.write("in.fzl", text);
    let path = path.to_string_lossy().into_owned();
    let ran = frazil(&[words, &[&path, "-filetype=asm", "-o", "-"]].concat());
    assert_eq!((ran.status, ran.messages.as_str()), (Some(0), ""), "{words:?}");
    String::from_utf8(ran.out).expect("text")
}

/// What is emulated on some systems, and where the guard of the stack is, depends on the system.
#[test]
fn the_triple_that_is_asked_for_counts_and_not_the_modules() {
    let folder = Folder::new("triple");
    let text = |triple: &str| {
        format!(
            "triple \"{triple}\"\nsymbol @x data general_dynamic\nfunc @f() -> ptr {{\nb0:\n  v0 = tls_addr @x\n  \
             return v0\n}}\n"
        )
    };
    let source = |triple: &str| {
        format!(
            "target triple = \"{triple}\"\n@x = external thread_local global i32\ndefine ptr @f() {{\n  %p = call ptr \
             @llvm.threadlocal.address.p0(ptr @x)\n  ret ptr %p\n}}\ndeclare ptr \
             @llvm.threadlocal.address.p0(ptr)\n"
        )
    };
    let (plain, emulated) = ("x86_64-unknown-linux-gnu", "x86_64-unknown-linux-android21");
    for (of_module, asked, works) in [
        (plain, emulated, false),
        (plain, plain, true),
        (emulated, emulated, false),
        (emulated, plain, true),
        (emulated, "", false),
    ] {
        let bitcode = folder.path("in.bc");
        let source = folder.write("in.ll", source(of_module));
        frazil_test_support::run(Command::new("llvm-as-22").arg(source).arg("-o").arg(&bitcode));
        for path in [folder.write("in.fzl", text(of_module)), bitcode] {
            let path = path.to_string_lossy().into_owned();
            let ran = frazil(&["-mtriple", asked, &path, "-filetype=asm", "-o", "-"]);
            let message = "not supported: emulated thread-local storage";
            assert_eq!(
                (ran.status == Some(0), ran.messages.contains(message)),
                (works, !works),
                "{path}, {of_module}, {asked}: {}",
                ran.messages
            );
        }
    }
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    assert!(refusal(&["-mcpu=skylaek"]).contains("--mcpu: unknown processor `skylaek`; did you mean `skylake`?"));
    assert!(refusal(&["-mattr=+popcount"]).contains("unknown feature `popcount`; did you mean `popcnt`?"));
    assert!(refusal(&["-mattr=-sse2"]).contains("not supported: code without feature sse2"));
    assert!(refusal(&["-march=x86-46"]).contains("unknown target `x86-46`; did you mean `x86-64`?"));
    assert!(refusal(&["-mtriple=x86_64-pc-windows-msvc"]).contains("object files of windows"));
    assert!(refusal(&["-mtriple=sparc-linux"]).contains("no target for the triple `sparc-linux`"));
    assert!(refusal(&["-relocation-model=ropi"]).contains("possible values: static, pic"));
    assert!(refusal(&["-code-model=huge"]).contains("possible values: tiny, small, kernel, medium, large]"));
    assert!(refusal(&["-filetipe=obj"]).contains("a similar argument exists: '--filetype'"));
    assert!(refusal(&["-fast-isel"]).contains("-fast-isel is an option of llc: called by the name frazil-llc, "));
    assert!(refusal(&["-emulated-tls"]).contains("-emulated-tls is an option of llc: "));
}

#[test]
fn help_is_about_the_target_and_the_shell() {
    let said = |words: &[&str]| {
        let ran = frazil(words);
        assert_eq!((ran.status, ran.messages.as_str()), (Some(0), ""), "{words:?}");
        String::from_utf8(ran.out).expect("text")
    };
    assert!(said(&["-mcpu=help"]).contains("  znver3\n"));
    assert!(said(&["-mattr=help", "-march=x86-64"]).contains("  popcnt "));
    assert!(said(&["--man-page"]).contains(".TH frazil 1"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(said(&["--completions", shell]).contains("relocation-model"), "{shell}");
    }
}

#[test]
fn words_come_from_files_too() {
    let folder = Folder::new("words");
    let file = folder.path("options");
    fs::write(&file, format!("-O2 '-filetype=asm'\n\"{SAMPLE}\" -o -")).expect("writable");
    let ran = frazil(&[&format!("@{}", file.display())]);
    assert_eq!((ran.status, ran.messages.as_str()), (Some(0), ""));
    assert_eq!(ran.out, object(&["-O2", "-filetype=asm"]));
    let ran = frazil(&["@/nonexistent"]);
    assert!(
        ran.messages
            .starts_with("frazil: error: @/nonexistent: cannot read the file: "),
        "{}",
        ran.messages
    );
}

#[test]
fn many_inputs_share_a_run_and_a_bad_one_stops_no_other() {
    let folder = Folder::new("many");
    let bitcode = sample();
    for name in ["a.bc", "c.bc"] {
        fs::write(folder.path(name), &bitcode).expect("writable");
    }
    folder.write("b.bc", &bitcode[..bitcode.len() / 2]);
    let mut command = crate::frazil();
    let ran = run(
        command
            .args(["a.bc", "b.bc", "c.bc", "-o", "out/"])
            .current_dir(&folder),
        b"",
    );
    assert_eq!(ran.status, Some(1));
    assert!(ran.messages.starts_with("frazil: error: b.bc: "), "{}", ran.messages);
    let written = |name: &str| fs::read(folder.path("out").join(name)).ok();
    assert!(written("a.o") == Some(object(&[])));
    assert!(written("a.o") == written("c.o"));
    assert_eq!(written("b.o"), None);
}

#[test]
fn without_the_helper_text_is_refused_with_what_to_install() {
    let text = b"define void @f() {\n  ret void\n}\n";
    let folder = Folder::new("alone");
    let alone = folder.program("frazil", env!("CARGO_BIN_EXE_frazil"));
    let mut command = Command::new(&alone);
    let ran = run(command.env("PATH", folder.as_ref()).env_remove("FRAZIL_LLVM"), text);
    assert_eq!(ran.status, Some(1));
    assert!(ran.messages.starts_with("frazil: error: <stdin>: "), "{}", ran.messages);
    assert!(
        ran.messages.contains("frazil-llvm") && ran.messages.contains("llvm-22-dev"),
        "{}",
        ran.messages
    );
    let ran = run(Command::new(&alone).env("FRAZIL_LLVM", "/nonexistent/helper"), text);
    assert!(
        ran.messages.contains("cannot run /nonexistent/helper: "),
        "{}",
        ran.messages
    );
}
