//! Rules about form: ranges, blocks, results, phis, landing pads, use counts.
//!
//! [`Verifier::structure`] comes first and reads nothing unchecked; everything later may index freely.

use super::Verifier;
use crate::constant::ConstKind;
use crate::entities::{Block, Inst, Value};
use crate::function::{Function, InstData, ValueKind};
use crate::opcode::{Format, Opcode, Results};
use crate::operand::{Operand, OperandKind};
use crate::runtime::RuntimeFunction;
use crate::types::Type;
use frazil_support::EntityRef;

impl Verifier<'_> {
    /// Everything that indexing relies on.
    pub(super) fn structure(&mut self) {
        let function = self.function;
        self.value_table();
        self.slot_table();
        self.constant_table();
        self.block_table();
        if !self.errors.is_empty() {
            return;
        }
        for block in function.block_ids() {
            self.block = Some(block);
            for position in function.block_insts(block) {
                self.inst = Some(Inst::new(position));
                self.inst_form(&function.insts[position], position);
                if self.too_many() {
                    return;
                }
            }
        }
        (self.block, self.inst) = (None, None);
    }

    fn value_table(&mut self) {
        let function = self.function;
        let params = &function.signature.params;
        if function.values.len() < params.len() {
            return self.error("there are fewer values than parameters");
        }
        for (index, value) in function.values.iter().enumerate() {
            let is_param = value.kind == ValueKind::Param;
            let def = value.def as usize;
            if is_param != (index < params.len()) || (is_param && def != index) {
                return self.error(format!(
                    "v{index} is numbered as a parameter or is none, against the signature"
                ));
            }
            if is_param && params[index].ty != value.ty {
                self.error(format!("parameter v{index} has another type than the signature says"));
            }
            let defines = match value.kind {
                ValueKind::Param | ValueKind::Forward => true,
                ValueKind::Slot => function
                    .slots
                    .get(def)
                    .is_some_and(|slot| slot.address.index() == index),
                ValueKind::Inst => function.insts.get(def).is_some_and(|data| {
                    data.first_result()
                        .map(|first| first.index() + usize::from(value.result_index))
                        == Some(index)
                }),
            };
            if !defines {
                self.error(format!("v{index} is not defined where it says"));
            }
            let type_is_known = value.ty.index() < usize::from(Type::FIRST_EXTRA) + function.types.extra_len();
            if !type_is_known {
                self.error(format!("v{index} has a type that does not exist"));
            }
        }
    }

    fn slot_table(&mut self) {
        for (index, slot) in self.function.slots.iter().enumerate() {
            let value = self.function.values.get(slot.address.index());
            let fits = value.is_some_and(|value| {
                value.kind == ValueKind::Slot && value.def as usize == index && value.ty == Type::PTR
            });
            if !fits || slot.align_log2 > 31 {
                self.error(format!(
                    "slot {index} has no address value of its own, or an alignment above 2^31"
                ));
            }
        }
    }

    fn constant_table(&mut self) {
        let function = self.function;
        for (index, data) in function.consts.iter().enumerate() {
            let end = data.start as usize + data.len as usize;
            let fits = match data.kind {
                ConstKind::Vector => end <= function.pool.len(),
                ConstKind::Asm => (data.start as usize) < function.asms.len(),
                ConstKind::Symbol | ConstKind::BlockAddress => end <= function.const_words.len() && data.len == 2,
                _ => end <= function.const_words.len(),
            };
            let type_is_known = data.ty.index() < usize::from(Type::FIRST_EXTRA) + function.types.extra_len();
            if !fits || !type_is_known {
                self.error(format!("constant {index} has a payload or type that does not exist"));
            }
        }
    }

    fn block_table(&mut self) {
        let function = self.function;
        if function.blocks.is_empty() {
            return self.error("there are no blocks");
        }
        let mut next = 0;
        for (index, block) in function.blocks.iter().enumerate() {
            self.block = Some(Block::new(index));
            let in_range = block.start == next && block.end > block.start && block.end as usize <= function.insts.len();
            if !in_range {
                self.error("the block is empty or does not follow the one before");
                break;
            }
            next = block.end;
        }
        self.block = None;
        if self.errors.is_empty() && next as usize != function.insts.len() {
            self.error("there are instructions after the last block");
        }
    }

    /// Pool ranges, operands, targets and results of an instruction.
    fn inst_form(&mut self, data: &InstData, position: usize) {
        let is_last = self
            .block
            .is_some_and(|block| self.function.terminator(block).index() == position);
        if data.op.is_terminator() != is_last {
            self.error("a block ends with its only terminator");
        }
        if data.ty.index() >= usize::from(Type::FIRST_EXTRA) + self.function.types.extra_len() {
            return self.error("the type does not exist");
        }
        if !pool_is_in_range(self.function, data) {
            return self.error("the operand list lies outside of the pool");
        }
        let mut operands_exist = true;
        self.function
            .for_each_operand(data, |operand| operands_exist &= self.exists(operand));
        if data.op.format() == Format::Switch {
            let (_, cases) = self.function.switch(data);
            operands_exist &= cases.chunks_exact(2).all(|pair| self.exists(pair[0]));
        }
        if !operands_exist {
            return self.error("an operand names nothing");
        }
        let mut targets_exist = true;
        let blocks = self.function.blocks.len();
        self.function
            .for_each_target(data, |target| targets_exist &= target.index() < blocks);
        if !targets_exist {
            return self.error("a target is no block");
        }
        self.results_form(data, position);
    }

    fn exists(&self, operand: Operand) -> bool {
        if operand.is_none() {
            return false;
        }
        match operand.kind() {
            OperandKind::Value(value) => value.index() < self.function.values.len(),
            OperandKind::Imm(_) => true,
            OperandKind::Const(id) => id.index() < self.function.consts.len(),
            OperandKind::Symbol(symbol) => {
                symbol.index() < self.module.symbols.len()
                    || RuntimeFunction::from_symbol(symbol, self.module.symbols.len()).is_some()
            }
        }
    }

    fn results_form(&mut self, data: &InstData, position: usize) {
        let count = match data.op.results() {
            Results::None => 0,
            _ => self.function.result_count(data),
        };
        let Some(first) = data.first_result() else {
            return self.check(count == 0, "the results are missing");
        };
        let values = self.function.values.get(first.index()..first.index() + count);
        let all_point_back = values.is_some_and(|values| {
            values.iter().enumerate().all(|(index, value)| {
                value.kind == ValueKind::Inst
                    && value.def as usize == position
                    && usize::from(value.result_index) == index
            })
        });
        self.check(
            count > 0 && all_point_back,
            "the results are not this instruction's consecutive values",
        );
    }

    /// Rules about predecessors: entry, phis, landing pads. The graph is computed.
    pub(super) fn graph(&mut self) {
        let function = self.function;
        let entry_is_free = self.cfg.predecessors(Block::new(0)).is_empty();
        self.check(entry_is_free, "the entry block has a predecessor");
        for block in function.block_ids() {
            self.block = Some(block);
            let columns = self.cfg.predecessors(block).len();
            let is_pad = self.is_unwind_target(block);
            // What nothing leads to may have been a landing pad's block.
            let is_dead = columns == 0 && block.index() != 0;
            let mut before = Some(Opcode::Phi);
            for position in function.block_insts(block) {
                self.inst = Some(Inst::new(position));
                let data = &function.insts[position];
                if data.op == Opcode::Phi {
                    self.check(before == Some(Opcode::Phi), "phis come first in a block");
                    let operands = data.a.as_raw() as usize;
                    self.check(operands == columns, "a phi has one operand for each predecessor");
                }
                let is_first = before == Some(Opcode::Phi) && data.op != Opcode::Phi;
                if data.op == Opcode::LandingPad {
                    self.check(
                        (is_pad || is_dead) && is_first,
                        "a landing pad begins the unwind target of an invoke",
                    );
                } else if is_pad && is_first {
                    self.error("the unwind target of an invoke begins with a landing pad");
                }
                before = Some(data.op);
            }
        }
        (self.block, self.inst) = (None, None);
    }

    fn is_unwind_target(&self, block: Block) -> bool {
        self.cfg.predecessors(block).iter().any(|&from| {
            let data = self.function.inst(self.function.terminator(from));
            data.op == Opcode::Invoke && self.function.invoke_targets(data).1 == block
        })
    }

    /// Counts uses anew.
    pub(super) fn use_counts(&mut self) {
        let mut counts = vec![0u32; self.function.values.len()];
        for data in &self.function.insts {
            self.function.for_each_operand(data, |operand| {
                if let Some(value) = operand.as_value() {
                    counts[value.index()] += 1;
                }
            });
        }
        for (index, &count) in counts.iter().enumerate() {
            let recorded = self.function.values[index].uses;
            if recorded != count {
                self.error(format!(
                    "{:?} has {count} uses, but {recorded} are recorded",
                    Value::new(index)
                ));
            }
            if count > 0 && self.function.values[index].kind == ValueKind::Forward {
                self.error(format!("{:?} is used but not defined", Value::new(index)));
            }
        }
    }
}

/// Whether the words after an instruction lie in the pool.
fn pool_is_in_range(function: &Function, data: &InstData) -> bool {
    let pool = &function.pool;
    let start = data.b.as_raw() as usize;
    let word = |index: usize| pool.get(start + index).map(|word| word.as_raw() as usize);
    let fits = |length: usize| start.checked_add(length).is_some_and(|end| end <= pool.len());
    match data.op.format() {
        Format::Ternary => fits(2),
        Format::List | Format::Phi => fits(data.a.as_raw() as usize),
        Format::Switch => fits(2) && word(0).is_some_and(|count| fits(2 + 2 * count)),
        Format::Call | Format::Invoke => {
            let head = if data.op == Opcode::Invoke { 4 } else { 2 };
            fits(head)
                && word(0).is_some_and(|count| fits(head + count))
                && word(1).is_some_and(|sig| sig < function.sigs.len())
        }
        Format::IndirectJump => word(0).is_some_and(|count| fits(1 + count)),
        Format::LandingPad => word(0).is_some_and(|count| fits(1 + count)) && clauses_are_whole(function, data),
        Format::Nullary | Format::Unary | Format::Binary | Format::Jump | Format::Branch => true,
    }
}

fn clauses_are_whole(function: &Function, data: &InstData) -> bool {
    let mut words = function.landing_pad_clauses(data);
    while let Some((header, rest)) = words.split_first() {
        let count = (header.as_raw() >> 2) as usize;
        if header.as_raw() & 2 != 0 || count > rest.len() {
            return false;
        }
        words = &rest[count..];
    }
    true
}
