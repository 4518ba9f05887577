//! Runs other programs: with a time limit, with their output collected, and with the resources that they used.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use wait4::{ResUse, Wait4};

/// How long a program may run when nothing else is said.
pub const TIME_LIMIT: Duration = Duration::from_secs(120);

/// How much of a program's output is kept. A program that writes more, because it does not end, is ended by the closed
/// pipe.
const OUTPUT_LIMIT: u64 = 64 << 20;

/// What a program did.
#[derive(Debug)]
pub struct Outcome {
    /// Its exit status; `None` when the time limit ended it.
    pub status: Option<ExitStatus>,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
    /// CPU time in user mode.
    pub user_time: Duration,
    /// CPU time in the kernel.
    pub system_time: Duration,
    /// Peak resident memory. Linux starts the count of a new program with the memory of the one that started it, so
    /// figures below this program's own few megabytes are meaningless.
    pub peak_bytes: u64,
}

impl Outcome {
    /// User and system time together.
    pub fn cpu_time(&self) -> Duration {
        self.user_time + self.system_time
    }

    /// Whether the program ended with exit status 0.
    pub fn success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The first line on standard error, for reports.
    pub fn first_error_line(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr);
        text.lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("(nothing on standard error)")
            .to_owned()
    }

    /// The end of the program in words: `exit status: 1`, `signal: 11`, or the time limit.
    pub fn ending(&self) -> String {
        self.status
            .map_or_else(|| "time limit".to_owned(), |status| status.to_string())
    }
}

/// Runs `command` to its end, or for `limit` at most.
pub fn run(command: &mut Command, limit: Duration) -> Result<Outcome> {
    let name = command.get_program().to_string_lossy().into_owned();
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{name}`"))?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let (used, in_time) = wait(child, start + limit).with_context(|| format!("waiting for `{name}`"))?;
    Ok(Outcome {
        status: in_time.then_some(used.status),
        stdout: stdout.join().expect("the reading thread does not panic"),
        stderr: stderr.join().expect("the reading thread does not panic"),
        user_time: used.rusage.utime,
        system_time: used.rusage.stime,
        peak_bytes: used.rusage.maxrss,
    })
}

/// Runs `command`, which must succeed; the error shows the whole command and what it wrote.
pub fn checked(command: &mut Command) -> Result<Outcome> {
    let outcome = run(command, Duration::from_secs(1800))?;
    if !outcome.success() {
        bail!(
            "{command:?} ended with {}\n{}",
            outcome.ending(),
            String::from_utf8_lossy(&outcome.stderr)
        );
    }
    Ok(outcome)
}

/// Reads a pipe to its end or the limit in a thread of its own, so that the program never waits for us.
fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // A pipe that breaks is reported by the exit status.
            let _ = pipe.take(OUTPUT_LIMIT).read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Waits for `child` and ends it at `deadline`. The flag says whether it ended by itself.
fn wait(mut child: Child, deadline: Instant) -> std::io::Result<(ResUse, bool)> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(used) = child.try_wait4()? {
            return Ok((used, true));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            return Ok((child.wait4()?, false));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_status_and_output() {
        let outcome = run(
            Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"]),
            TIME_LIMIT,
        )
        .unwrap();
        assert_eq!(outcome.status.unwrap().code(), Some(3));
        assert_eq!(outcome.stdout, b"out\n");
        assert_eq!(outcome.first_error_line(), "err");
        assert!(outcome.peak_bytes > 0);
    }

    #[test]
    fn ends_a_program_that_writes_for_ever() {
        let outcome = run(&mut Command::new("yes"), TIME_LIMIT).unwrap();
        assert_eq!(outcome.stdout.len() as u64, OUTPUT_LIMIT);
        assert!(!outcome.success());
    }

    #[test]
    fn ends_a_program_at_the_limit() {
        let start = Instant::now();
        let outcome = run(Command::new("sleep").arg("30"), Duration::from_millis(50)).unwrap();
        assert_eq!(outcome.ending(), "time limit");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
