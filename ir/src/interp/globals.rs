//! Addresses of symbols, and the module's data in memory.

use super::memory::Byte;
use super::{Interpreter, Outcome, Stop};
use crate::entities::{Block, SymbolId};
use crate::module::{DataDef, DataRelocation, RelocationTarget, SymbolKind};
use frazil_support::EntityRef;

/// Where the addresses of functions begin; memory ends below. By pointer width.
pub(super) const FUNCTIONS_64: u64 = 1 << 40;
pub(super) const FUNCTIONS_32: u64 = 1 << 31;

/// Addresses that each symbol has for its function and the function's blocks.
fn stride(pointer_bits: u32) -> u64 {
    if pointer_bits == 64 { 1 << 20 } else { 1 << 10 }
}

fn functions_base(pointer_bits: u32) -> u64 {
    if pointer_bits == 64 { FUNCTIONS_64 } else { FUNCTIONS_32 }
}

impl Interpreter<'_> {
    /// Gives data its addresses, then its contents.
    pub(super) fn lay_out_globals(&mut self) -> Outcome<()> {
        let module = self.module;
        for (id, symbol) in &module.symbols {
            let (size, align_log2) = match symbol.kind {
                SymbolKind::Data(data) => (module.data[data].size, u32::from(module.data[data].align_log2)),
                SymbolKind::DataDeclaration => (0, 4),
                _ => continue,
            };
            let address = self.memory.allocate(size, align_log2)?;
            self.addresses.insert(id, address);
        }
        module.data.values().try_for_each(|data| self.fill(data))
    }

    fn fill(&mut self, data: &DataDef) -> Outcome<()> {
        let module = self.module;
        let base = self.symbol_address(data.symbol)?;
        let given = &module.bytes[data.first_byte as usize..][..data.byte_count as usize];
        let mut bytes = vec![0; data.size as usize];
        bytes[..given.len()].copy_from_slice(given);
        for relocation in module.data_relocations(data) {
            let value = self.relocation_value(relocation)?;
            let size = usize::from(relocation.size.min(8));
            let field = &mut bytes[relocation.offset as usize..][..size];
            field.copy_from_slice(&value.to_le_bytes()[..size]);
            if module.data_layout.big_endian {
                field.copy_from_slice(&value.to_be_bytes()[8 - size..]);
            }
        }
        let bytes: Vec<Byte> = bytes
            .iter()
            .map(|&value| Byte {
                value,
                undef: 0,
                poison: false,
            })
            .collect();
        self.memory.write_bytes(base, &bytes)?;
        if data.constant {
            self.memory.protect(base);
        }
        Ok(())
    }

    fn relocation_value(&self, relocation: &DataRelocation) -> Outcome<u64> {
        let address = |target| match target {
            RelocationTarget::Symbol(symbol)
            | RelocationTarget::LocalEquivalent(symbol)
            | RelocationTarget::NoCfi(symbol) => self.symbol_address(symbol),
            RelocationTarget::Block(function, block) => {
                Ok(self.block_address(self.module.functions[function].symbol, block))
            }
        };
        let target = address(relocation.target)?;
        let minus = relocation.minus.map_or(Ok(0), address)?;
        Ok(target.wrapping_add_signed(relocation.addend).wrapping_sub(minus))
    }

    pub(super) fn symbol_address(&self, symbol: SymbolId) -> Outcome<u64> {
        if let Some(&address) = self.addresses.get(&symbol) {
            return Ok(address);
        }
        let mut offset = 0i64;
        let mut symbol = symbol;
        // Aliases of aliases: a chain longer than there are symbols is a circle.
        for _ in 0..=self.module.symbols.len() {
            match self.module.symbols.get(symbol).map(|data| data.kind) {
                Some(SymbolKind::Alias {
                    target, offset: more, ..
                }) => {
                    symbol = target;
                    offset = offset.wrapping_add(more);
                }
                Some(SymbolKind::Ifunc { .. }) => return Err(Stop::Unsupported("an ifunc".to_owned())),
                _ => {
                    let base = self.addresses.get(&symbol).copied();
                    return Ok(base
                        .unwrap_or_else(|| self.function_address(symbol))
                        .wrapping_add_signed(offset));
                }
            }
        }
        Err(Stop::Unsupported("aliases in a circle".to_owned()))
    }

    fn function_address(&self, symbol: SymbolId) -> u64 {
        let bits = self.pointer_bits();
        functions_base(bits) + stride(bits) * u64::from(symbol.as_u32())
    }

    /// The address of a block of the function that a symbol names.
    pub(super) fn block_address(&self, symbol: SymbolId, block: Block) -> u64 {
        self.function_address(symbol) + 1 + u64::from(block.as_u32())
    }

    /// The symbol of the function at an address.
    pub(super) fn function_at(&self, address: u64) -> Option<SymbolId> {
        let bits = self.pointer_bits();
        let offset = address.checked_sub(functions_base(bits))?;
        (offset % stride(bits) == 0).then(|| SymbolId::new((offset / stride(bits)) as usize))
    }
}
