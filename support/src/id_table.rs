//! A hash table of small numbers whose keys are looked up elsewhere.
//!
//! Method: open addressing with linear probing; an entry is the number and part of its hash, so that most mismatches
//! are seen without looking. The caller hashes and compares, so one table serves any kind of key. Nothing is removed;
//! the table is emptied as a whole, and sized for what will come, so that it never grows while it is filled.

/// A table of numbers below 2^32 - 1.
#[derive(Clone, Debug, Default)]
pub struct IdTable {
    /// Hash in the upper half, number plus one in the lower; zero is free.
    entries: Vec<u64>,
}

impl IdTable {
    /// Empties the table and makes room for `count` numbers.
    pub fn reset(&mut self, count: usize) {
        self.entries.clear();
        self.entries.resize((count * 2).next_power_of_two().max(16), 0);
    }

    /// The number with this hash for which `is_equal` holds, or else `number`, which is then entered.
    ///
    /// # Panics
    /// When more numbers are entered than there is room for.
    #[inline]
    pub fn find_or_insert(&mut self, hash: u64, number: u32, is_equal: impl FnMut(u32) -> bool) -> u32 {
        let place = self.place(hash, is_equal);
        let entry = &mut self.entries[place];
        if *entry == 0 {
            *entry = entry_of(hash, number);
        }
        (*entry as u32) - 1
    }

    /// Enters `number` in place of the equal one that is there, if any.
    pub fn replace(&mut self, hash: u64, number: u32, is_equal: impl FnMut(u32) -> bool) {
        let place = self.place(hash, is_equal);
        self.entries[place] = entry_of(hash, number);
    }

    /// Where the equal number stands, or could be entered.
    #[inline]
    fn place(&self, hash: u64, mut is_equal: impl FnMut(u32) -> bool) -> usize {
        let mask = self.entries.len() - 1;
        let mut place = hash as usize & mask;
        for _ in 0..self.entries.len() {
            let entry = self.entries[place];
            if entry == 0 || (entry >> 32 == hash >> 32 && is_equal(entry as u32 - 1)) {
                return place;
            }
            place = (place + 1) & mask;
        }
        panic!("an id table is full");
    }
}

fn entry_of(hash: u64, number: u32) -> u64 {
    (hash >> 32) << 32 | u64::from(number + 1)
}

/// Hashes a sequence of words. The upper half of the result is as good as the lower.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordHasher(u64);

impl WordHasher {
    /// The hash with one more word.
    #[inline]
    #[must_use]
    pub fn with(self, word: u64) -> WordHasher {
        WordHasher((self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The hash of the words so far.
    #[inline]
    pub fn finish(self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_share_a_number_and_others_do_not() {
        let keys: Vec<u64> = (0..1000).map(|number| number % 300).collect();
        let mut table = IdTable::default();
        for _ in 0..2 {
            table.reset(keys.len());
            for (number, &key) in keys.iter().enumerate() {
                let hash = WordHasher::default().with(key).finish();
                let found = table.find_or_insert(hash, number as u32, |other| keys[other as usize] == key);
                assert_eq!(u64::from(found), key, "the first number with this key");
            }
        }
    }

    #[test]
    fn a_number_is_replaced_by_an_equal_one() {
        let mut table = IdTable::default();
        table.reset(4);
        // All with one hash, so that the probing is tried as well.
        for number in 0..4 {
            assert_eq!(table.find_or_insert(7, number, |other| other == number), number);
        }
        table.replace(7, 12, |other| other == 2);
        assert_eq!(table.find_or_insert(7, 5, |other| other % 10 == 2), 12);
    }
}
