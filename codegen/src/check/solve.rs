//! Proves that every use of a [`Flow`] finds its name.
//!
//! Method: abstract interpretation over sets of names for each place; at joins, a place holds what it holds on every
//! way in (see Rideau and Leroy, "Validating register allocation and spilling", and the checker of `regalloc2`). Two
//! things keep it linear in practice. First, each block is walked once, symbolically: a place that was not written
//! holds "what this place held at the entry", copies carry that on, and so a use either finds its name, or fails, or
//! becomes a *demand*: at the block's entry, this place must hold this name. Second, demands are followed backwards
//! through the ends of the predecessors, each only once for a block; whatever nobody demands is never looked at. The
//! steps distribute over intersection, so following every way backwards gives the same answer as iterating forwards
//! to the greatest fixpoint: a demand met again on a loop holds if all other ways into the loop satisfy it.
//!
//! A value that a name had before its latest definition is a value without name: entries carry the number of
//! definitions of the name in the block so far, and are ignored when it is not the latest.

use super::flow::{Flow, Name, Op, Place};
use frazil_support::{EpochMap, FxHashSet};

/// A use that does not find its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The step that uses.
    pub op: u32,
    /// The place where the name is missing; on a way to the use, it may be another one than the use's.
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

/// No place, in [`Contents::base`].
const NO_BASE: u32 = u32::MAX;

/// What a place holds: what some place held at the block's entry, and besides these names.
#[derive(Clone, Copy, Debug, Default)]
struct Contents {
    base: u32,
    /// Bytes of the base that are left.
    base_bytes: u8,
    first_name: u32,
    name_count: u32,
}

/// `place` must hold `name` at the entry of `block`, since `op` uses it.
#[derive(Clone, Copy, Debug)]
struct Demand {
    block: u32,
    place: Place,
    name: Name,
    op: u32,
}

/// The memory of the proof, kept from function to function.
#[derive(Debug, Default)]
pub(super) struct Solver {
    /// What places hold at the current step.
    now: EpochMap<Contents>,
    /// Places that were written in the current block.
    touched: Vec<Place>,
    /// How often names were defined in the current block so far.
    versions: EpochMap<u32>,
    defined: Vec<Name>,
    /// Names of contents, each with its version.
    names: Vec<(Name, u32)>,
    /// What written places hold at the ends of blocks, by block and place.
    ends: Vec<(Place, Contents)>,
    end_start: Vec<u32>,
    /// Names defined in blocks, by block and name, with their last version.
    defs: Vec<(Name, u32)>,
    def_start: Vec<u32>,
    pred_start: Vec<u32>,
    preds: Vec<u32>,
    copies: Vec<Contents>,
    demands: Vec<Demand>,
    seen: FxHashSet<(u32, u32, u32)>,
}

impl Solver {
    /// Proves it, or finds a use that fails.
    pub fn solve(&mut self, flow: &Flow) -> Result<(), Failure> {
        self.names.clear();
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
        self.versions.reset(flow.name_bytes.len());
        self.touched.clear();
        self.defined.clear();
        for op in block.start..block.end {
            match flow.ops[op as usize] {
                Op::Use { place, name } => self.use_name(flow, number, op, place, name)?,
                Op::Define { place, name } => {
                    let version = self.define(name);
                    let contents = self.only(name, version);
                    self.set(place, contents);
                }
                Op::Alias { place, name } => {
                    let version = self.define(name);
                    let contents = self.with(self.contents(place), name, version);
                    self.set(place, contents);
                }
                Op::Forget { name } => {
                    self.define(name);
                }
                Op::Make { place, name } => {
                    let contents = self.only(name, self.version(name));
                    self.set(place, contents);
                }
                Op::Clobber { place } => self.set(place, Contents::NOTHING),
                Op::Copy {
                    from, bytes, with_next, ..
                } => {
                    let contents = self.contents(from);
                    let contents = self.truncated(flow, contents, bytes);
                    self.copies.push(contents);
                    if !with_next {
                        self.write_copies(flow, op);
                    }
                }
            }
        }
        self.keep_end();
        Ok(())
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
        let contents = self.contents(place);
        if self.has(contents, name, self.version(name)) {
            return Ok(());
        }
        if self.version(name) == 0 && contents.base_has_room(flow, name) {
            self.demands.push(Demand {
                block,
                place: Place(contents.base),
                name,
                op,
            });
            return Ok(());
        }
        Err(Failure {
            op,
            place,
            name,
            at: At::Use,
            found: self.names_of(contents, |name| self.version(name)),
        })
    }

    #[inline]
    fn version(&self, name: Name) -> u32 {
        self.versions.get(name.0 as usize).unwrap_or(0)
    }

    /// Counts a definition.
    fn define(&mut self, name: Name) -> u32 {
        let version = self.version(name) + 1;
        if version == 1 {
            self.defined.push(name);
        }
        self.versions.set(name.0 as usize, version);
        version
    }

    #[inline]
    fn contents(&self, place: Place) -> Contents {
        self.now.get(place.0 as usize).unwrap_or(Contents {
            base: place.0,
            base_bytes: u8::MAX,
            first_name: 0,
            name_count: 0,
        })
    }

    fn set(&mut self, place: Place, contents: Contents) {
        if self.now.get(place.0 as usize).is_none() {
            self.touched.push(place);
        }
        self.now.set(place.0 as usize, contents);
    }

    /// Contents with one name.
    fn only(&mut self, name: Name, version: u32) -> Contents {
        self.names.push((name, version));
        Contents {
            first_name: self.names.len() as u32 - 1,
            name_count: 1,
            ..Contents::NOTHING
        }
    }

    /// The same contents with one more name, without those that are no more valid.
    fn with(&mut self, contents: Contents, name: Name, version: u32) -> Contents {
        let first_name = self.names.len() as u32;
        for index in contents.range() {
            let (old, old_version) = self.names[index];
            if old_version == self.version(old) {
                self.names.push((old, old_version));
            }
        }
        self.names.push((name, version));
        Contents {
            first_name,
            name_count: self.names.len() as u32 - first_name,
            ..contents
        }
    }

    /// What is left of contents when only so many bytes are copied.
    fn truncated(&mut self, flow: &Flow, contents: Contents, bytes: u8) -> Contents {
        let fits = |&(name, _): &(Name, u32)| flow.name_bytes[name.0 as usize] <= bytes;
        let mut left = Contents {
            base_bytes: contents.base_bytes.min(bytes),
            ..contents
        };
        if !self.names[contents.range()].iter().all(fits) {
            left.first_name = self.names.len() as u32;
            for index in contents.range() {
                let entry = self.names[index];
                if fits(&entry) {
                    self.names.push(entry);
                }
            }
            left.name_count = self.names.len() as u32 - left.first_name;
        }
        left
    }

    fn has(&self, contents: Contents, name: Name, version: u32) -> bool {
        self.names[contents.range()].contains(&(name, version))
    }

    /// The names in contents that are valid.
    fn names_of(&self, contents: Contents, version_of: impl Fn(Name) -> u32) -> Vec<Name> {
        (self.names[contents.range()].iter())
            .filter(|&&(name, version)| version_of(name) == version)
            .map(|&(name, _)| name)
            .collect()
    }

    /// Keeps what the block leaves behind.
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
            self.defs.push((name, self.version(name)));
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
            if !self.seen.insert((demand.block, demand.place.0, demand.name.0)) {
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
        let name = renamed(flow, block, demand.name);
        if name == Name::ANYTHING {
            return Ok(());
        }
        let contents = self.contents_at_end(block, demand.place);
        let version = self.version_at_end(block, name);
        if self.has(contents, name, version) {
            return Ok(());
        }
        if version == 0 && contents.base_has_room(flow, name) {
            self.demands.push(Demand {
                block,
                place: Place(contents.base),
                name,
                op: demand.op,
            });
            return Ok(());
        }
        Err(Failure {
            op: demand.op,
            place: demand.place,
            name,
            at: At::End(block),
            found: self.names_of(contents, |name| self.version_at_end(block, name)),
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
                first_name: 0,
                name_count: 0,
            },
        }
    }

    fn version_at_end(&self, block: u32, name: Name) -> u32 {
        let block = block as usize;
        let defs = &self.defs[self.def_start[block] as usize..self.def_start[block + 1] as usize];
        match defs.binary_search_by_key(&name, |entry| entry.0) {
            Ok(index) => defs[index].1,
            Err(_) => 0,
        }
    }
}

impl Contents {
    const NOTHING: Contents = Contents {
        base: NO_BASE,
        base_bytes: 0,
        first_name: 0,
        name_count: 0,
    };

    fn range(self) -> std::ops::Range<usize> {
        self.first_name as usize..(self.first_name + self.name_count) as usize
    }

    /// Whether the name could have come with the base.
    fn base_has_room(self, flow: &Flow, name: Name) -> bool {
        self.base != NO_BASE && flow.name_bytes[name.0 as usize] <= self.base_bytes
    }
}

/// The name at the end of a block's steps of what its successor calls `name`.
fn renamed(flow: &Flow, block: u32, name: Name) -> Name {
    let block = flow.blocks[block as usize];
    let renames = &flow.renames[block.first_rename as usize..block.end_rename as usize];
    match renames.binary_search_by_key(&name, |rename| rename.0) {
        Ok(index) => renames[index].1,
        Err(_) => name,
    }
}
