//! The hooks that shared code calls, and the table of the target.

use crate::build::*;
use crate::islands::{ISLANDS, NEAR_ISLANDS};
use crate::meaning::TestMeaning;
use crate::ops::{OP_DESCS, Op};
use crate::regs::*;
use crate::relocs::{ABS32, ABS64, FIXUPS, RELOCS, WORD};
use crate::{abi, frame, lower};
use frazil_codegen::check::translation::Meaning;
use frazil_codegen::{
    Addressing, AsmNames, Branch, CallTarget, CaseTable, CaseTest, ClassDesc, CodeBuffer, CodegenError, ConvDesc,
    ElfDesc, Folder, FrameInfo, FrameSink, Halt, Isa, Islands, Label, LowerCtx, MInst, Mem, ModuleView, OpDesc,
    PRegSet, Parts, Ref, RefKind, Reg, RegClass, SwitchValue, TargetDesc, UnwindOp,
};
use frazil_ir::module::ModuleFlags;
use frazil_ir::{CallConv, Inst, Operand, Refusal, SymbolId, Type, TypeData, TypeTable};
use std::fmt;

const DESC: TargetDesc = TargetDesc {
    name: "testisa",
    assembler_options: &[],
    regs: &REGS,
    relocs: RELOCS,
    fixups: FIXUPS,
    classes: [
        ClassDesc {
            allocatable: PRegSet::of(&[A0, A1, A2, S0]),
            scratch: SC,
            bytes: 4,
        },
        ClassDesc {
            allocatable: PRegSet::of(&[F0, F1, F2, FS]),
            scratch: FT,
            bytes: 8,
        },
    ],
    masks: None,
    vector_bytes: 0,
    passed_vector_bytes: 0,
    home_registers: PRegSet::of(&[S0, FS]),
    rule_registers: RULE_REGISTERS,
    spare_registers: PRegSet::EMPTY,
    joins_comparisons: false,
    misprediction_cycles: 0,
    upper_registers: PRegSet::EMPTY,
    byte_registers: PRegSet::EMPTY,
    frame_pointer: FP,
    stack_pointer: SP,
    exception_registers: None,
    pushes_saved_registers: false,
    pushes_arguments: false,
    frame_pointer_is_optional: false,
    keeps_stack_aligned: false,
    link_register: None,
    protects_returns: false,
    moves_whole_registers: false,
    return_address_bytes: 0,
    guarded_systems: &[],
    red_zone_bytes: 0,
    patched_jump_bytes: 4,
    incoming_args_offset: frame::INCOMING_ARGS_OFFSET,
    pointer_bytes: 4,
    features: &frazil_codegen::features::FeatureTable::EMPTY,
    code_models: &[ModuleFlags::SMALL],
    addressing: Addressing {
        index_scales: 0,
        min_disp: -128,
        max_disp: 127,
        free_disps: None,
        index_with_disp: true,
        symbol_base: false,
    },
    free_immediates: None,
    register_stack: None,
    function_align_log2: 2,
    loop_line_log2: 0,
    constant_align_bytes: 4,
    elf: ElfDesc {
        machine: 0xfff0,
        is_64: false,
        little_endian: true,
        flags: 0,
        addends_in_fields: true,
        has_far_exception_tables: false,
        unwind_section_type: None,
        far_sections: None,
        abs64: Some(ABS64),
        abs32: Some(ABS32),
        abs16: None,
        abs8: None,
        plt32: None,
        pc32: None,
        pc64: None,
        thread_offset: None,
        return_address_column: 7,
        code_align: 4,
        data_align: -4,
        initial_unwind: &[UnwindOp::DefineCfa(5, 0)],
        filler: 0,
        protection_note: None,
        no_operation: &[],
    },
};

/// The target, as it is and in variants that need more of shared code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Branches reach as far as the encoding lets them.
    TestIsa,
    /// Branches and loads of constants reach a few instructions.
    Near,
    /// The same, and optimized functions do without the frame pointer where they can.
    NearFrameless,
}

static WITH_FRAME_POINTER: TargetDesc = DESC;
static FRAMELESS: TargetDesc = TargetDesc {
    frame_pointer_is_optional: true,
    ..DESC
};

impl Isa for Variant {
    const WORD_BYTES: u8 = 4;

    fn desc(&self) -> &'static TargetDesc {
        match self {
            Variant::TestIsa | Variant::Near => &WITH_FRAME_POINTER,
            Variant::NearFrameless => &FRAMELESS,
        }
    }

    fn islands(&self) -> Option<&'static Islands> {
        Some(match self {
            Variant::TestIsa => &ISLANDS,
            Variant::Near | Variant::NearFrameless => &NEAR_ISLANDS,
        })
    }

    fn op_descs(&self) -> &'static [OpDesc] {
        OP_DESCS
    }

    fn convention(&self, conv: CallConv) -> Option<&'static ConvDesc> {
        abi::convention(conv)
    }

    fn parts(&self, types: &TypeTable, ty: Type) -> Parts {
        let int = |count, bytes| Parts {
            count,
            float: false,
            bytes,
        };
        let float = |bytes| Parts {
            count: 1,
            float: true,
            bytes,
        };
        match types.data(ty) {
            TypeData::Int(bits @ 1..=32) => int(1, bits.div_ceil(8).next_power_of_two() as u8),
            TypeData::Int(bits @ 33..=128) => int(bits.div_ceil(32) as u8, 4),
            TypeData::Ptr(0) => int(1, 4),
            TypeData::F32 => float(4),
            TypeData::F64 => float(8),
            _ => Parts::default(),
        }
    }

    fn fold(&self, folder: &mut Folder<'_>, user: Inst) {
        lower::fold::fold(folder, user);
    }

    fn lower<C: LowerCtx>(&self, cx: &mut C, inst: Inst) -> Result<(), Halt> {
        lower::lower(cx, inst)
    }

    fn lower_branch<C: LowerCtx>(&self, cx: &mut C, condition: Operand) -> Result<Branch, CodegenError> {
        lower::compare::branch_on(cx, condition)
    }

    fn invert(&self, branch: MInst) -> MInst {
        match Op::from_number(branch.op) {
            Some(op) => branch.with_op(crate::encode::inverse(op) as u16),
            None => branch,
        }
    }

    fn jump(&self, target: Label) -> MInst {
        jump(target)
    }

    fn switch_value<C: LowerCtx>(&self, cx: &mut C, value: Operand, ty: Type) -> Result<SwitchValue, CodegenError> {
        lower::switch::value(cx, value, ty)
    }

    fn case_branch<C: LowerCtx>(&self, cx: &mut C, test: CaseTest, value: SwitchValue, case: u64) -> MInst {
        lower::switch::case_branch(cx, test, value, case)
    }

    fn range_branch<C: LowerCtx>(&self, cx: &mut C, value: SwitchValue, temp: Reg, low: u64, span: u64) -> MInst {
        lower::switch::range_branch(cx, value.low, temp, low, span)
    }

    fn bit_branch<C: LowerCtx>(&self, cx: &mut C, index: Reg, mask: u64) -> MInst {
        lower::switch::bit_branch(cx, index, mask)
    }

    fn table_jump<C: LowerCtx>(&self, cx: &mut C, value: SwitchValue, temp: Reg, table: &CaseTable) {
        lower::switch::table_jump(cx, value, temp, table);
    }

    fn symbol_addr<C: LowerCtx>(
        &self,
        cx: &mut C,
        dst: Reg,
        symbol: SymbolId,
        addend: i64,
    ) -> Result<(), CodegenError> {
        if cx.view().is_thread_local(symbol) {
            return Err(CodegenError::unsupported(
                Refusal::ThreadLocal,
                "thread-local variables",
            ));
        }
        cx.emit(la(dst, Ref::symbol(RefKind::Symbol, symbol), addend as i32));
        Ok(())
    }

    fn block_addr<C: LowerCtx>(&self, cx: &mut C, dst: Reg, block: Ref) -> Result<(), CodegenError> {
        if block.kind() != RefKind::Label {
            return Err(CodegenError::unsupported(
                Refusal::Instruction,
                "the address of a block of another function",
            ));
        }
        cx.emit(ll(dst, Label(block.number())));
        Ok(())
    }

    fn indirect_jump(&self, address: Reg) -> MInst {
        reg(Op::Jr, address)
    }

    fn symbol_mem(&self, _view: ModuleView<'_>, _symbol: SymbolId, _addend: i64) -> Option<Mem> {
        None
    }

    fn int_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, _bytes: u8, value: i64) {
        cx.emit(li(dst, value as i32));
    }

    fn float_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, bits: u128) {
        let constant = cx.pool_constant(&bits.to_le_bytes()[..usize::from(bytes)]);
        cx.emit(rm(Op::Flc, bytes, dst, Mem::symbol(constant, 0)));
    }

    fn trap(&self) -> MInst {
        none(Op::Break)
    }

    fn call(&self, _view: ModuleView<'_>, target: CallTarget, _free: Reg) -> MInst {
        match target {
            CallTarget::Symbol(symbol) => none(Op::Call).with_mem(Mem::symbol(Ref::symbol(RefKind::Plt, symbol), 0)),
            CallTarget::Reg(callee) => reg(Op::Callr, callee),
        }
    }

    fn mov(&self, class: RegClass, bytes: u8, dst: Reg, src: Reg) -> MInst {
        match class {
            RegClass::Int => rr(Op::Mov, dst, src),
            RegClass::Float | RegClass::Mask => rr_sized(Op::Fmov, bytes, dst, src),
        }
    }

    fn spill(&self, class: RegClass, bytes: u8, src: Reg, mem: Mem) -> MInst {
        match class {
            RegClass::Int => rm(store_op(u32::from(bytes)), 4, src, mem),
            RegClass::Float | RegClass::Mask => rm(Op::Fs, bytes, src, mem),
        }
    }

    fn reload(&self, class: RegClass, bytes: u8, dst: Reg, mem: Mem) -> MInst {
        match class {
            RegClass::Int => rm(load_op(u32::from(bytes)), 4, dst, mem),
            RegClass::Float | RegClass::Mask => rm(Op::Fl, bytes, dst, mem),
        }
    }

    fn address<C: LowerCtx>(&self, cx: &mut C, dst: Reg, mem: Mem) {
        cx.emit(rri(Op::Addi, dst, mem.base_reg(), mem.disp));
    }

    fn extend<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg, bits: u32, signed: bool) {
        lower::extend(cx, dst, src, bits, signed);
    }

    fn block_copy<C: LowerCtx>(&self, cx: &mut C, dst: Mem, src: Mem, size: u32) {
        lower::memory::copy_bytes(cx, dst, src, size);
    }

    fn block_copy_claims(&self, _size: u32) -> PRegSet {
        PRegSet::EMPTY
    }

    fn add_pointer<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg) {
        cx.emit(rrr(Op::Add, dst, dst, src));
    }

    fn align_down<C: LowerCtx>(&self, cx: &mut C, reg: Reg, align_log2: u8) {
        let shift = i32::from(align_log2.min(31));
        cx.emit(rri(Op::Srli, reg, reg, shift));
        cx.emit(rri(Op::Slli, reg, reg, shift));
    }

    fn adjust_stack(&self, bytes: i32) -> MInst {
        rri(Op::Addi, SP, SP, bytes)
    }

    /// Variable arguments are not compiled (`va_start` is refused), so that nothing needs to be saved.
    fn save_variadic_registers<C: LowerCtx>(&self, _cx: &mut C, _area: Mem, _int_used: u8, _float_used: u8) {}

    fn variadic_area_bytes(&self) -> u32 {
        0
    }

    fn prologue<S: FrameSink>(&self, info: &FrameInfo, out: &mut S) {
        frame::prologue(info, out);
    }

    fn epilogue<S: FrameSink>(&self, info: &FrameInfo, out: &mut S) {
        frame::epilogue(info, out);
    }

    fn leave(&self, popped_bytes: u32) -> MInst {
        debug_assert_eq!(popped_bytes, 0, "no convention takes arguments off the stack");
        frame::leave()
    }

    fn encode(&self, inst: &MInst, out: &mut CodeBuffer) {
        crate::encode::encode(inst, out);
    }

    fn meaning(&self) -> &'static dyn Meaning {
        &TestMeaning
    }

    fn print(&self, inst: &MInst, _len: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result {
        crate::print::print(inst, names, out)
    }

    fn table_entry_fixup(&self) -> Option<u8> {
        Some(WORD)
    }
}
