//! Expressions whose inner values have one use each, and constants on either side of an operation.
//!
//! That is what lowering absorbs into the instruction that uses it: extensions, loads, comparisons, masks. Values of
//! other statements are mostly used by several, and those of a program at -O0, which this is like, are not.

use super::{Generator, WIDTHS, literal, type_name};

/// How deep expressions are at most.
const DEEPEST: usize = 4;

impl Generator<'_> {
    pub(super) fn tree(&mut self) {
        let ty = self.int_type();
        let operand = self.tree_of(ty, DEEPEST);
        self.define(ty, format!("xor {} {operand}, 0", type_name(ty)));
    }

    /// An operand of a type: an expression of at most that depth.
    fn tree_of(&mut self, ty: usize, depth: usize) -> String {
        if depth == 0 {
            return self.operand(ty);
        }
        match self.random.below(10) {
            0..4 => self.operation(ty, depth),
            4..6 => self.conversion(ty, depth),
            6 => self.stored_and_loaded(ty, depth),
            7 => self.choice(ty, depth),
            _ => self.operand(ty),
        }
    }

    /// Two operands, one of which is often a constant: on either side.
    fn two(&mut self, ty: usize, depth: usize) -> [String; 2] {
        let tree = self.tree_of(ty, depth - 1);
        match self.random.below(4) {
            0 => [literal(self.random, ty), tree],
            1 => [tree, literal(self.random, ty)],
            2 => [self.operand(ty), tree],
            _ => {
                let other = self.tree_of(ty, depth - 1);
                [tree, other]
            }
        }
    }

    fn operation(&mut self, ty: usize, depth: usize) -> String {
        let op = self.random.pick(&[
            "add", "sub", "mul", "and", "or", "xor", "add", "sub", "and", "smax", "umin", "uadd_sat", "ssub_sat",
        ]);
        let [a, b] = self.two(ty, depth);
        self.hidden(format!("{op} {} {a}, {b}", type_name(ty)))
    }

    fn conversion(&mut self, ty: usize, depth: usize) -> String {
        let from = self.int_type();
        let tree = self.tree_of(from, depth - 1);
        let op = match from.cmp(&ty) {
            std::cmp::Ordering::Less => self.random.pick(&["zext", "sext"]),
            std::cmp::Ordering::Greater => "trunc",
            std::cmp::Ordering::Equal => return tree,
        };
        // The type of what is converted is that of a value.
        let value = match tree.starts_with('v') {
            true => tree,
            false => self.hidden(format!("copy {} {tree}", type_name(from))),
        };
        self.hidden(format!("{op} {} {value}", type_name(ty)))
    }

    /// A load that only this expression uses, right after a store to the same place.
    fn stored_and_loaded(&mut self, ty: usize, depth: usize) -> String {
        if !WIDTHS[ty].is_multiple_of(8) {
            return self.operation(ty, depth);
        }
        let tree = self.tree_of(ty, depth - 1);
        let place = self.place();
        self.line(format!("store {} {tree}, {place}", type_name(ty)));
        self.hidden(format!("load {} {place}", type_name(ty)))
    }

    /// A comparison as a number or as the condition of a selection.
    fn choice(&mut self, ty: usize, depth: usize) -> String {
        let op = self
            .random
            .pick(&["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]);
        let compared = self.int_type();
        let [a, b] = self.two(compared, depth);
        let condition = self.hidden(format!("icmp_{op} {} {a}, {b}", type_name(compared)));
        let [a, b] = self.two(ty, depth);
        self.hidden(format!("select {} {condition}, {a}, {b}", type_name(ty)))
    }
}
