//! Scopes of a function that have code: blocks and inlined functions, with the ranges of it.
//!
//! A scope is named by its node and the call that it was inlined by. Each location of the code belongs to one, and so
//! to all around it. Code without a location is in the scopes that the code before and after it have in common, as with
//! `llc`: ranges are few so, and a frame is not interrupted where passes have moved something.

use super::graph::{Graph, MOST_SCOPES, Moved};
use frazil_codegen::{CompiledFunction, MarkPlace};
use frazil_ir::debug::kind::SourceLocation;
use frazil_ir::debug::{Kind, Location, NodeId, NodeRef};
use frazil_support::FxHashMap;

/// A scope with code.
#[derive(Debug)]
pub(super) struct Scope {
    pub node: NodeId,
    pub inlined_at: NodeRef,
    pub parent: usize,
    /// Offsets in the function, ascending.
    pub ranges: Vec<(u32, u32)>,
    /// In how many others it is.
    depth: usize,
}

/// A location of code from an offset in the function on.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScopeMark {
    pub offset: u32,
    pub location: Option<Location>,
    pub place: MarkPlace,
}

/// The scopes of a function; the first one is the function, and each comes after what it is in.
#[derive(Debug)]
pub(super) struct ScopeTree {
    pub scopes: Vec<Scope>,
    numbers: FxHashMap<(NodeRef, NodeRef), usize>,
    /// From which offset in the function on which location holds.
    pub marks: Vec<ScopeMark>,
    /// The numbers of the function's nodes.
    pub moved: Moved,
}

impl ScopeTree {
    /// The scopes of a compiled function that `subprogram` describes.
    pub fn new(graph: &Graph<'_>, moved: Moved, subprogram: NodeId, code: &CompiledFunction) -> ScopeTree {
        let lead = code.prologue.bytes.len() as u32;
        let function = &code.debug.function;
        let moved_location = |location: &Location| Location {
            scope: moved.reference(location.scope),
            inlined_at: moved.reference(location.inlined_at),
            ..*location
        };
        let marks = code.body.marks().iter();
        let marks = marks.map(|mark| ScopeMark {
            offset: lead + mark.offset,
            location: function.location(mark.location).map(moved_location),
            place: mark.place,
        });
        let mut tree = ScopeTree {
            scopes: vec![Scope {
                node: subprogram,
                inlined_at: NodeRef::NONE,
                parent: 0,
                ranges: vec![(0, code.len() as u32)],
                depth: 0,
            }],
            numbers: FxHashMap::default(),
            marks: marks.collect(),
            moved,
        };
        let mut last = None;
        // The scope of the code with a location that came last, and its end.
        let mut located: Option<(usize, u32)> = None;
        for index in 0..tree.marks.len() {
            let ScopeMark {
                offset: start,
                location,
                ..
            } = tree.marks[index];
            let end = tree.marks.get(index + 1).map_or(code.len() as u32, |next| next.offset);
            if let Some(location) = location.filter(|_| start < end) {
                // Code beside each other is mostly in one scope.
                let named = (location.scope, location.inlined_at);
                let scope = match last {
                    Some((known, scope)) if known == named => scope,
                    _ => tree.find(graph, location.scope, location.inlined_at),
                };
                last = Some((named, scope));
                if let Some((before, its_end)) = located.filter(|before| before.1 < start) {
                    tree.bridge(before, its_end, scope, start);
                }
                located = Some((scope, end));
                tree.add_range(scope, start, end);
            }
        }
        tree
    }

    /// The node of the function.
    pub fn subprogram(&self) -> NodeId {
        self.scopes[0].node
    }

    /// The scope of a node, which is added if it is new; the function itself if the node is in no scope of it.
    fn find(&mut self, graph: &Graph<'_>, scope: NodeRef, inlined_at: NodeRef) -> usize {
        let mut path = Vec::new();
        let (mut scope, mut inlined_at) = (graph.real_scope(scope), inlined_at);
        let mut parent = loop {
            let Some(node) = scope.node().filter(|_| path.len() < MOST_SCOPES) else {
                break 0;
            };
            if inlined_at.is_none() && node == self.subprogram() {
                break 0;
            }
            if let Some(&known) = self.numbers.get(&(scope, inlined_at)) {
                break known;
            }
            path.push((scope, node, inlined_at));
            let call = graph.at::<SourceLocation>(inlined_at);
            match (graph.kind(node), call) {
                (Some(Kind::LexicalBlock), _) => scope = graph.real_scope(graph.scope_of(node)),
                (Some(Kind::Subprogram), Some(call)) => {
                    (scope, inlined_at) = (graph.real_scope(call.scope), call.inlined_at);
                }
                _ => {
                    path.pop();
                    break 0;
                }
            }
        };
        for (scope, node, inlined_at) in path.into_iter().rev() {
            if self.scopes[parent].depth >= MOST_SCOPES {
                parent = 0;
            }
            self.scopes.push(Scope {
                node,
                inlined_at,
                parent,
                ranges: Vec::new(),
                depth: self.scopes[parent].depth + 1,
            });
            parent = self.scopes.len() - 1;
            self.numbers.insert((scope, inlined_at), parent);
        }
        parent
    }

    /// The scope of a node, if it has code.
    pub fn known(&self, graph: &Graph<'_>, scope: NodeRef, inlined_at: NodeRef) -> Option<usize> {
        let scope = graph.real_scope(scope);
        if inlined_at.is_none() && scope.node() == Some(self.subprogram()) {
            return Some(0);
        }
        self.numbers.get(&(scope, inlined_at)).copied()
    }

    /// Extends the ranges that end with code in scope `before` to the start of code in another scope, in scopes that
    /// both are in.
    fn bridge(&mut self, before: usize, its_end: u32, scope: usize, start: u32) {
        let (mut common, mut other) = (before, scope);
        while common != other {
            let deeper = match self.scopes[common].depth >= self.scopes[other].depth {
                true => &mut common,
                false => &mut other,
            };
            *deeper = self.scopes[*deeper].parent;
        }
        while common != 0 {
            if let Some(range) = self.scopes[common].ranges.last_mut()
                && range.1 == its_end
            {
                range.1 = start;
            }
            common = self.scopes[common].parent;
        }
    }

    /// Adds a range to a scope and to all around it.
    fn add_range(&mut self, scope: usize, start: u32, end: u32) {
        let mut scope = scope;
        while scope != 0 {
            let ranges = &mut self.scopes[scope].ranges;
            match ranges.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => ranges.push((start, end)),
            }
            scope = self.scopes[scope].parent;
        }
    }
}
