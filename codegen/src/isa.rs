//! What a target supplies: tables and rules ([`Isa`]), and the object-safe half that drivers hold ([`Target`]).
//!
//! Targets implement [`Isa`] only. Rules never decide where a value lives; hooks that shared code calls with explicit
//! registers (`mov`, `spill`, `materialize` ...) may write no other register, and no flags (contract 2), unless their
//! documentation says so.

use crate::analyze::Folder;
use crate::buffer::{CodeBuffer, ShortForm};
use crate::check::translation::{Meaning, NoMeaning};
use crate::context::clearing::Clearing;
use crate::desc::{ConvDesc, OpDesc, TargetDesc};
use crate::error::CodegenError;
use crate::fast::FastState;
use crate::inline_asm::AsmRules;
use crate::lower_ctx::LowerCtx;
use crate::minst::{Label, MInst, Mem, Ref};
use crate::module_view::ModuleView;
use crate::optimize::{MachRecipe, OptimizeState};
use crate::pass::{MachPasses, MachRules, NoMachRules};
use crate::print::AsmNames;
use crate::reg::{PRegSet, Reg, RegClass};
use crate::result::{CompiledFunction, UnwindOp};
use crate::unit::Unit;
use frazil_ir::module::GuardPlace;
use frazil_ir::{CallConv, Function, Inst, InstData, Operand, RuntimeFunction, SymbolId, Type, TypeTable};
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

    /// Whether each part is at most a general register wide: no vector, and a type that is compiled.
    #[inline]
    pub fn is_scalar(self) -> bool {
        matches!(self.bytes, 1..=8)
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

/// A switch value in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchValue {
    /// The value, or its low part.
    pub low: Reg,
    /// The part above, or [`Reg::NONE`] when there is none.
    pub high: Reg,
    /// How many bytes of a register are the value, zero-extended; what lies above them may be anything.
    pub bytes: u8,
}

/// A table of labels for the consecutive values from `low` to `low + span`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseTable {
    /// The value of the first entry.
    pub low: u64,
    /// How far above it the last one is.
    pub span: u64,
    /// Where the table is.
    pub label: Label,
    /// Where other values go; `None` if there are none.
    pub default: Option<Label>,
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
    /// What the stack pointer is aligned to behind the pushes, in bytes; 0 if it is as the caller left it. Then the
    /// frame pointer is set up.
    pub realigned_to: u32,
    /// The saved register that points to the frame's end then, where the stack pointer does not stay there.
    pub area_register: Reg,
    /// Whether the epilogue must leave scratch registers as they are.
    pub keeps_scratch: bool,
    /// Whether the function calls others.
    pub has_calls: bool,
    /// Whether the stack pointer moves within the body.
    pub has_dynamic_stack: bool,
    /// Whether the area below the stack pointer may be used by a function that calls nothing.
    pub red_zone: bool,
    /// What is set to zero behind the epilogue.
    pub clearing: Clearing,
    /// How the stack is probed.
    pub probes: StackProbes,
    /// What is stored behind the prologue and compared before the epilogue.
    pub guard: Option<Guard>,
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
    /// What is called when it has changed; does not return.
    pub fail: SymbolId,
}

impl Guard {
    /// The guard of a function of this module.
    pub(crate) fn new(mem: Mem, view: ModuleView<'_>) -> Guard {
        Guard {
            mem,
            place: view.module.flags.place_of_guard(),
            offset: view.module.flags.guard_offset,
            fail: RuntimeFunction::StackCheckFail.symbol(view.symbol_count()),
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
    /// Lowers an instruction whose type is a vector: no terminator, phi or call.
    ///
    /// # Errors
    /// As for [`Isa::lower`]; [`CodegenError::NeedsExpansion`] where [`Isa::has_vector_operation`] says no.
    fn lower_vector<C: LowerCtx>(&self, cx: &mut C, inst: Inst) -> Result<(), CodegenError> {
        let function = cx.func();
        Err(crate::abi::unsupported_type(&function.types, function.inst(inst).ty))
    }
    /// Whether there are instructions for an operation on vectors, so that it need not be done lane by lane.
    fn has_vector_operation(&self, _function: &Function, _view: ModuleView<'_>, _data: &InstData) -> bool {
        false
    }
    /// Lowers a call of an intrinsic of the target; `false` if the target does not know it.
    ///
    /// # Errors
    /// An operand that the instruction cannot take, by name.
    fn lower_intrinsic<C: LowerCtx>(&self, _cx: &mut C, _name: &str, _call: &InstData) -> Result<bool, CodegenError> {
        Ok(false)
    }
    /// Lowers a condition to flags or registers and gives the branch that tests it.
    ///
    /// # Errors
    /// As for [`Isa::lower`].
    fn lower_branch<C: LowerCtx>(&self, cx: &mut C, condition: Operand) -> Result<Branch, CodegenError>;
    /// The opposite of a conditional branch instruction.
    fn invert(&self, branch: MInst) -> MInst;
    /// An unconditional branch.
    fn jump(&self, target: Label) -> MInst;
    /// A switch value of at most 64 bits.
    ///
    /// # Errors
    /// As for [`Isa::lower`].
    fn switch_value<C: LowerCtx>(&self, cx: &mut C, value: Operand, ty: Type) -> Result<SwitchValue, CodegenError>;
    /// Compares a switch value with a case value and gives the branch. May use the scratch register.
    fn case_branch<C: LowerCtx>(&self, cx: &mut C, test: CaseTest, value: SwitchValue, case: u64) -> MInst;
    /// Puts `value - low` into `temp` (of a value without a part above) and gives the branch that is taken if that is
    /// at most `span`, unsigned. May use the scratch register.
    fn range_branch<C: LowerCtx>(&self, cx: &mut C, value: SwitchValue, temp: Reg, low: u64, span: u64) -> MInst;
    /// Gives the branch that is taken if bit `index` of a mask is set: the `temp` of a [`Isa::range_branch`] that was
    /// taken with a span of less than a register's bits. May use the scratch register.
    fn bit_branch<C: LowerCtx>(&self, cx: &mut C, index: Reg, mask: u64) -> MInst;
    /// Jumps through a table of label distances. What [`Isa::switch_value`] owns of `value` may be written, `temp` and
    /// the scratch register, too.
    fn table_jump<C: LowerCtx>(&self, cx: &mut C, value: SwitchValue, temp: Reg, table: &CaseTable);
    /// Puts the address of a symbol plus `addend` bytes into `dst`.
    ///
    /// # Errors
    /// When the symbol cannot be reached.
    fn symbol_addr<C: LowerCtx>(&self, cx: &mut C, dst: Reg, symbol: SymbolId, addend: i64)
    -> Result<(), CodegenError>;
    /// Puts the address of a block into `dst`: what `block` names is a label of the function, or a block of another
    /// one.
    ///
    /// # Errors
    /// When the block cannot be reached.
    fn block_addr<C: LowerCtx>(&self, cx: &mut C, dst: Reg, block: Ref) -> Result<(), CodegenError>;
    /// Jumps to the address in a register.
    fn indirect_jump(&self, address: Reg) -> MInst;
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
    /// Brings the results of a call from the processor's stack to these registers; see [`ConvDesc::stack_returns`].
    fn take_stack_results<C: LowerCtx>(&self, _cx: &mut C, _registers: &[Reg]) {}
    /// Brings results to the processor's stack from these registers.
    fn give_stack_results<C: LowerCtx>(&self, _cx: &mut C, _registers: &[Reg]) {}
    /// A call instruction.
    fn call(&self, view: ModuleView<'_>, target: CallTarget) -> MInst;
    /// What stands at places to which indirect branches may lead, in modules that ask for such marks.
    fn branch_mark(&self) -> Option<MInst> {
        None
    }
    /// An instruction that does nothing, of at most so many bytes, if the target has some.
    fn filler(&self, _bytes: u32) -> Option<(MInst, u32)> {
        None
    }
    /// A call of an address where no such mark has to be. Asked only of targets with [`Isa::branch_mark`].
    fn call_unmarked(&self, _address: Reg) -> MInst {
        self.trap()
    }
    /// Copies a register.
    fn mov(&self, class: RegClass, bytes: u8, dst: Reg, src: Reg) -> MInst;
    /// Stores a register to memory of the frame or the outgoing arguments.
    fn spill(&self, class: RegClass, bytes: u8, src: Reg, mem: Mem) -> MInst;
    /// Loads a register from memory of the frame or the incoming arguments.
    fn reload(&self, class: RegClass, bytes: u8, dst: Reg, mem: Mem) -> MInst;
    /// A spill or reload, for memory of which no alignment is known.
    fn unaligned(&self, inst: MInst) -> MInst {
        inst
    }
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
    /// Reads and writes where the stack pointer points, changing nothing in memory; none if the target does not probe
    /// the stack.
    fn touch_stack(&self) -> Option<MInst> {
        None
    }
    /// Moves the stack pointer; flags survive.
    fn adjust_stack(&self, bytes: i32) -> MInst;
    /// Copies a float register as it is to an integer register. Asked only of targets with a convention whose arguments
    /// of both kinds share positions.
    fn float_bits(&self, _dst: Reg, _src: Reg) -> MInst {
        self.trap()
    }
    /// At the entry of a variadic function: saves the argument registers from `int_used`, `float_used` on, as its
    /// convention has it: to an area of its own, or if arguments share positions, to the places that the caller has
    /// left for them.
    fn save_variadic_registers<C: LowerCtx>(&self, cx: &mut C, area: Mem, int_used: u8, float_used: u8);
    /// Size in bytes of the area for that.
    fn variadic_area_bytes(&self) -> u32;
    /// Where the save area has an argument register: the one at this place in the convention's list of its class. Asked
    /// only of targets with [`Isa::tail_call`].
    fn variadic_place(&self, _class: RegClass, _index: u32) -> i32 {
        0
    }
    /// The instruction that leaves the function for another one, behind the epilogue, if there is one.
    fn tail_call(&self, _view: ModuleView<'_>, _target: CallTarget) -> Option<MInst> {
        None
    }
    /// The code before the body.
    fn prologue<S: FrameSink>(&self, frame: &FrameInfo, out: &mut S);
    /// Undoes the prologue.
    fn epilogue<S: FrameSink>(&self, frame: &FrameInfo, out: &mut S);
    /// Registers that can be set to zero when a function is left; none if the target has no code for that.
    fn clearable(&self) -> PRegSet {
        PRegSet::EMPTY
    }
    /// Sets registers to zero when a function is left. Asked only of targets with [`Isa::clearable`].
    fn clear<S: FrameSink>(&self, _clearing: &Clearing, _out: &mut S) {}
    /// The instruction that leaves the function, behind the epilogue.
    fn leave(&self) -> MInst;
    /// The same for a function that takes its arguments off the stack, of so many bytes. Asked only of targets with a
    /// convention of that kind.
    fn leave_popping(&self, _bytes: u32) -> MInst {
        self.leave()
    }
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
    /// What instructions mean, for the validator of passes over machine functions.
    fn meaning(&self) -> &'static dyn Meaning {
        &NoMeaning
    }
    /// What the target knows of inline assembly; without, it is refused.
    fn asm_rules(&self) -> Option<&'static dyn AsmRules> {
        None
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
        unit: &Unit<'_>,
        state: &mut FastState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError>;
    /// Compiles a function by the optimizing path.
    ///
    /// # Errors
    /// A construct that is not compiled, by name and place.
    fn compile_optimized(
        &self,
        unit: &Unit<'_>,
        recipe: &MachRecipe,
        passes: &mut dyn MachPasses,
        state: &mut OptimizeState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError>;
    /// Everything in a function that is not compiled, as far as choosing instructions shows it. What is in `out` then
    /// means nothing.
    fn refusals(&self, unit: &Unit<'_>, state: &mut OptimizeState, out: &mut CompiledFunction) -> Vec<CodegenError>;
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
        unit: &Unit<'_>,
        state: &mut FastState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError> {
        crate::fast::compile(self, unit, state, out)
    }

    fn compile_optimized(
        &self,
        unit: &Unit<'_>,
        recipe: &MachRecipe,
        passes: &mut dyn MachPasses,
        state: &mut OptimizeState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError> {
        crate::optimize::compile(self, unit, recipe, passes, state, out)
    }

    fn refusals(&self, unit: &Unit<'_>, state: &mut OptimizeState, out: &mut CompiledFunction) -> Vec<CodegenError> {
        crate::optimize::refusals(self, unit, state, out)
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
    /// What `llc` calls it, in `-march`.
    pub llc_name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
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
