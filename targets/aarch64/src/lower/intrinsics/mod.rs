//! Intrinsics of the processor (`llvm.aarch64.*`): a table from names to what does them, and the rules.
//!
//! Most are one instruction, whose row says where each operand is: the rule takes the arguments in their order and
//! brings integers to vector registers and back where the row wants them there. Which lanes and how many bytes an
//! instruction has its types say. An intrinsic whose instruction the function may not use is refused, as is one with a
//! constant operand that is none, or with other types than the instruction has.

mod lists;
mod system;
mod table;

use super::{any_float_bytes, int_bits, result};
use crate::build::*;
use crate::ops::{Kind as OperandKind, Row, VectorForm, Width};
use crate::regs::VECTOR_BYTES;
use crate::table::{Op, ROWS};
use frazil_codegen::{CodegenError, LowerCtx, MInst, Reg, RegClass, Role};
use frazil_ir::{ConstView, InstData, Operand, Refusal, Type};
use table::{Entry, Kind};

/// Lowers a call of an intrinsic; `false` if it is not known.
pub fn lower<C: LowerCtx>(cx: &mut C, name: &str, call: &InstData) -> Result<bool, CodegenError> {
    let Some(rest) = name.strip_prefix("llvm.aarch64.") else {
        return system::lower(cx, name, call);
    };
    let Some(entry) = table::find(without_types(rest)) else {
        return Ok(false);
    };
    let view = cx.func().call(call);
    let signature = cx.func().sig(view.sig);
    let call = Call {
        data: *call,
        entry,
        args: view.args.to_vec(),
        params: signature.params.iter().map(|param| param.ty).collect(),
        results: signature.returns.iter().map(|param| param.ty).collect(),
    };
    call.require(cx, entry.needs)?;
    call.lower(cx)?;
    Ok(true)
}

/// A name without the types that it ends with.
fn without_types(name: &str) -> &str {
    let mut rest = name;
    while let Some((before, last)) = rest.rsplit_once('.') {
        if !is_type(last) {
            break;
        }
        rest = before;
    }
    rest
}

/// Whether a part of a name is a type: `v4i32`, `i64`, `bf16`, `p0`.
fn is_type(word: &str) -> bool {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let element = match word.strip_prefix('v') {
        Some(rest) => rest.trim_start_matches(|letter: char| letter.is_ascii_digit()),
        None => word,
    };
    ["i", "f", "bf", "p"]
        .iter()
        .any(|kind| element.strip_prefix(kind).is_some_and(is_number))
}

/// How many bytes an instruction works on, and log2 of the bytes of its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Geometry {
    size: u8,
    lane_log2: u8,
}

/// A call that is lowered.
struct Call {
    data: InstData,
    entry: &'static Entry,
    args: Vec<Operand>,
    params: Vec<Type>,
    results: Vec<Type>,
}

impl Call {
    /// The refusal of a call that is not as the table has it.
    fn refuse(&self, why: &str) -> CodegenError {
        let name = self.entry.name;
        CodegenError::unsupported(Refusal::Intrinsic, format!("intrinsic llvm.aarch64.{name} {why}"))
    }

    fn require<C: LowerCtx>(&self, cx: &C, feature: u8) -> Result<(), CodegenError> {
        match cx.view().features.has(feature) {
            true => Ok(()),
            false => Err(self.refuse("in a function that may not use its instruction")),
        }
    }

    fn lower<C: LowerCtx>(&self, cx: &mut C) -> Result<(), CodegenError> {
        match self.entry.kind {
            Kind::Row(op) => self.row(cx, op, &self.args, 0),
            Kind::Turned(op, turn) => self.row(cx, op, &self.args, turn),
            Kind::Constant(op) => {
                let (imm, args) = self.last_constant()?;
                self.row(cx, op, args, imm)
            }
            Kind::EqualLanes(op) => {
                let imm = self.equal_lanes(cx)?;
                self.row(cx, op, &self.args[..self.args.len() - 1], imm)
            }
            Kind::ByLane(op) => self.by_lane(cx, op),
            Kind::ToInteger(of_vectors, to_word, to_double_word) => match int_bits(cx, self.result_type()?) {
                0 => self.row(cx, of_vectors, &self.args, 0),
                64 => self.row(cx, to_double_word, &self.args, 0),
                _ => self.row(cx, to_word, &self.args, 0),
            },
            Kind::OverAll(of_all, of_pair) => {
                let lanes = super::vector::shape(cx.func().types(), self.params[0]).map_or(0, |shape| shape.lanes);
                self.row(cx, if lanes == 2 { of_pair } else { of_all }, &self.args, 0)
            }
            Kind::WideOverAll(of_all, of_pair) => self.wide_over_all(cx, of_all, of_pair),
            Kind::Sum => self.sum(cx),
            Kind::Float(of_vectors, scalar) => {
                let geometry = self.geometry(cx, self.result_type()?);
                let is_scalar = geometry.is_some_and(|found| found.size == 1 << found.lane_log2);
                self.row(cx, if is_scalar { scalar } else { of_vectors }, &self.args, 0)
            }
            Kind::Halves(of_floats, of_halves) => {
                let is_half = self.result_type()? == Type::F16;
                self.row(cx, if is_half { of_halves } else { of_floats }, &self.args, 0)
            }
            Kind::Load(op, of_one_lane) => self.load(cx, op, of_one_lane),
            Kind::Store(op, of_one_lane) => self.store(cx, op, of_one_lane),
            Kind::LoadLane(op) => self.load_lane(cx, op),
            Kind::StoreLane(op) => self.store_lane(cx, op),
            Kind::Table(op, count) => self.look_up(cx, op, count, false),
            Kind::TableOver(op, count) => self.look_up(cx, op, count, true),
            Kind::Bare(op) => self.bare(cx, op),
            Kind::Read(register) => {
                let dst = cx.def(result(&self.data), 0);
                cx.emit(ri(Op::Mrs, 8, dst, register));
                Ok(())
            }
            Kind::Write(register) => {
                let src = super::use_int(cx, self.args[0], 0);
                cx.emit(ri(Op::Msr, 8, src, register));
                Ok(())
            }
            Kind::ReadRandom(register) => {
                self.read_random(cx, register);
                Ok(())
            }
            Kind::Prefetch => self.prefetch(cx),
        }
    }

    fn result_type(&self) -> Result<Type, CodegenError> {
        let ty = self.results.first().copied();
        ty.ok_or_else(|| self.refuse("without a result"))
    }

    /// The last argument, a constant, and the others.
    fn last_constant(&self) -> Result<(i32, &[Operand]), CodegenError> {
        let last = self
            .args
            .split_last()
            .and_then(|(last, others)| Some((last.as_imm()?, others)));
        let (imm, others) = last.ok_or_else(|| self.refuse("with an operand that is no constant"))?;
        let imm = i32::try_from(imm).map_err(|_| self.refuse("with a constant out of range"))?;
        Ok((imm, others))
    }

    /// The constant that all lanes of the last argument are, or which it is.
    fn equal_lanes<C: LowerCtx>(&self, cx: &C) -> Result<i32, CodegenError> {
        let refused = || self.refuse("with lanes that are not one constant");
        let last = *self.args.last().ok_or_else(refused)?;
        if let Some(imm) = last.as_imm() {
            return i32::try_from(imm).map_err(|_| refused());
        }
        let function = cx.func();
        let view = function.constant(last.as_const().ok_or_else(refused)?).1;
        let lanes = match view {
            ConstView::Zero => return Ok(0),
            ConstView::Vector(lanes) => lanes,
            _ => return Err(refused()),
        };
        let mut found = None;
        for &lane in lanes {
            let Some(value) = lane.as_imm() else {
                // Whatever is undefined is like the others.
                match lane.as_const().map(|id| function.constant(id).1) {
                    Some(ConstView::Undef | ConstView::Poison) => continue,
                    _ => return Err(refused()),
                }
            };
            if found.is_some_and(|found| found != value) {
                return Err(refused());
            }
            found = Some(value);
        }
        i32::try_from(found.unwrap_or(0)).map_err(|_| refused())
    }

    /// What an operand of this type has to do with an instruction's size and lanes.
    fn geometry<C: LowerCtx>(&self, cx: &C, ty: Type) -> Option<Geometry> {
        if let Some(shape) = super::vector::shape(cx.func().types(), ty) {
            return Some(Geometry {
                size: (shape.lanes * shape.lane_bits / 8) as u8,
                lane_log2: (shape.lane_bits / 8).trailing_zeros() as u8,
            });
        }
        match (any_float_bytes(ty), int_bits(cx, ty)) {
            // An integer is the lowest lane of a vector, whose other lanes are zero.
            (0, bits @ (8 | 16 | 32 | 64)) => Some(Geometry {
                size: 8,
                lane_log2: (bits / 8).trailing_zeros() as u8,
            }),
            (bytes @ (2 | 4 | 8), _) => Some(Geometry {
                size: bytes,
                lane_log2: bytes.trailing_zeros() as u8,
            }),
            _ => None,
        }
    }

    /// The size and lanes of the row for these types; what the row does not have is refused.
    fn sized<C: LowerCtx>(&self, cx: &C, row: &Row, types: &[Type]) -> Result<Geometry, CodegenError> {
        let refused = || self.refuse("of these types");
        let single = |set: u8| set.is_power_of_two().then_some(set);
        let (mut found, mut fallback): (Option<Geometry>, _) = (None, None);
        for (operand, &ty) in row.operands.iter().flatten().zip(types) {
            let geometry = self.geometry(cx, ty);
            match operand.kind {
                OperandKind::Vector => {
                    let geometry = geometry.ok_or_else(refused)?;
                    if found.is_some_and(|found| found.lane_log2 != geometry.lane_log2) {
                        return Err(refused());
                    }
                    // A float is computed alone, so that nothing else raises exceptions.
                    if found.is_none() || any_float_bytes(ty) > 0 {
                        found = Some(geometry);
                    }
                }
                OperandKind::Bytes | OperandKind::Float => fallback = fallback.or(geometry),
                // The operand's width counts, not the result's.
                OperandKind::Sized => {
                    fallback = Some(Geometry {
                        size: general_bytes(int_bits(cx, ty)),
                        lane_log2: 0,
                    });
                }
                _ => {}
            }
        }
        let size_of_row = single(row.sizes);
        let found = match (found, fallback) {
            (Some(found), _) => Geometry {
                size: size_of_row.unwrap_or(found.size),
                ..found
            },
            (None, fallback) => Geometry {
                size: size_of_row.or(fallback.map(|found| found.size)).unwrap_or(8),
                lane_log2: 0,
            },
        };
        let is_known = row.sizes & found.size != 0 && (row.lanes == 0 || row.has_lanes(found.size, found.lane_log2));
        // Instructions between halves and floats need nothing.
        let has_halves = match row.lanes {
            0 => found.size == 2,
            _ => found.lane_log2 == 1 && row.code.width != Width::FloatHalf,
        };
        if row.effects.rounds && has_halves {
            self.require(cx, table::HALF_ARITHMETIC)?;
        }
        is_known.then_some(found).ok_or_else(refused)
    }

    /// Emits the instruction of a row with the arguments as its operands.
    fn row<C: LowerCtx>(&self, cx: &mut C, op: Op, args: &[Operand], imm: i32) -> Result<(), CodegenError> {
        let row = &ROWS[op as usize];
        let is_tied = row.operands[0].is_some_and(|operand| operand.role == Role::UseDef);
        let result_type = self.result_type()?;
        // The types in the order of the row's operands.
        let mut types = Vec::with_capacity(4);
        if !is_tied {
            types.push(result_type);
        }
        types.extend_from_slice(&self.params[..args.len()]);
        let wanted = row.operands.iter().flatten().count();
        if types.len() != wanted {
            return Err(self.refuse("with other operands"));
        }
        let geometry = self.sized(cx, row, &types)?;
        let mut regs = [Reg::NONE; 3];
        let mut moves = Vec::new();
        let first_read = if is_tied { 1 } else { 0 };
        for (slot, &arg) in (1..).zip(&args[first_read..]) {
            regs[slot] = self.operand(cx, row, slot, (arg, types[slot]), &mut moves);
        }
        let result_kind = row.operands[0].map(|operand| operand.kind);
        let result_bits = int_bits(cx, result_type);
        let is_moved_back = result_bits > 0 && result_kind.is_some_and(OperandKind::is_vector);
        let mut moved_back = None;
        regs[0] = if is_moved_back {
            let computed = cx.temp(RegClass::Float);
            if is_tied {
                let start = super::use_int(cx, args[0], 0);
                moves.push(rr(Op::FmovFromInt, general_bytes(result_bits), computed, start));
            }
            moved_back = Some(cx.def(result(&self.data), 0));
            computed
        } else if is_tied {
            let start = cx.use_last(args[0], 0);
            cx.def_reuse(result(&self.data), 0, start)
        } else {
            cx.def(result(&self.data), 0)
        };
        for inst in moves {
            cx.emit(inst);
        }
        let lane = if row.lanes == 0 { 0 } else { geometry.lane_log2 };
        let inst = MInst::new(op as u16, geometry.size).with_regs(regs);
        cx.emit(inst.with_aux(lane).with_imm(imm));
        if let Some(dst) = moved_back {
            cx.emit(rr(Op::FmovToInt, general_bytes(result_bits), dst, regs[0]));
        }
        Ok(())
    }

    /// The register of an operand that is read, and in `moves` what brings it there.
    fn operand<C: LowerCtx>(
        &self,
        cx: &mut C,
        row: &Row,
        slot: usize,
        (arg, ty): (Operand, Type),
        moves: &mut Vec<MInst>,
    ) -> Reg {
        let bits = int_bits(cx, ty);
        let wants_vector = row.operands[slot].is_some_and(|operand| operand.kind.is_vector());
        match (bits, wants_vector) {
            (0, _) => cx.use_reg(arg, 0),
            (_, false) => super::use_int(cx, arg, 0),
            (bits, true) => {
                let general = super::use_int(cx, arg, 0);
                let vector = cx.temp(RegClass::Float);
                moves.push(rr(Op::FmovFromInt, general_bytes(bits), vector, general));
                vector
            }
        }
    }

    /// One lane of the second vector is brought to all lanes.
    fn by_lane<C: LowerCtx>(&self, cx: &mut C, op: Op) -> Result<(), CodegenError> {
        let (lane, args) = self.last_constant()?;
        let geometry = self
            .geometry(cx, self.result_type()?)
            .ok_or_else(|| self.refuse("of these types"))?;
        let left = cx.use_reg(args[0], 0);
        let right = cx.use_reg(args[1], 0);
        let all = cx.temp(RegClass::Float);
        let dst = cx.def(result(&self.data), 0);
        let dup = rr(Op::DupLane, VECTOR_BYTES, all, right).with_aux(geometry.lane_log2);
        cx.emit(dup.with_imm(lane));
        cx.emit(rrr(op, geometry.size, dst, left, all).with_aux(geometry.lane_log2));
        Ok(())
    }

    /// One instruction whose result in a vector register has twice the width of a lane.
    fn wide_over_all<C: LowerCtx>(&self, cx: &mut C, of_all: Op, of_pair: Op) -> Result<(), CodegenError> {
        let refused = || self.refuse("of these types");
        let geometry = self.geometry(cx, self.params[0]).ok_or_else(refused)?;
        let bits = int_bits(cx, self.result_type()?);
        let op = if geometry.size >> geometry.lane_log2 == 2 {
            of_pair
        } else {
            of_all
        };
        let is_known = ROWS[op as usize].has_lanes(geometry.size, geometry.lane_log2);
        if !is_known || bits < 16 << geometry.lane_log2 {
            return Err(refused());
        }
        let src = cx.use_reg(self.args[0], 0);
        let computed = cx.temp(RegClass::Float);
        let dst = cx.def(result(&self.data), 0);
        cx.emit(rr(op, geometry.size, computed, src).with_aux(geometry.lane_log2));
        cx.emit(rr(Op::FmovToInt, general_bytes(bits), dst, computed));
        Ok(())
    }

    /// The sum of floats, by pairs of neighbors.
    fn sum<C: LowerCtx>(&self, cx: &mut C) -> Result<(), CodegenError> {
        let refused = || self.refuse("of these types");
        let mut geometry = self.geometry(cx, self.params[0]).ok_or_else(refused)?;
        if geometry.lane_log2 < 2 || !matches!(geometry.size, 8 | 16) {
            return Err(refused());
        }
        let mut src = cx.use_reg(self.args[0], 0);
        let work = cx.temp(RegClass::Float);
        let dst = cx.def(result(&self.data), 0);
        if geometry.size >> geometry.lane_log2 == 4 {
            cx.emit(rrr(Op::FaddpV, geometry.size, work, src, src).with_aux(geometry.lane_log2));
            src = work;
            geometry.size = 8;
        }
        cx.emit(rr(Op::FaddpS, geometry.size, dst, src).with_aux(geometry.lane_log2));
        Ok(())
    }
}

/// Bytes of the register, or the part of one, that holds an integer of so many bits.
fn general_bytes(bits: u32) -> u8 {
    if bits > 32 { 8 } else { 4 }
}

/// How many registers of the list an instruction has.
fn list_len(op: Op) -> u8 {
    match ROWS[op as usize].code.form {
        crate::ops::Form::Vector(form) => VectorForm::list_len(form),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_types() {
        for (name, rest) in [
            ("neon.sqadd.v16i8", "neon.sqadd"),
            ("neon.bfdot.v4f32.v8bf16", "neon.bfdot"),
            ("neon.ld2lane.v8i8.p0", "neon.ld2lane"),
            ("neon.vcmla.rot90.v4f32", "neon.vcmla.rot90"),
            ("neon.fcvtzs.i32.f64", "neon.fcvtzs"),
            ("crypto.sha1c", "crypto.sha1c"),
            ("neon.ld1x2.v1i64.p0", "neon.ld1x2"),
        ] {
            assert_eq!(without_types(name), rest);
        }
    }

    #[test]
    fn system_registers_have_the_numbers_of_their_fields() {
        assert_eq!(
            table::system_register(3, 13, 0, 2),
            super::super::frames::THREAD_POINTER
        );
    }
}
