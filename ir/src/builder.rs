//! Append-only construction of functions. Keeps use counts exact.
//!
//! These are methods of [`Function`]: blocks are opened in order and filled one after another. A value may be
//! named before its definition when it was declared with [`Function::declare_value`]; the definition then goes
//! through [`Function::push_inst_into`].
//! A reader that does not know a block's predecessors yet opens its phis ([`Function::open_phi`]) and fills their
//! columns once [`Function::compute_cfg`] has found them. Nothing here checks the rules that the verifier checks.

use crate::constant::{AsmData, ConstData, ConstKind};
use crate::entities::{Block, ConstId, Inst, SigId, SlotId, SymbolId, Value};
use crate::flags::CallFlags;
use crate::function::{BlockData, Function, InstData, SlotData, ValueData, ValueKind};
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::runtime::RuntimeFunction;
use crate::signature::{Param, Signature};
use crate::types::{TooManyTypes, Type, TypeData};
use frazil_support::EntityRef;

impl Function {
    /// Adds a value.
    #[inline]
    pub(crate) fn push_value(&mut self, ty: Type, kind: ValueKind, result_index: u16, def: u32) -> Value {
        let value = Value::new(self.values.len());
        self.values.push(ValueData {
            ty,
            kind,
            result_index,
            def,
            uses: 0,
        });
        value
    }

    /// Adds the next parameter value; parameters come before any other value.
    pub fn push_param(&mut self, ty: Type) -> Value {
        let number = self.values.len() as u32;
        self.push_value(ty, ValueKind::Param, 0, number)
    }

    /// Names a value that is defined later.
    pub fn declare_value(&mut self, ty: Type) -> Value {
        self.push_value(ty, ValueKind::Forward, 0, u32::MAX)
    }

    /// Adds a stack slot and the value that is its address.
    pub fn push_slot(&mut self, size: u64, align_log2: u8) -> Value {
        let slot = SlotId::new(self.slots.len());
        let address = self.push_value(Type::PTR, ValueKind::Slot, 0, slot.as_u32());
        self.slots.push(SlotData {
            size,
            align_log2,
            address,
        });
        address
    }

    /// Opens the next block; the one before is closed.
    pub fn begin_block(&mut self) -> Block {
        let block = Block::new(self.blocks.len());
        let start = self.insts.len() as u32;
        self.blocks.push(BlockData { start, end: start });
        block
    }

    /// Puts the blocks into another order, in which `order` has all of them by their numbers so far, before control
    /// flow is computed. Returns the new positions of instructions by their old ones.
    ///
    /// Who names blocks, terminators too, must be told the new numbers by the caller.
    #[cold]
    pub fn reorder_blocks(&mut self, order: &[u32]) -> Vec<u32> {
        let old = std::mem::take(&mut self.insts);
        let mut moved = vec![0; old.len()];
        let mut blocks = Vec::with_capacity(order.len());
        for &block in order {
            let data = self.blocks[block as usize];
            let start = self.insts.len() as u32;
            for at in data.start..data.end {
                moved[at as usize] = self.insts.len() as u32;
                self.insts.push(old[at as usize]);
            }
            blocks.push(BlockData {
                start,
                end: self.insts.len() as u32,
            });
        }
        self.blocks = blocks;
        if self.debug.is_on() {
            self.debug.reorder(&moved);
        }
        for value in &mut self.values {
            if value.kind == ValueKind::Inst {
                value.def = moved[value.def as usize];
            }
        }
        moved
    }

    /// Counts one use of an operand.
    #[inline]
    pub(crate) fn count_use(&mut self, operand: Operand) {
        if let Some(value) = operand.as_value() {
            self.values[value.index()].uses += 1;
        }
    }

    /// Appends an instruction to the last block and counts the uses of its operands. Results are not touched.
    #[inline]
    pub fn push_inst(&mut self, data: InstData) -> Inst {
        let inst = Inst::new(self.insts.len());
        self.count_uses(&data);
        self.insts.push(data);
        self.close_block_at_end();
        inst
    }

    /// Counts one use of each operand of an instruction.
    #[inline]
    pub(crate) fn count_uses(&mut self, data: &InstData) {
        use crate::opcode::Format;
        match data.op.format() {
            Format::Nullary | Format::Jump | Format::LandingPad => {}
            Format::Unary | Format::Branch => self.count_use(data.a),
            Format::Binary => {
                self.count_use(data.a);
                self.count_use(data.b);
            }
            _ => self.count_pooled_uses(data),
        }
    }

    /// The same for an instruction of format `Unary` or `Binary`, whose operands are all in its words. The block must
    /// not end with it, since where it ends is only noted with what comes after.
    #[inline(always)]
    pub fn push_simple(&mut self, data: InstData) -> Inst {
        debug_assert!(matches!(
            data.op.format(),
            crate::opcode::Format::Unary | crate::opcode::Format::Binary
        ));
        let inst = Inst::new(self.insts.len());
        self.count_use(data.a);
        self.count_use(data.b);
        self.insts.push(data);
        inst
    }

    #[inline]
    fn close_block_at_end(&mut self) {
        let end = self.insts.len() as u32;
        self.blocks.last_mut().expect("a block is open").end = end;
    }

    fn count_pooled_uses(&mut self, data: &InstData) {
        let mut values = std::mem::take(&mut self.values);
        self.for_each_operand(data, |operand| {
            if let Some(value) = operand.as_value() {
                values[value.index()].uses += 1;
            }
        });
        self.values = values;
    }

    /// Appends an instruction with one new result of type `result_ty`.
    #[inline]
    pub fn push_inst_result(&mut self, mut data: InstData, result_ty: Type) -> Value {
        let value = self.push_value(result_ty, ValueKind::Inst, 0, self.insts.len() as u32);
        data.result = value.as_u32();
        self.push_inst(data);
        value
    }

    /// The same for an instruction of format `Unary` or `Binary` that is not the last ([`Function::push_simple`]).
    #[inline(always)]
    pub fn push_simple_result(&mut self, mut data: InstData, result_ty: Type) -> Value {
        let value = self.push_value(result_ty, ValueKind::Inst, 0, self.insts.len() as u32);
        data.result = value.as_u32();
        self.push_simple(data);
        value
    }

    /// Appends an instruction with new consecutive results of these types; the first one, if any, is returned.
    pub fn push_inst_results(&mut self, mut data: InstData, result_types: &[Type]) -> Option<Value> {
        let def = self.insts.len() as u32;
        data.result = if result_types.is_empty() {
            InstData::NO_RESULT
        } else {
            self.values.len() as u32
        };
        for (index, &ty) in result_types.iter().enumerate() {
            self.push_value(ty, ValueKind::Inst, index as u16, def);
        }
        self.push_inst(data);
        (!result_types.is_empty()).then(|| Value::new(data.result as usize))
    }

    /// Appends an instruction whose `count` results were declared before, `first` and the values after it.
    pub fn push_inst_into(&mut self, mut data: InstData, first: Value, count: usize) -> Inst {
        let def = self.insts.len() as u32;
        for index in 0..count {
            let value = &mut self.values[first.index() + index];
            value.kind = ValueKind::Inst;
            value.result_index = index as u16;
            value.def = def;
        }
        data.result = first.as_u32();
        self.push_inst(data)
    }

    /// Adds operands or raw words to the pool and returns the index of the first. Uses are counted when the
    /// instruction that points there is pushed.
    pub fn push_pool(&mut self, words: &[Operand]) -> u32 {
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(words);
        start
    }

    /// The id of a type, added if it is new.
    ///
    /// # Errors
    /// When the ids are used up.
    pub fn intern_type(&mut self, data: TypeData) -> Result<Type, TooManyTypes> {
        self.types.intern(data)
    }

    /// Adds a call signature.
    pub fn push_sig(&mut self, signature: Signature) -> SigId {
        self.sigs.push(signature);
        SigId::new(self.sigs.len() - 1)
    }

    /// A call of a run-time function in a module of so many symbols, to be pushed. It throws nothing.
    pub fn runtime_call(
        &mut self,
        function: RuntimeFunction,
        module_symbols: usize,
        arguments: &[(Operand, Type)],
        result: Type,
    ) -> InstData {
        let sig = self.push_sig(Signature {
            params: arguments.iter().map(|&(_, ty)| Param::plain(ty)).collect(),
            returns: vec![Param::plain(result)],
            fixed_params: arguments.len() as u32,
            ..Signature::default()
        });
        let mut words = vec![Operand::raw(arguments.len() as u32), Operand::raw(sig.as_u32())];
        words.extend(arguments.iter().map(|&(operand, _)| operand));
        let start = self.push_pool(&words);
        let callee = Operand::symbol(function.symbol(module_symbols));
        let flags = CallFlags::NO_UNWIND.bits();
        InstData::new(Opcode::Call, Type::VOID, flags, callee, Operand::raw(start))
    }

    /// A phi, to be pushed, that has no operands yet but room for `room` of them, which come once the predecessors of
    /// its block are known.
    #[inline]
    pub fn open_phi(&mut self, ty: Type, flags: u16, room: usize) -> InstData {
        let start = self.pool.len() as u32;
        self.pool.resize(self.pool.len() + room, Operand::NONE);
        InstData::new(Opcode::Phi, ty, flags, Operand::raw(0), Operand::raw(start))
    }

    /// Gives a phi of [`Function::open_phi`] its columns, `count` of them, which the room must suffice for. They are to
    /// be filled before anything else is done with the function.
    #[inline]
    pub fn phi_columns(&mut self, phi: Inst, count: usize) -> PhiColumns<'_> {
        let data = &mut self.insts[phi.index()];
        debug_assert!(data.op == Opcode::Phi && data.a.as_raw() == 0);
        data.a = Operand::raw(count as u32);
        let start = data.b.as_raw() as usize;
        PhiColumns {
            operands: &mut self.pool[start..start + count],
            values: &mut self.values,
        }
    }

    fn push_const(&mut self, kind: ConstKind, ty: Type, words: &[u64]) -> ConstId {
        let start = self.const_words.len() as u32;
        self.const_words.extend_from_slice(words);
        self.consts.push(ConstData {
            kind,
            ty,
            start,
            len: words.len() as u32,
        });
        ConstId::new(self.consts.len() - 1)
    }

    /// An integer operand of type `ty`, sign-extended from its width: an immediate if it fits, else a constant.
    pub fn int_operand(&mut self, ty: Type, value: i128) -> Operand {
        if let Some(operand) = i64::try_from(value).ok().and_then(Operand::imm) {
            return operand;
        }
        Operand::constant(self.push_int(ty, &[value as u64, (value >> 64) as u64]))
    }

    /// A typed integer constant from little-endian words, sign-extended from the type's width; spare words are cut.
    pub fn push_int(&mut self, ty: Type, words: &[u64]) -> ConstId {
        let bits = self.types.int_bits(ty).unwrap_or(64);
        let needed = (bits.div_ceil(64) as usize).min(words.len());
        self.push_const(ConstKind::Int, ty, &words[..needed])
    }

    /// A floating-point constant from its bits.
    pub fn push_float(&mut self, ty: Type, words: &[u64]) -> ConstId {
        self.push_const(ConstKind::Float, ty, words)
    }

    /// A symbol's address plus `addend` bytes, as a pointer or an integer of pointer width.
    pub fn push_symbol_const(&mut self, ty: Type, symbol: SymbolId, addend: i64) -> ConstId {
        self.push_const(
            ConstKind::Symbol,
            ty,
            &[u64::from(symbol.as_u32()), addend.cast_unsigned()],
        )
    }

    /// The address of a block of the function that `symbol` names.
    pub fn push_block_address(&mut self, symbol: SymbolId, block: Block) -> ConstId {
        self.has_block_addresses |= self.symbol == Some(symbol);
        self.push_const(
            ConstKind::BlockAddress,
            Type::PTR,
            &[u64::from(symbol.as_u32()), u64::from(block.as_u32())],
        )
    }

    /// A constant without payload: `Undef`, `Poison` or `Zero`.
    pub fn push_plain_const(&mut self, kind: ConstKind, ty: Type) -> ConstId {
        self.push_const(kind, ty, &[])
    }

    /// A vector constant from its lanes, which are no values.
    pub fn push_vector_const(&mut self, ty: Type, lanes: &[Operand]) -> ConstId {
        let start = self.push_pool(lanes);
        self.consts.push(ConstData {
            kind: ConstKind::Vector,
            ty,
            start,
            len: lanes.len() as u32,
        });
        ConstId::new(self.consts.len() - 1)
    }

    /// An inline assembly text as a callee.
    pub fn push_asm(&mut self, asm: AsmData) -> ConstId {
        let start = self.asms.len() as u32;
        self.asms.push(asm);
        self.consts.push(ConstData {
            kind: ConstKind::Asm,
            ty: Type::PTR,
            start,
            len: 0,
        });
        ConstId::new(self.consts.len() - 1)
    }
}

/// The operands of a phi while they are filled in, each counted as a use.
#[derive(Debug)]
pub struct PhiColumns<'f> {
    operands: &'f mut [Operand],
    values: &'f mut [ValueData],
}

/// What [`PhiColumns::fill`] found in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// Nothing: the operand stands there now.
    First,
    /// The same operand.
    Again,
    /// Another operand, which is still there, or no such column.
    Not,
}

impl PhiColumns<'_> {
    /// Puts an operand into a column that is empty.
    #[inline]
    pub fn fill(&mut self, column: usize, operand: Operand) -> Filled {
        match self.operands.get_mut(column) {
            Some(slot) if slot.is_none() => {
                *slot = operand;
                if let Some(value) = operand.as_value() {
                    self.values[value.index()].uses += 1;
                }
                Filled::First
            }
            Some(slot) if *slot == operand => Filled::Again,
            _ => Filled::Not,
        }
    }
}

impl InstData {
    /// An instruction without result.
    #[inline]
    pub const fn new(op: Opcode, ty: Type, flags: u16, a: Operand, b: Operand) -> InstData {
        InstData {
            op,
            ty,
            flags,
            result: InstData::NO_RESULT,
            a,
            b,
        }
    }

    /// An unconditional branch.
    pub fn jump(target: Block) -> InstData {
        InstData {
            op: Opcode::Jump,
            ty: Type::VOID,
            flags: 0,
            result: target.as_u32(),
            a: Operand::NONE,
            b: Operand::NONE,
        }
    }

    /// A conditional branch.
    pub fn branch(condition: Operand, if_true: Block, if_false: Block) -> InstData {
        InstData {
            op: Opcode::Branch,
            ty: Type::I1,
            flags: 0,
            result: if_true.as_u32(),
            a: condition,
            b: Operand::raw(if_false.as_u32()),
        }
    }
}
