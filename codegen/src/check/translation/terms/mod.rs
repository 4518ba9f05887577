//! Terms: expressions over symbols that describe what registers, slots and operands hold. Equal terms have equal
//! numbers.
//!
//! Method: terms are hash-consed, so comparing two terms is comparing two numbers, and every constructor normalizes:
//! * bits are extracted and concatenated exactly ([`Terms::part`], [`Terms::concat`]): a zero extension is a
//!   concatenation with zeros, a right shift by a constant is an extraction;
//! * additions, subtractions, and products with constants are linear sums with coefficients modulo two to the width,
//!   and the low bits of a sum are the sum of the low bits;
//! * bitwise operations are applied to each of the pieces that their operands consist of.
//!
//! Every other operation is an uninterpreted function, equal only to itself on equal operands. So two terms with
//! different numbers may still always have the same value, but terms with equal numbers are always equal.
//! `evaluate.rs` searches for values that distinguish two terms.

mod arithmetic;
mod bitwise;
mod evaluate;
mod pieces;
mod refine;
#[cfg(test)]
mod tests;
mod text;

use frazil_support::{FxHashMap, FxHashSet};

/// A term by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(super) u32);

/// The kinds of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Tag {
    /// Something unknown: its origin and three numbers that identify it are in `data`.
    Symbol,
    /// A constant of at most 64 bits, in `data`.
    Constant,
    /// `width` bits of the only argument, starting at the bit in `data`.
    Part,
    /// The concatenation of the arguments, the lowest bits first.
    Concat,
    /// The constant in `data` plus the arguments times their coefficients. Each argument is three entries of the pool:
    /// the term, and the lower and upper half of its coefficient.
    Sum,
    /// The only argument, sign-extended.
    SignExtend,
    /// An uninterpreted function, whose key is in `data`, of the arguments.
    Apply,
    /// Any one of the arguments; each use may take another one (`refine.rs`).
    Choice,
}

/// Kinds of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Origin {
    /// What a place holds at function entry.
    Entry,
    /// What a place holds at a merge.
    Phi,
    /// What is in a place of an argument to which nothing writes.
    Home,
    /// A result of an event.
    Event,
    /// A value that nothing has defined.
    Undefined,
    /// The address that a frame pointer would hold in this function.
    Frame,
    /// The address of a symbol or constant.
    Reference,
    /// The caller's value of a register, after the frame has been torn down.
    Restored,
}

/// Bitwise operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bitwise {
    And,
    Or,
    Xor,
}

/// What identifies an uninterpreted function, of which only its key is known. The first number is chosen by the
/// target, or is one of [`function`].
pub type FunctionKey = [u32; 4];

/// First numbers of keys that shared code uses.
pub mod function {
    /// A bitwise operation that could not be simplified; the second number says which one.
    pub const BITWISE: u32 = u32::MAX;
    pub const IS_ZERO: u32 = u32::MAX - 1;
    /// A choice between two values.
    pub const SELECT: u32 = u32::MAX - 2;
    /// The carry of an addition.
    pub const CARRY: u32 = u32::MAX - 3;
    /// The overflow of an addition.
    pub const OVERFLOW: u32 = u32::MAX - 4;
    /// The borrow of a subtraction.
    pub const BORROW: u32 = u32::MAX - 5;
    pub const SUBTRACTION_OVERFLOW: u32 = u32::MAX - 6;
    /// The contents of memory that never changes, by its address.
    pub const CONSTANT_MEMORY: u32 = u32::MAX - 7;
    /// The lower half of a product.
    pub const PRODUCT: u32 = u32::MAX - 8;
}

/// The size of a new table.
const FIRST_SIZE: usize = 1 << 10;

#[derive(Clone, Copy, Debug)]
struct Node {
    tag: Tag,
    width: u16,
    /// Whether it may have any value: it is entirely undefined, or is computed from something undefined.
    is_undefined: bool,
    /// Whether something undefined is in it, outside of choices.
    has_undefined: bool,
    /// Whether a symbol of a merge is in it.
    has_phi: bool,
    has_choice: bool,
    data: [u32; 4],
    args_start: u32,
    args_len: u32,
}

/// An entry of the table of nodes.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The number of the node plus one; 0 if the entry is free.
    number: u32,
    /// The upper half of the node's hash. Nodes are compared only if it is equal, and the table can grow without
    /// computing hashes again.
    hash: u32,
}

/// All terms of a comparison, hash-consed; the memory is kept from function to function.
#[derive(Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    pool: Vec<u32>,
    /// A hash table with open addressing; its size is a power of two, and the highest bits of the hash say where a
    /// search begins.
    table: Vec<Entry>,
    parts: FxHashMap<(u32, u16, u16), Term>,
    /// The results of [`Terms::refines`] so far.
    refinements: FxHashMap<(Term, Term), bool>,
    /// Results of functions that may read more of their operands than decides the part which is used later.
    vague: FxHashSet<Term>,
}

impl Terms {
    /// Forgets all terms.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.pool.clear();
        self.table.clear();
        self.table.resize(FIRST_SIZE, Entry::default());
        self.parts.clear();
        self.refinements.clear();
        self.vague.clear();
    }

    /// Says that a term may have operands on which what is used of it does not depend, so that with other operands it
    /// may be the same.
    pub(super) fn mark_vague(&mut self, term: Term) {
        self.vague.insert(term);
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The width in bits.
    pub fn width(&self, term: Term) -> u16 {
        self.node(term).width
    }

    /// Whether a term may have any value, since it is entirely undefined or computed from something undefined.
    pub(super) fn is_undefined(&self, term: Term) -> bool {
        self.node(term).is_undefined
    }

    /// Whether a term, or one of the pieces of a concatenation, is a symbol of the merge at a node.
    pub(super) fn is_phi_of(&self, term: Term, node: u32) -> bool {
        let is_phi = |data: &Node| {
            let [origin, number, ..] = data.data;
            data.tag == Tag::Symbol && origin == Origin::Phi as u32 && number == node
        };
        match self.node(term).tag {
            Tag::Concat => self.args(term).iter().any(|&arg| is_phi(self.node(Term(arg)))),
            _ => is_phi(self.node(term)),
        }
    }

    /// Whether a term contains a symbol of a merge.
    pub(super) fn has_phi(&self, term: Term) -> bool {
        self.node(term).has_phi
    }

    fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    fn args(&self, term: Term) -> &[u32] {
        let node = self.node(term);
        &self.pool[node.args_start as usize..(node.args_start + node.args_len) as usize]
    }

    fn intern(&mut self, tag: Tag, width: u16, data: [u32; 4], args: &[u32]) -> Term {
        if (self.nodes.len() + 1) * 2 > self.table.len() {
            self.grow();
        }
        let hash = hash(tag, width, &data, args);
        let mask = self.table.len() - 1;
        let mut place = first_place(hash, self.table.len());
        loop {
            let entry = self.table[place];
            if entry.number == 0 {
                break;
            }
            if entry.hash == hash {
                let (other, term) = (&self.nodes[entry.number as usize - 1], Term(entry.number - 1));
                let is_alike = other.tag == tag && other.width == width && other.data == data;
                // Empty lists are not compared as slices, since that can be slow: some processors take a trap for a
                // read of zero bytes from a dangling address.
                if is_alike && (args.is_empty() && other.args_len == 0 || self.args(term) == args) {
                    return term;
                }
            }
            place = (place + 1) & mask;
        }
        let step = if tag == Tag::Sum { 3 } else { 1 };
        let operands = || args.iter().step_by(step).map(|&arg| &self.nodes[arg as usize]);
        let is_symbol = |origin: Origin| tag == Tag::Symbol && data[0] == origin as u32;
        let is_unknown = is_symbol(Origin::Undefined);
        let has_undefined = tag != Tag::Choice && (is_unknown || operands().any(|node| node.has_undefined));
        let is_undefined = match tag {
            Tag::Concat => operands().all(|node| node.is_undefined),
            _ => has_undefined,
        };
        let has_choice = tag == Tag::Choice || operands().any(|node| node.has_choice);
        let has_phi = is_symbol(Origin::Phi) || operands().any(|node| node.has_phi);
        let args_start = self.pool.len() as u32;
        self.pool.extend_from_slice(args);
        self.nodes.push(Node {
            tag,
            width,
            is_undefined,
            has_undefined,
            has_phi,
            has_choice,
            data,
            args_start,
            args_len: args.len() as u32,
        });
        let number = self.nodes.len() as u32;
        self.table[place] = Entry { number, hash };
        Term(self.nodes.len() as u32 - 1)
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(FIRST_SIZE);
        let mut table = vec![Entry::default(); size];
        for entry in self.table.iter().filter(|entry| entry.number != 0) {
            let mut place = first_place(entry.hash, size);
            while table[place].number != 0 {
                place = (place + 1) & (size - 1);
            }
            table[place] = *entry;
        }
        self.table = table;
    }

    /// A symbol, which is identified by its origin and three numbers.
    pub(super) fn symbol(&mut self, origin: Origin, numbers: [u32; 3], width: u16) -> Term {
        let [a, b, c] = numbers;
        self.intern(Tag::Symbol, width, [origin as u32, a, b, c], &[])
    }

    /// A constant of at most 64 bits; higher bits of `value` are dropped.
    pub fn constant(&mut self, width: u16, value: u64) -> Term {
        let value = value & mask(width);
        self.intern(Tag::Constant, width, [value as u32, (value >> 32) as u32, 0, 0], &[])
    }

    /// The value of a constant.
    pub fn as_constant(&self, term: Term) -> Option<u64> {
        let node = self.node(term);
        (node.tag == Tag::Constant).then(|| u64::from(node.data[0]) | u64::from(node.data[1]) << 32)
    }

    /// An uninterpreted function of operands.
    pub fn apply(&mut self, key: FunctionKey, width: u16, args: &[Term]) -> Term {
        let args: Vec<u32> = args.iter().map(|arg| arg.0).collect();
        self.intern(Tag::Apply, width, key, &args)
    }
}

/// The lowest `width` bits set.
fn mask(width: u16) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn coefficient(arg: &[u32]) -> u64 {
    u64::from(arg[1]) | u64::from(arg[2]) << 32
}

/// The upper half of a 64-bit hash; multiplications carry the lower bits into it.
fn hash(tag: Tag, width: u16, data: &[u32; 4], args: &[u32]) -> u32 {
    let start = u64::from(tag as u8) << 16 | u64::from(width);
    let words = data.iter().chain(args);
    let hash = words.fold(start, |hash, &word| {
        (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    (hash >> 32) as u32
}

/// The entry at which the search for a node begins, in a table whose size is a power of two.
fn first_place(hash: u32, size: usize) -> usize {
    ((u64::from(hash) * size as u64) >> 32) as usize
}
