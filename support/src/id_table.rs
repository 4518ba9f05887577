//! A hash table of small numbers whose keys are looked up elsewhere.
//!
//! Method: the table of `hashbrown` that leaves hashing and comparing to the caller, so that one table serves any kind
//! of key. Nothing is removed; the table is emptied as a whole, and sized for what will come, so that it never grows
//! while it is filled.

use hashbrown::HashTable;

/// A table of numbers.
#[derive(Clone, Debug, Default)]
pub struct IdTable {
    numbers: HashTable<u32>,
}

impl IdTable {
    /// Empties the table and makes room for `count` numbers.
    pub fn reset(&mut self, count: usize) {
        // The next lookup after `count` numbers asks for room, too, before it looks.
        let room = count + 1;
        // Emptying costs what the size costs, so a table that something much larger has left is not kept.
        if self.numbers.capacity() / 16 > room.max(64) {
            self.numbers = HashTable::with_capacity(room);
        } else {
            self.numbers.clear();
            self.numbers.reserve(room, is_full);
        }
    }

    /// The number with this hash for which `is_equal` holds, or else `number`, which is then entered.
    ///
    /// # Panics
    /// When more numbers are entered than there is room for.
    #[inline]
    pub fn find_or_insert(&mut self, hash: u64, number: u32, mut is_equal: impl FnMut(u32) -> bool) -> u32 {
        let entry = self.numbers.entry(hash, |&other| is_equal(other), is_full);
        *entry.or_insert(number).get()
    }

    /// Enters `number` in place of the equal one that is there, if any.
    ///
    /// # Panics
    /// When more numbers are entered than there is room for.
    pub fn replace(&mut self, hash: u64, number: u32, mut is_equal: impl FnMut(u32) -> bool) {
        let entry = self.numbers.entry(hash, |&other| is_equal(other), is_full);
        *entry.or_insert(number).get_mut() = number;
    }
}

/// Stands for the hash of what is there already, which only a table that grows needs.
#[cold]
fn is_full(_: &u32) -> u64 {
    panic!("an id table is full");
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
