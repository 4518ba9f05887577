//! Registers and sets of them.
//!
//! Physical registers have numbers below [`Reg::FIRST_VIRTUAL`] in two banks of 64 (contract 8): bank 0 holds integer
//! and special registers, bank 1 float and vector registers and, from number 32 on, mask registers. Larger numbers are
//! virtual.

/// A register: physical, virtual, or one of the marks below.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Reg(pub u32);

impl Reg {
    /// No register.
    pub const NONE: Reg = Reg(u32::MAX);
    /// In the place of a memory operand's base: the address is a symbol, label or constant named by the index slot
    /// (see [`crate::reference::Ref`]).
    pub const SYMBOL: Reg = Reg(u32::MAX - 1);
    /// In the place of a memory operand's base: where a frame pointer would point, whether there is one or not.
    pub const FRAME: Reg = Reg(u32::MAX - 2);
    /// The first virtual register's number.
    pub const FIRST_VIRTUAL: u32 = 128;

    /// The physical register `number` of a bank.
    #[inline]
    pub const fn physical(bank: u8, number: u8) -> Reg {
        Reg(bank as u32 * 64 + number as u32)
    }

    /// Whether it is a physical register.
    #[inline]
    pub const fn is_physical(self) -> bool {
        self.0 < Self::FIRST_VIRTUAL
    }

    /// The virtual register with this number among them.
    #[inline]
    pub const fn virtual_number(number: u32) -> Reg {
        Reg(number + Self::FIRST_VIRTUAL)
    }

    /// Whether it is a virtual register.
    #[inline]
    pub const fn is_virtual(self) -> bool {
        self.0 >= Self::FIRST_VIRTUAL && self.is_register()
    }

    /// Whether it is a register at all, none of the marks.
    #[inline]
    pub const fn is_register(self) -> bool {
        self.0 < Self::FRAME.0
    }

    /// The number of a virtual register among them.
    #[inline]
    pub const fn virtual_index(self) -> usize {
        (self.0 - Self::FIRST_VIRTUAL) as usize
    }

    /// Whether it is [`Reg::NONE`].
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == u32::MAX
    }

    /// The bank of a physical register.
    #[inline]
    pub const fn bank(self) -> usize {
        (self.0 >> 6) as usize
    }

    /// The number of a physical register within its bank.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0 & 63
    }

    /// The number over both banks.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Debug for Reg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Reg::NONE => f.write_str("-"),
            Reg::SYMBOL => f.write_str("symbol"),
            Reg::FRAME => f.write_str("frame"),
            Reg(n) if n < Reg::FIRST_VIRTUAL => write!(f, "p{}.{}", n >> 6, n & 63),
            Reg(n) => write!(f, "v{}", n - Reg::FIRST_VIRTUAL),
        }
    }
}

/// The class of registers that a part of a value is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum RegClass {
    /// Integers and pointers.
    Int,
    /// Floating-point numbers and vectors.
    Float,
    /// Truth values of lanes, a bit each, where vectors have registers for them: what the pass `mask-registers` takes
    /// out of general registers. No type of the intermediate representation has parts of this class.
    Mask,
}

impl RegClass {
    /// How many there are.
    pub const COUNT: usize = 3;

    /// The class of a physical register.
    #[inline]
    pub const fn of(reg: Reg) -> RegClass {
        match (reg.bank(), reg.number()) {
            (0, _) => RegClass::Int,
            (_, ..FIRST_MASK) => RegClass::Float,
            _ => RegClass::Mask,
        }
    }

    /// The bank of its registers.
    #[inline]
    pub const fn bank(self) -> usize {
        match self {
            RegClass::Int => 0,
            RegClass::Float | RegClass::Mask => 1,
        }
    }

    /// The registers of its bank that may be of the class, as a bit mask.
    #[inline]
    pub const fn numbers(self) -> u64 {
        match self {
            RegClass::Int => u64::MAX,
            RegClass::Float => (1 << FIRST_MASK) - 1,
            RegClass::Mask => u64::MAX << FIRST_MASK,
        }
    }
}

/// The number of the first mask register in bank 1.
const FIRST_MASK: u32 = 32;

/// A set of physical registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PRegSet {
    banks: [u64; 2],
}

impl PRegSet {
    /// No register.
    pub const EMPTY: PRegSet = PRegSet { banks: [0, 0] };

    /// The set of these registers.
    pub const fn of(regs: &[Reg]) -> PRegSet {
        let mut banks = [0; 2];
        let mut index = 0;
        while index < regs.len() {
            banks[regs[index].bank()] |= 1 << regs[index].number();
            index += 1;
        }
        PRegSet { banks }
    }

    /// The set with these registers of bank 0 and bank 1 as bit masks.
    pub const fn from_banks(int: u64, float: u64) -> PRegSet {
        PRegSet { banks: [int, float] }
    }

    /// The registers of a bank as a bit mask.
    #[inline]
    pub const fn bank(self, bank: usize) -> u64 {
        self.banks[bank]
    }

    /// Whether `reg` is in the set.
    #[inline]
    pub const fn contains(self, reg: Reg) -> bool {
        self.banks[reg.bank()] & (1 << reg.number()) != 0
    }

    /// Adds a register.
    #[inline]
    pub fn insert(&mut self, reg: Reg) {
        self.banks[reg.bank()] |= 1 << reg.number();
    }

    /// Removes a register.
    #[inline]
    pub fn remove(&mut self, reg: Reg) {
        self.banks[reg.bank()] &= !(1 << reg.number());
    }

    /// Registers in either set.
    #[inline]
    #[must_use]
    pub const fn union(self, other: PRegSet) -> PRegSet {
        PRegSet {
            banks: [self.banks[0] | other.banks[0], self.banks[1] | other.banks[1]],
        }
    }

    /// Registers in both sets.
    #[inline]
    #[must_use]
    pub const fn intersection(self, other: PRegSet) -> PRegSet {
        PRegSet {
            banks: [self.banks[0] & other.banks[0], self.banks[1] & other.banks[1]],
        }
    }

    /// Registers of this set that are not in the other.
    #[inline]
    #[must_use]
    pub const fn minus(self, other: PRegSet) -> PRegSet {
        PRegSet {
            banks: [self.banks[0] & !other.banks[0], self.banks[1] & !other.banks[1]],
        }
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.banks[0] | self.banks[1] == 0
    }

    /// The registers, lowest number first, bank 0 first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Reg> {
        let mut rest = self.banks;
        std::iter::from_fn(move || {
            let bank = usize::from(rest[0] == 0);
            let bits = rest[bank];
            if bits == 0 {
                return None;
            }
            rest[bank] = bits & (bits - 1);
            Some(Reg::physical(bank as u8, bits.trailing_zeros() as u8))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_span_both_banks() {
        let (a, b) = (Reg::physical(0, 3), Reg::physical(1, 63));
        let set = PRegSet::of(&[a, b]);
        assert!(set.contains(a) && set.contains(b) && !set.contains(Reg::physical(0, 63)));
        assert_eq!(set.iter().collect::<Vec<_>>(), [a, b]);
        assert_eq!(set.minus(PRegSet::of(&[a])).iter().collect::<Vec<_>>(), [b]);
    }

    #[test]
    fn each_physical_register_is_of_one_class() {
        for reg in (0..Reg::FIRST_VIRTUAL).map(Reg) {
            for class in [RegClass::Int, RegClass::Float, RegClass::Mask] {
                let is_among = class.bank() == reg.bank() && class.numbers() >> reg.number() & 1 != 0;
                assert_eq!(is_among, class == RegClass::of(reg), "{reg:?} {class:?}");
            }
        }
    }
}
