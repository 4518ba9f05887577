//! Times and counts of a compilation.

use frazil_codegen::CompiledFunction;
use frazil_ir::Function;
use frazil_passes::Runner;
use serde::{Serialize, Serializer};
use std::cmp::Reverse;
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
pub(crate) fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap_or_default(),
        time.tv_nsec.try_into().unwrap_or_default(),
    )
}

/// Processor time by stage; all zero unless [`crate::Options::measure`] is set. In nanoseconds, when written as JSON.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Times {
    /// Reading the input and making the intermediate representation.
    #[serde(serialize_with = "nanoseconds")]
    pub read: Duration,
    /// Changing the intermediate representation.
    #[serde(serialize_with = "nanoseconds")]
    pub optimize: Duration,
    /// Making machine code.
    #[serde(serialize_with = "nanoseconds")]
    pub compile: Duration,
    /// Making and writing the output.
    #[serde(serialize_with = "nanoseconds")]
    pub write: Duration,
}

impl Times {
    /// The sum of all stages.
    pub fn total(&self) -> Duration {
        self.read + self.optimize + self.compile + self.write
    }
}

/// What was compiled.
#[derive(Clone, Copy, Debug, Default, Serialize)]
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

/// What one function cost.
#[derive(Clone, Debug, Serialize)]
pub struct FunctionTimes {
    pub name: String,
    /// Instructions of the intermediate representation after its passes.
    pub instructions: u64,
    pub times: Times,
}

/// A pass, or another part of the optimizing path.
#[derive(Clone, Debug, Serialize)]
pub struct PassTime {
    pub name: &'static str,
    /// The time of all its executions.
    #[serde(serialize_with = "nanoseconds")]
    pub time: Duration,
}

/// How often a pass did something.
#[derive(Clone, Debug, Serialize)]
pub struct PassCount {
    pub pass: &'static str,
    /// What it did.
    pub statistic: &'static str,
    /// How often.
    pub count: u64,
}

/// How a compilation went.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    pub times: Times,
    pub counts: Counts,
    /// Times of passes in their order; empty unless [`crate::Options::measure`] is set.
    pub passes: Vec<PassTime>,
    /// What passes did.
    pub statistics: Vec<PassCount>,
    /// Times of functions in their order; empty unless [`crate::Options::measure`] is set.
    pub functions: Vec<FunctionTimes>,
    /// The places of tools that want a table of them, as JSON.
    #[serde(skip)]
    pub sites: Option<String>,
}

fn nanoseconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

impl Report {
    /// Counts a function that was read.
    pub(crate) fn count(&mut self, function: &Function) {
        let counts = &mut self.counts;
        counts.functions += 1;
        counts.blocks += function.blocks().len() as u64;
        counts.instructions += function.insts().len() as u64;
    }

    /// Counts the code of a function.
    pub(crate) fn count_code(&mut self, code: &CompiledFunction) {
        let counts = &mut self.counts;
        counts.code_bytes += code.len() as u64;
        counts.relocations += (code.prologue.relocs.len() + code.body.relocs.len()) as u64;
        counts.largest_frame_bytes = counts.largest_frame_bytes.max(code.frame_bytes.into());
    }

    /// Adds what another worker did on the same module.
    pub(crate) fn add(&mut self, other: &Report) {
        let times = [
            (&mut self.times.read, other.times.read),
            (&mut self.times.optimize, other.times.optimize),
            (&mut self.times.compile, other.times.compile),
            (&mut self.times.write, other.times.write),
        ];
        times.into_iter().for_each(|(total, time)| *total += time);
        let counts = &mut self.counts;
        counts.functions += other.counts.functions;
        counts.blocks += other.counts.blocks;
        counts.instructions += other.counts.instructions;
        counts.code_bytes += other.counts.code_bytes;
        counts.relocations += other.counts.relocations;
        counts.largest_frame_bytes = counts.largest_frame_bytes.max(other.counts.largest_frame_bytes);
        for row in &other.statistics {
            let is_same = |own: &&mut PassCount| (own.pass, own.statistic) == (row.pass, row.statistic);
            match self.statistics.iter_mut().find(is_same) {
                Some(own) => own.count += row.count,
                None => self.statistics.push(row.clone()),
            }
        }
    }

    /// Takes what the passes cost and did.
    pub(crate) fn add_passes(&mut self, runner: &Runner<'_>) {
        let times = runner.times().iter().filter(|row| !row.1.is_zero());
        self.passes.extend(times.map(|&(name, time)| PassTime { name, time }));
        let rows = runner.statistics().iter();
        self.statistics
            .extend(rows.map(|&(pass, statistic, count)| PassCount { pass, statistic, count }));
    }

    /// Adds what a function cost; `before` are the times so far without it.
    pub(crate) fn add_function(&mut self, name: &str, before: &Times, function: &Function) {
        let Times {
            read,
            optimize,
            compile,
            write,
        } = self.times;
        self.functions.push(FunctionTimes {
            name: name.to_owned(),
            instructions: function.insts().len() as u64,
            times: Times {
                read: read - before.read,
                optimize: optimize - before.optimize,
                compile: compile - before.compile,
                write: write - before.write,
            },
        });
    }

    /// The times as tables: stages, passes, and the `functions` functions that cost most.
    pub fn times_text(&self, functions: usize) -> String {
        let times = &self.times;
        let rows = [
            ("read", times.read),
            ("optimize", times.optimize),
            ("compile", times.compile),
            ("write", times.write),
            ("total", times.total()),
        ];
        let mut text = String::from("stage            ms   ns/instruction\n");
        for (name, time) in rows {
            writeln!(text, "{name:<10} {}", self.time_columns(time)).expect("strings can be written");
        }
        if !self.passes.is_empty() {
            text.push_str("\npass                             ms   ns/instruction\n");
        }
        for PassTime { name, time } in &self.passes {
            writeln!(text, "{name:<26} {}", self.time_columns(*time)).expect("strings can be written");
        }
        if functions > 0 {
            text.push_str(&self.functions_text(functions));
        }
        text
    }

    /// Milliseconds, and nanoseconds for each instruction that was read.
    fn time_columns(&self, time: Duration) -> String {
        let per_instruction = time.as_nanos() as f64 / self.counts.instructions.max(1) as f64;
        format!("{:>8.3} {per_instruction:>16.1}", time.as_secs_f64() * 1e3)
    }

    /// The functions that cost most.
    fn functions_text(&self, most: usize) -> String {
        let mut functions: Vec<&FunctionTimes> = self.functions.iter().collect();
        functions.sort_by_key(|function| Reverse(function.times.total()));
        let mut text = String::from("\n      ms   read  optimize   compile  instructions  function\n");
        for FunctionTimes {
            name,
            instructions,
            times,
        } in functions.into_iter().take(most)
        {
            let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
            writeln!(
                text,
                "{:>8.3} {:>6.3} {:>9.3} {:>9.3} {instructions:>13}  {name}",
                milliseconds(times.total()),
                milliseconds(times.read),
                milliseconds(times.optimize),
                milliseconds(times.compile),
            )
            .expect("strings can be written");
        }
        text
    }

    /// Everything as JSON.
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a report is JSON");
        text.push('\n');
        text
    }

    /// The counts as a table, and what passes did.
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
        let mut text: String = rows.iter().map(line).collect();
        for PassCount { pass, statistic, count } in &self.statistics {
            writeln!(text, "{pass}: {statistic:<30} {count:>12}").expect("strings can be written");
        }
        text
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
        assert!(report.times_text(0).contains("total         0.030             30.0"));
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
