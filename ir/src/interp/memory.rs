//! The interpreter's memory: objects at made-up addresses, with undefined and poison bytes marked.
//!
//! Objects lie apart, so that an access beyond an object's end never falls into another one. An ended object's
//! addresses are not given out again.

use super::{Outcome, Stop};
use std::collections::BTreeMap;

/// The state of a byte: which of its bits are undefined, and whether it is poison.
const POISON: u16 = 0x100;
const UNDEF: u16 = 0xff;

/// Bytes between objects, at least.
const GAP: u64 = 32;

struct Object {
    bytes: Vec<u8>,
    state: Vec<u16>,
    writable: bool,
}

/// A byte as it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Byte {
    pub value: u8,
    /// Which bits are undefined; they are zero in `value`.
    pub undef: u8,
    pub poison: bool,
}

/// All objects.
pub struct Memory {
    objects: BTreeMap<u64, Object>,
    next: u64,
    end: u64,
    bytes_left: u64,
}

impl Memory {
    /// Empty memory for addresses below `end`, with room for so many bytes in all, ended objects included.
    pub(super) fn new(end: u64, bytes: u64) -> Memory {
        Memory {
            objects: BTreeMap::new(),
            next: 0x1_0000,
            end,
            bytes_left: bytes,
        }
    }

    /// The address that no object has been given yet; objects made later lie at or above it.
    pub(super) fn next_address(&self) -> u64 {
        self.next
    }

    /// Makes an object of undefined bytes.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn allocate(&mut self, size: u64, align_log2: u32) -> Outcome<u64> {
        let full = || Stop::Limit("memory".to_owned());
        self.bytes_left = self.bytes_left.checked_sub(size).ok_or_else(full)?;
        let align = 1u64 << align_log2.min(31);
        let base = self.next.checked_next_multiple_of(align).ok_or_else(full)?;
        let next = base
            .checked_add(size)
            .and_then(|end| end.checked_add(GAP))
            .ok_or_else(full)?;
        if next > self.end {
            return Err(full());
        }
        self.next = next;
        let object = Object {
            bytes: vec![0; size as usize],
            state: vec![UNDEF; size as usize],
            writable: true,
        };
        self.objects.insert(base, object);
        Ok(base)
    }

    pub(super) fn end_object(&mut self, base: u64) {
        self.objects.remove(&base);
    }

    /// Forbids writing to an object.
    pub(super) fn protect(&mut self, base: u64) {
        if let Some(object) = self.objects.get_mut(&base) {
            object.writable = false;
        }
    }

    fn object(&self, address: u64, size: u64) -> Option<(u64, usize)> {
        let (&base, object) = self.objects.range(..=address).next_back()?;
        let offset = address - base;
        let fits = offset
            .checked_add(size)
            .is_some_and(|end| end <= object.bytes.len() as u64);
        fits.then_some((base, offset as usize))
    }

    /// Reads bytes, whether they are defined or not.
    ///
    /// # Errors
    /// Undefined behavior, if they do not lie in a live object.
    pub fn read_bytes(&self, address: u64, size: u64) -> Outcome<Vec<Byte>> {
        if size == 0 {
            return Ok(Vec::new());
        }
        let Some((base, offset)) = self.object(address, size) else {
            return Err(Stop::undefined(format!(
                "read of {size} bytes at {address:#x}, outside of any live object"
            )));
        };
        let object = &self.objects[&base];
        let range = offset..offset + size as usize;
        let bytes = object.bytes[range.clone()].iter().zip(&object.state[range]);
        Ok(bytes
            .map(|(&value, &state)| Byte {
                value,
                undef: state as u8,
                poison: state & POISON != 0,
            })
            .collect())
    }

    pub(super) fn write_bytes(&mut self, address: u64, bytes: &[Byte]) -> Outcome<()> {
        let size = bytes.len() as u64;
        if size == 0 {
            return Ok(());
        }
        let object = self.object(address, size);
        let object = object.and_then(|(base, offset)| Some((self.objects.get_mut(&base)?, offset)));
        let Some((object, offset)) = object else {
            return Err(Stop::undefined(format!(
                "write of {size} bytes at {address:#x}, outside of any live object"
            )));
        };
        if !object.writable {
            return Err(Stop::undefined(format!("write to constant data at {address:#x}")));
        }
        for (index, byte) in bytes.iter().enumerate() {
            object.bytes[offset + index] = byte.value & !byte.undef;
            object.state[offset + index] = u16::from(byte.undef) | if byte.poison { POISON } else { 0 };
        }
        Ok(())
    }

    /// Writes defined bytes.
    ///
    /// # Errors
    /// Undefined behavior, if they do not lie in a live, writable object.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Outcome<()> {
        let bytes: Vec<Byte> = bytes
            .iter()
            .map(|&value| Byte {
                value,
                undef: 0,
                poison: false,
            })
            .collect();
        self.write_bytes(address, &bytes)
    }

    /// Reads bytes, all of which must be defined.
    ///
    /// # Errors
    /// Undefined behavior, if they do not lie in a live object or are not defined.
    pub fn read(&self, address: u64, size: u64) -> Outcome<Vec<u8>> {
        let bytes = self.read_bytes(address, size)?;
        if bytes.iter().any(|byte| byte.poison || byte.undef != 0) {
            return Err(Stop::undefined(format!("undefined bytes read at {address:#x}")));
        }
        Ok(bytes.iter().map(|byte| byte.value).collect())
    }

    /// Reads a zero-terminated string, the zero left out.
    ///
    /// # Errors
    /// As [`Memory::read`].
    pub fn read_string(&self, address: u64) -> Outcome<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            match self.read(address.wrapping_add(bytes.len() as u64), 1)?[0] {
                0 => return Ok(bytes),
                byte => bytes.push(byte),
            }
        }
    }
}
