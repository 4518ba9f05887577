//! Numbers that look random and are the same on every machine (xorshift).

use std::collections::VecDeque;

/// A generator of such numbers, or of numbers that bytes say as long as there are any.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    bytes: VecDeque<u8>,
}

impl Random {
    /// A generator with this seed; equal seeds give equal numbers.
    pub fn new(seed: u64) -> Random {
        let mut random = Random {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            bytes: VecDeque::new(),
        };
        // The first numbers are still like the seed.
        for _ in 0..8 {
            random.next_word();
        }
        random
    }

    /// The generator `number` of a series. Neighboring numbers and seeds give unrelated generators.
    pub fn of_series(seed: u64, number: u64) -> Random {
        Random::new(Random::new(seed).next_word() ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// A generator whose first numbers are made of these bytes, so that a fuzzer can choose.
    pub fn from_bytes(bytes: &[u8]) -> Random {
        Random {
            bytes: bytes.to_vec().into(),
            ..Random::new(1)
        }
    }

    /// The next 64 bits.
    pub fn next_word(&mut self) -> u64 {
        if let Some(byte) = self.bytes.pop_front() {
            // Choices look at the bits from the twentieth on; the others make numbers that are literals.
            return u64::from(byte) << 20 | u64::from(byte) << 50;
        }
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    /// A number below `bound`; 0 if there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.next_word() >> 20) % bound.max(1) as u64) as usize
    }

    /// Whether one of `chances` came, which is the case that often.
    pub fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    /// One of several things, of which there must be one.
    pub fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())]
    }

    /// One of several things, if there are any.
    pub fn pick_if_any<T: Copy>(&mut self, things: &[T]) -> Option<T> {
        let index = self.below(things.len());
        things.get(index).copied()
    }

    /// Puts things into another order, each equally likely (the shuffle of Fisher and Yates).
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_give_repeatable_and_different_numbers() {
        let first = |seed| Random::new(seed).next_word();
        assert_eq!(first(3), first(3));
        assert_ne!(first(3), first(4));
    }

    #[test]
    fn generators_of_a_series_differ() {
        let first = |seed, number| Random::of_series(seed, number).next_word();
        assert_eq!(first(1, 2), first(1, 2));
        let firsts: Vec<u64> = (0..10)
            .flat_map(|seed| (0..10).map(move |number| first(seed, number)))
            .collect();
        assert_eq!(firsts.iter().collect::<std::collections::BTreeSet<_>>().len(), 100);
    }

    #[test]
    fn numbers_stay_below_the_bound_and_reach_it() {
        let mut random = Random::new(9);
        let seen: std::collections::BTreeSet<usize> = (0..1000).map(|_| random.below(7)).collect();
        assert_eq!(seen, (0..7).collect());
        assert_eq!(random.pick_if_any::<u8>(&[]), None);
    }

    #[test]
    fn bytes_are_choices_until_they_are_used_up() {
        let mut random = Random::from_bytes(&[5, 250]);
        assert_eq!((random.below(256), random.below(256)), (5, 250));
        assert_eq!(random.next_word(), Random::new(1).next_word());
    }

    #[test]
    fn a_shuffle_keeps_everything() {
        let mut things: Vec<usize> = (0..50).collect();
        Random::new(1).shuffle(&mut things);
        assert_ne!(things, (0..50).collect::<Vec<_>>());
        things.sort_unstable();
        assert_eq!(things, (0..50).collect::<Vec<_>>());
    }
}
