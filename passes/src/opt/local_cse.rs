//! Common subexpressions: what was computed before is not computed again.
//!
//! ```text
//! v2 = ptr_index scale 24 v0, v1         v2 = ptr_index scale 24 v0, v1
//! v3 = ptr_add v2, 8                     v3 = ptr_add v2, 8
//! v4 = ptr_index scale 24 v0, v1    =>   v5 = ptr_add v2, 16
//! v5 = ptr_add v4, 16
//! ```
//!
//! Method: the blocks are walked in preorder of the dominator tree, and every pure instruction is looked up in one hash
//! table by operation, type and operands, the operands being named by what replaces them. An instruction that is found
//! is replaced if the found one dominates it; otherwise it takes its place, since in this order what does not dominate
//! a block dominates none of the later ones either. Operands of commutative operations are sorted and comparisons
//! turned the same way around. A pair keeps the promises (wrap, exact, fast-math flags) that both make. Phis of one
//! block are compared too, and so are constants, by their contents.
//!
//! Costs: one hash and one probe for each instruction. Gains: the parts of addresses that `getelementptr`s share, which
//! no earlier compiler could see as instructions of their own; in unoptimized input about a tenth of all instructions.
//! It lengthens live ranges; the passes that bring addresses and comparisons back to their users come later.
//!
//! What it does not do: loads (`redundant-load`), and what is equal only by algebra.
//!
//! Source: LLVM's EarlyCSE; the scoping by dominance tests instead of a stack of scopes is our own.

use crate::equal_constants::EqualConstants;
use frazil_ir::analysis::AnalysisCache;
use frazil_ir::domtree::DomTree;
use frazil_ir::edit::Editor;
use frazil_ir::flags::{FlagKind, flag_kind};
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{Block, Effects, EntityRef, Format, Function, Inst, InstData, Opcode, Operand, Value};
use frazil_support::{IdTable, WordHasher};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "local-cse",
    summary: "computes common subexpressions once",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[
        Order {
            pass: "addr-fold",
            reason: "it would join again the addresses that were copied to their users",
        },
        Order {
            pass: "cmp-sink",
            reason: "it would join again the comparisons that were copied to their users",
        },
    ],
};

/// How far an expression is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// In the same block.
    Block,
    /// In all blocks that dominate it.
    #[default]
    Tree,
}

/// What a recipe can set for `local-cse`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// How far an expression is looked for.
    pub scope: Scope,
    /// At most this many instructions back, in the order of the text; 0 for any number.
    pub window: u32,
}

/// Local common subexpression elimination.
#[derive(Debug)]
pub struct LocalCse {
    options: Options,
}

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(options: Options) -> LocalCse {
    LocalCse { options }
}

/// Memory that is kept from function to function.
#[derive(Default)]
struct Scratch {
    editor: Editor,
    table: IdTable,
    /// What replaces each value; itself if nothing does.
    leaders: Vec<Value>,
    constants: EqualConstants,
    order: Vec<Block>,
    /// The block of each instruction that was entered.
    blocks: Vec<Block>,
}

impl FunctionPass for LocalCse {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let mut scratch: Box<Scratch> = cx.take_scratch();
        let removed = self.walk(function, cx.analyses, &mut scratch);
        cx.return_scratch(scratch);
        cx.count("removed", removed);
        Ok(if removed > 0 {
            Preserved::cfg()
        } else {
            Preserved::unchanged()
        })
    }
}

impl LocalCse {
    /// Replaces what is found, and returns how many instructions that were.
    fn walk(&self, function: &mut Function, analyses: &AnalysisCache, scratch: &mut Scratch) -> u64 {
        let dominators = analyses.get::<DomTree>(function);
        scratch.constants.compute(function);
        scratch.leaders.clear();
        scratch.leaders.extend((0..function.values().len()).map(Value::new));
        scratch.blocks.clear();
        scratch.blocks.resize(function.insts().len(), Block::new(0));
        scratch.table.reset(function.insts().len());
        scratch.editor.begin(function);
        dominators.preorder(&mut scratch.order);
        let mut removed = 0;
        for number in 0..scratch.order.len() {
            let block = scratch.order[number];
            for position in function.block_insts(block) {
                let data = function.insts()[position];
                if !is_candidate(function, &data) {
                    continue;
                }
                scratch.blocks[position] = block;
                let Some(found) = self.look_up(function, dominators, scratch, position) else {
                    continue;
                };
                let leader = function.insts()[found];
                if matches!(flag_kind(data.op), FlagKind::Int(_) | FlagKind::Fast) {
                    let common = function.insts()[found].flags & data.flags;
                    function.set_flags(Inst::new(found), common);
                }
                for (old, new) in function.results(&data).zip(function.results(&leader)) {
                    scratch.leaders[old.index()] = new;
                    scratch.editor.replace_uses(function, old, new.into());
                }
                scratch.editor.remove(function, Inst::new(position));
                removed += 1;
            }
        }
        if removed > 0 {
            scratch.editor.commit(function);
        }
        removed
    }

    /// The position of an equal instruction whose results can be used here; if there is none, later ones will find
    /// this one.
    fn look_up(
        &self,
        function: &Function,
        dominators: &DomTree,
        scratch: &mut Scratch,
        position: usize,
    ) -> Option<usize> {
        let Scratch {
            table,
            leaders,
            constants,
            blocks,
            ..
        } = scratch;
        let names = Names { leaders, constants };
        let (here, data) = (blocks[position], &function.insts()[position]);
        let hash = names.hash(function, data, here);
        let is_equal = |other: u32| {
            let there = &function.insts()[other as usize];
            names.are_equal(function, data, there) && (data.op != Opcode::Phi || blocks[other as usize] == here)
        };
        let found = table.find_or_insert(hash, position as u32, is_equal) as usize;
        if found == position {
            return None;
        }
        let is_in_scope = match self.options.scope {
            Scope::Block => blocks[found] == here,
            Scope::Tree => dominators.dominates(blocks[found], here),
        };
        let window = self.options.window as usize;
        if is_in_scope && (window == 0 || position.abs_diff(found) <= window) {
            return Some(found);
        }
        table.replace(hash, position as u32, is_equal);
        None
    }
}

/// Whether an instruction gives the same results wherever it has the same operands, and is worth looking up.
fn is_candidate(function: &Function, data: &InstData) -> bool {
    let repeatable = matches!(data.op.effects(), Effects::Pure | Effects::Trap);
    repeatable && data.op != Opcode::Nop && data.first_result().is_some_and(|first| function.use_count(first) > 0)
        || repeatable && function.result_count(data) > 1
}

/// The names by which operands are compared.
struct Names<'a> {
    leaders: &'a [Value],
    constants: &'a EqualConstants,
}

impl Names<'_> {
    fn operand(&self, operand: Operand) -> Operand {
        match operand.as_value() {
            Some(value) => self.leaders[value.index()].into(),
            None => self.constants.first(operand),
        }
    }

    /// The operation and its operands in an order that does not depend on how they were written.
    #[inline]
    fn binary(&self, data: &InstData) -> (Opcode, Operand, Operand) {
        let (a, b) = (self.operand(data.a), self.operand(data.b));
        match turned(data.op) {
            Some(turned) if a.as_raw() > b.as_raw() => (turned, b, a),
            _ => (data.op, a, b),
        }
    }

    fn hash(&self, function: &Function, data: &InstData, block: Block) -> u64 {
        let start = |op: Opcode| {
            let own = u64::from(key_flags(data)) << 16 | (data.ty.index() as u64) << 8 | op as u64;
            WordHasher::default().with(own)
        };
        let hash = match data.op.format() {
            Format::Binary => {
                let (op, a, b) = self.binary(data);
                start(op).with(u64::from(a.as_raw()) << 32 | u64::from(b.as_raw()))
            }
            Format::Unary => start(data.op).with(u64::from(self.operand(data.a).as_raw())),
            _ => {
                let mut hash = start(data.op);
                if data.op == Opcode::Phi {
                    hash = hash.with(u64::from(block.as_u32()));
                }
                function.for_each_operand(data, |operand| {
                    hash = hash.with(u64::from(self.operand(operand).as_raw()));
                });
                hash
            }
        };
        hash.finish()
    }

    fn are_equal(&self, function: &Function, left: &InstData, right: &InstData) -> bool {
        if left.ty != right.ty || key_flags(left) != key_flags(right) {
            return false;
        }
        match left.op.format() {
            Format::Binary => right.op.format() == Format::Binary && self.binary(left) == self.binary(right),
            _ if left.op != right.op => false,
            Format::Unary => self.operand(left.a) == self.operand(right.a),
            Format::Ternary => {
                let (left_rest, right_rest) = (function.ternary(left), function.ternary(right));
                self.operand(left.a) == self.operand(right.a)
                    && self.operand(left_rest.0) == self.operand(right_rest.0)
                    && self.operand(left_rest.1) == self.operand(right_rest.1)
            }
            Format::Phi => {
                let pairs = function.list(left).iter().zip(function.list(right));
                pairs
                    .into_iter()
                    .all(|(&left, &right)| self.operand(left) == self.operand(right))
            }
            Format::Nullary => true,
            _ => false,
        }
    }
}

/// The flags that say what is computed, not what is promised.
#[inline]
fn key_flags(data: &InstData) -> u16 {
    match flag_kind(data.op) {
        FlagKind::Int(_) | FlagKind::Fast => 0,
        _ => data.flags,
    }
}

/// The operation that gives the same with its operands exchanged.
#[inline]
fn turned(op: Opcode) -> Option<Opcode> {
    use Opcode as O;
    Some(match op {
        O::Add | O::Mul | O::And | O::Or | O::Xor => op,
        O::UaddOverflow | O::SaddOverflow | O::UmulOverflow | O::SmulOverflow | O::UaddSat | O::SaddSat => op,
        O::Smin | O::Smax | O::Umin | O::Umax | O::Fadd | O::Fmul | O::Fminimum | O::Fmaximum => op,
        O::IcmpEq | O::IcmpNe | O::FcmpOeq | O::FcmpOne | O::FcmpOrd | O::FcmpUno | O::FcmpUeq | O::FcmpUne => op,
        O::IcmpUgt => O::IcmpUlt,
        O::IcmpUlt => O::IcmpUgt,
        O::IcmpUge => O::IcmpUle,
        O::IcmpUle => O::IcmpUge,
        O::IcmpSgt => O::IcmpSlt,
        O::IcmpSlt => O::IcmpSgt,
        O::IcmpSge => O::IcmpSle,
        O::IcmpSle => O::IcmpSge,
        O::FcmpOgt => O::FcmpOlt,
        O::FcmpOlt => O::FcmpOgt,
        O::FcmpOge => O::FcmpOle,
        O::FcmpOle => O::FcmpOge,
        O::FcmpUgt => O::FcmpUlt,
        O::FcmpUlt => O::FcmpUgt,
        O::FcmpUge => O::FcmpUle,
        O::FcmpUle => O::FcmpUge,
        _ => return None,
    })
}
