//! The table of address ranges (DWARF 5, section 6.1.2): which unit has the code or data at an address.

use super::Address;
use super::bytes::{Bytes, Place};

/// Version of the table, which is its own.
const VERSION: u16 = 2;

/// Writes the table of a unit that starts at an offset in its section; nothing if the unit has no addresses.
pub(super) fn write(unit_start: u64, ranges: &[(Address, u64)], address_bytes: u8, out: &mut Bytes) {
    if ranges.is_empty() {
        return;
    }
    let part = out.begin_part();
    out.u16(VERSION);
    out.offset_in(Place::Entries, unit_start);
    out.u8(address_bytes);
    out.u8(0);
    // Pairs are aligned to their size from the start of the header on.
    let header = out.len() - (part - 4);
    let padding = header.next_multiple_of(2 * usize::from(address_bytes)) - header;
    out.bytes.resize(out.len() + padding, 0);
    for &(address, length) in ranges {
        out.address(address, address_bytes);
        out.number(length, address_bytes);
    }
    out.number(0, address_bytes);
    out.number(0, address_bytes);
    out.end_part(part);
}
