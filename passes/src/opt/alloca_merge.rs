//! Lets stack slots share memory when they are not needed at the same time, and removes those that nothing uses.
//!
//! ```text
//! before                                  after
//!   v1 = slot 64 align 8                    v1 = slot 64 align 8
//!   v2 = slot 48 align 8                  b0:
//! b0:                                       branch v0, b1, b2
//!   branch v0, b1, b2                     b1:
//! b1:                                       mem_copy i64 v1, @a, 64
//!   mem_copy i64 v1, @a, 64                 ...
//!   ...                                   b2:
//! b2:                                       mem_copy i64 v1, @b, 48
//!   mem_copy i64 v2, @b, 48
//! ```
//!
//! Only private slots ([`crate::memory::private`]) merge: of others it is not known when they are needed, since the IR
//! has no markers of lifetimes. A slot is needed where something may have been written to it and may yet be read. Two
//! slots interfere if one is written to where the other is live (Chaitin's interference). The largest
//! 64 private slots of a function are then colored, largest first, and slots of one color become the largest of them.
//!
//! Costs two walks over the instructions, in functions with two private slots or more; must come after passes that
//! tell accesses to different slots apart. Gains smaller frames. Functions that call something returning twice share
//! no slots.

use crate::memory::calls_something_returning_twice;
use crate::memory::private::PrivateSlots;
use frazil_ir::domtree::DomTree;
use frazil_ir::edit::Editor;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{Block, EntityRef, Function, InstData, Opcode, Operand, SlotId};

const TOO_LATE: &str = "it tells slots apart, which share memory later";

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "alloca-merge",
    summary: "lets stack slots share memory that are not needed at the same time",
    level: Level::Function,
    required: false,
    after: &[
        Order {
            pass: "sroa",
            reason: TOO_LATE,
        },
        Order {
            pass: "mem2reg",
            reason: TOO_LATE,
        },
        Order {
            pass: "redundant-load",
            reason: TOO_LATE,
        },
    ],
    before: &[],
};

/// How many slots are examined, one bit each.
const MOST_SLOTS: usize = 64;

/// Slots of higher alignment may need an address that is computed; they stay apart.
const MOST_ALIGN_LOG2: u8 = 4;

/// Rounds over the blocks in which needs must be known; deeper nests of loops are left alone.
const MOST_ROUNDS: u32 = 16;

/// Lets stack slots that do not interfere share memory, and removes unused ones.
#[derive(Debug)]
pub struct AllocaMerge;

impl FunctionPass for AllocaMerge {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        if function.slots().is_empty() {
            return Ok(Preserved::unchanged());
        }
        let unused = function.remove_unused_slots();
        if unused > 0 {
            function.lose_variables_of_removed_slots();
        }
        cx.count("unused slots removed", unused as u64);
        let mut merged = 0;
        if function.slots().len() > 1 && !calls_something_returning_twice(function) {
            let mut scratch: Box<Scratch> = cx.take_scratch();
            let tree: &DomTree = cx.analyses.get(function);
            scratch.order.clear();
            scratch.order.extend(tree.reverse_postorder());
            scratch.private.compute(function, tree);
            scratch.pointer_bits = cx.module.data_layout.pointer_bits;
            merged = merge(&mut scratch, function);
            cx.return_scratch(scratch);
            cx.count("slots merged", merged);
        }
        if merged == 0 && unused == 0 {
            return Ok(Preserved::unchanged());
        }
        Ok(Preserved::cfg())
    }
}

/// What is known of a block, one bit for each candidate.
#[derive(Clone, Copy, Debug, Default)]
struct BlockUses {
    /// Read before the block has overwritten all of it.
    read: u64,
    /// Overwritten as a whole.
    killed: u64,
    /// Written to, in part or whole.
    written: u64,
    /// May yet be read, at the begin of the block.
    live: u64,
    /// May have been written to, at the begin of the block.
    reached: u64,
}

/// What an instruction does to candidates.
#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    read: u64,
    written: u64,
    killed: u64,
    /// Filled in for the walk that finds interferences: which candidates may have been written to before.
    reached: u64,
}

#[derive(Debug, Default)]
struct Scratch {
    editor: Editor,
    private: PrivateSlots,
    pointer_bits: u32,
    /// Reachable blocks in reverse postorder.
    order: Vec<Block>,
    /// The slots that may be merged, largest first.
    candidates: Vec<SlotId>,
    /// The bit of each slot; none for those that are no candidates.
    bits: Vec<u64>,
    rows: Vec<BlockUses>,
    touches: Vec<Touch>,
    /// By candidate, those that interfere with it.
    conflicts: Vec<u64>,
}

impl Scratch {
    /// Chooses the largest private slots. Returns whether there are two.
    fn choose(&mut self, f: &Function) -> bool {
        self.candidates.clear();
        let slots = (0..f.slots().len()).map(SlotId::new);
        let is_candidate =
            |slot: SlotId| f.slots()[slot.index()].align_log2 <= MOST_ALIGN_LOG2 && self.private.contains(slot);
        self.candidates.extend(slots.filter(|&slot| is_candidate(slot)));
        self.candidates
            .sort_by_key(|slot| std::cmp::Reverse(f.slots()[slot.index()].size));
        self.candidates.truncate(MOST_SLOTS);
        self.bits.clear();
        self.bits.resize(f.slots().len(), 0);
        for (number, slot) in self.candidates.iter().enumerate() {
            self.bits[slot.index()] = 1 << number;
        }
        self.candidates.len() > 1
    }

    /// What an instruction does to candidates; `None` if nothing.
    fn touch(&self, f: &Function, data: &InstData) -> Option<Touch> {
        use Opcode as O;
        let bit = |operand: Operand| self.private.slot_of(operand).map_or(0, |slot| self.bits[slot.index()]);
        let mut touch = Touch::default();
        match data.op {
            O::Load => touch.read = bit(data.a),
            O::Store => {
                touch.written = bit(data.b);
                touch.killed = self.covered(f, data.b, f.types().store_bytes(data.ty, self.pointer_bits));
            }
            O::MemCopy | O::MemMove | O::MemSet => {
                let (second, length) = f.ternary(data);
                let length = length.as_imm().and_then(|length| u64::try_from(length).ok());
                touch.written = bit(data.a);
                touch.killed = self.covered(f, data.a, length.unwrap_or(0));
                if data.op != O::MemSet {
                    touch.read = bit(second);
                }
            }
            _ => return None,
        }
        // What is read and written at once is not overwritten for good before it is read.
        touch.killed &= !touch.read;
        (touch.read | touch.written != 0).then_some(touch)
    }

    /// The candidate that so many bytes from a pointer on are all of.
    fn covered(&self, f: &Function, pointer: Operand, bytes: u64) -> u64 {
        let slot = pointer.as_value().and_then(|value| f.slot_of(value));
        slot.filter(|slot| bytes >= f.slots()[slot.index()].size)
            .map_or(0, |slot| self.bits[slot.index()])
    }

    /// Summarizes each block.
    fn summarize(&mut self, f: &Function) {
        self.rows.clear();
        self.rows.resize(f.blocks().len(), BlockUses::default());
        for index in 0..self.order.len() {
            let block = self.order[index];
            let mut row = BlockUses::default();
            for data in &f.insts()[f.block_insts(block)] {
                if let Some(touch) = self.touch(f, data) {
                    row.read |= touch.read & !row.killed;
                    row.killed |= touch.killed;
                    row.written |= touch.written;
                }
            }
            row.live = row.read;
            self.rows[block.index()] = row;
        }
    }

    /// Finds what is needed and written at the begin of each block. Returns `false` if that takes too long.
    fn solve(&mut self, f: &Function) -> bool {
        (0..MOST_ROUNDS).any(|_| !self.needs_round(f)) && (0..MOST_ROUNDS).any(|_| !self.writes_round(f))
    }

    /// Goes over all blocks once; returns whether anything changed.
    fn needs_round(&mut self, f: &Function) -> bool {
        let mut changed = false;
        for &block in self.order.iter().rev() {
            let row = self.rows[block.index()];
            let live = row.read | (self.live_at_end(f, block) & !row.killed);
            changed |= live != row.live;
            self.rows[block.index()].live = live;
        }
        changed
    }

    /// The same for what may have been written to.
    fn writes_round(&mut self, f: &Function) -> bool {
        let mut changed = false;
        for &block in &self.order {
            let before = f.predecessors(block).iter().map(|above| &self.rows[above.index()]);
            let reached = before.fold(0, |all, row| all | row.reached | row.written);
            let row = &mut self.rows[block.index()];
            changed |= reached != row.reached;
            row.reached = reached;
        }
        changed
    }

    fn live_at_end(&self, f: &Function, block: Block) -> u64 {
        let successors = f.cfg().successors(block).iter();
        successors.fold(0, |live, edge| live | self.rows[edge.target.index()].live)
    }

    /// Finds which candidates interfere.
    fn find_conflicts(&mut self, f: &Function) {
        self.conflicts.clear();
        self.conflicts.resize(self.candidates.len(), 0);
        for index in 0..self.order.len() {
            let block = self.order[index];
            let row = self.rows[block.index()];
            if row.written == 0 {
                continue;
            }
            self.touches.clear();
            let mut reached = row.reached;
            for data in &f.insts()[f.block_insts(block)] {
                if let Some(touch) = self.touch(f, data) {
                    self.touches.push(Touch { reached, ..touch });
                    reached |= touch.written;
                }
            }
            let mut live = self.live_at_end(f, block);
            while let Some(touch) = self.touches.pop() {
                // What a copy reads must not be where it writes, even if nothing was written there.
                let needed = (live & touch.reached) | touch.read;
                let mut written = touch.written;
                while written != 0 {
                    self.add_conflicts(written.trailing_zeros() as usize, needed);
                    written &= written - 1;
                }
                live = (live & !touch.killed) | touch.read;
            }
        }
    }

    fn add_conflicts(&mut self, candidate: usize, needed: u64) {
        let mut others = needed & !(1 << candidate);
        self.conflicts[candidate] |= others;
        while others != 0 {
            self.conflicts[others.trailing_zeros() as usize] |= 1 << candidate;
            others &= others - 1;
        }
    }
}

/// Merges slots; returns how many went away.
fn merge(scratch: &mut Scratch, f: &mut Function) -> u64 {
    if !scratch.choose(f) {
        return 0;
    }
    scratch.summarize(f);
    if !scratch.solve(f) {
        return 0;
    }
    scratch.find_conflicts(f);
    scratch.editor.begin(f);
    let (mut left, mut merged) = (u64::MAX >> (64 - scratch.candidates.len()), 0);
    while left != 0 {
        // The largest slot that is left takes in all that do not interfere.
        let first = left.trailing_zeros() as usize;
        left &= left - 1;
        let keeper = scratch.candidates[first];
        let mut conflicts = scratch.conflicts[first];
        let mut rest = left & !conflicts;
        while rest != 0 {
            let other = rest.trailing_zeros() as usize;
            left &= !(1 << other);
            conflicts |= scratch.conflicts[other];
            let gone = f.slots()[scratch.candidates[other].index()];
            f.raise_slot_alignment(keeper, gone.align_log2);
            let address = Operand::value(f.slots()[keeper.index()].address);
            scratch.editor.replace_uses(f, gone.address, address);
            merged += 1;
            rest &= !(1 << other) & !conflicts;
        }
    }
    if merged > 0 {
        f.remove_unused_slots();
        scratch.editor.commit(f);
    }
    merged
}
