//! What rows say about memory, and what follows from it, compared with what an independent decoder knows.

use super::{all_rows, bytes, row, samples};
use crate::descs::OP_DESCS;
use crate::isa::X86;
use frazil_codegen::desc::before_immediate;
use frazil_codegen::isa::Isa;
use frazil_codegen::{MInst, Mem, OpDesc, Reg, RegClass, Role};
use iced_x86::{Decoder, DecoderOptions, InstructionInfoFactory, OpAccess};

/// Whether an instruction reads and writes its memory operand, and the number of bytes.
fn memory_access(inst: &MInst, factory: &mut InstructionInfoFactory) -> (bool, bool, usize) {
    let bytes = bytes::<8>(inst);
    let decoded = Decoder::with_ip(64, &bytes, 0, DecoderOptions::NONE).decode();
    let (mut reads, mut writes, mut size) = (false, false, 0);
    // The stack accesses of pushes and calls are not those of the operand.
    let is_stack = decoded.is_stack_instruction();
    for used in factory.info(&decoded).used_memory() {
        if is_stack && used.base() == iced_x86::Register::RSP && inst.reg(1) != crate::regs::RSP {
            continue;
        }
        let access = used.access();
        reads |= matches!(
            access,
            OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        writes |= matches!(
            access,
            OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        size = size.max(used.memory_size().size());
    }
    (reads, writes, size)
}

/// A sample of each size of a row, with a memory operand that is no symbol, if it has one.
fn plain_samples(op: u16) -> Vec<MInst> {
    let mut plain: Vec<MInst> = Vec::new();
    for inst in samples::<8>(op) {
        let is_plain = inst.reg(1).is_physical() && inst.reg(1) != crate::regs::RSP;
        let is_new = plain.iter().all(|other| other.size != inst.size);
        if is_new && (!row(&inst).code.form.has_mem() || is_plain) {
            plain.push(inst);
        }
    }
    plain
}

#[test]
fn rows_say_what_happens_to_memory() {
    let mut factory = InstructionInfoFactory::new();
    let mut wrong = Vec::new();
    for op in all_rows() {
        let desc = &OP_DESCS[usize::from(op)];
        for inst in plain_samples(op) {
            if !row(&inst).code.form.has_mem() {
                continue;
            }
            let (reads, writes, _) = memory_access(&inst, &mut factory);
            if (reads, writes) != (desc.reads_memory, desc.writes_memory) {
                wrong.push(format!(
                    "{} of {} bytes: reads {reads}, writes {writes}",
                    desc.name, inst.size
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What the linear scan and the checker take for granted: a form for memory accesses no more than values
/// have, does with the operand what the row does with the register, and a copy or a repeatable row does nothing else.
#[test]
fn forms_for_memory_copies_and_repeatable_rows_do_what_is_said() {
    let mut factory = InstructionInfoFactory::new();
    for op in all_rows() {
        let desc = &OP_DESCS[usize::from(op)];
        for (operand, form) in desc.memory_forms.iter().enumerate() {
            let Some(form) = *form else { continue };
            let role = desc.roles[operand];
            for inst in plain_samples(form) {
                if row(&inst).sizes & crate::rows::ROWS[usize::from(op)].sizes & inst.size == 0 {
                    continue;
                }
                let (reads, writes, size) = memory_access(&inst, &mut factory);
                assert_eq!(
                    reads,
                    role != Role::Def,
                    "{} with operand {operand} in memory",
                    desc.name
                );
                assert_eq!(
                    writes,
                    role != Role::Use,
                    "{} with operand {operand} in memory",
                    desc.name
                );
                // Conversions have the size of the other operand; none reads more than a register's low half. Others
                // have that of a lane, and then say how much they access.
                let most = usize::from(inst.size.max(desc.memory_bytes)).max(8);
                assert!(size <= most, "{} of {} bytes accesses {size}", desc.name, inst.size);
            }
        }
        let has_no_effects = |desc: &OpDesc| {
            let OpDesc {
                reads_flags,
                writes_flags,
                implicit_uses,
                implicit_defs,
                writes_memory,
                ..
            } = *desc;
            let is_quiet = !reads_flags && !writes_flags && !writes_memory;
            is_quiet && implicit_uses.is_empty() && implicit_defs.is_empty()
        };
        if desc.is_move {
            assert!(has_no_effects(desc) && !desc.reads_memory, "{}", desc.name);
            assert_eq!(
                desc.roles,
                before_immediate([Role::Def, Role::Use, Role::None], Role::None),
                "{}",
                desc.name
            );
        }
        if desc.reload_bytes.is_some() {
            assert!(has_no_effects(desc) && desc.reads_memory, "{}", desc.name);
            assert_eq!(
                desc.roles,
                before_immediate([Role::Def, Role::Base, Role::Index], Role::None),
                "{}",
                desc.name
            );
        }
        if desc.is_rematerializable {
            assert!(has_no_effects(desc), "{}", desc.name);
            assert_eq!(desc.roles[0], Role::Def, "{}", desc.name);
            assert!(matches!(desc.roles[1], Role::None | Role::Base), "{}", desc.name);
        }
    }
}

#[test]
fn reloads_load_what_they_say() {
    let mem = Mem::base(Reg::FRAME, 0);
    for (class, widths) in [(RegClass::Int, &[4, 8][..]), (RegClass::Float, &[4, 8, 16, 32, 64])] {
        for &bytes in widths {
            let inst = X86::<8>.reload(class, bytes, Reg::physical(class.bank() as u8, 1), mem);
            let desc = &OP_DESCS[usize::from(inst.op)];
            let loaded = desc
                .reload_bytes
                .map(|bytes| if bytes == 0 { inst.size } else { bytes });
            assert_eq!(loaded, Some(bytes), "{}", desc.name);
        }
    }
}
