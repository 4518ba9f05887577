//! Looks into files that are to be linked: is there bitcode in them?

use object::read::archive::ArchiveFile;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// How bitcode begins.
const BITCODE: &[u8] = b"BC\xc0\xde";
/// How an object file begins.
const OBJECT: &[u8] = b"\x7fELF";
/// How an archive begins.
const ARCHIVE: &[u8] = b"!<arch>\n";

/// A file among those to link.
pub enum Input {
    /// Nothing to do for it; perhaps no file at all.
    Other,
    Bitcode(Vec<u8>),
    /// An archive in which there is bitcode, with all members that are code.
    Archive(Vec<Member>),
}

/// A member of an archive.
pub struct Member {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Member {
    /// Whether it is a module to compile.
    pub fn is_bitcode(&self) -> bool {
        self.bytes.starts_with(BITCODE)
    }
}

/// Looks into a file. What cannot be opened is left to the linker, which has better messages.
///
/// # Errors
/// When the file, or the archive that it begins like, cannot be read.
pub fn read(path: &Path) -> io::Result<Input> {
    let mut beginning = Vec::new();
    let Ok(file) = File::open(path) else {
        return Ok(Input::Other);
    };
    if !file.metadata()?.is_file() {
        return Ok(Input::Other);
    }
    file.take(ARCHIVE.len() as u64).read_to_end(&mut beginning)?;
    if beginning.starts_with(BITCODE) {
        return fs::read(path).map(Input::Bitcode);
    }
    if beginning != ARCHIVE {
        return Ok(Input::Other);
    }
    let bytes = fs::read(path)?;
    let members = members(&bytes);
    let members = members.map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    Ok(match members.iter().any(Member::is_bitcode) {
        true => Input::Archive(members),
        false => Input::Other,
    })
}

/// The members that are code. rustc keeps what it knows about a crate as a member, too, which linkers do not need.
fn members(bytes: &[u8]) -> object::read::Result<Vec<Member>> {
    let mut members = Vec::new();
    for member in ArchiveFile::parse(bytes)?.members() {
        let member = member?;
        let data = member.data(bytes)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        if data.starts_with(BITCODE) || (data.starts_with(OBJECT) && !name.ends_with(".rmeta")) {
            members.push(Member {
                name,
                bytes: data.to_vec(),
            });
        }
    }
    Ok(members)
}
