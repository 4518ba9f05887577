//! Call frame information: the `.eh_frame` section.
//!
//! Format: DWARF 5, section 6.4, as changed by the Linux Standard Base, "Exception Frames". There is one common entry
//! (augmentation `zR`: distances of 4 bytes from the field), then one entry for each function. Padding is what GNU
//! `as` writes, so that text assembles to the same bytes.

use frazil_codegen::{TargetDesc, UnwindOp};

const ADVANCE: u8 = 0x40;
const OFFSET: u8 = 0x80;
const ADVANCE1: u8 = 0x02;
const ADVANCE2: u8 = 0x03;
const ADVANCE4: u8 = 0x04;
const OFFSET_EXTENDED: u8 = 0x05;
const REMEMBER_STATE: u8 = 0x0a;
const RESTORE_STATE: u8 = 0x0b;
const DEF_CFA: u8 = 0x0c;
const DEF_CFA_REGISTER: u8 = 0x0d;
const DEF_CFA_OFFSET: u8 = 0x0e;
const OFFSET_EXTENDED_SF: u8 = 0x11;
const DEF_CFA_SF: u8 = 0x12;
const DEF_CFA_OFFSET_SF: u8 = 0x13;
/// Pointers are signed 4-byte distances from the field.
const POINTER_ENCODING: u8 = 0x1b;

/// The section while it is made.
#[derive(Debug)]
pub struct FrameTable {
    bytes: Vec<u8>,
    code_align: u32,
    data_align: i32,
    little_endian: bool,
    /// Where the last entry starts.
    last: usize,
}

impl FrameTable {
    /// A table with nothing but the common entry.
    pub fn new(target: &TargetDesc) -> FrameTable {
        let elf = &target.elf;
        let mut table = FrameTable {
            bytes: Vec::new(),
            code_align: u32::from(elf.code_align.max(1)),
            data_align: i32::from(elf.data_align),
            little_endian: elf.little_endian,
            last: 0,
        };
        table.put_common_entry(elf.return_address_column, elf.initial_unwind);
        table
    }

    fn put_common_entry(&mut self, return_address_column: u16, initial: &[UnwindOp]) {
        self.put_u32(0);
        self.put_u32(0);
        self.bytes.extend_from_slice(b"\x01zR\0");
        self.put_unsigned(self.code_align);
        self.put_signed(self.data_align);
        self.bytes.push(return_address_column as u8);
        self.bytes.extend_from_slice(&[1, POINTER_ENCODING]);
        initial.iter().for_each(|&op| self.put_op(op));
        self.close(4);
    }

    /// Adds the entry of a function of `code_bytes` bytes. Returns where the field is that needs the distance to its
    /// first byte.
    pub fn add(&mut self, code_bytes: u32, ops: &[(u32, UnwindOp)]) -> u64 {
        self.last = self.bytes.len();
        self.put_u32(0);
        self.put_u32(self.bytes.len() as u32);
        let field = self.bytes.len() as u64;
        self.put_u32(0);
        self.put_u32(code_bytes);
        self.bytes.push(0);
        let mut at = 0;
        for &(offset, op) in ops {
            self.advance(offset - at);
            at = offset;
            self.put_op(op);
        }
        self.close(4);
        field
    }

    /// The bytes of the section, padded to `align` bytes; a power of two of at least 4.
    pub fn finish(mut self, align: usize) -> Vec<u8> {
        self.close(align);
        self.bytes
    }

    /// Pads the last entry and fills in its length.
    fn close(&mut self, align: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(align), 0);
        let length = (self.bytes.len() - self.last - 4) as u32;
        let field = self.encode_u32(length);
        self.bytes[self.last..self.last + 4].copy_from_slice(&field);
    }

    fn advance(&mut self, bytes: u32) {
        let delta = bytes / self.code_align;
        match delta {
            0 => {}
            1..0x40 => self.bytes.push(ADVANCE | delta as u8),
            0x40..0x100 => self.bytes.extend_from_slice(&[ADVANCE1, delta as u8]),
            0x100..0x1_0000 => {
                self.bytes.push(ADVANCE2);
                let half = delta as u16;
                let field = if self.little_endian {
                    half.to_le_bytes()
                } else {
                    half.to_be_bytes()
                };
                self.bytes.extend_from_slice(&field);
            }
            _ => {
                self.bytes.push(ADVANCE4);
                self.put_u32(delta);
            }
        }
    }

    fn put_op(&mut self, op: UnwindOp) {
        match op {
            UnwindOp::DefineCfa(register, offset) => match u32::try_from(offset) {
                Ok(offset) => {
                    self.put_with(DEF_CFA, u32::from(register));
                    self.put_unsigned(offset);
                }
                Err(_) => {
                    self.put_with(DEF_CFA_SF, u32::from(register));
                    self.put_signed(offset / self.data_align);
                }
            },
            UnwindOp::DefineCfaOffset(offset) => match u32::try_from(offset) {
                Ok(offset) => self.put_with(DEF_CFA_OFFSET, offset),
                Err(_) => {
                    self.bytes.push(DEF_CFA_OFFSET_SF);
                    self.put_signed(offset / self.data_align);
                }
            },
            UnwindOp::DefineCfaRegister(register) => self.put_with(DEF_CFA_REGISTER, u32::from(register)),
            UnwindOp::SavedAt(register, offset) => self.put_saved(register, offset / self.data_align),
            UnwindOp::RememberState => self.bytes.push(REMEMBER_STATE),
            UnwindOp::RestoreState => self.bytes.push(RESTORE_STATE),
        }
    }

    fn put_saved(&mut self, register: u16, factored: i32) {
        match u32::try_from(factored) {
            Ok(factored) if register < 0x40 => self.put_with(OFFSET | register as u8, factored),
            Ok(factored) => {
                self.put_with(OFFSET_EXTENDED, u32::from(register));
                self.put_unsigned(factored);
            }
            Err(_) => {
                self.put_with(OFFSET_EXTENDED_SF, u32::from(register));
                self.put_signed(factored);
            }
        }
    }

    fn put_with(&mut self, op: u8, operand: u32) {
        self.bytes.push(op);
        self.put_unsigned(operand);
    }

    /// Appends an unsigned LEB128 number.
    fn put_unsigned(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Appends a signed LEB128 number.
    fn put_signed(&mut self, mut value: i32) {
        while !(-0x40..0x40).contains(&value) {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8 & 0x7f);
    }

    fn put_u32(&mut self, value: u32) {
        let field = self.encode_u32(value);
        self.bytes.extend_from_slice(&field);
    }

    fn encode_u32(&self, value: u32) -> [u8; 4] {
        if self.little_endian {
            value.to_le_bytes()
        } else {
            value.to_be_bytes()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What GNU as 2.40 makes of the same steps as `.cfi` directives.
    const EXPECTED: &str = "\
                14000000 00000000 017a5200 01781001 1b0c0708 90010000 \
                28000000 1c000000 00000000 05130100 00410e10 8602430d \
                06026483 03032c01 0a0c0708 04701101 000b0000 10000000 \
                48000000 00000000 05000000 00000000";

    #[test]
    fn the_bytes_are_those_of_gnu_as() {
        let mut table = FrameTable {
            bytes: Vec::new(),
            code_align: 1,
            data_align: -8,
            little_endian: true,
            last: 0,
        };
        table.put_common_entry(16, &[UnwindOp::DefineCfa(7, 8), UnwindOp::SavedAt(16, -8)]);
        let steps = [
            (1, UnwindOp::DefineCfaOffset(16)),
            (1, UnwindOp::SavedAt(6, -16)),
            (4, UnwindOp::DefineCfaRegister(6)),
            (104, UnwindOp::SavedAt(3, -24)),
            (404, UnwindOp::RememberState),
            (404, UnwindOp::DefineCfa(7, 8)),
            (70404, UnwindOp::RestoreState),
        ];
        assert_eq!(table.add(70405, &steps), 0x20);
        assert_eq!(table.add(5, &[]), 0x4c);
        let words = table
            .finish(8)
            .chunks(4)
            .map(|word| word.iter().map(|byte| format!("{byte:02x}")).collect())
            .collect::<Vec<String>>();
        assert_eq!(words, EXPECTED.split_whitespace().collect::<Vec<_>>());
    }
}
