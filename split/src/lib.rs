//! `frazil split`: one module of LLVM bitcode as several, which are compiled on their own and linked to the same
//! program.
//!
//! ```text
//! let split = Split::new(&bitcode, 8)?; // who uses whom, and what goes where
//! let first = split.part(0)?;           // the bytes of a module
//! ```
//!
//! Method: the stream is divided, not what it means. [`source`] finds symbols, constants and bodies; [`graph`] says
//! who uses whom, from a walk over all bodies ([`body`]) that knows no more of instructions than where values stand;
//! [`bind`] says what stays together, and [`plan`] what goes where. [`part`] then writes the module again for each
//! part: all symbols and constants with the numbers that they have, so that bodies are copied bit by bit, and without
//! the bodies and contents of what is in other parts. Local symbols that others use become hidden ones with names of
//! their own ([`names`]). No version of LLVM is needed, nor known but for the forms of records.
//!
//! Invariants: parts depend on nothing but the module and their number. Each symbol that the module defines is defined
//! in one part, but for small constants whose address nobody can tell apart, and lists for tools. What is used
//! elsewhere is not dropped where it is (`linkonce` becomes `weak`).
//!
//! Untrusted input: as in the reader, counts are believed only if so much can be there, and nothing panics.
//!
//! Left out: modules before LLVM 3.3, which count values from their beginning, calls without types and aliases before
//! LLVM 3.8; summaries for optimizers of whole programs, use-list orders of the module, tables of symbols for linkers.
//! Debug information is in each part as a whole.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod bind;
mod body;
mod constants;
mod graph;
mod groups;
mod metadata;
mod names;
mod part;
mod plan;
mod record;
mod source;
mod text;
mod types;

use constants::Kind;
use frazil_frontend_pnacl::{ReadError, ReadErrorKind};
use graph::Graph;
use names::Names;
use part::Part;
use plan::Plan;
use source::Source;

/// The most parts that a module can have.
pub const MOST_PARTS: u32 = 10_000;

/// A module that has been divided.
#[derive(Debug)]
pub struct Split<'a> {
    source: Source<'a>,
    graph: Graph,
    plan: Plan,
    names: Names,
    parts: u32,
    /// Whether constants of the module are addresses of blocks.
    has_block_addresses: bool,
}

impl<'a> Split<'a> {
    /// Divides a module into so many parts, from 1 to [`MOST_PARTS`].
    ///
    /// # Errors
    /// If the bytes are not one module of LLVM bitcode, malformed, or have something that is not known.
    pub fn new(bytes: &'a [u8], parts: u32) -> Result<Split<'a>, ReadError> {
        if bytes.len() as u64 > u64::from(u32::MAX) / 4 {
            let message = "an input of more than one gigabyte";
            return Err(ReadError::new(ReadErrorKind::TooLarge, 0, message));
        }
        let parts = parts.clamp(1, MOST_PARTS);
        let source = Source::open(bytes)?;
        let (graph, remarks) = graph::make(&source)?;
        let bonds = bind::find(&source, &graph, &remarks)?;
        let plan = Plan::make(&source, &graph, bonds, parts);
        let names = Names::make(&source, &plan);
        let is_address = |constant: &constants::Constant| constant.kind == Kind::BlockAddress;
        let has_block_addresses = source.constants.rows.iter().any(is_address);
        Ok(Split {
            source,
            graph,
            plan,
            names,
            parts,
            has_block_addresses,
        })
    }

    /// How many parts there are.
    pub fn parts(&self) -> u32 {
        self.parts
    }

    /// The module of a part, by its number from 0 on.
    ///
    /// # Errors
    /// If something of the module cannot be written anew, which only a file that nobody writes has.
    pub fn part(&self, number: u32) -> Result<Vec<u8>, ReadError> {
        Part::write(self, number)
    }
}
