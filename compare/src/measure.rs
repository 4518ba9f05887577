//! What a run of a program costs: processor time and peak memory, as the system accounts them.

use serde::Serialize;
use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;
use wait4::Wait4;

/// The cost of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// User and system time, in milliseconds.
    pub time_ms: f64,
    /// The most memory in use at a time, in bytes.
    pub peak_bytes: u64,
}

impl Cost {
    /// The lower of both, figure by figure: noise only ever adds.
    pub fn least(self, other: Cost) -> Cost {
        Cost {
            time_ms: self.time_ms.min(other.time_ms),
            peak_bytes: self.peak_bytes.min(other.peak_bytes),
        }
    }
}

/// How a run went.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: String,
    pub cost: Cost,
}

/// Runs a program to its end, without input.
///
/// # Errors
/// When it cannot be started.
pub fn run(command: &mut Command) -> io::Result<Outcome> {
    let piped = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = piped.spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let stdout = scope.spawn(move || read(stdout));
        let stderr = scope.spawn(move || read(stderr));
        let used = child.wait4()?;
        let text = stderr.join().expect("reading does not panic");
        Ok(Outcome {
            status: used.status,
            stdout: stdout.join().expect("reading does not panic"),
            stderr: String::from_utf8_lossy(&text).into_owned(),
            cost: Cost {
                time_ms: milliseconds(used.rusage.utime + used.rusage.stime),
                peak_bytes: used.rusage.maxrss,
            },
        })
    })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn read(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // A pipe that breaks is seen in the exit status.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}
