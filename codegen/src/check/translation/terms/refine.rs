//! Refinement: terms of the code before in which something undefined is one of several alternatives.
//!
//! Where paths merge, a place of the code before that is undefined on some of them may equal any of the things in the
//! code after that agree with it on the others. It is a *choice* of these, and each use takes the alternative that it
//! needs, as each use of something undefined may see another value. A term with choices *refines to* another one if
//! some selection of alternatives makes the two equal.

use super::bitwise::OPERATIONS;
use super::{Tag, Term, Terms, coefficient, function};
use frazil_support::{FxHashMap, FxHashSet};

/// Limits for the search for a selection of alternatives: choices in a term, and selections tried.
const MOST_CHOICES: usize = 8;
const MOST_WAYS: usize = 256;
/// The most subterms of a term that are visited.
const MOST_INNER: usize = 4096;

impl Terms {
    /// Any one of some terms, which have the same width and contain no choices.
    pub(in crate::check::translation) fn choice(&mut self, mut candidates: Vec<Term>) -> Term {
        candidates.sort_unstable();
        candidates.dedup();
        if let [only] = candidates[..] {
            return only;
        }
        let width = self.width(candidates[0]);
        let args: Vec<u32> = candidates.iter().map(|term| term.0).collect();
        self.intern(Tag::Choice, width, [0; 4], &args)
    }

    /// The alternatives of a choice; any other term is its only alternative.
    pub(in crate::check::translation) fn candidates(&self, term: Term) -> Vec<Term> {
        match self.node(term).tag {
            Tag::Choice => self.args(term).iter().map(|&arg| Term(arg)).collect(),
            _ => vec![term],
        }
    }

    /// Whether a term may stand for several values, since something undefined or a choice is in it.
    pub(in crate::check::translation) fn is_open(&self, term: Term) -> bool {
        let node = self.node(term);
        node.has_undefined || node.has_choice
    }

    /// Whether `after` may replace `before`: it is equal to it for some selection of the alternatives in `before`, or
    /// `before` is undefined.
    pub(in crate::check::translation) fn refines(&mut self, before: Term, after: Term) -> bool {
        if before == after || self.is_undefined(before) {
            return true;
        }
        if !self.is_open(before) || self.width(before) != self.width(after) {
            return false;
        }
        if let Some(&known) = self.refinements.get(&(before, after)) {
            return known;
        }
        let refines = self.refines_by_structure(before, after) || self.refines_by_choosing(before, after);
        self.refinements.insert((before, after), refines);
        refines
    }

    fn refines_by_structure(&mut self, before: Term, after: Term) -> bool {
        let (ours, theirs) = (*self.node(before), *self.node(after));
        let args = self.args(before).to_vec();
        match ours.tag {
            Tag::Choice => args.contains(&after.0),
            Tag::Concat => {
                let mut position = 0;
                args.iter().all(|&arg| {
                    let width = self.width(Term(arg));
                    let part = self.part(after, position, width);
                    position += width;
                    self.refines(Term(arg), part)
                })
            }
            Tag::Sum => false,
            tag => {
                let is_alike = tag == theirs.tag && ours.data == theirs.data && ours.args_len == theirs.args_len;
                let other = self.args(after).to_vec();
                is_alike
                    && args
                        .iter()
                        .zip(&other)
                        .all(|(&ours, &theirs)| self.refines(Term(ours), Term(theirs)))
            }
        }
    }

    pub(in crate::check::translation) fn has_choice(&self, term: Term) -> bool {
        self.node(term).has_choice
    }

    /// Sets a bit of `cuts` for each position in a concatenation at which an open piece borders on one that is not
    /// open.
    pub(in crate::check::translation) fn note_cuts(&self, term: Term, cuts: &mut u32) {
        let node = self.node(term);
        if node.tag != Tag::Concat || !self.is_open(term) || node.width > 32 {
            return;
        }
        let (mut position, mut was_open) = (0, None);
        for &arg in self.args(term) {
            let is_open = Some(self.is_open(Term(arg)));
            if was_open.is_some() && was_open != is_open {
                *cuts |= 1 << position;
            }
            was_open = is_open;
            position += self.width(Term(arg));
        }
    }

    /// Tries selections of alternatives; if some alternatives of a choice occur in `after`, only these.
    fn refines_by_choosing(&mut self, before: Term, after: Term) -> bool {
        let mut choices = Vec::new();
        self.for_each_inner(before, &mut |terms, term| {
            if terms.node(term).tag == Tag::Choice {
                choices.push(term);
            }
            terms.node(term).has_choice
        });
        if choices.len() > MOST_CHOICES {
            return false;
        }
        let mut wanted = FxHashSet::default();
        self.for_each_inner(after, &mut |_, term| wanted.insert(term));
        let candidates: Vec<Vec<Term>> = choices
            .iter()
            .map(|&choice| {
                let all: Vec<Term> = self.args(choice).iter().map(|&arg| Term(arg)).collect();
                let likely: Vec<Term> = all.iter().copied().filter(|term| wanted.contains(term)).collect();
                if likely.is_empty() { all } else { likely }
            })
            .collect();
        let ways: usize = candidates.iter().map(Vec::len).product();
        for way in 0..ways.min(MOST_WAYS) {
            let mut rest = way;
            let mut chosen = FxHashMap::default();
            for (&choice, candidates) in choices.iter().zip(&candidates) {
                chosen.insert(choice, candidates[rest % candidates.len()]);
                rest /= candidates.len();
            }
            if self.with_chosen(before, &mut chosen) == after {
                return true;
            }
        }
        false
    }

    /// Calls `visit` once with a term and with each term inside of it whose parent `visit` has returned true for.
    fn for_each_inner(&self, term: Term, visit: &mut impl FnMut(&Terms, Term) -> bool) {
        let (mut stack, mut seen) = (vec![term], FxHashSet::default());
        while let Some(term) = stack.pop() {
            if seen.len() > MOST_INNER || !seen.insert(term) || !visit(self, term) {
                continue;
            }
            let node = self.node(term);
            if node.tag != Tag::Choice {
                let step = if node.tag == Tag::Sum { 3 } else { 1 };
                stack.extend(self.args(term).iter().step_by(step).map(|&arg| Term(arg)));
            }
        }
    }

    /// A term with the replacements that `made` has; results are added to `made`.
    fn with_chosen(&mut self, term: Term, made: &mut FxHashMap<Term, Term>) -> Term {
        if let Some(&known) = made.get(&term) {
            return known;
        }
        let node = *self.node(term);
        if !node.has_choice {
            return term;
        }
        let args = self.args(term).to_vec();
        let step = if node.tag == Tag::Sum { 3 } else { 1 };
        let inner: Vec<Term> = args
            .iter()
            .step_by(step)
            .map(|&arg| self.with_chosen(Term(arg), made))
            .collect();
        let result = match node.tag {
            Tag::Symbol | Tag::Constant | Tag::Choice => term,
            Tag::Part => self.part(inner[0], node.data[0] as u16, node.width),
            Tag::Concat => self.concat(&inner),
            Tag::SignExtend => self.sign_extend(inner[0], node.width),
            Tag::Sum => {
                let constant = u64::from(node.data[0]) | u64::from(node.data[1]) << 32;
                let factors = args.chunks_exact(3).map(coefficient);
                let terms: Vec<(u64, Term)> = factors.zip(inner).collect();
                self.sum(node.width, constant, &terms)
            }
            Tag::Apply => match node.data[0] {
                function::BITWISE => self.bitwise(OPERATIONS[node.data[1] as usize], inner[0], inner[1]),
                function::PRODUCT => self.product(inner[0], inner[1]),
                function::IS_ZERO => self.is_zero(inner[0]),
                _ => self.apply(node.data, node.width, &inner),
            },
        };
        made.insert(term, result);
        result
    }
}
