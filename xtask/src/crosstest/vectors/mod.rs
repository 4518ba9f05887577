//! Functions of vectors against `llc-22` and the reference interpreter: `crosstest --vectors N`, and `--shuffles N` for
//! shuffles alone.
//!
//! A case is a function in LLVM's text form that does one operation on a type of vectors, compiled for one of four
//! levels of the processor. Its number decides everything about it: numbers in a row go through
//! [all operations](operations::all), and elements, lanes and forms of operands are random. A [module](batch) has many
//! cases; a [part in C](../host.c) fills their inputs with borders and random values and prints a hash of what each has
//! written. What `llc-22 -O0` makes of the module is what is expected; where that refuses, `-O2` is asked, and cases
//! that both refuse are left out and counted.
//!
//! [The interpreter](interpreter) executes each case, too, on some of the same inputs, as it is read and before
//! anything is done to it: what the reader makes of intrinsics, and what the interpreter says that operations mean, is
//! compared with llc, since other tests take both for right.
//!
//! Lanes that are poison are not compared, and NaNs are all the same. What Frazil refuses by name is counted by reason
//! and kind of operation; refusals that are not on a [list](refusals) are failures.
//!
//! Faults that were put into legalisation by hand, one at a time (lanes of a split in reverse, a wrong index of a
//! shuffle, a part left out of a reduction, the mask of another lane, packed bits moved wrongly), were each found by 12
//! to 182 of 1,500 cases under one recipe. Of 1,500 cases in the interpreter, these found faults in it or in what is
//! read: 29 that accesses under masks take the mask of the next lane, 3 (of six splices) that splices from the end are
//! off by one, 36 that lengths of `llvm.vp` have a lane too many, 40 that reductions leave out the last lane, 19 that
//! shuffles take the next lane of the second operand.

mod batch;
mod interpreter;
mod maker;
mod operations;
mod refusals;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use frazil_test_support::Random;

use crate::compiler::{self, Compiler};
use crate::share::Share;
use crate::{machine, parallel};
use batch::Suite;
use maker::Maker;
use operations::Operation;
use types::{Element, Type};

/// How many cases a module has.
const BATCH: u64 = 100;

/// What functions are for, with the attributes that say so: each processor, of which the least is not named, and a
/// feature by itself.
fn levels() -> Vec<(&'static str, String)> {
    let machine = machine::current();
    let processors = machine::processors();
    let mut levels = vec![(processors[0], "mustprogress".to_owned())];
    for processor in &processors[1..] {
        levels.push((processor, format!("\"target-cpu\"=\"{processor}\"")));
    }
    let feature = machine.vector_feature;
    levels.push((feature, format!("\"target-features\"=\"{feature}\"")));
    levels
}

/// Which cases are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All operations.
    Everything,
    /// Shuffles of vectors of 64 to 512 bits.
    Shuffles,
}

impl Kind {
    /// The options that ask for them.
    pub const ALL: [(&'static str, Kind); 2] = [("--vectors", Kind::Everything), ("--shuffles", Kind::Shuffles)];
}

/// A function of a module.
struct Case {
    number: u64,
    /// What it does, for reports.
    operation: String,
    ty: String,
    level: &'static str,
    text: String,
    declarations: BTreeSet<String>,
    /// What the driver is told of it.
    row: String,
    /// What it is told of each output.
    outputs: Vec<u64>,
}

impl Case {
    fn new(number: u64, kind: Kind, operations: &[Operation]) -> Case {
        let random = &mut Random::of_series(0x7ec7_0125, number);
        let levels = levels();
        let level = random.below(levels.len());
        let mut declarations = BTreeSet::new();
        let mut maker = Maker::new(format!("f{number}"), random, &mut declarations);
        let (operation, ty) = match kind {
            Kind::Everything => {
                let operation = &operations[number as usize % operations.len()];
                let element = Element::random(maker.random, operation.accepts);
                let ty = Type::vector(element, types::lanes(maker.random, element));
                (operation.make)(&mut maker, operation.name, ty);
                (operation.name, ty.to_string())
            }
            Kind::Shuffles => {
                operations::lanes::shuffle_of_registers(&mut maker);
                ("shufflevector", String::new())
            }
        };
        let (text, row) = (maker.text(level), maker.row(number));
        Case {
            number,
            operation: operation.to_owned(),
            ty,
            level: levels[level].0,
            text,
            outputs: maker.outputs,
            declarations,
            row,
        }
    }

    /// The name of its function.
    fn name(&self) -> String {
        format!("f{}", self.number)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} {} {})", self.number, self.operation, self.ty, self.level)
    }
}

/// What was found.
#[derive(Default)]
struct Report {
    cases: usize,
    passed: usize,
    failures: Vec<String>,
    /// Cases that llc refuses at both levels, by operation.
    without_reference: BTreeMap<String, usize>,
    /// Cases of which llc and the interpreter make different things, by operation.
    doubted: BTreeMap<String, usize>,
    /// By reason and operation, how often Frazil refused by name.
    refused: BTreeMap<(String, String), usize>,
    /// Cases that the interpreter executed.
    interpreted: usize,
    /// By reason and operation, how often it did not.
    not_interpreted: BTreeMap<(String, String), usize>,
}

/// Makes and compares `count` cases from the share's seed on.
pub fn test(kind: Kind, count: u64, share: &Share, compilers: &[Compiler]) -> Result<bool> {
    let name = match kind {
        Kind::Everything => "vectors",
        Kind::Shuffles => "shuffles",
    };
    let dir = machine::folder().join(name);
    fs::create_dir_all(&dir)?;
    let suite = Suite::new(compilers, dir)?;
    let operations = operations::all();
    let report = Mutex::new(Report::default());
    let next = AtomicU64::new(share.seed());
    let end = share.seed().saturating_add(count);
    parallel::repeat(|| {
        if !share.has_time() {
            return Ok(false);
        }
        let first = next.fetch_add(BATCH, Ordering::Relaxed);
        let numbers = first..first.saturating_add(BATCH).min(end);
        if numbers.is_empty() {
            return Ok(false);
        }
        let cases: Vec<Case> = numbers.map(|number| Case::new(number, kind, &operations)).collect();
        let found = suite.test(&cases)?;
        for failure in &found.failures {
            println!("{failure}");
        }
        report.lock().expect("no thread panics while it reports").add(found);
        Ok(true)
    })?;
    let report = report.into_inner().expect("no thread panics while it reports");
    report.print();
    println!("{}", share.report("cases", report.cases, count as usize));
    println!("{} executed by the interpreter", report.interpreted);
    println!("{} passed, {} failed", report.passed, report.failures.len());
    compiler::print_validated(compilers);
    Ok(report.failures.is_empty())
}

impl Report {
    fn add(&mut self, other: Report) {
        self.cases += other.cases;
        self.passed += other.passed;
        self.failures.extend(other.failures);
        for (what, count) in other.without_reference {
            *self.without_reference.entry(what).or_default() += count;
        }
        for (what, count) in other.doubted {
            *self.doubted.entry(what).or_default() += count;
        }
        for (what, count) in other.refused {
            *self.refused.entry(what).or_default() += count;
        }
        self.interpreted += other.interpreted;
        for (what, count) in other.not_interpreted {
            *self.not_interpreted.entry(what).or_default() += count;
        }
    }

    fn print(&self) {
        for ((reason, operation), count) in &self.refused {
            println!("{count:>6} x refused: {operation:<24} {reason}");
        }
        for (operation, count) in &self.without_reference {
            println!("{count:>6} x refused by llc: {operation}");
        }
        for (operation, count) in &self.doubted {
            println!("{count:>6} x llc and the interpreter do not agree: {operation}");
        }
        for ((reason, operation), count) in &self.not_interpreted {
            println!("{count:>6} x not interpreted: {operation:<24} {reason}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_decides_everything() {
        let operations = operations::all();
        let text = |number| Case::new(number, Kind::Everything, &operations).text;
        for number in 0..operations.len() as u64 {
            assert_eq!(text(number), text(number));
            assert!(text(number).contains("%out"), "{}", text(number));
        }
        assert_ne!(text(1), text(1 + operations.len() as u64));
    }
}
