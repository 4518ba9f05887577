//! Inline assembly in assembly text: texts as they were written, with operands put in.

use super::{AsmBuilder, CodeNames};
use frazil_codegen::inline_asm::{AsmPiece, AsmText};
use frazil_codegen::{AsmNames, CodeBuffer, Ref, RefKind};
use frazil_ir::FuncId;
use std::fmt::Write;

/// Where an inline assembly text stands in the output, so that what an assembler says can be traced back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// The function; none for text of the module.
    pub function: Option<FuncId>,
    /// The first line, counted from 1.
    pub first_line: u32,
    pub last_line: u32,
}

impl AsmBuilder<'_> {
    /// Prints a text between the marks that compilers put there.
    pub(super) fn print_text(&mut self, function: FuncId, part: char, code: &CodeBuffer, text: &AsmText) {
        for piece in &text.pieces {
            if let AsmPiece::Name(reference) = piece
                && let Some(symbol) = reference.as_symbol()
            {
                self.mark_used(symbol);
            }
        }
        self.text.push_str("\t#APP\n");
        if text.is_intel {
            self.text.push_str("\t.intel_syntax noprefix\n");
        }
        let start = self.text.len();
        self.text.push('\t');
        let names = CodeNames {
            module: self.module,
            constant_numbers: &self.constant_numbers,
            foreign_blocks: &code.foreign_blocks,
            function,
            part,
        };
        for piece in &text.pieces {
            let written = match piece {
                AsmPiece::Text(text) => self.text.write_str(text),
                AsmPiece::Name(reference) => names.write_ref(*reference, &mut self.text),
                AsmPiece::Label(label) => names.write_ref(Ref::new(RefKind::Label, label.0), &mut self.text),
                AsmPiece::UniqueNumber => write!(self.text, "{}", self.text_places.len()),
            };
            written.expect("strings can be written");
        }
        self.text.push('\n');
        self.note_text(Some(function), start);
        if text.is_intel {
            self.text.push_str("\t.att_syntax prefix\n");
        }
        self.text.push_str("\t#NO_APP\n");
    }

    pub(super) fn print_module_text(&mut self, text: &str) {
        self.text.push_str("\t#APP\n");
        let start = self.text.len();
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
        self.note_text(None, start);
        self.text.push_str("\t#NO_APP\n");
    }

    /// Remembers the lines from an offset on.
    fn note_text(&mut self, function: Option<FuncId>, start: usize) {
        let lines = |text: &str| text.bytes().filter(|&byte| byte == b'\n').count() as u32;
        let counted = &mut self.counted;
        counted.1 += lines(&self.text[counted.0..start]);
        let first_line = counted.1 + 1;
        counted.1 += lines(&self.text[start..]);
        counted.0 = self.text.len();
        let last_line = counted.1;
        self.text_places.push(TextPlace {
            function,
            first_line,
            last_line,
        });
    }

    /// Where inline assembly stands in the text.
    pub fn text_places(&self) -> &[TextPlace] {
        &self.text_places
    }
}
