//! Addresses: places (slots, symbols and constant distances from them) and folded address arithmetic.

use super::Context;
use crate::analyze::Mark;
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::minst::Mem;
use crate::reg::{Reg, RegClass};
use frazil_ir::{ConstView, Opcode, Operand, OperandKind, SymbolId, Value, ValueKind};

/// Distances that are not free for an access are split at multiples of this, of which one instruction adds many.
const PAGE_BYTES: i64 = 4096;

/// What a place is a constant distance from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaceBase {
    /// The frame pointer plus this offset.
    Frame(i32),
    /// The address that this frame slot holds.
    Indirect(i32),
    Symbol(SymbolId),
    /// A register that is not written again in its block.
    Register(Reg),
}

/// The address part of [`Context`].
pub(crate) trait Addressing<'a>: Context<'a> {
    /// The place that an operand names, if it is one, with its distance.
    fn place(&self, operand: Operand) -> Option<(PlaceBase, i64)> {
        let function = self.function();
        let mut distance = 0i64;
        let mut operand = operand;
        loop {
            match operand.kind() {
                OperandKind::Symbol(symbol) => return Some((PlaceBase::Symbol(symbol), distance)),
                OperandKind::Const(id) => match function.constant(id).1 {
                    ConstView::Symbol(symbol, addend) => {
                        return Some((PlaceBase::Symbol(symbol), distance.wrapping_add(addend)));
                    }
                    _ => return None,
                },
                OperandKind::Imm(_) => return None,
                OperandKind::Value(value) => {
                    if let Some(base) = self.place_of_value(value) {
                        return Some((base, distance));
                    }
                    if self.mark(value) != Mark::Place {
                        return None;
                    }
                    let data = function.inst(function.def_inst(value)?);
                    distance += data.b.as_imm().unwrap_or(0);
                    operand = data.a;
                }
            }
        }
    }

    /// The place that a slot's address or a memory argument is.
    #[inline]
    fn place_of_value(&self, value: Value) -> Option<PlaceBase> {
        let function = self.function();
        if let Some(slot) = function.slot_of(value) {
            let (offset, is_indirect) = self.slot_place(slot);
            return Some(if is_indirect {
                PlaceBase::Indirect(offset)
            } else {
                PlaceBase::Frame(offset)
            });
        }
        let is_memory_argument = self.mark(value) == Mark::Place && function.value(value).kind == ValueKind::Param;
        is_memory_argument.then(|| PlaceBase::Frame(self.by_value_place(value)))
    }

    /// Puts the address of a place into a register, touching no other.
    fn place_to_reg(&mut self, dst: Reg, base: PlaceBase, distance: i64) -> Result<(), CodegenError> {
        let isa = self.isa();
        match base {
            PlaceBase::Symbol(symbol) => return isa.symbol_addr(self, dst, symbol, distance),
            PlaceBase::Register(base) => isa.address(self, dst, Mem::base(base, distance as i32)),
            PlaceBase::Frame(offset) => {
                let mem = self.frame_mem(offset.wrapping_add(distance as i32));
                isa.address(self, dst, mem);
            }
            PlaceBase::Indirect(offset) => {
                let mem = self.frame_mem(offset);
                self.emit(isa.reload(RegClass::Int, isa.desc().pointer_bytes, dst, mem));
                if distance != 0 {
                    isa.address(self, dst, Mem::base(dst, distance as i32));
                }
            }
        }
        Ok(())
    }

    /// The address of a place in a register, perhaps one that has it already.
    fn base_in_reg(&mut self, place: PlaceBase, distance: i64) -> Reg {
        if let Some(reg) = self.known_base(place, distance) {
            return reg;
        }
        let temp = self.temp(RegClass::Int);
        if let Err(error) = self.place_to_reg(temp, place, distance) {
            self.keep_error(error);
        }
        self.remember_base(place, distance, temp);
        temp
    }

    /// See [`crate::lower_ctx::LowerCtx::use_addr`].
    fn address_of(&mut self, pointer: Operand, span_bytes: u32) -> Mem {
        let (base, mut distance, index) = self.strip_folded(pointer);
        let index_reg = |cx: &mut Self| index.map(|(operand, _)| cx.use_reg(operand, 0));
        let scale_log2 = index.map_or(0, |(_, scale_log2)| scale_log2);
        let isa = self.isa();
        let (base_reg, index_reg) = match self.place(base) {
            Some((place, offset)) => {
                distance += offset;
                if index.is_none()
                    && let PlaceBase::Symbol(symbol) = place
                    && let Some(mem) = isa.symbol_mem(self.module_view(), symbol, distance)
                {
                    return mem;
                }
                let reg = match place {
                    // What is below an object, where only code that never runs can look, may be a spill slot, which
                    // nothing but the allocator names.
                    PlaceBase::Frame(offset) if index.is_some() || distance >= 0 => {
                        distance += i64::from(offset);
                        self.frame().needed = true;
                        self.frame_base()
                    }
                    _ => self.base_in_reg(place, 0),
                };
                (reg, index_reg(self))
            }
            None => {
                let reg = self.use_reg(base, 0);
                (reg, index_reg(self))
            }
        };
        let index = index_reg.unwrap_or(Reg::NONE);
        self.fit_address(base_reg, index, scale_log2, distance, span_bytes)
    }

    /// Walks through folded address arithmetic: what remains, its distance, and the index with its scale.
    fn strip_folded(&self, pointer: Operand) -> (Operand, i64, Option<(Operand, u8)>) {
        let function = self.function();
        let (mut pointer, mut distance, mut index) = (pointer, 0i64, None);
        while let Some(value) = pointer.as_value()
            && self.mark(value) == Mark::Folded
            && let Some(inst) = function.def_inst(value)
        {
            let data = function.inst(inst);
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
        let isa = self.isa();
        let addressing = isa.desc().addressing;
        let (low, high) = (i64::from(addressing.min_disp), i64::from(addressing.max_disp));
        if low <= distance && distance + i64::from(span_bytes) <= high {
            let shares = self.keeps_bases() && index.is_none() && base.is_register();
            // Of what is no single access, not all pieces have a multiple of its size.
            let is_one = span_bytes.is_power_of_two() && span_bytes <= u32::from(isa.desc().vector_bytes);
            let bytes = if is_one { span_bytes } else { 1 };
            let is_free = addressing.free_disps.is_none_or(|free| free.contains(distance, bytes));
            if shares && !is_free {
                // Of what is left, nearly every access has room.
                let rest = distance & (PAGE_BYTES - 1);
                let base = self.base_in_reg(PlaceBase::Register(base), distance - rest);
                return Mem::base(base, rest as i32);
            }
            return Mem::indexed(base, index, scale_log2, distance as i32);
        }
        let temp = self.temp(RegClass::Int);
        if base == Reg::FRAME {
            // Only an address can name the frame: what is added to it is not known yet.
            isa.address(self, temp, Mem::base(base, distance as i32));
        } else {
            isa.int_constant(self, temp, isa.desc().pointer_bytes, distance);
            isa.add_pointer(self, temp, base);
        }
        Mem::indexed(temp, index, scale_log2, 0)
    }
}

impl<'a, C: Context<'a>> Addressing<'a> for C {}
