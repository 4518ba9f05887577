//! `.file` and `.loc`, from which the assembler makes the line table of a module of one unit.
//!
//! A row stands before the first instruction of its code. Files are named before the first row of the function in which
//! they were named first, and the rest at the end, since entries name them too. The rows of code without debug
//! information have line 0, since assemblers let a row hold until the next.

use super::AsmBuilder;
use super::syntax::Quoted;
use crate::dwarf::{DebugWriter, LineRow, SourceFile};
use crate::section::SectionId;
use std::fmt::Write;

/// What the assembler knows of the line table.
#[derive(Debug, Default)]
pub(super) struct KnownLines {
    /// The number of the first file that was not named.
    next_file: u64,
    /// The file of the last row.
    last_file: Option<u64>,
    /// Whether the last row begins a statement; `None` before the first.
    is_statement: Option<bool>,
    /// Where that row stands.
    section: Option<SectionId>,
}

/// The rows of a function, with the numbers of their files.
pub(super) type Rows = Vec<(u64, LineRow)>;

impl AsmBuilder<'_> {
    /// Takes the rows of the function that debug information was told of last, and names the files that are new.
    #[cold]
    pub(super) fn take_rows(&mut self) -> Rows {
        let Some(debug) = &mut self.debug else {
            return Rows::new();
        };
        let Some(directives) = debug.take_directives(self.lines.next_file) else {
            return Rows::new();
        };
        for file in directives.files {
            self.lines.next_file = file.number + 1;
            put_file(&mut self.text, debug, &file);
        }
        directives.rows
    }

    /// Says that the function that follows has no rows.
    #[cold]
    pub(super) fn interrupt_rows(&mut self, section: SectionId) {
        if let Some(file) = self.lines.last_file.filter(|_| self.lines.section == Some(section)) {
            self.line(format_args!(".loc\t{file} 0 0"));
        }
    }

    /// Prints the rows up to an offset in the function.
    #[cold]
    pub(super) fn print_rows(&mut self, offset: u32, rows: &mut &[(u64, LineRow)]) {
        while let Some((&(file, row), rest)) = rows.split_first()
            && row.offset <= offset.into()
        {
            *rows = rest;
            self.print_row(file, &row).expect("strings can be written");
        }
    }

    fn print_row(&mut self, file: u64, row: &LineRow) -> std::fmt::Result {
        let text = &mut self.text;
        write!(text, "\t.loc\t{file} {} {}", row.line, row.column)?;
        if row.ends_prologue {
            text.push_str(" prologue_end");
        }
        if row.begins_epilogue {
            text.push_str(" epilogue_begin");
        }
        // It holds for the rows after it, too.
        if self.lines.is_statement != Some(row.is_statement) {
            write!(text, " is_stmt {}", u8::from(row.is_statement))?;
        }
        if row.discriminator != 0 {
            write!(text, " discriminator {}", row.discriminator)?;
        }
        text.push('\n');
        self.lines.is_statement = Some(row.is_statement);
        self.lines.last_file = Some(file);
        self.lines.section = self.current;
        Ok(())
    }
}

/// Names a source file.
fn put_file(text: &mut String, debug: &DebugWriter<'_>, file: &SourceFile) {
    let number = file.number;
    write!(text, "\t.file\t{number}").expect("strings can be written");
    let name = debug.line_text(file.name);
    let unit_directory = debug.unit_directory();
    // File 0 says where the compiler was run.
    let directory = file.directory.or(unit_directory.filter(|_| number == 0));
    let directory = directory.map(|directory| debug.line_text(directory));
    let written = match directory {
        None => write!(text, " {}", Quoted(name)),
        // Before version 5, assemblers take the directory out of the name.
        Some(directory) if unit_directory.is_none() => write!(text, " {}", Quoted(&[directory, name].join(&b'/'))),
        Some(directory) => write!(text, " {} {}", Quoted(directory), Quoted(name)),
    };
    written.expect("strings can be written");
    if let Some(checksum) = file.checksum {
        write!(text, " md5 {:#034x}", u128::from_be_bytes(checksum)).expect("strings can be written");
    }
    text.push('\n');
}
