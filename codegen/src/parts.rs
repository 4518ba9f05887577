//! How values are spread over registers.

use crate::reg::RegClass;

/// How a type is spread over registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Number of registers, 1 to 4; 0 for a type the target does not compile.
    pub count: u8,
    /// Whether they are float registers.
    pub float: bool,
    /// Bytes of each part: 1, 2, 4, 8, 16 or, of wide vectors, 32 or 64.
    pub bytes: u8,
}

impl Parts {
    /// The class of registers that all parts are in.
    #[inline]
    pub fn class(self) -> RegClass {
        if self.float { RegClass::Float } else { RegClass::Int }
    }

    /// Whether each part is at most a general register wide: no vector, and a type that is compiled.
    #[inline]
    pub fn is_scalar(self) -> bool {
        matches!(self.bytes, 1..=8)
    }

    /// Whether it is a vector wider than those for which there are instructions for every operation: it is put together
    /// and taken apart where it is passed, and for operations without instructions.
    #[inline]
    pub fn is_wide_vector(self) -> bool {
        self.bytes > 16
    }

    /// Bytes of a frame slot for all parts; at least 4, so that rules may read more than the type's width.
    #[inline]
    pub fn slot_bytes(self) -> u32 {
        u32::from(self.count) * u32::from(self.bytes.max(4))
    }

    /// Where a part lies in the slot.
    #[inline]
    pub fn offset(self, part: u8) -> i32 {
        i32::from(part) * i32::from(self.bytes.max(4))
    }
}
