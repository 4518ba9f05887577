//! The report as one page that needs nothing else: the data as JSON, and a script that shows it.
//!
//! All figures on the page are those of the JSON in it. Assemblies are beside it, [packed](crate::packed) by function,
//! and unpacked when a function is opened; they end where the page would get too long to load at once. What is chosen
//! on the page (level, order, filter, function) is part of its address after the `#`, so that a view can be linked to.

use crate::packed::pack;
use crate::report::{BlockRow, Comparison, FunctionRow, Report};
use std::collections::BTreeMap;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The most bytes of a page: what a browser loads at once.
const MAX_PAGE_BYTES: usize = 3_000_000;
/// What assemblies may take in any case, if the figures of very many functions leave no more.
const MIN_ASSEMBLY_BYTES: usize = 500_000;

/// Makes the text of the HTML page for a report.
pub fn page(report: &Report) -> String {
    let data = json(&without_blocks(report));
    let others = PAGE.len() + STYLE.len() + SCRIPT.len() + data.len();
    let rest = MAX_PAGE_BYTES.saturating_sub(others + json(&names(report)).len());
    let assemblies = json(&assemblies(report, rest.max(MIN_ASSEMBLY_BYTES)));
    PAGE.replace("{style}", STYLE)
        .replace("{script}", SCRIPT)
        .replace("{assemblies}", &assemblies)
        .replace("{data}", &data)
}

/// JSON that may stand in a script.
fn json(data: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(data).expect("plain data");
    // The end of a script's text must not occur in it.
    text.replace("</", "<\\/")
}

/// The report as it is shown at once.
fn without_blocks(report: &Report) -> Report {
    let levels = report.levels.iter().map(|level| Comparison {
        functions: level
            .functions
            .iter()
            .map(|row| FunctionRow {
                name: row.name.clone(),
                frazil: row.frazil,
                llc: row.llc,
                blocks: Vec::new(),
            })
            .collect(),
        level: level.level.clone(),
        frazil: level.frazil.clone(),
        llc: level.llc.clone(),
        ratios: level.ratios.clone(),
        programs: level.programs.clone(),
    });
    Report {
        input: report.input.clone(),
        frazil_version: report.frazil_version.clone(),
        llc_version: report.llc_version.clone(),
        levels: levels.collect(),
    }
}

/// All of what [`assemblies`] has but the assemblies, which are all that it counts.
fn names(report: &Report) -> Vec<BTreeMap<&str, &str>> {
    let levels = report.levels.iter();
    let rows = levels.map(|level| level.functions.iter().filter(|row| !row.blocks.is_empty()));
    rows.map(|rows| rows.map(|row| (row.name.as_str(), "")).collect())
        .collect()
}

/// Packed assemblies by level and function. Each level has an equal share of the bytes, the worst functions that fit
/// into it first; what a level leaves, the next may take.
fn assemblies(report: &Report, max_bytes: usize) -> Vec<BTreeMap<&str, String>> {
    let mut left = max_bytes;
    let levels = report.levels.iter().enumerate().map(|(number, level)| {
        let mut share = left / (report.levels.len() - number);
        left -= share;
        let rows = level.functions.iter().filter(|row| !row.blocks.is_empty());
        let packed = rows.map(|row| (row.name.as_str(), pack(&row.blocks as &[BlockRow])));
        let kept = packed.filter(|(_, text)| {
            let rest = share.checked_sub(text.len());
            share = rest.unwrap_or(share);
            rest.is_some()
        });
        let kept = kept.collect();
        left += share;
        kept
    });
    levels.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::Line;
    use crate::compiler::Level;
    use crate::report::Side;

    fn report(functions: &[&str]) -> Report {
        let line = |text: &str| Line {
            text: text.to_owned(),
            comment: String::new(),
            source: 0,
        };
        let row = |name: &&str| FunctionRow {
            name: (*name).to_owned(),
            frazil: None,
            llc: None,
            blocks: vec![BlockRow {
                frazil: vec![line(name)],
                llc: Vec::new(),
            }],
        };
        let level = Comparison {
            level: Level {
                frazil: "2".to_owned(),
                llc: "2".to_owned(),
            },
            frazil: Side::default(),
            llc: Side::default(),
            ratios: BTreeMap::new(),
            functions: functions.iter().map(row).collect(),
            programs: None,
        };
        Report {
            input: "</script><b>".to_owned(),
            frazil_version: String::new(),
            llc_version: String::new(),
            levels: vec![level.clone(), level],
        }
    }

    #[test]
    fn nothing_in_a_report_ends_the_script() {
        let page = page(&report(&["</script>"]));
        assert_eq!(page.matches("</script>").count(), 3);
        assert!(!page.contains("http://") && !page.contains("https://"), "no network");
    }

    #[test]
    fn assemblies_end_where_the_page_gets_too_long() {
        let report = report(&["f", "g", "h"]);
        let one = pack(&report.levels[0].functions[0].blocks).len();
        let kept = |max_bytes| -> Vec<usize> {
            let levels = assemblies(&report, max_bytes);
            levels.iter().map(BTreeMap::len).collect()
        };
        assert_eq!(kept(6 * one), [3, 3]);
        assert_eq!(kept(6 * one - 1), [2, 3]);
        assert_eq!(kept(3 * one), [1, 2]);
        assert_eq!(kept(one - 1), [0, 0]);
    }
}
