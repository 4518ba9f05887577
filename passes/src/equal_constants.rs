//! Which constants of a function have the same contents; readers make a new one wherever one stands.

use frazil_ir::{ConstId, ConstView, EntityRef, Function, Operand};
use frazil_support::{IdTable, WordHasher};

/// For each constant of a function the first one like it.
#[derive(Debug, Default)]
pub struct EqualConstants {
    first: Vec<ConstId>,
    table: IdTable,
}

impl EqualConstants {
    /// Finds them for a function.
    pub fn compute(&mut self, function: &Function) {
        self.first.clear();
        self.table.reset(function.consts().len());
        for index in 0..function.consts().len() {
            let id = ConstId::new(index);
            let constant = function.constant(id);
            let found = self.table.find_or_insert(hash(function, id), index as u32, |other| {
                function.constant(ConstId::new(other as usize)) == constant
            });
            self.first.push(ConstId::new(found as usize));
        }
    }

    /// The operand, or that of the first constant like it.
    #[inline]
    pub fn first(&self, operand: Operand) -> Operand {
        match operand.as_const() {
            Some(id) => Operand::constant(self.first.get(id.index()).copied().unwrap_or(id)),
            None => operand,
        }
    }
}

fn hash(function: &Function, id: ConstId) -> u64 {
    let (ty, view) = function.constant(id);
    let kind = function.consts()[id.index()].kind;
    let start = WordHasher::default().with(kind as u64).with(ty.index() as u64);
    let hash = match view {
        ConstView::Int(words) | ConstView::Float(words) => words.iter().fold(start, |hash, &word| hash.with(word)),
        ConstView::Symbol(symbol, addend) => start.with(u64::from(symbol.as_u32())).with(addend.cast_unsigned()),
        ConstView::Vector(lanes) => lanes
            .iter()
            .fold(start, |hash, lane| hash.with(u64::from(lane.as_raw()))),
        _ => start,
    };
    hash.finish()
}
