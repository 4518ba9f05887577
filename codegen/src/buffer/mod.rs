//! The code buffer: bytes of one function with labels, fixups, relocations, constants, jump tables, and the log that
//! assembly text is made from.
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
//!
//! Jump tables are data that whoever writes the object places ([`CodeBuffer::data_tables`]), or on targets that have
//! them in the code, stand after it. The target says which by its fixup kind for their entries
//! ([`crate::isa::Isa::table_entry_fixup`]).
//!
//! Fields that do not reach everything in a function, as on targets with instructions of a fixed width, wait for
//! [`islands`], which have invariants of their own. Making branches shorter afterwards keeps every distance in
//! reach, since code only comes closer together.

mod islands;
mod shorten;
mod splice;

pub use islands::{Beyond, Islands, Reach};
pub use shorten::ShortForm;

use crate::desc::{FixupDesc, TargetDesc};
use crate::exceptions::ExceptionTable;
use crate::inline_asm::assembled::{AsmCode, Splice};
use crate::inline_asm::text::AsmText;
use crate::minst::MInst;
use crate::reference::{Label, Ref, RefKind};
use frazil_ir::debug::LocationId;
use frazil_ir::included::DEBUG_INFORMATION;
use frazil_ir::{Block, EntityRef, SymbolId};
use frazil_support::ByteBuffer;
use std::hash::{Hash, Hasher};

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
#[derive(Clone, Copy, Debug)]
pub struct PoolConstant {
    /// Its bytes, the first `len` count.
    pub bytes: [u8; PoolConstant::MAX_BYTES],
    /// Its length in bytes, a power of two.
    pub len: u8,
}

impl PoolConstant {
    /// The longest constant of any target: what fills the widest register that constants are loaded into.
    pub const MAX_BYTES: usize = 64;

    /// The bytes that count.
    #[inline]
    pub fn contents(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The alignment of constants on a target, as log2 of bytes.
    pub fn align_log2(&self, target: &TargetDesc) -> u8 {
        self.len.min(target.constant_align_bytes).trailing_zeros() as u8
    }
}

impl PartialEq for PoolConstant {
    #[inline]
    fn eq(&self, other: &PoolConstant) -> bool {
        self.contents() == other.contents()
    }
}

impl Eq for PoolConstant {}

impl Hash for PoolConstant {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.contents().hash(state);
    }
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
    /// Alignment of jump tables to a power of two with filler.
    Align(u8),
    /// Bytes that are no instruction of the op table.
    Bytes,
    /// An entry of a jump table: the distance of a label from the table's label, in 4 bytes.
    TableEntry { label: Label, table: Label },
    /// An inline assembly text: an index into [`CodeBuffer::texts`].
    Text(u32),
    /// A constant in the code: an index into [`CodeBuffer::constants`].
    Literal(u32),
}

/// Where in a function a location is noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkPlace {
    Within,
    /// At the beginning of a block, to which other code may jump.
    Block,
    /// Where the frame is about to be torn down.
    Epilogue,
}

impl MarkPlace {
    /// The place of an instruction, by whether it is the first of its block, and whether it leaves the function.
    pub fn of(begins: bool, leaves: bool) -> MarkPlace {
        match (begins, leaves) {
            (_, true) => MarkPlace::Epilogue,
            (true, _) => MarkPlace::Block,
            _ => MarkPlace::Within,
        }
    }
}

/// The location of code from an offset on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocationMark {
    pub offset: u32,
    pub location: LocationId,
    pub place: MarkPlace,
}

/// A jump table: in data, or waiting to be laid out after the code.
#[derive(Clone, Copy, Debug)]
struct JumpTable {
    /// Its label in the code, if it is to be there.
    label: Option<Label>,
    first: u32,
    len: u32,
}

const UNBOUND: u32 = u32::MAX;

/// The code of one function while it is made.
#[derive(Debug, Default)]
pub struct CodeBuffer {
    /// The bytes so far.
    pub bytes: ByteBuffer,
    /// Relocations, ascending by offset.
    pub relocs: Vec<Reloc>,
    /// Constants of the function.
    pub constants: Vec<PoolConstant>,
    /// Which calls unwind where.
    pub exceptions: ExceptionTable,
    /// Blocks of other functions whose addresses the code has.
    pub foreign_blocks: Vec<(SymbolId, Block)>,
    /// The labels that are the addresses of the function's own blocks: the first one and the number of blocks.
    /// `None` if nobody asks for the addresses.
    pub block_addresses: Option<(Label, u32)>,
    labels: Vec<u32>,
    fixups: Vec<Fixup>,
    tables: Vec<JumpTable>,
    table_targets: Vec<Label>,
    /// First byte, byte after the last, and target of the branch that ends the code.
    last_jump: Option<(u32, u32, Label)>,
    /// Places that must be aligned, ascending.
    aligns: Vec<shorten::Align>,
    /// Bytes of code before this buffer's.
    lead_bytes: u32,
    /// Branches that were made shorter.
    cuts: Vec<shorten::Cut>,
    /// Fields that wait for an island.
    islands: islands::IslandState,
    log: Vec<(u32, LogItem)>,
    logging: bool,
    /// Whether instructions get notes, and what these say; the last one is that of the next instructions.
    annotating: bool,
    notes: Vec<String>,
    /// Whether locations of instructions are noted, and from which offset on which one holds, ascending.
    marking: bool,
    marks: Vec<LocationMark>,
    /// Inline assembly texts of which no bytes are here.
    texts: Vec<AsmText>,
    /// What an assembler made of the function's texts, and which is next.
    pub(crate) assembled: Vec<AsmCode>,
    pub(crate) next_assembled: usize,
    /// Where that stands.
    pub(crate) splices: Vec<Splice>,
}

impl CodeBuffer {
    /// Bytes of an entry of a jump table.
    pub const TABLE_ENTRY_BYTES: u64 = 4;

    /// Alignment of jump tables as log2 of bytes.
    pub const TABLE_ALIGN_LOG2: u8 = Self::TABLE_ENTRY_BYTES.trailing_zeros() as u8;

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
        self.exceptions.begin(false);
        self.foreign_blocks.clear();
        self.block_addresses = None;
        self.labels.clear();
        self.fixups.clear();
        self.tables.clear();
        self.table_targets.clear();
        self.last_jump = None;
        self.aligns.clear();
        self.lead_bytes = 0;
        self.cuts.clear();
        self.islands.clear();
        self.log.clear();
        self.notes.clear();
        self.marking = false;
        self.marks.clear();
        self.texts.clear();
        self.next_assembled = 0;
        self.splices.clear();
    }

    /// The current offset in bytes.
    #[inline]
    pub fn offset(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Makes a label that is not bound yet.
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

    /// The reference to a block of another function.
    pub fn foreign_block(&mut self, function: SymbolId, block: Block) -> Ref {
        let known = (self.foreign_blocks.iter()).position(|&known| known == (function, block));
        let number = known.unwrap_or_else(|| {
            self.foreign_blocks.push((function, block));
            self.foreign_blocks.len() - 1
        });
        Ref::new(RefKind::Block, number as u32)
    }

    /// Binds the addresses of blocks that are gone here, where nothing jumps to.
    pub fn bind_missing_addresses(&mut self) {
        let Some((first, count)) = self.block_addresses else {
            return;
        };
        for label in (first.0..first.0 + count).map(Label) {
            if self.label_offset(label).is_none() {
                self.bind(label);
            }
        }
    }

    /// The block whose address a label is.
    pub fn addressed_block(&self, label: Label) -> Option<Block> {
        let (first, count) = self.block_addresses?;
        let number = label.0.checked_sub(first.0).filter(|&number| number < count)?;
        Some(Block::new(number as usize))
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
            let dropped = self.fixups.pop();
            self.islands.dropped(self.fixups.len() as u32, dropped);
            if self.logging {
                while let Some((_, LogItem::Note(_))) = self.log.pop() {}
            }
        }
        self.labels[label.0 as usize] = self.offset();
        self.islands.bound(label);
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
        // One that bytes follow is not the last any more, wherever it ends.
        if let Some(label) = jump {
            self.last_jump = Some((start, self.offset(), label));
        }
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

    /// Has locations of instructions noted in the function that begins.
    pub fn keep_marks(&mut self) {
        self.marking = true;
    }

    /// Whether [`CodeBuffer::mark`] is wanted.
    #[inline]
    pub fn is_marking(&self) -> bool {
        DEBUG_INFORMATION && self.marking
    }

    /// Whether anything is to be noted of the next instructions.
    #[inline]
    pub fn is_observed(&self) -> bool {
        self.annotating | self.marking
    }

    /// Notes that a location holds from here on.
    pub fn mark(&mut self, location: LocationId, place: MarkPlace) {
        let offset = self.offset();
        let mark = LocationMark {
            offset,
            location,
            place,
        };
        match self.marks.last_mut() {
            Some(last) if last.location == location && place == MarkPlace::Within => {}
            // A jump that was here is dropped.
            Some(last) if last.offset == offset => {
                *last = LocationMark {
                    place: last.place.max(place),
                    ..mark
                };
            }
            _ => self.marks.push(mark),
        }
    }

    /// Notes the location of the next instruction; that it has none, only if it begins a block.
    pub(crate) fn mark_inst(&mut self, location: LocationId, begins: bool, leaves: bool) {
        if begins || location != LocationId::NONE {
            self.mark(location, MarkPlace::of(begins, leaves));
        }
    }

    /// Notes the location of the epilogue that begins here, if locations are noted.
    pub(crate) fn mark_epilogue(&mut self, location: LocationId) {
        if self.marking {
            self.mark(location, MarkPlace::Epilogue);
        }
    }

    /// From which offset on which location holds, ascending; what comes before has none.
    pub fn marks(&self) -> &[LocationMark] {
        &self.marks
    }

    /// The reference to a constant with these bytes, a power of two, shared with equal ones of the function.
    pub fn constant(&mut self, bytes: &[u8]) -> Ref {
        let mut entry = PoolConstant {
            bytes: [0; PoolConstant::MAX_BYTES],
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

    /// Asks for a jump table, in data or after the code: 4-byte distances from the table's start to each target.
    pub fn jump_table(&mut self, targets: impl Iterator<Item = Label>, in_code: bool) -> Ref {
        let label = in_code.then(|| self.new_label());
        let first = self.table_targets.len() as u32;
        self.table_targets.extend(targets);
        self.tables.push(JumpTable {
            label,
            first,
            len: self.table_targets.len() as u32 - first,
        });
        match label {
            Some(label) => Ref::new(RefKind::Label, label.0),
            None => Ref::new(RefKind::Table, self.tables.len() as u32 - 1),
        }
    }

    /// The jump tables in data, by number: the labels whose distances from a table's start are its entries.
    pub fn data_tables(&self) -> impl ExactSizeIterator<Item = &[Label]> {
        let count = self.tables.iter().take_while(|table| table.label.is_none()).count();
        let labels = |table: &JumpTable| &self.table_targets[table.first as usize..(table.first + table.len) as usize];
        self.tables[..count].iter().map(labels)
    }

    /// Lays out the jump tables that are in the code and fills in every label field.
    ///
    /// `filler` pads to the tables' alignment; `entry` is the fixup kind of a table entry, of targets with tables in
    /// the code.
    ///
    /// # Errors
    /// The name of a fixup kind whose range was too small, with the field's offset.
    pub fn finish(&mut self, fixups: &[FixupDesc], filler: u8, entry: Option<u8>) -> Result<(), (&'static str, u32)> {
        if let Some(entry) = entry {
            self.lay_out_tables(filler, entry);
        }
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
        self.log_item(LogItem::Align(Self::TABLE_ALIGN_LOG2));
        while !self.bytes.len().is_multiple_of(Self::TABLE_ENTRY_BYTES as usize) {
            self.bytes.push(filler);
        }
        let tables = std::mem::take(&mut self.tables);
        for table in &tables {
            let start = table.label.expect("targets have all tables in the code, or none");
            self.bind(start);
            let origin = self.offset();
            for index in table.first..table.first + table.len {
                let label = self.table_targets[index as usize];
                self.log_item(LogItem::TableEntry { label, table: start });
                self.fixups.push(Fixup {
                    offset: self.offset(),
                    label,
                    kind: entry,
                    origin,
                });
                self.put(&[0; Self::TABLE_ENTRY_BYTES as usize]);
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

    /// Says something of the last instruction alone, besides its note; nothing if nobody wants notes.
    #[inline]
    pub fn remark(&mut self, remark: &str) {
        if self.annotating {
            self.remark_last(remark);
        }
    }

    #[cold]
    #[inline(never)]
    fn remark_last(&mut self, remark: &str) {
        if let Some((_, LogItem::Note(index))) = self.log.last_mut() {
            let note = self.notes[*index as usize].clone();
            *index = self.notes.len() as u32;
            self.notes.push(format!("{note}; {remark}"));
            // What follows has the old one again.
            self.notes.push(note);
        }
    }

    /// Bytes that are no instruction of the op table.
    pub fn put_raw(&mut self, bytes: &[u8]) {
        self.last_jump = None;
        self.log_item(LogItem::Bytes);
        self.put(bytes);
    }

    /// Aligns what follows to a power of two bytes, from the start of the function, as far as
    /// [`CodeBuffer::set_lead_bytes`] says it; `fill` writes filler that does nothing.
    pub fn align(&mut self, log2: u8, fill: fn(&mut [u8])) {
        let room = (1usize << log2) - 1;
        self.make_room(room as u32);
        self.last_jump = None;
        self.log_item(LogItem::Bytes);
        self.bytes.resize(self.bytes.len() + room, 0);
        let end = self.offset();
        self.aligns.push(shorten::Align {
            end,
            log2,
            fill,
            loop_end: None,
        });
    }

    /// Aligns like [`CodeBuffer::align`] if the loop that follows, up to a label, is in fewer lines of so many bytes
    /// then.
    pub fn align_loop(&mut self, log2: u8, fill: fn(&mut [u8]), end: Label) {
        self.align(log2, fill);
        if let Some(align) = self.aligns.last_mut() {
            align.loop_end = Some(end);
        }
    }

    /// The largest alignment that was asked for, as a power of two.
    pub fn align_log2(&self) -> u8 {
        self.aligns.iter().map(|align| align.log2).max().unwrap_or(0)
    }

    /// Says how much code comes before this buffer's, before branches are shortened.
    pub fn set_lead_bytes(&mut self, bytes: u32) {
        self.lead_bytes = bytes;
    }

    /// Keeps an inline assembly text here whose bytes are an assembler's matter: the code is whole as text only.
    pub(crate) fn keep_text(&mut self, text: AsmText) {
        self.last_jump = None;
        self.log_item(LogItem::Text(self.texts.len() as u32));
        self.texts.push(text);
    }

    /// The inline assembly texts that only an assembler can encode. With any, the bytes are not the whole code.
    pub fn texts(&self) -> &[AsmText] {
        &self.texts
    }

    /// Where code stands that an assembler made of texts.
    pub fn splices(&self) -> &[Splice] {
        &self.splices
    }

    /// Whether the log is kept.
    pub fn is_logging(&self) -> bool {
        self.logging
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
        assert!(buffer.finish(FIXUPS, 0, None).is_ok());
        assert_eq!(*buffer.bytes, [0xee, 0xff]);
        assert_eq!(buffer.log().len(), 3);
    }

    #[test]
    fn a_field_that_cannot_reach_is_reported() {
        let mut buffer = CodeBuffer::new(false);
        let far = buffer.new_label();
        jump(&mut buffer, far);
        buffer.put(&[0; 300]);
        buffer.bind(far);
        assert_eq!(buffer.finish(FIXUPS, 0, None), Err(("byte", 1)));
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
