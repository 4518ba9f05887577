//! `callbr`: inline assembly that may jump to blocks.
//!
//! It becomes a call with one more result, the number of the label that the text jumped to (0 if to none), and a switch
//! over that: so every edge can be split, and no pass needs to know of it.

use super::super::codes::call as bits;
use super::calls::{Call, read};
use super::context::terminate;
use super::context::{Body, Operands};
use crate::builder::class::Class;
use crate::builder::signatures;
use crate::builder::word::Word;
use crate::error::ReadError;
use frazil_ir::{CallConv, CallFlags, ConstView, EntityRef, InstData, Opcode, Operand, Param, Refusal, SigId, Type};

/// More results than registers are refused, since each call has a signature of its own.
const MAX_RESULTS: usize = 64;

/// Attribute list, convention and flags, the block that follows, number of other blocks, these, function type, text,
/// arguments.
pub(in crate::llvm) fn call_branch(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    body.take_bundles()?;
    let attribute_list = operands.next()?;
    let word = operands.next()?;
    let default = body.target(operands.next()?)?;
    let count = operands.next()?;
    if count > operands.rest().len() as u64 {
        return Err(body.build.malformed("a callbr to more blocks than its record has"));
    }
    let mut targets = Vec::new();
    for _ in 0..count {
        targets.push(body.target(operands.next()?)?);
    }
    let explicit = match word & bits::EXPLICIT_TYPE {
        0 => None,
        _ => Some(operands.next()?),
    };
    let call_conv = CallConv((word >> bits::CONVENTION_SHIFT & bits::CONVENTION_MASK) as u16);
    let call = read(
        body,
        operands,
        attribute_list,
        explicit,
        call_conv,
        CallFlags::empty(),
        0,
    )?;
    let text = call.callee.operand().as_const();
    let is_text = text.is_some_and(|id| matches!(body.build.function.constant(id).1, ConstView::Asm(_)));
    if !is_text || std::mem::take(&mut body.bundles) {
        return Err(body
            .build
            .unsupported(Refusal::InlineAssembly, "callbr of something else than inline assembly"));
    }
    let label = emit(body, call)?;
    let mut words = vec![Operand::raw(count as u32), Operand::raw(default.as_u32())];
    for (number, target) in targets.iter().enumerate() {
        words.push(case(body, number)?);
        words.push(Operand::raw(target.as_u32()));
    }
    let start = body.build.function.push_pool(&words);
    terminate(
        body,
        InstData::new(Opcode::Switch, Type::I32, 0, label, Operand::raw(start)),
    );
    Ok(())
}

/// The number of a label as a case.
fn case(body: &Body<'_, '_>, number: usize) -> Result<Operand, ReadError> {
    let value = i64::try_from(number).ok().and_then(|number| Operand::imm(number + 1));
    value.ok_or_else(|| body.build.malformed("a callbr to too many blocks"))
}

/// Appends the call and gives the number of the label.
fn emit(body: &mut Body<'_, '_>, call: Call<'_>) -> Result<Operand, ReadError> {
    let build = &mut body.build;
    let sig = signatures::of_call(build, call.ty, call.attribute_list, call.call_conv, &[])?;
    let sig = with_label(body, sig)?;
    let build = &mut body.build;
    build.state.operands.clear();
    for &argument in &call.arguments {
        build.push_parts(argument)?;
    }
    build.check_room(build.state.operands.len())?;
    let head = [
        Operand::raw(build.state.operands.len() as u32),
        Operand::raw(sig.as_u32()),
    ];
    let start = build.function.push_pool(&head);
    build.function.push_pool(&build.state.operands);
    let flags = build.module.attributes.call_flags(call.attribute_list) | CallFlags::INLINE_ASM;
    let data = InstData::new(
        Opcode::Call,
        Type::VOID,
        flags.bits(),
        call.callee.operand(),
        Operand::raw(start),
    );
    let types: Vec<Type> = build.function.sig(sig).returns.iter().map(|param| param.ty).collect();
    let results = types.len() - 1;
    let first = build
        .function
        .push_inst_results(data, &types)
        .map_or(0, |value| value.index());
    let value = |index: usize| Operand::value(frazil_ir::Value::new(first + index));
    match build.class(call.result)? {
        Class::Void | Class::Metadata => {}
        Class::Scalar(ir_type) => build.define_as(Word::scalar(value(0), ir_type, call.result))?,
        Class::Aggregate => {
            let base = build.state.parts.len() as u32;
            build.state.parts.extend((0..results).map(value));
            build.define_as(Word::aggregate(base, call.result))?;
        }
    }
    Ok(value(results))
}

/// The signature with one more result.
fn with_label(body: &mut Body<'_, '_>, sig: SigId) -> Result<SigId, ReadError> {
    let function = &mut body.build.function;
    if function.sig(sig).returns.len() > MAX_RESULTS {
        return Err(body
            .build
            .unsupported(Refusal::InlineAssembly, "a callbr with more than 64 results"));
    }
    let mut signature = function.sig(sig).clone();
    signature.returns.push(Param::plain(Type::I32));
    body.build.state.signature_parameters += signature.params.len() + signature.returns.len();
    Ok(body.build.function.push_sig(signature))
}
