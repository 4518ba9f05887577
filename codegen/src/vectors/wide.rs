//! Instructions that have to do with types that are computed wide ([`width`](super::width)): which of them are done as
//! they are, and how vectors are taken apart and put together for the others.

use super::mask_bits::is_mask;
use super::rebuild::{Rebuild, Span};
use super::width::{each_type, is_neutral};
use crate::error::CodegenError;
use frazil_ir::{Inst, InstData, Opcode, Operand, Type, TypeData, Value};

impl Rebuild<'_> {
    /// Whether an instruction has to do with a type that is computed wide.
    pub fn concerns_wide(&self, data: &InstData) -> bool {
        if !self.layouts.has_wide() {
            return false;
        }
        let mut found = false;
        each_type(self.old, data, |ty| found |= self.layouts.is_wide(ty));
        found
    }

    /// Whether an instruction, for which the target has one or not, is done on wide values as they are, perhaps with
    /// the comparison that it takes its mask from ([`Rebuild::taken_comparison`]).
    pub fn is_done_wide(&self, data: &InstData, has_operation: bool, compare: Option<&InstData>) -> bool {
        // A comparison for its own sake would need a register for its mask.
        if is_neutral(data) || !has_operation || is_comparison(data) {
            return is_neutral(data);
        }
        // What its mask is compared from may be taken apart, and then is no comparison that it takes.
        if compare.is_none() && data.op == Opcode::Select && self.has_mask(data) {
            return false;
        }
        let mut is_whole = true;
        let mut note = |ty: Type| is_whole &= self.layouts.real(ty).is_whole();
        match compare {
            // Its mask is of no interest: see `on_comparison`.
            Some(compare) => [data.ty, compare.ty].into_iter().for_each(note),
            None => each_type(self.old, data, &mut note),
        }
        is_whole
    }

    /// The comparison of wide values whose mask a select or an extension takes.
    pub fn taken_comparison(&self, data: &InstData) -> Option<(Inst, InstData)> {
        if !matches!(data.op, Opcode::Select | Opcode::Sext) {
            return None;
        }
        let inst = self.old.def_inst(data.a.as_value()?)?;
        let compare = *self.old.inst(inst);
        (is_comparison(&compare) && self.layouts.is_wide(compare.ty)).then_some((inst, compare))
    }

    /// A select or an extension that is done on wide values as they are: together with the comparison that it takes its
    /// mask from, for which there is no register, and which therefore is done again right before it, for it alone.
    pub fn on_comparison(&mut self, data: &InstData, compare: &InstData) -> Result<(), CodegenError> {
        let layout = self.layouts.real(data.ty);
        let truth = self.vector(Type::I1, layout.lanes)?;
        let (left, right) = (self.single(compare.a)?, self.single(compare.b)?);
        let mask = self.emit(compare.op, compare.ty, compare.flags, [left, right], truth);
        self.take_mask(data, mask)
    }

    /// A select or an extension of wide values as they are, which takes this mask.
    fn take_mask(&mut self, data: &InstData, mask: Operand) -> Result<(), CodegenError> {
        let made = if data.op == Opcode::Select {
            let (if_true, if_false) = self.old.ternary(data);
            let (if_true, if_false) = (self.single(if_true)?, self.single(if_false)?);
            self.ternary(Opcode::Select, data.ty, data.flags, [mask, if_true, if_false])
        } else {
            self.unary(data.op, data.ty, mask)
        };
        self.define_single(data, made)
    }

    /// Whether a comparison, a select or an extension of a mask is done on wide values as they are, with masks as bits.
    pub fn is_done_by_bits(&self, data: &InstData) -> bool {
        (takes_mask(data) && self.has_mask(data) || is_comparison(data)) && self.layouts.is_wide(data.ty)
    }

    /// Whether the first operand is a vector of truth values.
    fn has_mask(&self, data: &InstData) -> bool {
        self.old.operand_type(data.a).is_some_and(|ty| is_mask(self.old, ty))
    }

    /// The comparison whose mask a select or an extension takes where masks are bits: of wide values, or of integers in
    /// one register, if `compares` says that the target has instructions for it.
    pub fn comparison_to_bits(
        &self,
        data: &InstData,
        compares: impl Fn(&InstData) -> bool,
    ) -> Option<(Inst, InstData)> {
        if !takes_mask(data) {
            return None;
        }
        let inst = self.old.def_inst(data.a.as_value()?)?;
        let compare = *self.old.inst(inst);
        let layout = self.layouts.real(compare.ty);
        let is_short = compare.op.is_icmp() && layout.is_whole() && !layout.is_scalarised();
        let is_of_vectors = is_short && matches!(self.old.types().data(compare.ty), TypeData::Vector { .. });
        let is_taken = is_comparison(&compare) && (self.layouts.is_wide(compare.ty) || is_of_vectors);
        (is_taken && compares(&compare)).then_some((inst, compare))
    }

    /// A select on wide values, or an extension to such, where masks are bits: together with the
    /// [comparison](Rebuild::comparison_to_bits) that its mask comes from; any other mask is cast from its bits right
    /// before.
    ///
    /// # Errors
    /// As [`Rebuild::define`].
    pub fn take_bits(&mut self, data: &InstData, compares: impl Fn(&InstData) -> bool) -> Result<(), CodegenError> {
        let layout = self.layouts.real(data.ty);
        let truth = self.vector(Type::I1, layout.lanes)?;
        let mask = match self.comparison_to_bits(data, compares).map(|taken| taken.1) {
            Some(compare) => {
                let (left, right) = (self.single(compare.a)?, self.single(compare.b)?);
                self.emit(compare.op, compare.ty, compare.flags, [left, right], truth)
            }
            None => {
                let int = self.integer(layout.lanes)?;
                let bits = self.bits_of_mask(data.a, int)?;
                let bits = self.typed(bits, int);
                self.unary(Opcode::Bitcast, truth, bits)
            }
        };
        self.take_mask(data, mask)
    }

    /// A comparison of wide values for its own sake: its mask as the bits of an integer.
    ///
    /// # Errors
    /// As [`Rebuild::define`].
    pub fn compare_to_bits(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let lanes = self.layouts.real(data.ty).lanes;
        let (truth, int) = (self.vector(Type::I1, lanes)?, self.integer(lanes)?);
        let (left, right) = (self.single(data.a)?, self.single(data.b)?);
        let mask = self.emit(data.op, data.ty, data.flags, [left, right], truth);
        let bits = self.unary(Opcode::Bitcast, int, mask);
        let result = data.first_result().expect("a comparison has a result");
        let span = self.mask_of_bits(result, bits)?;
        self.define(result, span)
    }

    /// The vectors that a wide one is taken apart into.
    pub fn take_apart(&mut self, whole: Operand, ty: Type) -> Result<Span, CodegenError> {
        let layout = self.layouts.narrow(ty);
        let mut pieces = Vec::new();
        let (all, count) = ((layout.element, layout.lanes), (layout.chunk, layout.count()));
        self.split_pieces(whole, all, count, &mut pieces)?;
        Ok(self.span(&pieces))
    }

    /// What a value is in the new function, of the vectors that it was computed in.
    pub fn put_together(&mut self, value: Value, span: Span) -> Result<Span, CodegenError> {
        let layout = self.layouts.narrow(self.old.value(value).ty);
        let pieces = self.operands(span).to_vec();
        let whole = self.join_pieces(layout.element, layout.chunk, &pieces, layout.count())?;
        Ok(self.span(&[whole]))
    }
}

/// Whether an instruction may take a mask.
fn takes_mask(data: &InstData) -> bool {
    matches!(data.op, Opcode::Select | Opcode::Sext | Opcode::Zext)
}

/// Whether an instruction compares its operands.
fn is_comparison(data: &InstData) -> bool {
    data.op.is_icmp() || data.op.is_fcmp()
}
