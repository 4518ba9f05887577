//! The second part of `cargo xtask bench --overheads`: what Frazil's tools cost beside what clang puts into programs
//! for the same purpose.
//!
//! A program is compiled four times, from bitcode of clang -O2: by Frazil's O2 without and with the tool, and by
//! llc -O2 without and with what clang puts in. All four run in turn. An overhead is relative to the same compiler's
//! program without, so that nothing is said of how good the compilers are besides. Left out are programs in Rust, and
//! what is done when a program ends: clang's runtime is not linked.

use anyhow::Result;

use super::RECIPE;
use super::overheads::{COVERAGE, Wanted, build_plain, build_with_tool, has_long_run, user_times};
use super::statistics::geometric_mean;
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::{self, Level};
use crate::crosstest::instrumented::Tools;

/// A tool and what it is compared with.
struct Comparison {
    tool: &'static str,
    /// The level of the bitcode that Frazil takes.
    level: Level,
    /// That of the bitcode with what clang puts in.
    rival: Level,
    /// How much of the rival's overhead the tool's time may be.
    goal: f64,
}

const COMPARISONS: [Comparison; 2] = [
    Comparison {
        tool: "block_profile",
        level: Level::O2Vectors,
        rival: Level::O2Profile,
        goal: 0.5,
    },
    Comparison {
        tool: COVERAGE,
        level: Level::O2Debug,
        rival: Level::O2Coverage,
        goal: 1.0,
    },
];

/// Tools for which clang has nothing alike, with how many times as long as without them programs may take.
const ALONE: [(&str, Level, f64); 1] = [("alignment", Level::O2Vectors, 1.5)];

/// The level of the bitcode that is llc's without anything put in.
const PLAIN: Level = Level::O2Vectors;

/// Time and size of a program relative to the same without a tool.
#[derive(Clone, Copy)]
struct Ratios {
    time: f64,
    size: f64,
}

/// Prints a row for each tool and program, and the means with the goals.
pub fn measure(filter: &str, frazil: &Compiler, wanted: &Wanted, repeat: usize) -> Result<()> {
    let (frazil, tools) = (&frazil.with_recipe(RECIPE), &mut Tools::prepare()?);
    println!("\noverheads in percent, the least of {repeat} interleaved runs");
    println!(
        "{:<14} {:<12} {:>20} {:>26}",
        "tool", "program", "frazil: time, size", "clang + llc: time, size"
    );
    for comparison in COMPARISONS.iter().filter(|comparison| wanted.has_tool(comparison.tool)) {
        let mut pairs = Vec::new();
        for program in programs(comparison.level, filter)? {
            let [ours, theirs] = compare(comparison, program, frazil, tools, repeat)?;
            print_row(comparison.tool, program, ours, Some(theirs));
            pairs.push((ours, theirs));
        }
        let (ours, theirs): (Vec<Ratios>, Vec<Ratios>) = pairs.into_iter().unzip();
        let (Some(ours), Some(theirs)) = (mean(&ours), mean(&theirs)) else {
            continue;
        };
        print_row(comparison.tool, "(mean)", ours, Some(theirs));
        let quotient = |of: fn(Ratios) -> f64| (of(ours) - 1.0) / (of(theirs) - 1.0);
        println!(
            "{}: {:.2} of the rival's overhead in time (goal {}), {:.2} in size",
            comparison.tool,
            quotient(|ratios| ratios.time),
            comparison.goal,
            quotient(|ratios| ratios.size)
        );
    }
    for (tool, level, goal) in ALONE.into_iter().filter(|(tool, ..)| wanted.has_tool(tool)) {
        let mut all = Vec::new();
        for program in programs(level, filter)? {
            let ours = alone(tool, level, program, frazil, tools, repeat)?;
            print_row(tool, program, ours, None);
            all.push(ours);
        }
        let Some(mean) = mean(&all) else { continue };
        print_row(tool, "(mean)", mean, None);
        println!(
            "{tool}: {:.2} times the time (goal {goal}), {:.2} times the size",
            mean.time, mean.size
        );
    }
    Ok(())
}

/// The programs in C and C++ that are measured.
fn programs(level: Level, filter: &str) -> Result<Vec<&'static str>> {
    let mut programs = Vec::new();
    for program in corpus::programs_at(level, filter) {
        let module = corpus::module(program, level)?;
        if has_long_run(&module) && !corpus::is_rust(module.program.driver.as_ref()) {
            programs.push(program);
        }
    }
    Ok(programs)
}

/// What the tool and its rival cost a program.
fn compare(
    comparison: &Comparison,
    program: &str,
    frazil: &Compiler,
    tools: &mut Tools,
    repeat: usize,
) -> Result<[Ratios; 2]> {
    let llc = Compiler::Llc(LlcLevel::O2);
    let module = corpus::module(program, comparison.level)?;
    let built = [
        build_plain(&module, frazil)?,
        build_with_tool(&module, frazil, comparison.tool, tools)?,
        build_plain(&corpus::module(program, PLAIN)?, &llc)?,
        build_plain(&corpus::module(program, comparison.rival)?, &llc)?,
    ];
    let times = user_times(&built, &module, repeat)?;
    let ratios = |plain: usize| Ratios {
        time: times[plain + 1] / times[plain],
        size: built[plain + 1].text_bytes / built[plain].text_bytes,
    };
    Ok([ratios(0), ratios(2)])
}

/// What a tool costs a program.
fn alone(
    tool: &str,
    level: Level,
    program: &str,
    frazil: &Compiler,
    tools: &mut Tools,
    repeat: usize,
) -> Result<Ratios> {
    let module = corpus::module(program, level)?;
    let built = [
        build_plain(&module, frazil)?,
        build_with_tool(&module, frazil, tool, tools)?,
    ];
    let times = user_times(&built, &module, repeat)?;
    Ok(Ratios {
        time: times[1] / times[0],
        size: built[1].text_bytes / built[0].text_bytes,
    })
}

/// The geometric means; nothing of nothing.
fn mean(all: &[Ratios]) -> Option<Ratios> {
    let of = |of: fn(&Ratios) -> f64| geometric_mean(&all.iter().map(of).collect::<Vec<_>>());
    Some(Ratios {
        time: of(|ratios| ratios.time)?,
        size: of(|ratios| ratios.size)?,
    })
}

fn print_row(tool: &str, program: &str, ours: Ratios, theirs: Option<Ratios>) {
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let text = |ratios: Ratios| format!("{:>+9.1} {:>+9.1}", percent(ratios.time), percent(ratios.size));
    println!(
        "{tool:<14} {program:<12} {:>20} {:>26}",
        text(ours),
        theirs.map(text).unwrap_or_default()
    );
}
