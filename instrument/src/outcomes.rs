//! What the body of a hook comes to for arguments of a kind, remembered from site to site of a function.
//!
//! Most sites of a check are alike: they give the same numbers, and addresses of which as many low bits are zeros.
//! Where one of them has shown that nothing is left of the body, or that a branch in it is not decided, the next one
//! need not follow the body again.
//!
//! Method: a short list that is searched from its newest entry. Sites with more arguments than [`MOST_ARGUMENTS`], or
//! with numbers of more than 64 bits, are not remembered.

use crate::low_bits::low_zeros_of_argument;
use frazil_ir::{Function, Module, Opcode, Operand};
use frazil_passes::constants::int_value;

/// Hooks with more parameters are looked at anew at each site.
const MOST_ARGUMENTS: usize = 6;

/// So many kinds are remembered at a time.
const MOST_KINDS: usize = 16;

/// What is left of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing: it is one path, and only computes.
    Nothing,
    /// One path.
    Straight,
    /// A branch is not decided by what is known.
    Blocks,
}

/// What is known of an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Argument {
    /// There is none.
    #[default]
    Missing,
    Number(i64),
    /// How many of its lowest bits are zeros, if the body looks at low bits.
    Zeros(u32),
}

/// A kind of site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The hook's number among all, and whether its fast part alone is meant.
    hook: (usize, bool),
    arguments: [Argument; MOST_ARGUMENTS],
}

impl Kind {
    /// The kind of a site; `None` if it is not one that is remembered.
    pub(crate) fn of_site(
        hook: (usize, bool),
        body: &Function,
        site: (&Function, &Module, &[Operand]),
    ) -> Option<Kind> {
        let (function, module, args) = site;
        if args.len() > MOST_ARGUMENTS {
            return None;
        }
        let looks_at_low_bits = body.insts().iter().any(|data| data.op == Opcode::And);
        let mut arguments = [Argument::Missing; MOST_ARGUMENTS];
        for (kind, &arg) in arguments.iter_mut().zip(args) {
            *kind = match int_value(function, arg) {
                Some(number) => Argument::Number(i64::try_from(number).ok()?),
                None if looks_at_low_bits => Argument::Zeros(low_zeros_of_argument(function, module, arg)),
                None => Argument::Zeros(0),
            };
        }
        Some(Kind { hook, arguments })
    }
}

/// What was found out in a function.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    list: Vec<(Kind, Outcome)>,
}

impl Outcomes {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }

    pub(crate) fn find(&self, kind: &Kind) -> Option<Outcome> {
        let mut list = self.list.iter().rev();
        list.find(|row| row.0 == *kind).map(|row| row.1)
    }

    pub(crate) fn add(&mut self, kind: Kind, outcome: Outcome) {
        if self.list.len() == MOST_KINDS {
            self.list.remove(0);
        }
        self.list.push((kind, outcome));
    }
}

#[cfg(test)]
mod tests {
    use super::{Argument, Kind, MOST_KINDS, Outcome, Outcomes};

    #[test]
    fn the_newest_kinds_are_remembered() {
        let kind = |number: i64| Kind {
            hook: (0, true),
            arguments: [Argument::Number(number); 6],
        };
        let mut outcomes = Outcomes::default();
        for number in 0..=MOST_KINDS as i64 {
            outcomes.add(kind(number), Outcome::Blocks);
        }
        assert_eq!(outcomes.find(&kind(0)), None);
        assert_eq!(outcomes.find(&kind(1)), Some(Outcome::Blocks));
        let other = Kind {
            hook: (0, false),
            ..kind(1)
        };
        assert_eq!(outcomes.find(&other), None);
        outcomes.clear();
        assert_eq!(outcomes.find(&kind(1)), None);
    }
}
