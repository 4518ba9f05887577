//! Sums and differences with a product that may be rounded once: `contract` on both operations allows it, and FMA has
//! instructions for it.
//!
//! ```text
//! v2 = fmul contract f64 v0, v1
//! v4 = fadd contract f64 v2, v3     ->     vfmadd213sd
//! ```
//!
//! The product is folded if nothing else uses it, as LLVM does, which looks at the first operand first. The flags that
//! `fast` and `-ffp-contract=fast` leave are meant; clang's default writes `fmuladd` where a program's text allows it.

use super::fused::{self, Fused, OfMemory};
use crate::features;
use crate::regs::WIDE_VECTOR_BYTES;
use crate::table::Op;
use frazil_codegen::{Folder, LowerCtx, VectorShape};
use frazil_ir::{EntityRef, FastFlags, Format, Function, Inst, InstData, Opcode, Operand, Type};

/// The rows for `a * b + c`, `a * b - c` and `c - a * b`.
pub type Rows = [Fused; 3];

/// The rows of an operation whose names begin like this, and end with registers, or with memory.
macro_rules! rows {
    ($in_factor:ident, $in_addend:expr, [$addend:ident, $into_addend:ident, $into_factor:ident]) => {
        Fused {
            in_factor: Op::$in_factor,
            in_addend: $in_addend,
            of_memory: OfMemory {
                addend: Op::$addend,
                into_addend: Op::$into_addend,
                into_factor: Op::$into_factor,
            },
        }
    };
}

/// Those of scalars, whose size is that of the type.
pub const SCALAR: Rows = [
    rows!(FmaddsRRR, Some(Op::FmaddToSRRR), [FmaddsRRM, FmaddToSRRM, FmaddBySRRM]),
    rows!(FmsubsRRR, None, [FmsubsRRM, FmsubToSRRM, FmsubBySRRM]),
    rows!(
        FnmaddsRRR,
        Some(Op::FnmaddToSRRR),
        [FnmaddsRRM, FnmaddToSRRM, FnmaddBySRRM]
    ),
];
/// Those of vectors of 128 bits, whose size is that of a lane.
pub const PACKED: Rows = [
    rows!(FmaddpRRR, Some(Op::FmaddToPRRR), [FmaddpRRM, FmaddToPRRM, FmaddByPRRM]),
    rows!(FmsubpRRR, None, [FmsubpRRM, FmsubToPRRM, FmsubByPRRM]),
    rows!(
        FnmaddpRRR,
        Some(Op::FnmaddToPRRR),
        [FnmaddpRRM, FnmaddToPRRM, FnmaddByPRRM]
    ),
];
/// Those of vectors of 256 bits, of floats and of doubles.
pub const WIDE: [Rows; 2] = [
    [
        rows!(
            VfmaddpsYRRR,
            Some(Op::VfmaddToPsYRRR),
            [VfmaddpsYRRM, VfmaddToPsYRRM, VfmaddByPsYRRM]
        ),
        rows!(VfmsubpsYRRR, None, [VfmsubpsYRRM, VfmsubToPsYRRM, VfmsubByPsYRRM]),
        rows!(
            VfnmaddpsYRRR,
            Some(Op::VfnmaddToPsYRRR),
            [VfnmaddpsYRRM, VfnmaddToPsYRRM, VfnmaddByPsYRRM]
        ),
    ],
    [
        rows!(
            VfmaddpdYRRR,
            Some(Op::VfmaddToPdYRRR),
            [VfmaddpdYRRM, VfmaddToPdYRRM, VfmaddByPdYRRM]
        ),
        rows!(VfmsubpdYRRR, None, [VfmsubpdYRRM, VfmsubToPdYRRM, VfmsubByPdYRRM]),
        rows!(
            VfnmaddpdYRRR,
            Some(Op::VfnmaddToPdYRRR),
            [VfnmaddpdYRRM, VfnmaddToPdYRRM, VfnmaddByPdYRRM]
        ),
    ],
];

/// Whether an operation may be fused with others.
#[inline]
pub fn is_contracted(data: &InstData) -> bool {
    data.flags & FastFlags::CONTRACT.bits() != 0
}

fn is_product(sum: &InstData, data: &InstData) -> bool {
    data.op == Opcode::Fmul && data.ty == sum.ty && is_contracted(data)
}

/// Whether a product is one that a sum will take: one that has taken a load could not be. The load is the sum's then.
pub fn is_left_to_sum(folder: &Folder<'_>, inst: Inst, product: &InstData) -> bool {
    /// How far away a sum is looked for: loops are unrolled by eight.
    const REACH: usize = 32;
    if product.op != Opcode::Fmul || !is_contracted(product) || !folder.features().has(features::FMA) {
        return false;
    }
    let Some(value) = product
        .first_result()
        .filter(|&value| folder.function.use_count(value) == 1)
    else {
        return false;
    };
    let next = inst.index() + 1;
    let after = folder.function.insts().get(next..).unwrap_or_default();
    let user = after
        .iter()
        .take(REACH)
        .take_while(|data| !data.op.is_terminator())
        .find(|data| matches!(data.op.format(), Format::Binary) && [data.a, data.b].contains(&value.into()));
    user.is_some_and(|sum| matches!(sum.op, Opcode::Fadd | Opcode::Fsub) && sum.ty == product.ty && is_contracted(sum))
}

/// Folds a product into a sum or difference; says whether it did.
pub fn fold(folder: &mut Folder<'_>, sum: &InstData) -> bool {
    let element = match VectorShape::of(folder.function.types(), sum.ty, WIDE_VECTOR_BYTES) {
        Some(shape) => shape.element,
        None => sum.ty,
    };
    if !folder.features().has(features::FMA) || !matches!(element, Type::F32 | Type::F64) {
        return false;
    }
    for operand in [sum.a, sum.b] {
        let Some((value, product)) = folder.producer(operand).filter(|(_, data)| is_product(sum, data)) else {
            continue;
        };
        // A load that the product has taken may not be taken as far as here.
        if !folder.is_folded(product.a) && !folder.is_folded(product.b) {
            folder.fold(value);
            let addend = if operand == sum.a { sum.b } else { sum.a };
            fused::fold_load(folder, sum, [product.a, product.b, addend]);
            return true;
        }
    }
    false
}

/// Lowers a sum or difference whose product is folded; says whether it is one.
pub fn lower<C: LowerCtx>(cx: &mut C, sum: &InstData, rows: Rows, size: u8) -> bool {
    if !is_contracted(sum) {
        return false;
    }
    let product = |function: &Function, operand: Operand| {
        let data = *function.inst(function.def_inst(operand.as_value()?)?);
        is_product(sum, &data).then_some(data)
    };
    let (is_first, is_second) = (cx.is_folded(sum.a), cx.is_folded(sum.b));
    let of = |operand: Operand, is_folded: bool| product(cx.func(), operand).filter(|_| is_folded);
    let (factors, addend, row) = match (of(sum.a, is_first), of(sum.b, is_second), sum.op) {
        (Some(factors), _, Opcode::Fadd) => (factors, sum.b, rows[0]),
        (Some(factors), _, _) => (factors, sum.b, rows[1]),
        (_, Some(factors), Opcode::Fadd) => (factors, sum.a, rows[0]),
        (_, Some(factors), _) => (factors, sum.a, rows[2]),
        _ => return false,
    };
    fused::multiply_add(cx, sum, row, size, [factors.a, factors.b, addend]);
    true
}
