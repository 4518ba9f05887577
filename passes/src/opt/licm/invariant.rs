//! Which instructions may leave a loop, and what that is worth.

use frazil_ir::pass::TargetFacts;
use frazil_ir::{Effects, Format, Function, InstData, MemFlags, Opcode, Type};

/// What an instruction costs where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Nothing: it becomes a part of its users.
    Free,
    /// One quick instruction.
    Cheap,
    /// More than that.
    High,
}

/// Whether an instruction gives the same whenever its operands and the memory that it reads are the same.
pub fn is_candidate(function: &Function, data: &InstData) -> bool {
    let is_repeatable = match data.op.effects() {
        Effects::Pure | Effects::Trap => !matches!(data.op, Opcode::Phi | Opcode::Nop),
        Effects::Read => !MemFlags(data.flags).is_volatile(),
        _ => false,
    };
    is_repeatable && function.results(data).any(|result| function.use_count(result) > 0)
}

/// Whether an instruction reads memory, or may trap where it was not executed before.
pub fn needs_care(function: &Function, data: &InstData) -> bool {
    match data.op.effects() {
        Effects::Read => true,
        Effects::Trap => !divides_safely(function, data),
        _ => false,
    }
}

/// Whether a division is by a constant with which none traps.
fn divides_safely(function: &Function, data: &InstData) -> bool {
    let is_scalar = function.types().int_bits(data.ty).is_some();
    is_scalar && data.b.as_imm().is_some_and(|divisor| divisor != 0 && divisor != -1)
}

/// What an instruction costs where it is. `is_number`: its result is used for more than addresses of accesses.
pub fn cost(function: &Function, target: &TargetFacts, data: &InstData, is_number: bool) -> Cost {
    use Opcode as O;
    match data.op {
        O::Trunc | O::Freeze | O::Bitcast | O::Ptrtoint | O::Inttoptr | O::Addrspacecast => Cost::Free,
        // A copy of a value; one of a constant makes it.
        O::Copy if data.a.as_value().is_some() => Cost::Free,
        O::PtrAdd if data.b.as_imm().is_some() => Cost::Free,
        O::PtrAdd => address_cost(is_number),
        O::PtrIndex if has_scale(target, data.flags) => address_cost(is_number),
        op if op.is_icmp() || op.is_fcmp() => Cost::Free,
        O::Add | O::Sub | O::And | O::Or | O::Xor | O::Shl | O::Lshr | O::Ashr | O::Zext | O::Sext | O::Copy
            if is_narrow(function, target, data.ty) =>
        {
            Cost::Cheap
        }
        O::Select if data.op.format() == Format::Ternary && is_narrow(function, target, data.ty) => Cost::Cheap,
        _ => Cost::High,
    }
}

fn address_cost(is_number: bool) -> Cost {
    if is_number { Cost::Cheap } else { Cost::Free }
}

fn has_scale(target: &TargetFacts, scale: u16) -> bool {
    scale.is_power_of_two() && u32::from(target.index_scales) >> scale.trailing_zeros() & 1 == 1
}

fn is_narrow(function: &Function, target: &TargetFacts, ty: Type) -> bool {
    let bits = function.types().int_bits(ty);
    ty == Type::PTR || bits.is_some_and(|bits| bits <= target.native_int_bits)
}
