//! What objects for other systems than Linux say of themselves: as those of llc, or they are refused by name.

use crate::{SAMPLE, frazil};
use frazil_test_support::{Folder, run};
use std::fs;
use std::process::Command;

/// Triples whose objects have the same header as llc's.
const SAME: &[&str] = &[
    "x86_64",
    "x86_64-unknown-linux-gnu",
    "x86_64-alpine-linux-musl",
    "x86_64-linux-android34",
    "x86_64-unknown-freebsd",
    "x86_64-unknown-freebsd14.1",
    "amd64-freebsd",
    "x86_64-unknown-kfreebsd-gnu",
    "x86_64-unknown-netbsd",
    "x86_64-unknown-openbsd",
    "x86_64-unknown-dragonfly",
    "x86_64-pc-solaris2.11",
    "x86_64-unknown-illumos",
    "x86_64-unknown-haiku",
    "x86_64-unknown-fuchsia",
    "x86_64-unknown-hermit",
    "x86_64-unknown-hurd-gnu",
    "x86_64-unknown-none-elf",
    "x86_64-scei-ps4",
    "x86_64-sie-ps5",
    "x86_64-unknown-redox",
    "x86_64-unknown-rtems",
];

/// Triples that are refused, with what is said of them.
const REFUSED: &[(&str, &str)] = &[
    ("x86_64-unknown-linux-gnux32", "x32, with pointers of 32 bits"),
    ("x86_64-unknown-linux-muslx32", "x32, with pointers of 32 bits"),
    ("x86_64-pc-windows-msvc", "object files of windows"),
    ("x86_64-pc-cygwin", "object files of cygwin"),
    ("x86_64-unknown-uefi", "object files of uefi"),
    ("x86_64-apple-macosx14.0.0", "object files of macos"),
    ("x86_64-apple-ios", "object files of ios"),
    ("x86_64-pc-linux-coff", "object files in the format coff"),
    ("x86_64-pc-macho", "object files in the format macho"),
];

/// Like llc, which takes the layout of the triple that it is called with.
#[test]
fn another_triple_brings_its_layout() {
    let folder = Folder::new("layout");
    let text = "target datalayout = \"e-p:32:32\"\ntarget triple = \"i386-unknown-linux\"\n\
                define ptr @f(ptr %p) {\n  %q = load ptr, ptr %p\n  ret ptr %q\n}\n";
    let (module, bitcode) = (folder.write("f.ll", text), folder.path("f.bc"));
    run(Command::new("llvm-as-22").arg(module).arg("-o").arg(&bitcode));
    let mut compile = frazil();
    compile
        .arg(&bitcode)
        .args(["-mtriple", "x86_64-unknown-linux-gnu", "--emit", "asm", "-o", "-"]);
    let outcome = compile.output().expect("frazil starts");
    let text = String::from_utf8_lossy(&outcome.stdout);
    assert!(
        text.contains("movq\t(%rdi), %rax"),
        "{text}{}",
        String::from_utf8_lossy(&outcome.stderr)
    );
}

#[test]
fn headers_are_those_of_llc_or_the_system_is_refused() {
    let folder = Folder::new("systems");
    let (ours, theirs) = (folder.path("ours.o"), folder.path("theirs.o"));
    // Identification, type, machine, version; flags.
    let header = |bytes: &[u8]| [&bytes[..24], &bytes[48..52]].concat();
    for triple in SAME {
        let outcome = frazil().args([SAMPLE, "-mtriple", triple, "-o"]).arg(&ours).output();
        let outcome = outcome.expect("frazil starts");
        assert!(
            outcome.status.success(),
            "{triple}: {}",
            String::from_utf8_lossy(&outcome.stderr)
        );
        let mut llc = Command::new("llc-22");
        llc.args(["-filetype=obj", "-mtriple", triple, SAMPLE, "-o"])
            .arg(&theirs);
        assert!(llc.status().expect("llc-22 starts").success(), "{triple}");
        let [ours, theirs] = [&ours, &theirs].map(|path| fs::read(path).expect("readable"));
        assert_eq!(header(&ours), header(&theirs), "{triple}");
    }
    for (triple, what) in REFUSED {
        let outcome = frazil().args([SAMPLE, "-mtriple", triple, "-o"]).arg(&ours).output();
        let message = String::from_utf8(outcome.expect("frazil starts").stderr).expect("text");
        let start = format!("frazil: error: --mtriple: not supported: {what} (triple `{triple}`)");
        assert!(message.starts_with(&start), "{message}");
    }
}
