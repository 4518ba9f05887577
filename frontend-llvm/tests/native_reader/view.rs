//! What two readers can be asked about a module, and where their answers must agree.
//!
//! The native reader splits aggregates into their parts, expands address computations, and drops intrinsics without
//! effect. So operations are counted under the names of our opcodes, and a function's expected counts say where the
//! native reader may have made more of one.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub struct View {
    /// The names of all functions that are declared only, without intrinsics.
    pub declarations: BTreeSet<String>,
    /// Functions with bodies, in order.
    pub functions: Vec<FunctionView>,
    /// Data with contents, in order, without LLVM's own lists.
    pub data: Vec<DataView>,
}

/// A function with a body.
#[derive(Debug, Default)]
pub struct FunctionView {
    pub name: String,
    pub blocks: usize,
    /// How often each operation occurs.
    pub counts: BTreeMap<&'static str, u32>,
    /// Operations that something in the function expands to, besides those counted. Only LLVM's side has some.
    pub expansions: BTreeSet<&'static str>,
    /// Whether the native reader makes loops of atomic operations, or splits integers of the function into words, which
    /// makes other operations and, for loops, other blocks: what that computes is tested by running it. Only LLVM's
    /// side says so.
    pub is_split: bool,
}

impl FunctionView {
    /// Counts an operation.
    pub fn count(&mut self, operation: &'static str) {
        *self.counts.entry(operation).or_default() += 1;
    }
}

/// Data with contents.
#[derive(Debug, Default)]
pub struct DataView {
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// In bytes; 0 if nothing was asked for.
    pub alignment: u64,
    /// Contents; what is missing at the end is zero.
    pub bytes: Vec<u8>,
    /// Where addresses stand, ascending.
    pub addresses: Vec<AddressView>,
}

/// An address in data.
#[derive(Debug)]
pub struct AddressView {
    /// In bytes from the start of the data.
    pub offset: u64,
    /// In bytes.
    pub size: u64,
    /// The symbol it is relative to; `None` if that cannot be said, or if it may be a number after all.
    pub target: Option<String>,
    /// Bytes past the symbol; `None` if that cannot be said.
    pub addend: Option<i64>,
}

/// What the native reader says differently, in words.
pub fn differences(llvm: &View, native: &View) -> Vec<String> {
    let mut found = Vec::new();
    for name in llvm.declarations.symmetric_difference(&native.declarations) {
        found.push(format!("only one declares function {name}"));
    }
    let names = |functions: &[FunctionView]| -> Vec<String> { functions.iter().map(|f| f.name.clone()).collect() };
    if names(&llvm.functions) != names(&native.functions) {
        found.push("other functions, or in another order".to_owned());
        return found;
    }
    for (expected, actual) in llvm.functions.iter().zip(&native.functions) {
        compare_functions(expected, actual, &mut found);
    }
    let names = |data: &[DataView]| -> Vec<String> { data.iter().map(|d| d.name.clone()).collect() };
    if names(&llvm.data) != names(&native.data) {
        found.push("other data, or in another order".to_owned());
        return found;
    }
    for (expected, actual) in llvm.data.iter().zip(&native.data) {
        if let Some(difference) = data_difference(expected, actual) {
            found.push(format!("data {}: {difference}", expected.name));
        }
    }
    found
}

fn compare_functions(expected: &FunctionView, actual: &FunctionView, found: &mut Vec<String>) {
    if expected.is_split {
        return;
    }
    let name = &expected.name;
    if expected.blocks != actual.blocks {
        found.push(format!("{name}: {} blocks, not {}", actual.blocks, expected.blocks));
    }
    let operations: BTreeSet<&str> = expected.counts.keys().chain(actual.counts.keys()).copied().collect();
    for operation in operations {
        let count = |function: &FunctionView| function.counts.get(operation).copied().unwrap_or(0);
        let (wanted, got) = (count(expected), count(actual));
        let agrees = match expected.expansions.contains(operation) {
            true => got >= wanted,
            false => got == wanted,
        };
        if !agrees {
            found.push(format!("{name}: {got} times {operation}, not {wanted}"));
        }
    }
}

fn data_difference(expected: &DataView, actual: &DataView) -> Option<String> {
    if expected.size != actual.size {
        return Some(format!("{} bytes, not {}", actual.size, expected.size));
    }
    if expected.alignment != 0 && expected.alignment != actual.alignment {
        return Some(format!("aligned to {}, not {}", actual.alignment, expected.alignment));
    }
    let mut addresses = actual.addresses.iter().peekable();
    let mut start = 0;
    for address in &expected.addresses {
        if let Some(difference) = byte_difference(expected, actual, start, address.offset) {
            return Some(difference);
        }
        start = address.offset + address.size;
        let found = addresses.next_if(|found| found.offset == address.offset);
        if let Some(difference) = address_difference(address, found) {
            return Some(format!("at {}: {difference}", address.offset));
        }
    }
    if let Some(extra) = addresses.next() {
        return Some(format!("an address at {} that is none", extra.offset));
    }
    byte_difference(expected, actual, start, expected.size)
}

fn address_difference(expected: &AddressView, found: Option<&AddressView>) -> Option<String> {
    let Some(found) = found else {
        return expected.target.as_ref().map(|target| format!("no address of {target}"));
    };
    let differs = found.size != expected.size
        || expected.target.is_some() && expected.target != found.target
        || expected.addend.is_some() && expected.addend != found.addend;
    differs.then(|| format!("{found:?}, not {expected:?}"))
}

fn byte_difference(expected: &DataView, actual: &DataView, start: u64, end: u64) -> Option<String> {
    let byte = |data: &DataView, offset: u64| data.bytes.get(offset as usize).copied().unwrap_or(0);
    let written = expected.bytes.len().max(actual.bytes.len()) as u64;
    let offset = (start..end.min(written)).find(|&offset| byte(expected, offset) != byte(actual, offset))?;
    Some(format!(
        "byte {offset} is {}, not {}",
        byte(actual, offset),
        byte(expected, offset)
    ))
}
