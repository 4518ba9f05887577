//! The numbers of blocks and records: LLVM's header against the reader's table of them (`codes.rs`).
//!
//! Each of LLVM's names has a row: what the reader calls it, or why the reader passes over it. Names that come or go on
//! either side, and numbers that differ, are failures. Both sides are read as text, since LLVM's are in C++ and nothing
//! lists the constants of a module of Rust.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What the reader makes of a number of LLVM's.
enum Fate {
    /// It has this name in the reader's table.
    Read(&'static str),
    /// It has none; why.
    Passed(&'static str),
}
use Fate::{Passed, Read};

const DEBUG: &str = "debug information";
const SUMMARY: &str = "summaries for optimisation at link time";

/// LLVM's enumeration, the reader's module, and a row for each of LLVM's names.
type Rows = (&'static str, &'static str, &'static [(&'static str, Fate)]);

/// Numbers of blocks and records, and of operations where the reader's table has them.
const TABLE: &[Rows] = &[
    (
        "BlockIDs",
        "block",
        &[
            ("MODULE_BLOCK_ID", Read("MODULE")),
            ("PARAMATTR_BLOCK_ID", Read("ATTRIBUTE_LISTS")),
            ("PARAMATTR_GROUP_BLOCK_ID", Read("ATTRIBUTE_GROUPS")),
            ("CONSTANTS_BLOCK_ID", Read("CONSTANTS")),
            ("FUNCTION_BLOCK_ID", Read("FUNCTION")),
            ("IDENTIFICATION_BLOCK_ID", Read("IDENTIFICATION")),
            ("VALUE_SYMTAB_BLOCK_ID", Read("VALUE_SYMBOLS")),
            ("METADATA_BLOCK_ID", Read("METADATA")),
            ("METADATA_ATTACHMENT_ID", Read("METADATA_ATTACHMENTS")),
            ("TYPE_BLOCK_ID_NEW", Read("TYPES")),
            ("USELIST_BLOCK_ID", Read("USE_ORDERS")),
            ("MODULE_STRTAB_BLOCK_ID", Read("MODULE_PATHS")),
            ("GLOBALVAL_SUMMARY_BLOCK_ID", Read("SUMMARY")),
            ("OPERAND_BUNDLE_TAGS_BLOCK_ID", Read("BUNDLE_TAGS")),
            ("METADATA_KIND_BLOCK_ID", Read("METADATA_KINDS")),
            ("STRTAB_BLOCK_ID", Read("STRING_TABLE")),
            ("FULL_LTO_GLOBALVAL_SUMMARY_BLOCK_ID", Read("FULL_SUMMARY")),
            (
                "SYMTAB_BLOCK_ID",
                Passed("symbols for linkers, which the module has, too"),
            ),
            ("SYNC_SCOPE_NAMES_BLOCK_ID", Read("SCOPE_NAMES")),
        ],
    ),
    (
        "IdentificationCodes",
        "identification",
        &[
            ("IDENTIFICATION_CODE_STRING", Read("PRODUCER")),
            ("IDENTIFICATION_CODE_EPOCH", Read("EPOCH")),
        ],
    ),
    (
        "ModuleCodes",
        "module",
        &[
            ("MODULE_CODE_VERSION", Read("VERSION")),
            ("MODULE_CODE_TRIPLE", Read("TRIPLE")),
            ("MODULE_CODE_DATALAYOUT", Read("DATA_LAYOUT")),
            ("MODULE_CODE_ASM", Read("ASM")),
            ("MODULE_CODE_SECTIONNAME", Read("SECTION_NAME")),
            ("MODULE_CODE_DEPLIB", Passed("LLVM passes it over, too")),
            ("MODULE_CODE_GLOBALVAR", Read("GLOBAL_VARIABLE")),
            ("MODULE_CODE_FUNCTION", Read("FUNCTION")),
            ("MODULE_CODE_ALIAS_OLD", Read("ALIAS_OLD")),
            ("MODULE_CODE_GCNAME", Read("COLLECTOR_NAME")),
            ("MODULE_CODE_COMDAT", Read("COMDAT")),
            ("MODULE_CODE_VSTOFFSET", Read("SYMBOLS_OFFSET")),
            ("MODULE_CODE_ALIAS", Read("ALIAS")),
            ("MODULE_CODE_METADATA_VALUES_UNUSED", Passed("never written")),
            ("MODULE_CODE_SOURCE_FILENAME", Read("SOURCE_FILE_NAME")),
            ("MODULE_CODE_HASH", Read("HASH")),
            ("MODULE_CODE_IFUNC", Read("IFUNC")),
        ],
    ),
    (
        "AttributeCodes",
        "attributes",
        &[
            ("PARAMATTR_CODE_ENTRY_OLD", Read("LIST_OLD")),
            ("PARAMATTR_CODE_ENTRY", Read("LIST")),
            ("PARAMATTR_GRP_CODE_ENTRY", Read("GROUP")),
        ],
    ),
    (
        "TypeCodes",
        "types",
        &[
            ("TYPE_CODE_NUMENTRY", Read("COUNT")),
            ("TYPE_CODE_VOID", Read("VOID")),
            ("TYPE_CODE_FLOAT", Read("FLOAT")),
            ("TYPE_CODE_DOUBLE", Read("DOUBLE")),
            ("TYPE_CODE_LABEL", Read("LABEL")),
            ("TYPE_CODE_OPAQUE", Read("OPAQUE")),
            ("TYPE_CODE_INTEGER", Read("INTEGER")),
            ("TYPE_CODE_POINTER", Read("POINTER")),
            ("TYPE_CODE_FUNCTION_OLD", Read("FUNCTION_OLD")),
            ("TYPE_CODE_HALF", Read("HALF")),
            ("TYPE_CODE_ARRAY", Read("ARRAY")),
            ("TYPE_CODE_VECTOR", Read("VECTOR")),
            ("TYPE_CODE_X86_FP80", Read("X86_FP80")),
            ("TYPE_CODE_FP128", Read("FP128")),
            ("TYPE_CODE_PPC_FP128", Read("PPC_FP128")),
            ("TYPE_CODE_METADATA", Read("METADATA")),
            ("TYPE_CODE_X86_MMX", Read("X86_MMX")),
            ("TYPE_CODE_STRUCT_ANON", Read("STRUCT_ANONYMOUS")),
            ("TYPE_CODE_STRUCT_NAME", Read("STRUCT_NAME")),
            ("TYPE_CODE_STRUCT_NAMED", Read("STRUCT_NAMED")),
            ("TYPE_CODE_FUNCTION", Read("FUNCTION")),
            ("TYPE_CODE_TOKEN", Read("TOKEN")),
            ("TYPE_CODE_BFLOAT", Read("BFLOAT")),
            ("TYPE_CODE_X86_AMX", Read("X86_AMX")),
            ("TYPE_CODE_OPAQUE_POINTER", Read("OPAQUE_POINTER")),
            ("TYPE_CODE_TARGET_TYPE", Read("TARGET_TYPE")),
        ],
    ),
    ("OperandBundleTagCode", "names", &[("OPERAND_BUNDLE_TAG", Read("NAME"))]),
    ("SyncScopeNameCode", "names", &[("SYNC_SCOPE_NAME", Read("NAME"))]),
    ("StrtabCodes", "strings", &[("STRTAB_BLOB", Read("BLOB"))]),
    (
        "ValueSymtabCodes",
        "symbols",
        &[
            ("VST_CODE_ENTRY", Read("ENTRY")),
            ("VST_CODE_BBENTRY", Passed("a name of a block")),
            ("VST_CODE_FNENTRY", Read("FUNCTION_ENTRY")),
            ("VST_CODE_COMBINED_ENTRY", Passed(SUMMARY)),
        ],
    ),
    (
        "MetadataCodes",
        "metadata",
        &[
            ("METADATA_STRING_OLD", Read("STRING_OLD")),
            ("METADATA_VALUE", Read("VALUE")),
            ("METADATA_NODE", Read("NODE")),
            ("METADATA_NAME", Read("NAME")),
            ("METADATA_DISTINCT_NODE", Read("DISTINCT_NODE")),
            ("METADATA_KIND", Read("KIND")),
            ("METADATA_LOCATION", Read("LOCATION")),
            ("METADATA_OLD_NODE", Read("NODE_OLD")),
            ("METADATA_OLD_FN_NODE", Read("LOCAL_OLD")),
            ("METADATA_NAMED_NODE", Read("NAMED_NODE")),
            (
                "METADATA_ATTACHMENT",
                Passed("all records of a block of attachments are such"),
            ),
            ("METADATA_GENERIC_DEBUG", Passed(DEBUG)),
            ("METADATA_SUBRANGE", Read("SUBRANGE")),
            ("METADATA_ENUMERATOR", Read("ENUMERATOR")),
            ("METADATA_BASIC_TYPE", Read("BASIC_TYPE")),
            ("METADATA_FILE", Read("FILE")),
            ("METADATA_DERIVED_TYPE", Read("DERIVED_TYPE")),
            ("METADATA_COMPOSITE_TYPE", Read("COMPOSITE_TYPE")),
            ("METADATA_SUBROUTINE_TYPE", Read("SUBROUTINE_TYPE")),
            ("METADATA_COMPILE_UNIT", Read("COMPILE_UNIT")),
            ("METADATA_SUBPROGRAM", Read("SUBPROGRAM")),
            ("METADATA_LEXICAL_BLOCK", Read("LEXICAL_BLOCK")),
            ("METADATA_LEXICAL_BLOCK_FILE", Read("LEXICAL_BLOCK_FILE")),
            ("METADATA_NAMESPACE", Read("NAMESPACE")),
            ("METADATA_TEMPLATE_TYPE", Read("TEMPLATE_TYPE")),
            ("METADATA_TEMPLATE_VALUE", Read("TEMPLATE_VALUE")),
            ("METADATA_GLOBAL_VAR", Read("GLOBAL_VARIABLE")),
            ("METADATA_LOCAL_VAR", Read("LOCAL_VARIABLE")),
            ("METADATA_EXPRESSION", Read("EXPRESSION")),
            ("METADATA_OBJC_PROPERTY", Passed(DEBUG)),
            ("METADATA_IMPORTED_ENTITY", Read("IMPORTED_ENTITY")),
            ("METADATA_MODULE", Read("MODULE")),
            ("METADATA_MACRO", Read("MACRO")),
            ("METADATA_MACRO_FILE", Read("MACRO_FILE")),
            ("METADATA_STRINGS", Read("STRINGS")),
            ("METADATA_GLOBAL_DECL_ATTACHMENT", Read("GLOBAL_ATTACHMENT")),
            ("METADATA_GLOBAL_VAR_EXPR", Read("GLOBAL_EXPRESSION")),
            ("METADATA_INDEX_OFFSET", Read("INDEX_OFFSET")),
            ("METADATA_INDEX", Read("INDEX")),
            ("METADATA_LABEL", Read("LABEL")),
            ("METADATA_STRING_TYPE", Passed(DEBUG)),
            ("METADATA_COMMON_BLOCK", Passed(DEBUG)),
            ("METADATA_GENERIC_SUBRANGE", Passed(DEBUG)),
            ("METADATA_ARG_LIST", Read("ARGUMENT_LIST")),
            ("METADATA_ASSIGN_ID", Passed(DEBUG)),
            ("METADATA_SUBRANGE_TYPE", Passed(DEBUG)),
            ("METADATA_FIXED_POINT_TYPE", Passed(DEBUG)),
        ],
    ),
    (
        "ConstantsCodes",
        "constants",
        &[
            ("CST_CODE_SETTYPE", Read("SET_TYPE")),
            ("CST_CODE_NULL", Read("NULL")),
            ("CST_CODE_UNDEF", Read("UNDEF")),
            ("CST_CODE_INTEGER", Read("INTEGER")),
            ("CST_CODE_WIDE_INTEGER", Read("WIDE_INTEGER")),
            ("CST_CODE_FLOAT", Read("FLOAT")),
            ("CST_CODE_AGGREGATE", Read("AGGREGATE")),
            ("CST_CODE_STRING", Read("STRING")),
            ("CST_CODE_CSTRING", Read("C_STRING")),
            ("CST_CODE_CE_BINOP", Read("BINARY")),
            ("CST_CODE_CE_CAST", Read("CAST")),
            ("CST_CODE_CE_GEP_OLD", Read("GEP_OLD")),
            ("CST_CODE_CE_SELECT", Read("SELECT")),
            ("CST_CODE_CE_EXTRACTELT", Read("EXTRACT_ELEMENT")),
            ("CST_CODE_CE_INSERTELT", Read("INSERT_ELEMENT")),
            ("CST_CODE_CE_SHUFFLEVEC", Read("SHUFFLE")),
            ("CST_CODE_CE_CMP", Read("COMPARE")),
            ("CST_CODE_INLINEASM_OLD", Read("INLINE_ASM_OLD")),
            ("CST_CODE_CE_SHUFVEC_EX", Read("SHUFFLE_EXTENDED")),
            ("CST_CODE_CE_INBOUNDS_GEP", Read("INBOUNDS_GEP")),
            ("CST_CODE_BLOCKADDRESS", Read("BLOCK_ADDRESS")),
            ("CST_CODE_DATA", Read("DATA")),
            ("CST_CODE_INLINEASM_OLD2", Read("INLINE_ASM_OLD2")),
            ("CST_CODE_CE_GEP_WITH_INRANGE_INDEX_OLD", Read("GEP_INRANGE_OLD")),
            ("CST_CODE_CE_UNOP", Read("UNARY")),
            ("CST_CODE_POISON", Read("POISON")),
            ("CST_CODE_DSO_LOCAL_EQUIVALENT", Read("LOCAL_EQUIVALENT")),
            ("CST_CODE_INLINEASM_OLD3", Read("INLINE_ASM_OLD3")),
            ("CST_CODE_NO_CFI_VALUE", Read("NO_CFI")),
            ("CST_CODE_INLINEASM", Read("INLINE_ASM")),
            ("CST_CODE_CE_GEP_WITH_INRANGE", Read("GEP_INRANGE")),
            ("CST_CODE_CE_GEP", Read("GEP")),
            ("CST_CODE_PTRAUTH", Read("POINTER_AUTH")),
            ("CST_CODE_PTRAUTH2", Read("POINTER_AUTH2")),
        ],
    ),
    (
        "CastOpcodes",
        "casts",
        &[
            ("CAST_TRUNC", Read("TRUNC")),
            ("CAST_ZEXT", Read("ZEXT")),
            ("CAST_SEXT", Read("SEXT")),
            ("CAST_FPTOUI", Read("FP_TO_UI")),
            ("CAST_FPTOSI", Read("FP_TO_SI")),
            ("CAST_UITOFP", Read("UI_TO_FP")),
            ("CAST_SITOFP", Read("SI_TO_FP")),
            ("CAST_FPTRUNC", Read("FP_TRUNC")),
            ("CAST_FPEXT", Read("FP_EXT")),
            ("CAST_PTRTOINT", Read("PTR_TO_INT")),
            ("CAST_INTTOPTR", Read("INT_TO_PTR")),
            ("CAST_BITCAST", Read("BITCAST")),
            ("CAST_ADDRSPACECAST", Read("ADDRESS_SPACE")),
            ("CAST_PTRTOADDR", Read("PTR_TO_ADDRESS")),
        ],
    ),
    (
        "BinaryOpcodes",
        "binary",
        &[
            ("BINOP_ADD", Read("ADD")),
            ("BINOP_SUB", Read("SUB")),
            ("BINOP_MUL", Read("MUL")),
            ("BINOP_UDIV", Read("UDIV")),
            ("BINOP_SDIV", Read("SDIV")),
            ("BINOP_UREM", Read("UREM")),
            ("BINOP_SREM", Read("SREM")),
            ("BINOP_SHL", Read("SHL")),
            ("BINOP_LSHR", Read("LSHR")),
            ("BINOP_ASHR", Read("ASHR")),
            ("BINOP_AND", Read("AND")),
            ("BINOP_OR", Read("OR")),
            ("BINOP_XOR", Read("XOR")),
        ],
    ),
    (
        "FunctionCodes",
        "function",
        &[
            ("FUNC_CODE_DECLAREBLOCKS", Read("DECLARE_BLOCKS")),
            ("FUNC_CODE_INST_BINOP", Read("BINARY")),
            ("FUNC_CODE_INST_CAST", Read("CAST")),
            ("FUNC_CODE_INST_GEP_OLD", Read("GEP_OLD")),
            ("FUNC_CODE_INST_SELECT", Read("SELECT_OLD")),
            ("FUNC_CODE_INST_EXTRACTELT", Read("EXTRACT_ELEMENT")),
            ("FUNC_CODE_INST_INSERTELT", Read("INSERT_ELEMENT")),
            ("FUNC_CODE_INST_SHUFFLEVEC", Read("SHUFFLE")),
            ("FUNC_CODE_INST_CMP", Read("COMPARE")),
            ("FUNC_CODE_INST_RET", Read("RETURN")),
            ("FUNC_CODE_INST_BR", Read("BRANCH")),
            ("FUNC_CODE_INST_SWITCH", Read("SWITCH")),
            ("FUNC_CODE_INST_INVOKE", Read("INVOKE")),
            ("FUNC_CODE_INST_UNREACHABLE", Read("UNREACHABLE")),
            ("FUNC_CODE_INST_PHI", Read("PHI")),
            ("FUNC_CODE_INST_ALLOCA", Read("ALLOCA")),
            ("FUNC_CODE_INST_LOAD", Read("LOAD")),
            ("FUNC_CODE_INST_VAARG", Read("VA_ARG")),
            ("FUNC_CODE_INST_STORE_OLD", Read("STORE_OLD")),
            ("FUNC_CODE_INST_EXTRACTVAL", Read("EXTRACT_VALUE")),
            ("FUNC_CODE_INST_INSERTVAL", Read("INSERT_VALUE")),
            ("FUNC_CODE_INST_CMP2", Read("COMPARE2")),
            ("FUNC_CODE_INST_VSELECT", Read("SELECT")),
            ("FUNC_CODE_INST_INBOUNDS_GEP_OLD", Read("INBOUNDS_GEP_OLD")),
            ("FUNC_CODE_INST_INDIRECTBR", Read("INDIRECT_BRANCH")),
            ("FUNC_CODE_DEBUG_LOC_AGAIN", Read("DEBUG_LOCATION_AGAIN")),
            ("FUNC_CODE_INST_CALL", Read("CALL")),
            ("FUNC_CODE_DEBUG_LOC", Read("DEBUG_LOCATION")),
            ("FUNC_CODE_INST_FENCE", Read("FENCE")),
            ("FUNC_CODE_INST_CMPXCHG_OLD", Read("CMPXCHG_OLD")),
            ("FUNC_CODE_INST_ATOMICRMW_OLD", Read("ATOMIC_RMW_OLD")),
            ("FUNC_CODE_INST_RESUME", Read("RESUME")),
            ("FUNC_CODE_INST_LANDINGPAD_OLD", Read("LANDING_PAD_OLD")),
            ("FUNC_CODE_INST_LOADATOMIC", Read("ATOMIC_LOAD")),
            ("FUNC_CODE_INST_STOREATOMIC_OLD", Read("ATOMIC_STORE_OLD")),
            ("FUNC_CODE_INST_GEP", Read("GEP")),
            ("FUNC_CODE_INST_STORE", Read("STORE")),
            ("FUNC_CODE_INST_STOREATOMIC", Read("ATOMIC_STORE")),
            ("FUNC_CODE_INST_CMPXCHG", Read("CMPXCHG")),
            ("FUNC_CODE_INST_LANDINGPAD", Read("LANDING_PAD")),
            ("FUNC_CODE_INST_CLEANUPRET", Read("CLEANUP_RETURN")),
            ("FUNC_CODE_INST_CATCHRET", Read("CATCH_RETURN")),
            ("FUNC_CODE_INST_CATCHPAD", Read("CATCH_PAD")),
            ("FUNC_CODE_INST_CLEANUPPAD", Read("CLEANUP_PAD")),
            ("FUNC_CODE_INST_CATCHSWITCH", Read("CATCH_SWITCH")),
            ("FUNC_CODE_OPERAND_BUNDLE", Read("OPERAND_BUNDLE")),
            ("FUNC_CODE_INST_UNOP", Read("UNARY")),
            ("FUNC_CODE_INST_CALLBR", Read("CALL_BRANCH")),
            ("FUNC_CODE_INST_FREEZE", Read("FREEZE")),
            ("FUNC_CODE_INST_ATOMICRMW", Read("ATOMIC_RMW")),
            ("FUNC_CODE_BLOCKADDR_USERS", Read("BLOCK_ADDRESS_USERS")),
            ("FUNC_CODE_DEBUG_RECORD_VALUE", Read("DEBUG_VALUE")),
            ("FUNC_CODE_DEBUG_RECORD_DECLARE", Read("DEBUG_DECLARE")),
            ("FUNC_CODE_DEBUG_RECORD_ASSIGN", Read("DEBUG_ASSIGN")),
            ("FUNC_CODE_DEBUG_RECORD_VALUE_SIMPLE", Read("DEBUG_VALUE_SIMPLE")),
            ("FUNC_CODE_DEBUG_RECORD_LABEL", Read("DEBUG_LABEL")),
            ("FUNC_CODE_DEBUG_RECORD_DECLARE_VALUE", Read("LAST_DEBUG_RECORD")),
        ],
    ),
];

/// Other enumerations, and where their numbers are.
const ELSEWHERE: &[(&str, &str)] = &[
    ("ModulePathSymtabCodes", SUMMARY),
    ("GlobalValueSummarySymtabCodes", SUMMARY),
    ("UseListCodes", "the order of uses, which decides nothing"),
    ("SymtabCodes", "symbols for linkers, which the module has, too"),
    ("UnaryOpcodes", "the only one: constants.rs"),
    ("RMWOperations", "the order of operations in the IR"),
    ("AtomicOrderingCodes", "the order of orderings in the IR"),
    ("ComdatSelectionKindCodes", "globals.rs"),
    ("AttributeKindCodes", "attributes.rs"),
    ("CallMarkersFlags", "bits: the module `call`"),
    ("FastMathMap", "bits: body/mod.rs"),
    ("OverflowingBinaryOperatorOptionalFlags", "bits: body/arithmetic.rs"),
    ("TruncInstOptionalFlags", "bits: body/arithmetic.rs"),
    ("PossiblyNonNegInstOptionalFlags", "bits: body/arithmetic.rs"),
    ("PossiblyExactOperatorOptionalFlags", "bits: body/arithmetic.rs"),
    ("PossiblyDisjointInstOptionalFlags", "bits: body/arithmetic.rs"),
    ("ICmpOptionalFlags", "bits: body/arithmetic.rs"),
    ("GetElementPtrOptionalFlags", "bits that say what gives poison"),
    ("MetadataOperandBundleValueMarker", "bundles that matter are refused"),
];

/// Modules of the reader's table whose constants are no numbers of these enumerations.
const BITS: &[&str] = &["call"];

/// Names and numbers, by enumeration or module.
type Numbers = BTreeMap<String, BTreeMap<String, u64>>;

/// A number, or one shifted.
fn number(text: &str) -> Option<u64> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    if let Some((left, right)) = text.split_once("<<") {
        return Some(number(left)? << number(right)?);
    }
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// What stands between a word and a bracket, and between that bracket and its end, each time.
fn blocks<'t>(text: &'t str, word: &str, end: &str) -> Vec<(&'t str, &'t str)> {
    let mut found = Vec::new();
    for part in text.split(word).skip(1) {
        let (name, rest) = part.split_once('{').expect("an opening bracket");
        found.push((name.trim(), rest.split(end).next().unwrap_or_default()));
    }
    found
}

/// The enumerations of headers; a name without number has the one after that before it.
fn enumerations(headers: &[String]) -> Numbers {
    let mut found = Numbers::new();
    let mut known: BTreeMap<String, u64> = BTreeMap::new();
    for header in headers {
        let text: Vec<&str> = header
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default())
            .collect();
        for (name, body) in blocks(&text.join("\n"), "enum ", "};") {
            let mut next = 0;
            let mut numbers = BTreeMap::new();
            for item in body.split(',').map(str::trim).filter(|item| !item.is_empty()) {
                let (item, value) = item.split_once('=').unwrap_or((item, ""));
                let value = value.trim();
                if !value.is_empty() {
                    next = number(value).or_else(|| known.get(value).copied()).unwrap_or(u64::MAX);
                }
                numbers.insert(item.trim().to_owned(), next);
                next = next.wrapping_add(1);
            }
            known.extend(numbers.clone());
            found.insert(name.to_owned(), numbers);
        }
    }
    found
}

/// The constants of the reader's modules.
fn constants(source: &str) -> Numbers {
    let mut found = Numbers::new();
    for (module, body) in blocks(source, "\npub mod ", "\n}") {
        let items = body.split("pub const ").skip(1).map(|item| {
            let (name, rest) = item.split_once(':').expect("a type");
            let (_, value) = rest.split_once('=').expect("a value");
            let value = value.split(';').next().and_then(number);
            (name.to_owned(), value.unwrap_or_else(|| panic!("{name} is no number")))
        });
        found.insert(module.to_owned(), items.collect());
    }
    found
}

/// LLVM's enumerations.
fn of_llvm() -> Numbers {
    let said = Command::new("llvm-config-22").arg("--includedir").output();
    let said = said
        .expect("LLVM's headers are there, by which this crate is built")
        .stdout;
    let folder = String::from_utf8(said).expect("it is a text");
    let headers = ["llvm/Bitstream/BitCodeEnums.h", "llvm/Bitcode/LLVMBitCodes.h"];
    enumerations(&headers.map(|name| {
        let path = Path::new(folder.trim()).join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }))
}

fn of_reader() -> Numbers {
    constants(include_str!("../../frontend-pnacl/src/llvm/codes.rs"))
}

#[test]
fn numbers_of_records_are_those_of_llvm() {
    let (llvm, reader) = (of_llvm(), of_reader());
    let mut wrong = Vec::new();
    for &(enumeration, module, rows) in TABLE {
        let (Some(theirs), Some(ours)) = (llvm.get(enumeration), reader.get(module)) else {
            wrong.push(format!("there is no {enumeration}, or no module {module}"));
            continue;
        };
        for &(name, ref fate) in rows {
            let number = theirs.get(name);
            match *fate {
                _ if number.is_none() => wrong.push(format!("LLVM has no {name}")),
                Read(own) if ours.get(own) != number => {
                    wrong.push(format!("{name} is {number:?}, {module}::{own} {:?}", ours.get(own)));
                }
                Passed("") => wrong.push(format!("{name} without a reason")),
                Passed(_) if ours.values().any(|own| Some(own) == number) => {
                    wrong.push(format!("{name} is passed over, but {module} has its number"));
                }
                _ => {}
            }
        }
        let has_row = |name: &String| rows.iter().any(|row| row.0 == name);
        wrong.extend(
            theirs
                .keys()
                .filter(|name| !has_row(name))
                .map(|name| format!("no row for {name}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_enumeration_and_every_constant_is_looked_at() {
    let (llvm, reader) = (of_llvm(), of_reader());
    let mut wrong = Vec::new();
    for enumeration in llvm
        .keys()
        .filter(|name| !name.is_empty() && !OF_STREAMS.contains(&name.as_str()))
    {
        let in_table = TABLE.iter().filter(|row| row.0 == enumeration).count();
        let elsewhere = ELSEWHERE
            .iter()
            .filter(|row| row.0 == enumeration && !row.1.is_empty())
            .count();
        if in_table + elsewhere != 1 {
            wrong.push(format!("{enumeration} has {} rows", in_table + elsewhere));
        }
    }
    let gone = ELSEWHERE.iter().filter(|row| !llvm.contains_key(row.0));
    wrong.extend(gone.map(|row| format!("LLVM has no {}", row.0)));
    for (module, constants) in reader.iter().filter(|(module, _)| !BITS.contains(&module.as_str())) {
        let rows = TABLE.iter().filter(|row| row.1 == module).flat_map(|row| row.2);
        let read: Vec<&str> = rows
            .filter_map(|row| if let Read(own) = row.1 { Some(own) } else { None })
            .collect();
        let unknown = constants.keys().filter(|name| !read.contains(&name.as_str()));
        wrong.extend(unknown.map(|name| format!("{module}::{name} is nothing of LLVM's")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Enumerations of the container, whatever is in it.
const OF_STREAMS: &[&str] = &[
    "BitstreamWrapperHeader : unsigned",
    "StandardWidths",
    "FixedAbbrevIDs",
    "StandardBlockIDs",
    "BlockInfoCodes",
];

/// A later kind of attribute is refused, so the last one must be the last.
#[test]
fn the_last_kind_of_attributes_is_llvms_last() {
    let source = include_str!("../../frontend-pnacl/src/llvm/attributes/mod.rs");
    let last = source.split("pub const LAST: u64 = ").nth(1).expect("it is there");
    let last = last.split(';').next().and_then(number);
    assert_eq!(last, of_llvm()["AttributeKindCodes"].values().copied().max());
}
