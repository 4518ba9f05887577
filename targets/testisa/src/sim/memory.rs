//! The simulator's memory: one piece, with the code at its start.

use super::Fault;

/// Bytes from an address on.
#[derive(Clone, Debug)]
pub struct Memory {
    start: u32,
    code_end: u32,
    bytes: Vec<u8>,
}

impl Memory {
    /// These bytes from `start` on, of which the first `code_bytes` cannot be written.
    pub fn new(start: u32, code_bytes: u32, bytes: Vec<u8>) -> Memory {
        Memory {
            start,
            code_end: start + code_bytes,
            bytes,
        }
    }

    /// The first address.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// The address after the last.
    pub fn end(&self) -> u32 {
        self.start + self.bytes.len() as u32
    }

    /// Bytes from an address on.
    ///
    /// # Errors
    /// When some are outside.
    pub fn slice(&self, address: u32, len: u32) -> Result<&[u8], Fault> {
        let from = address.wrapping_sub(self.start) as usize;
        let range = from..from.saturating_add(len as usize);
        self.bytes
            .get(range)
            .ok_or_else(|| Fault::Memory(format!("access of {len} bytes at {address:#x}, outside of memory")))
    }

    /// The same, to be written.
    ///
    /// # Errors
    /// When some are outside or code.
    pub fn slice_mut(&mut self, address: u32, len: u32) -> Result<&mut [u8], Fault> {
        self.slice(address, len)?;
        if address < self.code_end && len > 0 {
            return Err(Fault::Memory(format!("write of {len} bytes at {address:#x}, to code")));
        }
        let from = (address - self.start) as usize;
        Ok(&mut self.bytes[from..from + len as usize])
    }

    /// Loads `len` (1 to 8) aligned bytes, zero-extended.
    ///
    /// # Errors
    /// When they are outside or not aligned.
    pub fn load(&self, address: u32, len: u32) -> Result<u64, Fault> {
        check_alignment(address, len)?;
        let mut word = [0; 8];
        word[..len as usize].copy_from_slice(self.slice(address, len)?);
        Ok(u64::from_le_bytes(word))
    }

    /// Stores the low `len` (1 to 8) bytes, aligned.
    ///
    /// # Errors
    /// When they are outside, code, or not aligned.
    pub fn store(&mut self, address: u32, len: u32, value: u64) -> Result<(), Fault> {
        check_alignment(address, len)?;
        let bytes = &value.to_le_bytes()[..len as usize];
        self.slice_mut(address, len)?.copy_from_slice(bytes);
        Ok(())
    }
}

fn check_alignment(address: u32, len: u32) -> Result<(), Fault> {
    if address.is_multiple_of(len.min(4)) {
        return Ok(());
    }
    Err(Fault::Memory(format!(
        "access of {len} bytes at {address:#x}, not aligned"
    )))
}
