//! Where variables are in code of the fast path.
//!
//! Variables of unoptimized input are stack slots: they have one place in the frame, or a home register, for the whole
//! function. So have arguments that are passed in memory. Other addresses, those of arrays of variable length, are
//! values that move from instruction to instruction; they are looked for at the beginning of each, and have a place
//! where they are in their frame slots, which nothing else uses then, or in home registers.
//!
//! Variables of optimized input have values from some instruction on. Which ones these are at an instruction,
//! [`super::reaching`] tells; where a value is then, is looked at before each instruction: in its frame slot, its home
//! register, or for the moment in another register. Nothing tells when within an instruction such a register gets other
//! contents, so that it counts up to the beginning of the last instruction before which the value was there. A
//! parameter that is nowhere any more is what was in its register when the function was called, if calls are described.

use super::reaching::Reaching;
use super::record::Record;
use super::state::NO_REG;
use super::variables::{Followed, Now, Open};
use super::{FastCtx, reg_of};
use crate::abi::PartPlace;
use crate::analyze::HomeOwner;
use crate::debug::{CodeDebug, Place, Shape, Spot, find_labels, fixed_spot, instead_of_memory};
use crate::finish::calls::describes_calls;
use crate::isa::Isa;
use crate::reg::Reg;
use crate::unit::Unit;
use crate::variables::{MOST_SUMS, sum};
use frazil_ir::debug::{DebugKind, DebugValue, LocationId};
use frazil_ir::{EntityRef, Opcode, ParamKind, Value, ValueKind};

/// How many variables are followed, since each is looked at for each instruction; the others have no place.
const MOST_FOLLOWED: usize = 64;

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Finds the variables whose addresses or values are to be followed.
    #[cold]
    pub(super) fn follow_variables(&mut self) {
        let function = self.base.function;
        self.st.variables.clear();
        CodeDebug::begin_labels(self.labels, function);
        for &value in &function.debug.values {
            if let (DebugKind::Declare, Some(address)) = (value.kind, value.operand.as_value())
                && matches!(function.value(address).kind, ValueKind::Inst | ValueKind::Param)
                && self.spot_of_variable(&value).is_none()
                && self.st.variables.followed.len() < MOST_FOLLOWED
            {
                self.st.variables.followed.push(Followed {
                    value,
                    address,
                    since: None,
                });
            }
        }
        let nodes = self.base.view.module.debug.as_deref().map(|debug| &debug.nodes);
        let order = &self.st.analysis.layout.order;
        self.st.variables.reaching = Reaching::find(function, nodes, &self.st.parts, order);
        if self.st.variables.reaching.is_some() {
            let arguments = self.st.own_layout.args.iter().enumerate();
            let in_registers = arguments.filter_map(|(index, argument)| match argument.places[0] {
                PartPlace::Reg(reg) if argument.parts.count == 1 => {
                    Some((Value::new(index), self.base.isa.desc().dwarf_number(reg)?))
                }
                _ => None,
            });
            self.st.variables.on_entry = in_registers.collect();
            let unit = Unit {
                function,
                head: self.head,
                view: self.base.view,
            };
            self.st.variables.describes_calls = describes_calls(&unit);
        }
    }

    /// Looks where the followed addresses are now, and adds the places that are over.
    fn look_for_variables(&mut self, inst: usize) {
        let offset = self.base.buf.offset();
        for index in 0..self.st.variables.followed.len() {
            let Followed { address, .. } = self.st.variables.followed[index];
            let assign = self.st.assigns[address.index()];
            let is_stored = assign.frame < 0 && assign.parts.count == 1 && assign.stored & 1 != 0;
            let now = match self.st.home(address) {
                Some(home) => self.spot_in_home(address, home, inst),
                None => is_stored.then(|| Spot::Frame(self.cfa_offset(assign.frame))),
            };
            self.note_place(index, offset, now);
        }
    }

    /// Looks where the values are that variables have now, and adds the places that are over.
    fn look_for_values(&mut self, inst: usize, begins: bool) {
        let Some(mut reaching) = self.st.variables.reaching.take() else {
            return;
        };
        let function = self.base.function;
        let offset = self.base.buf.offset();
        if begins {
            let block = self.st.analysis.layout.order[self.base.position as usize];
            reaching.begin_block(function, self.base.position as usize, block);
        }
        reaching.advance(function, inst as u32);
        if begins && self.base.position == 0 && offset > 0 {
            self.place_arguments(&reaching, offset);
        }
        let before = std::mem::take(&mut self.st.variables.open);
        let mut before = before.into_iter().peekable();
        for &(variable, value) in &reaching.bound {
            while let Some(over) = before.next_if(|open| open.variable < variable) {
                self.close(over, offset);
            }
            let old = before.next_if(|open| open.variable == variable);
            let now = self.now(&function.debug.values[value as usize], inst);
            if let Some(old) = old
                && now == Some(old.now)
                && value == old.value
            {
                self.st.variables.open.push(Open { certain: offset, ..old });
                continue;
            }
            if let Some(old) = old {
                self.close(old, offset);
            }
            self.st.variables.open.extend(now.map(|now| Open {
                variable,
                value,
                start: offset,
                certain: offset,
                now,
            }));
        }
        before.for_each(|over| self.close(over, offset));
        self.st.variables.reaching = Some(reaching);
    }

    /// Says that arguments are in their registers before the first instruction, whatever puts them elsewhere.
    fn place_arguments(&mut self, reaching: &Reaching, offset: u32) {
        let function = self.base.function;
        for &(_, value) in &reaching.bound {
            let value = function.debug.values[value as usize];
            let Some(argument) = value.operand.as_value() else {
                continue;
            };
            let entry = self.st.variables.on_entry.iter().find(|row| row.0 == argument);
            self.places.extend(entry.map(|&(_, register)| Place {
                value,
                part: None,
                range: Some((0, offset)),
                spot: Spot::Register(register),
                shape: Shape {
                    added: 0,
                    bits: function.types().int_bits(function.value(argument).ty).unwrap_or(0) as u16,
                },
            }));
        }
    }

    /// Adds a place that is over, or is not certain any longer.
    fn close(&mut self, open: Open, offset: u32) {
        // Before the first byte of the last instruction is executed, everything is still there.
        let end = match open.now.is_passing {
            true => offset.min(open.certain + 1),
            false => offset,
        };
        if open.start < end {
            self.places.push(Place {
                value: self.base.function.debug.values[open.value as usize],
                part: None,
                range: Some((open.start, end)),
                spot: open.now.spot,
                shape: open.now.shape,
            });
        }
    }

    /// Where what a variable has is, before an instruction.
    fn now(&self, value: &DebugValue, inst: usize) -> Option<Now> {
        let function = self.base.function;
        let fixed = |spot, added, bits| Now {
            spot,
            shape: Shape { added, bits },
            is_passing: false,
        };
        let Some(mut operand) = value.operand.as_value() else {
            return fixed_spot(function, value).map(|(spot, added)| fixed(spot, added, 0));
        };
        let mut added = 0_i64;
        for _ in 0..MOST_SUMS {
            let data = function.value(operand);
            let bits = function.types().int_bits(data.ty).unwrap_or(0) as u16;
            if data.kind == ValueKind::Slot {
                let spot = self.spot_of_slot(data.def as usize, operand)?;
                let is_address = !matches!(spot, Spot::InsteadOfMemory(_));
                return is_address.then(|| fixed(spot, added, 0));
            }
            if let Some((spot, is_passing)) = self.spot_of_value(operand, inst) {
                let shape = Shape { added, bits };
                return Some(Now {
                    spot,
                    shape,
                    is_passing,
                });
            }
            let variables = &self.st.variables;
            let mut on_entry = variables.on_entry.iter().filter(|_| variables.describes_calls);
            let entry = on_entry.find(|row| row.0 == operand);
            if let Some(&(_, register)) = entry {
                return Some(fixed(Spot::Entry(register), added, bits));
            }
            let (base, constant) = sum(function, operand)?;
            (operand, added) = (base, added.wrapping_add(constant));
        }
        None
    }

    /// Where a value is before an instruction, and whether that is a register that the instruction may overwrite.
    fn spot_of_value(&self, value: Value, inst: usize) -> Option<(Spot, bool)> {
        if self.is_replaced(value, inst) {
            return None;
        }
        if let Some(home) = self.st.home(value) {
            return Some((self.spot_in_home(value, home, inst)?, false));
        }
        let assign = &self.st.assigns[value.index()];
        let all = (1_u32 << assign.parts.count) - 1;
        let is_stored = assign.frame != 0 && u32::from(assign.stored) & all == all && all != 0;
        if is_stored && (assign.parts.count == 1 || !assign.parts.float) {
            return Some((Spot::Frame(self.cfa_offset(assign.frame)), false));
        }
        let reg = reg_of(assign.regs[0]).filter(|_| assign.parts.count == 1 && assign.regs[0] != NO_REG)?;
        let is_there = self.st.regs.owner[reg.index()].as_part() == Some((value, 0));
        let number = self.base.isa.desc().dwarf_number(reg)?;
        is_there.then_some((Spot::Register(number), true))
    }

    /// Whether an instruction ends its block and gives a phi its next value.
    fn is_replaced(&self, value: Value, inst: usize) -> bool {
        let function = self.base.function;
        let data = function.value(value);
        let is_phi = |def: u32| function.insts()[def as usize].op == Opcode::Phi;
        if data.kind != ValueKind::Inst || !is_phi(data.def) || !function.insts()[inst].op.is_terminator() {
            return false;
        }
        let block = self.st.analysis.layout.order[self.base.position as usize];
        let mut edges = function.cfg().successors(block).iter();
        edges.any(|edge| function.block_insts(edge.target).contains(&(data.def as usize)))
    }

    /// Ends the places that the epilogue, which comes next, does away with.
    #[cold]
    pub(super) fn close_values(&mut self) {
        let offset = self.base.buf.offset();
        let is_register = |open: &Open| matches!(open.now.spot, Spot::Register(_));
        let open = std::mem::take(&mut self.st.variables.open);
        let (over, rest) = open.into_iter().partition(is_register);
        self.st.variables.open = rest;
        let over: Vec<Open> = over;
        for open in over {
            self.close(open, offset + 1);
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
        let Followed { value, since, .. } = self.st.variables.followed[index];
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
        self.st.variables.followed[index].since = now.map(|spot| (offset, spot));
    }

    /// Says where the function's variables are.
    #[cold]
    pub(super) fn place_variables(&mut self) {
        let end = self.base.buf.offset();
        for index in 0..self.st.variables.followed.len() {
            self.note_place(index, end, None);
        }
        for open in std::mem::take(&mut self.st.variables.open) {
            self.close(open, end);
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
        if self.st.variables.reaching.is_some() {
            self.look_for_values(index, begins);
        }
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
