//! What is left when the user interrupts: nothing.
//!
//! A signal that ends a program is taken by a thread of its own. It passes the signal on to the program that is being
//! waited for, lets an output that is being written be completed, removes the folder of temporary files and then ends
//! the process as the signal would have. (A write to a closed pipe is no signal here: Rust has it fail as any other,
//! and the folder goes away with its owner.)

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// For so long, programs may go on and outputs may be completed after a signal.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);
/// So late may a signal be that has ended another program already.
const DELAY: Duration = Duration::from_millis(100);

const SIGNALS: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// What the thread that takes signals must know.
#[derive(Debug, Default)]
struct State {
    /// The program that is being waited for.
    child: Mutex<Option<Pid>>,
    /// Held while an output is written.
    writing: Mutex<()>,
    /// The folder to remove.
    folder: Mutex<Option<PathBuf>>,
    /// Whether a signal has come.
    has_come: AtomicBool,
}

/// Sees to signals as long as the process lives.
#[derive(Clone, Debug, Default)]
pub struct Interruption(Arc<State>);

/// A lock is as good as ever after a panic: what it guards is one value.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Interruption {
    /// Begins; the folder is removed when a signal comes.
    ///
    /// # Errors
    /// When the system does not let the process take signals.
    pub fn begin(folder: PathBuf) -> io::Result<Interruption> {
        let state = Interruption::default();
        *lock(&state.0.folder) = Some(folder);
        let mut signals = Signals::new(SIGNALS)?;
        let shared = state.clone();
        thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                shared.end(signal);
            }
        });
        Ok(state)
    }

    /// Ends the process after a signal. The locks that it takes are kept, so that no other program is started.
    fn end(&self, signal: i32) {
        self.0.has_come.store(true, Ordering::SeqCst);
        let deadline = Instant::now() + PATIENCE;
        let mut child = lock(&self.0.child);
        if let (Some(pid), Some(signal)) = (*child, Signal::from_named_raw(signal)) {
            // It may have ended by itself.
            let _ = kill_process(pid, signal);
            while child.is_some() && Instant::now() < deadline {
                drop(child);
                thread::sleep(PAUSE);
                child = lock(&self.0.child);
            }
        }
        let mut writing = self.0.writing.try_lock();
        while writing.is_err() && Instant::now() < deadline {
            thread::sleep(PAUSE);
            writing = self.0.writing.try_lock();
        }
        if let Some(folder) = lock(&self.0.folder).take() {
            let _ = fs::remove_dir_all(folder);
        }
        let _ = emulate_default_handler(signal);
    }

    /// Lets an output be written to its end, even if a signal comes.
    pub fn completing<T>(&self, write: impl FnOnce() -> T) -> T {
        let guard = lock(&self.0.writing);
        let outcome = write();
        drop(guard);
        outcome
    }

    /// Runs a program and waits for its end; its output is collected as far as the command has pipes.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn run(&self, command: &mut Command, input: Option<&[u8]>) -> io::Result<Output> {
        if input.is_some() {
            command.stdin(Stdio::piped());
        }
        let mut child = self.spawn(command)?;
        let stdin = child.stdin.take();
        let outcome = thread::scope(|scope| {
            if let (Some(mut stdin), Some(input)) = (stdin, input) {
                // A program that does not read to the end says why itself.
                scope.spawn(move || stdin.write_all(input));
            }
            child.wait_with_output()
        });
        *lock(&self.0.child) = None;
        let outcome = outcome?;
        if outcome.status.signal().is_some_and(|signal| SIGNALS.contains(&signal)) {
            // A terminal sends its signals to all programs, and ours may be a moment late.
            thread::sleep(DELAY);
        }
        while self.0.has_come.load(Ordering::SeqCst) {
            // The other thread ends the process.
            thread::sleep(PAUSE);
        }
        Ok(outcome)
    }

    fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let mut running = lock(&self.0.child);
        let child = command.spawn()?;
        *running = Some(Pid::from_child(&child));
        Ok(child)
    }
}
