//! What the preprocessor did in the files of a unit (DWARF 5, section 6.3).
//!
//! Files stand in each other as they include each other. A walk with a stack of its own writes them in order; of files
//! that stand too deep, and of macros beyond a number that no program has, nothing is said: damaged nodes may name
//! each other again and again.

use super::DebugWriter;
use super::graph::MOST_SCOPES;
use super::output::Macro;
use frazil_ir::debug::NodeRef;
use frazil_ir::debug::kind::{CompileUnit, MacroFile, SourceMacro};
use gimli::constants as dw;

/// The most macros of a unit.
const MOST_MACROS: usize = 1 << 20;

impl DebugWriter<'_> {
    /// Adds the macros of a unit.
    pub(super) fn add_macros(&mut self, unit: usize) {
        let node = self.units.get(unit).node();
        let Some(data) = self.graph.get::<CompileUnit>(node) else {
            return;
        };
        let mut macros = Vec::new();
        // What is left to do of each file around the current place, the next one last.
        let mut stack: Vec<Vec<NodeRef>> = vec![self.elements(data.macros)];
        while let Some(rest) = stack.last_mut() {
            let Some(next) = rest.pop().filter(|_| macros.len() < MOST_MACROS) else {
                stack.pop();
                if !stack.is_empty() {
                    macros.push(Macro::End);
                }
                continue;
            };
            if let Some(data) = self.graph.at::<SourceMacro>(next) {
                macros.extend(self.source_macro(unit, &data));
            } else if let Some(data) = self.graph.at::<MacroFile>(next)
                && stack.len() < MOST_SCOPES
                && let Some(file) = self.file(unit, data.file)
            {
                macros.push(Macro::Begin(data.line, file));
                stack.push(self.elements(data.elements));
            }
        }
        self.unit(unit).macros = macros;
    }

    /// The nodes of a list, the first one last.
    fn elements(&self, list: NodeRef) -> Vec<NodeRef> {
        self.graph.list(list).rev().collect()
    }

    fn source_macro(&mut self, unit: usize, data: &SourceMacro) -> Option<Macro> {
        let (name, value) = (self.graph.text(data.name), self.graph.text(data.value));
        let text = match value {
            b"" => name.to_vec(),
            value => [name, b" ", value].concat(),
        };
        let version = self.unit(unit).encoding.version;
        let texts = match version {
            5.. => &mut self.dwarf.strings,
            // They are written in place, as those of line programs are.
            _ => &mut self.dwarf.line_strings,
        };
        let text = texts.add(text);
        match data.kind {
            kind if kind == u64::from(dw::DW_MACINFO_define.0) => Some(Macro::Define(data.line, text)),
            kind if kind == u64::from(dw::DW_MACINFO_undef.0) => Some(Macro::Undefine(data.line, text)),
            _ => None,
        }
    }
}
