//! Variable arguments of System V (ABI section 3.5.7): the register save area and `va_list`.
//!
//! In 32-bit code, a `va_list` is the address of the next argument, all of which are on the stack.
//!
//! In functions of Win64's convention, a `va_list` is the address of the next argument, and the area is where the
//! caller has left room for the arguments in registers, right below those on the stack.

use super::{is_32_bit, scratch};
use crate::abi::{SYSTEM_V, convention};
use crate::build::*;
use crate::cond::Cond;
use crate::platform::{AREA_ADDRESS, GENERAL, LIST_BYTES, NEXT_IN_MEMORY, VECTOR};
use crate::regs::RAX;
use crate::regs::SCRATCH;
use crate::table::Op;
use frazil_codegen::{CodegenError, ConvDesc, GroupKind, LowerCtx, Mem, RegClass};
use frazil_ir::{InstData, Refusal};

/// Size of the register save area: six integer and eight vector registers.
pub const AREA_BYTES: u32 = VECTOR.end as u32;
/// Size of a `va_list`.
const VA_LIST_BYTES: u32 = LIST_BYTES as u32;
/// Size of a `va_list` of Win64.
const POINTER_BYTES: u32 = 8;

/// Where the area has the register at this place in the list of its class.
pub fn place(class: RegClass, index: u32) -> i32 {
    let registers = match class {
        RegClass::Int => GENERAL,
        RegClass::Float | RegClass::Mask => VECTOR,
    };
    (registers.start + i64::from(index) * registers.bytes) as i32
}

fn at(mem: Mem, bytes: i64) -> Mem {
    mem.offset(bytes as i32).unwrap_or(mem)
}

/// The convention of the function, if its arguments of both kinds share positions.
fn positional<C: LowerCtx>(cx: &C) -> Option<&'static ConvDesc> {
    convention(cx.func().signature().call_conv).filter(|conv| conv.shares_positions)
}

/// Saves the argument registers that hold no fixed parameter; the vector ones only if the caller says that it used any.
pub fn save_registers<C: LowerCtx>(cx: &mut C, area: Mem, int_used: u8, float_used: u8) {
    if is_32_bit::<C>() {
        return;
    }
    if let Some(conv) = positional(cx) {
        for (index, &reg) in conv.int_args.iter().enumerate().skip(usize::from(int_used)) {
            cx.emit(mr(Op::MovMR, 8, at(area, index as i64 * GENERAL.bytes), reg));
        }
        return;
    }
    for (index, &reg) in SYSTEM_V.int_args.iter().enumerate().skip(usize::from(int_used)) {
        let saved = at(area, place(RegClass::Int, index as u32).into());
        cx.emit(mr(Op::MovMR, 8, saved, reg));
    }
    if usize::from(float_used) == SYSTEM_V.float_args.len() {
        return;
    }
    cx.begin_group(GroupKind::Plain);
    let skip = cx.local_label();
    cx.emit(rr(Op::TestRR, 1, RAX, RAX));
    cx.emit(jcc(Cond::E, skip));
    for (index, &reg) in SYSTEM_V.float_args.iter().enumerate().skip(usize::from(float_used)) {
        let saved = at(area, place(RegClass::Float, index as u32).into());
        cx.emit(mr(Op::MovapMR, 4, saved, reg));
    }
    cx.bind(skip);
    cx.end_group();
}

/// Fills a `va_list`: the offsets of the next integer and vector registers in the save area, the next stack argument,
/// and the save area.
pub fn va_start<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let Some(area) = cx.variadic_area() else {
        return Err(CodegenError::unsupported(
            Refusal::Instruction,
            "va_start in a function without variable arguments",
        ));
    };
    let first = match positional(cx) {
        // All variable arguments are on the stack.
        None if is_32_bit::<C>() => Some(area.overflow),
        None => None,
        Some(conv) => {
            let used = usize::from(area.int_args_used);
            Some(match used < conv.int_args.len() {
                true => at(area.register_save, used as i64 * GENERAL.bytes),
                false => area.overflow,
            })
        }
    };
    if let Some(first) = first {
        let list = cx.use_addr(data.a, C::WORD_BYTES.into());
        cx.emit(rm(Op::LeaRM, C::WORD_BYTES, scratch::<C>(), first));
        cx.emit(mr(Op::MovMR, C::WORD_BYTES, list, scratch::<C>()));
        return Ok(());
    }
    let list = cx.use_addr(data.a, VA_LIST_BYTES);
    let used = [
        (GENERAL, RegClass::Int, area.int_args_used),
        (VECTOR, RegClass::Float, area.float_args_used),
    ];
    for (registers, class, used) in used {
        let next = place(class, used.into());
        cx.emit(mi(Op::MovMI, 4, at(list, registers.next_offset), next));
    }
    cx.emit(rm(Op::LeaRM, 8, SCRATCH, area.overflow));
    cx.emit(mr(Op::MovMR, 8, at(list, NEXT_IN_MEMORY), SCRATCH));
    cx.emit(rm(Op::LeaRM, 8, SCRATCH, area.register_save));
    cx.emit(mr(Op::MovMR, 8, at(list, AREA_ADDRESS), SCRATCH));
    Ok(())
}

/// Copies a `va_list`.
pub fn va_copy<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let bytes = match positional(cx) {
        Some(_) => POINTER_BYTES,
        None if is_32_bit::<C>() => C::WORD_BYTES.into(),
        None => VA_LIST_BYTES,
    };
    let dst = cx.use_addr(data.a, bytes);
    let src = cx.use_addr(data.b, bytes);
    super::memory::copy_inline(cx, dst, src, bytes);
}
