//! Memory: stack slots, loads, stores, addresses, atomics.

use super::arithmetic::{Domain, single};
use super::atomics;
use super::context::{Body, Operands};
use crate::builder::class::Class;
use crate::builder::values::Builder;
use crate::builder::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::limits;
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Ordering, Refusal, RmwOp, Type, TypeData};

#[path = "spaces.rs"]
mod spaces;

/// The opcode for an access in the default address space, or in another.
fn in_space(default: Opcode, other: Opcode, address: Word) -> Opcode {
    if address.ir_type() == Type::PTR { default } else { other }
}

/// Bits of an alloca's last field.
mod alloca_bits {
    pub(super) const ALIGN_LOW: u64 = 0x1f;
    pub(super) const IN_ALLOCA: u64 = 1 << 5;
    pub(super) const EXPLICIT_TYPE: u64 = 1 << 6;
    pub(super) const ALIGN_HIGH_SHIFT: u32 = 8;
    pub(super) const ALIGN_HIGH: u64 = 7;
    pub(super) const ALIGN_LOW_BITS: u32 = 5;
}

/// The alignment of an access as log2 of bytes, from a field that is 0 if not said; then the type's.
fn alignment(build: &Builder<'_, '_>, field: u64, ty: TypeId) -> Result<u32, ReadError> {
    match field {
        0 => Ok(u32::from(build.module.types.layout(ty).align_log2)),
        field if field - 1 <= limits::MOST_ALIGNMENT_LOG2 => Ok((field - 1).min(limits::ALIGNMENT_LOG2) as u32),
        field => Err(build.malformed(format!("an alignment of two to the power of {}", field - 1))),
    }
}

/// An operand that is an address.
pub(in crate::llvm) fn pointer(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<Word, ReadError> {
    let word = single(body, operands)?;
    if word.ir_type() == Type::PTR {
        return Ok(word);
    }
    match body.build.function.types().data(word.ir_type()) {
        TypeData::Ptr(_) => Ok(word),
        _ => Err(body.build.malformed("something that is no pointer as an address")),
    }
}

/// Type of the object, type and number of the count, alignment and flags.
pub(in crate::llvm) fn alloca(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let written = body.build.type_id(operands.next()?)?;
    let count_type = body.build.type_id(operands.next()?)?;
    let count = operands.next()?;
    let flags = operands.next()?;
    alloca_of(body, written, (count, count_type), flags, operands.next_or_zero())
}

/// Defines the address of an object; `written` is its type or the address's, the count a value with its type, and the
/// others the fields of the record.
pub(in crate::llvm) fn alloca_of(
    body: &mut Body<'_, '_>,
    written: TypeId,
    (count, count_type): (u64, TypeId),
    flags: u64,
    space: u64,
) -> Result<(), ReadError> {
    let build = &mut body.build;
    if flags & alloca_bits::IN_ALLOCA != 0 {
        return Err(build.unsupported(Refusal::CallingConvention, "an alloca for inalloca arguments"));
    }
    if space != 0 || build.module.layout.alloca_space != 0 {
        return Err(build.unsupported(Refusal::Stack, "an alloca in an address space other than 0"));
    }
    let ty = match build.module.types.kind(written) {
        _ if flags & alloca_bits::EXPLICIT_TYPE != 0 => written,
        Some(&Kind::Pointer {
            pointee: Some(pointee), ..
        }) => pointee,
        _ => return Err(build.malformed("an alloca that does not say of what type")),
    };
    let layout = build.module.types.layout(ty);
    if let Some(&Kind::Other(other)) = build.module.types.kind(ty) {
        let refusal = match other.refusal() {
            Refusal::Bitcode => Refusal::Stack,
            refusal => refusal,
        };
        return Err(build.unsupported(refusal, format!("an alloca of type {}", other.name())));
    }
    if !layout.sized {
        return Err(build.malformed(format!("an alloca of type {ty}, which has no size")));
    }
    let align = flags & alloca_bits::ALIGN_LOW
        | (flags >> alloca_bits::ALIGN_HIGH_SHIFT & alloca_bits::ALIGN_HIGH) << alloca_bits::ALIGN_LOW_BITS;
    if align > limits::MOST_ALIGNMENT_LOG2 + 1 {
        return Err(build.malformed(format!("an alloca aligned to two to the power of {}", align - 1)));
    }
    if align > limits::ALIGNMENT_LOG2 + 1 {
        return Err(build.unsupported(Refusal::Stack, "an alloca aligned to more than two gigabytes"));
    }
    let align_log2 = match align {
        // So it was up to LLVM 10.
        0 => u32::from(build.module.types.preferred_align(ty, &build.module.layout)),
        align => alignment(build, align, ty)?,
    };
    // The count is a number of its own, not relative.
    let count = match u32::try_from(count) {
        Ok(number) if number < build.next => build.word(number)?,
        _ => return Err(build.malformed(format!("value {count} as the count of an alloca"))),
    };
    build.expect_type(count, count_type)?;
    let address_type = match body.old.is_tracking() {
        true => build.pointer_to(ty, 0),
        false => NO_TYPE,
    };
    let in_entry = build.function.blocks().len() == 1;
    match build.integer_of(count) {
        Some(known) if in_entry => {
            let size = u64::try_from(known)
                .ok()
                .and_then(|known| layout.stride().checked_mul(known));
            let Some(size) = size.filter(|&size| size <= limits::TYPE_BYTES) else {
                return Err(build.malformed(format!("an alloca of {known} objects")));
            };
            let slot = build.function.push_slot(size, align_log2 as u8);
            build.define_as(Word::scalar(Operand::value(slot), Type::PTR, address_type))
        }
        _ => dynamic_alloca(build, count, (layout.stride(), align_log2), address_type),
    }
}

/// Appends a stack object of a number of values of a stride and an alignment.
fn dynamic_alloca(
    build: &mut Builder<'_, '_>,
    count: Word,
    (stride, align_log2): (u64, u32),
    address_type: TypeId,
) -> Result<(), ReadError> {
    let index = build.pointer_int();
    if !count.is_operand() || build.function.types().int_bits(count.ir_type()).is_none() {
        return Err(build.malformed("an alloca whose count is no integer"));
    }
    // The count is unsigned.
    let count = build.word_as_distance(count, Opcode::Zext);
    let size = if stride == 1 {
        count
    } else {
        let stride = build.function.int_operand(index, i128::from(stride));
        build.emit(Opcode::Mul, index, 0, count, stride)
    };
    let flags = MemFlags::aligned(align_log2).0;
    let data = InstData::new(Opcode::StackAlloc, Type::PTR, flags, size, Operand::NONE);
    build.define(data, Type::PTR, address_type)
}

/// Flags, source type, pointer, indices.
pub(in crate::llvm) fn gep(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    operands.next()?;
    let source = body.build.type_id(operands.next()?)?;
    let base = single(body, operands)?;
    address_in(body, operands, source, base)
}

/// Defines the address of what the indices select, from `base` on, which points to a value of type `source`.
pub(in crate::llvm) fn address_in(
    body: &mut Body<'_, '_>,
    operands: &mut Operands<'_>,
    source: TypeId,
    base: Word,
) -> Result<(), ReadError> {
    let count = operands.rest().len();
    let address = if count == 1 && !body.old.is_tracking() {
        let index = single(body, operands)?;
        body.build.address(source, base, &[index])?
    } else {
        let mut indices = Vec::with_capacity(count);
        while !operands.rest().is_empty() {
            indices.push(single(body, operands)?);
        }
        let address = body.build.address(source, base, &indices)?;
        match body.old.is_tracking() {
            true => body.build.typed_address(source, base, &indices, address),
            false => address,
        }
    };
    body.build.define_as(address)
}

/// Pointer, type, alignment, volatile.
pub(in crate::llvm) fn load(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let address = pointer(body, operands)?;
    let ty = loaded_type(body, operands, address, 3)?;
    let align = operands.next()?;
    let volatile = operands.next()? != 0;
    if address.ir_type() != Type::PTR {
        return spaces::load(body, address, ty, align, volatile);
    }
    load_from(body, address, ty, align, volatile)
}

/// The flags of an access whose alignment is said, and is one that the IR has.
#[inline(always)]
fn plain_flags(align: u64, volatile: bool) -> Option<u16> {
    let align_log2 = align.wrapping_sub(1);
    (align_log2 <= limits::ALIGNMENT_LOG2).then(|| MemFlags::aligned(align_log2 as u32).with_volatile(volatile).0)
}

/// Appends a load; `align` is the field of the record.
#[inline(always)]
pub(in crate::llvm) fn load_from(
    body: &mut Body<'_, '_>,
    address: Word,
    ty: TypeId,
    align: u64,
    volatile: bool,
) -> Result<(), ReadError> {
    let (Some(ir_type), Some(flags)) = (body.build.known_primitive(ty), plain_flags(align, volatile)) else {
        return load_any(body, address, ty, align, volatile);
    };
    let data = InstData::new(Opcode::Load, ir_type, flags, address.operand(), Operand::NONE);
    body.build.define_simple(data, ir_type, ty)
}

/// The same of any type.
#[inline(never)]
fn load_any(body: &mut Body<'_, '_>, address: Word, ty: TypeId, align: u64, volatile: bool) -> Result<(), ReadError> {
    let align_log2 = alignment(&body.build, align, ty)?;
    match body.build.class(ty)? {
        Class::Scalar(ir_type) => {
            let flags = MemFlags::aligned(align_log2).with_volatile(volatile).0;
            let data = InstData::new(Opcode::Load, ir_type, flags, address.operand(), Operand::NONE);
            body.build.define_simple(data, ir_type, ty)
        }
        Class::Aggregate => load_aggregate(&mut body.build, address, ty, align_log2, volatile),
        Class::Void | Class::Metadata => Err(body.build.malformed(format!("a load of type {ty}"))),
    }
}

/// The type that is loaded; records of `rest` more fields have it, older ones mean what the pointer points to.
fn loaded_type(
    body: &mut Body<'_, '_>,
    operands: &mut Operands<'_>,
    address: Word,
    rest: usize,
) -> Result<TypeId, ReadError> {
    if operands.rest().len() >= rest {
        return body.build.type_id(operands.next()?);
    }
    body.pointee(address)
}

/// The alignment that is known `offset` bytes after something aligned.
fn align_behind(align_log2: u32, offset: u64) -> u32 {
    if offset == 0 {
        align_log2
    } else {
        align_log2.min(offset.trailing_zeros())
    }
}

fn address_behind(build: &mut Builder<'_, '_>, address: Word, offset: u64) -> Operand {
    build.address_after(address.operand(), address.ir_type(), offset.cast_signed())
}

fn load_aggregate(
    build: &mut Builder<'_, '_>,
    address: Word,
    ty: TypeId,
    align_log2: u32,
    volatile: bool,
) -> Result<(), ReadError> {
    let leaves = build.leaves(ty)?;
    build.check_room(2 * leaves.len())?;
    let mut parts = Vec::with_capacity(leaves.len());
    for place in leaves {
        let leaf = build.leaf(place);
        let pointer = address_behind(build, address, leaf.offset);
        let flags = MemFlags::aligned(align_behind(align_log2, leaf.offset))
            .with_volatile(volatile)
            .0;
        parts.push(build.emit(Opcode::Load, leaf.ir_type, flags, pointer, Operand::NONE));
    }
    build.define_parts(ty, &parts)
}

/// Pointer, value, alignment, volatile.
pub(in crate::llvm) fn store(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let address = pointer(body, operands)?;
    let value = body.value(operands)?;
    store_value(body, operands, address, value)
}

/// Alignment, volatile.
pub(in crate::llvm) fn store_value(
    body: &mut Body<'_, '_>,
    operands: &mut Operands<'_>,
    address: Word,
    value: Word,
) -> Result<(), ReadError> {
    let align = operands.next()?;
    let volatile = operands.next()? != 0;
    if address.ir_type() != Type::PTR {
        return spaces::store(body, address, value, align, volatile);
    }
    store_to(body, address, value, align, volatile)
}

/// The alignment of a store of this value; `align` is the field of the record.
#[inline]
fn stored_alignment(build: &Builder<'_, '_>, align: u64, value: Word) -> Result<u32, ReadError> {
    match align {
        0 if value.ty() == NO_TYPE => Ok(natural_align(build, value.ir_type())),
        align => alignment(build, align, value.ty()),
    }
}

/// Appends a store; `align` is the field of the record.
#[inline(always)]
pub(in crate::llvm) fn store_to(
    body: &mut Body<'_, '_>,
    address: Word,
    value: Word,
    align: u64,
    volatile: bool,
) -> Result<(), ReadError> {
    let (true, Some(flags)) = (value.is_operand(), plain_flags(align, volatile)) else {
        return store_any(body, address, value, align, volatile);
    };
    store_scalar(&mut body.build, address, value, flags);
    Ok(())
}

/// Appends a store of a value that is one operand.
#[inline(always)]
fn store_scalar(build: &mut Builder<'_, '_>, address: Word, value: Word, flags: u16) {
    let (operand, pointer) = (value.operand(), address.operand());
    let data = InstData::new(Opcode::Store, value.ir_type(), flags, operand, pointer);
    build.function.push_simple(data);
}

/// The same of any value.
#[inline(never)]
fn store_any(body: &mut Body<'_, '_>, address: Word, value: Word, align: u64, volatile: bool) -> Result<(), ReadError> {
    let build = &mut body.build;
    let align_log2 = stored_alignment(build, align, value)?;
    let flags = MemFlags::aligned(align_log2).with_volatile(volatile).0;
    if value.is_operand() {
        store_scalar(build, address, value, flags);
        return Ok(());
    }
    store_aggregate(build, address, value, align_log2, volatile)
}

fn store_aggregate(
    build: &mut Builder<'_, '_>,
    address: Word,
    value: Word,
    align_log2: u32,
    volatile: bool,
) -> Result<(), ReadError> {
    let leaves = build.leaves(value.ty())?;
    build.check_room(2 * leaves.len())?;
    for (index, place) in leaves.enumerate() {
        let leaf = build.leaf(place);
        let pointer = address_behind(build, address, leaf.offset);
        let flags = MemFlags::aligned(align_behind(align_log2, leaf.offset))
            .with_volatile(volatile)
            .0;
        let part = build.part(value, index as u32);
        build
            .function
            .push_inst(InstData::new(Opcode::Store, leaf.ir_type, flags, part, pointer));
    }
    Ok(())
}

/// The alignment of a type of the IR: its size, if that is a power of two.
fn natural_align(build: &Builder<'_, '_>, ir_type: Type) -> u32 {
    let bits = build.module.layout.pointer(0).bits;
    build
        .function
        .types()
        .store_bytes(ir_type, bits)
        .trailing_zeros()
        .min(4)
}

/// The alignment of an atomic access, which must be said.
fn said_alignment(build: &Builder<'_, '_>, field: u64) -> Result<u32, ReadError> {
    match field {
        0 => Err(build.malformed("an atomic access without an alignment")),
        field => alignment(build, field, 0),
    }
}

pub(in crate::llvm) fn ordering(build: &Builder<'_, '_>, number: u64) -> Result<Ordering, ReadError> {
    let found = usize::try_from(number)
        .ok()
        .and_then(|number| frazil_ir::flags::ORDERINGS.get(number).copied());
    match found {
        Some(found) if found != Ordering::NotAtomic => Ok(found),
        _ => Err(build.malformed(format!("memory ordering {number} of an atomic access"))),
    }
}

/// Refuses orderings that an instruction cannot have.
fn expect_ordering(build: &Builder<'_, '_>, ordering: Ordering, refused: &[Ordering]) -> Result<(), ReadError> {
    if refused.contains(&ordering) {
        return Err(build.malformed("a memory ordering that the instruction cannot have"));
    }
    Ok(())
}

pub(in crate::llvm) fn single_thread(build: &Builder<'_, '_>, scope: u64) -> Result<bool, ReadError> {
    if build.module.single_thread_scopes.is_empty() {
        return Ok(scope == 0);
    }
    let found = usize::try_from(scope)
        .ok()
        .and_then(|scope| build.module.single_thread_scopes.get(scope));
    found
        .copied()
        .ok_or_else(|| build.malformed(format!("synchronization scope {scope}")))
}

/// A value that is a scalar, a vector or a wide integer.
fn whole(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<Word, ReadError> {
    let word = body.value(operands)?;
    if !word.is_operand() {
        body.build.expect_wide(word)?;
    }
    Ok(word)
}

/// Pointer, type, alignment, volatile, ordering, scope.
pub(in crate::llvm) fn atomic_load(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let address = pointer(body, operands)?;
    let ty = loaded_type(body, operands, address, 5)?;
    let align_log2 = said_alignment(&body.build, operands.next()?)?;
    let volatile = operands.next()? != 0;
    let ordering = ordering(&body.build, operands.next()?)?;
    expect_ordering(&body.build, ordering, &[Ordering::Release, Ordering::AcquireRelease])?;
    let single_thread = single_thread(&body.build, operands.next()?)?;
    let flags = MemFlags::aligned(align_log2)
        .with_volatile(volatile)
        .with_ordering(ordering);
    if let Some(bits) = body.build.wide_bits(ty) {
        return atomics::load_wide(body, address, (ty, bits), ordering);
    }
    let ir_type = body.build.scalar_class(ty)?;
    body.build.expect_atomic(ir_type)?;
    let flags = flags.with_single_thread(single_thread).0;
    let pointer = body.build.typed_space(address);
    let op = in_space(Opcode::AtomicLoad, Opcode::SpaceLoad, address);
    let data = match body.build.accessed_as(ir_type) {
        None => InstData::new(op, ir_type, flags, pointer, Operand::NONE),
        Some(integer) => {
            let loaded = body.build.emit(op, integer, flags, pointer, Operand::NONE);
            InstData::new(Opcode::Bitcast, ir_type, 0, loaded, Operand::NONE)
        }
    };
    body.build.define(data, ir_type, ty)
}

/// Pointer, value, alignment, volatile, ordering, scope.
pub(in crate::llvm) fn atomic_store(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let address = pointer(body, operands)?;
    let value = whole(body, operands)?;
    atomic_store_value(body, operands, address, value)
}

/// Alignment, volatile, ordering, scope.
pub(in crate::llvm) fn atomic_store_value(
    body: &mut Body<'_, '_>,
    operands: &mut Operands<'_>,
    address: Word,
    value: Word,
) -> Result<(), ReadError> {
    let align_log2 = said_alignment(&body.build, operands.next()?)?;
    let volatile = operands.next()? != 0;
    let ordering = ordering(&body.build, operands.next()?)?;
    expect_ordering(&body.build, ordering, &[Ordering::Acquire, Ordering::AcquireRelease])?;
    let single_thread = single_thread(&body.build, operands.next()?)?;
    let flags = MemFlags::aligned(align_log2)
        .with_volatile(volatile)
        .with_ordering(ordering);
    let flags = flags.with_single_thread(single_thread).0;
    if !value.is_operand() {
        return atomics::store_wide(body, address, value, ordering);
    }
    body.build.expect_atomic(value.ir_type())?;
    let pointer = body.build.typed_space(address);
    let op = in_space(Opcode::AtomicStore, Opcode::SpaceStore, address);
    let (ir_type, stored) = match body.build.accessed_as(value.ir_type()) {
        None => (value.ir_type(), value.operand()),
        Some(integer) => {
            let bits = body.build.typed(value);
            (
                integer,
                body.build.emit(Opcode::Bitcast, integer, 0, bits, Operand::NONE),
            )
        }
    };
    let data = InstData::new(op, ir_type, flags, stored, pointer);
    body.build.function.push_inst(data);
    Ok(())
}

/// Pointer, value, operation, volatile, ordering, scope, perhaps alignment.
pub(in crate::llvm) fn atomic_rmw(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let address = pointer(body, operands)?;
    let value = whole(body, operands)?;
    update(body, operands, address, value)
}

/// The same; the value has the type that the pointer points to. What stack objects and computed addresses point to is
/// not known here, but a value that stands before has a type of its own.
#[cold]
pub(in crate::llvm) fn atomic_rmw_old(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let address = pointer(body, operands)?;
    let stands_before = operands
        .rest()
        .first()
        .is_some_and(|&number| body.number(number) < body.build.next);
    let points_to_known = matches!(
        body.build.module.types.kind(address.ty()),
        Some(&Kind::Pointer { pointee: Some(_), .. })
    );
    if stands_before && !points_to_known {
        let value = whole(body, operands)?;
        return update(body, operands, address, value);
    }
    let ty = loaded_type(body, operands, address, usize::MAX)?;
    let value = body.value_of_type(operands, ty)?;
    if !value.is_operand() {
        return Err(body.build.malformed("an atomicrmw with an aggregate"));
    }
    update(body, operands, address, value)
}

/// Operation, volatile, ordering, scope, perhaps alignment.
fn update(body: &mut Body<'_, '_>, operands: &mut Operands<'_>, address: Word, value: Word) -> Result<(), ReadError> {
    let number = operands.next()?;
    let volatile = operands.next()? != 0;
    let ordering = ordering(&body.build, operands.next()?)?;
    expect_ordering(&body.build, ordering, &[Ordering::Unordered])?;
    let single_thread = single_thread(&body.build, operands.next()?)?;
    let align = operands.next_or_zero();
    let build = &mut body.build;
    let row = usize::try_from(number)
        .ok()
        .and_then(|number| frazil_ir::flags::RMW_OPS.get(number));
    let Some(&(operation, _)) = row else {
        return Err(build.unsupported(Refusal::Atomic, format!("atomicrmw operation {number}")));
    };
    let ir_type = value.ir_type();
    if !rmw_fits(build, operation, ir_type) {
        return Err(build.malformed(format!("atomicrmw operation {number} on a type that does not have it")));
    }
    let align_log2 = if align == 0 {
        natural_align(build, ir_type)
    } else {
        alignment(build, align, 0)?
    };
    let flags = MemFlags::aligned(align_log2)
        .with_volatile(volatile)
        .with_ordering(ordering);
    let flags = flags.with_single_thread(single_thread);
    let update = atomics::Update {
        address,
        operation,
        value,
        flags,
    };
    if !value.is_operand() {
        return atomics::update_wide(body, update);
    }
    build.expect_atomic(ir_type)?;
    if address.ir_type() == Type::PTR
        && let Some(integer) = build.looped_as(operation, ir_type, align_log2)
    {
        return atomics::update(body, update, integer);
    }
    let flags = flags.with_rmw(operation).0;
    let pointer = build.typed_space(address);
    let op = in_space(Opcode::AtomicRmw, Opcode::SpaceRmw, address);
    let data = InstData::new(op, ir_type, flags, pointer, value.operand());
    build.define(data, ir_type, value.ty())
}

/// Whether a read-modify-write operation exists for a type. Of vectors, there are operations on floats only.
fn rmw_fits(build: &Builder<'_, '_>, operation: RmwOp, ir_type: Type) -> bool {
    let of_floats = atomics::is_of_floats(operation);
    let domain = build.domain(ir_type);
    let is_vector = matches!(build.function.types().data(ir_type), TypeData::Vector { .. });
    let has_domain = (domain == Domain::Float) == of_floats && domain != Domain::Pointer;
    match operation {
        RmwOp::Xchg => !is_vector,
        _ => has_domain && (of_floats || !is_vector),
    }
}

/// The weakest ordering that is at least as strong as both.
fn join(success: Ordering, failure: Ordering) -> Ordering {
    match (success, failure) {
        (Ordering::Release, Ordering::Acquire) | (Ordering::AcquireRelease, Ordering::Acquire) => {
            Ordering::AcquireRelease
        }
        _ => success.max(failure),
    }
}

/// Pointer, expected, new, volatile, success ordering, scope, failure ordering, weak, perhaps alignment.
pub(in crate::llvm) fn cmpxchg(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let address = pointer(body, operands)?;
    let expected = whole(body, operands)?;
    let new = body.value_like(operands, expected)?;
    let volatile = operands.next()? != 0;
    let success = ordering(&body.build, operands.next()?)?;
    let single_thread = single_thread(&body.build, operands.next()?)?;
    let failure = ordering(&body.build, operands.next()?)?;
    operands.next()?;
    let align = operands.next_or_zero();
    let exchange = Exchange {
        address,
        expected,
        new,
        volatile,
        orderings: [success, failure],
        single_thread,
        align,
        result: None,
    };
    compare_and_exchange(body, exchange)
}

/// An exchange of what is in memory if it is what is expected.
pub(in crate::llvm) struct Exchange {
    pub(in crate::llvm) address: Word,
    pub(in crate::llvm) expected: Word,
    pub(in crate::llvm) new: Word,
    pub(in crate::llvm) volatile: bool,
    /// If it was, and if it was not.
    pub(in crate::llvm) orderings: [Ordering; 2],
    pub(in crate::llvm) single_thread: bool,
    /// The field of the record.
    pub(in crate::llvm) align: u64,
    /// The type of what was in memory, if that alone is the result, and not whether it was what was expected, too.
    pub(in crate::llvm) result: Option<TypeId>,
}

/// Appends such an exchange and defines its result.
pub(in crate::llvm) fn compare_and_exchange(body: &mut Body<'_, '_>, exchange: Exchange) -> Result<(), ReadError> {
    let Exchange {
        address,
        expected,
        new,
        volatile,
        orderings: [success, failure],
        single_thread,
        align,
        result,
    } = exchange;
    expect_ordering(&body.build, success, &[Ordering::Unordered])?;
    let refused = [Ordering::Unordered, Ordering::Release, Ordering::AcquireRelease];
    expect_ordering(&body.build, failure, &refused)?;
    let build = &mut body.build;
    let ir_type = expected.ir_type();
    let is_vector = matches!(build.function.types().data(ir_type), TypeData::Vector { .. });
    if is_vector || build.domain(ir_type) == Domain::Float {
        return Err(build.malformed("a cmpxchg of something else than integers and pointers"));
    }
    let align_log2 = if align == 0 {
        natural_align(build, ir_type)
    } else {
        alignment(build, align, 0)?
    };
    let flags = MemFlags::aligned(align_log2)
        .with_volatile(volatile)
        .with_ordering(join(success, failure));
    let flags = flags.with_single_thread(single_thread).0;
    let ty = match result {
        None => build.pair_with_bool(expected)?,
        Some(_) if expected.is_operand() => NO_TYPE,
        Some(_) => return Err(build.unsupported(Refusal::OldFormat, "a cmpxchg of more than 128 bits without a flag")),
    };
    if !expected.is_operand() {
        return atomics::exchange_if_wide(body, address, [expected, new], [success, failure], ty);
    }
    build.expect_atomic(ir_type)?;
    let rest = build.function.push_pool(&[expected.operand(), new.operand()]);
    let pointer = build.typed_space(address);
    let op = in_space(Opcode::Cmpxchg, Opcode::SpaceCmpxchg, address);
    let data = InstData::new(op, ir_type, flags, pointer, Operand::raw(rest));
    build.state.types.clear();
    build.state.types.extend([ir_type, Type::I1]);
    match result {
        None => build.define_aggregate(data, ty),
        Some(result) => build.define_first(data, ir_type, result),
    }
}

impl Builder<'_, '_> {
    /// Refuses atomic accesses to types of a size that is no power of two or less than a byte.
    fn expect_atomic(&self, ir_type: Type) -> Result<(), ReadError> {
        const BYTE_BITS: u64 = 8;
        let bits = self.function.types().bits(ir_type, self.module.layout.pointer(0).bits);
        if bits >= BYTE_BITS && bits.is_power_of_two() {
            return Ok(());
        }
        Err(self.malformed(format!(
            "an atomic access to {bits} bits; expected a power of two of bytes"
        )))
    }

    /// The structure type of a value like this and an `i1`, which the file has because an instruction returns it.
    fn pair_with_bool(&mut self, like: Word) -> Result<TypeId, ReadError> {
        let ir_type = like.ir_type();
        // Types of the IR have numbers of 8 bits.
        let key = match self.wide_value_bits(like) {
            None => ir_type.index() as u32,
            Some(bits) => bits << 8,
        };
        if let Some(&ty) = self.state.pairs.get(&key) {
            return Ok(ty);
        }
        let module = self.module;
        for ty in 0..module.types.len() as TypeId {
            let Some(Kind::Struct { members, packed: false }) = module.types.kind(ty) else {
                continue;
            };
            let &[value, flag] = module.types.members(members) else {
                continue;
            };
            if module.types.kind(flag) != Some(&Kind::Integer(1)) {
                continue;
            }
            let fits = match module.types.kind(value) {
                _ if !like.is_operand() => value == like.ty(),
                Some(Kind::Integer(_) | Kind::Pointer { .. } | Kind::Float(_)) => {
                    self.class(value)? == Class::Scalar(ir_type)
                }
                _ => false,
            };
            if fits {
                self.state.pairs.insert(key, ty);
                return Ok(ty);
            }
        }
        Err(self.malformed("a cmpxchg in a module without the type of its result"))
    }
}

/// Ordering, scope.
pub(in crate::llvm) fn fence(body: &mut Body<'_, '_>, operands: &mut Operands<'_>) -> Result<(), ReadError> {
    let ordering = ordering(&body.build, operands.next()?)?;
    expect_ordering(&body.build, ordering, &[Ordering::Unordered, Ordering::Monotonic])?;
    let single_thread = single_thread(&body.build, operands.next()?)?;
    let flags = MemFlags::default()
        .with_ordering(ordering)
        .with_single_thread(single_thread)
        .0;
    let data = InstData::new(Opcode::Fence, Type::VOID, flags, Operand::NONE, Operand::NONE);
    body.build.function.push_inst(data);
    Ok(())
}
