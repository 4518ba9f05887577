//! The solver of the checker: proves that every use of a [`Flow`] finds its name. [`super`] describes the lattice.
//!
//! Method: the data-flow problem is solved on demand, in two steps that keep it linear in practice.
//!
//! 1. Each block is walked once, symbolically. A place that the block has not written holds "what it held at the
//!    block's entry", and copies propagate that. So a use either finds its name, or fails, or becomes a *demand*: at
//!    the entry of this block, this place must hold this name.
//! 2. Demands are propagated backward through the ends of predecessors, each at most once for a block. At the entry of
//!    the function, a demand fails. Places that nobody demands are never examined.
//!
//! Transfer functions distribute over intersection, so following all paths backward gives the same answer as iterating
//! forward to the greatest fixpoint. In particular, a demand that is met again around a loop holds if all other paths
//! into the loop satisfy it.
//!
//! Places hold *values* rather than names, because a name may be redefined: each definition makes a new value, a name
//! at the entry of a block stands for the value with its own number, and names share a value if one is a copy of the
//! other.

use super::flow::{Flow, Name, Op, Place};
use frazil_support::{EpochMap, FxHashSet};

/// A use that does not find its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The step that uses.
    pub op: u32,
    /// The place where the name is missing; on a path to the use, it may differ from the use's place.
    pub place: Place,
    /// The name that is missing, as it is called there.
    pub name: Name,
    /// Where it is missing.
    pub at: At,
    /// The names that are in the place.
    pub found: Vec<Name>,
}

/// Where a name is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// At the use itself.
    Use,
    /// At the end of this block.
    End(u32),
    /// At the entry of the function.
    Entry,
}

/// Values in contents, at most: a handful of copies of one thing, under names of their own.
const MOST_VALUES: usize = 64;
/// So many of them are the oldest: what was there before copies were made of it.
const OLDEST_VALUES: usize = 32;
/// No place, in [`Contents::base`].
const NO_BASE: u32 = u32::MAX;

/// What names stand for; below the number of names, what a name stands for at the block's entry.
type Value = u32;

/// What a place holds: what some place held at the block's entry, and besides these values.
#[derive(Clone, Copy, Debug, Default)]
struct Contents {
    base: u32,
    /// Bytes of the base that are left.
    base_bytes: u8,
    first_value: u32,
    value_count: u32,
}

/// `place` must hold so many bytes of `name` at the entry of `block`, since `op` uses it.
#[derive(Clone, Copy, Debug)]
struct Demand {
    block: u32,
    place: Place,
    name: Name,
    bytes: u8,
    op: u32,
}

/// The memory of the proof, kept from function to function.
#[derive(Debug, Default)]
pub(super) struct Solver {
    /// What places hold at the current step.
    now: EpochMap<Contents>,
    /// Places that were written in the current block.
    touched: Vec<Place>,
    /// What names stand for, as far as the current block has defined them.
    meanings: EpochMap<Value>,
    defined: Vec<Name>,
    /// Number of values that blocks have made.
    made: u32,
    /// Values of contents, each with how many bytes of it are left.
    values: Vec<(Value, u8)>,
    /// What written places hold at the ends of blocks, by block and place.
    ends: Vec<(Place, Contents)>,
    end_start: Vec<u32>,
    /// What names stand for that blocks defined, by block and name.
    defs: Vec<(Name, Value)>,
    def_start: Vec<u32>,
    renamed: Vec<(Name, Value)>,
    pred_start: Vec<u32>,
    preds: Vec<u32>,
    copies: Vec<Contents>,
    demands: Vec<Demand>,
    seen: FxHashSet<(u32, u32, u32, u8)>,
}

impl Solver {
    /// Proves it, or finds a use that fails.
    pub fn solve(&mut self, flow: &Flow) -> Result<(), Failure> {
        self.made = 0;
        self.values.clear();
        self.ends.clear();
        self.end_start.clear();
        self.defs.clear();
        self.def_start.clear();
        self.demands.clear();
        self.seen.clear();
        for block in 0..flow.blocks.len() as u32 {
            self.walk_block(flow, block)?;
        }
        self.end_start.push(self.ends.len() as u32);
        self.def_start.push(self.defs.len() as u32);
        self.collect_predecessors(flow);
        self.follow_demands(flow)
    }

    /// Walks through the steps of a block.
    fn walk_block(&mut self, flow: &Flow, number: u32) -> Result<(), Failure> {
        let block = flow.blocks[number as usize];
        self.now.reset(flow.places as usize);
        self.meanings.reset(flow.name_bytes.len());
        self.touched.clear();
        self.defined.clear();
        for op in block.start..block.end {
            match flow.ops[op as usize] {
                Op::Use { place, name } => self.use_name(flow, number, op, place, name)?,
                Op::Define { place, name } => {
                    let value = self.define(flow, name);
                    let contents = self.only(value);
                    self.set(place, contents);
                }
                Op::Alias { place, name } => {
                    let value = self.define(flow, name);
                    let contents = self.with(self.contents(place), value);
                    self.set(place, contents);
                }
                Op::Same { new, old } => self.mean(new, self.meaning(old)),
                Op::Forget { name } => {
                    self.define(flow, name);
                }
                Op::Make { place, name } => {
                    let contents = self.only(self.meaning(name));
                    self.set(place, contents);
                }
                Op::Clobber { place } => self.set(place, Contents::NOTHING),
                Op::Copy {
                    from, bytes, with_next, ..
                } => {
                    let contents = self.contents(from);
                    let contents = self.truncated(contents, bytes);
                    self.copies.push(contents);
                    if !with_next {
                        self.write_copies(flow, op);
                    }
                }
            }
        }
        self.rename(flow, number);
        self.keep_end();
        Ok(())
    }

    /// Names get the values of others at the end of a block, all at once.
    fn rename(&mut self, flow: &Flow, number: u32) {
        let block = flow.blocks[number as usize];
        self.renamed.clear();
        for &(new, old) in &flow.renames[block.first_rename as usize..block.end_rename as usize] {
            self.renamed.push((new, self.meaning(old)));
        }
        for index in 0..self.renamed.len() {
            let (new, value) = self.renamed[index];
            self.mean(new, value);
        }
    }

    /// Writes the contents that were read by a run of copies which ends here.
    fn write_copies(&mut self, flow: &Flow, last: u32) {
        let copies = std::mem::take(&mut self.copies);
        let first = last as usize + 1 - copies.len();
        for (op, &contents) in flow.ops[first..].iter().zip(&copies) {
            if let Op::Copy { to, .. } = *op {
                self.set(to, contents);
            }
        }
        self.copies = copies;
        self.copies.clear();
    }

    fn use_name(&mut self, flow: &Flow, block: u32, op: u32, place: Place, name: Name) -> Result<(), Failure> {
        let (contents, value) = (self.contents(place), self.meaning(name));
        let bytes = flow.name_bytes[name.0 as usize];
        if self.has(contents, value, bytes) {
            return Ok(());
        }
        if let Some(place) = contents.may_come_in(flow, value, bytes) {
            self.demands.push(Demand {
                block,
                place,
                name: Name(value),
                bytes,
                op,
            });
            return Ok(());
        }
        Err(Failure {
            op,
            place,
            name,
            at: At::Use,
            found: self.names_of(flow, contents, |name| self.meaning(name)),
        })
    }

    /// What a name stands for now.
    #[inline]
    fn meaning(&self, name: Name) -> Value {
        self.meanings.get(name.0 as usize).unwrap_or(name.0)
    }

    fn mean(&mut self, name: Name, value: Value) {
        if self.meanings.get(name.0 as usize).is_none() {
            self.defined.push(name);
        }
        self.meanings.set(name.0 as usize, value);
    }

    /// Makes a value for a name.
    fn define(&mut self, flow: &Flow, name: Name) -> Value {
        let value = flow.name_bytes.len() as Value + self.made;
        self.made += 1;
        self.mean(name, value);
        value
    }

    #[inline]
    fn contents(&self, place: Place) -> Contents {
        self.now.get(place.0 as usize).unwrap_or(Contents {
            base: place.0,
            base_bytes: u8::MAX,
            first_value: 0,
            value_count: 0,
        })
    }

    fn set(&mut self, place: Place, contents: Contents) {
        if self.now.get(place.0 as usize).is_none() {
            self.touched.push(place);
        }
        self.now.set(place.0 as usize, contents);
    }

    /// Contents with one value.
    fn only(&mut self, value: Value) -> Contents {
        self.values.push((value, u8::MAX));
        Contents {
            first_value: self.values.len() as u32 - 1,
            value_count: 1,
            ..Contents::NOTHING
        }
    }

    /// The same contents with one more value. Values pile up only where a place is copied to itself by name after
    /// name, so that old ones can be left out, or where copy after copy is made of it, which are read at once; what it
    /// was called before those is among the oldest.
    fn with(&mut self, contents: Contents, value: Value) -> Contents {
        let first_value = self.values.len() as u32;
        let all = contents.range();
        let oldest = all.start..all.end.min(all.start + OLDEST_VALUES);
        let newest = oldest.end.max(all.end.saturating_sub(MOST_VALUES - OLDEST_VALUES))..all.end;
        self.values.extend_from_within(oldest);
        self.values.extend_from_within(newest);
        self.values.push((value, u8::MAX));
        Contents {
            first_value,
            value_count: self.values.len() as u32 - first_value,
            ..contents
        }
    }

    /// What is left of contents when only so many bytes are copied.
    fn truncated(&mut self, contents: Contents, bytes: u8) -> Contents {
        let mut left = Contents {
            base_bytes: contents.base_bytes.min(bytes),
            ..contents
        };
        if self.values[contents.range()].iter().any(|value| value.1 > bytes) {
            left.first_value = self.values.len() as u32;
            for index in contents.range() {
                let (value, old_bytes) = self.values[index];
                self.values.push((value, old_bytes.min(bytes)));
            }
        }
        left
    }

    fn has(&self, contents: Contents, value: Value, bytes: u8) -> bool {
        let mut values = self.values[contents.range()].iter();
        values.any(|&(other, left)| other == value && left >= bytes)
    }

    /// The names whose values are in contents; for messages alone.
    fn names_of(&self, flow: &Flow, contents: Contents, meaning: impl Fn(Name) -> Value) -> Vec<Name> {
        let values = &self.values[contents.range()];
        let names = (0..flow.name_bytes.len() as u32).map(Name);
        names
            .filter(|&name| values.iter().any(|value| value.0 == meaning(name)))
            .collect()
    }

    /// Keeps the contents of written places at the end of the block.
    fn keep_end(&mut self) {
        self.end_start.push(self.ends.len() as u32);
        self.touched.sort_unstable();
        for index in 0..self.touched.len() {
            let place = self.touched[index];
            self.ends.push((place, self.contents(place)));
        }
        self.def_start.push(self.defs.len() as u32);
        self.defined.sort_unstable();
        for index in 0..self.defined.len() {
            let name = self.defined[index];
            self.defs.push((name, self.meaning(name)));
        }
    }

    fn collect_predecessors(&mut self, flow: &Flow) {
        self.pred_start.clear();
        self.pred_start.resize(flow.blocks.len() + 1, 0);
        for &(_, to) in &flow.edges {
            self.pred_start[to as usize + 1] += 1;
        }
        for block in 0..flow.blocks.len() {
            self.pred_start[block + 1] += self.pred_start[block];
        }
        self.preds.clear();
        self.preds.resize(flow.edges.len(), 0);
        // The starts serve as counters, and are moved back to their places afterwards.
        for &(from, to) in &flow.edges {
            let place = &mut self.pred_start[to as usize];
            self.preds[*place as usize] = from;
            *place += 1;
        }
        self.pred_start.rotate_right(1);
        self.pred_start[0] = 0;
    }

    fn follow_demands(&mut self, flow: &Flow) -> Result<(), Failure> {
        while let Some(demand) = self.demands.pop() {
            let Demand {
                block,
                place,
                name,
                bytes,
                ..
            } = demand;
            if !self.seen.insert((block, place.0, name.0, bytes)) {
                continue;
            }
            if demand.block == 0 {
                return Err(Failure {
                    op: demand.op,
                    place: demand.place,
                    name: demand.name,
                    at: At::Entry,
                    found: Vec::new(),
                });
            }
            let block = demand.block as usize;
            for index in self.pred_start[block]..self.pred_start[block + 1] {
                self.demand_at_end(flow, self.preds[index as usize], demand)?;
            }
        }
        Ok(())
    }

    /// What a demand on a successor means for a block: nothing, another demand, or a failure.
    fn demand_at_end(&mut self, flow: &Flow, block: u32, demand: Demand) -> Result<(), Failure> {
        let contents = self.contents_at_end(block, demand.place);
        let value = self.meaning_at_end(block, demand.name);
        if value == Name::ANYTHING.0 {
            return Ok(());
        }
        if self.has(contents, value, demand.bytes) {
            return Ok(());
        }
        if let Some(place) = contents.may_come_in(flow, value, demand.bytes) {
            self.demands.push(Demand {
                block,
                place,
                name: Name(value),
                ..demand
            });
            return Ok(());
        }
        let is_name = (value as usize) < flow.name_bytes.len();
        Err(Failure {
            op: demand.op,
            place: demand.place,
            name: if is_name { Name(value) } else { demand.name },
            at: At::End(block),
            found: self.names_of(flow, contents, |name| self.meaning_at_end(block, name)),
        })
    }

    fn contents_at_end(&self, block: u32, place: Place) -> Contents {
        let block = block as usize;
        let ends = &self.ends[self.end_start[block] as usize..self.end_start[block + 1] as usize];
        match ends.binary_search_by_key(&place, |entry| entry.0) {
            Ok(index) => ends[index].1,
            Err(_) => Contents {
                base: place.0,
                base_bytes: u8::MAX,
                first_value: 0,
                value_count: 0,
            },
        }
    }

    fn meaning_at_end(&self, block: u32, name: Name) -> Value {
        let block = block as usize;
        let defs = &self.defs[self.def_start[block] as usize..self.def_start[block + 1] as usize];
        match defs.binary_search_by_key(&name, |entry| entry.0) {
            Ok(index) => defs[index].1,
            Err(_) => name.0,
        }
    }
}

impl Contents {
    const NOTHING: Contents = Contents {
        base: NO_BASE,
        base_bytes: 0,
        first_value: 0,
        value_count: 0,
    };

    fn range(self) -> std::ops::Range<usize> {
        self.first_value as usize..(self.first_value + self.value_count) as usize
    }

    /// Where a value must be at the block's entry so that it is in these contents, if it can be.
    fn may_come_in(self, flow: &Flow, value: Value, bytes: u8) -> Option<Place> {
        let is_name = (value as usize) < flow.name_bytes.len();
        (is_name && self.base != NO_BASE && bytes <= self.base_bytes).then_some(Place(self.base))
    }
}
