//! The file for the assembler.

use super::statements::Mentions;
use super::{END, REFERENCE, RESERVED, SECTION, statements};
use crate::asm::syntax;
use crate::names::{LOCAL_PREFIX, symbol_name};
use frazil_codegen::inline_asm::{AsmPiece, AsmText};
use frazil_codegen::{CodeBuffer, Ref, RefKind};
use frazil_ir::{FuncId, Module};
use std::fmt::Write;

/// The texts of a module, for one call of an assembler.
#[derive(Debug)]
pub struct TextFile<'a> {
    pub(super) module: &'a Module,
    pub(super) text: String,
    pub(super) mentions: Mentions,
    pub(super) texts: Vec<(FuncId, AsmText)>,
}

impl<'a> TextFile<'a> {
    /// A file with the module's own assembly; nothing if that must not be parted from the rest of the module.
    pub fn new(module: &'a Module) -> Option<TextFile<'a>> {
        let own = std::str::from_utf8(module.strings.bytes(module.asm)).ok()?;
        if own.contains(RESERVED) {
            return None;
        }
        let mut mentions = Mentions::default();
        statements::may_stand_alone(own, &mut mentions).then(|| TextFile {
            module,
            text: format!("{own}\n"),
            mentions,
            texts: Vec::new(),
        })
    }

    /// What is given to the assembler.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Appends the texts of a function; `false` if one of them must not be parted from the rest of the module.
    pub fn add(&mut self, function: FuncId, code: &CodeBuffer) -> bool {
        code.texts().iter().all(|text| self.add_text(function, text).is_some())
    }

    fn add_text(&mut self, function: FuncId, text: &AsmText) -> Option<()> {
        let number = self.texts.len();
        let mut body = String::new();
        for (index, piece) in text.pieces.iter().enumerate() {
            let start = body.len();
            match piece {
                AsmPiece::Text(text) if text.contains(RESERVED) => return None,
                AsmPiece::Text(text) => body.push_str(text),
                AsmPiece::UniqueNumber => write!(body, "{number}").ok()?,
                AsmPiece::Name(reference) => self.put_name(*reference, (number, index), &mut body)?,
                AsmPiece::Label(_) => put_reference((number, index), &mut body),
            }
            // Our own names must not become parts of longer ones.
            if body[start..].starts_with(RESERVED) {
                let next = text.pieces.get(index + 1).and_then(|piece| match piece {
                    AsmPiece::Text(text) => text.chars().next(),
                    _ => Some('_'),
                });
                let before = body[..start].chars().next_back();
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
                if before.is_some_and(is_part) || next.is_some_and(|c| is_part(c) || c == '$') {
                    return None;
                }
            }
        }
        // A section of the same group as the function's.
        let symbol = self.module.functions[function].symbol;
        if body.contains('?') && self.module.symbols[symbol].comdat.is_some() {
            return None;
        }
        if !statements::may_stand_alone(&body, &mut self.mentions) {
            return None;
        }
        let dialect = if text.is_intel {
            ".intel_syntax noprefix"
        } else {
            ".att_syntax prefix"
        };
        write!(
            self.text,
            "\t.section\t{RESERVED}{SECTION}{number},\"ax\",@progbits\n\t{dialect}\n\t{body}\n\
             \t.att_syntax prefix\n{RESERVED}{END}{number}:\n"
        )
        .ok()?;
        self.texts.push((function, text.clone()));
        Some(())
    }

    /// Writes the name of what a reference names, or if that has no name in other files, a name that stands for it.
    fn put_name(&self, reference: Ref, place: (usize, usize), out: &mut String) -> Option<()> {
        match (reference.kind(), reference.as_symbol()) {
            (RefKind::Constant, _) => put_reference(place, out),
            (RefKind::Symbol, Some(symbol)) => {
                let start = out.len();
                syntax::write_name(symbol_name(self.module, symbol), out).ok()?;
                if out[start..].trim_start_matches('"').starts_with(LOCAL_PREFIX) {
                    out.truncate(start);
                    put_reference(place, out);
                }
            }
            _ => return None,
        }
        Some(())
    }
}

fn put_reference((text, piece): (usize, usize), out: &mut String) {
    write!(out, "{RESERVED}{REFERENCE}{text}_{piece}").expect("strings can be written");
}
