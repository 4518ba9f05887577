//! What LLVM refuses and is accepted here, with the reasons.

use super::Verdict;
use frazil_robustness::records::{Node, Tree, decode, encode};

/// Kinds of blocks of which hardly anything is read, and why.
const BLOCKS: &[(u64, &str)] = &[
    (14, "names of values that are no symbols are not read"),
    (
        15,
        "of metadata, only module flags and what few intrinsics name is read",
    ),
    (16, "of attachments, only those of some accesses are read"),
    (18, "the order of uses is not read"),
    (20, "summaries for optimization at link time are not read"),
    (
        21,
        "which bundle it is does not matter: calls with one are refused, but for assumptions",
    ),
    (22, "kinds of metadata are looked for by name"),
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
        "Not an int attribute",
        "an attribute without the number that it has means nothing",
    ),
    (
        "Not a type attribute",
        "an attribute without the type that it has means nothing",
    ),
    (
        "Not a ConstantRange",
        "an attribute without the range that it has means nothing",
    ),
    (
        "Not an enum attribute",
        "an attribute with a number that it has not means nothing",
    ),
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
        "GEP base operand must be pointer",
        "the types said beside operands are not read, but those of the operands",
    ),
    (
        "Invalid getelementptr constexpr record",
        "the types said beside operands are not read, but those of the operands",
    ),
    (
        "Invalid cmp constexpr record",
        "the types said beside operands are not read, but those of the operands",
    ),
    (
        "Only named structs can be forward referenced",
        "types may name later ones here",
    ),
    ("Invalid function argument type", "types may name later ones here"),
    ("Invalid ID", "of declarations, what only definitions have is not read"),
    (
        "Invalid extractelement constexpr record",
        "the types said beside operands are not read, but those of the operands",
    ),
    (
        "does not match global variable type!\nptr @llvm.",
        "of lists for linkers, what they name counts",
    ),
    (
        "Function declaration shouldn't have a personality routine",
        "of declarations, what only definitions have is not read",
    ),
    ("!prof brunch_weights operand", "frequencies are not read"),
    ("locality argument to llvm.prefetch", "a hint of no meaning is none"),
    ("unsupported bits for llvm.is.fpclass", "there are no other classes"),
    ("tags must be valid attribute names", "assumptions are not read"),
    (
        "Assigned value does not match type of forward declaration",
        "operands of assumptions are not read",
    ),
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
    (
        "Not a constant range list",
        "an attribute without the range that it has means nothing",
    ),
    (
        "Unknown attribute kind",
        "attributes that came later than their file mean what they mean",
    ),
    (
        "Missing element type for typed attribute upgrade",
        "the attribute says what its pointer would",
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
pub fn is_listed(place: &Place<'_>, said: &str, verdict: impl Fn(&[u8]) -> Verdict) -> bool {
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
    by_place || has_word(said)
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
