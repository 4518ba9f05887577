//! Windows: runs of instructions of a block, as functions of their own.
//!
//! What a window reads from outside become parameters, what is used after it is returned. Stack slots become
//! parameters, too, so that they are any memory. All else (constants, signatures, types) is that of the function.

use frazil_ir::function::for_each_operand_mut;
use frazil_ir::verify::verify_function;
use frazil_ir::{
    Block, BlockData, EntityRef, Function, InstData, Module, Opcode, Operand, Param, Type, Value, ValueKind,
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
    for data in &function.insts[range.clone()] {
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
    let mut new = Function::new();
    new.symbol = function.symbol;
    new.types = function.types.clone();
    new.sigs.clone_from(&function.sigs);
    new.consts.clone_from(&function.consts);
    new.const_words.clone_from(&function.const_words);
    new.asms.clone_from(&function.asms);
    new.pool.clone_from(&function.pool);
    for &input in &inputs {
        let ty = function.value(input).ty;
        numbers.insert(input, new.push_param(ty));
        new.signature.params.push(Param::plain(ty));
    }
    new.signature.fixed_params = inputs.len() as u32;
    new.begin_block();
    let mut is_used_inside: FxHashMap<Value, u32> = FxHashMap::default();
    let mut results: Vec<Value> = Vec::new();
    for position in range {
        let data = function.insts[position];
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
    for value in &returned {
        new.signature.returns.push(Param::plain(function.value(*value).ty));
    }
    // Passes make room in the pool, but not for a list without operands.
    let start = if operands.is_empty() {
        0
    } else {
        new.push_pool(&operands)
    };
    let count = Operand::raw(operands.len() as u32);
    let end = InstData::new(Opcode::Return, Type::VOID, 0, count, Operand::raw(start));
    new.push_inst(end);
    new.blocks[0] = BlockData {
        start: 0,
        end: new.insts.len() as u32,
    };
    finish(module, new)
}

/// Copies an instruction with its operands' new numbers.
fn copy_inst(new: &mut Function, function: &Function, data: InstData, numbers: &mut FxHashMap<Value, Value>) {
    let mut copy = own_operands(new, function, data);
    for_each_operand_mut(&mut new.pool, &mut copy, |operand| {
        if let Some(value) = operand.as_value() {
            *operand = Operand::value(numbers[&value]);
        }
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

/// The instruction with operands in the pool that are its own.
fn own_operands(new: &mut Function, function: &Function, data: InstData) -> InstData {
    use frazil_ir::Format;
    let start = data.b.as_raw() as usize;
    let length = match data.op.format() {
        Format::Ternary => 2,
        Format::List | Format::Phi => data.a.as_raw() as usize,
        Format::Call => 2 + function.pool[start].as_raw() as usize,
        Format::Invoke => 4 + function.pool[start].as_raw() as usize,
        _ => return data,
    };
    let words: Vec<Operand> = function.pool[start..start + length].to_vec();
    let start = new.push_pool(&words);
    InstData {
        b: Operand::raw(start),
        ..data
    }
}

/// The function with its graph, if the verifier accepts it.
fn finish(module: &Module, mut new: Function) -> Option<Function> {
    debug_assert_eq!(new.block_ids().next(), Some(Block::new(0)));
    new.compute_cfg();
    verify_function(module, &new).is_ok().then_some(new)
}
