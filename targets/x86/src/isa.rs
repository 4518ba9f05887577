//! The x86-64 target: the hooks that shared code calls, and the table of the target.

use crate::build::*;
use crate::cond::Cond;
use crate::ops::{OP_DESCS, Op};
use crate::peephole::X86Rules;
use crate::regs::*;
use crate::relocs::{ABS32, ABS64, FIXUPS, PC32, PC64, RELOCS, SHORT_FORMS, TABLE_ENTRY};
use crate::{abi, frame, lower};
use frazil_codegen::pass::MachRules;
use frazil_codegen::{
    Addressing, AsmNames, Branch, CallTarget, CaseTest, ClassDesc, CodeBuffer, CodegenError, ConvDesc, ElfDesc, Folder,
    FrameInfo, FrameSink, Isa, Label, LowerCtx, MInst, Mem, ModuleView, OpDesc, PRegSet, Parts, Ref, RefKind, Reg,
    RegClass, ShortForm, SwitchValue, TargetDesc, TargetEntry, UnwindOp,
};
use frazil_ir::{CallConv, Inst, Operand, SymbolId, Type, TypeData, TypeTable};
use std::fmt;

/// What the registry of targets knows.
pub const X86_64: TargetEntry = TargetEntry {
    name: "x86_64",
    triple_prefixes: &["x86_64", "amd64"],
    new: || Box::new(X86),
};

/// The integer scratch register.
pub const SCRATCH: Reg = R11;
/// The float scratch register.
pub const SCRATCH_FLOAT: Reg = XMM15;

static DESC: TargetDesc = TargetDesc {
    name: "x86_64",
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
            bytes: 16,
        },
    ],
    home_registers: PRegSet::of(&[RBX, R12, R13, R14, XMM9, XMM10, XMM11, XMM12, XMM13, XMM14]),
    frame_pointer: RBP,
    stack_pointer: RSP,
    pushes_saved_registers: true,
    incoming_args_offset: 16,
    pointer_bytes: 8,
    addressing: Addressing {
        index_scales: 0b1111,
        min_disp: i32::MIN,
        max_disp: i32::MAX,
        symbol_base: true,
    },
    function_align_log2: 4,
    elf: ElfDesc {
        machine: 62,
        is_64: true,
        little_endian: true,
        flags: 0,
        abs64: Some(ABS64),
        abs32: Some(ABS32),
        pc32: Some(PC32),
        pc64: Some(PC64),
        return_address_column: DWARF_RETURN_ADDRESS,
        code_align: 1,
        data_align: -8,
        initial_unwind: &[UnwindOp::DefineCfa(7, 8), UnwindOp::SavedAt(DWARF_RETURN_ADDRESS, -8)],
        filler: 0xcc,
    },
};

/// The x86-64 target.
#[derive(Clone, Copy, Debug)]
pub struct X86;

/// Size of an integer operation on a part: 4 or 8 bytes.
#[inline]
pub(crate) fn op_size(bytes: u8) -> u8 {
    if bytes > 4 { 8 } else { 4 }
}

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
            TypeData::Ptr(0) => one(false, 8),
            TypeData::F32 => one(true, 4),
            TypeData::F64 => one(true, 8),
            _ => Parts::default(),
        }
    }

    #[inline]
    fn fold(&self, folder: &mut Folder<'_>, user: Inst) {
        lower::fold::fold(folder, user);
    }

    #[inline]
    fn lower<C: LowerCtx>(&self, cx: &mut C, inst: Inst) -> Result<(), CodegenError> {
        lower::lower(cx, inst)
    }

    fn lower_branch<C: LowerCtx>(&self, cx: &mut C, condition: Operand) -> Result<Branch, CodegenError> {
        lower::compare::branch(cx, condition)
    }

    fn invert(&self, branch: MInst) -> MInst {
        MInst {
            aux: branch.aux ^ 1,
            ..branch
        }
    }

    fn jump(&self, target: Label) -> MInst {
        jmp(target)
    }

    fn switch_value<C: LowerCtx>(&self, cx: &mut C, value: Operand, ty: Type) -> Result<SwitchValue, CodegenError> {
        let Some(bits @ 1..=64) = cx.func().types.int_bits(ty) else {
            return Err(CodegenError::unsupported("a switch on an integer of more than 64 bits"));
        };
        let reg = cx.use_copy(value, 0);
        if bits != 32 || !lower::convert::clears_upper_half(cx, value) {
            lower::extend(cx, reg, reg, bits, false, 8);
        }
        Ok(SwitchValue {
            low: reg,
            high: Reg::NONE,
        })
    }

    fn case_branch<C: LowerCtx>(&self, cx: &mut C, test: CaseTest, value: SwitchValue, case: u64) -> MInst {
        compare_with(cx, value.low, case);
        let cond = match test {
            CaseTest::Equal => Cond::E,
            CaseTest::Below => Cond::B,
        };
        jcc(cond, Label(0))
    }

    fn range_branch<C: LowerCtx>(&self, cx: &mut C, value: Reg, temp: Reg, low: u64, span: u64) -> MInst {
        match i32::try_from(low) {
            Ok(low) => cx.emit(rm(Op::LeaRM, 8, temp, Mem::base(value, -low))),
            Err(_) => {
                cx.emit(mov_imm64(temp, low.cast_signed().wrapping_neg()));
                cx.emit(rr(Op::AddRR, 8, temp, value));
            }
        }
        compare_with(cx, temp, span);
        jcc(Cond::Be, Label(0))
    }

    fn bit_branch<C: LowerCtx>(&self, cx: &mut C, index: Reg, mask: u64) -> MInst {
        cx.emit(mov_imm64(SCRATCH, mask.cast_signed()));
        cx.emit(rr(Op::BtRR, 8, SCRATCH, index));
        jcc(Cond::B, Label(0))
    }

    fn table_jump<C: LowerCtx>(
        &self,
        cx: &mut C,
        value: SwitchValue,
        temp: Reg,
        low: u64,
        span: u64,
        table: Label,
        default: Label,
    ) {
        let value = value.low;
        if let Ok(low) = i32::try_from(low) {
            if low != 0 {
                cx.emit(ri(Op::SubRI, 8, value, low));
            }
        } else {
            cx.emit(mov_imm64(SCRATCH, low.cast_signed()));
            cx.emit(rr(Op::SubRR, 8, value, SCRATCH));
        }
        compare_with(cx, value, span);
        cx.emit(jcc(Cond::A, default));
        let entries = Mem {
            base: temp,
            index: value,
            scale_log2: 2,
            disp: 0,
        };
        cx.emit(rm(
            Op::LeaRM,
            8,
            temp,
            Mem::symbol(Ref::new(RefKind::Label, table.0), 0),
        ));
        cx.emit(rm(Op::MovsxdRM, 8, value, entries));
        cx.emit(rr(Op::AddRR, 8, value, temp));
        cx.emit(r(Op::JmpR, 8, value));
    }

    fn symbol_addr<C: LowerCtx>(
        &self,
        cx: &mut C,
        dst: Reg,
        symbol: SymbolId,
        addend: i64,
    ) -> Result<(), CodegenError> {
        if cx.view().is_thread_local(symbol) {
            return Err(CodegenError::unsupported("thread-local variables"));
        }
        let Ok(disp) = i32::try_from(addend) else {
            return Err(CodegenError::unsupported("an address more than 2 GiB from its symbol"));
        };
        if let Some(mem) = self.symbol_mem(cx.view(), symbol, addend) {
            cx.emit(rm(Op::LeaRM, 8, dst, mem));
            return Ok(());
        }
        cx.emit(rm(Op::MovRM, 8, dst, Mem::symbol(Ref::symbol(RefKind::Got, symbol), 0)));
        if disp != 0 {
            cx.emit(rm(Op::LeaRM, 8, dst, Mem::base(dst, disp)));
        }
        Ok(())
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

    fn float_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, bits: u128) {
        if bits == 0 {
            cx.emit(r(Op::ZeroX, 16, dst));
            return;
        }
        let constant = cx.pool_constant(&bits.to_le_bytes()[..usize::from(bytes)]);
        cx.emit(rm(Op::MovsRM, bytes, dst, Mem::symbol(constant, 0)));
    }

    fn float_constant_mem<C: LowerCtx>(&self, cx: &mut C, bytes: u8, bits: u128) -> Option<Mem> {
        let constant = cx.pool_constant(&bits.to_le_bytes()[..usize::from(bytes)]);
        Some(Mem::symbol(constant, 0))
    }

    fn call(&self, _view: ModuleView<'_>, target: CallTarget) -> MInst {
        match target {
            CallTarget::Symbol(symbol) => call(Ref::symbol(RefKind::Plt, symbol)),
            CallTarget::Reg(reg) => r(Op::CallR, 8, reg),
        }
    }

    fn trap(&self) -> MInst {
        none(Op::Ud2, 8)
    }

    #[inline]
    fn mov(&self, class: RegClass, bytes: u8, dst: Reg, src: Reg) -> MInst {
        match class {
            RegClass::Int => rr(Op::MovRR, op_size(bytes), dst, src),
            RegClass::Float => rr(Op::MovapRR, 4, dst, src),
        }
    }

    #[inline]
    fn spill(&self, class: RegClass, bytes: u8, src: Reg, mem: Mem) -> MInst {
        match class {
            RegClass::Int => mr(Op::MovMR, bytes, mem, src),
            RegClass::Float if bytes == 16 => mr(Op::MovapMR, 4, mem, src),
            RegClass::Float => mr(Op::MovsMR, bytes, mem, src),
        }
    }

    #[inline]
    fn reload(&self, class: RegClass, bytes: u8, dst: Reg, mem: Mem) -> MInst {
        match (class, bytes) {
            (RegClass::Int, 1) => rm(Op::MovzxBRM, 4, dst, mem),
            (RegClass::Int, 2) => rm(Op::MovzxWRM, 4, dst, mem),
            (RegClass::Int, _) => rm(Op::MovRM, bytes, dst, mem),
            (RegClass::Float, 16) => rm(Op::MovapRM, 4, dst, mem),
            (RegClass::Float, _) => rm(Op::MovsRM, bytes, dst, mem),
        }
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

    fn adjust_stack(&self, bytes: i32) -> MInst {
        rm(Op::LeaRM, 8, RSP, Mem::base(RSP, bytes))
    }

    fn save_variadic_registers<C: LowerCtx>(&self, cx: &mut C, area: Mem, int_used: u8, float_used: u8) {
        lower::variadic::save_registers(cx, area, int_used, float_used);
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

    #[inline]
    fn encode(&self, inst: &MInst, out: &mut CodeBuffer) {
        crate::encode::encode(inst, out);
    }

    fn print(&self, inst: &MInst, len: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result {
        crate::print::print_to(inst, len, names, out)
    }

    fn table_entry_fixup(&self) -> u8 {
        TABLE_ENTRY
    }

    fn mach_rules(&self) -> &'static dyn MachRules {
        &X86Rules
    }

    fn short_forms(&self) -> &'static [ShortForm] {
        SHORT_FORMS
    }
}

/// Compares a 64-bit register with an unsigned constant.
fn compare_with<C: LowerCtx>(cx: &mut C, value: Reg, constant: u64) {
    match i32::try_from(constant) {
        Ok(0) => cx.emit(rr(Op::TestRR, 8, value, value)),
        Ok(imm) => cx.emit(ri(Op::CmpRI, 8, value, imm)),
        Err(_) => {
            cx.emit(mov_imm64(SCRATCH, constant.cast_signed()));
            cx.emit(rr(Op::CmpRR, 8, value, SCRATCH));
        }
    }
}
