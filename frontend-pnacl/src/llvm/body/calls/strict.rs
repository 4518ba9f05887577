//! Constrained floating-point operations, which say by metadata how they round and which exceptions can be seen.
//!
//! With the default environment, an operation is the plain one. With any other it is strict ([`frazil_ir::strict`]): in
//! the mode that is set then, which is what the metadata promises. Library functions are calls either way. Vectors are
//! taken apart, since each lane's exceptions count, and no others.
//!
//! The texts are found by their numbers among the metadata of the function and the module, and their meanings
//! remembered ([`crate::builder::environment`]).

use super::Call;
use super::library::by_library;
use crate::bitstream::record::Record;
use crate::builder::class::Class;
use crate::builder::environment::Said;
use crate::builder::intrinsics::Intrinsic;
use crate::builder::word::Word;
use crate::error::ReadError;
use crate::llvm::body::arithmetic::cast_number;
use crate::llvm::body::context::Body;
use frazil_ir::typing::is_cast;
use frazil_ir::{ConstKind, Format, InstData, Opcode, Operand, Refusal, StrictFlags, Type, TypeData};

/// Whether an intrinsic is told of its environment by metadata.
#[inline]
pub(super) fn names_environment(intrinsic: Option<Intrinsic>) -> bool {
    matches!(
        intrinsic,
        Some(Intrinsic::Constrained(_) | Intrinsic::ConstrainedCompare(_) | Intrinsic::ConstrainedLibrary(_))
    )
}

/// Makes instructions of a constrained operation; `false` if it has to stay a call, which is refused by its name.
#[cold]
pub(super) fn lower(
    body: &mut Body<'_, '_>,
    call: &Call<'_>,
    intrinsic: Intrinsic,
    class: Class,
) -> Result<bool, ReadError> {
    let said = said_by_call(body)?;
    let Class::Scalar(result) = class else {
        return Ok(false);
    };
    if said.is_empty() || call.arguments.iter().any(|word| !word.is_operand()) {
        return Ok(false);
    }
    let is_default = said
        .iter()
        .all(|said| matches!(said, Said::Default | Said::Predicate(_)));
    match intrinsic {
        Intrinsic::ConstrainedLibrary(functions) => by_library(body, call, functions),
        Intrinsic::ConstrainedCompare(signaling) => {
            let &[predicate, _] = said.as_slice() else {
                return Ok(false);
            };
            let Some(op) = predicate.of_floats() else {
                return Ok(false);
            };
            let operation = Operation {
                op,
                is_default,
                signaling,
            };
            operation.define(body, call, result)
        }
        Intrinsic::Constrained(op) => {
            let operation = Operation {
                op,
                is_default,
                signaling: false,
            };
            operation.define(body, call, result)
        }
        _ => Ok(false),
    }
}

/// What the texts say that the call being read names.
pub(super) fn said_by_call(body: &mut Body<'_, '_>) -> Result<Vec<Said>, ReadError> {
    let mut numbers = std::mem::take(&mut body.build.state.environment.numbers);
    let said = numbers.iter().map(|&number| said(body, number)).collect();
    numbers.clear();
    body.build.state.environment.numbers = numbers;
    said
}

/// What the text with a number says.
fn said(body: &mut Body<'_, '_>, number: u32) -> Result<Said, ReadError> {
    if let Some(said) = body.build.state.environment.meaning(number) {
        return Ok(said);
    }
    let mut cursor = body.module.stream.clone();
    let mut record = Record::default();
    let (mut places, mut block) = body.places(&mut cursor, &mut record)?;
    let text = places.string(u64::from(number), &mut cursor, &mut block, &mut record);
    let is_shared = u64::from(number) < places.base();
    *body.outer_metadata = places.into_outer();
    let Some(said) = text?.and_then(|text| Said::from_text(&text)) else {
        return Err(body
            .build
            .unsupported(Refusal::Bitcode, "an intrinsic with metadata that is not known"));
    };
    if !body.build.state.environment.remember(number, is_shared, said) {
        return Err(body
            .build
            .malformed("more metadata for constrained operations than there are kinds"));
    }
    Ok(said)
}

/// An operation and its environment.
#[derive(Clone, Copy)]
struct Operation {
    op: Opcode,
    is_default: bool,
    signaling: bool,
}

impl Operation {
    /// The next value is the operation's result.
    fn define(self, body: &mut Body<'_, '_>, call: &Call<'_>, result: Type) -> Result<bool, ReadError> {
        let arguments = call.arguments.as_slice();
        let Some((ty, operands)) = self.operands(body, arguments, result)? else {
            return Ok(false);
        };
        let build = &mut body.build;
        let TypeData::Vector { lanes, .. } = build.function.types().data(result) else {
            let data = self.instruction(body, ty, &operands);
            body.build.define(data, result, call.result)?;
            return Ok(true);
        };
        if self.is_default {
            let data = self.instruction(body, ty, &operands);
            body.build.define(data, result, call.result)?;
            return Ok(true);
        }
        let types: Vec<Type> = arguments.iter().map(|word| word.ir_type()).collect();
        build.make_wide_room((lanes as usize).saturating_mul(operands.len() + 2))?;
        let [element, lane_type] = [result, ty].map(|ty| build.function.types().scalar(ty));
        let mut vector = Operand::constant(build.function.push_plain_const(ConstKind::Poison, result));
        for lane in 0..lanes {
            let lane = body.build.function.int_operand(Type::I64, i128::from(lane));
            let mut scalars = Vec::with_capacity(operands.len());
            for (&operand, &ty) in operands.iter().zip(&types) {
                let function = &mut body.build.function;
                let scalar = function.types().scalar(ty);
                let data = InstData::new(Opcode::ExtractElement, ty, 0, operand, lane);
                scalars.push(Operand::value(function.push_inst_result(data, scalar)));
            }
            let data = self.instruction(body, lane_type, &scalars);
            let function = &mut body.build.function;
            let value = Operand::value(function.push_inst_result(data, element));
            let rest = Operand::raw(function.push_pool(&[value, lane]));
            let data = InstData::new(Opcode::InsertElement, result, 0, vector, rest);
            vector = Operand::value(function.push_inst_result(data, result));
        }
        let word = Word::scalar(vector, result, call.result);
        body.build.define_as(word)?;
        Ok(true)
    }

    /// The instruction's type and operands, if they go with the operation.
    fn operands(
        self,
        body: &mut Body<'_, '_>,
        arguments: &[Word],
        result: Type,
    ) -> Result<Option<(Type, Vec<Operand>)>, ReadError> {
        let build = &mut body.build;
        if is_cast(self.op) {
            let &[value] = arguments else { return Ok(None) };
            let Some(number) = cast_number(self.op) else {
                return Ok(None);
            };
            if build.cast_opcode(number, value.ir_type(), result)? != Some(self.op) {
                return Ok(None);
            }
            let source = match self.op {
                Opcode::Sitofp | Opcode::Uitofp if build.is_odd_wide(value.ir_type()) => {
                    build.odd_source(value, self.op == Opcode::Sitofp)
                }
                _ => build.typed(value),
            };
            return Ok(Some((result, vec![source])));
        }
        let Some(ty) = arguments.first().map(|word| word.ir_type()) else {
            return Ok(None);
        };
        let count = match self.op.format() {
            Format::Unary => 1,
            Format::Binary => 2,
            _ => 3,
        };
        let element = build.function.types().data(build.function.types().scalar(ty));
        let is_float = !matches!(element, TypeData::Int(_) | TypeData::Ptr(_) | TypeData::Void);
        let wanted = if self.op.is_fcmp() { build.bool_like(ty)? } else { ty };
        let fits = is_float && arguments.len() == count && wanted == result;
        if !fits || arguments.iter().any(|word| word.ir_type() != ty) {
            return Ok(None);
        }
        Ok(Some((ty, arguments.iter().map(|word| word.operand()).collect())))
    }

    /// The instruction with these operands; plain in the default environment.
    fn instruction(self, body: &mut Body<'_, '_>, ty: Type, operands: &[Operand]) -> InstData {
        let strict = self.op.strict_form().filter(|_| !self.is_default);
        let (op, flags) = match strict {
            Some(form) => (form, StrictFlags::of(self.op).with_signaling(self.signaling).0),
            None => (self.op, 0),
        };
        let (a, b) = match operands {
            &[a] => (a, Operand::NONE),
            &[a, b] => (a, b),
            &[a, ref rest @ ..] => (a, Operand::raw(body.build.function.push_pool(rest))),
            [] => (Operand::NONE, Operand::NONE),
        };
        InstData::new(op, ty, flags, a, b)
    }
}
