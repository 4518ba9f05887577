//! The variables of a module: contents in parts of bytes, zeros and addresses.

use super::builder::check_symbol;
use super::error::WriteError;
use crate::pnacl::codes::globals as code;
use frazil_ir::module::RelocationTarget;
use frazil_ir::{DataDef, Module, Refusal, SymbolId};

/// The largest alignment of a variable, as a power of two.
const MOST_ALIGNMENT_LOG2: u8 = 29;

/// Zeros take a part of their own from this number on.
const SEPARATE_ZEROS: usize = 16;

/// Checks that a variable has a form.
///
/// # Errors
/// If it does not.
pub fn check(module: &Module, def: &DataDef) -> Result<(), WriteError> {
    let wrong = |refusal, message: String| Err(WriteError::new(refusal, message));
    if module
        .symbols
        .get(def.symbol)
        .is_some_and(|data| data.tls != Default::default())
    {
        return wrong(Refusal::ThreadLocal, "a thread-local variable".to_owned());
    }
    if def.size > u64::from(u32::MAX) {
        let message = format!(
            "a variable of {} bytes, which is more than there are addresses",
            def.size
        );
        return wrong(Refusal::TooLarge, message);
    }
    if def.align_log2 > MOST_ALIGNMENT_LOG2 {
        let message = format!("a variable aligned to more than 2^{MOST_ALIGNMENT_LOG2}");
        return wrong(Refusal::TooLarge, message);
    }
    for relocation in module.data_relocations(def) {
        match (relocation.target, relocation.minus) {
            (RelocationTarget::Symbol(symbol), None) if relocation.size == 4 => check_symbol(module, symbol)?,
            _ => {
                let message = "contents that are no bytes and no address of 4 bytes of a symbol";
                return wrong(Refusal::Initializer, message.to_owned());
            }
        }
    }
    Ok(())
}

/// The records of a variable that [`check`] accepts; `number` has the values of symbols.
pub fn rows(module: &Module, def: &DataDef, number: impl Fn(SymbolId) -> u64) -> Vec<(u64, Vec<u64>)> {
    let first = def.first_byte as usize;
    let bytes = module
        .bytes
        .get(first..first + def.byte_count as usize)
        .unwrap_or_default();
    let mut relocations = module.data_relocations(def).to_vec();
    relocations.sort_unstable_by_key(|relocation| relocation.offset);
    let mut parts = Parts::default();
    let mut place = 0;
    for relocation in &relocations {
        let offset = relocation.offset as usize;
        parts.add_bytes(bytes.get(place..offset.min(bytes.len())).unwrap_or_default());
        parts.add_zeros(offset.saturating_sub(place.max(bytes.len())));
        if let RelocationTarget::Symbol(symbol) = relocation.target {
            let addend = u64::from(relocation.addend as u32);
            let mut operands = vec![number(symbol)];
            operands.extend((addend != 0).then_some(addend));
            parts.rows.push((code::RELOCATION, operands));
        }
        place = offset + usize::from(relocation.size);
    }
    parts.add_bytes(bytes.get(place.min(bytes.len())..).unwrap_or_default());
    parts.add_zeros((def.size as usize).saturating_sub(place.max(bytes.len())));
    if parts.rows.is_empty() {
        parts.rows.push((code::ZERO_FILL, vec![0]));
    }
    let alignment = u64::from(def.align_log2) + 1;
    let mut rows = vec![(code::VARIABLE, vec![alignment, def.constant.into()])];
    if let count @ 2.. = parts.rows.len() {
        rows.push((code::COMPOUND, vec![count as u64]));
    }
    rows.append(&mut parts.rows);
    rows
}

/// The parts of a variable.
#[derive(Default)]
struct Parts {
    rows: Vec<(u64, Vec<u64>)>,
}

impl Parts {
    /// Adds bytes; many zeros among them are counted only.
    fn add_bytes(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
            if zeros >= SEPARATE_ZEROS || zeros == bytes.len() {
                self.add_zeros(zeros);
                bytes = bytes.get(zeros..).unwrap_or_default();
                continue;
            }
            // Up to where many zeros begin.
            let end = bytes
                .windows(SEPARATE_ZEROS)
                .skip(zeros)
                .position(|window| window.iter().all(|&byte| byte == 0))
                .map_or(bytes.len(), |place| place + zeros);
            let (contents, rest) = bytes.split_at_checked(end).unwrap_or((bytes, &[]));
            self.rows
                .push((code::DATA, contents.iter().map(|&byte| byte.into()).collect()));
            bytes = rest;
        }
    }

    fn add_zeros(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        match self.rows.last_mut() {
            Some((code::ZERO_FILL, operands)) => {
                if let Some(zeros) = operands.first_mut() {
                    *zeros += count as u64;
                }
            }
            _ => self.rows.push((code::ZERO_FILL, vec![count as u64])),
        }
    }
}
