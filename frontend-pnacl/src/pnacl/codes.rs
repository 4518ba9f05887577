//! Numbers of blocks and records in PNaCl's executables ("Contents of PNaCl Bitcode Files", the reference manual of
//! PNaCl's bitcode; where that and the reader of pnacl-llvm differ, those of the reader).

/// Blocks.
pub mod block {
    pub const MODULE: u64 = 8;
    pub const CONSTANTS: u64 = 11;
    pub const FUNCTION: u64 = 12;
    pub const SYMBOLS: u64 = 14;
    pub const TYPES: u64 = 17;
    pub const GLOBALS: u64 = 19;
}

/// Records of the module block.
pub mod module {
    pub const VERSION: u64 = 1;
    pub const FUNCTION: u64 = 8;
}

/// Records of the type block.
pub mod types {
    pub const COUNT: u64 = 1;
    pub const VOID: u64 = 2;
    pub const FLOAT: u64 = 3;
    pub const DOUBLE: u64 = 4;
    pub const INTEGER: u64 = 7;
    pub const VECTOR: u64 = 12;
    pub const FUNCTION: u64 = 21;
}

/// Records of the block of global variables.
pub mod globals {
    pub const VARIABLE: u64 = 0;
    pub const COMPOUND: u64 = 1;
    pub const ZERO_FILL: u64 = 2;
    pub const DATA: u64 = 3;
    pub const RELOCATION: u64 = 4;
    pub const COUNT: u64 = 5;
}

/// Records of symbol tables.
pub mod symbols {
    pub const ENTRY: u64 = 1;
    pub const BLOCK_ENTRY: u64 = 2;
}

/// Records of constants.
pub mod constants {
    pub const SET_TYPE: u64 = 1;
    pub const UNDEFINED: u64 = 3;
    pub const INTEGER: u64 = 4;
    pub const FLOAT: u64 = 6;
}

/// Records of functions.
pub mod function {
    pub const DECLARE_BLOCKS: u64 = 1;
    pub const BINARY: u64 = 2;
    pub const CAST: u64 = 3;
    pub const EXTRACT_ELEMENT: u64 = 6;
    pub const INSERT_ELEMENT: u64 = 7;
    pub const RETURN: u64 = 10;
    pub const BRANCH: u64 = 11;
    pub const SWITCH: u64 = 12;
    pub const UNREACHABLE: u64 = 15;
    pub const PHI: u64 = 16;
    pub const ALLOCA: u64 = 19;
    pub const LOAD: u64 = 20;
    pub const STORE: u64 = 24;
    pub const COMPARE: u64 = 28;
    pub const SELECT: u64 = 29;
    pub const CALL: u64 = 34;
    pub const FORWARD_TYPE: u64 = 43;
    pub const CALL_INDIRECT: u64 = 44;

    /// What a record is, for messages.
    pub fn name(code: u64) -> &'static str {
        match code {
            DECLARE_BLOCKS => "number of blocks",
            BINARY => "binary operation",
            CAST => "cast",
            EXTRACT_ELEMENT => "extractelement",
            INSERT_ELEMENT => "insertelement",
            RETURN => "ret",
            BRANCH => "br",
            SWITCH => "switch",
            UNREACHABLE => "unreachable",
            PHI => "phi",
            ALLOCA => "alloca",
            LOAD => "load",
            STORE => "store",
            COMPARE => "comparison",
            SELECT => "select",
            CALL => "call",
            FORWARD_TYPE => "type of a forward reference",
            CALL_INDIRECT => "indirect call",
            _ => "unknown record",
        }
    }
}
