//! What Frazil's validator of machine code says while a command compiles: counts of results of passes that it proved,
//! could not prove and refuted, read from the messages that `--check-machine --stats` writes.
//!
//! What it refutes is an error of the compilation, so each command reports that as it reports any other. What it cannot
//! prove is only a note; the notes are grouped by pass here, with an example of each.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

/// Counts of results of passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub proved: u64,
    pub unproved: u64,
    pub refuted: u64,
    /// By the pass whose result was not proved: how often, and the first note.
    pub notes: BTreeMap<String, (u64, String)>,
}

impl Counts {
    /// Adds what a compilation wrote to standard error.
    pub fn add(&mut self, messages: &[u8]) {
        for line in String::from_utf8_lossy(messages).lines() {
            let number = || line.split_whitespace().last().and_then(|word| word.parse::<u64>().ok());
            if line.contains("validator: proved ") {
                self.proved += number().unwrap_or(0);
            } else if line.contains("validator: unproved ") {
                self.unproved += number().unwrap_or(0);
            } else if line.contains(" changed what the function does: ") {
                self.refuted += 1;
            } else if let Some((place, _)) = line.split_once(": not proved: ") {
                let pass = place.rsplit(": ").next().unwrap_or(place);
                self.notes.entry(pass.to_owned()).or_insert((0, line.to_owned())).0 += 1;
            }
        }
    }
}

/// The counts of one compiler, to which all threads add.
#[derive(Debug, Default)]
pub struct Tally(Mutex<Counts>);

impl Tally {
    /// Adds what a compilation wrote to standard error.
    pub fn add(&self, messages: &[u8]) {
        self.lock().add(messages);
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().expect("adding does not panic")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_messages() {
        let mut counts = Counts::default();
        counts.add(
            b"frazil: note: @f: peephole: not proved: block 3: why\n\
              frazil: error: a.bc: function @g: regalloc changed what the function does: an event\n\
              peephole: validator: proved                        44\n\
              regalloc: validator: proved                         2\n\
              peephole: validator: unproved                       1\n\
              functions                44\n",
        );
        assert_eq!((counts.proved, counts.unproved, counts.refuted), (46, 1, 1));
        let (pass, (count, example)) = counts.notes.first_key_value().unwrap();
        assert_eq!((pass.as_str(), *count), ("peephole", 1));
        assert!(example.ends_with("block 3: why"));
    }
}
