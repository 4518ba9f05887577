//! Finding the bitstream in a file: magic number and wrapper header.
//!
//! A file is either a stream (magic `BC C0 DE`), or has a wrapper of five 32-bit words, little-endian, in front of
//! it: magic `0B17C0DE`, version, offset and size of the stream in bytes, processor. Anything else is refused by a
//! message that says what the file seems to be.

use crate::bitstream::cursor::Cursor;
use crate::error::{ReadError, ReadErrorKind};

const STREAM_MAGIC: [u8; 4] = [b'B', b'C', 0xc0, 0xde];
const WRAPPER_MAGIC: [u8; 4] = [0xde, 0xc0, 0x17, 0x0b];

/// A cursor after the magic number of the stream in `bytes`, confined to the stream.
///
/// # Errors
/// If the bytes are not bitcode, or a wrapper points outside them.
pub fn open(bytes: &[u8]) -> Result<Cursor<'_>, ReadError> {
    let cursor = Cursor::new(bytes);
    match bytes.first_chunk::<4>() {
        // LLVM asks for whole words of the file, wrapper and padding included.
        Some(&(STREAM_MAGIC | WRAPPER_MAGIC)) if !bytes.len().is_multiple_of(4) => {
            let message = format!("{} bytes of input; expected a multiple of 4", bytes.len());
            Err(ReadError::new(ReadErrorKind::Truncated, 0, message))
        }
        Some(&STREAM_MAGIC) => Ok(cursor.slice(32, cursor.end())),
        Some(&WRAPPER_MAGIC) => unwrap_stream(bytes, &cursor),
        Some(magic) => {
            let message = format!(
                "{}; expected LLVM bitcode, which begins with the bytes 42 43 c0 de",
                describe(magic)
            );
            Err(ReadError::new(ReadErrorKind::NotBitcode, 0, message))
        }
        None => {
            let message = format!("{} bytes of input; the magic number alone has 4", bytes.len());
            Err(ReadError::new(ReadErrorKind::NotBitcode, 0, message))
        }
    }
}

fn unwrap_stream<'a>(bytes: &'a [u8], cursor: &Cursor<'a>) -> Result<Cursor<'a>, ReadError> {
    let mut header = cursor.slice(64, 160);
    let offset = header.fixed(32);
    let size = header.fixed(32);
    header.fixed(32);
    header.check()?;
    let end = offset + size;
    if !offset.is_multiple_of(4) || end > bytes.len() as u64 {
        let message = format!(
            "the wrapper points at bytes {offset} to {end} of an input of {} bytes",
            bytes.len()
        );
        return Err(ReadError::new(ReadErrorKind::Truncated, 64, message));
    }
    let mut stream = cursor.slice(offset * 8, end * 8);
    let magic = stream.fixed(32) as u32;
    stream.check()?;
    if magic.to_le_bytes() != STREAM_MAGIC {
        let message = format!("the wrapper's stream begins with {magic:08x}; expected dec04342");
        return Err(ReadError::new(ReadErrorKind::NotBitcode, offset * 8, message));
    }
    Ok(stream)
}

fn describe(magic: &[u8; 4]) -> String {
    match magic {
        b"\x7fELF" => "the input is an ELF file".into(),
        b"!<ar" => "the input is an archive".into(),
        b"PEXE" => "the input is a PNaCl executable, which is not supported yet".into(),
        b"; Mo" | b"sour" | b"targ" | b"defi" => "the input seems to be LLVM IR as text".into(),
        [a, b, c, d] => format!("the input begins with the bytes {a:02x} {b:02x} {c:02x} {d:02x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(offset: u32, size: u32, stream: &[u8]) -> Vec<u8> {
        let mut bytes = WRAPPER_MAGIC.to_vec();
        for word in [0, offset, size, 7] {
            bytes.extend(u32::to_le_bytes(word));
        }
        bytes.extend(stream);
        bytes
    }

    #[test]
    fn a_wrapper_confines_the_stream() {
        let bytes = wrapped(20, 8, b"BC\xc0\xde\x01\x02\x03\x04trailing");
        let mut cursor = open(&bytes).unwrap();
        assert_eq!((cursor.position(), cursor.end()), (24 * 8, 28 * 8));
        assert_eq!(cursor.fixed(16), 0x0201);
    }

    #[test]
    fn a_wrapper_that_points_outside_is_refused() {
        let error = open(&wrapped(20, 900, b"BC\xc0\xde")).unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::Truncated);
    }

    #[test]
    fn parts_of_words_are_refused() {
        for bytes in [b"BC\xc0\xde\0".to_vec(), wrapped(20, 4, b"BC\xc0\xde\0\0")] {
            assert_eq!(open(&bytes).unwrap_err().kind(), ReadErrorKind::Truncated);
        }
    }

    #[test]
    fn other_files_are_named() {
        let error = open(b"\x7fELF\x02\x01").unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::NotBitcode);
        assert!(error.message().starts_with("the input is an ELF file"));
        assert_eq!(open(b"").unwrap_err().kind(), ReadErrorKind::NotBitcode);
    }
}
