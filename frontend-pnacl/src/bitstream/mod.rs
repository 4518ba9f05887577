//! The bitstream container: bits, abbreviations, blocks and records, with no notion of what they mean.
//!
//! A [`Cursor`](cursor::Cursor) is a position in a byte slice. Reading a field never fails by itself: bits beyond the
//! end are zero, and a sticky test once per record finds out. So the hot path has one test per record and no
//! `Result` per field. Abbreviations are compiled when they are defined ([`abbrev`]), [`block`] enters, skips and
//! iterates blocks, [`record`] holds the operands of the record just read. [`writer`] makes streams, with
//! abbreviations by [`shapes`].

pub mod abbrev;
pub mod block;
pub mod cursor;
pub mod record;
pub mod shapes;
pub mod step;
pub mod writer;
