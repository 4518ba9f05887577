//! Arithmetic, comparisons, casts, select and freeze.

use super::super::codes::casts;
use super::context::{Body, Operands};
use super::{fast_math, wide};
use crate::builder::class::Class;
use crate::builder::values::Builder;
use crate::builder::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::llvm::types::TypeId;
use crate::operations;
use frazil_ir::{InstData, IntFlags, Opcode, Operand, Type, TypeData};

/// What a scalar type, or the element type of a vector, is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    Integer,
    Float,
    Pointer,
}

impl Builder<'_, '_> {
    /// What a type's elements are.
    pub(super) fn domain(&self, ir_type: Type) -> Domain {
        if ir_type.index() <= Type::I128.index() {
            return Domain::Integer;
        }
        match self.function.types().data(self.function.types().scalar(ir_type)) {
            TypeData::Int(_) | TypeData::Void => Domain::Integer,
            TypeData::Ptr(_) => Domain::Pointer,
            _ => Domain::Float,
        }
    }

    /// The opcode of a binary operation on a type.
    ///
    /// # Errors
    /// If the operation is not known or does not go with the type.
    pub fn binary_opcode(&self, number: u64, ir_type: Type) -> Result<Opcode, ReadError> {
        let found = match self.domain(ir_type) {
            Domain::Integer => operations::of_integers(number),
            Domain::Float => operations::of_floats(number),
            Domain::Pointer => None,
        };
        found.ok_or_else(|| self.malformed(format!("binary operation {number} on a type that has none")))
    }
}

/// A scalar or vector operand.
pub(super) fn single(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<Word, ReadError> {
    let word = body.value(operands)?;
    if word.is_operand() {
        Ok(word)
    } else {
        Err(body.build.not_single(word))
    }
}

/// Two operands and an operation, perhaps with flags.
pub(in crate::llvm) fn binary(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let left = body.value(operands)?;
    let right = body.value_like(operands, left)?;
    let number = operands.next()?;
    if !left.is_operand() {
        return wide::binary(body, left, right, number);
    }
    let flags = operands.next_or_zero();
    binary_of(body, left, right, number, flags)
}

/// Appends a binary operation on operands of one type.
#[inline]
pub(in crate::llvm) fn binary_of(
    body: &mut Body<'_, '_>,
    left: Word,
    right: Word,
    number: u64,
    flags: u64,
) -> Result<(), ReadError> {
    let ir_type = left.ir_type();
    let op = body.build.binary_opcode(number, ir_type)?;
    let flags = match op {
        Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl => flags as u16 & 3,
        Opcode::Udiv | Opcode::Sdiv | Opcode::Lshr | Opcode::Ashr if flags & 1 != 0 => IntFlags::EXACT.bits(),
        Opcode::Or if flags & 1 != 0 => IntFlags::DISJOINT.bits(),
        Opcode::Fadd | Opcode::Fsub | Opcode::Fmul | Opcode::Fdiv | Opcode::Frem => fast_math(flags),
        _ => 0,
    };
    if matches!(op, Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem) && body.build.is_odd_wide(ir_type) {
        return wide::odd_division(body, op, left, right);
    }
    let data = InstData::new(op, ir_type, flags, left.operand(), right.operand());
    body.build.define_simple(data, ir_type, left.ty())
}

/// Negation of a floating-point number, perhaps with flags.
pub(in crate::llvm) fn unary(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let value = single(body, operands)?;
    let number = operands.next()?;
    if number != 0 || body.build.domain(value.ir_type()) != Domain::Float {
        return Err(body
            .build
            .malformed(format!("unary operation {number} on a type that has none")));
    }
    let flags = fast_math(operands.next_or_zero());
    let data = InstData::new(Opcode::Fneg, value.ir_type(), flags, value.operand(), Operand::NONE);
    body.build.define(data, value.ir_type(), value.ty())
}

/// An operand, the type it becomes, and the cast, perhaps with flags.
pub(in crate::llvm) fn cast(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let value = body.value(operands)?;
    let ty = body.build.type_id(operands.next()?)?;
    let number = operands.next()?;
    let flags = operands.next_or_zero();
    if !value.is_operand() {
        body.build.expect_wide(value)?;
        return wide::cast(body, value, ty, number);
    }
    cast_of(body, value, ty, number, flags)
}

/// Appends a cast of an operand.
#[inline]
pub(in crate::llvm) fn cast_of(
    body: &mut Body<'_, '_>,
    value: Word,
    ty: TypeId,
    number: u64,
    flags: u64,
) -> Result<(), ReadError> {
    let to = match body.build.class(ty)? {
        Class::Scalar(to) => to,
        _ if body.build.wide_bits(ty).is_some() => return wide::cast(body, value, ty, number),
        _ => body.build.scalar_class(ty)?,
    };
    let Some(op) = body.build.cast_opcode(number, value.ir_type(), to)? else {
        return body.build.define_as(value.with_type(ty));
    };
    let flags = match number {
        casts::TRUNC => flags as u16 & 3,
        casts::ZEXT | casts::UI_TO_FP if flags & 1 != 0 => IntFlags::NNEG.bits(),
        casts::FP_TRUNC | casts::FP_EXT => fast_math(flags),
        _ => 0,
    };
    let source = match op {
        Opcode::Sitofp | Opcode::Uitofp if body.build.is_odd_wide(value.ir_type()) => {
            body.build.odd_source(value, op == Opcode::Sitofp)
        }
        _ => body.build.typed(value),
    };
    body.build
        .define_simple(InstData::new(op, to, flags, source, Operand::NONE), to, ty)
}

/// The number of a conversion in the file; `None` for other operations.
pub(super) fn cast_number(op: Opcode) -> Option<u64> {
    Some(match op {
        Opcode::Trunc => casts::TRUNC,
        Opcode::Zext => casts::ZEXT,
        Opcode::Sext => casts::SEXT,
        Opcode::Fptoui => casts::FP_TO_UI,
        Opcode::Fptosi => casts::FP_TO_SI,
        Opcode::Uitofp => casts::UI_TO_FP,
        Opcode::Sitofp => casts::SI_TO_FP,
        Opcode::Fptrunc => casts::FP_TRUNC,
        Opcode::Fpext => casts::FP_EXT,
        Opcode::Ptrtoint => casts::PTR_TO_INT,
        Opcode::Inttoptr => casts::INT_TO_PTR,
        _ => return None,
    })
}

/// Two operands and a predicate, perhaps with flags.
pub(in crate::llvm) fn compare(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let left = body.value(operands)?;
    let right = body.value_like(operands, left)?;
    let predicate = operands.next()?;
    let flags = operands.next_or_zero();
    if !left.is_operand() {
        return wide::compare(body, left, right, predicate);
    }
    compare_of(body, left, right, predicate, flags)
}

/// Appends a comparison of operands of one type.
#[inline]
pub(in crate::llvm) fn compare_of(
    body: &mut Body<'_, '_>,
    left: Word,
    right: Word,
    predicate: u64,
    flags: u64,
) -> Result<(), ReadError> {
    let ir_type = left.ir_type();
    let op = body.build.compare_opcode(predicate, ir_type)?;
    let flags = match op {
        _ if op.is_fcmp() => fast_math(flags),
        _ if flags & 1 != 0 => IntFlags::SAMESIGN.bits(),
        _ => 0,
    };
    let result = body.build.bool_like(ir_type)?;
    let data = InstData::new(op, ir_type, flags, left.operand(), right.operand());
    body.build.define_simple(data, result, NO_TYPE)
}

impl Builder<'_, '_> {
    /// The opcode of a comparison of a type.
    ///
    /// # Errors
    /// If the predicate is not known or does not go with the type.
    pub fn compare_opcode(&self, predicate: u64, ir_type: Type) -> Result<Opcode, ReadError> {
        let op = match self.domain(ir_type) {
            Domain::Float => operations::comparison_of_floats(predicate),
            _ => operations::comparison_of_integers(predicate),
        };
        op.ok_or_else(|| self.malformed(format!("predicate {predicate} on a type that does not have it")))
    }

    /// `i1`, or a vector of it with as many lanes.
    ///
    /// # Errors
    /// If the function has too many types.
    pub fn bool_like(&mut self, ir_type: Type) -> Result<Type, ReadError> {
        if ir_type.index() < usize::from(Type::FIRST_EXTRA) {
            return Ok(Type::I1);
        }
        match self.function.types().data(ir_type) {
            TypeData::Vector { lanes, .. } => self.intern(TypeData::Vector {
                element: Type::I1,
                lanes,
            }),
            _ => Ok(Type::I1),
        }
    }
}

/// The value if true, the value if false, the condition, perhaps flags.
pub(in crate::llvm) fn select(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let if_true = body.value(operands)?;
    let if_false = body.value_like(operands, if_true)?;
    let condition = single(body, operands)?;
    let flags = fast_math(operands.next_or_zero());
    choose(body, condition, [if_true, if_false], flags)
}

/// Appends a choice between values of one type: if true, if false.
pub(in crate::llvm) fn choose(
    body: &mut Body<'_, '_>,
    condition: Word,
    [if_true, if_false]: [Word; 2],
    flags: u16,
) -> Result<(), ReadError> {
    let build = &mut body.build;
    if condition.ir_type() != Type::I1
        && (!if_true.is_operand() || build.bool_like(if_true.ir_type())? != condition.ir_type())
    {
        return Err(build.malformed("a select by something that is no condition for it"));
    }
    if if_true.is_operand() {
        let rest = build.function.push_pool(&[if_true.operand(), if_false.operand()]);
        let ir_type = if_true.ir_type();
        let flags = if build.domain(ir_type) == Domain::Float {
            flags
        } else {
            0
        };
        let data = InstData::new(Opcode::Select, ir_type, flags, condition.operand(), Operand::raw(rest));
        return build.define(data, ir_type, if_true.ty());
    }
    let leaves = build.leaves(if_true.ty())?;
    build.check_room(leaves.len())?;
    let mut parts = Vec::with_capacity(leaves.len());
    for (index, place) in leaves.enumerate() {
        let ir_type = build.leaf(place).ir_type;
        let choices = [build.part(if_true, index as u32), build.part(if_false, index as u32)];
        let rest = build.function.push_pool(&choices);
        parts.push(build.emit(Opcode::Select, ir_type, 0, condition.operand(), Operand::raw(rest)));
    }
    build.define_parts(if_true.ty(), &parts)
}

/// The same value, decided where it was undecided.
pub(in crate::llvm) fn freeze(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let value = body.value(operands)?;
    let build = &mut body.build;
    if value.is_operand() {
        let data = InstData::new(Opcode::Freeze, value.ir_type(), 0, value.operand(), Operand::NONE);
        return build.define(data, value.ir_type(), value.ty());
    }
    let leaves = build.leaves(value.ty())?;
    build.check_room(leaves.len())?;
    let mut parts = Vec::with_capacity(leaves.len());
    for (index, place) in leaves.enumerate() {
        let ir_type = build.leaf(place).ir_type;
        let part = build.part(value, index as u32);
        parts.push(build.emit(Opcode::Freeze, ir_type, 0, part, Operand::NONE));
    }
    build.define_parts(value.ty(), &parts)
}

impl Builder<'_, '_> {
    /// The next value is an aggregate of these parts.
    pub(super) fn define_parts(&mut self, ty: u32, parts: &[Operand]) -> Result<(), ReadError> {
        let first = self.state.parts.len() as u32;
        self.state.parts.extend_from_slice(parts);
        self.define_as(Word::aggregate(first, ty))
    }
}
