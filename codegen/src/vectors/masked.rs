//! Accesses to memory lane by lane under a mask: `llvm.masked.load`, `store`, `gather`, `scatter`, `expandload` and
//! `compressstore`.
//!
//! There are no branches: a lane that is masked off accesses a stack slot instead of the memory that must not be
//! touched. Lanes that a constant mask decides do without. Alignments are those of single bytes, since the intrinsics
//! say them in attributes that are not kept.

use super::rebuild::{Rebuild, Source};
use crate::error::CodegenError;
use frazil_ir::{ConstView, InstData, MemFlags, Opcode, Operand, Refusal, Type};

/// An intrinsic that accesses memory under a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Masked {
    Load,
    Store,
    Gather,
    Scatter,
    Expand,
    Compress,
}

impl Masked {
    /// The one with this name, if it is one.
    pub fn of(name: &str) -> Option<Masked> {
        let rest = name.strip_prefix("llvm.masked.")?;
        Some(match rest.split('.').next()? {
            "load" => Masked::Load,
            "store" => Masked::Store,
            "gather" => Masked::Gather,
            "scatter" => Masked::Scatter,
            "expandload" => Masked::Expand,
            "compressstore" => Masked::Compress,
            _ => return None,
        })
    }

    fn is_store(self) -> bool {
        matches!(self, Masked::Store | Masked::Scatter | Masked::Compress)
    }
}

/// What is known of a lane of a mask.
enum Lane {
    On,
    Off,
    Perhaps(Operand),
}

impl Rebuild<'_> {
    /// Does such an access lane by lane.
    ///
    /// # Errors
    /// A form of operands that is not known.
    pub fn masked(&mut self, data: &InstData, kind: Masked) -> Result<(), CodegenError> {
        let args: Vec<Operand> = self.old.call(data).args.to_vec();
        // Before LLVM 22, there was an immediate alignment.
        let is_alignment = |operand: &Operand| match operand.as_const() {
            Some(id) => matches!(self.old.constant(id).1, ConstView::Int(_)),
            None => operand.as_imm().is_some(),
        };
        let place = if kind.is_store() { 2 } else { 1 };
        let said = args.get(place).is_some_and(is_alignment);
        let mut rest: Vec<Operand> = args;
        if said {
            rest.remove(place);
        }
        let &[first, second, third] = rest.as_slice() else {
            return Err(self.refuse_masked());
        };
        let (value, address, mask, otherwise) = match kind.is_store() {
            true => (Some(self.source(first)?), second, third, None),
            false => (None, first, second, Some(self.source(third)?)),
        };
        let pointer = self.old.operand_type(address).unwrap_or(Type::PTR);
        if self.old.types().scalar(pointer) != Type::PTR {
            return Err(CodegenError::unsupported(
                Refusal::AddressSpace,
                "an access under a mask to another address space",
            ));
        }
        let (address, mask) = (self.source(address)?, self.source(mask)?);
        let Some(shape) = value.or(otherwise) else {
            return Err(self.refuse_masked());
        };
        let layout = shape.layout;
        if layout.is_scalar || mask.layout.is_scalar || mask.layout.lanes != layout.lanes {
            return Err(self.refuse_masked());
        }
        let bits = self.new.types().bits(layout.element, self.pointer_bits);
        // LLVM is not of one mind about how far apart other lanes are.
        if !bits.is_multiple_of(8) || !bits.is_power_of_two() {
            return Err(self.refuse_masked());
        }
        let bytes = bits / 8;
        let spare = self.slot(bytes);
        let mut next = self.part(address.span, 0);
        let mut lanes = Vec::new();
        for index in 0..layout.lanes {
            let is_on = self.mask_lane(mask, index)?;
            let at = match kind {
                Masked::Load | Masked::Store => self.address_of_lane(next, u64::from(index) * bytes),
                Masked::Gather | Masked::Scatter => self.lane(address, index)?,
                Masked::Expand | Masked::Compress => next,
            };
            if matches!(kind, Masked::Expand | Masked::Compress) {
                next = self.after(next, &is_on, bytes);
            }
            match (value, otherwise) {
                (Some(value), _) => {
                    let lane = match is_on {
                        Lane::Off => continue,
                        _ => self.lane(value, index)?,
                    };
                    let at = self.chosen(&is_on, at, spare);
                    self.effect(Opcode::Store, layout.element, MemFlags::aligned(0).0, lane, at);
                }
                (None, otherwise) => {
                    let otherwise = otherwise.map(|source| self.lane(source, index)).transpose()?;
                    let lane = self.masked_lane(&is_on, at, spare, (layout.element, otherwise));
                    lanes.push(lane);
                }
            }
        }
        if let Some(result) = data.first_result().filter(|_| !kind.is_store()) {
            let pieces = self.span(&lanes);
            let span = self.build(layout, pieces, 0)?;
            self.define(result, span)?;
        }
        Ok(())
    }

    fn refuse_masked(&self) -> CodegenError {
        CodegenError::unsupported(Refusal::Vector, "an access under a mask in a form that is not known")
    }

    fn mask_lane(&mut self, mask: Source, index: u32) -> Result<Lane, CodegenError> {
        let lane = self.lane(mask, index)?;
        let known = match (lane.as_imm(), lane.as_const()) {
            (Some(imm), _) => Some(imm & 1 != 0),
            (None, Some(id)) => match self.new.constant(id).1 {
                ConstView::Int(words) => Some(words.first().is_some_and(|word| word & 1 != 0)),
                _ => Some(false),
            },
            _ => None,
        };
        Ok(match known {
            Some(true) => Lane::On,
            Some(false) => Lane::Off,
            None => Lane::Perhaps(lane),
        })
    }

    /// An address some bytes further.
    pub fn address_of_lane(&mut self, base: Operand, offset: u64) -> Operand {
        if offset == 0 {
            return base;
        }
        let distance = self.new.int_operand(Type::I64, i128::from(offset));
        self.binary(Opcode::PtrAdd, Type::PTR, base, distance)
    }

    /// The address after that of a lane, if the lane is on.
    fn after(&mut self, address: Operand, is_on: &Lane, bytes: u64) -> Operand {
        match *is_on {
            Lane::Off => address,
            Lane::On => self.address_of_lane(address, bytes),
            Lane::Perhaps(lane) => {
                let ty = frazil_ir::typing::pointer_int(self.pointer_bits);
                let count = self.unary(Opcode::Zext, ty, lane);
                self.emit(Opcode::PtrIndex, Type::PTR, bytes as u16, [address, count], Type::PTR)
            }
        }
    }

    /// The address that a lane accesses.
    fn chosen(&mut self, is_on: &Lane, address: Operand, spare: Operand) -> Operand {
        match *is_on {
            Lane::Perhaps(lane) => self.ternary(Opcode::Select, Type::PTR, 0, [lane, address, spare]),
            Lane::On | Lane::Off => address,
        }
    }

    fn masked_lane(
        &mut self,
        is_on: &Lane,
        address: Operand,
        spare: Operand,
        (element, otherwise): (Type, Option<Operand>),
    ) -> Operand {
        let otherwise = match otherwise {
            Some(otherwise) => otherwise,
            None => self.plain(frazil_ir::ConstKind::Poison, element),
        };
        if let Lane::Off = is_on {
            return otherwise;
        }
        let address = self.chosen(is_on, address, spare);
        let flags = MemFlags::aligned(0).0;
        let loaded = self.emit(Opcode::Load, element, flags, [address, Operand::NONE], element);
        match *is_on {
            Lane::Perhaps(lane) => self.ternary(Opcode::Select, element, 0, [lane, loaded, otherwise]),
            Lane::On | Lane::Off => loaded,
        }
    }
}
