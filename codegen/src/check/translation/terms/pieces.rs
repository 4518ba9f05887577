//! Extraction and concatenation of bits.

use super::bitwise::OPERATIONS;
use super::{Node, Tag, Term, Terms, coefficient, function};

impl Terms {
    /// `width` bits of a term from bit `shift` on.
    pub fn part(&mut self, term: Term, shift: u16, width: u16) -> Term {
        let node = *self.node(term);
        debug_assert!(
            shift + width <= node.width,
            "a part of {width} bits from {shift} of {}",
            node.width
        );
        if shift == 0 && width == node.width {
            return term;
        }
        if let Some(value) = self.as_constant(term) {
            return self.constant(width, value >> shift);
        }
        if let Some(&part) = self.parts.get(&(term.0, shift, width)) {
            return part;
        }
        let part = self.make_part(term, node, shift, width);
        self.parts.insert((term.0, shift, width), part);
        part
    }

    fn make_part(&mut self, term: Term, node: Node, shift: u16, width: u16) -> Term {
        let args = self.args(term).to_vec();
        match node.tag {
            Tag::Part => self.part(Term(args[0]), node.data[0] as u16 + shift, width),
            Tag::Concat => {
                let (mut pieces, mut position) = (Vec::new(), 0);
                for &arg in &args {
                    let arg_width = self.width(Term(arg));
                    let (first, last) = (shift.max(position), (shift + width).min(position + arg_width));
                    if first < last {
                        pieces.push(self.part(Term(arg), first - position, last - first));
                    }
                    position += arg_width;
                }
                self.concat(&pieces)
            }
            Tag::Choice => {
                let parts = args.iter().map(|&arg| self.part(Term(arg), shift, width)).collect();
                self.choice(parts)
            }
            Tag::SignExtend => {
                let inner = Term(args[0]);
                let inner_width = self.width(inner);
                if shift + width <= inner_width {
                    self.part(inner, shift, width)
                } else if shift < inner_width {
                    let low = self.part(inner, shift, inner_width - shift);
                    self.sign_extend(low, width)
                } else {
                    let sign = self.part(inner, inner_width - 1, 1);
                    self.sign_extend(sign, width)
                }
            }
            Tag::Sum if shift == 0 => {
                let mut terms = Vec::with_capacity(args.len() / 3);
                for arg in args.chunks_exact(3) {
                    let low = self.part(Term(arg[0]), 0, width);
                    terms.push((coefficient(arg), low));
                }
                let constant = u64::from(node.data[0]) | u64::from(node.data[1]) << 32;
                self.sum(width, constant, &terms)
            }
            Tag::Apply if node.data[0] == function::BITWISE => {
                let operation = OPERATIONS[node.data[1] as usize];
                let parts = [args[0], args[1]].map(|arg| self.part(Term(arg), shift, width));
                self.bitwise(operation, parts[0], parts[1])
            }
            Tag::Apply if node.data[0] == function::PRODUCT && shift == 0 => {
                let parts: Vec<Term> = args.iter().map(|&arg| self.part(Term(arg), 0, width)).collect();
                self.product(parts[0], parts[1])
            }
            _ => self.intern(Tag::Part, width, [u32::from(shift), 0, 0, 0], &[term.0]),
        }
    }

    /// The concatenation of terms, the lowest bits first.
    pub fn concat(&mut self, pieces: &[Term]) -> Term {
        let mut flat: Vec<Term> = Vec::with_capacity(pieces.len());
        for &piece in pieces {
            if self.node(piece).tag == Tag::Concat {
                let args = self.args(piece).to_vec();
                args.into_iter().for_each(|arg| self.append(&mut flat, Term(arg)));
            } else {
                self.append(&mut flat, piece);
            }
        }
        if let [only] = flat[..] {
            return only;
        }
        let width = flat.iter().map(|&piece| self.width(piece)).sum();
        let args: Vec<u32> = flat.iter().map(|piece| piece.0).collect();
        self.intern(Tag::Concat, width, [0; 4], &args)
    }

    /// Appends a piece to a concatenation, merging it with the last piece if possible.
    fn append(&mut self, flat: &mut Vec<Term>, piece: Term) {
        let merged = flat.last().copied().and_then(|last| self.merge(last, piece));
        match merged {
            Some(merged) => {
                flat.pop();
                self.append(flat, merged);
            }
            None => flat.push(piece),
        }
    }

    /// Two pieces as one term if they are two constants, neighboring parts of one term, a term and copies of its sign
    /// bit, or results of one bitwise operation on neighboring pieces.
    pub(super) fn merge(&mut self, low: Term, high: Term) -> Option<Term> {
        let (low_node, high_node) = (*self.node(low), *self.node(high));
        let width = low_node.width + high_node.width;
        if let (Some(low_value), Some(high_value)) = (self.as_constant(low), self.as_constant(high)) {
            return (width <= 64).then(|| self.constant(width, low_value | high_value << low_node.width));
        }
        if low_node.tag == Tag::Part
            && high_node.tag == Tag::Part
            && self.args(low) == self.args(high)
            && low_node.data[0] + u32::from(low_node.width) == high_node.data[0]
        {
            let whole = Term(self.args(low)[0]);
            return Some(self.part(whole, low_node.data[0] as u16, width));
        }
        // The low bits of sums and products are sums and products themselves, so the whole term is found from the
        // upper piece.
        if high_node.tag == Tag::Part && high_node.data[0] == u32::from(low_node.width) {
            let whole = Term(self.args(high)[0]);
            let is_low = low_node.tag != Tag::Part && self.part(whole, 0, low_node.width) == low;
            return is_low.then(|| self.part(whole, 0, width));
        }
        if low_node.tag == Tag::SignExtend && self.part(low, low_node.width - 1, 1) == high {
            return Some(self.sign_extend(low, width));
        }
        if high_node.tag == Tag::SignExtend {
            let inner = Term(self.args(high)[0]);
            let is_sign = self.width(inner) == 1 && self.part(low, low_node.width - 1, 1) == inner;
            let extended = if is_sign { Some(low) } else { self.merge(low, inner) };
            return extended.map(|extended| self.sign_extend(extended, width));
        }
        self.merge_bitwise(low, high)
    }

    /// A term with zeros above it.
    pub fn zero_extend(&mut self, term: Term, width: u16) -> Term {
        let have = self.width(term);
        if have >= width {
            return self.part(term, 0, width);
        }
        let zeros = self.constant(width - have, 0);
        self.concat(&[term, zeros])
    }

    /// A term with copies of its highest bit above it.
    pub fn sign_extend(&mut self, term: Term, width: u16) -> Term {
        let node = *self.node(term);
        if node.width >= width {
            return self.part(term, 0, width);
        }
        if let Some(value) = self.as_constant(term) {
            let shift = 64 - node.width;
            return self.constant(width, ((value << shift).cast_signed() >> shift).cast_unsigned());
        }
        match node.tag {
            Tag::SignExtend => {
                let inner = Term(self.args(term)[0]);
                self.sign_extend(inner, width)
            }
            Tag::Concat => {
                let mut pieces: Vec<Term> = self.args(term).iter().map(|&arg| Term(arg)).collect();
                if let Some(highest) = pieces.last_mut() {
                    let piece_width = self.width(*highest);
                    *highest = self.sign_extend(*highest, piece_width + width - node.width);
                }
                self.concat(&pieces)
            }
            Tag::Apply => {
                let sign = self.part(term, node.width - 1, 1);
                match self.as_constant(sign) {
                    Some(0) => self.zero_extend(term, width),
                    _ => self.intern(Tag::SignExtend, width, [0; 4], &[term.0]),
                }
            }
            _ => self.intern(Tag::SignExtend, width, [0; 4], &[term.0]),
        }
    }
}
