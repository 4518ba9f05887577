//! Products and sums with one rounding, `a * b + c`: which of the three gives its register to the result.
//!
//! Instructions with 213 in their name have the result in the place of a factor, those with 231 in that of the addend.
//! What a loop sums up stays in its register so, and a value that others need, too, is not copied.

use super::{flows_into, result};
use crate::build::{rrm, rrr};
use crate::regs::{VECTOR_BYTES, WIDE_VECTOR_BYTES};
use crate::table::Op;
use frazil_codegen::{Folder, ImmKind, LowerCtx, Mem, Src, VectorShape};
use frazil_ir::{Function, InstData, Opcode, Operand, Type, Value};

/// The rows of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Fused {
    /// With a factor in the place of the result.
    pub in_factor: Op,
    /// With the addend there, if there is a row for that.
    pub in_addend: Option<Op>,
    /// With another operand in memory.
    pub of_memory: OfMemory,
}

/// The rows with an operand in memory.
#[derive(Clone, Copy, Debug)]
pub struct OfMemory {
    /// The addend is in memory, and a factor in the place of the result.
    pub addend: Op,
    /// A factor is in memory, and the addend in the place of the result.
    pub into_addend: Op,
    /// A factor is in memory, and the other one in the place of the result.
    pub into_factor: Op,
}

/// The operand whose register is the result's.
enum Place {
    First,
    Second,
    Addend,
}

/// An operation on two factors and an addend, in scalars or vectors of any width.
pub fn multiply_add<C: LowerCtx>(cx: &mut C, data: &InstData, rows: Fused, size: u8, operands: [Operand; 3]) {
    let [first, second, addend] = operands;
    if let Some(loaded) = operands.iter().position(|&operand| cx.is_folded(operand))
        && let Src::Mem(mem) = cx.use_src(operands[loaded], 0, ImmKind::None)
    {
        let others = match loaded {
            0 => [second, addend],
            1 => [first, addend],
            _ => [first, second],
        };
        return with_memory(cx, data, rows.of_memory, (size, loaded), mem, others);
    }
    let (row, [in_place, other, last]) = match (place(cx, data, operands), rows.in_addend) {
        (Place::Addend, Some(row)) => (row, [addend, first, second]),
        (Place::Second, _) => (rows.in_factor, [second, first, addend]),
        _ => (rows.in_factor, [first, second, addend]),
    };
    let last = cx.use_reg(last, 0);
    let other = cx.use_reg(other, 0);
    let src = cx.use_last(in_place, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rrr(row, size, dst, other, last));
}

/// The same with an operand in memory, that of this number, and two others, of which the last one may be the addend.
fn with_memory<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    rows: OfMemory,
    (size, loaded): (u8, usize),
    mem: Mem,
    [factor, other]: [Operand; 2],
) {
    let is_other_kept = fitness(cx, data, factor) > fitness(cx, data, other);
    let (row, in_place, beside) = match (loaded, is_other_kept) {
        (2, true) => (rows.addend, factor, other),
        (2, false) => (rows.addend, other, factor),
        (_, true) => (rows.into_factor, factor, other),
        (_, false) => (rows.into_addend, other, factor),
    };
    let beside = cx.use_reg(beside, 0);
    let src = cx.use_last(in_place, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    cx.emit(rrm(row, size, dst, beside, mem));
}

/// How well an operand's register can be that of the result: best if a loop carries the result to the operand, well if
/// nothing else needs the operand, and it was made in this block, so that a loop does not need it again.
fn fitness<C: LowerCtx>(cx: &C, data: &InstData, operand: Operand) -> u8 {
    let function = cx.func();
    let Some(value) = operand.as_value().filter(|&value| function.use_count(value) == 1) else {
        return u8::from(flows_into(cx, data, operand)) * 3;
    };
    let block = |value: Value| function.def_inst(value).map(|inst| function.block_of(inst));
    match () {
        () if flows_into(cx, data, operand) => 3,
        () if block(value) == block(result(data)) => 2,
        () => 1,
    }
}

fn place<C: LowerCtx>(cx: &C, data: &InstData, [first, second, addend]: [Operand; 3]) -> Place {
    let [first, second, addend] = [first, second, addend].map(|operand| fitness(cx, data, operand));
    match () {
        () if addend == 3 || addend > first.max(second) => Place::Addend,
        () if second > first => Place::Second,
        () => Place::First,
    }
}

/// Folds a load into an operation on two factors and an addend, if one of them is a load that may be: a factor rather
/// than the addend, whose register is often that of the result.
pub fn fold_load(folder: &mut Folder<'_>, data: &InstData, operands: [Operand; 3]) {
    if !has_memory_rows(folder.function, data.ty) {
        return;
    }
    for operand in operands {
        if let Some((value, load)) = folder
            .producer(operand)
            .filter(|(_, load)| load.op == Opcode::Load && load.ty == data.ty)
        {
            return folder.fold_load(value, load);
        }
    }
}

/// Whether operations of a type are on as many bytes as memory has: those on a part of a vector register are not.
fn has_memory_rows(function: &Function, ty: Type) -> bool {
    if matches!(ty, Type::F32 | Type::F64) {
        return true;
    }
    let shape = VectorShape::of(function.types(), ty, WIDE_VECTOR_BYTES);
    shape.is_some_and(|shape| {
        let is_of_floats = matches!(shape.element, Type::F32 | Type::F64);
        let bytes = shape.lanes * shape.lane_bits / 8;
        is_of_floats && [VECTOR_BYTES, WIDE_VECTOR_BYTES].contains(&(bytes as u8))
    })
}
