//! How often parts of a function are executed, as a graph in which what comes in goes out.
//!
//! Blocks are divided at calls, since a call may look at numbers in memory or never return: a *part* is what stands
//! between two of them. The vertices are the start and the end of each block, and the *outside*, where the function is
//! entered, left, and where it is at calls. The edges are the parts, and the edges between blocks. Each has a count,
//! and at each vertex but the outside the counts of what comes in and of what goes out have the same sum.
//!
//! So the counts on the *chords*, the edges that are not in a spanning tree, say all others (D. E. Knuth and F. R.
//! Stevenson, "Optimal measurement points for program frequency counts", BIT 13, 1973), and the tree with the highest
//! frequencies leaves the cheapest chords. Sums of amounts need additions on chords only, too: each vertex *owes* what
//! the paths along the tree have added up, and a chord pays the difference (T. Ball, "Efficiently counting program
//! events with support for on-line queries", TOPLAS 16, 1994). The outside owes nothing, so what is in memory is right
//! whenever somebody can look.
//!
//! Edges where nothing can be put are contracted: both ends are one vertex.

use frazil_ir::domtree::DomTree;
use frazil_ir::loops::LoopTree;
use frazil_ir::{Block, EntityRef, Function, Inst, Opcode};

/// What stands in a block from its start or a call up to the next call or its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub block: Block,
    /// The instruction before which what it adds can be put.
    pub anchor: Inst,
}

/// A part or an edge between blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowEdge {
    pub from: u32,
    pub to: u32,
    pub place: Place,
    pub frequency: f32,
    pub is_in_tree: bool,
}

/// Where something can be put that is executed as often as an edge is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// In a part, by its number.
    Part(u32),
    /// At the end of the block that the edge comes from.
    End(Block),
    /// At the start of the block that it leads to.
    Start(Block),
    /// In a block of its own.
    Between(Block, Block),
}

/// Where a vertex hangs in the tree.
#[derive(Clone, Copy, Debug)]
struct Hanging {
    vertex: u32,
    /// The vertex above it and the edge between them; none for the root of a tree.
    above: Option<(u32, u32)>,
}

/// The graph and its tree.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// The parts by their numbers, then the edges between blocks.
    pub edges: Vec<FlowEdge>,
    /// By block.
    pub frequencies: Vec<f32>,
    /// All vertices, each after the one above it.
    order: Vec<Hanging>,
    vertices: usize,
    sets: Sets,
}

pub(crate) const OUTSIDE: u32 = 0;

fn start_of(block: Block) -> u32 {
    1 + 2 * block.as_u32()
}

fn end_of(block: Block) -> u32 {
    2 + 2 * block.as_u32()
}

/// What the graph is made of.
pub(crate) struct Input<'a> {
    pub function: &'a Function,
    pub loops: &'a LoopTree,
    pub dominators: &'a DomTree,
    /// Those of one block stand beside one another, in order.
    pub parts: &'a [Part],
    /// Whether a block's edges must stay as they are.
    pub is_fixed: &'a dyn Fn(Block) -> bool,
}

impl Flow {
    /// The graph of a function.
    pub fn new(input: &Input<'_>) -> Flow {
        let f = input.function;
        let mut flow = Flow {
            vertices: 1 + 2 * f.blocks().len(),
            ..Flow::default()
        };
        flow.sets.reset(flow.vertices);
        let frequencies = Frequencies::new(input);
        flow.add_parts(input.parts, &frequencies);
        flow.sets.join(OUTSIDE, start_of(Block::new(0)));
        for block in f.block_ids() {
            flow.add_edges_of(block, input, &frequencies);
        }
        for edge in &mut flow.edges {
            (edge.from, edge.to) = (flow.sets.find(edge.from), flow.sets.find(edge.to));
        }
        flow.grow_tree();
        flow.frequencies = frequencies.of_blocks;
        flow
    }

    fn add_parts(&mut self, parts: &[Part], frequencies: &Frequencies) {
        for (number, part) in parts.iter().enumerate() {
            let is_first = number == 0 || parts[number - 1].block != part.block;
            let is_last = parts.get(number + 1).is_none_or(|next| next.block != part.block);
            self.edges.push(FlowEdge {
                from: if is_first { start_of(part.block) } else { OUTSIDE },
                to: if is_last { end_of(part.block) } else { OUTSIDE },
                place: Place::Part(number as u32),
                frequency: frequencies.of_blocks[part.block.index()],
                is_in_tree: false,
            });
        }
    }

    fn add_edges_of(&mut self, block: Block, input: &Input<'_>, frequencies: &Frequencies) {
        let f = input.function;
        let successors = f.cfg().successors(block);
        let op = f.inst(f.terminator(block)).op;
        if successors.is_empty() {
            self.sets.join(OUTSIDE, end_of(block));
        }
        for (number, edge) in successors.iter().enumerate() {
            let target = edge.target;
            let place = if op == Opcode::Invoke {
                // The call is the last thing in its block, and what follows is settled.
                self.sets.join(OUTSIDE, start_of(target));
                continue;
            } else if successors.len() == 1 && op != Opcode::IndirectJump {
                Place::End(block)
            } else if f.predecessors(target).len() == 1 {
                Place::Start(target)
            } else if op == Opcode::IndirectJump || (input.is_fixed)(block) {
                self.sets.join(end_of(block), start_of(target));
                continue;
            } else {
                Place::Between(block, target)
            };
            self.edges.push(FlowEdge {
                from: end_of(block),
                to: start_of(target),
                place,
                frequency: frequencies.of_edge(block, number),
                is_in_tree: false,
            });
        }
        if op == Opcode::Invoke {
            self.sets.join(OUTSIDE, end_of(block));
        }
    }

    /// What an addition on an edge costs.
    pub fn cost(&self, edge: usize) -> f32 {
        let edge = &self.edges[edge];
        match edge.place {
            // A block of its own takes a jump.
            Place::Between(..) => 2.0 * edge.frequency,
            _ => edge.frequency,
        }
    }

    /// Chooses the tree with the highest costs, by Kruskal's method, and hangs the vertices up in it.
    fn grow_tree(&mut self) {
        let mut by_cost: Vec<u32> = (0..self.edges.len() as u32).collect();
        // Of edges that cost the same, those between blocks belong in the tree first: parts have numbers of their own.
        let is_part = |edge: u32| matches!(self.edges[edge as usize].place, Place::Part(_));
        by_cost.sort_by(|&left, &right| {
            let (a, b) = (self.cost(left as usize), self.cost(right as usize));
            b.total_cmp(&a)
                .then(is_part(left).cmp(&is_part(right)))
                .then(left.cmp(&right))
        });
        let mut joined = self.sets.clone();
        let mut neighbours = Neighbours::new(self.vertices);
        for edge in by_cost {
            let FlowEdge { from, to, .. } = self.edges[edge as usize];
            if joined.join(from, to) {
                self.edges[edge as usize].is_in_tree = true;
                neighbours.add(from, to, edge);
                neighbours.add(to, from, edge);
            }
        }
        let mut is_seen = vec![false; self.vertices];
        // The outside is the first, since the smallest number stands for all.
        for root in 0..self.vertices as u32 {
            if self.sets.find(root) != root || std::mem::replace(&mut is_seen[root as usize], true) {
                continue;
            }
            let mut next = self.order.len();
            self.order.push(Hanging {
                vertex: root,
                above: None,
            });
            while let Some(&Hanging { vertex, .. }) = self.order.get(next) {
                next += 1;
                for (other, edge) in neighbours.of(vertex) {
                    if !std::mem::replace(&mut is_seen[other as usize], true) {
                        self.order.push(Hanging {
                            vertex: other,
                            above: Some((vertex, edge)),
                        });
                    }
                }
            }
        }
    }

    /// The additions on chords that make the same sums as an amount on each edge: edges and what is added there.
    pub fn on_chords(&self, amounts: &[i128], owed: &mut Vec<i128>, additions: &mut Vec<(u32, i128)>) {
        owed.clear();
        owed.resize(self.vertices, 0);
        for hanging in &self.order {
            let Some((above, edge)) = hanging.above else { continue };
            let amount = amounts[edge as usize];
            let owed_above = owed[above as usize];
            owed[hanging.vertex as usize] = match self.edges[edge as usize].from == above {
                true => owed_above.wrapping_add(amount),
                false => owed_above.wrapping_sub(amount),
            };
        }
        additions.clear();
        for (index, edge) in self.edges.iter().enumerate().filter(|(_, edge)| !edge.is_in_tree) {
            let owed_there = owed[edge.from as usize].wrapping_add(amounts[index]);
            let amount = owed_there.wrapping_sub(owed[edge.to as usize]);
            if amount != 0 {
                additions.push((index as u32, amount));
            }
        }
    }

    /// How the counts of edges in the tree follow from others: for each, the edge, and the edges whose counts are added
    /// and subtracted. Only what `wanted` needs, each edge after those that it needs; then all of these are wanted.
    pub fn equations(&self, wanted: &mut [bool]) -> Vec<Equation> {
        let mut incident: Vec<Vec<u32>> = vec![Vec::new(); self.vertices];
        for (index, edge) in self.edges.iter().enumerate().filter(|(_, edge)| edge.from != edge.to) {
            incident[edge.from as usize].push(index as u32);
            incident[edge.to as usize].push(index as u32);
        }
        let mut equations = Vec::new();
        for hanging in &self.order {
            let Some((_, edge)) = hanging.above.filter(|&(_, edge)| wanted[edge as usize]) else {
                continue;
            };
            let comes_in = self.edges[edge as usize].to == hanging.vertex;
            let others = incident[hanging.vertex as usize].iter().filter(|&&other| other != edge);
            let terms: Vec<(u32, bool)> = others
                .map(|&other| (other, (self.edges[other as usize].to == hanging.vertex) == comes_in))
                .collect();
            terms.iter().for_each(|&(other, _)| wanted[other as usize] = true);
            equations.push(Equation { edge, terms });
        }
        equations.reverse();
        equations
    }
}

/// The count of an edge of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Equation {
    pub edge: u32,
    /// Edges, and whether their counts are subtracted.
    pub terms: Vec<(u32, bool)>,
}

/// The edges of the tree at each vertex, as linked lists.
struct Neighbours {
    first: Vec<u32>,
    /// The other vertex, the edge, and the next one in the list.
    links: Vec<(u32, u32, u32)>,
}

const NONE: u32 = u32::MAX;

impl Neighbours {
    fn new(vertices: usize) -> Neighbours {
        Neighbours {
            first: vec![NONE; vertices],
            links: Vec::with_capacity(2 * vertices),
        }
    }

    fn add(&mut self, vertex: u32, other: u32, edge: u32) {
        let first = &mut self.first[vertex as usize];
        self.links.push((other, edge, *first));
        *first = self.links.len() as u32 - 1;
    }

    fn of(&self, vertex: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let mut next = self.first[vertex as usize];
        std::iter::from_fn(move || {
            let &(other, edge, after) = self.links.get(next as usize)?;
            next = after;
            Some((other, edge))
        })
    }
}

/// Vertices that are one.
#[derive(Clone, Debug, Default)]
struct Sets {
    above: Vec<u32>,
}

impl Sets {
    fn reset(&mut self, count: usize) {
        self.above.clear();
        self.above.extend(0..count as u32);
    }

    fn find(&mut self, mut vertex: u32) -> u32 {
        while self.above[vertex as usize] != vertex {
            let above = self.above[vertex as usize];
            self.above[vertex as usize] = self.above[above as usize];
            vertex = above;
        }
        vertex
    }

    /// Whether they were two; the smaller number stands for both.
    fn join(&mut self, left: u32, right: u32) -> bool {
        let (left, right) = (self.find(left), self.find(right));
        self.above[left.max(right) as usize] = left.min(right);
        left != right
    }
}

/// Guesses of how often blocks and edges are executed for one entry: a loop eight times, branches evenly.
struct Frequencies {
    of_blocks: Vec<f32>,
    /// Those of a block in the order of its successors.
    of_edges: Vec<f32>,
    /// Where those of each block begin.
    first_edges: Vec<u32>,
}

pub(crate) const ROUNDS: f32 = 8.0;

impl Frequencies {
    fn new(input: &Input<'_>) -> Frequencies {
        let (f, loops) = (input.function, input.loops);
        let mut frequencies = Frequencies {
            of_blocks: vec![0.0; f.blocks().len()],
            of_edges: Vec::new(),
            first_edges: vec![NONE; f.blocks().len()],
        };
        frequencies.of_blocks[0] = 1.0;
        for block in input.dominators.reverse_postorder() {
            let around = loops.innermost(block);
            let is_header = around.is_some_and(|id| loops.data(id).header == block);
            // Nested without end, or after many branches, everything is as rare or as frequent.
            let here = frequencies.of_blocks[block.index()] * if is_header { ROUNDS } else { 1.0 };
            let here = here.clamp(1e-20, 1e20);
            frequencies.of_blocks[block.index()] = here;
            frequencies.first_edges[block.index()] = frequencies.of_edges.len() as u32;
            let successors = f.cfg().successors(block);
            let leaves = |target: Block| around.is_some_and(|id| !loops.contains(id, target));
            let leaving = successors.iter().filter(|edge| leaves(edge.target)).count();
            let staying = successors.len() - leaving;
            for edge in successors {
                let share = match (leaving, staying, leaves(edge.target)) {
                    (0, _, _) | (_, 0, _) => 1.0 / successors.len() as f32,
                    (_, _, true) => 1.0 / ROUNDS / leaving as f32,
                    (_, _, false) => (1.0 - 1.0 / ROUNDS) / staying as f32,
                };
                frequencies.of_edges.push(here * share);
                let is_back = loops
                    .innermost(edge.target)
                    .is_some_and(|id| loops.data(id).header == edge.target && loops.contains(id, block));
                if !is_back {
                    frequencies.of_blocks[edge.target.index()] += here * share;
                }
            }
        }
        frequencies
    }

    /// The frequency of the edge to a successor of a block; of what is out of reach, none.
    fn of_edge(&self, block: Block, successor: usize) -> f32 {
        let first = self.first_edges[block.index()] as usize;
        self.of_edges
            .get(first.saturating_add(successor))
            .copied()
            .unwrap_or(0.0)
    }
}
