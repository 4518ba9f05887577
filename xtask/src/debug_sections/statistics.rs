//! How many variables have a location and in how much of the code, as `llvm-dwarfdump` counts it, beside what `llc`
//! gives them.
//!
//! What is covered is counted for each byte of code, and not for each byte of the scopes of variables: llc leaves out
//! inlined variables that have no location anywhere, which are kept here so that debuggers can say that they were
//! optimised away. They would count as scopes without locations in one object and not in the other.

use std::path::Path;
use std::{fmt, ops};

use anyhow::{Context, Result};

use crate::{process, workspace};

/// The least share of what llc gives that optimised code is to have.
const LEAST_SHARE: f64 = 0.95;

/// What is counted in objects.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// Variables and parameters with a location.
    located: f64,
    /// Bytes of code of functions.
    code_bytes: f64,
    /// Bytes of code in the scopes of all variables, where the variable has a location.
    covered_bytes: f64,
}

impl Statistics {
    /// Counts in an object.
    pub fn of(object: &Path) -> Result<Statistics> {
        let mut command = workspace::llvm_tool("llvm-dwarfdump-22")?;
        let outcome = process::checked(command.arg("--statistics").arg(object))?;
        let counts: serde_json::Value = serde_json::from_slice(&outcome.stdout)?;
        let count = |key: &str| counts[key].as_f64().with_context(|| format!("no count of {key}"));
        Ok(Statistics {
            located: count("#source variables with location")?,
            code_bytes: count("#bytes within functions")?,
            covered_bytes: count("sum_all_variables(#bytes in parent scope covered by DW_AT_location)")?,
        })
    }

    /// How many variables have a location at a byte of code, on average.
    fn coverage(&self) -> f64 {
        self.covered_bytes / self.code_bytes.max(1.0)
    }
}

impl ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Statistics) {
        self.located += other.located;
        self.code_bytes += other.code_bytes;
        self.covered_bytes += other.covered_bytes;
    }
}

/// The sums of a recipe and of llc over the same modules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    pub ours: Statistics,
    pub theirs: Statistics,
}

impl Compared {
    fn shares(&self) -> [f64; 2] {
        let located = self.ours.located / self.theirs.located.max(1.0);
        [located, self.ours.coverage() / self.theirs.coverage()]
    }

    /// Whether it is as much as is asked for.
    pub fn is_enough(&self) -> bool {
        self.shares().iter().all(|&share| share >= LEAST_SHARE)
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [located, covered] = self.shares();
        write!(
            out,
            "{} of llc's {} variables have a location ({located:.3}), {:.2} at each byte of code, llc's {:.2} ({covered:.3})",
            self.ours.located,
            self.theirs.located,
            self.ours.coverage(),
            self.theirs.coverage()
        )
    }
}
