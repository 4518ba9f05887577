//! Tests of every row of the op table: against an independent decoder, and against the GNU assembler.
//!
//! This file makes the samples: every row in every size with registers, addresses and immediates at the borders of
//! their encodings. `W` is the width of a general register: 8 for 64-bit code, 4 for 32-bit code, which has the rows
//! and sizes that [`is_in_32_bits`] says, and the first eight registers of each kind.

mod assembler;
mod decoder;
mod expansions;
mod inline_asm;
mod memory;
mod processors;

use crate::descs::OP_DESCS;
use crate::encode::encode;
use crate::ops::{Code, Form, Imm, Kind, Row};
use crate::regs::{MASK, R8, R9, R12, R13, R15, RAX, RBP, RBX, RCX, RDI, RSI, RSP, SCRATCH_FLOAT, SCRATCH_MASK, mask};
use crate::regs::{XMM0, XMM3, XMM4, XMM7, XMM8, XMM15, upper};
use crate::rows::ROWS;
use crate::table::Op;
use crate::template::is_in_32_bits;
use frazil_codegen::{CodeBuffer, MInst, Mem, Ref, RefKind, Reg, Role};

const GENERAL: [Reg; 10] = [RAX, RBX, RSP, RBP, RSI, RDI, R8, R12, R13, R15];
const VECTOR: [Reg; 5] = [XMM0, XMM3, XMM7, XMM8, XMM15];
const ALL_VECTOR: [Reg; 9] = [
    XMM0,
    upper(16),
    XMM3,
    upper(24),
    XMM7,
    XMM8,
    upper(31),
    XMM15,
    upper(21),
];
const ALL_MASKS: [Reg; 3] = [MASK, mask(6), SCRATCH_MASK];
const BASES: [Reg; 7] = [Reg::NONE, RAX, RSP, RBP, R9, R12, R13];
const DISPLACEMENTS: [i32; 11] = [0, 1, -1, 127, 128, -128, -129, 16, -64, i32::MAX, i32::MIN];

/// Kinds of references that a memory operand may have in any instruction.
const REFERENCES: [RefKind; 5] = [
    RefKind::Symbol,
    RefKind::Constant,
    RefKind::Got,
    RefKind::TlsDtpOffset,
    RefKind::TlsLocalExec,
];

fn row(inst: &MInst) -> &'static Row {
    &ROWS[usize::from(inst.op)]
}

/// The bytes of one instruction.
fn bytes<const W: u8>(inst: &MInst) -> Vec<u8> {
    let mut buf = CodeBuffer::new(false);
    encode::<W>(inst, &mut buf);
    buf.bytes.to_vec()
}

fn sizes<const W: u8>(row: &Row) -> impl Iterator<Item = u8> {
    [1, 2, 4, 8, 16, 32, 64]
        .into_iter()
        .filter(|&size| row.sizes & size != 0 && (W == 8 || is_in_32_bits(row, size)))
}

/// Without a REX prefix, only the first eight registers of a kind can be named.
fn exists<const W: u8>(reg: Reg) -> bool {
    W == 8 || reg.is_none() || reg.number() % 32 < 8
}

/// Leaves out what code of this width cannot name.
fn existing<const W: u8>(regs: &[Reg]) -> Vec<Reg> {
    regs.iter().copied().filter(|&reg| exists::<W>(reg)).collect()
}

/// Registers of a kind at the borders of their encodings, also those that only an EVEX prefix names if instructions
/// of a row may.
fn registers<const W: u8>(op: u16, kind: Kind) -> Vec<Reg> {
    existing::<W>(match kind {
        Kind::Mask => &ALL_MASKS,
        kind if kind.is_vector() && OP_DESCS[usize::from(op)].names_upper && !has_twin(op) => &ALL_VECTOR,
        kind if kind.is_vector() => &VECTOR,
        _ => &GENERAL,
    })
}

/// Whether a row has no prefix that could name the upper registers, but one that does the same has.
fn has_twin(op: u16) -> bool {
    !ROWS[usize::from(op)].code.has(Code::VEX)
}

/// What may stand in `aux` of an instruction with an EVEX prefix: with every way to round, and with a mask that zeroes.
fn rounding_samples(row: &Row, size: u8) -> Vec<u8> {
    let code = &row.code;
    let mut samples = vec![0];
    // The length says nothing then.
    let is_lowest = row.sizes == 16 && !row.operands.iter().flatten().any(|operand| operand.kind == Kind::Full);
    if code.has(Code::ROUNDS | Code::SILENCES) && (size == 64 || is_lowest) {
        let modes = if code.has(Code::ROUNDS) { 4 } else { 1 };
        samples.extend((0..modes).map(crate::evex::rounding));
    }
    if code.has(Code::BROADCASTS) {
        samples.push(crate::ops::aux::BROADCAST);
    }
    if code.has(Code::ZEROES) && code.has(Code::MASKED) {
        // A load that leaves nothing of what it writes can do nothing else.
        if code.form == Form::RM && row.operands[0].is_some_and(|operand| operand.role == Role::Def) {
            samples.clear();
        }
        samples.push(crate::ops::aux::ZEROING);
    }
    samples
}

/// Addresses without symbols: every kind of base with every kind of index and displacement.
fn addresses<const W: u8>() -> Vec<Mem> {
    let mut addresses = Vec::new();
    let indices = [(Reg::NONE, 0), (RCX, 0), (RBP, 1), (R12, 2), (R13, 3), (RAX, 3)];
    for base in existing::<W>(&BASES) {
        for (index, scale_log2) in indices.into_iter().filter(|&(index, _)| exists::<W>(index)) {
            addresses.extend(DISPLACEMENTS.map(|disp| Mem::indexed(base, index, scale_log2, disp)));
        }
    }
    addresses
}

/// Immediates that are the values of their width, at the borders of what a byte and the width hold.
fn immediates(imm: Imm, size: u8) -> Vec<i32> {
    match imm {
        Imm::None => vec![0],
        Imm::Byte => vec![0, 1, 31, 127, 128, 255],
        Imm::Shift => vec![1, 2, 7],
        Imm::Word => vec![0, 8, 0x7fff, 0xffff],
        Imm::Full | Imm::Short => [0, 1, -1, 127, 128, -128, -129, 255, 0x7fff, -0x8000, i32::MAX, i32::MIN]
            .into_iter()
            .filter(|&value| match size {
                1 => i8::try_from(value).is_ok(),
                2 => i16::try_from(value).is_ok(),
                _ => true,
            })
            .collect(),
    }
}

/// The numbers of all rows, also of those without names.
fn all_rows() -> impl Iterator<Item = u16> {
    0..ROWS.len() as u16
}

/// All samples of a row that need no label.
fn samples<const W: u8>(op: u16) -> Vec<MInst> {
    let row = &ROWS[usize::from(op)];
    let mut samples = Vec::new();
    if row.code.has(Code::OWN_IS_SCRATCH) && !exists::<W>(SCRATCH_FLOAT) {
        return samples;
    }
    for size in sizes::<W>(row) {
        let mut inst = MInst::new(op, size);
        if row.code.has(Code::COND) {
            for cond in 0..16 {
                inst.aux = cond;
                add_samples::<W>(inst, row, &mut samples);
            }
        } else {
            for aux in rounding_samples(row, size) {
                add_samples::<W>(inst.with_aux(aux), row, &mut samples);
            }
        }
    }
    samples
}

fn add_samples<const W: u8>(inst: MInst, row: &Row, samples: &mut Vec<MInst>) {
    let imms = match row.code.form {
        Form::Nop => (1..=9).collect(),
        Form::OI64 => vec![0, -1, i32::MIN],
        // A shift by a multiple of its width leaves the flags alone, and nobody emits it.
        Form::StoreRRI => vec![1, 31, 127, 255],
        _ => immediates(row.code.imm, inst.size),
    };
    match row.code.form {
        Form::Branch | Form::ShortBranch => {}
        Form::Gather | Form::Scatter => gather_samples::<W>(inst, samples),
        form if form.has_mem() => memory_samples::<W>(inst, row, &imms, samples),
        Form::BranchRef => samples.push(inst.with_mem(Mem::symbol(Ref::new(RefKind::Plt, 0), 0))),
        Form::ORef => {
            for reg in existing::<W>(&GENERAL) {
                let mut inst = inst.with_mem(Mem::symbol(Ref::new(RefKind::Symbol, 3), 5));
                inst.set_reg(0, reg);
                samples.push(inst);
            }
        }
        _ => register_samples::<W>(inst, row, &imms, samples),
    }
}

fn memory_samples<const W: u8>(inst: MInst, row: &Row, imms: &[i32], samples: &mut Vec<MInst>) {
    let of_slot = |slot: usize| {
        row.operand_in(slot)
            .map(|operand| registers::<W>(inst.op, operand.kind))
    };
    let (regs, owns) = (of_slot(0).unwrap_or(vec![Reg::NONE]), of_slot(3));
    let mut mems = addresses::<W>();
    if row.name.as_str() == "LeaTlsGdRM" {
        mems = vec![Mem::symbol(Ref::new(RefKind::TlsGeneralDynamic, 7), 0)];
    } else {
        // The assembler refuses to cut an offset in thread-local storage to 32 bits.
        let kinds = match row.mnemonic.as_str() {
            _ if row.code.has(Code::FS | Code::GS) => &REFERENCES[4..],
            "lea" if inst.size == 4 && W == 8 => &REFERENCES[..3],
            _ => &REFERENCES,
        };
        mems.extend(kinds.iter().map(|&kind| Mem::symbol(Ref::new(kind, 9), 0)));
        if !row.code.has(Code::FS | Code::GS) {
            mems.push(Mem::symbol(Ref::new(RefKind::Symbol, 2), -7));
        }
    }
    // Addresses, registers and immediates are encoded independently of each other but for the accumulator's forms,
    // which memory has none of: going around all lists at once meets every one of each.
    let of_own = owns.as_ref().map_or(1, Vec::len);
    let rounds = mems.len().max(regs.len() * imms.len() * of_own);
    for round in 0..rounds {
        let mut sample = inst.with_mem(mems[round % mems.len()]);
        sample.set_reg(0, regs[round % regs.len()]);
        match &owns {
            Some(owns) => sample.set_reg(3, owns[round / regs.len() % owns.len()]),
            None => sample.imm = imms[round / regs.len() % imms.len()],
        }
        samples.push(sample);
    }
}

/// Every kind of base with every index, which must be another register than a gather's result.
fn gather_samples<const W: u8>(inst: MInst, samples: &mut Vec<MInst>) {
    let vectors = existing::<W>(&ALL_VECTOR);
    for base in existing::<W>(&BASES) {
        for (round, &index) in vectors.iter().chain(&[XMM4]).enumerate() {
            for (place, disp) in DISPLACEMENTS.into_iter().enumerate() {
                let scale_log2 = (round + place) as u8 & 3;
                let mut sample = inst.with_mem(Mem::indexed(base, index, scale_log2, disp));
                sample.set_reg(0, vectors[(round + 1) % vectors.len()]);
                samples.push(sample);
            }
        }
    }
}

fn register_samples<const W: u8>(inst: MInst, row: &Row, imms: &[i32], samples: &mut Vec<MInst>) {
    let of_slot = |slot: usize| match row.operands[slot] {
        Some(operand) => registers::<W>(inst.op, operand.kind),
        None if slot == 1 && row.code.form == Form::RBaseRef => existing::<W>(&GENERAL),
        None => vec![Reg::NONE],
    };
    let [firsts, seconds, thirds] = [0, 1, 2].map(of_slot);
    for (round, &first) in firsts.iter().enumerate() {
        for (index, &second) in seconds.iter().enumerate() {
            let third = thirds[(round + index) % thirds.len()];
            if row.code.form == Form::Exchange && first == second {
                continue;
            }
            if row.code.has(Code::APART) && [second, third].contains(&first) {
                continue;
            }
            for &imm in imms {
                let mut sample = inst;
                sample = sample.with_regs([first, second, third]);
                sample.imm = imm;
                match row.code.form {
                    Form::OI64 => sample.disp = imm ^ 0x1234_5678,
                    // As for addresses in memory.
                    Form::RBaseRef if inst.size < W => continue,
                    Form::RBaseRef => {
                        for kind in [RefKind::TlsDtpOffset, RefKind::TlsLocalExec] {
                            sample.imm = Ref::new(kind, 4).0.cast_signed();
                            sample.disp = 12;
                            samples.push(sample);
                        }
                        continue;
                    }
                    _ => {}
                }
                samples.push(sample);
            }
        }
    }
}

#[test]
fn rows_are_well_formed() {
    for (index, row) in ROWS.iter().enumerate() {
        let name = row.name;
        assert_eq!(
            crate::rows::named(index as u16).map(|op| op as usize) == Some(index),
            index < Op::ALL.len()
        );
        assert!(row.sizes != 0 && row.code.map < 7, "{name}");
        assert_eq!(
            crate::rows::is_evex(index as u16),
            index >= usize::from(crate::rows::FIRST_EVEX)
        );
        let roles = crate::descs::OP_DESCS[index].roles;
        let has_immediate = matches!(
            row.code.form,
            Form::RI | Form::MI | Form::LoadRRI | Form::StoreRRI | Form::RMI | Form::ThreeI | Form::OI | Form::I
        );
        assert_eq!(row.code.imm != Imm::None, has_immediate, "{name}");
        let registers = row.operands.iter().flatten().count();
        let expected = match row.code.form {
            Form::StoreRR | Form::LoadRR | Form::Exchange | Form::LoadRRI | Form::StoreRRI | Form::StoreRRC => 2,
            Form::Three | Form::ThreeI | Form::ThreeLast | Form::Choice => 3,
            Form::ThreeM | Form::Gather | Form::Scatter => 2,
            Form::Same | Form::RM | Form::MR | Form::R | Form::RI | Form::RC | Form::RMI => 1,
            Form::O | Form::OI | Form::OI64 | Form::ORef | Form::RBaseRef => 1,
            _ => 0,
        };
        assert_eq!(registers, expected, "{name}");
        if row.code.form.has_mem() {
            assert_eq!(
                roles[1..3],
                [frazil_codegen::Role::Base, frazil_codegen::Role::Index],
                "{name}"
            );
        }
        assert!(
            index >= Op::ALL.len() || ROWS[..index].iter().all(|other| other.name != name),
            "{name} is there twice"
        );
    }
}
