//! What is known at a node, from what is known on each path to it.
//!
//! Places of either function that hold equal terms on every path hold equal terms at the node. If these terms are the
//! same on all paths, that is what they hold; else it is a new symbol.

use super::terms::{Origin, Term, Terms};
use super::values::{Place, WORD_BITS, WORDS, Word};
use std::collections::HashMap;

/// Words at the places of one function that are live at a node, in the order of places.
pub(super) type Known = Vec<(Place, Word)>;

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
}

/// What was chosen where something is undefined in the code before that may be several things in the code after.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// By node, place and bit: what was chosen last, and what is wanted.
    made: HashMap<(u32, Place, u16), (Term, Option<Term>)>,
}

impl Choices {
    pub(super) fn clear(&mut self) {
        self.made.clear();
    }

    fn choose(&mut self, at: (u32, Place, u16), candidates: &[(Term, bool)]) -> Option<Term> {
        let wanted = self.made.get(&at).and_then(|&(_, wanted)| wanted);
        let is_there = |wanted: &Term| candidates.iter().any(|(term, _)| term == wanted);
        let chosen = wanted.filter(is_there).or(candidates.first().map(|&(term, _)| term))?;
        self.made.insert(at, (chosen, wanted));
        Some(chosen)
    }

    /// Has `wanted` chosen next time wherever `chosen` was at a node; whether that is anywhere, and new.
    pub(super) fn want(&mut self, node: u32, chosen: Term, wanted: Term) -> bool {
        let mut is_new = false;
        for ((at, ..), (last, want)) in &mut self.made {
            if *at == node && *last == chosen && *want != Some(wanted) {
                *want = Some(wanted);
                is_new = true;
            }
        }
        is_new
    }
}

/// After so many arrivals, places that were parted stay parted, so that an end is reached. Before, they need not:
/// what is undefined on one path is parted from everything until the other paths have arrived.
const FREE_MERGES: u32 = 40;

/// The part of a word that is looked at by itself: its significant bits, the rest, or all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    shift: u16,
    width: u16,
}

impl Knowledge {
    /// Notes what a path brings; whether that changes what is known.
    pub(super) fn arrive(
        &mut self,
        from: u64,
        arrival: Arrival,
        node: u32,
        terms: &mut Terms,
        choices: &mut Choices,
    ) -> bool {
        match self.arrivals.iter_mut().find(|(other, _)| *other == from) {
            Some((_, old)) if *old == arrival => return false,
            Some((_, old)) => *old = arrival,
            None => self.arrivals.push((from, arrival)),
        }
        let known = self.merge(node, terms, choices);
        self.merges += 1;
        if known == self.known && self.merges > 1 {
            return false;
        }
        self.known = known;
        true
    }

    /// What each path brings to places that hold two terms, one in the code before, one in the code after.
    pub(super) fn columns_of(&self, before: Term, after: Term) -> Vec<(Term, Term)> {
        let index = |side: usize, term: Term| self.known[side].iter().position(|(_, word)| word.term == term);
        let (Some(ours), Some(theirs)) = (index(0, before), index(1, after)) else {
            return Vec::new();
        };
        let arrivals = self.arrivals.iter();
        let pairs = arrivals.map(|(_, arrival)| (arrival[0].get(ours), arrival[1].get(theirs)));
        pairs
            .filter_map(|(ours, theirs)| Some((ours?.1.term, theirs?.1.term)))
            .collect()
    }

    fn merge(&self, node: u32, terms: &mut Terms, choices: &mut Choices) -> Arrival {
        if let [(_, only)] = &self.arrivals[..] {
            return only.clone();
        }
        let cuts = self.cuts();
        let mut classes = Classes {
            node,
            choices,
            keeps_parted: self.merges > FREE_MERGES,
            of_columns: HashMap::new(),
            after: Vec::new(),
            surplus: HashMap::new(),
        };
        let mut known = Arrival::default();
        // What is undefined in the code before comes last, so that it can be what nothing else is.
        for (side, is_undefined) in [(1, None), (0, Some(false)), (0, Some(true))] {
            for index in 0..self.arrivals[0].1[side].len() {
                let words = || self.arrivals.iter().map(|(_, arrival)| arrival[side][index].1);
                let has_undefined = words().any(|word| terms.is_undefined(word.term));
                if is_undefined.is_none_or(|wanted| wanted == has_undefined) {
                    let place = self.arrivals[0].1[side][index].0;
                    let words: Vec<Word> = words().collect();
                    let old = self.known[side].get(index).map(|&(_, word)| word.term);
                    let cut = cuts.get(&place).copied();
                    known[side].push((place, classes.word(&words, old, side, place, cut, terms)));
                }
            }
        }
        known[0].sort_unstable_by_key(|&(place, _)| place);
        known
    }

    /// Where words have significant bits that are not all: these and the rest are looked at by themselves, in both
    /// functions.
    fn cuts(&self) -> HashMap<Place, u8> {
        let mut cuts = HashMap::new();
        for (_, arrival) in &self.arrivals {
            for &(place, word) in arrival.iter().flatten() {
                if word.significant > 0 && u16::from(word.significant) < WORD_BITS {
                    let cut = cuts.entry(place).or_insert(word.significant);
                    *cut = (*cut).min(word.significant);
                }
            }
        }
        cuts
    }
}

fn pieces_of(cut: Option<u8>, width: u16) -> Vec<Piece> {
    match cut.map(u16::from) {
        Some(cut) if cut < width => vec![
            Piece { shift: 0, width: cut },
            Piece {
                shift: cut,
                width: width - cut,
            },
        ],
        _ => vec![Piece { shift: 0, width }],
    }
}

/// What the paths bring to a place, and the symbol that the place had so far: places that were parted stay so.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Column {
    mark: Option<Term>,
    terms: Vec<Term>,
}

/// Classes of places with equal columns.
struct Classes<'a> {
    node: u32,
    choices: &'a mut Choices,
    keeps_parted: bool,
    of_columns: HashMap<Column, Term>,
    /// The columns of the function after, for what is undefined in the function before.
    after: Vec<(Column, Place)>,
    /// By what places hold: how many more places of the function after hold it than of the one before.
    surplus: HashMap<Term, i32>,
}

impl Classes<'_> {
    /// What a place holds at the node, to which the paths bring `words`.
    fn word(
        &mut self,
        words: &[Word],
        old: Option<Term>,
        side: usize,
        place: Place,
        cut: Option<u8>,
        terms: &mut Terms,
    ) -> Word {
        // What nobody may look at after one of the paths, nobody looks at here.
        let significant = words.iter().map(|word| word.significant).min().unwrap_or(0);
        let width = terms.width(words[0].term);
        let is_mixed = words.iter().any(|word| terms.width(word.term) != width);
        let mut pieces = Vec::new();
        for piece in pieces_of(cut.filter(|_| !is_mixed), width) {
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
    fn find(&mut self, column: Column, side: usize, place: Place, piece: Piece, terms: &mut Terms) -> Term {
        let first = column.terms[0];
        if column.mark.is_none() && column.terms.iter().all(|&term| term == first) {
            self.count(side, first);
            return first;
        }
        let found = self.of_columns.get(&column).copied();
        if let Some(term) = found.or_else(|| self.undefined(&column, side, (place, piece.shift), terms)) {
            self.count(side, term);
            return term;
        }
        let number = [self.node, place.0 | (side as u32) << 31, u32::from(piece.shift)];
        let symbol = terms.symbol(Origin::Phi, number, piece.width);
        self.of_columns.insert(column.clone(), symbol);
        self.count(side, symbol);
        if side == 1 {
            self.after.push((column, place));
        }
        symbol
    }

    fn count(&mut self, side: usize, term: Term) {
        *self.surplus.entry(term).or_insert(0) += if side == 1 { 1 } else { -1 };
    }

    /// The class for something that may be anything on some of the paths: one that is like it on the others, and that
    /// places in the function after have which nothing in the function before is yet, if possible.
    fn undefined(&mut self, column: &Column, side: usize, at: (Place, u16), terms: &Terms) -> Option<Term> {
        if side == 1 || !column.terms.iter().any(|&term| terms.is_undefined(term)) {
            return None;
        }
        let fits = |other: &&(Column, Place)| {
            let mut pairs = other.0.terms.iter().zip(&column.terms);
            pairs.all(|(&theirs, &ours)| {
                terms.width(theirs) == terms.width(ours) && (theirs == ours || terms.is_undefined(ours))
            })
        };
        let mut defined = column.terms.iter().copied().filter(|&term| !terms.is_undefined(term));
        let only = defined.next().filter(|&first| defined.all(|term| term == first));
        let kept = only.filter(|only| self.surplus.contains_key(only));
        // The high half of one register is hardly the low half of another.
        let is_same_word = |other: &Place| other.0 % WORDS == at.0.0 % WORDS;
        let fitting = self.after.iter().filter(fits);
        let fitting = fitting.filter_map(|(other, at)| Some((*self.of_columns.get(other)?, is_same_word(at))));
        let mut all: Vec<_> = fitting.chain(kept.map(|term| (term, true))).collect();
        all.dedup_by_key(|(term, _)| *term);
        all.sort_by_key(|(term, is_same_word)| (self.surplus.get(term) <= Some(&0), !is_same_word));
        self.choices.choose((self.node, at.0, at.1), &all)
    }
}
