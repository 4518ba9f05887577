//! The table of nodes: for each a kind and a range of words, or of bytes for texts.
//!
//! A table may continue another one: its first node has the number after the last of that. So the nodes that only one
//! function needs come with the function, and name those of the module by their numbers. [`Metadata::append`] puts them
//! behind what is there, and gives them new numbers.

use super::kind::{Entry, Kind};
use super::word::{NodeId, NodeRef};
use frazil_support::EntityRef;

#[derive(Clone, Copy, Debug)]
struct NodeData {
    kind: Kind,
    /// The first of its words, or of its bytes.
    start: u32,
    length: u32,
}

/// Nodes by number.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// The number of the first.
    first: u32,
    nodes: Vec<NodeData>,
    words: Vec<u64>,
    bytes: Vec<u8>,
}

impl Metadata {
    /// Forgets all nodes but keeps the memory; the next one has this number.
    pub fn restart(&mut self, first: u32) {
        self.first = first;
        self.nodes.clear();
        self.words.clear();
        self.bytes.clear();
    }

    /// The number of the first node.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// The number of the next node.
    pub fn next(&self) -> u32 {
        self.first + self.nodes.len() as u32
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes of this table.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (self.first..self.next()).map(|number| NodeId::new(number as usize))
    }

    /// Adds a text.
    pub fn push_text(&mut self, text: &[u8]) -> NodeId {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text);
        self.push_node(Kind::Text, start, text.len() as u32)
    }

    /// Adds a node of words.
    pub fn push_words(&mut self, kind: Kind, words: &[u64]) -> NodeId {
        let start = self.words.len() as u32;
        self.words.extend_from_slice(words);
        self.push_node(kind, start, words.len() as u32)
    }

    /// Adds a node of fields.
    pub fn push<E: Entry>(&mut self, entry: &E) -> NodeId {
        let start = self.words.len();
        entry.write(&mut self.words);
        self.push_node(E::KIND, start as u32, (self.words.len() - start) as u32)
    }

    fn push_node(&mut self, kind: Kind, start: u32, length: u32) -> NodeId {
        let id = NodeId::new(self.next() as usize);
        self.nodes.push(NodeData { kind, start, length });
        id
    }

    fn data(&self, id: NodeId) -> Option<NodeData> {
        let index = (id.index() as u32).checked_sub(self.first)?;
        self.nodes.get(index as usize).copied()
    }

    /// What a node is, if it is one of this table.
    pub fn kind(&self, id: NodeId) -> Option<Kind> {
        Some(self.data(id)?.kind)
    }

    /// The words of a node; none for texts and for nodes that are not in this table.
    pub fn words(&self, id: NodeId) -> &[u64] {
        match self.data(id) {
            Some(data) if data.kind != Kind::Text => &self.words[data.start as usize..][..data.length as usize],
            _ => &[],
        }
    }

    /// The characters of a text.
    pub fn text(&self, id: NodeId) -> Option<&[u8]> {
        let data = self.data(id).filter(|data| data.kind == Kind::Text)?;
        Some(&self.bytes[data.start as usize..][..data.length as usize])
    }

    /// The fields of a node, if it is of their kind.
    pub fn get<E: Entry>(&self, id: NodeId) -> Option<E> {
        (self.kind(id) == Some(E::KIND)).then(|| E::read(self.words(id)))
    }

    /// The same for a reference.
    pub fn at<E: Entry>(&self, node: NodeRef) -> Option<E> {
        self.get(node.node()?)
    }

    /// The text that a reference names; empty if it names none.
    pub fn text_at(&self, node: NodeRef) -> &[u8] {
        node.node().and_then(|node| self.text(node)).unwrap_or_default()
    }

    /// The nodes of a list; none if the reference names no list.
    pub fn list_at(&self, node: NodeRef) -> impl DoubleEndedIterator<Item = NodeRef> + '_ {
        let list = node.node().filter(|&node| self.kind(node) == Some(Kind::List));
        let words = list.map_or(&[][..], |list| self.words(list));
        words.iter().map(|&word| NodeRef::from_number(word))
    }

    /// Appends the nodes of a table that continues a table of `shared` nodes, with which this one begins, too. Returns
    /// by how much their numbers grow.
    pub fn append(&mut self, other: &Metadata) -> u32 {
        let shift = self.next() - other.first;
        let (words, bytes) = (self.words.len() as u32, self.bytes.len() as u32);
        self.bytes.extend_from_slice(&other.bytes);
        self.words.reserve(other.words.len());
        for (index, data) in other.nodes.iter().enumerate() {
            let id = NodeId::new(other.first as usize + index);
            let moved = |node: NodeId| shifted(node, other.first, shift);
            let own = other.words(id).iter().enumerate();
            self.words
                .extend(own.map(|(position, &word)| data.kind.form(position).map_node(word, moved)));
            let start = match data.kind {
                Kind::Text => bytes,
                _ => words,
            };
            self.push_node(data.kind, start + data.start, data.length);
        }
        shift
    }
}

/// The number of a node after [`Metadata::append`] has put those from `first` on elsewhere.
pub fn shifted(node: NodeId, first: u32, shift: u32) -> NodeId {
    match node.index() as u32 {
        number if number >= first => NodeId::new((number + shift) as usize),
        _ => node,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debug::kind::{LexicalBlock, Namespace};

    #[test]
    fn tables_continue_others() {
        let mut module = Metadata::default();
        let name = module.push_text(b"outer");
        let outer = module.push(&Namespace {
            name: NodeRef::to(name),
            ..Namespace::default()
        });
        let mut whole = module.clone();
        for number in 0..2_u8 {
            let mut own = Metadata::default();
            own.restart(module.next());
            let name = own.push_text(&[b'a' + number]);
            let inner = own.push(&Namespace {
                scope: NodeRef::to(outer),
                name: NodeRef::to(name),
                exports: 0,
            });
            own.push_words(Kind::List, &[NodeRef::to(inner).number().into(), 0]);
            assert!(own.kind(outer).is_none());
            whole.append(&own);
        }
        assert_eq!(whole.next(), 8);
        let list = NodeRef::to(NodeId::new(7));
        let nodes: Vec<NodeRef> = whole.list_at(list).collect();
        assert_eq!(nodes, [NodeRef::to(NodeId::new(6)), NodeRef::NONE]);
        let inner: Namespace = whole.at(nodes[0]).unwrap();
        assert_eq!(whole.text_at(inner.name), b"b");
        assert_eq!(inner.scope, NodeRef::to(outer));
        assert_eq!(whole.at::<LexicalBlock>(nodes[0]), None);
    }
}
