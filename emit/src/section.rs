//! Sections of the object file, each named by its attributes.

use frazil_ir::{ComdatId, SymbolId};
use frazil_support::{EntityRef, FxBuildHasher, entity_impl};
use indexmap::IndexSet;
use object::elf::{self, SectionFlags, SectionType};

/// A section of the object file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionId(u32);
entity_impl!(SectionId, "section");

/// What makes a section; two definitions with equal attributes share one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SectionDesc {
    pub name: Vec<u8>,
    pub ty: SectionType,
    /// Its flags; the group flag is added for members of a group.
    pub flags: SectionFlags,
    /// Size of an entry of a mergeable section, otherwise 0.
    pub entry_bytes: u64,
    /// The comdat group that it belongs to.
    pub group: Option<ComdatId>,
    /// The symbol without whose section linkers leave this one out.
    pub associated: Option<SymbolId>,
    /// The only symbol in it, where others of its name and attributes do not share it.
    pub owner: Option<SymbolId>,
}

impl SectionDesc {
    /// A section outside any group without entries of fixed size.
    pub fn new(name: &[u8], ty: SectionType, flags: SectionFlags) -> SectionDesc {
        SectionDesc {
            name: name.to_vec(),
            ty,
            flags,
            entry_bytes: 0,
            group: None,
            associated: None,
            owner: None,
        }
    }

    /// Whether it has a flag.
    pub fn has(&self, flag: SectionFlags) -> bool {
        self.flags.0 & flag.0 != 0
    }

    /// Whether it takes no room in the file.
    pub fn is_zero_filled(&self) -> bool {
        self.ty == elf::SHT_NOBITS
    }

    /// Whether linkers may merge its entries, so that positions in it mean nothing.
    pub fn is_mergeable(&self) -> bool {
        self.has(elf::SHF_MERGE)
    }

    /// Whether it holds code.
    pub fn is_code(&self) -> bool {
        self.has(elf::SHF_EXECINSTR)
    }
}

/// All sections, in the order of their first use.
#[derive(Debug, Default)]
pub struct SectionTable {
    descs: IndexSet<SectionDesc, FxBuildHasher>,
}

impl SectionTable {
    /// The section with these attributes.
    pub fn intern(&mut self, desc: SectionDesc) -> SectionId {
        SectionId::new(self.descs.insert_full(desc).0)
    }

    /// A section's attributes.
    pub fn desc(&self, id: SectionId) -> &SectionDesc {
        &self.descs[id.index()]
    }

    /// All sections.
    pub fn iter(&self) -> impl Iterator<Item = (SectionId, &SectionDesc)> {
        self.descs
            .iter()
            .enumerate()
            .map(|(index, desc)| (SectionId::new(index), desc))
    }

    /// The number of sections.
    pub fn len(&self) -> usize {
        self.descs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.descs.is_empty()
    }
}
