//! Signatures: function types and attribute lists of the file as signatures of the IR.
//!
//! Aggregates are split into their scalars, and metadata parameters are dropped. Signatures of calls are cached by
//! function type, attribute list, convention and, for variadic functions, the types of the variable arguments.

use super::class::Class;
use super::values::Builder;
use super::word::Word;
use crate::error::ReadError;
use crate::limits;
use crate::llvm::attributes::{ParameterAttributes, Role};
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::{CallConv, Param, ParamKind, Refusal, SigId, Signature, Type};

/// Fills a signature from a function type and an attribute list; `more` are the variable arguments of a call.
///
/// # Errors
/// If the type or the attributes are malformed or not supported.
pub fn fill(
    build: &mut Builder<'_, '_>,
    signature: &mut Signature,
    ty: TypeId,
    list: u64,
    call_conv: CallConv,
    more: &[Word],
) -> Result<(), ReadError> {
    let module = build.module;
    let Some(Kind::Function {
        variadic,
        result,
        parameters,
    }) = module.types.kind(ty)
    else {
        return Err(build.malformed(format!("type {ty}, which is no function type")));
    };
    let Some(attributes) = module.attributes.list(list) else {
        return Err(build.malformed(format!("attribute list {list} is not there")));
    };
    signature.params.clear();
    signature.params.reserve(parameters.len());
    signature.returns.clear();
    signature.call_conv = call_conv;
    signature.variadic = *variadic;
    push(build, &mut signature.returns, *result, attributes.result())?;
    expect_plain_offsets(build, *result)?;
    let parameters = module.types.members(parameters);
    signature.params.reserve(parameters.len() + more.len());
    for (index, &parameter) in parameters.iter().enumerate() {
        push_argument(build, &mut signature.params, parameter, attributes.parameter(index))?;
    }
    signature.fixed_params = signature.params.len() as u32;
    for (index, word) in more.iter().enumerate() {
        let attributes = attributes.parameter(parameters.len() + index);
        if word.is_operand() {
            push_one(build, &mut signature.params, word.ir_type(), word.ty(), attributes)?;
        } else {
            push_argument(build, &mut signature.params, word.ty(), attributes)?;
        }
    }
    Ok(())
}

fn push(
    build: &mut Builder<'_, '_>,
    list: &mut Vec<Param>,
    ty: TypeId,
    attributes: ParameterAttributes,
) -> Result<(), ReadError> {
    match build.class(ty)? {
        Class::Void | Class::Metadata => Ok(()),
        Class::Scalar(ir_type) => push_one(build, list, ir_type, ty, attributes),
        Class::Aggregate => {
            let mut words_left = 0;
            let has_short_words = build.module.narrow_bits() < 128;
            // Where integers of 128 bits are words, LLVM asks whether that is the whole argument.
            let marks_first = !has_short_words || matches!(build.module.types.kind(ty), Some(Kind::Integer(128)));
            for place in build.leaves(ty)? {
                let leaf = build.leaf(place);
                push_one(build, list, leaf.ir_type, leaf.ty, attributes)?;
                match (words_left, build.wide_bits(leaf.ty), list.last_mut()) {
                    (0, Some(bits), Some(first)) => {
                        first.is_split = marks_first;
                        words_left = bits.div_ceil(64) - 1;
                    }
                    (1, Some(_), Some(last)) if has_short_words => {
                        let bits = build.function.types().int_bits(leaf.ir_type);
                        last.is_split = bits.is_some_and(|bits| bits <= 16);
                        words_left = 0;
                    }
                    _ => words_left = words_left.saturating_sub(1),
                }
            }
            Ok(())
        }
    }
}

/// The parameters of an argument. Of those that the scalars of an array are, it is said that they belong together where
/// the platform wants that, as with LLVM if all are of one type (`functionArgumentNeedsConsecutiveRegisters`).
fn push_argument(
    build: &mut Builder<'_, '_>,
    list: &mut Vec<Param>,
    ty: TypeId,
    attributes: ParameterAttributes,
) -> Result<(), ReadError> {
    let start = list.len();
    push(build, list, ty, attributes)?;
    let elements = list.get_mut(start..).unwrap_or_default();
    let are_together = elements.len() > 1
        && build
            .module
            .platform
            .is_some_and(|platform| platform.passes_arrays_whole)
        && matches!(build.module.types.kind(ty), Some(Kind::Array { .. }));
    if !are_together {
        return Ok(());
    }
    if elements.iter().any(|element| element.is_split) {
        // LLVM aligns these otherwise, in registers and in memory.
        return Err(build.unsupported(
            Refusal::WideInteger,
            "an array with integers of more than 128 bits as an argument",
        ));
    }
    let Ok(count) = u8::try_from(elements.len()) else {
        let what = format!(
            "an array of {} elements as an argument, more than {}",
            elements.len(),
            Param::MAX_ARRAY
        );
        return Err(build.unsupported(Refusal::CallingConvention, what));
    };
    if let [first, rest @ ..] = elements
        && first.kind == ParamKind::Normal
        && rest
            .iter()
            .all(|element| element.ty == first.ty && element.kind == ParamKind::Normal)
    {
        first.array = count;
    }
    Ok(())
}

/// Refuses a result that is a structure with wide integers, unless its scalars have the offsets that they would have
/// in a structure of scalars: results in memory are laid out like that.
fn expect_plain_offsets(build: &mut Builder<'_, '_>, ty: TypeId) -> Result<(), ReadError> {
    if build.class(ty)? != Class::Aggregate {
        return Ok(());
    }
    let leaves = build.leaves(ty)?;
    if leaves
        .clone()
        .all(|place| build.wide_bits(build.leaf(place).ty).is_none())
    {
        return Ok(());
    }
    let mut end = 0_u64;
    for place in leaves {
        let leaf = build.leaf(place);
        let bytes = build.function.types().store_bytes(leaf.ir_type, 64).next_power_of_two();
        if leaf.offset != end.next_multiple_of(bytes) {
            return Err(build.unsupported(
                Refusal::WideInteger,
                "a structure with integers of more than 128 bits, padded, as a result",
            ));
        }
        end = leaf.offset + bytes;
    }
    Ok(())
}

fn push_one(
    build: &Builder<'_, '_>,
    list: &mut Vec<Param>,
    ir_type: Type,
    ty: TypeId,
    attributes: ParameterAttributes,
) -> Result<(), ReadError> {
    let kind = match attributes.role {
        Role::Normal => ParamKind::Normal,
        Role::ByVal => by_value(build, ty, attributes)?,
        Role::StructReturn => ParamKind::StructReturn,
        Role::Nest => ParamKind::Nest,
        Role::SwiftSelf => ParamKind::SwiftSelf,
        Role::SwiftError => ParamKind::SwiftError,
        Role::SwiftAsync => ParamKind::SwiftAsync,
        Role::InAlloca => ParamKind::InAlloca,
        Role::Preallocated => ParamKind::Preallocated,
    };
    list.push(Param {
        ty: ir_type,
        extension: attributes.extension,
        in_reg: attributes.in_reg,
        kind,
        array: 0,
        is_split: false,
    });
    Ok(())
}

/// The size and alignment of the memory that a `byval` parameter points to.
fn by_value(build: &Builder<'_, '_>, ty: TypeId, attributes: ParameterAttributes) -> Result<ParamKind, ReadError> {
    let types = &build.module.types;
    let pointee = attributes.role_type.or(match types.kind(ty) {
        Some(&Kind::Pointer { pointee, .. }) => pointee,
        _ => None,
    });
    let layout = pointee
        .map(|pointee| types.layout(pointee))
        .filter(|layout| layout.sized);
    let size = layout.and_then(|layout| u32::try_from(layout.stride()).ok());
    match (layout, size) {
        (Some(layout), Some(size)) => {
            let said = [attributes.stack_align_log2_plus_one, attributes.align_log2_plus_one];
            let said = said.into_iter().find_map(|log2| log2.checked_sub(1));
            let align_log2 = said.unwrap_or(layout.align_log2);
            Ok(ParamKind::ByVal { size, align_log2 })
        }
        _ => Err(build.malformed("a byval parameter of a type without size, or of more than 4 GiB")),
    }
}

/// The signature of a call, from the cache if possible.
///
/// # Errors
/// As for [`fill`].
pub fn of_call(
    build: &mut Builder<'_, '_>,
    ty: TypeId,
    list: u64,
    call_conv: CallConv,
    more: &[Word],
) -> Result<SigId, ReadError> {
    let mut key = std::mem::take(&mut build.state.signature_key);
    key.clear();
    key.extend([ty, list as u32, u32::from(call_conv.0)]);
    key.extend(more.iter().map(|word| word.type_key()));
    let known = build.state.signatures.get(key.as_slice()).copied();
    let result = match known {
        Some(id) => Ok(id),
        None => {
            check_room(build)?;
            let mut signature = Signature::default();
            fill(build, &mut signature, ty, list, call_conv, more).map(|()| {
                build.state.signature_parameters += signature.params.len() + signature.returns.len();
                let id = build.function.push_sig(signature);
                build.state.signatures.insert(key.as_slice().into(), id);
                id
            })
        }
    };
    build.state.signature_key = key;
    result
}

/// Refuses more signatures than the size of the file justifies.
fn check_room(build: &Builder<'_, '_>) -> Result<(), ReadError> {
    if build.state.signature_parameters <= limits::signature_parameters(build.module.input_bytes) {
        return Ok(());
    }
    Err(build.malformed("calls with more parameters than the size of the file justifies"))
}
