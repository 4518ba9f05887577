//! What the program tells about itself: version, targets, processors, manual page, completions.
//!
//! Manual page and completions are made from the definitions of the options, so that they cannot differ from them.

use crate::options::Arguments;
use clap::CommandFactory;
use clap_complete::Shell;
use frazil_codegen::TargetEntry;
use std::fmt::Write;

/// The version, and the targets as LLVM's tools list them.
pub(crate) fn version(targets: &[TargetEntry]) -> String {
    let mut text = format!("frazil {}\n\n  Registered Targets:\n", env!("CARGO_PKG_VERSION"));
    for target in targets {
        let other = match target.llc_name == target.name {
            true => String::new(),
            false => format!(" (llc's name: {})", target.llc_name),
        };
        let _ = writeln!(text, "    {:<8} - {}{other}", target.name, target.summary);
    }
    text
}

/// The processors and features of a target.
pub(crate) fn processors(target: &TargetEntry) -> String {
    let target = (target.new)();
    let table = &target.desc().features;
    let mut text = format!("Available CPUs for this target ({}):\n\n", target.desc().name);
    for cpu in table.cpus {
        let _ = writeln!(text, "  {}", cpu.name);
    }
    if table.native.is_some() {
        text.push_str("  native - this machine's\n");
    }
    text.push_str("\nAvailable features for this target:\n\n");
    for feature in table.features {
        let has = if table.base.has(feature.bit) {
            " (always there)"
        } else {
            ""
        };
        let _ = writeln!(text, "  {:<18} - {}{has}", feature.name, feature.summary);
    }
    if !table.tuning.is_empty() {
        text.push_str("\nAvailable names of what is fast or preferred, which change nothing here:\n\n");
        for name in table.tuning {
            let _ = writeln!(text, "  {name}");
        }
    }
    text.push_str("\nUse +feature to enable a feature, or -feature to disable it.\n");
    text
}

/// A script that completes words of the command line.
pub(crate) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "frazil", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The manual page, for `man`.
pub(crate) fn page() -> String {
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = clap_mangen::Man::new(Arguments::command()).render(&mut page);
    String::from_utf8_lossy(&page).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list for readers says more than the definitions, so it is written by hand.
    const LIST: &str = include_str!("../docs/options.md");

    #[test]
    fn every_option_is_in_the_list_and_nothing_else() {
        let rows = LIST.lines().filter_map(|line| line.strip_prefix("| `"));
        let columns = rows.filter_map(|row| row.split_once(" | ").map(|(names, _)| names));
        let listed: Vec<&str> = columns
            .flat_map(|names| names.split('`'))
            .filter(|words| words.starts_with('-'))
            .filter_map(|words| words.split([' ', '=']).next())
            .map(|word| word.trim_start_matches('-'))
            .collect();
        let mut command = Arguments::command();
        // With what it has by itself.
        command.build();
        let mut known: Vec<String> = Vec::new();
        for option in command.get_arguments().filter(|option| !option.is_positional()) {
            let aliases = option.get_visible_aliases().unwrap_or_default();
            let long = option.get_long().into_iter().chain(aliases).map(str::to_owned);
            let names: Vec<String> = long.chain(option.get_short().map(String::from)).collect();
            let is_listed = names.iter().any(|name| LIST.contains(&format!("-{name}")));
            assert!(is_listed || option.is_hide_set(), "{names:?} is not in docs/options.md");
            known.extend(
                option
                    .get_all_aliases()
                    .unwrap_or_default()
                    .into_iter()
                    .map(str::to_owned),
            );
            known.extend(names);
        }
        for name in listed {
            let is_known = known
                .iter()
                .any(|known| known == name || known.len() == 1 && name.starts_with(known.as_str()));
            assert!(is_known, "docs/options.md has -{name}, which does not exist");
        }
    }
}
