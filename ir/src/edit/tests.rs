//! Random edits of random functions: the result passes the verifier and computes what it computed before.

use super::Editor;
use crate::debug::{Argument, DebugKind, DebugValue, LocationId, NodeId, NodeRef};
use crate::entities::{Block, FuncId, Inst, Value};
use crate::function::{Function, InstData};
use crate::interp::{self, Interpreter, Limits, Stop};
use crate::module::Module;
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::text::{parse_module, print_function};
use crate::types::Type;
use crate::verify::verify_function;
use frazil_support::EntityRef;
use frazil_test_support::Random;
use std::fmt::Write;

/// The text of a function of two `i32`s with random blocks; every value is an `i32` but for the conditions.
fn random_function(random: &mut Random) -> String {
    let count = 2 + random.below(7);
    let mut targets: Vec<Vec<usize>> = Vec::new();
    for _ in 0..count {
        let ways = [0, 0, 1, 1, 2, 2, 4][random.below(7)];
        targets.push((0..ways).map(|_| 1 + random.below(count - 1)).collect());
    }
    if targets[0].is_empty() {
        targets[0].push(1);
    }
    let mut number = 2;
    let mut values: Vec<Vec<usize>> = Vec::new();
    let sizes: Vec<(usize, usize)> = (0..count)
        .map(|block| (if block == 0 { 0 } else { random.below(3) }, 2 + random.below(3)))
        .collect();
    for &(phis, others) in &sizes {
        values.push((number..number + phis + others).collect());
        number += phis + others + 1;
    }
    let mut text = String::from("func @f(i32, i32) -> i32 {\n");
    for block in 0..count {
        writeln!(text, "b{block}:").expect("text grows");
        let operand = |random: &mut Random, own: &[usize]| {
            let shared: &[usize] = if block == 0 { &[] } else { &values[0] };
            match random.below(5) {
                0 => format!("{}", random.below(9)),
                1 => format!("v{}", random.below(2)),
                2 if !shared.is_empty() => format!("v{}", shared[random.below(shared.len())]),
                _ if !own.is_empty() => format!("v{}", own[random.below(own.len())]),
                _ => "v0".to_owned(),
            }
        };
        for (index, value) in values[block].iter().enumerate() {
            if index < sizes[block].0 {
                let from = (0..count).filter(|&from| targets[from].contains(&block));
                let columns = from.map(|from| format!("b{from}: {}", operand(random, &values[from])));
                let columns: Vec<String> = columns.collect();
                writeln!(text, "  v{value} = phi i32 [{}]", columns.join(", ")).expect("text grows");
            } else {
                let op = ["add", "sub", "xor", "and", "or"][random.below(5)];
                let (a, b) = (
                    operand(random, &values[block][..index]),
                    operand(random, &values[block][..index]),
                );
                writeln!(text, "  v{value} = {op} i32 {a}, {b}").expect("text grows");
            }
        }
        let last = values[block][values[block].len() - 1];
        let condition = last + 1;
        match targets[block][..] {
            [] => writeln!(text, "  return v{last}"),
            [to] => writeln!(text, "  jump b{to}"),
            [yes, no] => {
                let bound = random.below(100);
                writeln!(
                    text,
                    "  v{condition} = icmp_ult i32 v{last}, {bound}\n  branch v{condition}, b{yes}, b{no}"
                )
            }
            ref many => writeln!(
                text,
                "  v{condition} = and i32 v{last}, 3\n  switch i32 v{condition}, default b{}, [0: b{}, 1: b{}, 2: b{}]",
                many[0], many[1], many[2], many[3]
            ),
        }
        .expect("text grows");
    }
    text + "}\n"
}

fn run(module: &Module, function: &Function, arguments: [u128; 2]) -> Option<Vec<interp::Value>> {
    let limits = Limits {
        steps: 3000,
        ..Limits::default()
    };
    let functions = std::slice::from_ref(function);
    let mut interpreter = Interpreter::new(module, functions, limits).expect("nothing to lay out");
    let arguments = arguments
        .iter()
        .map(|&argument| interp::Value::bits(argument))
        .collect();
    match interpreter.call(FuncId::new(0), arguments) {
        Ok(results) => Some(results),
        Err(Stop::Limit(_)) => None,
        Err(stop) => panic!("{stop}"),
    }
}

fn binary(op: Opcode, a: impl Into<Operand>, b: impl Into<Operand>) -> InstData {
    InstData::new(op, Type::I32, 0, a.into(), b.into())
}

fn imm(value: i64) -> Operand {
    Operand::imm(value).expect("small")
}

/// Random edits that change nothing that can be observed. `free` are instructions that no edit touched yet.
struct Edits<'a> {
    editor: &'a mut Editor,
    f: &'a mut Function,
    random: &'a mut Random,
    touched: Vec<bool>,
    /// Blocks whose edges an edit of this batch changed.
    rewired: Vec<bool>,
}

impl Edits<'_> {
    fn one(&mut self) {
        let block = Block::new(self.random.below(self.touched_blocks()));
        let range = self.f.block_insts(block);
        let inst = Inst::new(range.start + self.random.below(range.len()));
        match self.random.below(9) {
            0 => self.insert_unused(block, inst),
            1 => self.swap_operands(inst),
            2 => self.recompute(inst),
            3 => self.sink(inst, block),
            4 => self.copy_phi(inst, block),
            5 => self.split_edge(block),
            6 => self.invert(block),
            7 => self.split_predecessors(block),
            _ => self.merge_or_skip(block),
        }
    }

    fn touched_blocks(&self) -> usize {
        self.rewired.len()
    }

    fn take(&mut self, inst: Inst) -> bool {
        !std::mem::replace(&mut self.touched[inst.index()], true)
    }

    fn insert_unused(&mut self, block: Block, inst: Inst) {
        let data = binary(Opcode::Add, Value::new(0), imm(7));
        let value = match self.random.below(3) {
            // Where a phi was removed, others may follow.
            0 if !matches!(self.f.inst(inst).op, Opcode::Phi | Opcode::Nop) => {
                self.editor.insert_before(self.f, inst, data, Some(Type::I32))
            }
            1 => self.editor.insert_after_phis(self.f, block, data, Some(Type::I32)),
            _ => self.editor.insert_at_end(self.f, block, data, Some(Type::I32)),
        };
        let value = value.expect("has a result");
        if self.random.one_in(2) {
            // Something before what is pending, and a use of it.
            let at = self.f.def_inst(value).expect("an instruction");
            let first = self
                .editor
                .insert_before(self.f, at, data, Some(Type::I32))
                .expect("has a result");
            self.editor.replace(self.f, at, binary(Opcode::Mul, first, imm(3)));
        }
    }

    fn swap_operands(&mut self, inst: Inst) {
        let data = *self.f.inst(inst);
        if matches!(data.op, Opcode::Add | Opcode::Xor | Opcode::And | Opcode::Or) && self.take(inst) {
            self.editor.replace(
                self.f,
                inst,
                InstData {
                    a: data.b,
                    b: data.a,
                    ..data
                },
            );
        }
    }

    /// Another instruction computes the same, the old one goes.
    fn recompute(&mut self, inst: Inst) {
        let data = *self.f.inst(inst);
        if data.op != Opcode::Add || !self.take(inst) {
            return;
        }
        let old = data.first_result().expect("a sum");
        let negated = self
            .editor
            .insert_before(self.f, inst, binary(Opcode::Sub, imm(0), data.b), Some(Type::I32));
        let difference = binary(Opcode::Sub, data.a, negated.expect("a difference"));
        let new = self
            .editor
            .insert_before(self.f, inst, difference, Some(Type::I32))
            .expect("a difference");
        self.editor.replace_uses(self.f, old, new.into());
        self.editor.remove(self.f, inst);
    }

    /// Moves an instruction that only the terminator or other blocks use to the end of its block.
    fn sink(&mut self, inst: Inst, block: Block) {
        let data = *self.f.inst(inst);
        let movable = !data.op.is_terminator() && data.op != Opcode::Phi && data.op != Opcode::Nop;
        if !movable || self.f.values[data.first_result().expect("a result").index()].uses > 0 || !self.take(inst) {
            return;
        }
        if self.random.one_in(2) {
            self.editor.move_to_end(self.f, inst, block);
        } else {
            let end = self.editor.terminator_of(self.f, block).expect("a terminator");
            self.editor.move_before(self.f, inst, end);
        }
    }

    fn copy_phi(&mut self, inst: Inst, block: Block) {
        let data = *self.f.inst(inst);
        if data.op != Opcode::Phi || self.rewired[block.index()] || !self.take(inst) {
            return;
        }
        let old = data.first_result().expect("a phi");
        let operands = self.f.list(&data).to_vec();
        let copy = self.editor.insert_phi(self.f, block, Type::I32, &operands);
        if !operands.is_empty() {
            let column = self.random.below(operands.len());
            self.editor.set_phi_operand(self.f, copy, column, operands[column]);
        }
        self.editor.replace_uses(self.f, old, copy.into());
        self.editor.remove(self.f, inst);
    }

    fn successor(&mut self, block: Block) -> Option<Block> {
        let edges = self.f.cfg.successors(block);
        let free = |to: Block| !self.rewired[to.index()] && !self.rewired[block.index()];
        let edge = (!edges.is_empty()).then(|| edges[self.random.below(edges.len())])?;
        free(edge.target).then_some(edge.target)
    }

    fn split_edge(&mut self, block: Block) {
        let Some(to) = self.successor(block) else { return };
        assert!(self.editor.can_split_edge(self.f, block, to));
        let between = self.editor.new_block_on_edge(self.f, block, to);
        let data = binary(Opcode::Mul, Value::new(0), imm(5));
        self.editor.insert_at_end(self.f, between, data, Some(Type::I32));
        self.editor.insert_after_phis(self.f, between, data, Some(Type::I32));
        (self.rewired[block.index()], self.rewired[to.index()]) = (true, true);
    }

    /// Swaps the successors of a branch; or makes a jump a branch whose other edge is never taken.
    fn invert(&mut self, block: Block) {
        let at = self.editor.terminator_of(self.f, block).expect("a terminator");
        let data = *self.f.inst(at);
        if std::mem::replace(&mut self.rewired[block.index()], true) {
            return;
        }
        match data.op {
            Opcode::Branch => {
                let not = InstData::new(Opcode::Xor, Type::I1, 0, data.a, imm(-1));
                let not = self
                    .editor
                    .insert_at_end(self.f, block, not, Some(Type::I1))
                    .expect("a result");
                let branch = InstData::branch(not.into(), data.else_target(), data.target());
                self.editor.set_terminator(self.f, block, branch);
            }
            Opcode::Jump => {
                let dead = self.editor.new_block(block, &[block]);
                let unreachable = InstData::new(Opcode::Unreachable, Type::VOID, 0, Operand::NONE, Operand::NONE);
                self.editor.set_terminator(self.f, dead, unreachable);
                let branch = InstData::branch(imm(-1), data.target(), dead);
                self.editor.set_terminator(self.f, block, branch);
            }
            Opcode::Switch => self.editor.drop_unreachable(),
            _ => {}
        }
    }

    fn split_predecessors(&mut self, block: Block) {
        let all = self.f.predecessors(block).to_vec();
        let free = all.iter().all(|from| !self.rewired[from.index()]) && !self.rewired[block.index()];
        if all.is_empty() || !free {
            return;
        }
        let some = &all[..1 + self.random.below(all.len())];
        self.editor.split_predecessors(self.f, block, some);
        some.iter().for_each(|from| self.rewired[from.index()] = true);
        self.rewired[block.index()] = true;
    }

    /// Merges a block into its only predecessor, or leads a predecessor past an empty block.
    fn merge_or_skip(&mut self, block: Block) {
        let from = self.f.predecessors(block).to_vec();
        let Some(&first) = from.first() else { return };
        let data = *self.f.inst(self.f.terminator(block));
        let jumps_here = self.f.inst(self.f.terminator(first)).op == Opcode::Jump;
        if self.rewired[first.index()] || self.rewired[block.index()] || first == block {
            return;
        }
        if from.len() == 1 && jumps_here && self.f.block_insts(block).all(|position| !self.touched[position]) {
            self.editor.merge_blocks(self.f, first, block);
            for position in self.f.block_insts(block) {
                self.touched[position] = true;
            }
        } else if data.op == Opcode::Jump {
            self.skip(first, block, data.target());
        }
    }

    /// Leads the edge from `first` past a block of which others use nothing, nor what was put there in its place.
    fn skip(&mut self, first: Block, block: Block, to: Block) {
        let used = self.f.block_insts(block).any(|position| {
            let data = self.f.inst(Inst::new(position));
            let local = data
                .first_result()
                .is_none_or(|value| self.f.values[value.index()].uses == 0);
            !local || self.touched[position]
        });
        if used || to == block || self.f.predecessors(to).contains(&first) || self.rewired[to.index()] {
            return;
        }
        self.editor.retarget(self.f, first, block, to);
        self.editor.copy_edge(to, first, block);
        for changed in [first, block, to] {
            self.rewired[changed.index()] = true;
        }
    }
}

fn text_of(module: &Module, function: &Function) -> String {
    let mut text = String::new();
    print_function(module, function, &mut text).expect("text grows");
    text
}

#[test]
fn random_edits_keep_the_function_whole_and_its_results() {
    let mut random = Random::new(1);
    let mut editor = Editor::default();
    let mut compared = 0;
    for _ in 0..1500 {
        let text = random_function(&mut random);
        let (module, mut bodies) = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let function = &mut bodies[0];
        assert_eq!(verify_function(&module, function), Ok(()), "{text}");
        let arguments = [random.below(50) as u128, random.below(1 << 32) as u128];
        let expected = run(&module, function, arguments);
        for _ in 0..4 {
            let before = text_of(&module, function);
            editor.begin(function);
            let touched = vec![false; function.insts.len()];
            let rewired = vec![false; function.blocks.len()];
            let mut edits = Edits {
                editor: &mut editor,
                f: function,
                random: &mut random,
                touched,
                rewired,
            };
            for _ in 0..edits.random.below(12) {
                edits.one();
            }
            editor.commit(function);
            let after = || format!("{before}\n{}", text_of(&module, function));
            assert_eq!(verify_function(&module, function), Ok(()), "{}", after());
            let mut cfg = crate::Cfg::default();
            cfg.compute(function);
            for block in function.block_ids() {
                assert_eq!(cfg.successors(block), function.cfg.successors(block), "{}", after());
                assert_eq!(cfg.predecessors(block), function.cfg.predecessors(block), "{}", after());
            }
            if let (Some(expected), Some(found)) = (&expected, run(&module, function, arguments)) {
                assert_eq!(expected, &found, "{}", after());
                compared += 1;
            }
        }
    }
    assert!(compared > 2000, "only {compared} runs ended");
}

/// Where most of the pool is dead, the rest moves together; lists without operands have a place there, too.
#[test]
fn operand_lists_move_together_empty_ones_too() {
    let mut text = String::from("func @f(i1, i32) {\nb0:\n");
    for value in 0..200 {
        writeln!(text, "  v{} = select i32 v0, v1, {value}", value + 2).expect("text grows");
    }
    text += "  return\n}\n";
    let (module, mut functions) = parse_module(&text).expect("the text is a module");
    let function = &mut functions[0];
    let mut editor = Editor::default();
    editor.begin(function);
    for inst in 0..200 {
        editor.remove(function, Inst::new(inst));
    }
    editor.commit(function);
    assert!(function.pool.len() < 10, "{} words are kept", function.pool.len());
    assert_eq!(
        text_of(&module, function),
        "func @f(i1 v0, i32 v1) {\nb0:\n  return\n}\n"
    );
}

/// Locations of instructions, and the operand of a variable, follow edits by the rules of `edit::debug`.
#[test]
fn debug_information_follows_edits() {
    let text = "func @f(i32 v0) -> i32 {
b0:
  v1 = add i32 v0, 1
  v2 = mul i32 v1, 3
  jump b1
b1:
  v3 = sub i32 v2, v0
  return v3
}
";
    let (_, mut functions) = parse_module(text).expect("parses");
    let f = &mut functions[0];
    f.debug.begin(0);
    f.debug.column = (1..=5).map(LocationId).collect();
    let value = |before: u32, operand: usize| DebugValue {
        before,
        kind: DebugKind::Value,
        variable: NodeId::new(0),
        expression: NodeRef::NONE,
        location: LocationId::NONE,
        operand: Operand::value(Value::new(operand)),
        constant: 0,
        argument: Argument::default(),
    };
    f.debug.values = vec![value(1, 1), value(4, 3), value(4, 2)];
    let mut editor = Editor::default();
    editor.begin(f);
    let four = Operand::imm(4).expect("small");
    let data = InstData::new(Opcode::Xor, Type::I32, 0, Operand::value(Value::new(0)), four);
    // A new instruction before the subtraction, which is removed; the product moves to the return.
    let new = editor
        .insert_before(f, Inst::new(3), data, Some(Type::I32))
        .expect("a result");
    editor.replace_uses(f, Value::new(3), Operand::value(new));
    editor.remove(f, Inst::new(3));
    editor.move_before(f, Inst::new(1), Inst::new(4));
    editor.commit(f);
    let ops: Vec<Opcode> = f.insts().iter().map(|data| data.op).collect();
    assert_eq!(
        ops,
        [Opcode::Add, Opcode::Jump, Opcode::Xor, Opcode::Mul, Opcode::Return]
    );
    let column: Vec<u32> = f.debug.column.iter().map(|location| location.0).collect();
    assert_eq!(column, [1, 3, 4, 5, 5]);
    let values: Vec<(u32, Operand)> = f
        .debug
        .values
        .iter()
        .map(|value| (value.before, value.operand))
        .collect();
    let operand = |value: usize| Operand::value(Value::new(value));
    assert_eq!(values, [(1, operand(1)), (4, Operand::value(new)), (4, operand(2))]);
    // What nothing defines any more is lost.
    editor.begin(f);
    editor.replace_uses(f, Value::new(1), four);
    editor.remove(f, Inst::new(0));
    editor.commit(f);
    assert_eq!(f.debug.values[0].operand, four);
    editor.begin(f);
    editor.remove(f, Inst::new(2));
    editor.commit(f);
    assert!(f.debug.values[2].operand.is_none(), "{:?}", f.debug.values);
}

/// A branch past a block that says something, and one past a block whose condition is never true, look the same.
#[test]
fn variables_are_lost_where_paths_lead_past_their_values() {
    let text = "func @f(i1 v0) -> i32 {
b0:
  branch v0, b1, b2
b1:
  jump b3
b2:
  jump b3
b3:
  return 0
}
";
    let (_, mut functions) = parse_module(text).expect("parses");
    let f = &mut functions[0];
    f.debug.begin(0);
    let value = |before: u32, variable: usize| DebugValue {
        before,
        kind: DebugKind::Value,
        variable: NodeId::new(variable),
        expression: NodeRef::NONE,
        location: LocationId::NONE,
        operand: Operand::ZERO,
        constant: 0,
        argument: Argument::default(),
    };
    f.debug.values = vec![value(0, 0), value(0, 1), value(1, 0), value(2, 2), value(3, 2)];
    let mut editor = Editor::default();
    editor.begin(f);
    editor.retarget(f, Block::new(0), Block::new(1), Block::new(3));
    editor.drop_unreachable();
    editor.commit(f);
    let values: Vec<(u32, usize, bool)> = f
        .debug
        .values
        .iter()
        .map(|value| (value.before, value.variable.index(), value.is_lost()))
        .collect();
    let kept = [(0, 0, false), (0, 1, false), (1, 2, false)];
    assert_eq!(values, [kept.as_slice(), &[(2, 0, true), (2, 2, false)]].concat());
}
