//! What is known of projects from earlier runs, in a file of the target folder, so that a run that was ended goes on
//! where it was.
//!
//! A result holds for the bytes of the compiler that made the code, and for the steps and options by which it was made.
//! Each line is a key, which contains digests of these, and what was found.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::Result;

/// Results by key.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    known: BTreeMap<String, String>,
}

impl Results {
    /// Those in a file, if there is one.
    pub fn read(path: PathBuf) -> Results {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        Results {
            known: lines.map(|(key, found)| (key.to_owned(), found.to_owned())).collect(),
            path,
        }
    }

    /// What was found for a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.known.get(key).map(String::as_str)
    }

    /// Adds what was found, to the file, too.
    pub fn add(&mut self, key: &str, found: &str) -> Result<()> {
        self.known.insert(key.to_owned(), found.replace(['\n', '\t'], " "));
        let lines: Vec<String> = self
            .known
            .iter()
            .map(|(key, found)| format!("{key}\t{found}\n"))
            .collect();
        let part = self.path.with_extension("part");
        fs::write(&part, lines.concat())?;
        fs::rename(part, &self.path)?;
        Ok(())
    }
}

/// A digest of some files.
pub fn digest(files: &[&Path]) -> Result<String> {
    let bytes: Vec<Vec<u8>> = files.iter().map(fs::read).collect::<Result<_, _>>()?;
    Ok(digest_of(&bytes))
}

/// A digest of anything.
pub fn digest_of(thing: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    thing.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_found_again() {
        let folder = frazil_test_support::Folder::new("project-results");
        let path = folder.path("results");
        let mut results = Results::read(path.clone());
        assert_eq!(results.get("zlib O2"), None);
        results.add("zlib O2", "3 tests\npassed").unwrap();
        results.add("zlib O2", "4 tests\npassed").unwrap();
        assert_eq!(Results::read(path).get("zlib O2"), Some("4 tests passed"));
    }
}
