//! Register allocation for machine functions: a linear scan with live-range splitting over coalesced bundles.
//!
//! The allocator reads an [`MFunc`] and returns an [`Allocation`], which says where every virtual register is at every
//! position; it changes nothing itself. [`crate::check`] proves the result and [`crate::finish`] applies it. The
//! stages, in the order in which `allocate.rs` runs them:
//!
//! 1. `positions`, `frequency`: number the positions and estimate how often each block is executed.
//! 2. `liveness` (with `regions`): which virtual registers are live at the ends of blocks.
//! 3. `walk`: one backward walk builds live ranges, occurrences, fixed ranges of physical registers, and the list of
//!    copies.
//! 4. `coalesce` (with `sets`): copies and phis whose live ranges do not interfere become one *bundle*, which has one
//!    spill slot. Those that some instruction names that cannot name all registers are confined to the others
//!    (`upper`).
//! 5. `scan` (with `cost`, `occupancy`, `settle`): bundles are split into *parts*; each part gets a register or the
//!    bundle's slot.
//! 6. `reloads`: between occurrences, values that are in their slots at times stay where that costs least.
//! 7. `localize`: a limit for the work that long-lived split bundles cause on edges.
//! 8. `fold`: reloads for a single use become memory operands.
//! 9. `slots`: bundles with disjoint live ranges share spill slots; arguments in memory have theirs (`homes`).
//! 10. `resolve`: operands get their registers; stores, reloads and moves are placed between parts and on edges.
//!
//! ```text
//! position    0....10....20....30....40
//! v1          D-----------U                one bundle: v2 is a copy of v1 that begins where v1 ends
//! v2                      D-----------U
//! bundle      [rax    ][ slot ][rcx   ]    three parts: evicted by a call, reloaded before the next use
//! ```
//!
//! Copies are understood: after an instruction with [`OpDesc::is_move`], and after an edge with a
//! [`crate::mfunc::PhiMove`], every place that held the source and was not written holds the destination, too. So
//! virtual registers that are copies of each other may share registers and slots.

mod allocate;
mod bytes;
mod coalesce;
mod cost;
mod fold;
mod frequency;
mod homes;
mod intervals;
mod liveness;
mod localize;
mod occupancy;
mod positions;
mod regions;
mod reloads;
mod resolve;
mod scan;
mod sets;
mod slots;
#[cfg(test)]
mod tests;
mod upper;
mod walk;

pub use allocate::{RegAllocState, allocate};

use crate::desc::SLOTS;
use crate::desc::{OpDesc, TargetDesc};
use crate::error::CodegenError;
use crate::mfunc::MFunc;
use crate::reg::{PRegSet, Reg};

/// A spill slot: an index into [`Allocation::slots`]. Its place in the frame is chosen later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpillSlot(pub u32);

/// What is known of a spill slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotData {
    /// Its size: 4, 8, 16, 32 or 64.
    pub bytes: u8,
    /// If it is the place of an argument that was passed in memory: the displacement from [`Reg::FRAME`]. Nothing is
    /// ever stored there; it holds what the argument's load has put into a register.
    pub home: Option<i32>,
}

impl SlotData {
    /// A slot that gets its place in the frame later.
    pub const fn of_bytes(bytes: u8) -> SlotData {
        SlotData { bytes, home: None }
    }
}

/// Where a virtual register is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegOrSlot {
    /// In a physical register.
    Reg(Reg),
    Slot(SpillSlot),
}

/// What a move reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveSource {
    Kept(RegOrSlot),
    /// Nothing is read: the instruction that makes the virtual register's constant is repeated. This is its only
    /// definition, if that is [`OpDesc::is_rematerializable`], or its [`crate::mfunc::VReg::constant`].
    Rematerialize(Reg),
}

/// A move that the allocator asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocMove {
    /// The virtual register that is moved; it says which class and width the move has.
    pub vreg: Reg,
    pub source: MoveSource,
    pub dest: RegOrSlot,
}

/// A move between instructions. All moves at one point happen at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The point: twice the instruction's number, plus one for the point after it. Never inside of a group, only
    /// before its first instruction or after its last one; and never after the branches that end a block.
    pub point: u32,
    pub action: AllocMove,
}

impl Edit {
    /// The point before an instruction.
    pub const fn before(inst: u32) -> u32 {
        inst * 2
    }

    /// The point after an instruction.
    pub const fn after(inst: u32) -> u32 {
        inst * 2 + 1
    }
}

/// A move on an edge. All moves on an edge, its phi moves included, happen at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeMove {
    pub edge: u32,
    /// The move; its `vreg` is the register that the successor reads.
    pub action: AllocMove,
}

/// An operand that the instruction reads from, or writes to, its spill slot: see [`OpDesc::memory_forms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOperand {
    pub inst: u32,
    /// The number of the register operand.
    pub operand: u8,
    pub slot: SpillSlot,
}

/// Stands in [`Allocation::regs`] for no register.
pub const NO_REG: u8 = u8::MAX;

/// The result of register allocation.
#[derive(Clone, Debug, Default)]
pub struct Allocation {
    /// For each instruction, the physical register of each register operand that is virtual, or [`NO_REG`].
    pub regs: Vec<[u8; SLOTS]>,
    /// Moves between instructions, ascending by point.
    pub edits: Vec<Edit>,
    /// Moves on edges, ascending by edge.
    pub edge_moves: Vec<EdgeMove>,
    /// Operands in memory, ascending by instruction.
    pub memory_operands: Vec<MemoryOperand>,
    /// Instructions that need not be emitted, ascending. Copies from a register to itself are not among them, since
    /// they are recognized without this.
    pub deleted: Vec<u32>,
    pub slots: Vec<SlotData>,
    /// The physical registers that are written anywhere in the function.
    pub written: PRegSet,
}

impl Allocation {
    /// Empties the lists but keeps their memory.
    pub fn clear(&mut self) {
        self.regs.clear();
        self.edits.clear();
        self.edge_moves.clear();
        self.memory_operands.clear();
        self.deleted.clear();
        self.slots.clear();
        self.written = PRegSet::EMPTY;
    }
}

/// What an allocator needs to know besides the function.
#[derive(Clone, Copy, Debug)]
pub struct AllocatorInput<'a> {
    pub desc: &'static TargetDesc,
    pub ops: &'static [OpDesc],
    /// The registers that virtual registers may be assigned to. Others are never touched: the scratch registers, the
    /// stack pointer, and a frame pointer that is in use.
    pub allocatable: PRegSet,
    /// Whether the integer scratch register is among them, so that moves from memory to memory go through the other
    /// class's.
    pub lends_scratch: bool,
    /// Those of them that only instructions with [`OpDesc::names_upper`] may name.
    pub upper: PRegSet,
    /// Those of them that must be saved and restored if the function writes them.
    pub callee_saved: PRegSet,
    /// Whether a spill slot may hold different values at different times (not in functions with calls that return
    /// twice, contract 12).
    pub reuse_slots: bool,
    /// Whether to minimize the size of the code instead of its execution time.
    pub for_size: bool,
    pub options: &'a AllocatorOptions,
}

/// A register allocator.
pub trait Allocator: std::fmt::Debug + Send {
    /// Fills an empty allocation for a machine function.
    ///
    /// # Errors
    /// If the function cannot be allocated.
    fn allocate(
        &mut self,
        func: &MFunc,
        input: &AllocatorInput<'_>,
        allocation: &mut Allocation,
    ) -> Result<(), CodegenError>;
}

/// The options that a recipe can set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocatorOptions {
    /// Whether live ranges are split, so that a value may be in different places at different times.
    pub split: bool,
    /// Whether spilled values become memory operands where the instruction has a form for that.
    pub memory_operands: bool,
    /// Whether constants are rematerialized instead of being spilled.
    pub rematerialize: bool,
}

impl Default for AllocatorOptions {
    fn default() -> Self {
        AllocatorOptions {
            split: true,
            memory_operands: true,
            rematerialize: true,
        }
    }
}
