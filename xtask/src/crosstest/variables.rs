//! Variables of the functions in C and C++ that `crosstest --jumps` and `--exceptions` make, and expressions of them.

use frazil_test_support::Random;

use super::expression::{Expr, Maker, TYPES, Type};

/// A local variable of a generated function.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    /// Whether statements may assign to it.
    pub is_assigned: bool,
}

/// The variables that are in scope, the innermost last.
#[derive(Debug, Default)]
pub struct Variables {
    list: Vec<Variable>,
}

impl Variables {
    /// How many there are, for [`Variables::leave`].
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Leaves a scope at whose start there were so many.
    pub fn leave(&mut self, count: usize) {
        self.list.truncate(count);
    }

    /// Declares a variable in the innermost scope.
    pub fn add(&mut self, name: &str, ty: Type, is_assigned: bool) {
        self.list.push(Variable {
            name: name.to_owned(),
            ty,
            is_assigned,
        });
    }

    /// The expression of type `u64` that sums up all of them.
    pub fn sum(&self) -> String {
        let sums: Vec<String> = self
            .list
            .iter()
            .map(|variable| format!("of_{}({})", variable.ty.name, variable.name))
            .collect();
        sums.join(" * 31 + ")
    }

    /// A variable that may be assigned to, if there is one.
    pub fn assigned(&self, random: &mut Random) -> Option<Variable> {
        let list: Vec<&Variable> = self.list.iter().filter(|variable| variable.is_assigned).collect();
        random.pick_if_any(&list).cloned()
    }

    /// An expression of them, of which there must be one.
    pub fn expression(&self, random: &mut Random, depth: usize) -> Expr {
        Maker { random }.expression(depth, &mut |random| self.leaf(random))
    }

    /// The same, converted to a type.
    pub fn value(&self, random: &mut Random, ty: Type) -> String {
        let depth = 1 + random.below(2);
        self.expression(random, depth).stored(ty)
    }

    /// A comparison of them.
    pub fn condition(&self, random: &mut Random) -> String {
        Maker { random }.condition(1, &mut |random| self.leaf(random))
    }

    fn leaf(&self, random: &mut Random) -> Expr {
        let variable = &self.list[random.below(self.list.len())];
        Expr::of(variable.name.clone(), variable.ty)
    }
}

/// Any type.
pub fn some_type(random: &mut Random) -> Type {
    random.pick(&TYPES)
}
