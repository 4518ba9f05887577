//! Functions (DWARF 5, section 3.3): declarations, code, and what inlined copies refer to.

use super::attributes::flag;
use super::output::{EntryId, Expression, Value};
use super::variables::tag_of;
use super::{CodePlace, DebugWriter};
use frazil_codegen::CompiledFunction;
use frazil_ir::debug::kind::{LexicalBlock, LocalVariable, Subprogram, SubroutineType};
use frazil_ir::debug::{Kind, NodeId, NodeRef};
use gimli::constants as dw;

/// What frame offsets count from: the canonical frame address, which one table of frames or the other tells.
fn frame_base() -> Expression {
    let mut base = Expression::new();
    base.op(dw::DW_OP_call_frame_cfa);
    base
}

/// Bits of `sp_flags` (`llvm/IR/DebugInfoFlags.def`).
pub(super) mod sp_flag {
    pub const VIRTUALITY: u64 = 3;
    pub const LOCAL: u64 = 1 << 2;
    pub const DEFINITION: u64 = 1 << 3;
    pub const PURE: u64 = 1 << 5;
    pub const ELEMENTAL: u64 = 1 << 6;
    pub const RECURSIVE: u64 = 1 << 7;
    pub const MAIN: u64 = 1 << 8;
    pub const DELETED: u64 = 1 << 9;
}

impl DebugWriter<'_> {
    /// The entry of a function with code.
    pub(super) fn concrete(&mut self, unit: usize, place: CodePlace, code: &CompiledFunction, node: NodeId) -> EntryId {
        let data: Subprogram = self.graph.get(node).unwrap_or_default();
        let origin = self.units.get(unit).abstracts.get(&node).copied();
        let parent = match origin {
            Some(_) => self.unit(unit).root(),
            None => self.definition_parent(unit, &data),
        };
        let entry = self.unit(unit).add(parent, dw::DW_TAG_subprogram);
        self.units.get(unit).entries.entry(node).or_insert(entry);
        let start = Value::Address(DebugWriter::address(place.symbol, 0));
        self.set(unit, entry, dw::DW_AT_low_pc, start);
        self.set(unit, entry, dw::DW_AT_high_pc, Value::Unsigned(code.len() as u64));
        let base = Value::Expression(frame_base());
        self.set(unit, entry, dw::DW_AT_frame_base, base);
        match origin {
            Some(origin) => self.set(unit, entry, dw::DW_AT_abstract_origin, Value::Entry(origin)),
            None => self.describe_definition(unit, entry, &data),
        }
        entry
    }

    /// Where the entry of a definition stands: in a namespace, unless it refers to a declaration there.
    fn definition_parent(&mut self, unit: usize, data: &Subprogram) -> EntryId {
        let is_namespace = self.graph.kind_at(data.scope) == Some(Kind::Namespace);
        match data.declaration.is_none() && is_namespace {
            true => self.scope_entry(unit, data.scope),
            false => self.unit(unit).root(),
        }
    }

    fn describe_definition(&mut self, unit: usize, entry: EntryId, data: &Subprogram) {
        let declared: Option<Subprogram> = self.graph.at(data.declaration);
        let declaration = declared.and_then(|_| self.entry(unit, data.declaration));
        let Some((declaration, declared)) = declaration.zip(declared) else {
            self.describe_subprogram(unit, entry, data);
            self.add_template_parameters(unit, entry, data.template_params);
            return;
        };
        self.set(unit, entry, dw::DW_AT_specification, Value::Entry(declaration));
        if declared.file != data.file || declared.line != data.line {
            self.set_source(unit, entry, data.file, data.line);
        }
        if self.graph.text(declared.linkage_name).is_empty() {
            self.set_text(unit, entry, dw::DW_AT_linkage_name, data.linkage_name);
        }
        self.add_template_parameters(unit, entry, data.template_params);
    }

    /// The attributes of a function that is not declared elsewhere.
    fn describe_subprogram(&mut self, unit: usize, entry: EntryId, data: &Subprogram) {
        self.set_name(unit, entry, data.name);
        self.set_text(unit, entry, dw::DW_AT_linkage_name, data.linkage_name);
        self.set_source(unit, entry, data.file, data.line);
        let ty: SubroutineType = self.graph.at(data.ty).unwrap_or_default();
        let result = self.graph.list(ty.types).next().unwrap_or_default();
        self.set_type(unit, entry, result);
        self.set_common_flags(unit, entry, data.flags);
        let (flags, sp_flags) = (data.flags, data.sp_flags);
        for (name, is_set) in [
            (dw::DW_AT_prototyped, flags & flag::PROTOTYPED != 0),
            (dw::DW_AT_external, sp_flags & sp_flag::LOCAL == 0),
            (dw::DW_AT_explicit, flags & flag::EXPLICIT != 0),
            (dw::DW_AT_reference, flags & flag::LVALUE_REFERENCE != 0),
            (dw::DW_AT_rvalue_reference, flags & flag::RVALUE_REFERENCE != 0),
            (dw::DW_AT_noreturn, flags & flag::NO_RETURN != 0),
            (dw::DW_AT_main_subprogram, sp_flags & sp_flag::MAIN != 0),
            (dw::DW_AT_pure, sp_flags & sp_flag::PURE != 0),
            (dw::DW_AT_elemental, sp_flags & sp_flag::ELEMENTAL != 0),
            (dw::DW_AT_recursive, sp_flags & sp_flag::RECURSIVE != 0),
            (dw::DW_AT_deleted, sp_flags & sp_flag::DELETED != 0),
        ] {
            self.set_flag(unit, entry, name, is_set);
        }
        let virtuality = (sp_flags & sp_flag::VIRTUALITY) as u8;
        if virtuality != 0 {
            let value = Value::Byte(virtuality);
            self.set(unit, entry, dw::DW_AT_virtuality, value);
            // All ones stand for no place in the table.
            if u32::try_from(data.virtual_index).is_ok_and(|index| index != u32::MAX) {
                let mut place = Expression::new();
                place.op_constu(data.virtual_index);
                self.set(unit, entry, dw::DW_AT_vtable_elem_location, Value::Expression(place));
            }
            if let Some(class) = self.entry(unit, data.containing_type) {
                self.set(unit, entry, dw::DW_AT_containing_type, Value::Entry(class));
            }
        }
    }

    /// A declaration: of a member of a class, or of a function that others name.
    pub(super) fn fill_declaration(&mut self, unit: usize, entry: EntryId, data: &Subprogram) {
        self.describe_subprogram(unit, entry, data);
        self.set_flag(unit, entry, dw::DW_AT_declaration, true);
        self.add_template_parameters(unit, entry, data.template_params);
        let ty: SubroutineType = self.graph.at(data.ty).unwrap_or_default();
        let types: Vec<NodeRef> = self.graph.list(ty.types).collect();
        self.add_parameter_types(unit, entry, types.get(1..).unwrap_or_default());
    }

    /// Adds what stands for more arguments to a function that takes them.
    pub(super) fn add_unspecified(&mut self, unit: usize, entry: EntryId, node: NodeId) {
        let data: Subprogram = self.graph.get(node).unwrap_or_default();
        let ty: SubroutineType = self.graph.at(data.ty).unwrap_or_default();
        let is_variadic = self.graph.list(ty.types).skip(1).last().is_some_and(NodeRef::is_none);
        if is_variadic {
            self.unit(unit).add(entry, dw::DW_TAG_unspecified_parameters);
        }
    }

    /// The entry apart from code of a function or block that was inlined.
    pub(super) fn abstract_entry(&mut self, unit: usize, node: NodeId) -> Option<EntryId> {
        if !self.graph.is_in_few_scopes(NodeRef::to(node)) {
            return None;
        }
        let mut path = Vec::new();
        let mut scope = node;
        let mut parent = loop {
            if let Some(&known) = self.units.get(unit).abstracts.get(&scope) {
                break Some(known);
            }
            path.push(scope);
            match self.graph.kind(scope)? {
                Kind::Subprogram => break None,
                Kind::LexicalBlock => {
                    let outer = self.graph.get::<LexicalBlock>(scope)?.scope;
                    scope = self.graph.real_scope(outer).node()?;
                }
                _ => return None,
            }
        };
        for scope in path.into_iter().rev() {
            let entry = match parent {
                Some(parent) => self.unit(unit).add(parent, dw::DW_TAG_lexical_block),
                None => self.abstract_subprogram(unit, scope),
            };
            self.units.get(unit).abstracts.insert(scope, entry);
            parent = Some(entry);
        }
        parent
    }

    fn abstract_subprogram(&mut self, unit: usize, node: NodeId) -> EntryId {
        let data: Subprogram = self.graph.get(node).unwrap_or_default();
        let parent = self.definition_parent(unit, &data);
        let entry = self.unit(unit).add(parent, dw::DW_TAG_subprogram);
        self.describe_definition(unit, entry, &data);
        self.set(unit, entry, dw::DW_AT_inline, Value::Byte(dw::DW_INL_inlined.0));
        entry
    }

    /// The entry apart from code of a variable of a function that was inlined.
    pub(super) fn abstract_variable(&mut self, unit: usize, node: NodeId, data: &LocalVariable) -> Option<EntryId> {
        let scope = self.graph.real_scope(data.scope).node()?;
        let parent = self.abstract_entry(unit, scope)?;
        let entry = self.unit(unit).add(parent, tag_of(data));
        self.describe_variable(unit, entry, data);
        self.units.get(unit).abstracts.insert(node, entry);
        Some(entry)
    }
}
