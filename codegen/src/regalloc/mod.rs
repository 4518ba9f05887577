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
//! 4. `coalesce`: copies and phis whose live ranges do not interfere become one *bundle*, which has one spill slot.
//! 5. `scan` (with `cost`, `occupancy`, `settle`): bundles are split into *parts*; each part gets a register or the
//!    bundle's slot.
//! 6. `localize`: a limit for the work that long-lived split bundles cause on edges.
//! 7. `fold`: reloads for a single use become memory operands.
//! 8. `slots`: bundles with disjoint live ranges share spill slots.
//! 9. `resolve`: operands get their registers; stores, reloads and moves are placed between parts and on edges.
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
mod coalesce;
mod cost;
mod fold;
mod frequency;
mod intervals;
mod liveness;
mod localize;
mod occupancy;
mod positions;
mod regions;
mod resolve;
mod scan;
mod slots;
#[cfg(test)]
mod tests;
mod walk;

pub use allocate::{RegAllocState, allocate};

use crate::desc::{OpDesc, TargetDesc};
use crate::error::CodegenError;
use crate::mfunc::MFunc;
use crate::reg::{PRegSet, Reg};

/// A spill slot: an index into [`Allocation::slots`]. Its place in the frame is chosen later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpillSlot(pub u32);

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
    /// Nothing: the instruction that defines the virtual register (its only definition, one that is
    /// [`OpDesc::is_rematerializable`], or its [`crate::mfunc::VReg::constant`]) is repeated.
    Rematerialize(Reg),
}

/// A move that the allocator asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocMove {
    /// The virtual register that is moved; it gives class and width.
    pub vreg: Reg,
    /// What is read.
    pub source: MoveSource,
    /// What is written.
    pub dest: RegOrSlot,
}

/// A move beside an instruction. Moves at one point take place at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The point: twice the instruction's number, plus one for after it. Never inside a group: before its first
    /// instruction or after its last; never after the end of a block's straight code (its branches).
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

/// A move on an edge, at the same time as the others of the edge. These include the edge's phi moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeMove {
    pub edge: u32,
    /// The move; `vreg` is the register that is written in the successor's view.
    pub action: AllocMove,
}

/// An operand that the instruction takes from, or leaves in, its spill slot: see [`OpDesc::memory_forms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOperand {
    pub inst: u32,
    /// Which register operand.
    pub operand: u8,
    pub slot: SpillSlot,
}

/// No register, in [`Allocation::regs`].
pub const NO_REG: u8 = u8::MAX;

/// Where everything is.
#[derive(Clone, Debug, Default)]
pub struct Allocation {
    /// For each instruction, the physical register of each register operand that is virtual, or [`NO_REG`].
    pub regs: Vec<[u8; 3]>,
    /// Moves beside instructions, ascending by point.
    pub edits: Vec<Edit>,
    /// Moves on edges, ascending by edge.
    pub edge_moves: Vec<EdgeMove>,
    /// Operands in memory, ascending by instruction.
    pub memory_operands: Vec<MemoryOperand>,
    /// Instructions that need not be emitted (copies from a register to itself are found without this), ascending.
    pub deleted: Vec<u32>,
    /// The sizes of the spill slots in bytes: 4, 8, 16 or 32.
    pub slots: Vec<u8>,
    /// Physical registers that are written.
    pub written: PRegSet,
}

impl Allocation {
    /// Forgets everything but keeps the memory.
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

/// What an allocator must know besides the function.
#[derive(Clone, Copy, Debug)]
pub struct AllocatorInput<'a> {
    pub desc: &'static TargetDesc,
    /// Its op table.
    pub ops: &'static [OpDesc],
    /// The registers that may be given to virtual registers. Others are never touched: the scratch registers, the
    /// stack pointer, a frame pointer that is in use.
    pub allocatable: PRegSet,
    /// Those of them that cost a save and a restore when they are written first.
    pub callee_saved: PRegSet,
    /// Whether a spill slot may hold different values at different times (contract 12).
    pub reuse_slots: bool,
    /// Whether the size of the code counts instead of how often it is executed.
    pub for_size: bool,
    /// The options of the recipe.
    pub options: &'a AllocatorOptions,
}

/// What can allocate registers.
pub trait Allocator: std::fmt::Debug + Send {
    /// Fills an empty allocation for a machine function.
    ///
    /// # Errors
    /// When the function cannot be allocated.
    fn allocate(
        &mut self,
        func: &MFunc,
        input: &AllocatorInput<'_>,
        allocation: &mut Allocation,
    ) -> Result<(), CodegenError>;
}

/// What a recipe can set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocatorOptions {
    /// Whether intervals are split, so that a value may be in different places at different times.
    pub split: bool,
    /// Whether spilled values are used from memory where an instruction can.
    pub memory_operands: bool,
    /// Whether constants are computed again instead of being stored.
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
