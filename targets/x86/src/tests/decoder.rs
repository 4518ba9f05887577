//! The bytes of every sample, read by a decoder that shares nothing with our tables, and what it knows about the
//! instruction compared with the row.

use super::{all_rows, bytes, row, samples};
use crate::build::{mr, none, rm};
use crate::cond::Cond;
use crate::encode::encode;
use crate::ops::{Code, Form, Imm, Kind, Row, Width, aux};
use crate::regs::{R9, R11, R12, RAX, RDI, RSI, XMM9, name};
use crate::relocs::FIXUPS;
use crate::table::Op;
use crate::upper;
use frazil_codegen::{CodeBuffer, MInst, Mem, PRegSet, Reg, Role};
use iced_x86::RoundingControl;
use iced_x86::{Decoder, DecoderOptions, Instruction, InstructionInfoFactory, OpAccess, OpKind, Register, RflagsBits};

fn decode(bytes: &[u8]) -> Instruction {
    Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE).decode()
}

/// Intel's name of the row's instruction, where it is not the one of AT&T syntax.
fn intel_mnemonic(inst: &MInst, row: &Row) -> String {
    match row.mnemonic.as_str() {
        "movzb" | "movzw" => return "movzx".into(),
        "movsb" | "movsw" => return "movsx".into(),
        "movsl" => return "movsxd".into(),
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

fn check_register(inst: &MInst, row: &Row, slot: usize, decoded: &Instruction, operand: u32) {
    let width_bytes = match row.operands[slot].expect("the form has this operand").kind {
        Kind::Sized | Kind::Full => inst.size,
        Kind::General(bytes) => bytes,
        Kind::Vector | Kind::Mask => 16,
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

fn check_memory(inst: &MInst, decoded: &Instruction, operand: u32) {
    assert_eq!(decoded.op_kind(operand), OpKind::Memory, "{inst:?}");
    let mem = inst.mem();
    if let Some(reference) = mem.reference() {
        use frazil_codegen::RefKind::{TlsDtpOffset, TlsLocalExec};
        let absolute = matches!(reference.kind(), TlsDtpOffset | TlsLocalExec);
        let base = if absolute { Register::None } else { Register::RIP };
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
    assert_eq!(
        decoded.memory_displacement64().cast_signed(),
        i64::from(mem.disp),
        "{inst:?}"
    );
    let segment = if row(inst).code.has(Code::FS) {
        Register::FS
    } else {
        Register::None
    };
    assert_eq!(decoded.segment_prefix(), segment, "{inst:?}");
}

fn check_immediate(inst: &MInst, row: &Row, decoded: &Instruction, operand: u32) {
    let bits = match row.code.imm {
        Imm::Byte | Imm::Shift => 8,
        Imm::Word => 16,
        _ => 8 * u32::from(inst.size),
    };
    let mask = u64::MAX >> (64 - bits);
    let expected = i64::from(inst.imm).cast_unsigned();
    assert_eq!(decoded.immediate(operand) & mask, expected & mask, "{inst:?}");
}

/// Operands in Intel's order.
fn check_operands(inst: &MInst, row: &Row, decoded: &Instruction) {
    let expected_count = match row.code.form {
        Form::None | Form::NoneModRm => return,
        Form::Nop | Form::Branch | Form::ShortBranch => return,
        Form::BranchRef | Form::R | Form::M | Form::O | Form::I => 1,
        Form::LoadRRI | Form::StoreRRI | Form::RMI | Form::StoreRRC => 3,
        Form::Three | Form::ThreeLast | Form::Choice => 3,
        Form::ThreeI => 4,
        _ => 2,
    };
    let is_first_twice = row.code.has(Code::OWN_IS_FIRST);
    let expected_count = expected_count + u32::from(is_first_twice);
    assert_eq!(decoded.op_count(), expected_count, "{inst:?}");
    if is_first_twice {
        check_register(inst, row, 0, decoded, 1);
    }
    // Where the second operand is, and that after it.
    let [second, third] = [1, 2].map(|operand| operand + u32::from(is_first_twice));
    match row.code.form {
        Form::StoreRR | Form::LoadRR => {
            check_register(inst, row, 0, decoded, 0);
            check_register(inst, row, 1, decoded, second);
        }
        // The accumulator's form has it second, and the order does not matter.
        Form::Exchange => {
            let first = u32::from(whole(decoded.op_register(0)) != Some(inst.reg(0)));
            check_register(inst, row, 0, decoded, first);
            check_register(inst, row, 1, decoded, 1 - first);
        }
        Form::Same => {
            for operand in 0..expected_count {
                check_register(inst, row, 0, decoded, operand);
            }
        }
        Form::RM | Form::Gather => {
            check_register(inst, row, 0, decoded, 0);
            check_memory(inst, decoded, second);
        }
        Form::MR | Form::Scatter => {
            check_memory(inst, decoded, 0);
            check_register(inst, row, 0, decoded, 1);
        }
        Form::R | Form::O => check_register(inst, row, 0, decoded, 0),
        Form::M => check_memory(inst, decoded, 0),
        Form::RI | Form::OI => {
            check_register(inst, row, 0, decoded, 0);
            check_immediate(inst, row, decoded, 1);
        }
        Form::MI => {
            check_memory(inst, decoded, 0);
            check_immediate(inst, row, decoded, 1);
        }
        Form::RC => {
            check_register(inst, row, 0, decoded, 0);
            assert_eq!(decoded.op_register(1), Register::CL);
        }
        Form::MC => {
            check_memory(inst, decoded, 0);
            assert_eq!(decoded.op_register(1), Register::CL);
        }
        Form::LoadRRI | Form::StoreRRI => {
            check_register(inst, row, 0, decoded, 0);
            check_register(inst, row, 1, decoded, second);
            check_immediate(inst, row, decoded, third);
        }
        Form::RMI => {
            check_register(inst, row, 0, decoded, 0);
            check_memory(inst, decoded, second);
            check_immediate(inst, row, decoded, third);
        }
        Form::Choice => {
            for (operand, slot) in [0, 0, 1, 2].into_iter().enumerate() {
                check_register(inst, row, slot, decoded, operand as u32);
            }
        }
        Form::Three | Form::ThreeLast | Form::ThreeI => {
            let [own, rm] = match row.code.form {
                Form::ThreeLast => [1, 2],
                _ => row.code.sources(inst),
            };
            for (operand, slot) in [0, own, rm].into_iter().enumerate() {
                check_register(inst, row, slot, decoded, operand as u32);
            }
            if row.code.form == Form::ThreeI {
                check_immediate(inst, row, decoded, 3);
            }
        }
        Form::StoreRRC => {
            check_register(inst, row, 0, decoded, 0);
            check_register(inst, row, 1, decoded, 1);
            assert_eq!(decoded.op_register(2), Register::CL);
        }
        Form::OI64 => {
            check_register(inst, row, 0, decoded, 0);
            let value = i64::from(inst.disp) << 32 | i64::from(inst.imm.cast_unsigned());
            assert_eq!(decoded.immediate(1), value.cast_unsigned());
        }
        Form::ORef => check_register(inst, row, 0, decoded, 0),
        Form::RBaseRef => {
            check_register(inst, row, 0, decoded, 0);
            assert_eq!(whole(decoded.memory_base()), Some(inst.reg(1)), "{inst:?}");
            assert_eq!(decoded.memory_displ_size(), 8, "{inst:?}");
        }
        Form::I => check_immediate(inst, row, decoded, 0),
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
        let reg = inst.reg(slot);
        if !reg.is_physical() || is_symbol && slot > 0 {
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

fn check_accesses(inst: &MInst, row: &'static Row, decoded: &Instruction, factory: &mut InstructionInfoFactory) {
    // The decoder counts what is above our vectors as parts of these.
    if [Op::Vzeroupper, Op::VzeroupperAsked]
        .iter()
        .any(|&op| inst.op == op as u16)
    {
        return;
    }
    let (expected_reads, expected_writes) = expected_accesses(inst, row);
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
    let accesses = [
        rm(Op::MovRM, 2, RAX, Mem::base(RSI, 8)),
        mr(Op::LockXaddMR, 8, Mem::base(R12, 0), R9),
        rm(Op::MovsRM, 8, XMM9, Mem::base(RDI, 0)),
        rm(Op::MovRM, 8, R11, Mem::base(Reg::NONE, 0x28)),
    ];
    for (segment, register) in SEGMENTS.into_iter().zip([Register::FS, Register::GS, Register::SS]) {
        for access in accesses {
            let mut buf = CodeBuffer::new(false);
            encode::<8>(&none(segment, 8), &mut buf);
            encode::<8>(&access, &mut buf);
            let decoded = decode(&buf.bytes);
            assert_eq!(decoded.len(), buf.bytes.len());
            assert_eq!(decoded.segment_prefix(), register, "{access:?}");
            let alone = decode(&bytes(&access));
            assert_eq!(decoded.code(), alone.code());
            assert_eq!(decoded.memory_base(), alone.memory_base());
        }
    }
}

#[test]
fn the_decoder_reads_what_the_rows_say() {
    let mut factory = InstructionInfoFactory::new();
    for op in all_rows() {
        for inst in samples(op) {
            let row = row(&inst);
            if SEGMENTS.map(|segment| segment as u16).contains(&op) {
                continue;
            }
            let mut bytes = bytes(&inst);
            if row.name.as_str() == "CallTlsGdRef" {
                // Two of the prefixes are repeated ones, which the decoder does not show.
                bytes.drain(..2);
            }
            let decoded = decode(&bytes);
            assert!(!decoded.is_invalid(), "{} {inst:?}: {bytes:02x?}", row.name);
            assert_eq!(decoded.len(), bytes.len(), "{} {inst:?}: {bytes:02x?}", row.name);
            if row.code.form != Form::Nop {
                let mnemonic = format!("{:?}", decoded.mnemonic()).to_lowercase();
                let expected = intel_mnemonic(&inst, row);
                let lacks_letter = row.code.has(Code::NAMED_V) && !expected.starts_with('v');
                let expected = format!("{}{expected}", if lacks_letter { "v" } else { "" });
                assert_eq!(mnemonic, expected, "{inst:?}: {bytes:02x?}");
            }
            check_operands(&inst, row, &decoded);
            check_mask_and_rounding(&inst, row, &decoded);
            check_accesses(&inst, row, &decoded, &mut factory);
            check_flags(&inst, row, &decoded);
        }
    }
}

/// Branches over three bytes of filler, forward and backward, in the long and the short encoding.
#[test]
fn branches_reach_their_label_and_have_the_rows_effects() {
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
                encode::<8>(&inst, &mut buf);
                let end = buf.offset();
                if is_forward {
                    buf.put(&[0x90; 3]);
                    buf.bind(label);
                }
                assert_eq!(buf.finish(FIXUPS, 0x90, None), Ok(()));
                let decoded = decode(&buf.bytes[start as usize..]);
                let row = row(&inst);
                let target = if is_forward { end + 3 } else { 0 };
                let branch_target = decoded.near_branch_target().wrapping_add(u64::from(start));
                assert_eq!(branch_target, u64::from(target), "{} {cond}", row.name);
                assert_eq!(decoded.len() as u32, end - start);
                let is_short = matches!(op, Op::JccShort | Op::JmpShort) || !is_forward;
                assert_eq!(decoded.len() == 2, is_short, "{}", row.name);
                let suffix = if row.code.has(Code::COND) {
                    Cond::from_number(cond).name()
                } else {
                    "mp"
                };
                assert_eq!(format!("{:?}", decoded.mnemonic()).to_lowercase(), format!("j{suffix}"));
                check_accesses(&inst, row, &decoded, &mut factory);
                check_flags(&inst, row, &decoded);
            }
        }
    }
}
