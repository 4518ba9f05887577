//! Identities that are applied when a term is made.
//!
//! They are those that make terms of a function before and after a pass the same term often, above all sums of an
//! address and constants, and values that are stored byte by byte and loaded again. The solver knows all others.

use super::compute::{compute, mask};
use super::{Op, Term, Terms};

impl Terms {
    /// The simpler term that an operation is, if there is one.
    pub(super) fn simplified(&mut self, op: Op, width: u32, operands: &[Term]) -> Option<Term> {
        let constants: Vec<Option<u128>> = operands.iter().map(|&operand| self.constant_of(operand)).collect();
        if !matches!(op, Op::Function(_)) && constants.iter().all(Option::is_some) {
            let mut values = [0; 3];
            for (value, constant) in values.iter_mut().zip(&constants) {
                *value = constant.unwrap_or(0);
            }
            let last = self.width(operands[operands.len() - 1]);
            let result = compute(op, width, self.width(operands[0]), last, values)?;
            return Some(self.constant(width, result));
        }
        match op {
            Op::Not => self.simplify_not(operands[0]),
            Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul | Op::Eq => {
                self.simplify_commutative(op, width, operands[0], operands[1], constants[0], constants[1])
            }
            Op::UmulFits | Op::SmulFits if operands[1] < operands[0] => {
                Some(self.apply(op, 1, &[operands[1], operands[0]]))
            }
            Op::Shl | Op::Lshr | Op::Ashr => self.simplify_shift(op, operands[0], operands[1]),
            Op::Ult | Op::Slt if operands[0] == operands[1] => Some(self.bool(false)),
            Op::Ult if constants[1] == Some(0) => Some(self.bool(false)),
            Op::Ite => self.simplify_ite(operands[0], operands[1], operands[2]),
            Op::Extract(low) => self.simplify_extract(operands[0], low, width),
            Op::Zext | Op::Sext if self.width(operands[0]) == width => Some(operands[0]),
            Op::Zext => {
                // One form for zeros above.
                let zeros = self.constant(width - self.width(operands[0]), 0);
                Some(self.concat(zeros, operands[0]))
            }
            Op::Concat => self.simplify_concat(operands[0], operands[1]),
            _ => None,
        }
    }

    fn simplify_not(&mut self, a: Term) -> Option<Term> {
        match self.operation(a)? {
            (Op::Not, [inner, ..]) => Some(inner),
            _ => None,
        }
    }

    fn simplify_commutative(
        &mut self,
        op: Op,
        width: u32,
        a: Term,
        b: Term,
        a_number: Option<u128>,
        b_number: Option<u128>,
    ) -> Option<Term> {
        // Numbers second, else the older term first.
        if a_number.is_some() || (b_number.is_none() && b < a) {
            return Some(self.apply(op, width, &[b, a]));
        }
        let all = mask(self.width(a));
        match (op, b_number) {
            (Op::And | Op::Or, _) if a == b => Some(a),
            (Op::Xor, _) if a == b => Some(self.constant(width, 0)),
            (Op::Eq, _) if a == b => Some(self.bool(true)),
            (Op::And | Op::Mul, Some(0)) => Some(b),
            (Op::Or, Some(number)) if number == all => Some(b),
            (Op::And, Some(number)) if number == all => Some(a),
            (Op::Or | Op::Xor | Op::Add, Some(0)) | (Op::Mul, Some(1)) => Some(a),
            (Op::Xor, Some(number)) if number == all => Some(self.not(a)),
            (Op::And | Op::Or, None) => {
                let is_opposite = |terms: &Terms, x: Term, y: Term| matches!(terms.operation(x), Some((Op::Not, [inner, ..])) if inner == y);
                (is_opposite(self, a, b) || is_opposite(self, b, a))
                    .then(|| self.constant(width, if op == Op::And { 0 } else { all }))
            }
            (Op::Add, _) => self.simplify_sum(a, b, b_number),
            (Op::Eq, _) => self.simplify_equality(a, b, b_number),
            _ => None,
        }
    }

    /// The parts of a sum with a number; any other term is itself plus 0.
    pub fn split_sum(&self, a: Term) -> (Term, u128) {
        if let Some((Op::Add, [base, number, _])) = self.operation(a)
            && let Some(number) = self.constant_of(number)
        {
            return (base, number);
        }
        (a, 0)
    }

    /// Numbers of a sum are collected on its outside.
    fn simplify_sum(&mut self, a: Term, b: Term, b_number: Option<u128>) -> Option<Term> {
        let width = self.width(a);
        let (base, first) = self.split_sum(a);
        if let Some(number) = b_number {
            if base == a {
                return None;
            }
            let sum = self.constant(width, first.wrapping_add(number));
            return Some(self.add(base, sum));
        }
        let (other, second) = self.split_sum(b);
        let total = first.wrapping_add(second) & mask(width);
        if base != a || other != b {
            let (sum, total) = (self.add(base, other), self.constant(width, total));
            return Some(self.add(sum, total));
        }
        // x + ~x, what is left of x - x.
        let is_opposite =
            |terms: &Terms, x: Term, y: Term| matches!(terms.operation(x), Some((Op::Not, [inner, ..])) if inner == y);
        if is_opposite(self, a, b) || is_opposite(self, b, a) {
            return Some(self.constant(width, u128::MAX));
        }
        // (x + ~y) + y, either way round.
        for (sum, rest) in [(a, b), (b, a)] {
            if let Some((Op::Add, [left, right, _])) = self.operation(sum) {
                for (kept, part) in [(left, right), (right, left)] {
                    if is_opposite(self, part, rest) || is_opposite(self, rest, part) {
                        let all = self.constant(width, u128::MAX);
                        return Some(self.add(kept, all));
                    }
                }
            }
        }
        None
    }

    fn simplify_equality(&mut self, a: Term, b: Term, b_number: Option<u128>) -> Option<Term> {
        let width = self.width(a);
        if width == 1 {
            return b_number.map(|number| if number == 1 { a } else { self.not(a) });
        }
        let ((base, first), (other, second)) = (self.split_sum(a), self.split_sum(b));
        if base == other {
            return Some(self.bool(first == second));
        }
        if let Some((left, right)) = self.without_common_part(base, other) {
            let (first, second) = (self.constant(width, first), self.constant(width, second));
            let (left, right) = (self.add(left, first), self.add(right, second));
            return Some(self.eq(left, right));
        }
        if let Some(number) = b_number {
            if base != a {
                let number = self.constant(width, number.wrapping_sub(first));
                return Some(self.eq(base, number));
            }
            if let Some((Op::Ite, [condition, yes, no])) = self.operation(a)
                && let (Some(yes), Some(no)) = (self.constant_of(yes), self.constant_of(no))
            {
                return Some(match (yes == number, no == number) {
                    (true, true) => self.bool(true),
                    (false, false) => self.bool(false),
                    (true, false) => condition,
                    (false, true) => self.not(condition),
                });
            }
        }
        None
    }

    /// What is left of two sums without a part that both have.
    fn without_common_part(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        let parts = |terms: &Terms, term: Term| match terms.operation(term) {
            Some((Op::Add, [left, right, _])) => vec![(left, Some(right)), (right, Some(left)), (term, None)],
            _ => vec![(term, None)],
        };
        let others = parts(self, b);
        for (part, rest) in parts(self, a) {
            if let Some(&(_, other)) = others.iter().find(|other| other.0 == part) {
                let zero = self.constant(self.width(a), 0);
                return Some((rest.unwrap_or(zero), other.unwrap_or(zero)));
            }
        }
        None
    }

    fn simplify_shift(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        match self.constant_of(b)? {
            0 => Some(a),
            amount if amount >= u128::from(width) && op != Op::Ashr => Some(self.constant(width, 0)),
            _ => None,
        }
    }

    fn simplify_ite(&mut self, condition: Term, yes: Term, no: Term) -> Option<Term> {
        if yes == no {
            return Some(yes);
        }
        if let Some(condition) = self.constant_of(condition) {
            return Some(if condition == 1 { yes } else { no });
        }
        if let Some((Op::Not, [inner, ..])) = self.operation(condition) {
            return Some(self.ite(inner, no, yes));
        }
        if self.width(yes) == 1 {
            match (self.constant_of(yes), self.constant_of(no)) {
                (Some(1), _) => return Some(self.or(condition, no)),
                (Some(_), _) => {
                    let opposite = self.not(condition);
                    return Some(self.and(opposite, no));
                }
                (_, Some(0)) => return Some(self.and(condition, yes)),
                (_, Some(_)) => {
                    let opposite = self.not(condition);
                    return Some(self.or(opposite, yes));
                }
                _ => {}
            }
        }
        None
    }

    fn simplify_extract(&mut self, a: Term, low: u32, width: u32) -> Option<Term> {
        let from = self.width(a);
        if low == 0 && width == from {
            return Some(a);
        }
        let (op, [first, second, _]) = self.operation(a)?;
        match op {
            Op::Extract(inner) => Some(self.extract(first, inner + low, width)),
            Op::Concat => {
                let split = self.width(second);
                if low >= split {
                    Some(self.extract(first, low - split, width))
                } else if low + width <= split {
                    Some(self.extract(second, low, width))
                } else {
                    let high = self.extract(first, 0, low + width - split);
                    let rest = self.extract(second, low, split - low);
                    Some(self.concat(high, rest))
                }
            }
            // How far an address is aligned. Wider parts stay as they are, so that they can be joined again.
            Op::Add if low == 0 && width < 8 => {
                let (left, right) = (self.extract(first, 0, width), self.extract(second, 0, width));
                Some(self.add(left, right))
            }
            _ => None,
        }
    }

    fn simplify_concat(&mut self, high: Term, low: Term) -> Option<Term> {
        let source = |terms: &Terms, term: Term| match terms.operation(term) {
            Some((Op::Extract(from), [inner, ..])) => Some((inner, from)),
            _ => None,
        };
        let low_width = self.width(low);
        // Neighbouring parts of one term.
        if let (Some((upper, from)), Some((lower, first))) = (source(self, high), source(self, low))
            && upper == lower
            && from == first + low_width
        {
            return Some(self.extract(upper, first, self.width(high) + low_width));
        }
        // Parts stand to the left as long as they can, so that each way to put them together gives one term.
        if let Some((Op::Concat, [first, second, _])) = self.operation(low) {
            let left = self.concat(high, first);
            return Some(self.concat(left, second));
        }
        // The same on the left of what is joined already.
        if let Some((Op::Concat, [first, second, _])) = self.operation(high) {
            let joins = match (source(self, second), source(self, low)) {
                (Some((upper, from)), Some((lower, start))) => upper == lower && from == start + low_width,
                _ => self.constant_of(second).is_some() && self.constant_of(low).is_some(),
            };
            if joins {
                let joined = self.concat(second, low);
                return Some(self.concat(first, joined));
            }
        }
        // All bits of one choice.
        if let (Some((Op::Ite, [one, a, b])), Some((Op::Ite, [other, c, d]))) =
            (self.operation(high), self.operation(low))
            && one == other
        {
            let (yes, no) = (self.concat(a, c), self.concat(b, d));
            return Some(self.ite(one, yes, no));
        }
        None
    }
}
