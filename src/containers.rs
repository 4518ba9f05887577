//! Files that hold modules of bitcode among other things: archives, objects with bitcode beside their code, and files
//! of several modules. Each module in them is compiled like the only module of a file.
//!
//! * An archive (`ar`, thin ones too) has members, each with a module or in turn an object with some. A member without
//!   any is refused by its name.
//! * An ELF file has modules in the sections `.llvm.lto` (clang's `-ffat-lto-objects`) or `.llvmbc`
//!   (`-fembed-bitcode`). Linkers have put those of several files one behind the other.
//! * A file of bitcode may have several modules, which share a table of strings (`llvm-cat`) or have their own
//!   (`llvm-cat -b`).
//!
//! Where there is one module, the output is named as for any other input. Several need a folder: a member's output is
//! named after the member, and of several modules of one file or member after it and a number.
//!
//! Only the outline of files is looked at here: what is wrong inside, their reader says. The ranges that are found are
//! numbers of an untrusted file, looked up with checks in what is read later.

use crate::contents::{self, Contents};
use crate::diagnostics::{Error, Stage};
use crate::input::is_standard_stream;
use crate::options::{Arguments, Emit, Job, named_after};
use crate::part::Part;
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};
use std::cell::Cell;
use std::ffi::OsStr;
use std::fs::File;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A module that was found.
struct Found {
    /// The file, if it is another one: that of a member of a thin archive.
    file: Option<PathBuf>,
    part: Part,
}

impl From<Part> for Found {
    fn from(part: Part) -> Found {
        Found { file: None, part }
    }
}

/// Makes a job for each module of the inputs of jobs.
///
/// # Errors
/// When several modules have one output.
pub(crate) fn expand(jobs: Vec<Job>, arguments: &Arguments, emit: Emit) -> Result<Vec<Job>, Error> {
    let mut expanded = Vec::with_capacity(jobs.len());
    for job in jobs {
        let found = match is_standard_stream(&job.input) {
            true => Vec::new(),
            false => find(&job.input),
        };
        match <[Found; 1]>::try_from(found) {
            Ok([only]) => expanded.push(named(&job, only, arguments, emit)),
            Err(none) if none.is_empty() => expanded.push(job),
            Err(several) => {
                let writes = emit != Emit::Null && arguments.list_unsupported.is_none();
                if writes && arguments.output_folder().is_none() {
                    return Err(needs_folder(&job, several.len(), arguments));
                }
                let each = several.into_iter().map(|found| named(&job, found, arguments, emit));
                expanded.extend(each);
            }
        }
    }
    Ok(expanded)
}

fn needs_folder(job: &Job, count: usize, arguments: &Arguments) -> Error {
    let input = job.input.display();
    Error::new(
        Stage::Options,
        match &arguments.output {
            Some(output) => format!(
                "-o {}: the {count} modules of {input} need a folder for their outputs, whose name ends with /",
                output.display()
            ),
            None => format!("{input} has {count} modules: name a folder for their outputs, as -o FOLDER/"),
        },
    )
}

/// The job of a module of another job's input.
fn named(job: &Job, found: Found, arguments: &Arguments, emit: Emit) -> Job {
    let part = found.part;
    let output = match arguments.output_folder() {
        Some(folder) if emit != Emit::Null => {
            let member = part.path_in(found.file.as_deref().unwrap_or(&job.input));
            // An output may be called like the member: they are in different places.
            let name = match named_after(&member, emit, arguments.personality) {
                name if is_standard_stream(&name) => member,
                name => name,
            };
            let name = folder.join(name.file_name().unwrap_or_default());
            match part.ordinal {
                Some(ordinal) => numbered(&name, ordinal),
                None => name,
            }
        }
        _ => job.output.clone(),
    };
    Job {
        input: found.file.unwrap_or_else(|| job.input.clone()),
        output,
        part,
    }
}

/// A path with a number before the ending of its name.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let ending = path.extension().unwrap_or_default().to_owned();
    path.with_extension(number.to_string()).with_added_extension(ending)
}

/// The part of an input that a job means; of standard input, which was not looked at before, the only module.
///
/// # Errors
/// If standard input has several.
pub(crate) fn part_of(job: &Job, contents: &Contents) -> Result<Part, Error> {
    if !is_standard_stream(&job.input) || !job.part.is_whole() {
        return Ok(job.part.clone());
    }
    let mut found = find_in(contents, None);
    match found.len() {
        0 => Ok(Part::default()),
        1 if found.iter().all(|found| found.file.is_none()) => Ok(found.remove(0).part),
        count => {
            let message =
                format!("standard input has {count} modules: name it as a file, with a folder for the outputs");
            Err(Error::new(Stage::Options, message))
        }
    }
}

/// The modules of a file, if it is a container. Of files of bitcode, only the outermost blocks are looked at.
fn find(path: &Path) -> Vec<Found> {
    // Whoever compiles it says why it cannot be read.
    let Ok(file) = File::open(path) else { return Vec::new() };
    let Ok(metadata) = file.metadata() else {
        return Vec::new();
    };
    let mut magic = [0; MAGIC_BYTES];
    if !metadata.is_file() || file.read_exact_at(&mut magic, 0).is_err() {
        return Vec::new();
    }
    if magic.starts_with(STREAM) {
        let blocks = Cell::new(0);
        let read = |place: u64| {
            let mut bytes = [0; WORD_PAIR];
            blocks.set(blocks.get() + 1);
            let is_read = blocks.get() <= FEW_BLOCKS && file.read_exact_at(&mut bytes, place).is_ok();
            is_read.then_some(bytes)
        };
        let only = stream(0, STREAM.len() as u64, metadata.len(), &read);
        if only.modules <= 1 && only.range.end == metadata.len() && blocks.get() <= FEW_BLOCKS {
            return Vec::new();
        }
    } else if !is_container(&magic) {
        return Vec::new();
    }
    match contents::open(path) {
        Ok(contents) => find_in(&contents, Some(path)),
        Err(_) => Vec::new(),
    }
}

/// So many blocks are looked for before a file is opened for more: LLVM writes four.
const FEW_BLOCKS: u32 = 16;

/// How many modules a file may have.
const MOST_MODULES: usize = 1 << 16;

const MAGIC_BYTES: usize = 8;
const STREAM: &[u8] = b"BC\xc0\xde";
const WRAPPER: &[u8] = b"\xde\xc0\x17\x0b";
const ELF: &[u8] = b"\x7fELF";
const ARCHIVES: [&[u8]; 2] = [b"!<arch>\n", b"!<thin>\n"];

fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(ELF) || is_archive(bytes)
}

fn is_archive(bytes: &[u8]) -> bool {
    ARCHIVES.iter().any(|magic| bytes.starts_with(magic))
}

/// The modules of the contents of a file, which may have a path.
fn find_in(bytes: &[u8], path: Option<&Path>) -> Vec<Found> {
    match is_archive(bytes) {
        true => members(bytes, path),
        false => modules(bytes).into_iter().map(Found::from).collect(),
    }
}

/// The modules of what is no archive; nothing if it is the only one.
fn modules(bytes: &[u8]) -> Vec<Part> {
    if bytes.starts_with(ELF) {
        return of_object(bytes);
    }
    let read = |place: u64| {
        let start = usize::try_from(place).ok()?;
        bytes.get(start..start.checked_add(WORD_PAIR)?)?.try_into().ok()
    };
    several(bytes.len() as u64, &read)
}

/// The modules of all members of an archive.
fn members(bytes: &[u8], path: Option<&Path>) -> Vec<Found> {
    let refused = |message: String| vec![Found::from(Part::refused(message))];
    let archive = match ArchiveFile::parse(bytes) {
        Ok(archive) => archive,
        Err(error) => return refused(format!("the archive is damaged: {error}")),
    };
    let mut found: Vec<Found> = Vec::new();
    for member in archive.members() {
        if found.len() > MOST_MODULES {
            return refused(format!("an archive of more than {MOST_MODULES} modules"));
        }
        let member = match member {
            Ok(member) => member,
            Err(error) => {
                found.push(Part::refused(format!("the archive is damaged: {error}")).into());
                break;
            }
        };
        let name = Path::new(OsStr::from_bytes(member.name()));
        if name.file_name().is_none() {
            let message = format!(
                "the archive has a member whose name, {:?}, is none of a file",
                name.display().to_string()
            );
            found.push(Part::refused(message).into());
            continue;
        }
        if member.is_thin() {
            let Some(path) = path else {
                let message = "the input is a thin archive, which only names its members: name it as a file";
                return refused(message.to_owned());
            };
            found.extend(member_file(&path.with_file_name("").join(name)));
            continue;
        }
        let (start, length) = member.file_range();
        match member.data(bytes) {
            Ok(data) => found.extend(of_member(data, name, start, length)),
            Err(error) => found.push(Part::refused(format!("the archive is damaged: {error}")).into()),
        }
    }
    match found.is_empty() {
        true => refused("the archive has no members".to_owned()),
        false => found,
    }
}

/// The modules of a member that stands in the archive.
fn of_member(data: &[u8], name: &Path, start: u64, length: u64) -> Vec<Found> {
    let parts = match modules(data) {
        parts if parts.is_empty() => vec![Part::default()],
        parts => parts,
    };
    let parts = parts.into_iter();
    parts.map(|part| part.within(name, start, length).into()).collect()
}

/// The modules of a member that is a file of its own.
fn member_file(path: &Path) -> Vec<Found> {
    let parts = match contents::open(path) {
        Ok(contents) => modules(&contents),
        Err(_) => Vec::new(),
    };
    let parts = match parts.is_empty() {
        true => vec![Part::default()],
        false => parts,
    };
    let with_path = |part| Found {
        file: Some(path.to_owned()),
        part,
    };
    parts.into_iter().map(with_path).collect()
}

/// The sections of objects that hold bitcode: those of the first name that is there.
const SECTIONS: [&str; 2] = [".llvm.lto", ".llvmbc"];

/// The modules of an ELF file; nothing if it has no bitcode.
fn of_object(bytes: &[u8]) -> Vec<Part> {
    // Without sections, it is told what kind of file it is.
    let Ok(object) = object::File::parse(bytes) else {
        return Vec::new();
    };
    for wanted in SECTIONS {
        let mut found = Vec::new();
        let mut is_there = false;
        for section in object.sections().filter(|section| section.name() == Ok(wanted)) {
            is_there = true;
            let (Ok(data), Some((start, _))) = (section.data(), section.file_range()) else {
                return vec![Part::refused(format!(
                    "the object's section {wanted} is not in the file"
                ))];
            };
            let streams = streams(data.len() as u64, &|place| {
                let place = usize::try_from(place).ok()?;
                data.get(place..place.checked_add(WORD_PAIR)?)?.try_into().ok()
            });
            found.extend(parts_of(streams, start));
        }
        number(&mut found);
        if found.is_empty() && is_there {
            let message = format!("the object's section {wanted} has no bitcode, only its place is marked");
            return vec![Part::refused(message)];
        }
        if is_there {
            return found;
        }
    }
    Vec::new()
}

const WORD_PAIR: usize = 8;

/// Reads two words at a place.
type Read<'r> = &'r dyn Fn(u64) -> Option<[u8; WORD_PAIR]>;

/// A stream of bitcode among others.
struct Stream {
    range: Range<u64>,
    modules: usize,
}

impl Stream {
    /// Its modules, in a file in which it stands `offset` bytes later.
    fn parts(self, offset: u64) -> Vec<Part> {
        let range = self.range.start.saturating_add(offset)..self.range.end.saturating_add(offset);
        match self.modules {
            0 => Vec::new(),
            1 => vec![Part::of(range)],
            several => (0..several)
                .map(|number| Part {
                    number: Some(number),
                    ..Part::of(range.clone())
                })
                .collect(),
        }
    }
}

/// The modules of streams, in a file in which they stand `offset` bytes later.
fn parts_of(streams: Vec<Stream>, offset: u64) -> Vec<Part> {
    let modules: usize = streams.iter().map(|stream| stream.modules).sum();
    if modules > MOST_MODULES {
        return vec![Part::refused(format!(
            "{modules} modules in a file; at most {MOST_MODULES} are taken"
        ))];
    }
    let mut parts = streams
        .into_iter()
        .flat_map(|stream| stream.parts(offset))
        .collect::<Vec<Part>>();
    number(&mut parts);
    parts
}

/// Numbers the modules of a file or member, if there are several.
fn number(parts: &mut [Part]) {
    if parts.len() > 1 {
        let parts = parts.iter_mut().enumerate();
        parts.for_each(|(number, part)| part.ordinal = Some(number));
    }
}

/// The modules of a file of bitcode, if there are several.
fn several(length: u64, read: Read<'_>) -> Vec<Part> {
    let found = streams(length, read);
    match found.iter().map(|stream| stream.modules).sum::<usize>() {
        ..=1 => Vec::new(),
        _ => {
            let is_alone = found.len() == 1;
            let mut parts = parts_of(found, 0);
            if is_alone {
                parts.iter_mut().for_each(|part| part.range = None);
            }
            parts
        }
    }
}

/// The streams that stand one behind the other, with nothing but zeros between them.
fn streams(length: u64, read: Read<'_>) -> Vec<Stream> {
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(bytes) = read(place) {
        if bytes.starts_with(STREAM) || bytes.starts_with(WRAPPER) {
            let stream = match bytes.starts_with(STREAM) {
                true => stream(place, place + 4, length, read),
                false => wrapped(place, length, read),
            };
            place = stream.range.end;
            if stream.modules > 0 {
                found.push(stream);
            }
        } else if bytes[..4] == [0; 4] {
            place += 4;
        } else {
            break;
        }
    }
    found
}

fn words(bytes: [u8; WORD_PAIR]) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = bytes;
    (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
}

/// A stream that begins at `start`, with its first block at `first`: it ends where no block begins.
fn stream(start: u64, first: u64, length: u64, read: Read<'_>) -> Stream {
    const ENTER_BLOCK: u32 = 1;
    const MODULE: u32 = 8;
    let (mut place, mut modules) = (first, 0);
    loop {
        let Some((head, size)) = read(place).map(words) else {
            // Less than a block is padding.
            return Stream {
                range: start..length,
                modules,
            };
        };
        if head & 3 != ENTER_BLOCK {
            return Stream {
                range: start..place,
                modules,
            };
        }
        if head >> 2 & 0xff == MODULE {
            modules += 1;
        }
        place = (place + WORD_PAIR as u64).saturating_add(4 * u64::from(size));
        if place > length {
            return Stream {
                range: start..length,
                modules,
            };
        }
    }
}

/// A stream in a wrapper that begins at `start`: the header says where it is, and how long.
fn wrapped(start: u64, length: u64, read: Read<'_>) -> Stream {
    let place = read(start + 8).map(words);
    let (offset, size) = place.map_or((0, 0), |(offset, size)| (u64::from(offset), u64::from(size)));
    let inner = stream(start, start + offset + 4, length, read);
    let end = (start + offset + size)
        .next_multiple_of(4)
        .clamp(start + WORD_PAIR as u64, length.max(start + 8));
    Stream {
        range: start..end,
        modules: inner.modules,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(bytes: &[u8]) -> Vec<(Option<Range<u64>>, Option<usize>)> {
        let parts = modules(bytes).into_iter();
        parts.map(|part| (part.range, part.number)).collect()
    }

    /// A stream of blocks with these numbers, each with a word of contents.
    fn bitcode(blocks: &[u32]) -> Vec<u8> {
        let mut bytes = STREAM.to_vec();
        for block in blocks {
            for word in [block << 2 | 1, 1, 0] {
                bytes.extend(u32::to_le_bytes(word));
            }
        }
        bytes
    }

    #[test]
    fn modules_of_a_stream_are_counted() {
        assert_eq!(found(&bitcode(&[13, 8, 23])), []);
        assert_eq!(found(&bitcode(&[13, 8, 13, 8, 23])), [(None, Some(0)), (None, Some(1))]);
    }

    #[test]
    fn streams_behind_each_other_are_told_apart() {
        let (one, two) = (bitcode(&[8]), bitcode(&[8, 8]));
        let both = [&one[..], &[0; 8], &two].concat();
        let second = 24..24 + two.len() as u64;
        assert_eq!(
            found(&both),
            [
                (Some(0..16), None),
                (Some(second.clone()), Some(0)),
                (Some(second), Some(1))
            ]
        );
        let mut wrapper = WRAPPER.to_vec();
        for word in [0, 20, 16, 7] {
            wrapper.extend(u32::to_le_bytes(word));
        }
        let both = [&wrapper, &one[..], &one].concat();
        assert_eq!(found(&both), [(Some(0..36), None), (Some(36..52), None)]);
    }

    #[test]
    fn lengths_beyond_the_file_end_with_it() {
        let mut cut = bitcode(&[8]);
        let length = cut.len() as u64;
        cut[8..12].fill(0xff);
        let more = [&bitcode(&[8])[..], &cut].concat();
        assert_eq!(found(&more), [(Some(0..16), None), (Some(16..16 + length), None)]);
        let part = Part::of(5..900);
        assert!(part.range(100).is_err());
        assert_eq!(part.range(900).expect("it is there"), Some(5..900));
    }
}
