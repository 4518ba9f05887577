//! Argument and result locations, from the tables of a calling convention.
//!
//! One algorithm for all targets: the parts of values are assigned to registers of their class in order, and the rest
//! goes to stack slots. First-class aggregates have been split by the reader, and front ends have decided which C
//! types are passed in memory.

mod dealer;

use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::parts::Parts;
use crate::reg::{PRegSet, Reg};
use crate::vectors::VectorShape;
use dealer::Dealer;
use frazil_ir::{Extension, Param, ParamKind, Refusal, RegisterSet, Signature, Type, TypeData, TypeTable};

/// Where one part of an argument or result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartPlace {
    Reg(Reg),
    /// On the stack, this many bytes from the start of the argument area.
    Stack(u32),
}

/// One argument's places and how it is passed.
#[derive(Clone, Copy, Debug)]
pub struct ArgPlace {
    /// Places of its parts; the first `count` count. A `byval` argument has the stack offset of its copy.
    pub places: [PartPlace; 4],
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

impl Default for PartPlace {
    fn default() -> PartPlace {
        PartPlace::Reg(Reg::NONE)
    }
}

/// The places of all arguments of a signature.
#[derive(Debug, Default)]
pub struct ArgLayout {
    /// In the order of the parameters.
    pub args: Vec<ArgPlace>,
    /// Size of the argument area on the stack.
    pub stack_bytes: u32,
    /// Its alignment in bytes: the convention's, or that of memory in it which is stricter.
    pub stack_align: u32,
    /// How much of it the callee takes off the stack.
    pub popped_bytes: u32,
    /// Number of integer argument registers taken by the fixed parameters.
    pub int_used: u8,
    /// Number of float argument registers taken by the fixed parameters.
    pub float_used: u8,
    /// Number of float argument registers taken by all.
    pub float_used_all: u8,
    /// Registers that the callee preserves.
    pub preserved: PRegSet,
    /// Those of them that nothing of a call writes.
    pub kept: PRegSet,
    /// Which argument is Swift's error, whose register comes back changed.
    pub swift_error: Option<u32>,
    /// Whether an argument has the register that the callee's address has in indirect calls.
    pub takes_callee_register: bool,
    /// Whether results are returned in memory, whose address is a hidden first argument.
    pub returns_in_memory: bool,
    /// Where that address is then.
    pub result_pointer: PartPlace,
    /// Places of the results, when they are in registers; parts beside.
    pub returns: Vec<ArgPlace>,
    /// Size of the memory for results, when they are in memory.
    pub return_bytes: u32,
    /// What stands for results on the register stack; see [`ConvDesc::stack_returns`].
    pub stack_results: StackResults,
}

/// Results on the register stack, from its top on: the registers that stand for them, and their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackResults {
    places: [(Reg, u8); 2],
    count: u8,
}

impl Default for StackResults {
    fn default() -> StackResults {
        StackResults {
            places: [(Reg::NONE, 0); 2],
            count: 0,
        }
    }
}

impl StackResults {
    fn push(&mut self, reg: Reg, bytes: u8) {
        self.places[usize::from(self.count)] = (reg, bytes);
        self.count += 1;
    }

    /// Each register, and the bytes of the result that it stands for.
    pub fn as_slice(&self) -> &[(Reg, u8)] {
        &self.places[..usize::from(self.count)]
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The set of the registers that stand for results.
    pub fn registers(&self) -> PRegSet {
        let mut set = PRegSet::EMPTY;
        self.as_slice().iter().for_each(|&(reg, _)| set.insert(reg));
        set
    }
}

/// Larger argument areas are refused, so that displacements in a function's incoming one are told from those in its
/// frame ([`crate::mfunc::INCOMING`]) and do not overflow.
const MAX_ARGUMENT_BYTES: u32 = 1 << 29;

impl ArgLayout {
    /// Computes the places for a signature. `stack_align` is what callers align the stack to; `parts_of` says how a
    /// type is spread over registers.
    ///
    /// # Errors
    /// A parameter that the convention cannot pass, by name.
    pub fn compute(
        &mut self,
        signature: &Signature,
        conv: &ConvDesc,
        stack_align: u32,
        types: &TypeTable,
        parts_of: impl Fn(Type) -> Parts,
    ) -> Result<(), CodegenError> {
        self.args.clear();
        (self.preserved, self.kept) = (conv.callee_saved, conv.kept_by_calls);
        (self.swift_error, self.takes_callee_register) = (None, false);
        self.place_returns(signature, conv, types, &parts_of)?;
        let mut dealer = Dealer {
            conv,
            // The registers are as if other arguments had them.
            int_next: if conv.only_in_reg && signature.variadic {
                conv.int_args.len()
            } else {
                0
            },
            float_next: 0,
            vector_next: if signature.variadic { conv.vector_args.len() } else { 0 },
            stacks_integers: false,
            continues_words: false,
            narrow: conv.narrow_arg,
            claimed: Reg::NONE,
            stack_bytes: conv.shadow_bytes,
            stack_align,
            packed_elements: 0,
            keeps_wide_in_memory: signature.variadic,
        };
        if self.returns_in_memory {
            if conv.returns_struct_pointer {
                self.preserved.remove(conv.int_returns[0]);
            }
            self.result_pointer = dealer.result_pointer();
        }
        (self.int_used, self.float_used) = (dealer.int_next as u8, 0);
        for (index, param) in signature.params.iter().enumerate() {
            dealer.stacks_integers = std::mem::take(&mut dealer.continues_words)
                || conv.only_in_reg && !param.in_reg
                || conv.stacks_struct_pointer && param.kind == ParamKind::StructReturn;
            let arg = match place_plain(&mut dealer, param, &parts_of) {
                Some(arg) => arg,
                None => self.place_other(&mut dealer, param, types, &parts_of)?,
            };
            self.takes_callee_register |=
                conv.only_in_reg && arg.places.contains(&PartPlace::Reg(conv.indirect_callee));
            self.args.push(arg);
            if index < signature.fixed_params as usize {
                (self.int_used, self.float_used) = (dealer.int_next as u8, dealer.float_next as u8);
            }
        }
        if conv.int_args.get(dealer.int_next.wrapping_sub(1)) == Some(&Reg::NONE) {
            return Err(refuse(conv, Refusal::CallingConvention, "so many arguments"));
        }
        if dealer.stack_bytes > MAX_ARGUMENT_BYTES {
            return Err(CodegenError::TooLarge {
                what: "the memory for arguments (at most 512 MiB)".to_owned(),
            });
        }
        self.float_used_all = dealer.float_next as u8;
        (self.stack_bytes, self.popped_bytes) = (dealer.stack_bytes, 0);
        self.stack_align = dealer.stack_align;
        if conv.callee_pops {
            self.pop(conv, signature, stack_align)?;
        } else if conv.pops_result_pointer {
            self.pop_result_pointer(conv, signature);
        }
        Ok(())
    }

    /// Adds registers that the callee keeps although its convention does not ask for it (contract 23). What the call
    /// itself writes is not what it has before: registers of arguments, and that of an address that is called. Where
    /// wide vectors are computed, calls make float registers forget what is above [`crate::TargetDesc::vector_bytes`]
    /// ([`crate::Isa::forget_wide`]), so that those are not kept.
    #[cold]
    pub(crate) fn keep_more(&mut self, conv: &ConvDesc, RegisterSet([first, second]): RegisterSet, has_wide: bool) {
        let mut kept = PRegSet::from_banks(first, if has_wide { 0 } else { second });
        self.preserved = self.preserved.union(kept);
        for arg in &self.args {
            for place in &arg.places[..usize::from(arg.parts.count)] {
                if let PartPlace::Reg(reg) = *place {
                    kept.remove(reg);
                }
            }
        }
        kept.remove(conv.indirect_callee);
        self.kept = self.kept.union(kept);
    }

    /// The place of a parameter that is more than one plain register.
    fn place_other(
        &mut self,
        dealer: &mut Dealer<'_>,
        param: &Param,
        types: &TypeTable,
        parts_of: &impl Fn(Type) -> Parts,
    ) -> Result<ArgPlace, CodegenError> {
        let conv = dealer.conv;
        if param.array > 0 {
            let parts = known(conv, parts_of(param.ty), types, param.ty)?;
            dealer.begin_array(param, on_stack(conv, parts, types, param.ty), types)?;
        }
        if param.is_split && conv.keeps_pairs && conv.pairs_begin_even {
            dealer.begin_words();
        } else if param.is_split && conv.aligns_words && param.ty == Type::I64 {
            dealer.align_words();
        }
        match param.kind {
            ParamKind::Normal => place_param(dealer, param, types, parts_of),
            _ => self.place_special(dealer, param, types, parts_of),
        }
    }

    /// A callee that takes nothing but the address of the memory for its results off the stack.
    #[cold]
    fn pop_result_pointer(&mut self, conv: &ConvDesc, signature: &Signature) {
        let first = signature.params.first().zip(self.args.first());
        let is_on_stack = match first {
            _ if self.returns_in_memory => matches!(self.result_pointer, PartPlace::Stack(_)),
            Some((param, place)) => {
                param.kind == ParamKind::StructReturn && matches!(place.places[0], PartPlace::Stack(_))
            }
            None => false,
        };
        if is_on_stack {
            self.popped_bytes = conv.stack_slot_bytes;
        }
    }

    /// The argument area of a callee that takes it off the stack: with the return address, it keeps the stack aligned
    /// if functions with other areas may take the callee's place.
    #[cold]
    fn pop(&mut self, conv: &ConvDesc, signature: &Signature, stack_align: u32) -> Result<(), CodegenError> {
        if signature.variadic {
            return Err(refuse(conv, Refusal::CallingConvention, "variable arguments"));
        }
        if conv.tail_calls {
            let address = conv.pushed_address_bytes;
            self.stack_bytes = (self.stack_bytes + address).next_multiple_of(stack_align) - address;
        }
        self.popped_bytes = self.stack_bytes;
        // A return can pop as much as 16 bits tell.
        if self.popped_bytes > u32::from(u16::MAX) {
            return Err(refuse(conv, Refusal::CallingConvention, "so many arguments"));
        }
        Ok(())
    }

    /// In a call with variable arguments whose arguments of both kinds share positions: each that is in a float
    /// register (its number), that register, and the integer register of its position, which has the same.
    pub fn shadows<'l>(
        &'l self,
        conv: &'l ConvDesc,
        signature: &Signature,
    ) -> impl Iterator<Item = (usize, Reg, Reg)> + use<'l> {
        let args = match conv.shares_positions && signature.variadic {
            true => &*self.args,
            false => &[],
        };
        args.iter().enumerate().filter_map(move |(index, arg)| {
            let PartPlace::Reg(reg) = arg.places[0] else {
                return None;
            };
            let position = conv.float_args.iter().position(|&float| float == reg)?;
            Some((index, reg, *conv.int_args.get(position)?))
        })
    }

    /// The register for the callee's address in an indirect call, unless an argument has taken it.
    #[inline]
    pub fn callee_register(&self, conv: &ConvDesc) -> Option<Reg> {
        (!self.takes_callee_register).then_some(conv.indirect_callee)
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
        self.stack_results = StackResults::default();
        let (mut ints, mut floats) = (conv.int_returns.iter(), 0..);
        let mut offset = 0u32;
        for param in &signature.returns {
            let parts = known(conv, parts_of(param.ty), types, param.ty)?;
            let mut places = [PartPlace::Stack(0); 4];
            offset = offset.next_multiple_of(u32::from(parts.bytes).max(4));
            for index in 0..parts.count {
                let reg = match (parts.float, parts.is_scalar()) {
                    // These are those of vectors where floats have registers only if the signature says so.
                    (true, true) if param.in_reg && !conv.vector_args.is_empty() => {
                        floats.next().and_then(|index| conv.narrow_returns.get(index))
                    }
                    (true, _) if conv.stack_returned.contains(&param.ty) => {
                        self.next_stack_result(conv, (param.ty, parts.bytes), types)?
                    }
                    (false, _) => ints.next(),
                    (true, false) if matches!(types.data(param.ty), TypeData::Vector { .. }) => {
                        floats.next().and_then(|index: usize| conv.vector_returns.get(index))
                    }
                    (true, true) if parts.bytes < 4 => floats.next().and_then(|index| conv.narrow_returns.get(index)),
                    (true, _) => match floats.next().and_then(|index| conv.float_returns.get(index)) {
                        None if matches!(param.ty, Type::F32 | Type::F64) && !conv.stack_returned.is_empty() => {
                            self.next_stack_result(conv, (param.ty, parts.bytes), types)?
                        }
                        reg => reg,
                    },
                };
                self.returns_in_memory |= reg.is_none();
                reg.iter().for_each(|&&reg| self.preserved.remove(reg));
                let stack = PartPlace::Stack(offset + parts.offset(index) as u32);
                places[usize::from(index)] = reg.map_or(stack, |&reg| PartPlace::Reg(reg));
            }
            self.returns.push(ArgPlace {
                places,
                parts,
                extend: extension(param, types, conv),
            });
            offset += parts.slot_bytes();
        }
        if self.returns_in_memory {
            self.preserved = conv.callee_saved;
            self.stack_results = StackResults::default();
            if self
                .returns
                .iter()
                .any(|result| !result.parts.is_scalar() || result.parts.float)
            {
                self.refuse_short_floats(signature, conv, types)?;
            }
            self.spread_returns_over_memory(signature, conv, types);
        }
        Ok(())
    }

    /// Results in memory that take less of it than what is stored of a register.
    #[cold]
    fn refuse_short_floats(
        &self,
        signature: &Signature,
        conv: &ConvDesc,
        types: &TypeTable,
    ) -> Result<(), CodegenError> {
        let mut results = signature.returns.iter().zip(&self.returns);
        let short = results.find(|(param, place)| {
            let shape = VectorShape::of(types, param.ty, place.parts.bytes);
            shape.is_some_and(|shape| shape.memory_bytes() <= 8)
                || place.parts.float && place.parts.bytes < 4
                || conv.short_memory_bytes > 0 && conv.memory_args.contains(&param.ty)
        });
        match short {
            Some((param, _)) => Err(CodegenError::unsupported(
                Refusal::of_type(types, param.ty),
                format!("{} among results in memory", type_name(types, param.ty)),
            )),
            None => Ok(()),
        }
    }

    /// The register that stands for the next result on the register stack, if that has room.
    #[cold]
    fn next_stack_result(
        &mut self,
        conv: &ConvDesc,
        (ty, bytes): (Type, u8),
        types: &TypeTable,
    ) -> Result<Option<&'static Reg>, CodegenError> {
        let count = usize::from(self.stack_results.count);
        if conv.stack_returns.is_empty() {
            let what = format!("a result of type {}", type_name(types, ty));
            return Err(refuse(conv, Refusal::ExoticFloat, &what));
        }
        let next = conv.stack_returns.get(count);
        if let Some(&reg) = next {
            self.stack_results.push(reg, bytes);
        }
        Ok(next)
    }

    /// The places of a parameter that is not passed like others.
    #[cold]
    fn place_special(
        &mut self,
        dealer: &mut Dealer<'_>,
        param: &Param,
        types: &TypeTable,
        parts_of: &impl Fn(Type) -> Parts,
    ) -> Result<ArgPlace, CodegenError> {
        let conv = dealer.conv;
        let reg = match param.kind {
            ParamKind::StructReturn => {
                if conv.returns_struct_pointer {
                    self.preserved.remove(conv.int_returns[0]);
                }
                if conv.special.struct_return.is_none() {
                    return place_param(dealer, param, types, parts_of);
                }
                conv.special.struct_return
            }
            ParamKind::ByVal { size, align_log2 } => {
                return place_memory(
                    dealer,
                    size,
                    align_log2,
                    known(dealer.conv, parts_of(param.ty), types, param.ty)?,
                );
            }
            ParamKind::Nest => conv.special.nest,
            ParamKind::SwiftSelf => conv.special.swift_self,
            ParamKind::SwiftError => {
                self.swift_error = Some(self.args.len() as u32);
                if !conv.special.swift_error.is_none() {
                    self.preserved.remove(conv.special.swift_error);
                }
                conv.special.swift_error
            }
            ParamKind::SwiftAsync => conv.special.swift_async,
            other => {
                return Err(refuse(
                    conv,
                    Refusal::CallingConvention,
                    &format!("a parameter of kind {other:?}"),
                ));
            }
        };
        if reg.is_none() {
            return Err(refuse(
                conv,
                Refusal::CallingConvention,
                &format!("a parameter of kind {:?}", param.kind),
            ));
        }
        if !dealer.claim(reg) {
            dealer.stacks_integers = true;
            return place_param(dealer, param, types, parts_of);
        }
        self.kept.remove(reg);
        self.takes_callee_register |= reg == conv.indirect_callee;
        Ok(ArgPlace {
            places: [PartPlace::Reg(reg); 4],
            parts: known(dealer.conv, parts_of(param.ty), types, param.ty)?,
            extend: (0, false),
        })
    }

    /// All results to memory, in the layout of a struct of them. Who reads an integer from memory relies on zeros above
    /// its width.
    fn spread_returns_over_memory(&mut self, signature: &Signature, conv: &ConvDesc, types: &TypeTable) {
        let mut offset = 0u32;
        for (result, param) in self.returns.iter_mut().zip(&signature.returns) {
            let bits = types.int_bits(param.ty).filter(|bits| !bits.is_multiple_of(8));
            result.extend = (bits.unwrap_or(0), false);
            let bytes = u32::from(result.parts.count) * u32::from(result.parts.bytes);
            let most = match types.data(param.ty) {
                TypeData::Vector { .. } => u32::MAX,
                _ => conv.result_align,
            };
            offset = offset.next_multiple_of(bytes.next_power_of_two().min(most));
            for index in 0..result.parts.count {
                result.places[usize::from(index)] = PartPlace::Stack(offset + u32::from(index * result.parts.bytes));
            }
            offset += bytes;
        }
        self.return_bytes = offset;
    }
}

/// The place of what most parameters are: a value that fills a register that is left, and is not extended. `None` for
/// all others.
#[inline]
fn place_plain(dealer: &mut Dealer<'_>, param: &Param, parts_of: &impl Fn(Type) -> Parts) -> Option<ArgPlace> {
    /// No convention refuses or extends integers of so many bytes.
    const PLAIN_BYTES: u8 = 4;
    let parts = parts_of(param.ty);
    let is_plain = matches!(param.kind, ParamKind::Normal)
        && param.extension == Extension::None
        && param.array == 0
        && !param.is_split;
    if !is_plain || parts.count != 1 || !parts.is_scalar() || parts.bytes < PLAIN_BYTES {
        return None;
    }
    let reg = dealer.register(parts.float)?;
    Some(ArgPlace {
        places: [PartPlace::Reg(reg); 4],
        parts,
        extend: (0, false),
    })
}

fn place_param(
    dealer: &mut Dealer<'_>,
    param: &Param,
    types: &TypeTable,
    parts_of: &impl Fn(Type) -> Parts,
) -> Result<ArgPlace, CodegenError> {
    let parts = known(dealer.conv, parts_of(param.ty), types, param.ty)?;
    let extend = extension(param, types, dealer.conv);
    if parts.count > 1 && dealer.conv.shares_positions {
        return Err(refuse(
            dealer.conv,
            Refusal::CallingConvention,
            "an argument of several registers",
        ));
    }
    if !parts.is_scalar() {
        if dealer.conv.shares_positions {
            let what = format!("an argument of type {}", type_name(types, param.ty));
            let refusal = match Refusal::of_type(types, param.ty) {
                Refusal::ExoticFloat => Refusal::ExoticFloat,
                _ => Refusal::CallingConvention,
            };
            return Err(refuse(dealer.conv, refusal, &what));
        }
        if dealer.conv.memory_args.contains(&param.ty) {
            if dealer.conv.short_memory_bytes > 0 {
                let what = format!("an argument of type {}", type_name(types, param.ty));
                return Err(refuse(dealer.conv, Refusal::ExoticFloat, &what));
            }
            let bytes = parts.slot_bytes();
            let place = PartPlace::Stack(dealer.stack(bytes, bytes));
            dealer.stack_align = dealer.stack_align.max(bytes);
            return Ok(ArgPlace {
                places: [place; 4],
                parts,
                extend,
            });
        }
    }
    if parts.float
        && parts.is_scalar()
        && param.in_reg
        && let Some(reg) = dealer.vector_register()
    {
        return Ok(ArgPlace {
            places: [PartPlace::Reg(reg); 4],
            parts,
            extend,
        });
    }
    if parts.bytes < dealer.conv.narrowest_bytes {
        return Err(refuse(
            dealer.conv,
            Refusal::CallingConvention,
            "an integer argument of less than 32 bits",
        ));
    }
    if !parts.float
        && !param.is_split
        && let Some(reg) = dealer.narrow_register(parts.bytes)
    {
        return Ok(ArgPlace {
            places: [PartPlace::Reg(reg); 4],
            parts,
            extend,
        });
    }
    let short = on_stack(dealer.conv, parts, types, param.ty);
    let is_vector = !parts.is_scalar() && matches!(types.data(param.ty), TypeData::Vector { .. });
    let places = dealer.deal(short, param.ty, is_vector);
    let is_short = short != parts && matches!(places[0], PartPlace::Stack(_));
    let parts = if is_short { short } else { parts };
    Ok(ArgPlace { places, parts, extend })
}

/// The strictest alignment of arguments on the stack: a page.
const MAX_ALIGN: u32 = 4096;

/// The place of memory that is passed by value.
fn place_memory(dealer: &mut Dealer<'_>, size: u32, align_log2: u8, parts: Parts) -> Result<ArgPlace, CodegenError> {
    if !dealer.conv.passes_memory {
        return Err(refuse(dealer.conv, Refusal::CallingConvention, "a byval parameter"));
    }
    if dealer.conv.stacks_struct_pointer && dealer.int_next == 0 {
        // LLVM passes its address.
        let what = "a byval parameter before an integer";
        return Err(refuse(dealer.conv, Refusal::CallingConvention, what));
    }
    let align = (1u32 << align_log2.min(30)).max(dealer.conv.stack_slot_bytes);
    dealer.stack_align = dealer.stack_align.max(align);
    if align > MAX_ALIGN {
        return Err(CodegenError::unsupported(
            Refusal::CallingConvention,
            format!("a byval parameter aligned to {align} bytes"),
        ));
    }
    Ok(ArgPlace {
        places: [PartPlace::Stack(dealer.stack(size, align)); 4],
        parts,
        extend: (0, false),
    })
}

fn refuse(conv: &ConvDesc, refusal: Refusal, what: &str) -> CodegenError {
    CodegenError::unsupported(refusal, format!("{what} in the convention {}", conv.name))
}

/// The parts of a type that has registers, and that the convention passes.
#[inline]
fn known(conv: &ConvDesc, parts: Parts, types: &TypeTable, ty: Type) -> Result<Parts, CodegenError> {
    if parts.count == 0 {
        return Err(unsupported_type(types, ty));
    }
    if !parts.is_scalar() {
        check_vector(conv, parts, types, ty)?;
    }
    Ok(parts)
}

/// Refuses a vector that the convention has no place for.
fn check_vector(conv: &ConvDesc, parts: Parts, types: &TypeTable, ty: Type) -> Result<(), CodegenError> {
    let is_vector = matches!(types.data(ty), TypeData::Vector { .. });
    if is_vector && on_stack(conv, parts, types, ty) == parts {
        refuse_odd_vector(types, ty, parts.bytes)?;
    }
    Ok(())
}

/// The parts of a type as they are on the stack, where a short vector takes no more than its bytes.
#[inline]
fn on_stack(conv: &ConvDesc, parts: Parts, types: &TypeTable, ty: Type) -> Parts {
    match conv.short_vector_bytes == 0 || parts.is_scalar() {
        true => parts,
        false => short_on_stack(conv.short_vector_bytes, parts, types, ty),
    }
}

fn short_on_stack(bytes: u8, parts: Parts, types: &TypeTable, ty: Type) -> Parts {
    let shape = VectorShape::of(types, ty, parts.bytes);
    match shape.filter(|shape| !shape.is_mask && shape.memory_bytes() == u32::from(bytes)) {
        Some(_) => Parts { bytes, ..parts },
        None => parts,
    }
}

/// Vectors that LLVM passes otherwise than in one vector register with lanes as in memory.
#[cold]
fn refuse_odd_vector(types: &TypeTable, ty: Type, register_bytes: u8) -> Result<(), CodegenError> {
    let is_passed_whole = VectorShape::of(types, ty, register_bytes).is_some_and(|shape| {
        let has_usual_lanes = shape.lanes.is_power_of_two() || shape.lanes == 3 && shape.lane_bits == 32;
        shape.lanes > 1 && !shape.is_mask && has_usual_lanes
    });
    if is_passed_whole {
        return Ok(());
    }
    Err(CodegenError::unsupported(
        Refusal::of_type(types, ty),
        format!("{} in a signature", type_name(types, ty)),
    ))
}

/// The refusal of a type.
pub fn unsupported_type(types: &TypeTable, ty: Type) -> CodegenError {
    let name = type_name(types, ty);
    CodegenError::unsupported(
        Refusal::of_type(types, ty),
        match types.data(ty) {
            TypeData::Vector { .. } => format!("illegal vector type {name}"),
            _ => format!("type {name}"),
        },
    )
}

/// A type as LLVM writes it, as far as it can be refused.
pub(crate) fn type_name(types: &TypeTable, ty: Type) -> String {
    match types.data(ty) {
        TypeData::Int(bits) => format!("i{bits}"),
        TypeData::Vector { element, lanes } => format!("<{lanes} x {}>", type_name(types, element)),
        TypeData::F16 => "half".to_owned(),
        TypeData::BF16 => "bfloat".to_owned(),
        TypeData::F32 => "float".to_owned(),
        TypeData::F64 => "double".to_owned(),
        TypeData::X86F80 => "x86_fp80".to_owned(),
        TypeData::F128 => "fp128".to_owned(),
        TypeData::Ptr(0) => "ptr".to_owned(),
        TypeData::Ptr(space) => format!("ptr addrspace({space})"),
        TypeData::Void => "void".to_owned(),
    }
}

#[inline]
fn extension(param: &Param, types: &TypeTable, conv: &ConvDesc) -> (u32, bool) {
    let is_bool = conv.extends_bool && param.ty == Type::I1;
    if param.extension == Extension::None && !is_bool {
        return (0, false);
    }
    let bits = types.int_bits(param.ty).unwrap_or(0);
    (bits, bits != 0 && param.extension == Extension::Sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extensions(bits: u32, count: u8, bytes: u8) -> Vec<(u32, bool)> {
        let place = ArgPlace {
            places: [PartPlace::Stack(0); 4],
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
