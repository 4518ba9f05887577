//! Conditions such as `size>1.2`, for scripts that end when a figure is out of bounds.

use crate::Error;
use crate::report::{RATIOS, Report};

/// A condition on a ratio, Frazil's figure over llc's.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    ratio: &'static str,
    is_greater: bool,
    bound: f64,
}

/// Reads conditions.
///
/// # Errors
/// When one is none.
pub fn parse_all(words: &[String]) -> Result<Vec<Condition>, Error> {
    words.iter().map(|word| parse(word)).collect()
}

fn parse(word: &str) -> Result<Condition, Error> {
    let wrong = || {
        let names = RATIOS.join(", ");
        Error::new(format!(
            "--fail-if {word}: expected one of {names}, then < or >, then a number"
        ))
    };
    let (name, bound) = word.split_once(['<', '>']).ok_or_else(wrong)?;
    let ratio = RATIOS
        .into_iter()
        .find(|ratio| *ratio == name.trim())
        .ok_or_else(wrong)?;
    Ok(Condition {
        ratio,
        is_greater: word.contains('>'),
        bound: bound.trim().parse().map_err(|_| wrong())?,
    })
}

impl Condition {
    /// What to say about each pair of levels where the condition holds, or where it cannot be decided for want of a
    /// figure: a bound that nobody checks is no bound.
    pub fn holds(&self, report: &Report) -> Vec<String> {
        let sign = if self.is_greater { '>' } else { '<' };
        let levels = report.levels.iter().filter_map(|level| {
            let name = level.level.name();
            let Some(&value) = level.ratios.get(self.ratio) else {
                return Some(format!(
                    "{name}: there is no ratio `{}` to compare with {}",
                    self.ratio, self.bound
                ));
            };
            let holds = if self.is_greater {
                value > self.bound
            } else {
                value < self.bound
            };
            holds.then(|| format!("{name}: {} is {value:.3} {sign} {}", self.ratio, self.bound))
        });
        levels.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let condition = parse("size > 1.2").expect("right");
        assert_eq!(
            (condition.ratio, condition.is_greater, condition.bound),
            ("size", true, 1.2)
        );
        assert!(!parse("run<0.5").expect("right").is_greater);
        for wrong in ["size", "sice>1", "size>x", ">1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
