//! Paths: one instruction after the other, and all edges that branches take.

use super::memory::{Memories, resolve_symbol};
use super::value::{Lane, Value, shape};
use super::{Choice, Outcome, Side, State, Stop, unsupported};
use crate::terms::{Role, Term, Terms};
use frazil_ir::{
    Block, ConstView, Effects, InstData, MemFlags, Opcode, Operand, OperandKind, SymbolId, Type, TypeData,
};
use frazil_support::EntityRef;
use std::time::Instant;

/// Paths between two events, at most.
const MOST_PATHS: usize = 64;

const MOST_TERMS: usize = 100_000;

/// Executes a function symbolically.
#[derive(Debug)]
pub struct Executor<'a, 's> {
    /// All terms.
    pub terms: &'a mut Terms,
    /// All states of memory.
    pub memories: &'a mut Memories,
    pub side: Side<'s>,
    /// How free choices are made.
    pub choice: Choice,
    /// How often a block is entered on a path, at most.
    pub most_visits: u8,
    /// Whether each use of undefined bits gets others.
    pub renames: bool,
    /// When to give up.
    pub end: Instant,
    /// Whether the function before the pass was free in a choice that mattered.
    pub chose: bool,
}

/// The position of a path that stops because a block was entered too often.
const BOUND: usize = usize::MAX;

impl Executor<'_, '_> {
    pub(super) fn pointer_bits(&self) -> u32 {
        self.side.module.data_layout.pointer_bits
    }

    /// All paths from a state to their next stop.
    pub fn run(&mut self, state: State) -> Outcome<Vec<(State, Stop)>> {
        let (mut waiting, mut done) = (vec![state], Vec::new());
        while let Some(mut state) = waiting.pop() {
            if let Some(stop) = self.advance(&mut state, &mut waiting)? {
                done.push((state, stop));
            }
            if done.len() + waiting.len() > MOST_PATHS {
                return unsupported("many paths");
            }
        }
        Ok(done)
    }

    /// Goes on to the next stop, or to where the path divides; then the paths are added to `waiting`.
    fn advance(&mut self, state: &mut State, waiting: &mut Vec<State>) -> Outcome<Option<Stop>> {
        let function = self.side.function;
        loop {
            if state.position == BOUND {
                return Ok(Some(Stop::Bound));
            }
            if state.undefined.iter().any(|&condition| self.terms.is_true(condition)) {
                return Ok(Some(Stop::Undefined));
            }
            state.steps = match state.steps.checked_sub(1) {
                Some(left) => left,
                None => return unsupported("a long path"),
            };
            if self.terms.len() > MOST_TERMS {
                return unsupported("many terms");
            }
            if Instant::now() > self.end {
                return unsupported("out of time");
            }
            let data = function.insts()[state.position];
            match data.op {
                Opcode::Nop => {}
                Opcode::Phi => return unsupported("a phi after another instruction"),
                Opcode::Jump => {
                    if !self.enter(state, data.target())? {
                        return Ok(Some(Stop::Bound));
                    }
                    continue;
                }
                Opcode::Branch | Opcode::Switch => {
                    self.divide(state, &data, waiting)?;
                    return Ok(None);
                }
                Opcode::Return => {
                    let mut values = Vec::new();
                    let types = function.signature().returns.iter().map(|param| param.ty);
                    for (&operand, ty) in function.list(&data).iter().zip(types) {
                        values.push(self.operand(state, operand, ty)?);
                    }
                    return Ok(Some(Stop::Return(values)));
                }
                Opcode::Unreachable => return Ok(Some(Stop::Undefined)),
                Opcode::IndirectJump => return unsupported("an indirect jump"),
                _ if is_event(&data) => return self.event(state, &data).map(Some),
                _ => {
                    let results = match data.op.effects() {
                        Effects::Read | Effects::Write => self.access(state, &data)?,
                        _ => self.pure(state, &data)?,
                    };
                    let first = data.first_result().map_or(0, EntityRef::index);
                    for (index, value) in results.into_iter().enumerate() {
                        state.values[first + index] = Some(value);
                    }
                }
            }
            state.position += 1;
        }
    }

    /// Takes all edges of a branch or switch.
    fn divide(&mut self, state: &State, data: &frazil_ir::InstData, waiting: &mut Vec<State>) -> Outcome<()> {
        let function = self.side.function;
        let mut state = state.clone();
        let value = self.operand(&state, data.a, data.ty)?[0];
        let value = self.decided(&mut state, value);
        let mut ways: Vec<(Term, Block)> = Vec::new();
        if data.op == Opcode::Branch {
            let opposite = self.terms.not(value);
            ways.push((value, data.target()));
            ways.push((opposite, data.else_target()));
            if data.target() == data.else_target() {
                ways = vec![(self.terms.bool(true), data.target())];
            }
        } else {
            let (default, cases) = function.switch(data);
            let mut none = self.terms.bool(true);
            // Cases with one target are one way.
            for pair in cases.chunks_exact(2) {
                let number = self.operand(&state, pair[0], data.ty)?[0].bits;
                let equal = self.terms.eq(value, number);
                let other = self.terms.not(equal);
                none = self.terms.and(none, other);
                let target = Block::new(pair[1].as_raw() as usize);
                match ways.iter_mut().find(|way| way.1 == target) {
                    Some(way) => way.0 = self.terms.or(way.0, equal),
                    None => ways.push((equal, target)),
                }
            }
            match ways.iter_mut().find(|way| way.1 == default) {
                Some(way) => way.0 = self.terms.or(way.0, none),
                None => ways.push((none, default)),
            }
        }
        for (condition, target) in ways.into_iter().rev() {
            let opposite = self.terms.not(condition);
            if self.terms.is_false(condition) || state.path.contains(&opposite) {
                continue;
            }
            let mut way = state.clone();
            if !self.terms.is_true(condition) {
                way.path.push(condition);
            }
            if !self.enter(&mut way, target)? {
                way.position = BOUND;
            }
            waiting.push(way);
        }
        Ok(())
    }

    /// Goes to a block, phis included; not if it was entered too often.
    pub fn enter(&mut self, state: &mut State, target: Block) -> Outcome<bool> {
        let function = self.side.function;
        let visits = &mut state.visits[target.index()];
        *visits += 1;
        if *visits > self.most_visits {
            return Ok(false);
        }
        let edge = function
            .cfg()
            .successors(state.block)
            .iter()
            .find(|edge| edge.target == target);
        let column = edge.expect("the graph has the edge").column as usize;
        let range = function.block_insts(target);
        let phis = function.insts()[range.clone()]
            .iter()
            .take_while(|data| data.op == Opcode::Phi);
        let mut incoming = Vec::new();
        for data in phis {
            let value = self.operand(state, function.list(data)[column], data.ty)?;
            incoming.push((data.first_result().expect("a phi has a result"), value));
        }
        state.position = range.start + incoming.len();
        for (result, value) in incoming {
            state.values[result.index()] = Some(value);
        }
        state.block = target;
        Ok(true)
    }

    /// An operand where a type is wanted. Undefined bits are other ones for each use.
    pub(super) fn operand(&mut self, state: &State, operand: Operand, ty: Type) -> Outcome<Value> {
        let function = self.side.function;
        let value = match operand.kind() {
            OperandKind::Value(value) => match &state.values[value.index()] {
                Some(value) => value.clone(),
                None => return unsupported("a value that is not defined on the path"),
            },
            OperandKind::Imm(number) => {
                let shape = shape(function.types(), ty, self.pointer_bits())?;
                vec![Lane::number(self.terms, shape.bits, i128::from(number).cast_unsigned())]
            }
            OperandKind::Symbol(symbol) => vec![self.symbol(symbol, 0)],
            OperandKind::Const(id) => self.constant(id)?,
        };
        if !self.renames {
            // Before the pass, it is free to find the same bits each time.
            return Ok(value);
        }
        let lanes = value.into_iter().map(|lane| {
            if !self.terms.has_undef(lane.bits) && !self.terms.has_undef(lane.poison) {
                return lane;
            }
            let mut known = frazil_support::FxHashMap::default();
            let mut fresh = |terms: &mut Terms, var: Term| {
                let width = terms.width(var);
                terms.fresh("undef", width, Role::Undef)
            };
            Lane {
                bits: self.terms.rewrite(lane.bits, &mut known, &mut fresh),
                poison: self.terms.rewrite(lane.poison, &mut known, &mut fresh),
            }
        });
        Ok(lanes.collect())
    }

    /// The address of a symbol, and so many bytes more.
    fn symbol(&mut self, symbol: SymbolId, offset: i64) -> Lane {
        let bits = self.pointer_bits();
        let (base, distance) = match resolve_symbol(self.side.module, symbol) {
            Some((symbol, distance)) => match self.side.objects.of_symbol(symbol) {
                Some(object) => (object.address, distance),
                None => (
                    self.terms
                        .named(&format!("symbol {}", symbol.as_u32()), bits, Role::Given),
                    distance,
                ),
            },
            None => (
                self.terms
                    .named(&format!("symbol {}", symbol.as_u32()), bits, Role::Given),
                0,
            ),
        };
        let offset = i128::from(offset.wrapping_add(distance)).cast_unsigned();
        let offset = self.terms.constant(bits, offset);
        let address = self.terms.add(base, offset);
        Lane::defined(self.terms, address)
    }

    fn constant(&mut self, id: frazil_ir::ConstId) -> Outcome<Value> {
        let function = self.side.function;
        let (ty, view) = function.constant(id);
        let shape = shape(function.types(), ty, self.pointer_bits())?;
        let splat = |lane: Lane| vec![lane; shape.lanes];
        Ok(match view {
            ConstView::Int(words) | ConstView::Float(words) => {
                let low = u128::from(words.first().copied().unwrap_or(0));
                let high = u128::from(words.get(1).copied().unwrap_or(0));
                vec![Lane::number(self.terms, shape.bits, low | high << 64)]
            }
            ConstView::Symbol(symbol, addend) => {
                let address = self.symbol(symbol, addend);
                let bits = self.terms.resized(address.bits, shape.bits);
                vec![Lane { bits, ..address }]
            }
            ConstView::BlockAddress(symbol, block) => {
                let name = format!("block {} of {}", block.as_u32(), symbol.as_u32());
                let bits = self.terms.named(&name, shape.bits, Role::Given);
                vec![Lane::defined(self.terms, bits)]
            }
            ConstView::Undef => {
                let mut lanes = Vec::new();
                for _ in 0..shape.lanes {
                    let bits = self.terms.fresh("undef", shape.bits, Role::Undef);
                    lanes.push(Lane::defined(self.terms, bits));
                }
                lanes
            }
            ConstView::Poison => splat(Lane::poison(self.terms, shape.bits)),
            ConstView::Zero => splat(Lane::number(self.terms, shape.bits, 0)),
            ConstView::Vector(operands) => {
                let TypeData::Vector { element, .. } = function.types().data(ty) else {
                    return unsupported("lanes of a scalar");
                };
                let mut lanes = Vec::new();
                for &operand in operands {
                    let lane = match operand.kind() {
                        OperandKind::Const(id) => self.constant(id)?[0],
                        OperandKind::Symbol(symbol) => self.symbol(symbol, 0),
                        OperandKind::Imm(number) => {
                            Lane::number(self.terms, shape.bits, i128::from(number).cast_unsigned())
                        }
                        OperandKind::Value(_) => return unsupported("a value in a constant"),
                    };
                    lanes.push(lane);
                }
                debug_assert!(element != ty);
                lanes
            }
            ConstView::Asm(_) => return unsupported("inline assembly as a value"),
        })
    }
}

/// Whether an instruction is an event.
pub fn is_event(data: &InstData) -> bool {
    match data.op {
        Opcode::Load | Opcode::Store | Opcode::MemCopy | Opcode::MemMove | Opcode::MemSet => {
            MemFlags(data.flags).is_volatile()
        }
        Opcode::Invoke | Opcode::Resume => true,
        _ => matches!(data.op.effects(), Effects::Any | Effects::Hook),
    }
}
