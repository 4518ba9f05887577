//! The types of instructions and operands: what an opcode's own type must be, and what each operand slot takes.
//!
//! One table for three users: the parser gives untyped literals their width by it, the verifier checks by it, and
//! the interpreter reads immediates by it.

use crate::flags::IntFlags;
use crate::function::{Function, InstData};
use crate::opcode::{Format, Opcode, Results};
use crate::types::{Type, TypeData};

/// What an operand slot takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotType {
    Exact(Type),
    /// A pointer in any address space.
    Pointer,
    /// An integer of any width (an index); an immediate counts as 64 bits wide.
    AnyInt,
    /// `i1`, or a vector of it with as many lanes as the instruction's type.
    Condition,
    /// The type of the instruction's first operand.
    LikeFirst,
    /// An operand that carries its own type: never an untyped immediate.
    Carried,
    /// A constant `i32` vector, the mask of a shuffle.
    Mask,
}

impl Opcode {
    /// The type that every instruction of this opcode has in its `ty`, and that the text form leaves out;
    /// `None` where the type differs from instruction to instruction and is written.
    pub fn fixed_type(self) -> Option<Type> {
        use Opcode as O;
        match self {
            O::Branch => Some(Type::I1),
            O::Store | O::AtomicStore | O::MemCopy | O::MemMove | O::MemSet | O::Switch => None,
            O::SpaceStore | O::SpaceCopy | O::SpaceSet => None,
            _ => match self.results() {
                Results::None | Results::Signature | Results::PtrAndI32 => Some(Type::VOID),
                Results::Ptr => Some(Type::PTR),
                Results::Ty | Results::Bool | Results::TyAndBool | Results::Element => None,
            },
        }
    }
}

/// The integer type as wide as a pointer.
pub fn pointer_int(pointer_bits: u32) -> Type {
    Type::primitive_int(pointer_bits).unwrap_or(Type::I64)
}

/// Whether an instruction adds two integers: by `or`, too, if they have no bit in common.
#[inline]
pub fn is_addition(data: &InstData) -> bool {
    data.op == Opcode::Add || data.op == Opcode::Or && data.flags & IntFlags::DISJOINT.bits() != 0
}

/// What operand `slot` of an instruction takes. The slots are counted as [`Function::for_each_operand`] visits
/// them. Slots of calls (their signature says) and of `return` (the function's says) are not in this table.
pub fn slot_type(function: &Function, data: &InstData, slot: usize, pointer_bits: u32) -> SlotType {
    use Opcode as O;
    let own = SlotType::Exact(data.ty);
    match data.op {
        O::Select if slot == 0 => SlotType::Condition,
        O::UaddCarry | O::UsubBorrow if slot == 2 => SlotType::Exact(Type::I1),
        O::Branch => SlotType::Exact(Type::I1),
        O::IsFpclass if slot == 1 => SlotType::Exact(Type::I32),
        O::Scmp | O::Ucmp if slot == 1 => SlotType::LikeFirst,
        O::Scmp | O::Ucmp => SlotType::Carried,
        _ if is_cast(data.op) => SlotType::Carried,
        O::StrictUnary if data.strict_operation().is_some_and(is_cast) => SlotType::Carried,
        O::PtrAdd | O::PtrIndex if slot == 1 => SlotType::Exact(pointer_int(pointer_bits)),
        O::StackAlloc => SlotType::Exact(pointer_int(pointer_bits)),
        O::Load | O::AtomicLoad | O::TlsAddr | O::Prefetch | O::StackRestore => SlotType::Pointer,
        O::VaStart | O::VaCopy | O::EhTypeidFor | O::IndirectJump => SlotType::Pointer,
        O::SjljSetjmp | O::SjljLongjmp => SlotType::Pointer,
        O::Store | O::AtomicStore if slot == 1 => SlotType::Pointer,
        O::AtomicRmw | O::Cmpxchg | O::MemCopy | O::MemMove | O::MemSet if slot == 0 => SlotType::Pointer,
        O::MemCopy | O::MemMove if slot == 1 => SlotType::Pointer,
        O::MemSet if slot == 1 => SlotType::Exact(Type::I8),
        O::SpaceLoad => SlotType::Pointer,
        O::SpaceStore if slot == 1 => SlotType::Pointer,
        O::SpaceRmw | O::SpaceCmpxchg | O::SpaceCopy | O::SpaceSet if slot == 0 => SlotType::Pointer,
        O::SpaceCopy if slot == 1 => SlotType::Pointer,
        O::SpaceSet if slot == 1 => SlotType::Exact(Type::I8),
        O::ExtractElement if slot == 1 => SlotType::AnyInt,
        O::InsertElement if slot == 2 => SlotType::AnyInt,
        O::InsertElement if slot == 1 => SlotType::Exact(function.types.scalar(data.ty)),
        O::Shuffle => [SlotType::Carried, SlotType::LikeFirst, SlotType::Mask][slot.min(2)],
        O::ReduceFadd | O::ReduceFmul if slot == 1 => SlotType::Carried,
        O::ReduceFadd | O::ReduceFmul => own,
        _ if is_reduction(data.op) => SlotType::Carried,
        O::FrameAddress | O::ReturnAddress => SlotType::Exact(Type::I32),
        O::Resume => [SlotType::Pointer, SlotType::Exact(Type::I32)][slot.min(1)],
        _ => own,
    }
}

/// Whether the opcode converts one type to another.
pub fn is_cast(op: Opcode) -> bool {
    (Opcode::Trunc as u8..=Opcode::Addrspacecast as u8).contains(&(op as u8))
}

/// Whether the opcode reduces a vector to a scalar.
pub fn is_reduction(op: Opcode) -> bool {
    (Opcode::ReduceAdd as u8..=Opcode::ReduceFmul as u8).contains(&(op as u8))
}

/// The type of result `index` of an instruction.
pub fn result_type(function: &mut Function, data: &InstData, index: usize) -> Result<Type, crate::types::TooManyTypes> {
    Ok(match (data.op.results(), index) {
        (Results::Bool, _) | (Results::TyAndBool, 1) => return bool_like(function, data.ty),
        (Results::Ptr, _) | (Results::PtrAndI32, 0) => Type::PTR,
        (Results::PtrAndI32, _) => Type::I32,
        (Results::Element, _) => function.types.scalar(data.ty),
        (Results::Signature, _) => {
            let sig = function.call(data).sig;
            function.sig(sig).returns[index].ty
        }
        (Results::None | Results::Ty | Results::TyAndBool, _) => data.ty,
    })
}

/// `i1`, or the vector of it with as many lanes as `ty`.
fn bool_like(function: &mut Function, ty: Type) -> Result<Type, crate::types::TooManyTypes> {
    match function.types.data(ty) {
        TypeData::Vector { lanes, .. } => function.types.intern(TypeData::Vector {
            element: Type::I1,
            lanes,
        }),
        _ => Ok(Type::I1),
    }
}

/// Whether `actual` is the type of result `index` of an instruction.
pub fn is_result_type(function: &Function, data: &InstData, index: usize, actual: Type) -> bool {
    let types = &function.types;
    match (data.op.results(), index) {
        (Results::Bool, _) | (Results::TyAndBool, 1) => match types.data(data.ty) {
            TypeData::Vector { lanes, .. } => {
                types.data(actual)
                    == TypeData::Vector {
                        element: Type::I1,
                        lanes,
                    }
            }
            _ => actual == Type::I1,
        },
        (Results::Ptr, _) | (Results::PtrAndI32, 0) => actual == Type::PTR,
        (Results::PtrAndI32, _) => actual == Type::I32,
        (Results::Element, _) => actual == types.scalar(data.ty),
        (Results::Signature, _) => {
            let returns = &function.sig(function.call(data).sig).returns;
            returns.get(index).is_some_and(|param| param.ty == actual)
        }
        (Results::None | Results::Ty | Results::TyAndBool, _) => actual == data.ty,
    }
}

/// The number of operand slots of an opcode whose count is fixed by its format.
pub fn fixed_operand_count(op: Opcode) -> Option<usize> {
    match op.format() {
        Format::Nullary | Format::Jump | Format::LandingPad => Some(0),
        Format::Unary | Format::Branch | Format::Switch | Format::IndirectJump => Some(1),
        Format::Binary => Some(2),
        Format::Ternary => Some(3),
        Format::List | Format::Phi | Format::Call | Format::Invoke => None,
    }
}
