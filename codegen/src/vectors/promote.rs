//! The first stage of legalisation where a target computes in wide registers: vectors of more than those hold are cut
//! into wide ones, and masks of wide lanes become vectors of integers.
//!
//! ```text
//! v2 = icmp_ugt <32 x i8> v0, v1        (a mask, for which there is no wide form)
//! v3 = zext <32 x i1> v2 to <32 x i16>
//! ```
//! becomes
//! ```text
//! v4 = icmp_ugt <32 x i8> v0, v1
//! v2 = sext <32 x i8> v4                (all ones or all zeros: one instruction with the comparison)
//! ...                                   (v3 in two vectors of 16 lanes, computed from halves of v2)
//! ```
//! What wants a mask as such, as reductions, casts to integers and accesses to memory do, gets `icmp_slt v2, 0` instead
//! ([`Rebuild::demoted`]), and what makes one is extended ([`Rebuild::promoted`]). A type of masks is promoted if at
//! least half of what makes and takes it has lanes that fill wide registers, and nothing passes it to functions or
//! returns it. Where the target has masks as bits ([`Isa::masks_are_bits`]), it becomes [integers](super::mask_bits)
//! instead.
//!
//! The second stage ([`legalize`](super::legalize)) then decides for each operation on a wide vector whether it is done
//! as it is. Functions that pass vectors which would be cut are left to it alone.

use super::layout::{Layout, Layouts, Promoted, mask_and_other};
use super::mask_bits::is_mask;
use super::rebuild::{Rebuild, Source, Span};
use super::width::{self, is_plain_call};
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::unit::Unit;
use crate::vectors::shape::lane_bits;
use frazil_ir::typing::is_cast;
use frazil_ir::{Format, Function, InstData, Opcode, Operand, Param, Type, TypeData, TypeTable};

/// How often masks of a type belong to lanes that fill no wide register, then to such of 8, 16, 32 and 64 bits.
type Votes = [u32; 5];

/// The integers that lanes of masks can be: votes but for the first.
const INTEGERS: [Type; 4] = [Type::I8, Type::I16, Type::I32, Type::I64];

/// Votes of a call that takes a mask by its bits.
const VOTES_OF_CALL: u32 = 2;

/// Bytes of the shortest vectors that vote for masks as integers.
const LEAST_BYTES: u8 = 32;

/// Lanes of the longest masks that become integers.
const MOST_LANES: u32 = 1024;

/// The layouts of the first stage; `None` if there is nothing to do in it.
pub(super) fn layouts<I: Isa>(isa: &I, unit: &Unit<'_>) -> Option<Layouts> {
    let bytes = width::computed_bytes(isa, unit);
    if bytes == 0 {
        return None;
    }
    let function = unit.function;
    let types = function.types();
    let count = usize::from(Type::FIRST_EXTRA) + types.extra_len();
    let each_type = || (0..count).map(|index| Type::from_index(index as u8));
    let is_long = |ty: Type| fills(types, ty, bytes).is_some_and(|registers| registers > 1);
    let has_vectors_to_cut = each_type().any(is_long);
    let are_bits = isa.masks_are_bits(unit.view.features);
    let least = if are_bits { bytes.min(LEAST_BYTES) } else { bytes };
    let has_wide = each_type().any(|ty| fills(types, ty, least).is_some());
    if !has_wide {
        return None;
    }
    let passed = passed_types(function, count);
    if each_type().any(|ty| passed[ty.index()] && is_long(ty)) {
        return None;
    }
    let mut promoted = promoted_types(function, count, least, are_bits);
    for (promoted, is_passed) in promoted.iter_mut().zip(&passed) {
        *promoted = promoted.filter(|_| !is_passed);
    }
    if !has_vectors_to_cut && promoted.iter().all(Option::is_none) {
        return None;
    }
    Some(Layouts::of_first_stage(function, bytes, promoted, is_long))
}

/// How many wide registers the lanes of a vector fill; `None` if the last is not full or lanes are no powers of two.
fn fills(types: &TypeTable, ty: Type, bytes: u8) -> Option<u32> {
    let TypeData::Vector { element, lanes } = types.data(ty) else {
        return None;
    };
    let lane_bits = lane_bits(types, element).filter(|bits| matches!(bits, 8 | 16 | 32 | 64))?;
    let (bits, register_bits) = (lanes * lane_bits, u32::from(bytes) * 8);
    (bits >= register_bits && bits % register_bits == 0).then_some(bits / register_bits)
}

/// By type, whether functions pass or return it.
fn passed_types(function: &Function, count: usize) -> Vec<bool> {
    let mut passed = vec![false; count];
    let mut note = |params: &[Param]| {
        for param in params {
            passed[param.ty.index()] = true;
        }
    };
    note(&function.signature().params);
    note(&function.signature().returns);
    for data in function.insts() {
        if matches!(data.op.format(), Format::Call | Format::Invoke) && is_plain_call(data) {
            let signature = function.sig(function.call(data).sig);
            note(&signature.params);
            note(&signature.returns);
        }
    }
    passed
}

/// By type, what its masks become.
fn promoted_types(function: &Function, count: usize, bytes: u8, are_bits: bool) -> Vec<Option<Promoted>> {
    let types = function.types();
    let mut votes = vec![Votes::default(); count];
    for data in function.insts() {
        if are_bits && data.op == Opcode::Call && !is_plain_call(data) {
            vote_for_call(function, data, &mut votes);
        }
        let Some((mask, other)) = mask_and_other(function, data) else {
            continue;
        };
        let vote = match fills(types, other, bytes).and(lane_bits(types, types.scalar(other))) {
            Some(bits) => bits.ilog2() as usize - 2,
            None => 0,
        };
        votes[mask.index()][vote] += 1;
    }
    let of_type = |(index, votes): (usize, &Votes)| {
        let TypeData::Vector { element, lanes } = types.data(Type::from_index(index as u8)) else {
            return None;
        };
        let wide: u32 = votes[1..].iter().sum();
        if are_bits {
            let is_taken = element == Type::I1 && lanes <= MOST_LANES && wide > 0 && wide >= votes[0];
            return is_taken.then_some(Promoted::Bits);
        }
        // The narrowest lanes of those with the most votes.
        let best = (0..INTEGERS.len()).rev().max_by_key(|&integer| votes[integer + 1])?;
        let bits = lanes * (8 << best);
        let is_filled = bits % (u32::from(bytes) * 8) == 0;
        (element == Type::I1 && wide > 0 && wide >= votes[0] && is_filled).then_some(Promoted::Lanes(INTEGERS[best]))
    };
    votes.iter().enumerate().map(of_type).collect()
}

/// Notes that a call of an intrinsic takes masks by their bits, which costs more than one instruction otherwise.
fn vote_for_call(function: &Function, data: &InstData, votes: &mut [Votes]) {
    for &arg in function.call(data).args {
        if let Some(ty) = function.operand_type(arg).filter(|&ty| is_mask(function, ty)) {
            votes[ty.index()][1] += VOTES_OF_CALL;
        }
    }
}

impl Rebuild<'_> {
    /// Whether an instruction makes or takes a promoted mask.
    pub fn concerns_promoted(&self, data: &InstData) -> bool {
        let mut found = false;
        if !self.layouts.has_promoted() {
            return false;
        }
        super::width::each_type(self.old, data, |ty| found |= self.layouts.is_promoted(ty));
        found
    }

    /// Does an instruction with promoted masks; `false` if it wants them as such.
    pub fn on_promoted(&mut self, data: &InstData) -> Result<bool, CodegenError> {
        if self.layouts.has_bits() {
            return self.on_bits(data);
        }
        let is_mask = self.layouts.is_promoted(data.ty);
        match data.op {
            op if op.is_icmp() || op.is_fcmp() => self.compare_promoted(data)?,
            Opcode::Select if self.chooses_by_promoted(data) => self.select_promoted(data)?,
            Opcode::Select | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Copy | Opcode::Freeze if is_mask => {
                self.each_lane(data)?;
            }
            Opcode::Zext | Opcode::Sext if !is_mask => self.extend_promoted(data)?,
            Opcode::Shuffle if is_mask && self.old.operand_type(data.a) == Some(data.ty) => {
                self.shuffle_spread(data)?
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn chooses_by_promoted(&self, data: &InstData) -> bool {
        let mask = self.old.operand_type(data.a);
        mask.is_some_and(|ty| self.layouts.is_promoted(ty))
    }

    /// A comparison: for as many lanes at a time as the compared ones have in a register.
    fn compare_promoted(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let result = data.first_result().expect("a comparison has a result");
        let to = self.layout_of(result);
        if !to.is_promoted {
            return self.compare_masks(data);
        }
        let (left, right) = (self.source(data.a)?, self.source(data.b)?);
        let layout = left.layout;
        let step = layout.chunk.min(to.chunk).max(1);
        let mut made = Vec::new();
        for first in (0..layout.lanes).step_by(step as usize) {
            let operands = [self.take(left, first, step)?, self.take(right, first, step)?];
            let ty = self.vector(layout.element, step)?;
            let truth = self.compared(data, ty, operands, step)?;
            let ints = self.vector(to.element, step)?;
            made.push(self.unary(Opcode::Sext, ints, truth));
        }
        let pieces = self.span(&made);
        let span = self.build(to, pieces, step)?;
        self.define(result, span)
    }

    /// A comparison of masks: of their integers, which are signed as bits are.
    fn compare_masks(&mut self, data: &InstData) -> Result<(), CodegenError> {
        self.layouts.set_narrow(true);
        let outcome = self.each_lane(data);
        self.layouts.set_narrow(false);
        outcome
    }

    fn compared(
        &mut self,
        compare: &InstData,
        ty: Type,
        operands: [Operand; 2],
        lanes: u32,
    ) -> Result<Operand, CodegenError> {
        let truth = self.vector(Type::I1, lanes)?;
        Ok(self.emit(compare.op, ty, compare.flags, operands, truth))
    }

    /// A choice by a promoted mask.
    fn select_promoted(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let result = data.first_result().expect("a select has a result");
        let to = self.layout_of(result);
        let (if_true, if_false) = self.old.ternary(data);
        let arms = [self.source(if_true)?, self.source(if_false)?];
        let span = self.choose(data, to, arms)?;
        self.define(result, span)
    }

    /// The choice that a select makes by a mask, between vectors of a layout. If nothing else takes the mask, it is by
    /// the comparison that made it once more; else, of a promoted mask, by a comparison of its integers with zero.
    ///
    /// # Errors
    /// Scalarised operands, and as [`Rebuild::vector`].
    pub fn choose(&mut self, data: &InstData, to: Layout, arms: [Source; 2]) -> Result<Span, CodegenError> {
        let mask = self.source(data.a)?;
        let compare = self.only_compare(data, to);
        let sides = match compare {
            Some(compare) => Some((self.source(compare.a)?, self.source(compare.b)?)),
            None => None,
        };
        let step = match compare {
            Some(_) => to.chunk,
            None => to.chunk.min(mask.layout.chunk),
        };
        let bits = lane_bits(self.old.types(), to.element).filter(|_| step > 0);
        let bits = bits.ok_or_else(|| self.refuse(data))?;
        let mut made = Vec::new();
        for first in (0..to.lanes).step_by(step as usize) {
            let lanes = step.min(to.lanes - first);
            let truth = match (compare, sides) {
                (Some(compare), Some((left, right))) => {
                    let operands = [self.take(left, first, lanes)?, self.take(right, first, lanes)?];
                    let ty = self.vector(left.layout.element, lanes)?;
                    self.compared(&compare, ty, operands, lanes)?
                }
                _ if mask.layout.is_promoted => {
                    let ints = self.take(mask, first, lanes)?;
                    let own = lane_bits(self.old.types(), mask.layout.element).unwrap_or(bits);
                    let ints = self.resize_ints(ints, lanes, own, bits)?;
                    self.negative(ints, bits, lanes)?
                }
                _ => self.take(mask, first, lanes)?,
            };
            let [if_true, if_false] = [self.take(arms[0], first, lanes)?, self.take(arms[1], first, lanes)?];
            let ty = self.vector(to.element, lanes)?;
            made.push(self.ternary(Opcode::Select, ty, data.flags, [truth, if_true, if_false]));
        }
        let pieces = self.span(&made);
        self.build(to, pieces, step)
    }

    /// The comparison that makes the mask of a select and nothing else takes, of lanes as wide as the chosen ones.
    fn only_compare(&self, select: &InstData, to: Layout) -> Option<InstData> {
        let mask = select.a.as_value().filter(|&mask| self.old.use_count(mask) == 1)?;
        let compare = *self.old.inst(self.old.def_inst(mask)?);
        let of = self.layouts.get(compare.ty);
        let is_compare = compare.op.is_icmp() || compare.op.is_fcmp();
        let bits = |layout: Layout| lane_bits(self.old.types(), layout.element);
        let is_alike = !of.is_promoted && of.chunk == to.chunk && of.chunk > 0 && bits(of) == bits(to);
        (is_compare && is_alike).then_some(compare)
    }

    /// A mask of the lanes that are negative.
    fn negative(&mut self, ints: Operand, bits: u32, lanes: u32) -> Result<Operand, CodegenError> {
        let element = self.integer(bits)?;
        let ty = self.vector(element, lanes)?;
        let zero = self.plain(frazil_ir::ConstKind::Zero, ty);
        let truth = self.vector(Type::I1, lanes)?;
        Ok(self.emit(Opcode::IcmpSlt, ty, 0, [ints, zero], truth))
    }

    /// An extension of a mask.
    fn extend_promoted(&mut self, data: &InstData) -> Result<(), CodegenError> {
        debug_assert!(is_cast(data.op));
        let result = data.first_result().expect("a cast has a result");
        let (from, to) = (self.source(data.a)?, self.layout_of(result));
        let types = self.old.types();
        let (Some(own), Some(bits)) = (lane_bits(types, from.layout.element), lane_bits(types, to.element)) else {
            return Err(self.refuse(data));
        };
        let step = from.layout.chunk.min(to.chunk);
        if step == 0 {
            return Err(self.refuse(data));
        }
        let mut made = Vec::new();
        for first in (0..to.lanes).step_by(step as usize) {
            let ints = self.take(from, first, step)?;
            let mut ints = self.resize_ints(ints, step, own, bits)?;
            if data.op == Opcode::Zext {
                let one = self.splat(to.element, step, 1)?;
                let ty = self.vector(to.element, step)?;
                ints = self.binary(Opcode::And, ty, ints, one);
            }
            made.push(ints);
        }
        let pieces = self.span(&made);
        let span = self.build(to, pieces, step)?;
        self.define(result, span)
    }

    /// A promoted mask as masks.
    pub fn demoted(&mut self, span: Span, ty: Type) -> Result<Span, CodegenError> {
        let layout = self.layouts.real(ty);
        if layout.is_bits {
            return self.pieces_of_bits(span, ty);
        }
        let bits = lane_bits(self.old.types(), layout.element).unwrap_or(8);
        let mut masks = Vec::new();
        for part in 0..layout.count() {
            let ints = self.part(span, part);
            masks.push(self.negative(ints, bits, layout.lanes_of(part))?);
        }
        Ok(self.span(&masks))
    }

    /// Masks as a promoted one.
    pub fn promoted(&mut self, span: Span, ty: Type) -> Result<Span, CodegenError> {
        let layout = self.layouts.real(ty);
        if layout.is_bits {
            return self.bits_of_pieces(span, ty);
        }
        let mut ints = Vec::new();
        for part in 0..layout.count() {
            let mask = self.part(span, part);
            let ty = self.part_type(layout, part)?;
            ints.push(self.unary(Opcode::Sext, ty, mask));
        }
        Ok(self.span(&ints))
    }
}
