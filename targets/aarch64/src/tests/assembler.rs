//! The text of every sample through two assemblers: it must give the bytes and relocations that we gave.

use super::{PlainNames, all_rows, encoded, row, samples};
use crate::ops::Form;
use crate::print::print_to;
use crate::relocs::{FIXUPS, RELOCS};
use crate::table::Op;
use frazil_codegen::MInst;
use frazil_test_support::Folder;
use std::path::Path;
use std::process::Command;

/// A command that assembles.
pub(super) type Assembler = &'static [&'static str];

pub(super) const GNU: Assembler = &["aarch64-linux-gnu-as", "-march=armv8.6-a+fp16+rng+crypto+sha3+sm4"];
pub(super) const LLVM: Assembler = &[
    "llvm-mc-22",
    "--triple=aarch64-linux-gnu",
    "--mattr=+all",
    "--filetype=obj",
];

/// What two assemblers may be told of.
pub(super) struct Assembled {
    pub(super) code: Vec<u8>,
    relocs: Vec<String>,
}

fn run(program: &str, arguments: &[&str], path: &Path) -> Vec<u8> {
    let output = Command::new(program).args(arguments).arg(path).output();
    let output = output.expect("the tools come together");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {errors}");
    output.stdout
}

/// Assembles text; `None` if the machine has no such assembler, which continuous integration must have.
pub(super) fn assemble(assembler: Assembler, text: &str, name: &str) -> Option<Assembled> {
    let (program, arguments) = assembler.split_first().expect("a command has a name");
    let version = Command::new(program).arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "there is no {program}");
        eprintln!("skipped: there is no {program}");
        return None;
    }
    let folder = Folder::new(name);
    let source = folder.write("a.s", text);
    let object = folder.path("a.o");
    let code = folder.path("a.bin");
    let object_name = object.to_str().expect("the folder has a plain name");
    run(program, &[arguments, &["-o", object_name]].concat(), &source);
    run("llvm-objcopy-22", &["-O", "binary", "-j", ".text", object_name], &code);
    let listing = run("llvm-readelf-22", &["-rW"], &object);
    let mut relocs: Vec<(u64, String)> = String::from_utf8_lossy(&listing)
        .lines()
        .filter(|line| line.contains("R_AARCH64_"))
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .map(|words| {
            let offset = u64::from_str_radix(words[0], 16).expect("the first column is the offset");
            (offset, format!("{offset:#x} {} {}", words[2], words[4..].concat()))
        })
        .collect();
    relocs.sort();
    let relocs = relocs.into_iter().map(|(_, words)| words).collect();
    let code = std::fs::read(code).expect("the tool wrote it");
    Some(Assembled { code, relocs })
}

/// Compares our bytes of the instructions with the assembler's of their texts.
fn compare(assembler: Assembler, insts: &[MInst], name: &str) {
    let mut text = String::new();
    let (mut code, mut relocs, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for (index, inst) in insts.iter().enumerate() {
        let mut buf = encoded(inst);
        buf.finish(FIXUPS, 0, None)
            .expect("the label is where the instruction is");
        let start = text.len();
        let is_labelled = has_label(row(inst).code.form);
        if is_labelled {
            text.push_str(".L0:\n");
        }
        print_to(inst, &PlainNames, &mut text).expect("a string takes all text");
        if is_labelled {
            // The next one has a label of this name, too.
            let line = text.split_off(start);
            text.push_str(&line.replace(".L0", &format!(".L{index}")));
        }
        text.push('\n');
        relocs.extend(buf.relocs.iter().map(|reloc| {
            let kind = RELOCS[usize::from(reloc.kind)].name;
            let place = code.len() as u64 + u64::from(reloc.offset);
            let target = format!("target{}+{:x}", reloc.target.number(), reloc.addend);
            (format!("{place:#x} {kind} {target}"), start)
        }));
        lines.extend((0..buf.bytes.len() / 4).map(|_| (index, start)));
        code.extend_from_slice(&buf.bytes);
    }
    let Some(assembled) = assemble(assembler, &text, name) else {
        return;
    };
    let line = |start: usize| text[start..].lines().take(6).collect::<Vec<_>>();
    for (place, &(index, start)) in lines.iter().enumerate() {
        let word = |code: &[u8]| code.get(4 * place..4 * place + 4).map(<[u8]>::to_vec);
        let (ours, theirs) = (word(&code), word(&assembled.code));
        let name = row(&insts[index]).name;
        assert_eq!(ours, theirs, "{name} {:?}: {:?}", insts[index], line(start));
    }
    assert_eq!(code.len(), assembled.code.len());
    for ((ours, start), theirs) in relocs.iter().zip(&assembled.relocs) {
        assert_eq!(ours, theirs, "{:?}", line(*start));
    }
    assert_eq!(relocs.len(), assembled.relocs.len());
}

/// Whether instructions of a form name a label.
pub(super) fn has_label(form: Form) -> bool {
    matches!(
        form,
        Form::AddressLabel | Form::Branch | Form::BranchIf | Form::BranchZero | Form::BranchBit
    )
}

#[test]
fn the_assembler_makes_the_same_code_of_the_text() {
    let insts: Vec<MInst> = all_rows().flat_map(samples).collect();
    compare(LLVM, &insts, "rows-llvm");
}

/// GNU `as` knows no instructions of FEAT_CSSC.
#[test]
fn the_gnu_assembler_makes_the_same_code_of_the_text() {
    const LATER: [Op; 7] = [Op::Ctz, Op::Cnt, Op::Abs, Op::Smax, Op::Umax, Op::Smin, Op::Umin];
    let rows = all_rows().filter(|op| !LATER.contains(op));
    let insts: Vec<MInst> = rows.flat_map(samples).collect();
    compare(GNU, &insts, "rows-gnu");
}
