//! Tests of terms: simplified ones have the values of those that they replace.

use super::evaluate::{Evaluator, Model};
use super::{Op, Role, Terms, compute};
use frazil_test_support::Random;

/// Random operations, once simplified and once computed at once for random values of the variables.
#[test]
fn simplified_terms_have_the_same_values() {
    const OPS: [Op; 17] = [
        Op::Not,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Add,
        Op::Mul,
        Op::Udiv,
        Op::Urem,
        Op::Sdiv,
        Op::Srem,
        Op::Shl,
        Op::Lshr,
        Op::Ashr,
        Op::Eq,
        Op::Ult,
        Op::Slt,
        Op::Ite,
    ];
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let mut terms = Terms::default();
        let width = random.pick(&[1, 3, 8, 32, 128]);
        let mut model = Model::default();
        let mut pool = Vec::new();
        for index in 0..3u32 {
            let value = u128::from(random.next_word()) & compute::mask(width);
            pool.push((terms.fresh("v", width, Role::Given), value));
            model.vars.insert(index, value);
        }
        for number in [0, 1, u128::MAX, 2] {
            let number = number & compute::mask(width);
            pool.push((terms.constant(width, number), number));
        }
        for _ in 0..25 {
            let op = random.pick(&OPS);
            let picked = [random.pick(&pool), random.pick(&pool), random.pick(&pool)];
            let (mut operands, mut values) = (picked.map(|row| row.0), picked.map(|row| row.1));
            if op == Op::Ite {
                operands[0] = terms.extract(operands[0], 0, 1);
                values[0] &= 1;
            }
            let is_test = matches!(op, Op::Eq | Op::Ult | Op::Slt);
            let result = if is_test { 1 } else { width };
            let count = terms.operand_count(op);
            let from = if op == Op::Ite { 1 } else { width };
            let value = compute::compute(op, result, from, width, values).expect("no function");
            let mut row = (terms.apply(op, result, &operands[..count]), value);
            if is_test {
                row.0 = terms.zext(row.0, width);
            } else if width > 1 && random.one_in(3) {
                // Cut into two, and joined again.
                let split = 1 + random.below(width as usize - 1) as u32;
                let (high, low) = (
                    terms.extract(row.0, split, width - split),
                    terms.extract(row.0, 0, split),
                );
                row.0 = terms.concat(high, low);
            }
            assert_eq!(
                Evaluator::new(&terms, &model).value(row.0),
                row.1,
                "seed {seed}: {op:?} of {values:?} in {width} bits"
            );
            pool.push(row);
        }
    }
}

#[test]
fn sums_of_an_address_and_constants_have_one_form() {
    let mut terms = Terms::default();
    let address = terms.fresh("address", 64, Role::Given);
    let (four, eight) = (terms.constant(64, 4), terms.constant(64, 8));
    let twice = terms.add(address, four);
    let twice = terms.add(four, twice);
    assert_eq!(twice, terms.add(address, eight));
    assert_eq!(terms.sub(twice, address), eight);
    let equal = terms.eq(twice, address);
    assert!(terms.is_false(equal));
}

#[test]
fn each_use_of_undef_is_another_one() {
    let mut terms = Terms::default();
    let undef = terms.fresh("undef", 8, Role::Undef);
    let three = terms.constant(8, 3);
    let sum = terms.add(undef, three);
    let other = terms.with_other_undefs(sum, &mut |terms, _| terms.fresh("undef", 8, Role::Undef));
    assert_ne!(sum, other);
    let picked = terms.with_other_undefs(sum, &mut |terms, _| terms.constant(8, 4));
    assert_eq!(terms.constant_of(picked), Some(7));
}
