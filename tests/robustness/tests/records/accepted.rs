//! What LLVM refuses and is accepted here, with the reasons.

use super::Verdict;
use frazil_robustness::records::{Node, Tree, decode, decode_kept, encode};

/// Kinds of blocks.
const BLOCK_INFO: u64 = 0;
const MODULE: u64 = 8;
const CONSTANTS: u64 = 11;
const FUNCTION: u64 = 12;
const VALUE_SYMBOLS: u64 = 14;
const METADATA: u64 = 15;
const METADATA_KINDS: u64 = 22;

/// Kinds of blocks that LLVM knows; it skips others, too.
const KNOWN: std::ops::RangeInclusive<u64> = 8..=26;

/// Kinds of blocks of which hardly anything is read, and why.
const BLOCKS: &[(u64, &str)] = &[
    (VALUE_SYMBOLS, "names of values that are no symbols are not read"),
    (
        METADATA,
        "of metadata, only module flags and what few intrinsics name is read",
    ),
    (16, "of attachments, only those of some accesses are read"),
    (18, "the order of uses is not read"),
    (20, "summaries for optimization at link time are not read"),
    (METADATA_KINDS, "kinds of metadata are looked for by name"),
    (25, "the symbol table for linkers is not read"),
];

/// Records that are skipped before or after the damage: the kind of block and the code.
const RECORDS: &[(u64, u64, &str)] = &[
    (12, 33, "debug locations"),
    (12, 35, "debug locations"),
    (12, 60, "who takes addresses of blocks is known otherwise"),
    (12, 61, "debug records"),
    (12, 62, "debug records"),
    (12, 63, "debug records"),
    (12, 64, "debug records"),
    (12, 65, "debug records"),
    (12, 66, "debug records"),
];

/// Words of what LLVM says, and why it does not matter.
const WORDS: &[(&str, &str)] = &[
    // Attributes.
    ("Attribute after last parameter!", "nobody asks for these attributes"),
    (
        "attribute only applies to",
        "attributes without a meaning for the code are not read",
    ),
    (
        "attribute may not apply to",
        "attributes without a meaning for the code are not read",
    ),
    (
        "may not apply only to call sites",
        "attributes without a meaning for the code are not read",
    ),
    (
        "does not apply to",
        "attributes without a meaning for the code are not read",
    ),
    (" applies only to ", "promises are not relied on"),
    (
        "Invalid struct return type!",
        "the attribute makes a pointer the hidden argument, whatever it points to",
    ),
    // Intrinsics.
    (
        "Intrinsic was not defined with variable arguments!",
        "calls are looked at, not declarations",
    ),
    (
        "Intrinsic called with incompatible signature",
        "calls mean what they say",
    ),
    ("Intrinsic has incorrect", "calls are looked at, not declarations"),
    (
        "Cannot take the address of an intrinsic!",
        "there is no such symbol, as linkers will say",
    ),
    (
        "Invalid user of intrinsic instruction!",
        "there is no such symbol, as linkers will say",
    ),
    (
        "incorrect alignment of the",
        "the library function gets the element's size and asks for no alignment",
    ),
    (
        "invalid rounding mode argument",
        "what is no rounding mode says nothing",
    ),
    (
        "invalid exception behavior argument",
        "what is no such word says nothing",
    ),
    ("first argument should be a pointer", "assumptions are not read"),
    ("second argument should be", "assumptions are not read"),
    ("third argument should be an integer", "assumptions are not read"),
    ("assumptions should", "assumptions are not read"),
    ("this attribute should have", "assumptions are not read"),
    ("this attribute has no argument", "assumptions are not read"),
    // Functions and variables.
    (
        "Calling convention does not support varargs",
        "conventions that take them take them as the plain one does",
    ),
    (
        "wrong type for intrinsic global variable",
        "of lists for linkers, what they name counts",
    ),
    (
        "module flag",
        "flags that say how to merge modules are none for the code",
    ),
    (
        "does not match global variable type!\nptr @llvm.",
        "of lists for linkers, what they name counts",
    ),
    ("!prof brunch_weights operand", "frequencies are not read"),
    ("locality argument to llvm.prefetch", "a hint of no meaning is none"),
    ("unsupported bits for llvm.is.fpclass", "there are no other classes"),
    ("tags must be valid attribute names", "assumptions are not read"),
    ("!id.scope.list", "promises are not relied on"),
    ("align takes one operand", "promises are not relied on"),
    (
        "align metadata value must be a power of 2!",
        "promises are not relied on",
    ),
    ("for 'returned' attribute", "promises are not relied on"),
    (
        "dllexport GlobalValue must have default or protected visibility",
        "import and export are for Windows",
    ),
    (
        "must start with a '+' or '-'",
        "a feature that is neither switched on nor off changes nothing",
    ),
    // Metadata, which is read where a function names it.
    (
        "Invalid value reference from metadata",
        "of metadata, only module flags and what few intrinsics name is read",
    ),
    // What only other object formats have.
    (
        "GlobalValue with DLLImport Storage is dso_local!",
        "import and export are for Windows",
    ),
    (
        "Global is marked as dllimport, but not external",
        "import and export are for Windows",
    ),
    // More of lists, attributes and hints.
    (
        "invalid uses of intrinsic global variable",
        "of lists for linkers, what they name counts",
    ),
    ("rw argument to llvm.prefetch", "a hint of no meaning is none"),
    ("'allocsize'", "promises are not relied on"),
    (
        "are incompatible!",
        "attributes without a meaning for the code are not read",
    ),
    // The data layout.
    (
        "unknown mangling mode",
        "of the data layout, only what the code depends on is read",
    ),
    (
        "malformed specification",
        "of the data layout, only what the code depends on is read",
    ),
    (
        "component cannot be empty",
        "of the data layout, only what the code depends on is read",
    ),
    (
        "empty specification is not allowed",
        "of the data layout, only what the code depends on is read",
    ),
    (
        "target triple too late in module",
        "layouts are computed when they are asked for",
    ),
    (
        "datalayout too late in module",
        "layouts are computed when they are asked for",
    ),
    (
        "must be a 16-bit integer",
        "of the data layout, only what the code depends on is read",
    ),
    (
        "address space must be a 24-bit integer",
        "of the data layout, only what the code depends on is read",
    ),
    (
        "size must be zero",
        "of the data layout, only what the code depends on is read",
    ),
    (
        "must be of the form",
        "of the data layout, only what the code depends on is read",
    ),
    (
        "size must be a non-zero 24-bit integer",
        "of the data layout, only what the code depends on is read",
    ),
    (
        "unknown specifier in datalayout string",
        "of the data layout, only what the code depends on is read",
    ),
];

/// What is damaged.
pub enum Place<'m> {
    /// A record in a kind of block, with the codes before and after.
    Record(u64, [u64; 2]),
    /// Bytes; these are the module's with all blocks that are skipped as they were, and the undamaged one's blocks.
    Elsewhere(Vec<u8>, &'m [Tree]),
    /// Bytes, and what comes after them has moved: that is never accepted with reason by its place.
    Unknown,
}

/// Whether blocks of this kind are hardly read.
pub fn is_skipped(block: u64) -> bool {
    BLOCKS.iter().any(|row| row.0 == block)
}

/// Whether a module is accepted with reason, of which LLVM says this; `verdict` is what LLVM says of another one.
pub fn is_listed(bytes: &[u8], place: &Place<'_>, said: &str, verdict: impl Fn(&[u8]) -> Verdict) -> bool {
    let has_word = |said: &str| WORDS.iter().any(|row| said.contains(row.0));
    let is_fine = |bytes: &[u8]| match verdict(bytes) {
        Verdict::Accepted => true,
        Verdict::Refused(said) => has_word(&said),
        Verdict::Crashed => false,
    };
    let by_place = match place {
        Place::Record(block, codes) => is_skipped(*block) || codes.iter().any(|&code| is_skipped_record(*block, code)),
        Place::Elsewhere(repaired, undamaged) => {
            is_fine(repaired)
                || decode(repaired).is_ok_and(|trees| {
                    // Without the names of what is in functions, which may now be of values that are not there.
                    is_fine(&encode(&trees)) || read_of(&trees) == read_of(undamaged)
                })
        }
        Place::Unknown => false,
    };
    by_place || has_word(said) || is_fine_without_skipped(bytes, &verdict, is_fine)
}

/// Whether a module is fine without what is skipped in it, and is not so only because it is written anew.
fn is_fine_without_skipped(bytes: &[u8], verdict: &impl Fn(&[u8]) -> Verdict, is_fine: impl Fn(&[u8]) -> bool) -> bool {
    let as_it_is = decode_kept(bytes, |_, _| true);
    if as_it_is.is_ok_and(|trees| matches!(verdict(&encode(&trees)), Verdict::Accepted)) {
        return false;
    }
    // Functions may name metadata, which must be there then.
    let needed = [&[METADATA, METADATA_KINDS][..], &[METADATA], &[]];
    needed.iter().any(|needed| {
        let is_kept = |around, kind| match (around, kind) {
            // In files of old versions, the module's symbol table has the names of symbols.
            (around, VALUE_SYMBOLS) => around == Some(MODULE),
            (_, kind) if kind != BLOCK_INFO && !KNOWN.contains(&kind) => false,
            // Of functions, every other block is skipped, whatever it says that it is.
            (Some(FUNCTION), kind) if kind != CONSTANTS && !is_skipped(kind) => false,
            (_, kind) => needed.contains(&kind) || !is_skipped(kind),
        };
        decode_kept(bytes, is_kept).is_ok_and(|trees| is_fine(&encode(&read_of(&trees))))
    })
}

fn is_skipped_record(block: u64, code: u64) -> bool {
    RECORDS.iter().any(|row| (row.0, row.1) == (block, code))
}

/// Blocks without the records that are skipped.
fn read_of(trees: &[Tree]) -> Vec<Tree> {
    let mut trees = trees.to_vec();
    trees.iter_mut().for_each(remove_skipped);
    trees
}

fn remove_skipped(tree: &mut Tree) {
    let id = tree.id;
    tree.nodes.retain_mut(|node| match node {
        Node::Record(record) => !is_skipped_record(id, record.code),
        Node::Block(inner) => {
            remove_skipped(inner);
            true
        }
    });
}
