//! Where variables are in code of the fast path.
//!
//! Variables of unoptimized input are stack slots: they have one place in the frame, or a home register, for the whole
//! function. So have arguments that are passed in memory. Other addresses, those of arrays of variable length, are
//! values that move from instruction to instruction; they are looked for at the beginning of each, and have a place
//! where they are in their frame slots, which nothing else uses then, or in home registers. In other registers they are
//! not certain to be longer than an instruction. Values of variables that are not in memory are not followed: these
//! have no place.

use super::record::Record;
use super::{FastCtx, reg_of};
use crate::analyze::HomeOwner;
use crate::debug::{CodeDebug, Place, Shape, Spot, find_labels, fixed_spot, instead_of_memory};
use crate::isa::Isa;
use crate::reg::Reg;
use frazil_ir::debug::{DebugKind, DebugValue, LocationId};
use frazil_ir::{EntityRef, Opcode, ParamKind, Value, ValueKind};

/// How many variables are followed, since each is looked at for each instruction; the others have no place.
const MOST_FOLLOWED: usize = 64;

/// A variable in memory whose address is a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Followed {
    value: DebugValue,
    address: Value,
    /// Since which offset the address is where it is now.
    since: Option<(u32, Spot)>,
}

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Finds the variables whose addresses are to be followed.
    #[cold]
    pub(super) fn follow_variables(&mut self) {
        let function = self.base.function;
        CodeDebug::begin_labels(self.labels, function);
        for &value in &function.debug.values {
            if let (DebugKind::Declare, Some(address)) = (value.kind, value.operand.as_value())
                && matches!(function.value(address).kind, ValueKind::Inst | ValueKind::Param)
                && self.spot_of_variable(&value).is_none()
                && self.followed.len() < MOST_FOLLOWED
            {
                self.followed.push(Followed {
                    value,
                    address,
                    since: None,
                });
            }
        }
    }

    /// Looks where the followed addresses are now, and adds the places that are over.
    fn look_for_variables(&mut self, inst: usize) {
        let offset = self.base.buf.offset();
        for index in 0..self.followed.len() {
            let Followed { address, .. } = self.followed[index];
            let assign = self.st.assigns[address.index()];
            let is_stored = assign.frame < 0 && assign.parts.count == 1 && assign.stored & 1 != 0;
            let now = match self.st.home(address) {
                Some(home) => self.spot_in_home(address, home, inst),
                None => is_stored.then(|| Spot::Frame(self.cfa_offset(assign.frame))),
            };
            self.note_place(index, offset, now);
        }
    }

    /// The home register of a value, before the instruction with this number.
    fn spot_in_home(&self, value: Value, home: Reg, inst: usize) -> Option<Spot> {
        let owner = HomeOwner::Value(value);
        let known = self.st.analysis.homes.chosen.iter().find(|row| row.owner == owner)?;
        let (holds, begins) = known.holds_at(self.base.position);
        let data = self.base.function.value(value);
        let is_defined = !begins || data.kind == ValueKind::Param || (data.def as usize) < inst;
        let is_kept = self.base.preserved.contains(home);
        let number = self.base.isa.desc().dwarf_number(home)?;
        (holds && is_defined && is_kept).then_some(Spot::Register(number))
    }

    fn note_place(&mut self, index: usize, offset: u32, now: Option<Spot>) {
        let Followed { value, since, .. } = self.followed[index];
        if since.map(|(_, spot)| spot) == now {
            return;
        }
        if let Some((start, spot)) = since.filter(|(start, _)| *start < offset) {
            self.places.push(Place {
                value,
                part: None,
                range: Some((start, offset)),
                spot,
                shape: Shape::default(),
            });
        }
        self.followed[index].since = now.map(|spot| (offset, spot));
    }

    /// Says where the function's variables are.
    #[cold]
    pub(super) fn place_variables(&mut self) {
        let end = self.base.buf.offset();
        for index in 0..self.followed.len() {
            self.note_place(index, end, None);
        }
        let mut places = std::mem::take(self.places);
        self.place_slots_of_variables(&mut places);
        *self.places = places;
    }

    fn place_slots_of_variables(&self, places: &mut Vec<Place>) {
        for value in &self.base.function.debug.values {
            // Only declarations hold everywhere.
            if value.kind == DebugKind::Declare
                && let Some(spot) = self.spot_of_variable(value)
            {
                places.push(Place {
                    value: *value,
                    part: None,
                    range: None,
                    spot,
                    shape: Shape::default(),
                });
            }
        }
    }

    fn spot_of_variable(&self, value: &DebugValue) -> Option<Spot> {
        let Some(address) = value.operand.as_value() else {
            return fixed_spot(self.base.function, value)
                .filter(|fixed| fixed.1 == 0)
                .map(|fixed| fixed.0);
        };
        let function = self.base.function;
        let data = function.value(address);
        match data.kind {
            ValueKind::Slot => self.spot_of_slot(data.def as usize, address),
            ValueKind::Param => {
                let param = function.signature().params.get(data.def as usize)?;
                let offset = self.st.assigns[address.index()].frame;
                let is_there = matches!(param.kind, ParamKind::ByVal { .. }) && offset > 0;
                is_there.then(|| Spot::FrameAddress(self.cfa_offset(offset)))
            }
            _ => None,
        }
    }

    fn spot_of_slot(&self, slot: usize, address: Value) -> Option<Spot> {
        if let Some(home) = reg_of(self.st.slot_homes[slot]) {
            return instead_of_memory(self.base.isa.desc(), home);
        }
        if self.base.function.use_count(address) == 0 {
            return None;
        }
        let offset = self.cfa_offset(self.st.slots[slot]);
        Some(match self.st.slot_is_indirect[slot] {
            true => Spot::Frame(offset),
            false => Spot::FrameAddress(offset),
        })
    }

    /// An offset from the frame pointer as one from the canonical frame address.
    fn cfa_offset(&self, offset: i32) -> i32 {
        offset - self.base.isa.desc().incoming_args_offset
    }

    /// Notes the location of an instruction that is about to be lowered; at the beginning of a block, also that it has
    /// none.
    pub(super) fn mark_location(&mut self, index: usize, begins: bool) {
        self.look_for_variables(index);
        let function = self.base.function;
        if !self.labels.is_empty() {
            let block = self.st.analysis.layout.order[self.base.position as usize];
            let first = if begins {
                function.block_insts(block).start
            } else {
                index
            };
            find_labels(self.labels, (first, index), self.base.buf.offset());
        }
        let location = function.debug.location_of(index);
        self.base.buf.mark_inst(location, begins, false);
        if function.insts()[index].op == Opcode::Return {
            let all = self.returned_from.get_or_insert(location);
            if *all != location {
                *all = LocationId::NONE;
            }
        }
    }
}
