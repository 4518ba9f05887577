//! Shuffles: the mask as byte numbers, and the instructions of its [plan](mod@plan).

mod plan;
#[cfg(test)]
mod tests;
mod tree;
mod words;

use self::plan::plan;
use self::tree::{ANY, Extras, Join, Mask, Plan, Step, ZERO};
pub use self::tree::{INTERLEAVES, interleaved};
use super::super::result;
use super::{by, finish, has_sse41, has_ssse3, shape, temp, with, with_constant};
use crate::build::*;
use crate::table::Op;
use frazil_codegen::vectors::shuffle_index;
use frazil_codegen::{Folder, Halt, ImmKind, LowerCtx, Reg, Src, VectorShape};
use frazil_ir::{ConstView, Function, InstData, Opcode, Operand};

/// Whether a shuffle is done here: lanes are whole bytes, and as wide as the operands'.
pub fn is_done(function: &Function, data: &InstData) -> bool {
    let to = shape(function.types(), data.ty);
    let from = function.operand_type(data.a).and_then(|ty| shape(function.types(), ty));
    matches!((from, to), (Some(from), Some(to)) if from.lane_bits == to.lane_bits)
}

/// What is known of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    Any,
    Zero,
}

fn known(function: &Function, operand: Operand) -> Known {
    match operand.as_const().map(|id| function.constant(id).1) {
        Some(ConstView::Undef | ConstView::Poison) => Known::Any,
        Some(ConstView::Zero) => Known::Zero,
        _ => Known::Nothing,
    }
}

/// The mask by bytes; what lies above the result's lanes is [`ANY`].
fn byte_mask(function: &Function, data: &InstData) -> Option<Mask> {
    let (second, lanes) = function.ternary(data);
    let shape = shape(function.types(), data.ty)?;
    let from = super::shape(function.types(), function.operand_type(data.a)?)?;
    let bytes = shape.lane_bits as usize / 8;
    let operands = [data.a, second].map(|operand| known(function, operand));
    let mut mask = [ANY; 16];
    for lane in 0..shape.lanes {
        let Some(index) = shuffle_index(function, lanes, lane) else {
            continue;
        };
        let (is_second, index) = match index.checked_sub(from.lanes) {
            None => (false, index),
            Some(index) if index < from.lanes => (true, index),
            Some(_) => continue,
        };
        // The same operand twice is one operand.
        let base = if is_second && second != data.a { 16 } else { 0 };
        for byte in 0..bytes {
            mask[lane as usize * bytes + byte] = match operands[usize::from(is_second)] {
                Known::Any => ANY,
                Known::Zero => ZERO,
                Known::Nothing => (base + index as usize * bytes + byte) as u8,
            };
        }
    }
    Some(mask)
}

/// The row and size of a load of 4 or 8 bytes, which clears the rest of the register, if a shuffle puts zeros after all
/// lanes of a vector of so many.
fn extended_load(function: &Function, data: &InstData) -> Option<(Op, u8)> {
    let mask = byte_mask(function, data)?;
    let from = super::shape(function.types(), function.operand_type(data.a)?)?;
    let bytes = from.memory_bytes() as usize;
    let is_extension = |(index, &byte): (usize, &u8)| match index < bytes {
        true => byte == ANY || usize::from(byte) == index,
        false => byte == ANY || byte == ZERO,
    };
    match bytes {
        _ if from.is_mask || !mask.iter().enumerate().all(is_extension) => None,
        8 => Some((Op::MovqXM, 8)),
        4 => Some((Op::MovdXM, 4)),
        _ => None,
    }
}

/// Folds a load that does what a shuffle does.
pub fn fold(folder: &mut Folder<'_>, data: &InstData) {
    if let Some((value, load)) = folder.producer(data.a)
        && load.op == Opcode::Load
        && extended_load(folder.function, data).is_some()
    {
        folder.fold_load(value, load);
    }
}

/// Lowers what [`is_done`] says yes to.
pub fn shuffle<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), Halt> {
    if cx.is_folded(data.a) {
        let (row, size) = extended_load(cx.func(), data).ok_or(Halt::Expand)?;
        let Src::Mem(mem) = cx.use_src(data.a, 0, ImmKind::None) else {
            unreachable!("the load was folded");
        };
        let dst = cx.def(result(data), 0);
        cx.emit(rm(row, size, dst, mem));
        return Ok(());
    }
    let mask = byte_mask(cx.func(), data).ok_or(Halt::Expand)?;
    let second = cx.func().ternary(data).0;
    emit(cx, data, &mask, [data.a, second]);
    Ok(())
}

/// Lowers `bswap`, a shuffle within lanes.
pub fn swap_bytes<C: LowerCtx>(cx: &mut C, data: &InstData, shape: VectorShape) {
    let last = (shape.lane_bits / 8 - 1) as u8;
    let mask = std::array::from_fn(|index| index as u8 ^ last);
    emit(cx, data, &mask, [data.a; 2]);
}

fn emit<C: LowerCtx>(cx: &mut C, data: &InstData, mask: &Mask, inputs: [Operand; 2]) {
    let extras = Extras {
        ssse3: has_ssse3(cx.view()),
        sse41: has_sse41(cx.view()),
    };
    let plan = plan(mask, extras);
    match &plan {
        Plan::Input(is_second) => {
            let src = cx.use_last(inputs[usize::from(*is_second)], 0);
            cx.def_reuse(result(data), 0, src);
        }
        Plan::Step(step, of)
            if let Plan::Input(is_second) = **of
                && let Some(make) = to_other(*step) =>
        {
            let src = cx.use_reg(inputs[usize::from(is_second)], 0);
            let dst = cx.def(result(data), 0);
            cx.emit(make(dst, src));
        }
        Plan::Join(join, of)
            if let [Plan::Input(first), Plan::Input(other)] = **of
                && let Some(make) = onto_first(*join) =>
        {
            let other = cx.use_reg(inputs[usize::from(other)], 0);
            let first = cx.use_last(inputs[usize::from(first)], 0);
            let dst = cx.def_reuse(result(data), 0, first);
            cx.emit(make(dst, other));
        }
        plan => {
            let mut carrier = Carrier {
                cx,
                inputs,
                free: Vec::new(),
            };
            let value = carrier.carry_out(plan);
            let value = carrier.own(value);
            finish(cx, data, value);
        }
    }
}

/// A register, and whether the rule may write it.
type Held = (Reg, bool);

/// Carries a plan out. Registers that are read no more are used again, since long plans would need too many.
struct Carrier<'c, C> {
    cx: &'c mut C,
    inputs: [Operand; 2],
    free: Vec<Reg>,
}

/// The instruction of a step that writes another register than it reads.
fn to_other(step: Step) -> Option<impl FnOnce(Reg, Reg) -> frazil_codegen::MInst> {
    let (row, imm) = match step {
        Step::Lanes(imm) => (Op::PshufdRRI, Some(imm)),
        Step::LowWords(imm) => (Op::PshuflwRRI, Some(imm)),
        Step::HighWords(imm) => (Op::PshufhwRRI, Some(imm)),
        Step::LowHalf => (Op::MovqXX, None),
        Step::Extend(row) => (row, None),
        _ => return None,
    };
    Some(move |dst, src| match imm {
        Some(imm) => rri(row, 16, dst, src, imm),
        None if row == Op::MovqXX => rr(row, 8, dst, src),
        None => rr(row, 16, dst, src),
    })
}

/// The instruction that puts the second operand into the first one.
fn onto_first(join: Join) -> Option<impl FnOnce(Reg, Reg) -> frazil_codegen::MInst> {
    let (row, size, imm) = match join {
        Join::Interleave(row) => (row, 16, None),
        Join::TwoLanes(imm) => (Op::ShufpRRI, 4, Some(imm)),
        Join::TwoHalves(imm) => (Op::ShufpRRI, 8, Some(imm)),
        Join::LowLane => (Op::MovsRR, 4, None),
        Join::BlendWords(imm) => (Op::PblendwRRI, 16, Some(imm)),
        Join::Align(bytes) => (Op::PalignrRRI, 16, Some(i32::from(bytes))),
        Join::Or => (Op::PorRR, 16, None),
        Join::Pack => (Op::PackuswbRR, 16, None),
        Join::PackWords => (Op::PackssdwRR, 16, None),
        Join::Blend(_) => return None,
    };
    Some(move |dst, src| match imm {
        Some(imm) => rri(row, size, dst, src, imm),
        None => rr(row, size, dst, src),
    })
}

impl<C: LowerCtx> Carrier<'_, C> {
    fn temp(&mut self) -> Reg {
        self.free.pop().unwrap_or_else(|| temp(self.cx))
    }

    fn copy(&mut self, src: Reg) -> Reg {
        let copy = self.temp();
        self.cx.emit(rr(Op::MovapRR, 4, copy, src));
        copy
    }

    /// A register that the rule may write.
    fn own(&mut self, (reg, is_own): Held) -> Reg {
        if is_own { reg } else { self.copy(reg) }
    }

    fn carry_out(&mut self, plan: &Plan) -> Held {
        match plan {
            Plan::Zero => {
                let clear = self.temp();
                self.cx.emit(r(Op::ZeroX, 16, clear));
                (clear, true)
            }
            Plan::Input(is_second) => (self.cx.use_reg(self.inputs[usize::from(*is_second)], 0), false),
            Plan::Step(step, of) => {
                let value = self.carry_out(of);
                (self.take_step(*step, value), true)
            }
            Plan::Join(join, of) => {
                let first = self.carry_out(&of[0]);
                let second = self.carry_out(&of[1]);
                (self.join(*join, first, second), true)
            }
        }
    }

    fn take_step(&mut self, step: Step, value: Held) -> Reg {
        if let Some(make) = to_other(step) {
            let (src, is_own) = value;
            let dst = if is_own { src } else { self.temp() };
            self.cx.emit(make(dst, src));
            return dst;
        }
        let value = self.own(value);
        match step {
            Step::Up(bytes) => by(self.cx, Op::PslldqRI, value, bytes.into()),
            Step::Down(bytes) => by(self.cx, Op::PsrldqRI, value, bytes.into()),
            Step::SwapBytes => {
                let low = self.copy(value);
                by(self.cx, Op::PsllwRI, low, 8);
                by(self.cx, Op::PsrlwRI, value, 8);
                with(self.cx, Op::PorRR, value, low);
                self.free.push(low);
            }
            Step::Double(row) => with(self.cx, row, value, value),
            Step::Widen(row) => {
                let clear = self.temp();
                self.cx.emit(r(Op::ZeroX, 16, clear));
                with(self.cx, row, value, clear);
                self.free.push(clear);
            }
            Step::UpperBytes => by(self.cx, Op::PsrlwRI, value, 8),
            Step::UpperWords => by(self.cx, Op::PsradRI, value, 16),
            Step::LowerWords => {
                by(self.cx, Op::PslldRI, value, 16);
                by(self.cx, Op::PsradRI, value, 16);
            }
            Step::Keep(bits) => with_constant(self.cx, Op::PandRM, value, bits),
            Step::Bytes(mask) => {
                let order = mask.map(|byte| if byte < 16 { byte } else { 0x80 });
                with_constant(self.cx, Op::PshufbRM, value, u128::from_le_bytes(order));
            }
            Step::Lanes(_) | Step::LowWords(_) | Step::HighWords(_) | Step::LowHalf | Step::Extend(_) => {}
        }
        value
    }

    fn join(&mut self, join: Join, first: Held, second: Held) -> Reg {
        let first = self.own(first);
        if let Join::Blend(of_first) = join {
            let second = self.own(second);
            with_constant(self.cx, Op::PandRM, first, of_first);
            with_constant(self.cx, Op::PandRM, second, !of_first);
            with(self.cx, Op::PorRR, first, second);
            self.free.push(second);
        } else if let Some(make) = onto_first(join) {
            self.cx.emit(make(first, second.0));
            if second.1 {
                self.free.push(second.0);
            }
        }
        first
    }
}
