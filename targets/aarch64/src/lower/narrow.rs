//! What lies above an integer of fewer bits than its register: nothing is promised of that (contract 1), but most
//! instructions leave zeros there, so that an extension with zeros need not be done.
//!
//! An instruction on the lower half of a register clears the upper one, and so do loads, copies and reloads of four
//! bytes or less. Results of casts to fewer bits and parameters have anything there.

use super::operand::joins;
use frazil_ir::{EntityRef, Function, InstData, Opcode, Operand, Type, Value};

/// How many values with two operands of the same width are followed.
const MOST_STEPS: u32 = 2;
/// Bits of the half of a register that instructions write alone.
const HALF_BITS: u32 = 32;

/// Whether the rule of what computes an operand of at most 32 bits leaves zeros above its width.
pub fn clears_above(function: &Function, operand: Operand, is_folded: &impl Fn(Operand) -> bool) -> bool {
    clears(function, operand, is_folded, MOST_STEPS)
}

fn clears(function: &Function, operand: Operand, is_folded: &impl Fn(Operand) -> bool, steps: u32) -> bool {
    let Some(value) = operand.as_value() else { return false };
    let bits = function.types().int_bits(function.value(value).ty);
    let Some(bits) = bits.filter(|&bits| bits <= HALF_BITS) else {
        return false;
    };
    let Some(inst) = function.def_inst(value) else {
        return false;
    };
    let data = function.inst(inst);
    if data.result as usize != value.index() || is_folded(operand) {
        return false;
    }
    by_itself(function, data, bits)
        || joins(data, is_folded)
        || steps > 0
            && by_operands(function, (value, data, bits), |operand| {
                let is_small = |imm: i64| imm >= 0 || bits == HALF_BITS;
                match operand.as_imm() {
                    Some(imm) => is_small(imm),
                    None => clears(function, operand, is_folded, steps - 1),
                }
            })
}

/// Whether an instruction clears what is above its result, whatever its operands are.
fn by_itself(function: &Function, data: &InstData, bits: u32) -> bool {
    use Opcode as O;
    let is_half = bits == HALF_BITS;
    match data.op {
        op if op.is_icmp() || op.is_fcmp() => true,
        // A slot may be a register, which has what was stored there.
        O::Load => bits.is_multiple_of(8) && data.a.as_value().is_none_or(|value| function.slot_of(value).is_none()),
        O::Zext | O::Lshr | O::Udiv | O::Urem | O::Umin | O::Umax | O::Ctpop | O::Ctlz | O::Cttz | O::Bswap => true,
        O::Add | O::Sub | O::Mul | O::And | O::Or | O::Xor | O::Shl | O::Ashr if is_half => true,
        O::Sdiv | O::Srem | O::Smin | O::Smax | O::Abs | O::Sext | O::Fptosi | O::Fptoui if is_half => true,
        O::And => [data.a, data.b]
            .iter()
            .any(|operand| operand.as_imm().is_some_and(|imm| imm >= 0)),
        O::Select => is_half && data.a.as_imm().is_none(),
        O::Bitcast => function.operand_type(data.a) == Some(Type::F32),
        _ => false,
    }
}

/// Whether an instruction does if its operands are of this kind.
fn by_operands(
    function: &Function,
    (value, data, bits): (Value, &InstData, u32),
    is_cleared: impl Fn(Operand) -> bool,
) -> bool {
    use Opcode as O;
    // All ones are one bit, which is turned alone.
    let is_one_turned = data.op == O::Xor && bits == 1 && data.b.as_imm().is_some();
    match data.op {
        O::And => is_cleared(data.a) || is_cleared(data.b),
        O::Xor if is_one_turned => is_cleared(data.a),
        O::Or | O::Xor => is_cleared(data.a) && is_cleared(data.b),
        O::Select => {
            let (then, otherwise) = function.ternary(data);
            data.a.as_imm().is_none() && is_cleared(then) && is_cleared(otherwise)
        }
        O::Phi => {
            let is_itself = |operand: Operand| operand.as_value() == Some(value);
            let operands = function.list(data);
            operands
                .iter()
                .all(|&operand| is_itself(operand) || is_cleared(operand))
        }
        _ => false,
    }
}
