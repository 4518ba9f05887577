//! Writes debug information: nodes by the table of kinds, locations of instructions, values of variables.

use super::names::write_quoted;
use super::operands::operand_text;
use super::pieces::{write_addend, write_symbol};
use crate::debug::word::{Form, Word};
use crate::debug::{Bound, DebugConstant, DebugKind, DebugValue, Kind, LocationId, Metadata, NodeId, NodeRef};
use crate::function::Function;
use crate::module::Module;
use frazil_support::EntityRef;
use std::fmt::{self, Write};

/// What begins the lines of values of variables.
pub(super) const VALUE_WORDS: &[(DebugKind, &str)] = &[
    (DebugKind::Declare, "declare"),
    (DebugKind::Address, "address"),
    (DebugKind::Value, "value"),
    (DebugKind::Content, "content"),
    (DebugKind::Label, "label"),
];

/// Writes the debug information of a module.
pub(super) fn write_module_debug(out: &mut dyn Write, module: &Module) -> fmt::Result {
    let Some(debug) = module.debug.as_deref() else {
        return Ok(());
    };
    write!(out, "debug dwarf {}", debug.dwarf_version)?;
    if !debug.units.is_empty() {
        out.write_str(" units [")?;
        for (index, &unit) in debug.units.iter().enumerate() {
            out.write_str(if index > 0 { ", " } else { "" })?;
            write_node(out, NodeRef::to(unit))?;
        }
        out.write_char(']')?;
    }
    if !debug.variables.is_empty() {
        out.write_str(" attached [")?;
        for (index, &(symbol, node)) in debug.variables.iter().enumerate() {
            out.write_str(if index > 0 { ", " } else { "" })?;
            write_symbol(out, module, symbol)?;
            out.write_char(' ')?;
            write_node(out, NodeRef::to(node))?;
        }
        out.write_char(']')?;
    }
    out.write_char('\n')?;
    write_nodes(out, &debug.nodes, "")
}

/// Writes nodes, a line each that begins with this margin.
fn write_nodes(out: &mut dyn Write, nodes: &Metadata, margin: &str) -> fmt::Result {
    for node in nodes.ids() {
        let kind = nodes.kind(node).unwrap_or(Kind::Other);
        write!(out, "{margin}n{} = {}", node.index(), kind.desc().name)?;
        let (words, fields) = (nodes.words(node), kind.desc().fields);
        match kind {
            Kind::Text => {
                out.write_char(' ')?;
                write_quoted(out, nodes.text(node).unwrap_or_default())?;
            }
            _ if fields.is_empty() => {
                out.write_str(" [")?;
                for (index, &word) in words.iter().enumerate() {
                    out.write_str(if index > 0 { ", " } else { "" })?;
                    write_word(out, kind.form(index), word)?;
                }
                out.write_char(']')?;
            }
            _ => {
                out.write_str(" (")?;
                let mut separator = "";
                for (&(name, form), &word) in fields.iter().zip(words).filter(|row| *row.1 != 0) {
                    write!(out, "{separator}{name} ")?;
                    write_word(out, form, word)?;
                    separator = ", ";
                }
                out.write_char(')')?;
            }
        }
        out.write_char('\n')?;
    }
    Ok(())
}

fn write_word(out: &mut dyn Write, form: Form, word: u64) -> fmt::Result {
    match form {
        Form::Number => write!(out, "{word}"),
        Form::Node => write_node(out, NodeRef::from_word(word)),
        Form::Bound => match Bound::from_word(word) {
            Bound::None => out.write_str("none"),
            Bound::Number(number) => write!(out, "{number}"),
            Bound::Node(node) => write_node(out, NodeRef::to(node)),
        },
    }
}

fn write_node(out: &mut dyn Write, node: NodeRef) -> fmt::Result {
    match node.node() {
        Some(node) => write!(out, "n{}", node.index()),
        None => out.write_str("none"),
    }
}

/// Writes what of a function's debug information stands before its slots.
pub(super) fn write_function_debug(out: &mut dyn Write, function: &Function) -> fmt::Result {
    if !function.debug.is_on() {
        return Ok(());
    }
    out.write_str("  debug ")?;
    write_node(out, function.debug.subprogram)?;
    out.write_char('\n')?;
    write_nodes(out, &function.debug.nodes, "  ")
}

/// Writes values of variables and locations among the instructions of a function.
#[derive(Default)]
pub(super) struct DebugLines {
    next_value: usize,
    location: LocationId,
}

impl DebugLines {
    /// Writes what stands before the instruction at a position.
    pub(super) fn before(
        &mut self,
        out: &mut dyn Write,
        (module, function): (&Module, &Function),
        position: usize,
    ) -> fmt::Result {
        let values = &function.debug.values;
        while let Some(value) = values
            .get(self.next_value)
            .filter(|value| value.before as usize <= position)
        {
            self.next_value += 1;
            write_value(out, module, function, value)?;
        }
        let location = function.debug.location_of(position);
        let is_instruction = position < function.insts.len();
        if is_instruction && self.location != location {
            self.location = location;
            out.write_str("  at ")?;
            write_location(out, function, location)?;
            out.write_char('\n')?;
        }
        Ok(())
    }
}

fn write_location(out: &mut dyn Write, function: &Function, location: LocationId) -> fmt::Result {
    let Some(location) = function.debug.location(location) else {
        return out.write_str("none");
    };
    write!(out, "{}:{} ", location.line, location.column)?;
    write_node(out, location.scope)?;
    if !location.inlined_at.is_none() {
        out.write_str(" in ")?;
        write_node(out, location.inlined_at)?;
    }
    Ok(())
}

fn write_value(out: &mut dyn Write, module: &Module, function: &Function, value: &DebugValue) -> fmt::Result {
    let word = VALUE_WORDS
        .iter()
        .find(|row| row.0 == value.kind)
        .map_or("", |row| row.1);
    write!(out, "  {word} ")?;
    write_node(out, NodeRef::to(value.variable))?;
    out.write_str(" = ")?;
    match function.debug.constant_of(value) {
        Some(DebugConstant::Integer(number)) => write!(out, "integer {number}")?,
        Some(DebugConstant::Bytes(bytes, count)) => {
            write!(out, "bytes {} {} {count}", bytes as u64, (bytes >> 64) as u64)?;
        }
        Some(DebugConstant::Symbol(symbol, added)) => {
            out.write_str("symbol ")?;
            write_symbol(out, module, symbol)?;
            write_addend(out, added)?;
        }
        None => operand_text(module, function, out, value.operand, None)?,
    }
    out.write_str(", ")?;
    write_node(out, value.expression)?;
    if value.location != LocationId::NONE {
        out.write_str(" at ")?;
        write_location(out, function, value.location)?;
    }
    if value.argument.count > 0 {
        write!(out, " argument {} of {}", value.argument.index, value.argument.count)?;
    }
    out.write_char('\n')
}

/// The number in a node's name.
pub(super) fn node_number(word: &str) -> Option<NodeId> {
    let digits = word.strip_prefix('n')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u32 = digits.parse().ok().filter(|_| is_number)?;
    // A reference is one more.
    (number < u32::MAX).then(|| NodeId::new(number as usize))
}
