//! Entries of nodes that others name: types, namespaces, declarations.
//!
//! An entry is reserved when it is first named and filled in when everything else is there, in that order; so nothing
//! here recurses, however deep types are nested.
//!
//! Types and declarations of functions have one entry for all units, as LLVM has it: in the unit that names it first,
//! or in that of the type that they are declared in. So a type is never in one unit and what it contains in another.
//! If types have units of their own ([`super::type_units`]), or units are split, they share nothing.

use super::DebugWriter;
use super::attributes::flag;
use super::output::EntryId;
use super::subprograms::sp_flag;
use frazil_ir::debug::kind::{
    BasicType, CompositeType, DerivedType, GlobalVariable, Namespace, SourceModule, Subprogram, SubroutineType,
};
use frazil_ir::debug::{Kind, NodeId, NodeRef};
use gimli::constants as dw;

/// Which units have one entry for a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    AllUnits,
    OneUnit,
}

impl DebugWriter<'_> {
    /// The entry of a node, if nodes of its kind have one.
    pub(super) fn entry(&mut self, unit: usize, node: NodeRef) -> Option<EntryId> {
        let node = node.node()?;
        if let Some(&known) = self.units.shared.get(&node) {
            return Some(known);
        }
        if let Some(&known) = self.units.get(unit).entries.get(&node) {
            return Some(known);
        }
        match self.sharing(node)? {
            Sharing::AllUnits if self.shares_entries => Some(self.reserve_shared(unit, node)),
            _ => {
                let entry = self.unit(unit).reserve();
                self.units.get(unit).entries.insert(node, entry);
                self.units.pending.push((entry, node));
                Some(entry)
            }
        }
    }

    /// Which units a node has one entry for; `None` if nodes of its kind have no entry.
    fn sharing(&self, node: NodeId) -> Option<Sharing> {
        match self.graph.kind(node)? {
            Kind::BasicType | Kind::CompositeType | Kind::SubroutineType => Some(Sharing::AllUnits),
            Kind::Namespace | Kind::SourceModule | Kind::GlobalVariable => Some(Sharing::OneUnit),
            Kind::Subprogram => {
                let data: Subprogram = self.graph.get(node).unwrap_or_default();
                match data.sp_flags & sp_flag::DEFINITION {
                    0 => Some(Sharing::AllUnits),
                    _ => Some(Sharing::OneUnit),
                }
            }
            // Members are part of their type, but for those that are variables.
            Kind::DerivedType => {
                let data: DerivedType = self.graph.get(node).unwrap_or_default();
                let has_entry = !is_member(data.tag) || data.flags & flag::STATIC_MEMBER != 0;
                has_entry.then_some(Sharing::AllUnits)
            }
            _ => None,
        }
    }

    /// Reserves the entry of a type or declaration, and those of the types around it, in the unit of the outermost of
    /// them that has one already, else in the one that names it.
    fn reserve_shared(&mut self, unit: usize, node: NodeId) -> EntryId {
        let mut owner = unit;
        let mut around = self.type_around(node);
        let mut path = Vec::new();
        while let Some(outer) = around {
            if let Some(known) = self.units.shared.get(&outer) {
                owner = known.unit();
                break;
            }
            path.push(outer);
            around = self.type_around(outer);
        }
        let entry = self.reserve_in(owner, node);
        for outer in path {
            self.reserve_in(owner, outer);
        }
        entry
    }

    fn reserve_in(&mut self, unit: usize, node: NodeId) -> EntryId {
        let entry = self.unit(unit).reserve();
        self.units.shared.insert(node, entry);
        self.units.pending.push((entry, node));
        entry
    }

    /// The type that a node is declared in, if its entry is to stand in that of the type.
    fn type_around(&self, node: NodeId) -> Option<NodeId> {
        let scope = match self.graph.get::<DerivedType>(node) {
            Some(data) => data.scope,
            None => self.graph.scope_of(node),
        };
        let is_type = self.graph.kind_at(scope) == Some(Kind::CompositeType);
        scope.node().filter(|_| is_type && self.graph.is_in_few_scopes(scope))
    }

    /// Fills in the entries that were named so far, and those that these name.
    pub(super) fn fill_entries(&mut self) {
        let mut next = 0;
        while let Some(&(entry, node)) = self.units.pending.get(next) {
            next += 1;
            self.fill(entry.unit(), entry, node);
        }
        self.units.pending = Vec::new();
    }

    fn fill(&mut self, unit: usize, entry: EntryId, node: NodeId) {
        let graph = &self.graph;
        if let Some(data) = graph.get::<BasicType>(node) {
            self.place(unit, entry, NodeRef::NONE, tag(data.tag, BASIC_TAGS));
            self.fill_basic(unit, entry, &data);
        } else if let Some(data) = graph.get::<DerivedType>(node) {
            match is_member(data.tag) {
                true => self.fill_static_member(unit, entry, &data),
                false => {
                    self.place(unit, entry, data.scope, tag(data.tag, DERIVED_TAGS));
                    self.fill_derived(unit, entry, &data);
                }
            }
        } else if let Some(data) = graph.get::<CompositeType>(node) {
            self.place(unit, entry, data.scope, composite_tag(data.tag));
            match self.type_signature(unit, node, &data) {
                Some(signature) => self.refer_to_type_unit(unit, entry, signature),
                None => self.fill_composite(unit, entry, &data),
            }
        } else if let Some(data) = graph.get::<SubroutineType>(node) {
            self.place(unit, entry, NodeRef::NONE, dw::DW_TAG_subroutine_type);
            self.fill_subroutine(unit, entry, &data);
        } else if let Some(data) = graph.get::<Namespace>(node) {
            self.place(unit, entry, data.scope, dw::DW_TAG_namespace);
            self.set_name(unit, entry, data.name);
            self.set_flag(unit, entry, dw::DW_AT_export_symbols, data.exports != 0);
        } else if let Some(data) = graph.get::<SourceModule>(node) {
            self.place(unit, entry, data.scope, dw::DW_TAG_module);
            self.set_name(unit, entry, data.name);
        } else if let Some(data) = graph.get::<Subprogram>(node) {
            self.place(unit, entry, data.scope, dw::DW_TAG_subprogram);
            self.fill_declaration(unit, entry, &data);
        } else if let Some(data) = graph.get::<GlobalVariable>(node) {
            self.place(unit, entry, data.scope, dw::DW_TAG_variable);
            self.fill_global(unit, entry, &data);
        }
    }

    /// Puts an entry into that of its scope, or into the root of its unit.
    pub(super) fn place(&mut self, unit: usize, entry: EntryId, scope: NodeRef, tag: dw::DwTag) {
        let parent = self.scope_entry(unit, scope);
        self.unit(unit).add_reserved(entry, parent, tag);
    }

    /// The entry of a namespace, module or type that something is declared in, or of the function with code; the root
    /// for everything else, and where the scope is in another unit.
    pub(super) fn scope_entry(&mut self, unit: usize, scope: NodeRef) -> EntryId {
        if let Some(function) = self.graph.subprogram_of(scope) {
            let known = self.units.get(unit).entries.get(&function).copied();
            return known.unwrap_or_else(|| self.unit(unit).root());
        }
        let is_scope = matches!(
            self.graph.kind_at(scope),
            Some(Kind::Namespace | Kind::SourceModule | Kind::CompositeType)
        );
        let entry = match is_scope && self.graph.is_in_few_scopes(scope) {
            true => self.entry(unit, scope),
            false => None,
        };
        let entry = entry.filter(|entry| entry.unit() == unit);
        entry.unwrap_or_else(|| self.unit(unit).root())
    }
}

/// Whether a derived type is a member of another, and not a type.
pub(super) fn is_member(tag: u64) -> bool {
    let members = [
        dw::DW_TAG_member,
        dw::DW_TAG_inheritance,
        dw::DW_TAG_friend,
        dw::DW_TAG_variable,
        dw::DW_TAG_variant,
    ];
    members.iter().any(|member| u64::from(member.0) == tag)
}

/// A tag of the file, if it is one of these; the first of them otherwise.
fn tag(tag: u64, known: &[dw::DwTag]) -> dw::DwTag {
    let found = known.iter().find(|known| u64::from(known.0) == tag);
    found.or(known.first()).copied().unwrap_or(dw::DW_TAG_unspecified_type)
}

const BASIC_TAGS: &[dw::DwTag] = &[dw::DW_TAG_base_type, dw::DW_TAG_unspecified_type];

const DERIVED_TAGS: &[dw::DwTag] = &[
    dw::DW_TAG_typedef,
    dw::DW_TAG_pointer_type,
    dw::DW_TAG_reference_type,
    dw::DW_TAG_rvalue_reference_type,
    dw::DW_TAG_ptr_to_member_type,
    dw::DW_TAG_const_type,
    dw::DW_TAG_volatile_type,
    dw::DW_TAG_restrict_type,
    dw::DW_TAG_atomic_type,
    dw::DW_TAG_immutable_type,
    dw::DW_TAG_template_alias,
    dw::DW_TAG_set_type,
    dw::DW_TAG_file_type,
];

const COMPOSITE_TAGS: &[dw::DwTag] = &[
    dw::DW_TAG_structure_type,
    dw::DW_TAG_class_type,
    dw::DW_TAG_union_type,
    dw::DW_TAG_enumeration_type,
    dw::DW_TAG_array_type,
    dw::DW_TAG_variant_part,
];

const IMPORTED_TAGS: &[dw::DwTag] = &[dw::DW_TAG_imported_declaration, dw::DW_TAG_imported_module];

/// How an entity is imported.
pub(super) fn imported_tag(of_file: u64) -> dw::DwTag {
    tag(of_file, IMPORTED_TAGS)
}

/// What a composite type is.
pub(super) fn composite_tag(of_file: u64) -> dw::DwTag {
    tag(of_file, COMPOSITE_TAGS)
}
