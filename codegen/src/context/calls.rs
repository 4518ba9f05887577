//! The steps of a call that are the same in both contexts.

use super::Context;
use crate::abi::ArgLayout;
use crate::branch::CallTarget;
use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::frame_info::StackProbes;
use crate::inline_asm::flag;
use crate::isa::Isa;
use crate::lower_ctx::AreaArgument;
use crate::minst::MInst;
use crate::module_view::ModuleView;
use crate::reg::RegClass;
use crate::unit::convention;
use frazil_ir::{
    CallConv, CallFlags, ConstView, Function, InstData, Opcode, Operand, Param, ParamKind, Refusal, RuntimeFunction,
    Signature, Type, Value,
};

/// A call ready to be made.
pub(crate) struct PendingCall<'a> {
    pub signature: &'a Signature,
    pub conv: &'static ConvDesc,
    pub callee: Operand,
    pub args: &'a [Operand],
    /// Arguments that are addresses in the frame; they are no operands.
    pub areas: &'a [AreaArgument],
    /// The results as consecutive values, if any is wanted.
    pub first_result: Option<Value>,
    /// Whether an exception may leave it.
    pub may_unwind: bool,
    /// Whether a mark stands after it, where it may return for a second time, by an indirect branch.
    pub needs_mark: bool,
    /// Whether the address that is called need not be marked, in a module with such marks.
    pub is_unmarked: bool,
}

impl PendingCall<'_> {
    /// The call of an address.
    pub fn inst(&self, isa: &impl Isa, view: ModuleView<'_>, target: CallTarget, layout: &ArgLayout) -> MInst {
        match (target, isa.branch_marks()) {
            (CallTarget::Reg(reg), Some(marks)) if self.is_unmarked => (marks.call_unmarked)(reg),
            (target, _) => {
                let scratch = isa.desc().class(RegClass::Int).scratch;
                isa.call(view, target, layout.callee_register(self.conv).unwrap_or(scratch))
            }
        }
    }
}

/// The call that an instruction makes; none if it is inline assembly.
pub(crate) fn pending_call<'a>(
    cx: &impl Context<'a>,
    data: &InstData,
) -> Result<Option<PendingCall<'a>>, CodegenError> {
    let flags = CallFlags::from_bits_retain(data.flags);
    let function = cx.function();
    let call = function.call(data);
    refuse_call(cx, flags, data)?;
    if flags.contains(CallFlags::INLINE_ASM) {
        return Ok(None);
    }
    let signature = function.sig(call.sig);
    let conv = convention(cx.isa(), signature.call_conv)?;
    if data.op == Opcode::Invoke {
        refuse_invoke(cx, signature, conv)?;
    }
    let marks = cx.base().branch_mark.is_some();
    Ok(Some(PendingCall {
        signature,
        conv,
        callee: call.callee,
        args: call.args,
        areas: &[],
        first_result: data.first_result(),
        may_unwind: !flags.contains(CallFlags::NO_UNWIND) || data.op == Opcode::Invoke,
        needs_mark: marks && flags.contains(CallFlags::RETURNS_TWICE),
        is_unmarked: marks && flags.contains(CallFlags::UNMARKED),
    }))
}

/// Refuses a call whose floats integer registers get, too, on a target that cannot copy them.
#[cold]
pub(crate) fn no_shadows() -> CodegenError {
    CodegenError::unsupported(
        Refusal::CallingConvention,
        "variable arguments that are floats, in a convention whose arguments share positions",
    )
}

/// Has `make` call a runtime function from within a rule.
pub(crate) fn call_runtime<'a, C: Context<'a>>(
    cx: &mut C,
    function: RuntimeFunction,
    args: &[(Operand, Type)],
    areas: &[AreaArgument],
    result: Option<Value>,
    make: impl FnOnce(&mut C, &PendingCall<'_>) -> Result<(), CodegenError>,
) -> Result<(), CodegenError> {
    let signature = runtime_signature(cx.function(), args, result);
    let operands: Vec<Operand> = args.iter().map(|&(operand, _)| operand).collect();
    let call = PendingCall {
        signature: &signature,
        conv: convention(cx.isa(), CallConv::C)?,
        callee: Operand::symbol(function.symbol(cx.module_view().symbol_count())),
        args: &operands,
        areas,
        first_result: result,
        may_unwind: function == RuntimeFunction::UnwindResume,
        needs_mark: false,
        is_unmarked: false,
    };
    make(cx, &call)
}

/// What moves the stack pointer down for arguments: steps of a page, each of which is touched, if the function probes
/// its stack and they have more.
pub(crate) fn argument_steps<I: Isa>(isa: &I, probes: StackProbes, bytes: u32) -> impl Iterator<Item = MInst> {
    let touch = isa.touch_stack().filter(|_| probes.bytes > 0 && bytes >= probes.bytes);
    let pages = if touch.is_some() { bytes / probes.bytes } else { 0 };
    let rest = bytes - pages * probes.bytes;
    let paged = (0..pages).flat_map(move |_| [Some(isa.adjust_stack(-(probes.bytes.cast_signed()))), touch]);
    let last = (rest > 0).then(|| isa.adjust_stack(-rest.cast_signed()));
    paged.flatten().chain(last)
}

/// Refuses invokes that keep more registers than unwinders bring back, and with Swift's error, which
/// nothing unwinds.
#[cold]
fn refuse_invoke<'a>(cx: &impl Context<'a>, signature: &Signature, conv: &ConvDesc) -> Result<(), CodegenError> {
    let standard = convention(cx.isa(), CallConv::C)?;
    let has_error = (signature.params.iter()).any(|param| param.kind == ParamKind::SwiftError);
    let keeps_more = signature.keeps.is_some();
    if has_error || keeps_more || conv.tail_calls || !conv.callee_saved.minus(standard.callee_saved).is_empty() {
        return Err(CodegenError::unsupported(
            Refusal::Exception,
            format!(
                "an invoke in the convention {}, or with a swifterror argument",
                conv.name
            ),
        ));
    }
    Ok(())
}

/// What intrinsics are about that do more than compute: parts of their names, which LLVM gives them systematically. The
/// first that fits counts.
const INTRINSICS: &[(&str, Refusal)] = &[
    ("vscale", Refusal::ScalableVector),
    // Types of operands, as names end with them, `bf16` and `ppcf128` included.
    ("f16", Refusal::ExoticFloat),
    ("f80", Refusal::ExoticFloat),
    ("f128", Refusal::ExoticFloat),
    (".gc.", Refusal::GarbageCollection),
    ("statepoint", Refusal::GarbageCollection),
    ("threadlocal", Refusal::ThreadLocal),
    ("atomic", Refusal::Atomic),
];

/// What an intrinsic that is not compiled is refused for.
#[cold]
fn refusal_of(intrinsic: &str) -> Refusal {
    let about = INTRINSICS.iter().find(|(part, _)| intrinsic.contains(part));
    about.map_or(Refusal::Intrinsic, |(_, refusal)| *refusal)
}

/// Refuses calls that are not compiled.
fn refuse_call<'a>(cx: &impl Context<'a>, flags: CallFlags, data: &InstData) -> Result<(), CodegenError> {
    if flags.contains(CallFlags::INTRINSIC) {
        let module = cx.module_view().module;
        let name = data
            .a
            .as_symbol()
            .map(|symbol| module.display_name(symbol).into_owned())
            .unwrap_or_default();
        return Err(CodegenError::unsupported(
            refusal_of(&name),
            format!("intrinsic {name}"),
        ));
    }
    if flags.contains(CallFlags::BUNDLES) {
        return Err(CodegenError::unsupported(Refusal::OperandBundle, "operand bundles"));
    }
    Ok(())
}

/// Whether an instruction calls inline assembly without text and without outputs: a barrier, for which nothing needs
/// to be emitted, since no memory access is moved here.
pub(crate) fn is_barrier(function: &Function, data: &InstData) -> bool {
    match data.a.as_const().map(|id| function.constant(id).1) {
        Some(ConstView::Asm(asm)) => asm.template.is_empty() && function.result_count(data) == 0,
        _ => false,
    }
}

/// Whether an inline assembly text says that it may unwind, and is more than a barrier. Others do not, also where they
/// are invoked.
pub(crate) fn text_may_unwind(function: &Function, data: &InstData) -> bool {
    match data.a.as_const().map(|id| function.constant(id).1) {
        Some(ConstView::Asm(asm)) => asm.flags & flag::MAY_UNWIND != 0 && !is_barrier(function, data),
        _ => false,
    }
}

/// The signature of a runtime function.
fn runtime_signature(function: &Function, args: &[(Operand, Type)], result: Option<Value>) -> Signature {
    let returns = result.map(|value| Param::plain(function.value(value).ty));
    Signature {
        params: args.iter().map(|&(_, ty)| Param::plain(ty)).collect(),
        returns: returns.into_iter().collect(),
        call_conv: CallConv::C,
        variadic: false,
        fixed_params: args.len() as u32,
        keeps: None,
    }
}
