//! The walk over a function with floats that its target does not compute with.
//!
//! ```text
//! v2 = fadd f16 v0, v1
//! ```
//! becomes
//! ```text
//! v3 = call @__extendhfsf2(v0) : (f16) -> f32
//! v4 = call @__extendhfsf2(v1) : (f16) -> f32
//! v5 = fadd f32 v3, v4
//! v2 = call @__truncsfhf2(v5) : (f32) -> f16
//! ```
//! Instructions that only pass such values on stay as they are; accesses to other address spaces are those of integers.
//! Functions of the C library on `x86_fp80` are called so, too, where such arguments are passed like memory by value,
//! which rules do not do.
//! An operation on vectors is done lane by lane ([`operations`](super::operations) has what a lane becomes), except for
//! signs, which are bits of vectors of integers, and what is done [on whole vectors](super::whole).

use super::library;
use crate::error::CodegenError;
use crate::isa::HalfConversions;
use crate::unit::Unit;
use frazil_ir::edit::Editor;
use frazil_ir::typing::{is_cast, is_reduction};
use frazil_ir::{
    ConstKind, ConstView, EntityRef, Format, Function, Inst, InstData, Opcode, Operand, Refusal, Results,
    RuntimeFunction, StrictFlags, Type, TypeData, TypeTable, Value,
};

/// An operation on scalars.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    /// Which it is; of a strict one, the plain operation.
    pub op: Opcode,
    /// The flags of the plain operation; of a strict one, its signaling bit.
    pub flags: u16,
    pub is_strict: bool,
    /// The instruction's type.
    pub ty: Type,
    pub operands: [Operand; 3],
}

/// Whether a target computes with a scalar type only by other types.
pub(super) fn is_exotic(ty: Type) -> bool {
    is_narrow(ty) || ty == Type::F128
}

/// Whether a type is `half` or `bfloat`.
pub(super) fn is_narrow(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::BF16)
}

/// What a target does with the floats here.
#[derive(Clone, Copy)]
pub(super) struct Abilities {
    /// Which instructions convert halves.
    pub half_conversions: HalfConversions,
    /// Whether rules cannot call functions of `x86_fp80`.
    pub passes_long_in_memory: bool,
}

/// The function without operations on floats that its target does not compute with; `None` if it has none. With a list,
/// what is not supported is put there, and its results are poison.
///
/// # Errors
/// What is not supported, by name and place.
pub(super) fn legalize(
    unit: &Unit<'_>,
    abilities: Abilities,
    mut refused: Option<&mut Vec<CodegenError>>,
) -> Result<Option<Function>, CodegenError> {
    let old = unit.function;
    let half_conversions = abilities.half_conversions;
    let is_concerned = |data: &InstData| {
        is_concerned(old, data) && !(half_conversions > HalfConversions::None && is_of_halves(old, data))
            || abilities.passes_long_in_memory && is_by_long_library(old, data)
    };
    let Some(first) = old.insts().iter().position(is_concerned) else {
        return Ok(None);
    };
    let mut function = old.clone();
    let mut editor = Editor::default();
    editor.begin(&function);
    let mut walk = Legalizer {
        function: &mut function,
        editor: &mut editor,
        at: Inst::new(first),
        symbol_count: unit.view.symbol_count(),
        half_conversions,
        is_strict: false,
    };
    for index in first..old.insts().len() {
        let (data, inst) = (old.insts()[index], Inst::new(index));
        if is_concerned(&data) {
            walk.at = inst;
            let outcome = walk.instruction(&data);
            match (
                outcome.map_err(|error| error.at(old, unit.view.module, inst)),
                &mut refused,
            ) {
                (Ok(()), _) => {}
                (Err(error), None) => return Err(error),
                (Err(error), Some(refused)) => {
                    refused.push(error);
                    let poison = walk.function.push_plain_const(ConstKind::Poison, data.ty);
                    walk.finish(&data, Operand::constant(poison));
                }
            }
        }
    }
    editor.commit(&mut function);
    if function.types().has_vectors() {
        function.note_vectors();
    }
    Ok(Some(function))
}

/// Whether an instruction does more with such floats than to pass them on.
fn is_concerned(function: &Function, data: &InstData) -> bool {
    let types = function.types();
    let of_type = |ty: Type| is_exotic(types.scalar(ty));
    match data.op {
        Opcode::SpaceLoad | Opcode::SpaceStore => is_narrow(data.ty),
        op if is_reduction(op) => of_type(data.ty),
        op if !computes_floats(op) => false,
        _ if of_type(data.ty) => true,
        op => {
            let of_operand = |operand: Operand| function.operand_type(operand).is_some_and(of_type);
            (is_cast(op) || op == Opcode::StrictUnary) && of_operand(data.a)
                || op == Opcode::Fcopysign && of_operand(data.b)
        }
    }
}

/// Whether an instruction does what a function of the C library does for `x86_fp80`.
fn is_by_long_library(function: &Function, data: &InstData) -> bool {
    let op = match data.op {
        Opcode::ReduceFmin => Some(Opcode::Fminnum),
        Opcode::ReduceFmax => Some(Opcode::Fmaxnum),
        op if op.is_strict() => data.strict_operation(),
        op => Some(op),
    };
    function.types().scalar(data.ty) == Type::X86_F80 && op.is_some_and(|op| library::long_arithmetic(op).is_some())
}

/// Whether an instruction converts halves from or to `float`.
fn is_of_halves(function: &Function, data: &InstData) -> bool {
    let types = function.types();
    let to = types.scalar(data.ty);
    let is_between = |from: Type| match data.op {
        Opcode::Fpext => (types.scalar(from), to) == (Type::F16, Type::F32),
        Opcode::Fptrunc => (types.scalar(from), to) == (Type::F32, Type::F16),
        _ => false,
    };
    function.operand_type(data.a).is_some_and(is_between)
}

/// Whether an operation computes with floats.
fn computes_floats(op: Opcode) -> bool {
    let is_between = |first: Opcode, last: Opcode| (first as u8..=last as u8).contains(&(op as u8));
    is_between(Opcode::Fadd, Opcode::FcmpTrue) || is_between(Opcode::Fptoui, Opcode::Fpext) || op.is_strict()
}

/// The copy of the function while it is changed.
pub(super) struct Legalizer<'f> {
    pub function: &'f mut Function,
    editor: &'f mut Editor,
    /// The instruction that is replaced.
    at: Inst,
    /// How many symbols the module has; the run-time library's come after them.
    symbol_count: usize,
    /// Which instructions of the target convert halves.
    pub half_conversions: HalfConversions,
    /// Whether the instruction that is replaced has the exceptions that a program may ask for.
    pub is_strict: bool,
}

impl Legalizer<'_> {
    fn instruction(&mut self, data: &InstData) -> Result<(), CodegenError> {
        match data.op {
            Opcode::SpaceLoad => {
                let bits = self.emit(data.op, Type::I16, data.flags, data.a, Operand::NONE, Type::I16);
                let value = self.cast(Opcode::Bitcast, bits, data.ty);
                self.finish(data, value);
            }
            Opcode::SpaceStore => {
                let bits = self.cast(Opcode::Bitcast, data.a, Type::I16);
                let store = InstData::new(data.op, Type::I16, data.flags, bits, data.b);
                self.editor.insert_before(self.function, self.at, store, None);
                self.editor.remove(self.function, self.at);
            }
            op if is_reduction(op) => {
                self.is_strict = false;
                let value = self.reduce(data)?;
                self.finish(data, value);
            }
            Opcode::Fneg | Opcode::Fabs if is_narrow(self.types().scalar(data.ty)) => {
                let value = self.sign(data.op, data.ty, data.a)?;
                self.finish(data, value);
            }
            _ => {
                let value = self.each_lane(data)?;
                self.finish(data, value);
            }
        }
        Ok(())
    }

    /// What an instruction does to scalars, or to each lane of vectors.
    fn each_lane(&mut self, data: &InstData) -> Result<Operand, CodegenError> {
        self.is_strict = data.op.is_strict();
        let op = match self.is_strict {
            true => data.strict_operation(),
            false => Some(data.op),
        };
        let Some(op) = op else {
            return Err(CodegenError::unsupported(Refusal::Instruction, data.op.name()));
        };
        let signaling = if StrictFlags(data.flags).is_signaling() {
            StrictFlags::SIGNALING
        } else {
            0
        };
        let mut operands = [data.a, Operand::NONE, Operand::NONE];
        match data.op.format() {
            Format::Binary => operands[1] = data.b,
            Format::Ternary => (operands[1], operands[2]) = self.function.ternary(data),
            _ => {}
        }
        let whole = Operation {
            op,
            flags: if data.op.is_strict() { signaling } else { data.flags },
            is_strict: data.op.is_strict(),
            ty: data.ty,
            operands,
        };
        if self.is_whole(&whole) {
            let result = self.function.value(Value::new(data.result as usize)).ty;
            return self.whole(whole, result);
        }
        let TypeData::Vector { element, lanes } = self.types().data(data.ty) else {
            let operands = operands.map(|operand| self.editor.resolve(operand));
            return self.scalar(Operation { operands, ..whole });
        };
        let mut made = Vec::with_capacity(lanes as usize);
        for index in 0..lanes {
            let operands = operands.map(|operand| self.lane(operand, index));
            made.push(self.scalar(Operation {
                ty: element,
                operands,
                ..whole
            })?);
        }
        let result = self.function.value(Value::new(data.result as usize)).ty;
        Ok(self.collect(result, &made))
    }

    /// Joins the lanes of a vector in their order, as LLVM does where nothing allows another one.
    fn reduce(&mut self, data: &InstData) -> Result<Operand, CodegenError> {
        let (op, start, vector) = match data.op {
            Opcode::ReduceFadd => (Opcode::Fadd, Some(data.a), data.b),
            Opcode::ReduceFmul => (Opcode::Fmul, Some(data.a), data.b),
            Opcode::ReduceFmin => (Opcode::Fminnum, None, data.a),
            _ => (Opcode::Fmaxnum, None, data.a),
        };
        let vector = self.editor.resolve(vector);
        let lanes = match self.function.operand_type(vector).map(|ty| self.types().data(ty)) {
            Some(TypeData::Vector { lanes, .. }) => lanes,
            _ => return Err(CodegenError::unsupported(Refusal::Instruction, data.op.name())),
        };
        let mut joined = match start {
            Some(start) => self.editor.resolve(start),
            None => self.lane(vector, 0),
        };
        for index in u32::from(start.is_none())..lanes {
            let lane = self.lane(vector, index);
            joined = self.scalar(Operation {
                op,
                flags: data.flags,
                is_strict: false,
                ty: data.ty,
                operands: [joined, lane, Operand::NONE],
            })?;
        }
        Ok(joined)
    }

    pub(super) fn types(&self) -> &TypeTable {
        self.function.types()
    }

    /// The type of a scalar operand that carries one.
    pub(super) fn type_of(&self, operand: Operand) -> Type {
        self.function.operand_type(operand).unwrap_or(Type::I64)
    }

    /// Queues an instruction with one result before the one that is replaced.
    pub(super) fn emit(&mut self, op: Opcode, ty: Type, flags: u16, a: Operand, b: Operand, result: Type) -> Operand {
        let data = InstData::new(op, ty, flags, a, b);
        let value = self.editor.insert_before(self.function, self.at, data, Some(result));
        Operand::value(value.expect("it has a result"))
    }

    /// An instruction on values of one type, with a result of this type, and without flags.
    pub(super) fn binary(&mut self, op: Opcode, ty: Type, a: Operand, b: Operand) -> Operand {
        self.emit(op, ty, 0, a, b, ty)
    }

    /// Queues a conversion. What it raises counts if it is part of a strict operation.
    pub(super) fn cast(&mut self, op: Opcode, value: Operand, to: Type) -> Operand {
        let value = self.editor.resolve(value);
        let (form, flags) = match op.strict_form().filter(|_| self.is_strict) {
            Some(form) => (form, StrictFlags::of(op).0),
            None => (op, 0),
        };
        self.emit(form, to, flags, value, Operand::NONE, to)
    }

    /// Queues an operation of types that the target computes with.
    pub(super) fn operation(&mut self, operation: Operation) -> Operand {
        let Operation { op, ty, operands, .. } = operation;
        let (form, flags) = match op.strict_form().filter(|_| operation.is_strict) {
            Some(form) => (form, StrictFlags::of(op).0 | operation.flags),
            None => (op, operation.flags),
        };
        let b = match form.format() {
            Format::Ternary => Operand::raw(self.function.push_pool(&operands[1..])),
            Format::Binary => operands[1],
            _ => Operand::NONE,
        };
        let result = if form.results() == Results::Bool { Type::I1 } else { ty };
        self.emit(form, ty, flags, operands[0], b, result)
    }

    /// Queues a call of a function of the run-time library.
    pub(super) fn call(&mut self, function: RuntimeFunction, arguments: &[(Operand, Type)], result: Type) -> Operand {
        let call = self
            .function
            .runtime_call(function, self.symbol_count, arguments, result);
        let value = self.editor.insert_before(self.function, self.at, call, Some(result));
        Operand::value(value.expect("it has a result"))
    }

    /// What an operand has been replaced by.
    pub(super) fn resolve(&mut self, operand: Operand) -> Operand {
        self.editor.resolve(operand)
    }

    /// Uses an operand instead of the instruction's only result, and removes the instruction.
    fn finish(&mut self, data: &InstData, result: Operand) {
        self.editor
            .replace_uses(self.function, Value::new(data.result as usize), result);
        self.editor.remove(self.function, self.at);
    }

    /// A lane of a vector operand; other operands are the same for each lane.
    fn lane(&mut self, operand: Operand, index: u32) -> Operand {
        let operand = self.editor.resolve(operand);
        let Some(ty) = self.function.operand_type(operand) else {
            return operand;
        };
        let TypeData::Vector { element, .. } = self.types().data(ty) else {
            return operand;
        };
        let lane = match operand.as_const().map(|id| self.function.constant(id).1) {
            Some(ConstView::Vector(lanes)) => lanes[index as usize],
            Some(ConstView::Undef) => self.plain(ConstKind::Undef, element),
            Some(ConstView::Poison) => self.plain(ConstKind::Poison, element),
            Some(_) => self.plain(ConstKind::Zero, element),
            None => self.emit(Opcode::ExtractElement, ty, 0, operand, number(index), element),
        };
        // What is cast has to carry its type.
        match lane.as_imm() {
            Some(imm) => self.integer(element, i128::from(imm)),
            None => lane,
        }
    }

    /// An integer constant that carries its type, from its low bits.
    pub(super) fn integer(&mut self, ty: Type, value: i128) -> Operand {
        let spare = 128 - self.types().int_bits(ty).unwrap_or(64);
        let value = value << spare >> spare;
        let words = [value as u64, (value >> 64) as u64];
        Operand::constant(self.function.push_int(ty, &words))
    }

    fn plain(&mut self, kind: ConstKind, ty: Type) -> Operand {
        Operand::constant(self.function.push_plain_const(kind, ty))
    }

    /// A vector of these lanes.
    fn collect(&mut self, ty: Type, lanes: &[Operand]) -> Operand {
        let mut vector = self.plain(ConstKind::Poison, ty);
        for (index, &lane) in (0..).zip(lanes) {
            let rest = self.function.push_pool(&[lane, number(index)]);
            vector = self.emit(Opcode::InsertElement, ty, 0, vector, Operand::raw(rest), ty);
        }
        vector
    }

    /// Interned in the function that is changed.
    pub(super) fn intern(&mut self, data: TypeData) -> Result<Type, CodegenError> {
        let interned = self.function.intern_type(data);
        interned.map_err(|error| CodegenError::unsupported(Refusal::Instruction, error.to_string()))
    }
}

/// A small number as an operand.
fn number(value: u32) -> Operand {
    Operand::imm(i64::from(value)).unwrap_or(Operand::ZERO)
}
