//! Sums of which only the total over all lanes is of interest, and in which differences of bytes or products of words
//! are added up.
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
//! over all lanes. It does not matter in which lanes what is added to such a sum stands, and there are operations for
//! the differences of eight bytes at once ([`frazil_ir::Opcode::ByteDifferences`]), and for two products of words
//! ([`frazil_ir::Opcode::WordProducts`]).
//!
//! Source: LLVM's `X86PartialReduction`.

use super::rebuild::Rebuild;
use crate::error::CodegenError;
use frazil_ir::typing::is_reduction;
use frazil_ir::{ConstKind, EntityRef, Format, Function, Inst, InstData, Opcode, Operand, Type, TypeData, Value};

/// What is added up, and by which operation.
#[derive(Clone, Copy)]
struct Terms {
    /// The vectors that the terms are differences or products of.
    operands: [Operand; 2],
    kind: &'static Kind,
}

struct Kind {
    op: Opcode,
    /// The lanes of the operands.
    element: Type,
    /// How many lanes of 32 bits a sum takes.
    sum_lanes: u32,
    /// Lanes of the operands that are added up in a sum.
    group: u32,
    /// Operands with fewer lanes are filled up to as many with zeros, which cost nothing where they are loaded: a whole
    /// register, so that all lanes of the result are known.
    least_lanes: u32,
}

static DIFFERENCES: Kind = Kind {
    op: Opcode::ByteDifferences,
    element: Type::I8,
    sum_lanes: 2,
    group: 8,
    least_lanes: 16,
};

static PRODUCTS: Kind = Kind {
    op: Opcode::WordProducts,
    element: Type::I16,
    sum_lanes: 1,
    group: 2,
    least_lanes: 8,
};

impl Kind {
    /// The sum of scalars, to ask whether a target has it.
    fn of_scalars(&self) -> InstData {
        let ty = if self.sum_lanes == 2 { Type::I64 } else { Type::I32 };
        InstData::new(self.op, ty, 0, Operand::ZERO, Operand::ZERO)
    }
}

/// The fewest terms for which it pays.
const LEAST_TERMS: u32 = 4;

/// What an instruction adds to a sum, if that is differences of bytes or products of words.
fn terms(function: &Function, data: &InstData) -> Option<Terms> {
    if !matches!(data.op, Opcode::Abs | Opcode::Mul)
        || !is_sum_type(function, data.ty)
        || lanes(function, data.ty) < LEAST_TERMS
    {
        return None;
    }
    let of = |operand: Operand, op: Opcode| {
        let data = function.inst(function.def_inst(operand.as_value()?)?);
        (data.op == op).then_some(data)
    };
    let (inner, extension, kind) = match data.op {
        Opcode::Abs => (of(data.a, Opcode::Sub)?, Opcode::Zext, &DIFFERENCES),
        _ => (data, Opcode::Sext, &PRODUCTS),
    };
    let narrow = |operand: Operand| {
        let extended = of(operand, extension)?.a;
        let ty = function.operand_type(extended)?;
        (function.types().scalar(ty) == kind.element).then_some(extended)
    };
    Some(Terms {
        operands: [narrow(inner.a)?, narrow(inner.b)?],
        kind,
    })
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

/// The instructions that are differences of bytes or products of words, which `has_operation` can add up, and are only
/// added to sums whose total alone matters.
pub(super) fn find(function: &Function, has_operation: impl Fn(&InstData) -> bool) -> Vec<Inst> {
    let is_term = |data: &InstData| {
        let result = data.first_result().map(|value| function.use_count(value));
        result == Some(1) && terms(function, data).is_some_and(|terms| has_operation(&terms.kind.of_scalars()))
    };
    let mut found: Vec<Inst> = Vec::new();
    for (index, data) in function.insts().iter().enumerate() {
        if is_term(data) {
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

/// Calls `mark` with what such a term is made of and nothing else needs.
pub(super) fn unneeded(function: &Function, data: &InstData, mark: &mut dyn FnMut(Inst)) {
    let single = |operand: Operand| {
        let value = operand.as_value().filter(|&value| function.use_count(value) == 1)?;
        function.def_inst(value)
    };
    let mut inner = data;
    if data.op == Opcode::Abs {
        let Some(difference) = single(data.a) else { return };
        mark(difference);
        inner = function.inst(difference);
    }
    debug_assert!(inner.op.format() == Format::Binary);
    for operand in [inner.a, inner.b] {
        if let Some(extension) = single(operand) {
            mark(extension);
        }
    }
}

impl Rebuild<'_> {
    /// Puts the sums of differences of bytes or products of words into the first lanes of the result of an instruction,
    /// and zeros into the others.
    pub fn total_of_terms(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let Terms { operands, kind } = terms(self.old, data).expect("it was found before");
        let (left, right) = (self.source(operands[0])?, self.source(operands[1])?);
        let result = data.first_result().expect("it has a result");
        let to = self.layout_of(result);
        let narrow = left.layout;
        let chunk = narrow.chunk.min(narrow.lanes);
        if narrow.is_scalarised() || to.is_scalarised() || !chunk.is_power_of_two() {
            return Err(self.refuse(data));
        }
        let mut pieces = Vec::new();
        for part in 0..narrow.count() {
            let operands = [self.part(left.span, part), self.part(right.span, part)];
            pieces.push(self.sums_of_part(narrow.lanes_of(part), kind, operands)?);
        }
        let piece = chunk.max(kind.least_lanes) / kind.group * kind.sum_lanes;
        let zeros = self.vector(Type::I32, piece)?;
        let zeros = self.plain(ConstKind::Zero, zeros);
        pieces.resize((to.lanes / piece) as usize, zeros);
        let pieces = self.span(&pieces);
        let span = self.build(to, pieces, piece)?;
        self.define(result, span)
    }

    /// The sums of operands with so many lanes. Sums of 64 bits are two lanes, the second of which is zero.
    fn sums_of_part(&mut self, lanes: u32, kind: &Kind, mut operands: [Operand; 2]) -> Result<Operand, CodegenError> {
        let all = lanes.max(kind.least_lanes);
        let sum = self.integer(32 * kind.sum_lanes)?;
        let sums = self.vector(sum, all / kind.group)?;
        for operand in &mut operands {
            if lanes < all {
                let ty = self.vector(kind.element, lanes)?;
                let zeros = self.plain(ConstKind::Zero, ty);
                let of_zeros = |lane: u32| if lane < lanes { lane } else { lanes };
                let indices: Vec<Option<u32>> = (0..all).map(|lane| Some(of_zeros(lane))).collect();
                *operand = self.shuffle(kind.element, *operand, zeros, &indices)?;
            }
            *operand = self.unary(Opcode::Bitcast, sums, *operand);
        }
        let added = self.binary(kind.op, sums, operands[0], operands[1]);
        if kind.sum_lanes == 1 {
            return Ok(added);
        }
        let lanes = self.vector(Type::I32, all / kind.group * kind.sum_lanes)?;
        Ok(self.unary(Opcode::Bitcast, lanes, added))
    }
}
