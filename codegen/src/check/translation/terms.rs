//! Terms: what registers, slots and operands hold, as expressions over symbols. Equal terms have equal numbers.
//!
//! Method: nodes are interned, so that comparing two terms is comparing two numbers, and every constructor brings what
//! it makes into one form:
//! * bits are taken apart and put together exactly ([`Terms::part`], [`Terms::concat`]): a zero extension is a
//!   concatenation with zeros, a shift to the right by a constant is a part;
//! * additions, subtractions, and products with constants are sums with coefficients modulo two to the width, and the
//!   low bits of a sum are the sum of the low bits;
//! * bitwise operations are done on each of the pieces that their operands consist of.
//!
//! Everything else is a function of its operands that is equal to nothing but itself. So two terms may be different and
//! always have the same value, but never the other way round.

use std::collections::HashMap;

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
    /// One of them.
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
    /// The overflow of a subtraction.
    pub const SUBTRACTION_OVERFLOW: u32 = u32::MAX - 6;
    /// What stands at an address that never changes.
    pub const CONSTANT_MEMORY: u32 = u32::MAX - 7;
    /// The lower half of a product.
    pub const PRODUCT: u32 = u32::MAX - 8;
}

#[derive(Clone, Copy, Debug)]
struct Node {
    tag: Tag,
    width: u16,
    /// Whether something undefined is in it.
    is_undefined: bool,
    /// Whether something is in it that paths bring to a node.
    has_phi: bool,
    data: [u32; 4],
    args_start: u32,
    args_len: u32,
}

/// The nodes, kept from function to function.
#[derive(Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    pool: Vec<u32>,
    /// Open addressing: number plus one, zero is free.
    table: Vec<u32>,
    parts: HashMap<(u32, u16, u16), Term>,
}

impl Terms {
    /// Forgets all terms.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.pool.clear();
        self.table.clear();
        self.table.resize(1 << 10, 0);
        self.parts.clear();
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The width in bits.
    pub fn width(&self, term: Term) -> u16 {
        self.node(term).width
    }

    /// Whether something undefined is in a term, so that it may be anything.
    pub(super) fn is_undefined(&self, term: Term) -> bool {
        self.node(term).is_undefined
    }

    /// Whether a term is a symbol for what paths bring to a node.
    pub(super) fn is_phi_of(&self, term: Term, node: u32) -> bool {
        let data = self.node(term).data;
        self.node(term).tag == Tag::Symbol && data[0] == Origin::Phi as u32 && data[1] == node
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
        let mask = self.table.len() - 1;
        let mut place = hash(tag, width, &data, args) as usize & mask;
        loop {
            let entry = self.table[place];
            if entry == 0 {
                break;
            }
            let (other, term) = (&self.nodes[entry as usize - 1], Term(entry - 1));
            if other.tag == tag && other.width == width && other.data == data && self.args(term) == args {
                return term;
            }
            place = (place + 1) & mask;
        }
        let step = if tag == Tag::Sum { 3 } else { 1 };
        let operands = || args.iter().step_by(step).map(|&arg| &self.nodes[arg as usize]);
        let is_symbol = |origin: Origin| tag == Tag::Symbol && data[0] == origin as u32;
        let is_undefined = is_symbol(Origin::Undefined) || operands().any(|node| node.is_undefined);
        let has_phi = is_symbol(Origin::Phi) || operands().any(|node| node.has_phi);
        let args_start = self.pool.len() as u32;
        self.pool.extend_from_slice(args);
        self.nodes.push(Node {
            tag,
            width,
            is_undefined,
            has_phi,
            data,
            args_start,
            args_len: args.len() as u32,
        });
        self.table[place] = self.nodes.len() as u32;
        Term(self.nodes.len() as u32 - 1)
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(1 << 10);
        let mask = size - 1;
        let mut table = vec![0; size];
        for (number, node) in self.nodes.iter().enumerate() {
            let args = &self.pool[node.args_start as usize..(node.args_start + node.args_len) as usize];
            let mut place = hash(node.tag, node.width, &node.data, args) as usize & mask;
            while table[place] != 0 {
                place = (place + 1) & mask;
            }
            table[place] = number as u32 + 1;
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

    /// `width` bits of a term from bit `shift` on.
    pub fn part(&mut self, term: Term, shift: u16, width: u16) -> Term {
        let node = *self.node(term);
        debug_assert!(
            shift + width <= node.width,
            "a part of {width} bits from {shift} of {}",
            node.width
        );
        if shift == 0 && width == node.width {
            return term;
        }
        if let Some(value) = self.as_constant(term) {
            return self.constant(width, value >> shift);
        }
        if let Some(&part) = self.parts.get(&(term.0, shift, width)) {
            return part;
        }
        let part = self.make_part(term, node, shift, width);
        self.parts.insert((term.0, shift, width), part);
        part
    }

    fn make_part(&mut self, term: Term, node: Node, shift: u16, width: u16) -> Term {
        let args = self.args(term).to_vec();
        match node.tag {
            Tag::Part => self.part(Term(args[0]), node.data[0] as u16 + shift, width),
            Tag::Concat => {
                let (mut pieces, mut position) = (Vec::new(), 0);
                for &arg in &args {
                    let arg_width = self.width(Term(arg));
                    let (first, last) = (shift.max(position), (shift + width).min(position + arg_width));
                    if first < last {
                        pieces.push(self.part(Term(arg), first - position, last - first));
                    }
                    position += arg_width;
                }
                self.concat(&pieces)
            }
            Tag::SignExtend => {
                let inner = Term(args[0]);
                let inner_width = self.width(inner);
                if shift + width <= inner_width {
                    self.part(inner, shift, width)
                } else if shift < inner_width {
                    let low = self.part(inner, shift, inner_width - shift);
                    self.sign_extend(low, width)
                } else {
                    let sign = self.part(inner, inner_width - 1, 1);
                    self.sign_extend(sign, width)
                }
            }
            Tag::Sum if shift == 0 => {
                let mut terms = Vec::with_capacity(args.len() / 3);
                for arg in args.chunks_exact(3) {
                    let low = self.part(Term(arg[0]), 0, width);
                    terms.push((coefficient(arg), low));
                }
                let constant = u64::from(node.data[0]) | u64::from(node.data[1]) << 32;
                self.sum(width, constant, &terms)
            }
            Tag::Apply if node.data[0] == function::BITWISE => {
                let operation = [Bitwise::And, Bitwise::Or, Bitwise::Xor][node.data[1] as usize];
                let parts = [args[0], args[1]].map(|arg| self.part(Term(arg), shift, width));
                self.bitwise(operation, parts[0], parts[1])
            }
            Tag::Apply if node.data[0] == function::PRODUCT && shift == 0 => {
                let parts: Vec<Term> = args.iter().map(|&arg| self.part(Term(arg), 0, width)).collect();
                self.product(parts[0], parts[1])
            }
            _ => self.intern(Tag::Part, width, [u32::from(shift), 0, 0, 0], &[term.0]),
        }
    }

    /// Terms one above the other, the lowest bits first.
    pub fn concat(&mut self, pieces: &[Term]) -> Term {
        let mut flat: Vec<Term> = Vec::with_capacity(pieces.len());
        for &piece in pieces {
            if self.node(piece).tag == Tag::Concat {
                let args = self.args(piece).to_vec();
                args.into_iter().for_each(|arg| self.append(&mut flat, Term(arg)));
            } else {
                self.append(&mut flat, piece);
            }
        }
        if let [only] = flat[..] {
            return only;
        }
        let width = flat.iter().map(|&piece| self.width(piece)).sum();
        if let Some(whole) = self.whole_of(&flat, width) {
            return whole;
        }
        let args: Vec<u32> = flat.iter().map(|piece| piece.0).collect();
        self.intern(Tag::Concat, width, [0; 4], &args)
    }

    /// Appends a piece; what continues the last one becomes one with it.
    fn append(&mut self, flat: &mut Vec<Term>, piece: Term) {
        let merged = flat.last().copied().and_then(|last| self.merge(last, piece));
        match merged {
            Some(merged) => {
                flat.pop();
                self.append(flat, merged);
            }
            None => flat.push(piece),
        }
    }

    /// Two pieces as one, if they are two numbers, neighboring parts of a term, or a term and copies of its sign.
    fn merge(&mut self, low: Term, high: Term) -> Option<Term> {
        let (low_node, high_node) = (*self.node(low), *self.node(high));
        let width = low_node.width + high_node.width;
        if let (Some(low_value), Some(high_value)) = (self.as_constant(low), self.as_constant(high)) {
            return (width <= 64).then(|| self.constant(width, low_value | high_value << low_node.width));
        }
        if low_node.tag == Tag::Part
            && high_node.tag == Tag::Part
            && self.args(low) == self.args(high)
            && low_node.data[0] + u32::from(low_node.width) == high_node.data[0]
        {
            let whole = Term(self.args(low)[0]);
            return Some(self.part(whole, low_node.data[0] as u16, width));
        }
        if high_node.tag == Tag::SignExtend {
            let inner = Term(self.args(high)[0]);
            let is_sign = self.width(inner) == 1 && self.part(low, low_node.width - 1, 1) == inner;
            let extended = if is_sign { Some(low) } else { self.merge(low, inner) };
            return extended.map(|extended| self.sign_extend(extended, width));
        }
        None
    }

    /// The term of which pieces are all the parts. The low parts of sums and products look like other terms, so that
    /// the piece above tells.
    fn whole_of(&mut self, pieces: &[Term], width: u16) -> Option<Term> {
        let mut candidates = Vec::new();
        for &piece in pieces {
            let node = self.node(piece);
            if node.tag == Tag::Part {
                candidates.push(Term(self.args(piece)[0]));
            }
        }
        for whole in candidates {
            if self.width(whole) != width {
                continue;
            }
            let mut position = 0;
            let is_whole = pieces.iter().all(|&piece| {
                let piece_width = self.width(piece);
                let expected = self.part(whole, position, piece_width);
                position += piece_width;
                expected == piece
            });
            if is_whole {
                return Some(whole);
            }
        }
        None
    }

    /// A term with zeros above it.
    pub fn zero_extend(&mut self, term: Term, width: u16) -> Term {
        let have = self.width(term);
        if have >= width {
            return self.part(term, 0, width);
        }
        let zeros = self.constant(width - have, 0);
        self.concat(&[term, zeros])
    }

    /// A term with copies of its highest bit above it.
    pub fn sign_extend(&mut self, term: Term, width: u16) -> Term {
        let node = *self.node(term);
        if node.width >= width {
            return self.part(term, 0, width);
        }
        if let Some(value) = self.as_constant(term) {
            let shift = 64 - node.width;
            return self.constant(width, ((value << shift).cast_signed() >> shift).cast_unsigned());
        }
        match node.tag {
            Tag::SignExtend => {
                let inner = Term(self.args(term)[0]);
                self.sign_extend(inner, width)
            }
            Tag::Concat => {
                let highest = Term(self.args(term)[node.args_len as usize - 1]);
                let highest_width = self.width(highest);
                match self.as_constant(highest) {
                    Some(value) if value >> (highest_width - 1) == 0 => self.zero_extend(term, width),
                    _ => self.intern(Tag::SignExtend, width, [0; 4], &[term.0]),
                }
            }
            _ => self.intern(Tag::SignExtend, width, [0; 4], &[term.0]),
        }
    }

    /// A constant plus terms of the same width with coefficients, modulo two to the width (at most 64).
    pub fn sum(&mut self, width: u16, constant: u64, terms: &[(u64, Term)]) -> Term {
        let (mut constant, mut flat) = (constant, Vec::with_capacity(terms.len()));
        for &(factor, term) in terms {
            debug_assert_eq!(self.width(term), width);
            self.add_to_sum(factor, term, &mut constant, &mut flat);
        }
        flat.sort_unstable_by_key(|&(_, term): &(u64, Term)| term);
        let mut args = Vec::with_capacity(flat.len() * 3);
        let mut rest = &flat[..];
        while let Some(&(_, term)) = rest.first() {
            let count = rest.iter().take_while(|other| other.1 == term).count();
            let factor = rest[..count].iter().fold(0u64, |sum, other| sum.wrapping_add(other.0)) & mask(width);
            rest = &rest[count..];
            if factor != 0 {
                let term = self.low_bits_of_multiple(term, factor, width);
                args.extend([term.0, factor as u32, (factor >> 32) as u32]);
            }
        }
        constant &= mask(width);
        match args[..] {
            [] => self.constant(width, constant),
            [term, 1, 0] if constant == 0 => Term(term),
            _ => {
                let data = [constant as u32, (constant >> 32) as u32, 0, 0];
                self.intern(Tag::Sum, width, data, &args)
            }
        }
    }

    /// Of a term that is multiplied by a large power of two, only few low bits matter.
    fn low_bits_of_multiple(&mut self, term: Term, factor: u64, width: u16) -> Term {
        let zeros = factor.trailing_zeros() as u16;
        if zeros * 2 < width {
            return term;
        }
        let low = self.part(term, 0, width - zeros);
        self.zero_extend(low, width)
    }

    fn add_to_sum(&self, factor: u64, term: Term, constant: &mut u64, flat: &mut Vec<(u64, Term)>) {
        if let Some(value) = self.as_constant(term) {
            *constant = constant.wrapping_add(value.wrapping_mul(factor));
            return;
        }
        let node = self.node(term);
        if node.tag != Tag::Sum {
            flat.push((factor, term));
            return;
        }
        let inner = u64::from(node.data[0]) | u64::from(node.data[1]) << 32;
        *constant = constant.wrapping_add(inner.wrapping_mul(factor));
        for arg in self.args(term).chunks_exact(3) {
            flat.push((coefficient(arg).wrapping_mul(factor), Term(arg[0])));
        }
    }

    /// The lower half of a product of two terms of one width (at most 64).
    pub fn product(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(value), _) => self.sum(width, 0, &[(value, b)]),
            (_, Some(value)) => self.sum(width, 0, &[(value, a)]),
            _ => self.apply([function::PRODUCT, 0, 0, 0], width, &[a.min(b), a.max(b)]),
        }
    }

    /// A bitwise operation of two terms of one width.
    pub fn bitwise(&mut self, operation: Bitwise, a: Term, b: Term) -> Term {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        if let (Some(left), Some(right)) = (self.as_constant(a), self.as_constant(b)) {
            let value = match operation {
                Bitwise::And => left & right,
                Bitwise::Or => left | right,
                Bitwise::Xor => left ^ right,
            };
            return self.constant(width, value);
        }
        if a == b {
            return if operation == Bitwise::Xor {
                self.zeros(width)
            } else {
                a
            };
        }
        if self.node(a).tag == Tag::Concat || self.node(b).tag == Tag::Concat {
            return self.bitwise_by_pieces(operation, a, b);
        }
        let (a, b) = (a.min(b), a.max(b));
        for (term, other) in [(a, b), (b, a)] {
            if let Some(value) = self.as_constant(term) {
                return self.bitwise_with_constant(operation, other, term, value);
            }
        }
        self.apply([function::BITWISE, operation as u32, 0, 0], width, &[a, b])
    }

    /// Zeros of any width.
    pub fn zeros(&mut self, width: u16) -> Term {
        if width <= 64 {
            return self.constant(width, 0);
        }
        let word = self.constant(64, 0);
        let rest = self.zeros(width - 64);
        self.concat(&[word, rest])
    }

    fn bitwise_by_pieces(&mut self, operation: Bitwise, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let mut cuts = vec![0, width];
        for term in [a, b] {
            if self.node(term).tag == Tag::Concat {
                let mut position = 0;
                for &arg in self.args(term) {
                    position += self.width(Term(arg));
                    cuts.push(position);
                }
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut pieces = Vec::new();
        for pair in cuts.windows(2) {
            let (shift, piece) = (pair[0], pair[1] - pair[0]);
            let parts = [a, b].map(|term| self.part(term, shift, piece));
            pieces.push(self.bitwise(operation, parts[0], parts[1]));
        }
        self.concat(&pieces)
    }

    /// The same with a number, taken apart where its bits change between halves that are all zeros or all ones.
    fn bitwise_with_constant(&mut self, operation: Bitwise, term: Term, constant: Term, value: u64) -> Term {
        let width = self.width(term);
        let all = mask(width);
        match (operation, value) {
            (Bitwise::And, 0) => return constant,
            (Bitwise::And, value) if value == all => return term,
            (Bitwise::Or | Bitwise::Xor, 0) => return term,
            (Bitwise::Or, value) if value == all => return constant,
            _ => {}
        }
        // Down to bytes; a byte that is partly masked stays one.
        if width > 8 && width.is_multiple_of(2) {
            let half = width / 2;
            let (low, high) = (value & mask(half), value >> half);
            let is_simple = |value: u64| value == 0 || value == mask(half);
            if (is_simple(low) || is_simple(high)) && value != all {
                let mut pieces = [term; 2];
                for (index, number) in [low, high].into_iter().enumerate() {
                    let part = self.part(term, half * index as u16, half);
                    let number = self.constant(half, number);
                    pieces[index] = self.bitwise(operation, part, number);
                }
                return self.concat(&pieces);
            }
        }
        self.apply(
            [function::BITWISE, operation as u32, 0, 0],
            width,
            &[term.min(constant), term.max(constant)],
        )
    }

    /// Whether a term is zero, as one bit.
    pub fn is_zero(&mut self, term: Term) -> Term {
        match self.as_constant(term) {
            Some(value) => self.constant(1, u64::from(value == 0)),
            None => {
                let term = self.without_zeros(term);
                self.apply([function::IS_ZERO, 0, 0, 0], 1, &[term])
            }
        }
    }

    /// A term without pieces that are zeros.
    fn without_zeros(&mut self, term: Term) -> Term {
        if self.node(term).tag != Tag::Concat {
            return term;
        }
        let pieces: Vec<Term> = self.args(term).iter().map(|&arg| Term(arg)).collect();
        let rest: Vec<Term> = pieces
            .iter()
            .copied()
            .filter(|&piece| self.as_constant(piece) != Some(0))
            .collect();
        if rest.len() < pieces.len() && !rest.is_empty() {
            self.concat(&rest)
        } else {
            term
        }
    }

    /// The node to which paths bring what a term is a symbol for.
    pub(super) fn node_of_phi(&self, term: Term) -> Option<u32> {
        let node = self.node(term);
        (node.tag == Tag::Symbol && node.data[0] == Origin::Phi as u32).then_some(node.data[1])
    }

    /// The operands in pairs in which two terms of one shape differ.
    pub(super) fn differing_operands(&self, a: Term, b: Term) -> Vec<(Term, Term)> {
        let (first, second) = (self.node(a), self.node(b));
        if (first.tag, first.args_len) != (second.tag, second.args_len) {
            return Vec::new();
        }
        let step = if first.tag == Tag::Sum { 3 } else { 1 };
        let [ours, theirs] = [a, b].map(|term| self.args(term).iter().step_by(step).copied().collect::<Vec<_>>());
        // The order of operands is that of their numbers.
        let only = |these: &[u32], those: &[u32]| -> Vec<u32> {
            these.iter().copied().filter(|arg| !those.contains(arg)).collect()
        };
        let pairs = only(&ours, &theirs).into_iter().zip(only(&theirs, &ours));
        pairs.map(|(ours, theirs)| (Term(ours), Term(theirs))).collect()
    }

    /// A text of a term, to be read by people; `depth` levels of it.
    pub(super) fn text(&self, term: Term, depth: u32) -> String {
        let node = self.node(term);
        if depth == 0 {
            return format!("t{}", term.0);
        }
        let inner = |arg: u32| self.text(Term(arg), depth - 1);
        let args = self.args(term);
        match node.tag {
            Tag::Symbol => {
                let origins = ["entry", "phi", "event", "undefined", "frame", "reference", "restored"];
                let [_, a, b, c] = node.data;
                format!("{}({a},{b},{c})", origins[node.data[0] as usize])
            }
            Tag::Constant => format!("{:#x}", self.as_constant(term).unwrap_or(0)),
            Tag::Part => format!(
                "{}[{}..{}]",
                inner(args[0]),
                node.data[0],
                node.data[0] + u32::from(node.width)
            ),
            Tag::Concat => {
                let pieces: Vec<String> = args.iter().rev().map(|&arg| inner(arg)).collect();
                format!("({})", pieces.join(" : "))
            }
            Tag::Sum => {
                let constant = u64::from(node.data[0]) | u64::from(node.data[1]) << 32;
                let shift = 64 - node.width.min(64);
                let mut text = format!("({}", (constant << shift).cast_signed() >> shift);
                for arg in args.chunks_exact(3) {
                    text.push_str(&format!(" + {}*{}", coefficient(arg), inner(arg[0])));
                }
                text + ")"
            }
            Tag::SignExtend => format!("sext{}({})", node.width, inner(args[0])),
            Tag::Apply => {
                let args: Vec<String> = args.iter().map(|&arg| inner(arg)).collect();
                format!("f{:?}({})", node.data, args.join(", "))
            }
        }
    }
}

/// The lowest `width` bits set.
fn mask(width: u16) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn coefficient(arg: &[u32]) -> u64 {
    u64::from(arg[1]) | u64::from(arg[2]) << 32
}

fn hash(tag: Tag, width: u16, data: &[u32; 4], args: &[u32]) -> u64 {
    let start = u64::from(tag as u8) << 16 | u64::from(width);
    let words = data.iter().chain(args);
    let hash = words.fold(start, |hash, &word| {
        (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    hash ^ hash >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> Terms {
        let mut terms = Terms::default();
        terms.clear();
        terms
    }

    fn unknown(terms: &mut Terms, number: u32, width: u16) -> Term {
        terms.symbol(Origin::Entry, [number, 0, 0], width)
    }

    #[test]
    fn parts_put_together_again_are_the_whole() {
        let mut terms = terms();
        let x = unknown(&mut terms, 0, 64);
        let (low, high) = (terms.part(x, 0, 32), terms.part(x, 32, 32));
        assert_eq!(terms.concat(&[low, high]), x);
        let y = unknown(&mut terms, 1, 64);
        let sum = terms.sum(64, 7, &[(1, x), (3, y)]);
        let (low, high) = (terms.part(sum, 0, 32), terms.part(sum, 32, 32));
        assert_eq!(terms.concat(&[low, high]), sum);
        assert_ne!(terms.concat(&[high, low]), sum);
    }

    #[test]
    fn low_bits_of_sums_are_sums_of_low_bits() {
        let mut terms = terms();
        let (x, y) = (unknown(&mut terms, 0, 64), unknown(&mut terms, 1, 64));
        let wide = terms.sum(64, 300, &[(1, x), (2, y)]);
        let narrow = terms.part(wide, 0, 8);
        let (x8, y8) = (terms.part(x, 0, 8), terms.part(y, 0, 8));
        let expected = terms.sum(8, 300, &[(1, x8), (2, y8)]);
        assert_eq!(narrow, expected);
        let zero = terms.sum(64, 0, &[(1, x), (u64::MAX, x)]);
        assert_eq!(terms.as_constant(zero), Some(0));
    }

    #[test]
    fn masks_are_zero_extensions() {
        let mut terms = terms();
        let x = unknown(&mut terms, 0, 64);
        for bits in [8, 16, 32] {
            let mask = terms.constant(64, (1 << bits) - 1);
            let masked = terms.bitwise(Bitwise::And, x, mask);
            let low = terms.part(x, 0, bits);
            assert_eq!(masked, terms.zero_extend(low, 64), "{bits}");
            // Which a further extension does not change, of either kind if it is wider.
            let part = terms.part(masked, 0, 32);
            let again = terms.zero_extend(part, 64);
            assert_eq!(again, masked);
            assert_eq!(terms.sign_extend(part, 64) == masked, bits < 32, "{bits}");
        }
    }

    #[test]
    fn different_things_are_different() {
        let mut terms = terms();
        let (x, y) = (unknown(&mut terms, 0, 32), unknown(&mut terms, 1, 32));
        let and = terms.bitwise(Bitwise::And, x, y);
        let or = terms.bitwise(Bitwise::Or, x, y);
        assert_ne!(and, or);
        assert_eq!(and, terms.bitwise(Bitwise::And, y, x));
        let sums = [
            terms.sum(32, 1, &[(1, x)]),
            terms.sum(32, 2, &[(1, x)]),
            terms.sum(32, 1, &[(2, x)]),
        ];
        assert!(sums[0] != sums[1] && sums[1] != sums[2] && sums[0] != sums[2]);
        let parts = [terms.part(x, 0, 8), terms.part(x, 8, 8), terms.part(x, 0, 16)];
        assert!(parts[0] != parts[1] && parts[0] != parts[2]);
        let undefined = terms.symbol(Origin::Undefined, [0; 3], 32);
        let sum = terms.sum(32, 0, &[(1, x), (1, undefined)]);
        assert!(terms.is_undefined(sum) && !terms.is_undefined(x));
    }
}
