//! Attribute lists of LLVM up to 3.2: pairs of a position and a word with a bit for each attribute.
//!
//! The word has the bits of 16 attributes, then the alignment in bytes in 16 bits, then the bits of the others: LLVM's
//! `decodeLLVMAttributesForBitcode`. A pair becomes a group like those of later versions.

use super::{
    Attribute, AttributeTable, FUNCTION_POSITION, FunctionAttributes, Group, List, ParameterAttributes,
    apply_to_function, apply_to_parameter, kind,
};
use crate::bitstream::record::Record;
use crate::error::ReadError;
use frazil_ir::Refusal;
use frazil_ir::included::RARE;

const ALIGNMENT_SHIFT: u32 = 16;
const ALIGNMENT_MASK: u64 = 0xffff;

/// Bits of a word whose attribute decides how code is generated, and its kind.
const BITS: &[(u32, u64)] = &[
    (0, kind::Z_EXT),
    (1, kind::S_EXT),
    (2, kind::NO_RETURN),
    (3, kind::IN_REG),
    (4, kind::STRUCT_RET),
    (5, kind::NO_UNWIND),
    (7, kind::BY_VAL),
    (8, kind::NEST),
    (14, kind::SSP),
    (15, kind::SSP_REQ),
    (33, kind::NO_RED_ZONE),
    (34, kind::NO_IMPLICIT_FLOAT),
    (35, kind::NAKED),
    (40, kind::RETURNS_TWICE),
    (41, kind::UW_TABLE),
    (42, kind::NON_LAZY_BIND),
    (46, kind::SSP_STRONG),
    (51, kind::COLD),
];

/// The alignment of a function's stack, as log2 of bytes plus one; 0 if not said.
const STACK_ALIGNMENT_SHIFT: u32 = 37;
const STACK_ALIGNMENT_MASK: u64 = 7;

impl AttributeTable {
    /// The list of a record.
    #[cold]
    pub(super) fn list_of_words(&mut self, record: &Record) -> Result<List, ReadError> {
        if !RARE {
            let message = "an attribute list as LLVM before 3.3 wrote it";
            return Err(ReadError::unsupported(Refusal::OldFormat, record.start(), message));
        }
        let pairs = record.operands().chunks_exact(2);
        if !pairs.remainder().is_empty() {
            return Err(record.malformed("an attribute list with a position without attributes"));
        }
        let mut list = List::with_capacity(pairs.len());
        for pair in pairs {
            let &[position, word] = pair else { continue };
            let position =
                u32::try_from(position).map_err(|_| record.malformed(format!("attributes of parameter {position}")))?;
            let group = match self.of_words.get(&(position, word)) {
                Some(&group) => group,
                None => {
                    let group = self.add(group(position, word, record)?);
                    self.of_words.insert((position, word), group);
                    group
                }
            };
            list.push((position, group));
        }
        Ok(list)
    }
}

fn group(position: u32, word: u64, record: &Record) -> Result<Group, ReadError> {
    let is_function = u64::from(position) == FUNCTION_POSITION;
    let mut attributes = Vec::new();
    let said = BITS.iter().filter(|&&(bit, _)| word >> bit & 1 != 0);
    attributes.extend(said.map(|&(_, kind)| Attribute::Enum(kind)));
    match word >> ALIGNMENT_SHIFT & ALIGNMENT_MASK {
        0 => {}
        bytes => attributes.push(Attribute::Integer(kind::ALIGNMENT, bytes)),
    }
    match word >> STACK_ALIGNMENT_SHIFT & STACK_ALIGNMENT_MASK {
        0 => {}
        log2 => attributes.push(Attribute::Integer(kind::STACK_ALIGNMENT, 1 << (log2 - 1))),
    }
    if is_function {
        let mut function = FunctionAttributes::default();
        for attribute in &attributes {
            apply_to_function(&mut function, attribute, record)?;
        }
        return Ok(Group::Function(function));
    }
    let mut parameter = ParameterAttributes::default();
    for attribute in &attributes {
        apply_to_parameter(&mut parameter, attribute, record)?;
    }
    Ok(Group::Parameter {
        position,
        attributes: parameter,
    })
}
