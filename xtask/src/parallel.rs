//! Does many jobs on all processors.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use anyhow::Result;

/// The results of `job` for all items, in their order. All are done, whatever becomes of any of them.
pub fn map<T: Sync, R: Send>(items: &[T], job: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { break };
                    let result = job(item);
                    let mut results = results.lock().expect("no job panics while it has the lock");
                    results.push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("all threads have ended");
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
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
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("no step panics"))
    })
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
