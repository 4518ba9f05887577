//! Each code of a refusal comes from some input: for each, a module that the command refuses with exactly that code.

use crate::frazil;
use frazil_frontend_pnacl::bitstream::writer::Writer;
use frazil_frontend_pnacl::codes::{block, function, module, types};
use frazil_test_support::{Folder, run};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// What is made of a text of LLVM's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    Object,
    Assembly,
    /// An object, of a module whose function unwinds as LLVM 3.0 let it.
    Unwinding,
}
use Made::{Assembly, Object, Unwinding};

const TRIPLE: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n";

/// Codes, with inputs.
const TABLE: &[(&str, Made, &str)] = &[
    (
        "FZ0001",
        Object,
        "define void @f() { %a = alloca [3000000000 x i8]\n call void @g(ptr %a)\n ret void }\ndeclare void @g(ptr)\n",
    ),
    ("FZ0101", Object, "define void @f(<vscale x 4 x i32> %v) { ret void }\n"),
    (
        "FZ0102",
        Object,
        "declare x86_amx @llvm.x86.tilezero.internal(i16, i16)\n\
         define void @f() { %t = call x86_amx @llvm.x86.tilezero.internal(i16 1, i16 4)\n ret void }\n",
    ),
    (
        "FZ0103",
        Object,
        "define void @f() { %a = alloca target(\"spirv.Event\")\n ret void }\n",
    ),
    (
        "FZ0104",
        Object,
        "define void @f(ptr %p) { %v = load ppc_fp128, ptr %p\n store ppc_fp128 %v, ptr %p\n ret void }\n",
    ),
    ("FZ0105", Object, "define void @f(<2 x i100> %v) { ret void }\n"),
    (
        "FZ0106",
        Object,
        "define void @f(ptr %p) { %v = load i4096, ptr %p\n store i4096 %v, ptr %p\n ret void }\n",
    ),
    ("FZ0201", Object, "define void @f() gc \"shadow-stack\" { ret void }\n"),
    (
        "FZ0202",
        Object,
        "declare void @g()\ndeclare i32 @__CxxFrameHandler3(...)\n\
         define void @f() personality ptr @__CxxFrameHandler3 { invoke void @g() to label %ok unwind label %bad\n\
         ok:\n ret void\nbad:\n %p = cleanuppad within none []\n cleanupret from %p unwind to caller }\n",
    ),
    (
        "FZ0203",
        Object,
        "declare void @g()\ndeclare i32 @__gxx_personality_v0(...)\n\
         define void @f() personality ptr @__gxx_personality_v0 { invoke void @g() to label %ok unwind label %bad\n\
         ok:\n ret void\nbad:\n %p = landingpad i64 cleanup\n ret void }\n",
    ),
    (
        "FZ0204",
        Object,
        "define void @f() { call void asm sideeffect \"nop\", \"{nothing}\"(i32 1)\n ret void }\n",
    ),
    (
        "FZ0205",
        Object,
        "declare win64cc i32 @g(i32, ...)\n\
         define win64cc i32 @f(i32 %x, ...) { %r = musttail call win64cc i32 (i32, ...) @g(i32 %x, ...)\n ret i32 %r }\n",
    ),
    ("FZ0206", Object, "define cc 1023 void @f() { ret void }\n"),
    (
        "FZ0208",
        Object,
        "target triple = \"x86_64-unknown-openbsd\"\n@x = thread_local global i32 0\ndefine i32 @f() { %p = call ptr @llvm.threadlocal.address.p0(ptr @x)\n %v = load i32, ptr %p\n ret i32 %v }\ndeclare ptr @llvm.threadlocal.address.p0(ptr)\n",
    ),
    (
        "FZ0209",
        Object,
        "declare i32 @llvm.x86.atomic.bts.i32(ptr, i8 immarg)\n\
         define i32 @f(ptr %p) { %v = call i32 @llvm.x86.atomic.bts.i32(ptr %p, i8 3)\n ret i32 %v }\n",
    ),
    (
        "FZ0210",
        Object,
        "declare void @g()\ndefine void @f() { call void @g() [ \"deopt\"(i32 1) ]\n ret void }\n",
    ),
    (
        "FZ0211",
        Object,
        "declare void @llvm.unheard.of()\ndefine void @f() { call void @llvm.unheard.of()\n ret void }\n",
    ),
    ("FZ0212", Object, "define void @f() shadowcallstack { ret void }\n"),
    ("FZ0213", Object, "define void @f() alignstack(8192) { ret void }\n"),
    (
        "FZ0214",
        Object,
        "define void @f() \"target-features\"=\"+retpoline-indirect-calls\" { ret void }\n",
    ),
    ("FZ0215", Object, "@x = addrspace(1) global i32 0\n"),
    ("FZ0301", Assembly, "module asm \"# \\FF\"\n"),
    ("FZ0302", Object, "$x = comdat largest\n@x = global i32 0, comdat\n"),
    (
        "FZ0304",
        Object,
        "define void @f() { ret void }\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"Code Model\", i32 4}\n",
    ),
    (
        "FZ0305",
        Object,
        "@x = external global i32\n@y = global i128 ptrtoint (ptr @x to i128)\n",
    ),
    (
        "FZ0306",
        Object,
        "@x = global i32 0\ndeclare ptr @r()\n@i = ifunc void (), ptr getelementptr (i8, ptr @r, i64 4)\n",
    ),
    (
        "FZ0307",
        Object,
        "target datalayout = \"E-p:64:64\"\ndefine void @f() { ret void }\n",
    ),
    ("FZ0308", Unwinding, "define void @f() { ret void }\n"),
    (
        "FZ0309",
        Object,
        "!llvm.module.flags = !{!0}\n!0 = !{i32 4, !\"kcfi\", i32 1}\n",
    ),
    (
        "FZ0310",
        Object,
        "target triple = \"x86_64-pc-windows-msvc\"\ndefine void @f() { ret void }\n",
    ),
    (
        "FZ0801",
        Object,
        "define i32 @f() { %a = add i32 %b, 1\n %b = add i32 %a, 1\n ret i32 %b }\n",
    ),
    (
        "FZ0802",
        Object,
        "define i32 @f(i1 %c) { br i1 %c, label %a, label %b\na:\n br label %b\nb:\n %p = phi i32 [ 1, %a ]\n ret i32 %p }\n",
    ),
    (
        "FZ0901",
        Object,
        "define void @f(ptr %p) { %v = load [9000 x i32], ptr %p\n store [9000 x i32] %v, ptr %p\n ret void }\n",
    ),
    (
        "FZ0902",
        Object,
        "declare void @g(ptr)\ndefine void @f() sspreq { %a = alloca [8 x i8]\n call void @g(ptr %a)\n ret void }\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"stack-protector-guard\", !\"global\"}\n",
    ),
    ("FZ0903", Assembly, "@\"\\FF\" = global i32 0\n"),
];

/// A module of a function of one block whose only instruction has no number any more.
fn unwinding() -> Vec<u8> {
    const UNWIND: u64 = 14;
    let mut writer = Writer::new(b"BC\xc0\xde", 0);
    writer.begin_block(block::MODULE, 3);
    writer.record(module::VERSION, &[1]);
    writer.begin_block(block::TYPES, 4);
    writer.record(types::COUNT, &[2]);
    writer.record(types::VOID, &[]);
    writer.record(types::FUNCTION, &[0, 0]);
    writer.end_block();
    writer.record(module::FUNCTION, &[1, 0, 0, 0, 0, 0, 0, 0]);
    writer.begin_block(block::FUNCTION, 4);
    writer.record(function::DECLARE_BLOCKS, &[1]);
    writer.record(UNWIND, &[]);
    writer.end_block();
    writer.end_block();
    writer.finish()
}

/// The code with which the command refuses the module, or what it says instead.
fn code_of(folder: &Folder, made: Made, text: &str) -> String {
    let triple = if text.starts_with("target triple") { "" } else { TRIPLE };
    let source = folder.write("module.ll", format!("{triple}{text}"));
    let bitcode = folder.path("module.bc");
    // The verifier does not let everything pass that a reader has to refuse.
    let mut assembler = Command::new("llvm-as-22");
    run(assembler.arg("-disable-verify").arg(source).arg("-o").arg(&bitcode));
    if made == Unwinding {
        fs::write(&bitcode, unwinding()).expect("the folder is there");
    }
    let mut command = frazil();
    if made == Assembly {
        command.args(["--emit", "asm"]);
    }
    let output = command.arg(bitcode).arg("-o").arg(folder.path("output"));
    let output = output.output().expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return "compiled".to_owned();
    }
    let codes: BTreeSet<&str> = said
        .split('[')
        .filter_map(|rest| rest.split_once(']'))
        .map(|found| found.0)
        .collect();
    let codes: Vec<&str> = codes.into_iter().filter(|code| code.starts_with("FZ")).collect();
    if codes.is_empty() {
        said.into_owned()
    } else {
        codes.join(" ")
    }
}

#[test]
fn each_code_is_some_inputs() {
    let folder = Folder::new("refusal-codes");
    let listed = frazil().arg("--list-codes").output().expect("the command starts");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let listed: BTreeSet<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    let tried: BTreeSet<&str> = TABLE.iter().map(|row| row.0).collect();
    assert_eq!(listed, tried);
    let wrong: Vec<String> = TABLE
        .iter()
        .map(|&(code, made, text)| (code, code_of(&folder, made, text)))
        .filter(|(code, found)| code != found)
        .map(|(code, found)| format!("{code}: {found}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
