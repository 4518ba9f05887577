//! The value of a term when its variables have values.

use super::compute::compute;
use super::{Node, Op, Term, Terms};
use frazil_support::FxHashMap;

/// Values of variables and functions.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Of variables, by number; those that are missing are 0.
    pub vars: FxHashMap<u32, u128>,
    /// Of functions, by number and arguments; those that are missing are 0.
    pub functions: FxHashMap<(u32, Vec<u128>), u128>,
}

/// Terms with their values in a model.
#[derive(Debug)]
pub struct Evaluator<'a> {
    terms: &'a Terms,
    model: &'a Model,
    known: FxHashMap<Term, u128>,
}

impl<'a> Evaluator<'a> {
    /// For values in a model.
    pub fn new(terms: &'a Terms, model: &'a Model) -> Evaluator<'a> {
        Evaluator {
            terms,
            model,
            known: FxHashMap::default(),
        }
    }

    /// The value of a term.
    pub fn value(&mut self, term: Term) -> u128 {
        if let Some(&value) = self.known.get(&term) {
            return value;
        }
        let value = match self.terms.node(term) {
            Node::Const(value) => value,
            Node::Var(number) => self.model.vars.get(&number).copied().unwrap_or(0),
            Node::Apply(op, operands) => {
                let count = self.terms.operand_count(op);
                let mut values = [0; 3];
                for (value, &operand) in values.iter_mut().zip(&operands[..count]) {
                    *value = self.value(operand);
                }
                if let Op::Function(number) = op {
                    let key = (number, values[..count].to_vec());
                    self.model.functions.get(&key).copied().unwrap_or(0)
                } else {
                    let last = self.terms.width(operands[count - 1]);
                    let (width, from) = (self.terms.width(term), self.terms.width(operands[0]));
                    compute(op, width, from, last, values).unwrap_or(0)
                }
            }
        };
        self.known.insert(term, value);
        value
    }
}
