//! Expressions (DWARF 5, section 7.7.1).

use super::Address;
use super::addresses::Addresses;
use super::bytes::{Bytes, unsigned_bytes};
use frazil_ir::SymbolId;
use gimli::constants as dw;
use gimli::{DwOp, Register};
use std::ops::{Deref, DerefMut};

/// Operations as bytes, and the addresses in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::dwarf) struct Expression(Box<Operations>);

/// What an expression is made of, apart from it: most attributes have none, and are small so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::dwarf) struct Operations {
    bytes: Bytes,
    /// Where the address stands of each field, in the order of the fields.
    addresses: Vec<(u32, Address)>,
    /// Where operations for values at the entry of a function stand, whose code depends on the version.
    entry_values: Vec<u32>,
}

impl Deref for Expression {
    type Target = Operations;

    fn deref(&self) -> &Operations {
        &self.0
    }
}

impl DerefMut for Expression {
    fn deref_mut(&mut self) -> &mut Operations {
        &mut self.0
    }
}

impl Expression {
    /// One without operations.
    pub fn new() -> Expression {
        Expression::default()
    }

    /// An operation without operands.
    pub fn op(&mut self, op: DwOp) {
        self.bytes.u8(op.0);
    }

    /// Pushes the address of something in the program.
    pub fn op_addr(&mut self, address: Address) {
        self.op(dw::DW_OP_addr);
        let at = self.bytes.len() as u32;
        self.addresses.push((at, address));
    }

    /// Pushes the address of a thread-local variable in the thread that a debugger looks at, by the operation that
    /// GNU's debuggers have for it.
    pub fn op_thread_address(&mut self, symbol: SymbolId, address_bytes: u8) {
        self.op(if address_bytes == 8 {
            dw::DW_OP_const8u
        } else {
            dw::DW_OP_const4u
        });
        let at = self.bytes.len() as u32;
        self.addresses.push((at, Address::thread_offset(symbol)));
        self.op(dw::DW_OP_GNU_push_tls_address);
    }

    /// Pushes a number.
    pub fn op_constu(&mut self, number: u64) {
        match number {
            0..32 => self.op(DwOp(dw::DW_OP_lit0.0 + number as u8)),
            _ => {
                self.op(dw::DW_OP_constu);
                self.bytes.unsigned(number);
            }
        }
    }

    /// Pushes a number that may be negative.
    pub fn op_consts(&mut self, number: i64) {
        match number {
            0..32 => self.op(DwOp(dw::DW_OP_lit0.0 + number as u8)),
            _ => {
                self.op(dw::DW_OP_consts);
                self.bytes.signed(number);
            }
        }
    }

    /// Adds a number to what is on top.
    pub fn op_plus_uconst(&mut self, number: u64) {
        self.op(dw::DW_OP_plus_uconst);
        self.bytes.unsigned(number);
    }

    /// Says that the value is in a register.
    pub fn op_reg(&mut self, register: Register) {
        match register.0 {
            number @ 0..32 => self.op(DwOp(dw::DW_OP_reg0.0 + number as u8)),
            number => {
                self.op(dw::DW_OP_regx);
                self.bytes.unsigned(number.into());
            }
        }
    }

    /// Pushes the sum of a register and a number.
    pub fn op_breg(&mut self, register: Register, offset: i64) {
        match register.0 {
            number @ 0..32 => self.op(DwOp(dw::DW_OP_breg0.0 + number as u8)),
            number => {
                self.op(dw::DW_OP_bregx);
                self.bytes.unsigned(number.into());
            }
        }
        self.bytes.signed(offset);
    }

    /// Pushes an address so many bytes after the base of the frame.
    pub fn op_fbreg(&mut self, offset: i64) {
        self.op(dw::DW_OP_fbreg);
        self.bytes.signed(offset);
    }

    /// Takes an address, and pushes what memory has there.
    pub fn op_deref(&mut self) {
        self.op(dw::DW_OP_deref);
    }

    /// The same of so many bytes, extended with zeros.
    pub fn op_deref_size(&mut self, bytes: u8) {
        self.op(dw::DW_OP_deref_size);
        self.bytes.u8(bytes);
    }

    /// Says that what is before describes so many bytes.
    pub fn op_piece(&mut self, bytes: u64) {
        self.op(dw::DW_OP_piece);
        self.bytes.unsigned(bytes);
    }

    /// Says that the value has these bytes.
    pub fn op_implicit_value(&mut self, value: &[u8]) {
        self.op(dw::DW_OP_implicit_value);
        self.bytes.unsigned(value.len() as u64);
        self.bytes.bytes.extend_from_slice(value);
    }

    /// What an expression without addresses gave when the function was called.
    pub fn op_entry_value(&mut self, entry: &Expression) {
        let at = self.bytes.len() as u32;
        self.entry_values.push(at);
        self.op(dw::DW_OP_entry_value);
        self.bytes.unsigned(entry.bytes.len() as u64);
        self.bytes.bytes.extend_from_slice(&entry.bytes.bytes);
    }

    /// Whether it names anything in the program.
    pub(super) fn has_addresses(&self) -> bool {
        !self.addresses.is_empty()
    }

    /// How many bytes it takes with addresses of so many bytes.
    pub(super) fn byte_count(&self, address_bytes: u8) -> u64 {
        (self.bytes.len() + self.addresses.len() * usize::from(address_bytes)) as u64
    }

    /// The same where addresses are numbers of a table.
    pub(super) fn indexed_byte_count(&self, addresses: &mut Addresses) -> u64 {
        let numbers = self.addresses.iter().map(|&(_, address)| addresses.number(address));
        self.bytes.len() as u64 + numbers.map(unsigned_bytes).sum::<u64>()
    }

    /// Writes it with addresses as numbers of a table.
    pub(super) fn write_indexed(&self, version: u16, addresses: &mut Addresses, out: &mut Bytes) {
        let indexed = |address: Address| match (version, address.is_thread_offset) {
            (5.., false) => dw::DW_OP_addrx,
            (_, false) => dw::DW_OP_GNU_addr_index,
            // Version 5 has `DW_OP_constx`, which debuggers do not know, and LLVM does not write.
            (_, true) => dw::DW_OP_GNU_const_index,
        };
        let start = out.len();
        let mut done = 0;
        for &(at, address) in &self.addresses {
            let at = at as usize;
            // The operation is right before its address.
            out.bytes.extend_from_slice(&self.bytes.bytes[done..at - 1]);
            out.u8(indexed(address).0);
            out.unsigned(addresses.number(address));
            done = at;
        }
        out.bytes.extend_from_slice(&self.bytes.bytes[done..]);
        if version < 5 {
            for &at in &self.entry_values {
                let before = self.addresses.iter().filter(|(address, _)| *address <= at);
                let before: u64 = before
                    .map(|&(_, address)| unsigned_bytes(addresses.number(address)))
                    .sum();
                out.bytes[start + (u64::from(at) + before) as usize] = dw::DW_OP_GNU_entry_value.0;
            }
        }
    }

    pub(super) fn write(&self, version: u16, address_bytes: u8, out: &mut Bytes) {
        let start = out.len();
        let mut done = 0;
        for &(at, address) in &self.addresses {
            out.bytes.extend_from_slice(&self.bytes.bytes[done..at as usize]);
            out.address(address, address_bytes);
            done = at as usize;
        }
        out.bytes.extend_from_slice(&self.bytes.bytes[done..]);
        if version < 5 {
            for &at in &self.entry_values {
                let before = self.addresses.iter().filter(|(address, _)| *address <= at).count();
                out.bytes[start + at as usize + before * usize::from(address_bytes)] = dw::DW_OP_GNU_entry_value.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_ir::{EntityRef, SymbolId};

    #[test]
    fn addresses_move_what_depends_on_the_version() {
        let mut register = Expression::new();
        register.op_reg(Register(5));
        let mut expression = Expression::new();
        expression.op_addr(Address::after(SymbolId::new(7), 16));
        expression.op_entry_value(&register);
        expression.op(dw::DW_OP_plus);
        for (version, entry_value) in [(4, dw::DW_OP_GNU_entry_value), (5, dw::DW_OP_entry_value)] {
            let mut out = Bytes::default();
            expression.write(version, 8, &mut out);
            assert_eq!(out.len() as u64, expression.byte_count(8));
            let [before, after] = [&out.bytes[..9], &out.bytes[9..]];
            assert_eq!(before, [dw::DW_OP_addr.0, 0, 0, 0, 0, 0, 0, 0, 0]);
            assert_eq!(after, [entry_value.0, 1, dw::DW_OP_reg5.0, dw::DW_OP_plus.0]);
            let fields: Vec<_> = out.fields.iter().map(|field| (field.offset, field.addend)).collect();
            assert_eq!(fields, [(1, 16)]);
        }
    }
}
