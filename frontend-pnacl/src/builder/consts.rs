//! Constants as operands of instructions.
//!
//! Numbers, addresses and vectors become constants of the function. A constant expression without a counterpart in the
//! IR (a difference of addresses, or a vector that contains an address) becomes instructions at each of its uses.

use super::class::Class;
use super::evaluate::{Base, Evaluator, Found, Sum};
use super::values::Builder;
use super::wide;
use super::word::{NO_TYPE, Word};
use crate::error::ReadError;
use crate::limits;
use crate::llvm::codes;
use crate::llvm::codes::{binary, casts};
use crate::llvm::constants::{self, Constant, ConstantKind};
use crate::llvm::types::{Float, Kind, TypeId};
use frazil_ir::debug::DebugConstant;
use frazil_ir::module::TlsModel;
use frazil_ir::{
    Block, ConstKind, ConstView, EntityRef, InstData, Opcode, Operand, Refusal, SymbolId, SymbolKind, Type, TypeData,
};
use std::cell::Cell;

/// The most steps that the evaluation of one constant may take.
const STEPS: u64 = 1 << 12;

impl<'m> Builder<'_, 'm> {
    /// An evaluator of the constants of the module and of this function.
    pub fn evaluator(&self) -> Evaluator<'_> {
        Evaluator {
            types: &self.module.types,
            values: &self.module.values,
            constants: &self.module.constants,
            local: Some((&self.state.constants, u64::from(self.state.first_constant))),
            steps: Cell::new(STEPS),
        }
    }

    /// The row of a constant in its table.
    fn constant_row(&self, number: u32) -> Option<Constant> {
        match self.evaluator().find(u64::from(number)) {
            Found::Row(_, constant) => Some(*constant),
            _ => None,
        }
    }

    /// The symbol whose address a value is, if it is one; for values that are only named.
    #[cold]
    pub fn symbol_of(&self, number: u32) -> Option<SymbolId> {
        match self.evaluator().sum(u64::from(number))? {
            Sum {
                base: Some(Base::Symbol(symbol)),
                minus: None,
                addend: 0,
                ..
            } => Some(symbol),
            _ => None,
        }
    }

    /// A constant as debug information has it, for which nothing is made.
    #[cold]
    pub fn debug_constant(&self, number: u64) -> Option<DebugConstant> {
        let evaluator = self.evaluator();
        if let Found::Row(table, constant) = evaluator.find(number)
            && let kind @ (Kind::Float(_) | Kind::Integer(65..)) = self.module.types.kind(constant.ty)?
        {
            const MOST_BITS: u32 = u128::BITS;
            let bits = match kind {
                Kind::Integer(bits) => *bits,
                Kind::Float(float) => float.bits(),
                _ => return None,
            };
            let words = match constant.kind {
                ConstantKind::Null => &[],
                ConstantKind::WideInteger | ConstantKind::Float => table.words(constant),
                _ => return None,
            };
            let word = |place: usize| u128::from(words.get(place).copied().unwrap_or(0));
            let unused = MOST_BITS
                .checked_sub(bits)
                .filter(|_| bits >= 16 && bits.is_power_of_two())?;
            let bytes = (word(0) | word(1) << 64) << unused >> unused;
            return Some(DebugConstant::Bytes(bytes, (bits / 8) as u8));
        }
        let sum = evaluator.sum(number)?;
        match (sum.base, sum.minus) {
            (None, None) => Some(DebugConstant::Integer(sum.addend)),
            (Some(Base::Symbol(symbol)), None) => Some(DebugConstant::Symbol(symbol, sum.addend)),
            _ => None,
        }
    }

    fn constant_words(&self, number: u64) -> Vec<u64> {
        match self.evaluator().find(number) {
            Found::Row(table, constant) => table.words(constant).to_vec(),
            _ => Vec::new(),
        }
    }

    /// Makes a constant an operand. Also returns whether that operand may be used everywhere in the function: not if
    /// instructions were emitted for it, which may not dominate other uses.
    ///
    /// # Errors
    /// If the constant is malformed or of a form that is not supported.
    pub fn constant(&mut self, number: u32, _word: Word) -> Result<(Word, bool), ReadError> {
        let before = self.function.insts().len();
        let made = self.constant_at(u64::from(number), limits::AGGREGATE_DEPTH)?;
        Ok((made, self.function.insts().len() == before))
    }

    fn constant_at(&mut self, number: u64, depth: u32) -> Result<Word, ReadError> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| self.malformed("constants nested too deep"))?;
        self.check_room(1)?;
        let constant = match self.evaluator().find(number) {
            Found::Symbol(symbol) => return Ok(Word::scalar(self.symbol_address(symbol, 0), Type::PTR, NO_TYPE)),
            Found::Row(_, constant) => *constant,
            Found::Nothing => return Err(self.malformed(format!("value {number} where a constant is expected"))),
        };
        match self.class(constant.ty)? {
            Class::Scalar(ir_type) => {
                let operand = self.scalar_constant(number, &constant, ir_type, depth)?;
                Ok(Word::scalar(operand, ir_type, constant.ty))
            }
            Class::Aggregate => {
                let mut parts = Vec::new();
                self.aggregate_parts(number, constant.ty, depth, &mut parts)?;
                let first = self.state.parts.len() as u32;
                self.state.parts.extend(parts);
                Ok(Word::aggregate(first, constant.ty))
            }
            Class::Void | Class::Metadata => Err(self.malformed(format!("a constant of type {}", constant.ty))),
        }
    }

    fn scalar_constant(
        &mut self,
        number: u64,
        constant: &Constant,
        ir_type: Type,
        depth: u32,
    ) -> Result<Operand, ReadError> {
        let data = self.function.types().data(ir_type);
        match (constant.kind, data) {
            (ConstantKind::Undef, _) => Ok(self.plain(ConstKind::Undef, ir_type)),
            (ConstantKind::Poison, _) => Ok(self.plain(ConstKind::Poison, ir_type)),
            (ConstantKind::Null, TypeData::Int(_) | TypeData::Ptr(_)) => Ok(Operand::ZERO),
            (ConstantKind::Null, TypeData::Vector { .. }) => Ok(self.plain(ConstKind::Zero, ir_type)),
            (ConstantKind::Null, _) => {
                let words = self.function.types().bits(ir_type, 64).div_ceil(64) as usize;
                let zeros = [0; 2];
                let zeros = zeros.get(..words).unwrap_or_default();
                Ok(Operand::constant(self.function.push_float(ir_type, zeros)))
            }
            (ConstantKind::Integer, TypeData::Int(_)) => Ok(self.integer(ir_type, vec![constant.payload()])),
            (ConstantKind::WideInteger, TypeData::Int(_)) => {
                // Writers leave out upper words that are zero.
                let mut words = self.constant_words(number);
                words.resize(self.function.types().bits(ir_type, 64).div_ceil(64) as usize, 0);
                Ok(self.integer(ir_type, words))
            }
            (ConstantKind::Float, TypeData::Int(_) | TypeData::Ptr(_) | TypeData::Vector { .. }) => {
                Err(self.malformed("a floating-point constant of another type"))
            }
            (ConstantKind::Float, _) => {
                let mut words = self.constant_words(number);
                let bits = self.function.types().bits(ir_type, 64);
                words.resize(bits.div_ceil(64) as usize, 0);
                if let Some(last) = words.last_mut().filter(|_| !bits.is_multiple_of(64)) {
                    *last &= (1 << (bits % 64)) - 1;
                }
                Ok(Operand::constant(self.function.push_float(ir_type, &words)))
            }
            (ConstantKind::Aggregate | ConstantKind::Data | ConstantKind::Bytes, TypeData::Vector { lanes, .. }) => {
                self.vector_constant(number, constant, ir_type, lanes, depth)
            }
            (ConstantKind::InlineAsm, _) => match self.evaluator().find(number) {
                Found::Row(table, row) => match table.asm(row).cloned() {
                    Some(asm) => Ok(Operand::constant(self.function.push_asm(asm))),
                    None => Err(self.malformed("inline assembly that is not there")),
                },
                _ => Err(self.malformed("inline assembly that is not there")),
            },
            (ConstantKind::Integer, TypeData::Vector { .. }) => {
                Err(self.unsupported(Refusal::Bitcode, "an integer as a splat constant"))
            }
            _ => self.expression(number, constant, ir_type, depth),
        }
    }

    fn plain(&mut self, kind: ConstKind, ir_type: Type) -> Operand {
        Operand::constant(self.function.push_plain_const(kind, ir_type))
    }

    /// An integer constant from little-endian words, which are sign-extended or truncated to its type.
    fn integer(&mut self, ir_type: Type, mut words: Vec<u64>) -> Operand {
        let bits = self.function.types().int_bits(ir_type).unwrap_or(64);
        let sign = if words.last().is_some_and(|word| word >> 63 == 1) {
            u64::MAX
        } else {
            0
        };
        words.resize(bits.div_ceil(64) as usize, sign);
        if let Some(last) = words.last_mut() {
            let unused = (64 - bits % 64) % 64;
            *last = ((*last << unused) as i64 >> unused) as u64;
        }
        let (low, high) = words
            .split_first()
            .map_or((0, &[] as &[u64]), |(&low, high)| (low as i64, high));
        let extended = high.iter().all(|&word| word as i64 == low >> 63);
        match Operand::imm(low).filter(|_| extended) {
            Some(operand) => operand,
            None => Operand::constant(self.function.push_int(ir_type, &words)),
        }
    }

    /// The address of a symbol plus a number of bytes.
    fn symbol_address(&mut self, symbol: SymbolId, addend: i64) -> Operand {
        let data = self.module.module.symbols.get(symbol);
        if data.is_some_and(|data| data.tls != TlsModel::NotThreadLocal) {
            let address = self.emit(Opcode::TlsAddr, Type::PTR, 0, Operand::symbol(symbol), Operand::NONE);
            return self.address_after(address, Type::PTR, addend);
        }
        match addend {
            0 => Operand::symbol(symbol),
            _ => Operand::constant(self.function.push_symbol_const(Type::PTR, symbol, addend)),
        }
    }

    fn vector_constant(
        &mut self,
        number: u64,
        constant: &Constant,
        ir_type: Type,
        lanes: u32,
        depth: u32,
    ) -> Result<Operand, ReadError> {
        let Some(&Kind::Vector { element, .. }) = self.module.types.kind(constant.ty) else {
            return Err(self.malformed("a vector constant of another type"));
        };
        let element_type = self.scalar_class(element)?;
        let words = self.constant_words(number);
        if words.len() != lanes as usize {
            return Err(self.malformed(format!(
                "a vector constant of {} elements; expected {lanes}",
                words.len()
            )));
        }
        self.check_room(words.len())?;
        let mut operands = Vec::with_capacity(words.len());
        let mut computed = Vec::new();
        for (word, index) in words.into_iter().zip(0..) {
            operands.push(if constant.kind == ConstantKind::Data {
                self.data_element(word, element, element_type)
            } else {
                let lane = self.constant_at(word, depth)?;
                self.expect_type(lane, element)?;
                if self.is_fixed(lane.operand()) {
                    lane.operand()
                } else {
                    computed.push((lane, index));
                    self.plain(ConstKind::Undef, element_type)
                }
            });
        }
        let mut vector = Operand::constant(self.function.push_vector_const(ir_type, &operands));
        for (lane, index) in computed {
            let index = self.function.int_operand(Type::I64, index);
            let rest = self.function.push_pool(&[lane.operand(), index]);
            vector = self.emit(Opcode::InsertElement, ir_type, 0, vector, Operand::raw(rest));
        }
        Ok(vector)
    }

    /// Whether the bits of a constant are known here: not for an address or the result of an instruction.
    fn is_fixed(&self, operand: Operand) -> bool {
        match operand.as_const() {
            Some(id) => !matches!(
                self.function.constant(id).1,
                ConstView::Symbol(..) | ConstView::BlockAddress(..)
            ),
            None => operand.as_imm().is_some(),
        }
    }

    /// An element of packed data, whose bits are the lowest ones of the word.
    fn data_element(&mut self, word: u64, element: TypeId, ir_type: Type) -> Operand {
        match self.module.types.kind(element) {
            Some(Kind::Integer(_)) => self.integer(ir_type, vec![word]),
            Some(Kind::Float(Float::Half | Float::BFloat)) => self.float(ir_type, word & 0xffff),
            Some(Kind::Float(Float::Float)) => self.float(ir_type, word & 0xffff_ffff),
            _ => self.float(ir_type, word),
        }
    }

    fn float(&mut self, ir_type: Type, bits: u64) -> Operand {
        Operand::constant(self.function.push_float(ir_type, &[bits]))
    }

    /// Appends the scalars of an aggregate constant to `parts`.
    fn aggregate_parts(
        &mut self,
        number: u64,
        ty: TypeId,
        depth: u32,
        parts: &mut Vec<Operand>,
    ) -> Result<(), ReadError> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| self.malformed("constants nested too deep"))?;
        if self.class(ty)? != Class::Aggregate {
            let word = self.constant_at(number, depth)?;
            self.expect_type(word, ty)?;
            parts.push(word.operand());
            return Ok(());
        }
        let leaves = self.leaves(ty)?;
        self.check_room(leaves.len())?;
        let Some(constant) = u32::try_from(number).ok().and_then(|number| self.constant_row(number)) else {
            return Err(self.malformed(format!("value {number} where an aggregate constant is expected")));
        };
        if constant.ty != ty {
            return Err(self.malformed(format!("a constant of type {} where {ty} is expected", constant.ty)));
        }
        match constant.kind {
            ConstantKind::Null | ConstantKind::Undef | ConstantKind::Poison => {
                for place in leaves {
                    let leaf = self.leaf(place);
                    let operand = self.scalar_constant(number, &constant, leaf.ir_type, depth)?;
                    parts.push(operand);
                }
                Ok(())
            }
            ConstantKind::Integer | ConstantKind::WideInteger => {
                let Some(bits) = self.wide_bits(ty) else {
                    return Err(self.malformed("a number where an aggregate constant is expected"));
                };
                let mut words = match constant.kind {
                    ConstantKind::Integer => vec![constant.payload()],
                    _ => self.constant_words(number),
                };
                let filler = match words.last() {
                    Some(&last) if constant.kind == ConstantKind::Integer => ((last as i64) >> 63) as u64,
                    // Writers leave out upper words that are zero.
                    _ => 0,
                };
                words.resize(wide::word_count(bits), filler);
                for (word, place) in words.into_iter().zip(leaves) {
                    let leaf = self.leaf(place);
                    let operand = self.integer(leaf.ir_type, vec![word]);
                    parts.push(operand);
                }
                Ok(())
            }
            ConstantKind::Aggregate => {
                let words = self.constant_words(number);
                let elements = self.element_types(ty, words.len())?;
                for (word, element) in words.into_iter().zip(elements) {
                    self.aggregate_parts(word, element, depth, parts)?;
                }
                Ok(())
            }
            ConstantKind::Data | ConstantKind::Bytes => {
                let words = match self.evaluator().find(number) {
                    Found::Row(table, row) if row.kind == ConstantKind::Bytes => {
                        table.bytes(row).iter().map(|&byte| u64::from(byte)).collect()
                    }
                    Found::Row(table, row) => table.words(row).to_vec(),
                    _ => Vec::new(),
                };
                let elements = self.element_types(ty, words.len())?;
                for (word, element) in words.into_iter().zip(elements) {
                    let ir_type = self.scalar_class(element)?;
                    let operand = self.data_element(word, element, ir_type);
                    parts.push(operand);
                }
                Ok(())
            }
            _ => Err(self.unsupported(Refusal::Initializer, "a constant expression of aggregate type")),
        }
    }

    /// The types of the elements of an aggregate; refuses one that does not have `count` elements.
    fn element_types(&self, ty: TypeId, count: usize) -> Result<Vec<TypeId>, ReadError> {
        let types = match self.module.types.kind(ty) {
            Some(Kind::Struct { members, .. }) => self.module.types.members(members).to_vec(),
            Some(&Kind::Array { element, count: length }) if length == count as u64 => vec![element; count],
            _ => Vec::new(),
        };
        if types.len() != count {
            return Err(self.malformed(format!("a constant of {count} elements, which type {ty} has not")));
        }
        Ok(types)
    }

    /// A constant expression as an operand: an address, a number, or the result of instructions.
    fn expression(
        &mut self,
        number: u64,
        constant: &Constant,
        ir_type: Type,
        depth: u32,
    ) -> Result<Operand, ReadError> {
        let sum = self.evaluator().sum(number);
        if let Some(sum) = sum
            && let Some(operand) = self.sum_operand(sum, ir_type)?
        {
            return Ok(operand);
        }
        let words = self.constant_words(number);
        match (constant.kind, words.as_slice()) {
            (ConstantKind::Cast, &[cast, operand]) => {
                let operand = self.constant_at(operand, depth)?;
                let result = self.cast_operand(operand, cast, constant.ty, 0)?;
                Ok(result.operand())
            }
            (ConstantKind::Binary, &[operation, left, right])
                if matches!(self.function.types().data(ir_type), TypeData::Int(_))
                    && matches!(operation, binary::ADD..=binary::XOR) =>
            {
                let left = self.constant_at(left, depth)?;
                let right = self.constant_at(right, depth)?;
                self.expect_type(left, constant.ty)?;
                self.expect_type(right, constant.ty)?;
                // It may be made where it would not be computed otherwise, so it must not trap.
                let may_trap = matches!(operation, binary::UDIV..=binary::SREM)
                    && right.operand().as_imm().is_none_or(|divisor| matches!(divisor, 0 | -1));
                if may_trap {
                    let message = "a constant quotient by something else than a number";
                    return Err(self.unsupported(Refusal::Initializer, message));
                }
                let op = self.binary_opcode(operation, ir_type)?;
                Ok(self.emit(op, ir_type, 0, left.operand(), right.operand()))
            }
            (ConstantKind::Compare, &[predicate, left, right]) => {
                let left = self.constant_at(left, depth)?;
                let right = self.constant_at(right, depth)?;
                let alike = left.is_operand() && right.is_operand() && left.ir_type() == right.ir_type();
                if !alike || self.bool_like(left.ir_type())? != ir_type {
                    return Err(self.malformed("a constant comparison of different types"));
                }
                let op = self.compare_opcode(predicate, left.ir_type())?;
                let data = InstData::new(op, left.ir_type(), 0, left.operand(), right.operand());
                Ok(Operand::value(self.function.push_inst_result(data, ir_type)))
            }
            (ConstantKind::Select, &[condition, if_true, if_false]) => {
                let condition = self.constant_at(condition, depth)?;
                let choices = [self.constant_at(if_true, depth)?, self.constant_at(if_false, depth)?];
                for choice in choices {
                    self.expect_type(choice, constant.ty)?;
                }
                if !condition.is_operand() || condition.ir_type() != Type::I1 {
                    return Err(self.unsupported(Refusal::Bitcode, "a constant select by something that is no i1"));
                }
                let rest = self.function.push_pool(&choices.map(Word::operand));
                Ok(self.emit(Opcode::Select, ir_type, 0, condition.operand(), Operand::raw(rest)))
            }
            (
                kind @ (ConstantKind::ExtractElement
                | ConstantKind::InsertElement
                | ConstantKind::Shuffle
                | ConstantKind::Negative),
                numbers,
            ) => {
                let operands: Result<Vec<Word>, ReadError> =
                    numbers.iter().map(|&number| self.constant_at(number, depth)).collect();
                match self.element_expression(kind, &operands?, ir_type)? {
                    Some(operand) => Ok(operand),
                    None => Err(self.malformed("a constant expression with too few operands")),
                }
            }
            (ConstantKind::Gep, [source, pointer_type, pointer, indices @ ..]) => {
                let pointer = self.constant_at(*pointer, depth)?;
                let source = match *source {
                    constants::NO_TYPE => self.pointee_of(*pointer_type)?,
                    source => self.type_id(source)?,
                };
                self.constant_gep(source, pointer, indices, depth)
            }
            (ConstantKind::Other, _) => {
                let name = codes::constants::name(constant.payload());
                Err(self.unsupported(Refusal::Initializer, format!("the constant expression {name}")))
            }
            _ => Err(self.unsupported(
                Refusal::Initializer,
                "a constant expression that is neither an address nor a number",
            )),
        }
    }

    /// What a pointer of a type of the file, or each of a vector of them, points to.
    #[cold]
    fn pointee_of(&self, ty: u64) -> Result<TypeId, ReadError> {
        let types = &self.module.types;
        let mut kind = types.kind(self.type_id(ty)?);
        if let Some(&Kind::Vector { element, .. }) = kind {
            kind = types.kind(element);
        }
        match kind {
            Some(&Kind::Pointer {
                pointee: Some(pointee), ..
            }) => Ok(pointee),
            _ => Err(self.malformed("a constant address that does not say in what type")),
        }
    }

    fn constant_gep(
        &mut self,
        source: TypeId,
        pointer: Word,
        indices: &[u64],
        depth: u32,
    ) -> Result<Operand, ReadError> {
        let mut words = Vec::with_capacity(indices.len() / 2);
        for pair in indices.chunks_exact(2) {
            if let &[_, index] = pair {
                words.push(self.constant_at(index, depth)?);
            }
        }
        Ok(self.address(source, pointer, &words)?.operand())
    }

    /// A sum as an operand; `None` if the IR has no constant of this form.
    fn sum_operand(&mut self, sum: Sum, ir_type: Type) -> Result<Option<Operand>, ReadError> {
        if sum.minus.is_some() {
            return Ok(None);
        }
        let pointer_sized = ir_type == Type::PTR || ir_type == self.pointer_int();
        match sum.base {
            None if ir_type == Type::PTR => match Operand::imm(sum.addend) {
                Some(operand) => Ok(Some(operand)),
                None => {
                    let number = Operand::constant(self.function.push_int(Type::I64, &[sum.addend as u64]));
                    Ok(Some(self.emit(Opcode::Inttoptr, Type::PTR, 0, number, Operand::NONE)))
                }
            },
            None if self.function.types().int_bits(ir_type).is_some_and(|bits| bits <= 64) => {
                Ok(Some(self.integer(ir_type, vec![sum.addend as u64])))
            }
            Some(Base::Symbol(symbol) | Base::NoCfi(symbol)) if ir_type == Type::PTR => {
                Ok(Some(self.symbol_address(symbol, sum.addend)))
            }
            Some(Base::Symbol(symbol) | Base::NoCfi(symbol)) if pointer_sized => {
                let thread_local = self.module.module.symbols.get(symbol);
                if thread_local.is_some_and(|data| data.tls != TlsModel::NotThreadLocal) {
                    return Ok(None);
                }
                Ok(Some(Operand::constant(
                    self.function.push_symbol_const(ir_type, symbol, sum.addend),
                )))
            }
            Some(Base::Block(symbol, block)) if ir_type == Type::PTR && sum.addend == 0 => {
                let kind = self.module.module.symbols.get(symbol).map(|data| data.kind);
                if !matches!(kind, Some(SymbolKind::Function(_))) {
                    return Err(self.malformed("the address of a block of a function without body"));
                }
                let block = Block::new(block as usize);
                Ok(Some(Operand::constant(self.function.push_block_address(symbol, block))))
            }
            Some(Base::LocalEquivalent(_)) => {
                Err(self.unsupported(Refusal::Bitcode, "dso_local_equivalent as an operand"))
            }
            _ => Ok(None),
        }
    }

    /// The value of a word that is an integer constant with a small value.
    pub fn integer_of(&self, word: Word) -> Option<i64> {
        word.operand().as_imm().filter(|_| word.is_operand())
    }

    /// Whether a word is an integer constant.
    pub fn is_integer(&self, word: Word) -> bool {
        if !word.is_operand() {
            return false;
        }
        match word.operand().as_const() {
            Some(id) => matches!(self.function.constant(id).1, ConstView::Int(_)),
            None => word.operand().as_imm().is_some(),
        }
    }

    /// Converts an operand; for cast instructions and constant casts.
    ///
    /// # Errors
    /// If the types do not fit the cast.
    pub fn cast_operand(&mut self, operand: Word, cast: u64, ty: TypeId, flags: u16) -> Result<Word, ReadError> {
        let to = self.scalar_class(ty)?;
        if !operand.is_operand() {
            return Err(self.malformed("a cast of an aggregate"));
        }
        let from = operand.ir_type();
        let op = self.cast_opcode(cast, from, to)?;
        let Some(op) = op else { return Ok(operand.with_type(ty)) };
        let source = self.typed(operand);
        Ok(Word::scalar(self.emit(op, to, flags, source, Operand::NONE), to, ty))
    }

    /// The opcode of a cast; `None` for a cast that changes nothing.
    ///
    /// # Errors
    /// If the types do not fit the cast.
    pub fn cast_opcode(&self, cast: u64, from: Type, to: Type) -> Result<Option<Opcode>, ReadError> {
        let types = self.function.types();
        let (scalar_from, scalar_to) = (types.data(types.scalar(from)), types.data(types.scalar(to)));
        let lanes = |ty| match types.data(ty) {
            TypeData::Vector { lanes, .. } => lanes,
            _ => 0,
        };
        let is_int = |data| matches!(data, TypeData::Int(_));
        let is_pointer = |data| matches!(data, TypeData::Ptr(_));
        let is_float = |data| !is_int(data) && !is_pointer(data);
        let bits = |data| match data {
            TypeData::Int(bits) => bits,
            TypeData::F16 | TypeData::BF16 => 16,
            TypeData::F32 => 32,
            TypeData::F64 => 64,
            TypeData::X86F80 => 80,
            _ => 128,
        };
        let (narrower, wider) = (bits(scalar_to) < bits(scalar_from), bits(scalar_to) > bits(scalar_from));
        let (int_from, int_to) = (is_int(scalar_from), is_int(scalar_to));
        let (float_from, float_to) = (is_float(scalar_from), is_float(scalar_to));
        let (pointer_from, pointer_to) = (is_pointer(scalar_from), is_pointer(scalar_to));
        let (op, fits) = match cast {
            casts::TRUNC => (Opcode::Trunc, int_from && int_to && narrower),
            casts::ZEXT => (Opcode::Zext, int_from && int_to && wider),
            casts::SEXT => (Opcode::Sext, int_from && int_to && wider),
            casts::FP_TO_UI => (Opcode::Fptoui, float_from && int_to),
            casts::FP_TO_SI => (Opcode::Fptosi, float_from && int_to),
            casts::UI_TO_FP => (Opcode::Uitofp, int_from && float_to),
            casts::SI_TO_FP => (Opcode::Sitofp, int_from && float_to),
            casts::FP_TRUNC => (Opcode::Fptrunc, float_from && float_to && narrower),
            casts::FP_EXT => (Opcode::Fpext, float_from && float_to && wider),
            casts::PTR_TO_INT | casts::PTR_TO_ADDRESS => (Opcode::Ptrtoint, pointer_from && int_to),
            casts::INT_TO_PTR => (Opcode::Inttoptr, int_from && pointer_to),
            casts::ADDRESS_SPACE => (Opcode::Addrspacecast, pointer_from && pointer_to && from != to),
            casts::BITCAST if from == to => return Ok(None),
            casts::BITCAST => {
                let same = types.bits(from, 64) == types.bits(to, 64);
                return if same && pointer_from == pointer_to {
                    Ok(Some(Opcode::Bitcast))
                } else {
                    Err(self.malformed("a bitcast between types of different sizes"))
                };
            }
            other => return Err(self.unsupported(Refusal::Bitcode, format!("cast {other}"))),
        };
        if !fits || lanes(from) != lanes(to) {
            return Err(self.malformed(format!("cast {cast} between types that do not go with it")));
        }
        Ok(Some(op))
    }
}
