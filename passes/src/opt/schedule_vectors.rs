//! Instructions on vectors are put into an order in which fewer values are needed at once.
//!
//! ```text
//! v4 = icmp_sgt <8 x i32> v0, v2           v4 = icmp_sgt <8 x i32> v0, v2
//! v5 = icmp_sgt <8 x i32> v1, v3           v6 = xor <8 x i32> v0, v2
//! v6 = xor <8 x i32> v0, v2          ->    v8 = select v4, v6, zero
//! v7 = xor <8 x i32> v1, v3                v5 = icmp_sgt <8 x i32> v1, v3
//! v8 = select v4, v6, zero                 v7 = xor <8 x i32> v1, v3
//! v9 = select v5, v7, zero                 v9 = select v5, v7, zero
//! ```
//!
//! Vectorizers that do several rounds of a loop at once write each step of all rounds before the next step of any.
//!
//! Method: in blocks where more registers would be needed than there are, the results that nothing between two side
//! effects reads are taken in their order, and before each what it is computed from, depth first. The new order is
//! taken if registers suffice for it, or at least far fewer are needed. Instructions with side effects stay in order,
//! and loads between the same two.
//!
//! Blocks without such need stay as they are, since processors start early what stands early.
//!
//! Costs: a walk over functions with vectors, and two over blocks with many of them. Gains: spills in unrolled loops.
//!
//! Source: the numbering of Sethi and Ullman, "The Generation of Optimal Code for Arithmetic Expressions" (1970), has
//! the same aim for trees.

use frazil_ir::edit::Editor;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{
    Block, Effects, EntityRef, Function, Inst, InstData, MemFlags, Opcode, Operand, Type, TypeData, Value,
};
use std::ops::Range;

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "schedule-vectors",
    summary: "orders instructions on vectors so that fewer registers are needed at once",
    level: Level::Function,
    required: false,
    after: &[Order {
        pass: "addr-fold",
        reason: "addresses of their own stay beside the accesses",
    }],
    before: &[],
};

/// Bits of the registers that vectors are counted in. Where they are narrower, need is found a little late.
const REGISTER_BITS: u64 = 256;

/// Where registers do not suffice in the new order either, it saves at least this share of what was needed: longer
/// chains of operations are waited for, too.
const LEAST_SHARE: u32 = 4;

/// See the head of the file.
#[derive(Debug)]
pub struct ScheduleVectors;

/// Memory that is kept from function to function.
#[derive(Default)]
struct Scratch {
    /// By value: how many uses are to come, if it is known in this round.
    uses: Vec<u32>,
    /// By value: the last round in which its uses were set.
    known_in: Vec<u32>,
    round: u32,
    /// By place in the block: whether the instruction has got its place.
    is_placed: Vec<bool>,
    /// By place in the block: whether another instruction before the next side effect reads it.
    is_read: Vec<bool>,
    /// Instructions that wait for what they are computed from, with the number of operands that were looked at.
    waiting: Vec<(u32, usize)>,
    operands: Vec<u32>,
    old_order: Vec<u32>,
    new_order: Vec<u32>,
}

impl FunctionPass for ScheduleVectors {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        if !function.has_vectors() {
            return Ok(Preserved::unchanged());
        }
        let registers = u32::from(cx.target.float_registers);
        let mut scratch: Box<Scratch> = cx.take_scratch();
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        scratch.uses.resize(function.values().len(), 0);
        scratch.known_in.clear();
        scratch.known_in.resize(function.values().len(), 0);
        scratch.round = 0;
        let mut count = 0;
        for block in function.block_ids() {
            if scratch.schedule(function, block, registers) {
                for &inst in &scratch.new_order {
                    editor.move_to_end(function, Inst::new(inst as usize), block);
                }
                count += 1;
            }
        }
        editor.commit(function);
        cx.return_scratch(editor);
        cx.return_scratch(scratch);
        cx.count("blocks", count);
        Ok(match count {
            0 => Preserved::unchanged(),
            _ => Preserved::cfg(),
        })
    }
}

impl Scratch {
    /// Finds an order that needs fewer registers; says whether it is needed and there is one.
    fn schedule(&mut self, function: &Function, block: Block, registers: u32) -> bool {
        let range = function.block_insts(block);
        let is_fixed = |data: &InstData| matches!(data.op, Opcode::Phi | Opcode::Nop) || data.op.is_terminator();
        let insts = &function.insts()[range.clone()];
        let results = insts.iter().filter_map(|data| data.first_result());
        let made: u32 = results.map(|value| registers_of(function, value)).sum();
        if made <= registers || insts.iter().any(|data| data.op == Opcode::LandingPad) {
            return false;
        }
        self.old_order.clear();
        let movable = range.clone().filter(|&index| !is_fixed(&function.insts()[index]));
        self.old_order.extend(movable.map(|index| index as u32));
        let old_order = std::mem::take(&mut self.old_order);
        let need = self.need(function, block, &old_order);
        let mut is_better = false;
        if need > registers {
            self.order(function, &range, &old_order);
            let new_order = std::mem::take(&mut self.new_order);
            let new_need = self.need(function, block, &new_order);
            is_better = new_need < need && (new_need <= registers || need - new_need >= need / LEAST_SHARE);
            self.new_order = new_order;
        }
        self.old_order = old_order;
        is_better
    }

    /// How many registers are needed at once if the instructions of a block stand in this order. What comes from other
    /// blocks is needed throughout.
    fn need(&mut self, function: &Function, block: Block, order: &[u32]) -> u32 {
        let range = function.block_insts(block);
        self.round += 1;
        let mut live = 0;
        for data in &function.insts()[range.clone()] {
            let is_phi = data.op == Opcode::Phi;
            for value in function.results(data) {
                self.uses[value.index()] = function.use_count(value);
                self.known_in[value.index()] = self.round;
                live += if is_phi { registers_of(function, value) } else { 0 };
            }
        }
        for &index in order {
            function.for_each_operand(&function.insts()[index as usize], |operand| {
                if let Some(value) = operand.as_value()
                    && self.known_in[value.index()] != self.round
                {
                    self.known_in[value.index()] = self.round;
                    // More than there are here: it does not end.
                    self.uses[value.index()] = u32::MAX;
                    live += registers_of(function, value);
                }
            });
        }
        let mut most = live;
        for &index in order {
            let data = &function.insts()[index as usize];
            function.for_each_operand(data, |operand| {
                if let Some(value) = operand.as_value() {
                    let left = &mut self.uses[value.index()];
                    *left -= 1;
                    if *left == 0 {
                        live -= registers_of(function, value);
                    }
                }
            });
            for value in function.results(data).filter(|&value| function.use_count(value) > 0) {
                live += registers_of(function, value);
            }
            most = most.max(live);
        }
        most
    }

    /// The order by results.
    fn order(&mut self, function: &Function, range: &Range<usize>, old_order: &[u32]) {
        self.new_order.clear();
        self.is_placed.clear();
        self.is_placed.resize(range.len(), false);
        self.is_read.clear();
        self.is_read.resize(range.len(), false);
        for part in old_order.chunk_by(|&index, _| !is_effect(&function.insts()[index as usize])) {
            let first = part[0] as usize;
            for &index in part {
                for_each_producer(function, first..index as usize, index, |producer| {
                    self.is_read[producer as usize - range.start] = true;
                });
            }
            for &index in part {
                if !self.is_read[index as usize - range.start] {
                    self.place(function, range.start, first, index);
                }
            }
        }
    }

    /// Gives an instruction its place, and before it all from `first` on that it is computed from.
    fn place(&mut self, function: &Function, start: usize, first: usize, root: u32) {
        self.waiting.push((root, 0));
        while let Some((index, done)) = self.waiting.pop() {
            if self.is_placed[index as usize - start] {
                continue;
            }
            self.operands.clear();
            let operands = &mut self.operands;
            for_each_producer(function, first..index as usize, index, |producer| {
                operands.push(producer)
            });
            match self.operands.get(done) {
                Some(&producer) => {
                    self.waiting.push((index, done + 1));
                    self.waiting.push((producer, 0));
                }
                None => {
                    self.is_placed[index as usize - start] = true;
                    self.new_order.push(index);
                }
            }
        }
    }
}

/// Calls `visit` with the instructions in a range that an instruction's operands are results of.
fn for_each_producer(function: &Function, range: Range<usize>, index: u32, mut visit: impl FnMut(u32)) {
    function.for_each_operand(&function.insts()[index as usize], |operand: Operand| {
        let inst = operand.as_value().and_then(|value| function.def_inst(value));
        if let Some(inst) = inst.filter(|inst| range.contains(&inst.index())) {
            visit(inst.index() as u32);
        }
    });
}

/// Whether loads and other effects have to stay on their side of an instruction.
fn is_effect(data: &InstData) -> bool {
    match data.op.effects() {
        Effects::Pure | Effects::Trap => false,
        Effects::Read => MemFlags(data.flags).is_volatile(),
        Effects::Control | Effects::Write | Effects::Hook | Effects::Any => true,
    }
}

/// How many registers for floating-point numbers and vectors a value takes.
fn registers_of(function: &Function, value: Value) -> u32 {
    let ty = function.value(value).ty;
    match function.types().data(ty) {
        TypeData::Vector { .. } => function.types().bits(ty, 64).div_ceil(REGISTER_BITS) as u32,
        _ => u32::from(matches!(ty, Type::F32 | Type::F64)),
    }
}
