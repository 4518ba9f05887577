//! The stops of two sessions, aligned and compared.

use std::collections::BTreeMap;
use std::fmt;

/// How far is looked ahead for a stop that the other session has, too.
const LOOK_AHEAD: usize = 40;

/// What gdb says of a variable that has no place.
pub const LOST: &str = "<optimized out>";

/// A stop: where it is, and the variables there.
#[derive(Debug, PartialEq, Eq)]
pub struct Stop {
    /// Function and line, with a column after a colon if it is a point.
    place: String,
    variables: BTreeMap<String, Variable>,
}

/// A variable at a stop.
#[derive(Debug, PartialEq, Eq)]
struct Variable {
    /// The line where it is declared; 0 if that is not known, or does not matter.
    declared: u32,
    value: String,
}

impl Stop {
    /// The place taken apart, without a column.
    fn function_and_line(&self) -> (&str, u32) {
        let mut words = self.place.rsplitn(2, ' ');
        let line = words.next().and_then(|word| word.split(':').next()?.parse().ok());
        (words.next().unwrap_or_default(), line.unwrap_or(0))
    }
}

/// What sessions have in common, and what not.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Stops of the reference, and how many of them both sessions have.
    stops: usize,
    matched: usize,
    /// Stops that the reference alone has at a line right after another stop there, which its code comes to in several
    /// pieces.
    repeated: usize,
    /// Variables that the reference has at these, how many of them are equal, and how many have no place.
    variables: usize,
    equal: usize,
    lost: usize,
    /// How many have another value.
    pub wrong: usize,
    /// Differences in words.
    pub notes: Vec<String>,
}

/// The least shares of stops and of values of variables that unoptimised code has, of those of the reference.
const LEAST: [f64; 2] = [0.99, 0.995];

impl Comparison {
    /// Whether nearly all stops and values of the reference are there.
    pub fn is_complete(&self) -> bool {
        let share = |count: usize, total: usize| count as f64 / total.max(1) as f64;
        share(self.matched, self.stops) >= LEAST[0] && share(self.equal, self.variables) >= LEAST[1]
    }

    /// Adds the counts of another comparison.
    pub fn add(&mut self, other: &Comparison) {
        self.stops += other.stops;
        self.matched += other.matched;
        self.repeated += other.repeated;
        self.variables += other.variables;
        self.equal += other.equal;
        self.lost += other.lost;
        self.wrong += other.wrong;
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} stops, {} of {} variables equal, {} lost, {} wrong",
            self.matched, self.stops, self.equal, self.variables, self.lost, self.wrong
        )?;
        match self.repeated {
            0 => Ok(()),
            repeated => write!(f, "; {repeated} more stops at the line of the one before"),
        }
    }
}

/// The stops in what a session prints.
pub fn parse(text: &str) -> Vec<Stop> {
    let mut stops: Vec<Stop> = Vec::new();
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, stops.last_mut()) {
            ("stop", _) => stops.push(Stop {
                place: rest.to_owned(),
                variables: BTreeMap::new(),
            }),
            ("variable", Some(stop)) => {
                let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
                let (name, declared) = name.split_once(':').unwrap_or((name, "0"));
                let variable = Variable {
                    declared: declared.parse().unwrap_or(0),
                    value: value.to_owned(),
                };
                stop.variables.insert(name.to_owned(), variable);
            }
            _ => {}
        }
    }
    stops
}

/// Compares a session with the reference's. A stop that only one has is passed over.
pub fn compare(ours: &[Stop], theirs: &[Stop]) -> Comparison {
    let mut found = Comparison::default();
    let (mut own, mut other) = (0, 0);
    // What the session of the reference did not come to is not compared.
    while own < ours.len() && other < theirs.len() {
        if ours[own].place == theirs[other].place {
            found.stops += 1;
            found.matched += 1;
            compare_stop(&ours[own], theirs, other, &mut found);
            (own, other) = (own + 1, other + 1);
            continue;
        }
        let ahead = |list: &[Stop], from: usize, place: &str| {
            let rest = list.iter().skip(from).take(LOOK_AHEAD);
            rest.map(|stop| stop.place.as_str()).position(|known| known == place)
        };
        let in_theirs = ahead(theirs, other, &ours[own].place).unwrap_or(usize::MAX);
        let in_ours = ahead(ours, own, &theirs[other].place).unwrap_or(usize::MAX);
        match in_theirs <= in_ours {
            true if other > 0 && theirs[other - 1].place == theirs[other].place => {
                found.repeated += 1;
                other += 1;
            }
            true => {
                found.stops += 1;
                found.notes.push(format!("no stop at {}", theirs[other].place));
                other += 1;
            }
            false => own += 1,
        }
    }
    found
}

/// Compares a stop with the one of that number of the reference's.
fn compare_stop(ours: &Stop, session: &[Stop], number: usize, found: &mut Comparison) {
    let theirs = &session[number];
    // What the reference does not know is not compared.
    for (name, expected) in theirs.variables.iter().filter(|row| !row.1.value.contains(LOST)) {
        let (place, expected_value) = (&theirs.place, &expected.value);
        let value = ours.variables.get(name).map(|variable| &variable.value);
        if value != Some(expected_value) && is_passed_over(expected.declared, session, number) {
            continue;
        }
        found.variables += 1;
        match value {
            Some(value) if value == expected_value => found.equal += 1,
            Some(value) if !value.contains(LOST) => {
                // Nothing is worse, so it comes first.
                let note = format!("{name} at {place} is {value}; expected {expected_value}");
                found.notes.insert(found.wrong, note);
                found.wrong += 1;
            }
            _ => {
                found.lost += 1;
                found
                    .notes
                    .push(format!("{name} at {place} has no value; expected {expected_value}"));
            }
        }
    }
}

/// Whether a jump led over a declaration in the function of a stop, so that nothing has written the variable: that line
/// has stops, but none since the last one at the first line of the function.
fn is_passed_over(declared: u32, session: &[Stop], number: usize) -> bool {
    let (function, _) = session[number].function_and_line();
    let lines = |stops| {
        let places = <[Stop]>::iter(stops).rev().map(Stop::function_and_line);
        places.filter(|place| place.0 == function).map(|place| place.1)
    };
    let first = lines(session).min().unwrap_or(0);
    let latest = lines(&session[..=number]).find(|&line| line == declared || line == first);
    declared > first && latest == Some(first) && lines(session).any(|line| line == declared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_aligned() {
        let ours = parse("stop f 1\nvariable a 1\nstop f 3\nvariable a 2\nvariable b <optimized out>\nstop g 9\nend\n");
        let theirs = parse("stop f 1\nvariable a 1\nstop f 1\nstop f 2\nstop f 3\nvariable a 3\nvariable b 4\nend\n");
        let found = compare(&ours, &theirs);
        assert_eq!(
            found.to_string(),
            "2 of 3 stops, 1 of 3 variables equal, 1 lost, 1 wrong; 1 more stops at the line of the one before"
        );
        // What is wrong comes first.
        assert_eq!(found.notes[..2], ["a at f 3 is 2; expected 3", "no stop at f 2"]);
    }
    #[test]
    fn what_was_never_declared_has_no_value_to_compare() {
        let session = |value: &str| {
            let text = "stop f 1\nvariable n:0 1\nstop f 4\nvariable a:3 VALUE\nvariable n:0 VALUE\n\
                stop f 1\nstop f 3\nstop f 4\nvariable a:3 VALUE\n";
            parse(&text.replace("VALUE", value))
        };
        let found = compare(&session("7"), &session("8"));
        // At the first stop at line 4, nothing has come by line 3.
        assert_eq!(found.notes, ["n at f 4 is 7; expected 8", "a at f 4 is 7; expected 8"]);
        assert_eq!((found.variables, found.equal), (3, 1));
    }
}
