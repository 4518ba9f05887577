//! Joining of virtual registers into bundles, and the intervals of the bundles.
//!
//! Method: copies are looked at from the most to the least executed; the registers of a copy join when their lives do
//! not overlap, whereupon their lists of ranges are merged. What is joined needs no move. The time for comparing and
//! merging is limited to a multiple of the number of ranges; copies behind that limit only become hints.

use super::AllocatorInput;
use super::intervals::{Bundle, Hint, Intervals, Part, occ};
use super::liveness::Liveness;
use super::positions::{NONE, Positions};
use super::walk::{Copy, Walk};
use crate::mfunc::MFunc;
use crate::reg::Reg;

/// How many steps of comparing and merging there are for each range.
const STEPS_PER_RANGE: usize = 32;

/// Union-find over virtual registers, and scratch memory.
#[derive(Debug, Default)]
pub(super) struct Coalescer {
    parent: Vec<u32>,
    order: Vec<u32>,
    steps: usize,
    /// Copies by instruction whose registers are one bundle, ascending.
    pub joined: Vec<u32>,
}

impl Coalescer {
    /// Joins, and builds the intervals from what the walk found.
    pub(super) fn run(
        &mut self,
        func: &MFunc,
        input: &AllocatorInput<'_>,
        positions: &Positions,
        liveness: &Liveness,
        walk: &mut Walk,
        out: &mut Intervals,
    ) {
        self.parent.clear();
        self.parent.extend(0..func.vregs.len() as u32);
        self.steps = STEPS_PER_RANGE * walk.nodes.len();
        self.order.clear();
        self.order.extend(0..walk.copies.len() as u32);
        self.order
            .sort_by(|&a, &b| walk.copies[b as usize].freq.total_cmp(&walk.copies[a as usize].freq));
        for index in 0..self.order.len() {
            let copy = walk.copies[self.order[index] as usize];
            self.try_join(func, input, walk, copy);
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

    fn try_join(&mut self, func: &MFunc, input: &AllocatorInput<'_>, walk: &mut Walk, copy: Copy) {
        if !copy.dst.is_virtual() || !copy.src.is_virtual() {
            return;
        }
        let (dst, src) = (func.vreg(copy.dst), func.vreg(copy.src));
        let fits = dst.bytes == src.bytes || (dst.bytes < src.bytes && input.desc.elf.little_endian);
        if dst.class != src.class || !fits || src.constant.is_some() {
            return;
        }
        let a = self.find(copy.dst.virtual_index() as u32);
        let b = self.find(copy.src.virtual_index() as u32);
        let (first, second) = (walk.heads[a as usize], walk.heads[b as usize]);
        if a == b || first == NONE || second == NONE || self.overlap(walk, first, second) {
            return;
        }
        self.parent[b as usize] = a;
        walk.heads[a as usize] = self.merge(walk, first, second);
    }

    /// Whether two lists of ranges meet, or time has run out.
    fn overlap(&mut self, walk: &Walk, mut a: u32, mut b: u32) -> bool {
        while a != NONE && b != NONE {
            if self.steps == 0 {
                return true;
            }
            self.steps -= 1;
            let (x, y) = (&walk.nodes[a as usize], &walk.nodes[b as usize]);
            if x.range.to <= y.range.from {
                a = x.next;
            } else if y.range.to <= x.range.from {
                b = y.next;
            } else {
                return true;
            }
        }
        false
    }

    /// Merges two lists that do not meet.
    fn merge(&mut self, walk: &mut Walk, mut a: u32, mut b: u32) -> u32 {
        if walk.nodes[b as usize].range.from < walk.nodes[a as usize].range.from {
            std::mem::swap(&mut a, &mut b);
        }
        let head = a;
        // `a` is the last merged one; what follows it is either its own rest or that of `b`.
        while b != NONE {
            self.steps = self.steps.saturating_sub(1);
            let next = walk.nodes[a as usize].next;
            if next == NONE || walk.nodes[b as usize].range.from < walk.nodes[next as usize].range.from {
                walk.nodes[a as usize].next = b;
                a = b;
                b = next;
            } else {
                a = next;
            }
        }
        head
    }

    /// A bundle for each root that is ever alive, in the order of their starts.
    fn build_bundles(
        &mut self,
        func: &MFunc,
        input: &AllocatorInput<'_>,
        liveness: &Liveness,
        walk: &Walk,
        out: &mut Intervals,
    ) {
        out.clear();
        self.order.clear();
        for vreg in 0..func.vregs.len() as u32 {
            if self.parent[vreg as usize] == vreg && walk.heads[vreg as usize] != NONE {
                self.order.push(vreg);
            }
        }
        let start = |vreg: &u32| walk.nodes[walk.heads[*vreg as usize] as usize].range.from;
        self.order.sort_unstable_by_key(|vreg| (start(vreg), *vreg));
        out.bundle_of.resize(func.vregs.len(), NONE);
        for &root in &self.order {
            let mut bundle = Bundle::new(func.vregs[root as usize].class);
            bundle.ranges.0 = out.ranges.len() as u32;
            bundle.spans.0 = out.spans.len() as u32;
            let mut end = NONE;
            let mut node = walk.heads[root as usize];
            while node != NONE {
                let data = walk.nodes[node as usize];
                out.ranges.push(data.range);
                match out.spans.last_mut() {
                    Some(span) if end == data.range.from => span.1 = data.range.to,
                    _ => out.spans.push((data.range.from, data.range.to)),
                }
                end = data.range.to;
                bundle.bytes = bundle.bytes.max(func.vregs[data.range.vreg as usize].bytes);
                node = data.next;
            }
            bundle.ranges.1 = out.ranges.len() as u32;
            bundle.spans.1 = out.spans.len() as u32;
            out.bundle_of[root as usize] = out.bundles.len() as u32;
            out.bundles.push(bundle);
        }
        for vreg in 0..func.vregs.len() as u32 {
            let root = self.find(vreg);
            out.bundle_of[vreg as usize] = out.bundle_of[root as usize];
            if root == vreg
                && let Some(bundle) = out.bundles.get_mut(out.bundle_of[vreg as usize] as usize)
                && input.options.rematerialize
                && walk.remat[vreg as usize]
                && liveness.phi_moves.of(vreg).is_empty()
            {
                bundle.remat = vreg;
            }
        }
        for vreg in 0..func.vregs.len() as u32 {
            let number = out.bundle_of[vreg as usize];
            if let Some(bundle) = out.bundles.get_mut(number as usize)
                && bundle.remat != vreg
                && walk.heads[vreg as usize] != NONE
            {
                bundle.remat = NONE;
            }
        }
    }

    /// Brings the occurrences of each bundle together, those of joined copies left out. A copy to a wider register is
    /// no copy of all that the slot holds, although other copies may have joined its registers.
    fn build_occurrences(&mut self, func: &MFunc, positions: &Positions, walk: &Walk, out: &mut Intervals) {
        self.joined.clear();
        for copy in &walk.copies {
            if copy.inst != NONE && is_joined(out, copy) && !is_widening(func, copy) {
                self.joined.push(copy.inst);
            }
        }
        self.joined.reverse();
        for (vreg, occurrence) in &walk.occs {
            if self.joined.binary_search(&occurrence.inst).is_err() {
                let bundle = out.bundle_of[*vreg as usize];
                out.bundles[bundle as usize].occs.1 += 1;
            }
        }
        let mut total = 0;
        for (number, bundle) in out.bundles.iter_mut().enumerate() {
            let count = bundle.occs.1;
            total += count;
            bundle.occs = (total, total);
            bundle.first = number as u32;
        }
        let Some(&(_, filler)) = walk.occs.first() else {
            return;
        };
        out.occs.resize(total as usize, filler);
        for (vreg, occurrence) in &walk.occs {
            if self.joined.binary_search(&occurrence.inst).is_err() {
                let bundle = &mut out.bundles[out.bundle_of[*vreg as usize] as usize];
                bundle.occs.0 -= 1;
                out.occs[bundle.occs.0 as usize] = *occurrence;
            }
        }
        for (number, bundle) in out.bundles.iter_mut().enumerate() {
            let ranges = &out.ranges[bundle.ranges.0 as usize..bundle.ranges.1 as usize];
            let mut last_block = NONE;
            for occurrence in &out.occs[bundle.occs.0 as usize..bundle.occs.1 as usize] {
                let block = positions.block(occurrence.pos);
                if occurrence.has(occ::DEF) && block != last_block {
                    bundle.def_cost += positions.freq(block);
                    last_block = block;
                }
            }
            out.parts.push(Part {
                bundle: number as u32,
                from: ranges[0].from,
                to: ranges[ranges.len() - 1].to,
                span: bundle.spans.0,
                occs: bundle.occs,
                next: NONE,
                place: super::intervals::NO_PLACE,
            });
        }
    }

    /// Copies that were not joined, and those of physical registers, become hints.
    fn add_hints(&mut self, func: &MFunc, input: &AllocatorInput<'_>, walk: &Walk, out: &mut Intervals) {
        for copy in &walk.copies {
            let (dst, src) = (end(out, copy.dst), end(out, copy.src));
            if copy.inst == NONE
                && dst != src
                && let Some(bundle) = dst.filter(|dst| dst.is_virtual())
            {
                out.bundles[bundle.virtual_index()].def_cost += copy.freq;
            }
            if let (Some(dst), Some(src)) = (dst, src)
                && dst != src
            {
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

/// A physical register as it is, a virtual one as its bundle.
fn end(intervals: &Intervals, reg: Reg) -> Option<Reg> {
    if !reg.is_virtual() {
        return reg.is_physical().then_some(reg);
    }
    let bundle = intervals.bundle_of[reg.virtual_index()];
    (bundle != NONE).then(|| Reg::virtual_number(bundle))
}

/// Whether the copy's destination is wider than its source.
fn is_widening(func: &MFunc, copy: &Copy) -> bool {
    copy.dst.is_virtual() && copy.src.is_virtual() && func.vreg(copy.dst).bytes > func.vreg(copy.src).bytes
}

fn is_joined(intervals: &Intervals, copy: &Copy) -> bool {
    copy.dst.is_virtual()
        && copy.src.is_virtual()
        && intervals.bundle_of[copy.dst.virtual_index()] != NONE
        && intervals.bundle_of[copy.dst.virtual_index()] == intervals.bundle_of[copy.src.virtual_index()]
}
