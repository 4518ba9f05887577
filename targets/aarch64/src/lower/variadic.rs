//! Variable arguments (AAPCS64, appendix B): the areas that registers are saved in, and `va_list`.

use crate::abi::AAPCS64;
use crate::build::*;
use crate::regs::{SCRATCH, SCRATCH_FLOAT};
use crate::table::Op;
use frazil_codegen::{CodegenError, LowerCtx, Mem, RegClass};
use frazil_ir::{InstData, Refusal};

/// Bytes of a general and of a vector register in the area.
const GENERAL_BYTES: i32 = 8;
const VECTOR_BYTES: i32 = 16;
/// Where the general registers end and the vector registers begin.
const VECTORS: i32 = AAPCS64.int_args.len() as i32 * GENERAL_BYTES;
/// Where the vector registers end.
const END: i32 = VECTORS + AAPCS64.float_args.len() as i32 * VECTOR_BYTES;
/// Size of the area.
pub const AREA_BYTES: u32 = END as u32;

/// The fields of a `va_list`: the next argument on the stack, the ends of both areas, and the distances from these to
/// the next register, which are negative.
const STACK: i32 = 0;
const GENERAL_END: i32 = 8;
const VECTOR_END: i32 = 16;
const GENERAL_OFFSET: i32 = 24;
const VECTOR_OFFSET: i32 = 28;
const LIST_BYTES: u32 = 32;

/// Where the area has the register at this place in the list of its class.
pub fn place(class: RegClass, index: u32) -> i32 {
    match class {
        RegClass::Int => index.cast_signed() * GENERAL_BYTES,
        RegClass::Float | RegClass::Mask => VECTORS + index.cast_signed() * VECTOR_BYTES,
    }
}

fn at(mem: Mem, bytes: i32) -> Mem {
    mem.offset(bytes).unwrap_or(mem)
}

/// Saves the argument registers that hold no fixed parameter.
pub fn save_registers<C: LowerCtx>(cx: &mut C, area: Mem, int_used: u8, float_used: u8) {
    for (index, &reg) in AAPCS64.int_args.iter().enumerate().skip(usize::from(int_used)) {
        cx.emit(rm(Op::Str, 8, reg, at(area, place(RegClass::Int, index as u32))));
    }
    for (index, &reg) in AAPCS64.float_args.iter().enumerate().skip(usize::from(float_used)) {
        cx.emit(rm(Op::StrF, 16, reg, at(area, place(RegClass::Float, index as u32))));
    }
}

/// Fills a `va_list`.
pub fn va_start<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let Some(area) = cx.variadic_area() else {
        return Err(CodegenError::unsupported(
            Refusal::Instruction,
            "va_start in a function without variable arguments",
        ));
    };
    let list = cx.use_addr(data.a, LIST_BYTES);
    for (field, place) in [
        (STACK, area.overflow),
        (GENERAL_END, at(area.register_save, VECTORS)),
        (VECTOR_END, at(area.register_save, END)),
    ] {
        cx.emit(address(SCRATCH, place));
        cx.emit(rm(Op::Str, 8, SCRATCH, at(list, field)));
    }
    for (field, offset) in [
        (GENERAL_OFFSET, i32::from(area.int_args_used) * GENERAL_BYTES - VECTORS),
        (
            VECTOR_OFFSET,
            i32::from(area.float_args_used) * VECTOR_BYTES - (END - VECTORS),
        ),
    ] {
        cx.emit(mov_imm(4, SCRATCH, offset.into()));
        cx.emit(rm(Op::Str, 4, SCRATCH, at(list, field)));
    }
    Ok(())
}

/// Copies a `va_list`.
pub fn va_copy<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let dst = cx.use_addr(data.a, LIST_BYTES);
    let src = cx.use_addr(data.b, LIST_BYTES);
    for half in [0, 16] {
        cx.emit(rm(Op::LdrF, 16, SCRATCH_FLOAT, at(src, half)));
        cx.emit(rm(Op::StrF, 16, SCRATCH_FLOAT, at(dst, half)));
    }
}
