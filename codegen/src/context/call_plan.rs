//! The order of a call, as a list of steps that both contexts carry out.
//!
//! ```text
//! call i64 @f(ptr byval(24) %m, i64 %x)     ->     reserve the argument area       sub  rsp, 32
//!                                                  copy memory to it               ...
//!                                                  move the arguments              mov  rdi, rbx
//!                                                  call                            call f
//!                                                  release the argument area       add  rsp, 32
//!                                                  take the results                mov  r14, rax
//! ```
//!
//! Method: the layout ([`crate::abi`]) says where everything goes; the plan says what is done when, and has only the
//! steps that this call needs, most calls three. How a step is done is the context's matter: the fast one brings all
//! arguments by one parallel move, on the stack too, the selecting one stores those on the stack before it fills
//! registers.
//!
//! Invariants, for whichever context:
//! * whatever needs a register that is not fixed (addresses, copies of memory, the callee) is found before the first
//!   argument is in its register;
//! * nothing stands between the arguments and the call but what writes fixed or scratch registers;
//! * the stack pointer comes back before results are given places, and after all that the call has left in the
//!   processor's own places (Swift's error, results on the register stack) is out of them.
//!
//! What it leaves out: calls whose instructions linkers know by their sequence, which are
//! [groups](crate::lower_ctx::CallSequence), and saving registers, which each context does in its own way.

use super::calls::PendingCall;
use crate::abi::{ArgLayout, ArgPlace, PartPlace};
use crate::minst::Mem;
use crate::reg::Reg;
use frazil_ir::{Operand, ParamKind};

/// Which memory takes the arguments on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentArea {
    /// What is reserved for the call.
    Outgoing,
    /// That of the function's own arguments, for a call that takes the function's place.
    Incoming,
}

/// An argument that is memory passed by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryArgument {
    pub index: u32,
    /// Its size.
    pub bytes: u32,
    /// Where it goes, in bytes from the start of the argument area.
    pub offset: u32,
}

/// What a context does at one time of a call, in the order of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallStep {
    /// Aligns the stack pointer to so many bytes, for arguments that are aligned more strictly than the frame.
    AlignStack { align: u32 },
    /// Makes room for arguments on the stack.
    ReserveArguments { bytes: u32 },
    /// Makes room in the frame for results that are returned in memory.
    ReserveResults { bytes: u32 },
    /// Copies memory to the outgoing area.
    CopyMemory(MemoryArgument),
    /// Copies memory to the frame, for [`CallStep::PlaceMemory`], unless it is in its place already.
    SaveMemory(MemoryArgument),
    /// Copies all that was saved to the incoming area.
    PlaceMemory,
    /// Finds the address of Swift's error, which is that argument.
    FindError { index: u32 },
    /// Brings the callee's address, if it is no symbol, to where it outlasts the arguments' moves.
    FindCallee,
    /// Stores the arguments on the stack, where the context stores them one by one.
    StoreArguments(ArgumentArea),
    /// Copies floats that integer registers get, too, where the context needs a register for that.
    FindShadows,
    /// Fills the argument registers, by one parallel move; to the incoming area, with the caller's pointer to memory
    /// for results.
    MoveArguments(ArgumentArea),
    /// Fills the integer registers whose positions floats have.
    PassShadows,
    /// Passes the pointer to the memory for results.
    PassResults,
    /// Passes the address of an area in the frame.
    PassArea { place: PartPlace, offset: i32 },
    /// Tells a variadic callee how many float registers are used.
    PassVariadicCount,
    /// Tells a variadic callee what the function was told.
    ForwardVariadic,
    /// Brings Swift's error from its memory.
    LoadError,
    /// The instruction itself.
    Call,
    /// The jump to where the function is left for the callee.
    Leave,
    /// Takes results from the register stack.
    TakeStackResults,
    /// Brings Swift's error back to its memory.
    StoreError,
    /// Puts the stack pointer back to where it was before [`CallStep::AlignStack`].
    RestoreStack,
    /// Takes the arguments that the callee has left off the stack.
    ReleaseArguments { bytes: u32 },
    /// Gives the results their places.
    TakeResults,
}

/// What steps leave for later ones of the same call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallPlaces {
    /// The register of Swift's error, and its memory.
    pub error: Option<(Reg, Mem)>,
    /// The place in the frame that has where the stack was before it was aligned.
    pub old_stack: Option<i32>,
    /// The place in the frame of results that are returned in memory.
    pub results: Option<i32>,
}

/// Memory that waits in the frame for its place in the incoming area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SavedMemory {
    /// Offset in the frame.
    pub from: i32,
    /// Offset in the incoming area.
    pub to: i32,
    pub bytes: u32,
}

/// The steps of a call. Kept from call to call.
#[derive(Debug, Default)]
pub(crate) struct CallPlan {
    /// In order.
    pub steps: Vec<CallStep>,
    /// What [`CallStep::SaveMemory`] has saved.
    pub saved: Vec<SavedMemory>,
}

impl CallPlan {
    /// Plans a call by a function that aligns its frame to so many bytes.
    pub fn plan_call(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, frame_align: u32) {
        self.steps.clear();
        let aligns = layout.stack_align > frame_align;
        let bytes = layout.stack_bytes.next_multiple_of(layout.stack_align.max(frame_align));
        if aligns {
            let align = layout.stack_align;
            self.steps.push(CallStep::AlignStack { align });
        }
        if bytes > 0 {
            self.steps.push(CallStep::ReserveArguments { bytes });
        }
        if layout.returns_in_memory {
            let bytes = layout.return_bytes;
            self.steps.push(CallStep::ReserveResults { bytes });
        }
        if bytes > 0 {
            let memory = memory_arguments(call, layout);
            self.steps.extend(memory.map(CallStep::CopyMemory));
        }
        self.find(call, layout);
        self.pass(call, layout, bytes, ArgumentArea::Outgoing);
        if layout.returns_in_memory {
            self.steps.push(CallStep::PassResults);
        }
        for &(index, area) in call.areas {
            let (place, offset) = (layout.args[index].places[0], area.0);
            self.steps.push(CallStep::PassArea { place, offset });
        }
        if call.signature.variadic && !call.conv.variadic_count.is_none() {
            self.steps.push(CallStep::PassVariadicCount);
        }
        if layout.swift_error.is_some() {
            self.steps.push(CallStep::LoadError);
        }
        self.steps.push(CallStep::Call);
        if !layout.stack_results.is_empty() {
            self.steps.push(CallStep::TakeStackResults);
        }
        if layout.swift_error.is_some() {
            self.steps.push(CallStep::StoreError);
        }
        if aligns {
            self.steps.push(CallStep::RestoreStack);
        } else if bytes > 0 {
            let bytes = bytes - layout.popped_bytes;
            self.steps.push(CallStep::ReleaseArguments { bytes });
        }
        self.steps.push(CallStep::TakeResults);
    }

    /// Plans a call that takes the place of the function. `must` says that it has to, and passes on variable arguments;
    /// `reads_late`, that the context reads arguments only while it moves them, so that their memory stays till then.
    #[cold]
    pub fn plan_tail_call(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, must: bool, reads_late: bool) {
        self.steps.clear();
        self.saved.clear();
        let memory = memory_arguments(call, layout);
        self.steps.extend(memory.map(CallStep::SaveMemory));
        let has_memory = !self.steps.is_empty();
        if has_memory && !reads_late {
            self.steps.push(CallStep::PlaceMemory);
        }
        self.find(call, layout);
        self.pass(call, layout, layout.stack_bytes, ArgumentArea::Incoming);
        if has_memory && reads_late {
            self.steps.push(CallStep::PlaceMemory);
        }
        if call.signature.variadic && must {
            self.steps.push(CallStep::ForwardVariadic);
        } else if call.signature.variadic && !call.conv.variadic_count.is_none() {
            self.steps.push(CallStep::PassVariadicCount);
        }
        if layout.swift_error.is_some() {
            self.steps.push(CallStep::LoadError);
        }
        self.steps.push(CallStep::Leave);
    }

    /// What is found before argument registers are filled.
    #[inline]
    fn find(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        if let Some(index) = layout.swift_error {
            self.steps.push(CallStep::FindError { index });
        }
        if call.callee.as_symbol().is_none() {
            self.steps.push(CallStep::FindCallee);
        }
    }

    /// The arguments, so many bytes of them on the stack.
    #[inline]
    fn pass(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, stack_bytes: u32, area: ArgumentArea) {
        if stack_bytes > 0 {
            self.steps.push(CallStep::StoreArguments(area));
        }
        let has_shadows = call.signature.variadic && layout.shadows(call.conv, call.signature).next().is_some();
        if has_shadows {
            self.steps.push(CallStep::FindShadows);
        }
        self.steps.push(CallStep::MoveArguments(area));
        if has_shadows {
            self.steps.push(CallStep::PassShadows);
        }
    }
}

/// The arguments that [`CallStep::StoreArguments`] and [`CallStep::MoveArguments`] bring: all but memory passed by
/// value, Swift's error and addresses of areas, which have steps of their own.
#[inline]
pub(crate) fn moved_arguments<'l>(
    call: &'l PendingCall<'_>,
    layout: &'l ArgLayout,
) -> impl DoubleEndedIterator<Item = (Operand, &'l ArgPlace)> {
    let args = call.args.iter().zip(&layout.args).zip(&call.signature.params);
    args.filter_map(|((&operand, place), param)| {
        let has_own_step = matches!(param.kind, ParamKind::ByVal { .. } | ParamKind::SwiftError) || operand.is_none();
        (!has_own_step).then_some((operand, place))
    })
}

/// The arguments that are memory passed by value.
fn memory_arguments<'l>(call: &'l PendingCall<'_>, layout: &'l ArgLayout) -> impl Iterator<Item = MemoryArgument> + 'l {
    let params = (0..).zip(call.signature.params.iter().zip(&layout.args));
    params.filter_map(|(index, (param, place))| match (param.kind, place.places[0]) {
        (ParamKind::ByVal { size: bytes, .. }, PartPlace::Stack(offset)) => {
            Some(MemoryArgument { index, bytes, offset })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{ConvDesc, SpecialArgs};
    use crate::parts::Parts;
    use crate::reg::PRegSet;
    use frazil_ir::{CallConv, EntityRef, Param, Signature, SymbolId, Type, Value};

    /// Two integer registers; a callee is told how many float registers are used.
    static CONV: ConvDesc = ConvDesc {
        name: "test",
        int_args: &[Reg(1), Reg(2)],
        float_args: &[],
        int_returns: &[Reg(0)],
        float_returns: &[],
        narrow_returns: &[],
        vector_returns: &[],
        stack_returned: &[],
        stack_returns: &[],
        memory_args: &[],
        callee_saved: PRegSet::EMPTY,
        kept_by_calls: PRegSet::EMPTY,
        stack_slot_bytes: 8,
        stack_align: 16,
        indirect_callee: Reg(3),
        special: SpecialArgs::NONE,
        passes_memory: true,
        callee_pops: false,
        vector_args: &[],
        stack_scalar_align: 16,
        aligns_words: false,
        narrow_arg: Reg::NONE,
        pops_result_pointer: false,
        pushed_address_bytes: 0,
        narrowest_bytes: 1,
        shares_positions: false,
        shadow_bytes: 0,
        returns_struct_pointer: false,
        is_plain: false,
        preserves_wide_vectors: false,
        keeps_pairs: false,
        pairs_begin_even: false,
        extends_bool: false,
        short_vector_bytes: 0,
        only_in_reg: false,
        short_memory_bytes: 0,
        result_align: 16,
        tail_calls: false,
        stacks_struct_pointer: false,
        variadic_count: Reg(4),
    };

    fn plan(params: &[Param], change: impl FnOnce(&mut Signature, &mut PendingCall<'_>), tail: bool) -> Vec<CallStep> {
        let mut signature = Signature {
            params: params.to_vec(),
            returns: vec![Param::plain(Type::I64)],
            call_conv: CallConv::C,
            variadic: false,
            fixed_params: params.len() as u32,
            keeps: None,
        };
        let args: Vec<_> = (0..params.len())
            .map(|index| Operand::value(Value::new(index)))
            .collect();
        let empty = signature.clone();
        let mut call = PendingCall {
            signature: &empty,
            conv: &CONV,
            callee: Operand::symbol(SymbolId::new(0)),
            args: &args,
            areas: &[],
            first_result: None,
            may_unwind: false,
            needs_mark: false,
            is_unmarked: false,
        };
        change(&mut signature, &mut call);
        let call = PendingCall {
            signature: &signature,
            ..call
        };
        let parts = Parts {
            count: 1,
            float: false,
            bytes: 8,
        };
        let mut layout = ArgLayout::default();
        let types = frazil_ir::TypeTable::default();
        (layout.compute(&signature, &CONV, 16, &types, |_| parts)).expect("the convention has all of it");
        let mut plan = CallPlan::default();
        if tail {
            plan.plan_tail_call(&call, &layout, true, true);
        } else {
            plan.plan_call(&call, &layout, 16);
        }
        plan.steps
    }

    fn integers(count: usize) -> Vec<Param> {
        vec![Param::plain(Type::I64); count]
    }

    fn memory(size: u32, align_log2: u8) -> Param {
        Param {
            kind: ParamKind::ByVal { size, align_log2 },
            ..Param::plain(Type::PTR)
        }
    }

    #[test]
    fn most_calls_have_three_steps() {
        use CallStep::*;
        let plain = [MoveArguments(ArgumentArea::Outgoing), Call, TakeResults];
        assert_eq!(plan(&integers(2), |_, _| {}, false), plain);
    }

    #[test]
    fn what_is_on_the_stack_is_reserved_first_and_released_before_results() {
        use CallStep::*;
        let params = [integers(3), vec![memory(24, 3)]].concat();
        let (index, bytes, offset) = (3, 24, 8);
        let all = [
            ReserveArguments { bytes: 32 },
            CopyMemory(MemoryArgument { index, bytes, offset }),
            FindCallee,
            StoreArguments(ArgumentArea::Outgoing),
            MoveArguments(ArgumentArea::Outgoing),
            PassVariadicCount,
            Call,
            ReleaseArguments { bytes: 32 },
            TakeResults,
        ];
        let change = |signature: &mut Signature, call: &mut PendingCall<'_>| {
            signature.variadic = true;
            call.callee = Operand::value(Value::new(0));
        };
        assert_eq!(plan(&params, change, false), all);
    }

    #[test]
    fn a_stack_that_is_aligned_for_a_call_is_put_back_instead() {
        use CallStep::*;
        let (index, bytes, offset) = (0, 32, 0);
        let all = [
            AlignStack { align: 32 },
            ReserveArguments { bytes: 32 },
            CopyMemory(MemoryArgument { index, bytes, offset }),
            StoreArguments(ArgumentArea::Outgoing),
            MoveArguments(ArgumentArea::Outgoing),
            Call,
            RestoreStack,
            TakeResults,
        ];
        assert_eq!(plan(&[memory(32, 5)], |_, _| {}, false), all);
    }

    #[test]
    fn memory_waits_in_the_frame_for_the_functions_own_area() {
        use CallStep::*;
        let (index, bytes, offset) = (0, 24, 0);
        let all = [
            SaveMemory(MemoryArgument { index, bytes, offset }),
            StoreArguments(ArgumentArea::Incoming),
            MoveArguments(ArgumentArea::Incoming),
            PlaceMemory,
            Leave,
        ];
        assert_eq!(plan(&[memory(24, 3)], |_, _| {}, true), all);
    }
}
