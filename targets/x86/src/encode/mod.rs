//! The encoder: one machine instruction to bytes, fixups and relocations.
//!
//! Method: a template of row and size has everything that does not depend on operands; the parts are written
//! one after the other at the end of the buffer. Instructions of registers only and those with a base register have
//! straight paths; the rest is told apart by [`Form`]. Where an instruction has several encodings, the choice is that
//! of the GNU assembler, so that our assembly text gives the same bytes; only branches to labels that are not bound yet
//! are long, until the buffer makes them shorter.
//!
//! `W` is the width of a general register in bytes: 8 in 64-bit code, 4 in 32-bit code. What that does not have is
//! taken apart ([`thirty_two`]): byte registers of all general registers, and addresses relative to the instruction.
//!
//! It checks what a rule can get wrong in debug builds only.

pub(crate) mod thirty_two;
mod vex;

use crate::ops::{Code, Form, Imm, Width};
use crate::relocs;
use crate::rows::{CODES, ROWS};
use crate::template::{Class, Template};
use frazil_codegen::{CodeBuffer, Label, MInst, Ref, RefKind, Reg};
use frazil_support::SPEED;
use thirty_two::Expansion;

/// An instruction being put together at the end of the buffer. Parts are written as whole words of which only the
/// first bytes count; what comes after overwrites the rest. A copy from elsewhere would have to wait for the small
/// writes, which costs more than everything else here.
struct Out<'a> {
    /// The place of the instruction and some room after it.
    bytes: &'a mut [u8; ROOM],
    /// Bytes so far.
    len: usize,
    note: Note,
    is_32_bit: bool,
    /// What an address in 32-bit code is relative to, if there is something.
    place: Option<Place>,
}

/// An address that an instruction before has brought to a register.
#[derive(Clone, Copy)]
struct Place {
    base: Reg,
    /// From there to the start of the instruction, in bytes.
    distance: i64,
    /// The relocation, if it is not that of a distance.
    kind: Option<u8>,
}

/// The longest instruction in bytes. As a mask it changes no place in an instruction, and tells the compiler that all
/// of them are in the room.
const LONGEST: usize = 15;

/// The last word may reach beyond the longest instruction.
const ROOM: usize = 24;

/// What the buffer must be told about a field of the instruction; places are bytes from the instruction's start.
#[derive(Clone, Copy)]
enum Note {
    None,
    Reloc {
        place: usize,
        kind: u8,
        target: Ref,
        addend: i64,
    },
    Fixup {
        place: usize,
        label: Label,
        kind: u8,
    },
}

impl Out<'_> {
    /// Appends what `write` puts together. To stay in registers, the state must not leave functions that are inlined.
    #[inline(always)]
    fn fill<const W: u8, T>(buf: &mut CodeBuffer, write: impl FnOnce(&mut Out<'_>) -> T) -> T {
        let start = buf.offset();
        let mut out = Out {
            bytes: buf.bytes.room(),
            len: 0,
            note: Note::None,
            is_32_bit: W == 4,
            place: None,
        };
        let result = write(&mut out);
        let Out { len, note, .. } = out;
        debug_assert!(len <= LONGEST);
        buf.bytes.advance(len);
        match note {
            Note::None => {}
            Note::Reloc {
                place,
                kind,
                target,
                addend,
            } => buf.reloc(start + place as u32, kind, target, addend),
            Note::Fixup { place, label, kind } => buf.fixup(start + place as u32, label, kind),
        }
        result
    }

    /// Appends the first `count` bytes of a word.
    #[inline(always)]
    fn word(&mut self, value: u32, count: usize) {
        debug_assert!(count <= 4);
        let at = self.len & LONGEST;
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        self.len += count;
    }

    /// The same of a word of 8 bytes.
    #[inline(always)]
    fn long_word(&mut self, value: u64, count: u32) {
        debug_assert!(count <= 8);
        let at = self.len & LONGEST;
        self.bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        self.len += count as usize;
    }

    #[inline(always)]
    fn byte(&mut self, value: u8) {
        self.optional_byte(value, true);
    }

    /// Appends a byte if it is there.
    #[inline(always)]
    fn optional_byte(&mut self, value: u8, is_there: bool) {
        self.bytes[self.len & LONGEST] = value;
        self.len += usize::from(is_there);
    }

    #[inline(always)]
    fn immediate(&mut self, immediate: Immediate) {
        self.word(immediate.value, immediate.bytes);
    }

    #[inline(always)]
    fn modrm_reg(&mut self, reg: u8, rm: u8) {
        self.byte(0xc0 | (reg & 7) << 3 | (rm & 7));
    }

    /// Appends a field of 4 bytes that a relocation fills in.
    fn reloc32(&mut self, kind: u8, target: Ref, addend: i64) {
        self.note = Note::Reloc {
            place: self.len,
            kind,
            target,
            addend,
        };
        self.word(0, 4);
    }

    /// Appends a field of 4 bytes with the distance to a label, `addend` bytes further.
    fn fixup32(&mut self, kind: u8, label: Label, addend: i32) {
        self.note = Note::Fixup {
            place: self.len,
            label,
            kind,
        };
        self.word(addend.cast_unsigned(), 4);
    }

    /// Appends a field of one byte with the distance from its end to a label.
    fn fixup8(&mut self, label: Label) {
        self.note = Note::Fixup {
            place: self.len,
            label,
            kind: relocs::REL8,
        };
        self.byte(0xff);
    }
}

/// An immediate as it is written.
#[derive(Clone, Copy)]
struct Immediate {
    value: u32,
    bytes: usize,
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
pub fn encode<const W: u8>(inst: &MInst, buf: &mut CodeBuffer) {
    debug_assert!(
        ROWS[usize::from(inst.op)].sizes & inst.size != 0,
        "{} has no size {}",
        ROWS[usize::from(inst.op)].name,
        inst.size
    );
    let start = buf.offset();
    let jump = put::<W>(inst, buf);
    buf.finish_inst(inst, start, jump);
}

/// Appends the bytes of an instruction; gives the label of a branch that may be dropped.
#[inline(always)]
fn put<const W: u8>(inst: &MInst, buf: &mut CodeBuffer) -> Option<Label> {
    let computed;
    let template = if SPEED {
        Template::get(inst.op, inst.size)
    } else {
        computed = Template::of(&CODES[usize::from(inst.op)], inst.size);
        &computed
    };
    if W == 4 {
        let is_of_64_bits = template.rex != 0 && !CODES[usize::from(inst.op)].has(Code::VEX);
        assert!(!is_of_64_bits, "an operation of 64 bits in 32-bit code: {inst:?}");
        if let Some(expansion) = Expansion::of(template, inst) {
            thirty_two::put_expanded(expansion, inst, buf);
            return None;
        }
    }
    match template.class {
        Class::Registers
            if W == 4
                && let Some(opcode) = thirty_two::short_count(template, inst) =>
        {
            Out::fill::<W, _>(buf, |out| begin(out, &template.with_opcode(opcode), 0, 0, 0));
        }
        Class::Registers => Out::fill::<W, _>(buf, |out| registers(out, template, inst, 0)),
        Class::Memory if inst.reg(1).is_physical() => Out::fill::<W, _>(buf, |out| memory(out, template, inst, 0)),
        _ => return other::<W>(buf, template, inst),
    }
    None
}

/// Forms off the straight paths; gives the label of a branch that may be dropped.
#[inline(never)]
fn other<const W: u8>(buf: &mut CodeBuffer, template: &Template, inst: &MInst) -> Option<Label> {
    let code = &CODES[usize::from(inst.op)];
    match code.form {
        Form::Branch => return branch::<W>(buf, code, inst),
        // What is commonest keeps its state in registers.
        _ if !SPEED || code.has(Code::VEX) => Out::fill::<W, _>(buf, |out| write_other(out, template, code, inst)),
        Form::RI => Out::fill::<W, _>(buf, |out| register_immediate(out, template, inst)),
        Form::OI => Out::fill::<W, _>(buf, |out| move_immediate(out, template, inst)),
        Form::MI if inst.reg(1).is_physical() => Out::fill::<W, _>(buf, |out| memory_immediate(out, template, inst)),
        Form::BranchRef => Out::fill::<W, _>(buf, |out| branch_to_symbol(out, code, inst)),
        _ => Out::fill::<W, _>(buf, |out| write_other(out, template, code, inst)),
    }
    None
}

fn write_other(out: &mut Out<'_>, template: &Template, code: &Code, inst: &MInst) {
    if code.has(Code::VEX) {
        return vex::with_vex(out, template, code, inst);
    }
    match code.form {
        Form::RI => register_immediate(out, template, inst),
        Form::OI => move_immediate(out, template, inst),
        Form::LoadRRI | Form::StoreRRI => registers_immediate(out, template, inst),
        Form::Exchange => exchange(out, template, inst),
        Form::O => opcode_register(out, template, inst),
        Form::OI64 => {
            opcode_register(out, template, inst);
            out.word(inst.imm.cast_unsigned(), 4);
            out.word(inst.disp.cast_unsigned(), 4);
        }
        Form::ORef => address_of_symbol(out, template, inst),
        Form::RBaseRef => symbol_offset(out, template, inst),
        Form::None => begin(out, template, 0, 0, 0),
        Form::NoneModRm => {
            begin(out, template, 0, 0, 0);
            out.byte(code.digit);
        }
        Form::I => {
            let immediate = immediate(template, inst);
            begin(out, template, immediate.opcode_bits, 0, 0);
            out.immediate(immediate);
        }
        Form::ShortBranch => short_branch(out, code, inst),
        Form::BranchRef => branch_to_symbol(out, code, inst),
        Form::Nop => filler(out, inst.imm),
        // On the straight paths, or dealt with before.
        Form::Branch | Form::StoreRR | Form::LoadRR | Form::Same | Form::R | Form::RC | Form::StoreRRC => {
            registers(out, template, inst, 0);
        }
        Form::RM | Form::MR | Form::M | Form::MI | Form::MC | Form::RMI => any_memory(out, template, inst),
        Form::Three | Form::ThreeM | Form::ThreeI | Form::ThreeLast | Form::Choice | Form::Gather | Form::Scatter => {
            unreachable!("an instruction that needs a VEX prefix without one")
        }
    }
}

#[inline(always)]
fn number(reg: Reg) -> u8 {
    debug_assert!(reg.is_physical(), "{reg:?} in an instruction to be encoded");
    (reg.0 & 15) as u8
}

/// What goes into the `reg` field: a register or the row's digit.
#[inline(always)]
fn reg_field(template: &Template, inst: &MInst) -> u8 {
    let reg = inst.reg(usize::from(template.reg_slot & 1));
    debug_assert!(reg.is_physical() || template.reg_mask == 0, "{inst:?}");
    reg.0 as u8 & template.reg_mask | template.digit
}

/// Prefixes and opcode. `opcode_bits` are or-ed to the last opcode byte, `rex` has the bits R, X and B. A
/// `byte_register` other than 0 asks for the prefix even if it has no bit, which is what selects the byte registers
/// `spl` to `dil`: those with bit 2 and without bit 3, and with bit 3 there is a prefix anyway.
#[inline(always)]
fn begin(out: &mut Out<'_>, template: &Template, opcode_bits: u8, rex: u8, byte_register: u8) {
    let (head, bytes) = head(template, opcode_bits, rex, byte_register);
    out.long_word(head, bytes);
}

/// The same as a word, and how many bytes they are.
#[inline(always)]
fn head(template: &Template, opcode_bits: u8, rex: u8, byte_register: u8) -> (u64, u32) {
    let rex = rex | template.rex;
    template.head(opcode_bits, rex, rex | byte_register != 0)
}

/// Two registers, or one and the row's digit.
#[inline(always)]
fn registers(out: &mut Out<'_>, template: &Template, inst: &MInst, opcode_bits: u8) {
    let reg = reg_field(template, inst);
    let rm = number(inst.reg(usize::from(template.rm_slot & 1)));
    let byte_register = reg & template.byte_reg | rm & template.byte_rm;
    let opcode_bits = inst.aux & template.condition_mask | opcode_bits;
    let (head, bytes) = head(template, opcode_bits, (reg >> 3) << 2 | rm >> 3, byte_register);
    let modrm = u64::from(0xc0 | (reg & 7) << 3 | (rm & 7));
    out.long_word(head | modrm << (8 * bytes), bytes + 1);
}

/// The same and an immediate.
fn registers_immediate(out: &mut Out<'_>, template: &Template, inst: &MInst) {
    let immediate = immediate(template, inst);
    registers(out, template, inst, immediate.opcode_bits);
    out.immediate(immediate);
}

/// A register and an immediate, with the accumulator's own encodings.
#[inline]
fn register_immediate(out: &mut Out<'_>, template: &Template, inst: &MInst) {
    let immediate = immediate(template, inst);
    let is_full = inst.size == 1 || immediate.bytes > 1;
    if is_full && number(inst.reg(0)) == 0 {
        let opcode = match template.imm {
            Imm::Short => template.digit << 3 | 5,
            Imm::Full => 0xa9,
            _ => 0,
        };
        if opcode != 0 {
            let template = template.with_opcode(opcode & !u8::from(inst.size == 1));
            begin(out, &template, 0, 0, 0);
            out.immediate(immediate);
            return;
        }
    }
    registers(out, template, inst, immediate.opcode_bits);
    out.immediate(immediate);
}

/// The immediate in its shortest encoding.
#[inline(always)]
fn immediate(template: &Template, inst: &MInst) -> Immediate {
    let byte = |opcode_bits| Immediate {
        value: inst.imm.cast_unsigned(),
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
            full(value, usize::from(inst.size.min(4)))
        }
    }
}

/// An immediate of 2 or 4 bytes.
#[inline(always)]
fn full(value: i32, bytes: usize) -> Immediate {
    Immediate {
        value: value.cast_unsigned(),
        bytes,
        opcode_bits: 0,
    }
}

/// A register in the opcode byte.
#[inline(always)]
fn opcode_register(out: &mut Out<'_>, template: &Template, inst: &MInst) {
    let rm = number(inst.reg(0));
    begin(out, template, rm & 7, rm >> 3, rm & template.byte_rm);
}

/// A move of an immediate to a register.
#[inline]
fn move_immediate(out: &mut Out<'_>, template: &Template, inst: &MInst) {
    if inst.size == 8 {
        let rm = number(inst.reg(0));
        begin(out, template, 0, rm >> 3, 0);
        out.modrm_reg(0, rm);
    } else {
        opcode_register(out, template, inst);
    }
    out.immediate(immediate(template, inst));
}

fn exchange(out: &mut Out<'_>, template: &Template, inst: &MInst) {
    let (first, second) = (number(inst.reg(0)), number(inst.reg(1)));
    debug_assert_ne!(first, second, "an exchange of a register with itself is a no-operation");
    if inst.size != 1 && (first == 0 || second == 0) {
        let other = first | second;
        return begin(out, &template.with_opcode(0x90), other & 7, other >> 3, 0);
    }
    registers(out, template, inst, 0);
}

/// A memory operand with a base register, beside a register or the row's digit.
#[inline(always)]
fn memory(out: &mut Out<'_>, template: &Template, inst: &MInst, opcode_bits: u8) {
    let opcode_bits = inst.aux & template.condition_mask | opcode_bits;
    memory_after(out, template, inst, 1, |_, rex, byte| {
        head(template, opcode_bits, rex, byte)
    });
}

/// The same after prefixes and opcode, from `begin`, which gets the bits R, X and B, and the byte register: it has
/// appended them, or gives them as a word of so many bytes. A displacement of one byte counts units of `unit` bytes.
#[inline(always)]
fn memory_after(
    out: &mut Out<'_>,
    template: &Template,
    inst: &MInst,
    unit: i32,
    begin: impl Fn(&mut Out<'_>, u8, u8) -> (u64, u32),
) {
    /// In the place of a base, says that there is a SIB byte; in the place of an index, that there is none.
    const FURTHER: u8 = 4;
    let reg = reg_field(template, inst);
    let (base, index) = (inst.reg(1), inst.reg(2));
    let base = number(base);
    let disp = inst.disp;
    let has_disp = u8::from(disp != 0 || base & 7 == 5);
    let units = disp / unit;
    let is_long = u8::from(i32::from(units as i8) * unit != disp);
    let mode = (has_disp + is_long) << 6;
    let disp_bytes = usize::from(has_disp + 3 * is_long);
    let mut rex = (reg >> 3) << 2 | base >> 3;
    let (rm, index_bits) = if index.is_none() {
        (base & 7, FURTHER << 3)
    } else {
        let index = number(index);
        debug_assert!(
            index != FURTHER || inst.reg(2).bank() == 1,
            "the stack pointer cannot be an index"
        );
        rex |= (index >> 3) << 1;
        (FURTHER, scale_bits(inst) | (index & 7) << 3)
    };
    let (head, bytes) = begin(out, rex, reg & template.byte_reg);
    let after = u64::from(mode | (reg & 7) << 3 | rm) | u64::from(index_bits | base & 7) << 8;
    out.long_word(head | after << (8 * bytes), bytes + 1 + u32::from(rm == FURTHER));
    let written = if is_long == 0 { units } else { disp };
    out.word(written.cast_unsigned(), disp_bytes);
}

#[inline(always)]
fn scale_bits(inst: &MInst) -> u8 {
    (inst.aux & 0x30) << 2
}

/// Any memory operand, and perhaps an immediate.
fn any_memory(out: &mut Out<'_>, template: &Template, inst: &MInst) {
    if inst.reg(1).is_physical() {
        return memory_immediate(out, template, inst);
    }
    let immediate = immediate(template, inst);
    baseless(out, template, inst, immediate);
    out.immediate(immediate);
}

/// A memory operand with a base register, and perhaps an immediate.
#[inline(always)]
fn memory_immediate(out: &mut Out<'_>, template: &Template, inst: &MInst) {
    let immediate = immediate(template, inst);
    memory(out, template, inst, immediate.opcode_bits);
    out.immediate(immediate);
}

/// A memory operand without base register: a symbol, or an index alone, or nothing but a displacement.
fn baseless(out: &mut Out<'_>, template: &Template, inst: &MInst, immediate: Immediate) {
    let opcode_bits = inst.aux & template.condition_mask | immediate.opcode_bits;
    baseless_after(out, template, inst, immediate, |out, rex, byte_register| {
        begin(out, template, opcode_bits, rex, byte_register);
    });
}

/// The same after prefixes and opcode, as for [`memory_after`].
#[inline(always)]
fn baseless_after(
    out: &mut Out<'_>,
    template: &Template,
    inst: &MInst,
    immediate: Immediate,
    begin: impl Fn(&mut Out<'_>, u8, u8),
) {
    let reg = reg_field(template, inst);
    let index = inst.reg(2);
    let is_symbol = inst.is_symbol();
    let has_index = !is_symbol && !index.is_none();
    if out.is_32_bit
        && !has_index
        && out.place.is_none()
        && let Some(opcode) = thirty_two::whole_address(inst)
    {
        return thirty_two::accumulator(out, &template.with_opcode(opcode), inst);
    }
    let rex_x = if has_index { (number(index) >> 3) << 1 } else { 0 };
    let byte_register = reg & template.byte_reg;
    begin(out, (reg >> 3) << 2 | rex_x, byte_register);
    if is_symbol {
        symbol_operand(out, inst, reg, immediate);
    } else if out.is_32_bit && !has_index {
        out.byte((reg & 7) << 3 | 5);
        out.word(inst.disp.cast_unsigned(), 4);
    } else {
        out.byte((reg & 7) << 3 | 4);
        out.byte(if has_index {
            scale_bits(inst) | (number(index) & 7) << 3 | 5
        } else {
            0x25
        });
        out.word(inst.disp.cast_unsigned(), 4);
    }
}

/// What an instruction names whose form, or whose operand, is a reference.
#[inline]
pub(crate) fn named(inst: &MInst) -> Ref {
    inst.reference().expect("rules give such a row a symbol")
}

/// ModRM and displacement of an address that a symbol, constant or label gives, with its relocation or fixup.
fn symbol_operand(out: &mut Out<'_>, inst: &MInst, reg: u8, immediate: Immediate) {
    let target = named(inst);
    if out.is_32_bit {
        return thirty_two::symbol_operand(out, inst, reg, target);
    }
    let (kind, from_end) = match target.kind() {
        RefKind::Symbol | RefKind::Constant | RefKind::Block | RefKind::Foreign | RefKind::Table => {
            (relocs::PC32, true)
        }
        RefKind::Plt => (relocs::PLT32, true),
        RefKind::Got => (slot_relocation(out, inst), true),
        RefKind::TlsGeneralDynamic => (relocs::TLSGD, true),
        RefKind::TlsLocalDynamic => (relocs::TLSLD, true),
        RefKind::TlsInitialExec => (relocs::GOTTPOFF, true),
        RefKind::TlsDtpOffset => (relocs::DTPOFF32, false),
        RefKind::TlsLocalExec => (relocs::TPOFF32, false),
        RefKind::Label => (0, true),
    };
    let reg_field = (reg & 7) << 3;
    if from_end {
        out.byte(reg_field | 5);
    } else {
        out.byte(reg_field | 4);
        out.byte(0x25);
    }
    let to_end = if from_end { 4 + immediate.bytes as i32 } else { 0 };
    if target.kind() == RefKind::Label {
        out.fixup32(relocs::REL32, Label(target.number()), inst.disp.wrapping_sub(to_end));
    } else {
        out.reloc32(kind, target, i64::from(inst.disp) - i64::from(to_end));
    }
}

/// The relocation of a slot of the global offset table: the one that allows rewriting, where that is possible.
fn slot_relocation(out: &Out<'_>, inst: &MInst) -> u8 {
    let code = &CODES[usize::from(inst.op)];
    if !code.has(Code::RELAXABLE) || code.width == Width::Int && inst.size < 4 {
        return relocs::GOTPCREL;
    }
    // The row has no prefix, so the first byte is REX or the opcode.
    if out.bytes[0] & 0xf0 == 0x40 {
        relocs::REX_GOTPCRELX
    } else {
        relocs::GOTPCRELX
    }
}

/// A register and a symbol's absolute address of 8 bytes.
#[cold]
fn address_of_symbol(out: &mut Out<'_>, template: &Template, inst: &MInst) {
    opcode_register(out, template, inst);
    out.reloc32(relocs::ABS64, named(inst), i64::from(inst.disp));
    out.word(0, 4);
}

/// A register, and a base register with a symbol's offset.
#[cold]
fn symbol_offset(out: &mut Out<'_>, template: &Template, inst: &MInst) {
    let target = Ref(inst.imm.cast_unsigned());
    let kind = match target.kind() {
        kind if out.is_32_bit => thirty_two::relocation(kind, inst),
        RefKind::TlsDtpOffset => relocs::DTPOFF32,
        RefKind::TlsLocalExec => relocs::TPOFF32,
        other => {
            debug_assert_eq!(other, RefKind::Symbol, "no offset of this kind exists");
            relocs::ABS32S
        }
    };
    let (reg, base) = (number(inst.reg(0)), number(inst.reg(1)));
    begin(out, template, 0, (reg >> 3) << 2 | base >> 3, 0);
    if is_index(target) {
        out.byte((reg & 7) << 3 | 4);
        out.byte((base & 7) << 3 | 5);
        return out.reloc32(kind, target, i64::from(inst.disp));
    }
    out.byte(0x80 | (reg & 7) << 3 | base & 7);
    if base & 7 == 4 {
        out.byte(0x24);
    }
    out.reloc32(kind, target, i64::from(inst.disp));
}

/// Whether the register beside a symbol's offset is encoded as an index: linkers know the general dynamic sequence of
/// 32-bit code by that (U. Drepper, "ELF Handling For Thread-Local Storage", section 4.1.2).
pub(crate) fn is_index(target: Ref) -> bool {
    target.kind() == RefKind::TlsGeneralDynamic
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
fn branch<const W: u8>(buf: &mut CodeBuffer, code: &Code, inst: &MInst) -> Option<Label> {
    let is_conditional = code.has(Code::COND);
    let label = inst.label();
    let end_of_short = buf.offset() + 2;
    let bound = buf.label_offset(label);
    let is_short = bound.is_some_and(|target| end_of_short - target <= 128);
    Out::fill::<W, _>(buf, |out| {
        if is_short {
            out.byte(if is_conditional { 0x70 | inst.condition() } else { 0xeb });
            out.fixup8(label);
        } else {
            out.optional_byte(0x0f, is_conditional);
            out.byte(with_condition(code, inst));
            let kind = if is_conditional {
                relocs::CONDITIONAL32
            } else {
                relocs::JUMP32
            };
            out.fixup32(kind, label, -4);
        }
    });
    (bound.is_none() && !is_conditional).then_some(label)
}

/// A branch to a label that the rule knows to be near.
fn short_branch(out: &mut Out<'_>, code: &Code, inst: &MInst) {
    out.byte(with_condition(code, inst));
    out.fixup8(inst.label());
}

#[inline]
fn branch_to_symbol(out: &mut Out<'_>, code: &Code, inst: &MInst) {
    if code.prefix != 0 {
        // The padded call of the general-dynamic sequence (System V ABI for x86-64, appendix on thread-local storage).
        out.byte(0x66);
        out.byte(0x66);
        out.byte(0x48);
    }
    out.byte(code.opcode);
    let target = named(inst);
    out.reloc32(
        branch_relocation(target, out.is_32_bit),
        target,
        i64::from(inst.disp) - 4,
    );
}

/// The relocation of a call or jump to a symbol.
pub(crate) fn branch_relocation(target: Ref, is_32_bit: bool) -> u8 {
    match (target.kind(), is_32_bit) {
        (RefKind::Symbol, true) => relocs::in_32_bits::PC32,
        (_, true) => relocs::in_32_bits::PLT32,
        (RefKind::Symbol, false) => relocs::PC32,
        (_, false) => relocs::PLT32,
    }
}

/// The recommended no-operations of 1 to 9 bytes (Intel manual, volume 2, NOP), and longer ones with prefixes that do
/// nothing, as LLVM's assembler has them.
pub(crate) const NO_OPERATIONS: [&[u8]; 11] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

/// Fills bytes before a loop, which are run each time it is entered: with at most two no-operations, or a jump.
pub(crate) fn fill_before_loop(bytes: &mut [u8]) {
    const SHORT_JUMP: u8 = 0xeb;
    let most = 2 * NO_OPERATIONS.len();
    match bytes {
        [jump, distance, rest @ ..] if rest.len() + 2 > most => {
            (*jump, *distance) = (SHORT_JUMP, rest.len() as u8);
            fill(rest);
        }
        bytes => fill(bytes),
    }
}

/// Fills bytes with no-operations, as few as may be.
pub(crate) fn fill(bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(NO_OPERATIONS.len()) {
        chunk.copy_from_slice(NO_OPERATIONS[chunk.len() - 1]);
    }
}

#[cold]
fn filler(out: &mut Out<'_>, bytes: i32) {
    let longest = NO_OPERATIONS.len();
    for &byte in NO_OPERATIONS[(bytes.cast_unsigned() as usize).clamp(1, longest) - 1] {
        out.byte(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{jcc, jmp, jmp_short, mr, ri};
    use crate::cond::Cond;
    use crate::regs::{R12, RAX, RSP};
    use crate::relocs::FIXUPS;
    use crate::table::Op;
    use frazil_codegen::Mem;

    #[test]
    fn backward_branches_are_short_when_they_reach() {
        let mut buf = CodeBuffer::new(false);
        let top = buf.new_label();
        buf.bind(top);
        buf.put(&[0x90; 126]);
        encode::<8>(&jmp(top), &mut buf);
        encode::<8>(&jcc(Cond::Ne, top), &mut buf);
        assert_eq!(buf.finish(FIXUPS, 0x90, None), Ok(()));
        assert_eq!(buf.bytes[126..], [0xeb, 0x80, 0x0f, 0x85, 0x7a, 0xff, 0xff, 0xff]);
    }

    #[test]
    fn forward_branches_reach_their_label() {
        let mut buf = CodeBuffer::new(false);
        let (near, end) = (buf.new_label(), buf.new_label());
        encode::<8>(&jcc(Cond::L, end), &mut buf);
        encode::<8>(&jmp_short(near), &mut buf);
        encode::<8>(&ri(Op::SubRI, 8, RSP, 8), &mut buf);
        buf.bind(near);
        encode::<8>(&mr(Op::AddMR, 4, Mem::base(R12, 0), RAX), &mut buf);
        buf.bind(end);
        assert!(buf.finish(FIXUPS, 0x90, None).is_ok());
        let expected = [
            0x0f, 0x8c, 10, 0, 0, 0, 0xeb, 4, 0x48, 0x83, 0xec, 8, 0x41, 0x01, 0x04, 0x24,
        ];
        assert_eq!(*buf.bytes, expected);
    }
}
