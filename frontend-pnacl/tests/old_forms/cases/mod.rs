//! The differences, by what they are about.

mod attributes;
mod bodies;
mod memory;
mod metadata;
mod symbols;

use crate::Case;

pub const ALL: &[&[Case]] = &[
    attributes::CASES,
    bodies::CASES,
    memory::CASES,
    metadata::CASES,
    symbols::CASES,
];
