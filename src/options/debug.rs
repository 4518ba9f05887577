//! Options about debug information besides what modules say of it.

use clap::{Args, ValueEnum};
use frazil_emit::dwarf::{DebugOptions, SplitDebug};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// What is only written where it is asked for. It is one option for all of them, since each option costs every start of
/// the program 20,000 instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DebugSections {
    Frames,
    Aranges,
    TypeUnits,
}

/// What the command line says about debug information.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct DebugArguments {
    /// What to write besides: frames of all functions in .debug_frame, with debug information or without; ranges of
    /// addresses of each unit in .debug_aranges; types that have one name in all of a program in units of their own, of
    /// which linkers keep one
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', hide_possible_values = false)]
    pub debug_sections: Vec<DebugSections>,
    /// Leave what linkers need not see to a file of this name, or, without --split-dwarf-output, in sections that tools
    /// can take out of the object
    #[arg(long, value_name = "NAME")]
    pub split_dwarf_file: Option<OsString>,
    /// Where to write that file
    #[arg(long, value_name = "PATH", requires = "split_dwarf_file")]
    pub split_dwarf_output: Option<PathBuf>,
}

impl DebugArguments {
    /// The same for the writer.
    pub(crate) fn options(&self) -> DebugOptions {
        DebugOptions {
            all_frames: self.debug_sections.contains(&DebugSections::Frames),
            address_ranges: self.debug_sections.contains(&DebugSections::Aranges),
            type_units: self.debug_sections.contains(&DebugSections::TypeUnits),
            split: self.split(),
        }
    }

    /// The other file; an empty name is none, as for llc.
    fn split(&self) -> Option<SplitDebug> {
        let name = self.split_dwarf_file.as_ref().filter(|name| !name.is_empty())?;
        Some(SplitDebug {
            name: name.as_bytes().into(),
            is_file: self.split_dwarf_output.is_some(),
        })
    }
}
