//! Terms over bit vectors: what values, conditions and addresses are, as functions of a function's inputs.
//!
//! Method: terms are nodes of one graph without duplicates, so that equal terms are the same number, and what a pass
//! did not change needs no solver at all. A constructor ([`Terms::apply`]) computes what is constant and applies a few
//! identities first ([`simplify`]). Truth values are bit vectors of width 1. Widths are at most 128 bits.
//!
//! A variable has a role ([`Role`]). Undef variables are the exception to "one variable, one value": each use of an
//! undefined value may be another one, which [`Terms::with_other_undefs`] makes terms of.

pub mod compute;
pub mod evaluate;
mod simplify;
pub mod text;

use frazil_support::{FxHashMap, FxHashSet};

/// A term, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub u32);

/// An operation on terms. All operands of a binary one have the same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
// Variants without a comment are named as in SMT-LIB's theory of bit vectors.
pub enum Op {
    Not,
    And,
    Or,
    Xor,
    Add,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    Shl,
    Lshr,
    Ashr,
    /// The first operand above the second.
    Concat,
    /// Bits from this one on; the width says how many.
    Extract(u32),
    Zext,
    Sext,
    /// Condition, then, else.
    Ite,
    Eq,
    Ult,
    Slt,
    /// Whether the product of two numbers without sign fits.
    UmulFits,
    /// Whether the product of two signed numbers fits.
    SmulFits,
    /// A function that nothing is known of, by its number.
    Function(u32),
}

/// A node of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Const(u128),
    /// A variable, by its number.
    Var(u32),
    /// An operation; operands beyond its own are the first one again.
    Apply(Op, [Term; 3]),
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Something that both functions are given: a parameter, the address of an object, what a call returns.
    Given,
    /// Bits that are undefined: every use may find others.
    Undef,
    /// Bits that the function after a pass has picked once.
    Picked,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct VarData {
    /// Its name, for messages.
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// What it stands for.
    pub role: Role,
}

/// A function that nothing is known of, but that equal arguments give equal results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionData {
    pub name: String,
    /// Widths of its arguments.
    pub arguments: Vec<u32>,
    /// Width of its result.
    pub width: u32,
}

#[derive(Clone, Copy, Debug)]
struct Info {
    width: u32,
    has_undef: bool,
}

/// All terms.
#[derive(Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    infos: Vec<Info>,
    numbers: FxHashMap<(Node, u32), Term>,
    /// Variables.
    pub vars: Vec<VarData>,
    var_terms: Vec<Term>,
    named: FxHashMap<String, Term>,
    /// Functions that nothing is known of.
    pub functions: Vec<FunctionData>,
    function_numbers: FxHashMap<FunctionData, u32>,
}

impl Terms {
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of a term.
    pub fn node(&self, term: Term) -> Node {
        self.nodes[term.0 as usize]
    }

    /// The width of a term in bits.
    pub fn width(&self, term: Term) -> u32 {
        self.infos[term.0 as usize].width
    }

    /// Whether a term has undef variables in it.
    pub fn has_undef(&self, term: Term) -> bool {
        self.infos[term.0 as usize].has_undef
    }

    /// The number that a term is.
    pub fn constant_of(&self, term: Term) -> Option<u128> {
        match self.node(term) {
            Node::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The operation of a term with its operands, if it is one.
    pub fn operation(&self, term: Term) -> Option<(Op, [Term; 3])> {
        match self.node(term) {
            Node::Apply(op, operands) => Some((op, operands)),
            _ => None,
        }
    }

    /// How many operands an operation has.
    pub fn operand_count(&self, op: Op) -> usize {
        match op {
            Op::Not | Op::Extract(_) | Op::Zext | Op::Sext => 1,
            Op::Ite => 3,
            Op::Function(number) => self.functions[number as usize].arguments.len(),
            _ => 2,
        }
    }

    fn intern(&mut self, node: Node, width: u32, has_undef: bool) -> Term {
        assert!((1..=128).contains(&width), "a term of {width} bits");
        let next = Term(self.nodes.len() as u32);
        let term = *self.numbers.entry((node, width)).or_insert(next);
        if term == next {
            self.nodes.push(node);
            self.infos.push(Info { width, has_undef });
        }
        term
    }

    /// The bits of `value` below `width`.
    pub fn constant(&mut self, width: u32, value: u128) -> Term {
        self.intern(Node::Const(value & compute::mask(width)), width, false)
    }

    /// True or false.
    pub fn bool(&mut self, value: bool) -> Term {
        self.constant(1, u128::from(value))
    }

    /// A new variable.
    pub fn fresh(&mut self, name: &str, width: u32, role: Role) -> Term {
        let number = self.vars.len() as u32;
        self.vars.push(VarData {
            name: name.to_owned(),
            width,
            role,
        });
        let term = self.intern(Node::Var(number), width, role == Role::Undef);
        self.var_terms.push(term);
        term
    }

    /// The variable of this name, which is made when it is first asked for.
    pub fn named(&mut self, name: &str, width: u32, role: Role) -> Term {
        if let Some(&term) = self.named.get(name) {
            return term;
        }
        let term = self.fresh(name, width, role);
        self.named.insert(name.to_owned(), term);
        term
    }

    /// The term that stands for the variable with this number.
    pub fn variable(&self, number: u32) -> Term {
        self.var_terms[number as usize]
    }

    /// A function that nothing is known of, applied.
    pub fn function(&mut self, name: &str, width: u32, arguments: &[Term]) -> Term {
        let data = FunctionData {
            name: name.to_owned(),
            arguments: arguments.iter().map(|&argument| self.width(argument)).collect(),
            width,
        };
        let number = match self.function_numbers.get(&data) {
            Some(&number) => number,
            None => {
                let number = self.functions.len() as u32;
                self.functions.push(data.clone());
                self.function_numbers.insert(data, number);
                number
            }
        };
        self.apply(Op::Function(number), width, arguments)
    }

    /// An operation, simplified.
    pub fn apply(&mut self, op: Op, width: u32, operands: &[Term]) -> Term {
        if let Some(term) = self.simplified(op, width, operands) {
            return term;
        }
        self.raw(op, width, operands)
    }

    /// An operation as it is.
    fn raw(&mut self, op: Op, width: u32, operands: &[Term]) -> Term {
        let mut all = [operands[0]; 3];
        all[..operands.len()].copy_from_slice(operands);
        let has_undef = operands.iter().any(|&operand| self.has_undef(operand));
        self.intern(Node::Apply(op, all), width, has_undef)
    }

    /// The variables of a term that have one of these roles, in the order in which they occur.
    pub fn vars_of(&self, term: Term, roles: &[Role]) -> Vec<Term> {
        let (mut found, mut seen, mut waiting) = (Vec::new(), FxHashSet::default(), vec![term]);
        while let Some(term) = waiting.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.node(term) {
                Node::Apply(op, operands) => waiting.extend(operands[..self.operand_count(op)].iter().rev()),
                Node::Var(number) if roles.contains(&self.vars[number as usize].role) => found.push(term),
                _ => {}
            }
        }
        found
    }

    /// The term with other undef variables in the place of its own; `replace` gives the variable for each.
    pub fn with_other_undefs(&mut self, term: Term, replace: &mut dyn FnMut(&mut Terms, Term) -> Term) -> Term {
        let mut known = FxHashMap::default();
        self.rewrite(term, &mut known, replace)
    }

    /// As [`Terms::with_other_undefs`], with the terms that were rewritten before.
    pub fn rewrite(
        &mut self,
        term: Term,
        known: &mut FxHashMap<Term, Term>,
        replace: &mut dyn FnMut(&mut Terms, Term) -> Term,
    ) -> Term {
        if !self.has_undef(term) {
            return term;
        }
        if let Some(&new) = known.get(&term) {
            return new;
        }
        let new = match self.node(term) {
            Node::Const(_) => term,
            Node::Var(_) => replace(self, term),
            Node::Apply(op, operands) => {
                let count = self.operand_count(op);
                let operands: Vec<Term> = operands[..count]
                    .iter()
                    .map(|&operand| self.rewrite(operand, known, replace))
                    .collect();
                self.apply(op, self.width(term), &operands)
            }
        };
        known.insert(term, new);
        new
    }
}

/// Shorthands.
impl Terms {
    /// Every bit inverted.
    pub fn not(&mut self, a: Term) -> Term {
        self.apply(Op::Not, self.width(a), &[a])
    }

    /// Bitwise and, also of truth values.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.apply(Op::And, self.width(a), &[a, b])
    }

    /// Bitwise or, also of truth values.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.apply(Op::Or, self.width(a), &[a, b])
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        self.apply(Op::Xor, self.width(a), &[a, b])
    }

    /// The sum modulo two to the width.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.apply(Op::Add, self.width(a), &[a, b])
    }

    /// The negation modulo two to the width.
    pub fn neg(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let (inverted, one) = (self.not(a), self.constant(width, 1));
        self.add(inverted, one)
    }

    /// The difference modulo two to the width.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.constant(self.width(a), 0);
        }
        let negated = self.neg(b);
        self.add(a, negated)
    }

    /// An operation on two terms of one width whose result has that width, too.
    pub fn binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        self.apply(op, self.width(a), &[a, b])
    }

    /// Whether both are equal, as a term of one bit.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.apply(Op::Eq, 1, &[a, b])
    }

    /// Whether they differ, as a term of one bit.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Whether `a < b` without signs.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        self.apply(Op::Ult, 1, &[a, b])
    }

    /// Whether `a <= b` without signs.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        let above = self.ult(b, a);
        self.not(above)
    }

    /// Whether `a < b` with signs.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        self.apply(Op::Slt, 1, &[a, b])
    }

    /// `yes` where the condition holds, `no` elsewhere.
    pub fn ite(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        self.apply(Op::Ite, self.width(yes), &[condition, yes, no])
    }

    /// `count` bits from `low` on.
    pub fn extract(&mut self, a: Term, low: u32, count: u32) -> Term {
        self.apply(Op::Extract(low), count, &[a])
    }

    /// The bits of `high` above those of `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        self.apply(Op::Concat, self.width(high) + self.width(low), &[high, low])
    }

    /// Zeros above, up to the width.
    pub fn zext(&mut self, a: Term, width: u32) -> Term {
        self.apply(Op::Zext, width, &[a])
    }

    /// Copies of the sign above, up to the width.
    pub fn sext(&mut self, a: Term, width: u32) -> Term {
        self.apply(Op::Sext, width, &[a])
    }

    /// The low bits, or zeros above.
    pub fn resized(&mut self, a: Term, width: u32) -> Term {
        match self.width(a) {
            old if old > width => self.extract(a, 0, width),
            old if old < width => self.zext(a, width),
            _ => a,
        }
    }

    /// Whether any of these holds.
    pub fn any(&mut self, terms: &[Term]) -> Term {
        let start = self.bool(false);
        terms.iter().fold(start, |any, &term| self.or(any, term))
    }

    /// Whether all of these hold.
    pub fn all(&mut self, terms: &[Term]) -> Term {
        let start = self.bool(true);
        terms.iter().fold(start, |all, &term| self.and(all, term))
    }

    /// Whether the term is the constant "true".
    pub fn is_true(&self, a: Term) -> bool {
        self.constant_of(a) == Some(1) && self.width(a) == 1
    }

    /// Whether the term is the constant "false".
    pub fn is_false(&self, a: Term) -> bool {
        self.constant_of(a) == Some(0) && self.width(a) == 1
    }
}

#[cfg(test)]
mod tests;
