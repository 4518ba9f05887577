//! What the encoder reads of a row: per row and size, the bytes that do not depend on operands, laid out beforehand,
//! but in builds that are to be small ([`SPEED`](frazil_support::SPEED)).
//!
//! It follows from the op table at compile time. An instruction begins with prefixes, an optional REX prefix, and the
//! opcode; only REX and the low bits of the last opcode byte depend on operands.

use crate::ops::{Code, Form, Imm, Kind, Operand, Row, Width};
use crate::rows::{ENCODED, ROWS};

/// How the fast paths of the encoder see a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// ModRM with registers only, no immediate.
    Registers,
    /// ModRM with a memory operand, no immediate.
    Memory,
    Other,
}

/// The constant part of an encoding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Template {
    /// Prefixes, opcode bytes before the last, and the opcode, first byte lowest: without REX, and with one of which
    /// no bit is set.
    heads: [u64; 2],
    /// Prefixes before REX, first byte lowest.
    pub(crate) prefixes: u32,
    /// Opcode bytes before the last, first byte lowest.
    pub(crate) escape: u16,
    /// Number of bytes in `prefixes`.
    pub(crate) prefix_bytes: u8,
    /// Number of bytes in `escape`.
    pub(crate) escape_bytes: u8,
    /// The last opcode byte.
    pub(crate) opcode: u8,
    /// REX.W or 0.
    pub(crate) rex: u8,
    /// How to proceed.
    pub(crate) class: Class,
    /// Index in `regs` of the register in the ModRM byte's `reg` field, if `reg_mask` is not 0.
    pub(crate) reg_slot: u8,
    /// Index in `regs` of the register in the `rm` field, for [`Class::Registers`].
    pub(crate) rm_slot: u8,
    /// What is or-ed to the `reg` field: the digit.
    pub(crate) digit: u8,
    /// 15 if the `reg` field is a register, else 0.
    pub(crate) reg_mask: u8,
    /// 15 if the opcode holds the condition, else 0.
    pub(crate) condition_mask: u8,
    /// 4 if the `reg` field is a byte register, else 0: the bit of registers that need REX as such.
    pub(crate) byte_reg: u8,
    /// The same for the `rm` field.
    pub(crate) byte_rm: u8,
    pub(crate) imm: Imm,
}

/// Sizes as log2 are told apart up to this.
const MOST_LOG2: u32 = 4;

/// The least and the greatest size of a row, as log2: there is a template for each between them.
const fn sizes(op: usize) -> (u32, u32) {
    let least = min(ROWS[op].sizes.trailing_zeros());
    let greatest = min(ROWS[op].sizes.ilog2());
    (least, greatest)
}

const fn min(log2: u32) -> u32 {
    if log2 < MOST_LOG2 { log2 } else { MOST_LOG2 }
}

const COUNT: usize = {
    let (mut count, mut op) = (0, 0);
    while op < ENCODED {
        let (least, greatest) = sizes(op);
        count += (greatest - least + 1) as usize;
        op += 1;
    }
    count
};

/// The templates of the first row, those of the second, and so on.
static TEMPLATES: [Template; COUNT] = {
    let mut templates = [Template::of(&ROWS[0].code, 1); COUNT];
    let (mut next, mut op) = (0, 0);
    while op < ENCODED {
        let (least, greatest) = sizes(op);
        let mut log2 = least;
        while log2 <= greatest {
            templates[next] = Template::of(&ROWS[op].code, 1 << log2);
            next += 1;
            log2 += 1;
        }
        op += 1;
    }
    templates
};

/// By row: the place that its template of size 1 has, or would have. The first rows have one of size 1 or of the next
/// sizes, so that none begins before the table.
static STARTS: [u16; ENCODED] = {
    let mut starts = [0; ENCODED];
    let (mut next, mut op) = (0, 0);
    while op < ENCODED {
        let (least, greatest) = sizes(op);
        assert!(next >= least && next <= u16::MAX as u32, "a place that is no number");
        starts[op] = (next - least) as u16;
        next += greatest - least + 1;
        op += 1;
    }
    starts
};

impl Template {
    /// The template that was laid out for a row (an [`crate::table::Op`] as number) in one of its sizes.
    #[inline(always)]
    pub(crate) fn get(op: u16, size: u8) -> &'static Template {
        let log2 = size.trailing_zeros().min(MOST_LOG2) as usize;
        &TEMPLATES[usize::from(STARTS[usize::from(op)]) + log2]
    }

    /// The same with another opcode of one byte.
    pub(crate) fn with_opcode(&self, opcode: u8) -> Template {
        let mut template = Template {
            escape_bytes: 0,
            escape: 0,
            opcode,
            ..*self
        };
        template.join();
        template
    }

    /// Prefixes and opcode as one word, and how many bytes they are, with room for a ModRM and a SIB byte after them.
    /// `opcode_bits` are or-ed to the last opcode byte, `rex` has the bits of the REX prefix, which is there if
    /// `has_rex` is set.
    #[inline(always)]
    pub(crate) fn head(&self, opcode_bits: u8, rex: u8, has_rex: bool) -> (u64, u32) {
        let last = 8 * (u32::from(self.prefix_bytes) + u32::from(self.escape_bytes));
        let opcode_bits = u64::from(opcode_bits) << last;
        if has_rex {
            let rex = u64::from(rex) << (8 * self.prefix_bytes);
            (self.heads[1] | rex | opcode_bits << 8, last / 8 + 2)
        } else {
            (self.heads[0] | opcode_bits, last / 8 + 1)
        }
    }

    /// Sets [`Template::heads`] from what they consist of.
    const fn join(&mut self) {
        assert!(self.prefix_bytes + self.escape_bytes <= 4, "no room for ModRM and SIB");
        let prefix_bits = 8 * self.prefix_bytes as u32;
        let rest = self.escape as u64 | (self.opcode as u64) << (8 * self.escape_bytes);
        let prefixes = self.prefixes as u64;
        self.heads = [
            prefixes | rest << prefix_bits,
            prefixes | 0x40 << prefix_bits | rest << (prefix_bits + 8),
        ];
    }

    pub(crate) const fn of(code: &Code, size: u8) -> Template {
        let is_int = matches!(code.width, Width::Int);
        let is_byte = is_int && size == 1;
        let (reg_slot, rm_slot, reg_mask) = slots(code.form);
        let mut template = Template {
            heads: [0; 2],
            prefixes: 0,
            escape: 0,
            prefix_bytes: 0,
            escape_bytes: 0,
            opcode: 0,
            rex: if (is_int || matches!(code.width, Width::Float)) && size == 8 || code.has(Code::W) {
                8
            } else {
                0
            },
            class: if code.has(Code::VEX) {
                Class::Other
            } else {
                class(code.form)
            },
            reg_slot,
            rm_slot,
            digit: if reg_mask == 0 { code.digit } else { 0 },
            reg_mask,
            condition_mask: if code.has(Code::COND) { 15 } else { 0 },
            byte_reg: if is_byte && reg_mask != 0 { 4 } else { 0 },
            byte_rm: if is_byte || code.has(Code::BYTE_RM) { 4 } else { 0 },
            imm: code.imm,
        };
        template.add_prefixes(code, size);
        template.add_opcode(code, size);
        template.join();
        template
    }

    const fn add_prefix(&mut self, byte: u8) {
        self.prefixes |= (byte as u32) << (8 * self.prefix_bytes);
        self.prefix_bytes += 1;
    }

    /// In the assembler's order.
    const fn add_prefixes(&mut self, code: &Code, size: u8) {
        if code.has(Code::FS) {
            self.add_prefix(0x64);
        }
        if code.has(Code::GS) {
            self.add_prefix(0x65);
        }
        if matches!(code.width, Width::Int) && size == 2 {
            self.add_prefix(0x66);
        }
        if code.has(Code::LOCK) {
            self.add_prefix(0xf0);
        }
        let mandatory = match code.width {
            Width::Scalar if size == 4 => 0xf3,
            Width::Scalar => 0xf2,
            Width::Packed if size == 8 => 0x66,
            _ => code.prefix,
        };
        if mandatory != 0 {
            self.add_prefix(mandatory);
        }
    }

    const fn add_opcode(&mut self, code: &Code, size: u8) {
        (self.escape, self.escape_bytes) = match code.map {
            0 => (0, 0),
            1 => (0x0f, 1),
            2 => (0x380f, 2),
            _ => (0x3a0f, 2),
        };
        self.opcode = match (code.form, size) {
            (Form::OI, 8) => 0xc7,
            (Form::OI, 1) => 0xb0,
            _ if matches!(code.width, Width::Int) && size == 1 => code.opcode & !1,
            _ => code.opcode,
        };
    }
}

const fn class(form: Form) -> Class {
    match form {
        Form::StoreRR | Form::LoadRR | Form::Same | Form::R | Form::RC | Form::StoreRRC => Class::Registers,
        Form::RM | Form::MR | Form::M | Form::MC => Class::Memory,
        _ => Class::Other,
    }
}

/// Slots of the `reg` and the `rm` field, and the mask of the former.
const fn slots(form: Form) -> (u8, u8, u8) {
    match form {
        Form::StoreRR | Form::StoreRRI | Form::StoreRRC | Form::Exchange => (1, 0, 15),
        Form::LoadRR | Form::LoadRRI | Form::RBaseRef => (0, 1, 15),
        Form::Same => (0, 0, 15),
        Form::Three | Form::ThreeI => (0, 2, 15),
        Form::ThreeLast | Form::Choice => (0, 1, 15),
        Form::RM | Form::MR | Form::RMI | Form::ThreeM | Form::Gather | Form::Scatter => (0, 1, 15),
        _ => (0, 0, 0),
    }
}

/// Whether 32-bit code has the instruction in this size: it needs no REX prefix. In a VEX or an EVEX prefix, the bit W
/// also tells operations on vectors apart, and means nothing there if it is about a general register.
pub(crate) fn is_in_32_bits(row: &Row, size: u8) -> bool {
    let code = &row.code;
    let is_double =
        |operand: &Operand| !operand.kind.is_vector() && operand.kind != Kind::Mask && operand.kind.bytes(size) == 8;
    match code.has(Code::VEX) {
        true => !(code.width == Width::Int && size == 8 || row.operands.iter().flatten().any(is_double)),
        false => Template::of(code, size).rex == 0,
    }
}
