//! Short names for encodings, as the rows of the op table use them: a word, and what the size does to it.

use crate::ops::{Code, Effects, NO, Width};
use crate::regs::LIST;

pub(crate) const fn fixed(word: u32) -> Code {
    Code::new(word, Width::Fixed)
}

pub(crate) const fn int(word: u32) -> Code {
    Code::new(word, Width::Int)
}

pub(crate) const fn twice(word: u32) -> Code {
    Code::new(word, Width::IntTwice)
}

pub(crate) const fn reverse(word: u32) -> Code {
    Code::new(word, Width::IntReverse)
}

pub(crate) const fn float(word: u32) -> Code {
    Code::new(word, Width::Float)
}

pub(crate) const fn float_int(word: u32) -> Code {
    Code::new(word, Width::FloatInt)
}

pub(crate) const fn access(word: u32) -> Code {
    Code::new(word, Width::Access)
}

pub(crate) const fn float_access(word: u32) -> Code {
    Code::new(word, Width::FloatAccess)
}

pub(crate) const fn signed(word: u32) -> Code {
    Code::new(word, Width::Signed)
}

pub(crate) const fn exclusive(word: u32) -> Code {
    Code::new(word, Width::Exclusive)
}

pub(crate) const fn pair(word: u32) -> Code {
    Code::new(word, Width::Pair)
}

pub(crate) const fn float_pair(word: u32) -> Code {
    Code::new(word, Width::FloatPair)
}

pub(crate) const fn whole(word: u32) -> Code {
    Code::new(word, Width::Whole)
}

pub(crate) const fn all(word: u32) -> Code {
    Code::new(word, Width::All)
}

pub(crate) const fn general(word: u32) -> Code {
    Code::new(word, Width::General)
}

/// Three registers of the same kind: the bit U and the opcode.
pub(crate) const fn three(u: u32, opcode: u32) -> Code {
    Code::new(0x0e20_0400 | u << 29 | opcode << 11, Width::Lanes)
}

/// The same of floats: the bits U and `a`, and the opcode.
pub(crate) const fn float_three(u: u32, a: u32, opcode: u32) -> Code {
    let word = 0x0e20_0400 | u << 29 | a << 23 | opcode << 11;
    Code::new(word, Width::FloatLanes).half(0x0e40_0400 | u << 29 | a << 23 | (opcode & 7) << 11)
}

/// Two registers.
pub(crate) const fn two(u: u32, opcode: u32) -> Code {
    Code::new(0x0e20_0800 | u << 29 | opcode << 12, Width::Lanes)
}

/// The same of floats.
pub(crate) const fn float_two(u: u32, a: u32, opcode: u32) -> Code {
    let bits = u << 29 | a << 23 | opcode << 12;
    Code::new(0x0e20_0800 | bits, Width::FloatLanes).half(0x0e78_0800 | bits)
}

/// A scalar of all lanes.
pub(crate) const fn across(u: u32, opcode: u32) -> Code {
    Code::new(0x0e30_0800 | u << 29 | opcode << 12, Width::Lanes)
}

/// The same of floats.
pub(crate) const fn float_across(a: u32, opcode: u32) -> Code {
    let bits = a << 23 | opcode << 12;
    Code::new(0x2e30_0800 | bits, Width::FloatLanes).half(0x0e30_0800 | bits)
}

/// A scalar of two lanes of floats.
pub(crate) const fn float_pairwise(a: u32, opcode: u32) -> Code {
    let bits = a << 23 | opcode << 12;
    Code::new(0x7e30_0800 | bits, Width::FloatScalar).half(0x5e30_0800 | bits)
}

/// Three registers, one of which has wider lanes than another.
pub(crate) const fn different(u: u32, opcode: u32) -> Code {
    Code::new(0x0e20_0000 | u << 29 | opcode << 12, Width::Lanes)
}

/// Lanes at other places.
pub(crate) const fn permute(opcode: u32) -> Code {
    Code::new(0x0e00_0800 | opcode << 12, Width::Lanes)
}

/// A shift by an immediate.
pub(crate) const fn shift(u: u32, opcode: u32) -> Code {
    Code::new(0x0f00_0400 | u << 29 | opcode << 11, Width::Shift)
}

/// With one lane of the last register.
pub(crate) const fn by_lane(u: u32, opcode: u32) -> Code {
    Code::new(0x0f00_0000 | u << 29 | opcode << 12, Width::Lanes)
}

/// Of pairs of floats.
pub(crate) const fn quarters(word: u32) -> Code {
    Code::new(word, Width::Lanes)
}

/// Between halves and floats, or floats and doubles.
pub(crate) const fn float_half(word: u32) -> Code {
    Code::new(word, Width::FloatHalf)
}

/// Lanes as wide as the bits 22 and 23 say.
pub(crate) const fn lanes(word: u32) -> Code {
    Code::new(word, Width::Lanes)
}

/// The number of the first register of lists.
const FIRST: u32 = LIST[0].number();

/// A list of registers from memory, or to it.
pub(crate) const fn list(word: u32) -> Code {
    all(word | FIRST)
}

/// The same with one lane of each.
pub(crate) const fn listed(word: u32) -> Code {
    fixed(word | FIRST)
}

/// A list of registers as a table.
pub(crate) const fn table(word: u32) -> Code {
    whole(word | FIRST << 5)
}

/// Effects on the first registers of the list, as many as are said: they are written.
pub(crate) const fn list_written(count: usize) -> Effects {
    NO.defs(LIST.split_at(count).0)
}

/// The same: they are read.
pub(crate) const fn list_read(count: usize) -> Effects {
    NO.uses(LIST.split_at(count).0)
}

/// The same: they are read and written.
pub(crate) const fn list_modified(count: usize) -> Effects {
    list_written(count).uses(LIST.split_at(count).0)
}
