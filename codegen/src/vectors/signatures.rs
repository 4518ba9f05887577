//! Vectors as parameters, arguments and results, as LLVM passes them.
//!
//! LLVM breaks a vector up for calls otherwise than for computing (`getVectorTypeBreakdown` and
//! `getRegisterTypeForCallingConv` in `llvm/lib/CodeGen/TargetLoweringBase.cpp`):
//!
//! * One that a register holds, perhaps after more lanes were added to make their number a power of two, is passed in
//!   one.
//! * Lanes that are no whole register's, such as truth values, are passed as the wider integers that make their number
//!   fill one, if their number is a power of two.
//! * A power of two of lanes that fill several registers is passed in these.
//! * Everything else is passed lane by lane, as scalars, those of 128 bits in halves.
//!
//! Where a convention has vectors of half a register, too ([`ConvDesc::short_vector_bytes`]), those that fit one have
//! their lanes made wider, if they are integers, or get more, until they fill it, and a single integer or pointer is
//! such a vector. So is each lane of half a register where vectors are passed lane by lane.
//!
//! How wide a register is for this follows from the function's features ([`Isa::widest_passed_vector`]), of a call from
//! its caller's: a callee with other features takes something else, with Frazil as with LLVM. Where registers are wider
//! than the vectors that are computed with, what is passed in one is put together before the call or return, and taken
//! apart after it. Registers wider than [`TargetDesc::passed_vector_bytes`] are refused.
//!
//! Results for which a convention has too few registers are stored to memory whose address the caller passes before
//! all else, laid out like a structure of them.
//!
//! [`Isa::widest_passed_vector`]: crate::Isa::widest_passed_vector
//! [`TargetDesc::passed_vector_bytes`]: crate::TargetDesc::passed_vector_bytes
//! [`ConvDesc::short_vector_bytes`]: crate::ConvDesc::short_vector_bytes

use super::layout::{Layout, Layouts};
use super::rebuild::{Rebuild, Source, Span};
use crate::abi::type_name;
use crate::error::CodegenError;
use frazil_ir::{
    CallConv, CallFlags, EntityRef, Extension, InstData, MemFlags, Opcode, Operand, Param, ParamKind, Refusal, SigId,
    Signature, Type, TypeData, TypeTable, Value,
};

/// How a parameter or result is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// As the values that it is spread over.
    Parts,
    /// As vectors of this many lanes, wider than the values that it is spread over; with lanes added if they are more
    /// than it has.
    Wide(u32),
    /// As one vector of this many lanes, more than it has.
    Widened(u32),
    /// As one vector of integers of this many bits.
    Promoted(u32),
    /// The same of integers of 8, 16 or 32 bits, which are one value.
    Extended(u32),
    /// Each lane as a scalar.
    Lanes,
    /// Each lane as a vector of its own.
    Singles,
    /// Each lane, of 128 bits, as two integers that nothing keeps together.
    Halves,
    /// In memory of so many bytes that is passed by value ([`crate::ConvDesc::short_memory_bytes`]).
    ByValue(u32),
}

/// What the calling conventions have to do with vectors.
pub(super) struct Abi<'a> {
    /// Whether registers do not suffice for the results of a signature.
    pub returns_in_memory: &'a dyn Fn(&Signature, &TypeTable) -> bool,
    /// How many bytes of memory stand for an argument of a type in a convention; 0 if it is passed as it is.
    pub by_value: &'a dyn Fn(CallConv, Type) -> u32,
    /// The strictest alignment of a result in memory that is no vector.
    pub result_align: u64,
    /// Bytes of the widest vector that LLVM passes in one register for the function that is compiled.
    pub widest_bytes: u32,
    /// Bytes of the widest that the target's registers take here.
    pub known_bytes: u32,
    /// Bytes of narrower vectors that are passed as wide as they are; 0 if all are as wide as a register.
    pub short_bytes: u32,
    /// The most truth values that it passes in one register.
    pub mask_lanes: u32,
}

/// How all of a signature is passed.
#[derive(Debug)]
pub(super) struct Plan {
    params: Vec<Passing>,
    returns: Vec<Passing>,
    /// If results are in memory: their distances from its start, its size, and its alignment as log2.
    memory: Option<(Vec<u64>, u64, u8)>,
    /// What is passed.
    pub signature: Signature,
    /// Whether it is the signature that it was made of.
    pub is_same: bool,
}

/// Element widths that fill registers.
fn plain_bits(types: &TypeTable, element: Type, pointer_bits: u32) -> Option<u32> {
    match types.data(element) {
        TypeData::Int(bits @ (8 | 16 | 32 | 64)) => Some(bits),
        TypeData::F16 | TypeData::BF16 => Some(16),
        TypeData::F32 => Some(32),
        TypeData::F64 => Some(64),
        TypeData::Ptr(0) => Some(pointer_bits),
        _ => None,
    }
}

/// How a type is passed.
fn passing(layouts: &Layouts, types: &TypeTable, ty: Type, pointer_bits: u32, abi: &Abi<'_>) -> Passing {
    let layout = layouts.get(ty);
    let register_bits = u32::from(layouts.register_bytes()) * 8;
    if layout.is_scalar || layouts.is_wide(ty) {
        return Passing::Parts;
    }
    let lanes = layout.lanes;
    if types.int_bits(layout.element) == Some(128) {
        return Passing::Halves;
    }
    let short_bits = abi.short_bytes * 8;
    let fills_short = |bits| bits == short_bits && layout.element != Type::F64;
    let plain = plain_bits(types, layout.element, pointer_bits);
    if lanes == 1 {
        return match types.int_bits(layout.element) {
            Some(bits @ (8 | 16 | 32)) if short_bits > 0 => Passing::Widened(short_bits / bits),
            _ if plain.is_some_and(fills_short) => Passing::Parts,
            _ => Passing::Lanes,
        };
    }
    let by_lane = match plain.is_some_and(fills_short) {
        true => Passing::Singles,
        false => Passing::Lanes,
    };
    let (is_power, all) = (lanes.is_power_of_two(), lanes.next_power_of_two());
    let widest_bits = abi.widest_bytes * 8;
    if let Some(bits) = plain {
        let all_bits = all.saturating_mul(bits);
        if widest_bits > register_bits && all_bits > register_bits {
            return match all_bits <= widest_bits || is_power {
                true => Passing::Wide(all.min(widest_bits / bits)),
                false => Passing::Lanes,
            };
        }
        return match all_bits.cmp(&register_bits) {
            // Lanes become wider if they are integers, and else more.
            _ if is_power && all_bits < short_bits && types.int_bits(layout.element).is_some() => {
                Passing::Extended(short_bits / lanes)
            }
            _ if is_power && all_bits < short_bits => Passing::Widened(short_bits / bits),
            _ if !is_power && short_bits > 0 => match all_bits == short_bits || all_bits == register_bits {
                true => Passing::Widened(all),
                false => by_lane,
            },
            _ if is_power && register_bits > 0 => Passing::Parts,
            // LLVM gives three of these a register, and three integers of 16 bits one each.
            _ if lanes == 3 && matches!(layout.element, Type::F16 | Type::BF16) => Passing::Widened(all),
            std::cmp::Ordering::Equal if lanes == 3 => Passing::Parts,
            std::cmp::Ordering::Equal => Passing::Widened(all),
            _ => Passing::Lanes,
        };
    }
    let element_bits = types.int_bits(layout.element).unwrap_or(u32::MAX);
    let promoted = |register_bits: u32| match register_bits / lanes {
        wide @ (8 | 16 | 32 | 64) if is_power && element_bits < wide => Some(Passing::Promoted(wide)),
        _ => None,
    };
    if layout.element == Type::I1 && lanes > abi.mask_lanes {
        return Passing::Lanes;
    }
    // The narrowest register that takes them.
    let widths = [short_bits, register_bits, 2 * register_bits, 4 * register_bits];
    let mut widths = widths
        .into_iter()
        .filter(|&bits| bits <= widest_bits.max(register_bits));
    widths.find_map(promoted).unwrap_or(Passing::Lanes)
}

impl Plan {
    /// The plan of a function whose parameters and results are passed as they are.
    pub fn unchanged(signature: &Signature) -> Plan {
        Plan {
            params: vec![Passing::Parts; signature.params.len()],
            returns: vec![Passing::Parts; signature.returns.len()],
            memory: None,
            signature: signature.clone(),
            is_same: true,
        }
    }

    /// Decides for a signature of the old function.
    ///
    /// # Errors
    /// A type that LLVM passes in a way that depends on features, or in none that is known.
    pub fn of(rebuild: &mut Rebuild<'_>, abi: &Abi<'_>, signature: &Signature) -> Result<Plan, CodegenError> {
        let old = rebuild.old.types();
        let of = |param: &Param| passing(rebuild.layouts, old, param.ty, rebuild.pointer_bits, abi);
        let of_param = |param: &Param| match (abi.by_value)(signature.call_conv, param.ty) {
            0 => of(param),
            bytes => Passing::ByValue(bytes),
        };
        let params: Vec<Passing> = signature.params.iter().map(of_param).collect();
        let returns: Vec<Passing> = signature.returns.iter().map(of).collect();
        let all = || {
            signature
                .params
                .iter()
                .zip(&params)
                .chain(signature.returns.iter().zip(&returns))
        };
        let is_whole = |(param, &passing): (&Param, &Passing)| {
            rebuild.layouts.get(param.ty).is_whole() && passing == Passing::Parts
        };
        for (param, _) in all() {
            refuse_doubtful(rebuild, abi, param.ty)?;
        }
        // Of a float of 16 bits, more would be stored if shared code stored it.
        let by_value = |ty: Type| (abi.by_value)(signature.call_conv, ty);
        let is_stored_here = |param: &Param| {
            let is_short = matches!(param.ty, Type::F16 | Type::BF16) || by_value(param.ty) > 0;
            !rebuild.layouts.get(param.ty).is_scalar || is_short
        };
        let is_same = all().all(is_whole);
        let has_own_result = signature.returns.iter().any(is_stored_here);
        let mut plan = Plan {
            params,
            returns,
            memory: None,
            signature: signature.clone(),
            is_same,
        };
        if is_same && !has_own_result {
            return Ok(plan);
        }
        plan.signature.params.clear();
        plan.signature.returns.clear();
        for (param, &passing) in signature.returns.iter().zip(&plan.returns) {
            rebuild.push_params(&mut plan.signature.returns, param, passing)?;
        }
        if (abi.returns_in_memory)(&plan.signature, rebuild.new.types()) && has_own_result {
            plan.is_same = false;
            plan.signature.returns.clear();
            plan.memory = Some(rebuild.memory_of(&signature.returns, abi.result_align, &by_value));
            plan.signature.params.push(Param {
                kind: ParamKind::StructReturn,
                ..Param::plain(Type::PTR)
            });
        }
        let mut fixed = plan.signature.params.len();
        for (index, (param, &passing)) in signature.params.iter().zip(&plan.params).enumerate() {
            rebuild.push_params(&mut plan.signature.params, param, passing)?;
            if index < signature.fixed_params as usize {
                fixed = plan.signature.params.len();
            }
        }
        plan.signature.fixed_params = fixed as u32;
        Ok(plan)
    }

    /// Whether results are the parts of the old results, one after the other.
    fn returns_parts(&self) -> bool {
        self.memory.is_none() && self.returns.iter().all(|&passing| passing == Passing::Parts)
    }
}

/// Refuses what is passed otherwise where registers are wider, and what is not known to be passed in some way.
fn refuse_doubtful(rebuild: &Rebuild<'_>, abi: &Abi<'_>, ty: Type) -> Result<(), CodegenError> {
    let types = rebuild.old.types();
    let layout = rebuild.layouts.get(ty);
    if layout.is_scalar {
        return Ok(());
    }
    rebuild.layouts.check(types, ty)?;
    let refuse = |why: &str| {
        Err(CodegenError::unsupported(
            Refusal::of_type(types, ty),
            format!("{} in a signature{why}", type_name(types, ty)),
        ))
    };
    if types
        .int_bits(layout.element)
        .is_some_and(|bits| bits > 64 && bits != 128)
    {
        return refuse("");
    }
    let bytes = rebuild.memory_bytes(layout).next_power_of_two();
    let is_too_wide = abi.widest_bytes > abi.known_bytes && bytes > u64::from(abi.known_bytes);
    let is_long_mask = layout.element == Type::I1 && layout.lanes > abi.known_bytes;
    if is_too_wide || is_long_mask && abi.widest_bytes > abi.known_bytes {
        return refuse(" of a function that may use wider registers for it than are used here");
    }
    Ok(())
}

impl Rebuild<'_> {
    /// The parameters that one is passed as.
    fn push_params(&mut self, to: &mut Vec<Param>, param: &Param, passing: Passing) -> Result<(), CodegenError> {
        let layout = self.layouts.get(param.ty);
        if let Passing::ByValue(size) = passing {
            to.push(Param {
                kind: ParamKind::ByVal {
                    size,
                    align_log2: BY_VALUE_ALIGN_LOG2,
                },
                ..Param::plain(Type::PTR)
            });
            return Ok(());
        }
        if layout.is_scalar || layout.is_whole() && passing == Passing::Parts {
            to.push(*param);
            return Ok(());
        }
        if param.array > 0 {
            return Err(CodegenError::unsupported(
                Refusal::of_type(self.old.types(), param.ty),
                "an array of vectors that no register holds in a signature",
            ));
        }
        let first = to.len();
        let mut push = |ty| {
            to.push(Param {
                ty,
                extension: Extension::None,
                ..*param
            });
        };
        match passing {
            Passing::ByValue(_) => {}
            Passing::Parts => {
                for part in 0..layout.count() {
                    push(self.part_type(layout, part)?);
                }
            }
            Passing::Wide(lanes) => {
                for _ in 0..passed_count(layout, passing) {
                    push(self.vector(layout.element, lanes)?);
                }
            }
            Passing::Widened(lanes) => push(self.vector(layout.element, lanes)?),
            Passing::Promoted(bits) | Passing::Extended(bits) => {
                let element = self.integer(bits)?;
                push(self.vector(element, layout.lanes)?);
            }
            Passing::Lanes => (0..layout.lanes).for_each(|_| push(layout.element)),
            Passing::Singles => {
                let ty = self.vector(layout.element, 1)?;
                (0..layout.lanes).for_each(|_| push(ty));
            }
            Passing::Halves => {
                (0..2 * layout.lanes).for_each(|_| push(Type::I64));
                to[first].is_split = true;
            }
        }
        Ok(())
    }

    /// Where results lie in memory, as fields of a structure.
    fn memory_of(&self, returns: &[Param], result_align: u64, by_value: &dyn Fn(Type) -> u32) -> (Vec<u64>, u64, u8) {
        let (mut offset, mut align) = (0u64, 1u64);
        let offsets = returns
            .iter()
            .map(|param| {
                let layout = self.layouts.get(param.ty);
                let bytes = match by_value(param.ty) {
                    0 => self.memory_bytes(layout).max(1),
                    bytes => bytes.into(),
                };
                let most = if layout.is_scalar { result_align } else { u64::MAX };
                let own = bytes.next_power_of_two().min(most);
                let start = offset.next_multiple_of(own);
                offset = start + bytes.next_multiple_of(own);
                align = align.max(own);
                start
            })
            .collect();
        (offsets, offset.next_multiple_of(align), align.trailing_zeros() as u8)
    }

    /// Pushes the parameters of the new function, the first values that it has, and returns the address of the memory
    /// for its results, if it gets one.
    pub fn take_params(&mut self, plan: &Plan) -> Option<Operand> {
        let passed: Vec<Operand> = (plan.signature.params.iter())
            .map(|param| Operand::value(self.new.push_param(param.ty)))
            .collect();
        self.new.set_signature(plan.signature.clone());
        self.parts.extend_from_slice(&passed);
        plan.memory.is_some().then(|| passed[0])
    }

    /// Defines the parameters of the old function, at the start of the new one's entry, by what was passed.
    pub fn define_params(&mut self, plan: &Plan) -> Result<(), CodegenError> {
        let mut next = u32::from(plan.memory.is_some());
        for (index, &passing) in plan.params.iter().enumerate() {
            let layout = self.layout_of(Value::new(index));
            let len = passed_count(layout, passing);
            let span = self.received(layout, passing, Span { start: next, len })?;
            self.define(Value::new(index), span)?;
            next += len;
        }
        Ok(())
    }

    /// A return.
    pub fn give_results(&mut self, data: &InstData, plan: &Plan, memory: Option<Operand>) -> Result<(), CodegenError> {
        let operands = self.old.list(data).to_vec();
        let mut passed = Vec::new();
        for (index, &operand) in operands.iter().enumerate() {
            let source = self.result_source(operand, index)?;
            match (&plan.memory, memory) {
                (Some((offsets, _, align_log2)), Some(address)) => {
                    self.store_result(source, address, offsets[index], *align_log2)?;
                }
                _ => self.passed(source, plan.returns[index], &mut passed)?,
            }
        }
        let start = self.new.push_pool(&passed);
        let count = Operand::raw(passed.len() as u32);
        self.new
            .push_inst(InstData::new(Opcode::Return, data.ty, 0, count, Operand::raw(start)));
        Ok(())
    }

    /// A returned operand, whose type only the signature knows if it is an immediate.
    fn result_source(&mut self, operand: Operand, index: usize) -> Result<Source, CodegenError> {
        let mut source = self.source(operand)?;
        if source.layout.is_scalar {
            source.layout = self.layouts.get(self.old.signature().returns[index].ty);
        }
        Ok(source)
    }

    fn store_result(
        &mut self,
        source: Source,
        address: Operand,
        offset: u64,
        align_log2: u8,
    ) -> Result<(), CodegenError> {
        let align = offset.trailing_zeros().min(RESULT_ALIGN_LOG2).min(align_log2.into());
        let address = self.offset(address, offset);
        self.store_to(source, address, MemFlags::aligned(align).0)
    }

    fn offset(&mut self, address: Operand, offset: u64) -> Operand {
        if offset == 0 {
            return address;
        }
        let distance = self.new.int_operand(Type::I64, i128::from(offset));
        self.binary(Opcode::PtrAdd, Type::PTR, address, distance)
    }

    /// A call or invoke whose signature has changed. What an invoke returns is made into the old results by
    /// [`Rebuild::take_results`] on its normal edge; the result says whether that is needed.
    pub fn call(&mut self, data: &InstData, plan: &Plan, sig: SigId) -> Result<Option<Received>, CodegenError> {
        let args = self.old.call(data).args.to_vec();
        let mut flags = CallFlags::from_bits_retain(data.flags);
        if flags.contains(CallFlags::MUST_TAIL) && !plan.returns_parts() {
            return Err(CodegenError::unsupported(
                Refusal::TailCall,
                "a call that must be a jump and returns vectors that are converted",
            ));
        }
        let mut passed = Vec::new();
        let mut memory = None;
        if let Some((_, bytes, align_log2)) = plan.memory {
            let address = Operand::value(self.own_slot(bytes.max(1), align_log2));
            passed.push(address);
            memory = Some(address);
            // The callee writes to this frame.
            flags.remove(CallFlags::TAIL);
        }
        for (&operand, &passing) in args.iter().zip(&plan.params) {
            let source = self.source(operand)?;
            self.passed(source, passing, &mut passed)?;
        }
        let callee = self.single(data.a)?;
        let mut words = vec![Operand::raw(passed.len() as u32), Operand::raw(sig.index() as u32)];
        if data.op == Opcode::Invoke {
            let (normal, unwind) = self.old.invoke_targets(data);
            words.extend([Operand::raw(normal.as_u32()), Operand::raw(unwind.as_u32())]);
        }
        words.extend_from_slice(&passed);
        let start = self.new.push_pool(&words);
        let call = InstData::new(data.op, data.ty, flags.bits(), callee, Operand::raw(start));
        if plan.returns_parts() {
            self.append_results(call, data)?;
            return Ok(None);
        }
        let types: Vec<Type> = plan.signature.returns.iter().map(|param| param.ty).collect();
        let first = self.new.push_inst_results(call, &types);
        let results: Vec<Operand> = (0..types.len())
            .map(|index| Operand::value(Value::new(first.map_or(0, |value| value.index()) + index)))
            .collect();
        let results = self.span(&results);
        Ok(Some(Received { results, memory }))
    }

    /// Defines the results of a call by what came back.
    pub fn take_results(&mut self, data: &InstData, plan: &Plan, received: Received) -> Result<(), CodegenError> {
        let mut next = received.results.start;
        let results: Vec<Value> = self.old.results(data).collect();
        for (index, (&result, &passing)) in results.iter().zip(&plan.returns).enumerate() {
            let layout = self.layout_of(result);
            let span = match (&plan.memory, received.memory) {
                (Some((offsets, _, align_log2)), Some(address)) => {
                    let align = offsets[index]
                        .trailing_zeros()
                        .min(RESULT_ALIGN_LOG2)
                        .min((*align_log2).into());
                    let address = self.offset(address, offsets[index]);
                    self.load_from(layout, address, MemFlags::aligned(align).0)?
                }
                _ => {
                    let len = passed_count(layout, passing);
                    let span = self.received(layout, passing, Span { start: next, len })?;
                    next += len;
                    span
                }
            };
            self.define(result, span)?;
        }
        Ok(())
    }
}

/// What a call gave back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received {
    results: Span,
    memory: Option<Operand>,
}

/// Memory for results is aligned to at least this where it has room for a vector.
const RESULT_ALIGN_LOG2: u32 = 4;

/// The alignment of memory that stands for a value: that of the slots of arguments.
pub(super) const BY_VALUE_ALIGN_LOG2: u8 = 2;

/// How many values are passed for one.
pub(super) fn passed_count(layout: Layout, passing: Passing) -> u32 {
    match passing {
        Passing::Parts => layout.count(),
        Passing::Wide(lanes) => layout.lanes.div_ceil(lanes),
        Passing::Widened(_) | Passing::Promoted(_) | Passing::Extended(_) | Passing::ByValue(_) => 1,
        Passing::Lanes | Passing::Singles => layout.lanes,
        Passing::Halves => 2 * layout.lanes,
    }
}
