//! A limit on the memory of the process (`--max-memory`), so that a compilation that needs more ends with an error and
//! without partial output, before the system ends it.
//!
//! Method: [`CountedHeap`] is the allocator of the commands. It hands everything on to the system's and, while there
//! is a limit, counts the bytes that are in use. The allocation that would pass the limit writes a message, removes the
//! files that are being written, and ends the process: there is no way back from an allocation that cannot be made.
//!
//! Without a limit an allocation costs one comparison more. What is not counted: the program's own code and data,
//! stacks, and what the allocator needs for itself; together about 10 MB.

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicIsize, Ordering};

/// No limit.
const UNLIMITED: isize = isize::MAX;

/// Bytes that may be in use.
static LIMIT_BYTES: AtomicIsize = AtomicIsize::new(UNLIMITED);

/// Bytes in use, of those allocations that were made or freed since there is a limit.
static USED_BYTES: AtomicIsize = AtomicIsize::new(0);

/// Files that are being written, and folders of them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The system's allocator, counted while there is a limit.
#[derive(Clone, Copy, Debug)]
pub struct CountedHeap;

#[expect(unsafe_code, reason = "an allocator has no safe interface")]
// SAFETY: every call is handed on to the system's allocator with the arguments that it came with; counting touches no
// memory of the heap.
unsafe impl GlobalAlloc for CountedHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, new_bytes: usize) -> *mut u8 {
        add(new_bytes as isize - layout.size() as isize);
        unsafe { System.realloc(place, layout, new_bytes) }
    }
}

#[inline]
fn add(bytes: isize) {
    if LIMIT_BYTES.load(Ordering::Relaxed) != UNLIMITED {
        count(bytes);
    }
}

#[cold]
fn count(bytes: isize) {
    let used = USED_BYTES.fetch_add(bytes, Ordering::Relaxed) + bytes;
    let limit = LIMIT_BYTES.load(Ordering::Relaxed);
    if bytes > 0 && used > limit {
        LIMIT_BYTES.store(UNLIMITED, Ordering::Relaxed);
        end(limit);
    }
}

/// Limits what the heap holds from now on. Returns `false` if the program's allocator is not [`CountedHeap`].
pub fn set(bytes: u64) -> bool {
    USED_BYTES.store(0, Ordering::Relaxed);
    LIMIT_BYTES.store(isize::try_from(bytes).unwrap_or(UNLIMITED - 1), Ordering::Relaxed);
    let probe = std::hint::black_box(Box::new(0_u64));
    let is_counted = USED_BYTES.load(Ordering::Relaxed) > 0;
    drop(probe);
    is_counted
}

/// Notes a file, or a folder, that must go away if the process ends early.
pub fn begin_file(path: &Path) {
    if let Ok(mut unfinished) = UNFINISHED.lock() {
        unfinished.push(path.to_owned());
    }
}

/// Removes what is being written: the process is about to end.
pub(crate) fn remove_unfinished() {
    // Whoever is at the list now holds a file that is about to begin or to end.
    if let Ok(unfinished) = UNFINISHED.try_lock() {
        for path in unfinished.iter() {
            // A file that is complete has another name by now. What cannot be removed now, nobody can.
            let removed = match path.is_dir() {
                true => std::fs::remove_dir_all(path),
                false => std::fs::remove_file(path),
            };
            drop(removed);
        }
    }
}

/// Ends the process with a message. There is no limit any more, so this may allocate memory.
#[cold]
fn end(limit_bytes: isize) -> ! {
    eprintln!(
        "frazil: error: compiling takes more memory than the {} that --max-memory allows: allow more, or use fewer \
         threads (--threads 0)",
        in_words(limit_bytes.unsigned_abs() as u64)
    );
    remove_unfinished();
    std::process::exit(1)
}

/// The units of sizes, from the largest.
const UNITS: [(char, u32); 3] = [('G', 30), ('M', 20), ('K', 10)];

/// A number of bytes as [`parse`] takes it.
fn in_words(bytes: u64) -> String {
    let unit = UNITS
        .iter()
        .find(|(_, log2)| bytes != 0 && bytes.is_multiple_of(1 << log2));
    match unit {
        Some((name, log2)) => format!("{}{name}", bytes >> log2),
        None => format!("{bytes} bytes"),
    }
}

/// Reads a size: a number of bytes, or of the unit that comes after it, `K`, `M` or `G`.
///
/// # Errors
/// When it is none, with what is expected.
pub fn parse(text: &str) -> Result<u64, String> {
    let unit = UNITS
        .iter()
        .find(|(name, _)| text.ends_with([*name, name.to_ascii_lowercase()]));
    let (number, log2) = match unit {
        Some((_, log2)) => (&text[..text.len() - 1], *log2),
        None => (text, 0),
    };
    let bytes = number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << log2));
    bytes
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| "expected a number of bytes, or one with K, M or G after it, such as 512M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{in_words, parse};

    #[test]
    fn sizes_are_read_as_they_are_written() {
        for (text, bytes) in [("512M", 512 << 20), ("2G", 2 << 30), ("3K", 3 << 10)] {
            assert_eq!(parse(text), Ok(bytes));
            assert_eq!(in_words(bytes), text);
        }
        assert_eq!(parse("12m"), Ok(12 << 20));
        assert_eq!(parse("1000"), Ok(1000));
        assert_eq!(in_words(1000), "1000 bytes");
        for wrong in ["", "M", "-1", "1T", "0", "99999999999G", "1.5M"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
