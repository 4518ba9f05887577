//! What a target supplies: tables and rules ([`Isa`]), and the object-safe half that drivers hold ([`Target`]).
//!
//! Targets implement [`Isa`] only. Rules never decide where a value lives; hooks that shared code calls with explicit
//! registers (`mov`, `spill`, `materialize` ...) may write no other register, and no flags (contract 2), unless their
//! documentation says so.

use crate::analyze::Folder;
use crate::buffer::{CodeBuffer, ShortForm};
use crate::desc::{ConvDesc, OpDesc, TargetDesc};
use crate::error::CodegenError;
use crate::fast::FastState;
use crate::lower_ctx::LowerCtx;
use crate::minst::{Label, MInst, Mem};
use crate::module_view::ModuleView;
use crate::optimize::{MachRecipe, OptimizeState};
use crate::pass::{MachPasses, MachRules, NoMachRules};
use crate::print::AsmNames;
use crate::reg::{PRegSet, Reg, RegClass};
use crate::result::{CompiledFunction, UnwindOp};
use frazil_ir::module::FunctionHead;
use frazil_ir::{CallConv, Function, Inst, Operand, SymbolId, Type, TypeTable};
use std::fmt;

/// How a type is spread over registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Number of registers, 1 to 4; 0 for a type the target does not compile.
    pub count: u8,
    /// Whether they are float registers.
    pub float: bool,
    /// Bytes of each part: 1, 2, 4, 8 or 16.
    pub bytes: u8,
}

impl Parts {
    /// The class of the registers.
    #[inline]
    pub fn class(self) -> RegClass {
        if self.float { RegClass::Float } else { RegClass::Int }
    }

    /// Bytes of a frame slot for all parts; at least 4, so that rules may read more than the type's width.
    #[inline]
    pub fn slot_bytes(self) -> u32 {
        u32::from(self.count) * u32::from(self.bytes.max(4))
    }

    /// Where a part lies in the slot.
    #[inline]
    pub fn offset(self, part: u8) -> i32 {
        i32::from(part) * i32::from(self.bytes.max(4))
    }
}

/// A branch: taken when `first` is, joined with `second`. Labels are filled in by shared code.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// A conditional branch instruction.
    pub first: MInst,
    /// Another one, and how they combine.
    pub second: Option<(Join, MInst)>,
}

/// How two conditions make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Both must hold.
    And,
    /// One must hold.
    Or,
}

/// A comparison of a switch value with a case value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseTest {
    /// Equal.
    Equal,
    /// Unsigned less than.
    Below,
}

/// A switch value in registers that the rule owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchValue {
    /// The value, or its low part.
    pub low: Reg,
    /// The part above, or [`Reg::NONE`] when there is none.
    pub high: Reg,
}

/// What a call goes to.
#[derive(Clone, Copy, Debug)]
pub enum CallTarget {
    /// A symbol.
    Symbol(SymbolId),
    /// The address in a register.
    Reg(Reg),
}

/// The frame of a finished function, for prologue and epilogue.
#[derive(Clone, Copy, Debug)]
pub struct FrameInfo {
    /// Whether the function has a frame at all.
    pub needs_frame: bool,
    /// Whether the frame pointer is set up; without, the frame is addressed from the stack pointer.
    pub frame_pointer: bool,
    /// Whether saved registers are pushed (see [`crate::desc::TargetDesc::pushes_saved_registers`]); then
    /// `saved_offset` and `saved_step` say nothing.
    pub pushes_saved: bool,
    /// Bytes below the saved frame pointer: slots, spills, saved registers; a multiple of the stack alignment.
    pub frame_bytes: u32,
    /// Callee-saved registers that are written.
    pub saved: PRegSet,
    /// Offset from the frame pointer of the first saved register.
    pub saved_offset: i32,
    /// Distance in bytes by which each further one lies below: the width of the widest.
    pub saved_step: i32,
    /// Whether the function calls others.
    pub has_calls: bool,
    /// Whether the stack pointer moves within the body.
    pub has_dynamic_stack: bool,
    /// Whether the area below the stack pointer may be used by a function that calls nothing.
    pub red_zone: bool,
    /// Pages of this many bytes must be touched in order when the frame is larger; 0 for no probes.
    pub probe_bytes: u32,
}

impl FrameInfo {
    /// The saved registers, each with its offset from the frame pointer.
    pub fn saved_places(&self) -> impl Iterator<Item = (Reg, i32)> {
        let offsets = (0..).map(|index| self.saved_offset - index * self.saved_step);
        self.saved.iter().zip(offsets)
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

/// One target: tables plus rules, used by the shared contexts.
pub trait Isa: Sized + Send + Sync + 'static {
    /// The target as data.
    fn desc(&self) -> &'static TargetDesc;
    /// The op table.
    fn op_descs(&self) -> &'static [OpDesc];
    /// A row of the op table.
    #[inline]
    fn op_desc(&self, op: u16) -> &'static OpDesc {
        &self.op_descs()[usize::from(op)]
    }
    /// The calling convention, if the target has it.
    fn convention(&self, conv: CallConv) -> Option<&'static ConvDesc>;
    /// How a type is spread over registers; a count of 0 for types that are not compiled.
    fn parts(&self, types: &TypeTable, ty: Type) -> Parts;
    /// Chooses which single-use producers the rule of `user` absorbs. The choice binds: its rule must take them.
    fn fold(&self, folder: &mut Folder<'_>, user: Inst);
    /// Lowers an instruction that is neither terminator nor call.
    ///
    /// # Errors
    /// A construct that the target does not compile, by name.
    fn lower<C: LowerCtx>(&self, cx: &mut C, inst: Inst) -> Result<(), CodegenError>;
    /// Lowers a condition to flags or registers and gives the branch that tests it.
    ///
    /// # Errors
    /// As for [`Isa::lower`].
    fn lower_branch<C: LowerCtx>(&self, cx: &mut C, condition: Operand) -> Result<Branch, CodegenError>;
    /// The opposite of a conditional branch instruction.
    fn invert(&self, branch: MInst) -> MInst;
    /// An unconditional branch.
    fn jump(&self, target: Label) -> MInst;
    /// A switch value of at most 64 bits, zero-extended to the width of its registers.
    ///
    /// # Errors
    /// As for [`Isa::lower`].
    fn switch_value<C: LowerCtx>(&self, cx: &mut C, value: Operand, ty: Type) -> Result<SwitchValue, CodegenError>;
    /// Compares a zero-extended switch value with a case value and gives the branch. May use the scratch register.
    fn case_branch<C: LowerCtx>(&self, cx: &mut C, test: CaseTest, value: SwitchValue, case: u64) -> MInst;
    /// Puts `value - low` into `temp` and gives the branch that is taken if that is at most `span`, unsigned. May use
    /// the scratch register.
    fn range_branch<C: LowerCtx>(&self, cx: &mut C, value: Reg, temp: Reg, low: u64, span: u64) -> MInst;
    /// Gives the branch that is taken if bit `index` (less than the register's width) of a mask is set. May use the
    /// scratch register.
    fn bit_branch<C: LowerCtx>(&self, cx: &mut C, index: Reg, mask: u64) -> MInst;
    /// Jumps through a table of label distances: entry `value - low`, or to `default` if that is above `span`.
    /// `value` (owned by the rule) and `temp` may be written, and the scratch register.
    #[allow(clippy::too_many_arguments, reason = "everything a table jump consists of")]
    fn table_jump<C: LowerCtx>(
        &self,
        cx: &mut C,
        value: SwitchValue,
        temp: Reg,
        low: u64,
        span: u64,
        table: Label,
        default: Label,
    );
    /// Puts the address of a symbol plus `addend` bytes into `dst`.
    ///
    /// # Errors
    /// When the symbol cannot be reached.
    fn symbol_addr<C: LowerCtx>(&self, cx: &mut C, dst: Reg, symbol: SymbolId, addend: i64)
    -> Result<(), CodegenError>;
    /// The address of a symbol plus `addend` bytes as a memory operand, where the target has that form.
    fn symbol_mem(&self, view: ModuleView<'_>, symbol: SymbolId, addend: i64) -> Option<Mem>;
    /// Puts an integer into `dst`; `bytes` is the part's width.
    fn int_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, value: i64);
    /// Puts a float register constant of `bytes` bytes, given by its bits, into `dst`.
    fn float_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, bits: u128);
    /// A float constant as a memory operand, where instructions take one.
    fn float_constant_mem<C: LowerCtx>(&self, _cx: &mut C, _bytes: u8, _bits: u128) -> Option<Mem> {
        None
    }
    /// The instruction that stops the program.
    fn trap(&self) -> MInst;
    /// A call instruction.
    fn call(&self, view: ModuleView<'_>, target: CallTarget) -> MInst;
    /// Copies a register.
    fn mov(&self, class: RegClass, bytes: u8, dst: Reg, src: Reg) -> MInst;
    /// Stores a register to memory of the frame or the outgoing arguments.
    fn spill(&self, class: RegClass, bytes: u8, src: Reg, mem: Mem) -> MInst;
    /// Loads a register from memory of the frame or the incoming arguments.
    fn reload(&self, class: RegClass, bytes: u8, dst: Reg, mem: Mem) -> MInst;
    /// Puts an address into a register.
    fn address<C: LowerCtx>(&self, cx: &mut C, dst: Reg, mem: Mem);
    /// Copies one integer part to `dst` with bits above `bits` cleared or sign-filled, up to the register's width.
    fn extend<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg, bits: u32, signed: bool);
    /// Copies `size` bytes between memory operands that do not overlap; may use the scratch registers and those of
    /// `claimed` (see [`Isa::block_copy_claims`]), and flags.
    fn block_copy<C: LowerCtx>(&self, cx: &mut C, dst: Mem, src: Mem, size: u32);
    /// Adds `src` to the pointer in `dst`; may write flags.
    fn add_pointer<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg);
    /// Rounds the address in `reg` down to a power of two; may write flags.
    fn align_down<C: LowerCtx>(&self, cx: &mut C, reg: Reg, align_log2: u8);
    /// Registers that [`Isa::block_copy`] writes for this size.
    fn block_copy_claims(&self, size: u32) -> PRegSet;
    /// Moves the stack pointer; flags survive.
    fn adjust_stack(&self, bytes: i32) -> MInst;
    /// At the entry of a variadic function: saves the argument registers from `int_used`, `float_used` on.
    fn save_variadic_registers<C: LowerCtx>(&self, cx: &mut C, area: Mem, int_used: u8, float_used: u8);
    /// Size in bytes of the area for that.
    fn variadic_area_bytes(&self) -> u32;
    /// The code before the body.
    fn prologue<S: FrameSink>(&self, frame: &FrameInfo, out: &mut S);
    /// The code that leaves the function.
    fn epilogue<S: FrameSink>(&self, frame: &FrameInfo, out: &mut S);
    /// Encodes an instruction whose registers are physical.
    fn encode(&self, inst: &MInst, out: &mut CodeBuffer);
    /// Writes an instruction as assembly text; `len` is the number of its bytes.
    ///
    /// # Errors
    /// As the writer's.
    fn print(&self, inst: &MInst, len: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result;
    /// The fixup kind of a jump table entry.
    fn table_entry_fixup(&self) -> u8;
    /// Rules of the passes over machine code.
    fn mach_rules(&self) -> &'static dyn MachRules {
        &NoMachRules
    }
    /// Branches that can be made shorter when their labels are near.
    fn short_forms(&self) -> &'static [ShortForm] {
        &[]
    }
}

/// The object-safe half, what the driver holds; implemented for every [`Isa`].
pub trait Target: Send + Sync {
    /// The target as data.
    fn desc(&self) -> &'static TargetDesc;
    /// Compiles a function by the fast path.
    ///
    /// # Errors
    /// A construct that is not compiled, by name and place.
    fn compile_fast(
        &self,
        function: &Function,
        head: &FunctionHead,
        view: ModuleView<'_>,
        state: &mut FastState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError>;
    /// Compiles a function by the optimizing path.
    ///
    /// # Errors
    /// A construct that is not compiled, by name and place.
    #[allow(clippy::too_many_arguments, reason = "what a compilation consists of")]
    fn compile_optimized(
        &self,
        function: &Function,
        head: &FunctionHead,
        view: ModuleView<'_>,
        recipe: &MachRecipe,
        passes: &mut dyn MachPasses,
        state: &mut OptimizeState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError>;
    /// Writes an instruction as assembly text; see [`Isa::print`].
    ///
    /// # Errors
    /// As the writer's.
    fn print(&self, inst: &MInst, len: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result;
}

impl<I: Isa> Target for I {
    fn desc(&self) -> &'static TargetDesc {
        Isa::desc(self)
    }

    fn compile_fast(
        &self,
        function: &Function,
        head: &FunctionHead,
        view: ModuleView<'_>,
        state: &mut FastState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError> {
        crate::fast::compile(self, function, head, view, state, out)
    }

    fn compile_optimized(
        &self,
        function: &Function,
        head: &FunctionHead,
        view: ModuleView<'_>,
        recipe: &MachRecipe,
        passes: &mut dyn MachPasses,
        state: &mut OptimizeState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError> {
        crate::optimize::compile(self, function, head, view, recipe, passes, state, out)
    }

    fn print(&self, inst: &MInst, len: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result {
        Isa::print(self, inst, len, names, out)
    }
}

/// What a target crate exports.
#[derive(Clone, Copy)]
pub struct TargetEntry {
    /// The name in `--target`.
    pub name: &'static str,
    /// Architecture names at the start of a triple that mean this target.
    pub triple_prefixes: &'static [&'static str],
    /// Makes the target.
    pub new: fn() -> Box<dyn Target>,
}

impl fmt::Debug for TargetEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
