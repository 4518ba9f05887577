//! The tables of the module that the builder reads: symbols of the IR, and the file's types, constants and value
//! numbers.

use crate::llvm::attributes::AttributeTable;
use crate::llvm::constant_operands::ValueType;
use crate::llvm::constants::ConstantTable;
use crate::llvm::data_layout::DataLayout;
use crate::llvm::globals::SymbolInfo;
use crate::llvm::types::TypeTable;
use frazil_ir::{Module, Platform, SymbolId};

/// What a value number of the module stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleValue {
    /// The address of a symbol.
    Symbol(SymbolId),
    /// A constant of the module's table.
    Constant(u32),
}

/// The tables of a module that is read.
#[derive(Debug)]
pub struct ModuleTables {
    /// The length of the input, which bounds what may be made of it.
    pub(crate) input_bytes: usize,
    /// The module without its bodies.
    pub(crate) module: Module,
    /// The platform of the module's triple, if it is known.
    pub(crate) platform: Option<&'static Platform>,
    pub(crate) types: TypeTable,
    pub(crate) layout: DataLayout,
    pub(crate) attributes: AttributeTable,
    pub(crate) constants: ConstantTable,
    /// Value numbers of the module.
    pub(crate) values: Vec<ModuleValue>,
    /// What the reader knows of each symbol.
    pub(crate) symbols: Vec<SymbolInfo>,
    /// Which synchronisation scopes mean one thread only.
    pub(crate) single_thread_scopes: Vec<bool>,
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
