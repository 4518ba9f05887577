//! Options about registers, for testing register allocation.

use crate::diagnostics::{Error, Stage};
use clap::Args;
use frazil_codegen::optimize::RegisterChoice;
use frazil_codegen::{PRegSet, TargetDesc};
use frazil_support::suggest::nearest;

/// What the command line says about registers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Registers")]
pub struct RegisterArguments {
    /// Give values only these registers (a class of which none is named stays whole)
    #[arg(long, value_name = "REGISTER,...", value_delimiter = ',')]
    pub reg_use: Vec<String>,
    /// Give values none of these registers
    #[arg(long, value_name = "REGISTER,...", value_delimiter = ',')]
    pub reg_exclude: Vec<String>,
    /// Name none of these registers in any instruction; a function that needs one is refused
    #[arg(long, value_name = "REGISTER,...", value_delimiter = ',')]
    pub reg_reserve: Vec<String>,
}

impl RegisterArguments {
    /// Whether anything is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.reg_use.is_empty() && self.reg_exclude.is_empty() && self.reg_reserve.is_empty()
    }

    /// The registers of a target that are named.
    ///
    /// # Errors
    /// When the target has no register of a name.
    pub(crate) fn choice(&self, desc: &TargetDesc) -> Result<RegisterChoice, Error> {
        Ok(RegisterChoice {
            only: set(desc, "--reg-use", &self.reg_use)?,
            excluded: set(desc, "--reg-exclude", &self.reg_exclude)?,
            reserved: set(desc, "--reg-reserve", &self.reg_reserve)?,
        })
    }
}

fn set(desc: &TargetDesc, option: &str, names: &[String]) -> Result<PRegSet, Error> {
    let mut set = PRegSet::EMPTY;
    for name in names {
        let Some(row) = desc.regs.iter().find(|row| row.name == name) else {
            let known = desc.regs.iter().map(|row| row.name);
            let hint = nearest(name, known).map_or(String::new(), |known| format!("; did you mean `{known}`?"));
            let message = format!("{option}: {} has no register `{name}`{hint}", desc.name);
            return Err(Error::new(Stage::Options, message));
        };
        set.insert(row.reg);
    }
    Ok(set)
}
