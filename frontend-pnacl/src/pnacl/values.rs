//! Values by their numbers: what stands for them in the IR, constants, forward references, and definitions.

use super::codes::{block as id, constants as constant};
use super::context::{Body, EVERYWHERE, Entry};
use crate::bitstream::block::{Block, Item, SubBlock};
use crate::bitstream::cursor::{Cursor, decode_signed};
use crate::bitstream::record::Record;
use crate::error::ReadError;
use frazil_ir::{ConstKind, EntityRef, InstData, Opcode, Operand, SymbolId, Type, Value};

impl Body<'_, '_> {
    /// The type of a value that is used before it is defined.
    pub(super) fn declare_forward(&mut self, record: &Record) -> Result<(), ReadError> {
        let (number, ty) = (record.operand(0)?, record.operand(1)? as u32);
        let last = u64::from(self.next) + self.room as u64;
        if number < u64::from(self.next) || number > last || !self.module.types.is_value(ty) {
            let name = self.module.types.name(ty);
            return Err(self.wrong(format!("value {number} as a forward reference of {name}")));
        }
        let place = (number as u32 - self.base) as usize;
        if self.state.entries.len() <= place {
            self.state.entries.resize(place + 1, Entry::NONE);
        }
        let ir_type = self.module.types.ir_type(ty, self.function);
        let value = self.function.declare_value(ir_type);
        match self.state.entries.get_mut(place) {
            Some(entry) if entry.operand.is_none() => {
                *entry = Entry {
                    ty,
                    operand: Operand::value(value),
                    ..Entry::NONE
                };
                Ok(())
            }
            _ => Err(self.wrong(format!("a second type of value {number}, which is not defined yet"))),
        }
    }

    pub(super) fn constants(
        &mut self,
        cursor: &mut Cursor<'_>,
        inner: &SubBlock,
        record: &mut Record,
    ) -> Result<(), ReadError> {
        let shared = self.module.block_info.abbreviations(id::CONSTANTS);
        let mut block = Block::enter(cursor, inner, shared);
        let types = &self.module.types;
        let mut ty = None;
        loop {
            match block.next_restricted(cursor, record)? {
                Item::End => return Ok(()),
                Item::Block(_) => return Err(record.malformed("a block among constants")),
                Item::Record => {}
            }
            self.place = record.start();
            if record.code() == constant::SET_TYPE {
                let own = record.operand(0)? as u32;
                if !types.is_value(own) {
                    return Err(self.wrong(format!("constants of {}", types.name(own))));
                }
                ty = Some(own);
                continue;
            }
            let Some(ty) = ty else {
                return Err(self.wrong("a constant before the type of constants"));
            };
            let ir_type = types.ir_type(ty, self.function);
            let bits = self.function.types().int_bits(ir_type);
            let operand = match (record.code(), bits) {
                (constant::UNDEFINED, _) => {
                    Operand::constant(self.function.push_plain_const(ConstKind::Undef, ir_type))
                }
                (constant::INTEGER, Some(bits)) => {
                    let value = decode_signed(record.operand(0)?);
                    let unused = 64 - bits;
                    self.function
                        .int_operand(ir_type, i128::from((value << unused) >> unused))
                }
                (constant::FLOAT, None) if types.lanes(ty) == 0 => {
                    let word = record.operand(0)?;
                    let word = if ir_type == Type::F32 { word & 0xffff_ffff } else { word };
                    Operand::constant(self.function.push_float(ir_type, &[word]))
                }
                (other, _) => {
                    return Err(self.wrong(format!("constant {other} of type {}", types.name(ty))));
                }
            };
            self.push(ty, operand);
        }
    }

    /// The number of the value that is so far before the next one; later ones are as negative numbers of 32 bits.
    pub fn number(&self, relative: u64) -> u32 {
        self.next.wrapping_sub(relative as u32)
    }

    /// What is known of a value that the current record uses.
    pub fn entry(&mut self, number: u32) -> Result<Entry, ReadError> {
        let Some(place) = number.checked_sub(self.base) else {
            return self.address_entry(number);
        };
        let Some(&entry) = self
            .state
            .entries
            .get(place as usize)
            .filter(|entry| !entry.operand.is_none())
        else {
            return Err(self.wrong(format!(
                "value {number}, which is not defined, and whose type is not declared"
            )));
        };
        if !entry.is_defined || self.elsewhere.contains(number) {
            self.state.uses.note(number, self.place);
        }
        Ok(entry)
    }

    /// The address of a function or variable as a value.
    fn address_entry(&mut self, number: u32) -> Result<Entry, ReadError> {
        let ty = self.address_type(number)?;
        let hoisted = self.state.hoisted.iter().find(|(own, _)| *own == number);
        let operand = match hoisted {
            Some(&(_, operand)) => operand,
            None => self.cut_address(SymbolId::new(number as usize)),
        };
        Ok(Entry {
            ty,
            operand,
            pointer: Operand::symbol(SymbolId::new(number as usize)),
            pointer_block: EVERYWHERE,
            is_defined: true,
        })
    }

    /// The number of the type of addresses; intrinsics have none.
    pub(super) fn address_type(&self, number: u32) -> Result<u32, ReadError> {
        let info = self.module.functions.get(number as usize);
        if info.is_some_and(|info| info.intrinsic.is_some()) {
            return Err(self.wrong(format!("the address of function {number}, which is an intrinsic")));
        }
        let found = self.module.types.integer(32);
        found.ok_or_else(|| self.wrong("an address in a module without the type i32"))
    }

    pub(super) fn cut_address(&mut self, symbol: SymbolId) -> Operand {
        let data = InstData::new(Opcode::Ptrtoint, Type::I32, 0, Operand::symbol(symbol), Operand::NONE);
        Operand::value(self.function.push_inst_result(data, Type::I32))
    }

    /// The operand of a value, which must be of a type.
    pub fn operand_of(&mut self, relative: u64, ty: u32) -> Result<Operand, ReadError> {
        let number = self.number(relative);
        let entry = self.entry(number)?;
        match self.module.types.is_same(entry.ty, ty) {
            true => Ok(entry.operand),
            false => {
                let (own, expected) = (self.module.types.name(entry.ty), self.module.types.name(ty));
                Err(self.wrong(format!("value {number} of type {own}; expected {expected}")))
            }
        }
    }

    /// An operand that says its own type.
    pub fn typed(&mut self, operand: Operand, ir_type: Type) -> Operand {
        match operand.as_imm() {
            Some(value) => Operand::constant(self.function.push_int(ir_type, &[value.cast_unsigned()])),
            None => operand,
        }
    }

    /// The pointer that is a value.
    pub fn pointer(&mut self, relative: u64) -> Result<Operand, ReadError> {
        let number = self.number(relative);
        if number < self.base {
            self.address_type(number)?;
            return Ok(Operand::symbol(SymbolId::new(number as usize)));
        }
        let entry = self.entry(number)?;
        if !self.module.types.is_integer(entry.ty, 32) {
            let own = self.module.types.name(entry.ty);
            return Err(self.wrong(format!("value {number} of type {own} as an address; expected i32")));
        }
        let block = self.current_block();
        if !entry.pointer.is_none() && (entry.pointer_block == EVERYWHERE || entry.pointer_block == block) {
            return Ok(entry.pointer);
        }
        let operand = self.typed(entry.operand, Type::I32);
        let data = InstData::new(Opcode::Inttoptr, Type::PTR, 0, operand, Operand::NONE);
        let pointer = Operand::value(self.function.push_inst_result(data, Type::PTR));
        if let Some(entry) = self.state.entries.get_mut((number - self.base) as usize) {
            (entry.pointer, entry.pointer_block) = (pointer, block);
        }
        Ok(pointer)
    }

    /// Defines the next value by an instruction with one result.
    pub fn define(&mut self, data: InstData, ty: u32) -> Result<(), ReadError> {
        let place = (self.next - self.base) as usize;
        if let Some(declared) = self.declared(ty)? {
            self.function.push_inst_into(data, declared, 1);
        } else {
            let ir_type = self.module.types.ir_type(ty, self.function);
            let value = self.function.push_inst_result(data, ir_type);
            self.set(place, ty, Operand::value(value));
        }
        self.next += 1;
        Ok(())
    }

    /// Defines the next value as what is there already.
    pub fn define_as(&mut self, operand: Operand, ty: u32) -> Result<(), ReadError> {
        let place = (self.next - self.base) as usize;
        if let Some(declared) = self.declared(ty)? {
            let ir_type = self.module.types.ir_type(ty, self.function);
            let operand = self.typed(operand, ir_type);
            let data = InstData::new(Opcode::Copy, ir_type, 0, operand, Operand::NONE);
            self.function.push_inst_into(data, declared, 1);
        } else {
            self.set(place, ty, operand);
        }
        self.next += 1;
        Ok(())
    }

    /// Says which pointer the last value is.
    pub fn set_pointer(&mut self, pointer: Operand, block: u32) {
        let place = (self.next - self.base).wrapping_sub(1) as usize;
        if let Some(entry) = self.state.entries.get_mut(place) {
            (entry.pointer, entry.pointer_block) = (pointer, block);
        }
    }

    /// The value that stands for the next one because it was used before, which is defined now.
    fn declared(&mut self, ty: u32) -> Result<Option<Value>, ReadError> {
        let place = (self.next - self.base) as usize;
        let Some(entry) = self
            .state
            .entries
            .get_mut(place)
            .filter(|entry| !entry.operand.is_none())
        else {
            return Ok(None);
        };
        entry.is_defined = true;
        let (declared, value) = (entry.ty, entry.operand.as_value());
        if !self.module.types.is_same(declared, ty) {
            let (own, expected) = (self.module.types.name(ty), self.module.types.name(declared));
            return Err(self.wrong(format!(
                "value {} of type {own}; expected {expected}, as was declared",
                self.next
            )));
        }
        Ok(value)
    }

    fn set(&mut self, place: usize, ty: u32, operand: Operand) {
        if self.state.entries.len() <= place {
            self.state.entries.resize(place + 1, Entry::NONE);
        }
        if let Some(entry) = self.state.entries.get_mut(place) {
            *entry = Entry {
                ty,
                operand,
                is_defined: true,
                ..Entry::NONE
            };
        }
    }
}
