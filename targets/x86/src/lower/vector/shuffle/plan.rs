//! How a shuffle is done: a search for the cheapest of the plans that give each byte its place.
//!
//! A plan is a tree of instructions with one or two operands. Tried are, for one operand, the instructions that move
//! lanes of 32 bits, words and whole registers, then sequences of them; for two operands, an instruction that joins
//! them, one whose result or whose operands are moved further, and a blend of both after each was moved. There always
//! is a plan: words are moved within the halves of a register that has one of its halves twice, and bytes become words.
//! `pshufb` is taken where its table costs less than what else would be needed.

use super::tree::{ANY, EXTENSIONS, Extras, INTERLEAVES, Join, Mask, Plan, Step, ZERO, cheapest, fits, interleaved};
use super::words::{by_lanes, distinct, immediate, words};
use crate::table::Op;

/// The plan of a mask.
pub fn plan(mask: &Mask, extras: Extras) -> Plan {
    match [false, true].map(|is_second| takes(mask, is_second)) {
        [false, false] if mask.contains(&ZERO) => Plan::Zero,
        [_, false] => one(mask, &Plan::Input(false), extras),
        [false, true] => one(&of_input(mask, true), &Plan::Input(true), extras),
        [true, true] => two(mask, [&Plan::Input(false), &Plan::Input(true)], extras),
    }
}

fn is_taken(byte: u8) -> bool {
    byte < ZERO
}

fn takes(mask: &Mask, is_second: bool) -> bool {
    mask.iter().any(|&byte| is_taken(byte) && (byte >= 16) == is_second)
}

/// What a mask takes of one operand, in places of that operand.
fn of_input(mask: &Mask, is_second: bool) -> Mask {
    mask.map(|byte| match is_taken(byte) {
        true if (byte >= 16) == is_second => byte % 16,
        true => ANY,
        false => byte,
    })
}

/// A plan for one operand.
fn one(mask: &Mask, input: &Plan, extras: Extras) -> Plan {
    let quick = if mask.contains(&ZERO) {
        with_zeros(mask, input, extras)
    } else {
        permute(mask, input)
    };
    let by_table = extras.ssse3.then(|| input.clone().then(Step::Bytes(*mask)));
    cheapest([quick, packed(mask, [input, input], 16), by_table]).unwrap_or_else(|| {
        let moved = bytes(mask, input);
        match mask.contains(&ZERO) {
            true => moved.then(Step::Keep(kept(mask, |byte| byte != ZERO))),
            false => moved,
        }
    })
}

/// Ones in the bytes that a rule keeps.
fn kept(mask: &Mask, keeps: impl Fn(u8) -> bool) -> u128 {
    u128::from_le_bytes(mask.map(|byte| if keeps(byte) { 0xff } else { 0 }))
}

/// A plan whose bytes are zero where the mask says so.
fn with_zeros(mask: &Mask, input: &Plan, extras: Extras) -> Option<Plan> {
    let step = |step| Some(input.clone().then(step));
    if fits(mask, |index| if index < 8 { index as u8 } else { ZERO }) {
        return step(Step::LowHalf);
    }
    for bytes in 1..16 {
        if fits(mask, |index| index.checked_sub(bytes).map_or(ZERO, |from| from as u8)) {
            return step(Step::Up(bytes as u8));
        }
        if fits(mask, |index| {
            if index + bytes < 16 {
                (index + bytes) as u8
            } else {
                ZERO
            }
        }) {
            return step(Step::Down(bytes as u8));
        }
    }
    let extended = |(_, from, to): &(Op, usize, usize)| {
        fits(mask, |index| match index % to {
            within if within < *from => (index / to * from + within) as u8,
            _ => ZERO,
        })
    };
    if let Some(&(row, _, _)) = EXTENSIONS.iter().find(|row| extras.sse41 && extended(row)) {
        return step(Step::Extend(row));
    }
    let widened = |(_, bytes, is_upper): &(Op, usize, bool)| {
        fits(mask, |index| match index / bytes % 2 {
            0 => interleaved(index, *bytes, *is_upper) as u8,
            _ => ZERO,
        })
    };
    let widening = INTERLEAVES
        .iter()
        .find(|row| widened(row))
        .map(|row| Step::Widen(row.0));
    let open = mask.map(|byte| if byte == ZERO { ANY } else { byte });
    let masked = permute(&open, input).map(|plan| plan.then(Step::Keep(kept(mask, |byte| byte != ZERO))));
    cheapest([widening.and_then(step), masked])
}

/// Moves bytes of one operand without taking words apart, unless they are exchanged or doubled.
fn permute(mask: &Mask, input: &Plan) -> Option<Plan> {
    if fits(mask, |index| index as u8) {
        return Some(input.clone());
    }
    if let Some(lanes) = by_lanes::<4>(mask) {
        return Some(input.clone().then(Step::Lanes(immediate(lanes))));
    }
    let shift = (1..16usize).find_map(|bytes| {
        let up = |index: usize| index.checked_sub(bytes).map_or(ZERO, |from| from as u8);
        let down = |index: usize| {
            if index + bytes < 16 {
                (index + bytes) as u8
            } else {
                ZERO
            }
        };
        if fits(mask, up) {
            Some(Step::Up(bytes as u8))
        } else {
            fits(mask, down).then_some(Step::Down(bytes as u8))
        }
    });
    if let Some(step) = shift {
        return Some(input.clone().then(step));
    }
    let swapped = mask.map(|byte| if byte == ANY { ANY } else { byte ^ 1 });
    let doubled = |is_upper: bool| {
        let row = if is_upper { Op::PunpckhbwRR } else { Op::PunpcklbwRR };
        let mut wide = [ANY; 16];
        for (index, &byte) in mask.iter().enumerate().filter(|&(_, &byte)| byte != ANY) {
            if (byte >= 8) != is_upper {
                return None;
            }
            wide[index] = byte % 8 * 2 + (index % 2) as u8;
        }
        let doubled = input.clone().then(Step::Double(row));
        by_lanes::<8>(&wide).map(|lanes| words(lanes, &doubled))
    };
    let rotated = (1..16u8).find(|&bytes| fits(mask, |index| (index as u8 + bytes) % 16));
    let rotated = rotated.map(|bytes| {
        let up = input.clone().then(Step::Up(16 - bytes));
        input.clone().then(Step::Down(bytes)).join(Join::Or, up)
    });
    cheapest([
        by_lanes::<8>(mask).map(|lanes| words(lanes, input)),
        by_lanes::<8>(&swapped).map(|lanes| words(lanes, &input.clone().then(Step::SwapBytes))),
        doubled(false),
        doubled(true),
        rotated,
    ])
}

/// Any bytes of one operand: as words, which are moved and packed again.
fn bytes(mask: &Mask, input: &Plan) -> Plan {
    let low = input.clone().then(Step::Widen(Op::PunpcklbwRR));
    let high = input.clone().then(Step::Widen(Op::PunpckhbwRR));
    let none = Extras {
        ssse3: false,
        sse41: false,
    };
    let [first, second] = [0, 8].map(|start| {
        let mut wide = [ANY; 16];
        for (index, &byte) in mask[start..start + 8].iter().enumerate() {
            if is_taken(byte) {
                wide[index * 2] = byte * 2;
                wide[index * 2 + 1] = byte * 2 + 1;
            }
        }
        match [takes(&wide, false), takes(&wide, true)] {
            [_, false] => one(&wide, &low, none),
            [false, true] => one(&of_input(&wide, true), &high, none),
            [true, true] => two(&wide, [&low, &high], none),
        }
    });
    match [0, 8].map(|start: usize| mask[start..start + 8].iter().any(|&byte| byte != ANY)) {
        [_, false] => first.then(Step::Double(Op::PackuswbRR)),
        [false, true] => second.then(Step::Double(Op::PackuswbRR)),
        [true, true] => first.join(Join::Pack, second),
    }
}

/// A plan for two operands.
fn two(mask: &Mask, inputs: [&Plan; 2], extras: Extras) -> Plan {
    if mask.contains(&ZERO) {
        let open = mask.map(|byte| if byte == ZERO { ANY } else { byte });
        let moved = two_without_table(&open, inputs, extras);
        let masked = moved.then(Step::Keep(kept(mask, |byte| byte != ZERO)));
        return cheapest([Some(masked.clone()), by_tables(mask, inputs, extras)]).unwrap_or(masked);
    }
    let moved = two_without_table(mask, inputs, extras);
    let others = [by_tables(mask, inputs, extras), by_words(mask, inputs, extras)];
    cheapest([Some(moved.clone())].into_iter().chain(others)).unwrap_or(moved)
}

/// Both operands moved, and then one chosen for each word.
fn by_words(mask: &Mask, inputs: [&Plan; 2], extras: Extras) -> Option<Plan> {
    let mut of_second = 0;
    for (index, bytes) in mask.chunks(2).enumerate() {
        let mut taken = bytes.iter().filter(|&&byte| byte != ANY).map(|&byte| byte >= 16);
        let is_second = taken.next().unwrap_or(false);
        if taken.any(|other| other != is_second) {
            return None;
        }
        of_second |= i32::from(is_second) << index;
    }
    let [first, second] =
        [false, true].map(|is_second| one(&of_input(mask, is_second), inputs[usize::from(is_second)], extras));
    extras.sse41.then(|| first.join(Join::BlendWords(of_second), second))
}

fn by_tables(mask: &Mask, [first, second]: [&Plan; 2], extras: Extras) -> Option<Plan> {
    let table = |is_second| {
        Step::Bytes(mask.map(|byte| match is_taken(byte) && (byte >= 16) == is_second {
            true => byte % 16,
            false => ZERO,
        }))
    };
    let parts = || {
        first
            .clone()
            .then(table(false))
            .join(Join::Or, second.clone().then(table(true)))
    };
    extras.ssse3.then(parts)
}

fn two_without_table(mask: &Mask, inputs: [&Plan; 2], extras: Extras) -> Plan {
    let swapped = mask.map(|byte| if is_taken(byte) { byte ^ 16 } else { byte });
    let [first, second] = inputs;
    let orders = [(*mask, first, second), (swapped, second, first)];
    let joined = orders.iter().flat_map(|(mask, first, second)| {
        [
            direct(mask, first, second, extras),
            four_lanes(mask, first, second),
            interleave_first(mask, first, second),
            interleave_last(mask, first, second),
        ]
    });
    let others = [packed(mask, inputs, 32), Some(blend(mask, inputs, extras))];
    cheapest(joined.chain(others)).unwrap_or(Plan::Zero)
}

/// One instruction that joins both operands as they are, or few that move all of them.
fn direct(mask: &Mask, first: &Plan, second: &Plan, extras: Extras) -> Option<Plan> {
    let joined = |join| Some(first.clone().join(join, second.clone()));
    if let Some([low, high]) = by_lanes::<2>(mask)
        && (low == ANY || low < 2)
        && (high == ANY || high >= 2)
    {
        let bit = |lane: u8| if lane == ANY { 0 } else { i32::from(lane % 2) };
        let imm = bit(low) | bit(high) << 1;
        return match imm {
            0 => joined(Join::Interleave(Op::PunpcklqdqRR)),
            3 => joined(Join::Interleave(Op::PunpckhqdqRR)),
            imm => joined(Join::TwoHalves(imm)),
        };
    }
    if fits(mask, |index| if index < 4 { index as u8 + 16 } else { index as u8 }) {
        return joined(Join::LowLane);
    }
    for (row, bytes, is_upper) in INTERLEAVES {
        let pattern = |index: usize| {
            let from = interleaved(index, bytes, is_upper) as u8;
            if (index / bytes).is_multiple_of(2) {
                from
            } else {
                from + 16
            }
        };
        if fits(mask, pattern) {
            return joined(Join::Interleave(row));
        }
    }
    // The second operand moved down, the first one above it.
    let bytes = (1..16u8).find(|&bytes| fits(mask, |index| (index as u8 + bytes + 16) % 32))?;
    if extras.ssse3 {
        return joined(Join::Align(bytes));
    }
    let above = first.clone().then(Step::Up(16 - bytes));
    Some(second.clone().then(Step::Down(bytes)).join(Join::Or, above))
}

/// Every other byte or word of both operands, which have so many bytes: what is not wanted is cleared or shifted out,
/// so that packing changes nothing.
fn packed(mask: &Mask, inputs: [&Plan; 2], bytes: usize) -> Option<Plan> {
    let rows = [
        (1, 0, Step::Keep(EVEN_BYTES), Join::Pack),
        (1, 1, Step::UpperBytes, Join::Pack),
        (2, 0, Step::LowerWords, Join::PackWords),
        (2, 2, Step::UpperWords, Join::PackWords),
    ];
    let found = rows
        .into_iter()
        .find(|&(lane, offset, ..)| fits(mask, |place| ((index_of_pair(lane, place) + offset) % bytes) as u8));
    let (_, _, step, join) = found?;
    let [first, second] = inputs.map(|input| input.clone().then(step));
    Some(first.join(join, second))
}

const EVEN_BYTES: u128 = 0x00ff_00ff_00ff_00ff_00ff_00ff_00ff_00ff;

/// Where the first lane of a pair of lanes begins, with the place within the lane.
fn index_of_pair(lane_bytes: usize, place: usize) -> usize {
    place / lane_bytes * lane_bytes * 2 + place % lane_bytes
}

/// 32-bit lanes by `shufps`, once or twice, or with a `pshufd` after it.
fn four_lanes(mask: &Mask, first: &Plan, second: &Plan) -> Option<Plan> {
    let lanes: [u8; 4] = by_lanes(mask)?;
    let is_of = |lane: u8, is_second: bool| lane == ANY || (lane >= 4) == is_second;
    let joined = |a: &Plan, b: &Plan, lanes| a.clone().join(Join::TwoLanes(immediate(lanes)), b.clone());
    if lanes[..2].iter().all(|&lane| is_of(lane, false)) && lanes[2..].iter().all(|&lane| is_of(lane, true)) {
        return Some(joined(first, second, lanes));
    }
    let of = |is_second: bool| {
        distinct(
            lanes
                .into_iter()
                .filter(|&lane| lane != ANY && (lane >= 4) == is_second),
        )
    };
    let (ours, theirs) = (of(false), of(true));
    if ours.len() <= 2 && theirs.len() <= 2 {
        let at = |list: &[u8], index: usize| list.get(index).copied().unwrap_or(ANY);
        let picked = [at(&ours, 0), at(&ours, 1), at(&theirs, 0), at(&theirs, 1)];
        let place = |lane: u8| picked.iter().position(|&other| other == lane && lane != ANY);
        let order = lanes.map(|lane| place(lane).map_or(ANY, |place| place as u8));
        return Some(joined(first, second, picked).then(Step::Lanes(immediate(order))));
    }
    if theirs.len() != 1 || lanes.iter().filter(|&&lane| lane == theirs[0]).count() != 1 {
        return None;
    }
    // The half with the one lane of the second operand is made first: that lane, and its neighbor.
    let position = lanes.iter().position(|&lane| lane == theirs[0])?;
    let mixed = joined(second, first, [theirs[0], ANY, lanes[position ^ 1], ANY]);
    let half = if position.is_multiple_of(2) { [0, 2] } else { [2, 0] };
    Some(if position < 2 {
        joined(&mixed, first, [half[0], half[1], lanes[2], lanes[3]])
    } else {
        joined(first, &mixed, [lanes[0], lanes[1], half[0], half[1]])
    })
}

/// An interleaving that has all bytes, which are moved afterwards.
fn interleave_first(mask: &Mask, first: &Plan, second: &Plan) -> Option<Plan> {
    cheapest(INTERLEAVES.into_iter().map(|(row, bytes, is_upper)| {
        let place = |byte: u8| {
            (0..16).find(|&index| {
                let from = interleaved(index, bytes, is_upper) as u8;
                byte == if (index / bytes).is_multiple_of(2) {
                    from
                } else {
                    from + 16
                }
            })
        };
        let mut moved = [ANY; 16];
        for (to, &byte) in moved.iter_mut().zip(mask).filter(|(_, byte)| **byte != ANY) {
            *to = place(byte)? as u8;
        }
        permute(&moved, &first.clone().join(Join::Interleave(row), second.clone()))
    }))
}

/// Operands that are moved so that an interleaving gives the result.
fn interleave_last(mask: &Mask, first: &Plan, second: &Plan) -> Option<Plan> {
    cheapest(INTERLEAVES.into_iter().map(|(row, bytes, is_upper)| {
        let mut moved = [[ANY; 16]; 2];
        for (index, &byte) in mask.iter().enumerate().filter(|&(_, &byte)| byte != ANY) {
            let is_odd = !(index / bytes).is_multiple_of(2);
            if (byte >= 16) != is_odd {
                return None;
            }
            moved[usize::from(is_odd)][interleaved(index, bytes, is_upper)] = byte % 16;
        }
        let [first, second] = [permute(&moved[0], first)?, permute(&moved[1], second)?];
        Some(first.join(Join::Interleave(row), second))
    }))
}

/// Both operands moved, and then one chosen for each byte.
fn blend(mask: &Mask, inputs: [&Plan; 2], extras: Extras) -> Plan {
    let none = Extras { ssse3: false, ..extras };
    let [first, second] =
        [false, true].map(|is_second| one(&of_input(mask, is_second), inputs[usize::from(is_second)], none));
    if let Some(words) = by_lanes::<8>(mask).filter(|_| extras.sse41) {
        let of_second = (0..).zip(words).fold(0, |bits, (index, word)| {
            bits | if word != ANY && word >= 8 { 1 << index } else { 0 }
        });
        return first.join(Join::BlendWords(of_second), second);
    }
    first.join(Join::Blend(kept(mask, |byte| byte < 16)), second)
}
