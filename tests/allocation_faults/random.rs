//! A generator of pseudo-random numbers for the choice of faults (xorshift).

/// The generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.below(2);
        }
        random
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % bound.max(1) as u64) as usize
    }

    /// One of several things.
    pub fn pick<T: Copy>(&mut self, things: &[T]) -> Option<T> {
        let index = self.below(things.len());
        things.get(index).copied()
    }
}
