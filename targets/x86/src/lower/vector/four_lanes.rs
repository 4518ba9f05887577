//! Vectors that are made of four numbers of 32 bits, one insertion after the other.
//!
//! Without an instruction that inserts such a lane, each insertion is three that wait for one another. Together, two
//! pairs are made, and a vector of the pairs: three instructions, of which two wait for none. Integers come from memory
//! without a detour through a general register.

use super::super::{folded, result};
use super::has_floats;
use crate::build::*;
use crate::features;
use crate::table::Op;
use frazil_codegen::{Folder, ImmKind, LowerCtx, Reg, RegClass, Src, VectorShape};
use frazil_ir::{ConstView, Function, InstData, Opcode, Operand, Type};

const LANES: usize = 4;

/// Folds the insertions into the first three lanes, in any order, into that into the last one; says whether it did.
pub fn fold(folder: &mut Folder<'_>, data: &InstData) -> bool {
    let function = folder.function;
    let Some(shape) = super::shape(function.types(), data.ty).filter(|&shape| is_suitable(shape)) else {
        return false;
    };
    if !has_floats(shape) && folder.features().has(features::SSE4_1) {
        return false;
    }
    let mut inner = [None; LANES - 1];
    let mut base = data.a;
    for place in &mut inner {
        match folder.producer(base) {
            Some((value, insertion)) if insertion.op == Opcode::InsertElement => {
                *place = Some(value);
                base = insertion.a;
            }
            _ => return false,
        }
    }
    if !is_undefined(function, base) || lanes(function, data, shape).is_none() {
        return false;
    }
    inner.into_iter().flatten().for_each(|value| folder.fold(value));
    if !has_floats(shape) {
        for operand in lanes(function, data, shape).into_iter().flatten() {
            if let Some((value, load)) = folder.producer(operand).filter(|(_, load)| load.op == Opcode::Load)
                && load.ty == Type::I32
            {
                folder.fold_load(value, load);
            }
        }
    }
    true
}

fn is_suitable(shape: VectorShape) -> bool {
    shape.lanes as usize == LANES && shape.lane_bits == 32 && !shape.is_mask
}

fn is_undefined(function: &Function, operand: Operand) -> bool {
    let view = operand.as_const().map(|id| function.constant(id).1);
    matches!(view, Some(ConstView::Undef | ConstView::Poison))
}

/// What a chain of four insertions, of which `data` is the last one, puts into each lane, if there is something in all.
fn lanes(function: &Function, data: &InstData, shape: VectorShape) -> Option<[Operand; LANES]> {
    let mut found = [None; LANES];
    let mut insertion = data;
    for step in 0..LANES {
        let (value, index) = function.ternary(insertion);
        found[shape.lane(function, index)? as usize] = Some(value);
        if step < LANES - 1 {
            insertion = function.inst(function.def_inst(insertion.a.as_value()?)?);
        }
    }
    let [Some(a), Some(b), Some(c), Some(d)] = found else {
        return None;
    };
    Some([a, b, c, d])
}

/// Lowers an insertion into which three others were folded; says whether it is one.
pub fn lower<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) -> bool {
    let is_chain = is_suitable(shape) && folded(cx, data.a).is_some_and(|inner| inner.op == Opcode::InsertElement);
    if !is_chain {
        return false;
    }
    let lanes = lanes(cx.func(), data, shape).expect("only whole chains are folded");
    let [a, c] = [lanes[0], lanes[2]].map(|lane| in_register(cx, lane, shape, true));
    let [b, d] = [lanes[1], lanes[3]].map(|lane| in_register(cx, lane, shape, false));
    for (even, odd) in [(a, b), (c, d)] {
        cx.emit(rr(Op::PunpckldqRR, 16, even, odd));
    }
    cx.emit(rr(Op::PunpcklqdqRR, 16, a, c));
    cx.def_reuse(result(data), 0, a);
    true
}

/// A number in the first lane of a register, which the rule may write if it says so.
fn in_register<C: LowerCtx>(cx: &mut C, lane: Operand, shape: VectorShape, is_written: bool) -> Reg {
    if has_floats(shape) {
        return if is_written {
            cx.use_copy(lane, 0)
        } else {
            cx.use_reg(lane, 0)
        };
    }
    let src = cx.use_src(lane, 0, ImmKind::None);
    let reg = cx.temp(RegClass::Float);
    cx.emit(match src {
        Src::Mem(mem) => rm(Op::MovdXM, 4, reg, mem),
        Src::Reg(general) => rr(Op::MovdXR, 4, reg, general),
        Src::Imm(_) => unreachable!("not asked for"),
    });
    reg
}
