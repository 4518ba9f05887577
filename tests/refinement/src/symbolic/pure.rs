//! Instructions that only compute, lane by lane.

use super::step::Executor;
use super::value::{Lane, Shape, Value, shape};
use super::{Choice, Outcome, State, floats, ints, unsupported};
use crate::terms::{Role, Term, Terms};
use frazil_ir::typing::{is_cast, is_reduction};
use frazil_ir::{FastFlags, InstData, IntFlags, Opcode, Operand, Type, TypeData};

impl Executor<'_, '_> {
    /// The results of an instruction without effects, a division among them.
    pub(super) fn pure(&mut self, state: &mut State, data: &InstData) -> Outcome<Vec<Value>> {
        use Opcode as O;
        let function = self.side.function;
        let mut operands: Vec<Operand> = Vec::new();
        function.for_each_operand(data, |operand| operands.push(operand));
        let mut values = Vec::new();
        for (slot, &operand) in operands.iter().enumerate() {
            values.push(self.slot_value(state, data, slot, operand)?);
        }
        let result = shape(function.types(), data.ty, self.pointer_bits())?;
        let from = match function.operand_type(operands[0]) {
            Some(ty) => shape(function.types(), ty, self.pointer_bits())?,
            None => result,
        };
        match data.op {
            O::ExtractElement | O::InsertElement | O::Shuffle => return self.mix_lanes(data, &values, from, result),
            O::Bitcast => return self.bitcast(&values[0], from, result).map(|value| vec![value]),
            O::Addrspacecast | O::EhTypeidFor => return unsupported(format!("opcode {}", data.op.name())),
            O::TlsAddr => {
                // The address of this thread's variable: an unknown of its own.
                let bits = self.terms.function("tls", self.pointer_bits(), &[values[0][0].bits]);
                return Ok(vec![vec![Lane {
                    bits,
                    poison: values[0][0].poison,
                }]]);
            }
            O::Copy => return Ok(vec![values[0].clone()]),
            _ if is_reduction(data.op) => return self.reduce(data, &values, result),
            _ => {}
        }
        let lanes = if is_cast(data.op) { from.lanes } else { result.lanes };
        let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
        for lane in 0..lanes {
            // A scalar condition is that of all lanes.
            let operands: Vec<Lane> = values.iter().map(|value| value[lane.min(value.len() - 1)]).collect();
            let (first, second) = self.lane(state, data, &operands, from, result)?;
            firsts.push(first);
            seconds.extend(second);
        }
        let second = (!seconds.is_empty()).then_some(seconds);
        Ok(std::iter::once(firsts).chain(second).collect())
    }

    fn lane(
        &mut self,
        state: &mut State,
        data: &InstData,
        operands: &[Lane],
        from: Shape,
        result: Shape,
    ) -> Outcome<(Lane, Option<Lane>)> {
        use Opcode as O;
        let a = operands[0];
        let flags = IntFlags::from_bits_truncate(data.flags);
        let number = data.op as u8;
        let one = |lane: Lane| Ok((lane, None));
        match data.op {
            O::Freeze => one(self.freeze(state, a)),
            O::Select => {
                let (b, c) = (operands[1], operands[2]);
                let mut chosen = Lane::ite(self.terms, a.bits, b, c);
                chosen.poison = self.terms.or(a.poison, chosen.poison);
                one(chosen)
            }
            O::Scmp | O::Ucmp => {
                let less = if data.op == O::Scmp {
                    (
                        self.terms.slt(a.bits, operands[1].bits),
                        self.terms.slt(operands[1].bits, a.bits),
                    )
                } else {
                    (
                        self.terms.ult(a.bits, operands[1].bits),
                        self.terms.ult(operands[1].bits, a.bits),
                    )
                };
                let [minus, zero, plus] = [u128::MAX, 0, 1].map(|value| self.terms.constant(result.bits, value));
                let rest = self.terms.ite(less.1, plus, zero);
                let bits = self.terms.ite(less.0, minus, rest);
                let poison = self.terms.or(a.poison, operands[1].poison);
                one(Lane { bits, poison })
            }
            O::PtrAdd | O::PtrIndex => {
                let b = operands[1];
                let scale = if data.op == O::PtrIndex { data.flags } else { 1 };
                let bits = self.pointer_bits();
                let scale = self.terms.constant(bits, u128::from(scale));
                let offset = self.terms.resized(b.bits, bits);
                let offset = self.terms.binary(crate::terms::Op::Mul, offset, scale);
                let bits = self.terms.add(a.bits, offset);
                let poison = self.terms.or(a.poison, b.poison);
                one(Lane { bits, poison })
            }
            _ if (O::Add as u8..=O::IcmpSle as u8).contains(&number) => {
                let divides = data.op.effects() == frazil_ir::Effects::Trap;
                let mut operands = [
                    a,
                    operands.get(1).copied().unwrap_or(a),
                    operands.get(2).copied().unwrap_or(a),
                ];
                if divides {
                    let poison = operands[1].poison;
                    let bits = self.decided(state, operands[1]);
                    operands[1] = Lane { bits, poison };
                    // An undefined dividend may be the one that overflows.
                    if self.terms.has_undef(operands[0].bits) {
                        return unsupported("an undefined dividend");
                    }
                }
                let result = ints::int_op(self.terms, data.op, flags, result.bits, operands)?;
                state.undefined.extend(result.undefined);
                Ok((result.first, result.second))
            }
            _ if is_cast(data.op) => one(self.cast(data, flags, a, from, result)?),
            O::ThreadPointer => unsupported("opcode thread_pointer"),
            _ => {
                let fast = FastFlags::from_bits_truncate(data.flags);
                one(floats::float_op(
                    self.terms,
                    data.op,
                    fast,
                    result.element,
                    result.bits,
                    operands,
                ))
            }
        }
    }

    fn cast(&mut self, data: &InstData, flags: IntFlags, a: Lane, from: Shape, to: Shape) -> Outcome<Lane> {
        use Opcode as O;
        let terms = &mut *self.terms;
        Ok(match data.op {
            O::Trunc => {
                let bits = terms.extract(a.bits, 0, to.bits);
                let (unsigned, signed) = (terms.zext(bits, from.bits), terms.sext(bits, from.bits));
                let mut lane = Lane { bits, ..a };
                if flags.contains(IntFlags::NUW) {
                    let changes = terms.ne(unsigned, a.bits);
                    lane = lane.poisoned_if(terms, changes);
                }
                if flags.contains(IntFlags::NSW) {
                    let changes = terms.ne(signed, a.bits);
                    lane = lane.poisoned_if(terms, changes);
                }
                lane
            }
            O::Zext => {
                let bits = terms.zext(a.bits, to.bits);
                let lane = Lane { bits, ..a };
                if flags.contains(IntFlags::NNEG) {
                    let negative = ints::sign(terms, a.bits);
                    lane.poisoned_if(terms, negative)
                } else {
                    lane
                }
            }
            O::Sext => Lane {
                bits: terms.sext(a.bits, to.bits),
                ..a
            },
            O::Ptrtoint | O::Inttoptr => Lane {
                bits: terms.resized(a.bits, to.bits),
                ..a
            },
            _ => {
                let (source, target) = ((from.element, from.bits), (to.element, to.bits));
                floats::convert(terms, data.op, data.flags, source, target, a)
            }
        })
    }

    /// Poison and undefined bits become something for good.
    fn freeze(&mut self, state: &mut State, a: Lane) -> Lane {
        let (choice, is_before) = (self.choice, self.side.is_before);
        let picks = &mut state.picks;
        let mut bits = self.terms.with_other_undefs(a.bits, &mut |terms, var| {
            let width = terms.width(var);
            pick(terms, choice, is_before, picks, width)
        });
        let is_open = self.terms.has_undef(a.bits) || !self.terms.is_false(a.poison);
        self.chose |= is_open && is_before;
        if !self.terms.is_false(a.poison) {
            let width = self.terms.width(bits);
            let picked = pick(self.terms, choice, is_before, picks, width);
            bits = self.terms.ite(a.poison, picked, bits);
        }
        Lane::defined(self.terms, bits)
    }

    fn mix_lanes(&mut self, data: &InstData, values: &[Value], from: Shape, result: Shape) -> Outcome<Vec<Value>> {
        let poison = Lane::poison(self.terms, from.bits);
        let index_of = |executor: &Self, value: &Value| executor.terms.constant_of(value[0].bits);
        match data.op {
            Opcode::ExtractElement => {
                let Some(index) = index_of(self, &values[1]) else {
                    return unsupported("a variable lane");
                };
                Ok(vec![vec![values[0].get(index as usize).copied().unwrap_or(poison)]])
            }
            Opcode::InsertElement => {
                let Some(index) = index_of(self, &values[2]) else {
                    return unsupported("a variable lane");
                };
                let mut lanes = values[0].clone();
                match lanes.get_mut(index as usize) {
                    Some(lane) => *lane = values[1][0],
                    None => lanes.fill(poison),
                }
                Ok(vec![lanes])
            }
            _ => {
                let all: Vec<Lane> = values[0].iter().chain(&values[1]).copied().collect();
                let mut lanes = Vec::new();
                debug_assert_eq!(values[2].len(), result.lanes);
                for mask in &values[2] {
                    let index = self
                        .terms
                        .constant_of(mask.bits)
                        .filter(|_| self.terms.is_false(mask.poison));
                    lanes.push(
                        index
                            .and_then(|index| all.get(index as usize))
                            .copied()
                            .unwrap_or(poison),
                    );
                }
                Ok(vec![lanes])
            }
        }
    }

    fn bitcast(&mut self, value: &Value, from: Shape, to: Shape) -> Outcome<Value> {
        if from.bits == to.bits && from.lanes == to.lanes {
            return Ok(value.clone());
        }
        let total = from.bits * from.lanes as u32;
        if total > 128 || total != to.bits * to.lanes as u32 {
            return unsupported("bitcasts of more than 128 bits");
        }
        let mut bits = value[0].bits;
        for lane in &value[1..] {
            bits = self.terms.concat(lane.bits, bits);
        }
        // A lane is poison if one is that it is made of.
        let mut lanes = Vec::new();
        for index in 0..to.lanes as u32 {
            let (first, last) = (index * to.bits / from.bits, ((index + 1) * to.bits - 1) / from.bits);
            let poisons: Vec<Term> = value[first as usize..=last as usize]
                .iter()
                .map(|lane| lane.poison)
                .collect();
            lanes.push(Lane {
                bits: self.terms.extract(bits, index * to.bits, to.bits),
                poison: self.terms.any(&poisons),
            });
        }
        Ok(lanes)
    }

    fn reduce(&mut self, data: &InstData, values: &[Value], result: Shape) -> Outcome<Vec<Value>> {
        use Opcode as O;
        let op = match data.op {
            O::ReduceAdd => O::Add,
            O::ReduceMul => O::Mul,
            O::ReduceAnd => O::And,
            O::ReduceOr => O::Or,
            O::ReduceXor => O::Xor,
            O::ReduceSmin => O::Smin,
            O::ReduceSmax => O::Smax,
            O::ReduceUmin => O::Umin,
            O::ReduceUmax => O::Umax,
            O::ReduceFmin => O::Fminnum,
            O::ReduceFmax => O::Fmaxnum,
            O::ReduceFadd => O::Fadd,
            _ => O::Fmul,
        };
        let is_float = !matches!(result.element, TypeData::Int(_));
        let lanes: Vec<Lane> = values.iter().flatten().copied().collect();
        let mut sum = lanes[0];
        for &lane in &lanes[1..] {
            sum = if is_float {
                let flags = FastFlags::from_bits_truncate(data.flags);
                floats::float_op(self.terms, op, flags, result.element, result.bits, &[sum, lane])
            } else {
                ints::int_op(self.terms, op, IntFlags::empty(), result.bits, [sum, lane, sum])?.first
            };
        }
        Ok(vec![vec![sum]])
    }

    /// The value of an operand slot of an instruction that is no call.
    pub(super) fn slot_value(
        &mut self,
        state: &State,
        data: &InstData,
        slot: usize,
        operand: Operand,
    ) -> Outcome<Value> {
        use frazil_ir::typing::{SlotType, slot_type};
        let function = self.side.function;
        let ty = match slot_type(function, data, slot, self.pointer_bits()) {
            SlotType::Exact(ty) => ty,
            SlotType::Pointer => Type::PTR,
            SlotType::AnyInt => Type::I64,
            SlotType::Condition => Type::I1,
            SlotType::LikeFirst => function.operand_type(data.a).unwrap_or(Type::I64),
            SlotType::Carried | SlotType::Mask => function.operand_type(operand).unwrap_or(Type::I64),
        };
        self.operand(state, operand, ty)
    }
}

/// A free choice that is made once.
fn pick(terms: &mut Terms, choice: Choice, is_before: bool, picks: &mut u32, width: u32) -> Term {
    *picks += 1;
    match choice {
        Choice::Zero if is_before => terms.constant(width, 0),
        Choice::Ones if is_before => terms.constant(width, u128::MAX),
        _ => terms.named(&format!("pick {picks} {width}"), width, Role::Picked),
    }
}
