//! What stands for an instruction that 32-bit code does not have: text and bytes agree, and what a walk over the
//! decoded instructions knows of registers and stack is what the one instruction does.

use super::assembler::{GNU_32, compare};
use super::{all_rows, bytes, row, samples};
use crate::build::{is_relative, near};
use crate::encode::thirty_two::{Expansion, counted_from, writes_scratch};
use crate::ops::{Code, Kind};
use crate::regs::{RBX, RDI, RDX, RSI, RSP};
use crate::rows::ROWS;
use crate::table::Op;
use crate::template::Template;
use frazil_codegen::{MInst, Ref, RefKind, Reg, Role};
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

/// The same with every general register, if its register operand is one.
fn with_all_registers(inst: MInst) -> Vec<MInst> {
    let is_general =
        row(&inst).operands[0].is_some_and(|operand| !operand.kind.is_vector() && operand.kind != Kind::Mask);
    let with = |number| {
        let mut other = inst;
        other.set_reg(0, Reg::physical(0, number));
        other
    };
    if is_general {
        (0..8).map(with).collect()
    } else {
        vec![inst]
    }
}

/// Every row and size with a memory operand that is relative to a place. No rule names the stack pointer's byte, which
/// could not be exchanged around a call.
fn relative_samples() -> Vec<MInst> {
    let has_plain_memory = |op: &u16| {
        let code = &ROWS[usize::from(*op)].code;
        code.form.has_mem() && !code.form.has_vector_index() && !code.has(Code::FS | Code::GS)
    };
    let mut insts = Vec::new();
    for inst in all_rows().filter(has_plain_memory).flat_map(samples::<4>) {
        if inst.reference() != Some(Ref::new(RefKind::Symbol, 9)) {
            continue;
        }
        for (kind, disp) in [(RefKind::Symbol, 0), (RefKind::Symbol, 20), (RefKind::Constant, 0)] {
            insts.extend(with_all_registers(inst.with_mem(near(Ref::new(kind, 9), disp, true))));
        }
    }
    insts.retain(|inst| inst.size > 1 || inst.reg(0) != RSP);
    insts
}

/// Instructions with a slot of the global offset table, which no rule loads to the stack pointer.
fn table_samples() -> Vec<MInst> {
    let rows = [
        (Op::MovRM, 4, RefKind::Got),
        (Op::MovRM, 4, RefKind::TlsInitialExec),
        (Op::JmpM, 8, RefKind::Got),
        (Op::CallM, 8, RefKind::Got),
        (Op::LeaRM, 4, RefKind::Got),
    ];
    let sample = |(op, size, kind)| MInst::new(op as u16, size).with_mem(near(Ref::new(kind, 9), 5, true));
    let samples = rows.into_iter().map(sample).flat_map(with_all_registers);
    let with_place = |mut inst: MInst| {
        if !inst.reg(0).is_physical() {
            inst.set_reg(0, RDX);
        }
        inst
    };
    samples.map(with_place).filter(|inst| inst.reg(0) != RSP).collect()
}

/// The same with their addresses counted from the global offset table, the place of which is in a register.
fn based_samples() -> Vec<MInst> {
    let samples = [relative_samples(), table_samples()].concat();
    let based = |(index, inst): (usize, &MInst)| counted_from([RBX, RSI][index & 1], inst);
    samples.iter().enumerate().filter_map(based).collect()
}

/// Instructions that name bytes of registers that have none.
fn byte_samples() -> Vec<MInst> {
    let is_taken_apart = |inst: &MInst| Expansion::of(&Template::of(&row(inst).code, inst.size), inst).is_some();
    all_rows().flat_map(samples::<4>).filter(is_taken_apart).collect()
}

#[test]
fn expansions_give_the_bytes_that_the_assembler_gives() {
    let samples = [relative_samples(), table_samples(), based_samples()].concat();
    compare::<4>(GNU_32, &samples, "expansions");
}

/// What a register or a word of the stack holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    /// What this general register held at the start.
    Start(usize),
    /// The address after a call.
    Place,
    /// The address of the global offset table.
    Table,
    /// What the instruction itself has written.
    Result,
}

fn gives_table(inst: &MInst) -> bool {
    inst.op == Op::LeaRM as u16 && inst.reference().is_some_and(|target| target.kind() == RefKind::Got)
}

fn general(register: Register) -> usize {
    register.full_register32().number()
}

/// The state while the instructions are walked over.
struct Walk {
    regs: [Held; 8],
    stack: Vec<Held>,
    is_done: bool,
}

impl Walk {
    fn step(&mut self, decoded: &Instruction, inst: &MInst) {
        let is_register = decoded.op_count() > 0 && decoded.op_kind(0) == OpKind::Register;
        match decoded.mnemonic() {
            Mnemonic::Xchg if is_register && decoded.op0_register().is_gpr32() && decoded.op1_register().is_gpr32() => {
                self.regs
                    .swap(general(decoded.op0_register()), general(decoded.op1_register()));
            }
            Mnemonic::Call if decoded.is_call_near() && decoded.near_branch_target() == decoded.next_ip() => {
                self.stack.push(Held::Place);
            }
            Mnemonic::Pop if is_register && !self.stack.is_empty() => {
                self.regs[general(decoded.op0_register())] = self.stack.pop().expect("it is not empty");
            }
            Mnemonic::Push if is_register => self.stack.push(self.regs[general(decoded.op0_register())]),
            Mnemonic::Lea if self.is_slot(inst) && self.regs[general(decoded.memory_base())] == Held::Place => {
                self.regs[general(decoded.op0_register())] = Held::Table;
                self.is_done |= gives_table(inst);
            }
            _ => self.itself(decoded, inst),
        }
    }

    fn is_slot(&self, inst: &MInst) -> bool {
        let kind = inst.reference().map(|reference| reference.kind());
        matches!(kind, Some(RefKind::Got | RefKind::TlsInitialExec))
    }

    /// The instruction itself, which finds its operands where it would have.
    fn itself(&mut self, decoded: &Instruction, inst: &MInst) {
        assert!(!self.is_done, "{inst:?}: {decoded:?}");
        self.is_done = true;
        let desc = row(inst).desc();
        for reg in desc.implicit_uses.iter().filter(|reg| reg.bank() == 0 && *reg != RSP) {
            assert_eq!(
                self.regs[reg.number() as usize],
                Held::Start(reg.number() as usize),
                "{inst:?}"
            );
        }
        if is_relative(inst) {
            let expected = if self.is_slot(inst) { Held::Table } else { Held::Place };
            assert_eq!(
                self.regs[general(decoded.memory_base())],
                expected,
                "{inst:?}: {decoded:?}"
            );
        } else if !inst.is_symbol() && inst.mem().base_reg().is_physical() && row(inst).code.form.has_mem() {
            let base = inst.mem().base_reg().number() as usize;
            assert_eq!(
                self.regs[general(decoded.memory_base())],
                Held::Start(base),
                "{inst:?}: {decoded:?}"
            );
        }
        let implicit = desc
            .implicit_defs
            .iter()
            .filter(|reg| reg.bank() == 0)
            .map(|reg| reg.number() as usize);
        let mut written: Vec<usize> = implicit.collect();
        for operand in 0..decoded.op_count() {
            let register = decoded.op_register(operand);
            if decoded.op_kind(operand) != OpKind::Register || !register.is_gpr() {
                continue;
            }
            let Held::Start(held) = self.regs[general(register)] else {
                // It is a result alone.
                let is_result = desc.roles[0] == Role::Def && operand == 0;
                assert!(is_result, "{inst:?}: {decoded:?}");
                written.push(general(register));
                continue;
            };
            let is_named = (0..3).any(|slot| inst.reg(slot) == Reg::physical(0, held as u8));
            assert!(
                is_named || desc.implicit_uses.contains(Reg::physical(0, held as u8)),
                "{inst:?}: {decoded:?}"
            );
            let slot = (0..3).find(|&slot| inst.reg(slot) == Reg::physical(0, held as u8));
            if slot.is_some_and(|slot| matches!(desc.roles[slot], Role::Def | Role::UseDef)) {
                written.push(general(register));
            }
        }
        for reg in written {
            self.regs[reg] = Held::Result;
        }
    }
}

#[test]
fn expansions_do_what_the_instruction_does() {
    for inst in [relative_samples(), table_samples(), based_samples(), byte_samples()].concat() {
        let bytes = bytes::<4>(&inst);
        let mut walk = Walk {
            regs: [0, 1, 2, 3, 4, 5, 6, 7].map(Held::Start),
            stack: Vec::new(),
            is_done: false,
        };
        for decoded in &mut Decoder::with_ip(32, &bytes, 0, DecoderOptions::NONE) {
            assert!(!decoded.is_invalid(), "{inst:?}: {bytes:02x?}");
            walk.step(&decoded, &inst);
        }
        assert!(walk.is_done && walk.stack.is_empty(), "{inst:?}: {bytes:02x?}");
        let desc = row(&inst).desc();
        let is_branch = [Op::JmpM, Op::CallM].iter().any(|&op| op as u16 == inst.op);
        for (number, held) in walk.regs.into_iter().enumerate() {
            let reg = Reg::physical(0, number as u8);
            let is_written = desc.implicit_defs.contains(reg)
                || (0..3).any(|slot| inst.reg(slot) == reg && matches!(desc.roles[slot], Role::Def | Role::UseDef));
            let is_free = reg == RDI && writes_scratch(&inst) || reg == RDX && is_branch;
            let expected = match is_written {
                true if gives_table(&inst) => Held::Table,
                true => Held::Result,
                false => Held::Start(number),
            };
            assert!(
                is_free && !is_written || held == expected || is_written && reg == RSP,
                "{inst:?}: {reg:?} holds {held:?}: {bytes:02x?}"
            );
        }
    }
}
