//! What the native reader says of a module.

use crate::view::{AddressView, DataView, FunctionView, View};
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadError, ReadOptions};
use frazil_ir::module::RelocationTarget;
use frazil_ir::{DataDef, DataRelocation, Function, InstData, Module, Opcode, RuntimeFunction, SymbolKind};

/// Reads the whole module.
pub fn view(bytes: &[u8]) -> Result<View, ReadError> {
    let bitcode = BitcodeModule::open(bytes, &ReadOptions::new(&frazil::platform_of))?;
    let module = bitcode.module();
    let mut view = View::default();
    for symbol in module.symbols.values() {
        let name = module.strings.display(symbol.name);
        if symbol.kind == SymbolKind::FunctionDeclaration && !name.starts_with("llvm.") {
            view.declarations.insert(name.into_owned());
        }
    }
    let mut reader = FunctionReader::new(&bitcode);
    let mut function = Function::new();
    for (id, head) in module.functions.iter() {
        reader.read(id, &mut function)?;
        let name = module.display_name(head.symbol).into_owned();
        view.functions.push(function_view(module, &function, name));
    }
    view.data = module.data.values().map(|data| data_view(module, data)).collect();
    Ok(view)
}

fn function_view(module: &Module, function: &Function, name: String) -> FunctionView {
    let mut view = FunctionView {
        name,
        blocks: function.blocks().len(),
        ..FunctionView::default()
    };
    function.slots().iter().for_each(|_| view.count("stack_alloc"));
    for data in function.insts() {
        if is_comparable(module, function, data) {
            view.count(data.op.name());
        }
    }
    view
}

/// Whether LLVM has a counterpart of the instruction; not so for address arithmetic, intrinsics and copies.
fn is_comparable(module: &Module, function: &Function, data: &InstData) -> bool {
    match data.op {
        Opcode::Call => {
            let symbol = function.call(data).callee.as_symbol();
            symbol.is_none_or(|symbol| {
                RuntimeFunction::from_symbol(symbol, module.symbols.len()).is_none()
                    && !module.display_name(symbol).starts_with("llvm.")
            })
        }
        _ => crate::llvm::OPERATIONS.contains(&data.op.name()),
    }
}

fn data_view(module: &Module, data: &DataDef) -> DataView {
    let bytes = &module.bytes[data.first_byte as usize..][..data.byte_count as usize];
    let relocations = module.data_relocations(data).iter();
    DataView {
        name: module.display_name(data.symbol).into_owned(),
        size: data.size,
        alignment: 1 << data.align_log2,
        bytes: bytes.to_vec(),
        addresses: relocations.map(|relocation| address_view(module, relocation)).collect(),
    }
}

fn address_view(module: &Module, relocation: &DataRelocation) -> AddressView {
    let target = match relocation.target {
        RelocationTarget::Symbol(symbol)
        | RelocationTarget::LocalEquivalent(symbol)
        | RelocationTarget::NoCfi(symbol) => Some(module.display_name(symbol).into_owned()),
        RelocationTarget::Block(..) => None,
    };
    AddressView {
        offset: relocation.offset,
        size: u64::from(relocation.size),
        target,
        addend: Some(relocation.addend),
    }
}
