//! Numbers at the bounds of what LLVM allows: they are compiled, and cost no more than they must.

use crate::frazil;
use frazil_test_support::{Folder, run};
use std::fmt::Write;
use std::fs;
use std::process::Command;

const TRIPLE: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n";

/// Links what the text becomes and runs it; it must end well.
fn run_program(folder: &Folder, text: &str) {
    let source = folder.write("module.ll", format!("{TRIPLE}{text}"));
    let [bitcode, object, program] = ["module.bc", "module.o", "program"].map(|name| folder.path(name));
    run(Command::new("llvm-as-22").arg(source).arg("-o").arg(&bitcode));
    run(frazil().arg(&bitcode).arg("-o").arg(&object));
    run(Command::new("cc").arg(&object).arg("-o").arg(&program));
    run(&mut Command::new(&program));
}

#[test]
fn long_chains_of_aliases_are_followed() {
    const COUNT: usize = 1000;
    let mut text = "@data = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]\n\
        @a0 = alias i32, getelementptr (i8, ptr @data, i64 4)\n"
        .to_owned();
    for number in 1..COUNT {
        let before = number - 1;
        // A few of them go on by a number, up to the last.
        let target = match number % (COUNT / 2) {
            0 => format!("getelementptr (i8, ptr @a{before}, i64 4)"),
            _ => format!("ptr @a{before}"),
        };
        writeln!(text, "@a{number} = alias i32, {target}").expect("strings can be written");
    }
    let last = COUNT - 1;
    writeln!(
        text,
        "define i32 @main() {{ %v = load i32, ptr @a{last}\n %w = load i32, ptr @a7\n %s = shl i32 %w, 4\n\
         %t = or i32 %s, %v\n %r = xor i32 %t, 35\n ret i32 %r }}"
    )
    .expect("strings can be written");
    run_program(&Folder::new("alias-chain"), &text);
}

#[test]
fn the_largest_alignment_takes_no_room_in_the_file() {
    let folder = Folder::new("largest-alignment");
    let text = "@data = global i32 1, align 4294967296\n@zero = global i32 0, align 4294967296\n";
    let source = folder.write("module.ll", format!("{TRIPLE}{text}"));
    let [bitcode, object] = ["module.bc", "module.o"].map(|name| folder.path(name));
    run(Command::new("llvm-as-22").arg(source).arg("-o").arg(&bitcode));
    run(frazil().arg(&bitcode).arg("-o").arg(&object));
    assert!(fs::metadata(&object).expect("it was written").len() < 1 << 18);
    let headers = run(Command::new("readelf").arg("-SW").arg(&object));
    let headers = String::from_utf8_lossy(&headers);
    let aligned = |name: &str| {
        headers
            .lines()
            .any(|line| line.contains(name) && line.trim_end().ends_with(" 4294967296"))
    };
    assert!(aligned(" .data ") && aligned(" .bss "), "{headers}");
}

#[test]
fn more_memory_than_is_allowed_is_an_error_that_leaves_nothing() {
    let folder = Folder::new("max-memory");
    let mut text = TRIPLE.to_owned();
    for number in 0..20_000 {
        writeln!(
            text,
            "define i32 @f{number}(i32 %x) {{ %y = add i32 %x, {number}\n ret i32 %y }}"
        )
        .expect("strings can be written");
    }
    let source = folder.write("module.ll", text);
    let bitcode = folder.path("module.bc");
    run(Command::new("llvm-as-22").arg(source).arg("-o").arg(&bitcode));
    let object = folder.write("module.o", "earlier");
    for threads in ["0", "2"] {
        let limited = |size: &str| {
            let mut command = frazil();
            command.args(["--threads", threads, "--max-memory", size]);
            command.arg(&bitcode).arg("-o").arg(&object);
            command.output().expect("it starts")
        };
        for size in ["256K", "1M", "1500000"] {
            let outcome = limited(size);
            assert_eq!(outcome.status.code(), Some(1), "{size}");
            let message = String::from_utf8_lossy(&outcome.stderr);
            let start = "frazil: error: compiling takes more memory than the ";
            assert!(message.starts_with(start), "{message}");
            assert!(message.contains(size), "{message}");
            assert_eq!(fs::read(&object).expect("it is still there"), b"earlier");
            assert_eq!(folder.names(), ["module.bc", "module.ll", "module.o"]);
        }
        let outcome = limited("1G");
        assert!(outcome.status.success());
        let with_limit = fs::read(&object).expect("it was written");
        run(frazil().arg(&bitcode).arg("-o").arg(&object));
        assert!(fs::read(&object).expect("it was written") == with_limit);
        fs::write(&object, "earlier").expect("writable");
    }
}
