//! Operations on vectors, lane by lane.
//!
//! ```text
//! v2 = udiv <2 x i64> v0, v1
//! ```
//! becomes
//! ```text
//! v3 = extract_element <2 x i64> v0, 0
//! v4 = extract_element <2 x i64> v1, 0
//! v5 = udiv i64 v3, v4
//! v6 = insert_element <2 x i64> poison, v5, 0
//! ...
//! ```
//! Most become [other operations](super::through) on vectors. This is done to a copy of a function, and only when a
//! rule met an operation that its target has no instructions for ([`crate::halt::Halt::Expand`]): functions without
//! such operations do not pay for it. Elements with an index that is not constant go through a stack slot.

use crate::error::CodegenError;
use crate::isa::Isa;
use crate::unit::Unit;
use crate::vectors::VectorShape;
use frazil_ir::edit::Editor;
use frazil_ir::typing::{is_cast, is_reduction};
use frazil_ir::{
    ConstKind, ConstView, EntityRef, Format, Function, Inst, InstData, MemFlags, Opcode, Operand, Refusal, Results,
    Type, TypeData, Value,
};

/// A copy of the function without operations that the target has no instructions for.
///
/// # Errors
/// When the function then has too many types.
pub(crate) fn expand<I: Isa>(isa: &I, unit: &Unit<'_>) -> Result<Function, CodegenError> {
    let mut function = unit.function.clone();
    let count = function.insts().len();
    let mut editor = Editor::default();
    editor.begin(&function);
    let mut cx = Expander {
        function: &mut function,
        editor: &mut editor,
        at: Inst::new(0),
        has: &|function, data| isa.has_vector_operation(function, unit.view, data),
        register_bytes: isa.desc().vector_bytes,
        slot: None,
    };
    for index in 0..count {
        let inst = Inst::new(index);
        let data = *cx.function.inst(inst);
        if is_vector_operation(cx.function, &data) && !cx.has(&data) {
            cx.at = inst;
            match cx.rewrite(&data)? {
                Some(result) => cx.finish(&data, result),
                None => cx.expand(&data)?,
            }
        }
    }
    editor.commit(&mut function);
    Ok(function)
}

/// Whether an instruction computes with vectors; phis, calls and the like only pass them on.
fn is_vector_operation(function: &Function, data: &InstData) -> bool {
    let has_vector_type = matches!(function.types().data(data.ty), TypeData::Vector { .. });
    is_reduction(data.op) || (has_vector_type && !matches!(data.op.format(), Format::Phi))
}

pub(super) struct Expander<'f> {
    pub function: &'f mut Function,
    pub editor: &'f mut Editor,
    /// The instruction that is replaced.
    at: Inst,
    /// Whether the target has instructions for an operation.
    has: &'f dyn Fn(&Function, &InstData) -> bool,
    /// Bytes of a vector register: size and alignment of the slot.
    register_bytes: u8,
    /// The address of the slot for elements with a variable index.
    slot: Option<Value>,
}

impl Expander<'_> {
    /// Whether the target has instructions for an operation.
    pub fn has(&self, data: &InstData) -> bool {
        (self.has)(self.function, data)
    }

    fn expand(&mut self, data: &InstData) -> Result<(), CodegenError> {
        match data.op {
            Opcode::Load => self.load_mask(data),
            Opcode::Store => self.store_mask(data),
            Opcode::ExtractElement => self.extract(data),
            Opcode::InsertElement => self.insert(data),
            Opcode::Shuffle => self.shuffle(data),
            op if is_reduction(op) => self.reduce(data),
            op if matches!(op.format(), Format::Unary | Format::Binary | Format::Ternary)
                && matches!(op.results(), Results::Ty | Results::Bool | Results::TyAndBool)
                && op.effects() != frazil_ir::Effects::Any
                && op != Opcode::Bitcast =>
            {
                self.each_lane(data)
            }
            op => {
                let error = CodegenError::unsupported(Refusal::Vector, format!("{} of vectors", op.name()));
                Err(error)
            }
        }
    }

    /// Queues an instruction with one result before the one that is replaced.
    pub fn emit(&mut self, op: Opcode, ty: Type, flags: u16, a: Operand, b: Operand, result: Type) -> Operand {
        let data = InstData::new(op, ty, flags, a, b);
        let value = self.editor.insert_before(self.function, self.at, data, Some(result));
        Operand::value(value.expect("it has a result"))
    }

    /// Uses an operand instead of the instruction's only result, and removes the instruction.
    pub fn finish(&mut self, data: &InstData, result: Operand) {
        self.editor
            .replace_uses(self.function, Value::new(data.result as usize), result);
        self.editor.remove(self.function, self.at);
    }

    /// A constant without contents of its own.
    pub fn plain(&mut self, kind: ConstKind, ty: Type) -> Operand {
        Operand::constant(self.function.push_plain_const(kind, ty))
    }

    /// Interned in the function that is changed.
    pub fn intern(&mut self, data: TypeData) -> Result<Type, CodegenError> {
        let interned = self.function.intern_type(data);
        interned.map_err(|error| CodegenError::unsupported(Refusal::Instruction, error.to_string()))
    }

    /// The vector type, added to those of the function if it is new.
    pub fn vector(&mut self, element: Type, lanes: u32) -> Result<Type, CodegenError> {
        self.intern(TypeData::Vector { element, lanes })
    }

    /// Type, element type and number of lanes of a vector operand.
    pub fn vector_type(&self, operand: Operand) -> Option<(Type, Type, u32)> {
        let ty = self.function.operand_type(operand)?;
        match self.function.types().data(ty) {
            TypeData::Vector { element, lanes } => Some((ty, element, lanes)),
            _ => None,
        }
    }

    /// How a vector of this type lies in a register.
    pub fn shape(&self, ty: Type) -> Option<VectorShape> {
        VectorShape::of(self.function.types(), ty, self.register_bytes)
    }

    /// A lane of a vector operand; other operands are the same for each lane.
    pub fn lane(&mut self, operand: Operand, index: u32) -> Operand {
        let operand = self.editor.resolve(operand);
        let Some((ty, element, _)) = self.vector_type(operand) else {
            return operand;
        };
        let constant = operand.as_const().map(|id| self.function.constant(id).1);
        match constant {
            Some(ConstView::Vector(lanes)) => lanes[index as usize],
            Some(ConstView::Undef) => self.plain(ConstKind::Undef, element),
            Some(ConstView::Poison) => self.plain(ConstKind::Poison, element),
            Some(_) => match self.function.types().data(element) {
                TypeData::Int(_) | TypeData::Ptr(_) => Operand::ZERO,
                _ => self.plain(ConstKind::Zero, element),
            },
            None => self.emit(Opcode::ExtractElement, ty, 0, operand, number(index), element),
        }
    }

    /// An operand that carries its type.
    fn typed(&mut self, operand: Operand, ty: Type) -> Operand {
        match operand.as_imm() {
            Some(_) if ty == Type::PTR => self.plain(ConstKind::Zero, ty),
            Some(imm) => {
                let words = [imm.cast_unsigned(), (imm >> 63).cast_unsigned()];
                Operand::constant(self.function.push_int(ty, &words))
            }
            None => operand,
        }
    }

    /// A vector of these lanes.
    fn collect(&mut self, ty: Type, lanes: &[Operand]) -> Operand {
        let mut vector = self.plain(ConstKind::Poison, ty);
        for (index, &lane) in (0..).zip(lanes) {
            vector = self.insert_at(ty, vector, lane, index);
        }
        vector
    }

    fn insert_at(&mut self, ty: Type, vector: Operand, lane: Operand, index: u32) -> Operand {
        let rest = self.function.push_pool(&[lane, number(index)]);
        self.emit(Opcode::InsertElement, ty, 0, vector, Operand::raw(rest), ty)
    }

    /// Any operation that does the same to each lane.
    fn each_lane(&mut self, data: &InstData) -> Result<(), CodegenError> {
        for (offset, lanes) in self.results_by_lane(data)?.iter().enumerate() {
            if !lanes.is_empty() {
                let old = Value::new(data.result as usize + offset);
                let vector = self.collect(self.function.value(old).ty, lanes);
                self.editor.replace_uses(self.function, old, vector);
            }
        }
        self.editor.remove(self.function, self.at);
        Ok(())
    }

    /// The same for an operation that is not in the function, with one result of this type.
    pub fn by_lane(&mut self, data: &InstData, result: Type) -> Result<Operand, CodegenError> {
        let [lanes, _] = self.results_by_lane(data)?;
        Ok(self.collect(result, &lanes))
    }

    /// The lanes of both results.
    fn results_by_lane(&mut self, data: &InstData) -> Result<[Vec<Operand>; 2], CodegenError> {
        let TypeData::Vector { element, lanes } = self.function.types().data(data.ty) else {
            return Err(CodegenError::unsupported(
                Refusal::Vector,
                format!("{} of vectors", data.op.name()),
            ));
        };
        let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
        for index in 0..lanes {
            let scalar = self.scalar_operation(data, element, index);
            let result = match data.op.results() {
                Results::Ty => element,
                Results::Bool => Type::I1,
                _ => {
                    let value = self.function.declare_value(element);
                    let flag = self.function.declare_value(Type::I1);
                    let scalar = InstData {
                        result: value.as_u32(),
                        ..scalar
                    };
                    self.editor.insert_before_into(self.function, self.at, scalar);
                    firsts.push(Operand::value(value));
                    seconds.push(Operand::value(flag));
                    continue;
                }
            };
            let value = self.editor.insert_before(self.function, self.at, scalar, Some(result));
            firsts.push(Operand::value(value.expect("it has a result")));
        }
        Ok([firsts, seconds])
    }

    /// The operation of one lane.
    fn scalar_operation(&mut self, data: &InstData, element: Type, index: u32) -> InstData {
        let carries = is_cast(data.op) || matches!(data.op, Opcode::Scmp | Opcode::Ucmp);
        let mut a = self.lane(data.a, index);
        if carries && let Some((_, from, _)) = self.vector_type(data.a) {
            a = self.typed(a, from);
        }
        let b = match data.op.format() {
            Format::Binary => self.lane(data.b, index),
            Format::Ternary => {
                let (second, third) = self.function.ternary(data);
                let rest = [self.lane(second, index), self.lane(third, index)];
                Operand::raw(self.function.push_pool(&rest))
            }
            _ => data.b,
        };
        InstData::new(data.op, element, data.flags, a, b)
    }

    fn reduce(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let (start, vector) = match data.op.format() {
            Format::Binary => (Some(data.a), data.b),
            _ => (None, data.a),
        };
        let Some((_, element, lanes)) = self.vector_type(vector) else {
            return Err(CodegenError::unsupported(
                Refusal::Vector,
                format!("{} of vectors", data.op.name()),
            ));
        };
        let op = reduced_by(data.op);
        let mut sum = start;
        for index in 0..lanes {
            let lane = self.lane(vector, index);
            sum = Some(match sum {
                Some(sum) => self.emit(op, element, data.flags, sum, lane, element),
                None => lane,
            });
        }
        self.finish(data, sum.unwrap_or(Operand::ZERO));
        Ok(())
    }

    fn shuffle(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let (second, mask) = self.function.ternary(data);
        let (Some((_, _, from_lanes)), TypeData::Vector { lanes, .. }) =
            (self.vector_type(data.a), self.function.types().data(data.ty))
        else {
            return Err(CodegenError::unsupported(
                Refusal::Vector,
                "a shuffle of something else than vectors",
            ));
        };
        let mut vector = self.plain(ConstKind::Poison, data.ty);
        for index in 0..lanes {
            let Some(from) = shuffle_index(self.function, mask, index) else {
                continue;
            };
            let lane = match from.checked_sub(from_lanes) {
                None => self.lane(data.a, from),
                Some(from) => self.lane(second, from),
            };
            vector = self.insert_at(data.ty, vector, lane, index);
        }
        self.finish(data, vector);
        Ok(())
    }

    /// Stores the vector, loads the element.
    fn extract(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let (vector, ty, element) = self.lanes_in_memory(data, data.a)?;
        let Some(address) = self.element_address(ty, data.b)? else {
            let poison = self.plain(ConstKind::Poison, self.function.types().scalar(data.ty));
            self.finish(data, poison);
            return Ok(());
        };
        self.store_to_slot(ty, vector);
        let flags = self.element_flags(element);
        let mut value = self.emit(Opcode::Load, element, flags, address, Operand::NONE, element);
        if self.function.types().scalar(data.ty) == Type::I1 {
            value = self.emit(Opcode::Trunc, Type::I1, 0, value, Operand::NONE, Type::I1);
        }
        self.finish(data, value);
        Ok(())
    }

    /// Stores the vector and the element, loads the vector.
    fn insert(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let (value, index) = self.function.ternary(data);
        let (vector, ty, element) = self.lanes_in_memory(data, data.a)?;
        let Some(address) = self.element_address(ty, index)? else {
            let poison = self.plain(ConstKind::Poison, data.ty);
            self.finish(data, poison);
            return Ok(());
        };
        let is_mask = ty != data.ty;
        let mut value = self.editor.resolve(value);
        if is_mask {
            value = self.typed(value, Type::I1);
            value = self.emit(Opcode::Sext, element, 0, value, Operand::NONE, element);
        }
        self.store_to_slot(ty, vector);
        let store = InstData::new(Opcode::Store, element, self.element_flags(element), value, address);
        self.editor.insert_before(self.function, self.at, store, None);
        let slot = Operand::value(self.slot());
        let mut vector = self.emit(Opcode::Load, ty, self.slot_flags(), slot, Operand::NONE, ty);
        if is_mask {
            vector = self.emit(Opcode::Trunc, data.ty, 0, vector, Operand::NONE, data.ty);
        }
        self.finish(data, vector);
        Ok(())
    }

    /// A vector whose lanes are whole bytes: a mask as integers. With its type and that of its elements.
    fn lanes_in_memory(&mut self, data: &InstData, vector: Operand) -> Result<(Operand, Type, Type), CodegenError> {
        let vector = self.editor.resolve(vector);
        let Some(shape) = self.shape(data.ty) else {
            return Err(crate::abi::unsupported_type(self.function.types(), data.ty));
        };
        if !shape.is_mask {
            return Ok((vector, data.ty, shape.element));
        }
        let element = Type::primitive_int(shape.lane_bits).unwrap_or(Type::I64);
        let ty = self.vector(element, shape.lanes)?;
        Ok((self.emit(Opcode::Sext, ty, 0, vector, Operand::NONE, ty), ty, element))
    }

    fn store_to_slot(&mut self, ty: Type, vector: Operand) {
        let slot = Operand::value(self.slot());
        let store = InstData::new(Opcode::Store, ty, self.slot_flags(), vector, slot);
        self.editor.insert_before(self.function, self.at, store, None);
    }

    fn slot(&mut self) -> Value {
        let (function, bytes) = (&mut *self.function, self.register_bytes);
        *self
            .slot
            .get_or_insert_with(|| function.push_slot(bytes.into(), bytes.trailing_zeros() as u8))
    }

    /// The flags of accesses to the slot's start.
    fn slot_flags(&self) -> u16 {
        MemFlags::aligned(self.register_bytes.trailing_zeros()).0
    }

    /// The address in the slot of an element; `None` if the index is a constant out of range. Others that are out of
    /// range give poison, but must not leave the slot.
    fn element_address(&mut self, ty: Type, index: Operand) -> Result<Option<Operand>, CodegenError> {
        let Some(shape) = self.shape(ty) else {
            return Err(crate::abi::unsupported_type(self.function.types(), ty));
        };
        let index = self.editor.resolve(index);
        if index.as_value().is_none() {
            return Ok(None);
        }
        let bits = self
            .function
            .operand_type(index)
            .and_then(|ty| self.function.types().int_bits(ty));
        let wide = match bits.unwrap_or(64) {
            64 => index,
            65.. => self.emit(Opcode::Trunc, Type::I64, 0, index, Operand::NONE, Type::I64),
            _ => self.emit(Opcode::Zext, Type::I64, 0, index, Operand::NONE, Type::I64),
        };
        let last = number(shape.lanes.next_power_of_two() - 1);
        let inside = self.emit(Opcode::And, Type::I64, 0, wide, last, Type::I64);
        let scale = (shape.lane_bits / 8) as u16;
        let slot = Operand::value(self.slot());
        Ok(Some(self.emit(
            Opcode::PtrIndex,
            Type::PTR,
            scale,
            slot,
            inside,
            Type::PTR,
        )))
    }

    fn element_flags(&self, element: Type) -> u16 {
        let bytes = self.function.types().store_bytes(element, 64).max(1);
        MemFlags::aligned(bytes.trailing_zeros().min(self.register_bytes.trailing_zeros())).0
    }

    /// A mask in memory is an integer of as many bits as it has lanes.
    fn load_mask(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let bits = self.mask_integer(data)?;
        let loaded = self.emit(Opcode::Load, bits, data.flags, data.a, Operand::NONE, bits);
        let mask = self.emit(Opcode::Bitcast, data.ty, 0, loaded, Operand::NONE, data.ty);
        self.finish(data, mask);
        Ok(())
    }

    fn store_mask(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let bits = self.mask_integer(data)?;
        let mask = self.editor.resolve(data.a);
        let value = self.emit(Opcode::Bitcast, bits, 0, mask, Operand::NONE, bits);
        let store = InstData::new(Opcode::Store, bits, data.flags, value, data.b);
        self.editor.insert_before(self.function, self.at, store, None);
        self.editor.remove(self.function, self.at);
        Ok(())
    }

    fn mask_integer(&mut self, data: &InstData) -> Result<Type, CodegenError> {
        match self.shape(data.ty) {
            Some(shape) if shape.is_mask => self.intern(TypeData::Int(shape.lanes)),
            _ => Err(CodegenError::unsupported(
                Refusal::Vector,
                format!("{} of vectors", data.op.name()),
            )),
        }
    }
}

/// The index of a lane that a shuffle takes; `None` for any.
pub fn shuffle_index(function: &Function, mask: Operand, lane: u32) -> Option<u32> {
    let ConstView::Vector(lanes) = function.constant(mask.as_const()?).1 else {
        return matches!(function.constant(mask.as_const()?).1, ConstView::Zero).then_some(0);
    };
    lanes.get(lane as usize)?.as_imm()?.try_into().ok()
}

/// What joins the lanes of a reduction.
pub(super) fn reduced_by(op: Opcode) -> Opcode {
    match op {
        Opcode::ReduceAdd => Opcode::Add,
        Opcode::ReduceMul => Opcode::Mul,
        Opcode::ReduceAnd => Opcode::And,
        Opcode::ReduceOr => Opcode::Or,
        Opcode::ReduceXor => Opcode::Xor,
        Opcode::ReduceSmin => Opcode::Smin,
        Opcode::ReduceSmax => Opcode::Smax,
        Opcode::ReduceUmin => Opcode::Umin,
        Opcode::ReduceUmax => Opcode::Umax,
        Opcode::ReduceFmin => Opcode::Fminnum,
        Opcode::ReduceFmax => Opcode::Fmaxnum,
        Opcode::ReduceFadd => Opcode::Fadd,
        _ => Opcode::Fmul,
    }
}

/// A small number as an operand.
pub(super) fn number(value: u32) -> Operand {
    Operand::imm(i64::from(value)).unwrap_or(Operand::ZERO)
}
