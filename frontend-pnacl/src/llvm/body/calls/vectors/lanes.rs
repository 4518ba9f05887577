//! Intrinsics on vectors that are done lane by lane: library functions, fixed-point numbers, and accesses to memory for
//! which a lane that is left out goes to a stack slot.

use super::moves::active;
use super::{
    Call, V, collect, define, define_parts, extract, float_constant, float_format, immediate, insert, lanes_of, number,
    one_of, vector,
};
use crate::builder::intrinsics::FixedPoint;
use crate::builder::library_functions::ByType;
use crate::builder::values::Builder;
use crate::builder::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::llvm::body::calls::fixed_point;
use crate::llvm::body::context::Body;
use crate::llvm::body::float_parts::{call_of, computed_as, extended, gives_exponent, narrowed, slot_for};
use frazil_ir::{InstData, MemFlags, Opcode, Operand, StrictFlags, Type};

/// Instructions for each lane, of which half may be values.
const ROOM_FOR_LANE: usize = 32;

/// The same in the type that the library computes it in.
fn widened(build: &mut Builder<'_, '_>, word: Word, lane: u32) -> (Operand, Type) {
    let (operand, ty) = argument(build, word, lane);
    (extended(build, operand, ty), computed_as(ty))
}

/// A lane of a vector argument, or the argument itself, with its type.
fn argument(build: &mut Builder<'_, '_>, word: Word, lane: u32) -> (Operand, Type) {
    match vector(build, word.ir_type()) {
        Some((element, _)) => (extract(build, (word.ir_type(), element), word.operand(), lane), element),
        None => (build.typed(word), word.ir_type()),
    }
}

/// A library function for each lane of these arguments of a call.
pub(super) fn library(
    body: &mut Body<'_, '_>,
    call: &Call<'_>,
    arguments: &[Word],
    functions: ByType,
    result: Option<Type>,
) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let (Some(result), Some(first)) = (result, arguments.first()) else {
        return Ok(false);
    };
    let (Some((element, lanes)), Some((float, _))) = (vector(build, result), vector(build, first.ir_type())) else {
        return Ok(false);
    };
    let is_alike = |word: &Word| vector(build, word.ir_type()).is_none_or(|(_, own)| own == lanes);
    let function = functions.of(computed_as(float));
    let Some(function) = function.filter(|_| arguments.iter().all(is_alike)) else {
        return Ok(false);
    };
    // The C library's functions that give an integer give 64 bits, of which LLVM takes the lower ones.
    if !matches!(build.function.types().int_bits(element), None | Some(32 | 64)) {
        return Ok(false);
    }
    let computed = computed_as(element);
    build.make_wide_room(ROOM_FOR_LANE * lanes as usize)?;
    let mut made = Vec::new();
    for lane in 0..lanes {
        let arguments: Vec<_> = (arguments.iter()).map(|&word| widened(build, word, lane)).collect();
        let data = call_of(build, function, &arguments, Some(computed));
        let value = Operand::value(build.function.push_inst_result(data, computed));
        made.push(narrowed(build, value, element));
    }
    let vector = collect(build, result, &made);
    define(build, call, vector, result)
}

/// The types of the two results of a call with one vector of floats as argument.
fn pair(body: &mut Body<'_, '_>, call: &Call<'_>) -> Result<Option<(Word, [Type; 2])>, ReadError> {
    let build = &mut body.build;
    let leaves = build.leaves(call.result)?;
    let types: Vec<Type> = leaves.map(|place| build.leaf(place).ir_type).collect();
    let (&[value], &[first, second]) = (call.arguments.as_slice(), types.as_slice()) else {
        return Ok(None);
    };
    let is_alike = first == value.ir_type() && lanes_of(build, second) == lanes_of(build, first);
    Ok(
        (is_alike && vector(build, first).is_some() && vector(build, second).is_some())
            .then_some((value, [first, second])),
    )
}

/// The two results of a library function for each lane, of which the second comes through a pointer.
pub(super) fn split(body: &mut Body<'_, '_>, call: &Call<'_>, functions: ByType) -> Result<bool, ReadError> {
    let Some((value, [first, second])) = pair(body, call)? else {
        return Ok(false);
    };
    let types = body.build.function.types();
    let (own, other, lanes) = (types.scalar(first), types.scalar(second), lanes_of(&body.build, first));
    let float = computed_as(own);
    let Some(function) = functions.of(float) else {
        return Ok(false);
    };
    if other != if gives_exponent(function) { Type::I32 } else { own } {
        return Ok(false);
    }
    body.build.make_wide_room(ROOM_FOR_LANE * lanes)?;
    let in_memory = computed_as(other);
    let (slot, flags) = slot_for(body, in_memory);
    let build = &mut body.build;
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    for lane in 0..lanes as u32 {
        let arguments = [widened(build, value, lane), (slot, Type::PTR)];
        let data = call_of(build, function, &arguments, Some(float));
        let result = Operand::value(build.function.push_inst_result(data, float));
        firsts.push(narrowed(build, result, own));
        let loaded = build.emit(Opcode::Load, in_memory, flags, slot, Operand::NONE);
        seconds.push(narrowed(build, loaded, other));
    }
    let parts = [collect(build, first, &firsts), collect(build, second, &seconds)];
    define_parts(build, call, &parts)
}

/// The same for a function both of whose results come through pointers.
pub(super) fn both(body: &mut Body<'_, '_>, call: &Call<'_>, functions: ByType) -> Result<bool, ReadError> {
    let Some((value, [ty, second])) = pair(body, call)? else {
        return Ok(false);
    };
    let (own, lanes) = (body.build.function.types().scalar(ty), lanes_of(&body.build, ty));
    let float = computed_as(own);
    let Some(function) = functions.of(float).filter(|_| second == ty) else {
        return Ok(false);
    };
    body.build.make_wide_room(ROOM_FOR_LANE * lanes)?;
    let (first_slot, flags) = slot_for(body, float);
    let (second_slot, _) = slot_for(body, float);
    let build = &mut body.build;
    let mut made = [Vec::new(), Vec::new()];
    for lane in 0..lanes as u32 {
        let arguments = [
            widened(build, value, lane),
            (first_slot, Type::PTR),
            (second_slot, Type::PTR),
        ];
        let data = call_of(build, function, &arguments, None);
        build.function.push_inst(data);
        for (results, slot) in made.iter_mut().zip([first_slot, second_slot]) {
            let loaded = build.emit(Opcode::Load, float, flags, slot, Operand::NONE);
            results.push(narrowed(build, loaded, own));
        }
    }
    let parts = made.map(|lanes| collect(build, ty, &lanes));
    define_parts(build, call, &parts)
}

/// An operation on fixed-point numbers for each lane.
pub(super) fn fixed_point(
    body: &mut Body<'_, '_>,
    call: &Call<'_>,
    operation: FixedPoint,
    result: Option<Type>,
) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let (&[left, right, scale], Some(result)) = (call.arguments.as_slice(), result) else {
        return Ok(false);
    };
    let Some((element, lanes)) = vector(build, result) else {
        return Ok(false);
    };
    let bits = build.function.types().int_bits(element).filter(|&bits| bits <= 64);
    let scale = immediate(scale).and_then(|scale| u32::try_from(scale).ok());
    let (Some(bits), Some(scale)) = (bits, scale) else {
        return Ok(false);
    };
    if left.ir_type() != result || right.ir_type() != result || scale > bits - u32::from(operation.signed) {
        return Ok(false);
    }
    build.make_wide_room(ROOM_FOR_LANE * lanes as usize)?;
    let mut made = Vec::new();
    for lane in 0..lanes {
        let operands = [left, right].map(|word| argument(build, word, lane).0);
        made.push(fixed_point::exact(build, operation, operands, element, (bits, scale)));
    }
    let vector = collect(build, result, &made);
    define(build, call, vector, result)
}

/// A number in canonical form for each lane: the product with one, as LLVM makes it.
pub(super) fn canonicalize(body: &mut Body<'_, '_>, call: &Call<'_>, result: Option<Type>) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let (&[value], Some(result)) = (call.arguments.as_slice(), result) else {
        return Ok(false);
    };
    let element = build.function.types().scalar(result);
    let Some(format) = float_format(element) else {
        return Ok(false);
    };
    if value.ir_type() != result {
        return Ok(false);
    }
    let one = float_constant(build, element, one_of(format));
    let flags = StrictFlags::of(Opcode::Fmul).0;
    let lanes = lanes_of(build, result);
    build.make_wide_room(ROOM_FOR_LANE * lanes)?;
    let mut made = Vec::new();
    for lane in 0..lanes as u32 {
        let number = argument(build, value, lane).0;
        made.push(build.emit(Opcode::StrictBinary, element, flags, number, one));
    }
    let product = match (vector(build, result), made.as_slice()) {
        (None, &[only]) => only,
        _ => collect(build, result, &made),
    };
    define(build, call, product, result)
}

/// Intrinsics that access memory, or choose lanes by a mask.
pub(super) fn lower(
    body: &mut Body<'_, '_>,
    call: &Call<'_>,
    operation: V,
    result: Option<Type>,
) -> Result<bool, ReadError> {
    let build = &mut body.build;
    match (operation, call.arguments.as_slice(), result) {
        (V::Compress, &[value, mask, otherwise], Some(result)) if value.ir_type() == result => {
            compress(build, call, [value, mask, otherwise], result)
        }
        (V::Histogram, &[addresses, step, mask], None) => histogram(build, [addresses, step, mask]),
        (V::Load | V::Gather, &[address, mask, length], Some(result)) => {
            load(build, call, (Addresses::of(address), mask, length), result)
        }
        (V::StridedLoad, &[address, stride, mask, length], Some(result)) => {
            let addresses = Addresses::strided(build, address, stride);
            load(build, call, (addresses, mask, length), result)
        }
        (V::Store | V::Scatter, &[value, address, mask, length], None) => {
            store(build, value, (Addresses::of(address), mask, length))
        }
        (V::StridedStore, &[value, address, stride, mask, length], None) => {
            let addresses = Addresses::strided(build, address, stride);
            store(build, value, (addresses, mask, length))
        }
        _ => Ok(false),
    }
}

/// Bytes of a lane of which there is no doubt how far apart they are in memory.
fn lane_bytes(build: &Builder<'_, '_>, ty: Type) -> Option<u32> {
    let types = build.function.types();
    match types.scalar(ty) {
        Type::F16 | Type::BF16 => Some(2),
        Type::F32 => Some(4),
        Type::F64 | Type::PTR => Some(8),
        Type::F128 => Some(16),
        element => match types.int_bits(element) {
            Some(bits @ (8 | 16 | 32 | 64 | 128)) => Some(bits / 8),
            _ => None,
        },
    }
}

/// Where the lanes of an access are.
#[derive(Clone, Copy)]
struct Addresses {
    /// A pointer to the first lane, or a vector of pointers to all of them.
    of: Word,
    /// How far lanes are apart, if that is computed; one after the other otherwise.
    stride: Option<Operand>,
}

impl Addresses {
    fn of(word: Word) -> Addresses {
        Addresses { of: word, stride: None }
    }

    /// Lanes that are so many bytes apart, a number with a sign.
    fn strided(build: &mut Builder<'_, '_>, first: Word, stride: Word) -> Addresses {
        let stride = Some(build.word_as_distance(stride, Opcode::Sext));
        Addresses { of: first, stride }
    }

    /// Whether they are what accesses of so many lanes take.
    fn fit(self, build: &Builder<'_, '_>, lanes: u32) -> bool {
        match vector(build, self.of.ir_type()) {
            Some((element, own)) => element == Type::PTR && own == lanes && self.stride.is_none(),
            None => self.of.ir_type() == Type::PTR,
        }
    }

    /// The address of a lane of so many bytes.
    fn lane(self, build: &mut Builder<'_, '_>, lane: u32, bytes: u32) -> Operand {
        let Some(stride) = self.stride.filter(|_| lane > 0) else {
            let (address, _) = argument(build, self.of, lane);
            return match vector(build, self.of.ir_type()) {
                Some(_) => address,
                None => build.address_after(address, Type::PTR, i64::from(lane * bytes)),
            };
        };
        let distance = build.pointer_int();
        let times = match lane {
            1 => stride,
            _ => build.emit(Opcode::Mul, distance, 0, stride, number(lane)),
        };
        build.emit(Opcode::PtrAdd, Type::PTR, 0, self.of.operand(), times)
    }
}

/// The lanes that a mask and a length choose.
fn load(
    build: &mut Builder<'_, '_>,
    call: &Call<'_>,
    (addresses, mask, length): (Addresses, Word, Word),
    result: Type,
) -> Result<bool, ReadError> {
    let (Some((element, lanes)), Some(bytes)) = (vector(build, result), lane_bytes(build, result)) else {
        return Ok(false);
    };
    if !addresses.fit(build, lanes) {
        return Ok(false);
    }
    build.make_wide_room(ROOM_FOR_LANE * lanes as usize)?;
    let is_active = active(build, mask, length, lanes)?;
    let mut made = Vec::new();
    for lane in 0..lanes {
        let at = addresses.lane(build, lane, bytes);
        let at = chosen(build, at, (is_active, mask.ir_type()), lane);
        made.push(build.emit(Opcode::Load, element, MemFlags::aligned(0).0, at, Operand::NONE));
    }
    let vector = collect(build, result, &made);
    define(build, call, vector, result)
}

/// Stores the lanes that a mask and a length choose, in their order.
fn store(
    build: &mut Builder<'_, '_>,
    value: Word,
    (addresses, mask, length): (Addresses, Word, Word),
) -> Result<bool, ReadError> {
    let ty = value.ir_type();
    let (Some((element, lanes)), Some(bytes)) = (vector(build, ty), lane_bytes(build, ty)) else {
        return Ok(false);
    };
    if !addresses.fit(build, lanes) {
        return Ok(false);
    }
    build.make_wide_room(ROOM_FOR_LANE * lanes as usize)?;
    let is_active = active(build, mask, length, lanes)?;
    for lane in 0..lanes {
        let at = addresses.lane(build, lane, bytes);
        let at = chosen(build, at, (is_active, mask.ir_type()), lane);
        let (stored, _) = argument(build, value, lane);
        let data = InstData::new(Opcode::Store, element, MemFlags::aligned(0).0, stored, at);
        build.function.push_inst(data);
    }
    Ok(true)
}

/// An address if a lane of a mask holds, or a slot.
fn chosen(build: &mut Builder<'_, '_>, at: Operand, (mask, of_mask): (Operand, Type), lane: u32) -> Operand {
    let spare = spare(build);
    let is_active = extract(build, (of_mask, Type::I1), mask, lane);
    build.choose(Type::PTR, is_active, at, spare)
}

/// A slot for what is not wanted.
fn spare(build: &mut Builder<'_, '_>) -> Operand {
    Operand::value(build.function.push_slot(16, 4))
}

fn histogram(build: &mut Builder<'_, '_>, [addresses, step, mask]: [Word; 3]) -> Result<bool, ReadError> {
    let of_addresses = vector(build, addresses.ir_type());
    let (Some((Type::PTR, lanes)), Some(_)) = (of_addresses, lane_bytes(build, step.ir_type())) else {
        return Ok(false);
    };
    build.make_wide_room(ROOM_FOR_LANE * lanes as usize)?;
    let (ty, flags) = (step.ir_type(), MemFlags::aligned(0).0);
    for lane in 0..lanes {
        let (address, _) = argument(build, addresses, lane);
        let at = chosen(build, address, (mask.operand(), mask.ir_type()), lane);
        let before = build.emit(Opcode::Load, ty, flags, at, Operand::NONE);
        let sum = build.emit(Opcode::Add, ty, 0, before, step.operand());
        build
            .function
            .push_inst(InstData::new(Opcode::Store, ty, flags, sum, at));
    }
    Ok(true)
}

/// Each lane is inserted at the number of chosen lanes before it, if it is chosen.
fn compress(
    build: &mut Builder<'_, '_>,
    call: &Call<'_>,
    [value, mask, otherwise]: [Word; 3],
    result: Type,
) -> Result<bool, ReadError> {
    let Some((_, lanes)) = vector(build, result) else {
        return Ok(false);
    };
    if otherwise.ir_type() != result || lanes_of(build, mask.ir_type()) != lanes as usize {
        return Ok(false);
    }
    build.make_wide_room(ROOM_FOR_LANE * lanes as usize)?;
    let mut vector = otherwise.operand();
    let mut place = build.typed(Word::scalar(number(0), Type::I64, NO_TYPE));
    for lane in 0..lanes {
        let (own, _) = argument(build, value, lane);
        let is_chosen = extract(build, (mask.ir_type(), Type::I1), mask.operand(), lane);
        let with = insert(build, result, vector, own, place);
        vector = build.choose(result, is_chosen, with, vector);
        let one = build.emit(Opcode::Zext, Type::I64, 0, is_chosen, Operand::NONE);
        place = build.emit(Opcode::Add, Type::I64, 0, place, one);
    }
    define(build, call, vector, result)
}
