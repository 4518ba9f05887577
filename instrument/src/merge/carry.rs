//! Sums in registers: what a loop without calls adds to a number in memory is added up in a value of its own, and to
//! the number where the loop ends.
//!
//! ```text
//! b1:                                  b1:
//!   v1 = phi ...                         v1 = phi ...
//!   v2 = load i64 @total                 v2 = phi i64 [0, b0], [v3, b1]
//!   v3 = add i64 v2, 3            ->     v3 = add i64 v2, 3
//!   store i64 v3, @total                 branch v9, b1, b2
//!   branch v9, b1, b2                  b2:
//! b2:                                    v4 = load i64 @total
//!   return                               v5 = add i64 v4, v3
//!                                        store i64 v5, @total
//!                                        return
//! ```
//!
//! Where each round of a loop adds the same and the loop has a variable that each round adds a constant to, no value of
//! its own is needed: how far the variable has come says how many [rounds](super::rounds) there were.
//!
//! Method: for each number the innermost loop with its most frequent update is taken, and those around it as long as
//! they have more of its updates. The values are built in one walk in reverse postorder: a phi at the header, at those
//! of inner loops that add something, and where different sums meet. As many numbers are carried as there are registers
//! that the loop does not seem to need.
//!
//! Loops that can be entered at several places, or that have such a loop in them, stay as they are, and so do those
//! with calls and with hooks that are more than additions.

use super::course::{Course, Sum};
use super::flow::{Place, ROUNDS};
use super::{Update, pay};
use crate::emission::Emission;
use frazil_ir::domtree::DomTree;
use frazil_ir::loops::LoopTree;
use frazil_ir::{Block, Editor, EntityRef, Function, InstData, Loop, Opcode, Operand, Type, TypeData, Value};
use frazil_passes::constants::sign_extended;
use frazil_support::FxHashMap;

/// What carrying needs to know of a function.
pub(crate) struct Input<'a> {
    pub loops: &'a LoopTree,
    pub dominators: &'a DomTree,
    /// By block: whether it has calls or hooks that are no additions.
    pub is_busy: &'a [bool],
    /// By block.
    pub frequencies: &'a [f32],
    pub int_registers: u32,
    pub pointer_bits: u32,
}

/// How often each block and each update of a function may be looked at, for different numbers.
const STEPS_PER_BLOCK: usize = 64;

/// At most so many numbers are carried through a loop.
const MOST_CARRIED: u32 = 4;

/// Registers that a loop needs for what is not a value: addresses, constants, and the frame.
const RESERVED: u32 = 4;

/// Leaving a loop must be so much rarer than what it adds: the value is set to zero before it, too.
const EXIT_COST: f32 = 1.5;

/// An update and the innermost loop around it.
type Row = (Update, Option<Loop>);

/// What carries numbers through loops.
pub(crate) struct Carrier<'a, 'e> {
    pub input: &'a Input<'a>,
    pub function: &'e mut Function,
    pub editor: &'e mut Editor,
    pub emission: &'e mut Emission,
    /// By block: its number in reverse postorder.
    rank: Vec<u32>,
    /// By loop: whether it can be treated, and how many more numbers can be carried through it.
    room: Vec<Option<u32>>,
    /// By loop: itself and those in it.
    inner: Vec<Vec<Loop>>,
    /// Sums that were made: at the end of which block, of what.
    sums_at: FxHashMap<(Block, Value, i128), Operand>,
}

impl<'a, 'e> Carrier<'a, 'e> {
    /// What carries numbers of a function.
    pub fn new(
        input: &'a Input<'a>,
        function: &'e mut Function,
        editor: &'e mut Editor,
        emission: &'e mut Emission,
    ) -> Carrier<'a, 'e> {
        let mut rank = vec![u32::MAX; function.blocks().len()];
        for (number, block) in input.dominators.reverse_postorder().enumerate() {
            rank[block.index()] = number as u32;
        }
        let mut carrier = Carrier {
            input,
            function,
            editor,
            emission,
            rank,
            room: Vec::new(),
            inner: vec![Vec::new(); input.loops.loops().count()],
            sums_at: FxHashMap::default(),
        };
        carrier.room = input.loops.loops().map(|id| carrier.room_of(id)).collect();
        for id in input.loops.loops() {
            let mut around = Some(id);
            while let Some(outer) = around {
                carrier.inner[outer.index()].push(id);
                if input.loops.data(id).irreducible {
                    // Sums meet elsewhere than at headers.
                    carrier.room[outer.index()] = None;
                }
                around = input.loops.data(outer).parent;
            }
        }
        carrier
    }

    /// How many numbers can be carried through a loop, if it is one of those that are treated.
    fn room_of(&self, id: Loop) -> Option<u32> {
        let (loops, f) = (self.input.loops, &*self.function);
        if loops.data(id).irreducible || loops.blocks(id).iter().any(|block| self.input.is_busy[block.index()]) {
            return None;
        }
        let can_pay =
            |(from, to): (Block, Block)| f.predecessors(to).len() == 1 || self.editor.can_split_edge(f, from, to);
        if !loops.exits(f.cfg(), id).all(can_pay) {
            return None;
        }
        let room = self.input.int_registers.saturating_sub(RESERVED + self.live_in(id));
        Some(room.min(MOST_CARRIED))
    }

    /// About how many values live through a loop: its phis, and what it uses of others.
    fn live_in(&self, id: Loop) -> u32 {
        let (loops, f) = (self.input.loops, &*self.function);
        let needs_register = |value: Value| {
            let ty = f.types().data(f.value(value).ty);
            f.slot_of(value).is_none() && matches!(ty, TypeData::Int(_) | TypeData::Ptr(_))
        };
        let mut outside: Vec<Value> = Vec::new();
        let mut count = 0;
        for &block in loops.blocks(id) {
            for position in f.block_insts(block) {
                let data = &f.insts()[position];
                if data.op == Opcode::Phi {
                    let is_live = block == loops.data(id).header && data.first_result().is_some_and(needs_register);
                    count += u32::from(is_live);
                    continue;
                }
                f.for_each_operand(data, |operand| {
                    let Some(value) = operand.as_value().filter(|&value| needs_register(value)) else {
                        return;
                    };
                    let is_inside = (f.def_inst(value)).is_some_and(|inst| loops.contains(id, f.block_of(inst)));
                    if !is_inside && !outside.contains(&value) && outside.len() < 16 {
                        outside.push(value);
                    }
                });
            }
        }
        count + outside.len() as u32
    }

    /// The innermost loop in which an update is executed.
    fn loop_of(&self, place: Place, block_of_part: &impl Fn(u32) -> Block) -> Option<Loop> {
        let loops = self.input.loops;
        match place {
            Place::Part(part) => loops.innermost(block_of_part(part)),
            Place::End(block) | Place::Start(block) => loops.innermost(block),
            Place::Between(from, to) => {
                let mut found = loops.innermost(from);
                while let Some(id) = found.filter(|&id| !loops.contains(id, to)) {
                    found = loops.data(id).parent;
                }
                found
            }
        }
    }

    fn is_within(&self, inner: Loop, outer: Loop) -> bool {
        self.input.loops.contains(outer, self.input.loops.data(inner).header)
    }

    /// Carries what can be carried; the other updates are left. Returns how many were carried.
    pub fn run(
        &mut self,
        updates: &mut Vec<Update>,
        types: impl Fn(u32) -> Type,
        block_of_part: impl Fn(u32) -> Block,
    ) -> u64 {
        let mut rows: Vec<Row> = (updates.drain(..))
            .map(|update| (update, self.loop_of(update.place, &block_of_part)))
            .collect();
        rows.sort_by_key(|(update, _)| update.cell);
        // The most frequent ones choose first.
        let mut starts: Vec<(f32, usize)> = (rows.iter().enumerate())
            .filter(|(_, (_, id))| id.is_some_and(|id| self.room[id.index()].is_some()))
            .map(|(index, (update, _))| (update.frequency, index))
            .collect();
        starts.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        let mut is_left = vec![true; rows.len()];
        let mut steps_left = STEPS_PER_BLOCK * (self.rank.len() + rows.len() + STEPS_PER_BLOCK);
        let mut count = 0;
        for (_, index) in starts {
            let cell = rows[index].0.cell;
            let first = rows.partition_point(|row| row.0.cell < cell);
            let mine = first..rows.partition_point(|row| row.0.cell <= cell);
            let Some(left) = steps_left.checked_sub(mine.len()) else {
                break;
            };
            steps_left = left;
            let left = || {
                mine.clone()
                    .filter(|&number| is_left[number])
                    .map(|number| &rows[number])
            };
            let Some(id) = rows[index]
                .1
                .filter(|_| is_left[index])
                .and_then(|id| self.choose(left(), id))
            else {
                continue;
            };
            let Some(left) = steps_left.checked_sub(self.input.loops.blocks(id).len()) else {
                break;
            };
            steps_left = left;
            let is_inside = |row: &Row| row.1.is_some_and(|inner| self.is_within(inner, id));
            let inside: Vec<usize> = mine
                .filter(|&number| is_left[number] && is_inside(&rows[number]))
                .collect();
            let updates: Vec<Update> = inside.iter().map(|&number| rows[number].0).collect();
            let course = Course::new(
                (self.function, self.input.loops, &self.rank),
                id,
                &updates,
                &block_of_part,
            );
            let ty = types(cell);
            if self.by_rounds(&course, cell, ty) || (self.take_room(id) && self.by_values(&course, cell, ty)) {
                count += inside.len() as u64;
                inside.iter().for_each(|&number| is_left[number] = false);
            }
        }
        let left = rows.iter().zip(&is_left).filter(|(_, left)| **left);
        updates.extend(left.map(|(row, _)| row.0));
        count
    }

    /// The loop through which a number is carried: the given one, and those around it that have more of its updates;
    /// none if it is left as often as the number is added to.
    fn choose<'r>(&self, rows: impl Iterator<Item = &'r Row> + Clone, first: Loop) -> Option<Loop> {
        let loops = self.input.loops;
        let mut id = first;
        while let Some(parent) = loops
            .data(id)
            .parent
            .filter(|parent| self.room[parent.index()].is_some())
        {
            let adds_there = |inner: Loop| self.is_within(inner, parent) && !self.is_within(inner, id);
            if !rows.clone().any(|row| row.1.is_some_and(adds_there)) {
                break;
            }
            id = parent;
        }
        let inside = rows.filter(|row| row.1.is_some_and(|inner| self.is_within(inner, id)));
        let inside: f32 = inside.map(|row| row.0.frequency).sum();
        let entries = self.input.frequencies[loops.data(id).header.index()] / ROUNDS;
        (inside >= EXIT_COST * entries).then_some(id)
    }

    /// Whether one more value can live through a loop; it does then.
    fn take_room(&mut self, id: Loop) -> bool {
        let concerned = &self.inner[id.index()];
        if concerned
            .iter()
            .any(|inner| self.room[inner.index()].is_none_or(|room| room == 0))
        {
            return false;
        }
        for inner in concerned {
            self.room[inner.index()] = self.room[inner.index()].map(|room| room - 1);
        }
        true
    }

    /// Adds up in values of the loop.
    fn by_values(&mut self, course: &Course, cell: u32, ty: Type) -> bool {
        let mut phis = Vec::new();
        for &block in &course.phis {
            let empty = vec![Operand::ZERO; self.function.predecessors(block).len()];
            phis.push(self.editor.insert_phi(self.function, block, ty, &empty));
        }
        for (&block, &phi) in course.phis.iter().zip(&phis) {
            for (column, from) in self.function.predecessors(block).to_vec().into_iter().enumerate() {
                // What does not come from the loop comes with nothing.
                let Some(sum) = course.on_edge(from, block) else {
                    continue;
                };
                // A sum in a register is cheaper than a block on the edge, even if control goes another way.
                let operand = self.operand(from, sum.phi.map(|phi| phis[phi]), sum.amount, ty);
                self.editor.set_phi_operand(self.function, phi, column, operand);
            }
        }
        let exits: Vec<(Block, Block)> = self.input.loops.exits(self.function.cfg(), course.id).collect();
        for (from, to) in exits {
            let Some(&Sum { phi, amount }) = course.ends.get(&from) else {
                continue;
            };
            let value = phi.map(|phi| phis[phi]);
            let made = value
                .and_then(|value| self.sums_at.get(&(from, value, self.cut(amount, ty))))
                .copied();
            let payments = self.emission.on_edge(self.function, self.editor, from, to);
            match made {
                Some(made) => pay(payments, cell, 0, Some(made)),
                None => pay(payments, cell, amount, value.map(Operand::value)),
            }
        }
        true
    }

    /// An amount as a number of a type.
    fn cut(&self, amount: i128, ty: Type) -> i128 {
        sign_extended(amount, self.function.types().int_bits(ty).unwrap_or(64))
    }

    /// A sum as an operand at the end of a block.
    fn operand(&mut self, at: Block, value: Option<Value>, amount: i128, ty: Type) -> Operand {
        let amount = self.cut(amount, ty);
        let number = self.function.int_operand(ty, amount);
        let Some(value) = value else { return number };
        if amount == 0 {
            return Operand::value(value);
        }
        let (editor, function) = (&mut *self.editor, &mut *self.function);
        *self.sums_at.entry((at, value, amount)).or_insert_with(|| {
            let data = InstData::new(Opcode::Add, ty, 0, Operand::value(value), number);
            let sum = editor.insert_at_end(function, at, data, Some(ty));
            Operand::value(sum.expect("a sum has a result"))
        })
    }
}
