//! Control-flow edges: the parallel move into the phis of the successor.
//!
//! Phis are in frame slots or home registers, and all phis of an edge are written at once ([`crate::parallel_move`]).
//! The moves are emitted after the branch that takes the edge, and the other successors continue with the register
//! file as it was before. So the moves write nothing but phis and scratch registers.

use super::record::{Record, Spot, Thing};
use super::state::FreshPart;
use super::{FastCtx, reg_of};
use crate::annotate;
use crate::context::Context;
use crate::isa::Isa;
use crate::minst::Mem;
use crate::parallel_move::{Location, Move, Source, Step};
use crate::reference::Label;
use crate::reg::{Reg, RegClass};
use frazil_ir::{Edge, EntityRef, Operand, Value};

/// What a branch along an edge leads to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exit {
    /// The target block itself, since the edge needs no moves.
    Direct(Label),
    /// Moves into phis, then a jump or fall-through to the target.
    Moves,
}

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Whether an edge needs moves, because its target has a phi with uses.
    pub(super) fn exit(&self, edge: Edge) -> Exit {
        let start = self.base.function.block_insts(edge.target).start;
        let count = self.st.analysis.phi_counts[edge.target.index()] as usize;
        let live = self.base.function.insts()[start..start + count]
            .iter()
            .any(|data| self.base.function.use_count(Value::new(data.result as usize)) > 0);
        if live {
            Exit::Moves
        } else {
            Exit::Direct(self.block_label(edge.target))
        }
    }

    /// Emits the moves of an edge, and a jump to its target if that does not come next.
    pub(super) fn take_edge(&mut self, edge: Edge) {
        self.move_phis(edge);
        self.jump_unless_next(edge.target);
    }

    /// Emits the moves of an edge.
    pub(super) fn move_phis(&mut self, edge: Edge) {
        self.rec.begin_edge(edge.target);
        self.write_phis(edge);
    }

    /// Emits the moves of an edge whose start has already been reported to the recorder.
    pub(super) fn write_phis(&mut self, edge: Edge) {
        let start = self.base.function.block_insts(edge.target).start;
        let count = self.st.analysis.phi_counts[edge.target.index()] as usize;
        self.st.moves.clear();
        for index in start..start + count {
            let data = &self.base.function.insts()[index];
            let phi = Value::new(data.result as usize);
            if self.base.function.use_count(phi) == 0 {
                continue;
            }
            let operand = self.base.function.list(data)[edge.column as usize];
            let home = self.st.home(phi);
            let slot = if home.is_some() { 0 } else { self.slot_of(phi) };
            let parts = self.st.assigns[phi.index()].parts;
            for part in 0..parts.count {
                self.rec.phi(phi, operand, part);
                let source = self.source(operand, part);
                let dest = home.map_or(Location::Frame(slot + parts.offset(part)), Location::Reg);
                let extend = (0, false);
                self.st.moves.push(Move {
                    source,
                    dest,
                    class: parts.class(),
                    bytes: parts.bytes,
                    extend,
                });
            }
        }
        self.perform_moves();
        self.rec.end_edge();
    }

    /// Releases the operands of an edge's phis.
    pub(super) fn release_edge_operands(&mut self, edge: Edge) {
        let start = self.base.function.block_insts(edge.target).start;
        let count = self.st.analysis.phi_counts[edge.target.index()] as usize;
        for index in start..start + count {
            let operand = self.base.function.list(&self.base.function.insts()[index])[edge.column as usize];
            self.release_operand(operand);
        }
    }

    /// The place of a part of an operand, as the source of a move.
    pub(super) fn source(&mut self, operand: Operand, part: u8) -> Source<FreshPart> {
        let Some(value) = self.own_value(operand) else {
            return Source::Fresh((operand, part));
        };
        let assign = self.st.assigns[value.index()];
        match reg_of(assign.regs[usize::from(part)]) {
            Some(reg) => Source::Location(Location::Reg(reg)),
            None => {
                debug_assert!(assign.stored & (1 << part) != 0, "{value} part {part} is nowhere");
                Source::Location(Location::Frame(assign.frame + assign.parts.offset(part)))
            }
        }
    }

    /// The recorder's name for a location.
    pub(super) fn spot(&self, location: Location) -> Spot {
        let desc = self.base.isa.desc();
        match location {
            Location::Reg(reg) => Spot::Reg(reg),
            Location::Frame(offset) => Spot::Memory(desc.frame_pointer, offset),
            Location::Outgoing(offset) => Spot::Memory(desc.stack_pointer, offset),
            Location::Memory(reg, offset) => Spot::Memory(reg, offset),
        }
    }

    /// Orders the collected moves and emits them.
    pub(super) fn perform_moves(&mut self) {
        if self.st.moves.is_empty() {
            return;
        }
        self.st.moves.resolve();
        let steps = std::mem::take(&mut self.st.moves.steps);
        for step in &steps {
            match *step {
                Step::Move(m) => self.perform_move(m),
                Step::Save { location, class, bytes } => {
                    let dest = Location::Frame(self.cycle_slot(bytes));
                    self.perform_move(Move {
                        source: Source::Location(location),
                        dest,
                        class,
                        bytes,
                        extend: (0, false),
                    });
                }
            }
        }
        self.st.moves.steps = steps;
    }

    /// The slot for a part of so many bytes while a cycle is broken.
    fn cycle_slot(&mut self, bytes: u8) -> i32 {
        let frame = &mut self.st.frame;
        self.cycle_slots.of(bytes, |bytes| frame.allocate(bytes, 16))
    }

    fn perform_move(&mut self, m: Move<FreshPart>) {
        let target = match m.dest {
            Location::Reg(reg) => reg,
            _ => match m.source {
                Source::Location(Location::Reg(reg)) if m.extend.0 == 0 => reg,
                _ => self.scratch(m.class == RegClass::Float),
            },
        };
        self.bring(m, m.class, target);
        // A slot has at least four bytes. Memory of others must not be written beyond the value.
        let (mem, bytes) = match m.dest {
            Location::Reg(_) => return,
            Location::Frame(offset) => (self.frame_mem(offset), m.bytes.max(4)),
            Location::Outgoing(offset) => (Mem::base(self.base.isa.desc().stack_pointer, offset), m.bytes.max(4)),
            Location::Memory(reg, offset) => (Mem::base(reg, offset), m.bytes),
        };
        self.put(self.base.isa.spill(m.class, bytes, target, mem));
        if matches!(m.dest, Location::Frame(_)) {
            self.base.buf.remark(annotate::SPILL);
        }
    }

    /// Copies or loads the source of a move into a register, extended if the move says so.
    fn bring(&mut self, m: Move<FreshPart>, class: RegClass, target: Reg) {
        let isa = self.base.isa;
        let (bits, signed) = m.extend;
        match m.source {
            Source::Location(Location::Reg(reg)) => {
                if bits != 0 {
                    self.extend(target, reg, bits, signed);
                } else if reg != target {
                    self.put(isa.mov(class, m.bytes.max(4), target, reg));
                }
                return;
            }
            Source::Location(Location::Frame(offset)) => self.reload_from(class, m.bytes, target, offset),
            Source::Saved => {
                let offset = self.cycle_slot(m.bytes);
                self.reload_from(class, m.bytes, target, offset);
            }
            Source::Fresh((operand, part)) => match operand.as_imm() {
                Some(imm) if bits != 0 && !signed => {
                    self.rec.hand_over(target);
                    isa.int_constant(self, target, m.bytes.max(4), imm & (i64::MAX >> (63 - bits.min(63))));
                    self.rec.made(target, Thing::Part(operand, part));
                    return;
                }
                Some(_) => {
                    self.fresh_to(operand, part, target, m.bytes.max(4));
                    return;
                }
                None => self.fresh_to(operand, part, target, m.bytes.max(4)),
            },
            Source::Location(location) => {
                debug_assert!(false, "{location:?} is never read");
            }
        }
        if bits != 0 {
            self.extend(target, target, bits, signed);
        }
    }

    /// Extends a part of an argument or result; the recorder knows that its significant bits do not change.
    fn extend(&mut self, target: Reg, source: Reg, bits: u32, signed: bool) {
        self.rec.begin_extension(target, source);
        let isa = self.base.isa;
        isa.extend(self, target, source, bits, signed);
        self.rec.end_extension(target, source);
    }

    fn reload_from(&mut self, class: RegClass, bytes: u8, dst: Reg, offset: i32) {
        let mem = self.frame_mem(offset);
        self.put(self.base.isa.reload(class, bytes.max(4), dst, mem));
        self.base.buf.remark(annotate::RELOAD);
    }
}
