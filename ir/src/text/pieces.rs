//! Pieces of text that functions and modules have in common.

use super::names::{write_name, write_quoted};
use crate::entities::SymbolId;
use crate::module::{Attachments, Module};
use crate::runtime::RuntimeFunction;
use std::fmt::{self, Write};

/// Writes a symbol's name.
pub(super) fn write_symbol(out: &mut dyn Write, module: &Module, symbol: SymbolId) -> fmt::Result {
    match module.symbols.get(symbol) {
        Some(data) if data.name.is_empty() => write!(out, "@#{}", symbol.as_u32()),
        Some(data) => write_name(out, module.strings.bytes(data.name)),
        None => match RuntimeFunction::from_symbol(symbol, module.symbols.len()) {
            Some(function) => write!(out, "${}", function.name()),
            None => write!(out, "@#{}", symbol.as_u32()),
        },
    }
}

/// Writes `+ 8` or `- 8`, or nothing for zero.
pub(super) fn write_addend(out: &mut dyn Write, addend: i64) -> fmt::Result {
    match addend {
        0 => Ok(()),
        1.. => write!(out, " + {addend}"),
        _ => write!(out, " - {}", addend.unsigned_abs()),
    }
}

/// Writes what is attached to a symbol, each word after a blank.
pub(super) fn write_attachments(out: &mut dyn Write, module: &Module, attachments: &Attachments) -> fmt::Result {
    if !attachments.section_prefix.is_empty() {
        out.write_str(" section_prefix ")?;
        write_quoted(out, &attachments.section_prefix)?;
    }
    if let Some(symbol) = attachments.associated {
        out.write_str(" associated ")?;
        write_symbol(out, module, symbol)?;
    }
    if attachments.is_excluded {
        out.write_str(" excluded")?;
    }
    if let Some((first, second)) = attachments.type_words {
        write!(out, " type_words {first} {second}")?;
    }
    if let Some(sections) = &attachments.sections_by_kind {
        out.write_str(" sections_by_kind")?;
        for section in &**sections {
            out.write_char(' ')?;
            write_quoted(out, section)?;
        }
    }
    if let Some((low, high)) = attachments.absolute {
        write!(out, " absolute {low} {high}")?;
    }
    Ok(())
}
