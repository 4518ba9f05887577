//! Times and counts of a compilation.

use frazil_codegen::CompiledFunction;
use frazil_ir::Function;
use std::fmt::Write;
use std::time::Duration;

/// A stopwatch that costs nothing when nobody asked for times.
///
/// It measures the processor time of its thread and not the time of day: other programs on the machine do not count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Option<Duration>);

impl Clock {
    /// Starts, or not.
    #[inline]
    pub fn start(measure: bool) -> Clock {
        Clock(measure.then(processor_time))
    }

    /// The time since the start; zero if it was not started.
    #[inline]
    pub fn elapsed(self) -> Duration {
        self.0
            .map_or(Duration::ZERO, |start| processor_time().saturating_sub(start))
    }

    /// Adds the time since the start to `total` and starts again.
    #[inline]
    pub fn lap(&mut self, total: &mut Duration) {
        if let Some(start) = &mut self.0 {
            let now = processor_time();
            *total += now.saturating_sub(*start);
            *start = now;
        }
    }
}

/// What this thread has used of a processor so far.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap_or_default(),
        time.tv_nsec.try_into().unwrap_or_default(),
    )
}

/// Processor time by stage; all zero unless [`crate::Options::measure`] is set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Reading the input and making the intermediate representation.
    pub read: Duration,
    /// Changing the intermediate representation.
    pub optimize: Duration,
    /// Making machine code.
    pub compile: Duration,
    /// Making and writing the output.
    pub write: Duration,
}

/// What was compiled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Functions with bodies.
    pub functions: u64,
    /// Basic blocks.
    pub blocks: u64,
    /// Instructions of the intermediate representation.
    pub instructions: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Relocations in machine code, before the writer resolves some.
    pub relocations: u64,
    /// The largest frame of a function in bytes.
    pub largest_frame_bytes: u64,
}

/// How a compilation went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// Times.
    pub times: Times,
    /// Counts.
    pub counts: Counts,
}

impl Report {
    /// Counts a function that was read.
    pub(crate) fn count(&mut self, function: &Function) {
        let counts = &mut self.counts;
        counts.functions += 1;
        counts.blocks += function.blocks.len() as u64;
        counts.instructions += function.insts.len() as u64;
    }

    /// Counts the code of a function.
    pub(crate) fn count_code(&mut self, code: &CompiledFunction) {
        let counts = &mut self.counts;
        counts.code_bytes += code.len() as u64;
        counts.relocations += (code.prologue.relocs.len() + code.body.relocs.len()) as u64;
        counts.largest_frame_bytes = counts.largest_frame_bytes.max(code.frame_bytes.into());
    }

    /// The times as a table.
    pub fn times_text(&self) -> String {
        let Times {
            read,
            optimize,
            compile,
            write,
        } = self.times;
        let rows = [
            ("read", read),
            ("optimize", optimize),
            ("compile", compile),
            ("write", write),
            ("total", read + optimize + compile + write),
        ];
        let mut text = String::from("stage            ms   ns/instruction\n");
        for (name, time) in rows {
            let per_instruction = time.as_nanos() as f64 / self.counts.instructions.max(1) as f64;
            let milliseconds = time.as_secs_f64() * 1e3;
            writeln!(text, "{name:<10} {milliseconds:>8.3} {per_instruction:>16.1}").expect("strings can be written");
        }
        text
    }

    /// The counts as a table.
    pub fn counts_text(&self) -> String {
        let counts = &self.counts;
        let rows = [
            ("functions", counts.functions),
            ("blocks", counts.blocks),
            ("instructions", counts.instructions),
            ("code bytes", counts.code_bytes),
            ("relocations", counts.relocations),
            ("largest frame", counts.largest_frame_bytes),
        ];
        let line = |(name, count): &(&str, u64)| format!("{name:<14} {count:>12}\n");
        rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_given_for_each_instruction() {
        let mut report = Report::default();
        report.counts.instructions = 1000;
        report.times.read = Duration::from_micros(20);
        report.times.write = Duration::from_micros(10);
        assert!(report.times_text().contains("total         0.030             30.0"));
        assert!(report.counts_text().contains("instructions           1000"));
    }

    #[test]
    fn a_clock_that_nobody_asked_for_stands_still() {
        let mut total = Duration::ZERO;
        let mut clock = Clock::start(false);
        clock.lap(&mut total);
        assert_eq!((total, clock.elapsed()), (Duration::ZERO, Duration::ZERO));
    }
}
