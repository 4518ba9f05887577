//! Bytes of a section that grow, and the fields in them that linkers fill in.

use frazil_ir::SymbolId;

/// So many bytes after a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::dwarf) struct Address {
    /// `None` for the number alone.
    pub symbol: Option<SymbolId>,
    pub addend: i64,
    /// Whether the offset of the symbol in the thread-local storage of its module is meant.
    pub is_thread_offset: bool,
}

impl Address {
    /// A number, whatever is there.
    pub fn number(addend: i64) -> Address {
        Address {
            symbol: None,
            addend,
            is_thread_offset: false,
        }
    }

    /// What is so many bytes after a symbol.
    pub fn after(symbol: SymbolId, addend: i64) -> Address {
        Address {
            symbol: Some(symbol),
            ..Address::number(addend)
        }
    }

    /// Where a variable is in the thread-local storage of its module.
    pub fn thread_offset(symbol: SymbolId) -> Address {
        Address {
            is_thread_offset: true,
            ..Address::after(symbol, 0)
        }
    }
}

/// Sections that fields name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::dwarf) enum Place {
    Entries,
    /// The entries of a unit in a section of its own, by the place of the unit.
    TypeUnit(u32),
    Frames,
    Abbreviations,
    Addresses,
    Texts,
    TextOffsets,
    LineTexts,
    Macros,
    Lines,
    RangeLists,
    LocationLists,
}

/// What a field that linkers fill in refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::dwarf) enum Target {
    Address(Address),
    Section(Place),
}

/// A field that linkers fill in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::dwarf) struct Field {
    pub offset: u64,
    pub bytes: u8,
    pub target: Target,
    pub addend: i64,
}

/// The contents of a section so far. Numbers are in the order of the target, the least significant byte first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::dwarf) struct Bytes {
    pub bytes: Vec<u8>,
    pub fields: Vec<Field>,
}

impl Bytes {
    /// The offset of what comes next.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Appends a byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Appends a number of two bytes.
    pub fn u16(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Appends a number of four bytes.
    pub fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// The low bytes of a number.
    pub fn number(&mut self, value: u64, bytes: u8) {
        self.bytes
            .extend_from_slice(&value.to_le_bytes()[..usize::from(bytes.min(8))]);
    }

    /// A number of any size (DWARF 5, section 7.6).
    pub fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.u8(value as u8 | 0x80);
            value >>= 7;
        }
        self.u8(value as u8);
    }

    /// The same with a sign.
    pub fn signed(&mut self, mut value: i64) {
        loop {
            let byte = value as u8 & 0x7f;
            value >>= 7;
            if value == 0 && byte & 0x40 == 0 || value == -1 && byte & 0x40 != 0 {
                return self.u8(byte);
            }
            self.u8(byte | 0x80);
        }
    }

    /// An address of so many bytes.
    pub fn address(&mut self, address: Address, bytes: u8) {
        self.field(bytes, Target::Address(address), address.addend);
        self.number(0, bytes);
    }

    /// An offset in another section, of 4 bytes.
    pub fn offset_in(&mut self, place: Place, offset: u64) {
        self.offset_of_bytes(place, offset, 4);
    }

    /// An offset in a section, of so many bytes.
    pub fn offset_of_bytes(&mut self, place: Place, offset: u64, bytes: u8) {
        self.field(bytes, Target::Section(place), offset.cast_signed());
        self.number(0, bytes);
    }

    fn field(&mut self, bytes: u8, target: Target, addend: i64) {
        self.fields.push(Field {
            offset: self.bytes.len() as u64,
            bytes,
            target,
            addend,
        });
    }

    /// Begins a part whose length stands in front of it; to be given to [`Self::end_part`].
    pub fn begin_part(&mut self) -> usize {
        self.u32(0);
        self.bytes.len()
    }

    /// Fills in the length of a part.
    pub fn end_part(&mut self, begin: usize) {
        let length = (self.bytes.len() - begin) as u32;
        self.bytes[begin - 4..begin].copy_from_slice(&length.to_le_bytes());
    }
}

/// How many bytes a number of any size takes.
pub(in crate::dwarf) fn unsigned_bytes(value: u64) -> u64 {
    u64::from((64 - (value | 1).leading_zeros()).div_ceil(7))
}

/// The same for a number with a sign.
pub(super) fn signed_bytes(value: i64) -> u64 {
    let bits = 65 - (value ^ value >> 63).leading_zeros();
    u64::from(bits.div_ceil(7))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_many_bytes_as_foreseen() {
        for bit in 0..64 {
            for number in [1_u64 << bit, (1 << bit) - 1, !(1 << bit), !((1 << bit) - 1)] {
                let (mut unsigned, mut signed) = (Bytes::default(), Bytes::default());
                unsigned.unsigned(number);
                signed.signed(number.cast_signed());
                assert_eq!(unsigned.len() as u64, unsigned_bytes(number), "{number:#x}");
                assert_eq!(signed.len() as u64, signed_bytes(number.cast_signed()), "{number:#x}");
            }
        }
    }
}
