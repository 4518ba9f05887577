//! The machine function: machine instructions over virtual registers, in blocks, as the selecting context makes them.
//!
//! Life of one: [`crate::select`] fills it; machine passes may edit it; [`crate::regalloc`] reads it and returns an
//! [`crate::regalloc::Allocation`]; [`crate::finish`] turns both into a function over physical registers, on which
//! further passes run, and then into bytes.
//!
//! Invariants:
//! * blocks stand in layout order and own consecutive ranges of `insts`; loops are contiguous where the control flow
//!   is reducible; block 0 is the entry and has no predecessors;
//! * a virtual register may be defined more than once (two-address code), but on every path from the entry a
//!   definition comes before each use; those of phis are defined by the moves of edges ([`PhiMove`]); on an edge into a
//!   phi's block without a move for it, the phi becomes anything (a phi that keeps its value has a move to itself);
//! * a virtual register that is named by a [`PhiMove`] as source but has no definition at all is a constant:
//!   [`VReg::constant`] is the instruction that makes it, which may stand at any place (it writes no flags);
//! * physical registers in operands and in [`RegSets`] are fixed: each is defined before it is used within its block
//!   and never live across a block boundary, except those that are not allocatable, and what a call that ends its block
//!   leaves to a [`pseudo::ARRIVE`];
//! * the instructions of a group ([`MFunc::groups`]) are one instruction for allocators and checkers (contract 7):
//!   every use is live throughout the group, every definition is live from its start, nothing is inserted inside;
//! * flags are live only between adjacent instructions of a block (contract 2);
//! * memory operands with base [`Reg::FRAME`] are in the frame, at a distance from where a frame pointer would point;
//!   for incoming arguments that is made larger by [`INCOMING`], since an address computed from an area of the function
//!   may pass its end before an index brings it back.

use crate::branch::Join;
use crate::desc::{OpDesc, Role, SLOTS};
use crate::frame::Frame;
use crate::inline_asm::AsmSite;
use crate::minst::{MInst, visit_registers};
use crate::reference::{Label, RefKind};
use crate::reg::{PRegSet, Reg, RegClass};
use std::ops::Range;

/// Added to the distance of incoming arguments from the frame pointer in displacements from [`Reg::FRAME`].
pub const INCOMING: i32 = 1 << 30;

/// Rows that every target has besides its own; numbers above any table.
pub mod pseudo {
    /// Binds the label in `imm` (inside a group).
    pub const LABEL: u16 = 0xffff;
    /// The start of the function: defines the registers of the [`super::RegSets`] that `imm` names.
    pub const ENTRY: u16 = 0xfffe;
    /// Leaves the function: reads the registers of the [`super::RegSets`] that `imm` names.
    pub const RETURN: u16 = 0xfffd;
    /// Nothing: a deleted instruction.
    pub const NOP: u16 = 0xfffc;
    /// Reads `regs[0]`. Stands in a group before a definition that does not always happen, for the contents that
    /// the register keeps then.
    pub const USE: u16 = 0xfffb;
    /// Sets up the frame; the first instruction of its block. Without any, it is set up at the function's start.
    pub const PROLOGUE: u16 = 0xfffa;
    /// Tears the frame down again; the last instruction of a block with one successor.
    pub const RESTORE: u16 = 0xfff9;
    /// What a call or an unwinder leaves in registers when it enters the block: defines those of the
    /// [`super::RegSets`] that `imm` names, from the start of the block on, moves of edges included. The first
    /// instruction of blocks that edges of a [`super::Term::Invoke`] lead to, except for moves of the edge.
    pub const ARRIVE: u16 = 0xfff8;
    /// An inline assembly text, the last instruction of its group but for what reads the flags: the number of its
    /// [`super::AsmSite`] is in `disp`, `imm` names the [`super::RegSets`] of fixed operands and of what it overwrites.
    pub const ASM: u16 = 0xfff7;
    /// An operand of the text in the same group: `regs[0]`, read. Its number is in `imm`, as in the next ones.
    pub const ASM_IN: u16 = 0xfff6;
    /// The same, written.
    pub const ASM_OUT: u16 = 0xfff5;
    /// The same, read and written.
    pub const ASM_IN_OUT: u16 = 0xfff4;
    /// The same, in memory.
    pub const ASM_MEMORY: u16 = 0xfff3;
    /// On the normal edge of an invoke: moves the stack pointer to where it was before the arguments. In `disp` is by
    /// how many bytes that is down from where the callee has left it, unless the arguments are pushed.
    pub const RELEASE: u16 = 0xfff2;
    /// The smallest number of them.
    pub const FIRST: u16 = RELEASE;

    /// Whether a row is an inline assembly text or an operand of one.
    #[inline]
    pub const fn is_asm(op: u16) -> bool {
        op <= ASM && op >= ASM_MEMORY
    }
}

/// Rows of the pseudo instructions, from the largest number down.
static PSEUDO_DESCS: [OpDesc; 14] = [
    OpDesc::plain("label"),
    OpDesc::plain("entry").with_sets(),
    OpDesc::plain("return").with_sets(),
    OpDesc::plain("nop"),
    OpDesc {
        roles: [Role::Use, Role::None, Role::None, Role::None],
        ..OpDesc::plain("use")
    },
    OpDesc::plain("prologue"),
    OpDesc::plain("restore"),
    OpDesc::plain("arrive").with_sets(),
    OpDesc {
        writes_flags: true,
        reads_memory: true,
        writes_memory: true,
        ..OpDesc::plain("asm").with_sets()
    },
    OpDesc {
        roles: [Role::Use, Role::None, Role::None, Role::None],
        ..OpDesc::plain("asm input")
    },
    OpDesc {
        roles: [Role::Def, Role::None, Role::None, Role::None],
        ..OpDesc::plain("asm output")
    },
    OpDesc {
        roles: [Role::UseDef, Role::None, Role::None, Role::None],
        ..OpDesc::plain("asm operand")
    },
    OpDesc {
        roles: [Role::None, Role::Base, Role::Index, Role::None],
        reads_memory: true,
        writes_memory: true,
        ..OpDesc::plain("asm memory")
    },
    // What is stored at the stack pointer does not pass it.
    OpDesc {
        reads_memory: true,
        writes_memory: true,
        ..OpDesc::plain("release")
    },
];

/// What is known of a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VReg {
    /// The class of registers that it needs.
    pub class: RegClass,
    /// Bytes that must be kept when it is stored: 1, 2, 4, 8 or 16. Its slot has at least 4.
    pub bytes: u8,
    /// The value that it holds a part of, or `u32::MAX`; for debug information and annotations.
    pub value: u32,
    /// For a register without definitions: index into [`MFunc::constants`] of what makes it.
    pub constant: Option<u32>,
}

/// Registers that an instruction uses and defines besides its operands: arguments, results and what a call
/// overwrites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegSets {
    /// Read.
    pub uses: PRegSet,
    /// Written.
    pub defs: PRegSet,
    /// Of a call whose arguments on the stack are words, all of them stored one by one in its block, the last one
    /// first: how many bytes these are; else 0. See [`crate::desc::TargetDesc::pushes_arguments`].
    pub pushable_bytes: u32,
}

impl RegSets {
    /// The sets of an instruction that passes nothing on the stack.
    #[inline]
    pub const fn new(uses: PRegSet, defs: PRegSet) -> RegSets {
        RegSets {
            uses,
            defs,
            pushable_bytes: 0,
        }
    }
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// To its only edge.
    Jump,
    /// By the last instruction (two of them for a branch on two conditions) of the block to its first edge if it is
    /// taken, else to the second. Their labels are not set.
    Branch(Option<Join>),
    /// By the dispatch code that ends the block, whose labels are those of edges; or by a jump to an address, which is
    /// the label of one of them.
    Switch,
    /// By a call, the last instruction, to its first edge when it returns, to the second when it unwinds.
    Invoke,
    /// By [`pseudo::RETURN`].
    Return,
    /// Control does not come to the end.
    Stop,
}

/// A block: a range of instructions, and its edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MBlock {
    /// First instruction.
    pub start: u32,
    /// One past the last instruction.
    pub end: u32,
    /// First of its edges in [`MFunc::edges`].
    pub first_edge: u32,
    /// Number of its edges.
    pub edge_count: u32,
    /// How it ends.
    pub term: Term,
    /// Number of loops it is in.
    pub loop_depth: u8,
    /// If it is the header of a loop: one past the last block of the loop; else its own number plus one.
    pub loop_end: u32,
    /// The block of the intermediate representation, for annotations.
    pub source: u32,
}

/// Control flow from a block to another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MEdge {
    /// The block it leaves.
    pub from: u32,
    /// The block it goes to.
    pub to: u32,
    /// For edges of a [`Term::Switch`], the label that dispatch code names.
    pub label: Option<Label>,
    /// First of its moves in [`MFunc::phi_moves`].
    pub first_move: u32,
    /// Number of its moves.
    pub move_count: u32,
}

/// `dst = src` on an edge, at the same time as the other moves of the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhiMove {
    pub dst: Reg,
    /// What it becomes: a virtual register.
    pub src: Reg,
}

/// What the function needs of its frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameNeeds {
    /// The areas below the frame pointer so far: stack slots of the function.
    pub areas: Frame,
    /// After allocation: what lies below this offset from the frame pointer are spill slots, which nothing but moves
    /// and single operands reaches.
    pub spills_below: i32,
    /// Bytes for arguments on the stack at the frame's end; 0 when each call moves the stack pointer.
    pub outgoing_bytes: u32,
    /// Bytes of arguments that the function takes off the stack when it returns.
    pub popped_bytes: u32,
    /// Whether instructions name the frame pointer itself.
    pub names_frame_pointer: bool,
    /// Whether inline assembly has the frame pointer as a register like others.
    pub gives_up_frame_pointer: bool,
    /// Whether the stack pointer moves within the body.
    pub has_dynamic_stack: bool,
    /// What the frame is aligned to in bytes, whatever callers do; 0 if it need not be.
    pub realigned_to: u32,
    /// The register that points to the areas of such a frame in a function that moves the stack pointer.
    pub area_register: Option<Reg>,
    /// Whether the function calls others.
    pub has_calls: bool,
    /// Registers that the caller wants back.
    pub callee_saved: PRegSet,
    /// After allocation: whether the frame pointer will be set up.
    pub has_pointer: bool,
    /// Whether the frame is set up by [`pseudo::PROLOGUE`].
    pub is_wrapped: bool,
    /// Whether the frame must be set up first, on all paths.
    pub is_never_wrapped: bool,
    /// Whether it calls something that returns twice; then spill slots are not used for several values.
    pub calls_returning_twice: bool,
}

impl FrameNeeds {
    fn clear(&mut self) {
        let mut areas = std::mem::take(&mut self.areas);
        areas.reset(true, 0);
        *self = FrameNeeds {
            areas,
            ..FrameNeeds::default()
        };
    }
}

/// A machine function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MFunc {
    pub frame: FrameNeeds,
    /// Instructions in layout order.
    pub insts: Vec<MInst>,
    /// The instruction of the intermediate representation that each belongs to; or a number of [`MFunc::identities`],
    /// if there are any. See [`MFunc::origin`].
    pub origins: Vec<u32>,
    /// After allocation, in a function whose variables are followed ([`crate::follow`]): what the numbers in
    /// [`MFunc::origins`] stand for. An instruction keeps its number as long as it does the same to registers.
    pub identities: Vec<u32>,
    /// The numbers of instructions of which one does the work of several, on all of their paths.
    pub shared: Vec<u32>,
    /// Instructions that do elsewhere what they did: their numbers, and those that they had.
    pub moved: Vec<(u32, u32)>,
    /// Blocks in layout order.
    pub blocks: Vec<MBlock>,
    /// Edges, those of a block together, in the order of its successors.
    pub edges: Vec<MEdge>,
    /// Moves of edges.
    pub phi_moves: Vec<PhiMove>,
    pub vregs: Vec<VReg>,
    /// Bytes of the narrowest integer register ([`crate::desc::TargetDesc::moves_whole_registers`]).
    pub least_int_bytes: u8,
    /// Instructions that make constants; the register is in `regs[0]`.
    pub constants: Vec<MInst>,
    /// Where arguments were passed in memory: the displacement of each from [`Reg::FRAME`] and its size in bytes.
    /// Aggregates and variable arguments are not among them, so that only arguments of tail calls are written there.
    pub argument_places: Vec<(i32, u8)>,
    /// Calls that take the place of the function: instructions after its epilogue. A [`pseudo::RETURN`] names one by
    /// its `disp`, the number plus one; else it returns.
    pub tail_calls: Vec<MInst>,
    /// What instructions with [`OpDesc::has_sets`] use and define; named by `imm`.
    pub sets: Vec<RegSets>,
    /// Groups as ranges of instructions, ascending.
    pub groups: Vec<Range<u32>>,
    /// Inline assembly texts.
    pub asm_sites: Vec<AsmSite>,
    /// Whether instructions rely on bits above the width of values, since a pass has removed an extension that changed
    /// nothing. Then copies and reloads of narrow values are no longer as good as each other (contract 1).
    pub relies_on_upper_bits: bool,
    /// Whether the program looks at its floating-point environment here: what rounds or raises exceptions is not pure.
    pub is_strict: bool,
    /// Edges into each block: ranges of `pred_edges`, after [`MFunc::compute_predecessors`].
    pred_start: Vec<u32>,
    pred_edges: Vec<u32>,
}

impl MFunc {
    /// Empties the function but keeps its memory.
    pub fn clear(&mut self) {
        self.frame.clear();
        self.insts.clear();
        self.origins.clear();
        self.identities.clear();
        self.moved.clear();
        self.shared.clear();
        self.blocks.clear();
        self.edges.clear();
        self.phi_moves.clear();
        self.vregs.clear();
        self.constants.clear();
        self.sets.clear();
        self.argument_places.clear();
        self.tail_calls.clear();
        self.groups.clear();
        self.asm_sites.clear();
        self.relies_on_upper_bits = false;
        self.is_strict = false;
        self.pred_start.clear();
        self.pred_edges.clear();
    }

    /// Whether an instruction of this row only computes ([`OpDesc::is_pure`]) in this function.
    #[inline]
    pub fn is_pure(&self, desc: &OpDesc) -> bool {
        desc.is_pure && !(desc.rounds && self.is_strict)
    }

    /// Appends to the list of virtual registers.
    #[inline]
    pub fn new_vreg(&mut self, class: RegClass, bytes: u8, value: u32) -> Reg {
        let reg = Reg::virtual_number(self.vregs.len() as u32);
        let least_bytes = match class {
            RegClass::Int => self.least_int_bytes,
            RegClass::Float | RegClass::Mask => 0,
        };
        self.vregs.push(VReg {
            class,
            bytes: bytes.max(least_bytes),
            value,
            constant: None,
        });
        reg
    }

    /// What is known of a virtual register.
    #[inline]
    pub fn vreg(&self, reg: Reg) -> &VReg {
        &self.vregs[reg.virtual_index()]
    }

    /// The instruction of the intermediate representation that an instruction belongs to.
    #[inline]
    pub fn origin(&self, index: usize) -> u32 {
        let number = self.origins[index];
        self.identities.get(number as usize).copied().unwrap_or(number)
    }

    /// Says that instructions are no longer what they were called: they are at another place, or executed on more
    /// paths.
    pub fn renew_identities(&mut self, range: Range<usize>) {
        if self.identities.is_empty() {
            return;
        }
        for index in range {
            let origin = self.origin(index);
            self.origins[index] = self.identities.len() as u32;
            self.identities.push(origin);
        }
    }

    /// Says that instructions have come to another place, where they do what they did.
    pub fn move_identities(&mut self, range: Range<usize>) {
        if !self.identities.is_empty() {
            let before = self.origins[range.clone()].to_vec();
            self.renew_identities(range.clone());
            self.moved.extend(self.origins[range].iter().copied().zip(before));
        }
    }

    /// Says that equal instructions do the work of these from now on, or that these do the work of others.
    pub fn share_identities(&mut self, range: Range<usize>) {
        if !self.identities.is_empty() {
            self.shared.extend_from_slice(&self.origins[range]);
        }
    }

    /// The edges of a block.
    #[inline]
    pub fn edges_of(&self, block: u32) -> Range<usize> {
        let block = &self.blocks[block as usize];
        block.first_edge as usize..(block.first_edge + block.edge_count) as usize
    }

    /// The moves of an edge.
    #[inline]
    pub fn moves_of(&self, edge: usize) -> &[PhiMove] {
        let edge = &self.edges[edge];
        &self.phi_moves[edge.first_move as usize..(edge.first_move + edge.move_count) as usize]
    }

    /// The edges into a block.
    #[inline]
    pub fn pred_edges(&self, block: u32) -> &[u32] {
        let block = block as usize;
        &self.pred_edges[self.pred_start[block] as usize..self.pred_start[block + 1] as usize]
    }

    /// Makes virtual registers as wide as the vectors that are written into them: rules do not say how wide what they
    /// have for themselves is, and what the allocator moves or stores is all of it.
    pub fn widen_registers(&mut self, ops: &'static [OpDesc], float_bytes: u8) {
        for inst in &self.insts {
            let desc = op_desc(ops, inst.op);
            for slot in 0..SLOTS {
                let is_written = matches!(desc.roles[slot], Role::Def | Role::UseDef);
                if !is_written || desc.classes[slot] != Some(RegClass::Float) || !inst.reg(slot).is_virtual() {
                    continue;
                }
                let bytes = desc.operand_bytes(slot, inst.size);
                let register = &mut self.vregs[inst.reg(slot).virtual_index()];
                if bytes > float_bytes.max(register.bytes) {
                    register.bytes = bytes;
                }
            }
        }
    }

    /// Collects the edges into each block.
    pub fn compute_predecessors(&mut self) {
        let starts = &mut self.pred_start;
        starts.clear();
        starts.resize(self.blocks.len() + 1, 0);
        for edge in &self.edges {
            starts[edge.to as usize] += 1;
        }
        // The end of each block's range, from which its edges, last one first, come down to its start.
        let mut end = 0;
        for start in starts.iter_mut() {
            end += *start;
            *start = end;
        }
        self.pred_edges.clear();
        self.pred_edges.resize(self.edges.len(), 0);
        for (number, edge) in self.edges.iter().enumerate().rev() {
            let place = &mut starts[edge.to as usize];
            *place -= 1;
            self.pred_edges[*place as usize] = number as u32;
        }
    }

    /// Whether an instruction with a memory operand accesses a spill slot. With an index it does not, but something in
    /// an area of the function that the index brings the address back to.
    #[inline]
    pub fn is_spill_slot(&self, inst: &MInst) -> bool {
        inst.names_frame() && inst.reg(2).is_none() && inst.disp < self.frame.spills_below
    }

    /// What an instruction reads and writes besides its register operands.
    #[inline]
    pub fn implicit(&self, inst: &MInst, desc: &OpDesc) -> RegSets {
        let mut sets = RegSets::new(desc.implicit_uses, desc.implicit_defs);
        if desc.has_sets {
            let more = self.sets[inst.imm as usize];
            sets.uses = sets.uses.union(more.uses);
            sets.defs = sets.defs.union(more.defs);
        }
        sets
    }
}

/// The row of an instruction, pseudo instructions included.
#[inline]
pub fn op_desc(ops: &'static [OpDesc], op: u16) -> &'static OpDesc {
    if op >= pseudo::FIRST {
        return &PSEUDO_DESCS[usize::from(u16::MAX - op)];
    }
    &ops[usize::from(op)]
}

/// Whether an instruction computes `regs[0]` from constants alone, so that it may be repeated anywhere instead of
/// keeping the result: it names no other register, and what it reads from memory never changes.
#[inline]
pub fn can_rematerialize(inst: &MInst, desc: &OpDesc) -> bool {
    if !desc.is_rematerializable || desc.writes_flags {
        return false;
    }
    if desc.roles[1] != Role::Base {
        return true;
    }
    let mem = inst.mem();
    match mem.reference() {
        _ if inst.is_based() => false,
        // The place of the global offset table is kept, since finding it takes longer than a reload.
        Some(reference) => match reference.kind() {
            RefKind::Got => desc.reads_memory,
            kind => !desc.reads_memory || kind == RefKind::Constant,
        },
        None => !desc.reads_memory && !mem.base_reg().is_register() && !mem.index_reg().is_register(),
    }
}

/// The displacement from [`Reg::FRAME`] of the place among the incoming arguments ([`INCOMING`]) that an instruction
/// reads, writes or computes the address of.
#[inline]
pub fn incoming_place(inst: &MInst, desc: &OpDesc) -> Option<i32> {
    if !inst.names_frame() {
        return None;
    }
    // Targets that compute addresses by separate instructions have the frame as a plain operand.
    let disp = if desc.roles[1] == Role::Base {
        inst.disp
    } else {
        inst.imm
    };
    (disp >= INCOMING / 2).then_some(disp)
}

/// Where an instruction reloads a register from among the incoming arguments, if it does nothing else: the
/// displacement from [`Reg::FRAME`], and how many bytes.
#[inline]
pub fn incoming_reload(inst: &MInst, desc: &OpDesc) -> Option<(i32, u8)> {
    let bytes = match desc.reload_bytes? {
        0 => inst.size,
        bytes => bytes,
    };
    let place = incoming_place(inst, desc).filter(|_| inst.reg(2).is_none())?;
    Some((place, bytes))
}

/// Calls `visit` with the slot, register and role of each register operand of an instruction, as [`visit_registers`]
/// does.
#[inline]
pub fn for_each_register(inst: &MInst, desc: &OpDesc, mut visit: impl FnMut(usize, Reg, Role)) {
    visit_registers(inst, desc, |operand| visit(operand.slot, operand.reg, operand.role));
}
