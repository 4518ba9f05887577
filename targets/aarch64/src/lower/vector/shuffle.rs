//! Shuffles: one instruction where lanes are moved as some instruction moves them, else by a table of bytes.
//!
//! ```text
//! shuffle v0, v1, [0, 4, 1, 5]    ->    zip1 v2.4s, v0.4s, v1.4s
//! shuffle v0, v1, [2, 7, 0, 3]    ->    tbl v2.16b, { v0.16b }, table
//!                                       tbx v2.16b, { v1.16b }, other table
//! ```
//!
//! A table of the second vector is looked up beside what the first one has given: numbers out of range leave that.

use super::{bitwise, load_constant, on, on_one, operand_shape, result, shape, temp};
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{Halt, LowerCtx, MInst, Reg, VectorShape};
use frazil_ir::{Function, InstData};

/// The lane that each lane of the result takes, from 0 on those of the first vector and then those of the second one;
/// `None` for any.
type Indices = Vec<Option<u32>>;

/// Whether a shuffle is done here.
pub fn is_done(function: &Function, data: &InstData, to: VectorShape) -> bool {
    let from = function.operand_type(data.a).and_then(|ty| shape(function.types(), ty));
    from.is_some_and(|from| from.lane_bits == to.lane_bits && from.lane_bits <= 64)
}

/// Lowers what [`is_done`] says yes to.
pub fn shuffle<C: LowerCtx>(cx: &mut C, data: &InstData, to: VectorShape) -> Result<(), Halt> {
    let from = operand_shape(cx, data.a)?;
    let (second, mask) = cx.func().ternary(data);
    let indices: Indices = (0..to.lanes).map(|lane| shuffle_index(cx.func(), mask, lane)).collect();
    let is_of = |index: &Option<u32>, is_second: bool| index.is_none_or(|index| (index >= from.lanes) == is_second);
    let is_first_only = indices.iter().all(|index| is_of(index, false));
    let is_second_only = indices.iter().all(|index| is_of(index, true));
    if is_first_only || is_second_only {
        let base = if is_first_only { 0 } else { from.lanes };
        let operand = if is_first_only { data.a } else { second };
        let indices: Indices = indices.iter().map(|index| index.map(|index| index - base)).collect();
        if indices
            .iter()
            .zip(0..)
            .all(|(index, lane)| index.is_none_or(|index| index == lane))
        {
            let src = cx.use_last(operand, 0);
            cx.def_reuse(result(data), 0, src);
            return Ok(());
        }
        let src = cx.use_reg(operand, 0);
        if let Some(inst) = of_one(&indices, to, src) {
            let dst = cx.def(result(data), 0);
            cx.emit(with_result(inst, dst));
            return Ok(());
        }
        let table = temp(cx);
        let dst = cx.def(result(data), 0);
        load_constant(cx, table, bytes(&indices, to, 0));
        cx.emit(bitwise(Op::Tbl, dst, src, table));
        return Ok(());
    }
    let left = cx.use_reg(data.a, 0);
    let right = cx.use_reg(second, 0);
    if let Some(inst) = of_two(&in_register(&indices, from), to.lane_bits, left, right) {
        let dst = cx.def(result(data), 0);
        cx.emit(with_result(inst, dst));
        return Ok(());
    }
    let (table, work) = (temp(cx), temp(cx));
    load_constant(cx, table, bytes(&indices, to, 0));
    cx.emit(bitwise(Op::Tbl, work, left, table));
    load_constant(cx, table, bytes(&indices, to, from.lanes));
    let dst = cx.def_reuse(result(data), 0, work);
    cx.emit(bitwise(Op::Tbx, dst, right, table));
    Ok(())
}

fn with_result(mut inst: MInst, dst: Reg) -> MInst {
    inst.set_reg(0, dst);
    inst
}

/// The numbers of bytes in a vector that begins with the lane `base`; out of range for lanes of others.
fn bytes(indices: &Indices, shape: VectorShape, base: u32) -> u128 {
    let lane_bytes = shape.lane_bits / 8;
    let mut table = [0xff; 16];
    for (lane, index) in indices.iter().enumerate() {
        let Some(index) = index.and_then(|index| index.checked_sub(base)) else {
            continue;
        };
        for byte in 0..lane_bytes {
            // Beyond the vector are numbers from 16 on, or lanes of the other vector.
            let number = index * lane_bytes + byte;
            table[lane * lane_bytes as usize + byte as usize] = number.min(0xff) as u8;
        }
    }
    u128::from_le_bytes(table)
}

/// The one lane that all take.
fn same(indices: &Indices) -> Option<u32> {
    let mut known = indices.iter().flatten();
    let first = *known.next()?;
    known.all(|&index| index == first).then_some(first)
}

/// Whether lanes are those that a rule says, by their number.
fn is_like(indices: &Indices, rule: impl Fn(u32) -> u32) -> bool {
    indices
        .iter()
        .zip(0..)
        .all(|(index, lane)| index.is_none_or(|index| index == rule(lane)))
}

/// The instruction, without its result, that moves lanes of one vector so.
fn of_one(indices: &Indices, to: VectorShape, src: Reg) -> Option<MInst> {
    let bits = to.lane_bits;
    if let Some(lane) = same(indices) {
        return Some(on_one(Op::DupLane, bits, Reg::NONE, src).with_imm(lane.cast_signed()));
    }
    // Lanes turned around within wider ones.
    for (row, width) in [(Op::Rev16V, 16), (Op::Rev32V, 32), (Op::Rev64V, 64)] {
        if bits < width && is_like(indices, |lane| lane ^ (width / bits - 1)) {
            return Some(on_one(row, bits, Reg::NONE, src));
        }
    }
    let all = 128 / bits;
    let lane_bytes = bits / 8;
    for start in 1..all {
        // What comes after the end is the beginning again.
        if is_like(indices, |lane| (lane + start) % all) {
            let inst = bitwise(Op::ExtV, Reg::NONE, src, src);
            return Some(inst.with_imm((start * lane_bytes).cast_signed()));
        }
    }
    joining(indices, all, bits, 0, src, src)
}

/// The same lanes with numbers of the second vector's from where a whole register ends.
fn in_register(indices: &Indices, from: VectorShape) -> Indices {
    let all = 128 / from.lane_bits;
    let moved = |index: u32| {
        if index < from.lanes {
            index
        } else {
            index - from.lanes + all
        }
    };
    indices.iter().map(|index| index.map(moved)).collect()
}

/// The instruction, without its result, that moves lanes of two vectors so.
fn of_two(indices: &Indices, bits: u32, left: Reg, right: Reg) -> Option<MInst> {
    let all = 128 / bits;
    for start in 1..all {
        for (first, second, base) in [(left, right, 0), (right, left, all)] {
            if is_like(indices, |lane| (lane + start + base) % (2 * all)) {
                let inst = bitwise(Op::ExtV, Reg::NONE, first, second);
                return Some(inst.with_imm((start * bits / 8).cast_signed()));
            }
        }
    }
    joining(indices, all, bits, all, left, right).or_else(|| {
        let swapped: Indices = indices
            .iter()
            .map(|index| index.map(|index| (index + all) % (2 * all)))
            .collect();
        joining(&swapped, all, bits, all, right, left)
    })
}

/// `zip`, `uzp` and `trn`; the second vector's lanes begin with the number `base`.
fn joining(indices: &Indices, all: u32, bits: u32, base: u32, left: Reg, right: Reg) -> Option<MInst> {
    let of = |lane: u32, index: u32| index + if lane.is_multiple_of(2) { 0 } else { base };
    let half = all / 2;
    let rules: [(Op, &dyn Fn(u32) -> u32); 6] = [
        (Op::Zip1, &|lane| of(lane, lane / 2)),
        (Op::Zip2, &|lane| of(lane, half + lane / 2)),
        (Op::Trn1, &|lane| of(lane, lane & !1)),
        (Op::Trn2, &|lane| of(lane, lane | 1)),
        (Op::Uzp1, &|lane| 2 * (lane % half) + if lane < half { 0 } else { base }),
        (Op::Uzp2, &|lane| {
            2 * (lane % half) + 1 + if lane < half { 0 } else { base }
        }),
    ];
    let (row, _) = rules.into_iter().find(|(_, rule)| is_like(indices, rule))?;
    Some(on(row, bits, [Reg::NONE, left, right]))
}
