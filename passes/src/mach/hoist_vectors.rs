//! Vectors that lowering rules load from constant memory are loaded once before the loops that use them.
//!
//! ```text
//! b1:                                  movaps xmm7, [c0]
//!   movups xmm0, [rdi + rax]           b1:
//!   paddb  xmm0, [c0]            ->      movups xmm0, [rdi + rax]
//!   movups [rdi + rax], xmm0             paddb  xmm0, xmm7
//!   add    rax, 16                       movups [rdi + rax], xmm0
//!   jne    b1                            ...
//! ```
//!
//! Method: innermost loops without calls are looked at, before registers are allocated, if control comes to them from
//! one block that goes nowhere else. Their constants of at least 16 bytes are counted: loaded ones, operands in memory,
//! and zeros or ones that are made. How many float registers the loop needs at once is estimated from the first and the
//! last place that names each; as many constants as there are registers left, those that save most first, get a
//! register that is loaded at the end of the block before; zeros that are made many times get one in any case, since
//! the allocator makes them anew where it has none. What a load wrote is that register, or, if it is written
//! again, a copy of it; operands in memory become registers if the target has that form
//! ([`frazil_codegen::pass::MachRules::with_loaded_operand`]).
//!
//! It has to stand before `regalloc` in a recipe, since constants need registers of their own; after it, it does
//! nothing.
//!
//! Constants that the program names are hoisted by `hoist-constants`, which sees them earlier and in all loops. This
//! pass finds what rules make: tables for shuffles, bits of masks, numbers of conversions.
//!
//! Costs: a walk over the instructions of innermost loops of functions with vectors. Gains: a load for each round and
//! use.

use frazil_codegen::desc::{OpDesc, Role, SLOTS};
use frazil_codegen::mfunc::{MFunc, Term, can_rematerialize, for_each_register, op_desc, pseudo};
use frazil_codegen::minst::{MInst, rewrite_registers};
use frazil_codegen::pass::{MachPass, MachPassCx};
use frazil_codegen::{Mem, RefKind, Reg, RegClass};
use frazil_ir::pass::{Level, PassInfo};
use std::ops::Range;

pub const INFO: PassInfo = PassInfo {
    name: "hoist-vectors",
    summary: "loads constant vectors once before the innermost loops that use them",
    level: Level::Mach,
    required: false,
    after: &[],
    before: &[],
};

/// Registers that are left to what the estimate does not see.
const SPARE_REGISTERS: usize = 2;
/// What a loop makes so many times gets a register though none seems to be left: where that is so, the allocator makes
/// it anew.
const OFTEN: u32 = 8;
/// The most constants that one loop gets registers for.
const MOST_CONSTANTS: usize = 8;

/// See the head of the file.
#[derive(Debug)]
pub struct HoistVectors;

/// A constant that a loop loads or makes.
struct Constant {
    source: Source,
    bytes: u8,
    /// How much leaves the loop with it: twice what loads it, once what makes it.
    gain: u32,
    /// The register that holds it, once it has one.
    reg: Reg,
}

/// Where a constant comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Memory(Mem),
    /// An instruction without operands, for what is all zeros or all ones.
    Made(MInst),
}

/// Where a loop names a virtual register.
#[derive(Clone, Copy)]
struct Span {
    first: u32,
    last: u32,
    /// Whether it is written outside, or in the round before.
    is_from_outside: bool,
    /// How often the loop writes it.
    writes: u32,
    /// Whether it is written by what loads or makes a constant.
    is_constant: bool,
}

impl Span {
    const NONE: Span = Span {
        first: u32::MAX,
        last: 0,
        is_from_outside: false,
        writes: 0,
        is_constant: false,
    };
}

/// Memory that is kept from function to function.
#[derive(Default)]
struct Scratch {
    constants: Vec<Constant>,
    /// By virtual register.
    spans: Vec<Span>,
    /// Virtual registers that the loop names.
    named: Vec<u32>,
    /// Changes of the number of registers in use, by place.
    changes: Vec<i32>,
    /// By virtual register that a load wrote which is gone: what holds the same. Empty if there is none.
    renamed: Vec<Reg>,
    /// Blocks and the instructions that they get at their end.
    added: Vec<(u32, MInst)>,
    insts: Vec<MInst>,
    origins: Vec<u32>,
}

impl MachPass for HoistVectors {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        if cx.is_allocated || !func.blocks.iter().any(|block| block.loop_depth > 0) {
            return 0;
        }
        let mut scratch: Box<Scratch> = cx.scratch.take();
        scratch.added.clear();
        scratch.renamed.clear();
        func.compute_predecessors();
        for header in 0..func.blocks.len() as u32 {
            if let Some(before) = block_before(func, header) {
                scratch.hoist(func, cx, header, before);
            }
        }
        let count = scratch.added.len() as u64;
        if count > 0 {
            scratch.rebuild(func, cx.hooks.ops());
        }
        cx.scratch.give_back(scratch);
        count
    }
}

/// The blocks of a loop by its header.
fn blocks_of(func: &MFunc, header: u32) -> Range<u32> {
    header..func.blocks[header as usize].loop_end
}

/// The block that leads to an innermost loop and nowhere else.
fn block_before(func: &MFunc, header: u32) -> Option<u32> {
    let block = &func.blocks[header as usize];
    let inside = blocks_of(func, header);
    let is_innermost = || {
        // Depths are only counted up to a limit.
        let mut others = header + 1..inside.end;
        others.all(|other| {
            let data = &func.blocks[other as usize];
            data.loop_depth == block.loop_depth && data.loop_end <= other + 1
        })
    };
    if block.loop_depth == 0 || !is_innermost() {
        return None;
    }
    let mut before = None;
    let mut is_loop = false;
    for &edge in func.pred_edges(header) {
        let from = func.edges[edge as usize].from;
        if inside.contains(&from) {
            is_loop = true;
        } else if before.replace(from).is_some() {
            return None;
        }
    }
    let before = before.filter(|_| is_loop)?;
    let data = &func.blocks[before as usize];
    (data.term == Term::Jump && data.edge_count == 1).then_some(before)
}

impl Scratch {
    fn hoist(&mut self, func: &mut MFunc, cx: &MachPassCx<'_>, header: u32, before: u32) {
        let ops = cx.hooks.ops();
        self.constants.clear();
        let blocks = blocks_of(func, header);
        let first = func.blocks[blocks.start as usize].start;
        let last = func.blocks[blocks.end as usize - 1].end;
        let mut has_constants = false;
        for index in first..last {
            let inst = &func.insts[index as usize];
            let desc = op_desc(ops, inst.op);
            if desc.has_sets && inst.op < pseudo::FIRST {
                return;
            }
            has_constants |= constant(func, cx, inst, desc).is_some();
        }
        if !has_constants {
            return;
        }
        let target = cx.hooks.desc();
        let usual = target.class(RegClass::Float).allocatable;
        let all = usual.union(cx.hooks.upper_registers()).iter().count();
        let needed = self.pressure(func, cx, first..last) + SPARE_REGISTERS;
        for index in first..last {
            self.note(func, cx, index);
        }
        self.constants.sort_by_key(|constant| std::cmp::Reverse(constant.gain));
        let is_made_often = |constant: &Constant| matches!(constant.source, Source::Made(_)) && constant.gain >= OFTEN;
        let least = usize::from(self.constants.first().is_some_and(is_made_often));
        let free = all.saturating_sub(needed).max(least);
        self.constants.truncate(free.min(MOST_CONSTANTS));
        for constant in &mut self.constants {
            constant.reg = func.new_vreg(RegClass::Float, constant.bytes, u32::MAX);
            let load = match constant.source {
                Source::Memory(mem) => cx.hooks.reload(RegClass::Float, constant.bytes, constant.reg, mem),
                Source::Made(mut inst) => {
                    inst.set_reg(0, constant.reg);
                    inst
                }
            };
            self.added.push((before, load));
        }
        for index in first..last {
            self.replace(func, cx, index);
        }
    }

    /// The constant of an instruction that can have it from before the loop.
    fn constant_at(&self, func: &MFunc, cx: &MachPassCx<'_>, index: u32) -> Option<(Source, u8)> {
        let inst = &func.insts[index as usize];
        let found = constant(func, cx, inst, op_desc(cx.hooks.ops(), inst.op))?;
        // A copy would cost as much as what makes it.
        let is_written_again = || self.spans[inst.reg(0).virtual_index()].writes > 1;
        let is_kept = matches!(found.0, Source::Made(_)) && is_written_again() || is_in_group(func, index);
        (!is_kept).then_some(found)
    }

    fn note(&mut self, func: &MFunc, cx: &MachPassCx<'_>, index: u32) {
        let Some((source, bytes)) = self.constant_at(func, cx, index) else {
            return;
        };
        let gain = if matches!(source, Source::Memory(_)) { 2 } else { 1 };
        match self.find(source, bytes) {
            Some(number) => self.constants[number].gain += gain,
            None => self.constants.push(Constant {
                source,
                bytes,
                gain,
                reg: Reg::NONE,
            }),
        }
    }

    fn find(&self, source: Source, bytes: u8) -> Option<usize> {
        let is_same = |constant: &Constant| constant.source == source && constant.bytes == bytes;
        self.constants.iter().position(is_same)
    }

    /// Makes an instruction use the register of its constant.
    fn replace(&mut self, func: &mut MFunc, cx: &MachPassCx<'_>, index: u32) {
        let inst = func.insts[index as usize];
        let desc = op_desc(cx.hooks.ops(), inst.op);
        let Some((source, bytes)) = self.constant_at(func, cx, index) else {
            return;
        };
        let Some(number) = self.find(source, bytes) else { return };
        let register = self.constants[number].reg;
        if is_load(&inst, desc) && self.spans[inst.reg(0).virtual_index()].writes == 1 {
            self.renamed.resize(func.vregs.len(), Reg::NONE);
            self.renamed[inst.reg(0).virtual_index()] = register;
            return;
        }
        // What a rule has for itself may be wider than it says.
        let written = &mut func.vregs[inst.reg(0).virtual_index()];
        written.bytes = written.bytes.max(bytes);
        func.insts[index as usize] = match is_load(&inst, desc) {
            true => cx.hooks.mov(RegClass::Float, bytes, inst.reg(0), register),
            false => match cx.hooks.rules().with_loaded_operand(&inst, register) {
                Some((other, _)) => other,
                None => return,
            },
        };
    }

    /// About how many float registers are in use at once in a range of instructions that is repeated, but for constants
    /// that would be gone.
    fn pressure(&mut self, func: &MFunc, cx: &MachPassCx<'_>, range: Range<u32>) -> usize {
        self.spans.clear();
        self.spans.resize(func.vregs.len(), Span::NONE);
        self.named.clear();
        for index in range.clone() {
            let inst = &func.insts[index as usize];
            let desc = op_desc(cx.hooks.ops(), inst.op);
            let is_constant = is_load(inst, desc) && constant(func, cx, inst, desc).is_some();
            for_each_register(inst, desc, |_, reg, role| {
                if !reg.is_virtual() || func.vreg(reg).class != RegClass::Float {
                    return;
                }
                let span = &mut self.spans[reg.virtual_index()];
                if span.first == u32::MAX {
                    span.first = index;
                    span.is_from_outside = !matches!(role, Role::Def);
                    self.named.push(reg.virtual_index() as u32);
                }
                span.last = index;
                span.writes += u32::from(matches!(role, Role::Def | Role::UseDef));
                span.is_constant |= is_constant;
            });
        }
        self.follow_edges(func, &range);
        self.changes.clear();
        self.changes.resize(range.len() + 1, 0);
        for &reg in &self.named {
            let span = self.spans[reg as usize];
            if span.is_constant && span.writes == 1 {
                continue;
            }
            let (first, last) = match span.is_from_outside {
                true => (range.start, range.end - 1),
                false => (span.first, span.last),
            };
            self.changes[(first - range.start) as usize] += 1;
            self.changes[(last + 1 - range.start) as usize] -= 1;
        }
        let mut in_use = 0;
        let most = self.changes.iter().map(|change| {
            in_use += change;
            in_use
        });
        most.max().unwrap_or(0).max(0) as usize
    }

    /// What edges within the loop define begins with a block, and what they read is needed until a block ends.
    fn follow_edges(&mut self, func: &MFunc, range: &Range<u32>) {
        for (index, edge) in func.edges.iter().enumerate() {
            let end = func.blocks[edge.from as usize].end;
            let start = func.blocks[edge.to as usize].start;
            let is_inside = end > range.start && end <= range.end && range.contains(&start);
            for phi in func.moves_of(index).iter().filter(|_| is_inside) {
                if phi.dst.is_virtual() {
                    let defined = &mut self.spans[phi.dst.virtual_index()];
                    defined.first = defined.first.min(start);
                    defined.is_from_outside = false;
                    defined.writes += 1;
                }
                if phi.src.is_virtual() {
                    let read = &mut self.spans[phi.src.virtual_index()];
                    read.last = read.last.max(end - 1);
                }
            }
        }
    }

    /// Puts the loads where they belong, and leaves out those that are gone.
    fn rebuild(&mut self, func: &mut MFunc, ops: &'static [OpDesc]) {
        self.insts.clear();
        self.origins.clear();
        // Headers come in their order, but the blocks before them may not.
        self.added.sort_by_key(|added| added.0);
        let mut next = 0;
        let mut next_group = 0;
        for block in 0..func.blocks.len() as u32 {
            let range = func.blocks[block as usize].start..func.blocks[block as usize].end;
            let start = self.insts.len() as u32;
            for index in range {
                let inst = func.insts[index as usize];
                if let Some(group) = func.groups.get_mut(next_group).filter(|group| group.start == index) {
                    // What is in a group stays.
                    *group = self.insts.len() as u32..self.insts.len() as u32 + group.len() as u32;
                    next_group += 1;
                }
                if !self.is_gone(&inst, op_desc(ops, inst.op)) {
                    self.insts.push(self.with_names(inst, op_desc(ops, inst.op)));
                    self.origins.push(func.origins[index as usize]);
                }
            }
            while let Some(&(_, load)) = self.added.get(next).filter(|added| added.0 == block) {
                let origin = self.origins.last().copied().unwrap_or(0);
                self.insts.push(load);
                self.origins.push(origin);
                next += 1;
            }
            func.blocks[block as usize].start = start;
            func.blocks[block as usize].end = self.insts.len() as u32;
        }
        for phi in &mut func.phi_moves {
            phi.src = self.name_of(phi.src);
        }
        std::mem::swap(&mut func.insts, &mut self.insts);
        std::mem::swap(&mut func.origins, &mut self.origins);
    }

    /// The register that holds what this one did.
    fn name_of(&self, reg: Reg) -> Reg {
        let renamed = reg.is_virtual().then(|| self.renamed.get(reg.virtual_index()));
        match renamed.flatten() {
            Some(&other) if other != Reg::NONE => other,
            _ => reg,
        }
    }

    /// Whether an instruction wrote a register that has another name now.
    fn is_gone(&self, inst: &MInst, desc: &OpDesc) -> bool {
        desc.roles[0] == Role::Def && self.name_of(inst.reg(0)) != inst.reg(0)
    }

    /// An instruction with the registers that hold now what it reads.
    fn with_names(&self, inst: MInst, desc: &OpDesc) -> MInst {
        let mut inst = inst;
        if !self.renamed.is_empty() {
            rewrite_registers(&mut inst, desc, |operand| self.name_of(operand.reg));
        }
        inst
    }
}

/// The constant vector that an instruction loads, makes, or has as an operand, and its bytes.
fn constant(func: &MFunc, cx: &MachPassCx<'_>, inst: &MInst, desc: &OpDesc) -> Option<(Source, u8)> {
    if inst.op >= pseudo::FIRST || !inst.reg(0).is_virtual() || func.vreg(inst.reg(0)).class != RegClass::Float {
        return None;
    }
    if !desc.reads_memory {
        let mut made = *inst;
        made.set_reg(0, Reg::NONE);
        return is_load(inst, desc).then_some((Source::Made(made), desc.operand_bytes(0, inst.size)));
    }
    let mem = inst.mem();
    let is_constant = mem
        .reference()
        .is_some_and(|reference| reference.kind() == RefKind::Constant);
    // What else only writes a register may read less than a vector.
    let has_register = desc.roles[0] == Role::UseDef || desc.roles[SLOTS - 1] == Role::Use;
    if !is_constant || !has_register && !is_load(inst, desc) {
        return None;
    }
    // Loads have a form with a register, too, if they load whole vectors, also for values that need less.
    let (_, bytes) = cx.hooks.rules().with_loaded_operand(inst, inst.reg(0))?;
    Some((Source::Memory(mem), bytes))
}

/// Whether an instruction is part of a group, which stays as it is (contract 7).
fn is_in_group(func: &MFunc, index: u32) -> bool {
    let next = func.groups.partition_point(|group| group.end <= index);
    func.groups.get(next).is_some_and(|group| group.start <= index)
}

/// Whether an instruction does nothing but load or make a constant.
fn is_load(inst: &MInst, desc: &OpDesc) -> bool {
    desc.roles[0] == Role::Def && can_rematerialize(inst, desc)
}
