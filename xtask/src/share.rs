//! A share of a long suite: as many cases as there is time for, chosen by a seed.
//!
//! With `--minutes N`, the cases of a suite are made in an order that `--seed` decides, until the time is over; the
//! report says how many of how many were made. Without it, all are made in their own order. A case that was begun is
//! made to its end.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use frazil_test_support::Random;
use pico_args::Arguments;

/// How much of a suite is wanted.
#[derive(Debug)]
pub struct Share {
    limit: Option<Duration>,
    seed: u64,
    start: Instant,
}

impl Share {
    /// What `--minutes N` and `--seed N` ask for.
    pub fn from_arguments(arguments: &mut Arguments) -> Result<Share> {
        let minutes: Option<f64> = arguments.opt_value_from_str("--minutes")?;
        let is_duration = |minutes: f64| minutes > 0.0 && minutes.is_finite();
        ensure!(minutes.is_none_or(is_duration), "--minutes must be above 0");
        Ok(Share {
            limit: minutes.map(|minutes| Duration::from_secs_f64(minutes * 60.0)),
            seed: arguments.opt_value_from_str("--seed")?.unwrap_or(1),
            start: Instant::now(),
        })
    }

    /// The seed; 1 if there is none.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The time for all cases together, if it is limited.
    pub fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// Begins to count the time; what was made ready before is not the suite's.
    pub fn begin(&mut self) {
        self.start = Instant::now();
    }

    /// Whether there is time for another case.
    pub fn has_time(&self) -> bool {
        self.limit.is_none_or(|limit| self.start.elapsed() < limit)
    }

    /// The numbers of `total` cases in the order in which they are made.
    pub fn order(&self, total: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..total).collect();
        if self.limit.is_some() {
            Random::new(self.seed).shuffle(&mut order);
        }
        order
    }

    /// A line on how much was made.
    pub fn report(&self, what: &str, made: usize, total: usize) -> String {
        match self.limit {
            Some(limit) => format!(
                "ran {made} of {total} {what} in {:.0} of {:.0} seconds, seed {}",
                self.start.elapsed().as_secs_f64(),
                limit.as_secs_f64(),
                self.seed
            ),
            None => format!("ran {made} of {total} {what}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(words: &[&str]) -> Result<Share> {
        Share::from_arguments(&mut Arguments::from_vec(words.iter().map(Into::into).collect()))
    }

    #[test]
    fn everything_in_its_own_order_without_a_limit() {
        let share = share(&["--seed", "7"]).unwrap();
        assert_eq!(share.order(4), [0, 1, 2, 3]);
        assert!(share.has_time());
        assert_eq!(share.report("cases", 4, 4), "ran 4 of 4 cases");
    }

    #[test]
    fn the_seed_decides_what_is_made_within_a_limit() {
        let order = |seed: &str| share(&["--minutes", "1", "--seed", seed]).unwrap().order(50);
        let mut sorted = order("1");
        assert_ne!(sorted, order("2"));
        assert_eq!(sorted, order("1"));
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn time_comes_to_its_end() {
        let share = share(&["--minutes", "0.00001"]).unwrap();
        std::thread::sleep(Duration::from_millis(2));
        assert!(!share.has_time());
    }

    #[test]
    fn no_time_is_refused() {
        assert!(share(&["--minutes", "0"]).is_err());
        assert!(share(&["--minutes", "NaN"]).is_err());
    }
}
