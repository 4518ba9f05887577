//! A file in memory without a copy of it: its pages are those that the system keeps of the file anyway.
//!
//! The system reads a page when it is first looked at, and takes it back after [`Mapping::give_back`], which is what
//! keeps the memory of a run on a large module small: functions are read one after the other, and none twice but for
//! rare reasons. A page that is looked at again is read again.
//!
//! What this does not do: keep a file as it is. Whoever writes to it while it is compiled changes what is read (which
//! is checked like any input, and [`Mapping::is_unchanged`] tells), and whoever cuts it off ends the process by SIGBUS.
//! LLVM's tools map their inputs, too.

use rustix::fs::{Stat, fstat};
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::ptr;
use std::slice;

/// No page is smaller.
const PAGE_BYTES: usize = 4096;
/// Where the system keeps files in huge pages, looking at one byte brings one of these back, of which only a part is
/// given back later. The mapping asks for small ones, so that memory follows what is read.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// The contents of a file.
#[derive(Debug)]
pub struct Mapping {
    file: File,
    before: Stat,
    start: *const u8,
    bytes: usize,
}

#[expect(unsafe_code, reason = "the pages are only read, and by shared references")]
// SAFETY: nothing is changed through the address.
unsafe impl Send for Mapping {}
#[expect(unsafe_code, reason = "the pages are only read, and by shared references")]
// SAFETY: nothing is changed through the address.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps a regular file that is not empty.
    ///
    /// # Errors
    /// The operating system's.
    #[expect(unsafe_code, reason = "a mapping is an address")]
    pub fn new(file: File) -> io::Result<Mapping> {
        let before = fstat(&file)?;
        let bytes = usize::try_from(before.st_size).map_err(|_| io::ErrorKind::FileTooLarge)?;
        // SAFETY: the system chooses an address where nothing is.
        let start = unsafe { mmap(ptr::null_mut(), bytes, ProtFlags::READ, MapFlags::PRIVATE, &file, 0)? };
        if bytes >= HUGE_PAGE_BYTES {
            // SAFETY: as in `give_back`.
            let _ = unsafe { madvise(start, bytes, Advice::LinuxNoHugepage) };
        }
        Ok(Mapping {
            file,
            before,
            start: start.cast(),
            bytes,
        })
    }

    /// Lets the system have the memory of whole pages in a part of the file. Their contents stay what they are.
    #[expect(unsafe_code, reason = "advice on an address")]
    pub fn give_back(&self, part: Range<usize>) {
        let start = part.start.next_multiple_of(PAGE_BYTES);
        let end = part.end.min(self.bytes) / PAGE_BYTES * PAGE_BYTES;
        if start < end {
            // SAFETY: the pages are of this mapping, which is private and never written, so that they are read from the
            // file again. Where the advice is not taken, more memory is in use, and nothing else.
            let _ = unsafe {
                madvise(
                    self.start.add(start).cast_mut().cast(),
                    end - start,
                    Advice::LinuxDontNeed,
                )
            };
        }
    }

    /// Whether the file has the size and the time of its last change that it had when it was mapped.
    pub fn is_unchanged(&self) -> bool {
        let of = |stat: &Stat| (stat.st_size, stat.st_mtime, stat.st_mtime_nsec);
        fstat(&self.file).is_ok_and(|now| of(&now) == of(&self.before))
    }
}

impl Deref for Mapping {
    type Target = [u8];

    #[expect(unsafe_code, reason = "a mapping is an address")]
    fn deref(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped until this is dropped, and nobody writes to them here.
        unsafe { slice::from_raw_parts(self.start, self.bytes) }
    }
}

impl Drop for Mapping {
    #[expect(unsafe_code, reason = "a mapping is an address")]
    fn drop(&mut self) {
        // SAFETY: nobody has a reference into it any more.
        let _ = unsafe { munmap(self.start.cast_mut().cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn contents_stay_after_pages_are_given_back() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let contents: Vec<u8> = (0..PAGE_BYTES * 3 + 100).map(|place| (place / 7) as u8).collect();
        file.write_all(&contents).unwrap();
        let mapping = Mapping::new(file.reopen().unwrap()).unwrap();
        assert_eq!(&mapping[..], &contents);
        for part in [
            0..contents.len(),
            1..PAGE_BYTES,
            0..usize::MAX,
            PAGE_BYTES..PAGE_BYTES * 2,
            3..3,
        ] {
            mapping.give_back(part);
            assert_eq!(&mapping[..], &contents);
        }
        assert!(mapping.is_unchanged());
        file.write_all(b"more").unwrap();
        assert!(!mapping.is_unchanged());
    }
}
