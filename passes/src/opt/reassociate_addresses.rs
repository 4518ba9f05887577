//! Adds what does not change in an inner loop to the base of an address instead of to its index.
//!
//! ```text
//! b1:                                    v9 = ptr_index scale 4 ptr v0, v1
//!   v3 = phi i64 [b0: 0, b1: v7]         jump b1
//!   v4 = add i64 v1, v3                b1:
//!   v5 = ptr_index scale 4 ptr v0, v4    v3 = phi i64 [b0: 0, b1: v7]
//!   v6 = load i32 v5             ->      v5 = ptr_index scale 4 ptr v9, v3
//!   ...                                  v6 = load i32 v5
//!                                        ...
//! ```
//!
//! So rows of a matrix are walked: the index is the row's, which is the same in all of the loop, and the column's.
//!
//! Method: for each innermost loop, sums of a value from outside and one from inside are found whose only uses are
//! indices of addresses with a base from outside. Each pair of such a base and value is added before the loop, and the
//! address takes the other part of the sum alone, as an access can. What wraps around does so in either order.
//!
//! Costs: a walk over the instructions of innermost loops; a register for each pair, in place of those of its parts if
//! nothing else needs them; few pairs are made for a loop. Gains: an addition in each round for each of the sums.
//!
//! Source: the part of LLVM's loop strength reduction that pays without counting registers for all uses at once.

use crate::preheaders::{Preheaders, can_have_preheader};
use frazil_ir::edit::Editor;
use frazil_ir::loops::LoopTree;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::typing::is_addition;
use frazil_ir::{EntityRef, Function, Inst, InstData, Loop, Opcode, Operand, Value};
use frazil_support::EpochMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "reassociate-addresses",
    summary: "adds what does not change in an inner loop to the base of an address instead of to its index",
    level: Level::Function,
    required: false,
    after: &[Order {
        pass: "local-cse",
        reason: "equal sums have all of their uses at one",
    }],
    before: &[Order {
        pass: "addr-fold",
        reason: "it copies the addresses to their users",
    }],
};

/// What a recipe can set for `reassociate-addresses`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// How many sums at most are made before one loop.
    pub max_sums: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { max_sums: 4 }
    }
}

/// Takes what does not change out of the indices of addresses.
#[derive(Debug)]
pub struct ReassociateAddresses {
    options: Options,
}

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(options: Options) -> ReassociateAddresses {
    ReassociateAddresses { options }
}

impl FunctionPass for ReassociateAddresses {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let loops = cx.analyses.get::<LoopTree>(function);
        if loops.loops().next().is_none() {
            return Ok(Preserved::unchanged());
        }
        let mut state: Box<State> = cx.take_scratch();
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        state.preheaders.begin(loops);
        let mut changed = 0;
        for id in loops.innermost_loops() {
            if state.find(function, loops, id) && can_have_preheader(function, loops, &editor, id) {
                changed += state.rewrite(function, &mut editor, (loops, id), self.options);
            }
        }
        editor.commit(function);
        let made = state.preheaders.made();
        cx.return_scratch(editor);
        cx.return_scratch(state);
        cx.count("addresses changed", changed);
        Ok(match (changed, made) {
            (0, _) => Preserved::unchanged(),
            (_, 0) => Preserved::cfg(),
            _ => Preserved::none(),
        })
    }
}

/// An address whose index is a sum.
#[derive(Clone, Copy, Debug)]
struct Address {
    inst: Inst,
    sum: Value,
    /// The parts of the sum: from outside of the loop and from inside.
    outside: Operand,
    inside: Operand,
}

/// What is added before a loop: base, value, and what the value is scaled by.
type Key = (Operand, Operand, Opcode, u16);

/// Memory of the pass.
#[derive(Debug, Default)]
struct State {
    /// How many addresses have each value of the loop as their index; values that are not there come from outside.
    uses: EpochMap<u32>,
    addresses: Vec<Address>,
    /// What was added before the loop.
    made: Vec<(Key, Operand)>,
    preheaders: Preheaders,
}

impl State {
    /// Finds the addresses of a loop; says whether there are any.
    fn find(&mut self, f: &Function, loops: &LoopTree, id: Loop) -> bool {
        self.addresses.clear();
        let blocks = loops.blocks(id);
        let has_sum = |position: usize| sum_of(f, &f.insts()[position]).is_some();
        if !blocks.iter().flat_map(|&block| f.block_insts(block)).any(has_sum) {
            return false;
        }
        self.uses.reset(f.values().len());
        for position in blocks.iter().flat_map(|&block| f.block_insts(block)) {
            for result in f.results(&f.insts()[position]) {
                self.uses.set(result.index(), 0);
            }
        }
        for position in blocks.iter().flat_map(|&block| f.block_insts(block)) {
            if let Some(address) = self.address(f, Inst::new(position)) {
                let sum = address.sum.index();
                self.uses.set(sum, self.uses.get(sum).unwrap_or(0) + 1);
                self.addresses.push(address);
            }
        }
        let uses = &self.uses;
        self.addresses
            .retain(|address| uses.get(address.sum.index()) == Some(f.use_count(address.sum)));
        !self.addresses.is_empty()
    }

    /// The address that an instruction is, if its index is a sum of a value from outside and one from inside.
    fn address(&self, f: &Function, inst: Inst) -> Option<Address> {
        let data = f.inst(inst);
        let (sum, add) = sum_of(f, data)?;
        if self.is_inside(data.a) || !self.is_inside(data.b) {
            return None;
        }
        let (outside, inside) = match (self.is_inside(add.a), self.is_inside(add.b)) {
            (false, true) => (add.a, add.b),
            (true, false) => (add.b, add.a),
            _ => return None,
        };
        // A constant is a displacement, which costs nothing.
        outside.as_value().map(|_| Address {
            inst,
            sum,
            outside,
            inside,
        })
    }

    fn is_inside(&self, operand: Operand) -> bool {
        operand
            .as_value()
            .is_some_and(|value| self.uses.get(value.index()).is_some())
    }

    /// Changes the addresses that were found, if there are not too many pairs; returns how many.
    fn rewrite(
        &mut self,
        f: &mut Function,
        editor: &mut Editor,
        (loops, id): (&LoopTree, Loop),
        options: Options,
    ) -> u64 {
        self.made.clear();
        for address in &self.addresses {
            let key = key(f, address);
            if self.made.iter().any(|&(known, _)| known == key) {
                continue;
            }
            if self.made.len() == options.max_sums as usize {
                return 0;
            }
            self.made.push((key, Operand::NONE));
        }
        let preheader = self.preheaders.get(f, loops, editor, id);
        for address in &self.addresses {
            let key = key(f, address);
            let row = self.made.iter_mut().find(|(known, _)| *known == key);
            let (_, base) = row.expect("each key has a row");
            let mut data = *f.inst(address.inst);
            if *base == Operand::NONE {
                let mut sum = data;
                sum.b = address.outside;
                let ty = f.value(data.first_result().expect("an address is a result")).ty;
                let value = editor.insert_at_end(f, preheader, sum, Some(ty));
                *base = Operand::value(value.expect("it has a result"));
            }
            data.a = *base;
            data.b = address.inside;
            editor.replace(f, address.inst, data);
        }
        self.addresses.len() as u64
    }
}

/// The sum that is the index of an address.
fn sum_of<'f>(f: &'f Function, data: &InstData) -> Option<(Value, &'f InstData)> {
    if !matches!(data.op, Opcode::PtrAdd | Opcode::PtrIndex) {
        return None;
    }
    let sum = data.b.as_value()?;
    let add = f.inst(f.def_inst(sum)?);
    is_addition(add).then_some((sum, add))
}

fn key(f: &Function, address: &Address) -> Key {
    let data = f.inst(address.inst);
    (data.a, address.outside, data.op, data.flags)
}
