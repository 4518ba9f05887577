//! `callbr`: inline assembly that may jump to blocks.
//!
//! It becomes a call with one more result, the number of the label that the text jumped to (0 if to none), and a switch
//! over that: so every edge can be split, and no pass needs to know of it.
//!
//! Up to LLVM 14, the last arguments are the addresses of the blocks, and constraints do not say that they are labels.
//! They become labels like those of later versions: what they are called in the text stays the same.

use super::super::codes::call as bits;
use super::calls::{Call, read};
use super::context::terminate;
use super::context::{Body, Operands};
use crate::builder::class::Class;
use crate::builder::signatures;
use crate::builder::word::Word;
use crate::error::ReadError;
use frazil_ir::included::RARE;
use frazil_ir::{
    AsmData, Block, CallConv, CallFlags, ConstView, EntityRef, InstData, Opcode, Operand, Param, Refusal, SigId, Type,
};

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
    let mut call = read(
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
    let addresses = match RARE && name_labels(body, &mut call, &targets)? {
        true => targets.len(),
        false => 0,
    };
    let label = emit(body, call, addresses)?;
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

/// Has constraints say which arguments are labels, if none does, and drops these arguments: LLVM's rule for old
/// modules. Returns whether that was so.
fn name_labels(body: &mut Body<'_, '_>, call: &mut Call<'_>, targets: &[Block]) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let Some(id) = call.callee.operand().as_const() else {
        return Ok(false);
    };
    let ConstView::Asm(asm) = build.function.constant(id).1 else {
        return Ok(false);
    };
    let constraints = || asm.constraints.split(|&letter| letter == b',');
    if targets.is_empty() || constraints().any(|constraint| constraint.starts_with(b"!")) {
        return Ok(false);
    }
    let Some(first) = call.arguments.len().checked_sub(targets.len()) else {
        return Err(build.malformed("a callbr to more blocks than it has arguments"));
    };
    let mut renamed = AsmData {
        constraints: Vec::with_capacity(asm.constraints.len() + targets.len()),
        ..asm.clone()
    };
    let mut argument = 0;
    for (place, constraint) in constraints().enumerate() {
        if place > 0 {
            renamed.constraints.push(b',');
        }
        let is_clobber = constraint.starts_with(b"~");
        let is_result = constraint.starts_with(b"=") && !constraint.contains(&b'*');
        if !is_clobber && !is_result {
            if argument >= first {
                renamed.constraints.push(b'!');
            }
            argument += 1;
        }
        renamed.constraints.extend_from_slice(constraint);
    }
    let own = build.function.symbol();
    for (word, &target) in call.arguments.iter().skip(first).zip(targets) {
        let address = word.operand().as_const().map(|id| build.function.constant(id).1);
        let is_target = match address {
            Some(ConstView::BlockAddress(symbol, block)) => Some(symbol) == own && block == target,
            _ => false,
        };
        if !is_target {
            return Err(build.malformed("a callbr whose last arguments are not the blocks that it goes to"));
        }
    }
    call.arguments.truncate(first);
    call.callee = Word::scalar(
        Operand::constant(build.function.push_asm(renamed)),
        call.callee.ir_type(),
        call.callee.ty(),
    );
    Ok(true)
}

/// Appends the call and gives the number of the label. So many of its parameters are no arguments any more.
fn emit(body: &mut Body<'_, '_>, call: Call<'_>, dropped: usize) -> Result<Operand, ReadError> {
    let build = &mut body.build;
    let sig = signatures::of_call(build, call.ty, call.attribute_list, call.call_conv, &[])?;
    let sig = with_label(body, sig, dropped)?;
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

/// The signature with one more result, and without the last parameters.
fn with_label(body: &mut Body<'_, '_>, sig: SigId, dropped: usize) -> Result<SigId, ReadError> {
    let function = &mut body.build.function;
    if function.sig(sig).returns.len() > MAX_RESULTS {
        return Err(body
            .build
            .unsupported(Refusal::InlineAssembly, "a callbr with more than 64 results"));
    }
    let mut signature = function.sig(sig).clone();
    let left = signature.params.len().saturating_sub(dropped);
    signature.params.truncate(left);
    signature.fixed_params = signature.fixed_params.min(left as u32);
    signature.returns.push(Param::plain(Type::I32));
    body.build.state.signature_parameters += signature.params.len() + signature.returns.len();
    Ok(body.build.function.push_sig(signature))
}
