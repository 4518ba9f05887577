//! Reads lines of assembly text: as much of both dialects as common inline assembly has. What is not understood is no
//! error; an assembler reads it then.

use crate::regs;
use frazil_codegen::{Mem, Reg};

/// An operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Word {
    /// A register and its width in bytes.
    Register(Reg, u8),
    Immediate(i64),
    /// Memory, and its width in bytes if it is said.
    Memory(Mem, Option<u8>),
}

/// The statements of a text: lines and parts of lines between semicolons, without comments. `None` if there is
/// something that only an assembler reads.
pub(super) fn statements(text: &str) -> Option<Vec<String>> {
    if text.contains("/*") || text.contains("//") || text.contains('"') || text.contains('\\') {
        return None;
    }
    let mut found: Vec<String> = Vec::new();
    let mut prefix: Option<&str> = None;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        for statement in line.split(';') {
            let statement = statement.trim();
            if statement.is_empty() {
                continue;
            }
            if matches!(statement, "lock" | "rep") {
                prefix = Some(statement);
                continue;
            }
            let words: Vec<&str> = prefix.take().into_iter().chain(statement.split_whitespace()).collect();
            found.push(words.join(" ").to_ascii_lowercase());
        }
    }
    prefix.is_none().then_some(found)
}

/// The register with a name, and its width in bytes, where general registers have so many.
pub(super) fn register(text: &str, word_bytes: u8) -> Option<(Reg, u8)> {
    let count = if word_bytes == 4 { 8 } else { 16 };
    if let Some(number) = text.strip_prefix("xmm") {
        let number = number.parse::<u8>().ok().filter(|number| *number < count)?;
        return Some((Reg::physical(1, number), 16));
    }
    for bytes in [8, 4, 2, 1].into_iter().filter(|&bytes| bytes <= word_bytes) {
        let has_bytes = bytes > 1 || word_bytes == 8;
        let found = (0..if has_bytes { count } else { 4 }).map(|number| Reg::physical(0, number));
        if let Some(reg) = found.into_iter().find(|&reg| regs::name(reg, bytes) == text) {
            return Some((reg, bytes));
        }
    }
    None
}

/// A number as assemblers write it.
pub(super) fn number(text: &str) -> Option<i64> {
    let (digits, is_negative) = match text.strip_prefix('-') {
        Some(digits) => (digits.trim(), true),
        None => (text.strip_prefix('+').unwrap_or(text).trim(), false),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        // Octal numbers begin with 0, and suffixes say other bases.
        None if digits.len() > 1 && digits.starts_with('0') => return None,
        None => digits.parse().ok()?,
    };
    let value = value.cast_signed();
    Some(if is_negative { value.wrapping_neg() } else { value })
}

/// Parts a list at the commas outside of parentheses.
pub(super) fn list(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(text[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// An operand in AT&T syntax.
pub(super) fn att_operand(text: &str, word_bytes: u8) -> Option<Word> {
    if let Some(name) = text.strip_prefix('%') {
        return register(name, word_bytes).map(|(reg, bytes)| Word::Register(reg, bytes));
    }
    if let Some(value) = text.strip_prefix('$') {
        return number(value.trim()).map(Word::Immediate);
    }
    let (disp, inside) = text.strip_suffix(')')?.split_once('(')?;
    let disp = match disp.trim() {
        "" => 0,
        disp => i32::try_from(number(disp)?).ok()?,
    };
    let mut parts = inside.split(',').map(str::trim);
    let base = address_register(parts.next()?, word_bytes, true)?;
    let (mut index, mut scale_log2) = (Reg::NONE, 0);
    if let Some(part) = parts.next() {
        index = address_register(part, word_bytes, true)?;
    }
    if let Some(scale) = parts.next() {
        scale_log2 = scale_of(scale)?;
    }
    memory(base, index, scale_log2, i64::from(disp), None).filter(|_| parts.next().is_none())
}

fn memory(base: Reg, index: Reg, scale_log2: u8, disp: i64, bytes: Option<u8>) -> Option<Word> {
    let disp = i32::try_from(disp).ok()?;
    if base.is_none() || index == regs::RSP {
        return None;
    }
    let mem = Mem::indexed(base, index, scale_log2, disp);
    Some(Word::Memory(mem, bytes))
}

fn scale_of(text: &str) -> Option<u8> {
    match text {
        "1" => Some(0),
        "2" => Some(1),
        "4" => Some(2),
        "8" => Some(3),
        _ => None,
    }
}

fn address_register(text: &str, word_bytes: u8, has_percent: bool) -> Option<Reg> {
    let name = if has_percent { text.strip_prefix('%')? } else { text };
    match register(name, word_bytes)? {
        (reg, bytes) if reg.bank() == 0 && bytes == word_bytes => Some(reg),
        _ => None,
    }
}

/// An operand in Intel syntax.
pub(super) fn intel_operand(text: &str, word_bytes: u8) -> Option<Word> {
    if let Some((reg, bytes)) = register(text, word_bytes) {
        return Some(Word::Register(reg, bytes));
    }
    if let Some(value) = number(text) {
        return Some(Word::Immediate(value));
    }
    const SIZES: [(&str, u8); 5] = [("byte", 1), ("word", 2), ("dword", 4), ("qword", 8), ("xmmword", 16)];
    let (mut rest, mut bytes) = (text, None);
    for (word, size) in SIZES {
        let after = text
            .strip_prefix(word)
            .and_then(|rest| rest.trim_start().strip_prefix("ptr"));
        if let Some(after) = after {
            (rest, bytes) = (after.trim_start(), Some(size));
        }
    }
    let inside = rest.strip_prefix('[')?.strip_suffix(']')?;
    let (mut base, mut index, mut scale_log2, mut disp) = (Reg::NONE, Reg::NONE, 0, 0);
    for (term, is_negative) in terms(inside) {
        if let Some(value) = number(term) {
            disp += if is_negative { -value } else { value };
            continue;
        }
        if is_negative {
            return None;
        }
        if let Some((left, right)) = term.split_once('*') {
            let (scale, reg) = if number(left.trim()).is_some() {
                (left, right)
            } else {
                (right, left)
            };
            if !index.is_none() {
                return None;
            }
            index = address_register(reg.trim(), word_bytes, false)?;
            scale_log2 = scale_of(scale.trim())?;
        } else if base.is_none() {
            base = address_register(term, word_bytes, false)?;
        } else if index.is_none() {
            index = address_register(term, word_bytes, false)?;
        } else {
            return None;
        }
    }
    memory(base, index, scale_log2, disp, bytes)
}

/// The terms of a sum, and whether each is subtracted.
fn terms(text: &str) -> Vec<(&str, bool)> {
    let (mut found, mut start, mut is_negative) = (Vec::new(), 0, false);
    for (place, byte) in text.bytes().enumerate() {
        if byte == b'+' || byte == b'-' {
            let term = text[start..place].trim();
            if !term.is_empty() {
                found.push((term, is_negative));
            }
            is_negative = byte == b'-';
            start = place + 1;
        }
    }
    found.push((text[start..].trim(), is_negative));
    found
}
