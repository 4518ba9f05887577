//! Operations that a target lacks, done by other operations on vectors that it has, before the last resort of going
//! lane by lane: dispatch, what the rewrites share, and conversions.
//!
//! ```text
//! v2 = fshl <4 x i32> v0, v0, [7, 7, 7, 7]
//! ```
//! becomes
//! ```text
//! v3 = shl <4 x i32> v0, [7, 7, 7, 7]
//! v4 = lshr <4 x i32> v0, [25, 25, 25, 25]
//! v2 = or <4 x i32> v3, v4
//! ```
//! A rewrite [computes](Expander::compute) with operations that may be rewritten again; it gives up before its first
//! instruction if what makes it worth while is missing. Here: between floats and integers of less than 32 bits, by
//! integers of 32 bits, which hold all of them (what does not fit the narrow ones is poison anyway). Others are in
//! [`super::rotate`], [`super::bits`], [`super::saturate`] and [`super::halving`].

use super::expand::Expander;
use crate::error::CodegenError;
use frazil_ir::typing::is_reduction;
use frazil_ir::{ConstKind, InstData, Opcode, Operand, Results, Type, TypeData};

/// What a rewrite ends with: the only result of the operation, or nothing if it did nothing.
pub(super) type Rewritten = Result<Option<Operand>, CodegenError>;

impl Expander<'_> {
    /// Replaces an operation by others.
    pub fn rewrite(&mut self, data: &InstData) -> Rewritten {
        match data.op {
            Opcode::UsubSat | Opcode::UaddSat | Opcode::SsubSat | Opcode::SaddSat => self.saturating(data),
            Opcode::Scmp | Opcode::Ucmp => self.three_way(data),
            Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax => self.mask_min_max(data),
            Opcode::Fshl | Opcode::Fshr => self.funnel_shift(data),
            Opcode::Ctlz | Opcode::Cttz | Opcode::Bitreverse => self.bits(data),
            Opcode::Sitofp | Opcode::Uitofp => self.widened_first(data),
            Opcode::Fptosi | Opcode::Fptoui => self.narrowed_after(data),
            op if is_reduction(op) => self.halve(data),
            _ => Ok(None),
        }
    }

    /// An operation with one result, which becomes others if the target lacks it and it has a rewrite.
    pub fn compute(&mut self, op: Opcode, ty: Type, a: Operand, b: Operand) -> Result<Operand, CodegenError> {
        let data = InstData::new(op, ty, 0, a, b);
        let has = self.has(&data);
        if !has && let Some(result) = self.rewrite(&data)? {
            return Ok(result);
        }
        let result = match (op.results(), self.function.types().data(ty)) {
            (Results::Bool, TypeData::Vector { lanes, .. }) => self.vector(Type::I1, lanes)?,
            _ => ty,
        };
        match has {
            true => Ok(self.emit(op, ty, 0, a, b, result)),
            false => self.by_lane(&data, result),
        }
    }

    /// `mask ? on_true : on_false`, lane by lane.
    pub fn choose(&mut self, ty: Type, mask: Operand, on_true: Operand, on_false: Operand) -> Operand {
        let rest = self.function.push_pool(&[on_true, on_false]);
        self.emit(Opcode::Select, ty, 0, mask, Operand::raw(rest), ty)
    }

    /// A vector with this number in all lanes, which are integers of at most 64 bits.
    pub fn splat(&mut self, ty: Type, value: i64) -> Operand {
        let TypeData::Vector { element, lanes } = self.function.types().data(ty) else {
            return Operand::ZERO;
        };
        let bits = self.function.types().int_bits(element).unwrap_or(64);
        let value = value << (64 - bits) >> (64 - bits);
        let lane = Operand::imm(value).unwrap_or_else(|| {
            let words = [value.cast_unsigned(), (value >> 63).cast_unsigned()];
            Operand::constant(self.function.push_int(element, &words))
        });
        let lanes = vec![lane; lanes as usize];
        Operand::constant(self.function.push_vector_const(ty, &lanes))
    }

    /// Bits of the integers in a vector of this type; `None` if they are none, truth values, or too wide for registers.
    pub fn integer_bits(&self, ty: Type) -> Option<u32> {
        let TypeData::Vector { element, .. } = self.function.types().data(ty) else {
            return None;
        };
        let bits = self.function.types().int_bits(element)?;
        matches!(bits, 8 | 16 | 32 | 64).then_some(bits)
    }

    /// The vector of 32-bit integers with as many lanes as one of narrower integers.
    fn wider(&mut self, narrow: Type) -> Result<Option<Type>, CodegenError> {
        let TypeData::Vector { element, lanes } = self.function.types().data(narrow) else {
            return Ok(None);
        };
        match self.function.types().int_bits(element) {
            Some(2..32) => self.vector(Type::I32, lanes).map(Some),
            _ => Ok(None),
        }
    }

    fn widened_first(&mut self, data: &InstData) -> Rewritten {
        let from = self.function.operand_type(data.a);
        let Some(wide) = from.map(|ty| self.wider(ty)).transpose()?.flatten() else {
            return Ok(None);
        };
        let extend = if data.op == Opcode::Sitofp {
            Opcode::Sext
        } else {
            Opcode::Zext
        };
        let value = self.editor.resolve(data.a);
        let widening = InstData::new(extend, wide, 0, value, Operand::NONE);
        // The operand only has to have the type.
        let any = self.plain(ConstKind::Zero, wide);
        let conversion = InstData::new(Opcode::Sitofp, data.ty, 0, any, Operand::NONE);
        if !self.has(&widening) || !self.has(&conversion) {
            return Ok(None);
        }
        let widened = self.compute(extend, wide, value, Operand::NONE)?;
        self.compute(Opcode::Sitofp, data.ty, widened, Operand::NONE).map(Some)
    }

    fn narrowed_after(&mut self, data: &InstData) -> Rewritten {
        let Some(wide) = self.wider(data.ty)? else {
            return Ok(None);
        };
        let value = self.editor.resolve(data.a);
        let any = self.plain(ConstKind::Zero, wide);
        let conversion = InstData::new(Opcode::Fptosi, wide, 0, value, Operand::NONE);
        let narrowing = InstData::new(Opcode::Trunc, data.ty, 0, any, Operand::NONE);
        if !self.has(&conversion) || !self.has(&narrowing) {
            return Ok(None);
        }
        let converted = self.compute(Opcode::Fptosi, wide, value, Operand::NONE)?;
        self.compute(Opcode::Trunc, data.ty, converted, Operand::NONE).map(Some)
    }
}
