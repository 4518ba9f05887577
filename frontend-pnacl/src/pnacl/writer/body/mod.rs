//! The instructions of a function, one file for each kind of them, and what is around them.

mod arithmetic;
mod atomics;
mod calls;
mod control;
mod lowered;
mod memory;
mod vectors;

use super::builder::{Builder, Shared, casts, no_form};
use super::error::WriteError;
use super::records::{Ref, Rows, Word};
use super::types::Kind;
use crate::pnacl::codes::function as code;
use frazil_ir::{EntityRef, Function, Inst, InstData, Module, Opcode, Operand, Refusal, Type, Value};

/// The records of a function.
///
/// # Errors
/// If something of it has no form.
pub fn write(module: &Module, function: &Function, shared: &mut Shared) -> Result<Rows, WriteError> {
    let mut builder = Builder::new(module, function, shared);
    begin(&mut builder)?;
    for block in function
        .block_ids()
        .filter(|&block| builder.layout.has_block(block))
        .collect::<Vec<_>>()
    {
        for place in function.block_insts(block) {
            if builder.layout.has_inst(place) {
                let inst = Inst::new(place);
                builder.begin_instruction();
                instruction(&mut builder, function.inst(inst)).map_err(|error| error.at(function, inst))?;
            }
        }
    }
    builder.rows.blocks = builder.layout.count;
    builder.finish()
}

/// Parameters, and what is made at the beginning.
fn begin(builder: &mut Builder<'_>) -> Result<(), WriteError> {
    let signature = builder.function.signature();
    let (result, parameters) = calls::types(builder, signature)?;
    builder.rows.ty = builder.shared.types.function(result, &parameters);
    builder.rows.parameters = parameters.len() as u32;
    for (place, parameter) in signature.params.iter().enumerate() {
        let value = Value::new(place);
        let kind = builder.kind(parameter.ty)?;
        let mut name = Ref::Parameter(place as u32);
        if kind != kind.passed() && builder.function.use_count(value) > 0 {
            name = builder.cast(casts::TRUNC, name, kind);
        }
        builder.define(value, name)?;
    }
    memory::slots(builder)?;
    builder.hoist_constants()
}

/// The result of an instruction with one.
fn define(builder: &mut Builder<'_>, data: &InstData, name: Ref) -> Result<(), WriteError> {
    match data.first_result() {
        Some(value) => builder.define(value, name),
        None => Err(no_form(data.op)),
    }
}

/// The second result of an instruction with two, if anybody uses it.
fn second_result(builder: &Builder<'_>, data: &InstData) -> Option<Value> {
    let value = Value::new(data.first_result()?.index() + 1);
    (builder.function.use_count(value) > 0).then_some(value)
}

/// An operand of the instruction's own type.
fn own(builder: &mut Builder<'_>, data: &InstData, operand: Operand) -> Result<Ref, WriteError> {
    builder.operand(operand, data.ty)
}

fn instruction(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    use Opcode as O;
    match data.op {
        // Hints change nothing.
        O::Nop | O::Prefetch => Ok(()),
        O::Copy => {
            let operand = own(builder, data, data.a)?;
            define(builder, data, operand)
        }
        O::Freeze => freeze(builder, data),
        O::Phi => control::phi(builder, data),
        O::Jump | O::Branch => control::branch(builder, data),
        O::Switch => control::switch(builder, data),
        O::Return => control::ret(builder, data),
        O::Unreachable => {
            builder.effect(code::UNREACHABLE, &[]);
            Ok(())
        }
        O::Select => arithmetic::select(builder, data),
        O::PtrAdd | O::PtrIndex => memory::address(builder, data),
        O::Load | O::Store => memory::access(builder, data),
        O::MemCopy | O::MemMove | O::MemSet => memory::range(builder, data),
        O::StackAlloc | O::StackSave | O::StackRestore => memory::stack(builder, data),
        O::AtomicLoad | O::AtomicStore | O::AtomicRmw | O::Cmpxchg | O::Fence => atomics::write(builder, data),
        O::ExtractElement | O::InsertElement | O::Shuffle => vectors::write(builder, data),
        O::Call => calls::call(builder, data),
        O::Trap => builder.intrinsic("llvm.trap", &[]).map(|_| ()),
        O::ThreadPointer => {
            let pointer = builder.intrinsic_value("llvm.nacl.read.tp", &[])?;
            define(builder, data, pointer)
        }
        op if frazil_ir::typing::is_reduction(op) => vectors::reduce(builder, data),
        op if frazil_ir::typing::is_cast(op) => arithmetic::cast(builder, data),
        op if op.is_icmp() || op.is_fcmp() => arithmetic::compare(builder, data),
        op if crate::operations::number(op).is_some() => arithmetic::binary(builder, data),
        _ => lowered::write(builder, data),
    }
}

/// A value that is the same at each use, which the ABI promises of constants only.
fn freeze(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    use frazil_ir::ConstView;
    let constant = data.a.as_const().map(|id| builder.function.constant(id).1);
    let name = match constant {
        Some(ConstView::Undef | ConstView::Poison) => {
            let kind = builder.kind(data.ty)?;
            match kind {
                Kind::Float | Kind::Double => builder.float(kind, 0),
                Kind::Integer(_) => builder.integer(kind, 0),
                _ => return Err(WriteError::new(Refusal::Vector, "a frozen vector")),
            }
        }
        _ if data.a.as_value().is_none() => own(builder, data, data.a)?,
        _ => {
            let message = "a frozen value; what is undefined may differ from use to use";
            return Err(WriteError::new(Refusal::Instruction, message));
        }
    };
    define(builder, data, name)
}

/// A word that is how far a value is before the next result.
fn relative(name: Ref) -> Word {
    Word::Relative(name)
}

/// The bits of an integer type that is no vector.
fn scalar_bits(kind: Kind, op: Opcode) -> Result<u32, WriteError> {
    kind.bits().ok_or_else(|| match kind {
        Kind::Vector { .. } => WriteError::new(Refusal::Vector, format!("the instruction {} of vectors", op.name())),
        _ => no_form(op),
    })
}

/// The type of an operand, or of the instruction if the operand carries none.
fn type_of(builder: &Builder<'_>, operand: Operand, data: &InstData) -> Type {
    builder.function.operand_type(operand).unwrap_or(data.ty)
}
