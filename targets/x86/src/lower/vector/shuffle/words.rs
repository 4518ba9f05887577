//! Plans that move 32-bit lanes and words of one operand, by `pshufd`, `pshuflw` and `pshufhw`.
//!
//! Words that stay within their halves of the register take one or two instructions. Others are brought there by pairs,
//! before that or after it; if a half needs at most two words of each half, they are gathered in pairs first. What is
//! left is a blend of both halves, each of which is moved by itself.

use super::tree::{ANY, Join, Mask, Plan, Step, cheapest};

/// The mask by lanes of some bytes; `None` if it tears one apart.
pub fn by_lanes<const N: usize>(mask: &Mask) -> Option<[u8; N]> {
    let bytes = 16 / N;
    let mut lanes = [ANY; N];
    for (lane, chunk) in lanes.iter_mut().zip(mask.chunks_exact(bytes)) {
        for (offset, &byte) in (0..).zip(chunk).filter(|&(_, &byte)| byte != ANY) {
            let (number, rest) = (byte / bytes as u8, byte % bytes as u8);
            if rest != offset || (*lane != ANY && *lane != number) {
                return None;
            }
            *lane = number;
        }
    }
    Some(lanes)
}

/// The immediate of `pshufd` and its kin that takes these lanes, modulo four; any lane stays.
pub fn immediate(lanes: [u8; 4]) -> i32 {
    (0..).zip(lanes).fold(0, |bits, (index, lane)| {
        let lane = if lane == ANY { index } else { lane % 4 };
        bits | i32::from(lane) << (2 * index)
    })
}

const IDENTITY: i32 = 0xe4;

/// Moves words of one operand.
pub fn words(words: [u8; 8], input: &Plan) -> Plan {
    cheapest([
        within_halves(words, input),
        lanes_first(words, input),
        lanes_last(words, input),
        gathered(words, input),
    ])
    .unwrap_or_else(|| from_both_halves(words, input))
}

fn half(words: [u8; 8], is_upper: bool) -> [u8; 4] {
    let start = if is_upper { 4 } else { 0 };
    [words[start], words[start + 1], words[start + 2], words[start + 3]]
}

/// Steps for words that stay in their halves.
fn within_halves(words: [u8; 8], input: &Plan) -> Option<Plan> {
    let stay = (0..)
        .zip(words)
        .all(|(index, word): (u8, u8)| word == ANY || word / 4 == index / 4);
    stay.then(|| {
        let [low, high] = [false, true].map(|is_upper| immediate(half(words, is_upper)));
        let steps = [(low, Step::LowWords(low)), (high, Step::HighWords(high))];
        let needed = steps.into_iter().filter(|&(lanes, _)| lanes != IDENTITY);
        needed.fold(input.clone(), |plan, (_, step)| plan.then(step))
    })
}

/// Different numbers in a list, without [`ANY`].
pub fn distinct(numbers: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let mut found = Vec::new();
    for number in numbers.into_iter().filter(|&number| number != ANY) {
        if !found.contains(&number) {
            found.push(number);
        }
    }
    found
}

/// Pairs of words first, so that each half has all that it needs.
fn lanes_first(words: [u8; 8], input: &Plan) -> Option<Plan> {
    let mut lanes = [ANY; 4];
    let mut moved = words;
    for is_upper in [false, true] {
        let start = if is_upper { 4 } else { 0 };
        let pair_of = |word: u8| if word == ANY { ANY } else { word / 2 };
        let pairs = distinct(half(words, is_upper).map(pair_of));
        // The pair that the second half of this half begins with stays there, if it can.
        let mut slots = [
            pairs.first().copied().unwrap_or(ANY),
            pairs.get(1).copied().unwrap_or(ANY),
        ];
        if pairs.len() > 2 {
            return None;
        }
        let late = distinct([pair_of(words[start + 2]), pair_of(words[start + 3])]);
        if late.first() == Some(&slots[0]) && pair_of(words[start]) != slots[0] {
            slots.swap(0, 1);
        }
        for (slot, &pair) in slots.iter().enumerate() {
            lanes[start / 2 + slot] = pair;
        }
        for word in &mut moved[start..start + 4] {
            if let Some(slot) = slots.iter().position(|&pair| *word != ANY && pair == *word / 2) {
                *word = (start + slot * 2) as u8 + *word % 2;
            }
        }
    }
    within_halves(moved, &input.clone().then(Step::Lanes(immediate(lanes))))
}

/// Words within halves first, to pairs that are taken afterwards.
fn lanes_last(words: [u8; 8], input: &Plan) -> Option<Plan> {
    let mut made: [Vec<[u8; 2]>; 2] = [Vec::new(), Vec::new()];
    let mut lanes = [ANY; 4];
    for (lane, pair) in lanes.iter_mut().zip(words.chunks_exact(2)) {
        let (first, second) = (pair[0], pair[1]);
        let known = if first == ANY { second } else { first };
        if known == ANY {
            continue;
        }
        if first != ANY && second != ANY && first / 4 != second / 4 {
            return None;
        }
        let side = &mut made[usize::from(known / 4)];
        let agrees = |[a, b]: [u8; 2]| (first == ANY || first == a) && (second == ANY || second == b);
        let position = side.iter().position(|&pair| agrees(pair)).unwrap_or_else(|| {
            side.push([first, second]);
            side.len() - 1
        });
        *lane = known / 4 * 2 + position as u8;
    }
    let mut moved = [ANY; 8];
    for (side, pairs) in made.iter().enumerate() {
        if pairs.len() > 2 {
            return None;
        }
        for (position, pair) in pairs.iter().enumerate() {
            moved[side * 4 + position * 2..][..2].copy_from_slice(pair);
        }
    }
    let plan = within_halves(moved, input)?;
    Some(plan.then(Step::Lanes(immediate(lanes))))
}

/// Words within halves, pairs, and words within halves again.
fn gathered(words: [u8; 8], input: &Plan) -> Option<Plan> {
    let mut first = [ANY; 8];
    let mut last = [ANY; 8];
    for is_upper in [false, true] {
        for from_upper in [false, true] {
            let needed = distinct(
                half(words, is_upper)
                    .into_iter()
                    .filter(|&word| (word >= 4) == from_upper),
            );
            if needed.len() > 2 {
                return None;
            }
            // Its pair in the source's half, and where that goes.
            let pair = usize::from(from_upper) * 4 + usize::from(is_upper) * 2;
            let place = usize::from(is_upper) * 4 + usize::from(from_upper) * 2;
            for (offset, &word) in needed.iter().enumerate() {
                first[pair + offset] = word;
                for (index, _) in words.iter().enumerate().filter(|&(_, &other)| other == word) {
                    if (index >= 4) == is_upper {
                        last[index] = (place + offset) as u8;
                    }
                }
            }
        }
    }
    let plan = within_halves(first, input)?.then(Step::Lanes(immediate([0, 2, 1, 3])));
    within_halves(last, &plan)
}

/// A blend of words from the low half and words from the high half.
fn from_both_halves(words: [u8; 8], input: &Plan) -> Plan {
    let parts = [(false, [0, 1, 0, 1]), (true, [2, 3, 2, 3])].map(|(is_upper, lanes)| {
        let mut moved = [ANY; 8];
        for (index, word) in words.into_iter().enumerate() {
            if word != ANY && (word >= 4) == is_upper {
                moved[index] = word % 4 + index as u8 / 4 * 4;
            }
        }
        let doubled = input.clone().then(Step::Lanes(immediate(lanes)));
        within_halves(moved, &doubled).unwrap_or(doubled)
    });
    let [low, high] = parts;
    let from_low = words.map(|word| if word < 4 { 0xffff } else { 0u128 });
    let bits = (0..)
        .zip(from_low)
        .fold(0, |bits, (index, word)| bits | word << (16 * index));
    low.join(Join::Blend(bits), high)
}
