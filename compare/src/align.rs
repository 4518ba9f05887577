//! Which blocks of two functions belong together.
//!
//! Both compilers number and order blocks as they like, so blocks are compared by what they do: the words of their
//! instructions without registers and labels. An alignment that keeps the order of both and has the largest sum of
//! similarities is found by dynamic programming (Needleman and Wunsch, 1970); functions too large for its quadratic
//! table are first cut where blocks with equal contents, unique on both sides, stand opposite each other.

use crate::assembly::Block;
use std::collections::HashMap;

/// A pair of blocks, by index; one side may be missing.
pub type Pair = (Option<usize>, Option<usize>);

/// Cells of the table, at most.
const LARGEST_TABLE: usize = 4_000_000;

/// Aligns two lists of blocks; each index appears once, in ascending order.
pub fn align(left: &[Block], right: &[Block]) -> Vec<Pair> {
    let (left, right) = (Features::of_all(left), Features::of_all(right));
    let mut pairs = Vec::with_capacity(left.len().max(right.len()));
    if left.len().saturating_mul(right.len()) <= LARGEST_TABLE {
        align_part(&left, &right, (0, 0), &mut pairs);
        return pairs;
    }
    let mut done = (0, 0);
    let last = (left.len(), right.len());
    for anchor in anchors(&left, &right).into_iter().chain([last]) {
        let part = (&left[done.0..anchor.0], &right[done.1..anchor.1]);
        match part.0.len().saturating_mul(part.1.len()) <= LARGEST_TABLE {
            true => align_part(part.0, part.1, done, &mut pairs),
            // Nothing is known of the middle but its order.
            false => pairs.extend(side_by_side(part.0.len(), part.1.len(), done)),
        }
        done = anchor;
    }
    pairs
}

/// What a block does: how often each word occurs.
struct Features {
    words: HashMap<String, u32>,
    count: u32,
    /// All words in order, for equality.
    text: String,
}

impl Features {
    fn of_all(blocks: &[Block]) -> Vec<Features> {
        blocks.iter().map(Features::of).collect()
    }

    fn of(block: &Block) -> Features {
        let mut features = Features {
            words: HashMap::new(),
            count: 0,
            text: String::new(),
        };
        for line in &block.lines {
            let words = line.text.split([' ', ',', '(', ')']).filter(|word| is_telling(word));
            for word in words {
                *features.words.entry(word.to_owned()).or_default() += 1;
                features.count += 1;
                features.text.push_str(word);
                features.text.push(' ');
            }
        }
        features
    }

    /// Twice the common words over all words: 0 to 1 (Dice).
    fn similarity(&self, other: &Features) -> f32 {
        let (small, large) = match self.words.len() < other.words.len() {
            true => (self, other),
            false => (other, self),
        };
        let common: u32 = small
            .words
            .iter()
            .map(|(word, count)| large.words.get(word).map_or(0, |other| *count.min(other)))
            .sum();
        2.0 * common as f32 / (self.count + other.count).max(1) as f32
    }
}

/// Registers and labels differ without meaning anything.
fn is_telling(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('%') && !word.starts_with(".L")
}

fn align_part(left: &[Features], right: &[Features], offset: (usize, usize), pairs: &mut Vec<Pair>) {
    /// Pairs less alike than this are better left apart.
    const LEAST_SIMILARITY: f32 = 0.2;
    let width = right.len() + 1;
    let mut best = vec![0.0_f32; (left.len() + 1) * width];
    for row in (0..left.len()).rev() {
        for column in (0..right.len()).rev() {
            let together = left[row].similarity(&right[column]) - LEAST_SIMILARITY;
            let apart = best[(row + 1) * width + column].max(best[row * width + column + 1]);
            best[row * width + column] = apart.max(together + best[(row + 1) * width + column + 1]);
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < left.len() && column < right.len() {
        let here = best[row * width + column];
        if here == best[(row + 1) * width + column] {
            pairs.push((Some(offset.0 + row), None));
            row += 1;
        } else if here == best[row * width + column + 1] {
            pairs.push((None, Some(offset.1 + column)));
            column += 1;
        } else {
            pairs.push((Some(offset.0 + row), Some(offset.1 + column)));
            row += 1;
            column += 1;
        }
    }
    pairs.extend((row..left.len()).map(|row| (Some(offset.0 + row), None)));
    pairs.extend((column..right.len()).map(|column| (None, Some(offset.1 + column))));
}

fn side_by_side(left: usize, right: usize, offset: (usize, usize)) -> impl Iterator<Item = Pair> {
    (0..left.max(right)).map(move |index| {
        let of = |count: usize, offset: usize| (index < count).then_some(offset + index);
        (of(left, offset.0), of(right, offset.1))
    })
}

/// Blocks that occur once on each side and have the same text, in an order that both sides keep.
fn anchors(left: &[Features], right: &[Features]) -> Vec<(usize, usize)> {
    let places = |side: &[Features]| {
        let mut places: HashMap<String, Option<usize>> = HashMap::new();
        for (index, features) in side.iter().enumerate().filter(|(_, features)| features.count > 3) {
            places
                .entry(features.text.clone())
                .and_modify(|place| *place = None)
                .or_insert(Some(index));
        }
        places
    };
    let others = places(right);
    let mine = places(left);
    let mut pairs: Vec<(usize, usize)> = mine
        .iter()
        .filter_map(|(text, place)| Some(((*place)?, (*others.get(text)?)?)))
        .collect();
    pairs.sort_unstable();
    // The longest part that ascends on the other side, too (patience sorting).
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for index in 0..pairs.len() {
        let length = tails.partition_point(|&tail| pairs[tail].1 < pairs[index].1);
        before[index] = length.checked_sub(1).map(|last| tails[last]);
        match tails.get_mut(length) {
            Some(tail) => *tail = index,
            None => tails.push(index),
        }
    }
    let mut chain = Vec::new();
    let mut next = tails.last().copied();
    while let Some(index) = next {
        chain.push(pairs[index]);
        next = before[index];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::Line;

    fn block(text: &str) -> Block {
        let line = |text: &str| Line {
            text: text.to_owned(),
            comment: String::new(),
            source: 0,
        };
        Block {
            label: String::new(),
            lines: text.split("; ").map(line).collect(),
        }
    }

    #[test]
    fn blocks_that_do_the_same_stand_opposite_each_other() {
        let left = [
            block("movl %edi, %eax; jmp .L1"),
            block("call puts"),
            block("addl $1, %eax; ret"),
        ];
        let right = [
            block("movl %esi, %ecx; jmp .LBB0_3"),
            block("imull $7, %eax; cltd; idivl %ecx"),
            block("addl $1, %edx; retq"),
        ];
        let pairs = align(&left, &right);
        assert!(
            pairs.contains(&(Some(0), Some(0))) && pairs.contains(&(Some(2), Some(2))),
            "{pairs:?}"
        );
        assert!(
            pairs.contains(&(Some(1), None)) && pairs.contains(&(None, Some(1))),
            "{pairs:?}"
        );
    }

    #[test]
    fn large_functions_are_cut_at_what_is_unique() {
        let make = |count: usize, shift: usize| -> Vec<Block> {
            let text = |index: usize| match index % 50 {
                0 => format!("call f{index}; movl $1, %eax; addl ${index}, %eax"),
                other => format!("addl ${}, %eax", (other + shift) % 7),
            };
            (0..count).map(|index| block(&text(index))).collect()
        };
        let (left, right) = (make(3000, 0), make(3010, 1));
        let pairs = align(&left, &right);
        assert!(pairs.contains(&(Some(2500), Some(2500))));
        assert_eq!(pairs.iter().filter(|pair| pair.0.is_some()).count(), 3000);
        assert_eq!(pairs.iter().filter(|pair| pair.1.is_some()).count(), 3010);
    }
}
