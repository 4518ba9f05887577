//! The x86-64 target: the hooks that shared code calls, and the table of the target.

use crate::build::*;
use crate::cond::Cond;
use crate::descs::OP_DESCS;
use crate::encode;
use crate::features::{AVX, AVX2, AVX512BW, AVX512F, F16C, SSE4_1};
use crate::inline_asm::X86Asm;
use crate::lower::spaces;
use crate::meaning::X86Meaning;
use crate::ops::op_size;
use crate::peephole::X86Rules;
use crate::platform::PLATFORM;
use crate::processors::FEATURES;
use crate::regs::*;
use crate::relocs::{ABS8, ABS16, ABS32, ABS64, DTPOFF64, FIXUPS, PC32, PC64, PLT32, RELOCS, SHORT_FORMS};
use crate::table::Op;
use crate::{abi, frame, lower, masks, rows, upper};
use frazil_codegen::abi::StackResults;
use frazil_codegen::check::translation::Meaning;
use frazil_codegen::features::FeatureSet;
use frazil_codegen::included::{VECTORS, without_vectors};
use frazil_codegen::inline_asm::AsmRules;
use frazil_codegen::pass::MachRules;
use frazil_codegen::{
    Addressing, AsmNames, Branch, BranchMarks, CallTarget, CaseTable, CaseTest, ClassDesc, Clearing, CodeBuffer,
    CodegenError, ConvDesc, Division, ElfDesc, FarSections, Folder, FrameInfo, FrameSink, HalfConversions, Halt, Isa,
    Label, LowerCtx, MInst, Mem, ModuleView, OpDesc, PRegSet, Parts, ProtectionNote, Ref, RefKind, Reg, RegClass,
    RegisterStack, ShortForm, SwitchValue, Target, TargetDesc, TargetEntry, ThreadOffset, UnwindOp,
};
use frazil_ir::module::ModuleFlags;
use frazil_ir::{CallConv, Function, Inst, InstData, Operand, Refusal, SymbolId, Type, TypeData, TypeTable};
use std::fmt;

/// What the registry of targets knows.
pub const X86_64: TargetEntry = TargetEntry {
    name: "x86_64",
    llc_name: "x86-64",
    summary: "64-bit x86: AMD64, Intel 64",
    triple_prefixes: &["x86_64", "amd64"],
    platform: &PLATFORM,
    new,
};

/// Makes the target. The compiler for it, which is generic over targets, becomes code of this crate alone: inlined into
/// others, or written as a closure of a constant, this would make it code of each of them.
#[inline(never)]
fn new() -> Box<dyn Target> {
    Box::new(X86)
}

static DESC: TargetDesc = TargetDesc {
    name: "x86_64",
    assembler_options: &[],
    regs: &REGS,
    relocs: RELOCS,
    fixups: FIXUPS,
    classes: [
        ClassDesc {
            allocatable: PRegSet::of(&[RAX, RCX, RDX, RBX, RSI, RDI, R8, R9, R10, R12, R13, R14, R15]),
            scratch: SCRATCH,
            bytes: 8,
        },
        ClassDesc {
            allocatable: PRegSet::of(&[
                XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6, XMM7, XMM8, XMM9, XMM10, XMM11, XMM12, XMM13, XMM14,
            ]),
            scratch: SCRATCH_FLOAT,
            bytes: VECTOR_BYTES,
        },
    ],
    masks: Some(ClassDesc {
        allocatable: MASKS,
        scratch: SCRATCH_MASK,
        bytes: MASK_BYTES,
    }),
    vector_bytes: VECTOR_BYTES,
    passed_vector_bytes: WIDEST_VECTOR_BYTES,
    home_registers: PRegSet::of(&[RBX, R12, R13, R14, XMM9, XMM10, XMM11, XMM12, XMM13, XMM14]),
    rule_registers: PRegSet::EMPTY,
    spare_registers: PRegSet::EMPTY,
    joins_comparisons: false,
    // Of processors since Sandy Bridge: 14 to 20.
    misprediction_cycles: 16,
    upper_registers: UPPER,
    frame_pointer: RBP,
    stack_pointer: RSP,
    exception_registers: Some([RAX, RDX]),
    pushes_saved_registers: true,
    frame_pointer_is_optional: true,
    keeps_stack_aligned: false,
    link_register: None,
    protects_returns: false,
    moves_whole_registers: false,
    return_address_bytes: 8,
    guarded_systems: &["-gnu", "-musl", "-fuchsia", "-android"],
    red_zone_bytes: frame::RED_ZONE_BYTES,
    // A short one.
    patched_jump_bytes: 2,
    incoming_args_offset: 16,
    pointer_bytes: 8,
    features: &FEATURES,
    code_models: &[ModuleFlags::SMALL, ModuleFlags::MEDIUM, ModuleFlags::KERNEL],
    addressing: Addressing {
        index_scales: 0b1111,
        min_disp: i32::MIN,
        max_disp: i32::MAX,
        free_disps: None,
        index_with_disp: true,
        symbol_base: true,
    },
    free_immediates: None,
    register_stack: Some(RegisterStack {
        name: "x87",
        count: X87_COUNT,
        own_types: &[Type::X86_F80],
    }),
    function_align_log2: 4,
    // A line of the caches, also of AMD's for what is decoded.
    loop_line_log2: 6,
    constant_align_bytes: WIDE_VECTOR_BYTES,
    elf: ElfDesc {
        machine: 62,
        is_64: true,
        little_endian: true,
        flags: 0,
        addends_in_fields: false,
        // `SHT_X86_64_UNWIND`.
        has_far_exception_tables: false,
        unwind_section_type: Some(0x7000_0001),
        // `SHF_X86_64_LARGE` (System V ABI for x86-64, table 4.2).
        far_sections: Some(FarSections {
            flag: 0x1000_0000,
            letter: 'l',
        }),
        abs64: Some(ABS64),
        abs32: Some(ABS32),
        abs16: Some(ABS16),
        abs8: Some(ABS8),
        plt32: Some(PLT32),
        pc32: Some(PC32),
        pc64: Some(PC64),
        thread_offset: Some(ThreadOffset {
            relocation: DTPOFF64,
            suffix: "@DTPOFF",
        }),
        return_address_column: DWARF_RETURN_ADDRESS,
        code_align: 1,
        data_align: -8,
        initial_unwind: &[UnwindOp::DefineCfa(7, 8), UnwindOp::SavedAt(DWARF_RETURN_ADDRESS, -8)],
        filler: 0xcc,
        no_operation: &[0x90],
        // GNU_PROPERTY_X86_FEATURE_1_AND with IBT and SHSTK (System V ABI for x86-64, table 4.5).
        protection_note: Some(ProtectionNote {
            property: 0xc000_0002,
            marked_targets: 1,
            shadow_stack: 2,
            signed_returns: 0,
        }),
    },
};

/// Bytes of a float constant in memory, at least: there are no moves of less.
const NARROWEST_FLOAT: u8 = 4;

/// The x86-64 target.
#[derive(Clone, Copy, Debug)]
pub struct X86;

impl Isa for X86 {
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
            TypeData::Ptr(space) => match spaces::pointer_bytes(space) {
                0 => Parts::default(),
                bytes => one(false, bytes),
            },
            TypeData::F16 | TypeData::BF16 => one(true, 2),
            TypeData::F32 => one(true, 4),
            TypeData::F64 => one(true, 8),
            TypeData::X86F80 | TypeData::F128 => one(true, 16),
            TypeData::Vector { .. } if lower::vector::shape(types, ty).is_some() => one(true, VECTOR_BYTES),
            TypeData::Vector { .. } if lower::vector::wide::bytes(types, ty) > 0 => {
                one(true, lower::vector::wide::bytes(types, ty))
            }
            _ => Parts::default(),
        }
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
        let data = *cx.func().inst(inst);
        match data.ty {
            Type::X86_F80 => Ok(lower::lower_extended(cx, &data)?),
            Type::F128 => Ok(lower::lower_quad(cx, &data)?),
            _ if VECTORS => lower::vector::lower(cx, inst),
            _ => Err(without_vectors(Refusal::Vector).into()),
        }
    }

    fn has_vector_operation(&self, function: &Function, view: ModuleView<'_>, data: &InstData) -> bool {
        VECTORS && lower::vector::has_operation(function, view, data)
    }

    fn has_high_products(&self, lane_bits: u32) -> bool {
        lane_bits == 16
    }

    fn half_conversions(&self, features: FeatureSet) -> HalfConversions {
        match features.has(F16C) {
            true => HalfConversions::Single,
            false => HalfConversions::None,
        }
    }

    fn has_extending_loads(&self, features: FeatureSet) -> bool {
        features.has(SSE4_1)
    }

    fn computed_vector_bytes(&self, features: FeatureSet) -> u8 {
        match () {
            () if lower::vector::mask_register::is_available(features) => WIDEST_VECTOR_BYTES,
            () if features.has(AVX2) => WIDE_VECTOR_BYTES,
            () => 0,
        }
    }

    fn masks_are_bits(&self, features: FeatureSet) -> bool {
        lower::vector::mask_register::is_available(features)
    }

    fn widest_passed_vector(&self, features: FeatureSet) -> u8 {
        match () {
            () if features.has(AVX512F) => 64,
            () if features.has(AVX) => 32,
            () => VECTOR_BYTES,
        }
    }

    fn widest_passed_mask(&self, features: FeatureSet) -> u32 {
        match () {
            () if features.has(AVX512BW) => 64,
            () if features.has(AVX) => 32,
            () => VECTOR_BYTES.into(),
        }
    }

    fn division(&self, name: &str) -> Option<Division> {
        lower::vector::intrinsics::division(name)
    }

    fn lower_intrinsic<C: LowerCtx>(&self, cx: &mut C, name: &str, call: &InstData) -> Result<bool, CodegenError> {
        Ok(VECTORS && lower::vector::intrinsics::lower(cx, name, call)?
            || lower::call_support::lower_intrinsic(cx, name, call)?)
    }

    fn lower_branch<C: LowerCtx>(&self, cx: &mut C, condition: Operand) -> Result<Branch, CodegenError> {
        lower::compare::branch(cx, condition)
    }

    fn invert(&self, branch: MInst) -> MInst {
        branch.with_aux(branch.aux ^ 1)
    }

    fn jump(&self, target: Label) -> MInst {
        jmp(target)
    }

    fn switch_value<C: LowerCtx>(&self, cx: &mut C, value: Operand, ty: Type) -> Result<SwitchValue, CodegenError> {
        let Some(bits @ 1..=64) = cx.func().types().int_bits(ty) else {
            return Err(CodegenError::unsupported(
                Refusal::WideInteger,
                "a switch on an integer of more than 64 bits",
            ));
        };
        let high = Reg::NONE;
        if matches!(bits, 8 | 32 | 64) {
            let (low, bytes) = (cx.use_reg(value, 0), (bits / 8) as u8);
            return Ok(SwitchValue { low, high, bytes });
        }
        // Comparisons of 16 bits with immediates are slow to decode.
        let bytes = if bits < 32 { 4 } else { 8 };
        let low = cx.use_copy(value, 0);
        lower::extend(cx, low, low, bits, false, bytes);
        Ok(SwitchValue { low, high, bytes })
    }

    fn case_branch<C: LowerCtx>(&self, cx: &mut C, test: CaseTest, value: SwitchValue, case: u64) -> MInst {
        compare_with(cx, value.low, value.bytes, case);
        let cond = match test {
            CaseTest::Equal => Cond::E,
            CaseTest::Below => Cond::B,
        };
        jcc(cond, Label(0))
    }

    fn range_branch<C: LowerCtx>(&self, cx: &mut C, value: SwitchValue, temp: Reg, low: u64, span: u64) -> MInst {
        subtract_low(cx, value, temp, low);
        compare_with(cx, temp, value.bytes, span);
        jcc(Cond::Be, Label(0))
    }

    fn bit_branch<C: LowerCtx>(&self, cx: &mut C, index: Reg, mask: u64) -> MInst {
        cx.emit(mov_imm64(SCRATCH, mask.cast_signed()));
        cx.emit(rr(Op::BtRR, 8, SCRATCH, index));
        jcc(Cond::B, Label(0))
    }

    fn table_jump<C: LowerCtx>(&self, cx: &mut C, value: SwitchValue, temp: Reg, table: &CaseTable) {
        // As wide as an index: operations of 32 bits clear what is above.
        let mut wide = value;
        if value.bytes == 1 {
            cx.emit(rr(Op::MovzxBRR, 4, temp, value.low));
            wide.low = temp;
            wide.bytes = 4;
        }
        if table.low != 0 {
            subtract_low(cx, wide, temp, table.low);
        } else if value.bytes == 4 {
            cx.emit(rr(Op::MovzxLRR, 4, temp, value.low));
        } else if value.bytes == 8 {
            cx.emit(rr(Op::MovRR, 8, temp, value.low));
        }
        if let Some(default) = table.default {
            compare_with(cx, temp, wide.bytes, table.span);
            cx.emit(jcc(Cond::A, default));
        }
        let start = Mem::symbol(table.place, 0);
        let entry = Mem::indexed(SCRATCH, temp, 2, 0);
        cx.emit(rm(Op::LeaRM, 8, SCRATCH, start));
        cx.emit(rm(Op::MovsxdRM, 8, temp, entry));
        cx.emit(rr(Op::AddRR, 8, temp, SCRATCH));
        // The labels of the table are not marked.
        let is_checked = cx.view().module.flags.marks_branch_targets;
        cx.emit(r(if is_checked { Op::JmpNoTrackR } else { Op::JmpR }, 8, temp));
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
        let Ok(disp) = i32::try_from(addend) else {
            if dst == SCRATCH {
                return Err(far_from_symbol());
            }
            self.symbol_addr(cx, dst, symbol, 0)?;
            cx.emit(mov_imm64(SCRATCH, addend));
            cx.emit(rm(Op::LeaRM, 8, dst, Mem::indexed(dst, SCRATCH, 0, 0)));
            return Ok(());
        };
        if let Some(mem) = self.symbol_mem(cx.view(), symbol, addend) {
            cx.emit(rm(Op::LeaRM, 8, dst, mem));
            return Ok(());
        }
        if cx.view().is_absolute(symbol) {
            cx.emit(movabs_ref(dst, Ref::symbol(RefKind::Symbol, symbol), disp));
            return Ok(());
        }
        cx.emit(rm(Op::MovRM, 8, dst, Mem::symbol(Ref::symbol(RefKind::Got, symbol), 0)));
        if disp != 0 {
            cx.emit(rm(Op::LeaRM, 8, dst, Mem::base(dst, disp)));
        }
        Ok(())
    }

    fn block_addr<C: LowerCtx>(&self, cx: &mut C, dst: Reg, block: Ref) -> Result<(), CodegenError> {
        cx.emit(rm(Op::LeaRM, 8, dst, Mem::symbol(block, 0)));
        Ok(())
    }

    fn indirect_jump(&self, address: Reg) -> MInst {
        r(Op::JmpR, 8, address)
    }

    #[inline]
    fn symbol_mem(&self, view: ModuleView<'_>, symbol: SymbolId, addend: i64) -> Option<Mem> {
        let disp = i32::try_from(addend).ok()?;
        (view.is_near(symbol) && !view.is_thread_local(symbol))
            .then(|| Mem::symbol(Ref::symbol(RefKind::Symbol, symbol), disp))
    }

    #[inline]
    fn int_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, value: i64) {
        cx.emit(mov_imm(op_size(bytes), dst, value));
    }

    fn wide_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, parts: &[u128]) {
        match *parts {
            [low, high] => lower::vector::wide::constant(cx, dst, [low, high]),
            _ => lower::vector::widest::constant(cx, dst, parts),
        }
    }

    fn forget_wide(&self, call: &MInst) -> Option<MInst> {
        // Nothing may stand within the sequence that linkers know (ELF handling for thread-local storage, 4.4.1).
        (call.op != Op::CallTlsGdRef as u16).then(|| none(Op::Vzeroupper, 16))
    }

    fn float_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, bits: u128) {
        if bytes > VECTOR_BYTES {
            debug_assert!(bits == 0, "halves are given apart");
            return lower::vector::wide::constant(cx, dst, [0, 0]);
        }
        if bits == 0 {
            cx.emit(r(Op::ZeroX, 16, dst));
            return;
        }
        if bits == u128::MAX {
            cx.emit(r(Op::OnesX, 16, dst));
            return;
        }
        let bytes = bytes.max(NARROWEST_FLOAT);
        let constant = cx.pool_constant(&bits.to_le_bytes()[..usize::from(bytes)]);
        let (row, size) = if bytes == 16 {
            (Op::MovapRM, 4)
        } else {
            (Op::MovsRM, bytes)
        };
        cx.emit(rm(row, size, dst, Mem::symbol(constant, 0)));
    }

    fn float_constant_mem<C: LowerCtx>(&self, cx: &mut C, bytes: u8, bits: u128) -> Option<Mem> {
        let bytes = bytes.max(NARROWEST_FLOAT);
        let constant = cx.pool_constant(&bits.to_le_bytes()[..usize::from(bytes)]);
        Some(Mem::symbol(constant, 0))
    }

    fn call(&self, view: ModuleView<'_>, target: CallTarget) -> MInst {
        match target {
            CallTarget::Symbol(symbol) if view.is_bound_early(symbol) => through_table(Op::CallM, symbol),
            CallTarget::Symbol(symbol) => call(Ref::symbol(RefKind::Plt, symbol)),
            CallTarget::Reg(reg) => r(Op::CallR, 8, reg),
        }
    }

    fn take_stack_results<C: LowerCtx>(&self, cx: &mut C, results: &StackResults) {
        lower::x87::take_results(cx, results.as_slice());
    }

    fn give_stack_results<C: LowerCtx>(&self, cx: &mut C, results: &StackResults) {
        lower::x87::give_results(cx, results.as_slice());
    }

    fn branch_marks(&self) -> Option<BranchMarks> {
        Some(BranchMarks {
            entry: none(Op::Endbr64, 8),
            mark: none(Op::Endbr64, 8),
            marks_tables: false,
            call_unmarked: |address| r(Op::CallNoTrackR, 8, address),
        })
    }

    fn loop_filler(&self) -> fn(&mut [u8]) {
        encode::fill_before_loop
    }

    fn filler(&self, bytes: u32) -> Option<(MInst, u32)> {
        // The longest that the row has.
        let bytes = bytes.clamp(1, encode::NO_OPERATIONS.len() as u32);
        Some((i(Op::Nop, bytes.cast_signed()), bytes))
    }

    fn trap(&self) -> MInst {
        none(Op::Ud2, 8)
    }

    #[inline]
    fn mov(&self, class: RegClass, bytes: u8, dst: Reg, src: Reg) -> MInst {
        match class {
            RegClass::Int => rr(Op::MovRR, op_size(bytes), dst, src),
            RegClass::Float if bytes > VECTOR_BYTES => lower::vector::wide::mov(bytes, dst, src),
            RegClass::Float => rr(Op::MovapRR, 4, dst, src),
            RegClass::Mask => masks::mov(dst, src),
        }
    }

    #[inline]
    fn spill(&self, class: RegClass, bytes: u8, src: Reg, mem: Mem) -> MInst {
        match class {
            RegClass::Int => mr(Op::MovMR, bytes, mem, src),
            RegClass::Float if bytes == 16 => mr(Op::MovapMR, 4, mem, src),
            RegClass::Float if bytes > VECTOR_BYTES => lower::vector::wide::spill(bytes, src, mem),
            RegClass::Float => mr(Op::MovsMR, bytes, mem, src),
            RegClass::Mask => masks::spill(src, mem),
        }
    }

    #[inline]
    fn reload(&self, class: RegClass, bytes: u8, dst: Reg, mem: Mem) -> MInst {
        match (class, bytes) {
            (RegClass::Int, 1) => rm(Op::MovzxBRM, 4, dst, mem),
            (RegClass::Int, 2) => rm(Op::MovzxWRM, 4, dst, mem),
            (RegClass::Int, _) => rm(Op::MovRM, bytes, dst, mem),
            (RegClass::Float, 16) => rm(Op::MovapRM, 4, dst, mem),
            (RegClass::Float, WIDE_VECTOR_BYTES..) => lower::vector::wide::reload(bytes, dst, mem),
            (RegClass::Float, _) => rm(Op::MovsRM, bytes, dst, mem),
            (RegClass::Mask, _) => masks::reload(dst, mem),
        }
    }

    fn float_bits(&self, dst: Reg, src: Reg) -> Option<MInst> {
        Some(rr(Op::MovdRX, 8, dst, src))
    }

    fn unaligned(&self, inst: MInst) -> MInst {
        frame::unaligned(inst)
    }

    fn address<C: LowerCtx>(&self, cx: &mut C, dst: Reg, mem: Mem) {
        cx.emit(rm(Op::LeaRM, 8, dst, mem));
    }

    fn extend<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg, bits: u32, signed: bool) {
        lower::extend(cx, dst, src, bits, signed, if bits > 32 { 8 } else { 4 });
    }

    fn block_copy_claims(&self, size: u32) -> PRegSet {
        if size > lower::memory::MAX_INLINE_BYTES {
            PRegSet::of(&[RCX, RSI, RDI])
        } else {
            PRegSet::EMPTY
        }
    }

    fn block_copy<C: LowerCtx>(&self, cx: &mut C, dst: Mem, src: Mem, size: u32) {
        if size <= lower::memory::MAX_INLINE_BYTES {
            lower::memory::copy_inline(cx, dst, src, size);
            return;
        }
        cx.emit(rm(Op::LeaRM, 8, RSI, src));
        cx.emit(rm(Op::LeaRM, 8, RDI, dst));
        cx.emit(mov_imm(4, RCX, i64::from(size / 8)));
        cx.emit(none(Op::RepMovsq, 8));
        lower::memory::copy_inline(cx, Mem::base(RDI, 0), Mem::base(RSI, 0), size % 8);
    }

    fn align_down<C: LowerCtx>(&self, cx: &mut C, reg: Reg, align_log2: u8) {
        cx.emit(ri(Op::AndRI, 8, reg, -(1i32 << align_log2.min(30))));
    }

    fn add_pointer<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg) {
        cx.emit(rr(Op::AddRR, 8, dst, src));
    }

    fn touch_stack(&self) -> Option<MInst> {
        Some(mi(Op::OrMI, 8, Mem::base(RSP, 0), 0))
    }

    fn adjust_stack(&self, bytes: i32) -> MInst {
        rm(Op::LeaRM, 8, RSP, Mem::base(RSP, bytes))
    }

    fn save_variadic_registers<C: LowerCtx>(&self, cx: &mut C, area: Mem, int_used: u8, float_used: u8) {
        lower::variadic::save_registers(cx, area, int_used, float_used);
    }

    fn variadic_place(&self, class: RegClass, index: u32) -> i32 {
        lower::variadic::place(class, index)
    }

    fn tail_call(&self, view: ModuleView<'_>, target: CallTarget) -> Option<MInst> {
        Some(match target {
            CallTarget::Symbol(symbol) if view.is_bound_early(symbol) => through_table(Op::JmpM, symbol),
            CallTarget::Symbol(symbol) => branch_ref(Op::JmpRef, Ref::symbol(RefKind::Plt, symbol)),
            CallTarget::Reg(reg) => r(Op::JmpR, 8, reg),
        })
    }

    fn variadic_area_bytes(&self) -> u32 {
        lower::variadic::AREA_BYTES
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
            0 => none(Op::Ret, 8),
            bytes => i(Op::RetI, bytes.cast_signed()),
        }
    }

    #[inline]
    fn encode(&self, inst: &MInst, out: &mut CodeBuffer) {
        encode::encode(inst, out);
    }

    fn print(&self, inst: &MInst, len: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result {
        crate::print::print_to(inst, len, names, out)
    }

    fn asm_rules(&self) -> Option<&'static dyn AsmRules> {
        Some(&X86Asm)
    }

    fn has_three_operands(&self, features: FeatureSet) -> bool {
        features.has(AVX)
    }

    fn has_upper_registers(&self, features: FeatureSet) -> bool {
        lower::vector::mask_register::is_available(features)
    }

    fn has_masks(&self, features: FeatureSet) -> bool {
        lower::vector::mask_register::is_available(features)
    }

    fn encode_upper(&self, insts: &mut [MInst]) {
        for inst in insts.iter_mut().filter(|inst| upper::names_upper(inst)) {
            *inst = rows::with_vex(inst).unwrap_or(*inst);
        }
    }

    fn mach_rules(&self) -> &'static dyn MachRules {
        &X86Rules
    }

    fn meaning(&self) -> &'static dyn Meaning {
        &X86Meaning
    }

    fn short_forms(&self) -> &'static [ShortForm] {
        SHORT_FORMS
    }
}

/// Without a register besides the scratch register, which is the destination.
#[cold]
fn far_from_symbol() -> CodegenError {
    CodegenError::unsupported(Refusal::Instruction, "an address more than 2 GiB from its symbol")
}

/// A call or jump through a symbol's slot of the global offset table.
fn through_table(op: Op, symbol: SymbolId) -> MInst {
    MInst::new(op as u16, 8).with_mem(Mem::symbol(Ref::symbol(RefKind::Got, symbol), 0))
}

/// Compares the low bytes of a register with an unsigned constant.
fn compare_with<C: LowerCtx>(cx: &mut C, value: Reg, bytes: u8, constant: u64) {
    match immediate(bytes, constant) {
        Some(0) => cx.emit(rr(Op::TestRR, bytes, value, value)),
        Some(imm) => cx.emit(ri(Op::CmpRI, bytes, value, imm)),
        None => {
            cx.emit(mov_imm64(SCRATCH, constant.cast_signed()));
            cx.emit(rr(Op::CmpRR, 8, value, SCRATCH));
        }
    }
}

/// A number of this many bytes as the immediate that an instruction of this width extends to it.
fn immediate(bytes: u8, constant: u64) -> Option<i32> {
    match bytes {
        1 => Some(i32::from((constant as u8).cast_signed())),
        4 => Some((constant as u32).cast_signed()),
        _ => i32::try_from(constant).ok(),
    }
}

/// Puts `value - low` into `temp`; a difference of 32 bits clears what is above, one of 8 bits does not.
fn subtract_low<C: LowerCtx>(cx: &mut C, value: SwitchValue, temp: Reg, low: u64) {
    match immediate(value.bytes, low).and_then(i32::checked_neg) {
        Some(disp) => cx.emit(rm(Op::LeaRM, value.bytes.max(4), temp, Mem::base(value.low, disp))),
        None => {
            cx.emit(mov_imm64(temp, low.cast_signed().wrapping_neg()));
            cx.emit(rr(Op::AddRR, value.bytes.max(4), temp, value.low));
        }
    }
}
