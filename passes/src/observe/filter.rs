//! Which functions and which passes are meant.

use crate::recipe::{Recipe, RecipeError};
use frazil_support::suggest::nearest;
use regex_lite::Regex;

/// Functions, by name or number.
#[derive(Clone, Debug, Default)]
pub enum FunctionFilter {
    #[default]
    All,
    /// The one with this number, counted from 0 in the order of the module's definitions.
    Number(usize),
    /// Those whose name has a match.
    Pattern(Regex),
    /// Those with these names.
    Names(Vec<String>),
}

impl FunctionFilter {
    /// Reads `#12`, or a regular expression.
    ///
    /// # Errors
    /// When it is neither.
    pub fn parse(text: &str) -> Result<FunctionFilter, String> {
        if let Some(number) = text.strip_prefix('#') {
            let number = number
                .parse()
                .map_err(|_| format!("`{text}`: expected a number after #"))?;
            return Ok(FunctionFilter::Number(number));
        }
        let pattern = Regex::new(text).map_err(|error| format!("`{text}`: {error}"))?;
        Ok(FunctionFilter::Pattern(pattern))
    }

    /// The functions with these names; without names, all of them.
    pub fn names(names: &[String]) -> FunctionFilter {
        match names {
            [] => FunctionFilter::All,
            names => FunctionFilter::Names(names.to_vec()),
        }
    }

    /// Whether a function is meant.
    pub fn matches(&self, number: usize, name: &str) -> bool {
        match self {
            FunctionFilter::All => true,
            FunctionFilter::Names(names) => names.iter().any(|wanted| wanted == name),
            FunctionFilter::Number(wanted) => *wanted == number,
            FunctionFilter::Pattern(pattern) => pattern.is_match(name),
        }
    }
}

/// Passes of a recipe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PassFilter {
    #[default]
    None,
    All,
    /// Those with these names.
    Names(Vec<String>),
}

impl PassFilter {
    /// Names, one of which may be `all`.
    pub fn of(names: &[String]) -> PassFilter {
        match names {
            [] => PassFilter::None,
            names if names.iter().any(|name| name == "all") => PassFilter::All,
            names => PassFilter::Names(names.to_vec()),
        }
    }

    /// Whether a pass is meant.
    pub fn matches(&self, pass: &str) -> bool {
        match self {
            PassFilter::None => false,
            PassFilter::All => true,
            PassFilter::Names(names) => names.iter().any(|name| name == pass),
        }
    }

    /// Checks that all names are those of passes of the recipe.
    pub(super) fn check(&self, recipe: &Recipe) -> Result<(), RecipeError> {
        let PassFilter::Names(names) = self else { return Ok(()) };
        match names.iter().find(|name| !recipe.places().any(|place| place == **name)) {
            Some(name) => Err(no_such_pass(recipe, name)),
            None => Ok(()),
        }
    }
}

/// A pass of a recipe, by name and, if the recipe has it several times, by occurrence: `dce`, `dce:2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepName {
    pass: String,
    occurrence: Option<usize>,
}

impl StepName {
    /// Reads a name.
    ///
    /// # Errors
    /// When the occurrence is no number above 0.
    pub fn parse(text: &str) -> Result<StepName, String> {
        let Some((pass, occurrence)) = text.split_once(':') else {
            return Ok(StepName {
                pass: text.to_owned(),
                occurrence: None,
            });
        };
        match occurrence.parse() {
            Ok(number) if number > 0 => Ok(StepName {
                pass: pass.to_owned(),
                occurrence: Some(number),
            }),
            _ => Err(format!("`{text}`: expected a number above 0 after the colon")),
        }
    }

    /// Its name, without the occurrence.
    pub fn pass(&self) -> &str {
        &self.pass
    }

    /// Its place among [`Recipe::places`]; without a number, the first or the last place of this name.
    pub(super) fn find(&self, recipe: &Recipe, last: bool) -> Result<usize, RecipeError> {
        let places: Vec<usize> = recipe
            .places()
            .enumerate()
            .filter(|(_, name)| *name == self.pass)
            .map(|(place, _)| place)
            .collect();
        let found = match self.occurrence {
            Some(number) => places.get(number - 1),
            None if last => places.last(),
            None => places.first(),
        };
        match (found, places.len()) {
            (Some(&place), _) => Ok(place),
            (None, 0) => Err(no_such_pass(recipe, &self.pass)),
            (None, count) => {
                let times = if count == 1 {
                    "once".to_owned()
                } else {
                    format!("{count} times")
                };
                let (recipe, pass) = (&recipe.name, &self.pass);
                Err(RecipeError::new(format!(
                    "recipe {recipe} has pass `{pass}` {times} only"
                )))
            }
        }
    }
}

fn no_such_pass(recipe: &Recipe, name: &str) -> RecipeError {
    let hint = match (nearest(name, recipe.places()), recipe.places().next()) {
        (Some(nearest), _) => format!("; did you mean `{nearest}`?"),
        (None, Some(_)) => {
            let mut names: Vec<&str> = Vec::new();
            for place in recipe.places() {
                if !names.contains(&place) {
                    names.push(place);
                }
            }
            format!("; it has {}", names.join(", "))
        }
        (None, None) => ": it has none, since it makes code in one walk; --recipe O1, O2 and Os have some".to_owned(),
    };
    RecipeError::new(format!("recipe {} has no pass `{name}`{hint}", recipe.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_named_by_number_or_pattern() {
        let filter = |text| FunctionFilter::parse(text).expect("right");
        assert!(filter("#3").matches(3, "f") && !filter("#3").matches(2, "f"));
        assert!(filter("^ma.n$").matches(0, "main") && !filter("^ma.n$").matches(0, "main2"));
        assert!(FunctionFilter::default().matches(7, ""));
        assert_eq!(
            FunctionFilter::parse("#x").expect_err("no number"),
            "`#x`: expected a number after #"
        );
        assert!(FunctionFilter::parse("(").is_err());
    }

    #[test]
    fn passes_are_named_or_all_meant() {
        let filter = |names: &[&str]| PassFilter::of(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(filter(&[]), PassFilter::None);
        assert!(filter(&["dce", "all"]).matches("licm"));
        assert!(filter(&["dce"]).matches("dce") && !filter(&["dce"]).matches("licm"));
        let error = filter(&["dce"]).check(&Recipe::find("Om1").expect("built in"));
        assert_eq!(
            error.expect_err("it has none").to_string(),
            "recipe Om1 has no pass `dce`: it has none, since it makes code in one walk; --recipe O1, O2 and Os have some"
        );
        assert!(StepName::parse("dce:0").is_err() && StepName::parse("dce:x").is_err());
    }
}
