//! Equal values in different forms are one term, different ones are not.

use super::*;

fn terms() -> Terms {
    let mut terms = Terms::default();
    terms.clear();
    terms
}

fn unknown(terms: &mut Terms, number: u32, width: u16) -> Term {
    terms.symbol(Origin::Entry, [number, 0, 0], width)
}

#[test]
fn parts_put_together_again_are_the_whole() {
    let mut terms = terms();
    let x = unknown(&mut terms, 0, 64);
    let (low, high) = (terms.part(x, 0, 32), terms.part(x, 32, 32));
    assert_eq!(terms.concat(&[low, high]), x);
    let y = unknown(&mut terms, 1, 64);
    let sum = terms.sum(64, 7, &[(1, x), (3, y)]);
    let (low, high) = (terms.part(sum, 0, 32), terms.part(sum, 32, 32));
    assert_eq!(terms.concat(&[low, high]), sum);
    assert_ne!(terms.concat(&[high, low]), sum);
}

#[test]
fn low_bits_of_sums_are_sums_of_low_bits() {
    let mut terms = terms();
    let (x, y) = (unknown(&mut terms, 0, 64), unknown(&mut terms, 1, 64));
    let wide = terms.sum(64, 300, &[(1, x), (2, y)]);
    let narrow = terms.part(wide, 0, 8);
    let (x8, y8) = (terms.part(x, 0, 8), terms.part(y, 0, 8));
    let expected = terms.sum(8, 300, &[(1, x8), (2, y8)]);
    assert_eq!(narrow, expected);
    let zero = terms.sum(64, 0, &[(1, x), (u64::MAX, x)]);
    assert_eq!(terms.as_constant(zero), Some(0));
}

#[test]
fn masks_are_zero_extensions() {
    let mut terms = terms();
    let x = unknown(&mut terms, 0, 64);
    for bits in [8, 16, 32] {
        let mask = terms.constant(64, (1 << bits) - 1);
        let masked = terms.bitwise(Bitwise::And, x, mask);
        let low = terms.part(x, 0, bits);
        assert_eq!(masked, terms.zero_extend(low, 64), "{bits}");
        // Another zero extension changes nothing; nor does a sign extension if the term is narrower.
        let part = terms.part(masked, 0, 32);
        let again = terms.zero_extend(part, 64);
        assert_eq!(again, masked);
        assert_eq!(terms.sign_extend(part, 64) == masked, bits < 32, "{bits}");
    }
}

#[test]
fn different_things_are_different() {
    let mut terms = terms();
    let (x, y) = (unknown(&mut terms, 0, 32), unknown(&mut terms, 1, 32));
    let and = terms.bitwise(Bitwise::And, x, y);
    let or = terms.bitwise(Bitwise::Or, x, y);
    assert_ne!(and, or);
    assert_eq!(and, terms.bitwise(Bitwise::And, y, x));
    let sums = [
        terms.sum(32, 1, &[(1, x)]),
        terms.sum(32, 2, &[(1, x)]),
        terms.sum(32, 1, &[(2, x)]),
    ];
    assert!(sums[0] != sums[1] && sums[1] != sums[2] && sums[0] != sums[2]);
    let parts = [terms.part(x, 0, 8), terms.part(x, 8, 8), terms.part(x, 0, 16)];
    assert!(parts[0] != parts[1] && parts[0] != parts[2]);
    let undefined = terms.symbol(Origin::Undefined, [0; 3], 32);
    let sum = terms.sum(32, 0, &[(1, x), (1, undefined)]);
    assert!(terms.is_undefined(sum) && !terms.is_undefined(x));
}

#[test]
fn bitwise_operations_are_the_same_however_they_are_cut() {
    let mut terms = terms();
    let (x, y) = (unknown(&mut terms, 0, 64), unknown(&mut terms, 1, 64));
    let number = terms.constant(64, 0x0001_0000_0001_0001);
    for operation in [Bitwise::And, Bitwise::Or, Bitwise::Xor] {
        for other in [y, number] {
            let whole = terms.bitwise(operation, x, other);
            let (low, high) = (terms.part(whole, 0, 32), terms.part(whole, 32, 32));
            assert_eq!(terms.concat(&[low, high]), whole, "{operation:?}");
            let bytes: Vec<Term> = (0..8).map(|byte| terms.part(whole, byte * 8, 8)).collect();
            assert_eq!(terms.concat(&bytes), whole, "{operation:?}");
        }
    }
    let sign = terms.part(x, 63, 1);
    let copies = terms.sign_extend(sign, 7);
    assert_eq!(terms.concat(&[copies, sign]), terms.sign_extend(sign, 8));
    assert_eq!(terms.concat(&[sign, copies]), terms.sign_extend(sign, 8));
}

#[test]
fn a_choice_is_what_it_is_needed_to_be_and_nothing_else() {
    let mut terms = terms();
    let [a, b, c] = [0, 1, 2].map(|number| unknown(&mut terms, number, 32));
    let choice = terms.choice(vec![a, b]);
    assert!(terms.refines(choice, a) && terms.refines(choice, b) && !terms.refines(choice, c));
    assert!(!terms.refines(a, choice) && !terms.refines(a, b));
    let sum = |terms: &mut Terms, x: Term| terms.sum(32, 5, &[(1, x), (2, c)]);
    let [open, chosen, other] = [choice, b, c].map(|x| sum(&mut terms, x));
    assert!(terms.refines(open, chosen) && !terms.refines(open, other));
    // A piece beside something undefined is not undefined.
    let undefined = terms.symbol(Origin::Undefined, [0; 3], 32);
    let [before, kept, changed] = [[a, undefined], [a, c], [b, c]].map(|pieces| terms.concat(&pieces));
    assert!(!terms.is_undefined(before));
    assert!(terms.refines(before, kept) && !terms.refines(before, changed));
}

#[test]
fn above_a_bit_that_is_set_nothing_counts() {
    let mut terms = terms();
    let [x, y] = [0, 1].map(|number| unknown(&mut terms, number, 32));
    let zero = terms.constant(32, 0);
    let bit = terms.constant(64, 1 << 34);
    let [whole, low] = [[x, y], [x, zero]].map(|pieces| {
        let term = terms.concat(&pieces);
        let set = terms.bitwise(Bitwise::Or, term, bit);
        terms.up_to_lowest_one(set)
    });
    assert_ne!(whole, low, "two bits below the one that is set");
    let bit = terms.constant(64, 1 << 32);
    let [whole, low, other] = [[x, y], [x, zero], [y, zero]].map(|pieces| {
        let term = terms.concat(&pieces);
        let set = terms.bitwise(Bitwise::Or, term, bit);
        terms.up_to_lowest_one(set)
    });
    assert!(whole == low && whole != other);
    assert_eq!(terms.up_to_lowest_one(x), x);
}

#[test]
fn multiples_of_low_bits_are_added_to_multiples_of_the_whole() {
    let mut terms = terms();
    let x = unknown(&mut terms, 0, 32);
    let low = terms.part(x, 0, 13);
    let low = terms.zero_extend(low, 32);
    let sum = terms.sum(32, 0, &[(1 << 19, low), (1, x)]);
    assert_eq!(sum, terms.sum(32, 0, &[((1 << 19) + 1, x)]));
    // One more bit of the other term matters.
    let other = terms.sum(32, 0, &[(1 << 18, low), (1, x)]);
    assert_ne!(other, terms.sum(32, 0, &[((1 << 18) + 1, x)]));
}

#[test]
fn the_highest_piece_is_extended() {
    let mut terms = terms();
    let (x, y) = (unknown(&mut terms, 0, 16), unknown(&mut terms, 1, 16));
    let whole = terms.concat(&[x, y]);
    let high = terms.sign_extend(y, 48);
    let expected = terms.concat(&[x, high]);
    assert_eq!(terms.sign_extend(whole, 64), expected);
}

#[test]
fn terms_differ_if_values_tell_them_apart() {
    let mut terms = terms();
    let [x, y] = [0, 1].map(|number| unknown(&mut terms, number, 32));
    // (x | y) - (x & y) equals x ^ y, but is another term.
    let [and, or, xor] = [Bitwise::And, Bitwise::Or, Bitwise::Xor].map(|operation| terms.bitwise(operation, x, y));
    let difference = terms.sum(32, 0, &[(1, or), (u64::MAX, and)]);
    assert!(difference != xor && !terms.can_differ(difference, xor));
    let [zero, other_zero] = [x, y].map(|term| terms.is_zero(term));
    let function = |terms: &mut Terms, number: u32, arg: Term| terms.apply([number, 0, 0, 0], 32, &[arg]);
    let functions = [(1, x), (2, x), (1, y)].map(|(number, arg)| function(&mut terms, number, arg));
    let one_more = terms.sum(32, 1, &[(1, xor)]);
    for (before, after) in [
        (x, y),
        (and, or),
        (difference, one_more),
        (zero, other_zero),
        (functions[0], functions[1]),
        (functions[0], functions[2]),
    ] {
        assert!(terms.can_differ(before, after));
    }
}

#[test]
fn what_is_undefined_or_chosen_tells_nothing_apart() {
    let mut terms = terms();
    let [x, y, z] = [0, 1, 2].map(|number| unknown(&mut terms, number, 32));
    let undefined = terms.symbol(Origin::Undefined, [0; 3], 32);
    let half_defined = terms.concat(&[x, undefined]);
    let [kept, changed] = [[x, z], [y, z]].map(|pieces| terms.concat(&pieces));
    assert!(!terms.can_differ(half_defined, kept) && terms.can_differ(half_defined, changed));
    let choice = terms.choice(vec![x, y]);
    let [open, first, second, other] = [choice, x, y, z].map(|term| terms.sum(32, 3, &[(2, term)]));
    assert!(!terms.can_differ(open, first) && !terms.can_differ(open, second) && terms.can_differ(open, other));
}
