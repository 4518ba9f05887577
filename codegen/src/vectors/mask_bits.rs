//! Masks as the bits of integers, in the first stage of legalisation where the target has them so
//! ([`Isa::masks_are_bits`](crate::isa::Isa::masks_are_bits)): what combines masks is done on integers.
//!
//! ```text
//! v2 = icmp_sgt <8 x i32> v0, v1
//! v4 = and <8 x i1> v2, v3              (v3 another mask)
//! v6 = select <8 x i32> v4, v0, v5
//! ```
//! becomes
//! ```text
//! v7 = icmp_sgt <8 x i32> v0, v1
//! v8 = bitcast <8 x i1> v7 to i8
//! v9 = and i8 v8, v3                    (v3 an integer)
//! v10 = bitcast i8 v9 to <8 x i1>
//! v6 = select <8 x i32> v10, v0, v5
//! ```
//! An integer is made where something combines the mask that a comparison gives, passes it to a phi, or names it before
//! it is defined, or where an intrinsic is given it; whatever else takes such a mask takes the comparison's. A value of
//! the new function that stands for a mask is therefore an integer or, if it is known that nothing wants one, the mask
//! itself. What is not listed in [`Rebuild::on_bits`] gets masks that are cast back right before it, and its own are
//! cast right after it.
//!
//! Masks of long vectors are one integer for each piece. Which types of masks are taken is decided by
//! [`promote`](super::promote).

use super::layout::Layout;
use super::rebuild::{Rebuild, Span};
use crate::error::CodegenError;
use frazil_ir::{EntityRef, Function, InstData, Opcode, Operand, Type, TypeData, Value};

/// Whether a type is that of masks.
pub(super) fn is_mask(function: &Function, ty: Type) -> bool {
    matches!(function.types().data(ty), TypeData::Vector { element: Type::I1, .. })
}

/// Whether an instruction has masks as operands that it takes as integers.
fn combines(function: &Function, data: &InstData) -> bool {
    match data.op {
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Copy | Opcode::Freeze | Opcode::Phi | Opcode::Select => {
            is_mask(function, data.ty)
        }
        // Intrinsics take them so.
        Opcode::Call => true,
        Opcode::Bitcast | Opcode::ExtractElement | Opcode::IcmpEq | Opcode::IcmpNe => {
            function.operand_type(data.a).is_some_and(|ty| is_mask(function, ty))
        }
        _ => false,
    }
}

/// By value, whether an integer of its bits is wanted: something combines it, or names it before it is defined.
pub(super) fn wanted(function: &Function) -> Vec<bool> {
    let mut wanted = vec![false; function.values().len()];
    for (index, data) in function.insts().iter().enumerate() {
        let is_combined = combines(function, data);
        function.for_each_operand(data, |operand| {
            let Some(value) = operand.as_value() else { return };
            let is_before = || function.def_inst(value).is_some_and(|inst| inst.index() >= index);
            if is_mask(function, function.value(value).ty) && (is_combined || is_before()) {
                wanted[value.index()] = true;
            }
        });
    }
    wanted
}

impl Rebuild<'_> {
    /// Does an instruction with masks that are integers; `false` if it wants them as such.
    ///
    /// # Errors
    /// As [`Rebuild::define`].
    pub fn on_bits(&mut self, data: &InstData) -> Result<bool, CodegenError> {
        match data.op {
            op if op.is_icmp() || op.is_fcmp() => self.compare_with_bits(data),
            Opcode::Select if self.layouts.is_promoted(data.ty) => self.select_bits(data).map(|()| true),
            Opcode::And | Opcode::Or | Opcode::Xor if self.layouts.is_promoted(data.ty) => {
                let (left, right) = (self.bits_of(data.a)?, self.bits_of(data.b)?);
                self.each_piece(data, [left, right], |rebuild, ty, [a, b]| {
                    rebuild.combined(data.op, ty, a, b)
                })
                .map(|()| true)
            }
            Opcode::Copy | Opcode::Freeze if self.layouts.is_promoted(data.ty) => {
                let bits = self.bits_of(data.a)?;
                self.each_piece(data, [bits], |rebuild, ty, [bits]| {
                    let bits = rebuild.typed(bits, ty);
                    rebuild.unary(data.op, ty, bits)
                })
                .map(|()| true)
            }
            Opcode::Bitcast => self.cast_bits(data),
            Opcode::ExtractElement => self.extract_bit(data),
            _ => Ok(false),
        }
    }

    /// The integers of a mask, one for each of its pieces.
    fn bits_of(&mut self, mask: Operand) -> Result<Span, CodegenError> {
        let span = self.source(mask)?.span;
        let is_piece = |part: &Operand| self.new.operand_type(*part).is_some_and(|ty| is_mask(&self.new, ty));
        if !self.operands(span).iter().any(is_piece) {
            return Ok(span);
        }
        let layout = self.layouts.real(self.old.operand_type(mask).unwrap_or(Type::I1));
        self.cast_pieces(span, layout)
    }

    /// Integers of pieces of a mask.
    fn cast_pieces(&mut self, span: Span, layout: Layout) -> Result<Span, CodegenError> {
        let mut bits = Vec::new();
        for part in 0..layout.count() {
            let (mask, ty) = (self.part(span, part), self.part_type(layout, part)?);
            bits.push(self.unary(Opcode::Bitcast, ty, mask));
        }
        Ok(self.span(&bits))
    }

    /// Masks as what stands for them, for [`Rebuild::define`].
    pub fn bits_of_pieces(&mut self, span: Span, ty: Type) -> Result<Span, CodegenError> {
        self.cast_pieces(span, self.layouts.real(ty))
    }

    /// What stands for masks, as such.
    pub fn pieces_of_bits(&mut self, span: Span, ty: Type) -> Result<Span, CodegenError> {
        let (real, narrow) = (self.layouts.real(ty), self.layouts.narrow(ty));
        let mut masks = Vec::new();
        for part in 0..real.count() {
            let bits = self.part(span, part);
            let known = bits.as_value().and_then(|value| self.masks_of_bits.get(&value));
            if let Some(&mask) = known.filter(|_| !self.takes_bits) {
                masks.push(mask);
                continue;
            }
            if self.new.operand_type(bits).is_some_and(|ty| is_mask(&self.new, ty)) {
                masks.push(bits);
                continue;
            }
            let int = self.part_type(real, part)?;
            let (bits, truth) = (self.typed(bits, int), self.part_type(narrow, part)?);
            masks.push(self.unary(Opcode::Bitcast, truth, bits));
        }
        Ok(self.span(&masks))
    }

    /// A piece of a constant mask as an integer; what is undefined is zero.
    pub fn constant_bits_of_mask(
        &mut self,
        operand: Operand,
        layout: Layout,
        part: u32,
    ) -> Result<Operand, CodegenError> {
        let (first, lanes) = (part * layout.chunk, layout.lanes_of(part));
        let mut bits = 0u128;
        for lane in 0..lanes {
            let bit = self.constant_lane(operand, Type::I1, first + lane);
            let is_set = super::lane_bits(&self.new, bit).is_some_and(|bits| bits & 1 != 0);
            bits |= u128::from(is_set) << lane;
        }
        let unused = u128::BITS - lanes;
        let ty = self.integer(lanes)?;
        Ok(self.new.int_operand(ty, bits.cast_signed() << unused >> unused))
    }

    /// Defines the result of an instruction by what `make` makes for each of its pieces, of type and operands.
    fn each_piece<const N: usize>(
        &mut self,
        data: &InstData,
        operands: [Span; N],
        mut make: impl FnMut(&mut Self, Type, [Operand; N]) -> Operand,
    ) -> Result<(), CodegenError> {
        let result = data.first_result().expect("what combines masks has a result");
        let layout = self.layout_of(result);
        let mut made = Vec::new();
        for part in 0..layout.count() {
            let ty = self.part_type(layout, part)?;
            let operands = operands.map(|span| self.part(span, part));
            made.push(make(self, ty, operands));
        }
        let span = self.span(&made);
        self.define(result, span)
    }

    /// A choice between masks: by one truth value, or bit by bit.
    fn select_bits(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let (if_true, if_false) = self.old.ternary(data);
        let arms = [self.bits_of(if_true)?, self.bits_of(if_false)?];
        let is_by_mask = self.old.operand_type(data.a).is_some_and(|ty| is_mask(self.old, ty));
        if !is_by_mask {
            let condition = self.single(data.a)?;
            return self.each_piece(data, arms, |rebuild, ty, [if_true, if_false]| {
                let (if_true, if_false) = (rebuild.typed(if_true, ty), rebuild.typed(if_false, ty));
                rebuild.ternary(Opcode::Select, ty, data.flags, [condition, if_true, if_false])
            });
        }
        let mask = self.bits_of(data.a)?;
        let [if_true, if_false] = arms;
        self.each_piece(
            data,
            [mask, if_true, if_false],
            |rebuild, ty, [mask, if_true, if_false]| {
                let ones = rebuild.new.int_operand(ty, -1);
                match (rebuild.known(if_true), rebuild.known(if_false)) {
                    (_, Some(0)) => rebuild.combined(Opcode::And, ty, mask, if_true),
                    (Some(-1), _) => rebuild.combined(Opcode::Or, ty, mask, if_false),
                    (if_true_known, _) => {
                        let inverted = rebuild.combined(Opcode::Xor, ty, mask, ones);
                        let others = rebuild.combined(Opcode::And, ty, inverted, if_false);
                        if if_true_known == Some(0) {
                            return others;
                        }
                        let chosen = rebuild.combined(Opcode::And, ty, mask, if_true);
                        rebuild.binary(Opcode::Or, ty, chosen, others)
                    }
                }
            },
        )
    }

    /// A bitwise operation; a number comes second.
    fn combined(&mut self, op: Opcode, ty: Type, a: Operand, b: Operand) -> Operand {
        let (a, b) = match a.as_imm() {
            Some(_) => (b, a),
            None => (a, b),
        };
        let a = self.typed(a, ty);
        self.binary(op, ty, a, b)
    }

    /// The number that an operand of the new function is, sign-extended.
    fn known(&self, operand: Operand) -> Option<i64> {
        operand.as_value().map_or_else(
            || super::lane_bits(&self.new, operand).map(|bits| bits.cast_signed() as i64),
            |_| None,
        )
    }

    /// A comparison that gives or takes masks.
    fn compare_with_bits(&mut self, data: &InstData) -> Result<bool, CodegenError> {
        let result = data.first_result().expect("a comparison has a result");
        if is_mask(self.old, data.ty) {
            return self.compare_bits(data);
        }
        let (left, right) = (self.source(data.a)?, self.source(data.b)?);
        let (of, to) = (left.layout, self.layouts.narrow(self.old.value(result).ty));
        if of.chunk != to.chunk || of.is_promoted {
            return Ok(false);
        }
        let is_wanted = self.wanted_bits[result.index()];
        let mut made = Vec::new();
        for part in 0..to.count() {
            let (ty, truth) = (self.part_type(of, part)?, self.part_type(to, part)?);
            let operands = [self.part(left.span, part), self.part(right.span, part)];
            let mask = self.emit(data.op, ty, data.flags, operands, truth);
            if !is_wanted {
                made.push(mask);
                continue;
            }
            let int = self.integer(to.lanes_of(part))?;
            let bits = self.unary(Opcode::Bitcast, int, mask);
            self.masks_of_bits.extend(bits.as_value().map(|bits| (bits, mask)));
            made.push(bits);
        }
        let span = self.span(&made);
        self.define(result, span)?;
        Ok(true)
    }

    /// A comparison of masks: where they are equal, or where they are not. `false` if it asks for more.
    fn compare_bits(&mut self, data: &InstData) -> Result<bool, CodegenError> {
        if !matches!(data.op, Opcode::IcmpEq | Opcode::IcmpNe) {
            return Ok(false);
        }
        let operands = [self.bits_of(data.a)?, self.bits_of(data.b)?];
        self.each_piece(data, operands, |rebuild, ty, [a, b]| {
            let differing = rebuild.combined(Opcode::Xor, ty, a, b);
            if data.op == Opcode::IcmpNe {
                return differing;
            }
            let ones = rebuild.new.int_operand(ty, -1);
            rebuild.binary(Opcode::Xor, ty, differing, ones)
        })?;
        Ok(true)
    }

    /// A cast between a mask that is one integer and an integer of as many bits; `false` if it is another.
    fn cast_bits(&mut self, data: &InstData) -> Result<bool, CodegenError> {
        let (from, to) = (self.old.operand_type(data.a).unwrap_or(data.ty), data.ty);
        let is_integer = |ty: Type| self.old.types().int_bits(ty).is_some();
        let is_one = |ty: Type| self.layouts.is_promoted(ty) && self.layouts.real(ty).count() == 1;
        let bits = if is_one(from) && is_integer(to) {
            self.bits_of(data.a)?
        } else if is_one(to) && is_integer(from) {
            let bits = self.single(data.a)?;
            let bits = self.typed(bits, from);
            self.span(&[bits])
        } else {
            return Ok(false);
        };
        self.define(data.first_result().expect("a cast has a result"), bits)?;
        Ok(true)
    }

    /// A bit by a constant number; `false` if it is another.
    fn extract_bit(&mut self, data: &InstData) -> Result<bool, CodegenError> {
        let layout = self.layouts.real(self.old.operand_type(data.a).unwrap_or(data.ty));
        let index = data.b.as_imm().and_then(|index| u32::try_from(index).ok());
        let Some(index) = index.filter(|&index| index < layout.lanes) else {
            return Ok(false);
        };
        let span = self.bits_of(data.a)?;
        let (part, bit) = (index / layout.chunk, index % layout.chunk);
        let (ty, bits) = (self.part_type(layout, part)?, self.part(span, part));
        let bits = self.typed(bits, ty);
        let distance = self.new.int_operand(ty, i128::from(bit));
        let shifted = self.binary(Opcode::Lshr, ty, bits, distance);
        let truth = self.unary(Opcode::Trunc, Type::I1, shifted);
        let span = self.span(&[truth]);
        let result: Value = data.first_result().expect("an extraction has a result");
        self.define(result, span)?;
        Ok(true)
    }
}
