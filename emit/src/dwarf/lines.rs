//! Rows of line tables (DWARF 5, section 6.2).
//!
//! A function begins with a row for its first line. A row follows for each new location. The first of them ends the
//! prologue. Code without location continues the row before it within a block, and has line 0 from the start of a block
//! on, as LLVM has it.

use super::output::LineRow;
use super::scope_tree::ScopeTree;
use super::{CodePlace, DebugWriter};
use frazil_codegen::{CompiledFunction, MarkPlace};
use frazil_ir::debug::NodeRef;
use frazil_ir::debug::kind::{LexicalBlock, LexicalBlockFile, Subprogram};

/// What two rows differ in, if there are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    file: NodeRef,
    line: u64,
    column: u64,
    discriminator: u64,
}

/// What else a row says.
#[derive(Clone, Copy, Debug)]
struct Flags {
    is_statement: bool,
    ends_prologue: bool,
    begins_epilogue: bool,
}

impl Flags {
    const STATEMENT: Flags = Flags {
        is_statement: true,
        ends_prologue: false,
        begins_epilogue: false,
    };
}

impl DebugWriter<'_> {
    /// Adds the rows of a function to the line program of its unit.
    pub(super) fn add_rows(&mut self, unit: usize, place: CodePlace, code: &CompiledFunction, scopes: &ScopeTree) {
        let Some(subprogram) = self.graph.get::<Subprogram>(scopes.subprogram()) else {
            return;
        };
        let end = place.start + code.len() as u64;
        let before = self.units.get(unit).sequences.last().copied();
        let continues = self.units.continue_range(unit, place, end);
        if !continues && let Some(before) = before {
            let program = &mut self.unit(unit).line_program;
            if program.in_sequence() {
                program.end_sequence(before.end - before.start);
            }
        }
        let first = self
            .units
            .get(unit)
            .sequences
            .last()
            .map_or(place.start, |sequence| sequence.start);
        if !continues {
            let address = DebugWriter::address(place.symbol, 0);
            self.unit(unit).line_program.begin_sequence(address);
        }
        // Assemblers take rows to be where they stand in the text.
        let base = match self.unit(unit).line_program.keeps_rows() {
            true => 0,
            false => place.start - first,
        };
        let entry = Row {
            file: subprogram.file,
            line: if subprogram.scope_line > 0 {
                subprogram.scope_line
            } else {
                subprogram.line
            },
            column: 0,
            discriminator: 0,
        };
        self.put_row(unit, base, entry, Flags::STATEMENT);
        let mut last = entry;
        // The line that the program was in before code without one.
        let mut line = entry.line;
        let mut in_prologue = true;
        for mark in &scopes.marks {
            let row = match mark.location {
                Some(location) => {
                    let (file, discriminator) = self.file_of_scope(location.scope);
                    Row {
                        file,
                        line: location.line.into(),
                        column: location.column.into(),
                        discriminator,
                    }
                }
                // The beginning of a function is its first line.
                None if in_prologue => continue,
                None => Row { line: 0, ..last },
            };
            let flags = Flags {
                // Debuggers do not stop at code of no line, and not twice in one unless it was left in between.
                is_statement: row.line != 0
                    && (row.line != line || row.file != last.file || in_prologue || mark.place == MarkPlace::Block),
                ends_prologue: in_prologue && row.line != 0,
                begins_epilogue: mark.place == MarkPlace::Epilogue,
            };
            if row != last || in_prologue || flags.begins_epilogue || flags.is_statement {
                self.put_row(unit, base + u64::from(mark.offset), row, flags);
            }
            if row.line != 0 {
                in_prologue = false;
                line = row.line;
            }
            last = row;
        }
    }

    /// Ends the last sequence of a unit.
    pub(super) fn end_rows(&mut self, unit: usize) {
        let state = self.units.get(unit);
        let last = state.sequences.last().copied();
        let program = &mut self.unit(unit).line_program;
        if let Some(last) = last.filter(|_| program.in_sequence()) {
            program.end_sequence(last.end - last.start);
        }
    }

    fn put_row(&mut self, unit: usize, offset: u64, row: Row, flags: Flags) {
        let file = self.file(unit, row.file).unwrap_or_else(|| self.some_file(unit));
        self.unit(unit).line_program.add_row(LineRow {
            offset,
            file,
            line: row.line,
            column: row.column,
            discriminator: row.discriminator,
            is_statement: flags.is_statement,
            ends_prologue: flags.ends_prologue,
            begins_epilogue: flags.begins_epilogue,
        });
    }

    /// The file of a scope, and the discriminator that tells its code from other code of the same line.
    fn file_of_scope(&self, scope: NodeRef) -> (NodeRef, u64) {
        let graph = &self.graph;
        if let Some(entry) = graph.at::<LexicalBlockFile>(scope) {
            return (entry.file, base_discriminator(entry.discriminator));
        }
        let block = graph.at::<LexicalBlock>(scope).map(|entry| entry.file);
        let file = block.or_else(|| graph.at::<Subprogram>(scope).map(|entry| entry.file));
        (file.unwrap_or_default(), 0)
    }
}

/// Line tables have the discriminator as LLVM encodes it.
fn base_discriminator(encoded: u64) -> u64 {
    encoded & u64::from(u32::MAX)
}
