//! Evaluation of terms for given values of their symbols: can two unequal terms differ at all?
//!
//! Terms in different forms may always have the same value, because the normal form is not canonical for all of
//! arithmetic. So before a difference is reported, both terms are evaluated for many assignments of their symbols.
//! Uninterpreted functions get pseudo-random values that depend on their operands only. In some rounds, values are few
//! and small, so that comparisons have both outcomes; in others they are random.
//!
//! Equal values prove nothing: the terms are then neither proved equal nor shown to differ.

use super::bitwise::OPERATIONS;
use super::{Bitwise, Node, Origin, Tag, Term, Terms, coefficient, function};
use frazil_support::{FxBuildHasher, FxHashMap};
use std::collections::BTreeSet;

/// For how many assignments of values terms are evaluated.
const ROUNDS: u64 = 96;
/// How many values undefined symbols get in each round, to see which bits of the result depend on them.
const WAYS_OF_UNDEFINED: u64 = 4;
/// Larger terms are not evaluated, so they count as possibly equal.
const MOST_TERMS: usize = 20_000;
/// With more selections of alternatives than this, terms are not evaluated.
const MOST_WAYS: usize = 256;
/// Wider terms are not evaluated.
const MOST_BITS: u16 = 128;

/// What identifies an assignment of values to symbols and uninterpreted functions.
#[derive(Clone, Copy)]
struct Round {
    number: u64,
    undefined: u64,
}

impl Terms {
    /// Whether an assignment of values is found under which the term of the function after has a value that the term
    /// of the function before cannot have.
    pub(in crate::check::translation) fn can_differ(&self, before: Term, after: Term) -> bool {
        let (Some(ours), Some(theirs)) = (self.in_order(before), self.in_order(after)) else {
            return false;
        };
        let choices: Vec<Term> = ours
            .iter()
            .copied()
            .filter(|&term| self.node(term).tag == Tag::Choice)
            .collect();
        let ways: usize = choices.iter().map(|&choice| self.args(choice).len()).product();
        if ways > MOST_WAYS {
            return false;
        }
        (0..ROUNDS).any(|number| {
            let round = Round { number, undefined: 0 };
            let wanted = self.evaluate(&theirs, &FxHashMap::default(), round);
            (0..ways).all(|way| {
                let chosen = self.chosen(&choices, way);
                let value = self.evaluate(&ours, &chosen, round);
                let depends = (1..WAYS_OF_UNDEFINED).fold(0, |bits, undefined| {
                    bits | (self.evaluate(&ours, &chosen, Round { number, undefined }) ^ value)
                });
                (value ^ wanted) & !depends != 0
            })
        })
    }

    /// The terms that a term consists of, operands first, unless they are too many or too wide, or vague.
    fn in_order(&self, term: Term) -> Option<Vec<Term>> {
        let (mut found, mut waiting) = (BTreeSet::from([term]), vec![term]);
        while let Some(term) = waiting.pop() {
            if found.len() > MOST_TERMS || self.width(term) > MOST_BITS || self.vague.contains(&term) {
                return None;
            }
            waiting.extend(self.operands(term).filter(|&operand| found.insert(operand)));
        }
        // Operands have lower numbers than the terms that they are in.
        Some(found.into_iter().collect())
    }

    fn operands(&self, term: Term) -> impl Iterator<Item = Term> {
        let step = if self.node(term).tag == Tag::Sum { 3 } else { 1 };
        self.args(term).iter().step_by(step).map(|&arg| Term(arg))
    }

    /// Selection number `way` of alternatives: one for each choice.
    fn chosen(&self, choices: &[Term], mut way: usize) -> FxHashMap<Term, Term> {
        choices
            .iter()
            .map(|&choice| {
                let candidates = self.args(choice);
                let chosen = candidates[way % candidates.len()];
                way /= candidates.len();
                (choice, Term(chosen))
            })
            .collect()
    }

    /// The value of the last of `terms`, which has all operands before their users.
    fn evaluate(&self, terms: &[Term], chosen: &FxHashMap<Term, Term>, round: Round) -> u128 {
        let mut values: FxHashMap<Term, u128> = FxHashMap::with_capacity_and_hasher(terms.len(), FxBuildHasher);
        let mut last = 0;
        for &term in terms {
            let node = self.node(term);
            last = match chosen.get(&term) {
                Some(candidate) => values[candidate],
                None => {
                    let operands: Vec<u128> = self.operands(term).map(|operand| values[&operand]).collect();
                    self.value(term, node, &operands, round) & mask(node.width)
                }
            };
            values.insert(term, last);
        }
        last
    }

    /// The value of a term with these values of its operands; bits above its width are to be ignored.
    fn value(&self, term: Term, node: &Node, operands: &[u128], round: Round) -> u128 {
        let widths: Vec<u16> = self.operands(term).map(|operand| self.width(operand)).collect();
        let number = u128::from(node.data[0]) | u128::from(node.data[1]) << 32;
        match node.tag {
            Tag::Symbol if node.data[0] == Origin::Undefined as u32 => {
                // Assignments 0 and 1 of undefined symbols are complements, so that every bit that depends on one is
                // found.
                let words = node.data.iter().map(|&word| u128::from(word));
                let value = random(words.chain([u128::from(round.undefined / 2)]), round.number | 3);
                if round.undefined == 1 { !value } else { value }
            }
            Tag::Symbol => random(node.data.iter().map(|&word| u128::from(word)), round.number),
            Tag::Constant => number,
            Tag::Part => operands[0] >> node.data[0],
            Tag::Concat => {
                let mut shift = 0;
                operands.iter().zip(&widths).fold(0, |value, (&operand, &width)| {
                    let placed = operand << shift;
                    shift += width;
                    value | placed
                })
            }
            Tag::Sum => {
                let factors = self.args(term).chunks_exact(3).map(coefficient);
                factors.zip(operands).fold(number, |sum, (factor, &operand)| {
                    sum.wrapping_add(u128::from(factor).wrapping_mul(operand))
                })
            }
            Tag::SignExtend => signed(operands[0], widths[0]).cast_unsigned(),
            Tag::Choice => 0,
            Tag::Apply => apply(node, operands, widths.first().copied().unwrap_or(0)).unwrap_or_else(|| {
                let words = node.data.iter().map(|&word| u128::from(word));
                random(words.chain(operands.iter().copied()), round.number)
            }),
        }
    }
}

/// The value of a function that shared code defines, for operands that are `width` bits wide.
fn apply(node: &Node, operands: &[u128], width: u16) -> Option<u128> {
    let value = match (node.data[0], operands) {
        (function::BITWISE, &[a, b]) => match OPERATIONS[node.data[1] as usize] {
            Bitwise::And => a & b,
            Bitwise::Or => a | b,
            Bitwise::Xor => a ^ b,
        },
        (function::PRODUCT, &[a, b]) => a.wrapping_mul(b),
        (function::IS_ZERO, &[a]) => u128::from(a == 0),
        (function::SELECT, &[condition, a, b]) => {
            if condition != 0 {
                a
            } else {
                b
            }
        }
        (function::CARRY, &[a, b]) if width < MOST_BITS => (a + b) >> width,
        (function::BORROW, &[a, b]) => u128::from(a < b),
        (function::OVERFLOW, &[a, b]) if width < MOST_BITS => {
            let sum = signed(a, width) + signed(b, width);
            u128::from(sum != signed(sum.cast_unsigned() & mask(width), width))
        }
        (function::SUBTRACTION_OVERFLOW, &[a, b]) if width < MOST_BITS => {
            let difference = signed(a, width) - signed(b, width);
            u128::from(difference != signed(difference.cast_unsigned() & mask(width), width))
        }
        _ => return None,
    };
    Some(value)
}

/// The lowest `width` bits set.
fn mask(width: u16) -> u128 {
    if width >= MOST_BITS {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

fn signed(value: u128, width: u16) -> i128 {
    let shift = MOST_BITS - width.clamp(1, MOST_BITS);
    (value << shift).cast_signed() >> shift
}

/// A pseudo-random number that depends on the words and the round only. In three of four rounds, there are only a few
/// different ones.
fn random(words: impl Iterator<Item = u128>, round: u64) -> u128 {
    let start = u128::from(round).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let mix = |hash: u128| (hash ^ hash >> 59).wrapping_mul(0xda94_2042_e4dd_58b5_2360_ed05_1fc6_5da5);
    let hash = mix(words.fold(start, |hash, word| mix(hash ^ word).rotate_left(31)));
    let hash = hash ^ hash >> 64;
    match round % 4 {
        0 => [0, 1, u128::MAX, 0x8000_0000_8000_0080][(hash % 4) as usize],
        1 => hash % 3,
        2 => start >> ((hash % 8) * 8),
        _ => hash,
    }
}
