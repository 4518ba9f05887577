//! Spread vectors in memory, as bits of integers, and on the way from one type to another.
//!
//! In memory, lanes lie side by side without padding, also those of odd widths: a vector is there what the integer of
//! all its bits is, the first lane lowest. Lanes of whole bytes are loaded and stored value by value; others go through
//! integers of at most 64 bits, of which the last has the rest. A cast between types that are not spread alike stores
//! the one and loads the other. A lane whose number is a variable is found in a stack slot, in which lanes of odd
//! widths and truth values are widened to whole bytes.

use super::layout::Layout;
use super::rebuild::{Rebuild, SLOT_ALIGN_LOG2, Source, Span, number};
use crate::error::CodegenError;
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Refusal, Type};

/// Bits of the integers through which lanes go that are no whole bytes.
const WORD_BITS: u32 = 64;

impl Rebuild<'_> {
    /// A load of a spread vector.
    pub fn load(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let address = self.single(data.a)?;
        let layout = self.layouts.get(data.ty);
        let span = self.load_from(layout, address, data.flags)?;
        self.define(data.first_result().expect("it has a result"), span)?;
        Ok(())
    }

    /// A store of a spread vector.
    pub fn store(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let source = self.source(data.a)?;
        let address = self.single(data.b)?;
        self.store_to(source, address, data.flags)
    }

    /// Bits of a lane in memory.
    fn element_bits(&self, layout: Layout) -> u32 {
        let bits = self.new.types().bits(layout.element, self.pointer_bits);
        u32::try_from(bits).unwrap_or(u32::MAX)
    }

    /// Bytes that a load or store of all lanes touches; nothing is between them.
    pub fn memory_bytes(&self, layout: Layout) -> u64 {
        (u64::from(self.element_bits(layout)) * u64::from(layout.lanes)).div_ceil(8)
    }

    /// An address some bytes on, and the flags of an access there.
    fn at(&mut self, address: Operand, flags: u16, offset: u64) -> (Operand, u16) {
        if offset == 0 {
            return (address, flags);
        }
        let align = MemFlags(flags).align_log2().min(offset.trailing_zeros());
        let flags = (flags & !31) | MemFlags::aligned(align).0;
        (self.address_beyond(address, offset), flags)
    }

    /// An address some bytes on. The sum that the address is gets computed again, since an access that is its only user
    /// has it as its operand.
    fn address_beyond(&mut self, address: Operand, offset: u64) -> Operand {
        let (mut base, mut distance) = (address, i128::from(offset));
        if let Some(sum) = self.sum_of_addresses(base)
            && let Some(constant) = sum.b.as_imm()
            && sum.op == Opcode::PtrAdd
            && i32::try_from(i128::from(constant) + distance).is_ok()
        {
            base = sum.a;
            distance += i128::from(constant);
        }
        if let Some(sum) = self.sum_of_addresses(base).filter(|sum| sum.b.as_value().is_some()) {
            let again = InstData::new(sum.op, sum.ty, sum.flags, sum.a, sum.b);
            base = Operand::value(self.new.push_inst_result(again, Type::PTR));
        }
        let distance = self.new.int_operand(Type::I64, distance);
        self.binary(Opcode::PtrAdd, Type::PTR, base, distance)
    }

    /// The addition to an address that defines a plain one.
    fn sum_of_addresses(&self, address: Operand) -> Option<InstData> {
        let value = address.as_value()?;
        let data = *self.new.inst(self.new.def_inst(value)?);
        let is_sum = matches!(data.op, Opcode::PtrAdd | Opcode::PtrIndex);
        (is_sum && data.ty == Type::PTR && self.new.value(value).ty == Type::PTR).then_some(data)
    }

    /// Loads a value of this layout.
    pub fn load_from(&mut self, layout: Layout, address: Operand, flags: u16) -> Result<Span, CodegenError> {
        let bits = self.element_bits(layout);
        if layout.is_scalar || bits.is_multiple_of(8) {
            let mut parts = Vec::new();
            for part in 0..layout.count() {
                let offset = u64::from(part * layout.chunk.max(1)) * u64::from(bits / 8);
                let ty = self.part_type(layout, part)?;
                let (address, flags) = self.at(address, flags, offset);
                parts.push(self.emit(Opcode::Load, ty, flags, [address, Operand::NONE], ty));
            }
            return Ok(self.span(&parts));
        }
        let total = self.packed_bits(layout, bits)?;
        let mut words = Vec::new();
        for first in (0..total).step_by(WORD_BITS as usize) {
            let ty = self.integer((total - first).min(WORD_BITS))?;
            let (address, flags) = self.at(address, flags, u64::from(first / 8));
            words.push(self.emit(Opcode::Load, ty, flags, [address, Operand::NONE], ty));
        }
        self.unpack(layout, bits, &words)
    }

    /// Stores a value.
    pub fn store_to(&mut self, source: Source, address: Operand, flags: u16) -> Result<(), CodegenError> {
        let Source { span, layout } = source;
        let bits = self.element_bits(layout);
        if layout.is_scalar || bits.is_multiple_of(8) {
            for part in 0..layout.count() {
                let offset = u64::from(part * layout.chunk.max(1)) * u64::from(bits / 8);
                let ty = self.part_type(layout, part)?;
                let (address, flags) = self.at(address, flags, offset);
                let value = self.part(span, part);
                self.effect(Opcode::Store, ty, flags, value, address);
            }
            return Ok(());
        }
        let words = self.pack(source, bits)?;
        let total = bits * layout.lanes;
        for (index, word) in (0..).zip(words) {
            let ty = self.integer((total - index * WORD_BITS).min(WORD_BITS))?;
            let (address, flags) = self.at(address, flags, u64::from(index * WORD_BITS / 8));
            self.effect(Opcode::Store, ty, flags, word, address);
        }
        Ok(())
    }

    /// All bits of lanes that are no whole bytes.
    fn packed_bits(&self, layout: Layout, bits: u32) -> Result<u32, CodegenError> {
        if bits < WORD_BITS
            && let Some(total) = bits.checked_mul(layout.lanes)
        {
            return Ok(total);
        }
        let name = format!("<{} x i{bits}>", layout.lanes);
        Err(CodegenError::unsupported(
            Refusal::Vector,
            format!("{name} in memory or as other bits"),
        ))
    }

    /// The value whose bits these words hold.
    pub fn unpack(&mut self, layout: Layout, bits: u32, words: &[Operand]) -> Result<Span, CodegenError> {
        let total = self.packed_bits(layout, bits)?;
        let mut parts = Vec::new();
        for part in 0..layout.count() {
            // Bits of a part; those of a mask are all its lanes'.
            let (first, own) = (part * layout.chunk.max(1) * bits, layout.lanes_of(part) * bits);
            let taken = self.bits_from(words, total, first, own)?;
            parts.push(match layout.is_scalarised() {
                true => taken,
                false => {
                    let ty = self.part_type(layout, part)?;
                    self.bits_to_mask(taken, ty, layout.lanes_of(part))?
                }
            });
        }
        Ok(self.span(&parts))
    }

    /// A mask from the integer of its bits.
    fn bits_to_mask(&mut self, bits: Operand, ty: Type, lanes: u32) -> Result<Operand, CodegenError> {
        if lanes == 1 {
            return self.collect(Type::I1, &[bits]);
        }
        let int = self.integer(lanes)?;
        let bits = self.typed(bits, int);
        Ok(self.unary(Opcode::Bitcast, ty, bits))
    }

    /// An integer of some bits of words.
    fn bits_from(&mut self, words: &[Operand], total: u32, first: u32, count: u32) -> Result<Operand, CodegenError> {
        let (index, shift) = (first / WORD_BITS, first % WORD_BITS);
        let width = |index: u32| (total - index * WORD_BITS).min(WORD_BITS);
        let ty = self.integer(width(index))?;
        let result = self.integer(count)?;
        let mut low = words[index as usize];
        if shift > 0 {
            low = self.binary(Opcode::Lshr, ty, low, number(shift));
        }
        if shift + count > WORD_BITS {
            let above = width(index + 1);
            let (above_ty, mut high) = (self.integer(above)?, words[index as usize + 1]);
            if above < WORD_BITS {
                high = self.typed(high, above_ty);
                high = self.unary(Opcode::Zext, Type::I64, high);
            }
            high = self.binary(Opcode::Shl, Type::I64, high, number(WORD_BITS - shift));
            low = self.binary(Opcode::Or, Type::I64, low, high);
        }
        if result == ty {
            return Ok(low);
        }
        let low = self.typed(low, ty);
        Ok(self.unary(Opcode::Trunc, result, low))
    }

    /// The bits of a value in words.
    pub fn pack(&mut self, source: Source, bits: u32) -> Result<Vec<Operand>, CodegenError> {
        let Source { span, layout } = source;
        let total = self.packed_bits(layout, bits)?;
        let mut words: Vec<Option<Operand>> = vec![None; total.div_ceil(WORD_BITS) as usize];
        for part in 0..layout.count() {
            let (first, own) = (part * layout.chunk.max(1) * bits, layout.lanes_of(part) * bits);
            let value = self.part(span, part);
            let value = match layout.is_scalarised() {
                true => value,
                false => self.mask_as_bits(value, layout.lanes_of(part))?,
            };
            let int = self.integer(own)?;
            let value = self.typed(value, int);
            let (index, shift) = (first / WORD_BITS, first % WORD_BITS);
            self.join_bits(&mut words, total, index, (value, own), i64::from(shift))?;
            if shift + own > WORD_BITS {
                self.join_bits(
                    &mut words,
                    total,
                    index + 1,
                    (value, own),
                    i64::from(shift) - i64::from(WORD_BITS),
                )?;
            }
        }
        Ok(words.into_iter().map(|word| word.unwrap_or(Operand::ZERO)).collect())
    }

    /// Puts an integer into a word, moved up by some bits, or down.
    fn join_bits(
        &mut self,
        words: &mut [Option<Operand>],
        total: u32,
        index: u32,
        (value, bits): (Operand, u32),
        shift: i64,
    ) -> Result<(), CodegenError> {
        let width = (total - index * WORD_BITS).min(WORD_BITS);
        let ty = self.integer(width)?;
        let mut moved = value;
        if shift < 0 {
            let from = self.integer(bits)?;
            moved = self.binary(Opcode::Lshr, from, moved, number(shift.unsigned_abs() as u32));
        }
        moved = match bits.cmp(&width) {
            std::cmp::Ordering::Less => self.unary(Opcode::Zext, ty, moved),
            std::cmp::Ordering::Equal => moved,
            std::cmp::Ordering::Greater => self.unary(Opcode::Trunc, ty, moved),
        };
        if shift > 0 {
            moved = self.binary(Opcode::Shl, ty, moved, number(shift as u32));
        }
        let word = &mut words[index as usize];
        let joined = match word.take() {
            None => moved,
            Some(before) => self.binary(Opcode::Or, ty, before, moved),
        };
        words[index as usize] = Some(joined);
        Ok(())
    }

    fn mask_as_bits(&mut self, mask: Operand, lanes: u32) -> Result<Operand, CodegenError> {
        if lanes == 1 {
            let ty = self.vector(Type::I1, 1)?;
            return Ok(match mask.as_value() {
                Some(_) => self.emit(Opcode::ExtractElement, ty, 0, [mask, number(0)], Type::I1),
                None => self.constant_lane(mask, Type::I1, 0),
            });
        }
        let int = self.integer(lanes)?;
        Ok(self.unary(Opcode::Bitcast, int, mask))
    }

    /// The same bits as another type.
    pub fn bitcast(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let source = self.source(data.a)?;
        let from = source.layout;
        let to = self.layouts.get(data.ty);
        let (from_bits, to_bits) = (self.element_bits(from), self.element_bits(to));
        let total = u64::from(from_bits) * u64::from(from.lanes);
        let is_int = |layout: Layout, bits: u32| {
            layout.is_scalar && self.new.types().int_bits(layout.element) == Some(bits) && bits <= WORD_BITS
        };
        let packed = |layout: Layout, bits: u32| !layout.is_scalar && !bits.is_multiple_of(8);
        let span = if self.are_alike(from, from_bits, to, to_bits) {
            let mut parts = Vec::new();
            for part in 0..from.count() {
                let ty = self.part_type(to, part)?;
                let own = self.part_type(from, part)?;
                let value = self.part(source.span, part);
                let value = self.typed(value, own);
                parts.push(self.unary(Opcode::Bitcast, ty, value));
            }
            self.span(&parts)
        } else if packed(from, from_bits) && is_int(to, to_bits) {
            let words = self.pack(source, from_bits)?;
            self.span(&words)
        } else if packed(to, to_bits) && is_int(from, from_bits) {
            let word = self.part(source.span, 0);
            self.unpack(to, to_bits, &[word])?
        } else {
            let slot = self.slot(total.div_ceil(8));
            let flags = MemFlags::aligned(SLOT_ALIGN_LOG2.into()).0;
            self.store_to(source, slot, flags)?;
            self.load_from(to, slot, flags)?
        };
        self.define(data.first_result().expect("it has a result"), span)?;
        Ok(())
    }

    /// Whether two layouts have values of the same sizes.
    fn are_alike(&self, from: Layout, from_bits: u32, to: Layout, to_bits: u32) -> bool {
        from.count() == to.count()
            && (0..from.count()).all(|part| {
                let bits = u64::from(from.lanes_of(part)) * u64::from(from_bits);
                bits == u64::from(to.lanes_of(part)) * u64::from(to_bits)
            })
            && (from.count() == 1 || (from.element != Type::I1 && to.element != Type::I1))
    }

    /// A lane by a variable number.
    pub fn extract_variable(&mut self, source: Source, index: Operand) -> Result<Operand, CodegenError> {
        let (slot, bytes) = self.spill_lanes(source)?;
        let element = source.layout.element;
        let address = self.lane_address(source.layout, slot, bytes, index)?;
        let (stored, flags) = self.stored_lane(source.layout, bytes)?;
        let loaded = self.emit(Opcode::Load, stored, flags, [address, Operand::NONE], stored);
        Ok(match stored == element {
            true => loaded,
            false => self.unary(Opcode::Trunc, element, loaded),
        })
    }

    /// A vector with another lane, by a variable number.
    pub fn insert_variable(&mut self, source: Source, value: Operand, index: Operand) -> Result<Span, CodegenError> {
        let layout = source.layout;
        let (slot, bytes) = self.spill_lanes(source)?;
        let address = self.lane_address(layout, slot, bytes, index)?;
        let (stored, flags) = self.stored_lane(layout, bytes)?;
        let mut value = value;
        if stored != layout.element {
            value = self.typed(value, layout.element);
            value = self.unary(Opcode::Zext, stored, value);
        }
        self.effect(Opcode::Store, stored, flags, value, address);
        let mut lanes = Vec::new();
        let flags = MemFlags::aligned(SLOT_ALIGN_LOG2.into()).0;
        for part in 0..layout.count() {
            let offset = u64::from(part * layout.chunk.max(1)) * u64::from(bytes);
            let (address, flags) = self.at(slot, flags, offset);
            let own = layout.lanes_of(part);
            let ty = match layout.is_scalarised() {
                true => stored,
                false => self.vector(stored, own)?,
            };
            let loaded = self.emit(Opcode::Load, ty, flags, [address, Operand::NONE], ty);
            lanes.push(match (stored == layout.element, layout.is_scalarised()) {
                (true, _) => loaded,
                (false, true) => self.unary(Opcode::Trunc, layout.element, loaded),
                (false, false) => self.ints_to_mask(loaded, own, bytes * 8)?,
            });
        }
        Ok(self.span(&lanes))
    }

    /// Bytes between lanes in a slot, and of each: whole ones, or more where a lane's bits are none.
    fn lane_bytes(&self, layout: Layout) -> u32 {
        let bits = self.element_bits(layout);
        match (layout.element == Type::I1, layout.is_scalarised()) {
            (true, false) => self.mask_bits(layout.chunk) / 8,
            _ => bits.div_ceil(8),
        }
    }

    /// The type of a lane in a slot, and the flags of its accesses.
    fn stored_lane(&mut self, layout: Layout, bytes: u32) -> Result<(Type, u16), CodegenError> {
        let ty = match self.element_bits(layout).is_multiple_of(8) {
            true => layout.element,
            false => self.integer(bytes * 8)?,
        };
        let align = bytes.trailing_zeros().min(SLOT_ALIGN_LOG2.into());
        Ok((ty, MemFlags::aligned(align).0))
    }

    /// Stores all lanes to a slot.
    fn spill_lanes(&mut self, source: Source) -> Result<(Operand, u32), CodegenError> {
        let Source { span, layout } = source;
        let bytes = self.lane_bytes(layout);
        let slot = self.slot(u64::from(bytes) * u64::from(layout.lanes.next_power_of_two()));
        let (stored, _) = self.stored_lane(layout, bytes)?;
        let flags = MemFlags::aligned(SLOT_ALIGN_LOG2.into()).0;
        for part in 0..layout.count() {
            let offset = u64::from(part * layout.chunk.max(1)) * u64::from(bytes);
            let (address, flags) = self.at(slot, flags, offset);
            let own = layout.lanes_of(part);
            let mut value = self.part(span, part);
            let ty = match layout.is_scalarised() {
                true => stored,
                false => self.vector(stored, own)?,
            };
            if stored != layout.element {
                value = match layout.is_scalarised() {
                    true => {
                        let value = self.typed(value, layout.element);
                        self.unary(Opcode::Zext, stored, value)
                    }
                    false => self.mask_to_ints(value, own, bytes * 8)?,
                };
            }
            self.effect(Opcode::Store, ty, flags, value, address);
        }
        Ok((slot, bytes))
    }

    /// The address in the slot of a lane. A number that is out of range gives poison, but must not leave the slot.
    fn lane_address(
        &mut self,
        layout: Layout,
        slot: Operand,
        bytes: u32,
        index: Operand,
    ) -> Result<Operand, CodegenError> {
        let ty = self.new.operand_type(index);
        let bits = ty.and_then(|ty| self.new.types().int_bits(ty)).unwrap_or(64);
        let offset = self.integer(self.pointer_bits)?;
        let index = match bits.cmp(&self.pointer_bits) {
            std::cmp::Ordering::Less => self.unary(Opcode::Zext, offset, index),
            std::cmp::Ordering::Equal => index,
            std::cmp::Ordering::Greater => self.unary(Opcode::Trunc, offset, index),
        };
        let last = number(layout.lanes.next_power_of_two() - 1);
        let inside = self.binary(Opcode::And, offset, index, last);
        Ok(self.emit(Opcode::PtrIndex, Type::PTR, bytes as u16, [slot, inside], Type::PTR))
    }
}
