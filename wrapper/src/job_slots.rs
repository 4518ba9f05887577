//! Leave to use more processors than one, from a build system that hands it out: GNU make's jobserver, which `make -j`,
//! cargo and ninja have for all that they start.
//!
//! Whoever is started has leave for one processor. [`JobServer::take`] takes as much more as is free at that moment,
//! and never waits for any; dropping gives it back. So a module that is compiled while the others of a build still wait
//! is compiled by one thread, and the last ones by all processors.
//!
//! What it does not do: anything without a jobserver. How many processors others use is not known then.

use jobserver::{Acquired, Client};
use std::num::NonZero;
use std::thread::available_parallelism;

/// The jobserver of the build system, if there is one.
#[derive(Debug)]
pub struct JobServer(Option<Client>);

impl JobServer {
    /// What the environment names. Call it before files are opened.
    #[expect(unsafe_code, reason = "numbers of open files come by the environment")]
    pub fn from_environment() -> JobServer {
        // SAFETY: files that this process has opened are not taken for those of the jobserver, since none is open yet,
        // and the numbers are only of those that a build system has left open.
        JobServer(unsafe { Client::from_env() })
    }

    /// Whether the build system shares processors.
    pub fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// Takes what is free, but no more than there are other processors, and than is wanted.
    pub fn take(&self, most: usize) -> JobSlots {
        let others = available_parallelism().map_or(1, NonZero::get) - 1;
        let mut held = Vec::new();
        while let Some(client) = self.0.as_ref().filter(|_| held.len() < most.min(others)) {
            match client.try_acquire() {
                Ok(Some(slot)) => held.push(slot),
                // Where it cannot be said at once whether something is free, nothing is.
                Ok(None) | Err(_) => break,
            }
        }
        JobSlots(held)
    }
}

/// Leave to use so many more processors, until it is dropped.
#[derive(Debug)]
pub struct JobSlots(Vec<Acquired>);

impl JobSlots {
    /// How many processors more.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}
