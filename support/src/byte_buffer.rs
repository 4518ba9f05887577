//! Bytes that are appended a few at a time, of which only how many is known after they are written.
//!
//! Method: there is initialised room after the bytes, so that a writer gets it as an array of fixed size: nothing is
//! cleared, checked or copied for each byte. [`ByteBuffer::advance`] then says how many of them count.

use std::ops::{Deref, DerefMut};

/// By how many bytes the room grows at least, so that this happens seldom; the shortest functions need no more.
const GROWTH_BYTES: usize = 1024;

/// Bytes with initialised room after them.
#[derive(Clone, Debug, Default)]
pub struct ByteBuffer {
    /// The bytes, and what is in the room after them.
    storage: Vec<u8>,
    len: usize,
}

impl ByteBuffer {
    /// The place of the next `N` bytes, which do not count yet. What is in them is anything.
    #[inline]
    pub fn room<const N: usize>(&mut self) -> &mut [u8; N] {
        if self.storage.len() - self.len < N {
            self.grow(N);
        }
        self.storage[self.len..].first_chunk_mut().expect("there is room")
    }

    /// Makes the first `count` bytes of the room count.
    #[inline]
    pub fn advance(&mut self, count: usize) {
        debug_assert!(count <= self.storage.len() - self.len);
        self.len += count;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, count: usize) {
        self.storage.resize(self.len + count.max(GROWTH_BYTES), 0);
    }

    /// Appends bytes.
    #[inline]
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        if self.storage.len() - self.len < bytes.len() {
            self.grow(bytes.len());
        }
        self.storage[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    /// Appends one byte.
    #[inline]
    pub fn push(&mut self, byte: u8) {
        self.extend_from_slice(&[byte]);
    }

    /// Drops what comes after the first `len` bytes.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Drops what comes after the first `len` bytes, or appends as many as there are fewer.
    pub fn resize(&mut self, len: usize, byte: u8) {
        let old = self.len;
        if len > self.storage.len() {
            self.grow(len - old);
        }
        self.len = len;
        if len > old {
            self.storage[old..len].fill(byte);
        }
    }

    /// Drops all bytes but keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.storage[..self.len]
    }
}

impl Deref for ByteBuffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl DerefMut for ByteBuffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.storage[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_that_were_advanced_over_count() {
        let mut bytes = ByteBuffer::default();
        for number in 0..3000u16 {
            let room = bytes.room::<16>();
            room[..2].copy_from_slice(&number.to_le_bytes());
            room[2..].fill(0xff);
            bytes.advance(2);
        }
        let expected: Vec<u8> = (0..3000u16).flat_map(u16::to_le_bytes).collect();
        assert_eq!(bytes.as_slice(), expected);
    }

    #[test]
    fn grows_and_shrinks_as_a_vector_does() {
        let (mut bytes, mut expected) = (ByteBuffer::default(), Vec::new());
        for (len, byte) in [(3, 1), (9000, 2), (5, 3), (7, 4), (20_000, 5), (1, 6)] {
            bytes.resize(len, byte);
            expected.resize(len, byte);
            bytes.push(byte);
            expected.push(byte);
            bytes.extend_from_slice(&[byte; 5000][..len.min(5000)]);
            expected.extend_from_slice(&[byte; 5000][..len.min(5000)]);
            bytes.truncate(expected.len() - 1);
            expected.truncate(expected.len() - 1);
            assert_eq!(*bytes, *expected);
        }
        bytes.clear();
        assert!(bytes.is_empty());
    }
}
