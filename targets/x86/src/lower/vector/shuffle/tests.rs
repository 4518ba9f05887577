//! Plans carried out on masks: each gives what its mask asks for, at no more than the best known cost.

use super::plan::plan;
use super::tree::{ANY, EXTENSIONS, Extras, INTERLEAVES, Join, Mask, Plan, Step, ZERO, fits, interleaved};
use crate::table::Op;

/// In what a plan gives: copies of a sign bit.
const SIGN: u8 = 0xfd;

/// What a plan gives, of operands whose bytes are numbered, as a mask.
fn carried_out(plan: &Plan) -> Mask {
    match plan {
        Plan::Zero => [ZERO; 16],
        Plan::Input(is_second) => std::array::from_fn(|index| index as u8 + u8::from(*is_second) * 16),
        Plan::Step(step, of) => stepped(*step, &carried_out(of)),
        Plan::Join(join, of) => joined(*join, &carried_out(&of[0]), &carried_out(&of[1])),
    }
}

fn lane(imm: i32, index: usize) -> usize {
    (imm >> (2 * index) & 3) as usize
}

fn stepped(step: Step, x: &Mask) -> Mask {
    let moved = |from: &dyn Fn(usize) -> Option<usize>| -> Mask {
        std::array::from_fn(|index| from(index).filter(|&from| from < 16).map_or(ZERO, |from| x[from]))
    };
    match step {
        Step::Lanes(imm) => moved(&|index| Some(lane(imm, index / 4) * 4 + index % 4)),
        Step::LowWords(imm) => moved(&|index| match index {
            0..8 => Some(lane(imm, index / 2) * 2 + index % 2),
            _ => Some(index),
        }),
        Step::HighWords(imm) => moved(&|index| match index {
            8.. => Some(8 + lane(imm, index / 2 - 4) * 2 + index % 2),
            _ => Some(index),
        }),
        Step::Up(bytes) => moved(&|index| index.checked_sub(bytes.into())),
        Step::Down(bytes) => moved(&|index| Some(index + usize::from(bytes))),
        Step::LowHalf => moved(&|index| (index < 8).then_some(index)),
        Step::SwapBytes => moved(&|index| Some(index ^ 1)),
        Step::Double(Op::PackuswbRR) => joined(Join::Pack, x, x),
        Step::Double(row) => joined(Join::Interleave(row), x, x),
        Step::Widen(row) => joined(Join::Interleave(row), x, &[ZERO; 16]),
        Step::Extend(row) => {
            let (_, from, to) = EXTENSIONS
                .into_iter()
                .find(|&(other, ..)| other == row)
                .expect("it is there");
            moved(&|index| (index % to < from).then_some(index / to * from + index % to))
        }
        Step::Keep(bits) => moved(&|index| (bits >> (8 * index) & 0xff == 0xff).then_some(index)),
        Step::UpperBytes => moved(&|index| index.is_multiple_of(2).then_some(index + 1)),
        Step::LowerWords | Step::UpperWords => {
            let offset = if step == Step::UpperWords { 2 } else { 0 };
            let words = moved(&|index| (index % 4 < 2).then_some(index + offset));
            std::array::from_fn(|index| if index % 4 < 2 { words[index] } else { SIGN })
        }
        Step::Bytes(order) => moved(&|index| (order[index] < 16).then_some(order[index].into())),
    }
}

fn joined(join: Join, a: &Mask, b: &Mask) -> Mask {
    match join {
        Join::Interleave(row) => {
            let (_, bytes, is_upper) = INTERLEAVES
                .into_iter()
                .find(|&(other, ..)| other == row)
                .expect("a row");
            std::array::from_fn(|index| {
                let from = if (index / bytes).is_multiple_of(2) { a } else { b };
                from[interleaved(index, bytes, is_upper)]
            })
        }
        Join::TwoLanes(imm) => std::array::from_fn(|index| {
            let from = if index < 8 { a } else { b };
            from[lane(imm, index / 4) * 4 + index % 4]
        }),
        Join::TwoHalves(imm) => std::array::from_fn(|index| {
            let (from, bit) = if index < 8 { (a, imm & 1) } else { (b, imm >> 1 & 1) };
            from[bit as usize * 8 + index % 8]
        }),
        Join::LowLane => std::array::from_fn(|index| if index < 4 { b[index] } else { a[index] }),
        Join::Blend(bits) => std::array::from_fn(|index| {
            if bits >> (8 * index) & 1 == 1 {
                a[index]
            } else {
                b[index]
            }
        }),
        Join::BlendWords(imm) => std::array::from_fn(|index| {
            if imm >> (index / 2) & 1 == 1 {
                b[index]
            } else {
                a[index]
            }
        }),
        Join::Align(bytes) => std::array::from_fn(|index| {
            let from = index + usize::from(bytes);
            if from < 16 { b[from] } else { a[from - 16] }
        }),
        Join::Or => std::array::from_fn(|index| match (a[index], b[index]) {
            (ZERO, other) | (other, ZERO) => other,
            _ => panic!("bytes of both operands meet"),
        }),
        Join::PackWords => std::array::from_fn(|index| {
            let (from, index) = if index < 8 { (a, index) } else { (b, index - 8) };
            assert_eq!(from[index / 2 * 4 + 2], SIGN, "a lane that is no word");
            from[index / 2 * 4 + index % 2]
        }),
        Join::Pack => std::array::from_fn(|index| {
            let (from, index) = if index < 8 { (a, index) } else { (b, index - 8) };
            assert_eq!(from[index * 2 + 1], ZERO, "a word that is no byte");
            from[index * 2]
        }),
    }
}

/// Numbers that look random (Marsaglia, "Xorshift RNGs", 2003).
fn random(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 16) as usize
}

const fn level(ssse3: bool, sse41: bool) -> Extras {
    Extras { ssse3, sse41 }
}

const LEVELS: [Extras; 3] = [level(false, false), level(true, false), level(true, true)];

fn check(mask: &Mask) {
    for extras in LEVELS {
        let plan = plan(mask, extras);
        let result = carried_out(&plan);
        assert!(fits(mask, |index| result[index]), "{mask:?}: {plan:?} gives {result:?}");
        if extras.ssse3 {
            assert!(plan.cost() <= 10, "{mask:?}: {plan:?}");
        }
    }
}

#[test]
fn random_masks_get_what_they_ask_for() {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    for round in 0..6000 {
        let lane_bytes = 1 << (round % 4);
        let sources = [16, 32, 33, 34][round / 4 % 4];
        let mut mask = [ANY; 16];
        for lane in 0..16 / lane_bytes {
            let number = random(&mut state) % sources;
            for byte in 0..lane_bytes {
                mask[lane * lane_bytes + byte] = match number {
                    32 => ANY,
                    33 => ZERO,
                    number => (number / lane_bytes * lane_bytes + byte) as u8,
                };
            }
        }
        check(&mask);
    }
}

#[test]
fn costs_are_those_of_the_best_known_sequences() {
    let sse2 = LEVELS[0];
    let words = |words: [u8; 8]| -> Mask { std::array::from_fn(|index| words[index / 2] * 2 + (index % 2) as u8) };
    let lanes = |lanes: [u8; 4]| -> Mask { std::array::from_fn(|index| lanes[index / 4] * 4 + (index % 4) as u8) };
    let cases = [
        (lanes([3, 2, 1, 0]), 1),
        (lanes([0, 4, 1, 5]), 1),
        (lanes([0, 5, 2, 7]), 2),
        (lanes([0, 1, 6, 3]), 2),
        (lanes([4, 1, 2, 3]), 1),
        (lanes([0, 1, 6, 7]), 1),
        (words([0; 8]), 2),
        (words([5; 8]), 2),
        (words([7, 6, 5, 4, 3, 2, 1, 0]), 3),
        (words([1, 0, 3, 2, 5, 4, 7, 6]), 2),
        (words([0, 2, 4, 6, 1, 3, 5, 7]), 3),
        ([3; 16], 3),
        (std::array::from_fn(|index| index as u8 * 2), 3),
        (std::array::from_fn(|index| index as u8 * 2 + 1), 3),
        (words([1, 3, 5, 7, 9, 11, 13, 15]), 3),
        (words([0, 2, 4, 6, 8, 10, 12, 14]), 5),
        (std::array::from_fn(|index| index as u8 ^ 1), 3),
        (std::array::from_fn(|index| index as u8 ^ 3), 5),
        (std::array::from_fn(|index| index as u8 + 5), 3),
    ];
    for (mask, cost) in cases {
        let plan = plan(&mask, sse2);
        assert!(plan.cost() <= cost * 2, "{mask:?}: {plan:?}");
    }
}
