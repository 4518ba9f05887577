//! Numbers of blocks, records and enumerations in LLVM bitcode, versions 3.x to 22.
//!
//! LLVM never gives a number a second meaning, so one list serves all versions. Names follow
//! `llvm/Bitcode/LLVMBitCodes.h`; only what the reader acts on is listed.

/// Blocks.
pub mod block {
    /// Everything else in a module but strings and symbols.
    pub const MODULE: u64 = 8;
    /// Attribute lists: which groups make up a list.
    pub const ATTRIBUTE_LISTS: u64 = 9;
    /// Attribute groups: the attributes themselves.
    pub const ATTRIBUTE_GROUPS: u64 = 10;
    /// Constants of the module or of a function.
    pub const CONSTANTS: u64 = 11;
    /// A function's body.
    pub const FUNCTION: u64 = 12;
    /// Who wrote the file.
    pub const IDENTIFICATION: u64 = 13;
    /// Names of values, in files without a string table.
    pub const VALUE_SYMBOLS: u64 = 14;
    /// Metadata of the module or of a function.
    pub const METADATA: u64 = 15;
    /// The type table.
    pub const TYPES: u64 = 17;
    /// In which order values are used, for whoever must have the same order after reading.
    pub const USE_ORDERS: u64 = 18;
    /// Paths of modules, in an index of several.
    pub const MODULE_PATHS: u64 = 19;
    /// What optimizers of whole programs want to know of symbols, of one module or of several.
    pub const SUMMARY: u64 = 20;
    /// Names of operand bundles.
    pub const BUNDLE_TAGS: u64 = 21;
    /// Names of symbols.
    pub const STRING_TABLE: u64 = 23;
    /// The same as in [`SUMMARY`], where the program is optimized as one module.
    pub const FULL_SUMMARY: u64 = 24;
    /// Names of synchronisation scopes.
    pub const SCOPE_NAMES: u64 = 26;
    /// Names of metadata kinds.
    pub const METADATA_KINDS: u64 = 22;
    /// Metadata attached to instructions.
    pub const METADATA_ATTACHMENTS: u64 = 16;

    /// The name of a block in messages.
    pub fn name(id: u64) -> &'static str {
        match id {
            MODULE => "the module",
            ATTRIBUTE_LISTS => "the attribute lists",
            ATTRIBUTE_GROUPS => "the attribute groups",
            CONSTANTS => "a constants block",
            FUNCTION => "a function block",
            IDENTIFICATION => "the identification block",
            VALUE_SYMBOLS => "a symbol table",
            METADATA => "a metadata block",
            TYPES => "the type table",
            BUNDLE_TAGS => "the operand bundle tags",
            STRING_TABLE => "the string table",
            SCOPE_NAMES => "the synchronisation scopes",
            _ => "a block",
        }
    }
}

/// Records of the identification block.
pub mod identification {
    /// Who wrote the file.
    pub const PRODUCER: u64 = 1;
    /// Incremented when old files become unreadable.
    pub const EPOCH: u64 = 2;
}

/// Records of the module block.
// The constants have LLVM's names.
pub mod module {
    pub const VERSION: u64 = 1;
    pub const TRIPLE: u64 = 2;
    pub const DATA_LAYOUT: u64 = 3;
    pub const ASM: u64 = 4;
    pub const SECTION_NAME: u64 = 5;
    pub const GLOBAL_VARIABLE: u64 = 7;
    pub const FUNCTION: u64 = 8;
    pub const ALIAS_OLD: u64 = 9;
    pub const COLLECTOR_NAME: u64 = 11;
    pub const COMDAT: u64 = 12;
    pub const SYMBOLS_OFFSET: u64 = 13;
    pub const ALIAS: u64 = 14;
    pub const SOURCE_FILE_NAME: u64 = 16;
    pub const HASH: u64 = 17;
    pub const IFUNC: u64 = 18;
}

/// Records of attribute groups and lists.
pub mod attributes {
    /// A list of positions and words with a bit for each attribute, as LLVM up to 3.2 wrote it.
    pub const LIST_OLD: u64 = 1;
    /// The groups that make up a list.
    pub const LIST: u64 = 2;
    /// The attributes of a group.
    pub const GROUP: u64 = 3;
}

/// Records of blocks of names that are numbered in their order.
pub mod names {
    /// The next name.
    pub const NAME: u64 = 1;
}

/// Records of the type table.
// The constants have LLVM's names.
pub mod types {
    pub const COUNT: u64 = 1;
    pub const VOID: u64 = 2;
    pub const FLOAT: u64 = 3;
    pub const DOUBLE: u64 = 4;
    pub const LABEL: u64 = 5;
    pub const OPAQUE: u64 = 6;
    pub const INTEGER: u64 = 7;
    pub const POINTER: u64 = 8;
    pub const FUNCTION_OLD: u64 = 9;
    pub const HALF: u64 = 10;
    pub const ARRAY: u64 = 11;
    pub const VECTOR: u64 = 12;
    pub const X86_FP80: u64 = 13;
    pub const FP128: u64 = 14;
    pub const PPC_FP128: u64 = 15;
    pub const METADATA: u64 = 16;
    pub const X86_MMX: u64 = 17;
    pub const STRUCT_ANONYMOUS: u64 = 18;
    pub const STRUCT_NAME: u64 = 19;
    pub const STRUCT_NAMED: u64 = 20;
    pub const FUNCTION: u64 = 21;
    pub const TOKEN: u64 = 22;
    pub const BFLOAT: u64 = 23;
    pub const X86_AMX: u64 = 24;
    pub const OPAQUE_POINTER: u64 = 25;
    pub const TARGET_TYPE: u64 = 26;
}

/// Records of a constants block.
// The constants have LLVM's names.
pub mod constants {
    pub const SET_TYPE: u64 = 1;
    pub const NULL: u64 = 2;
    pub const UNDEF: u64 = 3;
    pub const INTEGER: u64 = 4;
    pub const WIDE_INTEGER: u64 = 5;
    pub const FLOAT: u64 = 6;
    pub const AGGREGATE: u64 = 7;
    pub const STRING: u64 = 8;
    pub const C_STRING: u64 = 9;
    pub const BINARY: u64 = 10;
    pub const CAST: u64 = 11;
    pub const GEP_OLD: u64 = 12;
    pub const SELECT: u64 = 13;
    pub const EXTRACT_ELEMENT: u64 = 14;
    pub const INSERT_ELEMENT: u64 = 15;
    pub const SHUFFLE: u64 = 16;
    pub const COMPARE: u64 = 17;
    pub const INLINE_ASM_OLD: u64 = 18;
    pub const SHUFFLE_EXTENDED: u64 = 19;
    pub const INBOUNDS_GEP: u64 = 20;
    pub const BLOCK_ADDRESS: u64 = 21;
    pub const DATA: u64 = 22;
    pub const INLINE_ASM_OLD2: u64 = 23;
    pub const GEP_INRANGE_OLD: u64 = 24;
    pub const UNARY: u64 = 25;
    pub const POISON: u64 = 26;
    pub const LOCAL_EQUIVALENT: u64 = 27;
    pub const INLINE_ASM_OLD3: u64 = 28;
    pub const NO_CFI: u64 = 29;
    pub const INLINE_ASM: u64 = 30;
    pub const GEP_INRANGE: u64 = 31;
    pub const GEP: u64 = 32;
    pub const POINTER_AUTH: u64 = 33;
    pub const POINTER_AUTH2: u64 = 34;

    /// The name of a constant expression in messages.
    pub fn name(code: u64) -> &'static str {
        match code {
            BINARY => "binary operation",
            CAST => "cast",
            SELECT => "select",
            EXTRACT_ELEMENT => "extractelement",
            INSERT_ELEMENT => "insertelement",
            SHUFFLE | SHUFFLE_EXTENDED => "shufflevector",
            COMPARE => "comparison",
            UNARY => "unary operation",
            POINTER_AUTH | POINTER_AUTH2 => "ptrauth",
            _ => "expression",
        }
    }
}

/// Casts, in instructions and constants.
// The constants have LLVM's names.
pub mod casts {
    pub const TRUNC: u64 = 0;
    pub const ZEXT: u64 = 1;
    pub const SEXT: u64 = 2;
    pub const FP_TO_UI: u64 = 3;
    pub const FP_TO_SI: u64 = 4;
    pub const UI_TO_FP: u64 = 5;
    pub const SI_TO_FP: u64 = 6;
    pub const FP_TRUNC: u64 = 7;
    pub const FP_EXT: u64 = 8;
    pub const PTR_TO_INT: u64 = 9;
    pub const INT_TO_PTR: u64 = 10;
    pub const BITCAST: u64 = 11;
    pub const ADDRESS_SPACE: u64 = 12;
    pub const PTR_TO_ADDRESS: u64 = 13;
}

/// Binary operations, in instructions and constants; some numbers mean another operation for floating point.
// The constants have LLVM's names.
pub mod binary {
    pub const ADD: u64 = 0;
    pub const SUB: u64 = 1;
    pub const MUL: u64 = 2;
    pub const UDIV: u64 = 3;
    pub const SDIV: u64 = 4;
    pub const UREM: u64 = 5;
    pub const SREM: u64 = 6;
    pub const SHL: u64 = 7;
    pub const LSHR: u64 = 8;
    pub const ASHR: u64 = 9;
    pub const AND: u64 = 10;
    pub const OR: u64 = 11;
    pub const XOR: u64 = 12;
}

/// Records of a function block.
// The constants have LLVM's names.
pub mod function {
    use frazil_ir::Refusal;

    pub const DECLARE_BLOCKS: u64 = 1;
    pub const BINARY: u64 = 2;
    pub const CAST: u64 = 3;
    pub const GEP_OLD: u64 = 4;
    pub const SELECT_OLD: u64 = 5;
    pub const EXTRACT_ELEMENT: u64 = 6;
    pub const INSERT_ELEMENT: u64 = 7;
    pub const SHUFFLE: u64 = 8;
    pub const COMPARE: u64 = 9;
    pub const RETURN: u64 = 10;
    pub const BRANCH: u64 = 11;
    pub const SWITCH: u64 = 12;
    pub const INVOKE: u64 = 13;
    pub const UNREACHABLE: u64 = 15;
    pub const PHI: u64 = 16;
    pub const ALLOCA: u64 = 19;
    pub const LOAD: u64 = 20;
    pub const VA_ARG: u64 = 23;
    pub const STORE_OLD: u64 = 24;
    pub const EXTRACT_VALUE: u64 = 26;
    pub const INSERT_VALUE: u64 = 27;
    pub const COMPARE2: u64 = 28;
    pub const SELECT: u64 = 29;
    pub const INBOUNDS_GEP_OLD: u64 = 30;
    pub const INDIRECT_BRANCH: u64 = 31;
    pub const DEBUG_LOCATION_AGAIN: u64 = 33;
    pub const CALL: u64 = 34;
    pub const DEBUG_LOCATION: u64 = 35;
    pub const FENCE: u64 = 36;
    pub const CMPXCHG_OLD: u64 = 37;
    pub const ATOMIC_RMW_OLD: u64 = 38;
    pub const RESUME: u64 = 39;
    pub const LANDING_PAD_OLD: u64 = 40;
    pub const ATOMIC_LOAD: u64 = 41;
    pub const ATOMIC_STORE_OLD: u64 = 42;
    pub const GEP: u64 = 43;
    pub const STORE: u64 = 44;
    pub const ATOMIC_STORE: u64 = 45;
    pub const CMPXCHG: u64 = 46;
    pub const LANDING_PAD: u64 = 47;
    pub const CLEANUP_RETURN: u64 = 48;
    pub const CATCH_RETURN: u64 = 49;
    pub const CATCH_PAD: u64 = 50;
    pub const CLEANUP_PAD: u64 = 51;
    pub const CATCH_SWITCH: u64 = 52;
    pub const OPERAND_BUNDLE: u64 = 55;
    pub const UNARY: u64 = 56;
    pub const CALL_BRANCH: u64 = 57;
    pub const FREEZE: u64 = 58;
    pub const ATOMIC_RMW: u64 = 59;
    pub const BLOCK_ADDRESS_USERS: u64 = 60;
    /// Debug records have the numbers from this one on.
    pub const DEBUG_VALUE: u64 = 61;
    pub const DEBUG_DECLARE: u64 = 62;
    pub const DEBUG_ASSIGN: u64 = 63;
    pub const DEBUG_VALUE_SIMPLE: u64 = 64;
    pub const DEBUG_LABEL: u64 = 65;
    pub const LAST_DEBUG_RECORD: u64 = 66;

    /// The last instruction of a function that LLVM 3.0 let unwind.
    const UNWIND: u64 = 14;

    /// Whether an instruction's record has a form that only LLVM up to 3.7 wrote.
    pub fn is_old(code: u64) -> bool {
        matches!(
            code,
            GEP_OLD | INBOUNDS_GEP_OLD | SELECT_OLD | STORE_OLD | ATOMIC_STORE_OLD | CMPXCHG_OLD | LANDING_PAD_OLD
        )
    }

    /// Whether all operands of an instruction's record are examined by who reads it.
    #[inline]
    pub fn has_no_list(code: u64) -> bool {
        matches!(
            code,
            ALLOCA
                | LOAD
                | STORE
                | RETURN
                | BRANCH
                | FREEZE
                | COMPARE
                | COMPARE2
                | FENCE
                | ATOMIC_LOAD
                | ATOMIC_STORE
                | ATOMIC_RMW
                | ATOMIC_RMW_OLD
                | CMPXCHG
                | STORE_OLD
                | ATOMIC_STORE_OLD
                | CMPXCHG_OLD
        )
    }

    /// Whether an instruction ends its block.
    pub fn is_terminator(code: u64) -> bool {
        matches!(
            code,
            RETURN
                | BRANCH
                | SWITCH
                | INVOKE
                | UNREACHABLE
                | INDIRECT_BRANCH
                | RESUME
                | CLEANUP_RETURN
                | CATCH_RETURN
                | CATCH_SWITCH
                | CALL_BRANCH
        )
    }

    /// The name of an instruction in messages.
    pub fn name(code: u64) -> &'static str {
        match code {
            BINARY => "binary operation",
            UNARY => "unary operation",
            CAST => "cast",
            COMPARE | COMPARE2 => "comparison",
            SELECT | SELECT_OLD => "select",
            FREEZE => "freeze",
            PHI => "phi",
            GEP | GEP_OLD | INBOUNDS_GEP_OLD => "getelementptr",
            ALLOCA => "alloca",
            LOAD | ATOMIC_LOAD => "load",
            STORE | ATOMIC_STORE | STORE_OLD | ATOMIC_STORE_OLD => "store",
            CMPXCHG | CMPXCHG_OLD => "cmpxchg",
            ATOMIC_RMW | ATOMIC_RMW_OLD => "atomicrmw",
            FENCE => "fence",
            CALL => "call",
            INVOKE => "invoke",
            RETURN => "ret",
            BRANCH => "br",
            SWITCH => "switch",
            INDIRECT_BRANCH => "indirectbr",
            RESUME => "resume",
            UNREACHABLE => "unreachable",
            LANDING_PAD | LANDING_PAD_OLD => "landingpad",
            EXTRACT_VALUE => "extractvalue",
            INSERT_VALUE => "insertvalue",
            EXTRACT_ELEMENT => "extractelement",
            INSERT_ELEMENT => "insertelement",
            SHUFFLE => "shufflevector",
            VA_ARG => "va_arg",
            CLEANUP_RETURN => "cleanupret",
            CATCH_RETURN => "catchret",
            CATCH_PAD => "catchpad",
            CLEANUP_PAD => "cleanuppad",
            CATCH_SWITCH => "catchswitch",
            CALL_BRANCH => "callbr",
            OPERAND_BUNDLE => "operand bundle",
            // LLVM has no name for it any more, and refuses it.
            UNWIND => "unwind",
            _ => "instruction",
        }
    }

    /// What an instruction that is not read is refused for.
    pub fn refusal(number: u64) -> Refusal {
        match number {
            CLEANUP_RETURN | CATCH_RETURN | CATCH_PAD | CLEANUP_PAD | CATCH_SWITCH => Refusal::Funclet,
            UNWIND => Refusal::OldFormat,
            other if is_old(other) => Refusal::OldFormat,
            _ => Refusal::Bitcode,
        }
    }
}

/// Flag bits in the convention word of a call.
// The constants have LLVM's names.
pub mod call {
    pub const TAIL: u64 = 1;
    pub const MUST_TAIL: u64 = 1 << 14;
    pub const EXPLICIT_TYPE: u64 = 1 << 15;
    pub const NO_TAIL: u64 = 1 << 16;
    pub const FAST_MATH: u64 = 1 << 17;
    /// Bits 1 to 10 are the convention.
    pub const CONVENTION_SHIFT: u32 = 1;
    pub const CONVENTION_MASK: u64 = 0x3ff;
    /// In the convention word of an invoke: the function type follows.
    pub const INVOKE_EXPLICIT_TYPE: u64 = 1 << 13;
}

/// Records of metadata blocks.
// The constants have LLVM's names.
pub mod metadata {
    pub const STRING_OLD: u64 = 1;
    pub const VALUE: u64 = 2;
    pub const NODE: u64 = 3;
    pub const NAME: u64 = 4;
    pub const DISTINCT_NODE: u64 = 5;
    pub const KIND: u64 = 6;
    pub const LOCATION: u64 = 7;
    pub const NODE_OLD: u64 = 8;
    pub const LOCAL_OLD: u64 = 9;
    pub const NAMED_NODE: u64 = 10;
    pub const SUBRANGE: u64 = 13;
    pub const ENUMERATOR: u64 = 14;
    pub const BASIC_TYPE: u64 = 15;
    pub const FILE: u64 = 16;
    pub const DERIVED_TYPE: u64 = 17;
    pub const COMPOSITE_TYPE: u64 = 18;
    pub const SUBROUTINE_TYPE: u64 = 19;
    pub const COMPILE_UNIT: u64 = 20;
    pub const SUBPROGRAM: u64 = 21;
    pub const LEXICAL_BLOCK: u64 = 22;
    pub const LEXICAL_BLOCK_FILE: u64 = 23;
    pub const NAMESPACE: u64 = 24;
    pub const TEMPLATE_TYPE: u64 = 25;
    pub const TEMPLATE_VALUE: u64 = 26;
    pub const GLOBAL_VARIABLE: u64 = 27;
    pub const LOCAL_VARIABLE: u64 = 28;
    pub const EXPRESSION: u64 = 29;
    pub const IMPORTED_ENTITY: u64 = 31;
    pub const MODULE: u64 = 32;
    pub const STRINGS: u64 = 35;
    pub const GLOBAL_ATTACHMENT: u64 = 36;
    pub const GLOBAL_EXPRESSION: u64 = 37;
    pub const INDEX_OFFSET: u64 = 38;
    pub const INDEX: u64 = 39;
    pub const MACRO: u64 = 33;
    pub const MACRO_FILE: u64 = 34;
    pub const LABEL: u64 = 40;
    pub const ARGUMENT_LIST: u64 = 46;
}

/// Records of string tables.
pub mod strings {
    /// All strings.
    pub const BLOB: u64 = 1;
}

/// Records of symbol tables.
// The constants have LLVM's names.
pub mod symbols {
    pub const ENTRY: u64 = 1;
    pub const FUNCTION_ENTRY: u64 = 3;
}
