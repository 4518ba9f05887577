//! Calls of a target's intrinsics whose instructions take vectors as wide as they are, and of texts of assembly:
//! operands that are several values are joined for the call, and its result is taken apart.
//!
//! ```text
//! v9 = call <16 x f32> @scale(<16 x f32> v0, <16 x f32> v1, <16 x i1> v2)
//! ```
//! becomes, where registers that are computed with have 16 bytes,
//! ```text
//! v20 = shuffle ... v10, v11, v12, v13            the same for v1
//! v22 = bitcast <16 x i1> v2 to i16
//! v23 = call <16 x f32> @scale(<16 x f32> v20, <16 x f32> v21, i16 v22)
//! v24, v25, v26, v27 = shuffle ... v23
//! ```
//! Masks are integers of their bits in the call, operands and results alike: such instructions have registers of their
//! own for them. An integer that a mask is cast from, or that it was in a call, is taken as it is.

use super::layout::Layout;
use super::mask_bits::is_mask;
use super::rebuild::{Rebuild, Source, Span};
use crate::error::CodegenError;
use frazil_ir::masked::Masked;
use frazil_ir::{ConstView, EntityRef, InstData, Opcode, Operand, Param, Refusal, Signature, Type, TypeData, Value};

/// Bits of the widest registers.
const MOST_BITS: u64 = 512;

impl Rebuild<'_> {
    /// Whether a call takes or gives masks.
    pub fn has_masks(&self, data: &InstData) -> bool {
        let signature = self.old.sig(self.old.call(data).sig);
        let is_mask = |param: &Param| self.is_mask(param.ty);
        signature.params.iter().chain(&signature.returns).any(is_mask)
    }

    fn is_mask(&self, ty: Type) -> bool {
        is_mask(self.old, ty)
    }

    /// Whether the vector that a call loads or stores fills a register, or the half of one if its lanes lie side by
    /// side in memory, its lanes are of 8, 16, 32 or 64 bits, and addresses of lanes fit into a register, too.
    pub fn fills_register(&self, data: &InstData, masked: Masked) -> bool {
        let signature = self.old.sig(self.old.call(data).sig);
        let Some(param) = signature.returns.first().or(signature.params.first()) else {
            return false;
        };
        let layout = self.layouts.get(param.ty);
        let bits = self.old.types().bits(layout.element, self.pointer_bits);
        let is_far = |param: &Param| {
            let ty = self.old.types().scalar(param.ty);
            matches!(self.old.types().data(ty), TypeData::Ptr(_)) && ty != Type::PTR
        };
        let is_longer = |param: &Param| {
            let layout = self.layouts.get(param.ty);
            let bits = self.old.types().bits(layout.element, self.pointer_bits);
            !layout.is_scalar && u64::from(layout.lanes) * bits > MOST_BITS
        };
        let is_left_out = layout.is_scalar || signature.params.iter().any(|param| is_far(param) || is_longer(param));
        !is_left_out
            && matches!(bits, 8 | 16 | 32 | 64)
            && match u64::from(layout.lanes) * bits {
                64 => bits < 64 && matches!(masked, Masked::Load | Masked::Store),
                total => matches!(total, 128 | 256 | MOST_BITS),
            }
    }

    /// Does a call with joined operands.
    ///
    /// # Errors
    /// Types that no register holds.
    pub fn whole(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let call = self.old.call(data);
        let (args, signature) = (call.args.to_vec(), self.old.sig(call.sig).clone());
        let mut words = vec![Operand::raw(args.len() as u32), Operand::ZERO];
        let mut params = Vec::with_capacity(args.len());
        for (&arg, param) in args.iter().zip(&signature.params) {
            let (operand, ty) = self.whole_operand(arg, param.ty)?;
            words.push(operand);
            params.push(retyped(param, ty));
        }
        let mut returns = Vec::with_capacity(signature.returns.len());
        for param in &signature.returns {
            let ty = self.whole_type(param.ty)?;
            returns.push(retyped(param, ty));
        }
        let types: Vec<Type> = returns.iter().map(|param| param.ty).collect();
        let sig = self.new.push_sig(Signature {
            params,
            returns,
            ..signature
        });
        words[1] = Operand::raw(sig.as_u32());
        let start = self.new.push_pool(&words);
        let call = InstData::new(Opcode::Call, data.ty, data.flags, data.a, Operand::raw(start));
        let Some(first) = self.new.push_inst_results(call, &types) else {
            return Ok(());
        };
        let olds: Vec<Value> = self.old.results(data).collect();
        for (index, old) in olds.into_iter().enumerate() {
            let given = Operand::value(Value::new(first.index() + index));
            let span = self.whole_result(old, given)?;
            self.define(old, span)?;
        }
        Ok(())
    }

    /// What the call takes for an operand of the old function, and its type.
    fn whole_operand(&mut self, operand: Operand, ty: Type) -> Result<(Operand, Type), CodegenError> {
        let whole = self.whole_type(ty)?;
        if self.is_mask(ty) {
            return Ok((self.bits_of_mask(operand, whole)?, whole));
        }
        let Source { span, layout } = self.source(operand)?;
        if layout.is_scalar || layout.is_whole() {
            return Ok((self.part(span, 0), whole));
        }
        let pieces = self.operands(span).to_vec();
        let joined = self.join_pieces(layout.element, layout.chunk, &pieces, layout.count())?;
        Ok((joined, whole))
    }

    /// The type of an operand or a result in the call.
    fn whole_type(&mut self, ty: Type) -> Result<Type, CodegenError> {
        match self.old.types().data(ty) {
            TypeData::Vector {
                element: Type::I1,
                lanes,
            } => self.integer(lanes),
            TypeData::Vector { .. } if !self.is_joinable(self.layouts.get(ty)) => Err(CodegenError::unsupported(
                Refusal::Vector,
                "an intrinsic on vectors that no register holds",
            )),
            _ => Ok(ty),
        }
    }

    /// Whether pieces fill a register.
    fn is_joinable(&self, layout: Layout) -> bool {
        let count = layout.count();
        layout.is_whole()
            || !layout.is_scalarised() && count.is_power_of_two() && count <= 4 && count * layout.chunk == layout.lanes
    }

    /// The integer of a mask's bits.
    pub fn bits_of_mask(&mut self, mask: Operand, ty: Type) -> Result<Operand, CodegenError> {
        if let Some(id) = mask.as_const() {
            let unused = i128::BITS - self.new.types().int_bits(ty).unwrap_or(i128::BITS);
            let bits = constant_bits(self.old.constant(id).1) << unused >> unused;
            return Ok(self.new.int_operand(ty, bits));
        }
        if let Some(value) = mask.as_value() {
            if let Some(&bits) = self.bits_of_masks.get(&value) {
                return Ok(bits);
            }
            let cast = self.old.def_inst(value).map(|inst| *self.old.inst(inst));
            if let Some(cast) = cast.filter(|cast| cast.op == Opcode::Bitcast)
                && self
                    .old
                    .operand_type(cast.a)
                    .is_some_and(|from| self.old.types().int_bits(from).is_some())
            {
                return self.single(cast.a);
            }
        }
        let source = self.source(mask)?;
        let words = self.pack(source, 1)?;
        Ok(words[0])
    }

    /// What became of a mask of the old function, from the integer of its bits.
    pub fn mask_of_bits(&mut self, mask: Value, bits: Operand) -> Result<Span, CodegenError> {
        self.bits_of_masks.insert(mask, bits);
        self.unpack(self.layout_of(mask), 1, &[bits])
    }

    /// Does a bitwise operation on masks as one on integers, if both are known as such; `false` if it is another.
    ///
    /// # Errors
    /// As [`Rebuild::define`].
    pub fn combine_bits(&mut self, data: &InstData) -> Result<bool, CodegenError> {
        if !matches!(data.op, Opcode::And | Opcode::Or | Opcode::Xor) || !self.is_mask(data.ty) {
            return Ok(false);
        }
        let TypeData::Vector { lanes, .. } = self.old.types().data(data.ty) else {
            return Ok(false);
        };
        let int = self.integer(lanes)?;
        let of = |operand: Operand| match operand.as_value() {
            Some(mask) => self.bits_of_masks.contains_key(&mask),
            None => operand.as_const().is_some(),
        };
        if !of(data.a) || !of(data.b) {
            return Ok(false);
        }
        let (a, b) = (self.bits_of_mask(data.a, int)?, self.bits_of_mask(data.b, int)?);
        let a = self.typed(a, int);
        let bits = self.binary(data.op, int, a, b);
        let result = data.first_result().expect("an operation has a result");
        let span = self.mask_of_bits(result, bits)?;
        self.define(result, span)?;
        Ok(true)
    }

    /// A cast of a mask to the integer that it was in a call; `false` if it is another cast.
    ///
    /// # Errors
    /// As [`Rebuild::define`].
    pub fn cast_back(&mut self, data: &InstData) -> Result<bool, CodegenError> {
        if data.op != Opcode::Bitcast || self.old.types().int_bits(data.ty).is_none() {
            return Ok(false);
        }
        let bits = data.a.as_value().and_then(|mask| self.bits_of_masks.get(&mask));
        let (Some(&bits), Some(result)) = (bits, data.first_result()) else {
            return Ok(false);
        };
        let span = self.span(&[bits]);
        self.define(result, span)?;
        Ok(true)
    }

    /// What became of a result of the old function, from what the call gives.
    fn whole_result(&mut self, old: Value, given: Operand) -> Result<Span, CodegenError> {
        if self.is_mask(self.old.value(old).ty) {
            return self.mask_of_bits(old, given);
        }
        let layout = self.layout_of(old);
        if layout.is_whole() {
            return Ok(self.span(&[given]));
        }
        let mut pieces = Vec::new();
        let whole = (layout.element, layout.lanes);
        self.split_pieces(given, whole, (layout.chunk, layout.count()), &mut pieces)?;
        Ok(self.span(&pieces))
    }
}

/// A parameter or result of another type; nothing else that is said of it holds then.
fn retyped(param: &Param, ty: Type) -> Param {
    match ty == param.ty {
        true => *param,
        false => Param::plain(ty),
    }
}

/// The bits of a constant mask; what is undefined is zero.
fn constant_bits(view: ConstView<'_>) -> i128 {
    match view {
        ConstView::Vector(lanes) => lanes.iter().enumerate().fold(0, |bits, (index, lane)| {
            let is_set = lane.as_imm().is_some_and(|imm| imm & 1 != 0);
            bits | i128::from(is_set) << index
        }),
        _ => 0,
    }
}
