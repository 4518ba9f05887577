//! The table of addresses (DWARF 5, section 7.27).

use super::bytes::{Address, Bytes};
use frazil_support::FxHashMap;

/// Length, version, and sizes, in front of the table.
pub(super) const HEADER_BYTES: u64 = 8;

/// Addresses that attributes name by numbers.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    list: Vec<Address>,
    numbers: FxHashMap<Address, u32>,
}

impl Addresses {
    /// The number of an address.
    pub fn number(&mut self, address: Address) -> u64 {
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            self.list.push(address);
        }
        number.into()
    }

    /// Writes the table with its header.
    pub fn write(&self, address_bytes: u8, out: &mut Bytes) {
        let part = out.begin_part();
        out.u16(5);
        out.u8(address_bytes);
        out.u8(0);
        self.write_list(address_bytes, out);
        out.end_part(part);
    }

    /// Writes the table without a header, as GNU's form before version 5 has it. It is never empty, since skeletons
    /// name it.
    pub fn write_gnu(&self, address_bytes: u8, out: &mut Bytes) {
        self.write_list(address_bytes, out);
        if self.list.is_empty() {
            out.number(0, address_bytes);
        }
    }

    fn write_list(&self, address_bytes: u8, out: &mut Bytes) {
        for &address in &self.list {
            match address.symbol {
                Some(_) => out.address(address, address_bytes),
                None => out.number(address.addend.cast_unsigned(), address_bytes),
            }
        }
    }
}
