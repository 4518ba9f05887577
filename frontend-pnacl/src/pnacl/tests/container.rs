//! What executables may not have of the container, though LLVM's bitcode does, and containers that contradict
//! themselves.

use super::maker::{Pexe, Row};
use super::read;
use crate::bitstream::abbrev::Encoding;
use crate::bitstream::shapes::Shape;
use crate::bitstream::writer::Writer;
use crate::pnacl::codes::{block, module};

/// Expects that an executable is refused whose first block, after the version, is written so.
fn info_refused(write: impl FnOnce(&mut Writer), words: &str) {
    let plain = Pexe::new();
    let mut writer = Writer::new(&plain.header, 0);
    writer.begin_block(block::MODULE, 3);
    writer.record(module::VERSION, &[1]);
    write(&mut writer);
    write_rows(&mut writer, block::TYPES, &plain.types);
    writer.end_block();
    match read(&writer.finish()) {
        Ok(_) => panic!("it is read; expected: {words}"),
        Err(error) => assert!(error.to_string().contains(words), "{error}; expected: {words}"),
    }
}

fn write_rows(writer: &mut Writer, id: u64, rows: &[Row]) {
    writer.begin_block(id, 4);
    rows.iter().for_each(|(code, operands)| writer.record(*code, operands));
    writer.end_block();
}

/// The header of a block in the module, which says that it has so many words.
fn begin(writer: &mut Writer, id: u64, width: u64, words: u64) {
    writer.fixed(1, 3);
    writer.vbr(id, 8);
    writer.vbr(width, 4);
    writer.align_to_word();
    writer.fixed(words, 32);
}

/// The definition of an abbreviation of so many operands, in a block whose numbers have two bits.
fn define(writer: &mut Writer, operands: u64, write: impl FnOnce(&mut Writer)) {
    writer.begin_block(0, 2);
    writer.record(1, &[block::FUNCTION]);
    writer.fixed(2, 2);
    writer.vbr(operands, 5);
    write(writer);
    writer.end_block();
}

/// A field of an encoding that has a width.
fn field(writer: &mut Writer, encoding: u64, width: u64) {
    writer.fixed(0, 1);
    writer.fixed(encoding, 3);
    writer.vbr(width, 5);
}

#[test]
fn blockinfo_has_abbreviations_only() {
    info_refused(
        |writer| {
            writer.begin_block(0, 2);
            writer.record(1, &[block::FUNCTION]);
            writer.record(2, &[97]);
            writer.end_block();
        },
        "a record in blockinfo that names no block",
    );
    info_refused(
        |writer| {
            writer.begin_block(0, 2);
            write_rows(writer, block::FUNCTION, &[]);
            writer.end_block();
        },
        "item 1 in blockinfo",
    );
    info_refused(
        |writer| {
            write_rows(writer, 0, &[]);
            write_rows(writer, 0, &[]);
        },
        "block 0, which the ABI does not have",
    );
    info_refused(
        |writer| {
            writer.begin_block(0, 2);
            writer.define(&Shape {
                code: 1,
                fields: vec![],
                array: None,
            });
            writer.end_block();
        },
        "before a block is named",
    );
}

#[test]
fn abbreviations_have_fields_that_there_are() {
    info_refused(
        |writer| {
            define(writer, 2, |writer| {
                writer.fixed(1, 1);
                writer.vbr(7, 8);
                writer.fixed(0, 1);
                writer.fixed(5, 3);
            });
        },
        "an abbreviation with a blob",
    );
    info_refused(|writer| define(writer, 1, |writer| field(writer, 1, 33)), "33");
    info_refused(|writer| define(writer, 1, |writer| field(writer, 2, 33)), "33");
    info_refused(
        |writer| {
            define(writer, 1, |writer| {
                writer.fixed(0, 1);
                writer.fixed(6, 3);
            });
        },
        "abbreviation encoding 6",
    );
    let array = |writer: &mut Writer| {
        writer.fixed(0, 1);
        writer.fixed(3, 3);
    };
    info_refused(
        |writer| {
            define(writer, 3, |writer| {
                field(writer, 1, 4);
                array(writer);
                array(writer);
            });
        },
        "an array of arrays",
    );
    info_refused(
        |writer| {
            define(writer, 3, |writer| {
                array(writer);
                field(writer, 1, 4);
                field(writer, 1, 4);
            });
        },
        "array",
    );
    info_refused(|writer| define(writer, 0, |_| {}), "abbreviation");
}

#[test]
fn blobs_are_refused_in_blocks_too() {
    let mut writer = Writer::new(&Pexe::new().header, 0);
    writer.begin_block(block::MODULE, 3);
    writer.record(module::VERSION, &[1]);
    writer.begin_block(block::TYPES, 4);
    writer.blob_record(4, 2, &[b"blob"]);
    writer.end_block();
    writer.end_block();
    let error = read(&writer.finish()).expect_err("a blob");
    assert!(error.to_string().contains("an abbreviation with a blob"), "{error}");
}

#[test]
fn blocks_and_numbers_of_abbreviations_are_checked() {
    for (width, words) in [(1, "abbreviation ids of 1 bits"), (0, "abbreviation ids of 0 bits")] {
        info_refused(|writer| begin(writer, block::TYPES, width, 0), words);
    }
    info_refused(|writer| writer.fixed(5, 3), "abbreviation 1 of 0");
    info_refused(|writer| begin(writer, block::TYPES, 4, 1 << 20), "words, but only");
    info_refused(
        |writer| {
            begin(writer, 0, 2, 2);
            writer.fixed(0, 32);
            writer.fixed(0, 32);
        },
        "which its length says",
    );
    let shape = Shape {
        code: 1,
        fields: vec![Encoding::Vbr(6)],
        array: None,
    };
    info_refused(
        |writer| {
            writer.begin_block(0, 2);
            writer.set_block(block::TYPES);
            writer.define(&shape);
            writer.end_block();
            writer.begin_block(block::TYPES, 3);
            writer.fixed(4, 3);
            // Bits that go on and on.
            (0..16).for_each(|_| writer.fixed(0x3f, 6));
            writer.end_block();
        },
        "64 bits",
    );
}
