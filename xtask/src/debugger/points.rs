//! Points of a program: places in its line table with a line and a column.
//!
//! A point begins where a row has another line or column than the one before. It is one moment of the source only if
//! `llc`'s unoptimised code has it once: what has several, such as a closing brace that loops jump to and that is
//! passed on the way out, is left out. So are rows of column 0, before which parameters are not yet in their slots.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use crate::{process, workspace};

/// A line and a column.
pub type Point = (u32, u32);

/// Points by address, ascending.
pub type Table = Vec<(u64, Point)>;

/// The points of a source file in an executable.
pub fn read(executable: &Path, source: &str) -> Result<Table> {
    let mut dwarfdump = workspace::llvm_tool("llvm-dwarfdump-22")?;
    let outcome = process::checked(dwarfdump.arg("--debug-line").arg(executable))?;
    Ok(parse(&String::from_utf8_lossy(&outcome.stdout), source))
}

/// The points of a source file in what `llvm-dwarfdump` prints.
fn parse(text: &str, source: &str) -> Table {
    let mut table = Table::new();
    // The numbers of the file in the unit that is being read, and that of the name that comes next.
    let (mut own_files, mut file) = (Vec::new(), None);
    let mut before = None;
    for line in text.lines() {
        if line.starts_with("debug_line[") {
            (own_files, file, before) = (Vec::new(), None, None);
        } else if let Some(rest) = line.strip_prefix("file_names[") {
            file = rest
                .split(']')
                .next()
                .and_then(|digits| digits.trim().parse::<u32>().ok());
        } else if let Some(name) = line.trim_start().strip_prefix("name: \"") {
            let name = name.trim_end_matches('"').rsplit('/').next();
            own_files.extend(file.filter(|_| name == Some(source)));
        } else if line.starts_with("0x") {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |place: usize| words.get(place).and_then(|word| word.parse::<u32>().ok());
            let address = u64::from_str_radix(words[0].trim_start_matches("0x"), 16).ok();
            let row = address.zip(number(1).zip(number(2)));
            let is_ours = number(3).is_some_and(|file| own_files.contains(&file)) && !line.contains("end_sequence");
            let point = row.filter(|row| is_ours && row.1.0 > 0 && row.1.1 > 0);
            // The last of several rows for an address holds.
            table.pop_if(|last| Some(last.0) == address);
            table.extend(point.filter(|row| before != Some(row.1)));
            before = point.map(|row| row.1);
        }
    }
    table.sort_unstable();
    table
}

/// The lines that points have, with commas.
pub fn lines(table: &Table) -> String {
    let mut lines: Vec<u32> = table.iter().map(|row| row.1.0).collect();
    lines.sort_unstable();
    lines.dedup();
    let texts: Vec<String> = lines.iter().map(u32::to_string).collect();
    texts.join(",")
}

/// The points that there are once.
pub fn unique(table: &Table) -> Vec<Point> {
    let mut counts: BTreeMap<Point, usize> = BTreeMap::new();
    table.iter().for_each(|row| *counts.entry(row.1).or_default() += 1);
    counts.into_iter().filter(|row| row.1 == 1).map(|row| row.0).collect()
}

/// Those of some points that a table has, for the session.
pub fn text(table: &Table, kept: &[Point]) -> String {
    let rows = table.iter().filter(|row| kept.binary_search(&row.1).is_ok());
    let rows = rows.map(|(address, (line, column))| format!("{address:x} {line} {column}\n"));
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_source_that_are_there_once() {
        let table = parse(
            "debug_line[0x00000000]\nfile_names[  0]:\n           name: \"/x/a.c\"\nfile_names[  1]:\n           \
             name: \"b.h\"\n\
             0x0000000000000010      3      0      0   0             0       0  is_stmt\n\
             0x0000000000000014      4      2      0   0             0       0  is_stmt\n\
             0x0000000000000018      4      2      0   0             0       0\n\
             0x000000000000001c      9      1      1   0             0       0  is_stmt\n\
             0x0000000000000020      5      7      0   0             0       0  is_stmt\n\
             0x0000000000000024      6      1      0   0             0       0  is_stmt\n\
             0x0000000000000028      7      3      0   0             0       0\n\
             0x000000000000002c      6      1      0   0             0       0\n\
             0x0000000000000030      6      1      0   0             0       0  end_sequence\n",
            "a.c",
        );
        assert_eq!(lines(&table), "4,5,6,7");
        assert_eq!(unique(&table), [(4, 2), (5, 7), (7, 3)]);
        assert_eq!(text(&table, &unique(&table)), "14 4 2\n20 5 7\n28 7 3\n");
    }
}
