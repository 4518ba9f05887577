//! The selecting context: the same lowering rules, with virtual registers, into a machine function.
//!
//! Method: one walk over the blocks in layout order, as in the fast context, and with the same folding marks; each
//! request for a register names a virtual one, each instruction is appended. Fixed registers are copies to and from
//! physical registers around the instruction (contract 9), so that a rule's claims need no action: what it writes is
//! seen in its instructions. Moves into phis stand on edges, to be placed after allocation.
//!
//! Invariants: those of [`MFunc`]. It chooses no registers and no spill slots; it does give stack slots of the function
//! their places in the frame.

mod blocks;
mod calls;
mod ctx;

use crate::abi::ArgLayout;
use crate::analyze::Analysis;
use crate::buffer::CodeBuffer;
use crate::context::{Addressing, Context, refusals};
use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::isa::{Isa, Parts};
use crate::mfunc::{FrameNeeds, MFunc, op_desc, pseudo};
use crate::minst::{MInst, Mem};
use crate::module_view::ModuleView;
use crate::reg::{Reg, RegClass};
use frazil_ir::module::FunctionHead;
use frazil_ir::{EntityRef, Function, Operand, Type, Value};

/// No virtual register yet.
const NO_VREG: u32 = u32::MAX;
/// No definition yet.
const NO_DEFINITION: u32 = u32::MAX;

/// The memory of the selecting context, kept from function to function.
#[derive(Debug, Default)]
pub struct SelectState {
    analysis: Analysis,
    parts: Vec<Parts>,
    /// The virtual register of the first part of each value; the others follow it.
    vreg_of: Vec<u32>,
    /// By virtual register: the first instruction that defines it, or [`NO_DEFINITION`].
    defined: Vec<u32>,
    /// Offset of each stack slot from the frame pointer, and whether only its address stands there.
    slots: Vec<(i32, bool)>,
    /// By parameter: the offset of an argument's memory from the frame pointer.
    by_value: Vec<i32>,
    layout: ArgLayout,
    cases: Vec<(u64, u32)>,
    exit_labels: Vec<u32>,
}

/// The context of one function.
struct SelectCtx<'a, I: Isa> {
    isa: &'a I,
    function: &'a Function,
    view: ModuleView<'a>,
    st: &'a mut SelectState,
    mfunc: &'a mut MFunc,
    /// Labels, constants and jump tables are the code buffer's from the start.
    buf: &'a mut CodeBuffer,
    /// The convention of the function itself.
    conv: &'static ConvDesc,
    /// Layout position of the current block.
    position: u32,
    /// The instruction being lowered.
    origin: u32,
    /// Width of immediates of the current instruction, in bytes.
    imm_bytes: u8,
    /// The first instruction of the open group.
    group_start: Option<u32>,
    /// The hidden pointer to memory for results.
    result_pointer: Option<Reg>,
    /// The parameter that is to be returned.
    struct_return: Option<Value>,
    variadic_save: Option<i32>,
    incoming_bytes: u32,
    int_args_used: u8,
    float_args_used: u8,
    /// The first refusal met where none could be returned.
    error: Option<CodegenError>,
}

/// Fills `mfunc` from a function. Labels, constants and jump tables are made in `buf`.
pub(crate) fn select<I: Isa>(
    isa: &I,
    function: &Function,
    head: &FunctionHead,
    view: ModuleView<'_>,
    state: &mut SelectState,
    mfunc: &mut MFunc,
    buf: &mut CodeBuffer,
) -> Result<(), CodegenError> {
    refusals::refuse_attributes(head, view)?;
    refusals::refuse_layout(isa.desc(), function, view)?;
    let conv = isa
        .convention(function.signature.call_conv)
        .ok_or_else(|| CodegenError::unsupported(format!("calling convention {}", function.signature.call_conv.0)))?;
    mfunc.clear();
    state.analysis.walk(isa, function);
    let count = usize::from(Type::FIRST_EXTRA) + function.types.extra_len();
    state.parts.clear();
    state
        .parts
        .extend((0..count).map(|index| isa.parts(&function.types, Type::from_index(index as u8))));
    state.vreg_of.clear();
    state.vreg_of.resize(function.values.len(), NO_VREG);
    state.defined.clear();
    state.by_value.clear();
    state.by_value.resize(function.param_count(), 0);
    mfunc.frame = FrameNeeds {
        areas: std::mem::take(&mut mfunc.frame.areas),
        has_dynamic_stack: state.analysis.has_dynamic_stack,
        calls_returning_twice: state.analysis.calls_returning_twice,
        ..FrameNeeds::default()
    };
    mfunc.frame.areas.reset(!state.analysis.calls_returning_twice);
    let mut cx = SelectCtx {
        isa,
        function,
        view,
        st: state,
        mfunc,
        buf,
        conv,
        position: 0,
        origin: 0,
        imm_bytes: 8,
        group_start: None,
        result_pointer: None,
        struct_return: None,
        variadic_save: None,
        incoming_bytes: 0,
        int_args_used: 0,
        float_args_used: 0,
        error: None,
    };
    cx.place_slots();
    cx.lower_blocks()?;
    match cx.error.take() {
        Some(error) => Err(error),
        None => {
            cx.mfunc.compute_predecessors();
            Ok(())
        }
    }
}

impl<I: Isa> SelectCtx<'_, I> {
    /// Appends an instruction.
    #[inline]
    fn put(&mut self, inst: MInst) {
        self.note_definitions(&inst);
        self.mfunc.insts.push(inst);
        self.mfunc.origins.push(self.origin);
    }

    /// Keeps track of which registers are defined. In a group, a definition need not happen: then the register's old
    /// contents is still read (see [`pseudo::USE`]).
    #[inline]
    fn note_definitions(&mut self, inst: &MInst) {
        let desc = op_desc(self.isa.op_descs(), inst.op);
        for (index, role) in desc.roles.iter().enumerate() {
            let reg = inst.regs[index];
            if *role != crate::desc::Role::Def || !reg.is_virtual() {
                continue;
            }
            let number = reg.virtual_index();
            if number >= self.st.defined.len() {
                self.st.defined.resize(self.mfunc.vregs.len(), NO_DEFINITION);
            }
            let first = self.st.defined[number];
            if first == NO_DEFINITION {
                self.st.defined[number] = self.mfunc.insts.len() as u32;
            } else if self.group_start.is_some_and(|start| first < start) {
                let mut keep = MInst::new(pseudo::USE, 0);
                keep.regs[0] = reg;
                self.mfunc.insts.push(keep);
                self.mfunc.origins.push(self.origin);
            }
        }
    }

    /// The virtual register of a part of a value.
    #[inline]
    fn vreg(&mut self, value: Value, part: u8) -> Reg {
        let first = self.st.vreg_of[value.index()];
        if first != NO_VREG {
            return Reg::virtual_number(first + u32::from(part));
        }
        let parts = self.st.parts[self.function.value(value).ty.index()];
        let first = self.mfunc.vregs.len() as u32;
        for _ in 0..parts.count {
            self.mfunc.new_vreg(parts.class(), parts.bytes, value.as_u32());
        }
        self.st.vreg_of[value.index()] = first;
        Reg::virtual_number(first + u32::from(part))
    }

    /// A new virtual register that is no value's.
    #[inline]
    fn fresh_vreg(&mut self, class: RegClass, bytes: u8) -> Reg {
        self.mfunc.new_vreg(class, bytes, u32::MAX)
    }

    /// How a part of any operand is kept.
    fn operand_parts(&self, operand: Operand) -> Parts {
        let ty = operand
            .as_value()
            .map(|value| self.function.value(value).ty)
            .or_else(|| operand.as_const().map(|id| self.function.consts[id.index()].ty));
        match ty {
            Some(ty) => self.st.parts[ty.index()],
            None => Parts {
                count: 1,
                float: false,
                bytes: self.isa.desc().pointer_bytes,
            },
        }
    }

    /// Gives every stack slot its place in the frame. The address of an over-aligned slot is computed at the entry
    /// and kept in the frame.
    fn place_slots(&mut self) {
        let align_max = u64::from(self.conv.stack_align);
        self.st.slots.clear();
        for slot in &self.function.slots {
            if self.function.uses[slot.address.index()] == 0 {
                self.st.slots.push((0, false));
                continue;
            }
            let align = 1u64 << slot.align_log2.min(32);
            let frame = &mut self.mfunc.frame.areas;
            self.st.slots.push(if align > align_max {
                (frame.allocate(slot.size.saturating_add(align), align_max), true)
            } else {
                (frame.allocate(slot.size.max(1), align), false)
            });
        }
    }

    /// Computes the addresses of over-aligned slots; part of the entry code.
    fn align_slots(&mut self) {
        for index in 0..self.st.slots.len() {
            let (area, is_indirect) = self.st.slots[index];
            if !is_indirect {
                continue;
            }
            let bytes = self.isa.desc().pointer_bytes;
            let address = self.fresh_vreg(RegClass::Int, bytes);
            let align_log2 = self.function.slots[index].align_log2;
            // The area has `align` bytes to spare; rounding its upper part down stays inside.
            let start = self.frame_mem(area);
            let start = start.offset(1 << align_log2.min(29)).unwrap_or(start);
            let isa = self.isa;
            isa.address(self, address, start);
            isa.align_down(self, address, align_log2);
            let holder = self.mfunc.frame.areas.allocate_slot(u32::from(bytes));
            let mem = self.frame_mem(holder);
            self.put(isa.spill(RegClass::Int, bytes, address, mem));
            self.st.slots[index].0 = holder;
        }
    }

    /// The memory operand of a folded load, or of one in an address.
    #[inline]
    fn memory_of(&mut self, pointer: Operand) -> Mem {
        self.address_of(pointer, 16)
    }
}
