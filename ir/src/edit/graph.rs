//! Edits of the graph: terminators, new blocks on edges, merged and removed blocks, and where new edges take their
//! phi operands from.

use super::{Anchor, Chain, Editor, NONE, Pending};
use crate::entities::{Block, Inst, Value};
use crate::function::{Function, InstData};
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::rewrite::for_each_target_word;
use frazil_support::EntityRef;

/// A block in the layout and in a chain of merged blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct EditBlock {
    /// The block after it in the layout.
    pub(super) next: u32,
    /// The block merged after it, whose instructions follow.
    pub(super) segment: u32,
    /// For the first block of a chain of merged ones: the last.
    pub(super) tail: u32,
    /// A block before it in its chain, or itself for the first.
    pub(super) head: u32,
}

/// A block that did not exist at `begin`.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewBlock {
    /// Its terminator, a pending instruction.
    pub(super) terminator: u32,
    /// Its predecessors by column, a range of [`Editor::new_predecessors`].
    pub(super) predecessors: (u32, u32),
}

/// The edge from `from` to `to` takes the operands of the edge from `like`.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeCopy {
    pub(super) to: u32,
    pub(super) from: u32,
    pub(super) like: u32,
}

/// The operand of a phi on the edge from `from`.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeOperand {
    pub(super) to: u32,
    pub(super) from: u32,
    pub(super) phi: Value,
    pub(super) operand: Operand,
}

impl Editor {
    /// Puts another terminator at the end of a block. Targets are old or new blocks; each edge that did not exist
    /// needs [`Editor::copy_edge`] or [`Editor::set_edge_operand`] if its target has phis.
    pub fn set_terminator(&mut self, f: &mut Function, block: Block, data: InstData) {
        debug_assert!(data.op.is_terminator());
        self.open_graph();
        let block = self.tail(block);
        self.count_all(f, &data);
        match self.terminator_of(f, Block::new(block as usize)) {
            Some(at) => {
                let old = f.insts[at.index()];
                self.uncount_all(f, &old);
                if old.op == Opcode::Invoke && old.result != data.result {
                    Self::forget_results(f, &old);
                }
                f.insts[at.index()] = data;
            }
            None => self.push_terminator(f, block, data),
        }
    }

    fn push_terminator(&mut self, f: &mut Function, block: u32, data: InstData) {
        let inst = f.insts.len() as u32;
        f.insts.push(data);
        self.pending.push(Pending {
            previous: NONE,
            next: NONE,
            anchor: Anchor::Before(NONE),
        });
        self.new_blocks[block as usize - self.old_blocks].terminator = inst;
    }

    /// The terminator of a block as it is now; none for a new block that did not get one yet.
    pub fn terminator_of(&self, f: &Function, block: Block) -> Option<Inst> {
        let index = self.tail_of(block.as_u32()) as usize;
        if index < self.old_blocks {
            return Some(f.terminator(Block::new(index)));
        }
        let terminator = self.new_blocks[index - self.old_blocks].terminator;
        (terminator != NONE).then(|| Inst::new(terminator as usize))
    }

    /// Retargets every edge from `block` to `old_target` to `new_target`.
    pub fn retarget(&mut self, f: &mut Function, block: Block, old_target: Block, new_target: Block) {
        let map = |target| if target == old_target { new_target } else { target };
        self.retarget_all(f, block, map);
    }

    /// Retargets every edge of `block` to where `map` says.
    pub fn retarget_all(&mut self, f: &mut Function, block: Block, mut map: impl FnMut(Block) -> Block) {
        self.open_graph();
        let at = self.terminator_of(f, block).expect("the block has a terminator");
        let mut data = f.insts[at.index()];
        for_each_target_word(&mut f.pool, &mut data, |word| {
            *word = map(Block::new(*word as usize)).as_u32()
        });
        f.insts[at.index()] = data;
    }

    /// Lets the edge from `from` to `to`, which did not exist at `begin`, take the phi operands of the edge from
    /// `like`.
    pub fn copy_edge(&mut self, to: Block, from: Block, like: Block) {
        self.open_graph();
        self.edge_copies.push(EdgeCopy {
            to: to.as_u32(),
            from: from.as_u32(),
            like: like.as_u32(),
        });
    }

    /// Sets the operand of a phi of `to` on the edge from `from`, whatever [`Editor::copy_edge`] says.
    pub fn set_edge_operand(&mut self, f: &mut Function, to: Block, from: Block, phi: Value, operand: Operand) {
        self.open_graph();
        // The count keeps the value from being taken for unused; the commit counts anew.
        self.count(f, operand);
        self.edge_operands.push(EdgeOperand {
            to: to.as_u32(),
            from: from.as_u32(),
            phi,
            operand,
        });
    }

    /// Whether a block can be put on the edge: not on those of indirect jumps, nor where a landing pad must follow.
    pub fn can_split_edge(&self, f: &Function, from: Block, to: Block) -> bool {
        let Some(at) = self.terminator_of(f, from) else {
            return false;
        };
        let data = f.inst(at);
        match data.op {
            Opcode::IndirectJump => false,
            Opcode::Invoke => f.invoke_targets(data).1 != to,
            _ => true,
        }
    }

    /// Makes a block that jumps to `to`, on the edge from `from`, which must be one that can be split.
    pub fn new_block_on_edge(&mut self, f: &mut Function, from: Block, to: Block) -> Block {
        let block = self.new_block(from, &[from]);
        self.set_terminator(f, block, InstData::jump(to));
        self.retarget(f, from, to, block);
        self.copy_edge(to, block, from);
        block
    }

    /// Makes a block without terminator, after `after` in the layout. `predecessors` are the columns of phis that are
    /// inserted there.
    pub fn new_block(&mut self, after: Block, predecessors: &[Block]) -> Block {
        self.open_graph();
        let block = self.blocks.len() as u32;
        let start = self.new_predecessors.len() as u32;
        self.new_predecessors.extend_from_slice(predecessors);
        self.new_blocks.push(NewBlock {
            terminator: NONE,
            predecessors: (start, start + predecessors.len() as u32),
        });
        let after = &mut self.blocks[after.index()];
        let next = std::mem::replace(&mut after.next, block);
        self.blocks.push(EditBlock {
            next,
            segment: NONE,
            tail: block,
            head: block,
        });
        Block::new(block as usize)
    }

    /// Makes a block that jumps to `to` and takes over its edges from `predecessors`, which stand in the order of the
    /// columns at `begin` and can all be split. Phis move into it where the operands differ: a pre-header.
    pub fn split_predecessors(&mut self, f: &mut Function, to: Block, predecessors: &[Block]) -> Block {
        let block = self.new_block(predecessors[predecessors.len() - 1], predecessors);
        self.set_terminator(f, block, InstData::jump(to));
        for &from in predecessors {
            self.retarget(f, from, to, block);
        }
        self.copy_edge(to, block, predecessors[0]);
        self.columns.reset(self.blocks.len());
        for (column, from) in f.predecessors(to).iter().enumerate() {
            self.columns.set(from.index(), column as u32);
        }
        for position in f.block_insts(to) {
            let data = f.insts[position];
            match data.op {
                Opcode::Phi => self.split_phi(f, &data, to, block, predecessors),
                Opcode::Nop => {}
                _ => break,
            }
        }
        block
    }

    /// Gives a phi of `to` one operand for the edges that now come through `block`.
    fn split_phi(&mut self, f: &mut Function, data: &InstData, to: Block, block: Block, predecessors: &[Block]) {
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        for from in predecessors {
            let column = self.columns.get(from.index()).expect("a predecessor of the block");
            let operand = f.pool[data.b.as_raw() as usize + column as usize];
            operands.push(self.resolve(operand));
        }
        let phi = data.first_result().expect("a phi has a result");
        if operands.iter().any(|&operand| operand != operands[0]) {
            let merged = self.insert_phi(f, block, data.ty, &operands);
            self.set_edge_operand(f, to, block, phi, Operand::value(merged));
        }
        self.operands = operands;
    }

    /// Appends a block to the only predecessor that it has left, which jumps to it alone and was a predecessor at
    /// `begin`. Its phis become their operands.
    pub fn merge_blocks(&mut self, f: &mut Function, above: Block, below: Block) {
        debug_assert!(!self.keeps_blocks, "blocks of this function keep their numbers");
        self.open_graph();
        let head = self.head_of(above.as_u32());
        let tail = self.blocks[head as usize].tail;
        let at = self.terminator_of(f, above).expect("the block has a terminator");
        let old = f.insts[at.index()];
        debug_assert!(old.op == Opcode::Jump && old.target() == below);
        f.insts[at.index()] = InstData::new(Opcode::Nop, crate::Type::VOID, 0, Operand::NONE, Operand::NONE);
        if below.index() < self.old_blocks {
            self.dissolve_phis(f, Block::new(tail as usize), below);
        }
        debug_assert!(
            self.phis.get(below.index()).is_none_or(|chain| chain.first == NONE),
            "phis queued in a block that has one predecessor"
        );
        self.blocks[tail as usize].segment = below.as_u32();
        let below_row = &mut self.blocks[below.index()];
        below_row.head = head;
        self.blocks[head as usize].tail = below_row.tail;
    }

    /// Replaces phis by their operands on the edge from `from`.
    fn dissolve_phis(&mut self, f: &mut Function, from: Block, block: Block) {
        let mut column = None;
        for position in f.block_insts(block) {
            let data = f.insts[position];
            match data.op {
                Opcode::Phi => {
                    let find = || f.predecessors(block).iter().position(|&other| other == from);
                    let column = *column.get_or_insert_with(|| find().expect("the edge existed at `begin`"));
                    let operand = f.list(&data)[column];
                    let phi = data.first_result().expect("a phi has a result");
                    // A phi that is its own operand is never executed.
                    if self.resolve(operand) != Operand::value(phi) {
                        self.replace_uses(f, phi, operand);
                    }
                    self.remove(f, Inst::new(position));
                }
                Opcode::Nop => {}
                _ => break,
            }
        }
    }

    /// Says that the graph changed, so that blocks out of reach are dropped at the commit.
    pub fn drop_unreachable(&mut self) {
        self.open_graph();
    }

    /// The number of blocks, new ones included.
    pub fn block_count(&self) -> usize {
        self.old_blocks + self.new_blocks.len()
    }

    pub(super) fn open_graph(&mut self) {
        (self.changed, self.graph_changed) = (true, true);
        if !self.blocks.is_empty() {
            return;
        }
        let count = self.old_blocks as u32;
        self.blocks.extend((0..count).map(|block| EditBlock {
            next: if block + 1 < count { block + 1 } else { NONE },
            segment: NONE,
            tail: block,
            head: block,
        }));
    }

    /// The last block of the chain of merged blocks that a block is in.
    fn tail(&mut self, block: Block) -> u32 {
        let head = self.head_of(block.as_u32());
        self.blocks[head as usize].tail
    }

    pub(super) fn tail_of(&self, block: u32) -> u32 {
        let mut at = block;
        while let Some(row) = self.blocks.get(at as usize) {
            if row.head == at {
                return row.tail;
            }
            at = row.head;
        }
        block
    }

    /// The first block of the chain, with path compression.
    pub(super) fn head_of(&mut self, block: u32) -> u32 {
        let mut head = block;
        while self.blocks[head as usize].head != head {
            head = self.blocks[head as usize].head;
        }
        let mut at = block;
        while at != head {
            at = std::mem::replace(&mut self.blocks[at as usize].head, head);
        }
        head
    }

    pub(super) fn chain(chains: &[Chain], index: u32) -> u32 {
        chains.get(index as usize).map_or(NONE, |chain| chain.first)
    }
}
