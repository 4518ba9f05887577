//! What LLVM refuses and is accepted here, with the reasons.

/// Kinds of blocks of which hardly anything is read, and why.
const BLOCKS: &[(u64, &str)] = &[
    (14, "names of values that are no symbols are not read"),
    (
        15,
        "of metadata, only module flags and what few intrinsics name is read",
    ),
    (16, "of attachments, only those of some accesses are read"),
    (18, "the order of uses is not read"),
    (22, "kinds of metadata are looked for by name"),
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
        "PHINode should have one entry for each predecessor",
        "an edge that a terminator names twice is one edge",
    ),
    (
        "Incorrect type in struct initializer",
        "of lists for linkers, what they name counts",
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
        "Incorrect type in array initializer",
        "of lists for linkers, what they name counts",
    ),
    (
        "Only named structs can be forward referenced",
        "types may name later ones here",
    ),
    ("Invalid ID", "of declarations, what only definitions have is not read"),
    (
        "Invalid extractelement constexpr record",
        "the types said beside operands are not read, but those of the operands",
    ),
    (
        "Incorrect type in vector initializer",
        "elements of constants are looked at where they are used",
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
    // The data layout.
    (
        "must be a 16-bit integer",
        "of the data layout, only what the code depends on is read",
    ),
    (
        "must be of the form",
        "of the data layout, only what the code depends on is read",
    ),
    (
        "unknown specifier in datalayout string",
        "of the data layout, only what the code depends on is read",
    ),
];

/// Whether a module is accepted with reason: a record with a code in a kind of block is damaged, and LLVM says this.
pub fn is_listed(block: u64, codes: [u64; 2], said: &str) -> bool {
    BLOCKS.iter().any(|row| row.0 == block)
        || RECORDS.iter().any(|row| row.0 == block && codes.contains(&row.1))
        || WORDS.iter().any(|row| said.contains(row.0))
}
