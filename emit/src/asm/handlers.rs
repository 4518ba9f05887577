//! Exception tables, and the pointers that they name symbols by, as directives.

use super::{AsmBuilder, syntax};
use crate::exceptions::{Encodings, Late, SiteRange, TABLE_ALIGN_LOG2, TableParts};
use crate::names::ObjectName;
use frazil_codegen::CompiledFunction;
use frazil_ir::{EntityRef, FuncId, SymbolId};
use std::fmt::{self, Display, Write};

/// A label of the tables of a function: of a kind, with a number.
#[derive(Clone, Copy, Debug)]
struct TableLabel(FuncId, char, usize);

impl Display for TableLabel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TableLabel(function, kind, number) = self;
        write!(out, ".L..e{}{kind}{number}", function.index())
    }
}

impl<'a> AsmBuilder<'a> {
    /// Says which routine and which table unwinders use for the function that begins.
    #[cold]
    pub(super) fn name_handler(&mut self, function: FuncId, personality: SymbolId) {
        let encodings = Encodings::of(&self.target.desc().elf, self.placement.options.relocation_model);
        let name = self.reach(Late::Personality(personality), personality);
        self.line(format_args!(".cfi_personality\t{}, {name}", encodings.symbol));
        let table = syntax::Name(ObjectName::of_late(self.module, Late::Table(function)));
        self.line(format_args!(".cfi_lsda\t{}, {table}", encodings.table));
        self.table_label(TableLabel(function, 'f', 0));
    }

    /// The name by which tables reach a symbol.
    fn reach(&mut self, late: Late, symbol: SymbolId) -> syntax::Name<'a> {
        self.mark_used(symbol);
        if !Encodings::of(&self.target.desc().elf, self.placement.options.relocation_model).is_indirect {
            return self.name(symbol);
        }
        self.late.insert(late);
        syntax::Name(ObjectName::of_late(self.module, late))
    }

    /// Writes a label of the tables of a function.
    fn table_label(&mut self, label: TableLabel) {
        writeln!(self.text, "{label}:").expect("strings can be written");
    }

    /// Says where a call starts, or ends, that the function's table speaks of.
    #[cold]
    pub(super) fn mark_call(&mut self, function: FuncId, site: usize, ends: bool) {
        self.table_label(TableLabel(function, if ends { 'e' } else { 's' }, site));
    }

    /// Writes the exception table of a function. Places in the code are labels, since assembly of users has lengths
    /// that nobody else knows.
    #[cold]
    pub(super) fn add_exception_table(&mut self, function: FuncId, code: &CompiledFunction) {
        let encodings = Encodings::of(&self.target.desc().elf, self.placement.options.relocation_model);
        let table = &code.body.exceptions;
        let parts = TableParts::of(table);
        let section = self.placement.exception_table(function);
        self.switch_to(section);
        self.line(format_args!(".p2align\t{TABLE_ALIGN_LOG2}"));
        let name = syntax::Name(ObjectName::of_late(self.module, Late::Table(function)));
        writeln!(self.text, "{name}:").expect("strings can be written");
        let own = |kind| TableLabel(function, kind, 0);
        self.line(format_args!(".byte\t255, {}", encodings.types(&parts)));
        if parts.has_types {
            self.line(format_args!(".uleb128\t{}-{}", own('t'), own('r')));
            self.table_label(own('r'));
        }
        self.line(format_args!(".byte\t1"));
        self.line(format_args!(".uleb128\t{}-{}", own('a'), own('c')));
        self.table_label(own('c'));
        for range in &parts.ranges {
            self.call_sites(function, range);
        }
        self.table_label(own('a'));
        self.put_bytes(&parts.actions, 0, parts.actions.len() as u64);
        if parts.has_types {
            self.line(format_args!(".p2align\t{TABLE_ALIGN_LOG2}"));
            for symbol in table.types.iter().rev() {
                self.name_type(*symbol, encodings);
            }
            self.table_label(own('t'));
            self.put_bytes(&parts.filters, 0, parts.filters.len() as u64);
        }
    }

    fn call_sites(&mut self, function: FuncId, range: &SiteRange) {
        let place = |kind, site| TableLabel(function, kind, site);
        let (start, first, last) = (place('f', 0), place('s', range.first), place('e', range.last));
        self.line(format_args!(".uleb128\t{first}-{start}"));
        self.line(format_args!(".uleb128\t{last}-{first}"));
        let Some((label, action)) = range.landing else {
            self.line(format_args!(".byte\t0, 0"));
            return;
        };
        let number = function.index();
        self.line(format_args!(".uleb128\t.L..f{number}b{}-{start}", label.0));
        self.line(format_args!(".uleb128\t{action}"));
    }

    fn name_type(&mut self, symbol: Option<SymbolId>, encodings: Encodings) {
        let directive = if encodings.pointer_bytes == 8 { ".quad" } else { ".long" };
        let Some(symbol) = symbol else {
            self.line(format_args!("{directive}\t0"));
            return;
        };
        let name = self.reach(Late::Type(symbol), symbol);
        let minus = if encodings.is_indirect { "-." } else { "" };
        self.line(format_args!("{directive}\t{name}{minus}"));
    }

    /// Writes the pointers by which tables name symbols.
    pub(super) fn add_pointers(&mut self) {
        let bytes = self.target.desc().pointer_bytes;
        let directive = if bytes == 8 { ".quad" } else { ".long" };
        for late in std::mem::take(&mut self.late) {
            let (Late::Personality(symbol) | Late::Type(symbol)) = late else {
                continue;
            };
            let section = self.placement.pointer(late);
            self.switch_to(section);
            let name = syntax::Name(ObjectName::of_late(self.module, late));
            if let Late::Personality(_) = late {
                self.line(format_args!(".hidden\t{name}"));
                self.line(format_args!(".weak\t{name}"));
                self.line(format_args!(".type\t{name},@object"));
                self.line(format_args!(".size\t{name}, {bytes}"));
            }
            self.line(format_args!(".p2align\t{}", bytes.trailing_zeros()));
            writeln!(self.text, "{name}:").expect("strings can be written");
            let symbol = self.name(symbol);
            self.line(format_args!("{directive}\t{symbol}"));
        }
    }
}
