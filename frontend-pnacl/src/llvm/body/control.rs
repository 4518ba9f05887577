//! Terminators and landing pads.

use super::arithmetic::Domain;
use super::cases::expect_distinct;
use super::context::{Body, Operands, terminate};
use super::{hooks, ranges, wide};
use crate::builder::class::Class;
use crate::builder::evaluate::Found;
use crate::builder::values::Builder;
use crate::builder::word::Word;
use crate::error::ReadError;
use crate::llvm::constants::ConstantKind;
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::included::RARE;
use frazil_ir::{Block, ConstView, EntityRef, InstData, Opcode, Operand, Refusal, SymbolId, SymbolKind, Type};

fn bare(op: Opcode) -> InstData {
    InstData::new(op, Type::VOID, 0, Operand::NONE, Operand::NONE)
}

pub(in crate::llvm) fn unreachable(body: &mut Body<'_, '_>) -> Result<(), ReadError> {
    terminate(body, bare(Opcode::Unreachable));
    Ok(())
}

/// Nothing, or a value.
pub(in crate::llvm) fn ret(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    body.take_must_tail(operands)?;
    body.build.state.operands.clear();
    let mut alone = None;
    let has_none = operands.rest().is_empty();
    if !has_none {
        let word = body.value(operands)?;
        body.build.push_parts(word)?;
        alone = word.is_operand().then(|| word.ir_type());
    }
    let returns_nothing = body.build.class(body.result)? == Class::Void;
    let build = &mut body.build;
    if returns_nothing != has_none {
        return Err(build.malformed("a return of nothing where there is a result, or the other way round"));
    }
    let returns = &build.function.signature().returns;
    let matches = returns.len() == build.state.operands.len()
        && returns.iter().zip(&build.state.operands).all(|(param, &operand)| {
            let ty = build.function.operand_type(operand).or(alone);
            ty.is_none_or(|ty| ty == param.ty)
        });
    if !matches {
        return Err(build.malformed("a return of something else than the function's type says"));
    }
    if body.hooks.at_exit() {
        hooks::leave(body)?;
    }
    let build = &mut body.build;
    let count = build.state.operands.len() as u32;
    let start = build.function.push_pool(&build.state.operands);
    terminate(
        body,
        InstData::new(Opcode::Return, Type::VOID, 0, Operand::raw(count), Operand::raw(start)),
    );
    Ok(())
}

/// A block; or two and a condition.
pub(in crate::llvm) fn branch(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let if_true = body.target(operands.next()?)?;
    if operands.rest().is_empty() {
        terminate(body, InstData::jump(if_true));
        return Ok(());
    }
    let if_false = body.target(operands.next()?)?;
    let number = body.number(operands.next()?);
    let condition = if number < body.build.next {
        body.build.word(number)?
    } else {
        body.build
            .forward_scalar(number, Type::I1, crate::builder::word::NO_TYPE)?
    };
    branch_if(body, condition, if_true, if_false)
}

/// Appends a conditional branch.
#[inline]
pub(in crate::llvm) fn branch_if(
    body: &mut Body<'_, '_>,
    condition: Word,
    if_true: Block,
    if_false: Block,
) -> Result<(), ReadError> {
    if !condition.is_operand() || condition.ir_type() != Type::I1 {
        return Err(body.build.malformed("a branch by something that is no i1"));
    }
    terminate(body, InstData::branch(condition.operand(), if_true, if_false));
    Ok(())
}

/// Type, value, default block; pairs of a constant's number (not relative) and a block.
pub(in crate::llvm) fn switch(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let first = operands.next()?;
    if RARE && ranges::is_marked(first) {
        return ranges::switch(body, operands);
    }
    let ty = body.build.type_id(first)?;
    let value = body.value_of_type(operands, ty)?;
    if body.build.wide_bits(ty).is_some() || body.build.is_wider_than_word(value) {
        return wide::switch(body, value, operands);
    }
    if !value.is_operand() || body.build.domain(value.ir_type()) != Domain::Integer {
        return Err(body.build.malformed("a switch over something that is no integer"));
    }
    let default = body.target(operands.next()?)?;
    let pairs = operands.rest();
    if pairs.len() % 2 == 1 {
        return Err(body.build.malformed("a switch with a value without a block"));
    }
    let mut words = std::mem::take(&mut body.build.state.operands);
    words.clear();
    words.push(Operand::raw((pairs.len() / 2) as u32));
    words.push(Operand::raw(default.as_u32()));
    let result = switch_cases(body, value, pairs, &mut words);
    let start = body.build.function.push_pool(&words);
    body.build.state.operands = words;
    result?;
    let data = InstData::new(Opcode::Switch, value.ir_type(), 0, value.operand(), Operand::raw(start));
    terminate(body, data);
    Ok(())
}

fn switch_cases(
    body: &mut Body<'_, '_>,
    value: Word,
    pairs: &[u64],
    words: &mut Vec<Operand>,
) -> Result<(), ReadError> {
    for pair in pairs.chunks_exact(2) {
        let &[number, block] = pair else { continue };
        let case = match u32::try_from(number) {
            Ok(number) if number < body.build.next => body.build.word(number)?,
            _ => return Err(body.build.malformed(format!("value {number} as a switch case"))),
        };
        if !body.build.is_integer(case) || case.ir_type() != value.ir_type() {
            return Err(body
                .build
                .malformed("a switch case that is no constant of the switch's type"));
        }
        words.push(case.operand());
        words.push(Operand::raw(body.target(block)?.as_u32()));
    }
    expect_distinct(body, words.get(2..).unwrap_or_default())
}

/// Type, address, blocks.
pub(in crate::llvm) fn indirect_branch(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let ty = body.build.type_id(operands.next()?)?;
    let address = body.value_of_type(operands, ty)?;
    if !address.is_operand() || body.build.domain(address.ir_type()) != Domain::Pointer {
        return Err(body.build.malformed("an indirectbr to something that is no pointer"));
    }
    let mut words = vec![Operand::raw(operands.rest().len() as u32)];
    for &block in operands.rest() {
        words.push(Operand::raw(body.target(block)?.as_u32()));
    }
    let start = body.build.function.push_pool(&words);
    let data = InstData::new(
        Opcode::IndirectJump,
        Type::VOID,
        0,
        address.operand(),
        Operand::raw(start),
    );
    terminate(body, data);
    Ok(())
}

fn is_array(body: &Body<'_, '_>, word: Word) -> bool {
    !word.is_operand() && matches!(body.build.module.types.kind(word.ty()), Some(Kind::Array { .. }))
}

/// The two parts of an exception: pointer and selector.
fn is_exception_type(body: &mut Body<'_, '_>, ty: u32) -> Result<bool, ReadError> {
    if body.build.class(ty)? != Class::Aggregate {
        return Ok(false);
    }
    let leaves = body.build.leaves(ty)?;
    let types: Vec<Type> = leaves.map(|place| body.build.leaf(place).ir_type).collect();
    Ok(types == [Type::PTR, Type::I32])
}

/// All landing pads and resumes of a function have one type.
fn expect_exception_type(body: &mut Body<'_, '_>, ty: TypeId, what: &str) -> Result<(), ReadError> {
    match *body.exception_type.get_or_insert(ty) {
        first if first == ty => Ok(()),
        first => Err(body.build.malformed(format!(
            "{what} of type {ty} in a function whose first landingpad or resume is of type {first}"
        ))),
    }
}

/// Whether a value, an array with these parts, may be a filter: LLVM has no array whose elements are all poison or all
/// undefined.
fn is_filter(body: &Body<'_, '_>, number: u32, array: Word, parts: &[Operand]) -> bool {
    let build = &body.build;
    let is_array = match build.evaluator().find(u64::from(number)) {
        Found::Row(_, row) => matches!(row.kind, ConstantKind::Aggregate | ConstantKind::Null),
        _ => false,
    };
    let types = &build.module.types;
    let has_pointers = match types.kind(array.ty()) {
        Some(&Kind::Array { element, .. }) => matches!(types.kind(element), Some(Kind::Pointer { .. })),
        _ => false,
    };
    let is_all = |wanted: fn(ConstView<'_>) -> bool| {
        let is_one = |part: &Operand| part.as_const().is_some_and(|id| wanted(build.function.constant(id).1));
        !parts.is_empty() && parts.iter().all(is_one)
    };
    let is_poison = is_all(|found| matches!(found, ConstView::Poison));
    let is_undefined = is_all(|found| matches!(found, ConstView::Undef));
    is_array && has_pointers && !is_poison && !is_undefined
}

/// Who unwinds the function that is read.
pub(in crate::llvm) fn personality(body: &Body<'_, '_>) -> Option<SymbolId> {
    let module = &body.build.module.module;
    let symbol = module.symbols.get(body.build.function.symbol()?)?;
    match symbol.kind {
        SymbolKind::Function(id) => module.functions.get(id)?.personality,
        _ => None,
    }
}

/// Refuses landing pads and what continues unwinding in functions that do not say who unwinds.
fn expect_personality(body: &Body<'_, '_>, what: &str) -> Result<(), ReadError> {
    if personality(body).is_some() || body.old.finds_personality {
        return Ok(());
    }
    let message = format!("{what} in a function without a personality routine");
    Err(body.build.malformed(message))
}

/// The exception.
pub(in crate::llvm) fn resume(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    expect_personality(body, "a resume")?;
    let exception = body.value(operands)?;
    if exception.is_operand() || !is_exception_type(body, exception.ty())? {
        return Err(body.build.unsupported(
            Refusal::Exception,
            "a resume of something else than a pointer and an i32",
        ));
    }
    expect_exception_type(body, exception.ty(), "a resume")?;
    let (pointer, selector) = (body.build.part(exception, 0), body.build.part(exception, 1));
    terminate(body, InstData::new(Opcode::Resume, Type::VOID, 0, pointer, selector));
    Ok(())
}

/// Clause kinds in the file and in the IR.
const CATCH: u64 = 0;
const FILTER: u64 = 1;
/// Clause headers have the kind in the lowest two bits and the number of operands above.
const CLAUSE_COUNT_SHIFT: u32 = 2;

/// Type, cleanup, number of clauses; clauses of a kind and a value.
pub(in crate::llvm) fn landing_pad(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    expect_personality(body, "a landingpad")?;
    let ty = body.build.type_id(operands.next()?)?;
    landing_pad_of(body, operands, ty)
}

/// Cleanup, number of clauses; clauses of a kind and a value.
pub(in crate::llvm) fn landing_pad_of(
    body: &mut Body<'_, '_>,
    operands: &mut Operands<'_>,
    ty: TypeId,
) -> Result<(), ReadError> {
    if body.is_behind_phis() {
        return Err(body
            .build
            .malformed("a landingpad after other instructions of its block"));
    }
    if !is_exception_type(body, ty)? {
        return Err(body.build.unsupported(
            Refusal::Exception,
            "a landingpad of another type than a pointer and an i32",
        ));
    }
    expect_exception_type(body, ty, "a landingpad")?;
    let cleanup = operands.next()? != 0;
    let count = operands.next()?;
    if count > operands.rest().len() as u64 {
        return Err(body.build.malformed(format!("a landingpad of {count} clauses")));
    }
    if count == 0 && !cleanup {
        return Err(body
            .build
            .malformed("a landingpad without clauses that is no cleanup either"));
    }
    let mut words = vec![Operand::raw(0)];
    for _ in 0..count {
        let kind = operands.next()?;
        if kind > FILTER {
            return Err(body.build.malformed(format!("landingpad clause {kind}")));
        }
        let number = operands.rest().first().map_or(0, |&relative| body.number(relative));
        let array = body.value(operands)?;
        body.build.state.operands.clear();
        body.build.push_parts(array)?;
        let is_pointer = array.is_operand() && body.build.domain(array.ir_type()) == Domain::Pointer;
        if kind == CATCH && !is_pointer {
            return Err(body.build.malformed("a catch clause of something that is no pointer"));
        }
        if kind == FILTER && !is_array(body, array) {
            return Err(body.build.malformed("a filter clause of something that is no array"));
        }
        let parts = &body.build.state.operands;
        if parts.iter().any(|part| part.as_value().is_some()) {
            return Err(body
                .build
                .unsupported(Refusal::Exception, "a landingpad clause that is no constant"));
        }
        if kind == FILTER && !is_filter(body, number, array, parts) {
            return Err(body
                .build
                .malformed("a filter clause of something that is no array of pointers"));
        }
        words.push(Operand::raw((parts.len() as u32) << CLAUSE_COUNT_SHIFT | kind as u32));
        words.extend_from_slice(parts);
    }
    let length = words.len() as u32 - 1;
    if let Some(first) = words.first_mut() {
        *first = Operand::raw(length);
    }
    let build = &mut body.build;
    let start = build.function.push_pool(&words);
    let data = InstData::new(
        Opcode::LandingPad,
        Type::VOID,
        0,
        Operand::raw(u32::from(cleanup)),
        Operand::raw(start),
    );
    build.state.types.clear();
    build.state.types.extend([Type::PTR, Type::I32]);
    build.state.pads.push(build.function.blocks().len() as u32 - 1);
    build.define_aggregate(data, ty)
}

/// Checks that landing pads and unwind edges belong together, when the control flow is known.
///
/// # Errors
/// If an invoke unwinds to a block without landing pad, or a block with one is reached in another way.
pub(in crate::llvm) fn check_pads(build: &Builder<'_, '_>) -> Result<(), ReadError> {
    let function = &*build.function;
    for &pad in &build.state.pads {
        let pad = Block::new(pad as usize);
        let only_unwinding = function.predecessors(pad).iter().all(|&from| {
            let data = function.inst(function.terminator(from));
            data.op == Opcode::Invoke && {
                let (normal, unwind) = function.invoke_targets(data);
                unwind == pad && normal != pad
            }
        });
        // Nothing unwinds to the entry.
        if !only_unwinding || pad.index() == 0 {
            return Err(build.malformed(format!("{pad:?} has a landingpad but is not only unwound to")));
        }
    }
    for &target in &build.state.unwind_targets {
        let mut range = function.block_insts(Block::new(target as usize));
        let first = range.find_map(|at| function.insts().get(at).filter(|data| data.op != Opcode::Phi));
        if first.is_none_or(|data| data.op != Opcode::LandingPad) {
            return Err(build.malformed(format!("block {target} is unwound to but has no landingpad")));
        }
    }
    Ok(())
}
