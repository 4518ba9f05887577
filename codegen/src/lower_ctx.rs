//! What a lowering rule may request.
//!
//! A rule is a sequence of steps (contract 7). In each step, in this order: claim fixed registers and take operands
//! into them, take other uses, take temporaries and definitions, emit. [`LowerCtx::step`] ends a step and unpins
//! everything but values. What allocators must see as one instruction stands in a group: every register it needs is
//! taken before the group begins, and inside it only instructions and local labels are allowed.
//!
//! Registers that a rule was given by a `use_` request hold the operand's part and must not be written, unless
//! [`LowerCtx::def_reuse`] or [`LowerCtx::use_fixed`] handed them over.

use crate::error::CodegenError;
use crate::frame_info::StackProbes;
use crate::minst::{MInst, Mem};
use crate::module_view::ModuleView;
use crate::reference::Label;
use crate::reg::{PRegSet, Reg, RegClass};
use frazil_ir::{Function, Operand, RuntimeFunction, Type, Value};

/// An operand where a rule can take it: in a register, as an immediate, or in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Src {
    Reg(Reg),
    /// A small constant, sign-extended from the operand's width.
    Imm(i32),
    /// In memory, at least as wide as the operand's type.
    Mem(Mem),
}

/// Which immediates an instruction takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImmKind {
    None,
    /// Signed, of this many bits (at most 32).
    Signed(u8),
}

impl ImmKind {
    /// Whether a value fits.
    #[inline]
    pub fn accepts(self, value: i64) -> bool {
        match self {
            ImmKind::None => false,
            ImmKind::Signed(bits) => value << (64 - bits) >> (64 - bits) == value,
        }
    }
}

/// What kind of thing a group is; see contract 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// Instructions with internal branches or loops.
    Plain,
}

/// An area of the frame for one rule, by its offset from the frame pointer.
#[derive(Clone, Copy, Debug)]
pub struct FrameArea(pub(crate) i32);

/// An argument of a runtime function that is the address of an area, by its number.
pub type AreaArgument = (usize, FrameArea);

/// A call without operands, by the C convention, that must stay as it is: a group of instructions, whose result is in
/// the convention's first integer result register.
#[derive(Clone, Copy, Debug)]
pub struct CallSequence<'s> {
    /// Instructions that fill argument registers.
    pub before: &'s [MInst],
    /// The registers they fill. None of them keeps what it held.
    pub arguments: PRegSet,
    pub call: MInst,
    /// Instructions that read and write the result register, and no other.
    pub after: &'s [MInst],
}

/// Where a variadic function finds its variable arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariadicArea {
    /// The frame slot that the entry code saved the argument registers in.
    pub register_save: Mem,
    /// How many integer argument registers the fixed parameters took.
    pub int_args_used: u8,
    /// How many float argument registers they took.
    pub float_args_used: u8,
    /// The first variable argument on the stack.
    pub overflow: Mem,
}

/// A part of an integer constant that is in general registers of so many bytes, extended by its sign.
fn part_of_constant(value: i64, part: u8, word_bytes: u8) -> i64 {
    let distance = u32::from(part) * u32::from(word_bytes) * 8;
    let part = value >> distance.min(63);
    if word_bytes < 8 { i64::from(part as i32) } else { part }
}

/// The requests. Implemented by the fast and the selecting context; a target may put something between its rules and
/// these.
pub trait LowerCtx {
    /// How wide a general register is, in bytes ([`crate::Isa::WORD_BYTES`]).
    const WORD_BYTES: u8;
    /// The function that is compiled.
    fn func(&self) -> &Function;
    /// The module and the options.
    fn view(&self) -> ModuleView<'_>;
    /// Whether the producer of an operand was folded into the current instruction (or one it absorbs).
    fn is_folded(&self, operand: Operand) -> bool;
    /// Whether an overflow bit is in the flags for the branch after the current instruction, or before the current
    /// branch.
    fn is_in_flags(&self, bit: Operand) -> bool;
    /// Ends a step.
    fn step(&mut self);
    /// Frees these registers for this step; the rule may write them.
    fn claim(&mut self, fixed: PRegSet);
    /// The part of an operand in a register.
    fn use_reg(&mut self, operand: Operand, part: u8) -> Reg;
    /// The same, when this rule reads the part no more after its next definition.
    fn use_last(&mut self, operand: Operand, part: u8) -> Reg;
    /// The part of an operand in this register, claimed; the rule may then write it.
    fn use_fixed(&mut self, operand: Operand, part: u8, reg: Reg);
    /// The part in a register of its own that the rule may write, also where the rule has it for reading already.
    fn use_copy(&mut self, operand: Operand, part: u8) -> Reg;
    /// The part of an operand as the instruction can take it.
    fn use_src(&mut self, operand: Operand, part: u8, imm: ImmKind) -> Src;
    /// The same, but never in memory.
    fn use_reg_or_imm(&mut self, operand: Operand, part: u8, imm: ImmKind) -> Src {
        if let Some(value) = self.func().int_constant(operand) {
            let value = part_of_constant(value, part, Self::WORD_BYTES);
            if imm.accepts(value) {
                return Src::Imm(value as i32);
            }
        }
        Src::Reg(self.use_reg(operand, part))
    }
    /// The address that a pointer operand holds, in the target's address forms. `span_bytes` is how many bytes past
    /// the address the rule goes with displacements of its own.
    fn use_addr(&mut self, pointer: Operand, span_bytes: u32) -> Mem;
    /// The register for a part of a result.
    fn def(&mut self, value: Value, part: u8) -> Reg;
    /// The register for a part of a result, holding what `src` holds: `src` itself when it came from `use_last` and
    /// is free after this rule, else another one with a copy.
    fn def_reuse(&mut self, value: Value, part: u8, src: Reg) -> Reg;
    /// Says that a part of a result now is in this register, which the rule claimed.
    fn def_fixed(&mut self, value: Value, part: u8, reg: Reg);
    /// The register for an overflow bit, unless the flags hold it.
    fn def_overflow(&mut self, bit: Value) -> Option<Reg> {
        (!self.is_in_flags(Operand::value(bit))).then(|| self.def(bit, 0))
    }
    /// A register for this step.
    fn temp(&mut self, class: RegClass) -> Reg;
    /// Appends an instruction.
    fn emit(&mut self, inst: MInst);
    /// Opens a group.
    fn begin_group(&mut self, kind: GroupKind);
    /// Closes the group.
    fn end_group(&mut self);
    /// A label inside the group.
    fn local_label(&mut self) -> Label;
    /// Binds a label inside the group.
    fn bind(&mut self, label: Label);
    /// Calls a runtime function by the C convention; ends the step before and after.
    ///
    /// # Errors
    /// When an argument has a type that the target cannot pass.
    fn call_runtime(
        &mut self,
        function: RuntimeFunction,
        args: &[(Operand, Type)],
        result: Option<Value>,
    ) -> Result<(), CodegenError> {
        self.call_runtime_with(function, args, &[], result)
    }
    /// The same with areas of the frame as arguments, which stand as [`Operand::NONE`] among `args`. They must be among
    /// those that are passed in registers.
    ///
    /// # Errors
    /// As for [`LowerCtx::call_runtime`].
    fn call_runtime_with(
        &mut self,
        function: RuntimeFunction,
        args: &[(Operand, Type)],
        areas: &[AreaArgument],
        result: Option<Value>,
    ) -> Result<(), CodegenError>;
    /// A new area of the frame; `align` is at most the stack's.
    fn frame_area(&mut self, bytes: u32, align: u32) -> FrameArea;
    /// The area of 32 bytes, aligned to 16, that all rules share: what is in it is lost at the end of the rule.
    fn shared_area(&mut self) -> FrameArea;
    /// The memory operand of an area.
    fn area_mem(&mut self, area: FrameArea) -> Mem;
    /// Makes a call that is a fixed sequence of instructions; `result` is a pointer. Ends the step before and after.
    ///
    /// # Errors
    /// When the target has no C convention.
    fn call_sequence(&mut self, sequence: &CallSequence<'_>, result: Value) -> Result<(), CodegenError>;
    /// Says that the frame pointer is used by an instruction of the rule.
    fn need_frame(&mut self);
    /// How the stack of the function is probed.
    fn stack_probes(&self) -> StackProbes;
    /// What the stack pointer is aligned to where the rule finds it, in bytes.
    fn frame_align(&self) -> u32;
    /// Says that the stack pointer is moved by the rule (dynamic allocation).
    fn move_stack(&mut self);
    /// Where the variable arguments of the current function are; `None` if it is not variadic.
    fn variadic_area(&mut self) -> Option<VariadicArea>;
    /// A constant of 4, 8 or 16 bytes in memory.
    fn pool_constant(&mut self, bytes: &[u8]) -> crate::reference::Ref;
}
