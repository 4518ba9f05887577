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
    let sides = [branch.target(), branch.else_target()];
    let chains = sides.map(|side| chain_to_return(body, entry, side));
    // If both sides return, there is nothing to call, and the shorter one is as good as the other.
    let (fast, chain) = match chains {
        [Some(chain), None] => (0, chain),
        [None, Some(chain)] => (1, chain),
        [Some(yes), Some(no)] => match yes.len() <= no.len() {
            true => (0, yes),
            false => (1, no),
        },
        [None, None] => return Err("no side of its first branch returns without another branch or call"),
    };
    let head: Vec<Inst> = (body.block_insts(entry)).map(Inst::new).collect();
    let (now, deferred) = divide(body, &head[..head.len() - 1])?;
    let mut part = Part::new(body);
    let blocks = [Block::new(1), Block::new(2)];
    part.f.begin_block();
    now.iter().for_each(|&inst| part.copy(body, inst));
    let condition = part.map(branch.a);
    let targets = match fast {
        0 => blocks,
        _ => [blocks[1], blocks[0]],
    };
    part.f.push_inst(InstData::branch(condition, targets[0], targets[1]));
    part.f.begin_block();
    deferred.iter().for_each(|&inst| part.copy(body, inst));
    for step in chain {
        match step {
            Step::Inst(inst) => part.copy(body, inst),
            Step::Phi(phi, operand) => part.values[phi.index()] = part.map(operand),
        }
    }
    part.end();
    part.f.begin_block();
    part.call(body, symbol);
    part.end();
    part.f.compute_cfg();
    Ok(part.f)
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
