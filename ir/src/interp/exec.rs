//! Frames, operands, control flow and the instruction loop.

use super::value::{Scalar, Value, mask, scalar_bits};
use super::{Event, Interpreter, Outcome, Stop};
use crate::constant::ConstView;
use crate::entities::{Block, ConstId};
use crate::function::{Function, InstData, ValueKind};
use crate::opcode::Opcode;
use crate::operand::{Operand, OperandKind};
use crate::types::{Type, TypeData};
use crate::typing::{SlotType, slot_type};
use frazil_support::EntityRef;

/// A call that is being executed.
pub(super) struct Frame {
    /// The function's index.
    pub function: usize,
    /// The next instruction.
    pub position: usize,
    /// The block that is being executed.
    pub block: Block,
    /// Values defined so far.
    pub values: Vec<Option<Value>>,
    /// Objects that end with the frame.
    pub objects: Vec<u64>,
    /// Objects of `stack_alloc`, in order.
    pub dynamic: Vec<u64>,
    /// Variable arguments with their types.
    pub varargs: Vec<(TypeData, Value)>,
}

/// What happens after an instruction.
pub(super) enum Next {
    /// The next instruction.
    Go,
    /// A jump to this block.
    Jump(Block),
    /// A return with these results.
    Return(Vec<Value>),
    /// A frame was entered.
    Entered,
}

impl<'a> Interpreter<'a> {
    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a function is being executed")
    }

    pub(super) fn top(&self) -> &Frame {
        self.frames.last().expect("a function is being executed")
    }

    /// The function that is being executed.
    pub(super) fn function(&self) -> &'a Function {
        &self.functions[self.top().function]
    }

    /// Begins a call.
    pub(super) fn enter(
        &mut self,
        function: usize,
        arguments: Vec<Value>,
        varargs: Vec<(TypeData, Value)>,
    ) -> Outcome<()> {
        if self.frames.len() >= self.depth {
            return Err(Stop::Limit("call depth".to_owned()));
        }
        let body = &self.functions[function];
        let mut frame = Frame {
            function,
            position: 0,
            block: Block::new(0),
            values: vec![None; body.values.len()],
            objects: Vec::new(),
            dynamic: Vec::new(),
            varargs,
        };
        for (index, argument) in arguments.into_iter().enumerate() {
            frame.values[index] = Some(argument);
        }
        for slot in &body.slots {
            let address = self.memory.allocate(slot.size, u32::from(slot.align_log2))?;
            frame.objects.push(address);
            frame.values[slot.address.index()] = Some(Value::bits(u128::from(address)));
        }
        self.frames.push(frame);
        self.tell(Event::Enter { function });
        self.copy_byval_arguments()
    }

    /// Executes until the outermost frame returns.
    pub(super) fn run(&mut self) -> Outcome<Vec<Value>> {
        loop {
            self.steps_left = self
                .steps_left
                .checked_sub(1)
                .ok_or_else(|| Stop::Limit("steps".to_owned()))?;
            let (index, position) = (self.top().function, self.top().position);
            self.tell(Event::Inst {
                function: index,
                position,
            });
            let function = self.function();
            let data = function.insts[position];
            match self.inst(function, &data)? {
                Next::Go => self.frame().position += 1,
                Next::Entered => {}
                Next::Jump(target) => self.jump(function, target)?,
                Next::Return(results) => {
                    if let Some(results) = self.leave(results)? {
                        return Ok(results);
                    }
                }
            }
        }
    }

    fn inst(&mut self, function: &'a Function, data: &InstData) -> Outcome<Next> {
        use Opcode as O;
        match data.op {
            O::Nop | O::Fence | O::Prefetch => Ok(Next::Go),
            O::Jump => Ok(Next::Jump(data.target())),
            O::Branch => {
                let condition = self.decided(data.a, TypeData::Int(1), "branch on")?;
                Ok(Next::Jump(if condition == 1 {
                    data.target()
                } else {
                    data.else_target()
                }))
            }
            O::Switch => self.switch(function, data),
            O::IndirectJump => self.indirect_jump(function, data),
            O::Return => {
                let types = function.signature.returns.iter().map(|param| param.ty);
                let operands = function.list(data).iter().zip(types);
                let results = operands
                    .map(|(&operand, ty)| self.operand(function, operand, ty))
                    .collect::<Outcome<_>>();
                results.map(Next::Return)
            }
            O::Call | O::Invoke | O::HookCall | O::ReadingHookCall => self.call_inst(function, data),
            O::Unreachable => Err(Stop::undefined("`unreachable` is reached")),
            O::Trap | O::Debugtrap => Err(Stop::Trap),
            _ if let Some(plain) = data.op.is_strict().then(|| data.without_strictness()).flatten() => {
                let results = self.pure(function, &plain)?;
                self.set_results(data, results)?;
                Ok(Next::Go)
            }
            _ => {
                let results = match data.op.effects() {
                    crate::Effects::Pure | crate::Effects::Trap => self.pure(function, data)?,
                    _ => self.access(function, data)?,
                };
                self.set_results(data, results)?;
                Ok(Next::Go)
            }
        }
    }

    /// Gives an instruction's results to its values.
    pub(super) fn set_results(&mut self, data: &InstData, results: Vec<Value>) -> Outcome<()> {
        let count = if data.first_result().is_some() {
            self.function().result_count(data)
        } else {
            0
        };
        if results.len() != count {
            return Err(Stop::undefined(
                "a call gives another number of results than its signature says",
            ));
        }
        let first = data.first_result().map_or(0, |value| value.index());
        for (index, result) in results.into_iter().enumerate() {
            self.frame().values[first + index] = Some(result);
        }
        Ok(())
    }

    fn switch(&mut self, function: &'a Function, data: &InstData) -> Outcome<Next> {
        let value = self.decided(data.a, function.types.data(data.ty), "switch on")?;
        let (default, cases) = function.switch(data);
        for pair in cases.chunks_exact(2) {
            if self.operand(function, pair[0], data.ty)?.known() == Some(value) {
                return Ok(Next::Jump(Block::new(pair[1].as_raw() as usize)));
            }
        }
        Ok(Next::Jump(default))
    }

    fn indirect_jump(&mut self, function: &'a Function, data: &InstData) -> Outcome<Next> {
        let address = self.decided(data.a, TypeData::Ptr(0), "jump to")?;
        let symbol = function.symbol;
        let target = function
            .indirect_targets(data)
            .iter()
            .map(|word| Block::new(word.as_raw() as usize))
            .find(|&block| symbol.is_some_and(|symbol| u128::from(self.block_address(symbol, block)) == address));
        target
            .map(Next::Jump)
            .ok_or_else(|| Stop::undefined("indirect jump to a block that is not listed"))
    }

    /// A scalar operand that must be fully defined.
    pub(super) fn decided(&self, operand: Operand, data: TypeData, what: &str) -> Outcome<u128> {
        let function = self.function();
        let value = match operand.as_imm() {
            Some(value) => immediate(value, data, self.pointer_bits())?,
            None => {
                let ty = function.operand_type(operand).unwrap_or(Type::PTR);
                self.operand(function, operand, ty)?
            }
        };
        match value {
            Value::Scalar(Scalar::Poison) => Err(Stop::undefined(format!("{what} poison"))),
            value => value
                .known()
                .ok_or_else(|| Stop::undefined(format!("{what} an undefined value"))),
        }
    }

    /// Goes to a block: all phis read their operands, then get their values.
    pub(super) fn jump(&mut self, function: &'a Function, target: Block) -> Outcome<()> {
        let (from, index) = (self.top().block, self.top().function);
        self.tell(Event::Edge {
            function: index,
            from,
            to: target,
        });
        let edge = function.cfg.successors(from).iter().find(|edge| edge.target == target);
        let column = edge
            .ok_or_else(|| Stop::Unsupported("a function without its graph".to_owned()))?
            .column as usize;
        let range = function.block_insts(target);
        let phis = function.insts[range.clone()]
            .iter()
            .take_while(|data| data.op == Opcode::Phi);
        let mut incoming = Vec::new();
        for data in phis {
            incoming.push(self.operand(function, function.list(data)[column], data.ty)?);
        }
        let position = range.start + incoming.len();
        for (data, value) in function.insts[range].iter().zip(incoming) {
            if let Some(result) = data.first_result() {
                self.frame().values[result.index()] = Some(value);
            }
        }
        let frame = self.frame();
        (frame.block, frame.position) = (target, position);
        Ok(())
    }

    /// An operand where a type is wanted.
    pub(super) fn operand(&self, function: &Function, operand: Operand, ty: Type) -> Outcome<Value> {
        match operand.kind() {
            OperandKind::Value(value) => {
                let found = self.top().values[value.index()].clone();
                let is_forward = function.value(value).kind == ValueKind::Forward;
                found
                    .filter(|_| !is_forward)
                    .ok_or_else(|| Stop::undefined(format!("use of {value:?} before its definition")))
            }
            OperandKind::Imm(value) => immediate(i64::from(value), function.types.data(ty), self.pointer_bits()),
            OperandKind::Const(id) => self.constant(function, id),
            OperandKind::Symbol(symbol) => Ok(Value::bits(u128::from(self.symbol_address(symbol)?))),
        }
    }

    fn constant(&self, function: &Function, id: ConstId) -> Outcome<Value> {
        let (ty, view) = function.constant(id);
        let data = function.types.data(ty);
        let (element, lanes) = match data {
            TypeData::Vector { element, lanes } => (function.types.data(element), Some(lanes as usize)),
            scalar => (scalar, None),
        };
        let bits = scalar_bits(element, self.pointer_bits())
            .ok_or_else(|| Stop::Unsupported(format!("values of {element:?}")))?;
        let splat = |scalar: Scalar| match lanes {
            Some(lanes) => Value::Vector(vec![scalar; lanes]),
            None => Value::Scalar(scalar),
        };
        Ok(match view {
            ConstView::Int(words) | ConstView::Float(words) => {
                let low = u128::from(words.first().copied().unwrap_or(0));
                let high = u128::from(words.get(1).copied().unwrap_or(0));
                Value::bits((low | high << 64) & mask(bits))
            }
            ConstView::Symbol(symbol, addend) => {
                let address = self.symbol_address(symbol)?.wrapping_add_signed(addend);
                Value::bits(u128::from(address) & mask(bits))
            }
            ConstView::BlockAddress(symbol, block) => Value::bits(u128::from(self.block_address(symbol, block))),
            ConstView::Undef => splat(Scalar::undef(bits)),
            ConstView::Poison => splat(Scalar::Poison),
            ConstView::Zero => splat(Scalar::defined(0)),
            ConstView::Vector(operands) => {
                let TypeData::Vector { element, .. } = data else {
                    return Err(Stop::Unsupported("lanes of a scalar".to_owned()));
                };
                let lane = |&operand: &Operand| Ok(self.operand(function, operand, element)?.lane(0));
                Value::Vector(operands.iter().map(lane).collect::<Outcome<_>>()?)
            }
            ConstView::Asm(_) => return Err(Stop::Unsupported("inline assembly".to_owned())),
        })
    }

    /// Operand `slot` of an instruction whose slots [`slot_type`] describes.
    pub(super) fn slot(&self, function: &Function, data: &InstData, slot: usize, operand: Operand) -> Outcome<Value> {
        let ty = match slot_type(function, data, slot, self.pointer_bits()) {
            SlotType::Exact(ty) => ty,
            SlotType::Pointer => Type::PTR,
            SlotType::AnyInt => Type::I64,
            SlotType::Condition => Type::I1,
            SlotType::LikeFirst => function.operand_type(data.a).unwrap_or(Type::I64),
            SlotType::Carried | SlotType::Mask => function.operand_type(operand).unwrap_or(Type::I64),
        };
        self.operand(function, operand, ty)
    }
}

/// An immediate where a type is wanted.
fn immediate(value: i64, data: TypeData, pointer_bits: u32) -> Outcome<Value> {
    let bits = scalar_bits(data, pointer_bits).ok_or_else(|| Stop::Unsupported(format!("values of {data:?}")))?;
    Ok(Value::bits(i128::from(value).cast_unsigned() & mask(bits)))
}
