//! What stands before the bitstream: a mark, and fields of which the version of the ABI is the only one that is known.

use crate::error::{ReadError, ReadErrorKind};
use frazil_ir::Refusal;

/// How the files begin.
const MARK: &[u8] = b"PEXE";

/// Bytes before the fields.
const FIXED_BYTES: usize = 8;

/// The only version of the ABI that is read; 1 was never frozen.
const VERSION: u32 = 2;

/// A field's tag and type: the version of the ABI, a number of 32 bits.
const VERSION_FIELD: u16 = 1 << 4 | 1;
/// Records end at whole bytes.
const ALIGNED_FIELD: u16 = 2 << 4 | 2;

/// Whether a file is one of PNaCl's executables.
pub fn is_pexe(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK)
}

fn half_word(bytes: &[u8], place: usize) -> Result<u16, ReadError> {
    let found = bytes.get(place..).and_then(|rest| rest.first_chunk::<2>());
    found
        .map(|bytes| u16::from_le_bytes(*bytes))
        .ok_or_else(|| cut_off(bytes))
}

#[cold]
fn cut_off(bytes: &[u8]) -> ReadError {
    let message = format!("the file ends in its header, after {} bytes", bytes.len());
    ReadError::new(ReadErrorKind::Truncated, 8 * bytes.len() as u64, message)
}

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The byte at which the bitstream begins.
    pub end: usize,
    /// Whether records and definitions of abbreviations end at whole bytes.
    pub pads_records: bool,
}

/// Checks the header.
///
/// # Errors
/// If there is none, or it is of another version.
pub(super) fn read(bytes: &[u8]) -> Result<Header, ReadError> {
    if !is_pexe(bytes) {
        let message = "the input does not begin as a PNaCl executable does, with PEXE";
        return Err(ReadError::new(ReadErrorKind::NotBitcode, 0, message));
    }
    let (fields, field_bytes) = (half_word(bytes, 4)?, usize::from(half_word(bytes, 6)?));
    let end = FIXED_BYTES + field_bytes;
    let (mut place, mut version, mut pads_records) = (FIXED_BYTES, None, false);
    for _ in 0..fields {
        let at = 8 * place as u64;
        let (kind, length) = (half_word(bytes, place)?, usize::from(half_word(bytes, place + 2)?));
        let data = bytes.get(place + 4..place + 4 + length).ok_or_else(|| cut_off(bytes))?;
        match (kind, data) {
            (VERSION_FIELD, &[a, b, c, d]) if version.is_none() => {
                version = Some((at, u32::from_le_bytes([a, b, c, d])))
            }
            (ALIGNED_FIELD, []) if !pads_records => pads_records = true,
            _ => {
                let message =
                    format!("field {kind:#x} of {length} bytes in the header; expected the version of the ABI");
                return Err(ReadError::malformed(at, message));
            }
        }
        place += 4 + length.next_multiple_of(4);
    }
    if place != end {
        let message = format!("the fields of the header end at byte {place}; expected {end}, as the header says");
        return Err(ReadError::malformed(8 * place as u64, message));
    }
    match version {
        Some((_, VERSION)) if end.is_multiple_of(4) => Ok(Header { end, pads_records }),
        Some((at, VERSION)) => Err(ReadError::malformed(at, "the header is no multiple of 4 bytes long")),
        Some((at, other)) => {
            let message = format!("a PNaCl executable of version {other} of the ABI; expected version {VERSION}");
            Err(ReadError::unsupported(Refusal::Instruction, at, message))
        }
        None => Err(ReadError::malformed(
            64,
            "the header does not name the version of the ABI",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: [u8; 16] = *b"PEXE\x01\0\x08\0\x11\0\x04\0\x02\0\0\0";

    #[test]
    fn the_usual_header_is_read_and_others_are_refused() {
        let plain = Header {
            end: 16,
            pads_records: false,
        };
        assert_eq!(read(&HEADER).ok(), Some(plain));
        let padded = b"PEXE\x02\0\x0c\0\x11\0\x04\0\x02\0\0\0\x22\0\0\0";
        let header = read(padded).ok();
        assert_eq!(header.map(|header| (header.end, header.pads_records)), Some((20, true)));
        let twice = b"PEXE\x03\0\x10\0\x11\0\x04\0\x02\0\0\0\x22\0\0\0\x22\0\0\0";
        assert!(read(twice).is_err());
        for length in 0..16 {
            assert!(read(&HEADER[..length]).is_err(), "{length}");
        }
        for (place, byte) in [(0, 0x42), (4, 2), (6, 12), (8, 0x21), (10, 8), (12, 1)] {
            let mut header = HEADER.to_vec();
            header[place] = byte;
            header.extend([0; 16]);
            assert!(read(&header).is_err(), "{place}");
        }
    }
}
