//! Batched edits of a function: queue insertions, replacements and changes of the graph, then commit them all at once.
//!
//! Method: [`Editor::begin`], any number of edits, [`Editor::commit`]. Instructions stand in dense arrays, so nothing
//! is inserted in their middle; a commit copies the array once, in program order, and renumbers.
//!
//! Between `begin` and `commit`
//! * instructions and blocks keep their numbers. New instructions stand after the old ones in [`Function::insts`],
//!   outside of any block's range, so that [`Function::inst`] and [`Function::def_inst`] work for them; new blocks have
//!   numbers after the old ones and no entry in [`Function::blocks`];
//! * [`Function::cfg`] is the old graph;
//! * [`Editor::remove`], [`Editor::replace`] and [`Editor::set_terminator`] show at once; a removed instruction is a
//!   `nop`. Values replaced by [`Editor::replace_uses`] still stand in operands: read those through
//!   [`Editor::resolve`]. Use counts are those after the commit, but for blocks and edges that vanish.
//!
//! A commit leaves the function as the verifier wants it, with exact use counts and the graph computed. If the graph
//! was changed, blocks that the entry no longer reaches are dropped, and phi columns follow their edges: an edge that
//! is new takes its operands from the edge that [`Editor::copy_edge`] names, or from [`Editor::set_edge_operand`].
//! Values of vanished instructions remain as numbers that nothing defines; when those become the majority all
//! values are renumbered, parameters first. Numbers of instructions, blocks and values that were remembered from
//! before a commit are therefore void.
//!
//! In a function with an `indirect_jump`, or with blocks whose address is taken, blocks keep their numbers and none is
//! dropped, because constants and data outside of the function may name them; see [`Editor::keeps_blocks`].
//!
//! What the edits mean is the caller's business: nothing here checks that a replacement dominates its uses or has
//! the right type.

mod bypassed;
mod commit;
mod debug;
mod followers;
mod graph;
mod phis;
mod slots;
#[cfg(test)]
mod tests;
mod values;

use crate::cfg::Cfg;
use crate::debug::{DebugValue, LocationId};
use crate::entities::{Block, Inst, Value};
use crate::function::{BlockData, Function, InstData, ValueKind};
use crate::opcode::{Format, Opcode, Results};
use crate::operand::Operand;
use crate::types::Type;
use debug::Noted;
use followers::{is_followed, leave_followers};
use frazil_support::{EntityRef, EpochMap};
use graph::{EdgeCopy, EdgeOperand, EditBlock, NewBlock};

const NONE: u32 = u32::MAX;

/// Where pending instructions stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    /// Before an instruction.
    Before(u32),
    /// After the phis (and the landing pad) of a block.
    Body(u32),
    /// Among the phis of a block, after those that it has.
    Phis(u32),
}

/// The ends of a chain of pending instructions.
#[derive(Clone, Copy, Debug)]
struct Chain {
    first: u32,
    last: u32,
}

impl Chain {
    const EMPTY: Chain = Chain {
        first: NONE,
        last: NONE,
    };
}

/// The neighbours of a pending instruction in its chain.
#[derive(Clone, Copy, Debug)]
struct Pending {
    previous: u32,
    next: u32,
    anchor: Anchor,
}

/// Edits of one function at a time; its memory serves again.
#[derive(Debug, Default)]
pub struct Editor {
    /// Instructions at `begin`; higher numbers are pending.
    old_insts: usize,
    /// Blocks at `begin`; higher numbers are new.
    old_blocks: usize,
    /// Whether anything was edited.
    edited: bool,
    /// Whether anything needs the copy.
    changed: bool,
    /// Whether edges or blocks changed.
    graph_changed: bool,
    keeps_blocks: bool,
    /// Chains before instructions, as far as needed.
    before: Vec<Chain>,
    /// Chains of bodies and of phis by block, as far as needed.
    bodies: Vec<Chain>,
    phis: Vec<Chain>,
    pending: Vec<Pending>,
    /// What to use instead of each value, as far as needed; `NONE` for the value itself.
    forward: Vec<Operand>,
    /// Blocks with their order and merges; empty until the graph changes.
    blocks: Vec<EditBlock>,
    new_blocks: Vec<NewBlock>,
    /// Predecessors of the new blocks, in column order.
    new_predecessors: Vec<Block>,
    edge_copies: Vec<EdgeCopy>,
    edge_operands: Vec<EdgeOperand>,
    // Working memory of a commit.
    insts_out: Vec<InstData>,
    /// How many instructions stand in `insts_out`; what is after them is left from earlier.
    copied: usize,
    blocks_out: Vec<BlockData>,
    old_cfg: Cfg,
    order: Vec<u32>,
    new_numbers: Vec<u32>,
    stack: Vec<u32>,
    columns: EpochMap<u32>,
    operands: Vec<Operand>,
    /// The locations of `insts_out`, and where the old instructions are in it, in functions with debug information.
    locations_out: Vec<LocationId>,
    moved: Vec<u32>,
    /// Values that variables in slots have from old instructions on.
    noted: Vec<Noted>,
    /// Slots whose memory is no longer what the variables in them are.
    unsure: Vec<Value>,
    /// Variables that are lost at old instructions, since paths come to these in another way.
    bypassed: Vec<DebugValue>,
}

impl Editor {
    /// Starts a batch of edits. The function's graph must be computed; edits not committed are forgotten.
    pub fn begin(&mut self, f: &Function) {
        self.old_insts = f.insts.len();
        self.old_blocks = f.blocks.len();
        self.edited = false;
        self.changed = false;
        self.graph_changed = false;
        self.before.clear();
        self.noted.clear();
        self.unsure.clear();
        self.bodies.clear();
        self.phis.clear();
        self.pending.clear();
        self.forward.clear();
        self.blocks.clear();
        self.new_blocks.clear();
        self.new_predecessors.clear();
        self.edge_copies.clear();
        self.edge_operands.clear();
        self.keeps_blocks = f.has_block_addresses || f.cfg.indirect_jumps() > 0;
    }

    /// Whether blocks must keep their numbers: then [`Editor::drop_unreachable`], [`Editor::merge_blocks`] and changes
    /// of the indirect jumps' edges are not possible, and unreachable blocks stay.
    pub fn keeps_blocks(&self) -> bool {
        self.keeps_blocks
    }

    /// Whether anything was edited since `begin`.
    pub fn has_edits(&self) -> bool {
        self.edited || self.changed
    }

    /// What stands for an operand after the replacements so far.
    #[inline]
    pub fn resolve(&mut self, operand: Operand) -> Operand {
        match operand.as_value() {
            Some(value) if self.forward.get(value.index()).is_some_and(|next| !next.is_none()) => {
                self.resolve_value(value)
            }
            _ => operand,
        }
    }

    /// Follows the chain of replacements, and shortens it.
    fn resolve_value(&mut self, value: Value) -> Operand {
        let next = |forward: &[Operand], value: Value| {
            let operand = forward.get(value.index()).copied().unwrap_or(Operand::NONE);
            (!operand.is_none()).then_some(operand)
        };
        let mut last = self.forward[value.index()];
        if last.as_value().is_none_or(|value| next(&self.forward, value).is_none()) {
            return last;
        }
        while let Some(operand) = last.as_value().and_then(|value| next(&self.forward, value)) {
            last = operand;
        }
        let mut at = value;
        while let Some(operand) = next(&self.forward, at) {
            self.forward[at.index()] = last;
            let Some(following) = operand.as_value() else { break };
            at = following;
        }
        last
    }

    /// Queues an instruction before `at`, which is no phi, after those queued there before. `result` is the type of
    /// its only result.
    pub fn insert_before(&mut self, f: &mut Function, at: Inst, data: InstData, result: Option<Type>) -> Option<Value> {
        let (inst, value) = self.push(f, data, result);
        self.place_before(f, inst, at);
        value
    }

    /// The same for an instruction with several results, or with results declared before; `data.result` is the first.
    pub fn insert_before_into(&mut self, f: &mut Function, at: Inst, data: InstData) -> Inst {
        let inst = self.push_into(f, data);
        self.place_before(f, inst, at);
        Inst::new(inst as usize)
    }

    /// Queues an instruction after the phis (and the landing pad) of a block, and after those queued there before.
    /// In a block that is new this is its end.
    pub fn insert_after_phis(
        &mut self,
        f: &mut Function,
        block: Block,
        data: InstData,
        result: Option<Type>,
    ) -> Option<Value> {
        let (inst, value) = self.push(f, data, result);
        self.append(inst, Anchor::Body(block.as_u32()));
        value
    }

    /// Queues an instruction before the terminator of a block.
    pub fn insert_at_end(
        &mut self,
        f: &mut Function,
        block: Block,
        data: InstData,
        result: Option<Type>,
    ) -> Option<Value> {
        let (inst, value) = self.push(f, data, result);
        self.place_at_end(f, inst, block);
        value
    }

    /// The same for an instruction with several results, or with results declared before; `data.result` is the first.
    pub fn insert_at_end_into(&mut self, f: &mut Function, block: Block, data: InstData) -> Inst {
        let inst = self.push_into(f, data);
        self.place_at_end(f, inst, block);
        Inst::new(inst as usize)
    }

    /// Queues a phi. Its operands stand in the order of the predecessors at `begin`, or, in a new block, of those it
    /// was made with.
    pub fn insert_phi(&mut self, f: &mut Function, block: Block, ty: Type, operands: &[Operand]) -> Value {
        let start = f.push_pool(operands);
        let count = Operand::raw(operands.len() as u32);
        let data = InstData::new(Opcode::Phi, ty, 0, count, Operand::raw(start));
        let (inst, value) = self.push(f, data, Some(ty));
        self.append(inst, Anchor::Phis(block.as_u32()));
        value.expect("a phi has a result")
    }

    /// Sets one operand of a phi, old or new; columns are counted as for [`Editor::insert_phi`].
    pub fn set_phi_operand(&mut self, f: &mut Function, phi: Value, column: usize, operand: Operand) {
        let data = *f.inst(f.def_inst(phi).expect("a phi defines the value"));
        debug_assert!(data.op == Opcode::Phi && column < data.a.as_raw() as usize);
        let index = data.b.as_raw() as usize + column;
        let old = std::mem::replace(&mut f.pool[index], operand);
        self.uncount(f, old);
        self.count(f, operand);
        self.edited = true;
    }

    /// Puts another operation in the place of an instruction, with the same results. Not for terminators.
    pub fn replace(&mut self, f: &mut Function, at: Inst, mut data: InstData) {
        let old = f.insts[at.index()];
        debug_assert!(!old.op.is_terminator() && !data.op.is_terminator());
        if f.has_following_hooks && !is_followed(data.op) && at.index() < self.old_insts {
            self.remove_followers(f, at);
        }
        data.result = old.result;
        self.count_all(f, &data);
        self.uncount_all(f, &old);
        f.insts[at.index()] = data;
        self.edited = true;
    }

    /// Removes an instruction. Its results must have no uses when the edits are committed.
    pub fn remove(&mut self, f: &mut Function, at: Inst) {
        let old = f.insts[at.index()];
        debug_assert!(!old.op.is_terminator());
        if f.debug.is_on() {
            self.lose_removed_store(f, &old);
        }
        if f.has_following_hooks && at.index() < self.old_insts {
            self.remove_followers(f, at);
        }
        self.uncount_all(f, &old);
        Self::forget_results(f, &old);
        f.insts[at.index()] = InstData::new(Opcode::Nop, Type::VOID, 0, Operand::NONE, Operand::NONE);
        self.changed = true;
    }

    /// Uses `new` wherever `old` is used, in instructions that are queued later, too. What `new` was replaced by is
    /// followed.
    pub fn replace_uses(&mut self, f: &mut Function, old: Value, new: Operand) {
        let new = self.resolve(new);
        debug_assert!(new != Operand::value(old), "a value replaced by itself");
        if self.forward.len() <= old.index() {
            self.forward.resize(f.values.len(), Operand::NONE);
        }
        debug_assert!(self.forward[old.index()].is_none(), "a value replaced twice");
        if f.debug.is_on() {
            self.lose_merged_slots(f, old, new);
        }
        self.forward[old.index()] = new;
        let uses = std::mem::take(&mut f.values[old.index()].uses);
        if let Some(value) = new.as_value() {
            f.values[value.index()].uses += uses;
        }
        self.changed = true;
    }

    /// Sets the first operand of an instruction, which may be a terminator.
    pub fn set_first_operand(&mut self, f: &mut Function, inst: Inst, operand: Operand) {
        let old = std::mem::replace(&mut f.insts[inst.index()].a, operand);
        self.count(f, operand);
        self.uncount(f, old);
        self.edited = true;
    }

    /// Moves an instruction with its results before another one.
    pub fn move_before(&mut self, f: &mut Function, inst: Inst, at: Inst) {
        let moved = self.take_out(f, inst);
        self.place_before(f, moved, at);
    }

    /// Moves an instruction with its results before the terminator of a block.
    pub fn move_to_end(&mut self, f: &mut Function, inst: Inst, block: Block) {
        let moved = self.take_out(f, inst);
        self.place_at_end(f, moved, block);
    }

    /// The copy of an instruction at the end of the array; a `nop` takes its place.
    fn take_out(&mut self, f: &mut Function, inst: Inst) -> u32 {
        if f.has_following_hooks && inst.index() < self.old_insts {
            leave_followers(f, inst);
        }
        let nop = InstData::new(Opcode::Nop, Type::VOID, 0, Operand::NONE, Operand::NONE);
        let data = std::mem::replace(&mut f.insts[inst.index()], nop);
        debug_assert!(!data.op.is_terminator() && data.op != Opcode::Phi);
        self.push_counted(f, data)
    }

    /// Adds a pending instruction with a new result.
    fn push(&mut self, f: &mut Function, mut data: InstData, result: Option<Type>) -> (u32, Option<Value>) {
        debug_assert!(!data.op.is_terminator());
        debug_assert!(matches!(data.op.results(), Results::None) == result.is_none());
        let value = result.map(|ty| f.push_value(ty, ValueKind::Inst, 0, f.insts.len() as u32));
        data.result = value.map_or(InstData::NO_RESULT, Value::as_u32);
        (self.push_into(f, data), value)
    }

    /// Adds a pending instruction whose results exist.
    fn push_into(&mut self, f: &mut Function, data: InstData) -> u32 {
        self.count_all(f, &data);
        self.push_counted(f, data)
    }

    fn push_counted(&mut self, f: &mut Function, data: InstData) -> u32 {
        self.changed = true;
        let inst = f.insts.len() as u32;
        for (index, value) in f.results(&data).enumerate() {
            let row = &mut f.values[value.index()];
            (row.kind, row.def, row.result_index) = (ValueKind::Inst, inst, index as u16);
        }
        f.insts.push(data);
        self.pending.push(Pending {
            previous: NONE,
            next: NONE,
            anchor: Anchor::Before(NONE),
        });
        inst
    }

    fn place_at_end(&mut self, f: &Function, inst: u32, block: Block) {
        match self.terminator_of(f, block) {
            Some(terminator) => self.place_before(f, inst, terminator),
            None => self.append(inst, Anchor::Body(block.as_u32())),
        }
    }

    /// Links a pending instruction in before another: at the end of an old one's chain, or into a pending one's.
    fn place_before(&mut self, f: &Function, inst: u32, at: Inst) {
        debug_assert!(f.inst(at).op != Opcode::Phi, "nothing stands between phis");
        let at = at.as_u32();
        let in_chain = (at as usize)
            .checked_sub(self.old_insts)
            .map(|index| self.pending[index])
            .filter(|row| row.anchor != Anchor::Before(NONE));
        let Some(following) = in_chain else {
            return self.append(inst, Anchor::Before(at));
        };
        let previous = following.previous;
        self.pending[inst as usize - self.old_insts] = Pending {
            previous,
            next: at,
            anchor: following.anchor,
        };
        self.pending[at as usize - self.old_insts].previous = inst;
        if previous == NONE {
            self.chain_mut(following.anchor).first = inst;
        } else {
            self.pending[previous as usize - self.old_insts].next = inst;
        }
    }

    fn append(&mut self, inst: u32, anchor: Anchor) {
        let chain = self.chain_mut(anchor);
        let previous = std::mem::replace(&mut chain.last, inst);
        if previous == NONE {
            chain.first = inst;
        } else {
            self.pending[previous as usize - self.old_insts].next = inst;
        }
        self.pending[inst as usize - self.old_insts] = Pending {
            previous,
            next: NONE,
            anchor,
        };
    }

    fn chain_mut(&mut self, anchor: Anchor) -> &mut Chain {
        let (chains, index) = match anchor {
            Anchor::Before(inst) => (&mut self.before, inst as usize),
            Anchor::Body(block) => (&mut self.bodies, block as usize),
            Anchor::Phis(block) => (&mut self.phis, block as usize),
        };
        if chains.len() <= index {
            chains.resize(index + 1, Chain::EMPTY);
        }
        &mut chains[index]
    }

    /// Marks the results of an instruction as undefined.
    #[inline]
    fn forget_results(f: &mut Function, data: &InstData) {
        let Some(first) = data.first_result() else { return };
        let count = f.result_count(data);
        for row in &mut f.values[first.index()..first.index() + count] {
            (row.kind, row.def) = (ValueKind::Forward, NONE);
        }
    }

    #[inline]
    fn count(&mut self, f: &mut Function, operand: Operand) {
        if let Some(value) = self.resolve(operand).as_value() {
            f.values[value.index()].uses += 1;
        }
    }

    #[inline]
    fn uncount(&mut self, f: &mut Function, operand: Operand) {
        if let Some(value) = self.resolve(operand).as_value() {
            f.values[value.index()].uses -= 1;
        }
    }

    #[inline]
    fn count_all(&mut self, f: &mut Function, data: &InstData) {
        match data.op.format() {
            Format::Nullary => {}
            Format::Unary => self.count(f, data.a),
            Format::Binary => {
                self.count(f, data.a);
                self.count(f, data.b);
            }
            _ => self.count_list(f, data),
        }
    }

    fn count_list(&mut self, f: &mut Function, data: &InstData) {
        let mut values = std::mem::take(&mut f.values);
        f.for_each_operand(data, |operand| {
            if let Some(value) = self.resolve(operand).as_value() {
                values[value.index()].uses += 1;
            }
        });
        f.values = values;
    }

    #[inline]
    fn uncount_all(&mut self, f: &mut Function, data: &InstData) {
        match data.op.format() {
            Format::Nullary => {}
            Format::Unary => self.uncount(f, data.a),
            Format::Binary => {
                self.uncount(f, data.a);
                self.uncount(f, data.b);
            }
            _ => self.uncount_list(f, data),
        }
    }

    fn uncount_list(&mut self, f: &mut Function, data: &InstData) {
        let mut values = std::mem::take(&mut f.values);
        f.for_each_operand(data, |operand| {
            if let Some(value) = self.resolve(operand).as_value() {
                values[value.index()].uses -= 1;
            }
        });
        f.values = values;
    }
}
