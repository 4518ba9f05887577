//! The operands of one record, decoded into a buffer that is reused for the next.
//!
//! The buffer only ever grows, up to [`limits::record_operands`]; its length says how much of it the current record
//! uses. Scalar fields of an abbreviation are taken from one window as long as it lasts.

use super::abbrev::{Abbreviation, Encoding, FieldSteps, Tail};
use super::cursor::{Cursor, WINDOW_BITS, char6_to_ascii, vbr_in_window};
use super::step::Step;
use crate::error::{ReadError, ReadErrorKind};
use crate::limits;
use std::ops::Range;

/// A decoded record.
#[derive(Debug, Default)]
pub struct Record {
    /// The code and the operands of the current record, and room left from earlier ones.
    values: Vec<u64>,
    /// How many of `values` belong to the current record, the code included.
    length: usize,
    /// Bytes of the input that are the record's blob, if it has one.
    blob: Range<usize>,
    /// Where the record begins, in bits from the beginning of the input.
    start: u64,
}

impl Record {
    /// What the record is; its meaning depends on the block.
    #[inline]
    pub fn code(&self) -> u64 {
        self.values.first().copied().unwrap_or_default()
    }

    /// The operands; array elements are operands like any others.
    #[inline]
    pub fn operands(&self) -> &[u64] {
        self.values.get(1..self.length).unwrap_or_default()
    }

    /// Which bytes of the input are the record's blob; empty if it has none.
    pub fn blob(&self) -> Range<usize> {
        self.blob.clone()
    }

    /// Where the record begins, in bits from the beginning of the input, for messages.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The operand at `index`.
    ///
    /// # Errors
    /// If the record is shorter.
    #[inline]
    pub fn operand(&self, index: usize) -> Result<u64, ReadError> {
        match self.operands().get(index) {
            Some(&value) => Ok(value),
            None => Err(self.too_short(index)),
        }
    }

    #[cold]
    fn too_short(&self, index: usize) -> ReadError {
        let message = format!(
            "record {} has {} operands; expected at least {}",
            self.code(),
            self.operands().len(),
            index.saturating_add(1)
        );
        ReadError::malformed(self.start, message)
    }

    /// A contradiction in this record.
    #[cold]
    pub fn malformed(&self, message: impl Into<String>) -> ReadError {
        ReadError::malformed(self.start, message)
    }

    /// The operands from `from` on as the bytes of a string; what does not fit a byte is cut.
    pub fn text(&self, from: usize) -> Vec<u8> {
        self.operands()
            .get(from..)
            .unwrap_or_default()
            .iter()
            .map(|&value| value as u8)
            .collect()
    }

    /// Makes room for `count` values and drops the old ones.
    #[inline]
    fn restart(&mut self, start: u64, count: usize) {
        self.start = start;
        self.length = count;
        self.blob = 0..0;
        if self.values.len() < count {
            self.values.resize(count.max(64), 0);
        }
    }

    /// The code of a record without abbreviation, whose fields begin with `window`; any number if it is a long one.
    #[inline]
    pub fn code_in(window: u64) -> u64 {
        Step::VBR6.read(window).0
    }

    /// Reads a record without abbreviation, whose id is the lowest `id_bits` bits of `window`, which begins at the
    /// cursor.
    ///
    /// # Errors
    /// If the record goes beyond the cursor's end.
    pub fn read_unabbreviated(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut window: u64,
        id_bits: u32,
    ) -> Result<(), ReadError> {
        let start = cursor.position();
        window >>= id_bits;
        let (mut code, code_bits) = Step::VBR6.read(window);
        window = window.wrapping_shr(code_bits);
        let (mut count, count_bits) = Step::VBR6.read(window);
        window = window.wrapping_shr(count_bits);
        let mut used = id_bits + code_bits + count_bits;
        if used > WINDOW_BITS {
            cursor.advance(id_bits);
            (code, count) = (cursor.vbr6(), cursor.vbr6());
            (window, used) = (cursor.window(), 0);
            cursor.check()?;
        }
        if count > cursor.bits_left().saturating_sub(u64::from(used)) / 6 {
            cursor.advance(used);
            cursor.check()?;
            return Err(count_too_large(cursor, count, "operands"));
        }
        let length = count as usize + 1;
        self.restart(start, length);
        if let Some((first, rest)) = self.values.get_mut(..length).and_then(<[u64]>::split_first_mut) {
            *first = code;
            cursor.vbr6_run_in(window, used, rest);
        }
        cursor.check()
    }

    /// Reads a record of the given shape, whose id is the lowest `id_bits` bits of `window`, which begins at the
    /// cursor.
    ///
    /// # Errors
    /// If the record goes beyond the cursor's end or passes a limit.
    #[inline]
    pub fn read_planned(
        &mut self,
        cursor: &mut Cursor<'_>,
        shape: &Abbreviation,
        window: u64,
        id_bits: u32,
    ) -> Result<(), ReadError> {
        let start = cursor.position();
        if let Some(plan) = &shape.plan
            && let Some(used) = self.follow(plan, window, id_bits, start)
        {
            cursor.advance(used);
            if let Tail::None = shape.tail {
                return cursor.check();
            }
            return self.read_tail(cursor, shape);
        }
        cursor.advance(id_bits);
        self.read_abbreviated(cursor, shape, start)
    }

    /// Takes all fields from a window; `None` if they are not all in it.
    #[inline]
    fn follow(&mut self, plan: &FieldSteps, window: u64, id_bits: u32, start: u64) -> Option<u32> {
        let steps = plan.steps();
        self.start = start;
        self.length = 1 + steps.len();
        self.blob = 0..0;
        let (code, slots) = self.values.split_first_mut()?;
        let slots = slots.get_mut(..steps.len())?;
        *code = plan.code;
        let mut used = id_bits;
        let mut window = window >> id_bits;
        for (slot, step) in slots.iter_mut().zip(steps) {
            let (value, bits) = step.read(window);
            *slot = value;
            window = window.wrapping_shr(bits);
            used += bits;
        }
        (used <= WINDOW_BITS).then_some(used)
    }

    /// Reads a record of the given shape; the cursor is after its id.
    ///
    /// # Errors
    /// If the record goes beyond the cursor's end or passes a limit.
    #[inline]
    pub fn read_abbreviated(
        &mut self,
        cursor: &mut Cursor<'_>,
        shape: &Abbreviation,
        start: u64,
    ) -> Result<(), ReadError> {
        let scalars = shape.fields.len();
        self.restart(start, scalars);
        if let Some(slots) = self.values.get_mut(..scalars) {
            read_fields(cursor, &shape.fields, slots);
        }
        self.read_tail(cursor, shape)
    }

    fn read_tail(&mut self, cursor: &mut Cursor<'_>, shape: &Abbreviation) -> Result<(), ReadError> {
        match shape.tail {
            Tail::None => {}
            Tail::Array(element) => self.read_array(cursor, element)?,
            Tail::Blob => self.read_blob(cursor)?,
        }
        cursor.check()
    }

    fn read_array(&mut self, cursor: &mut Cursor<'_>, element: Encoding) -> Result<(), ReadError> {
        let count = cursor.vbr6();
        cursor.check()?;
        if count > cursor.bits_left() / u64::from(element.least_bits().max(1)) {
            return Err(count_too_large(cursor, count, "array elements"));
        }
        if count > limits::record_operands(cursor.bytes().len()) {
            let message = format!("an array of {count} elements, more than twice the bytes of the input");
            return Err(ReadError::new(ReadErrorKind::TooLarge, cursor.position(), message));
        }
        let from = self.length;
        self.length += count as usize;
        if self.length == 0 {
            return Err(ReadError::malformed(self.start, "a record without a code"));
        }
        if self.values.len() < self.length {
            self.values.resize(self.length, 0);
        }
        if let Some(slots) = self.values.get_mut(from..self.length) {
            read_run(cursor, element, slots);
        }
        Ok(())
    }

    fn read_blob(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        let count = cursor.vbr(6);
        cursor.align_to_word();
        cursor.check()?;
        if count > cursor.bits_left() / 8 {
            return Err(count_too_large(cursor, count, "bytes in a blob"));
        }
        let first = (cursor.position() / 8) as usize;
        self.blob = first..first + count as usize;
        cursor.seek(cursor.position() + count * 8);
        cursor.align_to_word();
        Ok(())
    }
}

#[cold]
fn count_too_large(cursor: &Cursor<'_>, count: u64, what: &str) -> ReadError {
    let message = format!(
        "{count} {what}, but only {} bits are left in the block",
        cursor.bits_left()
    );
    ReadError::new(ReadErrorKind::Truncated, cursor.position(), message)
}

/// Reads the scalar fields of an abbreviation, as many as possible from one window.
#[inline]
fn read_fields(cursor: &mut Cursor<'_>, fields: &[Encoding], slots: &mut [u64]) {
    let mut window = cursor.window();
    let mut used = 0;
    for (slot, field) in slots.iter_mut().zip(fields) {
        *slot = match *field {
            Encoding::Literal(value) => value,
            Encoding::Fixed(width) => {
                let width = u32::from(width);
                if used + width > WINDOW_BITS {
                    cursor.advance(used);
                    window = cursor.window();
                    used = 0;
                }
                let value = (window >> used) & ((1 << width) - 1);
                used += width;
                value
            }
            Encoding::Vbr(width) => {
                let (mut value, mut bits) = vbr_in_window(window >> used, u32::from(width));
                if bits == 0 || used + bits > WINDOW_BITS {
                    cursor.advance(used);
                    value = cursor.vbr(u32::from(width));
                    window = cursor.window();
                    (used, bits) = (0, 0);
                }
                used += bits;
                value
            }
            Encoding::Char6 => {
                if used + 6 > WINDOW_BITS {
                    cursor.advance(used);
                    window = cursor.window();
                    used = 0;
                }
                let value = char6_to_ascii(window >> used);
                used += 6;
                value
            }
        };
    }
    cursor.advance(used);
}

/// Reads values that are all encoded alike; `element` is not a literal.
#[inline]
fn read_run(cursor: &mut Cursor<'_>, element: Encoding, slots: &mut [u64]) {
    match element {
        Encoding::Literal(value) => slots.fill(value),
        Encoding::Fixed(width) => slots.iter_mut().for_each(|slot| *slot = cursor.fixed(u32::from(width))),
        Encoding::Vbr(6) => cursor.vbr6_run(slots),
        Encoding::Vbr(width) => slots.iter_mut().for_each(|slot| *slot = cursor.vbr(u32::from(width))),
        Encoding::Char6 => slots.iter_mut().for_each(|slot| *slot = cursor.char6()),
    }
}
