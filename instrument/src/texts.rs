//! Texts in the program's module that hooks are given: names of the program, and those that a tool file says.

use frazil_ir::{DataDef, FuncId, Linkage, Module, Opcode, SymbolId, SymbolKind, module::SymbolData};
use frazil_support::FxHashMap;

/// The symbols of texts.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// By tool, in the order of its file.
    pub of_tools: Vec<Vec<SymbolId>>,
    pub functions: FxHashMap<FuncId, SymbolId>,
    /// By number of the operation.
    pub opcodes: Vec<SymbolId>,
    /// By name.
    pub files: FxHashMap<Vec<u8>, SymbolId>,
}

impl Texts {
    /// The name of a function, if names of functions are wanted.
    pub fn function(&self, id: FuncId) -> Option<SymbolId> {
        self.functions.get(&id).copied()
    }

    /// The name of an operation, if those are wanted.
    pub fn opcode(&self, op: Opcode) -> Option<SymbolId> {
        self.opcodes.get(op as usize).copied()
    }

    /// The name of a source file; the empty text for files that only functions name.
    pub fn file(&self, name: &[u8]) -> Option<SymbolId> {
        let found = self.files.get(name).or_else(|| self.files.get(&[][..]));
        found.copied()
    }
}

/// Adds a text that ends with a zero, which nobody else sees.
pub(crate) fn add_text(module: &mut Module, text: &[u8]) -> SymbolId {
    let first_byte = module.bytes.len() as u64;
    module.bytes.extend_from_slice(text);
    module.bytes.push(0);
    let size = text.len() as u64 + 1;
    let name = module
        .strings
        .add(format!(".frazil.text.{}", module.symbols.len()).as_bytes());
    let symbol = module.symbols.push(SymbolData {
        name,
        linkage: Linkage::Private,
        dso_local: true,
        unnamed_addr: true,
        ..SymbolData::default()
    });
    let data = module.data.push(DataDef {
        symbol,
        size,
        align_log2: 0,
        constant: true,
        first_byte,
        byte_count: size,
        first_relocation: module.relocations.len() as u32,
        relocation_count: 0,
    });
    module.symbols[symbol].kind = SymbolKind::Data(data);
    symbol
}
