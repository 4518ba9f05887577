//! The values of variables that are followed: from which instruction on which variable has which value, and by which
//! name the machine function knows it.

use super::Sources;
use crate::check::flow::{Flow, Name};
use crate::check::site::EDGE_SITE;
use crate::debug::{Spot, fixed_spot};
use crate::mfunc::MFunc;
use crate::reg::Reg;
use crate::variables::{
    FRAGMENT, MOST_SUMS, Numbering, declared_variables, expression_words, fragment, sum, variable_of,
};
use frazil_ir::debug::{DebugKind, DebugValue, NodeRef};
use frazil_ir::{Block, EntityRef, Function, Value, ValueKind};
use frazil_support::FxHashMap;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    /// It is lost.
    Nowhere,
    /// Wherever this name is; whether it is a parameter, which is defined once.
    Name(Name, bool),
    Spot(Spot),
}

/// A value of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Its number in the function's list.
    pub of: u32,
    /// Which bits of the variable it is alone, the first and how many, if the value is in several registers.
    pub part: Option<(u64, u64)>,
    pub variable: u32,
    /// Values of one class differ in where they come from alone.
    pub class: u32,
    pub source: Source,
    /// What is added to what is there.
    pub added: i64,
    /// The width of what is there; 0 for an address.
    pub bits: u16,
}

impl Row {
    /// A value that is in no place that is followed.
    const NOWHERE: Row = Row {
        of: 0,
        part: None,
        variable: 0,
        class: 0,
        source: Source::Nowhere,
        added: 0,
        bits: 0,
    };
}

/// The values of all variables that are followed.
#[derive(Debug, Default)]
pub(super) struct Tracked {
    /// In the order of the function's list, one for each register that a value has.
    pub rows: Vec<Row>,
    /// By variable: those whose values end with a new one of it ([`Numbering::overlapping`]).
    overlapping: Vec<Vec<u32>>,
    /// By class: a value of it.
    classes: Vec<u32>,
    /// How many bytes the values of a class have.
    class_bytes: Vec<u8>,
    /// The name of the first class: classes have names above all others.
    first_class: u32,
    /// Before which instruction which value begins, ascending.
    starts: Vec<(u32, u32)>,
    /// At the end of which block.
    ends: Vec<(u32, u32)>,
    /// How many blocks the function has, and the edges of the blocks after them.
    blocks: u32,
    edges: Vec<u32>,
}

/// What values of one class have in common: variable, expression, meaning and number of arguments, what is added, and
/// the width.
type Class = (u32, NodeRef, (u8, u8), i64, u16, u8);

impl Tracked {
    /// Finds the values of a function; `None` if there are none to follow.
    pub fn find(
        function: &Function,
        sources: &Sources<'_>,
        func: &MFunc,
        (flow, flow_sources): (&Flow, &[u32]),
    ) -> Option<Tracked> {
        let debug = &function.debug;
        let declared = declared_variables(function);
        let mut found = Tracked::default();
        let mut numbering = Numbering::default();
        let mut classes: FxHashMap<Class, u32> = FxHashMap::default();
        found.first_class = (flow.name_bytes.len() + sources.unused.len()) as u32;
        let parts = (0..).zip(&debug.values).flat_map(|(of, value)| {
            let count = sources.part_count(function, value);
            (0..count).map(move |part| (of, value, (part, count)))
        });
        for (of, value, (part, count)) in parts {
            let variable = variable_of(function, value);
            let is_followed = declared.binary_search(&variable).is_err();
            let mut row = match count {
                1 => sources.row(function, value),
                _ => sources.part(function, value, part),
            };
            row.of = of;
            let whole = || fragment(sources.words(function, value.expression));
            let number = numbering.number(variable, row.part.or_else(whole), value.argument);
            row.variable = number;
            if !is_followed {
                row.source = Source::Nowhere;
            }
            let bytes = match row.source {
                Source::Name(name, _) => name_bytes(flow, name),
                _ => 0,
            };
            let kind = (value.kind as u8, value.argument.count);
            let class: Class = (number, value.expression, kind, row.added, row.bits, bytes);
            row.class = *classes.entry(class).or_insert_with(|| {
                found.classes.push(found.rows.len() as u32);
                found.class_bytes.push(bytes);
                found.classes.len() as u32 - 1
            });
            found.rows.push(row);
        }
        if found.rows.iter().all(|row| row.source == Source::Nowhere) {
            return None;
        }
        found.overlapping = numbering.overlapping(func.insts.len())?;
        found.find_starts(function, func);
        found.blocks = func.blocks.len() as u32;
        let edges = flow_sources.iter().skip(func.blocks.len());
        found.edges = edges.map(|source| source & !EDGE_SITE).collect();
        Some(found)
    }

    /// Finds the machine instructions before which values begin.
    fn find_starts(&mut self, function: &Function, func: &MFunc) {
        let values = &function.debug.values;
        let mut is_done = vec![false; function.blocks().len()];
        for (number, block) in (0..).zip(&func.blocks) {
            let Some(done @ false) = is_done.get_mut(block.source as usize) else {
                continue;
            };
            *done = true;
            let range = function.block_insts(Block::new(block.source as usize));
            let first = values.partition_point(|value| (value.before as usize) < range.start);
            let mut at = block.start;
            for (index, value) in (first as u32..).zip(&values[first..]) {
                if value.before as usize >= range.end {
                    break;
                }
                while at < block.end && func.origins[at as usize] < value.before {
                    at += 1;
                }
                let first = self.rows.partition_point(|row| row.of < index);
                let own = self.rows[first..].iter().take_while(|row| row.of == index);
                for row in (first as u32..).take(own.count()) {
                    match at < block.end {
                        true => self.starts.push((at, row)),
                        false => self.ends.push((number, row)),
                    }
                }
            }
        }
        self.starts.sort_by_key(|row| row.0);
        self.ends.sort_by_key(|row| row.0);
    }

    /// The values that begin before an instruction.
    pub fn at(&self, inst: u32) -> impl Iterator<Item = u32> + '_ {
        of_key(&self.starts, inst)
    }

    /// The values that begin at the end of a block.
    pub fn at_end(&self, block: u32) -> impl Iterator<Item = u32> + '_ {
        of_key(&self.ends, block)
    }

    /// The edge that a block beyond the function's is.
    pub fn edge_of(&self, block: u32) -> u32 {
        self.edges[(block - self.blocks) as usize]
    }

    /// The block with the moves of an edge, if it has any.
    pub fn block_of_edge(&self, edge: u32) -> Option<u32> {
        let place = self.edges.binary_search(&edge).ok()?;
        Some(self.blocks + place as u32)
    }

    /// Gives a variable a value; one that is lost takes the value that it had.
    pub fn bind(&self, bound: &mut Vec<(u32, u32)>, value: u32) {
        let row = &self.rows[value as usize];
        let gone = &self.overlapping[row.variable as usize];
        bound.retain(|pair| !gone.contains(&pair.0));
        if row.source != Source::Nowhere {
            let at = bound.partition_point(|pair| pair.0 < row.variable);
            bound.insert(at, (row.variable, value));
        }
    }

    /// The name of what a variable has a value of the class of this one; it is where the value is.
    pub fn class_name(&self, value: u32) -> Name {
        Name(self.first_class + self.rows[value as usize].class)
    }

    /// A value of the class that a name stands for.
    pub fn of_class(&self, name: Name) -> Option<u32> {
        let class = name.0.checked_sub(self.first_class)?;
        self.classes.get(class as usize).copied()
    }

    /// How many bytes of a name must be kept.
    pub fn bytes(&self, flow: &Flow, name: Name) -> u8 {
        let class = name.0.checked_sub(self.first_class);
        class.map_or_else(|| name_bytes(flow, name), |class| self.class_bytes[class as usize])
    }

    /// Whether a name stands for a class of values of what shares bits with a variable.
    pub fn is_class_beside(&self, name: Name, variable: u32) -> bool {
        let value = self.of_class(name);
        value.is_some_and(|value| self.overlapping[variable as usize].contains(&self.rows[value as usize].variable))
    }

    /// Whether a value is not known to be anywhere when a name gets a new value.
    pub fn is_lost_with(&self, value: u32, name: Name) -> bool {
        self.rows[value as usize].source == Source::Name(name, false)
    }

    /// Whether a name is that of a parameter.
    pub fn is_parameter(&self, name: Name) -> bool {
        self.rows.iter().any(|row| row.source == Source::Name(name, true))
    }

    /// The names of all values.
    pub fn names(&self) -> impl Iterator<Item = Name> + '_ {
        self.rows.iter().filter_map(|row| match row.source {
            Source::Name(name, _) => Some(name),
            _ => None,
        })
    }

    /// How many variables there are, parts counted by themselves.
    pub fn variables(&self) -> usize {
        self.overlapping.len()
    }
}

/// How many bytes of a name must be kept. Those of parameters that nothing uses are not known; nothing copies them.
fn name_bytes(flow: &Flow, name: Name) -> u8 {
    flow.name_bytes.get(name.0 as usize).copied().unwrap_or(u8::MAX)
}

fn of_key(rows: &[(u32, u32)], key: u32) -> impl Iterator<Item = u32> + '_ {
    let first = rows.partition_point(|row| row.0 < key);
    rows[first..]
        .iter()
        .take_while(move |row| row.0 == key)
        .map(|row| row.1)
}

impl Sources<'_> {
    /// The words of an expression.
    fn words<'f>(&'f self, function: &'f Function, expression: NodeRef) -> &'f [u64] {
        expression_words(function, self.module_nodes, expression)
    }

    /// Where a value of a variable comes from.
    fn row(&self, function: &Function, value: &DebugValue) -> Row {
        let mut row = Row::NOWHERE;
        if value.kind == DebugKind::Declare {
            return row;
        }
        let Some(mut operand) = value.operand.as_value() else {
            if let Some((spot, added)) = fixed_spot(function, value) {
                (row.source, row.added) = (Source::Spot(spot), added);
            }
            return row;
        };
        for _ in 0..MOST_SUMS {
            row.source = self.source(function, operand);
            let ty = function.value(operand).ty;
            let is_float = self.parts.get(ty.index()).is_some_and(|parts| parts.float);
            let words = self.words(function, value.expression);
            // Debuggers compute with integers only.
            if is_float && !matches!(words, [] | [FRAGMENT, _, _]) {
                return Row {
                    source: Source::Nowhere,
                    ..row
                };
            }
            row.bits = function.types().int_bits(ty).unwrap_or(0) as u16;
            if row.source != Source::Nowhere {
                break;
            }
            let Some((base, added)) = sum(function, operand) else {
                break;
            };
            (operand, row.added) = (base, row.added.wrapping_add(added));
        }
        row
    }

    /// In how many registers a value is that is described by parts; 1 for all others.
    fn part_count(&self, function: &Function, value: &DebugValue) -> u8 {
        let is_value = matches!(value.kind, DebugKind::Value | DebugKind::Content);
        let Some(operand) = value.operand.as_value().filter(|_| is_value) else {
            return 1;
        };
        let ty = function.value(operand).ty;
        let bits = function.types().int_bits(ty).map_or(0, u64::from);
        let is_whole = match *self.words(function, value.expression) {
            [] => true,
            [FRAGMENT, _, size] => size == bits,
            _ => false,
        };
        let parts = self.parts.get(ty.index()).copied().unwrap_or_default();
        let is_filled = !parts.float && u64::from(parts.count) * u64::from(parts.bytes) * 8 == bits;
        if is_whole && is_filled { parts.count } else { 1 }
    }

    /// Where one of several registers of a value comes from.
    fn part(&self, function: &Function, value: &DebugValue, part: u8) -> Row {
        let first = fragment(self.words(function, value.expression)).map_or(0, |fragment| fragment.0);
        let mut row = Row::NOWHERE;
        let Some(operand) = value.operand.as_value() else {
            return row;
        };
        let data = function.value(operand);
        let bits = self
            .parts
            .get(data.ty.index())
            .map_or(0, |parts| u64::from(parts.bytes) * 8);
        row.part = Some((first.saturating_add(u64::from(part) * bits), bits));
        if let Some(&register) = self.first_vreg.get(operand.index())
            && register != u32::MAX
        {
            let name = Name(Reg::virtual_number(register + u32::from(part)).0);
            row.source = Source::Name(name, data.kind == ValueKind::Param);
        }
        row
    }

    fn source(&self, function: &Function, value: Value) -> Source {
        let data = function.value(value);
        if data.kind == ValueKind::Slot {
            let spot = self.slots.get(data.def as usize).copied().flatten();
            return spot
                .filter(|_| function.use_count(value) > 0)
                .map_or(Source::Nowhere, Source::Spot);
        }
        if let Some(unused) = self.unused.iter().find(|unused| unused.0 == value) {
            return Source::Name(unused.1, true);
        }
        let is_one = self.parts.get(data.ty.index()).is_some_and(|parts| parts.count == 1);
        match self.first_vreg.get(value.index()) {
            Some(&first) if first != u32::MAX && is_one => {
                Source::Name(Name(Reg::virtual_number(first).0), data.kind == ValueKind::Param)
            }
            _ => Source::Nowhere,
        }
    }
}
