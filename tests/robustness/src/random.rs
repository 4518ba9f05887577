//! Numbers that look random and are the same on every machine: the generator SplitMix64.

/// A generator; equal seeds give equal series.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The series `number` of `seed`. Neighboring numbers give unrelated series.
    pub fn new(seed: u64, number: u64) -> Random {
        let mut random = Random(seed);
        let start = random.next_word();
        Random(start ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// The next 64 bits.
    pub fn next_word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// A number below `limit`, which must not be 0. The tiny bias of the remainder does not matter here.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next_word() % limit as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_repeatable_and_different() {
        let first = |seed, number| Random::new(seed, number).next_word();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(1, 3));
        assert_ne!(first(1, 2), first(2, 2));
    }

    #[test]
    fn numbers_stay_below_the_limit() {
        let mut random = Random::new(9, 9);
        assert!((0..1000).all(|_| random.below(7) < 7));
    }
}
