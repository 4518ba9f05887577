//! Sums of which only the total over all lanes is of interest, and in which differences of bytes are added up.
//!
//! ```text
//! v1 = phi <8 x i32> [.., v5]
//! v4 = abs <8 x i32> (sub (zext <8 x i8> a), (zext b))      ->      v4 = the sum of all differences, and zeros
//! v5 = add <8 x i32> v1, v4
//! ..
//! v9 = reduce_add i32 v5
//! ```
//!
//! Method: a set of sums and phis is narrowed down to those whose every use is in the set or as the operand of a sum
//! over all lanes. It does not matter in which lanes what is added to such a sum stands, and there is an operation for
//! the differences of eight bytes at once ([`frazil_ir::Opcode::ByteDifferences`]).
//!
//! Source: LLVM's `matchSADPattern` and `combineBasicSADPattern`.

use super::layout::Layout;
use super::rebuild::Rebuild;
use crate::error::CodegenError;
use frazil_ir::typing::is_reduction;
use frazil_ir::{ConstKind, EntityRef, Format, Function, Inst, InstData, Opcode, Operand, Type, TypeData, Value};

/// Bytes whose differences are added up at once.
const GROUP: u32 = 8;
/// Fewer bytes are filled up with zeros, which cost nothing where they are loaded, to two groups: then all lanes of the
/// result are known.
const LEAST_BYTES: u32 = 16;

/// The operands of the difference of bytes that an instruction is, if it is one.
fn differences(function: &Function, data: &InstData) -> Option<[Operand; 2]> {
    let of = |operand: Operand, op: Opcode| {
        let data = function.inst(function.def_inst(operand.as_value()?)?);
        (data.op == op).then_some(data)
    };
    let types = function.types();
    if data.op != Opcode::Abs || !is_sum_type(function, data.ty) {
        return None;
    }
    let difference = of(data.a, Opcode::Sub)?;
    let bytes = |operand: Operand| {
        let extension = of(operand, Opcode::Zext)?;
        let ty = function.operand_type(extension.a)?;
        (types.scalar(ty) == Type::I8).then_some(extension.a)
    };
    let operands = [bytes(difference.a)?, bytes(difference.b)?];
    (lanes(function, data.ty) >= GROUP / 2).then_some(operands)
}

fn lanes(function: &Function, ty: Type) -> u32 {
    match function.types().data(ty) {
        TypeData::Vector { lanes, .. } if lanes.is_power_of_two() => lanes,
        _ => 0,
    }
}

fn is_sum_type(function: &Function, ty: Type) -> bool {
    function.types().scalar(ty) == Type::I32 && lanes(function, ty) > 0
}

/// The instructions that are differences of bytes and are only added to sums whose total alone matters.
pub(super) fn find(function: &Function) -> Vec<Inst> {
    let is_difference = |data: &InstData| {
        let result = data.first_result().map(|value| function.use_count(value));
        result == Some(1) && differences(function, data).is_some()
    };
    let mut found: Vec<Inst> = Vec::new();
    for (index, data) in function.insts().iter().enumerate() {
        if is_difference(data) {
            found.push(Inst::new(index));
        }
    }
    if found.is_empty() {
        return found;
    }
    let is_total = totals(function);
    // Their users are sums that are totals.
    let mut is_added = vec![false; function.values().len()];
    for data in function.insts() {
        if data.op == Opcode::Add && data.first_result().is_some_and(|value| is_total[value.index()]) {
            for operand in [data.a, data.b] {
                if let Some(value) = operand.as_value() {
                    is_added[value.index()] = true;
                }
            }
        }
    }
    found.retain(|&inst| {
        function
            .inst(inst)
            .first_result()
            .is_some_and(|value| is_added[value.index()])
    });
    found
}

/// By value, whether it is a sum of which only the total matters.
fn totals(function: &Function) -> Vec<bool> {
    let is_candidate = |data: &InstData| matches!(data.op, Opcode::Add | Opcode::Phi) && is_sum_type(function, data.ty);
    let mut is_total = vec![false; function.values().len()];
    for data in function.insts() {
        if let Some(value) = data.first_result().filter(|_| is_candidate(data)) {
            is_total[value.index()] = true;
        }
    }
    let mut inner_uses = vec![0u32; function.values().len()];
    for data in function.insts() {
        let is_inner = is_reduction(data.op) && data.op == Opcode::ReduceAdd || is_candidate(data);
        if is_inner {
            function.for_each_operand(data, |operand| count(&mut inner_uses, operand, 1));
        }
    }
    let mut removed: Vec<Value> = Vec::new();
    for (index, is_total) in is_total.iter_mut().enumerate() {
        if *is_total && inner_uses[index] != function.use_count(Value::new(index)) {
            *is_total = false;
            removed.push(Value::new(index));
        }
    }
    while let Some(value) = removed.pop() {
        let Some(inst) = function.def_inst(value) else { continue };
        function.for_each_operand(function.inst(inst), |operand| {
            let Some(used) = operand.as_value() else { return };
            inner_uses[used.index()] -= 1;
            if is_total[used.index()] {
                is_total[used.index()] = false;
                removed.push(used);
            }
        });
    }
    is_total
}

fn count(uses: &mut [u32], operand: Operand, by: u32) {
    if let Some(value) = operand.as_value() {
        uses[value.index()] += by;
    }
}

/// Calls `mark` with what such a difference is made of and nothing else needs.
pub(super) fn unneeded(function: &Function, data: &InstData, mark: &mut dyn FnMut(Inst)) {
    let single = |operand: Operand| {
        let value = operand.as_value().filter(|&value| function.use_count(value) == 1)?;
        function.def_inst(value)
    };
    let Some(difference) = single(data.a) else { return };
    mark(difference);
    let difference = function.inst(difference);
    debug_assert!(difference.op.format() == Format::Binary);
    for operand in [difference.a, difference.b] {
        if let Some(extension) = single(operand) {
            mark(extension);
        }
    }
}

impl Rebuild<'_> {
    /// Puts the sums of differences of bytes into the first lanes of the result of an instruction, and zeros into the
    /// others.
    pub fn total_of_differences(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let operands = differences(self.old, data).expect("it was found before");
        let (left, right) = (self.source(operands[0])?, self.source(operands[1])?);
        let result = data.first_result().expect("it has a result");
        let to = self.layout_of(result);
        let bytes = left.layout;
        let chunk = bytes.chunk.min(bytes.lanes);
        if bytes.is_scalarised() || to.is_scalarised() || !chunk.is_power_of_two() {
            return Err(self.refuse(data));
        }
        // Sums of 64 bits are two lanes, the second of which is zero.
        let mut pieces = Vec::new();
        for part in 0..bytes.count() {
            let operands = [self.part(left.span, part), self.part(right.span, part)];
            pieces.push(self.differences_of_part(bytes, part, operands)?);
        }
        let piece = chunk.max(LEAST_BYTES) / 4;
        let zeros = self.vector(Type::I32, piece)?;
        let zeros = self.plain(ConstKind::Zero, zeros);
        pieces.resize((to.lanes / piece) as usize, zeros);
        let pieces = self.span(&pieces);
        let span = self.build(to, pieces, piece)?;
        self.define(result, span)
    }

    fn differences_of_part(
        &mut self,
        bytes: Layout,
        part: u32,
        operands: [Operand; 2],
    ) -> Result<Operand, CodegenError> {
        let lanes = bytes.lanes_of(part);
        let all = lanes.max(LEAST_BYTES);
        let sum = self.integer(64)?;
        let sums = self.vector(sum, all / GROUP)?;
        let mut as_sums = [Operand::NONE; 2];
        for (sum, operand) in as_sums.iter_mut().zip(operands) {
            let mut operand = operand;
            if lanes < all {
                let ty = self.vector(Type::I8, lanes)?;
                let zeros = self.plain(ConstKind::Zero, ty);
                let of_zeros = |lane: u32| if lane < lanes { lane } else { lanes };
                let indices: Vec<Option<u32>> = (0..all).map(|lane| Some(of_zeros(lane))).collect();
                operand = self.shuffle(Type::I8, operand, zeros, &indices)?;
            }
            *sum = self.unary(Opcode::Bitcast, sums, operand);
        }
        let added = self.binary(Opcode::ByteDifferences, sums, as_sums[0], as_sums[1]);
        let lanes = self.vector(Type::I32, all / 4)?;
        Ok(self.unary(Opcode::Bitcast, lanes, added))
    }
}
