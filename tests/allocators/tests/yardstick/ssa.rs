//! A machine function as `regalloc2` takes it: in SSA form, with constraints instead of copies.
//!
//! Method: registers that are defined in several blocks get block parameters where their definitions meet and they are
//! still needed (Cytron et al., "Efficiently Computing Static Single Assignment Form and the Control Dependence
//! Graph"); a walk over the dominator tree gives every definition a name. A copy gives its source's name to its
//! destination, so that it is `regalloc2`'s business whether there is a move. Two-address operands are uses and
//! definitions that reuse their register. Physical registers that code names live in one block: whoever reads one has a
//! use with that register as constraint, whoever writes one a definition, or a clobber if nothing reads it.
//! Non-allocatable registers are left out. Constants of edges are made where the edge is.
//!
//! Each block gets a branch without operands as its end; the real branches stand before it.

use super::graph::{Graph, Node};
use super::unit::{Facts, Member, Unit, copy, members, units};
use frazil_codegen::mfunc::pseudo;
use frazil_codegen::{MFunc, PRegSet, Reg, RegClass};
use regalloc2::{Block, Inst, InstRange, Operand, OperandConstraint, OperandKind, OperandPos, PReg, VReg};
use std::collections::HashMap;

#[derive(Debug, Default)]
struct Instruction {
    operands: Vec<Operand>,
    clobbers: regalloc2::PRegSet,
}

/// A block with its branch.
#[derive(Debug, Default)]
struct BlockData {
    first: usize,
    end: usize,
    successors: Vec<Block>,
    predecessors: Vec<Block>,
    parameters: Vec<VReg>,
    /// By successor.
    arguments: Vec<Vec<VReg>>,
}

#[derive(Debug, Default)]
pub struct SsaFunction {
    blocks: Vec<BlockData>,
    insts: Vec<Instruction>,
    /// By instruction: its block.
    block_of: Vec<u32>,
    names: usize,
    /// Constants that are made on edges, by block.
    pub edge_constants: Vec<u32>,
}

impl SsaFunction {
    /// Translates a function.
    pub fn new(func: &MFunc, graph: &Graph, facts: Facts) -> SsaFunction {
        let mut translation = Translation {
            func,
            graph,
            facts,
            parameters: parameters(func, graph, facts),
            current: vec![None; func.vregs.len()],
            names: 0,
            nodes: graph.nodes.iter().map(|_| NodeData::default()).collect(),
            undo: Vec::new(),
        };
        translation.walk();
        translation.finish()
    }

    /// The block of an instruction.
    pub fn block_of(&self, inst: Inst) -> usize {
        self.block_of[inst.index()] as usize
    }
}

/// A node while it is filled.
#[derive(Debug, Default)]
struct NodeData {
    insts: Vec<Instruction>,
    parameters: Vec<VReg>,
    arguments: Vec<Vec<VReg>>,
    edge_constants: u32,
}

struct Translation<'a> {
    func: &'a MFunc,
    graph: &'a Graph,
    facts: Facts,
    /// By block.
    parameters: Vec<Parameters>,
    /// By virtual register: its name at this place.
    current: Vec<Option<VReg>>,
    names: usize,
    nodes: Vec<NodeData>,
    /// What `current` was, to be restored when the walk leaves the subtree of the dominator tree.
    undo: Vec<(u32, Option<VReg>)>,
}

/// Physical registers with their names, within a block.
type Fixed = HashMap<u32, VReg>;

impl Translation<'_> {
    /// Walks over the dominator tree.
    fn walk(&mut self) {
        let mut stack = vec![(0, false, 0)];
        while let Some((block, is_left, undo)) = stack.pop() {
            if is_left {
                for (vreg, name) in self.undo.drain(undo..).rev() {
                    self.current[vreg as usize] = name;
                }
                continue;
            }
            stack.push((block, true, self.undo.len()));
            self.translate(block);
            stack.extend(
                self.graph.dominated[block as usize]
                    .iter()
                    .map(|&block| (block, false, 0)),
            );
        }
    }

    fn translate(&mut self, block: u32) {
        let node = self.graph.of_block[block as usize] as usize;
        self.enter(block, node);
        let units = units(self.func, block);
        let needed = self.needed(&units);
        let mut fixed = Fixed::new();
        for (unit, needed) in units.iter().zip(needed) {
            match copy(self.func, unit, self.facts) {
                Some((dst, src)) => {
                    let name = self.name_of(src, node, &fixed);
                    self.set(dst, name, &mut fixed);
                }
                None => self.translate_unit(unit, needed, node, &mut fixed),
            }
        }
        for edge in self.func.edges_of(block) {
            self.leave(edge, node);
        }
    }

    /// Defines what the moves of the edges into a block define.
    fn enter(&mut self, block: u32, node: usize) {
        let entering = self.func.pred_edges(block);
        if let &[edge] = entering {
            let moves = self.func.moves_of(edge as usize).to_vec();
            let names: Vec<VReg> = moves.iter().map(|phi| self.source(phi.src, node)).collect();
            for (phi, name) in moves.iter().zip(names) {
                self.rename(phi.dst, name);
            }
            return;
        }
        for index in 0..self.parameters[block as usize].list.len() {
            let reg = Reg::virtual_number(self.parameters[block as usize].list[index]);
            let name = self.new_name(self.func.vreg(reg).class);
            self.rename(reg, name);
            self.nodes[node].parameters.push(name);
        }
    }

    /// Collects the arguments of an edge.
    fn leave(&mut self, edge: usize, node: usize) {
        let to = self.func.edges[edge].to;
        let place = self.graph.of_edge[edge].map_or(node, |node| node as usize);
        let mut arguments = Vec::new();
        if self.func.pred_edges(to).len() > 1 {
            let sources: HashMap<Reg, Reg> = (self.func.moves_of(edge).iter())
                .map(|phi| (phi.dst, phi.src))
                .collect();
            for index in 0..self.parameters[to as usize].list.len() {
                let reg = Reg::virtual_number(self.parameters[to as usize].list[index]);
                arguments.push(match sources.get(&reg) {
                    Some(&source) => self.source(source, place),
                    // A phi that the edge does not set becomes anything.
                    None if index < self.parameters[to as usize].phis => {
                        self.define(self.func.vreg(reg).class, OperandConstraint::Any, place)
                    }
                    None => self.source(reg, place),
                });
            }
        }
        if place == node {
            self.nodes[node].arguments.push(arguments);
        } else {
            self.nodes[node].arguments.push(Vec::new());
            self.nodes[place].arguments.push(arguments);
        }
    }

    /// The name of the source of an edge's move; a constant is made at the end of the node.
    fn source(&mut self, reg: Reg, node: usize) -> VReg {
        let data = self.func.vreg(reg);
        if data.constant.is_none() {
            return self.name_of(reg, node, &Fixed::new());
        }
        self.nodes[node].edge_constants += 1;
        self.define(data.class, OperandConstraint::Reg, node)
    }

    /// The name of a register; contents that nobody cares about come from nowhere.
    fn name_of(&mut self, reg: Reg, node: usize, fixed: &Fixed) -> VReg {
        let (known, class) = if reg.is_virtual() {
            (self.current[reg.virtual_index()], self.func.vreg(reg).class)
        } else {
            (fixed.get(&reg.0).copied(), class_of(reg))
        };
        known.unwrap_or_else(|| self.define(class, OperandConstraint::Any, node))
    }

    /// Adds an instruction that defines something new.
    fn define(&mut self, class: RegClass, constraint: OperandConstraint, node: usize) -> VReg {
        let name = self.new_name(class);
        let operand = Operand::new(name, constraint, OperandKind::Def, OperandPos::Late);
        self.nodes[node].insts.push(Instruction {
            operands: vec![operand],
            ..Instruction::default()
        });
        name
    }

    fn new_name(&mut self, class: RegClass) -> VReg {
        self.names += 1;
        VReg::new(self.names - 1, their_class(class))
    }

    fn set(&mut self, reg: Reg, name: VReg, fixed: &mut Fixed) {
        if reg.is_virtual() {
            self.rename(reg, name);
        } else {
            fixed.insert(reg.0, name);
        }
    }

    fn rename(&mut self, reg: Reg, name: VReg) {
        let old = self.current[reg.virtual_index()].replace(name);
        self.undo.push((reg.virtual_index() as u32, old));
    }

    /// By unit: the physical registers that are read after it before they are written.
    fn needed(&self, units: &[Unit]) -> Vec<PRegSet> {
        let mut needed = PRegSet::EMPTY;
        let mut found = Vec::new();
        for unit in units.iter().rev() {
            found.push(needed);
            let members = members(self.func, unit, self.facts);
            let physical = || members.iter().filter(|member| member.reg.is_physical());
            physical()
                .filter(|member| member.writes)
                .for_each(|member| needed.remove(member.reg));
            physical()
                .filter(|member| member.reads)
                .for_each(|member| needed.insert(member.reg));
        }
        found.reverse();
        found
    }

    fn translate_unit(&mut self, unit: &Unit, needed: PRegSet, node: usize, fixed: &mut Fixed) {
        let members = members(self.func, unit, self.facts);
        let is_empty = |inst: u32| matches!(self.func.insts[inst as usize].op, pseudo::NOP | pseudo::LABEL);
        if unit.insts.clone().all(is_empty) {
            return;
        }
        let mut inst = Instruction::default();
        // Beside an operand that reuses a register, `regalloc2` takes no physical register that is read and written.
        // What does both (exchanges) gets a result in any register, at worst a move less than it needs.
        let may_reuse = !members
            .iter()
            .any(|member| member.reg.is_physical() && member.reads && member.writes);
        let mut reused = Vec::new();
        for member in members.iter().filter(|member| member.reads) {
            let name = self.name_of(member.reg, node, fixed);
            // A fixed register is not reused: what is written to it is another operand with the same constraint.
            if member.writes && member.reg.is_virtual() && may_reuse {
                reused.push((member.reg, inst.operands.len()));
            }
            let lives_on = unit.is_group && !member.writes;
            let position = if lives_on { OperandPos::Late } else { OperandPos::Early };
            let constraint = constraint(member);
            inst.operands
                .push(Operand::new(name, constraint, OperandKind::Use, position));
        }
        let mut defined = Vec::new();
        for member in members.iter().filter(|member| member.writes) {
            if member.reg.is_physical() && !needed.contains(member.reg) {
                inst.clobbers.add(their_register(member.reg));
                continue;
            }
            let class = match member.reg.is_virtual() {
                true => self.func.vreg(member.reg).class,
                false => class_of(member.reg),
            };
            let name = self.new_name(class);
            let constraint = match reused.iter().find(|entry| entry.0 == member.reg && member.reads) {
                Some(&(_, operand)) => OperandConstraint::Reuse(operand),
                None => constraint(member),
            };
            let begins = unit.is_group && !member.reads;
            let position = if begins { OperandPos::Early } else { OperandPos::Late };
            inst.operands
                .push(Operand::new(name, constraint, OperandKind::Def, position));
            defined.push((member.reg, name));
        }
        for (reg, name) in defined {
            self.set(reg, name, fixed);
        }
        self.nodes[node].insts.push(inst);
    }

    /// Puts the nodes one after the other.
    fn finish(self) -> SsaFunction {
        let mut out = SsaFunction {
            names: self.names,
            ..SsaFunction::default()
        };
        for (number, (node, mut data)) in self.graph.nodes.iter().zip(self.nodes).enumerate() {
            data.insts.push(Instruction::default());
            out.edge_constants.push(data.edge_constants);
            let first = out.insts.len();
            out.insts.extend(data.insts);
            out.block_of.resize(out.insts.len(), number as u32);
            let of_block = |block: u32| Block::new(self.graph.of_block[block as usize] as usize);
            let successors = match *node {
                Node::Edge(edge) => vec![of_block(self.func.edges[edge as usize].to)],
                Node::Block(block) => (self.func.edges_of(block))
                    .map(|edge| match self.graph.of_edge[edge] {
                        Some(node) => Block::new(node as usize),
                        None => of_block(self.func.edges[edge].to),
                    })
                    .collect(),
            };
            out.blocks.push(BlockData {
                first,
                end: out.insts.len(),
                successors,
                predecessors: Vec::new(),
                parameters: data.parameters,
                arguments: data.arguments,
            });
        }
        for number in 0..out.blocks.len() {
            for successor in out.blocks[number].successors.clone() {
                out.blocks[successor.index()].predecessors.push(Block::new(number));
            }
        }
        out
    }
}

/// Where the contents of a member must be.
fn constraint(member: &Member) -> OperandConstraint {
    match (member.reg.is_physical(), member.may_be_in_memory) {
        (true, _) => OperandConstraint::FixedReg(their_register(member.reg)),
        (false, true) => OperandConstraint::Any,
        (false, false) => OperandConstraint::Reg,
    }
}

/// The virtual registers that are parameters of a block.
#[derive(Clone, Debug, Default)]
struct Parameters {
    list: Vec<u32>,
    /// So many of them, the first, are phis.
    phis: usize,
}

/// The parameters of each block: registers of phis, and registers with definitions in several blocks where these meet.
fn parameters(func: &MFunc, graph: &Graph, facts: Facts) -> Vec<Parameters> {
    let mut parameters = vec![Parameters::default(); func.blocks.len()];
    let mut definitions: Vec<Vec<u32>> = vec![Vec::new(); func.vregs.len()];
    let mut exposed: Vec<Vec<u32>> = vec![Vec::new(); func.vregs.len()];
    for block in 0..func.blocks.len() as u32 {
        let entering = func.pred_edges(block);
        for &edge in entering {
            for phi in func.moves_of(edge as usize) {
                let vreg = phi.dst.virtual_index() as u32;
                let list = &mut parameters[block as usize].list;
                if entering.len() > 1 && !list.contains(&vreg) {
                    list.push(vreg);
                }
                add(&mut definitions[vreg as usize], block);
            }
        }
        parameters[block as usize].phis = parameters[block as usize].list.len();
        for unit in units(func, block) {
            let members = members(func, &unit, facts);
            let of_virtual = || members.iter().filter(|member| member.reg.is_virtual());
            for member in of_virtual().filter(|member| member.reads) {
                let vreg = member.reg.virtual_index();
                if definitions[vreg].last() != Some(&block) {
                    add(&mut exposed[vreg], block);
                }
            }
            for member in of_virtual().filter(|member| member.writes) {
                add(&mut definitions[member.reg.virtual_index()], block);
            }
        }
        for edge in func.edges_of(block) {
            for phi in func.moves_of(edge) {
                if definitions[phi.src.virtual_index()].last() != Some(&block) {
                    add(&mut exposed[phi.src.virtual_index()], block);
                }
            }
        }
    }
    let mut live_at = vec![u32::MAX; func.blocks.len()];
    for vreg in 0..func.vregs.len() {
        if definitions[vreg].len() < 2 {
            continue;
        }
        mark_live(func, vreg as u32, &definitions[vreg], &exposed[vreg], &mut live_at);
        let mut pending = definitions[vreg].clone();
        while let Some(block) = pending.pop() {
            for &meeting in &graph.frontier[block as usize] {
                let found = &mut parameters[meeting as usize].list;
                if live_at[meeting as usize] == vreg as u32 && !found.contains(&(vreg as u32)) {
                    found.push(vreg as u32);
                    pending.push(meeting);
                }
            }
        }
    }
    parameters
}

fn add(list: &mut Vec<u32>, block: u32) {
    if list.last() != Some(&block) {
        list.push(block);
    }
}

/// Marks the blocks at whose start a register is needed.
fn mark_live(func: &MFunc, vreg: u32, definitions: &[u32], exposed: &[u32], live_at: &mut [u32]) {
    let mut pending = exposed.to_vec();
    while let Some(block) = pending.pop() {
        if std::mem::replace(&mut live_at[block as usize], vreg) == vreg {
            continue;
        }
        let from = func
            .pred_edges(block)
            .iter()
            .map(|&edge| func.edges[edge as usize].from);
        pending.extend(from.filter(|from| definitions.binary_search(from).is_err()));
    }
}

fn class_of(reg: Reg) -> RegClass {
    if reg.bank() == 0 {
        RegClass::Int
    } else {
        RegClass::Float
    }
}

fn their_class(class: RegClass) -> regalloc2::RegClass {
    match class {
        RegClass::Int => regalloc2::RegClass::Int,
        RegClass::Float => regalloc2::RegClass::Float,
        RegClass::Mask => regalloc2::RegClass::Vector,
    }
}

/// `regalloc2`'s name of a physical register.
pub fn their_register(reg: Reg) -> PReg {
    PReg::new(reg.number() as usize, their_class(class_of(reg)))
}

impl regalloc2::Function for SsaFunction {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let data = &self.blocks[block.index()];
        InstRange::new(Inst::new(data.first), Inst::new(data.end))
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].successors
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].predecessors
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.blocks[block.index()].parameters
    }

    fn is_ret(&self, inst: Inst) -> bool {
        self.is_end(inst) && self.blocks[self.block_of(inst)].successors.is_empty()
    }

    fn is_branch(&self, inst: Inst) -> bool {
        self.is_end(inst) && !self.blocks[self.block_of(inst)].successors.is_empty()
    }

    fn branch_blockparams(&self, block: Block, _: Inst, successor: usize) -> &[VReg] {
        &self.blocks[block.index()].arguments[successor]
    }

    fn inst_operands(&self, inst: Inst) -> &[Operand] {
        &self.insts[inst.index()].operands
    }

    fn inst_clobbers(&self, inst: Inst) -> regalloc2::PRegSet {
        self.insts[inst.index()].clobbers
    }

    fn num_vregs(&self) -> usize {
        self.names
    }

    fn spillslot_size(&self, _: regalloc2::RegClass) -> usize {
        1
    }
}

impl SsaFunction {
    fn is_end(&self, inst: Inst) -> bool {
        inst.index() + 1 == self.blocks[self.block_of(inst)].end
    }
}
