//! Fields of plain abbreviations: how one is taken from a window of 64 bits without a look at its kind.

/// One field, fixed or variable. The lowest bit of the window among those that are stop bits and clear, or that are
/// in `fixed`, is the field's last bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The continuation bits of the first four chunks; 0 for a fixed field.
    pub(super) stops: u64,
    /// The last bit of a fixed field; 0 for a variable one.
    pub(super) fixed: u64,
    /// Bits that stay when chunks are pushed together, first in pairs, then in fours.
    pub(super) keep: [u64; 2],
}

impl Step {
    /// A variable-width integer of chunks of four bits.
    pub const VBR4: Step = Step {
        stops: 0x8888,
        fixed: 0,
        keep: [0x0f0f_0f0f_0f0f_0f0f, 0x00ff_00ff_00ff_00ff],
    };

    /// A variable-width integer of chunks of six bits.
    pub const VBR6: Step = Step {
        stops: 0o40_40_40_40,
        fixed: 0,
        keep: [0o0017_0077_0077_0077_0077_0077, 0o7777_0000_7777_0000_7777],
    };

    /// A field of 1 to 57 bits.
    pub fn fixed(width: u8) -> Step {
        Step {
            stops: 0,
            fixed: 1 << (width - 1),
            keep: [u64::MAX; 2],
        }
    }

    /// A variable-width integer, by the continuation bits of its first four chunks and the bits that stay when they are
    /// pushed together ([`super::cursor::chunks`]).
    pub fn variable((stops, keep): (u64, [u64; 2])) -> Step {
        Step { stops, fixed: 0, keep }
    }

    /// The length of the field at bit 0 of `window`; more than 64 if the plan does not cover it.
    #[inline]
    pub fn length(&self, window: u64) -> u32 {
        (!window & self.stops | self.fixed).trailing_zeros() + 1
    }

    /// The field at bit 0 of `window` and its length; a length of more than 64 if the plan does not cover it.
    #[inline]
    pub fn read(&self, window: u64) -> (u64, u32) {
        let last = !window & self.stops | self.fixed;
        let field = last ^ last.wrapping_sub(1);
        let mut value = window & field & !self.stops;
        let [pairs, fours] = self.keep;
        value = (value & pairs) | ((value & !pairs) >> 1);
        value = (value & fours) | ((value & !fours) >> 2);
        (value, last.trailing_zeros() + 1)
    }
}
