//! Bitwise operations, and the question whether a term is zero.

use super::{Bitwise, Tag, Term, Terms, function, mask};

/// The operations, by their numbers.
pub(super) const OPERATIONS: [Bitwise; 3] = [Bitwise::And, Bitwise::Or, Bitwise::Xor];

/// What a bitwise operation with a constant does to one byte of the other operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The result is all zeros or all ones.
    Fixed,
    /// The result is the other operand.
    Nothing,
    /// The result depends on single bits.
    Change,
}

impl Terms {
    /// A bitwise operation of two terms of one width.
    pub fn bitwise(&mut self, operation: Bitwise, a: Term, b: Term) -> Term {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        if let (Some(left), Some(right)) = (self.as_constant(a), self.as_constant(b)) {
            let value = match operation {
                Bitwise::And => left & right,
                Bitwise::Or => left | right,
                Bitwise::Xor => left ^ right,
            };
            return self.constant(width, value);
        }
        if a == b {
            return if operation == Bitwise::Xor {
                self.zeros(width)
            } else {
                a
            };
        }
        if self.node(a).tag == Tag::Concat || self.node(b).tag == Tag::Concat {
            return self.bitwise_by_pieces(operation, a, b);
        }
        let (a, b) = (a.min(b), a.max(b));
        for (term, other) in [(a, b), (b, a)] {
            if let Some(value) = self.as_constant(term) {
                return self.bitwise_with_constant(operation, other, value);
            }
        }
        self.apply_bitwise(operation, a, b)
    }

    /// Zeros of any width.
    pub fn zeros(&mut self, width: u16) -> Term {
        if width <= 64 {
            return self.constant(width, 0);
        }
        let word = self.constant(64, 0);
        let rest = self.zeros(width - 64);
        self.concat(&[word, rest])
    }

    fn bitwise_by_pieces(&mut self, operation: Bitwise, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let mut cuts = vec![0, width];
        for term in [a, b] {
            if self.node(term).tag == Tag::Concat {
                let mut position = 0;
                for &arg in self.args(term) {
                    position += self.width(Term(arg));
                    cuts.push(position);
                }
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut pieces = Vec::new();
        for pair in cuts.windows(2) {
            let (shift, piece) = (pair[0], pair[1] - pair[0]);
            let parts = [a, b].map(|term| self.part(term, shift, piece));
            pieces.push(self.bitwise(operation, parts[0], parts[1]));
        }
        self.concat(&pieces)
    }

    /// A bitwise operation with a constant, split into runs of bytes with the same [`Effect`]. So the result does not
    /// depend on the pieces that the constant consisted of.
    fn bitwise_with_constant(&mut self, operation: Bitwise, term: Term, value: u64) -> Term {
        let width = self.width(term);
        let effect_at = |shift: u16| {
            let bits = (width - shift).min(8);
            let byte = value >> shift & mask(bits);
            match (operation, byte == 0, byte == mask(bits)) {
                (Bitwise::And, true, _) | (Bitwise::Or, _, true) => Effect::Fixed,
                (Bitwise::And, _, true) | (Bitwise::Or | Bitwise::Xor, true, _) => Effect::Nothing,
                _ => Effect::Change,
            }
        };
        let (mut pieces, mut start) = (Vec::new(), 0);
        while start < width {
            let effect = effect_at(start);
            let mut end = start;
            while end < width && effect_at(end) == effect {
                end = (end + 8).min(width);
            }
            let constant = self.constant(end - start, value >> start);
            pieces.push(match effect {
                Effect::Fixed => constant,
                Effect::Nothing => self.part(term, start, end - start),
                Effect::Change => {
                    let part = self.part(term, start, end - start);
                    self.apply_bitwise(operation, part, constant)
                }
            });
            start = end;
        }
        self.concat(&pieces)
    }

    fn apply_bitwise(&mut self, operation: Bitwise, a: Term, b: Term) -> Term {
        let key = [function::BITWISE, operation as u32, 0, 0];
        let width = self.width(a);
        if self.node(a).tag == Tag::Concat {
            return self.bitwise_by_pieces(operation, a, b);
        }
        self.apply(key, width, &[a.min(b), a.max(b)])
    }

    /// The bits of a term up to and including the lowest one that is known to be set, with zeros above; the term
    /// itself if none is known.
    pub fn up_to_lowest_one(&mut self, term: Term) -> Term {
        let pieces = match self.node(term).tag {
            Tag::Concat => self.args(term).to_vec(),
            _ => vec![term.0],
        };
        let mut position = 0;
        for piece in pieces.into_iter().map(Term) {
            let node = *self.node(piece);
            let is_or = node.tag == Tag::Apply && node.data[..2] == [function::BITWISE, Bitwise::Or as u32];
            let known = match is_or {
                true => self.as_constant(self.operands_of_bitwise(piece)[1]),
                false => self.as_constant(piece),
            };
            if let Some(ones) = known.filter(|&ones| ones != 0) {
                let kept = self.part(term, 0, position + ones.trailing_zeros() as u16 + 1);
                return self.zero_extend(kept, self.width(term));
            }
            position += node.width;
        }
        term
    }

    /// If two neighboring pieces are the same bitwise operation on neighboring pieces: one operation on the whole.
    pub(super) fn merge_bitwise(&mut self, low: Term, high: Term) -> Option<Term> {
        let (low_node, high_node) = (self.node(low), self.node(high));
        let is_bitwise = low_node.tag == Tag::Apply && low_node.data[0] == function::BITWISE;
        if !is_bitwise || high_node.tag != Tag::Apply || low_node.data != high_node.data {
            return None;
        }
        let operation = OPERATIONS[low_node.data[1] as usize];
        let [a, b] = self.operands_of_bitwise(low);
        let [c, d] = self.operands_of_bitwise(high);
        if self.as_constant(b).is_some() != self.as_constant(d).is_some() {
            return None;
        }
        let pairs = [[(a, c), (b, d)], [(a, d), (b, c)]];
        for [first, second] in pairs {
            let Some(first) = self.merge(first.0, first.1) else {
                continue;
            };
            if let Some(second) = self.merge(second.0, second.1) {
                let is_simple = self.node(first).tag != Tag::Concat && self.node(second).tag != Tag::Concat;
                return is_simple.then(|| self.bitwise(operation, first, second));
            }
        }
        None
    }

    /// The operands of a bitwise operation; a constant operand comes last.
    fn operands_of_bitwise(&self, term: Term) -> [Term; 2] {
        let [a, b] = [0, 1].map(|index| Term(self.args(term)[index]));
        if self.as_constant(a).is_some() { [b, a] } else { [a, b] }
    }

    /// Whether a term is zero, as a term of one bit.
    pub fn is_zero(&mut self, term: Term) -> Term {
        match self.as_constant(term) {
            Some(value) => self.constant(1, u64::from(value == 0)),
            None => {
                let term = self.without_zeros(term);
                self.apply([function::IS_ZERO, 0, 0, 0], 1, &[term])
            }
        }
    }

    /// A term without the pieces that are zero, for a comparison with zero.
    fn without_zeros(&mut self, term: Term) -> Term {
        if self.node(term).tag != Tag::Concat {
            return term;
        }
        let pieces: Vec<Term> = self.args(term).iter().map(|&arg| Term(arg)).collect();
        let rest: Vec<Term> = pieces
            .iter()
            .copied()
            .filter(|&piece| self.as_constant(piece) != Some(0))
            .collect();
        if rest.len() < pieces.len() && !rest.is_empty() {
            self.concat(&rest)
        } else {
            term
        }
    }
}
