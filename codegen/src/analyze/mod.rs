//! The analysis walk, the first of the two walks of the fast path: block layout, folding decisions and, for the fast
//! context, live ranges, register hints and home registers.
//!
//! Method: [`layout`] puts the blocks into reverse postorder with each loop contiguous. One forward walk over the
//! instructions in that order then decides everything else:
//!
//! * Folding ([`fold`]): an instruction with one use, in the same block and with no side effect in between, may be
//!   computed by its user, as a memory operand or a fused condition. The target chooses, and its lowering rule must
//!   then absorb exactly what was chosen.
//! * Live ranges ([`Live`]), for the fast context only: one interval of layout positions for each value, from its
//!   definition to its last use. A value that is defined outside of a loop and used inside lives to the end of that
//!   loop. This is conservative but needs neither bit sets nor a fixpoint (Kohn, Leis and Neumann, "Adaptive Execution
//!   of Compiled Queries", ICDE 2018, section IV).
//! * Register hints (`hints.rs`) and weights for home registers ([`homes`]), for the fast context only.
//!
//! ```text
//! position   0        1         2         3         4
//! block      entry -> header -> body ---> latch --> exit
//!                       ^---------------------|
//! a = ...    def                use                          [0, end of 3]: extended to the end of the loop
//! b = ...             def       use                          [1, 2]: defined and used inside
//! ```
//!
//! The order of uses within a block is not recorded: the fast context counts remaining uses while it emits code.

mod facts;
pub mod fold;
mod hints;
mod home_choice;
pub mod homes;
pub mod layout;

pub use facts::{Analysis, Fact, Live, Mark, NO_HINT};
pub use fold::Folder;
pub use homes::{Home, HomeOwner, Homes};
pub use layout::{Layout, Loop, UNREACHED};

use crate::isa::Isa;
use crate::reg::PRegSet;
use frazil_ir::{
    Block, CallFlags, EntityRef, Function, Inst, InstData, Opcode, Operand, ParamKind, SlotId, Type, Value, ValueKind,
};

impl Analysis {
    /// Analyses a function for the fast context.
    pub fn compute<I: Isa>(&mut self, isa: &I, function: &Function) {
        self.walk::<I, true>(isa, function);
        self.choose_homes(isa, function);
    }

    /// Analyses a function for the selecting context, which needs no live ranges, hints and home registers.
    pub fn compute_marks<I: Isa>(&mut self, isa: &I, function: &Function) {
        self.walk::<I, false>(isa, function);
    }

    /// The walk; `IS_FAST` is set for the fast context.
    fn walk<I: Isa, const IS_FAST: bool>(&mut self, isa: &I, function: &Function) {
        self.layout.compute(function);
        self.values.clear();
        self.values.resize(function.values().len(), Fact::NONE);
        self.phi_counts.clear();
        self.phi_counts.resize(function.blocks().len(), 0);
        self.calls_returning_twice = false;
        self.is_strict = false;
        self.claims_homes = false;
        (self.has_calls, self.has_must_tail) = (false, false);
        self.has_dynamic_stack = false;
        if IS_FAST {
            self.homes.reset(function);
        }
        for (index, param) in function.signature().params.iter().enumerate() {
            match param.kind {
                ParamKind::ByVal { .. } | ParamKind::SwiftError => self.values[index].mark = Mark::Place,
                // Some conventions return this pointer, so it is live to the end.
                ParamKind::StructReturn => self.values[index].live.last = self.layout.order.len() as u32 * 2 - 1,
                _ => {}
            }
        }
        if IS_FAST {
            self.homes.excluded = incoming_registers(isa, function);
        }
        let has_phis = self.count_phis(function);
        if IS_FAST && has_phis {
            self.define_phis(function);
        }
        let mut color = 0;
        for position in 0..self.layout.order.len() as u32 {
            color = self.walk_block::<I, IS_FAST>(isa, function, position, color + 1);
            if IS_FAST && has_phis {
                self.use_phi_operands(function, position);
            }
        }
    }

    /// Counts the phis of each block; says whether there are any.
    fn count_phis(&mut self, function: &Function) -> bool {
        let mut has_phis = false;
        for &block in &self.layout.order {
            let insts = &function.insts()[function.block_insts(block)];
            let count = insts.iter().take_while(|data| data.op == Opcode::Phi).count();
            self.phi_counts[block.index()] = count as u32;
            has_phis |= count > 0;
        }
        has_phis
    }

    fn phis<'f>(&self, function: &'f Function, block: Block) -> &'f [InstData] {
        let start = function.block_insts(block).start;
        &function.insts()[start..start + self.phi_counts[block.index()] as usize]
    }

    /// Sets the live ranges of phis before the walk: they are written at the ends of predecessors, which may come
    /// before the phi's block in layout.
    fn define_phis(&mut self, function: &Function) {
        for position in 0..self.layout.order.len() as u32 {
            let block = self.layout.order[position as usize];
            for data in self.phis(function, block) {
                let phi = Value::new(data.result as usize);
                self.values[phi.index()].live = Live {
                    def: position,
                    last: position * 2,
                };
                let uses = function.use_count(phi).min(1 << 16);
                if uses > 0 {
                    let edges = function.predecessors(block).len() as u32;
                    let weight = self.weight_at(position);
                    self.homes.add(phi, (uses + edges).saturating_mul(weight));
                }
            }
        }
    }

    /// Walks over a block. `color` is the color (see [`fold`]) at its start; returns the one at its end.
    fn walk_block<I: Isa, const IS_FAST: bool>(
        &mut self,
        isa: &I,
        function: &Function,
        position: u32,
        color: u32,
    ) -> u32 {
        let block = self.layout.order[position as usize];
        let weight = if IS_FAST { self.weight_at(position) } else { 0 };
        let mut range = function.block_insts(block);
        range.start += self.phi_counts[block.index()] as usize;
        let first = range.start;
        let mut folder = Folder::new(isa.desc(), function, self, position, color);
        for (offset, data) in function.insts()[range].iter().enumerate() {
            if IS_FAST {
                folder.analysis.note_uses(isa, function, data, position, weight);
            }
            folder.next(data);
            isa.fold(&mut folder, Inst::new(first + offset));
        }
        folder.color()
    }

    /// Notes what the fast context needs to know of an instruction's operands.
    #[inline]
    fn note_uses<I: Isa>(&mut self, isa: &I, function: &Function, data: &InstData, position: u32, weight: u32) {
        match data.op {
            Opcode::Load => self.note_address(function, data, data.a, position, weight),
            Opcode::Store => {
                if let Some(value) = data.a.as_value() {
                    self.use_at(function, value, position, weight);
                }
                self.note_address(function, data, data.b, position, weight);
            }
            _ => {
                function.for_each_operand(data, |operand| {
                    if let Some(value) = operand.as_value() {
                        self.use_at(function, value, position, weight);
                    }
                });
                if matches!(data.op, Opcode::Call | Opcode::Invoke | Opcode::Return) {
                    self.hint_operands(isa, function, data, position);
                }
            }
        }
    }

    /// The same of the address of a load or store.
    #[inline(always)]
    fn note_address(&mut self, function: &Function, data: &InstData, address: Operand, position: u32, weight: u32) {
        let Some(value) = address.as_value() else { return };
        let known = function.value(value);
        if known.kind == ValueKind::Slot {
            self.homes.note_access(SlotId::new(known.def as usize), data, weight);
        } else if self.values[value.index()].live.def != position {
            self.use_elsewhere(value, position, weight);
        }
    }

    /// Notes what the effects of an instruction mean for the function.
    #[inline]
    fn note_effect(&mut self, data: &InstData) {
        match data.op {
            Opcode::StackAlloc | Opcode::StackSave | Opcode::StackRestore => self.has_dynamic_stack = true,
            Opcode::Resume => self.has_calls = true,
            Opcode::SjljSetjmp => (self.has_calls, self.calls_returning_twice) = (true, true),
            Opcode::Call | Opcode::Invoke => {
                self.has_calls = true;
                let flags = CallFlags::from_bits_retain(data.flags);
                self.calls_returning_twice |= flags.contains(CallFlags::RETURNS_TWICE);
                self.has_must_tail |= flags.contains(CallFlags::MUST_TAIL);
            }
            Opcode::AtomicLoad
            | Opcode::AtomicStore
            | Opcode::AtomicRmw
            | Opcode::Cmpxchg
            | Opcode::SpaceLoad
            | Opcode::SpaceStore
            | Opcode::SpaceRmw
            | Opcode::SpaceCmpxchg => {
                self.claims_homes |= data.ty == Type::I128;
            }
            op if op.is_strict() => self.is_strict = true,
            _ => {}
        }
    }

    #[inline]
    fn define(&mut self, function: &Function, data: &InstData, first: Value, position: u32, color: u32) {
        let live = Live {
            def: position,
            last: position * 2,
        };
        let index = first.index();
        let fact = &mut self.values[index];
        (fact.live, fact.color) = (live, color);
        let more = match data.op.results() {
            frazil_ir::Results::Ty | frazil_ir::Results::Bool | frazil_ir::Results::Ptr => 1,
            _ => function.result_count(data),
        };
        for extra in 1..more {
            self.values[index + extra].live = live;
        }
        if data.op == Opcode::PtrAdd && fold::is_place_offset(function, self, data) {
            self.values[index].mark = Mark::Place;
        }
    }

    /// Extends the live range of a value to a use in the block at `position`, and adds to its weight.
    #[inline(always)]
    fn use_at(&mut self, function: &Function, value: Value, position: u32, weight: u32) {
        // Most uses are in the block of the definition, or of slots.
        if self.values[value.index()].live.def != position && function.value(value).kind != ValueKind::Slot {
            self.use_elsewhere(value, position, weight);
        }
    }

    /// The same for a value of another block.
    fn use_elsewhere(&mut self, value: Value, position: u32, weight: u32) {
        let live = &mut self.values[value.index()].live;
        let mut last = position * 2;
        if let Some(outermost) = self.layout.outermost_loop_without(position, live.def) {
            last = (outermost.end - 1) * 2 + 1;
        }
        live.last = live.last.max(last);
        self.homes.add(value, weight);
    }

    /// Extends the live ranges of the phi operands that are read, and of the phis that are written, on the edges of the
    /// block at `position`.
    fn use_phi_operands(&mut self, function: &Function, position: u32) {
        let block = self.layout.order[position as usize];
        for edge in function.cfg().successors(block) {
            if self.phi_counts[edge.target.index()] == 0 {
                continue;
            }
            let weight = self.weight_at(position);
            for data in self.phis(function, edge.target) {
                if let Some(value) = function.list(data)[edge.column as usize].as_value() {
                    self.use_at(function, value, position, weight);
                }
                let phi = Value::new(data.result as usize);
                self.use_at(function, phi, position, 0);
                let live = &mut self.values[phi.index()].live;
                live.last = live.last.max(position * 2 + 1);
            }
        }
    }
}

/// The argument registers, which must not become home registers: those of Swift's special arguments, and the
/// convention's integer registers, of which some conventions make callee-saved ones.
fn incoming_registers<I: Isa>(isa: &I, function: &Function) -> PRegSet {
    let Some(conv) = isa.convention(function.signature().call_conv) else {
        return PRegSet::EMPTY;
    };
    let special = conv.special;
    let own = (function.signature().params.iter()).filter_map(|param| match param.kind {
        ParamKind::SwiftSelf => Some(special.swift_self),
        ParamKind::SwiftError => Some(special.swift_error),
        ParamKind::SwiftAsync => Some(special.swift_async),
        _ => None,
    });
    let mut registers = PRegSet::EMPTY;
    for reg in own.chain(conv.int_args.iter().copied()).filter(|reg| reg.is_physical()) {
        registers.insert(reg);
    }
    registers
}
