//! Which value each variable has at each instruction, for the fast path: a forward problem of data flow over blocks.
//!
//! Where paths meet, a variable has a value only if it has the same one on all of them. A value that is computed again,
//! in the next round of a loop, is not known to be anywhere any more: variables lose it until they are said to have
//! what is new. Variables that are declared to be at one place are not followed.
//!
//! Only functions with values of variables come here. Those of unoptimized input have none.

use crate::parts::Parts;
use crate::variables::{
    Bits, FRAGMENT, MOST_SUMS, Numbering, declared_variables, expression_words, fragment, sum, variable_of,
};
use frazil_ir::debug::{DebugValue, Metadata, NodeRef};
use frazil_ir::{Block, EntityRef, Function, Inst, Operand, Value, ValueKind};
use frazil_support::FxHashMap;

/// How often blocks are looked at until nothing changes; functions that need more are given up.
const MOST_ROUNDS: usize = 16;

/// Variables with their values, both by number, ascending.
pub(super) type Bound = Vec<(u32, u32)>;

/// What happens before an instruction: first, values that the one before it has computed again are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Lose(Value),
    /// A variable gets this value of the function's list.
    Bind(u32),
}

/// What makes values of one variable the same.
type Same = (u32, (u8, u8), NodeRef, Operand, u32);

/// The values of variables of a function.
#[derive(Debug, Default)]
pub(super) struct Reaching {
    /// By value of the function's list: its variable, or a part of one, and the first value that is the same.
    rows: Vec<(u32, u32)>,
    overlapping: Vec<Vec<u32>>,
    /// By position of the instruction, ascending.
    events: Vec<(u32, Event)>,
    /// By layout position: what variables have at the beginning; `None` if nothing leads there.
    inputs: Vec<Option<Bound>>,
    next_event: usize,
    /// What variables have now.
    pub bound: Bound,
}

impl Reaching {
    /// Finds the values; `None` if there are none to follow. `order` is the layout of blocks.
    pub fn find(function: &Function, nodes: Option<&Metadata>, parts: &[Parts], order: &[Block]) -> Option<Reaching> {
        let values = &function.debug.values;
        let is_value = |value: &&DebugValue| value.kind.begins_somewhere();
        values.iter().find(is_value)?;
        let mut found = Reaching::default();
        let declared = declared_variables(function);
        let mut numbering = Numbering::default();
        let mut same: FxHashMap<Same, u32> = FxHashMap::default();
        for (index, value) in (0_u32..).zip(values) {
            let variable = variable_of(function, value);
            let words = expression_words(function, nodes, value.expression);
            let part: Option<Bits> = fragment(words);
            let number = numbering.number(variable, part, value.argument);
            let kind = (value.kind as u8, value.argument.count);
            let key = (number, kind, value.expression, value.operand, value.constant);
            found.rows.push((number, *same.entry(key).or_insert(index)));
            if is_value(&value) && declared.binary_search(&variable).is_err() {
                found.events.push((value.before, Event::Bind(index)));
                found.lose_with(function, value.operand);
            }
        }
        let is_float = |value: &DebugValue| {
            let ty = value.operand.as_value().map(|operand| function.value(operand).ty);
            ty.and_then(|ty| parts.get(ty.index())).is_some_and(|parts| parts.float)
        };
        for (row, value) in found.rows.iter_mut().zip(values) {
            // Debuggers compute with integers only.
            let words = expression_words(function, nodes, value.expression);
            if value.is_lost() || is_float(value) && !matches!(words, [] | [FRAGMENT, _, _]) {
                row.1 = u32::MAX;
            }
        }
        found.overlapping = numbering.overlapping(function.insts().len())?;
        found.events.sort_unstable();
        found.events.dedup();
        found.solve(function, order).then_some(found)
    }

    /// Variables lose a value, and what is computed from it, when it is computed again.
    fn lose_with(&mut self, function: &Function, operand: Operand) {
        let mut next = operand.as_value();
        for _ in 0..=MOST_SUMS {
            let Some(value) = next else { return };
            let data = function.value(value);
            if data.kind != ValueKind::Inst {
                return;
            }
            let inst = Inst::new(data.def as usize);
            // The results of a terminator belong to blocks elsewhere.
            let after = u32::from(!function.inst(inst).op.is_terminator());
            self.events.push((data.def + after, Event::Lose(value)));
            next = sum(function, value).map(|sum| sum.0);
        }
    }

    fn solve(&mut self, function: &Function, order: &[Block]) -> bool {
        let mut positions = vec![usize::MAX; function.blocks().len()];
        for (position, block) in order.iter().enumerate() {
            positions[block.index()] = position;
        }
        self.inputs = vec![None; order.len()];
        if let Some(entry) = self.inputs.first_mut() {
            *entry = Some(Bound::new());
        }
        let mut is_changed = vec![true; order.len()];
        for _ in 0..MOST_ROUNDS {
            let mut is_done = true;
            for (position, &block) in order.iter().enumerate() {
                if !std::mem::take(&mut is_changed[position]) || self.inputs[position].is_none() {
                    continue;
                }
                is_done = false;
                self.begin_block(function, position, block);
                self.advance(function, function.block_insts(block).end as u32 - 1);
                for edge in function.cfg().successors(block) {
                    let Some(&target) = positions.get(edge.target.index()) else {
                        continue;
                    };
                    is_changed[target] |= meet(&mut self.inputs[target], &self.bound);
                }
            }
            if is_done {
                return true;
            }
        }
        false
    }

    /// Comes to the beginning of a block.
    pub fn begin_block(&mut self, function: &Function, position: usize, block: Block) {
        self.bound.clear();
        if let Some(Some(input)) = self.inputs.get(position) {
            self.bound.extend_from_slice(input);
        }
        let first = function.block_insts(block).start as u32;
        self.next_event = self.events.partition_point(|event| event.0 < first);
    }

    /// Comes to an instruction of the block.
    pub fn advance(&mut self, function: &Function, inst: u32) {
        while let Some(&(at, event)) = self.events.get(self.next_event)
            && at <= inst
        {
            self.next_event += 1;
            match event {
                Event::Lose(lost) => {
                    let (rows, values) = (&self.rows, &function.debug.values);
                    self.bound.retain(|&(_, row)| {
                        debug_assert_eq!(rows[row as usize].1, row);
                        !depends_on(function, values[row as usize].operand, lost)
                    });
                }
                Event::Bind(index) => {
                    let (variable, row) = self.rows[index as usize];
                    let gone = &self.overlapping[variable as usize];
                    self.bound.retain(|pair| !gone.contains(&pair.0));
                    if row != u32::MAX {
                        let at = self.bound.partition_point(|pair| pair.0 < variable);
                        self.bound.insert(at, (variable, row));
                    }
                }
            }
        }
    }
}

/// Whether an operand is a value, or a sum of it and constants.
fn depends_on(function: &Function, operand: Operand, lost: Value) -> bool {
    let mut next = operand.as_value();
    for _ in 0..=MOST_SUMS {
        match next {
            None => return false,
            Some(value) if value == lost => return true,
            Some(value) => next = sum(function, value).map(|sum| sum.0),
        }
    }
    false
}

/// Keeps of what is known what another path has, too; says whether that has changed it.
fn meet(known: &mut Option<Bound>, other: &Bound) -> bool {
    let Some(known) = known else {
        *known = Some(other.clone());
        return true;
    };
    let before = known.len();
    known.retain(|pair| other.binary_search(pair).is_ok());
    known.len() != before
}
