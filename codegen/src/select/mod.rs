//! The selecting context: the same lowering rules as in the fast context, but with virtual registers, into a machine
//! function.
//!
//! Method: one walk over the blocks in layout order, with the folding marks of [`crate::analyze`]. Each request for a
//! register returns a virtual register, and each emitted instruction is appended to an [`MFunc`]. Fixed registers
//! (arguments, results, operands of divisions and shifts) are copies to and from physical registers around the
//! instruction (contract 9), so a rule's claims need no action: the allocator sees in the instructions what they
//! overwrite. Moves into phis stand on edges and are placed after allocation.
//!
//! Invariants: those of [`MFunc`]. No physical registers and no spill slots are chosen here, but the function's stack
//! slots get their offsets in the frame.

mod asm;
mod blocks;
mod callee;
mod calls;
mod ctx;
mod exceptions;
mod image;
mod tail;

use crate::abi::ArgLayout;
use crate::analyze::Analysis;
use crate::buffer::CodeBuffer;
use crate::context::call_plan::CallPlan;
use crate::context::protector::guarded_slots;
use crate::context::refusals::realigns;
use crate::context::{Addressing, Base, Context, PlaceBase, TypeParts};
use crate::desc::Role;
use crate::error::CodegenError;
use crate::features::FeatureSet;
use crate::follow::Selected;
use crate::halt::Halt;
use crate::isa::Isa;
use crate::lent::Lent;
use crate::mfunc::{FrameNeeds, MFunc, op_desc, pseudo};
use crate::minst::{MInst, Mem};
use crate::parts::Parts;
use crate::reg::{Reg, RegClass};
use crate::unit::Unit;
use exceptions::Invokes;
use frazil_ir::module::{FunctionHead, ReturnSigning, StackProtector};
use frazil_ir::{EntityRef, Function, Operand, Value};
use image::ImageBase;

/// The entry of [`SelectState::vreg_of`] for a value without virtual registers so far.
const NO_VREG: u32 = u32::MAX;

/// The most addresses that a block keeps in registers for further uses.
const MAX_BASES: usize = 4;

/// The most constants that a block keeps in registers for further uses.
const MAX_CONSTANTS: usize = 4;

/// The address of a place in a register.
#[derive(Clone, Copy, Debug)]
struct KnownBase {
    place: PlaceBase,
    /// Bytes from there.
    distance: i64,
    reg: Reg,
    /// The position of the last instruction that computes it.
    made_at: u32,
    /// Whether nothing has been called since.
    is_known: bool,
}

/// The memory of the selecting context, kept from function to function.
#[derive(Debug, Default)]
pub struct SelectState {
    analysis: Analysis,
    parts: TypeParts,
    /// The virtual register of the first part of each value; the others follow it.
    vreg_of: Vec<u32>,
    /// Addresses of places that were computed in the current block, the oldest first.
    bases: Vec<KnownBase>,
    /// Constants that are in registers since the last call of the block, each with its part and the width of an
    /// immediate; and which of them is replaced next.
    constants: Vec<((Operand, u8, u8), Reg)>,
    next_constant: usize,
    /// By stack slot: its offset from the frame pointer, and whether only its address is there, because it needs more
    /// alignment than the frame has.
    slots: Vec<(i32, bool)>,
    /// By parameter: the offset from the frame pointer of memory that is passed by value, or of the swifterror value.
    by_value: Vec<i32>,
    /// Parameters that nothing uses, with the registers in which they come, if there is debug information.
    unused: Vec<(Value, Reg)>,
    layout: Lent<ArgLayout>,
    plan: Lent<CallPlan>,
    /// By float argument of a call that is also passed in an integer register: that register, and a virtual register
    /// with its bits.
    shadows: Vec<(Reg, Reg)>,
    cases: Vec<(u64, u32)>,
    exit_labels: Vec<u32>,
    invokes: Invokes,
    /// The refusals so far, if all of them are to be found; the machine function is of no use then.
    refusals: Option<Vec<CodegenError>>,
}

impl SelectState {
    /// By stack slot: its offset from the frame pointer, and whether only its address is there; and the offsets of
    /// arguments that are passed in memory.
    pub(crate) fn memory_places(&self) -> (&[(i32, bool)], &[i32]) {
        (&self.slots, &self.by_value)
    }
}

impl SelectState {
    /// What is known of the values of the function that was selected last.
    pub(crate) fn selected<'a>(&'a self, func: &'a MFunc) -> Selected<'a> {
        Selected {
            first_vreg: &self.vreg_of,
            parts: &self.parts,
            slots: &self.slots,
            unused: &self.unused,
            func,
        }
    }
}

/// The context of one function.
struct SelectCtx<'a, I: Isa> {
    /// Its buffer gets labels, constants and jump tables already while instructions are selected.
    base: Base<'a, I>,
    st: &'a mut SelectState,
    mfunc: &'a mut MFunc,
    /// The IR instruction that is being lowered, by its number.
    origin: u32,
    /// The first machine instruction of the current lowering rule; for a terminator, the first one after what the
    /// moves of edges need.
    rule_start: u32,
    /// The first instruction of the open group.
    group_start: Option<u32>,
    /// The pointer to memory for the results, if the caller passes one.
    result_pointer: Option<Reg>,
    image: ImageBase,
    /// Whether calls that need not be tail calls stay ordinary calls.
    keeps_calls: bool,
    /// Whether a tail call has just been made, so that the return after it emits nothing.
    is_left: bool,
}

/// Fills `mfunc` with the machine code of a function. Labels, constants and jump tables are made in `buf`.
pub(crate) fn select<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    state: &mut SelectState,
    mfunc: &mut MFunc,
    buf: &mut CodeBuffer,
) -> Result<(), Halt> {
    let mut base = Base::new(isa, unit, buf)?;
    if realigns(unit.head) {
        base.frame_align = base.stack_align.max(base.conv.stack_align).max(unit.head.stack_align);
        base.incoming_align = isa.desc().pointer_bytes.into();
    }
    mfunc.clear();
    mfunc.least_int_bytes = match isa.desc().moves_whole_registers {
        true => isa.desc().class(RegClass::Int).bytes,
        false => 0,
    };
    state.begin(isa, unit.function, unit.view.features);
    mfunc.is_strict = state.analysis.is_strict;
    mfunc.frame = FrameNeeds {
        areas: std::mem::take(&mut mfunc.frame.areas),
        has_dynamic_stack: state.analysis.has_dynamic_stack,
        calls_returning_twice: state.analysis.calls_returning_twice,
        is_never_wrapped: unit.head.signs_return == ReturnSigning::All,
        realigned_to: if realigns(unit.head) { base.frame_align } else { 0 },
        ..FrameNeeds::default()
    };
    mfunc.frame.areas.reset(!state.analysis.calls_returning_twice, 0);
    let calls_returning_twice = state.analysis.calls_returning_twice;
    let mut cx = SelectCtx {
        base,
        st: state,
        mfunc,
        origin: 0,
        rule_start: 0,
        group_start: None,
        result_pointer: None,
        image: ImageBase::default(),
        keeps_calls: unit.head.no_tail_calls || calls_returning_twice,
        is_left: false,
    };
    cx.place_slots(unit.head)?;
    cx.lower_blocks()?;
    if I::HAS_IMAGE_BASE {
        cx.finish_image_base();
    }
    match cx.base.error.take() {
        Some(error) => Err(error.into()),
        None => {
            if unit.function.has_vectors() || unit.function.has_wide_vectors() {
                let float_bytes = isa.desc().class(RegClass::Float).bytes;
                cx.mfunc.widen_registers(isa.op_descs(), float_bytes);
            }
            cx.mfunc.compute_predecessors();
            Ok(())
        }
    }
}

/// All refusals of a function, not only the first one. Operations on vectors that would be expanded are left out.
pub(crate) fn refusals<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    state: &mut SelectState,
    mfunc: &mut MFunc,
    buf: &mut CodeBuffer,
) -> Vec<CodegenError> {
    state.refusals = Some(Vec::new());
    let outcome = select(isa, unit, state, mfunc, buf);
    let mut found = state.refusals.take().unwrap_or_default();
    if let Err(Halt::Failed(error)) = outcome {
        found.push(error);
    }
    found
}

impl SelectState {
    /// Starts a function.
    fn begin<I: Isa>(&mut self, isa: &I, function: &Function, features: FeatureSet) {
        self.analysis.features = features;
        self.analysis.compute_marks(isa, function);
        self.parts.learn(isa, function);
        self.vreg_of.clear();
        self.vreg_of.resize(function.values().len(), NO_VREG);
        self.invokes.start();
        // Of a function that was refused.
        self.bases.clear();
        self.by_value.clear();
        self.unused.clear();
        self.by_value.resize(function.param_count(), 0);
    }
}

impl<I: Isa> SelectCtx<'_, I> {
    /// Returns a refusal as the error, or keeps it and goes on if all refusals are to be found.
    #[cold]
    fn refuse(&mut self, halt: Halt) -> Result<(), Halt> {
        let Some(found) = &mut self.st.refusals else {
            return Err(halt);
        };
        if let Halt::Failed(error) = halt {
            found.push(error);
        }
        self.group_start = None;
        Ok(())
    }

    /// Appends an instruction. [`SelectCtx::note_origins`] must be called after the last one of an IR instruction.
    #[inline]
    fn put(&mut self, inst: MInst) {
        let inst = if I::HAS_IMAGE_BASE && inst.is_symbol() {
            self.based(inst)
        } else {
            inst
        };
        if let Some(start) = self.group_start {
            self.keep_old_contents(&inst, start);
        }
        self.mfunc.insts.push(inst);
    }

    /// Notes the IR instruction that is being lowered as the origin of all machine instructions since the last call.
    #[inline]
    fn note_origins(&mut self) {
        self.mfunc.origins.resize(self.mfunc.insts.len(), self.origin);
    }

    /// A definition in a group may be skipped by the group's branches; readers then see what the register held before
    /// the group, which therefore counts as a use (see [`pseudo::USE`]). This applies to registers that the rule has
    /// defined before the group.
    #[cold]
    fn keep_old_contents(&mut self, inst: &MInst, group_start: u32) {
        let ops = self.base.isa.op_descs();
        let defines =
            |inst: &MInst, index: usize, reg| inst.reg(index) == reg && op_desc(ops, inst.op).roles[index] == Role::Def;
        for (index, &reg) in inst.regs().iter().enumerate() {
            let before = &self.mfunc.insts[self.rule_start as usize..group_start as usize];
            if reg.is_virtual()
                && defines(inst, index, reg)
                && before
                    .iter()
                    .any(|other| (0..3).any(|index| defines(other, index, reg)))
            {
                let mut keep = MInst::new(pseudo::USE, 0);
                keep.set_reg(0, reg);
                self.mfunc.insts.push(keep);
            }
        }
    }

    /// The virtual register of a part of a value.
    #[inline]
    fn vreg(&mut self, value: Value, part: u8) -> Reg {
        let first = match self.st.vreg_of[value.index()] {
            NO_VREG => self.new_vregs(value),
            first => first,
        };
        Reg::virtual_number(first + u32::from(part))
    }

    /// Makes virtual registers for all parts of a value and returns the first one's number. Out of line, so that the
    /// common case of [`SelectCtx::vreg`] stays short.
    #[inline(never)]
    fn new_vregs(&mut self, value: Value) -> u32 {
        let parts = self.st.parts[self.base.function.value(value).ty.index()];
        let first = self.mfunc.vregs.len() as u32;
        for _ in 0..parts.count {
            self.mfunc.new_vreg(parts.class(), parts.bytes, value.as_u32());
        }
        self.st.vreg_of[value.index()] = first;
        first
    }

    /// A new virtual register that belongs to no IR value.
    #[inline]
    fn fresh_vreg(&mut self, class: RegClass, bytes: u8) -> Reg {
        self.mfunc.new_vreg(class, bytes, u32::MAX)
    }

    /// The parts that an operand consists of; those of a pointer for operands without a type (immediates, symbols).
    fn operand_parts(&self, operand: Operand) -> Parts {
        let ty = operand
            .as_value()
            .map(|value| self.base.function.value(value).ty)
            .or_else(|| operand.as_const().map(|id| self.base.function.consts()[id.index()].ty));
        match ty {
            Some(ty) => self.st.parts[ty.index()],
            None => Parts {
                count: 1,
                float: false,
                bytes: self.base.isa.desc().pointer_bytes,
            },
        }
    }

    /// Allocates an area of the frame for each stack slot that is used. The address of a slot that needs more
    /// alignment than the frame has is computed at function entry and kept in the frame instead.
    fn place_slots(&mut self, head: &FunctionHead) -> Result<(), CodegenError> {
        let count = self.base.function.slots().len();
        self.st.slots.clear();
        self.st.slots.resize(count, (0, false));
        if head.stack_protector != StackProtector::None
            && let Some(order) = guarded_slots(head, self.base.function, self.base.isa.desc(), self.base.view)?
        {
            // A changed guard leads to a call at the end of the function.
            self.mfunc.frame.has_calls = true;
            let bytes = self.base.isa.desc().pointer_bytes;
            let frame = &mut self.mfunc.frame.areas;
            frame.guard = Some(frame.allocate_slot(u32::from(bytes)));
            order.into_iter().for_each(|slot| self.place_slot(slot.index()));
            return Ok(());
        }
        (0..count).for_each(|index| self.place_slot(index));
        Ok(())
    }

    fn place_slot(&mut self, index: usize) {
        let align_max = match self.mfunc.frame.realigned_to {
            0 => self.base.stack_align.min(self.base.conv.stack_align),
            realigned => realigned,
        };
        let align_max = u64::from(align_max);
        let slot = &self.base.function.slots()[index];
        if self.base.function.use_count(slot.address) == 0 {
            return;
        }
        let align = 1u64 << slot.align_log2.min(32);
        let frame = &mut self.mfunc.frame.areas;
        self.st.slots[index] = if align > align_max {
            (frame.allocate(slot.size.saturating_add(align), align_max), true)
        } else {
            (frame.allocate(slot.size.max(1), align), false)
        };
    }

    /// Computes the addresses of slots that need more alignment than the frame has; part of the entry code.
    fn align_slots(&mut self) {
        for index in 0..self.st.slots.len() {
            let (area, is_indirect) = self.st.slots[index];
            if !is_indirect {
                continue;
            }
            let bytes = self.base.isa.desc().pointer_bytes;
            let address = self.fresh_vreg(RegClass::Int, bytes);
            let align_log2 = self.base.function.slots()[index].align_log2;
            // The area has `align` bytes to spare; rounding its upper part down stays inside.
            let start = self.frame_mem(area);
            let start = start.offset(1 << align_log2.min(29)).unwrap_or(start);
            let isa = self.base.isa;
            isa.address(self, address, start);
            isa.align_down(self, address, align_log2);
            let holder = self.mfunc.frame.areas.allocate_slot(u32::from(bytes));
            let mem = self.frame_mem(holder);
            self.put(isa.spill(RegClass::Int, bytes, address, mem));
            self.st.slots[index].0 = holder;
        }
    }

    /// The memory operand of a load of up to 16 bytes that is folded into its user.
    #[inline]
    fn memory_of(&mut self, pointer: Operand) -> Mem {
        self.address_of(pointer, 16)
    }
}
