//! A module as a tree of blocks and records, and its bits anew: what is changed in between is part of a well-formed
//! container, so that only what records mean can be wrong.
//!
//! Records are written without abbreviations, but for those with a blob, which need one. What says where in the file
//! other things are is left out, as nothing needs it: the offsets of function bodies in the module's symbol table, and
//! the index of metadata. So are the names of what is inside of functions. The string table and the symbol table for
//! linkers, outside of the module, are kept as they are.

use frazil_frontend_pnacl::bitstream::block::{BLOCKINFO_ID, Block, BlockInfo, Item, SubBlock, next_top_level};
use frazil_frontend_pnacl::bitstream::cursor::Cursor;
use frazil_frontend_pnacl::bitstream::record::Record as Decoded;
use frazil_frontend_pnacl::codes::{block as id, metadata, module, symbols};
use frazil_frontend_pnacl::{ReadError, wrapper};

/// A record that can be changed and written again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub code: u64,
    pub operands: Vec<u64>,
    /// Bytes after them.
    pub blob: Option<Vec<u8>>,
}

/// What a block consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Record(Record),
    /// A block inside.
    Block(Tree),
}

/// A block that can be changed and written again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// What kind of block it is.
    pub id: u64,
    /// Its records and blocks.
    pub nodes: Vec<Node>,
}

/// The blocks at the outermost level of a file, without the names of what is inside of functions.
///
/// # Errors
/// If the bytes are no well-formed bitcode.
pub fn decode(bytes: &[u8]) -> Result<Vec<Tree>, ReadError> {
    // Such names say nothing, but LLVM looks at what they name.
    decode_kept(bytes, |around, kind| {
        (around, kind) != (Some(id::FUNCTION), id::VALUE_SYMBOLS)
    })
}

/// The same with only those blocks for which `is_kept` holds, given what kind of block is around and which kind it is.
/// The others may contain anything.
///
/// # Errors
/// If what is kept is no well-formed bitcode.
pub fn decode_kept(bytes: &[u8], is_kept: impl Fn(Option<u64>, u64) -> bool) -> Result<Vec<Tree>, ReadError> {
    let mut cursor = wrapper::open(bytes)?;
    let mut info = BlockInfo::default();
    let mut trees = Vec::new();
    while let Some(header) = next_top_level(&mut cursor)? {
        if is_kept(None, header.id) {
            let after = cursor.position();
            trees.extend(tree(bytes, &mut cursor, &header, &mut info, &is_kept)?);
            cursor.seek(after);
        }
    }
    Ok(trees)
}

fn tree(
    bytes: &[u8],
    cursor: &mut Cursor<'_>,
    header: &SubBlock,
    info: &mut BlockInfo,
    is_kept: &impl Fn(Option<u64>, u64) -> bool,
) -> Result<Option<Tree>, ReadError> {
    if header.id == BLOCKINFO_ID {
        return info.read(cursor, header).map(|()| None);
    }
    let mut nodes = Vec::new();
    let mut inner = Vec::new();
    let mut record = Decoded::default();
    let mut block = Block::enter(cursor, header, info.abbreviations(header.id));
    loop {
        match block.next(cursor, &mut record)? {
            Item::Block(sub) if !is_kept(Some(header.id), sub.id) => {}
            Item::Block(sub) => {
                inner.push((nodes.len(), sub));
                // Its place, until this block is over and blockinfo is free.
                nodes.push(None);
            }
            Item::Record => nodes.extend(kept(header.id, &record, bytes).map(|record| Some(Node::Record(record)))),
            Item::End => break,
        }
    }
    let after = cursor.position();
    for (at, sub) in inner {
        nodes[at] = tree(bytes, cursor, &sub, info, is_kept)?.map(Node::Block);
    }
    cursor.seek(after);
    let mut nodes: Vec<Node> = nodes.into_iter().flatten().collect();
    if header.id == id::MODULE {
        nodes.retain(|node| !matches!(node, Node::Block(tree) if tree.is_offsets()));
    }
    Ok(Some(Tree { id: header.id, nodes }))
}

/// Operands of what is said of a function in a symbol table without names.
const NAMELESS: usize = 2;

/// A record, unless it says where other things are.
fn kept(block: u64, record: &Decoded, bytes: &[u8]) -> Option<Record> {
    let says_where = match block {
        id::MODULE => record.code() == module::SYMBOLS_OFFSET,
        id::METADATA => matches!(record.code(), metadata::INDEX | metadata::INDEX_OFFSET),
        _ => false,
    };
    let blob = bytes.get(record.blob()).filter(|blob| !blob.is_empty());
    let mut kept = Record {
        code: record.code(),
        operands: record.operands().to_vec(),
        blob: blob.map(<[u8]>::to_vec),
    };
    if (block, kept.code) == (id::VALUE_SYMBOLS, symbols::FUNCTION_ENTRY) && kept.operands.len() > NAMELESS {
        // A function's value, the place of its body, and its name.
        kept.code = symbols::ENTRY;
        kept.operands.remove(1);
    }
    (!says_where).then_some(kept)
}

impl Tree {
    /// Whether this is a symbol table with nothing but the places of function bodies.
    fn is_offsets(&self) -> bool {
        self.id == id::VALUE_SYMBOLS
            && self
                .nodes
                .iter()
                .all(|node| matches!(node, Node::Record(record) if record.operands.len() == NAMELESS))
    }

    /// All records, those of inner blocks included, each with the block's id.
    pub fn visit<'a>(&'a self, seen: &mut impl FnMut(u64, &'a Record)) {
        for node in &self.nodes {
            match node {
                Node::Record(record) => seen(self.id, record),
                Node::Block(tree) => tree.visit(seen),
            }
        }
    }
}

/// The bytes of a file with these blocks.
pub fn encode(trees: &[Tree]) -> Vec<u8> {
    const OUTERMOST_WIDTH: u32 = 2;
    let mut bits = Bits::default();
    bits.fixed(0xdec0_4342, 32);
    for tree in trees {
        bits.block(tree, OUTERMOST_WIDTH);
    }
    bits.bytes
}

/// Bits of an abbreviation id in all blocks.
const WIDTH: u32 = 4;
const END_BLOCK: u64 = 0;
const ENTER_BLOCK: u64 = 1;
const DEFINE_ABBREVIATION: u64 = 2;
const UNABBREVIATED: u64 = 3;
const FIRST_ABBREVIATION: u64 = 4;

/// Bits that are appended one after the other.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    /// Bits of the last byte that are used; 0 if all are.
    used: u32,
}

impl Bits {
    fn fixed(&mut self, value: u64, width: u32) {
        for bit in 0..width {
            if self.used == 0 {
                self.bytes.push(0);
            }
            let last = self.bytes.last_mut().expect("a byte was pushed");
            *last |= ((value >> bit & 1) as u8) << self.used;
            self.used = (self.used + 1) % 8;
        }
    }

    fn vbr(&mut self, mut value: u64, width: u32) {
        let more = 1 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }

    fn align(&mut self) {
        self.used = 0;
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn block(&mut self, tree: &Tree, width: u32) {
        self.fixed(ENTER_BLOCK, width);
        self.vbr(tree.id, 8);
        self.vbr(WIDTH.into(), 4);
        self.align();
        let length = self.bytes.len();
        self.fixed(0, 32);
        let mut abbreviations = 0;
        for node in &tree.nodes {
            match node {
                Node::Record(record) => self.record(record, &mut abbreviations),
                Node::Block(tree) => self.block(tree, WIDTH),
            }
        }
        self.fixed(END_BLOCK, WIDTH);
        self.align();
        let words = (self.bytes.len() - length) as u32 / 4 - 1;
        self.bytes[length..length + 4].copy_from_slice(&words.to_le_bytes());
    }

    fn record(&mut self, record: &Record, abbreviations: &mut u64) {
        // Ids have four bits; more blobs than that fit no block.
        let last = (1 << WIDTH) - FIRST_ABBREVIATION;
        match &record.blob {
            Some(blob) if *abbreviations < last => {
                self.blob_abbreviation(record.operands.len());
                self.fixed(FIRST_ABBREVIATION + *abbreviations, WIDTH);
                *abbreviations += 1;
                self.vbr(record.code, 6);
                for &operand in &record.operands {
                    self.vbr(operand, 6);
                }
                self.vbr(blob.len() as u64, 6);
                self.align();
                self.bytes.extend_from_slice(blob);
                self.align();
            }
            _ => {
                self.fixed(UNABBREVIATED, WIDTH);
                self.vbr(record.code, 6);
                self.vbr(record.operands.len() as u64, 6);
                for &operand in &record.operands {
                    self.vbr(operand, 6);
                }
            }
        }
    }

    /// Defines: a code, so many operands, and a blob.
    fn blob_abbreviation(&mut self, operands: usize) {
        const VBR: u64 = 2;
        const BLOB: u64 = 5;
        self.fixed(DEFINE_ABBREVIATION, WIDTH);
        self.vbr(operands as u64 + 2, 5);
        for _ in 0..=operands {
            self.fixed(0, 1);
            self.fixed(VBR, 3);
            self.vbr(6, 5);
        }
        self.fixed(0, 1);
        self.fixed(BLOB, 3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn what_is_encoded_is_decoded_again() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../modules");
        for name in ["mixed-O0.bc", "mixed-O0-clang14.bc", "mixed-O0-g.bc", "rust-O3.bc"] {
            let trees = decode(&fs::read(folder.join(name)).expect("it is there")).expect("it is well-formed");
            assert!(trees.iter().any(|tree| tree.id == id::MODULE && tree.nodes.len() > 20));
            assert_eq!(decode(&encode(&trees)).expect("it is well-formed"), trees);
        }
    }
}
