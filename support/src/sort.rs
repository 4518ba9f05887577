//! Sorting, by code that is fast or by code that is small.
//!
//! The standard library's algorithms take three to five kilobytes for each type. Lists of modules and functions are
//! short, but may have any length in hostile input. In builds without [`SPEED`], a merge sort does it in as many
//! comparisons and a tenth of the code.

use crate::SPEED;

/// Sorts a list in ascending order of keys; equal keys keep their order.
#[inline]
pub fn sort_by_key<T: Clone, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    match SPEED {
        true => list.sort_by_key(key),
        false => merge_sort(list, &|one, other| key(one) <= key(other)),
    }
}

/// Sorts a list in ascending order of keys, of which no two are equal.
#[inline]
pub fn sort_by_unique_key<T: Clone, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    match SPEED {
        true => list.sort_unstable_by_key(key),
        false => merge_sort(list, &|one, other| key(one) <= key(other)),
    }
}

/// Sorts a list in ascending order.
#[inline]
pub fn sort<T: Clone + Ord>(list: &mut [T]) {
    match SPEED {
        true => list.sort_unstable(),
        false => merge_sort(list, &T::le),
    }
}

/// Merges runs of one item, then of two, and so on.
fn merge_sort<T: Clone>(list: &mut [T], is_ordered: &dyn Fn(&T, &T) -> bool) {
    if list.is_sorted_by(is_ordered) {
        return;
    }
    let mut from = list.to_vec();
    let mut length = 1;
    while length < list.len() {
        let mut start = 0;
        while start < list.len() {
            let (middle, end) = ((start + length).min(list.len()), (start + 2 * length).min(list.len()));
            let (mut left, mut right) = (start, middle);
            for place in &mut list[start..end] {
                let takes_left = right == end || left < middle && is_ordered(&from[left], &from[right]);
                let next = if takes_left { &mut left } else { &mut right };
                place.clone_from(&from[*next]);
                *next += 1;
            }
            start = end;
        }
        from.clone_from_slice(list);
        length *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_are_sorted_and_equal_keys_stay() {
        let mut state = 1_u32;
        for length in 0..70 {
            let mut list: Vec<(u32, u32)> = Vec::new();
            for place in 0..length {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                list.push((state >> 29, place));
            }
            let mut expected = list.clone();
            expected.sort_by_key(|row| row.0);
            let mut sorted = list.clone();
            merge_sort(&mut sorted, &|one, other| one.0 <= other.0);
            assert_eq!(sorted, expected);
            sort_by_key(&mut list, |row| row.0);
            assert_eq!(list, expected);
        }
    }
}
