//! Variables of functions and their places (DWARF 5, section 4.1).

use super::attributes::flag;
use super::expressions::describe;
use super::graph::{Graph, Moved};
use super::scope_tree::ScopeTree;
use super::{CodePlace, DebugWriter};
use frazil_codegen::CompiledFunction;
use frazil_codegen::debug::Place;
use frazil_ir::debug::kind::{LocalVariable, Subprogram};
use frazil_ir::debug::{DebugValue, NodeId, NodeRef};
use frazil_support::FxHashMap;
use gimli::constants as dw;
use gimli::write::{AttributeValue, Expression, Location, LocationList, UnitEntryId};

/// A variable in a scope that has code.
#[derive(Debug)]
pub(super) struct Variable {
    node: NodeId,
    /// The numbers of the function's nodes.
    moved: Moved,
    pub scope: usize,
    is_inlined: bool,
    parameter: u64,
    /// Its places, by number.
    places: Vec<usize>,
}

/// The variables of a function by scope: parameters by number, then the others in the order in which they are named.
pub(super) fn variables_of(graph: &Graph<'_>, code: &CompiledFunction, scopes: &ScopeTree) -> Vec<Variable> {
    let function = &code.debug.function;
    let mut variables: Vec<Variable> = Vec::new();
    let mut numbers: FxHashMap<(NodeId, NodeRef), usize> = FxHashMap::default();
    let mut add = |node: NodeId, inlined_at: NodeRef| -> Option<usize> {
        if let Some(&known) = numbers.get(&(node, inlined_at)) {
            return Some(known);
        }
        let entry: LocalVariable = graph.get(node)?;
        variables.push(Variable {
            node,
            moved: scopes.moved,
            scope: scopes.known(graph, entry.scope, inlined_at)?,
            is_inlined: !inlined_at.is_none(),
            parameter: entry.parameter,
            places: Vec::new(),
        });
        numbers.insert((node, inlined_at), variables.len() - 1);
        Some(variables.len() - 1)
    };
    let name = |value: &DebugValue| {
        let inlined_at = function
            .location(value.location)
            .map_or(NodeRef::NONE, |place| place.inlined_at);
        (scopes.moved.node(value.variable), scopes.moved.reference(inlined_at))
    };
    for value in &function.values {
        let (variable, inlined_at) = name(value);
        add(variable, inlined_at);
    }
    if let Some(subprogram) = graph.get::<Subprogram>(scopes.subprogram()) {
        for node in graph.list(subprogram.retained).filter_map(NodeRef::node) {
            add(node, NodeRef::NONE);
        }
    }
    for (number, place) in code.debug.places.iter().enumerate() {
        let known = numbers.get(&name(&place.value)).copied();
        if let Some(variable) = known.and_then(|variable| variables.get_mut(variable)) {
            variable.places.push(number);
        }
    }
    variables.sort_by_key(|variable| (variable.scope, variable.parameter == 0, variable.parameter));
    variables
}

impl DebugWriter<'_> {
    /// Makes the entry of a variable.
    pub(super) fn add_variable(
        &mut self,
        unit: usize,
        place: CodePlace,
        code: &CompiledFunction,
        (parent, variable): (UnitEntryId, &Variable),
    ) {
        let Some(data) = self.graph.get::<LocalVariable>(variable.node) else {
            return;
        };
        let entry = self.unit(unit).add(parent, tag_of(&data));
        if data.flags & flag::OBJECT_POINTER != 0 && variable.scope == 0 {
            self.set(unit, parent, dw::DW_AT_object_pointer, AttributeValue::UnitRef(entry));
        }
        let origin = match self.units.get(unit).abstracts.get(&variable.node) {
            Some(&known) => Some(known),
            None if variable.is_inlined => self.abstract_variable(unit, variable.node, &data),
            None => None,
        };
        match origin {
            Some(origin) => self.set(unit, entry, dw::DW_AT_abstract_origin, AttributeValue::UnitRef(origin)),
            None => {
                self.describe_variable(unit, entry, &data);
                self.units.get(unit).entries.insert(variable.node, entry);
            }
        }
        self.set_places(unit, entry, place, (code, variable));
    }

    /// The name, type and place in the source of a variable.
    pub(super) fn describe_variable(&mut self, unit: usize, entry: UnitEntryId, data: &LocalVariable) {
        self.set_name(unit, entry, data.name);
        self.set_source(unit, entry, data.file, data.line);
        self.set_type(unit, entry, data.ty);
        self.set_common_flags(unit, entry, data.flags);
        self.set_alignment(unit, entry, data.align);
    }

    /// Says where a variable is: one place for all of its scope, or ranges with a place each.
    fn set_places(
        &mut self,
        unit: usize,
        entry: UnitEntryId,
        place: CodePlace,
        (code, variable): (&CompiledFunction, &Variable),
    ) {
        let lead = code.prologue.bytes.len() as u64;
        let known = variable.places.iter().map(|&number| &code.debug.places[number]);
        let whole = known.clone().filter(|known| known.range.is_none());
        let mut ranges: Vec<Location> = Vec::new();
        for known in known {
            let Some(expression) = self.expression_of(variable, known) else {
                continue;
            };
            let Some((start, end)) = known.range else {
                // Several declarations of one variable contradict each other, or are parts.
                if whole.clone().count() == 1 {
                    self.set(unit, entry, dw::DW_AT_location, AttributeValue::Exprloc(expression));
                }
                return;
            };
            ranges.push(Location::OffsetPair {
                begin: lead + u64::from(start),
                end: lead + u64::from(end),
                data: expression,
            });
        }
        if ranges.is_empty() {
            return;
        }
        let base = Location::BaseAddress {
            address: DebugWriter::address(place.symbol, 0),
        };
        ranges.insert(0, base);
        let list = self.unit(unit).locations.add(LocationList(ranges));
        self.set(unit, entry, dw::DW_AT_location, AttributeValue::LocationListRef(list));
    }

    /// The location description of a place.
    fn expression_of(&self, variable: &Variable, known: &Place) -> Option<Expression> {
        let words = self
            .graph
            .expression(variable.moved.reference(known.value.expression))?;
        describe(known.value.kind, known.spot, words)
    }
}

/// What stands for a variable.
pub(super) fn tag_of(data: &LocalVariable) -> dw::DwTag {
    match data.parameter {
        0 => dw::DW_TAG_variable,
        _ => dw::DW_TAG_formal_parameter,
    }
}
