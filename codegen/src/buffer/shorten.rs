//! Shorter encodings for branches whose labels turned out to be near.
//!
//! Method: an encoder makes a branch to a label that is not bound yet in its long form. When the whole function is
//! there, one pass over the fixups finds the branches that reach with a short field, writes those shorter and moves
//! what follows down; then labels, relocations and log follow. Every move brings branches closer to their labels, so
//! that a distance that is short enough before is so afterwards; branches that would become short only by the moves
//! stay long. Everything that crosses a branch must have its distance in a fixup, backward branches included.

use super::{CodeBuffer, Fixup, LogItem, UNBOUND};
use crate::reference::Label;

/// A branch with a long field at its end that can be written shorter where its label is near.
#[derive(Clone, Copy, Debug)]
pub struct ShortForm {
    /// The fixup kind of the long field.
    pub long: u8,
    /// Bytes of the long branch before its field.
    pub lead_bytes: u8,
    /// Bytes of the long field.
    pub field_bytes: u8,
    /// The fixup kind of the short field.
    pub short: u8,
    /// Bytes of the short branch, less than those of the long one.
    pub short_bytes: u8,
    /// Bytes of the short branch before its field.
    pub short_lead_bytes: u8,
    /// The smallest distance in bytes that the short field holds, from the branch's end to its label.
    pub min_distance: i32,
    /// The largest one.
    pub max_distance: i32,
    /// Makes the short branch of the long one, from its first byte on.
    pub rewrite: fn(branch: &mut [u8]),
}

impl ShortForm {
    fn reaches(&self, distance: i64) -> bool {
        (i64::from(self.min_distance)..=i64::from(self.max_distance)).contains(&distance)
    }
}

/// A branch that was made shorter, or an alignment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The offset after it, before anything moved.
    end: u32,
    /// Bytes saved up to there.
    saved: u32,
}

impl CodeBuffer {
    /// Makes branches short that reach their labels so. Called once, when all code is there and before
    /// [`CodeBuffer::finish`]; offsets that others remember change, see [`CodeBuffer::moved_offset`].
    pub fn shorten_branches(&mut self, forms: &[ShortForm]) {
        self.cuts.clear();
        self.cut_branches(forms);
        if self.cuts.is_empty() {
            return;
        }
        for label in &mut self.labels {
            if *label != UNBOUND {
                *label -= saved_before(&self.cuts, *label);
            }
        }
        for reloc in &mut self.relocs {
            reloc.offset -= saved_before(&self.cuts, reloc.offset);
        }
        for site in &mut self.exceptions.call_sites {
            site.start -= saved_before(&self.cuts, site.start);
            site.end -= saved_before(&self.cuts, site.end);
        }
        for mark in &mut self.marks {
            mark.offset -= saved_before(&self.cuts, mark.offset);
        }
        self.move_log();
    }

    /// Where what was at `offset` before [`CodeBuffer::shorten_branches`] is now.
    pub fn moved_offset(&self, offset: u32) -> u32 {
        offset - saved_before(&self.cuts, offset)
    }

    /// Rewrites the branches, moves the bytes and the fixups.
    fn cut_branches(&mut self, forms: &[ShortForm]) {
        let mut saved = 0;
        // Bytes before `done` are where they belong, up to `saved` bytes lower.
        let mut done = 0;
        let mut aligned = 0;
        let mut next_align = self.aligns.first().map_or(u32::MAX, |align| align.end);
        for index in 0..self.fixups.len() {
            let field = self.fixups[index].offset;
            while next_align <= field {
                let align = &self.aligns[aligned];
                let loop_bytes = align.loop_bytes(&self.labels, &self.fixups[index..], forms);
                align.cut(
                    (self.lead_bytes, loop_bytes),
                    &mut self.bytes,
                    &mut self.cuts,
                    (&mut done, &mut saved),
                );
                aligned += 1;
                next_align = self.aligns.get(aligned).map_or(u32::MAX, |align| align.end);
            }
            let fixup = &mut self.fixups[index];
            fixup.offset -= saved;
            if let Some(form) = forms.iter().find(|form| form.long == fixup.kind) {
                let end = field + u32::from(form.field_bytes);
                let label = self.labels[fixup.label.0 as usize];
                if form.reaches(i64::from(label) - i64::from(end)) {
                    let start = field - u32::from(form.lead_bytes);
                    (form.rewrite)(&mut self.bytes[start as usize..end as usize]);
                    let short_end = start + u32::from(form.short_bytes);
                    self.bytes
                        .copy_within(done as usize..short_end as usize, (done - saved) as usize);
                    fixup.offset = start - saved + u32::from(form.short_lead_bytes);
                    fixup.kind = form.short;
                    saved += end - short_end;
                    done = end;
                    self.cuts.push(Cut { end, saved });
                }
            }
            fixup.origin = fixup.offset;
        }
        // What comes after the last branch is no loop.
        for align in &self.aligns[aligned..] {
            align.cut(
                (self.lead_bytes, None),
                &mut self.bytes,
                &mut self.cuts,
                (&mut done, &mut saved),
            );
        }
        let rest = done as usize..self.bytes.len();
        self.bytes.copy_within(rest, (done - saved) as usize);
        self.bytes.truncate(self.bytes.len() - saved as usize);
    }

    fn move_log(&mut self) {
        let mut cuts = self.cuts.as_slice();
        let mut saved = 0;
        for (offset, item) in &mut self.log {
            while let Some((cut, rest)) = cuts.split_first()
                && cut.end <= *offset
            {
                saved = cut.saved;
                cuts = rest;
            }
            if let LogItem::Inst(_, len) = item
                && let Some(cut) = cuts.first().filter(|cut| cut.end == *offset + u32::from(*len))
            {
                *len -= (cut.saved - saved) as u8;
            }
            *offset -= saved;
        }
    }
}

/// Room for alignment, as much as may be needed; what is too much is cut when the length of all code before is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Align {
    /// The offset after the room.
    pub end: u32,
    /// The alignment as a power of two.
    pub log2: u8,
    /// Writes filler that does nothing.
    pub fill: fn(&mut [u8]),
    /// The end of the loop that follows: it is only aligned if it is in fewer lines of so many bytes then.
    pub loop_end: Option<Label>,
}

impl Align {
    /// Bytes of the loop that follows, if its branches become short; `branches` are those from there on.
    fn loop_bytes(&self, labels: &[u32], branches: &[Fixup], forms: &[ShortForm]) -> Option<u32> {
        let end = labels[self.loop_end?.0 as usize];
        let within = branches.iter().take_while(|branch| branch.offset < end);
        let saved: u32 = within.map(|branch| bytes_to_save(branch, forms)).sum();
        Some((end - self.end).saturating_sub(saved))
    }

    #[cold]
    fn cut(
        &self,
        (lead_bytes, loop_bytes): (u32, Option<u32>),
        bytes: &mut [u8],
        cuts: &mut Vec<Cut>,
        (done, saved): (&mut u32, &mut u32),
    ) {
        let line = 1 << self.log2;
        let room = line - 1;
        let start = self.end - room;
        bytes.copy_within(*done as usize..start as usize, (*done - *saved) as usize);
        let place = start - *saved;
        let before = (lead_bytes + place) % line;
        let is_as_good = |length: u32| (before + length).div_ceil(line) <= length.div_ceil(line);
        let needed = match before {
            0 => 0,
            _ if loop_bytes.is_some_and(is_as_good) => 0,
            before => line - before,
        };
        (self.fill)(&mut bytes[place as usize..(place + needed) as usize]);
        *saved += room - needed;
        *done = self.end;
        cuts.push(Cut {
            end: self.end,
            saved: *saved,
        });
    }
}

/// Bytes that a branch has less in its short form, if it has one.
fn bytes_to_save(branch: &Fixup, forms: &[ShortForm]) -> u32 {
    let form = forms.iter().find(|form| form.long == branch.kind);
    form.map_or(0, |form| {
        u32::from(form.lead_bytes + form.field_bytes - form.short_bytes)
    })
}

/// Bytes saved by branches that end at `offset` or before.
fn saved_before(cuts: &[Cut], offset: u32) -> u32 {
    match cuts.partition_point(|cut| cut.end <= offset) {
        0 => 0,
        count => cuts[count - 1].saved,
    }
}

#[cfg(test)]
mod tests {
    use super::super::MarkPlace;
    use super::*;
    use crate::desc::FixupDesc;
    use crate::minst::MInst;
    use crate::reference::{Label, Ref, RefKind};
    use frazil_ir::debug::LocationId;

    const LONG: u8 = 0;
    const SHORT: u8 = 1;

    /// Fields hold distances from their ends.
    const FIXUPS: &[FixupDesc] = &[
        FixupDesc {
            name: "long",
            patch: |bytes, distance| {
                bytes[..4].copy_from_slice(&(distance as i32 - 4).to_le_bytes());
                true
            },
        },
        FixupDesc {
            name: "short",
            patch: |bytes, distance| {
                i8::try_from(distance - 1).is_ok_and(|distance| {
                    bytes[0] = distance.cast_unsigned();
                    true
                })
            },
        },
    ];

    const FORMS: &[ShortForm] = &[ShortForm {
        long: LONG,
        lead_bytes: 2,
        field_bytes: 4,
        short: SHORT,
        short_bytes: 2,
        short_lead_bytes: 1,
        min_distance: -128,
        max_distance: 127,
        rewrite: |branch| [branch[0], branch[1]] = [branch[1] + 1, 0],
    }];

    fn branch(buffer: &mut CodeBuffer, label: Label) {
        let start = buffer.offset();
        buffer.put(&[0xbb, 0xcc, 0, 0, 0, 0]);
        buffer.fixup(start + 2, label, LONG);
        buffer.finish_inst(&MInst::new(0, 0), start, None);
    }

    #[test]
    fn near_branches_become_short_and_everything_follows() {
        let mut buffer = CodeBuffer::new(true);
        let (top, near, far) = (buffer.new_label(), buffer.new_label(), buffer.new_label());
        buffer.bind(top);
        branch(&mut buffer, near);
        branch(&mut buffer, far);
        buffer.put(&[1]);
        buffer.reloc(buffer.offset() - 1, 9, Ref::new(RefKind::Symbol, 5), 0);
        buffer.bind(near);
        buffer.mark(LocationId(7), MarkPlace::Block);
        buffer.put(&[2]);
        branch(&mut buffer, top);
        buffer.mark(LocationId(8), MarkPlace::Within);
        buffer.put(&[3; 130]);
        let end = buffer.offset();
        buffer.bind(far);
        buffer.shorten_branches(FORMS);
        assert_eq!(buffer.moved_offset(0), 0);
        assert_eq!(buffer.moved_offset(end), end - 8);
        assert_eq!(buffer.finish(FIXUPS, 0, None), Ok(()));
        let mut expected = vec![0xcd, 7, 0xbb, 0xcc, 134, 0, 0, 0, 1, 2, 0xcd, 0xf4];
        expected.extend([3; 130]);
        assert_eq!(*buffer.bytes, expected);
        assert_eq!(buffer.relocs[0].offset, 8);
        let marks: Vec<(u32, LocationId)> = buffer.marks().iter().map(|mark| (mark.offset, mark.location)).collect();
        assert_eq!(marks, [(9, LocationId(7)), (12, LocationId(8))]);
        let log: Vec<(u32, Option<u8>)> = buffer
            .log()
            .iter()
            .map(|&(offset, item)| match item {
                LogItem::Inst(_, len) => (offset, Some(len)),
                _ => (offset, None),
            })
            .collect();
        let [first, second, third] = [(0, Some(2)), (2, Some(6)), (10, Some(2))];
        assert_eq!(log, [(0, None), first, second, (9, None), third, (end - 8, None)]);
    }

    #[test]
    fn alignments_get_what_they_need_when_branches_before_are_short() {
        let mut buffer = CodeBuffer::new(false);
        let (near, aligned) = (buffer.new_label(), buffer.new_label());
        branch(&mut buffer, near);
        buffer.put(&[1]);
        buffer.bind(near);
        buffer.align(3, |bytes| bytes.fill(9));
        buffer.bind(aligned);
        buffer.put(&[2]);
        branch(&mut buffer, aligned);
        // The code starts one byte after an aligned place.
        buffer.set_lead_bytes(1);
        buffer.shorten_branches(FORMS);
        assert_eq!(buffer.finish(FIXUPS, 0, None), Ok(()));
        assert_eq!(*buffer.bytes, [0xcd, 1, 1, 9, 9, 9, 9, 2, 0xcd, 0xfd]);
        assert_eq!(buffer.align_log2(), 3);
    }

    /// A loop of four bytes, after some others, in lines of eight.
    fn code_with_loop(before: u8) -> Vec<u8> {
        let mut buffer = CodeBuffer::new(false);
        let (top, end) = (buffer.new_label(), buffer.new_label());
        buffer.put(&vec![1; usize::from(before)]);
        buffer.align_loop(3, |bytes| bytes.fill(9), end);
        buffer.bind(top);
        buffer.put(&[2, 3]);
        branch(&mut buffer, top);
        buffer.bind(end);
        buffer.put(&[4]);
        buffer.shorten_branches(FORMS);
        assert_eq!(buffer.finish(FIXUPS, 0, None), Ok(()));
        buffer.bytes.to_vec()
    }

    #[test]
    fn loops_are_aligned_only_if_they_would_cross_a_border() {
        let looped = [2, 3, 0xcd, 0xfc, 4];
        for before in 0..=8 {
            let filler = if (5..8).contains(&before) { 8 - before } else { 0 };
            let mut expected = vec![1; usize::from(before)];
            expected.extend(vec![9; usize::from(filler)]);
            expected.extend(looped);
            assert_eq!(code_with_loop(before), expected, "{before} bytes before");
        }
    }

    #[test]
    fn sizes_are_the_targets() {
        const WIDE: &[FixupDesc] = &[
            FixupDesc {
                name: "long",
                patch: |bytes, distance| {
                    bytes[..2].copy_from_slice(&(distance as i16).to_le_bytes());
                    true
                },
            },
            FixupDesc {
                name: "short",
                patch: |bytes, distance| {
                    bytes[0] = distance as u8;
                    true
                },
            },
        ];
        const FORM: ShortForm = ShortForm {
            long: LONG,
            lead_bytes: 6,
            field_bytes: 2,
            short: SHORT,
            short_bytes: 4,
            short_lead_bytes: 3,
            min_distance: -20,
            max_distance: 4,
            rewrite: |branch| branch[0] = 0xee,
        };
        let mut buffer = CodeBuffer::new(true);
        for distance in [4, 5] {
            let label = buffer.new_label();
            let start = buffer.offset();
            buffer.put(&[1, 2, 3, 4, 5, 6, 0, 0]);
            buffer.fixup(start + 6, label, LONG);
            buffer.finish_inst(&MInst::new(0, 0), start, None);
            buffer.put(&vec![9; distance]);
            buffer.bind(label);
        }
        buffer.shorten_branches(&[FORM]);
        assert_eq!(buffer.finish(WIDE, 0, None), Ok(()));
        let expected = [0xee, 2, 3, 5, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 0, 9, 9, 9, 9, 9];
        assert_eq!(*buffer.bytes, expected);
        let lengths = buffer.log().iter().filter_map(|(_, item)| match item {
            LogItem::Inst(_, len) => Some(*len),
            _ => None,
        });
        assert_eq!(lengths.collect::<Vec<_>>(), [4, 8]);
    }

    #[test]
    fn the_last_distance_that_fits_is_short() {
        for (distance, is_short) in [(127, true), (128, false)] {
            let mut buffer = CodeBuffer::new(false);
            let label = buffer.new_label();
            branch(&mut buffer, label);
            buffer.put(&vec![0; distance]);
            buffer.bind(label);
            buffer.shorten_branches(FORMS);
            assert_eq!(buffer.finish(FIXUPS, 0, None), Ok(()));
            assert_eq!(buffer.bytes.len() == distance + 2, is_short);
        }
    }
}
