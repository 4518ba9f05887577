//! The tables of the module that the builder reads: symbols of the IR, and the file's types, constants and value
//! numbers.

use crate::llvm::attributes::AttributeTable;
use crate::llvm::constant_operands::ValueType;
use crate::llvm::constants::ConstantTable;
use crate::llvm::data_layout::DataLayout;
use crate::llvm::symbol_info::SymbolInfo;
use crate::llvm::types::TypeTable;
use frazil_ir::{Module, Platform, SymbolId};

/// What a value number of the module stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleValue {
    Symbol(SymbolId),
    /// The row of a constant in the module's table.
    Constant(u32),
}

/// The tables of the module that is being read.
#[derive(Debug)]
pub struct ModuleTables {
    /// The size of the input in bytes, which limits what may be made of it.
    pub(crate) input_bytes: usize,
    /// The module, without function bodies.
    pub(crate) module: Module,
    /// The platform of the module's triple, if it is known.
    pub(crate) platform: Option<&'static Platform>,
    pub(crate) types: TypeTable,
    pub(crate) layout: DataLayout,
    pub(crate) attributes: AttributeTable,
    pub(crate) constants: ConstantTable,
    /// By value number of the module.
    pub(crate) values: Vec<ModuleValue>,
    /// By symbol: what else the reader knows of it.
    pub(crate) symbols: Vec<SymbolInfo>,
    /// By synchronization scope: whether it covers a single thread only.
    pub(crate) single_thread_scopes: Vec<bool>,
}

impl ModuleTables {
    /// Integers of more bits are several values ([`crate::builder::wide`]).
    #[inline]
    pub(crate) fn narrow_bits(&self) -> u32 {
        match self.platform {
            Some(platform) => platform.widest_integer_bits,
            None => frazil_ir::platform::WIDEST_INTEGER_BITS,
        }
    }
}

impl ModuleTables {
    /// The type of a value of the module.
    pub(crate) fn value_type(&self, value: u64) -> Option<ValueType> {
        Some(match *self.values.get(usize::try_from(value).ok()?)? {
            ModuleValue::Symbol(_) => ValueType::Address,
            ModuleValue::Constant(row) => ValueType::Type(self.constants.rows.get(row as usize)?.ty),
        })
    }
}
