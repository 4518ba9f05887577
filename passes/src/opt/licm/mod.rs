//! Loop-invariant code motion: what gives the same in every round of a loop is computed once, before it.
//!
//! ```text
//! b0:                                b0:
//!   jump b1                            v3 = mul i32 v0, v0
//! b1:                                  jump b1
//!   v2 = phi i32 [b0: 0, b1: v4]     b1:
//!   v3 = mul i32 v0, v0         =>     v2 = phi i32 [b0: 0, b1: v4]
//!   v4 = add i32 v2, v3                v4 = add i32 v2, v3
//!   v5 = icmp_slt i32 v4, 1000         v5 = icmp_slt i32 v4, 1000
//!   branch v5, b1, b2                  branch v5, b1, b2
//! ```
//!
//! Method: three walks. The first, in reverse postorder, finds for each instruction the outermost loop in which its
//! operands, as far as they can be moved themselves, do not change. The second goes back from uses to definitions and
//! decides: what is costly moves, what is cheap moves while the loop has registers left (option `max-hoisted`), what
//! costs nothing where it is (parts of addresses, comparisons before branches, truncations) moves only with something
//! that needs it. The third moves, to the pre-header of that loop; where there is none, it is made.
//!
//! A load moves if nothing in the loop may write its bytes and it cannot fault where it was not made before: it reads
//! a stack slot or data of this module, or the loop always gets to it. The same holds for divisions. A loop that is
//! entered at several blocks keeps what it has. At most eight loops are left by one instruction.
//!
//! Costs: the walks over the instructions in loops; a register for what is moved, while the loop runs. Gains: optimized
//! input has been through such a pass, but not the parts of addresses, nor what later passes find; in unoptimized input
//! whole computations.
//!
//! Source: Muchnick, "Advanced Compiler Design and Implementation", 13.2, for the conditions.

mod invariant;
mod loop_facts;

use crate::memory::calls_something_returning_twice;
use crate::memory::private::PrivateSlots;
use crate::preheaders::Preheaders;
use frazil_ir::domtree::DomTree;
use frazil_ir::edit::Editor;
use frazil_ir::loops::LoopTree;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved, TargetFacts};
use frazil_ir::{Block, EntityRef, Format, Function, Inst, InstData, Loop, Module, Opcode, Operand};
use invariant::{Cost, cost};
use loop_facts::LoopFacts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "licm",
    summary: "moves what does not change in a loop before it",
    level: Level::Function,
    required: false,
    after: &[Order {
        pass: "mem2reg",
        reason: "variables in memory change as far as anyone can see",
    }],
    before: &[
        Order {
            pass: "addr-fold",
            reason: "it would move the addresses that were copied to their users",
        },
        Order {
            pass: "cmp-sink",
            reason: "it would move the comparisons that were copied to their users",
        },
    ],
};

/// What a recipe can set for `licm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// How many cheap values at most are kept for a loop; of costly ones twice as many.
    pub max_hoisted: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { max_hoisted: 6 }
    }
}

/// Loop-invariant code motion.
#[derive(Debug)]
pub struct Licm {
    options: Options,
}

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(options: Options) -> Licm {
    Licm { options }
}

/// Loops around an instruction that are examined.
const MOST_LEVELS: usize = 8;

/// Not in a loop, or not to be moved.
const NONE: u32 = u32::MAX;

/// Memory that is kept from function to function.
#[derive(Default)]
struct Scratch {
    editor: Editor,
    private: PrivateSlots,
    facts: LoopFacts,
    /// Whether `private` and `facts` are about this function.
    has_facts: bool,
    /// Whether anything can leave a loop.
    has_targets: bool,
    order: Vec<Block>,
    /// The innermost loop in which each value is defined, or would be after its motion.
    levels: Vec<u32>,
    /// The innermost loop in which each value is defined.
    homes: Vec<u32>,
    /// Whether each value is used for more than addresses of accesses.
    is_number: Vec<bool>,
    /// The outermost loop that each instruction can leave.
    targets: Vec<u32>,
    /// Whether something that moves needs each value outside of the loop that it can leave.
    wanted: Vec<bool>,
    /// Values kept for each loop.
    kept: Vec<u32>,
    preheaders: Preheaders,
}

impl FunctionPass for Licm {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let analyses = cx.analyses;
        let loops = analyses.get::<LoopTree>(function);
        if loops.loops().next().is_none() {
            return Ok(Preserved::unchanged());
        }
        let mut scratch: Box<Scratch> = cx.take_scratch();
        let tree = analyses.get::<DomTree>(function);
        scratch.order.clear();
        scratch.order.extend(tree.reverse_postorder());
        let mut motion = Motion {
            s: &mut scratch,
            f: function,
            module: cx.module,
            target: cx.target,
            loops,
            tree,
            options: self.options,
        };
        let (moved, made) = motion.run();
        cx.return_scratch(scratch);
        cx.count("moved", moved);
        cx.count("pre-headers made", made);
        Ok(match (moved, made) {
            (0, _) => Preserved::unchanged(),
            (_, 0) => Preserved::cfg(),
            _ => Preserved::none(),
        })
    }
}

struct Motion<'a> {
    s: &'a mut Scratch,
    f: &'a mut Function,
    module: &'a Module,
    target: &'a TargetFacts,
    loops: &'a LoopTree,
    tree: &'a DomTree,
    options: Options,
}

impl Motion<'_> {
    /// Returns how many instructions were moved and how many pre-headers made.
    fn run(&mut self) -> (u64, u64) {
        self.s.editor.begin(self.f);
        self.prepare();
        for number in 0..self.s.order.len() {
            self.find_targets(self.s.order[number]);
        }
        if !self.s.has_targets {
            return (0, 0);
        }
        for number in (0..self.s.order.len()).rev() {
            self.decide(self.s.order[number]);
        }
        let mut moved = 0;
        for number in 0..self.s.order.len() {
            self.move_out(self.s.order[number], &mut moved);
        }
        self.s.editor.commit(self.f);
        (moved, self.s.preheaders.made())
    }

    fn prepare(&mut self) {
        let s = &mut *self.s;
        let (values, insts) = (self.f.values().len(), self.f.insts().len());
        let loops = self.loops.loops().count();
        s.levels.clear();
        s.levels.resize(values, NONE);
        s.targets.clear();
        s.targets.resize(insts, NONE);
        s.homes.clear();
        s.homes.resize(values, NONE);
        for flags in [&mut s.wanted, &mut s.is_number] {
            flags.clear();
            flags.resize(values, false);
        }
        s.kept.clear();
        s.kept.resize(loops, 0);
        s.preheaders.begin(self.loops);
        (s.has_facts, s.has_targets) = (false, false);
    }

    /// Finds out what happens in the loops, once something could leave one.
    fn need_facts(&mut self) {
        let s = &mut *self.s;
        if std::mem::replace(&mut s.has_facts, true) {
            return;
        }
        s.private.compute(self.f, self.tree);
        let returns_twice = calls_something_returning_twice(self.f);
        s.facts.compute(
            self.f,
            self.module,
            self.loops,
            self.tree,
            (&s.private, &mut s.editor),
            returns_twice,
        );
    }

    /// Finds what can be moved out of the loops around a block.
    fn find_targets(&mut self, block: Block) {
        let Some(innermost) = self.loops.innermost(block) else {
            return;
        };
        for position in self.f.block_insts(block) {
            let data = self.f.insts()[position];
            let mut level = innermost.as_u32();
            if invariant::is_candidate(self.f, &data)
                && let Some(outermost) = self.outermost(position, block, innermost)
            {
                self.s.targets[position] = outermost.as_u32();
                self.s.has_targets = true;
                level = self.loops.data(outermost).parent.map_or(NONE, |parent| parent.as_u32());
            }
            for result in self.f.results(&data) {
                self.s.levels[result.index()] = level;
                self.s.homes[result.index()] = innermost.as_u32();
            }
        }
    }

    /// The outermost loop that an instruction in the loop `innermost` can leave.
    fn outermost(&mut self, position: usize, block: Block, innermost: Loop) -> Option<Loop> {
        let data = self.f.insts()[position];
        // The depth of the deepest loop around both the instruction and an operand.
        let mut common = 0;
        self.f.for_each_operand(&data, |operand| {
            common = common.max(self.common_depth(operand, innermost));
        });
        if common >= self.loops.data(innermost).depth {
            return None;
        }
        self.need_facts();
        let access = invariant::needs_care(self.f, &data).then(|| self.access(&data));
        let mut found = None;
        let mut at = Some(innermost);
        for _ in 0..MOST_LEVELS {
            let Some(id) = at.filter(|&id| self.loops.data(id).depth > common) else {
                break;
            };
            if let Some(access) = &access
                && !self.s.facts.allows(self.tree, id, access, block)
            {
                break;
            }
            if self.s.facts.can_leave(id) {
                found = Some(id);
            }
            at = self.loops.data(id).parent;
        }
        found
    }

    /// The depth of the deepest loop around `innermost`, or it itself, in which an operand is defined.
    fn common_depth(&self, operand: Operand, innermost: Loop) -> u32 {
        let Some(value) = operand.as_value() else { return 0 };
        let mut level = self.s.levels[value.index()];
        if level == innermost.as_u32() {
            return self.loops.data(innermost).depth;
        }
        let header = self.loops.data(innermost).header;
        for _ in 0..MOST_LEVELS {
            if level == NONE {
                return 0;
            }
            let id = Loop::new(level as usize);
            if self.loops.contains(id, header) {
                return self.loops.data(id).depth;
            }
            level = self.loops.data(id).parent.map_or(NONE, |parent| parent.as_u32());
        }
        u32::MAX
    }

    fn access(&mut self, data: &InstData) -> loop_facts::Access {
        let s = &mut *self.s;
        loop_facts::Access::new(self.f, self.module, data, &s.private, &mut s.editor)
    }

    /// Decides for the instructions of a block, whose uses were all seen before, whether they move.
    fn decide(&mut self, block: Block) {
        let innermost = self.loops.innermost(block);
        for position in self.f.block_insts(block).rev() {
            let data = self.f.insts()[position];
            self.note_numbers(&data);
            let target = self.s.targets[position];
            let Some(innermost) = innermost.filter(|_| target != NONE) else {
                continue;
            };
            let is_wanted = self.f.results(&data).any(|result| self.s.wanted[result.index()]);
            if !is_wanted && !self.is_worthwhile(&data, innermost, target) {
                self.s.targets[position] = NONE;
                continue;
            }
            let (f, loops, s) = (&*self.f, self.loops, &mut *self.s);
            f.for_each_operand(&data, |operand| {
                if let Some(value) = operand.as_value() {
                    let home = s.homes[value.index()];
                    let is_inside = home != NONE && {
                        let header = loops.data(Loop::new(home as usize)).header;
                        loops.contains(Loop::new(target as usize), header)
                    };
                    s.wanted[value.index()] |= is_inside;
                }
            });
        }
    }

    /// Notes which operands an instruction needs in registers, not only as parts of an address.
    fn note_numbers(&mut self, data: &InstData) {
        let (f, s) = (&*self.f, &mut *self.s);
        let address = match data.op {
            Opcode::Load | Opcode::AtomicLoad => data.a,
            Opcode::Store | Opcode::AtomicStore => data.b,
            Opcode::PtrAdd | Opcode::PtrIndex if !s.is_number[data.result as usize] => data.a,
            _ => Operand::NONE,
        };
        let mut note = |operand: Operand| {
            if let Some(value) = operand.as_value() {
                s.is_number[value.index()] = true;
            }
        };
        match data.op.format() {
            // An access may store its own address, too.
            Format::Unary | Format::Binary if address == data.a => note(data.b),
            Format::Unary | Format::Binary => {
                note(data.a);
                if address.is_none() {
                    note(data.b);
                }
            }
            _ => f.for_each_operand(data, note),
        }
    }

    /// Whether an instruction should leave its loops for its own sake; then a register of each is spent.
    fn is_worthwhile(&mut self, data: &InstData, innermost: Loop, target: u32) -> bool {
        let is_number = self.f.results(data).any(|result| self.s.is_number[result.index()]);
        let room = match cost(self.f, self.target, data, is_number) {
            Cost::Free => return false,
            Cost::Cheap => self.options.max_hoisted,
            Cost::High => self.options.max_hoisted * 2,
        };
        let kept = &mut self.s.kept[innermost.index()];
        if *kept >= room {
            return false;
        }
        *kept += 1;
        let mut at = innermost;
        for _ in 0..MOST_LEVELS {
            if at.as_u32() == target {
                break;
            }
            let Some(parent) = self.loops.data(at).parent else {
                break;
            };
            at = parent;
            self.s.kept[at.index()] += 1;
        }
        true
    }

    fn move_out(&mut self, block: Block, moved: &mut u64) {
        if self.loops.innermost(block).is_none() {
            return;
        }
        for position in self.f.block_insts(block) {
            let target = self.s.targets[position];
            if target == NONE {
                continue;
            }
            let (s, id) = (&mut *self.s, Loop::new(target as usize));
            let preheader = s.preheaders.get(self.f, self.loops, &mut s.editor, id);
            self.s.editor.move_to_end(self.f, Inst::new(position), preheader);
            *moved += 1;
        }
    }
}
