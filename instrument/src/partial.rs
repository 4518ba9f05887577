//! Partial inlining: the part of a hook until its first branch, if one side of that returns.
//!
//! ```text
//! func @record(ptr)                            func (ptr)
//! b0:                                          b0:
//!   v1 = load ptr @next                          v1 = load ptr @next
//!   v2 = load ptr @end                           v2 = load ptr @end
//!   v3 = icmp_eq ptr v1, v2                      v3 = icmp_eq ptr v1, v2
//!   branch v3, b1, b2                            branch v3, b2, b1
//! b1:                                          b1:
//!   call @flush()                      ->        store ptr v0, v1
//!   v4 = load ptr @next                          v6 = ptr_add ptr v1, 8
//!   jump b2                                      store ptr v6, @next
//! b2:                                            return
//!   v5 = phi ptr [b0: v1, b1: v4]              b2:
//!   store ptr v0, v5                             call @record(v0)
//!   v6 = ptr_add ptr v5, 8                       return
//!   store ptr v6, @next
//!   return
//! ```
//!
//! The side that returns is the fast path. The other one calls the hook itself, which begins anew: so what the hook
//! does before the branch must not have been done yet, and stores are deferred into the fast path. A load that might
//! see a deferred store keeps a hook from being divided so, and so do calls and what can trap before the branch.
//!
//! If the other side only looks before it branches again, and nothing was deferred, that branch is part of the fast
//! path, too: a checker that has said already what it has to say is not called again.

use frazil_ir::{
    Block, CallFlags, ConstView, Effects, EntityRef, Function, Inst, InstData, MemFlags, Opcode, Operand, SymbolId,
    Type, Value,
};

/// The fast part of a hook, as a function of the same signature whose tables are those of `body`.
///
/// # Errors
/// Why there is none.
pub fn fast_part(body: &Function, symbol: SymbolId) -> Result<Function, &'static str> {
    let entry = Block::new(0);
    let branch = *body.inst(body.terminator(entry));
    if branch.op != Opcode::Branch {
        return Err("its first block does not end with a branch");
    }
    if !body.slots().is_empty() {
        return Err("it has variables in memory");
    }
    let head: Vec<Inst> = (body.block_insts(entry)).map(Inst::new).collect();
    let (now, deferred) = divide(body, &head[..head.len() - 1])?;
    let mut looks = vec![Look::new(body, None, entry, now)];
    if looks[0].sides.iter().all(Option::is_none) {
        return Err("no side of its first branch returns without another branch or call");
    }
    while looks.len() < MOST_BRANCHES && deferred.is_empty() {
        let Some(next) = looks[looks.len() - 1].next(body) else {
            break;
        };
        looks.push(next);
    }
    let last = looks.len() - 1;
    // If both sides return, there is nothing to call, and the shorter one is as good as the other.
    if let [Some(yes), Some(no)] = &looks[last].sides {
        let longer = usize::from(yes.len() <= no.len());
        looks[last].sides[longer] = None;
    }
    Ok(Part::new(body).build(body, symbol, &looks, &deferred))
}

/// At most so many branches are on the fast path.
const MOST_BRANCHES: usize = 3;

/// A block that only looks and then branches; one side of it returns, or both.
struct Look {
    block: Block,
    /// Phis of the block on the way that is taken.
    phis: Vec<Step>,
    now: Vec<Inst>,
    sides: [Option<Vec<Step>>; 2],
}

impl Look {
    fn new(body: &Function, from: Option<Block>, block: Block, now: Vec<Inst>) -> Look {
        let branch = body.inst(body.terminator(block));
        let chain = |side| chain_to_return(body, block, side);
        let column = from.and_then(|from| body.predecessors(block).iter().position(|&other| other == from));
        let insts = body.block_insts(block).map(|position| &body.insts()[position]);
        let phis = insts.filter(|data| data.op == Opcode::Phi);
        let step = |data: &InstData| Some(Step::Phi(data.first_result()?, body.list(data)[column?]));
        Look {
            block,
            phis: phis.filter_map(step).collect(),
            now,
            sides: [chain(branch.target()), chain(branch.else_target())],
        }
    }

    /// The block to which the side leads that does not return, if it only looks, too, and one of its sides returns.
    fn next(&self, body: &Function) -> Option<Look> {
        let branch = body.inst(body.terminator(self.block));
        let block = match &self.sides {
            [None, Some(_)] => branch.target(),
            [Some(_), None] => branch.else_target(),
            _ => return None,
        };
        if body.inst(body.terminator(block)).op != Opcode::Branch {
            return None;
        }
        let insts = body.block_insts(block);
        let insts: Vec<Inst> = (insts.start..insts.end - 1).map(Inst::new).collect();
        let plain = insts.iter().copied().filter(|&inst| body.inst(inst).op != Opcode::Phi);
        let (now, deferred) = divide(body, &plain.collect::<Vec<Inst>>()).ok()?;
        let look = Look::new(body, Some(self.block), block, now);
        (deferred.is_empty() && look.sides.iter().any(Option::is_some)).then_some(look)
    }
}

/// What happens on a path.
#[derive(Clone, Copy)]
enum Step {
    Inst(Inst),
    /// The phi is this on the path.
    Phi(Value, Operand),
}

/// What happens from an edge on to a return, if that is one path without branches and calls.
fn chain_to_return(f: &Function, from: Block, to: Block) -> Option<Vec<Step>> {
    let mut chain = Vec::new();
    let (mut from, mut block) = (from, to);
    // A path that is longer than the function goes in a circle.
    for _ in 0..f.blocks().len() {
        let column = f.predecessors(block).iter().position(|&other| other == from)?;
        for position in f.block_insts(block) {
            let data = &f.insts()[position];
            match data.op {
                Opcode::Return => return Some(chain),
                Opcode::Jump => (from, block) = (block, data.target()),
                Opcode::Nop => {}
                Opcode::Phi => chain.push(Step::Phi(data.first_result()?, f.list(data)[column])),
                _ if data.op.is_terminator() || is_call(data) => return None,
                _ => chain.push(Step::Inst(Inst::new(position))),
            }
        }
    }
    None
}

fn is_call(data: &InstData) -> bool {
    matches!(
        data.op,
        Opcode::Call | Opcode::MemCopy | Opcode::MemMove | Opcode::MemSet
    )
}

/// What is before the branch: what can be done in any case, and the stores that are done on the fast path.
fn divide(f: &Function, insts: &[Inst]) -> Result<(Vec<Inst>, Vec<Inst>), &'static str> {
    let (mut now, mut deferred): (Vec<Inst>, Vec<Inst>) = (Vec::new(), Vec::new());
    for &inst in insts {
        let data = f.inst(inst);
        match data.op.effects() {
            Effects::Pure => now.push(inst),
            Effects::Read if MemFlags(data.flags).is_volatile() => {
                return Err("it has a volatile access before its branch");
            }
            Effects::Read => {
                if deferred.iter().any(|&store| may_overlap(f, f.inst(store), data)) {
                    return Err("what it stores before its branch may be loaded before the branch");
                }
                now.push(inst);
            }
            Effects::Write if data.op == Opcode::Store && !MemFlags(data.flags).is_volatile() => deferred.push(inst),
            Effects::Any if data.op == Opcode::Call => return Err("it calls before its branch"),
            Effects::Trap => return Err("it divides before its branch"),
            _ => return Err("it does something before its branch that cannot be deferred"),
        }
    }
    Ok((now, deferred))
}

/// Whether a store and a load may touch the same bytes: not if both are at symbols that differ.
fn may_overlap(f: &Function, store: &InstData, load: &InstData) -> bool {
    let root = |operand: Operand| -> Option<SymbolId> {
        operand.as_symbol().or_else(|| match f.constant(operand.as_const()?).1 {
            ConstView::Symbol(symbol, _) => Some(symbol),
            _ => None,
        })
    };
    match (root(store.b), root(load.a)) {
        (Some(left), Some(right)) => left == right,
        _ => true,
    }
}

/// A function that is made of parts of a body.
struct Part {
    f: Function,
    values: Vec<Operand>,
}

impl Part {
    fn new(body: &Function) -> Part {
        let mut f = body.empty_with_tables();
        f.set_signature(body.signature().clone());
        let mut values = vec![Operand::NONE; body.values().len()];
        for (index, param) in body.signature().params.iter().enumerate() {
            values[index] = Operand::value(f.push_param(param.ty));
        }
        Part { f, values }
    }

    fn map(&self, operand: Operand) -> Operand {
        match operand.as_value() {
            Some(value) => self.values[value.index()],
            None => operand,
        }
    }

    fn copy(&mut self, body: &Function, inst: Inst) {
        let data = *body.inst(inst);
        if data.op == Opcode::Nop {
            return;
        }
        let words = body.pooled(&data).to_vec();
        let values = &self.values;
        let copied = self.f.copy_mapped(data, &words, |operand| match operand.as_value() {
            Some(value) => values[value.index()],
            None => operand,
        });
        let results: Vec<Value> = body.results(&data).collect();
        let types: Vec<Type> = results.iter().map(|&value| body.value(value).ty).collect();
        let mut copied = copied;
        copied.result = InstData::NO_RESULT;
        let first = self.f.push_inst_results(copied, &types);
        for (index, value) in results.iter().enumerate() {
            let first = first.expect("there are results");
            self.values[value.index()] = Operand::value(Value::new(first.index() + index));
        }
    }

    fn step(&mut self, body: &Function, step: Step) {
        match step {
            Step::Inst(inst) => self.copy(body, inst),
            Step::Phi(phi, operand) => self.values[phi.index()] = self.map(operand),
        }
    }

    /// Builds the function: the looks and their sides, then the call.
    fn build(mut self, body: &Function, symbol: SymbolId, looks: &[Look], deferred: &[Inst]) -> Function {
        let chains = looks.iter().flat_map(|look| &look.sides).flatten().count();
        let call = Block::new(looks.len() + chains);
        let mut next = 0;
        for (number, look) in looks.iter().enumerate() {
            self.f.begin_block();
            look.phis.iter().for_each(|&step| self.step(body, step));
            look.now.iter().for_each(|&inst| self.copy(body, inst));
            let condition = self.map(body.inst(body.terminator(look.block)).a);
            let returning = look.sides.iter().flatten().count();
            let mut own = next + 1;
            let goes_on = match number + 1 == looks.len() {
                true => call,
                false => Block::new(next + 1 + returning),
            };
            let targets = [0, 1].map(|side: usize| match &look.sides[side] {
                None => goes_on,
                Some(_) => {
                    own += 1;
                    Block::new(own - 1)
                }
            });
            self.f.push_inst(InstData::branch(condition, targets[0], targets[1]));
            for chain in look.sides.iter().flatten() {
                self.f.begin_block();
                deferred.iter().for_each(|&inst| self.copy(body, inst));
                chain.iter().for_each(|&step| self.step(body, step));
                self.end();
            }
            next += 1 + returning;
        }
        self.f.begin_block();
        self.call(body, symbol);
        self.end();
        self.f.compute_cfg();
        self.f
    }

    fn call(&mut self, body: &Function, symbol: SymbolId) {
        let signature = body.signature().clone();
        let mut words = vec![Operand::raw(signature.params.len() as u32), Operand::raw(0)];
        words.extend((0..signature.params.len()).map(|index| self.values[index]));
        let sig = self.f.push_sig(signature);
        words[1] = Operand::raw(sig.as_u32());
        let start = self.f.push_pool(&words);
        let flags = CallFlags::NO_UNWIND.bits();
        let callee = Operand::symbol(symbol);
        self.f.push_inst(InstData::new(
            Opcode::Call,
            Type::VOID,
            flags,
            callee,
            Operand::raw(start),
        ));
    }

    fn end(&mut self) {
        let start = self.f.push_pool(&[]);
        let none = Operand::raw(0);
        self.f
            .push_inst(InstData::new(Opcode::Return, Type::VOID, 0, none, Operand::raw(start)));
    }
}
