//! A bit position in a byte slice, and the primitive fields that can be read at it.
//!
//! Method: no buffered word. Each field (or group of fields) is taken from a *window*, the 64 bits loaded from the
//! byte that holds the position, shifted so that the position is bit 0: at least 57 bits of it are valid. Close to
//! the end of the slice the window is put together byte by byte, with zeros after the end.
//!
//! Variable-width integers are decoded without a branch per chunk: the bits that end a chunk are masked out, the
//! first zero among them is the length, and the payloads are squeezed together in a few shifts.
//!
//! Invariant: reading never fails and never panics; a read beyond the end gives zeros and moves the position after
//! it, and an integer that does not fit 64 bits sets a flag. [`Cursor::check`] reports both and must be called before
//! the values are believed.

use super::step::Step;
use crate::error::{ReadError, ReadErrorKind};

/// Bits of a window that are always valid.
pub const WINDOW_BITS: u32 = 57;

/// A position in the input.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    position: u64,
    end: u64,
    overlong: bool,
    /// Whether records and definitions end at whole bytes.
    pads_records: bool,
}

/// How to squeeze the continuation bits out of chunks of one width.
#[derive(Clone, Copy)]
struct Squeeze {
    /// The continuation bit of every chunk in a window.
    continuation: u64,
    /// Which bits stay in each merging step; the others move down by 1, 2, 4, 8, 16.
    keep: [u64; 5],
}

const NO_CHUNKS: Squeeze = Squeeze {
    continuation: 0,
    keep: [0; 5],
};

#[allow(clippy::indexing_slicing, reason = "computed when this crate is compiled")]
const SQUEEZE: [Squeeze; 33] = {
    let mut table = [NO_CHUNKS; 33];
    let mut width = 2;
    while width <= 32 {
        table[width as usize] = squeeze_of(width);
        width += 1;
    }
    table
};

#[allow(clippy::indexing_slicing, reason = "computed when this crate is compiled")]
const fn squeeze_of(width: u32) -> Squeeze {
    let mut squeeze = NO_CHUNKS;
    let mut bit = width - 1;
    while bit < WINDOW_BITS {
        squeeze.continuation |= 1 << bit;
        bit += width;
    }
    let mut step = 0;
    let mut group = width;
    while step < 5 {
        // Of every two groups the lower stays; the upper closes the gap of `1 << step` bits between them.
        let mut bit = 0;
        while bit < 64 {
            if (bit / group).is_multiple_of(2) {
                squeeze.keep[step] |= 1 << bit;
            }
            bit += 1;
        }
        step += 1;
        group = if group < 64 { group * 2 } else { group };
    }
    squeeze
}

/// The continuation bits of the first four chunks of `width` bits that fit a window, and which bits stay when the
/// chunks are pushed together, first in pairs, then in fours.
pub fn chunks(width: u32) -> (u64, [u64; 2]) {
    let squeeze = SQUEEZE.get(width as usize).copied().unwrap_or(NO_CHUNKS);
    let [pairs, fours, ..] = squeeze.keep;
    (
        squeeze.continuation & low_bits(u64::MAX, (4 * width).min(64)),
        [pairs, fours],
    )
}

/// The lowest `width` bits of `value`; `width` at most 64.
fn low_bits(value: u64, width: u32) -> u64 {
    if width >= 64 { value } else { value & ((1 << width) - 1) }
}

impl<'a> Cursor<'a> {
    /// A cursor over all of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor {
            bytes,
            position: 0,
            end: bytes.len() as u64 * 8,
            overlong: false,
            pads_records: false,
        }
    }

    /// The same input from `start` to `end`, both in bits from the beginning of the input. An end after the input
    /// is moved to it.
    pub fn slice(&self, start: u64, end: u64) -> Cursor<'a> {
        Cursor {
            bytes: self.bytes,
            position: start,
            end: end.min(self.bytes.len() as u64 * 8),
            overlong: false,
            pads_records: self.pads_records,
        }
    }

    /// The whole input, whatever part the cursor is confined to.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The position in bits from the beginning of the input.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Where the cursor's part of the input ends, in bits from the beginning of the input.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Goes to a position given in bits from the beginning of the input.
    pub fn seek(&mut self, position: u64) {
        self.position = position;
    }

    /// Confines the cursor to what lies before `end` and returns the previous end.
    pub fn confine(&mut self, end: u64) -> u64 {
        std::mem::replace(&mut self.end, end.min(self.bytes.len() as u64 * 8))
    }

    /// Bits between the position and the end; zero if the position is after the end.
    pub fn bits_left(&self) -> u64 {
        self.end.saturating_sub(self.position)
    }

    /// The next bits, at least [`WINDOW_BITS`] of them valid, without moving.
    #[inline]
    pub fn window(&self) -> u64 {
        let byte = (self.position >> 3) as usize;
        let shift = self.position & 7;
        match self.bytes.get(byte..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => u64::from_le_bytes(*chunk) >> shift,
            None => self.window_at_end(byte) >> shift,
        }
    }

    #[cold]
    fn window_at_end(&self, byte: usize) -> u64 {
        let rest = self.bytes.get(byte..).unwrap_or_default();
        rest.iter()
            .take(8)
            .enumerate()
            .fold(0, |word, (index, &byte)| word | u64::from(byte) << (8 * index))
    }

    /// Moves the position `bits` forward.
    #[inline]
    pub fn advance(&mut self, bits: u32) {
        self.position += u64::from(bits);
    }

    /// A fixed-width field of up to [`WINDOW_BITS`] bits.
    #[inline]
    pub fn fixed(&mut self, width: u32) -> u64 {
        let value = low_bits(self.window(), width);
        self.position += u64::from(width);
        value
    }

    /// A variable-width integer of chunks of `width` bits, 2 to 32.
    #[inline]
    pub fn vbr(&mut self, width: u32) -> u64 {
        let window = self.window();
        let (value, bits) = vbr_in_window(window, width);
        if bits == 0 {
            return self.vbr_long(width);
        }
        self.position += u64::from(bits);
        value
    }

    /// A variable-width integer of chunks of six bits.
    #[inline]
    pub fn vbr6(&mut self) -> u64 {
        let (value, bits) = Step::VBR6.read(self.window());
        if bits > WINDOW_BITS {
            return self.vbr_long(6);
        }
        self.position += u64::from(bits);
        value
    }

    /// Variable-width integers of chunks of six bits, as many as there are slots. Each window gives several.
    #[inline]
    pub fn vbr6_run(&mut self, slots: &mut [u64]) {
        self.vbr6_run_in(self.window(), 0, slots);
    }

    /// The same from `used` bits after the position on, which is where `window` begins.
    #[inline]
    pub fn vbr6_run_in(&mut self, mut window: u64, mut used: u32, mut slots: &mut [u64]) {
        const WIDTH: u32 = 6;
        /// The continuation bits of chunks.
        const CHUNKS: u64 = 0o40_40_40_40_40_40_40_40_40;
        /// The continuation bit of the first chunk.
        const CONTINUES: u64 = 0o40;
        loop {
            let mut count = 0;
            for slot in slots.iter_mut() {
                // Most operands are small numbers.
                if window & CONTINUES == 0 && used <= WINDOW_BITS - WIDTH {
                    *slot = window & (CONTINUES - 1);
                    window >>= WIDTH;
                    used += WIDTH;
                    count += 1;
                    continue;
                }
                // What comes after the window's bits are zeros, which end the last chunk too late.
                let last = !window & CHUNKS;
                let bits = last.trailing_zeros() + 1;
                if used + bits > WINDOW_BITS {
                    break;
                }
                *slot = squeeze6(window & (last ^ (last - 1)) & !CHUNKS, bits);
                window >>= bits;
                used += bits;
                count += 1;
            }
            self.position += u64::from(used);
            if count == 0
                && let Some(first) = slots.first_mut()
            {
                *first = self.vbr_long(WIDTH);
                count = 1;
            }
            slots = slots.get_mut(count..).unwrap_or_default();
            if slots.is_empty() {
                return;
            }
            (window, used) = (self.window(), 0);
        }
    }

    /// Goes after `count` variable-width integers of chunks of six bits.
    #[inline]
    pub fn skip_vbr6_run(&mut self, count: u64) {
        for _ in 0..count {
            let bits = Step::VBR6.length(self.window());
            if bits > WINDOW_BITS {
                self.vbr_long(6);
            } else {
                self.position += u64::from(bits);
            }
        }
    }

    /// Integers that do not end within a window.
    #[cold]
    fn vbr_long(&mut self, width: u32) -> u64 {
        let payload_bits = width - 1;
        let mut value = 0u64;
        let mut shift = 0;
        loop {
            let chunk = self.fixed(width);
            let payload = low_bits(chunk, payload_bits);
            if shift < 64 {
                value |= payload << shift;
            }
            if payload != 0 && (shift >= 64 || payload.leading_zeros() < shift) {
                self.overlong = true;
            }
            if chunk >> payload_bits == 0 {
                return value;
            }
            shift += payload_bits;
        }
    }

    /// One character of the alphabet `a-z A-Z 0-9 . _`, as its ASCII code.
    #[inline]
    pub fn char6(&mut self) -> u64 {
        char6_to_ascii(self.fixed(6))
    }

    /// Moves to the next multiple of 32 bits.
    pub fn align_to_word(&mut self) {
        self.position = self.position.next_multiple_of(32);
    }

    /// Says that records and definitions of abbreviations end at whole bytes in this stream.
    pub fn pad_records(&mut self) {
        self.pads_records = true;
    }

    /// Moves to the end of the byte, if records end there.
    pub fn end_record(&mut self) {
        if self.pads_records {
            self.position = self.position.next_multiple_of(8);
        }
    }

    /// Reports reads beyond the end and integers of more than 64 bits since the cursor was made.
    ///
    /// # Errors
    /// [`ReadErrorKind::Truncated`] for the former, [`ReadErrorKind::Malformed`] for the latter.
    #[inline]
    pub fn check(&self) -> Result<(), ReadError> {
        if self.position <= self.end && !self.overlong {
            Ok(())
        } else {
            Err(self.fault())
        }
    }

    #[cold]
    fn fault(&self) -> ReadError {
        if self.overlong {
            return ReadError::malformed(self.position, "an integer of variable width has more than 64 bits");
        }
        let message = format!(
            "reading went to bit {}, but the data ends at bit {}",
            self.position, self.end
        );
        ReadError::new(ReadErrorKind::Truncated, self.end, message)
    }
}

/// Pushes chunks of six bits together whose continuation bits are clear.
#[inline]
fn squeeze6(chunks: u64, bits: u32) -> u64 {
    const SHORT: u32 = 24;
    const WIDTH: usize = 6;
    let mut value = chunks;
    let keep = SQUEEZE.get(WIDTH).map_or([0; 5], |squeeze| squeeze.keep);
    let [pairs, fours, eights, ..] = keep;
    value = (value & pairs) | ((value & !pairs) >> 1);
    value = (value & fours) | ((value & !fours) >> 2);
    if bits > SHORT {
        let [.., sixteens, _] = keep;
        value = (value & eights) | ((value & !eights) >> 4);
        value = (value & sixteens) | ((value & !sixteens) >> 8);
    }
    value
}

/// The variable-width integer at bit 0 of `window` and its length in bits, or length 0 if it is longer than a window.
#[inline]
pub fn vbr_in_window(window: u64, width: u32) -> (u64, u32) {
    let Some(squeeze) = SQUEEZE.get(width as usize) else {
        return (0, 0);
    };
    let last = !window & squeeze.continuation;
    if last == 0 {
        return (0, 0);
    }
    let bits = last.trailing_zeros() + 1;
    let mut value = low_bits(window, bits) & !squeeze.continuation;
    if bits > width {
        for (step, keep) in squeeze.keep.iter().enumerate() {
            value = (value & keep) | ((value & !keep) >> (1 << step));
        }
    }
    (value, bits)
}

/// The ASCII code of a six-bit character.
#[inline]
pub fn char6_to_ascii(index: u64) -> u64 {
    const ALPHABET: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    u64::from(ALPHABET.get((index & 63) as usize).copied().unwrap_or_default())
}

/// A signed integer whose sign is in bit 0; negative zero stands for the smallest integer.
#[inline]
pub fn decode_signed(value: u64) -> i64 {
    let magnitude = (value >> 1) as i64;
    if value & 1 == 0 {
        magnitude
    } else if value == 1 {
        i64::MIN
    } else {
        magnitude.wrapping_neg()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appends fields to a bit string, the straightforward way.
    #[derive(Default)]
    struct Bits(Vec<bool>);

    impl Bits {
        fn fixed(&mut self, value: u64, width: u32) {
            self.0.extend((0..width).map(|bit| value >> bit & 1 == 1));
        }

        fn vbr(&mut self, mut value: u64, width: u32) {
            while value >> (width - 1) != 0 {
                self.fixed(value & ((1 << (width - 1)) - 1), width - 1);
                self.fixed(1, 1);
                value >>= width - 1;
            }
            self.fixed(value, width);
        }

        fn bytes(&self) -> Vec<u8> {
            let byte = |bits: &[bool]| {
                bits.iter()
                    .enumerate()
                    .fold(0, |byte, (i, &bit)| byte | u8::from(bit) << i)
            };
            self.0.chunks(8).map(byte).collect()
        }
    }

    #[test]
    fn every_width_reads_back_integers_of_every_length() {
        for width in 2..=32 {
            for shift in 0..64 {
                let value = u64::MAX >> shift & 0xdead_beef_cafe_f00d | 1 << (63 - shift);
                let mut bits = Bits::default();
                bits.fixed(5, 3);
                bits.vbr(value, width);
                bits.vbr(3, width);
                let bytes = bits.bytes();
                let mut cursor = Cursor::new(&bytes);
                assert_eq!(cursor.fixed(3), 5);
                assert_eq!(cursor.vbr(width), value, "width {width}, shift {shift}");
                assert_eq!(cursor.vbr(width), 3);
                assert!(cursor.check().is_ok());
            }
        }
    }

    #[test]
    fn reads_behind_the_end_give_zero_and_are_reported() {
        let mut cursor = Cursor::new(&[0xff]);
        assert_eq!(cursor.fixed(12), 0xff);
        let error = cursor.check().map_err(|error| (error.kind(), error.bit_offset()));
        assert_eq!(error, Err((ReadErrorKind::Truncated, 8)));
    }

    #[test]
    fn an_integer_of_more_than_64_bits_is_reported() {
        let mut bits = Bits::default();
        for _ in 0..13 {
            bits.fixed(0x3f, 6);
        }
        bits.fixed(1, 6);
        let bytes = bits.bytes();
        let mut cursor = Cursor::new(&bytes);
        cursor.vbr(6);
        assert_eq!(
            cursor.check().map_err(|error| error.kind()),
            Err(ReadErrorKind::Malformed)
        );
    }

    #[test]
    fn padded_integers_are_accepted() {
        // Fourteen chunks whose upper ones are empty: longer than a window, but only the value 1.
        let mut bits = Bits::default();
        bits.fixed(0x21, 6);
        for _ in 0..12 {
            bits.fixed(0x20, 6);
        }
        bits.fixed(0, 6);
        let bytes = bits.bytes();
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(cursor.vbr(6), 1);
        assert!(cursor.check().is_ok());
    }

    #[test]
    fn signs_are_in_the_lowest_bit() {
        assert_eq!(decode_signed(6), 3);
        assert_eq!(decode_signed(7), -3);
        assert_eq!(decode_signed(1), i64::MIN);
        assert_eq!(decode_signed(u64::MAX), -i64::MAX);
    }

    #[test]
    fn six_bit_characters_follow_the_alphabet() {
        let text: Vec<u8> = [0, 25, 26, 51, 52, 61, 62, 63]
            .iter()
            .map(|&i| char6_to_ascii(i) as u8)
            .collect();
        assert_eq!(text, b"azAZ09._");
    }
}
