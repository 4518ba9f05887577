//! How much memory an instruction with an EVEX prefix accesses, as its manual's page says (Intel manual, volume 2,
//! section 2.7.5): a displacement of one byte counts as many bytes.

/// How many bytes of memory an instruction with an EVEX prefix accesses at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Unit {
    /// As many as a vector of the operation's size has.
    Whole,
    Half,
    Quarter,
    Eighth,
    /// A lane of so many.
    Lane(u8),
}

impl Unit {
    /// The bytes in an operation of `size` bytes.
    pub const fn bytes(self, size: u8) -> u8 {
        match self {
            Unit::Whole => size,
            Unit::Half => size / 2,
            Unit::Quarter => size / 4,
            Unit::Eighth => size / 8,
            Unit::Lane(bytes) => bytes,
        }
    }
}
