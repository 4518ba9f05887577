//! The pre-headers of loops: the ones that are there, and new ones where there are none.

use frazil_ir::edit::Editor;
use frazil_ir::loops::LoopTree;
use frazil_ir::{Block, EntityRef, Function, Loop, Opcode};

/// The pre-headers asked for during one batch of edits.
#[derive(Debug, Default)]
pub struct Preheaders {
    blocks: Vec<Option<Block>>,
    outside: Vec<Block>,
    made: u64,
}

impl Preheaders {
    /// Begins with a function.
    pub fn begin(&mut self, loops: &LoopTree) {
        self.blocks.clear();
        self.blocks.extend(loops.loops().map(|id| loops.data(id).preheader));
        self.made = 0;
    }

    /// How many were made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// The pre-header of a loop that can have one. A new one takes over the edges from outside of the loop.
    pub fn get(&mut self, function: &mut Function, loops: &LoopTree, editor: &mut Editor, id: Loop) -> Block {
        if let Some(block) = self.blocks[id.index()] {
            return block;
        }
        let header = loops.data(id).header;
        let predecessors = function.predecessors(header).iter().copied();
        self.outside.clear();
        self.outside
            .extend(predecessors.filter(|&from| !loops.contains(id, from)));
        let block = editor.split_predecessors(function, header, &self.outside);
        self.blocks[id.index()] = Some(block);
        self.made += 1;
        block
    }
}

/// Whether a loop has a pre-header or can get one: it is entered at its header alone, through edges that can be split.
pub fn can_have_preheader(function: &Function, loops: &LoopTree, editor: &Editor, id: Loop) -> bool {
    let data = loops.data(id);
    if data.irreducible || data.preheader.is_some() {
        return !data.irreducible;
    }
    let behind_phis = function.insts()[function.block_insts(data.header)]
        .iter()
        .find(|data| data.op != Opcode::Phi);
    if behind_phis.is_some_and(|data| data.op == Opcode::LandingPad) {
        return false;
    }
    let mut predecessors = function.predecessors(data.header).iter();
    predecessors.all(|&from| loops.contains(id, from) || editor.can_split_edge(function, from, data.header))
}
