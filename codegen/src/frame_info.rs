//! What the prologue and epilogue of a finished function must do, and the sink for their instructions.
//! [`crate::frame`] and `finish/emit.rs` have pictures of the frames.

use crate::minst::{MInst, Mem};
use crate::module_view::{ModuleView, RelocationModel};
use crate::reference::Label;
use crate::reg::{PRegSet, Reg};
use crate::unwind::UnwindOp;
use frazil_ir::module::{FunctionHead, GuardPlace, ReturnSigning};
use frazil_ir::{RuntimeFunction, SymbolId};

/// The frame of a finished function, for prologue and epilogue.
#[derive(Clone, Copy, Debug)]
pub struct FrameInfo {
    /// Whether the function has a frame at all.
    pub needs_frame: bool,
    /// Whether the frame pointer is set up; without, the frame is addressed from the stack pointer.
    pub frame_pointer: bool,
    /// Whether saved registers are pushed (see [`crate::desc::TargetDesc::pushes_saved_registers`]), those of the float
    /// class apart; then `saved_offset` and `saved_step` are about those, and count from `saved_base`.
    pub pushes_saved: bool,
    /// Bytes below the saved frame pointer: slots, spills, saved registers; a multiple of the stack alignment.
    pub frame_bytes: u32,
    /// Callee-saved registers that are written.
    pub saved: PRegSet,
    /// The register from which the places of saved registers are counted.
    pub saved_base: Reg,
    /// Distance from there to the canonical frame address, in bytes.
    pub saved_base_to_cfa: i32,
    /// Offset of the first saved register.
    pub saved_offset: i32,
    /// Distance in bytes by which each further one lies below: the width of the widest.
    pub saved_step: i32,
    /// What the stack pointer is aligned to after the pushes, in bytes; 0 if it is as the caller left it. Then the
    /// frame pointer is set up.
    pub realigned_to: u32,
    /// The saved register that points to the frame's end then, where the stack pointer does not stay there.
    pub area_register: Reg,
    /// Whether the epilogue must leave scratch registers as they are.
    pub keeps_scratch: bool,
    /// Whether registers wider than those of [`TargetDesc::vector_bytes`](crate::TargetDesc::vector_bytes) are written
    /// and nothing is returned in them, so that a target may forget what they held.
    pub leaves_wide: bool,
    /// Whether the function calls others.
    pub has_calls: bool,
    /// Whether the stack pointer moves within the body.
    pub has_dynamic_stack: bool,
    /// Whether the area below the stack pointer may be used by a function that calls nothing.
    pub red_zone: bool,
    /// What is set to zero after the epilogue.
    pub clearing: Clearing,
    /// How the stack is probed.
    pub probes: StackProbes,
    /// What is stored after the prologue and compared before the epilogue.
    pub guard: Option<Guard>,
    /// How the return address is protected.
    pub protection: ReturnProtection,
}

/// How a function protects its return address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReturnProtection {
    /// When it is signed.
    pub signing: ReturnSigning,
    /// Whether the second of two keys is taken.
    pub by_second_key: bool,
    /// Whether it is kept on a stack of its own, too, if it is stored.
    pub keeps_shadow: bool,
}

impl ReturnProtection {
    /// What the attributes of a function ask for; nothing for a naked one, whose text does it.
    pub(crate) fn of(head: &FunctionHead) -> ReturnProtection {
        if head.naked {
            return ReturnProtection::default();
        }
        ReturnProtection {
            signing: head.signs_return,
            by_second_key: head.signs_by_second_key,
            keeps_shadow: head.keeps_shadow_stack,
        }
    }
}

/// The guard of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// Where it is in the frame.
    pub mem: Mem,
    /// Where its value comes from.
    pub place: GuardPlace,
    /// The distance from there in bytes; `None` for the target's own.
    pub offset: Option<i32>,
    /// The variable that has its value on systems where threads have none.
    pub variable: SymbolId,
    /// What is called when it has changed; does not return.
    pub fail: SymbolId,
    /// The global offset table, in position-independent code.
    pub table: Option<SymbolId>,
}

impl Guard {
    /// The guard of a function of this module.
    pub(crate) fn new(mem: Mem, view: ModuleView<'_>) -> Guard {
        Guard {
            mem,
            place: view.module.flags.place_of_guard(),
            offset: view.module.flags.guard_offset,
            variable: RuntimeFunction::StackCheckGuard.symbol(view.symbol_count()),
            fail: RuntimeFunction::StackCheckFail.symbol(view.symbol_count()),
            table: (view.relocation_model == RelocationModel::Pic)
                .then(|| RuntimeFunction::GlobalOffsetTable.symbol(view.symbol_count())),
        }
    }
}

/// How pages of the stack are touched in order, so that none is passed over that guards its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct StackProbes {
    /// Size of the pages in bytes; 0 for no probes.
    pub bytes: u32,
    /// The function that touches them for the prologue; without, instructions do it.
    pub function: Option<SymbolId>,
}

impl FrameInfo {
    /// The saved registers, each with its offset from `saved_base`; where those of the integer class are pushed, only
    /// the others.
    pub fn saved_places(&self) -> impl Iterator<Item = (Reg, i32)> {
        let offsets = (0..).map(|index| self.saved_offset - index * self.saved_step);
        let stored = PRegSet::from_banks(if self.pushes_saved { 0 } else { u64::MAX }, u64::MAX);
        self.saved.intersection(stored).iter().zip(offsets)
    }

    /// The saved registers that are pushed, in this order.
    pub fn pushed(&self) -> PRegSet {
        let int = if self.pushes_saved { self.saved.bank(0) } else { 0 };
        PRegSet::from_banks(int, 0)
    }
}

/// Where prologue and epilogue rules put their instructions.
pub trait FrameSink {
    /// Appends an instruction.
    fn emit(&mut self, inst: MInst);
    /// Describes the frame from here on.
    fn unwind(&mut self, op: UnwindOp);
    /// A new label.
    fn label(&mut self) -> Label;
    /// Binds a label here.
    fn bind(&mut self, label: Label);
}

/// What is cleared before a function is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clearing {
    /// Registers, those with results or arguments among them.
    pub registers: PRegSet,
    /// Whether the stack of the floating-point unit is, too.
    pub has_stack: bool,
    /// How many results it has then, which are kept.
    pub stack_results: u32,
}

impl Clearing {
    /// Whether there is nothing to do.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.registers == PRegSet::EMPTY && !self.has_stack
    }

    /// The same without registers that the caller or the callee of a tail call reads, and with results on the register
    /// stack kept.
    pub(crate) fn without(self, kept: PRegSet, stack_results: u32) -> Clearing {
        Clearing {
            registers: self.registers.minus(kept),
            stack_results,
            ..self
        }
    }
}
