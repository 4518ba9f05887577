//! The format of entries, their abbreviations, expressions and lists (DWARF 5, chapter 7; versions 2 to 5).
//!
//! Entries are made in any order as a tree ([`tree`]) and written at the end: a first walk chooses the form of each
//! attribute and the abbreviation of each entry, and so its place, a second one writes. All units share one table of
//! abbreviations. From version 5 on, texts and addresses stand in tables of their own, to which attributes have short
//! numbers; so there is one relocation for each of them, and not for each use.
//!
//! `gimli` gives the names of constants alone: its writer keeps all entries and rows in large pieces until the end.

mod abbreviations;
mod address_ranges;
mod addresses;
mod bytes;
mod expression;
mod lines;
mod lists;
mod macros;
mod names;
mod public_names;
mod split;
mod strings;
mod tree;
mod units;
mod written;

pub(super) use bytes::{Address, Bytes, Field, Place, Target, unsigned_bytes};
pub(super) use expression::Expression;
pub(super) use lines::{FileId, LineProgram, Md5, UNIT_DIRECTORY};
pub(crate) use lines::{LineRow, SourceFile};
pub(super) use lists::{Location, Range};
pub(super) use macros::Macro;
pub(super) use strings::TextId;
pub(super) use tree::{EntryId, PublicNames, Unit, Value};
pub(super) use written::Dwarf;
