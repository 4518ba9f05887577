//! Encodes common inline assembly without an assembler: each statement is looked for in the op table.
//!
//! A row is taken if mnemonic, size and operands are as [`crate::print`] would write it, so that the two agree by
//! construction; the size may be left out where a register says it. Labels, symbols, branches and directives other
//! than alignment and bytes are left to an assembler, and with them the whole text.

use super::parse::{Word, att_operand, intel_operand, list, number, statements};
use crate::cond::Cond;
use crate::ops::{Code, Form, Imm, Kind, Row, Width};
use crate::print::{Part, parts};
use crate::rows::ROWS;
use crate::table::Op;
use frazil_codegen::MInst;
use frazil_codegen::inline_asm::AsmLine;

/// The largest alignment in a function, as a power of two.
const MAX_ALIGN_LOG2: i64 = 12;

/// The instructions of a text, if all of them are known.
pub(super) fn assemble(text: &str, word_bytes: u8, is_intel: bool) -> Option<Vec<AsmLine>> {
    let mut lines = Vec::new();
    for statement in statements(text)? {
        line(&statement, word_bytes, is_intel, &mut lines)?;
    }
    Some(lines)
}

fn line(statement: &str, word_bytes: u8, is_intel: bool, lines: &mut Vec<AsmLine>) -> Option<()> {
    if let Some(directive) = statement.strip_prefix('.') {
        return directive_line(directive, lines);
    }
    match statement {
        "nop" => {
            let mut inst = MInst::new(Op::Nop as u16, 8);
            inst.imm = 1;
            lines.push(AsmLine::Inst(inst));
            return Some(());
        }
        "rep nop" => return line("pause", word_bytes, is_intel, lines),
        _ => {}
    }
    let (mnemonic, operands) = take_apart(statement, word_bytes, is_intel)?;
    let inst = ROWS
        .iter()
        .zip(Op::ALL)
        .find_map(|(row, &op)| match_row(row, op, word_bytes, &mnemonic, &operands))?;
    lines.push(AsmLine::Inst(inst));
    Some(())
}

fn directive_line(directive: &str, lines: &mut Vec<AsmLine>) -> Option<()> {
    let (name, arguments) = directive.split_once(' ').unwrap_or((directive, ""));
    let arguments = list(arguments);
    match (name, arguments.as_slice()) {
        ("p2align", [log2]) => {
            let log2 = number(log2).filter(|log2| (0..=MAX_ALIGN_LOG2).contains(log2))?;
            lines.push(AsmLine::Align(log2 as u8));
        }
        ("align" | "balign", [bytes]) => {
            let bytes = number(bytes).filter(|bytes| bytes.count_ones() == 1 && *bytes <= 1 << MAX_ALIGN_LOG2)?;
            lines.push(AsmLine::Align(bytes.trailing_zeros() as u8));
        }
        ("byte", values) => {
            let byte = |text: &&str| {
                let value = number(text)?;
                u8::try_from(value)
                    .ok()
                    .or_else(|| i8::try_from(value).ok().map(i8::cast_unsigned))
            };
            let bytes: Option<Vec<u8>> = values.iter().map(byte).collect();
            lines.push(AsmLine::Bytes(bytes?));
        }
        _ => return None,
    }
    Some(())
}

/// The mnemonic with its prefix, and the operands in AT&T order.
fn take_apart(statement: &str, word_bytes: u8, is_intel: bool) -> Option<(String, Vec<Word>)> {
    let (prefix, rest) = match statement.split_once(' ') {
        Some((prefix @ ("lock" | "rep"), rest)) => (Some(prefix), rest),
        _ => (None, statement),
    };
    let (mnemonic, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let mnemonic = match prefix {
        Some(prefix) => format!("{prefix} {mnemonic}"),
        None => mnemonic.to_owned(),
    };
    if operands.is_empty() {
        return Some((mnemonic, Vec::new()));
    }
    let operand = |text: &str| {
        if is_intel {
            intel_operand(text, word_bytes)
        } else {
            att_operand(text, word_bytes)
        }
    };
    let mut words = list(operands).into_iter().map(operand).collect::<Option<Vec<Word>>>()?;
    if is_intel {
        words.reverse();
    }
    Some((mnemonic, words))
}

/// The instruction of a row, if the row has this mnemonic and takes these operands.
fn match_row(row: &Row, op: Op, word_bytes: u8, mnemonic: &str, words: &[Word]) -> Option<MInst> {
    let own = Code::OWN_IS_FIRST | Code::OWN_IS_SCRATCH;
    let is_special = [Code::STAR, Code::FS | Code::GS, own].map(|flag| row.code.has(flag));
    if !is_plain_form(row.code.form) || is_special.contains(&true) {
        return None;
    }
    let mnemonic = match row.code.has(Code::LOCK) {
        true => mnemonic.strip_prefix("lock ")?,
        false => mnemonic,
    };
    let rest = mnemonic.strip_prefix(row.mnemonic.as_str())?;
    let parts = parts(row.code.form);
    if parts.len() != words.len() {
        return None;
    }
    let (condition, rest) = match row.code.has(Code::COND) {
        // The longest name first, by which no size is taken for a part of one.
        true => (1..=3).rev().find_map(|length| {
            let (name, rest) = rest.split_at_checked(length)?;
            let cond = Cond::from_name(name)?;
            size_of(row, rest, parts, words).map(|_| (cond.number(), rest))
        })?,
        false => (0, rest),
    };
    let size = size_of(row, rest, parts, words)?;
    if word_bytes == 4 && !crate::template::is_in_32_bits(row, size) {
        return None;
    }
    let mut inst = MInst::new(op as u16, size).with_condition(condition);
    for (&part, &word) in parts.iter().zip(words) {
        fill(&mut inst, row, word_bytes, part, word)?;
    }
    // The short form of an exchange of the accumulator with itself is `nop`, which clears no upper half.
    let is_exchange_with_itself = row.code.form == Form::Exchange && inst.reg(0) == inst.reg(1);
    (!is_exchange_with_itself).then_some(inst)
}

/// Forms whose operands are registers, memory and numbers.
fn is_plain_form(form: Form) -> bool {
    !matches!(
        form,
        Form::Same
            | Form::OI64
            | Form::ORef
            | Form::RBaseRef
            | Form::Branch
            | Form::ShortBranch
            | Form::BranchRef
            | Form::Nop
            | Form::I
    )
}

/// The size that the rest of the mnemonic or an operand says.
fn size_of(row: &Row, suffix: &str, parts: &[Part], words: &[Word]) -> Option<u8> {
    let code = &row.code;
    let has = |size: u8| row.sizes & size != 0;
    let said = match (code.width, suffix) {
        (_, "") if code.has(Code::PLAIN) || code.width == Width::Fixed => {
            return match code.width {
                Width::Fixed => Some(1 << row.sizes.trailing_zeros()),
                _ => sized_operand(row, parts, words).filter(|&size| has(size)),
            };
        }
        _ if code.has(Code::PLAIN) => return None,
        (Width::Int, "") => sized_operand(row, parts, words)?,
        (Width::Int, "b") => 1,
        (Width::Int, "w") => 2,
        (Width::Int, "l") => 4,
        (Width::Int, "q") => 8,
        (Width::Scalar | Width::Packed | Width::Float, "s") => 4,
        (Width::Scalar | Width::Packed | Width::Float, "d") => 8,
        _ => return None,
    };
    has(said).then_some(said)
}

/// The width of an operand that has the operation's.
fn sized_operand(row: &Row, parts: &[Part], words: &[Word]) -> Option<u8> {
    parts.iter().zip(words).find_map(|(&part, &word)| match (part, word) {
        (Part::Register(slot), Word::Register(_, bytes)) => {
            let operand = row.operand_in(slot).or(row.operands[0])?;
            (operand.kind == Kind::Sized).then_some(bytes)
        }
        (Part::Memory, Word::Memory(_, bytes)) => bytes,
        _ => None,
    })
}

/// Puts an operand into its field.
fn fill(inst: &mut MInst, row: &Row, word_bytes: u8, part: Part, word: Word) -> Option<()> {
    match (part, word) {
        (Part::Register(slot), Word::Register(reg, bytes)) => {
            let kind = row.operand_in(slot)?.kind;
            let (is_vector, named) = (kind.is_vector(), kind.named_bytes(inst.size));
            let wanted = if is_vector { named } else { named.min(word_bytes) };
            if bytes != wanted || (reg.bank() != 0) != is_vector {
                return None;
            }
            inst.set_reg(slot, reg);
        }
        (Part::Memory, Word::Memory(mem, bytes)) => {
            if row.code.width == Width::Int && bytes.is_some_and(|bytes| bytes != inst.size) {
                return None;
            }
            *inst = inst.with_mem(mem);
        }
        (Part::Immediate, Word::Immediate(value)) => inst.imm = immediate(row, inst.size, value)?,
        (Part::Count, Word::Register(crate::regs::RCX, 1)) => {}
        _ => return None,
    }
    Some(())
}

/// A number as the row's immediate.
fn immediate(row: &Row, size: u8, value: i64) -> Option<i32> {
    let bytes = match row.code.imm {
        Imm::None => return None,
        Imm::Byte | Imm::Shift => 1,
        Imm::Word => 2,
        Imm::Full | Imm::Short => size.min(8),
    };
    match bytes {
        1 if (-128..256).contains(&value) => Some(i32::from(value as i8)),
        2 if (-32768..65536).contains(&value) => Some(i32::from(value as i16)),
        4 if (-(1 << 31)..1 << 32).contains(&value) => Some(value as i32),
        8 => i32::try_from(value).ok(),
        _ => None,
    }
}
