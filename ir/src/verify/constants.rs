//! Rules about constants.

use super::Verifier;
use crate::constant::ConstView;
use crate::entities::ConstId;
use crate::module::SymbolKind;
use crate::operand::{Operand, OperandKind};
use crate::types::{Type, TypeData};
use crate::typing::pointer_int;
use frazil_support::EntityRef;

impl Verifier<'_> {
    /// Checks every constant of the function.
    pub(super) fn constants(&mut self) {
        for index in 0..self.function.consts.len() {
            if let Err(message) = self.constant(ConstId::new(index)) {
                self.error(format!("constant {index}: {message}"));
            }
        }
    }

    fn constant(&self, id: ConstId) -> Result<(), &'static str> {
        let (ty, view) = self.function.constant(id);
        let data = self.function.types.data(ty);
        let require = |holds: bool, message| if holds { Ok(()) } else { Err(message) };
        match view {
            ConstView::Int(words) => {
                let bits = match data {
                    TypeData::Int(bits) => bits,
                    TypeData::Ptr(_) => self.module.data_layout.pointer_bits,
                    _ => return Err("an integer of a type that is none"),
                };
                require(
                    words.len() == bits.div_ceil(64) as usize,
                    "not as many words as the type has",
                )?;
                let spare = words.len() as u32 * 64 - bits;
                let last = words.last().map_or(0, |word| word.cast_signed());
                require(
                    (last << spare) >> spare == last,
                    "an integer that is not sign-extended from its width",
                )
            }
            ConstView::Float(words) => {
                require(is_float(data), "a floating-point number of a type that is none")?;
                let bits = self.function.types.bits(ty, 0) as u32;
                require(
                    words.len() == bits.div_ceil(64) as usize,
                    "not as many words as the type has",
                )?;
                let spare = words.len() as u32 * 64 - bits;
                let last = words.last().copied().unwrap_or(0);
                require(spare == 0 || last >> (64 - spare) == 0, "bits above the format's width")
            }
            ConstView::Symbol(symbol, _) => {
                let wide_enough = ty == pointer_int(self.module.data_layout.pointer_bits);
                require(
                    matches!(data, TypeData::Ptr(_)) || wide_enough,
                    "an address of a type that is none",
                )?;
                require(self.symbol_exists(symbol), "a symbol that does not exist")
            }
            ConstView::BlockAddress(symbol, block) => {
                let kind = self.module.symbols.get(symbol).map(|data| data.kind);
                require(
                    matches!(kind, Some(SymbolKind::Function(_))),
                    "a block of what is no function with a body",
                )?;
                let own = self.function.symbol == Some(symbol);
                require(
                    !own || block.index() < self.function.blocks.len(),
                    "a block that does not exist",
                )
            }
            ConstView::Undef | ConstView::Poison | ConstView::Zero => {
                require(ty != Type::VOID, "no value has type void")
            }
            ConstView::Vector(lanes) => self.constant_lanes(data, lanes),
            ConstView::Asm(_) => require(ty == Type::PTR, "inline assembly that is no pointer"),
        }
    }

    fn constant_lanes(&self, data: TypeData, operands: &[Operand]) -> Result<(), &'static str> {
        let TypeData::Vector { element, lanes } = data else {
            return Err("lanes of a type that is no vector");
        };
        if operands.len() != lanes as usize {
            return Err("not as many lanes as the type has");
        }
        let is_lane = |operand: &Operand| {
            let exists = !operand.is_none()
                && match operand.kind() {
                    OperandKind::Value(_) => false,
                    OperandKind::Imm(_) => true,
                    OperandKind::Const(id) => id.index() < self.function.consts.len(),
                    OperandKind::Symbol(symbol) => self.symbol_exists(symbol),
                };
            exists && self.fits(*operand, element)
        };
        if operands.iter().all(is_lane) {
            Ok(())
        } else {
            Err("a lane is no constant of the element's type")
        }
    }

    fn symbol_exists(&self, symbol: crate::SymbolId) -> bool {
        let count = self.module.symbols.len();
        symbol.index() < count || crate::RuntimeFunction::from_symbol(symbol, count).is_some()
    }
}

/// Whether a type is a scalar floating-point format.
pub(super) fn is_float(data: TypeData) -> bool {
    matches!(
        data,
        TypeData::F16 | TypeData::BF16 | TypeData::F32 | TypeData::F64 | TypeData::X86F80 | TypeData::F128
    )
}
