//! What a target supplies: tables and rules ([`Isa`]). Drivers hold the object-safe half, [`crate::target`].
//!
//! Targets implement [`Isa`] only. Rules never decide where a value is; hooks that shared code calls with explicit
//! registers (`mov`, `spill`, `materialize` ...) may write no other register, and no flags (contract 2), unless their
//! documentation says so.

use crate::abi::{StackResults, unsupported_type};
use crate::analyze::Folder;
use crate::branch::{Branch, BranchMarks, CallTarget, CaseTable, CaseTest, SwitchValue};
use crate::buffer::{CodeBuffer, Islands, ShortForm};
use crate::check::translation::{Meaning, NoMeaning};
use crate::desc::{ConvDesc, OpDesc, TargetDesc};
use crate::error::CodegenError;
use crate::features::FeatureSet;
use crate::frame_info::{Clearing, FrameInfo, FrameSink};
use crate::halt::Halt;
use crate::inline_asm::AsmRules;
use crate::lower_ctx::LowerCtx;
use crate::minst::{MInst, Mem};
use crate::module_view::ModuleView;
use crate::parts::Parts;
use crate::pass::{MachRules, NoMachRules};
use crate::print::AsmNames;
use crate::reference::{Label, Ref};
use crate::reg::{PRegSet, Reg, RegClass};
use crate::vectors::division::Division;
use frazil_ir::{CallConv, Function, FunctionHead, Inst, InstData, Operand, SymbolId, Type, TypeTable};
use std::fmt;

/// The push that an instruction has been replaced by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Push {
    pub inst: MInst,
    /// The register that is pushed, if it is one.
    pub reg: Option<Reg>,
    /// By how much it is shorter than the store.
    pub saved_bytes: u8,
}

/// The instructions of a target that convert `half`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HalfConversions {
    /// None: functions of the run-time library do it.
    None,
    /// To `float` and back, of scalars and of vectors.
    Single,
    /// Besides, scalars from `double`.
    Double,
}

/// One target: tables plus rules, used by the shared contexts.
pub trait Isa: Sized + Send + Sync + 'static {
    /// How wide a general register is, in bytes: wider integers are in several ([`Parts`]).
    const WORD_BYTES: u8;
    /// Whether a rule may need more registers than there are, so that the fast path has to look out for that.
    const HAS_FEW_REGISTERS: bool = false;
    /// Whether the scratch register of integers is one that functions save for their callers.
    const SAVES_SCRATCH: bool = false;
    /// Whether a function may have a place of the image in a register, from which addresses are counted:
    /// [`Isa::image_base`].
    const HAS_IMAGE_BASE: bool = false;
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
    /// Whether the rule of what computes an integer operand leaves zeros above its width, up to that of its register;
    /// an extension with zeros then is the operand. A target without [`TargetDesc::moves_whole_registers`] says so of
    /// nothing that may be a mere copy, phis among these.
    fn clears_above<F: Fn(Operand) -> bool>(&self, _function: &Function, _operand: Operand, _is_folded: F) -> bool {
        false
    }
    /// The function with calls for what the target leaves to functions of the run-time library; `None` if there are
    /// none. Rules may leave other operations to it, too; these are calls of the IR, which all else can see.
    fn with_library_calls(&self, _function: &Function, _view: ModuleView<'_>) -> Option<Function> {
        None
    }
    /// Whether an instruction writes the scratch register of integers, by its name or otherwise; asked where
    /// [`Isa::SAVES_SCRATCH`].
    fn writes_scratch(&self, _inst: &MInst) -> bool {
        false
    }
    /// Whether an instruction may come to write the integer scratch register although it does not name it. Asked only
    /// of targets with [`Isa::SAVES_SCRATCH`].
    fn hides_scratch(&self, _inst: &MInst) -> bool {
        true
    }
    /// The function with operations made of others for which rules do not have registers enough; `None` if there are
    /// none. Asked when no vector is left that does not have a register.
    fn without_large_rules(&self, _function: &Function) -> Option<Function> {
        None
    }
    /// Chooses which single-use producers the rule of `user` absorbs. The choice binds: its rule must take them.
    fn fold(&self, folder: &mut Folder<'_>, user: Inst);
    /// Lowers an instruction that is neither terminator nor call.
    ///
    /// # Errors
    /// A construct that the target does not compile, by name; [`Halt::Expand`] for an operation on vectors with a
    /// scalar result where [`Isa::has_vector_operation`] says no.
    fn lower<C: LowerCtx>(&self, cx: &mut C, inst: Inst) -> Result<(), Halt>;
    /// Lowers an instruction whose type is a vector: no terminator, phi or call.
    ///
    /// # Errors
    /// As for [`Isa::lower`].
    fn lower_vector<C: LowerCtx>(&self, cx: &mut C, inst: Inst) -> Result<(), Halt> {
        let function = cx.func();
        Err(unsupported_type(function.types(), function.inst(inst).ty).into())
    }
    /// Whether there are instructions for an operation on vectors, so that it need not be done lane by lane.
    /// Of vectors that are [computed wide](crate::vectors), a comparison has them only where a select takes it.
    fn has_vector_operation(&self, _function: &Function, _view: ModuleView<'_>, _data: &InstData) -> bool {
        false
    }
    /// Whether there are instructions for the upper halves of products of lanes of so many bits, in vectors of any
    /// width that is compiled.
    fn has_high_products(&self, _lane_bits: u32) -> bool {
        false
    }
    /// Which instructions convert `half` to wider floats and back.
    fn half_conversions(&self, _features: FeatureSet) -> HalfConversions {
        HalfConversions::None
    }
    /// Whether instructions that extend the lanes of a vector may have it in memory.
    fn has_extending_loads(&self, _features: FeatureSet) -> bool {
        false
    }
    /// Bytes of the widest vectors beyond [`TargetDesc::vector_bytes`] for which, in a function with these features,
    /// [`Isa::has_vector_operation`] says yes to some operations; 0 if there are none. For the others they are taken
    /// apart.
    fn computed_vector_bytes(&self, _features: FeatureSet) -> u8 {
        0
    }
    /// Whether masks of vectors that are [computed wide](crate::vectors) are the bits of integers: a comparison of such
    /// gives its mask right before a cast to an integer that it is folded into, or before a select, and a select takes
    /// any mask, which right before it is cast from an integer, by a cast that is folded. [`Isa::has_vector_operation`]
    /// then says yes to selects without looking at their masks, and to comparisons for their own sake.
    fn masks_are_bits(&self, _features: FeatureSet) -> bool {
        false
    }
    /// Whether loads and stores under masks take these as vectors of integers, of which the negative ones are on: of 16
    /// bytes, or as many as are [computed wide](Isa::computed_vector_bytes), in lanes of 32 or 64 bits. Of 16 bytes,
    /// they may take a mask as well.
    fn has_lane_masks(&self, _features: FeatureSet) -> bool {
        false
    }
    /// Bytes of the widest vector that LLVM passes in one register for a function with these features. Where they are
    /// more than [`TargetDesc::passed_vector_bytes`], vectors that such a register would take are refused in
    /// signatures.
    fn widest_passed_vector(&self, _features: FeatureSet) -> u8 {
        self.desc().vector_bytes
    }
    /// The most truth values that LLVM passes as a vector in one register of such a function.
    fn widest_passed_mask(&self, features: FeatureSet) -> u32 {
        self.widest_passed_vector(features).into()
    }
    /// How a call of an intrinsic of the target whose vectors are not legal is done with those that are, if it can be.
    fn division(&self, _name: &str) -> Option<Division> {
        None
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
    /// Has accesses take part of a symbol's address, where that saves an instruction. What [`Isa::symbol_addr`] emitted
    /// to put the address into `address` ends with the first of the instructions; the others are all that can read this
    /// register, which is virtual and of which no other part of the function knows.
    fn fold_symbol_addr(&self, _view: ModuleView<'_>, _symbol: SymbolId, _address: Reg, _insts: &mut [MInst]) {}
    /// The instruction that puts the place into a register from which [`Isa::counted_from`] counts addresses of the
    /// image; none if that is of no use in this module.
    fn image_base(&self, _view: ModuleView<'_>, _dst: Reg) -> Option<MInst> {
        None
    }
    /// The same instruction with its address counted from that place, which is in `base`; none if it has no such
    /// address.
    fn counted_from(&self, _base: Reg, _inst: &MInst) -> Option<MInst> {
        None
    }
    /// Puts the address of a block into `dst`: what `block` names is a label of the function, or a block of another
    /// one.
    ///
    /// # Errors
    /// When the block cannot be reached.
    fn block_addr<C: LowerCtx>(&self, cx: &mut C, dst: Reg, block: Ref) -> Result<(), CodegenError>;
    /// Whether [`Isa::block_addr`] reaches every block of a function of so many instructions of the intermediate
    /// representation. Where it does not, [`Isa::distant_block_addr`] does.
    fn reaches_blocks(&self, _insts: usize) -> bool {
        true
    }
    /// Puts the address of a block into `dst`, from a jump table whose only entry is its distance.
    fn distant_block_addr<C: LowerCtx>(&self, _cx: &mut C, _dst: Reg, _table: Ref) {}
    /// Jumps to the address in a register.
    fn indirect_jump(&self, address: Reg) -> MInst;
    /// The address of a symbol plus `addend` bytes as a memory operand, where the target has that form.
    fn symbol_mem(&self, view: ModuleView<'_>, symbol: SymbolId, addend: i64) -> Option<Mem>;
    /// Puts an integer into `dst`; `bytes` is the part's width.
    fn int_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, value: i64);
    /// Puts a float register constant of `bytes` bytes, given by its bits, into `dst`.
    fn float_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, bits: u128);
    /// Puts a constant vector that is computed wide, given by its parts of 128 bits, two or four, into `dst`.
    fn wide_constant<C: LowerCtx>(&self, _cx: &mut C, _dst: Reg, _parts: &[u128]) {
        unreachable!("no vectors are computed wide: `computed_vector_bytes` is 0")
    }
    /// What makes wide vector registers hold nothing but a vector of [`TargetDesc::vector_bytes`], for a place right
    /// before this call: what is called may have instructions that would keep their upper halves, and wait for them.
    fn forget_wide(&self, _call: &MInst) -> Option<MInst> {
        None
    }
    /// A float constant as a memory operand, where instructions take one.
    fn float_constant_mem<C: LowerCtx>(&self, _cx: &mut C, _bytes: u8, _bits: u128) -> Option<Mem> {
        None
    }
    /// The instruction that stops the program.
    fn trap(&self) -> MInst;
    /// Brings the results of a call from the register stack to the registers that stand for them; see
    /// [`ConvDesc::stack_returns`].
    fn take_stack_results<C: LowerCtx>(&self, _cx: &mut C, _results: &StackResults) {}
    /// Brings results to the register stack from these registers.
    fn give_stack_results<C: LowerCtx>(&self, _cx: &mut C, _results: &StackResults) {}
    /// The instruction that calls a symbol, or the address in a register.
    /// Besides, the call may use the register `free`, which no argument has; if there is none, a symbol is called
    /// directly, wherever it is.
    fn call(&self, view: ModuleView<'_>, target: CallTarget, free: Reg) -> MInst;
    /// What marks the places to which indirect branches may lead, in modules that ask for it.
    fn branch_marks(&self) -> Option<BranchMarks> {
        None
    }
    /// An instruction that does nothing, of at most so many bytes, if the target has some.
    fn filler(&self, _bytes: u32) -> Option<(MInst, u32)> {
        None
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
    /// The push that takes the place of the store of a word to where the stack pointer points, or a constant distance
    /// above. Asked only of targets with [`TargetDesc::pushes_arguments`], as the next ones are.
    fn push(&self, _store: &MInst) -> Option<Push> {
        None
    }
    /// The push that takes the place of a load and of the push of what was loaded.
    fn push_loaded(&self, _load: &MInst) -> Option<MInst> {
        None
    }
    /// Stores a word that is a constant.
    fn store_constant(&self, _value: i32, _mem: Mem) -> Option<MInst> {
        None
    }
    /// Stores to memory what a definition that can be repeated computes, touching no register. Asked only of targets
    /// with [`Isa::SAVES_SCRATCH`].
    fn store_definition(&self, _definition: &MInst, _mem: Mem, _emit: impl FnMut(MInst)) {
        unreachable!("the scratch register is not lent")
    }
    /// Moves the stack pointer as [`Isa::adjust_stack`] does, but flags need not survive, and where it goes down,
    /// anything may be stored there.
    fn move_stack(&self, bytes: i32) -> MInst {
        self.adjust_stack(bytes)
    }
    /// Copies a float register as it is to an integer register, if an instruction does that: for conventions whose
    /// arguments of both kinds share positions.
    fn float_bits(&self, _dst: Reg, _src: Reg) -> Option<MInst> {
        None
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
    /// The instruction that leaves the function for another one, after the epilogue, if there is one. It may use the
    /// register `free`, if that is one.
    fn tail_call(&self, _view: ModuleView<'_>, _target: CallTarget, _free: Reg) -> Option<MInst> {
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
    /// The instruction that leaves the function, after the epilogue, and takes so many bytes of its arguments off the
    /// stack: none but in conventions that say so.
    fn leave(&self, popped_bytes: u32) -> MInst;
    /// Encodes an instruction whose registers are physical.
    fn encode(&self, inst: &MInst, out: &mut CodeBuffer);
    /// One instruction for two that follow each other, both of which are then left out: accesses side by side.
    #[inline]
    fn paired(&self, _first: &MInst, _second: &MInst) -> Option<MInst> {
        None
    }
    /// Writes an instruction as assembly text; `len` is the number of its bytes.
    ///
    /// # Errors
    /// As the writer's.
    fn print(&self, inst: &MInst, len: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result;
    /// The fixup kind of an entry of a jump table, if jump tables are in the code; otherwise they are data, whose
    /// entries are relocations of the kind [`crate::desc::ElfDesc::pc32`].
    fn table_entry_fixup(&self) -> Option<u8> {
        None
    }
    /// Whether a function with these features may have instructions of the form that
    /// [`MachRules::with_three_operands`] gives.
    fn has_three_operands(&self, _features: FeatureSet) -> bool {
        false
    }
    /// Whether values of a function may live in [`TargetDesc::spare_registers`].
    fn has_spare_registers(&self, _view: ModuleView<'_>, _head: &FunctionHead) -> bool {
        false
    }
    /// Whether a function with these features has [`TargetDesc::upper_registers`].
    fn has_upper_registers(&self, _features: FeatureSet) -> bool {
        false
    }
    /// Whether a function with these features has [`TargetDesc::masks`].
    fn has_masks(&self, _features: FeatureSet) -> bool {
        false
    }
    /// Gives those of a function's instructions that name an upper register, whose rows all have
    /// [`OpDesc::names_upper`], a form that can be encoded.
    fn encode_upper(&self, _insts: &mut [MInst]) {}
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
    /// What writes filler that does nothing before an aligned loop.
    fn loop_filler(&self) -> fn(&mut [u8]) {
        |_| unreachable!("loops are not aligned")
    }
    /// How far branches and loads reach that do not reach everything in a function; `None` if all do.
    fn islands(&self) -> Option<&'static Islands> {
        None
    }
    /// Branches that can be made shorter when their labels are near.
    fn short_forms(&self) -> &'static [ShortForm] {
        &[]
    }
}
