//! The function that legalisation makes, while it is made: what became of each value, and how instructions are
//! appended.
//!
//! A value of the old function is a [`Span`] of operands of the new one, as many as its [`Layout`] says, in the order
//! of lanes. Spans lie in one growing list, and so do the operands from which a span is put together. Blocks keep
//! their numbers and their order. A value that is named before its definition in the order of blocks (phis aside) is
//! declared then, and its definition copies what it has made into what was declared.

use super::layout::{Layout, Layouts};
use crate::error::CodegenError;
use frazil_ir::{
    ConstKind, ConstView, EntityRef, Function, Inst, InstData, Opcode, Operand, Refusal, Type, TypeData, Value,
};
use frazil_support::FxHashMap;

/// Operands in [`Rebuild::parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub start: u32,
    pub len: u32,
}

impl Span {
    const NONE: Span = Span {
        start: u32::MAX,
        len: 0,
    };

    fn is_none(self) -> bool {
        self.start == u32::MAX
    }
}

/// An operand of the old function with what became of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub span: Span,
    pub layout: Layout,
}

/// What became of a value.
#[derive(Clone, Copy, Debug)]
struct Mapped {
    span: Span,
    /// Whether it was named before it was defined.
    is_declared: bool,
}

/// Both functions and what connects them.
pub(super) struct Rebuild<'a> {
    pub old: &'a Function,
    pub new: Function,
    pub layouts: &'a Layouts,
    pub pointer_bits: u32,
    pub parts: Vec<Operand>,
    mapped: Vec<Mapped>,
    /// Phis of the new function that have no operands yet, with those of the old one.
    pub phis: Vec<(Inst, Inst)>,
    /// By value of the old function that is a mask, the integer that a call gave for it.
    pub bits_of_masks: FxHashMap<Value, Operand>,
    /// By value of the old function, whether an integer of a mask's bits is wanted ([`super::mask_bits`]). Empty if
    /// masks are none.
    pub wanted_bits: Vec<bool>,
    /// By integer of the new function that a mask was cast to, the mask.
    pub masks_of_bits: FxHashMap<Value, Operand>,
    /// Whether the instruction at hand takes its masks as integers in the end, so that casts of those serve it better.
    pub takes_bits: bool,
    /// By value of the old function that was [loaded in pieces](super::pieces), these.
    pub pieces: FxHashMap<Value, Source>,
    /// The instructions of the old function that were taken over, ascending, and where in the new one, if there is
    /// debug information.
    followed: Vec<(u32, u32)>,
    /// Stack slots for values on their way through memory, with their sizes.
    slots: Vec<(u64, Value)>,
}

impl<'a> Rebuild<'a> {
    /// An empty function with the old one's tables.
    pub fn new(old: &'a Function, layouts: &'a Layouts, pointer_bits: u32) -> Rebuild<'a> {
        let unmapped = Mapped {
            span: Span::NONE,
            is_declared: false,
        };
        let mut new = old.empty_with_tables();
        if old.has_block_addresses() {
            new.keep_block_numbers();
        }
        Rebuild {
            old,
            new,
            layouts,
            pointer_bits,
            parts: Vec::new(),
            mapped: vec![unmapped; old.values().len()],
            phis: Vec::new(),
            bits_of_masks: FxHashMap::default(),
            wanted_bits: Vec::new(),
            masks_of_bits: FxHashMap::default(),
            takes_bits: false,
            pieces: FxHashMap::default(),
            followed: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// Gives what an instruction has become, from `first` on, its location.
    #[cold]
    pub fn follow(&mut self, old: usize, first: usize) {
        self.new.debug.is_on = true;
        let (end, location) = (self.new.insts().len(), self.old.debug.location_of(old));
        self.new.debug.locate(first, end, location);
        self.followed.push((old as u32, first as u32));
    }

    /// Takes over the variables. Values that are now several, or another one, are lost.
    #[cold]
    pub fn follow_variables(&mut self) {
        let old = self.old;
        self.new.debug.take_nodes(&old.debug);
        self.followed.sort_unstable();
        for &(mut value) in &old.debug.values {
            if let Some(operand) = value.operand.as_value() {
                let span = self.mapped[operand.index()].span;
                let now = (span.len == 1 && !span.is_none()).then(|| self.part(span, 0));
                let is_same = |now: &Operand| {
                    let now = now.as_value();
                    now.is_none_or(|now| self.new.value(now).ty == old.value(operand).ty)
                };
                value.operand = now.filter(is_same).unwrap_or(Operand::NONE);
            }
            // What nothing has become of stands before what comes next, which is in the same block.
            let next = self.followed.partition_point(|row| row.0 < value.before);
            value.before = self.followed.get(next).map_or(0, |row| row.1);
            self.new.debug.values.push(value);
        }
        self.new.debug.values.sort_by_key(|value| value.before);
    }

    /// Whether all values that were named have been defined.
    pub fn is_complete(&self) -> bool {
        self.mapped.iter().all(|mapped| !mapped.is_declared)
    }

    /// The operands of a span.
    pub fn operands(&self, span: Span) -> &[Operand] {
        &self.parts[span.start as usize..(span.start + span.len) as usize]
    }

    /// One operand of a span.
    #[inline]
    pub fn part(&self, span: Span, index: u32) -> Operand {
        debug_assert!(index < span.len);
        self.parts[(span.start + index) as usize]
    }

    /// A span of these operands.
    pub fn span(&mut self, operands: &[Operand]) -> Span {
        let start = self.parts.len() as u32;
        self.parts.extend_from_slice(operands);
        self.span_from(start as usize)
    }

    /// The span of what was pushed to the list since it had this length.
    pub fn span_from(&self, start: usize) -> Span {
        Span {
            start: start as u32,
            len: (self.parts.len() - start) as u32,
        }
    }

    /// What a value of this layout has at this place: a vector of as many lanes, or a scalar.
    pub fn part_type(&mut self, layout: Layout, part: u32) -> Result<Type, CodegenError> {
        if layout.is_bits {
            return self.integer(layout.lanes_of(part));
        }
        if layout.is_scalar || layout.is_scalarised() {
            return Ok(layout.element);
        }
        self.vector(layout.element, layout.lanes_of(part))
    }

    /// Interned in the new function.
    ///
    /// # Errors
    /// If that has too many types then.
    pub fn vector(&mut self, element: Type, lanes: u32) -> Result<Type, CodegenError> {
        self.intern(TypeData::Vector { element, lanes })
    }

    /// Interned like [`Rebuild::vector`].
    pub fn integer(&mut self, bits: u32) -> Result<Type, CodegenError> {
        self.intern(TypeData::Int(bits))
    }

    fn intern(&mut self, data: TypeData) -> Result<Type, CodegenError> {
        let interned = self.new.intern_type(data);
        interned.map_err(|error| CodegenError::unsupported(Refusal::Instruction, error.to_string()))
    }

    /// What became of a value, which is declared if it has not been defined yet.
    fn value(&mut self, value: Value) -> Result<Span, CodegenError> {
        let found = self.mapped[value.index()].span;
        if !found.is_none() {
            return Ok(found);
        }
        // The results of an instruction are consecutive values.
        let (first, count) = match self.old.def_inst(value) {
            Some(inst) => {
                let data = *self.old.inst(inst);
                (data.result as usize, self.old.result_count(&data))
            }
            None => (value.index(), 1),
        };
        for index in first..first + count {
            let layout = self.layouts.real(self.old.values()[index].ty);
            let start = self.parts.len();
            for part in 0..layout.count() {
                let ty = self.part_type(layout, part)?;
                let declared = self.new.declare_value(ty);
                self.parts.push(Operand::value(declared));
            }
            self.mapped[index] = Mapped {
                span: self.span_from(start),
                is_declared: true,
            };
        }
        Ok(self.mapped[value.index()].span)
    }

    /// Says what became of a value. Immediates get their types, which users may have to know.
    ///
    /// # Errors
    /// As [`Rebuild::vector`].
    pub fn define(&mut self, value: Value, span: Span) -> Result<(), CodegenError> {
        let mut span = span;
        let ty = self.old.value(value).ty;
        if self.layouts.is_narrow() && self.layouts.is_promoted(ty) {
            span = self.promoted(span, ty)?;
        } else if span.len != self.layouts.real(ty).count() {
            span = self.put_together(value, span)?;
        }
        if self.operands(span).iter().any(|part| part.as_imm().is_some()) {
            let element = self.layouts.real(ty).element;
            let mut parts = self.operands(span).to_vec();
            for part in &mut parts {
                *part = self.typed(*part, element);
            }
            span = self.span(&parts);
        }
        let before = std::mem::replace(
            &mut self.mapped[value.index()],
            Mapped {
                span,
                is_declared: false,
            },
        );
        if !before.is_declared {
            return Ok(());
        }
        for index in 0..span.len {
            let (part, declared) = (self.part(span, index), self.part(before.span, index));
            let declared = declared.as_value().expect("a value was declared");
            let ty = self.new.value(declared).ty;
            let part = self.typed(part, ty);
            let data = InstData::new(Opcode::Copy, ty, 0, part, Operand::NONE);
            self.new.push_inst_into(data, declared, 1);
        }
        self.mapped[value.index()].span = before.span;
        Ok(())
    }

    /// Appends an instruction whose results are those of an old one, part by part.
    pub fn append_results(&mut self, data: InstData, old: &InstData) -> Result<(), CodegenError> {
        let Some(first) = old.first_result() else {
            self.new.push_inst(data);
            return Ok(());
        };
        let count = self.old.result_count(old);
        let before = self.mapped[first.index()];
        let is_promoted = self.layouts.is_narrow() && self.layouts.is_promoted(self.old.value(first).ty);
        if before.is_declared && !is_promoted {
            let total = (0..count)
                .map(|index| self.mapped[first.index() + index].span.len)
                .sum::<u32>();
            let declared = self.part(before.span, 0).as_value().expect("a value was declared");
            self.new.push_inst_into(data, declared, total as usize);
            for index in 0..count {
                self.mapped[first.index() + index].is_declared = false;
            }
            return Ok(());
        }
        let mut types = Vec::new();
        for index in 0..count {
            let layout = self.layouts.get(self.old.values()[first.index() + index].ty);
            for part in 0..layout.count() {
                types.push(self.part_type(layout, part)?);
            }
        }
        let mut next = self
            .new
            .push_inst_results(data, &types)
            .map_or(0, |value| value.index());
        for index in 0..count {
            let layout = self.layouts.get(self.old.values()[first.index() + index].ty);
            let start = self.parts.len();
            for _ in 0..layout.count() {
                self.parts.push(Operand::value(Value::new(next)));
                next += 1;
            }
            let span = self.span_from(start);
            self.define(Value::new(first.index() + index), span)?;
        }
        Ok(())
    }

    /// What became of an operand. Immediates and symbols stay.
    pub fn source(&mut self, operand: Operand) -> Result<Source, CodegenError> {
        let ty = self.old.operand_type(operand);
        let layout = self.layouts.get(ty.unwrap_or(Type::I64));
        if !self.pieces.is_empty()
            && let Some(pieces) = self.pieces_of(operand)
        {
            let span = self.build(layout, pieces.span, pieces.layout.chunk)?;
            return Ok(Source { span, layout });
        }
        let span = match operand.as_value() {
            Some(value) => {
                let span = self.value(value)?;
                match ty {
                    Some(ty) if self.layouts.is_narrow() && self.layouts.is_promoted(ty) => self.demoted(span, ty)?,
                    Some(ty) if span.len != layout.count() => self.take_apart(self.part(span, 0), ty)?,
                    _ => span,
                }
            }
            None if layout.is_scalar => self.span(&[operand]),
            None => self.constant_parts(operand, layout)?,
        };
        Ok(Source { span, layout })
    }

    /// The only part of an operand that is one value.
    pub fn single(&mut self, operand: Operand) -> Result<Operand, CodegenError> {
        match operand.as_value() {
            Some(value) => {
                let mut span = self.value(value)?;
                debug_assert!(span.len == 1);
                if let Some(ty) = self.old.operand_type(operand)
                    && self.layouts.is_narrow()
                    && self.layouts.is_promoted(ty)
                {
                    span = self.demoted(span, ty)?;
                }
                Ok(self.part(span, 0))
            }
            None if is_vector_of_addresses(self.old, operand) => {
                let source = self.source(operand)?;
                Ok(self.part(source.span, 0))
            }
            None => Ok(operand),
        }
    }

    /// Opens a phi for each value that an old phi's type is spread over; `room` is for their operands.
    pub fn open_phis(&mut self, old: Inst, result: Value, flags: u16, room: usize) -> Result<(), CodegenError> {
        let (layout, before) = (self.layout_of(result), self.mapped[result.index()]);
        let first = self.new.insts().len();
        let start = self.parts.len();
        for part in 0..layout.count() {
            let ty = self.part_type(layout, part)?;
            let data = self.new.open_phi(ty, flags, room);
            if before.is_declared {
                let declared = self.part(before.span, part).as_value().expect("a value was declared");
                self.new.push_inst_into(data, declared, 1);
                continue;
            }
            let phi = self.new.push_inst_result(data, ty);
            self.parts.push(Operand::value(phi));
        }
        let span = if before.is_declared {
            before.span
        } else {
            self.span_from(start)
        };
        self.mapped[result.index()] = Mapped {
            span,
            is_declared: false,
        };
        self.phis.push((Inst::new(first), old));
        Ok(())
    }

    fn constant_parts(&mut self, operand: Operand, layout: Layout) -> Result<Span, CodegenError> {
        if layout.is_whole() && !is_vector_of_addresses(self.old, operand) {
            return Ok(self.span(&[operand]));
        }
        let mut made = Vec::new();
        for part in 0..layout.count() {
            let first = part * layout.chunk.max(1);
            if layout.is_bits {
                made.push(self.constant_bits_of_mask(operand, layout, part)?);
                continue;
            }
            if layout.is_promoted {
                made.push(self.constant_mask(operand, layout, part)?);
                continue;
            }
            let part = match layout.is_scalarised() {
                true => self.constant_lane(operand, layout.element, first),
                false => self.constant_lanes(operand, layout.element, first, layout.lanes_of(part))?,
            };
            made.push(part);
        }
        Ok(self.span(&made))
    }

    /// A part of a constant mask as integers.
    fn constant_mask(&mut self, operand: Operand, layout: Layout, part: u32) -> Result<Operand, CodegenError> {
        let first = part * layout.chunk;
        let mut lanes = Vec::new();
        for lane in first..first + layout.lanes_of(part) {
            let bit = self.constant_lane(operand, Type::I1, lane);
            // What is undefined may be zero.
            let is_set = super::lane_bits(&self.new, bit).is_some_and(|bits| bits & 1 != 0);
            lanes.push(self.new.int_operand(layout.element, -i128::from(is_set)));
        }
        let ty = self.part_type(layout, part)?;
        Ok(Operand::constant(self.new.push_vector_const(ty, &lanes)))
    }

    /// Some lanes of a constant vector, of the old function or the new one, as a vector.
    pub fn constant_lanes(
        &mut self,
        operand: Operand,
        element: Type,
        first: u32,
        lanes: u32,
    ) -> Result<Operand, CodegenError> {
        let ty = self.vector(element, lanes)?;
        let id = operand.as_const().expect("a vector that is no value is a constant");
        let kind = match self.new.constant(id).1 {
            ConstView::Undef => ConstKind::Undef,
            ConstView::Poison => ConstKind::Poison,
            ConstView::Zero => ConstKind::Zero,
            ConstView::Vector(all) => {
                let taken = all[first as usize..(first + lanes) as usize].to_vec();
                return self.vector_of_constants(ty, &taken);
            }
            _ => {
                return Err(CodegenError::unsupported(
                    Refusal::Vector,
                    "a constant vector of another kind",
                ));
            }
        };
        Ok(self.plain(kind, ty))
    }

    /// A vector of constants; addresses are inserted one by one.
    fn vector_of_constants(&mut self, ty: Type, lanes: &[Operand]) -> Result<Operand, CodegenError> {
        if !lanes.iter().any(|&lane| is_address(&self.new, lane)) {
            return Ok(Operand::constant(self.new.push_vector_const(ty, lanes)));
        }
        let mut vector = self.plain(ConstKind::Poison, ty);
        for (index, &lane) in (0..).zip(lanes) {
            vector = self.insert_at(ty, vector, lane, index);
        }
        Ok(vector)
    }

    /// A lane of a constant vector.
    pub fn constant_lane(&mut self, operand: Operand, element: Type, index: u32) -> Operand {
        let id = operand.as_const().expect("a vector that is no value is a constant");
        match self.new.constant(id).1 {
            ConstView::Vector(lanes) => lanes[index as usize],
            ConstView::Undef => self.plain(ConstKind::Undef, element),
            ConstView::Poison => self.plain(ConstKind::Poison, element),
            _ => match self.new.types().data(element) {
                TypeData::Int(_) | TypeData::Ptr(_) => Operand::ZERO,
                _ => self.plain(ConstKind::Zero, element),
            },
        }
    }

    /// A constant without payload.
    pub fn plain(&mut self, kind: ConstKind, ty: Type) -> Operand {
        Operand::constant(self.new.push_plain_const(kind, ty))
    }

    /// An operand that carries its type.
    pub fn typed(&mut self, operand: Operand, ty: Type) -> Operand {
        match operand.as_imm() {
            Some(0) if matches!(self.new.types().data(ty), TypeData::Ptr(_)) => self.plain(ConstKind::Zero, ty),
            Some(imm) => {
                let words = [imm.cast_unsigned(), (imm >> 63).cast_unsigned()];
                Operand::constant(self.new.push_int(ty, &words))
            }
            None => operand,
        }
    }

    /// A vector with the same number in each of its lanes.
    pub fn splat(&mut self, element: Type, lanes: u32, number: i64) -> Result<Operand, CodegenError> {
        let ty = self.vector(element, lanes)?;
        let lane = self.new.int_operand(element, i128::from(number));
        Ok(Operand::constant(
            self.new.push_vector_const(ty, &vec![lane; lanes as usize]),
        ))
    }

    /// Appends an instruction of at most two operands with one result.
    pub fn emit(&mut self, op: Opcode, ty: Type, flags: u16, operands: [Operand; 2], result: Type) -> Operand {
        let data = InstData::new(op, ty, flags, operands[0], operands[1]);
        Operand::value(self.new.push_inst_result(data, result))
    }

    /// Appends an instruction of one operand whose result has the instruction's type.
    pub fn unary(&mut self, op: Opcode, ty: Type, operand: Operand) -> Operand {
        self.emit(op, ty, 0, [operand, Operand::NONE], ty)
    }

    /// Appends an instruction of two operands whose result has the instruction's type.
    pub fn binary(&mut self, op: Opcode, ty: Type, a: Operand, b: Operand) -> Operand {
        self.emit(op, ty, 0, [a, b], ty)
    }

    /// Appends an instruction of three operands.
    pub fn ternary(&mut self, op: Opcode, ty: Type, flags: u16, operands: [Operand; 3]) -> Operand {
        let [a, rest @ ..] = operands;
        let rest = self.new.push_pool(&rest);
        self.emit(op, ty, flags, [a, Operand::raw(rest)], ty)
    }

    /// Appends an instruction without result.
    pub fn effect(&mut self, op: Opcode, ty: Type, flags: u16, a: Operand, b: Operand) {
        self.new.push_inst(InstData::new(op, ty, flags, a, b));
    }

    /// A vector with another lane.
    pub fn insert_at(&mut self, ty: Type, vector: Operand, lane: Operand, index: u32) -> Operand {
        self.ternary(Opcode::InsertElement, ty, 0, [vector, lane, number(index)])
    }

    /// A stack slot of at least this size, whose contents are of interest only until the next one is asked for.
    pub fn slot(&mut self, bytes: u64) -> Operand {
        let bytes = bytes.max(1).next_multiple_of(16);
        let fits = self.slots.iter().find(|slot| slot.0 >= bytes);
        let address = match fits {
            Some(&(_, address)) => address,
            None => {
                let address = self.own_slot(bytes, SLOT_ALIGN_LOG2);
                self.slots.push((bytes, address));
                address
            }
        };
        Operand::value(address)
    }

    /// A stack slot of this size and alignment.
    pub fn own_slot(&mut self, bytes: u64, align_log2: u8) -> Value {
        self.new.push_slot(bytes, align_log2)
    }

    /// Copies the stack slots of the old function.
    ///
    /// # Errors
    /// As [`Rebuild::define`].
    pub fn copy_slots(&mut self) -> Result<(), CodegenError> {
        for slot in self.old.slots() {
            let address = self.new.push_slot(slot.size, slot.align_log2);
            let span = self.span(&[Operand::value(address)]);
            self.define(slot.address, span)?;
        }
        Ok(())
    }

    /// The layout of an old value's type.
    pub fn layout_of(&self, value: Value) -> Layout {
        self.layouts.get(self.old.value(value).ty)
    }
}

/// Alignment of slots for values on their way through memory.
pub(super) const SLOT_ALIGN_LOG2: u8 = 4;

/// A small number as an operand.
pub(super) fn number(value: u32) -> Operand {
    Operand::imm(i64::from(value)).unwrap_or(Operand::ZERO)
}

/// Whether an operand is a constant that is an address.
fn is_address(function: &Function, operand: Operand) -> bool {
    let is_constant = |id| {
        let view = function.constant(id).1;
        matches!(view, ConstView::Symbol(..) | ConstView::BlockAddress(..))
    };
    operand.as_symbol().is_some() || operand.as_const().is_some_and(is_constant)
}

/// Whether an operand is a constant vector that has an address in it, for which no target has a form.
pub(super) fn is_vector_of_addresses(function: &Function, operand: Operand) -> bool {
    let lanes = operand.as_const().map(|id| function.constant(id).1);
    matches!(lanes, Some(ConstView::Vector(lanes)) if lanes.iter().any(|&lane| is_address(function, lane)))
}
