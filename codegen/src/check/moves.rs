//! Recognizes copies, spills and reloads, by comparing instructions with those that the target's hooks make.

use crate::isa::Isa;
use crate::minst::{MInst, Mem};
use crate::reg::Reg;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveKind {
    /// Copies `regs[1]` to `regs[0]`.
    Copy,
    /// Stores `regs[0]`.
    Spill,
    /// Loads `regs[0]`.
    Reload,
}

/// A row and width of moves.
#[derive(Clone, Copy, Debug)]
struct MoveForm {
    op: u16,
    size: u8,
    kind: MoveKind,
    bytes: u8,
}

/// The moves of a target: a dozen rows at most.
#[derive(Debug, Default)]
pub(super) struct MoveTable {
    rows: Vec<MoveForm>,
}

impl MoveTable {
    /// Learns the moves of a target.
    pub fn learn<I: Isa>(&mut self, isa: &I) {
        self.rows.clear();
        let desc = isa.desc();
        for class in desc.each_class() {
            let reg = desc.class(class).scratch;
            let mem = Mem::base(desc.frame_pointer, 0);
            for bytes in [1, 2, 4, 8, 16, 32, 64] {
                if bytes > desc.widest_bytes(class) {
                    break;
                }
                self.add(&isa.mov(class, bytes, reg, reg), MoveKind::Copy, bytes);
                self.add(&isa.spill(class, bytes, reg, mem), MoveKind::Spill, bytes);
                self.add(&isa.reload(class, bytes, reg, mem), MoveKind::Reload, bytes);
            }
        }
    }

    /// The same row may serve several widths: copies then copy them all, memory accesses have the smallest, unless the
    /// instruction says how many bytes it moves.
    fn add(&mut self, inst: &MInst, kind: MoveKind, bytes: u8) {
        let same = |row: &&mut MoveForm| row.op == inst.op && row.size == inst.size && row.kind == kind;
        match self.rows.iter_mut().find(same) {
            Some(row) if kind == MoveKind::Copy || bytes == inst.size => row.bytes = bytes,
            Some(_) => {}
            None => self.rows.push(MoveForm {
                op: inst.op,
                size: inst.size,
                kind,
                bytes,
            }),
        }
    }

    /// What an instruction moves, and how many bytes: between registers, or a register and memory at a distance from
    /// another register.
    pub fn find(&self, inst: &MInst) -> Option<(MoveKind, u8)> {
        let row = (self.rows.iter()).find(|row| row.op == inst.op && row.size == inst.size)?;
        let is_plain = row.kind == MoveKind::Copy || (inst.reg(1).is_physical() && inst.reg(2) == Reg::NONE);
        is_plain.then_some((row.kind, row.bytes))
    }
}
