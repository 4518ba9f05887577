//! Runs other programs: with a time limit, with their output collected, and with the resources that they used.

use std::env;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
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
    /// figures below this program's own memory are meaningless; [`run_measured`] has better ones.
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

    /// The first error of Frazil's on standard error, else the first line, for reports.
    pub fn first_error_line(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr);
        let line = text.lines().find(|line| line.starts_with("frazil: error: "));
        line.or_else(|| text.lines().find(|line| !line.trim().is_empty()))
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

/// The command of this program that starts another one for [`run_measured`].
pub const LAUNCHER: &str = "measured";

/// Where the launcher puts its report: a line of standard error, the last one, that begins so.
const REPORT: &str = "measured:";

/// The same as [`run`], with the peak memory of the program alone. It is started by another process of this program,
/// which does nothing else and so is small.
pub fn run_measured(command: &Command, limit: Duration) -> Result<Outcome> {
    let mut launcher = Command::new(env::current_exe().context("this program has no path")?);
    launcher
        .arg(LAUNCHER)
        .arg(limit.as_millis().to_string())
        .arg(command.get_program())
        .args(command.get_args());
    if let Some(dir) = command.get_current_dir() {
        launcher.current_dir(dir);
    }
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => launcher.env(key, value),
            None => launcher.env_remove(key),
        };
    }
    // The launcher keeps the limit; what is added is for itself.
    let outcome = run(&mut launcher, limit + Duration::from_secs(10))?;
    let found = measured_outcome(&outcome.stdout, &outcome.stderr);
    found.with_context(|| format!("{command:?}: {}: {}", outcome.ending(), outcome.first_error_line()))
}

/// Starts the program that `words` name, a limit in milliseconds first, and reports what it used.
pub fn launch(words: &[std::ffi::OsString]) -> Result<()> {
    let [limit, program, arguments @ ..] = words else {
        bail!("expected a limit and a program");
    };
    let limit = Duration::from_millis(limit.to_string_lossy().parse()?);
    let start = Instant::now();
    let name = program.display();
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start `{name}`"))?;
    let (used, in_time) = wait(child, start + limit).with_context(|| format!("waiting for `{name}`"))?;
    let status = if in_time { used.status.into_raw() } else { -1 };
    eprintln!(
        "\n{REPORT} {status} {} {} {}",
        used.rusage.utime.as_micros(),
        used.rusage.stime.as_micros(),
        used.rusage.maxrss
    );
    Ok(())
}

/// Takes the launcher's report from what it and the program wrote; `None` if there is none.
fn measured_outcome(stdout: &[u8], stderr: &[u8]) -> Option<Outcome> {
    let end = stderr.windows(REPORT.len() + 1).rposition(|bytes| {
        bytes
            .split_first()
            .is_some_and(|(first, rest)| *first == b'\n' && rest == REPORT.as_bytes())
    })?;
    let report = String::from_utf8_lossy(&stderr[end + 1 + REPORT.len()..]);
    let mut numbers = report.split_whitespace();
    let status: i32 = numbers.next()?.parse().ok()?;
    let mut number = || numbers.next()?.parse::<u64>().ok();
    Some(Outcome {
        status: (status >= 0).then(|| ExitStatus::from_raw(status)),
        stdout: stdout.to_vec(),
        stderr: stderr[..end].to_vec(),
        user_time: Duration::from_micros(number()?),
        system_time: Duration::from_micros(number()?),
        peak_bytes: number()?,
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

/// A program that runs beside others, and is ended at the latest when this is dropped.
#[derive(Debug)]
pub struct Background(Child);

impl Background {
    /// Starts `command`, of which nothing is seen.
    pub fn start(command: &mut Command) -> Result<Background> {
        let name = command.get_program().to_string_lossy().into_owned();
        let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = silent.spawn().with_context(|| format!("cannot start `{name}`"))?;
        Ok(Background(child))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // One that has ended by itself cannot be ended, but is waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
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
    use std::path::PathBuf;

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
    fn reads_the_report_of_the_launcher() {
        let outcome = measured_outcome(b"out", b"error: measured: no\n\nmeasured: 256 3000 4000 5000000\n").unwrap();
        assert_eq!(outcome.status.unwrap().code(), Some(1));
        assert_eq!(outcome.cpu_time(), Duration::from_millis(7));
        assert_eq!(outcome.peak_bytes, 5_000_000);
        assert_eq!(outcome.first_error_line(), "error: measured: no");
        let late = measured_outcome(b"", b"\nmeasured: -1 1 1 1\n").unwrap();
        assert_eq!(late.ending(), "time limit");
        assert!(measured_outcome(b"", b"no report\n").is_none());
    }

    #[test]
    fn ends_a_program_that_writes_for_ever() {
        let outcome = run(&mut Command::new("yes"), TIME_LIMIT).unwrap();
        assert_eq!(outcome.stdout.len() as u64, OUTPUT_LIMIT);
        assert!(!outcome.success());
    }

    #[test]
    fn a_program_in_the_background_ends_with_its_owner() {
        let program = Background::start(Command::new("sleep").arg("30")).unwrap();
        let folder = PathBuf::from(format!("/proc/{}", program.0.id()));
        assert!(folder.exists());
        drop(program);
        assert!(!folder.exists());
    }

    #[test]
    fn ends_a_program_at_the_limit() {
        let start = Instant::now();
        let outcome = run(Command::new("sleep").arg("30"), Duration::from_millis(50)).unwrap();
        assert_eq!(outcome.ending(), "time limit");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
