//! Calls of a target's intrinsics whose vectors fit no register, and of those that access memory lane by lane.
//!
//! Instructions for wide vectors mostly do with each part of their operands what a narrower one does, so the intrinsic
//! is called for each part, by its own name, and the target's rule for the name is that of the narrow instruction. What
//! is not like that, the target's [`Division`] for the name says. An intrinsic without one is
//! refused where its types are not legal.

use super::division::{Division, Question, Test};
use super::layout::Layout;
use super::rebuild::{Rebuild, Source, number};
use crate::error::CodegenError;
use frazil_ir::{ConstKind, InstData, MemFlags, Opcode, Operand, Param, Refusal, Signature, Type};

impl Rebuild<'_> {
    /// Does a call.
    ///
    /// # Errors
    /// Operands of another form than the intrinsic has.
    pub fn divided(&mut self, data: &InstData, division: Division) -> Result<(), CodegenError> {
        if division == Division::Whole {
            return self.whole(data);
        }
        let args = self.old.call(data).args.to_vec();
        let mut sources = Vec::with_capacity(args.len());
        for &arg in &args {
            sources.push(self.source(arg)?);
        }
        let made = match division {
            Division::Parts | Division::PartsOfConstant(_) => self.by_parts(data, &sources, division)?,
            Division::LowerHalves => self.lower_halves(data, &sources)?,
            Division::Bits => vec![self.bits(data, &sources)?],
            Division::Load => self.loads(data, &sources)?,
            Division::Test(test) => vec![self.test(&sources, test)?],
            Division::Permute { lanes, order } => self.permute(&sources, lanes, order)?,
            Division::MaskedLoad => self.masked_load(data, &sources)?,
            Division::MaskedStore => {
                self.masked_store(&sources)?;
                return Ok(());
            }
            Division::MaskedStoreOfValues => {
                let &[values, mask, address] = &sources[..] else {
                    return Err(refused());
                };
                self.masked_store(&[address, mask, values])?;
                return Ok(());
            }
            Division::Gather => self.gather(data, &sources)?,
            Division::Whole => unreachable!("done before"),
        };
        let Some(result) = data.first_result() else {
            return Ok(());
        };
        let layout = self.layout_of(result);
        let pieces = self.span(&made);
        let piece = match division {
            Division::Permute { .. } | Division::MaskedLoad | Division::Gather => 0,
            _ => layout.chunk,
        };
        let span = self.build(layout, pieces, piece)?;
        self.define(result, span)?;
        Ok(())
    }

    fn by_parts(
        &mut self,
        data: &InstData,
        sources: &[Source],
        division: Division,
    ) -> Result<Vec<Operand>, CodegenError> {
        let result = data.first_result().ok_or_else(refused)?;
        let layout = self.layout_of(result);
        let mut made = Vec::new();
        for part in 0..layout.count() {
            let mut args = self.parts_of(sources, part, layout.count())?;
            if let (Division::PartsOfConstant(bits), Some((last, _))) = (division, args.last_mut()) {
                let all = last.as_imm().ok_or_else(refused)?;
                *last = number((all >> (bits * part)) as u32 & ((1 << bits) - 1));
            }
            let ty = self.part_type(layout, part)?;
            made.push(self.call_part(data, &args, ty));
        }
        Ok(made)
    }

    fn lower_halves(&mut self, data: &InstData, sources: &[Source]) -> Result<Vec<Operand>, CodegenError> {
        let result = data.first_result().ok_or_else(refused)?;
        let layout = self.layout_of(result);
        if sources.first().map(|source| source.layout.count()) != Some(2) || !layout.is_whole() {
            return Err(refused());
        }
        let ty = self.part_type(layout, 0)?;
        let mut halves = Vec::new();
        for part in 0..2 {
            let args = self.parts_of(sources, part, 2)?;
            halves.push(self.call_part(data, &args, ty));
        }
        let half = layout.lanes / 2;
        let indices: Vec<Option<u32>> = (0..half).chain(layout.lanes..layout.lanes + half).map(Some).collect();
        Ok(vec![self.shuffle(layout.element, halves[0], halves[1], &indices)?])
    }

    fn bits(&mut self, data: &InstData, sources: &[Source]) -> Result<Operand, CodegenError> {
        let &[source] = sources else { return Err(refused()) };
        let ty = Type::I32;
        let mut all = None;
        for part in 0..source.layout.count() {
            let args = self.parts_of(sources, part, source.layout.count())?;
            let mut bits = self.call_part(data, &args, ty);
            if part > 0 {
                bits = self.binary(Opcode::Shl, ty, bits, number(part * source.layout.chunk));
            }
            all = Some(match all {
                Some(before) => self.binary(Opcode::Or, ty, before, bits),
                None => bits,
            });
        }
        all.ok_or_else(refused)
    }

    fn loads(&mut self, data: &InstData, sources: &[Source]) -> Result<Vec<Operand>, CodegenError> {
        let (Some(result), &[address]) = (data.first_result(), sources) else {
            return Err(refused());
        };
        let layout = self.layout_of(result);
        let bytes = self.bytes_of(layout.element)? * u64::from(layout.chunk);
        let base = self.part(address.span, 0);
        let mut made = Vec::new();
        for part in 0..layout.count() {
            let ty = self.part_type(layout, part)?;
            let at = self.address_of_lane(base, u64::from(part) * bytes);
            made.push(self.call_part(data, &[(at, Type::PTR)], ty));
        }
        Ok(made)
    }

    /// The operands of the call for one part of `count`, with their types.
    fn parts_of(&mut self, sources: &[Source], part: u32, count: u32) -> Result<Vec<(Operand, Type)>, CodegenError> {
        let mut args = Vec::with_capacity(sources.len());
        for source in sources {
            let layout = source.layout;
            let index = match layout.count() {
                1 => 0,
                other if other == count && !layout.is_scalarised() => part,
                _ => return Err(refused()),
            };
            let ty = self.part_type(layout, index)?;
            args.push((self.part(source.span, index), ty));
        }
        Ok(args)
    }

    /// The same intrinsic with other operands.
    fn call_part(&mut self, data: &InstData, args: &[(Operand, Type)], result: Type) -> Operand {
        let mut signature: Signature = self.old.sig(self.old.call(data).sig).clone();
        signature.params = args.iter().map(|&(_, ty)| Param::plain(ty)).collect();
        signature.returns = vec![Param::plain(result)];
        signature.fixed_params = args.len() as u32;
        let sig = self.new.push_sig(signature);
        let mut words = vec![Operand::raw(args.len() as u32), Operand::raw(sig.as_u32())];
        words.extend(args.iter().map(|&(operand, _)| operand));
        let start = self.new.push_pool(&words);
        let call = InstData::new(Opcode::Call, data.ty, data.flags, data.a, Operand::raw(start));
        Operand::value(self.new.push_inst_result(call, result))
    }

    /// A part as integers of 64 bits, or as its lanes if only their signs count.
    fn as_ints(&mut self, source: Source, part: u32, signs: bool) -> Result<(Operand, Type), CodegenError> {
        let layout = source.layout;
        let (lane_bytes, lanes) = match signs {
            true => (self.bytes_of(layout.element)?, layout.lanes_of(part)),
            false => (
                8,
                (self.bytes_of(layout.element)? * u64::from(layout.lanes_of(part)) / 8) as u32,
            ),
        };
        let element = self.integer(8 * lane_bytes as u32)?;
        let ty = self.vector(element, lanes)?;
        let operand = self.part(source.span, part);
        Ok((self.unary(Opcode::Bitcast, ty, operand), ty))
    }

    fn test(&mut self, sources: &[Source], test: Test) -> Result<Operand, CodegenError> {
        let &[first, second] = sources else {
            return Err(refused());
        };
        let (mut both, mut only_second) = (None, None);
        let mut ty = Type::VOID;
        for part in 0..first.layout.count() {
            let (left, of_left) = self.as_ints(first, part, test.signs)?;
            let (right, _) = self.as_ints(second, part, test.signs)?;
            ty = of_left;
            let ands = self.binary(Opcode::And, ty, left, right);
            // Of the second alone is what is not of both.
            let rest = self.binary(Opcode::Xor, ty, ands, right);
            both = Some(self.or_with(ty, both, ands));
            only_second = Some(self.or_with(ty, only_second, rest));
        }
        let (Some(both), Some(only_second)) = (both, only_second) else {
            return Err(refused());
        };
        let holds = match test.question {
            Question::NoneInBoth => self.is_any_set(ty, both, test.signs, false)?,
            Question::NoneInSecond => self.is_any_set(ty, only_second, test.signs, false)?,
            Question::Some => {
                let first = self.is_any_set(ty, both, test.signs, true)?;
                let second = self.is_any_set(ty, only_second, test.signs, true)?;
                self.binary(Opcode::And, Type::I1, first, second)
            }
        };
        Ok(self.unary(Opcode::Zext, Type::I32, holds))
    }

    fn or_with(&mut self, ty: Type, before: Option<Operand>, bits: Operand) -> Operand {
        match before {
            Some(before) => self.binary(Opcode::Or, ty, before, bits),
            None => bits,
        }
    }

    /// Whether any bit (or sign) of a vector is set, or, if not `expected`, whether none is.
    fn is_any_set(&mut self, ty: Type, bits: Operand, signs: bool, expected: bool) -> Result<Operand, CodegenError> {
        let element = self.new.types().scalar(ty);
        let reduced = self.emit(Opcode::ReduceOr, element, 0, [bits, Operand::NONE], element);
        let op = match (signs, expected) {
            (true, true) => Opcode::IcmpSlt,
            (true, false) => Opcode::IcmpSge,
            (false, true) => Opcode::IcmpNe,
            (false, false) => Opcode::IcmpEq,
        };
        Ok(self.emit(op, element, 0, [reduced, Operand::ZERO], Type::I1))
    }

    /// Through memory.
    fn permute(&mut self, sources: &[Source], lanes: usize, order: usize) -> Result<Vec<Operand>, CodegenError> {
        let (Some(&values), Some(&order)) = (sources.get(lanes), sources.get(order)) else {
            return Err(refused());
        };
        let layout = values.layout;
        let bytes = self.bytes_of(layout.element)?;
        let size = bytes * u64::from(layout.lanes);
        let slot = Operand::value(self.own_slot(size, super::rebuild::SLOT_ALIGN_LOG2));
        for lane in 0..layout.lanes {
            let value = self.lane(values, lane)?;
            let at = self.address_of_lane(slot, u64::from(lane) * bytes);
            self.effect(Opcode::Store, layout.element, MemFlags::aligned(0).0, value, at);
        }
        let mut made = Vec::new();
        for lane in 0..layout.lanes {
            let index = self.lane(order, lane)?;
            let own = order.layout.element;
            let mask = number(layout.lanes - 1);
            let index = self.binary(Opcode::And, own, index, mask);
            let index = self.as_index(index, own, Opcode::Zext);
            let at = self.emit(Opcode::PtrIndex, Type::PTR, bytes as u16, [slot, index], Type::PTR);
            let flags = MemFlags::aligned(0).0;
            made.push(self.emit(Opcode::Load, layout.element, flags, [at, Operand::NONE], layout.element));
        }
        Ok(made)
    }

    fn as_index(&mut self, index: Operand, ty: Type, extend: Opcode) -> Operand {
        let wide = frazil_ir::typing::pointer_int(self.pointer_bits);
        match ty == wide {
            true => index,
            false => self.unary(extend, wide, index),
        }
    }

    fn masked_load(&mut self, data: &InstData, sources: &[Source]) -> Result<Vec<Operand>, CodegenError> {
        let (Some(result), &[address, mask]) = (data.first_result(), sources) else {
            return Err(refused());
        };
        let layout = self.layout_of(result);
        let base = self.part(address.span, 0);
        let bytes = self.bytes_of(layout.element)?;
        let zero = self.zero(layout.element);
        let mut made = Vec::new();
        for lane in 0..layout.lanes {
            let at = self.address_of_lane(base, u64::from(lane) * bytes);
            made.push(self.load_if_negative(layout, mask, lane, at, zero)?);
        }
        Ok(made)
    }

    fn masked_store(&mut self, sources: &[Source]) -> Result<(), CodegenError> {
        let &[address, mask, values] = sources else {
            return Err(refused());
        };
        let layout = values.layout;
        let base = self.part(address.span, 0);
        let bytes = self.bytes_of(layout.element)?;
        let spare = self.slot(bytes);
        for lane in 0..layout.lanes {
            let at = self.address_of_lane(base, u64::from(lane) * bytes);
            let is_on = self.is_negative(mask, lane)?;
            let at = self.ternary(Opcode::Select, Type::PTR, 0, [is_on, at, spare]);
            let value = self.lane(values, lane)?;
            self.effect(Opcode::Store, layout.element, MemFlags::aligned(0).0, value, at);
        }
        Ok(())
    }

    fn gather(&mut self, data: &InstData, sources: &[Source]) -> Result<Vec<Operand>, CodegenError> {
        let (Some(result), &[others, base, indices, mask, scale]) = (data.first_result(), sources) else {
            return Err(refused());
        };
        let scale = self.part(scale.span, 0).as_imm().ok_or_else(refused)?;
        let base = self.part(base.span, 0);
        let layout = self.layout_of(result);
        let mut made = Vec::new();
        for lane in 0..layout.lanes {
            let other = self.lane(others, lane)?;
            // There may be fewer indices than lanes: what is above them is zero.
            if lane >= indices.layout.lanes {
                made.push(self.zero(layout.element));
                continue;
            }
            let index = self.lane(indices, lane)?;
            let index = self.as_index(index, indices.layout.element, Opcode::Sext);
            let at = self.emit(Opcode::PtrIndex, Type::PTR, scale as u16, [base, index], Type::PTR);
            made.push(self.load_if_negative(layout, mask, lane, at, other)?);
        }
        Ok(made)
    }

    /// A lane from memory if that of the mask is negative.
    fn load_if_negative(
        &mut self,
        layout: Layout,
        mask: Source,
        lane: u32,
        address: Operand,
        otherwise: Operand,
    ) -> Result<Operand, CodegenError> {
        let is_on = self.is_negative(mask, lane)?;
        let bytes = self.bytes_of(layout.element)?;
        let spare = self.slot(bytes);
        let at = self.ternary(Opcode::Select, Type::PTR, 0, [is_on, address, spare]);
        let flags = MemFlags::aligned(0).0;
        let loaded = self.emit(Opcode::Load, layout.element, flags, [at, Operand::NONE], layout.element);
        Ok(self.ternary(Opcode::Select, layout.element, 0, [is_on, loaded, otherwise]))
    }

    fn is_negative(&mut self, mask: Source, lane: u32) -> Result<Operand, CodegenError> {
        let value = self.lane(mask, lane)?;
        let element = self.integer(8 * self.bytes_of(mask.layout.element)? as u32)?;
        let value = match mask.layout.element == element {
            true => value,
            false => self.unary(Opcode::Bitcast, element, value),
        };
        Ok(self.emit(Opcode::IcmpSlt, element, 0, [value, Operand::ZERO], Type::I1))
    }

    fn zero(&mut self, element: Type) -> Operand {
        match self.new.types().int_bits(element) {
            Some(_) => Operand::ZERO,
            None => self.plain(ConstKind::Zero, element),
        }
    }

    /// The size of a lane that has whole bytes.
    fn bytes_of(&self, element: Type) -> Result<u64, CodegenError> {
        let bits = self.new.types().bits(element, self.pointer_bits);
        match bits > 0 && bits.is_multiple_of(8) {
            true => Ok(bits / 8),
            false => Err(refused()),
        }
    }
}

fn refused() -> CodegenError {
    CodegenError::unsupported(
        Refusal::Intrinsic,
        "an intrinsic of the target with operands of this form",
    )
}
