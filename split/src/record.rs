//! Where records of symbols say what matters here, and what linkages mean.
//!
//! Positions are those after the name, which files with a string table have in front. Numbers are LLVM's
//! (`BitcodeReader.cpp`); a field that is not there means 0.

/// Where every symbol says its type and its linkage.
pub const TYPE: usize = 0;
pub const LINKAGE: usize = 3;

/// Fields of variables.
pub mod variable {
    /// Bit 0: constant, bit 1: the type is the variable's and not that of its address, from bit 2 on: address space.
    pub const FLAGS: usize = 1;
    pub const INITIALIZER: usize = 2;
    pub const SECTION: usize = 5;
    pub const VISIBILITY: usize = 6;
    pub const THREAD_LOCAL: usize = 7;
    pub const UNNAMED: usize = 8;
    pub const DLL_STORAGE: usize = 10;
    pub const COMDAT: usize = 11;
    pub const DSO_LOCAL: usize = 13;

    pub const IS_CONSTANT: u64 = 1;
    pub const HAS_OWN_TYPE: u64 = 2;
    pub const SPACE_SHIFT: u32 = 2;
    /// The value of [`UNNAMED`] that says that the address does not matter to anybody.
    pub const UNNAMED_ANYWHERE: u64 = 1;
}

/// Fields of functions.
pub mod function {
    pub const CONVENTION: usize = 1;
    pub const IS_DECLARATION: usize = 2;
    pub const VISIBILITY: usize = 7;
    pub const COLLECTOR: usize = 8;
    pub const UNNAMED: usize = 9;
    pub const PROLOGUE: usize = 10;
    pub const DLL_STORAGE: usize = 11;
    pub const COMDAT: usize = 12;
    pub const PREFIX: usize = 13;
    pub const PERSONALITY: usize = 14;
    pub const DSO_LOCAL: usize = 15;
    pub const SPACE: usize = 16;
}

/// Fields of aliases, and the first ones of ifuncs.
pub mod alias {
    pub const SPACE: usize = 1;
    pub const TARGET: usize = 2;
    pub const VISIBILITY: usize = 4;
    pub const THREAD_LOCAL: usize = 6;
    pub const UNNAMED: usize = 7;
    pub const DSO_LOCAL: usize = 8;
    /// The same of ifuncs.
    pub const IFUNC_DSO_LOCAL: usize = 5;
}

pub const HIDDEN: u64 = 1;
/// The storage of what a library of Windows exports, which only definitions have.
pub const DLL_EXPORT: u64 = 2;

/// Numbers of linkages.
pub mod linkage {
    pub const EXTERNAL: u64 = 0;
    pub const APPENDING: u64 = 2;

    /// Whether other modules cannot name a symbol: `internal` and `private`, with the numbers of older versions.
    pub fn is_local(linkage: u64) -> bool {
        matches!(linkage, 3 | 9 | 13 | 14)
    }

    /// The linkage of a definition that others of the program's modules need: those that may be dropped if their module
    /// does not use them (`linkonce`) become `weak`.
    pub fn kept(linkage: u64) -> u64 {
        match linkage {
            4 => 1,
            11 => 10,
            18 => 16,
            19 => 17,
            other => other,
        }
    }
}

/// The field at `index`.
pub fn field(fields: &[u64], index: usize) -> u64 {
    fields.get(index).copied().unwrap_or(0)
}

/// Changes a field, if need be after zeros for those before it.
pub fn set(fields: &mut Vec<u64>, index: usize, value: u64) {
    if fields.len() <= index {
        fields.resize(index + 1, 0);
    }
    if let Some(slot) = fields.get_mut(index) {
        *slot = value;
    }
}

/// Changes a field that is not 0.
pub fn clear(fields: &mut [u64], index: usize) {
    if let Some(slot) = fields.get_mut(index) {
        *slot = 0;
    }
}
