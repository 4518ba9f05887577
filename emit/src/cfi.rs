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
        table.put_u32(0);
        table.put_u32(0);
        table.bytes.extend_from_slice(b"\x01zR\0");
        table.put_unsigned(table.code_align);
        table.put_signed(table.data_align);
        table.bytes.push(elf.return_address_column as u8);
        table.bytes.extend_from_slice(&[1, POINTER_ENCODING]);
        elf.initial_unwind.iter().for_each(|&op| table.put_op(op));
        table.close(4);
        table
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
