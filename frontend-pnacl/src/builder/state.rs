//! The memory of the builder, which is used again for each function of a module, and the words that a module's values
//! begin with.

use super::class::CLASS_UNKNOWN;
use super::dominance::Uses;
use super::environment::Environment;
use super::marks::Marks;
use super::splits::Splits;
use super::tables::{ModuleTables, ModuleValue};
use super::word::{NO_TYPE, State, Word};
use crate::limits;
use crate::llvm::constants::{Constant, ConstantKind, ConstantTable};
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::module::TlsModel;
use frazil_ir::{Operand, SigId, SymbolId, Type};
use frazil_support::FxHashMap;

/// One scalar of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Its offset in bytes from the start of the aggregate.
    pub offset: u64,
    pub ir_type: Type,
    /// Its type in the file.
    pub ty: TypeId,
}

/// A phi whose operands are not in the order of predecessors yet.
#[derive(Clone, Copy, Debug)]
pub struct PendingPhi {
    /// The number of the instruction.
    pub inst: u32,
    /// The block of the instruction.
    pub block: u32,
    /// The index of its first incoming pair in [`BuildState::incoming`].
    pub first: u32,
    pub count: u32,
}

/// The builder's memory, which is used again for each function of a module.
#[derive(Debug, Default)]
pub struct BuildState {
    pub(crate) words: Vec<Word>,
    /// The number of words that belong to the module.
    pub(crate) module_words: usize,
    /// The module's words that were replaced in this function, with their old contents.
    pub(crate) replaced: Vec<(u32, Word)>,
    /// The operands that aggregates consist of.
    pub(crate) parts: Vec<Operand>,
    /// By type of the file: its class, as an IR type's number or a code of [`super::class`].
    pub(crate) classes: Vec<u8>,
    pub(crate) leaf_ranges: FxHashMap<TypeId, (u32, u32)>,
    pub(crate) leaf_pool: Vec<Leaf>,
    pub(crate) constants: ConstantTable,
    /// The value number of the function's first constant.
    pub(crate) first_constant: u32,
    /// Constants that phis use and that must be computed by instructions, which are emitted at the start of the
    /// function.
    pub(crate) early: Vec<u32>,
    /// The non-temporal accesses.
    pub(crate) marks: Marks,
    /// The blocks with landing pads.
    pub(crate) pads: Vec<u32>,
    /// The mapping from blocks of the file to blocks of the IR.
    pub(crate) splits: Splits,
    /// The uses whose definitions may not dominate them.
    pub(crate) uses: Uses,
    /// How many more instructions and values operations on wide integers may add.
    pub(crate) wide_room: usize,
    /// The blocks that invokes unwind to.
    pub(crate) unwind_targets: Vec<u32>,
    /// The incoming pairs of the phi that is being read.
    pub(crate) phi_operands: Vec<(Word, u32)>,
    pub(crate) phis: Vec<PendingPhi>,
    pub(crate) incoming: Vec<(Operand, u32)>,
    pub(crate) columns: frazil_support::EpochMap<u32>,
    pub(crate) signatures: FxHashMap<Box<[u32]>, SigId>,
    pub(crate) signature_key: Vec<u32>,
    /// The number of parameters and results in all signatures of the function's list.
    pub(crate) signature_parameters: usize,
    pub(crate) pairs: FxHashMap<TypeId, TypeId>,
    /// Types of pointers by what they point to and the address space, while types of addresses are tracked.
    pub(crate) pointer_types: FxHashMap<(TypeId, u32), TypeId>,
    /// Types of vectors by element and length, in the same case.
    pub(crate) vector_types: FxHashMap<(TypeId, u32), TypeId>,
    pub(crate) operands: Vec<Operand>,
    /// The cases of a switch, to be sorted.
    pub(crate) cases: Vec<u32>,
    pub(crate) arguments: Vec<Word>,
    pub(crate) types: Vec<Type>,
    /// The meanings of the metadata strings of constrained operations.
    pub(crate) environment: Environment,
}

impl BuildState {
    /// The memory for functions of `module`.
    pub fn new(module: &ModuleTables) -> BuildState {
        let mut state = BuildState {
            classes: vec![CLASS_UNKNOWN; module.types.len()],
            wide_room: limits::WIDE_ROOM,
            ..BuildState::default()
        };
        state.words.reserve(module.values.len() + 256);
        for value in &module.values {
            state.words.push(match *value {
                ModuleValue::Symbol(symbol) => symbol_word(module, symbol),
                ModuleValue::Constant(index) => match module.constants.rows.get(index as usize) {
                    Some(constant) => constant_word(module, constant, index),
                    None => Word::UNDEFINED,
                },
            });
        }
        state.module_words = state.words.len();
        state
    }

    /// Starts a function whose body begins at bit `start`.
    pub fn restart(&mut self, start: u64) {
        self.uses.restart(start);
        self.words.truncate(self.module_words);
        while let Some((index, word)) = self.replaced.pop() {
            if let Some(slot) = self.words.get_mut(index as usize) {
                *slot = word;
            }
        }
        self.parts.clear();
        self.constants.clear();
        self.splits.clear();
        self.environment.restart();
        self.wide_room = limits::WIDE_ROOM;
        self.pads.clear();
        self.unwind_targets.clear();
        self.phis.clear();
        self.incoming.clear();
        if self.leaf_pool.len() > limits::KEPT_LEAVES {
            self.leaf_ranges.clear();
            self.leaf_pool.clear();
        }
    }

    /// Forgets everything that depends on the function's tables of types and signatures.
    pub fn forget_tables(&mut self) {
        self.classes.fill(CLASS_UNKNOWN);
        self.leaf_ranges.clear();
        self.leaf_pool.clear();
        self.signatures.clear();
        self.signature_parameters = 0;
        self.pairs.clear();
    }
}

fn symbol_word(module: &ModuleTables, symbol: SymbolId) -> Word {
    let thread_local = module
        .module
        .symbols
        .get(symbol)
        .is_some_and(|data| data.tls != TlsModel::NotThreadLocal);
    if thread_local {
        return Word::new(symbol.as_u32(), State::ThreadLocal, Type::PTR, NO_TYPE);
    }
    Word::scalar(Operand::symbol(symbol), Type::PTR, NO_TYPE)
}

/// The word of a constant: a small one is an operand at once, others become operands when they are first used.
pub(crate) fn constant_word(module: &ModuleTables, constant: &Constant, index: u32) -> Word {
    let types = &module.types;
    let (primitive, immediate) = match (types.kind(constant.ty), constant.kind) {
        (Some(&Kind::Integer(bits @ 1..=64)), ConstantKind::Integer) => {
            let unused = 64 - bits;
            (
                Type::primitive_int(bits),
                Operand::imm((constant.payload() << unused) as i64 >> unused),
            )
        }
        (Some(&Kind::Integer(bits @ 65..)), _) if bits > module.narrow_bits() => (None, None),
        (Some(&Kind::Integer(128)), ConstantKind::Integer) => {
            (Some(Type::I128), Operand::imm(constant.payload() as i64))
        }
        (Some(&Kind::Integer(bits)), ConstantKind::Null) => (Type::primitive_int(bits), Some(Operand::ZERO)),
        (Some(&Kind::Pointer { space: 0, .. }), ConstantKind::Null) => (Some(Type::PTR), Some(Operand::ZERO)),
        _ => (None, None),
    };
    match (primitive, immediate) {
        (Some(ty), Some(operand)) => Word::scalar(operand, ty, constant.ty),
        _ => Word::new(index, State::Constant, Type::VOID, constant.ty),
    }
}
