//! Makes the graph of blocks simpler: fewer blocks, fewer branches, fewer phis.
//!
//! ```text
//! b0:                                          b0:
//!   v1 = icmp_sgt i32 v0, 0                      v1 = icmp_sgt i32 v0, 0
//!   branch v1, b1, b2                            branch v1, b1, b4
//! b1:                                          b1:
//!   v2 = icmp_slt i32 v0, 10                     v2 = icmp_slt i32 v0, 10
//!   jump b2                             ->       branch v2, b3, b4
//! b2:                                          b3:
//!   v3 = phi i1 [b0: false, b1: v2]              return 1
//!   branch v3, b3, b4                          b4:
//! b3:                                            return 0
//!   return 1
//! b4:
//!   return 0
//! ```
//!
//! Method: rounds of a few walks over the blocks, until nothing changes or eight rounds are over; each ends with one
//! commit. A round
//! * replaces phis whose operands are all the same;
//! * folds branches and switches that are decided, or whose targets are the same or undefined ([`terminators`]);
//! * leads edges past blocks of phis and a terminator that the edge decides ([`thread`]): empty blocks, and branches on
//!   a phi of constants as `&&` and `||` leave them;
//! * copies returns to calls that can then be tail calls ([`returns`]);
//! * makes a select of two arms that do next to nothing before they meet ([`convert`]);
//! * drops what the entry does not reach, and merges each block with the only one that leads to it.
//!
//! Costs: each round looks at the ends of blocks and at phis, not at other instructions. Gains: fewer jumps and
//! longer blocks, in which the passes that work block by block see more.

mod convert;
mod returns;
mod terminators;
mod thread;

use frazil_ir::pass::{FunctionPass, Level, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{Block, Editor, EntityRef, Function, Inst, InstData, Opcode, Operand};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "simplify-cfg",
    summary: "folds branches, leads edges past empty blocks, merges blocks, makes selects and tail calls of branches",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[],
};

/// What can be set.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// At most so many selects take the place of one branch; 0 for none.
    pub most_selects: u32,
    /// At most so many instructions are executed needlessly for a select.
    pub most_speculated: u32,
    /// Whether returns are copied to calls that can then be jumps.
    pub copies_returns: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            most_selects: 2,
            most_speculated: 1,
            copies_returns: true,
        }
    }
}

/// Simplification of the control flow graph.
#[derive(Debug)]
pub struct SimplifyCfg {
    options: Options,
}

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(options: Options) -> SimplifyCfg {
    SimplifyCfg { options }
}

/// More rounds find next to nothing.
const MOST_ROUNDS: u32 = 8;

impl FunctionPass for SimplifyCfg {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let mut state: Box<State> = cx.take_scratch();
        let mut editor: Box<Editor> = cx.take_scratch();
        state.options = self.options;
        state.counts = Counts::default();
        state.must_count = true;
        let mut changed = false;
        for _ in 0..MOST_ROUNDS {
            if !state.round(function, &mut editor) {
                break;
            }
            changed = true;
        }
        cx.count("phis replaced", state.counts.phis);
        cx.count("terminators folded", state.counts.terminators);
        cx.count("edges led past a block", state.counts.edges);
        cx.count("branches made selects", state.counts.selects);
        cx.count("returns copied", state.counts.returns);
        cx.count("blocks merged", state.counts.merged);
        cx.return_scratch(editor);
        cx.return_scratch(state);
        Ok(if changed {
            Preserved::none()
        } else {
            Preserved::unchanged()
        })
    }
}

/// How often something was done.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    phis: u64,
    terminators: u64,
    edges: u64,
    selects: u64,
    returns: u64,
    merged: u64,
}

/// Which of the simplifications a block may be a candidate for, by its size and terminator.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    /// Phis and a terminator that can be passed: it may be thin.
    is_bare: bool,
    /// Few enough instructions, and a jump: it may be an arm of a diamond.
    is_short: bool,
    /// Phis and a return.
    is_return: bool,
}

/// Memory of the pass; what is said of blocks is by their number at the beginning of a round.
#[derive(Debug, Default)]
struct State {
    options: Options,
    counts: Counts,
    /// Whether a block got edges, or operands on edges, that it did not have at the beginning of the round.
    gained: Vec<bool>,
    /// Whether a block's terminator leads elsewhere than at the beginning of the round.
    led_away: Vec<bool>,
    /// What each block looks like.
    shapes: Vec<Shape>,
    /// Whether any edge was led elsewhere in this round, or some block may be out of reach anyway.
    must_count: bool,
    /// How many edges from reachable blocks lead to each block; for unreachable ones 0.
    live_edges: Vec<u32>,
    stack: Vec<Block>,
    thin: thread::ThinBlocks,
}

impl State {
    /// One round; whether anything changed.
    fn round(&mut self, f: &mut Function, editor: &mut Editor) -> bool {
        editor.begin(f);
        self.gained.clear();
        self.gained.resize(f.blocks().len(), false);
        self.led_away.clear();
        self.led_away.resize(f.blocks().len(), false);
        self.shapes.clear();
        for block in f.block_ids() {
            self.simplify_block(f, editor, block);
        }
        if self.shapes.iter().any(|shape| shape.is_bare) {
            self.thread_edges(f, editor);
        }
        if !editor.keeps_blocks() {
            if self.options.copies_returns && self.shapes.iter().any(|shape| shape.is_return) {
                self.copy_returns(f, editor);
            }
            self.count_live_edges(f, editor);
            if self.options.most_selects > 0 && self.shapes.iter().any(|shape| shape.is_short) {
                self.convert_branches(f, editor);
            }
            self.merge_blocks(f, editor);
        }
        let changed = editor.has_edits();
        editor.commit(f);
        self.must_count = false;
        changed
    }

    /// Replaces the phis of a block that have one operand, whichever way they are reached, and makes its terminator
    /// simpler.
    fn simplify_block(&mut self, f: &mut Function, editor: &mut Editor, block: Block) {
        let range = f.block_insts(block);
        let (mut position, last) = (range.start, range.end - 1);
        let mut most_insts = last - position;
        while f.insts()[position].op == Opcode::Phi {
            let data = f.insts()[position];
            if let Some(only) = only_operand(f, editor, &data) {
                let phi = data.first_result().expect("a phi has a result");
                editor.replace_uses(f, phi, only);
                editor.remove(f, Inst::new(position));
                self.counts.phis += 1;
                most_insts -= 1;
            }
            position += 1;
        }
        self.fold_terminator(f, editor, block);
        let op = f.insts()[last].op;
        self.shapes.push(Shape {
            is_bare: position == last && matches!(op, Opcode::Jump | Opcode::Branch | Opcode::Switch),
            is_short: op == Opcode::Jump && most_insts <= self.options.most_speculated as usize,
            is_return: position == last && op == Opcode::Return,
        });
    }

    /// Counts edges as the terminators are now, from blocks that the entry reaches.
    fn count_live_edges(&mut self, f: &Function, editor: &mut Editor) {
        let edges = &mut self.live_edges;
        edges.clear();
        if !self.must_count {
            let counts = f.block_ids().map(|block| f.predecessors(block).len() as u32);
            return edges.extend(counts);
        }
        edges.resize(f.blocks().len(), 0);
        self.stack.push(Block::new(0));
        while let Some(block) = self.stack.pop() {
            f.for_each_target(f.inst(f.terminator(block)), |target| {
                edges[target.index()] += 1;
                if edges[target.index()] == 1 {
                    self.stack.push(target);
                }
            });
        }
        if edges[1..].contains(&0) {
            editor.drop_unreachable();
        }
    }

    /// Appends blocks to those that alone lead to them.
    fn merge_blocks(&mut self, f: &mut Function, editor: &mut Editor) {
        for above in f.block_ids() {
            if above.index() > 0 && self.live_edges[above.index()] == 0 {
                continue;
            }
            // Nothing was appended to it yet.
            let mut terminator = Some(f.terminator(above));
            while let Some(below) = terminator.and_then(|last| self.only_successor(f.inst(last), above)) {
                editor.merge_blocks(f, above, below);
                // Nobody asks for its terminator again, nor merges it a second time.
                self.live_edges[below.index()] = 0;
                self.counts.merged += 1;
                terminator = editor.terminator_of(f, above);
            }
        }
    }

    /// The block that can be appended to `above`, or to what was appended to it already, which ends with `last`.
    fn only_successor(&self, last: &InstData, above: Block) -> Option<Block> {
        if last.op != Opcode::Jump {
            return None;
        }
        let below = last.target();
        let fits = below != above && self.live_edges[below.index()] == 1 && !self.gained[below.index()];
        fits.then_some(below)
    }
}

/// The operand that all columns of a phi have but for those that name the phi itself.
fn only_operand(f: &Function, editor: &mut Editor, phi: &InstData) -> Option<Operand> {
    let itself = Operand::value(phi.first_result()?);
    let mut only = None;
    for &operand in f.list(phi) {
        let operand = editor.resolve(operand);
        if operand == itself || only == Some(operand) {
            continue;
        }
        if only.is_some() {
            return None;
        }
        only = Some(operand);
    }
    only
}
