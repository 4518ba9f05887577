//! Options about debug information besides what modules say of it.

use clap::Args;
use clap::builder::BoolishValueParser;
use frazil_emit::dwarf::{DebugOptions, SplitDebug};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// What the command line says about debug information.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct DebugArguments {
    /// Describe the frames of all functions in a section .debug_frame, with debug information or without
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new())]
    pub force_dwarf_frame_section: Option<bool>,
    /// Write a section .debug_aranges, which says where the code and data of each unit are
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new())]
    pub generate_arange_section: Option<bool>,
    /// Put types that have one name in all of a program into units of their own, of which linkers keep one
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new())]
    pub generate_type_units: Option<bool>,
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
            all_frames: self.force_dwarf_frame_section.unwrap_or_default(),
            address_ranges: self.generate_arange_section.unwrap_or_default(),
            type_units: self.generate_type_units.unwrap_or_default(),
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
