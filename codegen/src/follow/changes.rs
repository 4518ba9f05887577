//! What machine passes over physical registers have done to the instructions that the allocation was applied to.
//!
//! Instructions keep their identities ([`crate::mfunc::MFunc::identities`]) as long as they do the same. One that is
//! missing wrote nothing: what it should have written is lost. One that has become another instruction is believed to
//! leave the same in the registers that both write, and in memory if both write as many bytes at the same address.
//! Instructions without an identity of their own lose what they write beside the last one with an identity. Those that
//! came to the start of a block unchanged do there what they did before.

use super::state::State;
use crate::check::flow::Place;
use crate::desc::{OpDesc, Role};
use crate::mfunc::{MFunc, for_each_register, op_desc, pseudo};
use crate::minst::{MInst, Mem};
use crate::reg::{PRegSet, Reg};
use frazil_support::FxHashMap;

/// Changes by identity.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Which registers changed instructions write now, and whether they write to memory what they did before.
    written: FxHashMap<u32, (PRegSet, bool)>,
    /// What is written there that was not before.
    lost: FxHashMap<u32, PRegSet>,
    /// By the identity that they now stand right before: those that have come there, in their order.
    arrived: FxHashMap<u32, Vec<u32>>,
    /// The identities before which instructions with new ones stand.
    followers: FxHashMap<u32, u32>,
}

/// An instruction and its identity.
type Named = (u32, MInst);

impl Changes {
    /// Compares a function with what it was after allocation; `None` if it cannot be told where something was added.
    pub fn find(applied: &[Named], func: &MFunc, known: u32, ops: &'static [OpDesc]) -> Option<Changes> {
        let mut changes = Changes::default();
        let mut shared = func.shared.clone();
        shared.sort_unstable();
        let is_shared = |identity: u32| shared.binary_search(&identity).is_ok();
        let named = func.origins.iter().copied().zip(func.insts.iter().copied());
        // They are called like what they stand beside.
        let is_frame = |inst: MInst| matches!(inst.op, pseudo::PROLOGUE | pseudo::RESTORE);
        let mut now: Vec<Named> = named.filter(|row| row.0 < known && !is_frame(row.1)).collect();
        let mut then = applied.to_vec();
        now.sort_by_key(|row| row.0);
        then.sort_by_key(|row| row.0);
        changes.find_arrived(func, (&then, &now), is_shared);
        changes.find_added(func, known, ops, is_shared)?;
        let mut now = now.as_slice();
        for group in then.chunk_by(|left, right| left.0 == right.0) {
            let identity = group[0].0;
            now = &now[now.partition_point(|row| row.0 < identity)..];
            let (own, _) = now.split_at(now.partition_point(|row| row.0 == identity));
            // Blocks may have been copied.
            let is_same = !own.is_empty() && own.chunks(group.len()).all(|copy| copy == group);
            let is_elsewhere = own.is_empty() && is_shared(identity);
            if is_same || is_elsewhere {
                continue;
            }
            // The last ones of several, moves of an edge say, may be shared while the others stay.
            let first = shared.partition_point(|&shared| shared < identity);
            let elsewhere = shared[first..].iter().take_while(|&&shared| shared == identity);
            match group.get(own.len()..) {
                Some(last) if elsewhere.count() == last.len() => {
                    changes.note(identity, (group, &[own, last].concat()), func, ops);
                }
                _ => changes.note(identity, (group, own), func, ops),
            }
        }
        Some(changes)
    }

    /// Finds instructions that have come, as they were, to the start of a block. What comes after them must be executed
    /// nowhere else.
    fn find_arrived(&mut self, func: &MFunc, (then, now): (&[Named], &[Named]), is_shared: impl Fn(u32) -> bool) {
        let of = |rows: &[Named], identity: u32| -> Vec<MInst> {
            let first = rows.partition_point(|row| row.0 < identity);
            let own = rows[first..].iter().take_while(|row| row.0 == identity);
            own.map(|row| row.1).collect()
        };
        let moved = |identity: u32| func.moved.iter().find(|row| row.0 == identity).map(|row| row.1);
        for block in func.blocks.iter().filter(|_| !func.moved.is_empty()) {
            let mut range = block.start as usize..block.end as usize;
            let is_prologue = |inst: &MInst| inst.op == pseudo::PROLOGUE;
            range.start += usize::from(func.insts[range.clone()].first().is_some_and(is_prologue));
            let names = &func.origins[range.clone()];
            let count = names.iter().take_while(|&&name| moved(name).is_some()).count();
            let Some(&next) = names.get(count) else { continue };
            if of(then, next).len() != of(now, next).len() || is_shared(next) {
                continue;
            }
            for (&name, inst) in names[..count].iter().zip(&func.insts[range]) {
                let before = moved(name).filter(|&before| of(then, before) == [*inst] && of(now, before).is_empty());
                if let Some(before) = before {
                    self.arrived.entry(next).or_default().push(before);
                    self.followers.insert(name, next);
                }
            }
        }
    }

    /// The instructions that have come to stand right before one, by their identities.
    pub fn arrived(&self, identity: u32) -> &[u32] {
        self.arrived.get(&identity).map_or(&[], Vec::as_slice)
    }

    /// The identity of what comes after an instruction that has come to its place; that of another one itself.
    pub fn settled(&self, identity: u32) -> u32 {
        self.followers.get(&identity).copied().unwrap_or(identity)
    }

    fn note(&mut self, identity: u32, (then, now): (&[Named], &[Named]), func: &MFunc, ops: &'static [OpDesc]) {
        let written = |rows: &[Named]| {
            rows.iter()
                .fold(PRegSet::EMPTY, |set, row| set.union(defined(func, &row.1, ops)))
        };
        let stores = |rows: &[Named]| -> Vec<(Mem, u8)> {
            let insts = rows.iter().map(|row| row.1);
            let stores = insts.filter(|inst| op_desc(ops, inst.op).writes_memory);
            stores.map(|inst| (inst.mem(), inst.size)).collect()
        };
        let keeps_memory = stores(then) == stores(now);
        let (then, now) = (written(then), written(now));
        self.written.insert(identity, (now, keeps_memory));
        self.lose_also(identity, now.minus(then));
    }

    fn lose_also(&mut self, identity: u32, set: PRegSet) {
        let known = self.lost.entry(identity).or_insert(PRegSet::EMPTY);
        *known = known.union(set);
    }

    /// Finds instructions that passes have added, and what they write.
    fn find_added(
        &mut self,
        func: &MFunc,
        known: u32,
        ops: &'static [OpDesc],
        is_shared: impl Fn(u32) -> bool,
    ) -> Option<()> {
        for block in &func.blocks {
            let range = block.start as usize..block.end as usize;
            let mut beside = func.origins[range.clone()].iter().copied().find(|&name| name < known);
            for index in range {
                let name = func.origins[index];
                if name < known {
                    beside = Some(name);
                    continue;
                }
                let set = defined(func, &func.insts[index], ops);
                if !set.is_empty() && !is_shared(name) && !self.followers.contains_key(&name) {
                    self.lose_also(beside?, set);
                }
            }
        }
        Some(())
    }

    /// Whether an instruction is not what it was.
    pub fn is_changed(&self, identity: u32) -> bool {
        self.written.contains_key(&identity)
    }

    /// Whether an instruction that was to write a place does so.
    pub fn is_written(&self, identity: u32, place: Place) -> bool {
        match self.written.get(&identity) {
            Some(&(set, keeps_memory)) => match place < Place::FLAGS {
                true => set.contains(Reg(place.0)),
                false => keeps_memory && place > Place::FLAGS,
            },
            None => true,
        }
    }

    /// Loses what is written beside an instruction that it did not write.
    pub fn lose(&self, state: &mut State, identity: u32) {
        if self.lost.is_empty() {
            return;
        }
        for reg in self.lost.get(&identity).into_iter().flat_map(|set| set.iter()) {
            state.lose_place(Place::reg(reg));
        }
    }
}

/// The registers that an instruction writes.
fn defined(func: &MFunc, inst: &MInst, ops: &'static [OpDesc]) -> PRegSet {
    let desc = op_desc(ops, inst.op);
    let mut set = func.implicit(inst, desc).defs;
    for_each_register(inst, desc, |_, reg, role| {
        if reg.is_physical() && matches!(role, Role::Def | Role::UseDef) {
            set.insert(reg);
        }
    });
    set
}
