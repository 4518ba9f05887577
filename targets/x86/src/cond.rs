//! Condition codes as the hardware numbers them.

/// A condition on the flags; its value is the low four bits of `jcc`, `setcc` and `cmovcc` opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cond {
    /// Overflow.
    O,
    /// No overflow.
    No,
    /// Below, unsigned; carry.
    B,
    /// Above or equal, unsigned; no carry.
    Ae,
    /// Equal; zero.
    E,
    /// Not equal; not zero.
    Ne,
    /// Below or equal, unsigned.
    Be,
    /// Above, unsigned.
    A,
    /// Negative.
    S,
    /// Not negative.
    Ns,
    /// Parity even; unordered after a float compare.
    P,
    /// Parity odd; ordered after a float compare.
    Np,
    /// Less, signed.
    L,
    /// Greater or equal, signed.
    Ge,
    /// Less or equal, signed.
    Le,
    /// Greater, signed.
    G,
}

impl Cond {
    /// All conditions by number.
    pub const ALL: [Cond; 16] = [
        Cond::O,
        Cond::No,
        Cond::B,
        Cond::Ae,
        Cond::E,
        Cond::Ne,
        Cond::Be,
        Cond::A,
        Cond::S,
        Cond::Ns,
        Cond::P,
        Cond::Np,
        Cond::L,
        Cond::Ge,
        Cond::Le,
        Cond::G,
    ];

    /// The condition with this number (the low four bits count).
    #[inline]
    pub const fn from_number(number: u8) -> Cond {
        Cond::ALL[(number & 15) as usize]
    }

    /// The condition as encodings have it in their low four bits.
    #[inline]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The condition with a name as assemblers write it.
    pub fn from_name(name: &str) -> Option<Cond> {
        // Other names of the same conditions (Intel manual, volume 1, appendix B).
        let name = match name {
            "c" | "nae" => "b",
            "nc" | "nb" => "ae",
            "z" => "e",
            "nz" => "ne",
            "na" => "be",
            "nbe" => "a",
            "pe" => "p",
            "po" => "np",
            "nge" => "l",
            "nl" => "ge",
            "ng" => "le",
            "nle" => "g",
            name => name,
        };
        Cond::ALL.into_iter().find(|cond| cond.name() == name)
    }

    /// The condition that holds exactly when this one does not.
    #[inline]
    #[must_use]
    pub const fn invert(self) -> Cond {
        Cond::from_number(self as u8 ^ 1)
    }

    /// The condition after the operands of the compare changed places. Overflow and sign are not relations of the
    /// two operands, so nothing may ask for theirs.
    #[inline]
    #[must_use]
    pub const fn swap(self) -> Cond {
        match self {
            Cond::B => Cond::A,
            Cond::A => Cond::B,
            Cond::Ae => Cond::Be,
            Cond::Be => Cond::Ae,
            Cond::L => Cond::G,
            Cond::G => Cond::L,
            Cond::Ge => Cond::Le,
            Cond::Le => Cond::Ge,
            Cond::E | Cond::Ne | Cond::P | Cond::Np => self,
            Cond::O | Cond::No | Cond::S | Cond::Ns => {
                debug_assert!(false, "a condition of one operand only");
                self
            }
        }
    }

    /// The suffix in `jcc`, `setcc` and `cmovcc`.
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; 16] = [
            "o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g",
        ];
        NAMES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The flags after `cmp a, b` on bytes: carry, zero, sign, overflow.
    fn compare(a: u8, b: u8) -> [bool; 4] {
        let (result, carry) = a.overflowing_sub(b);
        let overflow = a.cast_signed().overflowing_sub(b.cast_signed()).1;
        [carry, result == 0, result >= 128, overflow]
    }

    fn holds(cond: Cond, [carry, zero, sign, overflow]: [bool; 4]) -> bool {
        match cond {
            Cond::B => carry,
            Cond::Ae => !carry,
            Cond::E => zero,
            Cond::Ne => !zero,
            Cond::Be => carry || zero,
            Cond::A => !carry && !zero,
            Cond::L => sign != overflow,
            Cond::Ge => sign == overflow,
            Cond::Le => zero || sign != overflow,
            Cond::G => !zero && sign == overflow,
            _ => unreachable!("not a compare of integers"),
        }
    }

    #[test]
    fn inverting_and_swapping_agree_with_the_flags() {
        let relations = Cond::ALL[2..8].iter().chain(&Cond::ALL[12..]);
        for &cond in relations.clone() {
            for (a, b) in [(0, 0), (1, 2), (2, 1), (0x80, 1), (1, 0x80), (0xff, 0x7f), (0x7f, 0xff)] {
                assert_ne!(holds(cond, compare(a, b)), holds(cond.invert(), compare(a, b)));
                assert_eq!(
                    holds(cond, compare(a, b)),
                    holds(cond.swap(), compare(b, a)),
                    "{cond:?}"
                );
            }
        }
        assert_eq!(relations.count(), 10);
        assert!(
            Cond::ALL
                .iter()
                .enumerate()
                .all(|(number, &cond)| cond as usize == number)
        );
    }
}
