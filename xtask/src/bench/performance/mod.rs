//! `cargo xtask bench --performance`: the page on performance, `docs/performance.md`, with its plots.
//!
//! What the page says is in committed files: [`DATA`] and the data of the README's figure. `--measure` writes [`DATA`]
//! anew ([`measure`]), which takes minutes on a quiet machine; without it, the page is only made of them ([`page`]).
//! A test compares the committed page with what the committed data make.

mod measure;
mod page;

use std::fs;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::compiler::Compiler;
use crate::corpus::Module;
use crate::workspace;

/// What was measured.
const DATA: &str = "benches/performance.json";

/// Where the page is in the repository.
const PAGE: &str = "docs/performance.md";

/// All that is measured for the page.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    /// When it was measured.
    date: String,
    /// On what, and with what beside it.
    machine: String,
    modules: Vec<ModuleData>,
    passes: Vec<PassTimes>,
    growth: Vec<Growth>,
    threads: Vec<Threads>,
}

/// A module compiled by each recipe of the page.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModuleData {
    name: String,
    instructions: u64,
    bitcode_bytes: u64,
    largest_body_bytes: u64,
    /// CPU time of llc -O0 and -O2.
    llc_ms: [f64; 2],
    /// Peak memory of llc -O0.
    llc_peak_bytes: u64,
    recipes: Vec<RecipeData>,
}

/// What one recipe makes of a module.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecipeData {
    recipe: String,
    /// CPU time of the whole process.
    ms: f64,
    /// Of reading, compiling and writing, for each instruction of the module.
    stages_ns: [f64; 3],
    peak_bytes: u64,
    object_bytes: u64,
}

/// Where the time of compiling a module goes, as `--time-passes` says it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PassTimes {
    module: String,
    recipe: String,
    /// Names and nanoseconds for each instruction of the module, the dearest first.
    parts: Vec<(String, f64)>,
}

/// What compiling functions of a shape costs as they grow.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Growth {
    shape: String,
    recipe: String,
    /// Instructions, seconds of CPU time, and bytes of peak memory.
    points: Vec<(usize, f64, f64)>,
}

/// How long a module takes with threads.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Threads {
    module: String,
    recipe: String,
    /// Numbers of threads, with milliseconds on the clock and of CPU time.
    points: Vec<(u32, f64, f64)>,
}

/// Makes the page, after measuring anew if asked to.
pub fn make(measured: Option<(&[Module], &Compiler, usize)>) -> Result<bool> {
    if let Some((modules, frazil, repeat)) = measured {
        let data = measure::measure(modules, frazil, repeat)?;
        fs::write(
            workspace::root().join(DATA),
            serde_json::to_string_pretty(&data)? + "\n",
        )?;
        println!("data: {DATA}");
    }
    for (path, text) in page::files(&read()?)? {
        fs::write(workspace::root().join(&path), text)?;
        println!("written: {path}");
    }
    Ok(true)
}

fn read() -> Result<Data> {
    let text = fs::read_to_string(workspace::root().join(DATA)).context(DATA)?;
    serde_json::from_str(&text).context(DATA)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_page_is_that_of_the_committed_data() {
        let data = read().expect("the data are committed");
        for (path, text) in page::files(&data).expect("the page can be made") {
            let committed = fs::read_to_string(workspace::root().join(&path)).expect("the page is committed");
            assert!(
                committed == text,
                "`cargo xtask bench --performance` makes another {path}"
            );
        }
    }
}
