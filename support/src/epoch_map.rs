//! A dense map whose clearing costs nothing: each entry carries the epoch in which it was written.
//!
//! Invariant: an entry is present exactly when its stamp equals the current epoch.
//! When the 32-bit epoch wraps, all stamps are cleared once.

/// A map from small integers to `T`, cleared by bumping an epoch.
#[derive(Clone, Debug)]
pub struct EpochMap<T> {
    entries: Vec<(u32, T)>,
    epoch: u32,
}

impl<T: Copy + Default> Default for EpochMap<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            epoch: 1,
        }
    }
}

impl<T: Copy + Default> EpochMap<T> {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets every entry and makes room for the keys `0..len`.
    pub fn reset(&mut self, len: usize) {
        if self.epoch == u32::MAX {
            self.entries.iter_mut().for_each(|entry| entry.0 = 0);
            self.epoch = 0;
        }
        self.epoch += 1;
        if self.entries.len() < len {
            self.entries.resize(len, (0, T::default()));
        }
    }

    /// The value at `key`, if one was stored since the last reset. A key beyond the map is absent.
    #[inline]
    pub fn get(&self, key: usize) -> Option<T> {
        match self.entries.get(key) {
            Some(&(epoch, value)) if epoch == self.epoch => Some(value),
            _ => None,
        }
    }

    /// Stores `value` at `key`, growing the map when needed.
    #[inline]
    pub fn set(&mut self, key: usize, value: T) {
        if key >= self.entries.len() {
            self.entries.resize(key + 1, (0, T::default()));
        }
        self.entries[key] = (self.epoch, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reset_forgets_and_wrapping_forgets_too() {
        let mut map = EpochMap::new();
        map.reset(4);
        map.set(2, 7);
        assert_eq!(map.get(2), Some(7));
        map.reset(4);
        assert_eq!(map.get(2), None);
        map.set(9, 1);
        assert_eq!(map.get(9), Some(1));
        map.epoch = u32::MAX;
        map.reset(4);
        assert_eq!(map.get(9), None);
        assert_eq!(map.get(100), None);
    }
}
