//! The report as tables for a terminal.

use crate::assembly::Counts;
use crate::report::{Comparison, FunctionRow, Report, Side};
use std::fmt::Write;

/// Tables for each pair of levels, with the `top` worst functions.
pub fn tables(report: &Report, top: usize) -> String {
    let mut text = format!("{}\n{} | {}\n", report.input, report.frazil_version, report.llc_version);
    for comparison in &report.levels {
        // Writing to a string does not fail.
        let _ = table(&mut text, comparison, top);
    }
    text
}

fn table(text: &mut String, comparison: &Comparison, top: usize) -> std::fmt::Result {
    writeln!(
        text,
        "\n{:<22}{:>14}{:>14}{:>9}",
        comparison.level.name(),
        "frazil",
        "llc",
        "ratio"
    )?;
    for (name, side) in [("frazil", &comparison.frazil), ("llc", &comparison.llc)] {
        if let Some(error) = &side.error {
            writeln!(text, "{name} gave nothing: {error}")?;
        }
    }
    let count = |side: &Side, of: fn(&Counts) -> u64| side.counts.as_ref().map(|counts| of(counts) as f64);
    type Figure<'a> = (&'a str, &'a str, usize, &'a dyn Fn(&Side) -> Option<f64>);
    let rows: [Figure<'_>; 7] = [
        ("time", "CPU time, ms", 2, &|side| side.cost.map(|cost| cost.time_ms)),
        ("memory", "peak memory, kB", 0, &|side| {
            side.cost.map(|cost| cost.peak_bytes as f64 / 1024.0)
        }),
        ("size", "code, bytes", 0, &|side| {
            side.text_bytes.map(|bytes| bytes as f64)
        }),
        ("instructions", "instructions", 0, &|side| {
            count(side, |counts| counts.instructions)
        }),
        ("spills", "spills", 0, &|side| count(side, |counts| counts.spills)),
        ("reloads", "reloads", 0, &|side| count(side, |counts| counts.reloads)),
        ("frame", "stack frames, bytes", 0, &|side| {
            count(side, |counts| counts.frame_bytes)
        }),
    ];
    for (name, title, digits, of) in rows {
        row(
            text,
            title,
            digits,
            (of(&comparison.frazil), of(&comparison.llc)),
            comparison.ratios.get(name),
        )?;
    }
    if let Some(programs) = &comparison.programs {
        let times = (programs.frazil.time_ms, programs.llc.time_ms);
        row(text, "run time, ms", 1, times, comparison.ratios.get("run"))?;
        for (name, program) in [("frazil", &programs.frazil), ("llc", &programs.llc)] {
            if let Some(error) = &program.error {
                writeln!(text, "{name}'s program did not run: {error}")?;
            }
        }
        match programs.agree {
            Some(true) => writeln!(text, "both programs print the same")?,
            Some(false) => writeln!(text, "THE PROGRAMS DIFFER in what they print or how they end")?,
            None => {}
        }
    }
    worst(text, &comparison.functions, top)
}

fn row(
    text: &mut String,
    title: &str,
    digits: usize,
    (ours, theirs): (Option<f64>, Option<f64>),
    ratio: Option<&f64>,
) -> std::fmt::Result {
    let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"));
    let ratio = ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}"));
    writeln!(
        text,
        "  {title:<20}{:>14}{:>14}{ratio:>9}",
        figure(ours),
        figure(theirs)
    )
}

fn worst(text: &mut String, functions: &[FunctionRow], top: usize) -> std::fmt::Result {
    let both = functions.iter().filter_map(|row| Some((row, row.frazil?, row.llc?)));
    let mut both = both.take(top).peekable();
    if both.peek().is_none() {
        return Ok(());
    }
    writeln!(
        text,
        "  {:<32}{:>16}{:>14}{:>12}{:>14}{:>14}",
        "worst functions", "bytes", "instructions", "spills", "reloads", "frame"
    )?;
    for (row, ours, theirs) in both {
        let pair = |ours: u64, theirs: u64| format!("{ours}/{theirs}");
        let mut name: String = row.name.chars().take(30).collect();
        if name.len() < row.name.len() {
            name.push('~');
        }
        writeln!(
            text,
            "  {name:<32}{:>16}{:>14}{:>12}{:>14}{:>14}",
            pair(ours.bytes, theirs.bytes),
            pair(ours.counts.instructions, theirs.counts.instructions),
            pair(ours.counts.spills, theirs.counts.spills),
            pair(ours.counts.reloads, theirs.counts.reloads),
            pair(ours.counts.frame_bytes, theirs.counts.frame_bytes),
        )?;
    }
    Ok(())
}
