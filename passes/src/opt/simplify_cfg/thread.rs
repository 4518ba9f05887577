//! Leads edges past *thin* blocks: phis, and a terminator that the edge decides.
//!
//! A thin block's phis are read by its terminator and by phis of the blocks after it, and by nothing else, so that
//! going around it leaves no use without its definition. An edge into it is decided if the block jumps, or branches on
//! a phi that is a constant on this edge. The phis after it take on the new edge what they would have been given.
//!
//! Not done: where a header of a loop would get more entries or a header be passed, so that loops keep their form;
//! where the block after it would need two different operands for one edge. After the block that is passed, blocks that
//! only jump are passed with it, as far as the limit of a chain goes; other thin ones are in the next round.

use super::State;
use crate::constants::int_value;
use frazil_ir::{Block, Editor, EntityRef, Function, InstData, Opcode, Operand};
use frazil_support::EpochMap;

/// A switch of more cases is not searched for each edge.
const MOST_CASES: usize = 256;

/// An edge passes at most so many blocks in a round.
const MOST_PASSED: u32 = 8;

/// Where an edge can lead instead.
#[derive(Clone, Copy)]
struct Way {
    /// The block after those that are passed.
    to: Block,
    /// The last one that is passed, whose edge to `to` says what the phis there take.
    last: Block,
}

/// What is known of thin blocks, and memory for finding out.
#[derive(Debug, Default)]
pub(super) struct ThinBlocks {
    /// Whether a block is thin, if it was asked for in this round.
    known: EpochMap<bool>,
    /// Uses of a block's phis that are not accounted for, in their order.
    uses: Vec<u32>,
    /// The targets that a block's terminator names now, and those it will, with the columns of edges that exist.
    named: EpochMap<Option<u32>>,
    /// Where the edges of a block shall lead.
    led: EpochMap<u32>,
}

impl State {
    /// Leads all edges past thin blocks that can be.
    pub(super) fn thread_edges(&mut self, f: &mut Function, editor: &mut Editor) {
        self.thin.known.reset(f.blocks().len());
        for from in f.block_ids() {
            let data = *f.inst(f.terminator(from));
            if !matches!(data.op, Opcode::Jump | Opcode::Branch | Opcode::Switch) || !self.may_pass(f, &data) {
                continue;
            }
            self.thin.named.reset(f.blocks().len());
            self.thin.led.reset(f.blocks().len());
            f.for_each_target(&data, |target| self.thin.named.set(target.index(), None));
            for edge in f.cfg().successors(from) {
                if self.thin.named.get(edge.target.index()).is_some() {
                    self.thin.named.set(edge.target.index(), Some(edge.column));
                }
            }
            let mut count = 0;
            for index in 0..f.cfg().successors(from).len() {
                let edge = f.cfg().successors(from)[index];
                if self.thin.named.get(edge.target.index()).is_none() {
                    continue;
                }
                if let Some(way) = self.way_past(f, editor, edge.target, edge.column as usize) {
                    self.lead(f, editor, from, edge.target, edge.column as usize, way);
                    count += 1;
                }
            }
            if count > 0 {
                let led = &self.thin.led;
                editor.retarget_all(f, from, |target| {
                    led.get(target.index()).map_or(target, |to| Block::new(to as usize))
                });
                self.led_away[from.index()] = true;
                self.must_count = true;
                self.counts.edges += count;
            }
        }
    }

    /// Whether a terminator leads to a block that may be thin.
    fn may_pass(&self, f: &Function, terminator: &InstData) -> bool {
        let mut may_pass = false;
        f.for_each_target(terminator, |target| may_pass |= self.shapes[target.index()].is_bare);
        may_pass
    }

    /// Where an edge into `past`, whose phis it feeds in `column`, can lead instead.
    fn way_past(&mut self, f: &Function, editor: &mut Editor, past: Block, column: usize) -> Option<Way> {
        if !self.shapes[past.index()].is_bare || self.led_away[past.index()] || !self.is_thin(f, editor, past) {
            return None;
        }
        let data = f.inst(f.terminator(past));
        if data.op != Opcode::Jump && is_header(f, past) {
            return None;
        }
        let (mut to, mut last) = (decided(f, editor, past, column, data)?, past);
        let mut is_jump = data.op == Opcode::Jump;
        let mut found = None;
        for _ in 0..MOST_PASSED {
            if to == past || is_jump && is_header(f, to) {
                break;
            }
            let agrees = match self.thin.named.get(to.index()) {
                None => true,
                Some(own) => !has_phis(f, to) || would_agree(f, editor, own, (past, column), last, to),
            };
            if agrees {
                found = Some(Way { to, last });
            }
            let only_jumps = self.shapes[to.index()].is_bare && f.block_insts(to).len() == 1;
            let next = f.inst(f.terminator(to));
            if !only_jumps || next.op != Opcode::Jump || self.led_away[to.index()] {
                break;
            }
            (last, to, is_jump) = (to, next.target(), true);
        }
        found
    }

    fn is_thin(&mut self, f: &Function, editor: &mut Editor, block: Block) -> bool {
        if let Some(known) = self.thin.known.get(block.index()) {
            return known;
        }
        let thin = self.check_thin(f, editor, block);
        self.thin.known.set(block.index(), thin);
        thin
    }

    fn check_thin(&mut self, f: &Function, editor: &mut Editor, block: Block) -> bool {
        let range = f.block_insts(block);
        let (first, last) = (range.start, range.end - 1);
        let uses = &mut self.thin.uses;
        uses.clear();
        uses.extend(f.insts()[first..last].iter().map(|data| match data.first_result() {
            Some(phi) => f.use_count(phi),
            None => 0,
        }));
        let mut account = |operand: Operand| {
            let def = operand.as_value().and_then(|value| f.def_inst(value));
            if let Some(index) = def.and_then(|def| def.index().checked_sub(first))
                && index < last - first
            {
                uses[index] -= 1;
            }
        };
        f.for_each_operand(&f.insts()[last], |operand| account(editor.resolve(operand)));
        for edge in f.cfg().successors(block) {
            for phi in phis(f, edge.target) {
                account(editor.resolve(f.list(phi)[edge.column as usize]));
            }
        }
        uses.iter().all(|&uses| uses == 0)
    }

    /// Notes that the edge from `from` to `past` is threaded to another block, and what the phis there take.
    fn lead(&mut self, f: &mut Function, editor: &mut Editor, from: Block, past: Block, column: usize, way: Way) {
        let Way { to, last } = way;
        self.thin.led.set(past.index(), to.as_u32());
        self.gained[to.index()] = true;
        let is_new = self.thin.named.get(to.index()).is_none();
        if is_new {
            self.thin.named.set(to.index(), None);
        }
        if !is_new || !has_phis(f, to) {
            return;
        }
        if !has_phis(f, past) {
            return editor.copy_edge(to, from, last);
        }
        let theirs = column_of(f, last, to).expect("the block leads there");
        for position in f.block_insts(to) {
            let data = f.insts()[position];
            match data.op {
                Opcode::Phi => {
                    let operand = operand_past(f, editor, past, column, f.list(&data)[theirs]);
                    let phi = data.first_result().expect("a phi has a result");
                    editor.set_edge_operand(f, to, from, phi, operand);
                }
                Opcode::Nop => {}
                _ => break,
            }
        }
    }
}

/// Whether the phis of `to` take in column `own`, of an edge that exists, what they would take from `last` when `past`
/// was entered by the edge of this column.
fn would_agree(
    f: &Function,
    editor: &mut Editor,
    own: Option<u32>,
    (past, column): (Block, usize),
    last: Block,
    to: Block,
) -> bool {
    let (Some(own), Some(theirs)) = (own, column_of(f, last, to)) else {
        return false;
    };
    phis(f, to).all(|phi| {
        let list = f.list(phi);
        editor.resolve(list[own as usize]) == operand_past(f, editor, past, column, list[theirs])
    })
}

/// Where a thin block goes when it is entered by the edge of this column.
fn decided(f: &Function, editor: &mut Editor, past: Block, column: usize, data: &InstData) -> Option<Block> {
    if data.op == Opcode::Jump {
        return Some(data.target());
    }
    let condition = editor.resolve(data.a);
    let value = int_value(f, operand_past(f, editor, past, column, condition))?;
    if data.op == Opcode::Branch {
        return Some(if value == 0 { data.else_target() } else { data.target() });
    }
    let (default, cases) = f.switch(data);
    if cases.len() > 2 * MOST_CASES {
        return None;
    }
    let taken = cases.chunks_exact(2).find(|case| int_value(f, case[0]) == Some(value));
    Some(taken.map_or(default, |case| Block::new(case[1].as_raw() as usize)))
}

/// What an operand is after a thin block that was entered by the edge of this column.
fn operand_past(f: &Function, editor: &mut Editor, past: Block, column: usize, operand: Operand) -> Operand {
    let operand = editor.resolve(operand);
    let def = operand.as_value().and_then(|value| f.def_inst(value));
    match def {
        Some(def) if f.block_insts(past).contains(&def.index()) && f.inst(def).op == Opcode::Phi => {
            editor.resolve(f.list(f.inst(def))[column])
        }
        _ => operand,
    }
}

/// The phis of a block; those removed in this round are left out.
fn phis(f: &Function, block: Block) -> impl Iterator<Item = &InstData> {
    let insts = f.insts()[f.block_insts(block)].iter();
    insts
        .take_while(|data| matches!(data.op, Opcode::Phi | Opcode::Nop))
        .filter(|data| data.op == Opcode::Phi)
}

fn has_phis(f: &Function, block: Block) -> bool {
    phis(f, block).next().is_some()
}

/// The column of an edge that existed at the beginning of the round.
fn column_of(f: &Function, from: Block, to: Block) -> Option<usize> {
    let edge = f.cfg().successors(from).iter().find(|edge| edge.target == to)?;
    Some(edge.column as usize)
}

/// Whether a block seems to be a header of a loop: something leads back to it, in the order of blocks.
fn is_header(f: &Function, block: Block) -> bool {
    f.predecessors(block).last().is_some_and(|&from| from >= block)
}
