//! Assembly text of one machine instruction, in AT&T syntax for the GNU assembler.
//!
//! What is printed gives the bytes that [`crate::encode`] made when it is assembled: the encoder chooses as the
//! assembler does, and where it did not (branches to labels that were not bound yet) the text says so. Names of labels
//! and symbols come from the caller. It prints no line ends and no indentation.

use crate::cond::Cond;
use crate::encode::thirty_two::{Expansion, exchange, exchanged, of_exchanged, without_base, without_table};
use crate::encode::{branch_relocation, is_index, named};
use crate::ops::{Code, Form, Imm, Row, Width, aux};
use crate::regs::{MASK, SCRATCH_FLOAT, name};
use crate::relocs::{RELOCS, in_32_bits};
use crate::rows::ROWS;
use crate::template::Template;
use crate::upper;
use frazil_codegen::{AsmNames, CodeBuffer, Label, MInst, Ref, RefKind};
use std::fmt::{self, Write};

/// Writes the text of `inst`, which the encoder made into `encoded_bytes` bytes.
///
/// # Errors
/// As the writer's.
pub fn print_to<const W: u8>(
    inst: &MInst,
    encoded_bytes: u8,
    names: &dyn AsmNames,
    out: &mut dyn Write,
) -> fmt::Result {
    if W == 4 {
        let template = Template::of(&ROWS[usize::from(inst.op)].code, inst.size);
        if let Some(expansion) = Expansion::of(&template, inst) {
            return print_expanded(expansion, inst, names, out);
        }
    }
    print_one(inst, encoded_bytes, (names, W == 4, None), out)
}

/// Writes the instructions that stand for one which 32-bit code does not have.
fn print_expanded(expansion: Expansion, inst: &MInst, names: &dyn AsmNames, out: &mut dyn Write) -> fmt::Result {
    const LONGEST: u8 = 15;
    match expansion {
        Expansion::Exchange(first, second) => {
            let exchange = exchange(first, second);
            print_to::<4>(&exchange, LONGEST, names, out)?;
            out.write_str("\n\t")?;
            let exchanged = exchanged(inst, first, second);
            match of_exchanged(&exchanged, first) {
                Some(expansion) => print_expanded(expansion, &exchanged, names, out)?,
                None => print_one(&exchanged, LONGEST, (names, true, None), out)?,
            }
            out.write_str("\n\t")?;
            print_to::<4>(&exchange, LONGEST, names, out)
        }
        Expansion::Relative(base, is_kept) => {
            let base = name(base, 4);
            if is_kept {
                write!(out, "pushl\t%{base}\n\t")?;
            }
            // The place is after the call, one byte before the last instruction.
            write!(out, "call\t.+5\n\tpopl\t%{base}\n\t{{disp32}} ")?;
            let place = Some((base, "-(.-1)"));
            print_one(inst, LONGEST, (names, true, place), out)?;
            match is_kept {
                true => write!(out, "\n\tpopl\t%{base}"),
                false => Ok(()),
            }
        }
        Expansion::Based(base) => {
            let place = Some((name(base, 4), ""));
            print_one(&without_base(inst), LONGEST, (names, true, place), out)
        }
        Expansion::Table(base) => write_table(name(base, 4), out),
        Expansion::ThroughTable(base) => {
            let base = name(base, 4);
            write_table(base, out)?;
            out.write_str("\n\t{disp32} ")?;
            print_one(&without_table(inst), LONGEST, (names, true, Some((base, ""))), out)
        }
    }
}

/// Writes what brings the place of the global offset table to a register.
fn write_table(base: &str, out: &mut dyn Write) -> fmt::Result {
    write!(out, "call\t.+5\n\tpopl\t%{base}\n\t")?;
    write!(out, "{{disp32}} leal\t_GLOBAL_OFFSET_TABLE_+1(%{base}), %{base}")
}

fn print_one(
    inst: &MInst,
    encoded_bytes: u8,
    (names, is_32_bit, place): (&dyn AsmNames, bool, Option<(&'static str, &'static str)>),
    out: &mut dyn Write,
) -> fmt::Result {
    let row = &ROWS[usize::from(inst.op)];
    if row.code.form == Form::Nop {
        return write_filler(inst, out);
    }
    if is_jump_to_symbol(row) && names.is_filled_in(named(inst)) {
        return write_jump_with_relocation(inst, (names, is_32_bit), out);
    }
    write_mnemonic(inst, row, encoded_bytes, out)?;
    let mut separator = if row.code.has(Code::STAR) { "\t*" } else { "\t" };
    let mut printer = Printer {
        inst,
        row,
        names,
        is_32_bit,
        place,
        out,
    };
    let parts = parts(row.code.form);
    let mut rounding = rounding(inst, row);
    for (index, &part) in parts.iter().enumerate() {
        if row.code.has(Code::OWN_IS_SCRATCH) && index + 1 == parts.len() {
            printer.out.write_str(separator)?;
            let width_bytes = row.operands[0].map_or(0, |operand| operand.kind.named_bytes(inst.size));
            write!(printer.out, "%{}", name(SCRATCH_FLOAT, width_bytes))?;
        }
        if !rounding.is_empty() && printer.is_vector(part) {
            write!(printer.out, "{separator}{rounding}")?;
            (rounding, separator) = ("", ", ");
        }
        printer.out.write_str(separator)?;
        printer.part(part)?;
        separator = ", ";
        if row.code.has(Code::OWN_IS_FIRST) && index + 1 == parts.len() {
            printer.out.write_str(separator)?;
            printer.part(part)?;
        }
    }
    write_mask(inst, row, out)
}

/// What text says of rounding: it comes before the first vector.
fn rounding(inst: &MInst, row: &Row) -> &'static str {
    match (
        row.code.has(Code::EVEX) && !row.code.form.has_mem() && inst.aux & aux::SILENT != 0,
        row.code.has(Code::ROUNDS),
    ) {
        (false, _) => "",
        (true, false) => "{sae}",
        (true, true) => {
            ["{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}"][usize::from(inst.aux >> aux::ROUNDING_BIT & 3)]
        }
    }
}

/// The mask comes after the result, which is the last operand.
fn write_mask(inst: &MInst, row: &Row, out: &mut dyn Write) -> fmt::Result {
    if !row.code.has(Code::MASKED) {
        return Ok(());
    }
    write!(out, " {{%{}}}", name(MASK, 8))?;
    match inst.aux & aux::ZEROING {
        0 => Ok(()),
        _ => out.write_str("{z}"),
    }
}

fn is_jump_to_symbol(row: &Row) -> bool {
    row.code.form == Form::BranchRef && row.code.opcode == 0xe9
}

/// GNU `as` fills in jumps to symbols of the same section that no other object can replace, and only jumps. What
/// stands for it is an empty field and its relocation.
#[cold]
fn write_jump_with_relocation(
    inst: &MInst,
    (names, is_32_bit): (&dyn AsmNames, bool),
    out: &mut dyn Write,
) -> fmt::Result {
    let target = named(inst);
    let relocs = if is_32_bit { in_32_bits::RELOCS } else { RELOCS };
    let kind = &relocs[usize::from(branch_relocation(target, is_32_bit))];
    write!(out, "{{disp32}} jmp\t.+5\n\t.reloc\t.-4, {}, ", kind.name)?;
    names.write_ref(target, out)?;
    write!(out, "{:+}", i64::from(inst.disp) - 4)
}

/// The assembler would shorten the displacement of a longer no-operation, so those are bytes.
fn write_filler(inst: &MInst, out: &mut dyn Write) -> fmt::Result {
    let mut buf = CodeBuffer::new(false);
    crate::encode::encode::<8>(inst, &mut buf);
    if let [_] = buf.bytes.as_slice() {
        // Assemblers have rows of line tables for instructions only.
        return out.write_str("nop");
    }
    let mut separator = ".byte\t";
    for byte in buf.bytes.as_slice() {
        write!(out, "{separator}{byte:#04x}")?;
        separator = ", ";
    }
    Ok(())
}

fn write_mnemonic(inst: &MInst, row: &Row, encoded_bytes: u8, out: &mut dyn Write) -> fmt::Result {
    let code = &row.code;
    if code.has(Code::LOCK) {
        out.write_str("lock ")?;
    }
    if code.form == Form::Branch && encoded_bytes > 2 || is_jump_to_symbol(row) {
        out.write_str("{disp32} ")?;
    }
    let is_evident = code.has(Code::MASKED) || inst.size == 64 || inst.aux & aux::SILENT != 0;
    if code.has(Code::PREFERRED_VEX) && !is_evident {
        out.write_str("{evex} ")?;
    }
    if let Some(mnemonic) = upper::mnemonic(inst, code) {
        return out.write_str(mnemonic);
    }
    if code.has(Code::NAMED_V) {
        out.write_char('v')?;
    }
    out.write_str(row.mnemonic.as_str())?;
    if code.has(Code::COND) {
        out.write_str(Cond::from_number(inst.condition()).name())?;
    }
    if code.has(Code::PLAIN) {
        return Ok(());
    }
    out.write_str(match (code.width, inst.size) {
        (Width::Int, 1) => "b",
        (Width::Int, 2) => "w",
        (Width::Int, 4) => "l",
        (Width::Int, _) => "q",
        (Width::Scalar | Width::Packed | Width::Float, 4) => "s",
        (Width::Scalar | Width::Packed | Width::Float, _) => "d",
        (Width::Fixed, _) => "",
    })
}

/// An operand in text.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// The register in this slot.
    Register(usize),
    /// The memory operand.
    Memory,
    Immediate,
    /// The 64-bit immediate.
    Immediate64,
    /// The count in `cl`.
    Count,
    Label,
    /// The symbol operand itself.
    Symbol,
    /// The symbol operand's address as an immediate.
    SymbolAddress,
    /// The symbol in `imm`, relative to the register in slot 1.
    SymbolOffset,
}

/// Operands in the order of AT&T syntax: sources first.
pub(crate) fn parts(form: Form) -> &'static [Part] {
    use Part::*;
    match form {
        Form::None | Form::NoneModRm | Form::Nop => &[],
        Form::StoreRR | Form::LoadRR | Form::Exchange => &[Register(1), Register(0)],
        Form::Same => &[Register(0), Register(0)],
        Form::RM | Form::Gather => &[Memory, Register(0)],
        Form::ThreeM => &[Memory, Register(3), Register(0)],
        Form::MR | Form::Scatter => &[Register(0), Memory],
        Form::R | Form::O => &[Register(0)],
        Form::M => &[Memory],
        Form::RI | Form::OI => &[Immediate, Register(0)],
        Form::MI => &[Immediate, Memory],
        Form::RC => &[Count, Register(0)],
        Form::MC => &[Count, Memory],
        Form::LoadRRI | Form::StoreRRI => &[Immediate, Register(1), Register(0)],
        Form::RMI => &[Immediate, Memory, Register(0)],
        Form::StoreRRC => &[Count, Register(1), Register(0)],
        Form::Three | Form::ThreeLast | Form::Choice => &[Register(2), Register(1), Register(0)],
        Form::ThreeI => &[Immediate, Register(2), Register(1), Register(0)],
        Form::OI64 => &[Immediate64, Register(0)],
        Form::ORef => &[SymbolAddress, Register(0)],
        Form::RBaseRef => &[SymbolOffset, Register(0)],
        Form::I => &[Immediate],
        Form::Branch | Form::ShortBranch => &[Label],
        Form::BranchRef => &[Symbol],
    }
}

struct Printer<'a> {
    inst: &'a MInst,
    row: &'a Row,
    names: &'a dyn AsmNames,
    is_32_bit: bool,
    /// What an address is relative to: the register that is added, and what is subtracted.
    place: Option<(&'static str, &'static str)>,
    out: &'a mut dyn Write,
}

impl Printer<'_> {
    fn word_bytes(&self) -> u8 {
        if self.is_32_bit { 4 } else { 8 }
    }

    fn is_vector(&self, part: Part) -> bool {
        matches!(part, Part::Register(slot) if self.row.operand_in(slot).is_some_and(|operand| operand.kind.is_vector()))
    }

    fn part(&mut self, part: Part) -> fmt::Result {
        let inst = self.inst;
        match part {
            Part::Register(slot) => self.register(match (self.row.code.form, slot) {
                (Form::Three | Form::ThreeI, 1 | 2) => self.row.code.sources(inst)[slot - 1],
                _ => slot,
            }),
            Part::Memory => {
                self.memory()?;
                match self.row.code.broadcast_bytes(inst) {
                    Some(bytes) => write!(self.out, "{{1to{}}}", inst.size / bytes),
                    None => Ok(()),
                }
            }
            Part::Immediate => self.immediate(),
            Part::Immediate64 => {
                let low = i64::from(inst.imm.cast_unsigned());
                write!(self.out, "${}", i64::from(inst.disp) << 32 | low)
            }
            Part::Count => self.out.write_str("%cl"),
            Part::Label => self.names.write_label(inst.label(), self.out),
            Part::Symbol => self.reference(named(inst), inst.disp),
            Part::SymbolAddress => {
                self.out.write_char('$')?;
                self.reference(named(inst), inst.disp)
            }
            Part::SymbolOffset => {
                let target = Ref(inst.imm.cast_unsigned());
                self.reference(target, inst.disp)?;
                let base = name(inst.reg(1), self.word_bytes());
                match is_index(target) {
                    true => write!(self.out, "(,%{base},1)"),
                    false => write!(self.out, "(%{base})"),
                }
            }
        }
    }

    fn register(&mut self, slot: usize) -> fmt::Result {
        let operand = self.row.operand_in(slot).expect("the form has this operand");
        let mut width_bytes = operand.kind.named_bytes(self.inst.size);
        if self.is_32_bit && !operand.kind.is_vector() {
            // What goes by addresses, the stack and jumps.
            width_bytes = width_bytes.min(4);
        }
        write!(self.out, "%{}", name(self.inst.reg(slot), width_bytes))
    }

    fn immediate(&mut self) -> fmt::Result {
        let imm = self.inst.imm;
        let value = match (self.row.code.imm, self.inst.size) {
            (Imm::Byte | Imm::Shift, _) => i32::from(imm as u8),
            (Imm::Word, _) => i32::from(imm as u16),
            (_, 1) => i32::from(imm as i8),
            (_, 2) => i32::from(imm as i16),
            _ => imm,
        };
        write!(self.out, "${value}")
    }

    fn memory(&mut self) -> fmt::Result {
        if self.row.code.has(Code::FS) {
            self.out.write_str("%fs:")?;
        }
        if self.row.code.has(Code::GS) {
            self.out.write_str("%gs:")?;
        }
        let mem = self.inst.mem();
        if let Some(reference) = mem.reference() {
            self.reference(reference, mem.disp)?;
            if let Some((base, subtracted)) = self.place {
                return write!(self.out, "{subtracted}(%{base})");
            }
            let is_absolute = matches!(reference.kind(), RefKind::TlsLocalExec | RefKind::TlsDtpOffset);
            return self
                .out
                .write_str(if is_absolute || self.is_32_bit { "" } else { "(%rip)" });
        }
        if mem.disp != 0 || mem.base_reg().is_none() {
            write!(self.out, "{}", mem.disp)?;
        }
        if mem.base_reg().is_none() && mem.index_reg().is_none() {
            return Ok(());
        }
        self.out.write_char('(')?;
        if !mem.base_reg().is_none() {
            write!(self.out, "%{}", name(mem.base_reg(), self.word_bytes()))?;
        }
        if !mem.index_reg().is_none() {
            let is_vector = self.row.code.form.has_vector_index();
            let width_bytes = match self.row.operands[1].filter(|_| is_vector) {
                Some(index) => index.kind.named_bytes(self.inst.size),
                None => self.word_bytes(),
            };
            write!(
                self.out,
                ",%{},{}",
                name(mem.index_reg(), width_bytes),
                1 << (mem.scale_log2 & 3)
            )?;
        }
        self.out.write_char(')')
    }

    /// The name of what a reference names, how it is reached, and the addend.
    fn reference(&mut self, reference: Ref, addend: i32) -> fmt::Result {
        if reference.kind() == RefKind::Label {
            self.names.write_label(Label(reference.number()), self.out)?;
        } else {
            self.names.write_ref(reference, self.out)?;
        }
        let is_from_table = self.place.is_some_and(|(_, subtracted)| subtracted.is_empty());
        self.out.write_str(match reference.kind() {
            RefKind::Symbol | RefKind::Constant | RefKind::Block | RefKind::Foreign | RefKind::Table
                if is_from_table =>
            {
                "@GOTOFF"
            }
            RefKind::Symbol
            | RefKind::Constant
            | RefKind::Label
            | RefKind::Block
            | RefKind::Foreign
            | RefKind::Table => "",
            RefKind::Got if self.is_32_bit => "@GOT",
            RefKind::TlsInitialExec if self.place.is_some() => "@GOTNTPOFF",
            RefKind::TlsInitialExec if self.is_32_bit => "@INDNTPOFF",
            RefKind::TlsLocalExec if self.is_32_bit => "@NTPOFF",
            RefKind::TlsLocalDynamic if self.is_32_bit => "@TLSLDM",
            RefKind::Got => "@GOTPCREL",
            RefKind::Plt => "@PLT",
            RefKind::TlsGeneralDynamic => "@TLSGD",
            RefKind::TlsLocalDynamic => "@TLSLD",
            RefKind::TlsDtpOffset => "@DTPOFF",
            RefKind::TlsInitialExec => "@GOTTPOFF",
            RefKind::TlsLocalExec => "@TPOFF",
        })?;
        if addend == 0 {
            Ok(())
        } else {
            write!(self.out, "{addend:+}")
        }
    }
}
