//! Conditions on the flags (Arm ARM, C1.2.4), and those that say what comparisons of floats come to.

/// A condition, by the number that instructions have for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cond {
    /// Equal.
    Eq,
    /// Not equal, or unordered.
    Ne,
    /// Unsigned greater or equal: the carry is set. Of floats: greater, equal or unordered.
    Hs,
    /// Unsigned less. Of floats: less.
    Lo,
    /// Negative. Of floats: less.
    Mi,
    /// Not negative. Of floats: greater, equal or unordered.
    Pl,
    /// Overflow. Of floats: unordered.
    Vs,
    /// No overflow. Of floats: ordered.
    Vc,
    /// Unsigned greater. Of floats: greater or unordered.
    Hi,
    /// Unsigned less or equal. Of floats: less or equal.
    Ls,
    /// Signed greater or equal. Of floats: greater or equal.
    Ge,
    /// Signed less. Of floats: less or unordered.
    Lt,
    /// Signed greater. Of floats: greater.
    Gt,
    /// Signed less or equal. Of floats: less, equal or unordered.
    Le,
    /// Always.
    Al,
    /// Always, in the encoding that nothing is compiled to.
    Nv,
}

/// All conditions by number.
pub const ALL: [Cond; 16] = [
    Cond::Eq,
    Cond::Ne,
    Cond::Hs,
    Cond::Lo,
    Cond::Mi,
    Cond::Pl,
    Cond::Vs,
    Cond::Vc,
    Cond::Hi,
    Cond::Ls,
    Cond::Ge,
    Cond::Lt,
    Cond::Gt,
    Cond::Le,
    Cond::Al,
    Cond::Nv,
];

const NAMES: [&str; 16] = [
    "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv",
];

impl Cond {
    /// The condition with this number, of which the lowest four bits count.
    pub const fn from_number(number: u8) -> Cond {
        ALL[(number & 15) as usize]
    }

    /// Its name in text.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// The condition with a name; `cs` and `cc` are `hs` and `lo`.
    pub fn named(name: &str) -> Option<Cond> {
        let name = match name {
            "cs" => "hs",
            "cc" => "lo",
            other => other,
        };
        NAMES.iter().position(|known| *known == name).map(|number| ALL[number])
    }

    /// The condition that holds when this one does not.
    #[must_use]
    pub const fn inverse(self) -> Cond {
        ALL[self as usize ^ 1]
    }

    /// The condition for exchanged operands of a comparison of integers; `None` for those that look at one flag that
    /// an exchange does not keep.
    pub const fn swapped(self) -> Option<Cond> {
        Some(match self {
            Cond::Eq | Cond::Ne | Cond::Al | Cond::Nv => self,
            Cond::Hs => Cond::Ls,
            Cond::Ls => Cond::Hs,
            Cond::Lo => Cond::Hi,
            Cond::Hi => Cond::Lo,
            Cond::Ge => Cond::Le,
            Cond::Le => Cond::Ge,
            Cond::Lt => Cond::Gt,
            Cond::Gt => Cond::Lt,
            Cond::Mi | Cond::Pl | Cond::Vs | Cond::Vc => return None,
        })
    }

    /// Whether it holds with these flags (Arm ARM, `ConditionHolds`).
    pub const fn holds(self, flags: Flags) -> bool {
        let Flags { n, z, c, v } = flags;
        match self {
            Cond::Eq => z,
            Cond::Ne => !z,
            Cond::Hs => c,
            Cond::Lo => !c,
            Cond::Mi => n,
            Cond::Pl => !n,
            Cond::Vs => v,
            Cond::Vc => !v,
            Cond::Hi => c && !z,
            Cond::Ls => !c || z,
            Cond::Ge => n == v,
            Cond::Lt => n != v,
            Cond::Gt => n == v && !z,
            Cond::Le => n != v || z,
            Cond::Al | Cond::Nv => true,
        }
    }
}

/// The four flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// Negative.
    pub n: bool,
    /// Zero.
    pub z: bool,
    /// Carry: no borrow after a subtraction.
    pub c: bool,
    /// Overflow.
    pub v: bool,
}

impl Flags {
    /// The flags of a number of four bits, as `ccmp` has it.
    pub const fn of_bits(bits: u8) -> Flags {
        Flags {
            n: bits & 8 != 0,
            z: bits & 4 != 0,
            c: bits & 2 != 0,
            v: bits & 1 != 0,
        }
    }
}

impl Cond {
    /// Flags, as a number of four bits, with which the condition holds: what a conditional comparison leaves when it
    /// does not compare.
    pub const fn flags_that_hold(self) -> u8 {
        let mut bits = 0;
        while !self.holds(Flags::of_bits(bits)) {
            bits += 1;
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_holds_where_the_condition_does_not() {
        for (number, cond) in ALL.into_iter().enumerate() {
            assert_eq!(cond as usize, number);
            assert_eq!(Cond::named(cond.name()), Some(cond));
            if matches!(cond, Cond::Al | Cond::Nv) {
                continue;
            }
            for bits in 0..16 {
                let flags = Flags::of_bits(bits);
                assert_ne!(cond.holds(flags), cond.inverse().holds(flags), "{cond:?} {flags:?}");
            }
            assert!(cond.holds(Flags::of_bits(cond.flags_that_hold())));
        }
    }

    /// The flags that `cmp left, right` leaves, in 8 bits.
    fn compared(left: i8, right: i8) -> Flags {
        let difference = left.wrapping_sub(right);
        Flags {
            n: difference < 0,
            z: difference == 0,
            c: left.cast_unsigned() >= right.cast_unsigned(),
            v: left.checked_sub(right).is_none(),
        }
    }

    #[test]
    fn conditions_mean_what_they_say_for_all_bytes() {
        for left in i8::MIN..=i8::MAX {
            for right in i8::MIN..=i8::MAX {
                let (flags, back) = (compared(left, right), compared(right, left));
                let (a, b) = (left.cast_unsigned(), right.cast_unsigned());
                assert_eq!(Cond::Eq.holds(flags), left == right);
                assert_eq!(Cond::Hs.holds(flags), a >= b);
                assert_eq!(Cond::Lo.holds(flags), a < b);
                assert_eq!(Cond::Hi.holds(flags), a > b);
                assert_eq!(Cond::Ls.holds(flags), a <= b);
                assert_eq!(Cond::Ge.holds(flags), left >= right);
                assert_eq!(Cond::Lt.holds(flags), left < right);
                assert_eq!(Cond::Gt.holds(flags), left > right);
                assert_eq!(Cond::Le.holds(flags), left <= right);
                for cond in ALL {
                    if let Some(swapped) = cond.swapped() {
                        assert_eq!(cond.holds(flags), swapped.holds(back), "{cond:?}");
                    }
                }
            }
        }
    }
}
