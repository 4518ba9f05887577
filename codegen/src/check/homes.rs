//! Homes: spill slots that are places of incoming arguments.
//!
//! A home holds what a register was reloaded with from that very place, as long as nothing writes there. So a
//! definition puts its name into each home that it reads, and a function has a home only where no instruction writes
//! or may write. What may is decided without regard to control flow: a store to a place that overlaps, and the address
//! of one, which may lead anywhere in memory that is passed by value, and, where tail calls copy such memory to places
//! of their own, anywhere at all. Moves and memory operands that write to a home are for the caller to refuse.

use crate::desc::{OpDesc, Role};
use crate::mfunc::{MFunc, incoming_place, op_desc};
use crate::minst::MInst;

/// Places of incoming arguments that are not as they were when the function was entered.
#[derive(Debug, Default)]
pub(super) struct WrittenPlaces {
    /// Displacements: the first one and one past the last.
    ranges: Vec<(i32, i32)>,
}

impl WrittenPlaces {
    /// Looks at all instructions of a function.
    pub fn find(&mut self, func: &MFunc, ops: &'static [OpDesc]) {
        self.ranges.clear();
        for inst in &func.insts {
            let desc = op_desc(ops, inst.op);
            let Some(place) = incoming_place(inst, desc) else {
                continue;
            };
            let is_access = desc.roles[1] == Role::Base && (desc.reads_memory || desc.writes_memory);
            if is_access && !desc.writes_memory {
                continue;
            }
            self.ranges.push(match is_access && inst.reg(2).is_none() {
                true => (place, place.saturating_add(written_bytes(inst, desc))),
                false if func.tail_calls.is_empty() => (place, place.saturating_add(1)),
                false => (i32::MIN, i32::MAX),
            });
        }
    }

    /// Whether some of so many bytes may be written.
    pub fn has_part_of(&self, place: i32, bytes: u8) -> bool {
        let end = place.saturating_add(bytes.into());
        self.ranges.iter().any(|range| range.0 < end && place < range.1)
    }
}

/// How many bytes an instruction writes to memory: as many as it writes of a register, or as its size says.
fn written_bytes(inst: &MInst, desc: &OpDesc) -> i32 {
    let bytes = match desc.roles[0] == Role::Use && inst.reg(0).is_register() {
        true => desc.operand_bytes(0, inst.size),
        false => inst.size,
    };
    i32::from(bytes.max(1))
}
