//! Numbers of rounds of loops, from a variable of the loop: what is added in each round is multiplied where the loop is
//! left, and the loop itself adds nothing.
//!
//! ```text
//! b1:                                              b1:
//!   v1 = phi i64 [b0: 0, b1: v2]                     v1 = phi i64 [b0: 0, b1: v2]
//!   v8 = load i64 @total                             v2 = add i64 v1, 1
//!   v9 = add i64 v8, 6                        ->     v3 = icmp_eq i64 v2, v0
//!   store i64 v9, @total                             branch v3, b2, b1
//!   v2 = add i64 v1, 1                             b2:
//!   v3 = icmp_eq i64 v2, v0                          v4 = mul i64 v2, 6
//!   branch v3, b2, b1                                v8 = load i64 @total
//! b2:                                                v9 = add i64 v8, v4
//!   return                                           store i64 v9, @total
//!                                                    return
//! ```
//!
//! The variable is an integer of 64 bits, or a narrower one that does not wrap, or a pointer. Its distance from where
//! it began is computed in its own width and taken without sign, so it is right for as many steps as that width has
//! values: what does not wrap takes no more of them.

use super::carry::Carrier;
use super::course::{Course, Sum};
use super::pay;
use frazil_ir::{Block, Inst, InstData, IntFlags, Opcode, Operand, Type, TypeData, Value};
use frazil_passes::constants::int_value;

/// A variable to which each round adds a constant.
#[derive(Clone, Copy, Debug)]
struct Variable {
    /// Its value in a round.
    phi: Value,
    /// That of the next one, and where it is computed.
    next: Value,
    next_at: Inst,
    first: Operand,
    ty: Type,
    step: i128,
}

impl Carrier<'_, '_> {
    /// Adds what all rounds have added where the loop is left, if their number can be known there.
    pub(super) fn by_rounds(&mut self, course: &Course, cell: u32, ty: Type) -> bool {
        let loops = self.input.loops;
        let header = loops.data(course.id).header;
        let latches = self.function.predecessors(header).iter().copied();
        let latches: Vec<Block> = latches.filter(|&block| loops.contains(course.id, block)).collect();
        let Some(amount) = course
            .amount_of_rounds(latches.iter().copied())
            .filter(|_| ty == Type::I64)
        else {
            return false;
        };
        let Some(variable) = self.variable(header, &latches, amount) else {
            return false;
        };
        let exits: Vec<(Block, Block)> = loops.exits(self.function.cfg(), course.id).collect();
        for (from, to) in exits {
            let Some(&Sum { phi, amount: more }) = course.ends.get(&from) else {
                continue;
            };
            debug_assert_eq!(phi, Some(0));
            let is_stepped = self
                .input
                .dominators
                .dominates(self.function.block_of(variable.next_at), from);
            let (value, rest) = match is_stepped {
                true => (variable.next, more.wrapping_sub(amount)),
                false => (variable.phi, more),
            };
            let product = self.product((from, to), &variable, value, amount);
            let payments = self.emission.on_edge(self.function, self.editor, from, to);
            pay(payments, cell, rest, Some(product));
        }
        true
    }

    /// A variable of a loop by which rounds can be counted that add an amount.
    fn variable(&self, header: Block, latches: &[Block], amount: i128) -> Option<Variable> {
        let f = &*self.function;
        let phis = f.block_insts(header).map(|position| &f.insts()[position]);
        let mut phis = phis.take_while(|data| matches!(data.op, Opcode::Phi | Opcode::Nop));
        phis.find_map(|data| {
            self.variable_of(header, latches, data)
                .filter(|found| is_usable(found, amount))
        })
    }

    fn variable_of(&self, header: Block, latches: &[Block], data: &InstData) -> Option<Variable> {
        let f = &*self.function;
        let phi = data.first_result().filter(|_| data.op == Opcode::Phi)?;
        let (mut first, mut next) = (None, None);
        for (&operand, from) in f.list(data).iter().zip(f.predecessors(header)) {
            let known = match latches.contains(from) {
                true => &mut next,
                false => &mut first,
            };
            if *known.get_or_insert(operand) != operand {
                return None;
            }
        }
        let (first, next) = (first?, next?.as_value()?);
        let next_at = f.def_inst(next)?;
        let sum = f.inst(next_at);
        let is_step = matches!(sum.op, Opcode::Add | Opcode::PtrAdd) && sum.a == Operand::value(phi);
        let step = int_value(f, sum.b).filter(|&step| is_step && step != 0)?;
        let flags = IntFlags::from_bits_retain(sum.flags);
        let never_wraps = match f.types().data(data.ty) {
            TypeData::Int(64) => true,
            TypeData::Ptr(0) => self.input.pointer_bits == 64,
            TypeData::Int(8 | 16 | 32) => flags.contains(IntFlags::NSW) || (flags.contains(IntFlags::NUW) && step > 0),
            _ => false,
        };
        if !never_wraps {
            return None;
        }
        Some(Variable {
            phi,
            next,
            next_at,
            first,
            ty: data.ty,
            step,
        })
    }

    /// What the rounds have added up to that a value of the variable tells, on an edge out of the loop.
    fn product(&mut self, edge: (Block, Block), variable: &Variable, value: Value, amount: i128) -> Operand {
        let ty = match variable.ty {
            Type::PTR => Type::I64,
            other => other,
        };
        let value = self.as_number(edge, Operand::value(value), variable.ty);
        let first = self.as_number(edge, variable.first, variable.ty);
        let mut distance = value;
        if int_value(self.function, first) != Some(0) || variable.step < 0 {
            let (from, to) = if variable.step > 0 {
                (first, value)
            } else {
                (value, first)
            };
            distance = self.at_exit(edge, InstData::new(Opcode::Sub, ty, 0, to, from));
        }
        if ty != Type::I64 {
            distance = self.at_exit(edge, InstData::new(Opcode::Zext, Type::I64, 0, distance, Operand::NONE));
        }
        let step = variable.step.abs();
        let mut factor = amount / step;
        if amount % step != 0 {
            let bits = self.function.int_operand(Type::I64, i128::from(step.trailing_zeros()));
            distance = self.at_exit(edge, InstData::new(Opcode::Lshr, Type::I64, 0, distance, bits));
            factor = amount;
        }
        let factor = self.function.int_operand(Type::I64, factor);
        match int_value(self.function, factor) {
            Some(1) => distance,
            _ => self.at_exit(edge, InstData::new(Opcode::Mul, Type::I64, 0, distance, factor)),
        }
    }

    fn as_number(&mut self, edge: (Block, Block), operand: Operand, ty: Type) -> Operand {
        match ty {
            Type::PTR => self.at_exit(
                edge,
                InstData::new(Opcode::Ptrtoint, Type::I64, 0, operand, Operand::NONE),
            ),
            _ => operand,
        }
    }

    /// Computes something on an edge out of a loop, before what is paid there.
    fn at_exit(&mut self, (from, to): (Block, Block), data: InstData) -> Operand {
        let ty = Some(data.ty);
        let value = match self.function.predecessors(to).len() {
            1 => self.editor.insert_after_phis(self.function, to, data, ty),
            _ => {
                let block = self.emission.block_on_edge(self.function, self.editor, from, to);
                self.editor.insert_at_end(self.function, block, data, ty)
            }
        };
        Operand::value(value.expect("it has a result"))
    }
}

/// Whether the rounds can be told without a division.
fn is_usable(variable: &Variable, amount: i128) -> bool {
    amount % variable.step == 0 || variable.step.unsigned_abs().is_power_of_two()
}
