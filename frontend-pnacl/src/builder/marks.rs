//! Non-temporal accesses, by instruction number. They are rare, and nothing else needs a list by instruction.

use frazil_ir::{EntityRef, Function, Inst, MemFlags, Opcode};

/// Which instructions are marked as non-temporal, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Their numbers, ascending.
    pub(crate) numbers: Vec<u64>,
    /// The number of the next instruction, in a second reading.
    next: u64,
}

impl Marks {
    /// Whether there are any.
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Prepares for counting from the first instruction on.
    pub(crate) fn restart(&mut self) {
        self.next = 0;
    }

    /// Counts an instruction; returns whether it is marked.
    pub(crate) fn count(&mut self) -> bool {
        let number = self.next;
        self.next += 1;
        self.numbers.binary_search(&number).is_ok()
    }
}

/// Marks the accesses among the instructions from `first` on.
pub(crate) fn mark_accesses(function: &mut Function, first: usize) {
    for inst in (first..function.insts().len()).map(Inst::new) {
        let data = function.inst(inst);
        if matches!(data.op, Opcode::Load | Opcode::Store) {
            let flags = MemFlags(data.flags).with_nontemporal(true);
            function.set_flags(inst, flags.0);
        }
    }
}
