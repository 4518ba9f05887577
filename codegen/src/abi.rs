//! Where arguments and results go, from a convention's table.
//!
//! One engine for all targets: parts are dealt to registers of their class in order, what is left goes to the stack in
//! slots. What it does not do: split first-class aggregates (readers did) or decide which C types go to memory (front
//! ends did).

use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::isa::Parts;
use crate::reg::Reg;
use frazil_ir::{Extension, Param, ParamKind, Signature, Type, TypeTable};

/// Where one part of an argument or result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a register.
    Reg(Reg),
    /// On the stack, this many bytes from the start of the argument area.
    Stack(u32),
}

/// One argument's places and how it is passed.
#[derive(Clone, Copy, Debug)]
pub struct ArgPlace {
    /// Places of its parts; the first `count` count. A `byval` argument has the stack offset of its copy.
    pub places: [Place; 4],
    /// Its parts.
    pub parts: Parts,
    /// Width of an integer to be extended, and whether by its sign; 0 for none.
    pub extend: (u32, bool),
}

impl ArgPlace {
    /// The width to which one part is to be extended, and whether by its sign; 0 for none: only the part that holds
    /// the value's top bit has bits to fill.
    pub fn extend_of(&self, part: u8) -> (u32, bool) {
        let (bits, signed) = self.extend;
        let part_bits = u32::from(self.parts.bytes) * 8;
        let below = part_bits * u32::from(part);
        if self.parts.count > 1 && (bits <= below || bits >= below + part_bits) {
            return (0, false);
        }
        (bits - below, signed)
    }
}

/// The places of all arguments of a signature.
#[derive(Debug, Default)]
pub struct ArgLayout {
    /// In the order of the parameters.
    pub args: Vec<ArgPlace>,
    /// Size of the argument area on the stack.
    pub stack_bytes: u32,
    /// Number of integer argument registers taken by the fixed parameters.
    pub int_used: u8,
    /// Number of float argument registers taken by the fixed parameters.
    pub float_used: u8,
    /// Number of float argument registers taken by all.
    pub float_used_all: u8,
    /// Whether results are returned in memory, whose address is a hidden first argument in `int_args[0]`.
    pub returns_in_memory: bool,
    /// Places of the results, when they are in registers; parts beside.
    pub returns: Vec<ArgPlace>,
    /// Size of the memory for results, when they are in memory.
    pub return_bytes: u32,
}

struct Dealer<'a> {
    conv: &'a ConvDesc,
    int_next: usize,
    float_next: usize,
    stack_bytes: u32,
}

impl Dealer<'_> {
    fn stack(&mut self, bytes: u32, align: u32) -> u32 {
        let offset = self.stack_bytes.next_multiple_of(align);
        self.stack_bytes = offset + bytes.next_multiple_of(self.conv.stack_slot_bytes);
        offset
    }

    fn deal(&mut self, parts: Parts) -> [Place; 4] {
        let mut places = [Place::Stack(0); 4];
        let count = usize::from(parts.count);
        let (regs, next) = if parts.float {
            (self.conv.float_args, &mut self.float_next)
        } else {
            (self.conv.int_args, &mut self.int_next)
        };
        if self.conv.keeps_pairs && count > 1 && *next + count > regs.len() {
            let bytes = parts.slot_bytes();
            let start = self.stack(bytes, bytes.min(self.conv.stack_align));
            for (index, place) in places.iter_mut().take(count).enumerate() {
                *place = Place::Stack(start + parts.offset(index as u8) as u32);
            }
            return places;
        }
        for place in places.iter_mut().take(count) {
            let next = if parts.float {
                &mut self.float_next
            } else {
                &mut self.int_next
            };
            *place = match regs.get(*next) {
                Some(&reg) => {
                    *next += 1;
                    Place::Reg(reg)
                }
                None => Place::Stack(self.stack(u32::from(parts.bytes), self.conv.stack_slot_bytes)),
            };
        }
        places
    }
}

impl ArgLayout {
    /// Computes the places for a signature. `parts_of` says how a type is spread over registers.
    ///
    /// # Errors
    /// A parameter that the convention cannot pass, by name.
    pub fn compute(
        &mut self,
        signature: &Signature,
        conv: &ConvDesc,
        types: &TypeTable,
        parts_of: impl Fn(Type) -> Parts,
    ) -> Result<(), CodegenError> {
        self.args.clear();
        self.place_returns(signature, conv, types, &parts_of)?;
        let mut dealer = Dealer {
            conv,
            int_next: 0,
            float_next: 0,
            stack_bytes: 0,
        };
        if self.returns_in_memory {
            dealer.int_next = 1;
        }
        (self.int_used, self.float_used) = (dealer.int_next as u8, 0);
        for (index, param) in signature.params.iter().enumerate() {
            let arg = place_param(&mut dealer, param, types, &parts_of)?;
            self.args.push(arg);
            if index < signature.fixed_params as usize {
                (self.int_used, self.float_used) = (dealer.int_next as u8, dealer.float_next as u8);
            }
        }
        self.float_used_all = dealer.float_next as u8;
        self.stack_bytes = dealer.stack_bytes;
        Ok(())
    }

    fn place_returns(
        &mut self,
        signature: &Signature,
        conv: &ConvDesc,
        types: &TypeTable,
        parts_of: &impl Fn(Type) -> Parts,
    ) -> Result<(), CodegenError> {
        self.returns.clear();
        self.returns_in_memory = false;
        self.return_bytes = 0;
        let (mut ints, mut floats) = (conv.int_returns.iter(), conv.float_returns.iter());
        let mut offset = 0u32;
        for param in &signature.returns {
            let parts = known(parts_of(param.ty), types, param.ty)?;
            let mut places = [Place::Stack(0); 4];
            offset = offset.next_multiple_of(u32::from(parts.bytes).max(4));
            for index in 0..parts.count {
                let reg = if parts.float { floats.next() } else { ints.next() };
                self.returns_in_memory |= reg.is_none();
                let stack = Place::Stack(offset + parts.offset(index) as u32);
                places[usize::from(index)] = reg.map_or(stack, |&reg| Place::Reg(reg));
            }
            self.returns.push(ArgPlace {
                places,
                parts,
                extend: extension(param, types),
            });
            offset += parts.slot_bytes();
        }
        if self.returns_in_memory {
            self.spread_returns_over_memory();
        }
        Ok(())
    }

    /// All results to memory, in the layout of a struct of them.
    fn spread_returns_over_memory(&mut self) {
        let mut offset = 0u32;
        for result in &mut self.returns {
            let bytes = u32::from(result.parts.count) * u32::from(result.parts.bytes);
            offset = offset.next_multiple_of(bytes.next_power_of_two());
            for index in 0..result.parts.count {
                result.places[usize::from(index)] = Place::Stack(offset + u32::from(index * result.parts.bytes));
            }
            offset += bytes;
        }
        self.return_bytes = offset;
    }
}

fn place_param(
    dealer: &mut Dealer<'_>,
    param: &Param,
    types: &TypeTable,
    parts_of: &impl Fn(Type) -> Parts,
) -> Result<ArgPlace, CodegenError> {
    let parts = known(parts_of(param.ty), types, param.ty)?;
    let extend = extension(param, types);
    let places = match param.kind {
        ParamKind::Normal | ParamKind::StructReturn => dealer.deal(parts),
        ParamKind::ByVal { size, align_log2 } => {
            let align = (1u32 << align_log2.min(30)).max(dealer.conv.stack_slot_bytes);
            if align > dealer.conv.stack_align {
                return Err(CodegenError::unsupported(format!(
                    "a byval parameter aligned to {align} bytes"
                )));
            }
            [Place::Stack(dealer.stack(size, align)); 4]
        }
        other => return Err(CodegenError::unsupported(format!("a parameter of kind {other:?}"))),
    };
    if param.in_reg {
        return Err(CodegenError::unsupported("an inreg parameter"));
    }
    Ok(ArgPlace { places, parts, extend })
}

fn known(parts: Parts, types: &TypeTable, ty: Type) -> Result<Parts, CodegenError> {
    if parts.count == 0 {
        return Err(unsupported_type(types, ty));
    }
    Ok(parts)
}

/// The refusal of a type.
pub fn unsupported_type(types: &TypeTable, ty: Type) -> CodegenError {
    use frazil_ir::TypeData;
    let name = |data: TypeData| match data {
        TypeData::Int(bits) => format!("i{bits}"),
        other => format!("{other:?}").to_lowercase(),
    };
    CodegenError::unsupported(match types.data(ty) {
        TypeData::Vector { element, lanes } => format!("type <{lanes} x {}>", name(types.data(element))),
        data => format!("type {}", name(data)),
    })
}

fn extension(param: &Param, types: &TypeTable) -> (u32, bool) {
    match (param.extension, types.int_bits(param.ty)) {
        (Extension::None, _) | (_, None) => (0, false),
        (extension, Some(bits)) => (bits, extension == Extension::Sign),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extensions(bits: u32, count: u8, bytes: u8) -> Vec<(u32, bool)> {
        let place = ArgPlace {
            places: [Place::Stack(0); 4],
            parts: Parts {
                count,
                float: false,
                bytes,
            },
            extend: (bits, true),
        };
        (0..count).map(|part| place.extend_of(part)).collect()
    }

    #[test]
    fn only_the_part_with_the_top_bit_is_extended() {
        assert_eq!(extensions(8, 1, 1), [(8, true)]);
        assert_eq!(extensions(40, 2, 4), [(0, false), (8, true)]);
        assert_eq!(extensions(64, 2, 4), [(0, false), (0, false)]);
        assert_eq!(extensions(65, 3, 4), [(0, false), (0, false), (1, true)]);
        assert_eq!(extensions(100, 2, 8), [(0, false), (36, true)]);
    }
}
