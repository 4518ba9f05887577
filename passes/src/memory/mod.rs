//! What several passes know about memory: slots that are variables, where variables need phis, which accesses may touch
//! the same bytes, which values lie where.

pub mod alias;
pub mod convert;
pub mod dom_order;
pub mod facts;
pub mod parts;
pub mod phis;
pub mod private;
pub mod slots;

use frazil_ir::{CallFlags, EntityRef, Function, Opcode, SlotId, ValueKind};

/// Whether a function calls something that returns twice, as `setjmp` does, or does so itself. What memory held at the
/// first return it need not hold at the second.
pub fn calls_something_returning_twice(function: &Function) -> bool {
    let returns_twice = CallFlags::RETURNS_TWICE.bits();
    let mut insts = function.insts.iter();
    insts.any(|data| match data.op {
        Opcode::Call | Opcode::Invoke => data.flags & returns_twice != 0,
        op => op == Opcode::SjljSetjmp,
    })
}

/// Takes the slots out of a function whose addresses nothing uses. Returns how many these are. The numbers of slots
/// change; those of their addresses remain. May be called between the begin and the commit of edits.
pub fn remove_unused_slots(function: &mut Function) -> usize {
    let before = function.slots.len();
    let mut kept = 0;
    let mut slots = std::mem::take(&mut function.slots);
    slots.retain(|slot| {
        let is_used = function.use_count(slot.address) > 0;
        let address = &mut function.values[slot.address.index()];
        if is_used {
            address.def = SlotId::new(kept).as_u32();
            kept += 1;
        } else {
            (address.kind, address.def) = (ValueKind::Forward, u32::MAX);
        }
        is_used
    });
    function.slots = slots;
    before - kept
}
