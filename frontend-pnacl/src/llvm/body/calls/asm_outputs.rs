//! Inline assembly whose outputs are in registers, but belong to memory (`=*r`, `=*{eax}`): the pointer of such an
//! operand says where the output is stored after the text, and `elementtype` of what type it is.
//!
//! They become outputs like others, and stores. Outputs that may be in memory are, as for LLVM.

use super::Call;
use crate::builder::class::Class;
use crate::builder::signatures;
use crate::builder::word::Word;
use crate::error::ReadError;
use crate::llvm::body::context::Body;
use crate::llvm::body::memory::store_to;
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::{AsmData, CallFlags, ConstView, EntityRef, InstData, Opcode, Operand, Param, Refusal, Type, Value};

/// Letters of constraints that memory satisfies (GCC manual, "Simple Constraints").
const MEMORY: &[u8] = b"moV<>gXp";

/// An output through a pointer.
struct Stored {
    /// The number of the argument with the pointer, and that of the result.
    argument: usize,
    result: usize,
    ty: TypeId,
    ir_type: Type,
}

/// Constraints with one output fewer in memory for each of these.
struct Rewritten {
    constraints: Vec<u8>,
    stored: Vec<Stored>,
}

/// Appends the call of a text if it has such outputs, and says whether it has.
#[cold]
pub(super) fn emit(body: &mut Body<'_, '_>, call: &Call<'_>) -> Result<bool, ReadError> {
    let text = call.callee.operand().as_const();
    let text = text.map(|id| body.build.function.constant(id).1);
    let Some(ConstView::Asm(asm)) = text else {
        return Ok(false);
    };
    let asm = asm.clone();
    let plan = plan(body, call, &asm.constraints)?;
    if plan.stored.is_empty() {
        return Ok(false);
    }
    if call.arguments.iter().any(|argument| !argument.is_operand()) {
        return Err(body
            .build
            .unsupported(Refusal::InlineAssembly, "inline assembly: an operand of several values"));
    }
    let results = put_call(body, call, asm, &plan)?;
    for one in &plan.stored {
        let (Some(&result), Some(&pointer)) = (results.get(one.result), call.arguments.get(one.argument)) else {
            return Err(body
                .build
                .malformed("inline assembly with fewer operands than constraints"));
        };
        let value = Word::scalar(result, one.ir_type, one.ty);
        store_to(body, pointer, value, 0, false)?;
    }
    Ok(true)
}

/// Finds the outputs in registers that pointers are given for.
fn plan(body: &mut Body<'_, '_>, call: &Call<'_>, constraints: &[u8]) -> Result<Rewritten, ReadError> {
    let mut plan = Rewritten {
        constraints: Vec::with_capacity(constraints.len()),
        stored: Vec::new(),
    };
    let (mut argument, mut result) = (0, 0);
    for (index, constraint) in split(constraints).enumerate() {
        if index > 0 {
            plan.constraints.push(b',');
        }
        let start = plan.constraints.len();
        plan.constraints.extend_from_slice(constraint);
        let Some((b'=', rest)) = constraint.split_first() else {
            continue;
        };
        let length = rest.iter().take_while(|letter| b"*&%".contains(letter)).count();
        let (modifiers, codes) = rest.split_at(length);
        if !modifiers.contains(&b'*') {
            result += 1;
            continue;
        }
        let element = element_of(body, call, argument);
        let platform = body.build.module.platform;
        let letters = platform.map_or("", |platform| platform.memory_letters).as_bytes();
        if let (Some(ty), false) = (element, allows_memory(codes, letters)) {
            let Class::Scalar(ir_type) = body.build.class(ty)? else {
                return Err(body
                    .build
                    .unsupported(Refusal::InlineAssembly, "inline assembly: an output of several values"));
            };
            plan.constraints.truncate(start);
            let kept = constraint
                .iter()
                .enumerate()
                .filter(|&(place, letter)| place > length || *letter != b'*');
            plan.constraints.extend(kept.map(|(_, letter)| letter));
            plan.stored.push(Stored {
                argument,
                result,
                ty,
                ir_type,
            });
            result += 1;
        }
        argument += 1;
    }
    Ok(plan)
}

/// What an argument points to: the attribute says it, or up to LLVM 13 the type of the parameter.
fn element_of(body: &Body<'_, '_>, call: &Call<'_>, argument: usize) -> Option<TypeId> {
    let types = &body.build.module.types;
    let of_parameter = || match types.kind(call.ty)? {
        Kind::Function { parameters, .. } => match types.kind(*types.members(parameters).get(argument)?)? {
            &Kind::Pointer { pointee, .. } => pointee,
            _ => None,
        },
        _ => None,
    };
    call.attributes.parameter(argument).element_type.or_else(of_parameter)
}

/// The constraints between commas, those in braces left aside.
fn split(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut is_inside = false;
    text.split(move |&letter| {
        is_inside = (is_inside || letter == b'{') && letter != b'}';
        letter == b',' && !is_inside
    })
}

/// Whether one of the codes of a constraint may be in memory; `more` are the platform's own letters for that.
fn allows_memory(mut codes: &[u8], more: &[u8]) -> bool {
    while let Some(&letter) = codes.first() {
        let length = match letter {
            b'{' => codes
                .iter()
                .position(|&letter| letter == b'}')
                .map_or(codes.len(), |place| place + 1),
            b'^' => 3,
            b'@' => 2 + codes.get(1).map_or(0, |digit| usize::from(digit.wrapping_sub(b'0'))),
            letter if MEMORY.contains(&letter) || more.contains(&letter) => return true,
            _ => 1,
        };
        codes = codes.get(length..).unwrap_or_default();
    }
    false
}

/// Appends the call with all outputs as results, and gives these.
fn put_call(
    body: &mut Body<'_, '_>,
    call: &Call<'_>,
    asm: AsmData,
    plan: &Rewritten,
) -> Result<Vec<Operand>, ReadError> {
    let build = &mut body.build;
    let sig = signatures::of_call(build, call.ty, call.attribute_list, call.call_conv, &[])?;
    let mut signature = build.function.sig(sig).clone();
    let is_stored = |index: usize| plan.stored.iter().any(|one| one.argument == index);
    let mut index = 0;
    signature.params.retain(|_| {
        index += 1;
        !is_stored(index - 1)
    });
    signature.fixed_params = signature.params.len() as u32;
    for one in &plan.stored {
        if one.result > signature.returns.len() {
            return Err(build.malformed("inline assembly whose outputs do not fit its constraints"));
        }
        signature.returns.insert(one.result, Param::plain(one.ir_type));
    }
    let types: Vec<Type> = signature.returns.iter().map(|param| param.ty).collect();
    build.state.signature_parameters += signature.params.len() + signature.returns.len();
    let sig = build.function.push_sig(signature);
    build.state.operands.clear();
    for (index, &argument) in call.arguments.iter().enumerate() {
        if !is_stored(index) {
            build.push_parts(argument)?;
        }
    }
    build.check_room(build.state.operands.len() + types.len())?;
    let text = build.function.push_asm(AsmData {
        constraints: plan.constraints.clone(),
        ..asm
    });
    let head = [
        Operand::raw(build.state.operands.len() as u32),
        Operand::raw(sig.as_u32()),
    ];
    let start = build.function.push_pool(&head);
    build.function.push_pool(&build.state.operands);
    let flags = call.flags | build.module.attributes.call_flags(call.attribute_list) | CallFlags::INLINE_ASM;
    let data = InstData::new(
        Opcode::Call,
        Type::VOID,
        flags.bits(),
        Operand::constant(text),
        Operand::raw(start),
    );
    let first = build
        .function
        .push_inst_results(data, &types)
        .map_or(0, |value| value.index());
    let results: Vec<Operand> = (first..first + types.len())
        .map(|index| Operand::value(Value::new(index)))
        .collect();
    let is_own = |&(index, _): &(usize, &Operand)| plan.stored.iter().all(|one| one.result != index);
    let mut own = results.iter().enumerate().filter(is_own).map(|(_, &value)| value);
    match build.class(call.result)? {
        Class::Void | Class::Metadata => {}
        Class::Scalar(ir_type) => {
            let value = own
                .next_back()
                .ok_or_else(|| build.malformed("inline assembly without its output"))?;
            build.define_as(Word::scalar(value, ir_type, call.result))?;
        }
        Class::Aggregate => {
            let base = build.state.parts.len() as u32;
            build.state.parts.extend(own);
            build.define_as(Word::aggregate(base, call.result))?;
        }
    }
    Ok(results)
}
