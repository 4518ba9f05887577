//! The encoder: one machine instruction to bytes, fixups and relocations.
//!
//! Method: the row's [`Form`] says which operands go into which fields. Everything up to the ModRM and SIB bytes is
//! collected in one word and displacement and immediate in another, and both are appended with one fixed-size copy.
//! Where an instruction has several encodings, the choice is that of the GNU assembler, so that our assembly text gives
//! the same bytes; only branches to labels that are not bound yet are always long.
//!
//! It checks nothing that a rule can get wrong except in debug builds, and does not know the 32-bit mode.

use crate::ops::{Code, Form, Imm, ROWS, Width};
use crate::relocs;
use crate::table::CODES;
use frazil_codegen::{CodeBuffer, Label, MInst, Ref, RefKind, Reg};

/// An instruction being put together. Both words hold at most 8 bytes: no row has more than three prefixes, and those
/// with three have a one-byte opcode.
#[derive(Clone, Copy, Default)]
struct Bytes {
    /// Prefixes, opcode, ModRM, SIB.
    head: u64,
    head_bits: u32,
    /// Displacement, immediate.
    tail: u64,
    tail_bits: u32,
}

impl Bytes {
    #[inline(always)]
    fn head(&mut self, byte: u8) {
        debug_assert!(self.head_bits < 64);
        self.head |= u64::from(byte) << self.head_bits;
        self.head_bits += 8;
    }

    #[inline(always)]
    fn tail(&mut self, value: u32, bytes: u32) {
        debug_assert!(self.tail_bits + bytes * 8 <= 64 && (bytes == 4 || value >> (bytes * 8) == 0));
        self.tail |= u64::from(value) << self.tail_bits;
        self.tail_bits += bytes * 8;
    }

    #[inline(always)]
    fn modrm_reg(&mut self, reg: u8, rm: u8) {
        self.head(0xc0 | (reg & 7) << 3 | (rm & 7));
    }

    #[inline(always)]
    fn append_to(self, buf: &mut CodeBuffer) {
        let all = u128::from(self.head) | u128::from(self.tail) << self.head_bits;
        let len = buf.bytes.len() + (self.head_bits + self.tail_bits) as usize / 8;
        buf.bytes.extend_from_slice(&all.to_le_bytes());
        buf.bytes.truncate(len);
    }
}

/// An immediate as it is written.
#[derive(Clone, Copy)]
struct Immediate {
    value: u32,
    bytes: u32,
}

const NO_IMMEDIATE: Immediate = Immediate { value: 0, bytes: 0 };

/// Encodes `inst` at the end of the buffer.
///
/// The instruction must be one that the row's constructors can build: physical registers of the right bank, a size of
/// the row, a memory operand that exists on the machine.
pub fn encode(inst: &MInst, buf: &mut CodeBuffer) {
    let code = &CODES[usize::from(inst.op)];
    debug_assert!(
        ROWS[usize::from(inst.op)].sizes & inst.size != 0,
        "{} has no size {}",
        ROWS[usize::from(inst.op)].name,
        inst.size
    );
    let start = buf.offset();
    let mut jump = None;
    let out = match code.form {
        Form::StoreRR | Form::StoreRRC => registers(code, inst, inst.regs[1], inst.regs[0], NO_IMMEDIATE),
        Form::LoadRR => registers(code, inst, inst.regs[0], inst.regs[1], NO_IMMEDIATE),
        Form::Same => registers(code, inst, inst.regs[0], inst.regs[0], NO_IMMEDIATE),
        Form::RM | Form::MR => memory(code, inst, number(inst.regs[0]), code.opcode, NO_IMMEDIATE, buf),
        Form::R | Form::RC => digit_register(code, inst, code.opcode, NO_IMMEDIATE),
        Form::M | Form::MC => memory(code, inst, code.digit, code.opcode, NO_IMMEDIATE, buf),
        Form::RI => register_immediate(code, inst),
        Form::MI => {
            let (opcode, immediate) = immediate(code, inst);
            memory(code, inst, code.digit, opcode, immediate, buf)
        }
        Form::LoadRRI => registers(code, inst, inst.regs[0], inst.regs[1], immediate(code, inst).1),
        Form::StoreRRI => registers(code, inst, inst.regs[1], inst.regs[0], immediate(code, inst).1),
        Form::RMI => {
            let (opcode, immediate) = immediate(code, inst);
            memory(code, inst, number(inst.regs[0]), opcode, immediate, buf)
        }
        Form::O => opcode_register(code, inst, code.opcode),
        Form::OI => move_immediate(code, inst),
        Form::OI64 => {
            let mut out = opcode_register(code, inst, code.opcode);
            out.tail(inst.imm.cast_unsigned(), 4);
            out.tail(inst.disp.cast_unsigned(), 4);
            out
        }
        Form::ORef => address_of_symbol(code, inst, buf),
        Form::RBaseRef => symbol_offset(code, inst, buf),
        Form::Exchange => exchange(code, inst),
        Form::None | Form::NoneModRm => {
            let mut out = begin(code, inst.size, code.opcode, 0, false);
            if code.form == Form::NoneModRm {
                out.head(code.digit);
            }
            out
        }
        Form::I => {
            let (opcode, immediate) = immediate(code, inst);
            let mut out = begin(code, inst.size, opcode, 0, false);
            out.tail(immediate.value, immediate.bytes);
            out
        }
        Form::Branch => {
            let (out, pending) = branch(code, inst, buf);
            jump = pending;
            out
        }
        Form::ShortBranch => short_branch(code, inst, buf),
        Form::BranchRef => branch_to_symbol(code, inst, buf),
        Form::Nop => filler(inst.imm),
    };
    out.append_to(buf);
    buf.finish_inst(inst, start, jump);
}

#[inline(always)]
fn number(reg: Reg) -> u8 {
    debug_assert!(reg.is_physical(), "{reg:?} in an instruction to be encoded");
    (reg.0 & 15) as u8
}

/// Prefixes and opcode. `rex` has the bits R, X and B; `force_rex` asks for the prefix without any bit, which is what
/// selects the byte registers `spl` to `dil`.
#[inline(always)]
fn begin(code: &Code, size: u8, mut opcode: u8, mut rex: u8, force_rex: bool) -> Bytes {
    let mut out = Bytes::default();
    let mut prefix = code.prefix;
    let mut operand_size_prefix = false;
    match code.width {
        Width::Int => {
            opcode &= !u8::from(size == 1);
            operand_size_prefix = size == 2;
            rex |= size & 8;
        }
        Width::Scalar => prefix = if size == 4 { 0xf3 } else { 0xf2 },
        Width::Packed => prefix = if size == 4 { 0 } else { 0x66 },
        Width::Fixed => {}
    }
    if code.flags & (Code::COND | Code::W | Code::LOCK | Code::FS) != 0 {
        if code.has(Code::FS) {
            out.head(0x64);
        }
        if operand_size_prefix {
            out.head(0x66);
            operand_size_prefix = false;
        }
        if code.has(Code::LOCK) {
            out.head(0xf0);
        }
        if code.has(Code::W) {
            rex |= 8;
        }
    }
    if operand_size_prefix {
        out.head(0x66);
    }
    if prefix != 0 {
        out.head(prefix);
    }
    if rex != 0 || force_rex {
        out.head(0x40 | rex);
    }
    match code.map {
        0 => {}
        1 => out.head(0x0f),
        2 => {
            out.head(0x0f);
            out.head(0x38);
        }
        _ => {
            out.head(0x0f);
            out.head(0x3a);
        }
    }
    out.head(opcode);
    out
}

/// Whether a register needs the REX prefix to be reached as a byte register.
#[inline(always)]
fn is_rex_byte(number: u8) -> bool {
    number & !3 == 4
}

/// The opcode with the condition filled in.
#[inline(always)]
fn with_condition(code: &Code, inst: &MInst, opcode: u8) -> u8 {
    if code.has(Code::COND) {
        opcode | inst.condition()
    } else {
        opcode
    }
}

/// Two registers and perhaps an immediate.
#[inline(always)]
fn registers(code: &Code, inst: &MInst, reg: Reg, rm: Reg, immediate: Immediate) -> Bytes {
    let (reg, rm) = (number(reg), number(rm));
    let is_byte = code.width == Width::Int && inst.size == 1;
    let force_rex = is_byte && (is_rex_byte(reg) || is_rex_byte(rm)) || code.has(Code::BYTE_RM) && is_rex_byte(rm);
    // Only sign-extended immediates change the opcode, and only to say that they are short.
    let short = if code.imm == Imm::Short && immediate.bytes == 1 {
        2
    } else {
        0
    };
    let opcode = with_condition(code, inst, code.opcode) | short;
    let mut out = begin(code, inst.size, opcode, (reg >> 3) << 2 | rm >> 3, force_rex);
    out.modrm_reg(reg, rm);
    out.tail(immediate.value, immediate.bytes);
    out
}

/// One register beside the row's digit.
#[inline(always)]
fn digit_register(code: &Code, inst: &MInst, opcode: u8, immediate: Immediate) -> Bytes {
    let rm = number(inst.regs[0]);
    let is_byte = code.width == Width::Int && inst.size == 1 || code.has(Code::BYTE_RM);
    let opcode = with_condition(code, inst, opcode);
    let mut out = begin(code, inst.size, opcode, rm >> 3, is_byte && is_rex_byte(rm));
    out.modrm_reg(code.digit, rm);
    out.tail(immediate.value, immediate.bytes);
    out
}

/// A register and an immediate, with the accumulator's own encodings.
fn register_immediate(code: &Code, inst: &MInst) -> Bytes {
    let (opcode, immediate) = immediate(code, inst);
    let is_full = inst.size == 1 || immediate.bytes > 1;
    let accumulator_opcode = match code.imm {
        Imm::Short => code.digit << 3 | 5,
        Imm::Full => 0xa9,
        _ => 0,
    };
    if accumulator_opcode != 0 && is_full && number(inst.regs[0]) == 0 {
        let mut out = begin(code, inst.size, accumulator_opcode, 0, false);
        out.tail(immediate.value, immediate.bytes);
        return out;
    }
    digit_register(code, inst, opcode, immediate)
}

/// The opcode and the immediate in its shortest encoding.
#[inline(always)]
fn immediate(code: &Code, inst: &MInst) -> (u8, Immediate) {
    let value = match inst.size {
        1 => i32::from(inst.imm as i8),
        2 => i32::from(inst.imm as i16),
        _ => inst.imm,
    };
    let byte = Immediate {
        value: u32::from(inst.imm as u8),
        bytes: 1,
    };
    let full = || {
        let bytes = u32::from(inst.size.min(4));
        Immediate {
            value: value.cast_unsigned() & (u32::MAX >> (32 - 8 * bytes)),
            bytes,
        }
    };
    match code.imm {
        Imm::None => (code.opcode, NO_IMMEDIATE),
        Imm::Byte => (code.opcode, byte),
        Imm::Shift if inst.imm == 1 => (code.opcode | 0x10, NO_IMMEDIATE),
        Imm::Shift => (code.opcode, byte),
        Imm::Word => (
            code.opcode,
            Immediate {
                value: u32::from(inst.imm as u16),
                bytes: 2,
            },
        ),
        Imm::Short if inst.size != 1 && i32::from(value as i8) == value => (code.opcode | 2, byte),
        Imm::Short | Imm::Full => (code.opcode, full()),
    }
}

/// A register in the opcode byte.
#[inline(always)]
fn opcode_register(code: &Code, inst: &MInst, opcode: u8) -> Bytes {
    let rm = number(inst.regs[0]);
    begin(code, inst.size, opcode | rm & 7, rm >> 3, false)
}

/// A move of an immediate to a register.
fn move_immediate(code: &Code, inst: &MInst) -> Bytes {
    let rm = number(inst.regs[0]);
    let (_, immediate) = immediate(code, inst);
    let mut out = match inst.size {
        8 => {
            let mut out = begin(code, 8, 0xc7, rm >> 3, false);
            out.modrm_reg(0, rm);
            out
        }
        1 => {
            let mut out = Bytes::default();
            if rm > 3 {
                out.head(0x40 | rm >> 3);
            }
            out.head(0xb0 | rm & 7);
            out
        }
        size => begin(code, size, code.opcode | rm & 7, rm >> 3, false),
    };
    out.tail(immediate.value, immediate.bytes);
    out
}

fn exchange(code: &Code, inst: &MInst) -> Bytes {
    let (first, second) = (number(inst.regs[0]), number(inst.regs[1]));
    debug_assert_ne!(first, second, "an exchange of a register with itself is a no-operation");
    if inst.size != 1 && (first == 0 || second == 0) {
        let other = first | second;
        return begin(code, inst.size, 0x90 | other & 7, other >> 3, false);
    }
    registers(code, inst, inst.regs[1], inst.regs[0], NO_IMMEDIATE)
}

/// A memory operand with `reg` in the other field.
#[inline(always)]
fn memory(code: &Code, inst: &MInst, reg: u8, opcode: u8, immediate: Immediate, buf: &mut CodeBuffer) -> Bytes {
    let (base, index) = (inst.regs[1], inst.regs[2]);
    let is_byte = code.width == Width::Int && inst.size == 1;
    let force_rex = is_byte && is_rex_byte(reg) && has_byte_reg(code.form);
    let opcode = with_condition(code, inst, opcode);
    let rex_r = (reg >> 3) << 2;
    if !base.is_physical() {
        let mut out = if base == Reg::SYMBOL {
            let out = begin(code, inst.size, opcode, rex_r, force_rex);
            symbol_operand(out, code, inst, reg, immediate, buf)
        } else {
            let rex_x = if index.is_none() { 0 } else { (number(index) >> 3) << 1 };
            let out = begin(code, inst.size, opcode, rex_r | rex_x, force_rex);
            baseless_operand(out, inst, reg)
        };
        out.tail(immediate.value, immediate.bytes);
        return out;
    }
    let base = number(base);
    let disp = inst.disp;
    let is_short = i32::from(disp as i8) == disp;
    let mode = match is_short {
        _ if disp == 0 && base & 7 != 5 => 0x00,
        true => 0x40,
        false => 0x80,
    };
    let reg_field = (reg & 7) << 3;
    let mut out;
    if index.is_none() {
        out = begin(code, inst.size, opcode, rex_r | base >> 3, force_rex);
        out.head(mode | reg_field | base & 7);
        if base & 7 == 4 {
            out.head(0x24);
        }
    } else {
        let index = number(index);
        debug_assert_ne!(index, 4, "the stack pointer cannot be an index");
        let rex = rex_r | (index >> 3) << 1 | base >> 3;
        out = begin(code, inst.size, opcode, rex, force_rex);
        out.head(mode | reg_field | 4);
        out.head(scale_bits(inst) | (index & 7) << 3 | base & 7);
    }
    match mode {
        0x00 => {}
        0x40 => out.tail(u32::from(disp as u8), 1),
        _ => out.tail(disp.cast_unsigned(), 4),
    }
    out.tail(immediate.value, immediate.bytes);
    out
}

/// Whether the `reg` field of a form with memory is a register rather than a digit.
#[inline(always)]
fn has_byte_reg(form: Form) -> bool {
    matches!(form, Form::RM | Form::MR | Form::RMI)
}

#[inline(always)]
fn scale_bits(inst: &MInst) -> u8 {
    (inst.aux & 0x30) << 2
}

/// ModRM, SIB and displacement of an address without base register.
#[cold]
fn baseless_operand(mut out: Bytes, inst: &MInst, reg: u8) -> Bytes {
    out.head((reg & 7) << 3 | 4);
    let index = inst.regs[2];
    out.head(if index.is_none() {
        0x25
    } else {
        scale_bits(inst) | (number(index) & 7) << 3 | 5
    });
    out.tail(inst.disp.cast_unsigned(), 4);
    out
}

/// ModRM and displacement of an address that a symbol, constant or label gives, with its relocation or fixup.
fn symbol_operand(
    mut out: Bytes,
    code: &Code,
    inst: &MInst,
    reg: u8,
    immediate: Immediate,
    buf: &mut CodeBuffer,
) -> Bytes {
    let target = Ref(inst.regs[2].0);
    let (kind, from_end) = match target.kind() {
        RefKind::Symbol | RefKind::Constant => (relocs::PC32, true),
        RefKind::Plt => (relocs::PLT32, true),
        RefKind::Got => (slot_relocation(out, code, inst), true),
        RefKind::TlsGeneralDynamic => (relocs::TLSGD, true),
        RefKind::TlsLocalDynamic => (relocs::TLSLD, true),
        RefKind::TlsInitialExec => (relocs::GOTTPOFF, true),
        RefKind::TlsDtpOffset => (relocs::DTPOFF32, false),
        RefKind::TlsLocalExec => (relocs::TPOFF32, false),
        RefKind::Label => (0, true),
    };
    let reg_field = (reg & 7) << 3;
    if from_end {
        out.head(reg_field | 5);
    } else {
        out.head(reg_field | 4);
        out.head(0x25);
    }
    let field = buf.offset() + out.head_bits / 8;
    let to_end = if from_end { 4 + immediate.bytes.cast_signed() } else { 0 };
    if target.kind() == RefKind::Label {
        buf.fixup(field, Label(target.number()), relocs::REL32);
        out.tail(inst.disp.wrapping_sub(to_end).cast_unsigned(), 4);
    } else {
        buf.reloc(field, kind, target, i64::from(inst.disp) - i64::from(to_end));
        out.tail(0, 4);
    }
    out
}

/// The relocation of a slot of the global offset table: the one that allows rewriting, where that is possible.
fn slot_relocation(out: Bytes, code: &Code, inst: &MInst) -> u8 {
    if !code.has(Code::RELAXABLE) || code.width == Width::Int && inst.size < 4 {
        return relocs::GOTPCREL;
    }
    // The row has no prefix, so the first byte is REX or the opcode.
    if out.head as u8 & 0xf0 == 0x40 {
        relocs::REX_GOTPCRELX
    } else {
        relocs::GOTPCRELX
    }
}

/// A register and a symbol's absolute address of 8 bytes.
#[cold]
fn address_of_symbol(code: &Code, inst: &MInst, buf: &mut CodeBuffer) -> Bytes {
    let mut out = opcode_register(code, inst, code.opcode);
    let field = buf.offset() + out.head_bits / 8;
    buf.reloc(field, relocs::ABS64, Ref(inst.regs[2].0), i64::from(inst.disp));
    out.tail(0, 4);
    out.tail(0, 4);
    out
}

/// A register, and a base register with a symbol's offset.
#[cold]
fn symbol_offset(code: &Code, inst: &MInst, buf: &mut CodeBuffer) -> Bytes {
    let target = Ref(inst.imm.cast_unsigned());
    let kind = match target.kind() {
        RefKind::TlsDtpOffset => relocs::DTPOFF32,
        RefKind::TlsLocalExec => relocs::TPOFF32,
        _ => relocs::ABS32S,
    };
    let (reg, base) = (number(inst.regs[0]), number(inst.regs[1]));
    let mut out = begin(code, inst.size, code.opcode, (reg >> 3) << 2 | base >> 3, false);
    out.head(0x80 | (reg & 7) << 3 | base & 7);
    if base & 7 == 4 {
        out.head(0x24);
    }
    buf.reloc(buf.offset() + out.head_bits / 8, kind, target, i64::from(inst.disp));
    out.tail(0, 4);
    out
}

/// A branch to a label. The label is returned if the branch waits for it and may be dropped.
fn branch(code: &Code, inst: &MInst, buf: &mut CodeBuffer) -> (Bytes, Option<Label>) {
    let mut out = Bytes::default();
    let is_conditional = code.has(Code::COND);
    let label = inst.label();
    let here = buf.offset();
    let long_bytes = if is_conditional { 6 } else { 5 };
    let bound = buf.label_offset(label);
    if let Some(target) = bound
        && here + 2 - target <= 128
    {
        out.head(if is_conditional { 0x70 | inst.condition() } else { 0xeb });
        out.tail(target.wrapping_sub(here + 2) & 0xff, 1);
        return (out, None);
    }
    if is_conditional {
        out.head(0x0f);
    }
    out.head(with_condition(code, inst, code.opcode));
    if let Some(target) = bound {
        out.tail(target.wrapping_sub(here + long_bytes), 4);
        return (out, None);
    }
    buf.fixup(here + long_bytes - 4, label, relocs::REL32);
    out.tail((-4i32).cast_unsigned(), 4);
    (out, (!is_conditional).then_some(label))
}

/// A branch to a label that the rule knows to be near.
fn short_branch(code: &Code, inst: &MInst, buf: &mut CodeBuffer) -> Bytes {
    let mut out = Bytes::default();
    out.head(with_condition(code, inst, code.opcode));
    buf.fixup(buf.offset() + 1, inst.label(), relocs::REL8);
    out.tail(0xff, 1);
    out
}

fn branch_to_symbol(code: &Code, inst: &MInst, buf: &mut CodeBuffer) -> Bytes {
    let mut out = Bytes::default();
    if code.prefix != 0 {
        // The padded call of the general-dynamic sequence (System V ABI for x86-64, appendix on thread-local storage).
        out.head(0x66);
        out.head(0x66);
        out.head(0x48);
    }
    out.head(code.opcode);
    let target = Ref(inst.regs[2].0);
    let kind = if target.kind() == RefKind::Symbol {
        relocs::PC32
    } else {
        relocs::PLT32
    };
    buf.reloc(buf.offset() + out.head_bits / 8, kind, target, i64::from(inst.disp) - 4);
    out.tail(0, 4);
    out
}

/// The recommended no-operations of 1 to 9 bytes (Intel manual, volume 2, NOP).
#[cold]
fn filler(bytes: i32) -> Bytes {
    let (head, tail_bytes): (&[u8], u32) = match bytes {
        1 => (&[0x90], 0),
        2 => (&[0x66, 0x90], 0),
        3 => (&[0x0f, 0x1f, 0x00], 0),
        4 => (&[0x0f, 0x1f, 0x40], 1),
        5 => (&[0x0f, 0x1f, 0x44, 0x00], 1),
        6 => (&[0x66, 0x0f, 0x1f, 0x44, 0x00], 1),
        7 => (&[0x0f, 0x1f, 0x80], 4),
        8 => (&[0x0f, 0x1f, 0x84, 0x00], 4),
        _ => (&[0x66, 0x0f, 0x1f, 0x84, 0x00], 4),
    };
    let mut out = Bytes::default();
    for &byte in head {
        out.head(byte);
    }
    out.tail(0, tail_bytes);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{jcc, jmp, jmp_short, mr, ri};
    use crate::cond::Cond;
    use crate::ops::Op;
    use crate::regs::{R12, RAX, RSP};
    use crate::relocs::FIXUPS;
    use frazil_codegen::Mem;

    #[test]
    fn backward_branches_are_short_when_they_reach() {
        let mut buf = CodeBuffer::new(false);
        let top = buf.new_label();
        buf.bind(top);
        buf.put(&[0x90; 126]);
        encode(&jmp(top), &mut buf);
        assert_eq!(buf.bytes[126..], [0xeb, 0x80]);
        encode(&jcc(Cond::Ne, top), &mut buf);
        assert_eq!(buf.bytes[128..], [0x0f, 0x85, 0x7a, 0xff, 0xff, 0xff]);
    }

    #[test]
    fn forward_branches_reach_their_label() {
        let mut buf = CodeBuffer::new(false);
        let (near, end) = (buf.new_label(), buf.new_label());
        encode(&jcc(Cond::L, end), &mut buf);
        encode(&jmp_short(near), &mut buf);
        encode(&ri(Op::SubRI, 8, RSP, 8), &mut buf);
        buf.bind(near);
        encode(&mr(Op::AddMR, 4, Mem::base(R12, 0), RAX), &mut buf);
        buf.bind(end);
        assert!(buf.finish(FIXUPS, 0x90, relocs::TABLE_ENTRY).is_ok());
        let expected = [
            0x0f, 0x8c, 10, 0, 0, 0, 0xeb, 4, 0x48, 0x83, 0xec, 8, 0x41, 0x01, 0x04, 0x24,
        ];
        assert_eq!(buf.bytes, expected);
    }
}
