//! Atomic operations that are loops, library calls, or both: each on every type and alignment, called with many values
//! and by several threads at once.
//!
//! The functions are made here, as text of LLVM's IR, because there are some hundred that differ in a word.

use super::Build;
use frazil_test_support::Folder;
use std::fmt::Write;

const INTEGER_OPERATIONS: &[&str] = &[
    "xchg",
    "add",
    "sub",
    "and",
    "nand",
    "or",
    "xor",
    "max",
    "min",
    "umax",
    "umin",
    "uinc_wrap",
    "udec_wrap",
    "usub_cond",
    "usub_sat",
];
const FLOAT_OPERATIONS: &[&str] = &["fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum"];
/// Type, bytes, whether the elements are integers (0), floats (1) or doubles (2), alignments.
const TYPES: &[(&str, usize, usize, &[usize])] = &[
    ("i8", 1, 0, &[1]),
    ("i16", 2, 0, &[1, 2]),
    ("i32", 4, 0, &[1, 4]),
    ("i64", 8, 0, &[1, 8]),
    ("i128", 16, 0, &[1, 16]),
    ("i256", 32, 0, &[1, 32]),
    ("float", 4, 1, &[1, 4]),
    ("double", 8, 2, &[1, 8]),
    ("<2 x float>", 8, 1, &[1, 8]),
    ("<4 x float>", 16, 1, &[1, 16]),
    ("<2 x double>", 16, 2, &[1, 16]),
];
const ORDERINGS: &[&str] = &["monotonic", "acquire", "release", "acq_rel", "seq_cst"];

/// A module with one function for each operation, type and alignment, and the table of them.
#[derive(Default)]
struct Module {
    functions: String,
    rows: Vec<String>,
}

impl Module {
    /// Adds a function with this body, which has `%value` and ends with `%old`. An operation of one step is called by
    /// several threads, too: no call may be lost.
    fn add(&mut self, name: &str, (ty, bytes, kind): (&str, usize, usize), align: usize, body: &str) {
        let number = self.rows.len();
        let is_counted = body.matches("atomicrmw").count() == 1;
        let _ = writeln!(
            self.functions,
            "define void @f{number}(ptr %p, ptr %v, ptr %o) {{\n  %value = load {ty}, ptr %v, align 1\n{body}  \
             store {ty} %old, ptr %o, align 1\n  ret void\n}}\n\
             @n{number} = private constant [{} x i8] c\"{name}\\00\"",
            name.len() + 1
        );
        self.rows.push(format!(
            "%operation {{ ptr @f{number}, ptr @n{number}, i64 {bytes}, i64 {kind}, i64 {align}, i64 {} }}",
            u8::from(is_counted)
        ));
    }

    fn text(&self) -> String {
        format!(
            "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
             target triple = \"x86_64-unknown-linux-gnu\"\n\
             %operation = type {{ ptr, ptr, i64, i64, i64, i64 }}\n{}\
             @operations = constant [{} x %operation] [{}]\n@operation_count = constant i64 {}\n",
            self.functions,
            self.rows.len(),
            self.rows.join(",\n"),
            self.rows.len()
        )
    }
}

fn module() -> Module {
    let mut module = Module::default();
    for &(ty, bytes, kind, alignments) in TYPES {
        let shape = (ty, bytes, kind);
        for &align in alignments {
            let operations = if kind == 0 {
                INTEGER_OPERATIONS
            } else {
                FLOAT_OPERATIONS
            };
            for (index, operation) in operations.iter().enumerate() {
                let ordering = ORDERINGS[(index + bytes) % ORDERINGS.len()];
                let name = format!("{operation} {ty} {align}");
                let body = format!("  %old = atomicrmw {operation} ptr %p, {ty} %value {ordering}, align {align}\n");
                module.add(&name, shape, align, &body);
            }
            // Types of LLVM's IR whose aligned accesses llc 22 does not compile.
            if ty.starts_with('<') && align > 1 {
                continue;
            }
            let body = format!(
                "  %old = load atomic {ty}, ptr %p acquire, align {align}\n  \
                 store atomic {ty} %value, ptr %p release, align {align}\n"
            );
            module.add(&format!("load and store {ty} {align}"), shape, align, &body);
            if kind > 0 {
                continue;
            }
            let body = format!(
                "  %first = load {ty}, ptr %p, align 1\n  \
                 %a = cmpxchg ptr %p, {ty} %value, {ty} 7 acq_rel acquire, align {align}\n  \
                 %b = cmpxchg weak ptr %p, {ty} %first, {ty} %value seq_cst monotonic, align {align}\n  \
                 %a1 = extractvalue {{ {ty}, i1 }} %a, 0\n  %a2 = extractvalue {{ {ty}, i1 }} %a, 1\n  \
                 %b1 = extractvalue {{ {ty}, i1 }} %b, 0\n  %b2 = extractvalue {{ {ty}, i1 }} %b, 1\n  \
                 %c = select i1 %a2, {ty} %b1, {ty} %value\n  %d = select i1 %b2, {ty} %a1, {ty} %c\n  \
                 %old = add {ty} %c, %d\n"
            );
            module.add(&format!("cmpxchg {ty} {align}"), shape, align, &body);
        }
    }
    // Several in one function, with a value of the loop around them.
    let body = "  br label %loop\nloop:\n  %i = phi i64 [ 0, %0 ], [ %j, %loop ]\n  \
                %s = phi i64 [ 0, %0 ], [ %t, %loop ]\n  %a = atomicrmw umax ptr %p, i64 %value seq_cst, align 1\n  \
                %b = atomicrmw udec_wrap ptr %p, i64 9 seq_cst, align 1\n  %x = add i64 %a, %i\n  %y = xor i64 %x, %b\n  \
                %t = add i64 %s, %y\n  %j = add i64 %i, 1\n  %c = icmp ult i64 %j, 5\n  \
                br i1 %c, label %loop, label %done\ndone:\n  %old = phi i64 [ %t, %loop ]\n";
    module.add("in a loop", ("i64", 8, 0), 1, body);
    module
}

#[test]
fn results_are_those_of_llvm() {
    let folder = Folder::new("atomic-loops");
    let module = module();
    assert!(module.rows.len() > 200, "{} functions", module.rows.len());
    let source = folder.write("operations.ll", module.text());
    for frazil in [&[][..], &["-mattr=+cx16"]] {
        Build {
            source: source.to_str().expect("a path of ASCII"),
            compile: &["-Wno-override-module"],
            frazil,
            link: &["-latomic"],
            others: &["atomic-loops-main.c"],
        }
        .check(&folder);
    }
}

#[test]
fn copies_of_atomic_elements() {
    Build {
        source: "atomic-elements.ll",
        compile: &["-Wno-override-module"],
        frazil: &[],
        link: &[],
        others: &["atomic-elements-main.c"],
    }
    .check(&Folder::new("atomic-elements"));
}
