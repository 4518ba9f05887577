//! Block layout and the loop tree.
//!
//! Method: one depth-first search finds the reverse postorder and the innermost loop of each block (Wei, Mao, Zou and
//! Chen, "A New Algorithm for Identifying Loops in Decompilation", SAS 2007). Then the blocks of each loop are laid
//! out together, in reverse postorder within the loop. The header of a loop with several entries (an irreducible one)
//! is the entry that the search came to first.
//!
//! Invariants: the entry comes first; a block comes after its dominators; each loop is a contiguous range of positions
//! that starts with the loop's header; an edge leads forward, or to the header of a loop around its source (a weak
//! topological order: Bourdoncle, "Efficient Chaotic Iteration Strategies with Widenings", FMPA 1993); unreachable
//! blocks have no position.
//!
//! From these it follows that what is defined in one block and used in another is live at most up to the end of the
//! outermost loop around the use that does not contain the definition, or to the use if there is none, also if loops
//! are irreducible: a path to the use that passes positions after it comes back by an edge to a header, which the
//! definition dominates, so that this header's loop is one around the use, and the definition is not in it.

use frazil_ir::{Block, EntityRef, Function};

/// A loop, as a range of layout positions. Loop 0 is the whole function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The loop around it; 0 for outermost loops and for loop 0.
    pub parent: u32,
    /// The position of its header.
    pub begin: u32,
    /// The position after its last one.
    pub end: u32,
    /// Nesting depth; 0 for loop 0.
    pub depth: u32,
    /// Some enclosing loop, chosen so that any enclosing loop can be found in logarithmic time (Myers, "An applicative
    /// random-access stack", Information Processing Letters 17, 1983).
    jump: u32,
}

impl Loop {
    /// Whether a layout position lies in the loop.
    #[inline]
    pub fn contains(&self, position: u32) -> bool {
        self.begin <= position && position < self.end
    }
}

/// What the depth-first search knows of a block.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The header of the innermost loop that contains it without being headed by it, or [`NONE`].
    header: u32,
    /// Its depth on the current path of the search, from 1 on; 0 if it is not on the path.
    path_depth: u32,
    is_visited: bool,
    is_header: bool,
}

impl Node {
    const NEW: Node = Node {
        header: NONE,
        path_depth: 0,
        is_visited: false,
        is_header: false,
    };
}

const NONE: u32 = u32::MAX;

/// The position of unreachable blocks.
pub const UNREACHED: u32 = u32::MAX;

/// Block order and loop nest of a function.
#[derive(Debug, Default)]
pub struct Layout {
    /// The reachable blocks in layout order.
    pub order: Vec<Block>,
    /// By block: its position in `order`, or [`UNREACHED`].
    pub position: Vec<u32>,
    /// By position: the innermost loop.
    pub loop_at: Vec<u32>,
    /// All loops; an outer loop comes before its inner ones.
    pub loops: Vec<Loop>,
    /// Scratch memory of the search; by block.
    nodes: Vec<Node>,
    stack: Vec<(Block, u32)>,
    postorder: Vec<Block>,
    // Scratch memory of the ordering: the children of each header, and of the root, as linked lists.
    first_child: Vec<u32>,
    last_child: Vec<u32>,
    next_sibling: Vec<u32>,
    work: Vec<(u32, u32)>,
}

impl Layout {
    /// Computes the layout of a function whose control flow graph is up to date.
    pub fn compute(&mut self, function: &Function) {
        let count = function.blocks().len();
        self.reset(count);
        self.search(function);
        if !self.nodes.iter().any(|node| node.is_header) {
            self.order.extend(self.postorder.iter().rev());
            self.loops.push(Loop {
                parent: 0,
                begin: 0,
                end: self.order.len() as u32,
                depth: 0,
                jump: 0,
            });
            self.loop_at.resize(self.order.len(), 0);
        } else {
            self.gather_children(count);
            self.flatten(count);
        }
        for (position, block) in self.order.iter().enumerate() {
            self.position[block.index()] = position as u32;
        }
    }

    fn reset(&mut self, count: usize) {
        self.order.clear();
        self.loop_at.clear();
        self.loops.clear();
        self.postorder.clear();
        self.stack.clear();
        self.position.clear();
        self.position.resize(count, UNREACHED);
        self.nodes.clear();
        self.nodes.resize(count, Node::NEW);
        self.postorder.reserve(count);
        self.order.reserve(count);
        self.loop_at.reserve(count);
    }

    /// The depth-first search.
    fn search(&mut self, function: &Function) {
        self.enter(Block::new(0));
        while let Some(top) = self.stack.last_mut() {
            let (block, next) = *top;
            if let Some(edge) = function.cfg().successors(block).get(next as usize) {
                top.1 += 1;
                let target = edge.target;
                let node = &mut self.nodes[target.index()];
                if !node.is_visited {
                    self.enter(target);
                } else if node.path_depth > 0 {
                    node.is_header = true;
                    self.tag_header(block, target.as_u32());
                } else {
                    self.join_header_of(block, target);
                }
                continue;
            }
            self.stack.pop();
            self.postorder.push(block);
            let node = &mut self.nodes[block.index()];
            node.path_depth = 0;
            let header = node.header;
            if let Some(&(parent, _)) = self.stack.last() {
                self.tag_header(parent, header);
            }
        }
    }

    fn enter(&mut self, block: Block) {
        self.stack.push((block, 0));
        let node = &mut self.nodes[block.index()];
        node.is_visited = true;
        node.path_depth = self.stack.len() as u32;
    }

    /// Treats an edge to a finished block: the source is in the loops around the target whose headers are still on the
    /// path. It enters the others past their headers.
    fn join_header_of(&mut self, block: Block, target: Block) {
        let mut header = self.nodes[target.index()].header;
        while header != NONE && self.nodes[header as usize].path_depth == 0 {
            header = self.nodes[header as usize].header;
        }
        self.tag_header(block, header);
    }

    /// Inserts `header` into the chain of headers of the loops around `block`, which is ordered by depth on the path.
    fn tag_header(&mut self, block: Block, header: u32) {
        if header == NONE || block.as_u32() == header {
            return;
        }
        let (mut current, mut header) = (block.as_u32(), header);
        loop {
            let outer = self.nodes[current as usize].header;
            if outer == NONE {
                self.nodes[current as usize].header = header;
                return;
            }
            if outer == header {
                return;
            }
            if self.nodes[outer as usize].path_depth < self.nodes[header as usize].path_depth {
                self.nodes[current as usize].header = header;
                current = header;
                header = outer;
            } else {
                current = outer;
            }
        }
    }

    /// Makes the lists of children: each block and each loop header is a child of the header of the loop around it, or
    /// of the root, which is node `count`.
    fn gather_children(&mut self, count: usize) {
        for list in [&mut self.first_child, &mut self.last_child, &mut self.next_sibling] {
            list.clear();
            list.resize(count + 1, NONE);
        }
        for index in (0..self.postorder.len()).rev() {
            let block = self.postorder[index].as_u32();
            let around = self.nodes[block as usize].header;
            let parent = if around == NONE { count } else { around as usize };
            let last = self.last_child[parent];
            if last == NONE {
                self.first_child[parent] = block;
            } else {
                self.next_sibling[last as usize] = block;
            }
            self.last_child[parent] = block;
        }
    }

    /// Walks over the tree of loops and lays out the blocks.
    fn flatten(&mut self, count: usize) {
        self.work.clear();
        let total = self.postorder.len() as u32;
        self.loops.push(Loop {
            parent: 0,
            begin: 0,
            end: total,
            depth: 0,
            jump: 0,
        });
        let (mut node, mut current) = (self.first_child[count], 0);
        loop {
            if node == NONE {
                // At the end of a loop, the walk continues after it.
                let Some((next, outer)) = self.work.pop() else { break };
                self.loops[current as usize].end = self.order.len() as u32;
                (node, current) = (next, outer);
                continue;
            }
            let next = self.next_sibling[node as usize];
            if self.nodes[node as usize].is_header {
                self.work.push((next, current));
                let begin = self.order.len() as u32;
                self.loops.push(Loop {
                    parent: current,
                    begin,
                    end: begin,
                    depth: self.loops[current as usize].depth + 1,
                    jump: self.jump_from(current),
                });
                current = self.loops.len() as u32 - 1;
                self.place(node, current);
                node = self.first_child[node as usize];
            } else {
                self.place(node, current);
                node = next;
            }
        }
    }

    /// The `jump` of a new loop in loop `parent`: the target of the parent's second jump if its two jumps are equally
    /// long, else the parent.
    fn jump_from(&self, parent: u32) -> u32 {
        let depth = |index: u32| self.loops[index as usize].depth;
        let first = self.loops[parent as usize].jump;
        let second = self.loops[first as usize].jump;
        if depth(parent) - depth(first) == depth(first) - depth(second) {
            second
        } else {
            parent
        }
    }

    fn place(&mut self, block: u32, innermost: u32) {
        self.order.push(Block::new(block as usize));
        self.loop_at.push(innermost);
    }

    /// The outermost loop that contains position `inner` but not `outer`.
    #[inline]
    pub fn outermost_loop_without(&self, inner: u32, outer: u32) -> Option<&Loop> {
        let mut index = self.loop_at[inner as usize];
        if index == self.loop_at[outer as usize] {
            return None;
        }
        let excludes = |index: u32| !self.loops[index as usize].contains(outer);
        if !excludes(index) {
            return None;
        }
        loop {
            let found = &self.loops[index as usize];
            if !excludes(found.parent) {
                return Some(found);
            }
            index = if excludes(found.jump) { found.jump } else { found.parent };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_ir::{InstData, Opcode, Operand, Type};

    /// A function whose block `n` branches to `targets[n]`: unreachable for none, conditional for two.
    fn graph(targets: &[&[usize]]) -> Function {
        let mut function = Function::new();
        for list in targets {
            function.begin_block();
            function.push_inst(match **list {
                [] => InstData::new(Opcode::Unreachable, Type::VOID, 0, Operand::NONE, Operand::NONE),
                [only] => InstData::jump(Block::new(only)),
                [first, second, ..] => InstData::branch(Operand::ZERO, Block::new(first), Block::new(second)),
            });
        }
        function.compute_cfg();
        function
    }

    fn layout(targets: &[&[usize]]) -> Layout {
        let mut layout = Layout::default();
        layout.compute(&graph(targets));
        layout
    }

    #[test]
    fn loops_are_contiguous_and_nested() {
        // 0 -> 1; 1 -> 2 or 6; 2 -> 3; 3 -> 3 or 4; 4 -> 1; 5 is unreachable.
        let layout = layout(&[&[1], &[6, 2], &[3], &[3, 4], &[1], &[1], &[]]);
        assert_eq!(layout.position[5], UNREACHED);
        let at = |block: usize| layout.position[block];
        let inner = layout.loops[layout.loop_at[at(3) as usize] as usize];
        assert_eq!((inner.begin, inner.end, inner.depth), (at(3), at(3) + 1, 2));
        let outer = layout.loops[inner.parent as usize];
        assert_eq!((outer.begin, outer.end - outer.begin, outer.depth), (at(1), 4, 1));
        assert!(!outer.contains(at(6)) && outer.contains(at(4)));
        assert_eq!(layout.outermost_loop_without(at(3), at(0)), Some(&outer));
        assert_eq!(layout.outermost_loop_without(at(3), at(2)), Some(&inner));
        assert_eq!(layout.outermost_loop_without(at(6), at(2)), None);
    }

    #[test]
    fn jumps_lead_to_the_loop_that_one_parent_after_the_other_leads_to() {
        const DEPTH: usize = 40;
        // The headers from the outermost loop to the innermost, then the latches from the innermost to the outermost,
        // then the exit.
        let targets: Vec<Vec<usize>> = (0..DEPTH)
            .map(|head| vec![head + 1])
            .chain((0..DEPTH).map(|latch| vec![DEPTH - 1 - latch, DEPTH + latch + 1]))
            .chain([vec![]])
            .collect();
        let layout = layout(&targets.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert_eq!(layout.loops.len(), DEPTH + 1);
        let blocks = layout.order.len() as u32;
        for (inner, outer) in (0..blocks).flat_map(|inner| (0..blocks).map(move |outer| (inner, outer))) {
            let mut expected = None;
            let mut index = layout.loop_at[inner as usize];
            while !layout.loops[index as usize].contains(outer) {
                expected = Some(&layout.loops[index as usize]);
                index = layout.loops[index as usize].parent;
            }
            assert_eq!(
                layout.outermost_loop_without(inner, outer),
                expected,
                "{inner} without {outer}"
            );
        }
    }

    #[test]
    fn an_irreducible_loop_has_the_header_that_is_found_first() {
        // 0 -> 1 or 2; 1 -> 2; 2 -> 1 or 3.
        let layout = layout(&[&[1, 2], &[2], &[1, 3], &[]]);
        assert_eq!(layout.loops.len(), 2);
        let at = |block: usize| layout.position[block];
        let (begin, end) = (layout.loops[1].begin, layout.loops[1].end);
        assert_eq!((end - begin, layout.loops[1].depth), (2, 1));
        assert!((begin..end).contains(&at(1)) && (begin..end).contains(&at(2)));
        assert_eq!((at(0), at(3)), (0, 3));
    }

    /// The blocks from which one is reached without passing another.
    fn reaching(targets: &[Vec<usize>], block: usize, avoided: usize) -> Vec<bool> {
        let mut found = vec![false; targets.len()];
        let mut work = vec![block];
        while let Some(next) = work.pop() {
            for from in (0..targets.len()).filter(|&from| targets[from].contains(&next)) {
                if from != avoided && !std::mem::replace(&mut found[from], true) {
                    work.push(from);
                }
            }
        }
        found
    }

    #[test]
    fn the_invariants_hold_for_any_graph() {
        let mut random = frazil_test_support::Random::new(1);
        for _ in 0..3000 {
            let count = 2 + random.below(10);
            let targets: Vec<Vec<usize>> = (0..count)
                .map(|_| (0..random.below(3)).map(|_| 1 + random.below(count - 1)).collect())
                .collect();
            let layout = layout(&targets.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let at = |block: usize| layout.position[block];
            let reached: Vec<usize> = layout.order.iter().map(|block| block.index()).collect();
            for &from in &reached {
                for &to in &targets[from] {
                    let closes = |number: u32| {
                        let data = layout.loops[number as usize];
                        data.depth > 0 && data.begin == at(to) && data.contains(at(from))
                    };
                    let is_closing = (0..layout.loops.len() as u32).any(closes);
                    assert!(at(from) < at(to) || is_closing, "{from} to {to} in {targets:?}");
                }
            }
            for (&definition, &using) in reached.iter().flat_map(|a| reached.iter().map(move |b| (a, b))) {
                let before = reaching(&targets, using, definition);
                if definition == using || using == 0 || (definition != 0 && before[0]) {
                    continue;
                }
                // The definition dominates the use.
                let end = layout
                    .outermost_loop_without(at(using), at(definition))
                    .map_or(at(using) + 1, |found| found.end);
                assert!(at(definition) < at(using), "{definition} and {using} in {targets:?}");
                for &between in reached.iter().filter(|&&block| before[block]) {
                    assert!(
                        (at(definition)..end).contains(&at(between)),
                        "{between} from {definition} to {using} in {targets:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_straight_function_has_no_loop() {
        let layout = layout(&[&[1, 2], &[3], &[3], &[]]);
        assert_eq!(layout.loops.len(), 1);
        assert_eq!(layout.order.len(), 4);
        assert_eq!(layout.position[3], 3);
    }
}
