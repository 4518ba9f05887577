//! Accesses to memory lane by lane under a mask: `llvm.masked.load`, `store`, `gather`, `scatter`, `expandload` and
//! `compressstore`.
//!
//! Loads and stores of registers are done at once where the target has instructions for them. For the others, there
//! are no branches: a lane that is masked off accesses a stack slot instead of the memory that must not be
//! touched. Lanes that a constant mask decides do without. Alignments are those of single bytes, since the intrinsics
//! say them in attributes that are not kept.

use super::rebuild::{Rebuild, Source};
use crate::error::CodegenError;
use frazil_ir::masked::Masked;
use frazil_ir::{ConstView, Function, InstData, MemFlags, Opcode, Operand, Param, Refusal, Signature, Type};

/// What is known of a lane of a mask.
enum Lane {
    On,
    Off,
    Perhaps(Operand),
}

/// The three operands of such an access: before LLVM 22, there was an immediate alignment, too.
fn operands(function: &Function, data: &InstData) -> Option<[Operand; 3]> {
    let args = function.call(data).args;
    let is_alignment = |operand: &Operand| match operand.as_const() {
        Some(id) => matches!(function.constant(id).1, ConstView::Int(_)),
        None => operand.as_imm().is_some(),
    };
    let place = if data.first_result().is_none() { 2 } else { 1 };
    match *args {
        [first, second, third] => Some([first, second, third]),
        [first, second, third, fourth] if is_alignment(&args[place]) => Some(match place {
            2 => [first, second, fourth],
            _ => [first, third, fourth],
        }),
        _ => None,
    }
}

/// The vectors of integers that loads and stores can take as masks, by their lanes.
const LANE_BITS: [u64; 2] = [32, 64];
/// Bits of the vectors of one register whose masks they may take as they are.
const NARROW_BITS: u64 = 128;

impl Rebuild<'_> {
    /// Does a load or store under a mask at once, where the target can and what is loaded or stored is in one register;
    /// `false` if it is another. See [`Isa::has_lane_masks`](crate::isa::Isa::has_lane_masks).
    ///
    /// # Errors
    /// As [`Rebuild::define`].
    pub fn by_lane_mask(&mut self, data: &InstData) -> Result<bool, CodegenError> {
        let Some(operands) = operands(self.old, data) else {
            return Ok(false);
        };
        let is_store = data.first_result().is_none();
        let [vector, address, mask] = match (is_store, operands) {
            (true, operands) => operands,
            (false, [address, mask, others]) => [others, address, mask],
        };
        let (Some(ty), Some(pointer)) = (self.old.operand_type(vector), self.old.operand_type(address)) else {
            return Ok(false);
        };
        let layout = self.layouts.get(ty);
        let bits = self.old.types().bits(layout.element, self.pointer_bits);
        if !layout.is_whole() || layout.is_scalar || pointer != Type::PTR || !LANE_BITS.contains(&bits) {
            return Ok(false);
        }
        let Some((mask, mask_type)) = self.lane_mask(mask, bits, u64::from(layout.lanes) * bits)? else {
            return Ok(false);
        };
        let (vector, address) = (self.source(vector)?.span, self.source(address)?.span);
        let (vector, address) = (self.part(vector, 0), self.part(address, 0));
        let operands = match is_store {
            true => [(vector, ty), (address, pointer), (mask, mask_type)],
            false => [(address, pointer), (mask, mask_type), (vector, ty)],
        };
        let signature = Signature {
            params: operands.iter().map(|&(_, ty)| Param::plain(ty)).collect(),
            fixed_params: operands.len() as u32,
            ..self.old.sig(self.old.call(data).sig).clone()
        };
        let returns: Vec<Type> = signature.returns.iter().map(|param| param.ty).collect();
        let sig = self.new.push_sig(signature);
        let words = [Operand::raw(operands.len() as u32), Operand::raw(sig.as_u32())];
        let start = self.new.push_pool(&words);
        self.new.push_pool(&operands.map(|(operand, _)| operand));
        let call = InstData::new(Opcode::Call, data.ty, data.flags, data.a, Operand::raw(start));
        let made = self.new.push_inst_results(call, &returns);
        if let (Some(made), Some(result)) = (made, data.first_result()) {
            let span = self.span(&[Operand::value(made)]);
            self.define(result, span)?;
        }
        Ok(true)
    }

    /// A mask as a vector of integers of so many bits, which it is or has been promoted to; or as it is, where it is
    /// that of a narrow vector; and its type.
    fn lane_mask(
        &mut self,
        mask: Operand,
        bits: u64,
        total_bits: u64,
    ) -> Result<Option<(Operand, Type)>, CodegenError> {
        if mask.as_value().is_none() {
            return Ok(None);
        }
        let Source { span, layout } = self.source(mask)?;
        let types = self.old.types();
        let is_of_ints = types.int_bits(layout.element).map(u64::from) == Some(bits);
        let is_narrow = total_bits == NARROW_BITS && layout.element == Type::I1;
        if layout.count() != 1 || layout.is_scalar || !is_of_ints && !is_narrow {
            return Ok(None);
        }
        let ty = self.vector(layout.element, layout.lanes)?;
        Ok(Some((self.part(span, 0), ty)))
    }

    /// Does such an access lane by lane.
    ///
    /// # Errors
    /// A form of operands that is not known.
    pub fn masked(&mut self, data: &InstData, kind: Masked) -> Result<(), CodegenError> {
        let Some([first, second, third]) = operands(self.old, data) else {
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
