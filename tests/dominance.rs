//! Uses that their definitions do not dominate are refused, by name, and only those.
//!
//! The rules are LLVM's verifier's: for functions with random control flow and random operands, it must find fault with
//! the same functions as the reader.

use crate::frazil;
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadOptions};
use frazil_ir::Function;
use frazil_test_support::{Folder, Random, run};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const DECLARATIONS: &str = "declare i32 @get()\ndeclare void @take(i32)\ndeclare { i32, i32 } @pair()\n\
    declare i32 @__gxx_personality_v0(...)\n";

/// Bodies with one wrong use each, and what the message says of it.
const WRONG: &[(&str, &str)] = &[
    (
        "%r = mul i32 %r, 3\n ret i32 %r",
        "instruction 0 of block 0 (binary operation) uses",
    ),
    (
        "%a = add i32 %b, 1\n %b = add i32 %a, 1\n ret i32 %b",
        "instruction 0 of block 0 (binary operation) uses",
    ),
    (
        "br i1 %c, label %a, label %b\na:\n %v = add i32 %x, 7\n br label %m\nb:\n br label %m\nm:\n\
         call void @take(i32 1)\n %r = mul i32 %v, 3\n ret i32 %r",
        "instruction 1 of block 3 (binary operation) uses",
    ),
    (
        "br i1 %c, label %a, label %b\na:\n %v = add i32 %x, 7\n br label %m\nb:\n br label %m\nm:\n\
         %r = phi i32 [ 1, %a ], [ %v, %b ]\n ret i32 %r",
        "instruction 0 of block 3 (phi) uses value 11 on the edge from block 2, and its definition in block 1 does",
    ),
    // No instruction of the IR becomes of what uses these values.
    (
        "%a = insertvalue { i32, i32 } %b, i32 1, 0\n %b = insertvalue { i32, i32 } %a, i32 1, 1\n ret i32 0",
        "instruction 0 of block 0 (insertvalue) uses",
    ),
    (
        "%r = extractvalue { i32, i32 } %s, 1\n %s = call { i32, i32 } @pair()\n ret i32 %r",
        "instruction 0 of block 0 (extractvalue) uses",
    ),
    (
        "%v = invoke i32 @get() to label %a unwind label %l\na:\n ret i32 %v\nl:\n\
         %p = landingpad { ptr, i32 } cleanup\n ret i32 %v",
        "instruction 1 of block 2 (ret) uses",
    ),
    // The path from the entry block to `a` avoids the edge that brings the value.
    (
        "br i1 %c, label %i, label %a\ni:\n %v = invoke i32 @get() to label %a unwind label %l\na:\n ret i32 %v\nl:\n\
         %p = landingpad { ptr, i32 } cleanup\n ret i32 0",
        "instruction 0 of block 2 (ret) uses",
    ),
    // The value is there after the blocks that the exchange is made of, but not beside them.
    (
        "br i1 %c, label %a, label %m\na:\n %v = atomicrmw uinc_wrap ptr %q, i32 7 seq_cst\n br label %m\nm:\n\
         ret i32 %v",
        "instruction 0 of block 2 (ret) uses",
    ),
];

/// Bodies that look alike and are right.
const RIGHT: &[&str] = &[
    // Nothing leads to `u`.
    "ret i32 %x\nu:\n %r = mul i32 %r, 3\n ret i32 %r",
    "br label %a\na:\n ret i32 %x\nu:\n %v = add i32 %w, 1\n br label %w1\nw1:\n %w = add i32 %v, 1\n br label %u",
    // The blocks stand against the order in which they run.
    "br label %b\na:\n %r = mul i32 %v, 3\n ret i32 %r\nb:\n %v = add i32 %x, 1\n br label %a",
    "br label %l\nl:\n %i = phi i32 [ 0, %0 ], [ %n, %l ]\n %n = add i32 %i, 1\n br i1 %c, label %l, label %m\nm:\n\
     ret i32 %n",
    "%v = invoke i32 @get() to label %a unwind label %l\na:\n %w = phi i32 [ %v, %0 ], [ %n, %a ]\n\
     %n = add i32 %v, %w\n br i1 %c, label %a, label %m\nm:\n ret i32 %v\nl:\n\
     %p = landingpad { ptr, i32 } cleanup\n ret i32 0",
    "br i1 %c, label %a, label %m\na:\n %v = atomicrmw uinc_wrap ptr %q, i32 7 seq_cst\n br label %b\nb:\n\
     %r = add i32 %v, 1\n br label %m\nm:\n %s = phi i32 [ 0, %0 ], [ %v, %b ]\n ret i32 %s",
];

fn bitcode(folder: &Folder, text: &str) -> PathBuf {
    let source = folder.write("module.ll", text);
    let bitcode = folder.path("module.bc");
    let mut assembler = Command::new("llvm-as-22");
    run(assembler.arg("-disable-verify").arg(source).arg("-o").arg(&bitcode));
    bitcode
}

fn function(body: &str) -> String {
    format!(
        "target triple = \"x86_64-unknown-linux-gnu\"\n{DECLARATIONS}\
         define i32 @f(i1 %c, i32 %x, ptr %q) personality ptr @__gxx_personality_v0 {{\n {body}\n}}\n"
    )
}

/// The functions whose names begin with `f` and a number in what the verifier says of their values.
fn blamed(said: &str) -> BTreeSet<usize> {
    said.split("%f")
        .skip(1)
        .filter_map(|rest| rest.split('.').next()?.parse().ok())
        .collect()
}

fn verifier_says(bitcode: &PathBuf) -> String {
    let verifier = Command::new("opt-22").arg("-disable-output").arg(bitcode).output();
    String::from_utf8_lossy(&verifier.expect("the verifier starts").stderr).into_owned()
}

#[test]
fn undominated_uses_are_refused_with_their_place() {
    let folder = Folder::new("undominated");
    for (body, message) in WRONG {
        let bitcode = bitcode(&folder, &function(body));
        assert!(!verifier_says(&bitcode).is_empty(), "LLVM accepts {body}");
        for recipe in crate::RECIPES {
            let output = frazil()
                .args(["--recipe", recipe])
                .arg(&bitcode)
                .arg("-o")
                .arg(folder.path("object"))
                .output();
            let output = output.expect("the command starts");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success(), "{recipe} compiles {body}");
            assert!(
                said.contains("function @f: ") && said.contains(message),
                "{body}\n{said}"
            );
            assert!(
                said.contains("does not dominate that use") && said.contains("[FZ0801]"),
                "{body}\n{said}"
            );
        }
    }
}

#[test]
fn dominated_uses_are_compiled() {
    let folder = Folder::new("dominated");
    for body in RIGHT {
        let bitcode = bitcode(&folder, &function(body));
        assert_eq!(verifier_says(&bitcode), "", "{body}");
        run(crate::checking_frazil("O2")
            .arg(&bitcode)
            .arg("-o")
            .arg(folder.path("object")));
    }
}

/// The operands of an address whose numbers do not fit into one window of the reader: what is left of the last one
/// is the number of a value of another block, which must not be taken for a use.
#[test]
fn a_number_that_is_cut_off_is_no_use() {
    let folder = Folder::new("far-operands");
    for more in 0..8 {
        let values = |name: &str, count: usize| -> String {
            let value = |index: usize| format!(" %{name}{index} = add i32 %x, {}\n", index % 50);
            (0..count).map(value).collect()
        };
        // The address takes two chunks of a number, and the indices three.
        let mut body = String::from("%i = zext i1 %c to i64\n br label %e\ne:\n");
        body += &values("e", 600);
        body += " %p = getelementptr i8, ptr %q, i64 4\n br i1 %c, label %a, label %b\na:\n";
        // Records of other sizes, so that the window begins at another bit of its byte.
        (0..more).for_each(|index| body += &format!(" %z{index} = zext i32 %e{index} to i64\n"));
        body += &values("a", 500);
        body += &format!(" ret i32 %a{more}\nb:\n");
        body += " %h = add i32 %x, 1\n %g = getelementptr [2 x [2 x i32]], ptr %p, i64 %i, i64 %i, i64 %i\n";
        body += " %r = load i32, ptr %g\n ret i32 %r";
        let bitcode = bitcode(&folder, &function(&body));
        assert_eq!(verifier_says(&bitcode), "", "{more}");
        run(frazil().arg(&bitcode).arg("-o").arg(folder.path("object")));
    }
}

/// Appends function `number`: blocks with random terminators, and instructions with mostly sensible operands.
fn random_function(text: &mut String, number: usize, random: &mut Random) {
    let blocks = 2 + random.below(8);
    // A pad is reached by the `invoke` of the block before it and by nothing else.
    let pads: Vec<bool> = (0..blocks).map(|block| block > 1 && random.one_in(5)).collect();
    let plain: Vec<usize> = (1..blocks).filter(|&block| !pads[block]).collect();
    let targets: Vec<Vec<usize>> = (0..blocks)
        .map(|block| {
            let first = random.pick(&plain);
            if pads.get(block + 1) == Some(&true) {
                return vec![first, block + 1];
            }
            let second = random.pick(&plain);
            match random.below(5) {
                0 => vec![],
                1 => vec![first],
                _ if first == second => vec![first],
                _ => vec![first, second],
            }
        })
        .collect();
    // Two values for each block, and one that an `invoke` returns.
    let invokes = |block: usize| pads.get(block + 1) == Some(&true);
    let value = |random: &mut Random, block: usize| {
        let of = match random.below(8) {
            0 => random.below(blocks),
            1..=4 => block,
            _ => 0,
        };
        match random.below(if invokes(of) { 5 } else { 4 }) {
            0 => "%x".to_owned(),
            1 => format!("%f{number}.p{of}"),
            2 | 3 => format!("%f{number}.v{of}"),
            _ => format!("%f{number}.i{of}"),
        }
    };
    let name = format!("f{number}");
    writeln!(
        text,
        "define i32 @{name}(i1 %c, i32 %x) personality ptr @__gxx_personality_v0 {{"
    )
    .expect("strings can be written");
    for block in 0..blocks {
        let from: Vec<usize> = (0..blocks).filter(|&from| targets[from].contains(&block)).collect();
        let mut lines = vec![format!("b{block}:")];
        if from.is_empty() {
            lines.push(format!("%{name}.p{block} = add i32 %x, {block}"));
        } else {
            let pairs: Vec<String> = from
                .iter()
                .map(|&from| format!("[ {}, %b{from} ]", value(random, from)))
                .collect();
            lines.push(format!("%{name}.p{block} = phi i32 {}", pairs.join(", ")));
        }
        if pads[block] {
            lines.push(format!("%{name}.l{block} = landingpad {{ ptr, i32 }} cleanup"));
        }
        let (left, right) = (value(random, block), format!("%{name}.p{block}"));
        lines.push(format!("%{name}.v{block} = add i32 {left}, {right}"));
        lines.push(match targets[block][..] {
            [normal, pad] if pads[pad] => {
                format!("%{name}.i{block} = invoke i32 @get() to label %b{normal} unwind label %b{pad}")
            }
            [to] => format!("br label %b{to}"),
            [first, second] => format!("br i1 %c, label %b{first}, label %b{second}"),
            _ => format!("ret i32 %{name}.v{block}"),
        });
        writeln!(text, "{}", lines.join("\n ")).expect("strings can be written");
    }
    text.push_str("}\n");
}

#[test]
fn random_functions_are_refused_like_by_llvm() {
    const FUNCTIONS: usize = 2000;
    let folder = Folder::new("random-dominance");
    let mut random = Random::new(11);
    let mut text = DECLARATIONS.to_owned();
    for number in 0..FUNCTIONS {
        random_function(&mut text, number, &mut random);
    }
    let path = bitcode(&folder, &text);
    let expected = blamed(&verifier_says(&path));
    let bytes = fs::read(path).expect("bitcode");
    let module =
        BitcodeModule::open(&bytes, &ReadOptions::new(&frazil::platform_of)).expect("the module itself is right");
    let mut reader = FunctionReader::new(&module);
    let mut read = Function::new();
    let found: BTreeSet<usize> = (module.module().functions.keys().enumerate())
        .filter_map(|(number, id)| {
            let error = reader.read(id, &mut read).err()?;
            assert!(
                error.message().contains("does not dominate that use"),
                "f{number}: {error}"
            );
            Some(number)
        })
        .collect();
    let differences: Vec<&usize> = expected.symmetric_difference(&found).collect();
    assert_eq!(differences, [] as [&usize; 0], "refused by one of the two");
    let share = FUNCTIONS / 5..FUNCTIONS - FUNCTIONS / 5;
    assert!(share.contains(&found.len()), "{} of {FUNCTIONS} are wrong", found.len());
}
