//! Non-temporal accesses, by instruction number. They are rare, and nothing else needs a list by instruction.

use frazil_ir::{EntityRef, Function, Inst, MemFlags, Opcode};

/// The instructions that are marked as non-temporal.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Their numbers in the order of the file, ascending.
    pub(crate) numbers: Vec<u64>,
    /// The number of the next instruction while the body is read a second time.
    next: u64,
}

impl Marks {
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Starts counting at the first instruction.
    pub(crate) fn restart(&mut self) {
        self.next = 0;
    }

    /// Counts an instruction and returns whether it is marked.
    pub(crate) fn count(&mut self) -> bool {
        let number = self.next;
        self.next += 1;
        self.numbers.binary_search(&number).is_ok()
    }
}

/// Marks the loads and stores among the instructions from `first` on as non-temporal.
pub(crate) fn mark_accesses(function: &mut Function, first: usize) {
    for inst in (first..function.insts().len()).map(Inst::new) {
        let data = function.inst(inst);
        if matches!(data.op, Opcode::Load | Opcode::Store) {
            let flags = MemFlags(data.flags).with_nontemporal(true);
            function.set_flags(inst, flags.0);
        }
    }
}
