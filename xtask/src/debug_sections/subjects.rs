//! The modules whose debug information is looked at.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use crate::corpus::{self, Level, Module};
use crate::crosstest::wide;
use crate::rust_graph;
use crate::torture::{self, Test};

/// A module with debug information.
#[derive(Debug)]
pub struct Subject {
    pub name: String,
    pub level: Level,
    /// The text of all that the bitcode depends on, if it is kept.
    pub recipe_file: Option<PathBuf>,
    source: Source,
}

/// Where the bitcode comes from.
#[derive(Debug)]
enum Source {
    Made(PathBuf),
    Program(Module),
    /// A source of a test of GCC's.
    Test(Test),
}

/// Which modules are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    Corpus,
    /// GCC's C torture execution tests.
    Torture,
    /// The code bases of `crosstest --wide`, in C and C++.
    Wide,
    /// The crates of `cargo xtask rust`.
    Rust,
}

/// The modules of a suite at both levels whose names contain `filter`.
pub fn list(suite: Suite, filter: &str) -> Result<Vec<Subject>> {
    let mut found = Vec::new();
    match suite {
        Suite::Corpus => {
            for module in corpus::modules_at(&Level::WITH_DEBUG, filter)? {
                found.push(Subject {
                    name: module.name(),
                    level: module.level,
                    recipe_file: Some(module.recipe_file()),
                    source: Source::Program(module),
                });
            }
        }
        Suite::Torture => {
            for test in torture::sources(filter)? {
                found.extend(Level::WITH_DEBUG.map(|level| Subject {
                    name: format!("{}-{}", test.name().replace('/', "-"), level.name()),
                    level,
                    recipe_file: None,
                    source: Source::Test(test.clone()),
                }));
            }
        }
        Suite::Rust => {
            for level in Level::WITH_DEBUG {
                for bitcode in rust_graph::bitcode(level.name(), level.options_of_rustc())? {
                    let stem = bitcode.file_stem().unwrap_or_default().to_string_lossy();
                    found.push(Subject {
                        name: format!("{stem}-{}", level.name()),
                        level,
                        recipe_file: None,
                        source: Source::Made(bitcode),
                    });
                }
            }
            found.retain(|subject| subject.name.contains(filter));
        }
        Suite::Wide => {
            for (name, level, bitcode) in wide::modules_at(&Level::WITH_DEBUG, filter)? {
                found.push(Subject {
                    name,
                    level,
                    recipe_file: None,
                    source: Source::Made(bitcode),
                });
            }
        }
    }
    Ok(found)
}

impl Subject {
    /// The bitcode, which is made in `dir` if it is not there; nothing if clang refuses the source.
    pub fn bitcode(&self, dir: &std::path::Path) -> Result<Option<PathBuf>> {
        match &self.source {
            Source::Made(path) => Ok(Some(path.clone())),
            Source::Program(module) => Ok(Some(module.bitcode()?.to_owned())),
            Source::Test(test) => {
                fs::create_dir_all(dir)?;
                let path = dir.join("test.bc");
                Ok(test.compile(self.level.options(), &path)?.then_some(path))
            }
        }
    }
}
