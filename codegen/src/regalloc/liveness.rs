//! Liveness: which virtual registers are live at the end of which blocks.
//!
//! Method: one forward walk finds the upward-exposed uses of each block, that is, uses that no definition in the same
//! block precedes. From each of these, the control flow graph is followed backward until a definition is reached (path
//! exploration: Boissinot and others, "Computing Liveness Sets for SSA-Form Programs", section 6). The work is
//! proportional to the size of the result, whatever the shape of the graph, and registers that are live in one block
//! only cost nothing. Registers with one definition, which are almost all, are treated by [`super::regions`] instead.

use super::positions::{NONE, Positions};
use super::regions::{AT_END, Regions};
use crate::desc::SLOTS;
use crate::desc::{OpDesc, Role};
use crate::mfunc::{MFunc, for_each_register, op_desc};
use crate::reg::Reg;

/// A list of numbers for each group, in one array.
#[derive(Debug, Default)]
pub(super) struct Grouped {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Grouped {
    /// Sorts pairs of a group and an item into the groups; items keep their order.
    pub(super) fn fill(&mut self, groups: usize, pairs: &[(u32, u32)]) {
        self.start.clear();
        self.start.resize(groups + 2, 0);
        for &(group, _) in pairs {
            self.start[group as usize + 2] += 1;
        }
        for group in 2..groups + 2 {
            self.start[group] += self.start[group - 1];
        }
        self.items.clear();
        self.items.resize(pairs.len(), 0);
        for &(group, item) in pairs {
            let place = &mut self.start[group as usize + 1];
            self.items[*place as usize] = item;
            *place += 1;
        }
    }

    #[inline]
    pub(super) fn of(&self, group: u32) -> &[u32] {
        let group = group as usize;
        &self.items[self.start[group] as usize..self.start[group + 1] as usize]
    }
}

/// Liveness at the ends of blocks, and its scratch memory.
#[derive(Debug, Default)]
pub(super) struct Liveness {
    /// By block: registers that are live at its end, as single blocks.
    pub live_out: Grouped,
    /// By block: registers whose region ends with this block. It extends backward to the start of a block where
    /// `closes` names the register.
    pub opens: Grouped,
    pub closes: Grouped,
    pub regions: Regions,
    /// By register: the moves of edges that define it.
    pub phi_moves: Grouped,
    /// By phi move: the edge that it is on.
    pub move_edge: Vec<u32>,
    /// By register: the first block, in layout order, with an instruction that defines it.
    def_block: Vec<u32>,
    /// Further blocks with definitions, as sorted pairs of register and block.
    more_defs: Vec<(u32, u32)>,
    exposed: Vec<(u32, u32)>,
    exposed_of: Grouped,
    pairs: Vec<(u32, u32)>,
    seen_in_block: Vec<(u32, u32)>,
    stamps: Vec<[u32; 2]>,
    edge_stamps: Vec<u32>,
    work: Vec<u32>,
}

impl Liveness {
    /// Computes liveness. After `budget` regions, whole ranges are taken instead (see [`super::regions`]).
    pub(super) fn compute(&mut self, func: &MFunc, ops: &'static [OpDesc], positions: &Positions, budget: usize) {
        self.find_exposed(func, ops);
        self.collect_phi_moves(func);
        self.exposed_of.fill(func.vregs.len(), &self.exposed);
        self.pairs.clear();
        self.stamps.clear();
        self.stamps.resize(func.blocks.len(), [NONE; 2]);
        self.edge_stamps.clear();
        self.edge_stamps.resize(func.edges.len(), NONE);
        self.regions.prepare(func, positions);
        for vreg in 0..func.vregs.len() as u32 {
            let exposed = self.exposed_of.of(vreg);
            if exposed.is_empty() {
                continue;
            }
            let Some(def) = self.only_definition(func, vreg) else {
                self.explore(func, vreg);
                continue;
            };
            let is_too_much = self.regions.found.len() > budget;
            if !is_too_much || !self.regions.take_all(positions, vreg, def, exposed) {
                self.regions.explore(func, positions, vreg, def, exposed);
            }
        }
        self.pairs.append(&mut self.regions.defined);
        self.live_out.fill(func.blocks.len(), &self.pairs);
        let found = &self.regions.found;
        self.pairs.clear();
        self.pairs.extend(found.iter().map(|&(_, end, vreg)| (end - 1, vreg)));
        self.opens.fill(func.blocks.len(), &self.pairs);
        self.pairs.clear();
        self.pairs.extend(found.iter().map(|&(start, _, vreg)| (start, vreg)));
        self.closes.fill(func.blocks.len(), &self.pairs);
    }

    /// The block that defines a register, if there is only one and no use in it reads the value of an earlier
    /// iteration.
    fn only_definition(&self, func: &MFunc, vreg: u32) -> Option<u32> {
        let by_inst = self.def_block[vreg as usize];
        let moves = self.phi_moves.of(vreg);
        let Some(&first) = moves.first() else {
            let more = self.more_defs.partition_point(|&(other, _)| other < vreg);
            let is_only = by_inst != NONE && self.more_defs.get(more).is_none_or(|&(other, _)| other != vreg);
            return (is_only && !self.exposed_of.of(vreg).contains(&by_inst)).then_some(by_inst);
        };
        let target = |number: u32| func.edges[self.move_edge[number as usize] as usize].to;
        let block = target(first);
        (by_inst == NONE && moves.iter().all(|&number| target(number) == block)).then_some(block)
    }

    /// Finds the upward-exposed uses of all blocks.
    fn find_exposed(&mut self, func: &MFunc, ops: &'static [OpDesc]) {
        self.exposed.clear();
        self.more_defs.clear();
        self.def_block.clear();
        self.def_block.resize(func.vregs.len(), NONE);
        self.seen_in_block.clear();
        self.seen_in_block.resize(func.vregs.len(), (NONE, NONE));
        for (number, block) in func.blocks.iter().enumerate() {
            let number = number as u32;
            for inst in &func.insts[block.start as usize..block.end as usize] {
                let desc = op_desc(ops, inst.op);
                let mut written = [Reg::NONE; SLOTS];
                let mut write_count = 0;
                for_each_register(inst, desc, |_, reg, role| {
                    if !reg.is_virtual() {
                        return;
                    }
                    if role != Role::Def {
                        self.read(reg.virtual_index(), number);
                    }
                    if matches!(role, Role::Def | Role::UseDef) {
                        written[write_count] = reg;
                        write_count += 1;
                    }
                });
                for reg in &written[..write_count] {
                    self.write(reg.virtual_index(), number);
                }
            }
            for edge in func.edges_of(number) {
                for phi_move in func.moves_of(edge) {
                    let source = phi_move.src.virtual_index();
                    if func.vregs[source].constant.is_none() {
                        self.exposed.push((source as u32, number | AT_END));
                    }
                }
            }
        }
        self.more_defs.sort_unstable();
        self.more_defs.dedup();
    }

    #[inline]
    fn read(&mut self, vreg: usize, block: u32) {
        let (defined, exposed) = &mut self.seen_in_block[vreg];
        if *defined != block && *exposed != block {
            *exposed = block;
            self.exposed.push((vreg as u32, block));
        }
    }

    #[inline]
    fn write(&mut self, vreg: usize, block: u32) {
        self.seen_in_block[vreg].0 = block;
        let first = &mut self.def_block[vreg];
        if *first == NONE {
            *first = block;
        } else if *first != block {
            self.more_defs.push((vreg as u32, block));
        }
    }

    fn collect_phi_moves(&mut self, func: &MFunc) {
        self.pairs.clear();
        self.move_edge.clear();
        self.move_edge.resize(func.phi_moves.len(), NONE);
        for (edge, data) in func.edges.iter().enumerate() {
            for number in data.first_move..data.first_move + data.move_count {
                self.move_edge[number as usize] = edge as u32;
                let dst = func.phi_moves[number as usize].dst;
                self.pairs.push((dst.virtual_index() as u32, number));
            }
        }
        self.phi_moves.fill(func.vregs.len(), &self.pairs);
    }

    /// Whether an instruction of the block defines the register.
    fn is_defined_in(&self, vreg: u32, block: u32) -> bool {
        self.def_block[vreg as usize] == block
            || (!self.more_defs.is_empty() && self.more_defs.binary_search(&(vreg, block)).is_ok())
    }

    /// Follows the control flow backward from the uses of a register with several definitions.
    fn explore(&mut self, func: &MFunc, vreg: u32) {
        // All edges into a phi's block define it; without a move, it is undefined.
        for &number in self.phi_moves.of(vreg) {
            let edge = self.move_edge[number as usize] as usize;
            if self.edge_stamps[edge] != vreg {
                for &other in func.pred_edges(func.edges[edge].to) {
                    self.edge_stamps[other as usize] = vreg;
                }
            }
        }
        for index in 0..self.exposed_of.of(vreg).len() {
            let place = self.exposed_of.of(vreg)[index];
            if place & AT_END != 0 {
                self.reach_end(vreg, place & !AT_END);
            } else {
                self.reach_start(vreg, place);
            }
            while let Some(block) = self.work.pop() {
                for &edge in func.pred_edges(block) {
                    if self.edge_stamps[edge as usize] != vreg {
                        self.reach_end(vreg, func.edges[edge as usize].from);
                    }
                }
            }
        }
    }

    fn reach_end(&mut self, vreg: u32, block: u32) {
        let stamp = &mut self.stamps[block as usize][1];
        if *stamp == vreg {
            return;
        }
        *stamp = vreg;
        self.pairs.push((block, vreg));
        if !self.is_defined_in(vreg, block) {
            self.reach_start(vreg, block);
        }
    }

    fn reach_start(&mut self, vreg: u32, block: u32) {
        let stamp = &mut self.stamps[block as usize][0];
        if *stamp != vreg {
            *stamp = vreg;
            self.work.push(block);
        }
    }
}
