//! Variables outside of functions, and what a unit lists besides.

use super::DebugWriter;
use super::entries::{imported_tag, is_member};
use super::expressions::operations;
use super::output::{EntryId, Expression, Value};
use frazil_ir::SymbolId;
use frazil_ir::debug::kind::{CompileUnit, DerivedType, GlobalExpression, GlobalVariable, ImportedEntity};
use frazil_ir::debug::{Kind, NodeId, NodeRef};
use frazil_ir::module::{Linkage, SymbolKind, TlsModel};
use gimli::constants as dw;

impl DebugWriter<'_> {
    /// Makes the entries that a unit lists: variables, types that are kept, imported declarations.
    pub(super) fn add_unit_lists(&mut self, unit: usize) {
        self.end_rows(unit);
        if !self.units.has_entries(unit) {
            return;
        }
        self.add_macros(unit);
        let node = self.units.get(unit).node();
        let Some(data) = self.graph.get::<CompileUnit>(node) else {
            return;
        };
        let list = |list| self.graph.list(list).collect::<Vec<NodeRef>>();
        let (enums, retained) = (list(data.enums), list(data.retained));
        let (globals, imported) = (list(data.globals), list(data.imported));
        for ty in enums.into_iter().chain(retained) {
            let is_type = !matches!(self.graph.kind_at(ty), Some(Kind::Subprogram | Kind::GlobalVariable));
            if is_type {
                self.entry(unit, ty);
            }
        }
        for global in globals {
            self.add_global(unit, global);
        }
        for entity in imported {
            self.add_imported(unit, entity);
        }
    }

    /// Makes the entry of a variable, with its place if it has one.
    fn add_global(&mut self, unit: usize, global: NodeRef) {
        let Some((node, data)) = global.node().zip(self.graph.at::<GlobalExpression>(global)) else {
            return;
        };
        let Some(entry) = self.entry(unit, data.variable) else {
            return;
        };
        let words = match self.graph.expression(data.expression) {
            Some(words) => words.to_vec(),
            None => return,
        };
        let symbol = self.symbol_of(node);
        if let Some(expression) = self.global_expression(unit, symbol, &words) {
            if let Some(symbol) = symbol.filter(|&symbol| !self.is_thread_local(symbol)) {
                self.units.get(unit).data.push(symbol);
            }
            self.places_of_globals.push((entry, expression));
        }
    }

    /// Says where variables are, once their entries are there.
    pub(super) fn place_globals(&mut self) {
        for (entry, expression) in std::mem::take(&mut self.places_of_globals) {
            let value = Value::Expression(expression);
            self.set(entry.unit(), entry, dw::DW_AT_location, value);
        }
    }

    fn is_thread_local(&self, symbol: SymbolId) -> bool {
        self.module
            .symbols
            .get(symbol)
            .is_some_and(|data| data.tls != TlsModel::NotThreadLocal)
    }

    /// Where a variable is, or which value it has; `None` if that is not certain.
    fn global_expression(&mut self, unit: usize, symbol: Option<SymbolId>, words: &[u64]) -> Option<Expression> {
        let mut out = Expression::new();
        match (symbol, words) {
            (Some(symbol), words) if self.is_thread_local(symbol) => {
                self.thread_offset?;
                out.op_thread_address(symbol, self.unit(unit).encoding.address_size);
                operations(&mut out, words)?;
            }
            (Some(symbol), words) => {
                out.op_addr(DebugWriter::address(symbol, 0));
                operations(&mut out, words)?;
            }
            (None, [first @ .., last]) if *last == u64::from(dw::DW_OP_stack_value.0) => {
                operations(&mut out, first)?;
                out.op(dw::DW_OP_stack_value);
            }
            _ => return None,
        }
        Some(out)
    }

    /// The symbol of a variable that is in this object.
    fn symbol_of(&self, node: NodeId) -> Option<SymbolId> {
        let found = *self.variables.get(&node)?;
        let symbol = self.module.symbols.get(found)?;
        let is_there = matches!(symbol.kind, SymbolKind::Data(_)) && symbol.linkage != Linkage::AvailableExternally;
        is_there.then_some(found)
    }

    pub(super) fn fill_global(&mut self, unit: usize, entry: EntryId, data: &GlobalVariable) {
        let declaration = match self.is_variable(data.declaration) {
            true => self.entry(unit, data.declaration),
            false => None,
        };
        if let Some(declaration) = declaration {
            self.set(unit, entry, dw::DW_AT_specification, Value::Entry(declaration));
        } else {
            self.set_name(unit, entry, data.name);
            self.set_type(unit, entry, data.ty);
            self.set_flag(unit, entry, dw::DW_AT_external, data.is_local == 0);
        }
        self.set_source(unit, entry, data.file, data.line);
        self.set_flag(unit, entry, dw::DW_AT_declaration, data.is_definition == 0);
        self.set_alignment(unit, entry, data.align);
        self.set_text(unit, entry, dw::DW_AT_linkage_name, data.linkage_name);
        self.add_template_parameters(unit, entry, data.template_params);
    }

    /// Whether a node is a variable that something else may define.
    fn is_variable(&self, node: NodeRef) -> bool {
        let member = self.graph.at::<DerivedType>(node);
        member.is_some_and(|data| is_member(data.tag)) || self.graph.kind_at(node) == Some(Kind::GlobalVariable)
    }

    fn add_imported(&mut self, unit: usize, entity: NodeRef) {
        let Some(data) = self.graph.at::<ImportedEntity>(entity) else {
            return;
        };
        // What blocks import would need their entries.
        if self.graph.subprogram_of(data.scope).is_some() {
            return;
        }
        let Some(imported) = self.entry(unit, data.entity) else {
            return;
        };
        let parent = self.scope_entry(unit, data.scope);
        let tag = imported_tag(data.tag);
        let reserved = self.unit(unit).reserve();
        self.unit(unit).add_reserved(reserved, parent, tag);
        self.set(unit, reserved, dw::DW_AT_import, Value::Entry(imported));
        self.set_name(unit, reserved, data.name);
        self.set_source(unit, reserved, data.file, data.line);
    }
}
