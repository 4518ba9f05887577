//! Every bound that keeps a hostile input from costing more than it weighs.
//!
//! The general rule needs no number: a count is believed only if the bits left in its block could hold that many
//! items. The constants here are for the places where the rule does not suffice, because an item may take no bits
//! or because a few bits may ask for a large structure.

/// Operands of one abbreviation definition. LLVM's own abbreviations have at most about twenty.
pub const ABBREVIATION_OPERANDS: u64 = 512;

/// Scalars that one first-class aggregate value may consist of. Larger ones exist only as memory.
pub const AGGREGATE_LEAVES: usize = 256;

/// Types that may be examined to find the scalars of an aggregate; empty ones count too.
pub const AGGREGATE_STEPS: u32 = 4096;

/// Scalars of all aggregate types that are kept at a time.
pub const KEPT_LEAVES: usize = 1 << 14;

/// Widest integer in bits that a value may have: a product of such takes some thousand instructions. LLVM takes 2^23
/// bits, but hardly any front end makes such values.
pub const VALUE_BITS: u32 = 1024;

/// How many instructions and values the operations on wide integers of one function may become, besides what its size
/// justifies.
pub const WIDE_ROOM: usize = 1 << 20;

/// Kinds of blocks that blockinfo may have abbreviations for; LLVM has three.
pub const BLOCKINFO_KINDS: usize = 64;

/// Bytes to be written over at the beginning of a function, or before it.
pub const FILLER_BYTES: u32 = 1 << 16;

/// Bytes of data before a function, or that it begins with.
pub const ENTRY_DATA_BYTES: u64 = 1 << 20;

/// Module flags that are examined; LLVM has about thirty.
pub const MODULE_FLAGS: usize = 128;

/// Widest integer type in bits, as in LLVM.
pub const INTEGER_BITS: u64 = 1 << 23;

/// Size in bytes that a type may have: beyond it, addresses inside an object would not be addresses.
pub const TYPE_BYTES: u64 = 1 << 47;

/// Largest alignment of accesses and of variables on the stack as a power of two: what the IR's flags can hold.
pub const ALIGNMENT_LOG2: u64 = 31;

/// Largest alignment as a power of two that LLVM has, which functions and data may have, too. It promises it of
/// accesses through null; a promise may be forgotten.
pub const MOST_ALIGNMENT_LOG2: u64 = 32;

/// How many operands a record may have, given the size of the input in bytes.
///
/// An operand takes eight bytes when decoded but may take one bit in the file. A record that passes this bound
/// consists of hardly anything but narrow fields and fills most of the file; LLVM writes no such record.
pub fn record_operands(input_bytes: usize) -> u64 {
    2 * input_bytes as u64 + 256
}

/// How many words all nodes of debug information of a block may have, given the size of the input in bytes.
///
/// An operand takes six bits in most records.
pub fn debug_words(input_bytes: usize) -> u64 {
    2 * input_bytes as u64 + (1 << 12)
}

/// How many bytes of initialised data a module may have, given the size of the input in bytes.
///
/// Zeros in front of other contents take room in memory but hardly any in the file.
pub fn data_bytes(input_bytes: usize) -> u64 {
    64 * input_bytes as u64 + (16 << 20)
}

/// How many steps the evaluation of all initialisers of a module may take, given the size of the input in bytes.
///
/// Constants may share operands, so that a small file can describe a computation without end.
pub fn evaluation_steps(input_bytes: usize) -> u64 {
    64 * input_bytes as u64 + (1 << 16)
}

/// How deep constants may be nested.
pub const CONSTANT_DEPTH: u32 = 128;

/// How many aliases stand between a name and what it names; of longer chains, aliases name the end.
pub const ALIAS_CHAIN: usize = 16;

/// How many instructions and values a function may become, given the size of its body in bits.
///
/// An instruction takes 39 to 42 bits on average; the shortest that LLVM writes take four, and such functions do
/// not consist of them. First-class aggregates multiply.
pub fn function_room(bits: u64) -> usize {
    (bits / 4) as usize + (1 << 13)
}

/// How many words the records of a function that is written as one of PNaCl's may have, given how many instructions and
/// pooled operands it has.
///
/// A phi has a value for each edge there, but for each predecessor here, and a switch may be a thousand edges.
pub fn written_words(size: usize) -> usize {
    16 * size + (1 << 16)
}

/// How deep aggregate types of values may be nested.
pub const AGGREGATE_DEPTH: u32 = 32;

/// How many parameters and results all call signatures of a module may have together.
pub fn signature_parameters(input_bytes: usize) -> usize {
    input_bytes + (1 << 14)
}
