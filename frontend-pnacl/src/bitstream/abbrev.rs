//! Abbreviations: the shapes of records, defined in the stream itself, compiled to tables when they are defined.
//!
//! A compiled abbreviation is a list of scalar fields and, after them, at most one array or blob. The first value
//! that it yields is the record's code.
//!
//! What is checked here need not be checked per record: widths are those the cursor can read, an array is last but
//! for its element and has an element that takes bits, and the definition is no longer than
//! [`limits::ABBREVIATION_OPERANDS`].

use super::cursor::{self, Cursor};
use super::step::Step;
use crate::error::ReadError;
use crate::limits;

/// How one value is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The value is in the abbreviation.
    Literal(u64),
    /// A field of 1 to 57 bits.
    Fixed(u8),
    /// A variable-width integer of chunks of 2 to 32 bits.
    Vbr(u8),
    /// A character of the six-bit alphabet.
    Char6,
}

impl Encoding {
    /// Bits that a value takes at least.
    pub fn least_bits(self) -> u32 {
        match self {
            Encoding::Literal(_) => 0,
            Encoding::Fixed(width) | Encoding::Vbr(width) => u32::from(width),
            Encoding::Char6 => 6,
        }
    }
}

/// What follows the scalar fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    None,
    /// A count and as many values; the encoding is not a literal.
    Array(Encoding),
    /// A count and as many bytes, aligned to 32 bits at both ends.
    Blob,
}

/// A compiled abbreviation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abbreviation {
    /// The scalar fields, the record's code first (unless it is the first element of the array).
    pub fields: Vec<Encoding>,
    /// What follows them.
    pub tail: Tail,
    /// How to read the fields without looking at their kinds, if they are few and plain.
    pub plan: Option<Box<FieldSteps>>,
}

impl Abbreviation {
    /// Checks that it has no blob; `place` is where it is defined.
    ///
    /// # Errors
    /// If it has one.
    pub fn refuse_blob(&self, place: u64) -> Result<(), ReadError> {
        match self.tail {
            Tail::Blob => Err(ReadError::malformed(
                place,
                "an abbreviation with a blob, which this form of bitstream does not have",
            )),
            Tail::None | Tail::Array(_) => Ok(()),
        }
    }
}

/// The most fields after the code that a plan has.
const PLANNED_FIELDS: usize = 8;

/// The fields of a record as steps that are all alike, so that reading them takes no branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSteps {
    /// The record's code.
    pub code: u64,
    steps: [Step; PLANNED_FIELDS],
    count: usize,
}

/// How to read a field; `None` if a plan cannot.
fn step_of(encoding: Encoding) -> Option<Step> {
    match encoding {
        Encoding::Fixed(width) => Some(Step::fixed(width)),
        Encoding::Vbr(width) => Some(Step::variable(cursor::chunks(u32::from(width)))),
        Encoding::Literal(_) | Encoding::Char6 => None,
    }
}

impl FieldSteps {
    fn new(fields: &[Encoding]) -> Option<Box<FieldSteps>> {
        let (Encoding::Literal(code), rest) = fields.split_first()? else {
            return None;
        };
        let mut plan = FieldSteps {
            code: *code,
            steps: [Step::default(); PLANNED_FIELDS],
            count: rest.len(),
        };
        if rest.len() > PLANNED_FIELDS {
            return None;
        }
        for (step, &field) in plan.steps.iter_mut().zip(rest) {
            *step = step_of(field)?;
        }
        Some(Box::new(plan))
    }

    /// The fields after the code.
    #[inline]
    pub fn steps(&self) -> &[Step] {
        self.steps.get(..self.count).unwrap_or_default()
    }
}

/// One operand of a definition as written in the stream.
enum Operand {
    Scalar(Encoding),
    Array,
    Blob,
}

impl Abbreviation {
    /// Reads a definition; the cursor is after the abbreviation id that announces it.
    ///
    /// # Errors
    /// If the definition is cut off, too long, has an unknown encoding or an array or blob in the wrong place.
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Abbreviation, ReadError> {
        let start = cursor.position();
        let count = cursor.vbr(5);
        cursor.check()?;
        if count == 0 || count > limits::ABBREVIATION_OPERANDS {
            let limit = limits::ABBREVIATION_OPERANDS;
            let message = format!("an abbreviation of {count} operands; expected 1 to {limit}");
            return Err(ReadError::malformed(start, message));
        }
        let mut fields = Vec::with_capacity(count as usize);
        let mut tail = Tail::None;
        let mut left = count;
        while left > 0 {
            left -= 1;
            match read_operand(cursor)? {
                Operand::Scalar(encoding) => fields.push(encoding),
                Operand::Array if left == 1 => {
                    left = 0;
                    tail = Tail::Array(read_element(cursor)?);
                }
                Operand::Blob if left == 0 => tail = Tail::Blob,
                Operand::Array | Operand::Blob => {
                    let message = "an abbreviation with an array that is not second to last or a blob that is not last";
                    return Err(ReadError::malformed(start, message));
                }
            }
        }
        if fields.is_empty() && tail == Tail::Blob {
            return Err(ReadError::malformed(
                start,
                "an abbreviation that begins with a blob has no record code",
            ));
        }
        Ok(Abbreviation {
            plan: FieldSteps::new(&fields),
            fields,
            tail,
        })
    }
}

fn read_element(cursor: &mut Cursor<'_>) -> Result<Encoding, ReadError> {
    let start = cursor.position();
    match read_operand(cursor)? {
        Operand::Scalar(Encoding::Literal(_)) => {
            Err(ReadError::malformed(start, "an array whose elements take no bits"))
        }
        Operand::Scalar(encoding) => Ok(encoding),
        Operand::Array | Operand::Blob => Err(ReadError::malformed(start, "an array of arrays or blobs")),
    }
}

fn read_operand(cursor: &mut Cursor<'_>) -> Result<Operand, ReadError> {
    let start = cursor.position();
    let operand = if cursor.fixed(1) == 1 {
        Operand::Scalar(Encoding::Literal(cursor.vbr(8)))
    } else {
        match cursor.fixed(3) {
            1 => Operand::Scalar(scalar(cursor, start, 32, Encoding::Fixed)?),
            2 => Operand::Scalar(scalar(cursor, start, 32, Encoding::Vbr)?),
            3 => Operand::Array,
            4 => Operand::Scalar(Encoding::Char6),
            5 => Operand::Blob,
            other => {
                cursor.check()?;
                let message = format!("abbreviation encoding {other}; expected 1 (fixed) to 5 (blob)");
                return Err(ReadError::malformed(start, message));
            }
        }
    };
    cursor.check()?;
    Ok(operand)
}

/// A field whose width follows; one of width 0 is the literal 0, as LLVM reads it.
fn scalar(
    cursor: &mut Cursor<'_>,
    start: u64,
    widest: u64,
    encoding: fn(u8) -> Encoding,
) -> Result<Encoding, ReadError> {
    let width = cursor.vbr(5);
    cursor.check()?;
    match (width, encoding(0)) {
        (0, _) => Ok(Encoding::Literal(0)),
        (1, Encoding::Vbr(_)) => Err(ReadError::malformed(
            start,
            "a variable-width integer of one-bit chunks",
        )),
        _ if width <= widest => Ok(encoding(width as u8)),
        _ => Err(ReadError::malformed(
            start,
            format!("an abbreviation field of {width} bits; expected at most {widest}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits that four chunks and what is pushed together of them can have.
    const FOUR_CHUNKS: u64 = 0xff_ffff;

    #[test]
    fn constant_steps_are_those_of_their_encodings() {
        for (constant, width) in [(Step::VBR4, 4), (Step::VBR6, 6)] {
            let step = step_of(Encoding::Vbr(width)).unwrap();
            assert_eq!((constant.stops, constant.fixed), (step.stops, step.fixed));
            for (a, b) in constant.keep.iter().zip(step.keep) {
                assert_eq!(a & FOUR_CHUNKS, b & FOUR_CHUNKS);
            }
        }
    }

    #[test]
    fn steps_read_what_the_cursor_reads() {
        let bytes = 0x9ab1_c2f7_55e4_d3a8_u64.to_le_bytes();
        for width in 2..=14 {
            for start in 0..8 {
                let mut cursor = Cursor::new(&bytes);
                cursor.advance(start);
                let window = cursor.window();
                let (value, bits) = step_of(Encoding::Vbr(width)).unwrap().read(window);
                if bits <= 4 * u32::from(width) {
                    assert_eq!(value, cursor.vbr(u32::from(width)), "width {width}");
                    assert_eq!(cursor.position(), u64::from(start + bits));
                }
                let (value, bits) = step_of(Encoding::Fixed(width)).unwrap().read(window);
                assert_eq!((value, bits), (window & ((1 << width) - 1), u32::from(width)));
            }
        }
    }
}
