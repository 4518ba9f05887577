//! Makes one operation of sums and differences of three: two numbers, and the carry of other digits.
//!
//! ```text
//!   v3 = icmp_ult i64 v0, v1
//!   v4 = sub i64 v0, v1
//!   v5 = zext i64 v2                     v8, v7 = usub_borrow i64 v0, v1, v2
//!   v6 = icmp_ult i64 v4, v5      ->
//!   v7 = or i1 v3, v6
//!   v8 = sub i64 v4, v5
//! ```
//!
//! So long numbers are added and subtracted, digit by digit: processors have an instruction for that, which takes the
//! carry from a flag and leaves the next one there. The operations with an overflow bit, which Rust and the builtin
//! functions of C use, are recognised in the places of comparisons.
//!
//! Method: one walk. Each `or` of two bits (or `xor`, or `add`: they are never both set) is asked whether these say
//! that two steps wrapped, of which the second one begins with the result of the first and has a carry for its other
//! operand: an extended bit, or what loops make of such bits. What is not needed any more, `dce` removes.
//!
//! Costs: a look at each instruction. Gains: half of the instructions of such a digit, and a shorter chain.
//!
//! What it does not do: chains in which a digit has no carry, the lowest ones: they are what they were.

use frazil_ir::edit::Editor;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{Block, EntityRef, Function, Inst, InstData, Opcode, Operand, Type, Value, ValueKind};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "carry-chains",
    summary: "adds and subtracts digits of long numbers with carries",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[Order {
        pass: "dce",
        reason: "it removes what the steps were made of",
    }],
};

/// How far from the comparison that says whether the second step wraps the step itself may be.
const MOST_DISTANCE: usize = 16;

/// How many values a carry may go through before an extended bit.
const DEPTH: u32 = 3;

/// Makes digits with carries.
#[derive(Debug)]
pub struct CarryChains;

impl FunctionPass for CarryChains {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        if !function.insts().iter().any(is_candidate) {
            return Ok(Preserved::unchanged());
        }
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        let mut digits = 0;
        for block in function.block_ids() {
            for position in function.block_insts(block) {
                if !is_candidate(&function.insts()[position]) {
                    continue;
                }
                if let Some(digit) = Digit::find(function, block, Inst::new(position)) {
                    digit.make(function, &mut editor);
                    digits += 1;
                }
            }
        }
        editor.commit(function);
        cx.return_scratch(editor);
        cx.count("digits", digits);
        Ok(match digits {
            0 => Preserved::unchanged(),
            _ => Preserved::cfg(),
        })
    }
}

fn is_candidate(data: &InstData) -> bool {
    data.ty == Type::I1 && matches!(data.op, Opcode::Or | Opcode::Xor | Opcode::Add)
}

/// A step that wraps if a bit says so.
#[derive(Clone, Copy, Debug)]
struct Step {
    is_sum: bool,
    left: Operand,
    right: Operand,
    /// The sum or difference, if the bit is computed from it or beside it.
    result: Option<Value>,
}

/// The steps that a bit may speak of: that which the instruction computes, or those which a comparison belongs to.
fn steps(function: &Function, bit: Operand) -> impl Iterator<Item = Step> {
    let value = bit.as_value();
    let inst = value.and_then(|value| function.def_inst(value));
    let data = inst.map(|inst| *function.inst(inst));
    let is_second = value.is_some_and(|value| function.value(value).result_index == 1);
    let mut found = [None; 2];
    match data {
        Some(data) if is_second && matches!(data.op, Opcode::UaddOverflow | Opcode::UsubOverflow) => {
            found[0] = Some(Step {
                is_sum: data.op == Opcode::UaddOverflow,
                left: data.a,
                right: data.b,
                result: data.first_result(),
            });
        }
        Some(data) if matches!(data.op, Opcode::IcmpUlt | Opcode::IcmpUgt) => {
            let (less, than) = match data.op {
                Opcode::IcmpUlt => (data.a, data.b),
                _ => (data.b, data.a),
            };
            found[0] = Some(Step {
                is_sum: false,
                left: less,
                right: than,
                result: None,
            });
            // A sum that is less than one of its operands.
            if let Some((sum, data)) = definition(function, less).filter(|(_, data)| data.op == Opcode::Add) {
                let step = |left, right| Step {
                    is_sum: true,
                    left,
                    right,
                    result: Some(sum),
                };
                found[1] = (data.a == than || data.b == than).then_some(step(data.a, data.b));
            }
        }
        _ => {}
    }
    found.into_iter().flatten()
}

/// The value that an operand is, with the instruction that defines it.
fn definition(function: &Function, operand: Operand) -> Option<(Value, InstData)> {
    let value = operand.as_value()?;
    Some((value, *function.inst(function.def_inst(value)?)))
}

/// A sum or difference of three that was found.
#[derive(Debug)]
struct Digit {
    is_sum: bool,
    ty: Type,
    left: Operand,
    right: Operand,
    carry: Operand,
    /// The bits put together, and the value of the second step, with what defines them.
    bit: (Value, Inst),
    result: (Value, Inst),
    /// The first of these two, and of what says whether the second step wraps.
    at: Inst,
}

impl Digit {
    fn find(function: &Function, block: Block, inst: Inst) -> Option<Digit> {
        let data = *function.inst(inst);
        [(data.a, data.b), (data.b, data.a)]
            .into_iter()
            .find_map(|(first, second)| Digit::of_bits(function, block, inst, first, second))
    }

    /// The digit of which `first` and `second` say whether the two steps wrap.
    fn of_bits(function: &Function, block: Block, inst: Inst, first: Operand, second: Operand) -> Option<Digit> {
        let own = function.block_insts(block);
        let place = |value: Value| function.def_inst(value).filter(|inst| own.contains(&inst.index()));
        let is_only_use = |operand: Operand| operand.as_value().is_some_and(|value| function.use_count(value) == 1);
        let says_second = place(second.as_value()?)?;
        place(first.as_value()?)?;
        if first == second || !is_only_use(first) || !is_only_use(second) {
            return None;
        }
        for then in steps(function, second) {
            let ty = function.operand_type(then.left)?;
            // Either operand of a sum may be the carry.
            let sides = [(then.left, then.right), (then.right, then.left)];
            for (partial, carry) in sides.into_iter().take(if then.is_sum { 2 } else { 1 }) {
                let Some((left, right)) = first_step(function, first, partial, then.is_sum) else {
                    continue;
                };
                let is_carry = carry.as_value().is_some() && is_truth(function, carry, DEPTH);
                if !matches!(ty, Type::I32 | Type::I64) || !is_carry {
                    continue;
                }
                let result = then
                    .result
                    .or_else(|| difference_near(function, &own, says_second, partial, carry))?;
                let defined = place(result)?;
                return Some(Digit {
                    is_sum: then.is_sum,
                    ty,
                    left,
                    right,
                    carry,
                    bit: (function.inst(inst).first_result()?, inst),
                    result: (result, defined),
                    at: if defined < says_second { defined } else { says_second },
                });
            }
        }
        None
    }

    fn make(&self, function: &mut Function, editor: &mut Editor) {
        let carry = match definition(function, self.carry) {
            Some((_, data)) if data.op == Opcode::Zext => data.a,
            _ => {
                let cut = InstData::new(Opcode::Trunc, Type::I1, 0, self.carry, Operand::NONE);
                let bit = editor.insert_before(function, self.at, cut, Some(Type::I1));
                Operand::value(bit.expect("it has a result"))
            }
        };
        let result = function.declare_value(self.ty);
        let wraps = function.declare_value(Type::I1);
        let rest = function.push_pool(&[self.right, carry]);
        let op = if self.is_sum {
            Opcode::UaddCarry
        } else {
            Opcode::UsubBorrow
        };
        let data = InstData {
            result: result.as_u32(),
            ..InstData::new(op, self.ty, 0, self.left, Operand::raw(rest))
        };
        editor.insert_before_into(function, self.at, data);
        editor.replace_uses(function, self.bit.0, Operand::value(wraps));
        editor.remove(function, self.bit.1);
        editor.replace_uses(function, self.result.0, Operand::value(result));
        // The bit beside the result has lost its only use.
        editor.remove(function, self.result.1);
    }
}

/// The operands of the first step, if a bit says whether that wraps and its result is `partial`, which serves nothing
/// but the second step.
fn first_step(function: &Function, bit: Operand, partial: Operand, is_sum: bool) -> Option<(Operand, Operand)> {
    let (value, data) = definition(function, partial)?;
    let is_result = |step: &Step| match step.result {
        Some(result) => result == value,
        None => !step.is_sum && data.op == Opcode::Sub && (data.a, data.b) == (step.left, step.right),
    };
    let step = steps(function, bit).find(|step| step.is_sum == is_sum && is_result(step))?;
    let serves_others = function.use_count(value) > if is_sum { 3 } else { 2 };
    (!serves_others).then_some((step.left, step.right))
}

/// The difference of two operands in a block, near an instruction.
fn difference_near(
    function: &Function,
    own: &std::ops::Range<usize>,
    near: Inst,
    left: Operand,
    right: Operand,
) -> Option<Value> {
    let start = near.index().saturating_sub(MOST_DISTANCE).max(own.start);
    let end = (near.index() + MOST_DISTANCE).min(own.end);
    let insts = &function.insts()[start..end];
    let found = insts
        .iter()
        .find(|data| data.op == Opcode::Sub && (data.a, data.b) == (left, right))?;
    found.first_result()
}

/// Whether a number is zero or one: an extended bit, or what a loop makes of such.
fn is_truth(function: &Function, operand: Operand, depth: u32) -> bool {
    if let Some(number) = operand.as_imm() {
        return matches!(number, 0 | 1);
    }
    let Some(value) = operand.as_value().filter(|_| depth > 0) else {
        return false;
    };
    if function.value(value).kind != ValueKind::Inst {
        return false;
    }
    let Some((_, data)) = definition(function, operand) else {
        return false;
    };
    match data.op {
        Opcode::Zext => function.operand_type(data.a) == Some(Type::I1),
        Opcode::Phi => {
            let operands = function.list(&data);
            operands
                .iter()
                .all(|&other| other == operand || is_truth(function, other, depth - 1))
        }
        _ => false,
    }
}
