//! Operations on spread vectors but for those on memory and calls: lane by lane, on single elements, shuffles,
//! reductions.
//!
//! An operation on each lane is done on as many lanes at a time as the widest of its operands and results has in a
//! register, and one lane at a time if any of them is scalarised.

use super::expand::{reduced_by, shuffle_index};
use super::layout::Layout;
use super::pieces::is_extension;
use super::rebuild::{Rebuild, Source, Span, number};
use crate::error::CodegenError;
use crate::vectors::shape::lane_bits;
use frazil_ir::typing::is_cast;
use frazil_ir::{
    ConstKind, ConstView, EntityRef, FastFlags, Format, InstData, Opcode, Operand, Refusal, Results, Type, TypeData,
    Value,
};

/// What is taken of an operand for each lane: a vector's lanes, or always the same.
type Slot = (Source, bool);

impl Rebuild<'_> {
    /// An operation that does the same to each lane.
    pub fn each_lane(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let mut slots = self.slots_of(data)?;
        let layout = self.layouts.get(data.ty);
        if matches!(data.op, Opcode::Zext | Opcode::Sext) {
            slots[0].0 = self.extended_halfway(data.op, slots[0].0, layout)?;
        }
        let results: Vec<Value> = self.old.results(data).collect();
        let of_results = results.iter().map(|&result| self.layout_of(result));
        let of_operands = slots.iter().filter(|slot| slot.1).map(|slot| slot.0.layout);
        let all = of_results.chain(of_operands).chain([layout]);
        let step = all.map(|layout| layout.chunk).min().unwrap_or(0);
        let mut made: Vec<Vec<Operand>> = vec![Vec::new(); results.len()];
        let mut first = 0;
        while first < layout.lanes {
            let lanes = step.clamp(1, layout.lanes - first);
            let mut operands = [Operand::NONE; 3];
            for (operand, &(source, is_vector)) in operands.iter_mut().zip(&slots) {
                *operand = match (is_vector, step) {
                    (false, _) => self.part(source.span, 0),
                    (true, 0) => self.lane(source, first)?,
                    (true, _) => self.take(source, first, lanes)?,
                };
            }
            let types = match step {
                0 => (layout.element, Type::I1),
                _ => (self.vector(layout.element, lanes)?, self.vector(Type::I1, lanes)?),
            };
            if step == 0 {
                self.type_scalar(data, &slots, &mut operands);
            }
            self.operate(data, types, (slots.len(), operands), &mut made)?;
            first += lanes;
        }
        for (&result, pieces) in results.iter().zip(&made) {
            let pieces = self.span(pieces);
            let span = self.build(self.layout_of(result), pieces, step)?;
            self.define(result, span)?;
        }
        Ok(())
    }

    /// What is extended to lanes at least four times as wide, with lanes half as wide as those: so both halves of a
    /// register are extended together at first, instead of each part by itself.
    fn extended_halfway(&mut self, op: Opcode, source: Source, to: Layout) -> Result<Source, CodegenError> {
        let int_bits = |element| self.new.types().int_bits(element);
        let Source { span, layout: from } = source;
        let register_bits = u32::from(self.layouts.register_bytes()) * 8;
        let is_register = |lanes: u32, bits: u32| lanes > 0 && lanes * bits == register_bits;
        let Some((from_bits, to_bits)) = int_bits(from.element).zip(int_bits(to.element)) else {
            return Ok(source);
        };
        if from.is_promoted || from_bits < 8 || to_bits < 4 * from_bits || !is_register(to.chunk, to_bits) {
            return Ok(source);
        }
        let layout = Layout {
            element: self.integer(to_bits / 2)?,
            chunk: 2 * to.chunk,
            ..from
        };
        // Parts as they are need no more than the one extension.
        if from.chunk < layout.chunk || from.lanes % layout.chunk != 0 {
            return Ok(source);
        }
        let source = self.extended_halfway(op, Source { span, layout: from }, layout)?;
        let mut made = Vec::new();
        for first in (0..layout.lanes).step_by(layout.chunk as usize) {
            let piece = self.take(source, first, layout.chunk)?;
            let ty = self.vector(layout.element, layout.chunk)?;
            made.push(self.unary(op, ty, piece));
        }
        let span = self.span(&made);
        Ok(Source { span, layout })
    }

    /// Computes an [average](super::average) without wider lanes.
    pub fn average(&mut self, data: &InstData, [a, b]: [Operand; 2]) -> Result<(), CodegenError> {
        let (a, b) = (self.source(a)?, self.source(b)?);
        let layout = self.layouts.get(data.ty);
        let mut made = Vec::new();
        for part in 0..layout.count() {
            let ty = self.part_type(layout, part)?;
            let (a, b) = (self.part(a.span, part), self.part(b.span, part));
            let one = self.splat(layout.element, layout.lanes_of(part), 1)?;
            let either = self.binary(Opcode::Or, ty, a, b);
            let different = self.binary(Opcode::Xor, ty, a, b);
            let half = self.binary(Opcode::Lshr, ty, different, one);
            made.push(self.binary(Opcode::Sub, ty, either, half));
        }
        let span = self.span(&made);
        self.define(data.first_result().expect("it has a result"), span)
    }

    /// The operands of an instruction, and whether they are vectors.
    fn slots_of(&mut self, data: &InstData) -> Result<Vec<Slot>, CodegenError> {
        let mut operands = Vec::with_capacity(3);
        self.old.for_each_operand(data, |operand| operands.push(operand));
        let mut slots = Vec::with_capacity(operands.len());
        for operand in operands {
            let pieces = self.pieces_of(operand).filter(|_| is_extension(data.op));
            let source = match pieces {
                Some(pieces) => pieces,
                None => self.source(operand)?,
            };
            slots.push((source, !source.layout.is_scalar));
        }
        Ok(slots)
    }

    /// Gives an operand that must say its type to an operation that has become scalar.
    fn type_scalar(&mut self, data: &InstData, slots: &[Slot], operands: &mut [Operand; 3]) {
        let is_carried = is_cast(data.op)
            || matches!(data.op, Opcode::Scmp | Opcode::Ucmp)
            || data.op == Opcode::StrictUnary && data.strict_operation().is_some_and(is_cast);
        if is_carried {
            operands[0] = self.typed(operands[0], slots[0].0.layout.element);
        }
    }

    /// Does an operation on some lanes.
    fn operate(
        &mut self,
        data: &InstData,
        (ty, truth): (Type, Type),
        (count, operands): (usize, [Operand; 3]),
        made: &mut [Vec<Operand>],
    ) -> Result<(), CodegenError> {
        if matches!(data.op, Opcode::PtrAdd | Opcode::PtrIndex)
            && let TypeData::Vector { lanes, .. } = self.new.types().data(ty)
        {
            let address = self.add_to_addresses(data, ty, lanes, operands)?;
            made[0].push(address);
            return Ok(());
        }
        let [a, b, c] = operands;
        // What sums of all lanes get nothing added to.
        if data.op == Opcode::Add
            && let Some(sum) = [(a, b), (b, a)].into_iter().find(|pair| self.is_zero(pair.1))
        {
            made[0].push(sum.0);
            return Ok(());
        }
        // Parts of a constant that are alike share a register.
        if data.op == Opcode::Copy
            && a.as_const().is_some()
            && let Some(&copy) = made[0].iter().find(|&&piece| self.is_copy_of(piece, a))
        {
            made[0].push(copy);
            return Ok(());
        }
        let b = match data.op.format() {
            Format::Ternary => Operand::raw(self.new.push_pool(&[b, c])),
            _ if count < 2 => Operand::NONE,
            _ => b,
        };
        let data = InstData::new(data.op, ty, data.flags, a, b);
        let types: &[Type] = match data.op.results() {
            Results::Ty => &[ty],
            Results::Bool => &[truth],
            Results::TyAndBool => &[ty, truth],
            _ => &[],
        };
        let first = self.new.push_inst_results(data, types);
        for (index, pieces) in made.iter_mut().enumerate() {
            let first = first.expect("it has results");
            pieces.push(Operand::value(Value::new(first.index() + index)));
        }
        Ok(())
    }

    fn is_copy_of(&self, piece: Operand, original: Operand) -> bool {
        let inst = piece.as_value().and_then(|value| self.new.def_inst(value));
        inst.is_some_and(|inst| {
            let data = self.new.inst(inst);
            data.op == Opcode::Copy && data.a == original
        })
    }

    fn is_zero(&self, operand: Operand) -> bool {
        let view = operand.as_const().map(|id| self.new.constant(id).1);
        match view {
            Some(ConstView::Zero) => true,
            Some(ConstView::Vector(lanes)) => lanes.iter().all(|lane| lane.as_imm() == Some(0)),
            _ => false,
        }
    }

    /// Addresses as integers, to which distances are added.
    fn add_to_addresses(
        &mut self,
        data: &InstData,
        ty: Type,
        lanes: u32,
        [base, distance, _]: [Operand; 3],
    ) -> Result<Operand, CodegenError> {
        let element = self.integer(self.pointer_bits)?;
        let int = self.vector(element, lanes)?;
        let mut distance = distance;
        if data.op == Opcode::PtrIndex {
            let scale = u32::from(data.flags);
            let (op, factor) = match scale.is_power_of_two() {
                true => (Opcode::Shl, scale.ilog2()),
                false => (Opcode::Mul, scale),
            };
            if (op, factor) != (Opcode::Shl, 0) {
                let factor = self.splat(element, lanes, i64::from(factor))?;
                distance = self.binary(op, int, distance, factor);
            }
        }
        let base = self.unary(Opcode::Ptrtoint, int, base);
        let sum = self.binary(Opcode::Add, int, base, distance);
        Ok(self.unary(Opcode::Inttoptr, ty, sum))
    }

    /// A lane by a number that is constant, or through memory.
    pub fn extract(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let source = self.source(data.a)?;
        let layout = source.layout;
        let result = match self.index(data.b)? {
            Index::Outside => self.plain(ConstKind::Poison, layout.element),
            Index::Known(index) if index < layout.lanes => self.lane(source, index)?,
            Index::Known(_) => self.plain(ConstKind::Poison, layout.element),
            Index::Variable(index) => self.extract_variable(source, index)?,
        };
        self.define_single(data, result)?;
        Ok(())
    }

    /// Replaces a lane by a number that is constant, or through memory.
    pub fn insert(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let (value, index) = self.old.ternary(data);
        let source = self.source(data.a)?;
        let value = self.single(value)?;
        let layout = source.layout;
        let result = data.first_result().expect("it has a result");
        let span = match self.index(index)? {
            Index::Known(index) if index < layout.lanes => {
                let mut parts = self.operands(source.span).to_vec();
                let chunk = layout.chunk.max(1);
                let part = &mut parts[(index / chunk) as usize];
                *part = match layout.is_scalarised() {
                    true => value,
                    false => {
                        let ty = self.part_type(layout, index / chunk)?;
                        self.insert_at(ty, *part, value, index % chunk)
                    }
                };
                self.span(&parts)
            }
            Index::Known(_) | Index::Outside => self.poison(layout)?,
            Index::Variable(index) => self.insert_variable(source, value, index)?,
        };
        self.define(result, span)?;
        Ok(())
    }

    /// Poison of a layout.
    pub fn poison(&mut self, layout: Layout) -> Result<Span, CodegenError> {
        let mut parts = Vec::new();
        for part in 0..layout.count() {
            let ty = self.part_type(layout, part)?;
            parts.push(self.plain(ConstKind::Poison, ty));
        }
        Ok(self.span(&parts))
    }

    fn index(&mut self, operand: Operand) -> Result<Index, CodegenError> {
        if let Some(number) = operand.as_imm() {
            return Ok(u32::try_from(number).map_or(Index::Outside, Index::Known));
        }
        if let Some(id) = operand.as_const() {
            return Ok(match self.old.constant(id).1 {
                ConstView::Zero => Index::Known(0),
                ConstView::Int(&[word]) => u32::try_from(word).map_or(Index::Outside, Index::Known),
                _ => Index::Outside,
            });
        }
        Ok(Index::Variable(self.single(operand)?))
    }

    /// Defines the only result of an instruction, which is one value.
    ///
    /// # Errors
    /// As [`Rebuild::define`].
    pub fn define_single(&mut self, data: &InstData, operand: Operand) -> Result<(), CodegenError> {
        let span = self.span(&[operand]);
        self.define(data.first_result().expect("it has a result"), span)
    }

    /// A shuffle, value by value of its result.
    pub fn shuffle_spread(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let (second, mask) = self.old.ternary(data);
        let (first, second) = (self.source(data.a)?, self.source(second)?);
        let layout = self.layouts.get(data.ty);
        let from_lanes = first.layout.lanes;
        let indices: Vec<Option<u32>> = (0..layout.lanes)
            .map(|lane| shuffle_index(self.old, mask, lane).filter(|&index| index < 2 * from_lanes))
            .collect();
        let result = data.first_result().expect("it has a result");
        let span = if layout.is_scalarised() || first.layout.is_scalarised() {
            let lanes = self.shuffled_lanes(first, second, &indices)?;
            self.build(layout, lanes, 0)?
        } else if layout.element == Type::I1 {
            self.shuffle_masks(first, second, layout, &indices)?
        } else {
            self.shuffle_parts(first, second, layout, &indices)?
        };
        self.define(result, span)?;
        Ok(())
    }

    fn shuffled_lanes(&mut self, first: Source, second: Source, indices: &[Option<u32>]) -> Result<Span, CodegenError> {
        let from_lanes = first.layout.lanes;
        let mut lanes = Vec::with_capacity(indices.len());
        for &index in indices {
            lanes.push(match index {
                None => self.plain(ConstKind::Poison, first.layout.element),
                Some(index) if index < from_lanes => self.lane(first, index)?,
                Some(index) => self.lane(second, index - from_lanes)?,
            });
        }
        Ok(self.span(&lanes))
    }

    /// A shuffle of masks, as integers as narrow as the narrower of both sides.
    fn shuffle_masks(
        &mut self,
        first: Source,
        second: Source,
        layout: Layout,
        indices: &[Option<u32>],
    ) -> Result<Span, CodegenError> {
        let bits = self.mask_bits(first.layout.chunk).min(self.mask_bits(layout.chunk));
        let element = self.integer(bits)?;
        let [first, second] = [first, second].map(|source| self.masks_to_ints(source, element, bits));
        let of_ints = Layout { element, ..layout };
        let ints = self.shuffle_parts(first?, second?, of_ints, indices)?;
        let mut masks = Vec::new();
        for part in 0..layout.count() {
            let ints = self.part(ints, part);
            masks.push(self.ints_to_mask(ints, layout.lanes_of(part), bits)?);
        }
        Ok(self.span(&masks))
    }

    fn masks_to_ints(&mut self, source: Source, element: Type, bits: u32) -> Result<Source, CodegenError> {
        let mut ints = Vec::new();
        for part in 0..source.layout.count() {
            let mask = self.part(source.span, part);
            ints.push(self.mask_to_ints(mask, source.layout.lanes_of(part), bits)?);
        }
        Ok(Source {
            span: self.span(&ints),
            layout: Layout {
                element,
                ..source.layout
            },
        })
    }

    fn shuffle_parts(
        &mut self,
        first: Source,
        second: Source,
        layout: Layout,
        indices: &[Option<u32>],
    ) -> Result<Span, CodegenError> {
        if self.is_zip(first.layout, layout, indices) {
            return self.zip(first, second, layout);
        }
        let mut parts = Vec::new();
        for part in 0..layout.count() {
            let start = (part * layout.chunk) as usize;
            let own = &indices[start..start + layout.lanes_of(part) as usize];
            let made = self.shuffle_part(first, second, layout.element, own)?;
            parts.push(made);
        }
        Ok(self.span(&parts))
    }

    /// Whether lanes of two vectors come in turn, and fill two registers that instructions see as two halves each.
    fn is_zip(&self, from: Layout, to: Layout, indices: &[Option<u32>]) -> bool {
        const REGISTER_BYTES: u8 = 32;
        let lanes = from.lanes;
        // Lanes of masks are integers that the old function may not have, and of less than a byte if there are many.
        let bits = lane_bits(self.new.types(), to.element)
            .filter(|&bits| bits >= 8)
            .unwrap_or(0);
        let is_register = self.layouts.register_bytes() == REGISTER_BYTES
            && bits * lanes == u32::from(REGISTER_BYTES) * 8
            && (from.chunk, to.chunk, to.lanes) == (lanes, lanes, 2 * lanes);
        let in_turn =
            |(lane, index): (u32, &Option<u32>)| index.is_none_or(|index| index == lane / 2 + lane % 2 * lanes);
        let is_of = |second: bool| indices.iter().flatten().any(|&index| (index >= lanes) == second);
        is_register && (0..).zip(indices).all(in_turn) && is_of(false) && is_of(true)
    }

    /// Lanes of two vectors in turn: two instructions do that half by half for both results, whose halves then change
    /// places, instead of quarters of the operands for each result.
    fn zip(&mut self, first: Source, second: Source, layout: Layout) -> Result<Span, CodegenError> {
        let (lanes, half) = (layout.chunk, layout.chunk / 2);
        let operands = [self.part(first.span, 0), self.part(second.span, 0)];
        let mut in_turn = |start: u32| {
            let of_half = |lane: u32| lane / half * half + start + lane % half / 2 + lane % 2 * lanes;
            let indices: Vec<Option<u32>> = (0..lanes).map(|lane| Some(of_half(lane))).collect();
            self.shuffle(layout.element, operands[0], operands[1], &indices)
        };
        let [low, high] = [in_turn(0)?, in_turn(half / 2)?];
        let mut parts = Vec::new();
        for start in [0, half] {
            let of_half = |lane: u32| start + lane % half + lane / half * lanes;
            let indices: Vec<Option<u32>> = (0..lanes).map(|lane| Some(of_half(lane))).collect();
            parts.push(self.shuffle(layout.element, low, high, &indices)?);
        }
        Ok(self.span(&parts))
    }

    /// One vector of lanes of both operands: from one or two values at once, the lanes of each further value blended
    /// in.
    fn shuffle_part(
        &mut self,
        first: Source,
        second: Source,
        element: Type,
        indices: &[Option<u32>],
    ) -> Result<Operand, CodegenError> {
        let from = first.layout;
        let lanes = indices.len() as u32;
        // Where each lane comes from: a number of a value, of both operands in turn, and a lane in it.
        let place = |index: u32| {
            let (operand, index) = if index < from.lanes {
                (0, index)
            } else {
                (1, index - from.lanes)
            };
            (operand * from.count() + index / from.chunk, index % from.chunk)
        };
        let places: Vec<Option<(u32, u32)>> = indices.iter().map(|index| index.map(place)).collect();
        let mut used: Vec<u32> = Vec::new();
        for &(value, _) in places.iter().flatten() {
            if !used.contains(&value) {
                used.push(value);
            }
        }
        let value = |this: &Self, number: u32| match number.checked_sub(from.count()) {
            None => (this.part(first.span, number), from.lanes_of(number)),
            Some(number) => (this.part(second.span, number), from.lanes_of(number)),
        };
        let Some((&leading, others)) = used.split_first() else {
            let ty = self.vector(element, lanes)?;
            return Ok(self.plain(ConstKind::Poison, ty));
        };
        let (leader, leader_lanes) = value(self, leading);
        let is_identity = (0..)
            .zip(&places)
            .all(|(lane, place)| place.is_none_or(|place| place.1 == lane));
        if others.is_empty() && leader_lanes == lanes && is_identity {
            return Ok(leader);
        }
        // All of these have one type.
        let work = from.chunk.min(from.lanes).max(if others.len() > 1 { lanes } else { 0 });
        let leader = self.widen(leader, element, leader_lanes, work)?;
        let Some((&next, more)) = others.split_first() else {
            let ty = self.vector(element, work)?;
            let other = self.plain(ConstKind::Poison, ty);
            let indices: Vec<Option<u32>> = places.iter().map(|place| place.map(|place| place.1)).collect();
            return self.shuffle(element, leader, other, &indices);
        };
        let (operand, own) = value(self, next);
        let operand = self.widen(operand, element, own, work)?;
        let pick = |place: Option<(u32, u32)>| match place {
            Some((value, lane)) if value == leading => Some(lane),
            Some((value, lane)) if value == next => Some(work + lane),
            _ => None,
        };
        let mut indices: Vec<Option<u32>> = places.iter().map(|&place| pick(place)).collect();
        if !more.is_empty() {
            indices.resize(work as usize, None);
        }
        let mut joined = self.shuffle(element, leader, operand, &indices)?;
        let mut done = vec![leading, next];
        for &further in more {
            let (operand, own) = value(self, further);
            let operand = self.widen(operand, element, own, work)?;
            let mut indices: Vec<Option<u32>> = (0..)
                .zip(&places)
                .map(|(lane, place)| match place {
                    Some((value, from)) if *value == further => Some(work + from),
                    Some((value, _)) if done.contains(value) => Some(lane),
                    _ => None,
                })
                .collect();
            indices.resize(work as usize, None);
            joined = self.shuffle(element, joined, operand, &indices)?;
            done.push(further);
        }
        if more.is_empty() || work == lanes {
            return Ok(joined);
        }
        let ty = self.vector(element, work)?;
        let other = self.plain(ConstKind::Poison, ty);
        let indices: Vec<Option<u32>> = (0..lanes).map(Some).collect();
        self.shuffle(element, joined, other, &indices)
    }

    /// A reduction: values are joined lane by lane as long as the order of lanes does not matter, then reduced one by
    /// one.
    pub fn reduce(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let is_ordered = matches!(data.op, Opcode::ReduceFadd | Opcode::ReduceFmul);
        let may_reorder = !is_ordered || FastFlags::from_bits_retain(data.flags).contains(FastFlags::REASSOC);
        let (start, vector) = match is_ordered {
            true => (Some(self.single(data.a)?), data.b),
            false => (None, data.a),
        };
        let source = self.source(vector)?;
        let (layout, join) = (source.layout, reduced_by(data.op));
        let mut parts: Vec<(Operand, u32)> = (0..layout.count())
            .map(|part| (self.part(source.span, part), layout.lanes_of(part)))
            .collect();
        if layout.is_scalarised() {
            let mut scalars = start.into_iter().chain(parts.into_iter().map(|part| part.0));
            let first = scalars.next().expect("a vector has a lane");
            let result = scalars.fold(first, |sum, lane| {
                self.emit(join, data.ty, data.flags, [sum, lane], data.ty)
            });
            self.define_single(data, result)?;
            return Ok(());
        }
        if may_reorder {
            let ty = self.vector(layout.element, layout.chunk.min(layout.lanes))?;
            let mut full: Vec<Operand> = Vec::new();
            parts.retain(|&(part, lanes)| {
                let is_full = lanes == layout.chunk;
                full.extend(is_full.then_some(part));
                !is_full
            });
            let mut full = full.into_iter();
            if let Some(first) = full.next() {
                let joined = full.fold(first, |sum, part| self.emit(join, ty, data.flags, [sum, part], ty));
                parts.insert(0, (joined, layout.chunk));
            }
        }
        let mut sum = start;
        for (part, lanes) in parts {
            sum = Some(match (sum, is_ordered) {
                (sum, true) => {
                    let start = sum.expect("there is a start value");
                    self.emit(data.op, data.ty, data.flags, [start, part], data.ty)
                }
                (sum, false) => {
                    let own = match lanes {
                        1 => {
                            let ty = self.vector(layout.element, 1)?;
                            self.first_lane(part, ty, layout.element)
                        }
                        _ => self.emit(data.op, data.ty, data.flags, [part, Operand::NONE], data.ty),
                    };
                    match sum {
                        None => own,
                        Some(sum) => self.emit(join, data.ty, data.flags, [sum, own], data.ty),
                    }
                }
            });
        }
        self.define_single(data, sum.expect("a vector has a lane"))?;
        Ok(())
    }

    fn first_lane(&mut self, vector: Operand, ty: Type, element: Type) -> Operand {
        match vector.as_value() {
            Some(_) => self.emit(Opcode::ExtractElement, ty, 0, [vector, number(0)], element),
            None => self.constant_lane(vector, element, 0),
        }
    }

    /// Whether an instruction computes lane by lane.
    pub fn is_lanewise(data: &InstData) -> bool {
        matches!(data.op.format(), Format::Unary | Format::Binary | Format::Ternary)
            && matches!(data.op.results(), Results::Ty | Results::Bool | Results::TyAndBool)
            && (data.op.effects() != frazil_ir::Effects::Any || data.op.is_strict())
            && !matches!(data.op, Opcode::Bitcast | Opcode::Load)
    }

    /// The refusal of an operation.
    pub fn refuse(&self, data: &InstData) -> CodegenError {
        CodegenError::unsupported(Refusal::Vector, format!("{} of vectors", data.op.name()))
    }
}

/// The number of a lane.
enum Index {
    Known(u32),
    /// A constant that is no number of a lane.
    Outside,
    Variable(Operand),
}
