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
    pub value: u32,
    /// The block that the definition must dominate: the user's, or for a phi, the predecessor.
    pub block: u32,
    /// The phi's block, for an operand of a phi; else [`NO_PHI`].
    phi: u32,
    /// The bit position of the user's record in the body, or `u32::MAX` if it is larger.
    place: u32,
}

/// The user is no phi.
const NO_PHI: u32 = u32::MAX;

impl Use {
    /// The phi's block, if the user is a phi.
    pub fn phi(&self) -> Option<u32> {
        self.is_by_phi().then_some(self.phi)
    }

    /// The bit position of the user's record in the file, given that of the body.
    pub fn place(&self, start: u64) -> u64 {
        start + u64::from(self.place)
    }

    #[inline]
    fn is_by_phi(&self) -> bool {
        self.phi != NO_PHI
    }
}

/// The result of an `invoke`, and the block of its normal edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Invoked {
    value: u32,
    normal: u32,
}

/// The values that are defined neither in the entry block nor in the current block, so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elsewhere {
    first: u32,
    count: u32,
}

impl Elsewhere {
    /// Whether a value that is already defined is one of them.
    #[inline]
    pub fn contains(self, value: u32) -> bool {
        value.wrapping_sub(self.first) < self.count
    }
}

/// What is recorded of a body: the values of its blocks, and the uses that must be checked.
#[derive(Debug, Default)]
pub struct Uses {
    /// By block of the file: the number of the first value that it may define.
    firsts: Vec<u32>,
    /// By value from `outer` on: the block that defines it, with [`INVOKED`] for the result of an `invoke`.
    homes: Vec<u32>,
    /// The first value that the entry block does not define; or the result of the invoke that ends the entry block.
    outer: u32,
    uses: Vec<Use>,
    /// The bit position of the body in the file.
    start: u64,
    invoked: Vec<Invoked>,
    quick: QuickTree,
    tree: DomTree,
}

/// Set in a value's defining block if the value is the result of an `invoke`.
const INVOKED: u32 = 1 << 31;

impl Uses {
    /// Starts a function whose body begins at bit `start`.
    pub fn restart(&mut self, start: u64) {
        self.start = start;
        self.firsts.clear();
        self.homes.clear();
        self.outer = 0;
        self.uses.clear();
        self.invoked.clear();
    }

    /// The bit position of the body in the file.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Notes that a block of the file begins; `next` is the number of the next value. Returns the values whose uses in
    /// this block must be checked.
    #[inline]
    pub fn begin_block(&mut self, next: u32) -> Elsewhere {
        if self.firsts.len() == 1 {
            // The result of an invoke at the end of the entry block does not dominate everything.
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

    /// How many uses are noted.
    #[inline]
    pub fn count(&self) -> usize {
        self.uses.len()
    }

    /// Forgets the uses from this number on: those of a record that is read again.
    #[cold]
    pub fn forget_from(&mut self, count: usize) {
        self.uses.truncate(count);
    }

    /// Computes the defining blocks of the values from `outer` up to `next`.
    fn find_homes(&mut self, next: u32) {
        let last = self.current_block();
        if last == 0 {
            // The entry block is the only one, and defines all values.
            self.outer = next;
        }
        let outer = self.outer;
        self.homes.clear();
        self.homes.resize((next - outer) as usize, last);
        let mut start = 0;
        for (block, &end) in (0..).zip(self.firsts.get(1..).unwrap_or_default()) {
            // Block 0 gets at most one entry here: that of an invoke.
            let end = (end - outer) as usize;
            if let Some(homes) = self.homes.get_mut(start..end) {
                homes.fill(block);
            }
            start = end;
        }
        for invoked in &self.invoked {
            if let Some(home) = self.homes.get_mut(invoked.value.wrapping_sub(outer) as usize) {
                *home |= INVOKED;
            }
        }
    }

    /// Whether the current block has defined exactly `count` values, if the next one has number `next`.
    pub fn is_value_of_block(&self, count: u32, next: u32) -> bool {
        self.firsts.last().is_some_and(|first| next - first == count)
    }

    /// The number of the current block in the file.
    fn current_block(&self) -> u32 {
        (self.firsts.len() as u32).saturating_sub(1)
    }

    /// Notes a use, in the current block, of a value that is defined in another block or not yet defined; `place` is
    /// the bit position of the user's record.
    pub fn note(&mut self, value: u32, place: u64) {
        self.push(value, self.current_block(), NO_PHI, place);
    }

    /// Notes that a phi of the current block uses a value on the edge from block `from`.
    #[inline]
    pub fn note_phi(&mut self, value: u32, from: u32, place: u64) {
        // Most phi operands are defined in the predecessor itself. Values of the entry block need no check.
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

    /// Whether a finished block defines a value. May return false if the function has an `invoke` with a result.
    #[inline]
    fn is_defined_in(&self, value: u32, block: u32) -> bool {
        let block = block as usize;
        match self.firsts.get(block..block + 2) {
            Some(&[first, end]) => (first..end).contains(&value) && self.invoked.is_empty(),
            _ => false,
        }
    }

    /// Notes an `invoke`, which ends its block. It has a result, numbered `first`, if `next` is not `first`.
    pub fn note_invoke(&mut self, first: u32, next: u32, normal: Block) {
        if next > first {
            let normal = normal.as_u32();
            self.invoked.push(Invoked { value: first, normal });
        }
    }

    /// The defining block of a value, perhaps with [`INVOKED`]; after [`Uses::find_homes`].
    #[inline]
    fn home(&self, value: u32) -> u32 {
        let index = value.checked_sub(self.outer);
        index.map_or(0, |index| self.homes.get(index as usize).copied().unwrap_or(0))
    }

    /// The target of an `invoke`'s normal edge, if the value is the result of one.
    fn normal_edge(&self, value: u32) -> Option<u32> {
        let found = self.invoked.binary_search_by_key(&value, |invoked| invoked.value);
        Some(self.invoked.get(found.ok()?)?.normal)
    }

    /// Whether a use needs no check: that of a phi whose operand is defined in the predecessor.
    #[inline]
    fn is_plain(&self, at: &Use) -> bool {
        at.is_by_phi() && self.home(at.value) == at.block
    }

    /// The first use that is not dominated by its definition, with the defining block. The control flow graph must be
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

    /// The first use, from number `first` on, that a tree does not prove to be dominated.
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
        // Consecutive uses are often in one block and of values of one block: the pair of blocks that was checked
        // last.
        let mut explained = (NO_PHI, NO_PHI);
        for (index, at) in (first..).zip(rest) {
            let home = self.home(at.value);
            let pair = (home, at.block);
            if pair == explained {
                continue;
            }
            if !check.holds(at, home) {
                return Some(index);
            }
            if home & INVOKED == 0 && home != at.block {
                explained = pair;
            }
        }
        None
    }
}

/// What is needed to check a use.
struct Check<'a, T> {
    uses: &'a Uses,
    tree: &'a T,
    function: &'a Function,
    /// The mapping of blocks, if some were split.
    splits: Option<&'a Splits>,
}

impl<T: Dominators> Check<'_, T> {
    /// The first block in the IR of a block of the file.
    #[inline]
    fn begin(&self, block: u32) -> Block {
        Block::new(match self.splits {
            None => block as usize,
            Some(splits) => splits.begin_of(block) as usize,
        })
    }

    /// Whether a use is dominated by its definition in block `home`, perhaps with [`INVOKED`].
    #[inline]
    fn holds(&self, at: &Use, home: u32) -> bool {
        let block = self.begin(at.block);
        if home & INVOKED != 0 {
            return self.holds_invoked(at, home & !INVOKED, block);
        }
        if home == at.block {
            // The use would precede the definition, since only uses of values that are not yet defined are noted in
            // their own block.
            return at.is_by_phi() || self.tree.is_unreachable(block);
        }
        // The blocks that a block of the file was split into form a chain, so the first one stands for all of them.
        self.tree.dominates(self.begin(home), block) || self.tree.is_unreachable(block)
    }

    fn holds_invoked(&self, at: &Use, home: u32, block: Block) -> bool {
        let Some(normal) = self.uses.normal_edge(at.value) else {
            return false;
        };
        if at.is_by_phi() && home == at.block {
            return at.phi == normal || self.tree.is_unreachable(block);
        }
        self.tree.is_unreachable(block) || self.is_dominated_by_edge(self.begin(home), self.begin(normal), block)
    }

    /// Whether every path to `block` contains the edge from the end of `from` to `to`. This is so if `to` dominates
    /// `block`, and every predecessor of `to` but `from` is dominated by `to`, like the latches of a loop with that
    /// header.
    fn is_dominated_by_edge(&self, from: Block, to: Block, block: Block) -> bool {
        let tree = self.tree;
        if from == to || !tree.dominates(from, to) || !tree.dominates(to, block) {
            return false;
        }
        let sources = self.function.predecessors(to).iter();
        sources
            .filter(|&&source| !tree.dominates(to, source) && !tree.is_unreachable(source))
            .count()
            == 1
    }
}
