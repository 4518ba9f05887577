//! Windows: runs of instructions of a block, as functions of their own.
//!
//! What a window reads from outside become parameters, what is used after it is returned. Stack slots become
//! parameters, too, so that they are any memory. All else (constants, signatures, types) is that of the function.

use frazil_ir::verify::verify_function;
use frazil_ir::{
    Block, EntityRef, Function, InstData, Module, Opcode, Operand, Param, Signature, Type, Value, ValueKind,
};
use frazil_support::FxHashMap;
use std::ops::Range;

/// Returned values, at most; more are left out.
const MOST_RETURNS: usize = 12;

/// The function that instructions of a block make, if the verifier accepts it: `range` are positions of instructions
/// that are neither phis nor terminators.
pub fn straight(module: &Module, function: &Function, range: Range<usize>) -> Option<Function> {
    let mut numbers: FxHashMap<Value, Value> = FxHashMap::default();
    let inside = |value: Value| {
        let data = function.value(value);
        data.kind == ValueKind::Inst && range.contains(&(data.def as usize))
    };
    let mut inputs: Vec<Value> = Vec::new();
    for data in &function.insts()[range.clone()] {
        if data.op == Opcode::Phi || data.op.is_terminator() || data.op == Opcode::LandingPad {
            return None;
        }
        function.for_each_operand(data, |operand| {
            if let Some(value) = operand.as_value()
                && !inside(value)
                && !inputs.contains(&value)
            {
                inputs.push(value);
            }
        });
    }
    let mut new = function.empty_with_tables();
    let mut signature = Signature::default();
    for &input in &inputs {
        let ty = function.value(input).ty;
        numbers.insert(input, new.push_param(ty));
        signature.params.push(Param::plain(ty));
    }
    signature.fixed_params = inputs.len() as u32;
    new.begin_block();
    let mut is_used_inside: FxHashMap<Value, u32> = FxHashMap::default();
    let mut results: Vec<Value> = Vec::new();
    for position in range {
        let data = function.insts()[position];
        function.for_each_operand(&data, |operand| {
            if let Some(value) = operand.as_value() {
                *is_used_inside.entry(value).or_default() += 1;
            }
        });
        copy_inst(&mut new, function, data, &mut numbers);
        results.extend(function.results(&data));
    }
    let is_returned = |value: &Value| {
        let inside = is_used_inside.get(value).copied().unwrap_or(0);
        function.use_count(*value) > inside
    };
    let returned: Vec<Value> = results.into_iter().filter(is_returned).take(MOST_RETURNS).collect();
    let operands: Vec<Operand> = returned.iter().map(|value| Operand::value(numbers[value])).collect();
    let types = returned.iter().map(|&value| function.value(value).ty);
    signature.returns.extend(types.map(Param::plain));
    new.set_signature(signature);
    // Passes make room in the pool, but not for a list without operands.
    let start = if operands.is_empty() {
        0
    } else {
        new.push_pool(&operands)
    };
    let count = Operand::raw(operands.len() as u32);
    let end = InstData::new(Opcode::Return, Type::VOID, 0, count, Operand::raw(start));
    new.push_inst(end);
    finish(module, new)
}

/// Copies an instruction with its operands' new numbers.
fn copy_inst(new: &mut Function, function: &Function, data: InstData, numbers: &mut FxHashMap<Value, Value>) {
    let copy = new.copy_mapped(data, function.pooled(&data), |operand| match operand.as_value() {
        Some(value) => Operand::value(numbers[&value]),
        None => operand,
    });
    let results: Vec<Value> = function.results(&data).collect();
    let types: Vec<Type> = results.iter().map(|&value| function.value(value).ty).collect();
    if results.is_empty() {
        new.push_inst(copy);
    } else if let Some(first) = new.push_inst_results(copy, &types) {
        for (index, result) in results.into_iter().enumerate() {
            numbers.insert(result, Value::new(first.index() + index));
        }
    }
}

/// The function with its graph, if the verifier accepts it.
fn finish(module: &Module, mut new: Function) -> Option<Function> {
    debug_assert_eq!(new.block_ids().next(), Some(Block::new(0)));
    new.compute_cfg();
    verify_function(module, &new).is_ok().then_some(new)
}
