//! Takes apart what is one instruction to shared code and several to the machine.
//!
//! Sequences of the op table, and accesses whose address no instruction has: the encoder's register [`TEMP`] then holds
//! part of it. The encoder and the printer both work on what comes out here, so that code and text agree.
//!
//! ```text
//! ldr x0, [sp, #1000000]        add x17, sp, #244, lsl #12
//!                        ->     ldr x0, [x17, #576]
//! ```

use crate::immediates::{self, Step};
use crate::ops::{Form, aux};
use crate::regs::{SCRATCH, SP, TEMP, XZR, x};
use crate::table::{Op, ROWS};
use frazil_codegen::{MInst, Mem, Ref, RefKind, Reg};

/// The most bytes that an instruction of the op table becomes.
pub const MAX_BYTES: u32 = 24;

/// The system register with the thread pointer: `tpidr_el0`.
pub const THREAD_POINTER: i32 = 0x5e82;

/// How an index is extended, as the field of instructions has it.
pub mod extension {
    /// From 32 bits with zeros.
    pub const UXTW: u32 = 2;
    /// All of it.
    pub const UXTX: u32 = 3;
    /// From 32 bits with its sign.
    pub const SXTW: u32 = 6;
}

/// Calls `emit` with the instructions, each of which is one to the machine.
#[inline]
pub fn expand(inst: &MInst, emit: &mut impl FnMut(&MInst)) {
    let code = &ROWS[usize::from(inst.op)].code;
    match code.form {
        Form::Load | Form::Store | Form::Prefetch | Form::LoadExtend | Form::StoreExtend => {
            if inst.aux & aux::LOW != 0 || is_address(inst, code.access_bytes(inst.size)) {
                emit(inst);
            } else {
                access(inst, emit);
            }
        }
        Form::LoadPair | Form::StorePair if !is_pair_address(inst.disp, code.access_bytes(inst.size)) => {
            add(TEMP, inst.reg(1), i64::from(inst.disp), emit);
            let mut near = *inst;
            near.set_reg(1, TEMP);
            near.disp = 0;
            emit(&near);
        }
        Form::Constant => constant(inst.reg(0), inst.size, number(inst), emit),
        Form::SymbolAddress => symbol_address(inst.reg(0), inst, emit),
        Form::WholeAddress => whole_address(inst.reg(0), inst, emit),
        Form::TableSlot => {
            let (dst, reference) = (inst.reg(0), reference(inst));
            emit(&page(dst, reference, 0));
            emit(&low_load(dst, dst, reference));
        }
        Form::ThreadOffset => {
            let dst = inst.reg(0);
            let mrs = new(Op::Mrs, 8).with_regs([dst, Reg::NONE, Reg::NONE]);
            emit(&mrs.with_imm(THREAD_POINTER));
            for op in [Op::AddHigh, Op::AddLow] {
                emit(&low_sum(op, dst, dst, reference(inst), inst.disp));
            }
        }
        Form::DescriptorCall => {
            let reference = reference(inst);
            emit(&page(x(0), reference, 0));
            emit(&low_load(x(1), x(0), reference));
            emit(&low_sum(Op::AddLow, x(0), x(0), reference, 0));
            emit(&new(Op::BlrDesc, 8).with_mem(Mem::symbol(reference, 0)));
        }
        Form::BranchMarked => {
            if inst.reg(0) != SCRATCH {
                emit(&new(Op::Mov, 8).with_regs([SCRATCH, inst.reg(0), Reg::NONE]));
            }
            emit(&new(Op::BrTail, 8).with_regs([SCRATCH, Reg::NONE, Reg::NONE]));
        }
        Form::ReturnPopping => {
            let mut sum = new(Op::Address, 8).with_mem(Mem::base(SP, inst.imm));
            sum.set_reg(0, SP);
            address(&sum, emit);
            emit(&new(Op::Ret, 8));
        }
        Form::Address => address(inst, emit),
        Form::StoreStack => store_stack(inst, emit),
        Form::LoadStack => {
            near_or_far(&with_register(inst, Op::Ldr, TEMP), emit);
            emit(&new(Op::AddI, 8).with_regs([SP, TEMP, Reg::NONE]));
        }
        _ => emit(inst),
    }
}

/// Whether an instruction is one to the machine as it is.
#[inline]
pub fn is_single(inst: &MInst) -> bool {
    let code = &ROWS[usize::from(inst.op)].code;
    match code.form {
        Form::Load | Form::Store | Form::Prefetch | Form::LoadExtend | Form::StoreExtend => {
            inst.aux & aux::LOW != 0 || is_address(inst, code.access_bytes(inst.size))
        }
        Form::LoadPair | Form::StorePair => is_pair_address(inst.disp, code.access_bytes(inst.size)),
        Form::Constant
        | Form::SymbolAddress
        | Form::WholeAddress
        | Form::TableSlot
        | Form::ThreadOffset
        | Form::DescriptorCall
        | Form::BranchMarked
        | Form::ReturnPopping
        | Form::Address
        | Form::StoreStack
        | Form::LoadStack => false,
        _ => true,
    }
}

/// Whether an access of so many bytes has a displacement as it is.
pub const fn is_displacement(disp: i32, bytes: u8) -> bool {
    let bytes = bytes as i32;
    disp >= -256 && disp < 256 || disp >= 0 && disp % bytes == 0 && disp / bytes < 4096
}

/// Whether a pair of accesses of so many bytes has a displacement as it is.
pub const fn is_pair_address(disp: i32, bytes: u8) -> bool {
    let bytes = bytes as i32;
    disp % bytes == 0 && disp / bytes >= -64 && disp / bytes < 64
}

/// Whether an access has an index that is shifted so.
pub const fn is_scale(log2: u8, bytes: u8) -> bool {
    log2 == 0 || 1 << log2 == bytes
}

fn is_address(inst: &MInst, bytes: u8) -> bool {
    let mem = inst.mem();
    if inst.is_symbol() || mem.base_reg().is_none() {
        return false;
    }
    match mem.index_reg() {
        Reg::NONE => is_displacement(mem.disp, bytes),
        _ => mem.disp == 0 && is_scale(mem.scale_log2, bytes),
    }
}

/// The immediate of 64 bits.
pub fn number(inst: &MInst) -> u64 {
    u64::from(inst.disp.cast_unsigned()) << 32 | u64::from(inst.imm.cast_unsigned())
}

fn reference(inst: &MInst) -> Ref {
    inst.reference().expect("the form has a symbol operand")
}

fn new(op: Op, size: u8) -> MInst {
    MInst::new(op as u16, size)
}

fn constant(dst: Reg, size: u8, value: u64, emit: &mut impl FnMut(&MInst)) {
    for step in immediates::constant(value, size).as_slice() {
        let regs = [dst, Reg::NONE, Reg::NONE];
        let wide = |op, imm: u16, quarter: u8| {
            let mut inst = new(op, size).with_regs(regs).with_imm(imm.into());
            inst.disp = 16 * i32::from(quarter);
            inst
        };
        emit(&match *step {
            Step::Zeros { imm, quarter } => wide(Op::Movz, imm, quarter),
            Step::Ones { imm, quarter } => wide(Op::Movn, imm, quarter),
            Step::Keep { imm, quarter } => wide(Op::Movk, imm, quarter),
            Step::Logical(code) => {
                let value = immediates::logical_value(code, size).expect("it was made for this size");
                let mut inst = new(Op::OrrI, size).with_regs([dst, XZR, Reg::NONE]);
                inst.imm = (value as u32).cast_signed();
                inst.disp = ((value >> 32) as u32).cast_signed();
                inst
            }
        });
    }
}

fn page(dst: Reg, reference: Ref, disp: i32) -> MInst {
    let mut inst = new(Op::Adrp, 8).with_mem(Mem::symbol(reference, disp));
    inst.set_reg(0, dst);
    inst
}

fn low_sum(op: Op, dst: Reg, base: Reg, reference: Ref, disp: i32) -> MInst {
    let mut inst = new(op, 8).with_regs([dst, base, Reg::NONE]);
    inst.imm = reference.0.cast_signed();
    inst.disp = disp;
    inst
}

fn low_load(dst: Reg, base: Reg, reference: Ref) -> MInst {
    let mut inst = low_sum(Op::Ldr, dst, base, reference, 0);
    inst.aux = aux::LOW;
    inst
}

fn symbol_address(dst: Reg, inst: &MInst, emit: &mut impl FnMut(&MInst)) {
    let reference = reference(inst);
    if reference.kind() == RefKind::Label {
        let label = new(Op::Adr, 8).with_regs([dst, Reg::NONE, Reg::NONE]);
        emit(&label.with_imm(reference.number().cast_signed()));
        return;
    }
    emit(&page(dst, reference, inst.disp));
    emit(&low_sum(Op::AddLow, dst, dst, reference, inst.disp));
}

/// The address of a symbol that may be anywhere: its quarters one by one.
fn whole_address(dst: Reg, inst: &MInst, emit: &mut impl FnMut(&MInst)) {
    for quarter in 0..4 {
        let op = if quarter == 0 { Op::MovzRef } else { Op::MovkRef };
        let mut part = new(op, 8).with_mem(Mem::symbol(reference(inst), inst.disp));
        part.set_reg(0, dst);
        emit(&part.with_imm(quarter));
    }
}

/// `dst = base + value`. A number that no two sums make needs a register other than the base: `dst`, or the encoder's.
fn add(dst: Reg, base: Reg, value: i64, emit: &mut impl FnMut(&MInst)) {
    let magnitude = value.unsigned_abs();
    let op = if value < 0 { Op::SubI } else { Op::AddI };
    let sum = |base, part: u64| {
        let inst = new(op, 8).with_regs([dst, base, Reg::NONE]);
        inst.with_imm((part as u32).cast_signed())
    };
    if immediates::is_sum(magnitude) {
        emit(&sum(base, magnitude));
    } else if magnitude < 1 << 24 {
        emit(&sum(base, magnitude & !0xfff));
        emit(&sum(dst, magnitude & 0xfff));
    } else {
        let number = if dst == base || dst == SP { TEMP } else { dst };
        constant(number, 8, value.cast_unsigned(), emit);
        emit(&extended_sum(dst, base, number, extension::UXTX, 0));
    }
}

/// An access of eight bytes that has this register instead.
fn with_register(inst: &MInst, op: Op, reg: Reg) -> MInst {
    let mut access = *inst;
    access.op = op as u16;
    access.set_reg(0, reg);
    access
}

/// An access of as many bytes as its size says.
fn near_or_far(inst: &MInst, emit: &mut impl FnMut(&MInst)) {
    if is_address(inst, inst.size) {
        emit(inst);
    } else {
        access(inst, emit);
    }
}

/// Where a store has its register, number 31 is the zero register, so the stack pointer is copied: to the encoder's
/// register unless the address is formed there.
fn store_stack(inst: &MInst, emit: &mut impl FnMut(&MInst)) {
    let copy = if is_address(inst, inst.size) { TEMP } else { SCRATCH };
    emit(&new(Op::AddI, 8).with_regs([copy, SP, Reg::NONE]));
    near_or_far(&with_register(inst, Op::Str, copy), emit);
}

fn extended_sum(dst: Reg, base: Reg, index: Reg, extend: u32, scale_log2: u8) -> MInst {
    let inst = new(Op::AddExt, 8).with_regs([dst, base, index]);
    inst.with_imm((extend << 3).cast_signed() | i32::from(scale_log2))
}

/// `dst = base + (index << scale)`.
fn add_index(dst: Reg, base: Reg, index: Reg, extend: u32, scale_log2: u8) -> MInst {
    if extend == extension::UXTX && base != SP {
        let inst = new(Op::Add, 8).with_regs([dst, base, index]);
        return inst.with_imm(scale_log2.into());
    }
    extended_sum(dst, base, index, extend, scale_log2)
}

/// The address of a memory operand.
fn address(inst: &MInst, emit: &mut impl FnMut(&MInst)) {
    let (dst, mem) = (inst.reg(0), inst.mem());
    if inst.is_symbol() {
        symbol_address(dst, inst, emit);
        return;
    }
    let (base, disp) = match mem.base_reg() {
        Reg::NONE => {
            let number = if dst == mem.index_reg() { TEMP } else { dst };
            constant(number, 8, i64::from(mem.disp).cast_unsigned(), emit);
            (number, 0)
        }
        base => (base, i64::from(mem.disp)),
    };
    match mem.index_reg() {
        Reg::NONE if base == dst && disp == 0 => {}
        Reg::NONE => add(dst, base, disp, emit),
        index => {
            emit(&add_index(dst, base, index, extension::UXTX, mem.scale_log2));
            if disp != 0 {
                add(dst, dst, disp, emit);
            }
        }
    }
}

/// An access whose address is formed before it.
fn access(inst: &MInst, emit: &mut impl FnMut(&MInst)) {
    let code = &ROWS[usize::from(inst.op)].code;
    let (mem, bytes) = (inst.mem(), code.access_bytes(inst.size));
    let mut last = *inst;
    last.aux = inst.aux & 0xf;
    // A prefetch has its hint where the reference would be.
    if inst.is_symbol() && code.form == Form::Prefetch {
        symbol_address(TEMP, inst, emit);
        last.disp = 0;
        emit(&last.with_regs([inst.reg(0), TEMP, Reg::NONE]));
        return;
    }
    if inst.is_symbol() && inst.op == Op::LoadFarConstant as u16 {
        whole_address(TEMP, inst, emit);
        last.disp = 0;
        emit(&last.with_regs([inst.reg(0), TEMP, Reg::NONE]));
        return;
    }
    if inst.is_symbol() {
        let (reference, disp) = (reference(inst), inst.disp);
        emit(&page(TEMP, reference, disp));
        last = last.with_regs([inst.reg(0), TEMP, Reg::NONE]);
        last.imm = reference.0.cast_signed();
        last.aux |= aux::LOW;
        emit(&last);
        return;
    }
    let extend = match code.form {
        Form::LoadExtend | Form::StoreExtend if inst.aux & aux::SIGNED_INDEX != 0 => extension::SXTW,
        Form::LoadExtend | Form::StoreExtend => extension::UXTW,
        _ => extension::UXTX,
    };
    let index = mem.index_reg();
    let mut base = mem.base_reg();
    let mut disp = i64::from(mem.disp);
    if base.is_none() {
        constant(TEMP, 8, disp.cast_unsigned(), emit);
        (base, disp) = (TEMP, 0);
    }
    if index.is_none() {
        // What is left for the access.
        let low = disp & 0xfff;
        let high = disp - low;
        let is_split = low % i64::from(bytes) == 0 && immediates::is_sum(high.unsigned_abs());
        if disp != 0 {
            add(TEMP, base, if is_split { high } else { disp }, emit);
            base = TEMP;
        }
        last.disp = if is_split && disp != 0 { low as i32 } else { 0 };
        emit(&last.with_regs([inst.reg(0), base, Reg::NONE]));
        return;
    }
    if disp != 0 {
        add(TEMP, base, disp, emit);
        base = TEMP;
    }
    last.disp = 0;
    if is_scale(mem.scale_log2, bytes) {
        last.aux |= mem.scale_log2 << 4;
        emit(&last.with_regs([inst.reg(0), base, index]));
        return;
    }
    emit(&add_index(TEMP, base, index, extend, mem.scale_log2));
    last.aux = 0;
    emit(&last.with_regs([inst.reg(0), TEMP, Reg::NONE]));
}
