//! Which values say something of the same bits of a variable: what both code paths need to follow values.
//!
//! A variable is its node and the place where it was inlined. Values may say what some of its bits are (fragments of
//! LLVM's expressions, or registers of a wide integer); such parts are numbered like variables of their own. A value
//! ends all that were said of bits that it says something of, too.

use frazil_ir::debug::{Argument, DebugKind, DebugValue, Kind, Metadata, NodeId, NodeRef};
use frazil_ir::{EntityRef, Function, Inst, Opcode, Operand, Value, ValueKind};
use frazil_support::FxHashMap;

/// The operation of an expression that says which part of a variable is meant (`llvm/BinaryFormat/Dwarf.def`).
pub(crate) const FRAGMENT: u64 = 0x1000;

/// The longest chain of additions of constants that is followed to a value that is somewhere.
pub(crate) const MOST_SUMS: usize = 8;

/// How often variables are looked at in a function: each of them for each instruction. In larger ones all are lost.
const MOST_LOOKS: usize = 1 << 26;

/// How many pairs of parts of variables may share bits.
const MOST_PAIRS: usize = 1 << 20;

/// Which bits of a variable: the first, and how many.
pub(crate) type Bits = (u64, u64);

/// A variable, and where it was inlined.
pub(crate) type Variable = (NodeId, NodeRef);

/// The variable that a value belongs to.
pub(crate) fn variable_of(function: &Function, value: &DebugValue) -> Variable {
    let location = function.debug.location(value.location);
    let inlined_at = location.map_or(NodeRef::NONE, |location| location.inlined_at);
    (value.variable, inlined_at)
}

/// The variables that are said to be at one place all the time, ascending. Values of these are not followed.
pub(crate) fn declared_variables(function: &Function) -> Vec<Variable> {
    let values = function.debug.values.iter();
    let declared = values.filter(|value| value.kind == DebugKind::Declare);
    let mut declared: Vec<Variable> = declared.map(|value| variable_of(function, value)).collect();
    declared.sort_unstable();
    declared
}

/// The words of an expression, which is a node of the function or of the module.
pub(crate) fn expression_words<'f>(
    function: &'f Function,
    module_nodes: Option<&'f Metadata>,
    expression: NodeRef,
) -> &'f [u64] {
    let Some(node) = expression.node() else { return &[] };
    let own = &function.debug.nodes;
    let table: Option<&Metadata> = match own.kind(node) {
        Some(_) => Some(own),
        None => module_nodes,
    };
    let table = table.filter(|table| table.kind(node) == Some(Kind::Expression));
    table.map_or(&[], |table| table.words(node))
}

/// Which bits of a variable an expression means.
pub(crate) fn fragment(words: &[u64]) -> Option<Bits> {
    match *words {
        [.., FRAGMENT, start, size] => Some((start, size)),
        _ => None,
    }
}

/// The value to which an instruction adds a constant, and the constant.
pub(crate) fn sum(function: &Function, value: Value) -> Option<(Value, i64)> {
    let data = function.value(value);
    if data.kind != ValueKind::Inst {
        return None;
    }
    let inst = function.inst(Inst::new(data.def as usize));
    let [a, b]: [Operand; 2] = [inst.a, inst.b];
    match inst.op {
        Opcode::PtrAdd | Opcode::Add => Some((a.as_value()?, b.as_imm()?)),
        Opcode::Sub => Some((a.as_value()?, b.as_imm()?.wrapping_neg())),
        _ => None,
    }
}

/// What is numbered: a variable, or some of its bits; and which argument of an expression the value is.
type Key = (Variable, Option<Bits>, u8);

/// Numbers variables and their parts.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    numbers: FxHashMap<Key, u32>,
    keys: Vec<Key>,
}

impl Numbering {
    /// The number of a variable or a part of it, for a value that is this argument of its expression.
    pub fn number(&mut self, variable: Variable, part: Option<Bits>, argument: Argument) -> u32 {
        let keys = &mut self.keys;
        let key = (variable, part, argument.index);
        *self.numbers.entry(key).or_insert_with(|| {
            keys.push(key);
            keys.len() as u32 - 1
        })
    }

    /// By number: those whose values end with a new one of it, itself included. They share bits with it. The first
    /// argument of an expression ends all that was said before, and the others come right after it. `None` if these, or
    /// the variables of a function of so many instructions, are too many to be followed.
    pub fn overlapping(&self, insts: usize) -> Option<Vec<Vec<u32>>> {
        if self.keys.len().saturating_mul(insts) > MOST_LOOKS {
            return None;
        }
        let mut of_variable: FxHashMap<Variable, Vec<u32>> = FxHashMap::default();
        for (number, key) in (0..).zip(&self.keys) {
            of_variable.entry(key.0).or_default().push(number);
        }
        if of_variable
            .values()
            .map(|parts| parts.len() * parts.len())
            .sum::<usize>()
            > MOST_PAIRS
        {
            return None;
        }
        let overlap = |one: Option<Bits>, other: Option<Bits>| match (one, other) {
            (Some((start, size)), Some((other_start, other_size))) => {
                start < other_start.saturating_add(other_size) && other_start < start.saturating_add(size)
            }
            _ => true,
        };
        let overlapping = self.keys.iter().map(|key| {
            let others = of_variable[&key.0].iter().copied();
            others
                .filter(|&other| {
                    let (_, bits, argument) = self.keys[other as usize];
                    overlap(key.1, bits) && (key.2 == 0 || key.2 == argument)
                })
                .collect()
        });
        Some(overlapping.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_parts_and_looks_are_not_followed() {
        let numbered = |count: u64| {
            let mut numbering = Numbering::default();
            for size in 1..=count {
                let variable = (NodeId::new(0), NodeRef::NONE);
                numbering.number(variable, Some((0, size)), Argument::default());
            }
            numbering
        };
        let few = numbered(3).overlapping(10).expect("they are few");
        assert_eq!(few, [[0, 1, 2], [0, 1, 2], [0, 1, 2]]);
        assert_eq!(numbered(3).overlapping(MOST_LOOKS), None);
        assert_eq!(numbered(2000).overlapping(10), None);
    }
}
