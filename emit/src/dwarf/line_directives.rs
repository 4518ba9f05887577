//! Rows of line tables for assemblers, which encode them where `.loc` stands.
//!
//! The text of an assembly file has one line table, so this is for modules of one unit; those of several have their
//! tables as data. Files have the numbers that attributes of entries name them by.

use super::DebugWriter;
use super::output::{LineRow, SourceFile, TextId};

/// What is to be said before the code of a function, and in it.
#[derive(Debug)]
pub(crate) struct Directives {
    pub files: Vec<SourceFile>,
    /// With the number of the file of each; offsets are those in the function.
    pub rows: Vec<(u64, LineRow)>,
}

impl DebugWriter<'_> {
    /// Leaves the line table to an assembler, if one can make it; nothing has been added.
    pub(crate) fn keep_rows(&mut self) {
        if let [unit] = self.dwarf.units.as_mut_slice() {
            unit.line_program.keep_rows();
        }
    }

    /// The rows of the function that was added last, and all files from one with a number on, if an assembler makes the
    /// line table.
    pub(crate) fn take_directives(&mut self, first_file: u64) -> Option<Directives> {
        let program = &mut self.dwarf.units.first_mut()?.line_program;
        let rows = program.take_rows()?;
        let rows = rows.into_iter().map(|row| (program.file_number(row.file), row));
        Some(Directives {
            rows: rows.collect(),
            files: program.files_from(first_file).collect(),
        })
    }

    /// Whether the line table is left to an assembler.
    pub(crate) fn leaves_lines(&self) -> bool {
        self.dwarf.units.iter().any(|unit| unit.line_program.keeps_rows())
    }

    /// The directory that the compiler was run in, if the line table begins with it.
    pub(crate) fn unit_directory(&self) -> Option<TextId> {
        self.dwarf.units.first()?.line_program.unit_directory()
    }

    /// A text of the line table.
    pub(crate) fn line_text(&self, text: TextId) -> &[u8] {
        self.dwarf.line_strings.text(text)
    }
}
