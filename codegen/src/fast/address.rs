//! Addresses: places (slots, symbols and constant distances from them) and folded address arithmetic.

use super::state::{NO_REG, Owner};
use super::{FastCtx, reg_of};
use crate::analyze::Mark;
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::minst::Mem;
use crate::reg::{Reg, RegClass};
use frazil_ir::{ConstView, EntityRef, Opcode, Operand, OperandKind, SymbolId, Value, ValueKind};

/// What a place is a constant distance from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceBase {
    /// The frame pointer plus this offset.
    Frame(i32),
    /// The address that this frame slot holds.
    Indirect(i32),
    /// A symbol.
    Symbol(SymbolId),
}

impl<I: Isa> FastCtx<'_, I> {
    /// Gives every stack slot its place in the frame. The address of an over-aligned slot is computed at the entry
    /// and kept in a frame slot.
    pub(super) fn place_slots(&mut self) {
        let align_max = u64::from(self.conv.stack_align);
        self.st.slots.clear();
        self.st.slot_is_indirect.clear();
        for slot in &self.function.slots {
            let has_home = self.st.slot_homes[self.st.slots.len()] != NO_REG;
            if has_home || self.function.uses[slot.address.index()] == 0 {
                self.st.slots.push(0);
                self.st.slot_is_indirect.push(false);
                continue;
            }
            let align = 1u64 << slot.align_log2.min(32);
            let is_indirect = align > align_max;
            let offset = if is_indirect {
                self.st.frame.allocate(slot.size.saturating_add(align), align_max)
            } else {
                self.st.frame.allocate(slot.size.max(1), align)
            };
            self.st.slots.push(offset);
            self.st.slot_is_indirect.push(is_indirect);
        }
    }

    /// The home register of the slot whose address an operand is.
    #[inline]
    pub(super) fn slot_home(&self, pointer: Operand) -> Option<Reg> {
        let slot = self.function.slot_of(pointer.as_value()?)?;
        reg_of(self.st.slot_homes[slot.index()])
    }

    /// Computes the addresses of over-aligned slots; part of the entry code.
    pub(super) fn align_slots(&mut self) {
        for index in 0..self.st.slots.len() {
            if !self.st.slot_is_indirect[index] {
                continue;
            }
            let area = self.st.slots[index];
            let scratch = self.scratch(false);
            let align_log2 = self.function.slots[index].align_log2;
            let isa = self.isa;
            // The area has `align` bytes to spare; rounding its upper part down stays inside.
            let start = self.frame_mem(area);
            let start = start.offset(1 << align_log2.min(29)).unwrap_or(start);
            isa.address(self, scratch, start);
            isa.align_down(self, scratch, align_log2);
            let bytes = self.isa.desc().pointer_bytes;
            let holder = self.st.frame.allocate_slot(u32::from(bytes));
            let mem = self.frame_mem(holder);
            self.put(self.isa.spill(RegClass::Int, bytes, scratch, mem));
            self.st.slots[index] = holder;
        }
    }

    /// The place behind an operand that is one, with its distance.
    pub(super) fn place(&self, operand: Operand) -> Option<(PlaceBase, i64)> {
        let mut distance = 0i64;
        let mut operand = operand;
        loop {
            match operand.kind() {
                OperandKind::Symbol(symbol) => return Some((PlaceBase::Symbol(symbol), distance)),
                OperandKind::Const(id) => match self.function.constant(id).1 {
                    ConstView::Symbol(symbol, addend) => {
                        return Some((PlaceBase::Symbol(symbol), distance.wrapping_add(addend)));
                    }
                    _ => return None,
                },
                OperandKind::Imm(_) => return None,
                OperandKind::Value(value) => {
                    if let Some(slot) = self.function.slot_of(value) {
                        let offset = self.st.slots[slot.index()];
                        let indirect = self.st.slot_is_indirect[slot.index()];
                        let base = if indirect {
                            PlaceBase::Indirect(offset)
                        } else {
                            PlaceBase::Frame(offset)
                        };
                        return Some((base, distance));
                    }
                    if self.st.analysis.marks[value.index()] != Mark::Place {
                        return None;
                    }
                    if self.function.value(value).kind == ValueKind::Param {
                        return Some((PlaceBase::Frame(self.st.assigns[value.index()].frame), distance));
                    }
                    let data = self.function.inst(self.function.def_inst(value)?);
                    distance += data.b.as_imm().unwrap_or(0);
                    operand = data.a;
                }
            }
        }
    }

    /// Whether the value is marked as a place or is a slot.
    #[inline]
    pub(super) fn is_place_value(&self, value: Value) -> bool {
        self.function.value(value).kind == ValueKind::Slot || self.st.analysis.marks[value.index()] == Mark::Place
    }

    /// Puts the address of a place into a register, touching no other.
    pub(super) fn place_to_reg(&mut self, dst: Reg, base: PlaceBase, distance: i64) -> Result<(), CodegenError> {
        let isa = self.isa;
        match base {
            PlaceBase::Symbol(symbol) => return isa.symbol_addr(self, dst, symbol, distance),
            PlaceBase::Frame(offset) => {
                let mem = self.frame_mem(offset.wrapping_add(distance as i32));
                isa.address(self, dst, mem);
            }
            PlaceBase::Indirect(offset) => {
                let mem = self.frame_mem(offset);
                self.put(isa.reload(RegClass::Int, isa.desc().pointer_bytes, dst, mem));
                if distance != 0 {
                    isa.address(self, dst, Mem::base(dst, distance as i32));
                }
            }
        }
        Ok(())
    }

    /// See [`crate::lower_ctx::LowerCtx::use_addr`].
    pub(super) fn address_of(&mut self, pointer: Operand, span_bytes: u32) -> Mem {
        let (base, mut distance, index) = self.strip_folded(pointer);
        let index_reg = |cx: &mut Self| index.map(|(operand, _)| cx.operand_reg(operand, 0));
        let scale_log2 = index.map_or(0, |(_, scale_log2)| scale_log2);
        let (base_reg, index_reg) = match self.place(base) {
            Some((place, offset)) => {
                distance += offset;
                if index.is_none()
                    && let PlaceBase::Symbol(symbol) = place
                    && let Some(mem) = self.isa.symbol_mem(self.view, symbol, distance)
                {
                    return mem;
                }
                let reg = match place {
                    PlaceBase::Frame(offset) => {
                        distance += i64::from(offset);
                        self.st.frame.needed = true;
                        self.isa.desc().frame_pointer
                    }
                    _ => {
                        let temp = self.allocate(RegClass::Int, Owner::TEMP);
                        self.note_error(|cx| cx.place_to_reg(temp, place, 0));
                        temp
                    }
                };
                (reg, index_reg(self))
            }
            None => {
                let reg = self.operand_reg(base, 0);
                (reg, index_reg(self))
            }
        };
        let index = index_reg.unwrap_or(Reg::NONE);
        self.fit_address(base_reg, index, scale_log2, distance, span_bytes)
    }

    /// Walks through folded address arithmetic: what remains, its distance, and the index with its scale.
    fn strip_folded(&self, pointer: Operand) -> (Operand, i64, Option<(Operand, u8)>) {
        let (mut pointer, mut distance, mut index) = (pointer, 0i64, None);
        while let Some(value) = pointer.as_value()
            && self.st.analysis.marks[value.index()] == Mark::Folded
            && let Some(inst) = self.function.def_inst(value)
        {
            let data = self.function.inst(inst);
            match (data.op, data.b.as_imm()) {
                (Opcode::PtrAdd, Some(bytes)) => distance += bytes,
                (Opcode::PtrAdd, None) => index = Some((data.b, 0)),
                (Opcode::PtrIndex, _) => index = Some((data.b, data.flags.trailing_zeros() as u8)),
                _ => break,
            }
            pointer = data.a;
        }
        (pointer, distance, index)
    }

    /// A memory operand within the target's displacement range; the address is computed first where it is not.
    fn fit_address(&mut self, base: Reg, index: Reg, scale_log2: u8, distance: i64, span_bytes: u32) -> Mem {
        let addressing = self.isa.desc().addressing;
        let (low, high) = (i64::from(addressing.min_disp), i64::from(addressing.max_disp));
        if low <= distance && distance + i64::from(span_bytes) <= high {
            return Mem {
                base,
                index,
                scale_log2,
                disp: distance as i32,
            };
        }
        let temp = self.allocate(RegClass::Int, Owner::TEMP);
        let isa = self.isa;
        isa.int_constant(self, temp, isa.desc().pointer_bytes, distance);
        isa.add_pointer(self, temp, base);
        Mem {
            base: temp,
            index,
            scale_log2,
            disp: 0,
        }
    }
}
