//! Panics in a closure that generic code of the standard library calls, and is caught; then a second time, deeper.

use std::panic::catch_unwind;

struct Checked {
    limit: usize,
}

impl Checked {
    #[inline(always)]
    fn check(&self, number: usize) -> usize {
        assert!(
            number < self.limit,
            "{number} is too much"
        );
        number * 2
    }
}

#[inline(never)]
fn doubled(numbers: &[usize], limit: usize) -> Vec<usize> {
    let checked = Checked { limit };
    numbers
        .iter()
        .map(|&number| checked.check(number))
        .collect()
}

#[inline(never)]
fn element(numbers: &[usize], index: usize) -> usize {
    if index > 100 {
        return 0;
    }
    numbers[index]
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let numbers = [3, 1, 4, 1, 5];
    let first = catch_unwind(|| doubled(&numbers, 4).len());
    let second = catch_unwind(|| {
        let all = doubled(&numbers, 6);
        element(&all, all.len())
    });
    let third = catch_unwind(|| None::<usize>.expect("a number"));
    i32::from(first.is_ok() || second.is_ok() || third.is_ok())
}
