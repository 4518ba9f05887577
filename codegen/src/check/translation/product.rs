//! The product of both functions: nodes, what is known at them, and the comparison of the events that the two walks
//! from a node arrive at.

use super::live::Live;
use super::machine::{Event, Machine, Meaning};
use super::merge::{Arrival, Knowledge};
use super::terms::{Term, Terms};
use super::values::{Side, WORD_BITS, Word};
use super::walk::{Position, Stop, Walk, WalkState};
use super::{TranslationFault, Verdict};
use crate::buffer::PoolConstant;
use crate::mfunc::{Term as BlockEnd, op_desc};
use crate::minst::MInst;
use frazil_support::FxHashMap;
use std::collections::VecDeque;

/// The most visits of a node, on average; with more, a function is unproved.
const MOST_VISITS: usize = 60;
/// The most terms of a function; with more, it is unproved.
const MOST_TERMS: usize = 40_000_000;
/// The most words that are merged in a function, from all paths; with more, it is unproved.
const MOST_MERGED_WORDS: usize = 5_000_000;
/// How many instructions after two positions are compared to find out whether these correspond.
const MOST_COMING: usize = 4;
/// The depth to which messages print terms.
const SHOWN_DEPTH: u32 = 5;

/// The memory of a comparison, kept from function to function.
#[derive(Debug, Default)]
pub(super) struct Product {
    walks: [WalkState; 2],
    live: [Live; 2],
    nodes: Vec<Node>,
    numbers: FxHashMap<[Position; 2], u32>,
    waiting: VecDeque<u32>,
    /// The pairs of terms of the current node, before and after, that do not refine.
    unequal: Vec<(Term, Term)>,
}

#[derive(Debug)]
struct Node {
    at: [Position; 2],
    knowledge: Knowledge,
    is_waiting: bool,
    /// The arrivals that the latest visit without a difference has made: what identifies each, and the node arrived at.
    successors: Vec<(u64, u32)>,
    /// The difference that the latest visit of this node has found, if any, and the terms that differ.
    fault: Option<(TranslationFault, Option<(Term, Term)>)>,
}

/// Why a visit of a node has ended early.
enum Failure {
    Fault(TranslationFault),
    Unknown(&'static str),
}

impl Product {
    pub(super) fn compare(
        &mut self,
        sides: [Side<'_>; 2],
        meaning: &'static dyn Meaning,
        constants: &[PoolConstant],
        terms: &mut Terms,
    ) -> Verdict {
        for (number, side) in sides.iter().enumerate() {
            self.walks[number].graph.compute(side.func, side.ops);
            self.live[number].compute(side, meaning);
        }
        self.nodes.clear();
        self.numbers.clear();
        self.waiting.clear();
        self.unequal.clear();
        let mut comparison = Comparison {
            sides,
            meaning,
            constants,
            terms,
            product: self,
            unknown: None,
            merged_words: 0,
        };
        match (comparison.run(), comparison.unknown) {
            (Err(Failure::Unknown(reason)), _) | (_, Some(reason)) => Verdict::Unproved(TranslationFault::of(reason)),
            (Ok(()), None) => Verdict::Proved,
            (Err(Failure::Fault(fault)), None) if self.may_be_equal(terms) => Verdict::Unproved(fault),
            (Err(Failure::Fault(fault)), None) => Verdict::Refuted(fault),
        }
    }

    /// Whether everything that differs may be equal all the same: because it contains symbols of merges, of which less
    /// may be known than holds, or because no values were found that tell the terms apart.
    fn may_be_equal(&self, terms: &Terms) -> bool {
        let may_be_equal = |before: Term, after: Term| {
            terms.has_phi(before) || terms.has_phi(after) || !terms.can_differ(before, after)
        };
        let mut pairs = self.unequal.iter();
        !self.unequal.is_empty() && pairs.all(|&(before, after)| may_be_equal(before, after))
    }
}

struct Comparison<'a> {
    sides: [Side<'a>; 2],
    meaning: &'static dyn Meaning,
    /// Those beside the code, which both functions share.
    constants: &'a [PoolConstant],
    terms: &'a mut Terms,
    product: &'a mut Product,
    unknown: Option<&'static str>,
    /// How many words of arrivals have been merged.
    merged_words: usize,
}

impl<'a> Comparison<'a> {
    fn run(&mut self) -> Result<(), Failure> {
        let start = self.sides.map(|side| Position {
            block: 0,
            inst: side.func.blocks[0].start,
        });
        for number in 0..2 {
            self.product.walks[number]
                .values
                .reset(self.sides[number].place_count());
            self.enter(number);
        }
        self.arrive(u64::MAX, start)?;
        let mut visits = 0;
        while let Some(node) = self.product.waiting.pop_front() {
            self.product.nodes[node as usize].is_waiting = false;
            if !self.product.nodes[node as usize].knowledge.is_reached() {
                continue;
            }
            visits += 1;
            if visits > MOST_VISITS * (self.product.nodes.len() + 16)
                || self.terms.len() > MOST_TERMS
                || self.merged_words > MOST_MERGED_WORDS
            {
                return Err(Failure::Unknown("too many steps"));
            }
            self.product.unequal.clear();
            let old = std::mem::take(&mut self.product.nodes[node as usize].successors);
            match self.visit(node) {
                // A difference may go away: something undefined on one path seems to differ until the other paths have
                // arrived.
                Err(Failure::Fault(fault)) => {
                    let unequal = self.product.unequal.pop();
                    let node = &mut self.product.nodes[node as usize];
                    node.fault = Some((fault, unequal));
                    node.successors = old;
                }
                other => {
                    other?;
                    self.product.nodes[node as usize].fault = None;
                    self.leave_nodes(node, &old);
                }
            }
        }
        match self.product.nodes.iter_mut().find_map(|node| node.fault.take()) {
            Some((fault, unequal)) => {
                self.product.unequal = unequal.into_iter().collect();
                Err(Failure::Fault(fault))
            }
            None => Ok(()),
        }
    }

    /// Takes back the arrivals of an earlier visit of a node that the latest one has not made again: how positions are
    /// paired depends on what is known, which changes until all paths have arrived. What can then no longer be reached
    /// takes back its own arrivals and differences, too.
    fn leave_nodes(&mut self, node: u32, old: &[(u64, u32)]) {
        let successors = &self.product.nodes[node as usize].successors;
        let left: Vec<(u64, u32)> = old
            .iter()
            .filter(|arrival| !successors.contains(arrival))
            .copied()
            .collect();
        if left.is_empty() {
            return;
        }
        for &(from, to) in &left {
            self.leave(from, to);
        }
        let nodes = &self.product.nodes;
        let mut is_reached = vec![false; nodes.len()];
        is_reached[0] = true;
        let mut pending = vec![0];
        while let Some(node) = pending.pop() {
            for &(_, to) in &nodes[node as usize].successors {
                if !std::mem::replace(&mut is_reached[to as usize], true) {
                    pending.push(to);
                }
            }
        }
        for node in (0..is_reached.len()).filter(|&node| !is_reached[node]) {
            self.product.nodes[node].fault = None;
            for (from, to) in std::mem::take(&mut self.product.nodes[node].successors) {
                self.leave(from, to);
            }
        }
    }

    /// Takes an arrival at a node back, and has the node visited if that changes what is known there.
    fn leave(&mut self, from: u64, node: u32) {
        let data = &mut self.product.nodes[node as usize];
        if data.knowledge.leave(from, node, self.terms) && !data.is_waiting {
            data.is_waiting = true;
            self.product.waiting.push_back(node);
        }
    }

    /// Gives all physical registers their symbols at function entry, which are the same in both functions.
    fn enter(&mut self, number: usize) {
        use super::terms::Origin;
        use super::values::{WORDS, WordPlace};
        let count = self.sides[number].place_count();
        for unit in 0..super::values::FLAGS {
            for word in 0..WORDS {
                let place = unit * WORDS + word;
                if (place as usize) < count {
                    let term = self.terms.symbol(Origin::Entry, [place, 0, 0], WORD_BITS);
                    self.product.walks[number]
                        .values
                        .set(WordPlace(place), Word::whole(term));
                }
            }
        }
        self.product.walks[number].values.commit();
    }

    /// The walk of one function from a node, with the state that it has reached.
    fn walk(&mut self, number: usize, node: u32) -> Walk<'_, '_> {
        let WalkState {
            values,
            events,
            trail,
            graph,
        } = &mut self.product.walks[number];
        Walk {
            machine: Machine {
                terms: self.terms,
                side: self.sides[number],
                meaning: self.meaning,
                constants: self.constants,
                values,
                events,
                node,
                inst: 0,
                unknown: &mut self.unknown,
            },
            graph,
            trail,
        }
    }

    /// Restarts the walk of one function at a node, with what is known there; see [`Walk::run`].
    fn run_side(&mut self, number: usize, node: u32, limit: usize, last: Option<Position>) -> (Position, Stop) {
        let state = &mut self.product.walks[number];
        state.values.reset(self.sides[number].place_count());
        state.events.clear();
        state.trail.clear();
        let Node { at, knowledge, .. } = &self.product.nodes[node as usize];
        for &(place, word) in &knowledge.known[number] {
            state.values.set(place, word);
        }
        state.values.commit();
        let at = at[number];
        self.walk(number, node).run(at, limit, last)
    }

    fn visit(&mut self, node: u32) -> Result<(), Failure> {
        if let Some(at) = (0..2).find_map(|number| self.catch_up(node, number)) {
            return self.arrive(u64::from(node) << 32, at);
        }
        let mut before = self.run_side(0, node, usize::MAX, None);
        let wanted = self.product.walks[0].events.len();
        let mut after = self.run_side(1, node, wanted, None);
        let events = self.product.walks[1].events.len();
        if events < wanted {
            before = self.run_side(0, node, events, None);
        }
        self.compare_events()?;
        if before.1 == Stop::Unreachable {
            return Ok(());
        }
        // One function may have passed more instructions without an event than the other one.
        if before.1 == Stop::Join || after.1 == Stop::Join {
            if let Some(last) = self.counterpart(1, after, before) {
                before = self.run_side(0, node, events, Some(last));
            } else if let Some(last) = self.counterpart(0, before, after) {
                after = self.run_side(1, node, events, Some(last));
            }
        }
        let at = [before.0, after.0];
        match (before.1, after.1) {
            (Stop::End, Stop::End) => Ok(()),
            (Stop::Branch, Stop::Branch) => self.branch(node, at),
            (Stop::Choice, Stop::Choice) => self.choose(node, at),
            (Stop::Join, _) | (_, Stop::Join) => {
                self.refuse_silent_loop(at)?;
                self.arrive(u64::from(node) << 32, at)
            }
            (Stop::Branch, _) if self.only_target(0, at[0].block).is_some() => self.follow(node, 0, at),
            (_, Stop::Branch) if self.only_target(1, at[1].block).is_some() => self.follow(node, 1, at),
            (before, after) => {
                let message = format!("control flow differs: {before:?} and {after:?}");
                Err(self.fault(message, [Some(at[0].inst), Some(at[1].inst)]))
            }
        }
    }

    /// If function `number` is at a merge, and the other one reaches one without an event: walks the other one on and
    /// returns both positions, so that the node is at merges in both.
    fn catch_up(&mut self, node: u32, number: usize) -> Option<[Position; 2]> {
        let mut at = self.product.nodes[node as usize].at;
        let other = 1 - number;
        let is_at_join = |number: usize| {
            let Position { block, inst } = at[number];
            let is_start = self.sides[number].func.blocks[block as usize].start == inst;
            is_start && self.product.walks[number].graph.is_join(block)
        };
        if !is_at_join(number) || is_at_join(other) {
            return None;
        }
        let (reached, stop) = self.run_side(other, node, 0, None);
        let goes_on_alike = || self.coming(number, at[number]) == self.coming(other, reached);
        if stop != Stop::Join || (self.sides[0].is_allocated && !goes_on_alike()) {
            return None;
        }
        self.run_side(number, node, 0, Some(at[number]));
        at[other] = reached;
        Some(at)
    }

    /// If function `number` has stopped at a merge: the position of the other function's walk to which that
    /// corresponds, among those that it has passed since the last event. This is one with the same instructions to
    /// come, or else the first; then whatever is computed without an event before the node has been computed in both.
    /// `None` if the other function is to stay where it is. The choice of a position for a node can only affect what
    /// can be proved, not whether it is true.
    fn counterpart(
        &self,
        number: usize,
        (at, stop): (Position, Stop),
        (other_at, other_stop): (Position, Stop),
    ) -> Option<Position> {
        if stop != Stop::Join {
            return None;
        }
        let other = 1 - number;
        let walk = &self.product.walks[other];
        let silent = walk
            .trail
            .iter()
            .rev()
            .take_while(|&&(_, events)| events == walk.events.len());
        let silent = silent.map(|&(position, _)| position);
        if self.sides[0].is_allocated {
            let wanted = self.coming(number, at);
            if self.coming(other, other_at) == wanted {
                return None;
            }
            let found = silent.clone().find(|&position| self.coming(other, position) == wanted);
            if found.is_some() && !wanted.is_empty() {
                return found;
            }
        }
        if other_stop == Stop::Join { None } else { silent.last() }
    }

    /// The next few instructions from a position on, across jumps.
    fn coming(&self, number: usize, mut at: Position) -> Vec<MInst> {
        let func = self.sides[number].func;
        let mut coming = Vec::new();
        for _ in 0..64 {
            let block = &func.blocks[at.block as usize];
            while at.inst < block.end && coming.len() < MOST_COMING {
                let inst = func.insts[at.inst as usize];
                // Where the registers of a call are stored says nothing.
                let has_sets = op_desc(self.sides[number].ops, inst.op).has_sets;
                coming.push(if has_sets { inst.with_imm(0) } else { inst });
                at.inst += 1;
            }
            if block.term != BlockEnd::Jump || coming.len() == MOST_COMING {
                break;
            }
            at.block = func.edges[block.first_edge as usize].to;
            at.inst = func.blocks[at.block as usize].start;
        }
        coming
    }

    /// Refuses a pair of positions of which only one is in an endless loop without events.
    fn refuse_silent_loop(&self, at: [Position; 2]) -> Result<(), Failure> {
        let is_silent = |number: usize| {
            let side = &self.sides[number];
            self.product.walks[number]
                .graph
                .is_silent_from(side.func, side.ops, at[number])
        };
        if is_silent(0) == is_silent(1) {
            return Ok(());
        }
        Err(self.fault(
            "an endless loop in only one of the functions".to_owned(),
            [Some(at[0].inst), Some(at[1].inst)],
        ))
    }

    fn compare_events(&mut self) -> Result<(), Failure> {
        let events = [0, 1].map(|number| std::mem::take(&mut self.product.walks[number].events));
        let [before, after] = &events;
        for (ours, theirs) in before.iter().zip(after) {
            if let Some(message) = self.difference(ours, theirs) {
                return Err(self.fault(message, [Some(ours.inst), Some(theirs.inst)]));
            }
        }
        if before.len() != after.len() {
            let at = [before.last(), after.last()].map(|event| event.map(|event| event.inst));
            return Err(self.fault("one of the functions has more events".to_owned(), at));
        }
        for (walk, events) in self.product.walks.iter_mut().zip(events) {
            walk.events = events;
        }
        Ok(())
    }

    /// The message if the second of two events may not stand for the first.
    fn difference(&mut self, before: &Event, after: &Event) -> Option<String> {
        if before.key != after.key || before.operands.len() != after.operands.len() {
            return Some(format!("events differ ({:?} and {:?})", before.key, after.key));
        }
        if before.sets != after.sets {
            return Some("an event reads or writes other registers".to_owned());
        }
        for (index, (ours, theirs)) in before.operands.iter().zip(&after.operands).enumerate() {
            if theirs.significant < ours.significant {
                return Some(format!(
                    "operand {index} of an event has {} significant bits, and had {}",
                    theirs.significant, ours.significant
                ));
            }
            if let Some(parts) = self.forbidden(*ours, *theirs) {
                self.product.unequal.push(parts);
                return Some(format!(
                    "operand {index} of an event was {} and is {}",
                    self.terms.text(ours.term, SHOWN_DEPTH),
                    self.terms.text(theirs.term, SHOWN_DEPTH)
                ));
            }
        }
        None
    }

    /// The significant bits of `before` and of the same bits of `after`, if the latter do not refine the former.
    fn forbidden(&mut self, before: Word, after: Word) -> Option<(Term, Term)> {
        if before.significant == 0 || self.terms.refines(before.term, after.term) {
            return None;
        }
        let width = u16::from(before.significant);
        if self.terms.width(before.term) < width || self.terms.width(after.term) < width {
            return Some((before.term, after.term));
        }
        let [ours, theirs] = [before.term, after.term].map(|term| self.terms.part(term, 0, width));
        (!self.terms.refines(ours, theirs)).then_some((ours, theirs))
    }

    /// The only block that a branch leads to, if all of its edges lead to one block through empty blocks, without
    /// moves.
    fn only_target(&self, number: usize, block: u32) -> Option<u32> {
        let func = self.sides[number].func;
        let ends: Vec<u32> = func
            .edges_of(block)
            .map(|edge| {
                let mut to = func.edges[edge].to;
                for _ in 0..64 {
                    let data = &func.blocks[to as usize];
                    let has_moves = data.edge_count == 1 && !func.moves_of(data.first_edge as usize).is_empty();
                    if data.term != BlockEnd::Jump || data.start != data.end || has_moves {
                        break;
                    }
                    to = func.edges[data.first_edge as usize].to;
                }
                to
            })
            .collect();
        let has_moves = func.edges_of(block).any(|edge| !func.moves_of(edge).is_empty());
        (!has_moves && ends.windows(2).all(|pair| pair[0] == pair[1])).then(|| ends[0])
    }

    /// Follows the branch of function `number`, which has only one target, while the other function stays where it is.
    fn follow(&mut self, node: u32, number: usize, mut at: [Position; 2]) -> Result<(), Failure> {
        let edge = self.sides[number].func.edges_of(at[number].block).start;
        at[number] = self.walk(number, node).cross(edge);
        self.arrive(u64::from(node) << 32, at)
    }

    /// Both functions are at a branch: compares the conditions, which must be equal or opposite.
    fn branch(&mut self, node: u32, at: [Position; 2]) -> Result<(), Failure> {
        let conditions = [0, 1].map(|number| self.walk(number, node).condition(at[number].block));
        if self.only_target(1, at[1].block).is_none() && self.is_followed_by(node, at[0], conditions[1]) {
            return self.follow(node, 0, at);
        }
        let opposite = self.opposite(conditions[0]);
        let is_swapped = if self.terms.refines(conditions[0], conditions[1]) {
            false
        } else if self.terms.refines(opposite, conditions[1]) {
            true
        } else if let Some(number) = (0..2).find(|&number| self.only_target(number, at[number].block).is_some()) {
            return self.follow(node, number, at);
        } else {
            self.product.unequal.push((conditions[0], conditions[1]));
            let texts = conditions.map(|condition| self.terms.text(condition, SHOWN_DEPTH));
            let message = format!("a branch was on {} and is on {}", texts[0], texts[1]);
            return Err(self.fault(message, [Some(at[0].inst), Some(at[1].inst)]));
        };
        self.take_edges(node, at, is_swapped)
    }

    /// Whether the branch of the function before has only one target and is followed, without an event, by a branch on
    /// the condition that the function after branches on. Then the pass has removed the first branch and kept the
    /// second.
    fn is_followed_by(&mut self, node: u32, at: Position, condition: Term) -> bool {
        if self.only_target(0, at.block).is_none() {
            return false;
        }
        let edge = self.sides[0].func.edges_of(at.block).start;
        let mut walk = self.walk(0, node);
        let events = walk.machine.events.len();
        let mut next = walk.cross(edge);
        let mut stop = Stop::Join;
        let mut joins = 0;
        while stop == Stop::Join && joins < MOST_COMING {
            (next, stop) = walk.run(next, events, None);
            joins += 1;
        }
        let is_kept = stop == Stop::Branch && {
            let ours = walk.condition(next.block);
            self.terms.refines(ours, condition) || self.opposite(ours) == condition
        };
        self.run_side(0, node, events, Some(at));
        is_kept
    }

    fn opposite(&mut self, condition: Term) -> Term {
        let one = self.terms.constant(1, 1);
        self.terms.bitwise(super::Bitwise::Xor, condition, one)
    }

    /// Both functions are at the end of a block whose event decides between its edges: these must correspond.
    fn choose(&mut self, node: u32, at: [Position; 2]) -> Result<(), Failure> {
        let [before, after] = [0, 1].map(|number| {
            let func = self.sides[number].func;
            let edges = &func.edges[func.edges_of(at[number].block)];
            let labels: Vec<_> = edges.iter().map(|edge| edge.label).collect();
            (func.blocks[at[number].block as usize].term, labels)
        });
        if before != after {
            return Err(self.fault(
                "the edges of a switch or invoke differ".to_owned(),
                [Some(at[0].inst), Some(at[1].inst)],
            ));
        }
        self.take_edges(node, at, false)
    }

    /// Follows all edges of the two current blocks, in pairs; in opposite order if `is_swapped`.
    fn take_edges(&mut self, node: u32, at: [Position; 2], is_swapped: bool) -> Result<(), Failure> {
        let ranges = [0, 1].map(|number| self.sides[number].func.edges_of(at[number].block));
        let count = ranges[0].len();
        self.product.walks.iter_mut().for_each(|walk| walk.values.commit());
        for index in 0..count {
            let other = if is_swapped { count - 1 - index } else { index };
            let edges = [ranges[0].start + index, ranges[1].start + other];
            let mut targets = at;
            if index > 0 {
                // Undo the moves of the previous edge.
                for number in 0..2 {
                    self.product.walks[number].values.undo();
                }
            }
            for number in 0..2 {
                targets[number] = self.walk(number, node).cross(edges[number]);
            }
            self.arrive(u64::from(node) << 32 | index as u64, targets)?;
        }
        Ok(())
    }

    /// Arrives at a node with the live values of both walks; makes the node if there is none, and has it visited if it
    /// changes. `from` identifies the predecessor and its edge.
    fn arrive(&mut self, from: u64, at: [Position; 2]) -> Result<(), Failure> {
        let mut arrival = Arrival::default();
        for number in 0..2 {
            let side = self.sides[number];
            let mut places = Vec::new();
            self.product.live[number].for_each(&side, self.meaning, at[number], |place| places.push(place));
            let values = &self.product.walks[number].values;
            for place in places.into_iter().filter(|&place| side.is_followed(place)) {
                arrival[number].push((place, values.get(place, side.number, self.terms)));
            }
        }
        let count = self.product.nodes.len() as u32;
        let node = *self.product.numbers.entry(at).or_insert(count);
        if node == count {
            self.product.nodes.push(Node {
                at,
                knowledge: Knowledge::default(),
                is_waiting: false,
                successors: Vec::new(),
                fault: None,
            });
        }
        if let Some(predecessor) = self.product.nodes.get_mut((from >> 32) as usize) {
            predecessor.successors.push((from, node));
        }
        let data = &mut self.product.nodes[node as usize];
        self.merged_words += data.knowledge.word_count();
        if data.knowledge.arrive(from, arrival, node, self.terms) && !data.is_waiting {
            data.is_waiting = true;
            self.product.waiting.push_back(node);
        }
        Ok(())
    }

    fn fault(&self, message: String, insts: [Option<u32>; 2]) -> Failure {
        let place = |number: usize| {
            let side = &self.sides[number];
            let inst = insts[number]?;
            let block = side
                .func
                .blocks
                .iter()
                .position(|block| (block.start..block.end).contains(&inst));
            Some((block.unwrap_or(0) as u32, inst))
        };
        let name = |number: usize| {
            let side = &self.sides[number];
            let inst = side.func.insts.get(insts[number]? as usize)?;
            Some(op_desc(side.ops, inst.op).name.as_str())
        };
        let names = [name(0), name(1)].map(|name| name.unwrap_or("-"));
        Failure::Fault(TranslationFault {
            message: format!("{message} (`{}` and `{}`)", names[0], names[1]),
            before: place(0),
            after: place(1),
        })
    }
}
