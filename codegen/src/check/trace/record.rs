//! What the fast context reports ([`Record`]), taken down as steps of the checker's form.
//!
//! Each report changes what the registers stand for, or asks whether a place has what the context believes. What
//! emitted instructions do is read by the methods of [`Trace`] itself.

use super::{ASIDE, PARTS, Trace};
use crate::buffer::LogItem;
use crate::check::flow::{Op, Place};
use crate::fast::record::{By, Record, Spot, Thing};
use crate::isa::Isa;
use crate::minst::MInst;
use crate::parts::Parts;
use crate::reg::{PRegSet, Reg};
use crate::vectors::VectorShape;
use frazil_ir::{Block, EntityRef, Function, Operand, Value};

/// Vectors of no more bytes may be passed in memory that has no more.
const SHORT_BYTES: u32 = 8;

impl Record for Trace {
    const IS_ON: bool = true;

    fn begin<I: Isa>(&mut self, isa: &I, function: &Function, parts: &[Parts]) {
        self.clear();
        self.target = Some((isa.desc(), isa.op_descs()));
        self.moves.learn(isa);
        self.values = function.values().len() as u32;
        let names = &mut self.flow.name_bytes;
        names.resize(Reg::FIRST_VIRTUAL as usize, 0);
        for value in function.values().iter() {
            let bytes = parts[value.ty.index()].bytes;
            // What is above the lanes of a short vector is undefined.
            let short = VectorShape::of(function.types(), value.ty, bytes)
                .filter(|shape| !shape.is_mask && shape.memory_bytes() <= SHORT_BYTES);
            let bytes = short.map_or(bytes, |_| bytes.min(SHORT_BYTES as u8));
            names.extend([bytes; PARTS as usize]);
        }
        self.flags = Some(self.new_name(0));
        self.starts.resize(function.blocks().len(), 0);
        self.from = self.open_block(0);
        let conv = isa.convention(function.signature().call_conv);
        self.define_entry(conv, function.signature().variadic);
        if !function.blocks().is_empty() {
            self.edges.push((self.from, Block::new(0)));
        }
    }

    fn block(&mut self, block: Block) {
        self.from = self.open_block(block.as_u32());
        self.starts[block.index()] = self.from;
    }

    fn begin_edge(&mut self, to: Block) {
        let source = self.sources[self.from as usize];
        let edge = self.open_block(source);
        self.flow.edges.push((self.from, edge));
        self.edge_to = Some(to);
    }

    fn phi(&mut self, phi: Value, operand: Operand, part: u8) {
        let (new, old) = (
            self.name(Thing::value(phi, part)),
            self.name(Thing::Part(operand, part)),
        );
        self.flow.push_rename(new, old);
    }

    fn end_edge(&mut self) {
        self.close_block();
        let edge = self.flow.blocks.len() as u32 - 1;
        let to = self.edge_to.take().expect("an edge was begun");
        self.edges.push((edge, to));
    }

    fn direct_edge(&mut self, to: Block) {
        self.close_block();
        self.edges.push((self.from, to));
    }

    fn emitted(&mut self, asked: &MInst, emitted: &[(u32, LogItem)], by: By) {
        self.asked += 1;
        if !self.in_block {
            // Branches between edges, which move nothing.
            return;
        }
        let mut is_missing = by == By::Rule;
        for (_, item) in emitted {
            let LogItem::Inst(inst, _) = item else { continue };
            self.insts.push(*inst);
            if is_missing && inst.op == asked.op {
                is_missing = false;
                self.rule_inst(asked, inst);
            } else {
                self.context_inst(inst);
            }
        }
        if is_missing {
            self.missing_inst(asked);
        }
    }

    fn group(&mut self, begins: bool) {
        self.in_group = begins;
        self.group.clear();
    }

    fn keep_flags(&mut self, keep: bool) {
        self.keeps_flags = keep;
    }

    fn hand_out(&mut self, reg: Reg, thing: Thing) {
        let name = self.name(thing);
        self.use_place(Place::reg(reg), name);
        self.set_hand(reg, name, false);
    }

    fn hand_over(&mut self, reg: Reg) {
        let name = self.new_name(0);
        self.set_hand(reg, name, true);
        self.asked = 0;
    }

    fn hand_copy(&mut self, reg: Reg, thing: Thing) {
        let (name, place) = (self.name(thing), Place::reg(reg));
        self.use_place(place, name);
        self.hand_over(reg);
        let name = self.read_name(reg);
        self.mark_defined(name);
        self.push(Op::Alias { place, name });
    }

    fn hand_memory(&mut self, base: Reg, disp: i32, thing: Thing) {
        let name = self.name(thing);
        self.memory_hands.insert((base, disp), name);
    }

    fn slot(&mut self, offset: i32, bytes: u32) {
        self.slot_bytes.insert(offset, bytes);
    }

    fn hand_slot(&mut self, (base, disp): (Reg, i32), bytes: u32, offset: i32, distance: i64) {
        let Some(&slot_bytes) = self.slot_bytes.get(&offset) else {
            return;
        };
        if distance < 0 || distance.saturating_add(i64::from(bytes)) > i64::from(slot_bytes) {
            let end = disp.saturating_add_unsigned(bytes);
            self.strays.push((base, disp..end));
        }
    }

    fn hand_result(&mut self, reg: Reg, thing: Thing) {
        let name = self.name(thing);
        self.set_hand(reg, name, true);
    }

    fn becomes(&mut self, reg: Reg, old: Thing, new: Thing) {
        let (old, name, place) = (self.name(old), self.name(new), Place::reg(reg));
        self.mark_defined(name);
        self.use_place(place, old);
        self.push(Op::Alias { place, name });
        self.set_hand(reg, name, true);
    }

    fn will_keep(&mut self, from: Reg, new: Thing) {
        let new = self.name(new);
        let old = self.read_name(from);
        self.use_place(Place::reg(from), old);
        // Only the bytes that the new thing needs will be copied.
        let name = self.new_name(self.flow.name_bytes[new.0 as usize]);
        self.push(Op::Alias {
            place: Place::reg(from),
            name,
        });
        self.kept = Some(name);
    }

    fn keeps(&mut self, reg: Reg, from: Reg, new: Thing) {
        let old = self.kept.take().unwrap_or_else(|| self.read_name(from));
        let (name, place) = (self.name(new), Place::reg(reg));
        self.mark_defined(name);
        self.use_place(place, old);
        self.push(Op::Alias { place, name });
        self.set_hand(reg, name, true);
    }

    fn made(&mut self, reg: Reg, thing: Thing) {
        let place = Place::reg(reg);
        // An undefined constant takes no instruction.
        if self.asked > 0 {
            let written = self.read_name(reg);
            self.use_place(place, written);
        }
        let name = self.name(thing);
        self.push(Op::Make { place, name });
    }

    fn defined(&mut self, spot: Spot, thing: Thing) {
        let name = self.name(thing);
        let place = match spot {
            Spot::Reg(reg) => {
                self.set_hand(reg, name, false);
                Place::reg(reg)
            }
            Spot::Memory(base, disp) => {
                let bytes = self.flow.name_bytes[name.0 as usize].max(1);
                self.wrote_memory(base, disp, bytes);
                self.piece(base, disp)
            }
        };
        self.push(Op::Define { place, name });
    }

    fn begin_extension(&mut self, dst: Reg, src: Reg) {
        self.push(Op::copy(Place::reg(src), ASIDE, u8::MAX));
        self.saved_hand = self.hands[src.index()];
        self.hand_over(src);
        let (place, name) = (Place::reg(src), self.read_name(src));
        self.push(Op::Alias { place, name });
        if dst != src {
            self.set_hand(src, name, false);
            self.hand_over(dst);
        }
    }

    fn end_extension(&mut self, dst: Reg, src: Reg) {
        let (place, name) = (Place::reg(dst), self.read_name(dst));
        self.use_place(place, name);
        self.push(Op::copy(ASIDE, place, u8::MAX));
        if dst != src {
            self.hands[src.index()] = self.saved_hand;
        }
    }

    fn needs(&mut self, spot: Spot, thing: Thing) {
        let name = self.name(thing);
        self.needs.push((spot, name));
    }

    fn leaves(&mut self) {
        for index in 0..self.needs.len() {
            let (spot, name) = self.needs[index];
            let place = match spot {
                Spot::Reg(reg) => Place::reg(reg),
                Spot::Memory(base, disp) => self.piece(base, disp),
            };
            self.use_place(place, name);
        }
        self.needs.clear();
    }

    fn called(&mut self, preserved: PRegSet) {
        let (desc, _) = self.target.expect("a function was begun");
        for row in desc.regs {
            let is_kept = preserved.contains(row.reg);
            if !is_kept && row.reg != desc.stack_pointer && row.reg != desc.frame_pointer {
                self.destroy(row.reg);
            }
        }
        self.push(Op::Clobber { place: Place::FLAGS });
        self.wrote_register(desc.stack_pointer);
    }

    fn unwinds(&mut self) {
        let (call, source) = (self.from, self.sources[self.from as usize]);
        self.unwinds_from = call;
        self.from = self.open_block(source);
        self.flow.edges.push((call, self.from));
    }

    fn begin_unwind_edge(&mut self, to: Block) {
        let source = self.sources[self.unwinds_from as usize];
        let edge = self.open_block(source);
        self.flow.edges.push((self.unwinds_from, edge));
        self.edge_to = Some(to);
        let (desc, _) = self.target.expect("a function was begun");
        for (reg, number) in desc.exception_registers.into_iter().flatten().zip(0..) {
            let (place, name) = (Place::reg(reg), self.name(Thing::Exception(number)));
            self.mark_defined(name);
            self.push(Op::Define { place, name });
        }
    }
}
