//! The heap of the process, made ready for a compilation: taken in one piece that the kernel may back with huge pages.
//!
//! Method: each page of 4 kB is a fault of its own when it is first touched; measured on virtual machines, 2.5 to 6
//! microseconds each. So the kernel is asked at once for the pages of heap and stack that every run touches, which is a
//! tenth of the shortest one. Before a larger input is compiled, the C library's heap grows once, by what compiling an
//! input of this size takes, and the kernel is told that huge pages are welcome there: faults made 7 % of the run of
//! the compiler. The heap is address space only until it is touched, so that a generous estimate costs nothing.
//!
//! What it does not do: anything for inputs so small that clearing one huge page would cost more than the faults; for
//! other C libraries than glibc; for a program that has this crate as a library. Where the kernel gives no huge pages,
//! or no memory, everything is as before.

/// Clearing one huge page costs as much as a hundred faults, which smaller inputs do not have.
const SMALLEST_INPUT_BYTES: u64 = 32 << 10;

/// Has the kernel give the pages that every run touches. Call it once, first of all.
pub fn begin() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::begin();
}

/// Makes the heap ready to compile an input of this size. Call it once, before the input is read.
pub fn prepare(input_bytes: u64) {
    if input_bytes >= SMALLEST_INPUT_BYTES {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        glibc::prepare(input_bytes);
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    use std::ffi::c_int;
    use std::ptr;

    /// How much of the heap that the C library begins with is touched by the shortest run; it must be in one piece.
    const BEGIN_HEAP_BYTES: usize = 112 << 10;
    /// How much of the stack is touched. The kernel begins a stack with twice as much.
    const BEGIN_STACK_BYTES: usize = 56 << 10;
    /// The smallest page of the machines that Frazil runs on.
    const PAGE_BYTES: usize = 4 << 10;

    /// Heap for each byte of bitcode, more than any module of the corpus takes.
    const HEAP_PER_INPUT_BYTE: u64 = 16;
    /// Address space to take at least, and at most.
    const HEAP_BYTES: (u64, u64) = (8 << 20, 512 << 20);
    /// Bytes by which the heap grows when that was too little.
    const GROWTH_BYTES: c_int = 1 << 20;
    /// Larger pieces are mapped each on its own. The default is smaller than sections become, and what is unmapped and
    /// mapped again must be cleared again.
    const MAPPED_BYTES: c_int = 32 << 20;
    /// What huge pages are aligned to, on the machines that this is measured on.
    const HUGE_PAGE_BYTES: usize = 2 << 20;
    /// The heap goes on this far before a huge page, so that small modules need none.
    const SMALL_PAGES_BYTES: usize = 512 << 10;
    /// How much of these small pages is touched at least, for each byte of bitcode: the kernel is asked for it at once.
    const TOUCHED_PER_INPUT_BYTE: usize = 4;
    /// A first piece. No room is left for it in the heap that the process began with, and what the allocator notes at
    /// its ends stands before the first huge page: a page that is touched before it may be huge stays small.
    const FIRST_PIECE_BYTES: usize = SMALL_PAGES_BYTES / 2;

    pub(super) fn begin() {
        let mut heap = Vec::<u8>::new();
        if heap.try_reserve_exact(std::hint::black_box(BEGIN_HEAP_BYTES)).is_ok() {
            touch(heap.as_ptr().addr(), BEGIN_HEAP_BYTES);
        }
        let here = (&raw const heap).addr();
        touch(here - BEGIN_STACK_BYTES, BEGIN_STACK_BYTES);
    }

    /// Has the kernel give the pages of a range. One that cannot is not asked again: they come when they are touched.
    #[expect(unsafe_code, reason = "pages have no safe interface")]
    fn touch(start: usize, bytes: usize) {
        let end = (start + bytes) & !(PAGE_BYTES - 1);
        let start = start.next_multiple_of(PAGE_BYTES);
        // SAFETY: whether the pages of a range are there changes nothing of what they hold, whoever they belong to.
        unsafe {
            libc::madvise(
                ptr::without_provenance_mut(start),
                end.saturating_sub(start),
                libc::MADV_POPULATE_WRITE,
            );
        }
    }

    #[expect(unsafe_code, reason = "the C library's allocator has no safe interface")]
    pub(super) fn prepare(input_bytes: u64) {
        let (least, most) = HEAP_BYTES;
        let heap_bytes = input_bytes.saturating_mul(HEAP_PER_INPUT_BYTE).clamp(least, most) as c_int;
        // SAFETY: `mallopt` may be called at any time from a single thread, and no other one runs yet. `sbrk` tells
        // where the heap ends, and takes room that nobody uses, so that what comes after it is aligned: the allocator
        // expects that others move the end. `MADV_HUGEPAGE` changes what backs the pages, never what they hold; the
        // range is what the heap has just grown by.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_BYTES);
            // Threads would have heaps of small pages, each of which grows by a call of the system.
            libc::mallopt(libc::M_ARENA_MAX, 1);
            libc::mallopt(libc::M_TRIM_THRESHOLD, c_int::MAX);
            libc::mallopt(libc::M_TOP_PAD, heap_bytes);
            let end = libc::sbrk(0).addr() + SMALL_PAGES_BYTES;
            libc::sbrk((end.next_multiple_of(HUGE_PAGE_BYTES) - end) as isize);
            let begin = libc::sbrk(0);
            let mut first = Vec::<u8>::new();
            let has_grown = first.try_reserve_exact(std::hint::black_box(FIRST_PIECE_BYTES)).is_ok();
            let bytes = libc::sbrk(0).addr().saturating_sub(begin.addr());
            libc::mallopt(libc::M_TOP_PAD, GROWTH_BYTES);
            if has_grown && bytes > 0 {
                libc::madvise(begin, bytes, libc::MADV_HUGEPAGE);
                let touched = (input_bytes as usize).saturating_mul(TOUCHED_PER_INPUT_BYTE);
                touch(begin.addr(), touched.min(SMALL_PAGES_BYTES));
            }
        }
    }
}
