//! Decoding and building in one step, for the shapes of instructions that LLVM writes most.
//!
//! LLVM defines abbreviations for its commonest instructions, and nine of ten records of a function use them. Their
//! shapes are recognised once per module ([`super::shapes`]). A record of such a shape is read from one window into
//! registers and appended at once; nothing goes through the record buffer.
//!
//! Invariant: a fused reader either handles the whole record, or changes nothing, but that the block is open in which
//! the record stands, and says so, and the record is read again by the general path. It declines everything unusual:
//! fields that do not fit a window, values that are not defined yet or not made, anything but scalars. So it needs no
//! error messages of its own. Values are looked up once all fields are known to be in the window, or their uses are
//! forgotten: what is cut off is another number.

use super::body::context::{Body, terminate};
use super::body::{arithmetic, control, memory};
use super::codes::function as code;
use super::shapes::{BINARY_BITS, CAST_BITS, Shape};
use super::types::TypeId;
use crate::bitstream::abbrev::FieldSteps;
use crate::bitstream::cursor::{Cursor, WINDOW_BITS};
use crate::bitstream::step::Step;
use crate::builder::word::Word;
use crate::error::ReadError;
use frazil_ir::{Block, EntityRef, InstData, Type};

/// The width in which LLVM writes optional flags.
const FLAG_BITS: u32 = 8;
/// Fields taken from one window.
struct Fields {
    window: u64,
    used: u32,
}

impl Fields {
    #[inline]
    fn fixed(&mut self, bits: u32) -> u64 {
        let value = self.window & ((1 << bits) - 1);
        self.window >>= bits;
        self.used += bits;
        value
    }

    #[inline]
    fn step(&mut self, step: Step) -> u64 {
        let (value, bits) = step.read(self.window);
        self.window = self.window.wrapping_shr(bits);
        self.used += bits;
        value
    }

    /// An alignment, which is hardly ever longer than one chunk.
    #[inline]
    fn align(&mut self) -> u64 {
        const CHUNK_BITS: u32 = 4;
        const CONTINUES: u64 = 1 << (CHUNK_BITS - 1);
        if self.window & CONTINUES == 0 {
            self.fixed(CHUNK_BITS)
        } else {
            self.step(Step::VBR4)
        }
    }

    #[inline]
    fn vbr6(&mut self) -> u64 {
        self.step(Step::VBR6)
    }

    /// Whether all fields were in the window and end before `cursor` does.
    #[inline]
    fn complete(&self, cursor: &Cursor<'_>) -> bool {
        self.used <= WINDOW_BITS && u64::from(self.used) <= cursor.bits_left()
    }
}

/// Goes after a record with an abbreviation; its fields may fill more than a window. Returns whether that could be
/// done.
#[inline]
fn skip(plan: &FieldSteps, cursor: &mut Cursor<'_>, id_bits: u32) -> bool {
    let mut ahead = cursor.clone();
    ahead.advance(id_bits);
    for step in plan.steps() {
        let bits = step.length(ahead.window());
        if bits > WINDOW_BITS {
            return false;
        }
        ahead.advance(bits);
    }
    let complete = ahead.check().is_ok();
    if complete {
        *cursor = ahead;
    }
    complete
}

impl Body<'_, '_> {
    /// Reads a record of a shape; `window` begins at the cursor with the `id_bits` bits of the abbreviation's id.
    /// Returns whether the record was handled. It is on the path of every instruction, in both loops over a body.
    #[inline(always)]
    pub(super) fn fused(
        &mut self,
        shape: &Shape,
        cursor: &mut Cursor<'_>,
        window: u64,
        id_bits: u32,
    ) -> Result<bool, ReadError> {
        if let Shape::Skip(plan) = shape {
            return Ok(skip(plan, cursor, id_bits));
        }
        self.build.place = cursor.position();
        if !self.open {
            self.open_block()?;
        }
        let mut fields = Fields {
            window: window >> id_bits,
            used: id_bits,
        };
        match *shape {
            Shape::Skip(_) => Ok(false),
            Shape::Load { type_bits } => self.fused_load(cursor, &mut fields, type_bits),
            Shape::Store => self.fused_store(cursor, &mut fields),
            Shape::Gep { flag_bits, type_bits } => self.fused_gep(cursor, &mut fields, flag_bits, type_bits),
            Shape::Binary { has_flags } => self.fused_binary(cursor, &mut fields, has_flags),
            Shape::Cast { type_bits, has_flags } => self.fused_cast(cursor, &mut fields, type_bits, has_flags),
            Shape::Compare {
                predicate_bits,
                has_flags,
            } => self.fused_compare(cursor, &mut fields, predicate_bits, has_flags),
            Shape::Jump => Ok(self.fused_jump(cursor, &mut fields)),
            Shape::Branch => self.fused_branch(cursor, &mut fields),
        }
    }

    /// A value that is defined and made.
    #[inline(always)]
    fn ready(&mut self, relative: u64) -> Option<Word> {
        let number = self.distant(relative);
        let word = *self.build.state.words.get(number as usize)?;
        if number >= self.build.next || !word.is_operand() {
            return None;
        }
        self.build.note_use(number);
        Some(word)
    }

    /// A pointer that is defined and made.
    #[inline(always)]
    fn ready_pointer(&mut self, relative: u64) -> Option<Word> {
        self.ready(relative).filter(|word| word.ir_type() == Type::PTR)
    }

    /// Two values of one type that are defined and made.
    #[inline(always)]
    fn ready_pair(&mut self, left: u64, right: u64) -> Option<(Word, Word)> {
        let (left, right) = (self.ready(left)?, self.ready(right)?);
        (left.ir_type() == right.ir_type()).then_some((left, right))
    }

    #[inline(always)]
    fn ready_type(&self, number: u64) -> Option<TypeId> {
        (number < self.build.module.types.len() as u64).then_some(number as TypeId)
    }

    #[inline(always)]
    fn ready_target(&self, number: u64) -> Option<Block> {
        (1..u64::from(self.build.block_count))
            .contains(&number)
            .then(|| Block::new(number as usize))
    }

    #[inline(always)]
    fn fused_load(&mut self, cursor: &mut Cursor<'_>, fields: &mut Fields, type_bits: u32) -> Result<bool, ReadError> {
        let address = fields.vbr6();
        let ty = fields.fixed(type_bits);
        let align = fields.align();
        let volatile = fields.fixed(1) != 0;
        if !fields.complete(cursor) {
            return Ok(false);
        }
        let (Some(address), Some(ty)) = (self.ready_pointer(address), self.ready_type(ty)) else {
            return Ok(false);
        };
        cursor.advance(fields.used);
        memory::load_from(self, address, ty, align, volatile).map(|()| true)
    }

    /// An object on the stack, which has no abbreviation: four operands, in two windows.
    pub(super) fn fused_alloca(
        &mut self,
        cursor: &mut Cursor<'_>,
        window: u64,
        id_bits: u32,
    ) -> Result<bool, ReadError> {
        const OPERANDS: u64 = 4;
        self.build.place = cursor.position();
        if !self.open {
            self.open_block()?;
        }
        let mut head = Fields {
            window: window >> id_bits,
            used: id_bits,
        };
        if (head.vbr6(), head.vbr6()) != (code::ALLOCA, OPERANDS) || !head.complete(cursor) {
            return Ok(false);
        }
        let mut inner = cursor.clone();
        inner.advance(head.used);
        let mut types = Fields {
            window: inner.window(),
            used: 0,
        };
        let (ty, count_type) = (types.vbr6(), types.vbr6());
        let (Some(ty), Some(count_type), true) =
            (self.ready_type(ty), self.ready_type(count_type), types.complete(&inner))
        else {
            return Ok(false);
        };
        inner.advance(types.used);
        let mut rest = Fields {
            window: inner.window(),
            used: 0,
        };
        let (count, flags) = (rest.vbr6(), rest.vbr6());
        if !rest.complete(&inner) {
            return Ok(false);
        }
        inner.advance(rest.used);
        *cursor = inner;
        memory::alloca_of(self, ty, (count, count_type), flags, 0).map(|()| true)
    }

    #[inline(always)]
    fn fused_store(&mut self, cursor: &mut Cursor<'_>, fields: &mut Fields) -> Result<bool, ReadError> {
        let address = fields.vbr6();
        let value = fields.vbr6();
        let align = fields.align();
        let volatile = fields.fixed(1) != 0;
        if !fields.complete(cursor) {
            return Ok(false);
        }
        let (Some(address), Some(value)) = (self.ready_pointer(address), self.ready(value)) else {
            return Ok(false);
        };
        cursor.advance(fields.used);
        memory::store_to(self, address, value, align, volatile).map(|()| true)
    }

    /// A pointer and up to three indices.
    #[inline(always)]
    fn fused_gep(
        &mut self,
        cursor: &mut Cursor<'_>,
        fields: &mut Fields,
        flag_bits: u32,
        type_bits: u32,
    ) -> Result<bool, ReadError> {
        fields.fixed(flag_bits);
        let source = fields.fixed(type_bits);
        let count = fields.vbr6();
        let (Some(source), 2..=4, true) = (self.ready_type(source), count, fields.complete(cursor)) else {
            return Ok(false);
        };
        let mut inner = cursor.clone();
        inner.advance(fields.used);
        let mut values = Fields {
            window: inner.window(),
            used: 0,
        };
        let wanted = count as usize - 1;
        let noted = self.build.state.uses.count();
        let operands = self.ready_address(&mut values, wanted);
        let (Some((base, indices)), true) = (operands, values.complete(&inner)) else {
            // What was cut off is another number.
            self.build.state.uses.forget_from(noted);
            return Ok(false);
        };
        cursor.advance(fields.used + values.used);
        let indices = indices.get(..wanted).unwrap_or_default();
        let address = self.build.scalar_address(source, base, indices)?;
        self.build.define_as(address).map(|()| true)
    }

    /// A pointer and so many indices.
    #[inline(always)]
    fn ready_address(&mut self, values: &mut Fields, wanted: usize) -> Option<(Word, [Word; 3])> {
        let base = self.ready_pointer(values.vbr6())?;
        let mut indices = [base; 3];
        for index in indices.iter_mut().take(wanted) {
            *index = self.ready(values.vbr6()).filter(|word| word.ir_type() <= Type::I128)?;
        }
        Some((base, indices))
    }

    #[inline(always)]
    fn fused_binary(
        &mut self,
        cursor: &mut Cursor<'_>,
        fields: &mut Fields,
        has_flags: bool,
    ) -> Result<bool, ReadError> {
        let (left, right) = (fields.vbr6(), fields.vbr6());
        let number = fields.fixed(BINARY_BITS.into());
        let flags = if has_flags { fields.fixed(FLAG_BITS) } else { 0 };
        if !fields.complete(cursor) {
            return Ok(false);
        }
        let Some((left, right)) = self.ready_pair(left, right) else {
            return Ok(false);
        };
        cursor.advance(fields.used);
        arithmetic::binary_of(self, left, right, number, flags).map(|()| true)
    }

    #[inline(always)]
    fn fused_cast(
        &mut self,
        cursor: &mut Cursor<'_>,
        fields: &mut Fields,
        type_bits: u32,
        has_flags: bool,
    ) -> Result<bool, ReadError> {
        let value = fields.vbr6();
        let ty = fields.fixed(type_bits);
        let number = fields.fixed(CAST_BITS.into());
        let flags = if has_flags { fields.fixed(FLAG_BITS) } else { 0 };
        if !fields.complete(cursor) {
            return Ok(false);
        }
        let (Some(value), Some(ty)) = (self.ready(value), self.ready_type(ty)) else {
            return Ok(false);
        };
        cursor.advance(fields.used);
        arithmetic::cast_of(self, value, ty, number, flags).map(|()| true)
    }

    #[inline(always)]
    fn fused_compare(
        &mut self,
        cursor: &mut Cursor<'_>,
        fields: &mut Fields,
        predicate_bits: u32,
        has_flags: bool,
    ) -> Result<bool, ReadError> {
        let (left, right) = (fields.vbr6(), fields.vbr6());
        let predicate = fields.fixed(predicate_bits);
        let flags = if has_flags { fields.fixed(FLAG_BITS) } else { 0 };
        if !fields.complete(cursor) {
            return Ok(false);
        }
        let Some((left, right)) = self.ready_pair(left, right) else {
            return Ok(false);
        };
        cursor.advance(fields.used);
        arithmetic::compare_of(self, left, right, predicate, flags).map(|()| true)
    }

    #[inline(always)]
    fn fused_jump(&mut self, cursor: &mut Cursor<'_>, fields: &mut Fields) -> bool {
        let target = fields.vbr6();
        let (Some(target), true) = (self.ready_target(target), fields.complete(cursor)) else {
            return false;
        };
        cursor.advance(fields.used);
        terminate(self, InstData::jump(target));
        true
    }

    #[inline(always)]
    fn fused_branch(&mut self, cursor: &mut Cursor<'_>, fields: &mut Fields) -> Result<bool, ReadError> {
        let (if_true, if_false) = (fields.vbr6(), fields.vbr6());
        let condition = fields.vbr6();
        if !fields.complete(cursor) {
            return Ok(false);
        }
        let targets = (self.ready_target(if_true), self.ready_target(if_false));
        let ((Some(if_true), Some(if_false)), Some(condition)) = (targets, self.ready(condition)) else {
            return Ok(false);
        };
        cursor.advance(fields.used);
        control::branch_if(self, condition, if_true, if_false).map(|()| true)
    }
}
