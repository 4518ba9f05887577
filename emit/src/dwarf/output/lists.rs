//! Lists of ranges and of locations (DWARF 5, sections 7.28 and 7.29; before, sections of pairs of addresses).

use super::bytes::Bytes;
use super::{Address, Expression, addresses::Addresses};
use frazil_support::FxBuildHasher;
use gimli::constants as dw;
use indexmap::IndexSet;

/// Length, version, sizes, and the number of offsets, in front of those.
pub(super) const HEADER_BYTES: u64 = 12;

/// What an item is in GNU's lists that has the number of an address, a length of 4 bytes, and an expression (of the
/// GCC wiki, "DebugFission", `DW_LLE_start_length_entry`).
const GNU_START_LENGTH: u8 = 3;

/// An item of a list of ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::dwarf) enum Range {
    /// What the offsets that follow count from.
    Base(Address),
    Offsets(u64, u64),
    /// From an address, so many bytes.
    Length(Address, u64),
}

/// An item of a list of locations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::dwarf) enum Location {
    /// What the offsets that follow count from.
    Base(Address),
    Offsets(u64, u64, Expression),
}

/// The lists of a unit, each once.
pub(super) type Lists<L> = IndexSet<Vec<L>, FxBuildHasher>;

/// How lists are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub version: u16,
    pub address_bytes: u8,
    /// Whether they are in a file that no linker sees.
    pub is_split: bool,
}

impl Form {
    /// Writes the lists of a unit in an order, and says where each is: its offset, before version 5, which has numbers
    /// instead and is written in their order.
    pub fn write<L>(
        self,
        lists: &Lists<L>,
        order: impl Iterator<Item = u32>,
        addresses: &mut Addresses,
        out: &mut Bytes,
        item: impl Fn(Form, &L, &mut Addresses, &mut Bytes),
    ) -> Vec<u64> {
        let mut offsets = vec![0; lists.len()];
        let part = (self.version >= 5).then(|| {
            let part = out.begin_part();
            out.u16(self.version);
            out.u8(self.address_bytes);
            out.u8(0);
            out.u32(lists.len() as u32);
            (part, out.len())
        });
        if let Some((_, base)) = part {
            out.bytes.resize(base + 4 * lists.len(), 0);
        }
        for number in order {
            offsets[number as usize] = out.len() as u64;
            for one in &lists[number as usize] {
                item(self, one, addresses, out);
            }
            match part {
                Some(_) => out.u8(0),
                None => [0; 2]
                    .map(|zero| out.number(zero, self.address_bytes))
                    .into_iter()
                    .collect(),
            }
        }
        if let Some((part, base)) = part {
            for (number, offset) in offsets.iter().enumerate() {
                let distance = (offset - base as u64) as u32;
                let at = base + 4 * number;
                out.bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
            }
            out.end_part(part);
        }
        offsets
    }

    /// Writes the lists of locations of a file that no linker sees before version 5, in GNU's form: where a range
    /// begins is the number of an address. Says at which offset each list is.
    pub fn write_gnu_locations(self, lists: &Lists<Location>, addresses: &mut Addresses, out: &mut Bytes) -> Vec<u64> {
        let mut offsets = Vec::with_capacity(lists.len());
        for list in lists {
            offsets.push(out.len() as u64);
            let mut base = None;
            for item in list {
                match item {
                    Location::Base(address) => base = Some(*address),
                    Location::Offsets(begin, end, expression) => {
                        let base = base.unwrap_or(Address::number(0));
                        let addend = base.addend + begin.cast_signed();
                        out.u8(GNU_START_LENGTH);
                        out.unsigned(addresses.number(Address { addend, ..base }));
                        out.u32((end - begin) as u32);
                        out.u16(expression.indexed_byte_count(addresses) as u16);
                        expression.write_indexed(self.version, addresses, out);
                    }
                }
            }
            out.u8(0);
        }
        offsets
    }

    /// Writes an item of a list of ranges.
    pub fn range(self, range: &Range, addresses: &mut Addresses, out: &mut Bytes) {
        let bytes = self.address_bytes;
        match (*range, self.version >= 5) {
            (Range::Base(address), true) => {
                out.u8(dw::DW_RLE_base_addressx.0);
                out.unsigned(addresses.number(address));
            }
            (Range::Offsets(begin, end), true) => {
                out.u8(dw::DW_RLE_offset_pair.0);
                out.unsigned(begin);
                out.unsigned(end);
            }
            (Range::Length(address, length), true) => {
                out.u8(dw::DW_RLE_startx_length.0);
                out.unsigned(addresses.number(address));
                out.unsigned(length);
            }
            (Range::Base(address), false) => self.old_base(address, out),
            (Range::Offsets(begin, end), false) => [begin, end].iter().for_each(|&at| out.number(at, bytes)),
            (Range::Length(address, length), false) => {
                out.address(address, bytes);
                let end = address.addend + length.cast_signed();
                out.address(Address { addend: end, ..address }, bytes);
            }
        }
    }

    /// Writes an item of a list of locations.
    pub fn location(self, location: &Location, addresses: &mut Addresses, out: &mut Bytes) {
        let bytes = self.address_bytes;
        match (location, self.version >= 5) {
            (&Location::Base(address), true) => {
                out.u8(dw::DW_LLE_base_addressx.0);
                out.unsigned(addresses.number(address));
            }
            (Location::Offsets(begin, end, expression), true) => {
                out.u8(dw::DW_LLE_offset_pair.0);
                out.unsigned(*begin);
                out.unsigned(*end);
                if self.is_split {
                    out.unsigned(expression.indexed_byte_count(addresses));
                    expression.write_indexed(self.version, addresses, out);
                } else {
                    out.unsigned(expression.byte_count(bytes));
                    expression.write(self.version, bytes, out);
                }
            }
            (&Location::Base(address), false) => self.old_base(address, out),
            (Location::Offsets(begin, end, expression), false) => {
                [*begin, *end].iter().for_each(|&at| out.number(at, bytes));
                out.u16(expression.byte_count(bytes) as u16);
                expression.write(self.version, bytes, out);
            }
        }
    }

    /// The largest address, and the one that offsets count from.
    fn old_base(self, address: Address, out: &mut Bytes) {
        out.number(u64::MAX, self.address_bytes);
        out.address(address, self.address_bytes);
    }
}
