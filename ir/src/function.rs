//! A function: dense arrays of instructions, blocks and values, in program order.
//!
//! Method: an [`Inst`] is its position; a block is a range of positions; an instruction is 16 bytes with packed
//! operands, longer operand lists stand in one pool. Everything is cleared and used again for the next function.
//!
//! Only this crate writes the arrays. Others read them by accessors, build functions through [`crate::builder`] and
//! edit them through [`crate::edit::Editor`], both of which count uses. What is attached to a function is plain data.
//!
//! Invariants (checked by the verifier):
//! * blocks are contiguous, in order, and end with their only terminator; block 0 is the entry and has no predecessors;
//! * `uses` of a value, which the builder and the editor keep, is the number of operand slots that name it;
//! * phis come first in a block, and have one operand for each predecessor, in the order of [`Function::predecessors`];
//! * several results of an instruction are consecutive values, `result` the first;
//! * values `0..params` are the parameters.

use crate::cfg::Cfg;
use crate::constant::{AsmData, ConstData, ConstKind, ConstView};
use crate::debug::FunctionDebug;
use crate::entities::{Block, ConstId, Inst, SigId, SlotId, SymbolId, Value};
use crate::module::Attachments;
use crate::opcode::{Format, Opcode, Results};
use crate::operand::Operand;
use crate::signature::Signature;
use crate::types::{Type, TypeTable};
use frazil_support::EntityRef;

/// An instruction: opcode, controlling type, flags, first result (or a block), and two operand words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct InstData {
    pub op: Opcode,
    /// The type that controls it; see [`Results`] and the opcode table.
    pub ty: Type,
    /// Flags; see [`crate::flags`].
    pub flags: u16,
    /// The first result value, the target of a jump, or [`InstData::NO_RESULT`].
    pub result: u32,
    /// First operand word.
    pub a: Operand,
    /// Second operand word.
    pub b: Operand,
}

impl InstData {
    /// The `result` word of an instruction that has none.
    pub const NO_RESULT: u32 = u32::MAX;

    /// The first result, if there is one.
    #[inline]
    pub fn first_result(&self) -> Option<Value> {
        // The only ones with their formats, which costs less to ask here.
        let block = matches!(self.op, Opcode::Jump | Opcode::Branch);
        (self.result != Self::NO_RESULT && !block).then(|| Value::new(self.result as usize))
    }

    /// The block in the result word of a jump or branch.
    #[inline]
    pub fn target(&self) -> Block {
        Block::new(self.result as usize)
    }

    /// The block in the second word of a branch.
    #[inline]
    pub fn else_target(&self) -> Block {
        Block::new(self.b.as_raw() as usize)
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ValueKind {
    /// A parameter; `def` is its number.
    Param,
    /// The address of a stack slot; `def` is the slot.
    Slot,
    /// A result of an instruction; `def` is the instruction.
    Inst,
    /// Named by a forward reference, not defined yet.
    Forward,
}

/// A value's type and origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ValueData {
    pub ty: Type,
    /// Where it comes from.
    pub kind: ValueKind,
    /// Which of several results it is.
    pub result_index: u16,
    /// The parameter number, slot or instruction.
    pub def: u32,
    /// How many operands name it.
    pub(crate) uses: u32,
}

impl ValueData {
    /// How many operands name it.
    #[inline]
    pub fn use_count(&self) -> u32 {
        self.uses
    }
}

/// A block's instructions: the positions `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockData {
    /// First instruction.
    pub start: u32,
    /// One past the last instruction.
    pub end: u32,
}

/// A stack slot of fixed size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotData {
    /// Size in bytes.
    pub size: u64,
    /// Alignment as log2 of bytes.
    pub align_log2: u8,
    pub address: Value,
}

/// A function with a body.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The symbol that names it.
    pub(crate) symbol: Option<SymbolId>,
    /// What it takes and returns.
    pub(crate) signature: Signature,
    /// Types besides the primitives.
    pub(crate) types: TypeTable,
    /// Signatures of calls. Kept from function to function as a cache, see [`Function::clear`].
    pub(crate) sigs: Vec<Signature>,
    /// Instructions in program order.
    pub(crate) insts: Vec<InstData>,
    /// Blocks in program order.
    pub(crate) blocks: Vec<BlockData>,
    pub(crate) values: Vec<ValueData>,
    /// Operands beyond two, and raw words.
    pub(crate) pool: Vec<Operand>,
    pub(crate) consts: Vec<ConstData>,
    /// Payload of constants.
    pub(crate) const_words: Vec<u64>,
    /// Inline assembly texts.
    pub(crate) asms: Vec<AsmData>,
    /// Stack slots.
    pub(crate) slots: Vec<SlotData>,
    /// Whether addresses of its blocks are taken, in code or in data. Then blocks keep their numbers.
    pub(crate) has_block_addresses: bool,
    /// Whether whoever made it has met vectors.
    pub(crate) has_vectors: bool,
    /// Whether it has vectors wider than those for which its target has instructions for every operation.
    pub(crate) has_wide_vectors: bool,
    /// Whether it may have hooks that follow loads and stores; see contract 15.
    pub(crate) has_following_hooks: bool,
    /// What is attached to it, if anything.
    pub attachments: Option<Box<Attachments>>,
    /// Where its instructions and variables come from. Editing keeps the columns beside the instructions.
    pub debug: FunctionDebug,
    /// Predecessors and successors; valid after [`Function::compute_cfg`].
    pub(crate) cfg: Cfg,
}

impl Function {
    /// An empty function.
    pub fn new() -> Function {
        Function::default()
    }

    /// An empty function of the same name with this one's types, call signatures and constants.
    pub fn empty_with_tables(&self) -> Function {
        Function {
            symbol: self.symbol,
            types: self.types.clone(),
            sigs: self.sigs.clone(),
            pool: self.pool.clone(),
            consts: self.consts.clone(),
            const_words: self.const_words.clone(),
            asms: self.asms.clone(),
            ..Function::default()
        }
    }

    /// Notes that it has hooks that go with their loads and stores, so that edits look for them.
    pub fn note_following_hooks(&mut self) {
        self.has_following_hooks = true;
    }

    /// Says how wide pointers are ([`TypeTable::set_pointer_bits`]).
    pub fn set_pointer_bits(&mut self, bits: u32) {
        self.types.set_pointer_bits(bits);
    }

    /// Names the function.
    pub fn set_symbol(&mut self, symbol: SymbolId) {
        self.symbol = Some(symbol);
    }

    /// Says that data, or another function, has addresses of its blocks.
    pub fn keep_block_numbers(&mut self) {
        self.has_block_addresses = true;
    }

    /// Has code generation look for vectors that fit no register. Readers call it when they meet one.
    #[inline]
    pub fn note_vectors(&mut self) {
        self.has_vectors = true;
    }

    /// Whether its reader has met vectors. Values of vector types may also come in otherwise, by signatures that other
    /// functions have used before.
    #[inline]
    pub fn has_vectors(&self) -> bool {
        self.has_vectors
    }

    /// Lets code generation put vectors into registers wider than those for which its target has instructions for every
    /// operation. Legalisation says so of what it has made: of other operations, there are none on them.
    pub fn use_wide_vectors(&mut self) {
        self.has_wide_vectors = true;
    }

    /// Whether [`Function::use_wide_vectors`] was called.
    #[inline]
    pub fn has_wide_vectors(&self) -> bool {
        self.has_wide_vectors
    }

    /// Takes the signature, whose memory serves for another one, which [`Function::set_signature`] sets.
    pub fn take_signature(&mut self) -> Signature {
        std::mem::take(&mut self.signature)
    }

    /// Sets what the function takes and returns; its parameters are pushed by [`Function::push_param`].
    pub fn set_signature(&mut self, signature: Signature) {
        self.signature = signature;
    }

    /// Empties the function but keeps its memory.
    ///
    /// Types and call signatures stay as a cache for the next function. Returns `true` when they were dropped too
    /// because the type table was half full: then every [`Type`] above the primitives and every [`SigId`] that a
    /// reader remembers is void.
    pub fn clear(&mut self) -> bool {
        self.symbol = None;
        self.signature.params.clear();
        self.signature.returns.clear();
        self.signature = Signature {
            params: std::mem::take(&mut self.signature.params),
            returns: std::mem::take(&mut self.signature.returns),
            ..Signature::default()
        };
        self.insts.clear();
        self.blocks.clear();
        self.values.clear();
        self.pool.clear();
        self.consts.clear();
        self.const_words.clear();
        self.asms.clear();
        self.slots.clear();
        self.has_block_addresses = false;
        self.has_vectors = false;
        self.has_wide_vectors = false;
        self.has_following_hooks = false;
        self.attachments = None;
        self.debug.clear();
        self.cfg.clear();
        let drop_tables = self.types.extra_len() > 120 || self.sigs.len() > 100_000;
        if drop_tables {
            self.clear_tables();
        }
        drop_tables
    }

    /// Drops types and call signatures of a function that is empty: every [`Type`] above the primitives and every
    /// [`SigId`] that a reader remembers is void.
    pub fn clear_tables(&mut self) {
        debug_assert!(self.insts.is_empty());
        self.types.clear();
        self.sigs.clear();
    }

    /// The symbol that names it.
    #[inline]
    pub fn symbol(&self) -> Option<SymbolId> {
        self.symbol
    }

    /// What it takes and returns.
    #[inline]
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Types besides the primitives.
    #[inline]
    pub fn types(&self) -> &TypeTable {
        &self.types
    }

    /// All call signatures, also those that only functions before this one have used.
    #[inline]
    pub fn sigs(&self) -> &[Signature] {
        &self.sigs
    }

    /// All constants that have no place in an operand.
    #[inline]
    pub fn consts(&self) -> &[ConstData] {
        &self.consts
    }

    /// All inline assembly texts.
    #[inline]
    pub fn asms(&self) -> &[AsmData] {
        &self.asms
    }

    /// How many words the pool has.
    #[inline]
    pub fn pool_len(&self) -> usize {
        self.pool.len()
    }

    /// Predecessors and successors, as they were when [`Function::compute_cfg`] or a commit of edits last found them.
    #[inline]
    pub fn cfg(&self) -> &Cfg {
        &self.cfg
    }

    /// Whether addresses of its blocks are taken, in code or in data. Then blocks keep their numbers.
    #[inline]
    pub fn has_block_addresses(&self) -> bool {
        self.has_block_addresses
    }

    /// All instructions in program order.
    #[inline]
    pub fn insts(&self) -> &[InstData] {
        &self.insts
    }

    /// All blocks in program order.
    #[inline]
    pub fn blocks(&self) -> &[BlockData] {
        &self.blocks
    }

    /// All values.
    #[inline]
    pub fn values(&self) -> &[ValueData] {
        &self.values
    }

    /// All stack slots.
    #[inline]
    pub fn slots(&self) -> &[SlotData] {
        &self.slots
    }

    /// The instruction at this position.
    #[inline]
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst.index()]
    }

    /// A value's type and origin.
    #[inline]
    pub fn value(&self, value: Value) -> ValueData {
        self.values[value.index()]
    }

    /// How many operands name a value.
    #[inline]
    pub fn use_count(&self, value: Value) -> u32 {
        self.values[value.index()].uses
    }

    /// The instruction that defines a value, if an instruction does.
    #[inline]
    pub fn def_inst(&self, value: Value) -> Option<Inst> {
        let data = self.value(value);
        (data.kind == ValueKind::Inst).then(|| Inst::new(data.def as usize))
    }

    /// The slot whose address a value is.
    #[inline]
    pub fn slot_of(&self, value: Value) -> Option<SlotId> {
        let data = self.value(value);
        (data.kind == ValueKind::Slot).then(|| SlotId::new(data.def as usize))
    }

    /// The positions of a block's instructions.
    #[inline]
    pub fn block_insts(&self, block: Block) -> std::ops::Range<usize> {
        let data = self.blocks[block.index()];
        data.start as usize..data.end as usize
    }

    /// All blocks in order.
    pub fn block_ids(&self) -> impl DoubleEndedIterator<Item = Block> + use<> {
        (0..self.blocks.len()).map(Block::new)
    }

    /// The last instruction of a block.
    #[inline]
    pub fn terminator(&self, block: Block) -> Inst {
        Inst::new(self.blocks[block.index()].end as usize - 1)
    }

    /// The predecessors of a block, each once; phi operands stand in this order.
    #[inline]
    pub fn predecessors(&self, block: Block) -> &[Block] {
        self.cfg.predecessors(block)
    }

    /// The number of parameters.
    pub fn param_count(&self) -> usize {
        self.signature.params.len()
    }

    /// `len` words of the operand pool.
    #[inline]
    pub fn pool_slice(&self, start: u32, len: u32) -> &[Operand] {
        &self.pool[start as usize..start as usize + len as usize]
    }

    /// The operands of a `List` or `Phi` instruction.
    #[inline]
    pub fn list(&self, data: &InstData) -> &[Operand] {
        self.pool_slice(data.b.as_raw(), data.a.as_raw())
    }

    /// The value of a constant integer of at most 64 bits, sign-extended from its width.
    #[inline]
    pub fn int_constant(&self, operand: Operand) -> Option<i64> {
        if let Some(imm) = operand.as_imm() {
            return Some(imm);
        }
        match self.constant(operand.as_const()?).1 {
            ConstView::Int(&[word]) => Some(word.cast_signed()),
            _ => None,
        }
    }

    /// The block of an instruction; not of one that an editor has queued.
    pub fn block_of(&self, inst: Inst) -> Block {
        let after = self
            .blocks
            .partition_point(|block| block.start as usize <= inst.index());
        Block::new(after - 1)
    }

    /// The two pooled operands of a `Ternary` instruction.
    #[inline]
    pub fn ternary(&self, data: &InstData) -> (Operand, Operand) {
        let start = data.b.as_raw() as usize;
        (self.pool[start], self.pool[start + 1])
    }

    /// The parts of a `Call` or `Invoke`.
    #[inline]
    pub fn call(&self, data: &InstData) -> CallView<'_> {
        let start = data.b.as_raw() as usize;
        let count = self.pool[start].as_raw() as usize;
        let sig = SigId::new(self.pool[start + 1].as_raw() as usize);
        let first = start + if data.op == Opcode::Invoke { 4 } else { 2 };
        CallView {
            callee: data.a,
            sig,
            args: &self.pool[first..first + count],
        }
    }

    /// The normal and unwind targets of an `Invoke`.
    pub fn invoke_targets(&self, data: &InstData) -> (Block, Block) {
        let start = data.b.as_raw() as usize;
        (
            Block::new(self.pool[start + 2].as_raw() as usize),
            Block::new(self.pool[start + 3].as_raw() as usize),
        )
    }

    /// The default target and the (value, raw block) pairs of a `Switch`.
    pub fn switch(&self, data: &InstData) -> (Block, &[Operand]) {
        let start = data.b.as_raw() as usize;
        let count = self.pool[start].as_raw() as usize;
        let default = Block::new(self.pool[start + 1].as_raw() as usize);
        (default, &self.pool[start + 2..start + 2 + 2 * count])
    }

    /// The possible targets of an `IndirectJump`, as raw words.
    pub fn indirect_targets(&self, data: &InstData) -> &[Operand] {
        let start = data.b.as_raw();
        self.pool_slice(start + 1, self.pool[start as usize].as_raw())
    }

    /// The clause words of a `LandingPad`.
    pub fn landing_pad_clauses(&self, data: &InstData) -> &[Operand] {
        let start = data.b.as_raw();
        self.pool_slice(start + 1, self.pool[start as usize].as_raw())
    }

    /// A call signature.
    #[inline]
    pub fn sig(&self, sig: SigId) -> &Signature {
        &self.sigs[sig.index()]
    }

    /// A constant with its payload.
    pub fn constant(&self, id: ConstId) -> (Type, ConstView<'_>) {
        let data = &self.consts[id.index()];
        let range = data.start as usize..data.start as usize + data.len as usize;
        let words = || &self.const_words[range.clone()];
        let view = match data.kind {
            ConstKind::Int => ConstView::Int(words()),
            ConstKind::Float => ConstView::Float(words()),
            ConstKind::Symbol => ConstView::Symbol(SymbolId::new(words()[0] as usize), words()[1].cast_signed()),
            ConstKind::BlockAddress => {
                ConstView::BlockAddress(SymbolId::new(words()[0] as usize), Block::new(words()[1] as usize))
            }
            ConstKind::Undef => ConstView::Undef,
            ConstKind::Poison => ConstView::Poison,
            ConstKind::Zero => ConstView::Zero,
            ConstKind::Vector => ConstView::Vector(&self.pool[range]),
            ConstKind::Asm => ConstView::Asm(&self.asms[data.start as usize]),
        };
        (data.ty, view)
    }

    /// The type of an operand that carries one; immediates and `none` do not, symbols are pointers.
    #[inline]
    pub fn operand_type(&self, operand: Operand) -> Option<Type> {
        use crate::operand::OperandKind;
        if operand.is_none() {
            return None;
        }
        match operand.kind() {
            OperandKind::Value(value) => Some(self.value(value).ty),
            OperandKind::Imm(_) => None,
            OperandKind::Const(id) => Some(self.consts[id.index()].ty),
            OperandKind::Symbol(_) => Some(Type::PTR),
        }
    }

    /// How many results an instruction has.
    #[inline]
    pub fn result_count(&self, data: &InstData) -> usize {
        match data.op.results() {
            Results::None => 0,
            Results::Ty | Results::Bool | Results::Ptr | Results::Element => 1,
            Results::TyAndBool | Results::PtrAndI32 => 2,
            Results::Signature => self.sig(self.call(data).sig).returns.len(),
        }
    }

    /// The results of an instruction.
    pub fn results(&self, data: &InstData) -> impl Iterator<Item = Value> + use<> {
        let first = data.first_result().map_or(0, |value| value.index());
        let count = if data.first_result().is_some() {
            self.result_count(data)
        } else {
            0
        };
        (first..first + count).map(Value::new)
    }

    /// Calls `visit` with every operand slot of an instruction that may hold a value, raw words left out.
    #[inline(always)]
    pub fn for_each_operand(&self, data: &InstData, mut visit: impl FnMut(Operand)) {
        match data.op.format() {
            Format::Nullary | Format::Jump | Format::LandingPad => {}
            Format::Unary | Format::Branch | Format::IndirectJump => visit(data.a),
            Format::Binary => {
                visit(data.a);
                visit(data.b);
            }
            Format::Ternary => {
                let (second, third) = self.ternary(data);
                visit(data.a);
                visit(second);
                visit(third);
            }
            Format::List | Format::Phi => self.list(data).iter().copied().for_each(visit),
            Format::Call | Format::Invoke => {
                visit(data.a);
                self.call(data).args.iter().copied().for_each(visit);
            }
            Format::Switch => visit(data.a),
        }
    }

    /// Calls `visit` with every successor that a terminator names, duplicates included.
    #[inline]
    pub fn for_each_target(&self, data: &InstData, mut visit: impl FnMut(Block)) {
        match data.op.format() {
            Format::Jump => visit(data.target()),
            Format::Branch => {
                visit(data.target());
                visit(data.else_target());
            }
            Format::Switch => {
                let (default, cases) = self.switch(data);
                visit(default);
                cases
                    .chunks_exact(2)
                    .for_each(|pair| visit(Block::new(pair[1].as_raw() as usize)));
            }
            Format::Invoke => {
                // Reverse postorder puts what is visited last next: the normal successor.
                let (normal, unwind) = self.invoke_targets(data);
                visit(unwind);
                visit(normal);
            }
            Format::IndirectJump => {
                self.indirect_targets(data)
                    .iter()
                    .for_each(|target| visit(Block::new(target.as_raw() as usize)));
            }
            _ => {}
        }
    }

    /// Computes predecessors and successors from the terminators.
    pub fn compute_cfg(&mut self) {
        let mut cfg = std::mem::take(&mut self.cfg);
        cfg.compute(self);
        self.cfg = cfg;
    }
}

/// The parts of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallView<'a> {
    pub callee: Operand,
    /// With which signature.
    pub sig: SigId,
    pub args: &'a [Operand],
}
