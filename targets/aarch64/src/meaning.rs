//! What instructions mean, for the validator of machine passes (Arm ARM, C6.2 and the pseudocode of `AddWithCarry`).
//!
//! Sums, differences and masks are carried out, with the flags that their forms leave, since passes join comparisons
//! with them; all other rows are functions of their operands. What reads flags does so by its condition.
//!
//! The carry of a difference says that nothing was borrowed.

use crate::cond::Cond;
use crate::ops::aux;
use crate::peephole::{condition, op_of};
use crate::regs::XZR;
use crate::table::{OP_DESCS, Op, ROWS};
use frazil_codegen::check::translation::{Bitwise, Contents, FunctionKey, Machine, Meaning, Term, function};
use frazil_codegen::{MInst, Mem, Reg};

/// The meanings of AArch64's rows.
#[derive(Clone, Copy, Debug)]
pub struct AArch64Meaning;

/// The first number of functions of which no row is the name: operands that are shifted or extended.
const CHANGED: u32 = 1 << 31;

/// The bits of `imm` that say how an extended operand is extended ([`crate::ops::Form::RrrExtend`]).
const EXTENSION_SHIFT: u32 = 3;

impl Meaning for AArch64Meaning {
    fn execute(&self, inst: &MInst, machine: &mut Machine<'_>) -> bool {
        let Some(op) = op_of(inst) else { return false };
        match Arithmetic::of(op) {
            Some(row) => row.execute(inst, machine),
            None => return access(op, inst, machine),
        }
        true
    }

    fn condition(&self, inst: &MInst, machine: &mut Machine<'_>) -> Option<Term> {
        condition(inst).map(|condition| holds(condition, machine))
    }

    fn operand_bytes(&self, inst: &MInst, operand: usize) -> Option<u8> {
        op_of(inst)?;
        Some(OP_DESCS[usize::from(inst.op)].operand_bytes(operand, inst.size))
    }

    fn memory_bytes(&self, inst: &MInst) -> Option<u8> {
        let code = &ROWS[op_of(inst)? as usize].code;
        // Of a symbol operand, too: entries of tables of addresses are loaded.
        let has_operand = code.form.has_mem() || code.form.has_symbol();
        has_operand.then(|| code.access_bytes(inst.size))
    }

    fn function(&self, inst: &MInst) -> FunctionKey {
        let form = op_of(inst).map(|op| ROWS[op as usize].code.form);
        // An address is an operand, and so is a condition.
        let is_address = form.is_some_and(|form| form.has_mem() || form.has_base());
        let disp = if is_address { 0 } else { inst.disp.cast_unsigned() };
        let aux = if condition(inst).is_some() { 0 } else { inst.aux };
        [
            u32::from(inst.op) | u32::from(inst.size) << 16 | u32::from(aux) << 24,
            inst.imm.cast_unsigned(),
            disp,
            0,
        ]
    }

    fn knows_lanes(&self) -> bool {
        false
    }

    fn keeps_flags(&self, _: &MInst) -> bool {
        false
    }
}

/// Plain loads and stores, which move bits to and from spill slots, too; those of pairs are two of them.
fn access(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let (reg, size) = (inst.reg(0), inst.size);
    if inst.aux & aux::LOW != 0 {
        return false;
    }
    let is_float = matches!(op, Op::LdrF | Op::LdpF);
    match op {
        Op::Ldr | Op::LdrF => {
            let contents = machine.load(inst.mem(), size);
            put_loaded(is_float, reg, (inst.mem(), size), &contents, machine);
        }
        Op::Ldp | Op::LdpF => {
            let places = pair_places(inst);
            // The first register may be the base.
            let both = places.map(|(_, mem)| machine.load(mem, size));
            for ((reg, mem), contents) in places.into_iter().zip(&both) {
                put_loaded(is_float, reg, (mem, size), contents, machine);
            }
        }
        Op::Str | Op::StrF => store(reg, (inst.mem(), size), machine),
        Op::Stp | Op::StpF => {
            for (reg, mem) in pair_places(inst) {
                store(reg, (mem, size), machine);
            }
        }
        _ => return false,
    }
    true
}

/// The registers of an access of a pair, and where they are in memory.
fn pair_places(inst: &MInst) -> [(Reg, Mem); 2] {
    let place = |distance| Mem::base(inst.reg(1), inst.disp + distance);
    [(inst.reg(0), place(0)), (inst.reg(2), place(i32::from(inst.size)))]
}

/// Writes what was loaded from some bytes of memory. What is above it in a general register is zero, but nobody may
/// count on that where less than a register was spilled.
fn put_loaded(is_float: bool, reg: Reg, (mem, size): (Mem, u8), contents: &Contents, machine: &mut Machine<'_>) {
    machine.put(reg, contents);
    if !is_float && size < 8 {
        let value = machine.term_of(contents);
        let value = machine.terms.zero_extend(value, 64);
        machine.write(reg, 8, value);
    }
    if is_float || machine.is_slot(mem) {
        machine.ignore_from(reg, size);
    }
}

fn store(reg: Reg, (mem, size): (Mem, u8), machine: &mut Machine<'_>) {
    let contents = match reg == XZR {
        true => {
            let zero = machine.terms.constant(u16::from(size) * 8, 0);
            machine.contents_of(zero)
        }
        false => machine.contents(reg, size),
    };
    machine.store(mem, &contents);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Sum,
    Difference,
    And,
    AndNot,
}

/// Where the second operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Second {
    Shifted,
    Extended,
    Immediate,
    Mask,
}

/// A row that is carried out.
#[derive(Clone, Copy, Debug)]
struct Arithmetic {
    operation: Operation,
    second: Second,
    has_result: bool,
    leaves_flags: bool,
}

impl Arithmetic {
    fn of(op: Op) -> Option<Arithmetic> {
        use Operation::{And, AndNot, Difference, Sum};
        use Second::{Extended, Immediate, Mask, Shifted};
        let (operation, second, has_result, leaves_flags) = match op {
            Op::Add => (Sum, Shifted, true, false),
            Op::Adds => (Sum, Shifted, true, true),
            Op::Cmn => (Sum, Shifted, false, true),
            Op::Sub => (Difference, Shifted, true, false),
            Op::Subs => (Difference, Shifted, true, true),
            Op::Cmp => (Difference, Shifted, false, true),
            Op::And => (And, Shifted, true, false),
            Op::Ands => (And, Shifted, true, true),
            Op::Tst => (And, Shifted, false, true),
            Op::Bic => (AndNot, Shifted, true, false),
            Op::Bics => (AndNot, Shifted, true, true),
            Op::AddExt => (Sum, Extended, true, false),
            Op::AddsExt => (Sum, Extended, true, true),
            Op::CmnExt => (Sum, Extended, false, true),
            Op::SubExt => (Difference, Extended, true, false),
            Op::SubsExt => (Difference, Extended, true, true),
            Op::CmpExt => (Difference, Extended, false, true),
            Op::AddI => (Sum, Immediate, true, false),
            Op::AddsI => (Sum, Immediate, true, true),
            Op::CmnI => (Sum, Immediate, false, true),
            Op::SubI => (Difference, Immediate, true, false),
            Op::SubsI => (Difference, Immediate, true, true),
            Op::CmpI => (Difference, Immediate, false, true),
            Op::AndI => (And, Mask, true, false),
            Op::AndsI => (And, Mask, true, true),
            Op::TstI => (And, Mask, false, true),
            _ => return None,
        };
        Some(Arithmetic {
            operation,
            second,
            has_result,
            leaves_flags,
        })
    }

    fn execute(self, inst: &MInst, machine: &mut Machine<'_>) {
        let width = u16::from(inst.size) * 8;
        let first = usize::from(self.has_result);
        let a = read(machine, inst.reg(first), inst.size);
        let b = self.second_operand(inst, first + 1, machine);
        let value = match self.operation {
            Operation::Sum => machine.terms.sum(width, 0, &[(1, a), (1, b)]),
            Operation::Difference => machine.terms.sum(width, 0, &[(1, a), (u64::MAX, b)]),
            Operation::And => machine.terms.bitwise(Bitwise::And, a, b),
            Operation::AndNot => {
                let ones = machine.terms.constant(width, u64::MAX);
                let inverse = machine.terms.bitwise(Bitwise::Xor, b, ones);
                machine.terms.bitwise(Bitwise::And, a, inverse)
            }
        };
        if self.has_result && inst.reg(0) != XZR {
            let significant = self.significant_bits(inst, machine);
            machine.write_result(inst.reg(0), inst.size, value);
            machine.limit_significance(inst.reg(0), significant);
        }
        if self.leaves_flags {
            self.set_flags(machine, value, a, b);
        }
    }

    fn second_operand(self, inst: &MInst, slot: usize, machine: &mut Machine<'_>) -> Term {
        let width = u16::from(inst.size) * 8;
        let imm = inst.imm.cast_unsigned();
        match self.second {
            Second::Immediate => machine.terms.constant(width, imm.into()),
            Second::Mask => {
                let mask = u64::from(inst.disp.cast_unsigned()) << 32 | u64::from(imm);
                machine.terms.constant(width, mask)
            }
            Second::Shifted => {
                let b = read(machine, inst.reg(slot), inst.size);
                match imm {
                    0 => b,
                    imm => machine.terms.apply([CHANGED, imm, 0, 0], width, &[b]),
                }
            }
            Second::Extended => {
                let bytes = (1 << (imm >> EXTENSION_SHIFT & 3)).min(inst.size);
                let b = read(machine, inst.reg(slot), bytes);
                machine.terms.apply([CHANGED, imm, 1, 0], width, &[b])
            }
        }
    }

    /// How many low bits of the result those of the operands decide: each bit of it depends on none above it, unless
    /// the second operand is shifted right or extended.
    fn significant_bits(self, inst: &MInst, machine: &mut Machine<'_>) -> u8 {
        let of_first = machine.significant_bits(inst.reg(1));
        match self.second {
            Second::Shifted if inst.imm == 0 && inst.reg(2) != XZR => {
                of_first.min(machine.significant_bits(inst.reg(2)))
            }
            _ => of_first,
        }
    }

    fn set_flags(self, machine: &mut Machine<'_>, value: Term, a: Term, b: Term) {
        let (zero, one) = (machine.terms.constant(1, 0), machine.terms.constant(1, 1));
        let is_zero = machine.terms.as_constant(b) == Some(0);
        let terms = &mut machine.terms;
        let (carry, overflow) = match self.operation {
            Operation::And | Operation::AndNot => (zero, zero),
            Operation::Difference if is_zero => (one, zero),
            Operation::Difference => {
                let borrow = terms.apply([function::BORROW, 0, 0, 0], 1, &[a, b]);
                let overflow = terms.apply([function::SUBTRACTION_OVERFLOW, 0, 0, 0], 1, &[a, b]);
                (terms.bitwise(Bitwise::Xor, borrow, one), overflow)
            }
            Operation::Sum => {
                let (a, b) = (a.min(b), a.max(b));
                let carry = terms.apply([function::CARRY, 0, 0, 0], 1, &[a, b]);
                (carry, terms.apply([function::OVERFLOW, 0, 0, 0], 1, &[a, b]))
            }
        };
        machine.set_flags(Some(value), Some(carry), Some(overflow));
    }
}

fn read(machine: &mut Machine<'_>, reg: Reg, bytes: u8) -> Term {
    match reg == XZR {
        true => machine.terms.constant(u16::from(bytes) * 8, 0),
        false => machine.read(reg, bytes),
    }
}

/// A condition as one bit (Arm ARM, `ConditionHolds`).
fn holds(condition: Cond, machine: &mut Machine<'_>) -> Term {
    let result = machine.flag(0);
    let width = machine.terms.width(result);
    let zero = machine.terms.is_zero(result);
    let sign = machine.terms.part(result, width - 1, 1);
    let [carry, overflow] = [1, 2].map(|part| {
        let flag = machine.flag(part);
        machine.terms.part(flag, 0, 1)
    });
    let terms = &mut machine.terms;
    let one = terms.constant(1, 1);
    let less = terms.bitwise(Bitwise::Xor, sign, overflow);
    // Conditions come in pairs, the second of which is the opposite of the first.
    let (term, is_opposite) = match condition {
        Cond::Eq | Cond::Ne => (zero, condition == Cond::Ne),
        Cond::Hs | Cond::Lo => (carry, condition == Cond::Lo),
        Cond::Mi | Cond::Pl => (sign, condition == Cond::Pl),
        Cond::Vs | Cond::Vc => (overflow, condition == Cond::Vc),
        Cond::Hi | Cond::Ls => {
            let borrow = terms.bitwise(Bitwise::Xor, carry, one);
            (terms.bitwise(Bitwise::Or, borrow, zero), condition == Cond::Hi)
        }
        Cond::Ge | Cond::Lt => (less, condition == Cond::Ge),
        Cond::Gt | Cond::Le => (terms.bitwise(Bitwise::Or, less, zero), condition == Cond::Gt),
        Cond::Al | Cond::Nv => (one, false),
    };
    match is_opposite {
        true => terms.bitwise(Bitwise::Xor, term, one),
        false => term,
    }
}
