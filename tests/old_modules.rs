//! Modules that LLVM 4 to 11 wrote, and calls of intrinsics that LLVM 22 has no more but makes others of: programs that
//! must print what they print when clang 22 compiles the same file.

use crate::{RECIPES, checking_frazil, frazil, in_repository};
use frazil_test_support::{Folder, run};
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

const VERSIONS: std::ops::RangeInclusive<u32> = 4..=11;

/// What the program of an object or a module prints.
fn output(folder: &Folder, input: &Path) -> String {
    let program = folder.path("program");
    let mut clang = Command::new("clang-22");
    run(clang
        .args(["-Wno-override-module", "-no-pie"])
        .arg(input)
        .arg("-o")
        .arg(&program)
        .arg("-lm"));
    String::from_utf8_lossy(&run(&mut Command::new(program))).into_owned()
}

#[test]
fn modules_of_old_versions_do_what_they_did() {
    let folder = Folder::new("old-modules");
    for version in VERSIONS {
        let module = in_repository(format!("tests/modules/old/llvm-{version}.bc"));
        let expected = output(&folder, &module);
        assert_eq!(expected.lines().count(), 12, "LLVM {version}");
        for recipe in RECIPES {
            let object = folder.path("program.o");
            run(checking_frazil(recipe).arg(&module).arg("-o").arg(&object));
            assert_eq!(output(&folder, &object), expected, "LLVM {version}, {recipe}");
        }
    }
}

/// What a module is read as, but for what names files and intrinsics.
fn read(folder: &Folder, module: &Path) -> String {
    let output = folder.path("read.fzl");
    run(frazil()
        .args(["--emit", "ir", "--strip-debug"])
        .arg(module)
        .arg("-o")
        .arg(&output));
    let text = fs::read_to_string(output).expect("it was written");
    // An intrinsic that LLVM has another name for today.
    let text = text.replace("@llvm.flt.rounds(", "@llvm.get.rounding(");
    let is_left = |line: &&str| !line.starts_with("source ") && !line.starts_with("symbol @llvm.");
    text.lines().filter(is_left).map(|line| format!("{line}\n")).collect()
}

/// Those of clang 13, too, the oldest one of Debian: programs in C and C++ with one of everything, and inline assembly.
#[test]
fn modules_of_old_versions_are_read_like_what_llvm_makes_of_them() {
    let folder = Folder::new("old-modules-again");
    let (text, again) = (folder.path("again.ll"), folder.path("again.bc"));
    let modules = fs::read_dir(in_repository("tests/modules/old")).expect("the folder is there");
    let modules = modules.map(|entry| entry.expect("it can be read").path());
    let mut count = 0;
    for module in modules.filter(|path| path.extension() == Some(OsStr::new("bc"))) {
        run(Command::new("llvm-dis-22").arg(&module).arg("-o").arg(&text));
        run(Command::new("llvm-as-22").arg(&text).arg("-o").arg(&again));
        let (found, expected) = (read(&folder, &module), read(&folder, &again));
        assert!(found == expected, "{}:\n{found}and not\n{expected}", module.display());
        count += 1;
    }
    assert_eq!(count, VERSIONS.count() + 6);
}

/// Calls by names that LLVM has given up. `$a` and `$b` are values in memory.
const FORMER: &[&str] = &[
    "<16 x i8> @x86.sse2.padds.b(<16 x i8> $a, <16 x i8> $b)",
    "<8 x i16> @x86.sse2.padds.w(<8 x i16> $a, <8 x i16> $b)",
    "<16 x i8> @x86.sse2.psubs.b(<16 x i8> $a, <16 x i8> $b)",
    "<8 x i16> @x86.sse2.psubs.w(<8 x i16> $a, <8 x i16> $b)",
    "<16 x i8> @x86.sse2.paddus.b(<16 x i8> $a, <16 x i8> $b)",
    "<8 x i16> @x86.sse2.paddus.w(<8 x i16> $a, <8 x i16> $b)",
    "<16 x i8> @x86.sse2.psubus.b(<16 x i8> $a, <16 x i8> $b)",
    "<8 x i16> @x86.sse2.psubus.w(<8 x i16> $a, <8 x i16> $b)",
    "<8 x i16> @x86.sse2.pmaxs.w(<8 x i16> $a, <8 x i16> $b)",
    "<8 x i16> @x86.sse2.pmins.w(<8 x i16> $a, <8 x i16> $b)",
    "<16 x i8> @x86.sse2.pmaxu.b(<16 x i8> $a, <16 x i8> $b)",
    "<16 x i8> @x86.sse2.pminu.b(<16 x i8> $a, <16 x i8> $b)",
    "<16 x i8> @x86.sse41.pmaxsb(<16 x i8> $a, <16 x i8> $b)",
    "<16 x i8> @x86.sse41.pminsb(<16 x i8> $a, <16 x i8> $b)",
    "<4 x i32> @x86.sse41.pmaxsd(<4 x i32> $a, <4 x i32> $b)",
    "<4 x i32> @x86.sse41.pminsd(<4 x i32> $a, <4 x i32> $b)",
    "<8 x i16> @x86.sse41.pmaxuw(<8 x i16> $a, <8 x i16> $b)",
    "<8 x i16> @x86.sse41.pminuw(<8 x i16> $a, <8 x i16> $b)",
    "<4 x i32> @x86.sse41.pmaxud(<4 x i32> $a, <4 x i32> $b)",
    "<4 x i32> @x86.sse41.pminud(<4 x i32> $a, <4 x i32> $b)",
    "<16 x i8> @x86.ssse3.pabs.b.128(<16 x i8> $a)",
    "<8 x i16> @x86.ssse3.pabs.w.128(<8 x i16> $a)",
    "<4 x i32> @x86.ssse3.pabs.d.128(<4 x i32> $a)",
    "<4 x float> @x86.sse.sqrt.ps(<4 x float> $a)",
    "<2 x double> @x86.sse2.sqrt.pd(<2 x double> $a)",
    "<4 x float> @x86.sse.sqrt.ss(<4 x float> $a)",
    "<2 x double> @x86.sse2.sqrt.sd(<2 x double> $a)",
    "<4 x float> @x86.sse.add.ss(<4 x float> $a, <4 x float> $b)",
    "<4 x float> @x86.sse.sub.ss(<4 x float> $a, <4 x float> $b)",
    "<4 x float> @x86.sse.mul.ss(<4 x float> $a, <4 x float> $b)",
    "<4 x float> @x86.sse.div.ss(<4 x float> $a, <4 x float> $b)",
    "<2 x double> @x86.sse2.add.sd(<2 x double> $a, <2 x double> $b)",
    "<2 x double> @x86.sse2.sub.sd(<2 x double> $a, <2 x double> $b)",
    "<2 x double> @x86.sse2.mul.sd(<2 x double> $a, <2 x double> $b)",
    "<2 x double> @x86.sse2.div.sd(<2 x double> $a, <2 x double> $b)",
    "<4 x float> @x86.fma.vfmadd.ps(<4 x float> $a, <4 x float> $b, <4 x float> $a)",
    "<2 x double> @x86.fma.vfmadd.pd(<2 x double> $a, <2 x double> $b, <2 x double> $a)",
    "<4 x float> @x86.sse.cvtsi2ss(<4 x float> $a, i32 $b)",
    "<4 x float> @x86.sse.cvtsi642ss(<4 x float> $a, i64 $b)",
    "<2 x double> @x86.sse2.cvtsi2sd(<2 x double> $a, i32 $b)",
    "<2 x double> @x86.sse2.cvtsi642sd(<2 x double> $a, i64 $b)",
    "<2 x double> @x86.sse2.cvtss2sd(<2 x double> $a, <4 x float> $b)",
    "<4 x float> @x86.sse2.cvtdq2ps(<4 x i32> $a)",
    "<2 x double> @x86.sse2.cvtdq2pd(<4 x i32> $a)",
    "<2 x double> @x86.sse2.cvtps2pd(<4 x float> $a)",
    "<2 x i64> @x86.sse2.pmulu.dq(<4 x i32> $a, <4 x i32> $b)",
    "<2 x i64> @x86.sse41.pmuldq(<4 x i32> $a, <4 x i32> $b)",
    "<16 x i8> @x86.sse2.pcmpeq.b(<16 x i8> $a, <16 x i8> $b)",
    "<8 x i16> @x86.sse2.pcmpeq.w(<8 x i16> $a, <8 x i16> $b)",
    "<4 x i32> @x86.sse2.pcmpeq.d(<4 x i32> $a, <4 x i32> $b)",
    "<16 x i8> @x86.sse2.pcmpgt.b(<16 x i8> $a, <16 x i8> $b)",
    "<8 x i16> @x86.sse2.pcmpgt.w(<8 x i16> $a, <8 x i16> $b)",
    "<4 x i32> @x86.sse2.pcmpgt.d(<4 x i32> $a, <4 x i32> $b)",
    "<4 x i32> @x86.sse2.pshuf.d(<4 x i32> $a, i8 27)",
    "<8 x i16> @x86.sse2.pshufl.w(<8 x i16> $a, i8 -100)",
    "<8 x i16> @x86.sse2.pshufh.w(<8 x i16> $a, i8 27)",
    "<2 x i64> @x86.sse2.psll.dq(<2 x i64> $a, i32 24)",
    "<2 x i64> @x86.sse2.psrl.dq(<2 x i64> $a, i32 40)",
    "<2 x i64> @x86.sse2.psll.dq.bs(<2 x i64> $a, i32 5)",
    "<2 x i64> @x86.sse2.psrl.dq.bs(<2 x i64> $a, i32 16)",
    "void @x86.sse.storeu.ps(ptr @out, <4 x float> $a)",
    "void @x86.sse2.storeu.pd(ptr @out, <2 x double> $b)",
    "void @x86.sse2.storeu.dq(ptr @out, <16 x i8> $a)",
    "void @x86.sse2.storel.dq(ptr @out, <4 x i32> $a)",
    "<2 x i64> @x86.sse41.movntdqa(ptr @a)",
    "float @experimental.vector.reduce.v2.fadd.f32.v4f32(float $b, <4 x float> $a)",
    "float @experimental.vector.reduce.v2.fmul.f32.v4f32(float $b, <4 x float> $a)",
    "i32 @experimental.vector.reduce.add.i32.v4i32(<4 x i32> $a)",
    "i16 @experimental.vector.reduce.umax.v8i16(<8 x i16> $a)",
    "float @experimental.vector.reduce.fmin.f32.v4f32(<4 x float> $a)",
    "ptr @invariant.group.barrier.p0i8(ptr @a)",
    "ptr @invariant.group.barrier(ptr @b)",
    "i32 @ctlz.i32(i32 $a)",
    "i64 @cttz.i64(i64 $b)",
    "void @stackprotectorcheck(ptr @out)",
];

/// A program that prints what each call comes to. Names begin with `_lvm`, which is to be replaced, as LLVM would
/// replace them by today's.
fn former_program() -> String {
    let mut declarations = String::new();
    let mut body = String::new();
    for (number, call) in FORMER.iter().enumerate() {
        let (result, rest) = call.split_once(" @").expect("a result and a name");
        let (name, rest) = rest.split_once('(').expect("a name and arguments");
        let mut types = Vec::new();
        let mut arguments = Vec::new();
        for (index, argument) in rest.trim_end_matches(')').split(", ").enumerate() {
            let (ty, value) = argument.rsplit_once(' ').expect("a type and a value");
            types.push(ty);
            let Some(place) = value.strip_prefix('$') else {
                arguments.push(argument.to_owned());
                continue;
            };
            let kind = match ty {
                _ if ty.contains("float") => ".float",
                _ if ty.contains("double") => ".double",
                _ => "",
            };
            writeln!(body, "  %v{number}.{index} = load volatile {ty}, ptr @{place}{kind}").expect("it is a text");
            arguments.push(format!("{ty} %v{number}.{index}"));
        }
        writeln!(declarations, "declare {result} @_lvm.{name}({})", types.join(", ")).expect("it is a text");
        let arguments = arguments.join(", ");
        let call = format!("call {result} @_lvm.{name}({arguments})");
        let lines = match result {
            "void" => format!("  {call}\n"),
            "ptr" => format!(
                "  %p{number} = {call}\n  %r{number} = load volatile i64, ptr %p{number}\n  \
                 store volatile i64 %r{number}, ptr @out\n"
            ),
            _ => format!("  %r{number} = {call}\n  store volatile {result} %r{number}, ptr @out\n"),
        };
        writeln!(body, "{lines}  call void @show(i32 {number})").expect("it is a text");
    }
    format!("{PROLOGUE}{declarations}define i32 @main() #0 {{\n{body}  ret i32 0\n}}\n")
}

/// Values, and a function that prints the first 16 bytes of `@out` and clears them.
const PROLOGUE: &str = r#"
target datalayout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
@a = global [16 x i8] c"\01\80\7F\FF\10\F0\55\AA\00\81\7E\FE\33\CC\02\FD", align 16
@b = global [16 x i8] c"\02\80\01\FE\10\F0\AA\55\FF\7F\7E\01\33\CC\80\90", align 16
@a.float = global <4 x float> <float 1.5, float 2.25, float 100.0, float 0.5>
@b.float = global <4 x float> <float 3.0, float -7.0, float 0.125, float -0.0>
@a.double = global <2 x double> <double 2.0, double 5.5>
@b.double = global <2 x double> <double -3.25, double 1.0e10>
@out = global [16 x i8] zeroinitializer, align 16
@format = private constant [18 x i8] c"%d %016lx %016lx\0A\00"
declare i32 @printf(ptr, ...)
define internal void @show(i32 %number) noinline {
  %low = load volatile i64, ptr @out
  %place = getelementptr i8, ptr @out, i64 8
  %high = load volatile i64, ptr %place
  %r = call i32 (ptr, ...) @printf(ptr @format, i32 %number, i64 %low, i64 %high)
  store volatile [16 x i8] zeroinitializer, ptr @out
  ret void
}
attributes #0 = { "target-features"="+sse4.1" }
"#;

#[test]
fn former_intrinsics_do_what_they_did() {
    let folder = Folder::new("former-intrinsics");
    let mut bitcode = assembled(&folder, &former_program());
    let mut replaced = 0;
    for at in 0..bitcode.len() {
        if bitcode[at..].starts_with(b"_lvm.") {
            bitcode[at] = b'l';
            bitcode[at + 1] = b'l';
            replaced += 1;
        }
    }
    assert!(replaced >= FORMER.len(), "{replaced} names");
    let module = folder.write("module.bc", &bitcode);
    let expected = output(&folder, &module);
    assert_eq!(expected.lines().count(), FORMER.len());
    for recipe in RECIPES {
        let object = folder.path("program.o");
        run(checking_frazil(recipe).arg(&module).arg("-o").arg(&object));
        let found = output(&folder, &object);
        for (call, (found, expected)) in FORMER.iter().zip(found.lines().zip(expected.lines())) {
            assert_eq!(found, expected, "{call}, {recipe}");
        }
        assert_eq!(found, expected, "{recipe}");
    }
}

/// The bitcode of a text that need not be what LLVM 22 takes for right.
fn assembled(folder: &Folder, text: &str) -> Vec<u8> {
    let source = folder.write("source.ll", text.as_bytes());
    let mut assembler = Command::new("llvm-as-22");
    run(assembler.args(["-disable-verify", "-o", "-"]).arg(source))
}

/// Up to version 4, a module flag says what linkers are to do.
#[test]
fn options_of_linkers_may_be_a_module_flag() {
    let folder = Folder::new("linker-options");
    let object = |text: &str| {
        let texts = "!1 = !{!2, !3}\n!2 = !{!\"lib\", !\"m\"}\n!3 = !{!\"lib\", !\"c\"}\n";
        let triple = "target triple = \"x86_64-unknown-linux-gnu\"\n";
        let module = folder.write("module.bc", assembled(&folder, &[triple, text, texts].concat()));
        run(Command::new("opt-22").arg("-disable-output").arg(&module));
        run(checking_frazil("Om1").arg(module).args(["-o", "-"]))
    };
    let flag = object("!llvm.module.flags = !{!0}\n!0 = !{i32 6, !\"Linker Options\", !1}\n");
    assert!(flag == object("!llvm.linker.options = !{!2, !3}\n"));
    assert!(flag != object("!some.name = !{!2, !3}\n"));
}
