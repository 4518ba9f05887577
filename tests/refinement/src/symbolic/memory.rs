//! Symbolic memory: what was written, in order, over what was there at first.
//!
//! Memory is a chain of writes of single bytes, ranges, and of what others may have done; chains that are equal are the
//! same number. A byte is read by going back along the chain. Which writes may be meant, origins tell: the address of
//! an object (a stack slot, data) is a variable of its own, an address that is computed from it stays within it, and
//! nothing else reaches a slot whose address was not passed on.

use super::value::Lane;
use crate::terms::{Node, Role, Term, Terms};
use frazil_ir::{Function, Module, Opcode, SlotData, SymbolId, SymbolKind};
use frazil_support::{EntityRef, FxHashMap};

/// A state of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryId(u32);

/// What an address is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The address of this object.
    Object(u32),
    /// Anything but objects of the function.
    Elsewhere,
    /// More than one object.
    Mixed,
}

/// A stack slot or symbol, which has memory of its own.
#[derive(Clone, Debug)]
pub struct Object {
    pub address: Term,
    /// Its size in bytes, if it is known.
    pub size: Option<u64>,
    /// Whether it is a stack slot.
    pub is_slot: bool,
    /// Whether it must not be written.
    pub is_constant: bool,
    pub symbol: Option<SymbolId>,
}

/// The objects of both functions.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// By number.
    pub all: Vec<Object>,
    by_address: FxHashMap<Term, u32>,
    by_symbol: FxHashMap<SymbolId, u32>,
    /// What holds of the addresses.
    pub axioms: Vec<Term>,
    /// Whether a slot that others see is in one of the functions alone.
    pub is_unmatched: bool,
}

/// More objects than this have no bit in a mask.
const MOST_OBJECTS: usize = 64;

/// Of more objects than this, the solver is not told that they are apart.
const MOST_DISTANT: usize = 8;

impl Objects {
    /// The objects of the functions before and after a pass, with the numbers of their slots' objects.
    ///
    /// Passes keep the number of the value that is a slot's address: slots with the same one are the same object, if
    /// they have one size and alignment, then those that agree in these alone; the others are apart.
    ///
    /// # Errors
    /// When there are too many.
    pub fn new(
        terms: &mut Terms,
        module: &Module,
        before: &Function,
        after: &Function,
    ) -> super::Outcome<(Objects, [Vec<u32>; 2])> {
        let mut objects = Objects::default();
        let mut numbers = [Vec::new(), Vec::new()];
        let mut partners = Vec::new();
        for (side, function) in [before, after].into_iter().enumerate() {
            for data in function.slots() {
                let partner = (side == 1).then(|| partner(before, after, data, &partners)).flatten();
                partners.extend(partner);
                let number = match partner {
                    Some(partner) => numbers[0][partner],
                    None => objects.add(terms, module, ObjectKind::Slot(data.size), u32::from(data.align_log2)),
                };
                numbers[side].push(number);
            }
        }
        let is_apart = |function: &Function, own: &[u32], other: &[u32]| {
            let public = public_slots(function);
            public.iter().any(|&slot| !other.contains(&own[slot]))
        };
        objects.is_unmatched = is_apart(before, &numbers[0], &numbers[1]) || is_apart(after, &numbers[1], &numbers[0]);
        for symbol in symbols(module, before).into_iter().chain(symbols(module, after)) {
            if !objects.by_symbol.contains_key(&symbol) {
                let align = match module.symbols.get(symbol).map(|data| data.kind) {
                    Some(SymbolKind::Data(data)) => u32::from(module.data[data].align_log2),
                    _ => 0,
                };
                let number = objects.add(terms, module, ObjectKind::Symbol(symbol), align);
                objects.by_symbol.insert(symbol, number);
            }
        }
        if objects.all.len() > MOST_OBJECTS {
            return super::unsupported("many objects");
        }
        objects.add_distances(terms, module.data_layout.pointer_bits, &numbers);
        Ok((objects, numbers))
    }

    /// Objects that a function has at the same time do not overlap.
    fn add_distances(&mut self, terms: &mut Terms, bits: u32, numbers: &[Vec<u32>; 2]) {
        let sized: Vec<u32> = (0..self.all.len() as u32)
            .filter(|&number| self.all[number as usize].size.is_some_and(|size| size > 0))
            .collect();
        if sized.len() > MOST_DISTANT {
            return;
        }
        let is_in = |side: usize, number: u32| !self.all[number as usize].is_slot || numbers[side].contains(&number);
        for (index, &one) in sized.iter().enumerate() {
            for &other in &sized[index + 1..] {
                if !(0..2).any(|side| is_in(side, one) && is_in(side, other)) {
                    continue;
                }
                let [(first, length), (second, other_length)] = [one, other].map(|number| {
                    let object = &self.all[number as usize];
                    (object.address, object.size.unwrap_or(0))
                });
                let [length, other_length] = [length, other_length].map(|size| terms.constant(bits, u128::from(size)));
                let (ahead, behind) = (terms.sub(second, first), terms.sub(first, second));
                let (ahead, behind) = (terms.ule(length, ahead), terms.ule(other_length, behind));
                self.axioms.push(terms.and(ahead, behind));
            }
        }
    }

    fn add(&mut self, terms: &mut Terms, module: &Module, kind: ObjectKind, align_log2: u32) -> u32 {
        let bits = module.data_layout.pointer_bits;
        let number = self.all.len() as u32;
        let align = align_log2.min(bits - 1);
        let upper = terms.fresh(&format!("object{number}"), bits - align, Role::Given);
        let address = if align == 0 {
            upper
        } else {
            let zeros = terms.constant(align, 0);
            terms.concat(upper, zeros)
        };
        let mut object = Object {
            address,
            size: None,
            is_slot: false,
            is_constant: false,
            symbol: None,
        };
        match kind {
            ObjectKind::Slot(size) => (object.size, object.is_slot) = (Some(size), true),
            ObjectKind::Symbol(symbol) => {
                object.symbol = Some(symbol);
                if let Some(data) = module.symbols.get(symbol)
                    && let SymbolKind::Data(id) = data.kind
                    && !data.linkage.is_weak()
                {
                    (object.size, object.is_constant) = (Some(module.data[id].size), module.data[id].constant);
                }
            }
        }
        if let Some(size) = object.size {
            // Not at zero, and not over the end.
            let (zero, end) = (
                terms.constant(bits, 0),
                terms.constant(bits, u128::from(size).wrapping_neg()),
            );
            let not_null = terms.ne(address, zero);
            self.axioms.push(not_null);
            if size > 0 {
                let fits = terms.ule(address, end);
                self.axioms.push(fits);
            }
        }
        self.by_address.insert(address, number);
        self.all.push(object);
        number
    }

    /// Finds the object whose address a symbol is.
    pub fn of_symbol(&self, symbol: SymbolId) -> Option<&Object> {
        self.by_symbol.get(&symbol).map(|&number| &self.all[number as usize])
    }

    /// The objects whose addresses a term is made of, as a mask.
    pub fn within(&self, terms: &Terms, term: Term) -> u64 {
        let mut seen = FxHashMap::default();
        self.within_seen(terms, term, &mut seen)
    }

    fn within_seen(&self, terms: &Terms, term: Term, seen: &mut FxHashMap<Term, u64>) -> u64 {
        if let Some(&number) = self.by_address.get(&term) {
            return 1 << number;
        }
        if let Some(&mask) = seen.get(&term) {
            return mask;
        }
        let mut mask = 0;
        if let Node::Apply(op, operands) = terms.node(term) {
            // What decides is no part of the address, and neither is where it was read.
            let skipped = usize::from(op == crate::terms::Op::Ite);
            let count = match op {
                crate::terms::Op::Function(_)
                | crate::terms::Op::Eq
                | crate::terms::Op::Ult
                | crate::terms::Op::Slt => 0,
                _ => terms.operand_count(op),
            };
            for &operand in &operands[skipped.min(count)..count] {
                mask |= self.within_seen(terms, operand, seen);
            }
        }
        seen.insert(term, mask);
        mask
    }

    /// What an address is computed from.
    pub fn origin(&self, terms: &Terms, address: Term) -> Origin {
        match self.within(terms, address) {
            0 => Origin::Elsewhere,
            mask if mask.is_power_of_two() => Origin::Object(mask.trailing_zeros()),
            _ => Origin::Mixed,
        }
    }

    /// The slots among the objects of a mask.
    pub fn slots(&self, mask: u64) -> u64 {
        let is_slot = |number: &usize| mask >> number & 1 == 1 && self.all[*number].is_slot;
        (0..self.all.len())
            .filter(is_slot)
            .fold(0, |all, number| all | 1 << number)
    }
}

enum ObjectKind {
    Slot(u64),
    Symbol(SymbolId),
}

/// The slot before a pass that a slot after it is, if one is left.
fn partner(before: &Function, after: &Function, data: &SlotData, taken: &[usize]) -> Option<usize> {
    let same = before.slots().iter().position(|other| other == data);
    same.or_else(|| {
        let is_alike = |other: &SlotData| (other.size, other.align_log2) == (data.size, data.align_log2);
        let is_kept = |other: &SlotData| after.slots().contains(other);
        (0..before.slots().len()).find(|slot| {
            let other = &before.slots()[*slot];
            is_alike(other) && !is_kept(other) && !taken.contains(slot)
        })
    })
}

/// The slots whose addresses are used for more than accesses of their own, in order.
fn public_slots(function: &Function) -> Vec<usize> {
    let mut is_address: Vec<Option<usize>> = vec![None; function.values().len()];
    for (slot, data) in function.slots().iter().enumerate() {
        is_address[data.address.index()] = Some(slot);
    }
    let mut public = vec![false; function.slots().len()];
    for data in function.insts() {
        let mut slot = 0;
        let mut mark = |operand: frazil_ir::Operand, is_access: bool| {
            if let Some(found) = operand.as_value().and_then(|value| is_address[value.index()])
                && !is_access
            {
                public[found] = true;
            }
        };
        function.for_each_operand(data, |operand| {
            let is_access = match data.op {
                Opcode::Load => true,
                Opcode::Store => slot == 1,
                Opcode::MemCopy | Opcode::MemMove => slot < 2,
                Opcode::MemSet => slot == 0,
                // Followed below.
                Opcode::PtrAdd | Opcode::PtrIndex => slot == 0,
                _ => false,
            };
            mark(operand, is_access);
            slot += 1;
        });
        if matches!(data.op, Opcode::PtrAdd | Opcode::PtrIndex)
            && let (Some(result), Some(found)) = (
                data.first_result(),
                data.a.as_value().and_then(|value| is_address[value.index()]),
            )
        {
            is_address[result.index()] = Some(found);
        }
    }
    (0..public.len()).filter(|&slot| public[slot]).collect()
}

/// The symbols of data that a function names, aliases followed.
fn symbols(module: &Module, function: &Function) -> Vec<SymbolId> {
    let mut found = Vec::new();
    let mut add = |symbol: SymbolId| {
        if let Some((symbol, _)) = resolve_symbol(module, symbol) {
            found.push(symbol);
        }
    };
    for data in function.insts() {
        function.for_each_operand(data, |operand| {
            if !operand.is_none()
                && let Some(symbol) = operand.as_symbol()
            {
                add(symbol);
            }
        });
    }
    for index in 0..function.consts().len() {
        if let frazil_ir::ConstView::Symbol(symbol, _) = function.constant(frazil_ir::ConstId::new(index)).1 {
            add(symbol);
        }
    }
    found
}

/// The data that a symbol stands for, and how far from its start; `None` for what is no data.
pub fn resolve_symbol(module: &Module, symbol: SymbolId) -> Option<(SymbolId, i64)> {
    let (mut symbol, mut distance) = (symbol, 0i64);
    for _ in 0..8 {
        match module.symbols.get(symbol)?.kind {
            SymbolKind::Data(_) | SymbolKind::DataDeclaration => return Some((symbol, distance)),
            SymbolKind::Alias { target, offset, .. } => {
                symbol = target;
                distance = distance.wrapping_add(offset);
            }
            _ => return None,
        }
    }
    None
}

/// One step of a memory's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Start,
    /// A byte at an address, if the condition holds.
    Byte(MemoryId, Term, (Term, Origin), Lane),
    /// A byte at so many addresses.
    Fill(MemoryId, Term, Origin, Lane, Term),
    /// So many bytes of another place, as the memory before has them. Target, then source.
    Copy(MemoryId, (Term, Origin), (Term, Origin), Term),
    /// Others may have done anything, to these objects and elsewhere.
    Unknown(MemoryId, u32, u64),
}

/// All states of memory.
#[derive(Debug)]
pub struct Memories {
    steps: Vec<Step>,
    numbers: FxHashMap<Step, MemoryId>,
    pointer_bits: u32,
}

impl Memories {
    /// Only the memory at first.
    pub fn new(pointer_bits: u32) -> Memories {
        let mut memories = Memories {
            steps: Vec::new(),
            numbers: FxHashMap::default(),
            pointer_bits,
        };
        memories.intern(Step::Start);
        memories
    }

    /// The memory at first.
    pub fn start(&self) -> MemoryId {
        MemoryId(0)
    }

    fn intern(&mut self, step: Step) -> MemoryId {
        let next = MemoryId(self.steps.len() as u32);
        let id = *self.numbers.entry(step).or_insert(next);
        if id == next {
            self.steps.push(step);
        }
        id
    }

    /// Memory after a byte was written, which is only done if the condition holds.
    pub fn write(&mut self, memory: MemoryId, condition: Term, place: (Term, Origin), byte: Lane) -> MemoryId {
        self.intern(Step::Byte(memory, condition, place, byte))
    }

    /// Memory after `length` bytes were filled.
    pub fn fill(&mut self, memory: MemoryId, address: Term, origin: Origin, byte: Lane, length: Term) -> MemoryId {
        self.intern(Step::Fill(memory, address, origin, byte, length))
    }

    /// Memory after `length` bytes were copied.
    pub fn copy(&mut self, memory: MemoryId, to: (Term, Origin), from: (Term, Origin), length: Term) -> MemoryId {
        self.intern(Step::Copy(memory, to, from, length))
    }

    /// Memory after others had it, who know the addresses of these objects.
    pub fn unknown(&mut self, memory: MemoryId, event: u32, escaped: u64) -> MemoryId {
        self.intern(Step::Unknown(memory, event, escaped))
    }

    /// The byte at an address; `escaped` are the objects that addresses from elsewhere may lead to.
    pub fn read(
        &self,
        terms: &mut Terms,
        objects: &Objects,
        memory: MemoryId,
        (address, origin): (Term, Origin),
        escaped: u64,
    ) -> Lane {
        // What was written last counts: alternatives first, the answer from the end.
        let mut alternatives: Vec<(Term, Lane)> = Vec::new();
        let mut memory = memory;
        let last = loop {
            match self.steps[memory.0 as usize] {
                Step::Start => break self.initial(terms, objects, "memory", address, origin),
                Step::Byte(before, condition, (at, other), byte) => {
                    memory = before;
                    if are_apart(objects, origin, other, escaped) {
                        continue;
                    }
                    let same = terms.eq(address, at);
                    let same = terms.and(condition, same);
                    if terms.is_true(same) {
                        break byte;
                    }
                    if !terms.is_false(same) {
                        alternatives.push((same, byte));
                    }
                }
                Step::Fill(before, at, other, byte, length) => {
                    memory = before;
                    if !are_apart(objects, origin, other, escaped) {
                        let inside = within(terms, address, at, length);
                        alternatives.push((inside, byte));
                    }
                }
                Step::Copy(before, (to, to_origin), (from, from_origin), length) => {
                    memory = before;
                    if !are_apart(objects, origin, to_origin, escaped) {
                        let inside = within(terms, address, to, length);
                        let offset = terms.sub(address, to);
                        let source = terms.add(from, offset);
                        let byte = self.read(terms, objects, before, (source, from_origin), escaped);
                        alternatives.push((inside, byte));
                    }
                }
                Step::Unknown(before, event, known) => {
                    let is_hidden = matches!(origin, Origin::Object(number)
                        if objects.all[number as usize].is_slot && known >> number & 1 == 0);
                    if !is_hidden {
                        // What was hidden then may be where the address leads now.
                        let slots = objects.slots(!known);
                        let hidden = match origin {
                            Origin::Object(_) => 0,
                            Origin::Elsewhere => slots & escaped,
                            Origin::Mixed => slots,
                        };
                        for number in (0..objects.all.len() as u32).filter(|number| hidden >> number & 1 == 1) {
                            let object = &objects.all[number as usize];
                            let size = terms.constant(self.pointer_bits, u128::from(object.size.unwrap_or(0)));
                            let inside = within(terms, address, object.address, size);
                            let place = (address, Origin::Object(number));
                            alternatives.push((inside, self.read(terms, objects, before, place, escaped)));
                        }
                        break self.unknown_byte(terms, objects, &format!("memory{event}"), address, origin);
                    }
                    memory = before;
                }
            }
        };
        alternatives
            .into_iter()
            .rev()
            .fold(last, |rest, (condition, byte)| Lane::ite(terms, condition, byte, rest))
    }

    /// The bytes that two histories differ in, if they write to the same places in the same order, but for slots that
    /// are not among `escaped`. Where all these agree, so does memory.
    pub fn differences(
        &self,
        objects: &Objects,
        mut one: MemoryId,
        mut other: MemoryId,
        mut escaped: u64,
    ) -> Option<Vec<(Lane, Lane)>> {
        let mut pairs = Vec::new();
        let mut reaches_elsewhere = true;
        loop {
            one = self.without_hidden(objects, one, escaped, reaches_elsewhere);
            other = self.without_hidden(objects, other, escaped, reaches_elsewhere);
            if one == other {
                return Some(pairs);
            }
            match (self.steps[one.0 as usize], self.steps[other.0 as usize]) {
                (Step::Byte(before, condition, place, byte), Step::Byte(after, other_condition, other_place, last))
                    if (condition, place) == (other_condition, other_place) =>
                {
                    pairs.push((byte, last));
                    (one, other) = (before, after);
                }
                // What was there before is not known to be anything any more, elsewhere and in what was known then.
                (Step::Unknown(before, event, known), Step::Unknown(after, same, also))
                    if (event, known) == (same, also) =>
                {
                    escaped &= !known;
                    if escaped == 0 {
                        return Some(pairs);
                    }
                    reaches_elsewhere = false;
                    (one, other) = (before, after);
                }
                _ => return None,
            }
        }
    }

    /// The history without the last writes to slots that are not among `escaped`, and unless it `reaches_elsewhere`,
    /// without those to anything but slots.
    fn without_hidden(
        &self,
        objects: &Objects,
        mut memory: MemoryId,
        escaped: u64,
        reaches_elsewhere: bool,
    ) -> MemoryId {
        loop {
            let (before, origin) = match self.steps[memory.0 as usize] {
                Step::Byte(before, _, (_, origin), _)
                | Step::Fill(before, _, origin, ..)
                | Step::Copy(before, (_, origin), ..) => (before, origin),
                _ => return memory,
            };
            let is_elsewhere = match origin {
                Origin::Object(number) => !objects.all[number as usize].is_slot,
                Origin::Elsewhere => true,
                Origin::Mixed => false,
            };
            let is_left_out = is_elsewhere && !reaches_elsewhere;
            if !is_left_out && !are_apart(objects, Origin::Elsewhere, origin, escaped) {
                return memory;
            }
            memory = before;
        }
    }

    /// What memory holds that was not written: undef in a slot.
    fn initial(&self, terms: &mut Terms, objects: &Objects, name: &str, address: Term, origin: Origin) -> Lane {
        if let Origin::Object(number) = origin
            && objects.all[number as usize].is_slot
        {
            let bits = terms.fresh("undef", 8, Role::Undef);
            return Lane::defined(terms, bits);
        }
        self.unknown_byte(terms, objects, name, address, origin)
    }

    fn unknown_byte(&self, terms: &mut Terms, objects: &Objects, name: &str, address: Term, origin: Origin) -> Lane {
        let is_constant = matches!(origin, Origin::Object(number) if objects.all[number as usize].is_constant);
        // Constant data is what it is.
        let name = if is_constant { "constant" } else { name };
        debug_assert_eq!(terms.width(address), self.pointer_bits);
        let bits = terms.function(name, 8, &[address]);
        Lane::defined(terms, bits)
    }
}

/// Whether an address lies among `length` bytes from `start`.
fn within(terms: &mut Terms, address: Term, start: Term, length: Term) -> Term {
    let offset = terms.sub(address, start);
    terms.ult(offset, length)
}

/// Whether accesses of these origins never touch the same byte.
pub fn are_apart(objects: &Objects, one: Origin, other: Origin, escaped: u64) -> bool {
    match (one, other) {
        (Origin::Object(one), Origin::Object(other)) => one != other,
        (Origin::Object(number), Origin::Elsewhere) | (Origin::Elsewhere, Origin::Object(number)) => {
            objects.all[number as usize].is_slot && escaped >> number & 1 == 0
        }
        _ => false,
    }
}
