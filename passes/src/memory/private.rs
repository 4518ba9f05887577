//! Private slots: stack slots whose addresses, and pointers made of them, go nowhere but into accesses.
//!
//! Nothing else can reach them: no call, no other pointer. A slot is not private if such a pointer is stored, passed,
//! returned, compared, merged with others, or used for a volatile or atomic access. Blocks that the entry does not
//! reach are not examined. In a function that something returns to twice no slot is private: what a load finds is not
//! what the stores before it, in the order of the code, have left.

use frazil_ir::domtree::DomTree;
use frazil_ir::{CallFlags, EntityRef, Function, InstData, MemFlags, Opcode, Operand, SlotId};

/// What no slot's address was made of.
const NONE: u32 = u32::MAX;

/// The private slots of a function.
#[derive(Debug, Default)]
pub struct PrivateSlots {
    is_private: Vec<bool>,
    /// The slot whose address each value is made of.
    slots: Vec<u32>,
    returns_twice: bool,
}

impl PrivateSlots {
    /// Finds them.
    pub fn compute(&mut self, function: &Function, tree: &DomTree) {
        self.is_private.clear();
        self.is_private.resize(function.slots().len(), true);
        self.slots.clear();
        self.returns_twice = false;
        if function.slots().is_empty() {
            return;
        }
        self.slots.resize(function.values().len(), NONE);
        for (number, slot) in function.slots().iter().enumerate() {
            self.slots[slot.address.index()] = number as u32;
        }
        for block in tree.reverse_postorder() {
            for position in function.block_insts(block) {
                self.inst(function, &function.insts()[position]);
            }
        }
        // What leads back to a phi may be made of an address after it.
        for block in tree.reverse_postorder() {
            let insts = &function.insts()[function.block_insts(block)];
            for phi in insts.iter().take_while(|data| data.op == Opcode::Phi) {
                function.for_each_operand(phi, |operand| self.publish(operand));
            }
        }
        if self.returns_twice {
            self.is_private.fill(false);
        }
    }

    /// Whether nothing but accesses by its address reaches a slot.
    #[inline]
    pub fn contains(&self, slot: SlotId) -> bool {
        self.is_private[slot.index()]
    }

    /// The slot that a pointer points into, if it was made of a slot's address by address arithmetic alone.
    #[inline]
    pub fn slot_of(&self, operand: Operand) -> Option<SlotId> {
        let slot = *self.slots.get(operand.as_value()?.index())?;
        (slot != NONE).then(|| SlotId::new(slot as usize))
    }

    fn inst(&mut self, function: &Function, data: &InstData) {
        use Opcode as O;
        let is_volatile = || MemFlags(data.flags).is_volatile();
        match data.op {
            O::PtrAdd | O::PtrIndex => {
                if let (Some(slot), Some(result)) = (self.slot_of(data.a), data.first_result()) {
                    self.slots[result.index()] = slot.as_u32();
                }
            }
            O::Phi => {}
            O::Load | O::MemSet | O::MemCopy | O::MemMove if !is_volatile() => {}
            O::Store if !is_volatile() => self.publish(data.a),
            O::SjljSetjmp => self.returns_twice = true,
            O::Call if data.flags & CallFlags::RETURNS_TWICE.bits() != 0 => self.returns_twice = true,
            _ => function.for_each_operand(data, |operand| self.publish(operand)),
        }
    }

    fn publish(&mut self, operand: Operand) {
        if let Some(slot) = self.slot_of(operand) {
            self.is_private[slot.index()] = false;
        }
    }
}
