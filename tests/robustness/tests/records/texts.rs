//! Modules that LLVM's verifier refuses, as texts: what an assembler can write, but no compiler does.

use std::process::Command;

use super::{Verdict, reads_all, verdict};
use frazil::Options;
use frazil_test_support::Folder;

/// What is wrong, and the text.
const TEXTS: &[(&str, &str)] = &[
    (
        "a phi after a call of which nothing is left",
        "declare void @llvm.lifetime.start.p0(ptr)
        define i32 @f(i32 %x) {
            %slot = alloca i32
            br label %next
        next:
            call void @llvm.lifetime.start.p0(ptr %slot)
            %y = phi i32 [ %x, %0 ]
            ret i32 %y
        }",
    ),
    (
        "a landingpad after a call of which nothing is left",
        "declare void @llvm.sideeffect()
        declare void @g()
        declare i32 @personality(...)
        define void @f() personality ptr @personality {
            invoke void @g() to label %normal unwind label %pad
        normal:
            ret void
        pad:
            call void @llvm.sideeffect()
            %caught = landingpad { ptr, i32 } cleanup
            ret void
        }",
    ),
    (
        "a frame pointer of a kind that does not exist",
        "define void @f() #0 {
            ret void
        }
        attributes #0 = { \"frame-pointer\"=\"some\" }",
    ),
    (
        "a landingpad without clauses",
        "declare void @g()
        declare i32 @personality(...)
        define void @f() personality ptr @personality {
            invoke void @g() to label %normal unwind label %pad
        normal:
            ret void
        pad:
            %caught = landingpad { ptr, i32 }
            ret void
        }",
    ),
    (
        "a filter that is poison",
        "declare void @g()
        declare i32 @personality(...)
        define void @f() personality ptr @personality {
            invoke void @g() to label %normal unwind label %pad
        normal:
            ret void
        pad:
            %caught = landingpad { ptr, i32 } filter [1 x ptr] poison
            ret void
        }",
    ),
    (
        "a filter of nothing that is poison",
        "declare void @g()
        declare i32 @personality(...)
        define void @f() personality ptr @personality {
            invoke void @g() to label %normal unwind label %pad
        normal:
            ret void
        pad:
            %caught = landingpad { ptr, i32 } filter [0 x ptr] poison
            ret void
        }",
    ),
    (
        "an assumption that is not true",
        "declare void @llvm.assume(i1)
        define void @f(ptr %p) {
            call void @llvm.assume(i1 false) [ \"align\"(ptr %p, i64 16) ]
            ret void
        }",
    ),
    (
        "a landingpad without a personality routine",
        "declare void @g()
        define void @f() {
            invoke void @g() to label %normal unwind label %pad
        normal:
            ret void
        pad:
            %caught = landingpad { ptr, i32 } cleanup
            ret void
        }",
    ),
    (
        "a resume without a personality routine",
        "define void @f({ ptr, i32 } %caught) {
            resume { ptr, i32 } %caught
        }",
    ),
    (
        "an atomic load of an odd size",
        "define void @f(ptr %p) {
            %x = load atomic i24, ptr %p seq_cst, align 4
            ret void
        }",
    ),
    (
        "an atomic store of less than a byte",
        "define void @f(ptr %p) {
            store atomic i1 true, ptr %p seq_cst, align 1
            ret void
        }",
    ),
    (
        "an exchange of vectors",
        "define void @f(ptr %p, <2 x i32> %x) {
            %pair = cmpxchg ptr %p, <2 x i32> %x, <2 x i32> %x seq_cst seq_cst
            ret void
        }",
    ),
    (
        "a scale that is no constant",
        "declare i32 @llvm.smul.fix.i32(i32, i32, i32)
        define i32 @f(i32 %x) {
            %y = call i32 @llvm.smul.fix.i32(i32 %x, i32 %x, i32 %x)
            ret i32 %y
        }",
    ),
    (
        "what is asked of zero is no constant",
        "declare i32 @llvm.ctlz.i32(i32, i1)
        define i32 @f(i32 %x, i1 %flag) {
            %y = call i32 @llvm.ctlz.i32(i32 %x, i1 %flag)
            ret i32 %y
        }",
    ),
    (
        "whether a copy is volatile is poison",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
        define void @f(ptr %p, ptr %q) {
            call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 poison)
            ret void
        }",
    ),
    (
        "a size that is no constant, of which nothing is left",
        "declare ptr @llvm.invariant.start.p0(i64, ptr)
        define void @f(ptr %p, i64 %size) {
            %x = call ptr @llvm.invariant.start.p0(i64 %size, ptr %p)
            ret void
        }",
    ),
    (
        "an invoke of an intrinsic",
        "declare void @llvm.sideeffect()
        declare i32 @personality(...)
        define void @f() personality ptr @personality {
            invoke void @llvm.sideeffect() to label %normal unwind label %pad
        normal:
            ret void
        pad:
            %caught = landingpad { ptr, i32 } cleanup
            ret void
        }",
    ),
    (
        "a musttail call of an intrinsic whose result is not returned",
        "declare double @llvm.sin.f64(double)
        define double @f(double %x) {
            %y = musttail call double @llvm.sin.f64(double %x)
            %z = fadd double %y, %y
            ret double %z
        }",
    ),
    (
        "a declaration in a comdat",
        "$group = comdat any
        declare void @f() comdat($group)
        define void @g() comdat($group) {
            call void @f()
            ret void
        }",
    ),
    (
        "an alias of a declaration",
        "@variable = external global i32
        @name = alias i32, ptr @variable",
    ),
    (
        "an alias of an alias that may be replaced",
        "@variable = global i32 0
        @weak = weak alias i32, ptr @variable
        @name = alias i32, ptr @weak",
    ),
    (
        "a place inside of a variable in the list of what is used",
        "@variable = global [2 x i32] zeroinitializer
        @llvm.used = appending global [1 x ptr] [ptr getelementptr (i8, ptr @variable, i64 4)]",
    ),
    ("a common variable with contents", "@variable = common global i32 1"),
    (
        "an ifunc whose resolver is a variable",
        "@variable = global i32 0
        @name = ifunc void (), ptr @variable",
    ),
    (
        "an ifunc whose resolver is a declaration",
        "declare ptr @resolver()
        @name = ifunc void (), ptr @resolver",
    ),
    (
        "an ifunc whose resolver returns no pointer",
        "define i32 @resolver() {
            ret i32 0
        }
        @name = ifunc void (), ptr @resolver",
    ),
    (
        "an operand of a bundle that its definition does not dominate",
        "declare void @llvm.assume(i1)
        define void @f(ptr %p, i1 %flag) {
            br i1 %flag, label %then, label %next
        then:
            %q = load ptr, ptr %p
            br label %next
        next:
            call void @llvm.assume(i1 true) [ \"nonnull\"(ptr %q) ]
            ret void
        }",
    ),
];

#[test]
fn what_llvm_refuses_of_these_texts_is_refused() {
    let folder = Folder::new("refused-texts");
    for (name, text) in TEXTS {
        let source = folder.write("module.ll", text.as_bytes());
        let path = folder.write("module.bc", b"");
        let status = Command::new("llvm-as-22")
            .arg("-disable-verify")
            .arg(&source)
            .arg("-o")
            .arg(&path)
            .status();
        assert!(status.expect("LLVM starts").success(), "{name} cannot be assembled");
        assert!(matches!(verdict(&path), Verdict::Refused(_)), "{name}: LLVM takes it");
        let bytes = std::fs::read(&path).expect("it was written");
        match frazil::compile(&bytes, &Options::default()) {
            Err(error) => assert!(error.to_string().contains("[FZ080"), "{name}: {error}"),
            Ok(_) => assert!(!reads_all(&bytes), "{name} is accepted"),
        }
    }
}
