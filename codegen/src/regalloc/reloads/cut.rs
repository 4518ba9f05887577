//! The cheapest choice between two sides for each of several nodes, by a minimum cut.
//!
//! Method: the maximum flow from a source to a sink along shortest augmenting paths, layer by layer (Dinic, "Algorithm
//! for Solution of a Problem of Maximum Flow in Networks with Power Estimation"). The cut that is found is the one
//! nearest to the sink: of several cheapest choices, the one with the fewest nodes on the sink's side.

use crate::regalloc::positions::NONE;

const SOURCE: u32 = 0;
const SINK: u32 = 1;
/// The number of the first node.
const FIRST: u32 = 2;
/// Capacities below this count as used up.
const LEAST: f32 = 1e-4;
/// After this many layerings, the search is given up.
const MAX_ROUNDS: usize = 64;

/// An arc; its reverse has the number that differs in the lowest bit.
#[derive(Clone, Copy, Debug)]
struct Arc {
    to: u32,
    next: u32,
    capacity: f32,
}

/// What a node's own cost is on either side.
#[derive(Clone, Copy, Debug, Default)]
struct Costs {
    on_source_side: f32,
    on_sink_side: f32,
}

/// A network, and the memory for finding its minimum cut.
#[derive(Debug, Default)]
pub(super) struct Network {
    arcs: Vec<Arc>,
    /// By vertex: its first arc.
    heads: Vec<u32>,
    costs: Vec<Costs>,
    /// By vertex: its distance from the source, or [`NONE`]; at the end, 0 for the sink's side.
    levels: Vec<u32>,
    /// By vertex: the arc that is tried next.
    current: Vec<u32>,
    queue: Vec<u32>,
    path: Vec<u32>,
}

impl Network {
    /// Starts a network of some nodes without arcs.
    pub(super) fn start(&mut self, nodes: usize) {
        self.arcs.clear();
        self.heads.clear();
        self.heads.resize(nodes + FIRST as usize, NONE);
        self.costs.clear();
        self.costs.resize(nodes, Costs::default());
    }

    /// Adds what a node costs on the source's side and on the sink's side.
    pub(super) fn add_costs(&mut self, node: u32, on_source_side: f32, on_sink_side: f32) {
        let costs = &mut self.costs[node as usize];
        costs.on_source_side += on_source_side;
        costs.on_sink_side += on_sink_side;
    }

    /// Adds what it costs if `first` is on the source's side and `second` on the sink's (`forward`), and what the
    /// opposite costs (`backward`).
    pub(super) fn connect(&mut self, first: u32, second: u32, forward: f32, backward: f32) {
        self.add_arcs(first + FIRST, second + FIRST, forward, backward);
    }

    fn add_arcs(&mut self, first: u32, second: u32, forward: f32, backward: f32) {
        for (from, to, capacity) in [(first, second, forward), (second, first, backward)] {
            let next = std::mem::replace(&mut self.heads[from as usize], self.arcs.len() as u32);
            self.arcs.push(Arc { to, next, capacity });
        }
    }

    /// Finds the minimum cut. Returns false if that takes too long.
    pub(super) fn solve(&mut self) -> bool {
        for node in 0..self.costs.len() as u32 {
            let Costs {
                on_source_side,
                on_sink_side,
            } = self.costs[node as usize];
            // Only the difference matters.
            if on_source_side > on_sink_side {
                self.add_arcs(node + FIRST, SINK, on_source_side - on_sink_side, 0.0);
            } else if on_sink_side > on_source_side {
                self.add_arcs(SOURCE, node + FIRST, on_sink_side - on_source_side, 0.0);
            }
        }
        for _ in 0..MAX_ROUNDS {
            if !self.layer() {
                self.mark_side_of_sink();
                return true;
            }
            self.current.clear();
            self.current.extend_from_slice(&self.heads);
            self.saturate();
        }
        false
    }

    /// Whether a node is on the sink's side, after [`Network::solve`].
    pub(super) fn is_on_sink_side(&self, node: u32) -> bool {
        self.levels[(node + FIRST) as usize] == 0
    }

    /// Finds the distances from the source of all vertices that are nearer than the sink; returns whether that can be
    /// reached.
    fn layer(&mut self) -> bool {
        self.levels.clear();
        self.levels.resize(self.heads.len(), NONE);
        self.levels[SOURCE as usize] = 0;
        self.queue.clear();
        self.queue.push(SOURCE);
        let mut next = 0;
        while let Some(&vertex) = self.queue.get(next) {
            next += 1;
            let mut number = self.heads[vertex as usize];
            while let Some(&arc) = self.arcs.get(number as usize) {
                number = arc.next;
                if arc.capacity > LEAST && self.levels[arc.to as usize] == NONE {
                    self.levels[arc.to as usize] = self.levels[vertex as usize] + 1;
                    if arc.to == SINK {
                        return true;
                    }
                    self.queue.push(arc.to);
                }
            }
        }
        false
    }

    /// Sends as much flow as possible along arcs that lead from one layer to the next.
    fn saturate(&mut self) {
        self.path.clear();
        let mut vertex = SOURCE;
        loop {
            if vertex == SINK {
                vertex = self.augment();
                continue;
            }
            let number = self.current[vertex as usize];
            let Some(&arc) = self.arcs.get(number as usize) else {
                // A dead end.
                self.levels[vertex as usize] = NONE;
                let Some(last) = self.path.pop() else {
                    return;
                };
                vertex = self.arcs[last as usize ^ 1].to;
                continue;
            };
            let below = self.levels[vertex as usize] + 1;
            if arc.capacity > LEAST && self.levels[arc.to as usize] == below {
                self.path.push(number);
                vertex = arc.to;
            } else {
                self.current[vertex as usize] = arc.next;
            }
        }
    }

    /// Sends flow along the path from the source to the sink, and goes back to where it is used up.
    fn augment(&mut self) -> u32 {
        let capacities = self.path.iter().map(|&number| self.arcs[number as usize].capacity);
        let flow = capacities.fold(f32::INFINITY, f32::min);
        let mut kept = self.path.len();
        for (index, &number) in self.path.iter().enumerate().rev() {
            self.arcs[number as usize ^ 1].capacity += flow;
            let arc = &mut self.arcs[number as usize];
            arc.capacity -= flow;
            if arc.capacity <= LEAST {
                kept = index;
            }
        }
        let vertex = self.arcs[self.path[kept] as usize ^ 1].to;
        self.path.truncate(kept);
        vertex
    }

    /// Marks the vertices from which the sink can still be reached.
    fn mark_side_of_sink(&mut self) {
        self.levels.fill(NONE);
        self.levels[SINK as usize] = 0;
        self.queue.clear();
        self.queue.push(SINK);
        while let Some(vertex) = self.queue.pop() {
            let mut number = self.heads[vertex as usize];
            while let Some(&arc) = self.arcs.get(number as usize) {
                let incoming = self.arcs[number as usize ^ 1].capacity;
                number = arc.next;
                if incoming > LEAST && self.levels[arc.to as usize] == NONE {
                    self.levels[arc.to as usize] = 0;
                    self.queue.push(arc.to);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Network;
    use frazil_test_support::Random;

    struct Problem {
        nodes: u32,
        own: Vec<(f32, f32)>,
        pairs: Vec<(u32, u32, f32, f32)>,
    }

    impl Problem {
        fn cost(&self, is_on_sink_side: impl Fn(u32) -> bool) -> f32 {
            let mut cost = 0.0;
            for (node, &(source, sink)) in self.own.iter().enumerate() {
                cost += if is_on_sink_side(node as u32) { sink } else { source };
            }
            for &(first, second, forward, backward) in &self.pairs {
                cost += match (is_on_sink_side(first), is_on_sink_side(second)) {
                    (false, true) => forward,
                    (true, false) => backward,
                    _ => 0.0,
                };
            }
            cost
        }
    }

    #[test]
    fn no_choice_is_cheaper() {
        let mut network = Network::default();
        for seed in 1..=300 {
            let mut random = Random::new(seed);
            let nodes = 1 + random.below(8) as u32;
            let mut cost = |below: usize| random.below(below) as f32;
            let own = (0..nodes).map(|_| (cost(6), cost(6))).collect();
            let pairs = (0..3 * nodes)
                .map(|_| {
                    (
                        cost(nodes as usize) as u32,
                        cost(nodes as usize) as u32,
                        cost(5),
                        cost(3),
                    )
                })
                .filter(|pair| pair.0 != pair.1)
                .collect();
            let problem = Problem { nodes, own, pairs };
            network.start(nodes as usize);
            for (node, &(source, sink)) in problem.own.iter().enumerate() {
                network.add_costs(node as u32, source, sink);
            }
            for &(first, second, forward, backward) in &problem.pairs {
                network.connect(first, second, forward, backward);
            }
            assert!(network.solve(), "seed {seed}");
            let side = |choice: u32| move |node: u32| choice >> node & 1 != 0;
            let choices = 0..1u32 << problem.nodes;
            let (best, _) = choices
                .map(|choice| (problem.cost(side(choice)), choice.count_ones()))
                .min_by(|a, b| a.partial_cmp(b).expect("no cost is NaN"))
                .expect("there is a choice");
            let found = problem.cost(|node| network.is_on_sink_side(node));
            assert_eq!(found, best, "seed {seed}");
        }
    }
}
