//! Which blocks of a machine function are in cycles, of any shape, natural loops or not.
//!
//! Method: one walk over the graph, without recursion; linear.

use frazil_codegen::mfunc::MFunc;

/// The number of a block that has not been discovered yet.
const NONE: u32 = u32::MAX;

/// The blocks of a function that are in cycles: those of strongly connected components with a cycle (R. Tarjan,
/// "Depth-First Search and Linear Graph Algorithms", 1972).
#[derive(Debug, Default)]
pub(super) struct Cycles {
    /// By block: whether it is in a cycle.
    pub has: Vec<bool>,
    /// By block: its number in the order of discovery, and the lowest number of a block in its component that it is
    /// known to reach.
    numbers: Vec<(u32, u32)>,
    /// The blocks whose component is not complete; and by block, whether it is one of them.
    open: Vec<u32>,
    is_open: Vec<bool>,
    /// The blocks on the current path from the entry, each with the number of its edges that have been followed.
    path: Vec<(u32, usize)>,
}

impl Cycles {
    /// Computes [`Cycles::has`] for a function.
    pub fn find(&mut self, func: &MFunc) {
        let count = func.blocks.len();
        self.has.clear();
        self.has.resize(count, false);
        self.is_open.clear();
        self.is_open.resize(count, false);
        self.numbers.clear();
        self.numbers.resize(count, (NONE, NONE));
        self.open.clear();
        self.path.clear();
        let mut found = 0;
        self.enter(0, &mut found);
        while let Some((block, followed)) = self.path.last_mut() {
            let block = *block;
            let Some(edge) = func.edges_of(block).nth(*followed) else {
                self.path.pop();
                self.leave(block);
                continue;
            };
            *followed += 1;
            let to = func.edges[edge].to;
            self.has[block as usize] |= to == block;
            if self.numbers[to as usize].0 == NONE {
                self.enter(to, &mut found);
            } else if self.is_open[to as usize] {
                self.reaches(block, self.numbers[to as usize].0);
            }
        }
    }

    fn enter(&mut self, block: u32, found: &mut u32) {
        self.numbers[block as usize] = (*found, *found);
        *found += 1;
        self.open.push(block);
        self.is_open[block as usize] = true;
        self.path.push((block, 0));
    }

    fn reaches(&mut self, block: u32, number: u32) {
        let lowest = &mut self.numbers[block as usize].1;
        *lowest = number.min(*lowest);
    }

    /// Called when all edges of a block have been followed. The block completes its component if it reaches no block
    /// that was discovered earlier and is still open.
    fn leave(&mut self, block: u32) {
        let (number, lowest) = self.numbers[block as usize];
        if let Some(&(parent, _)) = self.path.last() {
            self.reaches(parent, lowest);
        }
        if lowest != number {
            return;
        }
        let first = self.open.iter().rposition(|&open| open == block).unwrap_or(0);
        let has_others = self.open.len() - first > 1;
        for member in self.open.drain(first..) {
            self.is_open[member as usize] = false;
            self.has[member as usize] |= has_others;
        }
    }
}
