//! Rows that only move bits of integer registers and memory: copies, loads, stores, extensions and addresses.

use super::memory_bytes;
use crate::regs::RAX;
use crate::rows::ROWS;
use crate::table::Op;
use frazil_codegen::check::translation::{Contents, Machine, Term};
use frazil_codegen::{MInst, Reg};

/// Makes what is above a copy insignificant.
fn end_copy(machine: &mut Machine<'_>, dst: Reg, bytes: u8) {
    if bytes == 4 {
        machine.clear_from(dst, 4);
    }
    machine.ignore_from(dst, bytes);
}

pub(super) fn copy_int(machine: &mut Machine<'_>, dst: Reg, contents: &Contents, bytes: u8) {
    machine.put(dst, contents);
    end_copy(machine, dst, bytes);
}

/// Rows that only move bits.
pub(super) fn moves(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let [first, second, _] = inst.regs();
    let size = inst.size;
    match op {
        Op::MovRR => {
            let is_zero_above = size == 4 && machine.may_count_on_zero(second, 1);
            let contents = machine.contents(second, size);
            copy_int(machine, first, &contents, size);
            if is_zero_above {
                machine.clear_from(first, 4);
            }
        }
        Op::MovzxLRM => {
            let contents = machine.load(inst.mem(), 4);
            let value = machine.term_of(&contents);
            machine.write_result(first, 4, value);
        }
        Op::MovRM | Op::BitsRM => {
            let contents = machine.load(inst.mem(), size);
            copy_int(machine, first, &contents, size);
            // No reload, whose upper half nobody may count on.
            if op == Op::BitsRM && size == 4 {
                machine.clear_from(first, 4);
            }
        }
        Op::MovMR => {
            let contents = machine.contents(first, size);
            machine.store(inst.mem(), &contents);
        }
        Op::MovzxLRR => {
            let value = machine.read(second, 4);
            machine.write_result(first, 4, value);
        }
        Op::MovRI => {
            let value = constant(machine, inst);
            machine.write_result(first, size, value);
        }
        Op::MovMI => {
            let value = constant(machine, inst);
            let contents = machine.contents_of(value);
            machine.store(inst.mem(), &contents);
        }
        Op::MovabsRI => {
            let number = u64::from(inst.imm.cast_unsigned()) | u64::from(inst.disp.cast_unsigned()) << 32;
            let value = machine.terms.constant(64, number);
            machine.write(first, 8, value);
        }
        Op::MovabsRRef | Op::LeaRM => {
            let address = machine.address(inst.mem());
            let value = machine.terms.part(address, 0, u16::from(size.min(8)) * 8);
            let significant = significant_bits_of_address(inst, machine);
            machine.write_result(first, size.min(8), value);
            machine.limit_significance(first, significant);
        }
        Op::MovzxBRR | Op::MovzxWRR | Op::MovsxBRR | Op::MovsxWRR | Op::MovsxdRR => extend(op, inst, None, machine),
        Op::MovzxBRM | Op::MovzxWRM | Op::MovsxBRM | Op::MovsxWRM | Op::MovsxdRM => {
            let contents = machine.load(inst.mem(), memory_bytes(op, &ROWS[op as usize], inst));
            let loaded = machine.term_of(&contents);
            extend(op, inst, Some(loaded), machine);
        }
        Op::Cdqe | Op::Cwde => {
            let value = machine.read(RAX, if op == Op::Cdqe { 4 } else { 2 });
            let (bytes, width) = if op == Op::Cdqe { (8, 64) } else { (4, 32) };
            let value = machine.terms.sign_extend(value, width);
            machine.write_result(RAX, bytes, value);
        }
        Op::BswapR => {
            let value = machine.read(first, size);
            let bytes: Vec<Term> = (0..u16::from(size))
                .rev()
                .map(|byte| machine.terms.part(value, byte * 8, 8))
                .collect();
            let value = machine.terms.concat(&bytes);
            machine.write_result(first, size, value);
        }
        Op::XchgRR => {
            let contents = [first, second].map(|reg| machine.contents(reg, size));
            copy_int(machine, first, &contents[1], size);
            copy_int(machine, second, &contents[0], size);
        }
        _ => return false,
    }
    true
}

/// How many low bits of an address that is computed as a number are significant.
fn significant_bits_of_address(inst: &MInst, machine: &mut Machine<'_>) -> u8 {
    let mem = inst.mem();
    let mut significant = u8::MAX;
    if mem.base_reg().is_register() && mem.base_reg() != Reg::FRAME {
        significant = machine.significant_bits(mem.base_reg());
    }
    if mem.reference().is_none() && mem.index_reg().is_register() {
        let bits = machine.significant_bits(mem.index_reg());
        significant = significant.min(bits.saturating_add(mem.scale_log2));
    }
    significant
}

pub(super) fn constant(machine: &mut Machine<'_>, inst: &MInst) -> Term {
    let width = u16::from(inst.size) * 8;
    machine.terms.constant(width, i64::from(inst.imm).cast_unsigned())
}

fn extend(op: Op, inst: &MInst, loaded: Option<Term>, machine: &mut Machine<'_>) {
    let (is_signed, bytes) = match op {
        Op::MovzxBRR | Op::MovzxBRM => (false, 1),
        Op::MovzxWRR | Op::MovzxWRM => (false, 2),
        Op::MovsxBRR | Op::MovsxBRM => (true, 1),
        Op::MovsxWRR | Op::MovsxWRM => (true, 2),
        _ => (true, 4),
    };
    let narrow = loaded.unwrap_or_else(|| machine.read(inst.reg(1), bytes));
    let width = u16::from(inst.size) * 8;
    let value = match is_signed {
        true => machine.terms.sign_extend(narrow, width),
        false => machine.terms.zero_extend(narrow, width),
    };
    machine.write_result(inst.reg(0), inst.size, value);
}
