//! Loads, stores, copies and fills.

use super::memory::{Origin, are_apart};
use super::step::Executor;
use super::value::{Lane, Value, shape};
use super::{Outcome, State, unsupported};
use crate::terms::{Op, Role, Term, compute};
use frazil_ir::{InstData, MemFlags, Opcode, Type};

/// Addresses that one may be, at most.
const MOST_WAYS: usize = 8;

/// An address that another one is under a condition.
#[derive(Clone, Copy, Debug)]
struct Way {
    condition: Term,
    address: Term,
    origin: Origin,
}

/// Copies and fills of at most so many bytes are made byte by byte.
const MOST_BYTES: u128 = 64;

impl Executor<'_, '_> {
    /// An access to memory that others do not see at once; its results.
    pub(super) fn access(&mut self, state: &mut State, data: &InstData) -> Outcome<Vec<Value>> {
        match data.op {
            Opcode::Load => {
                let address = self.operand(state, data.a, Type::PTR)?[0];
                let size = self.store_bytes(data.ty)?;
                let ways = self.checked_address(state, address, size, data.flags, false);
                self.load(state, data.ty, &ways).map(|value| vec![value])
            }
            Opcode::Store => {
                let value = self.operand(state, data.a, data.ty)?;
                let address = self.operand(state, data.b, Type::PTR)?[0];
                let size = self.store_bytes(data.ty)?;
                let ways = self.checked_address(state, address, size, data.flags, true);
                self.store(state, data.ty, &ways, &value).map(|()| Vec::new())
            }
            Opcode::MemCopy | Opcode::MemMove | Opcode::MemSet => self.bulk(state, data).map(|()| Vec::new()),
            _ => unsupported(format!("opcode {}", data.op.name())),
        }
    }

    fn store_bytes(&self, ty: Type) -> Outcome<u64> {
        let types = self.side.function.types();
        let shape = shape(types, ty, self.pointer_bits())?;
        if shape.lanes > 1 && shape.bits % 8 != 0 {
            return unsupported("vectors of lanes that share bytes, in memory");
        }
        if self.side.module.data_layout.big_endian {
            return unsupported("big-endian memory");
        }
        Ok(types.store_bytes(ty, self.pointer_bits()))
    }

    /// A value that must be decided: its bits, without undefined ones.
    pub(super) fn decided(&mut self, state: &mut State, lane: Lane) -> Term {
        state.undefined.push(lane.poison);
        let (bits, is_open) = self.settled(state, lane.bits);
        state.undefined.push(is_open);
        bits
    }

    /// An address for an access of so many bytes, which is undefined behavior if it is not allowed: the addresses that
    /// it is, each with its condition.
    fn checked_address(&mut self, state: &mut State, lane: Lane, size: u64, flags: u16, writes: bool) -> Vec<Way> {
        let length = self.terms.constant(self.pointer_bits(), u128::from(size));
        self.checked_range(state, lane, flags, length, writes)
    }

    /// The same for an access of a length that need not be a number.
    fn checked_range(&mut self, state: &mut State, lane: Lane, flags: u16, length: Term, writes: bool) -> Vec<Way> {
        let address = self.decided(state, lane);
        let align = MemFlags(flags).align_log2().min(self.pointer_bits() - 1);
        let yes = self.terms.bool(true);
        let mut ways = Vec::new();
        self.ways(yes, address, &mut ways);
        for way in &ways {
            let start = state.undefined.len();
            if align > 0 {
                let low = self.terms.extract(way.address, 0, align);
                let zero = self.terms.constant(align, 0);
                let misaligned = self.terms.ne(low, zero);
                state.undefined.push(misaligned);
            }
            self.check_range(state, (way.address, way.origin), length, writes);
            for index in start..state.undefined.len() {
                state.undefined[index] = self.terms.and(way.condition, state.undefined[index]);
            }
        }
        ways
    }

    /// The addresses that an address is, with their conditions: both sides of a choice between objects.
    fn ways(&mut self, condition: Term, address: Term, ways: &mut Vec<Way>) {
        let origin = self.side.objects.origin(self.terms, address);
        let (base, offset) = self.terms.split_sum(address);
        if origin == Origin::Mixed
            && ways.len() < MOST_WAYS
            && let Some((Op::Ite, [choice, yes, no])) = self.terms.operation(base)
        {
            let offset = self.terms.constant(self.pointer_bits(), offset);
            for (choice, part) in [(choice, yes), (self.terms.not(choice), no)] {
                let (condition, part) = (self.terms.and(condition, choice), self.terms.add(part, offset));
                self.ways(condition, part, ways);
            }
            return;
        }
        ways.push(Way {
            condition,
            address,
            origin,
        });
    }

    /// An access of `length` bytes must be allowed.
    fn check_range(&mut self, state: &mut State, (address, origin): (Term, Origin), length: Term, writes: bool) {
        let objects = self.side.objects;
        if let Origin::Object(number) = origin {
            let object = &objects.all[number as usize];
            if let Some(size) = object.size {
                let bits = self.pointer_bits();
                let offset = self.terms.sub(address, object.address);
                let size = self.terms.constant(bits, u128::from(size));
                // Neither the end nor the start lies after the end of the object.
                let too_long = self.terms.ult(size, length);
                let last = self.terms.sub(size, length);
                let behind = self.terms.ult(last, offset);
                let outside = self.terms.or(too_long, behind);
                state.undefined.push(outside);
                if writes && object.is_constant {
                    let yes = self.terms.bool(true);
                    state.undefined.push(yes);
                }
                return;
            }
        }
        for kind in ["readable", "writable"].iter().take(1 + usize::from(writes)) {
            let name = format!("{kind}{}", state.epoch);
            match self.terms.constant_of(length) {
                Some(count) if count <= MOST_BYTES => {
                    for index in 0..count {
                        let index = self.terms.constant(self.pointer_bits(), index);
                        let byte = self.terms.add(address, index);
                        let allowed = self.terms.function(&name, 1, &[byte]);
                        let refused = self.terms.not(allowed);
                        state.undefined.push(refused);
                    }
                }
                _ => {
                    let allowed = self.terms.function(&format!("{name} range"), 1, &[address, length]);
                    let refused = self.terms.not(allowed);
                    state.undefined.push(refused);
                }
            }
        }
    }

    fn byte_address(&mut self, address: Term, index: u128) -> Term {
        let index = self.terms.constant(self.pointer_bits(), index);
        self.terms.add(address, index)
    }

    /// The byte so far after an address.
    fn read_byte(&mut self, state: &State, ways: &[Way], index: u128) -> Lane {
        let mut result: Option<Lane> = None;
        for way in ways {
            let place = (self.byte_address(way.address, index), way.origin);
            let byte = self
                .memories
                .read(self.terms, self.side.objects, state.memory, place, state.escaped);
            result = Some(match result {
                Some(others) => Lane::ite(self.terms, way.condition, byte, others),
                None => byte,
            });
        }
        result.expect("an address is at least one")
    }

    /// Writes the byte so far after an address.
    fn write_byte(&mut self, state: &mut State, ways: &[Way], index: u128, byte: Lane) {
        for way in ways {
            let place = (self.byte_address(way.address, index), way.origin);
            state.memory = self.memories.write(state.memory, way.condition, place, byte);
        }
    }

    fn load(&mut self, state: &mut State, ty: Type, ways: &[Way]) -> Outcome<Value> {
        let shape = shape(self.side.function.types(), ty, self.pointer_bits())?;
        let count = u128::from(shape.bits.div_ceil(8));
        let mut value = Vec::new();
        for index in 0..shape.lanes as u128 {
            let first = self.read_byte(state, ways, index * count);
            let (mut bits, mut poison) = (first.bits, first.poison);
            for byte in 1..count {
                let byte = self.read_byte(state, ways, index * count + byte);
                bits = self.terms.concat(byte.bits, bits);
                poison = self.terms.or(poison, byte.poison);
            }
            let padding = 8 * count as u32 - shape.bits;
            if padding > 0 {
                // Stores write zeros there.
                let upper = self.terms.extract(bits, shape.bits, padding);
                let (upper, is_open) = self.settled(state, upper);
                let zero = self.terms.constant(padding, 0);
                let nonzero = self.terms.ne(upper, zero);
                let is_value = self.terms.not(poison);
                let broken = self.terms.or(nonzero, is_open);
                let broken = self.terms.and(is_value, broken);
                if !self.terms.has_undef(bits) {
                    state.undefined.push(broken);
                }
                bits = self.terms.extract(bits, 0, shape.bits);
            }
            value.push(Lane { bits, poison });
        }
        Ok(value)
    }

    fn store(&mut self, state: &mut State, ty: Type, ways: &[Way], value: &Value) -> Outcome<()> {
        let shape = shape(self.side.function.types(), ty, self.pointer_bits())?;
        let count = shape.bits.div_ceil(8);
        for (index, lane) in value.iter().enumerate() {
            for way in ways {
                self.note_stored(state, *lane, way.origin);
            }
            let bits = self.terms.resized(lane.bits, 8 * count);
            for byte in 0..count {
                let part = self.terms.extract(bits, 8 * byte, 8);
                let place = index as u128 * u128::from(count) + u128::from(byte);
                let byte = Lane {
                    bits: part,
                    poison: lane.poison,
                };
                self.write_byte(state, ways, place, byte);
            }
        }
        Ok(())
    }

    /// The address of an object that is stored is known to whoever knows the place.
    fn note_stored(&mut self, state: &mut State, lane: Lane, origin: Origin) {
        let objects = self.side.objects;
        let found = objects.slots(objects.within(self.terms, lane.bits));
        state.stored |= found;
        let is_hidden = matches!(origin, Origin::Object(number)
            if objects.all[number as usize].is_slot && state.escaped >> number & 1 == 0);
        if !is_hidden {
            state.escaped |= found;
        }
    }

    fn bulk(&mut self, state: &mut State, data: &InstData) -> Outcome<()> {
        let function = self.side.function;
        let (second, length) = function.ternary(data);
        let length = self.operand(state, length, data.ty)?[0];
        let length = self.decided(state, length);
        if self.terms.width(length) > self.pointer_bits() {
            return unsupported("lengths wider than addresses");
        }
        let length = self.terms.resized(length, self.pointer_bits());
        let to = self.operand(state, data.a, Type::PTR)?[0];
        let is_set = data.op == Opcode::MemSet;
        let second_ty = if is_set { Type::I8 } else { Type::PTR };
        let second = self.operand(state, second, second_ty)?[0];
        if self.terms.constant_of(length) == Some(0) {
            return Ok(());
        }
        let number = self.terms.constant_of(length);
        // With no bytes, nothing is examined.
        let zero = self.terms.constant(self.pointer_bits(), 0);
        let empty = self.terms.eq(length, zero);
        let checked_from = state.undefined.len();
        let to = self.checked_range(state, to, data.flags, length, true);
        let from = (!is_set).then(|| self.checked_range(state, second, data.flags, length, false));
        if data.op == Opcode::MemCopy
            && let Some(from) = &from
        {
            for (to, from) in to.iter().flat_map(|to| from.iter().map(move |from| (to, from))) {
                if are_apart(self.side.objects, to.origin, from.origin, state.escaped) {
                    continue;
                }
                let apart = self.equal_or_apart(from.address, to.address, length);
                let overlaps = self.terms.not(apart);
                let both = self.terms.all(&[to.condition, from.condition, overlaps]);
                state.undefined.push(both);
            }
        }
        if number.is_none() {
            let nonempty = self.terms.not(empty);
            for index in checked_from..state.undefined.len() {
                state.undefined[index] = self.terms.and(nonempty, state.undefined[index]);
            }
        }
        let objects = self.side.objects;
        let is_slot = |way: &Way| matches!(way.origin, Origin::Object(number) if objects.all[number as usize].is_slot);
        if from.is_some() && !to.iter().all(is_slot) {
            // Addresses that lie in what is copied.
            state.escaped |= state.stored;
        }
        let count = number.filter(|&number| number <= MOST_BYTES);
        if let Some(count) = count {
            let bytes: Vec<Lane> = match &from {
                Some(from) => {
                    let mut bytes: Vec<Lane> = (0..count).map(|index| self.read_byte(state, from, index)).collect();
                    if self.side.is_before && count.is_power_of_two() {
                        self.spread_poison(&mut bytes);
                    }
                    bytes
                }
                None => vec![second; count as usize],
            };
            for (index, byte) in bytes.into_iter().enumerate() {
                self.write_byte(state, &to, index as u128, byte);
            }
            return Ok(());
        }
        let [to] = to[..] else {
            return unsupported("a long copy to one of several objects");
        };
        let place = (to.address, to.origin);
        state.memory = match from.as_deref() {
            Some([from]) => self
                .memories
                .copy(state.memory, place, (from.address, from.origin), length),
            Some(_) => return unsupported("a long copy from one of several objects"),
            None => self.memories.fill(state.memory, to.address, to.origin, second, length),
        };
        Ok(())
    }

    /// Makes all bytes poison if one is. Passes may copy as many bytes as an integer has by a load and a store of one,
    /// as LLVM does (`InstCombinerImpl::SimplifyAnyMemTransfer`), and an integer is poison as a whole.
    fn spread_poison(&mut self, bytes: &mut [Lane]) {
        let no = self.terms.bool(false);
        let poison = bytes.iter().fold(no, |any, byte| self.terms.or(any, byte.poison));
        bytes.iter_mut().for_each(|byte| byte.poison = poison);
    }

    fn equal_or_apart(&mut self, one: Term, other: Term, length: Term) -> Term {
        let equal = self.terms.eq(one, other);
        let (forward, backward) = (self.terms.sub(one, other), self.terms.sub(other, one));
        let (forward, backward) = (self.terms.ule(length, forward), self.terms.ule(length, backward));
        let apart = self.terms.and(forward, backward);
        self.terms.or(equal, apart)
    }

    /// The bits of a value that may be undefined, settled, and whether that makes a difference: whether two ways to
    /// choose them do. The function before the pass chooses as the one after it, or the lowest and the highest.
    pub(super) fn settled(&mut self, state: &mut State, bits: Term) -> (Term, Term) {
        let no = self.terms.bool(false);
        if !self.terms.has_undef(bits) {
            return (bits, no);
        }
        state.decisions += 1;
        let decision = state.decisions;
        let [one, other] = ["one", "other"].map(|way| {
            let mut index = 0;
            self.terms.with_other_undefs(bits, &mut |terms, var| {
                let width = terms.width(var);
                index += 1;
                terms.named(&format!("{way} {decision} {index} {width}"), width, Role::Picked)
            })
        });
        let mut differs = self.terms.ne(one, other);
        if self.side.is_before {
            self.chose = true;
            let (low, high) = (self.with_constant(bits, 0), self.with_constant(bits, u128::MAX));
            let ends = self.terms.ne(low, high);
            differs = self.terms.or(differs, ends);
        }
        (one, differs)
    }

    /// A term with a number for each of its undef variables.
    pub(super) fn with_constant(&mut self, term: Term, value: u128) -> Term {
        self.terms.with_other_undefs(term, &mut |terms, var| {
            let width = terms.width(var);
            terms.constant(width, value & compute::mask(width))
        })
    }
}
