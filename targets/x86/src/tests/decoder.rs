//! The bytes of every sample, read by a decoder that shares nothing with our tables, and what it knows about the
//! instruction compared with the row.

use super::{all_rows, bytes, exists, row, samples};
use crate::build::{mr, none, rm};
use crate::cond::Cond;
use crate::encode::encode;
use crate::ops::{Code, Form, Imm, Kind, Row, Width, aux};
use crate::regs::{R9, R11, R12, RAX, RDI, RSI, SCRATCH_FLOAT, XMM3, XMM9, name};
use crate::relocs::FIXUPS;
use crate::table::Op;
use crate::upper;
use frazil_codegen::{CodeBuffer, MInst, Mem, PRegSet, Reg, Role};
use iced_x86::RoundingControl;
use iced_x86::{Decoder, DecoderOptions, Instruction, InstructionInfoFactory, OpAccess, OpKind, Register, RflagsBits};

fn decode<const W: u8>(bytes: &[u8]) -> Instruction {
    Decoder::with_ip(8 * u32::from(W), bytes, 0, DecoderOptions::NONE).decode()
}

/// Intel's name of the row's instruction, where it is not the one of AT&T syntax.
fn intel_mnemonic(inst: &MInst, row: &Row) -> String {
    match row.mnemonic.as_str() {
        "movzb" | "movzw" => return "movzx".into(),
        "movsb" | "movsw" => return "movsx".into(),
        "movsl" => return "movsxd".into(),
        "rep movsl" => return "movsd".into(),
        "movabs" => return "mov".into(),
        "cwtd" => return "cwd".into(),
        "cwtl" => return "cwde".into(),
        "cltq" => return "cdqe".into(),
        "cltd" => return "cdq".into(),
        "cqto" => return "cqo".into(),
        "data16 leaq" => return "lea".into(),
        "flds" | "fldl" | "fldt" => return "fld".into(),
        "fstps" | "fstpl" | "fstpt" | "fstp %st(0)" => return "fstp".into(),
        "fildl" | "fildll" => return "fild".into(),
        "fistpl" | "fistpll" => return "fistp".into(),
        "fadds" => return "fadd".into(),
        "fsubs" => return "fsub".into(),
        "fsubrp" => return "fsubp".into(),
        "fdivrp" => return "fdivp".into(),
        "crc32b" | "crc32w" => return "crc32".into(),
        "movd" if inst.size == 8 => return "movq".into(),
        _ => {}
    }
    if let Some(mnemonic) = upper::mnemonic(inst, &row.code) {
        return mnemonic.into();
    }
    let mnemonic = row.mnemonic.as_str().rsplit(' ').next().expect("there is a last word");
    let suffix = match (row.code.width, inst.size) {
        (Width::Scalar | Width::Packed | Width::Float, 4) => "s",
        (Width::Scalar | Width::Packed | Width::Float, 8) => "d",
        _ => "",
    };
    let condition = if row.code.has(Code::COND) {
        Cond::from_number(inst.condition()).name()
    } else {
        ""
    };
    format!("{mnemonic}{condition}{suffix}")
}

/// Our register that a register of the decoder is part of.
fn whole(register: Register) -> Option<Reg> {
    if register.is_gpr() {
        Some(Reg::physical(0, register.full_register().number() as u8))
    } else if register.is_xmm() || register.is_ymm() || register.is_zmm() {
        // A VEX prefix clears what is above the vector.
        Some(Reg::physical(1, register.number() as u8))
    } else if register.is_k() {
        Some(Reg::physical(1, 32 + register.number() as u8))
    } else {
        None
    }
}

fn check_register<const W: u8>(inst: &MInst, row: &Row, slot: usize, decoded: &Instruction, operand: u32) {
    let width_bytes = match row.operand_in(slot).expect("the form has this operand").kind {
        Kind::Sized | Kind::Full => inst.size,
        Kind::General(bytes) => bytes.min(W),
        Kind::Vector | Kind::WideCleared | Kind::Mask => 16,
        Kind::Wide | Kind::WideLow => 32,
        Kind::Widest | Kind::WidestLow => 64,
    };
    assert_eq!(decoded.op_kind(operand), OpKind::Register, "{inst:?}");
    let decoded_name = format!("{:?}", decoded.op_register(operand)).to_lowercase();
    // The decoder's numbered byte registers end in "l" in its own way.
    let ours = name(inst.reg(slot), width_bytes);
    let theirs = if decoded_name.starts_with('r') && decoded_name.ends_with('l') {
        decoded_name.replace('l', "b")
    } else {
        decoded_name
    };
    assert_eq!(theirs, ours, "{inst:?}");
}

fn check_memory<const W: u8>(inst: &MInst, decoded: &Instruction, operand: u32) {
    assert_eq!(decoded.op_kind(operand), OpKind::Memory, "{inst:?}");
    let mem = inst.mem();
    if let Some(reference) = mem.reference() {
        use frazil_codegen::RefKind::{TlsDtpOffset, TlsLocalExec};
        let absolute = matches!(reference.kind(), TlsDtpOffset | TlsLocalExec);
        let base = if absolute || W == 4 {
            Register::None
        } else {
            Register::RIP
        };
        assert_eq!(
            (decoded.memory_base(), decoded.memory_index()),
            (base, Register::None),
            "{inst:?}"
        );
        return;
    }
    assert_eq!(
        whole(decoded.memory_base()),
        (!mem.base_reg().is_none()).then_some(mem.base_reg()),
        "{inst:?}"
    );
    assert_eq!(
        whole(decoded.memory_index()),
        (!mem.index_reg().is_none()).then_some(mem.index_reg()),
        "{inst:?}"
    );
    if !mem.index_reg().is_none() {
        assert_eq!(decoded.memory_index_scale(), 1 << mem.scale_log2, "{inst:?}");
    }
    // The decoder extends 32 bits with zeros.
    let displacement = decoded.memory_displacement64().cast_signed();
    let is_equal = match W {
        4 => displacement as i32 == mem.disp,
        _ => displacement == i64::from(mem.disp),
    };
    assert!(is_equal, "{inst:?}");
    let segment = match &row(inst).code {
        code if code.has(Code::FS) => Register::FS,
        code if code.has(Code::GS) => Register::GS,
        _ => Register::None,
    };
    assert_eq!(decoded.segment_prefix(), segment, "{inst:?}");
}

fn check_immediate<const W: u8>(inst: &MInst, row: &Row, decoded: &Instruction, operand: u32) {
    let bits = match row.code.imm {
        Imm::Byte | Imm::Shift => 8,
        Imm::Word => 16,
        _ => 8 * u32::from(inst.size.min(W)),
    };
    let mask = u64::MAX >> (64 - bits);
    let expected = i64::from(inst.imm).cast_unsigned();
    assert_eq!(decoded.immediate(operand) & mask, expected & mask, "{inst:?}");
}

/// Operands in Intel's order.
fn check_operands<const W: u8>(inst: &MInst, row: &Row, decoded: &Instruction) {
    let expected_count = match row.code.form {
        Form::None | Form::NoneModRm => return,
        Form::Nop | Form::Branch | Form::ShortBranch => return,
        Form::BranchRef | Form::R | Form::M | Form::O | Form::I => 1,
        Form::LoadRRI | Form::StoreRRI | Form::RMI | Form::StoreRRC => 3,
        Form::Three | Form::ThreeM | Form::ThreeLast | Form::Choice => 3,
        Form::ThreeI => 4,
        _ => 2,
    };
    let is_first_twice = row.code.has(Code::OWN_IS_FIRST);
    let is_scratch_named = row.code.has(Code::OWN_IS_SCRATCH);
    let expected_count = expected_count + u32::from(is_first_twice) + u32::from(is_scratch_named);
    assert_eq!(decoded.op_count(), expected_count, "{inst:?}");
    if is_first_twice {
        check_register::<W>(inst, row, 0, decoded, 1);
    }
    // Where the second operand is, and that after it.
    let [second, third] = [1, 2].map(|operand| operand + u32::from(is_first_twice));
    match row.code.form {
        Form::StoreRR | Form::LoadRR => {
            check_register::<W>(inst, row, 0, decoded, 0);
            check_register::<W>(inst, row, 1, decoded, second);
        }
        // The accumulator's form has it second, and the order does not matter.
        Form::Exchange => {
            let first = u32::from(whole(decoded.op_register(0)) != Some(inst.reg(0)));
            check_register::<W>(inst, row, 0, decoded, first);
            check_register::<W>(inst, row, 1, decoded, 1 - first);
        }
        Form::Same => {
            for operand in 0..expected_count {
                check_register::<W>(inst, row, 0, decoded, operand);
            }
        }
        Form::RM | Form::Gather => {
            check_register::<W>(inst, row, 0, decoded, 0);
            check_memory::<W>(inst, decoded, second);
        }
        Form::ThreeM => {
            check_register::<W>(inst, row, 0, decoded, 0);
            check_register::<W>(inst, row, 3, decoded, 1);
            check_memory::<W>(inst, decoded, 2);
        }
        Form::MR | Form::Scatter => {
            check_memory::<W>(inst, decoded, 0);
            if is_scratch_named {
                assert_eq!(whole(decoded.op_register(1)), Some(SCRATCH_FLOAT), "{inst:?}");
            }
            check_register::<W>(inst, row, 0, decoded, 1 + u32::from(is_scratch_named));
        }
        Form::R | Form::O => check_register::<W>(inst, row, 0, decoded, 0),
        Form::M => check_memory::<W>(inst, decoded, 0),
        Form::RI | Form::OI => {
            check_register::<W>(inst, row, 0, decoded, 0);
            check_immediate::<W>(inst, row, decoded, 1);
        }
        Form::MI => {
            check_memory::<W>(inst, decoded, 0);
            check_immediate::<W>(inst, row, decoded, 1);
        }
        Form::RC => {
            check_register::<W>(inst, row, 0, decoded, 0);
            assert_eq!(decoded.op_register(1), Register::CL);
        }
        Form::MC => {
            check_memory::<W>(inst, decoded, 0);
            assert_eq!(decoded.op_register(1), Register::CL);
        }
        Form::LoadRRI | Form::StoreRRI => {
            check_register::<W>(inst, row, 0, decoded, 0);
            check_register::<W>(inst, row, 1, decoded, second);
            check_immediate::<W>(inst, row, decoded, third);
        }
        Form::RMI => {
            check_register::<W>(inst, row, 0, decoded, 0);
            check_memory::<W>(inst, decoded, second);
            check_immediate::<W>(inst, row, decoded, third);
        }
        Form::Choice => {
            for (operand, slot) in [0, 0, 1, 2].into_iter().enumerate() {
                check_register::<W>(inst, row, slot, decoded, operand as u32);
            }
        }
        Form::Three | Form::ThreeLast | Form::ThreeI => {
            let [own, rm] = match row.code.form {
                Form::ThreeLast => [1, 2],
                _ => row.code.sources(inst),
            };
            for (operand, slot) in [0, own, rm].into_iter().enumerate() {
                check_register::<W>(inst, row, slot, decoded, operand as u32);
            }
            if row.code.form == Form::ThreeI {
                check_immediate::<W>(inst, row, decoded, 3);
            }
        }
        Form::StoreRRC => {
            check_register::<W>(inst, row, 0, decoded, 0);
            check_register::<W>(inst, row, 1, decoded, 1);
            assert_eq!(decoded.op_register(2), Register::CL);
        }
        Form::OI64 => {
            check_register::<W>(inst, row, 0, decoded, 0);
            let value = i64::from(inst.disp) << 32 | i64::from(inst.imm.cast_unsigned());
            assert_eq!(decoded.immediate(1), value.cast_unsigned());
        }
        Form::ORef => check_register::<W>(inst, row, 0, decoded, 0),
        Form::RBaseRef => {
            check_register::<W>(inst, row, 0, decoded, 0);
            assert_eq!(whole(decoded.memory_base()), Some(inst.reg(1)), "{inst:?}");
            assert_eq!(decoded.memory_displ_size(), W.into(), "{inst:?}");
        }
        Form::I => check_immediate::<W>(inst, row, decoded, 0),
        Form::BranchRef if W == 4 => assert_eq!(decoded.op_kind(0), OpKind::NearBranch32),
        Form::BranchRef => assert_eq!(decoded.op_kind(0), OpKind::NearBranch64),
        Form::None | Form::NoneModRm | Form::Nop | Form::Branch | Form::ShortBranch => {}
    }
    assert_eq!(decoded.has_lock_prefix(), row.code.has(Code::LOCK), "{inst:?}");
}

/// The mask and rounding of an EVEX prefix.
fn check_mask_and_rounding(inst: &MInst, row: &Row, decoded: &Instruction) {
    let mask = if row.code.has(Code::MASKED) {
        Register::K1
    } else {
        Register::None
    };
    assert_eq!(decoded.op_mask(), mask, "{inst:?}");
    if !row.code.has(Code::EVEX) {
        return;
    }
    assert_eq!(decoded.zeroing_masking(), inst.aux & aux::ZEROING != 0, "{inst:?}");
    let is_silent = inst.aux & aux::SILENT != 0 && !row.code.form.has_mem();
    let rounding = match is_silent && row.code.has(Code::ROUNDS) {
        true => [
            RoundingControl::RoundToNearest,
            RoundingControl::RoundDown,
            RoundingControl::RoundUp,
            RoundingControl::RoundTowardZero,
        ][usize::from(inst.aux >> aux::ROUNDING_BIT & 3)],
        false => RoundingControl::None,
    };
    assert_eq!(decoded.rounding_control(), rounding, "{inst:?}");
    let is_alone = is_silent && !row.code.has(Code::ROUNDS);
    assert_eq!(decoded.suppress_all_exceptions(), is_alone, "{inst:?}");
    assert_eq!(
        decoded.is_broadcast(),
        row.code.broadcast_bytes(inst).is_some(),
        "{inst:?}"
    );
}

/// Registers that the row says are read and written by this instruction.
fn expected_accesses(inst: &MInst, row: &'static Row) -> (PRegSet, PRegSet) {
    let desc = row.desc();
    let (mut reads, mut writes) = (desc.implicit_uses, desc.implicit_defs);
    let is_symbol = inst.is_symbol();
    for (slot, role) in desc.roles.into_iter().enumerate() {
        if role == Role::None {
            continue;
        }
        let reg = inst.reg(slot);
        if !reg.is_physical() || is_symbol && matches!(slot, 1 | 2) {
            continue;
        }
        if matches!(role, Role::Use | Role::UseDef | Role::Base | Role::Index) {
            reads.insert(reg);
        }
        if matches!(role, Role::Def | Role::UseDef) {
            writes.insert(reg);
        }
    }
    if row.effects.merges {
        reads.insert(inst.reg(0));
    }
    (reads, writes)
}

fn check_accesses<const W: u8>(
    inst: &MInst,
    row: &'static Row,
    decoded: &Instruction,
    factory: &mut InstructionInfoFactory,
) {
    // The decoder counts what is above our vectors as parts of these, and not what is above a byte that is written.
    if [Op::Vzeroupper, Op::VzeroupperAsked, Op::SetLowR]
        .iter()
        .any(|&op| inst.op == op as u16)
    {
        return;
    }
    let all = PRegSet::from_banks(u64::MAX, u64::MAX);
    let existing = if W == 4 {
        PRegSet::from_banks(0xff, 0xff_0000_00ff)
    } else {
        all
    };
    let (expected_reads, expected_writes) = expected_accesses(inst, row);
    let expected_writes = expected_writes.intersection(existing);
    let (mut reads, mut writes) = (PRegSet::EMPTY, PRegSet::EMPTY);
    for used in factory.info(decoded).used_registers() {
        let Some(reg) = whole(used.register()) else { continue };
        let (is_read, is_written) = match used.access() {
            OpAccess::None | OpAccess::NoMemAccess => (false, false),
            OpAccess::Read | OpAccess::CondRead => (true, false),
            OpAccess::Write => (false, true),
            // What is not always written may keep its old value.
            OpAccess::ReadWrite | OpAccess::ReadCondWrite | OpAccess::CondWrite => (true, true),
        };
        if is_read {
            reads.insert(reg);
        }
        if is_written {
            writes.insert(reg);
        }
    }
    // With one register twice, the result may be a constant; the decoder knows that of some.
    let is_idiom = match row.code.form {
        Form::Same => true,
        Form::Three => inst.reg(1) == inst.reg(2),
        _ => inst.reg(0) == inst.reg(1),
    };
    if !is_idiom {
        assert_eq!(reads, expected_reads, "reads of {} {inst:?}: {decoded:?}", row.name);
    }
    assert_eq!(writes, expected_writes, "writes of {} {inst:?}: {decoded:?}", row.name);
}

/// Whether an instruction names the byte of a register that has none in 32-bit code.
fn names_missing_byte(inst: &MInst, row: &Row) -> bool {
    (0..3).any(|slot| {
        let is_byte = row.operands[slot].is_some_and(|operand| operand.kind.bytes(inst.size) == 1);
        is_byte && inst.reg(slot).number() >= 4
    })
}

/// Takes the two exchanges around such an instruction away, and gives it with the registers in each other's place.
fn without_exchange(inst: &MInst, row: &'static Row, bytes: &mut Vec<u8>) -> MInst {
    let exchange = decode::<4>(bytes);
    assert_eq!(exchange.mnemonic(), iced_x86::Mnemonic::Xchg, "{inst:?}: {bytes:02x?}");
    let registers = [0, 1].map(|operand| exchange.op_register(operand));
    assert!(registers.iter().all(|register| register.is_gpr32()), "{inst:?}");
    let exchanged = registers.map(|register| whole(register).expect("it is a general register"));
    let length = exchange.len();
    let middle = bytes[length..bytes.len() - length].to_vec();
    assert_eq!(bytes[..length], bytes[length + middle.len()..], "{inst:?}");
    *bytes = middle;
    let mut renamed = *inst;
    for slot in 0..if inst.is_symbol() { 1 } else { 3 } {
        if let Some(place) = exchanged.iter().position(|&reg| reg == inst.reg(slot)) {
            renamed.set_reg(slot, exchanged[1 - place]);
        }
    }
    let implicit = row.desc().implicit_uses.union(row.desc().implicit_defs);
    assert!(exchanged.iter().all(|&reg| !implicit.contains(reg)), "{inst:?}");
    renamed
}

fn check_flags(inst: &MInst, row: &Row, decoded: &Instruction) {
    let status = RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::AF | RflagsBits::CF | RflagsBits::PF;
    let reads = decoded.rflags_read() & status != 0;
    let writes = decoded.rflags_modified() & status != 0;
    assert_eq!(reads, row.effects.reads_flags, "flags read by {} {inst:?}", row.name);
    assert_eq!(
        writes, row.effects.writes_flags,
        "flags written by {} {inst:?}",
        row.name
    );
}

/// Prefixes, which are rows because any instruction may come after them.
const SEGMENTS: [Op; 3] = [Op::SegFs, Op::SegGs, Op::SegSs];

#[test]
fn segments_are_those_of_the_next_instruction() {
    check_segments::<8>();
    check_segments::<4>();
}

fn check_segments<const W: u8>() {
    let accesses = [
        rm(Op::MovRM, 2, RAX, Mem::base(RSI, 8)),
        mr(Op::LockXaddMR, 4, Mem::base(RDI, 0), RSI),
        mr(Op::LockXaddMR, 8, Mem::base(R12, 0), R9),
        rm(Op::MovsRM, 8, XMM3, Mem::base(RDI, 0)),
        rm(Op::MovsRM, 8, XMM9, Mem::base(RDI, 0)),
        rm(Op::MovRM, 4, RDI, Mem::base(Reg::NONE, 0x28)),
        rm(Op::MovRM, 8, R11, Mem::base(Reg::NONE, 0x28)),
    ];
    let is_there = |access: &MInst| {
        (W == 8 || super::is_in_32_bits(row(access), access.size)) && (0..3).all(|slot| exists::<W>(access.reg(slot)))
    };
    for (segment, register) in SEGMENTS.into_iter().zip([Register::FS, Register::GS, Register::SS]) {
        for access in accesses.into_iter().filter(is_there) {
            let mut buf = CodeBuffer::new(false);
            encode::<W>(&none(segment, 8), &mut buf);
            encode::<W>(&access, &mut buf);
            let decoded = decode::<W>(&buf.bytes);
            assert_eq!(decoded.len(), buf.bytes.len());
            assert_eq!(decoded.segment_prefix(), register, "{access:?}");
            let alone = decode::<W>(&bytes::<W>(&access));
            assert_eq!(decoded.code(), alone.code());
            assert_eq!(decoded.memory_base(), alone.memory_base());
        }
    }
}

#[test]
fn the_decoder_reads_what_the_rows_say() {
    check_rows::<8>();
}

#[test]
fn the_decoder_reads_what_the_rows_say_in_32_bit_code() {
    check_rows::<4>();
}

fn check_rows<const W: u8>() {
    let mut factory = InstructionInfoFactory::new();
    for op in all_rows() {
        for inst in samples::<W>(op) {
            let row = row(&inst);
            if SEGMENTS.map(|segment| segment as u16).contains(&op) {
                continue;
            }
            let (mut inst, mut bytes) = (inst, bytes::<W>(&inst));
            while W == 4 && names_missing_byte(&inst, row) {
                inst = without_exchange(&inst, row, &mut bytes);
            }
            if row.name.as_str() == "CallTlsGdRef" {
                // Two of the prefixes are repeated ones, which the decoder does not show.
                bytes.drain(..2);
            }
            let decoded = decode::<W>(&bytes);
            assert!(!decoded.is_invalid(), "{} {inst:?}: {bytes:02x?}", row.name);
            assert_eq!(decoded.len(), bytes.len(), "{} {inst:?}: {bytes:02x?}", row.name);
            if row.code.form != Form::Nop {
                let mnemonic = format!("{:?}", decoded.mnemonic()).to_lowercase();
                let expected = intel_mnemonic(&inst, row);
                let lacks_letter = row.code.has(Code::NAMED_V) && !expected.starts_with('v');
                let expected = format!("{}{expected}", if lacks_letter { "v" } else { "" });
                assert_eq!(mnemonic, expected, "{inst:?}: {bytes:02x?}");
            }
            check_operands::<W>(&inst, row, &decoded);
            check_mask_and_rounding(&inst, row, &decoded);
            check_accesses::<W>(&inst, row, &decoded, &mut factory);
            check_flags(&inst, row, &decoded);
        }
    }
}

/// Branches over three bytes of filler, forward and backward, in the long and the short encoding.
#[test]
fn branches_reach_their_label_and_have_the_rows_effects() {
    check_branches::<8>();
    check_branches::<4>();
}

fn check_branches<const W: u8>() {
    let mut factory = InstructionInfoFactory::new();
    for op in [Op::Jcc, Op::Jmp, Op::JccShort, Op::JmpShort] {
        for cond in 0..16 {
            for is_forward in [true, false] {
                let mut buf = CodeBuffer::new(false);
                let label = buf.new_label();
                let mut inst = MInst::new(op as u16, 8).with_condition(cond);
                inst.imm = label.0.cast_signed();
                if !is_forward {
                    buf.bind(label);
                    buf.put(&[0x90; 3]);
                }
                let start = buf.offset();
                encode::<W>(&inst, &mut buf);
                let end = buf.offset();
                if is_forward {
                    buf.put(&[0x90; 3]);
                    buf.bind(label);
                }
                assert_eq!(buf.finish(FIXUPS, 0x90, None), Ok(()));
                let decoded = decode::<W>(&buf.bytes[start as usize..]);
                let row = row(&inst);
                let target = if is_forward { end + 3 } else { 0 };
                let branch_target = (decoded.near_branch_target() as u32).wrapping_add(start);
                assert_eq!(branch_target, target, "{} {cond}", row.name);
                assert_eq!(decoded.len() as u32, end - start);
                let is_short = matches!(op, Op::JccShort | Op::JmpShort) || !is_forward;
                assert_eq!(decoded.len() == 2, is_short, "{}", row.name);
                let suffix = if row.code.has(Code::COND) {
                    Cond::from_number(cond).name()
                } else {
                    "mp"
                };
                assert_eq!(format!("{:?}", decoded.mnemonic()).to_lowercase(), format!("j{suffix}"));
                check_accesses::<W>(&inst, row, &decoded, &mut factory);
                check_flags(&inst, row, &decoded);
            }
        }
    }
}
