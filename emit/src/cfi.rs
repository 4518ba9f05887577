//! Call frame information: the sections `.eh_frame` and `.debug_frame`.
//!
//! Format: DWARF 5, section 6.4, as changed by the Linux Standard Base, "Exception Frames". There is one common entry
//! (augmentation `zR`: distances from the field, of 4 bytes, or of 8 in the large code model) for functions without
//! personality routine and one (`zPLR`) for each such routine, each before the first function that needs it; and one
//! entry for each function. Order and padding are what GNU `as` writes, so that text assembles to the same bytes, but
//! in the large model, for which it has no directive. `.debug_frame` is as the standard has it, with addresses and
//! without augmentations.

use crate::exceptions::{Encodings, put_signed, put_unsigned};
use frazil_codegen::{TargetDesc, UnwindOp};
use frazil_ir::SymbolId;

const ADVANCE: u8 = 0x40;
const OFFSET: u8 = 0x80;
const ADVANCE1: u8 = 0x02;
const ADVANCE2: u8 = 0x03;
const ADVANCE4: u8 = 0x04;
const OFFSET_EXTENDED: u8 = 0x05;
const RESTORE: u8 = 0xc0;
const RESTORE_EXTENDED: u8 = 0x06;
const REMEMBER_STATE: u8 = 0x0a;
const RESTORE_STATE: u8 = 0x0b;
const DEF_CFA: u8 = 0x0c;
const DEF_CFA_REGISTER: u8 = 0x0d;
const DEF_CFA_OFFSET: u8 = 0x0e;
const OFFSET_EXTENDED_SF: u8 = 0x11;
const DEF_CFA_SF: u8 = 0x12;
const DEF_CFA_OFFSET_SF: u8 = 0x13;
pub(crate) const VAL_EXPRESSION: u8 = 0x16;
/// Whether the return address is signed changes (DWARF for the Arm 64-bit Architecture, 4.4.1).
const TOGGLE_SIGNED: u8 = 0x2d;
/// `DW_CFA_GNU_args_size`: how far an unwinder moves the stack pointer back for a landing pad.
pub(crate) const ARGUMENT_BYTES: u8 = 0x2e;
pub(crate) const OP_BREG0: u8 = 0x70;
const OP_BREGX: u8 = 0x92;
/// Pointers are signed distances from the field, of 4 bytes or of 8.
const POINTER_ENCODING: u8 = 0x1b;
const LONG_POINTER_ENCODING: u8 = 0x1c;

/// The section while it is made.
#[derive(Debug)]
pub struct FrameTable {
    /// The version of `.debug_frame`; `None` for `.eh_frame`.
    debug_version: Option<u8>,
    address_bytes: u8,
    /// Bytes of the distances in `.eh_frame`.
    pointer_bytes: u8,
    bytes: Vec<u8>,
    code_align: u32,
    data_align: i32,
    little_endian: bool,
    return_address_column: u16,
    initial: &'static [UnwindOp],
    /// Where the common entry of each personality routine starts, and of functions without.
    common: Vec<(Common, u32)>,
    /// Where the last entry starts.
    last: usize,
}

/// Fields of an entry that others fill in, as offsets in the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryFields {
    /// The distance to the function.
    pub code: u64,
    /// The address of its exception table, if it has a personality routine.
    pub table: Option<u64>,
    /// The address of the personality routine, if it is the first function that has it.
    pub personality: Option<u64>,
}

/// The same of an entry of `.debug_frame`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugEntryFields {
    /// The place of the common entry in the section, which is this.
    pub common: (u64, u32),
    /// The address of the function.
    pub code: u64,
}

/// What a common entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Common {
    personality: Option<SymbolId>,
    /// Whether return addresses are signed with the second of two keys.
    by_second_key: bool,
}

impl Common {
    /// The letter of the augmentation for the second key (DWARF for the Arm 64-bit Architecture, 5.1).
    fn letter(self) -> &'static [u8] {
        if self.by_second_key { b"B" } else { b"" }
    }
}

impl FrameTable {
    /// An empty `.eh_frame`, in the large code model or another one.
    pub fn new(target: &TargetDesc, is_large: bool) -> FrameTable {
        FrameTable {
            pointer_bytes: if is_large { 8 } else { 4 },
            ..FrameTable::of_version(target, None)
        }
    }

    /// An empty `.debug_frame` in a version of its own: 1, 3 or 4.
    pub fn for_debuggers(target: &TargetDesc, version: u8) -> FrameTable {
        FrameTable::of_version(target, Some(version))
    }

    fn of_version(target: &TargetDesc, debug_version: Option<u8>) -> FrameTable {
        let elf = &target.elf;
        FrameTable {
            debug_version,
            address_bytes: target.pointer_bytes,
            pointer_bytes: 4,
            bytes: Vec::new(),
            code_align: u32::from(elf.code_align.max(1)),
            data_align: i32::from(elf.data_align),
            little_endian: elf.little_endian,
            return_address_column: elf.return_address_column,
            initial: elf.initial_unwind,
            common: Vec::new(),
            last: 0,
        }
    }

    /// The start of the common entry for a personality routine, and where a new one names the routine.
    fn common_entry(
        &mut self,
        personality: Option<(SymbolId, Encodings)>,
        ops: &[(u32, UnwindOp)],
    ) -> (u32, Option<u64>) {
        let wanted = Common {
            personality: personality.map(|(symbol, _)| symbol),
            by_second_key: ops.iter().any(|&(_, op)| op == UnwindOp::ToggleSigned(true)),
        };
        match self.common.iter().find(|entry| entry.0 == wanted) {
            Some(&(_, start)) => (start, None),
            None => self.add_common_entry(wanted, personality),
        }
    }

    #[cold]
    fn add_common_entry(&mut self, common: Common, personality: Option<(SymbolId, Encodings)>) -> (u32, Option<u64>) {
        if let Some(version) = self.debug_version {
            return (self.add_debug_common(common, version), None);
        }
        self.last = self.bytes.len();
        let start = self.bytes.len() as u32;
        self.put_u32(0);
        self.put_u32(0);
        let augmentation: &[u8] = match personality {
            Some(_) => b"\x01zPLR",
            None => b"\x01zR",
        };
        self.bytes.extend_from_slice(augmentation);
        self.bytes.extend_from_slice(common.letter());
        self.bytes.push(0);
        put_unsigned(&mut self.bytes, self.code_align);
        put_signed(&mut self.bytes, self.data_align);
        self.bytes.push(self.return_address_column as u8);
        let mut field = None;
        let of_code = match self.pointer_bytes {
            8 => LONG_POINTER_ENCODING,
            _ => POINTER_ENCODING,
        };
        if let Some((_, encodings)) = personality {
            let length = 3 + encodings.pointer_bytes;
            self.bytes.extend_from_slice(&[length, encodings.symbol]);
            field = Some(self.bytes.len() as u64);
            self.put_length(0, encodings.pointer_bytes);
            self.bytes.extend_from_slice(&[encodings.table, of_code]);
        } else {
            self.bytes.extend_from_slice(&[1, of_code]);
        }
        self.initial.iter().for_each(|&op| self.put_op(op));
        self.close(4);
        self.common.push((common, start));
        (start, field)
    }

    /// Adds the common entry of `.debug_frame` (DWARF 5, section 6.4.1), which has no augmentation but the key.
    #[cold]
    fn add_debug_common(&mut self, common: Common, version: u8) -> u32 {
        self.last = self.bytes.len();
        let start = self.bytes.len() as u32;
        self.put_u32(0);
        self.put_u32(u32::MAX);
        self.bytes.push(version);
        self.bytes.extend_from_slice(common.letter());
        self.bytes.push(0);
        if version >= 4 {
            self.bytes.extend_from_slice(&[self.address_bytes, 0]);
        }
        put_unsigned(&mut self.bytes, self.code_align);
        put_signed(&mut self.bytes, self.data_align);
        match version {
            1 => self.bytes.push(self.return_address_column as u8),
            _ => put_unsigned(&mut self.bytes, self.return_address_column.into()),
        }
        self.initial.iter().for_each(|&op| self.put_op(op));
        self.close(usize::from(self.address_bytes));
        self.common.push((common, start));
        start
    }

    /// Adds the entry of a function of `code_bytes` bytes. Returns the fields that must be filled in.
    pub fn add(
        &mut self,
        code_bytes: u32,
        ops: &[(u32, UnwindOp)],
        personality: Option<(SymbolId, Encodings)>,
    ) -> EntryFields {
        let (common, personality_field) = self.common_entry(personality, ops);
        self.last = self.bytes.len();
        self.put_u32(0);
        self.put_u32(self.bytes.len() as u32 - common);
        let code = self.bytes.len() as u64;
        self.put_length(0, self.pointer_bytes);
        self.put_length(code_bytes, self.pointer_bytes);
        let mut table = None;
        if let Some((_, encodings)) = personality {
            self.bytes.push(encodings.pointer_bytes);
            table = Some(self.bytes.len() as u64);
            self.put_length(0, encodings.pointer_bytes);
        } else {
            self.bytes.push(0);
        }
        self.put_ops(ops);
        self.close(4);
        EntryFields {
            code,
            table,
            personality: personality_field,
        }
    }

    /// Adds the entry of a function to `.debug_frame`.
    pub fn add_for_debuggers(&mut self, code_bytes: u32, ops: &[(u32, UnwindOp)]) -> DebugEntryFields {
        let (common, _) = self.common_entry(None, ops);
        self.last = self.bytes.len();
        self.put_u32(0);
        let start = self.bytes.len() as u64;
        self.put_u32(0);
        let code = self.bytes.len() as u64;
        self.bytes.resize(self.bytes.len() + usize::from(self.address_bytes), 0);
        self.put_length(code_bytes, self.address_bytes);
        self.put_ops(ops);
        self.close(usize::from(self.address_bytes));
        DebugEntryFields {
            common: (start, common),
            code,
        }
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

    /// Puts what is to be done, each from an offset on.
    #[inline]
    fn put_ops(&mut self, ops: &[(u32, UnwindOp)]) {
        let mut at = 0;
        for &(offset, op) in ops {
            self.advance(offset - at);
            at = offset;
            self.put_op(op);
        }
    }

    fn put_op(&mut self, op: UnwindOp) {
        match op {
            UnwindOp::DefineCfa(register, offset) => match u32::try_from(offset) {
                Ok(offset) => {
                    self.put_with(DEF_CFA, u32::from(register));
                    put_unsigned(&mut self.bytes, offset);
                }
                Err(_) => {
                    self.put_with(DEF_CFA_SF, u32::from(register));
                    put_signed(&mut self.bytes, offset / self.data_align);
                }
            },
            UnwindOp::DefineCfaOffset(offset) => match u32::try_from(offset) {
                Ok(offset) => self.put_with(DEF_CFA_OFFSET, offset),
                Err(_) => {
                    self.bytes.push(DEF_CFA_OFFSET_SF);
                    put_signed(&mut self.bytes, offset / self.data_align);
                }
            },
            UnwindOp::DefineCfaRegister(register) => self.put_with(DEF_CFA_REGISTER, u32::from(register)),
            UnwindOp::SavedAt(register, offset) => self.put_saved(register, offset / self.data_align),
            UnwindOp::ValuePlus(register, bytes) => {
                let mut value = Vec::new();
                match u8::try_from(register) {
                    Ok(small @ 0..32) => value.push(OP_BREG0 + small),
                    _ => {
                        value.push(OP_BREGX);
                        put_unsigned(&mut value, register.into());
                    }
                }
                put_signed(&mut value, bytes.into());
                self.put_with(VAL_EXPRESSION, register.into());
                put_unsigned(&mut self.bytes, value.len() as u32);
                self.bytes.extend_from_slice(&value);
            }
            UnwindOp::AsAtFirst(register) if register < 0x40 => self.bytes.push(RESTORE | register as u8),
            UnwindOp::AsAtFirst(register) => self.put_with(RESTORE_EXTENDED, register.into()),
            UnwindOp::ToggleSigned(_) => self.bytes.push(TOGGLE_SIGNED),
            UnwindOp::ArgumentBytes(bytes) => self.put_with(ARGUMENT_BYTES, bytes.cast_unsigned()),
            UnwindOp::RememberState => self.bytes.push(REMEMBER_STATE),
            UnwindOp::RestoreState => self.bytes.push(RESTORE_STATE),
        }
    }

    fn put_saved(&mut self, register: u16, factored: i32) {
        match u32::try_from(factored) {
            Ok(factored) if register < 0x40 => self.put_with(OFFSET | register as u8, factored),
            Ok(factored) => {
                self.put_with(OFFSET_EXTENDED, u32::from(register));
                put_unsigned(&mut self.bytes, factored);
            }
            Err(_) => {
                self.put_with(OFFSET_EXTENDED_SF, u32::from(register));
                put_signed(&mut self.bytes, factored);
            }
        }
    }

    fn put_with(&mut self, op: u8, operand: u32) {
        self.bytes.push(op);
        put_unsigned(&mut self.bytes, operand);
    }

    fn put_u32(&mut self, value: u32) {
        let field = self.encode_u32(value);
        self.bytes.extend_from_slice(&field);
    }

    /// Puts a number of so many bytes.
    #[inline]
    fn put_length(&mut self, value: u32, bytes: u8) {
        if bytes == 4 {
            return self.put_u32(value);
        }
        let low = bytes.min(4);
        let zeros = usize::from(bytes - low);
        let before = if self.little_endian { 0 } else { zeros };
        self.bytes.resize(self.bytes.len() + before, 0);
        self.put_u32(value);
        self.bytes.resize(self.bytes.len() + zeros - before, 0);
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
            debug_version: None,
            address_bytes: 8,
            pointer_bytes: 4,
            bytes: Vec::new(),
            code_align: 1,
            data_align: -8,
            little_endian: true,
            return_address_column: 16,
            initial: &[UnwindOp::DefineCfa(7, 8), UnwindOp::SavedAt(16, -8)],
            common: Vec::new(),
            last: 0,
        };
        let steps = [
            (1, UnwindOp::DefineCfaOffset(16)),
            (1, UnwindOp::SavedAt(6, -16)),
            (4, UnwindOp::DefineCfaRegister(6)),
            (104, UnwindOp::SavedAt(3, -24)),
            (404, UnwindOp::RememberState),
            (404, UnwindOp::DefineCfa(7, 8)),
            (70404, UnwindOp::RestoreState),
        ];
        assert_eq!(table.add(70405, &steps, None).code, 0x20);
        assert_eq!(table.add(5, &[], None).code, 0x4c);
        let words = table
            .finish(8)
            .chunks(4)
            .map(|word| word.iter().map(|byte| format!("{byte:02x}")).collect())
            .collect::<Vec<String>>();
        assert_eq!(words, EXPECTED.split_whitespace().collect::<Vec<_>>());
    }
}
