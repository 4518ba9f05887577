//! Parallel moves: several locations are written at once, each from what the sources held before (contract 12).
//!
//! Method: a move is ready if no other pending move reads its destination. Ready moves are emitted first, and each may
//! make another one ready. When none is ready, the remaining moves form disjoint cycles; the old contents of one
//! destination are saved to break a cycle. Constants are written last, since they read nothing. Only the order is
//! determined here; the caller emits the moves.
//!
//! Invariant: each destination occurs once.

use crate::reg::{PRegSet, Reg, RegClass};
use frazil_support::FxHashMap;

/// A location that both sources and destinations may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    Reg(Reg),
    /// The frame slot at this offset from the frame pointer.
    Frame(i32),
    /// The outgoing argument at this offset from the stack pointer; never a source.
    Outgoing(i32),
    /// Memory at an offset from a register that no move writes; never a source.
    Memory(Reg, i32),
}

/// What a move reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<F> {
    Location(Location),
    /// What the move materializes: for the fast context, a part of a constant, symbol or place.
    Fresh(F),
    /// The saved contents of a cycle.
    Saved,
}

/// One of the moves that take place at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move<F> {
    /// From.
    pub source: Source<F>,
    /// To.
    pub dest: Location,
    /// The class of registers that the contents is for.
    pub class: RegClass,
    /// Width of the part in bytes.
    pub bytes: u8,
    /// Width to extend from, and whether by sign; 0 for none.
    pub extend: (u32, bool),
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<F> {
    Move(Move<F>),
    /// Save the contents of this location, of this class and width, for one later [`Source::Saved`].
    Save {
        location: Location,
        class: RegClass,
        /// Its width in bytes.
        bytes: u8,
    },
}

/// Orders moves. Kept from use to use.
#[derive(Debug)]
pub struct ParallelMoves<F> {
    moves: Vec<Move<F>>,
    readers: Vec<u32>,
    done: Vec<bool>,
    ready: Vec<u32>,
    writers: FxHashMap<Location, u32>,
    /// The order, after [`ParallelMoves::resolve`].
    pub steps: Vec<Step<F>>,
}

impl<F> Default for ParallelMoves<F> {
    fn default() -> Self {
        ParallelMoves {
            moves: Vec::new(),
            readers: Vec::new(),
            done: Vec::new(),
            ready: Vec::new(),
            writers: FxHashMap::default(),
            steps: Vec::new(),
        }
    }
}

/// Up to this many moves, a writer is found by looking through them.
const SMALL: usize = 12;

impl<F: Copy + PartialEq> ParallelMoves<F> {
    /// Forgets the moves.
    pub fn clear(&mut self) {
        self.moves.clear();
    }

    /// Adds a move.
    pub fn push(&mut self, new: Move<F>) {
        self.moves.push(new);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Finds the order and leaves it in `steps`.
    pub fn resolve(&mut self) {
        self.steps.clear();
        self.ready.clear();
        // A move to itself does nothing unless it extends.
        self.moves
            .retain(|m| m.source != Source::Location(m.dest) || m.extend.0 != 0);
        if let &[only] = self.moves.as_slice() {
            self.steps.push(Step::Move(only));
            return;
        }
        if self.are_apart() {
            // The order is that of moves which are all ready.
            let apart = |fresh: bool| move |m: &&Move<F>| matches!(m.source, Source::Fresh(_)) == fresh;
            let moves = self.moves.iter().rev().filter(apart(false));
            self.steps.extend(moves.map(|&m| Step::Move(m)));
            self.push_fresh();
            return;
        }
        self.count_readers();
        let count = self.moves.len();
        for index in 0..count {
            if matches!(self.moves[index].source, Source::Fresh(_)) {
                self.done[index] = true;
            } else if self.readers[index] == 0 {
                self.ready.push(index as u32);
            }
        }
        let mut scan = 0;
        loop {
            while let Some(index) = self.ready.pop() {
                self.perform(index as usize);
            }
            while scan < count && self.done[scan] {
                scan += 1;
            }
            if scan == count {
                break;
            }
            self.break_cycle(scan);
        }
        self.push_fresh();
    }

    fn push_fresh(&mut self) {
        let fresh = self.moves.iter().filter(|m| matches!(m.source, Source::Fresh(_)));
        self.steps.extend(fresh.map(|&m| Step::Move(m)));
    }

    /// Whether no move reads what another one writes, as far as sets of registers show it: most calls take their
    /// arguments from the frame and from registers that pass none.
    fn are_apart(&self) -> bool {
        let mut written = PRegSet::EMPTY;
        let mut writes_frame = false;
        for m in &self.moves {
            match m.dest {
                Location::Reg(reg) => written.insert(reg),
                Location::Frame(_) => writes_frame = true,
                Location::Outgoing(_) | Location::Memory(..) => {}
            }
        }
        self.moves.iter().all(|m| match m.source {
            Source::Location(Location::Reg(reg)) => !written.contains(reg),
            Source::Location(_) => !writes_frame,
            Source::Fresh(_) | Source::Saved => true,
        })
    }

    /// For each move, how many other moves read its destination.
    fn count_readers(&mut self) {
        let count = self.moves.len();
        if count > SMALL {
            // Clearing a table takes time by its capacity, which one large edge must not cost all others.
            if self.writers.capacity() > 16 * count {
                self.writers = FxHashMap::default();
            }
            self.writers.clear();
            for (index, m) in self.moves.iter().enumerate() {
                self.writers.insert(m.dest, index as u32);
            }
        }
        self.readers.clear();
        self.readers.resize(count, 0);
        self.done.clear();
        self.done.resize(count, false);
        for index in 0..count {
            if let Source::Location(location) = self.moves[index].source
                && let Some(writer) = self.writer_of(location)
                && writer != index
            {
                self.readers[writer] += 1;
            }
        }
    }

    fn writer_of(&self, location: Location) -> Option<usize> {
        if self.moves.len() > SMALL {
            return self.writers.get(&location).map(|&index| index as usize);
        }
        self.moves.iter().position(|m| m.dest == location)
    }

    fn perform(&mut self, index: usize) {
        let m = self.moves[index];
        self.steps.push(Step::Move(m));
        self.done[index] = true;
        if let Source::Location(location) = m.source
            && let Some(writer) = self.writer_of(location)
            && writer != index
        {
            self.release(writer);
        }
    }

    fn release(&mut self, writer: usize) {
        self.readers[writer] -= 1;
        if self.readers[writer] == 0 && !self.done[writer] {
            self.ready.push(writer as u32);
        }
    }

    /// Saves the destination of a move and lets its reader take the saved contents.
    fn break_cycle(&mut self, index: usize) {
        let dest = self.moves[index].dest;
        let reader = self.last_of_cycle(index);
        let Move { class, bytes, .. } = self.moves[reader];
        self.steps.push(Step::Save {
            location: dest,
            class,
            bytes,
        });
        self.moves[reader].source = Source::Saved;
        self.release(index);
    }

    /// The move that reads the destination of `first`. When no move is ready, each has a pending reader, so each has
    /// exactly one and all are in cycles; going around one takes as long as doing its moves.
    fn last_of_cycle(&self, first: usize) -> usize {
        let mut last = first;
        loop {
            let Source::Location(location) = self.moves[last].source else {
                unreachable!("a pending move reads a location")
            };
            let next = self.writer_of(location).expect("in a cycle, what is read is written");
            if next == first {
                return last;
            }
            last = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn location(number: u32) -> Location {
        if number < 4 {
            Location::Reg(Reg(number))
        } else {
            Location::Frame(number as i32)
        }
    }

    /// Runs the steps on a model and compares with the parallel meaning.
    fn check(pairs: &[(u32, u32)]) {
        let mut moves = ParallelMoves::<()>::default();
        for &(from, to) in pairs {
            moves.push(Move {
                source: Source::Location(location(from)),
                dest: location(to),
                class: RegClass::Int,
                bytes: 8,
                extend: (0, false),
            });
        }
        moves.resolve();
        let mut memory: HashMap<Location, u32> = (0..64).map(|n| (location(n), n)).collect();
        let mut saved = None;
        for step in &moves.steps {
            match *step {
                Step::Save { location, .. } => saved = Some(memory[&location]),
                Step::Move(m) => {
                    let value = match m.source {
                        Source::Location(from) => memory[&from],
                        Source::Saved => saved.take().expect("something was saved"),
                        Source::Fresh(_) => unreachable!("no constants here"),
                    };
                    memory.insert(m.dest, value);
                }
            }
        }
        for &(from, to) in pairs {
            assert_eq!(memory[&location(to)], from, "{pairs:?} gave {:?}", moves.steps);
        }
    }

    #[test]
    fn chains_swaps_and_cycles() {
        check(&[(0, 1), (1, 2), (2, 3)]);
        check(&[(0, 1), (1, 0)]);
        check(&[(0, 1), (1, 2), (2, 0), (0, 5), (5, 6), (7, 7)]);
        check(&[(4, 5), (5, 4), (6, 7), (7, 6)]);
    }

    /// Every mapping of few locations, and pseudo-random ones of many.
    #[test]
    fn all_small_maps_and_random_large_ones() {
        for code in 0..5u32.pow(5) {
            let pairs: Vec<_> = (0..5).map(|to| (code / 5u32.pow(to) % 5, to)).collect();
            check(&pairs);
        }
        let mut state = 1u64;
        for _ in 0..200 {
            let pairs: Vec<_> = (0..40)
                .map(|to| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    ((state >> 33) as u32 % 40, to)
                })
                .collect();
            check(&pairs);
        }
    }
}
