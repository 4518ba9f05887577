//! Variables of functions and their places (DWARF 5, section 4.1).

use super::attributes::flag;
use super::expressions::{describe, describe_arguments, split_fragment};
use super::graph::{Graph, Moved};
use super::output::{EntryId, Expression, Value};
use super::scope_tree::{Scope, ScopeTree};
use super::units::{PendingList, Ranges};
use super::{CodePlace, DebugWriter};
use frazil_codegen::CompiledFunction;
use frazil_codegen::debug::{Place, Shape, Spot};
use frazil_ir::debug::kind::{LocalVariable, Subprogram};
use frazil_ir::debug::{DebugKind, DebugValue, NodeId, NodeRef};
use frazil_support::FxHashMap;
use gimli::constants as dw;

/// The size of integers that are wider than what debuggers compute with.
const WIDE_BYTES: u8 = 16;

/// A variable in a scope that has code.
#[derive(Debug)]
pub(super) struct Variable {
    node: NodeId,
    /// The numbers of the function's nodes.
    moved: Moved,
    pub scope: usize,
    is_inlined: bool,
    parameter: u64,
    /// Its places are a list: the first and the last one, by number plus one.
    places: (u32, u32),
}

/// The variables of a function.
pub(super) struct Variables {
    /// By scope: parameters by number, then the others in the order in which they are named.
    pub all: Vec<Variable>,
    /// By place of the function: the next one of the same variable, plus one.
    pub next_place: Vec<u32>,
}

impl Variables {
    /// The numbers of the places of a variable, ascending.
    fn places_of(&self, variable: &Variable) -> impl Iterator<Item = usize> + Clone {
        let number = |place: u32| Some(place).filter(|&place| place > 0);
        let places = std::iter::successors(number(variable.places.0), move |&place| {
            number(self.next_place[place as usize - 1])
        });
        places.map(|place| place as usize - 1)
    }
}

/// Finds the variables of a function and their places.
pub(super) fn variables_of(graph: &Graph<'_>, code: &CompiledFunction, scopes: &ScopeTree) -> Variables {
    let function = &code.debug.function;
    let mut variables: Vec<Variable> = Vec::new();
    let mut numbers: FxHashMap<(NodeId, NodeRef), usize> = FxHashMap::default();
    numbers.reserve(function.values.len());
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
            places: (0, 0),
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
    let mut next_place = vec![0; code.debug.places.len()];
    for (number, place) in (1..).zip(&code.debug.places) {
        let known = numbers.get(&name(&place.value)).copied();
        if let Some(variable) = known.and_then(|variable| variables.get_mut(variable)) {
            match variable.places.1 {
                0 => variable.places.0 = number,
                last => next_place[last as usize - 1] = number,
            }
            variable.places.1 = number;
        }
    }
    variables.sort_by_key(|variable| (variable.scope, variable.parameter == 0, variable.parameter));
    Variables {
        all: variables,
        next_place,
    }
}

impl DebugWriter<'_> {
    /// Makes the entry of a variable.
    pub(super) fn add_variable(
        &mut self,
        unit: usize,
        place: CodePlace,
        (code, variables): (&CompiledFunction, &Variables),
        (parent, variable, scope): (EntryId, &Variable, &Scope),
    ) {
        let Some(data) = self.graph.get::<LocalVariable>(variable.node) else {
            return;
        };
        let entry = self.unit(unit).add(parent, tag_of(&data));
        if data.flags & flag::OBJECT_POINTER != 0 && variable.scope == 0 {
            self.set(unit, parent, dw::DW_AT_object_pointer, Value::Entry(entry));
        }
        let origin = match self.units.get(unit).abstracts.get(&variable.node) {
            Some(&known) => Some(known),
            None if variable.is_inlined => self.abstract_variable(unit, variable.node, &data),
            None => None,
        };
        match origin {
            Some(origin) => self.set(unit, entry, dw::DW_AT_abstract_origin, Value::Entry(origin)),
            None => {
                self.describe_variable(unit, entry, &data);
                self.units.get(unit).entries.insert(variable.node, entry);
            }
        }
        self.set_places(unit, entry, place, (code, variables, variable, scope));
    }

    /// The name, type and place in the source of a variable.
    pub(super) fn describe_variable(&mut self, unit: usize, entry: EntryId, data: &LocalVariable) {
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
        entry: EntryId,
        place: CodePlace,
        (code, variables, variable, scope): (&CompiledFunction, &Variables, &Variable, &Scope),
    ) {
        let known = variables.places_of(variable).map(|number| &code.debug.places[number]);
        let mut whole = known.clone().filter(|known| known.range.is_none());
        if let Some(declared) = whole.next() {
            // Several declarations of one variable contradict each other, or are parts.
            if whole.next().is_none()
                && let Some(place) = self.place_of(variable, declared)
            {
                self.set(unit, entry, dw::DW_AT_location, place);
            }
            return;
        }
        let (arguments, known): (Vec<&Place>, Vec<&Place>) = known.partition(|known| known.value.argument.count > 0);
        let mut pieces: Vec<Piece<'_>> = Vec::new();
        pieces.extend(known.iter().filter_map(|known| self.piece(variable, known)));
        if !arguments.is_empty() {
            self.add_computed(variable, &arguments, &mut pieces);
            pieces.sort_by_key(|piece| piece.range.0);
        }
        let lead = code.prologue.bytes.len() as u64;
        // Arguments are in their registers from the first instruction on; prologues leave them alone.
        let begin = |start: u32| if start == 0 { 0 } else { lead + u64::from(start) };
        let data: LocalVariable = self.graph.get(variable.node).unwrap_or_default();
        let bytes = self.graph.type_bits(data.ty).unwrap_or(0).div_ceil(8);
        let ranges = described_ranges(&pieces, bytes).into_iter();
        let ranges = ranges.map(|(start, end, data)| (begin(start), lead + u64::from(end), data));
        let within = scope.ranges.first().zip(scope.ranges.last());
        let ranges = ranges.filter_map(|(start, end, data)| {
            let (first, last) = within?;
            let (start, end) = (start.max(first.0.into()), end.min(last.1.into()));
            (start < end).then_some((start, end, data))
        });
        let ranges: Vec<(u64, u64, Expression)> = ranges.collect();
        if !ranges.is_empty() {
            let ranges = Ranges::Places(ranges);
            self.units.get(unit).lists.push(PendingList { entry, place, ranges });
        }
    }

    /// The location description of a place for the whole variable.
    fn place_of(&self, variable: &Variable, known: &Place) -> Option<Value> {
        let words = self.words_of(variable, known)?;
        if let (Spot::FrameAddress(offset), DebugKind::Declare, []) = (known.spot, known.value.kind, words)
            && known.shape == Shape::default()
        {
            return Some(Value::FrameOffset(offset));
        }
        let mut out = Expression::new();
        describe(&mut out, &self.widened(variable, *known), words)?;
        Some(Value::Expression(out))
    }

    /// A place whose constant fills the variable: debuggers compute with 64 bits, above which they put zeros.
    fn widened(&self, variable: &Variable, place: Place) -> Place {
        let Spot::Constant(number) = place.spot else {
            return place;
        };
        let data: LocalVariable = self.graph.get(variable.node).unwrap_or_default();
        let is_wide = self.graph.number_bits(data.ty) == Some(u128::BITS.into());
        let is_value = matches!(place.value.kind, DebugKind::Value | DebugKind::Content);
        if !is_value || !is_wide {
            return place;
        }
        let number = i128::from(number.wrapping_add(place.shape.added));
        Place {
            spot: Spot::Bytes(number.cast_unsigned(), WIDE_BYTES),
            ..place
        }
    }

    fn words_of(&self, variable: &Variable, known: &Place) -> Option<&[u64]> {
        self.graph.expression(variable.moved.reference(known.value.expression))
    }

    /// A place of a variable or a part of it, if it can be described.
    fn piece<'p>(&'p self, variable: &Variable, place: &'p Place) -> Option<Piece<'p>> {
        let (words, fragment) = split_fragment(self.words_of(variable, place)?);
        let fragment = place.part.or(fragment);
        let place = match (words, fragment) {
            ([], None) => self.widened(variable, *place),
            _ => *place,
        };
        Piece::new(vec![place], words, fragment, place.range?)
    }

    /// Adds what a variable is where all arguments of an expression are somewhere.
    fn add_computed<'p>(&'p self, variable: &Variable, arguments: &[&'p Place], pieces: &mut Vec<Piece<'p>>) {
        let mut arguments = arguments.to_vec();
        arguments.sort_by_key(|place| (place.value.expression, place.value.argument.count));
        let kind = |place: &&Place| (place.value.expression, place.value.argument.count);
        for group in arguments.chunk_by(|left, right| kind(left) == kind(right)) {
            let Some(words) = self.words_of(variable, group[0]) else {
                continue;
            };
            let (words, fragment) = split_fragment(words);
            let mut ends: Vec<u32> = group
                .iter()
                .filter_map(|place| place.range)
                .flat_map(<[u32; 2]>::from)
                .collect();
            ends.sort_unstable();
            ends.dedup();
            for pair in ends.windows(2) {
                let here = |index: u8| {
                    let is_here = |place: &&&Place| {
                        let covers = |range: (u32, u32)| range.0 <= pair[0] && pair[1] <= range.1;
                        place.value.argument.index == index && place.range.is_some_and(covers)
                    };
                    group.iter().find(is_here).map(|place| **place)
                };
                let count = group[0].value.argument.count;
                let places: Option<Vec<Place>> = (0..count).map(here).collect();
                pieces.extend(places.and_then(|places| Piece::new(places, words, fragment, (pair[0], pair[1]))));
            }
        }
    }
}

/// A place of a variable, or of some of its bytes.
struct Piece<'p> {
    /// Of each argument of the expression, or of its only operand.
    places: Vec<Place>,
    words: &'p [u64],
    /// The first byte, and how many.
    fragment: Option<(u64, u64)>,
    range: (u32, u32),
}

impl<'p> Piece<'p> {
    /// The piece, if it can be described; `fragment` is in bits.
    fn new(places: Vec<Place>, words: &'p [u64], fragment: Option<(u64, u64)>, range: (u32, u32)) -> Option<Piece<'p>> {
        // Parts that begin or end within a byte have no description.
        let is_bytes = fragment.is_none_or(|(start, size)| start % 8 == 0 && size % 8 == 0 && size > 0);
        let piece = Piece {
            places,
            words,
            fragment: fragment.map(|(start, size)| (start / 8, size / 8)),
            range,
        };
        piece.describe(&mut Expression::new()).filter(|()| is_bytes)?;
        Some(piece)
    }

    fn describe(&self, out: &mut Expression) -> Option<()> {
        match self.places.as_slice() {
            [place] if place.value.argument.count == 0 => describe(out, place, self.words),
            places => describe_arguments(out, places, self.words),
        }
    }
}

/// Ranges of code with the description of a variable in each.
fn described_ranges(pieces: &[Piece<'_>], bytes: u64) -> Vec<(u32, u32, Expression)> {
    let mut ends: Vec<u32> = pieces.iter().flat_map(|piece| [piece.range.0, piece.range.1]).collect();
    ends.sort_unstable();
    ends.dedup();
    if pieces.iter().all(|piece| piece.fragment.is_none()) {
        let described = pieces.iter().filter_map(|piece| {
            let mut out = Expression::new();
            piece.describe(&mut out)?;
            Some((piece.range.0, piece.range.1, out))
        });
        return described.collect();
    }
    let mut ranges = Vec::new();
    for pair in ends.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        let is_here = |piece: &&Piece<'_>| piece.range.0 <= start && end <= piece.range.1;
        let mut here: Vec<&Piece<'_>> = pieces.iter().filter(is_here).collect();
        here.sort_by_key(|piece| piece.fragment);
        if let Some(out) = composed(&here, bytes) {
            ranges.push((start, end, out));
        }
    }
    ranges
}

/// The description of a variable by parts, ascending. What is between and after them is nowhere, which has to be said:
/// debuggers show zeros for bytes that are not described.
fn composed(parts: &[&Piece<'_>], bytes: u64) -> Option<Expression> {
    let mut out = Expression::new();
    let mut next = 0;
    for part in parts {
        let Some((start, size)) = part.fragment else {
            part.describe(&mut out)?;
            return Some(out).filter(|_| parts.len() == 1);
        };
        if start < next {
            return None;
        }
        if start > next {
            out.op_piece(start - next);
        }
        part.describe(&mut out)?;
        out.op_piece(size);
        next = start + size;
    }
    if next < bytes {
        out.op_piece(bytes - next);
    }
    Some(out).filter(|_| !parts.is_empty())
}

/// What stands for a variable.
pub(super) fn tag_of(data: &LocalVariable) -> dw::DwTag {
    match data.parameter {
        0 => dw::DW_TAG_variable,
        _ => dw::DW_TAG_formal_parameter,
    }
}
