//! The classes of floats that `is.fpclass` asks for, as ranges of their bits.

/// One class of `is.fpclass`: the values whose bits, taken as an integer, lie between the bounds (both included).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassRange {
    /// Its bit among those of the classes that are asked for.
    pub mask: i64,
    /// The least bits.
    pub low: u128,
    /// The greatest bits.
    pub high: u128,
}

/// Signaling and quiet NaNs: one class each for both signs.
pub const NAN_CLASSES: i64 = 3;

/// The classes of a float format with a sign bit, an exponent and a fraction of `fraction_bits`, in ascending order of
/// bits (LLVM Language Reference, `llvm.is.fpclass`); of NaNs, those with a positive sign.
pub fn class_ranges(total_bits: u32, fraction_bits: u32) -> [ClassRange; 10] {
    let sign = 1u128 << (total_bits - 1);
    let quiet = 1u128 << (fraction_bits - 1);
    let least_normal = 1u128 << fraction_bits;
    let infinity = (sign - 1) & !(least_normal - 1);
    let positive = |mask, low, high| ClassRange { mask, low, high };
    let negative = |mask, low, high| ClassRange {
        mask,
        low: low | sign,
        high: high | sign,
    };
    [
        positive(0x40, 0, 0),
        positive(0x80, 1, least_normal - 1),
        positive(0x100, least_normal, infinity - 1),
        positive(0x200, infinity, infinity),
        positive(0x1, infinity + 1, infinity + quiet - 1),
        positive(0x2, infinity + quiet, sign - 1),
        negative(0x20, 0, 0),
        negative(0x10, 1, least_normal - 1),
        negative(0x8, least_normal, infinity - 1),
        negative(0x4, infinity, infinity),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_half_cover_all_bits_once() {
        let ranges = class_ranges(16, 10);
        let of = |bits: u128| {
            ranges
                .iter()
                .filter(|range| (range.low..=range.high).contains(&bits))
                .count()
        };
        assert!((0..0xfc01).all(|bits| of(bits) == 1));
        assert!((0xfc01..=0xffff).all(|bits| of(bits) == 0 && of(bits & 0x7fff) == 1));
    }
}
