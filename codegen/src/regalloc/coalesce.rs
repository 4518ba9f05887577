//! Coalescing: virtual registers that are connected by copies or phis become bundles.
//!
//! Method: union-find over copies, the most frequently executed first. Two registers are coalesced if their live
//! ranges do not overlap; their sets of ranges are then united, and the copy needs no move. The time for comparing is
//! limited to a multiple of the number of ranges; copies after that limit only become hints.
//!
//! Live ranges may overlap if one register is an unmodified copy of the other: if both have one definition only, and
//! that of the destination is the copy, both hold the same value wherever both are live. The overlap is then
//! attributed to the source.
//!
//! A bundle has one spill slot. In a function that calls something that returns twice, nothing is coalesced (contract
//! 12): the first value in the slot is read again after the second return, and by then the slot would hold what was
//! computed from a copy of it.

use super::AllocatorInput;
use super::intervals::{Bundle, Hint, Intervals, LiveRange, Part, occ};
use super::liveness::Liveness;
use super::positions::{NONE, Positions};
use super::walk::{Copy, Walk};
use crate::mfunc::MFunc;
use crate::reg::Reg;

/// The limit for comparing sets, in steps for each live range. Functions of programs take one step on average and 10 at
/// most, but for state machines with hundreds of phis for each of their variables.
const STEPS_PER_RANGE: usize = 256;

/// Union-find over virtual registers, and scratch memory.
#[derive(Debug, Default)]
pub(super) struct Coalescer {
    parent: Vec<u32>,
    /// What is to be visited in order: a sort key in the upper half, a number in the lower half.
    order: Vec<u64>,
    /// Registers that have become part of another one's bundle, so that they are no longer roots.
    absorbed: Vec<u32>,
    steps: usize,
    /// The copies whose registers are in one bundle, by the numbers of their instructions, ascending.
    pub joined: Vec<u32>,
    /// The same as a set of bits, by instruction.
    is_joined: Vec<u64>,
}

impl Coalescer {
    /// Coalesces, and builds the bundles from what the walk found.
    pub(super) fn run(
        &mut self,
        func: &MFunc,
        input: &AllocatorInput<'_>,
        positions: &Positions,
        liveness: &Liveness,
        walk: &mut Walk,
        out: &mut Intervals,
    ) {
        self.absorbed.clear();
        self.parent.clear();
        self.parent.extend(0..func.vregs.len() as u32);
        self.steps = STEPS_PER_RANGE * walk.ranges.count();
        self.order.clear();
        // By descending frequency: the bits of positive floats are ordered like the floats. Of equally frequent
        // copies, the first one of the list comes first.
        let keys = walk.copies.iter().enumerate();
        self.order
            .extend(keys.map(|(index, copy)| u64::from(!copy.freq.to_bits()) << 32 | index as u64));
        self.order.sort_unstable();
        for index in 0..self.order.len() {
            let copy = walk.copies[self.order[index] as u32 as usize];
            self.try_join(func, input, liveness, walk, copy);
        }
        self.build_bundles(func, input, liveness, walk, out);
        self.build_occurrences(func, positions, walk, out);
        self.add_hints(func, input, walk, out);
    }

    fn find(&mut self, vreg: u32) -> u32 {
        let mut root = vreg;
        while self.parent[root as usize] != root {
            let up = self.parent[self.parent[root as usize] as usize];
            self.parent[root as usize] = up;
            root = up;
        }
        root
    }

    fn try_join(&mut self, func: &MFunc, input: &AllocatorInput<'_>, liveness: &Liveness, walk: &mut Walk, copy: Copy) {
        if !input.reuse_slots || !copy.dst.is_virtual() || !copy.src.is_virtual() {
            return;
        }
        let (dst, src) = (func.vreg(copy.dst), func.vreg(copy.src));
        let fits = dst.bytes == src.bytes || (dst.bytes < src.bytes && input.desc.elf.little_endian);
        if dst.class != src.class || !fits || src.constant.is_some() {
            return;
        }
        let a = self.find(copy.dst.virtual_index() as u32);
        let b = self.find(copy.src.virtual_index() as u32);
        if a == b || walk.sets[a as usize] == NONE || walk.sets[b as usize] == NONE {
            return;
        }
        let is_joined = match self.meet(walk, (a, b), &copy) {
            Meeting::Never => true,
            Meeting::InCopies => !walk.remat[b as usize] && is_unmodified(liveness, walk, &copy),
            Meeting::InOthers => false,
        };
        if is_joined {
            let (first, second) = (walk.sets[a as usize], walk.sets[b as usize]);
            walk.sets[a as usize] = walk.ranges.unite(first, second, copy.src.virtual_index() as u32);
            self.parent[b as usize] = a;
            self.absorbed.push(b);
        }
    }

    /// How the live ranges of two roots overlap. The copy's destination is in the first one, its source in the second
    /// one.
    fn meet(&mut self, walk: &mut Walk, (a, b): (u32, u32), copy: &Copy) -> Meeting {
        let ranges = &mut walk.ranges;
        let [mut first, mut second] = [a, b].map(|root| ranges.first(walk.sets[root as usize]));
        let (mut x, mut y) = (first, second);
        let mut found = Meeting::Never;
        while x != NONE && y != NONE {
            if self.steps == 0 {
                found = Meeting::InOthers;
                break;
            }
            self.steps -= 1;
            let (left, right) = (ranges.range(x), ranges.range(y));
            if left.to <= right.from {
                x = ranges.seek(&mut first, x, right.from);
            } else if right.to <= left.from {
                y = ranges.seek(&mut second, y, left.from);
            } else if is_range_of(&left, copy.dst) && is_range_of(&right, copy.src) {
                found = Meeting::InCopies;
                if left.to < right.to {
                    x = ranges.seek(&mut first, x, left.to);
                } else {
                    y = ranges.seek(&mut second, y, right.to);
                }
            } else {
                found = Meeting::InOthers;
                break;
            }
        }
        walk.sets[a as usize] = first;
        walk.sets[b as usize] = second;
        found
    }

    /// Makes a bundle for each root of the union-find that has a live range, in the order of their starts.
    fn build_bundles(
        &mut self,
        func: &MFunc,
        input: &AllocatorInput<'_>,
        liveness: &Liveness,
        walk: &mut Walk,
        out: &mut Intervals,
    ) {
        out.clear();
        out.ranges.reserve(walk.ranges.count());
        out.spans.reserve(walk.ranges.count());
        self.order.clear();
        self.order.reserve(func.vregs.len());
        out.bundles.reserve(func.vregs.len());
        for vreg in 0..func.vregs.len() as u32 {
            let set = &mut walk.sets[vreg as usize];
            if self.parent[vreg as usize] == vreg && *set != NONE {
                *set = walk.ranges.first(*set);
                self.order
                    .push(u64::from(walk.ranges.range(*set).from) << 32 | u64::from(vreg));
            }
        }
        self.order.sort_unstable();
        out.bundle_of.resize(func.vregs.len(), NONE);
        for index in 0..self.order.len() {
            let root = self.order[index] as u32;
            let mut bundle = Bundle::new(func.vregs[root as usize].class);
            bundle.ranges.0 = out.ranges.len() as u32;
            bundle.spans.0 = out.spans.len() as u32;
            let mut end = NONE;
            let mut node = walk.sets[root as usize];
            while node != NONE {
                let range = walk.ranges.range(node);
                out.ranges.push(range);
                match out.spans.last_mut() {
                    Some(span) if end == range.from => span.1 = range.to,
                    _ => out.spans.push((range.from, range.to)),
                }
                end = range.to;
                bundle.bytes = bundle.bytes.max(func.vregs[range.vreg as usize].bytes);
                node = walk.ranges.next(node);
            }
            bundle.ranges.1 = out.ranges.len() as u32;
            bundle.spans.1 = out.spans.len() as u32;
            if input.options.rematerialize && walk.remat[root as usize] && liveness.phi_moves.of(root).is_empty() {
                bundle.remat = root;
            }
            out.bundle_of[root as usize] = out.bundles.len() as u32;
            out.bundles.push(bundle);
        }
        for index in 0..self.absorbed.len() {
            let vreg = self.absorbed[index];
            let bundle = out.bundle_of[self.find(vreg) as usize];
            out.bundle_of[vreg as usize] = bundle;
            out.bundles[bundle as usize].remat = NONE;
        }
    }

    /// Collects the occurrences of each bundle, without those in coalesced copies. Copies to a wider register stay,
    /// since the wider one's upper part is not what the slot holds.
    fn build_occurrences(&mut self, func: &MFunc, positions: &Positions, walk: &mut Walk, out: &mut Intervals) {
        self.joined.clear();
        self.is_joined.clear();
        self.is_joined.resize(func.insts.len().div_ceil(64), 0);
        for copy in walk.copies.iter().rev() {
            if copy.inst != NONE && is_joined(out, copy) && !is_widening(func, copy) {
                self.joined.push(copy.inst);
                self.is_joined[copy.inst as usize / 64] |= 1 << (copy.inst % 64);
            }
        }
        let is_left_out = |inst: u32| self.is_joined[inst as usize / 64] >> (inst % 64) & 1 != 0;
        // Counts them, and notes their bundles in place of their registers.
        for (owner, occurrence) in &mut walk.occs {
            if is_left_out(occurrence.inst) {
                *owner = NONE;
            } else {
                *owner = out.bundle_of[*owner as usize];
                out.bundles[*owner as usize].occs.1 += 1;
            }
        }
        let mut total = 0;
        for (number, bundle) in out.bundles.iter_mut().enumerate() {
            let count = bundle.occs.1;
            total += count;
            bundle.occs = (total, total);
            bundle.first = number as u32;
            bundle.anchor = number as u32;
        }
        let Some(&(_, filler)) = walk.occs.first() else {
            return;
        };
        out.occs.resize(total as usize, filler);
        for &(bundle, occurrence) in &walk.occs {
            if let Some(bundle) = out.bundles.get_mut(bundle as usize) {
                bundle.occs.0 -= 1;
                out.occs[bundle.occs.0 as usize] = occurrence;
            }
        }
        for (number, bundle) in out.bundles.iter_mut().enumerate() {
            let ranges = &out.ranges[bundle.ranges.0 as usize..bundle.ranges.1 as usize];
            let mut last_block = NONE;
            for occurrence in &out.occs[bundle.occs.0 as usize..bundle.occs.1 as usize] {
                if occurrence.has(occ::DEF) {
                    let block = positions.block(occurrence.pos);
                    if block != last_block {
                        bundle.def_cost += positions.freq(block);
                        last_block = block;
                    }
                }
            }
            out.parts.push(Part {
                bundle: number as u32,
                from: ranges[0].from,
                to: ranges[ranges.len() - 1].to,
                span: bundle.spans.0,
                occs: bundle.occs,
                passed: 0,
                next: NONE,
                place: super::intervals::NO_PLACE,
            });
        }
    }

    /// Makes hints of copies between different bundles, and of those from and to physical registers.
    fn add_hints(&mut self, func: &MFunc, input: &AllocatorInput<'_>, walk: &Walk, out: &mut Intervals) {
        for copy in &walk.copies {
            let (dst, src) = (end(out, copy.dst), end(out, copy.src));
            if dst == src {
                continue;
            }
            if copy.inst == NONE
                && let Some(bundle) = dst.filter(|dst| dst.is_virtual())
            {
                out.bundles[bundle.virtual_index()].def_cost += copy.freq;
            }
            if let (Some(dst), Some(src)) = (dst, src) {
                for (reg, target) in [(dst, src), (src, dst)] {
                    if reg.is_virtual() && (target.is_virtual() || input.allocatable.contains(target)) {
                        let bundle = &mut out.bundles[reg.virtual_index()];
                        let next = std::mem::replace(&mut bundle.hints, out.hints.len() as u32);
                        out.hints.push(Hint {
                            next,
                            target,
                            weight: copy.freq,
                        });
                    }
                }
            }
        }
        debug_assert_eq!(out.bundle_of.len(), func.vregs.len());
    }
}

/// How two sets of ranges overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    /// They do not.
    Never,
    /// They overlap only where both the destination and the source of the copy are live.
    InCopies,
    /// They overlap elsewhere, or the limit for comparing is used up.
    InOthers,
}

fn is_range_of(range: &LiveRange, reg: Reg) -> bool {
    range.vreg as usize == reg.virtual_index()
}

/// Whether a copy is the only definition of its destination, and its source has one definition, too: an instruction or
/// the moves into a phi.
fn is_unmodified(liveness: &Liveness, walk: &Walk, copy: &Copy) -> bool {
    let writes = |reg: Reg| {
        let index = reg.virtual_index();
        let is_phi = !liveness.phi_moves.of(index as u32).is_empty();
        walk.writes[index] + u8::from(is_phi)
    };
    copy.inst != NONE && writes(copy.dst) == 1 && writes(copy.src) == 1
}

/// What a hint can name: a physical register itself, or the bundle of a virtual one.
fn end(intervals: &Intervals, reg: Reg) -> Option<Reg> {
    if !reg.is_virtual() {
        return reg.is_physical().then_some(reg);
    }
    let bundle = intervals.bundle_of[reg.virtual_index()];
    (bundle != NONE).then(|| Reg::virtual_number(bundle))
}

/// Whether a copy's destination is wider than its source.
fn is_widening(func: &MFunc, copy: &Copy) -> bool {
    copy.dst.is_virtual() && copy.src.is_virtual() && func.vreg(copy.dst).bytes > func.vreg(copy.src).bytes
}

fn is_joined(intervals: &Intervals, copy: &Copy) -> bool {
    copy.dst.is_virtual()
        && copy.src.is_virtual()
        && intervals.bundle_of[copy.dst.virtual_index()] != NONE
        && intervals.bundle_of[copy.dst.virtual_index()] == intervals.bundle_of[copy.src.virtual_index()]
}
