//! Makes branches of selects in inner loops that would wait long for a condition.
//!
//! ```text
//! b1:                                          b1:
//!   v2 = phi i64 [b0: 0, b1: v7]                 v2 = phi i64 [b0: 0, b3: v7]
//!   v3 = ptr_index v0, v2, 4                     v3 = ptr_index v0, v2, 4
//!   v4 = load i32 v3                             v4 = load i32 v3
//!   v5 = icmp_slt i32 v1, v4                     v5 = icmp_slt i32 v1, v4
//!   v6 = add i64 v2, 2                           v8 = freeze i1 v5
//!   v7 = select i64 v5, v6, v2           ->      branch v8, b2, b3
//!   ...                                        b2:
//!                                                v6 = add i64 v2, 2
//!                                                jump b3
//!                                              b3:
//!                                                v7 = phi i64 [b1: v2, b2: v6]
//!                                                ...
//! ```
//!
//! A conditional move waits for its condition and for both of its operands, so in a loop that carries its result to the
//! next round, every load that leads to the condition is waited for. A processor predicts a branch and goes on with one
//! of the operands; a wrong prediction costs about as much as three or four loads. So a branch is better if the
//! condition comes late, and the result is what the loop waits for. Outside of inner loops, nothing repeats.
//!
//! Method: for each inner loop, two walks over its instructions, as two rounds of the loop would execute them, find
//! when each value is there ([`Times`]): once as it is, and once as if every select of integers or pointers, and every
//! minimum and maximum, were a branch, which gives the result before the condition. If the second round then ends
//! clearly earlier, each select whose condition comes later than its operands by a quarter of a misprediction becomes
//! a branch. Selects with the same condition become one. What only one operand needs is computed on its side alone.
//!
//! The branch is on a frozen condition: a select may have a poisoned one that does not matter, a branch may not. What a
//! minimum compares is frozen, since it counts twice then.
//!
//! Costs: a look at the instructions of inner loops, two walks over those with selects. Gains: up to half of the run
//! time of sorting, searching and dynamic programming. Nothing on targets that do not say what a misprediction costs.
//!
//! Source: LLVM's `X86CmovConversion`, for the thresholds and the weights of the operands (three to one).

use frazil_ir::edit::Editor;
use frazil_ir::loops::LoopTree;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{Block, Effects, EntityRef, Format, Function, Inst, InstData, Opcode, Operand, Type, TypeData};
use frazil_support::EpochMap;

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "select-to-branch",
    summary: "makes branches of selects in inner loops that would wait long for a condition",
    level: Level::Function,
    required: false,
    after: &[Order {
        pass: "simplify-cfg",
        reason: "it makes selects of branches without regard to how long their conditions take",
    }],
    before: &[Order {
        pass: "cmp-sink",
        reason: "it brings comparisons to the branches",
    }],
};

/// The rounds of a loop that are looked at: the second one has what the first one carries.
const ROUNDS: usize = 2;
/// A round must become shorter by so many cycles, and by this part of itself.
const LEAST_GAIN_CYCLES: u32 = 4;
const LEAST_GAIN_PART: u32 = 8;
/// A condition must come later than the operands by this part of a misprediction.
const MISPREDICTION_PART: u32 = 4;
/// Longer loops have more to do than to wait for one select.
const MOST_INSTRUCTIONS: usize = 400;

/// The conversion of selects to branches.
#[derive(Debug)]
pub struct SelectToBranch;

impl FunctionPass for SelectToBranch {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let misprediction = u32::from(cx.target.misprediction_cycles);
        let loops = cx.analyses.get::<LoopTree>(function);
        if misprediction == 0 || loops.loops().next().is_none() {
            return Ok(Preserved::unchanged());
        }
        let mut state: Box<State> = cx.take_scratch();
        state.chosen.clear();
        state.find_choices(function, loops, misprediction);
        if state.chosen.is_empty() {
            cx.return_scratch(state);
            return Ok(Preserved::unchanged());
        }
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        let converted = state.convert_all(function, &mut editor);
        editor.commit(function);
        cx.return_scratch(editor);
        cx.return_scratch(state);
        cx.count("selects converted", converted);
        Ok(Preserved::none())
    }
}

/// When a value is there, in cycles since the loop was entered.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// If choices wait for their conditions.
    selected: u32,
    /// If choices are branches that are predicted.
    predicted: u32,
}

impl Times {
    fn later(self, other: Times) -> Times {
        Times {
            selected: self.selected.max(other.selected),
            predicted: self.predicted.max(other.predicted),
        }
    }
}

/// Memory of the pass.
#[derive(Debug, Default)]
struct State {
    /// When the values of the loop are there; others are there from the beginning.
    times: EpochMap<Times>,
    /// The choices that become branches, by position, in the order of their blocks.
    chosen: Vec<Inst>,
}

/// What an instruction chooses between, and what decides.
struct Choice {
    /// The condition of a select; minima and maxima compare their operands.
    condition: Option<Operand>,
    yes: Operand,
    no: Operand,
}

impl Choice {
    fn of(function: &Function, data: &InstData) -> Option<Choice> {
        if !is_choice(function, data) {
            return None;
        }
        let (condition, (yes, no)) = match data.op {
            Opcode::Select => (Some(data.a), function.ternary(data)),
            _ => (None, (data.a, data.b)),
        };
        Some(Choice { condition, yes, no })
    }
}

impl State {
    /// Finds the choices that should be branches.
    fn find_choices(&mut self, function: &Function, loops: &LoopTree, misprediction: u32) {
        for id in loops.innermost_loops().filter(|&id| !loops.data(id).irreducible) {
            self.examine(function, loops.blocks(id), misprediction);
        }
        self.chosen.sort_unstable();
    }

    /// Chooses in an inner loop of these blocks, the header first.
    fn examine(&mut self, function: &Function, blocks: &[Block], misprediction: u32) {
        let length: usize = blocks.iter().map(|&block| function.block_insts(block).len()).sum();
        let has_choice = |&block: &Block| {
            let mut insts = function.insts()[function.block_insts(block)].iter();
            insts.any(|data| is_choice(function, data))
        };
        if length > MOST_INSTRUCTIONS || !blocks.iter().any(has_choice) {
            return;
        }
        self.times.reset(function.values().len());
        let rounds: [Times; ROUNDS] = std::array::from_fn(|_| self.execute(function, blocks));
        if !is_shortened(rounds) {
            return;
        }
        for &block in blocks {
            if !can_be_split(function, block) {
                continue;
            }
            for position in function.block_insts(block) {
                let data = &function.insts()[position];
                let waits = Choice::of(function, data).is_some_and(|choice| self.waits(&choice, misprediction));
                if waits && !is_only_an_address(function, block, data) {
                    self.chosen.push(Inst::new(position));
                }
            }
        }
    }

    /// One round of a loop; returns when the last of its values is there.
    fn execute(&mut self, function: &Function, blocks: &[Block]) -> Times {
        let mut last = Times::default();
        for &block in blocks {
            for position in function.block_insts(block) {
                let data = &function.insts()[position];
                let mut times = Times::default();
                let mut take = |operand: Operand| times = times.later(self.time(operand));
                function.for_each_operand(data, &mut take);
                if let Some(choice) = Choice::of(function, data) {
                    times.predicted = self.after_branch(&choice);
                }
                let cycles = latency(data.op);
                let times = Times {
                    selected: times.selected + cycles,
                    predicted: times.predicted + cycles,
                };
                last = last.later(times);
                if let Some(result) = data.first_result() {
                    self.times.set(result.index(), times);
                }
            }
        }
        last
    }

    fn time(&self, operand: Operand) -> Times {
        let known = operand.as_value().and_then(|value| self.times.get(value.index()));
        known.unwrap_or_default()
    }

    /// When the result of a choice is there after a branch: each operand is what is needed most of the time.
    fn after_branch(&self, choice: &Choice) -> u32 {
        weigh(self.time(choice.yes).predicted, self.time(choice.no).predicted)
    }

    /// Whether the condition of a choice comes much later than what it chooses between.
    fn waits(&self, choice: &Choice, misprediction: u32) -> bool {
        let (yes, no) = (self.time(choice.yes).selected, self.time(choice.no).selected);
        let condition = match choice.condition {
            Some(condition) => self.time(condition).selected,
            None => yes.max(no) + latency(Opcode::IcmpEq),
        };
        let wait = condition.saturating_sub(weigh(yes, no));
        wait > 0 && wait * MISPREDICTION_PART >= misprediction
    }

    /// Converts what was chosen, block by block; returns how many selects there were.
    fn convert_all(&mut self, function: &mut Function, editor: &mut Editor) -> u64 {
        let chosen = std::mem::take(&mut self.chosen);
        let mut rest = &chosen[..];
        let mut converted = 0;
        while let Some(&first) = rest.first() {
            let block = function.block_of(first);
            let end = function.block_insts(block).end;
            let count = rest.partition_point(|inst| inst.index() < end);
            converted += Splitter::new(function, block).split(function, editor, &rest[..count]);
            rest = &rest[count..];
        }
        self.chosen = chosen;
        converted
    }
}

/// The mean of two times of which one is needed three times as often, whichever is worse.
fn weigh(one: u32, other: u32) -> u32 {
    (3 * one + other).div_ceil(4).max((3 * other + one).div_ceil(4))
}

/// Whether branches make the rounds of a loop clearly shorter.
fn is_shortened([first, second]: [Times; ROUNDS]) -> bool {
    let gain = |times: Times| times.selected.saturating_sub(times.predicted);
    let (first_gain, second_gain) = (gain(first), gain(second));
    if second_gain < LEAST_GAIN_CYCLES {
        return false;
    }
    if first_gain == second_gain {
        return first_gain * LEAST_GAIN_PART >= first.selected;
    }
    // What is gained in each round counts for as many rounds as there are; it must be half of a round.
    second_gain > first_gain
        && (second_gain - first_gain) * 2 >= second.selected - first.selected
        && second_gain * LEAST_GAIN_PART >= second.selected
}

/// Whether an instruction is a choice that takes a conditional move.
fn is_choice(function: &Function, data: &InstData) -> bool {
    use Opcode as O;
    matches!(data.op, O::Select | O::Smin | O::Smax | O::Umin | O::Umax)
        && match function.types().data(data.ty) {
            TypeData::Int(bits) => (8..=64).contains(&bits),
            TypeData::Ptr(_) => true,
            _ => false,
        }
}

/// Whether what is chosen is only the address of a load: searches in trees choose so, and nobody can predict them.
fn is_only_an_address(function: &Function, block: Block, data: &InstData) -> bool {
    let Some(result) = data.first_result().filter(|&result| function.use_count(result) == 1) else {
        return false;
    };
    let insts = &function.insts()[function.block_insts(block)];
    insts
        .iter()
        .any(|user| user.op == Opcode::Load && user.a == Operand::value(result))
}

/// Whether a block's end can move to another block.
fn can_be_split(function: &Function, block: Block) -> bool {
    let terminator = function.inst(function.terminator(block));
    matches!(
        terminator.op,
        Opcode::Jump | Opcode::Branch | Opcode::Switch | Opcode::Return
    )
}

/// About how many cycles an operation takes: those of common processors. Parts of addresses are computed with the
/// access, and what is a move of a register is free.
fn latency(op: Opcode) -> u32 {
    use Opcode as O;
    match op {
        O::Phi | O::Copy | O::Nop | O::Freeze | O::PtrAdd | O::PtrIndex | O::Zext | O::Trunc => 0,
        O::Bitcast | O::Ptrtoint | O::Inttoptr | O::Addrspacecast => 0,
        O::Load => 5,
        O::Select => 2,
        // The comparison, too.
        O::Smin | O::Smax | O::Umin | O::Umax => 3,
        O::Mul | O::UmulHigh | O::SmulHigh | O::Ctlz | O::Cttz | O::Ctpop => 3,
        O::Udiv | O::Sdiv | O::Urem | O::Srem => 25,
        O::Fadd | O::Fsub | O::Fmul | O::Fma | O::Fmuladd => 4,
        O::Fdiv | O::Fsqrt | O::Frem => 14,
        O::Fptosi | O::Fptoui | O::Sitofp | O::Uitofp | O::Fptrunc | O::Fpext => 5,
        op if op.is_fcmp() => 3,
        op if op.is_terminator() => 0,
        _ => 1,
    }
}

/// Splits one block at its choices.
struct Splitter {
    /// The block as it was.
    block: Block,
    /// How it ended.
    terminator: InstData,
    /// How it ends from now on, once there is another block for the rest.
    branch: Option<InstData>,
    /// The block that gets what comes next.
    current: Block,
    /// Its instructions from here on are still to be moved to `current`, if that is another block.
    next: usize,
    /// Instructions from here on were moved.
    first_moved: usize,
}

impl Splitter {
    fn new(f: &Function, block: Block) -> Splitter {
        Splitter {
            block,
            terminator: *f.inst(f.terminator(block)),
            branch: None,
            current: block,
            next: f.block_insts(block).start,
            first_moved: f.insts().len(),
        }
    }

    /// Makes branches of these choices; returns how many there were.
    fn split(mut self, f: &mut Function, editor: &mut Editor, chosen: &[Inst]) -> u64 {
        let mut converted = 0;
        for (index, &inst) in chosen.iter().enumerate() {
            // An earlier one with the same condition may have taken it along.
            if f.inst(inst).op != Opcode::Nop {
                self.advance(f, editor, inst.index());
                converted += self.convert(f, editor, &chosen[index..]);
            }
        }
        self.advance(f, editor, f.block_insts(self.block).end - 1);
        editor.set_terminator(f, self.current, self.terminator);
        for edge in f.cfg().successors(self.block) {
            editor.copy_edge(edge.target, self.current, self.block);
        }
        if let Some(branch) = self.branch {
            editor.set_terminator(f, self.block, branch);
        }
        converted
    }

    /// Moves what stands before `position` to the current block.
    fn advance(&mut self, f: &mut Function, editor: &mut Editor, position: usize) {
        if self.current != self.block {
            for at in self.next..position {
                if f.insts()[at].op != Opcode::Nop {
                    editor.move_to_end(f, Inst::new(at), self.current);
                }
            }
        }
        self.next = position;
    }

    /// Ends the current block with a branch for the first of these choices and those that go with it.
    fn convert(&mut self, f: &mut Function, editor: &mut Editor, chosen: &[Inst]) -> u64 {
        let first = chosen[0];
        let (condition, choice) = self.decide(f, editor, first);
        let takes_no = self.is_better_direct(f, &choice, first);
        let side = editor.new_block(self.current, &[self.current]);
        let tail = editor.new_block(side, &[self.current, side]);
        let mut converted = 0;
        for &inst in chosen {
            if inst != first && !self.goes_with(f, editor, choice.condition, (first, inst)) {
                continue;
            }
            let data = *f.inst(inst);
            let own = Choice::of(f, &data).expect("chosen because it is one");
            let choice = if inst == first { &choice } else { &own };
            let (aside, direct) = match takes_no {
                true => (choice.no, choice.yes),
                false => (choice.yes, choice.no),
            };
            let (aside, direct) = (editor.resolve(aside), editor.resolve(direct));
            editor.remove(f, inst);
            let phi = editor.insert_phi(f, tail, data.ty, &[direct, aside]);
            self.sink(f, editor, aside, first, side);
            editor.replace_uses(
                f,
                data.first_result().expect("a choice has a result"),
                Operand::value(phi),
            );
            converted += 1;
        }
        editor.set_terminator(f, side, InstData::jump(tail));
        let branch = match takes_no {
            true => InstData::branch(condition, tail, side),
            false => InstData::branch(condition, side, tail),
        };
        match self.branch {
            None => self.branch = Some(branch),
            Some(_) => editor.set_terminator(f, self.current, branch),
        }
        self.current = tail;
        converted
    }

    /// Whether the operand for a false condition should be the one that is computed on a side of its own: if it alone
    /// takes an instruction.
    fn is_better_direct(&self, f: &Function, choice: &Choice, first: Inst) -> bool {
        let cost = |operand: Operand| match operand.as_value() {
            None => 1,
            Some(_) if self.can_sink(f, operand, first) => 2,
            Some(_) => 0,
        };
        cost(choice.no) > cost(choice.yes)
    }

    /// Whether another choice than the first one has its condition, and operands that are there before that.
    fn goes_with(
        &self,
        f: &Function,
        editor: &mut Editor,
        condition: Option<Operand>,
        (first, other): (Inst, Inst),
    ) -> bool {
        let Some(other) = Choice::of(f, f.inst(other)) else {
            return false;
        };
        let is_before = |operand: Operand| {
            let inst = operand.as_value().and_then(|value| f.def_inst(value));
            inst.is_none_or(|inst| !(first.index()..f.block_insts(self.block).end).contains(&inst.index()))
        };
        let [mine, others] = [condition, other.condition].map(|condition| Some(editor.resolve(condition?)));
        mine.is_some()
            && mine == others
            && [other.yes, other.no]
                .map(|operand| editor.resolve(operand))
                .iter()
                .all(|&operand| is_before(operand))
    }

    /// The condition of a branch, as a value that is not poison, and what it chooses between. What a minimum or maximum
    /// compares and what it gives is the same number, also if that is undefined.
    fn decide(&self, f: &mut Function, editor: &mut Editor, inst: Inst) -> (Operand, Choice) {
        let data = *f.inst(inst);
        let choice = Choice::of(f, &data).expect("chosen because it is one");
        if let Some(condition) = choice.condition {
            return (self.freeze(f, editor, Type::I1, condition), choice);
        }
        let op = match data.op {
            Opcode::Smin => Opcode::IcmpSlt,
            Opcode::Smax => Opcode::IcmpSgt,
            Opcode::Umin => Opcode::IcmpUlt,
            _ => Opcode::IcmpUgt,
        };
        let [yes, no] = [choice.yes, choice.no].map(|operand| self.freeze(f, editor, data.ty, operand));
        let compare = InstData::new(op, data.ty, 0, yes, no);
        let condition = self.put(f, editor, compare, Type::I1);
        (
            condition,
            Choice {
                condition: Some(condition),
                yes,
                no,
            },
        )
    }

    /// An operand that is neither poison nor undefined.
    fn freeze(&self, f: &mut Function, editor: &mut Editor, ty: Type, operand: Operand) -> Operand {
        if operand.as_imm().is_some() {
            return operand;
        }
        let data = InstData::new(Opcode::Freeze, ty, 0, operand, Operand::NONE);
        self.put(f, editor, data, ty)
    }

    /// Puts an instruction where the current block ends so far; returns its result.
    fn put(&self, f: &mut Function, editor: &mut Editor, data: InstData, ty: Type) -> Operand {
        let value = match self.current == self.block {
            true => editor.insert_before(f, Inst::new(self.next), data, Some(ty)),
            false => editor.insert_at_end(f, self.current, data, Some(ty)),
        };
        Operand::value(value.expect("it has a result"))
    }

    /// Moves what computes an operand, and nothing else, to the side where it is needed.
    fn sink(&self, f: &mut Function, editor: &mut Editor, operand: Operand, first: Inst, side: Block) {
        if !self.can_sink(f, operand, first) {
            return;
        }
        let inst = operand
            .as_value()
            .and_then(|value| f.def_inst(value))
            .expect("it can be moved");
        let data = *f.inst(inst);
        // What it takes itself comes first.
        self.sink(f, editor, data.a, first, side);
        self.sink(f, editor, data.b, first, side);
        editor.move_to_end(f, inst, side);
    }

    /// Whether an operand is computed in this block, before a choice, for nothing else.
    fn can_sink(&self, f: &Function, operand: Operand, first: Inst) -> bool {
        let Some(value) = operand.as_value().filter(|&value| f.use_count(value) == 1) else {
            return false;
        };
        let Some(inst) = f.def_inst(value) else { return false };
        let data = f.inst(inst);
        let is_here = (f.block_insts(self.block).start..first.index()).contains(&inst.index())
            || inst.index() >= self.first_moved;
        let is_simple = matches!(data.op.format(), Format::Unary | Format::Binary)
            && data.op.effects() == Effects::Pure
            && f.result_count(data) == 1;
        is_here && is_simple
    }
}
