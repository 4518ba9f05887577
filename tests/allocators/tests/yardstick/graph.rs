//! The control flow of a machine function as `regalloc2` wants it: without critical edges, and with dominators.
//!
//! Method: an edge from a block with several successors to one with several predecessors becomes a node of its own.
//! Nodes stand in the order of the blocks, that of an edge before the block it enters, or after the one it leaves if
//! it goes back, so that loops stay in one piece. Dominators after Cooper, Harvey and Kennedy, "A Simple, Fast
//! Dominance Algorithm".

use frazil_codegen::MFunc;

/// Rounds that a loop is assumed to make.
const ROUNDS: f64 = 10.0;
/// Loops deeper than this count no more.
const MAX_DEPTH: u8 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    Block(u32),
    /// An edge that was critical.
    Edge(u32),
}

#[derive(Debug, Default)]
pub struct Graph {
    /// In order; the first is the entry.
    pub nodes: Vec<Node>,
    /// By node: how often it is executed, ten times for each loop around it.
    pub weights: Vec<f64>,
    /// By block: its node.
    pub of_block: Vec<u32>,
    /// By edge: its node, if it has one.
    pub of_edge: Vec<Option<u32>>,
    /// By block: its immediate dominator; itself for the entry and for what is not reached.
    pub dominator: Vec<u32>,
    /// By block: the blocks that it dominates immediately.
    pub dominated: Vec<Vec<u32>>,
    /// By block: where its dominance ends.
    pub frontier: Vec<Vec<u32>>,
}

impl Graph {
    /// The graph of a function whose predecessors are known.
    pub fn new(func: &MFunc) -> Graph {
        let mut graph = Graph::default();
        graph.make_nodes(func);
        graph.find_dominators(func);
        graph
    }

    fn make_nodes(&mut self, func: &MFunc) {
        let count = func.blocks.len() as u32;
        let is_critical = |edge: usize| {
            let edge = &func.edges[edge];
            func.edges_of(edge.from).len() > 1 && func.pred_edges(edge.to).len() > 1
        };
        self.of_block = vec![0; func.blocks.len()];
        self.of_edge = vec![None; func.edges.len()];
        for block in 0..count {
            let entering = func.pred_edges(block).iter().map(|&edge| edge as usize);
            for edge in entering.filter(|&edge| func.edges[edge].from < block && is_critical(edge)) {
                self.add_edge(func, edge);
            }
            self.of_block[block as usize] = self.nodes.len() as u32;
            self.nodes.push(Node::Block(block));
            self.weights.push(weight(func, block));
            for edge in (func.edges_of(block)).filter(|&edge| func.edges[edge].to <= block && is_critical(edge)) {
                self.add_edge(func, edge);
            }
        }
    }

    fn add_edge(&mut self, func: &MFunc, edge: usize) {
        self.of_edge[edge] = Some(self.nodes.len() as u32);
        self.nodes.push(Node::Edge(edge as u32));
        self.weights.push(edge_weight(func, edge));
    }

    fn find_dominators(&mut self, func: &MFunc) {
        let order = reverse_postorder(func);
        let mut place = vec![usize::MAX; func.blocks.len()];
        for (index, &block) in order.iter().enumerate() {
            place[block as usize] = index;
        }
        let mut dominator: Vec<u32> = (0..func.blocks.len() as u32).collect();
        let mut is_known = vec![false; func.blocks.len()];
        is_known[0] = true;
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for &block in &order[1..] {
                let from = func
                    .pred_edges(block)
                    .iter()
                    .map(|&edge| func.edges[edge as usize].from);
                let known = from.filter(|&from| is_known[from as usize]);
                let found = known.reduce(|mut a, mut b| {
                    while a != b {
                        if place[a as usize] > place[b as usize] {
                            a = dominator[a as usize];
                        } else {
                            b = dominator[b as usize];
                        }
                    }
                    a
                });
                let found = found.expect("the walk comes from some predecessor");
                has_changed |= !is_known[block as usize] || dominator[block as usize] != found;
                dominator[block as usize] = found;
                is_known[block as usize] = true;
            }
        }
        self.dominated = vec![Vec::new(); func.blocks.len()];
        self.frontier = vec![Vec::new(); func.blocks.len()];
        for &block in &order[1..] {
            self.dominated[dominator[block as usize] as usize].push(block);
        }
        for &block in &order {
            for &edge in func.pred_edges(block) {
                let mut runner = func.edges[edge as usize].from;
                if place[runner as usize] == usize::MAX {
                    continue;
                }
                while runner != dominator[block as usize] {
                    if self.frontier[runner as usize].last() != Some(&block) {
                        self.frontier[runner as usize].push(block);
                    }
                    runner = dominator[runner as usize];
                }
            }
        }
        self.dominator = dominator;
    }
}

/// How often a block is executed.
pub fn weight(func: &MFunc, block: u32) -> f64 {
    let depth = func.blocks[block as usize].loop_depth.min(MAX_DEPTH);
    ROUNDS.powi(i32::from(depth))
}

/// How often an edge is taken.
pub fn edge_weight(func: &MFunc, edge: usize) -> f64 {
    let edge = &func.edges[edge];
    weight(func, edge.from).min(weight(func, edge.to))
}

fn reverse_postorder(func: &MFunc) -> Vec<u32> {
    let mut seen = vec![false; func.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0, func.edges_of(0))];
    seen[0] = true;
    while let Some((block, edges)) = stack.last_mut() {
        let Some(edge) = edges.next() else {
            order.push(*block);
            stack.pop();
            continue;
        };
        let to = func.edges[edge].to;
        if !std::mem::replace(&mut seen[to as usize], true) {
            stack.push((to, func.edges_of(to)));
        }
    }
    order.reverse();
    order
}
