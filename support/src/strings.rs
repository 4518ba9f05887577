//! Byte strings of a module in one pool, named by offset and length.
//!
//! Symbol names are bytes, not text: LLVM allows any. Nothing is interned; equal strings may stand twice.

/// A byte string in a [`StringPool`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Str {
    offset: u32,
    len: u32,
}

impl Str {
    /// The empty string.
    pub const EMPTY: Str = Str { offset: 0, len: 0 };

    /// Whether the string has no bytes.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The bytes that [`Str`]s point into.
#[derive(Clone, Debug, Default)]
pub struct StringPool {
    bytes: Vec<u8>,
}

impl StringPool {
    /// Adds a string.
    ///
    /// # Panics
    /// When the pool would pass 4 GiB.
    pub fn add(&mut self, bytes: &[u8]) -> Str {
        let offset = u32::try_from(self.bytes.len()).expect("a string pool stays below 4 GiB");
        let len = u32::try_from(bytes.len()).expect("a string stays below 4 GiB");
        self.bytes.extend_from_slice(bytes);
        Str { offset, len }
    }

    /// The part of `whole` that starts at byte `offset` and has `len` bytes; `None` if it does not lie inside.
    pub fn slice(&self, whole: Str, offset: u64, len: u64) -> Option<Str> {
        let end = offset.checked_add(len)?;
        if end > u64::from(whole.len) {
            return None;
        }
        Some(Str {
            offset: whole.offset + offset as u32,
            len: len as u32,
        })
    }

    /// The bytes of a string of this pool; empty for a string of another pool that lies outside.
    pub fn bytes(&self, string: Str) -> &[u8] {
        self.bytes
            .get(string.offset as usize..(string.offset + string.len) as usize)
            .unwrap_or(&[])
    }

    /// The string as text; invalid UTF-8 becomes replacement characters. For messages only.
    pub fn display(&self, string: Str) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.bytes(string))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_stay_inside_their_string() {
        let mut pool = StringPool::default();
        pool.add(b"zero");
        let table = pool.add(b"mainprintf");
        let name = pool.slice(table, 4, 6).expect("inside");
        assert_eq!(pool.bytes(name), b"printf");
        assert!(pool.slice(table, 5, 6).is_none());
        assert!(pool.slice(table, u64::MAX, 2).is_none());
    }
}
