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

use frazil_support::FxHashMap;

/// A term by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(super) u32);

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Tag {
    /// Something unknown: kind and numbers are in `data`.
    Symbol,
    /// A number of at most 64 bits, in `data`.
    Constant,
    /// Some bits of the only argument, from the bit in `data` on.
    Part,
    /// The arguments, the lowest bits first.
    Concat,
    /// The constant in `data` plus the arguments, each followed by the halves of its coefficient.
    Sum,
    /// The only argument with copies of its highest bit above it.
    SignExtend,
    /// The function in `data` of the arguments.
    Apply,
    /// Any one of the arguments, another one at each use if need be.
    Choice,
}

/// Kinds of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Origin {
    /// What a place holds when the function is entered.
    Entry,
    /// What a place holds where paths meet.
    Phi,
    /// What an event leaves.
    Event,
    /// What nothing has defined: anything.
    Undefined,
    /// The address that a frame pointer would hold.
    Frame,
    /// The address of what a reference names.
    Reference,
    /// What giving a frame back puts into a register of the caller.
    Restored,
}

/// Bitwise operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bitwise {
    /// Both.
    And,
    /// Either.
    Or,
    Xor,
}

/// A function that nothing is known of but that it depends on its operands alone. What is in it tells it from others;
/// the first number is the target's choice, or one of [`function`].
pub type FunctionKey = [u32; 4];

/// First numbers of functions that shared code uses.
pub mod function {
    /// Bitwise operations, from here on.
    pub const BITWISE: u32 = u32::MAX;
    /// Whether a number is zero.
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
    /// What stands at an address that never changes.
    pub const CONSTANT_MEMORY: u32 = u32::MAX - 7;
    /// The lower half of a product.
    pub const PRODUCT: u32 = u32::MAX - 8;
}

/// Entries of the table at first.
const FIRST_SIZE: usize = 1 << 10;

#[derive(Clone, Copy, Debug)]
struct Node {
    tag: Tag,
    width: u16,
    /// Whether it may be anything: nothing of it is defined, or it is computed from something undefined.
    is_undefined: bool,
    /// Whether something undefined is in it.
    has_undefined: bool,
    /// Whether something is in it that paths bring to a node.
    has_phi: bool,
    has_choice: bool,
    data: [u32; 4],
    args_start: u32,
    args_len: u32,
}

/// An entry of the table of nodes.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The number of the node plus one; zero is free.
    number: u32,
    /// The highest bits of the node's hash: what differs here need not be compared, and the table grows by them alone.
    hash: u32,
}

/// The nodes, kept from function to function.
#[derive(Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    pool: Vec<u32>,
    /// Open addressing, a power of two of entries; a search begins at the entry that the highest bits of the hash name.
    table: Vec<Entry>,
    parts: FxHashMap<(u32, u16, u16), Term>,
    /// Whether the first may stand for the second: [`Terms::refines`].
    refinements: FxHashMap<(Term, Term), bool>,
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
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The width in bits.
    pub fn width(&self, term: Term) -> u16 {
        self.node(term).width
    }

    /// Whether a term may be anything, since nothing of it is defined or it is computed from something undefined.
    pub(super) fn is_undefined(&self, term: Term) -> bool {
        self.node(term).is_undefined
    }

    /// Whether a term, or one of the pieces that it is put together of, is a symbol for what paths bring to a node.
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

    /// Whether something is in a term that paths bring to a node.
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
                // Comparing nothing with nothing can be slow: some processors take a trap for a read of no bytes from
                // an address that is none.
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

    /// Something unknown.
    pub(super) fn symbol(&mut self, origin: Origin, numbers: [u32; 3], width: u16) -> Term {
        let [a, b, c] = numbers;
        self.intern(Tag::Symbol, width, [origin as u32, a, b, c], &[])
    }

    /// A number of at most 64 bits; what does not fit is cut off.
    pub fn constant(&mut self, width: u16, value: u64) -> Term {
        let value = value & mask(width);
        self.intern(Tag::Constant, width, [value as u32, (value >> 32) as u32, 0, 0], &[])
    }

    /// The number that a term is, if it is one.
    pub fn as_constant(&self, term: Term) -> Option<u64> {
        let node = self.node(term);
        (node.tag == Tag::Constant).then(|| u64::from(node.data[0]) | u64::from(node.data[1]) << 32)
    }

    /// A function of operands.
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

/// The highest bits of a hash, into which a multiplication brings all others.
fn hash(tag: Tag, width: u16, data: &[u32; 4], args: &[u32]) -> u32 {
    let start = u64::from(tag as u8) << 16 | u64::from(width);
    let words = data.iter().chain(args);
    let hash = words.fold(start, |hash, &word| {
        (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    (hash >> 32) as u32
}

/// Where the search for a node begins in a table of some size, a power of two.
fn first_place(hash: u32, size: usize) -> usize {
    ((u64::from(hash) * size as u64) >> 32) as usize
}
