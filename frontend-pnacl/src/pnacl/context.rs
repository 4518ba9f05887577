//! A body that is being read, and the memory that serves for one body after the other.
//!
//! What is done with it is in files of their own: values and phis here, instructions in `body`, the walk over the
//! records in [`super::function`].

use super::module::PexeModule;
use crate::builder::dominance::{Elsewhere, Uses};
use crate::builder::splits::Splits;
use crate::error::ReadError;
use frazil_ir::{EntityRef, Function, Inst, InstData, Operand, Param, SigId, Signature};

/// What is known of a value of the function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The number of its type.
    pub ty: u32,
    /// What stands for it in the IR.
    pub operand: Operand,
    /// The address that it is, if a pointer is known that is the same.
    pub pointer: Operand,
    /// The block of the file in which the pointer is there; [`EVERYWHERE`] for the stack's.
    pub pointer_block: u32,
    pub is_defined: bool,
}

/// In all blocks.
pub(super) const EVERYWHERE: u32 = u32::MAX;

/// The number, until the body is complete, of the block that ends the program after a division by zero.
pub(super) const TRAP_BLOCK: u32 = u32::MAX - 1;

impl Entry {
    pub const NONE: Entry = Entry {
        ty: u32::MAX,
        operand: Operand::NONE,
        pointer: Operand::NONE,
        pointer_block: 0,
        is_defined: false,
    };
}

/// A phi whose operands wait until the predecessors of its block are known.
#[derive(Debug)]
pub(super) struct PendingPhi {
    pub inst: Inst,
    /// In the IR.
    pub block: u32,
    pub place: u64,
    /// Where its pairs begin, and how many there are.
    pub first: usize,
    pub count: usize,
}

/// The memory of a reader.
#[derive(Debug, Default)]
pub(super) struct State {
    pub entries: Vec<Entry>,
    pub uses: Uses,
    pub splits: Splits,
    /// Whether a branch leads to [`TRAP_BLOCK`].
    pub has_trap: bool,
    pub phis: Vec<PendingPhi>,
    /// Operands of phis with the blocks that they come from.
    pub incoming: Vec<(Operand, u32)>,
    /// Addresses of functions and variables that are made at the beginning, with what they are.
    pub hoisted: Vec<(u32, Operand)>,
    /// Those that phis name, and that are not made at the beginning yet.
    pub wanted: Vec<u32>,
    /// By type of a function: its number in the function's table of signatures.
    pub signatures: Vec<Option<SigId>>,
    /// By block: its column among the predecessors of the block that is being finished.
    pub columns: Vec<u32>,
    /// Operands of a list, and their types, while it is read.
    pub operands: Vec<Operand>,
    pub types: Vec<u32>,
}

/// A body that is being read.
pub(super) struct Body<'r, 'm> {
    pub module: &'m PexeModule<'m>,
    pub state: &'r mut State,
    pub function: &'r mut Function,
    /// The number of the first value of the function's own.
    pub base: u32,
    /// The number of the next result.
    pub next: u32,
    /// How many blocks the function says to have; 0 before it has said so.
    pub blocks: u32,
    /// Whether a block is open, for the next instruction.
    pub open: bool,
    /// Whether there was an instruction.
    pub is_begun: bool,
    pub elsewhere: Elsewhere,
    /// The current record's place.
    pub place: u64,
    pub room: usize,
    /// The number of the type that it returns.
    pub result: u32,
}

impl Body<'_, '_> {
    /// A broken rule in the current record.
    #[cold]
    pub fn wrong(&self, message: impl Into<String>) -> ReadError {
        ReadError::malformed(self.place, message)
    }

    /// The number in the file of the current block.
    pub fn current_block(&self) -> u32 {
        (self.function.blocks().len() - self.state.splits.more()) as u32 - 1
    }

    /// Fills a signature that is empty.
    pub fn fill_signature(&mut self, signature: &mut Signature, result: u32, parameters: &[u32]) {
        let types = &self.module.types;
        for &ty in parameters {
            signature.params.push(Param::plain(types.ir_type(ty, self.function)));
        }
        if types.is_value(result) {
            signature
                .returns
                .push(Param::plain(types.ir_type(result, self.function)));
        }
        signature.fixed_params = parameters.len() as u32;
    }

    /// The signature of a function's type.
    pub fn signature(&mut self, ty: u32) -> SigId {
        let place = ty as usize;
        if let Some(Some(known)) = self.state.signatures.get(place) {
            return *known;
        }
        let (result, parameters) = self.module.types.function(ty).unwrap_or((0, &[]));
        let mut signature = Signature::default();
        self.fill_signature(&mut signature, result, parameters);
        let id = self.function.push_sig(signature);
        if self.state.signatures.len() <= place {
            self.state.signatures.resize(place + 1, None);
        }
        if let Some(slot) = self.state.signatures.get_mut(place) {
            *slot = Some(id);
        }
        id
    }

    /// A signature of the arguments that were read, which no type of the module is.
    #[cold]
    pub fn new_signature(&mut self, result: u32) -> SigId {
        let mut signature = Signature::default();
        let parameters = std::mem::take(&mut self.state.types);
        self.fill_signature(&mut signature, result, &parameters);
        self.state.types = parameters;
        self.function.push_sig(signature)
    }

    /// Adds a value that needs no instruction.
    pub fn push(&mut self, ty: u32, operand: Operand) {
        self.state.entries.push(Entry {
            ty,
            operand,
            is_defined: true,
            ..Entry::NONE
        });
        self.next += 1;
    }

    /// Reads the arguments of a call. [`Body::arguments`] has them until the next call.
    pub fn read_arguments(&mut self, arguments: &[u64]) -> Result<(), ReadError> {
        self.state.operands.clear();
        self.state.types.clear();
        for &argument in arguments {
            let entry = self.entry(self.number(argument))?;
            self.state.operands.push(entry.operand);
            self.state.types.push(entry.ty);
        }
        Ok(())
    }

    /// The arguments of the call that is being read, and the numbers of their types.
    pub fn arguments(&self) -> (&[Operand], &[u32]) {
        (&self.state.operands, &self.state.types)
    }

    /// Puts operands into the function's pool, after the words that say how many they are and of which signature.
    pub fn push_call_operands(&mut self, sig: SigId) -> u32 {
        let count = self.state.operands.len() as u32;
        let start = self
            .function
            .push_pool(&[Operand::raw(count), Operand::raw(sig.as_u32())]);
        self.function.push_pool(&self.state.operands);
        start
    }

    /// A block as the target of a branch.
    pub fn target(&self, number: u64) -> Result<frazil_ir::Block, ReadError> {
        match number {
            0 => Err(self.wrong("a branch to block 0, the entry")),
            _ if number < u64::from(self.blocks) => Ok(frazil_ir::Block::new(number as usize)),
            _ => Err(self.wrong(format!("block {number} of {}", self.blocks))),
        }
    }

    /// Ends the current block.
    pub fn terminate(&mut self, data: InstData) {
        self.function.push_inst(data);
        self.open = false;
    }
}
