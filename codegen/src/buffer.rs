//! The code buffer: bytes of one function with labels, fixups, relocations, constants, and the log that assembly
//! text is made from.
//!
//! Method: an encoder reserves room for one instruction, writes, and notes a fixup for each label field. Fixups are
//! patched when the function ends; a branch to a label that is already bound may look at its distance at once, but
//! needs a fixup too, since branches in between may become shorter (see [`ShortForm`]).
//!
//! Invariants:
//! * `labels[l]` is the label's offset, or `UNBOUND`;
//! * an unconditional branch that is the last instruction and goes to the label bound right after it is dropped
//!   (`last_jump` remembers it; binding any other label there forgets it, since that label's users would otherwise
//!   be moved; the dropped branch's own fixup is the last one);
//! * the log holds exactly the instructions whose bytes are in the buffer, in order.

mod shorten;

pub use shorten::ShortForm;

use crate::desc::FixupDesc;
use crate::minst::{Label, MInst, Ref, RefKind};

/// A place that a linker fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reloc {
    /// Where, in bytes from the start of the function.
    pub offset: u32,
    /// Index into the target's relocation table.
    pub kind: u8,
    /// What it points at: a symbol or a constant of the function.
    pub target: Ref,
    /// Added to the target's address.
    pub addend: i64,
}

#[derive(Clone, Copy, Debug)]
struct Fixup {
    offset: u32,
    label: Label,
    kind: u8,
    /// What the distance is measured from: the field itself, or for table entries the table's start.
    origin: u32,
}

/// A constant that stands in memory beside the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PoolConstant {
    /// Its bytes, the first `len` count.
    pub bytes: [u8; 16],
    /// Its length in bytes: 4, 8 or 16; also its alignment.
    pub len: u8,
}

/// An entry of the log.
#[derive(Clone, Copy, Debug)]
pub enum LogItem {
    /// An instruction and the number of its bytes.
    Inst(MInst, u8),
    /// A label bound here.
    Label(Label),
    /// What is to be said of the instruction before: an index into [`CodeBuffer::notes`].
    Note(u32),
    /// Alignment to a power of two with filler.
    Align(u8),
    /// An entry of a jump table: the distance of a label from the table's label, in 4 bytes.
    TableEntry {
        /// The target.
        label: Label,
        /// The table.
        table: Label,
    },
}

/// A jump table waiting to be laid out behind the code.
#[derive(Clone, Copy, Debug)]
struct JumpTable {
    label: Label,
    first: u32,
    len: u32,
}

const UNBOUND: u32 = u32::MAX;

/// The code of one function while it is made.
#[derive(Debug, Default)]
pub struct CodeBuffer {
    /// The bytes so far.
    pub bytes: Vec<u8>,
    /// Relocations, ascending by offset.
    pub relocs: Vec<Reloc>,
    /// Constants of the function.
    pub constants: Vec<PoolConstant>,
    labels: Vec<u32>,
    fixups: Vec<Fixup>,
    tables: Vec<JumpTable>,
    table_targets: Vec<Label>,
    /// First byte, byte after the last, and target of the branch that ends the code.
    last_jump: Option<(u32, u32, Label)>,
    /// Branches that were made shorter.
    cuts: Vec<shorten::Cut>,
    log: Vec<(u32, LogItem)>,
    logging: bool,
    /// Whether instructions get notes, and what these say; the last one is that of the next instructions.
    annotating: bool,
    notes: Vec<String>,
}

impl CodeBuffer {
    /// An empty buffer; with `logging`, it keeps what assembly text needs.
    pub fn new(logging: bool) -> CodeBuffer {
        CodeBuffer {
            logging,
            ..CodeBuffer::default()
        }
    }

    /// Forgets the function but keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.relocs.clear();
        self.constants.clear();
        self.labels.clear();
        self.fixups.clear();
        self.tables.clear();
        self.table_targets.clear();
        self.last_jump = None;
        self.cuts.clear();
        self.log.clear();
        self.notes.clear();
    }

    /// The current offset in bytes.
    #[inline]
    pub fn offset(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// A new label.
    #[inline]
    pub fn new_label(&mut self) -> Label {
        self.labels.push(UNBOUND);
        Label(self.labels.len() as u32 - 1)
    }

    /// Makes `count` new labels and returns the first; the others follow it.
    pub fn new_labels(&mut self, count: usize) -> Label {
        let first = Label(self.labels.len() as u32);
        self.labels.resize(self.labels.len() + count, UNBOUND);
        first
    }

    /// Where a label is bound.
    #[inline]
    pub fn label_offset(&self, label: Label) -> Option<u32> {
        let offset = self.labels[label.0 as usize];
        (offset != UNBOUND).then_some(offset)
    }

    /// Binds a label here; a jump to it that ends here is dropped.
    pub fn bind(&mut self, label: Label) {
        if let Some((start, end, target)) = self.last_jump.take()
            && target == label
            && end == self.offset()
        {
            self.bytes.truncate(start as usize);
            self.fixups.pop();
            if self.logging {
                while let Some((_, LogItem::Note(_))) = self.log.pop() {}
            }
        }
        self.labels[label.0 as usize] = self.offset();
        self.log_item(LogItem::Label(label));
    }

    /// Appends bytes.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Notes that the `kind` field at `offset` holds the distance to a label.
    #[inline]
    pub fn fixup(&mut self, offset: u32, label: Label, kind: u8) {
        self.fixups.push(Fixup {
            offset,
            label,
            kind,
            origin: offset,
        });
    }

    /// Notes a relocation.
    #[inline]
    pub fn reloc(&mut self, offset: u32, kind: u8, target: Ref, addend: i64) {
        self.relocs.push(Reloc {
            offset,
            kind,
            target,
            addend,
        });
    }

    /// Called after an instruction was encoded that began at `start`; `jump` is the target if it is an unconditional
    /// branch whose only trace besides its bytes is the last fixup.
    #[inline]
    pub fn finish_inst(&mut self, inst: &MInst, start: u32, jump: Option<Label>) {
        self.last_jump = jump.map(|label| (start, self.offset(), label));
        if self.logging {
            self.log_inst(inst, start);
        }
    }

    /// Out of line, since logging is for assembly text only.
    #[cold]
    #[inline(never)]
    fn log_inst(&mut self, inst: &MInst, start: u32) {
        let len = (self.offset() - start) as u8;
        self.log.push((start, LogItem::Inst(*inst, len)));
        if let Some(last) = self.notes.len().checked_sub(1) {
            self.log.push((start, LogItem::Note(last as u32)));
        }
    }

    #[inline]
    fn log_item(&mut self, item: LogItem) {
        if self.logging {
            let offset = self.offset();
            self.log.push((offset, item));
        }
    }

    /// The reference to a constant with these bytes (4, 8 or 16), shared with equal ones of the function.
    pub fn constant(&mut self, bytes: &[u8]) -> Ref {
        let mut entry = PoolConstant {
            bytes: [0; 16],
            len: bytes.len() as u8,
        };
        entry.bytes[..bytes.len()].copy_from_slice(bytes);
        let number = match self.constants.iter().rev().take(64).position(|other| *other == entry) {
            Some(back) => self.constants.len() - 1 - back,
            None => {
                self.constants.push(entry);
                self.constants.len() - 1
            }
        };
        Ref::new(RefKind::Constant, number as u32)
    }

    /// Asks for a jump table behind the code: 4-byte distances from the table's label to each target.
    pub fn jump_table(&mut self, targets: impl Iterator<Item = Label>) -> Label {
        let label = self.new_label();
        let first = self.table_targets.len() as u32;
        self.table_targets.extend(targets);
        self.tables.push(JumpTable {
            label,
            first,
            len: self.table_targets.len() as u32 - first,
        });
        label
    }

    /// Lays out the jump tables and fills in every label field.
    ///
    /// `filler` pads to the tables' alignment; `entry` is the fixup kind of a table entry.
    ///
    /// # Errors
    /// The name of a fixup kind whose range was too small, with the field's offset.
    pub fn finish(&mut self, fixups: &[FixupDesc], filler: u8, entry: u8) -> Result<(), (&'static str, u32)> {
        self.lay_out_tables(filler, entry);
        for fixup in &self.fixups {
            let target = self.labels[fixup.label.0 as usize];
            debug_assert_ne!(target, UNBOUND, "a branch to {:?}, which was never bound", fixup.label);
            let desc = &fixups[usize::from(fixup.kind)];
            let distance = i64::from(target) - i64::from(fixup.origin);
            if !(desc.patch)(&mut self.bytes[fixup.offset as usize..], distance) {
                return Err((desc.name, fixup.offset));
            }
        }
        Ok(())
    }

    fn lay_out_tables(&mut self, filler: u8, entry: u8) {
        if self.tables.is_empty() {
            return;
        }
        self.last_jump = None;
        self.log_item(LogItem::Align(2));
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(filler);
        }
        let tables = std::mem::take(&mut self.tables);
        for table in &tables {
            self.bind(table.label);
            let origin = self.offset();
            for index in table.first..table.first + table.len {
                let label = self.table_targets[index as usize];
                self.log_item(LogItem::TableEntry {
                    label,
                    table: table.label,
                });
                self.fixups.push(Fixup {
                    offset: self.offset(),
                    label,
                    kind: entry,
                    origin,
                });
                self.put(&[0; 4]);
            }
        }
        self.tables = tables;
    }

    /// Says whether the buffer keeps what assembly text needs; returns whether it did so far.
    pub fn keep_log(&mut self, keep: bool) -> bool {
        std::mem::replace(&mut self.logging, keep)
    }

    /// Has instructions annotated in the log.
    pub fn keep_notes(&mut self) {
        self.annotating = true;
    }

    /// Whether [`CodeBuffer::annotate`] is wanted.
    #[inline]
    pub fn is_annotating(&self) -> bool {
        self.annotating
    }

    /// Says something of the instructions that follow, up to the next annotation.
    pub fn annotate(&mut self, note: String) {
        debug_assert!(self.annotating, "nobody wants notes");
        self.notes.push(note);
    }

    /// A note of the log.
    pub fn note(&self, index: u32) -> &str {
        &self.notes[index as usize]
    }

    /// The log: offsets and items in order.
    pub fn log(&self) -> &[(u32, LogItem)] {
        &self.log
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch_byte(bytes: &mut [u8], distance: i64) -> bool {
        i8::try_from(distance)
            .map(|byte| bytes[0] = byte.cast_unsigned())
            .is_ok()
    }

    const FIXUPS: &[FixupDesc] = &[FixupDesc {
        name: "byte",
        patch: patch_byte,
    }];

    fn jump(buffer: &mut CodeBuffer, label: Label) {
        let start = buffer.offset();
        buffer.put(&[0xee, 0]);
        buffer.fixup(start + 1, label, 0);
        buffer.finish_inst(&MInst::new(0, 0), start, Some(label));
    }

    #[test]
    fn a_jump_to_the_next_instruction_is_dropped() {
        let mut buffer = CodeBuffer::new(true);
        let (next, other) = (buffer.new_label(), buffer.new_label());
        jump(&mut buffer, next);
        buffer.bind(next);
        assert!(buffer.bytes.is_empty());
        jump(&mut buffer, next);
        buffer.bind(other);
        assert_eq!(buffer.bytes.len(), 2, "only a jump to the bound label goes");
        assert!(buffer.finish(FIXUPS, 0, 0).is_ok());
        assert_eq!(buffer.bytes, [0xee, 0xff]);
        assert_eq!(buffer.log().len(), 3);
    }

    #[test]
    fn a_field_that_cannot_reach_is_reported() {
        let mut buffer = CodeBuffer::new(false);
        let far = buffer.new_label();
        jump(&mut buffer, far);
        buffer.put(&[0; 300]);
        buffer.bind(far);
        assert_eq!(buffer.finish(FIXUPS, 0, 0), Err(("byte", 1)));
    }

    #[test]
    fn equal_constants_are_shared() {
        let mut buffer = CodeBuffer::new(false);
        let first = buffer.constant(&1.5f64.to_le_bytes());
        let second = buffer.constant(&2.5f64.to_le_bytes());
        assert_ne!(first, second);
        assert_eq!(buffer.constant(&1.5f64.to_le_bytes()), first);
        assert_ne!(buffer.constant(&1.5f32.to_le_bytes()), first);
    }
}
