//! Computes the remainder from the quotient where a program asks for both.
//!
//! ```text
//!   v1 = urem i32 v0, 10                 v4 = freeze i32 v0
//!   ...                                  v2 = udiv i32 v4, 10
//!   v2 = udiv i32 v0, 10        ->       v5 = mul i32 v2, 10
//!                                        v1 = sub i32 v4, v5
//! ```
//!
//! So numbers are printed, and hashes split. A division is many times as costly as a multiplication, and by a constant,
//! which is done by a multiplication, it is two instructions less.
//!
//! Method: one walk. Of each block, the divisions and remainders with the same operands are paired. The division goes
//! to where the first of the two was: what makes one of them undefined, makes the other so, too. Operands that may be
//! undefined are frozen, since they count twice then.
//!
//! Costs: a look at each instruction. Gains: a division, or most of one.
//!
//! Source: LLVM's `DivRemPairs`.

use frazil_ir::edit::Editor;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{EntityRef, Function, Inst, InstData, Opcode, Operand, Type};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "division-pairs",
    summary: "computes remainders from quotients where both are asked for",
    level: Level::Function,
    required: false,
    after: &[Order {
        pass: "fold",
        reason: "it makes shifts and masks of divisions by powers of two",
    }],
    before: &[],
};

/// How many divisions of a block wait for a partner at most, so that the search is short.
const MOST_WAITING: usize = 16;

/// Pairs divisions and remainders.
#[derive(Debug)]
pub struct DivisionPairs;

impl FunctionPass for DivisionPairs {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        if !function.insts().iter().any(|data| partner(data.op).is_some()) {
            return Ok(Preserved::unchanged());
        }
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        let mut waiting: Box<Vec<Inst>> = cx.take_scratch();
        let mut pairs = 0;
        for block in function.block_ids() {
            waiting.clear();
            for position in function.block_insts(block) {
                let data = function.insts()[position];
                let Some(partner) = partner(data.op).filter(|_| is_scalar(function, data.ty)) else {
                    continue;
                };
                let inst = Inst::new(position);
                let found = waiting.iter().position(|&other| {
                    let other = function.inst(other);
                    (other.op, other.ty, other.a, other.b) == (partner, data.ty, data.a, data.b)
                });
                match found {
                    Some(index) => {
                        join(function, &mut editor, waiting.swap_remove(index), inst);
                        pairs += 1;
                    }
                    None if waiting.len() < MOST_WAITING => waiting.push(inst),
                    None => {}
                }
            }
        }
        editor.commit(function);
        cx.return_scratch(editor);
        cx.return_scratch(waiting);
        cx.count("pairs", pairs);
        Ok(match pairs {
            0 => Preserved::unchanged(),
            _ => Preserved::cfg(),
        })
    }
}

/// The operation that gives the other result of a division.
fn partner(op: Opcode) -> Option<Opcode> {
    match op {
        Opcode::Udiv => Some(Opcode::Urem),
        Opcode::Urem => Some(Opcode::Udiv),
        Opcode::Sdiv => Some(Opcode::Srem),
        Opcode::Srem => Some(Opcode::Sdiv),
        _ => None,
    }
}

fn is_scalar(function: &Function, ty: Type) -> bool {
    function.types().int_bits(ty).is_some()
}

/// Makes one division of two instructions, in this order.
fn join(f: &mut Function, editor: &mut Editor, first: Inst, second: Inst) {
    let data = *f.inst(first);
    let is_division = |op: Opcode| matches!(op, Opcode::Udiv | Opcode::Sdiv);
    let (division, remainder) = if is_division(data.op) {
        (first, second)
    } else {
        (second, first)
    };
    let op = f.inst(division).op;
    let [dividend, divisor] = [data.a, data.b].map(|operand| match operand.as_value() {
        Some(_) => put(f, editor, first, (Opcode::Freeze, data.ty), [operand, Operand::NONE]),
        None => operand,
    });
    let quotient = put(f, editor, first, (op, data.ty), [dividend, divisor]);
    let product = put(f, editor, remainder, (Opcode::Mul, data.ty), [quotient, divisor]);
    let rest = put(f, editor, remainder, (Opcode::Sub, data.ty), [dividend, product]);
    for (inst, value) in [(division, quotient), (remainder, rest)] {
        let result = f.inst(inst).first_result().expect("a division has a result");
        editor.replace_uses(f, result, value);
        editor.remove(f, inst);
    }
}

/// Puts an operation before an instruction; returns its result.
fn put(f: &mut Function, editor: &mut Editor, at: Inst, (op, ty): (Opcode, Type), [a, b]: [Operand; 2]) -> Operand {
    let value = editor.insert_before(f, at, InstData::new(op, ty, 0, a, b), Some(ty));
    Operand::value(value.expect("it has a result"))
}
