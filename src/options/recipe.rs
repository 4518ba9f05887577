//! Options about recipes: which one, from where, and changed how.

use crate::diagnostics::{Error, Stage};
use crate::options::Personality;
use clap::{Args, ValueEnum};
use frazil_passes::{Book, Overrides, recipe};
use std::path::PathBuf;

/// What the command line says about the recipe.
#[derive(Debug, Args)]
#[command(next_help_heading = "Recipes")]
pub struct RecipeArguments {
    /// How much to optimize: 0 is the recipe Om1, 1 is O1, 2 and 3 are O2, s and z are Os [default: 0]
    #[arg(
        short = 'O',
        value_name = "LEVEL",
        value_enum,
        hide_possible_values = true,
        conflicts_with = "recipe"
    )]
    pub level: Option<Level>,
    /// How to compile [default: Om1, or the only recipe of the recipe file]
    #[arg(long, value_name = "NAME")]
    pub recipe: Option<String>,
    /// Read more recipes from a TOML file
    #[arg(long, value_name = "FILE")]
    pub recipe_file: Vec<PathBuf>,
    /// Run these passes over the intermediate representation instead of the recipe's
    #[arg(long, value_name = "PASS,...", value_delimiter = ',')]
    pub passes: Option<Vec<String>>,
    /// Leave passes of the recipe out
    #[arg(long, value_name = "PASS,...", value_delimiter = ',')]
    pub disable: Vec<String>,
    /// Set an option of a pass
    #[arg(long, value_name = "PASS.OPTION=VALUE")]
    pub set: Vec<String>,
    /// Print all passes with their options, and end
    #[arg(long)]
    pub list_passes: bool,
    /// Print a recipe with everything that the other options change in it, and end
    #[arg(long, value_name = "NAME")]
    pub explain_recipe: Option<String>,
    /// Print the JSON schema of recipe files, and end
    #[arg(long)]
    pub recipe_schema: bool,
}

/// Values of `-O`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    #[value(name = "0")]
    None,
    #[value(name = "1")]
    Less,
    #[value(name = "2")]
    Default,
    #[value(name = "3")]
    Aggressive,
    #[value(name = "s")]
    Size,
    #[value(name = "z")]
    MinSize,
}

impl Level {
    /// The recipe for the level.
    fn recipe(self) -> &'static str {
        match self {
            Level::None => "Om1",
            Level::Less => "O1",
            Level::Default | Level::Aggressive => "O2",
            Level::Size | Level::MinSize => "Os",
        }
    }
}

/// The recipe for the letter of an optimization level, as `-O` has it; that of no optimization for other letters.
pub fn recipe_of_level(letter: char) -> &'static str {
    let level = Level::from_str(letter.encode_utf8(&mut [0; 4]), false);
    level.unwrap_or(Level::None).recipe()
}

impl RecipeArguments {
    /// The name of the recipe that is meant.
    pub(crate) fn name<'a>(&'a self, book: &'a Book<'_>, personality: Personality) -> Result<&'a str, Error> {
        if let Some(name) = &self.recipe {
            return Ok(name);
        }
        if let Some(level) = self.level {
            return Ok(level.recipe());
        }
        let names: Vec<&str> = book.file_names().collect();
        match (&names[..], self.recipe_file.is_empty()) {
            (_, true) if personality == Personality::Llc => Ok(Level::Default.recipe()),
            (_, true) => Ok(recipe::BUILTIN[0].name),
            ([name], _) => Ok(name),
            _ => {
                let message = format!(
                    "--recipe must say which one of the file's recipes: {}",
                    names.join(", ")
                );
                Err(Error::new(Stage::Options, message))
            }
        }
    }

    /// What the options change in the recipe.
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            passes: self.passes.clone(),
            disable: self.disable.clone(),
            set: self.set.clone(),
        }
    }
}
