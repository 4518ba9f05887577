//! Texts in the program's module that hooks are given: names of the program, and those that a tool file says.

use frazil_ir::module::{RelocationTarget, SymbolData};
use frazil_ir::opcode::ALL;
use frazil_ir::{DataDef, DataRelocation, FuncId, Linkage, Module, Opcode, SymbolId, SymbolKind, Visibility};
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

/// What hooks call the table of the names of operations, by number (`frazil.h`).
const OPCODE_NAMES: &[u8] = b"frazil_opcode_names";

/// Defines the table of the names of operations where the module of hooks asks for it.
pub(crate) fn define_opcode_names(module: &mut Module) {
    let is_wanted = |symbol: &SymbolId| {
        module.symbols[*symbol].kind == SymbolKind::DataDeclaration && module.name(*symbol) == OPCODE_NAMES
    };
    let Some(symbol) = module.symbols.keys().find(is_wanted) else {
        return;
    };
    let address_bytes = module.data_layout.pointer_bits / 8;
    let texts: Vec<SymbolId> = ALL.iter().map(|op| add_text(module, op.name().as_bytes())).collect();
    let size = texts.len() as u64 * u64::from(address_bytes);
    let first_relocation = module.relocations.len() as u32;
    module
        .relocations
        .extend(texts.iter().enumerate().map(|(number, &text)| DataRelocation {
            offset: number as u64 * u64::from(address_bytes),
            size: address_bytes as u8,
            target: RelocationTarget::Symbol(text),
            addend: 0,
            minus: None,
        }));
    let data = module.data.push(DataDef {
        symbol,
        size,
        align_log2: address_bytes.trailing_zeros() as u8,
        constant: true,
        first_byte: module.bytes.len() as u64,
        byte_count: size,
        first_relocation,
        relocation_count: texts.len() as u32,
    });
    module.bytes.resize(module.bytes.len() + size as usize, 0);
    let symbol = &mut module.symbols[symbol];
    symbol.kind = SymbolKind::Data(data);
    // Several tools have it, and all that is linked with them may name it.
    symbol.linkage = Linkage::WeakAny;
    symbol.visibility = Visibility::Hidden;
    symbol.dso_local = true;
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
