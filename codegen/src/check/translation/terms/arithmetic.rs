//! Sums with coefficients, and products.

use super::{Tag, Term, Terms, coefficient, function, mask};

impl Terms {
    /// A constant plus terms times their coefficients; all of one width of at most 64 bits, modulo two to the power of
    /// it.
    pub fn sum(&mut self, width: u16, constant: u64, terms: &[(u64, Term)]) -> Term {
        let (mut constant, mut flat) = (constant, Vec::with_capacity(terms.len()));
        for &(factor, term) in terms {
            debug_assert_eq!(self.width(term), width);
            self.add_to_sum(factor, term, &mut constant, &mut flat);
        }
        flat.sort_unstable_by_key(|&(_, term): &(u64, Term)| term);
        flat.dedup_by(|other, kept| {
            let is_same = other.1 == kept.1;
            kept.0 = kept.0.wrapping_add(if is_same { other.0 } else { 0 });
            is_same
        });
        self.join_low_bits(&mut flat, width);
        let mut args = Vec::with_capacity(flat.len() * 3);
        for &(factor, term) in &flat {
            let factor = factor & mask(width);
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

    /// Simplifies sums in which only few low bits of a term matter, since its coefficient is divisible by a large
    /// power of two: if another term of the sum has the same low bits, the coefficient is added to that one's.
    fn join_low_bits(&mut self, terms: &mut [(u64, Term)], width: u16) {
        for index in 0..terms.len() {
            let (factor, term) = terms[index];
            let Some(bits) = bits_that_matter(factor & mask(width), width) else {
                continue;
            };
            let low = self.part(term, 0, bits);
            for other in 0..terms.len() {
                if other != index && terms[other].0 & mask(width) != 0 && self.part(terms[other].1, 0, bits) == low {
                    terms[other].0 = terms[other].0.wrapping_add(factor);
                    terms[index].0 = 0;
                    break;
                }
            }
        }
    }

    /// If a coefficient is divisible by a large power of two, only few low bits of the term matter: clears the others.
    fn low_bits_of_multiple(&mut self, term: Term, factor: u64, width: u16) -> Term {
        let Some(bits) = bits_that_matter(factor, width) else {
            return term;
        };
        let low = self.part(term, 0, bits);
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

    /// The lower half of the product of two terms of the same width (at most 64 bits).
    pub fn product(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(value), _) => self.sum(width, 0, &[(value, b)]),
            (_, Some(value)) => self.sum(width, 0, &[(value, a)]),
            _ => self.apply([function::PRODUCT, 0, 0, 0], width, &[a.min(b), a.max(b)]),
        }
    }
}

/// How many low bits of a term matter if it is multiplied by `factor`; `None` if they are more than half, or if
/// `factor` is 0.
fn bits_that_matter(factor: u64, width: u16) -> Option<u16> {
    let zeros = factor.trailing_zeros() as u16;
    (factor != 0 && zeros * 2 >= width).then(|| width - zeros)
}
