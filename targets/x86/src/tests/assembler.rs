//! The text of every sample through the GNU assembler: it must give the bytes and relocations that we gave. That of
//! instructions with a VEX prefix, for which the two differ in what they shorten, also through the LLVM project's.
//!
//! Every instruction gets a slot of 16 bytes of its own, so that a difference stays where it is. Without an assembler
//! on the machine there is nothing to compare with.

use super::{all_rows, row, samples};
use crate::build::{call, jcc, jcc_short, jmp, jmp_short, lea_ref};
use crate::cond::Cond;
use crate::encode::encode;
use crate::ops::Code;
use crate::print::print_to;
use crate::relocs::{FIXUPS, RELOCS, in_32_bits};
use crate::rows::ROWS;
use crate::table::Op;
use frazil_codegen::{AsmNames, CodeBuffer, Label, LogItem, MInst, Mem, Ref, RefKind, Reg};
use frazil_test_support::Folder;
use std::fmt::{self, Write};
use std::path::Path;
use std::process::Command;

struct PlainNames;

impl AsmNames for PlainNames {
    fn write_label(&self, label: Label, out: &mut dyn Write) -> fmt::Result {
        write!(out, ".L{}", label.0)
    }

    fn write_ref(&self, reference: Ref, out: &mut dyn Write) -> fmt::Result {
        write!(out, "target{}", reference.number())
    }
}

/// Code and relocations of an object file, relocations as the tools print them.
pub(super) struct Assembled {
    pub(super) code: Vec<u8>,
    relocs: Vec<String>,
}

fn run(program: &str, arguments: &[&str], path: &Path) -> Vec<u8> {
    let output = Command::new(program).args(arguments).arg(path).output();
    let output = output.expect("binutils come together");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {errors}");
    output.stdout
}

/// A command that assembles.
pub(super) type Assembler = &'static [&'static str];

pub(super) const GNU: Assembler = &["as", "--64"];
pub(super) const GNU_32: Assembler = &["as", "--32"];
const LLVM: Assembler = &["llvm-mc-22", "--triple=x86_64", "--filetype=obj"];
const LLVM_32: Assembler = &["llvm-mc-22", "--triple=i686", "--filetype=obj"];

/// Assembles text; `None` if the machine has no such assembler for x86, which continuous integration must have.
pub(super) fn assemble(assembler: Assembler, text: &str, name: &str) -> Option<Assembled> {
    let (program, arguments) = assembler.split_first().expect("a command has a name");
    let version = Command::new(program).args(arguments).arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "there is no {program} for x86-64");
        eprintln!("skipped: there is no {program} for x86-64");
        return None;
    }
    let folder = Folder::new(name);
    let source = folder.write("a.s", text);
    let object = folder.path("a.o");
    let code = folder.path("a.bin");
    let object_name = object.to_str().expect("the folder has a plain name");
    run(program, &[arguments, &["-o", object_name]].concat(), &source);
    run("objcopy", &["-O", "binary", "-j", ".text", object_name], &code);
    let listing = run("readelf", &["-rW"], &object);
    let mut relocs: Vec<(u64, String)> = String::from_utf8_lossy(&listing)
        .lines()
        .filter(|line| line.contains("R_X86_64_") || line.contains("R_386_"))
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .map(|words| {
            let offset = u64::from_str_radix(words[0], 16).expect("the first column is the offset");
            (offset, format!("{offset:#x} {} {}", words[2], words[4..].concat()))
        })
        .collect();
    // The assembler has those of branches last.
    relocs.sort();
    let relocs = relocs.into_iter().map(|(_, words)| words).collect();
    let code = std::fs::read(code).expect("objcopy wrote it");
    Some(Assembled { code, relocs })
}

/// The relocations of a buffer in the same words. In 32-bit code, addends are in the fields.
fn relocations<const W: u8>(buf: &mut CodeBuffer, offset: u64) -> Vec<String> {
    let kinds = if W == 4 { in_32_bits::RELOCS } else { RELOCS };
    let words = buf.relocs.iter().map(|reloc| {
        let kind = &kinds[usize::from(reloc.kind)];
        let place = offset + u64::from(reloc.offset);
        let target = reloc.target.number();
        if let Some(store) = kind.store_addend {
            let field = &mut buf.bytes[reloc.offset as usize..][..usize::from(kind.size_bytes)];
            assert!(store(field, reloc.addend), "an addend that does not fit");
            return match reloc.kind {
                in_32_bits::GOTPC => format!("{place:#x} {} _GLOBAL_OFFSET_TABLE_", kind.name),
                _ => format!("{place:#x} {} target{target}", kind.name),
            };
        }
        let (sign, addend) = if reloc.addend < 0 {
            ("-", -reloc.addend)
        } else {
            ("+", reloc.addend)
        };
        format!("{place:#x} {} target{target}{sign}{addend:x}", kind.name)
    });
    words.collect()
}

/// Compares our bytes of the instructions with the assembler's of their texts.
pub(super) fn compare<const W: u8>(assembler: Assembler, insts: &[MInst], name: &str) {
    // What stands for an instruction in 32-bit code may be longer than one.
    const SLOT_BYTES: usize = 32;
    let mut text = String::new();
    let mut relocs = Vec::new();
    let mut slots = Vec::with_capacity(insts.len());
    for (index, inst) in insts.iter().enumerate() {
        let mut buf = CodeBuffer::new(false);
        encode::<W>(inst, &mut buf);
        text.push_str(".p2align 5, 0xcc\n\t");
        let start = text.len();
        print_to::<W>(inst, buf.bytes.len() as u8, &PlainNames, &mut text).expect("a string takes all text");
        let line = start..text.len();
        text.push('\n');
        let ours = relocations::<W>(&mut buf, (index * SLOT_BYTES) as u64);
        relocs.extend(ours.into_iter().map(|reloc| (reloc, line.clone())));
        slots.push((buf.bytes, line));
    }
    let Some(assembled) = assemble(assembler, &text, name) else {
        return;
    };
    for (index, (bytes, line)) in slots.iter().enumerate() {
        let theirs = &assembled.code[index * SLOT_BYTES..];
        let is_equal = theirs.starts_with(bytes);
        let rest = &theirs[bytes.len()..theirs.len().min(SLOT_BYTES)];
        assert!(
            is_equal && rest.iter().all(|&byte| byte == 0xcc),
            "{} `{}`: ours {bytes:02x?}, theirs {:02x?}",
            row(&insts[index]).name,
            &text[line.clone()],
            &theirs[..theirs.len().min(SLOT_BYTES)],
        );
    }
    for ((ours, line), theirs) in relocs.iter().zip(&assembled.relocs) {
        assert_eq!(ours, theirs, "{}", &text[line.clone()]);
    }
    assert_eq!(relocs.len(), assembled.relocs.len());
}

#[test]
fn the_assembler_makes_the_same_bytes_of_the_text() {
    let insts: Vec<MInst> = all_rows().flat_map(samples::<8>).collect();
    compare::<8>(GNU, &insts, "rows");
}

#[test]
fn the_assembler_makes_the_same_bytes_of_the_text_in_32_bit_code() {
    let insts: Vec<MInst> = all_rows().flat_map(samples::<4>).collect();
    compare::<4>(GNU_32, &insts, "rows-32");
}

fn samples_with_vex<const W: u8>() -> Vec<MInst> {
    let with_vex = all_rows().filter(|&op| ROWS[usize::from(op)].code.has(Code::VEX));
    with_vex.flat_map(samples::<W>).collect()
}

#[test]
fn the_other_assembler_makes_the_same_bytes_of_vex_prefixes() {
    compare::<8>(LLVM, &samples_with_vex::<8>(), "rows-llvm");
    compare::<4>(LLVM_32, &samples_with_vex::<4>(), "rows-llvm-32");
}

#[test]
fn references_get_the_relocations_that_the_assembler_gives() {
    let reference = |op: Op, size: u8, kind: RefKind| {
        let mut inst = MInst::new(op as u16, size).with_mem(Mem::symbol(Ref::new(kind, 6), 0));
        inst.set_reg(0, Reg::physical(0, 7));
        inst
    };
    let mut insts = vec![
        reference(Op::MovRM, 8, RefKind::TlsInitialExec),
        reference(Op::AddRM, 8, RefKind::TlsInitialExec),
        reference(Op::LeaRM, 8, RefKind::TlsLocalDynamic),
        reference(Op::LeaTlsGdRM, 8, RefKind::TlsGeneralDynamic),
        reference(Op::CallTlsGdRef, 8, RefKind::Plt),
        reference(Op::MovFsRM, 8, RefKind::TlsLocalExec),
        reference(Op::JmpRef, 8, RefKind::Plt),
        reference(Op::CallRef, 8, RefKind::Plt),
        reference(Op::JmpM, 8, RefKind::Got),
        reference(Op::CallM, 8, RefKind::Got),
    ];
    for op in [
        Op::MovRM,
        Op::CmpRM,
        Op::TestMR,
        Op::ImulRM,
        Op::LeaRM,
        Op::XorRM,
        Op::MovMR,
    ] {
        insts.extend([4, 8].map(|size| reference(op, size, RefKind::Got)));
    }
    compare::<8>(GNU, &insts, "references");
}

#[test]
fn addresses_of_variables_of_threads_get_the_relocations_of_32_bit_code() {
    let reference = |op: Op, kind: RefKind| {
        let mut inst = MInst::new(op as u16, 4).with_mem(Mem::symbol(Ref::new(kind, 6), 0));
        inst.set_reg(0, Reg::physical(0, 1));
        inst
    };
    let offset = |kind: RefKind, base| lea_ref(4, Reg::physical(0, 0), Reg::physical(0, base), Ref::new(kind, 6), 0);
    let insts = [
        reference(Op::MovRM, RefKind::TlsInitialExec),
        reference(Op::MovGsRM, RefKind::TlsLocalExec),
        reference(Op::AddGsRM, RefKind::TlsLocalExec),
        offset(RefKind::TlsGeneralDynamic, 3),
        offset(RefKind::TlsLocalDynamic, 3),
        offset(RefKind::TlsDtpOffset, 0),
        offset(RefKind::TlsLocalExec, 1),
        call(Ref::new(RefKind::Plt, 6)),
    ];
    compare::<4>(GNU_32, &insts, "thread-local-32");
}

/// A function of branches in both directions at the borders of their ranges, from its own log.
#[test]
fn branches_keep_their_length_in_text() {
    check_branches::<8>(GNU, "branches");
    check_branches::<4>(GNU_32, "branches-32");
}

fn check_branches<const W: u8>(assembler: Assembler, name: &str) {
    let mut buf = CodeBuffer::new(true);
    let (top, middle, end) = (buf.new_label(), buf.new_label(), buf.new_label());
    let filler = crate::build::i(Op::Nop, 9);
    buf.bind(top);
    for _ in 0..16 {
        encode::<W>(&jcc(Cond::Le, top), &mut buf);
        encode::<W>(&filler, &mut buf);
        encode::<W>(&jmp(top), &mut buf);
    }
    encode::<W>(&jcc_short(Cond::A, middle), &mut buf);
    encode::<W>(&jmp(end), &mut buf);
    encode::<W>(&jmp_short(middle), &mut buf);
    encode::<W>(&filler, &mut buf);
    buf.bind(middle);
    encode::<W>(&jcc(Cond::Np, end), &mut buf);
    encode::<W>(&filler, &mut buf);
    buf.bind(end);
    encode::<W>(&jmp(middle), &mut buf);
    let mut text = String::new();
    for (_, item) in buf.log() {
        match item {
            LogItem::Inst(inst, len) => print_to::<W>(inst, *len, &PlainNames, &mut text),
            LogItem::Label(label) => write!(text, ".L{}:", label.0),
            other => panic!("{other:?} is not in this function"),
        }
        .expect("a string takes all text");
        text.push('\n');
    }
    assert!(buf.finish(FIXUPS, 0x90, None).is_ok());
    if let Some(assembled) = assemble(assembler, &text, name) {
        assert_eq!(assembled.code, *buf.bytes, "{text}");
    }
}
