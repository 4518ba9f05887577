//! Finds the blocks of an undamaged module and replaces whole blocks, with the lengths of all blocks around them put
//! right: what comes out is a well-formed container with the wrong content, which gets deeper into a compiler than
//! any flipped bit.
//!
//! The container is read with the compiler's own reader. That is no circle: what is tested is what becomes of the
//! result.

use std::ops::Range;

use frazil_frontend_pnacl::bitstream::block::{BLOCKINFO_ID, Block, BlockInfo, Item, SubBlock, next_top_level};
use frazil_frontend_pnacl::bitstream::cursor::Cursor;
use frazil_frontend_pnacl::bitstream::record::Record;
use frazil_frontend_pnacl::{ReadError, wrapper};

/// Bytes of the word in front of a block's body that says how many words the body has.
const LENGTH_BYTES: usize = 4;

/// A block of a bitcode file, by where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What kind of block it is.
    pub id: u64,
    /// Bits of an abbreviation id in it; blocks are exchanged only where they are equal.
    pub width: u32,
    /// The bytes after the length word, end mark included.
    pub body: Range<usize>,
    /// Where the length words of this block and of those around it are, outermost first.
    pub length_words: Vec<usize>,
}

/// All blocks of a module in the order of the file.
///
/// # Errors
/// If the bytes are no well-formed bitcode.
pub fn find(bytes: &[u8]) -> Result<Vec<Place>, ReadError> {
    let mut cursor = wrapper::open(bytes)?;
    let mut info = BlockInfo::default();
    let mut places = Vec::new();
    while let Some(header) = next_top_level(&mut cursor)? {
        walk(&mut cursor, &header, &[], &mut info, &mut places)?;
    }
    Ok(places)
}

fn walk(
    cursor: &mut Cursor<'_>,
    header: &SubBlock,
    around: &[usize],
    info: &mut BlockInfo,
    places: &mut Vec<Place>,
) -> Result<(), ReadError> {
    let body = (header.start / 8) as usize..(header.end / 8) as usize;
    let mut length_words = around.to_vec();
    length_words.push(body.start - LENGTH_BYTES);
    places.push(Place {
        id: header.id,
        width: header.abbreviation_width,
        body,
        length_words: length_words.clone(),
    });
    if header.id == BLOCKINFO_ID {
        return info.read(cursor, header);
    }
    // Inner blocks are walked when this one is over, so that only one block at a time borrows what blockinfo says.
    // LLVM writes no abbreviations for the block that blockinfo itself is in.
    let mut inner = Vec::new();
    let mut record = Record::default();
    let mut block = Block::enter(cursor, header, info.abbreviations(header.id));
    loop {
        match block.next(cursor, &mut record)? {
            Item::Block(sub) => inner.push(sub),
            Item::Record => {}
            Item::End => break,
        }
    }
    let after = cursor.position();
    for sub in inner {
        walk(cursor, &sub, &length_words, info, places)?;
    }
    cursor.seek(after);
    Ok(())
}

/// `bytes` with the body of the block at `place` replaced by `body`, and all lengths put right.
pub fn replace(bytes: &[u8], place: &Place, body: &[u8]) -> Vec<u8> {
    let change = (body.len() / 4) as u32;
    let change = change.wrapping_sub((place.body.len() / 4) as u32);
    let mut result = Vec::with_capacity(bytes.len() - place.body.len() + body.len());
    result.extend_from_slice(&bytes[..place.body.start]);
    result.extend_from_slice(body);
    result.extend_from_slice(&bytes[place.body.end..]);
    for &at in &place.length_words {
        // Length words lie in front of the body, so their places have not changed.
        let word: &mut [u8] = &mut result[at..at + LENGTH_BYTES];
        let words = u32::from_le_bytes([word[0], word[1], word[2], word[3]]).wrapping_add(change);
        word.copy_from_slice(&words.to_le_bytes());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn module(name: &str) -> Vec<u8> {
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../modules").join(name)).unwrap()
    }

    #[test]
    fn finds_nested_blocks() {
        let places = find(&module("mixed-O0.bc")).unwrap();
        // Identification, the module, and function bodies in the module.
        assert_eq!(places[0].id, 13);
        assert!(
            places
                .iter()
                .any(|place| place.id == 8 && place.length_words.len() == 1)
        );
        assert!(
            places
                .iter()
                .filter(|place| place.id == 12 && place.length_words.len() == 2)
                .count()
                > 10
        );
    }

    #[test]
    fn a_replaced_block_leaves_a_well_formed_container() {
        let bytes = module("mixed-O2.bc");
        let places = find(&bytes).unwrap();
        let bodies: Vec<&Place> = places.iter().filter(|place| place.id == 12).collect();
        let longer = bytes[bodies[0].body.clone()].to_vec();
        let changed = replace(&bytes, bodies[1], &longer);
        assert_eq!(changed.len() + bodies[1].body.len(), bytes.len() + longer.len());
        let after = find(&changed).unwrap();
        assert_eq!(after.iter().filter(|place| place.id == 12).count(), bodies.len());
        assert_eq!(replace(&bytes, bodies[1], &bytes[bodies[1].body.clone()]), bytes);
    }
}
