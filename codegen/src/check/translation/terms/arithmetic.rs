//! Sums with coefficients, and products.

use super::{Tag, Term, Terms, coefficient, function, mask};

impl Terms {
    /// A constant plus terms of the same width with coefficients, modulo two to the width (at most 64).
    pub fn sum(&mut self, width: u16, constant: u64, terms: &[(u64, Term)]) -> Term {
        let (mut constant, mut flat) = (constant, Vec::with_capacity(terms.len()));
        for &(factor, term) in terms {
            debug_assert_eq!(self.width(term), width);
            self.add_to_sum(factor, term, &mut constant, &mut flat);
        }
        flat.sort_unstable_by_key(|&(_, term): &(u64, Term)| term);
        let mut args = Vec::with_capacity(flat.len() * 3);
        let mut rest = &flat[..];
        while let Some(&(_, term)) = rest.first() {
            let count = rest.iter().take_while(|other| other.1 == term).count();
            let factor = rest[..count].iter().fold(0u64, |sum, other| sum.wrapping_add(other.0)) & mask(width);
            rest = &rest[count..];
            if factor != 0 {
                let term = self.low_bits_of_multiple(term, factor, width);
                if let Some(value) = self.as_constant(term) {
                    constant = constant.wrapping_add(value.wrapping_mul(factor));
                    continue;
                }
                args.extend([term.0, factor as u32, (factor >> 32) as u32]);
            }
        }
        constant &= mask(width);
        match args[..] {
            [] => self.constant(width, constant),
            [term, 1, 0] if constant == 0 => Term(term),
            _ => {
                let data = [constant as u32, (constant >> 32) as u32, 0, 0];
                self.intern(Tag::Sum, width, data, &args)
            }
        }
    }

    /// Of a term that is multiplied by a large power of two, only few low bits matter.
    fn low_bits_of_multiple(&mut self, term: Term, factor: u64, width: u16) -> Term {
        let zeros = factor.trailing_zeros() as u16;
        if zeros * 2 < width {
            return term;
        }
        let low = self.part(term, 0, width - zeros);
        self.zero_extend(low, width)
    }

    fn add_to_sum(&self, factor: u64, term: Term, constant: &mut u64, flat: &mut Vec<(u64, Term)>) {
        if let Some(value) = self.as_constant(term) {
            *constant = constant.wrapping_add(value.wrapping_mul(factor));
            return;
        }
        let node = self.node(term);
        if node.tag != Tag::Sum {
            flat.push((factor, term));
            return;
        }
        let inner = u64::from(node.data[0]) | u64::from(node.data[1]) << 32;
        *constant = constant.wrapping_add(inner.wrapping_mul(factor));
        for arg in self.args(term).chunks_exact(3) {
            flat.push((coefficient(arg).wrapping_mul(factor), Term(arg[0])));
        }
    }

    /// The lower half of a product of two terms of one width (at most 64).
    pub fn product(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(value), _) => self.sum(width, 0, &[(value, b)]),
            (_, Some(value)) => self.sum(width, 0, &[(value, a)]),
            _ => self.apply([function::PRODUCT, 0, 0, 0], width, &[a.min(b), a.max(b)]),
        }
    }
}
