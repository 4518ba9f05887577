//! Progress of a comparison on standard error: which step of how many, and what it does.
//!
//! On a terminal a bar is shown, and gone at the end; elsewhere, if progress is asked for, each step is a line of a
//! log.
//! A step is one run of a compiler or of a program, for these are what takes long.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::Write;

/// Counts steps and shows them.
pub struct Progress {
    /// Draws nothing unless standard error is a terminal.
    bar: ProgressBar,
    is_log: bool,
}

impl Progress {
    /// Shows steps on standard error if that is a terminal, or if they are `wanted` in any case.
    pub fn new(wanted: bool) -> Progress {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{wide_msg} [{bar:30}] {pos}/{len}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Progress {
            is_log: wanted && bar.is_hidden(),
            bar,
        }
    }

    /// There are so many more steps than was known.
    pub fn expect(&mut self, steps: usize) {
        self.bar.inc_length(steps as u64);
    }

    /// A step begins.
    pub fn step(&mut self, what: &str) {
        self.bar.inc(1);
        self.bar.set_message(what.to_owned());
        if self.is_log {
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
            // A closed standard error is no reason to fail.
            let _ = writeln!(std::io::stderr(), "frazil compare: {done} of {all}: {what}");
        }
    }

    /// These steps are left out: what they need has failed.
    pub fn skip(&mut self, steps: usize) {
        self.bar.inc(steps as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_are_left_out_count() {
        let mut progress = Progress::new(false);
        progress.expect(4);
        progress.step("one");
        progress.skip(2);
        progress.step("two");
        assert_eq!((progress.bar.position(), progress.bar.length()), (4, Some(4)));
    }
}
