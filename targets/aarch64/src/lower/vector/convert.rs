//! Conversions between vectors: narrower and wider lanes, integers and floats, floats of different widths.
//!
//! Conversions between lanes of different widths go by way of lanes of the wider one: integers are extended before they
//! become floats, and floats become integers of their own width first, which are narrowed with saturation if it is
//! asked for.

use super::{has_floats, mask, on_half, on_one, operand_shape, result, shape, temp};
use crate::features;
use crate::table::Op;
use frazil_codegen::{Halt, LowerCtx, MInst, ModuleView, Reg, VectorShape};
use frazil_ir::{Function, InstData, Opcode, Type};

/// Whether a conversion has instructions.
pub fn has_conversion(function: &Function, view: ModuleView<'_>, data: &InstData, to: VectorShape) -> bool {
    let from = function.operand_type(data.a);
    let Some(from) = from.and_then(|ty| shape(function.types(), ty)) else {
        return false;
    };
    let is_plain = |shape: VectorShape| matches!(shape.element, Type::F32 | Type::F64);
    match data.op {
        Opcode::Trunc | Opcode::Zext | Opcode::Sext => from.lane_bits <= 64 && to.lane_bits <= 64,
        // A mask has the bits of an address, too, but all ones where that is 1.
        Opcode::Ptrtoint | Opcode::Inttoptr => from.lane_bits == to.lane_bits && !from.is_mask && !to.is_mask,
        // Twice rounded, unless all numbers of the integer are exact in the wider float.
        Opcode::Uitofp | Opcode::Sitofp => !from.is_mask && is_plain(to) && from.lane_bits <= to.lane_bits,
        Opcode::Fptoui | Opcode::Fptosi => is_plain(from) && !to.is_mask && to.lane_bits <= 64,
        // Floats that become wider have their greatest number in the middle of the integer's range.
        Opcode::FptouiSat | Opcode::FptosiSat => is_plain(from) && !to.is_mask && to.lane_bits <= 64,
        Opcode::Fpext => true,
        Opcode::Fptrunc => to.element != Type::BF16 || view.features.has(features::BF16) && from.element == Type::F32,
        _ => false,
    }
}

/// Lowers what [`has_conversion`] says yes to.
pub fn convert<C: LowerCtx>(cx: &mut C, data: &InstData, to: VectorShape) -> Result<(), Halt> {
    let from = operand_shape(cx, data.a)?;
    if from.lane_bits == to.lane_bits && !from.is_mask && !to.is_mask && !has_floats(from) && !has_floats(to) {
        super::copy(cx, data);
        return Ok(());
    }
    let src = cx.use_reg(data.a, 0);
    let work = temp(cx);
    let dst = cx.def(result(data), 0);
    // The last instruction alone writes the result.
    let mut chain = Chain::new(src, work);
    match data.op {
        Opcode::Trunc if to.is_mask => {
            let bits = from.lane_bits;
            chain.push(on_one(Op::ShlV, bits, work, src).with_imm(bits.cast_signed() - 1));
            chain.push(on_one(Op::CmltZV, bits, work, work));
            chain.emit(cx, dst);
            mask::resize(cx, dst, bits, to.lane_bits);
            return Ok(());
        }
        Opcode::Trunc => narrow(&mut chain, from.lane_bits, to.lane_bits, Op::XtnV),
        Opcode::Zext | Opcode::Sext if from.is_mask => {
            cx.emit(super::arith::copy_of(work, src));
            mask::resize(cx, work, from.lane_bits, to.lane_bits);
            cx.emit(if data.op == Opcode::Zext {
                on_one(Op::UshrV, to.lane_bits, dst, work).with_imm(to.lane_bits.cast_signed() - 1)
            } else {
                super::arith::copy_of(dst, work)
            });
            return Ok(());
        }
        Opcode::Zext | Opcode::Sext => widen(&mut chain, from.lane_bits, to.lane_bits, data.op == Opcode::Sext),
        Opcode::Uitofp | Opcode::Sitofp => {
            let is_signed = data.op == Opcode::Sitofp;
            widen(&mut chain, from.lane_bits, to.lane_bits, is_signed);
            let row = if is_signed { Op::ScvtfV } else { Op::UcvtfV };
            chain.push_one(row, to.lane_bits);
        }
        Opcode::Fptoui | Opcode::Fptosi | Opcode::FptouiSat | Opcode::FptosiSat => {
            let is_signed = matches!(data.op, Opcode::Fptosi | Opcode::FptosiSat);
            let is_saturating = matches!(data.op, Opcode::FptouiSat | Opcode::FptosiSat);
            let bits = from.lane_bits.max(to.lane_bits);
            if bits > from.lane_bits {
                chain.push_half(Op::FcvtlV, 32);
            }
            chain.push_one(if is_signed { Op::FcvtzsV } else { Op::FcvtzuV }, bits);
            let row = match (is_saturating, is_signed) {
                (false, _) => Op::XtnV,
                (true, true) => Op::SqxtnV,
                (true, false) => Op::UqxtnV,
            };
            narrow(&mut chain, bits, to.lane_bits, row);
        }
        Opcode::Fpext => {
            match from.element {
                // A bfloat is the upper half of a float.
                Type::BF16 => chain.push_shll(),
                Type::F16 => chain.push_half(Op::FcvtlV, 16),
                _ => {}
            }
            if to.element == Type::F64 {
                chain.push_half(Op::FcvtlV, 32);
            }
        }
        Opcode::Fptrunc => match (from.element, to.element) {
            (Type::F64, Type::F32) => chain.push_half(Op::FcvtnV, 32),
            (Type::F32, Type::F16) => chain.push_half(Op::FcvtnV, 16),
            // Rounded to odd first, so that the second rounding sees what was lost.
            (Type::F64, Type::F16) => {
                chain.push_half(Op::FcvtxnV, 32);
                chain.push_half(Op::FcvtnV, 16);
            }
            _ => chain.push_half(Op::Bfcvtn, 16),
        },
        _ => return Err(Halt::Expand),
    }
    chain.emit(cx, dst);
    Ok(())
}

/// Instructions each of which reads what the one before has written.
struct Chain {
    insts: [Option<MInst>; 8],
    count: usize,
    src: Reg,
    work: Reg,
}

impl Chain {
    fn new(src: Reg, work: Reg) -> Chain {
        Chain {
            insts: [None; 8],
            count: 0,
            src,
            work,
        }
    }

    /// What the next instruction reads.
    fn last(&self) -> Reg {
        if self.count == 0 { self.src } else { self.work }
    }

    fn push(&mut self, inst: MInst) {
        self.insts[self.count] = Some(inst);
        self.count += 1;
    }

    fn push_one(&mut self, row: Op, lane_bits: u32) {
        self.push(on_one(row, lane_bits, self.work, self.last()));
    }

    /// An instruction between lanes of so many bits and those twice as wide.
    fn push_half(&mut self, row: Op, lane_bits: u32) {
        self.push(on_half(row, lane_bits, [self.work, self.last(), Reg::NONE]));
    }

    /// Lanes of 16 bits become the upper halves of wider ones.
    fn push_shll(&mut self) {
        self.push_half(Op::ShllV, 16);
    }

    /// Emits all of them; the last one writes `dst`.
    fn emit<C: LowerCtx>(self, cx: &mut C, dst: Reg) {
        for (index, inst) in self.insts.iter().flatten().enumerate() {
            let mut inst = *inst;
            if index + 1 == self.count {
                inst.set_reg(0, dst);
            }
            cx.emit(inst);
        }
        if self.count == 0 {
            cx.emit(super::arith::copy_of(dst, self.src));
        }
    }
}

/// Halves lanes until they have so many bits.
fn narrow(chain: &mut Chain, from_bits: u32, to_bits: u32, row: Op) {
    let mut bits = from_bits;
    while bits > to_bits {
        bits /= 2;
        chain.push_half(row, bits);
    }
}

/// Doubles lanes until they have so many bits.
fn widen(chain: &mut Chain, from_bits: u32, to_bits: u32, is_signed: bool) {
    let row = if is_signed { Op::SshllV } else { Op::UshllV };
    let mut bits = from_bits;
    while bits < to_bits {
        chain.push_half(row, bits);
        bits *= 2;
    }
}
