//! Truncations of what can be computed in the narrow lanes: sums that saturate, and upper halves of products.
//!
//! ```text
//! trunc(umin(zext a + zext b, 255))       ->   uadd_sat(a, b)
//! trunc(umax(zext a - zext b, 0))         ->   usub_sat(a, b)
//! trunc((sext a * sext b) >> 16)          ->   smul_high(a, b)
//! ```
//!
//! Method: from a truncation one goes back to what is extended, to constants, and to one of these forms, over
//! operations whose low bits depend on low bits alone: sums, products, logic and selects. If there is a form among
//! them, all of it is done in narrow lanes; without one, LLVM has decided to compute in wide lanes. Operations on the
//! way must have no other use. What nothing needs then is left out ([`Narrow::unneeded`]).
//!
//! Sums that are halved are in [`super::average`].
//!
//! Source: LLVM's `combineTruncate` and `combinePMULH`.

use frazil_ir::{ConstView, Function, Inst, InstData, Opcode, Operand, Type, TypeData};

/// The most operations that a truncation is looked through.
const MOST_NODES: usize = 24;

/// What an instruction is in narrow lanes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// The operand of an extension.
    Extended(Operand),
    /// An operation on the same operands.
    Same,
    /// One of the forms: an operation on narrow operands, or on constants.
    Form(Opcode, [Operand; 2]),
}

/// A truncation that is done in narrow lanes.
pub(super) struct Narrow {
    pub ty: Type,
    pub bits: u32,
    /// Instructions, how often they are used here, and what they are.
    pub nodes: Vec<(Inst, u32, Node)>,
}

impl Narrow {
    /// What a truncation is done by, if it is worth while; `has_high` says whether lanes of so many bits have upper
    /// halves of products.
    pub fn of(function: &Function, data: &InstData, has_high: &dyn Fn(u32) -> bool) -> Option<Narrow> {
        let TypeData::Vector { element, .. } = function.types().data(data.ty) else {
            return None;
        };
        let bits = function
            .types()
            .int_bits(element)
            .filter(|bits| matches!(bits, 8 | 16 | 32))?;
        if data.op != Opcode::Trunc {
            return None;
        }
        let mut narrow = Narrow {
            ty: data.ty,
            bits,
            nodes: Vec::new(),
        };
        if !narrow.add(function, data.a, has_high) {
            return None;
        }
        let has_form = narrow.nodes.iter().any(|node| matches!(node.2, Node::Form(..)));
        let is_own = |&(inst, uses, node): &(Inst, u32, Node)| match node {
            Node::Same => uses == uses_of(function, inst),
            _ => true,
        };
        (has_form && narrow.nodes.iter().all(is_own)).then_some(narrow)
    }

    /// Adds an operand and what it is made of; `false` if that needs wide lanes.
    fn add(&mut self, function: &Function, operand: Operand, has_high: &dyn Fn(u32) -> bool) -> bool {
        if numbers(function, operand).is_some() {
            return true;
        }
        let Some(value) = operand.as_value() else { return false };
        let Some(inst) = function.def_inst(value) else {
            return false;
        };
        if let Some(known) = self.nodes.iter_mut().find(|node| node.0 == inst) {
            known.1 += 1;
            return true;
        }
        if self.nodes.len() >= MOST_NODES {
            return false;
        }
        let data = function.inst(inst);
        if let Some(node) = self.leaf(function, data, has_high) {
            self.nodes.push((inst, 1, node));
            return true;
        }
        self.nodes.push((inst, 1, Node::Same));
        match data.op {
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::And | Opcode::Or | Opcode::Xor => {
                self.add(function, data.a, has_high) && self.add(function, data.b, has_high)
            }
            Opcode::Select => {
                let (if_true, if_false) = function.ternary(data);
                let is_mask = function.operand_type(data.a).is_some_and(|ty| ty != Type::I1);
                is_mask && self.add(function, if_true, has_high) && self.add(function, if_false, has_high)
            }
            _ => false,
        }
    }

    /// An extension or a form.
    fn leaf(&self, function: &Function, data: &InstData, has_high: &dyn Fn(u32) -> bool) -> Option<Node> {
        match data.op {
            Opcode::Zext | Opcode::Sext => {
                (function.operand_type(data.a) == Some(self.ty)).then_some(Node::Extended(data.a))
            }
            Opcode::Lshr | Opcode::Ashr if has_high(self.bits) => self.high_product(function, data),
            Opcode::Umin | Opcode::Smin => self.saturating_sum(function, data),
            Opcode::Smax => self.saturating_difference(function, data),
            _ => None,
        }
    }

    fn high_product(&self, function: &Function, shift: &InstData) -> Option<Node> {
        let amount = numbers(function, shift.b)?;
        if amount.iter().any(|&amount| amount != i64::from(self.bits)) {
            return None;
        }
        let product = producer(function, shift.a, Opcode::Mul)?;
        let wide = function.types().int_bits(function.types().scalar(product.ty))?;
        if wide < 2 * self.bits {
            return None;
        }
        [(Opcode::Sext, Opcode::SmulHigh), (Opcode::Zext, Opcode::UmulHigh)]
            .into_iter()
            .find_map(|(extension, op)| {
                let factors = self.extended_pair(function, product, extension)?;
                Some(Node::Form(op, factors))
            })
    }

    /// The narrow operands of an operation, both extended alike, or one a constant that fits.
    fn extended_pair(&self, function: &Function, data: &InstData, extension: Opcode) -> Option<[Operand; 2]> {
        let is_signed = extension == Opcode::Sext;
        let (least, most) = match is_signed {
            true => (-(1i64 << (self.bits - 1)), (1i64 << (self.bits - 1)) - 1),
            false => (0, (1i64 << self.bits) - 1),
        };
        let narrow = |operand: Operand| match numbers(function, operand) {
            None => {
                let data = producer(function, operand, extension)?;
                (function.operand_type(data.a) == Some(self.ty)).then_some(data.a)
            }
            Some(numbers) => numbers
                .iter()
                .all(|number| (least..=most).contains(number))
                .then_some(operand),
        };
        let pair = [narrow(data.a)?, narrow(data.b)?];
        // Two constants have been computed long ago.
        let is_constant = |operand: &Operand| function.operand_type(*operand) != Some(self.ty);
        (!pair.iter().all(is_constant)).then_some(pair)
    }

    /// The least of a sum without signs and the greatest narrow number.
    fn saturating_sum(&self, function: &Function, least: &InstData) -> Option<Node> {
        let most = (1i64 << self.bits) - 1;
        let sum = producer(function, least.a, Opcode::Add)?;
        let is_most = numbers(function, least.b)?.iter().all(|&number| number == most);
        let wide = function.types().int_bits(function.types().scalar(least.ty))?;
        if !is_most || wide < self.bits + 2 {
            return None;
        }
        let summands = self.extended_pair(function, sum, Opcode::Zext)?;
        Some(Node::Form(Opcode::UaddSat, summands))
    }

    /// What is left of a number after the subtraction of another, or zero.
    fn saturating_difference(&self, function: &Function, most: &InstData) -> Option<Node> {
        let difference = producer(function, most.a, Opcode::Sub)?;
        if numbers(function, most.b)?.iter().any(|&number| number != 0) {
            return None;
        }
        let pair = self.extended_pair(function, difference, Opcode::Zext)?;
        Some(Node::Form(Opcode::UsubSat, pair))
    }

    /// Calls `mark` with the instructions that nothing needs any more.
    pub fn unneeded(&self, function: &Function, mark: &mut dyn FnMut(Inst)) {
        for &(inst, uses, node) in &self.nodes {
            if uses != uses_of(function, inst) {
                continue;
            }
            mark(inst);
            if let Node::Form(..) = node {
                // The product or sum, and its extensions, if they have no other use.
                let mut inner = function.inst(inst).a;
                while let Some(made) = inner.as_value().filter(|&value| function.use_count(value) == 1)
                    && let Some(inst) = function.def_inst(made)
                {
                    let data = function.inst(inst);
                    match data.op {
                        Opcode::Add | Opcode::Sub | Opcode::Mul => {
                            mark(inst);
                            for operand in [data.a, data.b] {
                                mark_extension(function, operand, mark);
                            }
                            break;
                        }
                        _ => inner = Operand::NONE,
                    }
                }
            }
        }
    }
}

/// Marks an extension that has no other use.
fn mark_extension(function: &Function, operand: Operand, mark: &mut dyn FnMut(Inst)) {
    let value = operand.as_value().filter(|&value| function.use_count(value) == 1);
    if let Some(inst) = value.and_then(|value| function.def_inst(value))
        && matches!(function.inst(inst).op, Opcode::Zext | Opcode::Sext)
    {
        mark(inst);
    }
}

fn uses_of(function: &Function, inst: Inst) -> u32 {
    let result = function.inst(inst).first_result();
    result.map_or(0, |value| function.use_count(value))
}

/// The instruction that makes a value, if it is of this kind.
fn producer(function: &Function, operand: Operand, op: Opcode) -> Option<&InstData> {
    let data = function.inst(function.def_inst(operand.as_value()?)?);
    (data.op == op).then_some(data)
}

/// The lanes of a constant, if all are numbers; those of a copied one, too.
pub(super) fn numbers(function: &Function, operand: Operand) -> Option<Vec<i64>> {
    let copied = producer(function, operand, Opcode::Copy).map_or(operand, |copy| copy.a);
    match function.constant(copied.as_const()?) {
        (_, ConstView::Vector(lanes)) => lanes.iter().map(|lane| lane.as_imm()).collect(),
        (ty, ConstView::Zero) => match function.types().data(ty) {
            TypeData::Vector { lanes, .. } => Some(vec![0; lanes as usize]),
            _ => None,
        },
        _ => None,
    }
}
