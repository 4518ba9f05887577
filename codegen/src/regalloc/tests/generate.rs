//! Random machine functions: any control flow, variables that are defined again and again, phis, calls, groups.

use super::ops::{Op, P0, P1, SAVED};
use crate::branch::Join;
use crate::mfunc::{MBlock, MEdge, MFunc, PhiMove, RegSets, Term, pseudo};
use crate::minst::{MInst, Mem};
use crate::reg::{PRegSet, Reg, RegClass};
use frazil_test_support::Random;

/// The shape of the functions that are generated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub blocks: usize,
    pub insts_per_block: usize,
    pub variables: usize,
}

struct Maker<'a> {
    random: &'a mut Random,
    func: MFunc,
    ints: Vec<Reg>,
    floats: Vec<Reg>,
    /// Integer registers with a single definition.
    fixed_ints: Vec<Reg>,
    temps: Vec<Reg>,
}

pub(crate) fn function(random: &mut Random, shape: Shape) -> MFunc {
    let mut maker = Maker {
        random,
        func: MFunc::default(),
        ints: Vec::new(),
        floats: Vec::new(),
        fixed_ints: Vec::new(),
        temps: Vec::new(),
    };
    maker.make(shape);
    let mut func = maker.func;
    func.origins = vec![0; func.insts.len()];
    func.compute_predecessors();
    func
}

/// An instruction on 8 bytes.
pub(super) fn inst(op: Op, regs: [Reg; 3]) -> MInst {
    MInst::new(op as u16, 8).with_regs(regs)
}

impl Maker<'_> {
    fn make(&mut self, shape: Shape) {
        let count = shape.blocks;
        for number in 0..count {
            let start = self.func.insts.len() as u32;
            self.temps.clear();
            if number == 0 {
                self.entry(shape.variables);
            }
            for _ in 0..self.random.below(shape.insts_per_block + 1) {
                self.instruction();
            }
            let term = self.terminator(number, count);
            self.func.blocks.push(MBlock {
                start,
                end: self.func.insts.len() as u32,
                first_edge: 0,
                edge_count: 0,
                term,
                loop_depth: 0,
                loop_end: number as u32 + 1,
                source: number as u32,
            });
        }
        self.edges(count);
    }

    fn entry(&mut self, variables: usize) {
        let sets = RegSets::new(PRegSet::EMPTY, PRegSet::of(&[P0, P1]));
        self.push_sets(pseudo::ENTRY, sets, Reg::NONE);
        for arg in [P0, P1] {
            let var = self.int();
            self.fixed_ints.push(var);
            self.push(Op::Move, [var, arg, Reg::NONE]);
        }
        for index in 0..variables.max(2) {
            let var = self.int();
            self.constant(var);
            if index % 2 == 0 {
                self.ints.push(var);
            } else {
                self.fixed_ints.push(var);
            }
            if index % 4 == 0 {
                let float = self.func.new_vreg(RegClass::Float, 8, u32::MAX);
                self.push(Op::ToFloat, [float, var, Reg::NONE]);
                self.floats.push(float);
            }
        }
    }

    fn int(&mut self) -> Reg {
        self.func.new_vreg(RegClass::Int, 8, u32::MAX)
    }

    fn push(&mut self, op: Op, regs: [Reg; 3]) {
        self.func.insts.push(inst(op, regs));
    }

    fn push_sets(&mut self, op: u16, sets: RegSets, reg: Reg) {
        let set = self.func.sets.len() as i32;
        let inst = MInst::new(op, 8).with_regs([reg, Reg::NONE, Reg::NONE]);
        self.func.insts.push(inst.with_imm(set));
        self.func.sets.push(sets);
    }

    fn constant(&mut self, dst: Reg) {
        let imm = self.random.below(1000) as i32;
        self.func
            .insts
            .push(inst(Op::Const, [dst, Reg::NONE, Reg::NONE]).with_imm(imm));
    }

    /// A register with a definition.
    fn any(&mut self) -> Reg {
        let lists = [&self.ints, &self.fixed_ints, &self.temps];
        let list = lists[self.random.below(3)];
        let list = if list.is_empty() { &self.fixed_ints } else { list };
        list[self.random.below(list.len())]
    }

    fn any_float(&mut self) -> Reg {
        self.floats[self.random.below(self.floats.len())]
    }

    /// A register to be defined.
    fn target(&mut self) -> Reg {
        if self.random.one_in(3) {
            return self.ints[self.random.below(self.ints.len())];
        }
        self.int()
    }

    fn wrote(&mut self, reg: Reg) {
        if !self.ints.contains(&reg) {
            self.temps.push(reg);
        }
    }

    fn memory(&mut self, op: Op, reg: Reg) {
        let (base, index) = (self.any(), if self.random.one_in(2) { self.any() } else { Reg::NONE });
        let mem = Mem::indexed(base, index, 0, self.random.below(100) as i32);
        self.func
            .insts
            .push(inst(op, [reg, Reg::NONE, Reg::NONE]).with_mem(mem));
    }

    fn instruction(&mut self) {
        match self.random.below(16) {
            0 => {
                let dst = self.target();
                self.constant(dst);
                self.wrote(dst);
            }
            1..4 => {
                let (a, b, dst) = (self.any(), self.any(), self.target());
                self.push(Op::Three, [dst, a, b]);
                self.wrote(dst);
            }
            4..7 => {
                let (a, b, dst) = (self.any(), self.any(), self.int());
                self.push(Op::Move, [dst, a, Reg::NONE]);
                match self.random.below(4) {
                    0 => self.push(Op::One, [dst, Reg::NONE, Reg::NONE]),
                    1 => {
                        let c = self.any();
                        self.push(Op::Fuse, [dst, b, c]);
                    }
                    2 => {
                        self.memory(Op::FuseFromMem, dst);
                        let inst = self.func.insts.last_mut().expect("it was just pushed");
                        inst.set_reg(3, b);
                    }
                    _ => self.push(Op::Two, [dst, b, Reg::NONE]),
                }
                self.wrote(dst);
            }
            7 => {
                let (src, dst) = (self.any(), self.target());
                self.push(Op::Move, [dst, src, Reg::NONE]);
                self.wrote(dst);
            }
            8 => {
                let dst = self.target();
                self.memory(Op::Load, dst);
                self.wrote(dst);
            }
            9 => {
                let src = self.any();
                self.memory(Op::Store, src);
            }
            10 => self.divide(),
            11 => {
                let (a, b, dst) = (self.any(), self.any(), self.int());
                self.push(Op::Move, [P1, b, Reg::NONE]);
                self.push(Op::Move, [dst, a, Reg::NONE]);
                self.push(Op::Shift, [dst, Reg::NONE, Reg::NONE]);
                self.wrote(dst);
            }
            12 => self.group(),
            13 => self.float(),
            14 if self.random.one_in(2) => {
                let (a, b) = (self.int(), self.int());
                let (x, y) = (self.any(), self.any());
                self.push(Op::Move, [a, x, Reg::NONE]);
                self.push(Op::Move, [b, y, Reg::NONE]);
                self.push(Op::Swap, [a, b, Reg::NONE]);
                self.wrote(a);
                self.wrote(b);
            }
            _ => self.call(),
        }
    }

    fn divide(&mut self) {
        let (a, b, c, dst) = (self.any(), self.any(), self.any(), self.target());
        self.push(Op::Move, [P0, a, Reg::NONE]);
        self.push(Op::Move, [P1, b, Reg::NONE]);
        self.push(Op::Divide, [c, Reg::NONE, Reg::NONE]);
        self.push(Op::Move, [dst, P0, Reg::NONE]);
        self.wrote(dst);
    }

    fn float(&mut self) {
        let (a, b) = (self.any_float(), self.any_float());
        match self.random.below(3) {
            0 => self.push(Op::Float, [a, b, a]),
            1 => self.push(Op::FloatMove, [a, b, Reg::NONE]),
            _ => {
                let dst = self.target();
                self.push(Op::ToInt, [dst, a, Reg::NONE]);
                self.wrote(dst);
            }
        }
    }

    fn call(&mut self) {
        let mut uses = PRegSet::EMPTY;
        for arg in &[P0, P1][..self.random.below(3)] {
            let value = self.any();
            self.push(Op::Move, [*arg, value, Reg::NONE]);
            uses.insert(*arg);
        }
        let sets = RegSets::new(uses, PRegSet::from_banks(0xff, 0xf).minus(SAVED));
        if self.random.one_in(3) {
            let callee = self.any();
            self.push_sets(Op::CallReg as u16, sets, callee);
        } else {
            self.push_sets(Op::Call as u16, sets, Reg::NONE);
        }
        if !self.random.one_in(3) {
            let dst = self.target();
            self.push(Op::Move, [dst, P0, Reg::NONE]);
            self.wrote(dst);
        }
    }

    fn group(&mut self) {
        let start = self.func.insts.len() as u32;
        let (a, b) = (self.any(), self.any());
        let (first, second) = (self.int(), self.target());
        self.push(Op::Three, [first, a, b]);
        self.push(Op::Three, [second, first, a]);
        self.func.groups.push(start..self.func.insts.len() as u32);
        self.wrote(first);
        self.wrote(second);
    }

    fn terminator(&mut self, number: usize, count: usize) -> Term {
        if number + 1 == count {
            for (reg, float) in [(P0, false), (Reg::physical(1, 0), true)] {
                let (value, op) = if float {
                    (self.any_float(), Op::FloatMove)
                } else {
                    (self.any(), Op::Move)
                };
                self.push(op, [reg, value, Reg::NONE]);
            }
            let sets = RegSets::new(PRegSet::of(&[P0, Reg::physical(1, 0)]), PRegSet::EMPTY);
            self.push_sets(pseudo::RETURN, sets, Reg::NONE);
            return Term::Return;
        }
        let (a, b) = (self.any(), self.any());
        match self.random.below(4) {
            0 => Term::Jump,
            1 => {
                let (c, d) = (self.any(), self.any());
                self.push(Op::Branch, [a, b, Reg::NONE]);
                self.push(Op::Branch, [c, d, Reg::NONE]);
                Term::Branch(Some(if self.random.one_in(2) { Join::And } else { Join::Or }))
            }
            _ => {
                self.push(Op::Branch, [a, b, Reg::NONE]);
                Term::Branch(None)
            }
        }
    }

    fn edges(&mut self, count: usize) {
        let mut has_pred = vec![false; count];
        for number in 0..count {
            let first_edge = self.func.edges.len() as u32;
            let targets = match self.func.blocks[number].term {
                Term::Jump => vec![number + 1],
                Term::Branch(_) => vec![1 + self.random.below(count - 1), number + 1],
                _ => vec![],
            };
            for &to in &targets {
                has_pred[to] = true;
                if to <= number {
                    let header = &mut self.func.blocks[to];
                    header.loop_end = header.loop_end.max(number as u32 + 1);
                    for block in &mut self.func.blocks[to..=number] {
                        block.loop_depth = (block.loop_depth + 1).min(4);
                    }
                }
                self.edge(number, to);
            }
            let block = &mut self.func.blocks[number];
            (block.first_edge, block.edge_count) = (first_edge, targets.len() as u32);
        }
        self.complete_edges();
    }

    /// Adds moves to edges: if one edge into a block writes a register, it keeps its value on the others.
    fn complete_edges(&mut self) {
        let old = std::mem::take(&mut self.func.phi_moves);
        let moves_of = |edge: &MEdge| &old[edge.first_move as usize..(edge.first_move + edge.move_count) as usize];
        let mut edges = self.func.edges.clone();
        for edge in &mut edges {
            let first_move = self.func.phi_moves.len();
            self.func.phi_moves.extend(moves_of(edge));
            for other in self.func.edges.iter().filter(|other| other.to == edge.to) {
                for phi in moves_of(other) {
                    if self.func.phi_moves[first_move..]
                        .iter()
                        .all(|known| known.dst != phi.dst)
                    {
                        self.func.phi_moves.push(PhiMove {
                            dst: phi.dst,
                            src: phi.dst,
                        });
                    }
                }
            }
            edge.first_move = first_move as u32;
            edge.move_count = (self.func.phi_moves.len() - first_move) as u32;
        }
        self.func.edges = edges;
    }

    fn edge(&mut self, from: usize, to: usize) {
        let first_move = self.func.phi_moves.len() as u32;
        let mut move_count = 0;
        for index in 0..self.ints.len() {
            if self.random.one_in(3) {
                let dst = self.ints[index];
                let src = if self.random.one_in(6) {
                    self.edge_constant()
                } else if self.random.one_in(2) {
                    self.ints[self.random.below(self.ints.len())]
                } else {
                    self.fixed_ints[self.random.below(self.fixed_ints.len())]
                };
                self.func.phi_moves.push(PhiMove { dst, src });
                move_count += 1;
            }
        }
        self.func.edges.push(MEdge {
            from: from as u32,
            to: to as u32,
            label: None,
            first_move,
            move_count,
        });
    }

    fn edge_constant(&mut self) -> Reg {
        let reg = self.int();
        self.func.vregs[reg.virtual_index()].constant = Some(self.func.constants.len() as u32);
        let imm = self.random.below(1000) as i32;
        self.func
            .constants
            .push(inst(Op::Const, [reg, Reg::NONE, Reg::NONE]).with_imm(imm));
        reg
    }
}
