//! What frazil-cc does beyond clang: its own options, debug information, and nothing left behind after an
//! interruption.

use frazil_test_support::{Folder, names};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// clang makes a vector of this loop at -O2 if it may; Frazil has a pass for it in its recipes, too.
const LOOP: &str = "int sum(int *items, int count) { int total = 0; for (int i = 0; i < count; i++) total += items[i] * 3; \
    return total; }\n";

fn command(folder: &Folder, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_frazil-cc"));
    command.args(words.split(' ')).current_dir(folder);
    command.env_remove("FRAZIL_CC_FALLBACK");
    command
}

fn cc(folder: &Folder, words: &str) -> Output {
    command(folder, words).output().expect("it starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn options_for_frazil_have_their_effect_and_errors_are_frazils() {
    let folder = Folder::new("for-frazil");
    folder.write("a.c", LOOP);
    let text = |words: &str| {
        let output = cc(&folder, &format!("-O2 -S a.c -o - {words}"));
        assert!(output.status.success(), "{words}: {}", stderr(&output));
        (String::from_utf8_lossy(&output.stdout).into_owned(), stderr(&output))
    };
    let (plain, silence) = text("");
    assert_eq!(silence, "");
    assert_eq!(text("-Xfrazil --recipe -Xfrazil O2").0, plain);
    let without = text("-Xfrazil --recipe=Om1").0;
    assert_ne!(without, plain);
    assert_eq!(text("-Xfrazil --check-regalloc -Xfrazil --verify-each").0, plain);
    let (_, said) = text("-Xfrazil --print-after=dce");
    assert!(said.contains("func @sum("), "{said}");
    let (_, said) = text("-Xfrazil --stats");
    assert!(said.contains("largest frame"), "{said}");
    for (words, message) in [
        ("-Xfrazil --recipe=no-such", "frazil: error: unknown recipe `no-such`"),
        ("-Xfrazil --disable=no-such", "frazil: error: "),
        (
            "-Xfrazil --no-such",
            "frazil: error: unexpected argument '--no-such' found",
        ),
        ("-Xfrazil --emit=ir", "frazil: error: --emit has no meaning here"),
        ("-Xfrazil -O3", "frazil: error: -O has no meaning here"),
        (
            "-Xfrazil",
            "frazil-cc: error: -Xfrazil: the next word must be an option for Frazil",
        ),
    ] {
        let output = cc(&folder, &format!("-c a.c {words}"));
        assert_eq!(output.status.code(), Some(1), "{words}");
        assert!(stderr(&output).starts_with(message), "{words}: {}", stderr(&output));
        assert_eq!(folder.names(), ["a.c"], "{words}");
    }
    // They are wrong even where Frazil has nothing to do.
    assert!(!cc(&folder, "-E a.c -Xfrazil --no-such").status.success());
}

#[test]
fn options_for_frazil_hold_for_all_sources() {
    let folder = Folder::new("for-all");
    folder.write("a.c", LOOP);
    folder.write("b.c", "int other(void) { return 3; }\n");
    let output = cc(&folder, "-O1 -c a.c b.c -Xfrazil --print-after=dce");
    let said = stderr(&output);
    assert!(said.contains("func @sum(") && said.contains("func @other("), "{said}");
}

#[test]
fn debug_information_is_there_if_it_is_asked_for() {
    let folder = Folder::new("debug");
    folder.write("a.c", LOOP);
    for (words, section, is_wanted) in [
        ("-g -c a.c", ".debug_line", true),
        ("-O2 -ggdb3 -c a.c", ".debug_line", true),
        ("-g -g0 -c a.c", ".debug_line", false),
        ("-g -c a.c", ".debug_macro", false),
        ("-g -fdebug-macro -c a.c", ".debug_macro", true),
        ("-g -c a.c", ".debug_aranges", false),
        ("-g -gdwarf-aranges -c a.c", ".debug_aranges", true),
        ("-c a.c", ".debug_frame", false),
        ("-fforce-dwarf-frame -c a.c", ".debug_frame", true),
    ] {
        assert_eq!(stderr(&cc(&folder, words)), "", "{words}");
        let object = std::fs::read(folder.path("a.o")).expect("an object");
        let found = object.windows(section.len()).any(|window| window == section.as_bytes());
        assert_eq!(found, is_wanted, "{words}: {section}");
    }
}

#[test]
fn debug_information_is_split_if_that_is_asked_for() {
    let folder = Folder::new("debug-split");
    folder.write("a.c", LOOP);
    for (words, files, is_in_object) in [
        ("-g -gsplit-dwarf -c a.c", &["a.c", "a.dwo", "a.o"] as &[&str], false),
        ("-g -gsplit-dwarf=split -c a.c -o b.o", &["a.c", "b.dwo", "b.o"], false),
        ("-g -gdwarf-4 -gsplit-dwarf -c a.c", &["a.c", "a.dwo", "a.o"], false),
        ("-g -gsplit-dwarf=single -c a.c", &["a.c", "a.o"], true),
    ] {
        assert_eq!(stderr(&cc(&folder, words)), "", "{words}");
        assert_eq!(folder.names(), files, "{words}");
        let object = std::fs::read(folder.path(files[files.len() - 1])).expect("an object");
        let found = object.windows(15).any(|window| window == b".debug_info.dwo");
        assert_eq!(found, is_in_object, "{words}");
        files
            .iter()
            .skip(1)
            .for_each(|name| std::fs::remove_file(folder.path(name)).expect("it is there"));
    }
    let planned = stderr(&cc(&folder, "-### -g -gsplit-dwarf -c a.c"));
    assert!(planned.contains("\"--split-dwarf-output=a.dwo\""), "{planned}");
    let old = stderr(&cc(&folder, "-g -gdwarf-3 -gsplit-dwarf -c a.c"));
    assert!(
        old.contains("not supported: split debug information of DWARF 3"),
        "{old}"
    );
}

#[test]
fn debug_sections_are_compressed_if_that_is_asked_for() {
    let folder = Folder::new("debug-compressed");
    folder.write("a.c", LOOP);
    for (option, planned) in [
        ("-gz", "\"--compress-debug-sections\""),
        ("-gz=zstd", "\"--compress-debug-sections=zstd\""),
    ] {
        let said = stderr(&cc(&folder, &format!("-### -g {option} -c a.c")));
        assert!(said.contains(planned), "{option}: {said}");
        assert_eq!(stderr(&cc(&folder, &format!("-g {option} -c a.c"))), "", "{option}");
    }
}

#[test]
fn types_have_units_of_their_own_if_that_is_asked_for() {
    let folder = Folder::new("debug-types");
    folder.write("a.cpp", "struct Pair { int first, second; } pair;\n");
    for (words, is_wanted) in [("", false), ("-fdebug-types-section", true)] {
        assert_eq!(
            stderr(&cc(&folder, &format!("-g -gdwarf-4 {words} -c a.cpp"))),
            "",
            "{words}"
        );
        let object = std::fs::read(folder.path("a.o")).expect("an object");
        let found = object.windows(12).any(|window| window == b".debug_types");
        assert_eq!(found, is_wanted, "{words}");
    }
    let planned = stderr(&cc(&folder, "-### -g -fdebug-types-section -c a.cpp"));
    assert!(planned.contains("\"--debug-sections=type-units\""), "{planned}");
}

#[test]
fn it_says_that_it_is_there() {
    let folder = Folder::new("version");
    folder.write("a.c", LOOP);
    let introduction = concat!("Frazil version ", env!("CARGO_PKG_VERSION"), ": makes the code\n");
    let version = String::from_utf8(cc(&folder, "--version").stdout).expect("text");
    assert!(
        version.contains("clang version") && version.ends_with(introduction),
        "{version}"
    );
    assert!(stderr(&cc(&folder, "-v")).contains(introduction));
    let planned = stderr(&cc(&folder, "-### -O2 -c a.c"));
    assert!(
        planned.contains(introduction) && planned.contains("\"frazil\" \"--recipe=O2\""),
        "{planned}"
    );
    assert_eq!(folder.names(), ["a.c"], "nothing is made");
    let shown = stderr(&cc(&folder, "-v -c a.c"));
    assert!(
        shown.contains("\"frazil\"") && shown.contains("#include <...> search starts here:"),
        "{shown}"
    );
    assert_eq!(folder.names(), ["a.c", "a.o"]);
}

#[test]
fn with_the_fallback_a_source_on_standard_input_is_read_twice() {
    let folder = Folder::new("fallback-input");
    let mut child = command(&folder, "--fallback -x c -c - -o a.o");
    let mut child = child
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let source = b"__attribute__((no_caller_saved_registers)) int wide(int x) { return x * 3; }\n";
    child.stdin.take().expect("a pipe").write_all(source).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("compiled by clang, because Frazil says"));
    assert_eq!(folder.names(), ["a.o"]);
}

#[test]
fn what_is_refused_may_be_left_to_clang_with_a_word() {
    let folder = Folder::new("left-to-clang");
    folder.write("a.c", "int main(void) { return 0; }\n");
    let output = cc(&folder, "--fallback -flto a.c -o program");
    assert!(output.status.success(), "{}", stderr(&output));
    let start = "frazil-cc: warning: a.c: compiled by clang, because Frazil says: not supported: the option -flto: ";
    assert!(stderr(&output).starts_with(start), "{}", stderr(&output));
    assert_eq!(folder.names(), ["a.c", "program"]);
    let output = cc(&folder, "--fallback -fstack-usage -c a.c");
    assert!(output.status.success() && folder.names().contains(&"a.su".to_owned()));
}

/// Waits until a process that was started has made its folder of temporary files and waits for another program.
fn wait_for_folder(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while names(folder).is_empty() {
        assert!(Instant::now() < deadline, "no folder is made");
        thread::sleep(Duration::from_millis(5));
    }
}

fn ended(mut child: Child) -> std::process::ExitStatus {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return status;
        }
        assert!(Instant::now() < deadline, "it does not end");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_interruption_leaves_nothing_behind() {
    for (name, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
        let (folder, temporary) = (Folder::new("interrupted"), Folder::new("interrupted-temporary"));
        // The compiler waits for the rest of the source.
        let mut child = command(&folder, "-x c - -o program");
        child
            .env("TMPDIR", temporary.path(""))
            .stdin(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = child.spawn().expect("it starts");
        let input = child.stdin.take().expect("a pipe");
        wait_for_folder(temporary.as_ref());
        // The plan is there after a moment.
        thread::sleep(Duration::from_millis(300));
        let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
        assert!(sent.expect("kill starts").success());
        assert_eq!(ended(child).signal(), Some(number), "{name}");
        assert_eq!(temporary.names(), [""; 0], "{name}");
        assert_eq!(folder.names(), [""; 0], "{name}");
        drop(input);
    }
}

#[test]
fn a_closed_pipe_leaves_nothing_behind() {
    let (folder, temporary) = (Folder::new("closed"), Folder::new("closed-temporary"));
    folder.write("a.c", LOOP);
    let mut child = command(&folder, "-O2 -S a.c -o -");
    child
        .env("TMPDIR", temporary.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = child.spawn().expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("Broken pipe"), "{}", stderr(&output));
    assert_eq!(temporary.names(), [""; 0]);
    // Nobody reads the messages, either.
    let mut child = command(&folder, "-c no-such.c -g -Xfrazil");
    child.env("TMPDIR", temporary.path("")).stderr(Stdio::piped());
    let mut child = child.spawn().expect("it starts");
    drop(child.stderr.take());
    assert_eq!(ended(child).code(), Some(1));
}
