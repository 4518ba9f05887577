//! The merge of what is known where paths meet, for both functions at once.
//!
//! The abstract state of a node is a partition of all live places of both functions: places in one class hold equal
//! terms. A path brings one partition, and the merge is the coarsest common refinement: two places stay in one class
//! if they are in one class on every path.
//!
//! ```text
//!  path 1:  { rax, slot, rbx' } { rcx }          path 2:  { rax, rbx' } { slot, rcx }
//!                         \                        /
//!  merged:            { rax, rbx' } { slot } { rcx }          (rbx' is a register of the function after)
//! ```
//!
//! If the term of a class is the same on all paths, the class keeps it; otherwise it gets a new symbol. What is
//! undefined on one path is in no class with anything else until the other paths have arrived, so classes may grow at
//! first. After [`FREE_MERGES`] arrivals, partitions only become finer, so that the iteration over a loop terminates.
//!
//! Something undefined on a path may be anything. So an undefined place of the function before may be any of the
//! things in the function after that agree with it on the other paths: it is a choice of these (`terms/refine.rs`),
//! made anew at each use. Words are cut where something undefined begins, so that defined bits next to it stay known.

use super::terms::{Origin, Term, Terms};
use super::values::{WORD_BITS, Word, WordPlace};
use frazil_support::FxHashMap;

/// Words at the places of one function that are live at a node, in the order of places.
pub(super) type Known = Vec<(WordPlace, Word)>;

/// What a walk that arrives at a node knows, by function.
pub(super) type Arrival = [Known; 2];

/// What is known at a node.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    /// The latest arrival from each predecessor, which is identified by its node and edge.
    arrivals: Vec<(u64, Arrival)>,
    /// The merge of all arrivals.
    pub known: Arrival,
    /// How often arrivals have been merged.
    merges: u32,
    /// Where words are cut into pieces, one bit for each position. Cuts are never removed, so that the iteration
    /// terminates.
    cuts: u32,
}

/// After this many merges, places that are in different classes stay so, so that the iteration terminates. Before,
/// classes may grow: something undefined on one path is in a class of its own until the other paths have arrived.
const FREE_MERGES: u32 = 40;

/// A range of bits of a word that is merged separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    shift: u16,
    width: u16,
}

impl Knowledge {
    /// Takes an arrival from a predecessor; returns whether that changes what is known.
    pub(super) fn arrive(&mut self, from: u64, arrival: Arrival, node: u32, terms: &mut Terms) -> bool {
        match self.arrivals.iter_mut().find(|(other, _)| *other == from) {
            Some((_, old)) if *old == arrival => return false,
            Some((_, old)) => *old = arrival,
            None => self.arrivals.push((from, arrival)),
        }
        self.note_cuts(terms);
        let known = self.merge(node, terms);
        self.merges += 1;
        if known == self.known && self.merges > 1 {
            return false;
        }
        self.known = known;
        true
    }

    /// How many words all arrivals have together.
    pub(super) fn word_count(&self) -> usize {
        let of_one = |(_, [before, after]): &(u64, Arrival)| before.len() + after.len();
        self.arrivals.iter().map(of_one).sum()
    }

    /// Whether any path arrives.
    pub(super) fn is_reached(&self) -> bool {
        !self.arrivals.is_empty()
    }

    /// Takes back the arrival from a predecessor that no longer leads here; returns whether that changes what is known.
    pub(super) fn leave(&mut self, from: u64, node: u32, terms: &mut Terms) -> bool {
        self.arrivals.retain(|&(other, _)| other != from);
        if self.arrivals.is_empty() {
            return false;
        }
        let known = self.merge(node, terms);
        let is_changed = known != self.known;
        self.known = known;
        is_changed
    }

    fn merge(&self, node: u32, terms: &mut Terms) -> Arrival {
        if let [(_, only)] = &self.arrivals[..] {
            return only.clone();
        }
        let mut classes = Classes {
            node,
            keeps_parted: self.merges > FREE_MERGES,
            cuts: self.cuts,
            of_columns: FxHashMap::default(),
            after: Vec::new(),
        };
        let mut known = Arrival::default();
        // Open places of the function before come last: they may equal anything in the function after.
        for (side, is_open) in [(1, None), (0, Some(false)), (0, Some(true))] {
            for index in 0..self.arrivals[0].1[side].len() {
                let words = || self.arrivals.iter().map(|(_, arrival)| arrival[side][index].1);
                let has_open = words().any(|word| terms.is_open(word.term));
                if is_open.is_none_or(|wanted| wanted == has_open) {
                    let place = self.arrivals[0].1[side][index].0;
                    let words: Vec<Word> = words().collect();
                    let old = self.known[side].get(index).map(|&(_, word)| word.term);
                    known[side].push((place, classes.word(&words, old, side, place, terms)));
                }
            }
        }
        known[0].sort_unstable_by_key(|&(place, _)| place);
        known
    }

    /// Finds where words must be cut into pieces: between significant and insignificant bits, and between open bits
    /// (see [`Terms::is_open`]) and others. The cuts are the same for all places, since what one place holds in one
    /// function may be in any place in the other.
    fn note_cuts(&mut self, terms: &Terms) {
        for &(_, word) in self.arrivals.iter().flat_map(|(_, arrival)| arrival.iter().flatten()) {
            if word.significant > 0 && u16::from(word.significant) < WORD_BITS {
                self.cuts |= 1 << word.significant;
            }
            terms.note_cuts(word.term, &mut self.cuts);
        }
    }
}

fn pieces_of(mut cuts: u32, width: u16) -> impl Iterator<Item = Piece> {
    let mut shift = 0;
    std::iter::from_fn(move || {
        if shift >= width {
            return None;
        }
        let next = if cuts == 0 { width } else { cuts.trailing_zeros() as u16 };
        cuts &= cuts.wrapping_sub(1);
        let piece = Piece {
            shift,
            width: next.min(width) - shift,
        };
        shift = next;
        Some(piece)
    })
}

/// The terms that a place has on all incoming paths; and the symbol that it has so far, once classes must not grow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Column {
    mark: Option<Term>,
    terms: Vec<Term>,
}

/// The classes of places while the arrivals of a node are merged: places with equal columns are in one class.
struct Classes {
    node: u32,
    keeps_parted: bool,
    cuts: u32,
    of_columns: FxHashMap<Column, Term>,
    /// The columns of the function after that became symbols: candidates for open places of the function before.
    after: Vec<(Column, Term)>,
}

impl Classes {
    /// The merged word of a place that holds `words` on the incoming paths and has held `old` so far.
    fn word(&mut self, words: &[Word], old: Option<Term>, side: usize, place: WordPlace, terms: &mut Terms) -> Word {
        let significant = words.iter().map(|word| word.significant);
        let significant = match side {
            // The function before may rely on no more than what is significant on all paths.
            0 => significant.min(),
            // In the function after, a path on which the place is undefined before need not have anything significant.
            _ => significant.max(),
        };
        let significant = significant.unwrap_or(0);
        let first = words[0].term;
        let is_parted = |old: Term| self.keeps_parted && terms.is_phi_of(old, self.node);
        if !terms.has_choice(first) && words.iter().all(|word| word.term == first) && !old.is_some_and(is_parted) {
            return Word {
                term: first,
                significant,
            };
        }
        let width = terms.width(first);
        let is_mixed = words.iter().any(|word| terms.width(word.term) != width);
        let mut pieces = Vec::new();
        for piece in pieces_of(if is_mixed { 0 } else { self.cuts }, width) {
            let part = |terms: &mut Terms, term: Term| match is_mixed {
                // Only parts of the flags can have terms of different widths. They are not cut.
                true => term,
                false => terms.part(term, piece.shift, piece.width),
            };
            let old = old.filter(|&old| is_mixed || terms.width(old) == width);
            let old = old.map(|old| part(terms, old));
            let column = Column {
                mark: old.filter(|&old| self.keeps_parted && terms.is_phi_of(old, self.node)),
                terms: words.iter().map(|word| part(terms, word.term)).collect(),
            };
            pieces.push(self.find(column, side, place, piece, terms));
        }
        let term = terms.concat(&pieces);
        Word { term, significant }
    }

    /// The merged term of a piece of a place: the term that it has on all paths, or the symbol of its class.
    fn find(&mut self, column: Column, side: usize, place: WordPlace, piece: Piece, terms: &mut Terms) -> Term {
        let first = column.terms[0];
        // A term with choices may mean something else on each path.
        if !terms.has_choice(first) && column.mark.is_none() && column.terms.iter().all(|&term| term == first) {
            return first;
        }
        let found = self.of_columns.get(&column).copied();
        if let Some(term) = found.or_else(|| self.open(&column, side, terms)) {
            return term;
        }
        let number = [self.node, place.0 | (side as u32) << 31, u32::from(piece.shift)];
        let symbol = terms.symbol(Origin::Phi, number, piece.width);
        self.of_columns.insert(column.clone(), symbol);
        if side == 1 {
            self.after.push((column, symbol));
        }
        symbol
    }

    /// The merged term of an open place of the function before: a choice of all terms and symbols of the function
    /// after that refine it on every path. `None` if nothing is open in it, or nothing fits.
    fn open(&self, column: &Column, side: usize, terms: &mut Terms) -> Option<Term> {
        if side == 1 || !column.terms.iter().any(|&term| terms.is_open(term)) {
            return None;
        }
        let fits = |terms: &mut Terms, other: &[Term]| {
            let mut pairs = column.terms.iter().zip(other);
            pairs.all(|(&ours, &theirs)| terms.width(ours) == terms.width(theirs) && terms.refines(ours, theirs))
        };
        let Some(&defined) = column.terms.iter().find(|&&term| !terms.is_undefined(term)) else {
            return Some(column.terms[0]);
        };
        let mut candidates: Vec<Term> = Vec::new();
        for other in terms.candidates(defined) {
            if fits(terms, &vec![other; column.terms.len()]) {
                candidates.push(other);
            }
        }
        for (other, symbol) in &self.after {
            if fits(terms, &other.terms) {
                candidates.push(*symbol);
            }
        }
        (!candidates.is_empty()).then(|| terms.choice(candidates))
    }
}
