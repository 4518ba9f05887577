//! The message about a use that its definition does not dominate.
//!
//! While a body is read, only the bit of the using record is noted. Who finds a wrong use walks the block once more, up
//! to that bit, so that instructions need not be counted otherwise.

use super::codes::function as code;
use super::shapes;
use crate::bitstream::block::{Block, Item};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::builder::dominance::Use;
use crate::error::{ReadError, ReadErrorKind};

/// Which instruction of its block stands somewhere, counted from 0, and what it is.
struct Found {
    number: usize,
    name: &'static str,
}

/// Walks the records of a function's block up to the one that begins at bit `place`.
fn find(cursor: &mut Cursor<'_>, mut block: Block<'_>, record: &mut Record, place: u64) -> Result<Found, ReadError> {
    let mut number = 0;
    loop {
        match block.next(cursor, record)? {
            Item::End => {
                return Err(ReadError::malformed(
                    place,
                    "a record that was there before is there no more",
                ));
            }
            Item::Block(_) => {}
            Item::Record if record.start() >= place => {
                return Ok(Found {
                    number,
                    name: code::name(record.code()),
                });
            }
            Item::Record if code::is_terminator(record.code()) => number = 0,
            Item::Record if is_instruction(record.code()) => number += 1,
            Item::Record => {}
        }
    }
}

fn is_instruction(record_code: u64) -> bool {
    let is_other = matches!(
        record_code,
        code::DECLARE_BLOCKS | code::BLOCK_ADDRESS_USERS | code::OPERAND_BUNDLE
    );
    !is_other && !shapes::is_debug(record_code)
}

/// The error about a use of a value that block `from` defines; `block` is the function's, not yet walked.
#[cold]
pub(super) fn error(
    cursor: &mut Cursor<'_>,
    block: Block<'_>,
    record: &mut Record,
    (at, from): (Use, u32),
) -> ReadError {
    let place = at.place(block.header().start);
    let user = match find(cursor, block, record, place) {
        Ok(Found { number, name }) => {
            format!(
                "instruction {number} of block {} ({name})",
                at.phi().unwrap_or(at.block)
            )
        }
        Err(error) => return error,
    };
    let edge = match at.phi() {
        Some(_) => format!(" on the edge from block {}", at.block),
        None => String::new(),
    };
    let message = format!(
        "{user} uses value {}{edge}, and its definition in block {from} does not dominate that use",
        at.value
    );
    ReadError::new(ReadErrorKind::Undominated, place, message)
}
