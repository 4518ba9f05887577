//! What LLVM 3.0 to 3.7 wrote and later versions did not, read by LLVM's own rules; what LLVM 22 refuses is refused, too.
//!
//! Most differences are where the same things are read in other versions: forms of records of types, constants, symbols
//! ([`super::globals`]), attributes ([`super::attributes`]), metadata ([`super::metadata`]), and intrinsics with other
//! arguments. Here is what is not there at all any more:
//!
//! * Up to 3.1, operands of instructions are numbers of values and not distances to them (version 0 of the module).
//! * Up to 3.6, most records do not say what is accessed: it is what the pointer points to. The reader does not know that
//!   of each address, because no later version asks. A body with such records is read once more, with the types of all
//!   addresses tracked ([`crate::builder::pointers`]), and so are all after it.
//! * [`instructions`]: records of their own for what others have flags for.
//! * [`ranges`]: switches with ranges of values, which a version between 3.2 and 3.3 wrote.
//! * [`personalities`]: up to 3.6, landing pads said who unwinds, and not functions.
//! * Comdats were implied by the linkage up to 3.4.

pub(super) mod instructions;
pub(super) mod personalities;
pub(super) mod ranges;

use super::body::context::Body;
use super::types::{Kind, TypeId};
use crate::builder::word::Word;
use crate::error::ReadError;
use frazil_ir::module::{ComdatData, ComdatSelection};
use frazil_ir::{ComdatId, Module, Str, SymbolId};
use frazil_support::FxHashMap;

/// What is known of old forms of records, from function to function.
#[derive(Debug, Default)]
pub(super) struct OldForms {
    /// Whether the types of addresses are tracked.
    pub(super) is_tracking: bool,
    /// Whether a record has asked what an address points to that was not tracked.
    wants_tracking: bool,
    /// Whether it is only wanted who unwinds the function.
    pub(super) finds_personality: bool,
    /// Who that is.
    pub(super) personality: Option<SymbolId>,
}

impl OldForms {
    /// Whether types are tracked from now on, because a record has asked for it.
    #[inline]
    pub(super) fn begins_to_track(&mut self) -> bool {
        let begins = self.wants_tracking && !self.is_tracking;
        self.is_tracking |= begins;
        self.wants_tracking = false;
        begins
    }
}

impl Body<'_, '_> {
    /// What an address points to, where a record does not say it.
    ///
    /// # Errors
    /// If it is not known. If it could be, the body is to be read once more.
    #[cold]
    pub(super) fn pointee(&mut self, address: Word) -> Result<TypeId, ReadError> {
        let types = &self.build.module.types;
        let mut kind = types.kind(address.ty());
        if let Some(&Kind::Vector { element, .. }) = kind {
            kind = types.kind(element);
        }
        if let Some(&Kind::Pointer {
            pointee: Some(pointee), ..
        }) = kind
        {
            return Ok(pointee);
        }
        self.old.wants_tracking = true;
        let message = "an access that does not say of what type, by an address that does not point to one";
        Err(self.build.malformed(message))
    }
}

/// Gives definitions comdats of their own names: LLVM's `getOrInsertComdat`. Mach-O has no comdats.
pub(super) fn add_comdats(module: &mut Module, symbols: &[SymbolId]) {
    let triple = module.strings.bytes(module.triple);
    if symbols.is_empty() || triple.windows(7).any(|word| word == b"-apple-") {
        return;
    }
    let known = module
        .comdats
        .iter()
        .map(|(id, data)| (module.strings.bytes(data.name).to_vec(), id));
    let mut by_name: FxHashMap<Vec<u8>, ComdatId> = known.collect();
    for &symbol in symbols {
        let Some(data) = module.symbols.get(symbol) else {
            continue;
        };
        let name: Str = data.name;
        let comdat = *by_name.entry(module.strings.bytes(name).to_vec()).or_insert_with(|| {
            module.comdats.push(ComdatData {
                name,
                selection: ComdatSelection::Any,
            })
        });
        if let Some(data) = module.symbols.get_mut(symbol) {
            data.comdat = Some(comdat);
        }
    }
}
