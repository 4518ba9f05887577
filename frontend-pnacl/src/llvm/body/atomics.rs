//! Atomic accesses that are more than one instruction of the IR.
//!
//! * An operation that neither the processor nor a library function does at once, because it is not aligned to its size
//!   or because of its type, is a loop, as LLVM makes it: what memory held at first is loaded like any other value, the
//!   new contents computed, and exchanged for the old if these are still there. If not, the next round begins with what
//!   was found instead. How the exchange is done (an instruction, or a library call) is for the target to say.
//! * Vectors and the floats without atomic instructions are accessed as integers of their size.
//! * Integers of more than 128 bits are accessed by the library's functions for any size ("GCC Atomic Library ABI"),
//!   which take values in memory.
//! * Copies whose elements are atomic are calls of functions that the run-time library of the front end has.
//!
//! The first load is not atomic: halves of different values are no more than a first guess, which an exchange finds
//! out.

use super::context::Body;
use super::float_parts::call_of;
use crate::builder::library_functions::BySize;
use crate::builder::values::Builder;
use crate::builder::wide::{Extend, WORD_BITS, Words};
use crate::builder::word::Word;
use crate::error::ReadError;
use crate::llvm::types::TypeId;
use frazil_ir::{
    InstData, MemFlags, Opcode, Operand, Ordering, Refusal, RmwOp, RuntimeFunction, Type, TypeData, Value,
};

/// What instructions a loop may have, for each word of the number.
const ROOM: usize = 32;
/// Alignment of a copy of a value, and of its words: log2 of bytes.
const SLOT_ALIGN: u32 = 4;
const WORD_ALIGN: u32 = 3;
const WORD_BYTES: u64 = (WORD_BITS / 8) as u64;

/// An operation on memory.
#[derive(Clone, Copy)]
pub(super) struct Update {
    /// Where, in the default address space.
    pub(super) address: Word,
    pub(super) operation: RmwOp,
    /// The second operand.
    pub(super) value: Word,
    /// Alignment, ordering and so on, without the operation.
    pub(super) flags: MemFlags,
}

/// How an integer is held.
#[derive(Clone, Copy)]
enum Number {
    Single(Type),
    Words(usize),
}

impl Number {
    /// A small number.
    fn small(self, build: &mut Builder<'_, '_>, value: i64) -> Words {
        let (ty, count) = match self {
            Number::Single(ty) => (ty, 1),
            Number::Words(count) => (Type::I64, count),
        };
        let filler = build.function.int_operand(ty, i128::from(value >> 63));
        let mut words = vec![filler; count];
        if let Some(first) = words.first_mut() {
            *first = build.function.int_operand(ty, i128::from(value));
        }
        words
    }

    fn part_type(self) -> Type {
        match self {
            Number::Single(ty) => ty,
            Number::Words(_) => Type::I64,
        }
    }

    /// `op` is `add`, `sub`, or an operation on each bit.
    fn apply(self, build: &mut Builder<'_, '_>, op: Opcode, a: &[Operand], b: &[Operand]) -> Words {
        match (self, op) {
            (Number::Words(_), Opcode::Add) => build.add_words(a, b).0,
            (Number::Words(_), Opcode::Sub) => build.subtract_words(a, b).0,
            (Number::Words(_), _) => build.on_each_word(op, a, b),
            (Number::Single(ty), _) => a.iter().zip(b).map(|(&a, &b)| build.emit(op, ty, 0, a, b)).collect(),
        }
    }

    fn is_less(self, build: &mut Builder<'_, '_>, a: &[Operand], b: &[Operand], signed: bool) -> Operand {
        match (self, a, b) {
            (Number::Single(ty), &[a], &[b]) => {
                let op = if signed { Opcode::IcmpSlt } else { Opcode::IcmpUlt };
                let data = InstData::new(op, ty, 0, a, b);
                Operand::value(build.function.push_inst_result(data, Type::I1))
            }
            _ => build.less_words(a, b, signed),
        }
    }

    fn choose(self, build: &mut Builder<'_, '_>, flag: Operand, if_true: &[Operand], if_false: &[Operand]) -> Words {
        let pairs = if_true.iter().zip(if_false);
        pairs
            .map(|(&a, &b)| build.choose(self.part_type(), flag, a, b))
            .collect()
    }

    /// The new contents; `None` if the operation is not one on integers.
    fn combine(
        self,
        build: &mut Builder<'_, '_>,
        operation: RmwOp,
        old: &[Operand],
        value: &[Operand],
    ) -> Option<Words> {
        let plain = |build: &mut Builder<'_, '_>, op| self.apply(build, op, old, value);
        Some(match operation {
            RmwOp::Xchg => value.to_vec(),
            RmwOp::Add => plain(build, Opcode::Add),
            RmwOp::Sub => plain(build, Opcode::Sub),
            RmwOp::And => plain(build, Opcode::And),
            RmwOp::Or => plain(build, Opcode::Or),
            RmwOp::Xor => plain(build, Opcode::Xor),
            RmwOp::Nand => {
                let both = plain(build, Opcode::And);
                let ones = self.small(build, -1);
                self.apply(build, Opcode::Xor, &both, &ones)
            }
            RmwOp::Max | RmwOp::Umax => {
                let keep = self.is_less(build, value, old, operation == RmwOp::Max);
                self.choose(build, keep, old, value)
            }
            RmwOp::Min | RmwOp::Umin => {
                let keep = self.is_less(build, old, value, operation == RmwOp::Min);
                self.choose(build, keep, old, value)
            }
            RmwOp::UincWrap => {
                let [zero, one] = [0, 1].map(|number| self.small(build, number));
                let more = self.apply(build, Opcode::Add, old, &one);
                let below = self.is_less(build, old, value, false);
                self.choose(build, below, &more, &zero)
            }
            // One less than zero is the largest number, which is not below the operand either.
            RmwOp::UdecWrap => {
                let one = self.small(build, 1);
                let less = self.apply(build, Opcode::Sub, old, &one);
                let below = self.is_less(build, &less, value, false);
                self.choose(build, below, &less, value)
            }
            RmwOp::UsubCond | RmwOp::UsubSat => {
                let zero = self.small(build, 0);
                let difference = plain(build, Opcode::Sub);
                let below = self.is_less(build, old, value, false);
                let kept = if operation == RmwOp::UsubCond { old } else { &zero };
                self.choose(build, below, kept, &difference)
            }
            RmwOp::Fadd | RmwOp::Fsub | RmwOp::Fmax | RmwOp::Fmin | RmwOp::Fmaximum | RmwOp::Fminimum => return None,
        })
    }
}

/// Whether an operation is one on floats only.
pub(super) fn is_of_floats(operation: RmwOp) -> bool {
    matches!(
        operation,
        RmwOp::Fadd | RmwOp::Fsub | RmwOp::Fmax | RmwOp::Fmin | RmwOp::Fmaximum | RmwOp::Fminimum
    )
}

/// Floats or vectors of them, and integers of their size.
#[derive(Clone, Copy)]
struct Floats {
    ty: Type,
    /// Of the result of a comparison.
    truth: Type,
    integer: Type,
}

impl Floats {
    fn compare(self, build: &mut Builder<'_, '_>, op: Opcode, a: Operand, b: Operand) -> Operand {
        let data = InstData::new(op, self.ty, 0, a, b);
        Operand::value(build.function.push_inst_result(data, self.truth))
    }

    /// The new contents. Minima and maxima are those of the intrinsics of the same names, made of comparisons, because
    /// the atomic operations need no mathematical library.
    fn combine(self, build: &mut Builder<'_, '_>, operation: RmwOp, old: Operand, value: Operand) -> Operand {
        match operation {
            RmwOp::Fsub => build.emit(Opcode::Fsub, self.ty, 0, old, value),
            RmwOp::Fmax | RmwOp::Fmin => self.number(build, operation == RmwOp::Fmax, old, value),
            RmwOp::Fmaximum | RmwOp::Fminimum => self.extreme(build, operation == RmwOp::Fmaximum, old, value),
            _ => build.emit(Opcode::Fadd, self.ty, 0, old, value),
        }
    }

    fn beyond(largest: bool) -> Opcode {
        if largest { Opcode::FcmpOgt } else { Opcode::FcmpOlt }
    }

    /// The operand only if it is more than the old contents, or if these are no number.
    fn number(self, build: &mut Builder<'_, '_>, largest: bool, old: Operand, value: Operand) -> Operand {
        let is_more = self.compare(build, Floats::beyond(largest), value, old);
        let number = build.choose(self.ty, is_more, value, old);
        let is_nan = self.compare(build, Opcode::FcmpUno, old, old);
        build.choose(self.ty, is_nan, value, number)
    }

    /// Of equal numbers, the bits are joined, which lets the sign of zeros decide; the sum of something that is no
    /// number stays so.
    fn extreme(self, build: &mut Builder<'_, '_>, largest: bool, old: Operand, value: Operand) -> Operand {
        let is_more = self.compare(build, Floats::beyond(largest), value, old);
        let more = build.choose(self.ty, is_more, value, old);
        let [a, b] = [old, value].map(|float| build.emit(Opcode::Bitcast, self.integer, 0, float, Operand::NONE));
        let join = if largest { Opcode::And } else { Opcode::Or };
        let joined = build.emit(join, self.integer, 0, a, b);
        let joined = build.emit(Opcode::Bitcast, self.ty, 0, joined, Operand::NONE);
        let are_equal = self.compare(build, Opcode::FcmpOeq, old, value);
        let number = build.choose(self.ty, are_equal, joined, more);
        let is_nan = self.compare(build, Opcode::FcmpUno, old, value);
        let sum = build.emit(Opcode::Fadd, self.ty, 0, old, value);
        build.choose(self.ty, is_nan, sum, number)
    }
}

impl Builder<'_, '_> {
    fn store_bytes(&self, ir_type: Type) -> u32 {
        let bits = self.module.layout.pointer(0).bits;
        self.function.types().store_bytes(ir_type, bits) as u32
    }

    /// The integer that a value is accessed as, if there are no atomic accesses to its own type.
    pub(super) fn accessed_as(&self, ir_type: Type) -> Option<Type> {
        let types = self.function.types();
        let scalar = types.scalar(ir_type);
        let in_element = matches!(types.data(scalar), TypeData::F16 | TypeData::BF16 | TypeData::F128);
        if !in_element && scalar == ir_type {
            return None;
        }
        integer_of(self.store_bytes(ir_type))
    }

    /// The integer that the loop for an operation works on; `None` if the operation needs no loop.
    pub(super) fn looped_as(&self, operation: RmwOp, ir_type: Type, align_log2: u32) -> Option<Type> {
        let bytes = self.store_bytes(ir_type);
        let has_function = matches!(
            operation,
            RmwOp::Add | RmwOp::Sub | RmwOp::And | RmwOp::Or | RmwOp::Xor | RmwOp::Nand
        );
        let is_direct = align_log2 >= bytes.trailing_zeros() && (bytes < 16 || has_function);
        if operation == RmwOp::Xchg || is_direct && self.accessed_as(ir_type).is_none() {
            return None;
        }
        let integer = integer_of(bytes)?;
        match self.function.types().data(ir_type) {
            TypeData::Int(_) => (ir_type == integer).then_some(integer),
            TypeData::X86F80 | TypeData::Ptr(_) => None,
            // Of the operations on vectors, there are those on floats only.
            _ => is_of_floats(operation).then_some(integer),
        }
    }
}

fn integer_of(bytes: u32) -> Option<Type> {
    Some(match bytes {
        1 => Type::I8,
        2 => Type::I16,
        4 => Type::I32,
        8 => Type::I64,
        16 => Type::I128,
        _ => return None,
    })
}

/// Appends the loop for an operation on a scalar or a vector, which is done on an integer of its size.
#[cold]
pub(super) fn update(body: &mut Body<'_, '_>, update: Update, integer: Type) -> Result<(), ReadError> {
    let Update {
        address,
        operation,
        value,
        flags,
    } = update;
    let build = &mut body.build;
    build.make_wide_room(ROOM)?;
    let plain = MemFlags::aligned(flags.align_log2()).with_volatile(flags.is_volatile());
    let first = build.emit(Opcode::Load, integer, plain.0, address.operand(), Operand::NONE);
    let before = build.current_block();
    let head = build.continue_in_new_block()?;
    let found = build.function.declare_value(integer);
    let exchanged = build.function.declare_value(Type::I1);
    let old = build.loop_phi(integer, (first, before), (found, head));
    let ir_type = value.ir_type();
    let (contents, new) = if is_of_floats(operation) {
        let truth = build.bool_like(ir_type)?;
        let floats = Floats {
            ty: ir_type,
            truth,
            integer,
        };
        let value = build.typed(value);
        let contents = build.emit(Opcode::Bitcast, ir_type, 0, old, Operand::NONE);
        let new = floats.combine(build, operation, contents, value);
        (contents, build.emit(Opcode::Bitcast, integer, 0, new, Operand::NONE))
    } else {
        let new = Number::Single(integer).combine(build, operation, &[old], &[value.operand()]);
        (old, new.unwrap_or_default().first().copied().unwrap_or(old))
    };
    let rest = build.function.push_pool(&[old, new]);
    let data = InstData::new(Opcode::Cmpxchg, integer, flags.0, address.operand(), Operand::raw(rest));
    build.function.push_inst_into(data, found, 2);
    build.branch_back_or_open(Operand::value(exchanged), head);
    build.define_as(Word::scalar(contents, ir_type, value.ty()))
}

/// Memory that holds a wide integer.
#[derive(Clone, Copy)]
struct WidePlace {
    address: Operand,
    align_log2: u32,
    is_volatile: bool,
}

/// A wide integer.
#[derive(Clone, Copy)]
struct Wide {
    ty: TypeId,
    bits: u32,
}

impl Wide {
    fn new(build: &Builder<'_, '_>, ty: TypeId, bits: u32, address: Word) -> Result<Wide, ReadError> {
        if !bits.is_power_of_two() {
            return Err(build.malformed(format!("an atomic access to an integer of {bits} bits")));
        }
        if address.ir_type() != Type::PTR {
            return Err(build.unsupported(
                Refusal::Atomic,
                format!("an atomic access to an integer of {bits} bits in an address space other than 0"),
            ));
        }
        Ok(Wide { ty, bits })
    }

    fn count(self) -> usize {
        (self.bits / WORD_BITS) as usize
    }

    /// Makes room for so many accesses to all words of memory.
    fn make_room(self, build: &mut Builder<'_, '_>, accesses: usize) -> Result<(), ReadError> {
        build.make_wide_room(ROOM + 4 * accesses * self.count())
    }

    /// The first argument of the library's functions.
    fn size(self, build: &mut Builder<'_, '_>) -> (Operand, Type) {
        let size_type = build.pointer_int();
        (
            build.function.int_operand(size_type, i128::from(self.bits / 8)),
            size_type,
        )
    }

    /// Memory of the function's own.
    fn slot(self, build: &mut Builder<'_, '_>) -> WidePlace {
        let slot = build.function.push_slot(u64::from(self.bits / 8), SLOT_ALIGN as u8);
        WidePlace {
            address: Operand::value(slot),
            align_log2: SLOT_ALIGN,
            is_volatile: false,
        }
    }

    fn slot_of(self, build: &mut Builder<'_, '_>, words: &[Operand]) -> WidePlace {
        let slot = self.slot(build);
        for (index, &word) in words.iter().enumerate() {
            let address = slot.word(build, index);
            let data = InstData::new(Opcode::Store, Type::I64, slot.flags(), word, address);
            build.function.push_inst(data);
        }
        slot
    }

    fn words(self, build: &mut Builder<'_, '_>, value: Word) -> Result<Words, ReadError> {
        build.words_of(value, self.bits, Extend::Zero)
    }

    /// Calls a library function that is given memory of the function's own besides.
    fn access(
        self,
        build: &mut Builder<'_, '_>,
        function: RuntimeFunction,
        address: Word,
        own: &[WidePlace],
        ordering: Ordering,
    ) {
        let mut arguments = vec![self.size(build), (address.operand(), Type::PTR)];
        arguments.extend(own.iter().map(|place| place.argument()));
        arguments.push(order(build, ordering));
        let call = call_of(build, function, &arguments, None);
        build.function.push_inst(call);
    }

    /// Exchanges what is at `address` if it is `expected`. Gives the memory that holds what was found, and whether it
    /// was exchanged.
    fn exchange_if(
        self,
        build: &mut Builder<'_, '_>,
        address: Word,
        [expected, new]: [&[Operand]; 2],
        orders: [Ordering; 2],
    ) -> (WidePlace, InstData) {
        let found = self.slot_of(build, expected);
        let new = self.slot_of(build, new);
        let [success, failure] = orders.map(|ordering| order(build, ordering));
        let arguments = [
            self.size(build),
            (address.operand(), Type::PTR),
            found.argument(),
            new.argument(),
            success,
            failure,
        ];
        let function = RuntimeFunction::AtomicCompareExchange;
        (found, call_of(build, function, &arguments, Some(Type::I1)))
    }
}

impl WidePlace {
    fn argument(self) -> (Operand, Type) {
        (self.address, Type::PTR)
    }

    fn word(self, build: &mut Builder<'_, '_>, index: usize) -> Operand {
        build.address_after(self.address, Type::PTR, (index as u64 * WORD_BYTES).cast_signed())
    }

    /// Of an access to a word.
    fn flags(self) -> u16 {
        let align_log2 = self.align_log2.min(WORD_ALIGN);
        MemFlags::aligned(align_log2).with_volatile(self.is_volatile).0
    }

    fn load_word(self, build: &mut Builder<'_, '_>, index: usize) -> InstData {
        let address = self.word(build, index);
        InstData::new(Opcode::Load, Type::I64, self.flags(), address, Operand::NONE)
    }

    fn load(self, build: &mut Builder<'_, '_>, count: usize) -> Words {
        let word = |index| {
            let data = self.load_word(build, index);
            Operand::value(build.function.push_inst_result(data, Type::I64))
        };
        (0..count).map(word).collect()
    }
}

fn order(build: &mut Builder<'_, '_>, ordering: Ordering) -> (Operand, Type) {
    let number = build.function.int_operand(Type::I32, i128::from(ordering.in_c()));
    (number, Type::I32)
}

/// A load of a wide integer.
#[cold]
pub(super) fn load_wide(
    body: &mut Body<'_, '_>,
    address: Word,
    (ty, bits): (TypeId, u32),
    ordering: Ordering,
) -> Result<(), ReadError> {
    let build = &mut body.build;
    let wide = Wide::new(build, ty, bits, address)?;
    wide.make_room(build, 1)?;
    let found = wide.slot(build);
    wide.access(build, RuntimeFunction::AtomicLoad, address, &[found], ordering);
    let words = found.load(build, wide.count());
    build.define_parts(ty, &words)
}

/// A store of a wide integer.
#[cold]
pub(super) fn store_wide(
    body: &mut Body<'_, '_>,
    address: Word,
    value: Word,
    ordering: Ordering,
) -> Result<(), ReadError> {
    let build = &mut body.build;
    let bits = build.expect_wide(value)?;
    let wide = Wide::new(build, value.ty(), bits, address)?;
    wide.make_room(build, 1)?;
    let words = wide.words(build, value)?;
    let stored = wide.slot_of(build, &words);
    wide.access(build, RuntimeFunction::AtomicStore, address, &[stored], ordering);
    Ok(())
}

/// An operation on a wide integer.
#[cold]
pub(super) fn update_wide(body: &mut Body<'_, '_>, update: Update) -> Result<(), ReadError> {
    let Update {
        address,
        operation,
        value,
        flags,
    } = update;
    let build = &mut body.build;
    let bits = build.expect_wide(value)?;
    let wide = Wide::new(build, value.ty(), bits, address)?;
    wide.make_room(build, 8)?;
    let words = wide.words(build, value)?;
    let old = if operation == RmwOp::Xchg {
        exchange_wide(build, wide, address, &words, flags.ordering())
    } else {
        loop_wide(build, wide, update, &words)?
    };
    build.define_parts(wide.ty, &old)
}

fn exchange_wide(
    build: &mut Builder<'_, '_>,
    wide: Wide,
    address: Word,
    words: &[Operand],
    ordering: Ordering,
) -> Words {
    let new = wide.slot_of(build, words);
    let found = wide.slot(build);
    wide.access(build, RuntimeFunction::AtomicExchange, address, &[new, found], ordering);
    found.load(build, wide.count())
}

fn loop_wide(build: &mut Builder<'_, '_>, wide: Wide, update: Update, value: &[Operand]) -> Result<Words, ReadError> {
    let Update {
        address,
        operation,
        flags,
        ..
    } = update;
    let memory = WidePlace {
        address: address.operand(),
        align_log2: flags.align_log2(),
        is_volatile: flags.is_volatile(),
    };
    let first = memory.load(build, wide.count());
    let before = build.current_block();
    let head = build.continue_in_new_block()?;
    let next: Vec<Value> = first.iter().map(|_| build.function.declare_value(Type::I64)).collect();
    let pairs = first.iter().zip(&next);
    let old: Words = pairs
        .map(|(&first, &next)| build.loop_phi(Type::I64, (first, before), (next, head)))
        .collect();
    let Some(new) = Number::Words(wide.count()).combine(build, operation, &old, value) else {
        return Err(build.malformed("an atomic operation on floats with an integer"));
    };
    let orders = [flags.ordering(), flags.ordering().of_failure()];
    let (found, call) = wide.exchange_if(build, address, [&old, &new], orders);
    let exchanged = Operand::value(build.function.push_inst_result(call, Type::I1));
    for (index, &value) in next.iter().enumerate() {
        let data = found.load_word(build, index);
        build.function.push_inst_into(data, value, 1);
    }
    build.branch_back_or_open(exchanged, head);
    Ok(old)
}

/// A compare-and-exchange of wide integers; `pair` is the type of its result.
#[cold]
pub(super) fn exchange_if_wide(
    body: &mut Body<'_, '_>,
    address: Word,
    [expected, new]: [Word; 2],
    orders: [Ordering; 2],
    pair: TypeId,
) -> Result<(), ReadError> {
    let build = &mut body.build;
    let bits = build.expect_wide(expected)?;
    let wide = Wide::new(build, expected.ty(), bits, address)?;
    wide.make_room(build, 3)?;
    let [expected, new] = [wide.words(build, expected)?, wide.words(build, new)?];
    let (found, call) = wide.exchange_if(build, address, [&expected, &new], orders);
    let exchanged = Operand::value(build.function.push_inst_result(call, Type::I1));
    let mut parts = found.load(build, wide.count());
    parts.push(exchanged);
    build.define_parts(pair, &parts)
}

/// Copies elements of so many bytes, or fills memory with a byte. `Ok(false)` for sizes that there is no function for.
#[cold]
pub(super) fn copy_elements(
    body: &mut Body<'_, '_>,
    functions: BySize,
    [to, from, length]: [Word; 3],
    bytes: Word,
) -> Result<bool, ReadError> {
    let build = &mut body.build;
    let size = build.integer_of(bytes).and_then(|size| u64::try_from(size).ok());
    let Some(function) = size.and_then(|size| functions.of(size)) else {
        return Ok(false);
    };
    // The other spaces' pointers are no arguments of library functions.
    if to.ir_type() != Type::PTR || ![Type::PTR, Type::I8].contains(&from.ir_type()) {
        return Ok(false);
    }
    build.check_room(4)?;
    let mut arguments = [to, from, length].map(|word| (word.operand(), word.ir_type()));
    if let [_, source, _] = &mut arguments
        && source.1 == Type::I8
    {
        // Functions of C may count on it.
        let byte = build.typed(from);
        *source = (build.emit(Opcode::Zext, Type::I32, 0, byte, Operand::NONE), Type::I32);
    }
    let call = call_of(build, function, &arguments, None);
    build.function.push_inst(call);
    Ok(true)
}
