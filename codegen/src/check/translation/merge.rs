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

/// What a path brings to a node: for both functions.
pub(super) type Arrival = [Known; 2];

/// A node's knowledge.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    /// Paths by who they come from.
    arrivals: Vec<(u64, Arrival)>,
    /// What follows from them.
    pub known: Arrival,
    /// How often something has arrived.
    merges: u32,
    /// Where words have been cut so far, a bit for each: a cut stays, so that an end is reached.
    cuts: u32,
}

/// After so many arrivals, places that were parted stay parted, so that an end is reached. Before, they need not:
/// what is undefined on one path is parted from everything until the other paths have arrived.
const FREE_MERGES: u32 = 40;

/// The part of a word that is examined by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    shift: u16,
    width: u16,
}

impl Knowledge {
    /// Notes what a path brings; whether that changes what is known.
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
        // What is open in the code before comes last, when it is known what it may be.
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

    /// Finds where words are to be cut into pieces that are examined by themselves: between bits that are significant
    /// and such that are not, and between open ones and others. It is the same for all places, since what is in one
    /// place of one function may be in any of the other.
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

/// What the paths bring to a place, and the symbol that the place had so far: places that were parted stay so.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Column {
    mark: Option<Term>,
    terms: Vec<Term>,
}

/// Classes of places with equal columns.
struct Classes {
    node: u32,
    keeps_parted: bool,
    cuts: u32,
    of_columns: FxHashMap<Column, Term>,
    /// The columns of the function after that became symbols, for what is open in the function before.
    after: Vec<(Column, Term)>,
}

impl Classes {
    /// What a place holds at the node, to which the paths bring `words`.
    fn word(&mut self, words: &[Word], old: Option<Term>, side: usize, place: WordPlace, terms: &mut Terms) -> Word {
        let significant = words.iter().map(|word| word.significant);
        let significant = match side {
            // What nobody may look at after one of the paths, nobody looks at here.
            0 => significant.min(),
            // After a path on which the code before has something undefined, nothing need be significant.
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
                // Flags of operations of different widths.
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

    /// The term of a place's class: what all paths bring, or a symbol.
    fn find(&mut self, column: Column, side: usize, place: WordPlace, piece: Piece, terms: &mut Terms) -> Term {
        let first = column.terms[0];
        // The same choice on all paths may be different things.
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

    /// What something holds at the node that may be several things on some of the paths: any of the symbols of the
    /// function after that fit it on every path, or what the other paths bring if that is one thing.
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
