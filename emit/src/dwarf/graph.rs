//! The nodes of the module and, after them, those that came with its functions.

use frazil_ir::EntityRef;
use frazil_ir::debug::kind::{
    BasicType, CompositeType, DerivedType, LexicalBlock, LexicalBlockFile, LocalVariable, Namespace, SourceModule,
    Subprogram,
};
use frazil_ir::debug::metadata::shifted;
use frazil_ir::debug::{Entry, Kind, Metadata, NodeId, NodeRef};

/// Scopes that stand in each other at most; of deeper ones, and of those that contain themselves, nothing is said.
pub(super) const MOST_SCOPES: usize = 200;

/// All nodes so far.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    module: &'a Metadata,
    functions: Metadata,
}

/// The new numbers of the nodes of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    first: u32,
    shift: u32,
}

impl Moved {
    pub(super) fn node(self, node: NodeId) -> NodeId {
        shifted(node, self.first, self.shift)
    }

    pub(super) fn reference(self, node: NodeRef) -> NodeRef {
        node.node().map_or(NodeRef::NONE, |node| NodeRef::to(self.node(node)))
    }
}

impl<'a> Graph<'a> {
    pub(super) fn new(module: &'a Metadata) -> Graph<'a> {
        let mut functions = Metadata::default();
        functions.restart(module.next());
        Graph { module, functions }
    }

    /// Adds the nodes of a function, which gives them new numbers.
    pub(super) fn append(&mut self, nodes: &Metadata) -> Moved {
        Moved {
            first: nodes.first(),
            shift: self.functions.append(nodes),
        }
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.functions.next() as usize
    }

    /// All nodes, by number.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        self.module.ids().chain(self.functions.ids())
    }

    fn table(&self, node: NodeId) -> &Metadata {
        match (node.index() as u32) < self.functions.first() {
            true => self.module,
            false => &self.functions,
        }
    }

    pub(super) fn kind(&self, node: NodeId) -> Option<Kind> {
        self.table(node).kind(node)
    }

    pub(super) fn kind_at(&self, node: NodeRef) -> Option<Kind> {
        self.kind(node.node()?)
    }

    pub(super) fn get<E: Entry>(&self, node: NodeId) -> Option<E> {
        self.table(node).get(node)
    }

    pub(super) fn at<E: Entry>(&self, node: NodeRef) -> Option<E> {
        self.get(node.node()?)
    }

    pub(super) fn words(&self, node: NodeId) -> &[u64] {
        self.table(node).words(node)
    }

    /// The text that a reference names, up to the first zero byte; empty if it names none.
    pub(super) fn text(&self, node: NodeRef) -> &[u8] {
        let text = node
            .node()
            .and_then(|node| self.table(node).text(node))
            .unwrap_or_default();
        text.split(|&byte| byte == 0).next().unwrap_or_default()
    }

    pub(super) fn list(&self, node: NodeRef) -> impl DoubleEndedIterator<Item = NodeRef> + '_ {
        let words = match node.node().filter(|&node| self.kind(node) == Some(Kind::List)) {
            Some(node) => self.words(node),
            None => &[],
        };
        words.iter().map(|&word| NodeRef::from_number(word))
    }

    /// The words of an expression; `None` for an expression that is not known.
    pub(super) fn expression(&self, node: NodeRef) -> Option<&[u64]> {
        let Some(node) = node.node() else { return Some(&[]) };
        (self.kind(node) == Some(Kind::Expression)).then(|| self.words(node))
    }

    /// The scope right around another; none at the outermost, and for what is no scope.
    pub(super) fn scope_of(&self, scope: NodeId) -> NodeRef {
        match self.kind(scope) {
            Some(Kind::Subprogram) => self.get::<Subprogram>(scope).map(|entry| entry.scope),
            Some(Kind::LexicalBlock) => self.get::<LexicalBlock>(scope).map(|entry| entry.scope),
            Some(Kind::LexicalBlockFile) => self.get::<LexicalBlockFile>(scope).map(|entry| entry.scope),
            Some(Kind::Namespace) => self.get::<Namespace>(scope).map(|entry| entry.scope),
            Some(Kind::SourceModule) => self.get::<SourceModule>(scope).map(|entry| entry.scope),
            Some(Kind::CompositeType) => self.get::<CompositeType>(scope).map(|entry| entry.scope),
            Some(Kind::LocalVariable) => self.get::<LocalVariable>(scope).map(|entry| entry.scope),
            _ => None,
        }
        .unwrap_or_default()
    }

    /// Whether the scopes around a node end after few steps.
    pub(super) fn is_in_few_scopes(&self, node: NodeRef) -> bool {
        let mut scope = node;
        for _ in 0..MOST_SCOPES {
            match scope.node() {
                None => return true,
                Some(node) => scope = self.scope_of(node),
            }
        }
        false
    }

    /// How many bits the numbers of a type have; `None` for types of something else.
    pub(super) fn number_bits(&self, ty: NodeRef) -> Option<u64> {
        let mut ty = ty;
        for _ in 0..MOST_SCOPES {
            match self.kind_at(ty)? {
                Kind::BasicType => return self.at::<BasicType>(ty).map(|entry| entry.size),
                // Other names, and qualifiers, have no size of their own.
                Kind::DerivedType => ty = self.at::<DerivedType>(ty).filter(|entry| entry.size == 0)?.base,
                _ => return None,
            }
        }
        None
    }

    /// How many bits the values of a type have, if it says so.
    pub(super) fn type_bits(&self, ty: NodeRef) -> Option<u64> {
        let mut ty = ty;
        for _ in 0..MOST_SCOPES {
            match self.kind_at(ty)? {
                Kind::BasicType => return self.at::<BasicType>(ty).map(|entry| entry.size),
                Kind::CompositeType => return self.at::<CompositeType>(ty).map(|entry| entry.size),
                Kind::DerivedType => match self.at::<DerivedType>(ty)? {
                    entry if entry.size == 0 => ty = entry.base,
                    entry => return Some(entry.size),
                },
                _ => return None,
            }
        }
        None
    }

    /// The scope without what only says another file or discriminator.
    pub(super) fn real_scope(&self, scope: NodeRef) -> NodeRef {
        let mut scope = scope;
        for _ in 0..MOST_SCOPES {
            match self.at::<LexicalBlockFile>(scope) {
                Some(entry) => scope = entry.scope,
                None => return scope,
            }
        }
        NodeRef::NONE
    }

    /// The function that a scope is in.
    pub(super) fn subprogram_of(&self, scope: NodeRef) -> Option<NodeId> {
        let mut scope = scope;
        for _ in 0..MOST_SCOPES {
            let node = scope.node()?;
            match self.kind(node)? {
                Kind::Subprogram => return Some(node),
                Kind::LexicalBlock | Kind::LexicalBlockFile => scope = self.scope_of(node),
                _ => return None,
            }
        }
        None
    }
}
