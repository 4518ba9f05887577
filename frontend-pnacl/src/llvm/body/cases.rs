//! The cases of switches.

use super::context::Body;
use crate::error::ReadError;
use frazil_ir::{ConstView, Operand};
use frazil_support::sort::sort;

/// Whether the cases that are no immediates are distinct numbers: a file may have a constant twice.
fn has_distinct_constants(body: &Body<'_, '_>, cases: &[u32]) -> bool {
    let constants = cases.iter().filter_map(|&case| Operand::raw(case).as_const());
    let mut numbers: Vec<&[u64]> = constants
        .filter_map(|id| match body.build.function.constant(id).1 {
            ConstView::Int(words) => Some(words),
            _ => None,
        })
        .collect();
    sort(&mut numbers);
    numbers.is_sorted_by(|left, right| left < right)
}

/// Refuses cases that are the same number.
pub(super) fn expect_distinct(body: &mut Body<'_, '_>, pairs: &[Operand]) -> Result<(), ReadError> {
    let mut cases = std::mem::take(&mut body.build.state.cases);
    cases.clear();
    cases.extend(pairs.iter().step_by(2).map(|case| case.as_raw()));
    let sorted = cases.is_sorted_by(|a, b| a < b);
    sort(&mut cases);
    let distinct = (sorted || cases.is_sorted_by(|a, b| a < b)) && has_distinct_constants(body, &cases);
    body.build.state.cases = cases;
    if distinct {
        Ok(())
    } else {
        Err(body.build.malformed("a switch with the same case twice"))
    }
}
