//! Tests of every row of the op table: against the LLVM project's assembler and disassembler, and against that of GNU
//! binutils, which shares nothing with it.
//!
//! This file makes the samples: every row in every size with registers, addresses and immediates at the borders of
//! their encodings.

mod assembler;
mod disassembler;
mod execution;
mod processors;
mod sequences;

use crate::cond;
use crate::encode::encode;
use crate::isa::AArch64;
use crate::ops::{Form, Kind, Operand, Row, VectorForm, aux};
use crate::regs::{SP, TEMP, XZR, v, x};
use crate::table::{OP_DESCS, Op, ROWS};
use frazil_codegen::desc::before_immediate;
use frazil_codegen::isa::Isa;
use frazil_codegen::{AsmNames, CodeBuffer, Label, MInst, Mem, Ref, RefKind, Reg, RegClass, Role};
use std::fmt::{self, Write};

const GENERAL: [Reg; 7] = [x(0), x(30), x(7), x(8), x(15), XZR, x(23)];
const OR_STACK: [Reg; 7] = [x(0), SP, x(7), x(30), x(16), SP, x(23)];
const VECTOR: [Reg; 7] = [v(0), v(31), v(7), v(16), v(15), v(1), v(24)];

/// How often the registers go around; a multiple of no other count here, so that all meet all.
const ROUNDS: usize = 53;

/// Names as a text that assembles needs them.
pub(super) struct PlainNames;

impl AsmNames for PlainNames {
    fn write_label(&self, label: Label, out: &mut dyn Write) -> fmt::Result {
        write!(out, ".L{}", label.0)
    }

    fn write_ref(&self, reference: Ref, out: &mut dyn Write) -> fmt::Result {
        write!(out, "target{}", reference.number())
    }
}

fn row(inst: &MInst) -> &'static Row {
    &ROWS[usize::from(inst.op)]
}

/// The code of one instruction, whose label is bound before it.
fn encoded(inst: &MInst) -> CodeBuffer {
    let mut buf = CodeBuffer::new(false);
    let label = buf.new_label();
    buf.bind(label);
    encode(inst, &mut buf);
    buf
}

fn sizes(row: &Row) -> impl Iterator<Item = u8> {
    [1, 2, 4, 8, 16].into_iter().filter(|size| row.sizes & size != 0)
}

fn registers(operand: Operand) -> &'static [Reg] {
    match operand.kind {
        Kind::SizedOrStack => &OR_STACK,
        kind if kind.is_vector() => &VECTOR,
        _ => &GENERAL,
    }
}

/// The numbers of all rows.
fn all_rows() -> impl Iterator<Item = Op> {
    Op::ALL.iter().copied()
}

/// What an instruction may have besides registers.
#[derive(Clone, Copy, Debug, Default)]
struct Extra {
    imm: i32,
    disp: i32,
    aux: u8,
}

fn imms(values: impl IntoIterator<Item = i32>) -> Vec<Extra> {
    let with = |imm| Extra {
        imm,
        ..Extra::default()
    };
    values.into_iter().map(with).collect()
}

fn pairs(imms: &[i32], disps: &[i32]) -> Vec<Extra> {
    let mut all = Vec::new();
    for &imm in imms {
        all.extend(disps.iter().map(|&disp| Extra { imm, disp, aux: 0 }));
    }
    all
}

fn conditions() -> Vec<Extra> {
    // The other two hold always, and no instruction is made with them.
    let usual = &cond::ALL[..14];
    usual.iter().map(|&cond| with_aux(cond as u8)).collect()
}

fn with_aux(aux: u8) -> Extra {
    Extra {
        aux,
        ..Extra::default()
    }
}

/// Immediates and the like at the borders of their fields.
fn extras(row: &Row, size: u8, lane_log2: u8) -> Vec<Extra> {
    let bits = 8 * i32::from(size);
    let last = bits - 1;
    let bytes = i32::from(row.code.access_bytes(size));
    match row.code.form {
        Form::Imm(_, 16) => imms([0, 1, 0x1234, 0xffff]),
        // The hints that have no other name.
        Form::Imm(_, 7) => imms([0x3f, 0x55, 0x7f]),
        Form::Imm(..) => imms([1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15]),
        Form::RrrShift | Form::CompareShift => {
            let kinds = if is_logical(row) { 4 } else { 3 };
            let amounts = [0, 1, 7, last];
            // Shifting left by nothing is no shift; by the other kinds it is one.
            let all = (0..kinds).flat_map(|kind| amounts.map(|amount| kind << 6 | amount));
            imms(all)
        }
        Form::RrrExtend | Form::CompareExtend => {
            imms((0..8).flat_map(|kind| (0..5).map(move |amount| kind << 3 | amount)))
        }
        Form::Rri | Form::CompareImm => imms([0, 1, 0x7ff, 0xfff, 0x1000, 0xfff_000]),
        Form::RriLogical | Form::CompareLogical => logical_numbers(size),
        Form::Wide => {
            let shifts: Vec<i32> = (0..bits / 16).map(|quarter| 16 * quarter).collect();
            pairs(&[0, 1, 0x8000, 0xfffe, 0xffff], &shifts)
        }
        Form::Bitfield => {
            let places = [0, 1, 7, 8, 15, 16, 30, 31, last - 1, last];
            pairs(&places, &places)
        }
        Form::ShiftLeft => imms([1, 2, 7, last - 1, last]),
        Form::ShiftRight | Form::Rotate | Form::Extract => imms([0, 1, 2, 7, last - 1, last]),
        Form::Select | Form::Set | Form::BranchIf => conditions(),
        Form::CompareIf | Form::CompareImmIf => {
            let mut all = Vec::new();
            for (round, condition) in conditions().into_iter().enumerate() {
                all.extend([0, 15, 4, 9].map(|disp| Extra {
                    imm: if row.code.form == Form::CompareImmIf {
                        [0, 31, 16, 1][round % 4]
                    } else {
                        0
                    },
                    disp,
                    ..condition
                }));
            }
            all
        }
        Form::BranchBit => {
            let top = if size == 8 { [32, 63] } else { [1, 31] };
            pairs(&[0], &[0, 7, 15, 31, top[0], top[1]])
        }
        Form::ReadSystem | Form::WriteSystem => {
            let mut all: Vec<i32> = crate::print::SYSTEM_REGISTERS
                .iter()
                .map(|(number, _)| *number)
                .collect();
            if row.code.form == Form::WriteSystem {
                all.truncate(4);
            }
            // Registers that have no name.
            all.push(0x7fc8);
            imms(all)
        }
        Form::LoadBefore | Form::StoreBefore | Form::LoadAfter | Form::StoreAfter => imms([0, 1, -1, 255, -256, 16]),
        Form::LoadPair | Form::StorePair => pairs(&[0], &[0, bytes, -bytes, 63 * bytes, -64 * bytes]),
        Form::LoadPairBefore | Form::StorePairBefore | Form::LoadPairAfter | Form::StorePairAfter => {
            imms([0, bytes, -bytes, 63 * bytes, -64 * bytes])
        }
        Form::LoadOrdered if row.name.as_str() == "Ldxr" => [0, aux::ACQUIRE].map(with_aux).into(),
        Form::LoadExclusivePair => [0, aux::ACQUIRE].map(with_aux).into(),
        Form::StoreExclusive | Form::StoreExclusivePair => [0, aux::RELEASE].map(with_aux).into(),
        Form::Modify | Form::CompareExchange | Form::CompareExchangePair => [0, 1, 2, 3].map(with_aux).into(),
        Form::FloatImm => imms(0..256),
        Form::SumLow => references(&[
            RefKind::Symbol,
            RefKind::Constant,
            RefKind::TlsLocalExec,
            RefKind::TlsDtpOffset,
            RefKind::TlsGeneralDynamic,
        ]),
        Form::SumHigh => references(&[RefKind::TlsLocalExec, RefKind::TlsDtpOffset]),
        Form::Constant => numbers(),
        Form::ReturnPopping => imms([16, 0xff0, 0x1000, 0xfff0]),
        Form::Vector(VectorForm::Complex) if row.name.as_str() == "FcaddV" => imms([1, 3]),
        Form::Vector(VectorForm::Complex) => imms(0..4),
        Form::Vector(form) => vector_extras(form, size, lane_log2),
        _ => vec![Extra::default()],
    }
}

fn is_logical(row: &Row) -> bool {
    row.code.word >> 24 & 0x1f == 0x0a
}

/// References in the immediate, with and without an addend.
fn references(kinds: &[RefKind]) -> Vec<Extra> {
    let numbers: Vec<i32> = kinds.iter().map(|&kind| Ref::new(kind, 7).0.cast_signed()).collect();
    pairs(&numbers, &[0, 24])
}

fn numbers() -> Vec<Extra> {
    let values = [
        0,
        1,
        -1,
        0x1234,
        0xffff,
        0x1_0000,
        -0x1_0000,
        0x7fff_ffff,
        i32::MIN,
        0x5555_5555,
        0x1234_5678,
    ];
    pairs(&values, &values)
}

/// Logical immediates of every width of what repeats.
fn logical_numbers(size: u8) -> Vec<Extra> {
    let mut all = Vec::new();
    let mut width = 2;
    while width <= 8 * u32::from(size) {
        for ones in [1, width / 2, width - 1] {
            for turn in [0, 1, width - 1] {
                let run = u64::MAX >> (64 - ones);
                let mask = u64::MAX >> (64 - width);
                let part = if turn == 0 {
                    run
                } else {
                    (run >> turn | run << (width - turn)) & mask
                };
                let value = (0..64 / width).fold(0, |value, _| if width == 64 { part } else { value << width | part });
                let value = if size == 8 { value } else { value & 0xffff_ffff };
                all.push(Extra {
                    imm: (value as u32).cast_signed(),
                    disp: ((value >> 32) as u32).cast_signed(),
                    aux: 0,
                });
            }
        }
        width *= 2;
    }
    all
}

fn vector_extras(form: VectorForm, size: u8, lane_log2: u8) -> Vec<Extra> {
    let (bits, lanes) = (8i32 << lane_log2, 16i32 >> lane_log2);
    match form {
        VectorForm::ShiftLeft => imms([0, 1, bits / 2, bits - 1]),
        VectorForm::ShiftRight => imms([1, 2, bits / 2, bits - 1, bits]),
        VectorForm::ByLane
        | VectorForm::FromLane
        | VectorForm::FromLaneSigned
        | VectorForm::ToLane
        | VectorForm::LoadLane
        | VectorForm::StoreLane
        | VectorForm::LoadListLane(_)
        | VectorForm::StoreListLane(_) => imms(0..lanes),
        VectorForm::ByWord => imms(0..4),
        VectorForm::Turned => imms([0, 1, 31, 63]),
        VectorForm::Lanes => imms((0..lanes).flat_map(|src| (0..lanes).map(move |dst| src << 4 | dst))),
        VectorForm::Extract => imms(0..i32::from(size)),
        VectorForm::Modified => {
            let shifts: &[i32] = match lane_log2 {
                1 => &[0, 8],
                2 => &[0, 8, 16, 24],
                _ => &[0],
            };
            pairs(&[0, 1, 0x55, 0x80, 0xff], shifts)
        }
        VectorForm::ModifiedOnes => pairs(&[0, 1, 0x55, 0x80, 0xff], &[8, 16]),
        VectorForm::Float => imms(0..256),
        _ => vec![Extra::default()],
    }
}

/// Addresses: those that instructions have, and those that need more than one.
fn addresses(bytes: i32) -> Vec<Mem> {
    let mut all = Vec::new();
    let disps = [
        0,
        1,
        -1,
        255,
        -256,
        256,
        -257,
        bytes,
        4095 * bytes,
        4096 * bytes,
        4095 * bytes + 1,
        0xfff_000,
        0xfff_fff,
        -0xfff_fff,
        0x0100_0000,
        i32::MAX,
        i32::MIN,
    ];
    for base in [x(0), SP, x(30)] {
        all.extend(disps.map(|disp| Mem::base(base, disp)));
        for index in [x(1), x(30), x(8)] {
            for scale in 0..5 {
                all.extend([0, 8, -4096, i32::MAX].map(|disp| Mem::indexed(base, index, scale, disp)));
            }
        }
    }
    all
}

/// Symbols that an access may name, which are aligned.
fn symbols() -> Vec<Mem> {
    let kinds = [RefKind::Symbol, RefKind::Constant];
    kinds
        .iter()
        .flat_map(|&kind| [0, 16].map(|disp| Mem::symbol(Ref::new(kind, 9), disp)))
        .collect()
}

/// All samples of a row.
fn samples(op: Op) -> Vec<MInst> {
    let row = &ROWS[op as usize];
    let mut samples = Vec::new();
    for size in sizes(row) {
        for lane in 0..5u8 {
            let is_used = match row.lanes {
                0 => lane == 0,
                _ => row.has_lanes(size, lane),
            };
            if is_used {
                let inst = MInst::new(op as u16, size).with_aux(if row.lanes == 0 { 0 } else { lane });
                add_samples(inst, row, &mut samples);
            }
        }
    }
    samples
}

fn add_samples(inst: MInst, row: &Row, samples: &mut Vec<MInst>) {
    let form = row.code.form;
    if form.has_mem() {
        return memory_samples(inst, row, samples);
    }
    if form.has_symbol() {
        return symbol_samples(inst, row, samples);
    }
    let extras = extras(row, inst.size, inst.aux & aux::LANE_MASK);
    for round in 0..ROUNDS.max(extras.len()) {
        let extra = extras[round % extras.len()];
        let mut sample = with_registers(inst, row, round);
        sample.imm = extra.imm;
        sample.disp = extra.disp;
        sample.aux |= extra.aux;
        if is_predictable(&sample, row) {
            samples.push(sample);
        }
    }
}

fn with_registers(inst: MInst, row: &Row, round: usize) -> MInst {
    let mut regs = [Reg::NONE; 3];
    for (slot, operand) in row.operands.iter().enumerate() {
        if let Some(operand) = *operand {
            let choices = registers(operand);
            // Each slot goes around at its own pace.
            regs[slot] = choices[round * (2 * slot + 1) / (slot + 1) % choices.len()];
        }
    }
    if is_based(row.code.form) {
        regs[1] = [x(0), SP, x(12), x(29)][round % 4];
    }
    inst.with_regs(regs)
}

/// Whether `regs[1]` is a base, for which number 31 is the stack pointer.
fn is_based(form: Form) -> bool {
    form.has_base()
        || matches!(
            form,
            Form::LoadBefore
                | Form::StoreBefore
                | Form::LoadAfter
                | Form::StoreAfter
                | Form::LoadPairBefore
                | Form::StorePairBefore
                | Form::LoadPairAfter
                | Form::StorePairAfter
        )
}

/// Whether the manual says what an instruction does with these registers, and both disassemblers give it this name.
fn is_predictable(inst: &MInst, row: &Row) -> bool {
    let [first, second, third] = inst.regs();
    let is_vector = row.operands[0].is_some_and(|operand| operand.kind.is_vector());
    match row.code.form {
        Form::LoadBefore | Form::StoreBefore | Form::LoadAfter | Form::StoreAfter => is_vector || first != second,
        Form::LoadPair | Form::LoadExclusivePair => first != third,
        Form::LoadPairBefore | Form::LoadPairAfter | Form::StorePairBefore | Form::StorePairAfter => {
            first != third && (is_vector || first != second && third != second)
        }
        Form::StoreExclusive => first != second && first != third && !(first == XZR && second == SP),
        // Nothing is added to, or made, there.
        Form::Accumulate | Form::Constant => first != XZR,
        // Without a result it has another name.
        Form::Modify => first != XZR,
        // Those of nothing are written as if they were something.
        Form::RrrShift | Form::CompareShift => inst.imm == 0 || inst.imm & 63 != 0 || inst.imm >> 6 != 0,
        _ => true,
    }
}

fn memory_samples(inst: MInst, row: &Row, samples: &mut Vec<MInst>) {
    let regs: &[Reg] = row.operands[0].map_or(&[Reg::NONE], registers);
    let bytes = row.code.access_bytes(inst.size);
    let has_index = matches!(row.code.form, Form::LoadExtend | Form::StoreExtend);
    let mut mems = addresses(bytes.into());
    if has_index {
        mems.retain(|mem| !mem.index_reg().is_none());
    } else {
        mems.extend(symbols());
    }
    for (round, mem) in mems.into_iter().enumerate() {
        for aux in 0..=u8::from(has_index) {
            let mut sample = inst.with_mem(mem).with_aux(mem.scale_log2 << 4 | aux);
            sample.set_reg(0, regs[round % regs.len()]);
            if row.code.form == Form::Address && sample.reg(0) == XZR {
                continue;
            }
            if row.code.form == Form::Prefetch {
                sample.imm = [0, 1, 2, 3, 4, 5, 8, 13, 16, 21][round % 10];
            }
            samples.push(sample);
        }
    }
}

fn symbol_samples(inst: MInst, row: &Row, samples: &mut Vec<MInst>) {
    use RefKind::*;
    let kinds: &[RefKind] = match row.code.form {
        Form::PageRef if row.mnemonic.as_str() == "adrp" => &[Symbol, Constant, Got, TlsInitialExec, TlsGeneralDynamic],
        Form::PageRef => &[Symbol, Constant],
        Form::LoadLiteral if row.code.access == 0 && inst.size == 8 && row.code.word == 0x1800_0000 => {
            &[Symbol, Constant, Got, TlsInitialExec]
        }
        Form::LoadLiteral => &[Symbol, Constant],
        Form::BranchRef => &[Plt, Symbol],
        Form::WideRef => &[Symbol, Constant],
        Form::SymbolAddress | Form::WholeAddress => &[Symbol, Constant, Table],
        Form::TableSlot => &[Got, TlsInitialExec],
        Form::ThreadOffset => &[TlsLocalExec],
        _ => &[TlsGeneralDynamic],
    };
    for &kind in kinds {
        for reg in [x(0), x(30), x(9)] {
            let has_addend = matches!(kind, Symbol | TlsLocalExec) && row.code.form != Form::BranchRef;
            let disps: &[i32] = if has_addend { &[0, 40] } else { &[0] };
            for &disp in disps {
                let mut sample = inst.with_mem(Mem::symbol(Ref::new(kind, 5), disp));
                match row.operands[0] {
                    Some(operand) if operand.kind.is_vector() => sample.set_reg(0, v(17)),
                    Some(_) => sample.set_reg(0, reg),
                    None => {}
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
        assert!(row.sizes != 0, "{name}");
        assert!(
            ROWS[..index].iter().all(|other| other.name != name),
            "{name} is there twice"
        );
        let desc = &OP_DESCS[index];
        if row.code.form.has_mem() {
            assert_eq!(desc.roles[1..3], [Role::Base, Role::Index], "{name}");
        }
        if desc.is_move {
            assert_eq!(
                desc.roles,
                before_immediate([Role::Def, Role::Use, Role::None], Role::None),
                "{name}"
            );
        }
        if desc.reload_bytes.is_some() {
            assert_eq!(
                desc.roles,
                before_immediate([Role::Def, Role::Base, Role::Index], Role::None),
                "{name}"
            );
            assert!(desc.reads_memory && !desc.writes_memory, "{name}");
        }
        if desc.is_rematerializable {
            assert_eq!(desc.roles[0], Role::Def, "{name}");
            assert!(!desc.writes_flags && !desc.reads_flags && !desc.writes_memory, "{name}");
        }
        // What the encoder overwrites is no operand of any instruction.
        assert!(
            samples(Op::ALL[index]).iter().all(|inst| !inst.regs().contains(&TEMP)),
            "{name}"
        );
    }
}

#[test]
fn reloads_load_what_they_say() {
    let mem = Mem::base(Reg::FRAME, 0);
    for (class, widths) in [(RegClass::Int, &[4, 8][..]), (RegClass::Float, &[4, 8, 16])] {
        for &bytes in widths {
            let inst = AArch64.reload(class, bytes, Reg::physical(class.bank() as u8, 1), mem);
            let desc = &OP_DESCS[usize::from(inst.op)];
            let loaded = desc
                .reload_bytes
                .map(|bytes| if bytes == 0 { inst.size } else { bytes });
            assert_eq!(loaded, Some(bytes), "{}", desc.name);
        }
    }
}
