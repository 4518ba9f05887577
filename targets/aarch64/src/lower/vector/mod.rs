//! Vectors in NEON registers: dispatch, and which operations have instructions here.
//!
//! How lanes lie in registers, masks and vectors of less than 16 bytes included, is said in
//! [`frazil_codegen::vectors`]. What is above a value's lanes is undefined, and instructions, which work on whole
//! registers, compute there what they like; no result depends on it. What [`has_operation`] denies is done lane by
//! lane by shared code.

pub mod arith;
pub mod bitcast;
pub mod compare;
pub mod convert;
pub mod elements;
pub mod mask;
pub mod memory;
pub mod reduce;
pub mod shift;
pub mod shuffle;

use super::{copy, result, type_of};
use crate::build::*;
use crate::features;
use crate::immediates;
use crate::reach;
use crate::regs::VECTOR_BYTES;
use crate::table::Op;
use frazil_codegen::{Halt, LowerCtx, MInst, ModuleView, Reg, RegClass, VectorShape};
use frazil_ir::typing::{is_cast, is_reduction};
use frazil_ir::{Function, Inst, InstData, Opcode, Operand, Type, TypeTable};

/// Lowers an instruction whose type is a vector.
pub fn lower<C: LowerCtx>(cx: &mut C, inst: Inst) -> Result<(), Halt> {
    let data = *cx.func().inst(inst);
    if !has_operation(cx.func(), cx.view(), &data) {
        return Err(Halt::Expand);
    }
    let shape = shape_of(cx, data.ty)?;
    match data.op {
        Opcode::Copy | Opcode::Freeze => copy(cx, &data),
        Opcode::Load => memory::load(cx, &data, shape),
        Opcode::Store => memory::store(cx, &data, shape),
        Opcode::Select => mask::select(cx, &data, shape)?,
        Opcode::ExtractElement => elements::extract(cx, &data, shape),
        Opcode::InsertElement => elements::insert(cx, &data, shape),
        Opcode::Shuffle => return shuffle::shuffle(cx, &data, shape),
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => shift::shift(cx, &data, shape),
        Opcode::Bitcast => bitcast::bitcast(cx, &data),
        op if op.is_icmp() => compare::integers(cx, &data, shape),
        op if op.is_fcmp() => compare::floats(cx, &data, shape),
        op if is_cast(op) => return convert::convert(cx, &data, shape),
        _ => return arith::arith(cx, &data, shape),
    }
    Ok(())
}

/// Whether an operation has instructions.
pub fn has_operation(function: &Function, view: ModuleView<'_>, data: &InstData) -> bool {
    let Some(shape) = shape(function.types(), data.ty) else {
        // What computes a scalar from a vector is a reduction or a cast.
        let is_scalar = matches!(data.op, Opcode::Bitcast | Opcode::ByteDifferences);
        return is_scalar || is_reduction(data.op) && reduce::is_done(function, data);
    };
    let is_known = !has_halves(shape) || has_half_arithmetic(view, shape);
    match data.op {
        Opcode::Copy | Opcode::Freeze | Opcode::Select | Opcode::Bitcast => true,
        Opcode::Load | Opcode::Store => !shape.is_mask,
        Opcode::ExtractElement => shape.lane(function, data.b).is_some(),
        Opcode::InsertElement => shape.lane(function, function.ternary(data).1).is_some(),
        Opcode::Shuffle => shuffle::is_done(function, data, shape),
        op if is_cast(op) => convert::has_conversion(function, view, data, shape),
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => is_integer(shape),
        op if op.is_icmp() => shape.lane_bits <= 64 && !shape.is_mask,
        op if op.is_fcmp() => is_known,
        _ => is_known && arith::has_operation(data.op, shape),
    }
}

/// The shape of a type; `None` if it is no vector that fits a register.
pub fn shape(types: &TypeTable, ty: Type) -> Option<VectorShape> {
    VectorShape::of(types, ty, VECTOR_BYTES)
}

/// The shape of a type that must be a vector.
fn shape_of<C: LowerCtx>(cx: &C, ty: Type) -> Result<VectorShape, Halt> {
    shape(cx.func().types(), ty).ok_or(Halt::Expand)
}

/// The shape of an operand that must be a vector.
fn operand_shape<C: LowerCtx>(cx: &C, operand: Operand) -> Result<VectorShape, Halt> {
    shape_of(cx, type_of(cx, operand))
}

/// Whether lanes are floats of 16 bits.
fn has_halves(shape: VectorShape) -> bool {
    matches!(shape.element, Type::F16 | Type::BF16)
}

/// Whether there are instructions that compute with lanes of halves.
fn has_half_arithmetic(view: ModuleView<'_>, shape: VectorShape) -> bool {
    shape.element == Type::F16 && view.features.has(features::FULLFP16)
}

/// Whether lanes are floating-point numbers of any width.
fn has_floats(shape: VectorShape) -> bool {
    matches!(shape.element, Type::F16 | Type::BF16 | Type::F32 | Type::F64)
}

/// Whether lanes are integers of 8, 16, 32 or 64 bits.
fn is_integer(shape: VectorShape) -> bool {
    !has_floats(shape) && !shape.is_mask && shape.lane_bits <= 64
}

/// Log2 of the bytes of lanes of so many bits.
fn log2(lane_bits: u32) -> u8 {
    (lane_bits / 8).trailing_zeros() as u8
}

/// An instruction on whole registers with lanes of so many bits.
fn on(op: Op, lane_bits: u32, regs: [Reg; 3]) -> MInst {
    MInst::new(op as u16, VECTOR_BYTES)
        .with_regs(regs)
        .with_aux(log2(lane_bits))
}

/// The same with a source less.
fn on_one(op: Op, lane_bits: u32, dst: Reg, src: Reg) -> MInst {
    on(op, lane_bits, [dst, src, Reg::NONE])
}

/// The same of instructions that read the lower halves of registers, or write them.
fn on_half(op: Op, lane_bits: u32, regs: [Reg; 3]) -> MInst {
    let mut inst = on(op, lane_bits, regs);
    inst.size = VECTOR_BYTES / 2;
    inst
}

/// An instruction on all bits of registers.
fn bitwise(op: Op, dst: Reg, left: Reg, right: Reg) -> MInst {
    on(op, 8, [dst, left, right])
}

/// A vector register for this step.
fn temp<C: LowerCtx>(cx: &mut C) -> Reg {
    cx.temp(RegClass::Float)
}

/// A new register with these bits.
fn loaded<C: LowerCtx>(cx: &mut C, bits: u128) -> Reg {
    let loaded = temp(cx);
    load_constant(cx, loaded, bits);
    loaded
}

/// Puts 16 bytes into a register: by one instruction, if all lanes of some width are alike and there is one for them,
/// else from memory.
pub fn load_constant<C: LowerCtx>(cx: &mut C, dst: Reg, bits: u128) {
    match repeated(bits) {
        Some(inst) => {
            let mut inst = inst;
            inst.set_reg(0, dst);
            cx.emit(inst);
        }
        None => {
            let constant = cx.pool_constant(&bits.to_le_bytes());
            let load = reach::constant(cx.view(), VECTOR_BYTES, dst, constant);
            cx.emit(load);
        }
    }
}

/// The instruction without its register that makes a constant of equal lanes, if there is one.
fn repeated(bits: u128) -> Option<MInst> {
    let whole = |op| MInst::new(op as u16, VECTOR_BYTES);
    match bits {
        0 => return Some(whole(Op::MoviZero)),
        u128::MAX => return Some(whole(Op::MoviOnes)),
        _ => {}
    }
    let is_repeated = |width: u32| splat(bits, width) == bits;
    if is_repeated(8) {
        return Some(whole(Op::Movi).with_imm((bits & 0xff) as i32));
    }
    for width in [16, 32].into_iter().filter(|&width| is_repeated(width)) {
        let lane = bits as u32 & (u32::MAX >> (32 - width));
        for (op, lane) in [(Op::Movi, lane), (Op::Mvni, !lane & (u32::MAX >> (32 - width)))] {
            let shift = lane.trailing_zeros().min(width - 1) / 8 * 8;
            if lane >> shift <= 0xff {
                let mut inst = whole(op).with_aux(log2(width)).with_imm((lane >> shift).cast_signed());
                inst.disp = shift.cast_signed();
                return Some(inst);
            }
        }
        if let Some(code) = immediates::float(lane.into(), 4).filter(|_| width == 32) {
            return Some(whole(Op::FmovIV).with_aux(2).with_imm(code.into()));
        }
    }
    if !is_repeated(64) {
        return None;
    }
    let lane = bits as u64;
    if let Some(code) = immediates::float(lane, 8) {
        return Some(whole(Op::FmovIV).with_aux(3).with_imm(code.into()));
    }
    let bytes = lane.to_le_bytes();
    let mask = (0..8).fold(0, |mask, byte| mask | i32::from(bytes[byte] == 0xff) << byte);
    let is_mask = bytes.iter().all(|&byte| byte == 0 || byte == 0xff);
    is_mask.then(|| whole(Op::Movi).with_aux(3).with_imm(mask))
}

/// A number in each lane of this many bits.
fn splat(value: u128, lane_bits: u32) -> u128 {
    let lane = value & (u128::MAX >> (128 - lane_bits));
    (0..128 / lane_bits).fold(0, |bits, index| bits | lane << (index * lane_bits))
}

/// Moves the low 8 bytes of a vector register to a general one, or its high ones.
fn to_general<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg, half: u32) {
    if half == 0 {
        cx.emit(rr(Op::FmovToInt, 8, dst, src));
    } else {
        cx.emit(rr(Op::FmovHighToInt, 8, dst, src));
    }
}

/// Moves the low 8 bytes of a general register to a vector register, and clears the rest.
fn from_general<C: LowerCtx>(cx: &mut C, dst: Reg, src: Reg) {
    cx.emit(rr(Op::FmovFromInt, 8, dst, src));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the instructions make, after the Arm ARM's `AdvSIMDExpandImm`.
    fn made(inst: &MInst) -> u128 {
        let imm = u128::from(inst.imm.cast_unsigned());
        match Op::ALL[usize::from(inst.op)] {
            Op::MoviZero => 0,
            Op::MoviOnes => u128::MAX,
            Op::FmovIV => {
                let bytes = 1 << inst.aux;
                splat(
                    immediates::float_bits(inst.imm as u8, bytes).into(),
                    8 * u32::from(bytes),
                )
            }
            Op::Movi if inst.aux == 3 => splat(
                (0..8).fold(0, |all, bit| all | ((imm >> bit & 1) * 0xff) << (8 * bit)),
                64,
            ),
            op => {
                let lanes = splat(imm << inst.disp, 8 << inst.aux);
                if op == Op::Mvni { !lanes } else { lanes }
            }
        }
    }

    #[test]
    fn constants_of_equal_lanes_are_what_is_asked_for() {
        let lanes = [
            0u128,
            1,
            0x80,
            0xff,
            0x100,
            0xff00,
            0x7fff,
            0x8000,
            0xff_0000,
            0x8000_0000,
            0x3f80_0000,
            0x1234,
        ];
        let mut count = 0;
        for width in [8, 16, 32, 64, 128] {
            for lane in lanes.into_iter().flat_map(|lane| [lane, !lane, lane << 32, lane << 8]) {
                let bits = splat(lane, width);
                if let Some(inst) = repeated(bits) {
                    assert_eq!(made(&inst), bits, "{bits:#x} {inst:?}");
                    count += 1;
                }
            }
        }
        assert!(count > 100, "{count}");
        assert!(repeated(splat(0x1234, 16)).is_none() && repeated(1).is_none());
    }
}
