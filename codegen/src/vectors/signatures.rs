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
//! * Everything else is passed lane by lane, as scalars.
//!
//! Results for which a convention has too few registers are stored to memory whose address the caller passes before
//! all else, laid out like a structure of them. What changes with the width of the processor's registers is refused:
//! caller and callee may differ in what they may use.

use super::layout::{Layout, Layouts};
use super::rebuild::{Rebuild, Source, Span};
use crate::abi::type_name;
use crate::error::CodegenError;
use frazil_ir::{
    CallFlags, EntityRef, Extension, InstData, MemFlags, Opcode, Operand, Param, ParamKind, Refusal, SigId, Signature,
    Type, TypeData, TypeTable, Value,
};

/// How a parameter or result is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// As the values that it is spread over.
    Parts,
    /// As one vector of this many lanes, more than it has.
    Widened(u32),
    /// As one vector of integers of this many bits.
    Promoted(u32),
    /// Each lane as a scalar.
    Lanes,
}

/// What the calling conventions have to do with vectors.
pub(super) struct Abi<'a> {
    /// Whether registers do not suffice for the results of a signature.
    pub returns_in_memory: &'a dyn Fn(&Signature, &TypeTable) -> bool,
    /// Bytes of the widest vector that LLVM passes in one register for the function that is compiled.
    pub widest_bytes: u32,
    /// Whether the target has a register stack.
    pub has_register_stack: bool,
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
fn passing(layouts: &Layouts, types: &TypeTable, ty: Type, pointer_bits: u32) -> Passing {
    let layout = layouts.get(ty);
    let register_bits = u32::from(layouts.register_bytes()) * 8;
    if layout.is_scalar {
        return Passing::Parts;
    }
    let lanes = layout.lanes;
    if lanes == 1 {
        return Passing::Lanes;
    }
    let (is_power, all) = (lanes.is_power_of_two(), lanes.next_power_of_two());
    if let Some(bits) = plain_bits(types, layout.element, pointer_bits) {
        return match all.saturating_mul(bits).cmp(&register_bits) {
            _ if is_power && register_bits > 0 => Passing::Parts,
            // LLVM gives three of these a register, and three integers of 16 bits one each.
            _ if lanes == 3 && matches!(layout.element, Type::F16 | Type::BF16) => Passing::Widened(all),
            std::cmp::Ordering::Equal if lanes == 3 => Passing::Parts,
            std::cmp::Ordering::Equal => Passing::Widened(all),
            _ => Passing::Lanes,
        };
    }
    let element_bits = types.int_bits(layout.element).unwrap_or(u32::MAX);
    match register_bits / lanes {
        wide @ (8 | 16 | 32 | 64) if is_power && element_bits < wide => Passing::Promoted(wide),
        _ => Passing::Lanes,
    }
}

impl Plan {
    /// Decides for a signature of the old function.
    ///
    /// # Errors
    /// A type that LLVM passes in a way that depends on features, or in none that is known.
    pub fn of(rebuild: &mut Rebuild<'_>, abi: &Abi<'_>, signature: &Signature) -> Result<Plan, CodegenError> {
        let old = rebuild.old.types();
        let of = |param: &Param| passing(rebuild.layouts, old, param.ty, rebuild.pointer_bits);
        let params: Vec<Passing> = signature.params.iter().map(of).collect();
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
        for (param, &passing) in all() {
            refuse_doubtful(rebuild, abi, param.ty, passing)?;
        }
        for (param, &passing) in signature.returns.iter().zip(&returns) {
            if abi.has_register_stack {
                refuse_third_float(rebuild, param.ty, passing)?;
            }
        }
        // Of a float of 16 bits, more would be stored if shared code stored it.
        let is_stored_here =
            |param: &Param| !rebuild.layouts.get(param.ty).is_scalar || matches!(param.ty, Type::F16 | Type::BF16);
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
            plan.memory = Some(rebuild.memory_of(&signature.returns));
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
fn refuse_doubtful(rebuild: &Rebuild<'_>, abi: &Abi<'_>, ty: Type, passing: Passing) -> Result<(), CodegenError> {
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
    if types.int_bits(layout.element).is_some_and(|bits| bits > 64) {
        return refuse("");
    }
    let register_bytes = u32::from(rebuild.layouts.register_bytes());
    let is_plain = layout.is_whole() && passing != Passing::Lanes && layout.element != Type::I1;
    if abi.widest_bytes > register_bytes && !is_plain {
        return refuse(" of a function that may use wider registers for it than are used here");
    }
    Ok(())
}

/// Refuses results that are more than two floats where there is a register stack, on which LLVM returns the third one.
fn refuse_third_float(rebuild: &Rebuild<'_>, ty: Type, passing: Passing) -> Result<(), CodegenError> {
    let types = rebuild.old.types();
    let layout = rebuild.layouts.get(ty);
    let is_float = matches!(types.data(layout.element), TypeData::F32 | TypeData::F64);
    if passing != Passing::Lanes || !is_float || layout.lanes < 3 {
        return Ok(());
    }
    let name = type_name(types, ty);
    Err(CodegenError::unsupported(
        Refusal::Vector,
        format!("{name} among results, of which a register stack would return some"),
    ))
}

impl Rebuild<'_> {
    /// The parameters that one is passed as.
    fn push_params(&mut self, to: &mut Vec<Param>, param: &Param, passing: Passing) -> Result<(), CodegenError> {
        let layout = self.layouts.get(param.ty);
        if layout.is_scalar || layout.is_whole() && passing == Passing::Parts {
            to.push(*param);
            return Ok(());
        }
        let mut push = |ty| {
            to.push(Param {
                ty,
                extension: Extension::None,
                ..*param
            });
        };
        match passing {
            Passing::Parts => {
                for part in 0..layout.count() {
                    push(self.part_type(layout, part)?);
                }
            }
            Passing::Widened(lanes) => push(self.vector(layout.element, lanes)?),
            Passing::Promoted(bits) => {
                let element = self.integer(bits)?;
                push(self.vector(element, layout.lanes)?);
            }
            Passing::Lanes => (0..layout.lanes).for_each(|_| push(layout.element)),
        }
        Ok(())
    }

    /// Where results lie in memory, as fields of a structure.
    fn memory_of(&self, returns: &[Param]) -> (Vec<u64>, u64, u8) {
        let (mut offset, mut align) = (0u64, 1u64);
        let offsets = returns
            .iter()
            .map(|param| {
                let bytes = self.memory_bytes(self.layouts.get(param.ty)).max(1);
                let own = bytes.next_power_of_two();
                let start = offset.next_multiple_of(own);
                offset = start + bytes.next_multiple_of(own);
                align = align.max(own);
                start
            })
            .collect();
        (offsets, offset.next_multiple_of(align), align.trailing_zeros() as u8)
    }

    /// What is passed for a value.
    fn passed(&mut self, source: Source, passing: Passing, to: &mut Vec<Operand>) -> Result<(), CodegenError> {
        let Source { span, layout } = source;
        match passing {
            Passing::Parts => to.extend_from_slice(self.operands(span)),
            Passing::Widened(lanes) => {
                let vector = self.part(span, 0);
                to.push(self.widen(vector, layout.element, layout.lanes, lanes)?);
            }
            Passing::Promoted(bits) if layout.is_scalarised() => {
                let ty = self.integer(bits)?;
                let mut lanes = Vec::new();
                for part in 0..layout.count() {
                    let lane = self.part(span, part);
                    let lane = self.typed(lane, layout.element);
                    lanes.push(self.unary(Opcode::Zext, ty, lane));
                }
                to.push(self.collect(ty, &lanes)?);
            }
            Passing::Promoted(bits) => {
                let whole = Layout {
                    chunk: layout.lanes,
                    ..layout
                };
                let mask = self.build(whole, span, layout.chunk)?;
                let mask = self.part(mask, 0);
                to.push(self.mask_to_ints(mask, layout.lanes, bits)?);
            }
            Passing::Lanes => {
                for index in 0..layout.lanes {
                    to.push(self.lane(source, index)?);
                }
            }
        }
        Ok(())
    }

    /// The value for which something was passed.
    fn received(&mut self, layout: Layout, passing: Passing, passed: Span) -> Result<Span, CodegenError> {
        match passing {
            Passing::Parts => Ok(passed),
            Passing::Lanes => self.build(layout, passed, 0),
            Passing::Widened(lanes) => {
                let wide = Layout {
                    lanes,
                    chunk: lanes,
                    ..layout
                };
                let source = Source {
                    span: passed,
                    layout: wide,
                };
                let taken = self.take(source, 0, layout.lanes)?;
                Ok(self.span(&[taken]))
            }
            Passing::Promoted(bits) if layout.is_scalarised() => {
                let element = self.integer(bits)?;
                let wide = Layout {
                    element,
                    chunk: layout.lanes,
                    ..layout
                };
                let source = Source {
                    span: passed,
                    layout: wide,
                };
                let mut lanes = Vec::new();
                for index in 0..layout.lanes {
                    let lane = self.lane(source, index)?;
                    lanes.push(self.unary(Opcode::Trunc, layout.element, lane));
                }
                Ok(self.span(&lanes))
            }
            Passing::Promoted(bits) => {
                let ints = self.part(passed, 0);
                let mask = self.ints_to_mask(ints, layout.lanes, bits)?;
                let whole = self.span(&[mask]);
                self.build(layout, whole, layout.lanes)
            }
        }
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
            self.define(Value::new(index), span);
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
                (Some((offsets, ..)), Some(address)) => {
                    self.store_result(source, address, offsets[index])?;
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

    fn store_result(&mut self, source: Source, address: Operand, offset: u64) -> Result<(), CodegenError> {
        let align = offset.trailing_zeros().min(RESULT_ALIGN_LOG2);
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
                (Some((offsets, ..)), Some(address)) => {
                    let align = offsets[index].trailing_zeros().min(RESULT_ALIGN_LOG2);
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
            self.define(result, span);
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

/// How many values are passed for one.
fn passed_count(layout: Layout, passing: Passing) -> u32 {
    match passing {
        Passing::Parts => layout.count(),
        Passing::Widened(_) | Passing::Promoted(_) => 1,
        Passing::Lanes => layout.lanes,
    }
}
