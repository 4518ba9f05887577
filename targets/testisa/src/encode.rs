//! From machine instructions to bytes.
//!
//! What does not fit one instruction is formed here with the register `at`: displacements beyond 8 bits, immediates of
//! `addi` beyond 13. Branches and loads of constants whose fields reach too short are a matter of the buffer's islands.

use crate::build::{ll, reg};
use crate::ops::{Form, Op};
use crate::regs::AT;
use crate::relocs::{ABS32, BRANCH8, CALL24, JUMP24, LITERAL13, WORD};
use frazil_codegen::{CodeBuffer, Label, MInst, Mem, Ref, RefKind, Reg};

/// The field of a register, 0 when there is none.
fn field(reg: Reg) -> u32 {
    if reg.is_none() { 0 } else { reg.number() }
}

fn word(op: Op, bytes: u8, regs: [Reg; 3]) -> u32 {
    let wide = u32::from(bytes == 8);
    op as u32 | wide << 8 | field(regs[0]) << 9 | field(regs[1]) << 14 | field(regs[2]) << 19
}

fn put(out: &mut CodeBuffer, word: u32) {
    out.put(&word.to_le_bytes());
}

/// Whether a number fits this many signed bits.
fn fits(value: i32, bits: u32) -> bool {
    value << (32 - bits) >> (32 - bits) == value
}

fn put_immediate(out: &mut CodeBuffer, op: Op, dst: Reg, src: Reg, imm: i32) {
    put(out, word(op, 4, [dst, src, Reg::NONE]) | imm.cast_unsigned() << 19);
}

/// A constant: short when it fits, else with a second word (the width bit says so).
fn put_constant(out: &mut CodeBuffer, dst: Reg, imm: i32) {
    if fits(imm, 13) {
        put_immediate(out, Op::Li, dst, Reg::NONE, imm);
    } else {
        put(out, word(Op::Li, 8, [dst, Reg::NONE, Reg::NONE]));
        put(out, imm.cast_unsigned());
    }
}

/// What a row names that always names something.
fn named(inst: &MInst) -> Ref {
    inst.reference().expect("rules give the row a symbol")
}

/// Appends an instruction.
pub fn encode(inst: &MInst, out: &mut CodeBuffer) {
    let op = Op::from_number(inst.op).expect("rules use rows of the table only");
    let start = out.offset();
    let regs = inst.regs();
    let mut jump = None;
    match op.row().form {
        Form::None | Form::Rrr | Form::Rr | Form::Split | Form::JumpReg | Form::CallReg => {
            put(out, word(op, inst.size, regs));
        }
        Form::Rri if fits(inst.imm, 13) => put_immediate(out, op, regs[0], regs[1], inst.imm),
        Form::Rri => {
            debug_assert_eq!(op, Op::Addi, "an immediate of more than 13 bits");
            put_constant(out, AT, inst.imm);
            put(out, word(Op::Add, 4, [regs[0], regs[1], AT]));
        }
        Form::Li => put_constant(out, regs[0], inst.imm),
        Form::SymbolAddress => {
            put(out, word(op, 4, [regs[0], Reg::NONE, Reg::NONE]));
            out.reloc(start + 4, ABS32, named(inst), i64::from(inst.disp));
            put(out, 0);
        }
        Form::LabelAddress => {
            put(out, word(op, 4, [regs[0], Reg::NONE, Reg::NONE]));
            out.fixup(start + 4, inst.label(), WORD);
            put(out, 0);
        }
        Form::Load | Form::Store => put_access(out, op, inst),
        Form::Literal => {
            let label = out.literal(start, named(inst), LITERAL13);
            put(out, word(op, inst.size, [regs[0], Reg::NONE, Reg::NONE]));
            let copy = Mem::symbol(Ref::new(RefKind::Label, label.0), 0);
            return out.finish_inst(&inst.with_mem(copy), start, None);
        }
        Form::Branch => {
            out.short_fixup(start, inst.label(), BRANCH8);
            put(out, word(op, 4, regs));
        }
        Form::Jump => {
            out.short_fixup(start, inst.label(), JUMP24);
            put(out, Op::J as u32);
            jump = Some(inst.label());
        }
        Form::Call => {
            out.reloc(start, CALL24, named(inst), 0);
            put(out, word(op, 4, [Reg::NONE; 3]));
        }
    }
    out.finish_inst(inst, start, jump);
}

fn put_access(out: &mut CodeBuffer, op: Op, inst: &MInst) {
    let [reg, base, index] = inst.regs();
    debug_assert!(index.is_none(), "there are no indexed addresses");
    if fits(inst.disp, 8) {
        put(
            out,
            word(op, inst.size, [reg, base, Reg::NONE]) | inst.disp.cast_unsigned() << 24,
        );
        return;
    }
    put_constant(out, AT, inst.disp);
    put(out, word(Op::Add, 4, [AT, AT, base]));
    put(out, word(op, inst.size, [reg, AT, Reg::NONE]));
}

/// A jump to any label.
pub fn far_jump(out: &mut CodeBuffer, label: Label) {
    encode(&ll(AT, label), out);
    encode(&reg(Op::Jr, AT), out);
}

/// The branch that is taken when the other is not.
pub fn inverse(op: Op) -> Op {
    match op {
        Op::Beq => Op::Bne,
        Op::Bne => Op::Beq,
        Op::Blt => Op::Bge,
        Op::Bge => Op::Blt,
        Op::Bltu => Op::Bgeu,
        Op::Bgeu => Op::Bltu,
        other => other,
    }
}
