//! `cargo xtask bench --history`: how the committed counts of executed instructions have changed from commit to commit.
//!
//! Each commit that changes a count has the new one in the file that `bench --instructions` compares with, so that git
//! itself keeps the history: nothing is measured here, and nothing is stored a second time. Printed are all counts of
//! each such commit and by how much each differs from the one before; the plot is an SVG file in the target folder, in
//! which 1 is the first count of each kind.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::instructions::COUNTS;
use super::plot::{self, Panel, Series};
use crate::{process, workspace};

/// The counts of a commit.
struct Entry {
    /// Its short hash, its date and its title.
    commit: [String; 3],
    counts: BTreeMap<String, u64>,
}

/// Prints and draws the history.
pub fn show() -> Result<bool> {
    let entries = entries()?;
    ensure!(!entries.is_empty(), "no commit has {COUNTS}: is this a shallow clone?");
    let mut last: BTreeMap<&str, u64> = BTreeMap::new();
    for Entry { commit, counts } in &entries {
        let [hash, date, title] = commit;
        println!("{hash} {date} {title}");
        for (what, &count) in counts {
            match last.insert(what, count) {
                None => println!("  {count:>12}           {what}"),
                Some(before) if before == count => {}
                Some(before) => {
                    let change = (count as f64 / before as f64 - 1.0) * 100.0;
                    println!("  {count:>12} {change:+8.2} % {what}");
                }
            }
        }
    }
    let path = workspace::target_dir().join("bench/history.svg");
    fs::create_dir_all(path.parent().expect("it is in a folder"))?;
    fs::write(&path, drawing(&entries, &last.into_keys().collect::<Vec<_>>())?)?;
    println!("{} commits; plot: {}", entries.len(), path.display());
    Ok(true)
}

/// All commits that changed the counts, from the first.
fn entries() -> Result<Vec<Entry>> {
    let log = git(&["log", "--reverse", "--format=%h%x09%cs%x09%s", "--", COUNTS])?;
    let entry = |line: &str| {
        let mut words = line.splitn(3, '\t').map(str::to_owned);
        let mut word = || words.next().context("git log prints three words for a commit");
        let commit = [word()?, word()?, word()?];
        let text = git(&["show", &format!("{}:{COUNTS}", commit[0])])?;
        Ok(Entry {
            commit,
            counts: parse(&text)?,
        })
    };
    log.lines().map(entry).collect()
}

fn git(arguments: &[&str]) -> Result<String> {
    let outcome = process::checked(Command::new("git").current_dir(workspace::root()).args(arguments))?;
    Ok(String::from_utf8(outcome.stdout)?)
}

/// What is done, and its count, of each line.
fn parse(text: &str) -> Result<BTreeMap<String, u64>> {
    let row = |line: &str| {
        // The first ones had no colon.
        let (what, count) = line.rsplit_once(' ').with_context(|| format!("{COUNTS}: {line}"))?;
        let what = what.strip_suffix(':').unwrap_or(what);
        Ok((
            what.to_owned(),
            count.trim().parse().with_context(|| format!("{COUNTS}: {line}"))?,
        ))
    };
    text.lines().map(row).collect()
}

/// The counts of these kinds, relative to the first of each.
fn drawing(entries: &[Entry], kinds: &[&str]) -> Result<String> {
    let series = kinds.iter().map(|&kind| {
        let numbered = (1..).zip(entries);
        let counts = numbered.filter_map(|(number, entry)| Some((f64::from(number), *entry.counts.get(kind)? as f64)));
        let counts: Vec<(f64, f64)> = counts.collect();
        let first = counts.first().map_or(1.0, |first| first.1);
        Series {
            name: kind,
            points: counts
                .into_iter()
                .map(|(number, count)| (number, count / first))
                .collect(),
        }
    });
    let panel = Panel {
        title: "executed instructions, relative to the first count",
        series: series.collect(),
    };
    plot::lines(&[panel], "commits that changed a count")
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn lines_of_counts_are_read() {
        let counts =
            parse("O2 compiles a: b.bc: 12\nO2 code of c runs: 7\na.bc 5\n").expect("they are lines of counts");
        assert_eq!(counts["a.bc"], 5);
        assert_eq!(counts["O2 compiles a: b.bc"], 12);
        assert_eq!(counts["O2 code of c runs"], 7);
        assert!(parse("no count\n").is_err());
    }
}
