//! Slots whose bytes are accessed at constant distances only, and the parts that they fall into.
//!
//! Method: one walk over the address arithmetic, accesses, copies and fills, which follows pointers made of a slot's
//! address and a constant. A slot qualifies if its address and these pointers are used in no other way, that is, as
//! often as the walk has seen them. Loads and stores that overlap make one part; what lies between the parts, and only
//! copies and fills touch, is a part of its own. Blocks that the entry does not reach do not count, so that a slot that
//! they use does not qualify.

use super::convert::{are_convertible, is_copied_as};
use frazil_ir::domtree::DomTree;
use frazil_ir::{EntityRef, Function, Inst, InstData, MemFlags, Opcode, Operand, Type, Value};
use frazil_support::EpochMap;

/// Larger slots are left whole.
const MOST_BYTES: u64 = 512;
/// Slots of more parts are left whole.
const MOST_PARTS: usize = 16;

/// A pointer made of a slot's address.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pointer {
    pub slot: u32,
    /// Bytes from its start.
    pub offset: i32,
    /// How many of its uses are known.
    uses: u32,
}

/// Bytes of a slot that an instruction touches.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub slot: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    pub inst: Inst,
    /// How it touches them.
    pub kind: AccessKind,
}

/// How an instruction touches bytes of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Loads a value of this type.
    Load(Type),
    /// Stores a value of this type.
    Store(Type),
    CopyFrom,
    CopyTo,
    /// Fills them with a constant.
    Fill,
    /// Fills them with a value.
    FillVariable,
}

/// A part of a slot.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The type as which it is copied; `VOID` if as bytes.
    pub ty: Type,
    /// Whether anything reads it.
    pub is_read: bool,
    /// The address of the slot that it becomes.
    pub address: Option<Value>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SlotState {
    is_unfit: bool,
    /// Whether distances are added to its address, or it is copied or filled.
    is_divided: bool,
    /// Its parts, if it is to be split.
    parts: (u32, u32),
}

/// The slots of a function that fall into parts.
#[derive(Debug, Default)]
pub struct SlotParts {
    slots: Vec<SlotState>,
    pointers: EpochMap<Pointer>,
    /// Values that are pointers into slots.
    pub values: Vec<Value>,
    /// Accesses, by slot and start.
    pub accesses: Vec<Access>,
    /// Copies and fills that touch slots.
    pub bulk: Vec<Inst>,
    parts: Vec<Part>,
}

impl SlotParts {
    /// Finds the slots and their parts. Returns whether there is any that should be split.
    pub fn compute(&mut self, f: &Function, tree: &DomTree, pointer_bits: u32) -> bool {
        self.clear(f);
        if !self.find_divided(f) {
            return false;
        }
        for block in tree.reverse_postorder() {
            for position in f.block_insts(block) {
                self.inst(f, Inst::new(position), &f.insts()[position], pointer_bits);
            }
        }
        for &value in &self.values {
            if let Some(pointer) = self.pointers.get(value.index()) {
                self.slots[pointer.slot as usize].is_unfit |= pointer.uses != f.use_count(value);
            }
        }
        let is_candidate = |state: &SlotState| state.is_divided && !state.is_unfit;
        if !self.slots.iter().any(is_candidate) {
            return false;
        }
        let slots = &self.slots;
        self.accesses
            .retain(|access| is_candidate(&slots[access.slot as usize]));
        self.accesses
            .sort_by_key(|access| (access.slot, access.start, access.end, access.inst));
        let accesses = std::mem::take(&mut self.accesses);
        let mut any = false;
        for of_slot in accesses.chunk_by(|one, other| one.slot == other.slot) {
            any |= self.divide(f, of_slot, pointer_bits);
        }
        self.accesses = accesses;
        any
    }

    /// What a pointer points to, if that is a slot that should be split.
    pub fn split_pointer(&self, operand: Operand) -> Option<Pointer> {
        let pointer = self.pointers.get(operand.as_value()?.index())?;
        let (start, end) = self.slots[pointer.slot as usize].parts;
        (start < end).then_some(pointer)
    }

    /// The parts of a slot, in order; none if it should not be split.
    pub fn parts_mut(&mut self, slot: usize) -> &mut [Part] {
        let (start, end) = self.slots[slot].parts;
        &mut self.parts[start as usize..end as usize]
    }

    /// The part that a byte of a slot lies in.
    pub fn part_at(&self, slot: u32, byte: u32) -> Part {
        let (start, end) = self.slots[slot as usize].parts;
        let parts = &self.parts[start as usize..end as usize];
        parts[parts.partition_point(|part| part.end <= byte)]
    }

    fn clear(&mut self, f: &Function) {
        self.slots.clear();
        self.slots.resize(f.slots().len(), SlotState::default());
        self.pointers.reset(f.values().len());
        self.values.clear();
        self.accesses.clear();
        self.bulk.clear();
        self.parts.clear();
    }

    /// Finds the slots that distances are added to, or that are copied or filled: most functions have none.
    fn find_divided(&mut self, f: &Function) -> bool {
        let mut any = false;
        let mut mark = |operand: Operand| {
            let Some(slot) = operand.as_value().and_then(|value| f.slot_of(value)) else {
                return;
            };
            let size = f.slots()[slot.index()].size;
            if size > 0 && size <= MOST_BYTES {
                self.slots[slot.index()].is_divided = true;
                any = true;
            }
        };
        for data in f.insts() {
            match data.op {
                Opcode::PtrAdd | Opcode::MemSet => mark(data.a),
                Opcode::MemCopy | Opcode::MemMove => {
                    mark(data.a);
                    mark(f.ternary(data).0);
                }
                _ => {}
            }
        }
        for number in 0..self.slots.len() {
            if self.slots[number].is_divided {
                self.add_pointer(f.slots()[number].address, number as u32, 0);
            }
        }
        any
    }

    fn add_pointer(&mut self, value: Value, slot: u32, offset: i32) {
        let pointer = Pointer { slot, offset, uses: 0 };
        self.pointers.set(value.index(), pointer);
        self.values.push(value);
    }

    fn inst(&mut self, f: &Function, inst: Inst, data: &InstData, pointer_bits: u32) {
        use Opcode as O;
        match data.op {
            O::PtrAdd => {
                let Some(pointer) = self.use_pointer(data.a) else {
                    return;
                };
                let distance = data.b.as_imm().and_then(|distance| i32::try_from(distance).ok());
                match distance.and_then(|distance| pointer.offset.checked_add(distance)) {
                    Some(offset) => {
                        let result = data.first_result().expect("an address is a value");
                        self.add_pointer(result, pointer.slot, offset);
                    }
                    None => self.slots[pointer.slot as usize].is_unfit = true,
                }
            }
            O::Load | O::Store | O::MemCopy | O::MemMove | O::MemSet if MemFlags(data.flags).is_volatile() => {}
            O::Load => {
                let bytes = f.types().store_bytes(data.ty, pointer_bits);
                self.access(f, inst, data.a, bytes, AccessKind::Load(data.ty));
            }
            O::Store => {
                let bytes = f.types().store_bytes(data.ty, pointer_bits);
                self.access(f, inst, data.b, bytes, AccessKind::Store(data.ty));
            }
            O::MemCopy | O::MemMove | O::MemSet => self.bulk(f, inst, data),
            _ => {}
        }
    }

    fn use_pointer(&mut self, operand: Operand) -> Option<Pointer> {
        let index = operand.as_value()?.index();
        let mut pointer = self.pointers.get(index)?;
        pointer.uses += 1;
        self.pointers.set(index, pointer);
        Some(pointer)
    }

    fn access(&mut self, f: &Function, inst: Inst, operand: Operand, bytes: u64, kind: AccessKind) {
        let Some(pointer) = self.use_pointer(operand) else {
            return;
        };
        let size = f.slots()[pointer.slot as usize].size;
        let state = &mut self.slots[pointer.slot as usize];
        let start = u32::try_from(pointer.offset).ok();
        let end = start
            .map(|start| u64::from(start).saturating_add(bytes))
            .filter(|&end| end <= size);
        let (Some(start), Some(end), false) = (start, end, state.is_unfit) else {
            state.is_unfit = true;
            return;
        };
        self.accesses.push(Access {
            slot: pointer.slot,
            start,
            end: end as u32,
            inst,
            kind,
        });
    }

    fn bulk(&mut self, f: &Function, inst: Inst, data: &InstData) {
        let (second, length) = f.ternary(data);
        let Some(bytes) = length.as_imm().and_then(|length| u64::try_from(length).ok()) else {
            return;
        };
        let before = self.accesses.len();
        let kind = match data.op {
            Opcode::MemSet if second.as_imm().is_some() => AccessKind::Fill,
            Opcode::MemSet => AccessKind::FillVariable,
            _ => AccessKind::CopyTo,
        };
        self.access(f, inst, data.a, bytes, kind);
        if data.op != Opcode::MemSet {
            self.access(f, inst, second, bytes, AccessKind::CopyFrom);
            // Moves within a slot may overlap, which copies by parts must not.
            if let (Some(to), Some(from)) = (self.pointer(data.a), self.pointer(second))
                && to.slot == from.slot
            {
                self.slots[to.slot as usize].is_unfit = true;
            }
        }
        if self.accesses.len() > before {
            self.bulk.push(inst);
        }
    }

    fn pointer(&self, operand: Operand) -> Option<Pointer> {
        self.pointers.get(operand.as_value()?.index())
    }

    /// Divides a slot, whose accesses these are, by their start. Returns whether it should be split.
    fn divide(&mut self, f: &Function, accesses: &[Access], pointer_bits: u32) -> bool {
        let slot = accesses[0].slot as usize;
        let first = self.parts.len();
        for access in accesses {
            if let AccessKind::Load(ty) | AccessKind::Store(ty) = access.kind {
                self.add_access(f, first, access, ty, pointer_bits);
            }
        }
        let has_values = self.parts.len() > first;
        self.add_gaps(first, f.slots()[slot].size as u32);
        self.note_bulk(&mut accesses.iter().copied(), first);
        let is_good = has_values && self.parts.len() - first <= MOST_PARTS;
        if is_good {
            self.slots[slot].parts = (first as u32, self.parts.len() as u32);
        } else {
            self.parts.truncate(first);
        }
        is_good
    }

    fn add_access(&mut self, f: &Function, first: usize, access: &Access, ty: Type, pointer_bits: u32) {
        let is_read = matches!(access.kind, AccessKind::Load(_));
        let copied = if is_copied_as(f.types(), ty, pointer_bits) {
            ty
        } else {
            Type::VOID
        };
        if let [.., last] = &mut self.parts[first..]
            && access.start < last.end
        {
            let is_same = (access.start, access.end) == (last.start, last.end);
            if !is_same || copied == Type::VOID || !are_convertible(f.types(), last.ty, copied, pointer_bits) {
                last.ty = Type::VOID;
            }
            last.end = last.end.max(access.end);
            last.is_read |= is_read;
            return;
        }
        self.parts.push(Part {
            start: access.start,
            end: access.end,
            ty: copied,
            is_read,
            address: None,
        });
    }

    /// Makes parts of what lies between the parts.
    fn add_gaps(&mut self, first: usize, size: u32) {
        let mut end = 0;
        for index in first..self.parts.len() {
            let next = self.parts[index];
            self.add_gap(end, next.start);
            end = next.end;
        }
        self.add_gap(end, size);
        self.parts[first..].sort_by_key(|part| part.start);
    }

    fn add_gap(&mut self, start: u32, end: u32) {
        let ty = match end.saturating_sub(start) {
            0 => return,
            1 => Type::I8,
            2 => Type::I16,
            4 => Type::I32,
            8 => Type::I64,
            _ => Type::VOID,
        };
        self.parts.push(Part {
            start,
            end,
            ty,
            is_read: false,
            address: None,
        });
    }

    /// Notes which parts are read by copies, and cannot be filled as values.
    fn note_bulk(&mut self, accesses: &mut dyn Iterator<Item = Access>, first: usize) {
        for access in accesses {
            let parts = self.parts[first..].iter_mut();
            for part in parts.filter(|part| part.start < access.end && access.start < part.end) {
                match access.kind {
                    AccessKind::CopyFrom => part.is_read = true,
                    AccessKind::FillVariable if part.end - part.start > 1 => part.ty = Type::VOID,
                    _ => {}
                }
            }
        }
    }
}
