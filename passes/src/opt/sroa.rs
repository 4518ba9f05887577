//! Splits stack slots into parts that are accessed apart from each other (scalar replacement of aggregates).
//!
//! ```text
//! before                                  after
//!   v1 = slot 16 align 8                    v7 = slot 8 align 8
//! b0:                                       v8 = slot 8 align 8
//!   mem_copy i64 v1, v0, 16               b0:
//!   v2 = ptr_add ptr v1, 8                  v9 = load align 8 i64 v0
//!   v3 = load align 8 i64 v1                store align 8 i64 v9, v7
//!   v4 = load align 8 i64 v2                v10 = ptr_add ptr v0, 8
//!   ...                                     v11 = load align 8 i64 v10
//!                                           store align 8 i64 v11, v8
//!                                           v3 = load align 8 i64 v7
//!                                           v4 = load align 8 i64 v8
//! ```
//!
//! A slot qualifies if it is accessed at constant distances only ([`crate::memory::parts`]). Each part becomes a slot
//! of its own, which `mem2reg` can promote if it is accessed as a whole. Copies and fills are done part by part, as
//! loads and stores where a part is a value; parts that nothing reads are not written.
//!
//! Costs a walk over loads, stores and address arithmetic, in functions with slots. Gains where unoptimized input
//! passes small structures around: they live in registers. A slot of more than 512 bytes or 16 parts is left whole, so
//! that copies do not grow without limit.

use crate::memory::calls_something_returning_twice;
use crate::memory::parts::{Access, AccessKind, Part, Pointer, SlotParts};
use frazil_ir::domtree::DomTree;
use frazil_ir::edit::Editor;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::typing::pointer_int;
use frazil_ir::{EntityRef, Function, Inst, InstData, MemFlags, Opcode, Operand, Type, TypeData, Value};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "sroa",
    summary: "splits stack slots into parts that can be promoted",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[Order {
        pass: "mem2reg",
        reason: "the parts are there to be promoted",
    }],
};

/// Scalar replacement of aggregates.
#[derive(Debug)]
pub struct Sroa;

impl FunctionPass for Sroa {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        if function.slots().is_empty() || calls_something_returning_twice(function) {
            return Ok(Preserved::unchanged());
        }
        let mut scratch: Box<Scratch> = cx.take_scratch();
        let tree: &DomTree = cx.analyses.get(function);
        let pointer_bits = cx.module.data_layout.pointer_bits;
        let found = scratch.parts.compute(function, tree, pointer_bits);
        if found {
            scratch.editor.begin(function);
            let mut split = Split {
                s: &mut scratch,
                f: function,
                pointer_bits,
                counts: Counts::default(),
            };
            split.run();
            let counts = split.counts;
            function.remove_unused_slots();
            scratch.editor.commit(function);
            cx.count("slots split", counts.slots);
            cx.count("parts made", counts.parts);
            cx.count("copies and fills divided", counts.bulk);
        }
        cx.return_scratch(scratch);
        Ok(if found {
            Preserved::cfg()
        } else {
            Preserved::unchanged()
        })
    }
}

/// How much was done.
#[derive(Debug, Default)]
struct Counts {
    slots: u64,
    parts: u64,
    bulk: u64,
}

#[derive(Debug, Default)]
struct Scratch {
    editor: Editor,
    parts: SlotParts,
}

struct Split<'a> {
    s: &'a mut Scratch,
    f: &'a mut Function,
    pointer_bits: u32,
    counts: Counts,
}

/// Memory that a copy reads or writes.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// Where it begins.
    pointer: Operand,
    /// The same, if it is in a slot that is split.
    split: Option<Pointer>,
    /// What is known of its alignment.
    align_log2: u32,
}

/// A part of what a copy reads or writes.
#[derive(Clone, Copy, Debug)]
struct Piece {
    pointer: Operand,
    align_log2: u32,
    /// The part of the slot, if it is in one, and the byte where the piece begins.
    part: Option<(Part, u32)>,
}

impl Split<'_> {
    fn run(&mut self) {
        self.make_slots();
        let accesses = std::mem::take(&mut self.s.parts.accesses);
        for access in &accesses {
            if matches!(access.kind, AccessKind::Load(_) | AccessKind::Store(_)) {
                self.redirect(access);
            }
        }
        self.s.parts.accesses = accesses;
        let bulk = std::mem::take(&mut self.s.parts.bulk);
        for &inst in &bulk {
            self.divide(inst);
        }
        self.s.parts.bulk = bulk;
        self.remove_pointers();
    }

    fn make_slots(&mut self) {
        for number in 0..self.f.slots().len() {
            let slot = self.f.slots()[number];
            let parts = self.s.parts.parts_mut(number);
            self.counts.slots += u64::from(!parts.is_empty());
            self.counts.parts += parts.len() as u64;
            for part in parts {
                let align_log2 = part.start.trailing_zeros().min(u32::from(slot.align_log2));
                let size = u64::from(part.end - part.start);
                part.address = Some(self.f.push_slot(size, align_log2 as u8));
            }
        }
    }

    /// Lets a load or store access the part.
    fn redirect(&mut self, access: &Access) {
        let data = self.f.insts()[access.inst.index()];
        let pointer = if data.op == Opcode::Load { data.a } else { data.b };
        let Some(split) = self.s.parts.split_pointer(pointer) else {
            return;
        };
        let side = Side {
            pointer,
            split: Some(split),
            align_log2: 0,
        };
        let Piece {
            pointer, align_log2, ..
        } = self.piece(access.inst, side, 0);
        // A part need not lie as the slot did.
        let flags = MemFlags(data.flags);
        let aligned = MemFlags::aligned(flags.align_log2().min(align_log2));
        let flags = aligned.with_nontemporal(flags.is_nontemporal()).0;
        let data = match data.op {
            Opcode::Load => InstData {
                a: pointer,
                flags,
                ..data
            },
            _ => InstData {
                b: pointer,
                flags,
                ..data
            },
        };
        self.s.editor.replace(self.f, access.inst, data);
    }

    /// The place `distance` bytes after the beginning of one side of the instruction `at`.
    fn piece(&mut self, at: Inst, side: Side, distance: u32) -> Piece {
        let Some(Pointer { slot, offset, .. }) = side.split else {
            return Piece {
                pointer: self.pointer_at(at, side.pointer, distance),
                align_log2: side.align_log2.min(distance.trailing_zeros()),
                part: None,
            };
        };
        let byte = offset.cast_unsigned() + distance;
        let part = self.s.parts.part_at(slot, byte);
        let address = part.address.expect("parts of split slots have addresses");
        let distance = byte - part.start;
        Piece {
            pointer: self.pointer_at(at, Operand::value(address), distance),
            align_log2: self.align_of(address).min(distance.trailing_zeros()),
            part: Some((part, byte)),
        }
    }

    fn align_of(&self, address: Value) -> u32 {
        let slot = self.f.slot_of(address).expect("the address of a slot");
        u32::from(self.f.slots()[slot.index()].align_log2)
    }

    fn pointer_at(&mut self, at: Inst, pointer: Operand, distance: u32) -> Operand {
        if distance == 0 {
            return pointer;
        }
        let distance = Operand::imm(i64::from(distance)).expect("slots are small");
        let ty = self.f.operand_type(pointer).unwrap_or(Type::PTR);
        let data = InstData::new(Opcode::PtrAdd, ty, 0, pointer, distance);
        let sum = self.s.editor.insert_before(self.f, at, data, Some(ty));
        Operand::value(sum.expect("a sum is a value"))
    }

    /// Does a copy or fill part by part.
    fn divide(&mut self, inst: Inst) {
        let data = self.f.insts()[inst.index()];
        let (second, length) = self.f.ternary(&data);
        let align_log2 = MemFlags(data.flags).align_log2();
        let side = |pointer, split| Side {
            pointer,
            split,
            align_log2,
        };
        let to = side(data.a, self.s.parts.split_pointer(data.a));
        let is_fill = data.op == Opcode::MemSet;
        let from = side(
            second,
            if is_fill {
                None
            } else {
                self.s.parts.split_pointer(second)
            },
        );
        if to.split.is_none() && from.split.is_none() {
            return;
        }
        self.counts.bulk += 1;
        let length = length.as_imm().expect("lengths of known accesses are constant") as u32;
        let mut done = 0;
        while done < length {
            let end = [to, from]
                .into_iter()
                .filter_map(|side| self.part_end(side, done))
                .min();
            let bytes = end.map_or(length, |end| end.min(length)) - done;
            if self.is_read(to, done) {
                if is_fill {
                    self.fill(inst, &data, to, second, done, bytes);
                } else {
                    self.copy(inst, &data, (to, from), done, bytes);
                }
            }
            done += bytes;
        }
        self.s.editor.remove(self.f, inst);
    }

    /// How far from a side's begin the part ends that lies at a distance from it.
    fn part_end(&self, side: Side, distance: u32) -> Option<u32> {
        let Pointer { slot, offset, .. } = side.split?;
        let offset = offset.cast_unsigned();
        Some(self.s.parts.part_at(slot, offset + distance).end - offset)
    }

    /// Whether anything may read what is written there.
    fn is_read(&self, side: Side, distance: u32) -> bool {
        side.split.is_none_or(|Pointer { slot, offset, .. }| {
            self.s.parts.part_at(slot, offset.cast_unsigned() + distance).is_read
        })
    }

    fn copy(&mut self, at: Inst, data: &InstData, (to, from): (Side, Side), done: u32, bytes: u32) {
        let (to, from) = (self.piece(at, to, done), self.piece(at, from, done));
        let Some(ty) = to.value_type(bytes).or(from.value_type(bytes)) else {
            let align_log2 = to.align_log2.min(from.align_log2);
            return self.bulk(at, data, to.pointer, from.pointer, bytes, align_log2);
        };
        let flags = MemFlags::aligned(from.align_log2).0;
        let load = InstData::new(Opcode::Load, ty, flags, from.pointer, Operand::NONE);
        let value = self.s.editor.insert_before(self.f, at, load, Some(ty));
        self.store(at, ty, Operand::value(value.expect("a load has a result")), to);
    }

    fn fill(&mut self, at: Inst, data: &InstData, to: Side, byte: Operand, done: u32, bytes: u32) {
        let to = self.piece(at, to, done);
        match (to.value_type(bytes), byte.as_imm()) {
            (Some(ty), Some(value)) => {
                let value = self.repeated(ty, value as u8);
                self.store(at, ty, value, to);
            }
            (Some(ty), None) if ty == Type::I8 => self.store(at, ty, byte, to),
            _ => self.bulk(at, data, to.pointer, byte, bytes, to.align_log2),
        }
    }

    fn store(&mut self, at: Inst, ty: Type, value: Operand, to: Piece) {
        let flags = MemFlags::aligned(to.align_log2).0;
        let data = InstData::new(Opcode::Store, ty, flags, value, to.pointer);
        self.s.editor.insert_before(self.f, at, data, None);
    }

    /// The constant of a type whose bytes all have one value.
    fn repeated(&mut self, ty: Type, byte: u8) -> Operand {
        let word = u64::from_ne_bytes([byte; 8]);
        let spare = 64 - self.f.types().bits(ty, self.pointer_bits) as u32;
        match self.f.types().data(ty) {
            TypeData::F32 | TypeData::F64 => Operand::constant(self.f.push_float(ty, &[word >> spare])),
            _ => {
                let value = (word.cast_signed() << spare) >> spare;
                self.f.int_operand(ty, i128::from(value))
            }
        }
    }

    /// A shorter copy or fill.
    fn bulk(&mut self, at: Inst, data: &InstData, to: Operand, second: Operand, bytes: u32, align_log2: u32) {
        let length = Operand::imm(i64::from(bytes)).expect("slots are small");
        let pool = self.f.push_pool(&[second, length]);
        let flags = MemFlags::aligned(align_log2).0;
        let data = InstData::new(data.op, pointer_int(self.pointer_bits), flags, to, Operand::raw(pool));
        self.s.editor.insert_before(self.f, at, data, None);
    }

    /// Removes the pointers into slots that were split; nothing uses them any more.
    fn remove_pointers(&mut self) {
        let values = std::mem::take(&mut self.s.parts.values);
        for &value in values.iter().rev() {
            if let Some(inst) = self.f.def_inst(value)
                && self.s.parts.split_pointer(Operand::value(value)).is_some()
            {
                self.s.editor.remove(self.f, inst);
            }
        }
        self.s.parts.values = values;
    }
}

impl Piece {
    /// The type as which so many bytes can be copied: that of a part, if they are all of it.
    fn value_type(&self, bytes: u32) -> Option<Type> {
        let (part, byte) = self.part?;
        let is_whole = part.start == byte && part.end - part.start == bytes && part.ty != Type::VOID;
        is_whole.then_some(part.ty)
    }
}
