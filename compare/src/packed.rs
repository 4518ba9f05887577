//! Assemblies packed for a page: small enough that one file holds many, each unpacked when it is opened.
//!
//! A function's blocks become text in which control characters separate fields (none of them can stand in assembly
//! text), compressed by DEFLATE, in base64. Browsers unpack both by themselves; `unpack` in `page.js` is the other
//! half.

use crate::assembly::Line;
use crate::report::BlockRow;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write;

/// Between blocks.
const BLOCK: char = '\x1e';
/// Between the two sides of a block.
const SIDE: char = '\x1d';
/// Between text, comment and line of the source.
const FIELD: char = '\x1f';

/// The blocks of a function, packed.
pub fn pack(blocks: &[BlockRow]) -> String {
    let mut text = String::new();
    for (number, block) in blocks.iter().enumerate() {
        if number > 0 {
            text.push(BLOCK);
        }
        lines(&mut text, &block.frazil);
        text.push(SIDE);
        lines(&mut text, &block.llc);
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).expect("memory takes everything");
    STANDARD.encode(encoder.finish().expect("memory takes everything"))
}

fn lines(text: &mut String, lines: &[Line]) {
    for (number, line) in lines.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        text.extend(line.text.chars().filter(|letter| !is_separator(*letter)));
        text.push(FIELD);
        text.extend(line.comment.chars().filter(|letter| !is_separator(*letter)));
        text.push(FIELD);
        if line.source != 0 {
            text.push_str(&line.source.to_string());
        }
    }
}

fn is_separator(letter: char) -> bool {
    matches!(letter, BLOCK | SIDE | FIELD | '\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::DeflateDecoder;
    use std::io::Read;

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let line = |text: &str, comment: &str, source| Line {
            text: text.to_owned(),
            comment: comment.to_owned(),
            source,
        };
        let blocks = [
            BlockRow {
                frazil: vec![line("push %rbp", "", 0), line("retq", "return", 7)],
                llc: Vec::new(),
            },
            BlockRow {
                frazil: Vec::new(),
                llc: vec![line("nop\x1e", "", 0)],
            },
        ];
        let bytes = STANDARD.decode(pack(&blocks)).expect("base64");
        let mut text = String::new();
        DeflateDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .expect("DEFLATE");
        assert_eq!(text, "push %rbp\x1f\x1f\nretq\x1freturn\x1f7\x1d\x1e\x1dnop\x1f\x1f");
    }
}
