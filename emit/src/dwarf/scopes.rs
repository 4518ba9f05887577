//! Entries of functions, blocks and inlined functions (DWARF 5, sections 3.3.8 and 3.5).
//!
//! Blocks without variables get no entry, since nothing could be said of them.

use super::output::{EntryId, Value};
use super::scope_tree::{Scope, ScopeTree};
use super::units::{PendingList, Ranges};
use super::variables::variables_of;
use super::{CodePlace, DebugWriter};
use frazil_codegen::CompiledFunction;
use frazil_ir::debug::kind::{SourceLabel, SourceLocation};
use frazil_ir::debug::{Kind, NodeRef};
use gimli::constants as dw;

impl DebugWriter<'_> {
    /// Makes the entries of a function, its scopes and variables.
    pub(super) fn add_entries(&mut self, unit: usize, place: CodePlace, code: &CompiledFunction, scopes: &ScopeTree) {
        let variables = variables_of(&self.graph, code, scopes);
        let mut entries: Vec<EntryId> = Vec::with_capacity(scopes.scopes.len());
        let mut rest = variables.all.as_slice();
        for (number, scope) in scopes.scopes.iter().enumerate() {
            let of_scope;
            (of_scope, rest) = rest.split_at(rest.partition_point(|variable| variable.scope <= number));
            let entry = match number {
                0 => self.concrete(unit, place, code, scope.node),
                _ => self.add_scope(unit, place, scope, entries[scope.parent], !of_scope.is_empty()),
            };
            entries.push(entry);
            for variable in of_scope {
                self.add_variable(unit, place, (code, &variables), (entry, variable, scope));
            }
            if number == 0 {
                self.add_unspecified(unit, entry, scope.node);
            }
        }
        self.add_labels(unit, place, code, scopes, &entries);
        if let Some(&function) = entries.first() {
            self.note_call_sites(unit, function, place, code);
        }
    }

    /// Makes the entries of labels that have code (DWARF 5, section 3.6).
    fn add_labels(
        &mut self,
        unit: usize,
        place: CodePlace,
        code: &CompiledFunction,
        scopes: &ScopeTree,
        entries: &[EntryId],
    ) {
        let lead = code.prologue.bytes.len() as i64;
        for &(label, offset) in &code.debug.labels {
            let Some(data) = self.graph.get::<SourceLabel>(scopes.moved.node(label.variable)) else {
                continue;
            };
            let location = code.debug.function.location(label.location);
            let inlined_at = location.map_or(NodeRef::NONE, |location| location.inlined_at);
            let scope = scopes.known(
                &self.graph,
                scopes.moved.reference(data.scope),
                scopes.moved.reference(inlined_at),
            );
            let Some(&parent) = scope.and_then(|scope| entries.get(scope)) else {
                continue;
            };
            let entry = self.unit(unit).add(parent, dw::DW_TAG_label);
            self.set_name(unit, entry, data.name);
            self.set_source(unit, entry, data.file, data.line);
            if data.column > 0 {
                self.set(unit, entry, dw::DW_AT_decl_column, Value::Unsigned(data.column));
            }
            let address = DebugWriter::address(place.symbol, lead + i64::from(offset));
            self.set(unit, entry, dw::DW_AT_low_pc, Value::Address(address));
        }
    }

    /// The entry of a block or an inlined function, or of what it is in if nothing is to be said of it.
    fn add_scope(
        &mut self,
        unit: usize,
        place: CodePlace,
        scope: &Scope,
        parent: EntryId,
        has_variables: bool,
    ) -> EntryId {
        let is_block = self.graph.kind(scope.node) == Some(Kind::LexicalBlock);
        if scope.ranges.is_empty() || is_block && !has_variables {
            return parent;
        }
        let tag = if is_block {
            dw::DW_TAG_lexical_block
        } else {
            dw::DW_TAG_inlined_subroutine
        };
        let entry = self.unit(unit).add(parent, tag);
        if !scope.inlined_at.is_none() {
            let origin = self.abstract_entry(unit, scope.node);
            if let Some(origin) = origin {
                self.set(unit, entry, dw::DW_AT_abstract_origin, Value::Entry(origin));
            }
        }
        self.set_code(unit, entry, place, &scope.ranges);
        if !is_block && let Some(call) = self.graph.at::<SourceLocation>(scope.inlined_at) {
            let file = self.file_of(call.scope);
            if let Some(file) = self.file(unit, file) {
                self.set(unit, entry, dw::DW_AT_call_file, Value::File(file));
            }
            self.set(unit, entry, dw::DW_AT_call_line, Value::Unsigned(call.line));
            if call.column > 0 {
                self.set(unit, entry, dw::DW_AT_call_column, Value::Unsigned(call.column));
            }
        }
        entry
    }

    /// Says where the code of an entry is.
    fn set_code(&mut self, unit: usize, entry: EntryId, place: CodePlace, ranges: &[(u32, u32)]) {
        if let [(start, end)] = *ranges {
            let low = DebugWriter::address(place.symbol, start.into());
            self.set(unit, entry, dw::DW_AT_low_pc, Value::Address(low));
            let length = Value::Unsigned((end - start).into());
            self.set(unit, entry, dw::DW_AT_high_pc, length);
            return;
        }
        let pairs = ranges.iter().map(|&(start, end)| (start.into(), end.into()));
        let ranges = Ranges::Code(pairs.collect());
        self.units.get(unit).lists.push(PendingList { entry, place, ranges });
    }
}
