//! Sets of live ranges that can be compared and united quickly: splay trees (Sleator and Tarjan, "Self-Adjusting Binary
//! Search Trees").
//!
//! A set is a search tree of ranges that do not overlap, so they are in the same order by their starts and by their
//! ends. It is named by its root; [`NONE`] is the empty set. The walk over a function makes each set as a list: each
//! range is the left-most one of what is right of it. Most sets stay that short, and then all that happens here are a
//! few steps along such lists. In a long set, the position where another one begins is searched from the root, and what
//! was found moves there. So if one search after the other goes ahead, or back, or to and fro between a few places,
//! each takes a few steps, and any others take as many as the logarithm of the size, on average. Two sets are compared
//! and united by leaps: each step goes to where the other set continues.

use super::intervals::LiveRange;
use super::positions::NONE;

/// A range in a tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    range: LiveRange,
    left: u32,
    right: u32,
}

/// All ranges of a function, each of which is in one set.
#[derive(Debug, Default)]
pub(super) struct RangeSets {
    nodes: Vec<Node>,
}

/// So many ranges are looked at one by one, before a set is searched.
const NEAR: usize = 4;

/// What [`RangeSets::cut`] makes of a set.
struct Piece {
    /// The first half, whose last range is on the way from the root to the right.
    root: u32,
    last: u32,
    /// The second half, with its first range at the root.
    rest: u32,
}

impl RangeSets {
    /// Removes all sets, and makes room for so many ranges.
    pub(super) fn clear(&mut self, expected: usize) {
        self.nodes.clear();
        self.nodes.reserve(expected);
    }

    /// The number of ranges that have been made.
    pub(super) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Makes a set of a range and another set, all of whose ranges begin later.
    #[inline]
    pub(super) fn push_front(&mut self, range: LiveRange, set: u32) -> u32 {
        let left = NONE;
        self.nodes.push(Node {
            range,
            left,
            right: set,
        });
        self.nodes.len() as u32 - 1
    }

    /// If the first range of a set that has only been made by [`RangeSets::push_front`] begins at `to`: lets it begin
    /// at `from` instead. Returns whether it does.
    #[inline]
    pub(super) fn extend_front(&mut self, set: u32, from: u32, to: u32) -> bool {
        match self.nodes.get_mut(set as usize) {
            Some(node) if node.range.from == to => {
                node.range.from = from;
                true
            }
            _ => false,
        }
    }

    #[inline]
    pub(super) fn range(&self, node: u32) -> LiveRange {
        self.nodes[node as usize].range
    }

    /// Makes the first range of a set its root.
    #[inline]
    pub(super) fn first(&mut self, set: u32) -> u32 {
        match self.nodes.get(set as usize) {
            Some(node) if node.left != NONE => self.splay(set, |_| true),
            _ => set,
        }
    }

    /// The range after one that [`RangeSets::first`], [`RangeSets::seek`] or this has returned for the same set; so
    /// are all that are on the way from the root to the right.
    #[inline]
    pub(super) fn next(&mut self, node: u32) -> u32 {
        let right = self.nodes[node as usize].right;
        match self.nodes.get(right as usize) {
            Some(next) if next.left != NONE => {
                let next = self.splay(right, |_| true);
                self.nodes[node as usize].right = next;
                next
            }
            _ => right,
        }
    }

    /// The first range of a set that ends after a position. One that does not is `current`, which
    /// [`RangeSets::first`] or this has returned.
    #[inline]
    pub(super) fn seek(&mut self, set: &mut u32, current: u32, pos: u32) -> u32 {
        let mut right = self.nodes[current as usize].right;
        for _ in 0..NEAR {
            match self.nodes.get(right as usize) {
                None => return NONE,
                Some(next) if next.left != NONE => break,
                Some(next) if next.range.to > pos => return right,
                Some(next) => right = next.right,
            }
        }
        *set = self.splay(*set, |range| range.to > pos);
        match self.range(*set).to > pos {
            true => *set,
            false => self.next(*set),
        }
    }

    /// Unites two sets, neither of which is empty. Where they overlap, the ranges become one of register `vreg`.
    pub(super) fn unite(&mut self, a: u32, b: u32, vreg: u32) -> u32 {
        // What is left of the two sets, their first ranges at their roots. The one that begins first is `ahead`.
        let (a, b) = (self.first(a), self.first(b));
        let (mut ahead, mut behind) = self.in_order(a, b);
        let (mut united, mut last) = (NONE, NONE);
        loop {
            let piece = self.cut(ahead, behind);
            match self.nodes.get_mut(last as usize) {
                Some(node) => node.right = piece.root,
                None => united = piece.root,
            }
            last = piece.last;
            (ahead, behind) = (behind, piece.rest);
            while ahead != NONE && self.range(ahead).from < self.range(last).to {
                let to = self.range(ahead).to;
                let range = &mut self.nodes[last as usize].range;
                range.to = range.to.max(to);
                range.vreg = vreg;
                ahead = self.next(ahead);
                (ahead, behind) = self.in_order(ahead, behind);
            }
            if behind == NONE {
                self.nodes[last as usize].right = ahead;
                return united;
            }
        }
    }

    /// Two sets with their first ranges at their roots, the one that begins first in front.
    #[inline]
    fn in_order(&self, a: u32, b: u32) -> (u32, u32) {
        let from = |set: u32| self.nodes.get(set as usize).map_or(NONE, |node| node.range.from);
        if from(b) < from(a) { (b, a) } else { (a, b) }
    }

    /// Cuts a set before the first range that begins after another set does. Both have their first ranges at their
    /// roots, and that of the other one is not before this one's.
    #[inline]
    fn cut(&mut self, set: u32, other: u32) -> Piece {
        let from = self.nodes[other as usize].range.from;
        let (root, mut last) = (set, set);
        for _ in 0..NEAR {
            let rest = self.nodes[last as usize].right;
            match self.nodes.get(rest as usize) {
                Some(next) if next.left != NONE => break,
                Some(next) if next.range.from <= from => last = rest,
                _ => {
                    self.nodes[last as usize].right = NONE;
                    return Piece { root, last, rest };
                }
            }
        }
        let root = self.splay(set, |range| range.from > from);
        let node = &mut self.nodes[root as usize];
        if node.range.from > from {
            let before = std::mem::replace(&mut node.left, NONE);
            let last = self.splay(before, |_| false);
            Piece {
                root: last,
                last,
                rest: root,
            }
        } else {
            let after = std::mem::replace(&mut node.right, NONE);
            let rest = self.first(after);
            Piece { root, last: root, rest }
        }
    }

    /// Makes the first range of a set for which `is_after` holds its root, or the last one for which it does not. It
    /// holds for no range before one for which it does not.
    fn splay(&mut self, mut root: u32, is_after: impl Fn(&LiveRange) -> bool) -> u32 {
        let nodes = &mut self.nodes[..];
        // The trees of those before and after the root; new ones are hung below the last of the former and the first
        // of the latter.
        let (mut before, mut after) = (NONE, NONE);
        let (mut last, mut first) = (NONE, NONE);
        loop {
            let mut next;
            if is_after(&nodes[root as usize].range) {
                next = nodes[root as usize].left;
                if next != NONE && is_after(&nodes[next as usize].range) {
                    nodes[root as usize].left = std::mem::replace(&mut nodes[next as usize].right, root);
                    root = next;
                    next = nodes[root as usize].left;
                }
                if next == NONE {
                    break;
                }
                match nodes.get_mut(first as usize) {
                    Some(node) => node.left = root,
                    None => after = root,
                }
                first = root;
            } else {
                next = nodes[root as usize].right;
                if next != NONE && !is_after(&nodes[next as usize].range) {
                    nodes[root as usize].right = std::mem::replace(&mut nodes[next as usize].left, root);
                    root = next;
                    next = nodes[root as usize].right;
                }
                if next == NONE {
                    break;
                }
                match nodes.get_mut(last as usize) {
                    Some(node) => node.right = root,
                    None => before = root,
                }
                last = root;
            }
            root = next;
        }
        let Node { left, right, .. } = nodes[root as usize];
        if let Some(node) = nodes.get_mut(last as usize) {
            node.right = left;
            nodes[root as usize].left = before;
        }
        if let Some(node) = nodes.get_mut(first as usize) {
            node.left = right;
            nodes[root as usize].right = after;
        }
        root
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_test_support::Random;

    /// A set and what is in it.
    struct Pair {
        set: u32,
        ranges: Vec<LiveRange>,
    }

    fn plain(ranges: &[LiveRange]) -> Vec<(u32, u32, u32)> {
        ranges.iter().map(|range| (range.from, range.to, range.vreg)).collect()
    }

    /// Many sets whose ranges overlap none of another set.
    fn disjoint(random: &mut Random, sets: &mut RangeSets, count: usize, ranges: usize) -> Vec<Pair> {
        sets.clear(ranges);
        let empty = || Pair {
            set: NONE,
            ranges: Vec::new(),
        };
        let mut pairs: Vec<Pair> = (0..count).map(|_| empty()).collect();
        let mut from = 10 * ranges as u32;
        for _ in 0..ranges {
            let number = random.below(count);
            let to = from - random.below(3) as u32;
            from = to - 1 - random.below(4) as u32;
            let vreg = number as u32;
            pairs[number].set = sets.push_front(LiveRange { from, to, vreg }, pairs[number].set);
            pairs[number].ranges.insert(0, LiveRange { from, to, vreg });
        }
        pairs.retain(|pair| pair.set != NONE);
        pairs
    }

    fn check_seeks(random: &mut Random, sets: &mut RangeSets, pair: &mut Pair) {
        pair.set = sets.first(pair.set);
        let mut current = pair.set;
        let mut index = 0;
        while index < pair.ranges.len() {
            let range = pair.ranges[index];
            assert_eq!(plain(&[sets.range(current)]), plain(&[range]));
            let most = 1 + random.below(60);
            let pos = range.to + random.below(most) as u32;
            current = sets.seek(&mut pair.set, current, pos);
            index = pair.ranges.iter().take_while(|range| range.to <= pos).count();
        }
        assert_eq!(current, NONE);
    }

    fn check_order(sets: &mut RangeSets, pair: &mut Pair) {
        pair.set = sets.first(pair.set);
        let mut node = pair.set;
        let mut found = Vec::new();
        while node != NONE {
            found.push(sets.range(node));
            node = sets.next(node);
        }
        assert_eq!(plain(&found), plain(&pair.ranges));
    }

    #[test]
    fn united_sets_have_the_ranges_of_both_in_their_order() {
        let mut random = Random::new(1);
        let mut sets = RangeSets::default();
        for round in 0..300 {
            let mut pairs = disjoint(&mut random, &mut sets, 1 + round % 40, 1 + round);
            while pairs.len() > 1 {
                let other = random.below(pairs.len());
                let other = pairs.swap_remove(other);
                let number = random.below(pairs.len());
                let pair = &mut pairs[number];
                pair.set = sets.unite(pair.set, other.set, NONE);
                pair.ranges.extend(other.ranges);
                pair.ranges.sort_by_key(|range| range.from);
                match random.below(3) {
                    0 => check_seeks(&mut random, &mut sets, pair),
                    1 if random.below(4) == 0 => check_order(&mut sets, pair),
                    _ => {}
                }
            }
            check_order(&mut sets, &mut pairs[0]);
        }
    }

    #[test]
    fn overlapping_ranges_become_one() {
        let mut random = Random::new(2);
        let mut sets = RangeSets::default();
        for round in 0..2000 {
            sets.clear(0);
            let mut pairs = [0, 1].map(|vreg| {
                let (mut set, mut ranges, mut from) = (NONE, Vec::new(), 1000);
                for _ in 0..1 + random.below(1 + round % 30) {
                    let to = from - random.below(12) as u32;
                    from = to - 1 - random.below(12) as u32;
                    set = sets.push_front(LiveRange { from, to, vreg }, set);
                    ranges.insert(0, LiveRange { from, to, vreg });
                }
                Pair { set, ranges }
            });
            for pair in &mut pairs {
                check_seeks(&mut random, &mut sets, pair);
            }
            let [a, b] = pairs;
            let mut both = a.ranges;
            both.extend(b.ranges);
            both.sort_by_key(|range| range.from);
            let mut ranges: Vec<LiveRange> = Vec::new();
            for range in both {
                match ranges.last_mut() {
                    Some(last) if range.from < last.to => {
                        last.to = last.to.max(range.to);
                        last.vreg = 7;
                    }
                    _ => ranges.push(range),
                }
            }
            let set = sets.unite(a.set, b.set, 7);
            check_order(&mut sets, &mut Pair { set, ranges });
        }
    }

    #[test]
    fn a_list_that_begins_where_a_block_does_is_extended() {
        let mut sets = RangeSets::default();
        assert!(!sets.extend_front(NONE, 2, 4));
        let (from, to, vreg) = (4, 8, 3);
        let set = sets.push_front(LiveRange { from, to, vreg }, NONE);
        assert!(!sets.extend_front(set, 1, 3));
        assert!(sets.extend_front(set, 2, 4));
        assert_eq!(plain(&[sets.range(set)]), [(2, 8, 3)]);
        assert_eq!(sets.count(), 1);
    }
}
