//! The analysis walk: block layout, live ranges by blocks, and the choice of what is folded into its user.
//!
//! Method: after the layout, one walk over the instructions in that order. Each value gets one interval of layout
//! positions, extended to the end of a loop when it is used inside but defined outside (Kohn, Leis and Neumann,
//! "Adaptive Execution of Compiled Queries", ICDE 2018, section IV). A value is folded when it has one use, in the
//! same block, and no effect stands between; the target chooses (see [`Folder`]), and the choice binds.
//! No bit sets, no fixpoint.
//!
//! What it does not know: the order of uses within a block; the fast context counts uses for that.

pub mod fold;
pub mod hints;
pub mod homes;
pub mod layout;

pub use fold::{Folder, Mark};
pub use hints::NO_HINT;
pub use homes::{Home, HomeOwner, Homes};
pub use layout::{Layout, Loop, UNREACHED};

use crate::isa::Isa;
use frazil_ir::{
    Block, CallFlags, EntityRef, Function, Inst, InstData, Opcode, Operand, OperandKind, ParamKind, Value, ValueKind,
};

/// The layout positions over which a value must keep its place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Live {
    /// The position of its definition.
    pub def: u32,
    /// The last position, times two, plus one if the value is live to the end of that block.
    last: u32,
}

impl Live {
    /// Whether it is still live after the block at `position`.
    #[inline]
    pub fn is_live_out(self, position: u32) -> bool {
        self.last > position * 2
    }

    /// The last position.
    #[inline]
    pub fn last(self) -> u32 {
        self.last >> 1
    }
}

/// What the fast context needs to know before it starts.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Block order and loops.
    pub layout: Layout,
    /// Live ranges by value.
    pub live: Vec<Live>,
    /// What becomes of each value.
    pub marks: Vec<Mark>,
    /// The index of the register that each value is wanted in, or [`NO_HINT`].
    pub hints: Vec<u8>,
    /// How many phis each block begins with, by block.
    pub phi_counts: Vec<u32>,
    /// Whether the function calls something that returns twice.
    pub calls_returning_twice: bool,
    /// Whether the function calls others, as far as the IR shows.
    pub has_calls: bool,
    /// Whether it moves the stack pointer.
    pub has_dynamic_stack: bool,
    /// What keeps one register for its whole life.
    pub homes: Homes,
    /// The effect counter at the definition of each load, by value.
    colors: Vec<u32>,
}

impl Analysis {
    /// Analyses a function for the fast context, which gives home registers.
    pub fn compute<I: Isa>(&mut self, isa: &I, function: &Function) {
        self.walk(isa, function);
        self.choose_homes(isa, function);
    }

    /// Analyses a function.
    pub fn walk<I: Isa>(&mut self, isa: &I, function: &Function) {
        self.layout.compute(function);
        self.live.clear();
        self.live.resize(function.values.len(), Live::default());
        self.marks.clear();
        self.marks.resize(function.values.len(), Mark::None);
        self.hints.clear();
        self.hints.resize(function.values.len(), NO_HINT);
        self.phi_counts.clear();
        self.phi_counts.resize(function.blocks.len(), 0);
        self.colors.resize(function.values.len().max(self.colors.len()), 0);
        self.calls_returning_twice = false;
        self.has_calls = false;
        self.has_dynamic_stack = false;
        self.homes.reset(function);
        for (index, param) in function.signature.params.iter().enumerate() {
            match param.kind {
                ParamKind::ByVal { .. } => self.marks[index] = Mark::Place,
                // Conventions may want it back at every return.
                ParamKind::StructReturn => self.live[index].last = self.layout.order.len() as u32 * 2 - 1,
                _ => {}
            }
        }
        self.define_phis(function);
        let mut color = 0;
        for position in 0..self.layout.order.len() as u32 {
            self.walk_block(isa, function, position, &mut color);
        }
    }

    /// Phis are written at the ends of predecessors, which may come before their blocks.
    fn define_phis(&mut self, function: &Function) {
        for (position, &block) in self.layout.order.iter().enumerate() {
            let position = position as u32;
            let range = function.block_insts(block);
            let phis = function.insts[range].iter().take_while(|data| data.op == Opcode::Phi);
            let mut count = 0;
            for data in phis {
                self.live[data.result as usize] = Live {
                    def: position,
                    last: position * 2,
                };
                count += 1;
                let phi = Value::new(data.result as usize);
                let uses = function.uses[phi.index()].min(1 << 16);
                if uses > 0 {
                    let edges = function.predecessors(block).len() as u32;
                    let weight = self.weight_at(position);
                    self.homes.add(phi, (uses + edges).saturating_mul(weight));
                }
            }
            self.phi_counts[block.index()] = count;
        }
    }

    fn walk_block<I: Isa>(&mut self, isa: &I, function: &Function, position: u32, color: &mut u32) {
        let block = self.layout.order[position as usize];
        let weight = self.weight_at(position);
        *color += 1;
        let mut range = function.block_insts(block);
        range.start += self.phi_counts[block.index()] as usize;
        for index in range {
            let data = &function.insts[index];
            function.for_each_operand(data, |operand| {
                if let Some(value) = operand.as_value() {
                    self.use_at(function, value, position, weight);
                }
            });
            self.homes.note_access(function, data, weight);
            if let Some(first) = data.first_result() {
                self.define(function, data, first, position, *color);
            }
            if matches!(data.op, Opcode::Call | Opcode::Invoke | Opcode::Return) {
                self.hint_operands(isa, function, data, position);
            }
            if fold::is_effect(data) {
                *color += 1;
                self.has_dynamic_stack |= matches!(data.op, Opcode::StackAlloc | Opcode::StackRestore);
                if matches!(data.op, Opcode::Call | Opcode::Invoke) {
                    self.has_calls = true;
                    self.calls_returning_twice |=
                        CallFlags::from_bits_retain(data.flags).contains(CallFlags::RETURNS_TWICE);
                }
            }
            let mut folder = Folder::new(isa.desc(), function, self, (position, *color), data.first_result());
            isa.fold(&mut folder, Inst::new(index));
        }
        self.use_phi_operands(function, block, position);
    }

    #[inline]
    fn define(&mut self, function: &Function, data: &InstData, first: Value, position: u32, color: u32) {
        let live = Live {
            def: position,
            last: position * 2,
        };
        let index = first.index();
        self.live[index] = live;
        self.colors[index] = color;
        let more = match data.op.results() {
            frazil_ir::Results::Ty | frazil_ir::Results::Bool | frazil_ir::Results::Ptr => 1,
            _ => function.result_count(data),
        };
        for extra in 1..more {
            self.live[index + extra] = live;
        }
        if data.op == Opcode::PtrAdd && fold::is_place_offset(function, self, data) {
            self.marks[index] = Mark::Place;
        }
    }

    /// Counts a use at a position in the live range of a value.
    #[inline]
    fn use_at(&mut self, function: &Function, value: Value, position: u32, weight: u32) {
        let live = &mut self.live[value.index()];
        if live.def == position || function.value(value).kind == ValueKind::Slot {
            return;
        }
        let mut last = position * 2;
        if let Some(outermost) = self.layout.outermost_loop_without(position, live.def) {
            last = (outermost.end - 1) * 2 + 1;
        }
        live.last = live.last.max(last);
        self.homes.add(value, weight);
    }

    /// The phi operands that are read, and the phis that are written, at the end of a block.
    fn use_phi_operands(&mut self, function: &Function, block: Block, position: u32) {
        let weight = self.weight_at(position);
        for edge_index in 0..function.cfg.successors(block).len() {
            let edge = function.cfg.successors(block)[edge_index];
            let start = function.block_insts(edge.target).start;
            let count = self.phi_counts[edge.target.index()] as usize;
            for data in &function.insts[start..start + count] {
                if let Some(value) = function.list(data)[edge.column as usize].as_value() {
                    self.use_at(function, value, position, weight);
                }
                let phi = Value::new(data.result as usize);
                self.use_at(function, phi, position, 0);
                let live = &mut self.live[phi.index()];
                live.last = live.last.max(position * 2 + 1);
            }
        }
    }

    /// Whether the value behind an operand is an address that has no register of its own (contract 4).
    #[inline]
    pub fn is_place(&self, function: &Function, operand: Operand) -> bool {
        if operand.is_none() {
            return false;
        }
        match operand.kind() {
            OperandKind::Value(value) => {
                function.value(value).kind == ValueKind::Slot || self.marks[value.index()] == Mark::Place
            }
            OperandKind::Symbol(_) => true,
            OperandKind::Const(id) => function.consts[id.index()].kind == frazil_ir::ConstKind::Symbol,
            OperandKind::Imm(_) => false,
        }
    }
}
