//! Does many jobs on all processors, with the threads of `rayon`.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::Result;
use rayon::prelude::*;

use crate::share::Share;

/// The results of `job` for all items, in their order. All are done, whatever becomes of any of them.
pub fn map<T: Sync, R: Send>(items: &[T], job: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    // Each for itself: jobs start programs, and take from a millisecond to minutes.
    items.par_iter().with_max_len(1).map(job).collect()
}

/// Calls `step` on all processors until it returns `false`, which says that nothing is left, or fails. What was begun
/// is done to its end; the result is the first failure.
pub fn repeat(step: impl Fn() -> Result<bool> + Sync) -> Result<()> {
    let is_over = AtomicBool::new(false);
    let work = || -> Result<()> {
        while !is_over.load(Ordering::Relaxed) {
            let goes_on = step();
            if !matches!(goes_on, Ok(true)) {
                is_over.store(true, Ordering::Relaxed);
            }
            goes_on?;
        }
        Ok(())
    };
    rayon::broadcast(|_| work()).into_iter().collect()
}

/// Does the jobs of a share of so many on all processors, by their numbers in its order, and says how many these were.
pub fn share(share: &Share, total: usize, job: impl Fn(usize) -> Result<()> + Sync) -> Result<usize> {
    let order = share.order(total);
    let next = AtomicUsize::new(0);
    repeat(|| {
        if !share.has_time() {
            return Ok(false);
        }
        let Some(&number) = order.get(next.fetch_add(1, Ordering::Relaxed)) else {
            return Ok(false);
        };
        job(number)?;
        Ok(true)
    })?;
    Ok(next.into_inner().min(total))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn steps_are_repeated_until_nothing_is_left() {
        let done = AtomicUsize::new(0);
        let step = |end: usize| {
            let number = done.fetch_add(1, Ordering::Relaxed);
            anyhow::ensure!(number != 100, "too far");
            Ok(number < end)
        };
        super::repeat(|| step(50)).unwrap();
        assert!(done.load(Ordering::Relaxed) >= 50);
        assert!(super::repeat(|| step(1000)).is_err());
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        let squares: Vec<u32> = items.iter().map(|item| item * item).collect();
        assert_eq!(super::map(&items, |item| item * item), squares);
        assert!(super::map(&[], |item: &u32| *item).is_empty());
    }
}
