//! The check that every use of a value is dominated by its definition.
//!
//! Method: value numbers ascend along the file, so a use of a value in its own block needs no check: if it is defined
//! by then, the definition precedes the use. Neither does a use of parameters, constants, or values of the entry
//! block, which dominate everything. All other uses are recorded while the body is read, and checked when the control
//! flow graph is known: first in a [`QuickTree`], which is built in a single pass, and only if that cannot explain all
//! of them in the dominator tree.
//!
//! The rules are about values, blocks and edges of the file and not of the IR: an `extractvalue` in the wrong place is
//! an error even though it becomes no instruction. They are LLVM's rules: unreachable blocks may use anything, a phi
//! uses its operands at the ends of its predecessors, and the result of an `invoke` is available only where its normal
//! edge dominates.

use super::quick_tree::{Dominators, QuickTree};
use super::splits::Splits;
use frazil_ir::domtree::DomTree;
use frazil_ir::{Block, EntityRef, Function};

/// A use that must be checked. Blocks are those of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The number of the value.
    pub value: u32,
    /// The block that must be dominated: the user's, or the predecessor that a phi names.
    pub block: u32,
    /// The phi's block, for an operand of a phi, or [`NO_PHI`].
    phi: u32,
    /// Where the user's record begins, in bits from the body's beginning; the largest number if it is larger.
    place: u32,
}

/// The user is no phi.
const NO_PHI: u32 = u32::MAX;

impl Use {
    /// The phi's block, for an operand of a phi.
    pub fn phi(&self) -> Option<u32> {
        self.is_by_phi().then_some(self.phi)
    }

    /// Where the user's record begins, in bits, in a body that begins at `start`.
    pub fn place(&self, start: u64) -> u64 {
        start + u64::from(self.place)
    }

    #[inline]
    fn is_by_phi(&self) -> bool {
        self.phi != NO_PHI
    }
}

/// What an `invoke` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Invoked {
    value: u32,
    normal: u32,
}

/// The values that are defined in other blocks than the entry and the current one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elsewhere {
    first: u32,
    count: u32,
}

impl Elsewhere {
    /// Whether a value that is defined already is one of them.
    #[inline]
    pub fn contains(self, value: u32) -> bool {
        value.wrapping_sub(self.first) < self.count
    }
}

/// What is recorded of a body: its blocks, and the uses that must be checked.
#[derive(Debug, Default)]
pub struct Uses {
    /// The number of the first value that each block of the file may define.
    firsts: Vec<u32>,
    /// The blocks that define the values from `outer` on; with [`INVOKED`] for what an `invoke` returns.
    homes: Vec<u32>,
    /// The first number that is defined after the entry block.
    outer: u32,
    uses: Vec<Use>,
    /// Where the body begins, in bits.
    start: u64,
    invoked: Vec<Invoked>,
    quick: QuickTree,
    tree: DomTree,
}

/// In the number of a value's block: the value is what an `invoke` returns.
const INVOKED: u32 = 1 << 31;

impl Uses {
    /// Forgets the last function. The body of the next one begins at bit `start`.
    pub fn restart(&mut self, start: u64) {
        self.start = start;
        self.firsts.clear();
        self.homes.clear();
        self.outer = 0;
        self.uses.clear();
        self.invoked.clear();
    }

    /// A block of the file begins; `next` is the number of the next value. Returns which values must be checked where
    /// the block uses them.
    #[inline]
    pub fn begin_block(&mut self, next: u32) -> Elsewhere {
        if self.firsts.len() == 1 {
            // What an invoke at the end of the entry block returns does not dominate everything.
            self.outer = self.invoked.first().map_or(next, |invoked| invoked.value);
        }
        self.firsts.push(next);
        match self.firsts.len() {
            1 => Elsewhere::default(),
            _ => Elsewhere {
                first: self.outer,
                count: next - self.outer,
            },
        }
    }

    /// Finds the block of each value below `next` that is not defined in the entry block.
    fn find_homes(&mut self, next: u32) {
        let last = self.current_block();
        if last == 0 {
            // Everything is defined in the entry block.
            self.outer = next;
        }
        let outer = self.outer;
        self.homes.clear();
        self.homes.resize((next - outer) as usize, last);
        let mut behind = 0;
        for (block, &end) in (0..).zip(self.firsts.get(1..).unwrap_or_default()) {
            // An invoke in the entry block defines the only value before the second block that is looked for.
            let end = (end - outer) as usize;
            if let Some(homes) = self.homes.get_mut(behind..end) {
                homes.fill(block);
            }
            behind = end;
        }
        for invoked in &self.invoked {
            if let Some(home) = self.homes.get_mut(invoked.value.wrapping_sub(outer) as usize) {
                *home |= INVOKED;
            }
        }
    }

    /// Whether the current block has defined so many values before the value `next`.
    pub fn is_value_of_block(&self, count: u32, next: u32) -> bool {
        self.firsts.last().is_some_and(|first| next - first == count)
    }

    /// The current block of the file.
    fn current_block(&self) -> u32 {
        (self.firsts.len() as u32).saturating_sub(1)
    }

    /// An instruction of the current block, with its record at bit `place`, uses a value of another block, or one that
    /// is not defined yet.
    pub fn note(&mut self, value: u32, place: u64) {
        self.push(value, self.current_block(), NO_PHI, place);
    }

    /// A phi of the current block uses a value where `from` ends.
    #[inline]
    pub fn note_phi(&mut self, value: u32, from: u32, place: u64) {
        // Most values come from where they were defined. In the entry block there are no phis.
        if value >= self.outer && !self.is_defined_in(value, from) {
            self.push(value, from, self.current_block(), place);
        }
    }

    #[inline]
    fn push(&mut self, value: u32, block: u32, phi: u32, place: u64) {
        let place = u32::try_from(place.wrapping_sub(self.start)).unwrap_or(u32::MAX);
        self.uses.push(Use {
            value,
            block,
            phi,
            place,
        });
    }

    /// Whether a finished block defines a value, if none of the values so far is the result of an `invoke`.
    #[inline]
    fn is_defined_in(&self, value: u32, block: u32) -> bool {
        let block = block as usize;
        match self.firsts.get(block..block + 2) {
            Some(&[first, end]) => (first..end).contains(&value) && self.invoked.is_empty(),
            _ => false,
        }
    }

    /// An `invoke`, the last instruction of its block, defined a value if `next` is not `first`.
    pub fn note_invoke(&mut self, first: u32, next: u32, normal: Block) {
        if next > first {
            let normal = normal.as_u32();
            self.invoked.push(Invoked { value: first, normal });
        }
    }

    /// The block that defines a value, once these have been found, perhaps with [`INVOKED`].
    #[inline]
    fn home(&self, value: u32) -> u32 {
        let index = value.checked_sub(self.outer);
        index.map_or(0, |index| self.homes.get(index as usize).copied().unwrap_or(0))
    }

    /// The target of the normal edge that must dominate all uses of an `invoke`'s result.
    fn normal_edge(&self, value: u32) -> Option<u32> {
        let found = self.invoked.binary_search_by_key(&value, |invoked| invoked.value);
        Some(self.invoked.get(found.ok()?)?.normal)
    }

    /// Whether a use needs no dominator tree: a phi whose operand comes from the block that defines it.
    #[inline]
    fn is_plain(&self, at: &Use) -> bool {
        at.is_by_phi() && self.home(at.value) == at.block
    }

    /// The first use that its definition does not dominate, with the block of the definition. The control flow graph is
    /// known; `next` is the number after the last value.
    pub fn find_wrong(&mut self, next: u32, function: &Function, splits: &Splits) -> Option<(Use, u32)> {
        if self.uses.is_empty() {
            return None;
        }
        self.find_homes(next);
        let first = self.uses.iter().position(|at| !self.is_plain(at))?;
        let mut quick = std::mem::take(&mut self.quick);
        quick.compute(function.cfg(), function.blocks().len());
        let wrong = self.first_wrong(first, &quick, function, splits);
        self.quick = quick;
        let first = wrong?;
        let mut tree = std::mem::take(&mut self.tree);
        tree.compute(function.cfg(), function.blocks().len());
        let wrong = self.first_wrong(first, &tree, function, splits);
        self.tree = tree;
        let at = self.uses.get(wrong?).copied()?;
        Some((at, self.home(at.value) & !INVOKED))
    }

    /// The first use, from `first` on, that a tree does not prove to be dominated.
    fn first_wrong<T: Dominators>(
        &self,
        first: usize,
        tree: &T,
        function: &Function,
        splits: &Splits,
    ) -> Option<usize> {
        let check = Check {
            uses: self,
            tree,
            function,
            splits: (!splits.is_empty()).then_some(splits),
        };
        let rest = self.uses.get(first..).unwrap_or_default();
        // A block's uses stand together, and often several are of values of one block.
        let mut explained = (NO_PHI, NO_PHI);
        for (index, at) in (first..).zip(rest) {
            let home = self.home(at.value);
            let way = (home, at.block);
            if way == explained {
                continue;
            }
            if !check.holds(at, home) {
                return Some(index);
            }
            if home & INVOKED == 0 && home != at.block {
                explained = way;
            }
        }
        None
    }
}

/// What tells whether a use is dominated.
struct Check<'a, T> {
    uses: &'a Uses,
    tree: &'a T,
    function: &'a Function,
    /// If blocks were split.
    splits: Option<&'a Splits>,
}

impl<T: Dominators> Check<'_, T> {
    /// The block of the IR where a block of the file begins.
    #[inline]
    fn begin(&self, block: u32) -> Block {
        Block::new(match self.splits {
            None => block as usize,
            Some(splits) => splits.begin_of(block) as usize,
        })
    }

    /// Whether a use of a value is dominated whose defining block is `home`, perhaps with [`INVOKED`].
    #[inline]
    fn holds(&self, at: &Use, home: u32) -> bool {
        let block = self.begin(at.block);
        if home & INVOKED != 0 {
            return self.holds_invoked(at, home & !INVOKED, block);
        }
        if home == at.block {
            // Otherwise it would have been defined before its use and not been noted.
            return at.is_by_phi() || self.tree.is_unreachable(block);
        }
        // Blocks that one was split into follow one another, so the first of them stands for all.
        self.tree.dominates(self.begin(home), block) || self.tree.is_unreachable(block)
    }

    fn holds_invoked(&self, at: &Use, home: u32, block: Block) -> bool {
        let Some(normal) = self.uses.normal_edge(at.value) else {
            return false;
        };
        if at.is_by_phi() && home == at.block {
            return at.phi == normal || self.tree.is_unreachable(block);
        }
        self.tree.is_unreachable(block) || self.is_behind_edge(self.begin(home), self.begin(normal), block)
    }

    /// Whether every path to `block` contains the edge from the end of `from` to `to`: `to` dominates it, and all other
    /// predecessors of `to` are dominated by `to`, like the latches of a loop whose header it is.
    fn is_behind_edge(&self, from: Block, to: Block, block: Block) -> bool {
        let tree = self.tree;
        if from == to || !tree.dominates(from, to) || !tree.dominates(to, block) {
            return false;
        }
        let ways = self.function.predecessors(to).iter();
        ways.filter(|&&way| !tree.dominates(to, way) && !tree.is_unreachable(way))
            .count()
            == 1
    }
}
