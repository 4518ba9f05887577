//! The targets x86-64 and x86-32: the hooks that shared code calls, and the tables of the targets.
//!
//! Both are [`X86`], with the width of a general register in bytes as its constant.

use crate::build::*;
use crate::descs::OP_DESCS;
use crate::features::{AVX, AVX2, AVX512BW, AVX512F, F16C, SSE4_1};
use crate::inline_asm::X86Asm;
use crate::lower::{spaces, switch};
use crate::meaning::X86Meaning;
use crate::ops::op_size;
use crate::peephole::X86Rules;
use crate::platform::{PLATFORM, PLATFORM_32};
use crate::processors::FEATURES;
use crate::regs::*;
use crate::relocs::{ABS8, ABS16, ABS32, ABS64, DTPOFF64, FIXUPS, PC32, PC64, PLT32, RELOCS, SHORT_FORMS};
use crate::table::Op;
use crate::thirty_two;
use crate::{abi, encode, frame, lower, masks, rows, upper};
use frazil_codegen::abi::StackResults;
use frazil_codegen::check::translation::Meaning;
use frazil_codegen::features::FeatureSet;
use frazil_codegen::included::{VECTORS, without_vectors};
use frazil_codegen::inline_asm::AsmRules;
use frazil_codegen::pairs;
use frazil_codegen::pass::MachRules;
use frazil_codegen::{
    Addressing, AsmNames, Branch, BranchMarks, CallTarget, CaseTable, CaseTest, ClassDesc, Clearing, CodeBuffer,
    CodegenError, ConvDesc, Division, ElfDesc, FarSections, Folder, FrameInfo, FrameSink, HalfConversions, Halt, Isa,
    Label, LowerCtx, MInst, Mem, ModuleView, OpDesc, PRegSet, Parts, ProtectionNote, Push, Ref, RefKind, Reg, RegClass,
    RegisterStack, RelocationModel, ShortForm, SwitchValue, Target, TargetDesc, TargetEntry, ThreadOffset, UnwindOp,
};
use frazil_ir::module::ModuleFlags;
use frazil_ir::{
    CallConv, Function, Inst, InstData, Operand, Refusal, RuntimeFunction, SymbolId, Type, TypeData, TypeTable,
};
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

/// What the registry knows of 32-bit code.
pub const X86_32: TargetEntry = TargetEntry {
    name: "x86_32",
    llc_name: "x86",
    summary: "32-bit x86: i386 with SSE2",
    triple_prefixes: &["i386", "i486", "i586", "i686", "x86"],
    platform: &PLATFORM_32,
    new: new_32,
};

/// Makes the target. The compiler for it, which is generic over targets, becomes code of this crate alone: inlined into
/// others, or written as a closure of a constant, this would make it code of each of them.
#[inline(never)]
fn new() -> Box<dyn Target> {
    Box::new(X86::<8>)
}

/// As [`new`].
#[inline(never)]
fn new_32() -> Box<dyn Target> {
    Box::new(X86::<4>)
}

const DESC: TargetDesc = TargetDesc {
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
    byte_registers: PRegSet::EMPTY,
    frame_pointer: RBP,
    stack_pointer: RSP,
    exception_registers: Some([RAX, RDX]),
    pushes_saved_registers: true,
    pushes_arguments: false,
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

static DESC_64: TargetDesc = DESC;
static DESC_32: TargetDesc = thirty_two::description(DESC);

/// The target whose general registers have `W` bytes: x86-64 with 8, x86-32 with 4.
#[derive(Clone, Copy, Debug)]
pub struct X86<const W: u8>;

impl<const W: u8> X86<W> {
    const IS_32_BIT: bool = W == 4;
    /// The general register that is never allocated.
    const SCRATCH: Reg = scratch_of(W);

    /// Whether addresses of the image are relative to the place of code by instructions of their own.
    #[inline]
    fn has_relative_addresses(view: ModuleView<'_>) -> bool {
        Self::IS_32_BIT && view.relocation_model == RelocationModel::Pic
    }

    /// Whether a function is called through the global offset table. In position-independent 32-bit code, entries of
    /// the procedure linkage table would have to be told where that table is, in `ebx`; functions that a resolver
    /// chooses have such entries wherever they are.
    fn is_called_through_table(view: ModuleView<'_>, symbol: SymbolId) -> bool {
        view.is_bound_early(symbol)
            || Self::has_relative_addresses(view) && (!view.is_near(symbol) || view.is_ifunc(symbol))
    }

    /// An instruction with a slot of the global offset table as memory operand. In position-independent 32-bit code, it
    /// needs the place of the table, whose name is in the field for displacements, which such an operand does not have.
    fn through_table(inst: MInst, view: ModuleView<'_>) -> MInst {
        if !Self::has_relative_addresses(view) {
            return inst;
        }
        let table = RuntimeFunction::GlobalOffsetTable.symbol(view.symbol_count());
        let slot = inst.reference().expect("a slot has a symbol");
        inst.with_mem(near(slot, table.as_u32().cast_signed(), true))
    }

    /// The same of a call or jump, which finds the place of the table by this register.
    fn through_table_by(free: Reg, inst: MInst, view: ModuleView<'_>) -> MInst {
        let mut branch = Self::through_table(inst, view);
        if Self::has_relative_addresses(view) {
            branch.set_reg(0, free);
        }
        branch
    }
}

impl<const W: u8> Isa for X86<W> {
    const WORD_BYTES: u8 = W;
    const SAVES_SCRATCH: bool = Self::IS_32_BIT;
    const HAS_FEW_REGISTERS: bool = Self::IS_32_BIT;
    const HAS_IMAGE_BASE: bool = Self::IS_32_BIT;

    #[inline]
    fn desc(&self) -> &'static TargetDesc {
        if Self::IS_32_BIT { &DESC_32 } else { &DESC_64 }
    }

    fn op_descs(&self) -> &'static [OpDesc] {
        &OP_DESCS
    }

    fn convention(&self, conv: CallConv) -> Option<&'static ConvDesc> {
        if Self::IS_32_BIT {
            abi::convention_32(conv)
        } else {
            abi::convention(conv)
        }
    }

    fn parts(&self, types: &TypeTable, ty: Type) -> Parts {
        let one = |float, bytes| Parts { count: 1, float, bytes };
        match types.data(ty) {
            TypeData::Int(bits) if bits > 0 && bits <= u32::from(W) * 8 => {
                one(false, bits.div_ceil(8).next_power_of_two() as u8)
            }
            TypeData::Int(bits) if bits > 0 && bits <= u32::from(W) * 16 => Parts {
                count: 2,
                float: false,
                bytes: W,
            },
            TypeData::Ptr(space) => match spaces::pointer_bytes(space, W) {
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

    fn writes_scratch(&self, inst: &MInst) -> bool {
        Self::IS_32_BIT && encode::thirty_two::writes_scratch(inst)
    }

    fn hides_scratch(&self, inst: &MInst) -> bool {
        encode::thirty_two::hides_scratch(inst)
    }

    fn without_large_rules(&self, function: &Function) -> Option<Function> {
        if Self::IS_32_BIT {
            pairs::expanded(function)
        } else {
            None
        }
    }

    fn clears_above<F: Fn(Operand) -> bool>(&self, function: &Function, operand: Operand, is_folded: F) -> bool {
        lower::narrow::clears_above(function, operand, &is_folded)
    }

    #[inline(always)]
    fn fold(&self, folder: &mut Folder<'_>, user: Inst) {
        lower::fold::fold::<W>(folder, user);
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
            () if Self::IS_32_BIT => 0,
            () if lower::vector::mask_register::is_available(features) => WIDEST_VECTOR_BYTES,
            () if features.has(AVX2) => WIDE_VECTOR_BYTES,
            () => 0,
        }
    }

    fn masks_are_bits(&self, features: FeatureSet) -> bool {
        !Self::IS_32_BIT && lower::vector::mask_register::is_available(features)
    }

    fn has_lane_masks(&self, features: FeatureSet) -> bool {
        !Self::IS_32_BIT && features.has(AVX2) && !self.masks_are_bits(features)
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
        switch::value(cx, value, ty)
    }

    fn case_branch<C: LowerCtx>(&self, cx: &mut C, test: CaseTest, value: SwitchValue, case: u64) -> MInst {
        switch::case_branch(cx, test, value, case)
    }

    fn range_branch<C: LowerCtx>(&self, cx: &mut C, value: SwitchValue, temp: Reg, low: u64, span: u64) -> MInst {
        switch::range_branch(cx, value, temp, low, span)
    }

    fn bit_branch<C: LowerCtx>(&self, cx: &mut C, index: Reg, mask: u64) -> MInst {
        switch::bit_branch(cx, index, mask)
    }

    fn table_jump<C: LowerCtx>(&self, cx: &mut C, value: SwitchValue, temp: Reg, table: &CaseTable) {
        switch::table_jump(cx, value, temp, table);
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
            if dst == Self::SCRATCH {
                return Err(far_from_symbol());
            }
            self.symbol_addr(cx, dst, symbol, 0)?;
            cx.emit(mov_imm64(Self::SCRATCH, addend));
            cx.emit(rm(Op::LeaRM, W, dst, Mem::indexed(dst, Self::SCRATCH, 0, 0)));
            return Ok(());
        };
        if let Some(mem) = self.symbol_mem(cx.view(), symbol, addend) {
            cx.emit(rm(Op::LeaRM, W, dst, mem));
            return Ok(());
        }
        if cx.view().is_absolute(symbol) {
            cx.emit(movabs_ref(dst, Ref::symbol(RefKind::Symbol, symbol), disp));
            return Ok(());
        }
        cx.emit(Self::through_table(
            rm(Op::MovRM, W, dst, table_slot(symbol)),
            cx.view(),
        ));
        if disp != 0 {
            cx.emit(rm(Op::LeaRM, W, dst, Mem::base(dst, disp)));
        }
        Ok(())
    }

    fn image_base(&self, view: ModuleView<'_>, dst: Reg) -> Option<MInst> {
        let table = RuntimeFunction::GlobalOffsetTable.symbol(view.symbol_count());
        Self::has_relative_addresses(view).then(|| table_place(dst, table))
    }

    fn counted_from(&self, base: Reg, inst: &MInst) -> Option<MInst> {
        if Self::IS_32_BIT {
            encode::thirty_two::counted_from(base, inst)
        } else {
            None
        }
    }

    fn block_addr<C: LowerCtx>(&self, cx: &mut C, dst: Reg, block: Ref) -> Result<(), CodegenError> {
        let mem = near(block, 0, Self::has_relative_addresses(cx.view()));
        cx.emit(rm(Op::LeaRM, W, dst, mem));
        Ok(())
    }

    fn indirect_jump(&self, address: Reg) -> MInst {
        r(Op::JmpR, 8, address)
    }

    #[inline]
    fn symbol_mem(&self, view: ModuleView<'_>, symbol: SymbolId, addend: i64) -> Option<Mem> {
        let disp = i32::try_from(addend).ok()?;
        (view.is_near(symbol) && !view.is_thread_local(symbol)).then(|| {
            near(
                Ref::symbol(RefKind::Symbol, symbol),
                disp,
                Self::has_relative_addresses(view),
            )
        })
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
        lower::float::constant(cx, dst, bytes, bits);
    }

    fn float_constant_mem<C: LowerCtx>(&self, cx: &mut C, bytes: u8, bits: u128) -> Option<Mem> {
        Some(lower::float::constant_place(cx, bytes, bits))
    }

    fn call(&self, view: ModuleView<'_>, target: CallTarget, free: Reg) -> MInst {
        match target {
            CallTarget::Symbol(symbol) if Self::is_called_through_table(view, symbol) => {
                if free.is_none() && Self::has_relative_addresses(view) {
                    return call(callee::<W>(symbol));
                }
                Self::through_table_by(free, m(Op::CallM, 8, table_slot(symbol)), view)
            }
            CallTarget::Symbol(symbol) => call(callee::<W>(symbol)),
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
            entry: branch_mark(W),
            mark: branch_mark(W),
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
        Some(rr(Op::MovdRX, W, dst, src))
    }

    fn unaligned(&self, inst: MInst) -> MInst {
        frame::unaligned(inst)
    }

    fn address<C: LowerCtx>(&self, cx: &mut C, dst: Reg, mem: Mem) {
        cx.emit(rm(Op::LeaRM, W, dst, mem));
    }

    fn extend<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg, bits: u32, signed: bool) {
        lower::extend(cx, dst, src, bits, signed, if bits > 32 { W } else { 4 });
    }

    fn block_copy_claims(&self, size: u32) -> PRegSet {
        if size > lower::memory::MAX_INLINE_BYTES {
            PRegSet::of(&[RCX, RSI, RDI])
        } else {
            PRegSet::EMPTY
        }
    }

    fn block_copy<C: LowerCtx>(&self, cx: &mut C, dst: Mem, src: Mem, size: u32) {
        lower::memory::copy_block(cx, dst, src, size);
    }

    fn align_down<C: LowerCtx>(&self, cx: &mut C, reg: Reg, align_log2: u8) {
        cx.emit(ri(Op::AndRI, W, reg, -(1i32 << align_log2.min(30))));
    }

    fn add_pointer<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg) {
        cx.emit(rr(Op::AddRR, W, dst, src));
    }

    fn touch_stack(&self) -> Option<MInst> {
        Some(mi(Op::OrMI, W, Mem::base(RSP, 0), 0))
    }

    fn adjust_stack(&self, bytes: i32) -> MInst {
        rm(Op::LeaRM, W, RSP, Mem::base(RSP, bytes))
    }

    #[inline]
    fn push(&self, store: &MInst) -> Option<Push> {
        frame::push(store)
    }

    fn push_loaded(&self, load: &MInst) -> Option<MInst> {
        frame::push_loaded(load)
    }

    fn store_constant(&self, value: i32, mem: Mem) -> Option<MInst> {
        Some(mi(Op::MovMI, W, mem, value))
    }

    fn store_definition(&self, definition: &MInst, mem: Mem, emit: impl FnMut(MInst)) {
        frame::store_definition::<W>(definition, mem, emit);
    }

    fn move_stack(&self, bytes: i32) -> MInst {
        frame::move_stack::<W>(bytes)
    }

    fn save_variadic_registers<C: LowerCtx>(&self, cx: &mut C, area: Mem, int_used: u8, float_used: u8) {
        lower::variadic::save_registers(cx, area, int_used, float_used);
    }

    fn variadic_place(&self, class: RegClass, index: u32) -> i32 {
        lower::variadic::place(class, index)
    }

    fn tail_call(&self, view: ModuleView<'_>, target: CallTarget, free: Reg) -> Option<MInst> {
        Some(match target {
            CallTarget::Symbol(symbol)
                if free.is_none()
                    && Self::has_relative_addresses(view)
                    && Self::is_called_through_table(view, symbol) =>
            {
                return None;
            }
            CallTarget::Symbol(symbol) if Self::is_called_through_table(view, symbol) => {
                Self::through_table_by(free, m(Op::JmpM, 8, table_slot(symbol)), view)
            }
            CallTarget::Symbol(symbol) => branch_ref(Op::JmpRef, callee::<W>(symbol)),
            CallTarget::Reg(reg) => r(Op::JmpR, 8, reg),
        })
    }

    fn variadic_area_bytes(&self) -> u32 {
        if Self::IS_32_BIT {
            0
        } else {
            lower::variadic::AREA_BYTES
        }
    }

    fn prologue<S: FrameSink>(&self, info: &FrameInfo, out: &mut S) {
        frame::prologue::<W, S>(info, out);
    }

    fn epilogue<S: FrameSink>(&self, info: &FrameInfo, out: &mut S) {
        frame::epilogue::<W, S>(info, out);
    }

    fn clearable(&self) -> PRegSet {
        frame::clearable::<W>()
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
        encode::encode::<W>(inst, out);
    }

    fn print(&self, inst: &MInst, len: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result {
        crate::print::print_to::<W>(inst, len, names, out)
    }

    fn asm_rules(&self) -> Option<&'static dyn AsmRules> {
        Some(&X86Asm::<W>)
    }

    fn has_three_operands(&self, features: FeatureSet) -> bool {
        features.has(AVX)
    }

    fn has_upper_registers(&self, features: FeatureSet) -> bool {
        !Self::IS_32_BIT && lower::vector::mask_register::is_available(features)
    }

    fn has_masks(&self, features: FeatureSet) -> bool {
        !Self::IS_32_BIT && lower::vector::mask_register::is_available(features)
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

/// A symbol's slot of the global offset table.
fn table_slot(symbol: SymbolId) -> Mem {
    Mem::symbol(Ref::symbol(RefKind::Got, symbol), 0)
}
