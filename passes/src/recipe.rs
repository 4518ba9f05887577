//! What a recipe is, and the built-in ones.

use frazil_support::suggest::nearest;
use thiserror::Error;

/// How machine code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codegen {
    /// One walk that lowers, allocates registers and encodes.
    Fast,
}

/// A named way to compile a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The name in `--recipe`.
    pub name: &'static str,
    /// What it is good for, in one line.
    pub summary: &'static str,
    /// How machine code is made.
    pub codegen: Codegen,
}

/// The recipes that every driver knows; the first is the default.
pub const BUILTIN: &[Recipe] = &[Recipe {
    name: "Om1",
    summary: "two walks over the code, no optimization: the fastest compilation",
    codegen: Codegen::Fast,
}];

/// A name that no recipe has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown recipe `{name}`; {hint}")]
pub struct UnknownRecipe {
    /// The name.
    pub name: String,
    /// The nearest valid name, or all of them.
    pub hint: String,
}

impl Recipe {
    /// The built-in recipe of this name.
    ///
    /// # Errors
    /// If there is none; the error offers valid names.
    pub fn find(name: &str) -> Result<&'static Recipe, UnknownRecipe> {
        BUILTIN.iter().find(|recipe| recipe.name == name).ok_or_else(|| {
            let names = || BUILTIN.iter().map(|recipe| recipe.name);
            let hint = match nearest(name, names()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("valid names: {}", names().collect::<Vec<_>>().join(", ")),
            };
            UnknownRecipe {
                name: name.to_owned(),
                hint,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_found_by_name_and_mistyped_names_get_a_suggestion() {
        assert_eq!(Recipe::find("Om1"), Ok(&BUILTIN[0]));
        let error = Recipe::find("om1").expect_err("names are exact");
        assert_eq!(error.to_string(), "unknown recipe `om1`; did you mean `Om1`?");
        let error = Recipe::find("fastest").expect_err("no such recipe");
        assert_eq!(error.to_string(), "unknown recipe `fastest`; valid names: Om1");
    }
}
