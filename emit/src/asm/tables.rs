//! Jump tables as directives.

use super::{AsmBuilder, CodeLabel};
use frazil_codegen::{CodeBuffer, CompiledFunction};
use frazil_ir::{EntityRef, FuncId};
use std::fmt::{self, Write};

/// The name of a jump table: its function and number there.
pub(super) struct TableName(pub FuncId, pub usize);

impl fmt::Display for TableName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, ".L..j{}.{}", self.0.index(), self.1)
    }
}

impl AsmBuilder<'_> {
    /// Writes the jump tables of a function, whose code stands before.
    #[cold]
    pub(super) fn add_jump_tables(&mut self, function: FuncId, code: &CompiledFunction) {
        let section = self.placement.jump_tables(function, code.attachments.as_deref());
        self.switch_to(section);
        self.line(format_args!(".p2align\t{}", CodeBuffer::TABLE_ALIGN_LOG2));
        for (number, table) in code.body.data_tables().enumerate() {
            let name = TableName(function, number);
            writeln!(self.text, "{name}:").expect("strings can be written");
            for label in table {
                self.line(format_args!(".long\t{}-{name}", CodeLabel(function, 'b', *label)));
            }
        }
    }
}
