//! The data of the scan: bundles, their parts, and their occurrences.
//!
//! A bundle is one or several virtual registers that are allocated as one. Wherever several of them are live, they
//! hold the same value, so a bundle is in one place at a time and needs one spill slot. The scan splits its live range
//! into parts, each with a place of its own. The live ranges and occurrences of a bundle are consecutive in shared
//! arrays and never change; a part refers to subranges by index.

use super::positions::NONE;
use crate::reg::{Reg, RegClass};

/// A range of positions (`to` is exclusive) in which a virtual register is live.
#[derive(Clone, Copy, Debug)]
pub(super) struct LiveRange {
    pub from: u32,
    pub to: u32,
    pub vreg: u32,
}

/// What an occurrence is, as bits.
pub(super) mod occ {
    /// The register is read.
    pub(in super::super) const USE: u8 = 1;
    /// The register is written.
    pub(in super::super) const DEF: u8 = 2;
    /// The instruction has a form with this operand in memory.
    pub(in super::super) const FOLD: u8 = 4;
    /// That form is used.
    pub(in super::super) const MEMORY: u8 = 8;
}

/// An operand of an instruction that names a register of the bundle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    /// The first position at which the bundle must be in the register.
    pub pos: u32,
    /// The position after the last one.
    pub end: u32,
    pub inst: u32,
    /// Bits of [`occ`].
    pub flags: u8,
    /// The number of the register operand.
    pub operand: u8,
}

impl Occurrence {
    #[inline]
    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// One or several virtual registers that are allocated as one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bundle {
    pub class: RegClass,
    /// Which of [`super::scan::Scan::sets`] has the registers that it may get.
    pub set: u8,
    /// The size of its slot.
    pub bytes: u8,
    /// Its live ranges, as indices into [`Intervals::ranges`].
    pub ranges: (u32, u32),
    /// The same with adjacent ranges merged, since coalescing leaves many of these: indices into [`Intervals::spans`].
    pub spans: (u32, u32),
    pub occs: (u32, u32),
    /// The first hint of its list.
    pub hints: u32,
    /// The cost of a store after each definition, weighted by frequency.
    pub def_cost: f32,
    /// Whether an instruction names its lowest byte, and not all registers have one ([`super::bytes`]).
    pub names_byte: bool,
    /// The virtual register whose constant is rematerialized, if the bundle consists of it alone; else [`NONE`].
    pub remat: u32,
    /// The place of the argument that it is, if that serves as its slot ([`super::homes`]).
    pub home: Option<i32>,
    /// Whether some part of it is in the slot.
    pub spilled: bool,
    /// Whether it is in its slot at all block boundaries (see [`super::localize`]).
    pub is_localized: bool,
    /// The first part of its list.
    pub first: u32,
    /// The part that was found last for a position of the scan; a hint for the next search.
    pub anchor: u32,
    /// The register that was given to one of its parts last.
    pub last_reg: u8,
    /// The number of its spill slot, or [`NONE`].
    pub slot: u32,
}

impl Bundle {
    pub(super) fn new(class: RegClass) -> Bundle {
        Bundle {
            class,
            set: class as u8,
            bytes: 4,
            ranges: (0, 0),
            spans: (0, 0),
            occs: (0, 0),
            hints: NONE,
            def_cost: 0.0,
            names_byte: false,
            remat: NONE,
            home: None,
            spilled: false,
            is_localized: false,
            first: NONE,
            anchor: NONE,
            last_reg: NO_PLACE,
            slot: NONE,
        }
    }

    /// Whether it is rematerialized instead of being reloaded.
    #[inline]
    pub(super) fn is_remat(&self) -> bool {
        self.remat != NONE
    }

    /// Whether it can leave its register without being stored, wherever that is.
    #[inline]
    pub(super) fn needs_no_store(&self) -> bool {
        self.is_remat() || self.home.is_some()
    }
}

/// [`Part::place`]: in the bundle's slot; nowhere, if the bundle is rematerialized.
pub(super) const SLOT: u8 = 254;
/// [`Part::place`]: not assigned yet.
pub(super) const NO_PLACE: u8 = 255;

/// A part of a bundle's live range that has one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub bundle: u32,
    pub from: u32,
    pub to: u32,
    /// The first span of the bundle that ends after `from`.
    pub span: u32,
    pub occs: (u32, u32),
    /// How many of its occurrences were before the position that was asked for last; a hint for the next search.
    pub passed: u32,
    /// The next part of the bundle, or [`NONE`].
    pub next: u32,
    /// The number of a physical register, [`SLOT`] or [`NO_PLACE`].
    pub place: u8,
}

/// A reason to prefer a register. The hints of a bundle are a linked list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hint {
    pub next: u32,
    /// A physical register, or a bundle by its number as a virtual register.
    pub target: Reg,
    pub weight: f32,
}

/// So many items of a list are looked at one by one, before it is searched: the next one is near in most cases.
const NEAR: usize = 4;

/// How many items at the beginning of a list have a property. No item has it after one that does not.
#[inline]
pub(super) fn count_first<T>(items: &[T], has: impl Fn(&T) -> bool) -> usize {
    for (index, item) in items.iter().enumerate().take(NEAR) {
        if !has(item) {
            return index;
        }
    }
    items.partition_point(has)
}

/// The intervals of a function.
#[derive(Debug, Default)]
pub(super) struct Intervals {
    pub bundles: Vec<Bundle>,
    pub ranges: Vec<LiveRange>,
    /// Ranges of positions, the end exclusive.
    pub spans: Vec<(u32, u32)>,
    pub occs: Vec<Occurrence>,
    pub parts: Vec<Part>,
    pub hints: Vec<Hint>,
    /// By virtual register: its bundle, or [`NONE`].
    pub bundle_of: Vec<u32>,
}

impl Intervals {
    pub(super) fn clear(&mut self) {
        self.bundles.clear();
        self.ranges.clear();
        self.spans.clear();
        self.occs.clear();
        self.parts.clear();
        self.hints.clear();
        self.bundle_of.clear();
    }

    #[inline]
    pub(super) fn ranges_of(&self, bundle: &Bundle) -> &[LiveRange] {
        &self.ranges[bundle.ranges.0 as usize..bundle.ranges.1 as usize]
    }

    #[inline]
    pub(super) fn occs_of(&self, part: &Part) -> &[Occurrence] {
        &self.occs[part.occs.0 as usize..part.occs.1 as usize]
    }

    /// How many occurrences of a part begin at or before a position.
    #[inline]
    pub(super) fn count_begun(&mut self, part: u32, pos: u32) -> usize {
        let part = &mut self.parts[part as usize];
        let occs = &self.occs[part.occs.0 as usize..part.occs.1 as usize];
        let (before, after) = occs.split_at(occs.len().min(part.passed as usize));
        let has_begun = |occurrence: &Occurrence| occurrence.pos <= pos;
        let count = if before.last().is_none_or(has_begun) {
            before.len() + count_first(after, has_begun)
        } else {
            before.partition_point(has_begun)
        };
        part.passed = count as u32;
        count
    }

    /// The range of a bundle that contains a position.
    pub(super) fn range_at(&self, bundle: u32, pos: u32) -> Option<&LiveRange> {
        let ranges = self.ranges_of(&self.bundles[bundle as usize]);
        // The end of a loop is asked for most, where what lives throughout it has its last range.
        if let Some(last) = ranges.last()
            && last.from <= pos
        {
            return Some(last).filter(|last| pos < last.to);
        }
        let index = ranges.partition_point(|range| range.to <= pos);
        ranges.get(index).filter(|range| range.from <= pos)
    }

    /// The spans of a part, clipped to it.
    #[inline]
    pub(super) fn spans_of_part(&self, part: &Part) -> impl Iterator<Item = (u32, u32)> + use<'_> {
        let end = self.bundles[part.bundle as usize].spans.1;
        let (from, to) = (part.from, part.to);
        self.spans[part.span as usize..end as usize]
            .iter()
            .take_while(move |span| span.0 < to)
            .map(move |span| (span.0.max(from), span.1.min(to)))
    }

    /// The spans from a part's first one on, as they are: the first may begin before it, and the last ones may be
    /// beyond its end.
    #[inline]
    pub(super) fn whole_spans_of_part(&self, part: &Part) -> &[(u32, u32)] {
        let end = self.bundles[part.bundle as usize].spans.1;
        &self.spans[part.span as usize..end as usize]
    }

    /// Whether a part is live from its start to its end, without holes.
    #[inline]
    pub(super) fn is_one_span(&self, part: &Part) -> bool {
        let span = self.spans[part.span as usize];
        span.0 <= part.from && span.1 >= part.to
    }

    /// Splits a part at a position and returns the number of the second half, which has no place yet.
    pub(super) fn split(&mut self, part: u32, pos: u32) -> u32 {
        let first = self.parts[part as usize];
        debug_assert!(first.from < pos && pos < first.to, "a split leaves two parts");
        let cut = first.occs.0 + count_first(self.occs_of(&first), |o| o.pos < pos) as u32;
        let spans_end = self.bundles[first.bundle as usize].spans.1;
        let rest = &self.spans[first.span as usize..spans_end as usize];
        let span = first.span + count_first(rest, |span| span.1 <= pos) as u32;
        let number = self.parts.len() as u32;
        self.parts.push(Part {
            from: pos,
            span,
            occs: (cut, first.occs.1),
            passed: 0,
            place: NO_PLACE,
            ..first
        });
        let part = &mut self.parts[part as usize];
        part.to = pos;
        part.occs.1 = cut;
        part.next = number;
        number
    }

    /// Merges a part with those that follow it in the same place.
    pub(super) fn merge_with_next(&mut self, part: u32) {
        let place = self.parts[part as usize].place;
        while let Some(&next) = self.parts.get(self.parts[part as usize].next as usize)
            && next.place == place
        {
            let data = &mut self.parts[part as usize];
            data.to = next.to;
            data.occs.1 = next.occs.1;
            data.next = next.next;
        }
    }
}
