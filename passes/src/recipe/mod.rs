//! Recipes: named lists of passes and options by which a function is compiled.
//!
//! A recipe is written in TOML ([`text`]), may extend another one ([`draft`]), is looked up in a [`Book`], and resolved
//! once into a [`Recipe`]: a flat list of passes with their options, checked against the registry and the order that
//! the passes ask for. Compiling only walks that list.

mod book;
pub mod draft;
mod explain;
mod origin;
mod placeholders;
mod resolve;
pub mod schema;
mod step;
#[cfg(test)]
mod tests;
pub mod text;

pub use book::{Book, Overrides};
pub use draft::{Placed, Setting};
pub use explain::{explain, list_passes};
pub use origin::{Origin, RecipeError, hint, plain};
pub use step::{FunctionStep, MachStep, Step};
pub use text::REGALLOC;

use crate::registry::{AnalysisEntry, Registry};
use frazil_codegen::optimize::MachRecipe;
use frazil_ir::pass::PassInfo;

/// The name of instruction selection among the places of a recipe, where machine code begins.
pub const SELECT: &str = "select";

/// How machine code is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Codegen {
    /// One walk that lowers, allocates registers and encodes.
    Fast,
    /// Machine code with virtual registers, passes over it, and linear scan.
    Select(MachRecipe),
}

/// A way to compile a function, ready for use.
#[derive(Debug)]
pub struct Recipe {
    /// The name in `--recipe`.
    pub name: String,
    /// What it is good for, in one line.
    pub summary: String,
    /// The recipes that it changes, the nearest first.
    pub extends: Vec<String>,
    /// The passes over the intermediate representation, in order.
    pub steps: Vec<FunctionStep>,
    /// The passes over machine code before register allocation.
    pub mach_before: Vec<MachStep>,
    /// The passes over machine code after register allocation.
    pub mach_after: Vec<MachStep>,
    /// How machine code is made.
    pub codegen: Codegen,
    /// The analyses that the registry knows.
    pub analyses: Vec<AnalysisEntry>,
}

/// A recipe that every driver knows.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// The name in `--recipe`.
    pub name: &'static str,
    /// Its file's name in messages.
    pub file: &'static str,
    text: &'static str,
}

/// A row of [`BUILTIN`].
macro_rules! builtin {
    ($name:literal, $file:literal) => {
        Builtin {
            name: $name,
            file: concat!("passes/recipes/", $file),
            text: include_str!(concat!("../../recipes/", $file)),
        }
    };
}

/// The recipes that every driver knows; the first is the default.
pub const BUILTIN: &[Builtin] = &[
    builtin!("Om1", "om1.toml"),
    builtin!("O1", "o1.toml"),
    builtin!("O2", "o2.toml"),
    builtin!("Os", "os.toml"),
];

impl Recipe {
    /// How many passes there are.
    pub fn pass_count(&self) -> usize {
        self.steps.len() + self.mach_before.len() + self.mach_after.len()
    }

    /// What the passes say about themselves, in the order in which they run.
    pub fn infos(&self) -> impl Iterator<Item = &PassInfo> {
        let functions = self.steps.iter().map(|step| &step.info);
        let machine = self.mach_before.iter().chain(&self.mach_after);
        functions.chain(machine.map(|step| &step.info))
    }

    /// The names of all that a function goes through, in order: passes, and in the mode `select` also [`SELECT`] and
    /// [`REGALLOC`]. These are what observers name.
    pub fn places(&self) -> impl Iterator<Item = &'static str> {
        let machine = match self.codegen {
            Codegen::Fast => [None, None],
            Codegen::Select(_) => [Some(SELECT), Some(REGALLOC)],
        };
        let [select, regalloc] = machine;
        let names = |steps: &[MachStep]| steps.iter().map(|step| step.info.name).collect::<Vec<_>>();
        let functions = self.steps.iter().map(|step| step.info.name);
        let before = names(&self.mach_before).into_iter();
        let after = names(&self.mach_after).into_iter();
        functions.chain(select).chain(before).chain(regalloc).chain(after)
    }

    /// Whether machine code has been made when a function leaves the last place of this name.
    pub fn is_machine_place(&self, name: &str) -> bool {
        let machine = self.places().skip(self.steps.len());
        machine.into_iter().any(|place| place == name)
    }

    /// The built-in recipe of this name.
    ///
    /// # Errors
    /// If there is none; the error offers valid names.
    pub fn find(name: &str) -> Result<Recipe, RecipeError> {
        Book::new(&Registry::builtin()).recipe(name, &Overrides::default())
    }
}
