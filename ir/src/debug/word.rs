//! What a field of a node may be: a number, a reference to another node, or a bound that is either. Each is one word.

use frazil_support::{EntityRef, entity_impl};

/// The number of a node of debug information, in its module and function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);
entity_impl!(NodeId, "node");

/// A reference to a node, or to none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeRef(u32);

impl NodeRef {
    /// No node.
    pub const NONE: NodeRef = NodeRef(0);

    /// A reference to a node.
    pub fn to(node: NodeId) -> NodeRef {
        NodeRef(node.index() as u32 + 1)
    }

    /// The node with this number plus one, or none for 0, as LLVM writes references.
    pub fn from_number(number: u64) -> NodeRef {
        NodeRef(u32::try_from(number).unwrap_or(0))
    }

    /// What is referred to, if there is anything.
    #[inline]
    pub fn node(self) -> Option<NodeId> {
        self.0.checked_sub(1).map(|index| NodeId::new(index as usize))
    }

    /// Whether it refers to nothing.
    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The number of the node plus one.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A bound of a range: nothing, a number, or a node (a constant, a variable or an expression).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    #[default]
    None,
    Number(i64),
    Node(NodeId),
}

/// Set in the words of bounds that are numbers, which have 63 bits then.
const NUMBER: u64 = 1 << 63;

/// What is one word of a node.
pub trait Word: Copy {
    /// Whether it may name a node.
    const FORM: Form;
    /// How it stands among the words of a node.
    fn to_word(self) -> u64;
    /// The inverse of [`Word::to_word`]; words of damaged files become something, too.
    fn from_word(word: u64) -> Self;
}

/// What the words of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Number,
    Node,
    Bound,
}

impl Form {
    /// The word with the number of its node, if it names one, changed by `map`.
    pub fn map_node(self, word: u64, map: impl FnOnce(NodeId) -> NodeId) -> u64 {
        match self {
            Form::Number => word,
            Form::Bound if word & NUMBER != 0 => word,
            Form::Node | Form::Bound => match NodeRef::from_number(word).node() {
                Some(node) => NodeRef::to(map(node)).to_word(),
                None => word,
            },
        }
    }
}

impl Word for u64 {
    const FORM: Form = Form::Number;

    fn to_word(self) -> u64 {
        self
    }

    fn from_word(word: u64) -> u64 {
        word
    }
}

impl Word for NodeRef {
    const FORM: Form = Form::Node;

    fn to_word(self) -> u64 {
        self.0.into()
    }

    fn from_word(word: u64) -> NodeRef {
        NodeRef::from_number(word)
    }
}

impl Word for Bound {
    const FORM: Form = Form::Bound;

    fn to_word(self) -> u64 {
        match self {
            Bound::None => 0,
            Bound::Number(number) => number.cast_unsigned() | NUMBER,
            Bound::Node(node) => NodeRef::to(node).to_word(),
        }
    }

    fn from_word(word: u64) -> Bound {
        if word & NUMBER != 0 {
            return Bound::Number((word << 1).cast_signed() >> 1);
        }
        NodeRef::from_word(word).node().map_or(Bound::None, Bound::Node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_words() {
        for bound in [
            Bound::None,
            Bound::Number(0),
            Bound::Number(-1),
            Bound::Number(1 << 40),
            Bound::Node(NodeId::new(0)),
            Bound::Node(NodeId::new(77)),
        ] {
            assert_eq!(Bound::from_word(bound.to_word()), bound);
        }
        let moved = |word, form: Form| form.map_node(word, |node| NodeId::new(node.index() + 10));
        assert_eq!(moved(0, Form::Node), 0);
        assert_eq!(moved(5, Form::Node), 15);
        assert_eq!(moved(5, Form::Number), 5);
        assert_eq!(
            moved(Bound::Number(4).to_word(), Form::Bound),
            Bound::Number(4).to_word()
        );
    }
}
