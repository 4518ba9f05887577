//! The encoder: one machine instruction to bytes, fixups and relocations.
//!
//! Method: the [`Template`] of row and size has everything that does not depend on operands. Everything up to the
//! ModRM and SIB bytes is collected in one word and displacement and immediate in another, and both are appended with
//! one copy of fixed size. Instructions of registers only and those with memory have straight paths; the rest is told
//! apart by [`Form`]. Where an instruction has several encodings, the choice is that of the GNU assembler, so that our
//! assembly text gives the same bytes; only branches to labels that are not bound yet are always long.
//!
//! It checks what a rule can get wrong in debug builds only, and does not know the 32-bit mode.

use crate::ops::{Code, Form, Imm, ROWS, Width};
use crate::relocs;
use crate::template::{Class, Template};
use frazil_codegen::{CodeBuffer, Label, MInst, Ref, RefKind, Reg};

/// An instruction being put together. Each word holds at most 8 bytes: no row has more than three prefixes, and those
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
    fn immediate(&mut self, immediate: Immediate) {
        self.tail(immediate.value, immediate.bytes);
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
    /// Bits of the opcode that tell the encoding of the immediate.
    opcode_bits: u8,
}

const NO_IMMEDIATE: Immediate = Immediate {
    value: 0,
    bytes: 0,
    opcode_bits: 0,
};

/// Encodes `inst` at the end of the buffer.
///
/// The instruction must be one that the row's constructors can build: physical registers of the right bank, a size of
/// the row, a memory operand that exists on the machine.
pub fn encode(inst: &MInst, buf: &mut CodeBuffer) {
    debug_assert!(
        ROWS[usize::from(inst.op)].sizes & inst.size != 0,
        "{} has no size {}",
        ROWS[usize::from(inst.op)].name,
        inst.size
    );
    let template = Template::get(inst.op, inst.size);
    let start = buf.offset();
    let (out, jump) = match template.class {
        Class::Registers => (registers(template, inst, NO_IMMEDIATE), None),
        Class::Memory => (memory(template, inst, buf), None),
        Class::Other => other(template, inst, buf),
    };
    out.append_to(buf);
    buf.finish_inst(inst, start, jump);
}

/// Forms off the straight paths; with them the label of a branch that may be dropped.
fn other(template: &Template, inst: &MInst, buf: &mut CodeBuffer) -> (Bytes, Option<Label>) {
    let code = &ROWS[usize::from(inst.op)].code;
    let out = match code.form {
        Form::RI => register_immediate(template, inst),
        Form::OI => move_immediate(template, inst),
        Form::LoadRRI | Form::StoreRRI => registers(template, inst, immediate(template, inst)),
        Form::Exchange => exchange(template, inst),
        Form::O => opcode_register(template, inst),
        Form::OI64 => {
            let mut out = opcode_register(template, inst);
            out.tail(inst.imm.cast_unsigned(), 4);
            out.tail(inst.disp.cast_unsigned(), 4);
            out
        }
        Form::ORef => address_of_symbol(template, inst, buf),
        Form::RBaseRef => symbol_offset(template, inst, buf),
        Form::None => begin(template, 0, 0, false),
        Form::NoneModRm => {
            let mut out = begin(template, 0, 0, false);
            out.head(code.digit);
            out
        }
        Form::I => {
            let immediate = immediate(template, inst);
            let mut out = begin(template, immediate.opcode_bits, 0, false);
            out.immediate(immediate);
            out
        }
        Form::Branch => return branch(code, inst, buf),
        Form::ShortBranch => short_branch(code, inst, buf),
        Form::BranchRef => branch_to_symbol(code, inst, buf),
        Form::Nop => filler(inst.imm),
        // On the straight paths.
        Form::StoreRR | Form::LoadRR | Form::Same | Form::R | Form::RC | Form::StoreRRC => {
            registers(template, inst, NO_IMMEDIATE)
        }
        Form::RM | Form::MR | Form::M | Form::MI | Form::MC | Form::RMI => memory(template, inst, buf),
    };
    (out, None)
}

#[inline(always)]
fn number(reg: Reg) -> u8 {
    debug_assert!(reg.is_physical(), "{reg:?} in an instruction to be encoded");
    (reg.0 & 15) as u8
}

/// What goes into the `reg` field: a register or the row's digit.
#[inline(always)]
fn reg_field(template: &Template, inst: &MInst) -> u8 {
    let reg = inst.regs[usize::from(template.reg_slot & 1)];
    debug_assert!(reg.is_physical() || template.reg_mask == 0, "{inst:?}");
    reg.0 as u8 & template.reg_mask | template.digit
}

/// Prefixes and opcode. `opcode_bits` are or-ed to the last opcode byte, `rex` has the bits R, X and B; `force_rex`
/// asks for the prefix without any bit, which is what selects the byte registers `spl` to `dil`.
#[inline(always)]
fn begin(template: &Template, opcode_bits: u8, rex: u8, force_rex: bool) -> Bytes {
    let rex = rex | template.rex;
    let prefix_bits = u32::from(template.prefix_bits);
    let (rex_byte, rex_bits) = if rex != 0 || force_rex { (0x40 | rex, 8) } else { (0, 0) };
    let last = u32::from(opcode_bits) << (template.opcode_bits - 8);
    let opcode = u64::from(template.opcode | last);
    let head = u64::from(template.prefixes) | u64::from(rex_byte) << prefix_bits | opcode << (prefix_bits + rex_bits);
    Bytes {
        head,
        head_bits: prefix_bits + rex_bits + u32::from(template.opcode_bits),
        tail: 0,
        tail_bits: 0,
    }
}

/// Whether a register needs the REX prefix to be reached as a byte register.
#[inline(always)]
fn is_rex_byte(number: u8) -> bool {
    number & 12 == 4
}

/// Two registers, or one and the row's digit, and perhaps an immediate.
#[inline(always)]
fn registers(template: &Template, inst: &MInst, immediate: Immediate) -> Bytes {
    let reg = reg_field(template, inst);
    let rm = number(inst.regs[usize::from(template.rm_slot & 1)]);
    let force_rex = (template.byte_reg & is_rex_byte(reg)) | (template.byte_rm & is_rex_byte(rm));
    let opcode_bits = inst.aux & template.condition_mask | immediate.opcode_bits;
    let mut out = begin(template, opcode_bits, (reg >> 3) << 2 | rm >> 3, force_rex);
    out.modrm_reg(reg, rm);
    out.immediate(immediate);
    out
}

/// A register and an immediate, with the accumulator's own encodings.
fn register_immediate(template: &Template, inst: &MInst) -> Bytes {
    let immediate = immediate(template, inst);
    let is_full = inst.size == 1 || immediate.bytes > 1;
    if is_full && number(inst.regs[0]) == 0 {
        let opcode = match template.imm {
            Imm::Short => template.digit << 3 | 5,
            Imm::Full => 0xa9,
            _ => 0,
        };
        if opcode != 0 {
            let template = template.with_opcode(opcode & !u8::from(inst.size == 1));
            let mut out = begin(&template, 0, 0, false);
            out.immediate(immediate);
            return out;
        }
    }
    registers(template, inst, immediate)
}

/// The immediate in its shortest encoding.
#[inline(always)]
fn immediate(template: &Template, inst: &MInst) -> Immediate {
    let byte = |opcode_bits| Immediate {
        value: u32::from(inst.imm as u8),
        bytes: 1,
        opcode_bits,
    };
    match template.imm {
        Imm::None => NO_IMMEDIATE,
        Imm::Byte => byte(0),
        Imm::Shift if inst.imm == 1 => Immediate {
            opcode_bits: 0x10,
            ..NO_IMMEDIATE
        },
        Imm::Shift => byte(0),
        Imm::Word => full(inst.imm, 2),
        Imm::Short | Imm::Full => {
            let value = match inst.size {
                1 => return byte(0),
                2 => i32::from(inst.imm as i16),
                _ => inst.imm,
            };
            if template.imm == Imm::Short && i32::from(value as i8) == value {
                return byte(2);
            }
            full(value, u32::from(inst.size.min(4)))
        }
    }
}

/// An immediate of 2 or 4 bytes.
#[inline(always)]
fn full(value: i32, bytes: u32) -> Immediate {
    Immediate {
        value: value.cast_unsigned() & (u32::MAX >> (32 - 8 * bytes)),
        bytes,
        opcode_bits: 0,
    }
}

/// A register in the opcode byte.
#[inline(always)]
fn opcode_register(template: &Template, inst: &MInst) -> Bytes {
    let rm = number(inst.regs[0]);
    begin(template, rm & 7, rm >> 3, template.byte_rm && is_rex_byte(rm))
}

/// A move of an immediate to a register.
fn move_immediate(template: &Template, inst: &MInst) -> Bytes {
    let mut out = if inst.size == 8 {
        let rm = number(inst.regs[0]);
        let mut out = begin(template, 0, rm >> 3, false);
        out.modrm_reg(0, rm);
        out
    } else {
        opcode_register(template, inst)
    };
    out.immediate(immediate(template, inst));
    out
}

fn exchange(template: &Template, inst: &MInst) -> Bytes {
    let (first, second) = (number(inst.regs[0]), number(inst.regs[1]));
    debug_assert_ne!(first, second, "an exchange of a register with itself is a no-operation");
    if inst.size != 1 && (first == 0 || second == 0) {
        let other = first | second;
        return begin(&template.with_opcode(0x90), other & 7, other >> 3, false);
    }
    registers(template, inst, NO_IMMEDIATE)
}

/// A memory operand beside a register or the row's digit, and perhaps an immediate.
#[inline(always)]
fn memory(template: &Template, inst: &MInst, buf: &mut CodeBuffer) -> Bytes {
    let reg = reg_field(template, inst);
    let immediate = immediate(template, inst);
    let (base, index) = (inst.regs[1], inst.regs[2]);
    if !base.is_physical() {
        return baseless(template, inst, reg, immediate, buf);
    }
    let base = number(base);
    let rex = (reg >> 3) << 2 | base >> 3;
    let force_rex = template.byte_reg & is_rex_byte(reg);
    let opcode_bits = inst.aux & template.condition_mask | immediate.opcode_bits;
    let disp = inst.disp;
    let (mode, disp_bytes) = match i32::from(disp as i8) == disp {
        _ if disp == 0 && base & 7 != 5 => (0x00, 0),
        true => (0x40, 1),
        false => (0x80, 4),
    };
    let modrm = mode | (reg & 7) << 3;
    let mut out;
    if index.is_none() {
        out = begin(template, opcode_bits, rex, force_rex);
        out.head(modrm | base & 7);
        if base & 7 == 4 {
            out.head(0x24);
        }
    } else {
        let index = number(index);
        debug_assert_ne!(index, 4, "the stack pointer cannot be an index");
        out = begin(template, opcode_bits, rex | (index >> 3) << 1, force_rex);
        out.head(modrm | 4);
        out.head(scale_bits(inst) | (index & 7) << 3 | base & 7);
    }
    out.tail(disp.cast_unsigned() & DISP_MASKS[disp_bytes], disp_bytes as u32);
    out.immediate(immediate);
    out
}

/// Masks of a displacement by its number of bytes.
const DISP_MASKS: [u32; 5] = [0, 0xff, 0, 0, u32::MAX];

#[inline(always)]
fn scale_bits(inst: &MInst) -> u8 {
    (inst.aux & 0x30) << 2
}

/// A memory operand without base register: a symbol, or an index alone, or nothing but a displacement.
#[inline(never)]
fn baseless(template: &Template, inst: &MInst, reg: u8, immediate: Immediate, buf: &mut CodeBuffer) -> Bytes {
    let index = inst.regs[2];
    let is_symbol = inst.regs[1] == Reg::SYMBOL;
    let has_index = !is_symbol && !index.is_none();
    let rex_x = if has_index { (number(index) >> 3) << 1 } else { 0 };
    let opcode_bits = inst.aux & template.condition_mask | immediate.opcode_bits;
    let force_rex = template.byte_reg && is_rex_byte(reg);
    let mut out = begin(template, opcode_bits, (reg >> 3) << 2 | rex_x, force_rex);
    if is_symbol {
        symbol_operand(&mut out, inst, reg, immediate, buf);
    } else {
        out.head((reg & 7) << 3 | 4);
        out.head(if has_index {
            scale_bits(inst) | (number(index) & 7) << 3 | 5
        } else {
            0x25
        });
        out.tail(inst.disp.cast_unsigned(), 4);
    }
    out.immediate(immediate);
    out
}

/// ModRM and displacement of an address that a symbol, constant or label gives, with its relocation or fixup.
fn symbol_operand(out: &mut Bytes, inst: &MInst, reg: u8, immediate: Immediate, buf: &mut CodeBuffer) {
    let target = Ref(inst.regs[2].0);
    let (kind, from_end) = match target.kind() {
        RefKind::Symbol | RefKind::Constant => (relocs::PC32, true),
        RefKind::Plt => (relocs::PLT32, true),
        RefKind::Got => (slot_relocation(*out, inst), true),
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
}

/// The relocation of a slot of the global offset table: the one that allows rewriting, where that is possible.
fn slot_relocation(out: Bytes, inst: &MInst) -> u8 {
    let code = &ROWS[usize::from(inst.op)].code;
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
fn address_of_symbol(template: &Template, inst: &MInst, buf: &mut CodeBuffer) -> Bytes {
    let mut out = opcode_register(template, inst);
    let field = buf.offset() + out.head_bits / 8;
    buf.reloc(field, relocs::ABS64, Ref(inst.regs[2].0), i64::from(inst.disp));
    out.tail(0, 4);
    out.tail(0, 4);
    out
}

/// A register, and a base register with a symbol's offset.
#[cold]
fn symbol_offset(template: &Template, inst: &MInst, buf: &mut CodeBuffer) -> Bytes {
    let target = Ref(inst.imm.cast_unsigned());
    let kind = match target.kind() {
        RefKind::TlsDtpOffset => relocs::DTPOFF32,
        RefKind::TlsLocalExec => relocs::TPOFF32,
        _ => relocs::ABS32S,
    };
    let (reg, base) = (number(inst.regs[0]), number(inst.regs[1]));
    let mut out = begin(template, 0, (reg >> 3) << 2 | base >> 3, false);
    out.head(0x80 | (reg & 7) << 3 | base & 7);
    if base & 7 == 4 {
        out.head(0x24);
    }
    buf.reloc(buf.offset() + out.head_bits / 8, kind, target, i64::from(inst.disp));
    out.tail(0, 4);
    out
}

/// The opcode with the condition filled in.
fn with_condition(code: &Code, inst: &MInst) -> u8 {
    if code.has(Code::COND) {
        code.opcode | inst.condition()
    } else {
        code.opcode
    }
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
    out.head(with_condition(code, inst));
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
    out.head(with_condition(code, inst));
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
