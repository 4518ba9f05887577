//! Numbers of linkages, and which of them functions, variables, aliases and ifuncs may have.
//!
//! Older numbers stand for what LLVM has made of them since.

use crate::bitstream::record::Record;
use crate::error::ReadError;
use frazil_ir::Linkage;

/// Refuses a declaration of something that others cannot define.
pub(super) fn expect_declared(record: &Record, linkage: Linkage) -> Result<(), ReadError> {
    match linkage {
        Linkage::External | Linkage::ExternalWeak => Ok(()),
        _ => Err(record.malformed("a declaration of what only a definition can be")),
    }
}

/// The linkage of what is no variable.
pub(super) fn linkage_of_code(record: &Record, field: u64) -> Result<Linkage, ReadError> {
    match linkage(record, field)? {
        Linkage::Common | Linkage::Appending => {
            Err(record.malformed(format!("linkage {field}, which only variables have")))
        }
        linkage => Ok(linkage),
    }
}

/// The linkage of an alias, or of an ifunc: both are definitions, and only aliases may stand for those of others.
pub(super) fn linkage_of_alias(record: &Record, field: u64, is_alias: bool) -> Result<Linkage, ReadError> {
    match linkage_of_code(record, field)? {
        Linkage::ExternalWeak => Err(record.malformed("an alias or ifunc with the linkage of a declaration")),
        Linkage::AvailableExternally if !is_alias => {
            Err(record.malformed("an ifunc with the linkage of what is defined elsewhere"))
        }
        linkage => Ok(linkage),
    }
}

/// Whether a definition is in a comdat of its own name, if its record is so old that it cannot say in which.
pub(super) fn has_implicit_comdat(field: u64) -> bool {
    matches!(field, 1 | 4 | 10 | 11)
}

/// The linkage of any symbol.
pub(super) fn linkage(record: &Record, field: u64) -> Result<Linkage, ReadError> {
    Ok(match field {
        0 | 5 | 6 | 15 => Linkage::External,
        1 | 16 => Linkage::WeakAny,
        2 => Linkage::Appending,
        3 => Linkage::Internal,
        4 | 18 => Linkage::LinkOnceAny,
        7 => Linkage::ExternalWeak,
        8 => Linkage::Common,
        9 | 13 | 14 => Linkage::Private,
        10 | 17 => Linkage::WeakOdr,
        11 | 19 => Linkage::LinkOnceOdr,
        12 => Linkage::AvailableExternally,
        other => return Err(record.malformed(format!("linkage {other}; expected 0 to 19"))),
    })
}
