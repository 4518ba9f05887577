//! The state of the fast context, whose memory is used again for each function: the places of the parts of values, and
//! the owners of registers.

use super::layouts::Layouts;
use super::variables::Variables;
use crate::abi::ArgLayout;
use crate::analyze::{Analysis, HomeOwner};
use crate::check::Trace;
use crate::context::TypeParts;
use crate::context::call_plan::CallPlan;
use crate::features::FeatureSet;
use crate::frame::Frame;
use crate::isa::Isa;
use crate::lent::Lent;
use crate::minst::MInst;
use crate::optimize::OptimizeState;
use crate::parallel_move::ParallelMoves;
use crate::parts::Parts;
use crate::reference::Label;
use crate::reg::{PRegSet, Reg};
use frazil_ir::{EntityRef, Function, Value};
use frazil_support::EpochMap;

/// Stands in [`Assign::regs`] for no register.
pub const NO_REG: u8 = u8::MAX;

/// Areas of the frame are aligned to so many bytes at most, as stacks are.
const MOST_ALIGN_BYTES: u32 = 16;

/// The place of a value. A part is in a register, in the frame slot, or in both. Since SSA values do not change, a
/// part is stored at most once.
#[derive(Clone, Copy, Debug)]
pub struct Assign {
    /// The offset of its frame slot from the frame pointer; 0 if it has none.
    pub frame: i32,
    /// Remaining uses: the operand slots that have not been lowered yet.
    pub uses: u32,
    /// By part: the number of its register, or [`NO_REG`].
    pub regs: [u8; 4],
    /// A bit for each part that is in the frame slot.
    pub stored: u8,
    /// The registers that the value is spread over.
    pub parts: Parts,
}

/// The owner of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(u32);

impl Owner {
    pub const FREE: Owner = Owner(u32::MAX);
    /// The lowering rule that is running.
    pub const TEMP: Owner = Owner(u32::MAX - 1);

    /// A value or stack slot, whose home register this is.
    pub const HOME: Owner = Owner(u32::MAX - 2);

    /// A part of a value.
    #[inline]
    pub fn part(value: Value, part: u8) -> Owner {
        Owner(value.as_u32() | u32::from(part) << 30)
    }

    /// The value and part, if the owner is one.
    #[inline]
    pub fn as_part(self) -> Option<(Value, u8)> {
        (self.0 < u32::MAX - 2).then(|| (Value::new((self.0 & 0x3fff_ffff) as usize), (self.0 >> 30) as u8))
    }
}

/// The registers and their owners.
#[derive(Debug)]
pub struct RegFile {
    pub owner: [Owner; 128],
    /// Allocatable registers without an owner.
    pub free: PRegSet,
    /// Registers that must not be evicted in the current step.
    pub pinned: PRegSet,
    /// Home registers.
    pub fixed: PRegSet,
    /// Registers that the function has written so far.
    pub written: PRegSet,
    /// By bank: the register at which the search for the next one to evict begins.
    pub clock: [u32; 2],
}

impl Default for RegFile {
    fn default() -> Self {
        RegFile {
            owner: [Owner::FREE; 128],
            free: PRegSet::EMPTY,
            pinned: PRegSet::EMPTY,
            fixed: PRegSet::EMPTY,
            written: PRegSet::EMPTY,
            clock: [0; 2],
        }
    }
}

impl RegFile {
    /// Starts a function in which these registers may be allocated.
    pub fn reset(&mut self, allocatable: PRegSet) {
        self.owner.fill(Owner::FREE);
        self.free = allocatable;
        self.pinned = PRegSet::EMPTY;
        self.fixed = PRegSet::EMPTY;
        self.written = PRegSet::EMPTY;
        self.clock = [0; 2];
    }

    /// Gives a free register an owner, and counts it as written.
    #[inline]
    pub fn take(&mut self, reg: Reg, owner: Owner) {
        self.free.remove(reg);
        self.owner[reg.index()] = owner;
        self.written.insert(reg);
    }

    /// Makes an allocatable register free.
    #[inline]
    pub fn release(&mut self, reg: Reg) {
        self.owner[reg.index()] = Owner::FREE;
        self.free.insert(reg);
    }
}

/// A part of a constant, symbol or place, which is rematerialized by a move.
pub(super) type FreshPart = (frazil_ir::Operand, u8);

/// The memory of the fast path, kept from function to function.
#[derive(Debug, Default)]
pub struct FastState {
    pub(super) variables: Variables,
    pub(super) analysis: Analysis,
    pub(super) assigns: Vec<Assign>,
    pub(super) regs: RegFile,
    pub(super) frame: Frame,
    pub(super) parts: TypeParts,
    /// By stack slot: its offset from the frame pointer.
    pub(super) slots: Vec<i32>,
    /// By stack slot: its home register, or [`NO_REG`].
    pub(super) slot_homes: Vec<u8>,
    /// By stack slot: whether only its address is in the frame, because it needs more alignment than the frame has.
    pub(super) slot_is_indirect: Vec<bool>,
    /// By layout position: the head of a list of values whose live ranges end with that block, so that their frame
    /// slots become free. The list continues in `expire_next`.
    pub(super) expire_first: Vec<u32>,
    pub(super) expire_next: Vec<u32>,
    pub(super) layout: Lent<ArgLayout>,
    /// Where the function's own arguments and results are.
    pub(super) own_layout: Lent<ArgLayout>,
    pub(super) layouts: Layouts,
    pub(super) plan: Lent<CallPlan>,
    pub(super) moves: ParallelMoves<FreshPart>,
    pub(super) cases: Vec<(u64, u32)>,
    /// By tail call: the label of its epilogue, the instruction that leaves the function after it, and the registers
    /// that must not be cleared in between.
    pub(super) tail_calls: Vec<(Label, MInst, PRegSet)>,
    pub(super) exit_labels: EpochMap<u32>,
    /// Whether functions are checked; `None` means in builds with debug assertions only.
    pub(super) is_checked: Option<bool>,
    pub(super) trace: Box<Trace>,
    /// The memory of the selecting context, for functions that only it can compile.
    pub(super) optimize: Option<Box<OptimizeState>>,
}

impl FastState {
    /// An empty state for one worker, to be used again for all of its functions.
    pub fn new() -> FastState {
        FastState::default()
    }

    /// Sets whether the contents of registers and slots are checked for each function ([`crate::check`]). By default,
    /// they are in builds with debug assertions.
    pub fn set_checked(&mut self, is_checked: bool) {
        self.is_checked = Some(is_checked);
    }

    /// Starts a function.
    pub(super) fn begin<I: Isa>(&mut self, isa: &I, function: &Function, features: FeatureSet) {
        self.analysis.features = features;
        self.analysis.compute(isa, function);
        self.parts.learn(isa, function);
        self.layouts.begin(function);
        self.reset_assigns(function);
        let [int, float] = &isa.desc().classes;
        self.regs.reset(int.allocatable.union(float.allocatable));
        self.take_homes(function);
        self.tail_calls.clear();
        // The incoming arguments are aligned as the stack is.
        let above_bytes = isa.desc().incoming_args_offset.cast_unsigned() % MOST_ALIGN_BYTES;
        self.frame.reset(!self.analysis.calls_returning_twice, above_bytes);
    }

    /// Gives each value an empty assignment.
    fn reset_assigns(&mut self, function: &Function) {
        self.assigns.clear();
        let parts = &self.parts;
        self.assigns.extend(function.values().iter().map(|value| Assign {
            frame: 0,
            uses: value.use_count(),
            regs: [NO_REG; 4],
            stored: 0,
            parts: parts[value.ty.index()],
        }));
        self.expire_next
            .resize(function.values().len().max(self.expire_next.len()), u32::MAX);
        self.expire_first.clear();
        self.expire_first.resize(self.analysis.layout.order.len(), u32::MAX);
    }

    /// Reserves the home registers of values and stack slots.
    fn take_homes(&mut self, function: &Function) {
        self.slot_homes.clear();
        self.slot_homes.resize(function.slots().len(), NO_REG);
        for home in &self.analysis.homes.chosen {
            self.regs.take(home.reg, Owner::HOME);
            self.regs.fixed.insert(home.reg);
            let number = home.reg.index() as u8;
            match home.owner {
                HomeOwner::Value(value) => self.assigns[value.index()].regs[0] = number,
                HomeOwner::Slot(slot) => self.slot_homes[slot.index()] = number,
            }
        }
    }

    /// The home register of a value, if it has one.
    #[inline]
    pub(super) fn home(&self, value: Value) -> Option<Reg> {
        let reg = Reg(u32::from(self.assigns[value.index()].regs[0]));
        (reg.is_physical() && self.regs.fixed.contains(reg)).then_some(reg)
    }
}
