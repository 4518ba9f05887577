//! Constants that code reads from memory, shared by all functions of the module.
//!
//! Each stands once, in the mergeable section of its size, so that linkers share them between objects too. They are
//! placed after everything else, in the order of their first use.

use crate::section::{SectionDesc, SectionId, SectionTable};
use frazil_codegen::PoolConstant;
use frazil_support::FxBuildHasher;
use indexmap::IndexSet;
use object::elf;

/// The constants of a module.
#[derive(Debug, Default)]
pub struct ConstantPool {
    entries: IndexSet<PoolConstant, FxBuildHasher>,
}

impl ConstantPool {
    /// The number of a constant.
    pub fn add(&mut self, constant: PoolConstant) -> u32 {
        self.entries.insert_full(constant).0 as u32
    }

    /// Writes the numbers of all constants of a function into `numbers`.
    pub fn add_all(&mut self, constants: &[PoolConstant], numbers: &mut Vec<u32>) {
        numbers.clear();
        numbers.extend(constants.iter().map(|constant| self.add(*constant)));
    }

    /// All constants, by number.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &PoolConstant> {
        self.entries.iter()
    }

    /// The section of a constant.
    pub fn section(constant: &PoolConstant, sections: &mut SectionTable) -> SectionId {
        sections.intern(SectionDesc::mergeable_constants(u64::from(constant.len)))
    }
}

impl SectionDesc {
    /// The section of mergeable constants of `bytes` bytes each.
    pub fn mergeable_constants(bytes: u64) -> SectionDesc {
        SectionDesc {
            name: format!(".rodata.cst{bytes}").into_bytes(),
            ty: elf::SHT_PROGBITS,
            flags: elf::SHF_ALLOC | elf::SHF_MERGE,
            entry_bytes: bytes,
            group: None,
            associated: None,
            owner: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_constants_of_different_functions_stand_once() {
        let bytes = [1; PoolConstant::MAX_BYTES];
        let one = PoolConstant { bytes, len: 8 };
        let two = PoolConstant { bytes, len: 16 };
        let mut pool = ConstantPool::default();
        let mut numbers = Vec::new();
        pool.add_all(&[one, two], &mut numbers);
        assert_eq!(numbers, [0, 1]);
        pool.add_all(&[two], &mut numbers);
        assert_eq!(numbers, [1]);
        assert_eq!(pool.entries().len(), 2);
    }
}
