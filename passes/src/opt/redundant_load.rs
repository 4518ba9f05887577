//! Removes loads of values that are known, and stores that nothing reads.
//!
//! ```text
//! before                                after
//!   store align 4 i32 v1, v0              v3 = call @f(v1) : (i32) -> i32
//!   v2 = load align 4 i32 v0              store align 4 i32 v1, v0
//!   v3 = call @f(v2) : (i32) -> i32       return v3
//!   ...
//! ```
//!
//! A load takes the value that a store put at the same address, or that an earlier load found there, if nothing
//! between may have changed it ([`crate::memory::facts`], [`crate::memory::alias`]). A store is removed if a later one
//! of its block covers its bytes, or the function returns from a slot's stores, before anything may read them; so is
//! one of the value that lies there already. Copies of as many bytes as a register holds become loads and stores first.
//! Facts hold along chains of blocks with a single predecessor each. Calls,
//! atomic and volatile accesses may read and change everything but slots whose address stays in the function.
//!
//! Costs one walk over the instructions, with up to two dozen comparisons for each memory access. Gains where pointers
//! are followed repeatedly, most in unoptimized input after `mem2reg` and `local-cse`, whose equal addresses are one
//! value. Functions that call something returning twice are left alone.

use crate::memory::alias::{ALL, Address, Bytes, Resolver};
use crate::memory::calls_something_returning_twice;
use crate::memory::convert::{Converted, are_convertible, convert, is_copied_as};
use crate::memory::dom_order::DomOrder;
use crate::memory::facts::{Fact, Facts};
use crate::memory::private::PrivateSlots;
use crate::registry::NoOptions;
use frazil_ir::domtree::DomTree;
use frazil_ir::edit::Editor;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{Block, Effects, EntityRef, Function, Inst, InstData, MemFlags, Module, Opcode, Operand, Type};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "redundant-load",
    summary: "removes loads of known values and stores that nothing reads",
    level: Level::Function,
    required: false,
    after: &[Order {
        pass: "mem2reg",
        reason: "variables are cheaper to promote than to follow through memory",
    }],
    before: &[],
};

/// Facts of at most this many blocks are kept for further successors.
const MOST_SAVED: usize = 64;

/// Removal of loads whose value is known, and of stores that nothing reads.
#[derive(Debug)]
pub struct RedundantLoad;

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(_: NoOptions) -> RedundantLoad {
    RedundantLoad
}

impl FunctionPass for RedundantLoad {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        if calls_something_returning_twice(function) {
            return Ok(Preserved::unchanged());
        }
        let mut scratch: Box<Scratch> = cx.take_scratch();
        let tree: &DomTree = cx.analyses.get(function);
        scratch.order.compute(tree, function.blocks().len());
        scratch.private.compute(function, tree);
        scratch.editor.begin(function);
        let mut walk = Walk {
            s: &mut scratch,
            f: function,
            module: cx.module,
            native_int_bits: cx.target.native_int_bits,
            counts: Counts::default(),
        };
        walk.run();
        let counts = walk.counts;
        let changed = scratch.editor.has_edits();
        scratch.editor.commit(function);
        cx.count("loads replaced", counts.loads);
        cx.count("dead loads removed", counts.dead_loads);
        cx.count("stores removed", counts.stores);
        cx.count("stores of what is there removed", counts.idle_stores);
        cx.count("copies made loads and stores", counts.copies);
        cx.return_scratch(scratch);
        Ok(if changed {
            Preserved::cfg()
        } else {
            Preserved::unchanged()
        })
    }
}

/// How much was done.
#[derive(Debug, Default)]
struct Counts {
    loads: u64,
    dead_loads: u64,
    stores: u64,
    idle_stores: u64,
    copies: u64,
}

/// The facts at the end of a block that has successors with no other predecessor still to come.
#[derive(Clone, Copy, Debug)]
struct Saved {
    block: Block,
    /// Where its facts start in [`Scratch::saved_facts`].
    start: usize,
    /// How many successors will ask for them.
    askers: u32,
}

#[derive(Debug, Default)]
struct Scratch {
    editor: Editor,
    order: DomOrder,
    private: PrivateSlots,
    facts: Facts,
    saved: Vec<Saved>,
    saved_facts: Vec<Fact>,
    dead: Vec<Inst>,
}

struct Walk<'a> {
    s: &'a mut Scratch,
    f: &'a mut Function,
    module: &'a Module,
    native_int_bits: u32,
    counts: Counts,
}

impl Walk<'_> {
    fn run(&mut self) {
        self.s.saved.clear();
        self.s.saved_facts.clear();
        for number in 0..self.s.order.count() {
            let block = self.s.order.block(number);
            self.enter(block);
            for position in self.f.block_insts(block) {
                self.inst(Inst::new(position));
            }
            self.s.facts.end_block();
            self.leave(block);
        }
    }

    /// Begins with the facts of the only predecessor, if there is one and they were kept.
    fn enter(&mut self, block: Block) {
        self.s.facts.clear();
        let &[above] = self.f.predecessors(block) else { return };
        // In preorder, the blocks saved last that still wait are those above this one.
        let Some(saved) = self.s.saved.last_mut().filter(|saved| saved.block == above) else {
            return;
        };
        self.s.facts.assign(&self.s.saved_facts[saved.start..]);
        saved.askers -= 1;
        if saved.askers == 0 {
            self.s.saved_facts.truncate(saved.start);
            self.s.saved.pop();
        }
    }

    /// Keeps the facts for the successors that come from here alone.
    fn leave(&mut self, block: Block) {
        if self.s.facts.all().is_empty() || self.s.saved.len() >= MOST_SAVED {
            return;
        }
        let successors = self.f.cfg().successors(block).iter();
        let askers = successors
            .filter(|edge| self.f.predecessors(edge.target).len() == 1)
            .count() as u32;
        if askers > 0 {
            self.s.saved.push(Saved {
                block,
                start: self.s.saved_facts.len(),
                askers,
            });
            self.s.saved_facts.extend_from_slice(self.s.facts.all());
        }
    }

    fn inst(&mut self, inst: Inst) {
        use Opcode as O;
        let data = self.f.insts()[inst.index()];
        match data.op {
            O::Load | O::Store | O::MemCopy | O::MemMove | O::MemSet if MemFlags(data.flags).is_volatile() => {
                self.s.facts.clobber();
            }
            O::Load => self.load(inst, data),
            O::Store => self.store(inst, data),
            O::MemCopy | O::MemMove | O::MemSet => self.bulk(inst, data),
            O::Return => {
                let (facts, dead, f) = (&mut self.s.facts, &mut self.s.dead, &*self.f);
                let is_slot = |root: Operand| root.as_value().is_some_and(|value| f.slot_of(value).is_some());
                facts.end_function(is_slot, |store| dead.push(store));
                self.remove_dead();
            }
            O::Invoke => self.s.facts.clobber(),
            _ if data.op.effects() == Effects::Any => self.s.facts.clobber(),
            _ => {}
        }
    }

    fn address(&mut self, pointer: Operand) -> Address {
        let mut resolver = Resolver {
            module: self.module,
            private: &self.s.private,
            editor: &mut self.s.editor,
        };
        resolver.address(self.f, pointer)
    }

    fn bytes(&self, data: &InstData) -> Bytes {
        self.f.types().store_bytes(data.ty, self.pointer_bits())
    }

    fn pointer_bits(&self) -> u32 {
        self.module.data_layout.pointer_bits
    }

    fn load(&mut self, inst: Inst, data: InstData) {
        let result = data.first_result().expect("a load has a result");
        if self.f.use_count(result) == 0 {
            self.counts.dead_loads += 1;
            return self.s.editor.remove(self.f, inst);
        }
        let (address, bytes) = (self.address(data.a), self.bytes(&data));
        let found = self.s.facts.find(&address, bytes).copied();
        let Some(fact) = found else {
            self.s.facts.read(&address, bytes);
            return self.s.facts.add(Fact {
                address,
                bytes,
                ty: data.ty,
                value: Operand::value(result),
                store: None,
            });
        };
        if !are_convertible(self.f.types(), fact.ty, data.ty, self.pointer_bits()) {
            return self.s.facts.read(&address, bytes);
        }
        self.counts.loads += 1;
        match convert(self.f, fact.value, fact.ty, data.ty, self.pointer_bits()) {
            Converted::Operand(value) => {
                self.s.editor.replace_uses(self.f, result, value);
                self.s.editor.remove(self.f, inst);
            }
            Converted::Inst(cast) => self.s.editor.replace(self.f, inst, cast),
        }
    }

    fn store(&mut self, inst: Inst, data: InstData) {
        let (address, bytes) = (self.address(data.b), self.bytes(&data));
        let value = self.s.editor.resolve(data.a);
        self.put(inst, address, bytes, data.ty, value);
    }

    /// `inst` stores a value. Returns `false`, and has it removed, if that value is there already.
    fn put(&mut self, inst: Inst, address: Address, bytes: Bytes, ty: Type, value: Operand) -> bool {
        let found = self.s.facts.find(&address, bytes);
        if found.is_some_and(|fact| fact.value == value && fact.ty == ty) {
            self.counts.idle_stores += 1;
            self.s.editor.remove(self.f, inst);
            return false;
        }
        self.overwrite(&address, bytes);
        self.s.facts.add(Fact {
            address,
            bytes,
            ty,
            value,
            store: Some(inst),
        });
        true
    }

    fn overwrite(&mut self, address: &Address, bytes: Bytes) {
        let dead = &mut self.s.dead;
        self.s.facts.overwrite(address, bytes, |store| dead.push(store));
        self.remove_dead();
    }

    /// `mem_copy`, `mem_move` and `mem_set`.
    fn bulk(&mut self, inst: Inst, data: InstData) {
        let (second, length) = self.f.ternary(&data);
        let length = self.s.editor.resolve(length).as_imm();
        let bytes = length.and_then(|length| u64::try_from(length).ok()).unwrap_or(ALL);
        let to = self.address(data.a);
        if data.op != Opcode::MemSet {
            let from = self.address(second);
            if let Some(ty) = self.int_of(bytes) {
                return self.copy_value(inst, data, second, (to, from), bytes, ty);
            }
            self.s.facts.read(&from, bytes);
        }
        self.overwrite(&to, bytes);
    }

    /// The integer of so many bytes, if registers hold it.
    fn int_of(&self, bytes: Bytes) -> Option<Type> {
        let ty = match bytes {
            1 => Type::I8,
            2 => Type::I16,
            4 => Type::I32,
            8 => Type::I64,
            _ => return None,
        };
        (8 * bytes <= u64::from(self.native_int_bits)).then_some(ty)
    }

    /// Makes a load and a store of a copy of few bytes, or only a store if it is known what is there.
    fn copy_value(
        &mut self,
        inst: Inst,
        data: InstData,
        pointer: Operand,
        (to, from): (Address, Address),
        bytes: Bytes,
        ty: Type,
    ) {
        let flags = MemFlags::aligned(MemFlags(data.flags).align_log2()).0;
        let found = self.s.facts.find(&from, bytes).copied();
        let known = found.filter(|fact| is_copied_as(self.f.types(), fact.ty, self.pointer_bits()));
        let (ty, value) = if let Some(fact) = known {
            (fact.ty, fact.value)
        } else {
            let load = InstData::new(Opcode::Load, ty, flags, pointer, Operand::NONE);
            let result = self.s.editor.insert_before(self.f, inst, load, Some(ty));
            let value = Operand::value(result.expect("a load has a result"));
            self.s.facts.read(&from, bytes);
            if found.is_none() {
                self.s.facts.add(Fact {
                    address: from,
                    bytes,
                    ty,
                    value,
                    store: None,
                });
            }
            (ty, value)
        };
        self.counts.copies += 1;
        if self.put(inst, to, bytes, ty, value) {
            let store = InstData::new(Opcode::Store, ty, flags, value, data.a);
            self.s.editor.replace(self.f, inst, store);
        }
    }

    fn remove_dead(&mut self) {
        while let Some(store) = self.s.dead.pop() {
            self.s.editor.remove(self.f, store);
            self.counts.stores += 1;
        }
    }
}
