//! Line programs (DWARF 5, section 6.2; versions 2 to 5).
//!
//! Rows become instructions at once, so that nothing is kept of them; directories and files are numbered as they come,
//! and are written in front at the end. Advances are encoded as LLVM does: special operations for lines from -5 to 8
//! further, of instructions of one byte.

use super::bytes::{Bytes, Place};
use super::strings::{Strings, TextId};
use super::{Address, Field};
use frazil_support::FxBuildHasher;
use gimli::constants as dw;
use gimli::{Encoding, Format};
use indexmap::{IndexMap, IndexSet};

/// The first special operation.
const OPCODE_BASE: u64 = 13;
/// The smallest number of lines that special operations advance by.
const LINE_BASE: i64 = -5;
/// How many numbers of lines they advance by.
const LINE_RANGE: u64 = 14;
/// How many bytes `DW_LNS_const_add_pc` advances by.
const CONSTANT_ADVANCE: u64 = (255 - OPCODE_BASE) / LINE_RANGE;
/// How many operands the standard operations have.
const OPERANDS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

/// A source file of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileId(u32);

/// A directory of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::dwarf) struct DirectoryId(u32);

/// The directory that the compiler was run in.
pub(in crate::dwarf) const UNIT_DIRECTORY: DirectoryId = DirectoryId(0);

/// A source file, as assemblers are told of it.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub number: u64,
    /// `None` for the directory that the compiler was run in.
    pub directory: Option<TextId>,
    pub name: TextId,
    /// If all files so far have one.
    pub checksum: Option<Md5>,
}

/// The checksum of a file.
pub(crate) type Md5 = [u8; 16];

/// Where the texts of a header stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Texts {
    InTable,
    InPlace,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineRow {
    /// Bytes from the start of the sequence.
    pub offset: u64,
    pub file: FileId,
    pub line: u64,
    pub column: u64,
    pub discriminator: u64,
    pub is_statement: bool,
    pub ends_prologue: bool,
    pub begins_epilogue: bool,
}

/// The line program of a unit.
#[derive(Debug)]
pub(in crate::dwarf) struct LineProgram {
    version: u16,
    address_bytes: u8,
    directories: IndexSet<TextId, FxBuildHasher>,
    files: IndexMap<(TextId, DirectoryId), Md5, FxBuildHasher>,
    /// Whether all files have checksums.
    has_checksums: bool,
    instructions: Bytes,
    /// The rows since they were taken last, if an assembler is to encode them.
    kept: Option<Vec<LineRow>>,
    has_rows: bool,
    in_sequence: bool,
    /// The state of the machine after the last row.
    last: LineRow,
}

impl LineProgram {
    /// A program without rows for a unit that was compiled in a directory. From version 5 on, the unit's own file is
    /// the first one.
    pub fn new(encoding: Encoding, directory: TextId, file: (TextId, Option<Md5>)) -> LineProgram {
        debug_assert_eq!(encoding.format, Format::Dwarf32, "offsets of 4 bytes");
        let mut program = LineProgram {
            version: encoding.version,
            address_bytes: encoding.address_size,
            directories: IndexSet::default(),
            files: IndexMap::default(),
            has_checksums: true,
            instructions: Bytes::default(),
            kept: None,
            has_rows: false,
            in_sequence: false,
            last: initial(encoding.version),
        };
        program.directories.insert(directory);
        if encoding.version >= 5 {
            program.add_file(file.0, UNIT_DIRECTORY, file.1);
        }
        program.has_checksums = file.1.is_some();
        program
    }

    /// No program, but one that knows which numbers files of another one have.
    pub fn for_numbers(encoding: Encoding) -> LineProgram {
        LineProgram {
            version: encoding.version,
            address_bytes: encoding.address_size,
            directories: IndexSet::default(),
            files: IndexMap::default(),
            has_checksums: false,
            instructions: Bytes::default(),
            kept: None,
            has_rows: false,
            in_sequence: false,
            last: initial(encoding.version),
        }
    }

    /// The file of the unit, in versions in which the table begins with it.
    pub fn first_file(&self) -> Option<FileId> {
        (self.version >= 5).then_some(FileId(0))
    }

    /// The number of a directory.
    pub fn add_directory(&mut self, name: TextId) -> DirectoryId {
        DirectoryId(self.directories.insert_full(name).0 as u32)
    }

    /// The number of a file.
    pub fn add_file(&mut self, name: TextId, directory: DirectoryId, checksum: Option<Md5>) -> FileId {
        self.has_checksums &= checksum.is_some();
        let number = self.files.len() as u32;
        let entry = self.files.entry((name, directory));
        let at = entry.index() as u32;
        if at == number {
            entry.or_insert(checksum.unwrap_or_default());
        }
        FileId(at)
    }

    /// The number of a file as attributes and rows have it.
    pub fn file_number(&self, file: FileId) -> u64 {
        // Before version 5, numbers begin with 1.
        u64::from(file.0) + u64::from(self.version < 5)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        !self.has_rows
    }

    /// Says that an assembler encodes the rows; nothing has been added.
    pub fn keep_rows(&mut self) {
        self.kept = Some(Vec::new());
    }

    /// The rows since this was called last, if an assembler encodes them.
    pub fn take_rows(&mut self) -> Option<Vec<LineRow>> {
        self.kept.as_mut().map(std::mem::take)
    }

    /// Whether an assembler encodes the rows.
    pub fn keeps_rows(&self) -> bool {
        self.kept.is_some()
    }

    /// The source files from the one with a number on.
    pub fn files_from(&self, first: u64) -> impl Iterator<Item = SourceFile> {
        let base = u64::from(self.version < 5);
        let skipped = first.saturating_sub(base) as usize;
        let rows = self.files.iter().enumerate().skip(skipped);
        rows.map(move |(at, (&(name, directory), checksum))| SourceFile {
            number: at as u64 + base,
            directory: match directory {
                UNIT_DIRECTORY => None,
                other => self.directories.get_index(other.0 as usize).copied(),
            },
            name,
            checksum: self.has_checksums.then_some(*checksum),
        })
    }

    /// The directory that the compiler was run in, in versions in which the table begins with it.
    pub fn unit_directory(&self) -> Option<TextId> {
        self.directories.first().copied().filter(|_| self.version >= 5)
    }

    /// Whether a sequence has begun and not ended.
    pub fn in_sequence(&self) -> bool {
        self.in_sequence
    }

    /// Begins a range of code.
    pub fn begin_sequence(&mut self, address: Address) {
        if self.keeps_rows() {
            return;
        }
        self.in_sequence = true;
        let bytes = self.address_bytes;
        self.put_extended(dw::DW_LNE_set_address, u64::from(bytes));
        self.instructions.address(address, bytes);
    }

    /// Ends a range of code after so many bytes.
    pub fn end_sequence(&mut self, offset: u64) {
        self.in_sequence = false;
        let advance = offset - self.last.offset;
        if advance != 0 {
            self.put_with(dw::DW_LNS_advance_pc, advance);
        }
        self.put_extended(dw::DW_LNE_end_sequence, 0);
        self.last = initial(self.version);
    }

    /// Adds a row, which stands at the place of the last one or after it.
    pub fn add_row(&mut self, row: LineRow) {
        self.has_rows = true;
        if let Some(kept) = &mut self.kept {
            kept.push(row);
            return;
        }
        if row.discriminator != 0 {
            self.put_extended(
                dw::DW_LNE_set_discriminator,
                super::bytes::unsigned_bytes(row.discriminator),
            );
            self.instructions.unsigned(row.discriminator);
        }
        if row.ends_prologue {
            self.put(dw::DW_LNS_set_prologue_end);
        }
        if row.begins_epilogue {
            self.put(dw::DW_LNS_set_epilogue_begin);
        }
        if row.is_statement != self.last.is_statement {
            self.put(dw::DW_LNS_negate_stmt);
        }
        if row.file != self.last.file {
            self.put_with(dw::DW_LNS_set_file, self.file_number(row.file));
        }
        if row.column != self.last.column {
            self.put_with(dw::DW_LNS_set_column, row.column);
        }
        let lines = row.line.wrapping_sub(self.last.line).cast_signed();
        self.advance(lines, row.offset - self.last.offset);
        self.last = row;
    }

    /// Goes so many lines and bytes further, and makes a row.
    fn advance(&mut self, lines: i64, bytes: u64) {
        let line_code = lines.wrapping_sub(LINE_BASE).cast_unsigned();
        let mut special = OPCODE_BASE + LINE_BASE.unsigned_abs();
        if line_code < LINE_RANGE {
            special = OPCODE_BASE + line_code;
        } else {
            self.put(dw::DW_LNS_advance_line);
            self.instructions.signed(lines);
        }
        let is_near = |bytes: u64| bytes <= CONSTANT_ADVANCE && special + bytes * LINE_RANGE <= 255;
        let near = if is_near(bytes) {
            bytes
        } else if bytes.checked_sub(CONSTANT_ADVANCE).is_some_and(is_near) {
            self.put(dw::DW_LNS_const_add_pc);
            bytes - CONSTANT_ADVANCE
        } else {
            self.put_with(dw::DW_LNS_advance_pc, bytes);
            0
        };
        let code = special + near * LINE_RANGE;
        match code == OPCODE_BASE + LINE_BASE.unsigned_abs() {
            true => self.put(dw::DW_LNS_copy),
            false => self.instructions.u8(code as u8),
        }
    }

    fn put(&mut self, operation: dw::DwLns) {
        self.instructions.u8(operation.0);
    }

    fn put_with(&mut self, operation: dw::DwLns, operand: u64) {
        self.put(operation);
        self.instructions.unsigned(operand);
    }

    /// An extended operation, whose operands of so many bytes follow.
    fn put_extended(&mut self, operation: dw::DwLne, operand_bytes: u64) {
        self.instructions.u8(0);
        self.instructions.unsigned(1 + operand_bytes);
        self.instructions.u8(operation.0);
    }

    /// Writes the program with its header.
    pub(super) fn write(&self, strings: &Strings, out: &mut Bytes) {
        self.write_parts(strings, Texts::InTable, &self.instructions, out);
    }

    /// Writes the header alone, with its texts in place, for files that others are named in.
    pub(super) fn write_files(&self, strings: &Strings, out: &mut Bytes) {
        self.write_parts(strings, Texts::InPlace, &Bytes::default(), out);
    }

    fn write_parts(&self, strings: &Strings, texts: Texts, instructions: &Bytes, out: &mut Bytes) {
        let part = out.begin_part();
        out.u16(self.version);
        if self.version >= 5 {
            out.u8(self.address_bytes);
            out.u8(0);
        }
        let header = out.begin_part();
        out.u8(1);
        if self.version >= 4 {
            out.u8(1);
        }
        out.u8(1);
        out.u8(LINE_BASE as u8);
        out.u8(LINE_RANGE as u8);
        out.u8(OPCODE_BASE as u8);
        out.bytes.extend_from_slice(&OPERANDS);
        match self.version >= 5 {
            true => self.write_names(strings, texts, out),
            false => self.write_old_names(strings, out),
        }
        out.end_part(header);
        let start = out.len() as u64;
        out.bytes.extend_from_slice(&instructions.bytes);
        out.fields.extend(instructions.fields.iter().map(|field| Field {
            offset: start + field.offset,
            ..*field
        }));
        out.end_part(part);
    }

    /// Directories and files (DWARF 5, section 6.2.4.1): each a text, files with their directory and checksum.
    fn write_names(&self, strings: &Strings, texts: Texts, out: &mut Bytes) {
        let form = match texts {
            Texts::InTable => dw::DW_FORM_line_strp,
            Texts::InPlace => dw::DW_FORM_string,
        };
        let put_text = |out: &mut Bytes, name: TextId| match texts {
            Texts::InTable => out.offset_in(Place::LineTexts, strings.offset(name)),
            Texts::InPlace => {
                out.bytes.extend_from_slice(strings.text(name));
                out.u8(0);
            }
        };
        let put_format = |out: &mut Bytes, content: dw::DwLnct, form: dw::DwForm| {
            out.unsigned(content.0.into());
            out.unsigned(form.0.into());
        };
        out.u8(1);
        put_format(out, dw::DW_LNCT_path, form);
        out.unsigned(self.directories.len() as u64);
        for &name in &self.directories {
            put_text(out, name);
        }
        out.u8(2 + u8::from(self.has_checksums));
        put_format(out, dw::DW_LNCT_path, form);
        put_format(out, dw::DW_LNCT_directory_index, dw::DW_FORM_udata);
        if self.has_checksums {
            put_format(out, dw::DW_LNCT_MD5, dw::DW_FORM_data16);
        }
        out.unsigned(self.files.len() as u64);
        for (&(name, directory), checksum) in &self.files {
            put_text(out, name);
            out.unsigned(directory.0.into());
            if self.has_checksums {
                out.bytes.extend_from_slice(checksum);
            }
        }
    }

    /// The same before version 5: texts in place, and no directory of the unit.
    fn write_old_names(&self, strings: &Strings, out: &mut Bytes) {
        let put_text = |out: &mut Bytes, name: TextId| {
            out.bytes.extend_from_slice(strings.text(name));
            out.u8(0);
        };
        for &name in self.directories.iter().skip(1) {
            put_text(out, name);
        }
        out.u8(0);
        for &(name, directory) in self.files.keys() {
            put_text(out, name);
            out.unsigned(directory.0.into());
            // Neither time nor size is known.
            out.u16(0);
        }
        out.u8(0);
    }
}

/// The state of the machine at the start of a sequence (DWARF 5, section 6.2.2): file 1, line 1.
fn initial(version: u16) -> LineRow {
    LineRow {
        offset: 0,
        file: FileId(u32::from(version >= 5)),
        line: 1,
        column: 0,
        discriminator: 0,
        is_statement: true,
        ends_prologue: false,
        begins_epilogue: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instructions for a row so many lines and bytes after the first.
    fn advanced(lines: i64, bytes: u64) -> Vec<u8> {
        let encoding = Encoding {
            format: Format::Dwarf32,
            version: 5,
            address_size: 8,
        };
        let text = Strings::default().add("a");
        let mut program = LineProgram::new(encoding, text, (text, None));
        program.last.line = 100;
        program.advance(lines, bytes);
        program.instructions.bytes
    }

    #[test]
    fn advances_are_the_shortest() {
        let [copy, advance_line, advance_pc, constant] = [
            dw::DW_LNS_copy,
            dw::DW_LNS_advance_line,
            dw::DW_LNS_advance_pc,
            dw::DW_LNS_const_add_pc,
        ]
        .map(|operation| operation.0);
        assert_eq!(advanced(0, 0), [copy]);
        assert_eq!(advanced(1, 0), [19]);
        assert_eq!(advanced(-5, 0), [13]);
        assert_eq!(advanced(-6, 0), [advance_line, 0x7a, copy]);
        assert_eq!(advanced(8, 16), [13 + 13 + 16 * 14]);
        assert_eq!(advanced(0, 17), [constant, copy]);
        assert_eq!(advanced(9, 18), [advance_line, 9, constant, 18 + 14]);
        assert_eq!(advanced(0, 33), [constant, 18 + 16 * 14]);
        assert_eq!(advanced(0, 34), [advance_pc, 34, copy]);
        assert_eq!(advanced(2, 34), [advance_pc, 34, 20]);
    }
}
