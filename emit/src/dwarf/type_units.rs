//! Type units (DWARF 5, section 3.1.4): types that have one name in all of a program, each in a unit of its own that
//! linkers keep once.
//!
//! A type is put into a unit where it would be filled in: the entry there becomes a declaration with the signature of
//! the unit, which is the 64 bits of the MD5 sum of the type's identifier that LLVM takes. What the unit names has
//! entries in it again, or declarations with signatures in turn. So units share nothing then ([`super::entries`]).
//!
//! Invariant: nothing in a type unit depends on the module that it is in. What names a type without identifier, a type
//! inside of a function or the address of a symbol stays where it is, with all that refers to it, as LLVM has it (which
//! makes units of types inside of functions). One walk over all nodes finds that, when the first type asks.

use super::DebugWriter;
use super::attributes::flag;
use super::graph::Graph;
use super::output::{EntryId, LineProgram, Unit, Value};
use super::subprograms::sp_flag;
use super::units::UnitState;
use frazil_ir::EntityRef;
use frazil_ir::debug::kind::{CompileUnit, CompositeType, DerivedType, Subprogram, Subrange, TemplateValue};
use frazil_ir::debug::word::Form;
use frazil_ir::debug::{Bound, Kind, NodeId, NodeRef};
use frazil_support::FxHashSet;
use gimli::constants as dw;
use md5::{Digest, Md5};

/// What is known of type units while they are made.
#[derive(Debug, Default)]
pub(super) struct TypeUnits {
    /// Whether there are to be any.
    pub are_wanted: bool,
    /// By number, whether a node must not be named in a type unit; empty before the first question.
    unfit: Vec<bool>,
    signatures: FxHashSet<u64>,
}

impl TypeUnits {
    /// None so far.
    pub fn new(are_wanted: bool) -> TypeUnits {
        TypeUnits {
            are_wanted,
            ..TypeUnits::default()
        }
    }
}

impl DebugWriter<'_> {
    /// The signature of the unit that a type is in, which is made when it is first asked for; `None` for a type that is
    /// where it is named.
    pub(super) fn type_signature(&mut self, unit: usize, node: NodeId, data: &CompositeType) -> Option<u64> {
        if !self.type_units.are_wanted || self.units.get(unit).own_type == Some(node) {
            return None;
        }
        let identifier = self.graph.text(data.identifier);
        if identifier.is_empty() || data.flags & flag::DECLARATION != 0 {
            return None;
        }
        let signature = signature(identifier);
        if self.type_units.unfit.is_empty() {
            self.type_units.unfit = unfit(&self.graph);
        }
        if self.type_units.unfit[node.index()] {
            return None;
        }
        if self.type_units.signatures.insert(signature) {
            self.add_type_unit(unit, node, signature);
        }
        Some(signature)
    }

    /// Makes the unit of a type that is named in a unit of compilation, or in a type unit of that.
    fn add_type_unit(&mut self, unit: usize, node: NodeId, signature: u64) {
        let lines = self.units.get(unit).lines;
        let number = self.dwarf.units.len();
        let of = &self.dwarf.units[self.units.get(lines).number];
        let mut out = Unit::of_type(
            number,
            of.encoding,
            LineProgram::for_numbers(of.encoding),
            signature,
            lines,
        );
        out.is_indexed = of.is_indexed;
        let root = out.root();
        let compiled = self.units.get(lines).node();
        let language = self.graph.get::<CompileUnit>(compiled).map(|data| data.language);
        if let Some(language) = language.and_then(|language| u16::try_from(language).ok()) {
            out.set(root, dw::DW_AT_language, Value::Half(language));
        }
        let entry = out.reserve();
        out.set_own_type(entry);
        self.dwarf.units.push(out);
        let state = UnitState::of_type(number, node, self.units.get(lines), entry);
        self.units.push(state);
        self.units.pending.push((entry, node));
    }

    /// Makes an entry one that stands for a type in a unit of its own.
    pub(super) fn refer_to_type_unit(&mut self, unit: usize, entry: EntryId, signature: u64) {
        self.set_flag(unit, entry, dw::DW_AT_declaration, true);
        self.set(unit, entry, dw::DW_AT_signature, Value::Signature(signature));
    }
}

/// The signature of a type: the second half of the MD5 sum of its identifier (LLVM's `makeTypeSignature`).
fn signature(identifier: &[u8]) -> u64 {
    let sum = Md5::digest(identifier);
    let half = sum[8..].first_chunk().expect("a sum has 16 bytes");
    u64::from_le_bytes(*half)
}

/// By number, whether a node names what must not be in a type unit, or is that.
fn unfit(graph: &Graph<'_>) -> Vec<bool> {
    let mut unfit = vec![false; graph.len()];
    let mut uses: Vec<(u32, u32)> = Vec::new();
    let mut pending = Vec::new();
    for node in graph.ids() {
        let Some(kind) = graph.kind(node).filter(|&kind| is_part_of_types(kind)) else {
            continue;
        };
        if is_bound_to_module(graph, node) {
            unfit[node.index()] = true;
            pending.push(node.index() as u32);
        }
        for (place, &word) in graph.words(node).iter().enumerate() {
            if kind.form(place) == Form::Node
                && let Some(named) = NodeRef::from_number(word).node()
                && named.index() < unfit.len()
            {
                uses.push((named.index() as u32, node.index() as u32));
            }
        }
    }
    uses.sort_unstable();
    while let Some(node) = pending.pop() {
        let first = uses.partition_point(|&(named, _)| named < node);
        for &(_, user) in uses[first..].iter().take_while(|&&(named, _)| named == node) {
            if !std::mem::replace(&mut unfit[user as usize], true) {
                pending.push(user);
            }
        }
    }
    unfit
}

/// Whether entries of types name nodes of this kind.
fn is_part_of_types(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::List
            | Kind::CompositeType
            | Kind::DerivedType
            | Kind::SubroutineType
            | Kind::Subprogram
            | Kind::Subrange
            | Kind::TemplateType
            | Kind::TemplateValue
    )
}

/// Whether a node, by itself, is something of this module alone.
fn is_bound_to_module(graph: &Graph<'_>, node: NodeId) -> bool {
    let is_local = |scope: NodeRef| matches!(graph.kind_at(scope), Some(Kind::LexicalBlock | Kind::LexicalBlockFile));
    if let Some(data) = graph.get::<CompositeType>(node) {
        let is_declared = data.flags & flag::DECLARATION != 0;
        let has_name_alone = data.identifier.is_none() && !data.name.is_none();
        return has_name_alone && !is_declared || is_local(data.scope);
    }
    if let Some(data) = graph.get::<DerivedType>(node) {
        return is_local(data.scope);
    }
    if let Some(data) = graph.get::<Subprogram>(node) {
        return data.sp_flags & sp_flag::DEFINITION != 0;
    }
    if let Some(data) = graph.get::<TemplateValue>(node) {
        return graph.kind_at(data.value) == Some(Kind::Symbol);
    }
    let is_variable = |bound: Bound| match bound {
        Bound::Node(node) => matches!(graph.kind(node), Some(Kind::LocalVariable | Kind::GlobalVariable)),
        _ => false,
    };
    let range = graph.get::<Subrange>(node).unwrap_or_default();
    [range.count, range.lower, range.upper, range.stride]
        .into_iter()
        .any(is_variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_llvm() {
        // What `llc --generate-type-units` writes for `struct S`.
        assert_eq!(signature(b"_ZTS1S"), 0x4185_03b8_111e_9a7b);
    }
}
