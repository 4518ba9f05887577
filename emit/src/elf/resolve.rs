//! Relocations whose value no linker can change, and relocations by section.
//!
//! When the place of every definition is known, a distance to a local symbol in the same section is stored at once,
//! and any other reference to a local symbol names its section, so that the symbol table stays small. The rules are
//! those of GNU `as`. References into mergeable sections keep their symbol: there a position means nothing. What refers
//! backwards in code is stored when the code is appended, and never becomes a relocation.

use super::{Location, Naming, ObjectBuilder, PendingDifference, PendingRelocation, TargetState};
use crate::error::EmitError;
use crate::section::SectionId;
use frazil_codegen::TargetDesc;
use frazil_ir::{EntityRef, Refusal};

impl ObjectBuilder<'_> {
    /// Resolves what can be, marks the targets that relocations name, and says which sections they name.
    pub(super) fn resolve_relocations(&mut self) -> Result<Vec<bool>, EmitError> {
        let mut named_sections = vec![false; self.placement.sections.len()];
        let mut failed = None;
        for index in 0..self.placement.sections.len() {
            let section = SectionId::new(index);
            let contents = self.contents.section(section);
            let bytes = &mut contents.bytes;
            contents.relocations.retain(|relocation| {
                let state = &mut self.states[relocation.target.index()];
                let Some((target_section, _)) = place_in_section(relocation.naming, state) else {
                    state.used = true;
                    if state.local && state.location == Location::Elsewhere {
                        failed = Some((relocation.target, Failure::NotDefined));
                    }
                    return true;
                };
                match store_distance(self.target, relocation, state, section, bytes) {
                    Some(true) => {}
                    Some(false) => failed = Some((relocation.target, Failure::TooFar)),
                    None => {
                        named_sections[target_section.index()] = true;
                        return true;
                    }
                }
                false
            });
        }
        match failed {
            None => Ok(named_sections),
            Some((target, failure)) => Err(failure.error(self.target_name(target))),
        }
    }

    /// Puts the addends of all relocations that are left into their fields.
    #[cold]
    pub(super) fn store_addends(&mut self) -> Result<(), EmitError> {
        for index in 0..self.placement.sections.len() {
            let contents = self.contents.section(SectionId::new(index));
            let mut failed = None;
            for relocation in &contents.relocations {
                let state = &self.states[relocation.target.index()];
                let (_, addend) = section_and_addend(relocation, state);
                let store = self.target.relocs[usize::from(relocation.kind)].store_addend;
                let field = contents.bytes.get_mut(relocation.offset as usize..);
                if !store.zip(field).is_some_and(|(store, field)| store(field, addend)) {
                    failed = Some(relocation.target);
                }
            }
            if let Some(target) = failed {
                return Err(Failure::NoRoom.error(self.target_name(target)));
            }
        }
        Ok(())
    }

    /// Turns differences of addresses into numbers or distances.
    pub(super) fn resolve_differences(&mut self) -> Result<(), EmitError> {
        for difference in std::mem::take(&mut self.differences) {
            self.resolve_difference(&difference)?;
        }
        Ok(())
    }

    pub(super) fn resolve_difference(&mut self, difference: &PendingDifference) -> Result<(), EmitError> {
        let within = |builder: &Self| builder.module.display_name(difference.within).into_owned();
        let Location::At(minus_section, minus) = self.states[difference.minus.index()].location else {
            let what = "a difference from the address of a symbol of another object";
            return Err(EmitError::unsupported(Refusal::Initializer, what, within(self)));
        };
        if let Location::At(section, offset) = self.states[difference.target.index()].location
            && difference.naming != Naming::Table
            && section == minus_section
        {
            let value = (offset as i64)
                .wrapping_sub(minus as i64)
                .wrapping_add(difference.addend);
            return self.store_number(difference, value);
        }
        if minus_section != difference.section {
            let what = "a difference between the addresses of two other sections";
            return Err(EmitError::unsupported(Refusal::Initializer, what, within(self)));
        }
        let elf = &self.target.elf;
        let kind = match difference.bytes {
            4 if difference.naming == Naming::Table => elf.plt32,
            8 => elf.pc64,
            4 => elf.pc32,
            _ => None,
        };
        let kind = kind.ok_or_else(|| {
            let what = format!("a distance in {} bytes of data", difference.bytes);
            EmitError::unsupported(Refusal::Initializer, what, within(self))
        })?;
        let addend = difference
            .addend
            .wrapping_add((difference.offset as i64).wrapping_sub(minus as i64));
        self.contents
            .section(difference.section)
            .relocations
            .push(PendingRelocation {
                offset: difference.offset,
                addend,
                target: difference.target,
                kind,
                naming: difference.naming,
            });
        Ok(())
    }

    fn store_number(&mut self, difference: &PendingDifference, value: i64) -> Result<(), EmitError> {
        let little_endian = self.target.elf.little_endian;
        let length = usize::from(difference.bytes);
        let bytes = &mut self.contents.section(difference.section).bytes;
        let field = bytes
            .get_mut(difference.offset as usize..)
            .and_then(|field| field.get_mut(..length));
        let Some(field) = field.filter(|_| length <= 8) else {
            let name = self.module.display_name(difference.within);
            return Err(EmitError::malformed("a relocation outside its data", name));
        };
        let encoded = value.to_le_bytes();
        field.copy_from_slice(&encoded[..length]);
        if !little_endian {
            field.reverse();
        }
        Ok(())
    }
}

/// Stores the distance to a target in its own section that no linker can change, and says whether there is room for it;
/// `None` if a relocation is needed.
#[inline]
pub(super) fn store_distance(
    desc: &TargetDesc,
    relocation: &PendingRelocation,
    state: &TargetState,
    section: SectionId,
    bytes: &mut [u8],
) -> Option<bool> {
    let (target_section, target_offset) = place_in_section(relocation.naming, state)?;
    let store = desc.relocs[usize::from(relocation.kind)].store_distance?;
    if target_section != section || relocation.naming != Naming::Any {
        return None;
    }
    let distance = (target_offset as i64).wrapping_sub(relocation.offset as i64);
    let field = bytes.get_mut(relocation.offset as usize..);
    Some(field.is_some_and(|field| store(field, distance.wrapping_add(relocation.addend))))
}

/// The section that a relocation names, unless it names its symbol, and its addend from there.
pub(super) fn section_and_addend(relocation: &PendingRelocation, state: &TargetState) -> (Option<SectionId>, i64) {
    match place_in_section(relocation.naming, state) {
        Some((section, offset)) => (Some(section), relocation.addend.wrapping_add(offset as i64)),
        None => (None, relocation.addend),
    }
}

/// Section and offset by which a relocation may name its target.
fn place_in_section(naming: Naming, state: &TargetState) -> Option<(SectionId, u64)> {
    let Location::At(section, offset) = state.location else {
        return None;
    };
    let allowed = match naming {
        Naming::Any => state.local && !state.keep_name,
        Naming::Symbol | Naming::Table => false,
        Naming::Section => true,
    };
    allowed.then_some((section, offset))
}

/// Why a relocation cannot be written.
#[derive(Clone, Copy, Debug)]
enum Failure {
    NotDefined,
    TooFar,
    NoRoom,
}

impl Failure {
    fn error(self, target: String) -> EmitError {
        match self {
            Failure::NotDefined => EmitError::malformed("a reference to a local symbol that has no definition", target),
            Failure::TooFar => EmitError::too_large(format!("the distance to @{target} in its section")),
            Failure::NoRoom => {
                EmitError::too_large(format!("the distance from @{target} in the field of a relocation"))
            }
        }
    }
}
