//! Arithmetic on integers, with the flags that it leaves, and conditions.

use super::moves::constant;
use super::operation_number;
use crate::cond::Cond;
use crate::ops::{Form, Row};
use crate::table::Op;
use frazil_codegen::check::translation::{Bitwise, Machine, Term, function};
use frazil_codegen::{MInst, Reg};

/// The first number of functions of which no row is the name.
const PARITY: u32 = 1 << 31;

/// Where the operands of an operation are: the first one is the destination, too.
struct Operands {
    first: Term,
    second: Option<Term>,
    is_memory: bool,
    /// How many low bits of all of them are significant (contract 1): the low bits of what is computed from those below
    /// them alone are, too.
    significant: u8,
}

fn operands(row: &Row, inst: &MInst, machine: &mut Machine<'_>) -> Option<Operands> {
    let size = inst.size;
    let width = u16::from(size) * 8;
    let (register, other) = (inst.reg(0), inst.reg(1));
    let immediate = |machine: &mut Machine<'_>| {
        let value = i64::from(inst.imm).cast_unsigned();
        machine.terms.constant(width, value)
    };
    let mut significant = u8::MAX;
    let mut memory = |machine: &mut Machine<'_>| {
        let contents = machine.load(inst.mem(), size);
        significant = machine.significant_bits_of(&contents);
        machine.term_of(&contents)
    };
    let (first, second, is_memory) = match row.code.form {
        Form::StoreRR | Form::LoadRR => (machine.read(register, size), Some(machine.read(other, size)), false),
        Form::RM => {
            let loaded = memory(machine);
            (machine.read(register, size), Some(loaded), false)
        }
        Form::MR => (memory(machine), Some(machine.read(register, size)), true),
        Form::RI => (machine.read(register, size), Some(immediate(machine)), false),
        Form::MI => (memory(machine), Some(immediate(machine)), true),
        Form::R => (machine.read(register, size), None, false),
        Form::M => (memory(machine), None, true),
        _ => return None,
    };
    let registers: &[Reg] = match row.code.form {
        Form::StoreRR | Form::LoadRR => &[register, other],
        Form::MI | Form::M => &[],
        _ => &[register],
    };
    for &reg in registers {
        significant = significant.min(machine.significant_bits(reg));
    }
    Some(Operands {
        first,
        second,
        is_memory,
        significant,
    })
}

fn put_result(machine: &mut Machine<'_>, inst: &MInst, operands: &Operands, value: Term) {
    if operands.is_memory {
        let contents = machine.contents_of(value);
        machine.store(inst.mem(), &contents);
    } else {
        machine.write_result(inst.reg(0), inst.size, value);
    }
}

/// Puts the result of an operation each of whose bits depends on nothing but the bits of the operands up to it.
fn put_low_bits(machine: &mut Machine<'_>, inst: &MInst, operands: &Operands, value: Term) {
    put_result(machine, inst, operands, value);
    if !operands.is_memory {
        machine.limit_significance(inst.reg(0), operands.significant);
    }
}

/// Additions, subtractions, comparisons and bitwise operations, with the flags that they leave.
pub(super) fn arithmetic(op: Op, row: &Row, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    if op == Op::ZeroR {
        let zero = machine.terms.constant(u16::from(inst.size) * 8, 0);
        machine.write_result(inst.reg(0), inst.size, zero);
        bitwise_flags(machine, zero);
        return true;
    }
    if row.code.flags & (crate::ops::Code::LOCK | crate::ops::Code::FS) != 0 {
        return false;
    }
    let name = row.mnemonic.as_str();
    if !matches!(
        name,
        "add" | "sub" | "cmp" | "and" | "or" | "xor" | "test" | "not" | "neg" | "inc" | "dec" | "cmov"
    ) {
        return products(op, inst, machine)
            || name == "set" && sets(row, inst, machine)
            || op == Op::BtRI && tests_bit(row, inst, machine);
    }
    let Some(operands) = operands(row, inst, machine) else {
        return false;
    };
    let Operands { first: a, second, .. } = operands;
    let width = u16::from(inst.size) * 8;
    let b = second.unwrap_or(a);
    let minus_one = u64::MAX;
    match name {
        "add" => {
            let value = machine.terms.sum(width, 0, &[(1, a), (1, b)]);
            put_low_bits(machine, inst, &operands, value);
            sum_flags(machine, value, a, b, true);
        }
        "sub" | "cmp" => {
            let value = machine.terms.sum(width, 0, &[(1, a), (minus_one, b)]);
            if name == "sub" {
                put_low_bits(machine, inst, &operands, value);
            }
            difference_flags(machine, value, a, b, true);
        }
        "and" | "or" | "xor" | "test" => {
            let operation = match name {
                "or" => Bitwise::Or,
                "xor" => Bitwise::Xor,
                _ => Bitwise::And,
            };
            let value = machine.terms.bitwise(operation, a, b);
            if name != "test" {
                put_low_bits(machine, inst, &operands, value);
            }
            bitwise_flags(machine, value);
        }
        "not" => {
            let ones = machine.terms.constant(width, minus_one);
            let value = machine.terms.bitwise(Bitwise::Xor, a, ones);
            put_low_bits(machine, inst, &operands, value);
        }
        "neg" => {
            let value = machine.terms.sum(width, 0, &[(minus_one, a)]);
            put_low_bits(machine, inst, &operands, value);
            let zero = machine.terms.constant(width, 0);
            difference_flags(machine, value, zero, a, true);
        }
        "inc" | "dec" => {
            let one = machine.terms.constant(width, 1);
            let factor = if name == "inc" { 1 } else { minus_one };
            let value = machine.terms.sum(width, factor, &[(1, a)]);
            put_low_bits(machine, inst, &operands, value);
            match name {
                "inc" => sum_flags(machine, value, a, one, false),
                _ => difference_flags(machine, value, a, one, false),
            }
        }
        _ => {
            let condition = condition(inst.condition(), machine);
            let value = machine
                .terms
                .apply([function::SELECT, 0, 0, 0], width, &[condition, b, a]);
            put_low_bits(machine, inst, &operands, value);
        }
    }
    true
}

/// Lower halves of products.
fn products(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let size = inst.size;
    let mut significant = u8::MAX;
    let factors = match op {
        Op::ImulRR => {
            let bits = [0, 1].map(|operand| machine.significant_bits(inst.reg(operand)));
            significant = bits[0].min(bits[1]);
            [machine.read(inst.reg(0), size), machine.read(inst.reg(1), size)]
        }
        Op::ImulRM => {
            let contents = machine.load(inst.mem(), size);
            [machine.read(inst.reg(0), size), machine.term_of(&contents)]
        }
        Op::ImulRRI => {
            significant = machine
                .significant_bits(inst.reg(1))
                .saturating_add(inst.imm.trailing_zeros() as u8);
            [machine.read(inst.reg(1), size), constant(machine, inst)]
        }
        Op::ImulRMI => {
            let contents = machine.load(inst.mem(), size);
            [machine.term_of(&contents), constant(machine, inst)]
        }
        _ => return false,
    };
    let value = machine.terms.product(factors[0], factors[1]);
    machine.write_result(inst.reg(0), size, value);
    machine.limit_significance(inst.reg(0), significant);
    let key = [operation_number(inst), u32::from(size), 0, 0];
    let flags = [0, 1, 2].map(|part| machine.terms.apply([key[0], key[1], part, 1], 8, &factors));
    machine.set_flags(Some(flags[0]), Some(flags[1]), Some(flags[2]));
    true
}

/// A byte that says whether a condition holds.
fn sets(row: &Row, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let condition = condition(inst.condition(), machine);
    let value = machine.terms.zero_extend(condition, 8);
    if row.code.form == Form::M {
        let contents = machine.contents_of(value);
        machine.store(inst.mem(), &contents);
    } else {
        machine.write(inst.reg(0), 1, value);
        machine.ignore_from(inst.reg(0), 1);
    }
    true
}

/// A bit of a register becomes the carry. Of the other flags, nothing is said.
fn tests_bit(row: &Row, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let Some(operands) = operands(row, inst, machine) else {
        return false;
    };
    let width = u16::from(inst.size) * 8;
    let bit = machine.terms.part(operands.first, inst.imm as u16 & (width - 1), 1);
    let [result, overflow] = [0, 2].map(|part| {
        let old = machine.flag(part);
        let key = [u32::from(inst.op), part, 0, u32::MAX];
        machine.terms.apply(key, 8, &[operands.first, old])
    });
    machine.set_flags(Some(result), Some(bit), Some(overflow));
    true
}

/// Shifts by constants.
pub(super) fn shifts(op: Op, row: &Row, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    if !matches!(
        op,
        Op::ShlRI | Op::ShlMI | Op::ShrRI | Op::ShrMI | Op::SarRI | Op::SarMI
    ) {
        return false;
    }
    let width = u16::from(inst.size) * 8;
    let count = (inst.imm & if inst.size == 8 { 63 } else { 31 }) as u16;
    let Some(operands) = operands(row, inst, machine) else {
        return false;
    };
    let x = operands.first;
    if count == 0 {
        put_result(machine, inst, &operands, x);
        return true;
    }
    let kept = width.saturating_sub(count);
    let value = match row.mnemonic.as_str() {
        _ if kept == 0 && row.mnemonic.as_str() != "sar" => machine.terms.constant(width, 0),
        "shl" => machine.terms.sum(width, 0, &[(1 << count, x)]),
        "shr" => {
            let part = machine.terms.part(x, count, kept);
            machine.terms.zero_extend(part, width)
        }
        _ => {
            let part = machine.terms.part(x, count.min(width - 1), kept.max(1));
            machine.terms.sign_extend(part, width)
        }
    };
    put_result(machine, inst, &operands, value);
    if row.mnemonic.as_str() == "shl" && !operands.is_memory {
        machine.limit_significance(inst.reg(0), operands.significant.saturating_add(count as u8));
    }
    let number = operation_number(inst);
    let flags = [1, 2].map(|part| {
        machine
            .terms
            .apply([number, u32::from(inst.size), u32::from(count), part], 8, &[x])
    });
    machine.set_flags(Some(value), Some(flags[0]), Some(flags[1]));
    true
}

/// Setting a bit, and searching for the lowest one, which does not depend on what is above a bit that is set.
pub(super) fn single_bits(op: Op, row: &Row, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    if !matches!(
        op,
        Op::BtsRI | Op::BtsMI | Op::BsfRR | Op::BsfRM | Op::TzcntRR | Op::TzcntRM
    ) {
        return false;
    }
    let Some(operands) = operands(row, inst, machine) else {
        return false;
    };
    let width = u16::from(inst.size) * 8;
    if matches!(op, Op::BtsRI | Op::BtsMI) {
        let number = inst.imm.cast_unsigned() as u16 % width;
        let bit = machine.terms.constant(width, 1 << number);
        let value = machine.terms.bitwise(Bitwise::Or, operands.first, bit);
        let carry = machine.terms.part(operands.first, number, 1);
        put_result(machine, inst, &operands, value);
        machine.set_flags(None, Some(carry), None);
        return true;
    }
    let source = operands.second.unwrap_or(operands.first);
    let source = machine.terms.up_to_lowest_one(source);
    let key = [operation_number(inst), u32::from(inst.size)];
    let value = machine.terms.apply([key[0], key[1], 0, 2], width, &[source]);
    machine.write_result(inst.reg(0), inst.size, value);
    let flags = [0, 1, 2].map(|part| machine.terms.apply([key[0], key[1], part, 1], 8, &[source]));
    machine.set_flags(Some(flags[0]), Some(flags[1]), Some(flags[2]));
    true
}

fn bitwise_flags(machine: &mut Machine<'_>, value: Term) {
    let zero = machine.terms.constant(1, 0);
    machine.set_flags(Some(value), Some(zero), Some(zero));
}

fn sum_flags(machine: &mut Machine<'_>, value: Term, a: Term, b: Term, writes_carry: bool) {
    let (a, b) = (a.min(b), a.max(b));
    let carry = machine.terms.apply([function::CARRY, 0, 0, 0], 1, &[a, b]);
    let overflow = machine.terms.apply([function::OVERFLOW, 0, 0, 0], 1, &[a, b]);
    machine.set_flags(Some(value), writes_carry.then_some(carry), Some(overflow));
}

fn difference_flags(machine: &mut Machine<'_>, value: Term, a: Term, b: Term, writes_carry: bool) {
    // Nothing is borrowed to take zero away.
    let (carry, overflow) = if machine.terms.as_constant(b) == Some(0) {
        let zero = machine.terms.constant(1, 0);
        (zero, zero)
    } else {
        (
            machine.terms.apply([function::BORROW, 0, 0, 0], 1, &[a, b]),
            machine
                .terms
                .apply([function::SUBTRACTION_OVERFLOW, 0, 0, 0], 1, &[a, b]),
        )
    };
    machine.set_flags(Some(value), writes_carry.then_some(carry), Some(overflow));
}

/// Carry (1) or overflow (2) as one bit.
pub(super) fn bit(machine: &mut Machine<'_>, part: u32) -> Term {
    let flag = machine.flag(part);
    machine.terms.part(flag, 0, 1)
}

/// A condition as one bit.
pub(super) fn condition(code: u8, machine: &mut Machine<'_>) -> Term {
    let result = machine.flag(0);
    let width = machine.terms.width(result);
    let zero = machine.terms.is_zero(result);
    let sign = machine.terms.part(result, width - 1, 1);
    // Conditions come in pairs, the second of which is the opposite of the first.
    let holds = match Cond::from_number(code & !1) {
        Cond::O => bit(machine, 2),
        Cond::B => bit(machine, 1),
        Cond::E => zero,
        Cond::Be => {
            let carry = bit(machine, 1);
            machine.terms.bitwise(Bitwise::Or, carry, zero)
        }
        Cond::S => sign,
        Cond::P => {
            let low = machine.terms.part(result, 0, 8);
            machine.terms.apply([PARITY, 0, 0, 0], 1, &[low])
        }
        Cond::L => {
            let overflow = bit(machine, 2);
            machine.terms.bitwise(Bitwise::Xor, sign, overflow)
        }
        _ => {
            let overflow = bit(machine, 2);
            let less = machine.terms.bitwise(Bitwise::Xor, sign, overflow);
            machine.terms.bitwise(Bitwise::Or, less, zero)
        }
    };
    if code & 1 == 0 {
        return holds;
    }
    let one = machine.terms.constant(1, 1);
    machine.terms.bitwise(Bitwise::Xor, holds, one)
}
