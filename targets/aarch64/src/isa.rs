//! The AArch64 target: the hooks that shared code calls, and the table of the target.

use crate::build::*;
use crate::features::RESERVE_X18;
use crate::immediates;
use crate::inline_asm::AArch64Asm;
use crate::islands::ISLANDS;
use crate::meaning::AArch64Meaning;
use crate::peephole::AArch64Rules;
use crate::platform::PLATFORM;
use crate::processors::FEATURES;
use crate::regs::*;
use crate::relocs::{ABS16, ABS32, ABS64, FIXUPS, PLT32, PREL32, PREL64, RELOCS};
use crate::table::{OP_DESCS, Op};
use crate::{abi, encode, frame, lower, reach};
use frazil_codegen::check::translation::Meaning;
use frazil_codegen::features::FeatureSet;
use frazil_codegen::included::{VECTORS, without_vectors};
use frazil_codegen::inline_asm::AsmRules;
use frazil_codegen::pass::MachRules;
use frazil_codegen::{
    Addressing, AsmNames, Branch, BranchMarks, CallTarget, CaseTable, CaseTest, ClassDesc, Clearing, CodeBuffer,
    CodegenError, ConvDesc, ElfDesc, Folder, FrameInfo, FrameSink, FreeDisplacements, HalfConversions, Halt, Isa,
    Islands, Label, LowerCtx, MInst, Mem, ModuleView, OpDesc, PRegSet, Parts, ProtectionNote, Ref, RefKind, Reg,
    RegClass, SwitchValue, Target, TargetDesc, TargetEntry, UnwindOp,
};
use frazil_ir::module::ModuleFlags;
use frazil_ir::{
    CallConv, Function, FunctionHead, ImmediateRule, Inst, InstData, Operand, Refusal, SymbolId, Type, TypeData,
    TypeTable,
};
use std::fmt;

/// What the registry of targets knows.
pub const AARCH64: TargetEntry = TargetEntry {
    name: "aarch64",
    llc_name: "aarch64",
    summary: "64-bit Arm: AArch64, little-endian",
    triple_prefixes: &["aarch64", "arm64"],
    platform: &PLATFORM,
    new,
};

/// Makes the target. The compiler for it becomes code of this crate alone, as `frazil_target_x86` explains of its own.
#[inline(never)]
fn new() -> Box<dyn Target> {
    Box::new(AArch64)
}

/// Bank 0: all but the scratch registers, the platform's (AAPCS64, 6.1.1), the frame pointer and the link register.
const ALLOCATABLE: u64 = 0x1fff_ffff & !(0b111 << 16);
/// Bank 1: all but those of which callees keep a half ([`abi`]), and the scratch register.
const ALLOCATABLE_FLOATS: u64 = 0x7fff_ffff & !(0xff << 8);

static DESC: TargetDesc = TargetDesc {
    name: "aarch64",
    assembler_options: &[("llvm-mc", &["-mattr=+all"]), ("-as", &["-march=all"])],
    regs: &REGS,
    relocs: RELOCS,
    fixups: FIXUPS,
    classes: [
        ClassDesc {
            allocatable: PRegSet::from_banks(ALLOCATABLE, 0),
            scratch: SCRATCH,
            bytes: 8,
        },
        ClassDesc {
            allocatable: PRegSet::from_banks(0, ALLOCATABLE_FLOATS),
            scratch: SCRATCH_FLOAT,
            bytes: VECTOR_BYTES,
        },
    ],
    masks: None,
    vector_bytes: VECTOR_BYTES,
    passed_vector_bytes: 0,
    home_registers: PRegSet::from_banks(0x03f8_0000, 0x00ff_0000),
    rule_registers: PRegSet::EMPTY,
    spare_registers: PRegSet::of(&[PLATFORM_REGISTER]),
    joins_comparisons: true,
    // As for llc: a conditional select is as good as a branch on cores that issue few instructions at a time.
    misprediction_cycles: 0,
    upper_registers: PRegSet::EMPTY,
    byte_registers: PRegSet::EMPTY,
    frame_pointer: FP,
    stack_pointer: SP,
    exception_registers: Some([x(0), x(1)]),
    pushes_saved_registers: true,
    pushes_arguments: false,
    frame_pointer_is_optional: true,
    keeps_stack_aligned: true,
    link_register: Some(LR),
    protects_returns: true,
    moves_whole_registers: true,
    return_address_bytes: 0,
    guarded_systems: &["-gnu", "-musl"],
    red_zone_bytes: 0,
    patched_jump_bytes: 4,
    incoming_args_offset: frame::RECORD_BYTES,
    pointer_bytes: 8,
    features: &FEATURES,
    code_models: &[ModuleFlags::SMALL, ModuleFlags::TINY, ModuleFlags::LARGE],
    // What the encoder does not have in one instruction it makes of two.
    addressing: Addressing {
        index_scales: 0b1111,
        min_disp: -(1 << 29),
        max_disp: 1 << 29,
        free_disps: Some(FreeDisplacements {
            min: -256,
            max: 255,
            max_multiple: 4095,
        }),
        index_with_disp: false,
        symbol_base: false,
    },
    free_immediates: Some(ImmediateRule(immediates::is_free)),
    register_stack: None,
    function_align_log2: 2,
    loop_line_log2: 0,
    constant_align_bytes: VECTOR_BYTES,
    elf: ElfDesc {
        machine: 183,
        is_64: true,
        little_endian: true,
        flags: 0,
        addends_in_fields: false,
        // LLVM 22, `TargetLoweringObjectFileELF::Initialize`.
        has_far_exception_tables: true,
        unwind_section_type: None,
        far_sections: None,
        abs64: Some(ABS64),
        abs32: Some(ABS32),
        abs16: Some(ABS16),
        abs8: None,
        plt32: Some(PLT32),
        pc32: Some(PREL32),
        pc64: Some(PREL64),
        // LLVM does not say either where thread-local variables are.
        thread_offset: None,
        return_address_column: 30,
        code_align: 4,
        data_align: -8,
        initial_unwind: &[UnwindOp::DefineCfa(31, 0)],
        filler: 0,
        no_operation: &encode::NO_OPERATION,
        // ELF for the Arm 64-bit Architecture, 6.2.
        protection_note: Some(ProtectionNote {
            property: 0xc000_0000,
            marked_targets: 1,
            signed_returns: 2,
            shadow_stack: 4,
        }),
    },
};

/// The hints that mark where functions are entered (`bti c`), and other places (`bti j`).
const MARKED_ENTRY: i32 = 34;
const MARKED_PLACE: i32 = 36;

/// Functions of more instructions may have blocks that are more than a MiB apart: then each has 256 bytes of code.
const MOST_NEAR_INSTRUCTIONS: usize = 4096;

/// Parts of the triples of systems that keep the platform register to themselves (LLVM 22,
/// `AArch64::isX18ReservedByDefault`).
const PLATFORM_SYSTEMS: [&str; 8] = [
    "android", "ohos", "fuchsia", "darwin", "macos", "ios", "windows", "uefi",
];

/// Bytes of a float constant in memory, at least.
const NARROWEST_FLOAT: u8 = 4;

/// The AArch64 target.
#[derive(Clone, Copy, Debug)]
pub struct AArch64;

/// Without a register besides the scratch register, which is the destination.
#[cold]
fn far_from_symbol() -> CodegenError {
    CodegenError::unsupported(Refusal::Instruction, "an address more than 2 GiB from its symbol")
}

impl Isa for AArch64 {
    const WORD_BYTES: u8 = 8;

    fn desc(&self) -> &'static TargetDesc {
        &DESC
    }

    fn op_descs(&self) -> &'static [OpDesc] {
        &OP_DESCS
    }

    fn convention(&self, conv: CallConv) -> Option<&'static ConvDesc> {
        abi::convention(conv)
    }

    fn parts(&self, types: &TypeTable, ty: Type) -> Parts {
        let one = |float, bytes| Parts { count: 1, float, bytes };
        match types.data(ty) {
            TypeData::Int(bits @ 1..=64) => one(false, bits.div_ceil(8).next_power_of_two() as u8),
            TypeData::Int(65..=128) => Parts {
                count: 2,
                float: false,
                bytes: 8,
            },
            TypeData::Ptr(0) => one(false, 8),
            TypeData::F16 | TypeData::BF16 => one(true, 2),
            TypeData::F32 => one(true, 4),
            TypeData::F64 => one(true, 8),
            TypeData::F128 => one(true, 16),
            TypeData::Vector { .. } if lower::vector::shape(types, ty).is_some() => one(true, VECTOR_BYTES),
            _ => Parts::default(),
        }
    }

    fn with_library_calls(&self, function: &Function, view: ModuleView<'_>) -> Option<Function> {
        crate::outlined::outlined(function, view)
    }

    fn clears_above<F: Fn(Operand) -> bool>(&self, function: &Function, operand: Operand, is_folded: F) -> bool {
        lower::narrow::clears_above(function, operand, &is_folded)
    }

    #[inline(always)]
    fn fold(&self, folder: &mut Folder<'_>, user: Inst) {
        lower::fold::fold(folder, user);
    }

    #[inline]
    fn lower<C: LowerCtx>(&self, cx: &mut C, inst: Inst) -> Result<(), Halt> {
        lower::lower(cx, inst)
    }

    fn lower_vector<C: LowerCtx>(&self, cx: &mut C, inst: Inst) -> Result<(), Halt> {
        match cx.func().inst(inst).ty {
            Type::F128 => Ok(lower::lower_quad(cx, inst)?),
            _ if VECTORS => lower::vector::lower(cx, inst),
            _ => Err(without_vectors(Refusal::Vector).into()),
        }
    }

    fn has_vector_operation(&self, function: &Function, view: ModuleView<'_>, data: &InstData) -> bool {
        VECTORS && lower::vector::has_operation(function, view, data)
    }

    fn has_high_products(&self, lane_bits: u32) -> bool {
        lane_bits < 64
    }

    fn half_conversions(&self, _: FeatureSet) -> HalfConversions {
        HalfConversions::Double
    }

    fn lower_intrinsic<C: LowerCtx>(&self, cx: &mut C, name: &str, call: &InstData) -> Result<bool, CodegenError> {
        lower::intrinsics::lower(cx, name, call)
    }

    fn widest_passed_vector(&self, _: FeatureSet) -> u8 {
        VECTOR_BYTES
    }

    fn meaning(&self) -> &'static dyn Meaning {
        &AArch64Meaning
    }

    fn mach_rules(&self) -> &'static dyn MachRules {
        &AArch64Rules
    }

    fn has_spare_registers(&self, view: ModuleView<'_>, head: &FunctionHead) -> bool {
        let triple = view.module.strings.bytes(view.module.triple);
        let keeps_it = |system: &str| triple.windows(system.len()).any(|part| part == system.as_bytes());
        let is_reserved = head.keeps_shadow_stack || view.features.has(RESERVE_X18);
        !is_reserved && !PLATFORM_SYSTEMS.into_iter().any(keeps_it)
    }

    fn lower_branch<C: LowerCtx>(&self, cx: &mut C, condition: Operand) -> Result<Branch, CodegenError> {
        lower::compare::branch(cx, condition)
    }

    fn invert(&self, branch: MInst) -> MInst {
        encode::inverted(&branch)
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
        lower::switch::range_branch(cx, value, temp, low, span)
    }

    fn bit_branch<C: LowerCtx>(&self, cx: &mut C, index: Reg, mask: u64) -> MInst {
        cx.emit(mov_imm(8, SCRATCH, mask.cast_signed()));
        cx.emit(rrr(Op::Lsrv, 8, SCRATCH, SCRATCH, index));
        branch_on_bit(true, SCRATCH, 0, Label(0))
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
        let Ok(near) = i32::try_from(addend) else {
            if dst == SCRATCH {
                return Err(far_from_symbol());
            }
            self.symbol_addr(cx, dst, symbol, 0)?;
            cx.emit(mov_imm(8, SCRATCH, addend));
            cx.emit(rrr(Op::Add, 8, dst, dst, SCRATCH));
            return Ok(());
        };
        if cx.view().is_near(symbol) {
            let address = reach::address(cx.view(), dst, Ref::symbol(RefKind::Symbol, symbol), near);
            cx.emit(address);
            return Ok(());
        }
        let slot = reach::slot(cx.view(), dst, Ref::symbol(RefKind::Got, symbol));
        cx.emit(slot);
        if near != 0 {
            cx.emit(address(dst, Mem::base(dst, near)));
        }
        Ok(())
    }

    #[inline]
    fn fold_symbol_addr(&self, view: ModuleView<'_>, symbol: SymbolId, address: Reg, insts: &mut [MInst]) {
        crate::pages::fold(address, view.align_log2(symbol), insts);
    }

    fn block_addr<C: LowerCtx>(&self, cx: &mut C, dst: Reg, block: Ref) -> Result<(), CodegenError> {
        let address = reach::address(cx.view(), dst, block, 0);
        cx.emit(address);
        Ok(())
    }

    fn reaches_blocks(&self, insts: usize) -> bool {
        insts <= MOST_NEAR_INSTRUCTIONS
    }

    fn distant_block_addr<C: LowerCtx>(&self, cx: &mut C, dst: Reg, table: Ref) {
        let address = reach::address(cx.view(), SCRATCH, table, 0);
        cx.emit(address);
        cx.emit(rm(Op::LdrSw, 8, dst, Mem::base(SCRATCH, 0)));
        cx.emit(rrr(Op::Add, 8, dst, dst, SCRATCH));
    }

    fn indirect_jump(&self, address: Reg) -> MInst {
        r(Op::Br, 8, address)
    }

    fn symbol_mem(&self, _: ModuleView<'_>, _: SymbolId, _: i64) -> Option<Mem> {
        None
    }

    #[inline]
    fn int_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, value: i64) {
        cx.emit(mov_imm(if bytes > 4 { 8 } else { 4 }, dst, value));
    }

    fn float_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, bits: u128) {
        if bits == 0 {
            cx.emit(r(Op::MoviZero, 16, dst));
            return;
        }
        if let 4 | 8 = bytes
            && let Some(code) = immediates::float(bits as u64, bytes)
        {
            cx.emit(ri(Op::FmovI, bytes, dst, code.into()));
            return;
        }
        let bytes = bytes.max(NARROWEST_FLOAT);
        let constant = cx.pool_constant(&bits.to_le_bytes()[..usize::from(bytes)]);
        let load = reach::constant(cx.view(), bytes, dst, constant);
        cx.emit(load);
    }

    fn trap(&self) -> MInst {
        i(Op::Brk, lower::frames::TRAP_NUMBER)
    }

    fn call(&self, _: ModuleView<'_>, target: CallTarget, _free: Reg) -> MInst {
        match target {
            CallTarget::Symbol(symbol) => branch_ref(Op::Bl, Ref::symbol(RefKind::Plt, symbol)),
            CallTarget::Reg(reg) => r(Op::Blr, 8, reg),
        }
    }

    fn branch_marks(&self) -> Option<BranchMarks> {
        Some(BranchMarks {
            entry: i(Op::Hint, MARKED_ENTRY),
            mark: i(Op::Hint, MARKED_PLACE),
            marks_tables: true,
            // Marks are looked for in pages that say so, whatever the call.
            call_unmarked: |address| r(Op::Blr, 8, address),
        })
    }

    fn filler(&self, _: u32) -> Option<(MInst, u32)> {
        Some((none(Op::Nop), 4))
    }

    #[inline]
    fn mov(&self, class: RegClass, bytes: u8, dst: Reg, src: Reg) -> MInst {
        match class {
            // What is above an integer goes with it.
            RegClass::Int => rr(Op::Mov, 8, dst, src),
            RegClass::Float | RegClass::Mask => rr(Op::Fmov, if bytes > 8 { 16 } else { 8 }, dst, src),
        }
    }

    #[inline]
    fn spill(&self, class: RegClass, bytes: u8, src: Reg, mem: Mem) -> MInst {
        match class {
            RegClass::Int if src == SP => rm(Op::StrStack, 8, Reg::NONE, mem),
            RegClass::Int => rm(Op::Str, bytes, src, mem),
            RegClass::Float | RegClass::Mask => rm(Op::StrF, bytes, src, mem),
        }
    }

    #[inline]
    fn reload(&self, class: RegClass, bytes: u8, dst: Reg, mem: Mem) -> MInst {
        match class {
            RegClass::Int if dst == SP => rm(Op::LdrStack, 8, Reg::NONE, mem),
            RegClass::Int => rm(Op::Ldr, bytes, dst, mem),
            RegClass::Float | RegClass::Mask => rm(Op::LdrF, bytes, dst, mem),
        }
    }

    fn address<C: LowerCtx>(&self, cx: &mut C, dst: Reg, mem: Mem) {
        cx.emit(address(dst, mem));
    }

    fn extend<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg, bits: u32, signed: bool) {
        lower::extend(cx, dst, src, bits, signed, if bits > 32 { 8 } else { 4 });
    }

    fn block_copy_claims(&self, size: u32) -> PRegSet {
        lower::memory::block_copy_claims(size)
    }

    fn block_copy<C: LowerCtx>(&self, cx: &mut C, dst: Mem, src: Mem, size: u32) {
        lower::memory::block_copy(cx, dst, src, size);
    }

    fn align_down<C: LowerCtx>(&self, cx: &mut C, reg: Reg, align_log2: u8) {
        if align_log2 == 0 {
            return;
        }
        let mask = u64::MAX << align_log2.min(30);
        // Where this instruction has its operand, the number of the stack pointer is the zero register's.
        let mut src = reg;
        if src == SP {
            src = SCRATCH;
            cx.emit(rri(Op::AddI, 8, src, SP, 0));
        }
        cx.emit(logical(Op::AndI, 8, reg, src, mask));
    }

    fn add_pointer<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg) {
        cx.emit(rrr(Op::Add, 8, dst, dst, src));
    }

    fn touch_stack(&self) -> Option<MInst> {
        Some(frame::touch())
    }

    fn adjust_stack(&self, bytes: i32) -> MInst {
        frame::adjust_stack(bytes)
    }

    fn save_variadic_registers<C: LowerCtx>(&self, cx: &mut C, area: Mem, int_used: u8, float_used: u8) {
        lower::variadic::save_registers(cx, area, int_used, float_used);
    }

    fn variadic_area_bytes(&self) -> u32 {
        lower::variadic::AREA_BYTES
    }

    fn variadic_place(&self, class: RegClass, index: u32) -> i32 {
        lower::variadic::place(class, index)
    }

    fn tail_call(&self, view: ModuleView<'_>, target: CallTarget, _free: Reg) -> Option<MInst> {
        Some(match target {
            CallTarget::Reg(reg) if view.marks_entry => r(Op::BrTailMarked, 8, reg),
            CallTarget::Symbol(symbol) => branch_ref(Op::BSym, Ref::symbol(RefKind::Plt, symbol)),
            CallTarget::Reg(reg) => r(Op::BrTail, 8, reg),
        })
    }

    fn prologue<S: FrameSink>(&self, info: &FrameInfo, out: &mut S) {
        frame::prologue(info, out);
    }

    fn epilogue<S: FrameSink>(&self, info: &FrameInfo, out: &mut S) {
        frame::epilogue(info, out);
    }

    fn clearable(&self) -> PRegSet {
        frame::CLEARABLE
    }

    fn clear<S: FrameSink>(&self, clearing: &Clearing, out: &mut S) {
        frame::clear(clearing, out);
    }

    fn leave(&self, popped_bytes: u32) -> MInst {
        match popped_bytes {
            0 => none(Op::Ret),
            bytes => i(Op::RetPopping, bytes.cast_signed()),
        }
    }

    #[inline]
    fn encode(&self, inst: &MInst, out: &mut CodeBuffer) {
        encode::encode(inst, out);
    }

    #[inline]
    fn paired(&self, first: &MInst, second: &MInst) -> Option<MInst> {
        crate::pairs::paired(first, second)
    }

    fn print(&self, inst: &MInst, _: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result {
        crate::print::print_to(inst, names, out)
    }

    fn asm_rules(&self) -> Option<&'static dyn AsmRules> {
        Some(&AArch64Asm)
    }

    fn islands(&self) -> Option<&'static Islands> {
        Some(&ISLANDS)
    }
}
