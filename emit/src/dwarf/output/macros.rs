//! Macros of a unit: `.debug_macro` (DWARF 5, section 6.3), and `.debug_macinfo` before (DWARF 4, section 6.3).

use super::bytes::{Bytes, Place};
use super::strings::{Strings, TextId};
use super::{FileId, LineProgram};
use gimli::constants as dw;

/// The header says where the line table is, whose files are named.
const HAS_LINES: u8 = 1 << 1;

/// What the preprocessor did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dwarf) enum Macro {
    /// On a line, the name with its parameters, a space and what it stands for.
    Define(u64, TextId),
    /// On a line, the name.
    Undefine(u64, TextId),
    /// Began a file, which is included by a line.
    Begin(u64, FileId),
    /// Ended the file.
    End,
}

/// Writes the macros of a unit whose line table is at an offset; returns where they begin.
pub(super) fn write(macros: &[Macro], lines: u64, program: &LineProgram, out: &mut Bytes) -> u64 {
    let start = out.len() as u64;
    out.u16(5);
    out.u8(HAS_LINES);
    out.offset_in(Place::Lines, lines);
    for &one in macros {
        match one {
            Macro::Define(line, text) => put(out, dw::DW_MACRO_define_strx.0, [line, text.number()]),
            Macro::Undefine(line, text) => put(out, dw::DW_MACRO_undef_strx.0, [line, text.number()]),
            Macro::Begin(line, file) => {
                put(out, dw::DW_MACRO_start_file.0, [line, program.file_number(file)]);
            }
            Macro::End => out.u8(dw::DW_MACRO_end_file.0),
        }
    }
    out.u8(0);
    start
}

/// The same before version 5, with texts in place.
pub(super) fn write_old(macros: &[Macro], texts: &Strings, program: &LineProgram, out: &mut Bytes) -> u64 {
    let start = out.len() as u64;
    let put_text = |out: &mut Bytes, kind: dw::DwMacinfo, line: u64, text: TextId| {
        out.u8(kind.0);
        out.unsigned(line);
        out.bytes.extend_from_slice(texts.text(text));
        out.u8(0);
    };
    for &one in macros {
        match one {
            Macro::Define(line, text) => put_text(out, dw::DW_MACINFO_define, line, text),
            Macro::Undefine(line, text) => put_text(out, dw::DW_MACINFO_undef, line, text),
            Macro::Begin(line, file) => {
                put(out, dw::DW_MACINFO_start_file.0, [line, program.file_number(file)]);
            }
            Macro::End => out.u8(dw::DW_MACINFO_end_file.0),
        }
    }
    out.u8(0);
    start
}

fn put(out: &mut Bytes, kind: u8, operands: [u64; 2]) {
    out.u8(kind);
    operands.iter().for_each(|&operand| out.unsigned(operand));
}
