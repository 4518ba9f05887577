//! Calls, invokes, and the intrinsics that become instructions.

mod asm_outputs;
mod environment;
mod fixed_point;
mod library;
mod registers;
mod strict;
mod vectors;

use super::arithmetic::Domain;
use super::context::{Body, Operands, pointee_function, terminate};
use super::hooks;
use super::{FAST_MATH_MASK, atomics, fast_math, float_parts, saturating, wide};
use crate::builder::class::Class;
use crate::builder::intrinsics::Intrinsic;
use crate::builder::signatures;
use crate::builder::vector_intrinsics::VectorIntrinsic;
use crate::builder::word::{NO_TYPE, State, Word};
use crate::error::ReadError;
use crate::llvm::attributes::{Attributes, FORBIDS_CALLS, LACKS_TYPE};
use crate::llvm::codes::call as bits;
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::included::{OPTIMIZING_PATH, RARE, VECTORS};
use frazil_ir::{
    Block, CallConv, CallFlags, ConstView, EntityRef, Format, InstData, IntFlags, MemFlags, Opcode, Operand, Refusal,
    Results, SymbolId, Type, TypeData,
};

/// A call as its record describes it.
pub(super) struct Call<'m> {
    pub(super) callee: Word,
    /// The symbol that is called, if it is one.
    pub(super) symbol: Option<SymbolId>,
    /// Its function type.
    pub(super) ty: TypeId,
    pub(super) result: TypeId,
    pub(super) attribute_list: u64,
    pub(super) attributes: Attributes<'m>,
    pub(super) call_conv: CallConv,
    pub(super) flags: CallFlags,
    pub(super) fast_math: u16,
    /// Arguments in the order of the parameters; metadata is left out.
    pub(super) arguments: Vec<Word>,
    /// How many of them are beyond the parameters.
    pub(super) more: usize,
    /// The number of the last argument that is metadata.
    pub(super) metadata: Option<u32>,
}

/// Attribute list, convention and flags, perhaps fast-math flags, function type, callee, arguments.
pub(in crate::llvm) fn call(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    body.take_bundles()?;
    let attribute_list = operands.next()?;
    let word = operands.next()?;
    let has_fast_math = word & bits::FAST_MATH != 0;
    let fast_math_word = if has_fast_math { operands.next()? } else { 0 };
    if has_fast_math && fast_math_word & FAST_MATH_MASK == 0 {
        return Err(body.build.malformed("a call with fast-math flags of which none is set"));
    }
    let fast = fast_math(fast_math_word);
    let explicit = if word & bits::EXPLICIT_TYPE != 0 {
        Some(operands.next()?)
    } else {
        None
    };
    let mut flags = CallFlags::empty();
    flags.set(CallFlags::TAIL, word & bits::TAIL != 0);
    flags.set(CallFlags::MUST_TAIL, word & bits::MUST_TAIL != 0);
    flags.set(CallFlags::NO_TAIL, word & bits::NO_TAIL != 0);
    let call_conv = CallConv((word >> bits::CONVENTION_SHIFT & bits::CONVENTION_MASK) as u16);
    let call = read(body, operands, attribute_list, explicit, call_conv, flags, fast)?;
    if has_fast_math && !body.may_be_float(call.result) {
        return Err(body
            .build
            .malformed("a call with fast-math flags that returns no float"));
    }
    let intrinsic = intrinsic_of(body, &call);
    if intrinsic == Some(Intrinsic::Register) {
        return registers::access(body, call);
    }
    if let Some(intrinsic) = intrinsic {
        expect_immediates(body, &call, intrinsic)?;
        if body.bundles && intrinsic == Intrinsic::Nothing(0) {
            expect_assumed(body, &call)?;
        }
    }
    if let Some(intrinsic) = intrinsic
        && (lower(body, &call, intrinsic)? || VECTORS && vectors::lower(body, &call, intrinsic)?)
    {
        body.bundles = false;
        body.others = true;
        if call.flags.contains(CallFlags::MUST_TAIL) {
            body.note_must_tail(call.result)?;
        }
        recycle(body, call.arguments);
        return Ok(());
    }
    emit(body, call, None)
}

/// Attribute list, convention, normal and unwind block, function type, callee, arguments.
pub(in crate::llvm) fn invoke(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    body.take_bundles()?;
    let attribute_list = operands.next()?;
    let word = operands.next()?;
    let normal = body.target(operands.next()?)?;
    let unwind = body.target(operands.next()?)?;
    let explicit = if word & bits::INVOKE_EXPLICIT_TYPE != 0 {
        Some(operands.next()?)
    } else {
        None
    };
    let call_conv = CallConv((word & bits::CONVENTION_MASK) as u16);
    let call = read(
        body,
        operands,
        attribute_list,
        explicit,
        call_conv,
        CallFlags::empty(),
        0,
    )?;
    body.build.state.environment.numbers.clear();
    if let Some(Intrinsic::Nothing(_) | Intrinsic::Variable(_)) = intrinsic_of(body, &call) {
        expect_invocable(body, call.symbol)?;
        body.bundles = false;
        terminate(body, InstData::jump(normal));
        recycle(body, call.arguments);
        return Ok(());
    }
    let first = body.build.next;
    emit(body, call, Some((normal, unwind)))?;
    body.build.state.uses.note_invoke(first, body.build.next, normal);
    body.open = false;
    Ok(())
}

/// The intrinsic that is called, if its name is known and it is called as declared.
fn intrinsic_of(body: &Body<'_, '_>, call: &Call<'_>) -> Option<Intrinsic> {
    known_intrinsic(body, call.symbol)
}

/// Refuses invokes of intrinsics that can only be called.
#[cold]
fn expect_invocable(body: &Body<'_, '_>, symbol: Option<SymbolId>) -> Result<(), ReadError> {
    let module = &body.build.module.module;
    let name = symbol.map_or(&[][..], |symbol| module.name(symbol));
    if matches!(name, b"llvm.donothing" | b"llvm.fake.use") {
        return Ok(());
    }
    let name = String::from_utf8_lossy(name);
    Err(body
        .build
        .malformed(format!("an invoke of the intrinsic {name}, which can only be called")))
}

fn known_intrinsic(body: &Body<'_, '_>, symbol: Option<SymbolId>) -> Option<Intrinsic> {
    let symbol = symbol?;
    body.module.intrinsics.get(symbol.index()).copied().flatten()
}

/// Refuses arguments of intrinsics that must be constants and are none.
#[inline]
fn expect_immediates(body: &Body<'_, '_>, call: &Call<'_>, intrinsic: Intrinsic) -> Result<(), ReadError> {
    let mut wanted = intrinsic.immediates();
    while wanted != 0 {
        let index = wanted.trailing_zeros();
        wanted &= wanted - 1;
        let argument = call.arguments.get(index as usize);
        if argument.is_some_and(|word| !is_immediate(body, *word)) {
            let message = format!("an intrinsic whose argument {index} is no number, which must be a constant");
            return Err(body.build.malformed(message));
        }
    }
    Ok(())
}

/// Refuses assumptions in operand bundles whose condition, the only one of an intrinsic of nothing, is not true.
#[cold]
fn expect_assumed(body: &Body<'_, '_>, call: &Call<'_>) -> Result<(), ReadError> {
    match call.arguments.as_slice() {
        [condition] if condition.ir_type() == Type::I1 && condition.operand() != truth(true) => Err(body
            .build
            .malformed("an assumption with operand bundles whose condition is not true")),
        _ => Ok(()),
    }
}

fn is_immediate(body: &Body<'_, '_>, word: Word) -> bool {
    let is_number = |id| {
        matches!(
            body.build.function.constant(id).1,
            ConstView::Int(_) | ConstView::Float(_)
        )
    };
    let operand = word.operand();
    word.is_operand() && (operand.as_imm().is_some() || operand.as_const().is_some_and(is_number))
}

fn recycle(body: &mut Body<'_, '_>, mut arguments: Vec<Word>) {
    arguments.clear();
    body.build.state.arguments = arguments;
}

/// Reads callee and arguments.
pub(super) fn read<'m>(
    body: &mut Body<'_, 'm>,
    operands: &mut Operands<'_>,
    attribute_list: u64,
    explicit: Option<u64>,
    call_conv: CallConv,
    flags: CallFlags,
    fast_math: u16,
) -> Result<Call<'m>, ReadError> {
    let module = body.build.module;
    let explicit = explicit.map(|ty| body.build.type_id(ty)).transpose()?;
    let callee = body.value(operands)?;
    let symbol = callee.operand().as_symbol().filter(|_| callee.is_operand());
    let of_symbol = || module.symbols.get(symbol?.index()).map(|info| info.ty);
    let mut ty = explicit.or_else(|| pointee_function(body, callee)).or_else(of_symbol);
    if RARE && ty.is_none() && callee.ir_type() == Type::PTR {
        ty = Some(body.pointee(callee)?);
    }
    let kind = ty.and_then(|ty| Some((ty, module.types.kind(ty)?)));
    let Some((
        ty,
        Kind::Function {
            variadic,
            result,
            parameters,
        },
    )) = kind
    else {
        return Err(body.build.malformed("a call without a function type"));
    };
    if !callee.is_operand() || body.build.domain(callee.ir_type()) != Domain::Pointer {
        return Err(body.build.malformed("a call of something that is no pointer"));
    }
    let Some(attributes) = module.attributes.list(attribute_list) else {
        return Err(body
            .build
            .malformed(format!("attribute list {attribute_list} is not there")));
    };
    if module.attributes.has_untyped_roles && attributes.lack_type(ty, &module.types) {
        return Err(body.build.malformed(LACKS_TYPE));
    }
    let mut arguments = std::mem::take(&mut body.build.state.arguments);
    arguments.clear();
    let mut metadata = None;
    let takes_variable = is_thread_local_address(body, symbol);
    for &parameter in module.types.members(parameters) {
        match body.build.class(parameter)? {
            Class::Metadata => {
                let number = body.number(operands.next()?);
                metadata = Some(number);
                if names_metadata(known_intrinsic(body, symbol)) {
                    body.build.state.environment.numbers.push(number);
                }
            }
            _ if takes_variable => {
                let number = body.number(operands.next()?);
                arguments.push(thread_local_word(body, number)?);
            }
            _ => arguments.push(body.value_of_type(operands, parameter)?),
        }
    }
    if metadata.is_some() {
        expect_intrinsic(body, symbol)?;
    }
    let fixed = arguments.len();
    while !operands.rest().is_empty() {
        if !variadic {
            return Err(body.build.malformed("a call with more arguments than parameters"));
        }
        arguments.push(body.value(operands)?);
    }
    let more = arguments.len() - fixed;
    let result = *result;
    Ok(Call {
        callee,
        symbol,
        ty,
        result,
        attribute_list,
        attributes,
        call_conv,
        flags,
        fast_math,
        arguments,
        more,
        metadata,
    })
}

/// Whether all arguments of an intrinsic that are metadata are wanted.
#[inline]
fn names_metadata(intrinsic: Option<Intrinsic>) -> bool {
    strict::names_environment(intrinsic)
        || matches!(
            intrinsic,
            Some(Intrinsic::Variable(_) | Intrinsic::Vector(VectorIntrinsic::PredicatedCompare))
        )
}

/// Refuses a call of something else with metadata.
#[cold]
fn expect_intrinsic(body: &Body<'_, '_>, symbol: Option<SymbolId>) -> Result<(), ReadError> {
    let module = &body.build.module.module;
    match symbol {
        Some(symbol) if module.name(symbol).starts_with(b"llvm.") => Ok(()),
        _ => Err(body
            .build
            .malformed("a call of what is no intrinsic with metadata as an argument")),
    }
}

fn is_thread_local_address(body: &Body<'_, '_>, symbol: Option<SymbolId>) -> bool {
    known_intrinsic(body, symbol) == Some(Intrinsic::ThreadLocalAddress)
}

/// The argument of `llvm.threadlocal.address`: the symbol itself, its address not yet computed.
fn thread_local_word(body: &mut Body<'_, '_>, number: u32) -> Result<Word, ReadError> {
    let word = body.build.raw_word(number);
    if number < body.build.next && word.state() == State::ThreadLocal {
        return Ok(Word::scalar(
            Operand::symbol(SymbolId::new(word.index() as usize)),
            Type::PTR,
            NO_TYPE,
        ));
    }
    Err(body.build.unsupported(
        Refusal::ThreadLocal,
        "llvm.threadlocal.address of something that is no thread-local variable",
    ))
}

/// Appends a call or, with targets, an invoke.
pub(super) fn emit(body: &mut Body<'_, '_>, call: Call<'_>, targets: Option<(Block, Block)>) -> Result<(), ReadError> {
    if body.build.module.attributes.forbids_calls {
        refuse_forbidden(body, &call)?;
    }
    let is_asm = match call.callee.operand().as_const() {
        Some(id) => matches!(body.build.function.constant(id).1, ConstView::Asm(_)),
        None => false,
    };
    if OPTIMIZING_PATH && is_asm && targets.is_none() && !body.bundles && asm_outputs::emit(body, &call)? {
        return Ok(());
    }
    if call.flags.contains(CallFlags::MUST_TAIL) && body.hooks.at_exit() {
        hooks::leave(body)?;
    }
    let build = &mut body.build;
    let fixed = call.arguments.len() - call.more;
    let more = call.arguments.get(fixed..).unwrap_or_default();
    let sig = signatures::of_call(build, call.ty, call.attribute_list, call.call_conv, more)?;
    let mut flags = call.flags;
    let module = build.module;
    flags |= module.attributes.call_flags(call.attribute_list);
    if let Some(declared) = call.symbol.and_then(|symbol| module.symbols.get(symbol.index())) {
        flags |= module.attributes.call_flags(declared.attributes);
    }
    let is_intrinsic = call
        .symbol
        .is_some_and(|symbol| body.module.intrinsics.get(symbol.index()).copied().flatten().is_some());
    flags.set(CallFlags::INTRINSIC, is_intrinsic);
    flags.set(CallFlags::INLINE_ASM, is_asm);
    flags.set(CallFlags::BUNDLES, std::mem::take(&mut body.bundles));

    build.state.operands.clear();
    for &argument in &call.arguments {
        build.push_parts(argument)?;
    }
    build.check_room(build.state.operands.len())?;
    let count = build.state.operands.len() as u32;
    let start = build
        .function
        .push_pool(&[Operand::raw(count), Operand::raw(sig.as_u32())]);
    let op = match targets {
        None => Opcode::Call,
        Some((normal, unwind)) => {
            build.state.unwind_targets.push(unwind.as_u32());
            build
                .function
                .push_pool(&[Operand::raw(normal.as_u32()), Operand::raw(unwind.as_u32())]);
            Opcode::Invoke
        }
    };
    build.function.push_pool(&build.state.operands);
    let data = InstData::new(op, Type::VOID, flags.bits(), call.callee.operand(), Operand::raw(start));
    let result = call.result;
    recycle(body, call.arguments);
    define_result(body, data, result)
}

/// Appends an instruction whose results make up a value of a type.
fn define_result(body: &mut Body<'_, '_>, data: InstData, ty: TypeId) -> Result<(), ReadError> {
    let build = &mut body.build;
    match build.class(ty)? {
        Class::Void | Class::Metadata => {
            build.function.push_inst(data);
            Ok(())
        }
        Class::Scalar(ir_type) => build.define(data, ir_type, ty),
        Class::Aggregate => {
            let leaves = build.leaves(ty)?;
            build.check_room(leaves.len())?;
            build.state.types.clear();
            for place in leaves {
                let ir_type = build.leaf(place).ir_type;
                build.state.types.push(ir_type);
            }
            build.define_aggregate(data, ty)
        }
    }
}

/// Makes instructions of a call of an intrinsic; `false` if it has to stay a call.
fn lower(body: &mut Body<'_, '_>, call: &Call<'_>, intrinsic: Intrinsic) -> Result<bool, ReadError> {
    let class = body.build.class(call.result)?;
    if RARE && strict::names_environment(Some(intrinsic)) {
        return strict::lower(body, call, intrinsic, class);
    }
    match intrinsic {
        Intrinsic::FixedPoint(operation) if RARE => return fixed_point::lower(body, call, operation),
        Intrinsic::Environment(access) if RARE => return environment::lower(body, call, access),
        _ => {}
    }
    if call.arguments.iter().any(|argument| !argument.is_operand()) || body.build.wide_bits(call.result).is_some() {
        return if RARE {
            wide::intrinsic(body, intrinsic, &call.arguments, call.result)
        } else {
            Ok(false)
        };
    }
    let result = if let Class::Scalar(ir_type) = class {
        ir_type
    } else {
        Type::VOID
    };
    let constant = |operand: Operand| Word::scalar(operand, result, call.result);
    match (intrinsic, call.arguments.as_slice()) {
        (Intrinsic::Nothing(_), _) if class == Class::Void => {}
        (Intrinsic::Variable(kind), arguments) if class == Class::Void => body.debug_call(kind, arguments),
        (Intrinsic::Nothing(_), _) if result == Type::PTR => body.build.define_as(constant(Operand::ZERO))?,
        (Intrinsic::First(_), [first, ..]) if first.ir_type() == result => {
            body.build.define_as(first.with_type(call.result))?;
        }
        (Intrinsic::True, _) if result == Type::I1 => body.build.define_as(constant(truth(true)))?,
        (Intrinsic::IsConstant, [value]) if result == Type::I1 => {
            let is_constant = value.operand().as_value().is_none();
            body.build.define_as(constant(truth(is_constant)))?;
        }
        (Intrinsic::ObjectSize, [_, minimum, ..]) if body.build.domain(result) == Domain::Integer => {
            // What is known of nothing: at least 0, at most everything.
            let minimum = minimum.operand().as_imm() != Some(0);
            let size = body.build.function.int_operand(result, if minimum { 0 } else { -1 });
            body.build.define_as(constant(size))?;
        }
        (Intrinsic::Plain(op @ (Opcode::FptosiSat | Opcode::FptouiSat)), &[float])
            if float.ir_type() == Type::X86_F80
                && let Some(bits) = body.build.function.types().int_bits(result) =>
        {
            let (float, signed) = (body.build.typed(float), op == Opcode::FptosiSat);
            saturating::extended(body, float, signed, (result, bits, call.result))?;
        }
        (Intrinsic::Plain(op), _) => return plain(body, call, op, class, result),
        (Intrinsic::Bare(Opcode::Trap | Opcode::Debugtrap), _) if let Some(name) = trap_function(call) => {
            let message = format!("intrinsic that traps by a call of {name} (\"trap-func-name\")");
            return Err(body.build.unsupported(Refusal::Intrinsic, message));
        }
        (Intrinsic::Bare(op), arguments) => return bare(body, op, arguments, class),
        (Intrinsic::PoisonFlag(op), &[value, flag])
            if value.ir_type() == result && body.build.domain(result) == Domain::Integer =>
        {
            let flags = if flag.operand().as_imm() == Some(0) {
                0
            } else {
                IntFlags::POISON_SPECIAL.bits()
            };
            let data = InstData::new(op, result, flags, value.operand(), Operand::NONE);
            body.build.define(data, result, call.result)?;
        }
        // Up to LLVM 3.0, zero was no special input.
        (Intrinsic::PoisonFlag(op @ (Opcode::Ctlz | Opcode::Cttz)), &[value])
            if value.ir_type() == result && body.build.domain(result) == Domain::Integer =>
        {
            let data = InstData::new(op, result, 0, value.operand(), Operand::NONE);
            body.build.define(data, result, call.result)?;
        }
        (Intrinsic::OfArgument(op), &[value, mask]) => {
            let data = InstData::new(op, value.ir_type(), 0, value.operand(), mask.operand());
            body.build.define(data, result, call.result)?;
        }
        (Intrinsic::Memory(op), &[destination, source, length, volatile]) if class == Class::Void => {
            let alignments = [0, 1].map(|index| call.attributes.parameter(index).align_log2_plus_one);
            let aligns = alignments.map(|plus_one| u32::from(plus_one.saturating_sub(1)));
            memory(body, op, [destination, source, length, volatile], aligns)?;
        }
        // Up to LLVM 6, one alignment for both was an argument; none was 0.
        (Intrinsic::Memory(op), &[destination, source, length, align, volatile]) if class == Class::Void => {
            let bytes = align.operand().as_imm().and_then(|bytes| u64::try_from(bytes).ok());
            let Some(bytes) = bytes.filter(|&bytes| bytes == 0 || bytes.is_power_of_two()) else {
                return Err(body
                    .build
                    .malformed("a memory intrinsic with an alignment that is no power of two"));
            };
            let align_log2 = bytes.max(1).trailing_zeros();
            memory(body, op, [destination, source, length, volatile], [align_log2; 2])?;
        }
        (Intrinsic::ThreadLocalAddress, [variable]) => {
            let data = InstData::new(Opcode::TlsAddr, Type::PTR, 0, variable.operand(), Operand::NONE);
            body.build.define(data, Type::PTR, call.result)?;
        }
        // Only a hint.
        (Intrinsic::Prefetch, [address, ..]) if address.ir_type() != Type::PTR => {}
        (Intrinsic::Prefetch, [address, write, locality, data]) => {
            let bits = [write, locality, data].map(|word| word.operand().as_imm().unwrap_or(0) as u16);
            let [write, locality, data] = bits;
            let flags = write & 1 | (locality & 3) << 1 | (data & 1) << 3;
            let data = InstData::new(Opcode::Prefetch, Type::VOID, flags, address.operand(), Operand::NONE);
            body.build.function.push_inst(data);
        }
        (Intrinsic::LoadRelative, &[base, offset]) if result == Type::PTR => {
            load_relative(body, call, base, offset)?;
        }
        (Intrinsic::PointerMask, &[pointer, mask])
            if result == Type::PTR && mask.ir_type() == body.build.pointer_int() =>
        {
            let source = body.build.typed(pointer);
            let bits_type = mask.ir_type();
            let bits = body.build.emit(Opcode::Ptrtoint, bits_type, 0, source, Operand::NONE);
            let masked = body.build.emit(Opcode::And, bits_type, 0, bits, mask.operand());
            let data = InstData::new(Opcode::Inttoptr, Type::PTR, 0, masked, Operand::NONE);
            body.build.define(data, Type::PTR, call.result)?;
        }
        (Intrinsic::Nearest(_), &[float]) if library::is_converted(&body.build, float, result) => {
            let source = body.build.typed(float);
            let data = InstData::new(Opcode::Lrint, result, 0, source, Operand::NONE);
            body.build.define(data, result, call.result)?;
        }
        (Intrinsic::Library(functions) | Intrinsic::Nearest(functions), _) => {
            return library::by_library(body, call, functions);
        }
        (Intrinsic::Elements(functions), &[to, from, length, bytes]) if class == Class::Void => {
            return atomics::copy_elements(body, functions, [to, from, length], bytes);
        }
        (Intrinsic::Split(functions), &[value]) if class == Class::Aggregate => {
            return float_parts::split(body, functions, value, call.result);
        }
        (Intrinsic::Both(functions), &[value]) if class == Class::Aggregate => {
            return float_parts::both(body, functions, value, call.result);
        }
        (Intrinsic::Number(op), &[left, right]) if left.ir_type() == result && right.ir_type() == result => {
            number(body, call, op, [left, right])?;
        }
        (Intrinsic::CarryLess, _) if RARE => return fixed_point::carry_less(body, call),
        (Intrinsic::Canonicalize, _) => return environment::canonicalize(body, call),
        (Intrinsic::Half { to_half }, _) if RARE => return environment::half(body, call, to_half),
        _ => return Ok(false),
    }
    Ok(true)
}

fn truth(value: bool) -> Operand {
    Operand::imm(if value { -1 } else { 0 }).unwrap_or(Operand::ZERO)
}

/// An instruction with the arguments of the call.
fn plain(body: &mut Body<'_, '_>, call: &Call<'_>, op: Opcode, class: Class, result: Type) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let arguments = call.arguments.as_slice();
    if let Class::Aggregate = class {
        return overflow(body, call, op);
    }
    let carried = frazil_ir::typing::is_cast(op) || frazil_ir::typing::is_reduction(op);
    let carried = carried || matches!(op, Opcode::Scmp | Opcode::Ucmp);
    let own_result = matches!(op.results(), Results::Ty | Results::Ptr);
    if !own_result || op.results() == Results::Ptr && result != Type::PTR {
        return Ok(false);
    }
    let scalar = build.function.types().data(build.function.types().scalar(result));
    if !computes_type(op, scalar) {
        return Err(build.malformed(format!(
            "an intrinsic for `{}` with a result of another kind",
            op.name()
        )));
    }
    let flags = match frazil_ir::flags::flag_kind(op) {
        frazil_ir::flags::FlagKind::Fast => call.fast_math,
        _ => 0,
    };
    let like_result = |word: &Word| carried || word.ir_type() == result || op.results() == Results::Ptr;
    let (a, b) = match (op.format(), arguments) {
        (Format::Nullary, []) => (Operand::NONE, Operand::NONE),
        (Format::Unary, [value, ..]) if matches!(op, Opcode::EhTypeidFor | Opcode::SjljSetjmp) => {
            (value.operand(), Operand::NONE)
        }
        (Format::Unary, [value]) if like_result(value) => (
            if carried { build.typed(*value) } else { value.operand() },
            Operand::NONE,
        ),
        (Format::Binary, [start, vector]) if frazil_ir::typing::is_reduction(op) => {
            (start.operand(), build.typed(*vector))
        }
        (Format::Binary, [left, right]) if like_result(left) && left.ir_type() == right.ir_type() => (
            if carried { build.typed(*left) } else { left.operand() },
            right.operand(),
        ),
        (Format::Ternary, [first, second, third]) if arguments.iter().all(like_result) => {
            let rest = build.function.push_pool(&[second.operand(), third.operand()]);
            (first.operand(), Operand::raw(rest))
        }
        _ => return Ok(false),
    };
    body.build
        .define(InstData::new(op, result, flags, a, b), result, call.result)?;
    Ok(true)
}

/// Whether an operation on integers or floats has results of a type, or vectors of it.
fn computes_type(op: Opcode, scalar: TypeData) -> bool {
    let is_between = |first: Opcode, last: Opcode| (first as u8..=last as u8).contains(&(op as u8));
    match scalar {
        TypeData::Int(bits) if op == Opcode::Bswap => bits % 16 == 0,
        TypeData::Int(_) => !is_between(Opcode::Fadd, Opcode::IsFpclass),
        TypeData::Ptr(_) => !is_between(Opcode::Add, Opcode::Fshr) && !is_between(Opcode::Fadd, Opcode::IsFpclass),
        _ => !is_between(Opcode::Add, Opcode::Fshr),
    }
}

/// The smaller or larger of two operands; one that is no number gives way to the other one.
fn number(body: &mut Body<'_, '_>, call: &Call<'_>, op: Opcode, operands: [Word; 2]) -> Result<(), ReadError> {
    let ir_type = operands[0].ir_type();
    let build = &mut body.build;
    let truth = build.bool_like(ir_type)?;
    let [left, right] = operands.map(|word| word.operand());
    let [left, right] = [(left, right), (right, left)].map(|(operand, other)| {
        let test = InstData::new(Opcode::FcmpUno, ir_type, 0, operand, operand);
        let is_nan = Operand::value(build.function.push_inst_result(test, truth));
        let rest = Operand::raw(build.function.push_pool(&[other, operand]));
        build.emit(Opcode::Select, ir_type, 0, is_nan, rest)
    });
    let data = InstData::new(op, ir_type, call.fast_math, left, right);
    build.define(data, ir_type, call.result)
}

/// Arithmetic that also tells whether it wrapped.
fn overflow(body: &mut Body<'_, '_>, call: &Call<'_>, op: Opcode) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let &[left, right] = call.arguments.as_slice() else {
        return Ok(false);
    };
    if op.results() != Results::TyAndBool || left.ir_type() != right.ir_type() {
        return Ok(false);
    }
    let ir_type = left.ir_type();
    let flag = build.bool_like(ir_type)?;
    let leaves = build.leaves(call.result)?;
    let types: Vec<Type> = leaves.map(|place| build.leaf(place).ir_type).collect();
    if types != [ir_type, flag] {
        return Ok(false);
    }
    build.state.types = types;
    let data = InstData::new(op, ir_type, 0, left.operand(), right.operand());
    build.define_aggregate(data, call.result)?;
    Ok(true)
}

/// An instruction without result.
fn bare(body: &mut Body<'_, '_>, op: Opcode, arguments: &[Word], class: Class) -> Result<bool, ReadError> {
    let (a, b) = match (op.format(), arguments) {
        (Format::Nullary, _) => (Operand::NONE, Operand::NONE),
        (Format::Unary, [first]) => (first.operand(), Operand::NONE),
        (Format::Binary, [first, second]) => (first.operand(), second.operand()),
        _ => return Ok(false),
    };
    if class != Class::Void {
        return Ok(false);
    }
    body.build.function.push_inst(InstData::new(op, Type::VOID, 0, a, b));
    Ok(true)
}

/// Copies and fills. The binary logarithms of the alignments are those of the destination and, for a copy, of the
/// source.
fn memory(body: &mut Body<'_, '_>, op: Opcode, arguments: [Word; 4], aligns_log2: [u32; 2]) -> Result<(), ReadError> {
    let [destination, source, length, volatile] = arguments;
    let [of_destination, of_source] = aligns_log2;
    let align_log2 = match op {
        Opcode::MemSet => of_destination,
        _ => of_destination.min(of_source),
    };
    let volatile = volatile.operand().as_imm() != Some(0);
    let flags = MemFlags::aligned(align_log2).with_volatile(volatile).0;
    let build = &mut body.build;
    if build.domain(length.ir_type()) != Domain::Integer {
        return Err(build.malformed("a memory intrinsic whose length is no integer"));
    }
    let is_default = |word: Word| word.ir_type() == Type::PTR;
    let is_address =
        |word: Word| is_default(word) || matches!(build.function.types().data(word.ir_type()), TypeData::Ptr(_));
    let fits = match op {
        Opcode::MemSet => is_address(destination) && source.ir_type() == Type::I8,
        _ => is_address(destination) && is_address(source),
    };
    if !fits {
        return Err(build.malformed("a memory intrinsic whose arguments are no addresses, or no byte"));
    }
    let (op, to, from) = match op {
        Opcode::MemSet if is_default(destination) => (op, destination.operand(), source.operand()),
        Opcode::MemSet => (Opcode::SpaceSet, build.typed(destination), source.operand()),
        _ if is_default(destination) && is_default(source) => (op, destination.operand(), source.operand()),
        _ => (Opcode::SpaceCopy, build.typed(destination), build.typed(source)),
    };
    let rest = build.function.push_pool(&[from, length.operand()]);
    let data = InstData::new(op, length.ir_type(), flags, to, Operand::raw(rest));
    build.function.push_inst(data);
    Ok(())
}

fn load_relative(body: &mut Body<'_, '_>, call: &Call<'_>, base: Word, offset: Word) -> Result<(), ReadError> {
    const ALIGN_LOG2: u32 = 2;
    let build = &mut body.build;
    if build.function.types().int_bits(offset.ir_type()).is_none() {
        return Err(build.malformed("a relative load at a distance that is no integer"));
    }
    let offset = build.word_as_distance(offset, Opcode::Sext);
    let place = build.emit(Opcode::PtrAdd, Type::PTR, 0, base.operand(), offset);
    let distance = build.emit(
        Opcode::Load,
        Type::I32,
        MemFlags::aligned(ALIGN_LOG2).0,
        place,
        Operand::NONE,
    );
    let distance = build.distance(distance, Type::I32, Opcode::Sext);
    let data = InstData::new(Opcode::PtrAdd, Type::PTR, 0, base.operand(), distance);
    build.define(data, Type::PTR, call.result)
}

/// The function that a trap is to call, as an attribute of it says.
#[cold]
fn trap_function(call: &Call<'_>) -> Option<String> {
    let name = call.attributes.function()?.string("trap-func-name")?;
    Some(String::from_utf8_lossy(name).into_owned())
}

/// Calls of functions that must not be called, as an attribute of them or of the call says, and why.
#[cold]
fn refuse_forbidden(body: &Body<'_, '_>, call: &Call<'_>) -> Result<(), ReadError> {
    let module = body.build.module;
    let declared = call.symbol.and_then(|symbol| module.symbols.get(symbol.index()));
    let declared = module.attributes.list(declared.map_or(0, |info| info.attributes));
    let said = [declared.and_then(|list| list.function()), call.attributes.function()];
    for name in FORBIDS_CALLS {
        let mut reasons = said.iter().flatten().filter_map(|said| said.string(name));
        if let Some(reason) = reasons.next() {
            let callee = call
                .symbol
                .map(|symbol| format!("@{}", module.module.display_name(symbol)));
            let callee = callee.as_deref().unwrap_or("an address");
            let reason = match reason {
                [] => String::new(),
                reason => format!(": {}", String::from_utf8_lossy(reason)),
            };
            let message = format!("a call of {callee}, with the function attribute {name}{reason}");
            return Err(body.build.unsupported(Refusal::FunctionAttribute, message));
        }
    }
    Ok(())
}
