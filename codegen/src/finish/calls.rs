//! Calls, and what they pass in registers, for debuggers (DWARF 5, section 3.4), in functions whose debug information
//! says that all of their calls are described.
//!
//! A debugger that stands in a callee knows of the caller what calls preserve: its frame and some registers. So what a
//! call passes is looked for backwards from the call, instruction by instruction, through blocks with a single
//! predecessor, by what the target says that instructions leave in registers ([`MachRules::contents`]): until it is a
//! constant, an address, in such a register or spill slot, or what a register had when the function was called. All
//! instructions on the way are executed one after the other, since the walk ends at labels within blocks; what is not
//! understood is not described. During a tail call there is no frame any more, and registers are the caller's.
//!
//! This looks at machine code as it is emitted, and so depends on no pass.

use crate::debug::{CallParameter, Callee, DescribedCall, FrameDistances, Shape, Spot};
use crate::desc::{ConvDesc, OpDesc, Role, TargetDesc};
use crate::isa::Isa;
use crate::mfunc::{INCOMING, MFunc, RegSets, for_each_register, op_desc, pseudo};
use crate::minst::{MInst, Mem};
use crate::pass::{Contents, MachRules};
use crate::reference::RefKind;
use crate::reg::{PRegSet, Reg};
use crate::unit::Unit;
use frazil_ir::debug::kind::Subprogram;

/// `DIFlagAllCallsDescribed` (`llvm/IR/DebugInfoFlags.def`).
const ALL_CALLS_DESCRIBED: u64 = 1 << 29;

/// How many instructions, and beginnings of blocks, are looked at for each register of a call.
const MOST_STEPS: usize = 128;

/// The calls of a function, and what is needed to describe them.
pub(super) struct CallNotes<'a> {
    pub calls: Vec<DescribedCall>,
    pub parameters: Vec<CallParameter>,
    /// The instruction that is emitted.
    pub index: u32,
    func: &'a MFunc,
    desc: &'static TargetDesc,
    ops: &'static [OpDesc],
    rules: &'static dyn MachRules,
    conv: &'static ConvDesc,
    distances: Option<FrameDistances>,
    /// By block: the only one from which it is entered.
    before: Vec<Option<u32>>,
}

/// A value that is looked for: the lowest `bits` of the sum of a register and a number.
#[derive(Clone, Copy)]
struct Wanted {
    register: Reg,
    added: i64,
    bits: u8,
}

/// What lies between an instruction and the call.
#[derive(Default)]
struct Between {
    written: PRegSet,
    /// Whether something is written to spill slots.
    spills: bool,
}

impl<'a> CallNotes<'a> {
    /// For a function whose calls are to be described.
    #[cold]
    pub fn new<I: Isa>(
        isa: &I,
        func: &'a MFunc,
        unit: &Unit<'_>,
        distances: Option<FrameDistances>,
        conv: &'static ConvDesc,
    ) -> Option<CallNotes<'a>> {
        describes_calls(unit).then(|| CallNotes {
            calls: Vec::new(),
            parameters: Vec::new(),
            index: 0,
            func,
            desc: isa.desc(),
            ops: isa.op_descs(),
            rules: isa.mach_rules(),
            conv,
            distances,
            before: only_predecessors(func),
        })
    }

    /// Notes a call, which [`CallNotes::index`] is; `range` is where the instruction begins and ends.
    pub fn note(&mut self, call: &MInst, range: (u32, u32), is_tail: bool) {
        let inst = &self.func.insts[self.index as usize];
        let sets = self.func.implicit(inst, op_desc(self.ops, inst.op));
        let kept = match is_tail {
            true => PRegSet::EMPTY,
            false => self.conv.callee_saved.minus(sets.defs),
        };
        let Some(callee) = self.callee(call, kept) else {
            return;
        };
        let first = self.parameters.len() as u32;
        for &register in self.conv.int_args.iter().filter(|register| register.is_register()) {
            if sets.uses.contains(register) {
                let parameter = self.parameter(register, kept, is_tail);
                self.parameters.extend(parameter);
            }
        }
        self.calls.push(DescribedCall {
            range,
            callee,
            is_tail,
            parameters: (first, self.parameters.len() as u32),
        });
    }

    fn callee(&self, call: &MInst, kept: PRegSet) -> Option<Callee> {
        if let Some(reference) = call.reference() {
            let is_function = matches!(reference.kind(), RefKind::Symbol | RefKind::Plt | RefKind::Got);
            return Some(Callee::Symbol(reference.as_symbol().filter(|_| is_function)?));
        }
        let desc = op_desc(self.ops, call.op);
        if desc.roles[1] == Role::Base {
            let base = call.mem().base_reg();
            let is_simple = base.is_physical() && call.mem().index_reg().is_none();
            let number = self.desc.dwarf_number(base).filter(|_| is_simple)?;
            return Some(Callee::Memory(number, call.disp, kept.contains(base)));
        }
        let register = call.reg(0);
        let number = self.desc.dwarf_number(register).filter(|_| register.is_physical())?;
        Some(Callee::Register(number, kept.contains(register)))
    }

    fn parameter(&self, register: Reg, kept: PRegSet, is_tail: bool) -> Option<CallParameter> {
        let wanted = Wanted {
            register,
            added: 0,
            bits: 64,
        };
        let (spot, shape, bits) = self.find(wanted, kept, is_tail)?;
        Some(CallParameter {
            register: self.desc.dwarf_number(register)?,
            spot,
            shape,
            bits,
        })
    }

    /// Looks for what is wanted at the call, backwards.
    fn find(&self, mut wanted: Wanted, kept: PRegSet, is_tail: bool) -> Option<(Spot, Shape, u8)> {
        let mut between = Between::default();
        let blocks = &self.func.blocks;
        let mut block = blocks.partition_point(|block| block.end <= self.index);
        let mut at = self.index;
        for _ in 0..MOST_STEPS {
            if at == blocks.get(block)?.start {
                block = self.before[block]? as usize;
                at = blocks[block].end;
                continue;
            }
            at -= 1;
            let inst = &self.func.insts[at as usize];
            let desc = op_desc(self.ops, inst.op);
            if inst.op == pseudo::LABEL {
                return None;
            }
            let written = self.written(inst, desc);
            if written.contains(wanted.register) {
                if inst.op == pseudo::ENTRY {
                    let spot = Spot::Entry(self.desc.dwarf_number(wanted.register)?);
                    return Some(wanted.found(spot));
                }
                match self.step(inst, desc, &mut wanted, &between, is_tail)? {
                    Some(spot) => return Some(spot),
                    None if kept.contains(wanted.register) && !between.written.contains(wanted.register) => {
                        let number = self.desc.dwarf_number(wanted.register)?;
                        return Some(wanted.found(Spot::Register(number)));
                    }
                    None => {}
                }
            }
            between.written = between.written.union(written);
            between.spills |= desc.writes_memory && self.func.is_spill_slot(inst);
        }
        None
    }

    /// What an instruction that writes the register says of it: where the value is, or another register.
    fn step(
        &self,
        inst: &MInst,
        desc: &OpDesc,
        wanted: &mut Wanted,
        between: &Between,
        is_tail: bool,
    ) -> Option<Option<(Spot, Shape, u8)>> {
        let is_result = desc.roles[0] == Role::Def && inst.reg(0) == wanted.register;
        match self.rules.contents(inst).filter(|_| is_result)? {
            Contents::Constant(number) => Some(Some(wanted.found(Spot::Constant(number)))),
            Contents::Address(mem) => {
                let (spot, added) = self.address(mem, is_tail)?;
                wanted.added = wanted.added.wrapping_add(added);
                Some(Some(wanted.found(spot)))
            }
            Contents::Loaded(mem, bits) => {
                let is_there = self.func.is_spill_slot(inst) && !between.spills && !is_tail;
                let areas = self.distances.filter(|_| is_there)?.areas?;
                let (spot, mut shape, narrowed) = wanted.found(Spot::Frame(mem.disp + areas));
                shape.bits = bits.into();
                Some(Some((spot, shape, narrowed)))
            }
            Contents::Sum(register, added, bits) => {
                // Zeros above come first if something was added since.
                if bits < wanted.bits && wanted.added != 0 {
                    return None;
                }
                wanted.register = register;
                wanted.added = wanted.added.wrapping_add(added);
                wanted.bits = wanted.bits.min(bits);
                Some(None)
            }
        }
    }

    /// An address in the frame, or of a symbol, and what is added to it.
    fn address(&self, mem: Mem, is_tail: bool) -> Option<(Spot, i64)> {
        if let Some(reference) = mem.reference() {
            let symbol = reference.as_symbol().filter(|_| reference.kind() == RefKind::Symbol)?;
            return Some((Spot::Symbol(symbol), mem.disp.into()));
        }
        let distances = self.distances.filter(|_| mem.base_reg() == Reg::FRAME && !is_tail)?;
        let distance = match mem.disp < INCOMING / 2 {
            true => mem.disp + distances.areas?,
            false => mem.disp - INCOMING + distances.incoming,
        };
        Some((Spot::FrameAddress(distance), 0))
    }

    /// All registers that an instruction may write.
    fn written(&self, inst: &MInst, desc: &OpDesc) -> PRegSet {
        let RegSets { mut defs, .. } = self.func.implicit(inst, desc);
        for_each_register(inst, desc, |_, register, role| {
            if register.is_physical() && matches!(role, Role::Def | Role::UseDef) {
                defs.insert(register);
            }
        });
        // Frame code of functions whose frame is not set up at their beginning.
        if matches!(inst.op, pseudo::PROLOGUE | pseudo::RESTORE) {
            defs = defs.union(self.conv.callee_saved);
            self.desc.classes.iter().for_each(|class| defs.insert(class.scratch));
        }
        defs
    }
}

impl Wanted {
    /// The value, of which the register turned out to be at a place.
    fn found(self, spot: Spot) -> (Spot, Shape, u8) {
        let Wanted { added, bits, .. } = self;
        (spot, Shape { added, bits: 0 }, bits)
    }
}

/// Whether the debug information of a function says that its calls are described.
pub(crate) fn describes_calls(unit: &Unit<'_>) -> bool {
    let debug = &unit.function.debug;
    let of_module = unit.view.module.debug.as_deref();
    let data = debug.subprogram.node().and_then(|node| {
        let own = debug.nodes.get::<Subprogram>(node);
        own.or_else(|| of_module?.nodes.get::<Subprogram>(node))
    });
    data.is_some_and(|data| data.flags & ALL_CALLS_DESCRIBED != 0)
}

/// By block: the only one from which it is entered, over one edge.
fn only_predecessors(func: &MFunc) -> Vec<Option<u32>> {
    let mut counts = vec![0_u32; func.blocks.len()];
    let mut before = vec![None; func.blocks.len()];
    for block in 0..func.blocks.len() as u32 {
        for edge in &func.edges[func.edges_of(block)] {
            counts[edge.to as usize] += 1;
            before[edge.to as usize] = Some(block);
        }
    }
    for (count, before) in counts.iter().zip(&mut before) {
        before.take_if(|_| *count != 1);
    }
    before
}
