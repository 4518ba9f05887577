//! What is known of a hook: found once, when the first place wants it, however many places there are.
//!
//! The hook's function is cleaned by passes that there are anyway; what the cleaned body does decides how it is called.

use crate::hook_module::HookModule;
use crate::partial::fast_part;
use frazil_ir::{
    Block, CallFlags, ConstView, EntityRef, Format, FuncId, Function, Inst, InstData, MemFlags, Opcode, Operand,
    SymbolId, TargetFacts, Type, TypeData, Value,
};
use frazil_passes::observe::{Deaf, Observe};
use frazil_passes::{Recipe, Runner, Subject};

/// What is known of a hook.
#[derive(Debug)]
pub struct Analysis {
    /// The hook's function after the passes that clean it.
    pub body: Function,
    pub facts: Facts,
    /// What happens until the first branch, and the call of the hook if that goes the other way, as a function like the
    /// hook; or why there is none.
    pub fast: Result<(Function, Facts), &'static str>,
    /// Whether it does nothing but add to a number in memory.
    pub addition: Option<Addition>,
}

/// What a function does, as far as inlining cares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// What can never be inlined, if there is something.
    pub obstacle: Option<&'static str>,
    /// How many calls there are, library functions for copies included.
    pub calls: u32,
    pub blocks: u32,
    /// All but phis, jumps and returns.
    pub instructions: u32,
    /// Whether some value is kept in a register for floats and vectors.
    pub has_floats: bool,
    /// The most values that are alive at one place and need registers.
    pub registers: u32,
    pub slots: u32,
    /// Whether it goes back somewhere.
    pub has_loops: bool,
    pub loads: u32,
    pub stores: u32,
    /// Which parameters matter.
    pub used_params: Vec<bool>,
    /// Symbols of the hooks' module that it names, calls included.
    pub symbols: Vec<SymbolId>,
    /// Whether it accesses memory at addresses that are no symbols.
    pub has_unknown_accesses: bool,
}

/// A hook that adds a number to one in memory and does nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The operand of the body that is the address.
    pub address: Operand,
    /// The operand that is added.
    pub amount: Operand,
    /// The type of the number in memory.
    pub ty: Type,
    /// The access: the load, or the atomic update.
    pub access: Inst,
}

impl Analysis {
    /// Looks at a hook.
    pub fn new(module: &HookModule, id: FuncId, target: &TargetFacts, cleaner: &Recipe) -> Analysis {
        let mut body = module.functions[id.index()].clone();
        let observe = Observe::default();
        let head = &module.module.functions[id];
        let subject = Subject {
            number: 0,
            name: &module.module.display_name(head.symbol),
            head,
        };
        // A pass that fails has found what cannot be compiled, which the hook's own object will say.
        let cleaned = Runner::new(cleaner, &observe, &module.module, *target)
            .ok()
            .and_then(|mut runner| runner.run(subject, &mut body, &mut Deaf).ok());
        if cleaned.is_none() {
            body.clone_from(&module.functions[id.index()]);
        }
        let facts = facts_of(&body);
        let fast = fast_part(&body, head.symbol).map(|fast| {
            let facts = facts_of(&fast);
            (fast, facts)
        });
        let addition = addition_of(&body, &facts);
        Analysis {
            body,
            facts,
            fast,
            addition,
        }
    }
}

/// Looks through a function once.
pub fn facts_of(f: &Function) -> Facts {
    let mut facts = Facts {
        blocks: f.blocks().len() as u32,
        slots: f.slots().len() as u32,
        used_params: (0..f.param_count())
            .map(|index| f.use_count(Value::new(index)) > 0)
            .collect(),
        registers: registers_of(f),
        ..Facts::default()
    };
    for value in f.values() {
        match f.types().data(value.ty) {
            TypeData::Void | TypeData::Int(1..=64) | TypeData::Ptr(0) => {}
            TypeData::F32 | TypeData::F64 => facts.has_floats = true,
            TypeData::Vector { .. } => facts.obstacle = Some("it has vectors"),
            _ => facts.obstacle = Some("it has values of a type that needs several registers or a register of its own"),
        }
    }
    for block in f.block_ids() {
        facts.has_loops |= f.cfg().successors(block).iter().any(|edge| edge.target <= block);
        for position in f.block_insts(block) {
            facts.add_inst(f, &f.insts()[position]);
        }
    }
    if f.has_block_addresses() {
        facts.obstacle = Some("addresses of its blocks are taken");
    }
    facts
}

impl Facts {
    fn add_inst(&mut self, f: &Function, data: &InstData) {
        use Opcode as O;
        match data.op {
            O::Phi | O::Nop | O::Jump | O::Return => {}
            _ => self.instructions += 1,
        }
        match data.op {
            O::Call => {
                let flags = CallFlags::from_bits_retain(data.flags);
                self.calls += 1;
                if flags.contains(CallFlags::INLINE_ASM) {
                    self.obstacle = Some("it has inline assembly");
                } else if flags.intersects(CallFlags::MUST_TAIL | CallFlags::RETURNS_TWICE | CallFlags::INTRINSIC) {
                    self.obstacle = Some("it has a call of a special kind");
                }
            }
            O::MemCopy | O::MemMove | O::MemSet => {
                self.calls += 1;
                self.has_unknown_accesses = true;
            }
            O::Invoke | O::LandingPad | O::Resume | O::EhTypeidFor => self.obstacle = Some("it has exceptions"),
            O::IndirectJump => self.obstacle = Some("it has a computed jump"),
            O::StackAlloc | O::StackSave | O::StackRestore => self.obstacle = Some("its stack frame grows"),
            O::VaStart | O::VaCopy => self.obstacle = Some("it has variable arguments"),
            O::FrameAddress | O::ReturnAddress | O::AddressOfReturnAddress | O::SjljSetjmp | O::SjljLongjmp => {
                self.obstacle = Some("it looks at its own frame");
            }
            O::HookCall | O::ReadingHookCall => self.obstacle = Some("it is instrumented itself"),
            _ if data.op.is_strict() => self.obstacle = Some("it depends on the floating-point environment"),
            O::Load | O::AtomicLoad | O::SpaceLoad => {
                self.loads += 1;
                self.note_access(f, data.a);
            }
            O::Store | O::AtomicStore | O::SpaceStore => {
                self.stores += 1;
                self.note_access(f, data.b);
            }
            O::AtomicRmw | O::Cmpxchg | O::SpaceRmw | O::SpaceCmpxchg => {
                (self.loads, self.stores) = (self.loads + 1, self.stores + 1);
                self.note_access(f, data.a);
            }
            _ => {}
        }
        f.for_each_operand(data, |operand| {
            let symbol = operand.as_symbol().or_else(|| match f.constant(operand.as_const()?).1 {
                ConstView::Symbol(symbol, _) => Some(symbol),
                _ => None,
            });
            if let Some(symbol) = symbol
                && !self.symbols.contains(&symbol)
            {
                self.symbols.push(symbol);
            }
            if operand
                .as_const()
                .is_some_and(|id| matches!(f.constant(id).1, ConstView::BlockAddress(..)))
            {
                self.obstacle = Some("it has addresses of blocks");
            }
        });
    }

    fn note_access(&mut self, f: &Function, address: Operand) {
        self.has_unknown_accesses |= !is_of_symbol(f, address, 0);
    }
}

/// Whether an address is that of a symbol or of something in it, or of a slot.
fn is_of_symbol(f: &Function, address: Operand, depth: u32) -> bool {
    if address.as_symbol().is_some() {
        return true;
    }
    if let Some(id) = address.as_const() {
        return matches!(f.constant(id).1, ConstView::Symbol(..));
    }
    let Some(value) = address.as_value() else { return false };
    if f.slot_of(value).is_some() {
        return true;
    }
    match f.def_inst(value).map(|inst| f.inst(inst)) {
        Some(data) if data.op == Opcode::TlsAddr => true,
        Some(data) if matches!(data.op, Opcode::PtrAdd | Opcode::PtrIndex) && depth < 8 => {
            is_of_symbol(f, data.a, depth + 1)
        }
        _ => false,
    }
}

/// Bodies with more instructions are not worth counting exactly.
const MOST_COUNTED: usize = 1000;

/// The most values that are alive at one place, by a fixed point over the blocks; of a body that is too large to be
/// inlined, all values that it has.
fn registers_of(f: &Function) -> u32 {
    let count = f.values().len();
    if f.insts().len() > MOST_COUNTED {
        return count as u32;
    }
    let is_kept = |value: Value| f.slot_of(value).is_none();
    let mut live_in = vec![vec![false; count]; f.blocks().len()];
    let mut most = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for block in f.block_ids().rev() {
            let mut live = vec![false; count];
            for edge in f.cfg().successors(block) {
                for (into, from) in live.iter_mut().zip(&live_in[edge.target.index()]) {
                    *into |= from;
                }
                for position in f.block_insts(edge.target) {
                    let data = &f.insts()[position];
                    if data.op != Opcode::Phi {
                        break;
                    }
                    if let Some(value) = f.list(data)[edge.column as usize].as_value() {
                        live[value.index()] = true;
                    }
                }
            }
            for position in f.block_insts(block).rev() {
                let data = &f.insts()[position];
                f.results(data).for_each(|value| live[value.index()] = false);
                if data.op != Opcode::Phi {
                    f.for_each_operand(data, |operand| {
                        if let Some(value) = operand.as_value().filter(|&value| is_kept(value)) {
                            live[value.index()] = true;
                        }
                    });
                }
                most = most.max(live.iter().filter(|live| **live).count() as u32);
            }
            changed |= live != live_in[block.index()];
            live_in[block.index()] = live;
        }
    }
    most
}

/// The addition that a body is, found by its instructions: a load, a sum and a store to the same place, or an atomic
/// update whose old value nobody wants. What else there is computes the address and the number.
fn addition_of(f: &Function, facts: &Facts) -> Option<Addition> {
    if facts.obstacle.is_some() || facts.blocks != 1 || facts.calls > 0 || facts.stores != 1 || facts.loads != 1 {
        return None;
    }
    let range = f.block_insts(Block::new(0));
    let mut found = None;
    for position in range.clone() {
        let data = &f.insts()[position];
        match data.op {
            Opcode::Load | Opcode::AtomicRmw => found = Some((Inst::new(position), *data)),
            Opcode::Store => {}
            Opcode::Return | Opcode::Nop => {}
            op if op.effects() == frazil_ir::Effects::Pure && op.format() != Format::Phi => {}
            _ => return None,
        }
    }
    let (access, data) = found?;
    let is_int = |ty| matches!(f.types().data(ty), TypeData::Int(8 | 16 | 32 | 64));
    if !is_int(data.ty) || MemFlags(data.flags).is_volatile() {
        return None;
    }
    let result = data.first_result()?;
    if data.op == Opcode::AtomicRmw {
        let adds = MemFlags(data.flags).rmw() == Some(frazil_ir::RmwOp::Add);
        return (adds && f.use_count(result) == 0).then_some(Addition {
            address: data.a,
            amount: data.b,
            ty: data.ty,
            access,
        });
    }
    let store = range
        .map(|position| &f.insts()[position])
        .find(|data| data.op == Opcode::Store)?;
    if store.b != data.a || store.ty != data.ty || MemFlags(store.flags).is_volatile() || f.use_count(result) != 1 {
        return None;
    }
    let sum = f.inst(f.def_inst(store.a.as_value()?)?);
    let loaded = Operand::value(result);
    let amount = match sum.op {
        Opcode::Add if sum.a == loaded => sum.b,
        Opcode::Add if sum.b == loaded => sum.a,
        _ => return None,
    };
    Some(Addition {
        address: data.a,
        amount,
        ty: data.ty,
        access,
    })
}
